package a2a

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/subrosa-legal/subrosa/pkg/a2aerr"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/errs"
)

// whereToWork is asked when a message does not say where it is to be worked on.
const whereToWork = "Which case is this about? Answer with the id of the case, " +
	"or name it in the metadata of the message."

// view is a task as clients see it. history is how many of its newest messages they want, nil for all; artifacts are
// what its turns made, but for those whose events are still to come.
func (s *Service) view(
	ctx context.Context,
	t api.A2ATask,
	history *int,
	artifacts bool,
	toCome ...string,
) (Task, error) {
	turns, err := s.turns(ctx, t, artifacts || history == nil || *history > 0)
	if err != nil {
		return Task{}, err
	}
	out := Task{ID: t.TaskID, ContextID: t.ContextID, Status: s.status(t, turns[len(turns)-1])}

	for i, turn := range turns {
		asked := turn.Prompt
		if t.Turns[i].PhaseID == "" {
			asked = t.Turns[i].Text
		} else {
			asked = own(t, i, asked)
		}
		if asked != "" {
			out.History = append(out.History, s.said(t, RoleUser, t.Turns[i].MessageID, asked))
		}
		if i < len(turns)-1 && turn.Note != "" {
			out.History = append(out.History, s.said(t, RoleAgent, noteID(t, i), turn.Note))
		}
		if artifacts && !slices.Contains(toCome, turn.ID) {
			out.Artifacts = append(out.Artifacts, turn.Artifacts...)
		}
	}
	if history != nil {
		out.History = out.History[max(0, len(out.History)-*history):]
	}
	out.Metadata = s.details(t, turns[len(turns)-1].Details)

	return out, nil
}

// own is what a message itself said, of a prompt that joined it to those before which nobody had answered. One that
// added no words to them named the case.
func own(t api.A2ATask, turn int, prompt string) string {
	asked := lines(unanswered(t.Turns[:turn]))

	switch rest, joined := strings.CutPrefix(prompt, asked); {
	case asked == "" || !joined:
		return prompt
	case rest == "":
		return t.ContainerID
	default:
		return strings.TrimPrefix(rest, "\n\n")
	}
}

// unanswered are the words of the messages at the end that no work answers.
func unanswered(turns []api.A2ATurn) (asked []string) {
	for _, turn := range turns {
		if turn.PhaseID != "" {
			asked = nil
		} else if turn.Text != "" {
			asked = append(asked, turn.Text)
		}
	}

	return asked
}

// details are the metadata of a task. Parts that nobody read are told there, or an answer would look as if it knew
// them.
func (s *Service) details(t api.A2ATask, details map[string]any) map[string]any {
	unread := 0
	for _, turn := range t.Turns {
		unread += turn.Unread
	}
	if unread > 0 {
		// The worker's own map may be shared by readers.
		details = maps.Clone(details)
		if details == nil {
			details = map[string]any{}
		}
		details["partsNotRead"] = unread
	}
	if details == nil {
		return nil
	}

	return map[string]any{s.Base + api.A2ALegalPhase: details}
}

// readsAtOnce is how many turns are read at the same time.
const readsAtOnce = 8

// turns reads the turns of a task, or only the newest, in the order of its messages. One that is gone has failed.
func (s *Service) turns(ctx context.Context, t api.A2ATask, all bool) ([]Turn, error) {
	found := make([]Turn, len(t.Turns))
	failures := make([]error, len(t.Turns))
	places := make(chan struct{}, readsAtOnce)
	var under sync.WaitGroup

	for i, turn := range t.Turns {
		if !all && i < len(t.Turns)-1 || turn.PhaseID == "" {
			found[i] = Turn{State: t.State, At: t.StatusAt.Time}
			if i < len(t.Turns)-1 || t.State == api.A2AInputRequired {
				found[i].Note = whereToWork
			}

			continue
		}
		// The place is taken before the goroutine is made, so a task of many turns does not start one for each at once.
		places <- struct{}{}
		under.Go(func() {
			defer func() { <-places }()
			found[i], failures[i] = s.Work.Look(ctx, turn.PhaseID)

			switch gone := errors.Is(failures[i], errs.ErrNotFound); {
			case gone && i == len(t.Turns)-1:
				found[i], failures[i] = missing(t), nil
			case gone:
				found[i], failures[i] = Turn{State: api.A2AFailed, At: t.StatusAt.Time, Note: notBegun}, nil
			}
		})
	}
	under.Wait()

	return found, errors.Join(failures...)
}

const notBegun = "This message was not worked on, or its result is no longer kept. Send it again without a taskId."

// status is how a task stands by its record and its newest turn. A record that has ended decides.
func (s *Service) status(t api.A2ATask, newest Turn) Status {
	at := Time{newest.At}
	status := Status{State: newest.State, Timestamp: &at}
	// A person may have ended a task whose newest turn still asks for something; the person has the last word.
	if api.A2AEnded(t.State) && t.State != newest.State {
		at = Time{t.StatusAt.Time}
		return Status{State: t.State, Timestamp: &at}
	}
	if newest.Note != "" {
		m := s.said(t, RoleAgent, noteID(t, len(t.Turns)-1), newest.Note)
		if newest.DeepLink != "" {
			link := map[string]any{"deepLink": newest.DeepLink}
			m.Parts = append(m.Parts, Part{Data: link, MediaType: "application/json"})
		}
		status.Message = &m
	}

	return status
}

func noteID(t api.A2ATask, turn int) string { return fmt.Sprintf("%s-note-%d", t.TaskID, turn+1) }

func (s *Service) said(t api.A2ATask, role, id, text string) Message {
	return Message{
		MessageID: id,
		ContextID: t.ContextID,
		TaskID:    t.TaskID,
		Role:      role,
		Parts:     []Part{TextPart(text, "text/plain")},
	}
}

// Get returns a task.
func (s *Service) Get(ctx context.Context, p GetParams) (Task, error) {
	t, err := s.record(ctx, p.ID)
	if err != nil {
		return Task{}, err
	}

	return s.view(ctx, t, p.HistoryLength, true)
}

// mostWhole is how many tasks a page has at most that tells more than how they stand: each of their turns is read.
const mostWhole = 20

var errToken = a2aerr.New(
	a2aerr.InvalidParams,
	"pageToken must be one that ListTasks gave for the same filters. Leave it out to begin with the first page.",
)

// List returns a page of the caller's tasks, those of the newest status first.
func (s *Service) List(ctx context.Context, p ListParams) (TaskPage, error) {
	q := api.A2AQuery{
		ContextID: p.ContextID,
		State:     p.Status,
		Cursor:    p.PageToken,
		Limit:     p.PageSize,
	}
	if p.IncludeArtifacts || p.HistoryLength != nil && *p.HistoryLength > 0 {
		q.Limit = min(q.Limit, mostWhole)
	}
	if !p.Since.IsZero() {
		q.Since = p.Since.UTC().Format("2006-01-02T15:04:05.999999999Z07:00")
	}
	found, err := s.Tasks.A2ATasks(ctx, q)
	if err != nil && errs.From(err).Code == "invalid_cursor" {
		return TaskPage{}, errToken
	}
	if err != nil {
		return TaskPage{}, err
	}
	page := TaskPage{Tasks: []Task{}, PageSize: p.PageSize, TotalSize: found.Total}
	if found.NextCursor != nil {
		page.NextPageToken = *found.NextCursor
	}
	none := 0
	history := p.HistoryLength
	// A list tells how tasks stand; their history only on demand, since it costs a read for each turn.
	if history == nil {
		history = &none
	}

	for _, t := range found.Items {
		task, err := s.brief(ctx, t, history, p.IncludeArtifacts)
		if err != nil {
			return TaskPage{}, err
		}
		page.Tasks = append(page.Tasks, task)
	}

	return page, nil
}

// brief is a task of a list. Without history and artifacts the record alone tells it.
func (s *Service) brief(ctx context.Context, t api.A2ATask, history *int, artifacts bool) (Task, error) {
	if artifacts || *history > 0 {
		return s.view(ctx, t, history, artifacts)
	}
	at := Time{t.StatusAt.Time}

	return Task{ID: t.TaskID, ContextID: t.ContextID, Status: Status{State: t.State, Timestamp: &at}}, nil
}

// Cancel ends a task. It waits a little for the end of a turn that is under way.
func (s *Service) Cancel(ctx context.Context, p GetParams) (Task, error) {
	t, err := s.record(ctx, p.ID)
	if err != nil {
		return Task{}, err
	}
	state, err := s.stands(ctx, t)

	switch {
	case err != nil:
		return Task{}, err
	case api.A2AEnded(state):
		return Task{}, errOver
	case !waits(state):
		return s.stop(ctx, t, p.HistoryLength)
	}
	t.State = api.A2ACanceled
	if t, err = s.Tasks.PutA2ATask(ctx, t); err != nil {
		return Task{}, err
	}

	return s.view(ctx, t, p.HistoryLength, true)
}

// stop cancels the turn that is under way. One that ended by itself meanwhile cannot be cancelled.
func (s *Service) stop(ctx context.Context, t api.A2ATask, history *int) (Task, error) {
	turnID := t.Turns[len(t.Turns)-1].PhaseID

	err := s.Work.Cancel(ctx, turnID)
	switch {
	// The work is not there yet or was lost; only its state will tell which.
	case errors.Is(err, errs.ErrNotFound):
		return Task{}, errNothing
	case err != nil && errs.From(err).Kind == errs.Conflict:
		return Task{}, errOver
	case err != nil:
		return Task{}, err
	}

	waiting, done := context.WithTimeout(ctx, cancelWait)
	defer done()
	if err := s.ended(waiting, turnID); err != nil {
		return Task{}, err
	}
	if t, err = s.record(ctx, t.TaskID); err != nil {
		return Task{}, err
	}

	return s.view(ctx, t, history, true)
}
