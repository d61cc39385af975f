package guard

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// veiled finds text that was encoded so that only a machine reads it: lists of numbers, base64, hexadecimal. It is
// decoded once, to see whether it is text, and never deeper. What is escaped sign by sign is read: see escape.
type veiled struct {
	text    string
	found   []span
	counted int // up to where lists of numbers were looked at and are no text
}

// The kinds of bytes by which scan tells quickly what cannot begin there.
const (
	veilNone   = iota // a blank or a mark that begins nothing
	veilLetter        // a letter that begins no number
	veilOther
)

// veilKinds is the kind of each byte. A letter that mayBeNumbered asks about is of veilOther.
var veilKinds = func() (t [256]byte) {
	for c := range t {
		switch b := byte(c); {
		case (b|0x20)-'a' < 26 && b|0x20 != 'u' && !hexDigit(b):
			t[c] = veilLetter
		case wordByte(b), b == '=', b == '\\':
			t[c] = veilOther
		}
	}

	return t
}()

func (v *veiled) scan() {
	for i := 0; i < len(v.text); {
		switch kind := veilKinds[v.text[i]]; {
		case kind == veilNone:
			i++
			continue
		case kind == veilLetter && i+1 < len(v.text) && (alphanumeric(v.text[i+1]) || v.text[i+1] == ' '):
			i = v.token(i) // most words

			continue
		}

		// A mark must follow for letters to be strewn; the test is cheaper than the rule.
		if i+2 < len(v.text) && !alphanumeric(v.text[i+1]) && v.text[i+1] > ' ' {
			if end := v.strewn(i); end > i {
				i = end
				continue
			}
		}

		if mayBeNumbered(v.text, i) {
			if end := max(v.numbered(i), v.moved(i)); end > i {
				i = end
				continue
			}
		}

		if alphanumeric(v.text[i]) {
			i = v.token(i)
		} else {
			i++
		}
	}
}

// fewestStrewn is how many letters and digits with a mark between each two are no list or formula.
const (
	fewestStrewn = 5
	mostStrewn   = 64 // what is longer is found in pieces
)

// strewn finds letters and digits with the same mark between each two, "J*o*h*n", and returns where it ends, or i.
func (v *veiled) strewn(i int) int {
	if i+1 == len(v.text) || alphanumeric(v.text[i+1]) || v.text[i+1] == ' ' {
		return i // most words
	}
	if !wordByte(v.text[i]) || i > 0 && wordByte(v.text[i-1]) {
		return i
	}
	_, width := utf8.DecodeRuneInString(v.text[i:])
	mark, markWidth := utf8.DecodeRuneInString(v.text[i+width:])
	if !strings.ContainsRune("*_·•~^#°", mark) {
		return i
	}

	end, n, rising, last := i+width, 1, true, v.text[i]
	for end < len(v.text) && n < mostStrewn {
		m, _ := utf8.DecodeRuneInString(v.text[end:])
		if m != mark || end+markWidth == len(v.text) {
			break
		}
		r, width := utf8.DecodeRuneInString(v.text[end+markWidth:])
		if r <= ' ' || r == mark {
			break
		}
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			n++
			// "1*2*3" and "a*b*c" count up, and hide nothing.
			rising = rising && v.text[end+markWidth] == last+1
			last = v.text[end+markWidth]
		}
		end += markWidth + width
	}
	// Whatever ends inside a word is a formula or a pattern.
	insideWord := n < mostStrewn && end < len(v.text) && wordByte(v.text[end])
	if n < fewestStrewn || rising || insideWord {
		return i
	}
	v.found = append(v.found, span{i, end, kindHidden, ruleSpaced})

	return end
}

// The lengths between which a token is decoded, in bytes. Shorter ones are words, longer ones are cut.
const (
	shortestEncoded = 8
	longestEncoded  = 1 << 10
)

// uncoded are the bytes that end encoded text.
var uncoded = stopsAt(func(c byte) bool { return !alphanumeric(c) && strings.IndexByte("+/=_-", c) < 0 })

// token reads a token that could be base64 or hexadecimal.
func (v *veiled) token(i int) int {
	end := uncoded.after(v.text, i)
	if end-i < shortestEncoded {
		return end // most words; a shorter run of escapes would not be noted
	}
	s := v.text[i:min(end, i+longestEncoded)]
	uppers, lowers, digits := countLetters(v.text[i:end])
	// The capital that opens a sentence says nothing.
	if upper(v.text[i]) {
		uppers--
	}
	mixed := uppers >= 2 && lowers >= 1
	if mixed && readable(fromBase64(s)) || digits >= len(s)/3 && readable(fromHex(s)) {
		v.found = append(v.found, span{i, end, kindHidden, ruleEncoded})
	}

	return end
}

// letterCounts has a one in the part of a number that counts bytes of its kind: large letters, small ones, digits.
var letterCounts = func() (t [256]uint64) {
	for c := range t {
		switch b := byte(c); {
		case upper(b):
			t[c] = 1
		case lower(b):
			t[c] = 1 << 21
		case digit(b):
			t[c] = 1 << 42
		}
	}

	return t
}()

// countLetters counts the large letters, the small letters and the digits of a text of less than two million bytes.
func countLetters(s string) (uppers, lowers, digits int) {
	var n uint64
	for i := range len(s) {
		n += letterCounts[s[i]]
	}
	const part = 1<<21 - 1

	return int(n & part), int(n >> 21 & part), int(n >> 42)
}

// fromBase64 reads base64 of both alphabets. Package encoding/base64 would add four thousand bytes to what browsers
// load.
func fromBase64(s string) []byte {
	s = strings.TrimRight(s, "=")
	out := make([]byte, 0, len(s))
	bits := 0

	// Whole groups only: what was cut at the limit ends inside one.
	for i := range len(s) / 4 * 4 {
		at := strings.IndexByte(base64Digits, s[i])
		if at < 0 {
			return nil
		}
		bits = bits<<6 | at&63
		if i%4 == 3 {
			out = append(out, byte(bits>>16), byte(bits>>8), byte(bits))
		}
	}

	return out
}

// base64Digits are the digits of base64, with the other forms of the last two where they are 64 on.
const base64Digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/" +
	"..............................................................-_"

// fromHex reads hexadecimal digits. Package encoding/hex would bring package fmt into what browsers load.
func fromHex(s string) []byte {
	out := make([]byte, len(s)/2)
	for i := range out {
		high, low := hexValue(s[2*i]), hexValue(s[2*i+1])
		if high < 0 || low < 0 {
			return nil
		}
		out[i] = byte(high<<4 | low)
	}

	return out
}

// toHex writes bytes in hexadecimal digits.
func toHex(b []byte) string {
	const digits = "0123456789abcdef"

	out := make([]byte, 0, 2*len(b))

	for _, c := range b {
		out = append(out, digits[c>>4], digits[c&15])
	}

	return string(out)
}

// hexValue is the value of a hexadecimal digit, -1 for anything else.
func hexValue(c byte) int {
	switch {
	case digit(c):
		return int(c - '0')
	case hexDigit(c):
		return int(c|0x20) - 'a' + 10
	}

	return -1
}

// readable reports whether bytes are text made mostly of letters and digits.
func readable(b []byte) bool {
	if len(b) < 4 || !utf8.Valid(b) {
		return false
	}

	letters, runes := 0, 0
	for _, r := range string(b) {
		runes++

		switch {
		case unicode.IsLetter(r), r == ' ', unicode.IsDigit(r):
			letters++
		case unicode.IsControl(r) && r != '\n':
			return false
		}
	}

	// Random bytes that happen to be UTF-8 have far fewer letters.
	return letters*10 >= runes*8
}
