package guard

import (
	"strings"

	"github.com/subrosa-legal/subrosa/pkg/guard/internal/lexicon"
)

// French papers put the legal form, or "société", before the name of a company: "la SARL Clémentine Froger", "la
// société Europe et communication, société à responsabilité limitée".

// frenchFirms finds these companies in a text that is French, at least in part.
func (n *names) frenchFirms() {
	n.smallForms()
	n.bracketedForms()
	if !n.romance {
		return
	}

	for i := 0; i+1 < len(n.words); i++ {
		first, end := i, i+1
		switch s := n.lowered(i); {
		// Forms of three letters count in capitals only: in small letters they are words.
		case frenchForms.has(s) && (n.words[i].has(allCapitals) || len(s) > len("sas") && !shortOfOthers.has(s)):
		case s == "société" || s == "societe" || s == "compagnie":
			first = i + 1
		case n.words[i].has(initial) && n.dottedForm(i) > 0:
			end = i + n.dottedForm(i)
		default:
			continue
		}
		if stop := n.frenchName(end); stop > end {
			n.learnCompany(end, stop)
			n.add(kindCompany, ruleCompany, first, stop)
			i = stop - 1
		}
	}
}

// smallForms finds German companies before "mbH", which begins with a small letter: "Wolfram Bau mbH".
func (n *names) smallForms() {
	for i := 1; i < len(n.words); i++ {
		w := &n.words[i]
		if w.end-w.start != 3 || n.text[w.start:w.end] != "mbH" || n.text[n.words[i-1].end:w.start] != " " {
			continue // most words
		}
		if first := n.formName(i); first < i {
			n.learnCompany(first, i+1)
			n.add(kindCompany, ruleCompany, first, i+1)
		}
	}
}

// bracketedForms finds French companies before their form in brackets: "Le Hameau (SAS)".
func (n *names) bracketedForms() {
	for _, i := range n.large {
		w := &n.words[i]
		if i == 0 || !w.has(allCapitals) || !frenchForms.has(n.lowered(i)) || !strings.HasPrefix(n.text[w.end:], ")") {
			continue // most words
		}
		if n.text[n.words[i-1].end:w.start] != " (" {
			continue
		}
		first := n.formName(i)
		if first == i || !n.romance && w.end-w.start <= 3 && !frenchArticles.has(n.lowered(first)) {
			continue // SAS and SCI are other things in other languages
		}
		n.learnCompany(first, i)
		n.add(kindCompany, ruleCompany, first, i)
	}
}

// formName returns where the name begins that ends before word i: capitalised words of its line and what joins them.
func (n *names) formName(i int) int {
	first := i

	for k := i - 1; k >= 0 && i-k <= mostNameWords; k-- {
		s := n.lowered(k)
		if k < i-1 && !frenchJoint(n.text[n.words[k].end:n.words[k+1].start]) {
			break
		}
		if party(s) || captionSides.has(s) || germanSmall.has(s) {
			break
		}
		if startsUpper(n.text[n.words[k].start:]) {
			first = k
		} else if !frenchLinks.has(s) {
			break
		}
	}

	return first
}

var frenchArticles = setOf(`le la les l`)

// dottedForm returns how many initials from word i on are a legal form with dots, "S.A.R.L.", 0 for none.
func (n *names) dottedForm(i int) int {
	for _, form := range []string{
		"S.A.R.L.", "S.A.S.U.", "S.A.S.", "S.E.L.A.R.L.", "S.C.P.", "S.C.I.", "S.N.C.", "S.A.",
	} {
		if strings.HasPrefix(n.text[n.words[i].start:], form) {
			return strings.Count(form, ".")
		}
	}

	return 0
}

// frenchName returns where the name ends that begins with word i behind a legal form: capitalised words, and what joins
// them, or small ones up to a comma.
func (n *names) frenchName(i int) int {
	if i >= len(n.words) || !n.words[i].has(capitalised) {
		return i
	}
	if gap := n.text[n.words[i-1].end:n.words[i].start]; gap != " " && gap != ". " {
		return i
	}
	end := i

	for k := i; k < min(len(n.words), i+mostNameWords); k++ {
		if k > i {
			if gap := n.text[n.words[k-1].end:n.words[k].start]; !frenchJoint(gap) {
				break
			}
		}
		s := n.lowered(k)

		switch {
		case n.words[k].has(capitalised) && (k == i || !party(s)):
			end = k + 1
		case !frenchLinks.has(s):
			return max(end, n.untilComma(i, k))
		}
	}

	return end
}

// untilComma returns where a name ends that goes on from word i with small words, word k the first of them, up to a
// comma before what the company is; 0 where it does not.
func (n *names) untilComma(i, k int) int {
	for end := k + 1; end < min(len(n.words), i+5); end++ {
		switch gap := n.text[n.words[end-1].end:n.words[end].start]; gap {
		case " ":
		case ", ":
			if frenchSaid.has(n.lowered(end)) {
				return end
			}

			return 0
		default:
			return 0
		}
	}

	return 0
}

// frenchSaid are the words by which a paper goes on to say what a company is.
var frenchSaid = setOf(`société dont prise représentée ayant immatriculée`)

// frenchLinks stand between the words of a company's name in French.
var frenchLinks = setOf(`et de du des la le les`)

func frenchJoint(gap string) bool {
	switch gap {
	case " ", "-", " - ", " & ", " – ", "- ", "'", "’", ". ":
		return true
	}

	return false
}

// frenchForms are legal forms that stand before a name in French. Others are words of other languages.
var frenchForms = setOf(`sas sarl selarl selas scp sasu eurl sci snc sa scop gie scm`)

// shortOfOthers are forms that are words of French too when written small.
var shortOfOthers = setOf(`scop`)

// middleInitials finds people by the initial between their names, where one of these is a word of the dictionary too or
// in capitals: "PIERS S. FRANTZ", "Vickie H. PAYCE".
func (n *names) middleInitials() {
	for _, i := range n.large {
		if i+2 >= len(n.words) || !n.words[i+1].has(initial) || !n.words[i+1].has(dotted) {
			continue // most words
		}
		if n.words[i+1].end-n.words[i+1].start != 1 {
			continue
		}
		if n.text[n.words[i].end:n.words[i+1].start] != " " || n.text[n.words[i+1].end:n.words[i+2].start] != ". " {
			continue
		}
		// A word that no dictionary holds makes a name even of an unlisted given name.
		strange := n.words[i+2].is&(lexicon.Common|publicWord) == 0 && n.words[i+2].end-n.words[i+2].start >= 4
		if n.surnameBehind(i+2) && n.givenBefore(i, strange) {
			n.learn(i, i+3, false)
			n.add(kindPerson, ruleFullName, i, i+3)
		}
	}
}

// givenBefore reports whether word i can be the given name before an initial; strange says that the word
// behind that is no everyday one.
func (n *names) givenBefore(i int, strange bool) bool {
	w := &n.words[i]
	s := n.lowered(i)
	if !w.has(capitalised) || w.has(initial|quotedLaw|possessive) || party(s) || closedWords.has(s) {
		return false
	}
	if w.is&(lexicon.Law|lexicon.Head|lexicon.Honorific) != 0 {
		return false
	}
	if strange && w.has(allCapitals) && w.is&(lexicon.Everyday|publicWord) == 0 {
		return true
	}

	return w.is&lexicon.Given != 0 || n.class(i) == unknown && !n.words[i].has(mixedCase)
}

// surnameBehind reports whether word i can be the surname behind one.
func (n *names) surnameBehind(i int) bool {
	w := &n.words[i]
	if !w.has(capitalised) || w.has(initial|quotedLaw) || party(n.lowered(i)) || closedWords.has(n.lowered(i)) {
		return false
	}

	return w.is&lexicon.Surname != 0 || n.class(i) == unknown || w.is == 0 && w.end-w.start >= 4
}

// individuals finds who is named before words that are said of people alone: "GRANT CASSELBERRY, individually".
func (n *names) individuals() {
	for _, behind := range individualWords {
		for at := 0; ; {
			found := strings.Index(n.lower[at:], behind)
			if found < 0 {
				break
			}
			at += found
			n.individual(n.wordAt(at))
			at += len(behind)
		}
	}
}

// individual judges the words that end before word end: two to four with capitals, the last of them a surname.
func (n *names) individual(end int) {
	first := end
	for first > 0 && end-first < 4 && n.words[first-1].has(capitalised) {
		if first < end && n.text[n.words[first-1].end:n.words[first].start] != " " &&
			n.text[n.words[first-1].end:n.words[first].start] != ". " {
			break
		}
		first--
		if n.words[first].has(opening) {
			break
		}
	}

	// Roles before the name go along with the capitals: "DEFENDANT GRANT CASSELBERRY".
	for first < end && (party(n.lowered(first)) || n.words[first].is&lexicon.Head != 0) {
		first++
	}
	if end-first < 2 || n.words[end-1].is&(lexicon.Law|lexicon.Head) != 0 || n.words[first].has(inCompany) {
		return
	}
	s := &n.words[end-1]
	if s.is&lexicon.Surname != 0 || s.is&lexicon.Common == 0 || n.words[first].is&lexicon.Given != 0 {
		n.learn(first, end, false)
		n.add(kindPerson, ruleFullName, first, end)
	}
}

// individualWords stand behind the name of a person.
var individualWords = []string{
	", individually", ", an individual", ", a natural person", ", husband and wife", ", a single man",
	", a single woman", ", a married man", ", a married woman", ", a minor", ", his wife", ", her husband",
	", an adult individual", ", a widow", ", an unmarried",
}

// wholeLines takes the rest of a line into the name of a person that begins it, where a caption gives each party a
// line: "(1) Nihal Mahmood Brakes".
func (n *names) wholeLines() {
	for k := range n.found {
		f := &n.found[k]
		if f.kind != kindPerson || f.start == 0 || f.end >= len(n.text) || n.text[f.end] != ' ' {
			continue
		}
		before := n.text[max(0, f.start-len("(12) ")):f.start]
		if !strings.HasSuffix(before, "\n") && !strings.HasSuffix(before, ") ") {
			continue
		}
		if !strings.Contains(n.text[f.start:f.end], " ") {
			continue
		}
		stop := endOfLine(n.text, f.end)
		first := n.wordAt(f.end)
		if first+1 >= len(n.words) || int(n.words[first].end) != stop || !n.words[first].has(capitalised) {
			continue
		}
		// The rest of the line is a surname that no list has, unless it says what the person is.
		if n.words[first].is&publicWord == 0 && !party(n.lowered(first)) {
			f.end = stop
		}
	}
}
