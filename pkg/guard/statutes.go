package guard

import (
	"strings"
	"unicode/utf8"
)

// Statutes, rules of court and British reports, which are cited by an abbreviation and a number.

// statute reads "RCW 19.86.020", "N.J.S.A. 2A:18-61.1", "M.G.L. c. 149, § 148" and "Fed. R. Civ. P. 12(b)(6)" at a
// capital letter and returns the end, 0 for none.
func (c *citations) statute(i int) int {
	var name [longestSeries]byte

	n, j := 0, i
	for j < len(c.text) && n < len(name) && (alphanumeric(c.text[j]) || c.text[j] == '.') {
		if c.text[j] != '.' {
			name[n] = c.text[j] | 0x20
			n++
		}
		j++
	}
	// Nearly every capitalised word ends here.
	if n < len(name) && n == j-i && beginsNoCode(c.text[i:j]) {
		return c.senate(i)
	}
	known := n >= 2 && lawCodes.has(string(name[:n]))
	if j < len(c.text) && c.text[j] == ' ' && known && strings.ToUpper(c.text[i:j]) == c.text[i:j] {
		if end := c.figures(j + 1); end > j+1 {
			return c.list(end)
		}
	}
	if end := c.dottedCode(i, j, known); end > 0 {
		return end
	}
	if end := c.stateCode(i); end > 0 {
		return end
	}
	if end := c.senate(i); end > 0 {
		return end
	}

	for _, rules := range rulesOfCourt {
		if rest, ok := strings.CutPrefix(c.text[i:], rules); ok {
			at := len(c.text) - len(rest)
			if end := c.figures(at); end > at {
				return c.list(end)
			}
		}
	}

	return 0
}

// beginsNoCode reports whether a word without a dot can begin no citation but that of a senate, as most words do: it
// ends in a small letter, and no State and no rule of court begins with it.
func beginsNoCode(word string) bool {
	return len(word) > 1 && lower(word[len(word)-1]) && !wholeMakers.has(word) && !beginsRule.has(word)
}

// beginsRule are the first words of rulesOfCourt.
var beginsRule = func() wordSet {
	first := make([]string, len(rulesOfCourt))
	for i, rule := range rulesOfCourt {
		first[i], _, _ = strings.Cut(rule, " ")
	}

	return setOf(strings.Join(first, " "))
}()

// rulesOfCourt are cited by number.
var rulesOfCourt = []string{
	"Fed. R. Civ. P. ", "Fed. R. Crim. P. ", "Fed. R. Evid. ", "Fed. R. App. P. ", "Fed. R. Bankr. P. ", "S. Ct. R. ",
	"Sup. Ct. R. ", "L.R. ", "Local Rule ", "Civ. L.R. ", "CPR ",
}

// dottedCode reads a code that is cited by initials with dots, from byte i to byte j, and what of it is cited:
// "C.R.S. § 25-15-301", "75 Pa.C.S. § 3310", "R.C. Chapter 2506", "K.S.A. 60-1507". known says that the code is one
// of those in lawCodes.
func (c *citations) dottedCode(i, j int, known bool) int {
	initials := dottedInitials(c.text[i:j])
	if initials < 2 || j+2 >= len(c.text) || c.text[j] != ' ' {
		return 0
	}
	at := j + 1

	if strings.HasPrefix(c.text[at:], "§") {
		return c.sections(at)
	}

	for _, part := range partsOfCodes {
		if rest, ok := strings.CutPrefix(c.text[at:], part); ok && rest != "" && digit(rest[0]) {
			end := c.list(c.figures(at + len(part)))
			if strings.HasPrefix(c.text[end:], ", §") {
				end = max(end, c.sections(end+len(", ")))
			}

			return end
		}
	}
	if initials < 3 && !known {
		return 0 // two initials with a number behind them may be a person's, and a docket's
	}
	end := c.figures(at)
	rule := initials >= 3 && strings.IndexByte(c.text[i+1:j], 'R') >= 0 // M.R.Civ.P. 80B
	if end == at || !rule && !strings.ContainsAny(c.text[at:end], "-:.(") {
		return 0
	}

	return c.list(end)
}

// partsOfCodes stand between a code and the number of its part.
var partsOfCodes = []string{
	"c. ",
	"ch. ",
	"Ch. ",
	"Chapter ",
	"Chapters ",
	"chapter ",
	"art. ",
	"Art. ",
	"Article ",
	"tit. ",
	"Title ",
	"pt. ",
	"Part ",
	"sec. ",
	"Sec. ",
	"Section ",
}

// dottedInitials counts the initials of an abbreviation with a dot behind each, of at most three letters: 3 in
// "C.R.S.", 3 in "Pa.C.S.". It is 0 for anything else.
func dottedInitials(s string) int {
	count, letters := 0, 0

	for i := range len(s) {
		switch {
		case s[i] == '.' && letters > 0:
			count, letters = count+1, 0
		case upper(s[i]) && letters == 0, lower(s[i]) && letters > 0 && letters < 3:
			letters++
		default:
			return 0
		}
	}
	if letters > 0 {
		return 0
	}

	return count
}

// reported reads a British citation at the bracket of its year, "[2002] 1 Lloyd's Rep 719", "[2017] EWCA Civ 1314 at
// [41]-[42] (Lindblom LJ)", and returns the end, 0 for none.
func (c *citations) reported(i int) int {
	if i+len("[2002] A 1") >= len(c.text) || c.text[i+5] != ']' || c.text[i+6] != ' ' {
		return 0
	}
	if strings.Trim(c.text[i+1:i+5], tenDigits) != "" {
		return 0
	}
	at := i + len("[2002] ")
	// A series with one volume a year is cited without its number.
	if volume := c.figures(at); volume > at && volume-at <= 2 && c.text[volume] == ' ' {
		at = volume + 1
	}

	series := 0
	for series < longestReport && at < len(c.text) && upper(c.text[at]) {
		for at < len(c.text) && (alphanumeric(c.text[at]) || strings.IndexByte(".'", c.text[at]) >= 0) {
			at++
		}
		if at == len(c.text) || c.text[at] != ' ' {
			return 0
		}
		at++
		series++
	}
	end := c.figures(at)
	if series == 0 || end == at {
		return 0
	}

	return c.said(end)
}

// longestReport is how many words the name of a series of reports has.
const longestReport = 4

// said takes in what stands behind a British citation: the division of the court, paragraphs, and the judge who is
// quoted.
func (c *citations) said(end int) int {
	for range 4 {
		rest := c.text[end:min(len(c.text), end+longestCourt)]
		switch {
		case strings.HasPrefix(rest, " at ["),
			strings.HasPrefix(rest, ", ["),
			strings.HasPrefix(rest, "-["),
			strings.HasPrefix(rest, " ["):
			open := strings.IndexByte(rest, '[')
			inner, _, closed := strings.Cut(rest[open+1:], "]")
			if !closed || len(inner) > 3 || strings.Trim(inner, tenDigits) != "" {
				return end
			}
			end += open + 1 + len(inner) + 1
		case strings.HasPrefix(rest, " ("):
			inner, _, closed := strings.Cut(rest[len(" ("):], ")")
			if !closed || !divisions.has(strings.ToLower(inner)) && !judgeSuffix(inner) {
				return end
			}
			end += len(" (") + len(inner) + 1
		default:
			return end
		}
	}

	return end
}

// divisions are the courts that a neutral citation ends with.
var divisions = setOf(`admin ch comm qb kb fam tcc pat ipec scco costs aac iac lc admlty mercantile civ crim`)

// judgeSuffix reports whether s is the name of a judge as British reports give it: it ends in an office.
func judgeSuffix(s string) bool {
	cut := strings.LastIndexByte(s, ' ')
	return cut > 0 && judgeSuffixes.has(strings.ToLower(s[cut+1:]))
}

var judgeSuffixes = setOf(`jjsc j jj lj ljj jsc dpsc psc mr cj p c vc v-c kc qc`)

// reportedName returns where the name of the case begins that stands right before the bracketed year at byte i:
// "Mansell v Tonbridge and Malling BC ", "The Eurasian Dream ".
func (c *citations) reportedName(i int) int {
	least := max(0, i-longestCaseName)
	if len(c.found) > 0 {
		least = max(least, c.found[len(c.found)-1].end)
	}
	if i == least || strings.IndexByte(" \n", c.text[i-1]) < 0 {
		return i
	}

	named := i
	for at := i - 1; at > least; {
		word := strings.LastIndexAny(c.text[least:at], " \n") + 1 + least
		w := strings.Trim(c.text[word:at], "(),")
		if !inCaseName(w) {
			break
		}
		if upper(w[0]) || w[0] >= utf8.RuneSelf {
			named = word
		}
		if w == "v" || w == "v." {
			return c.versusName(least+firstParty(c.text[least:word]), word, i)
		}
		if strings.HasSuffix(c.text[least:word], "\n\n") {
			break
		}
		at = word - 1
	}
	before := strings.TrimRight(c.text[least:named], " ")
	if strings.HasSuffix(before, "ex p") || strings.HasSuffix(before, "ex parte") || c.knownCase(c.text[named:i]) {
		return named
	}

	return i
}

// inCaseName reports whether a word may stand in the name of a British case.
func inCaseName(w string) bool {
	if w == "" || signals.has(strings.ToLower(w)) || strings.ContainsAny(w, ";:[]") {
		return false
	}
	if strings.HasSuffix(w, ".") && len(w) > len("Ltd.") {
		return false // it ends a sentence
	}

	return upper(w[0]) || w[0] >= utf8.RuneSelf || caseJoints.has(w) || digit(w[0])
}

// caseJoints stand in the names of British cases in lower case.
var caseJoints = setOf(`plc v v. and of the for de van von ex p parte others another & on`)

// senate reads the number of a decision of a German Federal court behind the court's name, "BGH, Urteil vom 24.
// Februar 2016 – VIII ZR 38/15", and returns the end, 0 for none.
func (c *citations) senate(i int) int {
	if strings.IndexByte("IVX", c.text[i]) < 0 {
		return 0 // most words
	}

	numeral, rest, ok := strings.Cut(c.text[i:min(len(c.text), i+longestSenate)], " ")
	register, number, both := strings.Cut(rest, " ")
	if !ok || !both || !roman(strings.TrimRight(numeral, "ab")) {
		return 0
	}
	if len(register) > len("ZR(B)") || number == "" || !digit(number[0]) {
		return 0
	}
	end := c.figures(i + len(numeral) + 1 + len(register) + 1)
	if strings.IndexByte(c.text[end-min(end, 4):end], '/') < 0 {
		return 0
	}

	// Registers of lower courts look alike, and their cases are not published.
	lead := c.text[max(0, i-longestDecision):i]
	for _, court := range highestCourts {
		if strings.Contains(lead, court) {
			return end
		}
	}

	return 0
}

// longestSenate bounds such a number, in bytes.
const longestSenate = len("XVIIIa ZR(B) 1234/15")
