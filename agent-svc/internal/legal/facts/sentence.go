package facts

// mostSentences bounds the sentences of one text.
const mostSentences = 100_000

// Sentences cuts a text into its sentences, in order and trimmed; headings, and the points of a list that begin a line,
// stand alone. full is true when the text has more than are returned.
func Sentences(text string) (list []Span, full bool) {
	start := 0
	cutAt := func(end int) {
		if s := trim(text, Span{start, end}); s.Start < s.End {
			list = append(list, s)
		}
		start = end
	}

	for i := 1; i < len(text); i++ {
		if len(list) == mostSentences {
			return list, true
		}
		if endsBefore(text, start, i) {
			cutAt(i)
		}
	}
	cutAt(len(text))

	return list, false
}

// endsBefore reports whether the sentence that begins at byte start ends before byte i.
func endsBefore(text string, start, i int) bool {
	c := text[i-1]
	if isSpace(c) && sentenceBreak(text, i) {
		return true
	}

	return c == '\n' && (pointAt(text, i) || heading(text, start, i))
}

// heading reports whether the line that ends at byte i and begins the sentence is a heading of Markdown.
func heading(text string, start, i int) bool {
	for start < i && isSpace(text[start]) {
		start++
	}

	return start < i && text[start] == '#'
}

// pointAt reports whether a line that begins at byte i is a point of a list: "1. ", "12) ", "(a) ", "- ", "• ", "# ".
func pointAt(text string, i int) bool {
	for i < len(text) && (text[i] == ' ' || text[i] == '\t') {
		i++
	}
	if i+1 >= len(text) {
		return false
	}

	switch text[i] {
	case '-', '*', '#', '>':
		return isSpace(text[i+1]) || text[i+1] == '#'
	case '(':
		end := i + 1
		for end < len(text) && end-i < 6 && (isLetter(text[end]) || isDigit(text[end])) {
			end++
		}

		return end > i+1 && end+1 < len(text) && text[end] == ')' && isSpace(text[end+1])
	}

	if !isDigit(text[i]) {
		return false
	}

	end := i
	for end < len(text) && end-i < 6 && (isDigit(text[end]) || text[end] == '.') {
		end++
	}
	if text[end-1] == '.' {
		return end < len(text) && isSpace(text[end])
	}

	return end+1 < len(text) && text[end] == ')' && isSpace(text[end+1])
}
