package runs_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/runs"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/stream"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/upstream"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/redisx"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
)

// faulty makes scripts fail now and then, before Redis has seen them or after it has done what they say.
type faulty struct{ in int64 } // one of so many, at first to reach Redis and then on the way back

func (faulty) DialHook(next redis.DialHook) redis.DialHook { return next }
func (faulty) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

func (f faulty) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		if cmd.Name() != "evalsha" {
			return next(ctx, cmd)
		}

		switch rand.Int64N(f.in) {
		case 0:
			cmd.SetErr(io.ErrUnexpectedEOF)
			return io.ErrUnexpectedEOF
		case 1:
			if err := next(ctx, cmd); err != nil {
				return err
			}
			cmd.SetErr(io.ErrUnexpectedEOF)

			return io.ErrUnexpectedEOF
		}

		return next(ctx, cmd)
	}
}

// ending is how a run of chance ends.
type ending int

const (
	answers ending = iota
	refuses
	evaluates
	identifies
	fails
	panics
	loses // a service that it needs
	waits // until it is told to end
	endings
)

// script is what a run of chance does. It travels in the prompt, so that one engine plays all.
type script struct {
	Seed   uint64
	Ending ending
	Text   string
}

const words = "the lease of [Party 1] says that rent is due on the first day of a month § 4 – “Base Rent” [Docket 1] résumé 5 € and\n\n"

func scriptOf(rng *rand.Rand) script {
	s := script{Seed: rng.Uint64(), Ending: ending(rng.IntN(int(endings)))}
	if rng.IntN(3) > 0 {
		s.Ending = answers // most runs do
	}
	pieces := strings.SplitAfter(words, " ")
	n := rng.IntN(60)
	if rng.IntN(50) == 0 {
		n = 4000
	}

	var b strings.Builder
	for range n {
		b.WriteString(pieces[rng.IntN(len(pieces))])
	}
	s.Text = b.String()

	return s
}

// moves are the steps that a run of chance reports, by the method of legal.Report.
var moves = map[string]func(p *playedRun){
	"Plan":       func(p *playedRun) { p.report.Plan("Plan: do this and that", "list_files", "search_passages") },
	"Working":    func(p *playedRun) { p.report.Working("Reading", p.rng.IntN(5), 5) },
	"Reasoning":  func(p *playedRun) { p.report.Reasoning("Comparing") },
	"Read":       func(p *playedRun) { p.report.Read(p.rng.IntN(3)) },
	"Tokens":     func(p *playedRun) { p.report.Tokens(p.rng.IntN(3), p.rng.IntN(3)) },
	"AnsweredBy": func(p *playedRun) { p.report.AnsweredBy(api.Engine{Mode: "deterministic", RulesVersion: "1"}) },
	"Tool": func(p *playedRun) {
		n := len(p.open)
		if n == 0 || p.rng.IntN(2) == 0 {
			p.open = append(p.open, p.report.Tool("search_passages", "Searching", fmt.Sprint(p.rng.Uint64())))
			return
		}
		at := p.rng.IntN(n)
		p.open[at]("ok", "Some passages")
		p.open[at]("failed", "ended twice")
		p.open = slices.Delete(p.open, at, at+1)
	},
}

// playedRun is what the steps of a run of chance need: where they are reported, and the tools that have not ended.
type playedRun struct {
	report legal.Report
	rng    *rand.Rand
	open   []func(outcome, summary string)
}

// TestRunsOfChanceTakeEveryStep wants a move for each method of legal.Report: the grammar of streams is tested for
// what the moves report, and for nothing else.
func TestRunsOfChanceTakeEveryStep(t *testing.T) {
	var methods []string
	for m := range reflect.TypeFor[legal.Report]().Methods() {
		methods = append(methods, m.Name)
	}
	if got := slices.Sorted(maps.Keys(moves)); !slices.Equal(got, methods) {
		t.Errorf("the moves are %v, and the steps of a report are %v", got, methods)
	}
}

// player is an engine that does what the script in the prompt says.
func player(ctx context.Context, task legal.Task, report legal.Report) (api.PhaseResponse, error) {
	var s script
	if err := json.Unmarshal([]byte(task.Prompt), &s); err != nil {
		return api.PhaseResponse{}, err
	}
	rng := rand.New(rand.NewPCG(s.Seed, 1))
	p := &playedRun{report: report, rng: rng}
	names := slices.Sorted(maps.Keys(moves))

	for range rng.IntN(8) {
		moves[names[rng.IntN(len(names))]](p)
	}

	r := api.PhaseResponse{Kind: api.KindAnswer, Text: s.Text}
	switch s.Ending {
	case refuses:
		r.Kind, r.Refusal = api.KindRefusal, &api.Refusal{Reason: "A person does that.", DeepLink: "https://app.test/i/contact"}
	case evaluates:
		r.Kind, r.Evaluation = api.KindEvaluation, &api.Evaluation{TierName: "routine", RubricVersion: "2026.1"}
	case identifies:
		r.Text += "\n\nWrite to quillon@zorbanek.example."
	case fails:
		return r, errors.New("planted")
	case panics:
		panic("planted")
	case loses:
		return r, fmt.Errorf("search: %w", errs.ErrUnavailable)
	case waits:
		<-ctx.Done()
		return r, ctx.Err()
	}

	for _, done := range p.open { // an engine that answers has ended its tools
		done("ok", "Done")
	}

	return r, nil
}

// playing is a world under faults, with a second replica that takes runs over.
type playing struct {
	first, second *world
	cancel        interface {
		Cancel(ctx context.Context, k stream.Key) error
	}
	store redis.UniversalClient // without faults
	taken atomic.Int64          // runs that went through a second attempt
}

// played is a run of chance.
type played struct {
	key   stream.Key
	job   runs.Job
	under sync.WaitGroup // who is at work on it
}

// start has a replica make an attempt.
func (r *played) start(t *testing.T, w *world, phase api.Phase) {
	r.under.Add(1)
	r.job.Phase = phase
	if err := w.Start(t.Context(), r.job, r.under.Done); err != nil {
		t.Errorf("start: %v", err)
	}
}

// play starts a run of chance and waits until nobody is at work on it any more.
func (p *playing) play(t *testing.T, rng *rand.Rand) *played {
	t.Helper()
	s := scriptOf(rng)
	prompt, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	ledger := p.first.ledger
	k, phase := ledger.begin("o:oak")
	limit := time.Minute
	if s.Ending == waits {
		limit = time.Duration(1+rng.IntN(3)) * time.Millisecond
	}
	r := &played{key: k, job: runs.Job{Key: k, Sources: upstream.Nothing{}, Limit: limit, Task: legal.Task{
		RequestType: phase.RequestType, Prompt: string(prompt), Links: linkTo, Container: api.Container{ContainerType: "case", ContainerID: phase.ContainerID},
	}}}
	if rng.IntN(50) == 0 {
		ledger.mu.Lock()
		ledger.away++
		ledger.mu.Unlock()
	}
	takeover, cancelled := rng.IntN(12) == 0, rng.IntN(40) == 0
	r.start(t, p.first, phase)
	if takeover {
		// Until a moment of chance, which keeps step with the run on a fast machine and on a slow one.
		for range rng.IntN(8) {
			if err := p.store.Ping(t.Context()).Err(); err != nil {
				t.Error(err)
			}
		}
		if now, err := ledger.InterruptPhase(t.Context(), k.PhaseID, 1); err == nil && now.Status == api.PhaseInterrupted {
			p.taken.Add(1)
			r.start(t, p.second, ledger.again(k.PhaseID))
		}
	}
	if cancelled {
		if err := p.cancel.Cancel(t.Context(), k); err != nil {
			t.Errorf("cancel: %v", err)
		}
	}
	r.under.Wait()

	return r
}

// TestEveryStreamFollowsTheGrammar plays 10,000 runs of chance on real Redis: their engines answer, refuse, fail,
// panic, wait or say what they must not; scripts fail on the way to Redis and back, the record is away, other replicas
// take runs over, callers cancel. Every stream must follow the grammar, its deltas must add up to the final text, and
// nothing planted may be in it. The race detector sees 1,000 of them, 40 at once: the rarest of these come 20 times.
func TestEveryStreamFollowsTheGrammar(t *testing.T) {
	const atOnce = 40
	all := 10_000
	if testkit.RaceDetector {
		all = 1000
	}
	url := stores.RedisURL(t)
	plain, rdb := open(t, url), open(t, url)
	rdb.AddHook(faulty{in: 60})
	ledger := newLedger()
	p := &playing{first: newWorld(t, rdb, ledger, engine(player), quick()), second: newWorld(t, rdb, ledger, engine(player), quick()), store: plain}
	p.cancel = p.first.Leases.(interface {
		Cancel(ctx context.Context, k stream.Key) error
	})
	list := make([]*played, all)
	var next atomic.Int64

	var players sync.WaitGroup
	for range atOnce {
		players.Go(func() {
			for i := next.Add(1) - 1; i < int64(all); i = next.Add(1) - 1 {
				list[i] = p.play(t, rand.New(rand.NewPCG(20261122, uint64(i))))
			}
		})
	}
	players.Wait()
	kinds, statuses := map[string]int{}, map[string]bool{}

	sound := stream.NewLog(plain, time.Hour)
	for _, r := range list {
		events := p.ended(t, sound, r)
		gaps := 0
		if events[0].Seq > 1 { // an attempt before it died with no event in the log, and may have had some
			gaps = 1
		}
		checkGrammarBut(t, events, gaps)

		kinds[events[len(events)-2].Kind]++
		for _, e := range events {
			if e.Kind == api.EventStatus {
				statuses[e.Status] = true
			}
			if strings.Contains(string(e.Data), "zorbanek") || strings.Contains(string(e.Data), "planted") {
				t.Fatalf("a %s event holds what was planted", e.Kind)
			}
		}
	}
	if kinds[api.EventError] < all/100 || kinds[api.EventDirectResponse] < all/2 || p.taken.Load() < int64(all)/200 {
		t.Errorf("ends %v and %d second attempts; want many of each", kinds, p.taken.Load())
	}
	if got, want := slices.Sorted(maps.Keys(statuses)), documentedStatuses(t); !slices.Equal(got, want) {
		t.Errorf("the streams have the statuses %q, and the document has %q", got, want)
	}
	t.Logf("%d streams, ends %v, %d second attempts", all, kinds, p.taken.Load())
}

// documentedStatuses returns the statuses that the interface has for events.
func documentedStatuses(t *testing.T) []string {
	t.Helper()
	text, err := api.ContractJSON()
	if err != nil {
		t.Fatal(err)
	}
	var document struct {
		Components struct {
			Schemas struct {
				StatusEvent struct {
					Properties struct {
						Status struct{ Enum []string }
					}
				}
			}
		}
	}
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}

	return slices.Sorted(slices.Values(document.Components.Schemas.StatusEvent.Properties.Status.Enum))
}

// ended returns the events of a run that nobody works on. What its process could not write any more is written as a reader would have it
// written; a run whose replicas both lost their lease is taken up again, as its client would.
func (p *playing) ended(t *testing.T, log *stream.Log, r *played) []stream.Event {
	t.Helper()

	for range 20 {
		events, err := log.After(t.Context(), r.key, 0, 20_000)
		if err != nil {
			t.Fatal(err)
		}
		if n := len(events); n > 0 && events[n-1].Last {
			return events
		}
		if phase, err := p.first.Settle(t.Context(), r.key); err == nil && phase.Status == api.PhaseInterrupted {
			p.taken.Add(1)
			r.start(t, p.first, p.first.ledger.again(r.key.PhaseID))
			r.under.Wait()
		}
	}
	t.Fatalf("the stream of %s has no end", r.key.PhaseID)

	return nil
}

func open(t *testing.T, url string) redis.UniversalClient {
	t.Helper()
	rdb, err := redisx.Open(t.Context(), redisx.Config{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = rdb.Close() })

	return rdb
}

// cut makes every command fail from when it is switched on.
type cut struct{ on *atomic.Bool }

func (cut) DialHook(next redis.DialHook) redis.DialHook { return next }

func (c cut) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		if c.on.Load() {
			return io.ErrUnexpectedEOF
		}

		return next(ctx, cmds)
	}
}

func (c cut) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		if c.on.Load() {
			cmd.SetErr(io.ErrUnexpectedEOF)
			return io.ErrUnexpectedEOF
		}

		return next(ctx, cmd)
	}
}

// TestARunEndsOnRecordWithoutItsEvents takes the store of events away in the middle of a run: the phase fails on record, which frees its branch.
func TestARunEndsOnRecordWithoutItsEvents(t *testing.T) {
	var off atomic.Bool
	rdb := open(t, stores.RedisURL(t))
	rdb.AddHook(cut{&off})
	timing := quick()
	timing.Patch = 100 * time.Millisecond
	w := newWorld(t, rdb, newLedger(), engine(func(_ context.Context, _ legal.Task, report legal.Report) (api.PhaseResponse, error) {
		report.Plan("Plan: go on")
		off.Store(true)

		return api.PhaseResponse{Kind: api.KindAnswer, Text: "Never sent."}, nil
	}), timing)
	k, p := w.ledger.begin("o:oak")
	w.start(t, k, p, time.Minute)
	testkit.Until(t, testkit.Patience, func() error {
		phase, err := w.ledger.Phase(t.Context(), k.PhaseID)
		if err == nil && (phase.Status != api.PhaseFailed || phase.Error.Error != "store_unavailable" || phase.Stream.PhaseStartSeq != 2) {
			return fmt.Errorf("the phase is %s with %+v and marks %+v", phase.Status, phase.Error, phase.Stream)
		}

		return err
	})
	off.Store(false)
	t.Run("and an event of it that comes late keeps its number", func(t *testing.T) {
		phase, err := w.ledger.Phase(t.Context(), k.PhaseID)
		if err != nil {
			t.Fatal(err)
		}
		newest, _, err := w.Events.Newest(t.Context(), k)
		if err != nil {
			t.Fatal(err)
		}
		seq := newest.Seq + 1
		late := stream.Event{Seq: seq, Kind: api.EventStatus, Status: api.StatusResponding, Data: fmt.Appendf(nil, `{"type":"status","seq":%d,"status":"responding"}`, seq)}
		if err := w.Events.Append(t.Context(), k, late); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Settle(t.Context(), k); err != nil {
			t.Fatal(err)
		}
		events := w.events(t, k)
		checkGrammarBut(t, events, 1)
		if n := len(events); n != seq+2 || string(events[seq-1].Data) != string(late.Data) || events[seq].Seq != phase.Stream.ResponseSeq || events[seq+1].Seq != phase.Stream.EndSeq {
			t.Errorf("%d events, number %d is %s, want the late one, and then the failure and the end under their numbers on record, %+v", n, seq, events[seq-1].Kind, phase.Stream)
		}
		if late.Seq++; !errors.Is(w.Events.Append(t.Context(), k, late), stream.ErrTaken) {
			t.Error("another one was taken after the end")
		}
	})
}
