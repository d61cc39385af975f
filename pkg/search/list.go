package search

import "slices"

// Words returns the words of a text in their order and in lower case, a label as one word with its brackets.
func Words(text string) []string {
	var words []string
	eachToken(text, func(_, _ int, word string) { words = append(words, word) })

	return words
}

// Stem returns the form of a word, as Words writes it, in which its forms meet: "conferences" and "conference".
func Stem(word string) string { return english.stem(word) }

// Synonymous reports whether lawyers use one stem for the other, as far as the lists of this package know.
func Synonymous(a, b string) bool { return slices.Contains(synonymTable()[a], b) }
