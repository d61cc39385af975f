package search

import (
	"slices"
	"strings"
	"unicode"
)

// unit is what a clause begins: a numbered paragraph, an item of a list, a row of a table.
type unit struct {
	number string // "4", "4.2" or "§ 7", "" where it has none
	item   bool   // of a list within a paragraph: "(a)", "-"
	row    bool
}

// unitOf returns what the last of some clauses belongs to: the item or the row that it begins, or else the numbered
// paragraph in which it stands.
func unitOf(runes []rune, list []stretch) unit {
	for i, c := range slices.Backward(list) {
		u := unitAt(runes, c.start)
		if u.number != "" || i == len(list)-1 && (u.item || u.row) {
			return u
		}
	}

	return unit{}
}

// unitAt returns what begins at a code point, nothing where that is not the beginning of a line.
func unitAt(runes []rune, at int) unit {
	line := at
	for line > 0 && (runes[line-1] == ' ' || runes[line-1] == '\t') {
		line--
	}
	at = unmarked(runes, at)
	if at >= len(runes) || line > 0 && runes[line-1] != '\n' {
		return unit{}
	}
	if !item(runes, at) && !listed(runes, at) || !opens(runes, line) {
		return unit{}
	}

	switch {
	case runes[at] == '|':
		return unit{row: true}
	case listed(runes, at):
		return unit{item: true}
	}

	end := at
	if named(runes, at) {
		for end < len(runes) && !unicode.IsSpace(runes[end]) {
			end++
		}
		end = skipBlanks(runes, end)
	}

	for end < len(runes) && !unicode.IsSpace(runes[end]) {
		end++
	}

	return unit{number: strings.Trim(string(runes[at:end]), ".)#*")}
}

// unmarked returns where a line that begins at a code point goes on behind the marks of bold type: "**4.2**".
func unmarked(runes []rune, at int) int {
	end := at
	for end < len(runes) && end-at < len("**") && runes[end] == '*' {
		end++
	}
	if end < len(runes) && end-at == len("**") && unicode.IsDigit(runes[end]) {
		return end
	}

	return at
}

// endsBefore reports whether a unit ends where the next one begins: it goes on in what has no number and in the parts
// of its own, 4.2 in 4.2.1 and in items of a list.
func (u unit) endsBefore(next unit) bool {
	switch {
	case next.row:
		return u.row
	case next.item:
		return u.item
	case next.number == "":
		return false
	}

	return u.number == "" || !strings.HasPrefix(next.number, u.number+".")
}
