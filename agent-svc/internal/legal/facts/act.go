package facts

import (
	"slices"
	"strings"

	"github.com/subrosa-legal/subrosa/pkg/label"
)

// Act is something that happens to a thing once, such as the signing of a lease, with the day that a sentence gives for
// it.
type Act struct {
	Span          // of the words that say it and the date
	Date   Date   // with its day, read in one way only
	What   string // in words of ours: "signing"
	Object string // as the text names it, in lower case: "lease", "employment agreement"
	Who    string // label of who did it, or to whom it was done; "" when the sentence does not say
}

// actOf returns what a verb tells, "" for other words. Only acts that are done once are among them; rent is paid every
// month.
func actOf(verb string) string {
	switch verb {
	case "signed", "executed":
		return "signing"
	case "terminated", "cancelled", "canceled", "rescinded":
		return "termination"
	case "hired", "employed":
		return "hiring"
	case "dismissed", "discharged", "fired":
		return "dismissal"
	case "filed":
		return "filing"
	case "recorded":
		return "recording"
	case "delivered":
		return "delivery"
	}

	return ""
}

// onceOnly reports whether a noun names a thing of which one case seldom has two of the same name.
func onceOnly(noun string) bool {
	switch noun {
	case "lease", "agreement", "contract", "note", "deed", "will", "mortgage", "guaranty", "guarantee", "license",
		"complaint", "petition", "sublease", "trust", "codicil", "amendment", "addendum", "release":
		return true
	}

	return false
}

const actReach = 160 // bytes to either side of a date in which its act is looked for

// Acts returns the acts to which a text gives a day. Each date counts for one act at most; what shall, may or did not
// happen is none.
func Acts(text string, dates []Date) []Act {
	var list []Act

	for n, d := range dates {
		if d.Day == 0 || d.Ambiguous {
			continue
		}
		// Each date looks no further than its neighbours, so that one verb never counts for two days.
		left, right := max(0, d.Start-actReach), min(len(text), d.End+actReach)
		if n > 0 {
			left = max(left, min(dates[n-1].End, d.Start))
		}
		if n+1 < len(dates) {
			right = min(right, max(dates[n+1].Start, d.End))
		}
		// Most dates have no such verb near them. The glance spares them the search for the ends of their sentence.
		if !tells(text, Span{left, right}) {
			continue
		}
		left, right = sentenceStart(text, d.Start, d.Start-left), sentenceEnd(text, d.End, right-d.End)
		if a, ok := actIn(text, Span{left, d.Start}, true); ok && introduces(text[left:d.Start]) {
			a.Date, a.End = d, d.End
			list = append(list, a)
		} else if a, ok := actIn(text, Span{d.End, right}, false); ok && opening(text[left:d.Start]) {
			a.Date, a.Start = d, d.Start
			list = append(list, a)
		}
	}

	return list
}

// tells reports at a glance whether a verb of an act stands in a span.
func tells(text string, s Span) bool {
	for i := s.Start; i < s.End; i++ {
		if !isLetter(text[i]) {
			continue
		}
		end := wordAt(text, i)
		// Every verb of actOf ends in d: other words need no look at the list.
		if text[end-1] == 'd' && actOf(text[i:end]) != "" {
			return true
		}
		i = end
	}

	return false
}

// introduces reports whether the words before a date let it be the day of what they tell.
func introduces(before string) bool {
	words := strings.Fields(strings.ToLower(before))
	if len(words) == 0 {
		return false
	}

	switch words[len(words)-1] {
	case "on", "about", "of", "day", "signed", "executed", "filed", "recorded", "hired", "dismissed", "delivered",
		"this", "the", "to-wit:":
		return len(words) < 2 || words[len(words)-2] != "dated"
	}

	return false
}

// opening reports whether a date stands at the head of its clause: "On March 4, 2026, ...".
func opening(before string) bool {
	words := strings.Fields(strings.ToLower(before))
	for _, w := range words[max(0, len(words)-3):] {
		switch strings.Trim(w, ".0123456789") {
		case "", "on", "or", "about", "and", "then", "in", "by", "court:", "when":
		default:
			return false
		}
	}

	return !slices.Contains(words, "by")
}

// actIn reads the act that the words of a span tell: the last one of them when last is set, else the first.
func actIn(text string, s Span, last bool) (Act, bool) {
	words := actWords(text, s)
	// One such word anywhere makes the whole span doubtful; a missed act is better than one that never happened.
	if slices.ContainsFunc(words, func(w actWord) bool { return unsaid(w.lower) }) {
		return Act{}, false
	}

	at := -1
	for i, w := range words {
		if actOf(w.lower) != "" && (at < 0 || last) {
			at = i
		}
	}
	if at < 0 {
		return Act{}, false
	}
	verb := words[at]
	a := Act{Span: verb.Span, What: actOf(verb.lower)}
	passive := wasBefore(words, at)
	// These happen to a person, not to a paper, so there is no object to look for.
	if a.What == "hiring" || a.What == "dismissal" {
		return personal(a, words, at, passive)
	}
	// What was signed stands behind an active verb and before a passive one, the nearest first.
	object := words[at+1:]
	if passive {
		object = words[:at]
		slices.Reverse(object)
	}
	i := slices.IndexFunc(object, func(w actWord) bool { return onceOnly(w.lower) })
	if i < 0 {
		return Act{}, false
	}
	a.Object = object[i].lower
	before := i - 1
	if passive {
		before = i + 1
	}
	if before >= 0 && before < len(object) && qualifies(object[before]) {
		a.Object = object[before].lower + " " + a.Object
	}
	a.Start, a.End = min(a.Start, object[i].Start), max(a.End, object[i].End)
	// The subject of a passive verb is the paper, so the sentence names nobody who did it.
	if !passive {
		for _, w := range slices.Backward(words[:at]) {
			if w.label != "" {
				a.Who = w.label
				break
			}
		}
	}

	return a, true
}

// wasBefore reports whether "was" or "were" makes the verb at a word passive: right before it, or with one word between
// that is no label, as in "was duly signed".
func wasBefore(words []actWord, at int) bool {
	if at > 0 && words[at-1].was() {
		return true
	}

	return at > 1 && words[at-1].label == "" && words[at-2].was()
}

// personal reads who was hired or dismissed: "[Party 1] was hired", "[Party 2] dismissed [Party 1]".
func personal(a Act, words []actWord, at int, passive bool) (Act, bool) {
	near := words[at+1 : min(len(words), at+2)]
	if passive {
		near = words[max(0, at-3):at]
	}

	for _, w := range near {
		if w.label != "" {
			a.Who = w.label
		}
	}
	a.Object = "employment"

	return a, a.Who != ""
}

type actWord struct {
	Span
	lower string // without marks at its ends
	label string // when it is one
}

func (w actWord) was() bool { return w.lower == "was" || w.lower == "were" }

const mostActWords = 40

func actWords(text string, s Span) []actWord {
	var list []actWord
	for i := s.Start; i < s.End && len(list) < mostActWords; {
		if text[i] == '[' {
			if l, width, ok := label.At(text, i); ok {
				list, i = append(list, actWord{Span: Span{i, i + width}, label: l.String()}), i+width
				continue
			}
		}
		if !isLetter(text[i]) {
			i++
			continue
		}
		end := wordAt(text, i)
		list, i = append(list, actWord{Span: Span{i, end}, lower: strings.ToLower(text[i:end])}), end
	}

	return list
}

// unsaid reports whether a word makes its sentence one of what did not happen, or is yet to.
func unsaid(word string) bool {
	switch word {
	case "shall", "must", "may", "might", "will", "would", "should", "if", "unless", "not", "never", "whether", "until",
		"before", "deny", "denies", "denied", "to":
		return true
	}

	return false
}

// qualifies reports whether the word before a noun is part of its name.
func qualifies(w actWord) bool {
	switch w.lower {
	case "", "the", "a", "an", "this", "that", "said", "such", "its", "his", "her", "their", "our", "s", "and", "or",
		"of", "was", "signed", "executed", "written", "new", "first", "original", "same", "parties":
		return w.lower == "first"
	}

	return true
}
