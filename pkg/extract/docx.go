package extract

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
)

// docx is a Word file while it is read.
type docx struct {
	*archive
	doc      *Document
	text     int64 // bytes of text that may still be kept
	links    []relation
	styles   map[string]bool // identifiers of styles whose text is not shown
	body     []string
	tracked  []string
	comments []string
	hidden   []string
	people   map[string]bool // authors already noted
}

// relation is a link from one part to another, or to something outside.
type relation struct {
	kind     string // last part of the type, such as "header"
	target   string // part name, or address if external
	external bool
}

// pieceBytes is what a text of its own counts for beside its bytes, so that many small ones are bounded too.
const pieceBytes = 64

const pictureDir = "/media/"

// readDOCX reads a Word file.
func readDOCX(ctx context.Context, r io.ReaderAt, size int64, lim Limits) (Document, error) {
	doc := Document{Method: "docx"}
	data, err := readAll(r, size)
	if err != nil {
		return doc, err
	}
	a, err := openArchive(ctx, bytes.NewReader(data), size, lim)
	if err != nil {
		return doc, err
	}
	d := &docx{archive: a, doc: &doc, text: lim.Text, people: map[string]bool{}}
	main, err := d.structure()
	if err != nil {
		return doc, err
	}
	if err := d.readParts(main); err != nil {
		return doc, err
	}
	pictures := slices.ContainsFunc(a.names, func(name string) bool { return strings.Contains(name, pictureDir) })
	doc.setFlow(strings.Join(d.body, "\n\n"), nil)
	doc.addPart(Comments, string(Comments), strings.Join(d.comments, "\n\n"))
	doc.addPart(TrackedChanges, string(TrackedChanges), strings.Join(d.tracked, "\n"))
	doc.addPart(HiddenText, string(HiddenText), strings.Join(d.hidden, "\n"))
	if doc.Text == "" && !pictures {
		return doc, ErrEmpty
	}
	doc.finish(data, pictures)

	return doc, nil
}

// structure reads the types and links of the parts, refuses what must not be there, and returns the name of the main part.
func (d *docx) structure() (main string, err error) {
	err = d.each("[Content_Types].xml", func(e xml.StartElement) {
		kind := strings.ToLower(attr(e, "ContentType"))
		switch {
		case strings.Contains(kind, "macroenabled") || strings.Contains(kind, "vbaproject") || strings.Contains(kind, "activex"):
			main = "macro"
		case main == "" && strings.HasSuffix(kind, "wordprocessingml.document.main+xml"):
			main = strings.TrimPrefix(attr(e, "PartName"), "/")
		}
	})
	switch {
	case err != nil:
		return "", err
	case main == "macro":
		return "", ErrMacro
	case main == "" || d.parts[strings.ToLower(main)] == nil:
		return "", ErrMismatch // an archive, but no Word document
	}

	for _, name := range d.names {
		if path.Ext(name) == ".rels" {
			if err := d.relations(name); err != nil {
				return "", err
			}
		}
	}

	return strings.ToLower(main), nil
}

// relations reads the links of one part.
func (d *docx) relations(name string) error {
	base := path.Dir(path.Dir(name)) // word/_rels/document.xml.rels speaks of word/
	refused := false
	err := d.each(name, func(e xml.StartElement) {
		if e.Name.Local != "Relationship" {
			return
		}

		r := relation{kind: path.Base(attr(e, "Type")), target: attr(e, "Target"), external: attr(e, "TargetMode") == "External"}
		switch r.kind {
		case "vbaProject", "oleObject", "package", "control", "aFChunk", "subDocument", "attachedToolbars", "frame":
			refused = true
		case "attachedTemplate":
			refused = refused || r.external && remote(r.target)
		}
		if !r.external {
			r.target = strings.ToLower(strings.TrimPrefix(path.Join("/", base, r.target), "/"))
			if strings.HasPrefix(attr(e, "Target"), "/") {
				r.target = strings.ToLower(strings.TrimPrefix(path.Clean(attr(e, "Target")), "/"))
			}
		} else {
			d.hide(r.target)
		}
		d.links = append(d.links, r)
	})
	if err == nil && refused {
		err = ErrMacro
	}

	return err
}

// remote reports whether the address of a template leads anywhere but to a file of the writer's own machine.
func remote(target string) bool {
	target = strings.ReplaceAll(strings.ToLower(target), `\`, "/")
	if local, ok := strings.CutPrefix(target, "file:///"); ok {
		return strings.HasPrefix(local, "/")
	}

	return strings.HasPrefix(target, "//") || strings.IndexByte(target, ':') > 1 // one letter before it is a drive
}

// kindOf returns what a part is to the others, "" when nothing leads to it.
func (d *docx) kindOf(name string) string {
	for _, r := range d.links {
		if !r.external && r.target == name {
			return r.kind
		}
	}

	return ""
}

// readParts reads every XML part as what it is. The body comes first, then notes, headers and footers; a part that nobody
// knows is hidden text, so that nothing goes unchecked.
func (d *docx) readParts(main string) error {
	order := map[string]int{"footnotes": 1, "endnotes": 2, "header": 3, "footer": 4}
	kinds := map[string]string{}
	var flow []string

	for _, name := range d.names {
		kinds[name] = d.kindOf(name)
		if name != main && order[kinds[name]] > 0 {
			flow = append(flow, name)
		}
		if kinds[name] == "styles" {
			if err := d.readStyles(name); err != nil {
				return err
			}
		}
	}
	slices.SortStableFunc(flow, func(a, b string) int {
		if n := order[kinds[a]] - order[kinds[b]]; n != 0 {
			return n
		}

		return strings.Compare(a, b)
	})

	for _, name := range append([]string{main}, flow...) {
		text, err := d.readFlow(name)
		if err != nil {
			return err
		}
		if text != "" {
			d.body = append(d.body, text)
		}
	}

	for _, name := range d.names {
		if name == main || slices.Contains(flow, name) {
			continue
		}
		if err := d.readOther(name, kinds[name]); err != nil {
			return err
		}
	}

	return nil
}

// readOther reads a part that is not in the flow of the text.
func (d *docx) readOther(name, kind string) error {
	switch kind {
	case "comments":
		text, err := d.readFlow(name)
		if text != "" {
			d.comments = append(d.comments, text)
		}

		return err
	case "core-properties":
		return d.properties(name, coreProperty)
	case "extended-properties":
		return d.properties(name, extendedProperty)
	case "custom-properties":
		return d.properties(name, func(string) string { return "custom" })
	case "styles", "stylesWithEffects", "numbering", "fontTable", "theme", "webSettings":
		return nil // looks, no words
	}
	if ext := path.Ext(name); ext != ".xml" && ext != ".vml" && ext != ".svg" && ext != ".psmdcp" || name == "[content_types].xml" {
		return nil
	}

	return d.allText(name)
}

// coreProperty names the metadata of docProps/core.xml, "" for what names nobody.
func coreProperty(local string) string {
	switch local {
	case "creator":
		return "author"
	case "created", "modified", "lastPrinted", "revision", "version", "coreProperties", "language":
		return ""
	}

	return local
}

// extendedProperty names the metadata of docProps/app.xml.
func extendedProperty(local string) string {
	switch local {
	case "Company", "Manager", "HyperlinkBase", "Template":
		return strings.ToLower(local[:1]) + local[1:]
	case "lpstr":
		return "titlesOfParts"
	}

	return ""
}

// properties makes metadata of the elements of a part; field names them, or says "" for those without interest.
func (d *docx) properties(name string, field func(local string) string) error {
	element := ""

	return d.tokens(name, func(t xml.Token) {
		switch t := t.(type) {
		case xml.StartElement:
			element = t.Name.Local
			if property := attr(t, "name"); property != "" {
				d.doc.addPart(Metadata, "metadata.custom", property)
			}
		case xml.EndElement:
			element = ""
		case xml.CharData:
			if f := field(element); f != "" && element != "" {
				d.doc.addField(f, string(t))
				d.text -= int64(len(t)) + pieceBytes
			}
		}
	})
}

// allText makes hidden text of all characters of a part and of the attributes that hold words.
func (d *docx) allText(name string) error {
	return d.tokens(name, func(t xml.Token) {
		switch t := t.(type) {
		case xml.StartElement:
			d.wordAttrs(t)
		case xml.CharData:
			d.hide(string(t))
		}
	})
}

// wordAttrs hides the attributes of an element that may hold words of people.
func (d *docx) wordAttrs(e xml.StartElement) {
	for _, a := range e.Attr {
		switch a.Name.Local {
		case "descr", "title", "alt", "string", "tooltip", "instr":
			d.hide(a.Value)
		case "author", "initials", "userId":
			d.person(e.Name.Local, a.Value)
		case "name":
			if e.Name.Local == "bookmarkStart" && !strings.HasPrefix(a.Value, "_") {
				d.hide(a.Value)
			}
		}
	}

	switch e.Name.Local {
	case "docVar":
		d.hide(attr(e, "name") + " " + attr(e, "val"))
	case "alias", "tag":
		d.hide(attr(e, "val"))
	}
}

// person notes once who wrote a comment or made a change.
func (d *docx) person(element, name string) {
	list := &d.tracked
	if element == "comment" {
		list = &d.comments
	}
	if key := element + " " + name; name != "" && !d.people[key] {
		d.people[key] = true
		*list = append(*list, name)
		d.text -= int64(len(name)) + pieceBytes
	}
}

// hide keeps a text that no page shows.
func (d *docx) hide(text string) {
	if text = strings.TrimSpace(text); text != "" {
		d.hidden = append(d.hidden, text)
		d.text -= int64(len(text)) + pieceBytes
	}
}

// readStyles finds the styles whose text is not shown, including those based on them.
func (d *docx) readStyles(name string) error {
	d.styles = map[string]bool{}
	based := map[string]string{}
	style := ""
	err := d.each(name, func(e xml.StartElement) {
		switch e.Name.Local {
		case "style":
			style = attr(e, "styleId")
		case "basedOn":
			based[style] = attr(e, "val")
		case "vanish":
			d.styles[style] = on(e)
		}
	})

	for id := range based {
		for parent, n := id, 0; parent != "" && n < 32; parent, n = based[parent], n+1 {
			if hidden, ok := d.styles[parent]; ok {
				d.styles[id] = hidden
				break
			}
		}
	}

	return err
}

// on reports whether a switch such as <w:vanish/> is set.
func on(e xml.StartElement) bool {
	switch attr(e, "val") {
	case "0", "false", "off":
		return false
	}

	return true
}

// attr returns an attribute by its local name.
func attr(e xml.StartElement, local string) string {
	for _, a := range e.Attr {
		if a.Name.Local == local {
			return a.Value
		}
	}

	return ""
}

// each calls use for every element of a part.
func (d *docx) each(name string, use func(xml.StartElement)) error {
	return d.tokens(name, func(t xml.Token) {
		if e, ok := t.(xml.StartElement); ok {
			use(e)
		}
	})
}

// tokens reads a part as XML. A part that does not exist has none. Document types are refused: no Office program writes them.
func (d *docx) tokens(name string, use func(xml.Token)) error {
	r, ok, err := d.open(name)
	if err != nil || !ok {
		return err
	}
	defer r.Close() //nolint:errcheck // the part has been read, or is given up

	x := xml.NewDecoder(r)
	for depth := 0; ; {
		t, err := x.Token()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return xmlFailure(err)
		}
		switch t.(type) {
		case xml.StartElement:
			depth++
		case xml.EndElement:
			depth--
		case xml.Directive:
			return fmt.Errorf("%w: document type", errBroken)
		}
		if depth > d.lim.Nesting {
			return errTooDeep
		}
		if use(t); d.text < 0 {
			return ErrBomb
		}
	}
}

// xmlFailure keeps the errors of the archive and turns those of XML, which may quote the file, into a plain one.
func xmlFailure(err error) error {
	for _, known := range []error{ErrBomb, errBroken, context.Canceled, context.DeadlineExceeded} {
		if errors.Is(err, known) {
			return known
		}
	}

	return fmt.Errorf("%w: XML", errBroken)
}
