package facts

import (
	"slices"
	"strings"
)

const verbReach = 3 // words between a noun and the verb of its term, and behind a day to the rest of its verb

// termed says what the day is where a contract, a policy or the like begins or ends on it: Listed for the first day of
// a term, on which nobody has to do anything, and LastDay for its last one. It is "" for all other days, and for those
// of a term that is told as over.
func (r *reading) termed(before *reading) Standing {
	if r.names(r.left, hearingWords) || r.hearing() || r.past() {
		return ""
	}
	words := daysLexicon()
	tail := plainTail(r.left)

	switch {
	case r.endsSpan(before):
		return LastDay
	case words[opensSpan].ends(tail) && r.spans():
		return Listed
	case words[opensTerm].ends(tail) && (r.hasTerm() || r.goesOnWith(before)):
		return Listed
	case words[endsTerm].ends(tail) && (r.hasTerm() || r.goesOnWith(before)):
		return LastDay
	case words[takesEffect].ends(tail), r.intoForce(tail):
		return Listed
	case r.runsOut() && r.hasTerm():
		return LastDay
	}

	return ""
}

// begins reports whether the day is only one on which something begins, "school begins on", and nothing tells of a
// hearing: no word and no hour.
func (r *reading) begins() bool {
	return daysLexicon()[opensTerm].ends(plainTail(r.left)) && r.clock.End == 0 && !r.names(r.lead, hearingWords)
}

// past reports whether the words before the day tell of what is over: "was effective on", "entered into effective".
func (r *reading) past() bool {
	return slices.ContainsFunc(r.left, func(w string) bool {
		return slices.Contains(pastOfTerms, w) || slices.Contains(passives, w)
	})
}

// pastOfTerms are words that tell of a contract as made, beside the passives; daysLexicon has those of all other acts.
var pastOfTerms = []string{
	"had", "became", "took", "entered", "made", "dated", "executed", "signed", "since", "formerly", "wurde", "wurden",
	"war", "waren", "hatte",
}

// present reports whether the clause tells what is or may be, so that its stretch of days is no report.
func (r *reading) present() bool {
	return slices.ContainsFunc(r.lead, func(w string) bool {
		return slices.Contains([]string{"is", "are", "may", "can", "kann", "können", "ist", "sind"}, w)
	})
}

// plainTail leaves off the end of words what may stand between a verb and its day: "on", "the", "of".
func plainTail(words []string) []string {
	words = words[max(0, len(words)-tailWords):]
	for len(words) > 0 && slices.Contains(dayParticles, words[len(words)-1]) {
		words = words[:len(words)-1]
	}

	return words
}

// dayParticles are words that only join a verb to its day.
var dayParticles = []string{"on", "the", "as", "of", "am", "dem", "zum", "mit", "ablauf", "des", "at", "day"}

// hasTerm reports whether the thing that begins or ends is one that lasts for a term, "the term of this lease": its
// noun stands before the verb, and nobody who would have to do something stands between them.
func (r *reading) hasTerm() bool {
	at := r.termNoun()
	if at < 0 {
		return false
	}
	between := r.lead[at+1:]
	if len(between) <= verbReach {
		return true
	}
	// "Under this lease the tenant shall begin on May 4" gives the tenant a duty and the lease no term.
	acts := slices.ContainsFunc(between, func(w string) bool { return daysLexicon()[actorWords].phrases[w] })
	duty, _ := daysLexicon()[dutyWords].last(between)

	return !acts || duty < 0
}

// termNoun returns where the last noun of what has a term stands before the day, -1 when none does. One that only says
// of what or under what something is does not count: "payments under this agreement begin on".
func (r *reading) termNoun() int {
	for at, w := range slices.Backward(r.lead) {
		if !lastsForTerm(w) {
			continue
		}

		before := r.lead[:at]
		for len(before) > 0 && slices.Contains(determiners, before[len(before)-1]) {
			before = before[:len(before)-1]
		}
		if len(before) == 0 || !slices.Contains(belonging, before[len(before)-1]) {
			return at
		}
	}

	return -1
}

// belonging are words before a noun that only says to what something else belongs.
var belonging = []string{
	"under", "of", "pursuant", "to", "per", "in", "by", "with", "from", "for", "against", "on", "des", "dem",
	"aus", "nach", "gemäß", "im", "zum", "zur",
}

// lastsForTerm reports whether a word names what lasts for a term. German makes such words by joining others:
// "Pachtvertrag", "Klagefrist".
func lastsForTerm(word string) bool {
	return daysLexicon()[termNouns].phrases[word] || slices.ContainsFunc(termEndings, func(ending string) bool {
		return strings.HasSuffix(word, ending)
	})
}

var termEndings = []string{"vertrag", "vereinbarung", "verhältnis", "frist", "laufzeit", "versicherung", "lizenz"}

// goesOnWith reports whether the day ends or begins what the day before it, in the same clause, began or ended.
func (r *reading) goesOnWith(before *reading) bool {
	return before != nil && before.term && before.clause == r.clause
}

// spans reports whether another day follows, joined as the end of a stretch, "from May 1 to May 5", and the clause does
// not report.
func (r *reading) spans() bool {
	joined := r.more && daysLexicon()[closesSpan].begins(r.right)
	if !joined || r.names(r.lead, movingWords) {
		return false
	}

	return r.hasTerm() || r.ordered() || r.present()
}

// endsSpan reports whether the day is the end of the stretch that the day before it begins.
func (r *reading) endsSpan(before *reading) bool {
	if !r.goesOnWith(before) || before.standing != Listed {
		return false
	}

	return daysLexicon()[closesSpan].phrases[strings.Join(r.left, " ")]
}

// intoForce reports whether German words around the day say that something takes effect: "tritt am … in Kraft", "mit
// Wirkung zum …".
func (r *reading) intoForce(tail []string) bool {
	if slices.Contains(r.left, "tritt") || slices.Contains(r.left, "treten") {
		return strings.HasPrefix(strings.Join(r.right, " "), "in kraft")
	}

	return len(tail) > 1 && tail[len(tail)-1] == "wirkung"
}

// runsOut reports whether the German verb that is parted around the day says that something ends: "läuft am … aus".
func (r *reading) runsOut() bool {
	if !slices.Contains(r.left, "läuft") && !slices.Contains(r.left, "laufen") {
		return false
	}

	return slices.ContainsFunc(r.right[:min(len(r.right), verbReach)], func(w string) bool {
		return w == "aus" || w == "ab"
	})
}
