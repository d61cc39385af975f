package phases

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/deeplink"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/ids"
	"github.com/subrosa-legal/subrosa/pkg/inputgate"
	"github.com/subrosa-legal/subrosa/pkg/instant"
	"github.com/subrosa-legal/subrosa/pkg/validate"
	"github.com/subrosa-legal/subrosa/pkg/vocabulary"
	"golang.org/x/sync/errgroup"
)

// Limits of a request.
const (
	maxToolCalls = 200
)

// Service does what callers ask of phases. Who may ask is decided before.
type Service struct {
	Records    Records
	Branches   BranchStore
	Claims     Claims
	Cases      cases.Store
	Files      Files
	Recount    func(ctx context.Context, tenant string, caseID string) error
	Timeline   TimelineWriter // nil when nobody keeps any
	MostInLine int            // how many phases may wait for one branch
	// Replaced takes away what attempts of an ended phase left that its last one did not make again; nil when nobody
	// makes any.
	Replaced func(ctx context.Context, p Phase) error
	// Tasks keeps the tasks of the agent-to-agent protocol that phases are turns of.
	Tasks   Tasks
	Journal audit.Log
	Gate    guard.Gate
	Cleared inputgate.Words // in the files of a case; nil when nobody keeps any
	Links   deeplink.Links
	Now     func() time.Time
	// Joint does writes that follow each other in one trip; nil does them one after the other.
	Joint Joint
	// Recent is what this process remembers of phases that it has begun; nil remembers nothing.
	Recent *Recent
}

// Tasks keeps tasks beside their phases. Each of them takes effect once and may be repeated.
type Tasks interface {
	// Begins puts a phase that is about to be stored into its task. One that the task has ended with is refused.
	Begins(ctx context.Context, p Phase, t Turn) error
	// Undo takes a phase out of its task again that was not stored.
	Undo(ctx context.Context, p Phase) error
	// Stands brings a task up to how its newest phase stands; that of an older one changes nothing.
	Stands(ctx context.Context, p Phase) error
	// Waiting returns the newest phases of up to most tasks of all tenants that have waited in line since before a
	// time: tenant, id and task of each.
	Waiting(ctx context.Context, before time.Time, most int) ([]Phase, error)
}

// Turn is the message of a task that a phase answers.
type Turn struct {
	TaskID    string
	ContextID string
	MessageID string
	Index     int    // of the message in its task
	Print     string // SHA-256 of what the message holds
	Unread    int    // parts of the message that nobody reads
}

// TimelineWriter keeps the dated record of what happened. Each of them takes effect once and may be repeated.
type TimelineWriter interface {
	PhaseEnded(ctx context.Context, p Phase) error
	PhaseReviewed(ctx context.Context, by audit.Actor, p Phase) error
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
	Caller        access.Caller // as its token said; kept without the token
	Asked         Asked
	Waiter        string // names who waits when the branch is taken; "" does not wait
	Hold          bool   // what is there keeps its status
	Pass          bool   // likewise, and who is behind it in line may begin first
	Turn          *Turn  // of a task; nil for none
	// Beside reads what the caller needs besides, at the same time as the container is read; nil for nothing. Its error
	// refuses the phase.
	Beside func(ctx context.Context) error
	// Fresh says that nobody has heard of the phase before, as far as the caller knows: it is looked for only when it
	// cannot be stored.
	Fresh bool
	// Alone is how long the attempt has its process for itself; it counts for a phase that is taken up.
	Alone time.Duration
}

// Begun is what became of a Begin.
type Begun struct {
	Phase     Phase
	Container Container
	Run       bool   // true for exactly one of several callers: the one that must run the attempt
	Place     int    // in the line of the branch, from 1; 0 when it does not wait
	Ahead     string // the phase that has the branch while this one waits
}

// Begin begins a phase, takes up an interrupted one again, or returns the one that is there. When it returns with Run
// the phase is stored and has its branch for itself.
func (l *Service) Begin(ctx context.Context, tenant string, by audit.Actor, b Begin) (Begun, error) {
	if err := l.check(ctx, &b); err != nil {
		return Begun{}, err
	}
	// Most phases are new, and asking the store first would cost each of them a trip.
	fresh := b.mayBeginUnseen()
	box, p, missing, err := l.look(ctx, tenant, by, b, fresh)
	if err != nil {
		return Begun{}, err
	}

	allowed := fresh && l.allow(ctx, tenant, b, box) == nil
	// Without a right to begin, the slower way finds out why, and whether the phase is there already.
	if allowed {
		if begun, ok, err := l.atOnce(ctx, by, b, box); ok {
			return begun, err
		}
	}
	if fresh { // it may be there all the same, which comes before whatever else is in its way
		p, missing = l.Records.Get(ctx, tenant, b.PhaseID)
	}

	switch err := missing; {
	case err == nil:
		return l.resume(ctx, by, b, box, p)
	case !errors.Is(err, ErrNotFound), b.Caller.Continues():
		return Begun{}, err // what is gone is not begun anew in somebody's name
	}
	if !allowed {
		if err := l.allow(ctx, tenant, b, box); err != nil {
			return Begun{}, err
		}
	}
	if !fresh { // else it was tried
		if begun, ok, err := l.atOnce(ctx, by, b, box); ok || err != nil {
			return begun, err
		}
	}
	if err := l.attribute(ctx, tenant, by, b, box); err != nil {
		return Begun{}, err
	}

	return l.start(ctx, by, b, box)
}

// mayBeginUnseen reports whether the phase of b need not be looked for before it begins. One that cannot begin at once
// is better looked for beside its container.
func (b Begin) mayBeginUnseen() bool {
	return b.Fresh && b.Turn == nil && b.ContainerType == CaseContainer && !b.Caller.Continues()
}

// look reads at the same time what a request is about: its container, and its phase, or whose the session is of a fresh
// one. missing says why there is no phase.
func (l *Service) look(
	ctx context.Context, tenant string, by audit.Actor, b Begin, fresh bool,
) (box Container, p Phase, missing, err error) {
	var reading errgroup.Group
	reading.Go(func() (err error) { box, err = l.enter(ctx, tenant, by, b); return err })

	if fresh {
		reading.Go(func() error { return l.learn(ctx, tenant, b.SessionID) })
	} else {
		reading.Go(func() error { p, missing = l.Records.Get(ctx, tenant, b.PhaseID); return nil })
	}
	// It waits for all readings even when one fails: they write into variables of this call.
	if b.Beside != nil {
		reading.Go(func() error { return b.Beside(ctx) })
	}
	err = reading.Wait()

	return box, p, missing, err
}

// check refuses what is wrong with the request by itself.
func (l *Service) check(ctx context.Context, b *Begin) error {
	// It comes before the gate, which would read all of a prompt of any length.
	if utf8.RuneCountInString(b.Prompt) > api.MaxPrompt {
		return api.ErrPromptTooLong
	}
	var f validate.List
	checkID("seedPhase.phaseId", b.PhaseID, &f)
	checkID("containerId", b.ContainerID, &f)
	if b.BranchID != "" {
		checkID("seedPhase.branchId", b.BranchID, &f)
	}
	if b.ParentID != "" {
		checkID("seedPhase.parentPhaseId", b.ParentID, &f)
	}
	if !api.IsRequestType(b.RequestType) {
		f.Add("requestType", "must be one of eval_req, case_req, support_req, sales_req, admin_req")
	}
	f.OneOf("containerType", b.ContainerType, vocabulary.ContainerTypes.All()...)
	if !api.FileIDs(b.FileIDs) {
		f.Add("fileIds", fmt.Sprintf("must be at most %d UUIDs in lower case", api.MaxTaskFiles))
	}
	if !Digest(b.Fingerprint) {
		f.Add("fingerprint", "must be a SHA-256 in hex")
	}
	checkEngine(b.Engine, &f)
	// The gate reads the text as it was sent. What comes after trims and composes it, and could hide something.
	if err := inputgate.Check(
		ctx,
		l.Gate,
		l.link(b.ContainerType, b.ContainerID),
		inputgate.Text{Channel: guard.Prompt, Path: "prompt", Value: b.Prompt},
		inputgate.Text{Channel: guard.ChosenID, Path: "sessionId", Value: b.SessionID},
	); err != nil {
		return err
	}
	// Only text that passed is changed, so an error never repeats what was refused.
	b.Prompt = f.Prose("prompt", b.Prompt, 1, api.MaxPrompt)
	b.SessionID = f.Line("sessionId", b.SessionID, 1, api.MaxSession)
	b.Turn.check(&f)
	if err := f.Err(); err != nil {
		return err
	}
	if !api.WorksIn(b.RequestType, b.ContainerType) {
		return api.ErrRequestType
	}

	return nil
}

// maxMessageID bounds the name that a client gives its message, in code points.
const maxMessageID = 128

func (t *Turn) check(f *validate.List) {
	if t == nil {
		return
	}
	checkID("a2a.taskId", t.TaskID, f)
	f.Line("a2a.contextId", t.ContextID, 1, api.MaxA2AName)
	f.Line("a2a.messageId", t.MessageID, 1, maxMessageID)
	f.Line("a2a.print", t.Print, 0, maxMessageID)
}

func checkID(path, id string, f *validate.List) {
	if !ids.Valid(id) {
		f.Add(path, "must be a UUID in lower case")
	}
}

// link is where the user keeps an identity and gets a label for it.
func (l *Service) link(containerType, containerID string) string {
	switch {
	case !ids.Valid(containerID):
		return l.Links.To(deeplink.AddIdentity, "")
	case containerType == CaseContainer:
		return l.Links.To(deeplink.AddIdentity, containerID)
	}

	return l.Links.ToContainer(deeplink.AddIdentity, containerID)
}

func checkEngine(e Engine, f *validate.List) {
	f.OneOf("engine.mode", e.Mode, vocabulary.EngineModes.All()...)
	f.Line("engine.rulesVersion", e.RulesVersion, 1, 40)
	f.Line("engine.fallbackReason", e.FallbackReason, 0, 200)
	least := 0
	// An answer of a model has to say which one, since its review depends on it.
	if e.Mode == "model" {
		least = 1
	}
	f.Line("engine.model.provider", e.Provider, least, 40)
	f.Line("engine.model.name", e.Model, least, 100)
	f.Line("engine.model.templateVersion", e.TemplateVersion, 0, 40)
}

// Digest reports whether s is a SHA-256 in lower-case hex.
func Digest(s string) bool {
	return len(s) == 64 && strings.Trim(s, "0123456789abcdef") == ""
}

// resume answers for a phase that exists. An interrupted one is taken up by whoever replaces its version first.
func (l *Service) resume(ctx context.Context, by audit.Actor, b Begin, box Container, p Phase) (Begun, error) {
	if !b.began(p) {
		return Begun{}, ErrConflict
	}
	if err := l.attend(ctx, p, b.Turn); err != nil { // whoever stored it may not have known that it did
		return Begun{}, err
	}
	if p.Status == Queued {
		return l.turn(ctx, by, b, box, p)
	}
	// An attempt that dies again and again waits longer each time, so it is not due at once.
	if p.Status != Interrupted || b.Hold || !p.Due(l.Now()) {
		return Begun{Phase: p, Container: box}, nil
	}
	if err := l.admit(ctx, p.Tenant, by, b, box); err != nil {
		return Begun{}, err
	}
	now := instant.Of(l.Now())
	next := p
	next.Status, next.Attempt, next.Engine, next.StartedAt, next.Since = Running, p.Attempt+1, b.Engine, now, now
	next.AloneUntil = time.Time{}
	if b.Alone > 0 {
		next.AloneUntil = now.Add(b.Alone)
	}
	// Who continues in the name of the first caller has no token of its own, and must not take the place of that one.
	if !b.Caller.Continues() {
		next.Caller = b.Caller
	}
	entry := l.entry(by, "phase.resume", p)

	err := l.replace(ctx, entry, next)
	switch {
	case errors.Is(err, errs.ErrTaken):
		p, err := l.Records.Get(ctx, p.Tenant, p.ID)
		return Begun{Phase: p, Container: box}, err
	case err != nil:
		return Begun{}, err
	}
	next.Version++

	return Begun{Phase: next, Container: box, Run: true}, nil
}

func (l *Service) entry(by audit.Actor, action string, p Phase) audit.Entry {
	return audit.Entry{Tenant: p.Tenant, Actor: by, Action: action, ResourceType: "phase", ResourceID: p.ID}
}

// start claims the branch and stores a new phase on it. Where the branch is taken, or others wait for it, the phase
// gets in line.
func (l *Service) start(ctx context.Context, by audit.Actor, b Begin, box Container) (Begun, error) {
	id, err := l.branchOf(ctx, by, b, box)
	if err != nil {
		return Begun{}, err
	}
	// The claim comes before the branch is read, so that its head cannot move any more.
	err = l.claim(ctx, Branch{ID: id, Tenant: box.Tenant}, b.PhaseID)

	switch {
	// the head that a request names will have moved
	case errors.Is(err, ErrBranchBusy) && b.Waiter != "" && b.ParentID == "":
		branch, err := l.branch(ctx, by, b, box)
		if err != nil {
			return Begun{}, err
		}

		return l.join(ctx, by, b, box, branch)
	case err != nil:
		return Begun{}, err
	}
	begun, err := l.startOn(ctx, by, b, box)
	if err != nil {
		err = errors.Join(err, l.giveUp(ctx, box.Tenant, id, b.PhaseID))
	}

	return begun, err
}

// startOn stores the phase on its branch, whose claim it has: the branch is read under the claim, so that its head
// stands still. Those who wait for the branch come first.
func (l *Service) startOn(ctx context.Context, by audit.Actor, b Begin, box Container) (Begun, error) {
	branch, err := l.branch(ctx, by, b, box)
	if err != nil {
		return Begun{}, err
	}
	if !branch.lined(l.Now()) {
		return l.insert(ctx, by, b, box, branch)
	}

	before, err := l.inLine(ctx, branch)
	switch {
	case err != nil:
		return Begun{}, err
	case len(before) == 0:
		return l.insert(ctx, by, b, box, branch)
	case b.Waiter == "" || b.ParentID != "":
		return Begun{}, ErrBranchBusy
	}
	// Others were here first. The claim is given up, so that the first of them gets the branch.
	if err := l.Claims.Release(ctx, box.Tenant, branch.ID, b.PhaseID); err != nil {
		return Begun{}, err
	}

	return l.join(ctx, by, b, box, branch)
}

// insert stores the phase under its claim, on the branch as it is under that.
func (l *Service) insert(ctx context.Context, by audit.Actor, b Begin, box Container, branch Branch) (Begun, error) {
	if tip, _ := branch.Tip(); b.ParentID != "" && b.ParentID != tip {
		// The head may have moved because this very phase was stored, by a call whose answer was lost.
		if begun, err := l.twin(ctx, b, box, branch.ID); !errors.Is(err, ErrNotFound) {
			return begun, err
		}

		return Begun{}, ErrConflict
	}
	p := l.draft(by, b, box, branch)
	if err := l.attend(ctx, p, b.Turn); err != nil {
		return Begun{}, err
	}

	err := audit.Do(ctx, l.Journal, l.entry(by, "phase.begin", p), func() error { return l.Records.Insert(ctx, p) })
	switch {
	case errors.Is(err, errs.ErrTaken):
		return l.twin(ctx, b, box, branch.ID)
	// Its claim was taken over while it was slow, and another phase has the number: this one must not run.
	case errors.Is(err, ErrSequence):
		return Begun{}, errors.Join(l.outrun(ctx, p), l.undo(ctx, p))
	case err != nil:
		return Begun{}, errors.Join(err, l.undo(ctx, p))
	}
	if err := l.confirm(ctx, by, p, box.Case); err != nil {
		return Begun{}, err
	}
	l.Recent.keep(p, branch)

	return Begun{Phase: p, Container: box, Run: true}, nil
}

// confirm makes a stored phase and the end of its case see each other. Whoever deletes or closes a case looks for open
// phases and then replaces the version it saw before looking; the version that is written here comes after the phase.
// So either that replacement fails, and the next look finds the phase, or the case is gone or over by now, and the
// phase ends without having run.
//
// seen is the case as it was read before the phase was stored, nil when that does not matter. When nobody has written
// it since, nobody has counted the phase either, and the new version counts it.
func (l *Service) confirm(ctx context.Context, by audit.Actor, p Phase, seen *cases.Case) error {
	if p.ContainerType != CaseContainer {
		return nil
	}
	// The phase is stored: whoever asked for it may die, and another process takes it up.
	standing, cancel := toTheEnd(ctx)
	defer cancel()
	err := errs.ErrTaken
	if seen != nil {
		_, err = l.Cases.Swap(standing, *seen, seen.WithPhase(l.Now()))
	}

	return l.reconfirm(standing, by, p, seen != nil, err)
}

// reconfirm goes on after the attempt to write the case of a stored phase, which came to err. When somebody else wrote
// it meanwhile, the case is read anew, and counted is true when the phase is to be counted in it.
func (l *Service) reconfirm(ctx context.Context, by audit.Actor, p Phase, counted bool, err error) error {
	if errors.Is(err, errs.ErrTaken) {
		_, err = l.Cases.Update(ctx, p.Tenant, p.ContainerID, func(c *cases.Case) error { return c.Stands() })
		if err == nil && counted {
			_ = l.count(ctx, p) // derived, and may lag; the next change counts again
		}
	}
	if err == nil {
		return nil
	}

	return errors.Join(err, l.stillborn(ctx, by, p, err))
}

// stillborn ends a stored phase that must not run, for a reason that its readers are told.
func (l *Service) stillborn(ctx context.Context, by audit.Actor, p Phase, why error) error {
	var failure *Failure

	switch {
	case errors.Is(why, cases.ErrOver), errors.Is(why, ErrNotFound):
		failure = &Failure{
			Code:    "case_closed",
			Message: "The case was closed or deleted at the moment when this phase began, so it did not run.",
		}
	case errors.Is(why, ErrBranchArchived):
		failure = &Failure{
			Code:    ErrBranchArchived.Code,
			Message: "The branch was archived at the moment when this phase began, so it did not run.",
		}
	default:
		failure = &Failure{
			Code:      "store_unavailable",
			Message:   "The case could not be reached when this phase began, so it did not run. Send a new phase.",
			Retryable: true,
		}
	}

	// The phase must not stay open when the caller hangs up, or nobody could close the case.
	after, cancel := toTheEnd(ctx)
	defer cancel()

	ended, err := l.end(after, by, p, Outcome{
		Attempt: p.Attempt, Status: Failed, Failure: failure, Engine: p.Engine,
		// it has no events yet, and whoever asks for them is told of its end
		Stream: StreamMarks{ResponseSeq: 1, EndSeq: 2},
	})
	if err == nil {
		err = l.settle(after, ended)
	}
	if err == nil && ended.countedAtBegin() { // which failed
		_ = l.count(after, ended) // derived, and may lag; the next change counts again
	}

	return err
}

// twin answers for a phase that another call with the same phaseId has stored meanwhile, and releases the claim on a
// branch that our call has made in vain. The phase may even have ended, and our claim come after.
func (l *Service) twin(ctx context.Context, b Begin, box Container, branchID string) (Begun, error) {
	p, err := l.Records.Get(ctx, box.Tenant, b.PhaseID)
	if err != nil {
		return Begun{}, err
	}
	// The claim is given up even when the phase is another request: it would block the branch.
	err = l.unclaim(ctx, p, branchID)
	if !b.began(p) {
		return Begun{}, errors.Join(ErrConflict, err)
	}

	return Begun{Phase: p, Container: box}, err
}

// began reports whether p is the phase that b asks for.
func (b Begin) began(p Phase) bool {
	return p.RequestSHA256 == b.Fingerprint && p.ContainerID == b.ContainerID && p.ContainerType == b.ContainerType
}

func (l *Service) draft(by audit.Actor, b Begin, box Container, branch Branch) Phase {
	now := instant.Of(l.Now())
	parent, hash := branch.Tip()
	p := Phase{
		ID: b.PhaseID, Tenant: box.Tenant, Version: 1, BranchID: branch.ID,
		TimelineID: box.TimelineID, ParentID: parent,
		Sequence: branch.HeadSequence + 1, ContainerType: box.Type,
		ContainerID: box.ID, SessionID: b.SessionID, RequestType: b.RequestType,
		Prompt: b.Prompt, FileIDs: b.FileIDs, Status: Running, Attempt: 1,
		Review: Review{Status: ReviewNotRequired}, DirectedBy: directedBy(by, box),
		Engine: b.Engine, RequestSHA256: b.Fingerprint, PrevHash: hash,
		CreatedBy: by, CreatedAt: now, StartedAt: now, Since: now,
		Caller: b.Caller, Asked: b.Asked,
	}
	// The first phase of a timeline has a fixed hash before it, so that a chain that was cut off at its beginning
	// shows.
	if p.PrevHash == "" {
		p.PrevHash = GenesisHash
	}
	if b.Turn != nil {
		p.TaskID = b.Turn.TaskID
	}

	return p
}

// attend records a phase in its task before the phase is stored, so that the end of the phase finds the task.
func (l *Service) attend(ctx context.Context, p Phase, t *Turn) error {
	if t == nil {
		return nil
	}

	return l.Tasks.Begins(ctx, p, *t)
}

// undo takes a phase out of its task again that could not be stored, so that the same request can be sent again.
func (l *Service) undo(ctx context.Context, p Phase) error {
	if p.TaskID == "" {
		return nil
	}

	// A task that names a phase which was never stored would refuse the same message for good.
	return l.Tasks.Undo(context.WithoutCancel(ctx), p)
}

// stands tells the task of a phase how the phase stands now.
func (l *Service) stands(ctx context.Context, p Phase) error {
	if p.TaskID == "" {
		return nil
	}

	return l.Tasks.Stands(ctx, p)
}
