package document

import (
	"fmt"
	"strconv"
	"strings"
)

// Marks that a source uses within its lines. They are control characters, which no text that is given may hold.
const (
	boldMark  = "\x01"
	givenFrom = "\x02"
	givenTo   = "\x03"
	noteFrom  = "\x04"
	noteTo    = "\x05"
)

// Bold turns the ** of a source that is our own into marks. It must be applied before anything is filled in.
func Bold(source string) string { return strings.ReplaceAll(source, "**", boldMark) }

// Given marks text that comes from a file or record, so that nothing in it is taken for a form.
func Given(text string) string {
	if text = strings.TrimSpace(oneLine(text)); text == "" {
		return ""
	}

	return givenFrom + text + givenTo
}

// NoteMark refers to the footnote of a number.
func NoteMark(n int) string { return noteFrom + strconv.Itoa(n) + noteTo }

// Line reads the marks within one line.
func Line(line string) ([]Span, error) {
	var spans []Span
	bold, given := false, false

	for line != "" {
		at := strings.IndexAny(line, boldMark+givenFrom+givenTo+noteFrom)
		if at < 0 {
			at = len(line)
		}
		if at > 0 {
			spans = append(spans, Span{Text: line[:at], Bold: bold, Given: given})
		}
		if at == len(line) {
			break
		}
		mark := line[at : at+1]
		line = line[at+1:]

		switch mark {
		case boldMark:
			bold = !bold
		case givenFrom:
			given = true
		case givenTo:
			given = false
		default:
			number, rest, ok := strings.Cut(line, noteTo)
			n, err := strconv.Atoi(number)
			if !ok || err != nil || n < 1 {
				return nil, fmt.Errorf("a footnote without number in %q", line)
			}
			// A footnote belongs to the word before it, so that no blank gets in between.
			if last := len(spans) - 1; last >= 0 && spans[last].Note == 0 {
				spans[last].Note = n
			} else {
				spans = append(spans, Span{Note: n, Bold: bold})
			}
			line = rest
		}
	}
	if bold || given {
		return nil, fmt.Errorf("a mark is left open in %q", plain(spans))
	}

	return spans, nil
}

// Parse reads a source line by line:
//
//	# ## ###   headings          ^   a centred line
//	+          numbered          ++  numbered below it, by letters
//	+1         numbered from 1   @   a request with its number
//	-          a point           >   a quotation
//	| a | b |  a row of a table, the first of which is its head
//
// Any other line is a paragraph of its own; empty lines end a table and are nothing else.
func Parse(source string) ([]Block, error) {
	var blocks []Block
	// Whether the last block is a table that the next row goes on with.
	open := false

	for line := range strings.Lines(source) {
		line = strings.TrimSpace(line)
		if line == "" {
			open = false
			continue
		}
		block, rest := kindOf(line)
		if block.Kind == Table {
			row, err := cells(rest)
			if err != nil {
				return nil, err
			}
			if !open {
				blocks = append(blocks, block)
			}
			last := &blocks[len(blocks)-1]
			if len(last.Rows) > 0 && len(row) != len(last.Rows[0]) {
				return nil, fmt.Errorf("a row of %d cells in a table of %d: %q", len(row), len(last.Rows[0]), line)
			}
			last.Rows = append(last.Rows, row)
			open = true

			continue
		}
		open = false
		var err error
		if block.Text, err = Line(rest); err != nil {
			return nil, err
		}
		blocks = append(blocks, block)
	}

	return blocks, nil
}

func kindOf(line string) (Block, string) {
	sign, rest, spaced := strings.Cut(line, " ")
	if strings.HasPrefix(line, "|") {
		return Block{Kind: Table}, line
	}
	// A sign without a blank behind it is a word, such as "-5" or "#4".
	if !spaced {
		return Block{}, line
	}
	rest = strings.TrimSpace(rest)

	switch sign {
	case "#", "##", "###":
		return Block{Kind: Heading, Level: len(sign)}, rest
	case "^":
		return Block{Kind: Centred}, rest
	case "+":
		return Block{Kind: Numbered, Level: 1}, rest
	case "+1":
		return Block{Kind: Numbered, Level: 1, Restart: true}, rest
	case "++":
		return Block{Kind: Numbered, Level: 2}, rest
	case "@":
		return Block{Kind: Request}, rest
	case "-":
		return Block{Kind: Item}, rest
	case ">":
		return Block{Kind: Quotation}, rest
	}

	return Block{}, line
}

// cells reads a row. A bar within what is given ends no cell.
func cells(line string) ([]Cell, error) {
	line = strings.TrimSuffix(strings.TrimPrefix(line, "|"), "|")
	var row []Cell
	start, given := 0, false

	for i := 0; i <= len(line); i++ {
		if i < len(line) {
			given = given && line[i] != givenTo[0] || line[i] == givenFrom[0]
			if line[i] != '|' || given {
				continue
			}
		}
		spans, err := Line(strings.TrimSpace(line[start:i]))
		if err != nil {
			return nil, err
		}
		row = append(row, spans)
		start = i + 1
	}

	return row, nil
}
