package guard

import "strings"

// An abbreviation in capitals is a term as a rule. It is a company's name where it stands as only a party does:
// "we act for DHL", "the AOL merger", "IBM's lease".

// acronyms finds companies that are called by their initials alone.
func (n *names) acronyms() {
	for _, i := range n.large {
		w := &n.words[i]
		if !w.has(allCapitals) || w.is != 0 || w.end-w.start > 5 {
			continue
		}
		if w.has(shouted | besideDigit | bracketed | initial | inCompany) {
			continue
		}
		if n.acronymFirm(i) {
			n.learnCompany(i, i+2)
			n.add(kindCompany, ruleAcronym, i, i+2)

			continue
		}
		// An abbreviation is a term unless it stands as a party does: every contract defines dozens of them.
		if s := n.lowered(i); !publicAcronyms.has(s) && !roman(n.text[w.start:w.end]) && n.actsAsParty(i) {
			// Once it stood as a party it is one wherever else it stands.
			n.memory.note(s)
			n.add(kindCompany, ruleAcronym, i, i+1)
		}
	}
}

// actsAsParty reports whether word i stands as a party: somebody acts for or against it, it has a lease or a merger,
// or it does what parties do.
func (n *names) actsAsParty(i int) bool {
	a := n.around(i, i+1)
	if determiners.has(a.before) {
		return dealNouns.has(a.next) && a.before == "the"
	}

	switch a.before {
	case "for":
		return actingFor.has(a.before2)
	case "of":
		return a.before2 == "behalf"
	case "call":
		return a.before2 == "shall" || a.before2 == "will" || a.before2 == "we"
	case "represent", "represents", "represented", "sue", "sued", "sues", "versus", "v", "vs":
		return true
	}
	// "IBM's lease" has an owner; "HTML's syntax" has none.
	if n.words[i].has(possessive) {
		return i+1 < len(n.words) && ownedNouns.has(n.lowered(i+1)) && n.gap(i) == "'s"
	}

	return corporateVerbs.has(a.next)
}

var (
	actingFor = setOf(`act acts acted acting appear appears appearing counsel attorney attorneys solicitors lawyer
		works worked working`)
	dealNouns  = setOf(`merger acquisition takeover bankruptcy lawsuit settlement deal buyout spinoff`)
	ownedNouns = setOf(`lease merger acquisition employees employee officers directors board ceo cfo counsel lawyers
		subsidiary subsidiaries shareholders customers contract offer warehouse factory office offices headquarters
		breach refusal negligence insurer bank accounts stock shares answer motion brief reply response opposition
		complaint counterclaim counterclaims petition discovery objections interrogatories witnesses expert`)
	corporateVerbs = setOf(`acquired terminated fired hired breached sued acquires terminates fires hires breaches
		sues owes owed leased leases bought sold employs employed refused paid invoiced shipped manufactured`)
	// publicAcronyms are agencies, courts and unions of states that no lexicon entry accounts for.
	publicAcronyms = setOf(`aba acas adea ada atf bafin bia blm bop bva cbo cbp ccb cdc cfpb cftc cia cit cma cms
		cnmv cps cpsc dea dhs dod doe doj dol dot dwp eba ebrd ecb eeoc eib eiopa eoir epa epo esma eswc fasb fbi
		fca fcc fda fdic fec fema ferc finra fmcs fra frb ftc gao gsa hhs hmcts hmrc hud ihs iaea iasb icao icc icj ico
		icsid ilo imf ins interpol irs isda itc ito kfw lcia mspb nara nasa nato nhs nhtsa nih nist nlrb noaa nrc
		ntsb ofac ofcom ofgem omb opec opm osce osha pbgc pcaob pra pto sba sdny sec sfo ssa tsa ttab tva ukri
		uncitral unesco unhcr unicef uscis usda usitc uspto usps va wco who wipo wto ceo cfo coo cto cio hr it pr gc
		dpo llc llp plc inc esq`)
)

// termMark stands before an acronym in memory that the text defines for words that name nobody.
const termMark = "term "

// definedTerms remembers the acronyms that a text defines itself, behind the words whose initials they are:
// "Proprietary Information and Inventions Agreement ("PIIA")". Those of companies are their short forms.
func (n *names) definedTerms() {
	for _, i := range n.large[n.opens:] {
		w := &n.words[i]
		if !w.has(allCapitals) || w.end-w.start < 3 || !n.bracketedTerm(i) {
			continue // most words
		}
		if n.spells(i) || n.behindAct(i) {
			n.memory.note(termMark + n.lowered(i))
		}
	}
}

// bracketedTerm reports whether word i opens a bracket, or stands in one behind an article: ("PIIA"), (the "PIIA").
func (n *names) bracketedTerm(i int) bool {
	before := strings.TrimRight(n.text[:n.words[i].start], `"“'`)
	return strings.HasSuffix(strings.TrimSuffix(before, "the "), "(")
}

// behindAct reports whether word i is in the bracket right behind the name of a statute or programme, whose last word
// has its last letter: "Uniformed Services Employment and Reemployment Act ("USERRA")".
func (n *names) behindAct(i int) bool {
	before := &n.words[i-1]
	if !before.has(capitalised) || before.has(inCompany) || n.words[i].start-before.end > 4 {
		return false
	}
	if !actNouns.has(n.lowered(i - 1)) {
		return false
	}
	s := n.lowered(i)

	return s[len(s)-1] == n.lowered(i - 1)[0]
}

var actNouns = setOf(`act code program programme agency policy protocol system regulation rules agreement`)

// spells reports whether the initials of the words before word i, none of them part of a name, are its letters.
func (n *names) spells(i int) bool {
	s := n.lowered(i)
	before := i - 1

	for k := len(s) - 1; k >= 0; before-- {
		if before < 0 || n.words[before].has(inCompany|fullName) {
			return false
		}
		if n.lowered(before)[0] == s[k] && (n.words[before].has(capitalised) || !linkWords.has(n.lowered(before))) {
			if n.words[before].has(capitalised) && n.class(before) == unknown {
				return false
			}
			k--
		} else if !linkWords.has(n.lowered(before)) {
			return false
		}
	}

	return true
}

// definedTerm reports whether word i is such an acronym.
func (n *names) definedTerm(i int) bool {
	return n.memory.has(termMark + n.lowered(i))
}

// pluralAcronym reports whether s is capitals with a plural s: "RSUs", "LLCs".
func pluralAcronym(s string) bool {
	acronym, ok := strings.CutSuffix(s, "s")
	return ok && len(acronym) >= 2 && len(acronym) <= 5 && strings.Trim(acronym, capitalLetters) == ""
}

// rates are names of interest rates that are given names too, or longer than abbreviations are.
var rates = setOf(`sonia sofr euribor tibor libor estr saron corra bbsw hibor eonia`)
