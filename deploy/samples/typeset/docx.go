package typeset

import (
	"archive/zip"
	"encoding/xml"
	"fmt"
	"io"
	"strings"
)

const (
	wordSpace = `xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" ` +
		`xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"`
	coreSpace = `xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" ` +
		`xmlns:dc="http://purl.org/dc/elements/1.1/"`
	relationSpace = "http://schemas.openxmlformats.org/package/2006/relationships"
	officeRel     = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
	wordType      = "application/vnd.openxmlformats-officedocument.wordprocessingml."
	xmlHead       = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n"
)

// DOCX writes a document as a Word file. Parts are stored without packing and without times, so that the bytes depend
// on the text alone. The file names no author.
func DOCX(w io.Writer, doc Document) error {
	z := zip.NewWriter(w)
	for _, part := range [][2]string{
		{"[Content_Types].xml", contentTypes()},
		{"_rels/.rels", relations("officeDocument", "word/document.xml",
			"http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties",
			"docProps/core.xml",
			"extended-properties", "docProps/app.xml")},
		{"word/document.xml", body(doc)},
		{
			"word/_rels/document.xml.rels",
			relations("styles", "styles.xml", "header", "header1.xml", "footer", "footer1.xml"),
		},
		{"word/styles.xml", styles()},
		{"word/header1.xml", "<w:hdr " + wordSpace + ">" + paragraph("Header", run(doc.Title)) + "</w:hdr>"},
		{
			"word/footer1.xml",
			"<w:ftr " + wordSpace + ">" + paragraph("Footer", run("Page ")+field("PAGE")) + "</w:ftr>",
		},
		{
			"docProps/core.xml",
			"<cp:coreProperties " + coreSpace + "><dc:title>" + escape(doc.Title) + "</dc:title></cp:coreProperties>",
		},
		{
			"docProps/app.xml",
			`<Properties xmlns="http://schemas.openxmlformats.org/officeDocument/2006/extended-properties"/>`,
		},
	} {
		f, err := z.CreateHeader(&zip.FileHeader{Name: part[0], Method: zip.Store})
		if err != nil {
			return fmt.Errorf("add %s: %w", part[0], err)
		}
		if _, err := io.WriteString(f, xmlHead+part[1]); err != nil {
			return fmt.Errorf("write %s: %w", part[0], err)
		}
	}
	if err := z.Close(); err != nil {
		return fmt.Errorf("close archive: %w", err)
	}

	return nil
}

func contentTypes() string {
	var b strings.Builder
	b.WriteString(`<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">` +
		`<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
		`<Default Extension="xml" ContentType="application/xml"/>`)

	for _, o := range [][2]string{
		{"/word/document.xml", wordType + "document.main+xml"},
		{"/word/styles.xml", wordType + "styles+xml"},
		{"/word/header1.xml", wordType + "header+xml"},
		{"/word/footer1.xml", wordType + "footer+xml"},
		{"/docProps/core.xml", "application/vnd.openxmlformats-package.core-properties+xml"},
		{"/docProps/app.xml", "application/vnd.openxmlformats-officedocument.extended-properties+xml"},
	} {
		fmt.Fprintf(&b, `<Override PartName="%s" ContentType="%s"/>`, o[0], o[1])
	}

	return b.String() + "</Types>"
}

// relations takes kinds and targets in turn. A kind without a scheme is one of Office.
func relations(pairs ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<Relationships xmlns="%s">`, relationSpace)

	for i := 0; i+1 < len(pairs); i += 2 {
		kind := pairs[i]
		if !strings.Contains(kind, ":") {
			kind = officeRel + kind
		}
		fmt.Fprintf(&b, `<Relationship Id="rId%d" Type="%s" Target="%s"/>`, i/2+1, kind, pairs[i+1])
	}

	return b.String() + "</Relationships>"
}

func body(doc Document) string {
	var b strings.Builder
	b.WriteString("<w:document " + wordSpace + "><w:body>")

	for _, block := range doc.Blocks {
		switch block.Kind {
		case Heading:
			b.WriteString(paragraph(fmt.Sprintf("Heading%d", block.Level), run(block.Text)))
		case Table:
			b.WriteString(table(block.Rows))
		case NewPage:
			b.WriteString(`<w:p><w:r><w:br w:type="page"/></w:r></w:p>`)
		default:
			b.WriteString(paragraph("", run(block.Text)))
		}
	}

	// US letter with margins of an inch, in twentieths of a point. The ids are those of the document's relations.
	return b.String() + `<w:sectPr><w:headerReference w:type="default" r:id="rId2"/>` +
		`<w:footerReference w:type="default" r:id="rId3"/><w:pgSz w:w="12240" w:h="15840"/>` +
		`<w:pgMar w:top="1440" w:right="1440" w:bottom="1440" w:left="1440" w:header="720" w:footer="720" w:gutter="0"/>` +
		`</w:sectPr></w:body></w:document>`
}

func paragraph(style, runs string) string {
	if style != "" {
		style = `<w:pPr><w:pStyle w:val="` + style + `"/></w:pPr>`
	}

	return "<w:p>" + style + runs + "</w:p>"
}

func run(text string) string {
	return `<w:r><w:t xml:space="preserve">` + escape(text) + `</w:t></w:r>`
}

// field writes a field that Word fills in.
func field(code string) string {
	return `<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>` + code +
		`</w:instrText></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>`
}

func table(rows [][]string) string {
	var b strings.Builder
	b.WriteString(`<w:tbl><w:tblPr><w:tblStyle w:val="TableGrid"/><w:tblW w:w="0" w:type="auto"/></w:tblPr><w:tblGrid>`)

	for range rows[0] {
		b.WriteString(`<w:gridCol w:w="3000"/>`)
	}
	b.WriteString("</w:tblGrid>")

	for _, row := range rows {
		b.WriteString("<w:tr>")

		for _, cell := range row {
			b.WriteString("<w:tc>" + paragraph("", run(cell)) + "</w:tc>")
		}
		b.WriteString("</w:tr>")
	}

	return b.String() + "</w:tbl>" + paragraph("", "")
}

func styles() string {
	style := func(id, name, properties string) string {
		return `<w:style w:type="paragraph" w:styleId="` + id + `"><w:name w:val="` + name +
			`"/><w:basedOn w:val="Normal"/>` + properties + `</w:style>`
	}
	bold := func(size int) string { return fmt.Sprintf(`<w:rPr><w:b/><w:sz w:val="%d"/></w:rPr>`, size) }

	return "<w:styles " + wordSpace + `><w:docDefaults><w:rPrDefault><w:rPr>` +
		`<w:rFonts w:ascii="Times New Roman" w:hAnsi="Times New Roman"/><w:sz w:val="23"/></w:rPr></w:rPrDefault>` +
		`<w:pPrDefault><w:pPr><w:spacing w:after="160"/></w:pPr></w:pPrDefault></w:docDefaults>` +
		`<w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal"/></w:style>` +
		style("Heading1", "heading 1", `<w:pPr><w:jc w:val="center"/></w:pPr>`+bold(30)) +
		style("Heading2", "heading 2", bold(25)) + style("Heading3", "heading 3", bold(23)) +
		style("Header", "header", "") + style("Footer", "footer", "") +
		`<w:style w:type="table" w:styleId="TableGrid"><w:name w:val="Table Grid"/><w:tblPr><w:tblBorders>` +
		`<w:top w:val="single" w:sz="4"/><w:left w:val="single" w:sz="4"/><w:bottom w:val="single" w:sz="4"/>` +
		`<w:right w:val="single" w:sz="4"/><w:insideH w:val="single" w:sz="4"/><w:insideV w:val="single" w:sz="4"/>` +
		`</w:tblBorders></w:tblPr></w:style></w:styles>`
}

func escape(text string) string {
	var b strings.Builder
	xml.EscapeText(&b, []byte(text)) //nolint:errcheck // a Builder takes everything

	return b.String()
}
