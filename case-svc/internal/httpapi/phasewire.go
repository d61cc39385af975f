package httpapi

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/phases"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/guard"
)

func instant(t time.Time) *api.Instant {
	if t.IsZero() {
		return nil
	}
	at := api.At(t)
	return &at
}

// phaseOf is the phase on the wire.
func phaseOf(p phases.Phase) (api.Phase, error) {
	out := api.Phase{
		PhaseID: p.ID, BranchID: p.BranchID, TimelineID: p.TimelineID, Sequence: p.Sequence, ContainerType: p.ContainerType, ContainerID: p.ContainerID,
		SessionID: p.SessionID, RequestType: p.RequestType, Prompt: p.Prompt, Status: p.Status, Attempt: p.Attempt,
		Review: api.Review(p.Review), DirectedBy: api.DirectedBy(p.DirectedBy), Engine: api.Engine(p.Engine), Usage: api.Usage(p.Usage),
		Stream: api.StreamMarks(p.Stream), RequestSHA256: p.RequestSHA256, ResponseSHA256: p.ResponseSHA256, PrevHash: p.PrevHash, Hash: p.Hash,
		CreatedBy: api.Actor(p.CreatedBy), CreatedAt: api.At(p.CreatedAt), StartedAt: instant(p.StartedAt), EndedAt: instant(p.EndedAt),
	}
	if p.ParentID != "" {
		out.ParentPhaseID = &p.ParentID
	}
	if f := p.Failure; f != nil {
		out.Error = &api.PhaseError{Error: f.Code, Message: f.Message, Retryable: f.Retryable}
	}
	for _, t := range p.ToolCalls {
		out.ToolCalls = append(out.ToolCalls, api.ToolCall(t))
	}
	if p.Response != nil {
		out.Response = new(api.PhaseResponse)
		if err := json.Unmarshal(p.Response, out.Response); err != nil {
			return api.Phase{}, fmt.Errorf("stored response of phase %s is broken", p.ID)
		}
	}
	return out, nil
}

// containerOf is the container on the wire.
func containerOf(c phases.Container) (api.Container, error) {
	out := api.Container{
		ContainerID: c.ID, ContainerType: c.Type, Title: c.Title, Status: c.Status, TimelineID: c.TimelineID, ActiveBranchID: c.ActiveBranchID,
	}
	if c.Case == nil {
		return out, nil
	}
	kase, err := caseOf(*c.Case, false)
	out.Case = &kase
	return out, err
}

// outcomeOf is what an EndPhase says. The response is kept as these bytes, whose hash its sender has told.
func outcomeOf(in api.EndPhase) (phases.Outcome, error) {
	o := phases.Outcome{
		Attempt: in.Attempt, Status: in.Status, ResponseSHA256: in.ResponseSHA256, Engine: phases.Engine(in.Engine), Usage: phases.Usage(in.Usage),
		Stream: phases.StreamMarks(in.Stream),
	}
	for _, t := range in.ToolCalls {
		o.ToolCalls = append(o.ToolCalls, phases.ToolCall(t))
		o.Words = append(o.Words, cases.Text{Door: guard.Event, Path: "toolCalls.summary", Value: t.Summary})
	}
	if e := in.Error; e != nil {
		o.Failure = &phases.Failure{Code: e.Error, Message: e.Message, Retryable: e.Retryable}
	}
	if in.Response == nil {
		return o, nil
	}
	body, sum, err := document(*in.Response)
	if err != nil {
		return o, err
	}
	if sum != in.ResponseSHA256 {
		var f cases.Faults
		f.Add("responseSha256", "must be the SHA-256 of the response's JSON")
		return o, f.Err()
	}
	o.Response, o.NeedsReview, o.Words = body, in.Response.HumanReview.Required, append(o.Words, words(*in.Response)...)
	return o, nil
}

// document returns v as the JSON that is kept and hashed, without the escapes that are for web pages, and its SHA-256 in hex.
func document(v any) (body []byte, sum string, err error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, "", fmt.Errorf("encode document: %w", err)
	}
	body = bytes.TrimRight(b.Bytes(), "\n")
	digest := sha256.Sum256(body)
	return body, hex.EncodeToString(digest[:]), nil
}

// words is the free text of a response.
func words(r api.PhaseResponse) []cases.Text {
	all := []cases.Text{{Door: guard.Event, Path: "response.text", Value: r.Text}}
	for i, q := range r.Questions {
		all = append(all, cases.Text{Door: guard.Event, Path: "response.questions[" + strconv.Itoa(i) + "]", Value: q})
	}
	for i, l := range r.Limits {
		all = append(all, cases.Text{Door: guard.Event, Path: "response.limits[" + strconv.Itoa(i) + "]", Value: l})
	}
	for i, s := range r.SuggestedNext {
		all = append(all, cases.Text{Door: guard.Event, Path: "response.suggestedNext[" + strconv.Itoa(i) + "].prompt", Value: s.Prompt})
	}
	for i, c := range r.Citations {
		all = append(all, cases.Text{Door: guard.Event, Path: "response.citations[" + strconv.Itoa(i) + "].source.quote", Value: c.Source.Quote})
	}
	if e := r.Evaluation; e != nil {
		all = append(all, cases.Text{Door: guard.Event, Path: "response.evaluation.suggested.title", Value: e.Suggested.Title})
	}
	return all
}
