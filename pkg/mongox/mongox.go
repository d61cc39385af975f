// Package mongox opens MongoDB the one way that every service needs it: deadlines on every call, spans without
// documents, errors without the server's text, and indexes that are made as soon as the server can be reached.
package mongox

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/readpref"
	"go.mongodb.org/mongo-driver/v2/mongo/writeconcern"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"
)

const (
	defaultTimeout = 2 * time.Second
	pingLife       = 2 * time.Second
)

// Config says which MongoDB to use and where to report.
type Config struct {
	// URI is a mongodb:// or mongodb+srv:// address. The latter is looked up by DNS when it is opened.
	URI string
	// Database is the name of the service's own database.
	Database string
	// Timeout bounds each call whose context has no deadline, from choosing a server to the last byte, and the wait for
	// a server of every call. Zero means 2 s; the embedded development store, where writes queue, wants 10 s.
	Timeout time.Duration
	// AppName is what the server's own logs call this client. May be empty.
	AppName string
	// TracerProvider receives one client span per command: its name, the collection, the database and the server's
	// address, never filters, documents or error texts. Nil means no spans.
	TracerProvider trace.TracerProvider
	// MeterProvider receives the durations of commands. Nil means none.
	MeterProvider metric.MeterProvider
}

// The mistakes in a Config that Open finds. None of them quotes the URI, which may hold a password.
var (
	ErrURI = errors.New("the MongoDB address must be a usable mongodb:// or mongodb+srv:// URI; " +
		"the name in the latter must be one that DNS knows")
	ErrDatabase = errors.New("the MongoDB database needs a name of 1 to 63 bytes without spaces or any of " +
		"/\\.\"$*<>:|?")
	ErrTimeout = errors.New("the MongoDB timeout must not be negative")
	ErrConcern = errors.New("the MongoDB address asks for writes that a failover could take back: " +
		"leave w out or give w=majority; w=1 needs journal=true, and w=0 is not possible")
	ErrReads = errors.New("the MongoDB address asks for reads from secondaries, which lag behind: " +
		"leave readPreference out or give primary")
)

// DB is a service's database together with the client that reaches it. It is safe for concurrent use.
type DB struct {
	client *mongo.Client
	db     *mongo.Database

	pings sync.Mutex
	known bool  // guarded by pings: last holds a result that is not yet pingLife old
	last  error // guarded by pings
}

// Open returns the database that cfg names. It does not wait for a connection: a service starts while MongoDB is away
// and says so by its readiness (see Ping and Indexes). The only errors are mistakes in cfg, and a mongodb+srv:// name
// that DNS does not know. Writes ask for a majority of the replica set unless the URI says otherwise.
func Open(_ context.Context, cfg Config) (*DB, error) {
	opts, err := clientOptions(cfg)
	if err != nil {
		return nil, err
	}
	client, err := mongo.Connect(opts)
	if err != nil {
		// The driver's own text may quote the address, and with it a password.
		return nil, ErrURI
	}

	return &DB{client: client, db: client.Database(cfg.Database)}, nil
}

func clientOptions(cfg Config) (*options.ClientOptions, error) {
	if n := len(cfg.Database); n == 0 || n > 63 || strings.ContainsAny(cfg.Database, "/\\. \"$*<>:|?\x00") {
		return nil, ErrDatabase
	}

	timeout := cfg.Timeout
	switch {
	case timeout < 0:
		return nil, ErrTimeout
	case timeout == 0:
		timeout = defaultTimeout
	}
	opts := options.Client().ApplyURI(cfg.URI)
	if cfg.URI == "" || opts.Validate() != nil {
		return nil, ErrURI
	}
	if err := durable(opts); err != nil {
		return nil, err
	}
	if cfg.AppName != "" {
		opts.SetAppName(cfg.AppName)
	}
	monitor, err := newMonitor(cfg.TracerProvider, cfg.MeterProvider)
	if err != nil {
		return nil, fmt.Errorf("instrument MongoDB: %w", err)
	}
	if opts.ServerSelectionTimeout == nil {
		// The driver leaves the timeout aside for contexts with a deadline, which all requests have; while MongoDB is
		// away they would all wait to their very end.
		opts.SetServerSelectionTimeout(timeout)
	}

	return opts.SetTimeout(timeout).SetMonitor(monitor), nil
}

// durable refuses what would let an acknowledged write be lost or a read be older than a write before it, and asks for
// a majority where the address says nothing.
func durable(opts *options.ClientOptions) error {
	if p := opts.ReadPreference; p != nil && p.Mode() != readpref.PrimaryMode {
		return ErrReads
	}
	// The driver's own default is left to the server, which may be configured to acknowledge less than a majority.
	c := opts.WriteConcern
	if c == nil {
		opts.SetWriteConcern(writeconcern.Majority())
		return nil
	}

	switch journaled := c.Journal != nil && *c.Journal; {
	// The address speaks of the journal or of a time alone.
	case c.W == nil:
		majority := *writeconcern.Majority()
		majority.Journal = c.Journal
		opts.SetWriteConcern(&majority)
	case c.W == 0, c.W == 1 && !journaled:
		return ErrConcern
	}

	return nil
}

// Database returns the service's database.
func (d *DB) Database() *mongo.Database { return d.db }

// Collection returns a collection of the service's database.
func (d *DB) Collection(name string) *mongo.Collection { return d.db.Collection(name) }

// Ping asks MongoDB for a sign of life and remembers the result, good or bad, for two seconds, so that probes cost next
// to nothing. Callers that come at the same time wait for one question. It returns nil or an error that is
// errs.ErrUnavailable, and the error of ctx, which is not remembered, to a caller who was cancelled.
func (d *DB) Ping(ctx context.Context) error {
	d.pings.Lock()
	defer d.pings.Unlock()
	if d.known {
		return d.last
	}
	err := Unavailable(d.client.Ping(ctx, nil))
	// The caller gave up before MongoDB answered, so there is no result that others could share.
	if ctx.Err() != nil {
		return err
	}
	d.known, d.last = true, err
	// A timer and no comparison of times, so that the package needs no clock of its own.
	time.AfterFunc(pingLife, func() {
		d.pings.Lock()
		defer d.pings.Unlock()
		d.known = false
	})

	return err
}

// Close ends the client's connections. It waits for those in use until ctx ends.
func (d *DB) Close(ctx context.Context) error {
	if err := d.client.Disconnect(ctx); err != nil {
		return fmt.Errorf("close MongoDB client: %w", Unavailable(err))
	}

	return nil
}
