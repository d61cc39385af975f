// Package docxtest writes small DOCX files, right and wrong ones, for the tests of the reader.
package docxtest

import (
	"archive/zip"
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// The namespaces of Word, as attributes of a root element.
const namespaces = `xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" ` +
	`xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" ` +
	`xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" ` +
	`xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" ` +
	`xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"`

const relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"

// File is a DOCX file being put together.
type File struct {
	MainType string // content type of the main part, that of a document when empty
	order    []string
	parts    map[string]string
	links    []string
}

// New returns a file whose body is the given XML: paragraphs and tables.
func New(body string) *File {
	f := &File{parts: map[string]string{}}
	f.Part("word/document.xml", fmt.Sprintf(`<w:document %s><w:body>%s</w:body></w:document>`, namespaces, body))

	return f
}

// P returns a paragraph of one run.
func P(text string) string { return "<w:p>" + R(text) + "</w:p>" }

// R returns a run with optional properties.
func R(text string, properties ...string) string {
	rpr := ""
	if len(properties) > 0 {
		rpr = "<w:rPr>" + strings.Join(properties, "") + "</w:rPr>"
	}

	return "<w:r>" + rpr + `<w:t xml:space="preserve">` + text + "</w:t></w:r>"
}

// Part sets a part by its name.
func (f *File) Part(name, content string) *File {
	if !slices.Contains(f.order, name) {
		f.order = append(f.order, name)
	}
	f.parts[name] = content

	return f
}

// Link relates the main part to another, whose root element gets the namespaces of Word in place of an asterisk.
func (f *File) Link(kind, name, content string) *File {
	f.links = append(f.links, fmt.Sprintf(
		`<Relationship Id="r%d" Type="%s" Target="%s"/>`,
		len(f.links),
		relations+kind,
		strings.TrimPrefix(name, "word/"),
	))

	return f.Part(name, strings.Replace(content, "*", namespaces, 1))
}

// External relates the main part to an address.
func (f *File) External(kind, address string) *File {
	f.links = append(f.links, fmt.Sprintf(
		`<Relationship Id="r%d" Type="%s" Target="%s" TargetMode="External"/>`,
		len(f.links),
		relations+kind,
		address,
	))

	return f
}

// Bytes returns the file. Parts stand in the order in which they were set, after the types and the links.
func (f *File) Bytes() []byte {
	mainType := f.MainType
	if mainType == "" {
		mainType = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
	}
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	write := func(name, content string) {
		part, err := w.Create(name)
		if err != nil {
			panic("docxtest: " + err.Error())
		}
		part.Write([]byte(content)) //nolint:errcheck // a buffer takes everything
	}
	write("[Content_Types].xml", `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">`+
		`<Default Extension="xml" ContentType="application/xml"/>`+
		`<Override PartName="/word/document.xml" ContentType="`+mainType+`"/></Types>`)
	write("_rels/.rels", `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`+
		`<Relationship Id="a" Type="`+relations+`officeDocument" Target="word/document.xml"/>`+
		`<Relationship Id="b" Type="http://schemas.openxmlformats.org/package/2006/relationships/`+
		`metadata/core-properties" Target="docProps/core.xml"/>`+
		`<Relationship Id="c" Type="`+relations+`extended-properties" Target="docProps/app.xml"/></Relationships>`)
	write("word/_rels/document.xml.rels", `<Relationships>`+strings.Join(f.links, "")+`</Relationships>`)

	for _, name := range f.order {
		write(name, f.parts[name])
	}
	w.Close() //nolint:errcheck // a buffer takes everything

	return b.Bytes()
}
