// Package facts finds in the text of a legal document what can be found without understanding it: labels, dates, sums
// of money, demands, deadlines, citations, headings and set phrases, each with the place where it stands.
//
// All scanning is by hand, in time linear in the text, from anchors that are cheap to find. Spans are bytes of the
// text; a Ruler turns them into the code points in which sources are given. The package keeps no state and reads no
// clock.
package facts

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/subrosa-legal/subrosa/pkg/label"
	"github.com/subrosa-legal/subrosa/pkg/legaltext/abbreviation"
)

// Span is a stretch of a text in bytes, End exclusive.
type Span struct{ Start, End int }

// In returns the stretch of text.
func (s Span) In(text string) string { return text[s.Start:s.End] }

// MaxQuote is the longest quote of a source, in code points.
const MaxQuote = 600

// Fold joins the words of a text by single blanks: the form in which a quote is compared with what it quotes.
func Fold(text string) string { return strings.Join(strings.Fields(text), " ") }

// Ruler turns bytes of one text into code points.
type Ruler struct {
	text  string
	marks []int // code points before each multiple of stride
}

const stride = 4096 // bytes

// NewRuler measures a text.
func NewRuler(text string) *Ruler {
	r := &Ruler{text: text, marks: make([]int, 0, len(text)/stride+1)}

	chars := 0
	// A mark every few kilobytes makes each later question cheap without an index of the whole text.
	for at := 0; ; at += stride {
		r.marks = append(r.marks, chars)
		if at+stride > len(text) {
			return r
		}
		chars += leads(text[at : at+stride])
	}
}

// leads counts the code points that begin in s; a mark may fall within one. Like utf8.RuneCount it takes every stray
// byte for one.
func leads(s string) int {
	n := 0

	for i := range len(s) {
		// In UTF-8 every byte but the first of a character begins with the bits 10.
		if s[i]&0xC0 != 0x80 {
			n++
		}
	}

	return n
}

// Char returns how many code points stand before a byte of the text. The text must be valid UTF-8 and the byte the
// first of a code point.
func (r *Ruler) Char(at int) int {
	mark := min(at/stride, len(r.marks)-1)
	return r.marks[mark] + leads(r.text[mark*stride:at])
}

// Around returns the sentence that holds a span, or as much of it as a quote may hold: at most MaxQuote code points,
// whole words, the span within it unless the span alone is longer.
func Around(text string, s Span) Span {
	q := Span{sentenceStart(text, s.Start, sentenceReach), sentenceEnd(text, s.End, sentenceReach)}
	// The bound of the interface counts characters, while spans are bytes.
	if utf8.RuneCountInString(q.In(text)) > MaxQuote {
		q = squeeze(text, q, s)
	}

	return trim(text, q)
}

// Beginning returns as much of the beginning of a span as a quote may hold: whole words, at most MaxQuote code points.
func Beginning(text string, s Span) Span {
	end := forward(text, s.Start, MaxQuote)
	if end >= s.End {
		return s
	}

	for cut := end; cut > s.Start; cut-- {
		if isSpaceAt(text, cut-1) {
			return trim(text, Span{s.Start, cut})
		}
	}

	return Span{s.Start, end}
}

// squeeze cuts a sentence down to what a quote may hold: first its end, then its beginning.
func squeeze(text string, q, s Span) Span {
	// The span comes first; what room is left goes to both sides of it.
	room := MaxQuote - utf8.RuneCountInString(s.In(text))
	if room <= 0 {
		return Span{s.Start, forward(text, s.Start, MaxQuote)}
	}
	before := utf8.RuneCountInString(text[q.Start:s.Start])
	after := utf8.RuneCountInString(text[s.End:q.End])
	keepAfter := min(after, max(room/2, room-before))
	keepBefore := min(before, room-keepAfter)

	start, end := backward(text, s.Start, keepBefore), forward(text, s.End, keepAfter)
	for start > q.Start && start < s.Start && !isSpaceAt(text, start-1) {
		start++ // to the beginning of a word
	}

	for end < q.End && end > s.End && !isSpaceAt(text, end) {
		end-- // to the end of a word
	}

	return Span{start, end}
}

// isSpaceAt reports whether the byte at i is white space; only ASCII counts, which errs to the side of longer words.
func isSpaceAt(text string, i int) bool { return isSpace(text[i]) }

func forward(text string, at, chars int) int {
	for ; chars > 0 && at < len(text); chars-- {
		_, width := utf8.DecodeRuneInString(text[at:])
		at += width
	}

	return at
}

func backward(text string, at, chars int) int {
	for ; chars > 0 && at > 0; chars-- {
		_, width := utf8.DecodeLastRuneInString(text[:at])
		at -= width
	}

	return at
}

// trim takes white space off both ends.
func trim(text string, s Span) Span {
	inner := strings.TrimLeftFunc(s.In(text), unicode.IsSpace)
	s.Start = s.End - len(inner)
	s.End = s.Start + len(strings.TrimRightFunc(inner, unicode.IsSpace))

	return s
}

const sentenceReach = 1200 // bytes that are searched for the end of a sentence, to either side

// mostOfAKind bounds how many facts of one kind are kept of one text, so that no text can fill the memory.
const mostOfAKind = 50_000

// sentenceStart returns where the sentence that holds the byte at begins, at most reach bytes before it.
func sentenceStart(text string, at, reach int) int {
	far := max(0, at-reach)
	for i := at; i > far; i-- {
		if sentenceBreak(text, i) {
			return i
		}
	}

	// A cut by bytes must not fall within a character.
	for far < at && text[far]&0xC0 == 0x80 {
		far++
	}

	return far
}

// sentenceEnd returns where the sentence ends that holds the byte before at, at most reach bytes behind it.
func sentenceEnd(text string, at, reach int) int {
	far := min(len(text), at+reach)
	for i := at; i < far; i++ {
		if i > 0 && sentenceBreak(text, i) {
			return i
		}
	}

	// A cut by bytes must not fall within a character.
	for far > at && far < len(text) && text[far]&0xC0 == 0x80 {
		far--
	}

	return far
}

// sentenceBreak reports whether a sentence ends before byte i: at an empty line, or at a blank after a full stop that
// is not one of an abbreviation.
func sentenceBreak(text string, i int) bool {
	switch c := text[i-1]; {
	case c == '\f':
		return true
	case c == '\n' && i >= 2 && text[i-2] == '\n':
		return true
	case !isSpace(c) || i < 3:
		return false
	}

	end := i - 1
	// Closing marks of a quotation or of brackets stand behind the stop.
	for end > 0 && (text[end-1] == '"' || text[end-1] == ')' || text[end-1] == '\'') {
		end--
	}
	if end == 0 || end < i-3 {
		return false
	}

	switch text[end-1] {
	case '?', '!', ';':
		return true
	case '.':
		return !stopOfAbbreviation(text, end-1) && !lowerAt(text, i)
	}

	return false
}

func lowerAt(text string, i int) bool { return i < len(text) && text[i] >= 'a' && text[i] <= 'z' }

// stopOfAbbreviation reports whether the full stop at byte i follows a short or dotted word, such as "v.", "No." or
// "U.S.", or a lone number, as at the head of a numbered paragraph.
func stopOfAbbreviation(text string, i int) bool {
	start := i
	for start > 0 && i-start < 12 && !isSpace(text[start-1]) && text[start-1] != '(' {
		start--
	}
	word := text[start:i]
	// An hour ends a sentence as often as not, so the next word decides.
	if strings.EqualFold(word, "a.m") || strings.EqualFold(word, "p.m") {
		return !opensBehindHour(text, i+1)
	}
	if strings.Contains(word, ".") || len(word) <= 1 {
		return true
	}

	if abbreviation.Is(word, text[i+1:]) {
		return true
	}

	return len(word) <= 3 && strings.Trim(word, "0123456789") == "" && headsEntry(text, start)
}

// headsEntry reports whether a number at byte i stands at the head of a line or behind the end of a sentence, as that
// of a paragraph does: "on July 11. The insurer" has two sentences.
func headsEntry(text string, i int) bool {
	at := i
	for at > 0 && (text[at-1] == ' ' || text[at-1] == '\t') {
		at--
	}

	return at == 0 || strings.IndexByte("\n\r\f.:;)(#-*>|§", text[at-1]) >= 0
}

func isSpace(c byte) bool {
	switch c {
	case ' ', '\n', '\t', '\r', '\f':
		return true
	}

	return false
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isUpper(c byte) bool { return c >= 'A' && c <= 'Z' }

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || isUpper(c) }

// isWord reports whether a byte belongs to a word; bytes beyond ASCII do.
func isWord(c byte) bool { return isLetter(c) || isDigit(c) || c >= utf8.RuneSelf }

// wordBefore reports whether a word goes on into byte i from the left.
func wordBefore(text string, i int) bool { return i > 0 && isWord(text[i-1]) }

// wordGoesOn reports whether a word goes on at byte i.
func wordGoesOn(text string, i int) bool { return i < len(text) && isWord(text[i]) }

const maxBlank = 4 // characters of white space that may part the words of one fact

// blanks returns the end of the white space at byte i, which may be none. ok is false when there is too much of it for
// the words on both sides to belong together.
func blanks(text string, i int) (end int, ok bool) {
	end = i
	for n := 0; end < len(text); n++ {
		switch {
		case n > maxBlank:
			return end, false
		case isSpace(text[end]):
			end++
		case strings.HasPrefix(text[end:], "\u00a0"):
			end += len("\u00a0")
		default:
			return end, true
		}
	}

	return end, true
}

// number reads at most most digits at byte i. ok is false when there is none or there are more.
func number(text string, i, most int) (n, end int, ok bool) {
	end = i
	for end < len(text) && isDigit(text[end]) {
		// A longer number is something else, so not even its first digits are taken.
		if end-i == most {
			return 0, end, false
		}
		n = n*10 + int(text[end]-'0')
		end++
	}

	return n, end, end > i
}

// wordAt returns the end of the run of ASCII letters at byte i.
func wordAt(text string, i int) int {
	for i < len(text) && isLetter(text[i]) {
		i++
	}

	return i
}

// foldedPrefix reports whether text at byte i begins with word, which is in lower case, in any case of ASCII letters.
func foldedPrefix(text string, i int, word string) bool {
	return len(text)-i >= len(word) && strings.EqualFold(text[i:i+len(word)], word)
}

// bytesOf returns a table of the bytes that may begin a fact, by which a scanner passes over all others.
func bytesOf(anchors string) (table [256]bool) {
	for i := range len(anchors) {
		table[anchors[i]] = true
	}

	return table
}

// anchored returns where the next byte of the table stands, from byte i on.
func anchored(text string, i int, table *[256]bool) int {
	// Four bytes a turn: this loop is most of the time of all scanners.
	for ; i+4 <= len(text); i += 4 {
		if table[text[i]] || table[text[i+1]] || table[text[i+2]] || table[text[i+3]] {
			break
		}
	}

	for i < len(text) && !table[text[i]] {
		i++
	}

	return i
}

const digits = "0123456789"

// opensBehindHour reports whether a sentence begins behind the full stop of "9:00 a.m.": a word with a capital that is
// no time zone, day, month or room, or a label that can be a subject.
func opensBehindHour(text string, i int) bool {
	at, ok := blanks(text, i)
	if !ok || at == i || at >= len(text) {
		return false
	}
	// An address or a date goes on with the hour; a person begins a sentence.
	if l, _, ok := label.At(text, at); ok {
		return l.Kind != "Address" && l.Kind != "Url" && l.Kind != "Date"
	}
	if !isUpper(text[at]) {
		return false
	}
	word := text[at:wordAt(text, at)]
	if len(word) > 1 && isUpper(word[1]) || hasSign(word, placeSigns[:]) || hasSign(word, daySigns[:]) {
		return false
	}

	return !slices.Contains(behindHour, word) && (len(word) > 1 || word == "A")
}

// behindHour are words with a capital that can follow an hour within its sentence.
var behindHour = []string{
	"Eastern", "Central", "Mountain", "Pacific", "Atlantic", "Greenwich", "British", "Standard", "Daylight", "Zoom",
	"Judge", "Part", "Suite", "Level", "January", "February", "March", "April", "May", "June", "July", "August",
	"September", "October", "November", "December",
}
