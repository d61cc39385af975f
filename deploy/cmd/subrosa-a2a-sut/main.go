// Command subrosa-a2a-sut is the service's endpoint of the agent-to-agent protocol with a script in place of the
// agent, for conformance kits to be run against. It listens on plain HTTP at a loopback address and gives its own
// credential to whoever has none, so it is no part of an installation.
package main

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"time"

	"github.com/subrosa-legal/subrosa/agent-svc/scripted"
	"github.com/subrosa-legal/subrosa/pkg/a2aerr"
	"github.com/subrosa-legal/subrosa/pkg/launch"
	"github.com/subrosa-legal/subrosa/pkg/telemetry"
)

const name = "subrosa-a2a-sut"

//go:embed script.json
var script string

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, name+":", err)
		os.Exit(1)
	}
}

func run(arguments []string) error {
	flags := flag.NewFlagSet(name, flag.ContinueOnError)
	addr := flags.String("addr", "127.0.0.1:9999", "loopback `address` to listen on")
	path := flags.String(
		"script",
		"",
		"`file` with the script; docs/a2a.md describes its form. Without it a built-in one is played",
	)
	media := flags.Int(
		"media-status",
		0,
		"`status` of HTTP for ContentTypeNotSupported: 400 as A2A 1.0.1 has it, or 415 as 1.0.0 does. "+
			"Without it, 400 for a part of a message and 415 for a body, as the product answers",
	)
	cancel := flags.Int(
		"cancel-status",
		http.StatusBadRequest,
		"`status` of HTTP for TaskNotCancelable: 400 as the product and A2A 1.0.1 have it, or 409 as 1.0.0 does",
	)
	show := flags.Bool("print", false, "print the built-in script and end")
	if err := flags.Parse(arguments); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return nil
		}

		return err
	}
	if *show {
		_, err := fmt.Print(script)
		return err
	}
	var rules io.Reader = strings.NewReader(script)

	if *path != "" {
		file, err := os.Open(*path)
		if err != nil {
			return err
		}
		defer func() { _ = file.Close() }()
		rules = file
	}

	statuses, err := statusesOf(*media, *cancel)
	if err != nil {
		return err
	}

	return serve(*addr, rules, statuses)
}

var errNotLoopback = errors.New("-addr must be a loopback address such as 127.0.0.1:9999, since everybody is let in")

var (
	errMedia  = errors.New("-media-status must be 400 or 415")
	errCancel = errors.New("-cancel-status must be 400 or 409")
)

// statusesOf are the statuses of HTTP that a kit wants in place of the product's, by the code of the error; 0 is the
// product's.
func statusesOf(media, cancel int) (map[int]int, error) {
	switch {
	case media != 0 && media != http.StatusBadRequest && media != http.StatusUnsupportedMediaType:
		return nil, errMedia
	case cancel != http.StatusBadRequest && cancel != http.StatusConflict:
		return nil, errCancel
	}

	return map[int]int{a2aerr.ContentNotSupported.Code: media, a2aerr.TaskNotCancelable.Code: cancel}, nil
}

// serve listens until the process is told to stop.
func serve(addr string, rules io.Reader, statuses map[int]int) error {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return err
	}
	if ip := net.ParseIP(host); ip == nil || !ip.IsLoopback() {
		return errNotLoopback
	}

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()

	var lc net.ListenConfig
	listener, err := lc.Listen(ctx, "tcp", addr)
	if err != nil {
		return err
	}
	base := "http://" + listener.Addr().String()
	launch.Globals()
	handler, end, err := scripted.Serve(rules, base, statuses, time.Now, telemetry.Discard(name, os.Stderr))
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	defer end()
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}

	go func() { <-ctx.Done(); _ = server.Close() }()
	fmt.Printf(
		"card       %s/.well-known/agent-card.json\nJSON-RPC   %s/a2a/rpc\nHTTP+JSON  %s/a2a/rest\n",
		base,
		base,
		base,
	)
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}

	return nil
}
