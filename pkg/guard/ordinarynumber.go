package guard

import (
	"strings"

	"github.com/subrosa-legal/subrosa/pkg/guard/internal/lexicon"
)

// harmless reports whether a token is a date, a year, an amount, a citation or a file name made of ordinary
// words.
func (c *codes) harmless(t *token, before *lead) bool {
	numbered := before.has(numbering, 1)
	if c.dated(t) {
		numberedYear := numbered && t.digits == 4 && !c.monthAfter(t.end) // "file no. 1987" is a file
		if !numberedYear || before.next() == "under" || before.next() == "number" {
			return true
		}
	}
	// "Passport No. 1987/88" is no season.
	if !numbered && !before.has(courtFiles, neighbours) && (fiscalYear(t) || monthInside(t)) {
		return true
	}
	if docketed := before.has(courtFiles, 1) && t.digits >= 5; docketed && t.letters > 0 && t.dashes >= 2 {
		return false // "Docket: T-1499-16"
	}
	// One mark alone joins a word and a number, as the names of cases do.
	if t.letters > 0 && t.dashes+t.underscores+t.dots >= 2 && plainParts(t.text) || exhibitName(t.text) {
		return true
	}
	endsLine := strings.HasPrefix(c.text[t.end:], "\n")
	if endsLine && t.letters == 0 && t.digits <= 3 && headingNouns.has(before.next()) {
		return true // the page in a table of contents
	}

	if c.ordinaryNumber(t, before) || c.drawn(t, before) || c.catalogued(t, before) || c.reported(t) {
		return true
	}

	switch {
	case courtOfJustice(t), machine(t), protocol(t), camera(t), masked(t.text), stamped(t):
		return true
	case publicRoom(t, before), clockTime(t.text), discoveryNumber(t, before):
		return true
	}

	return standard(t, before) || chamberReport(t, before) || c.announced(t, before) || c.measured(t, before)
}

// courtFiles stand before the number of a case.
var courtFiles = setOf(`docket docketed case file account`)

// fiscalYear reports whether a token is two years that follow each other: "1987/88".
func fiscalYear(t *token) bool {
	if len(t.text) != len("1987/88") || t.digits != 6 || t.text[4] != '/' {
		return false
	}
	if century := t.text[:2]; century != "19" && century != "20" {
		return false
	}
	first, second := int(t.text[2]-'0')*10+int(t.text[3]-'0'), int(t.text[5]-'0')*10+int(t.text[6]-'0')

	return second == (first+1)%100
}

// monthInside reports whether a token is a date with the short form of its month between dashes: "26-FEB-1987".
func monthInside(t *token) bool {
	if t.letters != 3 || t.dashes != 2 || t.digits > 6 {
		return false
	}
	day, rest, _ := strings.Cut(t.text, "-")
	month, year, _ := strings.Cut(rest, "-")
	if len(day) > 2 || len(year) != 2 && len(year) != 4 {
		return false
	}

	return len(month) == 3 && known(month)&lexicon.Calendar != 0
}

// publicRoom reports whether a token is the number of a room in a court or another public building: "Room W-291",
// "Saal C-459".
func publicRoom(t *token, before *lead) bool {
	return rooms.has(before.next()) && t.digits <= 4 && t.letters <= 2 && t.marks() <= 1
}

// discoveryNumber reports whether a token numbers what a party asks for in discovery, or a range of it: "Interrogatory
// Nos. 4-9".
func discoveryNumber(t *token, before *lead) bool {
	if t.letters > 0 || t.digits > 4 || t.marks() > 1 || before.n < 2 {
		return false
	}

	return counted.has(before.next()) && discovery.has(before.words[1])
}

var discovery = setOf(`interrogatory interrogatories request requests rog rogs rfp rfps rfa rfas admission admissions
		production topic topics question questions exhibit exhibits deposition count counts objection objections`)

// clockTime reports whether a token is a time of day as French writes it: "9h30", "14h".
func clockTime(s string) bool {
	hour, minute, ok := strings.Cut(strings.ToLower(s), "h")
	if !ok || strings.Trim(hour+minute, tenDigits) != "" || minute >= "60" {
		return false
	}

	// "9h3" is no time of day; a number with one letter is a code.
	if len(minute) != 0 && len(minute) != 2 {
		return false
	}

	return len(hour) == 1 || len(hour) == 2 && hour < "25"
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
	first := strings.IndexAny(s, tenDigits)
	if first < 0 || !exhibitWords.has(strings.ToLower(strings.TrimRight(s[:first], "-_."))) {
		return false
	}

	return strings.Trim(s[first:], "0123456789-_.wdvx") == ""
}

var exhibitWords = setOf(`ptx dtx jtx px dx jx pltf gx cx rx bates ex exh exhibit exv dex xex att attachment annex
	appendix schedule tab scan scans scanned scanner img`)

// footnoted reports whether a word is an ordinary one and no name, with the number of a footnote behind it:
// "Facts1".
func footnoted(s string) bool {
	first := strings.IndexAny(s, tenDigits)
	f := known(s[:first])

	return f&lexicon.Common != 0 && f&(lexicon.Given|lexicon.Surname|lexicon.KnownProper) == 0
}

// dated reports whether a token is a date, a year, or a day with its month behind it.
func (c *codes) dated(t *token) bool {
	if dateLike(t.text) || yearLike(t) {
		return true
	}

	return t.letters == 0 && t.digits <= 2 && c.monthAfter(t.end)
}

// courtOfJustice reports whether the token is a case number of the Court of Justice of the European Union, such
// as C-131/12, which is how its judgments are cited.
func courtOfJustice(t *token) bool {
	if t.letters != 1 || t.dashes != 1 || t.slashes != 1 {
		return false
	}

	return strings.IndexByte("CTF", t.text[0]) >= 0 && t.text[1] == '-' && digit(t.text[2])
}

// reported reports whether the token is the year and number of a judgment in the European Case Law Identifier of a
// court of the Union: "EU:T:2007:289".
func (c *codes) reported(t *token) bool {
	if t.colons != 1 {
		return false // most numbers
	}
	lead := c.text[:t.start]

	return strings.HasSuffix(lead, "EU:C:") || strings.HasSuffix(lead, "EU:T:") || strings.HasSuffix(lead, "EU:F:")
}

// machine reports whether a token was made by a machine for a machine: an instant, a UUID, a digest. Our own
// ids are UUIDs, with a kind before them ("agt_") or the number of an event behind (":3").
func machine(t *token) bool {
	s := t.text
	if kind, rest, ok := strings.Cut(s, "_"); ok && len(kind) <= 4 && len(rest) == uuidLength {
		s = rest
	} else if t.colons == 1 {
		s = s[:strings.IndexByte(s, ':')]
	}
	if instant(s) || t.dashes == 4 && len(s) == uuidLength && uuid(s) {
		return true
	}

	return t.letters > 0 && t.dashes == 0 && hexDigest(s)
}

// instant reports whether s is a time as machines write it (ISO 8601): "2024-03-11T10:15:22Z", "20240311T101522Z".
func instant(s string) bool {
	if len(s) < len("20240311T101522") || s[8] != 'T' && s[10] != 'T' {
		return false
	}

	return (s[0] == '1' || s[0] == '2') && strings.Trim(s, "0123456789-:.TZ") == ""
}

// hexDigest reports whether s has the length of a digest of MD5, SHA-1 or SHA-256, and nothing but hexadecimal digits.
func hexDigest(s string) bool {
	switch len(s) {
	case 32, 40, 64:
	default:
		return false
	}

	for i := range len(s) {
		if !hexDigit(s[i]) {
			return false
		}
	}

	return true
}

// standard reports whether a token names a public form, a standard or a task code of UTBMS (L100 to L690, A101
// and so on), by itself or behind a word that says so.
func standard(t *token, before *lead) bool {
	// Longer codes have room for somebody's number behind the letters.
	if len(t.text) > longestStandard {
		return false
	}
	if len(t.text) == len("L100") && t.digits == 3 && strings.IndexByte("LAECPB", t.text[0]) >= 0 && t.text[1] <= '6' {
		return true
	}
	name := strings.ToLower(t.text[:strings.IndexAny(t.text, tenDigits)])
	// The forms I-485, N-400, G-639.
	if len(name) == len("i-") && strings.IndexByte("ing", name[0]) >= 0 && t.digits == 3 && t.letters == 1 {
		return true
	}

	if standards.has(before.next()) {
		return true
	}
	if makers.has(before.next()) && len(t.text) <= longestModel {
		return true
	}
	if t.letters == 0 {
		return false
	}

	if t.digits == 3 && name == "mt" {
		return true // a message of banks
	}
	if t.digits <= 3 && guidances.has(name) && before.has(guiding, neighbours) {
		return true // a guideline of medicine
	}

	return before.has(forms, 1) || standards.has(strings.TrimSuffix(name, "-"))
}

// guidances are series of guidelines, behind one of the words for them.
var (
	guidances = setOf(`ng ta qs cg ipg hst dg mtg ph sg`)
	guiding   = setOf(`nice guideline guidelines guidance appraisal`)
)

const (
	longestStandard = len("CC-BY-NC-SA-4.0")
	longestModel    = len("737-800ER")
)

// camera reports whether a token is the name that a camera or a telephone gives to a picture: a prefix, a day
// and a time.
func camera(t *token) bool {
	s, extension := t.text, ""
	if dot := strings.LastIndexByte(s, '.'); dot > 0 {
		s, extension = s[:dot], s[dot+1:]
	}
	first := strings.IndexAny(s, tenDigits)
	if first < 0 {
		return false // "meeting_minute.mp4" has its figure in the extension
	}
	if len(extension) > 4 || first > len("Screenshot_") || len(s)-first != len("20240311_101522") ||
		strings.IndexByte("_-", s[first+8]) < 0 {
		return false
	}

	prefix, day, clock := s[:first], s[first:first+8], s[first+9:]
	if strings.Trim(prefix, "ACDGILMNOPRSTVXWEacdghilmnoprestvxw_-") != "" || strings.Trim(day+clock, tenDigits) != "" {
		return false
	}
	if !strings.HasPrefix(day, "19") && !strings.HasPrefix(day, "20") {
		return false
	}

	return day[4:6] <= "12" && day[6:] <= "31" && clock[:2] < "24"
}

// chamberReport reports whether a token is the number of a report of a house of parliament: "House Report
// 94-1476".
func chamberReport(t *token, before *lead) bool {
	if t.dashes != 1 || t.letters > 0 || before.n < 2 {
		return false
	}
	noun := before.next()

	return (noun == "report" || noun == "rep") && houses.has(before.words[1])
}

var houses = setOf(`house senate conference conf assembly commons lords committee`)

// protocol reports whether a token names a version of something, such as HTTP/1.1.
func protocol(t *token) bool {
	name, version, ok := strings.Cut(t.text, "/")
	if !ok || t.slashes != 1 || t.dots != 1 || t.digits > 4 {
		return false
	}

	return len(version) == len("1.1") && version[1] == '.' && !digit(name[0])
}

// masked reports whether somebody has already put signs in place of most of a number.
func masked(s string) bool {
	return strings.Count(s, "x")+strings.Count(s, "X") >= 4
}

// bates reports whether a token is the stamp of a page in a production of documents: a prefix and a number
// filled up with zeros.
func bates(t *token) bool {
	if cut := strings.LastIndexByte(t.text, '-'); cut > 0 && t.letters >= 3 && t.digits >= 6 {
		number := t.text[cut+1:]

		return strings.Trim(t.text[:cut], capitalLetters+"-") == "" && strings.HasPrefix(number, "00") &&
			strings.Trim(number, tenDigits) == ""
	}

	if t.letters < 2 || t.digits < 5 || t.changes != 1 || t.marks() != t.underscores {
		return false
	}

	return !digit(t.text[0]) && strings.HasPrefix(strings.TrimLeft(t.text, capitalLetters+"_"), "00")
}

// ordinaryNumber reports whether a token is one of the numbers that everybody's papers have.
func (c *codes) ordinaryNumber(t *token, before *lead) bool {
	switch {
	case visa(t), messenger(t.text), c.bundled(t), bates(t), dispensed(t.text):
		return true
	case t.letters > 0:
		return false
	case before.next() == "matter":
		return t.digits <= 4
	}

	return t.marks() == 0 && t.digits <= 2 && fewMatters.has(before.next()) // counted, not registered
}

// fewMatters are numbered by whoever has a few of them.
var fewMatters = setOf(`matter case claim file no nos nr number numbers`)

// stamped reports whether a token is a Bates number, or two that are the ends of a range.
func stamped(t *token) bool {
	first, last, ranged := strings.Cut(t.text, "-")
	if !ranged {
		return bates(t)
	}

	if one := tokenOf(first); bates(&one) && len(last) <= len(first) && strings.Trim(last, tenDigits) == "" {
		return true // DEF_0014417-4502
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
	return t.slashes == 1 && t.digits <= 6 && t.letters+t.marks() == 1 && before.has(vitals, 2)
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
	"OGH,", "OGH ", "VfGH ", "VwGH ", "BGH,", "BGH ", "BVerfG,", "BVerfG ", "BAG,", "BAG ", "BVerwG,", "BFH,", "BFH ",
	"BSG,", "BPatG,", "EuGH,", "Cass. ", "Cour de cassation", "CE,", "Cons. const.", "CJUE,", "STS ", "STC ", "ATS ",
	"STJUE ", "Hoge Raad",
}

// citingFillers stand between a citing word and one more number: "sections 12 through 14", "Regulation (EC) No 1".
var citingFillers = setOf(`no nos nr number numbers ec eu eec and to or through thru`)

// bundled reports whether a token is a page of a bundle of documents, in brackets of its own: "[CB/2/112-160]",
// "[Bundle/214]".
func (c *codes) bundled(t *token) bool {
	if t.slashes == 0 || t.start == 0 || strings.IndexByte("[{(", c.text[t.start-1]) < 0 ||
		len(t.text) > longestBundled {
		return false
	}
	if t.end == len(c.text) || strings.IndexByte("]})", c.text[t.end]) < 0 {
		return false
	}

	for i, part := range strings.FieldsFunc(t.text, func(r rune) bool { return r == '/' || r == '-' }) {
		if i == 0 && !upper(part[0]) || i > 0 && len(part) > len("999") {
			return false
		}
	}

	return true
}

const longestBundled = len("Bundle/A1/112-160")

// dispensed reports whether a token is a rule or a measure that everybody calls by its number: "10b5-1", "24x7x365",
// or a decision of the Swiss Federal Supreme Court, "4A_124/2014".
func dispensed(s string) bool {
	switch {
	case s == "24/7/365", sectionOfRule(s), recordPage(s):
		return true
	case strings.HasSuffix(s, "xNBD") && strings.Trim(s, tenDigits+"xNBD") == "":
		return true // the next business day
	case strings.IndexByte(s, 'x') > 0 && strings.Trim(s, tenDigits+"x") == "" && !strings.Contains(s, "xx"):
		return true
	case len(s) == len("2013-NMSC-045") && s[4] == '-' && s[9] == '-' && strings.Trim(s[5:9], capitalLetters) == "":
		return true
	}
	if len(s) < len("4A_1/2014") || s[2] != '_' || !digit(s[0]) || !upper(s[1]) {
		return false
	}
	number, year, ok := strings.Cut(s[len("4A_"):], "/")

	return ok && len(year) == len("2014") && strings.Trim(number+year, tenDigits) == ""
}

// recordPage reports whether a token is a page of a volume of a record: "V2/p114".
func recordPage(s string) bool {
	volume, page, ok := strings.Cut(s, "/p")
	if !ok || len(volume) < 2 || len(volume) > 3 || page == "" {
		return false
	}

	return volume[0] == 'V' && strings.Trim(volume[1:]+page, tenDigits) == "" && len(page) <= 5
}

// sectionOfRule reports whether a token is a rule with letters in its number, "10b5-1", "14a-8", pages of an
// appendix, "233a-235a", or a code of a disease, "G47.33".
func sectionOfRule(s string) bool {
	if len(s) == len("G47.33") && s[3] == '.' {
		return upper(s[0]) && strings.Trim(s[1:], tenDigits+".") == ""
	}
	first, last, ok := strings.Cut(s, "-")
	number := strings.TrimLeft(first, tenDigits)
	if !ok || len(first) > 4 || number == first {
		return false
	}

	return number != "" && lower(number[0]) && strings.Trim(last, tenDigits+"a") == ""
}
