package phases

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/ids"
	"github.com/subrosa-legal/subrosa/pkg/inputgate"
	"github.com/subrosa-legal/subrosa/pkg/instant"
	"github.com/subrosa-legal/subrosa/pkg/validate"
	"github.com/subrosa-legal/subrosa/pkg/vocabulary"
)

// Purposes of a branch. Only the root is main.
const (
	Main         = "main"
	Alternative  = "alternative"
	OpposingView = "opposing_view"
	DraftPurpose = "draft"
)

// Limits of branches.
const (
	MaxBranches    = 200 // of a timeline
	MaxDepth       = 16  // of a branch; the root has 0
	maxBranchTitle = 120
)

// Failures of branches.
var (
	ErrPhaseRunning = errs.New(
		errs.Conflict,
		"phase_running",
		"The phase has not ended. Wait for its phase_end, then try again.",
	)
	ErrBranchLimit = errs.New(
		errs.Conflict,
		"branch_limit",
		"The timeline has reached its limit of 200 branches. Continue on an existing branch.",
	)
	ErrNotOnTimeline = errs.New(
		errs.Invalid,
		"phase_not_on_timeline",
		"The phase belongs to another timeline. Name a phase of this one, or none to fork at the head.",
	)
	ErrDepth = errs.New(
		errs.Invalid,
		"depth_exceeded",
		"The branch would be more than 16 forks away from the root. Fork from a branch closer to the root.",
	)
)

// Step is a branch that another one descends from, with as much of it as the other sees. It never changes: the past of
// a fork is what was there when it was made.
type Step struct {
	BranchID string
	Through  int       // the number of its last phase that is seen; 0 for none
	Until    time.Time // when the fork was made
}

// Tip returns the last ended phase that is seen on the branch, own or inherited, with its hash; "" and "" when there is
// none.
func (b Branch) Tip() (phaseID, hash string) {
	if b.HeadPhaseID != "" {
		return b.HeadPhaseID, b.HeadHash
	}

	return b.BasePhaseID, b.BaseHash
}

// Inherited returns how many phases the branch sees of its ancestors.
func (b Branch) Inherited() int {
	n := 0
	for _, s := range b.Lineage {
		n += s.Through
	}

	return n
}

// Sees reports whether the phase of that number on a branch is one of b or of its past.
func (b Branch) Sees(branchID string, sequence int) bool {
	if branchID == b.ID {
		return true
	}

	for _, s := range b.Lineage {
		if s.BranchID == branchID {
			return sequence <= s.Through
		}
	}

	return false
}

// Timeline is the branches and phases of one container.
type Timeline struct {
	ID            string
	Tenant        string
	Version       int64
	ContainerType string
	ContainerID   string
	RootBranchID  string
	CreatedAt     time.Time
	UpdatedAt     time.Time
}

// Fork asks for a new branch.
type Fork struct {
	ID          string // of the new branch; a repetition with the same id returns the branch that is there
	FromPhaseID string // "" for the head of the parent
	ParentID    string // "" for the branch of FromPhaseID, or the active one
	Title       string // "" for the default
	Purpose     string // "" for the default
}

// Located returns a timeline with its container, or ErrNotFound when either is not there.
func (l *Service) Located(ctx context.Context, tenant string, timelineID string) (Timeline, Container, error) {
	t, err := l.Branches.Timeline(ctx, tenant, timelineID)
	if err != nil {
		return Timeline{}, Container{}, err
	}
	box, err := l.Container(ctx, tenant, t.ContainerType, t.ContainerID)

	return t, box, err
}

// Grown returns a branch with its container, or ErrNotFound when either is not there.
func (l *Service) Grown(ctx context.Context, tenant string, branchID string) (Branch, Container, error) {
	b, err := l.Branches.Branch(ctx, tenant, branchID)
	if err != nil {
		return Branch{}, Container{}, err
	}
	box, err := l.Container(ctx, tenant, b.ContainerType, b.ContainerID)

	return b, box, err
}

// Fork makes a branch in box, which has the timeline. The fork point must have ended; nothing is copied, and the parent
// stays as it is.
func (l *Service) Fork(ctx context.Context, by audit.Actor, box Container, f Fork) (Branch, error) {
	if err := l.checkFork(ctx, box, &f); err != nil {
		return Branch{}, err
	}
	if made, err := l.Branches.Branch(ctx, box.Tenant, f.ID); !errors.Is(err, ErrNotFound) {
		return made, err
	}
	b, err := l.sprout(ctx, by, box, f)
	if err != nil {
		return Branch{}, err
	}
	entry := audit.Entry{
		Tenant: box.Tenant, Actor: by, Action: "branch.create", ResourceType: "branch", ResourceID: b.ID,
	}
	err = audit.Do(ctx, l.Journal, entry, func() error {
		return cases.Within(ctx, l.Cases, box.Case, by, cases.Case.Stands, func() error {
			b, err = l.plant(ctx, b)
			return err
		}, func(ctx context.Context) error { return l.Branches.RemoveBranch(ctx, b) })
	})

	return b, err
}

func (l *Service) checkFork(ctx context.Context, box Container, b *Fork) error {
	if box.Case != nil && box.Case.Over() {
		return cases.ErrOver
	}
	var f validate.List

	for path, id := range map[string]string{"fromPhaseId": b.FromPhaseID, "parentBranchId": b.ParentID} {
		if id != "" {
			checkID(path, id, &f)
		}
	}
	if b.Purpose == "" {
		b.Purpose = Alternative
	}
	f.OneOf("purpose", b.Purpose, vocabulary.BranchPurposes.All()...)
	if b.Title != "" {
		if err := l.screenTitle(ctx, box, b.Title); err != nil {
			return err
		}
		b.Title = f.Line("title", b.Title, 1, maxBranchTitle)
	}

	return f.Err()
}

func (l *Service) screenTitle(ctx context.Context, box Container, title string) error {
	return inputgate.Check(
		ctx, l.Gate, l.link(box.Type, box.ID), inputgate.Text{Channel: guard.Title, Path: "title", Value: title},
	)
}

// sprout makes the new branch without its number.
func (l *Service) sprout(ctx context.Context, by audit.Actor, box Container, f Fork) (Branch, error) {
	now := instant.Of(l.Now())
	b := Branch{
		ID:            f.ID,
		Tenant:        box.Tenant,
		Version:       1,
		TimelineID:    box.TimelineID,
		ContainerType: box.Type,
		ContainerID:   box.ID,
		Title:         f.Title,
		Purpose:       f.Purpose,
		CreatedBy:     by,
		CreatedAt:     now,
		UpdatedAt:     now,
	}
	parent, err := l.forkPoint(ctx, box, f, &b)
	if err != nil {
		return Branch{}, err
	}
	if parent.Depth >= MaxDepth {
		return Branch{}, ErrDepth
	}
	b.ParentID, b.Depth = parent.ID, parent.Depth+1
	b.Lineage = append(
		append(b.Lineage, parent.Lineage...), Step{BranchID: parent.ID, Through: b.ForkSequence, Until: now},
	)

	return b, nil
}

// forkPoint returns the parent, and sets in b where on it the fork is.
func (l *Service) forkPoint(ctx context.Context, box Container, f Fork, b *Branch) (Branch, error) {
	if f.FromPhaseID == "" {
		id := f.ParentID
		if id == "" {
			id = box.ActiveBranchID
		}
		parent, err := l.rooted(ctx, box, id)
		if err != nil {
			return Branch{}, err
		}
		b.ForkPhaseID, b.ForkSequence = parent.HeadPhaseID, parent.HeadSequence
		b.BasePhaseID, b.BaseHash = parent.Tip()

		return parent, nil
	}

	p, err := l.Records.Get(ctx, box.Tenant, f.FromPhaseID)
	switch {
	case err != nil:
		return Branch{}, err
	case p.TimelineID != box.TimelineID:
		return Branch{}, ErrNotOnTimeline
	case p.Open():
		return Branch{}, ErrPhaseRunning.WithDetails(errs.Detail{RunningPhaseID: p.ID})
	case f.ParentID != "" && f.ParentID != p.BranchID:
		var wrong validate.List
		wrong.Add("parentBranchId", "must be the branch of fromPhaseId, or absent")

		return Branch{}, wrong.Err()
	}
	b.ForkPhaseID, b.ForkSequence, b.BasePhaseID, b.BaseHash = p.ID, p.Sequence, p.ID, p.Hash

	return l.Branches.Branch(ctx, box.Tenant, p.BranchID)
}

// rooted returns a branch of the container. A root branch that a crash kept from being made is made now.
func (l *Service) rooted(ctx context.Context, box Container, id string) (Branch, error) {
	b, err := l.Branches.Branch(ctx, box.Tenant, id)
	if errors.Is(err, ErrNotFound) && id == cases.RootBranchOf(box.TimelineID) {
		if err := l.Branches.EnsureRoot(ctx, box.Tenant, box.Type, box.ID, box.CreatedBy, box.CreatedAt); err != nil {
			return Branch{}, err
		}
		b, err = l.Branches.Branch(ctx, box.Tenant, id)
	}
	// The caller names the branch and the container apart, and may see only one of them.
	if err == nil && (b.TimelineID != box.TimelineID || b.ContainerType != box.Type) {
		err = ErrNotFound
	}

	return b, err
}

// plantings bounds how often a fork takes the next number because another one was first.
const plantings = 32

// plant stores a branch under the next number of its timeline, so that the limit holds whoever else forks at the same
// moment.
func (l *Service) plant(ctx context.Context, b Branch) (Branch, error) {
	title := b.Title

	b.Number = 0
	for range plantings {
		n, err := l.Branches.CountBranches(ctx, b.Tenant, b.TimelineID)
		if err != nil {
			return Branch{}, err
		}
		// The number is unique on the timeline: of two forks that both count 199 one takes 200, and the other counts
		// again.
		if n >= MaxBranches {
			return Branch{}, ErrBranchLimit
		}
		if b.Number = max(b.Number, n) + 1; title == "" { // a fork that was undone may have left a gap
			b.Title = fmt.Sprint("Branch ", b.Number)
		}

		err = l.Branches.InsertBranch(ctx, b)
		switch {
		case errors.Is(err, errs.ErrTaken):
			return l.Branches.Branch(ctx, b.Tenant, b.ID)
		case !errors.Is(err, ErrNumber):
			return b, err
		}
	}

	return Branch{}, cases.ErrBusy
}

// Revision changes a branch; nil fields stay as they are.
type Revision struct {
	Title    *string
	Archived *bool // only a person may ask for it
}

// Revise changes a branch of box. A branch on which a phase runs, and the active one, cannot be archived.
func (l *Service) Revise(
	ctx context.Context, by audit.Actor, box Container, id string, expected cases.Expected, r Revision,
) (Branch, error) {
	if box.Case != nil && box.Case.Over() {
		return Branch{}, cases.ErrOver
	}
	var f validate.List
	if r.Title != nil {
		if err := l.screenTitle(ctx, box, *r.Title); err != nil {
			return Branch{}, err
		}
		*r.Title = f.Line("title", *r.Title, 1, maxBranchTitle)
	}
	if err := f.Err(); err != nil {
		return Branch{}, err
	}
	// A branch that is only renamed, or restored, may have a phase running on it.
	if r.Archived == nil || !*r.Archived {
		return l.revise(ctx, by, box, id, expected, r, cases.Case.Stands)
	}
	if box.ActiveBranchID == id {
		return Branch{}, errActive
	}
	b, err := l.Branches.Branch(ctx, box.Tenant, id)
	if err != nil {
		return Branch{}, err
	}
	// Whoever begins a phase claims the branch too, and looks at its state under the claim.
	claim := ids.New()
	if err := l.claim(ctx, b, claim); err != nil {
		return Branch{}, err
	}
	b, err = l.revise(ctx, by, box, id, expected, r, l.unadopted(ctx, id))

	return b, errors.Join(err, l.Claims.Release(context.WithoutCancel(ctx), box.Tenant, id, claim))
}

var errActive = ErrTransition.
	WithMessage("The active branch cannot be archived. A user has to make another branch the active one first.").
	WithDetails(errs.Detail{From: "active", To: "archived", Unmet: []string{"not_the_active_branch"}})

// unadopted makes an archived branch and its adoption see each other. Whoever adopts a branch looks whether it is
// archived and then replaces the version of the case it saw before looking; the version that is written here comes
// after the branch. So either that replacement fails, and the next look finds the branch archived, or the case has
// adopted the branch by now, and what was done to it is undone.
func (l *Service) unadopted(ctx context.Context, id string) func(cases.Case) error {
	return func(c cases.Case) error {
		_, err := l.Cases.Update(ctx, c.Tenant, c.ID, func(c *cases.Case) error {
			if c.ActiveBranchID == id {
				return errActive
			}

			return c.Stands()
		})

		return err
	}
}

// revise changes a branch, unless stands refuses what its case has become once that is done.
func (l *Service) revise(
	ctx context.Context, by audit.Actor, box Container, id string, expected cases.Expected, r Revision,
	stands func(cases.Case) error,
) (Branch, error) {
	was, err := l.Branches.Branch(ctx, box.Tenant, id)
	switch {
	case err != nil:
		return Branch{}, err
	case !expected.Holds(was.Version):
		return Branch{}, cases.ErrVersion
	// Nothing to do is nothing to record.
	case r.keeps(was):
		return was, nil
	}
	var now Branch
	change := func() error {
		var err error
		was, now, err = l.rewrite(ctx, was, expected, r)

		return err
	}
	putBack := func(ctx context.Context) error {
		_, _, err := l.rewrite(ctx, was, nil, r.of(was))
		return err
	}
	entry := audit.Entry{Tenant: box.Tenant, Actor: by, Action: "branch.update", ResourceType: "branch", ResourceID: id}
	err = audit.Do(ctx, l.Journal, entry, func() error {
		return cases.Within(ctx, l.Cases, box.Case, by, stands, change, putBack)
	})

	return now, err
}

// keeps reports whether b is as r wants it.
func (r Revision) keeps(b Branch) bool {
	return (r.Title == nil || *r.Title == b.Title) && (r.Archived == nil || *r.Archived == b.Archived)
}

// of returns the revision that gives b back what r changes of it.
func (r Revision) of(b Branch) Revision {
	var back Revision
	if r.Title != nil {
		back.Title = &b.Title
	}
	if r.Archived != nil {
		back.Archived = &b.Archived
	}

	return back
}

// rewrite revises the newest version of b, and returns it as it was and as it is.
func (l *Service) rewrite(
	ctx context.Context, b Branch, expected cases.Expected, r Revision,
) (was, now Branch, err error) {
	for range rounds {
		was, err = l.Branches.Branch(ctx, b.Tenant, b.ID)
		if err == nil && !expected.Holds(was.Version) {
			err = cases.ErrVersion
		}
		if err != nil {
			return Branch{}, Branch{}, err
		}
		now = was
		if r.Title != nil {
			now.Title = *r.Title
		}
		if r.Archived != nil {
			now.Archived = *r.Archived
		}
		now.UpdatedAt = instant.Of(l.Now())
		if err = l.Branches.ReplaceBranch(ctx, now); !errors.Is(err, errs.ErrTaken) {
			// The store has saved the next version, which is what the caller reads on from.
			now.Version++
			return was, now, err
		}
	}

	return Branch{}, Branch{}, cases.ErrBusy
}

// Ancestors returns the branches that b descends from, the root first.
func (l *Service) Ancestors(ctx context.Context, b Branch) ([]Branch, error) {
	if len(b.Lineage) == 0 {
		return nil, nil
	}

	ids := make([]string, len(b.Lineage))
	for i, s := range b.Lineage {
		ids[i] = s.BranchID
	}
	found, err := l.Branches.BranchesOf(ctx, b.Tenant, ids)
	if err != nil {
		return nil, err
	}

	byID := map[string]Branch{}
	for _, a := range found {
		byID[a.ID] = a
	}

	all := make([]Branch, 0, len(ids))
	for _, id := range ids {
		a, ok := byID[id]
		if !ok {
			return nil, fmt.Errorf("an ancestor of branch %s is missing", b.ID)
		}
		all = append(all, a)
	}

	return all, nil
}
