package guard

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/subrosa-legal/subrosa/pkg/label"
)

// codes finds what numbers give away: cases, files, accounts, identity documents, addresses, networks.
type codes struct {
	text   string
	cited  *citations
	found  []span
	token  token // the one that is judged, and what stands before it
	before lead
}

// numeric are the digits, and the sign before a label.
var numeric = stopsAt(func(c byte) bool { return digit(c) || c == '[' })

// scan stops at digits only; everything else is passed over. Each token is read once, with a bounded stretch
// before and behind it.
func (c *codes) scan() {
	next := 0
	for i := numeric.after(c.text, 0); i < len(c.text); i = numeric.after(c.text, i) {
		if end, ok := c.cited.covers(i, &next); ok {
			i = end
			continue
		}
		if c.text[i] == '[' {
			_, width, _ := label.At(c.text, i)
			i += max(width, 1)

			continue
		}
		i = max(c.number(i), i+1)
	}
}

// add notes a find and returns its end. As with names, calls are not written out in line.
//
//go:noinline
func (c *codes) add(k kind, r rule, start, end int) int {
	c.found = append(c.found, span{start, end, k, r})
	return end
}

// number judges the token around the digit at byte i and returns where to go on.
func (c *codes) number(i int) int {
	t, before := &c.token, &c.before
	*t = tokenAt(c.text, i)

	if c.amount(t) {
		return t.end
	}

	// The words before are read once: every judge asks for them.
	*before = leadTo(c.text, c.cited.small(), t.start)
	if clinical(t, before) {
		return t.end // it has the shape of some addresses
	}

	for _, judge := range judges {
		if end := judge(c, t, before, i); end > 0 {
			return end
		}
	}
	// Only behind the judges: a date may be somebody's number where a word announces it.
	if c.harmless(t, before) || c.decided(t) {
		return t.end
	}
	if end := c.code(t, before, i); end > 0 {
		return end
	}

	return t.end
}

// amount reports whether the sign of a currency stands behind a token of digits: "4.500 €".
func (c *codes) amount(t *token) bool {
	if t.letters > 0 || t.slashes+t.dashes > 0 {
		return false
	}
	rest := strings.TrimPrefix(c.text[t.end:], " ")

	return strings.HasPrefix(rest, "€") || strings.HasPrefix(rest, "£") || strings.HasPrefix(rest, "EUR ")
}

// judges are asked in turn what a token is; the first that knows returns its end.
var judges = []func(*codes, *token, *lead, int) int{
	(*codes).register, (*codes).spelt, (*codes).coordinates, (*codes).account, (*codes).document, (*codes).network,
	(*codes).address,
	(*codes).series, (*codes).dashed, (*codes).grouped, (*codes).parted,
}

// spelt finds five or more digits that stand apart, "1 2 3 4 5", which is a number in disguise.
func (c *codes) spelt(t *token, _ *lead, i int) int {
	n, j := 1, i
	if i > 0 && alphanumeric(c.text[i-1]) {
		return 0
	}

	for j-i < longestSpelt && c.speltOn(j) {
		j += 2
		if digit(c.text[j]) {
			n++
		}
	}
	// Digits that count up are the numbers of a list.
	if n < 5 || tabular(c.text[i:j+1]) {
		return 0
	}

	return c.add(kindCode, ruleSpelt, i, j+1)
}

// speltOn reports whether a digit, a stroke or a dot follows the byte at j behind one blank or mark, and stands apart
// from what comes next.
func (c *codes) speltOn(j int) bool {
	if j+2 >= len(c.text) || strings.IndexByte(" .-_", c.text[j+1]) < 0 {
		return false
	}
	if next := c.text[j+2]; !digit(next) && next != '/' && next != '.' {
		return false
	}

	return j+3 == len(c.text) || !alphanumeric(c.text[j+3])
}

// longestSpelt bounds how far spelt looks, in bytes; what is longer is found in pieces.
const longestSpelt = 64

// tabular reports whether digits that stand apart count up, as columns and lists do.
func tabular(s string) bool {
	last := byte(0)

	for i := range len(s) {
		if digit(s[i]) {
			if last != 0 && s[i] != last+1 && s[i] != last {
				return false
			}
			last = s[i]
		}
	}

	return true
}

// series finds a year and a page behind an abbreviation that is no known series of reports: it may as well be a
// register, and what nobody knows is refused.
func (c *codes) series(t *token, _ *lead, _ int) int {
	if !yearLike(t) || t.start < 3 || c.text[t.start-1] != ' ' {
		return 0
	}
	start, word := c.wordBefore(t.start - 1)
	if len(word) < 2 || len(word) > 5 || strings.Trim(word, capitalLetters) != "" || accounted(known(word)) {
		return 0
	}
	rest, ok := strings.CutPrefix(c.text[t.end:], " p. ")
	if !ok || rest == "" || !digit(rest[0]) {
		return 0
	}
	_, end := c.word(t.end + len(" p. "))

	return c.add(kindCode, ruleMixedCode, start, end)
}

const (
	capitalLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	tenDigits      = "0123456789"
)

// announced reports whether the words before the token make it a number of a statute, page or exhibit.
func (c *codes) announced(t *token, before *lead) bool {
	for j, w := range before.words[:before.n] {
		if j > 2 {
			break
		}
		if citing.has(w) {
			return len(w) > 1 || t.start < 2 || c.text[t.start-2] != ')' // "W.P.(C) 12156/2018" is a docket
		}
		if !citingFillers.has(w) && !digit(w[0]) {
			break
		}
	}
	lead := strings.TrimRight(c.text[:t.start], " ")

	// The words of session laws have dots, which the words before a number are cut at.
	sessionLaw := toLower(lead[max(0, len(lead)-len("pub. l. no.")):])
	for _, announces := range []string{"l. no.", "law no.", "pub. l."} {
		if strings.HasSuffix(sessionLaw, announces) {
			return true
		}
	}

	return strings.HasSuffix(lead, "§") || strings.HasSuffix(lead, "¶")
}

// measured reports whether the token is an amount or a quantity.
func (c *codes) measured(t *token, before *lead) bool {
	if measures.has(wordAfter(c.text, t.end)) || t.end < len(c.text) && c.text[t.end] == '%' {
		return true
	}
	if t.letters == 0 && before.n > 0 && measures.has(before.next()) {
		return true
	}
	lead := strings.TrimSuffix(c.text[:t.start], " ")

	return strings.HasSuffix(lead, "$") || strings.HasSuffix(lead, "€") ||
		strings.HasSuffix(lead, "£") || strings.HasSuffix(lead, "¥")
}

// code judges a token that nothing accounts for.
func (c *codes) code(t *token, before *lead, i int) int {
	if t.letters == 0 {
		return c.figures(t, before, i)
	}
	if t.digits <= mostLeet && besideLetter(c.text, t.start, t.end) {
		return c.add(kindHidden, ruleDigitsInWord, t.start, t.end)
	}
	if ordinalLike(t) || yearAndNumeral(t) {
		return 0
	}

	first := 0
	for first < len(t.text) && digit(t.text[first]) {
		first++
	}
	if numberedFile(t.text, first) {
		return 0 // "Saal 117.txt"
	}
	if first > 0 && first < len(t.text) && t.text[first] == '-' && ordinary(t.text[first+1:]) { // 5-year
		return 0
	}

	plain := t.dashes+t.slashes+t.dots == 0

	numbered := plain && t.letters >= 3 && t.changes == 1 && t.digits <= 2 // a word with a number behind it
	switch {
	// Three digits among letters name something; fewer are versions, ordinals and models.
	case t.digits >= 3 && (t.letters <= 8 || t.changes >= 2) && !wordAndYear(t):
		return c.prefixed(t, kindCode, ruleMixedCode)
	case t.changes >= 2 && t.letters >= 3 && plain:
		return c.add(kindHidden, ruleDigitsInWord, t.start, t.end)
	case numbered && footnoted(t.text):
		return 0
	case numbered && upper(t.text[0]) && !upper(t.text[1]):
		return c.add(kindHidden, ruleDigitsInWord, t.start, t.end)
	case before.has(numbering, 1) && t.slashes+t.dashes > 0:
		return c.prefixed(t, kindCode, ruleNumbered)
	case t.slashes >= 1 && t.digits >= 3 && t.letters <= 6:
		return c.prefixed(t, kindCode, ruleMixedCode)
	}

	return 0
}

// yearAndNumeral reports whether a token is a year with a Roman numeral behind it, as volumes of reports are counted:
// "1998-IV".
func yearAndNumeral(t *token) bool {
	return t.digits == 4 && t.dashes == 1 && t.text[4] == '-' && roman(t.text[5:])
}

// numberedFile reports whether a token is a number of so many figures, few of them, with the ending of a file.
func numberedFile(s string, figures int) bool {
	if figures == 0 || figures > 3 || figures == len(s) {
		return false
	}

	return s[figures] == '.' && fileEndings.has(strings.ToLower(s[figures+1:]))
}

// mostLeet is how many digits stand for letters in one part of a word.
const mostLeet = 4

// besideLetter reports whether a letter beyond ASCII stands right before byte start or at byte end, so that
// what lies between is part of a word: the digits of D0ğ4n.
func besideLetter(text string, start, end int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:start])
	after, _ := utf8.DecodeRuneInString(text[end:])

	if before >= utf8.RuneSelf && (unicode.Is(unicode.Lu, before) || unicode.Is(unicode.Ll, before)) {
		return true
	}

	return after >= utf8.RuneSelf && unicode.Is(unicode.Ll, after)
}

// figures judges a token without letters.
func (c *codes) figures(t *token, before *lead, i int) int {
	hash := t.start > 0 && c.text[t.start-1] == '#'
	listed := c.listed(t.start)
	numbered := before.n > 0 && counted.has(before.next()) || hash || before.has(numbering, 1)
	announced := numbered || listed
	stroke := t.slashes >= 1 && t.dots == 0
	underFew := t.digits < 4 && before.next() == "under" // "number of claims under 500"

	l := looseAt(c.text, i)
	switch {
	case stroke && (t.digits >= 5 || announced && t.digits >= 3):
		return c.prefixed(t, kindCode, ruleStroke)
	// Before numbers that are announced: "claims 1990-1995" are years.
	case years(t.text), thousands(c.text[t.end:]) && t.digits <= 3 && !hash:
		return 0
	case announced && t.digits >= 2 && t.dots <= 1 && !underFew:
		return c.prefixed(t, kindCode, ruleNumbered)
	// Amounts of seven digits and more are written with separators.
	case t.digits >= 7 && t.dots == 0 && t.slashes == 0:
		return c.prefixed(t, kindCode, ruleLongNumber)
	case l.n >= 8 && l.blanks >= 1 && before.has(banking, 3):
		return c.add(kindAccount, ruleAccount, i, l.end)
	case t.dashes >= 1 && t.digits >= 6:
		return c.prefixed(t, kindCode, ruleLongNumber)
	}

	return 0
}

// thousands reports whether a number goes on with a comma and three digits, as amounts do.
func thousands(rest string) bool {
	const group = ",000"
	if len(rest) < len(group) || rest[0] != ',' || strings.Trim(rest[1:len(group)], tenDigits) != "" {
		return false
	}

	return len(rest) == len(group) || !digit(rest[len(group)])
}

// listed reports whether the token at byte start goes on a list of codes: "nos. 12345/98, 12346/98 and 7".
func (c *codes) listed(start int) bool {
	if len(c.found) == 0 {
		return false
	}
	last := c.found[len(c.found)-1]
	if last.kind != kindCode || start-last.end > 6 || start < last.end {
		return false
	}

	gap := c.text[last.end:start]
	switch strings.TrimSpace(gap) {
	case ",", ";", "&", "and", "or", "to":
		return true
	case "":
		return gap != "" && strings.IndexByte(gap, '\n') < 0
	}

	return false
}

// prefixed adds a code with the letters of the court or register before it, as in "IV Kz 777/19".
func (c *codes) prefixed(t *token, k kind, r rule) int {
	start := t.start
	// At most three groups of letters stand before the number: those of the chamber and of the register.
	for range 3 {
		end := start
		for end > 0 && (c.text[end-1] == ' ' || c.text[end-1] == '.') && start-end < 2 {
			end--
		}

		first := end
		for first > 0 && alphanumeric(c.text[first-1]) && !digit(c.text[first-1]) && end-first < 5 {
			first--
		}
		if end == start || end == first || end-first > 4 {
			break
		}
		if !upper(c.text[first]) || first > 0 && wordByte(c.text[first-1]) {
			break
		}
		// A word of the sentence is no part of the docket; a Roman numeral is one.
		if word := c.text[first:end]; accounted(known(word)) && !roman(word) {
			break
		}
		start = first
	}

	end := t.end
	if start < t.start {
		start = senateBefore(c.text, start)
	}
	if t.letters == 0 {
		end += len(ofYear(c.text[end:]))
	}

	return c.add(k, r, start, end)
}

// ofYear returns what of a docket stands where rest begins if it is its year: " of 2017".
func ofYear(rest string) string {
	behind, ok := strings.CutPrefix(rest, " of ")
	if !ok || len(behind) < 4 || strings.Trim(behind[:4], tenDigits) != "" {
		return ""
	}
	if len(behind) > 4 && digit(behind[4]) {
		return ""
	}
	if behind[:2] != "19" && behind[:2] != "20" {
		return ""
	}

	return rest[:len(" of 2017")]
}

// senateBefore returns where the number of a chamber begins before the letters of a German docket at byte start: "6 O
// 7787/18".
func senateBefore(text string, start int) int {
	if start < 3 || text[start-1] != ' ' || !digit(text[start-2]) {
		return start
	}

	first := start - 1
	for first > 0 && digit(text[first-1]) && start-first < 5 {
		first--
	}
	if first > 0 && (wordByte(text[first-1]) || strings.IndexByte(".,/-", text[first-1]) >= 0) {
		return start
	}

	return first
}

// ordinary reports whether a word is in the dictionary.
func ordinary(word string) bool {
	_, size := utf8.DecodeRuneInString(word)
	return size > 0 && known(word)&ordinaryWord != 0
}

// wordAndYear reports whether a token joins an ordinary word and a year.
func wordAndYear(t *token) bool {
	if t.dashes != 1 || t.digits != 4 || !digit(t.text[len(t.text)-1]) {
		return false
	}

	return ordinary(t.text[:strings.IndexByte(t.text, '-')])
}

// ordinalLike reports whether letters close a number that is none of a person: 21st, 5pm, 10.30am.
func ordinalLike(t *token) bool {
	first := 0
	for first < len(t.text) && (digit(t.text[first]) || t.text[first] == '.' || t.text[first] == ':') {
		first++
	}

	return first > 0 && len(t.text)-first == t.letters && suffixes.has(strings.ToLower(t.text[first:]))
}

// plainParts reports whether a file name or slug is made of ordinary words, small numbers and years.
func plainParts(s string) bool {
	for part := range strings.FieldsFuncSeq(s, func(r rune) bool { return strings.ContainsRune("-_./", r) }) {
		letters := len(part)
		for letters > 0 && digit(part[letters-1]) {
			letters--
		}
		digits := len(part) - letters
		if part == "m4a" || part == "mp3" || part == "mp4" {
			continue
		}
		if digits > 4 || letters > 0 && digits > 2 {
			return false
		}
		if digits == 4 && !yearInName(part[letters:], s) {
			return false
		}
		if letters > 0 && !plainPart(strings.ToLower(part[:letters])) {
			return false
		}
	}

	return true
}

// yearInName reports whether four figures of a file name may be a year. They may begin with a nought, as a number that
// was filled up does, unless a hyphen stands in the name: the numbers of cases are written so.
func yearInName(figures, name string) bool {
	if figures[0] == '0' {
		return strings.IndexByte(name, '-') < 0
	}

	return figures[0] <= '2'
}

func plainPart(word string) bool {
	switch word {
	case "v", "docx", "pdf", "doc", "txt", "xlsx", "md", "csv", "eml", "html", "json":
		return true
	}
	// A word that is a name too makes a file somebody's: "baker-lease".
	f := known(word)

	return f&ordinaryWord != 0 && !f.Ambiguous() || f == 0 && germanNoun(plainGerman(word))
}

func roman(word string) bool { return word != "" && strings.Trim(word, "IVXLC") == "" }

// years reports whether a token is a span of years, 1990-1995 or 1990-95.
func years(s string) bool {
	if len(s) < len("1990-95") || len(s) > len("1990-1995") || strings.IndexByte(s, '-') != len("1990") {
		return false
	}

	return s[0] == '1' || s[0] == '2'
}
