// Package phasework has the tasks of the agent-to-agent protocol worked on by our agent: each message becomes a phase,
// by the same way in as over the other interfaces.
package phasework

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/a2a"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/admission"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/answers"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/intent"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/redisstore"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/runs"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/stream"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/extract"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/httpcall"
	"github.com/subrosa-legal/subrosa/pkg/ids"
	"github.com/subrosa-legal/subrosa/pkg/services"
)

// Worker is an a2a.Worker.
type Worker struct {
	Intake  *admission.Service
	Streams *stream.Server
	Cases   services.CaseClient
	Pace    *redisstore.Pace // of messages
	Base    string           // public address of the service
	Log     *slog.Logger
}

// space is the name space of the conversations of support and sales that contexts have.
var space = ids.Space(uuid.MustParse("0e6f4c53-1f37-54f2-9a0b-7e1d3c5a9b21"))

// beginTime bounds the start of a turn. It goes on when the client disconnects, so that nothing is left half done.
const beginTime = 30 * time.Second

var (
	errRate = errs.New(errs.TooMany, "rate_limited", "Too many messages in a minute. Send this again later.")
	errMove = errs.New(
		errs.Invalid,
		"container_mismatch",
		"The task belongs to another case or container. Omit the container, or start a new task without a taskId.",
	)
	errCaseID = errs.New(errs.Invalid, "validation_failed", "caseId in the metadata must be the id of a case.")
	errMany   = errs.New(errs.Invalid, "too_many_files", "A message may attach and name at most 50 files in total.")
	errFile   = errs.New(
		errs.Invalid,
		"case_required",
		"Files go into a case. Name the case in the metadata of the message.",
	)
	errOfCase = errs.New(
		errs.Invalid,
		"case_required",
		"A branch and files that are named belong to a case. Name the case in the metadata of the message, too.",
	)
)

// where is what the metadata of a message says under the address of the extension for phases.
type where struct {
	CaseID        string           `json:"caseId,omitempty"`
	ContainerType string           `json:"containerType,omitempty"`
	ContainerID   string           `json:"containerId,omitempty"`
	RequestType   string           `json:"requestType,omitempty"`
	BranchID      string           `json:"branchId,omitempty"`
	FileIDs       []string         `json:"fileIds,omitempty"`
	Options       *api.TaskOptions `json:"options,omitempty"`
}

// usual are the types of request by the container that a message names.
var usual = map[string]string{
	api.ContainerCase:    api.CaseReq,
	api.ContainerSupport: api.SupportReq,
	api.ContainerSales:   api.SalesReq,
}

// Place says where a message is worked on: where its metadata says, else where its task or the text of an answer says.
func (w *Worker) Place(
	ctx context.Context,
	m a2a.Message,
	more map[string]any,
	t api.A2ATask,
) (at a2a.Destination, missing bool, err error) {
	said, err := w.said(m.Metadata, more)
	if err != nil {
		return a2a.Destination{}, false, err
	}
	if said.CaseID != "" {
		said.ContainerType, said.ContainerID = api.ContainerCase, said.CaseID
	}
	if said.ContainerID == "" && t.ContainerID != "" {
		said.ContainerType, said.ContainerID = t.ContainerType, t.ContainerID
	}
	// A task that asked which case it is about takes the bare id as the answer.
	if said.ContainerID == "" && len(t.Turns) > 0 {
		said.ContainerID = onlyID(m)
	}
	if said.ContainerType == "" && said.ContainerID != "" {
		said.ContainerType = api.ContainerCase
	}

	// A conversation needs no name: each context has one of its own for support and one for sales.
	switch {
	case said.ContainerID != "":
	case said.RequestType == api.SupportReq, said.ContainerType == api.ContainerSupport:
		said.ContainerType, said.ContainerID = api.ContainerSupport, space.Derive(api.ContainerSupport, t.ContextID)
	case said.RequestType == api.SalesReq, said.ContainerType == api.ContainerSales:
		said.ContainerType, said.ContainerID = api.ContainerSales, space.Derive(api.ContainerSales, t.ContextID)
	default:
		if missing, err = w.asks(ctx, said.RequestType); err != nil {
			return a2a.Destination{}, false, err
		}
		if missing {
			// A question costs no run, but counts: a client must not have us ask without end.
			return a2a.Destination{}, true, w.paced(ctx)
		}
		said.ContainerType = api.ContainerCase
	}
	// The phases of a task are one line in one container; a later message cannot carry them elsewhere.
	if begun(t) && said.ContainerID != t.ContainerID {
		return a2a.Destination{}, false, errMove
	}
	if said.RequestType == "" {
		said.RequestType = usual[said.ContainerType]
		if said.ContainerType == api.ContainerCase && !begun(t) && evaluates(m, t) {
			said.RequestType = api.EvalReq
		}
	}

	return a2a.Destination{
		ContainerType: said.ContainerType,
		ContainerID:   said.ContainerID,
		RequestType:   said.RequestType,
		BranchID:      said.BranchID,
		FileIDs:       said.FileIDs,
		Options:       said.Options,
		New:           said.ContainerID == "",
	}, false, nil
}

// asks reports whether a task that names no container asks for one. The settings of the tenant say so, but that only a
// case is ever opened for a task.
func (w *Worker) asks(ctx context.Context, requestType string) (bool, error) {
	if requestType != "" && requestType != api.CaseReq && requestType != api.EvalReq {
		return true, nil
	}
	s, err := w.Cases.A2ASettings(ctx)
	// A case-svc of the version before has no such setting.
	if errors.Is(err, errs.ErrNotFound) {
		return true, nil
	}

	return s.DefaultContainer != api.A2ANewCase, err
}

// begun reports whether a message of the task was worked on.
func begun(t api.A2ATask) bool {
	for _, turn := range t.Turns {
		if turn.PhaseID != "" {
			return true
		}
	}

	return false
}

// said reads the metadata of a message and of its request; what that of the message leaves open, the other may say.
func (w *Worker) said(message, request map[string]any) (where, error) {
	out, err := w.one(message)
	if err != nil {
		return out, err
	}
	more, err := w.one(request)
	// The three name one place together, so they are taken from one of the two, never mixed.
	if out.place() == (where{}).place() {
		out.CaseID, out.ContainerType, out.ContainerID = more.CaseID, more.ContainerType, more.ContainerID
	}
	out.RequestType = cmp.Or(out.RequestType, more.RequestType)
	out.BranchID = cmp.Or(out.BranchID, more.BranchID)
	out.Options = cmp.Or(out.Options, more.Options)
	if out.FileIDs == nil {
		out.FileIDs = more.FileIDs
	}

	return out, err
}

// place is what of it names where.
func (at where) place() [3]string { return [3]string{at.CaseID, at.ContainerType, at.ContainerID} }

// one reads metadata: what stands under the address of the extension, and the id of a case by itself.
func (w *Worker) one(metadata map[string]any) (out where, err error) {
	if v, there := metadata[w.Base+api.A2ALegalPhase]; there {
		if out, err = decode(v); err != nil {
			return out, err
		}
	}
	if v, there := metadata["caseId"]; there && out.place() == (where{}).place() {
		id, ok := v.(string)
		if !ok {
			return out, errCaseID
		}
		out.CaseID = id
	}

	return out, nil
}

// onlyID returns the id that an answer consists of, "" for any other answer.
func onlyID(m a2a.Message) string {
	for _, p := range m.Parts {
		if p.Text != nil && ids.Valid(strings.TrimSpace(*p.Text)) {
			return strings.TrimSpace(*p.Text)
		}
	}

	return ""
}

// evaluates reports whether a new task asks for an evaluation of its case in words: clients of the protocol know the
// skill of the card, and not our request types.
func evaluates(m a2a.Message, t api.A2ATask) bool {
	asks := func(text string) bool { return answers.Asked(text).Best == intent.Tier }

	return slices.ContainsFunc(m.Parts, func(p a2a.Part) bool { return p.Text != nil && asks(*p.Text) }) ||
		slices.ContainsFunc(t.Turns, func(turn api.A2ATurn) bool { return asks(turn.Text) })
}

// Begin begins the phase of a turn, after its files are in the case.
func (w *Worker) Begin(ctx context.Context, o *a2a.Order) (a2a.Turn, error) {
	caller := access.CallerFrom(ctx)
	if !caller.May("agent:run") {
		return a2a.Turn{}, access.ErrScope
	}
	if err := w.paced(ctx); err != nil {
		return a2a.Turn{}, err
	}

	// A client that leaves now must not leave a case without its files, or files without a turn.
	ctx, done := context.WithTimeout(context.WithoutCancel(ctx), beginTime)
	defer done()
	task := api.AgentTask{
		SessionID:     space.Derive("session", caller.Tenant, caller.UserID, o.Task.ContextID),
		SeedPhase:     api.SeedPhase{PhaseID: o.TurnID, BranchID: o.At.BranchID},
		ContainerID:   o.At.ContainerID,
		ContainerType: o.At.ContainerType,
		RequestType:   o.At.RequestType,
		Prompt:        o.Text,
		FileIDs:       o.At.FileIDs,
		Options:       o.At.Options,
		A2A:           &o.Task,
	}
	if len(o.Files)+len(task.FileIDs) > api.MaxTaskFiles {
		return a2a.Turn{}, errMany
	}
	// The message is judged before its files are stored, so that a refused one leaves nothing behind.
	if err := w.admit(ctx, caller, o, &task); err != nil {
		return a2a.Turn{}, err
	}
	if err := w.furnish(ctx, o, &task); err != nil {
		return a2a.Turn{}, err
	}
	begun, err := w.Intake.Begin(ctx, caller, task)
	if err != nil {
		return a2a.Turn{}, err
	}
	// A task outlives the request that began it, and so does its place in line.
	if begun.Turn != nil {
		begun.Turn.Outlive(ctx)
	}

	return w.turn(begun.Phase), nil
}

// admit checks a task before anything is done for it.
func (w *Worker) admit(ctx context.Context, caller access.Caller, o *a2a.Order, task *api.AgentTask) error {
	switch {
	case !o.At.New:
		return w.Intake.Admit(ctx, caller, task)
	case o.At.BranchID != "", len(o.At.FileIDs) > 0:
		return errOfCase
	}

	return w.Intake.AdmitNew(ctx, caller, task)
}

// openings bounds how many cases are opened for one message whose files were refused before.
const openings = 4

// furnish puts the files of a message into its case, and opens the case first for a task that is to have its own. A
// case whose files are refused is taken away again, so that nothing is left of the message; when the message is sent
// again it opens another. After any other failure a copy of the message may be at work in the case, or come to be.
func (w *Worker) furnish(ctx context.Context, o *a2a.Order, task *api.AgentTask) error {
	if !o.At.New {
		return w.fill(ctx, o, task, 0)
	}
	var err error

	// Each try opens another case: that of the try before may be on its way out.
	for try := range openings {
		if err = w.house(ctx, o, task, try); !removed(err) {
			break
		}
	}

	return err
}

// house opens the case of a task and puts its files there.
func (w *Worker) house(ctx context.Context, o *a2a.Order, task *api.AgentTask, try int) error {
	if err := w.open(ctx, o, task, try); err != nil {
		return err
	}
	err := w.fill(ctx, o, task, try)
	if refused(err) {
		w.remove(ctx, o)
	}

	return err
}

// fill puts the files of a message into its case.
func (w *Worker) fill(ctx context.Context, o *a2a.Order, task *api.AgentTask, try int) error {
	added, err := w.upload(ctx, o, try)
	if err == nil {
		task.FileIDs = append(slices.Clip(task.FileIDs), added...)
	}

	return err
}

// removed reports whether the case of an earlier copy of the message was taken away: before this one asked for it, or
// while it sent its files.
func removed(err error) bool {
	return errors.Is(err, errs.ErrNotFound) || errs.From(err) != nil && errs.From(err).Code == "resource_gone"
}

// refused reports whether files were refused for what they are, as every copy of them would be. A check that ran out of
// time, or a case that is full, says nothing about the other copies.
func refused(err error) bool {
	if err == nil {
		return false
	}
	e := errs.From(err)

	switch e.Code {
	case guard.ErrRefused.Code, extract.ErrEmpty.Code, extract.ErrTooLarge.Code, extract.ErrTooManyPages.Code:
		return true
	// The name of a file is malformed.
	case "validation_failed":
		return true
	}

	return e.Kind == errs.UnsupportedMedia
}

// removeTime bounds the removal of a case, which also follows on an upload that has used up its own time.
const removeTime = 10 * time.Second

// remove takes a case away that was opened for a message that is refused, unless an earlier copy of the message has
// begun its work there. One that cannot be removed stays, empty, and is in the log.
func (w *Worker) remove(ctx context.Context, o *a2a.Order) {
	ctx, done := context.WithTimeout(context.WithoutCancel(ctx), removeTime)
	defer done()

	// A copy of the message may have begun its work while this one was refused; its case must not be taken away.
	inUse, err := w.inUse(ctx, o)
	if err == nil && !inUse {
		path := httpcall.Path("v1", "cases", o.At.ContainerID)
		_, err = w.Cases.HTTP.Do(ctx, httpcall.Request{Method: http.MethodDelete, Path: path})
	}
	if err != nil && !errors.Is(err, errs.ErrNotFound) {
		w.Log.WarnContext(ctx, "the case of a refused message could not be removed",
			slog.String("caseId", o.At.ContainerID), slog.String("error", errs.From(err).Code))
	}
}

// inUse reports whether a copy of the message has become a phase, or its task has a place.
func (w *Worker) inUse(ctx context.Context, o *a2a.Order) (bool, error) {
	if _, err := w.Cases.Phase(ctx, o.TurnID); !errors.Is(err, errs.ErrNotFound) {
		return err == nil, err
	}
	t, err := w.Cases.A2ATask(ctx, o.Task.TaskID)
	if errors.Is(err, errs.ErrNotFound) {
		return false, nil
	}

	return t.ContainerID != "" || begun(t), err
}

// open opens the case of a task. A message that is sent again finds its own by the key of the same try.
func (w *Worker) open(ctx context.Context, o *a2a.Order, task *api.AgentTask, try int) error {
	parts := []string{api.ContainerCase, o.Task.TaskID}
	if try > 0 {
		parts = append(parts, strconv.Itoa(try))
	}

	var opened api.Case

	// The key follows from the task and the try, so a copy of the message gets the same case and not a second one.
	_, err := w.Cases.HTTP.Do(ctx, httpcall.Request{
		Method: http.MethodPost,
		Path:   httpcall.Path("v1", "cases"),
		Header: http.Header{"Idempotency-Key": {space.Derive(parts...)}},
		In:     map[string]string{"title": newTitle},
		Out:    &opened,
	})
	o.At.ContainerID, task.ContainerID = opened.CaseID, opened.CaseID

	return err
}

// newTitle is that of a case that is opened for a task. The words of the message are no title: nobody has looked at
// whether they may stand where everybody of the firm reads them.
const newTitle = "Task of an agent"

// paced counts a message against its caller.
func (w *Worker) paced(ctx context.Context) error {
	caller := access.CallerFrom(ctx)

	wait := w.Pace.Take(ctx, caller.Tenant+"|"+admission.Identity(caller))
	if wait <= 0 {
		return nil
	}
	sentence := "Too many messages in a minute. Send this again in " + errs.Seconds(wait) + "."

	return errRate.WithMessage(sentence).WithRetryAfter(wait)
}

// phase returns a phase of the caller's user. That of another user is not told from one that does not exist.
func (w *Worker) phase(ctx context.Context, id string) (api.Phase, error) {
	p, err := w.Cases.Phase(ctx, id)
	if errors.Is(err, errs.ErrNotFound) || err == nil && p.CreatedBy.UserID != access.CallerFrom(ctx).UserID {
		return api.Phase{}, errs.ErrNotFound
	}

	return p, err
}

// Look returns how a turn stands.
func (w *Worker) Look(ctx context.Context, id string) (a2a.Turn, error) {
	p, err := w.phase(ctx, id)
	if err != nil {
		return a2a.Turn{}, err
	}

	return w.turn(p), nil
}

// Cancel asks whoever runs the phase to end it.
func (w *Worker) Cancel(ctx context.Context, id string) error {
	return w.Intake.End(ctx, access.CallerFrom(ctx), id)
}

// Follow tells the events of a phase as events of its turn, one for one.
func (w *Worker) Follow(ctx context.Context, id string, after int, each func(a2a.Event)) (bool, error) {
	p, err := w.phase(ctx, id)
	if err != nil {
		return false, err
	}
	k := admission.KeyOf(access.CallerFrom(ctx), id)

	// The process may have died between the record and the last events.
	if runs.Ended(p) {
		if _, err := w.Intake.Runs.Settle(ctx, k); err != nil {
			return false, err
		}
		newest, _, err := w.Intake.Runs.Events.Newest(ctx, k)
		if err != nil || !newest.Last {
			return false, err
		}
	}

	return w.watch(ctx, k, after, each)
}

// Watch tells the events of a phase that has just begun.
func (w *Worker) Watch(ctx context.Context, id string, each func(a2a.Event)) (bool, error) {
	return w.watch(ctx, admission.KeyOf(access.CallerFrom(ctx), id), 0, each)
}

func (w *Worker) watch(ctx context.Context, k stream.Key, after int, each func(a2a.Event)) (bool, error) {
	var end ending

	return w.Streams.Follow(ctx, k, after, func(e stream.Event) {
		end.take(e)
		told := eventOf(k.PhaseID, e)
		told.End = end.turn(w)
		each(told)
	})
}

// upload puts the files of a message into its case, as any upload: what carries an identity is refused.
func (w *Worker) upload(ctx context.Context, o *a2a.Order, try int) ([]string, error) {
	if len(o.Files) == 0 {
		return nil, nil
	}
	if o.At.ContainerType != api.ContainerCase {
		return nil, errFile
	}

	var all []string

	for i, p := range o.Files {
		request, err := uploadOf(o, i, p, try)
		if err != nil {
			return nil, err
		}
		var out struct {
			Items []struct {
				FileID string `json:"fileId"`
			} `json:"items"`
		}
		request.Out = &out
		// Reading a large scan may take minutes without a byte; the usual patience would give it up.
		if _, err := w.Cases.HTTP.Do(httpcall.MayBeSilent(ctx), request); err != nil {
			return nil, err
		}

		for _, f := range out.Items {
			all = append(all, f.FileID)
		}
	}

	return all, nil
}
