// Command subrosa-mcp-check holds the MCP endpoint and its sign-in against the outside checkers: the conformance suite
// of the protocol, the Inspector, and hosts on the official libraries for TypeScript and Python. It starts a fresh
// local service, signs in as a person with a browser would, and ends with 1 if any check fails.
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
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	tools := flag.String("tools", "deploy/mcp-check",
		"folder with the checkers, installed by npm ci, and the expected failures")
	fixtures := flag.String("fixtures", "", "program that serves the suite's fixtures on the product's handler chain")
	stores := flag.String("stores", "", "program of the embedded stores")
	pythons := flag.String("pythons", "", "folder with a Python environment for each generation of the library")
	only := flag.String("only", "", "run only the checks whose name contains this")
	flag.Parse()
	if err := run(ctx, options{*tools, *fixtures, *stores, *pythons, *only}, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "\nsubrosa-mcp-check:", err)
		os.Exit(1) //nolint:gocritic // the process ends either way
	}
}

type options struct{ tools, fixtures, stores, pythons, only string }

// check is one run of a checker.
type check struct {
	name string
	run  func(ctx context.Context) (string, error) // what is said of it in one line
}

const checkWithin = 2 * time.Minute

func run(ctx context.Context, o options, out io.Writer) (err error) {
	scratch, err := os.MkdirTemp("", "subrosa-mcp-check-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()

	if o.tools, err = filepath.Abs(o.tools); err != nil {
		return err
	}
	s, err := begin(ctx, o, scratch)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	failed := 0

	for _, c := range s.checks() {
		if !strings.Contains(c.name, o.only) {
			continue
		}
		// One checker that hangs must not take the time of all others.
		within, cancel := context.WithTimeout(ctx, checkWithin)
		said, err := c.run(within)
		cancel()
		if errors.Is(err, errSkipped) {
			fmt.Fprintf(out, "- %s: %v\n", c.name, err)
			continue
		}
		if err != nil {
			failed++
			fmt.Fprintf(out, "✗ %s: %v\n", c.name, err)

			continue
		}
		fmt.Fprintf(out, "✓ %s: %s\n", c.name, said)
	}
	if failed > 0 {
		return fmt.Errorf("%d checks failed", failed)
	}

	return nil
}
