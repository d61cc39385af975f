package extract

import (
	"encoding/xml"
	"strconv"
	"strings"
)

// odfFlow follows the text of a part: stories of paragraphs and tables, which lie within each other.
type odfFlow struct {
	*odt
	story      *odfStory
	stack      []odfElement
	deleted    int  // open stories of deleted text
	onPage     bool // something has been written since the last page break
	breakNext  bool // a page begins before the next paragraph
	noted      int  // notes so far
	dropped    string
	droppedNow bool // what is dropped has been counted
	choices    choices
	counters   odfCounters
}

// odfElement is an open element and what holds for the text in it.
type odfElement struct {
	name    string
	sink    odfSink
	gone    bool // no reader sees what is in it
	hidden  bool // its letters are hidden or too small
	white   bool
	ground  bool // there is a coloured ground
	begins  bool // a story began with it
	picture *odfPicture
}

// odfSink says where the text of an element goes.
type odfSink uint8

const (
	toNothing   odfSink = iota // text is blank there
	toParagraph                // it is read
	toAlts                     // it describes a picture or table
	toDropped                  // it is counted
)

// odfPicture is the frame that is open.
type odfPicture struct {
	shown  bool // it is large enough to show words
	marked bool
}

// odfStory is a run of paragraphs and tables: the text of a part, a note, a comment, a deletion or the words of a
// shape.
type odfStory struct {
	kind      string // name of the element that holds it; empty for the text of a part
	outer     *odfStory
	plain     bool // paragraphs are no blocks of their own in it
	out       strings.Builder
	paragraph strings.Builder
	concealed strings.Builder
	alt       strings.Builder
	blank     bool // a blank stands before what comes next; blanks that follow each other are one
	open      int  // paragraphs
	after     []string
	tables    []*wordTable
	lists     []*odfList
	look      odfLook
	note      string // label of a note
}

// odfLook says what the present paragraph is.
type odfLook struct {
	level     int    // of a heading, 0 for none
	list      string // that its style names
	restarts  bool
	start     int
	unlisted  bool // a heading that is not counted
	counts    bool // it shows the number of a page
	gone      bool // it is hidden as a whole
	pageAfter bool
	quotation bool
}

// readFlow returns the visible text of a part.
func (o *odt) readFlow(name string) (string, error) {
	f := &odfFlow{odt: o, story: &odfStory{}, counters: newODFCounters()}
	err := o.tokens(name, func(t xml.Token) {
		switch t := t.(type) {
		case xml.StartElement:
			f.start(t)
		case xml.EndElement:
			f.end()
		case xml.CharData:
			f.chars(string(t))
		case xml.Comment:
			o.doc.drop(dropMarkup, 1)
		case xml.ProcInst:
			if t.Target != "xml" {
				o.doc.drop(dropMarkup, 1)
			}
		}
	})
	f.endParagraph()
	text := f.story.out.String()
	// No program shows what stands beside the pages.
	if name != odfContent {
		o.keep(&o.hidden, withoutMarks(text))
		return "", err
	}

	return text, err
}

func (f *odfFlow) top() odfElement {
	if len(f.stack) == 0 {
		return odfElement{}
	}

	return f.stack[len(f.stack)-1]
}

func (f *odfFlow) start(e xml.StartElement) {
	in := f.top()
	in.name, in.begins = odfName(e.Name), false

	switch {
	case in.sink == toDropped:
		f.countDropped()
	case in.name == odfFlatRoot && len(f.stack) == 0:
	case f.drops(in.name, e):
		in.sink = toDropped
	default:
		f.attributes(in.name, e)
		f.open(&in, e)
	}
	f.stack = append(f.stack, in)
}

// drops begins what is not read, and reports whether the element is that.
func (f *odfFlow) drops(name string, e xml.StartElement) bool {
	kind := odfDropped[name]
	if kind == "" && strings.HasPrefix(name, "math:") {
		kind = dropOther
	}
	if kind == "" {
		return false
	}
	if f.dropped, f.droppedNow = kind, false; len(e.Attr) > 0 {
		f.countDropped()
	}
	if label := attr(e, "label"); name == "text:note-citation" && hasWords(label) {
		f.keep(&f.numbers, label)
	}

	return true
}

// countDropped counts what the open element holds, once.
func (f *odfFlow) countDropped() {
	if !f.droppedNow {
		f.droppedNow = true
		f.doc.drop(f.dropped, 1)
	}
}

// odfDropped are the elements with what is in them that no reader sees as text.
var odfDropped = map[string]string{
	"office:scripts":                         dropScripts,
	"office:event-listeners":                 dropScripts,
	"text:script":                            dropScripts,
	"office:font-face-decls":                 dropFonts,
	"office:styles":                          dropStyles,
	"office:automatic-styles":                dropStyles,
	"office:settings":                        dropStyles,
	"office:meta":                            dropProperties,
	"text:sequence-decls":                    dropFieldCodes,
	"text:variable-decls":                    dropFieldCodes,
	"text:user-field-decls":                  dropFieldCodes,
	"text:table-of-content-source":           dropFieldCodes,
	"text:illustration-index-source":         dropFieldCodes,
	"text:table-index-source":                dropFieldCodes,
	"text:object-index-source":               dropFieldCodes,
	"text:user-index-source":                 dropFieldCodes,
	"text:alphabetical-index-source":         dropFieldCodes,
	"text:bibliography-source":               dropFieldCodes,
	"table:named-expressions":                dropFieldCodes,
	"table:content-validations":              dropFieldCodes,
	"text:dde-connection-decls":              dropAddresses,
	"office:dde-source":                      dropAddresses,
	"table:table-source":                     dropAddresses,
	"text:alphabetical-index-auto-mark-file": dropAddresses,
	"text:section-source":                    dropAddresses,
	"xforms:model":                           dropCustomXML,
	"office:binary-data":                     dropPictures,
	"office:document":                        dropOther,
	"dc:creator":                             dropAuthors,
	"meta:creator-initials":                  dropAuthors,
	"loext:sender-initials":                  dropAuthors,
	"text:note-citation":                     dropAlternatives,
	"text:number":                            dropAlternatives,
}

// open takes an element that is read.
func (f *odfFlow) open(in *odfElement, e xml.StartElement) {
	switch in.name {
	case "text:p", "text:h":
		f.beginParagraph(in, e)
	case "text:span":
		f.dress(in, "text", attr(e, "style-name"))
	case "text:section":
		f.dress(in, "section", attr(e, "style-name"))
		display := attr(e, "display")
		in.gone = in.gone || display == "none" || display == "condition"
	case "text:hidden-text":
		f.keep(&f.hidden, attr(e, "string-value"))
		in.hidden = in.hidden || attr(e, "is-hidden") != "false"
	case "text:hidden-paragraph":
		f.story.look.gone = f.story.look.gone || attr(e, "is-hidden") == "true"
	case "text:tab":
		f.write("\t")
	case "text:line-break":
		f.write("\n")
	case "text:s":
		f.write(strings.Repeat(" ", odfCount(e, "c", mostBlanks)))
	case "text:soft-page-break":
		f.pageBreak()
	case "text:page-number", "text:page-count", "text:page-continuation":
		f.story.look.counts = true
	case "text:ruby-text":
		f.write(" ")
	case "text:list", "text:numbered-paragraph", "text:list-item", "text:list-header":
		f.openList(in.name, e)
	case "svg:title", "svg:desc", "table:title", "table:desc":
		in.sink = toAlts
		f.story.alt.Reset()
	case "field:fieldmark", "field:fieldmark-start":
		f.choices = choices{}
	case "field:param":
		f.param(e)
	default:
		if !f.openTable(in, e) && !f.openStory(in, e) {
			f.openDrawing(in, e)
		}
	}
}

// Bounds of what one element may claim.
const (
	mostBlanks   = 256
	mostRepeated = 256
)

// odfCount reads a count that stands in an attribute, from 1.
func odfCount(e xml.StartElement, name string, most int) int {
	n, err := strconv.Atoi(attr(e, name))
	if err != nil || n < 1 {
		return 1
	}

	return min(n, most)
}

// dress gives an element the looks of its style.
func (f *odfFlow) dress(in *odfElement, family, name string) odfStyle {
	s := f.styles.resolved(family, name)
	in.dress(s)

	return s
}

// dress adds what a style says of the letters in an element. What hides more than letters cannot be undone within.
func (in *odfElement) dress(s odfStyle) {
	if s.hidden != nil {
		in.hidden = *s.hidden
	}
	if s.tiny != nil && *s.tiny {
		in.hidden = true
	}
	if s.white != nil {
		in.white = *s.white
	}
	in.ground = in.ground || s.ground != nil && *s.ground
}

// openStory begins a run of paragraphs within a paragraph or beside the text.
func (f *odfFlow) openStory(in *odfElement, e xml.StartElement) bool {
	switch in.name {
	case "text:note":
		f.noted++
		label := f.refer(attr(e, "note-class"))
		in.gone = in.gone || !f.visible()
		f.begin(in).note = label
	case "office:annotation", "office:change-info", "text:deletion", odfPages:
		f.begin(in)
		if in.name == "text:deletion" {
			f.deleted++
		}
	case "style:header",
		"style:header-left",
		"style:header-first",
		"style:footer",
		"style:footer-left",
		"style:footer-first":
		f.begin(in)
		in.gone = in.gone || attr(e, "display") == "false"
	case "draw:text-box", "draw:custom-shape", "draw:rect", "draw:line", "draw:polyline", "draw:polygon",
		"draw:regular-polygon", "draw:path", "draw:circle", "draw:ellipse", "draw:connector", "draw:caption",
		"draw:measure":
		f.begin(in)
		f.dress(in, "graphic", attr(e, "style-name"))
	default:
		return false
	}

	return true
}

// odfPages is the element that holds the headers and footers of pages.
const odfPages = "office:master-styles"

// begin begins a story.
func (f *odfFlow) begin(in *odfElement) *odfStory {
	in.begins, in.sink = true, toNothing
	in.gone, in.hidden, in.white = in.gone || in.hidden, false, false
	story := &odfStory{kind: in.name, outer: f.story, plain: f.story.plain}
	f.text -= pieceBytes

	switch {
	case in.name == "text:note", strings.HasPrefix(in.name, "style:"), in.name == "office:annotation":
		story.plain = true
	}
	f.story = story

	return story
}

// refer marks the place where a note is referred to, and returns what the note is called.
func (f *odfFlow) refer(class string) string {
	if class != "endnote" {
		class = "footnote"
	}
	if !f.visible() {
		return class
	}
	label := f.notes.label(class, strconv.Itoa(f.noted))
	f.story.paragraph.WriteString(f.marks.note(label))
	f.text -= markCost

	return label
}

// endStory puts a story where it belongs: what stands in a paragraph comes behind it.
func (f *odfFlow) endStory() {
	f.endParagraph()
	s := f.story
	f.story = s.outer
	text := s.out.String()

	switch {
	case s.kind == "text:deletion":
		f.deleted--
	case blankRaw(text) && onlyMarks(text) == "":
	case s.kind == "text:note":
		class := "footnote"
		if strings.HasPrefix(s.note, "e") {
			class = "endnote"
		}
		f.notesOf[class] = append(f.notesOf[class], f.marks.wrap(Block{Kind: Note, Label: s.note}, text))
	// Headers and footers are stories of their own.
	case s.kind == odfPages:
		f.keep(&f.hidden, withoutMarks(text))
	case s.kind == "office:annotation", s.kind == "office:change-info":
		f.comments = append(f.comments, withoutMarks(text))
	case strings.HasPrefix(s.kind, "style:header"):
		f.headers.add(text)
	case strings.HasPrefix(s.kind, "style:footer"):
		f.footers.add(text)
	case f.story.open > 0:
		f.story.after = append(f.story.after, text)
	default:
		f.put(strings.TrimRight(text, "\n"), "\n\n")
	}
}

// visible reports whether a reader sees what is written now.
func (f *odfFlow) visible() bool {
	in := f.top()
	// White letters are lost on white paper.
	lost := in.white && !in.ground

	return f.deleted == 0 && !in.gone && !in.hidden && !lost
}

// chars takes the text of an element. Blanks that follow each other are one.
func (f *odfFlow) chars(s string) {
	f.text -= int64(len(s))
	in := f.top()

	switch in.sink {
	case toParagraph:
		f.fold(s)
	case toAlts:
		f.story.alt.WriteString(withoutMarks(s))
	case toDropped:
		// The number of a note or paragraph is counted here, and is nothing more unless it has words.
		if strings.TrimSpace(s) != "" && (f.dropped != dropAlternatives || hasWords(s)) {
			f.countDropped()
		}
	default:
		if !setting(s) {
			f.doc.drop(dropUnknown, 1)
		}
	}
}

// fold writes running text.
func (f *odfFlow) fold(s string) {
	for s != "" {
		n := strings.IndexFunc(s, odfBlank)
		if n == 0 {
			f.story.blank = true
			s = strings.TrimLeftFunc(s, odfBlank)

			continue
		}
		if n < 0 {
			n = len(s)
		}
		f.write(s[:n])
		s = s[n:]
	}
}

func odfBlank(r rune) bool { return r == ' ' || r == '\t' || r == '\n' || r == '\r' }

// write adds text where it belongs, behind the blank that stands before it.
func (f *odfFlow) write(s string) {
	if s == "" {
		return
	}
	s = withoutMarks(s)
	if f.story.blank {
		s, f.story.blank = " "+s, false
	}
	f.text -= int64(len(s))

	switch {
	case f.deleted > 0, f.visible():
		f.story.paragraph.WriteString(s)
		f.onPage = f.onPage || strings.TrimSpace(s) != ""
	default:
		f.story.concealed.WriteString(s)
	}
}

// pageBreak notes that a page begins here. Only the text itself has pages.
func (f *odfFlow) pageBreak() {
	switch {
	case f.story.kind != "" || f.deleted > 0:
	case f.story.open == 0:
		f.breakNext = true
	case f.onPage:
		f.story.paragraph.WriteRune(pageBreak)
		f.onPage = false
	}
}

// beginParagraph opens a paragraph or heading.
func (f *odfFlow) beginParagraph(in *odfElement, e xml.StartElement) {
	f.endParagraph()
	s := f.story
	s.open++
	in.sink = toParagraph
	style := f.dress(in, "paragraph", attr(e, "style-name"))
	s.look = odfLook{list: style.list, pageAfter: style.after, quotation: style.quotation}

	if in.name == "text:h" {
		s.look.level = odfCount(e, "outline-level", maxLevel)
		s.look.unlisted = attr(e, "is-list-header") == "true"
		s.look.restarts = attr(e, "restart-numbering") == "true"
		s.look.start = odfCount(e, "start-value", mostRows)
	} else if style.title {
		s.look.level = 1
	}
	if f.breakNext || style.before || style.masterPage != "" {
		f.pageBreak()
	}
	if s.kind == "" {
		f.breakNext = false
	}
}

// endParagraph puts the paragraph into its table cell or the text, and what is not shown where it is kept.
func (f *odfFlow) endParagraph() {
	s := f.story
	text, look := s.paragraph.String(), s.look
	f.keep(&f.hidden, s.concealed.String())
	s.paragraph.Reset()
	s.concealed.Reset()
	s.look, s.blank = odfLook{}, false
	after := s.after
	s.after = nil

	switch {
	case f.deleted > 0:
		f.keep(&f.tracked, withoutMarks(text))
		text = ""
	case look.gone:
		f.keep(&f.hidden, withoutMarks(text))
		text = onlyMarks(text)
	case blankRaw(text):
		text = onlyMarks(text)
		if s.open > 0 {
			text += f.emptyItem(look)
		}
	case look.counts && strings.HasPrefix(s.kind, "style:") && pageNumber(withoutMarks(text)):
		text = onlyMarks(text)
	default:
		text = f.block(text, look)
	}
	f.put(text, "\n\n")

	for _, box := range after {
		f.put(strings.TrimRight(box, "\n"), "\n\n")
	}
	f.breakNext = f.breakNext || look.pageAfter && s.kind == ""
}

// block marks a paragraph as what it is. Where there are no blocks its number stands before it.
func (f *odfFlow) block(text string, look odfLook) string {
	label, at := f.number(look)

	switch {
	case f.story.plain && label != "":
		return f.marks.number(label) + " " + text
	case f.story.plain:
		return text
	case look.level > 0:
		return f.marks.wrap(Block{Kind: Heading, Level: look.level, Label: label}, text)
	case label != "":
		return f.marks.wrap(Block{Kind: Item, Level: at + 1, Label: label}, text)
	case look.quotation:
		return f.marks.wrap(Block{Kind: Quotation}, text)
	}

	return text
}

// emptyItem counts a paragraph without words, which has a number all the same. In a cell the number is what it says.
func (f *odfFlow) emptyItem(look odfLook) string {
	label, _ := f.number(look)
	if label == "" || label == "•" || len(f.story.tables) == 0 {
		return ""
	}

	return f.marks.number(label)
}

// put adds raw text to the open cell, or to the story with what stands behind it.
func (f *odfFlow) put(text, behind string) {
	s := f.story

	switch {
	case text == "":
	case len(s.tables) > 0:
		t := s.tables[len(s.tables)-1]
		t.cell = append(t.cell, text)
	default:
		s.out.WriteString(text)
		s.out.WriteString(behind)
	}
}

func (f *odfFlow) end() {
	in := f.top()
	f.stack = f.stack[:len(f.stack)-1]
	if in.sink == toDropped {
		return
	}

	switch in.name {
	case "text:p", "text:h":
		f.endParagraph()
		f.story.open = max(0, f.story.open-1)
	case "text:list", "text:numbered-paragraph", "text:list-item", "text:list-header":
		f.endList(in.name)
	case "svg:title", "svg:desc", "table:title", "table:desc":
		f.keep(&f.alts, f.story.alt.String())
		f.story.alt.Reset()
	case "field:fieldmark", "field:fieldmark-start":
		f.choices.show(f.office)
	case "table:table-cell", "table:covered-table-cell", "table:table-row", "table:table":
		f.endTable(in.name)
	}
	if in.begins {
		f.endStory()
	}
}
