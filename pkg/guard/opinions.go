package guard

import (
	"slices"
	"strings"

	"github.com/subrosa-legal/subrosa/pkg/guard/internal/lexicon"
)

// Opinions and orders name judges in more ways than by a court's full office: "Ross Hale, Judge", "Wilson, J.:",
// "Judge Ada M. Hale". These count only below the head of an opinion or order, on a line without a party or a role,
// since people are called Judge too; and only in that place, since a party may bear a judge's name.

// opinionJudges takes these judges out of suspicion.
func (n *names) opinionJudges() {
	if !n.ofCourt() {
		return
	}

	// A party may bear a judge's name, so that these are excused in their place only.
	n.unremembered = true
	defer func() { n.unremembered = false }()

	for _, i := range n.large {
		w := &n.words[i]
		if !upper(n.text[w.start]) {
			continue // most words of other rules
		}

		if n.roleInLine(i) {
			continue
		}

		switch s := n.lowered(i); {
		case s == "judge":
			n.judgeNamed(i)
		case s == "judges" || s == "justices":
			n.judgesListed(i + 1)
		case s == "hhj" || s == "hhjj":
			n.judgeBehind(i + 1)
		case (s == "honorable" || s == "honourable") && n.officeBehind(i):
			n.judgeBehind(i + 1)
		case s == "jj" && i > 0 && n.text[n.words[i-1].end:w.start] == ", ":
			n.judgesBefore(i, true)
		case w.end-w.start == 1 && i > 0:
			n.judgeInitial(i)
		case benchNouns.has(s):
			n.germanBench(i)
		case romanceBench.has(s) && i > 0 && n.inComposition(i):
			n.judgesBefore(i, false)
		}
	}
	n.counselTowns()
	n.sitting()
	n.benchLines()
}

// ofCourt reports whether the text has the head of an opinion or order: a line in capitals that names a court.
func (n *names) ofCourt() bool {
	if n.court == unasked {
		n.court = courtless
		for line := range strings.Lines(n.text) {
			if courtHead(line) {
				n.court = courtly
				break
			}
		}
	}

	return n.court == courtly
}

// courtHead reports whether a line is the head of an opinion or order.
func courtHead(line string) bool {
	if strings.Contains(line, "opinion of the court was delivered") || strings.Contains(line, "SO ORDERED") {
		return true
	}
	// Prose speaks of courts as well; only a head has no small letter.
	if strings.ToUpper(line) != line {
		return false
	}

	return slices.ContainsFunc(courtsNamed, func(court string) bool { return strings.Contains(line, court) })
}

// askedLine is the last line that roleInLine looked at, from byte start to byte end, and what it found.
type askedLine struct {
	start, end int
	role       bool
}

// roleInLine reports whether the line of word i names a party, or a person by a role.
func (n *names) roleInLine(i int) bool {
	w := &n.words[i]
	// Each word of a line asks for it, and a line may be as long as the text.
	if at := &n.readLine; at.start <= int(w.start) && int(w.end) <= at.end {
		return at.role
	}
	start := strings.LastIndexByte(n.text[:w.start], '\n') + 1
	end := len(n.text)
	if at := strings.IndexByte(n.text[w.end:], '\n'); at >= 0 {
		end = int(w.end) + at
	}
	n.readLine = askedLine{start, end, n.roleBetween(start, end)}

	return n.readLine.role
}

// roleBetween reports whether the line from byte start to byte end names a role, or the one above ends in it.
func (n *names) roleBetween(start, end int) bool {
	for k := n.wordAt(start); k < len(n.words) && int(n.words[k].start) < end; k++ {
		s := n.lowered(k)
		office := judgeNouns.has(s) || judgeOffices.has(s)
		if !office && (party(s) || benchRoles.has(s)) {
			return true
		}
	}
	above := strings.TrimRight(n.text[:start], " \n")

	return strings.HasSuffix(above, ":") && roleLast(above)
}

// roleLast reports whether a text ends in a role and a colon: "Witnesses:".
func roleLast(above string) bool {
	last := strings.ToLower(above[strings.LastIndexAny(above[:len(above)-1], " \n")+1 : len(above)-1])
	return party(last) || benchRoles.has(last)
}

// benchRoles are words for people beside whom no judge is named.
var benchRoles = setOf(`plaintiff plaintiffs defendant defendants petitioner petitioners respondent respondents
	appellant appellants appellee appellees claimant claimants tenant tenants landlord landlords patient patients
	witness witnesses client clients minor minors matter guardian mayor lawyer attorney counsel child mother father
	employee employer debtor creditor buyer seller estate executor trustee borrower lender insured driver victim age
	aged born kläger klägerin beklagte beklagter beklagten zeuge zeugin zeugen mieter mieterin vermieter mandant
	mandantin patientin herr herrn frau représentée représenté demandeur demanderesse défendeur avocat société
	demandante demandado testigo`)

// Whether the text names a court: a search that is made once.
const (
	unasked = iota
	courtless
	courtly
)

var courtsNamed = []string{
	"COURT", "EWHC", "EWCA", "GERICHT", "TRIBUNAL", "AUDIENCIA", "JUZGADO", "COUR ", "SO ORDERED",
}

// judgeNamed excuses who is named behind a judge's noun, word i, in full, or before it: "Judge Ada M. Hale", "Ross H.
// Hicks, Judge".
func (n *names) judgeNamed(i int) {
	rest := n.text[n.words[i].end:]
	if i > 0 && closesName(rest) && n.text[n.words[i-1].end:n.words[i].start] == ", " && !party(n.lowered(i-1)) {
		n.judgesBefore(i, false)
		return
	}

	next := i + 1
	if next+1 >= len(n.words) || !n.words[next].has(capitalised) || n.text[n.words[i].end:n.words[next].start] != " " {
		return
	}
	given := n.words[next].is&lexicon.Given != 0 || n.words[next].has(initial)
	if given && n.words[next+1].has(capitalised) && n.inHead(i) {
		n.judgeBehind(next)
	}
}

// closesName reports whether rest, behind a judge's noun, begins with what ends a line or a sentence.
func closesName(rest string) bool { return rest == "" || strings.IndexByte(".\n;):", rest[0]) >= 0 }

// inHead reports whether word i stands as in the head of an opinion: it begins a line, or stands behind the "v." or the
// "by" of one.
func (n *names) inHead(i int) bool {
	if n.words[i].start == 0 || n.text[n.words[i].start-1] == '\n' {
		return true
	}
	if i == 0 {
		return false
	}
	before := n.lowered(i - 1)

	return before == "v" || before == "by" && n.words[i].has(allCapitals)
}

// officeBehind reports whether an office of a judge stands behind who is named behind word i: "the Honorable Ada Hale,
// District Judge". Who sits no more takes on private disputes.
func (n *names) officeBehind(i int) bool {
	_, rest, ok := strings.Cut(n.text[n.words[i].end:min(len(n.text), int(n.words[i].end)+longestMailbox)], ", ")
	if !ok || strings.Contains(rest, "mediat") || strings.Contains(strings.ToLower(rest), "(ret") {
		return false
	}
	office, _, _ := strings.Cut(strings.ToLower(rest), " ")
	office = strings.TrimRight(office, ".,;\n")

	return office == "presiding" || judgeNouns.has(office) || judgeOffices.has(office)
}

// judgesListed excuses the surnames of a list that begins with word i: "Judges Humphreys, Beales and Senior Judge
// Clements".
func (n *names) judgesListed(i int) {
	for most := min(len(n.words), i+mostJudges); i < most; i++ {
		if n.lowered(i) == "and" || judgeOffices.has(n.lowered(i)) || judgeNouns.has(n.lowered(i)) {
			continue
		}
		gap := n.text[n.words[i-1].end:n.words[i].start]
		listed := gap == " " || gap == ", " || gap == "-"
		// The list ends with the first word that is neither a surname nor an office.
		if !n.judgeWord(i) || !listed || n.words[i].has(opening) {
			return
		}
		n.excuseWord(i)
	}
}

// judgeInitial excuses the names before the initials of an office that begins with word i: "Wilson, J.:", "LEHMAN,
// C.J.,", "Hale, P.J., W.S., delivered the opinion".
func (n *names) judgeInitial(i int) {
	if n.text[n.words[i-1].end:n.words[i].start] != ", " {
		return
	}
	rest := n.text[n.words[i].start:]

	for _, office := range opinionInitials {
		behind, ok := strings.CutPrefix(rest, office)
		if !ok {
			continue
		}
		line, _, _ := strings.Cut(behind, "\n")
		// "Wilson, J." is how bibliographies name anybody; what follows tells the judge.
		if !opinionBehind(behind) && (office == "J." || !strings.Contains(line, ", JJ.")) {
			return
		}
		end := min(len(n.words), i+strings.Count(office, "."))
		n.judgesBefore(i, strings.HasPrefix(behind, ", joined"))

		for k := i; k < end; k++ {
			n.words[k].shape &^= capitalised | initial
		}
		if strings.HasPrefix(behind, ", W.S.") || strings.HasPrefix(behind, ", M.S.") {
			for k := end; k < min(len(n.words), end+2); k++ {
				n.words[k].shape &^= capitalised | initial
			}
		}

		return
	}
}

// opinionInitials are judges' offices as they stand behind a name in an opinion.
var opinionInitials = []string{"C.J.", "P.J.", "A.C.J.", "S.J.", "J.A.", "J."}

// opinionBehind reports whether rest goes on as behind the name of who wrote or joined an opinion.
func opinionBehind(rest string) bool {
	for _, s := range []string{
		":\n", ", delivered", ", concurring", ", dissenting", ", joined", ", concurs", ", dissents", ", announced",
		", joins",
	} {
		if strings.HasPrefix(rest, s) {
			return true
		}
	}

	return false
}

// sitting excuses who is named on the line before "(sitting as a Judge of the High Court)".
func (n *names) sitting() {
	at := strings.Index(strings.ToLower(n.text[:min(len(n.text), longestHead)]), "(sitting as a")
	if at < 0 {
		return
	}
	inside, _, _ := strings.Cut(n.text[at:min(len(n.text), at+longestMailbox)], ")")
	end := len(strings.TrimRight(n.text[:min(at, len(n.text))], " \n"))
	word := n.wordAt(at)
	if word == 0 || word >= len(n.words) || !strings.Contains(inside, "Judge") || n.roleInLine(word-1) {
		return
	}
	start := strings.LastIndexByte(n.text[:end], '\n') + 1

	for i := n.wordAt(start); i < len(n.words) && int(n.words[i].end) <= end && end-start <= longestMailbox; i++ {
		if n.words[i].has(capitalised) {
			n.excuseWord(i)
		}
	}
}

// benchNouns are a judge's nouns in German papers.
var benchNouns = setOf(`richter richterin richtern richterinnen`)

// germanBench excuses whom a German judgment names behind a judge's noun, word i: "die Richter Dr. Lemke und Dr. Czub".
func (n *names) germanBench(i int) {
	if i == 0 || i+1 < len(n.words) && n.lowered(i+1) == "und" {
		return
	}
	if !benchBefore.has(n.lowered(i-1)) && !n.courtBehind(i+1) {
		return
	}

	for k := i + 1; k < min(len(n.words), i+mostJudges); k++ {
		s := n.lowered(k)
		gap := n.text[n.words[k-1].end:n.words[k].start]
		if strings.ContainsAny(gap, "\n;:(") && gap != "\n" || benchNouns.has(s) {
			return
		}

		switch {
		case n.courtBehind(k - 1):
			n.words[k].shape &^= capitalised // Richter am Landgericht
		case benchJoints.has(s) || n.words[k].is&lexicon.Particle != 0:
			n.words[k].shape &^= capitalised
		case !n.words[k].has(capitalised) || benchStops.has(s):
			return
		default:
			n.excuseWord(k)
		}
	}
}

// courtBehind reports whether word i is "am" before a German court: "Richter am Landgericht" is an office.
func (n *names) courtBehind(i int) bool {
	if i+1 >= len(n.words) || n.lowered(i) != "am" {
		return false
	}
	court := n.lowered(i + 1)

	return strings.HasSuffix(court, "gericht") || strings.HasSuffix(court, "gerichtshof")
}

// benchBefore are the words that stand before a judge's noun: "Richter" by itself is a surname.
var benchBefore = setOf(`die der den durch vorsitzende vorsitzender vorsitzenden`)

// benchJoints stand before and between the names of German judges.
var benchJoints = setOf(`und dr prof am`)

// benchStops are capitalised words of German that go on behind a judge's name.
var benchStops = setOf(`herr herrn frau zeuge zeugin als der die das für recht landgericht amtsgericht oberlandesgericht
	bundesgerichtshof`)

// romanceBench are offices of judges and clerks that stand behind their names in French and Spanish.
var romanceBench = setOf(`conseiller conseillère conseillers président présidente greffier greffière vice-président
	vice-présidente magistrado magistrada ponente`)

// inComposition reports whether word i stands in the block of a judgment that says who sat.
func (n *names) inComposition(i int) bool {
	above := n.text[max(0, int(n.words[i].start)-longestBench):n.words[i].start]
	return strings.Contains(above, "COMPOSITION DE LA COUR") || strings.Contains(above, "MAGISTRAD")
}

// benchLines excuses who is named in the lines below the heads of the bench in Spanish and French papers, and behind
// the clerk's office.
func (n *names) benchLines() {
	for _, head := range benchHeadings {
		at := strings.Index(n.text, head)
		if at < 0 {
			continue
		}
		from, lines := at+len(head), 0
		near := n.text[max(0, at-longestBench):min(len(n.text), from+longestBench)]
		if !strings.Contains(near, "MAGISTRAD") && head[0] != 'G' {
			continue
		}

		for line := range strings.Lines(n.text[from:min(len(n.text), from+longestBench)]) {
			if lines++; !benchTitled(line) || lines > 6 {
				break
			}

			for i := n.wordAt(from); i < len(n.words) && int(n.words[i].end) <= from+len(line); i++ {
				if n.roleInLine(i) || i > 0 && strings.Contains(n.gap(i-1), ",") && int(n.words[i-1].start) >= from {
					break
				}
				if n.words[i].has(capitalised) {
					n.excuseWord(i)
				}
			}
			from += len(line)
		}
	}
}

var benchHeadings = []string{
	"MAGISTRADOS:", "MAGISTRADAS:", "Magistrados:", "MAGISTRADOS\n", "PRESIDENTE\n", "PRESIDENTE:", "Ponente:",
	"siendo Ponente", "GREFFIER LORS DES DÉBATS :", "Greffier lors des débats :", "Greffier, lors des débats :",
}

// benchTitled reports whether a line begins with a title as one of a list of judges does.
func benchTitled(line string) bool {
	line = strings.TrimSpace(line)
	begins := func(title string) bool { return strings.HasPrefix(line, title) }

	return slices.ContainsFunc(romanceTitles, begins)
}

var romanceTitles = []string{
	"D. ", "D.ª ", "Dª. ", "Dª ", "Don ", "Doña ", "DON ", "DOÑA ", "Monsieur ", "Madame ", "M. ", "Mme ",
}

// counselTowns takes the town of a lawyer out of suspicion that stands before whom they appear for: "Dallas, for
// appellant".
func (n *names) counselTowns() {
	for _, i := range n.large {
		rest := n.text[n.words[i].end:]
		if !strings.HasPrefix(rest, ", for ") || !strings.HasSuffix(n.text[:n.words[i].start], "], ") {
			continue // most words
		}
		word, _, _ := strings.Cut(strings.TrimPrefix(rest[6:], "the "), " ")
		if sides.has(strings.ToLower(strings.Trim(word, ".,;\n"))) {
			n.words[i].shape = n.words[i].shape&^capitalised | quotedLaw
		}
	}
}

// sides are for whom lawyers appear.
var sides = setOf(`appellant appellants appellee appellees plaintiff plaintiffs defendant defendants petitioner
	petitioners respondent respondents state people commonwealth government intervenor intervenors`)
