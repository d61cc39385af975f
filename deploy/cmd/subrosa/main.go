// Command subrosa is the command line of Subrosa.
package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"github.com/subrosa-legal/subrosa/deploy/internal/cli"
)

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
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Live: isTerminal(os.Stderr), Folder: folder, Config: filepath.Join(settings, "subrosa"), Open: openBrowser, Now: time.Now,
	}))
}

func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("TERM") != "dumb"
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
