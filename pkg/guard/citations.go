package guard

import (
	"cmp"
	"slices"
	"strings"

	"github.com/subrosa-legal/subrosa/pkg/legaltext"
)

// citations finds references to published decisions, statutes and rules before anything else is looked for:
// their numbers and abbreviations identify nobody.
type citations struct {
	text   string
	memory *memory // of the text, in which the parties of cited cases are noted
	found  []span  // in order, without overlaps
	seats  []span  // addresses of courts, in order
	courts []span  // names of courts, in order, which may stand inside citations
	lower  string  // the text with its ASCII letters in lower case, once it is asked for
}

// series are the reports and collections that are cited by volume and page, without dots and blanks: The
// Bluebook, tables T1 and T2, and the usual British, Commonwealth and European ones.
var series = setOf(`slt sclr indec us sct led led2d f f2d f3d f4th fappx fsupp fsupp2d fsupp3d frd br fedcl fedreg ctcl
	tc mj vetapp usc usca uscs usclexis cfr stat usdistlexis usapplexis uslexis wl a a2d a3d ne ne2d ne3d nw nw2d p p2d
	p3d se se2d sw sw2d sw3d so so2d so3d cal cal2d cal3d cal4th cal5th calapp calapp2d calapp3d calapp4th calapp5th
	calrptr calrptr2d calrptr3d ny ny2d ny3d ad ad2d ad3d misc misc2d misc3d nys nys2d nys3d ill ill2d illapp illapp2d
	illapp3d illdec mass massappct nj njsuper ohiost ohiost2d ohiost3d ohioapp3d pa pasuper tex texapp wash wash2d
	washapp mich michapp minn wis wis2d va vaapp nc ncapp ga gaapp fla conn connapp colo or orapp md mdapp ariz ark ind
	kan ky la me mo mont neb nev nh nm okla ri sc tenn utah vt wva wyo haw idaho iowa ala alaska del dc miss ilcs comp
	fcc sec nlrb wlr ac qb kb ch aller fam flr crappr lloydsrep bclc icr irlr jc sccr gwd scotcs scothc exch ehrr ecr
	cmlr clr scr dlr or3d alr nswlr vr nzlr scr3d rcs oj bverfge bghz bgbl`)

// lawCodes are the abbreviations of collections of statutes that are cited by section.
var lawCodes = setOf(`rcw oar wac njsa njs nrs krs ors mcl mcla ars crs ocga gl mgl rc ic ksa rsmo sdcl tca pacs cs cgs
	rsa ilcs usc usca cfr ucc frcp fre frap frbp frcrp ftca nycrr cplr gol bcl rpl rpapl dcmr hrs nmsa ndcc gs pl fs os
	acar aca njac cmr orc ccpr sbc ucca vsa wsa mrs mrsa msa arsa cca ccp cpc crc zpo stgb bgb gg abgb or zgb`)

// citeSigns are the bytes at which a citation or an id begins, or by which it is known.
var citeSigns = stopsAt(func(c byte) bool { return digit(c) || upper(c) || c == 0xc2 || c == '-' || c == '[' })

// small returns the text with its ASCII letters in lower case, which many rules share.
func (c *citations) small() string {
	if len(c.lower) != len(c.text) {
		c.lower = smallASCII(c.text)
	}

	return c.lower
}

// end is where the last citation ends.
func (c *citations) end() int {
	if len(c.found) == 0 {
		return 0
	}

	return c.found[len(c.found)-1].end
}

// scan finds citations one after the other.
func (c *citations) scan() {
	if c.memory == nil {
		c.memory = newMemory()
	}

	for i := citeSigns.after(c.text, 0); i < len(c.text); i = citeSigns.after(c.text, i) {
		start, end := i, 0
		switch b := c.text[i]; {
		case b == '-':
			// Ids of records are no words, and would be read as codes.
			if start = i - uuidDash; start >= c.end() && uuidAt(c.text, start) {
				end = start + uuidLength
			}
		case digit(b) && (i == 0 || !wordByte(c.text[i-1]) && c.text[i-1] != '.'):
			if end = max(c.volume(i), c.publicDomain(i)); end > 0 {
				start, end = c.caseName(i, end), c.court(end)
			}
		case b == 0xc2 && i+1 < len(c.text) && (c.text[i+1] == 0xa7 || c.text[i+1] == 0xb6): // § and ¶
			if end = c.sections(i); end > 0 {
				start = c.codeName(i)
			}
		case b == '[':
			if end = c.reported(i); end > 0 {
				start = c.reportedName(i)
			}
		case upper(b) && (i == 0 || !wordByte(c.text[i-1])):
			if end = c.statute(i); end > 0 {
				break
			}
			n := legaltext.Court(c.text[i:])
			// A State alone is its highest court, but only in the bracket of a citation: "(Ga. 1998)".
			if n == 0 && i > 0 && c.text[i-1] == '(' {
				n = c.stateAlone(i)
			}
			if n > 0 {
				// Courts are kept apart: a name of one may stand inside a citation that is found later.
				c.courts = append(c.courts, span{start: i, end: i + n})
				i += n

				continue
			}
		}
		if end > i {
			c.found = append(c.found, span{start, end, kindCitation, ruleCitation})
			i = end

			continue
		}
		i++
	}
}

// uuidLength is that of a UUID, in bytes.
const uuidLength = len("01234567-0123-0123-0123-012345678901")

// uuidDash is where its first hyphen stands.
const uuidDash = len("01234567")

// uuidAt reports whether a UUID, and not the end of something longer, begins at byte i.
func uuidAt(text string, i int) bool {
	return (i == 0 || !alphanumeric(text[i-1])) && uuid(text[i:])
}

// uuid reports whether text begins with a UUID. Its letters are no words and its digits no numbers.
func uuid(text string) bool {
	if len(text) < uuidLength || len(text) > uuidLength && alphanumeric(text[uuidLength]) {
		return false
	}

	for i := range uuidLength {
		if dash := i == 8 || i == 13 || i == 18 || i == 23; dash != (text[i] == '-') || !dash && !hexDigit(text[i]) {
			return false
		}
	}

	return true
}

// inCourt reports whether byte i lies in the name of a court.
func (c *citations) inCourt(i int) bool {
	at, _ := slices.BinarySearchFunc(c.courts, i, func(s span, i int) int { return cmp.Compare(s.end, i+1) })
	return at < len(c.courts) && c.courts[at].start <= i
}

// inFound reports whether byte i lies in a citation.
func (c *citations) inFound(i int) bool {
	at, _ := slices.BinarySearchFunc(c.found, i, func(s span, i int) int { return cmp.Compare(s.end, i+1) })
	return at < len(c.found) && c.found[at].start <= i
}

// covers reports whether byte i lies in a citation, and where that ends.
func (c *citations) covers(i int, next *int) (end int, ok bool) {
	// Callers ask in ascending order, so that the search goes on where the last one ended.
	for *next < len(c.found) && c.found[*next].end <= i {
		*next++
	}
	if *next < len(c.found) && c.found[*next].start <= i {
		return c.found[*next].end, true
	}

	return 0, false
}

// longestCaseName bounds how far before the volume the name of the case may begin, in bytes.
const longestCaseName = 160

// caseName returns where the name of the decided case begins that is cited from byte i to byte end, "Bell Atl. Corp.
// v. Twombly, " or "In re Enron Corp., ", and i itself where there is none. Names in it are those of published
// decisions.
func (c *citations) caseName(i, end int) int {
	least := max(0, i-longestCaseName)
	// A name cannot reach into the citation before it.
	if len(c.found) > 0 {
		least = max(least, c.found[len(c.found)-1].end)
	}
	lead := unbroken(c.text[least:i])
	if cut := strings.LastIndexByte(lead, ';'); cut >= 0 {
		lead = lead[cut+1:]
	}
	name := lead
	if year := len(name) - len(" (2019) "); year > 0 && name[year:year+2] == " (" && strings.HasSuffix(name, ") ") {
		name = name[:year] + ", " // as California cites: the year stands before the volume
	}
	if !strings.HasSuffix(name, ", ") {
		return i
	}

	given := c.text[i-len(lead) : i-len(lead)+len(name)-len(", ")]
	if at := c.entitled(name, given); at >= 0 {
		return i - len(lead) + at
	}
	at := max(strings.LastIndex(name, " v. "), strings.LastIndex(name, " vs. "))
	// Without a "v." it is the short form of a case, or a person who happens to stand there.
	if at < 0 || !plainName(strings.TrimSpace(name[at+len(" v."):])) {
		return i - len(lead) + shortName(given, len(lead), strings.Contains(c.text[i:end], "at "))
	}

	start := i - len(lead)

	return c.versusName(start+firstParty(given[:at]), start+at, i)
}

// entitled returns where the name of a case begins in lead that says what it is about, "In re Enron Corp., ", -1 for
// none. given is lead with its line ends and without the comma.
func (c *citations) entitled(lead, given string) int {
	if !strings.Contains(lead, " of ") && !strings.Contains(lead, " re ") && !strings.Contains(lead, " parte ") {
		return -1 // most names
	}

	for _, opening := range []string{
		"In re ", "In the Matter of ", "Matter of ", "Ex parte ", "Estate of ", "Conservatorship of ",
		"Guardianship of ", "Marriage of ", "Adoption of ",
	} {
		at := strings.LastIndex(lead, opening)
		if at > 0 && lead[at-1] == '(' {
			return -1 // "Bell v. United States (In re Bell), "
		}
		if at >= 0 && plainName(lead[at+len(opening):]) && firstParty(given) <= at+len(opening) {
			return at
		}
	}

	return -1
}

// unbroken returns s with each line end as a blank, from the last end of a paragraph on. A line that ends in
// the middle of a sentence ends no paragraph, though a blank line follows it, as in text taken from pages.
func unbroken(s string) string {
	if !strings.Contains(s, "\n") {
		return s
	}

	b := []byte(s)
	start := 0

	for i, c := range b {
		if c != '\n' {
			continue
		}
		b[i] = ' '
		// Pages break inside sentences: the blank line of a page ends nothing behind "v.".
		ends := strings.HasPrefix(s[i+1:], "\n") && !strings.HasSuffix(s[:i], " v.")
		if ends && i > 0 && strings.IndexByte(".:!?", s[i-1]) >= 0 {
			start = i + 1
		}
	}

	return string(b[start:])
}

// shortName returns where the name of a decision begins by which it is cited once more: one to three capitalised words
// before a page, "Liberty Lobby, 477 U.S. at 248", and one before a whole citation. none stands for no such name.
func shortName(s string, none int, page bool) int {
	start := none

	for words, end := 0, len(s); words < 3 && end > 0; words++ {
		word := strings.LastIndexAny(strings.TrimRight(s[:end], " \n"), " \n") + 1
		w := strings.TrimSpace(s[word:end])
		if !capital(w) || signals.has(strings.ToLower(w)) {
			break
		}
		if strings.HasSuffix(w, ".") || strings.ContainsAny(w, ",()[]"+cellEnds) {
			break
		}
		if words > 0 && strings.IndexByte(s[word:end], '\n') >= 0 {
			break
		}
		// Before a whole citation more than one word would be the person of the sentence.
		if words > 0 && !page {
			return none
		}
		start, end = word, word
	}

	return start
}

// plainName reports whether s holds no sentence of its own: names, abbreviations and what joins them.
func plainName(s string) bool {
	for w := range strings.FieldsSeq(s) {
		if w = strings.Trim(w, ",()"); w != "" && !capital(w) && !joinsNames.has(w) && !digit(w[0]) {
			return false
		}
	}

	return true
}

var (
	joinsNames = setOf(`of the & and for ex rel. de la del van von der d/b/a et al. in on a v. vs. re`)
	signals    = setOf(`see cf. accord e.g., id. compare also but in under from citing quoting`)
)

// longestCourt bounds the parenthesis behind a citation, in bytes.
const longestCourt = 60

// court takes in the parenthesis that names the court and the year: "(S.D. Tex. 2002)".
func (c *citations) court(end int) int {
	rest := c.text[end:min(len(c.text), end+longestCourt)]
	if !strings.HasPrefix(rest, " (") {
		return end
	}
	inner, _, closed := strings.Cut(rest[len(" ("):], ")")
	if !closed || len(inner) < 4 {
		return end
	}
	year := inner[len(inner)-4:]
	if strings.Trim(year, tenDigits) != "" || year[0] != '1' && year[0] != '2' {
		return end
	}

	return end + len(" (") + len(inner) + 1
}

// pinned steps over the blanks, and the "at" of a short citation, before the page: "733 F.2d at 218".
func (c *citations) pinned(j int) int {
	rest := strings.TrimLeft(c.text[j:min(len(c.text), j+longestVolume)], " \n")
	j += min(len(c.text)-j, longestVolume) - len(rest)
	if page, ok := strings.CutPrefix(c.text[j:], "at"); ok {
		if figures := strings.TrimLeft(page, " \n*"); figures != "" && digit(figures[0]) && len(figures) < len(page) {
			return len(c.text) - len(figures)
		}
	}

	return j
}

// reporter reports whether a name is that of a series of reports. A name that the database alone knows has a
// dot or a digit, since some are words otherwise.
func (c *citations) reporter(name []byte, start, end int) bool {
	if series.has(string(name)) {
		return true
	}

	if stateCodes.has(string(name)) && c.text[start-1] == ' ' {
		year := tokenOf(c.text[max(0, start-len("2015 ")) : start-1])
		return yearLike(&year) // 2015 WI 33
	}

	return legaltext.Reporter(name) && strings.ContainsAny(c.text[start:end], ".0123456789")
}

// The longest volume number and the longest name of a series, in bytes.
const (
	longestVolume = 4
	longestSeries = 24
)

// volume reads "550 U.S. 544, 555-56 (2007)", "2019 WL 1234567, at *3" and "42 U.S.C. § 1983" and returns the
// end, 0 for none.
func (c *citations) volume(i int) int {
	at := i
	for at < len(c.text) && digit(c.text[at]) {
		at++
	}
	if at-i > longestVolume || at+1 >= len(c.text) || !upper(c.text[at+1]) {
		return 0
	}
	if c.text[at] != ' ' && c.text[at] != '\n' { // a line may end behind the volume
		return 0
	}
	var name [longestSeries]byte
	n := 0

	for j := at + 1; j < len(c.text) && j-at < 2*longestSeries; {
		b := c.text[j]
		switch {
		case strings.IndexByte(" .'\n&", b) >= 0:
			j++
			if (b == ' ' || b == '\n') && c.reporter(name[:n], at+1, j) {
				j = c.pinned(j)
				for _, part := range []string{"Parts ", "Part ", "Chapter "} {
					if !strings.HasPrefix(c.text[j:], part) {
						continue
					}
					j += len(part)
					if word, _, _ := strings.Cut(c.text[j:min(len(c.text), j+longestVolume)], "\n"); roman(
						strings.TrimRight(word, " .,;)"),
					) {
						return j + len(strings.TrimRight(word, " .,;)"))
					}
				}
				if c.docketPage(i, j) {
					return 0
				}
				if end := c.page(j); end > 0 && (n > 1 || strings.IndexByte(c.text[j:end], '/') < 0) {
					return end // "12 F 45/24" is a case of a German family court
				}
			}
		case alphanumeric(b) && n < len(name):
			if upper(b) {
				b += 'a' - 'A'
			}
			name[n] = b
			n++
			j++
		default:
			if b == 0xc2 && c.reporter(name[:n], at+1, j) {
				return c.sections(j)
			}

			return 0
		}
	}

	return 0
}

// docketPage reports whether what would be the volume at byte i and the page at byte j are a year and the number of a
// case, which pages are not filled up like: "2026 CH 04417".
func (c *citations) docketPage(i, j int) bool {
	year := c.text[i:min(len(c.text), i+len("2026 "))]
	if len(year) < len("2026 ") || year[4] != ' ' || year[:2] != "19" && year[:2] != "20" {
		return false
	}

	return j+1 < len(c.text) && c.text[j] == '0' && digit(c.text[j+1])
}

// publicDomain reads the number that some States give their decisions, "2013-NMSC-045", "2015-Ohio-1234", and returns
// the end, 0 for none.
func (c *citations) publicDomain(i int) int {
	s := c.text[i:min(len(c.text), i+longestPublic)]
	if len(s) < len("2013-NM-1") || s[4] != '-' || strings.Trim(s[:4], tenDigits) != "" {
		return 0
	}
	court := strings.IndexByte(s[5:], '-')
	if court < 2 || !upper(s[5]) || !publicCourts.has(toLower(s[5:5+court])) {
		return 0
	}

	at := 5 + court + 1

	end := at
	for end < len(s) && digit(s[end]) {
		end++
	}
	if end == at || end < len(s) && (s[end] == '-' || alphanumeric(s[end])) {
		return 0
	}

	return i + end
}

// longestPublic bounds such a number, in bytes.
const longestPublic = len("2013-NMCERT-01234 ")

// publicCourts are the courts in such numbers.
var publicCourts = setOf(`nmsc nmca nmcert ohio`)

// page reads the page or section behind a series with what belongs to it: pin cites, the star of a database,
// the court and the year.
func (c *citations) page(i int) int {
	if i < len(c.text) && c.text[i] == 0xc2 {
		return c.sections(i)
	}
	end := c.figures(i)
	if word := c.text[i:end]; word == "" || ordinalOfSeries(word) {
		return 0
	}

	for {
		next := end
		// The longer joints come first, since the shorter ones begin them.
		for _, joint := range []string{", at *", ", at ", " at *", " at ", ", *", ", ", " through ", "-", "–", " n."} {
			if strings.HasPrefix(c.text[end:], joint) {
				if last := c.figures(end + len(joint)); last > end+len(joint) && c.pin(end+len(joint), last) {
					next = last
				}

				break
			}
		}
		if next == end {
			return end
		}
		end = next
	}
}

// ordinalOfSeries reports whether a word counts a series of reports, as "2d" and "4th" do, and is no page.
func ordinalOfSeries(word string) bool {
	return len(word) == len("2d") && strings.HasSuffix(word, "d") ||
		len(word) == len("4th") && strings.HasSuffix(word, "th")
}

// pin reports whether what was read is a page and not the volume of the next citation.
func (c *citations) pin(start, end int) bool {
	next := end+1 < len(c.text) && c.text[end] == ' ' && upper(c.text[end+1])
	return end-start <= longestSeries && !next
}

// figures reads digits with hyphens, dots, colons and bracketed subdivisions: 2000e-2, 12(b)(6), 505/2.
func (c *citations) figures(i int) int {
	if i == len(c.text) || !digit(c.text[i]) {
		return i
	}

	for i < len(c.text) {
		b := c.text[i]
		switch {
		case alphanumeric(b):
			i++
		case strings.IndexByte("-.:/", b) >= 0 && i+1 < len(c.text) && alphanumeric(c.text[i+1]):
			i++
		case b == '(':
			end := strings.IndexByte(c.text[i:min(len(c.text), i+6)], ')')
			if end < 2 || !alphanumeric(c.text[i+1]) {
				return i
			}
			i += end + 1
		default:
			return i
		}
	}

	return i
}

// sections reads § or ¶, once or twice, and the numbers behind it.
func (c *citations) sections(i int) int {
	at := i
	for strings.HasPrefix(c.text[at:], "§") || strings.HasPrefix(c.text[at:], "¶") {
		at += len("§")
	}

	for at < len(c.text) && c.text[at] == ' ' {
		at++
	}
	end := c.figures(at)
	if end == at {
		return 0
	}

	return c.subdivision(c.list(end))
}

// longestCodeName bounds the name of a code before its section, in bytes.
const longestCodeName = 60

// codeWords end the name of a code, with its dots.
var codeWords = setOf(`code codes law laws act acts stat. stats. statutes ann. reg. regs. regulations gen. const.
	rules`)

// codeName returns where the name of the code before byte i begins, "N.Y. Gen. Oblig. Law § ", "Cal. Bus. &
// Prof. Code § ", and i itself where there is none.
func (c *citations) codeName(i int) int {
	least := max(0, i-longestCodeName)
	if len(c.found) > 0 {
		least = max(least, c.found[len(c.found)-1].end)
	}

	start, named := i, false
	for {
		lead := strings.TrimRight(c.text[least:start], " ,")
		at := strings.LastIndexAny(lead, " \n([") + 1
		// The name may begin before the stretch that is looked at, and half a name is none.
		if at == 0 && least > 0 || at == len(lead) {
			return start
		}

		switch w := lead[at:]; {
		case codeWords.has(strings.ToLower(w)), w == "C." && start == i:
			named = true
		case !named || w != "&" && (!capital(w) || w[len(w)-1] != '.'):
			return start
		}
		start = least + at
	}
}

// list reads further numbers: "1331, 1332 and 1367", "201-203".
func (c *citations) list(end int) int {
	for {
		next := end
		for _, joint := range []string{", and ", " and ", ", ", "; ", " to ", " through ", "-", "–", " & ", " or "} {
			if strings.HasPrefix(c.text[end:], joint) {
				if last := c.figures(end + len(joint)); last > end+len(joint) && c.pin(end+len(joint), last) {
					next = last
				}

				break
			}
		}
		if next == end {
			return end
		}
		end = next
	}
}
