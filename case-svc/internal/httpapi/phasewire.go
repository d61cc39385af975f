package httpapi

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/subrosa-legal/subrosa/case-svc/internal/phases"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/inputgate"
	"github.com/subrosa-legal/subrosa/pkg/validate"
)

// phaseOf is the phase on the wire.
func phaseOf(p phases.Phase) (api.Phase, error) {
	out := api.Phase{
		PhaseID:        p.ID,
		BranchID:       p.BranchID,
		TimelineID:     p.TimelineID,
		Sequence:       max(p.Sequence, 0),
		ContainerType:  p.ContainerType,
		ContainerID:    p.ContainerID,
		SessionID:      p.SessionID,
		RequestType:    p.RequestType,
		Prompt:         p.Prompt,
		Status:         p.Status,
		Attempt:        p.Attempt,
		Review:         reviewOf(p.Review),
		DirectedBy:     api.DirectedBy(p.DirectedBy),
		Engine:         engineOf(p.Engine),
		Usage:          api.Usage(p.Usage),
		Stream:         api.StreamMarks(p.Stream),
		RequestSHA256:  p.RequestSHA256,
		ResponseSHA256: p.ResponseSHA256,
		PrevHash:       p.PrevHash,
		Hash:           p.Hash,
		CreatedBy:      api.Actor(p.CreatedBy),
		CreatedAt:      api.At(p.CreatedAt),
		StartedAt:      api.Known(p.StartedAt),
		EndedAt:        api.Known(p.EndedAt),
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
		out.Sources = out.Response.Sources(out.EndedAt)
	}

	return out, nil
}

// engineOf is an engine on the wire.
func engineOf(e phases.Engine) api.Engine {
	out := api.Engine{Mode: e.Mode, RulesVersion: e.RulesVersion, FallbackReason: e.FallbackReason}
	if e.Provider != "" {
		out.Model = &api.EngineModel{Provider: e.Provider, Name: e.Model, TemplateVersion: e.TemplateVersion}
	}

	return out
}

// engineFrom is an engine as it came.
func engineFrom(e api.Engine) phases.Engine {
	in := phases.Engine{Mode: e.Mode, RulesVersion: e.RulesVersion, FallbackReason: e.FallbackReason}
	if m := e.Model; m != nil {
		in.Provider, in.Model, in.TemplateVersion = m.Provider, m.Name, m.TemplateVersion
	}

	return in
}

// containerOf is the container on the wire.
func containerOf(c phases.Container) (api.Container, error) {
	out := api.Container{
		ContainerID:    c.ID,
		ContainerType:  c.Type,
		Title:          c.Title,
		Status:         c.Status,
		TimelineID:     c.TimelineID,
		ActiveBranchID: c.ActiveBranchID,
	}
	if c.Case == nil {
		return out, nil
	}
	kase, err := caseOf(*c.Case, access.Caller{}) // for a run, which reads what machines read
	out.Case = &kase

	return out, err
}

// outcomeOf is what an EndPhase says. The response is kept as these bytes, whose hash its sender has told.
func outcomeOf(in api.EndPhase) (phases.Outcome, error) {
	o := phases.Outcome{
		Attempt:        in.Attempt,
		Status:         in.Status,
		ResponseSHA256: in.ResponseSHA256,
		Engine:         engineFrom(in.Engine),
		Usage:          phases.Usage(in.Usage),
		Stream:         phases.StreamMarks(in.Stream),
	}
	var w said
	w.add("engine.fallbackReason", in.Engine.FallbackReason)
	if m := in.Engine.Model; m != nil {
		for path, name := range map[string]string{
			"engine.model.provider":        m.Provider,
			"engine.model.name":            m.Name,
			"engine.model.templateVersion": m.TemplateVersion,
		} {
			// letters and digits in any mixture, as models are named
			w = append(w, inputgate.Text{Channel: guard.ChosenID, Path: path, Value: name})
		}
	}

	for i, t := range in.ToolCalls {
		o.ToolCalls = append(o.ToolCalls, phases.ToolCall(t))
		w.add(fmt.Sprintf("toolCalls[%d].name", i), t.Name)
		w.add(fmt.Sprintf("toolCalls[%d].summary", i), t.Summary)
	}
	o.Words = w
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
		var f validate.List
		f.Add("responseSha256", "must be the SHA-256 of the response's JSON")

		return o, f.Err()
	}
	o.Response, o.NeedsReview, o.Words = body, in.Response.HumanReview.Required, append(o.Words, words(*in.Response)...)
	o.Kind, o.Reasons = in.Response.Kind, in.Response.HumanReview.Reasons

	return o, nil
}

// document returns v as the JSON that is kept and hashed, without the escapes that are for web pages, and its SHA-256
// in hex.
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

// words is the free text of a response: all that an agent may have made up.
func words(r api.PhaseResponse) []inputgate.Text {
	var w said
	w.add("response.text", r.Text)
	w.each("response.questions[%d]", r.Questions)
	w.each("response.limits[%d]", r.Limits)

	for i, s := range r.SuggestedNext {
		w.add(fmt.Sprintf("response.suggestedNext[%d].prompt", i), s.Prompt)
	}

	for i, c := range r.Citations {
		w.add(fmt.Sprintf("response.citations[%d].source.quote", i), c.Source.Quote)
	}

	for i, a := range r.Authorities {
		w.add(fmt.Sprintf("response.authorities[%d].text", i), a.Text)
	}
	w = append(w, proposalWords("response.deadlines", r.Deadlines)...)

	w = append(w, proposalWords("response.entries", r.Entries)...)
	for i, d := range r.Drafts {
		w.each(fmt.Sprintf("response.drafts[%d].placeholders", i)+"[%d]", d.Placeholders)
	}
	if r.Refusal != nil {
		w.add("response.refusal.reason", r.Refusal.Reason)
	}
	w.each("response.humanReview.reasons[%d]", r.HumanReview.Reasons)
	if r.Evaluation != nil {
		w = append(w, evaluationWords("response.evaluation", *r.Evaluation)...)
	}

	return w
}

// proposalWords is the free text of proposals.
func proposalWords(at string, list []api.Proposal) []inputgate.Text {
	var w said

	for i, p := range list {
		at := fmt.Sprintf("%s[%d].", at, i)
		w.add(at+"title", p.Title)
		w.add(at+"detail", p.Detail)
		if p.When != nil {
			w.add(at+"when.raw", p.When.Raw)
		}
		if p.Authority != nil {
			w.add(at+"authority.text", p.Authority.Text)
		}

		for n, src := range p.Sources {
			w.add(fmt.Sprintf("%ssources[%d].quote", at, n), src.Quote)
		}
		if c := p.Computation; c != nil {
			w.add(at+"computation.ruleCitation", c.RuleCitation)
			w.add(at+"computation.rolledBecause", c.RolledBecause)
			w.each(at+"computation.assumptions[%d]", c.Assumptions)
			if c.TriggerSource != nil {
				w.add(at+"computation.triggerSource.quote", c.TriggerSource.Quote)
			}
		}
	}

	return w
}

// evaluationWords is the free text of an evaluation.
func evaluationWords(at string, e api.Evaluation) []inputgate.Text {
	var w said
	w.add(at+".tierName", e.TierName)
	w.add(at+".confidence", e.Confidence)
	w.add(at+".suggested.title", e.Suggested.Title)
	w.each(at+".suggested.nextSteps[%d]", e.Suggested.NextSteps)
	w.each(at+".floors[%d]", e.Floors)
	w.each(at+".missing[%d]", e.Missing)
	w.each(at+".questions[%d]", e.Questions)

	for i, f := range e.Breakdown {
		factor := fmt.Sprintf("%s.breakdown[%d]", at, i)
		w.add(factor+".feature", f.Feature)
		w.add(factor+".value", f.Value)

		for n, s := range f.Sources {
			w.add(fmt.Sprintf("%s.sources[%d].quote", factor, n), s.Quote)
		}
	}

	return w
}

// said gathers what an agent says, for the gate.
type said []inputgate.Text

func (w *said) add(path, value string) {
	*w = append(*w, inputgate.Text{Channel: guard.Event, Path: path, Value: value})
}

// each adds a list; the path has a place for the index.
func (w *said) each(path string, values []string) {
	for i, v := range values {
		w.add(fmt.Sprintf(path, i), v)
	}
}
