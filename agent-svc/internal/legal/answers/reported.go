package answers

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/casereading"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/facts"
	"github.com/subrosa-legal/subrosa/pkg/search"
)

// event is what a period runs from: an act and what it was done to.
type event struct {
	act  string   // as facts.ActIn names it
	what []string // stems of what it was done to
	own  bool     // that is the paper itself

	// It is the service of a paper that calls somebody, which a party gets once.
	process bool

	noun string // what the paper calls itself, "order"
	open bool   // it can happen to any of its kind, "service of a motion", or again
}

// eventOf reads the event of a period, "entry of this order"; act is "" when its words name none.
func eventOf(x casereading.Deadline, d *casereading.Dossier) event {
	words := search.Words(x.What)
	act, rest := facts.ActIn(words, false)
	own := ofThisPaper(x, d) || slices.Contains(words, "hereof")

	what := slices.DeleteFunc(wanted(rest), func(w string) bool { return w == "hereof" })
	// Whom the text calls "you" a report names by a label, and both say only who got the paper.
	if reaches(act) {
		what = slices.DeleteFunc(what, func(w string) bool { return slices.Contains(addressing, w) })
	}

	return event{
		act:  act,
		what: what,
		own:  own,
		noun: nounOf(x.What),

		process: act == "service" && process.MatchString(x.What),
		open: slices.ContainsFunc(words, func(w string) bool {
			return slices.Contains([]string{"a", "an", "any", "each", "every", "such"}, w)
		}),
	}
}

// reportedAnchors returns the days on which the files say that the event of a period was. doubt says why the event
// may be another one.
func reportedAnchors(x casereading.Deadline, d *casereading.Dossier) (from []anchor, doubt string) {
	e := eventOf(x, d)
	// What can happen to any paper of its kind has no single day.
	if e.act == "" || e.open && !e.own {
		return nil, ""
	}

	more := false
	made := madeDay(x.At.FileID, d)
	// Of those on whom papers are served a summons calls one, and a report may be of the service on another.
	called, elsewhere, unplain := calledBy(x, d), false, false

	for _, r := range d.Reports {
		if !e.toldBy(r, x.At.FileID, made) {
			continue
		}
		from = append(from, anchorOf(r, "a day of "+nameOfAct(e.act)))
		mixed := e.own && others(x.At.Quote, r.Words)
		elsewhere = elsewhere || e.process && !onlyOn(r, called)
		unplain = unplain || e.process && !plainService(r)
		more = more || mixed || toOffice(r) || e.saysMore(r)
	}
	if e.own {
		from = preferred(from, func(a anchor) bool { return a.file == x.At.FileID })
	}
	// Too many days fit, so the words say too little to choose by.
	if from = byDay(from); len(from) > mostAnchors {
		return nil, ""
	}
	// The doubts go from the gravest to the mildest, and one is enough for a reader.
	nameless := len(e.what) == 0 && !e.own && e.act != "effect"
	if len(from) > 0 && nameless {
		doubt = "the text does not say what " + nameOfAct(e.act) + " is meant, and the files may mean another one"
	}
	if len(from) > 0 && elsewhere && doubt == "" {
		doubt = "the paper and the report do not both name the same one on whom it was served, and the service may " +
			"have been on somebody else"
	}
	if len(from) > 0 && unplain && doubt == "" {
		doubt = "the report does not say plainly that the paper was handed to the one whom it calls, and the service may " +
			"not count, or not from that day"
	}
	once := properName.MatchString(x.What) || e.process && len(from) == 1
	again := x.Loose && !e.own && !once
	if len(from) > 0 && again && doubt == "" {
		doubt = "there may have been another " + e.act + " of the same kind, from which the period runs"
	}
	if len(from) > 0 && more && doubt == "" {
		doubt = "the report of " + nameOfAct(e.act) + " speaks of more than the event, and may tell of another one"
	}

	return from, doubt
}

// anchorOf returns the day of a report, from which a period can run; as says what the file gives it as.
func anchorOf(r casereading.Report, as string) anchor {
	return anchor{
		on:   r.Date.Time(),
		what: fmt.Sprintf("%s gives %s as %s", r.At.FileName, r.Date, as),
		at:   r.At,
		file: r.At.FileID,
	}
}

// toldBy reports whether r tells of the event: not of another paper of its kind. A period of a paper of its own, made
// on a day that may not be known, takes neither what an office got nor what was before it.
func (e event) toldBy(r casereading.Report, file string, made time.Time) bool {
	if r.Act != e.act || !e.fits(r, file) {
		return false
	}

	// A paper cannot have been received before it was made.
	return !e.own || !toOffice(r) && !r.Date.Time().Before(made)
}

// madeDay returns the day on which a file was made, the zero time when it does not say.
func madeDay(file string, d *casereading.Dossier) time.Time {
	for _, f := range d.Files {
		if f.ID == file && f.Made.Year > 0 {
			return f.Made.Time()
		}
	}

	return time.Time{}
}

// offices are words for those whose receipt is none of a party.
var offices = []string{"court", "clerk", "clerk's", "clerk’s", "counsel", "attorney", "attorneys", "chambers"}

// toOffice reports whether a report tells that a court, its clerk or counsel got something: no receipt of the party.
func toOffice(r casereading.Report) bool {
	return r.Act == "receipt" && slices.ContainsFunc(r.Words, func(w string) bool {
		return slices.Contains(offices, w)
	})
}

// properName finds an event that stands for one thing by its name: "the Notice to Proceed".
var properName = regexp.MustCompile(`\bthe (?:[A-Z][\w-]+ )(?:(?:to|of|and|for|the) )*[A-Z][\w-]+`)

// termAnchors returns the days to which the files give the name that a period runs from, such as "the Effective Date".
// doubt says so where only another file gives it.
func termAnchors(x casereading.Deadline, d *casereading.Dossier) (from []anchor, doubt string) {
	named := slices.DeleteFunc(search.Words(x.What), func(w string) bool { return w == "the" })
	if len(named) == 0 {
		return nil, ""
	}

	for _, r := range d.Reports {
		if r.Act != facts.TermOfDay || !slices.Equal(named, search.Words(strings.Join(r.Words, " "))) {
			continue
		}
		from = append(from, anchorOf(r, "the "+strings.Join(r.Words, " ")))
	}
	from = byDay(preferred(from, func(a anchor) bool { return a.file == x.At.FileID }))
	if len(from) > mostAnchors {
		return nil, ""
	}

	if len(from) > 0 && !slices.ContainsFunc(from, func(a anchor) bool { return a.file == x.At.FileID }) {
		doubt = "another file gives " + quoted(x.What) + " its day, and may mean one of its own"
	}

	return from, doubt
}

// withReports adds to the day on which a paper was made the days on which something of its kind was served or received,
// where the period runs from that: they may be of the paper, and do not say so. The earliest day leads.
func withReports(x casereading.Deadline, d *casereading.Dossier, made []anchor, doubt string) ([]anchor, string) {
	e := eventOf(x, d)
	if e.act == "" || doubt == "" && (len(made) > 0 || !reaches(e.act)) {
		return made, doubt
	}
	var more []anchor

	for _, r := range d.Reports {
		if r.Act != e.act || !mayBeOf(r, e.noun, r.At.FileID == x.At.FileID) {
			continue
		}
		// A service before the making was that of another paper.
		if len(made) > 0 && r.Date.Time().Before(made[0].on) || len(made) == 0 && r.At.FileID != x.At.FileID {
			continue
		}
		more = append(more, anchorOf(r, "a day of "+nameOfAct(e.act)))
	}
	more = byDay(more)
	if len(more) == 0 || len(more) > mostAnchors {
		return made, doubt
	}
	doubt = "the period runs from " + nameOfAct(e.act) + ", and the text that gives a day of it does not say " +
		"clearly that it is of this paper"
	if len(made) > 0 {
		doubt += "; the safe day is counted from the day on which the paper was made"
	}

	// The earliest day leads, so that no reading of the paper misses the deadline.
	return byDay(append(made, more...)), doubt
}

// process finds a paper that calls somebody, whose period runs from its service: "this summons". It is served on a
// party once; a complaint can be amended and served again.
var process = regexp.MustCompile(`(?i)\b(?:this|the) (?:\w+ ){0,2}(?:summons|subpoena|citation|writ)\b`)

// ofThisProcess reports whether a period runs from the service of the paper of this kind in which it stands. The day
// on which a summons was made says nothing of that.
func ofThisProcess(x casereading.Deadline, d *casereading.Dossier) bool {
	words := strings.ToLower(process.FindString(x.What))
	if words == "" {
		return false
	}

	return strings.HasPrefix(words, "this ") || slices.ContainsFunc(d.Files, func(f casereading.File) bool {
		return f.ID == x.At.FileID && strings.Contains(f.Title, nounOf(words))
	})
}

// calledBy returns the label of the one whom the summons calls in which a period stands; "" when it does not say, or
// the period stands in another paper. A subpoena or a citation goes to many, each with a copy of its own.
func calledBy(x casereading.Deadline, d *casereading.Dossier) string {
	if nounOf(x.What) != "summons" {
		return ""
	}

	for _, f := range d.Files {
		if f.ID == x.At.FileID {
			return f.Addressee
		}
	}

	return ""
}

// reaches reports whether an act brings a paper to somebody.
func reaches(act string) bool {
	return slices.Contains([]string{"service", "mailing", "receipt", "knowledge", "notice"}, act)
}

// addressing are words of an event that say that somebody got a paper, and not which paper.
var addressing = []string{
	"you", "your", "yourself", "him", "her", "them", "upon", "was", "were", "been", "being", "has", "have", "personally",
	"hereby", "herein", "duly",
}

// nounOf returns what an event calls the paper itself, "order" of "entry of this order".
func nounOf(what string) string {
	words := cmp.Or(thisPaper.FindString(what), process.FindString(what))

	return strings.ToLower(words[strings.LastIndexByte(words, ' ')+1:])
}

// only reports whether the sentence of a report, in the paper's own file, names nothing but a paper of its kind and one
// day: "Judgment entered May 3".
func (e event) only(r casereading.Report) bool {
	// A sentence with a second day may tell of two papers.
	if e.noun == "" || !slices.Contains(r.Words, e.noun) || len(facts.Dates(r.At.Quote)) != 1 {
		return false
	}
	_, rest := facts.ActIn(search.Words(strings.Replace(r.At.Quote, r.Raw, " ", 1)), false)

	return !slices.ContainsFunc(rest, func(w string) bool {
		return w != e.noun && len(w) > 1 && !slices.Contains(boundary, w) && !slices.Contains(joining, w)
	})
}

// mayBeOf reports whether a report that does not name this paper may be of it: it names one of the same kind, or none
// at all in the same file.
func mayBeOf(r casereading.Report, noun string, same bool) bool {
	if slices.Contains(r.Words, noun) {
		return true
	}

	return same && !facts.NamesAnotherPaper(r.Words, noun)
}

// others reports whether a report names labels and none of those that a clause names: what another party received is
// not what lets the period of this one run.
func others(clause string, words []string) bool {
	told := strings.Join(words, " ")
	// Without labels on both sides nothing tells whose receipt it was.
	if !strings.Contains(told, "[") || !strings.Contains(clause, "[") {
		return false
	}

	return !slices.ContainsFunc(facts.Labels(clause), func(l facts.Label) bool {
		return strings.Contains(told, strings.ToLower(l.String()))
	})
}

// saysOther reports whether an event has words beside "this order" and those that join: "reading this order".
func saysOther(what string) bool {
	rest := search.Words(thisPaper.ReplaceAllString(theOrder.ReplaceAllString(what, " "), " "))

	return slices.ContainsFunc(rest, func(w string) bool {
		return len(w) > 1 && !slices.Contains(boundary, w) && !slices.Contains(joining, w)
	})
}

// fits reports whether a report is of the event: of the paper itself only in its own file, else by the words of what
// it was done to.
func (e event) fits(r casereading.Report, file string) bool {
	if e.own {
		return r.At.FileID == file && (r.Own || e.only(r))
	}
	if len(e.what) == 0 {
		// "service", without saying of what, can be meant only by its own paper.
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
		// Of a paper that reaches one party a label says who that is.
		labelled := strings.HasPrefix(w, "[") || strings.HasSuffix(w, "]")
		reached := facts.HandsOver(w) || e.process && labelled

		return !joins && !reached && !slices.Contains(e.what, search.Stem(w))
	})
}

// joining are words of a report that tell of no other event.
var joining = []string{
	"was", "were", "been", "has", "have", "had", "by", "in", "at", "as", "his", "her", "their", "court", "clerk",
	"hereby", "you", "your", "we", "our", "it", "i", "my",
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
