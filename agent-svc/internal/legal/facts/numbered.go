package facts

import "strings"

// Allegation is a numbered paragraph of a pleading.
type Allegation struct {
	Span   // of its words, or of as many as one quote holds
	Number int
}

const mostAllegations = 500

// Allegations returns the numbered paragraphs of a text, as long as they count on from 1: "1. …", "2. …". Lists that
// begin again are not among them.
func Allegations(text string) []Allegation {
	var list []Allegation
	open := false // the last paragraph goes on with the next line

	for at := 0; at < len(text) && len(list) < mostAllegations; {
		end := len(text)
		if n := strings.IndexByte(text[at:], '\n'); n >= 0 {
			end = at + n
		}
		line := trim(text, Span{at, end})
		at = end + 1

		n, stop, ok := number(text[:line.End], line.Start, 3)
		switch {
		case line.Start == line.End:
			open = false
		// Paragraphs count on. A number out of turn is an item of a list within one.
		case ok && n == len(list)+1 && stopAndBlank(text[:line.End], stop):
			list = append(list, Allegation{trim(text, Span{stop + 1, line.End}), n})
			open = true
		case open && headed(line.In(text)):
			open = false
		case open:
			// Lines without a number wrap the paragraph above.
			list[len(list)-1].End = line.End
		}
	}

	for i := range list {
		list[i].Span = Beginning(text, list[i].Span)
	}

	return list
}

func stopAndBlank(text string, i int) bool {
	return i+1 < len(text) && text[i] == '.' && isSpace(text[i+1])
}

// headed reports whether a line is a heading: by its mark, or for want of small letters.
func headed(line string) bool {
	return line[0] == '#' || strings.HasPrefix(line, "**") ||
		strings.ToUpper(line) == line && strings.ToLower(line) != line
}
