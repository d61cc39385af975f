package search

// Words returns the words of a text in their order and in lower case, a label as one word with its brackets.
func Words(text string) []string {
	var words []string
	eachToken(text, func(_, _ int, word string) { words = append(words, word) })

	return words
}
