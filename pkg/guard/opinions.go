package guard

import (
	"slices"
	"strings"

	"github.com/subrosa-legal/subrosa/pkg/guard/internal/lexicon"
)

// Opinions and orders name judges in more ways than by a court's full office: "Ross Hale, Judge", "Wilson, J.:",
// "Judge Ada M. Hale". These count only in a text that names a court, since people are called Judge too.

// opinionJudges takes these judges out of suspicion.
func (n *names) opinionJudges() {
	if !n.ofCourt() {
		return
	}

	for _, i := range n.large {
		w := &n.words[i]
		if !upper(n.text[w.start]) {
			continue // most words of other rules
		}

		switch s := n.lowered(i); {
		case s == "judge" || s == "justice" || s == "master":
			n.judgeNamed(i)
		case s == "judges" || s == "justices":
			n.judgesListed(i + 1)
		case s == "hhj" || s == "hhjj":
			n.judgeBehind(i + 1)
		case (s == "honorable" || s == "honourable") && !n.retired(i):
			n.judgeBehind(i + 1)
		case s == "jj" && i > 0 && n.text[n.words[i-1].end:w.start] == ", ":
			n.judgesBefore(i, true)
		case w.end-w.start == 1 && i > 0:
			n.judgeInitial(i)
		case benchNouns.has(s):
			n.germanBench(i)
		case romanceBench.has(s) && i > 0:
			n.judgesBefore(i, false)
		}
	}
	n.counselTowns()
	n.sitting()
	n.benchLines()
}

// ofCourt reports whether the text names a court in capitals, as the heads of opinions, orders and pleadings do, or as
// a court of its kind.
func (n *names) ofCourt() bool {
	if n.court == unasked {
		n.court = courtless
		for _, court := range courtsNamed {
			if strings.Contains(n.text, court) {
				n.court = courtly
			}
		}
	}

	return n.court == courtly || n.memory.has(judgeMark)
}

// Whether the text names a court: a search that is made once.
const (
	unasked = iota
	courtless
	courtly
)

var courtsNamed = []string{
	"COURT", "District Court", "Court of Appeal", "Circuit Court", "Supreme Court", "Superior Court", "Trial Court", "EWHC", "EWCA",
	"County Court", "High Court", "GERICHT", "gerichts", "gericht ", "Tribunal", "TRIBUNAL", "Audiencia", "Juzgado", "COUR", "Cour d",
	"opinion of the court", "SO ORDERED",
	"trial court", "On Appeal from", "TRIBUNAL",
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
	if i > 0 && n.words[i].has(allCapitals) && (n.lowered(i-1) == "honour" || n.lowered(i-1) == "honor") {
		n.judgeBehind(next)
		return
	}
	colon := strings.HasPrefix(n.text[n.words[next].end:], ":") && n.words[next].is&lexicon.Law == 0
	if given && n.words[next+1].has(capitalised) && n.inHead(i) || colon {
		n.judgeBehind(next)
	}
}

// closesName reports whether rest, behind a judge's noun, begins with what ends a line or a clause, or with the next
// sentence.
func closesName(rest string) bool {
	if rest == "" || strings.IndexByte(".\n;):,", rest[0]) >= 0 {
		return true
	}

	return len(rest) > 2 && rest[0] == ' ' && upper(rest[1])
}

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

// retired reports whether who is named behind word i sits no more, and takes on private disputes.
func (n *names) retired(i int) bool {
	rest := n.text[n.words[i].end:min(len(n.text), int(n.words[i].end)+longestMailbox)]
	return strings.Contains(rest, "(Ret") || strings.Contains(rest, "(ret") || strings.Contains(rest, "mediat")
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
		if office == "J." && !opinionBehind(behind) {
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
		":", ", delivered", ", concurring", ", dissenting", ", joined", ", concurs", ", dissents", ", announced", ", for the",
		", writing", ", joins", " (", ", filed", ", with", ", took", ", did not",
	} {
		if strings.HasPrefix(rest, s) {
			return true
		}
	}

	return false
}

// sitting excuses who is named on the line before "(sitting as a Judge of the High Court)".
func (n *names) sitting() {
	at := strings.Index(strings.ToLower(n.text[:min(len(n.text), longestHead)]), "(sitting ")
	if at < 0 {
		return
	}
	end := len(strings.TrimRight(n.text[:min(at, len(n.text))], " \n"))
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
	for k := i + 1; k < min(len(n.words), i+mostJudges); k++ {
		s := n.lowered(k)
		gap := n.text[n.words[k-1].end:n.words[k].start]
		if strings.ContainsAny(gap, "\n;:(") && gap != "\n" || benchNouns.has(s) {
			return
		}

		switch {
		case benchJoints.has(s) || n.words[k].is&lexicon.Particle != 0:
			n.words[k].shape &^= capitalised
		case !n.words[k].has(capitalised) || benchStops.has(s):
			return
		default:
			n.excuseWord(k)
		}
	}
}

// benchJoints stand before and between the names of German judges.
var benchJoints = setOf(`und dr prof am`)

// benchStops are capitalised words of German that go on behind a judge's name.
var benchStops = setOf(`als der die das für recht landgericht amtsgericht oberlandesgericht bundesgerichtshof`)

// romanceBench are offices of judges and clerks that stand behind their names in French and Spanish.
var romanceBench = setOf(`conseiller conseillère conseillers président présidente greffier greffière vice-président vice-présidente
	magistrado magistrada ponente`)

// benchLines excuses who is named in the lines below the heads of the bench in Spanish and French papers, and behind
// the clerk's office.
func (n *names) benchLines() {
	for _, head := range benchHeadings {
		at := strings.Index(n.text, head)
		if at < 0 {
			continue
		}
		from, lines := at+len(head), 0

		for line := range strings.Lines(n.text[from:min(len(n.text), from+longestBench)]) {
			if lines++; lines > 1 && !benchTitled(line) || lines > 6 {
				break
			}

			for i := n.wordAt(from); i < len(n.words) && int(n.words[i].end) <= from+len(line); i++ {
				if n.words[i].has(capitalised) {
					n.excuseWord(i)
				}
			}
			from += len(line)
		}
	}
}

var benchHeadings = []string{
	"MAGISTRADOS:", "MAGISTRADAS:", "Magistrados:", "MAGISTRADOS\n", "PRESIDENTE\n", "PRESIDENTE:", "Ponente:", "siendo Ponente",
	"GREFFIER LORS DES DÉBATS :", "Greffier lors des débats :", "Greffier, lors des débats :", "GREFFIER :",
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
		if !strings.HasPrefix(rest, ", for ") || !strings.HasSuffix(n.text[:n.words[i].start], ", ") {
			continue // most words
		}
		word, _, _ := strings.Cut(strings.TrimPrefix(rest[6:], "the "), " ")
		if sides.has(strings.ToLower(strings.Trim(word, ".,;\n"))) {
			n.words[i].shape = n.words[i].shape&^capitalised | quotedLaw
		}
	}
}

// sides are for whom lawyers appear.
var sides = setOf(`appellant appellants appellee appellees plaintiff plaintiffs defendant defendants petitioner petitioners respondent
	respondents state people commonwealth government intervenor intervenors`)
