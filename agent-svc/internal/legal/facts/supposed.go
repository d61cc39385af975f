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

	if said := r.underCondition(); said != "" {
		return said
	}
	verb := perfect(words)
	at, n := lists[orderedThat].last(words)
	if at >= 0 && verb >= at+n && r.maySuppose(words, at, words[at+n:verb]) {
		return Listed
	}
	// "It is a condition of this order that the statement was served on": the order can stand far from its "that".
	if at, n := lists[conditionalOn].last(words); at >= 0 && verb > at && slices.Contains(words[at:verb], "that") {
		if slices.Contains(words[at:at+n+1], "precedent") && hasBeen(words) {
			return LastDay
		}

		return Listed
	}

	return ""
}

// underCondition says what a day is that a condition holds whose clause goes on to the day, whatever stands between:
// "unless the bond, in the sum of $500, has been posted on". It is "" where none does.
func (r *reading) underCondition() Standing {
	lists := daysLexicon()
	start := sentenceStart(r.text, r.date.Start, clauseReach)
	parts := strings.FieldsFunc(r.text[start:r.date.Start], func(c rune) bool { return strings.ContainsRune(",;:", c) })

	for from := len(parts) - 1; from >= 0; from-- {
		first := plainWords(parts[from])

		at, n := conditionIn(first)
		if at < 0 {
			continue
		}
		words := plainWords(strings.Join(parts[from:], " "))
		condition := strings.Join(first[at:at+n], " ")
		behind := words[at+n:]
		except := lists[exceptWords].phrases[condition]
		told := perfect(behind) >= 0 || slices.ContainsFunc(behind, helps) || r.verbBehind()

		switch {
		case lists[emptyConditions].begins(first[at:]), ended(first[at+n:], parts[from+1:]):
			return ""
		case !told && (!except || r.standing != Done):
			return ""
		case except, slices.ContainsFunc(behind, denies), slices.ContainsFunc(r.behindDay(), denies):
			return LastDay
		case lists[essentialWords].phrases[condition] && hasBeen(behind):
			return LastDay
		}

		return Listed
	}

	return ""
}

// behindDay returns the words behind the day up to the end of its clause or a comma.
func (r *reading) behindDay() []string {
	first, _, _ := strings.Cut(r.text[r.date.End:max(r.date.End, r.clause.End)], ",")

	return plainWords(first)
}

// verbBehind reports whether German words behind the day end with the verb with which is told what was done: "gezahlt
// worden ist".
func (r *reading) verbBehind() bool {
	words := r.behindDay()
	last := len(words) - 1

	return last >= 0 && (helps(words[last]) || words[last] == "worden")
}

// ended reports whether a condition ends before the last of the parts that commas make: it has its verb already. A part
// without a verb, or with a clause of its own, is only put in: "unless the fee, which was set in May, was paid on".
func ended(first []string, rest []string) bool {
	if len(first) > 0 && (first[0] == "otherwise" || participle(first[0])) {
		return len(rest) > 0 // "unless otherwise noted, the exhibits were filed on"
	}

	for i, part := range rest {
		putIn := daysLexicon()[relativeWords].begins(first) || len(first) > 0 && first[0] == "as"
		if !putIn && slices.ContainsFunc(first, isVerb) {
			return true
		}
		// The last part leads to the day itself.
		if i+1 < len(rest) {
			first = plainWords(part)
		}
	}

	return false
}

// isVerb reports whether a word is one with which a condition can be complete.
func isVerb(word string) bool {
	return daysLexicon()[finiteVerbs].phrases[word] || helps(word) || slices.Contains(havings, word)
}

var havings = []string{"has", "have", "had", "does", "did"}

// denies reports whether a word says that something was not done.
func denies(word string) bool { return daysLexicon()[negationWords].phrases[word] }

// helps reports whether a word is a German verb with which is told what was done.
func helps(word string) bool { return slices.Contains(auxiliaries, word) }

// hasBeen reports whether the last perfect of words is one of the present, "has been paid".
func hasBeen(words []string) bool {
	at := perfect(words)
	if at < 1 || words[at] != "been" {
		return false
	}

	return words[at-1] == "has" || words[at-1] == "have" || words[at-1] == "not"
}

// undone reports whether a condition says of the day that something has not been done on it: "if the rent was not paid
// on May 4". In German the participle and its verb stand behind the day: "nicht am 4. Mai eingegangen ist".
func (r *reading) undone() bool {
	// Most days have no such word near them, and one look at each word saves reading the sentence.
	if !slices.ContainsFunc(r.left, denies) && !slices.ContainsFunc(r.right, denies) {
		return false
	}

	return r.underCondition() == LastDay
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
