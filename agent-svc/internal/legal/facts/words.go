package facts

import (
	_ "embed"
	"iter"
	"slices"
	"strings"
	"sync"
)

//go:embed words/days.txt
var dayWords string

// wordList is a set of phrases, found as whole words in a text in lower case.
type wordList struct {
	phrases map[string]bool
	longest int // words of a phrase
}

// Sections of the list of words for days.
const (
	lastDayWords    = "last day"
	limitWords      = "limit"
	dutyWords       = "duty"
	thingWords      = "paper"
	hearingWords    = "hearing"
	appearWords     = "appear"
	movedWords      = "moved"
	doneWords       = "done"
	participleWords = "participle"
	recurringWords  = "recurring"
	fixingWords     = "fixing"
	irregularWords  = "irregular"
	behindWords     = "behind"
	openingWords    = "opening"
	madePapers      = "made paper"
	orderWords      = "order"
	openWords       = "open"
	aimingWords     = "aiming"
	futureWords     = "not reported"
	dueColumns      = "due column"
	doneColumns     = "done column"
	termNouns       = "term"
	ownTerms        = "own term"
	belonging       = "belonging"
	owedWords       = "owed"
	hangingWords    = "hanging"
	aheadWords      = "ahead"
	attendedWords   = "attended"
	endsNow         = "ends now"
	mayWords        = "may"
	acceptedWords   = "accepted"
	emptyConditions = "empty condition"
	essentialWords  = "essential"
	negationWords   = "negation"
	sittingWords    = "sitting"
	pastOfTerms     = "past of a term"
	presentOfTerms  = "present of a term"
	dayParticles    = "day particle"
	grantedSpan     = "granted span"
	opensTerm       = "opens term"
	endsTerm        = "ends term"
	opensSpan       = "opens span"
	closesSpan      = "closes span"
	takesEffect     = "takes effect"
	conditionWords  = "condition"
	exceptWords     = "except"
	relativeWords   = "relative"
	askingWords     = "asking"
	finiteVerbs     = "finite"
	orderedThat     = "ordered that"
	conditionalOn   = "conditional on"
)

// daysLexicon are the lists of words for days by their section.
var daysLexicon = sync.OnceValue(func() map[string]*wordList { return readWords(dayWords) })

// readWords reads lists of phrases: a section in brackets, then a phrase a line. Lines that begin with # say what the
// list is for.
func readWords(file string) map[string]*wordList {
	lists := map[string]*wordList{}
	var list *wordList

	// The files are part of the program, so their form is a matter for its tests and not for errors.
	for line := range strings.Lines(file) {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || line[0] == '#':
		case line[0] == '[':
			list = &wordList{phrases: map[string]bool{}}
			lists[strings.Trim(line, "[]")] = list
		default:
			list.phrases[line] = true
			list.longest = max(list.longest, len(strings.Fields(line)))
		}
	}

	return lists
}

// last returns where the phrase of the list that begins last in words stands, and how many words it has; -1 when none
// does.
func (l *wordList) last(words []string) (at, length int) {
	for at := len(words) - 1; at >= 0; at-- {
		for n := min(l.longest, len(words)-at); n > 0; n-- {
			if l.phrases[strings.Join(words[at:at+n], " ")] {
				return at, n
			}
		}
	}

	return -1, 0
}

// ends reports whether words end with a phrase of the list.
func (l *wordList) ends(words []string) bool {
	for n := min(l.longest, len(words)); n > 0; n-- {
		if l.phrases[strings.Join(words[len(words)-n:], " ")] {
			return true
		}
	}

	return false
}

// begins reports whether words begin with a phrase of the list.
func (l *wordList) begins(words []string) bool { return l.leading(words) > 0 }

// leading returns how many words the phrase of the list has with which words begin, 0 when they begin with none.
func (l *wordList) leading(words []string) int {
	for n := min(l.longest, len(words)); n > 0; n-- {
		if l.phrases[strings.Join(words[:n], " ")] {
			return n
		}
	}

	return 0
}

// plainWords cuts a text into its words in lower case. A label is one word with its brackets; marks are left out.
func plainWords(text string) []string { return slices.Collect(eachPlainWord(text)) }

// fewPlainWords returns the words of a text that has at most so many; ok is false for a text of more.
func fewPlainWords(text string, most int) (words []string, ok bool) {
	for w := range eachPlainWord(text) {
		if len(words) == most {
			return nil, false
		}
		words = append(words, w)
	}

	return words, true
}

func eachPlainWord(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for w := range strings.FieldsFuncSeq(strings.ToLower(text), partsWords) {
			w = unelided(w)
			if strings.Trim(w, "-'’/[]") != "" && !yield(w) {
				return
			}
		}
	}
}

// partsWords reports whether a character, in lower case, belongs to no word.
func partsWords(r rune) bool {
	switch r {
	// These hold a word together: "non-payment", "tenant's", "[Party 1]", "and/or".
	case '-', '\'', '’', '[', ']', '/':
		return false
	}

	switch {
	case r >= '0' && r <= '9', r >= 'a' && r <= 'z':
		return false
	case r < 0xC0: // marks of ASCII and Latin-1
		return true
	}

	return r >= '–' && r <= '⁯' // dashes, quotation marks and other punctuation of all languages
}

// unelided takes the elided article or pronoun of French off a word: "l'audience".
func unelided(word string) string {
	if len(word) > 3 && strings.IndexByte("ldsnjmtc", word[0]) >= 0 {
		for _, mark := range [...]string{"'", "’"} {
			if rest, ok := strings.CutPrefix(word[1:], mark); ok {
				return rest
			}
		}
	}

	return word
}

//go:embed words/government.txt
var governmentWords string

// governmentList are the names of the United States, its agencies and officers.
var governmentList = sync.OnceValue(
	func() *wordList { return readWords("[government]\n" + governmentWords)["government"] },
)

// courtSigns are words behind "United States" that name a court or a law of the United States rather than a party.
var courtSigns = []string{
	"district",
	"court",
	"courts",
	"bankruptcy",
	"code",
	"constitution",
	"attorney",
	"attorneys",
	"marshal",
	"magistrate",
	"dollars",
	"mail",
	"citizen",
	"citizens",
}

// NamesGovernment reports whether a text names the United States, an agency or an officer of it, other than in the
// name of a court, a law or an office of the courts.
func NamesGovernment(text string) bool {
	// The stops of "U.S." would part its letters, so a hyphen stands in for them.
	words := plainWords(strings.ReplaceAll(strings.ReplaceAll(text, "U.S.", "U-S"), "u.s.", "u-s"))
	for i, w := range words {
		words[i] = strings.ReplaceAll(w, "u-s", "u.s")
	}
	list := governmentList()

	for at := range words {
		for n := min(list.longest, len(words)-at); n > 0; n-- {
			if !list.phrases[strings.Join(words[at:at+n], " ")] {
				continue
			}
			// "United States District Court" is the court and not the party.
			if next := at + n; next < len(words) && slices.Contains(courtSigns, words[next]) {
				break
			}

			return true
		}
	}

	return false
}
