// Command subrosa is the command line of Subrosa.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"syscall"
	"time"

	"golang.org/x/term"

	"github.com/subrosa-legal/subrosa/deploy/internal/cli"
)

// version is set by the linker when binaries for others are built: make dist.
var version string

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	folder, err := os.Getwd()
	if err != nil {
		fmt.Fprintln(os.Stderr, "subrosa: the working folder cannot be found")
		os.Exit(1)
	}
	settings, err := os.UserConfigDir()
	if err != nil {
		settings = filepath.Join(folder, ".subrosa")
	}
	os.Exit(cli.Run(ctx, os.Args[1:], cli.Terminal{
		In:      os.Stdin,
		Out:     os.Stdout,
		Err:     os.Stderr,
		Live:    isTerminal(os.Stderr),
		Folder:  folder,
		Config:  filepath.Join(settings, "subrosa"),
		Open:    openBrowser,
		Edit:    cli.EditorOf(cmp.Or(os.Getenv("VISUAL"), os.Getenv("EDITOR"))),
		Now:     time.Now,
		Version: cmp.Or(version, built()),
		Width:   columns(os.Stdout),
		Colour:  isTerminal(os.Stderr) && os.Getenv("NO_COLOR") == "",
		Secret:  secretReader(ctx),
		// Whoever runs the command as a part of a trace says so as OpenTelemetry lays down for processes; whether the
		// service goes on with it is the service's.
		Trace: map[string]string{"traceparent": os.Getenv("TRACEPARENT"), "tracestate": os.Getenv("TRACESTATE")},
	}))
}

// columns returns how wide a terminal is, 0 for what is none.
func columns(f *os.File) int {
	if !isTerminal(f) {
		return 0
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}

	return width
}

func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("TERM") != "dumb"
}

// secretReader reads from the terminal that standard input is, if it is one. When ctx ends, the terminal shows again
// what is typed.
func secretReader(ctx context.Context) func(prompt string) (string, error) {
	in := int(os.Stdin.Fd())
	if !term.IsTerminal(in) {
		return nil
	}

	return func(prompt string) (string, error) {
		before, err := term.GetState(in)
		if err != nil {
			return "", err
		}

		fmt.Fprint(os.Stderr, prompt)
		defer fmt.Fprintln(os.Stderr)
		var secret []byte
		done := make(chan error, 1)

		go func() {
			var err error
			secret, err = term.ReadPassword(in)
			done <- err
		}()
		select {
		case err := <-done:
			return string(secret), cmp.Or(ctx.Err(), err)
		case <-ctx.Done():
			return "", errors.Join(ctx.Err(), term.Restore(in, before))
		}
	}
}

// openBrowser asks the desktop to show an address.
func openBrowser(address string) error {
	switch runtime.GOOS {
	case "darwin":
		return exec.Command("open", address).Start()
	case "windows":
		return exec.Command("rundll32", "url.dll,FileProtocolHandler", address).Start()
	}

	return exec.Command("xdg-open", address).Start()
}

// built is the version that Go put into the program.
func built() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "unknown"
	}

	return info.Main.Version
}
