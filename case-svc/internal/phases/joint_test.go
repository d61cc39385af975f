package phases_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/phases"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

// What is done in one trip leaves the same records as what is done step by step.
func TestOneTripLeavesWhatStepsLeave(t *testing.T) {
	t.Parallel()
	stores.EachMongo(t, func(t *testing.T, db *mongo.Database) {
		var told [3][]string

		for i := range told {
			d := newDesk(t, db)
			if i == 0 {
				d.Joint = nil
			}
			c := d.newCase(t, nil)
			first, second, third := request(c), request(c), request(c)
			first.Fresh, second.Fresh, third.Fresh = i == 2, i == 2, i == 2
			third.SessionID = first.SessionID
			told[i] = append(told[i], d.fares(t, first), d.fares(t, first), d.fares(t, second))
			if _, err := d.End(t.Context(), firm, ann, first.PhaseID, completed(1)); err != nil {
				t.Fatal(err)
			}
			if _, err := d.End(t.Context(), firm, ann, first.PhaseID, completed(1)); err != nil {
				t.Fatal(err)
			}
			told[i] = append(told[i], d.fares(t, second))
			first.Fresh = false // else it is on record as a failed entry, since it is looked for only then
			told[i] = append(told[i], d.fares(t, first))
			_, err := d.Begin(t.Context(), firm, bob, third)
			told[i] = append(told[i], errorOf(err))

			for _, entry := range d.journal.deeds {
				told[i] = append(told[i], entry.Action+" "+entry.Outcome)
			}
			now, err := d.cases.Get(t.Context(), firm, c.ID)
			if err != nil || now.Counts.Phases != 2 {
				t.Errorf("the case counts %d phases, %v", now.Counts.Phases, err)
			}
			one, _ := d.Records.Get(t.Context(), firm, first.PhaseID)
			two, _ := d.Records.Get(t.Context(), firm, second.PhaseID)
			if one.Sequence != 1 || two.Sequence != 2 || two.ParentID != one.ID || two.PrevHash != one.Hash {
				t.Errorf("the phases do not follow: %+v\n%+v", one, two)
			}
		}
		if diff := cmp.Diff(told[0], told[1]); diff != "" {
			t.Errorf("step by step (-) and in one trip (+):\n%s", diff)
		}
		if diff := cmp.Diff(told[1], told[2]); diff != "" {
			t.Errorf("looked for (-) and not looked for (+):\n%s", diff)
		}
	})
}

// fares begins a phase, and says what came of it.
func (d *desk) fares(t *testing.T, b phases.Begin) string {
	t.Helper()
	begun, err := d.Begin(t.Context(), firm, ann, b)
	if err != nil {
		return errorOf(err)
	}
	if begun.Run {
		return "runs"
	}

	return begun.Phase.Status
}

func errorOf(err error) string {
	for _, known := range []error{phases.ErrBranchBusy, phases.ErrSession, phases.ErrConflict} {
		if errors.Is(err, known) {
			return known.Error()
		}
	}
	if err != nil {
		return "another error"
	}

	return "none"
}

// lagging is a tree of which the first branch that is read changes right after that.
type lagging struct {
	phases.BranchStore
	then func()
}

func (l lagging) Branch(ctx context.Context, tenant, id string) (phases.Branch, error) {
	b, err := l.BranchStore.Branch(ctx, tenant, id)
	l.then()

	return b, err
}

// A branch that changes between the look at it and its claim is found out.
func TestABranchThatChangesBeforeItIsClaimed(t *testing.T) {
	t.Parallel()
	stores.EachMongo(t, func(t *testing.T, db *mongo.Database) {
		d, other := newDesk(t, db), newDesk(t, db)
		c := d.newCase(t, nil)
		box, err := d.Container(t.Context(), firm, phases.CaseContainer, c.ID)
		if err != nil {
			t.Fatal(err)
		}
		fork := func(id string) phases.Begin {
			b := request(c)
			if _, err := other.Fork(t.Context(), ann, box, phases.Fork{ID: id}); err != nil {
				t.Fatal(err)
			}
			b.BranchID = id

			return b
		}
		begins := func(b phases.Begin, then func()) (phases.Begun, error) {
			plain := d.Branches

			d.Branches = lagging{plain, sync.OnceFunc(then)}
			defer func() { d.Branches = plain }()

			return d.Begin(t.Context(), firm, ann, b)
		}

		t.Run("archived", func(t *testing.T) {
			b := fork(uuid.NewString())
			var archiving error
			_, err := begins(b, func() {
				yes := true
				_, archiving = other.Revise(t.Context(), ann, box, b.BranchID, nil, phases.Revision{Archived: &yes})
			})
			if archiving != nil || !errors.Is(err, phases.ErrBranchArchived) {
				t.Errorf("Begin = %v, want %v; archiving: %v", err, phases.ErrBranchArchived, archiving)
			}
			p, err := d.Records.Get(t.Context(), firm, b.PhaseID)
			if err == nil && p.Open() {
				t.Errorf("a phase runs on an archived branch: %+v", p)
			}
			if _, err := d.Claims.Holder(t.Context(), firm, b.BranchID); !errors.Is(err, phases.ErrNotFound) {
				t.Errorf("the branch is claimed: %v", err)
			}
			now, err := d.cases.Get(t.Context(), firm, c.ID)
			if err != nil || now.Counts.Phases != 1 {
				t.Errorf("the case counts %d phases, %v, want the one that did not run", now.Counts.Phases, err)
			}
		})
		t.Run("another phase came and went", func(t *testing.T) {
			b := fork(uuid.NewString())
			quick := request(c)
			quick.BranchID = b.BranchID
			var failed [2]error
			begun, err := begins(b, func() {
				_, failed[0] = other.Begin(t.Context(), firm, ann, quick)
				_, failed[1] = other.End(t.Context(), firm, ann, quick.PhaseID, completed(1))
			})
			err = errors.Join(err, failed[0], failed[1])
			if err != nil || !begun.Run || begun.Phase.Sequence != 2 || begun.Phase.ParentID != quick.PhaseID {
				t.Errorf("Begin = %+v, %v", begun, err)
			}
		})
	})
}

// A branch that never learned of the end of its phase, and has no claim that would tell, is set right.
func TestABranchThatMissedAnEnd(t *testing.T) {
	t.Parallel()
	stores.EachMongo(t, func(t *testing.T, db *mongo.Database) {
		d := newDesk(t, db)
		c := d.newCase(t, nil)
		first, second := request(c), request(c)
		if got := d.fares(t, first); got != "runs" {
			t.Fatal(got)
		}
		p, err := d.Records.Get(t.Context(), firm, first.PhaseID)
		if err != nil {
			t.Fatal(err)
		}
		p.Status, p.EndedAt, p.Hash = phases.Failed, noon, p.ChainHash()
		p.Failure = &phases.Failure{Code: "store_unavailable", Message: "It ended."}
		err = errors.Join(d.Records.Replace(t.Context(), p), d.Claims.Release(t.Context(), firm, p.BranchID, p.ID))
		if err != nil {
			t.Fatal(err)
		}
		if got := []string{d.fares(t, second), d.fares(t, second)}; got[1] != "runs" {
			t.Errorf("a phase after the one that was missed = %q", got)
		}
	})
}

// A request whose phase is there finds it, though its sender knew nothing of it, whatever has become of the case.
func TestAFreshRequestFindsThePhaseThatIsThere(t *testing.T) {
	t.Parallel()
	stores.EachMongo(t, func(t *testing.T, db *mongo.Database) {
		d := newDesk(t, db)
		c := d.newCase(t, nil)
		b := request(c)
		b.Fresh = true
		if got := d.fares(t, b); got != "runs" {
			t.Fatal(got)
		}
		if got := d.fares(t, b); got != phases.Running {
			t.Errorf("while it runs it is %s", got)
		}
		if _, err := d.End(t.Context(), firm, ann, b.PhaseID, completed(1)); err != nil {
			t.Fatal(err)
		}
		if got := d.fares(t, b); got != phases.Completed {
			t.Errorf("when it has ended it is %s", got)
		}
		other := b
		other.Fingerprint = digest("something else")
		if got := d.fares(t, other); got != phases.ErrConflict.Error() {
			t.Errorf("another request of its id: %s", got)
		}
		next := request(c)
		next.Fresh = true
		if got := d.fares(t, next); got != "runs" {
			t.Errorf("the next one: %s", got)
		}
		over := func(c *cases.Case) error { c.Status = cases.Closed; return nil }
		_, err := d.cases.Update(t.Context(), firm, c.ID, over)
		if err != nil {
			t.Fatal(err)
		}
		if got := d.fares(t, b); got != phases.Completed {
			t.Errorf("when the case is closed it is %s", got)
		}
	})
}

// A phaseId that was used before leaves no branch claimed, whichever branch its phase is on.
func TestAUsedPhaseIDLeavesNoBranchClaimed(t *testing.T) {
	t.Parallel()
	stores.EachMongo(t, func(t *testing.T, db *mongo.Database) {
		for _, tc := range []struct {
			name  string
			ended bool
			on    func(t *testing.T, d *desk, used phases.Begin) phases.Begin // the request that uses the id again
			want  string
		}{
			{"of another case, ended", true, onAnotherCase, phases.ErrConflict.Error()},
			{"of another case, running", false, onAnotherCase, phases.ErrConflict.Error()},
			{"of another branch, ended", true, onAnotherBranch, phases.Completed},
			{"of another branch, running", false, onAnotherBranch, phases.Running},
		} {
			t.Run(tc.name, func(t *testing.T) {
				d := newDesk(t, db)
				used := request(d.newCase(t, nil))
				d.begin(t, ann, used)
				if tc.ended {
					d.end(t, used.PhaseID, completed(1))
				}
				again := tc.on(t, d, used)
				again.Fresh = true
				if got := d.fares(t, again); got != tc.want {
					t.Errorf("the id again: %s, want %s", got, tc.want)
				}

				next := again
				next.PhaseID = uuid.NewString()
				if got := d.fares(t, next); got != "runs" {
					t.Errorf("the next phase: %s, want it to run", got)
				}
			})
		}
	})
}

func onAnotherCase(t *testing.T, d *desk, used phases.Begin) phases.Begin {
	t.Helper()
	other := request(d.newCase(t, nil))
	other.PhaseID, other.Fingerprint = used.PhaseID, digest("of another case")

	return other
}

// onAnotherBranch is the same request to another branch, as one that names none after the active one was switched.
func onAnotherBranch(t *testing.T, d *desk, used phases.Begin) phases.Begin {
	t.Helper()
	box, err := d.Container(t.Context(), firm, phases.CaseContainer, used.ContainerID)
	if err != nil {
		t.Fatal(err)
	}
	used.BranchID = uuid.NewString()
	if _, err := d.Fork(t.Context(), ann, box, phases.Fork{ID: used.BranchID}); err != nil {
		t.Fatal(err)
	}

	return used
}

// A claim that a used phaseId has left on a branch is taken over at once, whether its phase has ended or runs.
func TestABranchThatAUsedPhaseIDHasClaimed(t *testing.T) {
	t.Parallel()
	stores.EachMongo(t, func(t *testing.T, db *mongo.Database) {
		for _, ended := range []bool{true, false} {
			d := newDesk(t, db)
			used, next := request(d.newCase(t, nil)), request(d.newCase(t, nil))
			d.begin(t, ann, used)
			if ended {
				d.end(t, used.PhaseID, completed(1))
			}
			box, err := d.Container(t.Context(), firm, phases.CaseContainer, next.ContainerID)
			if err != nil {
				t.Fatal(err)
			}
			left := phases.Claim{
				BranchID: box.ActiveBranchID, Tenant: firm, Version: 1, PhaseID: used.PhaseID, Since: noon,
			}
			if _, err := d.Claims.Claim(t.Context(), left); err != nil {
				t.Fatal(err)
			}
			if got := d.fares(t, next); got != "runs" {
				t.Errorf("with a claim of a phase elsewhere, ended %t: %s, want it to run", ended, got)
			}
		}
	})
}

// spent is a store that claims the branch of an opening, and uses up its time with that.
type spent struct {
	phases.Joint
	claims phases.Claims
	until  time.Time // when the time of the opening ends
}

func (s *spent) Open(ctx context.Context, o phases.Opening) (phases.OpeningStep, error) {
	s.until, _ = ctx.Deadline()
	_, err := s.claims.Claim(ctx, o.Claim)

	return phases.Any, errors.Join(errs.ErrUnavailable, err)
}

// freeing notes until when a claim may be released.
type freeing struct {
	phases.Claims
	until time.Time
}

func (f *freeing) Release(ctx context.Context, tenant, branchID, phaseID string) error {
	f.until, _ = ctx.Deadline()
	return f.Claims.Release(ctx, tenant, branchID, phaseID)
}

// A store that is too slow for an opening leaves time to release its claim.
func TestTheClaimOfASlowOpeningIsReleasedInTimeOfItsOwn(t *testing.T) {
	t.Parallel()
	stores.EachMongo(t, func(t *testing.T, db *mongo.Database) {
		d := newDesk(t, db)
		slow, claims := &spent{Joint: d.Joint, claims: d.Claims}, &freeing{Claims: d.Claims}
		d.Joint, d.Claims = slow, claims
		b := request(d.newCase(t, nil))
		b.Fresh = true

		if _, err := d.Begin(t.Context(), firm, ann, b); !errors.Is(err, errs.ErrUnavailable) {
			t.Fatalf("Begin = %v, want %v", err, errs.ErrUnavailable)
		}
		if !claims.until.After(slow.until) {
			t.Errorf("the release may take until %v, the opening until %v", claims.until, slow.until)
		}
	})
}

// opens counts the openings that a store does.
type opens struct {
	phases.Joint
	n int
}

func (o *opens) Open(ctx context.Context, opening phases.Opening) (phases.OpeningStep, error) {
	o.n++
	return o.Joint.Open(ctx, opening)
}

// A session that another process has begun costs no second opening.
func TestASessionOfAnotherProcessIsKnownBeforeTheOpening(t *testing.T) {
	t.Parallel()
	stores.EachMongo(t, func(t *testing.T, db *mongo.Database) {
		d, other := newDesk(t, db), newDesk(t, db)
		counted := &opens{Joint: other.Joint}
		other.Joint = counted
		first, next := request(d.newCase(t, nil)), request(d.newCase(t, nil))
		first.Fresh, next.Fresh = true, true

		if got := []string{d.fares(t, first), other.fares(t, next)}; got[0] != "runs" || got[1] != "runs" {
			t.Fatalf("the first and the next phase: %q", got)
		}
		if counted.n != 1 {
			t.Errorf("%d openings, want 1", counted.n)
		}
		foreign := request(d.newCase(t, nil))
		foreign.Fresh = true
		if _, err := newDesk(t, db).Begin(t.Context(), firm, bob, foreign); !errors.Is(err, phases.ErrSession) {
			t.Errorf("in another user's session: %v, want %v", err, phases.ErrSession)
		}
	})
}

// asked counts how often it is asked whether files are a case's.
type asked struct {
	phases.Files
	n int
}

func (a *asked) Has(ctx context.Context, tenant, caseID string, fileIDs []string) (bool, error) {
	a.n++
	return true, nil
}

// A fresh phase that cannot begin at once does not pay twice for what it may.
func TestWhatAFreshPhaseMayIsAskedOnce(t *testing.T) {
	t.Parallel()
	stores.EachMongo(t, func(t *testing.T, db *mongo.Database) {
		for name, to := range map[string]func(b *phases.Begin, d *desk){
			"a turn of a task": func(b *phases.Begin, _ *desk) {
				b.Turn = &phases.Turn{TaskID: b.PhaseID, ContextID: "context", MessageID: "message"}
			},
			"a branch that is busy": func(b *phases.Begin, d *desk) {
				other := *b
				other.PhaseID, other.FileIDs = uuid.NewString(), nil
				d.begin(t, ann, other)
			},
		} {
			t.Run(name, func(t *testing.T) {
				d := newDesk(t, db)
				files := &asked{Files: d.Files}
				d.Files = files
				b := request(d.newCase(t, nil))
				b.Fresh, b.FileIDs = true, []string{uuid.NewString()}
				to(&b, d)
				d.fares(t, b)
				if files.n != 1 {
					t.Errorf("asked %d times, want once", files.n)
				}
			})
		}
	})
}

// moves counts the attempts to write a branch.
type moves struct {
	phases.BranchStore
	n int
}

func (m *moves) ReplaceBranch(ctx context.Context, b phases.Branch) error {
	m.n++
	return m.BranchStore.ReplaceBranch(ctx, b)
}

// A branch that somebody wrote while its phase ran is read anew before its head is moved again.
func TestABranchThatChangesWhileItsPhaseRuns(t *testing.T) {
	t.Parallel()
	stores.EachMongo(t, func(t *testing.T, db *mongo.Database) {
		d := newDesk(t, db)
		c := d.newCase(t, nil)
		b := request(c)
		box := d.begin(t, ann, b).Container
		name := "another name"
		_, err := newDesk(t, db).Revise(t.Context(), ann, box, c.ActiveBranchID, nil, phases.Revision{Title: &name})
		if err != nil {
			t.Fatal(err)
		}
		branches := &moves{BranchStore: d.Branches}
		d.Branches = branches

		d.end(t, b.PhaseID, completed(1))
		now, err := d.Branches.Branch(t.Context(), firm, c.ActiveBranchID)
		if err != nil || now.HeadPhaseID != b.PhaseID || branches.n != 1 {
			t.Errorf("head %q after %d attempts, %v, want %q after one", now.HeadPhaseID, branches.n, err, b.PhaseID)
		}
	})
}
