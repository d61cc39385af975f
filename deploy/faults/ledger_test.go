package faults

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/subrosa-legal/subrosa/deploy/internal/client"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/errs"
)

// entry is one creation of a case: what was sent under one Idempotency-Key, and what was answered to it.
type entry struct {
	key    string
	person int
	ids    []string // of every good answer, in the order they came
}

// load asks for things at a steady rate, keeps a ledger of what was acknowledged, and follows runs.
type load struct {
	s      *site
	r      *result
	agents []agent
	kept   string // a case that was there before
	forged string // a bearer that must never open anything

	stop    context.CancelFunc
	all     sync.WaitGroup
	slow    atomic.Int64 // nanoseconds of the slowest answer
	mu      sync.Mutex
	entries []*entry
	open    []*entry // not acknowledged yet
	flows   []*flow
	times   map[string][]time.Duration // of good answers, by route
}

// loaded begins a load on a site: agents of two people, requests of theirs at the rate, and streams.
func loaded(s *site, r *result, rate, streams int) *load {
	s.t.Helper()

	l := &load{s: s, r: r, times: map[string][]time.Duration{}}
	for n := range 2 {
		l.agents = append(l.agents, s.connect(n))
	}
	b := []byte(l.agents[0].bearer)
	b[len(b)-20] ^= 1 // within the signature
	l.forged = string(b)
	kept, err := s.as(s.token(0)).CreateCase(s.t.Context(), client.NewCase{Jurisdiction: "US"})
	if err != nil {
		s.t.Fatal(err)
	}
	l.kept = kept.CaseID

	l.entries = append(l.entries, &entry{person: 0, ids: []string{kept.CaseID}})
	for i := range streams {
		l.flows = append(l.flows, l.flow(i))
	}
	ctx, cancel := context.WithCancel(context.Background())
	l.stop = cancel
	s.t.Cleanup(func() { cancel(); l.all.Wait() })
	r.load = fmt.Sprintf("%d/s, %d streams", rate, streams)

	for _, f := range l.flows {
		l.all.Go(func() { f.follow(ctx) })
	}
	l.all.Go(func() { l.drive(ctx, rate) })

	return l
}

// drive sends requests at the rate, whatever becomes of those before; beyond 256 at once it skips.
func (l *load) drive(ctx context.Context, rate int) {
	tick := time.NewTicker(time.Second / time.Duration(rate))
	defer tick.Stop()
	places := make(chan struct{}, 256)

	var under sync.WaitGroup
	defer under.Wait()

	for n := 0; ; n++ {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		select {
		case places <- struct{}{}:
		default:
			l.r.count("2xx not sent: 256 under way")
			continue
		}
		under.Go(func() { defer func() { <-places }(); l.request(n) })
	}
}

// request sends the nth request of the load.
func (l *load) request(n int) {
	who := l.agents[n%len(l.agents)]
	switch n % 10 {
	case 0, 5:
		e := &entry{key: uuid.NewString(), person: who.person}
		l.mu.Lock()
		l.entries, l.open = append(l.entries, e), append(l.open, e)
		l.mu.Unlock()
		l.create(e)
	case 1:
		if a := l.get("forged", "/v1/cases/"+l.kept, l.forged); a.good() {
			l.wrong("a forged bearer opened a case")
		} else if a.status != http.StatusUnauthorized {
			l.see(a)
		}
	case 2, 6:
		l.read("/v1/me", l.get("me", "/v1/me", who.bearer))
	case 3:
		l.retry()
	case 4, 8:
		if id := l.any(n); id != "" {
			l.read(id, l.get("case", "/v1/cases/"+id, who.bearer))
			return
		}

		fallthrough
	default:
		l.read(l.kept, l.get("case", "/v1/cases/"+l.kept, who.bearer))
	}
}

func (l *load) get(route, path, bearer string) answer {
	a := l.s.send(http.MethodGet, path, bearer, "")
	if a.good() {
		l.mu.Lock()
		l.times[route] = append(l.times[route], a.took)
		l.mu.Unlock()
	}

	return a
}

// see counts an answer.
func (l *load) see(a answer) {
	l.r.count(a.class())

	for {
		slow := l.slow.Load()
		if int64(a.took) <= slow || l.slow.CompareAndSwap(slow, int64(a.took)) {
			return
		}
	}
}

func (l *load) wrong(what string) {
	l.r.mu.Lock()
	l.r.wrong++
	l.r.mu.Unlock()
	l.r.fail("%s", what)
}

// read judges the answer to a GET of what was acknowledged.
func (l *load) read(what string, a answer) {
	l.see(a)
	if a.status == http.StatusNotFound {
		l.wrong("what was acknowledged is not found: " + what)
	}
}

// create sends a creation, for the first time or again, and writes the ledger.
func (l *load) create(e *entry) answer {
	a := l.s.send(http.MethodPost, "/v1/cases", l.agents[e.person].bearer, `{"jurisdiction":"US"}`, "Idempotency-Key", e.key)
	l.see(a)
	if !a.good() {
		return a
	}
	var k api.Case
	if err := json.Unmarshal(a.body, &k); err != nil || k.CaseID == "" {
		l.wrong("a good answer to a creation names no case")
		return a
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	e.ids = append(e.ids, k.CaseID)
	l.open = slices.DeleteFunc(l.open, func(o *entry) bool { return o == e })

	return a
}

// retry repeats a creation: one that was not acknowledged if there is one, else the last that was.
func (l *load) retry() {
	l.mu.Lock()
	e := l.entries[len(l.entries)-1]
	if len(l.open) > 0 {
		e = l.open[0]
	}
	l.mu.Unlock()
	if e.key != "" {
		l.create(e)
	}
}

// any returns the id of a case that was acknowledged.
func (l *load) any(n int) string {
	l.mu.Lock()
	defer l.mu.Unlock()

	for i := range min(len(l.entries), 20) {
		if e := l.entries[(n*7919+i)%len(l.entries)]; len(e.ids) > 0 {
			return e.ids[0]
		}
	}

	return ""
}

// settle ends the load, repeats what was not acknowledged until it is, and holds the ledger against what is there.
func (l *load) settle() {
	l.s.t.Helper()
	l.stop()
	l.all.Wait()

	for end := time.Now().Add(patience); ; wait(l.s.t, 200*time.Millisecond) {
		l.mu.Lock()
		open := slices.Clone(l.open)
		l.mu.Unlock()
		if len(open) == 0 {
			break
		}
		if time.Now().After(end) {
			l.r.fail("%d creations are not acknowledged after %v", len(open), patience)
			break
		}

		for _, e := range open {
			l.create(e)
		}
	}
	want := map[string]bool{}

	for _, e := range l.entries {
		for i, id := range e.ids {
			if want[id] = true; i > 0 && id != e.ids[0] {
				l.r.doubled++
				l.r.fail("one Idempotency-Key made two cases")
			}
		}
	}

	for id := range want {
		var a answer
		for range 5 {
			if a = l.s.send(http.MethodGet, "/v1/cases/"+id, l.s.token(0), ""); a.good() {
				break
			}
			wait(l.s.t, 100*time.Millisecond)
		}
		if !a.good() {
			l.r.lost++
			l.r.fail("a case that was acknowledged: %s", a.class())
		}
	}

	for _, id := range l.listed() {
		if !want[id] && len(l.open) == 0 {
			l.r.doubled++
			l.r.fail("a case is there that nobody was told of")
		}
	}
	l.r.note("%d writes acknowledged", len(want))
	l.streams()
}

// listed returns the ids of all cases that the site has.
func (l *load) listed() []string {
	l.s.t.Helper()
	var ids []string

	for cursor := ""; ; {
		page, err := l.s.as(l.s.token(0)).Cases(l.s.t.Context(), cursor, 100)
		if err != nil {
			l.s.t.Fatalf("list cases: %v", err)
		}

		for _, k := range page.Items {
			ids = append(ids, k.CaseID)
		}
		if page.NextCursor == nil {
			return ids
		}
		cursor = *page.NextCursor
	}
}

// p99 returns the 99th percentile of the good answers of a route since the last call.
func (l *load) p99(route string) time.Duration { return percentile(l.taken(route), 99) }

// median is p99 for the middle, which a few seconds on a busy machine tell better.
func (l *load) median(route string) time.Duration { return percentile(l.taken(route), 50) }

func (l *load) taken(route string) []time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	times := l.times[route]
	l.times[route] = nil

	return times
}

func percentile(times []time.Duration, p float64) time.Duration {
	if len(times) == 0 {
		return 0
	}
	slices.Sort(times)

	return times[min(len(times)-1, int(float64(len(times))*p/100))]
}

// flow is a client that has its tasks done one after the other and follows the stream of each to its end.
type flow struct {
	l      *load
	caseID string
	bearer string

	mu    sync.Mutex
	runs  []*run
	times []time.Time // at which something came
}

// run is one task and the events that its client got.
type run struct {
	job   api.AgentTask
	ids   []string
	sums  []string
	gaps  map[int]int // from the first to the last of the numbers that do not come, as announced
	err   error       // of the last try that was not cut short by the end of patience
	tries []string    // what each that did not come to the last event was answered
	ended bool
}

func (l *load) flow(i int) *flow {
	l.s.t.Helper()
	a := l.agents[i%len(l.agents)]
	k, err := l.s.as(a.bearer).CreateCase(l.s.t.Context(), client.NewCase{Jurisdiction: "US"})
	if err != nil {
		l.s.t.Fatal(err)
	}
	l.entries = append(l.entries, &entry{person: a.person, ids: []string{k.CaseID}})

	return &flow{l: l, caseID: k.CaseID, bearer: a.bearer}
}

// follow has tasks done until the load ends; the last one is followed to its end.
func (f *flow) follow(ctx context.Context) {
	c := f.l.s.as(f.bearer)
	for ctx.Err() == nil {
		f.once(c)
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
}

// once has one task done.
func (f *flow) once(c *client.Client) *run {
	r := &run{gaps: map[int]int{}, job: api.AgentTask{
		SessionID: "session-" + uuid.NewString(), SeedPhase: api.SeedPhase{PhaseID: uuid.NewString()}, ContainerID: f.caseID, ContainerType: api.ContainerCase,
		RequestType: api.CaseReq, Prompt: "What is agreed about termination and notice?",
	}}
	f.mu.Lock()
	f.runs = append(f.runs, r)
	f.mu.Unlock()

	ctx, cancel := context.WithTimeout(context.Background(), 2*patience)
	defer cancel()
	each := func(e client.Event) error {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.times = append(f.times, time.Now())
		var jump api.GapEvent
		if e.ID != "" {
			r.ids, r.sums = append(r.ids, e.ID), append(r.sums, string(e.Data))
		} else if err := json.Unmarshal(e.Data, &jump); err == nil && jump.Gap.From > 0 {
			r.gaps[jump.Gap.From] = jump.Gap.To
		}
		r.ended = r.ended || e.Kind == api.EventPhaseEnd

		return nil
	}

	for { // as the command line does it, but without giving up or waiting longer and longer
		last := ""
		if n := len(r.ids); n > 0 {
			last = r.ids[n-1]
		}
		began := time.Now()
		err := c.Attach(ctx, r.job, last, each)
		if err == nil || ctx.Err() == nil { // what ends the last try says nothing of those before
			r.err = err
		}
		if err != nil && ctx.Err() == nil {
			f.l.r.count("streams: " + classOf(err))
			r.tries = append(r.tries, fmt.Sprintf("%s after %.1f s", classOf(err), time.Since(began).Seconds()))
		}
		if left, _ := ctx.Deadline(); time.Until(left) < time.Second {
			return r
		}
		if err == nil || ctx.Err() != nil || !errors.Is(err, client.ErrBroken) && errs.From(err).Kind != errs.Unavailable {
			return r
		}
		wait(f.l.s.t, 500*time.Millisecond)
	}
}

// classOf names what ended a try without the last event.
func classOf(err error) string {
	if errors.Is(err, client.ErrBroken) {
		return "broken off"
	}

	return errs.From(err).Code
}

// since returns when something first came after a moment.
func (f *flow) since(t time.Time) (time.Duration, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	i, _ := slices.BinarySearchFunc(f.times, t, func(a, b time.Time) int { return a.Compare(b) })
	if i == len(f.times) {
		return 0, false
	}

	return f.times[i].Sub(t), true
}

// flowing returns the 99th percentile of the times after which streams gave something again since t, once all did.
func (l *load) flowing(t time.Time) time.Duration {
	var all []time.Duration

	for _, f := range l.flows {
		for end := t.Add(patience); ; wait(l.s.t, 50*time.Millisecond) {
			took, ok := f.since(t)
			if !ok && time.Now().After(end) {
				took, ok = time.Since(t), true
				l.r.fail("a stream gave nothing for %v", patience)
			}
			if ok {
				all = append(all, took)
				break
			}
		}
	}

	return percentile(all, 99)
}

// streams checks that no run lost or doubled an event: its numbers are dense, and the whole stream, read again, is the same.
func (l *load) streams() {
	l.s.t.Helper()
	n := 0

	for _, f := range l.flows {
		for _, r := range f.runs {
			n++
			l.whole(f, r)
		}
	}
	if n > 0 {
		l.r.note("%d runs followed", n)
	}
}

func (l *load) whole(f *flow, r *run) {
	n := 0
	for _, id := range r.ids {
		if to, announced := r.gaps[n+1]; announced {
			n = to
		}
		if n++; id != r.job.SeedPhase.PhaseID+":"+strconv.Itoa(n) {
			l.r.fail("events of a run are not in order: number %d is %s", n, id)
			l.r.doubled++

			return
		}
	}
	if !r.ended {
		l.r.fail("a run did not come to its phase_end within %v: %d events in %d tries, at last %s (phase %s)", 2*patience, len(r.ids), len(r.tries), strings.Join(r.tries[max(0, len(r.tries)-5):], ", "), r.job.SeedPhase.PhaseID)
		return
	}
	var again []string
	err := errors.New("not read")

	for range 3 {
		again = nil
		if err = l.s.as(f.bearer).Attach(l.s.t.Context(), r.job, "", func(e client.Event) error {
			if e.ID != "" {
				again = append(again, string(e.Data))
			}

			return nil
		}); err == nil {
			break
		}
	}
	if err != nil || !slices.Equal(again, r.sums) {
		l.r.lost++
		l.r.fail("a run reads otherwise afterwards: %d events then, %d now, %v", len(r.sums), len(again), err)
	}
}

// probe calls something 20 times a second from a moment on until it has succeeded for a second, and returns when that second began.
func (l *load) probe(from time.Time, call func() answer) time.Duration {
	back := time.Duration(0)

	for good := 0; good < 20; wait(l.s.t, 50*time.Millisecond) {
		if a := call(); a.good() {
			if good++; good == 1 {
				back = time.Since(from)
			}
		} else {
			l.see(a)
			good = 0
		}
		if took := time.Since(from); took > patience {
			l.r.fail("calls did not succeed for a second within %v", patience)
			return took
		}
	}

	return back
}

// first calls something 20 times a second and returns after how long since a moment it first succeeded.
func (l *load) first(from time.Time, call func() answer) time.Duration {
	for {
		if a := call(); a.good() || time.Since(from) > patience {
			return time.Since(from)
		}
		wait(l.s.t, 50*time.Millisecond)
	}
}
