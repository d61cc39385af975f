package extract

import (
	"encoding/xml"
	"strconv"
	"strings"
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
	leveled bool   // it says the level itself
	listed  string // identifier of the style that names the numbering
	depth   int    // from 0, that Word's own styles of lists have by their names
}

// maxStyleDepth bounds how many styles are followed that are based on each other.
const maxStyleDepth = 32

// styleSheet holds the styles of a document by their identifiers.
type styleSheet map[string]*style

// resolved returns what a style says together with those below it.
func (s styleSheet) resolved(id string) style {
	var out style
	// Whether a style has decided if the text is hidden.
	decided := false

	// Styles may be based on each other in a circle.
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
		if !out.leveled && x.leveled {
			out.level, out.leveled = x.level, true
		}
		out.depth = max(out.depth, x.nested())
		if out.list == "" && x.list != "" {
			out.list, out.listed = x.list, id
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

// nested returns how deep the items of one of Word's own styles of lists stand: those of List Bullet 2 stand below
// those of List Bullet, in a list of their own.
func (s *style) nested() int {
	name := strings.ToLower(s.name)

	for _, kind := range []string{"list bullet ", "list number "} {
		if digit, ok := strings.CutPrefix(name, kind); ok && len(digit) == 1 && digit[0] >= '2' && digit[0] <= '5' {
			return int(digit[0] - '1')
		}
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
			now.level, now.leveled = level(e), true
		}
	})
}
