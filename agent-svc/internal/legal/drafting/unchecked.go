package drafting

import (
	"regexp"
	"slices"
	"strings"

	"github.com/subrosa-legal/subrosa/pkg/api"
)

var (
	question = regexp.MustCompile(`(^|[.!\]]["”)]?\s+)[^.?!\]]*\?`)
	notFound = regexp.MustCompile(`(?i)\b(?:no passage|no file|none of the (?:files|passages)|nothing in the (?:files|` +
		`passages)|the (?:files|passages) (?:that were read )?do not|i found no|there is no (?:passage|file))\b[^.]*\.`)
	headWord = regexp.MustCompile(`\p{L}{4,}|\[\p{L}[^\]]*\]`)
)

// fixedHeads are those that a model is asked to write.
var fixedHeads = []string{
	"what happened", "what was agreed", "what is claimed", "what speaks for it", "what speaks against it",
	"what speaks for and against it",
}

// checkedOnly leaves out of a text what no check compared with a passage: questions, and headings and leads with words
// that no passage has. It marks what is said not to be found.
func checkedOnly(w Written) string {
	var kept []string

	for line := range strings.Lines(w.Text) {
		// A question states nothing, and so no check has looked at it.
		line = strings.TrimSpace(question.ReplaceAllString(strings.TrimSpace(line), "$1"))
		if !citation.MatchString(line) && !notFound.MatchString(line) && !plainHead(line, w.Citations) {
			continue
		}
		kept = append(kept, notFound.ReplaceAllString(line, "$0 (not checked)"))
	}

	return strings.Join(kept, "\n")
}

// plainHead reports whether a line without a source is a heading of the form, or says no word that no passage has.
func plainHead(line string, list []api.Citation) bool {
	head := strings.ToLower(strings.Trim(headMark.ReplaceAllString(line, ""), "*: "))
	if slices.Contains(fixedHeads, head) {
		return true
	}

	return !slices.ContainsFunc(headWord.FindAllString(head, -1), func(word string) bool {
		return !slices.ContainsFunc(list, func(c api.Citation) bool {
			return strings.Contains(strings.ToLower(c.Source.Quote), word)
		})
	})
}
