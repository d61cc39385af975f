package guard

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/subrosa-legal/subrosa/pkg/guard/internal/lexicon"
	"github.com/subrosa-legal/subrosa/pkg/label"
)

// Groups of flags that the rules ask for together.
const (
	ordinaryWord = lexicon.Ordinary
	placeWord    = lexicon.Place
	publicWord   = lexicon.Place | lexicon.Law | lexicon.Calendar | lexicon.Head
)

// accounted reports whether a capitalised word needs no further explanation.
func accounted(f lexicon.Flags) bool {
	return f&(publicWord|lexicon.Ordinary|lexicon.Rare|lexicon.Honorific) != 0
}

// shape says how a word is written and where it stands.
type shape uint32

const (
	capitalised shape = 1 << iota
	allCapitals       // two letters or more
	initial           // one capital letter, or two or three before a dot that are no word
	mixedCase         // a capital letter inside
	opening           // begins a sentence, a line or a quotation
	joined            // one blank, hyphen or dot behind the word before
	dotted            // a dot follows
	possessive        // 's follows
	bracketed         // a bracket stands before
	besideDigit       // a digit stands before or behind, without a blank
	foreign           // a word of another language
	abroad            // stands in a sentence of another language
	written           // stands in such a sentence that begins with a capital letter, as careful people write
	fullName          // part of a given name and a surname
	inCompany         // part of the name of a company
	quotedLaw         // part of a citation
	shouted           // in capitals among other words in capitals
	accented          // has letters beyond ASCII
	largeLetter       // has a large ASCII letter, first or not
)

// token of letters, with apostrophes inside.
type word struct {
	start, end int32
	is         lexicon.Flags
	shape      shape
}

func (w *word) has(s shape) bool { return w.shape&s != 0 }

// reader cuts a text into words.
type reader struct {
	text  string
	all   bool // look up words in lower case too
	words []word
	opens bool // the next word begins a sentence
	brack bool // nothing but blanks since a bracket
	last  int  // end of the last word with its 's
}

// opensSentence reports whether a sign has a sentence or the item of a list behind it: a quotation mark, a bullet, a
// tick.
func opensSentence(sign rune) bool {
	switch sign {
	case '“', '«', '„', '•', '…':
		return true
	}

	return sign >= 0x2713 && sign <= 0x27bf // ticks, crosses and arrows (Dingbats)
}

// readWords cuts text into words. Those in lower case are looked up only if all is set or if they are short, as
// particles are.
func readWords(text string, all bool, room []word) []word {
	r := reader{text: text, all: all, words: slices.Grow(room[:0], len(text)/6), opens: true, last: -1}
	for i := 0; i < len(text); {
		c := text[i]
		if c == ' ' {
			i++
			continue
		}
		if c < utf8.RuneSelf && (c|0x20)-'a' >= 26 {
			i = r.mark(i)
			continue
		}
		letter, _, width := letterAt(text, i)
		if !letter {
			ch, _ := utf8.DecodeRuneInString(text[i:])
			r.opens = r.opens || opensSentence(ch)
			r.brack = false
			i += width

			continue
		}
		i = r.word(i)
	}

	return r.words
}

// mark steps over an ASCII character that is no letter, or over a whole label.
func (r *reader) mark(i int) int {
	switch r.text[i] {
	case '\n', '!', '?', ':', ';', '"':
		r.opens, r.brack = true, false
	case '.':
		r.dot(i)
		r.brack = false
	case '[':
		if _, width, ok := label.At(r.text, i); ok {
			// A label is a word: what follows goes on with the sentence.
			r.opens, r.brack = false, false
			return i + width
		}
		r.brack = true
	case '(':
		r.brack = true
	case ' ', ',', '-', '\'':
	default:
		r.brack = false
	}

	return i + 1
}

// dot ends a sentence, unless it follows an initial or an abbreviation.
func (r *reader) dot(i int) {
	if len(r.words) == 0 || int(r.words[len(r.words)-1].end) != i {
		r.opens = true
		return
	}
	w := &r.words[len(r.words)-1]
	w.shape |= dotted
	const accounts = lexicon.Ordinary | lexicon.Place | lexicon.Calendar | lexicon.Law | lexicon.Honorific
	// A short surname ends sentences as an initial does.
	surname := w.is&lexicon.Surname != 0 && !w.has(allCapitals) || shortGiven(w) // "on behalf of Wu."
	short := w.has(capitalised) && w.end-w.start <= 3 && w.is&accounts == 0
	if short && !surname && !roman(r.text[w.start:w.end]) && !counters.has(strings.ToLower(r.text[w.start:w.end])) {
		w.shape |= initial
	}
	if !w.has(initial) && !abbreviations.has(strings.ToLower(r.text[w.start:w.end])) {
		r.opens = true
	}
}

// shortGiven reports whether a word is a well-known given name of three letters: "The letter went to Eli."
func shortGiven(w *word) bool {
	const known = lexicon.Given | lexicon.KnownProper

	return w.is&known == known && w.end-w.start == 3 && !w.has(allCapitals)
}

// counters stand before numbers, with a dot, and are no initials.
var counters = setOf(`vol no nos nr pg ser supp rm`)

// abbreviations end in a dot that ends no sentence.
var abbreviations = setOf(`mr mrs ms dr prof st no nos v vs art arts para paras p pp vol sec cf e.g i.e eg ie inc ltd co
	corp jr sr hon rev ul al op cit dec ch cap fig approx ca ibid sgt capt col lt gen maj ave rd nr atl fed civ crim
	evid supp stat ex rel mfg bros ass'n dep't int'l nat'l univ dist ct cir`)

// word reads the letters from byte i on.
func (r *reader) word(i int) int {
	start, capitals := i, 0
	for i < len(r.text) && letterKinds[r.text[i]] != 0 { // most words are ASCII
		capitals += int(letterKinds[r.text[i]] >> 1)
		i++
	}
	letters, large := i-start, capitals > 0
	inner := capitals > 1 || capitals == 1 && !upper(r.text[start])

	// The second loop is for all that is not ASCII, and for words that a mark or a letter goes on with.
	for i < len(r.text) && (r.text[i] == '\'' || r.text[i] >= utf8.RuneSelf || i > start+letters) {
		c := r.text[i]
		if c == '\'' && i > start && r.apostrophe(i) {
			i++
			continue
		}
		letter, up, width := letterAt(r.text, i)
		if !letter {
			break
		}
		letters++
		if up {
			capitals++
			large = large || width == 1
			inner = inner || i > start
		}
		i += width
	}
	w := word{start: int32(start), end: int32(i)}
	if letters != i-start && !ascii(r.text[start:i]) {
		w.shape = accented
	}
	if large {
		w.shape |= largeLetter
	}
	if capitals > 0 && startsUpper(r.text[start:]) {
		w.shape |= capitalised

		switch {
		case letters == 1:
			w.shape |= initial
		case capitals == letters:
			w.shape |= allCapitals
		case inner:
			w.shape |= mixedCase
		}
	}
	// A look-up is the dearest step, and small words of files are names in no rule.
	if w.has(capitalised) || r.all || i-start <= 4 {
		w.is = knownAnywhere(r.text[start:i])
		if w.is&lexicon.Foreign != 0 {
			w.is &^= lexicon.Foreign
			w.shape |= foreign
		}
		if w.is == 0 {
			w.is = knownPlain(r.text[start:i])
		}
	}
	r.place(&w)
	end := i
	if i+1 < len(r.text) && r.text[i] == '\'' && (r.text[i+1] == 's' || r.text[i+1] == 'S') {
		w.shape |= possessive
		i += 2
	}
	r.words = append(r.words, w)
	r.last, r.opens, r.brack = end, false, false

	return i
}

// letterKinds is 1 for a small ASCII letter, 2 for a large one and 0 for any other byte.
var letterKinds = func() (t [256]byte) {
	for c := range t {
		switch {
		case lower(byte(c)):
			t[c] = 1
		case upper(byte(c)):
			t[c] = 2
		}
	}

	return t
}()

func startsUpper(s string) bool {
	_, up, _ := letterAt(s, 0)
	return up
}

// apostrophe reports whether the apostrophe at byte i is inside a word, and not the beginning of a possessive ending.
func (r *reader) apostrophe(i int) bool {
	if i+1 == len(r.text) {
		return false
	}
	letter, _, _ := letterAt(r.text, i+1)
	if !letter {
		return false
	}

	return !((r.text[i+1] == 's' || r.text[i+1] == 'S') && (i+2 == len(r.text) || !wordByte(r.text[i+2])))
}

// place notes what stands around a word.
func (r *reader) place(w *word) {
	if w.start > 0 && digit(r.text[w.start-1]) || int(w.end) < len(r.text) && digit(r.text[w.end]) {
		w.shape |= besideDigit
	}
	if r.opens {
		w.shape |= opening
	}
	if r.brack && w.start > 0 && (r.text[w.start-1] == '(' || r.text[w.start-1] == '[') {
		w.shape |= bracketed
	}
	if r.last < 0 {
		return
	}

	switch gap := r.text[r.last:w.start]; len(gap) {
	case 1:
		if gap[0] == ' ' || gap[0] == '-' || gap[0] == '.' {
			w.shape |= joined
		}
	case 2, 3:
		switch gap {
		case ". ", ".-", "  ", "   ":
			w.shape |= joined
		}
	}
}

// letterAt reports whether a letter or a mark on one begins at byte i, whether it is a capital, and how wide it is.
func letterAt(text string, i int) (letter, up bool, width int) {
	if c := text[i]; c < utf8.RuneSelf {
		return upper(c) || lower(c), upper(c), 1
	}
	r, width := utf8.DecodeRuneInString(text[i:])

	return unicode.IsLetter(r) || unicode.IsMark(r), unicode.IsUpper(r) || unicode.IsTitle(r), width
}

// lowerRune is unicode.ToLower with the Turkish capital I with a dot, which would be two letters.
func lowerRune(r rune) rune {
	if r < utf8.RuneSelf {
		if r >= 'A' && r <= 'Z' {
			r += 'a' - 'A'
		}

		return r
	}
	if r == 'İ' {
		return 'i'
	}

	return unicode.ToLower(r)
}

// knownPlain looks a word up without its diacritics. What is everyday English then is not what was written, so those
// flags are dropped.
func knownPlain(word string) lexicon.Flags {
	return unmarked(word) &^ (lexicon.Foreign | lexicon.Rare | lexicon.Ordinary | lexicon.Common | lexicon.Everyday)
}

// unmarked looks a word up without its diacritics, and returns 0 for one that has none.
func unmarked(word string) lexicon.Flags {
	var room [64]byte

	bare, changed := room[:0], false
	for _, r := range word {
		if len(bare) > len(room)-2*utf8.UTFMax {
			return 0
		}
		r = lowerRune(r)
		if letters := withoutMark(r); letters != "" {
			bare, changed = append(bare, letters...), true
			continue
		}
		bare = utf8.AppendRune(bare, r)
	}
	if !changed {
		return 0
	}

	return lexicon.Of(bare)
}
