package agenttool

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/admission"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/mcp/protocol"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/runs"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/deeplink"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/ids"
)

// How soon a host should ask again how a task stands.
const (
	pollWork   = 2 * time.Second
	pollPerson = 15 * time.Second // who reads, and opens pages
)

// What a user has said to a request of a task. A question that was answered needs no mark: its answer is the next turn.
const (
	saidNo     = "no"   // the task ends as it stands
	saidYes    = "yes"  // the page of the review was opened, so the task waits for the review
	saidCancel = "over" // the task was cancelled while it waited for its user
)

// Task tells how a task stands, from any replica: the phases in the case tell it, and in Redis what the user has said.
// The task of a call is followed through the questions that its user answers; it ends with the first other answer.
func (d *Service) Task(ctx context.Context, id string, host protocol.Host) (protocol.Task, error) {
	caller := access.CallerFrom(ctx)
	first, newest, _, err := d.chain(ctx, caller, id)
	if err != nil {
		return protocol.Task{}, err
	}
	task, err := d.stands(ctx, caller, newest, host)
	if err != nil {
		return protocol.Task{}, err
	}
	task.ID, task.Created = id, d.moment(&first.CreatedAt)
	// Whoever has heard the end of a task and sends the same words again means a new one. What cannot be forgotten now
	// goes by itself after ten minutes.
	if out, ok := task.Result.Value.(Outcome); ok {
		out.TaskID = id
		task.Result.Value = out
		_ = d.Handles.Forget(ctx, admission.KeyOf(caller, newest.PhaseID))
	}

	return task, nil
}

// chain returns the first and the newest phase of a task, and how many there are. A turn at which its user
// ended the task is the last: what was opened after it is a task of its own.
func (d *Service) chain(
	ctx context.Context, caller access.Caller, id string,
) (first, newest api.Phase, turns int, err error) {
	if len(id) > longestID || !ids.Valid(id) {
		return first, first, 0, errs.ErrNotFound
	}
	if first, err = d.own(ctx, caller, id); err != nil {
		return first, first, 0, err
	}
	newest = first

	for turns = 1; turns < mostTurns && asks(newest); turns++ {
		said, err := d.Handles.Said(ctx, admission.KeyOf(caller, newest.PhaseID))
		if err != nil {
			return first, newest, turns, err
			// What a user said ends the task for good, even where an older client has opened another turn after it.
		}
		if ends(said) {
			break
		}
		next, err := d.own(ctx, caller, nextTurn(newest.PhaseID))
		if errors.Is(err, errs.ErrNotFound) {
			break
		}
		if err != nil {
			return first, newest, turns, err
		}
		newest = next
	}

	return first, newest, turns, nil
}

// ends reports whether a task is over by what its user said.
func ends(said string) bool { return said == saidNo || said == saidCancel }

// asks reports whether a phase has ended with a question to the user that an application may answer.
func asks(p api.Phase) bool {
	if p.Status != api.PhaseCompleted || p.Response == nil {
		return false
	}

	return p.Response.Kind == api.KindClarification && requestTypes[p.RequestType] != ""
}

// reviewed reports whether a phase has ended and waits for the review of a person.
func reviewed(p api.Phase) bool {
	return p.Status == api.PhaseCompleted && p.Response != nil && p.Review.Status == api.ReviewPending
}

// stands tells how a task stands by its newest phase. It has a result as soon as nothing more comes of it for the host.
func (d *Service) stands(
	ctx context.Context, caller access.Caller, p api.Phase, host protocol.Host,
) (protocol.Task, error) {
	task := protocol.Task{
		ID:      p.PhaseID,
		Status:  protocol.TaskWorking,
		Created: d.moment(&p.CreatedAt),
		Poll:    pollWork,
		Updated: d.moment(p.Review.At, p.EndedAt, p.StartedAt, &p.CreatedAt),
	}

	switch {
	case p.Status == api.PhaseCancelled:
		task.Status, task.Message = protocol.TaskCancelled, "The task was cancelled."
		return task, nil
	case p.Status == api.PhaseQueued:
		task.Message = "The task waits for its branch of the case."
		return task, nil
	case !runs.Ended(p):
		task.Message = d.lately(ctx, caller, p)
		return task, nil
	}

	said := ""
	// What was said counts after the review too: a user who declined it keeps the answer as it was.
	if asks(p) || p.Review.Required {
		var err error
		if said, err = d.Handles.Said(ctx, admission.KeyOf(caller, p.PhaseID)); err != nil {
			return protocol.Task{}, err
		}
	}

	// The word is kept for as long as Redis keeps it; without one, the record of the phase says all there is.
	if ends(said) {
		task.Until = d.moment(p.EndedAt, &p.CreatedAt).Add(d.Handles.Kept())
	}

	switch wanted := d.wanted(p, host); {
	case said == saidCancel:
		task.Status, task.Message = protocol.TaskCancelled, "The task was cancelled while it waited for an answer."
	case said == saidYes && reviewed(p):
		task.Message, task.Poll = "The user was sent to the review of the answer.", pollPerson
	case said == "" && len(wanted) > 0:
		task.Status, task.Inputs, task.Poll = protocol.TaskInputRequired, wanted, pollPerson
		task.Message = "The task waits for the user."
	default:
		out := d.tell(ctx, p.PhaseID, p)
		task.Status, task.Result = protocol.TaskCompleted, protocol.Answer{Value: out}
	}

	return task, nil
}

// wanted are the requests of a phase to its user that the host can pass on.
func (d *Service) wanted(p api.Phase, host protocol.Host) map[string]protocol.Input {
	switch {
	case asks(p) && host.Forms:
		question := strings.Join(p.Response.Questions, "\n")

		return map[string]protocol.Input{
			questionOf(p): {Message: protocol.Cut(cmp.Or(question, p.Response.Text), longestQuote), Form: answerForm},
		}
	case reviewed(p) && host.Links:
		page := cmp.Or(p.Response.HumanReview.DeepLink, d.Links.ToPhase(deeplink.Review, p.ContainerID, p.PhaseID))

		return map[string]protocol.Input{reviewOf(p): {
			Message: "A person must review this answer before anybody relies on it. Open the review? " +
				"If you decline, the answer comes unreviewed.",
			URL: page,
		}}
	}

	return nil
}

func questionOf(p api.Phase) string { return "answer-" + p.PhaseID }

func reviewOf(p api.Phase) string { return "review-" + p.PhaseID }

// answerForm is the form in which a question is answered.
var answerForm = json.RawMessage(fmt.Sprintf(`{"type":"object","required":["answer"],"properties":{"answer":{`+
	`"type":"string","title":"Answer","description":"Labels such as [Party 1] only, never real names.",`+
	`"minLength":1,"maxLength":%d}}}`, api.MaxPrompt))

// Respond takes what the user said: an answer opens the next turn, the rest is kept beside the phase.
func (d *Service) Respond(
	ctx context.Context, id string, host protocol.Host, said map[string]protocol.Response,
) error {
	caller := access.CallerFrom(ctx)
	_, newest, turns, err := d.chain(ctx, caller, id)
	if err != nil {
		return err
	}
	task, err := d.stands(ctx, caller, newest, host)
	if err != nil {
		return err
	}

	// Only what the task waits for is read; a host may send answers to questions of an hour ago.
	for key := range task.Inputs {
		response, ok := said[key]
		if !ok {
			continue
		}
		if err := d.respond(ctx, caller, newest, turns, key, response); err != nil {
			return err
		}
	}

	return nil
}

func (d *Service) respond(
	ctx context.Context, caller access.Caller, p api.Phase, turns int, key string, r protocol.Response,
) error {
	k := admission.KeyOf(caller, p.PhaseID)

	switch {
	case r.Action == "decline", r.Action == "cancel":
		return d.Handles.Say(ctx, k, saidNo, "")
	case r.Action != "accept":
		return badResponse(key, "action", "must be accept, decline or cancel")
	case key == reviewOf(p):
		return d.Handles.Say(ctx, k, saidYes, "")
	case turns >= mostTurns:
		return errManyTurns
	}

	// The form is checked here although the host has checked it: nothing makes a host do so.
	var content struct {
		Answer string `json:"answer"`
	}
	readable := json.Unmarshal(r.Content, &content) == nil && strings.TrimSpace(content.Answer) != ""
	if !readable || utf8.RuneCountInString(content.Answer) > api.MaxPrompt {
		return badResponse(key, "content.answer", messageForm)
	}

	return d.answer(ctx, caller, p, content.Answer)
}

func badResponse(key, path, message string) error {
	at := "inputResponses." + key + "." + path

	return errs.New(
		errs.Invalid, "validation_failed", "A response does not have the form that was asked for. See details.",
	).WithDetails(errs.Detail{Path: at, Message: message})
}

// answer opens the next turn of a task. An answer that is sent again is the one before; so is a second one to the same
// question, which came too late.
func (d *Service) answer(ctx context.Context, caller access.Caller, p api.Phase, text string) error {
	_, err := d.run(ctx, caller, api.AgentTask{
		SessionID:     p.SessionID,
		SeedPhase:     api.SeedPhase{PhaseID: nextTurn(p.PhaseID), BranchID: p.BranchID},
		ContainerID:   p.ContainerID,
		ContainerType: p.ContainerType,
		RequestType:   p.RequestType,
		Prompt:        text,
	})
	// Another answer to the same question came first, and that one counts.
	if err != nil && errs.From(err).Code == "phase_conflict" {
		return nil
	}

	if err != nil {
		return call{}.worded(err)
	}

	return nil
}

// Cancel wants a task to end: its run, or its wait for the user.
func (d *Service) Cancel(ctx context.Context, id string, host protocol.Host) error {
	caller := access.CallerFrom(ctx)
	_, newest, _, err := d.chain(ctx, caller, id)
	if err != nil {
		return err
	}
	if !runs.Ended(newest) {
		// On a conflict the run has ended meanwhile, which is what was wanted.
		err := d.Intake.End(ctx, caller, newest.PhaseID)
		if err != nil && errs.From(err).Kind != errs.Conflict {
			return err
		}

		return nil
	}

	task, err := d.stands(ctx, caller, newest, host)
	if err != nil || task.Status != protocol.TaskInputRequired && task.Status != protocol.TaskWorking {
		return err
	}

	// A review that was opened may still be cancelled; an answer that was given may not.
	return d.Handles.Say(ctx, admission.KeyOf(caller, newest.PhaseID), saidCancel, saidYes)
}

// lately says what a run did last.
func (d *Service) lately(ctx context.Context, caller access.Caller, p api.Phase) string {
	if last, ok, err := d.Events.Newest(ctx, admission.KeyOf(caller, p.PhaseID)); err == nil && ok {
		return cmp.Or(inWords(last), "The task is under way.")
	}

	return "The task is under way."
}

// moment is the first of the times that is known, else now.
func (d *Service) moment(times ...*api.Instant) time.Time {
	for _, at := range times {
		if at != nil && !at.IsZero() {
			return at.Time
		}
	}

	return d.Intake.Now()
}
