package facts

import (
	"slices"
	"strings"
)

// auxiliaries are the verbs with which German says what was done; the participle stands behind the day.
var auxiliaries = []string{"ist", "sind", "war", "waren", "wurde", "wurden", "hat", "haben"}

// behind reports whether the words behind the day say what was done on it: "ist am 28. August 2026 eingegangen".
func (r *reading) behind() bool {
	helped := slices.ContainsFunc(r.left, func(w string) bool { return slices.Contains(auxiliaries, w) })
	if !helped || len(r.right) == 0 {
		return false
	}

	done := daysLexicon()[behindWords]

	return slices.ContainsFunc(r.right[:min(len(r.right), 6)], func(w string) bool { return done.phrases[w] })
}

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

// reported reports whether the words before the day say that something was done on it, whatever it was: "the claim was
// presented on". duty is where the last word of an order stands among them. before is the day before it, whose sentence
// can go on: "was removed on May 4 and assigned on May 6".
func (r *reading) reported(before *reading, duty int) bool {
	words := r.left
	goesOn := before != nil && before.standing == Done && before.clause == r.clause
	if goesOn && len(words) > 1 && words[0] == "and" && participle(words[1]) {
		return true
	}

	for at := max(duty+1, len(words)-2*tailWords); at < len(words); at++ {
		if !slices.Contains(passives, words[at]) {
			continue
		}

		next := at + 1
		for next < len(words) && strings.HasSuffix(words[next], "ly") {
			next++
		}
		if next < len(words) && participle(words[next]) {
			return true
		}
	}

	return false
}

// participle reports whether a word says what was done, and does not fix another day: "was extended to May 4" does.
func participle(word string) bool {
	lists := daysLexicon()
	if lists[fixingWords].phrases[word] {
		return false
	}

	return len(word) > len("ed")+1 && strings.HasSuffix(word, "ed") || lists[irregularWords].phrases[word]
}
