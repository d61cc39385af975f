package extract

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
	"golang.org/x/text/encoding/charmap"
)

// readHTML reads a page as a browser without script would show it. What a reader does not see (comments, scripts, hidden elements,
// the addresses of links, what stands for pictures) comes as parts of its own.
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
	p, err := parsePage(ctx, text, lim)
	if err != nil {
		return doc, err
	}
	doc.setBody(p.shown.String(), nil)
	p.addParts(&doc)
	if doc.Text == "" && len(doc.Parts) == 1 && !p.pictures {
		return doc, ErrEmpty
	}
	doc.finish(nil, p.pictures)

	return doc, nil
}

// decodeHTML returns the text of a page in Unicode: as its byte order mark says, as UTF-8, or in the western encoding that it names.
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
	table := charmap.Windows1252 // browsers read all names of Latin 1 so

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
	shown    running
	hidden   running
	comments []string
	links    []string
	meta     []Part
	pictures bool

	open   []element // elements that are not closed yet
	budget int64     // bytes that may still be kept
}

// element is an open element and what it means for the text in it.
type element struct {
	name   atom.Atom
	tag    string
	unseen bool // no reader sees what is in it
	ground bool // it stands on a coloured ground, on which white text can be read
	raw    bool // white space in it counts
}

// parsePage reads the tokens of a page.
func parsePage(ctx context.Context, text string, lim Limits) (*page, error) {
	p := &page{budget: lim.Text}
	z := html.NewTokenizer(strings.NewReader(text))
	z.SetMaxBuf(int(lim.Text))
	read := 0 // bytes of text that were in tokens

	for n := 0; ; n++ {
		if n%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}

		switch z.Next() {
		case html.ErrorToken:
			if errors.Is(z.Err(), io.EOF) {
				p.aside(text[min(read, len(text)):]) // a tag that was begun and never ended
				return p, nil
			}

			return nil, fmt.Errorf("%w: not a page", errBroken)
		case html.TextToken:
			p.text(string(z.Text()))
		case html.CommentToken, html.DoctypeToken:
			p.comments = append(p.comments, string(z.Text()))
		case html.StartTagToken:
			p.start(z.Token(), false)
		case html.SelfClosingTagToken:
			p.start(z.Token(), true)
		case html.EndTagToken:
			raw := string(z.Raw())
			t := z.Token()
			if !strings.EqualFold(raw, "</"+t.Data+">") || t.DataAtom == 0 {
				p.aside(raw) // something stands in the tag that does not belong there
			}
			p.end(t)
		}
		read += len(z.Raw())
		if p.budget -= int64(len(z.Raw())) / 4; len(p.open) > lim.Nesting {
			return nil, errTooDeep
		}
		if p.budget < 0 {
			return nil, ErrBomb
		}
	}
}

func (p *page) unseen() bool { return len(p.open) > 0 && p.open[len(p.open)-1].unseen }

func (p *page) text(s string) {
	p.budget -= int64(len(s))
	switch {
	case p.unseen():
		p.hidden.write(s, false)
	default:
		p.shown.write(s, len(p.open) > 0 && p.open[len(p.open)-1].raw)
	}
}

// start takes a tag that opens an element.
func (p *page) start(t html.Token, closed bool) {
	p.attributes(t)
	p.edge(t.DataAtom)
	if closed || void(t.DataAtom) {
		return
	}
	p.imply(t.DataAtom)
	look := lookOf(t)
	ground := look.ground || len(p.open) > 0 && p.open[len(p.open)-1].ground
	e := element{name: t.DataAtom, tag: t.Data, unseen: p.unseen() || look.unseen || look.white && !ground, ground: ground, raw: t.DataAtom == atom.Pre || t.DataAtom == atom.Textarea}
	if e.unseen {
		p.hidden.breakLine(1)
	}
	if len(p.open) > 0 {
		e.raw = e.raw || p.open[len(p.open)-1].raw
	}
	p.open = append(p.open, e)
}

// imply closes what begins anew without having been closed, as old pages leave it.
func (p *page) imply(name atom.Atom) {
	switch name {
	case atom.P, atom.Li, atom.Tr, atom.Td, atom.Th, atom.Dt, atom.Dd, atom.Option:
	default:
		return
	}

	for i := len(p.open) - 1; i >= 0; i-- {
		switch open := p.open[i].name; {
		case open == name, cell(open) && cell(name):
			p.open = p.open[:i]
			return
		case cell(open) && name == atom.Tr: // a row ends its last cell too
		case cell(open), contains(open):
			return
		}
	}
}

func cell(name atom.Atom) bool { return name == atom.Td || name == atom.Th }

// contains reports whether an element keeps what begins in it from closing what is around it.
func contains(name atom.Atom) bool {
	switch name {
	case atom.Table, atom.Ul, atom.Ol, atom.Dl, atom.Select, atom.Div, atom.Section, atom.Article, atom.Blockquote, atom.Body:
		return true
	}

	return false
}

// end takes a tag that closes an element, and those in it that nobody closed.
func (p *page) end(t html.Token) {
	for i := len(p.open) - 1; i >= 0; i-- {
		if p.open[i].tag == t.Data {
			p.open = p.open[:i]
			break
		}
	}
	p.edge(t.DataAtom)
}

// edge breaks the line or the paragraph where an element does.
func (p *page) edge(name atom.Atom) {
	f := &p.shown
	if p.unseen() {
		f = &p.hidden
	}

	switch name {
	case atom.Br, atom.Li, atom.Tr, atom.Dt, atom.Dd, atom.Option, atom.Legend:
		f.breakLine(1)
	case atom.Td, atom.Th:
		f.tab()
	case atom.P, atom.Div, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Ul, atom.Ol, atom.Dl, atom.Table, atom.Pre, atom.Blockquote,
		atom.Section, atom.Article, atom.Header, atom.Footer, atom.Main, atom.Nav, atom.Aside, atom.Form, atom.Fieldset, atom.Figure, atom.Hr,
		atom.Address, atom.Body, atom.Title, atom.Caption, atom.Center:
		f.breakLine(2)
	}
}

// attributes keeps what stands in a tag: metadata, addresses, and texts that stand for something.
func (p *page) attributes(t html.Token) {
	var name, content string

	for _, a := range t.Attr {
		p.budget -= int64(len(a.Val)) + pieceBytes
		switch a.Key {
		case "name", "property", "http-equiv":
			if t.DataAtom == atom.Meta {
				name = a.Val
			}
			if t.DataAtom != atom.Meta || metadataPath(a.Val) == string(Metadata) {
				p.aside(a.Val)
			}
		case "content":
			if t.DataAtom == atom.Meta {
				content = a.Val
			} else {
				p.aside(a.Val)
			}
		case "href", "src", "action", "cite", "data", "poster", "srcset", "background":
			p.links = append(p.links, unescapeAddress(a.Val))
		default:
			p.aside(a.Val)
		}
		p.aside(uncommon(a.Key))
	}
	p.aside(uncommon(t.Data))

	switch t.DataAtom {
	case atom.Meta:
		if content != "" {
			p.meta = append(p.meta, Part{Kind: Metadata, Path: metadataPath(name), Text: content})
		}
	case atom.Img, atom.Svg, atom.Picture, atom.Canvas, atom.Video:
		p.pictures = true
	}
}

// uncommon returns the name of an element or attribute unless HTML knows it: what somebody made up may say anything.
func uncommon(name string) string {
	if atom.Lookup([]byte(name)) != 0 {
		return ""
	}

	return name
}

// aside keeps a text that stands in a tag, on a line of its own.
func (p *page) aside(s string) {
	if s == "" {
		return
	}
	p.hidden.breakLine(1)
	p.hidden.write(s, false)
	p.hidden.breakLine(1)
}

// unescapeAddress shows what percent signs hide in an address.
func unescapeAddress(address string) string {
	var out strings.Builder

	for i := 0; i < len(address); i++ {
		if address[i] == '%' && i+2 < len(address) {
			if hi, lo := unhex(address[i+1]), unhex(address[i+2]); hi >= 0 && lo >= 0 {
				out.WriteByte(byte(hi<<4 | lo))
				i += 2

				continue
			}
		}
		out.WriteByte(address[i])
	}

	return strings.ToValidUTF8(out.String(), "\ufffd")
}

func unhex(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}

	return -1
}

// void reports whether an element never has an end.
func void(name atom.Atom) bool {
	switch name {
	case atom.Area, atom.Base, atom.Br, atom.Col, atom.Embed, atom.Hr, atom.Img, atom.Input, atom.Link, atom.Meta, atom.Source, atom.Track, atom.Wbr:
		return true
	}

	return false
}

// addParts gives the document what a reader of the page does not see.
func (p *page) addParts(doc *Document) {
	for _, m := range p.meta {
		doc.addPart(m.Kind, m.Path, m.Text)
	}
	doc.addPart(Metadata, string(Metadata)+".links", strings.Join(p.links, "\n"))
	doc.addPart(Comments, string(Comments), strings.Join(p.comments, "\n\n"))
	doc.addPart(HiddenText, string(HiddenText), p.hidden.String())
}
