// Package chain keeps a service's record of who did what to which thing: append-only, one chain of hashes per tenant in
// the service's own database, and free of content, so that it can be kept, shown and checked without care for what it
// is about.
package chain

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/audit/record"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/instant"
	"github.com/subrosa-legal/subrosa/pkg/mongox"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

const (
	// tries bounds how often Append gives way to other processes. Each time somebody else's event went in.
	tries = 64
	// hintEvery is the distance between updates of a tenant's hint, in events.
	hintEvery = 64
	// maxHeads bounds the tenants whose heads are remembered.
	maxHeads = 10_000
)

// Limits of List, in events.
const (
	DefaultLimit = 100
	MaxLimit     = 1000
	MaxResources = 200 // ids of one filter
)

// Chain appends to and reads the chains of all tenants of one service. It is safe for concurrent use, and any number of
// Chains, in one process or several, may share a collection.
type Chain struct {
	coll *mongo.Collection
	now  func() time.Time

	mu    sync.Mutex
	heads map[string]*head
}

// head is the last event of a tenant that this process knows of. It can lag behind what others appended.
type head struct {
	turn  chan struct{} // holds one token: whoever took it may use the rest
	users int           // guarded by Chain.mu

	known bool
	seq   int64
	hash  string
}

// New returns the chains in coll, which holds nothing else. now is the clock of new events.
func New(coll *mongo.Collection, now func() time.Time) *Chain {
	return &Chain{coll: coll, now: now, heads: map[string]*head{}}
}

// Append adds e to the tenant's chain and returns it as stored. It must be called before the answer that the event is
// about goes out. When it fails with errs.ErrUnavailable the answer must be that too; the event may or may not be in
// the chain. ErrEvent and ErrTenant mean a mistake of the service, and nothing was stored.
func (c *Chain) Append(ctx context.Context, tenant string, e record.Event) (record.Event, error) {
	all, err := c.AppendAll(ctx, tenant, []record.Event{e})
	if err != nil {
		return record.Event{}, err
	}

	return all[0], nil
}

// AppendAll is Append for several events, which it adds in their order and in as few steps as their number allows. When
// it fails, the first of them may be in the chain without the others. No events are no error.
func (c *Chain) AppendAll(ctx context.Context, tenant string, events []record.Event) ([]record.Event, error) {
	if err := record.CheckTenant(tenant); err != nil {
		return nil, err
	}

	for _, e := range events {
		if err := e.Check(); err != nil {
			return nil, err
		}
	}
	if len(events) == 0 {
		return nil, nil
	}
	h, err := c.take(ctx, tenant)
	if err != nil {
		return nil, err
	}
	// One writer per tenant and process at a time: the others would only lose the race for the next number.
	defer c.giveBack(tenant, h)

	stored := slices.Clone(events)
	from := int64(0)
	left := stored

	for lost := range tries {
		if err := c.advance(ctx, tenant, h); err != nil {
			return nil, fmt.Errorf("find the end of the audit chain: %w", err)
		}
		// The hint is due when the chain passes a multiple of hintEvery, counted from where this call began.
		if lost == 0 {
			from = h.seq
		}
		n, err := c.insert(ctx, tenant, h, left)
		left = left[n:]

		switch {
		case err == nil:
			c.keepHint(ctx, tenant, from, h.seq)
			return stored, nil
		// The events may be in the chain, so they must not be appended a second time.
		case !mongox.IsDuplicate(err):
			return nil, fmt.Errorf("append audit event: %w", unavailable(err))
		}
	}

	return nil, fmt.Errorf("append audit event: %w: other writers kept winning", errs.ErrUnavailable)
}

// AppendWith is Append that does writes of the same database in the same trip: before ahead of the event, and after
// behind it, in their order up to the first that the server refuses. results has one for each of before, one for the
// event, and one for each of after, as mongox.Together gives them. With an error there are no results; it is
// mongox.ErrAlone when the server cannot do that, and nothing was written then.
func (c *Chain) AppendWith(
	ctx context.Context, tenant string, e record.Event, before, after []mongox.Write,
) (results []error, err error) {
	if err := errors.Join(record.CheckTenant(tenant), e.Check()); err != nil {
		return nil, err
	}
	h, err := c.take(ctx, tenant)
	if err != nil {
		return nil, err
	}
	defer c.giveBack(tenant, h)

	place := len(before)
	ahead := before

	for range tries {
		if err := c.advance(ctx, tenant, h); err != nil {
			return nil, fmt.Errorf("find the end of the audit chain: %w", err)
		}
		from, next := h.seq, e
		// Milliseconds, since the hash covers the time as the store gives it back.
		next.Seq, next.PrevHash, next.At = h.seq+1, h.hash, instant.Of(c.now())
		next.Hash = next.Sum()
		event := mongox.Inserting(c.coll, toDocument(tenant, next))
		writes := slices.Concat(ahead, []mongox.Write{event}, after)

		got, err := mongox.Together(ctx, append(writes, c.hints(tenant, from, next.Seq)...)...)
		if err != nil {
			// After any other failure the event may be in the chain.
			if h.known = errors.Is(err, mongox.ErrAlone); !h.known {
				err = unavailable(err)
			}

			return nil, fmt.Errorf("append audit event: %w", err)
		}
		results = append(results[:place-len(ahead)], got[:len(writes)]...)
		// The hint goes last, so its failure takes nothing else along.
		hinted := len(got) == len(writes) || got[len(writes)] == nil

		switch stored := results[place]; {
		case stored == nil:
			if h.seq, h.hash = next.Seq, next.Hash; !hinted {
				c.keepHint(ctx, tenant, from, h.seq)
			}

			return results, nil
		case errors.Is(stored, mongox.ErrNotReached):
			return results, nil
		case !errors.Is(stored, errs.ErrTaken):
			h.known = false
			results[place] = unavailable(stored)

			return results, nil
		}
		// Somebody else's event has the number. What was to come before ours is done, so the next round leaves it out.
		h.known, ahead = false, nil
	}

	return nil, fmt.Errorf("append audit event: %w: other writers kept winning", errs.ErrUnavailable)
}

// insert gives events the numbers that follow h and stores them up to the first that fails. It returns how many are
// stored for certain, and moves h behind these. The server stores them in order, so the chain gets no gap.
func (c *Chain) insert(ctx context.Context, tenant string, h *head, events []record.Event) (n int, err error) {
	at := instant.Of(c.now())
	documents := make([]document, len(events))
	seq, hash := h.seq, h.hash
	// A record of what is tried is no change to the caller.
	ctx = errs.Aside(ctx)

	for i := range events {
		seq++
		e := &events[i]
		e.Seq, e.PrevHash, e.At = seq, hash, at
		e.Hash = e.Sum()
		hash = e.Hash
		documents[i] = toDocument(tenant, *e)
	}
	if len(events) == 1 {
		_, err = c.coll.InsertOne(ctx, documents[0])
	} else {
		_, err = c.coll.InsertMany(ctx, documents)
	}
	if err == nil {
		n = len(events)
	} else {
		n = beforeDuplicate(err)
		// Somebody else's event has the number, or ours is in the chain although its answer was lost.
		h.known = false
	}
	if n > 0 {
		h.seq, h.hash = events[n-1].Seq, events[n-1].Hash
	}

	return n, err
}

// beforeDuplicate returns how many documents an insert stored before it met one whose _id is taken; 0 for other
// failures.
func beforeDuplicate(err error) int {
	var bulk mongo.BulkWriteException
	if !mongox.IsDuplicate(err) || !errors.As(err, &bulk) || len(bulk.WriteErrors) == 0 {
		return 0
	}

	return bulk.WriteErrors[0].Index
}

// unavailable makes every failure of the store one that the caller answers by 503: an action that cannot be recorded
// must not be done.
func unavailable(err error) error {
	err = mongox.Unavailable(err)
	if errors.Is(err, errs.ErrUnavailable) {
		return err
	}

	return fmt.Errorf("%w: %w", errs.ErrUnavailable, err)
}

// take waits for the tenant's turn, so that the goroutines of one process do not compete for a number.
func (c *Chain) take(ctx context.Context, tenant string) (*head, error) {
	c.mu.Lock()
	h := c.heads[tenant]
	if h == nil {
		// A channel and no mutex, since a caller must be able to give up waiting.
		h = &head{turn: make(chan struct{}, 1)}
		h.turn <- struct{}{}
		c.heads[tenant] = h
	}
	h.users++
	c.mu.Unlock()
	select {
	case <-h.turn:
		return h, nil
	case <-ctx.Done():
		c.leave(tenant, h)
		return nil, fmt.Errorf("wait for the audit chain: %w", unavailable(ctx.Err()))
	}
}

func (c *Chain) giveBack(tenant string, h *head) {
	h.turn <- struct{}{}
	c.leave(tenant, h)
}

// leave forgets the head when nobody uses it and too many are remembered.
func (c *Chain) leave(tenant string, h *head) {
	c.mu.Lock()
	defer c.mu.Unlock()
	h.users--
	if h.users == 0 && len(c.heads) > maxHeads {
		delete(c.heads, tenant)
	}
}

// advance brings h to the end of the chain unless it is believed to be there.
func (c *Chain) advance(ctx context.Context, tenant string, h *head) error {
	if h.known {
		return nil
	}
	// A process that knows an event of the chain starts from it and needs no hint.
	if h.seq == 0 {
		from, err := c.hint(ctx, tenant)
		if err != nil {
			return err
		}
		h.seq = from
	}
	last, err := c.lastFrom(ctx, tenant, h.seq)
	if err != nil {
		return err
	}
	if last == nil {
		h.seq, h.hash = 0, record.Genesis(tenant)
	} else {
		h.seq, h.hash = last.Seq, last.Hash
	}
	h.known = true

	return nil
}

// lastFrom finds the last event, at or after number from where there is one: by steps that double, then by halving the
// last step. The chain has no gaps, so an event that exists proves all before it. It returns nil for an empty chain.
func (c *Chain) lastFrom(ctx context.Context, tenant string, from int64) (*document, error) {
	var low *document
	if from > 0 {
		var err error
		if low, err = c.at(ctx, tenant, from); err != nil {
			return nil, err
		}
		// The hint speaks of events that are gone, as after a restored backup.
		if low == nil {
			from = 0
		}
	}

	lowSeq, missing := from, int64(0)
	for step := int64(1); missing == 0; step *= 2 {
		d, err := c.at(ctx, tenant, lowSeq+step)
		switch {
		case err != nil:
			return nil, err
		case d == nil:
			missing = lowSeq + step
		default:
			low, lowSeq = d, d.Seq
		}
	}

	for missing-lowSeq > 1 {
		middle := lowSeq + (missing-lowSeq)/2

		d, err := c.at(ctx, tenant, middle)
		switch {
		case err != nil:
			return nil, err
		case d == nil:
			missing = middle
		default:
			low, lowSeq = d, d.Seq
		}
	}

	return low, nil
}

// at reads one event; nil when there is none of that number.
func (c *Chain) at(ctx context.Context, tenant string, seq int64) (*document, error) {
	var d document

	one := bson.D{{Key: "_id", Value: eventKey(tenant, seq)}, {Key: "tenant", Value: tenant}}

	err := c.coll.FindOne(ctx, one).Decode(&d)
	switch {
	case errors.Is(err, mongo.ErrNoDocuments):
		return nil, nil
	case err != nil:
		return nil, unavailable(err)
	// The _id holds the number as well. That the two differ is the work of whoever changed the document.
	case d.Seq != seq:
		broken := &record.BrokenError{Seq: seq, Reason: "its number was changed"}
		return nil, fmt.Errorf("%w: %w", errs.ErrUnavailable, broken)
	}

	return &d, nil
}

func (c *Chain) hint(ctx context.Context, tenant string) (int64, error) {
	var d hint

	err := c.coll.FindOne(ctx, bson.D{{Key: "_id", Value: hintKey(tenant)}, {Key: "tenant", Value: tenant}}).Decode(&d)
	switch {
	case errors.Is(err, mongo.ErrNoDocuments):
		return 0, nil
	case err != nil:
		return 0, unavailable(err)
	}

	return max(d.Hint, 0), nil
}

// keepHint notes every now and then how far the chain has come. A failure costs a later start some reads, so it is not
// told.
func (c *Chain) keepHint(ctx context.Context, tenant string, from, seq int64) {
	ctx = errs.Aside(ctx)
	if from/hintEvery == seq/hintEvery {
		return
	}
	d := hint{ID: hintKey(tenant), Tenant: tenant, Hint: seq}
	r, err := c.coll.ReplaceOne(ctx, bson.D{{Key: "_id", Value: d.ID}, {Key: "tenant", Value: tenant}}, d)
	if err == nil && r.MatchedCount == 0 {
		// A duplicate means that another process has noted it meanwhile.
		_, _ = c.coll.InsertOne(ctx, d)
	}
}

// hints is the write by which keepHint notes how far the chain has come, when it is time for that.
func (c *Chain) hints(tenant string, from, seq int64) []mongox.Write {
	if from/hintEvery == seq/hintEvery {
		return nil
	}
	d := hint{ID: hintKey(tenant), Tenant: tenant, Hint: seq}
	known := bson.D{{Key: "_id", Value: d.ID}, {Key: "tenant", Value: tenant}}

	return []mongox.Write{mongox.Replacing(c.coll, known, d)}
}

// Filter chooses events of one tenant. Zero fields choose all.
type Filter struct {
	ResourceID string
	// ResourceIDs chooses the events of any of these, at most MaxResources; nil means that this does not matter.
	ResourceIDs []string
	Action      string
	From        time.Time // inclusive
	To          time.Time // exclusive
	AfterSeq    int64     // events with a higher number; the last Seq of a page gives the next
	Limit       int       // 1 to MaxLimit; 0 means DefaultLimit
}

// ErrFilter is returned for a Filter outside its limits.
var ErrFilter = errors.New("audit filter is out of its limits")

// List returns the chosen events in the order of their numbers; none is an empty slice. Errors of the store are
// errs.ErrUnavailable, an event that cannot be read is a *record.BrokenError. ErrFilter and ErrTenant mean a mistake of
// the service, which checks what its callers ask for first.
func (c *Chain) List(ctx context.Context, tenant string, f Filter) ([]record.Event, error) {
	if err := record.CheckTenant(tenant); err != nil {
		return nil, err
	}
	if f.Limit < 0 || f.Limit > MaxLimit || f.AfterSeq < 0 || len(f.ResourceIDs) > MaxResources {
		return nil, ErrFilter
	}
	limit := f.Limit
	if limit == 0 {
		limit = DefaultLimit
	}

	return c.read(ctx, f.query(tenant), 1, limit)
}

// Recent returns up to limit of a tenant's events, the newest first; none is an empty slice. limit is 1 to MaxLimit,
// else the error is ErrFilter. The other errors are those of List.
func (c *Chain) Recent(ctx context.Context, tenant string, limit int) ([]record.Event, error) {
	if err := record.CheckTenant(tenant); err != nil {
		return nil, err
	}
	if limit < 1 || limit > MaxLimit {
		return nil, ErrFilter
	}

	return c.read(ctx, Filter{}.query(tenant), -1, limit)
}

// read returns up to limit of the events that query chooses, by rising or falling numbers.
func (c *Chain) read(ctx context.Context, query bson.D, way, limit int) ([]record.Event, error) {
	opts := options.Find().SetSort(bson.D{{Key: "seq", Value: way}}).SetLimit(int64(limit))
	cursor, err := c.coll.Find(ctx, query, opts)
	if err != nil {
		return nil, fmt.Errorf("list audit events: %w", unavailable(err))
	}

	defer func() { _ = cursor.Close(ctx) }()
	// Never nil: a list without entries is [] to whoever reads the interface.
	events := []record.Event{}

	for cursor.Next(ctx) {
		var d document
		if err := cursor.Decode(&d); err != nil {
			return nil, fmt.Errorf("list audit events: %w", unreadable(cursor.Current))
		}
		events = append(events, d.event())
	}
	if err := cursor.Err(); err != nil {
		return nil, fmt.Errorf("list audit events: %w", unavailable(err))
	}

	return events, nil
}

// unreadable names an event whose fields are not even of their types.
func unreadable(doc bson.Raw) error {
	seq, _ := doc.Lookup("seq").AsInt64OK()
	return &record.BrokenError{Seq: seq, Reason: "it cannot be read"}
}

func (f Filter) query(tenant string) bson.D {
	// The condition on seq leaves out the hint, which has none.
	q := bson.D{{Key: "tenant", Value: tenant}, {Key: "seq", Value: bson.D{{Key: "$gt", Value: f.AfterSeq}}}}
	if f.ResourceID != "" {
		q = append(q, bson.E{Key: "resource.id", Value: f.ResourceID})
	}
	if f.ResourceIDs != nil {
		q = append(q, bson.E{Key: "resource.id", Value: bson.D{{Key: "$in", Value: f.ResourceIDs}}})
	}
	if f.Action != "" {
		q = append(q, bson.E{Key: "action", Value: f.Action})
	}
	at := bson.D{}
	if !f.From.IsZero() {
		at = append(at, bson.E{Key: "$gte", Value: f.From})
	}
	if !f.To.IsZero() {
		at = append(at, bson.E{Key: "$lt", Value: f.To})
	}
	if len(at) > 0 {
		q = append(q, bson.E{Key: "at", Value: at})
	}

	return q
}
