package phases

import (
	"context"
	"errors"

	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/inputgate"
	"github.com/subrosa-legal/subrosa/pkg/instant"
	"github.com/subrosa-legal/subrosa/pkg/validate"
	"github.com/subrosa-legal/subrosa/pkg/vocabulary"
)

// Limits of a review, in code points and comments.
const (
	maxNote        = 2000
	maxComment     = 1000
	maxAmendedText = 200_000
	maxComments    = 50
)

// ErrReviewed refuses a second decision.
var ErrReviewed = errs.New(
	errs.Conflict,
	"already_reviewed",
	"The phase has been reviewed. Read its review, and add anything else as a comment.",
)

// Verdict is what a person says of a phase: a decision with its note and text, or a comment.
type Verdict struct {
	Decision    string
	Note        string
	AmendedText string
	Comment     string
	Key         string // of the request, when it may be repeated: a repetition returns what the first one did
}

// Review records what a person says of an ended phase. Of several decisions one is taken; the others are ErrReviewed.
func (l *Service) Review(ctx context.Context, by audit.Actor, p Phase, v Verdict) (Phase, error) {
	if err := l.checkVerdict(ctx, p, &v); err != nil {
		return Phase{}, err
	}
	tenant, id := p.Tenant, p.ID
	box, err := l.Container(ctx, tenant, p.ContainerType, p.ContainerID)
	if err != nil {
		return Phase{}, err
	}
	// An agent may delete a case that only agents of its user have worked on. A review is the work of a person.
	if err := cases.Touch(ctx, l.Cases, box.Case, by); err != nil {
		return Phase{}, err
	}

	for range rounds {
		// A repetition is answered before ErrReviewed, which its first request has caused.
		if p.Review.has(v.Key) {
			return p, l.heard(ctx, by, p, v)
		}
		next, err := l.judged(by, p, v)
		if errors.Is(err, ErrReviewed) {
			// Whoever decided may have been cut off before what follows from it.
			reviewer := audit.Actor{Kind: audit.User, ID: p.Review.ReviewerUserID, UserID: p.Review.ReviewerUserID}
			if failed := l.reviewed(ctx, reviewer, p); failed != nil {
				return Phase{}, failed
			}
		}
		if err != nil {
			return Phase{}, err
		}
		entry := l.entry(by, "phase.review", p)
		if entry.ContentSHA256 = p.ResponseSHA256; v.Decision == "" {
			entry.Action = "phase.comment"
		}

		err = audit.Do(ctx, l.Journal, entry, func() error { return l.Records.Replace(ctx, next) })
		switch {
		case err == nil:
			next.Version++
			return next, l.heard(ctx, by, next, v)
		case !errors.Is(err, errs.ErrTaken):
			return Phase{}, err
		}
		if p, err = l.Records.Get(ctx, tenant, id); err != nil {
			return Phase{}, err
		}
	}

	return Phase{}, cases.ErrBusy
}

// heard does what follows from a verdict that is on record. It may be repeated.
func (l *Service) heard(ctx context.Context, by audit.Actor, p Phase, v Verdict) error {
	if v.Decision == "" {
		return nil
	}

	return l.reviewed(ctx, by, p)
}

// reviewed does what follows from a decision. It may be repeated.
func (l *Service) reviewed(ctx context.Context, by audit.Actor, p Phase) error {
	if err := l.stands(ctx, p); err != nil {
		return err
	}
	if l.Timeline != nil {
		if err := l.Timeline.PhaseReviewed(ctx, by, p); err != nil {
			return err
		}
	}

	return l.count(ctx, p)
}

// judged is the phase with the verdict on it.
func (l *Service) judged(by audit.Actor, p Phase, v Verdict) (Phase, error) {
	now := instant.Of(l.Now())
	if p.Open() {
		return Phase{}, ErrPhaseRunning.WithDetails(errs.Detail{RunningPhaseID: p.ID})
	}
	r := p.Review
	if v.Decision == "" {
		if len(r.Comments) >= maxComments {
			var f validate.List
			f.Add("comment", "must not be sent: the phase already has 50 comments, the most it may have")

			return Phase{}, f.Err()
		}
		// A copy, since the phase as it was read may be tried again on another version.
		r.Comments = append(append([]Comment(nil), r.Comments...), Comment{
			UserID: by.UserID,
			At:     now,
			Text:   v.Comment,
			Key:    v.Key,
		})
		p.Review = r

		return p, nil
	}

	switch {
	case r.Status != ReviewPending && r.Status != ReviewNotRequired:
		return Phase{}, ErrReviewed
	case p.Response == nil:
		return Phase{}, ErrTransition.
			WithMessage("The phase ended without an answer, so there is nothing to sign. Leave a comment instead.").
			WithDetails(errs.Detail{From: p.Status, To: v.Decision, Unmet: []string{"response"}})
	}
	r.Status = v.Decision
	r.ReviewerUserID = by.UserID
	r.At = now
	// What was signed is fixed by its digest, whatever is stored beside it later.
	r.ResponseSHA256 = p.ResponseSHA256
	r.Note = v.Note
	r.AmendedText = v.AmendedText
	r.Key = v.Key
	p.Review = r

	return p, nil
}

func (l *Service) checkVerdict(ctx context.Context, p Phase, v *Verdict) error {
	var f validate.List
	if (v.Decision == "") == (v.Comment == "") {
		f.Add("decision", "must be given, or comment instead, but not both")
		return f.Err()
	}
	texts := []inputgate.Text{
		{Channel: guard.Title, Path: "note", Value: v.Note},
		{Channel: guard.Title, Path: "amendedText", Value: v.AmendedText},
		{Channel: guard.Title, Path: "comment", Value: v.Comment},
	}
	if err := inputgate.Check(ctx, l.Gate, l.link(p.ContainerType, p.ContainerID), texts...); err != nil {
		return err
	}
	if v.Comment != "" {
		v.Comment = f.Prose("comment", v.Comment, 1, maxComment)
		if v.Note+v.AmendedText != "" {
			f.Add("comment", "must be sent alone, without note and amendedText")
		}

		return f.Err()
	}
	f.OneOf("decision", v.Decision, vocabulary.ReviewDecisions.All()...)
	v.Note = f.Prose("note", v.Note, 0, maxNote)
	// The amended text replaces the answer for readers, so it cannot be empty; beside another decision it would say two
	// things.
	if v.Decision == ReviewAmended {
		v.AmendedText = f.Prose("amendedText", v.AmendedText, 1, maxAmendedText)
	} else if v.AmendedText != "" {
		f.Add("amendedText", "must be given with the decision amended only")
	}

	return f.Err()
}
