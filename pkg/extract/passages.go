package extract

import (
	"iter"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A passage holds at least passageLeast words where the text has that many left, and at most passageMost.
const (
	passageLeast = 80
	passageMost  = 200
)

// Passage is a window over whole paragraphs, or over whole sentences of a long one. Text is exactly the characters from
// CharStart to CharEnd of the body.
type Passage struct {
	Page      int // from 1; 0 when the file has no pages
	Paragraph int // of the body, from 1: the one that the passage begins in
	CharStart int // code points of the body
	CharEnd   int // exclusive
	Text      string
}

// Passages cuts the body of a document into passages, in order and without overlaps. It returns nothing when the text
// cannot be relied on.
func Passages(doc Document) []Passage {
	if !doc.Status.Readable() {
		return nil
	}

	w := window{text: doc.Text, starts: doc.PageStarts}
	for p := range paragraphs(doc.Text) {
		w.paragraph(p)
	}
	w.finish()

	return w.passages
}

// span is a stretch of the text in bytes.
type span struct {
	start, end, words int
	number            int // of the paragraph it belongs to
}

// window collects spans until they make a passage.
type window struct {
	text     string
	starts   []int
	passages []Passage
	held     []span
	words    int
	bytes    int // of text, up to which code points are counted
	chars    int
	last     span // that made the newest passage
}

// paragraph adds a paragraph, in pieces if it is longer than a passage.
func (w *window) paragraph(p span) {
	if p.words <= passageMost {
		w.add(p)
		return
	}
	if w.words >= passageLeast {
		w.close()
	}

	for _, piece := range sentences(w.text, p, passageMost-w.words) {
		w.add(piece)
	}
}

// add holds one span more; the passage ends before it when it has words enough or would get too many.
func (w *window) add(s span) {
	if w.words >= passageLeast || w.words+s.words > passageMost {
		w.close()
	}
	w.held = append(w.held, s)
	w.words += s.words
}

// close makes a passage of what is held.
func (w *window) close() {
	if len(w.held) == 0 {
		return
	}
	first, end := w.held[0], w.held[len(w.held)-1].end
	w.last = span{start: first.start, end: end, words: w.words, number: first.number}
	passage := Passage{
		Paragraph: first.number,
		CharStart: w.charAt(first.start),
		CharEnd:   w.charAt(end),
		Text:      w.text[first.start:end],
	}
	passage.Page = pageAt(w.starts, passage.CharStart)
	w.passages = append(w.passages, passage)
	w.held, w.words = w.held[:0], 0
}

// finish makes the last passage. A short rest joins the passage before it where there is room.
func (w *window) finish() {
	n := len(w.passages)
	if n == 0 || len(w.held) == 0 || w.words >= passageLeast || w.last.words+w.words > passageMost {
		w.close()
		return
	}
	end := w.held[len(w.held)-1].end
	w.passages[n-1].CharEnd = w.charAt(end)
	w.passages[n-1].Text = w.text[w.last.start:end]
}

// charAt turns a byte offset into one of code points; offsets only grow.
func (w *window) charAt(at int) int {
	w.chars += utf8.RuneCountInString(w.text[w.bytes:at])
	w.bytes = at

	return w.chars
}

// pageAt returns the page that holds a code point, 0 when there are no pages.
func pageAt(starts []int, char int) int {
	return sort.Search(len(starts), func(i int) bool { return starts[i] > char })
}

// Page returns the number, from 1, of the page that holds a code point of the text, or 0 when the file has no pages.
func (d Document) Page(char int) int { return pageAt(d.PageStarts, char) }

// paragraphs cuts a text at empty lines and before numbered paragraphs.
func paragraphs(text string) iter.Seq[span] {
	return func(yield func(span) bool) { cutParagraphs(text, yield) }
}

func cutParagraphs(text string, yield func(span) bool) {
	start, number := -1, 0

	flush := func(end int) bool {
		if start < 0 {
			return true
		}
		number++
		body := strings.TrimRightFunc(text[start:end], unicode.IsSpace)
		p := span{start: start, end: start + len(body), words: countWords(body), number: number}
		start = -1

		return yield(p)
	}
	for at := 0; at < len(text); {
		end := at + len(text[at:])
		if n := strings.IndexByte(text[at:], '\n'); n >= 0 {
			end = at + n
		}
		line := strings.TrimLeft(text[at:end], " \t")
		if (line == "" || numbered(line) && !wraps(text[:at])) && !flush(at) {
			return
		}
		if line != "" && start < 0 {
			start = end - len(line)
		}
		at = end + 1
	}
	flush(len(text))
}

// wraps reports whether the text before a line has a bracket open, so that the line goes on with it: "(as defined in
// Section" and then "8) will survive".
func wraps(before string) bool {
	near := before[max(0, len(before)-bracketReach):]

	return strings.LastIndexByte(near, '(') > strings.LastIndexByte(near, ')')
}

const bracketReach = 100 // bytes back to a bracket that is still open

// numbered reports whether a line begins a numbered paragraph, such as "12. On that day".
func numbered(line string) bool {
	digits := 0
	for digits < len(line) && line[digits] >= '0' && line[digits] <= '9' {
		digits++
	}
	if digits == 0 || digits > 3 || digits+1 >= len(line) {
		return false
	}
	mark, after := line[digits], line[digits+1]

	return (mark == '.' || mark == ')') && (after == ' ' || after == '\t')
}

func countWords(s string) int {
	n := 0
	for range strings.FieldsSeq(s) {
		n++
	}

	return n
}

// sentences cuts a long paragraph into pieces of whole sentences, and a sentence that is longer than a passage into
// runs of words. The first piece has at most room words.
func sentences(text string, p span, room int) []span {
	var list []span
	piece := span{start: p.start, number: p.number}
	// The last end of a sentence in the piece, and the words up to it.
	sentenceEnd, sentenceWords := p.start, 0

	flush := func(end, words int) {
		list = append(list, span{start: piece.start, end: end, words: words, number: p.number})
		piece.start, piece.words = skipBlank(text, end), piece.words-words
		sentenceEnd, sentenceWords, room = piece.start, 0, passageMost
	}
	for at := p.start; at < p.end; {
		end := at
		for end < p.end && !blank(text[end]) {
			end++
		}
		if piece.words >= room {
			if sentenceWords >= passageLeast {
				flush(sentenceEnd, sentenceWords)
			} else {
				flush(trimBlank(text, at), piece.words)
			}
		}
		piece.words++
		if endsSentence(text[at:end]) {
			sentenceEnd, sentenceWords = end, piece.words
		}
		at = skipBlank(text, end)
	}
	flush(p.end, piece.words)

	return list
}

func blank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' }

func skipBlank(text string, at int) int {
	for at < len(text) && blank(text[at]) {
		at++
	}

	return at
}

func trimBlank(text string, at int) int {
	for at > 0 && blank(text[at-1]) {
		at--
	}

	return at
}

// endsSentence reports whether a word ends a sentence; a short abbreviation such as "v." or "U.S." does not.
func endsSentence(word string) bool {
	word = strings.TrimRight(word, `"'”’)]`)
	if strings.HasSuffix(word, "?") || strings.HasSuffix(word, "!") || strings.HasSuffix(word, ";") {
		return true
	}
	stem, ok := strings.CutSuffix(word, ".")

	return ok && len(stem) > 3 && !strings.Contains(stem, ".")
}
