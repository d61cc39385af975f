package verify

import (
	"slices"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/facts"
	"github.com/subrosa-legal/subrosa/pkg/search"
)

const (
	likeShare  = 0.6 // of the words of a sentence that the sentence of a passage has, from which it says the same thing
	likeWords  = 3   // that it must share besides
	shortWords = 3   // letters; shorter words say little
)

// negations are words by which a sentence says that something is not so.
var negations = []string{
	"not", "no", "never", "none", "without", "nor", "neither", "cannot", "nothing", "nobody", "dont", "doesnt", "didnt", "isnt", "wasnt",
	"werent", "wont", "hasnt", "havent", "cant", "couldnt", "shouldnt", "wouldnt", "unable",
}

// like returns the sentence of the passages that says most nearly what words say; ok is false when none is near.
func like(words string, cited []*evidence) (best string, ok bool) {
	said := content(words)
	most := 0

	for _, e := range cited {
		for _, s := range e.sentencesOf() {
			shared := 0

			for w := range said {
				if s.words[w] {
					shared++
				}
			}
			if shared > most {
				best, most = s.text, shared
			}
		}
	}

	return best, most >= likeWords && float64(most) >= likeShare*float64(len(said))
}

// saidSentence is a sentence of a passage with its words.
type saidSentence struct {
	text  string
	words map[string]bool
}

// sentencesOf cuts a passage into its sentences, once.
func (e *evidence) sentencesOf() []saidSentence {
	if e.sentences == nil {
		list, _ := facts.Sentences(e.folded)
		for _, s := range list {
			text := s.In(e.folded)
			e.sentences = append(e.sentences, saidSentence{text, content(text)})
		}
	}

	return e.sentences
}

// content returns the stems of the words that say something, labels among them; negations are not.
func content(text string) map[string]bool {
	words := map[string]bool{}

	for _, w := range search.Words(text) {
		if len(w) > shortWords && !slices.Contains(negations, w) {
			words[search.Stem(w)] = true
		}
	}

	return words
}

func negated(text string) bool {
	return slices.ContainsFunc(search.Words(text), func(w string) bool { return slices.Contains(negations, w) })
}

// meaning compares what a sentence says with the sentence of its passages that is most like it: a negation that one
// of the two has and the other has not, and parties that have changed places. It is a comparison of words, and errs
// on the side of removing.
func meaning(words string, cited []*evidence, add func(Kind, string)) {
	source, ok := like(words, cited)
	if !ok {
		return
	}
	if negated(words) != negated(source) {
		add(Negation, "")
	}
	if swapped(words, source) {
		add(Role, "")
	}
}

// swapped reports whether two sentences name the same two labels the other way round, while both are active or both
// passive.
func swapped(words, source string) bool {
	a, b := labelsIn(words), labelsIn(source)
	if len(a) != 2 || len(b) != 2 || a[0] == a[1] || a[0] != b[1] || a[1] != b[0] {
		return false
	}

	return passive(words) == passive(source)
}

func passive(text string) bool {
	return slices.Contains(search.Words(text), "by")
}

// labelsIn returns the different labels of a text in their order.
func labelsIn(text string) []string {
	var list []string
	for _, l := range facts.Labels(text) {
		if name := l.String(); !slices.Contains(list, name) {
			list = append(list, name)
		}
	}

	return list
}
