package mongox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/subrosa-legal/subrosa/pkg/errs"
)

// Index is a plain or compound index, the only sorts that every store we run on can make.
type Index struct {
	// Fields are the indexed fields in order, those in descending order with a "-" in front. A tenant's collection
	// leads with the tenant.
	Fields []string
	// Unique refuses a second document with the same values. Every document must have all the fields: a missing one
	// counts as a value on MongoDB and is not checked at all on the embedded store, whose front therefore refuses it.
	Unique bool
}

// ErrIndex is returned for an Index that some store could not make.
var ErrIndex = errors.New("an index needs fields, each once, that are plain or dotted names")

func (i Index) model() (mongo.IndexModel, error) {
	keys := bson.D{}
	seen := map[string]bool{}

	for _, field := range i.Fields {
		name, descending := strings.CutPrefix(field, "-")
		// A dollar sign or a blank would make a special index of it, which the embedded store does not know.
		if name == "" || seen[name] || strings.ContainsAny(name, "$*- \x00") {
			return mongo.IndexModel{}, ErrIndex
		}
		seen[name] = true
		order := int32(1)
		if descending {
			order = -1
		}
		keys = append(keys, bson.E{Key: name, Value: order})
	}
	if len(keys) == 0 {
		return mongo.IndexModel{}, ErrIndex
	}
	opts := options.Index()
	if i.Unique {
		opts.SetUnique(true)
	}

	return mongo.IndexModel{Keys: keys, Options: opts}, nil
}

// made reports whether an index that exists has the keys and the uniqueness of i. One that differs in uniqueness
// alone is asked for, so that the server says that they conflict.
func (i Index) made(existing mongo.IndexSpecification) bool {
	unique := existing.Unique != nil && *existing.Unique
	keys, err := existing.KeysDocument.Elements()
	if err != nil || unique != i.Unique || len(keys) != len(i.Fields) {
		return false
	}

	for n, key := range keys {
		field := key.Key()
		// Servers give the order back as int32, int64 or double, whatever was sent.
		if order, _ := key.Value().AsInt64OK(); order < 0 {
			field = "-" + field
		}
		if field != i.Fields[n] {
			return false
		}
	}

	return true
}

// buildTime bounds the making of a collection's indexes: on grown data it takes minutes to hours, whatever the
// deadline of ordinary calls. A build that is cut off starts over at the next try.
const buildTime = 12 * time.Hour

// EnsureIndexes makes those of indexes that coll lacks and leaves all others alone. It may be repeated, also by
// several replicas at once. It asks what exists within the deadline of an ordinary call, and lets the making take up
// to 12 hours. Its errors are those of Unavailable, and ErrIndex, before which nothing is made.
func EnsureIndexes(ctx context.Context, coll *mongo.Collection, indexes []Index) error {
	missing, err := lacking(ctx, coll, indexes)
	if err != nil || len(missing) == 0 {
		return err
	}

	return build(ctx, coll, missing)
}

// lacking returns those of indexes that coll does not have.
func lacking(ctx context.Context, coll *mongo.Collection, indexes []Index) ([]Index, error) {
	// All are checked before the first is made: a mistake must not leave half of a schema behind.
	for n, index := range indexes {
		if _, err := index.model(); err != nil {
			return nil, fmt.Errorf("index %d of %s: %w", n, coll.Name(), err)
		}
	}
	existing, err := coll.Indexes().ListSpecifications(ctx)
	if err != nil {
		return nil, fmt.Errorf("list the indexes of %s: %w", coll.Name(), Unavailable(err))
	}

	return slices.DeleteFunc(
		slices.Clone(indexes),
		func(i Index) bool { return slices.ContainsFunc(existing, i.made) },
	), nil
}

// build makes indexes that coll lacks, however long that takes.
func build(ctx context.Context, coll *mongo.Collection, missing []Index) error {
	models := make([]mongo.IndexModel, len(missing))
	for i, index := range missing {
		// lacking has checked them.
		models[i], _ = index.model()
	}

	ctx, cancel := context.WithTimeout(ctx, buildTime)
	defer cancel()
	if _, err := coll.Indexes().CreateMany(ctx, models); err != nil {
		return fmt.Errorf("make %d indexes of %s: %w", len(missing), coll.Name(), Unavailable(err))
	}

	return nil
}

// Migrate makes the indexes of schema that db lacks, one collection after the other, and tells out what it does. With
// dry it tells what it would do and changes nothing. It ends at the first failure; what was made stays, and a
// repetition goes on from there. Services of the version before may go on working meanwhile: MongoDB builds beside
// their writes.
func Migrate(ctx context.Context, db *mongo.Database, schema Schema, dry bool, out io.Writer) error {
	total := 0

	for _, name := range slices.Sorted(maps.Keys(schema)) {
		coll := db.Collection(name)
		missing, err := lacking(ctx, coll, schema[name])
		if err != nil {
			return err
		}

		for _, index := range missing {
			fmt.Fprintf(out, "%s: index %s is missing\n", name, index)
		}
		if total += len(missing); dry || len(missing) == 0 {
			continue
		}

		// The figure only tells the operator how long it may take, so a failure is no reason to stop.
		n, err := coll.EstimatedDocumentCount(ctx)
		if err == nil {
			fmt.Fprintf(out, "%s: making %d over about %d documents\n", name, len(missing), n)
		}
		stop := reportEvery(time.Minute, func(since time.Duration) {
			fmt.Fprintf(out, "%s: still at it after %v\n", name, since)
		})
		err = build(ctx, coll, missing)
		stop()
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%s: done\n", name)
	}

	switch {
	case total == 0:
		fmt.Fprintln(out, "nothing is missing")
	case dry:
		fmt.Fprintf(out, "%d indexes are missing; nothing was changed\n", total)
	default:
		fmt.Fprintf(out, "%d indexes were made\n", total)
	}

	return nil
}

// String names the fields of an index, and says whether it is unique.
func (i Index) String() string {
	text := "(" + strings.Join(i.Fields, ", ") + ")"
	if i.Unique {
		text += ", unique,"
	}

	return text
}

// Schema names the indexes of a service's collections.
type Schema map[string][]Index

const (
	firstTry   = 2 * time.Second // how long a call waits for it
	firstRetry = 100 * time.Millisecond
	lastRetry  = 5 * time.Second
)

// Indexes makes a service's indexes in the background, so that the service starts while MongoDB is away. It is not
// ready until all of them exist. A service that is not ready must not take writes: its unique indexes decide races.
type Indexes struct {
	done  chan struct{} // closed when all exist or the work was given up
	tried chan struct{} // closed after the first try

	mu  sync.Mutex
	err error // guarded by mu: why they do not all exist; nil when they do
}

// MakeIndexes begins to make the indexes of schema in db, and tries again, after 0.1 s at first and 5 s at most, until
// all exist or ctx ends. A failure that a repetition cannot cure, such as existing documents that break a unique index,
// is tried again too, because only its cure lies outside: log gets a warning each time the kind of failure changes.
func MakeIndexes(ctx context.Context, db *mongo.Database, schema Schema, log *slog.Logger) *Indexes {
	x := &Indexes{
		done:  make(chan struct{}),
		tried: make(chan struct{}),
		err:   fmt.Errorf("indexes are not made yet: %w", errs.ErrUnavailable),
	}
	go x.work(ctx, db, schema, log)

	return x
}

func (x *Indexes) work(ctx context.Context, db *mongo.Database, schema Schema, log *slog.Logger) {
	defer close(x.done)
	reported := ""

	// Admit waits for the first try, which may also end with ctx before it has a result.
	first := sync.OnceFunc(func() { close(x.tried) })
	defer first()

	for wait := firstRetry; ; wait = min(2*wait, lastRetry) {
		err := x.ensureAll(ctx, db, schema, log)
		// The service stops: its last error says nothing of the indexes.
		if ctx.Err() != nil && err != nil {
			return
		}
		x.set(err)
		first()
		if err == nil {
			return
		}
		// An outage of an hour would otherwise fill the log with one line every five seconds.
		if text := err.Error(); text != reported {
			log.WarnContext(ctx, "indexes cannot be made, trying again", "database", db.Name(), "err", err)
			reported = text
		}
		if !pause(ctx, wait) {
			return
		}
	}
}

// ensureAll makes the indexes of one collection after the other. Meanwhile Ready names the collection.
func (x *Indexes) ensureAll(ctx context.Context, db *mongo.Database, schema Schema, log *slog.Logger) error {
	for n, name := range slices.Sorted(maps.Keys(schema)) {
		at := fmt.Sprintf("collection %d of %d", n+1, len(schema))
		x.set(fmt.Errorf("the indexes of %s are being made, %s: %w", name, at, errs.ErrUnavailable))
		stop := reportEvery(time.Minute, func(since time.Duration) {
			log.InfoContext(ctx, "indexes are still being made",
				"database", db.Name(), "collection", name, "seconds", int(since.Seconds()))
		})
		err := EnsureIndexes(ctx, db.Collection(name), schema[name])
		stop()
		if err != nil {
			return err
		}
	}

	return nil
}

// reportEvery calls report after each interval, with the time since it began, until stop is called, which waits for
// the last.
func reportEvery(interval time.Duration, report func(since time.Duration)) (stop func()) {
	ticker, ended := time.NewTicker(interval), make(chan struct{})

	var reports sync.WaitGroup
	reports.Go(func() {
		for since := interval; ; since += interval {
			select {
			case <-ticker.C:
				report(since)
			case <-ended:
				return
			}
		}
	})

	return func() {
		ticker.Stop()
		close(ended)
		// The caller may close what report writes to as soon as this returns.
		reports.Wait()
	}
}

// set keeps the result of a try. Whatever the cause, a caller meanwhile learns that the service is unavailable.
func (x *Indexes) set(err error) {
	if err != nil && !errors.Is(err, errs.ErrUnavailable) {
		err = fmt.Errorf("%w: %w", errs.ErrUnavailable, err)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.err = err
}

// Ready returns nil once all indexes exist, before that an error that is errs.ErrUnavailable. It does not wait.
func (x *Indexes) Ready() error {
	x.mu.Lock()
	defer x.mu.Unlock()

	return x.err
}

// Admit is Ready for a call that came when the service had just begun to listen: while the first try is under way it
// waits for that, 2 s at most. A replica that is found by its name gets calls before anybody has asked whether it is
// ready.
func (x *Indexes) Admit(ctx context.Context) error {
	select {
	case <-x.tried:
		return x.Ready()
	// The first try is still under way: a new replica has calls before anybody looks whether it is ready.
	default:
	}

	timer := time.NewTimer(firstTry)
	defer timer.Stop()
	select {
	case <-x.tried:
	case <-timer.C:
	case <-ctx.Done():
	}

	return x.Ready()
}

// Wait returns when all indexes exist, or with an error when the work was given up or ctx ended before.
func (x *Indexes) Wait(ctx context.Context) error {
	select {
	case <-x.done:
		return x.Ready()
	case <-ctx.Done():
		return errors.Join(ctx.Err(), x.Ready())
	}
}

// pause waits for d and reports whether ctx is still alive.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
