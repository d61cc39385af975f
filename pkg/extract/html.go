package extract

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
	"golang.org/x/text/encoding/charmap"
)

// readHTML reads a page as a browser without script would show it. What is hidden, what stands for pictures and the
// addresses of links come as parts of their own; what is for programs is counted.
func readHTML(ctx context.Context, r io.ReaderAt, size int64, lim Limits) (Document, error) {
	doc := Document{Method: "html"}
	data, err := readAll(r, size)
	if err != nil {
		return doc, err
	}
	text, err := decodeHTML(data)
	if err != nil {
		return doc, err
	}
	p := &page{doc: &doc, budget: lim.Text}
	if err := p.parse(ctx, text, lim); err != nil {
		return doc, err
	}
	doc.setBody(p.shown.String(), p.marks)
	p.addParts()
	if doc.Text == "" && len(doc.Parts) == 1 && !p.pictures {
		return doc, ErrEmpty
	}
	doc.finish(nil, p.pictures)

	return doc, nil
}

// decodeHTML returns the text of a page in Unicode: as its byte order mark says, as UTF-8, or in the western encoding
// that it names.
func decodeHTML(data []byte) (string, error) {
	text, err := decodeText(data)
	if !errors.Is(err, errInvalidUTF8) {
		return text, err
	}
	head := data[:min(len(data), 1024)]
	_, rest, named := bytes.Cut(bytes.ToLower(head), []byte("charset="))
	if !named {
		return "", errInvalidUTF8
	}
	name, _, _ := bytes.Cut(bytes.TrimLeft(rest, `"' `), []byte(">"))

	return western(strings.Trim(string(name), "\"'/ \t\r\n"), data)
}

// western decodes text in an encoding of one byte a character that western programs write.
func western(name string, data []byte) (string, error) {
	// Browsers read all names of Latin 1 as Windows-1252 (WHATWG Encoding Standard).
	table := charmap.Windows1252

	switch strings.ToLower(name) {
	case "windows-1252", "iso-8859-1", "latin1", "us-ascii":
	case "iso-8859-15":
		table = charmap.ISO8859_15
	default:
		return "", errInvalidUTF8
	}
	text, err := table.NewDecoder().Bytes(data)
	if err != nil {
		return "", errInvalidUTF8
	}

	return string(text), nil
}

// page gathers what a page says while its tokens go by.
type page struct {
	doc      *Document // where what is dropped is counted
	shown    running
	hidden   running
	alts     running
	links    []string
	marks    marks
	tables   []*htmlTable // that are not closed yet
	pictures bool         // something that is shown was not read
	pictured int          // marks of pictures
	linked   string       // style sheets that lie beside the page
	sheets   styleSheets

	open   []element // elements that are not closed yet
	budget int64     // bytes that may still be kept
}

// element is an open element and what it means for the text in it.
type element struct {
	name    atom.Atom
	tag     string
	unseen  bool   // no reader sees what is in it
	program string // the kind as which its text is dropped, since it is for programs
	ground  bool   // it stands on a coloured ground, on which white text can be read
	raw     bool   // white space in it counts
	mark    int    // of its block, from 1; 0 for none
	item    bool   // that block is an item of a list
	grid    bool   // it is a table, or a row or cell of one, that is seen
	list    htmlList
	id      string
	classes string
	after   []*contentRule // what style sheets may write behind it
	token   html.Token     // of an element with such rules
}

// htmlList says how a list counts its items.
type htmlList struct {
	format string // as in a Word file; empty for one without numbers
	next   int
	step   int
	turned []int // marks of the items of a list that counts down to 1, whose numbers its end tells
}

// parse reads the tokens of a page.
func (p *page) parse(ctx context.Context, text string, lim Limits) error {
	p.readSheets(text)
	z := html.NewTokenizer(strings.NewReader(text))
	z.SetMaxBuf(int(lim.Text))
	// How many bytes of text were in tokens.
	read := 0

	for n := 0; ; n++ {
		if n%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}

		switch z.Next() {
		case html.ErrorToken:
			if !errors.Is(z.Err(), io.EOF) {
				return fmt.Errorf("%w: not a page", errBroken)
			}
			if strings.TrimSpace(text[min(read, len(text)):]) != "" {
				// A tag was begun and never ended.
				p.doc.drop(dropTrailing, 1)
			}
			if p.finish(); p.budget < 0 {
				return ErrBomb
			}

			return nil
		case html.TextToken:
			p.text(string(z.Text()))
		case html.CommentToken:
			p.doc.drop(dropMarkup, 1)
		case html.DoctypeToken:
			if !strings.EqualFold(string(z.Text()), "html") {
				p.doc.drop(dropMarkup, 1)
			}
		case html.StartTagToken:
			p.start(z.Token(), false)
		case html.SelfClosingTagToken:
			p.start(z.Token(), true)
		case html.EndTagToken:
			raw := string(z.Raw())
			t := z.Token()
			if !strings.EqualFold(raw, "</"+t.Data+">") || t.DataAtom == 0 {
				// Something stands in the tag that does not belong there.
				p.doc.drop(dropMarkup, 1)
			}
			p.end(t)
		}
		read += len(z.Raw())
		if p.budget -= int64(len(z.Raw())) / 4; len(p.open) > lim.Nesting {
			return errTooDeep
		}
		if p.budget < 0 {
			return ErrBomb
		}
	}
}

func (p *page) unseen() bool { return len(p.open) > 0 && p.open[len(p.open)-1].unseen }

func (p *page) text(s string) {
	p.budget -= int64(len(s))
	s = withoutMarks(s)
	var in element
	if len(p.open) > 0 {
		in = p.open[len(p.open)-1]
	}

	switch {
	case in.program != "":
		if strings.TrimSpace(s) != "" {
			p.doc.drop(in.program, 1)
		}
	case in.unseen:
		p.hidden.write(s, false)
	default:
		p.sink().write(s, in.raw)
	}
}

// start takes a tag that opens an element.
func (p *page) start(t html.Token, closed bool) {
	p.attributes(t)
	p.edge(t.DataAtom)
	if closed || void(t.DataAtom) {
		e, _ := p.element(t)
		p.open = append(p.open, e)
		p.begin(t)
		p.closeFrom(len(p.open) - 1)

		return
	}
	p.imply(t.DataAtom)
	e, look := p.element(t)
	if t.DataAtom == atom.Ol || t.DataAtom == atom.Ul || t.DataAtom == atom.Li {
		look.list = cmp.Or(look.list, p.sheets.lists.of(t))
	}
	if look.list != "" {
		t.Attr = append(t.Attr, html.Attribute{Key: listStyle, Val: look.list})
	}
	if kind := programText(t.DataAtom); kind != "" && !shadow(t) {
		e.program = kind
	}
	if e.unseen {
		p.hidden.breakLine(1)
	} else {
		p.beginBlock(&e, t)
	}
	p.open = append(p.open, e)
	p.begin(t)
}

// element returns what a tag opens in the innermost open element, and how it looks.
func (p *page) element(t html.Token) (element, look) {
	var outer element
	if len(p.open) > 0 {
		outer = p.open[len(p.open)-1]
	}
	look := lookOf(t)
	ground := look.ground || outer.ground

	return element{
		name:    t.DataAtom,
		tag:     t.Data,
		id:      tokenAttr(t, "id"),
		classes: tokenAttr(t, "class"),
		unseen:  outer.unseen || look.unseen || look.white && !ground,
		ground:  ground,
		raw:     outer.raw || t.DataAtom == atom.Pre || t.DataAtom == atom.Textarea,
		program: outer.program,
	}, look
}

// shadow reports whether a template is what browsers show as the content of the element around it.
func shadow(t html.Token) bool {
	mode := cmp.Or(tokenAttr(t, "shadowrootmode"), tokenAttr(t, "shadowroot"))

	return t.DataAtom == atom.Template && (strings.EqualFold(mode, "open") || strings.EqualFold(mode, "closed"))
}

// programText returns the kind as which the text in an element is dropped that no browser shows, empty for all others.
func programText(name atom.Atom) string {
	switch name {
	case atom.Script:
		return dropScripts
	case atom.Style:
		return dropStyles
	case atom.Datalist:
		return dropFormOptions
	case atom.Template:
		return dropMarkup
	}

	return ""
}

// imply closes what begins anew without having been closed, as old pages leave it.
func (p *page) imply(name atom.Atom) {
	switch name {
	case atom.P, atom.Li, atom.Tr, atom.Td, atom.Th, atom.Dt, atom.Dd, atom.Option:
	case atom.Tbody, atom.Thead, atom.Tfoot:
		p.endSection()
		return
	default:
		return
	}

	for i := len(p.open) - 1; i >= 0; i-- {
		switch open := p.open[i].name; {
		case open == name, cell(open) && cell(name):
			p.closeFrom(i)
			return
		// A row ends its last cell, too.
		case cell(open) && name == atom.Tr:
		case cell(open), contains(open):
			return
		}
	}
}

func cell(name atom.Atom) bool { return name == atom.Td || name == atom.Th }

// contains reports whether an element keeps what begins in it from closing what is around it.
func contains(name atom.Atom) bool {
	switch name {
	case atom.Table,
		atom.Ul,
		atom.Ol,
		atom.Dl,
		atom.Select,
		atom.Div,
		atom.Section,
		atom.Article,
		atom.Blockquote,
		atom.Body:
		return true
	}

	return false
}

// end takes a tag that closes an element, and those in it that nobody closed.
func (p *page) end(t html.Token) {
	for i := len(p.open) - 1; i >= 0; i-- {
		if p.open[i].tag == t.Data {
			p.closeFrom(i)
			break
		}
	}
	p.edge(t.DataAtom)
}

// edge breaks the line or the paragraph where an element does.
func (p *page) edge(name atom.Atom) {
	f := p.sink()
	if p.unseen() {
		f = &p.hidden
	}

	switch name {
	case atom.Br, atom.Li, atom.Tr, atom.Dt, atom.Dd, atom.Option, atom.Optgroup, atom.Legend, atom.Summary,
		atom.Figcaption:
		f.breakLine(1)
	case atom.Select, atom.Textarea, atom.Button, atom.Iframe, atom.Object, atom.Meter, atom.Progress, atom.Rt:
		// The element is a box of its own in the line.
		f.blank = true
	case atom.Td, atom.Th:
		if p.unseen() || len(p.tables) == 0 {
			f.tab()
		}
	case atom.P,
		atom.Div,
		atom.H1,
		atom.H2,
		atom.H3,
		atom.H4,
		atom.H5,
		atom.H6,
		atom.Ul,
		atom.Ol,
		atom.Dl,
		atom.Table,
		atom.Pre,
		atom.Blockquote,
		atom.Section,
		atom.Article,
		atom.Header,
		atom.Footer,
		atom.Main,
		atom.Nav,
		atom.Aside,
		atom.Form,
		atom.Fieldset,
		atom.Figure,
		atom.Details,
		atom.Dialog,
		atom.Hgroup,
		atom.Menu,
		atom.Dir,
		atom.Listing,
		atom.Noscript,
		atom.Xmp,
		atom.Hr,
		atom.Address,
		atom.Body,
		atom.Title,
		atom.Caption,
		atom.Center:
		f.breakLine(2)
	}
}

// attributes reads what a browser shows of a tag, and counts the rest.
func (p *page) attributes(t html.Token) {
	hidden := t.DataAtom == atom.Input && strings.EqualFold(tokenAttr(t, "type"), "hidden")

	for _, a := range t.Attr {
		p.budget -= int64(len(a.Val)) + pieceBytes
		switch {
		case t.DataAtom == atom.Meta:
			if a.Key == "content" {
				p.doc.drop(dropProperties, 1)
			}
		case a.Key == "value" && hidden:
			p.doc.drop(dropFormDefaults, 1)
		// The attribute is the number of the item.
		case a.Key == "value" && t.DataAtom == atom.Li && setting(a.Val):
		case shownAttributes[a.Key]:
			p.alt(a.Val)
		case addressAttributes[a.Key]:
			p.address(t.DataAtom, a)
		case a.Key == "style":
			p.doc.drop(dropStyles, 1)
		case !layoutAttributes[a.Key], !setting(a.Val):
			p.doc.drop(dropMarkup, 1)
		}
	}
	if t.DataAtom == 0 {
		p.doc.drop(dropUnknown, 1)
	}

	switch t.DataAtom {
	case atom.Img, atom.Svg, atom.Picture, atom.Canvas, atom.Video:
		p.picture(t)
	default:
		p.framed(t)
	}
}

// shownAttributes hold words that a browser shows or reads aloud.
var shownAttributes = map[string]bool{
	"alt":                  true,
	"title":                true,
	"placeholder":          true,
	"value":                true,
	"label":                true,
	"summary":              true,
	"abbr":                 true,
	"aria-label":           true,
	"aria-description":     true,
	"aria-placeholder":     true,
	"aria-valuetext":       true,
	"aria-roledescription": true,
	"srcdoc":               true,
}

// layoutAttributes say how a page looks and hold no words.
var layoutAttributes = map[string]bool{
	"width":       true,
	"height":      true,
	"colspan":     true,
	"rowspan":     true,
	"align":       true,
	"valign":      true,
	"border":      true,
	"cellpadding": true,
	"cellspacing": true,
	"bgcolor":     true,
	"color":       true,
	"size":        true,
	"type":        true,
	"start":       true,
	"lang":        true,
	"dir":         true,
	"charset":     true,
	"rel":         true,
	"hidden":      true,
	"checked":     true,
	"selected":    true,
	"disabled":    true,
	"nowrap":      true,
	"span":        true,
	"role":        true,
}

// addressAttributes hold addresses.
var addressAttributes = map[string]bool{
	"href":       true,
	"src":        true,
	"action":     true,
	"cite":       true,
	"data":       true,
	"poster":     true,
	"srcset":     true,
	"background": true,
	"formaction": true,
	"longdesc":   true,
	"ping":       true,
	"xlink:href": true,
}

// address keeps the address of a link to the web, and counts all others.
func (p *page) address(name atom.Atom, a html.Attribute) {
	link := a.Key == "href" && (name == atom.A || name == atom.Area)
	if link && onTheWeb(a.Val) && !p.unseen() {
		p.links = append(p.links, unescapeAddress(a.Val))
		return
	}
	p.doc.drop(dropAddresses, 1)
}

// leastSide is the side of a picture in pixels below which it shows no words.
const leastSide = 16

// picture marks a picture that is seen, unless it is too small to show words.
func (p *page) picture(t html.Token) {
	p.doc.drop(dropPictures, 1)
	p.unread(t, UnreadPicture)
}

// framed marks what an element shows in place that stands at an address, or in an attribute, and is not read.
func (p *page) framed(t html.Token) {
	source := ""

	switch t.Data {
	case "iframe", "frame", "portal", "fencedframe":
		source = cmp.Or(tokenAttr(t, "srcdoc"), tokenAttr(t, "src"))
	case "embed":
		source = tokenAttr(t, "src")
	case "object":
		source = tokenAttr(t, "data")
	case "link":
		if strings.EqualFold(tokenAttr(t, "rel"), "import") {
			source = tokenAttr(t, "href")
		}
	}
	source = strings.ToLower(source)
	if source == "" || strings.HasPrefix(source, "about:") || strings.HasPrefix(source, "cid:") {
		return
	}
	what := UnreadText
	if strings.HasPrefix(strings.ToLower(tokenAttr(t, "type")), "image/") || strings.HasPrefix(source, "data:image/") {
		what = UnreadPicture
	}
	p.unread(t, what)
}

// unread marks what an element shows and what was not read, unless it is hidden or too small to show words.
func (p *page) unread(t html.Token, what string) {
	for _, side := range []string{"width", "height"} {
		if n, err := strconv.Atoi(strings.TrimSuffix(tokenAttr(t, side), "px")); err == nil && n < leastSide {
			return
		}
	}
	if p.unseen() || len(p.open) > 0 && p.open[len(p.open)-1].program != "" {
		return
	}
	p.pictures = true
	if what == UnreadPicture {
		p.pictured++
	}
	p.sink().mark(p.marks.unread(what, 1))
}

func tokenAttr(t html.Token, key string) string {
	for _, a := range t.Attr {
		if a.Key == key {
			return strings.TrimSpace(a.Val)
		}
	}

	return ""
}

// alt keeps a text that stands in a tag, on a line of its own.
func (p *page) alt(s string) {
	p.alts.breakLine(1)
	p.alts.write(withoutMarks(s), false)
	p.alts.breakLine(1)
}

// void reports whether an element never has an end.
func void(name atom.Atom) bool {
	switch name {
	case atom.Area,
		atom.Base,
		atom.Br,
		atom.Col,
		atom.Embed,
		atom.Hr,
		atom.Img,
		atom.Input,
		atom.Link,
		atom.Meta,
		atom.Source,
		atom.Track,
		atom.Wbr:
		return true
	}

	return false
}

// addParts gives the document what stands beside the text of the page.
func (p *page) addParts() {
	p.doc.addPart(AltText, string(AltText), p.alts.String())
	p.doc.addPart(HiddenText, string(HiddenText), p.hidden.String())
	p.doc.addPart(Links, string(Links), strings.Join(p.links, "\n"))
}
