package timeline

import (
	"context"
	"regexp"
	"time"

	"github.com/subrosa-legal/subrosa/case-svc/internal/phases"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/inputgate"
	"github.com/subrosa-legal/subrosa/pkg/validate"
)

// Edit is what a person writes anew in an entry; nil fields stay as they are. "" and the zero time clear what may be
// absent.
type Edit struct {
	Title    *string
	Detail   *string
	On       *string    // of an entry that is no deadline
	DueOn    *string    // of a deadline, and so are the following
	LatestOn *string    // a day that is not later than dueOn clears it, and so does a new day for one that was counted
	DueAt    *time.Time // the hour, which must lie on dueOn in the zone
	TimeZone *string    // "" for that of the forum
}

func (r Edit) empty() bool { return r == Edit{} }

// dated reports whether a change concerns deadlines only.
func (r Edit) dated() bool {
	days := r.DueOn != nil || r.LatestOn != nil
	return days || r.DueAt != nil || r.TimeZone != nil
}

// checkEdit sends the words of a change through the gate.
func (s *Service) checkEdit(ctx context.Context, box phases.Container, r Edit) error {
	var texts []inputgate.Text

	for path, value := range map[string]*string{"title": r.Title, "detail": r.Detail} {
		if value != nil {
			texts = append(texts, inputgate.Text{Channel: guard.Title, Path: path, Value: *value})
		}
	}

	return s.screen(ctx, box, true, texts...)
}

// apply writes the change into an entry, and checks the whole as a new entry is checked. A day that a person writes is
// stated and no longer computed.
func (r Edit) apply(e *Entry, zone string) error {
	if r.empty() {
		return nil
	}
	var f validate.List
	if r.moves(*e) {
		e.Title, e.Detail = withoutHour(e.Title), withoutHour(e.Detail)
	}
	if r.recounts(*e) && counted.MatchString(e.Detail) {
		e.Detail = "" // the steps in which the day before was counted, which name the days between
	}
	set(&e.Title, r.Title)
	set(&e.Detail, r.Detail)
	e.Title, e.Detail = f.Line("title", e.Title, 1, maxTitle), f.Prose("detail", e.Detail, 0, maxDetail)

	switch {
	case e.Deadline == nil && r.dated():
		f.Add("dueOn", "is for entries of kind deadline only, as are latestOn, dueAt and timeZone")
	case e.Deadline != nil && r.On != nil:
		f.Add("on", "does not go with kind deadline: send dueOn")
	case r.On != nil:
		date(&f, "on", *r.On, true)
		e.When = When{On: *r.On, Precision: "day"}
	case r.dated():
		r.due(e, zone, &f)
	}

	return f.Err()
}

// recounts reports whether the change puts a day of a person in the place of one that was counted: how it was counted
// and its latest reading are then those of another day.
func (r Edit) recounts(e Entry) bool {
	return r.moves(e) && e.Deadline.Certainty != stated
}

// moves reports whether the change gives a deadline another day.
func (r Edit) moves(e Entry) bool {
	return e.Deadline != nil && r.DueOn != nil && *r.DueOn != e.Deadline.DueOn
}

// counted finds a detail that begins with the steps of a count: with the day of the event, or with the words that say
// where it stands and the period. A note of a person that names a day does neither.
var counted = regexp.MustCompile(`^(?:[A-Z][a-z]+, \d{4}-\d{2}-\d{2}: ` +
	`|(?:(?:the day of|the date that the sentence names,|[^\n]{1,300}? says that it was made on` +
	`|[^\n]{1,300}? gives [^\n]{1,40} as a day of) [^\n]{1,300}?\. )?` +
	`\d+ [a-z ]+ (?:later|earlier) than [A-Z][a-z]+, \d{4}-\d{2}-\d{2}\b)`)

// hourAhead finds the hour with which a detail or a title begins.
var hourAhead = regexp.MustCompile(
	`^By (?:\d{1,2}(?:[:.]\d{2})? ?[AaPp]\.?[Mm]\.?|\d{1,2}[:.]\d{2}|noon|midnight)(?:\. |, | |\.?$)`)

// withoutHour takes the hour off words, which is that of the day before; words that are nothing else stay.
func withoutHour(words string) string {
	if rest := hourAhead.ReplaceAllString(words, ""); rest != "" {
		return rest
	}

	return words
}

// stated is the certainty of a day that a paper or a person states.
const stated = "explicit"

func (r Edit) due(e *Entry, zone string, f *validate.List) {
	due := *e.Deadline
	if r.DueOn != nil && *r.DueOn != due.DueOn {
		if r.recounts(*e) || due.LatestOn <= *r.DueOn {
			due.LatestOn = ""
		}
		due.DueOn, due.Certainty, due.Computation = *r.DueOn, stated, nil
		due.DueAt = time.Time{} // an hour of another day
	}
	if r.DueOn != nil && due.Status == Missed {
		due.Status = Confirmed // until its new day is over too
	}
	set(&due.LatestOn, r.LatestOn)
	set(&due.DueAt, r.DueAt)
	set(&due.TimeZone, r.TimeZone)

	status := due.Status
	checked := Draft{Kind: DeadlineKind, Deadline: due}.deadline("", zone, f)
	checked.Status = status
	e.Deadline = checked
	if e.When.On != due.DueOn {
		e.When = When{On: due.DueOn, Precision: "day"}
	}
}

func set[T any](to *T, value *T) {
	if value != nil {
		*to = *value
	}
}

// settled brings the verdict and the state of a deadline in step: one confirmation is enough, whichever it is, and
// taking it back undoes both.
func (r Revision) settled(e Entry) Entry {
	if e.Deadline == nil {
		return e
	}
	due := *e.Deadline

	switch {
	case r.Status != nil && due.Status == Confirmed:
		e.ReviewStatus = Accepted
	case r.Status != nil && due.Status == Proposed:
		e.ReviewStatus = Unreviewed
	case r.Status != nil || r.ReviewStatus == nil:
	case *r.ReviewStatus == Accepted && due.Status == Proposed:
		due.Status = Confirmed
	case *r.ReviewStatus != Accepted && due.Status == Confirmed:
		due.Status = Proposed
	}
	e.Deadline = &due

	return e
}
