package guard

import "strings"

// Statutes, constitutions, regulations and rules of court of the States, which are cited by the State, the name of the
// collection in abbreviations, and a part of it: "Tex. Bus. & Com. Code Ann. § 17.46", "La. Civ. Code art. 2315",
// "Mass. R. Prof. C. 4.2", "N.Y. Comp. Codes R. & Regs. tit. 22, § 202.8".

// longestStateCode is how many words the name of such a collection has at most: "Fla. R. Gen. Prac. & Jud. Admin.".
const longestStateCode = 8

// stateCode reads such a citation at a capital letter and returns the end, 0 for none.
func (c *citations) stateCode(i int) int {
	named, loose := false, false

	for n, at := 0, i; n < longestStateCode && at < len(c.text); n++ {
		// A part is looked for only behind the noun of a collection: "Cal. 5" is a report.
		if named {
			if end := c.partOfCode(at, loose); end > 0 {
				return end
			}
		}

		stop := at
		for stop < min(len(c.text), at+longestSeries) && c.text[stop] != ' ' && c.text[stop] != '\n' {
			stop++
		}
		if stop == at || stop+1 >= len(c.text) || stop-at == longestSeries {
			return 0
		}

		word := strings.TrimRight(c.text[at:stop], ",")
		switch {
		case word == "":
			return 0
		case n == 0:
			if word[len(word)-1] != '.' && !wholeMakers.has(word) || !ruleMakers.has(c.small()[at:at+len(word)]) {
				return 0 // most words
			}
		case codeNouns.has(toLower(word)), strings.HasPrefix(word, "R."), dottedInitials(word) >= 3:
			named = true
		case lawCodes.has(toLower(word)) && strings.ToUpper(word) == word:
			named = true // N.H. RSA
		case word == "&" || word[len(word)-1] == '.' && upper(word[0]) || ruleWords.has(word):
		case upper(word[0]):
			loose = true // N.Y. Est. Powers & Trusts Law
		default:
			return 0
		}
		if !named && c.text[stop-1] == ',' {
			return 0
		}
		at = stop + 1
	}

	return 0
}

// partOfCode reads what is cited of a collection at byte i: "§ 12", "art. 966", "tit. 22, § 202.8", "art. I, § 9" and,
// unless the name is loose, a number alone. It returns the end, 0 for none.
func (c *citations) partOfCode(i int, loose bool) int {
	rest := c.text[i:]
	if strings.HasPrefix(rest, "§") {
		return c.sections(i)
	}

	for _, part := range partsOfCodes {
		number, ok := strings.CutPrefix(rest, part)
		if !ok || number == "" {
			continue
		}
		at := i + len(part)
		end := c.figures(at)
		if end == at {
			numeral := strings.IndexAny(number, " ,;.)\n")
			if numeral <= 0 || !roman(number[:numeral]) {
				return 0
			}
			end = at + numeral
		}
		end = c.list(end)
		if strings.HasPrefix(c.text[end:], ", §") {
			end = max(end, c.sections(end+len(", ")))
		}

		return end
	}
	if strings.HasPrefix(rest, "R") {
		i, rest = i+1, rest[1:] // Utah Admin. Code R277-487
	}
	if loose || rest == "" || !digit(rest[0]) {
		return 0
	}

	return c.list(c.figures(i))
}

// subdivision takes in the subdivision of a section that ends before byte i: "§ 437c, subd. (c)".
func (c *citations) subdivision(i int) int {
	rest := strings.TrimPrefix(c.text[i:], ",")
	for _, word := range []string{" subd. ", " subds. ", " subdiv. ", " subpara. "} {
		number, ok := strings.CutPrefix(rest, word)
		if !ok || number == "" {
			continue
		}
		at := len(c.text) - len(number)
		if end := c.figures(at); end > at {
			return end
		}
		if inner, _, closed := strings.Cut(number[1:], ")"); number[0] == '(' && closed && len(inner) <= len("viii") {
			return at + len("()") + len(inner)
		}
	}

	return i
}

// stateAlone returns the length of the abbreviation of a State at byte i, behind a bracket, which stands there for its
// highest court: "(La. 2019)". It is 0 for anything else.
func (c *citations) stateAlone(i int) int {
	inner, _, closed := strings.Cut(c.text[i:min(len(c.text), i+longestCourt)], ")")
	cut := strings.LastIndexByte(inner, ' ')
	if !closed || cut < 0 || !ruleMakers.has(toLower(inner[:cut])) {
		return 0
	}
	// Without its year the bracket may say where somebody lives.
	if year := tokenOf(inner[cut+1:]); !yearLike(&year) {
		return 0
	}

	return cut
}

var (
	// ruleMakers begin the names: States as The Bluebook abbreviates them, and courts.
	ruleMakers = setOf(`ala. alaska ariz. ark. cal. colo. conn. del. d.c. fla. ga. haw. idaho ill. ind. iowa kan. ky.
		la. me. m.r. md. mass. mich. minn. miss. mo. mont. neb. nev. n.h. n.j. n.m. n.y. n.c. n.d. ohio okla. or. pa.
		r.i. s.c. s.d. tenn. tex. utah vt. va. wash. w. wis. wyo. p.r. fed. sup. super. u.s. bankr. local civ. crim.
		model`)
	// wholeMakers are those that are not abbreviated.
	wholeMakers = setOf(`Alaska Idaho Iowa Ohio Utah Local Model`)
	// ruleWords stand without a dot in the names.
	ruleWords = setOf(`Va. Ct. Conduct Prof'l Procedure Evidence Court Evid Civ App Penal Corr. Crim Practice Gov't
		Trial of`)
	// codeNouns say what collection it is.
	codeNouns = setOf(`code codes law laws stat. stats. statutes const. constitution reg. regs. regulations rule rules
		r. act acts book cplr ccp`)
)
