package phases

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/instant"
)

// WaiterLost is after how long a phase leaves the line when nobody asks for its turn, though others could: whoever
// waits asks every second, and a question that is on its way may take ten.
const WaiterLost = 12 * time.Second

// Codes of ends that no attempt came to: the last one left what nobody finished.
const (
	CodeInterrupted = "interrupted"
	CodeCallerGone  = "caller_gone"
)

// Abandoned reports whether the phase was ended because it could not go on, so that no attempt of it finished.
func (p Phase) Abandoned() bool {
	return p.Failure != nil && (p.Failure.Code == CodeInterrupted || p.Failure.Code == CodeCallerGone)
}

// inLine returns the phases that wait for a branch, in the order of their arrival.
func (l *Service) inLine(ctx context.Context, branch Branch) ([]Phase, error) {
	return l.Records.Queue(ctx, branch.Tenant, branch.ID, 2*l.MostInLine+1)
}

// steadySince returns since when whoever waits for p has asked for it without a break, if it asks now.
func (p Phase) steadySince(now time.Time) time.Time {
	if now.Sub(p.Since) > WaiterLost {
		return now
	}

	return p.Steady
}

// lineBehind returns the line in which the phase own waits, whose turn somebody asks for now. It removes phases
// that nobody asks for any more. If own itself was not asked for a while, as when the store failed, the others get
// WaiterLost to come back first.
func (l *Service) lineBehind(ctx context.Context, branch Branch, own Phase) ([]Phase, error) {
	all, err := l.inLine(ctx, branch)
	if err != nil {
		return nil, err
	}
	now := l.Now()
	lost := now.Add(-WaiterLost)
	// Who has just come back cannot know who is lost: while the store was away nobody could ask.
	if own.steadySince(now).After(lost) {
		return all, nil
	}
	var waiting []Phase

	for _, p := range all {
		if p.ID == own.ID || !p.Since.Before(lost) {
			waiting = append(waiting, p)
			continue
		}
		if err := l.letGo(ctx, p); err != nil {
			return nil, err
		}
	}

	return waiting, nil
}

// lineKnown is for how long a branch says that phases wait for it after the last one said so: they ask every second.
const lineKnown = time.Minute

// lined reports whether phases may wait for the branch, so that whoever comes has to look.
func (b Branch) lined(now time.Time) bool { return now.Sub(b.LinedAt).Abs() < lineKnown }

// formLine has the branch say that phases wait for it. Another writer of the branch may be first: then it is said
// again.
func (l *Service) formLine(ctx context.Context, branch Branch) error {
	for range rounds {
		// Half the time is left, so the branch is written twice a minute and not at each question.
		if l.Now().Sub(branch.LinedAt).Abs() < lineKnown/2 {
			return nil
		}
		branch.LinedAt = instant.Of(l.Now())

		err := l.Branches.ReplaceBranch(ctx, branch)
		if !errors.Is(err, errs.ErrTaken) {
			return err
		}
		if branch, err = l.Branches.Branch(ctx, branch.Tenant, branch.ID); err != nil {
			return err
		}
	}

	return cases.ErrBusy
}

// join puts a new phase at the end of the line. The number that it gets there, which is unique on the branch, is its
// place for good.
func (l *Service) join(ctx context.Context, by audit.Actor, b Begin, box Container, branch Branch) (Begun, error) {
	p := l.draft(by, b, box, branch)
	// It gets its parent and its number in the chain when it begins: until then the head moves.
	p.Status, p.ParentID, p.PrevHash, p.StartedAt, p.Waiter = Queued, "", "", time.Time{}, b.Waiter
	p.Steady = p.Since

	if err := l.attend(ctx, p, b.Turn); err != nil {
		return Begun{}, err
	}
	err := l.formLine(ctx, branch)
	if err != nil {
		return Begun{}, errors.Join(err, l.undo(ctx, p))
	}
	err = ErrSequence

	for range rounds * max(1, l.MostInLine) { // each round follows an arrival
		last, failed := l.Records.LastInLine(ctx, branch.Tenant, branch.ID)
		if failed != nil {
			return Begun{}, errors.Join(failed, l.undo(ctx, p))
		}
		// Numbers in line are below zero and count down, so they never meet those of the chain, which are unique on the
		// branch too.
		p.Sequence = last - 1
		if err = l.Records.Insert(ctx, p); !errors.Is(err, ErrSequence) {
			break
		}
	}

	switch {
	case errors.Is(err, errs.ErrTaken):
		return l.twin(ctx, b, box, branch.ID)
	case errors.Is(err, ErrSequence):
		return Begun{}, errors.Join(ErrLineFull, l.undo(ctx, p))
	case err != nil:
		return Begun{}, errors.Join(err, l.undo(ctx, p))
	}
	begun, _, err := l.place(ctx, branch, p)
	// in a crowd the phase may be beyond what is read of the line
	beyond := errors.Is(err, ErrNotFound)
	if beyond || err == nil && begun.Place > l.MostInLine {
		begun, err = Begun{}, errors.Join(ErrLineFull, l.Records.Remove(ctx, p), l.undo(ctx, p))
	}
	begun.Container = box

	return begun, err
}

// place says where p stands in line, and who has the branch. next is true when nobody ahead of p wants the branch.
func (l *Service) place(ctx context.Context, branch Branch, p Phase) (at Begun, next bool, err error) {
	line, err := l.lineBehind(ctx, branch, p)
	if err != nil {
		return Begun{}, false, err
	}
	held, err := l.Claims.Holder(ctx, branch.Tenant, branch.ID)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return Begun{}, false, err
	}
	i := slices.IndexFunc(line, func(other Phase) bool { return other.ID == p.ID })
	if i < 0 { // let go of at this very moment
		return Begun{}, false, ErrNotFound
	}
	// Those who pass keep their place and let others go first.
	next = !slices.ContainsFunc(line[:i], func(other Phase) bool { return !other.Passing })

	return Begun{Phase: p, Place: i + 1, Ahead: held.PhaseID}, next, nil
}

// turn answers for a phase that waits: it begins when it is the first in line that can and the branch is free, and
// keeps its place otherwise. Another process may ask for the same phase; the last to ask is the one that waits.
func (l *Service) turn(ctx context.Context, by audit.Actor, b Begin, box Container, p Phase) (Begun, error) {
	on := b
	on.BranchID = p.BranchID // where nobody named one, another may be the active one by now

	branch, err := l.branch(ctx, by, on, box)
	if err != nil {
		return Begun{}, err
	}
	if err := l.formLine(ctx, branch); err != nil {
		return Begun{}, err
	}
	begun, first, err := l.place(ctx, branch, p)
	if err != nil {
		return Begun{}, err
	}
	begun.Container = box
	// The claim decides among processes that ask at the same moment.
	if first && !b.Hold && !b.Pass {
		switch err := l.claim(ctx, branch, p.ID); {
		case err == nil:
			return l.enterBranch(ctx, by, b, box, p)
		case !errors.Is(err, ErrBranchBusy):
			return Begun{}, err
		}
	}
	next, now := p, instant.Of(l.Now())
	// Each question is a sign of life, by which the line knows who still waits.
	next.Steady, next.Since, next.Waiter, next.Passing = p.steadySince(now), now, b.Waiter, b.Pass

	err = l.Records.Replace(ctx, next)
	if err != nil && !errors.Is(err, errs.ErrTaken) { // else somebody else asked, or ended it
		return Begun{}, err
	}

	return begun, nil
}

// enterBranch has a phase that waited run, under its claim.
func (l *Service) enterBranch(ctx context.Context, by audit.Actor, b Begin, box Container, p Phase) (Begun, error) {
	begun, err := l.begins(ctx, by, b, box, p)
	if err != nil || !begun.Run && begun.Phase.Status == Queued {
		err = errors.Join(err, l.Claims.Release(context.WithoutCancel(ctx), p.Tenant, p.BranchID, p.ID))
	}

	return begun, err
}

func (l *Service) begins(ctx context.Context, by audit.Actor, b Begin, box Container, p Phase) (Begun, error) {
	if err := l.admit(ctx, p.Tenant, by, b, box); err != nil {
		return Begun{}, err
	}

	branch, err := l.Branches.Branch(ctx, p.Tenant, p.BranchID) // its head stands still from now on
	switch {
	case err != nil:
		return Begun{}, err
	case branch.Archived:
		return Begun{}, ErrBranchArchived
	}
	// It is made anew on the head as it is now; only who made it and when stays.
	next := l.draft(by, b, box, branch)
	next.Version, next.CreatedBy, next.CreatedAt = p.Version, p.CreatedBy, p.CreatedAt

	err = l.replace(ctx, l.entry(by, "phase.begin", next), next)
	switch {
	case errors.Is(err, errs.ErrTaken): // another process was first, or it was ended
		p, err := l.Records.Get(ctx, p.Tenant, p.ID)
		return Begun{Phase: p, Container: box}, err
	case err != nil:
		return Begun{}, err
	}
	next.Version++
	if err := l.stands(ctx, next); err != nil {
		return Begun{}, err
	}
	// The case may have been closed while the phase waited.
	if err := l.confirm(ctx, by, next, nil); err != nil {
		return Begun{}, err
	}
	l.Recent.keep(next, branch)

	return Begun{Phase: next, Container: box, Run: true}, nil
}

// Leave takes a phase out of the line unless somebody else waits for it by now. One that does not wait stays as it is.
func (l *Service) Leave(ctx context.Context, tenant, id, waiter string) error {
	p, err := l.Records.Get(ctx, tenant, id)
	switch {
	case errors.Is(err, ErrNotFound):
		return nil
	case err != nil:
		return err
	case p.Status != Queued, p.Waiter != waiter:
		return nil
	}

	return l.letGo(ctx, p)
}

// letGo takes a phase out of the line. The task that it was a turn of has failed then; until it is told, whoever reads
// it finds no phase, which says the same. A phase that somebody asked for in the last moment stays, and so does its
// task.
func (l *Service) letGo(ctx context.Context, p Phase) error {
	if err := l.Records.Remove(ctx, p); err != nil {
		return err
	}
	if p.TaskID == "" {
		return nil
	}
	if _, err := l.Records.Get(ctx, p.Tenant, p.ID); !errors.Is(err, ErrNotFound) {
		return err
	}
	p.Status = Failed

	return l.stands(ctx, p)
}

// LineSweep looks after all lines, for one caller at a time.
type LineSweep struct {
	Phases *Service

	overdue map[string]overdue // by tenant and id of the phase
}

// overdue is a phase in line that the last look found nobody asking for.
type overdue struct {
	version int64 // each question makes a new one
	at      time.Time
}

// Sweep lets go of up to most phases of all tenants that nobody waits for any more, and has those tasks fail whose
// phase was let go of by a process that died before it told them.
func (s *LineSweep) Sweep(ctx context.Context, most int) error {
	l := s.Phases
	found, err := l.Records.Forgotten(ctx, l.Now().Add(-2*WaiterLost), most)

	for _, p := range s.lost(found) {
		err = errors.Join(err, l.letGo(ctx, p))
	}
	waiting, failed := l.Tasks.Waiting(ctx, l.Now().Add(-2*WaiterLost), most)
	err = errors.Join(err, failed)

	for _, p := range waiting {
		err = errors.Join(err, l.tellTask(ctx, p))
	}

	return err
}

// tellTask has a task whose newest phase is p learn how that stands: the process that was to tell it may have died. A
// phase that is not there has failed.
func (l *Service) tellTask(ctx context.Context, p Phase) error {
	found, err := l.Records.Get(ctx, p.Tenant, p.ID)

	switch {
	case errors.Is(err, ErrNotFound):
		p.Status = Failed
		return l.stands(ctx, p)
	case err != nil:
		return err
	case found.Open(), found.Status == Queued:
		return nil
	}

	return l.stands(ctx, found)
}

// lost returns those of the phases that nobody has asked for since another look, which is WaiterLost ago or more: the
// store answered at both, so whoever waits could have asked meanwhile. The others are looked at again.
func (s *LineSweep) lost(found []Phase) []Phase {
	now := s.Phases.Now()
	seen := make(map[string]overdue, len(found))
	var lost []Phase

	for _, p := range found {
		key := p.Tenant + "/" + p.ID
		before, known := s.overdue[key]

		switch {
		// Somebody has asked for it since, or this is the first look.
		case !known, before.version != p.Version:
			seen[key] = overdue{p.Version, now}
		case now.Sub(before.at) >= WaiterLost:
			lost = append(lost, p)
		default:
			seen[key] = before
		}
	}
	s.overdue = seen

	return lost
}
