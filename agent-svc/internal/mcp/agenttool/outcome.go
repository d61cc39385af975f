package agenttool

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/mcp/protocol"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/deeplink"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/httpcall"
)

// States of a task.
const (
	working       = "working"
	inputRequired = "input_required"
	completed     = "completed"
	failed        = "failed"
	canceled      = "canceled"
	rejected      = "rejected"
)

// Outcome is what the tool gives back, in the form of its schema.
type Outcome struct {
	State     string     `json:"state"`
	Message   string     `json:"message"`
	Question  string     `json:"question,omitempty"`
	TaskID    string     `json:"taskId,omitempty"`
	ContextID string     `json:"contextId,omitempty"`
	CaseID    string     `json:"caseId,omitempty"`
	Citations []Citation `json:"citations,omitempty"`
	Artifacts []Artifact `json:"artifacts,omitempty"`
	Changes   []Change   `json:"changes,omitempty"`
	Review    *Review    `json:"review,omitempty"`
	DeepLink  string     `json:"deepLink,omitempty"`
	Next      string     `json:"next,omitempty"`
	Preview   bool       `json:"preview,omitempty"` // nothing was changed: Message says what would be

	// Suggestions are requests that fit the case, as a user could word them. Nothing asks the caller to make one.
	Suggestions []api.Suggestion `json:"suggestions,omitempty"`
}

// Citation is a source of an answer. Its id names the passage whoever reads it: file, first and last character of the
// stored text, which never changes under one id.
type Citation struct {
	ID        string `json:"id"`
	N         int    `json:"n"`
	FileID    string `json:"fileId"`
	Page      int    `json:"page,omitempty"`
	CharStart int    `json:"charStart"`
	CharEnd   int    `json:"charEnd"`
	Quote     string `json:"quote"`
	URL       string `json:"url,omitempty"`
	// RetrievedAt is when the passage was read for the answer, at the latest.
	RetrievedAt *api.Instant `json:"retrievedAt,omitempty"`
}

// Artifact is a document that a task made.
type Artifact struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	MIMEType string `json:"mimeType"`
	URL      string `json:"url,omitempty"`
}

// Change is something that was made or changed.
type Change struct {
	Type    string `json:"type"`
	ID      string `json:"id"`
	Action  string `json:"action"` // created, updated or proposed
	Summary string `json:"summary,omitempty"`
	Version int    `json:"version,omitempty"`
}

// Review says whether a person must sign an answer.
type Review struct {
	Required bool   `json:"required"`
	Status   string `json:"status,omitempty"`
	URL      string `json:"url,omitempty"`
}

// Bounds of the parts of an outcome, in characters.
const (
	longestText    = 24_000
	longestQuote   = 600
	longestSummary = 200
	mostCitations  = 40
	mostChanges    = 40
	mostArtifacts  = 20

	mostSuggestions = 5
)

// longest bounds an outcome as it is encoded, in characters; hosts cut what is longer.
const (
	longest     = 60_000
	shortQuote  = 200
	roomForNext = 200
)

// fit shortens an outcome until it is within its bound: the quotes first, which legal_lookup has whole, then the lists,
// then the answer. It reports whether anything went.
func (o *Outcome) fit() (shortened bool) {
	// Everything here can be had in full by another call, so the cheapest loss comes first.
	for most := longestQuote; o.size() > longest-roomForNext; shortened = true {
		switch {
		case most > shortQuote:
			most /= 2
			for i := range o.Citations {
				o.Citations[i].Quote = protocol.Cut(o.Citations[i].Quote, most)
			}
		case len(o.Citations) > len(o.Changes):
			o.Citations = o.Citations[:len(o.Citations)-1]
		case len(o.Changes) > 0:
			o.Changes = o.Changes[:len(o.Changes)-1]
		case len(o.Artifacts) > 0:
			o.Artifacts = o.Artifacts[:len(o.Artifacts)-1]
		// A quarter each time: a cut by half would throw away what still fits.
		case len(o.Message) > roomForNext:
			o.Message = protocol.Cut(o.Message, utf8.RuneCountInString(o.Message)*3/4)
		default:
			o.Next = ""
			return true
		}
	}

	return shortened
}

// size is the length of the encoded outcome in characters.
func (o *Outcome) size() int {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(o); err != nil { // only strings and numbers are in it
		panic("instruct: " + err.Error())
	}

	return utf8.RuneCount(b.Bytes())
}

// tell says how a task stands by the record of its latest phase.
func (d *Service) tell(ctx context.Context, taskID string, p api.Phase) Outcome {
	out := Outcome{TaskID: taskID, ContextID: p.SessionID}
	if p.ContainerType == api.ContainerCase {
		out.CaseID = p.ContainerID
	}

	switch p.Status {
	case api.PhaseCompleted, api.PhaseRefused:
		if p.Response != nil {
			d.answered(ctx, &out, p, *p.Response)
			// A text may be as long as its bound and still not whole, or may have lost citations that fit would not
			// count.
			less := out.Message != cmp.Or(holds(p), out.Message) || len(out.Citations) < len(p.Response.Citations)
			if out.fit() || less {
				out.Next = strings.TrimSpace(fmt.Sprintf(
					"%s The answer is shortened: call legal_lookup with view task, id %s and detail full for more.",
					out.Next,
					p.PhaseID,
				))
			}

			return out
		}
		out.State, out.Message = completed, "The task ended without an answer."
	case api.PhaseFailed:
		out.State, out.Message = failed, "The task failed. You can start it again."
		if e := p.Error; e != nil {
			out.Message = e.Message
			if e.Retryable {
				out.Next = "Send the same message with a new idempotencyKey to start it again."
			}
		}
	case api.PhaseCancelled:
		out.State, out.Message = canceled, "The task was cancelled."
	default:
		out.State, out.Message = working, "The task is under way."
		out.Next = fmt.Sprintf(`Call legal_agent with {"taskId":%q} to wait for it.`, taskID)
	}

	return out
}

// holds is the text of an answer that holds: a reviewer's, where one has amended it.
func holds(p api.Phase) string { return cmp.Or(p.Review.AmendedText, p.Response.Text) }

func (d *Service) answered(ctx context.Context, out *Outcome, p api.Phase, r api.PhaseResponse) {
	out.State, out.Message = completed, protocol.Cut(holds(p), longestText)
	for _, c := range r.Citations[:min(len(r.Citations), mostCitations)] {
		one := Citation{
			ID:          c.Source.ID(),
			RetrievedAt: cmp.Or(p.EndedAt, p.StartedAt),
			N:           c.N,
			FileID:      c.Source.FileID,
			Page:        c.Source.Page,
			CharStart:   c.Source.CharStart,
			CharEnd:     c.Source.CharEnd,
			Quote:       protocol.Cut(c.Source.Quote, longestQuote),
		}
		if p.ContainerType == api.ContainerCase {
			one.URL = d.Links.ToCase(p.ContainerID, "file", c.Source.FileID)
		}
		out.Citations = append(out.Citations, one)
	}
	d.made(ctx, out, p, r)
	// A deep link beside an answer that needs no review leads to a person who helps on.
	if !r.HumanReview.Required {
		out.DeepLink = r.HumanReview.DeepLink
	}
	if p.Review.Required {
		out.Review = &Review{
			Required: true,
			Status:   p.Review.Status,
			URL:      cmp.Or(r.HumanReview.DeepLink, d.Links.ToPhase(deeplink.Review, p.ContainerID, p.PhaseID)),
		}
	}

	switch {
	case r.Kind == api.KindClarification:
		out.State, out.Question = inputRequired, protocol.Cut(strings.Join(r.Questions, "\n"), longestQuote)
		if out.Question == "" {
			out.Question = protocol.Cut(r.Text, longestQuote)
		}
		out.Next = fmt.Sprintf(
			`Ask the user, then call legal_agent with {"taskId":%q,"message":"the answer"}.`, out.TaskID,
		)
	case r.Refusal != nil || p.Status == api.PhaseRefused:
		out.State = rejected
		if r.Refusal != nil {
			out.DeepLink = r.Refusal.DeepLink
			out.Message = cmp.Or(out.Message, r.Refusal.Reason)
		}
		out.Next = "Only a person can do this, at deepLink."
	case out.Next == "" && p.Review.Status == api.ReviewRejected:
		out.Next = "A reviewer rejected this answer, so it does not hold; review.url leads to the review."
	case out.Next == "" && p.Review.Status == api.ReviewPending:
		out.Next = "A person must review this before anybody relies on it; review.url leads there."
	}
	out.Suggestions = r.SuggestedNext[:min(len(r.SuggestedNext), mostSuggestions)]
}

// made tells what a task put on record: drafts among the files, proposals to the timeline, the grade of the case.
func (d *Service) made(ctx context.Context, out *Outcome, p api.Phase, r api.PhaseResponse) {
	change := func(c Change) {
		if c.ID != "" && len(out.Changes) < mostChanges {
			c.Summary = protocol.Cut(c.Summary, longestSummary)
			out.Changes = append(out.Changes, c)
		}
	}
	if r.Evaluation != nil {
		summary := "complexity unrated"
		if r.Evaluation.Tier != nil {
			summary = fmt.Sprintf("complexity tier %d, %s", *r.Evaluation.Tier, r.Evaluation.TierName)
		}
		change(Change{
			Type:    "case",
			ID:      p.ContainerID,
			Action:  "updated",
			Summary: summary,
		})
	}

	for _, f := range r.Drafts[:min(len(r.Drafts), mostArtifacts)] {
		a := Artifact{
			ID:       f.FileID,
			Name:     f.DocType,
			MIMEType: "application/octet-stream",
			URL:      d.Links.ToCase(p.ContainerID, "file", f.FileID),
		}
		// The name is told if it can be had. It is safe to tell: a draft is kept as it was written.
		if file, err := d.file(ctx, p.ContainerID, f.FileID); err == nil {
			a.Name, a.MIMEType = file.Name, file.MediaType
		}
		out.Artifacts = append(out.Artifacts, a)
		change(Change{
			Type:    "file",
			ID:      f.FileID,
			Action:  "created",
			Summary: fmt.Sprintf("draft, %d placeholders to fill in", len(f.Placeholders)),
		})
	}

	for _, e := range r.Deadlines {
		change(Change{
			Type:    "deadline",
			ID:      e.EntryID,
			Action:  "proposed",
			Summary: e.Title,
		})
	}

	for _, e := range r.Entries {
		change(Change{
			Type:    "entry",
			ID:      e.EntryID,
			Action:  "proposed",
			Summary: e.Title,
		})
	}
}

func (d *Service) file(ctx context.Context, caseID, fileID string) (f api.File, err error) {
	_, err = d.Cases.HTTP.Do(ctx, httpcall.Request{
		Method: http.MethodGet,
		Path:   httpcall.Path("v1", "cases", caseID, "files", fileID),
		Out:    &f,
	})

	return f, err
}

// rejection turns a refusal that sends the user somewhere into an outcome: it is no failure of the call.
func rejection(err error, c call) (Outcome, bool) {
	if err == nil {
		return Outcome{}, false
	}
	e := errs.From(err)
	if e.Kind != errs.Forbidden || e.DeepLink == "" {
		return Outcome{}, false
	}
	out := Outcome{
		State:    rejected,
		Message:  e.Message,
		TaskID:   c.TaskID,
		CaseID:   c.CaseID,
		DeepLink: e.DeepLink,
		Next:     "The user can do this at deepLink.",
	}
	// Kinds and places are told, never the words: an answer must not repeat the name that was refused.
	var places []string

	for _, p := range e.Details[:min(len(e.Details), 10)] {
		place := strings.TrimSpace(cmp.Or(paths[p.Path], p.Path) + " " + p.Kind)
		if p.Start != nil && p.End != nil {
			place += fmt.Sprintf(" (bytes %d to %d)", *p.Start, *p.End)
		}
		places = append(places, place)
	}
	if len(places) > 0 {
		out.Message += " Found in: " + strings.Join(places, "; ") + "."
	}

	return out, true
}

// record is what an operation answers, as far as the tool tells of it.
type record struct {
	CaseID    string `json:"caseId"`
	FileID    string `json:"fileId"`
	EntryID   string `json:"entryId"`
	BranchID  string `json:"branchId"`
	PartyID   string `json:"partyId"`
	InviteID  string `json:"inviteId"`
	Version   int    `json:"version"`
	Title     string `json:"title"`
	Name      string `json:"name"`
	Label     string `json:"label"`
	Role      string `json:"role"`
	DeepLink  string `json:"deepLink"`
	Duplicate bool   `json:"duplicate"`
	Items     []json.RawMessage
}

func (r record) id(kind string) string {
	return map[string]string{
		"case":   r.CaseID,
		"file":   r.FileID,
		"entry":  r.EntryID,
		"branch": r.BranchID,
		"party":  r.PartyID,
		"invite": r.InviteID,
	}[kind]
}
