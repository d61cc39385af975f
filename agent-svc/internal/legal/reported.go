package legal

import (
	"fmt"
	"slices"
	"strings"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/casereading"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/facts"
	"github.com/subrosa-legal/subrosa/pkg/search"
)

// event is what a period runs from: an act and what it was done to.
type event struct {
	act  string   // as facts.ActIn names it
	what []string // stems of what it was done to
	own  bool     // that is the paper itself
	open bool     // it can happen to any of its kind, "service of a motion", or again
}

// eventOf reads the event of a period, "entry of this order"; act is "" when its words name none.
func eventOf(x casereading.Deadline, d *casereading.Dossier) event {
	words := search.Words(x.What)
	act, rest := facts.ActIn(words, false)
	own := ofThisPaper(x, d) || slices.Contains(words, "hereof")

	return event{
		act:  act,
		what: slices.DeleteFunc(wanted(rest), func(w string) bool { return w == "hereof" }),
		own:  own,
		open: slices.ContainsFunc(words, func(w string) bool {
			return slices.Contains([]string{"a", "an", "any", "each", "every", "such"}, w)
		}),
	}
}

// reportedAnchors returns the days on which the files say that the event of a period was. doubt says why the event
// may be another one.
func reportedAnchors(x casereading.Deadline, d *casereading.Dossier) (from []anchor, doubt string) {
	e := eventOf(x, d)
	if e.act == "" || e.open {
		return nil, ""
	}

	more := false

	for _, r := range d.Reports {
		if r.Act != e.act || !e.fits(r, x.At.FileID) {
			continue
		}
		from = append(from, anchor{
			on:   r.Date.Time(),
			what: fmt.Sprintf("%s gives %s as a day of %s", r.At.FileName, r.Date, nameOfAct(e.act)),
			at:   r.At,
			file: r.At.FileID,
		})
		more = more || e.saysMore(r)
	}
	from = preferred(from, func(a anchor) bool { return a.file == x.At.FileID })
	if from = byDay(from); len(from) > mostAnchors {
		return nil, ""
	}
	if len(from) > 0 && len(e.what) == 0 && !e.own && e.act != "effect" {
		doubt = "the text does not say what " + nameOfAct(e.act) + " is meant, and the files may mean another one"
	}
	if len(from) > 0 && x.Loose && !e.own && doubt == "" {
		doubt = "there may have been another " + e.act + " of the same kind, from which the period runs"
	}
	if len(from) > 0 && more && doubt == "" {
		doubt = "the report of " + nameOfAct(e.act) + " speaks of more than the event, and may tell of another one"
	}

	return from, doubt
}

// fits reports whether a report is of the event: of the paper itself only in its own file, else by the words of what
// it was done to.
func (e event) fits(r casereading.Report, file string) bool {
	if e.own {
		return r.At.FileID == file && r.Own
	}
	if len(e.what) == 0 {
		return r.At.FileID == file && (!r.Own || e.act != "entry" && e.act != "making")
	}
	stems := map[string]bool{}

	for _, w := range r.Words {
		stems[search.Stem(strings.Trim(w, "'’"))] = true
	}

	return !slices.ContainsFunc(e.what, func(w string) bool { return !stems[w] })
}

// saysMore reports whether a report has other words than the event and those that only join or name a court: it may be
// of another paper, "the default judgment", or of no act at all, "refused entry of".
func (e event) saysMore(r casereading.Report) bool {
	if e.own || len(e.what) == 0 {
		return false
	}

	return slices.ContainsFunc(r.Words, func(w string) bool {
		w = strings.Trim(w, "'’")
		joins := len(w) < 2 || slices.Contains(boundary, w) || slices.Contains(joining, w)

		return !joins && !slices.Contains(e.what, search.Stem(w))
	})
}

// joining are words of a report that tell of no other event.
var joining = []string{
	"was", "were", "been", "has", "have", "had", "by", "in", "at", "as", "his", "her", "their", "court", "clerk", "hereby",
	"you", "your", "we", "our", "it", "i", "my",
}

// nameOfAct names an act in a sentence.
func nameOfAct(act string) string {
	switch act {
	case "":
		return ""
	case "effect":
		return "taking effect"
	default:
		return "the " + act
	}
}
