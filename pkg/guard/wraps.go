package guard

import "strings"

const (
	// shortestWrapped is how long a line is, in bytes without its indent, that a paragraph goes on from. Shorter
	// lines are those of captions, signature blocks and lists, and end where their writer ended them.
	shortestWrapped = 45
	// shortestSentence is how long a line is that can be told by its last words to be part of a sentence.
	shortestSentence = 16
)

// unwrapped returns text with blanks in place of each line break that only wraps a paragraph, so that a name, a
// company or an address is judged whole. Every byte stays where it was. Where lines are set apart by blank lines, as
// in opinions taken from pages, a break and its blank line are one.
func unwrapped(text string) string {
	var out []byte

	for start := 0; ; {
		at := strings.IndexByte(text[start:], '\n')
		if at < 0 {
			break
		}
		at += start
		next := at + 1
		if begin := wrapEnd(text, start, at); begin > 0 {
			// Most texts have no line that is wrapped inside a sentence, and are not copied.
			if out == nil {
				out = []byte(text)
			}
			next = begin
			if at > 0 && out[at-1] == '\r' {
				at--
			}

			for ; at < next; at++ {
				out[at] = ' '
			}
		}
		start = next
	}
	if out == nil {
		return text
	}

	return string(out)
}

// wrapEnd returns where the next line begins if the break at byte at only wraps the line that begins at byte start,
// else 0.
func wrapEnd(text string, start, at int) int {
	for start < at && (text[start] == ' ' || text[start] == '\t') {
		start++
	}

	end := at
	for end > start && (text[end-1] == ' ' || text[end-1] == '\r') {
		end--
	}
	if end == start || at+2 >= len(text) {
		return 0
	}
	// Rows of tables never wrap.
	if row(text[start:end]) || row(text[at+1:endOfLine(text, at+1)]) {
		return 0
	}
	line, next := text[start:end], at+1

	switch {
	case text[next] == '&':
		return next // no line begins with it
	case text[next] != '\n' && firstWord(text, line, start):
	// A short line before a blank one is a heading.
	case !unfinished(line), text[next] == '\n' && len(line) < shortestWrapped:
		return 0
	case inCapitals(line) && !inCapitals(firstOf(text[next:])):
		return 0 // the court's name in a caption, and the plaintiff
	case turnsToCapitals(line, text[next:]):
		return 0 // who signs, and the company
	case text[next] == '\n':
		next++
	}
	if next == len(text) || !alphanumeric(text[next]) || listItem(text[next:]) {
		return 0
	}

	return next
}

// endOfLine returns where the line ends that byte at is in, as far as it is read.
func endOfLine(text string, at int) int {
	end := min(len(text), at+mostOfLine)
	if cut := strings.IndexByte(text[at:end], '\n'); cut >= 0 {
		return at + cut
	}

	return end
}

// unfinished reports whether a line ends inside a sentence: it is long and ends in a word, or its last word is a
// capitalised one behind one in lower case, "special district, by Harold". A number ends a line of contents, unless
// such a word is before it.
func unfinished(line string) bool {
	last := line[len(line)-1]
	cut := strings.LastIndexByte(line, ' ')
	if cut < 1 || len(line) < shortestSentence {
		return false
	}
	before := line[strings.LastIndexByte(line[:cut], ' ')+1 : cut]
	inside := before != "" && lower(before[0]) && lower(before[len(before)-1])

	switch {
	case digit(last):
		return inside
	case len(line) >= shortestWrapped:
		return alphanumeric(last) || last == ',' || last == '&'
	}

	return inside && upper(line[cut+1]) && alphanumeric(last)
}

// inCapitals reports whether the last word of s is in capitals: "STATE OF DELAWARE".
func inCapitals(s string) bool {
	word := s[strings.LastIndexByte(s, ' ')+1:]

	for i := range len(word) {
		if lower(word[i]) {
			return false // most words
		}
	}

	return len(word) >= 2 && strings.ToUpper(word) == word && strings.ToLower(word) != word
}

// turnsToCapitals reports whether a line ends in a capitalised word and the next begins with a whole word in capitals.
func turnsToCapitals(line, rest string) bool {
	last, first := line[strings.LastIndexByte(line, ' ')+1:], firstOf(rest)
	return upper(last[0]) && !inCapitals(last) && len(first) > len("USA") && inCapitals(first)
}

// firstOf returns the first word of the line that text goes on with, over one empty line.
func firstOf(text string) string {
	text = strings.TrimLeft(text[:min(len(text), longestToken)], "\n ")
	if end := strings.IndexAny(text, " \n,"); end >= 0 {
		return text[:end]
	}

	return text
}

// firstWord reports whether a line is the first word of a paragraph alone, as the converters of filings set it:
// "China" before "Logistics Group Employment Agreement".
func firstWord(text, line string, start int) bool {
	for i := range len(line) {
		if !wordByte(line[i]) {
			return false
		}
	}

	for start > 0 && (text[start-1] == ' ' || text[start-1] == '\t') {
		start--
	}

	return start == 0 || start > 1 && text[start-1] == '\n' && text[start-2] == '\n'
}

// listItem reports whether a line begins with the number or the letter of an item: "12. ", "a) ".
func listItem(line string) bool {
	i := 0
	for i < min(len(line), 4) && alphanumeric(line[i]) {
		i++
	}

	return i < len(line) && (line[i] == '.' || line[i] == ')' || line[i] == '\t')
}
