package extract

import (
	"encoding/xml"
	"strconv"
	"strings"
)

// odfStyle is what a style of an OpenDocument text says of the text in it. Empty and nil mean that it says nothing.
type odfStyle struct {
	parent     string
	title      bool // it is the style of titles, or one on top of it
	quotation  bool
	masterPage string
	list       string
	hidden     *bool
	white      *bool
	tiny       *bool // letters that nobody can read
	ground     *bool // it has a coloured ground
	before     bool  // a page begins before it
	after      bool  // a page ends behind it
}

// odfStyles are the styles of one part by their family and name, and those that all parts have in common.
type odfStyles struct {
	common *odfStyles
	named  map[string]*odfStyle
	lists  map[string]*[maxLevel]numberedLevel
}

// outlineList is the name under which the numbering of headings is kept. No list can have it, since names are no
// sentences.
const outlineList = "the numbering of headings"

func (s *odfStyles) style(family, name string) *odfStyle {
	for ; s != nil; s = s.common {
		if x := s.named[family+" "+name]; x != nil {
			return x
		}
	}

	return nil
}

func (s *odfStyles) list(name string) *[maxLevel]numberedLevel {
	for ; s != nil && name != ""; s = s.common {
		if x := s.lists[name]; x != nil {
			return x
		}
	}

	return nil
}

// resolved returns what a style says together with those below it. The look of a page stays with the style that names
// it, since breaks are not inherited from one that only stands below.
func (s *odfStyles) resolved(family, name string) odfStyle {
	var out odfStyle

	for depth := 0; depth < maxStyleDepth && name != ""; depth++ {
		x := s.style(family, name)
		if x == nil {
			break
		}
		if depth == 0 {
			out.masterPage = x.masterPage
		}
		out.list = first(out.list, x.list)
		out.title, out.quotation = out.title || x.title, out.quotation || x.quotation
		out.hidden, out.white = either(out.hidden, x.hidden), either(out.white, x.white)
		out.tiny, out.ground = either(out.tiny, x.tiny), either(out.ground, x.ground)
		out.before, out.after = out.before || x.before, out.after || x.after
		name = x.parent
	}

	return out
}

func first(a, b string) string {
	if a != "" {
		return a
	}

	return b
}

func either(a, b *bool) *bool {
	if a != nil {
		return a
	}

	return b
}

// odfStyleReader reads the styles of a part.
type odfStyleReader struct {
	*odt
	into    *odfStyles
	style   *odfStyle
	list    *[maxLevel]numberedLevel
	level   *numberedLevel
	spoken  bool // the text of the open element is drawn on pages
	section int  // open elements that hold styles
}

// readStyles reads what the styles of a part say. Their names and looks are counted, and go no further.
func (o *odt) readStyles(name string, into *odfStyles) error {
	into.named, into.lists = map[string]*odfStyle{}, map[string]*[maxLevel]numberedLevel{}
	r := &odfStyleReader{odt: o, into: into}

	return o.tokens(name, func(t xml.Token) {
		switch t := t.(type) {
		case xml.StartElement:
			r.start(t)
		case xml.EndElement:
			r.end(odfName(t.Name))
		case xml.CharData:
			if r.spoken {
				r.keep(&r.drawings, string(t))
			}
		}
	})
}

func (r *odfStyleReader) start(e xml.StartElement) {
	switch name := odfName(e.Name); name {
	case "office:styles", "office:automatic-styles", "office:master-styles":
		r.section++
	case "style:font-face":
		r.count(dropFonts, attr(e, "font-family")+attr(e, "name"))
	case "style:style":
		if r.section == 0 {
			return
		}
		name := first(attr(e, "display-name"), attr(e, "name"))
		r.style = &odfStyle{
			parent:     attr(e, "parent-style-name"),
			title:      strings.EqualFold(name, "title"),
			quotation:  strings.EqualFold(name, "quotations"),
			masterPage: attr(e, "master-page-name"),
			list:       attr(e, "list-style-name"),
		}
		r.into.named[attr(e, "family")+" "+attr(e, "name")] = r.style
		r.text -= pieceBytes
	case "text:list-style", "text:outline-style":
		r.list = newLevels()
		id := attr(e, "name")
		if name == "text:outline-style" {
			id = outlineList
		}
		r.into.lists[id] = r.list
		r.text -= maxLevel * pieceBytes
	case "text:list-level-style-number", "text:outline-level-style",
		"text:list-level-style-bullet", "text:list-level-style-image":
		r.beginLevel(name, e)
	case "text:note-continuation-notice-forward", "text:note-continuation-notice-backward",
		"text:linenumbering-separator":
		r.spoken = true
	case "text:notes-configuration":
		for _, affix := range []string{attr(e, "num-prefix"), attr(e, "num-suffix")} {
			if hasWords(affix) {
				r.keep(&r.numbers, affix)
			}
		}
	default:
		if r.style != nil {
			r.style.property(name, e)
		}
	}
}

func (r *odfStyleReader) end(name string) {
	switch name {
	case "office:styles", "office:automatic-styles", "office:master-styles":
		r.section--
	case "style:style":
		r.style = nil
	case "text:list-style", "text:outline-style":
		r.list = nil
	case "text:note-continuation-notice-forward", "text:note-continuation-notice-backward",
		"text:linenumbering-separator":
		r.spoken = false
	}
}

// property reads what the properties of a style say of its looks.
func (s *odfStyle) property(name string, e xml.StartElement) {
	if !strings.HasPrefix(name, "style:") || !strings.HasSuffix(name, "-properties") {
		return
	}
	yes, no := true, false
	says := func(to **bool, is bool) {
		*to = &no
		if is {
			*to = &yes
		}
	}

	for _, a := range e.Attr {
		value := strings.ToLower(strings.TrimSpace(a.Value))

		switch odfName(a.Name) {
		case "text:display":
			says(&s.hidden, value != "true")
		case "table:display":
			says(&s.hidden, value == "false")
		case "style:visibility", "table:visibility":
			says(&s.hidden, value == "collapse")
		case "fo:color":
			says(&s.white, paper(value))
		case "loext:opacity":
			if value == "0%" {
				says(&s.hidden, true)
			}
		case "fo:font-size":
			says(&s.tiny, illegible(value))
		case "fo:background-color":
			says(&s.ground, !paper(value))
		case "draw:fill":
			says(&s.ground, value != "none")
		case "fo:break-before":
			s.before = value == "page"
		case "fo:break-after":
			s.after = value == "page"
		}
	}
}

// beginLevel opens a level of a list and reads how it counts.
func (r *odfStyleReader) beginLevel(name string, e xml.StartElement) {
	r.level = nil
	at, err := strconv.Atoi(attr(e, "level"))
	if err != nil || at < 1 || at > maxLevel || r.list == nil {
		return
	}
	r.level = &r.list[at-1]
	prefix, suffix := attr(e, "num-prefix"), attr(e, "num-suffix")
	r.level.start = 1
	if n, err := strconv.Atoi(attr(e, "start-value")); err == nil {
		r.level.start = n
	}

	switch name {
	case "text:list-level-style-bullet", "text:list-level-style-image":
		r.level.format, r.level.text = "bullet", prefix+attr(e, "bullet-char")+suffix
	default:
		r.level.format = odfFormat(attr(e, "num-format"), attr(e, "num-letter-sync"))
		r.level.text = odfPattern(r.list, at, e)
	}
	if len(r.level.text) > mostPattern {
		r.level.text = strings.ToValidUTF8(r.level.text[:mostPattern], "")
	}
}

// odfPattern returns the label of a level with a mark for each number, as lists of Word have it.
func odfPattern(levels *[maxLevel]numberedLevel, at int, e xml.StartElement) string {
	if pattern := attr(e, "num-list-format"); pattern != "" {
		for n := range maxLevel {
			digit := strconv.Itoa(n + 1)
			pattern = strings.ReplaceAll(pattern, "%"+digit+"%", "%"+digit)
		}

		// Lists of Word have no tenth level.
		return strings.ReplaceAll(pattern, "%10%", "")
	}
	var numbers []string
	shown, err := strconv.Atoi(attr(e, "display-levels"))
	if err != nil || shown < 1 {
		shown = 1
	}

	for n := max(1, at-shown+1); n <= at; n++ {
		if format := levels[n-1].format; format != "" && format != "none" && format != "bullet" {
			numbers = append(numbers, "%"+strconv.Itoa(n))
		}
	}

	return attr(e, "num-prefix") + strings.Join(numbers, ".") + attr(e, "num-suffix")
}

// odfFormat returns how a list counts by the name that it has in Word.
func odfFormat(format, sync string) string {
	switch format {
	case "":
		return "none"
	case "a", "A":
		kind := "Alpha"
		if sync == "true" {
			kind = "Letter"
		}
		if format == "a" {
			return "lower" + kind
		}

		return "upper" + kind
	case "i":
		return "lowerRoman"
	case "I":
		return "upperRoman"
	case "1st":
		return "ordinal"
	case "First":
		return "ordinalText"
	case "One":
		return "cardinalText"
	}

	switch {
	case strings.HasPrefix(format, "01,"):
		return "decimalZero"
	case strings.HasPrefix(format, "*,"):
		return "chicago"
	}

	return "decimal"
}

// odfName returns the name of an element or attribute with the usual prefix of its namespace.
func odfName(n xml.Name) string {
	if prefix := odfPrefix(n.Space); prefix != "" {
		return prefix + ":" + n.Local
	}

	return n.Local
}

// odfPrefix returns the usual prefix of a namespace; of one without, its last word.
func odfPrefix(space string) string {
	switch space {
	case "http://purl.org/dc/elements/1.1/":
		return "dc"
	case "http://www.w3.org/1998/Math/MathML":
		return "math"
	}
	space = strings.TrimSuffix(strings.TrimSuffix(space, ":1.0"), "-compatible")
	space = space[strings.LastIndexAny(space, ":/")+1:]

	switch space {
	case "xsl-fo":
		return "fo"
	case "drawing":
		return "draw"
	case "datastyle":
		return "number"
	}

	return space
}
