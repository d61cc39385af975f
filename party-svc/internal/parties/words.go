package parties

import (
	"slices"
	"strings"
	"unicode"

	"github.com/subrosa-legal/subrosa/pkg/label"
)

// maxWords bounds the words by which one party is found.
const maxWords = 200

// Words splits text into the lower-case words by which it is found. A label is one word, so that [Party 1] never meets
// [Party 11].
func Words(text string) []string {
	var list []string
	add := func(w string) {
		if w != "" && len(list) < maxWords && !slices.Contains(list, w) {
			list = append(list, w)
		}
	}

	for text != "" {
		i := strings.IndexByte(text, '[')
		if i < 0 {
			i = len(text)
		}

		for _, w := range strings.FieldsFunc(
			text[:i], func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) },
		) {
			add(strings.ToLower(w))
		}
		text = text[i:]
		if l, width, ok := label.At(text, 0); ok {
			add(strings.ToLower(l.String()))
			text = text[width:]
		} else if text != "" {
			text = text[1:]
		}
	}

	return list
}

// SearchWords returns the words by which the party is found.
func (p Party) SearchWords() []string { return Words(p.Label + " " + p.Notes) }
