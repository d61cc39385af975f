package facts

import (
	"strings"
)

// Claim is a heading that opens a count or cause of action.
type Claim struct {
	Span
	Number int
	family string // counts and causes of action are numbered apart
}

const longestHeading = 160 // bytes of a line that can be a heading

// Claims returns the headings of counts and causes of action of a text, each number once, at its first place. When a
// text numbers both, those that go further count.
func Claims(text string) []Claim {
	families := map[string][]Claim{}
	seen := map[Claim]bool{}
	eachLine(text, func(line Span) bool {
		c, ok := claimIn(text, line)
		// A table of contents and running heads repeat the headings, so a number counts once.
		if key := (Claim{Number: c.Number, family: c.family}); ok && !seen[key] {
			seen[key] = true
			families[c.family] = append(families[c.family], c)
		}

		return true
	})

	var best []Claim
	// Where a text numbers both, one kind is mostly mentioned in running text. The longer series is that of the
	// headings.
	for _, family := range []string{"count", "cause", "claim"} {
		if len(families[family]) > len(best) {
			best = families[family]
		}
	}

	return best
}

// eachLine calls use for every line that is not empty, without its white space and the number that numbered paper gives
// it, until use returns false.
func eachLine(text string, use func(Span) bool) {
	for at := 0; at < len(text); {
		end := len(text)
		if n := strings.IndexByte(text[at:], '\n'); n >= 0 {
			end = at + n
		}
		line := trimLine(text, Span{at, end})
		if line.Start < line.End && !use(line) {
			return
		}
		at = end + 1
	}
}

const linesOfPaper = 28 // on a page of pleading paper, whose lines are numbered

// trimLine takes white space, marks of Markdown and the number of numbered paper off a line.
func trimLine(text string, s Span) Span {
	s = trimMarks(text, s)
	// Text from pleading paper has its line numbers within the lines.
	n, end, ok := number(text[:s.End], s.Start, 2)
	numbered := ok && n >= 1 && n <= linesOfPaper
	if numbered && end < s.End && isSpace(text[end]) {
		s = trimMarks(text, Span{end, s.End})
	}

	return s
}

func trimMarks(text string, s Span) Span {
	for s.Start < s.End && (isSpace(text[s.Start]) || text[s.Start] == '#' || text[s.Start] == '*') {
		s.Start++
	}

	for s.End > s.Start && (isSpace(text[s.End-1]) || text[s.End-1] == '*' || text[s.End-1] == '#') {
		s.End--
	}

	return s
}

// head returns the first lines of a text, at most so many bytes of them.
func head(text string, most int) string {
	if len(text) <= most {
		return text
	}

	return text[:strings.LastIndexByte(text[:most], '\n')+1]
}

// claimIn reads a line such as "COUNT II - FRAUD", "FIRST CAUSE OF ACTION" or "Claim 3: Negligence".
func claimIn(text string, line Span) (Claim, bool) {
	if line.End-line.Start > longestHeading {
		return Claim{}, false
	}

	// This runs on every line of a text, and six initials are all that a heading can have.
	switch text[line.Start] | 0x20 {
	case 'c', 'f', 's', 't', 'e', 'n':
	default:
		return Claim{}, false
	}
	words := headingWords(text, line)
	if len(words) < 2 || !isUpper(text[line.Start]) {
		return Claim{}, false
	}

	first := strings.ToLower(words[0].In(text))
	switch first {
	case "count", "claim":
		n, ok := enumerator(words[1].In(text))
		return Claim{line, n, first}, ok && headingGoesOn(text, Span{words[1].End, line.End})
	case "cause":
		return numberedCause(text, line, words)
	}
	n, ok := Ordinal(words[0].In(text))
	if !ok {
		return Claim{}, false
	}

	switch second := strings.ToLower(words[1].In(text)); {
	case second == "cause" && len(words) >= 4 && strings.EqualFold(words[3].In(text), "action"):
		return Claim{line, n, "cause"}, headingGoesOn(text, Span{words[3].End, line.End})
	case second == "claim" && (len(words) == 2 || strings.EqualFold(words[2].In(text), "for")):
		return Claim{line, n, "claim"}, isUpper(text[words[1].Start])
	case second == "count":
		return Claim{line, n, "count"}, headingGoesOn(text, Span{words[1].End, line.End})
	}

	return Claim{}, false
}

// numberedCause reads "CAUSE OF ACTION NO. 2" and "Cause of Action III".
func numberedCause(text string, line Span, words []Span) (Claim, bool) {
	if len(words) < 4 || !strings.EqualFold(words[2].In(text), "action") {
		return Claim{}, false
	}
	at := 3
	if strings.EqualFold(words[3].In(text), "no") && len(words) > 4 {
		at = 4
	}
	n, ok := enumerator(words[at].In(text))

	return Claim{line, n, "cause"}, ok && headingGoesOn(text, Span{words[at].End, line.End})
}

// headingWords returns the first words of a line.
func headingWords(text string, line Span) []Span {
	var words []Span
	for i := line.Start; i < line.End && len(words) < 6; {
		if !isWord(text[i]) {
			i++
			continue
		}

		start := i
		for i < line.End && (isWord(text[i]) || i > start && hyphenWithin(text[:line.End], i)) {
			i++
		}
		words = append(words, Span{start, i})
	}

	return words
}

// hyphenWithin reports whether a hyphen stands at byte i between the letters of a word. A byte stands before it.
func hyphenWithin(text string, i int) bool {
	return text[i] == '-' && i+1 < len(text) && isLetter(text[i-1]) && isLetter(text[i+1])
}

// headingGoesOn reports whether the rest of a line can be that of a heading and not of a sentence: nothing, a mark, or
// a capital.
func headingGoesOn(text string, rest Span) bool {
	// "Count II of the complaint alleges" is a sentence: it goes on in small letters.
	s := strings.TrimLeft(rest.In(text), " \t")
	return s == "" || !(s[0] >= 'a' && s[0] <= 'z') && s[0] != ','
}

// enumerator reads what numbers a heading: digits, a Roman number or a number word.
func enumerator(word string) (int, bool) {
	if n, end, ok := number(word, 0, 3); ok && end == len(word) {
		return n, n > 0
	}
	if n := roman(word); n > 0 {
		return n, true
	}
	if n, ok := NumberWord(word); ok {
		return n, true
	}

	return Ordinal(word)
}

// roman reads a Roman number in capitals up to 89, 0 for none.
func roman(word string) int {
	n, last := 0, 100

	for i := range len(word) {
		v := romanDigit(word[i])
		if v == 0 {
			return 0
		}
		// The smaller digit before was added already, so twice of it comes off.
		if v > last {
			n -= 2 * last
		}
		n += v
		last = v
	}
	if n < 1 || n > 89 {
		return 0
	}

	return n
}

func romanDigit(c byte) int {
	switch c {
	case 'I':
		return 1
	case 'V':
		return 5
	case 'X':
		return 10
	case 'L':
		return 50
	}

	return 0
}

// NumberWord reads a number in words, "one" to "ninety-nine", in any case.
func NumberWord(word string) (int, bool) {
	word = strings.ToLower(word)

	head, tail, compound := strings.Cut(word, "-")
	for i, tens := range [...]string{"twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"} {
		if head != tens {
			continue
		}
		if !compound {
			return (i + 2) * 10, true
		}
		// Only one to nine can follow the tens: "twenty-thirteen" is none.
		n, ok := NumberWord(tail)

		return (i+2)*10 + n, ok && n < 10
	}

	for i, small := range [...]string{
		"one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen",
		"fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
	} {
		if word == small {
			return i + 1, true
		}
	}

	return 0, false
}

const mostHeadWords = 14 // of a heading

// Headline reports whether a sentence is a heading: it ends in no stop, and is marked as one, is numbered as a count or
// article, or has its words in capitals or with capital initials. A heading says what follows, and shows nothing.
func Headline(sentence string) bool {
	text := strings.Trim(Fold(sentence), "*_ ")
	if text == "" || strings.HasPrefix(text, "#") {
		return true
	}
	words := strings.Fields(text)
	if len(words) > mostHeadWords || strings.ContainsRune(text, '|') || strings.IndexByte(".;?!",
		text[len(text)-1]) >= 0 {
		return false
	}

	switch strings.ToLower(strings.Trim(words[0], ".:")) {
	case "count", "claim", "cause", "article", "section", "part", "chapter", "exhibit", "schedule", "title":
		return true
	}
	large, small := 0, 0

	for _, w := range words {
		switch {
		case isUpper(w[0]):
			large++
		// Short words stay small in a title.
		case isLetter(w[0]) && len(w) > len("with"):
			small++
		}
	}

	return small == 0 && large > 0
}
