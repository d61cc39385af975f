package facts

import (
	"slices"
	"strings"
)

const verbReach = 3 // words behind a day to the rest of its verb

// termed says what the day is where a contract, a policy or the like begins or ends on it: Listed for the first day of
// a term, on which nobody has to do anything, and LastDay for its last one. It is "" for all other days, for those of a
// term that is told as over, and for a first day that the words before it make one of a duty.
func (r *reading) termed(before *reading) Standing {
	if r.names(r.left, hearingWords) || r.hearing() {
		return ""
	}
	lists := daysLexicon()
	tail := plainTail(r.tail)
	ofTerm := r.hasTerm() || r.goesOnWith(before)

	switch {
	// What ends is a last day, whatever was signed or made before: "the lease was signed in 2024 and expires on".
	case lists[endsNow].ends(tail), lists[endsTerm].ends(tail) && ofTerm, r.endsSpan(before):
		return LastDay
	case r.runsOut() && r.hasTerm():
		return LastDay
	// Where a payment or what else is owed begins, the first of it is due.
	case r.begins() && r.bound() && (lists[appearWords].ends(r.tail) || r.names(r.lead, owedWords)):
		return LastDay
	case lists[opensSpan].ends(tail) && r.granted():
		return Listed
	case r.toldOfTerm() || r.sits() || !r.opens(tail, ofTerm):
		return ""
	case !r.bound():
		return Listed
	case !lists[doneWords].ends(r.left) && !lists[doneWords].ends(tail):
		return ""
	// "Must vacate effective May 4" reports nothing, though "effective" mostly does.
	case r.ordered() && !slices.Contains(r.lead, "will"):
		return LastDay
	default:
		return Listed
	}
}

// toldOfTerm reports whether words before the day tell of a term as over, or of a contract as made. "May be made" does
// not.
func (r *reading) toldOfTerm() bool {
	for at, w := range r.left {
		if daysLexicon()[pastOfTerms].phrases[w] && (at == 0 || r.left[at-1] != "be") {
			return true
		}
	}

	return false
}

// granted reports whether the day is the first of a stretch in which somebody may do something, "claims may be filed
// from May 4 to May 11". The last day of it is one to act by.
func (r *reading) granted() bool {
	lists := daysLexicon()
	if !r.more || !lists[closesSpan].begins(r.right) || r.names(r.lead, movingWords) {
		return false
	}
	if lists[grantedSpan].ends(r.left) || r.names(r.left, acceptedWords) && !r.toldOfTerm() {
		return true
	}

	return r.names(r.left, mayWords) && !orders(r.lead)
}

// opens reports whether something begins or takes effect on the day, as the words right before it say. ofTerm says
// that it lasts for a term.
func (r *reading) opens(tail []string, ofTerm bool) bool {
	lists := daysLexicon()
	acts := r.termActs() || ofTerm && !r.hasTerm()
	if lists[opensTerm].ends(tail) && acts || lists[opensSpan].ends(tail) && r.spans() {
		return true
	}

	return lists[takesEffect].ends(tail) || r.intoForce(tail)
}

// begins reports whether the day is only one on which something begins, "school begins on", and nobody has to appear:
// nothing names a hearing, a court or the like, and no hour is given.
func (r *reading) begins() bool {
	// The words right before the day are few, and those of the clause may be many, so the former come first.
	if r.clock.End > 0 || !daysLexicon()[opensTerm].ends(plainTail(r.tail)) {
		return false
	}

	return !r.sits() && !r.names(r.lead, hearingWords) && !r.names(r.lead, attendedWords)
}

// sits reports whether a court sits on the day: its room is named, or what happens in it.
func (r *reading) sits() bool { return r.place.End > 0 || r.names(r.lead, sittingWords) }

// opening reports whether the day is one on which a term begins, and nothing near it tells of a duty.
func (r *reading) opening() bool {
	if !r.term || r.standing != Listed || r.moved {
		return false
	}
	lists := daysLexicon()
	granted := lists[grantedSpan].ends(r.left) || r.granted()

	return !granted && !r.bound() && !r.names(r.right, dutyWords) && !r.names(r.right, owedWords)
}

// bound reports whether the clause before the day tells of a duty, which may be due on it: "payment is due when the
// lease begins on", "return the form before coverage begins". That the term itself shall begin is none.
func (r *reading) bound() bool {
	duty, n := daysLexicon()[dutyWords].last(r.lead)
	if duty >= 0 && !r.ofTermItself(duty, n) {
		return true
	}
	if r.names(r.lead, orderWords) && duty < 0 || r.names(r.lead, owedWords) || r.names(r.lead, hangingWords) {
		return true
	}

	return (r.headed || r.schedules()) && r.names(r.left, thingWords)
}

// ofTermItself reports whether the duty at a word is the only one, and only says that a term will begin: "the term of
// this lease shall commence on".
func (r *reading) ofTermItself(duty, n int) bool {
	lists := daysLexicon()
	if w := r.lead[duty]; n != 1 || w != "shall" && w != "will" || r.names(r.lead[:duty], dutyWords) {
		return false
	}

	verb := plainTail(r.lead[duty+1:])
	if !lists[opensTerm].phrases[strings.Join(verb, " ")] && !lists[takesEffect].phrases[strings.Join(verb, " ")] {
		return false
	}
	noun := r.termNoun()
	if noun < 0 || noun >= duty || !lists[ownTerms].phrases[r.lead[noun]] {
		return false
	}
	// "Lease payments shall begin" and "the lease for which rent shall begin" are of other things.
	between := r.lead[noun+1 : duty]

	return len(between) == 0 || lists[belonging].phrases[between[0]] && !r.names(between, relativeWords)
}

// plainTail leaves off the end of words what may stand between a verb and its day: "on", "the", "of".
func plainTail(words []string) []string {
	words = words[max(0, len(words)-tailWords):]
	for len(words) > 0 && daysLexicon()[dayParticles].phrases[words[len(words)-1]] {
		words = words[:len(words)-1]
	}

	return words
}

// hasTerm reports whether the thing that begins or ends is one that lasts for a term, "the term of this lease".
func (r *reading) hasTerm() bool { return r.termNoun() >= 0 }

// termActs reports whether what lasts for a term is itself what begins or is, and not only a part of a name: "the
// insurance inspection begins".
func (r *reading) termActs() bool {
	at := r.termNoun()
	if at < 0 {
		return false
	}
	lists := daysLexicon()
	behind := r.lead[at+1:]

	for _, section := range [...]string{
		belonging, presentOfTerms, pastOfTerms, opensTerm, opensSpan, takesEffect, dutyWords, relativeWords,
	} {
		if lists[section].begins(behind) {
			return true
		}
	}

	return len(behind) == 0 || strings.HasSuffix(behind[0], "ly") || behind[0] == "and"
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
		if len(before) == 0 || !daysLexicon()[belonging].phrases[before[len(before)-1]] {
			return at
		}
	}

	return -1
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

// spans reports whether another day follows, joined as the end of a stretch, "from May 1 to May 5", and the stretch is
// that of a term, or of days that somebody has for something.
func (r *reading) spans() bool {
	joined := r.more && daysLexicon()[closesSpan].begins(r.right)
	if !joined || r.names(r.lead, movingWords) {
		return false
	}

	return r.termActs() && r.names(r.lead, presentOfTerms) || daysLexicon()[grantedSpan].ends(r.left)
}

// endsSpan reports whether the day is the end of the stretch that the day before it begins.
func (r *reading) endsSpan(before *reading) bool {
	if !r.goesOnWith(before) || before.standing != Listed {
		return false
	}

	return daysLexicon()[closesSpan].phrases[strings.Join(plainTail(r.tail), " ")]
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
