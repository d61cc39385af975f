package facts

import (
	"slices"
	"strings"
)

// supposed says what a day is of which the words tell as done, and which a condition or an order holds: LastDay only
// where something is lost without it, "unless the reply has been filed on May 4"; Listed where it may as well be a
// fact, "if you were served on May 4, you must answer". It is "" for a plain report.
func (r *reading) supposed() Standing {
	lists := daysLexicon()
	words := plainWords(r.segment())
	// German opens a condition with its verb: "Ist die Zahlung nicht am 4. Mai eingegangen, so …".
	if len(words) > 0 && slices.Contains(auxiliaries, words[0]) && r.secondClause() {
		if slices.Contains(words, "nicht") {
			return LastDay
		}

		return Listed
	}

	verb := perfect(words)
	// The condition holds the day where its verb, and no other clause, stands between the two.
	at, n := conditionIn(words)
	if at >= 0 && verb > at && !r.names(words[at+n:], relativeWords) {
		if lists[exceptWords].phrases[strings.Join(words[at:at+n], " ")] {
			return LastDay
		}

		return Listed
	}
	at, n = lists[orderedThat].last(words)
	if at >= 0 && verb >= at+n && r.maySuppose(words, at, words[at+n:verb]) {
		return Listed
	}
	// "It is a condition of this order that the statement was served on": the order can stand far from its "that".
	if at, _ := lists[conditionalOn].last(words); at >= 0 && verb > at && slices.Contains(words[at:verb], "that") {
		return Listed
	}

	return ""
}

// conditionIn returns where the last condition of words stands, and how many words it has; -1 when there is none. "The
// list provided was served" and "the court should have known" set none.
func conditionIn(words []string) (at, n int) {
	for end := len(words); end > 0; end = at {
		at, n = daysLexicon()[conditionWords].last(words[:end])
		if at <= 0 || n > 1 {
			return at, n
		}
		if daysLexicon()[exceptWords].phrases[words[at-1]+" "+words[at]] {
			return at - 1, n + 1
		}
		if words[at] != "provided" && words[at] != "should" {
			return at, n
		}
	}

	return -1, 0
}

// maySuppose reports whether the order at a word of a sentence can hold the perfect that stands behind the words
// between. It does not where somebody only asks for it, where another verb stands between, or a relative clause:
// "ordered that the judgment that was entered on May 4 is vacated", "the order that the judge signed was served".
func (r *reading) maySuppose(words []string, at int, between []string) bool {
	named := at > 0 && words[at] == "order" && slices.Contains(determiners, words[at-1])
	if named || len(between) == 0 {
		return false
	}

	return !r.names(words[:at], askingWords) && !r.names(between, finiteVerbs) && !r.names(between, relativeWords)
}

// segment returns the words of the sentence before the day from the last mark on that parts clauses.
func (r *reading) segment() string {
	before := r.text[sentenceStart(r.text, r.date.Start, clauseReach):r.date.Start]
	if at := strings.LastIndexAny(before, ",;:"); at >= 0 && len(plainWords(before[at:])) > 2 {
		return before[at+1:]
	}

	return before
}

// perfect returns where the last verb stands that says that something was or has been done, -1 when none does.
func perfect(words []string) int {
	for at, w := range slices.Backward(words) {
		if slices.Contains(passives, w) {
			return at
		}
	}

	return -1
}

// secondClause reports whether another clause follows behind the day and a comma.
func (r *reading) secondClause() bool {
	end := sentenceEnd(r.text, r.date.End, clauseReach)

	return strings.Contains(r.text[r.date.End:max(r.date.End, end)], ",")
}
