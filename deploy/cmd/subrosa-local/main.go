// Command subrosa-local runs the whole of Subrosa on this machine, for development.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/subrosa-legal/subrosa/deploy/internal/local"
	"github.com/subrosa-legal/subrosa/pkg/config"
)

const startWithin = 30 * time.Second

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return
		}
		fmt.Fprintln(os.Stderr, "subrosa-local:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("subrosa-local", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		fmt.Fprint(stderr, "subrosa-local runs every service of Subrosa in one process, with embedded stores and a "+
			"provider to sign in with.\n\n"+
			"REDIS_URL, MONGODB_URI and OIDC_ISSUER are used instead when set. "+
			"Any setting of a service may be given in the environment.\n\n")
		flags.PrintDefaults()
	}
	dir := flags.String("dir", ".local", "folder for documents, keys, certificates and logs")
	addr := flags.String("addr", "127.0.0.1:8443", "address of the interface")
	oidc := flags.String("oidc-addr", "127.0.0.1:8444", "address of the development sign-in")
	spans := flags.String("traces-addr", "127.0.0.1:8445",
		"address of the page with traces, on this machine; empty for none")
	stores := flags.String("stores", besides("subrosa-stores"), "program of the embedded stores")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if err := os.MkdirAll(*dir, 0o700); err != nil {
		return err
	}
	environ := config.Environ(os.Environ())
	// The gateway refuses to start when the folder is named and empty, so it is named only once it was filled.
	_, absent := os.Stat(filepath.Join(besides("wasm"), "guard.wasm.gz"))
	if absent == nil && environ["GATEWAY_WASM_DIR"] == "" {
		environ["GATEWAY_WASM_DIR"] = besides("wasm")
	}
	log, err := openLog(filepath.Join(*dir, "subrosa.log"))
	if err != nil {
		return err
	}

	defer func() { _ = log.Close() }()
	shown, err := serveTraces(*spans, environ)
	if err != nil {
		return err
	}
	defer shown.stop()
	began := time.Now()

	starting, cancel := context.WithTimeout(ctx, startWithin)
	defer cancel()
	l, err := local.Start(starting, local.Options{
		Dir:      *dir,
		Addr:     *addr,
		OIDCAddr: *oidc,
		Stores:   *stores,
		Environ:  environ,
		Log:      log,
		Level:    slog.LevelInfo,
		Now:      time.Now,
	})
	if err != nil {
		return fmt.Errorf("%w (the log is %s)", err, log.Name())
	}
	greet(stdout, l, shown.at, log.Name(), time.Since(began))
	select {
	case <-ctx.Done():
		fmt.Fprintln(stdout, "\nstopping …")
	case err = <-l.Failed():
	}

	return errors.Join(err, l.Close())
}

const logKept = 16 << 20 // bytes; a longer log of earlier runs is begun anew

// openLog opens the log to go on where it ended: another process that is running already may be writing to it.
func openLog(name string) (*os.File, error) {
	mode := os.O_CREATE | os.O_WRONLY | os.O_APPEND
	// Only at a start, so that a log that grows all day is still whole.
	if info, err := os.Stat(name); err == nil && info.Size() > logKept {
		mode |= os.O_TRUNC
	}

	return os.OpenFile(name, mode, 0o600)
}

// besides returns the path of a program in this program's own folder.
func besides(name string) string {
	self, err := os.Executable()
	if err != nil {
		return name
	}

	return filepath.Join(filepath.Dir(self), name)
}

// inside says where the services answer for their health and with their metrics, by HTTP.
func inside(l *local.Local) string {
	var all, lines []string
	for _, name := range slices.Sorted(maps.Keys(l.Services)) {
		all = append(all, name+" "+l.Services[name].InternalAddr())
	}

	for few := range slices.Chunk(all, 3) {
		lines = append(lines, strings.Join(few, ", "))
	}

	return strings.Join(lines, ",\n              ")
}

func greet(w io.Writer, l *local.Local, traces, log string, took time.Duration) {
	fmt.Fprintf(w, "Subrosa is running (ready after %.1f s). This is a development installation: "+
		"not for real cases.\n\n", took.Seconds())
	fmt.Fprintf(w, "  open in a browser   %s/\n\n  interface   %s\n  agent card  %s/.well-known/agent.json\n"+
		"  MCP         %s/api/mcp (docs/connect.md)\n  sign-in     %s\n  stores      %s\n  traces      %s\n"+
		"  log         %s\n",
		l.Facts.BaseURL, l.Facts.BaseURL, l.Facts.BaseURL, l.Facts.BaseURL, l.Facts.Issuer, l.Facts.Stores, traces, log)
	if advice := l.Advice(); advice != "" {
		fmt.Fprintf(w, "  advice      %s\n", advice)
	}
	fmt.Fprintf(w, "  inside      /readyz and /metrics of %s\n", inside(l))
	fmt.Fprintf(w, "  local CA    %s\n              curl --cacert %s …; to trust it everywhere, "+
		"add it to your system's or browser's authorities\n", l.Facts.CAFile, l.Facts.CAFile)
	if len(l.People) > 0 {
		fmt.Fprintln(w, "\n  people who can sign in:")

		for _, p := range l.People {
			fmt.Fprintf(w, "    %-36s %-24s %s\n", p.Name, p.Email, p.Password)
		}
	}
	fmt.Fprint(w, "\nNext, in another terminal:\n\n  .local/bin/subrosa login\n  .local/bin/subrosa connect\n\n"+
		"or the whole story at once: make demo. Ctrl-C stops everything.\n")
}
