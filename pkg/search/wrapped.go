package search

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// opens reports whether the line that begins at a code point, and looks like an item, is one, rather than the rest of a
// sentence that was wrapped before a number or a dash: "the deposit is" and then "1.500 Euro". It is one behind a blank
// line, a clause that has ended or a heading, beside an item of its own kind, and where its number goes on from the one
// before.
func opens(runes []rune, line int) bool {
	above, start := lineAbove(runes, line)
	if strings.TrimSpace(above) == "" || endsClause(runes, line) {
		return true
	}
	own := lineAt(runes, line)

	switch mark, _ := utf8.DecodeRuneInString(own); {
	case mark == '|' || mark == '#', unicode.IsUpper(mark) && own == strings.ToUpper(own): // "ARTICLE V"
		return true
	case marks(own):
		return item(runes, start) && marks(above) || heads(above)
	case quantity(own):
		return false
	case marks(above) && item(runes, start):
		// An item of a list goes on in small letters: "the fee under" and then "4.2 of the annex".
		return !smallLetters(own)
	}

	return heads(above) || goesOn(numbersAbove(runes, line), own)
}

// lineAt returns the line that begins at a code point, without the space around it.
func lineAt(runes []rune, at int) string {
	end := at
	for end < len(runes) && runes[end] != '\n' {
		end++
	}

	return strings.TrimSpace(string(runes[at:end]))
}

// lineAbove returns the line above the one that begins at a code point, and where it begins; "" above the first one.
func lineAbove(runes []rune, line int) (string, int) {
	if line == 0 {
		return "", 0
	}

	start := line - 1
	for start > 0 && runes[start-1] != '\n' {
		start--
	}

	return lineAt(runes, start), start
}

// endsClause reports whether a clause ends with the line above the one that begins at a code point.
func endsClause(runes []rune, line int) bool {
	end := line - 1
	for end > 0 && (unicode.IsSpace(runes[end]) || strings.ContainsRune(`)"'”’*_`, runes[end])) {
		end--
	}
	if runes[end] == '.' {
		return !shortened(runes, end)
	}

	return strings.ContainsRune("?!:;", runes[end])
}

// marks reports whether a line begins with a mark of a list, or with a letter or a number in brackets: "-", "(a)" and
// "b)".
func marks(line string) bool {
	first, size := utf8.DecodeRuneInString(line)
	if strings.ContainsRune("-*•–(", first) {
		return !strings.HasPrefix(line, "**")
	}

	return unicode.IsLower(first) && strings.HasPrefix(line[size:], ")")
}

// heads reports whether a line is a heading, and no sentence of short words that goes on below it: "The fee is", "under
// Section".
func heads(line string) bool {
	if headingLength(line) != len(line) {
		return false
	}
	words := strings.Fields(line)
	last := words[len(words)-1]
	first, _ := utf8.DecodeRuneInString(last)
	marked := strings.HasPrefix(line, "#") || strings.HasPrefix(line, "**")

	return marked || !unicode.IsLower(first) && !slices.Contains(partNames, strings.ToLower(last))
}

// numbersOf returns the numbers with which a line begins, [4 2 1] of "Section 4.2.1", nil where it begins with none.
func numbersOf(line string) []int {
	line = strings.TrimPrefix(line, "**")
	word, after, _ := strings.Cut(line, " ")
	if slices.Contains(partNames, strings.ToLower(word)) {
		word, _, _ = strings.Cut(strings.TrimSpace(after), " ")
	}
	var list []int

	for part := range strings.SplitSeq(strings.Trim(word, ".)*:"), ".") {
		n, err := strconv.Atoi(part)
		if err != nil {
			return nil
		}
		list = append(list, n)
	}

	return list
}

// quantity reports whether a line begins with a number that counts something: "1.500" has its thousands.
func quantity(line string) bool {
	word, _, _ := strings.Cut(line, " ")
	_, rest, ok := strings.Cut(strings.Trim(word, ".)*,"), ".")

	return ok && len(rest) >= len("500") && strings.Trim(rest, "0123456789") == ""
}

// smallLetters reports whether what follows the number of a line begins in small letters.
func smallLetters(line string) bool {
	at := strings.IndexFunc(line, unicode.IsSpace)
	if at < 0 {
		return false
	}
	next, _ := utf8.DecodeRuneInString(strings.TrimSpace(line[at:]))

	return unicode.IsLower(next)
}

const numberReach = 40 // lines above in which the number before is looked for

// numbersAbove returns the numbers of the nearest line above that begins with some and is no quantity.
func numbersAbove(runes []rune, line int) []int {
	for range numberReach {
		above, start := lineAbove(runes, line)
		if n := numbersOf(above); n != nil && item(runes, start) && !quantity(above) {
			return n
		}
		if start == 0 {
			return nil
		}
		line = start
	}

	return nil
}

// goesOn reports whether the number of a line is the next one behind others: 4.2.1, 4.3 or 5 behind 4.2.
func goesOn(before []int, line string) bool {
	next := numbersOf(line)
	if before == nil || next == nil || len(next) > len(before)+1 {
		return false
	}
	last := len(next) - 1
	if !slices.Equal(next[:last], before[:last]) {
		return false
	}

	return last == len(before) && next[last] == 1 || last < len(before) && next[last] == before[last]+1
}

// predicates are the verbs with which a sentence goes on behind a list that is its subject.
var predicates = []string{
	"is", "are", "was", "were", "shall", "must", "will", "may", "can", "cost", "costs", "amount", "amounts", "total",
	"ist", "sind", "wird", "werden", "beträgt", "betragen", "kostet", "kosten", "muss", "müssen",
}

// sentenceOfItems reports whether the first of some clauses is an item of a list whose items are parts of one sentence:
// "- the fee for the lift", "- the fee for the cellar" and then "are 50 dollars each".
func sentenceOfItems(runes []rune, list []stretch) bool {
	for _, c := range list {
		if !unitAt(runes, c.start).item {
			return false
		}
		lines := strings.Split(strings.TrimSpace(string(runes[c.start:c.end])), "\n")
		if strings.ContainsAny(lines[0][len(lines[0])-1:], ".;:?!") {
			return false
		}

		for _, l := range lines[1:] {
			if first, _, _ := strings.Cut(strings.TrimSpace(l), " "); slices.Contains(predicates, first) {
				return true
			}
		}
	}

	return false
}
