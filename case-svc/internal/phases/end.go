package phases

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/deeplink"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/inputgate"
	"github.com/subrosa-legal/subrosa/pkg/instant"
	"github.com/subrosa-legal/subrosa/pkg/validate"
	"golang.org/x/sync/errgroup"
)

// Outcome is how an attempt ended.
type Outcome struct {
	Attempt        int // 0 for a phase that waits in line
	Status         string
	Response       []byte           // JSON, for completed and refused
	Words          []inputgate.Text // the free text of the response, which passes the gate again
	Kind           string           // of the response
	Reasons        []string         // why a person has to review it
	NeedsReview    bool
	ResponseSHA256 string
	Failure        *Failure // for failed and cancelled
	Engine         Engine
	ToolCalls      []ToolCall
	Usage          Usage
	Stream         StreamMarks
}

// rounds bounds how often a step begins again because another writer was first.
const rounds = 5

// End ends an attempt and frees the branch. It takes effect once: the same outcome again is a success, and completes
// what a crash left; another outcome, or another attempt, is ErrTransition.
func (l *Service) End(ctx context.Context, tenant string, by audit.Actor, id string, o Outcome) (Phase, error) {
	if err := checkOutcome(o); err != nil {
		return Phase{}, err
	}

	p, _, known := l.Recent.of(tenant, id)
	// What this process remembers saves a read. It may be old, so only the first round trusts it.
	known = known && o.ends(p)

	defer l.Recent.forget(tenant, id)

	for range rounds {
		var err error
		if !known {
			p, err = l.Records.Get(ctx, tenant, id)
		}
		if err != nil {
			return Phase{}, err
		}
		known = false
		// Nothing of an answer is stored that the gate has not read, whoever wrote it.
		if err := l.judge(ctx, p, o); err != nil {
			return Phase{}, err
		}
		if p.Open() || p.Status == Queued {
			p, err = l.end(ctx, by, p, o)
			if errors.Is(err, errs.ErrTaken) {
				continue
			}
			if err != nil {
				return Phase{}, err
			}
		} else if !same(p, o) {
			return Phase{}, ErrTransition
		}

		// Also for an outcome that is there already: whoever stored it may have died before what follows.
		return p, l.settle(ctx, p)
	}

	return Phase{}, cases.ErrBusy
}

// TypeOf returns the request type of a phase, which never changes.
func (l *Service) TypeOf(ctx context.Context, tenant, id string) (string, error) {
	if p, _, known := l.Recent.of(tenant, id); known {
		return p.RequestType, nil
	}
	p, err := l.Records.Get(ctx, tenant, id)

	return p.RequestType, err
}

func checkOutcome(o Outcome) error {
	var f validate.List
	f.OneOf("status", o.Status, Completed, Refused, Failed, Cancelled)
	if answered := o.Status == Completed || o.Status == Refused; answered {
		if o.Response == nil {
			f.Add("response", "must be given when the phase was answered")
		}
		if !Digest(o.ResponseSHA256) {
			f.Add("responseSha256", "must be a SHA-256 in hex")
		}
		if o.Failure != nil {
			f.Add("error", "must not be given when the phase was answered")
		}
	} else {
		if o.Failure == nil {
			f.Add("error", "must be given when the phase was not answered")
		}
		if o.Response != nil || o.ResponseSHA256 != "" {
			f.Add("response", "must not be given when the phase was not answered")
		}
	}
	if least := leastAttempt(o); o.Attempt < least {
		f.Add("attempt", fmt.Sprintf("must be at least %d", least))
	}
	if len(o.ToolCalls) > maxToolCalls {
		f.Add("toolCalls", fmt.Sprintf("must be at most %d", maxToolCalls))
	}
	checkEngine(o.Engine, &f)
	if e := o.Failure; e != nil {
		f.Line("error.error", e.Code, 1, 60)
		f.Prose("error.message", e.Message, 1, 1000)
	}

	return f.Err()
}

// judge has the words of an outcome pass the gate. Those of an answer may quote what a person has cleared in the files
// of the phase's case.
func (l *Service) judge(ctx context.Context, p Phase, o Outcome) error {
	words, caseID := o.Words, ""
	if o.Failure != nil {
		message := inputgate.Text{Channel: guard.Event, Path: "error.message", Value: o.Failure.Message}
		// The slice belongs to the caller, whose array must not be written.
		words = append(slices.Clip(words), message)
	}
	if p.ContainerType == CaseContainer {
		caseID = p.ContainerID
	}
	link := l.Links.To(deeplink.AddIdentity, "")

	return inputgate.CheckTaken(ctx, l.Gate, link, l.Cleared.In(p.Tenant, caseID), words...)
}

// leastAttempt returns the lowest number that the attempt of an outcome may have: only a run can answer.
func leastAttempt(o Outcome) int {
	if o.Failure != nil {
		return 0
	}

	return 1
}

// ends reports whether o is about the attempt that p is in. Attempt 0 is about the wait of a phase that never ran.
func (o Outcome) ends(p Phase) bool {
	if o.Attempt == 0 {
		return !p.Placed()
	}

	return p.Attempt == o.Attempt
}

// same reports whether an ended phase ended with o.
func same(p Phase, o Outcome) bool {
	if !o.ends(p) || p.Status != o.Status || p.ResponseSHA256 != o.ResponseSHA256 {
		return false
	}
	// A message may be worded anew between two tries. The code is what counts.
	if p.Failure == nil || o.Failure == nil {
		return p.Failure == nil && o.Failure == nil
	}

	return p.Failure.Code == o.Failure.Code
}

// end writes the outcome into the phase: the one step that decides.
func (l *Service) end(ctx context.Context, by audit.Actor, p Phase, o Outcome) (Phase, error) {
	if !o.ends(p) {
		return Phase{}, ErrTransition
	}

	p.Status, p.Response, p.ResponseSHA256, p.Failure = o.Status, o.Response, o.ResponseSHA256, o.Failure
	p.Kind, p.Reasons = o.Kind, o.Reasons
	p.Engine, p.ToolCalls, p.Usage, p.Stream = o.Engine, o.ToolCalls, o.Usage, o.Stream
	p.Review = Review{Required: o.NeedsReview, Status: ReviewNotRequired}
	if o.NeedsReview {
		p.Review.Status = ReviewPending
	}
	p.EndedAt = instant.Of(l.Now())
	// Nobody waits for a phase that has ended. Its place in line is given up in the same write.
	p.Since, p.Waiter = p.EndedAt, ""
	if p.Placed() { // one that waited in vain is no link of the chain
		p.Hash = p.ChainHash()
	}
	entry := l.entry(by, "phase.end", p)
	entry.ContentSHA256 = p.ResponseSHA256
	err := l.replace(ctx, entry, p)
	p.Version++

	return p, err
}

// settle does what follows from a phase that has ended, each step only if nobody did it before: the branch moves its
// head, and the claim goes. The claim goes last, so that whoever finds it knows that there may be something left to do.
func (l *Service) settle(ctx context.Context, p Phase) error {
	if err := l.stands(ctx, p); err != nil {
		return err
	}
	// It never was on the branch, so the head of that stays.
	if !p.Placed() {
		return l.Claims.Release(ctx, p.Tenant, p.BranchID, p.ID)
	}
	if err := l.follow(ctx, p); err != nil {
		return err
	}
	// Only an attempt that was not the last can have left drafts.
	if l.Replaced != nil && (p.Attempt > 1 || p.Abandoned()) {
		if err := l.Replaced(ctx, p); err != nil {
			return err
		}
	}
	if err := l.Claims.Release(ctx, p.Tenant, p.BranchID, p.ID); err != nil {
		return err
	}
	if p.countedAtBegin() {
		return nil
	}

	return l.count(ctx, p)
}

// follow does at once what follows from an end beside each other.
func (l *Service) follow(ctx context.Context, p Phase) error {
	if done, err := l.followAtOnce(ctx, p); done || err != nil {
		return err
	}
	// Each of the steps takes a trip to the store, and none needs another.
	var all errgroup.Group
	all.Go(func() error { return l.moveHead(ctx, p) })
	if p.ContainerType != CaseContainer {
		all.Go(func() error { return l.answered(ctx, p) })
	}
	if l.Timeline != nil {
		all.Go(func() error { return l.Timeline.PhaseEnded(ctx, p) })
	}

	return all.Wait()
}

// followAtOnce moves the head of a branch that this process knows, and notes the end, in one trip. done is false when
// that is not possible, or somebody else wrote the branch.
func (l *Service) followAtOnce(ctx context.Context, p Phase) (done bool, err error) {
	_, b, known := l.Recent.of(p.Tenant, p.ID)
	if l.Joint == nil || !known || p.ContainerType != CaseContainer || b.HeadSequence >= p.Sequence {
		return false, nil
	}

	moved, noted := l.Joint.Follow(ctx, p, b.headed(p))
	switch {
	case errors.Is(moved, ErrApart):
		return false, nil
	// Somebody has renamed or archived the branch. It is read anew, and its head moved all the same.
	case errors.Is(moved, errs.ErrTaken):
		return true, errors.Join(l.moveHeadFrom(ctx, p, Branch{}, false), noted)
	}

	return true, errors.Join(moved, noted)
}

// headed returns b with p as its head.
func (b Branch) headed(p Phase) Branch {
	b.HeadPhaseID, b.HeadSequence, b.HeadHash, b.UpdatedAt = p.ID, p.Sequence, p.Hash, p.EndedAt

	return b
}

// countedAtBegin reports whether the counts of the case are what they were when the phase began, and it was counted
// then: it is the first attempt of a phase that did not wait, and nobody has to review it.
func (p Phase) countedAtBegin() bool {
	atOnce := p.Placed() && p.Attempt == 1 && p.StartedAt.Equal(p.CreatedAt)

	return atOnce && !p.Review.Required && !p.Abandoned()
}

// count brings the counts of the phase's case up to what it holds.
func (l *Service) count(ctx context.Context, p Phase) error {
	if p.ContainerType != CaseContainer {
		return nil
	}
	err := l.Recount(ctx, p.Tenant, p.ContainerID)
	if errors.Is(err, cases.ErrNotFound) || errors.Is(err, cases.ErrBusy) {
		return nil // the case was deleted meanwhile, or others count at this moment
	}

	return err
}

func (l *Service) moveHead(ctx context.Context, p Phase) error {
	_, b, known := l.Recent.of(p.Tenant, p.ID)

	return l.moveHeadFrom(ctx, p, b, known)
}

// moveHeadFrom makes p the head of its branch, which is b when it is known.
func (l *Service) moveHeadFrom(ctx context.Context, p Phase, b Branch, known bool) error {
	for range rounds {
		var err error
		if !known {
			b, err = l.Branches.Branch(ctx, p.Tenant, p.BranchID)
		}
		if err != nil {
			return err
		}
		known = false
		// Another process has settled this phase, and perhaps a later one has ended since.
		if b.HeadSequence >= p.Sequence {
			return nil
		}
		if err := l.Branches.ReplaceBranch(ctx, b.headed(p)); !errors.Is(err, errs.ErrTaken) {
			return err
		}
	}

	return cases.ErrBusy
}

// Interrupt marks a running attempt as interrupted: its process died. A phase that ended, or runs in another attempt,
// stays as it is. did is true for the one of several callers that interrupted it.
func (l *Service) Interrupt(
	ctx context.Context, tenant string, by audit.Actor, id string, attempt int,
) (p Phase, did bool, err error) {
	return l.interrupt(ctx, tenant, by, id, attempt, func(*Phase) {})
}

// HandOver is Interrupt for a process that was told to stop. The run did not kill it, so an attempt that had the
// process for itself does not count as one that did.
func (l *Service) HandOver(
	ctx context.Context, tenant string, by audit.Actor, id string, attempt int,
) (p Phase, did bool, err error) {
	return l.interrupt(ctx, tenant, by, id, attempt, func(p *Phase) { p.AloneUntil = time.Time{} })
}

func (l *Service) interrupt(
	ctx context.Context, tenant string, by audit.Actor, id string, attempt int, also func(*Phase),
) (p Phase, did bool, err error) {
	for range rounds {
		p, err := l.Records.Get(ctx, tenant, id)
		if err != nil || !p.InAttempt(attempt) {
			return p, false, err
		}
		p.Status, p.Since = Interrupted, instant.Of(l.Now())
		also(&p)
		err = l.replace(ctx, l.entry(by, "phase.interrupt", p), p)
		// replace has stored the next version, which is what the caller gets.
		p.Version++
		if !errors.Is(err, errs.ErrTaken) {
			return p, err == nil, err
		}
	}

	return Phase{}, false, cases.ErrBusy
}

// answered has a container of support or sales take over what its latest phase came to.
func (l *Service) answered(ctx context.Context, p Phase) error {
	for range rounds {
		box, err := l.Branches.Container(ctx, p.Tenant, p.ContainerID)
		if err != nil {
			return err
		}
		next := box
		next.Status = Open

		switch p.Kind {
		case kindClarification:
			next.Status = WaitingOnUser
		case kindHandoff:
			if !next.Handoff.Requested {
				next.Handoff = Handoff{Requested: true, At: p.EndedAt}
			}
		}
		// An older phase that is settled late must not undo what a newer one came to.
		if next == box || p.EndedAt.Before(box.UpdatedAt) {
			return nil
		}
		next.UpdatedAt = p.EndedAt
		if err := l.Branches.ReplaceContainer(ctx, next); !errors.Is(err, errs.ErrTaken) {
			return err
		}
	}

	return cases.ErrBusy
}
