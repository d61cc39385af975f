package extract

import (
	"bytes"
	"encoding/binary"
	"slices"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Span is a stretch of bytes, its end exclusive.
type Span struct{ Start, End int }

// Source turns spans of the Text of a plain-text file into spans of the bytes that the file was read from: line ends,
// blanks, a byte order mark and uncomposed letters are counted as they were sent. Each span begins and ends at a
// character that shows. ok is false if text was not read from data.
//
// Cleaning changes only what does not show, and composes letters. So the characters that show stand in the same order
// in both, and a place is found by counting them.
func Source(data []byte, text string, spans []Span) (out []Span, ok bool) {
	// How many characters show before each start and end.
	places := make([]int, 0, 2*len(spans))
	for _, s := range spans {
		if s.Start < 0 || s.End > len(text) || s.Start >= s.End {
			return nil, false
		}
		places = append(places, s.Start, s.End)
	}
	sorted := slices.Clone(places)
	slices.Sort(sorted)

	shown, n, next := make(map[int]int, len(sorted)), 0, 0
	for i, r := range text {
		for ; next < len(sorted) && sorted[next] <= i; next++ {
			shown[sorted[next]] = n
		}
		if shows(r) {
			n++
		}
	}

	for ; next < len(sorted); next++ {
		shown[sorted[next]] = n
	}

	w := sourceWalk{starts: map[int]int{}, ends: map[int]int{}}
	for i := 0; i < len(places); i += 2 {
		w.starts[shown[places[i]]] = 0
		w.ends[shown[places[i+1]]-1] = 0
	}
	w.run(data)
	if w.count != n {
		return nil, false
	}

	for i := 0; i < len(places); i += 2 {
		out = append(out, Span{w.starts[shown[places[i]]], w.ends[shown[places[i+1]]-1]})
	}

	return out, true
}

// shows reports whether a character of a cleaned text is one that is counted.
func shows(r rune) bool { return !white(r) && !invisible(r) }

// white reports whether a character is a blank or ends a line or a page.
func white(r rune) bool {
	switch r {
	case '\n', '\t', '\r', '\v', pageBreak, 0x85, 0x2028, 0x2029:
		return true
	}

	return unicode.Is(unicode.Zs, r)
}

// sourceWalk counts the characters of a file that show, and notes where those that are asked for begin and end.
type sourceWalk struct {
	starts, ends map[int]int // by the number of the character
	count        int
	letter       []byte // a letter and its marks, which may be composed to one character
	from, to     int    // the bytes of the file that letter stands in
}

func (w *sourceWalk) run(data []byte) {
	var order binary.ByteOrder
	at := 0

	switch {
	case bytes.HasPrefix(data, []byte("\xff\xfe")):
		order, at = binary.LittleEndian, 2
	case bytes.HasPrefix(data, []byte("\xfe\xff")):
		order, at = binary.BigEndian, 2
	case bytes.HasPrefix(data, []byte("\ufeff")):
		at = 3
	}

	for at < len(data) {
		r, width := runeAt(data[at:], order)
		w.take(r, at, width)
		at += width
	}
	w.flush()
}

// runeAt returns the first character of data, which is UTF-8, or UTF-16 if an order is given.
func runeAt(data []byte, order binary.ByteOrder) (rune, int) {
	if order == nil {
		return utf8.DecodeRune(data)
	}
	if len(data) < 2 {
		return utf8.RuneError, len(data)
	}
	r := rune(order.Uint16(data))
	if utf16.IsSurrogate(r) && len(data) >= 4 {
		if pair := utf16.DecodeRune(r, rune(order.Uint16(data[2:]))); pair != utf8.RuneError {
			return pair, 4
		}
	}

	return r, 2
}

// take counts the character at byte at.
func (w *sourceWalk) take(r rune, at, width int) {
	switch {
	case white(r):
		w.flush()
		return
	case invisible(r):
		return
	}
	var room [utf8.UTFMax]byte
	form := room[:utf8.EncodeRune(room[:], r)]
	if len(w.letter) > 0 && norm.NFC.Properties(form).BoundaryBefore() {
		w.flush()
	}
	if len(w.letter) == 0 {
		w.from = at
	}
	if s := ligature(r); s != "" {
		form = []byte(s)
	}
	w.letter = append(w.letter, form...)
	w.to = at + width
}

// flush counts a letter with its marks as the characters that it is composed to.
func (w *sourceWalk) flush() {
	if len(w.letter) == 0 {
		return
	}

	for range utf8.RuneCount(norm.NFC.Bytes(w.letter)) {
		if _, asked := w.starts[w.count]; asked {
			w.starts[w.count] = w.from
		}
		if _, asked := w.ends[w.count]; asked {
			w.ends[w.count] = w.to
		}
		w.count++
	}
	w.letter = w.letter[:0]
}
