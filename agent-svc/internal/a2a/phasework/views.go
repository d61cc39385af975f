package phasework

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"strings"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/a2a"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/runs"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/stream"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/httpcall"
	"github.com/subrosa-legal/subrosa/pkg/strictjson"
)

// decode reads what the metadata say, strictly: a name that is misspelt would be ignored otherwise.
func decode(v any) (out where, err error) {
	text, err := json.Marshal(v)
	if err != nil {
		return out, err
	}

	return out, strictjson.Decode(text, &out)
}

// uploadOf is the upload of one file of a message. Sending the message again is the same upload.
func uploadOf(o *a2a.Order, i int, p a2a.Part, try int) (httpcall.Request, error) {
	name := cmp.Or(p.Filename, fmt.Sprintf("file-%d", i+1))
	media := p.MediaType
	if media == "" {
		media = cmp.Or(mime.TypeByExtension(name[max(0, strings.LastIndexByte(name, '.')):]), "text/plain")
	}
	// The print of the message is in the key: the same task and index with another file is another upload.
	key := fmt.Sprintf("a2a-%s-%d-%.16s-%d", o.Task.TaskID, o.Task.Turn, o.Task.Print, i)
	if try > 0 {
		key += fmt.Sprintf("-%d", try)
	}
	header := http.Header{
		"Content-Type":        {media},
		"Content-Disposition": {mime.FormatMediaType("attachment", map[string]string{"filename": name})},
		"Idempotency-Key":     {key},
	}

	return httpcall.Request{
		Method: http.MethodPost,
		Path:   httpcall.Path("v1", "cases", o.At.ContainerID, "files"),
		Header: header,
		Body:   bytes.NewReader(p.Raw),
	}, nil
}

const (
	reviewNote = "A professional must review this answer before anybody relies on it. Send the person to the deep link."
	rejected   = "A professional has rejected this answer."
)

// turn tells of a phase in the terms of the protocol.
func (w *Worker) turn(p api.Phase) a2a.Turn {
	kind := ""
	if p.Response != nil {
		kind = p.Response.Kind
	}

	out := a2a.Turn{
		ID:     p.PhaseID,
		State:  api.A2AStateOf(p.Status, kind, p.Review.Status),
		At:     p.CreatedAt.Time,
		Prompt: p.Prompt,
		Details: map[string]any{
			"phaseId":       p.PhaseID,
			"branchId":      p.BranchID,
			"containerType": p.ContainerType,
			"containerId":   p.ContainerID,
			"requestType":   p.RequestType,
			"attempt":       p.Attempt,
			"review":        p.Review.Status,
			"engine":        p.Engine.Mode,
		},
	}
	// The latest of the times that are known is when the state was reached: they are in the order of a phase's life.
	for _, at := range []*api.Instant{p.StartedAt, p.EndedAt, p.Review.At} {
		if at != nil {
			out.At = at.Time
		}
	}
	if runs.Ended(p) {
		out.Events = p.Stream.EndSeq
	}
	out.Note, out.DeepLink = note(p)
	out.Review = p.Review.Status == api.ReviewPending
	if p.Response != nil {
		out.Artifacts = []a2a.Artifact{artifact(p.PhaseID, *p.Response, p.Review.AmendedText)}
		if e := p.Response.Evaluation; e != nil {
			out.Details["tier"], out.Details["tierName"] = e.Tier, e.TierName
		}
		if len(p.Response.Deadlines) > 0 {
			out.Details["deadlines"] = p.Response.Deadlines
		}
	}

	return out
}

// note returns the message beside the state of a phase, and the deep link where a person has to act.
func note(p api.Phase) (text, link string) {
	r := p.Response

	switch {
	case p.Error != nil:
		return p.Error.Message, ""
	case r == nil:
		return "", ""
	case r.Refusal != nil:
		return r.Refusal.Reason, r.Refusal.DeepLink
	case r.Kind == api.KindClarification && len(r.Questions) > 0:
		return strings.Join(r.Questions, "\n"), ""
	case r.Kind == api.KindClarification:
		return r.Text, ""
	case p.Review.Status == api.ReviewPending:
		return reviewNote, r.HumanReview.DeepLink
	case p.Review.Status == api.ReviewRejected:
		return rejected, ""
	}

	return "", ""
}

// artifact is an answer: its text, and what programs want of it as data.
func artifact(phaseID string, r api.PhaseResponse, amended string) a2a.Artifact {
	text := cmp.Or(amended, r.Text)
	// The text goes out as a part of its own; twice in one answer it would be twice as long.
	r.Text = ""

	return a2a.Artifact{
		ArtifactID: phaseID, Name: r.Kind,
		Parts: []a2a.Part{a2a.TextPart(text, "text/markdown"), {Data: r, MediaType: "application/json"}},
	}
}

// ending gathers from the last events of a phase how it ended, which saves reading its record.
type ending struct {
	phase api.Phase
	over  bool
}

func (end *ending) take(e stream.Event) {
	switch e.Kind {
	case api.EventDirectResponse:
		var d api.DirectResponseEvent
		if json.Unmarshal(e.Data, &d) == nil {
			end.phase.Response = &d.Response
		}
	case api.EventError:
		var f api.ErrorEvent
		if json.Unmarshal(e.Data, &f) == nil {
			end.phase.Error = &api.PhaseError{Error: f.Error, Message: f.Message, Retryable: f.Retryable}
		}
	case api.EventPhaseEnd:
		var last api.PhaseEndEvent
		end.over = json.Unmarshal(e.Data, &last) == nil
		end.phase.PhaseID, end.phase.Status, end.phase.Review = last.PhaseID, last.Status, last.Review
		end.phase.EndedAt, end.phase.Stream.EndSeq = &last.TS, last.Seq
	}
}

// turn is how the phase ended; nil before its end, and where a reader came too late for what was answered.
func (end *ending) turn(w *Worker) *a2a.Turn {
	if !end.over || end.phase.Response == nil && end.phase.Error == nil {
		return nil
	}
	turn := w.turn(end.phase)

	return &turn
}

// eventOf is an event of a phase as the event of its turn. Each is exactly one, so that the numbers stay without a gap.
func eventOf(phaseID string, e stream.Event) a2a.Event {
	out := a2a.Event{
		Seq: e.Seq, Last: e.Last, Details: func() map[string]any { return map[string]any{"event": e.Kind} },
	}

	switch e.Kind {
	case api.EventContentChunk:
		var c api.ContentChunkEvent
		// We wrote the event ourselves, so it can always be read.
		_ = json.Unmarshal(e.Data, &c)
		out.Artifact = &a2a.ArtifactUpdate{
			Artifact: a2a.Artifact{ArtifactID: phaseID, Parts: []a2a.Part{a2a.TextPart(c.Delta, "text/markdown")}},
			Append:   c.Index > 0,
		}
	case api.EventDirectResponse:
		var d api.DirectResponseEvent
		_ = json.Unmarshal(e.Data, &d) // as above
		out.Artifact = &a2a.ArtifactUpdate{Artifact: artifact(phaseID, d.Response, ""), LastChunk: true}
		out.Details = func() map[string]any {
			return map[string]any{"event": e.Kind, "responseSha256": d.ResponseSHA256}
		}
	case api.EventError:
		var f api.ErrorEvent
		_ = json.Unmarshal(e.Data, &f) // as above
		out.Status = says(phaseID, e.Seq, f.Message, f.TS)
		out.Details = func() map[string]any {
			return map[string]any{"event": e.Kind, "error": f.Error, "retryable": f.Retryable}
		}
	default:
		out.Status, out.Details = working(phaseID, e), func() map[string]any { return members(e) }
	}

	return out
}

// working is what a phase does, in words for people; programs get the event itself.
func working(phaseID string, e stream.Event) *a2a.Status {
	var s api.StatusEvent
	_ = json.Unmarshal(e.Data, &s) // as above

	words := s.Message
	if s.Tool != nil {
		words = cmp.Or(s.Tool.Summary, s.Tool.Name)
	}

	status := says(phaseID, e.Seq, words, s.TS)
	if s.Status == api.StatusProcessing && strings.HasPrefix(words, api.InLine) {
		status.State = api.A2ASubmitted
	}

	return status
}

// members are what an event of a phase says, but for what the event of the task has by itself.
func members(e stream.Event) map[string]any {
	details := map[string]any{"event": e.Kind}
	_ = json.Unmarshal(e.Data, &details) // as above
	// The event of the task has these three in members of its own.
	delete(details, "type")
	delete(details, "seq")
	delete(details, "ts")

	return details
}

func says(phaseID string, seq int, words string, at api.Instant) *a2a.Status {
	status := &a2a.Status{State: api.A2AWorking, Timestamp: &a2a.Time{Time: at.Time}}
	if words != "" {
		status.Message = &a2a.Message{
			MessageID: fmt.Sprintf("%s-%d", phaseID, seq), Role: a2a.RoleAgent,
			Parts: []a2a.Part{a2a.TextPart(words, "text/plain")},
		}
	}

	return status
}
