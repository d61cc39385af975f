package extract_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/subrosa-legal/subrosa/pkg/extract"
	"github.com/subrosa-legal/subrosa/pkg/extract/internal/docxtest"
	"github.com/subrosa-legal/subrosa/pkg/extract/internal/odttest"
	"github.com/subrosa-legal/subrosa/pkg/extract/internal/pdftest"
	"github.com/subrosa-legal/subrosa/pkg/rendition"
)

// small are limits under which no input takes long.
func small() extract.Limits {
	return extract.Limits{
		Size:     1 << 20,
		Pages:    20,
		Time:     10 * time.Second,
		Inflated: 8 << 20,
		Ratio:    100,
		Entries:  100,
		Nesting:  64,
		Text:     1 << 20,
	}
}

// holds checks what is true of every document.
func holds(t *testing.T, mediaType string, data []byte) {
	t.Helper()
	doc, err := extract.Extract(t.Context(), bytes.NewReader(data), int64(len(data)), mediaType, small())
	if err != nil {
		return
	}
	if doc.Status == "" || doc.Reason == "time_limit" {
		t.Fatalf("status %q (%s)", doc.Status, doc.Reason)
	}

	for _, p := range doc.Parts {
		if !utf8.ValidString(p.Text) || !norm.NFC.IsNormalString(p.Text) || p.Path == "" ||
			strings.ContainsFunc(p.Text, func(r rune) bool {
				return r < ' ' && r != '\n' && r != '\t'
			}) {
			t.Fatalf("part %s holds what no text may hold: %q", p.Path, p.Text)
		}
	}

	whole(t, doc)

	last, body := 0, []rune(doc.Text)
	for _, p := range extract.Passages(doc) {
		if p.CharStart < last || p.CharEnd > len(body) || string(body[p.CharStart:p.CharEnd]) != p.Text {
			t.Fatalf("passage %+v after %d", p, last)
		}
		last = p.CharEnd
	}
}

// whole checks the structure of a document, what it says of what is not in it, and its renditions.
func whole(t *testing.T, doc extract.Document) {
	t.Helper()
	end := 0

	for _, b := range doc.Blocks {
		inside := b.Start >= end && b.End > b.Start || b.Point() && b.End == b.Start
		if !inside || b.End > doc.Chars {
			t.Fatalf("block %+v behind %d of %d", b, end, doc.Chars)
		}
		end = max(end, b.End)
	}

	for _, d := range doc.Dropped {
		if !slices.Contains(extract.DroppedKinds(), d.Kind) || d.Count < 1 {
			t.Fatalf("dropped %+v", d)
		}
	}

	for _, u := range doc.Unread {
		if !slices.Contains(extract.UnreadKinds(), u.What) || u.At > doc.Chars || u.Count < 1 {
			t.Fatalf("unread %+v", u)
		}
	}

	if !doc.Status.Readable() {
		return
	}
	md := markdown(t, doc)
	again, err := extract.Extract(
		t.Context(),
		bytes.NewReader(md.Bytes),
		int64(len(md.Bytes)),
		extract.Markdown,
		small(),
	)
	if len(md.Bytes) > 0 && (err != nil || again.Text != string(md.Bytes)) {
		t.Fatalf("the Markdown %q is read as %q, %v", md.Bytes, again.Text, err)
	}
	word(t, doc)
}

func FuzzText(f *testing.F) {
	for _, seed := range []string{"[Party 1] signs.\r\n\fPage", "\ufeffa\u0308\u200b\U000e0041", "\xff\xfea\x00", "1. One\n2. Two"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) { holds(t, extract.PlainText, data) })
}

func FuzzPDF(f *testing.F) {
	file := pdftest.New()
	file.TextPage(prose)
	f.Add(file.Bytes())
	f.Fuzz(func(t *testing.T, data []byte) { holds(t, extract.PDF, data) })
}

func FuzzDOCX(f *testing.F) {
	f.Add(docxtest.New(docxtest.P(prose)).Bytes())
	f.Fuzz(func(t *testing.T, data []byte) { holds(t, extract.DOCX, data) })
}

// FuzzODT feeds the XML of a body with the styles that it uses.
func FuzzODT(f *testing.F) {
	f.Add("", odttest.P(prose))
	f.Add(
		`<text:list-style style:name="L"><text:list-level-style-number text:level="1" style:num-format="1"/></text:list-style>`,
		`<text:list text:style-name="L"><text:list-item>`+odttest.P("a")+`<text:list><text:list-item>`+odttest.P("b")+
			`</text:list-item></text:list></text:list-item></text:list>`,
	)
	f.Add("", `<table:table><table:table-row table:number-rows-repeated="9"><table:table-cell table:number-columns-spanned="2">`+
		odttest.P("a")+`</table:table-cell><table:covered-table-cell/></table:table-row></table:table>`)
	f.Add(
		`<style:style style:name="T" style:family="text"><style:text-properties text:display="none"/></style:style>`,
		odttest.P(`a<text:note><text:note-body>`+odttest.P("b")+`</text:note-body></text:note><text:span text:style-name="T">c</text:span>`+
			`<draw:frame><draw:image/><draw:text-box>`+odttest.P("d")+`</draw:text-box></draw:frame>`),
	)
	f.Add("", `<text:tracked-changes><text:changed-region><text:deletion>`+odttest.P("a")+`</text:deletion></text:changed-region>`+
		`</text:tracked-changes></text:p></table:table-cell>`)
	f.Fuzz(func(t *testing.T, styles, body string) {
		file := odttest.New(body)
		file.Automatic = styles
		holds(t, extract.ODT, file.Bytes())
	})
}

// FuzzWordBody feeds the XML of a body, which FuzzDOCX seldom gets right.
func FuzzWordBody(f *testing.F) {
	f.Add(docxtest.P("a") + "<w:tbl><w:tr><w:tc>" + docxtest.P("b") + "</w:tc></w:tr></w:tbl>")
	f.Add(
		`<w:p><w:del><w:r><w:delText>x</w:delText></w:r></w:del><w:ins>` + docxtest.R(
			"y",
			"<w:vanish/>",
		) + `</w:ins></w:p>`,
	)
	f.Add("</w:tc></w:tr></w:tbl><w:tr/><w:tc/>")
	f.Add(tbl(
		tr(tc(3, "a"), tc(1, "b", tbl(cells("", "c")))),
		`<w:tr><w:trPr><w:gridBefore w:val="9"/></w:trPr>`+tc(1, "d")+"</w:tr>",
	))
	f.Add(
		`<w:p><w:pPr><w:outlineLvl w:val="0"/></w:pPr><w:r><w:t>[Party</w:t><w:footnoteReference w:id="2"/>` +
			`</w:r></w:p>` + docxtest.P(
			"1] | x",
		),
	)
	f.Add(`<w:p><w:r><w:t>a</w:t><w:drawing><a:blip/></w:drawing><w:br w:type="page"/><w:t>\u0301</w:t></w:r></w:p>`)
	f.Fuzz(func(t *testing.T, body string) { holds(t, extract.DOCX, docxtest.New(body).Bytes()) })
}

func FuzzSniff(f *testing.F) {
	f.Add([]byte("%PDF-1.4"), "a.pdf", "application/pdf")
	f.Add([]byte("PK\x03\x04"), "a.docx", "")
	f.Fuzz(func(t *testing.T, head []byte, name, declared string) {
		s := extract.Sniff(head, name)
		mediaType, err := s.Accept(declared)
		if (err == nil) != (mediaType != "") || err == nil && s.Class == extract.Refused {
			t.Errorf("Sniff = %+v, Accept(%q) = %q, %v", s, declared, mediaType, err)
		}
	})
}

func FuzzHTML(f *testing.F) {
	f.Add([]byte("<p>a<table><tr><td>b<!-- c --><pre> d</pre>"))
	f.Add(
		[]byte(
			"<ol><li>a<ul><li>b</ul><li>c</ol><blockquote><h1>d</h1>e</blockquote><img><table><tr><td>f|g<td>h</table>",
		),
	)
	f.Add([]byte("<table><tr><td colspan=3 rowspan=0>a<td><ol reversed><li>b<li>c</ol><table><tr><td><td>d</table><tr><td>e"))
	f.Add([]byte("<meta charset=latin1>\xe4<script>x</script>&#x0;"))
	f.Fuzz(func(t *testing.T, data []byte) { holds(t, extract.HTML, data) })
}

func FuzzCSV(f *testing.F) {
	f.Add([]byte("a,b\n\"c\nd\",e\n"))
	f.Fuzz(func(t *testing.T, data []byte) { holds(t, extract.CSV, data) })
}

func FuzzJSON(f *testing.F) {
	f.Add([]byte(`{"a":[1,{"b":"\u0041"},null]}`))
	f.Fuzz(func(t *testing.T, data []byte) { holds(t, extract.JSON, data) })
}

func FuzzEmail(f *testing.F) {
	f.Add(
		[]byte(
			"Subject: =?utf-8?q?s?=\nContent-Type: multipart/alternative; boundary=b\n\n--b\nContent-Type: " +
				"text/html\n\n<p>x\n--b--\n",
		),
	)
	f.Add([]byte("From: x\nContent-Transfer-Encoding: base64\n\nYWJj\n"))
	f.Fuzz(func(t *testing.T, data []byte) { holds(t, extract.Email, data) })
}

// markdown and word return the renditions of a document.
func markdown(t *testing.T, doc extract.Document) rendition.Rendition {
	t.Helper()
	r, err := rendition.Markdown(t.Context(), doc)
	if err != nil {
		t.Fatal(err)
	}

	return r
}

func word(t *testing.T, doc extract.Document) rendition.Rendition {
	t.Helper()
	r, err := rendition.Word(t.Context(), doc)
	if err != nil {
		t.Fatal(err)
	}

	return r
}
