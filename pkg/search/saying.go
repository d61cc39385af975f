package search

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
)

//go:embed words/sayings.txt
var sayingFile string

// saying is several words of a question that papers say in others.
type saying struct {
	words []string
	forms []string // stems
}

// sayings are those of the list, by their first word.
var sayings = sync.OnceValue(func() map[string][]saying {
	table := map[string][]saying{}

	for line := range strings.Lines(sayingFile) {
		said, others, ok := strings.Cut(strings.TrimSpace(line), "=")
		if !ok || line[0] == '#' {
			continue
		}
		s := saying{words: Words(said)}

		for word := range strings.FieldsSeq(others) {
			s.forms = append(s.forms, english.stem(word))
		}
		table[s.words[0]] = append(table[s.words[0]], s)
	}

	return table
})

// sayingAt returns the longest saying with which words begin; ok is false when there is none.
func sayingAt(words []string) (found saying, ok bool) {
	for _, s := range sayings()[words[0]] {
		if len(s.words) <= len(words) && len(s.words) > len(found.words) && contains(words[:len(s.words)], s.words) {
			found, ok = s, true
		}
	}

	return found, ok
}

// sayingGroup returns the group of a saying: any of the words that papers use for it answers it, and its own words that
// mean something do; where none of them does, the longest.
func sayingGroup(s saying) group {
	g := group{word: strings.Join(s.words, " ")}
	for _, stem := range s.forms {
		g.forms = append(g.forms, form{stem: stem, weight: sayingShare})
	}
	own := slices.DeleteFunc(slices.Clone(s.words), english.stopWord)
	if len(own) == 0 {
		own = []string{slices.MaxFunc(s.words, func(a, b string) int { return len(a) - len(b) })}
	}

	for _, word := range own {
		if stem := english.stem(word); !slices.Contains(s.forms, stem) {
			g.forms = append(g.forms, form{stem: stem, weight: ownShare, own: true})
		}
	}

	return g
}

const (
	sayingShare = 0.9  // of the weight that a word itself has
	ownShare    = 0.45 // of it, for one of the words of a saying
)
