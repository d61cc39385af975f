package guard

import "strings"

// longestToken bounds a token, in bytes on each side of its first digit.
const longestToken = 200

// token is a stretch of letters and digits, with marks inside, that holds a digit.
type token struct {
	start, end                         int
	text                               string
	digits, letters, slashes, dashes   int
	dots, underscores, colons, changes int // changes counts where letters turn to digits, or back
}

// tokenAt reads the token around the digit at byte i.
func tokenAt(text string, i int) token {
	t := token{start: i, end: i}
	for t.start > 0 && i-t.start < longestToken && tokenReaches(text, t.start-1) {
		t.start--
	}

	for t.end < len(text) && t.end-i < longestToken && tokenGoesOn(text, t.end) {
		t.end++
	}
	t.text = text[t.start:t.end]
	t.count()

	return t
}

// tokenReaches reports whether the byte at i is of the token that goes on behind it: a letter or digit, or a mark with
// one before it.
func tokenReaches(text string, i int) bool {
	return alphanumeric(text[i]) || i > 0 && inside(text[i]) && alphanumeric(text[i-1])
}

// tokenGoesOn reports whether the byte at i is of the token before it: a letter or digit, or a mark with one behind it.
// A colon joins only what follows: before a token it belongs to the word that announces it, "Ref:12".
func tokenGoesOn(text string, i int) bool {
	if alphanumeric(text[i]) {
		return true
	}
	mark := inside(text[i]) || text[i] == ':'

	return mark && i+1 < len(text) && alphanumeric(text[i+1])
}

// inside reports whether a mark joins the parts of a token.
func inside(c byte) bool { return c == '-' || c == '/' || c == '.' || c == '_' }

// tokenOf is the token of a text that is nothing else.
func tokenOf(text string) token {
	t := token{end: len(text), text: text}
	t.count()

	return t
}

func (t *token) count() {
	var last byte // 'd' or 'l'

	for i := range len(t.text) {
		switch c := t.text[i]; {
		case digit(c):
			t.digits++
			if last == 'l' {
				t.changes++
			}
			last = 'd'
		case alphanumeric(c):
			t.letters++
			if last == 'd' {
				t.changes++
			}
			last = 'l'
		case c == '/':
			t.slashes++
		case c == '-':
			t.dashes++
		case c == '.':
			t.dots++
		case c == '_':
			t.underscores++
		case c == ':':
			t.colons++
		}
	}
}

// marks counts what joins the parts of the token.
func (t *token) marks() int { return t.slashes + t.dashes + t.dots + t.underscores + t.colons }

// loose is a run of digits with blanks and marks between them.
type loose struct {
	end    int
	digit  [24]byte
	n      int
	blanks int
}

// looseAt reads the run of digits from byte i on.
func looseAt(text string, i int) (l loose) {
	for i < len(text) && l.n < len(l.digit) {
		if digit(text[i]) {
			l.digit[l.n] = text[i] - '0'
			l.n++
			i++
			l.end = i

			continue
		}

		j := i
		for j < len(text) && j-i < 2 && strings.IndexByte(" -.()/", text[j]) >= 0 {
			j++
		}
		// A mark at the end is that of the sentence.
		if j == i || j == len(text) || !digit(text[j]) {
			break
		}
		if text[i] == ' ' {
			l.blanks++
		}
		i = j
	}

	return l
}
