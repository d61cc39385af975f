package document

import (
	"archive/zip"
	"bytes"
	"cmp"
	"encoding/xml"
	"fmt"
	"strings"
	"time"
)

// Creator is what the properties of a Word file name in the place of an author.
const Creator = "draft by software"

const (
	wordSpace    = `xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"`
	declaration  = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n"
	linkSpace    = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
	wordType     = "application/vnd.openxmlformats-officedocument.wordprocessingml."
	packageSpace = "http://schemas.openxmlformats.org/package/2006/"
)

// written is the time that a file bears: the first that the form of the archive can hold, since no clock may make two
// files differ.
func written() time.Time { return time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC) }

// part is a file within a Word file.
type part struct{ name, kind, body string }

// entrySize is about what the archive says of a part, in bytes.
const entrySize = 256

// DOCX writes the document as a Word file: styles for headings, Word's own numbers, footnotes and header, and a page
// number at the foot. Entries are stored, not compressed, so that the bytes do not depend on the version of a
// compressor. It fails only if the archive cannot be made.
func (d Document) DOCX() ([]byte, error) {
	w := &wordWriter{doc: d}
	// The body comes first: the parts below list the styles and numbers that it has used.
	body := w.body()
	parts := []part{
		{"word/document.xml", wordType + "document.main+xml", body},
		{"word/styles.xml", wordType + "styles+xml", w.styles()},
		{"word/numbering.xml", wordType + "numbering+xml", w.numbering()},
		{"word/settings.xml", wordType + "settings+xml", settings},
		{"word/footnotes.xml", wordType + "footnotes+xml", w.footnotes()},
		{"word/header1.xml", wordType + "header+xml", d.header()},
		{"word/footer1.xml", wordType + "footer+xml", d.footer()},
		{"docProps/core.xml", "application/vnd.openxmlformats-package.core-properties+xml", d.properties()},
	}
	if len(d.Comments) > 0 {
		parts = append(parts, part{"word/comments.xml", wordType + "comments+xml", d.comments()})
	}
	// Readers look for the types of the parts at the beginning of the archive.
	parts = append([]part{
		{"[Content_Types].xml", "", contentTypes(parts)},
		{"_rels/.rels", "", packageLinks()},
		{"word/_rels/document.xml.rels", "", d.documentLinks()},
	}, parts...)

	size := 0
	for _, p := range parts {
		size += len(p.body) + entrySize
	}
	var out bytes.Buffer
	out.Grow(size)

	z := zip.NewWriter(&out)
	for _, p := range parts {
		entry, err := z.CreateHeader(&zip.FileHeader{Name: p.name, Method: zip.Store, Modified: written()})
		if err == nil {
			_, err = entry.Write([]byte(p.body))
		}
		if err != nil {
			return nil, fmt.Errorf("write %s: %w", p.name, err)
		}
	}
	if err := z.Close(); err != nil {
		return nil, fmt.Errorf("close the file: %w", err)
	}

	return out.Bytes(), nil
}

func contentTypes(parts []part) string {
	var b strings.Builder
	b.WriteString(declaration + `<Types xmlns="` + packageSpace + `content-types">` +
		`<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
		`<Default Extension="xml" ContentType="application/xml"/>`)

	for _, p := range parts {
		b.WriteString(`<Override PartName="/` + p.name + `" ContentType="` + p.kind + `"/>`)
	}

	return b.String() + `</Types>`
}

func packageLinks() string {
	return links(
		[2]string{linkSpace + "/officeDocument", "word/document.xml"},
		[2]string{packageSpace + "relationships/metadata/core-properties", "docProps/core.xml"},
	)
}

// Identifiers of the links of the main part, which its last section names.
const (
	headerLink = "rId5"
	footerLink = "rId6"
)

func (d Document) documentLinks() string {
	all := [][2]string{
		{linkSpace + "/styles", "styles.xml"},
		{linkSpace + "/numbering", "numbering.xml"},
		{linkSpace + "/settings", "settings.xml"},
		{linkSpace + "/footnotes", "footnotes.xml"},
		{linkSpace + "/header", "header1.xml"},
		{linkSpace + "/footer", "footer1.xml"},
	}
	if len(d.Comments) > 0 {
		all = append(all, [2]string{linkSpace + "/comments", "comments.xml"})
	}

	return links(all...)
}

func links(list ...[2]string) string {
	var b strings.Builder
	b.WriteString(declaration + `<Relationships xmlns="` + packageSpace + `relationships">`)

	for i, l := range list {
		fmt.Fprintf(&b, `<Relationship Id="rId%d" Type="%s" Target="%s"/>`, i+1, l[0], l[1])
	}

	return b.String() + `</Relationships>`
}

func (d Document) header() string {
	return declaration + `<w:hdr ` + wordSpace + `><w:p><w:pPr><w:pStyle w:val="Header"/></w:pPr>` +
		oneRun(d.Header) + `</w:p></w:hdr>`
}

// footer holds the footer of the document above the number of the page.
func (d Document) footer() string {
	words := ""
	if d.Footer != "" {
		words = `<w:p><w:pPr><w:pStyle w:val="Footer"/></w:pPr>` + oneRun(d.Footer) + `</w:p>`
	}

	return footerBegin + words + footerEnd
}

// properties names no person. Its times are fixed, as those of the archive are.
func (d Document) properties() string {
	at := written().Format(time.RFC3339)
	creator := cmp.Or(d.Creator, Creator)

	return declaration + `<cp:coreProperties xmlns:cp="` + packageSpace + `metadata/core-properties"` +
		` xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/"` +
		` xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">` +
		`<dc:title>` + escaped(d.Title) + `</dc:title><dc:creator>` + creator + `</dc:creator>` +
		`<dcterms:created xsi:type="dcterms:W3CDTF">` + at + `</dcterms:created>` +
		`<dcterms:modified xsi:type="dcterms:W3CDTF">` + at + `</dcterms:modified></cp:coreProperties>`
}

// wordWriter writes the parts that depend on the document.
type wordWriter struct {
	doc    Document
	runs   int // lists of numbered paragraphs so far, each of which begins at 1
	labels labels
}

// Identifiers of lists in the numbering part; those of numbered paragraphs follow them.
const (
	pointsList  = 1
	requestList = 2
	firstList   = 3
)

func (w *wordWriter) body() string {
	var b strings.Builder
	b.WriteString(declaration + `<w:document ` + wordSpace + ` xmlns:r="` + linkSpace + `"><w:body>`)

	for _, block := range w.doc.Blocks {
		if block.Kind == Table {
			table(&b, block)
			continue
		}
		if block.Kind == Listed || block.Kind == Heading {
			w.labelled(&b, block)
			continue
		}
		paragraph(&b, w.look(block), block.Text)
	}
	w.doc.beside(&b)
	// A page is US Letter with margins of an inch, in twentieths of a point.
	b.WriteString(`<w:sectPr><w:headerReference w:type="default" r:id="` + headerLink + `"/>` +
		`<w:footerReference w:type="default" r:id="` + footerLink + `"/>` +
		`<w:pgSz w:w="12240" w:h="15840"/><w:pgMar w:top="1440" w:right="1440" w:bottom="1440" w:left="1440"` +
		` w:header="720" w:footer="720" w:gutter="0"/></w:sectPr></w:body></w:document>`)

	return b.String()
}

// look returns the properties of a paragraph.
func (w *wordWriter) look(b Block) string {
	list := func(style string, id, level int) string {
		return fmt.Sprintf(
			`<w:pStyle w:val="%s"/><w:numPr><w:ilvl w:val="%d"/><w:numId w:val="%d"/></w:numPr>`,
			style,
			level,
			id,
		)
	}

	switch b.Kind {
	case Centred:
		return `<w:pStyle w:val="Caption"/>`
	case Numbered:
		if b.Restart || w.runs == 0 {
			w.runs++
		}

		return list("Numbered", firstList+w.runs-1, b.Level-1)
	case Request:
		return list("Request", requestList, 0)
	case Item:
		return list("Point", pointsList, 0)
	case Quotation:
		return `<w:pStyle w:val="Quote"/>`
	case Paragraph, Table, Heading, Listed:
	}

	return `<w:pStyle w:val="BodyText"/>`
}

// labelled writes a heading or a paragraph of a list with its label.
func (w *wordWriter) labelled(b *strings.Builder, block Block) {
	style := "Numbered"

	switch {
	case block.Kind == Heading:
		style = fmt.Sprintf("Heading%d", block.Level)
		w.labels.deep = w.labels.deep || block.Level > 3
	case block.Label == "•":
		style = "Point"
	}
	look, words := w.labels.number(block)
	text := block.Text
	if words != "" {
		text = append([]Span{{Text: words, Given: true}}, text...)
	}
	paragraph(b, `<w:pStyle w:val="`+style+`"/>`+look, text)
}

func paragraph(b *strings.Builder, look string, text []Span) {
	b.WriteString(`<w:p><w:pPr>`)
	b.WriteString(look)
	b.WriteString(`</w:pPr>`)

	for _, s := range text {
		run(b, s)
	}
	b.WriteString(`</w:p>`)
}

// run writes a span and the reference to its footnote. Numbers 0 and 1 of the footnotes are Word's separators.
func run(b *strings.Builder, s Span) {
	if s.Text != "" {
		b.WriteString(`<w:r>`)
		if s.Bold {
			b.WriteString(`<w:rPr><w:b/></w:rPr>`)
		}
		words(b, "t", s.Text)
		b.WriteString(`</w:r>`)
	}
	if s.Note > 0 {
		fmt.Fprintf(
			b,
			`<w:r><w:rPr><w:rStyle w:val="FootnoteReference"/></w:rPr><w:footnoteReference w:id="%d"/></w:r>`,
			s.Note+1,
		)
	}
}

// words writes text of a run in elements of a name, line ends and tabs as Word has them.
func words(b *strings.Builder, element, text string) {
	for text != "" {
		at := strings.IndexAny(text, "\n\t")
		if at < 0 {
			at = len(text)
		}
		if at > 0 {
			b.WriteString(`<w:` + element + ` xml:space="preserve">`)
			// A builder takes everything.
			_ = xml.EscapeText(b, []byte(text[:at]))
			b.WriteString(`</w:` + element + `>`)
		}
		if at == len(text) {
			break
		}
		// XML folds a newline in text to a blank, so Word has elements for both.
		if text[at] == '\n' {
			b.WriteString(`<w:br/>`)
		} else {
			b.WriteString(`<w:tab/>`)
		}
		text = text[at+1:]
	}
}

// oneRun returns a run of its own.
func oneRun(text string) string {
	var b strings.Builder
	run(&b, Span{Text: text})

	return b.String()
}

const textWidth = 9360 // twentieths of a point between the margins

func table(b *strings.Builder, block Block) {
	width := textWidth / len(block.Rows[0])
	b.WriteString(`<w:tbl><w:tblPr><w:tblStyle w:val="TableGrid"/><w:tblW w:w="5000" w:type="pct"/>` +
		`<w:tblLayout w:type="fixed"/></w:tblPr><w:tblGrid>` +
		strings.Repeat(fmt.Sprintf(`<w:gridCol w:w="%d"/>`, width), len(block.Rows[0])) + `</w:tblGrid>`)

	begin := fmt.Sprintf(`<w:tc><w:tcPr><w:tcW w:w="%d" w:type="dxa"/></w:tcPr>`, width)

	for i, row := range block.Rows {
		b.WriteString(`<w:tr>`)
		head := i == 0 && !block.Plain
		// Word repeats a row that is marked as a head on each page.
		if head {
			b.WriteString(`<w:trPr><w:tblHeader/></w:trPr>`)
		}

		for _, cell := range row {
			b.WriteString(begin)
			if head {
				cell = heads(cell)
			}
			paragraph(b, `<w:pStyle w:val="Cell"/>`, cell)
			b.WriteString(`</w:tc>`)
		}
		b.WriteString(`</w:tr>`)
	}
	// Word joins two tables that touch, so an empty paragraph follows each.
	b.WriteString(`</w:tbl><w:p><w:pPr><w:pStyle w:val="Cell"/></w:pPr></w:p>`)
}

func heads(cell Cell) Cell {
	bold := make(Cell, len(cell))
	for i, s := range cell {
		s.Bold = true
		bold[i] = s
	}

	return bold
}

func (w *wordWriter) footnotes() string {
	var b strings.Builder
	b.WriteString(declaration + `<w:footnotes ` + wordSpace + `>` +
		`<w:footnote w:type="separator" w:id="0"><w:p><w:r><w:separator/></w:r></w:p></w:footnote>` +
		`<w:footnote w:type="continuationSeparator" w:id="1">` +
		`<w:p><w:r><w:continuationSeparator/></w:r></w:p></w:footnote>`)

	for i, note := range w.doc.Notes {
		fmt.Fprintf(&b, `<w:footnote w:id="%d"><w:p><w:pPr><w:pStyle w:val="FootnoteText"/></w:pPr>`, i+2)
		b.WriteString(`<w:r><w:rPr><w:rStyle w:val="FootnoteReference"/></w:rPr><w:footnoteRef/></w:r>` +
			`<w:r><w:t xml:space="preserve"> </w:t></w:r>`)

		for _, s := range note {
			run(&b, s)
		}
		b.WriteString(`</w:p></w:footnote>`)
	}

	return b.String() + `</w:footnotes>`
}

func (w *wordWriter) numbering() string {
	var b strings.Builder
	level := func(n int, format, text string, left, hanging int) string {
		return fmt.Sprintf(
			`<w:lvl w:ilvl="%d"><w:start w:val="1"/><w:numFmt w:val="%s"/><w:lvlText w:val="%s"/>`+
				`<w:lvlJc w:val="left"/><w:pPr><w:ind w:left="%d" w:hanging="%d"/></w:pPr></w:lvl>`,
			n,
			format,
			text,
			left,
			hanging,
		)
	}
	b.WriteString(declaration + `<w:numbering ` + wordSpace + `>`)
	b.WriteString(`<w:abstractNum w:abstractNumId="0"><w:multiLevelType w:val="multilevel"/>` +
		level(0, "decimal", "%1.", 720, 720) + level(1, "lowerLetter", "(%2)", 1440, 720) + `</w:abstractNum>`)
	b.WriteString(`<w:abstractNum w:abstractNumId="1"><w:multiLevelType w:val="singleLevel"/>` +
		level(0, "decimal", escaped(w.doc.Request)+" %1:", 0, 0) + `</w:abstractNum>`)
	b.WriteString(`<w:abstractNum w:abstractNumId="2"><w:multiLevelType w:val="singleLevel"/>` +
		level(0, "bullet", "•", 720, 360) + `</w:abstractNum>`)
	w.labels.shapes(&b)
	num := func(id, abstract int, more string) {
		fmt.Fprintf(&b, `<w:num w:numId="%d"><w:abstractNumId w:val="%d"/>%s</w:num>`, id, abstract, more)
	}
	num(pointsList, 2, "")
	num(requestList, 1, "")

	// A list of its own for each run: Word would count on from the run before.
	for i := range max(w.runs, 1) {
		num(firstList+i, 0, `<w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/></w:lvlOverride>`)
	}
	w.labels.uses(&b)

	return b.String() + `</w:numbering>`
}

func escaped(s string) string {
	var b bytes.Buffer
	// A buffer takes everything.
	_ = xml.EscapeText(&b, []byte(s))

	return b.String()
}
