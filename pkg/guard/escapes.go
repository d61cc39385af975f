package guard

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// An escape is a character as a program writes it: %20, =20, &nbsp;, \u0020, a plus in a query. Whoever reads the text
// reads the character, and so do the rules: "jane%20roe" is judged as "jane roe".

// mostLayers bounds how often what was escaped is read once more: "%2520" is "%20", and that is a blank.
const mostLayers = 6

// readView returns the view of a text with its escapes read.
func readView(text string) view {
	v := newView(text)
	for layer := 0; ; layer++ {
		bare := withoutEscapes(v.text)
		if bare.pieces == nil {
			return v
		}
		// No program escapes so often. Whoever does hides something.
		if layer == mostLayers {
			at := int(bare.pieces[1].from)
			v.hidden = append(v.hidden, toGiven(&v, []span{{at, at + 1, kindHidden, ruleEncoded}})...)

			return v
		}

		outer := v
		bare.under = &outer
		v = newView(bare.text)
		v.under = &bare
		// What was hidden is told in bytes of the text as given.
		v.hidden = append(append(outer.hidden, toGiven(&outer, bare.hidden)...), toGiven(&bare, v.hidden)...)
	}
}

// toGiven maps finds in a view to the text as given.
func toGiven(v *view, found []span) []span {
	for i := range found {
		found[i].start, found[i].end = v.start(found[i].start), v.end(found[i].end)
	}

	return found
}

// escapeSigns are the bytes with which an escape begins.
var escapeSigns = stopsAt(func(c byte) bool { return strings.IndexByte(`%&=\+`, c) >= 0 })

// fewestEscaped letters or digits in a row of escapes hide something: programs escape signs and blanks.
const fewestEscaped = 2

// withoutEscapes returns the view of a text in which each escape is the character that it stands for. It has no pieces
// where there is none.
func withoutEscapes(text string) (v view) {
	var out []byte
	copied, first, letters := 0, 0, 0
	e := escape{text: text, last: -1}

	for i := escapeSigns.after(text, 0); i < len(text); i = escapeSigns.after(text, i) {
		r, end := e.read(i)
		if end <= i {
			i++
			continue
		}
		out = append(out, text[copied:i]...)
		v.pieces = append(v.pieces, piece{int32(len(out)), int32(i), false})

		if e.last != i {
			first, letters = i, 0
		}
		if r != softBreak {
			out = utf8.AppendRune(out, r)
		}
		if r >= 0 && r < utf8.RuneSelf && alphanumeric(byte(r)) {
			if letters++; letters == fewestEscaped {
				v.hidden = append(v.hidden, span{first, end, kindHidden, ruleEncoded})
			}
		}
		if letters >= fewestEscaped {
			v.hidden[len(v.hidden)-1].end = end
		}
		i, copied, e.last = end, end, end
		v.pieces = append(v.pieces, piece{int32(len(out)), int32(i), true})
	}
	if v.pieces != nil {
		v.pieces = append([]piece{{straight: true}}, v.pieces...)
		v.length = len(text)
		v.text = string(append(out, text[copied:]...))
	}

	return v
}

// softBreak stands for the end of a line that is none: quoted-printable breaks lines anywhere.
const softBreak = -1

// escape reads the escapes of a text.
type escape struct {
	text string
	last int // the end of the one before
}

// escapeForms are the forms in which programs write a character as a number, those with the longer marks first.
var escapeForms = []numberForm{
	{`%u`, "", 16, 4, 4},
	{`%`, "", 16, 2, 2},
	{`=`, "", 16, 2, 2},
	{`&#x`, "", 16, 1, 7},
	{`&#`, "", 10, 1, 7},
	{`\u{`, "}", 16, 1, 7},
	{`\u`, "", 16, 8, 8},
	{`\u`, "", 16, 4, 4},
	{`\x{`, "}", 16, 1, 7},
	{`\x`, "", 16, 2, 2},
	{`\'`, "", 16, 2, 2},
	{`\0`, "", 8, 2, 2},
	{`\`, "", 16, 2, 6}, // the last is of style sheets
}

// read returns what the escape at byte i stands for, and its end, 0 for none.
func (e *escape) read(i int) (r rune, end int) {
	at := i
	// What is escaped for several programs has several backslashes.
	for at-i < mostBackslashes && strings.HasPrefix(e.text[at:], `\\`) {
		at++
	}

	for _, f := range escapeForms {
		if r, end = e.number(at, f); end > at && e.meant(i, end, r, f) {
			return r, end
		}
	}

	switch e.text[i] {
	case '&':
		return e.reference(i)
	case '=':
		rest := strings.TrimPrefix(e.text[i+1:], "\r")
		if end = len(e.text) - len(rest) + 1; strings.HasPrefix(rest, "\n") && (e.last == i || e.letter(i-1)) {
			return softBreak, end
		}
	case '\\':
		return e.control(at + 1)
	case '+': // a blank between words and in queries, and none in "A+B" and "C++"
		if e.inQuery(i) || e.wordEnds(i) && e.letter(i+1) && e.letter(i+2) {
			return ' ', i + 1
		}
	}

	return 0, 0
}

// mostBackslashes bounds those before one escape.
const mostBackslashes = 8

// longestQuery bounds how far behind the question mark of an address a plus is a blank, in bytes.
const longestQuery = 200

// inQuery reports whether byte i is in the query of an address.
func (e *escape) inQuery(i int) bool {
	before := e.text[max(0, i-longestQuery):i]
	mark := strings.LastIndexAny(before, " ?")

	return mark >= 0 && before[mark] == '?'
}

// wordEnds reports whether a word of two letters or more ends before byte i.
func (e *escape) wordEnds(i int) bool { return e.letter(i-2) && e.letter(i-1) }

// letter reports whether byte i is part of a letter.
func (e *escape) letter(i int) bool {
	return i >= 0 && i < len(e.text) && wordByte(e.text[i]) && !digit(e.text[i])
}

// number reads the character that is written in a form at byte i, and returns its end, i for none. Two digits are a
// byte of UTF-8, or else one of Latin-1 between letters.
func (e *escape) number(i int, f numberForm) (r rune, end int) {
	var room [utf8.UTFMax]byte
	r, end = f.figures(e.text, i)
	octet := f.most == 2 && r >= utf8.RuneSelf
	value, at := r, end

	for n := 0; octet && n < len(room) && at > i; n++ {
		room[n] = byte(value)
		if whole, size := utf8.DecodeRune(room[:n+1]); size == n+1 && whole != utf8.RuneError {
			return whole, at
		}
		value, at = f.figures(e.text, at)
	}

	if octet && !(e.letter(i-1) && e.letter(end)) || !utf8.ValidRune(r) {
		return 0, i
	}
	if unicode.IsControl(r) && r != '\n' && f.base != 8 {
		r = ' ' // it parts words as a blank does
	}
	// What may close a form stands behind it in references of HTML and in style sheets.
	closed := byte(';')
	if f.most == 6 {
		closed = ' '
	}
	if mayClose := f.most > 4 && f.suffix == ""; mayClose && end < len(e.text) && e.text[end] == closed {
		end++
	}

	return r, end
}

// meant reports whether what could be an escape from byte i to byte end is one, and no amount, no setting and no path.
func (e *escape) meant(i, end int, r rune, f numberForm) bool {
	amount := r < utf8.RuneSelf && alphanumeric(byte(r)) // or a setting

	switch f.prefix {
	case "%": // "10%20%"
		return !amount || e.last == i || i == 0 || !digit(e.text[i-1])
	case "\\", `\0`: // "\1" of patterns; 0x40 is a blank in octal digits
		return unicode.IsSpace(r) || r == '@'
	case "=":
		if end-i > 3 || e.last == i || e.quotedAt(end) {
			return true // of several bytes, or one of several
		}

		return e.text[i+1] < 'a' && e.behindWord(i) && e.quoted(i, end, amount)
	}

	return true
}

// behindWord reports whether a word or what belongs to one ends before byte i.
func (e *escape) behindWord(i int) bool {
	return i > 0 && (wordByte(e.text[i-1]) || strings.IndexByte(",.:;", e.text[i-1]) >= 0)
}

// quoted reports whether what could be one character of quoted-printable behind a word is one.
func (e *escape) quoted(i, end int, amount bool) bool {
	if amount { // "page=4B", "size=20Bytes"
		return e.letter(i-1) && e.letter(end) && e.text[end] >= 'a'
	}
	// Once more in what has no blank: "DE89=203704=200044".
	rest, _, _ := strings.Cut(e.text[end:min(len(e.text), end+longestQuoted)], " ")
	if e.letter(end) || strings.Contains(rest, e.text[i:end]) {
		return true
	}
	before := e.text[max(e.last, i-longestQuoted, 0):i]

	return e.last > 0 && len(before) < longestQuoted && strings.IndexByte(before, ' ') < 0
}

// longestQuoted is how far apart two escapes of quoted-printable are of one text, in bytes.
const longestQuoted = 40

// quotedAt reports whether something of quoted-printable stands at byte i.
func (e *escape) quotedAt(i int) bool {
	rest, ok := strings.CutPrefix(e.text[i:], "=")
	if !ok || len(rest) < 2 {
		return false
	}

	return rest[0] == '\n' || hexDigit(rest[0]) && hexDigit(rest[1])
}

// references are the names of characters in HTML, each with its character; marks are those behind a letter, "eacute".
const references = " amp & nbsp \u00a0 ensp \u00a0 emsp \u00a0 numsp \u00a0 puncsp \u00a0 thinsp \u00a0 hairsp \u00a0 " +
	"Tab \u00a0 NewLine \n shy \u00ad zwj \u200d zwnj \u200d lrm \u200d rlm \u200d comma , period . colon : commat @ " +
	"lowbar _ plus + hyphen - ndash \u2013 mdash \u2014 apos ' rsquo ' lsquo ' quot \" lt < gt > szlig ß oslash ø " +
	"acute \u0301 grave \u0300 circ \u0302 uml \u0308 tilde \u0303 ring \u030a cedil \u0327 caron \u030c "

// longestReference bounds the name of a character, in bytes.
const longestReference = 24

// reference reads a character by its name: "&nbsp;", "&eacute;".
func (e *escape) reference(i int) (rune, int) {
	rest := e.text[i+1 : min(len(e.text), i+longestReference)]
	// Browsers read the oldest names without a semicolon too.
	if strings.HasPrefix(rest, "nbsp") && !strings.HasPrefix(rest, "nbsp;") {
		return ' ', i + 1 + len("nbsp")
	}
	name, _, ok := strings.Cut(rest, ";")
	end := i + len(name) + 2

	switch r := named(name); {
	case !ok || name == "":
	case r != 0:
		return r, end
	case strings.HasSuffix(name, "Space"):
		return ' ', end
	case named(name[1:]) >= 0x300:
		both := utf8.AppendRune([]byte(name[:1]), named(name[1:]))
		r, _ = utf8.DecodeRune(norm.NFC.Append(nil, both...))

		return r, end
	}

	return 0, 0
}

// named returns the character of a name, 0 for none.
func named(name string) rune {
	_, rest, ok := strings.Cut(references, " "+name+" ")
	if !ok || len(name) < 2 {
		return 0
	}
	r, _ := utf8.DecodeRuneInString(rest)

	return r
}

// control reads the letter of "\n" or "\t" at byte i. In "C:\tenants" and "\noindent" it belongs to the word: what
// follows is a word only without it.
func (e *escape) control(i int) (rune, int) {
	if i >= len(e.text) {
		return 0, 0
	}

	end := i + 1
	for end < len(e.text) && lower(e.text[end]) {
		end++
	}
	alone := end == i+1 || known(e.text[i:end]) == 0 && known(e.text[i+1:end]) != 0

	switch c := e.text[i]; {
	case c == ' ' && e.letter(i+1): // "jane\ roe"
		return ' ', i + 1
	case !alone:
	case c == 't':
		return ' ', i + 1
	case c == 'n', c == 'r':
		return '\n', i + 1
	}

	return 0, 0
}
