// Package odttest writes small OpenDocument texts, right and wrong ones, for the tests of the reader.
package odttest

import (
	"archive/zip"
	"bytes"
	"slices"
	"strings"
)

// MediaType is what the first part of a file says.
const MediaType = "application/vnd.oasis.opendocument.text"

// The namespaces of a text, as attributes of a root element.
var namespaces = func() string {
	var out strings.Builder

	for _, name := range strings.Fields(
		"office style text table form meta script draw=drawing fo=xsl-fo-compatible svg=svg-compatible number=datastyle",
	) {
		prefix, last, other := strings.Cut(name, "=")
		if !other {
			last = prefix
		}
		out.WriteString(` xmlns:` + prefix + `="urn:oasis:names:tc:opendocument:xmlns:` + last + `:1.0"`)
	}

	return out.String() + ` xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:dc="http://purl.org/dc/elements/1.1/"` +
		` xmlns:math="http://www.w3.org/1998/Math/MathML" xmlns:xforms="http://www.w3.org/2002/xforms"` +
		` xmlns:loext="urn:org:documentfoundation:names:experimental:office:xmlns:loext:1.0"` +
		` xmlns:field="urn:openoffice:names:experimental:ooo-ms-interop:xmlns:field:1.0"`
}()

// File is a text being put together.
type File struct {
	Body      string // paragraphs, lists and tables
	Automatic string // styles of the body
	Styles    string // styles by their names
	Master    string // headers and footers
	Manifest  string // further entries of the manifest
	order     []string
	parts     map[string]string
}

// New returns a text whose body is the given XML.
func New(body string) *File { return &File{Body: body, parts: map[string]string{}} }

// P returns a paragraph.
func P(text string) string { return "<text:p>" + text + "</text:p>" }

// Part adds a part by its name, or sets one that is there already.
func (f *File) Part(name, content string) *File {
	if !slices.Contains(f.order, name) {
		f.order = append(f.order, name)
	}
	f.parts[name] = content

	return f
}

// Flat returns the text as one part that is not packed. Parts that were added are left out.
func (f *File) Flat() []byte {
	return []byte(`<?xml version="1.0" encoding="UTF-8"?>` + "\n<office:document" + namespaces +
		` office:version="1.3" office:mimetype="` + MediaType + `">` +
		"<office:styles>" + f.Styles + "</office:styles><office:automatic-styles>" + f.Automatic +
		"</office:automatic-styles><office:master-styles>" + f.Master + "</office:master-styles>" +
		"<office:body><office:text>" + f.Body + "</office:text></office:body></office:document>")
}

// Bytes returns the file. The parts that were added come last.
func (f *File) Bytes() []byte {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	write := func(name, content string, method uint16) {
		part, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: method})
		if err != nil {
			panic("odttest: " + err.Error())
		}
		part.Write([]byte(content)) //nolint:errcheck // a buffer takes everything
	}
	own := map[string]string{
		"mimetype": MediaType,
		"META-INF/manifest.xml": `<manifest:manifest` +
			` xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0">` +
			`<manifest:file-entry manifest:full-path="/" manifest:media-type="` + MediaType + `"/>` +
			f.Manifest + `</manifest:manifest>`,
		"styles.xml": "<office:document-styles" + namespaces + "><office:styles>" + f.Styles +
			"</office:styles><office:master-styles>" + f.Master + "</office:master-styles></office:document-styles>",
		"content.xml": "<office:document-content" + namespaces + "><office:automatic-styles>" + f.Automatic +
			"</office:automatic-styles><office:body><office:text>" + f.Body +
			"</office:text></office:body></office:document-content>",
	}

	for _, name := range []string{"mimetype", "META-INF/manifest.xml", "styles.xml", "content.xml"} {
		content, method := own[name], zip.Deflate
		if replaced, ok := f.parts[name]; ok {
			content = replaced
		}
		if name == "mimetype" {
			method = zip.Store
		}
		write(name, content, method)
	}

	for _, name := range f.order {
		if _, ours := own[name]; !ours {
			write(name, f.parts[name], zip.Deflate)
		}
	}
	w.Close() //nolint:errcheck // a buffer takes everything

	return b.Bytes()
}
