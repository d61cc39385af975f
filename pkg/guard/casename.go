package guard

import (
	"strings"
	"unicode/utf8"

	"github.com/subrosa-legal/subrosa/pkg/guard/internal/legalform"
	"github.com/subrosa-legal/subrosa/pkg/guard/internal/lexicon"
)

// firstParty returns where the name of the first party begins that ends with s. It reaches back to the last word that
// joins no names, and over no end of a sentence, a line, a clause or a table cell.
func firstParty(s string) int {
	start, next := len(s), "v."
	for start > 0 {
		end := len(strings.TrimRight(s[:start], " \n"))
		word := strings.LastIndexAny(s[:end], " \n") + 1
		w := s[word:end]
		gap := s[end:start]
		if w == "" || !inParty(w, next) || partsNames(w, gap, next) || listed(w, s[start:]) {
			break
		}
		// A table or a quotation mark ends the name without a blank.
		if cell := cellBegin(w); cell > 0 {
			return word + cell
		}
		if w[0] == '(' && strings.IndexByte(s[word:], ')') < 0 {
			return word + 1 // "Ash (Bell v. Cole, 410 U.S. 113)"
		}
		start, next = word, w
	}

	return start
}

// cellBegin returns where in w what stands behind a table cell begins, 0 for nowhere.
func cellBegin(w string) int {
	if cut := strings.LastIndexAny(w, cellEnds); cut >= 0 && w[0] != '(' {
		_, width := utf8.DecodeRuneInString(w[cut:])
		return cut + width
	}
	if comma := strings.LastIndexByte(w, ',') + 1; comma < len(w) && upper(w[comma]) {
		return comma
	}

	return 0
}

// inParty reports whether a word may stand in the name of a party before the word next: "and 38 Others", "Vessel 1954",
// "on behalf of" hold what others do not.
func inParty(w, next string) bool {
	bare := strings.Trim(w, ",()")

	switch {
	case signals.has(strings.ToLower(bare)), w == "on" && next != "behalf":
		return false
	case bare == "", capital(strings.TrimLeft(bare, cellEnds)):
		return true
	// "38 Others" and "Vessel 1954" are parties; any other number ends the name.
	case digit(bare[0]):
		return strings.EqualFold(strings.TrimSuffix(next, "s"), "other") || versusWords.has(next)
	}

	return joins(bare)
}

// joins reports whether a word in lower case stands between the words of a party.
func joins(w string) bool {
	return joinsNames.has(w) || joinsParties.has(w) || lower(w[0]) && known(w)&lexicon.Particle != 0
}

// bareWord is a word of a case name in lower case, without dots and brackets.
func bareWord(w string) string {
	return strings.ToLower(strings.Map(func(r rune) rune {
		if strings.ContainsRune(".,()", r) {
			return -1
		}

		return r
	}, w))
}

// shortens reports whether a word, as bareWord returns it, is one that names of cases are shortened to, or more than
// one of it: "Ctrs".
func shortens(bare string) bool {
	return shortened.has(bare) || shortened.has(strings.TrimSuffix(bare, "s"))
}

// legalForm reports whether a word is the legal form of a company.
func legalForm(w string) bool {
	w = strings.Trim(w, ",()")
	plain := strings.ReplaceAll(w, ".", "")

	return legalform.Of(plain, plain != w) == legalform.Sure
}

// withinParty reports whether w stands inside the name of a party, and not first.
func withinParty(w string) bool {
	bare := bareWord(w)
	short := strings.ContainsAny(w, ".'") && shortens(bare) && !beginsName.has(bare)

	return joins(w) || short || lastOfName.has(bare) || legalForm(w)
}

// partsNames reports whether a name ends with w, behind which the gap and the word next stand: at the end of a sentence
// or of a line, unless the name must go on there.
func partsNames(w, gap, next string) bool {
	bare := bareWord(w)
	last := lastOfName.has(bare) || legalForm(w)
	dot := strings.HasSuffix(strings.TrimRight(w, ")"), ".")

	switch {
	case strings.IndexByte("!?:;", w[len(w)-1]) >= 0, strings.HasSuffix(w, ".."):
		return true
	// The name must go on here, wherever the line breaks.
	case joins(w), withinParty(next):
		return false
	// A broken line goes on only behind an abbreviation that needs another word.
	case strings.IndexByte(gap, '\n') >= 0, len(gap) >= widestGap:
		return !dot || last || !shortens(bare)
	case !dot:
		return false
	}

	return last || !shortens(bare) && len(bare) > 1 && strings.Count(w, ".") == 1
}

// widestGap is how many blanks stand between columns, and not between words.
const widestGap = 3

// listed reports whether the comma behind w parts it from the party behind it, in which nothing joins more names and no
// word says what w is: "Liberty Lobby, Inc.", "Ash, Bell and Cole", "Ash, Warden".
func listed(w, behind string) bool {
	if !strings.HasSuffix(w, ",") || strings.TrimSpace(behind) == "" {
		return false
	}

	for other := range strings.FieldsSeq(behind) {
		flags := known(strings.Trim(other, ",.()"))
		role := flags&lexicon.Common != 0 && flags&lexicon.Surname == 0 || party(bareWord(other))
		if role || withinParty(other) || suedAs.has(bareWord(other)) {
			return false
		}
	}

	return true
}

// cellEnds part what stands before them from the name of a case, without a blank too: `Ash,"Bell v. Cole`.
const cellEnds = "\t\f\v|:;\"{}—“”„…•"

var (
	// versusWords stand between the parties.
	versusWords = setOf(`v v. vs vs.`)
	// joinsParties stand between the words of parties, beside what joins names.
	joinsParties = setOf(`v vs others another plc parte p on behalf by through next friend f/k/a a/k/a n/k/a y und et`)
	// suedAs are what parties are sued as, beside the roles that contracts and pleadings give them.
	suedAs = setOf(`warden superintendent secretary commissioner sheriff director receiver jailer marshal`)
	// lastOfName are abbreviations that a party ends with, unless more of them follow.
	lastOfName = setOf(`co bros jr sr esq`)
	// beginsName are those of them that a name begins with.
	beginsName = setOf(`dr mr mrs ms st mt ft rev hon gen lt col capt sgt us`)
	// shortened are the words that names of cases are shortened to: The Bluebook, tables T6 and T10.
	shortened = setOf(`inc ltd co corp llc llp lp plc bros jr sr esq dr mr mrs ms st mt ft rev hon gen lt col capt sgt
		acad admin adm'r adm'x advert agric all ala alt am amend ass'n assoc assocs assur atl auth auto ave balt bankr
		bd bdcst behav biotech bldg blvd bus cablevision cal can cap cas cath cent cf chem chi cir city civ cmm'n cmty
		cnty co-op coal coll colo com comm comm'n comm'r commc'n commc'ns comp compar comput condo conf cong conn consol
		const constr cont'l contr coop corr cosm council crim ctr cty def del dep't dev devs dig dir disc discr dist
		distrib div e econ ed edn educ elec elecs emp emps eng'g enter enters ent env't envtl equal equip est euro ex
		exam'r exch exec exec'r ex'r ex'x exp explor export fac fam fed fed'n fid fin fla fund ga gas gend geo glob
		gov't grp gtd guar hisp hist hosp hous hum ill imp imps improv ind indem indep indus info ins inst instr int'l
		intell intern inv invs jud juv kan ky la lab labs lib liab lit litig loc mach mag maint mass md me mech med mem
		merch metro mfg mfr mfrs mgmt mich mil minn mkt mktg mo mod mont mortg mun mut n nat nat'l ne neb nev no nos nw
		okla op or ord org orgs pa pac par partn p'ship peo pers pharm pharms phila phx phys plan pol pres pris priv
		prob prod prods prof prop props prot psych pub publ publ'g publ'n rd ref reg regl rehab rel relig rels reprod
		res resch resort resp rest ret rr ry s sanit sav sch schs sci scot se sec sec'y secs sem serv servs sheriff soc
		soc'y sol sols spec stat stds sub subs sup super supp supt sur sw sys syss tech techs tel telecomm telecomms
		telegr telephonics temp tenn tex theol tit torts town transc transcon transp treas tr trs twp us u uk unif univ
		urb util utils va vet vill vt w wash wis wyo zool`)
)

// titleBegin returns where the name of the case begins, as far as it lies before byte end.
func titleBegin(text string, end int) int {
	least := max(0, end-longestCaseName)
	return least + firstParty(text[least:end])
}

// inTitle reports whether word i belongs to the name of the case whose "v." is word k.
func (n *names) inTitle(i, k int) bool {
	from, to := &n.words[min(i, k)], &n.words[max(i, k)]
	if n.cited.inFound(int(to.start)) && !n.cited.inFound(int(from.start)) {
		return false // it is left out of the name
	}

	return titleBegin(n.text, int(to.start)) <= int(from.start)
}

// versusName returns where the name of a case begins whose first party stands from byte start to byte end, before its
// "v.", and whose last party ends before byte stop. It notes the parties, by one of which the case may be cited once
// more, and leaves out who is named right before the first: "Thaddeus Wexmoor Roe v. Wade".
func (c *citations) versusName(start, end, stop int) int {
	if start >= end || start < 0 {
		return start
	}
	start += personBefore(c.text[start:end])

	for _, party := range []string{c.text[start:end], c.text[end:stop]} {
		for w := range strings.FieldsSeq(party) {
			if w = strings.Trim(w, ",.()"); w != "" && upper(w[0]) && len(w) <= longestParty {
				c.memory.note(caseMark + strings.ToLower(w))
			}
		}
	}

	return start
}

// longestParty bounds a word of a party that is noted, in bytes.
const longestParty = 40

// caseMark stands before the words of parties of cited cases in memory.
const caseMark = "case "

// knownCase reports whether the case may be called by name, which has no "v." in it, before a neutral citation: it
// says what it is about, as "Re" does, or the text has cited it in full, or everybody knows it.
func (c *citations) knownCase(name string) bool {
	first := true

	for w := range strings.FieldsSeq(name) {
		w = strings.ToLower(strings.Trim(w, ",.()"))
		if first && (entitling.has(w) || w == "") {
			return true
		}
		first = false
		if c.memory.has(caseMark+w) || leadingNames.has(w) {
			return true
		}
	}

	return first || known(strings.ToLower(strings.TrimRight(name, " ,\n")))&(lexicon.Ordinary|publicWord) != 0
}

// entitling words begin the name of a case that says what it is about, and that of a ship.
var entitling = setOf(`re r in ex the case cases judgment decision reference application petition matter practice
	attorney attorney-general attorney-general's ag's a-g's hm`)

// personBefore returns where the party begins in s that the name of a person stands right before, 0 where there is
// none: a given name, another name and a third word in a row are no party of a reported case, whose report gives
// surnames.
func personBefore(s string) int {
	const otherwise = lexicon.Ordinary | publicWord | lexicon.Particle | lexicon.Honorific

	words, last, given := 0, 0, false

	for at := 0; at < len(s); {
		gap := len(s[at:]) - len(strings.TrimLeft(s[at:], " \n"))
		at += gap
		end := strings.IndexAny(s[at:], " \n")
		if end < 0 {
			end = len(s) - at
		}
		w := s[at : at+end]
		if w == "" {
			break
		}
		if !capital(w) || strings.ContainsAny(w, ",.()&0123456789/") && !(len(w) == 2 && w[1] == '.') {
			return 0
		}

		if at+end < len(strings.TrimRight(s, " \n")) {
			f := known(strings.ToLower(w))
			// A word of law or of the dictionary makes a party of it, and no person.
			if len(w) > 2 && f&otherwise != 0 || saints.has(strings.ToLower(w)) {
				return 0
			}
			given = given || words == 0 && f&lexicon.Given != 0
		}
		words++
		last = at
		at += end
	}
	// A given name with one more word may be the party itself.
	if words < 3 || !given {
		return 0
	}

	return last
}
