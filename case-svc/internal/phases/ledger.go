package phases

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/guard"
)

// ClaimLease is how long a claim without a phase is respected: the time between its insert and the phase's is milliseconds, so
// after this its maker is gone.
const ClaimLease = 15 * time.Second

// Limits of a request.
const (
	MaxPrompt    = 32000
	maxSession   = 128
	maxFiles     = 50
	maxToolCalls = 200
)

// Ledger does what callers ask of phases. Who may ask is decided before.
type Ledger struct {
	Records Records
	Tree    Tree
	Claims  Claims
	Cases   cases.Store
	Files   Files
	Recount func(ctx context.Context, tenant cases.TenantID, caseID string) error
	Journal cases.Journal
	Gate    guard.Gate
	Links   cases.Links
	Now     func() time.Time
}

// Begin is a request for a phase.
type Begin struct {
	PhaseID       string
	SessionID     string
	BranchID      string // "" for the active branch
	ParentID      string // "" for the head
	ContainerType string
	ContainerID   string
	RequestType   string
	Prompt        string
	FileIDs       []string
	Fingerprint   string
	Engine        Engine
}

// Begun is what became of a Begin.
type Begun struct {
	Phase     Phase
	Container Container
	Run       bool // true for exactly one of several callers: the one that must run the attempt
}

// Begin begins a phase, takes up an interrupted one again, or returns the one that is there. When it returns with Run the phase is
// stored and has its branch for itself.
func (l *Ledger) Begin(ctx context.Context, tenant cases.TenantID, by cases.Actor, b Begin) (Begun, error) {
	if err := l.check(ctx, &b); err != nil {
		return Begun{}, err
	}
	box, err := l.enter(ctx, tenant, by, b)
	if err != nil {
		return Begun{}, err
	}
	p, err := l.Records.Get(ctx, tenant, b.PhaseID)
	switch {
	case err == nil:
		return l.resume(ctx, by, b, box, p)
	case !errors.Is(err, ErrNotFound):
		return Begun{}, err
	}
	if err := l.admit(ctx, tenant, by, b, box); err != nil {
		return Begun{}, err
	}
	return l.start(ctx, by, b, box)
}

// check refuses what is wrong with the request by itself.
func (l *Ledger) check(ctx context.Context, b *Begin) error {
	if utf8.RuneCountInString(b.Prompt) > MaxPrompt {
		return ErrPromptTooLong
	}
	types, known := allowed[b.RequestType]
	var f cases.Faults
	checkID("seedPhase.phaseId", b.PhaseID, &f)
	checkID("containerId", b.ContainerID, &f)
	if b.BranchID != "" {
		checkID("seedPhase.branchId", b.BranchID, &f)
	}
	if b.ParentID != "" {
		checkID("seedPhase.parentPhaseId", b.ParentID, &f)
	}
	if !known {
		f.Add("requestType", "must be one of eval_req, case_req, support_req, sales_req, admin_req")
	}
	f.OneOf("containerType", b.ContainerType, CaseContainer, SupportContainer, SalesContainer)
	if len(b.FileIDs) > maxFiles || slices.ContainsFunc(b.FileIDs, func(id string) bool { return !cases.ValidID(id) }) {
		f.Add("fileIds", fmt.Sprintf("must be at most %d UUIDs in lower case", maxFiles))
	}
	if !Digest(b.Fingerprint) {
		f.Add("fingerprint", "must be a SHA-256 in hex")
	}
	checkEngine(b.Engine, &f)
	if err := cases.Screen(ctx, l.Gate, l.link(b.ContainerType, b.ContainerID), cases.Text{Door: guard.Prompt, Path: "prompt", Value: b.Prompt}, cases.Text{Door: guard.Title, Path: "sessionId", Value: b.SessionID}); err != nil {
		return err
	}
	b.Prompt = f.Prose("prompt", b.Prompt, 1, MaxPrompt)
	b.SessionID = f.Line("sessionId", b.SessionID, 1, maxSession)
	if err := f.Err(); err != nil {
		return err
	}
	if !slices.Contains(types, b.ContainerType) {
		return ErrMismatch
	}
	return nil
}

func checkID(path, id string, f *cases.Faults) {
	if !cases.ValidID(id) {
		f.Add(path, "must be a UUID in lower case")
	}
}

// link is where the user keeps an identity and gets a label for it.
func (l *Ledger) link(containerType, containerID string) string {
	switch {
	case !cases.ValidID(containerID):
		return l.Links.To(cases.LinkAddIdentity, "")
	case containerType == CaseContainer:
		return l.Links.To(cases.LinkAddIdentity, containerID)
	}
	return l.Links.ToContainer(cases.LinkAddIdentity, containerID)
}

func checkEngine(e Engine, f *cases.Faults) {
	f.OneOf("engine.mode", e.Mode, "deterministic", "model")
	f.Line("engine.rulesVersion", e.RulesVersion, 1, 40)
	f.Line("engine.fallbackReason", e.FallbackReason, 0, 200)
}

// Digest reports whether s is a SHA-256 in lower-case hex.
func Digest(s string) bool {
	return len(s) == 64 && strings.Trim(s, "0123456789abcdef") == ""
}

// enter returns the container. One for support or sales is made by its first use.
func (l *Ledger) enter(ctx context.Context, tenant cases.TenantID, by cases.Actor, b Begin) (Container, error) {
	box, err := l.Container(ctx, tenant, b.ContainerType, b.ContainerID)
	if b.ContainerType == CaseContainer || !errors.Is(err, ErrNotFound) {
		return box, err
	}
	now := cases.Moment(l.Now())
	timeline := cases.TimelineOf(b.ContainerID)
	box = Container{
		ID: b.ContainerID, Tenant: tenant, Type: b.ContainerType, Version: 1, Title: titles[b.ContainerType], Status: cases.Open,
		TimelineID: timeline, ActiveBranchID: cases.RootBranchOf(timeline), CreatedBy: by, CreatedAt: now, UpdatedAt: now,
	}
	deed := cases.Deed{Tenant: tenant, Actor: by, Action: "container.create", ResourceType: b.ContainerType, ResourceID: b.ContainerID}
	err = cases.Perform(ctx, l.Journal, deed, func() error {
		if err := l.Tree.InsertContainer(ctx, box); err != nil && !errors.Is(err, ErrTaken) {
			return err
		}
		return nil
	})
	if err != nil {
		return Container{}, err
	}
	return l.Container(ctx, tenant, b.ContainerType, b.ContainerID)
}

// titles of new containers.
var titles = map[string]string{SupportContainer: "Support request", SalesContainer: "Sales inquiry"}

// Container returns the container of a type and id, or ErrNotFound.
func (l *Ledger) Container(ctx context.Context, tenant cases.TenantID, kind, id string) (Container, error) {
	if kind == CaseContainer {
		c, err := l.Cases.Get(ctx, tenant, id)
		if err != nil {
			return Container{}, err
		}
		return Container{
			ID: id, Tenant: tenant, Type: kind, Version: c.Version, Title: c.Title, Status: c.Status, TimelineID: c.TimelineID,
			ActiveBranchID: c.ActiveBranchID, CreatedBy: c.CreatedBy, CreatedAt: c.CreatedAt, UpdatedAt: c.UpdatedAt, Case: &c,
		}, nil
	}
	box, err := l.Tree.Container(ctx, tenant, id)
	if err == nil && box.Type != kind {
		err = ErrNotFound
	}
	return box, err
}

// admit refuses what the state of the container forbids to a phase that would run.
func (l *Ledger) admit(ctx context.Context, tenant cases.TenantID, by cases.Actor, b Begin, box Container) error {
	if c := box.Case; c != nil {
		switch {
		case c.Over():
			return cases.ErrOver
		case b.RequestType == CaseReq && c.Supervision.ResponsibleUserID == "":
			return ErrSupervisor.WithDeepLink(l.Links.To(cases.LinkCaseSettings, c.ID))
		}
	}
	if len(b.FileIDs) > 0 {
		if box.Case == nil {
			return ErrNotFound
		}
		all, err := l.Files.Has(ctx, tenant, b.ContainerID, b.FileIDs)
		if err != nil {
			return err
		}
		if !all {
			return ErrNotFound
		}
	}
	session, err := l.Claims.Bind(ctx, Session{ID: b.SessionID, Tenant: tenant, UserID: by.UserID, Since: cases.Moment(l.Now())})
	if err == nil && session.UserID != by.UserID {
		err = ErrSession
	}
	return err
}

// resume answers for a phase that exists. An interrupted one is taken up by whoever replaces its version first.
func (l *Ledger) resume(ctx context.Context, by cases.Actor, b Begin, box Container, p Phase) (Begun, error) {
	if p.RequestSHA256 != b.Fingerprint || p.ContainerID != b.ContainerID || p.ContainerType != b.ContainerType {
		return Begun{}, ErrConflict
	}
	if p.Status != Interrupted {
		return Begun{Phase: p, Container: box}, nil
	}
	if err := l.admit(ctx, p.Tenant, by, b, box); err != nil {
		return Begun{}, err
	}
	now := cases.Moment(l.Now())
	next := p
	next.Status, next.Attempt, next.Engine, next.StartedAt, next.Since = Running, p.Attempt+1, b.Engine, now, now
	deed := l.deed(by, "phase.resume", p)
	err := cases.Perform(ctx, l.Journal, deed, func() error { return l.Records.Replace(ctx, next) })
	switch {
	case errors.Is(err, ErrTaken):
		p, err := l.Records.Get(ctx, p.Tenant, p.ID)
		return Begun{Phase: p, Container: box}, err
	case err != nil:
		return Begun{}, err
	}
	next.Version++
	return Begun{Phase: next, Container: box, Run: true}, nil
}

func (l *Ledger) deed(by cases.Actor, action string, p Phase) cases.Deed {
	return cases.Deed{Tenant: p.Tenant, Actor: by, Action: action, ResourceType: "phase", ResourceID: p.ID}
}

// start claims the branch and stores a new phase on it.
func (l *Ledger) start(ctx context.Context, by cases.Actor, b Begin, box Container) (Begun, error) {
	branch, err := l.branch(ctx, by, b, box)
	if err != nil {
		return Begun{}, err
	}
	if err := l.claim(ctx, branch, b.PhaseID); err != nil {
		return Begun{}, err
	}
	begun, err := l.insert(ctx, by, b, box, branch.ID)
	if err != nil {
		err = errors.Join(err, l.giveUp(context.WithoutCancel(ctx), box.Tenant, branch.ID, b.PhaseID))
	}
	return begun, err
}

// giveUp releases a claim that led to no phase. A twin of the same request may have stored the phase meanwhile.
func (l *Ledger) giveUp(ctx context.Context, tenant cases.TenantID, branchID, phaseID string) error {
	_, err := l.Records.Get(ctx, tenant, phaseID)
	if !errors.Is(err, ErrNotFound) {
		return err
	}
	return l.Claims.Release(ctx, tenant, branchID, phaseID)
}

// branch returns the branch that the phase goes on. A root branch that a crash kept from being made is made now.
func (l *Ledger) branch(ctx context.Context, by cases.Actor, b Begin, box Container) (Branch, error) {
	id := b.BranchID
	if id == "" {
		id = box.ActiveBranchID
	}
	branch, err := l.Tree.Branch(ctx, box.Tenant, id)
	if errors.Is(err, ErrNotFound) && id == cases.RootBranchOf(box.TimelineID) {
		if err := l.Tree.EnsureRoot(ctx, box.Tenant, box.Type, box.ID, box.CreatedBy, box.CreatedAt); err != nil {
			return Branch{}, err
		}
		branch, err = l.Tree.Branch(ctx, box.Tenant, id)
	}
	switch {
	case err != nil:
		return Branch{}, err
	case branch.TimelineID != box.TimelineID:
		return Branch{}, ErrNotFound
	case branch.Archived:
		return Branch{}, ErrBranchArchived
	}
	return branch, nil
}

// claim takes the branch for phaseID, over claims that a crash left.
func (l *Ledger) claim(ctx context.Context, branch Branch, phaseID string) error {
	mine := Claim{BranchID: branch.ID, Tenant: branch.Tenant, Version: 1, PhaseID: phaseID, Since: cases.Moment(l.Now())}
	for range 3 { // each round follows a change by somebody else
		held, err := l.Claims.Claim(ctx, mine)
		switch {
		case err == nil:
			return nil
		case !errors.Is(err, ErrTaken):
			return err
		case held.PhaseID == "": // released between the insert and the look
			continue
		case held.PhaseID == phaseID:
			return nil
		}
		again, err := l.inherit(ctx, held, mine)
		if err != nil || !again {
			return err
		}
	}
	return ErrBranchBusy
}

// inherit deals with another phase's claim: it is respected, or a crash left it. again means that the claim is to be tried anew.
func (l *Ledger) inherit(ctx context.Context, held, mine Claim) (again bool, err error) {
	other, err := l.Records.Get(ctx, held.Tenant, held.PhaseID)
	switch {
	case errors.Is(err, ErrNotFound):
		if mine.Since.Sub(held.Since) < ClaimLease {
			return false, busyWith(held.PhaseID)
		}
		mine.Version = held.Version
		if err := l.Claims.TakeOver(ctx, mine); errors.Is(err, ErrTaken) {
			return true, nil
		} else if err != nil {
			return false, err
		}
		return false, nil
	case err != nil:
		return false, err
	case other.Open():
		return false, busyWith(other.ID)
	}
	return true, l.settle(ctx, other)
}

func busyWith(phaseID string) error {
	return ErrBranchBusy.WithDetails(errs.Detail{RunningPhaseID: phaseID})
}

// insert stores the phase under its claim.
func (l *Ledger) insert(ctx context.Context, by cases.Actor, b Begin, box Container, branchID string) (Begun, error) {
	branch, err := l.Tree.Branch(ctx, box.Tenant, branchID) // its head stands still from now on
	switch {
	case err != nil:
		return Begun{}, err
	case branch.Archived:
		return Begun{}, ErrBranchArchived
	case b.ParentID != "" && b.ParentID != branch.HeadPhaseID:
		if begun, err := l.twin(ctx, b, box); !errors.Is(err, ErrNotFound) {
			return begun, err
		}
		return Begun{}, ErrConflict
	}
	p := l.draft(by, b, box, branch)
	err = cases.Perform(ctx, l.Journal, l.deed(by, "phase.begin", p), func() error { return l.Records.Insert(ctx, p) })
	switch {
	case errors.Is(err, ErrTaken):
		return l.twin(ctx, b, box)
	case errors.Is(err, ErrSequence):
		return Begun{}, l.outrun(ctx, p)
	case err != nil:
		return Begun{}, err
	}
	return Begun{Phase: p, Container: box, Run: true}, nil
}

// twin answers for a phase that another call with the same phaseId has stored meanwhile. It may even have ended, and our claim come after.
func (l *Ledger) twin(ctx context.Context, b Begin, box Container) (Begun, error) {
	p, err := l.Records.Get(ctx, box.Tenant, b.PhaseID)
	switch {
	case err != nil:
		return Begun{}, err
	case p.RequestSHA256 != b.Fingerprint:
		return Begun{}, ErrConflict
	case !p.Open():
		err = l.settle(ctx, p)
	}
	return Begun{Phase: p, Container: box}, err
}

// outrun tells whose phase took the number of p: its claim was taken over while its maker slept.
func (l *Ledger) outrun(ctx context.Context, p Phase) error {
	winner, err := l.Records.Numbered(ctx, p.Tenant, p.BranchID, p.Sequence)
	if err != nil || !winner.Open() {
		return errors.Join(ErrBranchBusy, err)
	}
	return busyWith(winner.ID)
}

func (l *Ledger) draft(by cases.Actor, b Begin, box Container, branch Branch) Phase {
	now := cases.Moment(l.Now())
	p := Phase{
		ID: b.PhaseID, Tenant: box.Tenant, Version: 1, BranchID: branch.ID, TimelineID: box.TimelineID, ParentID: branch.HeadPhaseID,
		Sequence: branch.HeadSequence + 1, ContainerType: box.Type, ContainerID: box.ID, SessionID: b.SessionID, RequestType: b.RequestType,
		Prompt: b.Prompt, FileIDs: b.FileIDs, Status: Running, Attempt: 1, Review: Review{Status: ReviewNotRequired}, DirectedBy: directedBy(by, box),
		Engine: b.Engine, RequestSHA256: b.Fingerprint, PrevHash: branch.HeadHash, CreatedBy: by, CreatedAt: now, StartedAt: now, Since: now,
	}
	if p.PrevHash == "" {
		p.PrevHash = GenesisHash
	}
	return p
}

// directedBy says in what capacity the user behind a phase directs it.
func directedBy(by cases.Actor, box Container) DirectedBy {
	d := DirectedBy{UserID: by.UserID, Capacity: "client"}
	switch {
	case box.Case == nil:
		d.Capacity = "none"
	case box.Case.Supervision.ResponsibleUserID == by.UserID:
		d.Capacity = "supervising_professional"
	case strings.HasPrefix(string(box.Tenant), "o:"):
		d.Capacity = "staff"
	}
	return d
}
