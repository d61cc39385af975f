package verify

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/subrosa-legal/subrosa/pkg/legaltext/abbreviation"
)

// line is one line of Markdown: what marks it as part of a list, quotation or heading, and its sentences.
type line struct {
	prefix    string
	under     string // the rule below the head of a table
	sentences []*sentence
}

// sentence is what is judged and kept or taken out as a whole. Its offsets are bytes of the answer.
type sentence struct {
	text       string // with its marks
	start, end int
	marks      []int // numbers of the passages it cites
}

var (
	prefixes = regexp.MustCompile(`^\s*(?:>\s*)*(?:(?:[-*+]|\d{1,3}[.)])\s+|#{1,6}\s+)?`)
	rule     = regexp.MustCompile(`^\s*(?:[-*_]\s*){3,}$|^\s*\|?(?:\s*:?-+:?\s*\|)+(?:\s*:?-+:?\s*)?$`)
	mark     = regexp.MustCompile(`\[\d{1,4}(?:\s*[,;–-]\s*\d{1,4})*\]`)
	marks    = regexp.MustCompile(`^(?:\s*\[\d{1,4}(?:\s*[,;–-]\s*\d{1,4})*\])+`)
	digits   = regexp.MustCompile(`\d+`)
)

// split cuts an answer into lines and sentences.
func split(text string) []line {
	var lines []line

	for at := 0; at < len(text); {
		end := strings.IndexByte(text[at:], '\n')
		if end < 0 {
			end = len(text)
		} else {
			end += at
		}

		row := strings.TrimRight(text[at:end], " \t\r")
		switch n := len(lines) - 1; {
		case !rule.MatchString(row):
			lines = append(lines, readLine(row, at))
		// Only below a row is a rule part of a table; elsewhere it is a line across the page.
		case strings.Contains(row, "|") && n >= 0 && lines[n].prefix == rowPrefix:
			lines[n].under = row // what stands above is the head of a table
		default:
			lines = append(lines, line{prefix: row})
		}
		at = end + 1
	}

	return lines
}

const rowPrefix = "| " // of a table

func readLine(row string, at int) line {
	if strings.HasPrefix(strings.TrimSpace(row), "|") {
		l := line{prefix: rowPrefix}
		if body := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(row), "|")); body != "" {
			start := at + strings.Index(row, body)
			// A row is kept or goes as a whole: without one of its cells it would say something else.
			l.sentences = []*sentence{newSentence(body, start)}
		}

		return l
	}

	l := line{prefix: prefixes.FindString(row)}
	for i := len(l.prefix); i < len(row); {
		end := sentenceEnd(row, i)
		if body := strings.TrimSpace(row[i:end]); body != "" {
			start := i + strings.Index(row[i:end], body)
			l.sentences = append(l.sentences, newSentence(body, at+start))
		}
		i = end
	}

	return l
}

func newSentence(text string, start int) *sentence {
	s := &sentence{text: text, start: start, end: start + len(text)}
	for _, m := range mark.FindAllString(text, -1) {
		s.marks = append(s.marks, numbersOf(m)...)
	}

	return s
}

// widest is the longest range of passages that one mark may name.
const widest = 20

// numbersOf reads the numbers of a mark such as [3], [1, 2] or [4-6].
func numbersOf(m string) []int {
	var list []int
	before := 0

	for _, at := range digits.FindAllStringIndex(m, -1) {
		n, _ := strconv.Atoi(m[at[0]:at[1]])
		if joint := strings.TrimSpace(m[before:at[0]]); (joint == "-" || joint == "–") && len(list) > 0 {
			// The bound keeps [1-9999] from being read as ten thousand citations.
			for i := list[len(list)-1] + 1; i < n && len(list) < widest; i++ {
				list = append(list, i)
			}
		}
		list, before = append(list, n), at[1]
	}

	return list
}

// sentenceEnd returns where the sentence ends that begins at byte i of a line: behind its full stop, closing marks and
// citations.
func sentenceEnd(row string, i int) int {
	quoted := false

	for ; i < len(row); i++ {
		switch row[i] {
		case '"':
			quoted = !quoted
		case '.', '?', '!':
			end := i + 1
			for end < len(row) && strings.IndexByte(`"')*_`, row[end]) >= 0 {
				end++
			}

			for _, closing := range [...]string{"”", "’", "*", "_", ")"} {
				end += len(row[end:]) - len(strings.TrimPrefix(row[end:], closing))
			}
			// Marks of citations behind the stop belong to the sentence before it.
			end += len(marks.FindString(row[end:]))
			if end == len(row) {
				return end
			}
			next := strings.TrimLeft(row[end:], " \t")
			joined := len(next) == len(row[end:])
			inside := joined || quoted && !strings.Contains(row[i:end], `"`)
			// A stop within a quotation, or of an abbreviation, ends nothing.
			if inside || !begins(next) || row[i] == '.' && abbreviated(row[:i], row[i+1:]) {
				i = end - 1
				if strings.Count(row[i:end], `"`)%2 == 1 || strings.HasSuffix(row[:end], `"`) {
					quoted = false
				}

				continue
			}

			return end
		}
	}

	return len(row)
}

// begins reports whether a sentence may begin like this.
func begins(next string) bool {
	r, _ := utf8.DecodeRuneInString(next)
	return unicode.IsUpper(r) || unicode.IsDigit(r) || strings.ContainsRune("[\"“‘*_(", r)
}

// abbreviated reports whether the full stop between two texts belongs to the last word of the one before.
func abbreviated(before, next string) bool {
	word := before
	if i := strings.LastIndexAny(before, " \t(“\"["); i >= 0 {
		word = before[i+1:]
	}
	if strings.Contains(word, ".") || utf8.RuneCountInString(word) == 1 && !unicode.IsDigit([]rune(word)[0]) {
		return true // U.S.C., e.g., an initial
	}

	return abbreviation.IsInClaim(word, next)
}

// bare is a sentence without its marks and Markdown's emphasis.
func bare(text string) string {
	text = mark.ReplaceAllString(text, "")
	if !strings.ContainsAny(text, "*`\\") {
		return text
	}
	var b strings.Builder

	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '*' || c == '`':
		case c == '\\' && i+1 < len(text) && strings.IndexByte("\\`*_{}[]()#+-.!|<>~$", text[i+1]) >= 0:
		default:
			b.WriteByte(c)
		}
	}

	return b.String()
}

// renumbered writes a sentence with the numbers of its citations changed.
func (s *sentence) renumbered(to func(int) int) string {
	return mark.ReplaceAllStringFunc(s.text, func(m string) string {
		var list []string
		for _, n := range numbersOf(m) {
			// Two passages that became one would be marked twice.
			if again := "[" + strconv.Itoa(to(n)) + "]"; !slices.Contains(list, again) {
				list = append(list, again)
			}
		}

		return strings.Join(list, " ")
	})
}

const (
	leadWords = 14 // up to which a line can be a heading or lead to a list
	leadLevel = 7  // behind the deepest heading
)

// level is that of a heading, leadLevel for what leads to a list, and 0 for what states something.
func (l line) level(s *sentence) int {
	head := strings.TrimSpace(l.prefix)

	text := strings.TrimSpace(s.text)
	switch {
	case len(strings.Fields(text)) > leadWords, asserts(text):
		return 0
	case strings.HasPrefix(head, "#"):
		return len(head)
	case len(l.sentences) == 1 && head == "" && strings.HasPrefix(text, "**") && strings.HasSuffix(text, "**"):
		return leadLevel - 1 // a line in bold is a heading
	case l.under != "", strings.HasSuffix(strings.TrimRight(text, "*_ "), ":"):
		return leadLevel
	}

	return 0
}

func (l line) structural(s *sentence) bool { return l.level(s) > 0 }

// claims reports whether a sentence states something that needs a source.
func (l line) claims(s *sentence, words string) bool {
	if l.structural(s) || absence(words) {
		return false
	}
	text := strings.TrimRight(strings.TrimSpace(words), "*_\"”) ")

	return !strings.HasSuffix(text, "?") && strings.ContainsFunc(words, func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsDigit(r)
	})
}

// asserts reports whether what stands as a heading or leads to a list has the form of a statement: a verb that says how
// things are, unless it asks. It errs to the side of taking a heading for one.
func asserts(text string) bool {
	words := strings.FieldsFunc(strings.ToLower(bare(text)), func(r rune) bool { return !unicode.IsLetter(r) })
	if len(words) == 0 {
		return false
	}

	switch words[0] {
	case "what", "how", "when", "where", "who", "whom", "whose", "which", "why", "whether":
		return false
	}

	for _, w := range words {
		switch w {
		case "is", "isn", "are", "aren", "was", "wasn", "were", "be", "been", "has", "hasn", "have", "haven", "had",
			"must", "shall", "will", "won", "can", "cannot", "could", "should", "would", "may", "might",
			"did", "didn", "does", "doesn", "do", "don",
			"owes", "lost", "paid", "left", "broke", "kept", "made", "gave", "took", "held":
			return true
		}
		// A verb in the past states something. Some adjectives are caught with it, which errs on the safe side.
		if len(w) > 4 && strings.HasSuffix(w, "ed") {
			return true
		}
	}

	return false
}

// absence reports whether a sentence says no more than that something was not found. It must not go on to say what
// is.
func absence(words string) bool {
	text := strings.ToLower(strings.TrimSpace(words))
	// Behind such a joint the sentence goes on to state something, which needs a source.
	for _, joint := range [...]string{
		";", ":", " but ", " so ", " therefore ", " because ", " which ", " although ", " however", " since ", " thus ",
		" hence ", " and ",
	} {
		if strings.Contains(text, joint) {
			return false
		}
	}

	for _, begin := range [...]string{
		"no passage", "no file", "none of the files", "none of the passages",
		"nothing in the files", "nothing in the passages", "the files do not", "the passages do not",
		"the files that were read do not", "the passages that were read do not",
		"i found no", "there is no passage", "there is no file",
	} {
		if strings.HasPrefix(text, begin) {
			return true
		}
	}

	return false
}

// links finds what a program may make a link or a picture of. The last form is a host without a scheme.
var links = regexp.MustCompile(`(?i)\]\s*\(|\]\s*:|!\[|://|www\.|mailto:|javascript:|data:|<\s*/?\s*[a-z!?]|&#|` +
	`\]\[[^0-9]|[a-z0-9-]{2,}\.[a-z]{2,}[/?:][^\s]`)

// linked reports whether a text holds an address, a picture or markup of web pages, by which a reader's program could
// be made to send something somewhere.
func linked(text string) bool { return links.MatchString(text) }
