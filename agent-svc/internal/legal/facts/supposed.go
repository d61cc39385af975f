package facts

import (
	"slices"
	"strings"
)

// supposed says what a day is of which the words tell as done, and which a condition or an order holds: LastDay where
// something hangs on it, "unless the reply has been filed on May 4" and "ordered that the replies were filed on May 4";
// Listed where it may as well be a fact, "if you were served on May 4, you must answer". It is "" for a plain report.
func (r *reading) supposed() Standing {
	words := plainWords(r.segment())
	lists := daysLexicon()
	verb := r.perfect(words)

	at, n := lists[conditionWords].last(words)
	// "The list provided was served on" sets no condition.
	if at > 0 && n == 1 && words[at] == "provided" {
		at = -1
	}
	// The condition holds the day where its verb, and no other clause, stands between the two.
	if at >= 0 && verb > at && !relative(words[at+n:]) {
		if slices.Contains(onlyIf, words[at]) {
			return Listed
		}

		return LastDay
	}
	at, n = lists[orderedThat].last(words)
	if at >= 0 && verb > at && !relative(words[at+n:]) {
		// What parties agree on can be a fact as well as a duty.
		if words[at] == "agreed" {
			return Listed
		}

		return LastDay
	}
	// German opens a condition with its verb: "Ist die Zahlung nicht am 4. Mai eingegangen, so …".
	if len(words) > 0 && slices.Contains(auxiliaries, words[0]) && r.secondClause() {
		return LastDay
	}
	// "It is a condition of this order that the statement was served on": the order can stand far from its "that".
	if at, _ := lists[conditionalOn].last(words); at >= 0 && verb > at && slices.Contains(words[at:verb], "that") {
		return LastDay
	}

	return ""
}

// onlyIf are conditions that also begin instructions and arguments, "if you were served on".
var onlyIf = []string{"if", "in", "wenn", "falls", "sofern"}

// segment returns the words of the sentence before the day from the last mark on that parts clauses.
func (r *reading) segment() string {
	before := r.text[sentenceStart(r.text, r.date.Start, clauseReach):r.date.Start]
	if at := strings.LastIndexAny(before, ",;:"); at >= 0 && len(plainWords(before[at:])) > 2 {
		return before[at+1:]
	}

	return before
}

// perfect returns where the last verb stands that says that something was or has been done, -1 when none does.
func (r *reading) perfect(words []string) int {
	for at, w := range slices.Backward(words) {
		if slices.Contains(passives, w) {
			return at
		}
	}

	return -1
}

// relative reports whether a relative clause tells of the day, which no condition or order reaches: "ordered that the
// judgment that was entered on May 4 is vacated".
func relative(words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool {
		return slices.Contains([]string{"which", "who", "whom", "whose", "that"}, w)
	})
}

// secondClause reports whether another clause follows behind the day and a comma.
func (r *reading) secondClause() bool {
	end := sentenceEnd(r.text, r.date.End, clauseReach)

	return strings.Contains(r.text[r.date.End:max(r.date.End, end)], ",")
}
