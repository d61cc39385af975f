package extract

import (
	"bytes"
	"context"
	"encoding/xml"
	"io"
	"path"
	"slices"
	"strings"
)

// docx is a Word file while it is read.
type docx struct {
	*office
	links     []relation
	styles    styleSheet
	lists     lists
	fallbacks []string
}

// relation is a link from one part to another, or to something outside.
type relation struct {
	kind     string // last part of the type, such as "header"
	target   string // part name, or address if external
	external bool
}

const pictureDir = "/media/"

// readDOCX reads a Word file.
func readDOCX(ctx context.Context, r io.ReaderAt, size int64, lim Limits) (Document, error) {
	doc := Document{Method: "docx"}
	data, err := readAll(r, size)
	if err != nil {
		return doc, err
	}
	// An encrypted file is no archive. Its own error tells the sender what to do.
	if EncryptedOffice(bytes.NewReader(data), size) {
		return doc, errEncrypted
	}
	a, err := openArchive(ctx, bytes.NewReader(data), size, lim)
	if err != nil {
		return doc, err
	}

	for _, name := range a.names {
		if err := admitType(name); err != nil {
			return doc, err
		}
	}
	d := &docx{office: newOffice(a, &doc), styles: styleSheet{}, lists: newLists()}
	main, err := d.structure()
	if err != nil {
		return doc, err
	}
	if err := d.readParts(main); err != nil {
		return doc, err
	}
	d.fillBody()
	d.settleFallbacks()
	d.fillParts()
	pictures := slices.ContainsFunc(a.names, func(name string) bool { return strings.Contains(name, pictureDir) })
	if doc.Text == "" && !pictures {
		return doc, ErrEmpty
	}
	doc.finish(data, pictures)

	return doc, nil
}

// settleFallbacks drops the forms of drawings for old programs that say what the new ones say, and keeps the rest.
func (d *docx) settleFallbacks() {
	if len(d.fallbacks) == 0 {
		return
	}

	said := map[string]bool{}
	for line := range strings.SplitSeq(d.doc.Text, "\n") {
		said[strings.TrimSpace(line)] = true
	}

	for _, raw := range d.fallbacks {
		text, _ := clean(raw, false)
		if said[text] {
			d.doc.drop(dropAlternatives, 1)
			continue
		}
		d.hidden = append(d.hidden, raw)
	}
}

// structure reads the types and links of the parts, refuses what must not be there, and returns the name of the main
// part.
func (d *docx) structure() (main string, err error) {
	err = d.each("[Content_Types].xml", func(e xml.StartElement) {
		kind := strings.ToLower(attr(e, "ContentType"))
		switch {
		// The type says what Word would run, whatever the name of the file ends with.
		case strings.Contains(kind, "macroenabled"),
			strings.Contains(kind, "vbaproject"),
			strings.Contains(kind, "activex"):
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
		// It is an archive, but no Word document.
		return "", ErrMismatch
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
	// The links in word/_rels/document.xml.rels count from word/.
	base := path.Dir(path.Dir(name))
	refused := false
	err := d.each(name, func(e xml.StartElement) {
		if e.Name.Local != "Relationship" {
			return
		}

		r := relation{
			kind:     path.Base(attr(e, "Type")),
			target:   attr(e, "Target"),
			external: attr(e, "TargetMode") == "External",
		}
		switch r.kind {
		case "vbaProject", "oleObject", "package", "control", "aFChunk", "subDocument", "attachedToolbars", "frame":
			refused = true
		case "attachedTemplate":
			refused = refused || r.external && remote(r.target)
		}
		if !r.external {
			// Joining below the root keeps a link with many ".." within the archive.
			r.target = strings.ToLower(strings.TrimPrefix(path.Join("/", base, r.target), "/"))
			if strings.HasPrefix(attr(e, "Target"), "/") {
				r.target = strings.ToLower(strings.TrimPrefix(path.Clean(attr(e, "Target")), "/"))
			}
		} else {
			d.address(r.target)
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
	// Word takes both slashes for one another.
	target = strings.ReplaceAll(strings.ToLower(target), `\`, "/")
	if local, ok := strings.CutPrefix(target, "file:///"); ok {
		return strings.HasPrefix(local, "/")
	}

	// A colon behind one letter belongs to a drive.
	return strings.HasPrefix(target, "//") || strings.IndexByte(target, ':') > 1
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

// readParts reads every XML part as what it is. The body comes first, then notes, headers and footers; parts that no
// program shows are counted.
func (d *docx) readParts(main string) error {
	order := map[string]int{"footnotes": 1, "endnotes": 2, "header": 3, "footer": 4}
	kinds := map[string]string{}
	var flow []string

	for _, name := range d.names {
		kinds[name] = d.kindOf(name)
		if name != main && order[kinds[name]] > 0 {
			flow = append(flow, name)
		}
		if err := d.readLooks(name, kinds[name]); err != nil {
			return inPart(wordPart(kinds[name]), err)
		}
	}
	// Styles and lists name each other, so both are read before this.
	d.lists.follow(d.styles)
	// The order of an archive is no order of reading.
	slices.SortStableFunc(flow, func(a, b string) int {
		if n := order[kinds[a]] - order[kinds[b]]; n != 0 {
			return n
		}

		return strings.Compare(a, b)
	})

	for _, name := range append([]string{main}, flow...) {
		text, err := d.readFlow(name, kinds[name])
		if err != nil {
			return inPart(wordPart(kinds[name]), err)
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
			return inPart(wordPart(kinds[name]), err)
		}
	}

	return nil
}

// readLooks reads the parts that say how the text looks, before it is read.
func (d *docx) readLooks(name, kind string) error {
	switch kind {
	case "styles":
		return d.readStyles(name)
	case "numbering":
		return d.readNumbering(name)
	}

	return nil
}

// readOther reads a part that is not in the flow of the text, or counts it.
func (d *docx) readOther(name, kind string) error {
	switch {
	case kind == "comments":
		text, err := d.readFlow(name, kind)
		if text != "" {
			d.comments = append(d.comments, text)
		}

		return err
	case strings.HasPrefix(kind, "chart") && kind != "chartStyle" && kind != "chartColorStyle", kind == "diagramData":
		return d.readDrawing(name)
	case strings.HasSuffix(kind, "-properties"):
		return d.countTexts(name, dropProperties)
	case name == "[content_types].xml":
		return nil
	}
	if ext := path.Ext(name); ext == ".rels" {
		// The links have brought it in already.
		return nil
	} else if ext != ".xml" && ext != ".vml" && ext != ".psmdcp" {
		d.doc.drop(dataKind(name, ext), 1)
		if knownData[ext] {
			return nil
		}

		return d.inert(name)
	}
	d.doc.drop(otherKind(name, kind), 1)

	// Nothing of it is used, but it must be what it says it is.
	return d.tokens(name, func(xml.Token) {})
}

// dataKind names what a part is that is not XML of a document.
func dataKind(name, ext string) string {
	switch {
	case ext == ".odttf", ext == ".ttf", ext == ".fntdata":
		return dropFonts
	case ext == ".bin", !knownData[ext] && !strings.Contains(name, pictureDir):
		return dropOther
	}

	return dropPictures
}

// knownData are the endings of pictures, fonts and settings of printers, which no program runs.
var knownData = map[string]bool{
	".png": true, ".jpg": true, ".jpeg": true, ".jfif": true, ".gif": true, ".bmp": true, ".tif": true, ".tiff": true,
	".emf": true, ".wmf": true, ".emz": true, ".wmz": true, ".wdp": true, ".svg": true,
	".odttf": true, ".ttf": true, ".fntdata": true, ".bin": true,
}

// otherKind names what a part of XML is that no program shows.
func otherKind(name, kind string) string {
	switch kind {
	case "styles",
		"stylesWithEffects",
		"numbering",
		"theme",
		"webSettings",
		"settings",
		"chartStyle",
		"chartColorStyle",
		"diagramColors",
		"diagramLayout",
		"diagramQuickStyle":
		return dropStyles
	case "fontTable":
		return dropFonts
	case "people":
		return dropAuthors
	case "diagramDrawing":
		return dropAlternatives
	}
	if strings.HasPrefix(kind, "customXml") || strings.HasPrefix(name, "customxml/") {
		return dropCustomXML
	}

	return dropOther
}

// readDrawing reads the words and figures of a chart or diagram.
func (d *docx) readDrawing(name string) error {
	element := ""

	return d.tokens(name, func(t xml.Token) {
		switch t := t.(type) {
		case xml.StartElement:
			element = t.Name.Local
			d.attributes(t, "")
		case xml.EndElement:
			element = ""
		case xml.CharData:
			if element == "t" || element == "v" {
				d.keep(&d.drawings, string(t))
			}
		}
	})
}
