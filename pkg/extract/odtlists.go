package extract

import "encoding/xml"

// odfList is an open list. A list within another is one level below it.
type odfList struct {
	definition *definition
	id         string
	level      int
	fresh      bool // the next paragraph has the number of an item
}

// odfCounters hold the numbers of lists that may be continued, and those of headings.
type odfCounters struct {
	byStyle map[string]*definition
	byID    map[string]*definition
	outline *definition
}

func newODFCounters() odfCounters {
	return odfCounters{byStyle: map[string]*definition{}, byID: map[string]*definition{}}
}

// listCost is what a list counts for beside its text.
const listCost = 256

// openList opens a list or an item of one.
func (f *odfFlow) openList(name string, e xml.StartElement) {
	s := f.story

	switch name {
	case "text:list", "text:numbered-paragraph":
		f.text -= listCost
		f.beginList(name, e)
	case "text:list-header":
		if n := len(s.lists); n > 0 {
			s.lists[n-1].fresh = false
		}
	case "text:list-item":
		if n := len(s.lists); n > 0 {
			s.lists[n-1].fresh = true
			s.lists[n-1].restart(e)
			if levels := f.styles.list(attr(e, "style-override")); levels != nil {
				s.lists[n-1].definition.levels = levels
			}
		}
	}
}

// restart begins counting with the number that an element names.
func (l *odfList) restart(e xml.StartElement) {
	if attr(e, "start-value") == "" {
		return
	}
	l.definition.number[l.level] = odfCount(e, "start-value", mostRows) - 1
	l.definition.begun[l.level] = true
}

// beginList opens a list: one that goes on where another ended, or a new one.
func (f *odfFlow) beginList(name string, e xml.StartElement) {
	s := f.story
	style, id := attr(e, "style-name"), attr(e, "id")
	levels := f.styles.list(style)
	l := &odfList{id: id, fresh: name == "text:numbered-paragraph"}

	switch n := len(s.lists); {
	case name == "text:numbered-paragraph":
		id = attr(e, "list-id")
		l.level = odfCount(e, "level", maxLevel) - 1
		l.definition = f.counters.byID[id]
	case n > 0:
		outer := s.lists[n-1]
		l.level, l.definition = min(outer.level+1, maxLevel-1), outer.definition
		if levels != nil && levels != l.definition.levels {
			l.definition = &definition{levels: levels, number: outer.definition.number, begun: outer.definition.begun}
			l.definition.begun[l.level] = false
		}
	case f.counters.byID[attr(e, "continue-list")] != nil:
		l.definition = f.counters.byID[attr(e, "continue-list")]
	case attr(e, "continue-numbering") == "true":
		l.definition = f.counters.byStyle[style]
	}
	if l.definition == nil {
		l.definition = &definition{levels: levels}
	} else if levels != nil && l.definition.levels == nil {
		l.definition.levels = levels
	}
	if l.fresh {
		l.restart(e)
	}
	if l.level == 0 || l.fresh {
		f.counters.byStyle[style] = l.definition
	}
	if id != "" {
		f.counters.byID[id] = l.definition
	}
	s.lists = append(s.lists, l)
}

// endList closes a list or an item.
func (f *odfFlow) endList(name string) {
	s := f.story
	n := len(s.lists)
	if n == 0 {
		return
	}

	switch name {
	case "text:list", "text:numbered-paragraph":
		s.lists = s.lists[:n-1]
	default:
		s.lists[n-1].fresh = false
	}
}

// number counts the present paragraph in its list, and returns what stands before it, empty for nothing, with its level
// from 0.
func (f *odfFlow) number(look odfLook) (label string, at int) {
	var d *definition

	switch n := len(f.story.lists); {
	case n > 0 && f.story.lists[n-1].fresh:
		l := f.story.lists[n-1]
		l.fresh = false
		d, at = l.definition, l.level
		if d.levels == nil {
			d.levels = f.styles.list(look.list)
		}
	case n == 0 && look.level > 0 && !look.unlisted:
		d, at = f.outline(), look.level-1
	}
	if d == nil || d.levels == nil {
		return "", at
	}
	if look.restarts {
		d.number[at], d.begun[at] = look.start-1, true
	}
	label, spoken := d.next(&numbering{}, at)
	if label != "" {
		f.text -= int64(len(label)) + markCost
	}
	if spoken {
		f.keep(&f.numbers, label)
	}

	return label, at
}

// outline returns the numbering of headings, nil when there is none.
func (f *odfFlow) outline() *definition {
	if levels := f.styles.list(outlineList); f.counters.outline == nil && levels != nil {
		f.counters.outline = &definition{levels: levels}
	}

	return f.counters.outline
}
