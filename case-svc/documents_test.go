package casesvc_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
)

const docxType = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"

// wordFile is a DOCX file of paragraphs, with an author and a comment when given.
func wordFile(t *testing.T, author, comment string, paragraphs ...string) []byte {
	t.Helper()
	const w = `xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"`
	const rel = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"

	body := ""
	for _, p := range paragraphs {
		body += `<w:p><w:r><w:t xml:space="preserve">` + p + `</w:t></w:r></w:p>`
	}
	parts := [][2]string{
		{"[Content_Types].xml", `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType="` + docxType + `.main+xml"/><Override PartName="/word/comments.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.comments+xml"/><Override PartName="/docProps/core.xml" ContentType="application/vnd.openxmlformats-package.core-properties+xml"/></Types>`},
		{"_rels/.rels", `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="` + rel + `/officeDocument" Target="word/document.xml"/><Relationship Id="r2" Type="http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties" Target="docProps/core.xml"/></Relationships>`},
		{"word/document.xml", `<w:document ` + w + `><w:body>` + body + `</w:body></w:document>`},
		{"word/_rels/document.xml.rels", `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="` + rel + `/comments" Target="comments.xml"/></Relationships>`},
		{"word/comments.xml", `<w:comments ` + w + `><w:comment w:id="0"><w:p><w:r><w:t>` + comment + `</w:t></w:r></w:p></w:comment></w:comments>`},
		{"docProps/core.xml", `<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:creator>` + author + `</dc:creator></cp:coreProperties>`},
	}
	var b bytes.Buffer

	z := zip.NewWriter(&b)
	for _, p := range parts {
		f, err := z.Create(p[0])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte(p[1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}

	return b.Bytes()
}

// archive is a zip file that is no document.
func archive(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	f, err := z.Create("word/notes.xml")
	if err == nil {
		_, err = f.Write([]byte("<notes/>"))
	}
	if err := errors.Join(err, z.Close()); err != nil {
		t.Fatal(err)
	}

	return b.Bytes()
}

// pdfFile is a PDF file with one page for each list of lines.
func pdfFile(pages ...[]string) []byte {
	objects := []string{"<< /Type /Catalog /Pages 2 0 R >>", "", "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"}
	var kids []string

	for _, lines := range pages {
		content := "BT /F1 12 Tf 14 TL 72 720 Td "
		for _, line := range lines {
			content += "(" + strings.NewReplacer("(", `\(`, ")", `\)`).Replace(line) + ") Tj T* "
		}
		content += "ET"
		objects = append(objects, fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(content), content))
		objects = append(objects, fmt.Sprintf("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents %d 0 R /Resources << /Font << /F1 3 0 R >> >> >>", len(objects)))
		kids = append(kids, fmt.Sprintf("%d 0 R", len(objects)))
	}
	objects[1] = fmt.Sprintf("<< /Type /Pages /Kids [%s] /Count %d >>", strings.Join(kids, " "), len(kids))
	var b bytes.Buffer
	b.WriteString("%PDF-1.4\n")

	offsets := make([]int, len(objects))
	for i, o := range objects {
		offsets[i] = b.Len()
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)

	for _, at := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", at)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, start)

	return b.Bytes()
}

// pleading is a PDF with enough text on its pages to count as read.
func pleading() []byte {
	line := "The landlord terminated the lease of [Party 1] without the notice that its section 4 requires."
	return pdfFile([]string{"COMPLAINT", "", line, line}, []string{line, "[Party 2] changed the locks on that day and kept what was inside.", line})
}

// scan is a PDF without text.
func scan(n int) []byte { return pdfFile(make([][]string, n)...) }
