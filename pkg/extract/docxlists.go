package extract

import (
	"encoding/xml"
	"strconv"
	"strings"
	"unicode"
)

// mostPattern is the length that Word allows for the pattern of a label, in bytes here.
const mostPattern = 255

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

// numberedLevel is one level of a list: how it counts and what stands around the number.
type numberedLevel struct {
	format string
	text   string // %1 stands for the number of level 1
	start  int
	legal  bool   // all numbers of a label are figures
	style  string // of the paragraphs that are at this level
	// restart is the level, from 1, below whose items counting goes on; 0 when it never begins anew, and -1 when every
	// item of a level above begins it anew.
	restart int
}

// definition is a list with its present numbers.
type definition struct {
	levels *[maxLevel]numberedLevel
	link   string // the style that names the numbering to be used instead
	number [maxLevel]int
	begun  [maxLevel]bool
}

// newLevels returns levels that say nothing: every item of a level above begins the numbers below it anew.
func newLevels() *[maxLevel]numberedLevel {
	levels := &[maxLevel]numberedLevel{}
	for i := range levels {
		levels[i].restart = -1
	}

	return levels
}

// numbering is one use of a list, which may begin with numbers of its own and look otherwise.
type numbering struct {
	definition string // its identifier
	starts     map[int]int
	levels     map[int]*numberedLevel
	used       bool
}

// lists holds the lists of a document by their own identifiers, and the numberings that use them.
type lists struct {
	defined map[string]*definition
	named   map[string]*definition // by the names in capitals that fields call them by
	uses    map[string]*numbering
}

func newLists() lists {
	return lists{
		defined: map[string]*definition{},
		named:   map[string]*definition{},
		uses:    map[string]*numbering{},
	}
}

// listReader reads the part that defines the lists.
type listReader struct {
	*lists
	definition *definition
	use        *numbering
	at         int
	level      *numberedLevel
}

// readNumbering reads the lists of a document.
func (d *docx) readNumbering(name string) error {
	r := &listReader{lists: &d.lists}

	return d.each(name, r.start)
}

func (r *listReader) start(e xml.StartElement) {
	switch e.Name.Local {
	case "abstractNum":
		r.definition, r.use, r.level = &definition{levels: newLevels()}, nil, nil
		r.defined[attr(e, "abstractNumId")] = r.definition
	case "name":
		if name := strings.ToUpper(attr(e, "val")); r.definition != nil && r.named[name] == nil {
			r.named[name] = r.definition
		}
	case "numStyleLink":
		if r.definition != nil {
			r.definition.link = attr(e, "val")
		}
	case "num":
		r.definition, r.level = nil, nil
		r.use = &numbering{starts: map[int]int{}, levels: map[int]*numberedLevel{}}
		r.uses[attr(e, "numId")] = r.use
	case "abstractNumId":
		if r.use != nil {
			r.use.definition = attr(e, "val")
		}
	case "lvl", "lvlOverride":
		r.beginLevel(e)
	case "startOverride":
		if r.use != nil {
			r.use.starts[r.at], _ = strconv.Atoi(attr(e, "val"))
		}
	default:
		if r.level != nil {
			r.level.property(e)
		}
	}
}

// beginLevel opens a level of a definition, or one that a numbering has in its place.
func (r *listReader) beginLevel(e xml.StartElement) {
	n, _ := strconv.Atoi(attr(e, "ilvl"))
	r.at = min(max(n, 0), maxLevel-1)

	switch {
	case r.definition != nil:
		r.level = &r.definition.levels[r.at]
	case r.use != nil && e.Name.Local == "lvl":
		r.level = &numberedLevel{restart: -1}
		r.use.levels[r.at] = r.level
	}
}

// property reads what a level says of itself.
func (l *numberedLevel) property(e xml.StartElement) {
	switch e.Name.Local {
	case "start":
		l.start, _ = strconv.Atoi(attr(e, "val"))
	case "numFmt":
		if strings.HasPrefix(l.format, customFormat) {
			// What follows is the form for old programs.
			return
		}
		l.format = attr(e, "val")
		if l.format == "custom" {
			l.format = customFormat + attr(e, "format")
		}
	case "lvlText":
		l.text = attr(e, "val")
		// A pattern of a megabyte would be written before each item.
		if len(l.text) > mostPattern {
			l.text = strings.ToValidUTF8(l.text[:mostPattern], "")
		}
	case "isLgl":
		l.legal = on(e)
	case "lvlRestart":
		l.restart, _ = strconv.Atoi(attr(e, "val"))
	case "pStyle":
		l.style = attr(e, "val")
	}
}

// follow gives the lists that only name a style the levels of that style's list.
func (l *lists) follow(styles styleSheet) {
	for _, use := range l.uses {
		d := l.defined[use.definition]
		if d == nil || d.link == "" {
			continue
		}
		if linked := styles[d.link]; linked != nil && l.uses[linked.list] != nil {
			use.definition = l.uses[linked.list].definition
		}
	}
}

// restart forgets all numbers: another story of the document begins.
func (l *lists) restart() {
	for _, d := range l.defined {
		d.number, d.begun = [maxLevel]int{}, [maxLevel]bool{}
	}

	for _, use := range l.uses {
		use.used = false
	}
}

// styleLevel returns the level at which a list has the paragraphs of a style.
func (l *lists) styleLevel(number string, s style) int {
	use := l.uses[number]
	if use == nil || l.defined[use.definition] == nil {
		return s.level
	}

	for i := range maxLevel {
		if use.level(l.defined[use.definition], i).style == s.listed && s.listed != "" {
			return i
		}
	}

	return s.level
}

// level returns what a numbering says of a level.
func (n *numbering) level(d *definition, at int) *numberedLevel {
	if own := n.levels[at]; own != nil {
		return own
	}

	return &d.levels[at]
}

// first returns the number with which a level begins.
func (n *numbering) first(d *definition, at int) int {
	if start, ok := n.starts[at]; ok {
		return start
	}

	return n.level(d, at).start
}

// use returns a numbering and the list that it uses, nil when there is none.
func (l *lists) use(number string) (*numbering, *definition) {
	use := l.uses[number]
	if use == nil {
		return nil, nil
	}

	return use, l.defined[use.definition]
}

// next counts an item of a numbering that uses the list, and returns what Word puts before it, empty for nothing.
// spoken says that the label has words of its own.
func (d *definition) next(use *numbering, at int) (label string, spoken bool) {
	// An item counts even where its number is not shown.
	d.count(use, at)
	level := use.level(d, at)

	switch {
	case level.format == "bullet" && !hasWords(level.text):
		return "•", false
	case level.format == "bullet":
		label = strings.TrimSpace(withoutMarks(level.text))
	default:
		label = d.label(use, at)
	}

	return label, hasWords(level.text) || strings.HasSuffix(level.format, "Text") || d.couldBeMore(use, at, label)
}

// couldBeMore reports whether a label could be more than the number of a paragraph: its letters could be a word, the
// pattern spells figures out, or there are many figures that nothing parts or that were not counted from the beginning.
func (d *definition) couldBeMore(use *numbering, at int, label string) bool {
	pattern := use.level(d, at).text
	own, adjoining := figures(pattern)-strings.Count(pattern, "%"), false

	for i := 2; i < len(pattern); i++ {
		adjoining = adjoining || pattern[i] == '%' && pattern[i-2] == '%'
	}
	if own >= mostOwnFigures || spells(label) {
		return true
	}

	fromOne := true
	for level := range at + 1 {
		fromOne = fromOne && use.first(d, level) <= 1
	}

	return figures(label) > mostFigures && (adjoining || !fromOne || own > 0)
}

// count counts an item of a level, and begins the levels below it anew.
func (d *definition) count(use *numbering, at int) {
	if !use.used {
		use.used = true

		for i := range use.starts {
			d.begun[i] = false
		}
	}
	if d.begun[at] {
		d.number[at]++
	} else {
		d.number[at], d.begun[at] = use.first(d, at), true
	}

	for below := at + 1; below < maxLevel; below++ {
		if restart := use.level(d, below).restart; restart < 0 || at < restart {
			d.begun[below] = false
		}
	}
}

// label writes the number of an item.
func (d *definition) label(use *numbering, at int) string {
	level := use.level(d, at)
	text := level.text
	var out strings.Builder

	for i := 0; i < len(text); i++ {
		if text[i] != '%' || i+1 == len(text) || text[i+1] < '1' || text[i+1] > '9' {
			out.WriteByte(text[i])
			continue
		}
		i++
		of := int(text[i] - '1')
		n, format := d.number[of], use.level(d, of).format
		if !d.begun[of] {
			n = use.first(d, of)
		}
		// Word shows Section 1.01 here, whatever the format of the levels above.
		if level.legal && format != "none" && format != "decimalZero" {
			format = "decimal"
		}
		out.WriteString(numeral(format, n))
	}

	return strings.TrimSpace(withoutMarks(out.String()))
}

// mostFigures is how many figures a label may have before it could be more than a number of a paragraph.
const mostFigures = 6

// mostOwnFigures is how many figures the pattern of a label may spell out before they could be such.
const mostOwnFigures = 4

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

// hasWords reports whether the pattern of a label has more than one letter.
func hasWords(pattern string) bool {
	n := 0

	for _, r := range pattern {
		if unicode.IsLetter(r) {
			n++
		}
	}

	return n > 1
}
