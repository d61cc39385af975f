package facts

import (
	"slices"
	"strings"
)

// auxiliaries are the verbs with which German says what was done; the participle stands behind the day.
var auxiliaries = []string{"ist", "sind", "war", "waren", "wurde", "wurden", "hat", "haben"}

const participleReach = 6 // words behind a day in which its participle is looked for

// behind reports whether the words behind the day say what was done on it: "ist am 28. August 2026 eingegangen".
func (r *reading) behind() bool {
	helped := slices.ContainsFunc(r.left, func(w string) bool { return slices.Contains(auxiliaries, w) })
	if !helped || r.aimed() || infinitive(r.right) {
		return false
	}
	if r.clock.End > 0 && r.hearing() {
		return false
	}
	done := daysLexicon()[behindWords]
	// Behind a comma German begins another clause, whose participle is its own.
	first, _, _ := strings.Cut(r.text[r.date.End:max(r.date.End, r.clause.End)], ",")
	comma := len(plainWords(first))

	for at, w := range r.right[:min(len(r.right), participleReach)] {
		if done.phrases[w] && !r.subordinate(at, comma) {
			return true
		}
	}

	return false
}

// subordinate reports whether the participle at a word behind the day says nothing of the day: "wie vereinbart",
// "die zugestellt ist" behind a comma, or what is still to be done, "geliefert wird". comma is the number of words
// before the first comma behind the day.
func (r *reading) subordinate(at, comma int) bool {
	if at > 0 && r.right[at-1] == "wie" {
		return true
	}
	if at+1 == len(r.right) {
		return false
	}
	// The verb at the end tells whether it was done or will be: "geliefert wird".
	next := r.right[at+1]

	return daysLexicon()[futureWords].phrases[next] || at >= comma && slices.Contains(auxiliaries, next)
}

// infinitive reports whether German words say what is to be done: "zu zahlen", "vorzulegen".
func infinitive(words []string) bool {
	for at, w := range words {
		if w == "zu" && at+1 < len(words) && strings.HasSuffix(words[at+1], "n") {
			return true
		}
		// German puts "zu" into separable verbs.
		if inner := strings.Index(w, "zu"); inner > 1 && strings.HasSuffix(w[inner+len("zu"):], "en") {
			return true
		}
	}

	return false
}

// recital reports whether the clause recites what was done before an order, "upon hearing counsel on May 4", and its
// own order does not fix the day.
func (r *reading) recital() bool {
	n := daysLexicon()[openingWords].leading(r.left)
	if n == 0 || r.aimed() || orders(r.left[n:]) {
		return false
	}
	if r.names(r.left[n:], appearWords) || daysLexicon()[lastDayWords].ends(r.tail) || r.forHearing() {
		return false
	}
	// The order stands behind the comma; where it is one for the day, the recital does not matter.
	_, main, ok := strings.Cut(r.text[r.clause.Start:r.date.Start], ",")

	return !ok || !orders(r.right) && !r.names(plainWords(main), hearingWords)
}

// orders reports whether words order or promise something, other than in a report: "was ordered to".
func orders(words []string) bool {
	at, _ := daysLexicon()[orderWords].last(words)
	return at == 0 || at > 0 && !slices.Contains(passives, words[at-1])
}

// aimed reports whether the day is one that something is moved to or fixed for: "to", "until", "be", "auf den".
func (r *reading) aimed() bool {
	words := r.tail
	if n := len(words); n > 1 && slices.Contains(articles, words[n-1]) {
		words = words[:n-1]
	}

	return daysLexicon()[aimingWords].ends(words) || len(words) > 0 && words[len(words)-1] == "as"
}

// articles may stand between such a word and the day; "for 9:30 a.m. on May 4" has its "on" there.
var articles = []string{"on", "el", "la", "spätestens"}

// named reports whether the day is that of a paper which the clause names besides, "may enter the judgment signed on
// May 4": its participle stands right behind the paper.
func (r *reading) named() bool {
	words := r.left
	if n := len(words); n > 0 && words[n-1] == "on" {
		words = words[:n-1]
	}
	n := len(words)
	if n < 2 || r.headed || !daysLexicon()[participleWords].phrases[words[n-1]] {
		return false
	}

	return daysLexicon()[madePapers].phrases[words[n-2]]
}

// passives are the verbs that report what was done when a participle follows.
var passives = []string{"was", "were", "been"}

// reported says what the day is when the words before it say that something was done, whatever it was: Done behind
// "the claim was presented on", nothing behind "the time was shortened to", and Listed when the words leave it open.
// duty is where the last word of an order stands among them.
func (r *reading) reported(before *reading, duty int) Standing {
	at := r.lastReport(before, duty)
	if at < 0 || r.aimed() {
		return ""
	}
	aim, _ := daysLexicon()[aimingWords].last(r.left[at:])

	switch hearing := r.hearing(); {
	case hearing && r.clock.End > 0, r.forHearing():
		return ""
	case aim < 0:
		return Done
	case hearing || duty >= 0:
		return ""
	case receives(r.left[at+aim:]):
		return Done
	}

	return Listed
}

// receives reports whether words name who or what something was given to, and then its day: "to the clerk on".
func receives(words []string) bool {
	n := len(words)
	if n < 3 || words[0] != "to" || words[n-1] != "on" {
		return false
	}

	return words[1][0] == '[' || slices.Contains(determiners, words[1])
}

// determiners begin the name of a person or a thing.
var determiners = []string{"the", "a", "an", "his", "her", "its", "their", "this", "that", "said", "all", "each"}

// lastReport returns where the last participle stands that says what was done, -1 when there is none. before is the
// day before it, whose sentence can go on: "was removed on May 4 and assigned on May 6".
func (r *reading) lastReport(before *reading, duty int) int {
	words, last := r.left, -1
	goesOn := before != nil && before.standing == Done && before.clause == r.clause
	if goesOn && len(words) > 1 && words[0] == "and" && participle(words[1]) {
		// "and assigned on May 6" goes on with the "was" of the day before.
		last = 1
	}

	for at := max(duty+1, len(words)-2*tailWords); at < len(words); at++ {
		if !slices.Contains(passives, words[at]) || r.toHaveBeen(at) {
			continue
		}

		next := at + 1
		// Adverbs may part the verb from its participle: "was duly served".
		for next < len(words) && strings.HasSuffix(words[next], "ly") {
			next++
		}
		if next < len(words) && participle(words[next]) {
			last = next
		}
	}

	return last
}

// toHaveBeen reports whether the verb at a word before the day is that of what was or is still to be done: "must have
// been filed", "is to have been served".
func (r *reading) toHaveBeen(at int) bool {
	if at < 2 || r.left[at] != "been" || r.left[at-1] != "have" {
		return false
	}

	return r.left[at-2] == "to" || r.modalBefore(at-1)
}

// participle reports whether a word says what was done, and does not fix another day: "was extended to May 4" does.
func participle(word string) bool {
	lists := daysLexicon()
	if lists[fixingWords].phrases[word] {
		return false
	}

	return len(word) > len("ed")+1 && strings.HasSuffix(word, "ed") || lists[irregularWords].phrases[word]
}
