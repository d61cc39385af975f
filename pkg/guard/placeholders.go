package guard

import "strings"

// placeholders takes the names of many whom nobody knows yet out of suspicion: "John Does 1-10", "Jane and John Does".
// One Jane Doe stays a person, since people are called so, and so does one John Does of whom no number is told.
func (n *names) placeholders() {
	for _, i := range n.large[n.opens:] {
		w := &n.words[i]
		if w.end-w.start != 4 || !w.has(capitalised) || n.lowered(i) != "does" {
			continue
		}

		first := i
		for first > max(0, i-3) && placeholderWords.has(n.lowered(first-1)) && n.oneBlank(first-1) {
			first--
		}
		if i-first < 3 && !n.numberedDoes(i) {
			continue
		}

		for k := first; k < i; k++ {
			if n.words[k].has(capitalised) {
				n.words[k].shape = n.words[k].shape&^capitalised | quotedLaw
				w.shape = w.shape&^capitalised | quotedLaw
			}
		}
	}
}

var placeholderWords = setOf(`john jane and or`)

// oneBlank reports whether one blank stands between word i and the next.
func (n *names) oneBlank(i int) bool { return n.text[n.words[i].end:n.words[i+1].start] == " " }

// numberedDoes reports whether a number stands behind word i, or another such name: "John Does 1-10", "John Does I
// through X", "John Does and Jane Does 1-5".
func (n *names) numberedDoes(i int) bool {
	rest := strings.TrimLeft(n.text[n.words[i].end:], " (#")
	if rest != "" && digit(rest[0]) && n.text[n.words[i].end] == ' ' {
		return true
	}
	roman := strings.TrimLeft(rest, "IVXL")
	if len(roman) < len(rest) {
		roman = strings.TrimLeft(roman, " ")

		for _, to := range []string{"-", "\u2013", "through ", "to "} {
			if strings.HasPrefix(roman, to) {
				return true
			}
		}

		return false
	}
	next := i + 1
	if next < len(n.words) && placeholderWords.has(n.lowered(next)) && !n.words[next].has(capitalised) {
		next++ // and
	}

	return next+1 < len(n.words) && n.words[next].has(capitalised) && placeholderWords.has(n.lowered(next)) &&
		doeNames.has(n.lowered(next+1))
}

var doeNames = setOf(`doe does roe roes`)
