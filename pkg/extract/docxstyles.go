package extract

import (
	"encoding/xml"
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// style is what a style of paragraphs or characters says of the text in it.
type style struct {
	name    string
	basedOn string
	hidden  bool
	shown   bool   // it says that its text is not hidden, whatever the style below it says
	outline int    // level of the heading from 1; 0 for none, -1 for text of the body
	list    string // identifier of a numbering; "0" for none
	level   int    // in that numbering
}

// maxStyleDepth bounds how many styles are followed that are based on each other.
const maxStyleDepth = 32

// styleSheet holds the styles of a document by their identifiers.
type styleSheet map[string]*style

// resolved returns what a style says together with those below it.
func (s styleSheet) resolved(id string) style {
	var out style
	decided := false // whether the text is hidden

	for depth := 0; depth < maxStyleDepth; depth++ {
		x := s[id]
		if x == nil {
			break
		}
		if !decided && (x.hidden || x.shown) {
			out.hidden, decided = x.hidden, true
		}
		if out.outline == 0 {
			out.outline = x.heading()
		}
		if out.list == "" {
			out.list, out.level = x.list, x.level
		}
		id = x.basedOn
	}
	out.outline = max(out.outline, 0)

	return out
}

// heading returns the level of the heading that a style makes of its paragraph.
func (s *style) heading() int {
	if s.outline != 0 {
		return s.outline
	}
	name := strings.ToLower(s.name)
	if name == "title" {
		return 1
	}
	if digit, ok := strings.CutPrefix(name, "heading "); ok && len(digit) == 1 && digit[0] >= '1' && digit[0] <= '9' {
		return int(digit[0] - '0')
	}

	return 0
}

// outlineLevel reads the value of an outlineLvl, in which 9 stands for text of the body.
func outlineLevel(e xml.StartElement) int {
	n, err := strconv.Atoi(attr(e, "val"))
	switch {
	case err != nil || n < 0:
		return 0
	case n > 8:
		return -1
	}

	return n + 1
}

// readStyles reads what styles say of their text.
func (d *docx) readStyles(name string) error {
	now := &style{}

	return d.each(name, func(e xml.StartElement) {
		switch e.Name.Local {
		case "style":
			now = &style{}
			d.styles[attr(e, "styleId")] = now
		case "name":
			now.name = attr(e, "val")
		case "basedOn":
			now.basedOn = attr(e, "val")
		case "vanish":
			now.hidden, now.shown = on(e), !on(e)
		case "outlineLvl":
			now.outline = outlineLevel(e)
		case "numId":
			now.list = attr(e, "val")
		case "ilvl":
			now.level = level(e)
		}
	})
}

// maxLevel is the number of levels that Word's lists have.
const maxLevel = 9

// level reads the level of a list, from 0.
func level(e xml.StartElement) int {
	n, err := strconv.Atoi(attr(e, "val"))
	if err != nil || n < 0 || n >= maxLevel {
		return 0
	}

	return n
}

// numbered is one level of a list: how it counts and what stands around the number.
type numberedLevel struct {
	format string
	text   string // %1 stands for the number of level 1
	start  int
}

// list is the definition of a list with its present numbers.
type list struct {
	levels [maxLevel]numberedLevel
	counts [maxLevel]int // how many items of a level there have been since one of a level above
}

// lists holds the lists of a document: definitions by their own identifiers, and which of them each numbering uses.
type lists struct {
	defined map[string]*list
	used    map[string]string
	starts  map[string]map[int]int // numbers with which a numbering begins anew, by level
	begun   map[string]bool
}

// readNumbering reads the lists of a document.
func (d *docx) readNumbering(name string) error {
	l := &d.lists
	var definition *list
	at, number := 0, ""

	return d.each(name, func(e xml.StartElement) {
		switch e.Name.Local {
		case "abstractNum":
			definition, at, number = &list{}, 0, ""
			l.defined[attr(e, "abstractNumId")] = definition
		case "lvl", "lvlOverride":
			n, _ := strconv.Atoi(attr(e, "ilvl"))
			at = min(max(n, 0), maxLevel-1)
		case "num":
			definition, number = nil, attr(e, "numId")
		case "abstractNumId":
			l.used[number] = attr(e, "val")
		case "startOverride":
			if l.starts[number] == nil {
				l.starts[number] = map[int]int{}
			}
			l.starts[number][at], _ = strconv.Atoi(attr(e, "val"))
		}
		if definition == nil {
			return
		}

		switch e.Name.Local {
		case "start":
			definition.levels[at].start, _ = strconv.Atoi(attr(e, "val"))
		case "numFmt":
			definition.levels[at].format = attr(e, "val")
		case "lvlText":
			definition.levels[at].text = attr(e, "val")
		}
	})
}

// next counts an item of a numbering and returns what Word puts before it; false when there is no such list. spoken
// says that the label has words of its own.
func (l *lists) next(number string, level int) (label string, spoken, ok bool) {
	x := l.defined[l.used[number]]
	if x == nil {
		return "", false, false
	}
	if starts := l.starts[number]; starts != nil && !l.begun[number] {
		l.begun[number] = true

		for at := range starts {
			x.counts[at] = 0
		}
	}
	x.counts[level]++
	clear(x.counts[level+1:])
	at := x.levels[level]
	if at.format == "bullet" || at.format == "none" && at.text == "" {
		return "•", false, true
	}

	label = x.label(level, l.starts[number])

	return label, hasWords(at.text) || figures(label) > mostFigures, true
}

// mostFigures is how many figures a label may have before it could be more than a number of a paragraph.
const mostFigures = 6

// figures counts the figures of a label.
func figures(label string) int {
	n := 0

	for i := range len(label) {
		if label[i] >= '0' && label[i] <= '9' {
			n++
		}
	}

	return n
}

// label writes the number of an item.
func (x *list) label(level int, starts map[int]int) string {
	text := x.levels[level].text
	var out strings.Builder

	for i := 0; i < len(text); i++ {
		if text[i] != '%' || i+1 == len(text) || text[i+1] < '1' || text[i+1] > '9' {
			out.WriteByte(text[i])
			continue
		}
		i++
		at := int(text[i] - '1')
		start := x.levels[at].start
		if n, ok := starts[at]; ok {
			start = n
		}
		out.WriteString(numeral(x.levels[at].format, start+max(x.counts[at], 1)-1))
	}

	return strings.TrimSpace(withoutMarks(out.String()))
}

// hasWords reports whether the pattern of a label has more than one letter or figure that does not stand for a number.
func hasWords(pattern string) bool {
	n, place := 0, false

	for _, r := range pattern {
		if !place && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			n++
		}
		place = r == '%'
	}

	return n > 1
}

// numeral writes a number as a list does.
func numeral(format string, n int) string {
	switch format {
	case "lowerLetter":
		return letters(n)
	case "upperLetter":
		return strings.ToUpper(letters(n))
	case "lowerRoman":
		return strings.ToLower(roman(n))
	case "upperRoman":
		return roman(n)
	case "decimalZero":
		return fmt.Sprintf("%02d", n)
	case "none":
		return ""
	}

	return strconv.Itoa(n)
}

// letters counts a to z, then aa, bb, as Word does.
func letters(n int) string {
	if n < 1 || n > 26*8 {
		return strconv.Itoa(n)
	}

	return strings.Repeat(string(rune('a'+(n-1)%26)), (n-1)/26+1)
}

func roman(n int) string {
	if n < 1 || n > 4999 {
		return strconv.Itoa(n)
	}
	var out strings.Builder

	for _, digit := range []struct {
		value  int
		letter string
	}{
		{1000, "M"},
		{900, "CM"},
		{500, "D"},
		{400, "CD"},
		{100, "C"},
		{90, "XC"},
		{50, "L"},
		{40, "XL"},
		{10, "X"},
		{9, "IX"},
		{5, "V"},
		{4, "IV"},
		{1, "I"},
	} {
		for ; n >= digit.value; n -= digit.value {
			out.WriteString(digit.letter)
		}
	}

	return out.String()
}
