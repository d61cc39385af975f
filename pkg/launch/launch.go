// Package launch starts and stops services: one in its own binary or several in one process, always with the same
// settings, signals and exit codes. It is the only place that touches the process's globals.
package launch

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"syscall"
	"text/tabwriter"
	"time"
	_ "time/tzdata" // deadlines are counted in the forum's zone, and an image from scratch has none of its own

	"github.com/gin-gonic/gin"
	"github.com/redis/go-redis/v9"
	"github.com/subrosa-legal/subrosa/pkg/config"
	"github.com/subrosa-legal/subrosa/pkg/telemetry"
)

// Env is what a service is given to start with.
type Env struct {
	Environ   map[string]string // its variables; a service never reads the process's own
	Telemetry *telemetry.Telemetry
	Now       func() time.Time
}

// Service is a service that is connected and listens.
type Service interface {
	// Run serves until ctx ends, drains, and releases everything. It returns nil after a clean stop.
	Run(ctx context.Context) error
	// Addr returns the address at which the service is reached.
	Addr() string
	// InternalAddr returns the address of health and metrics, or "" when there is none.
	InternalAddr() string
	// Ready returns nil when the service can do its work, as /readyz tells.
	Ready(ctx context.Context) error
}

// New connects and binds a service, or says what is wrong with its settings. It must not wait for stores or other
// services.
type New func(ctx context.Context, env Env) (Service, error)

// Entry describes a service to the launcher.
type Entry struct {
	Name     string
	Summary  string // one line for --help
	New      New
	Settings []config.Setting
	// Migrate makes what this version needs in the service's database, or with dry tells what that is, and tells out.
	// It is nil for a service without a database.
	Migrate func(ctx context.Context, env Env, dry bool, out io.Writer) error
	// Shards returns the commands for mongosh that shard a database of the service on a cluster. It is nil for a
	// service without a database.
	Shards func(database string) (string, error)
}

// Report sets up what a service reports, as export.New does. A binary names it, so that tests of a service are linked
// without the exporters.
type Report func(ctx context.Context, service string, w io.Writer, level slog.Leveler) (*telemetry.Telemetry, error)

// Main runs one service as the whole process. It ends with 0 after a clean stop, 1 after a failure, 2 for wrong usage
// or settings.
func Main(report Report, e Entry) { os.Exit(run(report, e, os.Args[1:], os.Stdout, os.Stderr)) }

func run(report Report, e Entry, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet(e.Name, flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() { usage(stdout, e) }
	check := flags.Bool("check", false, "check the settings and end")
	version := flags.Bool("version", false, "print the version and end")
	migrate := flags.Bool("migrate", false, "make the indexes that this version needs and end")
	dry := flags.Bool("dry-run", false, "with --migrate, tell what is missing and change nothing")
	database := flags.String("shards", "", "print the commands that shard the database of this name and end")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return 0
		}

		return 2
	}
	if flags.NArg() > 0 {
		fmt.Fprintf(stderr, "%s takes no arguments; see %s --help\n", e.Name, e.Name)
		return 2
	}
	if *version {
		fmt.Fprintln(stdout, e.Name, Version())
		return 0
	}

	what := mode{check: *check, migrate: *migrate, dry: *dry, database: *database}
	flags.Visit(func(f *flag.Flag) { what.shards = what.shards || f.Name == "shards" })
	if problem := what.problem(e); problem != "" {
		fmt.Fprintf(stderr, "%s: %s\n", e.Name, problem)
		return 2
	}
	if what.shards {
		return printShards(e, what.database, stdout, stderr)
	}

	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()

	return serve(ctx, report, e, what, stdout, stderr)
}

// printShards prints how a database of the service is sharded. It needs no settings.
func printShards(e Entry, database string, stdout, stderr io.Writer) int {
	if e.Shards == nil {
		fmt.Fprintf(stderr, "%s: there is no database to shard\n", e.Name)
		return 2
	}

	script, err := e.Shards(database)
	if err != nil {
		fmt.Fprintf(stderr, "%s: %v\n", e.Name, err)
		return 1
	}
	fmt.Fprint(stdout, script)

	return 0
}

// mode says what a process is to do; none of these is to serve.
type mode struct {
	check, migrate, dry, shards bool
	database                    string // of shards
}

func (m mode) problem(e Entry) string {
	switch {
	case m.shards && m.database == "":
		return "--shards needs the name of a database"
	case m.shards && (m.check || m.migrate || m.dry):
		return "--shards excludes --check, --migrate and --dry-run"
	case m.migrate && e.Migrate == nil:
		return "there is no database to migrate"
	case m.dry && !m.migrate:
		return "--dry-run belongs to --migrate"
	case m.check && m.migrate:
		return "--check and --migrate exclude each other"
	}

	return ""
}

func serve(ctx context.Context, report Report, e Entry, what mode, stdout, stderr io.Writer) int {
	Globals()
	environ := config.Environ(os.Environ())
	level, unusable := levelFrom(environ)

	tel, err := report(ctx, e.Name, stderr, level)
	defer func() {
		if tel == nil {
			return
		}

		last, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		// The collector may be gone, which must not change the exit code.
		_ = tel.Shutdown(last)
	}()
	if err := errors.Join(unusable, err); err != nil {
		fmt.Fprintf(stderr, "%s: %v\n", e.Name, err)
		return 2
	}
	env := Env{Environ: environ, Telemetry: tel, Now: time.Now}
	if what.migrate {
		if err := e.Migrate(ctx, env, what.dry, stdout); err != nil {
			fmt.Fprintf(stderr, "%s: %v\n", e.Name, err)
			return 1
		}

		return 0
	}
	service, err := e.New(ctx, env)
	if err != nil {
		fmt.Fprintf(stderr, "%s: %v\n", e.Name, err)
		return 2
	}
	if what.check {
		// A run whose context has ended only releases what New has bound.
		ended, cancel := context.WithCancel(ctx)
		cancel()
		_ = service.Run(ended)
		fmt.Fprintln(stdout, "settings are usable")

		return 0
	}
	tel.Log.InfoContext(ctx, "serving", "addr", service.Addr(), "internal", service.InternalAddr(), "version", Version())
	if err := service.Run(ctx); err != nil {
		tel.Log.ErrorContext(ctx, "stopped", "err", err)
		return 1
	}
	tel.Log.InfoContext(ctx, "stopped cleanly")

	return 0
}

// levelFrom reads LOG_LEVEL, which is INFO when it is unset.
func levelFrom(environ map[string]string) (level slog.Level, err error) {
	if given := environ["LOG_LEVEL"]; given != "" && level.UnmarshalText([]byte(given)) != nil {
		return level, errors.New("LOG_LEVEL must be debug, info, warn or error")
	}

	return level, nil
}

var once sync.Once

// Globals puts the process's globals in order; calling it again does nothing.
func Globals() {
	once.Do(func() {
		gin.SetMode(gin.ReleaseMode)
		// What the library logs of connections is in errors, readiness and metrics as well, and may quote addresses.
		redis.SetLogger(silent{})
	})
}

// silent is a logger of the Redis client that says nothing.
type silent struct{}

// Printf drops what it is given.
func (silent) Printf(context.Context, string, ...any) {}

// stamped is the version and commit that make images links in.
var stamped string

// Version returns the version that the binary was built as.
func Version() string {
	if stamped != "" {
		return stamped
	}
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "unknown"
	}
	i := slices.IndexFunc(info.Settings, func(s debug.BuildSetting) bool { return s.Key == "vcs.revision" })
	if i < 0 {
		return strings.Trim(info.Main.Version, "()")
	}

	return strings.Trim(info.Main.Version, "()") + " " + info.Settings[i].Value
}

func usage(w io.Writer, e Entry) {
	fmt.Fprintf(w, "%s: %s\n\n", e.Name, e.Summary)
	fmt.Fprintf(w, "Usage: %s [--check] [--migrate [--dry-run]] [--shards DATABASE] [--version] [--help]\n\n", e.Name)
	fmt.Fprint(w, "Settings come from the environment. NAME_FILE names a file that holds NAME's value.\n\n")
	tab := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)

	for _, s := range e.Settings {
		note := s.Default
		if s.Required {
			note = "required"
		}
		fmt.Fprintf(tab, "  %s\t%s\t%s\n", s.Name, note, s.Help)
	}
	_ = tab.Flush()
	fmt.Fprintln(w, "\nLOG_LEVEL is debug, info (the default), warn or error. "+
		"Telemetry follows the standard OTEL_ variables and is off when they are unset.")
}
