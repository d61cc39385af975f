package guard

import (
	"slices"
	"strings"

	"github.com/subrosa-legal/subrosa/pkg/guard/internal/lexicon"
)

// Judges act in public and identify no client. They are known by their office: "Hale, Circuit Judge", "[Hon.
// Ada Hale, U.S. District Judge]", "signed by Magistrate Judge Ada Hale". A judge without a court, "Judge Hale
// ruled", stays a person, since people are called so too.

// mostJudges bounds how many words before an office its judges' names may take.
const mostJudges = 14

// judges takes the names of judges out of suspicion.
func (n *names) judges() {
	for _, i := range n.large {
		w := &n.words[i]
		if w.has(capitalised) && w.end-w.start == 8 && n.assigned(i) {
			n.judgeBehind(i + 2)
			continue
		}
		if w.end-w.start == 3 && w.has(capitalised) && n.ofCourt() {
			for k, end := i+1, n.honourable(i); k < end; k++ {
				n.excuseWord(k)
			}
		}
		if i > 0 && w.end-w.start <= 4 && w.has(allCapitals|initial) && n.reportedOffice(i) {
			n.judgeOf(i)
			continue
		}
		if !w.has(capitalised) || w.end-w.start < 5 || !judgeNouns.has(n.lowered(i)) {
			continue
		}

		// An office has several words, "United States District Judge", and its first one tells whether a name stands
		// before it.
		office := i
		for office > 0 && judgeOffices.has(n.lowered(office-1)) && len(n.gap(office-1)) <= 1 {
			office--
		}
		if office < i && n.words[office].has(capitalised) {
			n.judgesBefore(office, strings.HasSuffix(n.lowered(i), "s"))
		}
		if n.sits(office, i) {
			n.judgeBehind(i + 1)
			n.excuseTitle(i)
		}
	}
}

// excuseTitle takes the title of an English judge out of suspicion, whose noun is word i: "Mr Justice Murray".
func (n *names) excuseTitle(i int) {
	if i == 0 || i+1 == len(n.words) || !n.words[i+1].has(quotedLaw) || !judgeTitles.has(n.lowered(i-1)) {
		return
	}
	if n.text[n.words[i-1].end:n.words[i].start] == " " {
		n.words[i-1].shape = n.words[i-1].shape&^capitalised | quotedLaw
		n.words[i].shape = n.words[i].shape&^capitalised | quotedLaw
	}
}

var judgeTitles = setOf(`mr mrs ms lord lady`)

// bench takes the judges out of suspicion whom the head of a British judgment lists, one a line with their office,
// behind "Before" and before "Between".
func (n *names) bench() {
	for _, head := range benchHeads {
		at := strings.Index(n.text, head)
		if at < 0 || !strings.Contains(strings.ToUpper(n.text[max(0, at-longestHead):at]), " COURT") {
			continue
		}

		from := at + len(head)
		reach := min(len(n.text), from+longestBench)
		list := n.text[from:reach]
		stop := strings.Index(n.lower[from:reach], "\nbetween") // where each byte is where it was in text
		if stop < 0 {
			continue // it may be no list
		}

		for line := range strings.Lines(list[:stop]) {
			n.benchLine(from, from+len(line))
			from += len(line)
		}
	}
}

// benchLine excuses the words of a line, from byte start to byte end, if it names a judge's office.
func (n *names) benchLine(start, end int) {
	sits := false
	first, last := n.wordAt(start), n.wordAt(end)

	for i := first; i < last; i++ {
		sits = sits || benchOffices.has(n.lowered(i)) && n.holdsOffice(first, i)
	}

	for i := first; sits && i < last; i++ {
		if n.words[i].has(capitalised) {
			n.excuseWord(i)
		}
	}
}

// holdsOffice reports whether an office, word i, is that of who is named in the line that begins with word first: it
// begins the line behind titles, or stands behind the name. "The claimant Halvard Ostrowe, a registrar" is no judge.
func (n *names) holdsOffice(first, i int) bool {
	if !n.words[i].has(capitalised) {
		return false
	}
	begins := true

	for k := first; k < i; k++ {
		begins = begins && benchTitles.has(n.lowered(k))
	}
	if begins || i == first {
		return true
	}

	for k := first; k < i; k++ {
		if !n.words[k].has(capitalised) && n.words[k].is&lexicon.Particle == 0 {
			return false
		}
	}
	gap := n.text[n.words[i-1].end:n.words[i].start]

	return gap == ", " || gap == " " && n.words[i].has(allCapitals|initial) && n.words[i].end-n.words[i].start <= 3
}

// benchTitles stand before the office of a judge at the beginning of a line.
var benchTitles = setOf(`the rt right hon honourable honorable mr mrs ms miss lord lady sir dame his her honour deputy
	chief senior district circuit high upper tribunal costs insolvency companies chancery family employment and`)

var (
	benchHeads   = []string{"\nB e f o r e", "\nBefore:", "\nBefore :", "\nBEFORE:"}
	benchOffices = setOf(`justice master judge registrar recorder lj j qc kc`)
)

const (
	longestBench = 400  // of the list of judges with the line behind it, in bytes
	longestHead  = 1500 // of what stands before it
)

// assigned reports whether word i begins the line of a docket that says which judge has the case: "Assigned to: ".
func (n *names) assigned(i int) bool {
	start := int(n.words[i].start)
	if start > 0 && n.text[start-1] != '\n' || i+2 >= len(n.words) {
		return false
	}
	if s := n.text[start:]; !strings.HasPrefix(s, "Assigned to: ") && !strings.HasPrefix(s, "Referred to: ") {
		return false
	}
	above := n.text[max(0, start-docketHead):start]

	return strings.Contains(above, "COURT") || strings.Contains(above, "DOCKET") ||
		strings.Contains(above, "District Court")
}

// docketHead bounds the head of a docket above the judge's name, in bytes.
const docketHead = 600

// honourable returns where the initials of a judge's office end behind a name and "Hon.", which is word i: "Hon. Ada
// Hale, J.S.C." It returns 0 for none.
func (n *names) honourable(i int) int {
	if n.lowered(i) != "hon" || i+1 >= len(n.words) {
		return 0
	}

	end := i + 1
	for end < min(len(n.words), i+5) && n.words[end].has(capitalised) && strings.IndexByte(n.gap(end-1), ',') < 0 {
		end++
	}
	rest, ok := strings.CutPrefix(n.text[n.words[end-1].end:], ", ")
	if !ok {
		return 0
	}

	for _, office := range judgeInitials {
		if strings.HasPrefix(rest, office) {
			return min(len(n.words), end+strings.Count(office, "."))
		}
	}

	return 0
}

// judgeInitials are offices of judges, as they sign.
var judgeInitials = []string{
	"J.S.C.", "A.J.S.C.", "J.C.C.", "U.S.D.J.", "U.S.M.J.", "U.S.B.J.", "J.F.C.", "P.J.", "A.L.J.", "J.A.D.", "J.D.C.",
}

// reportedOffice reports whether word i is the office that British reports put behind a judge's name. "J" is an
// initial behind a given name, and "MR" an address unless a lord is named.
func (n *names) reportedOffice(i int) bool {
	before := &n.words[i-1]
	if !before.has(capitalised) || n.text[before.end:n.words[i].start] != " " {
		return false
	}

	switch n.lowered(i) {
	case "j":
		given := before.is&lexicon.Given != 0 || before.has(initial)
		return !given && strings.HasPrefix(n.text[n.words[i].end:], " ")
	case "mr":
		return i > 1 && !n.words[i].has(dotted) && n.lowered(i-2) == "lord"
	case "c", "p":
		rest := n.text[n.words[i].end:]
		return i > 2 && n.lowered(i-3) == "sir" && rest != "" && strings.IndexByte("),;", rest[0]) >= 0
	}

	return n.words[i].has(allCapitals) && reportedOffices.has(n.lowered(i))
}

// judgeOf excuses the name before the office that British reports put behind it, word i: "Lord Carnwath JSC",
// "Lindblom LJ".
func (n *names) judgeOf(i int) {
	list := strings.HasPrefix(n.lowered(i), "jj") || n.lowered(i) == "ljj" // Lady Arden and Lord Sales JJSC

	for first, named := i-1, 0; first >= max(0, i-mostJudges); first-- {
		w := &n.words[first]
		if list && n.lowered(first) == "and" {
			named = 0
			continue
		}
		gap := n.text[w.end:n.words[first+1].start]
		if list && gap == ", " {
			named = 0
		} else if gap != " " {
			return
		}
		if named++; !w.has(capitalised) || named > 3 {
			return
		}
		n.excuseWord(first)
		if w.has(opening) {
			return
		}
	}
}

// sits reports whether what stands before or behind a judge's noun says that a court is meant: "Magistrate
// Judge", "before Judge", "Judge: ".
func (n *names) sits(office, i int) bool {
	if office < i {
		return !n.writes(office, i)
	}
	if i > 0 && n.words[i-1].is&lexicon.Honorific != 0 {
		return true // Mr Justice Foxton
	}
	if i+1 < len(n.words) && n.gap(i) == ":" {
		return n.words[i+1].start-n.words[i].end <= 3
	}

	return i > 0 && n.gap(i-1) == "" && judgeVerbs.has(n.lowered(i-1))
}

// writes reports whether the office from word office to word i is that of the judge before it, whose opinion follows:
// "RIVERS, Circuit Judge: Mr. Hale was employed".
func (n *names) writes(office, i int) bool {
	if office == 0 || i+1 == len(n.words) {
		return false
	}

	return n.gap(office-1) == "," && n.gap(i) == ":"
}

// judgesBefore excuses the names before an office that begins with word office: one, or a list where the office
// is a plural.
func (n *names) judgesBefore(office int, list bool) {
	names := 0

	for i := office - 1; i >= max(0, office-mostJudges); i-- {
		gap := n.text[n.words[i].end:n.words[i+1].start]
		if n.lowered(i) == "and" && list {
			continue
		}
		if i+1 == office && nameSuffixes.has(n.text[n.words[i].start:n.words[i].end]) {
			n.excuseWord(i) // John J. Tharp, Jr., District Judge
			office--

			continue
		}
		if !n.judgeWord(i) || !judgeGap(gap, i+1 == office, list) {
			return
		}
		if i+1 == office && strings.TrimSpace(gap) == "" && !strings.Contains(gap, "\n") {
			return // "New York District Judge"
		}
		names++
		n.excuseWord(i)
		if n.words[i].has(opening) && !list {
			return
		}
	}
}

// judgeGap reports whether what stands between two words can stand in a list of judges.
func judgeGap(gap string, last, list bool) bool {
	switch strings.TrimSpace(gap) {
	case "", ".", "-":
		return strings.Count(gap, "\n") <= 2
	case ",", ",*", ",†", ".,":
		return last || list
	}

	return false
}

// judgeWord reports whether word i can be part of a judge's name.
func (n *names) judgeWord(i int) bool {
	w := &n.words[i]
	if !w.has(capitalised) {
		return w.is&lexicon.Particle != 0
	}

	s := n.lowered(i)
	if judgeVerbs.has(s) || judgeOffices.has(s) {
		return false
	}

	return w.is&lexicon.Calendar == 0 && s != "hon"
}

// judgeBehind excuses the name that begins with word i.
func (n *names) judgeBehind(i int) {
	for first, end := i, min(len(n.words), i+4); i < end && n.judgeWord(i); i++ {
		gap := n.text[n.words[i-1].end:n.words[i].start]
		joint := gap == " " || gap == ": " && i == first
		if !joint && (gap != ". " || !n.words[i-1].has(initial)) {
			return
		}
		if n.words[i].is&(lexicon.Head|lexicon.Law) != 0 {
			return
		}
		n.excuseWord(i)
	}
}

// excuseWord takes word i out of suspicion, and remembers it as a judge's name where the court's full office says so.
func (n *names) excuseWord(i int) {
	w := &n.words[i]
	w.shape = w.shape&^capitalised | quotedLaw
	if !n.unremembered && !w.has(initial) && w.end-w.start >= 3 {
		n.memory.note(judgeMark)
		n.memory.note(judgeMark + n.lowered(i))
	}
}

// judgeMark stands before the names of judges in memory, and by itself where there are any.
const judgeMark = "judge "

// knownJudge reports whether word i is the name of a judge that the text has named, and of nobody else in it.
func (n *names) knownJudge(i int) bool {
	if !n.memory.has(judgeMark) {
		return false
	}
	s := n.lowered(i)
	if !n.memory.has(judgeMark + s) {
		return false
	}
	person := n.memory.has(s)

	return !person
}

var (
	judgeNouns   = setOf(`judge judges justice justices j.s.c`)
	judgeOffices = setOf(`circuit district magistrate bankruptcy chief senior associate presiding administrative
		law veterans united states u s u.s superior county supreme court appellate immigration tax probate
		family trial employment`)
	reportedOffices = setOf(`jjsc lj ljj jsc dpsc psc jj`)
	judgeVerbs      = setOf(`by before to honorable honourable judge justice per`)
)

// sitsAs reports whether the letters s, from word i to before word end, say as what the judge before them
// sits: "Vogler, P.J.".
func (n *names) sitsAs(i, end int, s string) bool {
	if i == 0 || !benchLetters.has(s) {
		return false
	}
	if behind := strings.TrimPrefix(n.text[n.words[end-1].end:], "."); strings.HasPrefix(behind, "'s") {
		return false // J.P.'s mother
	}
	if n.text[n.words[i-1].end:n.words[i].start] != ", " {
		return false
	}
	judge := &n.words[i-1]
	if judge.end-judge.start < 3 || !upper(n.text[judge.start]) {
		return false
	}

	return n.ofBench(i, end)
}

// ofBench reports whether what stands around words i to end tells of a court that sits, and of no child: initials
// behind a surname are as often a minor's.
func (n *names) ofBench(i, end int) bool {
	before := n.text[max(0, int(n.words[i].start)-benchReach):n.words[i].start]
	before = before[strings.LastIndexByte(before, '\n')+1:]
	behind := n.text[n.words[end-1].end:min(len(n.text), int(n.words[end-1].end)+benchReach)]
	behind, _, _ = strings.Cut(behind, "\n")
	if judge := &n.words[i-1]; judge.has(allCapitals) && signed(before, behind, judge) {
		return true // the line below a judgment: "VOGLER, P.J."
	}
	line := strings.ToLower(before + " " + behind)

	return containsAny(line, benchWords) && !containsAny(line, childWords)
}

// signed reports whether nothing but a word and what follows it stands on a line.
func signed(before, behind string, w *word) bool {
	name := int(w.end-w.start) + len(", ")

	return len(strings.TrimSpace(before)) <= name && strings.Trim(behind, " .\r") == ""
}

// benchReach bounds in bytes how far around the letters of a judge the line is read.
const benchReach = 120

var (
	benchWords = []string{
		"jj.", ", j.", "judge", "present:", "before:", "concurs", "concurring", "dissent", "per curiam",
	}
	childWords = []string{
		"minor", "child", "infant", "mother", "father", "parent", "guardian", "matter of", "interest of", "born",
	}
)

func containsAny(line string, words []string) bool {
	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(line, word) })
}

// benchLetters stand behind the names of judges.
var benchLetters = setOf(`j.p p.j s.j j.a a.j r.j c.j.a c.j.m a.c.j a.p.j p.j.a j.s.c d.c.j`)
