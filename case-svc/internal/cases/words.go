package cases

import (
	"slices"
	"strings"

	"github.com/subrosa-legal/subrosa/pkg/search"
)

// spoken returns the texts of a case that lists are searched by.
func (c Case) spoken() []string { return append([]string{c.Title, c.Summary}, c.Tags...) }

// SearchWords returns the distinct words of title, summary and tags, in lower case and sorted.
func (c Case) SearchWords() []string {
	var all []string
	for _, text := range c.spoken() {
		all = append(all, search.Words(text)...)
	}
	slices.Sort(all)

	return slices.Compact(all)
}

// Says reports whether each phrase stands in one of title, summary and tags, word after word.
func (c Case) Says(phrases [][]string) bool {
	if len(phrases) == 0 {
		return true
	}

	// The store has found the words; that they stand one behind the other is seen only here.
	var texts [][]string
	for _, text := range c.spoken() {
		texts = append(texts, search.Words(text))
	}

	for _, phrase := range phrases {
		if !slices.ContainsFunc(texts, func(words []string) bool { return holds(words, phrase) }) {
			return false
		}
	}

	return true
}

func holds(words, phrase []string) bool {
	for i := range words {
		if i+len(phrase) <= len(words) && slices.Equal(words[i:i+len(phrase)], phrase) {
			return true
		}
	}

	return false
}

// Wording splits what a list is searched for into its distinct words, and the phrases that stand in quotes. A quote
// that is not closed reaches to the end.
func Wording(q string) (words []string, phrases [][]string) {
	for i, part := range strings.Split(strings.NewReplacer("“", `"`, "”", `"`).Replace(q), `"`) {
		found := search.Words(part)
		if quoted := i%2 == 1; quoted && len(found) > 1 {
			phrases = append(phrases, found)
		}
		words = append(words, found...)
	}
	slices.Sort(words)

	return slices.Compact(words), phrases
}
