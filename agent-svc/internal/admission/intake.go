// Package admission takes a task in: its form, the rights of its caller and the identity gate first, then the phase and
// its run. Whoever brings a task, over HTTP or MCP, brings it here.
package admission

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/admin"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/answers"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/runs"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/stream"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/upstream"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/ids"
	"github.com/subrosa-legal/subrosa/pkg/services"
	"golang.org/x/text/unicode/norm"
)

// Canceller asks whoever runs a run to end it.
type Canceller interface {
	Cancel(ctx context.Context, k stream.Key) error
}

// Planner says what will answer a task.
type Planner interface {
	// Wanted reports whether what the case allows must be known for that.
	Wanted(task legal.Task) (bool, error)
	// Plan returns what will answer, or why a task cannot have what it demands.
	Plan(task legal.Task) (api.Engine, error)
}

// Service is what a task needs to become a run.
type Service struct {
	Runs       *runs.Runs
	Planner    Planner
	Cases      services.CaseClient
	Parties    services.PartyClient
	Auth       Continuer
	People     upstream.People
	Cancel     Canceller
	Ahead      Ahead
	LineWait   time.Duration // how long a phase waits for its branch
	Gate       guard.Gate
	BrowserApp string
	Now        func() time.Time
}

// Admit checks form, rights and identity of a task, in this order.
func (d *Service) Admit(ctx context.Context, caller access.Caller, task *api.AgentTask) error {
	if err := task.Validate(); err != nil {
		return err
	}

	return d.screen(ctx, caller, task)
}

// AdmitNew is Admit for a task in a case that will be opened for it: what is refused must leave no empty case behind.
func (d *Service) AdmitNew(ctx context.Context, caller access.Caller, task *api.AgentTask) error {
	task.ContainerID = ids.New() // stands for the case until there is one
	err := task.Validate()
	task.ContainerID = ""
	if err != nil {
		return err
	}

	return d.screen(ctx, caller, task)
}

// screen checks rights and identity.
func (d *Service) screen(ctx context.Context, caller access.Caller, task *api.AgentTask) error {
	// Findings name offsets of the bytes as they were sent; normalising may move them.
	sent := task.Prompt
	task.Prompt = norm.NFC.String(task.Prompt)
	if task.RequestType == api.AdminReq && !caller.HasRole(access.RoleAdmin) {
		return access.ErrForbidden
	}
	if imports(caller, *task) {
		// The lines are what professionals say of themselves: party-svc checks them, and the phase does not keep them.
		sent = admin.PartnersImport
	}
	found := guard.At("prompt", d.Gate.Check(ctx, guard.Prompt, sent))
	found = append(found, guard.At("sessionId", d.Gate.Check(ctx, guard.ChosenID, task.SessionID))...)
	if of := task.A2A; of != nil {
		found = append(found, guard.At("messageId", d.Gate.Check(ctx, guard.ChosenID, of.MessageID))...)
		found = append(found, guard.At("contextId", d.Gate.Check(ctx, guard.ChosenID, of.ContextID))...)
	}
	if len(found) > 0 {
		return d.Refused(ctx, guard.Refusal(d.Link("add_identity", *task), found), *task)
	}

	return nil
}

// imports reports whether a task loads a directory: a person's alone, since an agent is refused the verb.
func imports(caller access.Caller, task api.AgentTask) bool {
	verb, _ := admin.ReadVerb(task.Prompt)

	return task.RequestType == api.AdminReq && caller.Admin() && verb == admin.PartnersImport
}

// kept is the prompt as the phase keeps it.
func kept(caller access.Caller, task api.AgentTask) string {
	if !imports(caller, task) {
		return task.Prompt
	}
	_, lines := admin.ReadVerb(task.Prompt)

	return fmt.Sprintf(
		"%s (lines: %d)",
		admin.PartnersImport,
		len(strings.FieldsFunc(lines, func(r rune) bool { return r == '\n' })),
	)
}

// Refused puts the refusal of an identity on record before the answer goes out.
func (d *Service) Refused(ctx context.Context, refusal error, task api.AgentTask) error {
	record := api.RecordRefusal{Action: "prompt.refused", ResourceType: "phase"}
	if ids.Valid(task.SeedPhase.PhaseID) {
		record.ResourceID = task.SeedPhase.PhaseID
	}
	if err := d.Cases.RecordRefusal(ctx, record); err != nil {
		// Without its record the refusal must not go out: the caller gets the failure of the record instead.
		return err
	}

	return refusal
}

// Link is the address of what only a person can do about a task.
func (d *Service) Link(action string, task api.AgentTask) string {
	name := "container"
	if task.ContainerType == api.ContainerCase {
		name = "case"
	}
	query := url.Values{}
	// A refused task may hold anything here, so only a well-formed id goes into an address.
	if ids.Valid(task.ContainerID) {
		query.Set(name, task.ContainerID)
	}
	if ids.Valid(task.SeedPhase.PhaseID) {
		query.Set("phase", task.SeedPhase.PhaseID)
	}
	link := d.BrowserApp + "/i/" + action
	if len(query) > 0 {
		link += "?" + query.Encode()
	}

	return link
}

// Begun is what became of a task.
type Begun struct {
	Phase  api.Phase
	Replay bool  // the phase was there already
	Turn   *Turn // set when the phase waits for its branch: whoever began it must wait, or have others wait
}

// Begin has case-svc begin the phase or find it, and starts the run when this request is the one that must.
func (d *Service) Begin(ctx context.Context, caller access.Caller, task api.AgentTask) (Begun, error) {
	print, err := Fingerprint(task)
	if err != nil {
		return Begun{}, err
	}
	// The plan comes first: what cannot be answered must not take a place from what can.
	engine, err := d.plan(ctx, task)
	planned := err == nil
	var giveBack func()
	if planned {
		giveBack, err = d.Runs.Reserve(caller.Tenant, Identity(caller))
	}
	if err != nil {
		// There is no place for another run, or it may not have the engine that it demands; but whoever resumes one
		// needs neither.
		there, missing := d.Cases.Phase(ctx, task.SeedPhase.PhaseID)
		if missing == nil && there.RequestSHA256 == print && there.Status != api.PhaseQueued {
			return Begun{Phase: there, Replay: true}, nil
		}
		if planned {
			giveBack, err = d.Runs.Enter(ctx, caller.Tenant, Identity(caller))
		}
		if err != nil {
			return Begun{}, err
		}
	}
	request := d.request(caller, task, print, engine)
	request.Waiter = uuid.NewString()
	// A plain question answered by rules reads no case, so case-svc need not prepare the container's lists for it.
	asked := legal.Task{RequestType: task.RequestType, Prompt: task.Prompt}
	request.Plain = engine.Mode == runs.EngineOf().Mode && answers.Plain(asked)
	request.Fresh = d.Runs.Unheard(ctx, KeyOf(caller, request.PhaseID))
	request.Hold = true // what waits or is interrupted goes on when its turn comes, whoever asks for it meanwhile
	begun, err := d.Cases.BeginPhase(ctx, request)
	request.Fresh = false // whoever asks for its turn knows of it
	if err != nil || !begun.Run {
		giveBack()
		out := Begun{Phase: begun.Phase, Replay: true}
		if err == nil && begun.Phase.Status == api.PhaseQueued {
			out.Turn = &Turn{
				desk:    d,
				caller:  caller,
				task:    task,
				request: request,
				at:      begun,
			}
		}

		return out, err
	}

	return Begun{Phase: begun.Phase}, d.start(ctx, caller, task, begun, runs.Slot{GiveBack: giveBack})
}

// request is what case-svc is asked for a task.
func (d *Service) request(caller access.Caller, task api.AgentTask, print string, engine api.Engine) api.BeginPhase {
	return api.BeginPhase{
		PhaseID:       task.SeedPhase.PhaseID,
		SessionID:     task.SessionID,
		BranchID:      task.SeedPhase.BranchID,
		ParentPhaseID: task.SeedPhase.ParentPhaseID,
		ContainerID:   task.ContainerID,
		ContainerType: task.ContainerType,
		RequestType:   task.RequestType,
		Prompt:        kept(caller, task),
		FileIDs:       task.FileIDs,
		Fingerprint:   print,
		Engine:        engine,
		Options:       task.Options,
		A2A:           task.A2A,
	}
}

// start runs a phase that case-svc has told this process to run.
func (d *Service) start(
	ctx context.Context,
	caller access.Caller,
	task api.AgentTask,
	begun api.BegunPhase,
	place runs.Slot,
) error {
	job := runs.Job{
		Key:     KeyOf(caller, begun.Phase.PhaseID),
		Phase:   begun.Phase,
		Limit:   task.Limit(),
		Place:   place,
		Member:  access.MemberOf(caller),
		Sources: upstream.Nothing{},
		Task: legal.Task{
			PhaseID:     begun.Phase.PhaseID,
			RequestType: task.RequestType,
			Prompt:      task.Prompt,
			FileIDs:     task.FileIDs,
			Container:   begun.Container,
			Roles:       caller.Roles,
			Now:         d.Now(),
			Limit:       task.Limit(),
			Links:       func(action string) string { return d.Link(action, task) },
		},
	}
	if task.Options != nil {
		job.Task.Language, job.Task.Mode = task.Options.Language, task.Options.Mode
	}
	d.equip(&job.Task, caller)
	if begun.Container.ContainerType == api.ContainerCase {
		kase := upstream.Case{
			Client:     d.Cases,
			Roster:     d.Parties,
			CaseID:     begun.Container.ContainerID,
			TimelineID: begun.Container.TimelineID,
			PhaseID:    begun.Phase.PhaseID,
			Attempt:    begun.Phase.Attempt,
		}
		job.Sources, job.Task.Work = kase, kase
	}

	return d.Runs.Start(ctx, job, place.GiveBack)
}

// equip gives a task what its type and its caller may have beside the container.
func (d *Service) equip(task *legal.Task, caller access.Caller) {
	office := upstream.Office{Cases: d.Cases, Parties: d.Parties, People: d.People}

	switch task.RequestType {
	case api.SupportReq:
		task.Record = office
	case api.AdminReq:
		task.Oversight = office
		if caller.Admin() {
			task.Office = office
		}
	}
}

// plan asks what will answer a task, with the case as it is now where that matters.
func (d *Service) plan(ctx context.Context, task api.AgentTask) (api.Engine, error) {
	t := legal.Task{RequestType: task.RequestType, Prompt: task.Prompt}
	if task.Options != nil {
		t.Mode = task.Options.Mode
	}
	wanted, err := d.Planner.Wanted(t)
	if err != nil {
		return api.Engine{}, err
	}
	if wanted {
		if t.Container, err = d.Cases.Container(ctx, task.ContainerType, task.ContainerID); err != nil {
			return api.Engine{}, err
		}
	}

	return d.Planner.Plan(t)
}

// KeyOf names the run of a phase.
func KeyOf(caller access.Caller, phaseID string) stream.Key {
	return stream.Key{Tenant: caller.Tenant, PhaseID: phaseID}
}

var errOver = errs.New(errs.Conflict, "invalid_transition", "The run has ended and can no longer be cancelled.")

// End asks whoever runs a phase to end it; one that nobody runs ends at once. The caller must be one who could have
// begun it.
func (d *Service) End(ctx context.Context, caller access.Caller, phaseID string) error {
	if !caller.May("agent:run") {
		return access.ErrScope
	}
	if !ids.Valid(phaseID) {
		return errs.ErrNotFound
	}
	phase, err := d.Cases.Phase(ctx, phaseID)
	if err != nil {
		return err
	}
	// An invited partner reads the phase, and has no say in the work: only the container itself answers that.
	if _, err := d.Cases.Container(ctx, phase.ContainerType, phase.ContainerID); err != nil {
		return err
	}
	// No process runs such a phase, so nobody would hear the wish to end it.
	if phase.Status == api.PhaseInterrupted || phase.Status == api.PhaseQueued {
		phase, err = d.Runs.Abandon(ctx, KeyOf(caller, phase.PhaseID), phase)
		if err == nil && phase.Status == api.PhaseCancelled {
			return nil
		}
		if err != nil {
			return err
		}
	}
	if phase.Status != api.PhaseRunning {
		return errOver.WithDetails(errs.Detail{From: phase.Status, To: api.PhaseCancelled})
	}

	return d.Cancel.Cancel(ctx, KeyOf(caller, phase.PhaseID))
}

// Identity tells the callers of a tenant apart.
func Identity(c access.Caller) string {
	id := string(c.Kind) + "|" + c.ID()
	// Many users connect the same application, and each has limits of their own.
	if c.Kind == access.OAuth {
		id += "|" + c.UserID
	}

	return id
}
