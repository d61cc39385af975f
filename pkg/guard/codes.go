package guard

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/subrosa-legal/subrosa/pkg/guard/internal/lexicon"
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
			_, width, _ := LabelAt(c.text, i)
			i += max(width, 1)

			continue
		}
		i = max(c.number(i), i+1)
	}
}

// longestToken bounds a token, in bytes on each side of its first digit.
const longestToken = 200

// token is a stretch of letters and digits, with marks inside, that holds a digit.
type token struct {
	start, end                          int
	text                                string
	digits, letters, slashes, dashes    int
	dots, underscores, colons, alternat int // alternat counts changes from letters to digits and back
}

// tokenAt reads the token around the digit at byte i.
func tokenAt(text string, i int) token {
	t := token{start: i, end: i}
	for t.start > 0 && i-t.start < longestToken && (alphanumeric(text[t.start-1]) || t.start > 1 && inside(text[t.start-1]) && alphanumeric(text[t.start-2])) {
		t.start--
	}

	for t.end < len(text) && t.end-i < longestToken {
		if !alphanumeric(text[t.end]) && !((inside(text[t.end]) || text[t.end] == ':') && t.end+1 < len(text) && alphanumeric(text[t.end+1])) {
			break
		}
		t.end++
	}
	t.text = text[t.start:t.end]
	t.count()

	return t
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
				t.alternat++
			}
			last = 'd'
		case alphanumeric(c):
			t.letters++
			if last == 'd' {
				t.alternat++
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

func (c *codes) add(k kind, r rule, start, end int) int {
	c.found = append(c.found, span{start, end, k, r})
	return end
}

// number judges the token around the digit at byte i and returns where to go on.
func (c *codes) number(i int) int {
	t, before := &c.token, &c.before
	*t = tokenAt(c.text, i)

	*before = leadTo(c.text, t.start)
	if clinical(t, before) {
		return t.end // it has the shape of some addresses
	}

	for _, judge := range judges {
		if end := judge(c, t, before, i); end > 0 {
			return end
		}
	}
	if c.harmless(t, before) || c.decided(t) {
		return t.end
	}
	if end := c.code(t, before, i); end > 0 {
		return end
	}

	return t.end
}

// judges are asked in turn what a token is; the first that knows returns its end.
var judges = []func(*codes, *token, *lead, int) int{
	(*codes).spelt, (*codes).coordinates, (*codes).account, (*codes).document, (*codes).network, (*codes).address,
	(*codes).series,
}

// spelt finds five or more digits that stand apart, "1 2 3 4 5", which is a number in disguise.
func (c *codes) spelt(t *token, _ *lead, i int) int {
	n, j := 1, i
	if i > 0 && alphanumeric(c.text[i-1]) {
		return 0
	}

	for j+2 < len(c.text) && j-i < longestSpelt && strings.IndexByte(" .-_", c.text[j+1]) >= 0 && (digit(c.text[j+2]) || strings.IndexByte("/.", c.text[j+2]) >= 0) &&
		(j+3 == len(c.text) || !alphanumeric(c.text[j+3])) {
		j += 2
		if digit(c.text[j]) {
			n++
		}
	}
	if n < 5 || tabular(c.text[i:j+1]) {
		return 0
	}

	return c.add(kindCode, ruleSpelt, i, j+1)
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
	if len(word) < 2 || len(word) > 5 || strings.Trim(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" || accounted(known(word)) {
		return 0
	}
	rest, ok := strings.CutPrefix(c.text[t.end:], " p. ")
	if !ok || rest == "" || !digit(rest[0]) {
		return 0
	}
	_, end := c.word(t.end + len(" p. "))

	return c.add(kindCode, ruleMixedCode, start, end)
}

// harmless reports whether a token is a date, a year, an amount, a citation or a file name made of ordinary
// words.
func (c *codes) harmless(t *token, before *lead) bool {
	numbered := before.has(numbering, 1)
	if dateLike(t.text) || t.letters == 0 && t.digits <= 2 && c.monthAfter(t.end) || yearLike(t) {
		if !(numbered && t.digits == 4 && !c.monthAfter(t.end)) || before.next() == "under" || before.next() == "number" {
			return true
		}
	}
	if t.letters > 0 && t.dashes+t.underscores+t.dots >= 2 && plainParts(t.text) || exhibitName(t.text) {
		return true
	}
	endsLine := strings.HasPrefix(c.text[t.end:], "\n")
	if endsLine && t.letters == 0 && t.digits <= 3 && headingNouns.has(before.next()) {
		return true // the page in a table of contents
	}

	if c.ordinaryNumber(t, before) {
		return true
	}

	switch {
	case courtOfJustice(t), machine(t), protocol(t), camera(t), masked(t.text), stamped(t):
		return true
	}

	return standard(t, before) || chamberReport(t, before) || c.announced(t, before) || c.measured(t, before)
}

// headingNouns stand before numbers of documents, and end headings too, which a table of contents has numbers
// of pages behind.
var headingNouns = setOf(`policy security tax insurance registration record property customer client employee
	license licence personal medical membership member complaint petition appeal application matter
	identification`)

// exhibitName reports whether a token is the name of an exhibit's file: "exhibit101.htm", "exv10w14",
// "ex-10_2".
func exhibitName(s string) bool {
	if dot := strings.LastIndexByte(s, '.'); dot > 0 && fileEndings.has(toLower(s[dot+1:])) {
		s = s[:dot]
	}
	first := strings.IndexAny(s, "0123456789")
	if first < 0 || !exhibitWords.has(strings.ToLower(strings.TrimRight(s[:first], "-_."))) {
		return false
	}

	return strings.Trim(s[first:], "0123456789-_.wdvx") == ""
}

var exhibitWords = setOf(`bates ex exh exhibit exv dex xex att attachment annex appendix schedule tab scan img`)

// footnoted reports whether a word is an ordinary one and no name, with the number of a footnote behind it:
// "Facts1".
func footnoted(s string) bool {
	first := strings.IndexAny(s, "0123456789")
	f := known(s[:first])

	return f&lexicon.Common != 0 && f&(lexicon.Given|lexicon.Surname|lexicon.KnownProper) == 0
}

// courtOfJustice reports whether the token is a case number of the Court of Justice of the European Union, such
// as C-131/12, which is how its judgments are cited.
func courtOfJustice(t *token) bool {
	return t.letters == 1 && t.dashes == 1 && t.slashes == 1 && strings.IndexByte("CTF", t.text[0]) >= 0 && t.text[1] == '-' && digit(t.text[2])
}

// machine reports whether a token was made by a machine for a machine: an instant, a UUID, a digest. Our own
// ids are UUIDs, with a kind before them ("agt_") or the number of an event behind (":3").
func machine(t *token) bool {
	s := t.text
	if kind, rest, ok := strings.Cut(s, "_"); ok && len(kind) <= 4 && len(rest) == len("01234567-0123-0123-0123-012345678901") {
		s = rest
	} else if t.colons == 1 {
		s = s[:strings.IndexByte(s, ':')]
	}
	if len(s) >= 15 && (s[8] == 'T' || s[10] == 'T') && (s[0] == '1' || s[0] == '2') && strings.Trim(s, "0123456789-:.TZ") == "" {
		return true
	}
	hexadecimal := 0

	for i := range len(s) {
		if !hexDigit(s[i]) && s[i] != '-' {
			return false
		}
		hexadecimal++
	}

	return hexadecimal == 36 && t.dashes == 4 && s[8] == '-' && s[13] == '-' && s[18] == '-' && s[23] == '-' ||
		t.letters > 0 && t.dashes == 0 && (hexadecimal == 32 || hexadecimal == 40 || hexadecimal == 64)
}

// standard reports whether a token names a public form, a standard or a task code of UTBMS (L100 to L690, A101
// and so on), by itself or behind a word that says so.
func standard(t *token, before *lead) bool {
	if len(t.text) > longestStandard {
		return false
	}
	if len(t.text) == len("L100") && t.digits == 3 && strings.IndexByte("LAECPB", t.text[0]) >= 0 && t.text[1] <= '6' {
		return true
	}
	name := strings.ToLower(t.text[:strings.IndexAny(t.text, "0123456789")])
	if len(name) == len("i-") && strings.IndexByte("ing", name[0]) >= 0 && t.digits == 3 && t.letters == 1 { // the forms I-485, N-400, G-639
		return true
	}

	return t.letters > 0 && (before.has(forms, 1) || standards.has(strings.TrimSuffix(name, "-")))
}

const longestStandard = len("CC-BY-NC-SA-4.0")

// camera reports whether a token is the name that a camera or a telephone gives to a picture: a prefix, a day
// and a time.
func camera(t *token) bool {
	s, extension := t.text, ""
	if dot := strings.LastIndexByte(s, '.'); dot > 0 {
		s, extension = s[:dot], s[dot+1:]
	}
	first := strings.IndexAny(s, "0123456789")
	if len(extension) > 4 || first > len("Screenshot_") || len(s)-first != len("20240311_101522") || strings.IndexByte("_-", s[first+8]) < 0 {
		return false
	}

	return strings.Trim(s[:first], "ACDGILMNOPRSTVXWEacdghilmnoprestvxw_-") == "" && strings.Trim(s[first:first+8]+s[first+9:], "0123456789") == "" &&
		(strings.HasPrefix(s[first:], "19") || strings.HasPrefix(s[first:], "20")) && s[first+4:first+6] <= "12" && s[first+6:first+8] <= "31" && s[first+9:first+11] < "24"
}

// chamberReport reports whether a token is the number of a report of a house of parliament: "House Report
// 94-1476".
func chamberReport(t *token, before *lead) bool {
	return t.dashes == 1 && t.letters == 0 && before.n > 1 && (before.next() == "report" || before.next() == "rep") && houses.has(before.words[1])
}

var houses = setOf(`house senate conference conf assembly commons lords committee`)

// protocol reports whether a token names a version of something, such as HTTP/1.1.
func protocol(t *token) bool {
	name, version, ok := strings.Cut(t.text, "/")
	return ok && t.slashes == 1 && t.dots == 1 && t.digits <= 4 && len(version) == len("1.1") && version[1] == '.' && !digit(name[0])
}

// masked reports whether somebody has already put signs in place of most of a number.
func masked(s string) bool {
	return strings.Count(s, "x")+strings.Count(s, "X") >= 4
}

// bates reports whether a token is the stamp of a page in a production of documents: a prefix and a number
// filled up with zeros.
func bates(t *token) bool {
	return t.letters >= 2 && t.digits >= 5 && t.alternat == 1 && t.marks()-t.underscores == 0 && !digit(t.text[0]) && strings.HasPrefix(strings.TrimLeft(t.text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_"), "00")
}

// ordinaryNumber reports whether a token is one of the numbers that everybody's papers have.
func (c *codes) ordinaryNumber(t *token, before *lead) bool {
	switch {
	case visa(t), messenger(t.text):
		return true
	case t.letters > 0:
		return false
	case before.next() == "matter":
		return t.digits <= 4
	}

	return t.marks() == 0 && t.digits <= 2 && fewMatters.has(before.next()) // counted, not registered
}

// fewMatters are numbered by whoever has a few of them.
var fewMatters = setOf(`matter case claim file`)

// stamped reports whether a token is a Bates number, or two that are the ends of a range.
func stamped(t *token) bool {
	first, last, ranged := strings.Cut(t.text, "-")
	if !ranged {
		return bates(t)
	}

	for _, end := range []string{first, last} {
		one := tokenOf(end)
		if end == "" || !bates(&one) {
			return false
		}
	}

	return true
}

// visa reports whether a token is a class of visa: H-1B, O-1, EB-5.
func visa(t *token) bool {
	if len(t.text) > len("EB-5A") || t.dashes != 1 || t.marks() != 1 {
		return false
	}
	class, number, _ := strings.Cut(t.text, "-")
	if class == "" || len(class) > 2 || strings.Trim(class, capitalLetters) != "" {
		return false
	}

	return digit(number[0]) && t.digits <= 2
}

const (
	capitalLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	tenDigits      = "0123456789"
)

// messenger reports whether a token is the name that a messenger gives to a file: DOC-20240101-WA0001.
func messenger(s string) bool {
	if dot := strings.LastIndexByte(s, '.'); dot > 0 {
		s = s[:dot]
	}
	kind, rest, ok := strings.Cut(s, "-")
	if !ok || len(kind) != 3 || strings.Trim(kind, capitalLetters) != "" {
		return false
	}
	day, number, ok := strings.Cut(rest, "-WA")

	return ok && len(day) == len("20240101") && len(number) == len("0001") && strings.Trim(day+number, tenDigits) == ""
}

// clinical reports whether a token is a reading that medical records have: "BP 120/80".
func clinical(t *token, before *lead) bool {
	return strings.Trim(t.text, tenDigits+"/") == "" && t.slashes == 1 && t.digits <= 6 && before.has(vitals, 2)
}

var vitals = setOf(`bp pressure blood vision acuity visual pulse sitting standing supine`)

// decided reports whether a token is the number of a published decision of a highest court, which stands before
// it on the line: "BGH, Urteil vom 12.03.2020 - VIII ZR 123/19", "Cass. civ. 1re, 12 mars 2020, n° 19-12.345".
func (c *codes) decided(t *token) bool {
	if t.slashes+t.dashes == 0 {
		return false // most numbers
	}
	lead := c.text[max(0, t.start-longestDecision):t.start]
	lead = lead[strings.LastIndexByte(lead, '\n')+1:]

	for _, court := range highestCourts {
		at := strings.LastIndex(lead, court)
		if at < 0 || at > 0 && wordByte(lead[at-1]) {
			continue
		}
		if !strings.ContainsAny(lead[at:], ";()") {
			return true
		}
	}

	return false
}

// longestDecision bounds how far behind its court the number of a decision stands, in bytes.
const longestDecision = 60

// highestCourts publish all that they decide, without the names of the parties.
var highestCourts = []string{
	"BGH,", "BGH ", "BVerfG,", "BVerfG ", "BAG,", "BAG ", "BVerwG,", "BFH,", "BFH ", "BSG,", "BPatG,", "EuGH,",
	"Cass. ", "Cour de cassation", "CE,",
	"Cons. const.", "CJUE,", "STS ", "STC ", "ATS ", "STJUE ", "Hoge Raad",
}

// citingFillers stand between a citing word and one more number: "sections 12 through 14", "Regulation (EC) No 1".
var citingFillers = setOf(`no nos nr number numbers ec eu eec and to or through thru`)

// announced reports whether the words before the token make it a number of a statute, page or exhibit.
func (c *codes) announced(t *token, before *lead) bool {
	for j, w := range before.words[:before.n] {
		if j > 2 {
			break
		}
		if citing.has(w) {
			return true
		}
		if !citingFillers.has(w) && !digit(w[0]) {
			break
		}
	}
	lead := strings.TrimRight(c.text[:t.start], " ")

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

	return strings.HasSuffix(lead, "$") || strings.HasSuffix(lead, "€") || strings.HasSuffix(lead, "£") || strings.HasSuffix(lead, "¥")
}

// code judges a token that nothing accounts for.
func (c *codes) code(t *token, before *lead, i int) int {
	if t.letters == 0 {
		return c.figures(t, before, i)
	}
	if t.digits <= mostLeet && besideLetter(c.text, t.start, t.end) {
		return c.add(kindHidden, ruleDigitsInWord, t.start, t.end)
	}
	if ordinalLike(t) || t.digits == 4 && t.dashes == 1 && t.text[4] == '-' && roman(t.text[5:]) {
		return 0
	}

	first := 0
	for first < len(t.text) && digit(t.text[first]) {
		first++
	}
	if first > 0 && first < len(t.text) && t.text[first] == '-' && ordinary(t.text[first+1:]) { // 5-year
		return 0
	}

	plain := t.dashes+t.slashes+t.dots == 0

	numbered := plain && t.letters >= 3 && t.alternat == 1 && t.digits <= 2 // a word with a number behind it
	switch {
	case t.digits >= 3 && (t.letters <= 8 || t.alternat >= 2) && !wordAndYear(t):
		return c.prefixed(t, kindCode, ruleMixedCode)
	case t.alternat >= 2 && t.letters >= 3 && plain:
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

// mostLeet is how many digits stand for letters in one part of a word.
const mostLeet = 4

// besideLetter reports whether a letter beyond ASCII stands right before byte start or at byte end, so that
// what lies between is part of a word: the digits of D0ğ4n.
func besideLetter(text string, start, end int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:start])
	after, _ := utf8.DecodeRuneInString(text[end:])

	return before >= utf8.RuneSelf && (unicode.Is(unicode.Lu, before) || unicode.Is(unicode.Ll, before)) || after >= utf8.RuneSelf && unicode.Is(unicode.Ll, after)
}

// figures judges a token without letters.
func (c *codes) figures(t *token, before *lead, i int) int {
	hash := t.start > 0 && c.text[t.start-1] == '#'
	listed := c.listed(t.start)
	numbered := before.n > 0 && counted.has(before.next()) || hash || before.has(numbering, 1)

	l := looseAt(c.text, i)
	switch {
	case t.slashes >= 1 && t.dots == 0 && (t.digits >= 5 || (numbered || listed) && t.digits >= 3):
		return c.prefixed(t, kindCode, ruleStroke)
	case years(t.text), thousands(c.text[t.end:]) && t.digits <= 3 && !hash:
		return 0
	case (numbered || listed) && t.digits >= 2 && t.dots <= 1 && !(before.next() == "under" && t.digits < 4):
		return c.prefixed(t, kindCode, ruleNumbered)
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
	return len(rest) >= len(",000") && rest[0] == ',' && digit(rest[1]) && digit(rest[2]) && digit(rest[3]) && (len(rest) == len(",000") || !digit(rest[4]))
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
	for range 3 {
		end := start
		for end > 0 && (c.text[end-1] == ' ' || c.text[end-1] == '.') && start-end < 2 {
			end--
		}

		first := end
		for first > 0 && alphanumeric(c.text[first-1]) && !digit(c.text[first-1]) && end-first < 5 {
			first--
		}
		if end == start || end == first || end-first > 4 || !upper(c.text[first]) || first > 0 && wordByte(c.text[first-1]) {
			break
		}
		if word := c.text[first:end]; accounted(known(word)) && !roman(word) {
			break
		}
		start = first
	}

	return c.add(k, r, start, t.end)
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
	for part := range strings.FieldsFuncSeq(s, func(r rune) bool { return r == '-' || r == '_' || r == '.' || r == '/' }) {
		letters := len(part)
		for letters > 0 && digit(part[letters-1]) {
			letters--
		}
		digits := len(part) - letters
		if part == "m4a" || part == "mp3" || part == "mp4" {
			continue
		}
		if digits > 4 || digits == 4 && (part[letters] > '2' || part[letters] == '0' && strings.IndexByte(s, '-') >= 0) || letters > 0 && digits > 2 {
			return false
		}
		if letters > 0 && !plainPart(strings.ToLower(part[:letters])) {
			return false
		}
	}

	return true
}

func plainPart(word string) bool {
	switch word {
	case "v", "docx", "pdf", "doc", "txt", "xlsx", "md", "csv", "eml", "html", "json":
		return true
	}
	f := known(word)

	return f&ordinaryWord != 0 && !f.Ambiguous() || f == 0 && germanNoun(word)
}

func roman(word string) bool { return word != "" && strings.Trim(word, "IVXLC") == "" }

// years reports whether a token is a span of years, 1990-1995 or 1990-95.
func years(s string) bool {
	return len(s) >= 7 && len(s) <= 9 && s[4] == '-' && (s[0] == '1' || s[0] == '2') && strings.IndexByte(s, '-') == 4
}
