package guard

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/subrosa-legal/subrosa/pkg/guard/internal/lexicon"
)

// A date of birth is read forward from the word that announces it, over what people put between: "DOB (per the
// intake form): 03/14/1987", "born on the fourteenth day of March, nineteen eighty-seven", "née le 14 mars 1987".

// reachBirth bounds how far behind its word a date of birth ends, in bytes.
const reachBirth = 120

// births finds dates behind words of birth.
func (n *names) births() {
	for i := range n.words {
		w := &n.words[i]
		if !birthLetters[n.text[w.start]] || int(w.end-w.start) > longestBirthWord {
			continue // most words
		}
		if !birthWords.has(n.lowered(i)) && !n.bornLetter(i) {
			continue
		}

		// German puts the date first, so that what stands behind the word may be any other date.
		if start, end := n.dateOfBirthBefore(i); end > 0 {
			n.found = append(n.found, span{start, end, kindBirth, ruleBirth})
			continue
		}

		d := writtenDate{text: n.text, at: int(w.end), limit: min(len(n.text), int(w.end)+reachBirth)}
		if d.read() {
			n.found = append(n.found, span{d.start, d.end, kindBirth, ruleBirth})
		}
	}
}

// dateOfBirthBefore returns where the date lies that German puts before the word of birth, word i: "der am 20.12.1957
// geborene Kläger", "ist am 3. Mai 1974 geboren"; 0 as its end for none.
func (n *names) dateOfBirthBefore(i int) (start, end int) {
	at := int(n.words[i].start)
	if !strings.HasPrefix(n.lowered(i), "gebor") || at == 0 || n.text[at-1] != ' ' {
		return 0, 0
	}
	end = at - 1
	start = end - len(n.text[:end]) + len(strings.TrimRight(n.text[:end], tenDigits+". "))
	// The month stands in words: the day lies before it.
	if i > 0 && int(n.words[i-1].end) == start && germanMonths.has(n.lowered(i-1)) {
		start = len(strings.TrimRight(n.text[:n.words[i-1].start], tenDigits+". "))
	}
	start = end - len(strings.TrimLeft(n.text[start:end], ". "))
	if end-start < len("1.1.1970") || end-start > len("30. September 1970") || !digit(n.text[end-1]) {
		return 0, 0
	}

	return start, end
}

// bornLetter reports whether word i is the last letter of "D.O.B." or the one of "b. 1961".
func (n *names) bornLetter(i int) bool {
	w := &n.words[i]
	if w.end-w.start != 1 || !w.has(dotted) {
		return false
	}

	if n.text[w.start] == 'b' {
		return true
	}

	return i > 1 && strings.EqualFold(n.text[n.words[i-2].start:w.end], "d.o.b")
}

// birthLetters begin the words of birth: most words are told apart by it.
var birthLetters = stopsAt(func(c byte) bool { return strings.IndexByte("bdgn", c|0x20) >= 0 })

const longestBirthWord = len("geburtsdatum")

var (
	birthWords = setOf(`born birth dob birthdate birthday birthdays né née nee nés nées naissance nacido nacida
		nacidos nacimiento geboren geborene geborener geborenen geb geburtsdatum geburtstag geburt nato nata nascita`)
	// beforeDates stand between a word of birth and its date, besides roles.
	beforeDates = setOf(`on the of is was are were in day date year circa about around approximately le la el am
		der den de del du dia día fecha at as stated per a il and to both`)
	insideDates = setOf(`of the de del day year and in du di`)
	months      = setOf(`january february march april may june july august september october november december janvier
		février fevrier mars avril mai juin juillet août aout septembre octobre novembre décembre enero febrero marzo
		abril mayo junio julio agosto septiembre octubre noviembre diciembre januar jänner februar märz maerz juni juli
		oktober dezember gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre jan feb mar apr jun jul
		aug sep sept oct nov dec`)
	// numberWords spell days and years: "the twenty-first of May, nineteen hundred and eighty-seven".
	numberWords = setOf(`one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
		sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred
		thousand`)
)

// writtenDate is a date that is read from byte at on. It ends before byte limit.
type writtenDate struct {
	text       string
	at, limit  int
	start, end int // of the date, once it has begun

	month, day, year, figures bool // parts that were read
}

// read reports whether a date stands there, behind nothing but what may stand before one.
func (d *writtenDate) read() bool {
	for d.skip() {
		from := d.at
		token := d.token()
		if token == "" || !d.take(from, token) {
			break
		}
	}

	// A month by itself does not tell when somebody was born.
	return d.figures || d.year || d.month && d.day
}

// skip moves over blanks, light punctuation and, before the date, an insertion in brackets.
func (d *writtenDate) skip() bool {
	for d.at < d.limit {
		c := d.text[d.at]
		if c == '(' && d.end == 0 {
			end := strings.IndexByte(d.text[d.at:d.limit], ')')
			if end < 0 || strings.IndexByte(d.text[d.at:d.at+end], '\n') >= 0 {
				return false
			}
			// A bracket with a figure in it may hold the date itself.
			if !strings.ContainsAny(d.text[d.at:d.at+end], tenDigits) {
				d.at += end
			}
		} else if strings.IndexByte(" \t,:-=\"'*_|.)", c) < 0 && (c != '\n' || d.end > 0) {
			return true
		}
		d.at++
	}

	return false
}

// token reads a word or a number with its marks.
func (d *writtenDate) token() string {
	from := d.at
	for d.at < d.limit {
		r, width := utf8.DecodeRuneInString(d.text[d.at:])
		if !d.joint(from) && !dateRune(r) {
			break
		}
		d.at += width
	}

	return strings.ToLower(d.text[from:d.at])
}

// joint reports whether a mark between two digits of the token that begins at byte from stands here.
func (d *writtenDate) joint(from int) bool {
	if d.at == from || d.at+1 >= d.limit || strings.IndexByte("/.-", d.text[d.at]) < 0 {
		return false
	}

	return digit(d.text[d.at-1]) && digit(d.text[d.at+1])
}

// dateRune reports whether a rune can be part of a word or number of a date.
func dateRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == 'º' }

// take adds a token that begins at byte from to the date, or steps over it. It reports false for what ends it.
func (d *writtenDate) take(from int, token string) bool {
	year := tokenOf(token)
	switch {
	case dateLike(token):
		d.figures = true
	case yearLike(&year):
		d.year = true
	case dayNumber(token):
		d.day = true
	// The names of days go along and count for nothing.
	case months.has(token), known(token)&lexicon.Calendar != 0 && len(token) > 4:
		d.month = d.month || months.has(token)
	case ordinals.has(token), numberWords.has(token):
		d.day = true // or a year in words, of which a month stands beside
	case d.end > 0:
		return insideDates.has(token)
	default:
		return beforeDates.has(token) || roles.has(token)
	}

	if d.end == 0 {
		d.start = from
	}
	d.end = d.at

	return !d.figures
}

// dayNumber reports whether a token is a number of one or two digits, or the day of a month: "14", "2nd", "1er".
func dayNumber(token string) bool {
	number := strings.TrimRight(token, "dehnrstº")
	return number != "" && len(number) <= 2 && strings.Trim(number, tenDigits) == ""
}
