package extract

import (
	"strings"

	"golang.org/x/net/html"
)

// sheetContent is what the style sheets in a page write before and behind elements, and how they count. A rule is
// found by the last part of its selector.
type sheetContent struct {
	rules    map[string][]*contentRule
	many     int  // rules so far
	beyond   bool // there are words that no element can be given: at the edges of pages, or by rules beyond the bound
	pictured bool // the same of pictures
	counters map[string][]*sheetCounter
}

// mostContentRules bounds the rules that are kept of a page, since each is tried on many elements.
const mostContentRules = 512

// contentRule is what a style sheet says for a selector.
type contentRule struct {
	selector selector
	place    string // "before", "after", or empty for the element itself
	loose    bool   // whether it holds for an element that matches is not known
	parts    []contentPart
	unknown  bool // it writes what is not followed here
	says     bool // it has a declaration of content
	counts   []counterChange
	order    int

	elsewhere shownElsewhere
}

// contentPart is a piece of what a style sheet writes.
type contentPart struct {
	kind   partKind
	text   string // the words, or the name of the attribute or counter
	format string
	joint  string // between the numbers of nested counters
	nested bool
}

type partKind uint8

const (
	partWords partKind = iota
	partAttribute
	partCounter
)

// counterChange is a change of a counter by an element.
type counterChange struct {
	property string // counter-reset, counter-increment or counter-set
	name     string
	by       int
}

// sheetCounter is a counter that an element began. It lives as long as the element in which that one stands.
type sheetCounter struct{ value, depth int }

// mostCounted bounds counters; a greater number could be more than that.
const mostCounted = 99_999

// add keeps a rule.
func (c *sheetContent) add(r contentRule) {
	if r.says && r.loose && !r.unknown && !r.worded() {
		// The signs may stand there and show nothing.
		r.parts = nil
	}
	if r.empty() {
		return
	}
	if c.many >= mostContentRules {
		c.miss(r)
		return
	}
	c.many++
	if c.rules == nil {
		c.rules, c.counters = map[string][]*contentRule{}, map[string][]*sheetCounter{}
	}
	r.order = c.many
	key := r.selector.key()
	c.rules[key] = append(c.rules[key], &r)
}

// miss notes what a rule shows that no element is given.
func (c *sheetContent) miss(r contentRule) {
	c.beyond = c.beyond || r.unknown || r.worded() || r.elsewhere.words
	c.pictured = c.pictured || r.elsewhere.picture
}

// empty reports whether a rule shows and counts nothing.
func (r *contentRule) empty() bool { return !r.says && len(r.counts) == 0 && !r.elsewhere.any() }

// worded reports whether a rule writes letters or figures.
func (r *contentRule) worded() bool {
	for _, p := range r.parts {
		if p.kind != partWords || strings.ContainsFunc(p.text, alphanumeric) {
			return true
		}
	}

	return false
}

// matching returns the rules that may hold for the innermost open element.
func (c *sheetContent) matching(open []element) []*contentRule {
	if c.many == 0 {
		return nil
	}
	e := &open[len(open)-1]
	keys := append(strings.Fields(e.classes), e.tag)

	for i := range len(keys) - 1 {
		keys[i] = "." + keys[i]
	}
	if e.id != "" {
		keys = append(keys, "#"+e.id)
	}
	var found []*contentRule

	for _, key := range append(keys, "*") {
		for _, r := range c.rules[key] {
			if r.selector.matches(open) {
				found = append(found, r)
			}
		}
	}

	return found
}

// generated is what stands before or behind an element by the style sheets.
type generated struct {
	text    string
	number  bool // it is the number of the element and nothing else
	unknown bool // there may be words that are not known
}

// generate returns what rules write before or behind the innermost open element, and counts what they count.
func (c *sheetContent) generate(rules []*contentRule, place string, open []element, t html.Token) generated {
	var best *contentRule
	var out generated

	for _, r := range rules {
		if r.place != place {
			continue
		}
		if !r.loose {
			c.count(r.counts, len(open)-1)
		}

		switch {
		case !r.says:
		case r.loose || r.unknown:
			out.unknown = out.unknown || r.unknown || r.worded()
		case best == nil || r.selector.weight > best.selector.weight ||
			r.selector.weight == best.selector.weight && r.order > best.order:
			best = r
		}
	}
	if best == nil {
		return out
	}

	for _, p := range best.parts {
		text, known := c.part(p, t)
		out.text += text
		out.unknown = out.unknown || !known
	}
	out.number = best.number() && figures(out.text) <= mostFigures && !spells(out.text) && out.text != ""

	return out
}

// number reports whether a rule writes a number with signs around it.
func (r *contentRule) number() bool {
	counted := false

	for _, p := range r.parts {
		counted = counted || p.kind == partCounter
		if p.kind == partAttribute || p.kind == partWords && strings.ContainsFunc(p.text, alphanumeric) {
			return false
		}
	}

	return counted
}

// part returns the words of a piece.
func (c *sheetContent) part(p contentPart, t html.Token) (text string, known bool) {
	switch p.kind {
	case partAttribute:
		return tokenAttr(t, p.text), true
	case partCounter:
		return c.counted(p)
	}

	return p.text, true
}

// counted writes the value of a counter.
func (c *sheetContent) counted(p contentPart) (text string, known bool) {
	list := c.counters[p.text]
	if len(list) == 0 {
		list = []*sheetCounter{{}}
	}
	if !p.nested {
		list = list[len(list)-1:]
	}
	var numbers []string

	for _, counter := range list {
		if counter.value > mostCounted || counter.value < -mostCounted {
			return "", false
		}
		numbers = append(numbers, numeral(p.format, counter.value))
	}

	return strings.Join(numbers, p.joint), true
}

// count changes counters by the element that stands at a depth of the open ones.
func (c *sheetContent) count(changes []counterChange, depth int) {
	for _, change := range changes {
		list := c.counters[change.name]
		last := len(list) - 1

		switch {
		case change.property == "counter-reset" && last >= 0 && list[last].depth == depth:
			list[last].value = change.by
		case last < 0 || change.property == "counter-reset":
			first := &sheetCounter{value: change.by, depth: depth}
			c.counters[change.name] = append(list, first)
		case change.property == "counter-set":
			list[last].value = change.by
		default:
			list[last].value += change.by
		}
	}
}

// leave ends the counters of elements that stand in others than those that are open still.
func (c *sheetContent) leave(open int) {
	for name, list := range c.counters {
		n := len(list)
		for n > 0 && list[n-1].depth > open {
			n--
		}
		c.counters[name] = list[:n]
	}
}

// selector says for which elements a rule holds.
type selector struct {
	compounds compounds // from the outside in
	weight    int       // the rule with the greater one decides
}

// compound is one element of a selector.
type compound struct {
	tag     string // empty for every one
	id      string
	classes []string
	child   bool // it stands right within the one before
}

// key is under what a rule is kept.
func (s selector) key() string {
	switch last := s.compounds[len(s.compounds)-1]; {
	case last.id != "":
		return "#" + last.id
	case len(last.classes) > 0:
		return "." + last.classes[0]
	case last.tag != "":
		return last.tag
	}

	return "*"
}

// matches reports whether the innermost open element is one of the selector's. Elements that stand right within each
// other are looked for together, each such group as far inside as it can be.
func (s selector) matches(open []element) bool {
	at := len(open) - 1

	for n := len(s.compounds); n > 0; {
		first := n - 1
		for first > 0 && s.compounds[first].child {
			first--
		}
		group := s.compounds[first:n]
		innermost := n == len(s.compounds)

		for at >= 0 && !group.matches(open[:at+1]) && !innermost {
			at--
		}
		if at < 0 || !group.matches(open[:at+1]) {
			return false
		}
		at -= len(group)
		n = first
	}

	return true
}

// compounds are elements that stand right within each other.
type compounds []compound

// matches reports whether they are the innermost open elements.
func (c compounds) matches(open []element) bool {
	if len(open) < len(c) {
		return false
	}

	for i := range c {
		if !c[i].matches(&open[len(open)-len(c)+i]) {
			return false
		}
	}

	return true
}

func (c compound) matches(e *element) bool {
	if c.tag != "" && c.tag != e.tag || c.id != "" && c.id != e.id {
		return false
	}
	have := " " + e.classes + " "

	for _, class := range c.classes {
		if !strings.Contains(have, " "+class+" ") {
			return false
		}
	}

	return true
}

// selectorReader reads a selector part by part.
type selectorReader struct {
	selector
	place   string
	loose   bool // a part of it is not followed here
	current compound
	begun   bool
	child   bool
}

// readSelector reads a selector, and the place of an element that it ends with.
func readSelector(text string) (r selectorReader, ok bool) {
	for text = strings.TrimSpace(text); text != ""; {
		after, known := r.next(text)
		if !known {
			return r, false
		}
		text = after
	}
	r.end()

	return r, len(r.compounds) > 0
}

// next reads one sign of a selector with the name behind it, and returns what follows.
func (r *selectorReader) next(text string) (after string, ok bool) {
	const blanks = " \t\n\r\f"
	name := selectorName(text[1:])

	switch text[0] {
	case ' ', '\t', '\n', '\r', '\f':
		r.end()
		return strings.TrimLeft(text, blanks), true
	case '>':
		r.end()
		r.child = true

		return strings.TrimLeft(text[1:], blanks), true
	// What stands before a sibling is not followed.
	case '+', '~':
		r.current, r.begun, r.child, r.loose, r.compounds = compound{}, false, false, true, nil
		return strings.TrimLeft(text[1:], blanks), true
	case '.':
		r.current.classes = append(r.current.classes, cssText(name))
		r.weight += 100
	case '#':
		r.current.id = cssText(name)
		r.weight += 10_000
	case '*':
		name = ""
	case '[':
		inner, _, _ := strings.Cut(text[1:], "]")
		name, r.loose = text[1:min(len(inner)+2, len(text))], true
	case ':':
		r.begun = true
		return r.pseudo(strings.TrimLeft(text, ":")), true
	default:
		name = selectorName(text)
		if name == "" {
			return "", false
		}
		r.current.tag, name = strings.ToLower(name), name[1:]
		r.weight++
	}
	r.begun = true

	return text[1+len(name):], true
}

// pseudo reads what stands behind a colon, and returns what follows.
func (r *selectorReader) pseudo(text string) (after string) {
	name := selectorName(text)
	after = text[len(name):]

	switch place := pseudoPlaces[strings.ToLower(name)]; {
	case place != "":
		r.place = place
	case strings.EqualFold(name, "root"):
	default:
		r.loose = true
	}
	if strings.HasPrefix(after, "(") {
		_, after = cssBlock(after[1:], '(', ')')
	}

	return after
}

// end ends an element of the selector. Those that a page need not write, since a browser knows where they stand, are
// left out.
func (r *selectorReader) end() {
	if r.begun {
		r.current.child = r.child
		if n := len(r.compounds); n > 0 && r.compounds[n-1].implied() {
			r.compounds = r.compounds[:n-1]
			r.current.child = false
		}
		r.compounds = append(r.compounds, r.current)
	}
	r.current, r.begun, r.child = compound{}, false, false
}

// implied reports whether a page need not write the element.
func (c compound) implied() bool {
	if c.id != "" || len(c.classes) > 0 {
		return false
	}

	return c.tag == "tbody" || c.tag == "html" || c.tag == "body"
}

// pseudoPlaces are the places of an element at which a style sheet can write. The mark of an item stands before it.
var pseudoPlaces = map[string]string{"before": "before", "after": "after", "marker": "before"}

// nameByte reports whether a byte can stand in a name of a style sheet without an escape.
func nameByte(c byte) bool {
	switch {
	case c == '-', c == '_', c >= 0x80:
		return true
	case c >= '0' && c <= '9':
		return true
	}

	return c|0x20 >= 'a' && c|0x20 <= 'z'
}

// selectorName returns the name with which text begins.
func selectorName(text string) string {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && i+1 < len(text):
			i++
		case !nameByte(c):
			return text[:i]
		}
	}

	return text
}

// begin writes what the style sheets write before the innermost open element, and notes what they may write behind it.
func (p *page) begin(t html.Token) {
	p.styled(t)
	rules := p.sheets.content.matching(p.open)
	if len(rules) == 0 {
		return
	}
	e := &p.open[len(p.open)-1]

	for _, r := range rules {
		if r.place == "" && !r.loose {
			p.sheets.content.count(r.counts, len(p.open)-1)
		}
	}
	if e.program != "" {
		return
	}
	p.elsewhere(rules, t)
	e.after, e.token = rules, t
	p.generated(e, p.sheets.content.generate(rules, "before", p.open, t), true)
}

// finishElement writes what the style sheets write behind an element.
func (p *page) finishElement(e *element) {
	if len(e.after) == 0 {
		return
	}
	rules := e.after
	e.after = nil
	p.generated(e, p.sheets.content.generate(rules, "after", p.open, e.token), false)
}

// generated writes what the style sheets write at an element. Items and headings have numbers of their own.
func (p *page) generated(e *element, g generated, before bool) {
	p.budget -= int64(len(g.text))
	text := withoutMarks(g.text)

	switch {
	case g.unknown && !e.unseen:
		p.sink().mark(p.marks.unread(UnreadText, 1))
		p.doc.drop(dropStyles, 1)
	case e.unseen:
		p.hidden.write(text, false)
		return
	}
	if label := strings.TrimSpace(text); before && g.number && label != "" && p.numbered(e) {
		p.marks[e.mark-1].block.Label = label
		return
	}
	p.sink().write(text, e.raw)
	if before && g.number {
		p.sink().blank = true
	}
}

// numbered reports whether an element can have a number before its words.
func (p *page) numbered(e *element) bool {
	if e.mark == 0 {
		return false
	}
	kind := p.marks[e.mark-1].block.Kind

	return kind == Item || kind == Heading
}

// finish closes what is open, and tells of words that no element was given.
func (p *page) finish() {
	p.closeFrom(0)
	if p.sheets.content.beyond {
		p.sink().mark(p.marks.unread(UnreadText, 1))
		p.doc.drop(dropStyles, 1)
	}
	if p.sheets.content.pictured {
		p.markElsewhere(shownElsewhere{picture: true}, html.Token{})
	}
}
