package guard

import (
	"slices"
	"sort"
	"strings"
)

// set is a set of kinds.
type set uint32

func kindSet(list ...kind) (s set) {
	for _, k := range list {
		s |= 1 << k
	}

	return s
}

func (s set) has(k kind) bool { return s&(1<<k) != 0 }

// identity is what identifies a client; strict adds what could in combination.
var (
	identity = kindSet(kindPerson, kindName, kindInitials, kindCompany, kindCode, kindID, kindAccount, kindEmail,
		kindPhone, kindAddress, kindBirth, kindURL, kindNetwork, kindVehicle, kindLabel, kindHidden, kindScript)
	careless = identity | kindSet(kindUnknown)
	strict   = careless | kindSet(kindOrg, kindPlace, kindTerm)
	doubtful = strict | kindSet(kindDoubt)
	// evident kinds are told even among random letters and digits.
	evident = kindSet(kindPerson, kindEmail, kindPhone, kindID, kindAccount, kindBirth, kindLabel)
)

// refused returns the kinds of find that a channel does not let pass.
func refused(d Channel) set {
	switch d {
	case Prompt, Title, Query, FileName:
		return careless
	case PartyRecord:
		return strict
	case Reread:
		return doubtful
	case ChosenID:
		return evident
	case Reference:
		return careless &^ kindSet(kindCode)
	}

	// Files, models and events hold the language of law, in which unknown small words are everyday.
	return identity
}

// find runs every rule over a text and returns what they found, in order, without overlaps, in bytes of the text as
// given.
func find(text string, want set, m *memory) []span {
	v := readView(text)
	// Both keep the number of bytes, so that the view maps each find back to the text as given.
	v.text = unwrapped(withoutRules(v.text))
	cited := citations{text: v.text, memory: m}
	// Citations come first: what they cover is looked at by no other rule.
	cited.scan()

	found := toGiven(&v, append(patterns(v.text, &cited), people(v.text, &cited, want, m, onlyID(text, want))...))
	// Shapes read the text as given, since they look through invisible characters themselves, and what was escaped.
	found = append(append(found, shapes(text)...), v.hidden...)
	if v.under != nil || v.pieces != nil {
		found = append(found, toGiven(&v, shapes(v.text))...)
	}

	return merge(withinParagraphs(text, found), want)
}

// withinParagraphs splits finds at blank lines, which end every name but that of a firm, which
// papers set apart. What stands behind the blank line is a find by itself.
func withinParagraphs(text string, found []span) []span {
	for i := 0; i < len(found); i++ {
		s := found[i]
		at := strings.Index(text[s.start:s.end], "\n\n")
		if at <= 0 || s.kind == kindOrg || s.kind == kindCompany {
			continue
		}
		found[i].end = s.start + at

		rest := strings.TrimLeft(text[s.start+at:s.end], "\n ")
		if rest != "" {
			found = append(found, span{s.end - len(rest), s.end, s.kind, s.rule})
		}
	}

	return found
}

// patterns finds what its characters give away: numbers, addresses, disguises.
func patterns(text string, cited *citations) []span {
	c := codes{text: text, cited: cited}
	c.scan()
	e := veiled{text: text}
	e.scan()
	o := contacts{text: text}
	o.scan()

	return append(append(c.found, e.found...), o.found...)
}

// people finds names, with the memory of those found before. An id is read by rules of its own.
func people(text string, cited *citations, want set, m *memory, id bool) []span {
	n := names{text: text, lower: cited.small(), memory: m, cited: cited, careless: want.has(kindUnknown)}
	n.words = readWords(text, n.careless, nil)
	if want == evident {
		n.chosenNames()
	}
	if id {
		n.births()
		return n.found
	}
	n.largeWords()
	// The order is part of the rules. What a word is comes first, then what excuses it, then companies, which take
	// their words out of all that follows, then people.
	n.languages()
	n.readGerman()
	n.readRomance()
	n.excuse(cited)
	n.literature()
	n.places()
	// Who rereads a labelled text wants to see the judges too.
	if !want.has(kindDoubt) {
		n.judges()
		n.opinionJudges()
	}
	n.bench()
	n.placeholders()
	n.commentaries()
	n.capitals()
	n.enumerators()
	n.products()
	n.columnHeadings()
	n.formations()
	n.species()
	n.publishers()
	n.caseFlags()
	n.companies()
	n.constituted()
	n.definedTerms()
	n.acronyms()
	n.aliases()
	n.establishments()
	n.couples()
	n.labelled()
	n.frenchFirms()
	n.fullNames()
	n.middleInitials()
	n.individuals()
	n.values()
	n.tables()
	n.fields()
	n.cards()
	n.mailNames()
	n.attributions()
	n.positions()
	n.letters()
	n.captionNames()
	n.besideListed()
	n.besideCases()
	n.placePeople()
	n.ranked()
	n.births()
	n.spoken()
	n.logins()
	// Runs are judged behind the rules of places and forms, which have taken their words.
	n.scan()
	// By now the memory holds every name of the text: a second look finds those that stand alone.
	n.recur()
	n.recurPhrases()
	n.widen()
	n.suffixes()
	n.wholeLines()
	n.partnerships()
	n.spaced()
	n.scripts()
	n.mixed()
	if n.careless {
		n.small()
		n.lowerFirms()
	} else {
		n.lowerNotes()
		n.runningNames()
	}
	if want.has(kindDoubt) {
		n.doubts()
	}
	// Last, since it looks at all that was found.
	n.markUnread()

	return n.found
}

// shapes finds telephone numbers, labels gone wrong and the like in a text as given.
func shapes(text string) (found []span) {
	s := scan{text: text}
	s.run()

	for _, f := range s.found {
		k, r := shapeKind(f.Kind)
		found = append(found, span{f.Start, f.End, k, r})
	}

	return found
}

func shapeKind(wire string) (kind, rule) {
	switch wire {
	case KindEmail:
		return kindEmail, ruleMail
	case KindPhone:
		return kindPhone, rulePhone
	case KindLabel:
		return kindLabel, ruleNearLabel
	}

	return kindID, ruleSocial
}

// merge keeps what is wanted, in order, and joins what overlaps; the surest gives its kind.
func merge(found []span, want set) []span {
	found = slices.DeleteFunc(found, func(s span) bool { return !want.has(s.kind) || s.end <= s.start })
	sort.Stable(bySpan{
		length: len(found),
		at:     func(i int) (int, int) { return found[i].start, found[i].end },
		swap:   func(i, k int) { found[i], found[k] = found[k], found[i] },
	})

	out := found[:0]
	for _, s := range found {
		if len(out) > 0 && s.start < out[len(out)-1].end {
			last := &out[len(out)-1]
			last.end = max(last.end, s.end)
			if sure(s.kind) > sure(last.kind) {
				last.kind, last.rule = s.kind, s.rule
			}

			continue
		}
		out = append(out, s)
	}

	return out
}

// bySpan orders finds by where they begin. The longer of two that begin together comes first and takes the other in.
// That it serves finds of all types, without one generic sort for each, saves a five-hundredth of what browsers load.
type bySpan struct {
	length int
	at     func(i int) (start, end int)
	swap   func(i, k int)
}

func (o bySpan) Len() int      { return o.length }
func (o bySpan) Swap(i, k int) { o.swap(i, k) }
func (o bySpan) Less(i, k int) bool {
	first, firstEnd := o.at(i)
	second, secondEnd := o.at(k)

	return first < second || first == second && firstEnd > secondEnd
}

// sure ranks kinds by how little a find can be anything else.
func sure(k kind) int {
	switch k {
	case kindEmail, kindPhone, kindID, kindAccount, kindLabel, kindURL, kindBirth, kindNetwork, kindVehicle:
		return 3
	case kindAddress:
		return 2
	case kindCode, kindPerson, kindHidden:
		return 1
	}

	return 0
}
