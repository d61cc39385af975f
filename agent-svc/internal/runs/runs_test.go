package runs_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/redisstore"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/runs"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/stream"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/upstream"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
)

// engine is a fake with behaviour: it does what a test tells it.
type engine func(ctx context.Context, task legal.Task, report legal.Report) (api.PhaseResponse, error)

func (e engine) Do(ctx context.Context, task legal.Task, _ legal.Sources, report legal.Report) (api.PhaseResponse, error) {
	return e(ctx, task, report)
}

// busy uses every kind of report and answers.
func busy(text string) engine {
	return func(_ context.Context, _ legal.Task, report legal.Report) (api.PhaseResponse, error) {
		report.Plan("Plan: search", "search_passages")
		done := report.Tool("search_passages", "Searching", "query")
		done("ok", "1 passage")
		report.Working("Reading", 1, 1)
		report.Reasoning("Comparing")

		return api.PhaseResponse{Kind: api.KindAnswer, Text: text}, nil
	}
}

// world is a replica of agent-svc without its HTTP side.
type world struct {
	*runs.Runs
	ledger *ledger
}

func newWorld(t *testing.T, rdb redis.UniversalClient, l *ledger, e runs.Engine, timing runs.Timing) *world {
	t.Helper()
	r := &runs.Runs{
		Events: stream.NewLog(rdb, time.Hour), Leases: redisstore.NewLeases(rdb, 3*timing.Renew),
		Phases: l, Engine: e, Gate: guard.New(), Timing: timing,
		AsTenant: func(ctx context.Context, _ string) context.Context { return ctx }, Now: time.Now, Log: slog.New(slog.DiscardHandler),
	}
	r.Open(runs.Limits{All: 10, Caller: 8})
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := r.Close(ctx); err != nil {
			t.Error(err)
		}
	})

	return &world{r, l}
}

func quick() runs.Timing {
	return runs.Timing{Renew: 50 * time.Millisecond, Patch: 2 * time.Second, Sweep: time.Hour, Orphan: 0, GiveUp: 0}
}

func linkTo(action string) string { return "https://app.test/i/" + action }

func (w *world) start(t *testing.T, k stream.Key, p api.Phase, limit time.Duration) {
	t.Helper()
	giveBack, err := w.Enter(t.Context(), "o:oak", "ann") // a process that has just begun has its door shut for a moment
	if err != nil {
		t.Fatal(err)
	}
	w.startAt(t, k, p, limit, runs.Slot{GiveBack: giveBack})
}

func (w *world) startAt(t *testing.T, k stream.Key, p api.Phase, limit time.Duration, place runs.Slot) {
	t.Helper()
	job := runs.Job{
		Key: k, Phase: p, Sources: upstream.Nothing{}, Limit: limit, Place: place,
		Task: legal.Task{
			RequestType: p.RequestType, Links: linkTo,
			Container: api.Container{ContainerType: "case", ContainerID: p.ContainerID},
		},
	}
	if err := w.Start(t.Context(), job, place.GiveBack); err != nil {
		t.Fatal(err)
	}
}

// events waits for the end of a run and returns its events.
func (w *world) events(t *testing.T, k stream.Key) []stream.Event {
	t.Helper()
	var all []stream.Event
	testkit.Until(t, testkit.Patience, func() error {
		var err error
		if all, err = w.Events.After(t.Context(), k, 0, 20_000); err != nil {
			return err
		}
		if len(all) == 0 || !all[len(all)-1].Last {
			return fmt.Errorf("%d events and no end", len(all))
		}

		return nil
	})

	return all
}

// checkGrammar holds events without a gap against the grammar of the interface and returns the text of the last attempt.
func checkGrammar(t *testing.T, events []stream.Event) string {
	t.Helper()
	return checkGrammarBut(t, events, 0)
}

// checkGrammarBut allows gaps: a run that cannot learn what of it was stored leaves room for that.
func checkGrammarBut(t *testing.T, events []stream.Event, gaps int) string {
	t.Helper()
	var text strings.Builder
	open := map[string]bool{}
	starts, ended, response, index, at := 0, false, "", 0, 0

	for i, e := range events {
		var head struct {
			api.EventHead
			Status string          `json:"status"`
			Tool   *api.ToolStatus `json:"tool"`
			Delta  string          `json:"delta"`
			Index  int             `json:"index"`
		}
		if err := json.Unmarshal(e.Data, &head); err != nil {
			t.Fatalf("event %d: %v", i+1, err)
		}
		if e.Seq > at+1 && gaps > 0 {
			at, gaps = e.Seq-1, gaps-1
		}
		if at++; e.Seq != at || head.Seq != e.Seq || head.Type != e.Kind {
			t.Fatalf("event %d has number %d, says %d and %s", at, e.Seq, head.Seq, head.Type)
		}
		if ended {
			t.Fatalf("event %d (%s) follows phase_end", i+1, e.Kind)
		}

		switch e.Kind {
		case api.EventPhaseStart:
			starts++
			text.Reset()
			index, open = 0, map[string]bool{}
			if i == 0 || events[i-1].Status != api.StatusProcessing {
				t.Fatalf("phase_start %d does not follow status processing", starts)
			}
		case api.EventStatus:
			if head.Tool != nil {
				if head.Tool.Outcome == nil {
					open[head.Tool.CallID] = true
				} else if !open[head.Tool.CallID] {
					t.Fatalf("tool %s ends without a start", head.Tool.CallID)
				} else {
					delete(open, head.Tool.CallID)
				}
			}
		case api.EventContentChunk:
			if head.Index != index || len(head.Delta) > 4<<10 {
				t.Fatalf("chunk %d has index %d and %d bytes", index, head.Index, len(head.Delta))
			}
			index++
			text.WriteString(head.Delta)
		case api.EventDirectResponse:
			var d struct {
				Response json.RawMessage `json:"response"`
				SHA      string          `json:"responseSha256"`
			}
			if err := json.Unmarshal(e.Data, &d); err != nil {
				t.Fatal(err)
			}
			var r api.PhaseResponse
			if err := json.Unmarshal(d.Response, &r); err != nil {
				t.Fatal(err)
			}
			response = r.Text
			if sum := sha256.Sum256(d.Response); hex.EncodeToString(sum[:]) != d.SHA {
				t.Fatal("responseSha256 is not that of the response")
			}
			if text.String() != response {
				t.Fatalf("the deltas add up to %d bytes, the response has %d", text.Len(), len(response))
			}
		case api.EventPhaseEnd:
			ended = true
			if k := events[i-1].Kind; k != api.EventDirectResponse && k != api.EventError {
				t.Fatalf("phase_end follows %s", k)
			}
			if len(open) > 0 {
				t.Fatalf("%d tools never ended", len(open))
			}
		}
	}
	if starts == 0 || !ended {
		t.Fatalf("%d phase_start, ended %v", starts, ended)
	}

	return text.String()
}

func TestARunFollowsTheGrammar(t *testing.T) {
	long := strings.Repeat("[Party 1] owes [Party 2] what § 4 says. A résumé, too: 5 €.\n\n", 400)
	for _, text := range []string{"Short.", long, strings.Repeat("rents", 4_000), ""} {
		w := newWorld(t, stores.Redis(t), newLedger(), busy(text), quick())
		k, p := w.ledger.begin("o:oak")
		w.start(t, k, p, time.Minute)
		events := w.events(t, k)
		if got := checkGrammar(t, events); got != text {
			t.Errorf("the text came out with %d bytes, want %d", len(got), len(text))
		}

		seen := map[string]bool{}
		for _, e := range events {
			seen[e.Status] = true
		}

		for _, status := range []string{"processing", "orchestrating", "tool", "working", "reasoning", "responding"} {
			if !seen[status] {
				t.Errorf("status %s does not occur", status)
			}
		}
		stored, err := w.ledger.Phase(t.Context(), p.PhaseID)
		if err != nil || stored.Status != api.PhaseCompleted || stored.Stream.EndSeq != len(events) || stored.Stream.PhaseStartSeq != 2 {
			t.Errorf("the record is %s with marks %+v, %v; %d events", stored.Status, stored.Stream, err, len(events))
		}
	}
}

func TestHowRunsEnd(t *testing.T) {
	for _, tc := range []struct {
		name   string
		engine engine
		limit  time.Duration
		status string
		code   string
	}{
		{"an unclassified failure", func(context.Context, legal.Task, legal.Report) (api.PhaseResponse, error) {
			return api.PhaseResponse{}, errors.New("PLANTED secret")
		}, time.Minute, api.PhaseFailed, "internal"},
		{"a panic of the engine", func(context.Context, legal.Task, legal.Report) (api.PhaseResponse, error) {
			panic("PLANTED secret")
		}, time.Minute, api.PhaseFailed, "internal"},
		{"a store that is away", func(context.Context, legal.Task, legal.Report) (api.PhaseResponse, error) {
			return api.PhaseResponse{}, fmt.Errorf("search: %w", errs.ErrUnavailable)
		}, time.Minute, api.PhaseFailed, "store_unavailable"},
		{"a refusal of another service that no reader knows", func(context.Context, legal.Task, legal.Report) (api.PhaseResponse, error) {
			return api.PhaseResponse{}, fmt.Errorf("search: %w", errs.New(errs.Invalid, "unknown_field", "PLANTED secret"))
		}, time.Minute, api.PhaseFailed, "internal"},
		{"no more time, with a tool open", func(ctx context.Context, _ legal.Task, r legal.Report) (api.PhaseResponse, error) {
			r.Tool("search_passages", "Searching")
			<-ctx.Done()

			return api.PhaseResponse{}, ctx.Err()
		}, 100 * time.Millisecond, api.PhaseFailed, "time_limit"},
		{"an identity in the answer", func(context.Context, legal.Task, legal.Report) (api.PhaseResponse, error) {
			return api.PhaseResponse{Kind: api.KindAnswer, Text: "Write to jane.roe@mail.example"}, nil
		}, time.Minute, api.PhaseRefused, ""},
		{"a refusal", func(context.Context, legal.Task, legal.Report) (api.PhaseResponse, error) {
			return api.PhaseResponse{Kind: api.KindRefusal, Text: "A person does that.", Refusal: &api.Refusal{Reason: "contact", DeepLink: "https://x/i/contact"}}, nil
		}, time.Minute, api.PhaseRefused, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(t, stores.Redis(t), newLedger(), tc.engine, quick())
			k, p := w.ledger.begin("o:oak")
			w.start(t, k, p, tc.limit)
			events := w.events(t, k)
			checkGrammar(t, events)
			var end api.PhaseEndEvent
			if err := json.Unmarshal(events[len(events)-1].Data, &end); err != nil || end.Status != tc.status {
				t.Errorf("ended as %s, want %s (%v)", end.Status, tc.status, err)
			}
			if tc.code != "" {
				var e api.ErrorEvent
				if err := json.Unmarshal(events[len(events)-2].Data, &e); err != nil || e.Error != tc.code {
					t.Errorf("error %s, want %s (%v)", e.Error, tc.code, err)
				}
			}

			for _, e := range events {
				for _, planted := range []string{"PLANTED", "jane.roe", "078-05"} {
					if strings.Contains(string(e.Data), planted) {
						t.Errorf("a %s event holds %q", e.Kind, planted)
					}
				}
			}
		})
	}
}

// held is an engine that works until it is let go.
func held(begun chan<- struct{}, letGo <-chan struct{}) engine {
	return func(ctx context.Context, _ legal.Task, report legal.Report) (api.PhaseResponse, error) {
		report.Plan("Plan: wait")
		begun <- struct{}{}
		select {
		case <-letGo:
			return api.PhaseResponse{Kind: api.KindAnswer, Text: "Done."}, nil
		case <-ctx.Done():
			return api.PhaseResponse{}, ctx.Err()
		}
	}
}

func TestACallerWhoLeavesCancelsNothing(t *testing.T) {
	begun, letGo := make(chan struct{}, 1), make(chan struct{})
	w := newWorld(t, stores.Redis(t), newLedger(), held(begun, letGo), quick())
	k, p := w.ledger.begin("o:oak")
	ctx, leave := context.WithCancel(t.Context())
	giveBack, err := w.Reserve("o:oak", "ann")
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Start(ctx, runs.Job{Key: k, Phase: p, Sources: upstream.Nothing{}, Limit: time.Minute}, giveBack); err != nil {
		t.Fatal(err)
	}
	<-begun
	leave()
	close(letGo)
	checkGrammar(t, w.events(t, k))
}

// stalled is a ledger that does not take the end of a phase until the run is told to stop.
type stalled struct {
	*ledger
	reached chan struct{}
	once    sync.Once
}

func (s *stalled) EndPhase(ctx context.Context, id string, in api.EndPhase) (api.Phase, error) {
	first := false
	s.once.Do(func() { first = true })
	if first {
		close(s.reached)
		<-ctx.Done()

		return api.Phase{}, ctx.Err()
	}

	return s.ledger.EndPhase(ctx, id, in)
}

func TestARunThatIsToldToEndWhileItEndsSaysWhy(t *testing.T) {
	for _, tc := range []struct {
		name   string
		limit  time.Duration
		tell   func(t *testing.T, w *world, rdb redis.UniversalClient, k stream.Key)
		status string
	}{
		{"cancelled", time.Minute, func(t *testing.T, _ *world, rdb redis.UniversalClient, k stream.Key) {
			if err := redisstore.NewLeases(rdb, time.Second).Cancel(t.Context(), k); err != nil {
				t.Fatal(err)
			}
		}, api.PhaseCancelled},
		{"no more time", 200 * time.Millisecond, func(*testing.T, *world, redis.UniversalClient, stream.Key) {}, api.PhaseFailed},
		{"the process stops", time.Minute, func(t *testing.T, w *world, _ redis.UniversalClient, _ stream.Key) {
			if err := w.Close(t.Context()); err != nil {
				t.Fatal(err)
			}
		}, api.PhaseInterrupted},
	} {
		t.Run(tc.name, func(t *testing.T) {
			rdb, l := stores.Redis(t), newLedger()
			w := newWorld(t, rdb, l, busy("Whole."), quick())
			slow := &stalled{ledger: l, reached: make(chan struct{})}
			w.Phases = slow
			k, p := l.begin("o:oak")
			w.start(t, k, p, tc.limit)
			<-slow.reached
			tc.tell(t, w, rdb, k)
			testkit.Until(t, testkit.Patience, func() error {
				got, err := l.Phase(t.Context(), p.PhaseID)
				if err == nil && got.Status != tc.status {
					err = fmt.Errorf("the phase is %s, want %s", got.Status, tc.status)
				}

				return err
			})
		})
	}
}

// mute is a ledger that ends phases and never says so.
type mute struct{ *ledger }

func (m mute) EndPhase(ctx context.Context, id string, in api.EndPhase) (api.Phase, error) {
	if p, err := m.ledger.EndPhase(ctx, id, in); err != nil {
		return p, err
	}

	return api.Phase{}, errs.ErrUnavailable
}

func TestAnEndWhoseAnswerNeverComesIsStreamed(t *testing.T) {
	l, timing := newLedger(), quick()
	timing.Patch = 300 * time.Millisecond
	w := newWorld(t, stores.Redis(t), l, busy("Whole."), timing)
	w.Phases = mute{l}
	k, p := l.begin("o:oak")
	w.start(t, k, p, time.Minute)
	if got := checkGrammar(t, w.events(t, k)); got != "Whole." {
		t.Errorf("text = %q", got)
	}
	if stored, err := l.Phase(t.Context(), p.PhaseID); err != nil || stored.Status != api.PhaseCompleted {
		t.Errorf("the phase is %s, %v, want completed", stored.Status, err)
	}
}

func TestCancel(t *testing.T) {
	begun := make(chan struct{}, 1)
	rdb := stores.Redis(t)
	timing := quick()
	timing.Renew, timing.Heed = time.Hour, 20*time.Millisecond // it does not wait for the next renewal
	w := newWorld(t, rdb, newLedger(), held(begun, nil), timing)
	k, p := w.ledger.begin("o:oak")
	w.start(t, k, p, time.Minute)
	<-begun
	if err := redisstore.NewLeases(rdb, time.Second).Cancel(t.Context(), k); err != nil {
		t.Fatal(err)
	}
	events := w.events(t, k)
	checkGrammar(t, events)
	if stored, err := w.ledger.Phase(t.Context(), p.PhaseID); err != nil || stored.Status != api.PhaseCancelled {
		t.Errorf("the phase is %s, %v, want cancelled", stored.Status, err)
	}
}

func TestAProcessThatStopsHandsItsRunsOver(t *testing.T) {
	rdb, l := stores.Redis(t), newLedger()
	begun := make(chan struct{}, 1)
	first := newWorld(t, rdb, l, held(begun, nil), quick())
	k, p := l.begin("o:oak")
	first.start(t, k, p, time.Minute)
	<-begun
	if err := first.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if stored, err := l.Phase(t.Context(), p.PhaseID); err != nil || stored.Status != api.PhaseInterrupted {
		t.Fatalf("the phase is %s, %v, want interrupted", stored.Status, err)
	}
	if alive, err := first.Leases.Alive(t.Context(), k); err != nil || alive {
		t.Fatalf("the lease is held: %v, %v", alive, err)
	}
	second := newWorld(t, rdb, l, busy("Taken up again."), quick())
	second.start(t, k, l.again(p.PhaseID), time.Minute)
	if got := checkGrammar(t, second.events(t, k)); got != "Taken up again." {
		t.Errorf("text = %q", got)
	}
}

// Where the events of the first attempt are lost, those of the second have numbers that no reader has seen.
func TestAnAttemptAfterALostStreamHasNumbersOfItsOwn(t *testing.T) {
	rdb, l := stores.Redis(t), newLedger()
	begun := make(chan struct{}, 1)
	first := newWorld(t, rdb, l, held(begun, nil), quick())
	k, p := l.begin("o:oak")
	first.start(t, k, p, time.Minute)
	<-begun
	if err := first.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	seen, _, err := first.Events.Newest(t.Context(), k)
	if err != nil || seen.Seq == 0 {
		t.Fatalf("a reader has seen %d events, %v", seen.Seq, err)
	}
	if err := rdb.FlushDB(t.Context()).Err(); err != nil {
		t.Fatal(err)
	}
	second := newWorld(t, rdb, l, busy(strings.Repeat("A long answer. ", 5000)), quick())
	second.start(t, k, l.again(p.PhaseID), time.Minute)

	events := second.events(t, k)
	if events[0].Seq <= seen.Seq+1 {
		t.Errorf("the second attempt begins with number %d, and a reader comes back with %d", events[0].Seq, seen.Seq)
	}
	if events[1].Kind != api.EventPhaseStart || events[1].Seq != events[0].Seq+1 || len(events) <= seen.Seq {
		t.Errorf("%d events, the second of kind %s and number %d", len(events), events[1].Kind, events[1].Seq)
	}
	checkGrammarBut(t, events, 1)
	stored, err := l.Phase(t.Context(), p.PhaseID)
	if err != nil || stored.Stream.PhaseStartSeq != events[1].Seq || stored.Stream.EndSeq != events[len(events)-1].Seq {
		t.Errorf("the record has the numbers %+v, %v", stored.Stream, err)
	}
}

func TestAProcessThatWasTakenOverStopsWriting(t *testing.T) {
	rdb, l := stores.Redis(t), newLedger()
	begun, letGo := make(chan struct{}, 1), make(chan struct{})
	slow := quick()
	slow.Renew = time.Hour // it never notices by its lease: the numbers must stop it
	first := newWorld(t, rdb, l, held(begun, letGo), slow)
	k, p := l.begin("o:oak")
	first.start(t, k, p, time.Minute)
	<-begun
	if _, err := l.InterruptPhase(t.Context(), p.PhaseID, 1); err != nil {
		t.Fatal(err)
	}
	second := newWorld(t, rdb, l, busy("From the second."), quick())
	second.start(t, k, l.again(p.PhaseID), time.Minute)
	want := second.events(t, k)
	close(letGo)
	if err := first.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	got, err := second.Events.After(t.Context(), k, 0, 20_000)
	if err != nil || len(got) != len(want) {
		t.Errorf("%d events after the first process woke up, want %d (%v)", len(got), len(want), err)
	}
	if text := checkGrammar(t, got); text != "From the second." {
		t.Errorf("text = %q", text)
	}
	if stored, err := l.Phase(t.Context(), p.PhaseID); err != nil || stored.Attempt != 2 || stored.Response.Text != "From the second." {
		t.Errorf("the record holds attempt %d, %v", stored.Attempt, err)
	}
}

// cutShort returns a run that has ended, its events, and the key of the same run as a process left it that died between the record and the
// last two events.
func cutShort(t *testing.T) (w *world, whole []stream.Event, cut stream.Key) {
	t.Helper()
	l := newLedger()
	w = newWorld(t, stores.Redis(t), l, busy("Whole."), quick())
	k, p := l.begin("o:oak")
	w.start(t, k, p, time.Minute)
	whole, cut = w.events(t, k), stream.Key{Tenant: "o:elm", PhaseID: k.PhaseID}
	if err := w.Events.Append(t.Context(), cut, whole[:len(whole)-2]...); err != nil {
		t.Fatal(err)
	}

	return w, whole, cut
}

func TestSettle(t *testing.T) {
	t.Run("writes the last two events that a process did not write any more", func(t *testing.T) {
		w, want, cut := cutShort(t)
		if _, err := w.Settle(t.Context(), cut); err != nil {
			t.Fatal(err)
		}
		got, err := w.Events.After(t.Context(), cut, 0, 1000)
		if err != nil || len(got) != len(want) || string(got[len(got)-2].Data) != string(want[len(want)-2].Data) {
			t.Errorf("%d events, want %d with the same bytes (%v)", len(got), len(want), err)
		}
	})
	t.Run("writes them behind an event that came late and has their number", func(t *testing.T) {
		w, whole, cut := cutShort(t)
		seq := len(whole) - 1
		late := stream.Event{Seq: seq, Kind: api.EventStatus, Status: api.StatusWorking, Data: fmt.Appendf(nil, `{"type":"status","seq":%d,"status":"working"}`, seq)}
		if err := w.Events.Append(t.Context(), cut, late); err != nil {
			t.Fatal(err)
		}

		for range 2 { // a second reader finds them there
			if _, err := w.Settle(t.Context(), cut); err != nil {
				t.Fatal(err)
			}
			if got := checkGrammar(t, w.events(t, cut)); got != "Whole." {
				t.Errorf("text %q", got)
			}
		}
	})
	t.Run("tells the end of a phase that never ran", func(t *testing.T) {
		rdb, l := stores.Redis(t), newLedger()
		w := newWorld(t, rdb, l, busy(""), quick())
		k, p := l.begin("o:oak")
		if _, err := l.EndPhase(t.Context(), p.PhaseID, api.EndPhase{Attempt: 1, Status: api.PhaseFailed, Stream: api.StreamMarks{ResponseSeq: 1, EndSeq: 2}}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Settle(t.Context(), k); err != nil {
			t.Fatal(err)
		}
		if got, err := w.Events.After(t.Context(), k, 0, 10); err != nil || len(got) != 2 || got[0].Kind != api.EventError || !got[1].Last {
			t.Errorf("events %v, %v, want the failure and the end", got, err)
		}
	})
	t.Run("interrupts a run without a process", func(t *testing.T) {
		rdb, l := stores.Redis(t), newLedger()
		w := newWorld(t, rdb, l, busy(""), quick())
		k, _ := l.begin("o:oak")
		if p, err := w.Settle(t.Context(), k); err != nil || p.Status != api.PhaseInterrupted {
			t.Errorf("settled as %s, %v", p.Status, err)
		}
	})
}

func TestSweepFailsWhatNobodyTakesUp(t *testing.T) {
	rdb, l := stores.Redis(t), newLedger()
	w := newWorld(t, rdb, l, busy(""), quick())
	k, p := l.begin("o:oak")
	started := stream.Event{Seq: 1, Kind: "status", Status: "processing", Data: []byte(`{"type":"status","seq":1,"status":"processing"}`)}
	phaseStart := stream.Event{Seq: 2, Kind: "phase_start", Data: []byte(`{"type":"phase_start","seq":2}`)}
	if err := w.Events.Append(t.Context(), k, started, phaseStart); err != nil {
		t.Fatal(err)
	}

	// after one look its process may still be alive
	for _, want := range []string{api.PhaseRunning, api.PhaseInterrupted, api.PhaseFailed} {
		if err := w.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got, err := l.Phase(t.Context(), p.PhaseID); err != nil || got.Status != want {
			t.Fatalf("the phase is %s, %v, want %s", got.Status, err, want)
		}
	}
	checkGrammar(t, w.events(t, k))
}

// What becomes of interrupted runs at a sweep, and what their readers are told.
func TestTheSweepDecidesAboutInterruptedRuns(t *testing.T) {
	for _, tc := range []struct {
		name    string
		attempt int
		giveUp  time.Duration
		takeUp  bool
		status  string
		code    string
		became  string
	}{
		{"it is taken up", 1, time.Hour, true, api.PhaseInterrupted, "", ""},
		{"nobody can take it up for too long", 1, 0, false, api.PhaseFailed, "interrupted", runs.BecameFailed},
		{"it ran as often as it may", 3, time.Hour, false, api.PhaseFailed, "interrupted", runs.BecameFailed},
	} {
		t.Run(tc.name, func(t *testing.T) {
			l, timing := newLedger(), quick()
			timing.GiveUp = tc.giveUp
			w := newWorld(t, stores.Redis(t), l, busy(""), timing)
			var asked []api.OpenPhase
			var became []string
			w.TakeUp = func(_ context.Context, p api.OpenPhase) error { asked = append(asked, p); return nil }
			w.Lost = func(_ context.Context, what string) { became = append(became, what) }

			k, p := l.begin("o:oak")
			for range tc.attempt - 1 {
				l.again(p.PhaseID)
			}
			if _, err := l.InterruptPhase(t.Context(), p.PhaseID, tc.attempt); err != nil {
				t.Fatal(err)
			}
			if err := w.Sweep(t.Context()); err != nil {
				t.Fatal(err)
			}
			got, err := l.Phase(t.Context(), p.PhaseID)
			if err != nil || got.Status != tc.status || (len(asked) == 1) != tc.takeUp {
				t.Errorf("the phase is %s, %v, and this process was asked %d times to take it up", got.Status, err, len(asked))
			}
			if tc.code == "" {
				return
			}
			if got.Error == nil || got.Error.Error != tc.code || strings.Join(became, " ") != tc.became {
				t.Errorf("it ended with %+v, counted as %v", got.Error, became)
			}
			if events := w.events(t, k); events[len(events)-2].Kind != api.EventError {
				t.Errorf("its readers are told %v", events)
			}
		})
	}
}

// A run whose process died is counted once, whoever finds it: a reader, or the sweep.
func TestALostRunIsCountedOnce(t *testing.T) {
	l, timing := newLedger(), quick()
	timing.GiveUp = time.Hour
	w := newWorld(t, stores.Redis(t), l, busy(""), timing)
	var became []string
	w.Lost = func(_ context.Context, what string) { became = append(became, what) }
	k, _ := l.begin("o:oak")

	for range 2 {
		if _, err := w.Settle(t.Context(), k); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Sweep(t.Context()), w.Sweep(t.Context())); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(became, []string{runs.BecameLost}) {
		t.Errorf("the run was counted as %v", became)
	}
}

func TestSweepLeavesRunsAlone(t *testing.T) {
	begun, letGo := make(chan struct{}, 1), make(chan struct{})
	w := newWorld(t, stores.Redis(t), newLedger(), held(begun, letGo), quick())
	k, p := w.ledger.begin("o:oak")
	w.start(t, k, p, time.Minute)
	<-begun
	if err := w.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got, err := w.ledger.Phase(t.Context(), p.PhaseID); err != nil || got.Status != api.PhaseRunning {
		t.Errorf("the phase is %s, %v, want running", got.Status, err)
	}
	close(letGo)
	w.events(t, k)
}

func TestAStoreThatIsAwayForAMomentDelaysTheEnd(t *testing.T) {
	begun, letGo := make(chan struct{}, 1), make(chan struct{})
	w := newWorld(t, stores.Redis(t), newLedger(), held(begun, letGo), quick())
	k, p := w.ledger.begin("o:oak")
	w.start(t, k, p, time.Minute)
	<-begun
	w.ledger.mu.Lock()
	w.ledger.away = 3
	w.ledger.mu.Unlock()
	close(letGo)
	if got := checkGrammar(t, w.events(t, k)); got != "Done." {
		t.Errorf("text = %q", got)
	}
}

func TestRebuiltStreamsKeepTheirNumbersAndAnnounceGaps(t *testing.T) {
	w := newWorld(t, stores.Redis(t), newLedger(), busy("Whole."), quick())
	k, p := w.ledger.begin("o:oak")
	w.start(t, k, p, time.Minute)
	end := w.events(t, k)
	stored, err := w.ledger.Phase(t.Context(), p.PhaseID)
	if err != nil {
		t.Fatal(err)
	}

	for _, tc := range []struct {
		name  string
		after int
		want  []string
	}{
		{"from the beginning", 0, []string{"gap", "phase_start", "gap", "direct_response", "phase_end"}},
		{"from the middle", 4, []string{"gap", "direct_response", "phase_end"}},
		{"right before the response", len(end) - 2, []string{"direct_response", "phase_end"}},
		{"before the last", len(end) - 1, []string{"phase_end"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			frames, err := runs.Rebuilt(stored, tc.after, time.Now())
			if err != nil {
				t.Fatal(err)
			}
			var got []string

			for _, f := range frames {
				switch text := string(f); {
				case strings.Contains(text, `"gap":`):
					got = append(got, "gap")
					if strings.Contains(text, "id: ") {
						t.Error("a gap has an id")
					}
				default:
					_, kind, _ := strings.Cut(text, "event: ")
					kind, _, _ = strings.Cut(kind, "\n")
					got = append(got, kind)
				}
			}
			if strings.Join(got, " ") != strings.Join(tc.want, " ") {
				t.Errorf("frames = %v, want %v", got, tc.want)
			}
		})
	}
}
