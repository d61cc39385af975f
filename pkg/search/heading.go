package search

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A heading has at most headingWords words; one that runs into its paragraph ("4. Rent. The tenant …") at most
// runInWords.
const (
	headingWords = 12
	runInWords   = 7
)

// stretch is a piece of a text in bytes.
type stretch struct{ start, end int }

// headings returns the stretches of a text that look like headings, in order.
func headings(text string) []stretch {
	var list []stretch

	for at := 0; at < len(text); {
		end := len(text)
		if n := strings.IndexByte(text[at:], '\n'); n >= 0 {
			end = at + n
		}
		if n := headingLength(text[at:end]); n > 0 {
			list = append(list, stretch{at, at + n})
		}
		at = end + 1
	}

	return list
}

// headingLength returns how many bytes of a line are a heading: all of them, those before a run-in point, or none.
func headingLength(line string) int {
	body := strings.TrimLeft(line, " \t")
	// Cells of a row and items of a list are short and begin in upper case, and are no headings.
	for _, mark := range [...]string{"|", "- ", "• ", "– "} {
		if strings.HasPrefix(body, mark) {
			return 0
		}
	}
	marked := strings.HasPrefix(body, "#") || strings.HasPrefix(body, "**")
	body = strings.TrimLeft(body, "#* ")
	number := numbering(body)
	rest := strings.Trim(body[number:], " \t*")

	words := strings.Fields(rest)
	switch {
	case len(words) == 0:
		return 0
	// A line that ends with a stop is a sentence, unless the writer marked it as a heading.
	case len(words) <= headingWords && (marked || !strings.ContainsAny(rest[len(rest)-1:], ".;,:")) && titled(words):
		return len(line)
	case number == 0 && !marked:
		return 0
	}
	stop := strings.IndexAny(rest, ".:")
	if stop < 0 {
		return 0
	}
	if lead := strings.Fields(rest[:stop]); len(lead) <= runInWords && titled(lead) {
		return strings.Index(line, rest) + stop
	}

	return 0
}

// numbering returns the length of what numbers a line: "4.", "4.2", "(a)", "IV.", "Section 4", "Article IV".
func numbering(line string) int {
	word, after, _ := strings.Cut(line, " ")
	switch strings.ToLower(word) {
	case "section", "article", "count", "part", "schedule", "exhibit", "§":
		next, _, _ := strings.Cut(after, " ")
		return min(len(line), len(word)+1+len(next))
	}
	bare := strings.Trim(word, "().:")
	digits := bare != "" && strings.Trim(bare, "0123456789.") == ""
	roman := bare != word && bare != "" && strings.Trim(bare, "IVXLC") == ""
	letter := bare != word && len(bare) == 1
	if digits || roman || letter {
		return len(word)
	}

	return 0
}

// titled reports whether the longer words of a line begin in upper case. No words are no title.
func titled(words []string) bool {
	if len(words) == 0 {
		return false
	}

	upper, lower := 0, 0
	if first, _ := utf8.DecodeRuneInString(words[0]); unicode.IsLower(first) {
		// An item of a list begins in lower case, since it goes on with the sentence above.
		return false
	}

	for _, word := range words {
		r, _ := utf8.DecodeRuneInString(strings.TrimLeft(word, `"“'([`))
		switch {
		case unicode.IsUpper(r):
			upper++
		case unicode.IsLower(r) && len(word) > 4:
			lower++
		}
	}

	return upper > 0 && lower == 0
}

// eachWord calls add for every word of a text, saying whether it stands in a heading.
func eachWord(text string, heads []stretch, add func(word string, heading bool)) {
	eachToken(text, func(start, _ int, word string) {
		for len(heads) > 0 && start >= heads[0].end {
			heads = heads[1:]
		}
		add(word, len(heads) > 0 && start >= heads[0].start)
	})
}
