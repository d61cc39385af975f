package casereading

import (
	"strings"
	"unicode/utf8"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/facts"
)

// addCourt quotes the line that names the court, and the next one when it says which district or county.
func (o *open) addCourt(f *File) {
	at := o.said.Caption.Forum
	// A court that is named without the sides is not the head of a filed paper.
	if at.End == 0 || o.said.Caption.First.End == 0 {
		return
	}
	f.Court = append(f.Court, o.Exact(at))
	if next := facts.District(o.text, at.End); next.End > 0 {
		f.Court = append(f.Court, o.Exact(next))
	}
}

// addLabels counts the labels, and finds the sides of the file.
func (o *open) addLabels(f *File) {
	if o.said.Caption.First.End > 0 {
		f.First = strings.Clone(o.said.Caption.First.In(o.text))
		f.Second = strings.Clone(o.said.Caption.Second.In(o.text))
	}
	sides := [3]string{}

	for _, l := range o.said.Labels {
		at := o.label(l)
		if at < 0 {
			continue
		}
		role := o.role(at, l)
		if side := facts.Side(role); side > 0 && sides[side] == "" && facts.IsParty(l.Label) {
			sides[side] = l.String()
		}
	}
	// Letters and contracts have no caption. The roles beside the labels tell their sides.
	if f.First == "" && sides[1] != "" && sides[2] != "" && sides[1] != sides[2] {
		f.First, f.Second = sides[1], sides[2]
	}
}

// label counts one place of a label and returns where it is kept, below zero when it is not.
func (o *open) label(l facts.Label) int {
	at, known := o.labels[l.Label]
	if !known {
		if len(o.Dossier.Labels) == mostLabels {
			o.Dropped++
			return -1
		}
		at = len(o.Dossier.Labels)
		kept := l.Label
		// The kind is a part of the text, which must not be held.
		kept.Kind = strings.Clone(kept.Kind)
		o.labels[kept] = at
		o.Dossier.Labels = append(o.Dossier.Labels, Label{Label: kept, At: o.Sentence(l.Span)})
	}
	entry := &o.Dossier.Labels[at]
	entry.Count++
	if entry.last != o.file.FileID {
		entry.last = o.file.FileID
		entry.Files++
	}

	return at
}

const maxRaw = 80

const rolesSought = 40 // places of one label at which its role is looked for

// role returns the role in which the text presents a label at this place, and keeps the first one.
func (o *open) role(at int, l facts.Label) string {
	entry := &o.Dossier.Labels[at]
	// Looking for a role walks around the label. A contract can name a party thousands of times.
	if entry.Count > rolesSought {
		return ""
	}
	role := facts.RoleOf(o.text, l)
	if role != "" && entry.Role == "" {
		entry.Role, entry.RoleAt = role, o.Sentence(l.Span)
	}

	return role
}

func (o *open) addSums() {
	for _, demand := range o.said.Demands {
		if len(o.Dossier.Demands) == mostDemands {
			o.Dropped++
			continue
		}
		demand.Currency = strings.Clone(demand.Currency)
		o.Dossier.Demands = append(o.Dossier.Demands, Demand{demand, o.Sentence(demand.Span)})
	}
	if !o.keep.Sums {
		return
	}

	for _, a := range o.said.Amounts {
		if len(o.Sums) == mostSums {
			o.Dropped++
			continue
		}
		a.Currency = strings.Clone(a.Currency)
		name, role := a.NameAndRoleIn(o.text)
		o.Sums = append(o.Sums, Sum{a, role, strings.Clone(name), o.Sentence(a.Span)})
	}
}

func (o *open) addDates() {
	o.addDeadlines(&o.Dossier.Deadlines, o.said.Deadlines)
	if o.keep.Events {
		o.addDeadlines(&o.Dossier.Listed, o.said.Listed)
		o.addDeadlines(&o.Dossier.Seen, o.toCome())
	}
	if !o.keep.Dates {
		return
	}

	for _, x := range o.said.Dates {
		if len(o.Dossier.Dates) == mostDates {
			o.Dropped++
			continue
		}
		raw := strings.Clone(facts.Fold(x.In(o.text)))
		if utf8.RuneCountInString(raw) > maxRaw {
			// Something this long is no date as a person writes it, and the entry has its sentence.
			raw = ""
		}
		o.Dossier.Dates = append(o.Dossier.Dates, Date{Date: x, Raw: raw, At: o.Sentence(x.Span)})
	}
}

// toCome returns what was seen of days and months that are to come, and counts the others: what was done is told by a
// chronology.
func (o *open) toCome() []facts.Deadline {
	var list []facts.Deadline

	for _, x := range o.said.Seen {
		// Days are compared and not moments: a day lasts to its end in the zone of the forum.
		if facts.DaysFrom(o.keep.Today, x.Date.Last()) < 0 {
			o.SeenPast++
		} else {
			list = append(list, x)
		}
	}

	return list
}

const mostClauseWords = 60

// addDeadlines keeps deadlines with their places in list.
func (o *open) addDeadlines(list *[]Deadline, said []facts.Deadline) {
	for _, x := range said {
		if len(*list) == mostDeadlines {
			o.Dropped++
			continue
		}
		kept := Deadline{Deadline: x, What: strings.Clone(facts.Fold(x.Event.In(o.text))), At: o.clause(x)}
		kept.Clock = strings.Clone(facts.Hour(x.Clock.In(o.text)))
		kept.Room = strings.Clone(facts.Fold(x.Place.In(o.text)))

		kept.Loose = x.Recurs(o.text)
		for _, w := range x.Behind(o.text, mostClauseWords) {
			kept.Behind = append(kept.Behind, strings.Clone(w))
		}

		for _, w := range x.Words(o.text, mostClauseWords) {
			kept.Words = append(kept.Words, strings.Clone(w))
		}
		*list = append(*list, kept)
	}
}

// clause quotes the clause of a deadline, its sentence where that may not be shown.
func (o *open) clause(x facts.Deadline) Place {
	if x.Clause.End > 0 && x.Clause.Start <= x.Start && x.End <= x.Clause.End {
		// The clause says what the day is for in fewer words than its sentence.
		if p, ok := o.try(x.Clause); ok {
			return p
		}
	}

	return o.Sentence(x.Span)
}

func (o *open) addEvents() {
	if !o.keep.Events {
		return
	}

	for _, e := range facts.Events(o.text, o.said.Dates, o.file.DocType, false) {
		if len(o.Dossier.Events) == mostEvents {
			o.Dropped++
			continue
		}
		raw := strings.Clone(facts.Fold(e.Date.In(o.text)))
		o.Dossier.Events = append(o.Dossier.Events, Event{e, raw, o.Sentence(e.Span)})
	}

	reports := append(facts.DefinedDays(o.text, o.said.Dates), facts.Reports(o.text, o.said.Dates)...)
	for _, r := range reports {
		if len(o.Dossier.Reports) == mostReports {
			o.Dropped++
			continue
		}

		for i, w := range r.Words {
			r.Words[i] = strings.Clone(w)
		}

		raw := strings.Clone(facts.Fold(r.Date.In(o.text)))
		o.Dossier.Reports = append(o.Dossier.Reports, Report{r, raw, o.Sentence(r.Span)})
	}
}

func (o *open) addTopics() {
	weight := 1

	switch o.said.Title.Kind {
	case facts.Pleading, facts.Motion, facts.AppealDoc, facts.CourtOrder, facts.Contract, facts.Notice:
		// Papers of procedure and contracts mean what they say; others mention things in passing.
		weight = 2
	}

	for _, h := range o.said.Topics {
		key := [2]string{h.Topic, h.Detail}
		at, known := o.topics[key]
		if !known {
			at = len(o.Dossier.Topics)
			o.topics[key] = at
			o.Dossier.Topics = append(o.Dossier.Topics, Topic{Name: h.Topic, Detail: h.Detail})
		}
		topic := &o.Dossier.Topics[at]
		topic.Weight += weight
		if len(topic.Places) < mostPlaces {
			topic.Places = append(topic.Places, o.Sentence(h.Span))
		}
	}

	for _, x := range o.said.Issues {
		if _, known := o.issues[x.Section]; !known && len(o.Dossier.Issues) < mostClaims {
			o.issues[x.Section] = len(o.Dossier.Issues)
			o.Dossier.Issues = append(o.Dossier.Issues, Topic{Name: x.Section, Places: []Place{o.Sentence(x.Span)}})
		}
	}
	o.Dossier.Witnesses = max(o.Dossier.Witnesses, o.said.Witnesses)
}

// Parties returns the labels that stand for parties: those of the kinds Party and Minor, and those of persons,
// organizations and companies that the text presents in the role of a party. Where that makes fewer than two, all
// labels that can be a party count, but for counsel, witnesses and the like.
func (d *Dossier) Parties() []Label {
	var plain, possible []Label

	for _, l := range d.Labels {
		if !facts.IsParty(l.Label) || facts.Stranger(l.Role) && l.Kind != "Party" {
			continue
		}
		possible = append(possible, l)
		if l.Kind == "Party" || l.Kind == "Minor" || l.Role != "" {
			plain = append(plain, l)
		}
	}
	// A case has two sides, so fewer than two mean that the files do not say the roles.
	if len(plain) < 2 {
		return possible
	}

	return plain
}

// of returns how many labels are of a kind.
func (d *Dossier) of(kind string) int {
	n := 0

	for _, l := range d.Labels {
		if l.Kind == kind {
			n++
		}
	}

	return n
}
