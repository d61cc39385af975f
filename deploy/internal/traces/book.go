// Package traces keeps the latest spans of a Subrosa on this machine in memory and shows each trace as a waterfall, for
// development without a container: OTLP over HTTP comes in, pages without a script go out.
package traces

import (
	"cmp"
	"encoding/hex"
	"slices"
	"sync"
	"time"
)

// Limits of a Book.
const (
	maxSpans = 20_000 // of all traces; beyond it the trace that began to come in first is forgotten
	maxTrace = 5_000  // of one trace; more are counted and not kept
)

// Span is one span as it is shown.
type Span struct {
	ID, Parent string // hex; Parent "" begins the trace
	Service    string
	Name       string
	Kind       string
	Start, End time.Time
	Failed     bool
	Attributes []Attribute // by name
}

// Attribute is what a span says of itself.
type Attribute struct{ Name, Value string }

// Trace is all that is known of one trace.
type Trace struct {
	ID      string
	Spans   []Span // by their start
	Dropped int    // spans beyond the limit
}

// Book holds traces. It may be used by many at once.
type Book struct {
	mu     sync.Mutex
	traces map[string]*Trace
	order  []string // ids, the one that came first in front
	spans  int
}

// add takes spans in.
func (b *Book) add(id string, spans []Span) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.traces == nil {
		b.traces = map[string]*Trace{}
	}
	t := b.traces[id]
	if t == nil {
		t = &Trace{ID: id}
		b.traces[id], b.order = t, append(b.order, id)
	}
	room := max(0, maxTrace-len(t.Spans))
	kept := spans[:min(len(spans), room)]
	t.Spans, t.Dropped = append(t.Spans, kept...), t.Dropped+len(spans)-len(kept)

	b.spans += len(kept)
	// Whole traces go: half of one would mislead more than none.
	for b.spans > maxSpans {
		b.spans -= len(b.traces[b.order[0]].Spans)
		delete(b.traces, b.order[0])
		b.order = b.order[1:]
	}
}

// Trace returns a trace by its id, 32 digits of hex.
func (b *Book) Trace(id string) (Trace, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	t := b.traces[id]
	if t == nil {
		return Trace{}, false
	}

	return t.copy(), true
}

// Filter says which traces fit: all that is set must hold.
type Filter struct {
	Name    string // of the first span
	Service string // of any span
	Calls   bool   // somebody called: the first span is a server's
}

func (f Filter) fits(t Trace) bool {
	root := t.Root()

	if f.Name != "" && root.Name != f.Name {
		return false
	}
	if f.Calls && root.Kind != "server" {
		return false
	}

	return f.Service == "" || slices.ContainsFunc(t.Spans, func(s Span) bool { return s.Service == f.Service })
}

// Latest returns up to n traces that fit, those that came last first.
func (b *Book) Latest(n int, which Filter) []Trace {
	b.mu.Lock()
	defer b.mu.Unlock()

	var found []Trace
	for _, id := range slices.Backward(b.order) {
		if len(found) == n {
			break
		}
		if t := b.traces[id].copy(); which.fits(t) {
			found = append(found, t)
		}
	}

	return found
}

func (t *Trace) copy() Trace {
	spans := slices.Clone(t.Spans)
	slices.SortStableFunc(spans, func(a, b Span) int { return cmp.Or(a.Start.Compare(b.Start), b.End.Compare(a.End)) })

	return Trace{t.ID, spans, t.Dropped}
}

// Root returns the span that begins the trace, or the earliest when that has not come.
func (t Trace) Root() Span {
	for _, s := range t.Spans {
		if s.Parent == "" {
			return s
		}
	}

	return t.Spans[0]
}

// Services returns the names of the services with spans in the trace, each once.
func (t Trace) Services() []string {
	var names []string
	for _, s := range t.Spans {
		if !slices.Contains(names, s.Service) {
			names = append(names, s.Service)
		}
	}
	slices.Sort(names)

	return names
}

// Row is a span at its place in the tree of calls.
type Row struct {
	Span
	Depth int
	Lost  bool // its parent has not come, although it names one
}

// Tree returns the spans as calls within calls, each list in the order of time.
func (t Trace) Tree() []Row {
	known := make(map[string]bool, len(t.Spans))
	for _, s := range t.Spans {
		known[s.ID] = true
	}
	below := map[string][]Span{}

	rows := make([]Row, 0, len(t.Spans))
	for _, s := range t.Spans {
		if known[s.Parent] && s.Parent != s.ID {
			below[s.Parent] = append(below[s.Parent], s)
		}
	}
	// Each span is shown once, also those that a sender made into a ring.
	placed := make(map[string]bool, len(t.Spans))
	var walk func(s Span, depth int, lost bool)

	walk = func(s Span, depth int, lost bool) {
		if placed[s.ID] {
			return
		}
		placed[s.ID] = true

		rows = append(rows, Row{s, depth, lost})
		for _, c := range below[s.ID] {
			walk(c, depth+1, false)
		}
	}
	for _, s := range t.Spans {
		if !known[s.Parent] {
			walk(s, 0, s.Parent != "")
		}
	}

	for _, s := range t.Spans {
		// What is left belongs to a ring, or to a parent that never came.
		walk(s, 0, true)
	}

	return rows
}

// Bounds returns when the trace begins and ends.
func (t Trace) Bounds() (from, to time.Time) {
	from = t.Spans[0].Start
	for _, s := range t.Spans {
		if s.End.After(to) {
			to = s.End
		}
	}

	return from, to
}

func hexOf(id []byte) string {
	if len(id) == 0 {
		return ""
	}

	return hex.EncodeToString(id)
}
