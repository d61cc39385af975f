// Command party-svc runs party-svc by itself. "party-svc partners load FILE" fills the public directory of
// professionals instead.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	partysvc "github.com/subrosa-legal/subrosa/party-svc"
	"github.com/subrosa-legal/subrosa/pkg/config"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/launch"
	"github.com/subrosa-legal/subrosa/pkg/telemetry/export"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == "partners" {
		os.Exit(load(os.Args[2:], os.Stdout, os.Stderr))
	}
	launch.Main(export.New, partysvc.Entry())
}

// loadTime bounds a load.
const loadTime = 10 * time.Minute

// load ends with 0 when the whole file is in the directory, 1 after a failure, 2 for wrong usage.
func load(args []string, stdout, stderr io.Writer) int {
	if len(args) != 2 || args[0] != "load" {
		fmt.Fprintln(
			stderr,
			"Usage: party-svc partners load FILE\nThe settings are those of party-svc: party-svc --help lists them.",
		)

		return 2
	}
	file, err := os.Open(args[1])
	if err != nil {
		fmt.Fprintln(stderr, "party-svc: the file cannot be opened")
		return 1
	}

	defer func() { _ = file.Close() }()

	ctx, cancel := context.WithTimeout(context.Background(), loadTime)
	defer cancel()
	done, err := partysvc.LoadPartners(ctx, config.Environ(os.Environ()), time.Now, file)
	if err != nil {
		fmt.Fprintln(stderr, "party-svc:", err)
		var refused *errs.Error
		if errors.As(err, &refused) {
			for _, d := range refused.Details {
				fmt.Fprintln(stderr, " ", d.Path, d.Message)
			}
		}

		return 1
	}
	fmt.Fprintf(stdout, "%d added, %d changed, %d unchanged\n", done.Added, done.Changed, done.Unchanged)

	return 0
}
