// Command subrosa-abuse measures what a thousand connections that trickle do to ten ordinary callers of the service.
// It ends with 1 when a bound does not hold.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/subrosa-legal/subrosa/deploy/internal/abuse"
)

const serve = "serve" // the first argument by which the program starts itself as the service

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	var err error
	// The program starts itself as the service, so that its memory is not counted with that of the callers.
	if len(os.Args) == 4 && os.Args[1] == serve {
		err = abuse.Serve(ctx, os.Args[2], os.Args[3], time.Now, os.Stdout)
	} else {
		err = measure(ctx, os.Args[1:], os.Stdout, os.Stderr)
	}
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "subrosa-abuse:", err)
		os.Exit(1)
	}
}

func measure(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	flags := flag.NewFlagSet("subrosa-abuse", flag.ContinueOnError)
	flags.SetOutput(stderr)
	connections := flags.Int("connections", 1000, "connections of each class")
	each := flags.Duration("each", 10*time.Second, "how long each class is measured, and idle three times beside it")
	only := flags.String("classes", "", "comma-separated names of classes; all when empty: "+
		strings.Join(abuse.Names(), ", "))
	beside := filepath.Join(filepath.Dir(self), "subrosa-stores")
	stores := flags.String("stores", beside, "program of the embedded stores")
	if err := flags.Parse(args); err != nil {
		return err
	}
	var chosen []string
	if *only != "" {
		chosen = strings.Split(*only, ",")
	}

	return abuse.Run(ctx, abuse.Plan{
		Connections: *connections, Each: *each, Classes: chosen,
		Program: self, Arguments: []string{serve}, Stores: *stores, Now: time.Now,
	}, stdout)
}
