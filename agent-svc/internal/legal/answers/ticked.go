package answers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/casereading"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/facts"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/wording"
)

// Where the facts of a draft come from, as its limits say.
const (
	ofFiles = "Facts are sentences of the files that nobody has confirmed: " +
		"whether they are true, relevant or privileged " +
		"is for a lawyer. Once entries of the timeline are confirmed, a form takes its facts from them alone."
	ofRecord = "%s of the timeline that a person confirmed, and from nothing else; whether they are " +
		"relevant or privileged is for a lawyer."
	unreadRecord = " The timeline has more confirmed or rejected entries than one draft reads: " +
		"the earliest are heeded, " +
		"and what was rejected after them may stand in the draft."
	noRecord = "The timeline could not be read, so it is not known which facts a person has confirmed."
)

// ticked puts the facts that a person confirmed in the timeline in the place of those of the files, where there are
// any, and takes out what a person rejected. It returns what to say of them.
func (j *job) ticked(ctx context.Context, d *casereading.Dossier, h holdings) (limit string, err error) {
	judged, whole, err := j.sources.Judged(ctx)
	// A caller without the timeline still gets a draft, which says what it rests on.
	if known := (*errs.Error)(nil); errors.As(err, &known) && unseen(known.Kind) {
		return noRecord, nil
	}
	if err != nil {
		return "", err
	}
	var confirmed []casereading.Date
	var rejected []api.SourceRef

	for _, e := range judged {
		if e.ReviewStatus == "rejected" {
			rejected = append(rejected, e.Sources...)

			continue
		}
		if x, ok := j.factOf(ctx, e, h); ok {
			confirmed = append(confirmed, x)
		}
	}
	// What a person has rejected must not come back through the files.
	d.Dates = slices.DeleteFunc(d.Dates, func(x casereading.Date) bool { return among(rejected, x.At.SourceRef) })
	d.Sums = slices.DeleteFunc(d.Sums, func(x casereading.Sum) bool { return among(rejected, x.At.SourceRef) })
	unread := ""
	if !whole {
		unread = unreadRecord
	}
	if len(confirmed) == 0 {
		return ofFiles + unread, nil
	}
	// Once a person has confirmed facts, the draft rests on them and on nothing else.
	d.Dates = confirmed
	d.Sums = slices.DeleteFunc(d.Sums, func(x casereading.Sum) bool {
		return !slices.ContainsFunc(confirmed, func(c casereading.Date) bool {
			return overlap(c.At.SourceRef, x.At.SourceRef)
		})
	})

	rests := fmt.Sprintf(ofRecord, "facts are taken from "+wording.Count(len(confirmed), "entry", "entries"))

	return wording.Capital(rests) + unread, nil
}

func among(list []api.SourceRef, s api.SourceRef) bool {
	return slices.ContainsFunc(list, func(o api.SourceRef) bool { return overlap(o, s) })
}

// overlap reports whether two sources are the same words but for their ends: they share at least half of the shorter
// one. Of different readings of a file, whose places cannot be compared, the words must be the same.
func overlap(a, b api.SourceRef) bool {
	if a.FileID == "" || a.FileID != b.FileID {
		return false
	}
	if a.TextVersion != b.TextVersion {
		return facts.Fold(a.Quote) == facts.Fold(b.Quote)
	}
	shared := min(a.CharEnd, b.CharEnd) - max(a.CharStart, b.CharStart)

	return shared > 0 && 2*shared >= min(a.CharEnd-a.CharStart, b.CharEnd-b.CharStart)
}

// unseen reports whether a failure means that the caller does not see the timeline: whoever may run a task need not.
func unseen(k errs.Kind) bool { return k == errs.Forbidden || k == errs.NotFound }

// factOf is a confirmed entry as a fact with its day. Deadlines and what the service noted are none, nor is what rests
// on a file that the task leaves out.
func (j *job) factOf(ctx context.Context, e api.TimelineEntry, h holdings) (casereading.Date, bool) {
	kinds := []string{
		api.EntryFact, api.EntryFiling, api.EntryHearing, api.EntryCommunication, api.EntryPayment, api.EntryAgreement,
	}
	on, err := time.Parse(time.DateOnly, e.When.On)
	if err != nil || e.When.Ambiguous || !slices.Contains(kinds, e.Kind) {
		return casereading.Date{}, false
	}
	fact := casereading.Date{Date: facts.Date{Year: on.Year(), Month: int(on.Month()), Day: on.Day()}}

	switch e.When.Precision {
	case "month":
		fact.Day = 0
	// The first of January stands for the year, and Rough says that it is no day.
	case "year":
		fact.Month, fact.Day, fact.Rough = 1, 0, casereading.OfYear
	case "approximate":
		fact.Rough = casereading.Near
	}

	for _, s := range e.Sources {
		at := slices.IndexFunc(h.readable, func(f api.File) bool { return f.FileID == s.FileID })
		if at >= 0 {
			fact.At = casereading.Place{SourceRef: s, FileName: h.readable[at].Name}
			break
		}
	}
	// All its sources are files that the task leaves out.
	if len(e.Sources) > 0 && fact.At.FileID == "" {
		return casereading.Date{}, false
	}
	// Where a person has put it in other words, their words are the fact and the quote is its source.
	if fact.At.Quote == "" || !asQuoted(e.Title, fact.At.Quote) {
		fact.At.Words = sentence(e.Title)
	}
	fact.At.Withheld = !j.clean(ctx, fact.At.Quote) || !j.clean(ctx, fact.At.Words)

	return fact, true
}

// asQuoted reports whether a title is what the service makes of a quote, so that the quote says it. Any other one is a
// person's, or a program's that a person has confirmed.
func asQuoted(title, quote string) bool {
	title, quote = facts.Fold(title), facts.Fold(quote)

	return title == quote || title == facts.Fold(titleOf(quote))
}

// sentence ends a title with a full stop, as what is stated ends.
func sentence(title string) string {
	for _, end := range [...]string{".", "!", "?", ":", ";"} {
		if len(title) > 0 && title[len(title)-1:] == end {
			return title
		}
	}

	return title + "."
}
