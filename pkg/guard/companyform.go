package guard

import "github.com/subrosa-legal/subrosa/pkg/guard/internal/legalform"

// withForm returns where the legal form or the number ends that stands behind a private body: "Bank, Limited",
// "Local 999". It is end where there is none.
func (n *names) withForm(end int) int {
	if end == 0 || end >= len(n.words) {
		return end
	}
	if gap := n.text[n.words[end-1].end:n.words[end].start]; gap != ", " && gap != " " {
		return end
	}
	if next, form := n.formEnd(end); form != legalform.None {
		return next
	}
	if s := n.lowered(end); s == "local" || s == "lodge" || s == "committee" {
		return end + 1
	}

	return end
}

// formFollows reports whether the run of capitals goes on from word i to a sure legal form: "Harbor Company
// Foods, LLC".
func (n *names) formFollows(i int) bool {
	first := i
	for end := min(len(n.words), i+4); i < end && n.words[i].has(capitalised); i++ {
		gap := n.text[n.words[i-1].end:n.words[i].start]
		_, form := n.formEnd(i)
		if form == legalform.Sure {
			return gap == " " || gap == ", " && i > first
		}
		if gap != " " {
			return false
		}
	}

	return false
}

// formJoint reports whether word i may go on with the legal form before it: "Co., Ltd.", "GmbH & Co. KG".
func (n *names) formJoint(i int) bool {
	switch n.gap(i - 1) {
	case "", ",", ".", ".,", "&", "-", "/":
		return n.words[i].start-n.words[i-1].end <= 4
	}

	return false
}

// longestForm bounds the words of a legal form that is written with dots: "Sp. z o.o.".
const longestForm = 5

// formEnd returns where the longest legal form ends that begins with word f, 0 for none, and its class.
func (n *names) formEnd(f int) (end int, form legalform.Class) {
	// Many rules ask for the same word. A place that another word has taken costs a second look and no error.
	known := &n.forms[f%len(n.forms)]
	if known.word == f+1 {
		return known.end, known.form
	}
	var room [24]byte
	s := room[:0]

	for i := f; i < min(len(n.words), f+longestForm); i++ {
		w := &n.words[i]
		// No legal form is longer than the room.
		if len(s)+int(w.end-w.start) > len(room) || i > f && !n.dottedOn(i) {
			break
		}

		s = append(s, n.text[w.start:w.end]...)
		// The longest wins: "Co." begins "Co. Ltd.".
		if c := legalform.Of(string(s), i > f); c != legalform.None {
			end, form = i+1, c
		}
	}
	*known = formRead{f + 1, end, form}

	return end, form
}

// formRead is what formEnd has said of a word, whose number is one more here.
type formRead struct {
	word, end int
	form      legalform.Class
}

// dottedOn reports whether what stands before word i joins it to the abbreviation before: "S.p.A.", "Sp. z
// o.o.".
func (n *names) dottedOn(i int) bool {
	w, before := &n.words[i], &n.words[i-1]
	switch n.text[before.end:w.start] {
	case ".", "/", ". ":
		return true
	case " ":
		if w.end-w.start != 1 || i < 2 {
			return false
		}
		first := &n.words[i-2]

		return n.text[first.end] == '.' && before.start-first.end <= 2
	}

	return false
}
