package runs

import (
	"strings"
	"unicode/utf8"
)

const (
	maxChunk   = 4 << 10 // bytes of one delta
	wantChunk  = 256     // bytes after which a delta ends at the next paragraph
	labelReach = 24      // bytes from "[" within which a label ends
)

// chunks cuts text into the deltas of a stream. They add up to text, none splits a character or a label, and they end
// where a reader pauses: after a paragraph, a line, a word.
func chunks(text string) []string {
	var all []string

	for len(text) > 0 {
		n := cut(text)
		all = append(all, text[:n])
		text = text[n:]
	}

	return all
}

func cut(text string) int {
	if len(text) <= wantChunk {
		return len(text)
	}
	limit := min(len(text), maxChunk)
	// A short delta costs a whole event, so a paragraph that ends early does not end the delta.
	if i := strings.Index(text[wantChunk:limit], "\n\n"); i >= 0 {
		return outside(text, wantChunk+i+2)
	}
	if limit == len(text) {
		return limit
	}

	// The last pause counts: the longest delta that ends where a reader pauses.
	for _, pause := range []string{"\n", ". ", " "} {
		if i := strings.LastIndex(text[:limit], pause); i >= wantChunk {
			return outside(text, i+len(pause))
		}
	}

	return outside(text, limit)
}

// outside moves a cut back to before a label or character that it would split.
func outside(text string, n int) int {
	// A client shows each delta as it comes, so half a character would show as a replacement character.
	for n > 0 && n < len(text) && !utf8.RuneStart(text[n]) {
		n--
	}
	if n == len(text) {
		return n
	}
	// A label that comes in two halves would be shown as text before its name can be put in its place.
	open := strings.LastIndexByte(text[:n], '[')
	if open <= 0 || n-open >= labelReach || strings.IndexByte(text[open:n], ']') >= 0 {
		return n
	}

	return open
}
