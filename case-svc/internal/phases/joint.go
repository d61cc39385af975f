package phases

import (
	"context"
	"errors"

	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/errs"
)

// ErrApart says that a store does one write at a time. Nothing was written.
var ErrApart = errors.New("the store does one write at a time")

// Opening is what is written when a phase of a case begins.
type Opening struct {
	Session Session // without an id when it is known to be the user's
	Claim   Claim
	Deed    audit.Entry
	Phase   Phase
	Seen    cases.Case // as it was read before
	Next    cases.Case // takes the place of Seen
}

// OpeningStep is one of the writes of an Opening.
type OpeningStep int

// Steps of an Opening in their order. Any is of a failure by which the first of them may have been done.
const (
	Any OpeningStep = iota
	AtSession
	AtClaim
	AtDeed
	AtPhase
	AtCase
	Opened // all are done
)

// Joint does writes that follow each other in one trip to the store. Each method returns ErrApart when the store cannot
// do that.
type Joint interface {
	// Open does the writes of an opening in their order, up to the first that fails, and says which that was. At
	// session, claim and phase errs.ErrTaken says that there is one; at the phase ErrSequence that the branch has one
	// of this number; at the case errs.ErrTaken that it is not Seen any more. A phase that is not stored after its
	// entry was recorded is recorded as failed.
	Open(ctx context.Context, o Opening) (OpeningStep, error)
	// Replace appends an entry and replaces the phase, as Records.Replace does. When that fails it is recorded as
	// failed.
	Replace(ctx context.Context, d audit.Entry, p Phase) error
	// Follow replaces the branch of a phase that has ended, as BranchStore.ReplaceBranch does, and notes the end, as
	// TimelineWriter.PhaseEnded does. Either may fail alone.
	Follow(ctx context.Context, p Phase, b Branch) (moved, noted error)
}

// atOnce begins a phase of a case in one trip, when nothing stands in its way. ok is false when something may: then
// nothing is stored but perhaps its claim and its session, and without an error whoever goes step by step finds out
// what it is.
//
// The branch is read after the case and before it is claimed. What happens to it in between is found out: a phase that
// ended has taken the number, and whoever archives a branch writes the case afterwards, so that it is not as it was
// seen.
func (l *Service) atOnce(
	ctx context.Context, by audit.Actor, b Begin, box Container,
) (begun Begun, ok bool, err error) {
	if box.Case == nil || b.Turn != nil || box.Case.Marks(by) {
		return Begun{}, false, nil
	}
	branch, err := l.branch(ctx, by, b, box)
	if err != nil {
		return Begun{}, false, err
	}
	tip, _ := branch.Tip()
	if branch.lined(l.Now()) || b.ParentID != "" && b.ParentID != tip {
		return Begun{}, false, nil
	}
	p := l.draft(by, b, box, branch)

	// From here on it is done to its end: whoever asked for it may die, and another process takes it up.
	standing, cancel := toTheEnd(ctx)
	defer cancel()

	at, err := l.openIn(standing, by, l.opening(by, p, *box.Case))
	if at == AtSession {
		return Begun{}, false, err
	}

	after, done := toTheEnd(ctx) // what a slow store made of the opening is seen to with time of its own
	defer done()

	switch {
	case at == AtClaim && errors.Is(err, errs.ErrTaken):
		return Begun{}, false, nil
	case at == AtPhase && errors.Is(err, ErrSequence): // the branch is claimed, and its head is to be read anew
		return Begun{}, false, nil
	case at == AtPhase && errors.Is(err, errs.ErrTaken):
		if begun, err = l.twin(after, b, box, branch.ID); err == nil {
			return begun, true, nil
		}
	case at == AtCase:
		if err := l.retouch(after, by, b, box, p, err); err != nil {
			return Begun{}, true, err // the phase has ended, and freed its branch
		}
		err = nil
	}
	if err != nil {
		return Begun{}, true, errors.Join(err, l.giveUp(ctx, p.Tenant, p.BranchID, p.ID))
	}
	l.Recent.keep(p, branch)

	return Begun{Phase: p, Container: box, Run: true}, true, nil
}

// opening is what is written when by begins p in a case as it was seen.
func (l *Service) opening(by audit.Actor, p Phase, seen cases.Case) Opening {
	o := Opening{
		Claim: Claim{BranchID: p.BranchID, Tenant: p.Tenant, Version: 1, PhaseID: p.ID, Since: p.Since},
		Deed:  l.entry(by, "phase.begin", p), Phase: p, Seen: seen, Next: seen.WithPhase(l.Now()),
	}
	if l.Recent.userOf(p.Tenant, p.SessionID) != by.UserID {
		o.Session = Session{ID: p.SessionID, Tenant: p.Tenant, UserID: by.UserID, Since: p.Since}
	}

	return o
}

// openIn does an opening in its session, which somebody may have used before.
func (l *Service) openIn(ctx context.Context, by audit.Actor, o Opening) (OpeningStep, error) {
	at, err := l.open(ctx, o)
	if at == AtSession && errors.Is(err, errs.ErrTaken) {
		if err := l.bind(ctx, o.Phase.Tenant, by, o.Phase.SessionID); err != nil {
			return AtSession, err
		}
		o.Session = Session{}
		at, err = l.open(ctx, o)
	}
	if at > AtSession && o.Session.ID != "" {
		l.Recent.bound(o.Session)
	}

	return at, err
}

// retouch goes on after the case of a stored phase could not be written, which came to err. Perhaps somebody has
// archived the branch before it was claimed, or ended the case: then the phase ends.
func (l *Service) retouch(ctx context.Context, by audit.Actor, b Begin, box Container, p Phase, err error) error {
	if !errors.Is(err, errs.ErrTaken) {
		return l.reconfirm(ctx, by, p, true, err)
	}
	if _, err := l.branch(ctx, by, b, box); err != nil {
		return errors.Join(err, l.stillborn(ctx, by, p, err))
	}

	return l.reconfirm(ctx, by, p, true, err)
}

// open does an opening in one trip, or step by step where the store wants that.
func (l *Service) open(ctx context.Context, o Opening) (OpeningStep, error) {
	if l.Joint != nil {
		at, err := l.Joint.Open(ctx, o)
		if !errors.Is(err, ErrApart) {
			return at, err
		}
	}
	if o.Session.ID != "" {
		owner, err := l.Claims.Bind(ctx, o.Session)
		if err == nil && owner.UserID != o.Session.UserID {
			err = errs.ErrTaken
		}
		if err != nil {
			return AtSession, err
		}
	}
	if _, err := l.Claims.Claim(ctx, o.Claim); err != nil {
		return AtClaim, err
	}
	at := AtDeed

	err := audit.Do(ctx, l.Journal, o.Deed, func() error {
		at = AtPhase
		return l.Records.Insert(ctx, o.Phase)
	})
	if err != nil {
		return at, err
	}
	if _, err := l.Cases.Swap(ctx, o.Seen, o.Next); err != nil {
		return AtCase, err
	}

	return Opened, nil
}

// replace appends an entry, then replaces the phase.
func (l *Service) replace(ctx context.Context, d audit.Entry, p Phase) error {
	if l.Joint != nil {
		if err := l.Joint.Replace(ctx, d, p); !errors.Is(err, ErrApart) {
			return err
		}
	}

	return audit.Do(ctx, l.Journal, d, func() error { return l.Records.Replace(ctx, p) })
}
