package phases_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/mongostore"
	"github.com/subrosa-legal/subrosa/case-svc/internal/phases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/tasks"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

// waiting is a request whose client waits for the branch.
func waiting(c cases.Case) phases.Begin {
	b := request(c)
	b.Waiter = "w/" + b.PhaseID

	return b
}

// asks begins a request and says what came of it.
func (d *desk) asks(t *testing.T, b phases.Begin) phases.Begun {
	t.Helper()
	begun, err := d.Begin(t.Context(), firm, ann, b)
	if err != nil {
		t.Fatalf("Begin: %v", err)
	}

	return begun
}

// line is a desk with a phase that runs on a branch, and n requests that wait for it.
func line(
	t *testing.T,
	db *mongo.Database,
	n int,
) (d *desk, c cases.Case, running phases.Begin, waiters []phases.Begin) {
	t.Helper()
	d = newDesk(t, db)
	c = d.newCase(t, nil)
	running = waiting(c)
	if !d.asks(t, running).Run {
		t.Fatal("the first does not run")
	}

	for i := range n {
		b := waiting(c)
		waiters = append(waiters, b)
		if got := d.asks(
			t,
			b,
		); got.Run || got.Place != i+1 || got.Phase.Status != phases.Queued ||
			got.Ahead != running.PhaseID {
			t.Fatalf("request %d: place %d, %s, runs %v, behind %s", i, got.Place, got.Phase.Status, got.Run, got.Ahead)
		}
	}

	return d, c, running, waiters
}

func TestTheLineIsServedInTheOrderOfArrival(t *testing.T) {
	t.Parallel()
	stores.EachMongo(t, func(t *testing.T, db *mongo.Database) {
		d, c, running, waiters := line(t, db, 8)
		_, err := d.Begin(t.Context(), firm, ann, waiting(c))
		if !errors.Is(err, phases.ErrBranchBusy) || errs.From(err).RetryAfter == 0 {
			t.Errorf("the ninth in line = %v, want branch_busy with a time", err)
		}
		before := running

		for i, b := range waiters {
			for later, other := range waiters[i:] { // whoever asks, nobody gets in before its turn
				if got := d.asks(t, other); got.Run || got.Place != later+1 {
					t.Fatalf("%d of the line, %d in it: place %d, runs %v", i, later, got.Place, got.Run)
				}
			}
			d.end(t, before.PhaseID, completed(1))
			if i > 0 { // until then the line is full
				comesLate(t, d, waiting(c))
			}
			if i < 7 && d.asks(t, waiters[i+1]).Run {
				t.Fatal("the second in line gets in before the first")
			}
			got := d.asks(t, b)
			if !got.Run || got.Phase.Sequence != i+2 || got.Phase.ParentID != before.PhaseID {
				t.Fatalf("waiter %d: runs %v as number %d after %s", i, got.Run, got.Phase.Sequence, got.Phase.ParentID)
			}
			before = b
		}
	})
}

// A phase waits for the branch on which it was put in line, also when another becomes the active one meanwhile.
func TestTheActiveBranchChangesWhileAPhaseWaits(t *testing.T) {
	t.Parallel()
	stores.EachMongo(t, func(t *testing.T, db *mongo.Database) {
		d, c, running, waiters := line(t, db, 2)
		box, err := d.Container(t.Context(), firm, phases.CaseContainer, c.ID)
		if err != nil {
			t.Fatal(err)
		}
		b, err := d.Fork(t.Context(), ann, box, phases.Fork{ID: uuid.NewString()})
		if err != nil {
			t.Fatal(err)
		}
		branches := mongostore.NewBranchStore(db)
		service := &cases.Service{Store: d.cases, Branches: branches, Journal: d.journal, Gate: guard.New(), Now: d.Now}
		if err := adopting(t.Context(), service, c, b.ID); err != nil {
			t.Fatal(err)
		}

		if got := d.asks(t, waiters[0]); got.Run || got.Place != 1 || got.Ahead != running.PhaseID {
			t.Errorf("place %d behind %s, runs %v; want the first behind %s",
				got.Place, got.Ahead, got.Run, running.PhaseID)
		}
		d.end(t, running.PhaseID, completed(1))
		if got := d.asks(t, waiters[0]); !got.Run || got.Phase.BranchID != c.ActiveBranchID || got.Phase.Sequence != 2 {
			t.Errorf("runs %v as number %d on %s, want the second on %s",
				got.Run, got.Phase.Sequence, got.Phase.BranchID, c.ActiveBranchID)
		}
		if got := d.asks(t, waiting(c)); !got.Run || got.Phase.BranchID != b.ID {
			t.Errorf("a new question runs %v on %s, want it on the active branch %s", got.Run, got.Phase.BranchID, b.ID)
		}
	})
}

// comesLate has a request come when the branch is free and others wait, and leave again.
func comesLate(t *testing.T, d *desk, b phases.Begin) {
	t.Helper()
	late := d.asks(t, b)
	if late.Run {
		t.Fatal("who comes when the branch is free gets in before those who wait")
	}
	if err := d.Leave(t.Context(), firm, late.Phase.ID, late.Phase.Waiter); err != nil {
		t.Fatal(err)
	}
}

func TestWhoLeavesTheLine(t *testing.T) {
	t.Parallel()
	stop := phases.Outcome{
		Attempt: 1,
		Status:  phases.Cancelled,
		Failure: &phases.Failure{Code: "cancelled", Message: "It was cancelled."},
		Engine:  phases.Engine{Mode: "deterministic", RulesVersion: "2026.1"},
		Stream:  phases.StreamMarks{ResponseSeq: 1, EndSeq: 2},
	}

	for name, leave := range map[string]func(ctx context.Context, d *desk, first phases.Begin) error{
		"a client that goes": func(ctx context.Context, d *desk, first phases.Begin) error {
			return d.Leave(ctx, firm, first.PhaseID, first.Waiter)
		},
		"one that is cancelled": func(ctx context.Context, d *desk, first phases.Begin) error {
			_, err := d.End(ctx, firm, ann, first.PhaseID, stop)
			return err
		},
		"one whose process dies": func(_ context.Context, _ *desk, _ phases.Begin) error { return nil },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stores.EachMongo(t, func(t *testing.T, db *mongo.Database) {
				leavesTheLine(t, db, leave, name == "one that is cancelled")
			})
		})
	}
}

// goOnAsking has those wait on for longer than a phase stays in line that nobody asks for.
func (d *desk) goOnAsking(t *testing.T, waiters ...phases.Begin) {
	t.Helper()

	for range phases.WaiterLost/time.Second + 1 {
		d.advance(time.Second)

		for _, b := range waiters {
			d.asks(t, b)
		}
	}
}

// leavesTheLine has the first of two leave a line. recorded says that its phase stays on record as cancelled.
func leavesTheLine(
	t *testing.T, db *mongo.Database, leave func(context.Context, *desk, phases.Begin) error, recorded bool,
) {
	t.Helper()
	d, c, running, waiters := line(t, db, 2)
	if err := leave(t.Context(), d, waiters[0]); err != nil {
		t.Fatal(err)
	}
	d.goOnAsking(t, waiters[1])
	if got := d.asks(t, waiters[1]); got.Place != 1 {
		t.Errorf("the second in line is at place %d", got.Place)
	}
	d.end(t, running.PhaseID, completed(1))
	if got := d.asks(t, waiters[1]); !got.Run || got.Phase.Sequence != 2 {
		t.Errorf("the second in line runs: %v, as number %d", got.Run, got.Phase.Sequence)
	}
	p, err := d.Records.Get(t.Context(), firm, waiters[0].PhaseID)
	if recorded {
		if err != nil || p.Status != phases.Cancelled || p.Hash != "" || p.Placed() {
			t.Errorf("the cancelled phase is %s, %v", p.Status, err)
		}
		if again := d.asks(t, waiters[0]); again.Run || again.Phase.Status != phases.Cancelled {
			t.Error("a cancelled phase runs all the same")
		}
	} else if !errors.Is(err, phases.ErrNotFound) {
		t.Errorf("who left is still there: %s, %v", p.Status, err)
	}
	seen, err := d.Service.Line(
		t.Context(),
		phases.Branch{ID: running.BranchID, Tenant: firm},
		phases.LineQuery{Limit: 10},
	)
	if err != nil || slices.ContainsFunc(seen, func(p phases.Phase) bool { return !p.Placed() }) {
		t.Errorf("the branch lists who never was on it: %v", err)
	}
	if got := d.asks(t, waiting(c)); got.Place != 1 {
		t.Errorf("who comes next is at place %d", got.Place)
	}
}

func TestPlacesInLineAreOneEach(t *testing.T) {
	t.Parallel()
	stores.EachMongo(t, func(t *testing.T, db *mongo.Database) {
		d, _, running, waiters := line(t, db, 1)
		mine := waiters[0]
		other := mine
		other.Waiter = "another process"
		if got := d.asks(t, other); got.Place != 1 {
			t.Errorf("the same request from elsewhere is at place %d", got.Place)
		}
		if err := d.Leave(t.Context(), firm, mine.PhaseID, mine.Waiter); err != nil {
			t.Fatal(err)
		}
		if p, err := d.Records.Get(t.Context(), firm, mine.PhaseID); err != nil || p.Status != phases.Queued {
			t.Errorf("the connection that was replaced took the phase out of the line: %v", err)
		}
		d.end(t, running.PhaseID, completed(1))
		other.Hold = true
		if got := d.asks(t, other); got.Run || got.Place != 1 {
			t.Errorf("who only holds its place: runs %v, place %d", got.Run, got.Place)
		}
		other.Hold = false
		if got := d.asks(t, other); !got.Run {
			t.Error("its turn has come, and it does not run")
		}
		if got := d.asks(t, mine); got.Run || got.Phase.Status != phases.Running {
			t.Error("the phase runs twice")
		}
	})
}

// A process that gives up waiting ends the wait, and no run that another process has begun meanwhile.
func TestGivingUpTheWaitEndsNoRun(t *testing.T) {
	t.Parallel()
	stores.EachMongo(t, func(t *testing.T, db *mongo.Database) {
		d, _, running, waiters := line(t, db, 2)
		tooLate := phases.Outcome{
			Status:  phases.Failed,
			Failure: &phases.Failure{Code: "branch_busy", Message: "The branch did not become free.", Retryable: true},
			Engine:  phases.Engine{Mode: "deterministic", RulesVersion: "2026.1"},
			Stream:  phases.StreamMarks{ResponseSeq: 1, EndSeq: 2},
		}
		d.end(t, running.PhaseID, completed(1))
		elsewhere := waiters[0]
		elsewhere.Waiter = "another process"
		if !d.asks(t, elsewhere).Run {
			t.Fatal("its turn has come, and it does not run")
		}
		if _, err := d.End(t.Context(), firm, ann, waiters[0].PhaseID, tooLate); !errors.Is(err, phases.ErrTransition) {
			t.Errorf("the end of a wait that is over = %v, want invalid_transition", err)
		}

		for range 2 { // the answer to the first may be lost
			p, err := d.End(t.Context(), firm, ann, waiters[1].PhaseID, tooLate)
			if err != nil || p.Status != phases.Failed || p.Placed() {
				t.Errorf("the end of a wait = %s, %v", p.Status, err)
			}
		}
		d.end(t, waiters[0].PhaseID, completed(1))
	})
}

// However many come at once, those beyond the line are told when to come again, and leave nothing in it.
func TestACrowdAtTheLine(t *testing.T) {
	t.Parallel()
	stores.EachMongo(t, func(t *testing.T, db *mongo.Database) {
		d, c, _, _ := line(t, db, 8)
		d.MostInLine = 30 // they have come, and have not yet seen that there is no room for them

		for range 12 {
			d.asks(t, waiting(c))
		}
		d.MostInLine = 8
		late := waiting(c)
		_, err := d.Begin(t.Context(), firm, ann, late)
		if !errors.Is(err, phases.ErrBranchBusy) || errs.From(err).RetryAfter == 0 {
			t.Errorf("one of a crowd = %v, want branch_busy with a time", err)
		}
		if _, err := d.Records.Get(t.Context(), firm, late.PhaseID); !errors.Is(err, phases.ErrNotFound) {
			t.Errorf("who was refused is in the line all the same: %v", err)
		}
	})
}

// sweepsUp has the sweep find twice that nobody asks for who is in line.
func (d *desk) sweepsUp(t *testing.T) {
	t.Helper()

	sweep := phases.LineSweep{Phases: d.Service}
	for range 2 {
		d.advance(3 * phases.WaiterLost)
		if err := sweep.Sweep(t.Context(), 10); err != nil {
			t.Fatal(err)
		}
	}
}

// Nobody who waits is let go of because nobody could ask for a while: neither by who comes back first, nor by the
// sweep. The order of arrival stands.
func TestTheLineOutlastsAFailureOfTheStore(t *testing.T) {
	t.Parallel()
	stores.EachMongo(t, func(t *testing.T, db *mongo.Database) {
		d, c, running, waiters := line(t, db, 3)
		sweep := phases.LineSweep{Phases: d.Service}
		d.advance(time.Minute) // nobody can ask
		if err := sweep.Sweep(t.Context(), 10); err != nil {
			t.Fatal(err)
		}
		comesLate(t, d, waiting(c))

		for place, b := range []int{3, 1, 2} {
			d.advance(time.Second)
			if got := d.asks(t, waiters[b-1]); got.Place != b {
				t.Errorf("number %d comes back as %d of the line to place %d", b, place+1, got.Place)
			}
		}
		if err := sweep.Sweep(t.Context(), 10); err != nil {
			t.Fatal(err)
		}

		before := running
		for i, b := range waiters {
			d.end(t, before.PhaseID, completed(1))
			if got := d.asks(t, b); !got.Run || got.Phase.Sequence != i+2 {
				t.Errorf("waiter %d: runs %v as number %d", i+1, got.Run, got.Phase.Sequence)
			}
			before = b
		}
	})
}

// Who does not come back after the failure does not keep the others waiting.
func TestWhoIsLostInAFailureOfTheStore(t *testing.T) {
	t.Parallel()
	stores.EachMongo(t, func(t *testing.T, db *mongo.Database) {
		d, _, running, waiters := line(t, db, 3)
		d.advance(time.Minute)
		d.end(t, running.PhaseID, completed(1))
		if d.asks(t, waiters[1]).Run {
			t.Error("the second begins before the first had time to come back")
		}
		d.goOnAsking(t, waiters[1], waiters[2])

		p, err := d.Records.Get(t.Context(), firm, waiters[1].PhaseID)
		if err != nil || p.Status != phases.Running {
			t.Errorf("the second is %s after the first had its time, %v", p.Status, err)
		}
	})
}

// A task that has ended with its wait stays as its client was told: whoever asks for the turn again is refused.
func TestAnEndedTaskBeginsNoMore(t *testing.T) {
	t.Parallel()
	stores.EachMongo(t, func(t *testing.T, db *mongo.Database) {
		for _, free := range []bool{false, true} {
			d, c, running, _ := line(t, db, 0)
			lost := waiting(c)
			lost.Turn = &phases.Turn{TaskID: lost.PhaseID, ContextID: "context", MessageID: "message"}
			d.asks(t, lost)
			d.sweepsUp(t)
			if free {
				d.end(t, running.PhaseID, completed(1))
			}

			_, err := d.Begin(t.Context(), firm, ann, lost)
			if !errors.Is(err, tasks.ErrChanged) {
				t.Errorf("the turn of a task that has failed, the branch is free: %v: %v, want task_changed", free, err)
			}
			if _, err := d.Records.Get(t.Context(), firm, lost.PhaseID); !errors.Is(err, phases.ErrNotFound) {
				t.Errorf("its phase is there again: %v", err)
			}
			if !free {
				d.end(t, running.PhaseID, completed(1))
			}
			if !d.asks(t, waiting(c)).Run {
				t.Error("what was refused holds the branch")
			}
		}
	})
}

func TestWhoDoesNotWait(t *testing.T) {
	t.Parallel()
	stores.EachMongo(t, func(t *testing.T, db *mongo.Database) {
		d, c, _, waiters := line(t, db, 1)
		impatient := request(c)
		named := waiting(c)
		named.ParentID = waiters[0].PhaseID

		for what, b := range map[string]phases.Begin{
			"a request that does not wait": impatient, "one that names the head it follows": named,
		} {
			if _, err := d.Begin(
				t.Context(),
				firm,
				ann,
				b,
			); !errors.Is(err, phases.ErrBranchBusy) ||
				errs.From(err).RetryAfter == 0 {
				t.Errorf("%s = %v, want branch_busy with a time", what, err)
			}
		}
		d.sweepsUp(t)
		if _, err := d.Records.Get(t.Context(), firm, waiters[0].PhaseID); !errors.Is(err, phases.ErrNotFound) {
			t.Errorf("the sweep leaves who waits no more: %v", err)
		}
	})
}

// dies interrupts the attempt that a phase is in, and asks for the next one as soon as it may begin.
func (d *desk) dies(t *testing.T, b phases.Begin, attempt int, pause time.Duration) phases.Begun {
	t.Helper()
	if _, _, err := d.Interrupt(t.Context(), firm, ann, b.PhaseID, attempt); err != nil {
		t.Fatal(err)
	}
	d.advance(pause - time.Millisecond)
	if d.asks(t, b).Run {
		t.Errorf("attempt %d begins before its pause is over", attempt+1)
	}
	d.advance(time.Millisecond)

	return d.asks(t, b)
}

// A phase runs three times at most, with a longer pause each time, if nothing else can have killed the last process.
func TestTakeUpsAreFewAndFarBetween(t *testing.T) {
	t.Parallel()
	stores.EachMongo(t, func(t *testing.T, db *mongo.Database) {
		d := newDesk(t, db)
		b := request(d.newCase(t, nil))
		d.asks(t, b)

		for attempt, pause := range []time.Duration{time.Second, 5 * time.Second} {
			if attempt == 1 {
				b.Alone = time.Minute
			}
			if got := d.dies(t, b, attempt+1, pause); !got.Run || got.Phase.Attempt != attempt+2 {
				t.Errorf("attempt %d after its pause: runs %v", got.Phase.Attempt, got.Run)
			}
		}
		d.advance(time.Minute) // alone to the last moment
		if got := d.dies(t, b, 3, time.Hour); got.Run || !got.Phase.Spent() {
			t.Error("a phase runs a fourth time that was alone when its process died")
		}
	})
}

// A process that is told to stop was not killed by the run that had it for itself.
func TestAHandoverDoesNotCountAsADeath(t *testing.T) {
	t.Parallel()
	stores.EachMongo(t, func(t *testing.T, db *mongo.Database) {
		d := newDesk(t, db)
		b := request(d.newCase(t, nil))
		d.asks(t, b)
		d.dies(t, b, 1, time.Second)
		b.Alone = time.Minute
		d.dies(t, b, 2, 5*time.Second)

		p, _, err := d.HandOver(t.Context(), firm, ann, b.PhaseID, 3)
		if err != nil || p.Status != phases.Interrupted || p.Spent() {
			t.Errorf("handed over in its last attempt: %s, spent %v, %v", p.Status, p.Spent(), err)
		}
		d.advance(5 * time.Second)
		if got := d.asks(t, b); !got.Run || got.Phase.Attempt != 4 {
			t.Errorf("attempt %d after a handover: runs %v", got.Phase.Attempt, got.Run)
		}
		if got := d.dies(t, b, 4, time.Hour); got.Run || !got.Phase.Spent() {
			t.Error("a phase runs a fifth time that was alone when its process died")
		}
	})
}

// An attempt that shared its process does not count against the phase: another run may have killed it. Even so there is
// an end to it.
func TestADeathInCompanyDoesNotCount(t *testing.T) {
	t.Parallel()
	stores.EachMongo(t, func(t *testing.T, db *mongo.Database) {
		d := newDesk(t, db)
		b := request(d.newCase(t, nil))
		d.asks(t, b)
		d.dies(t, b, 1, time.Second)
		b.Alone = time.Second

		for attempt := 2; attempt < phases.MostAttempts; attempt++ {
			if got := d.dies(t, b, attempt, 5*time.Second); !got.Run || got.Phase.Attempt != attempt+1 {
				t.Fatalf("after %d deaths the phase is %s, attempt %d", attempt, got.Phase.Status, got.Phase.Attempt)
			}
			if attempt == phases.MaxAttempts-1 {
				b.Alone = 0
			} else if p, err := d.Records.Get(t.Context(), firm, b.PhaseID); err != nil || !p.AloneUntil.IsZero() {
				t.Errorf("attempt %d is alone until %v, %v", attempt+1, p.AloneUntil, err)
			}
			d.advance(time.Second + time.Millisecond) // alone no longer
		}
		got := d.dies(t, b, phases.MostAttempts, time.Hour)
		if got.Run || !got.Phase.Spent() {
			t.Errorf("a phase runs %d times", got.Phase.Attempt)
		}
	})
}

// departing are cases of which one is written at the moment when the process dies that asked for it.
type departing struct {
	cases.Store
	dies context.CancelFunc
}

func (d departing) Swap(ctx context.Context, seen, next cases.Case) (cases.Case, error) {
	d.dies()
	return d.Store.Swap(ctx, seen, next)
}

// A phase that is stored runs on, though the process died that began it: another one takes it up.
func TestAPhaseOutlivesTheProcessThatBeginsIt(t *testing.T) {
	t.Parallel()
	stores.EachMongo(t, func(t *testing.T, db *mongo.Database) {
		d := newDesk(t, db)
		b := request(d.newCase(t, nil))
		ctx, dies := context.WithCancel(t.Context())
		stored := d.Cases
		d.Cases, d.Joint = departing{stored, dies}, nil
		_, _ = d.Begin(ctx, firm, ann, b) // nobody hears the answer
		d.Cases = stored

		p, err := d.Records.Get(t.Context(), firm, b.PhaseID)
		if err != nil || p.Status != phases.Running {
			t.Errorf("the phase is %s, %+v, %v", p.Status, p.Failure, err)
		}
	})
}

// How long a run is alone follows from how long it lived before.
func TestARunIsAloneForTwiceItsLife(t *testing.T) {
	t.Parallel()
	stores.EachMongo(t, func(t *testing.T, db *mongo.Database) {
		d := newDesk(t, db)
		b := request(d.newCase(t, nil))
		d.asks(t, b)
		d.advance(20 * time.Second)
		p, _, err := d.Interrupt(t.Context(), firm, ann, b.PhaseID, 1)
		if err != nil || p.AloneFor() != 40*time.Second || p.OnLast() {
			t.Errorf("alone for %v, last %v, %v", p.AloneFor(), p.OnLast(), err)
		}
	})
}

// Who has no place for the run keeps its place in line, and holds up nobody behind it.
func TestWhoCannotBeginLetsOthersPass(t *testing.T) {
	t.Parallel()
	stores.EachMongo(t, func(t *testing.T, db *mongo.Database) {
		d, _, running, waiters := line(t, db, 3)
		passing := waiters[0]
		passing.Pass = true
		d.end(t, running.PhaseID, completed(1))
		if got := d.asks(t, passing); got.Run || got.Place != 1 {
			t.Errorf("who has no place for the run: runs %v, place %d", got.Run, got.Place)
		}
		if d.asks(t, waiters[2]).Run {
			t.Error("the third gets in before the second, which would begin")
		}
		if got := d.asks(t, waiters[1]); !got.Run || got.Phase.Sequence != 2 {
			t.Errorf("the second in line runs: %v, as number %d", got.Run, got.Phase.Sequence)
		}
		d.end(t, waiters[1].PhaseID, completed(1))
		if got := d.asks(t, waiters[0]); !got.Run || got.Phase.Sequence != 3 {
			t.Errorf("the first in line runs: %v, as number %d", got.Run, got.Phase.Sequence)
		}
		if got, err := d.Records.Get(t.Context(), firm, waiters[0].PhaseID); err != nil || got.Passing {
			t.Errorf("the phase that runs lets others pass: %v", err)
		}
	})
}

// told keeps what tasks are told of their phases.
type told struct{ states []string }

func (*told) Begins(context.Context, phases.Phase, phases.Turn) error { return nil }
func (*told) Undo(context.Context, phases.Phase) error                { return nil }

func (*told) Waiting(context.Context, time.Time, int) ([]phases.Phase, error) { return nil, nil }

func (w *told) Stands(_ context.Context, p phases.Phase) error {
	w.states = append(w.states, p.Status)
	return nil
}

// asking has somebody ask for a phase at the moment when it is removed.
type asking struct {
	phases.Records
	ask func()
}

func (a asking) Remove(ctx context.Context, p phases.Phase) error {
	a.ask()
	return a.Records.Remove(ctx, p)
}

// The task of a wait has failed once its phase is gone, and not when somebody asked for it in the last moment.
func TestATaskFailsWithTheWaitThatWasLetGo(t *testing.T) {
	t.Parallel()

	for name, asked := range map[string]bool{"nobody asks": false, "somebody asks in the last moment": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stores.EachMongo(t, func(t *testing.T, db *mongo.Database) {
				d, c, _, _ := line(t, db, 0)
				heard := &told{}
				d.Tasks = heard
				late := waiting(c)
				late.Turn = &phases.Turn{TaskID: late.PhaseID, ContextID: "context", MessageID: "message"}
				d.asks(t, late)
				behind := waiting(c)
				d.asks(t, behind)

				for range phases.WaiterLost / time.Second {
					d.advance(time.Second)
					d.asks(t, behind)
				}
				d.advance(time.Second)
				records := d.Records
				d.Records = asking{records, func() {
					d.Records = records
					if asked {
						d.asks(t, late)
					}
				}}
				d.asks(t, behind)

				_, err := records.Get(t.Context(), firm, late.PhaseID)
				if gone := errors.Is(err, phases.ErrNotFound); gone == asked {
					t.Errorf("the phase is there: %v", err)
				}
				if failed := slices.Contains(heard.states, phases.Failed); failed == asked {
					t.Errorf("its task was told %v", heard.states)
				}
			})
		})
	}
}

// dying tells tasks nothing any more.
type dying struct{ phases.Tasks }

func (dying) Stands(context.Context, phases.Phase) error { return errs.ErrUnavailable }

// Lists tell of a task what whoever reads it is told, even where case-svc died between letting its wait go and telling
// the task.
func TestATaskThatWasNotToldOfTheEndOfItsWait(t *testing.T) {
	t.Parallel()
	stores.EachMongo(t, func(t *testing.T, db *mongo.Database) {
		d, c, _, _ := line(t, db, 0)
		store := mongostore.NewTasks(db)
		waits := func() phases.Begin {
			b := waiting(c)
			b.Turn = &phases.Turn{TaskID: b.PhaseID, ContextID: "context", MessageID: "message"}
			d.asks(t, b)

			return b
		}
		lost := waits()
		kept, sweep := d.Tasks, phases.LineSweep{Phases: d.Service}
		d.advance(2*phases.WaiterLost + time.Second)
		if err := sweep.Sweep(t.Context(), 10); err != nil {
			t.Fatal(err)
		}
		d.advance(phases.WaiterLost)
		d.Tasks = dying{kept}
		if err := sweep.Sweep(t.Context(), 10); err == nil {
			t.Fatal("the task was told")
		}
		d.Tasks = kept
		there := waits() // just now, and so still in line
		if err := sweep.Sweep(t.Context(), 10); err != nil {
			t.Fatal(err)
		}

		for want, b := range map[string]phases.Begin{api.A2AFailed: lost, api.A2ASubmitted: there} {
			found, err := store.List(t.Context(), firm, ann.UserID, tasks.Filter{State: want}, nil, 10)
			if err != nil || len(found) != 1 || found[0].ID != b.PhaseID {
				t.Errorf("listed as %s are %+v, %v", want, found, err)
			}
		}
	})
}
