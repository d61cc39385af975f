// Command subrosa-stores is the embedded Redis and MongoDB of development and tests: miniredis, which forgets
// everything when it stops, and FerretDB on SQLite files behind a front that makes its writes atomic and refuses what
// it gets wrong. It is no store for production. Build it with the tag ferretdb_no_postgresql, which leaves out what it
// does not use, and without the race detector, with which it refuses to start.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/alicebob/miniredis/v2"

	"github.com/subrosa-legal/subrosa/deploy/internal/ferretproxy"
	"github.com/subrosa-legal/subrosa/deploy/internal/ferretproxy/ferret"
)

// stopTime bounds a clean stop.
const stopTime = 5 * time.Second

const usage = `Usage: subrosa-stores [flags]

Serves an embedded Redis (in memory) and an embedded MongoDB (SQLite files) for development and tests,
and prints one line of JSON with their addresses when both are ready:

  {"redis":"redis://127.0.0.1:40001","mongo":"mongodb://127.0.0.1:40002/?directConnection=true"}

It stops on SIGINT and SIGTERM.

Flags:
`

type settings struct {
	dir, redis, mongo string
	withParent        bool
	narrowAlways      bool
}

func main() {
	s, err := parse(os.Args[1:], os.Stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return
	case err != nil:
		os.Exit(2)
	}
	// A parent that is gone no longer reads what is logged; that must not keep us from tidying up.
	signal.Ignore(syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	err = run(ctx, s, os.Stdin, os.Stdout, log)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "subrosa-stores:", err)
		os.Exit(1)
	}
}

func parse(args []string, out io.Writer) (settings, error) {
	var s settings
	flags := flag.NewFlagSet("subrosa-stores", flag.ContinueOnError)
	flags.SetOutput(out)
	flags.Usage = func() { fmt.Fprint(out, usage); flags.PrintDefaults() }
	flags.StringVar(&s.dir, "dir", "",
		"`folder` of the documents; by default a temporary one that is removed at the end")
	flags.StringVar(&s.redis, "redis", "127.0.0.1:0", "`address` of the Redis to serve; port 0 takes a free one")
	flags.StringVar(&s.mongo, "mongo", "127.0.0.1:0", "`address` of the MongoDB to serve; port 0 takes a free one")
	flags.BoolVar(&s.withParent, "with-parent", false,
		"stop also when standard input closes, which it does when the parent process ends")
	flags.BoolVar(&s.narrowAlways, "narrow-always", false,
		"answer queries among few documents in the way of many, which is slower: tests of few then show what many would")
	if err := flags.Parse(args); err != nil {
		return settings{}, err
	}
	if flags.NArg() > 0 {
		fmt.Fprintln(out, "subrosa-stores takes no arguments, only flags; see --help")
		return settings{}, errors.New("unexpected arguments")
	}

	return s, nil
}

// run serves both stores until ctx ends, or stdin when that is what s says.
func run(ctx context.Context, s settings, stdin io.Reader, stdout io.Writer, log *slog.Logger) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	dir := s.dir
	if dir == "" {
		temporary, err := os.MkdirTemp("", "subrosa-stores-")
		if err != nil {
			return fmt.Errorf("make a folder for documents: %w", err)
		}
		defer func() { _ = os.RemoveAll(temporary) }()
		dir = temporary
	}
	if s.withParent {
		go func() {
			_, _ = io.Copy(io.Discard, stdin)
			cancel()
		}()
	}
	redis, err := startRedis(s.redis)
	if err != nil {
		return err
	}
	defer redis.Close()
	listener, err := net.Listen("tcp", s.mongo)
	if err != nil {
		return fmt.Errorf("listen for MongoDB clients: %w", err)
	}
	server, err := ferret.Start(filepath.Clean(dir), s.dir == "", log)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	if s.narrowAlways {
		server.NarrowAlways()
	}
	front := ferretproxy.New(server, log)
	served := make(chan error, 1)

	go func() {
		defer cancel()
		served <- front.Serve(listener)
	}()
	err = announce(stdout, redis.Addr(), listener.Addr().String())
	if err == nil {
		<-ctx.Done()
	}
	stopped := stop(front, server)

	return errors.Join(err, <-served, stopped)
}

func startRedis(addr string) (*miniredis.Miniredis, error) {
	m := miniredis.NewMiniRedis()
	// Without it keys would never expire: the store has no clock of its own.
	m.ClockTTL(true)
	if err := m.StartAddr(addr); err != nil {
		return nil, fmt.Errorf("serve Redis: %w", err)
	}

	return m, nil
}

// announce tells a starting program where the stores are. Both accept connections by then.
func announce(out io.Writer, redis, mongo string) error {
	line := struct {
		Redis string `json:"redis"`
		Mongo string `json:"mongo"`
	}{"redis://" + redis, "mongodb://" + mongo + "/?directConnection=true"}
	if err := json.NewEncoder(out).Encode(line); err != nil {
		return fmt.Errorf("print the addresses: %w", err)
	}

	return nil
}

func stop(front *ferretproxy.Front, server *ferret.Server) error {
	ctx, cancel := context.WithTimeout(context.Background(), stopTime)
	defer cancel()

	return errors.Join(front.Shutdown(ctx), server.Close(ctx))
}
