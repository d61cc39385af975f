package extract_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/subrosa-legal/subrosa/pkg/extract"
	"github.com/subrosa-legal/subrosa/pkg/extract/internal/docxtest"
	"github.com/subrosa-legal/subrosa/pkg/extract/internal/pdftest"
)

func read(t *testing.T, mediaType string, data []byte) extract.Document {
	t.Helper()
	doc, err := extract.Extract(t.Context(), bytes.NewReader(data), int64(len(data)), mediaType, extract.DefaultLimits())
	if err != nil {
		t.Fatalf("Extract: %v", err)
	}

	return doc
}

// parts returns the texts of a document by path, without the body.
func parts(doc extract.Document) map[string]string {
	list := map[string]string{}

	for _, p := range doc.Parts {
		if p.Kind != extract.Body {
			list[p.Path] += "|" + p.Text
		}
	}

	return list
}

var prose = strings.Repeat("The tenant shall pay the rent to [Party 1] on the first day of every month. ", 4)

func TestText(t *testing.T) {
	t.Parallel()

	for name, tc := range map[string]struct{ data, want string }{
		"plain":            {"Hello, world.\n", "Hello, world."},
		"line ends":        {"a\r\nb\rc\u2028d\n\n\n\ne", "a\nb\nc\nd\n\ne"},
		"byte order mark":  {"\ufeffHello", "Hello"},
		"blanks":           {"  a\u00a0b  \n\tc \n", "a b\n\tc"},
		"controls":         {"a\x01b\x1bc\u0085d", "abc\nd"},
		"invisible marks":  {"Jo\u200bhn\u00ad \u202eDoe\ufeff", "John Doe"},
		"ligatures":        {"oﬃce of the ﬁrm", "office of the firm"},
		"composed late":    {"a\u200b\u0308 \u3000b", "ä  b"},
		"accent on a page": {"a\f\u0308", "a\n\n\u0308"},
		"composed":         {"Mu\u0308ller", "Müller"},
		"joiners stay":     {"a\u200db", "a\u200db"},
		"UTF-16":           {utf16Text("Hé, 𐀀", binary.LittleEndian), "Hé, 𐀀"},
		"UTF-16, big":      {utf16Text("Hé", binary.BigEndian), "Hé"},
		"form feed":        {"one\ftwo", "one\n\ntwo"},
		"torn labels":      {"by [Party\n1], [Org \n 12] and [Party  3]; [see\n1] [Date\n\n5]x [Party", "by [Party 1], [Org 12] and [Party 3]; [see\n1] [Date 5]\n\nx [Party"},
		"torn by a page":   {"by [Party\f1] at last", "by [Party 1]\n\n at last"},
		"markup is no tag": {"<b>bold</b>", "<b>bold</b>"},
	} {
		t.Run(name, func(t *testing.T) {
			doc := read(t, "text/plain; charset=utf-8", []byte(tc.data))
			if doc.Text != tc.want || doc.Parts[0].Text != tc.want || doc.Parts[0].Kind != extract.Body || doc.Parts[0].Path != "text" {
				t.Errorf("text = %q, want %q; parts %+v", doc.Text, tc.want, doc.Parts)
			}
			if !norm.NFC.IsNormalString(doc.Text) || doc.Chars != utf8.RuneCountInString(doc.Text) {
				t.Errorf("chars = %d of %q", doc.Chars, doc.Text)
			}
		})
	}
}

func utf16Text(s string, order binary.AppendByteOrder) string {
	out := order.AppendUint16(nil, 0xfeff)
	for _, unit := range utf16.Encode([]rune(s)) {
		out = order.AppendUint16(out, unit)
	}

	return string(out)
}

func TestTagCharactersAreHiddenText(t *testing.T) {
	t.Parallel()

	hidden := ""
	for _, r := range "call 555-0134" {
		hidden += string(r + 0xe0000)
	}
	doc := read(t, extract.PlainText, []byte("Visible."+hidden))
	if doc.Text != "Visible." || parts(doc)["hiddenText"] != "|call 555-0134" {
		t.Errorf("text = %q, parts %q", doc.Text, parts(doc))
	}
}

func TestPages(t *testing.T) {
	t.Parallel()
	doc := read(t, extract.PlainText, []byte("one\fzwei é\f\fthree"))
	if doc.Pages != 4 || !slices.Equal(doc.PageStarts, []int{0, 5, 13, 13}) {
		t.Fatalf("pages = %d, starts %v of %q", doc.Pages, doc.PageStarts, doc.Text)
	}

	for char, want := range map[int]int{0: 1, 4: 1, 5: 2, 12: 2, 13: 4, 17: 4} {
		if got := doc.Page(char); got != want {
			t.Errorf("page of %d = %d, want %d", char, got, want)
		}
	}
	long := read(t, extract.PlainText, []byte(strings.Repeat("word ", 1100)))
	if long.Pages != 3 || long.PageStarts != nil || long.Page(0) != 0 {
		t.Errorf("pages = %d, starts %v, page of the first character %d", long.Pages, long.PageStarts, long.Page(0))
	}
}

func TestStatus(t *testing.T) {
	t.Parallel()
	pdfOf := func(lines ...string) []byte {
		f := pdftest.New()
		f.TextPage(lines...)

		return f.Bytes()
	}
	glyphs := func(text string) []byte {
		f := pdftest.New()
		font := "/Font<</F1<</Type/Font/Subtype/Type1/BaseFont/X/Encoding<</BaseEncoding/WinAnsiEncoding/Differences[1/g1]>>>>>>"
		f.Page(f.Stream("", []byte("BT /F1 12 Tf ("+text+") Tj ET")), font, "")

		return f.Bytes()
	}
	attached := pdftest.New()
	attached.Catalog = "/Names<</EmbeddedFiles<<>>>>"
	attached.TextPage(prose)
	locked := pdftest.New()
	locked.Trailer = "/Encrypt<<>>"
	locked.TextPage(prose)
	reencoded := pdftest.New()
	reencoded.Stream("", []byte(strings.Repeat("\ufffd", 1001)))
	reencoded.TextPage(prose)

	for name, tc := range map[string]struct {
		mediaType string
		data      []byte
		want      extract.Status
		reason    string
	}{
		"good text":            {extract.PlainText, []byte(prose), extract.OK, ""},
		"short text":           {extract.PlainText, []byte("Hi there."), extract.OK, ""},
		"figures":              {extract.PlainText, []byte(strings.Repeat("12,345.67 ", 50)), extract.LowQuality, "few_letters"},
		"private characters":   {extract.PlainText, []byte(strings.Repeat("\ue000 good words of text and more ", 20)), extract.LowQuality, "part_garbled"},
		"replacements":         {extract.PlainText, []byte(strings.Repeat("\ufffd good words of text and more ", 20)), extract.LowQuality, "part_garbled"},
		"more replacements":    {extract.PlainText, []byte(strings.Repeat("\ufffd words ", 20)), extract.NeedsOCR, "garbled"},
		"not UTF-8":            {extract.PlainText, []byte("M\xfcller"), extract.Damaged, "invalid_utf8"},
		"odd UTF-16":           {extract.PlainText, []byte("\xff\xfea"), extract.Damaged, "invalid_utf8"},
		"good PDF":             {extract.PDF, pdfOf(prose), extract.OK, ""},
		"scan":                 {extract.PDF, pdfOf(), extract.NeedsOCR, "no_text"},
		"page of one line":     {extract.PDF, pdfOf("So ordered."), extract.OK, ""},
		"line on a scan":       {extract.PDF, scans(1, 1), extract.NeedsOCR, "no_text"},
		"a tenth scanned":      {extract.PDF, scans(10, 1), extract.OK, ""},
		"more than a tenth":    {extract.PDF, scans(10, 2), extract.NeedsOCR, "no_text"},
		"garbled PDF":          {extract.PDF, glyphs(strings.Repeat("\\001\\001a ", 60)), extract.NeedsOCR, "garbled"},
		"slightly garbled PDF": {extract.PDF, glyphs(strings.Repeat("\\001 twenty letters of text ", 20)), extract.LowQuality, "part_garbled"},
		"attachment":           {extract.PDF, attached.Bytes(), extract.Unsupported, "attachment"},
		"encrypted PDF":        {extract.PDF, locked.Bytes(), extract.Encrypted, "encrypted"},
		"saved as text once":   {extract.PDF, reencoded.Bytes(), extract.Damaged, "re_encoded"},
		"no PDF at all":        {extract.PDF, []byte("%PDF-1.4\nnothing"), extract.Damaged, "broken"},
		"cut off PDF":          {extract.PDF, pdfOf(prose)[:300], extract.Damaged, "broken"},
		"good DOCX":            {extract.DOCX, docxtest.New(docxtest.P(prose)).Bytes(), extract.OK, ""},
		"short DOCX":           {extract.DOCX, docxtest.New(docxtest.P("Hi there.")).Bytes(), extract.OK, ""},
		"pictures in a DOCX":   {extract.DOCX, docxtest.New(docxtest.P("")).Part("word/media/image1.png", "x").Bytes(), extract.NeedsOCR, "no_text"},
		"broken XML":           {extract.DOCX, docxtest.New("<w:p>").Bytes(), extract.Damaged, "broken"},
		"document type in XML": {extract.DOCX, docxtest.New("").Part("word/x.xml", `<!DOCTYPE a [<!ENTITY b "c">]><a/>`).Bytes(), extract.Damaged, "broken"},
		"document type that is an address": {
			extract.DOCX,
			docxtest.New(docxtest.P(prose)).Part("word/x.xml", `<!DOCTYPE a SYSTEM "b.dtd"><a/>`).Bytes(),
			extract.OK, "",
		},
		"deeply nested elements": {extract.DOCX, docxtest.New(strings.Repeat("<w:p>", 300) + strings.Repeat("</w:p>", 300)).Bytes(), extract.Damaged, "too_deep"},
		"DOCX with false sizes":  {extract.DOCX, lieAboutSizes(docxtest.New(docxtest.P(strings.Repeat("a", 3<<20))).Bytes()), extract.Damaged, "broken"},
		"cut off DOCX":           {extract.DOCX, docxtest.New(docxtest.P(prose)).Bytes()[:500], extract.Damaged, "broken"},
	} {
		t.Run(name, func(t *testing.T) {
			doc := read(t, tc.mediaType, tc.data)
			if doc.Status != tc.want || doc.Reason != tc.reason {
				t.Errorf("status = %s (%s), want %s (%s); %d chars on %d pages", doc.Status, doc.Reason, tc.want, tc.reason, doc.Chars, doc.Pages)
			}
			if passages := extract.Passages(doc); (len(passages) > 0) != doc.Status.Readable() {
				t.Errorf("%d passages of a file that is %s", len(passages), doc.Status)
			}
		})
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	pages := pdftest.New()

	contents := pages.Stream("", nil)
	for range 2001 {
		pages.Page(contents, "", "")
	}

	many := docxtest.New(docxtest.P("x"))
	for i := range 5000 {
		many.Part(fmt.Sprintf("word/%d.xml", i), "<a/>")
	}
	good := docxtest.New(docxtest.P(prose)).Bytes()

	pdfFile := func() []byte {
		f := pdftest.New()
		f.TextPage(prose)

		return f.Bytes()
	}()
	for name, tc := range map[string]struct {
		mediaType string
		data      []byte
		want      error
	}{
		"empty":                  {extract.PlainText, nil, extract.ErrEmpty},
		"blank text":             {extract.PlainText, []byte(" \n\t\n"), extract.ErrEmpty},
		"blank DOCX":             {extract.DOCX, docxtest.New(docxtest.P("")).Bytes(), extract.ErrEmpty},
		"too large":              {extract.PlainText, make([]byte, 25<<20+1), extract.ErrTooLarge},
		"zero bytes":             {extract.PlainText, []byte("a\x00b"), extract.ErrMismatch},
		"picture":                {"image/png", []byte("x"), extract.ErrUnsupported},
		"spreadsheet":            {"application/vnd.ms-excel", []byte("x"), extract.ErrUnsupported},
		"page that says nothing": {extract.HTML, []byte("<html><body> </body></html>"), extract.ErrEmpty},
		"table without cells":    {extract.CSV, []byte(",,\n,,\n"), extract.ErrEmpty},
		"JSON that is none":      {extract.JSON, []byte("{\"a\":"), extract.ErrMismatch},
		"JSON with a tail":       {extract.JSON, []byte("{} x"), extract.ErrMismatch},
		"no type":                {"", []byte("x"), extract.ErrUnsupported},
		"2,001 pages":            {extract.PDF, pages.Bytes(), extract.ErrTooManyPages},
		"PDF behind a page":      {extract.PDF, append([]byte("x obj <html><script>x</script>\n"), pdfFile...), extract.ErrMismatch},
		"PDF behind a tag":       {extract.PDF, append([]byte("aaaa<iframe src=x>\n"), pdfFile...), extract.ErrMismatch},
		"PDF behind a program":   {extract.PDF, append([]byte("MZ\x90\x00\n"), pdfFile...), extract.ErrMismatch},
		"PDF behind a class":     {extract.PDF, append([]byte("\xca\xfe\xba\xbe\n"), pdfFile...), extract.ErrMismatch},
		"PDF behind a picture":   {extract.PDF, append([]byte("GIF89a\n"), pdfFile...), extract.ErrMismatch},
		"PDF behind gzip":        {extract.PDF, append([]byte("\x1f\x8b\x08\n"), pdfFile...), extract.ErrMismatch},
		"PDF behind RAR":         {extract.PDF, append([]byte("Rar!\x1a\x07\n"), pdfFile...), extract.ErrMismatch},
		"PDF behind an archive":  {extract.PDF, append([]byte("x obj PK\x03\x04\n"), pdfFile...), extract.ErrMismatch},
		"PDF that is a page":     {extract.PDF, append([]byte("%PDF-1.4\n%<HTML><script>x</script>\n"), pdfFile[9:]...), extract.ErrMismatch},
		"PDF with a ZIP behind":  {extract.PDF, append(slices.Clone(pdfFile), good...), extract.ErrMismatch},
		"PDF called DOCX":        {extract.DOCX, pdfFile, extract.ErrMismatch},
		"ZIP called DOCX":        {extract.DOCX, withoutTypes(good), extract.ErrMismatch},
		"something before a ZIP": {extract.DOCX, append([]byte("MZ program"), good...), extract.ErrMismatch},
		"path upwards":           {extract.DOCX, docxtest.New("").Part("../evil.xml", "<a/>").Bytes(), extract.ErrMismatch},
		"symbolic link":          {extract.DOCX, asLinks(good), extract.ErrMismatch},
		"absolute path":          {extract.DOCX, docxtest.New("").Part("/etc/evil.xml", "<a/>").Bytes(), extract.ErrMismatch},
		"5,003 entries":          {extract.DOCX, many.Bytes(), extract.ErrBomb},
		"bomb":                   {extract.DOCX, docxtest.New(docxtest.P(strings.Repeat("a", 3<<20))).Bytes(), extract.ErrBomb},
		"nested archive":         {extract.DOCX, docxtest.New("").Part("word/inner.zip", "PK").Bytes(), extract.ErrMacro},
		"nested document":        {extract.DOCX, docxtest.New("").Part("word/embeddings/a.docx", "PK").Bytes(), extract.ErrMacro},
		"program inside":         {extract.DOCX, docxtest.New("").Part("word/a.exe", "MZ").Bytes(), extract.ErrMacro},
		"program by its bytes":   {extract.DOCX, docxtest.New("").Part("notes.txt", "MZ\x90").Bytes(), extract.ErrMacro},
		"document by its bytes":  {extract.DOCX, docxtest.New("").Part("notes", "PK\x03\x04").Bytes(), extract.ErrMacro},
		"control":                {extract.DOCX, docxtest.New("").Part("word/activeX/a.txt", "x").Bytes(), extract.ErrMacro},
		"macros":                 {extract.DOCX, docxtest.New("").Part("word/vbaProject.bin", "x").Bytes(), extract.ErrMacro},
		"macro type":             {extract.DOCX, macroTyped(), extract.ErrMacro},
		"OLE object":             {extract.DOCX, docxtest.New("").Link("oleObject", "word/o.xml", "<a/>").Bytes(), extract.ErrMacro},
		"alternative chunk":      {extract.DOCX, docxtest.New("").Link("aFChunk", "word/o.xml", "<a/>").Bytes(), extract.ErrMacro},
		"remote template":        {extract.DOCX, docxtest.New("").External("attachedTemplate", "https://evil.example/t.dotm").Bytes(), extract.ErrMacro},
		"template of a server":   {extract.DOCX, docxtest.New("").External("attachedTemplate", `\\server\share\t.dotm`).Bytes(), extract.ErrMacro},
		"template of a server 2": {extract.DOCX, docxtest.New("").External("attachedTemplate", `file:////server/share/t.dotm`).Bytes(), extract.ErrMacro},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := extract.Extract(t.Context(), bytes.NewReader(tc.data), int64(len(tc.data)), tc.mediaType, extract.DefaultLimits())
			if !errors.Is(err, tc.want) {
				t.Errorf("Extract = %v, want %v", err, tc.want)
			}
		})
	}
}

// withoutTypes spoils the name of the part that says what the others are.
func withoutTypes(docx []byte) []byte {
	return bytes.ReplaceAll(docx, []byte("[Content_Types].xml"), []byte("[Content_Typos].xml"))
}

func macroTyped() []byte {
	f := docxtest.New(docxtest.P("x"))
	f.MainType = "application/vnd.ms-word.document.macroEnabled.main+xml"

	return f.Bytes()
}

// lieAboutSizes makes the directory say that every entry unpacks to one byte.
func lieAboutSizes(docx []byte) []byte {
	return eachEntry(docx, func(entry []byte) { binary.LittleEndian.PutUint32(entry[24:], 1) })
}

// asLinks makes the directory say that every entry is a symbolic link of a Unix system.
func asLinks(docx []byte) []byte {
	return eachEntry(docx, func(entry []byte) {
		entry[5] = 3
		binary.LittleEndian.PutUint32(entry[38:], 0xa1ff<<16)
	})
}

// eachEntry returns a copy of an archive with its directory changed.
func eachEntry(docx []byte, change func(entry []byte)) []byte {
	data := slices.Clone(docx)
	for at := 0; ; at += 4 {
		i := bytes.Index(data[at:], []byte("PK\x01\x02"))
		if i < 0 {
			return data
		}
		at += i
		change(data[at:])
	}
}

// dropped writes what was dropped of a document as words and numbers.
func dropped(doc extract.Document) string {
	var out []string
	for _, d := range doc.Dropped {
		out = append(out, fmt.Sprintf("%s %d", d.Kind, d.Count))
	}

	return strings.Join(out, ", ")
}

func TestLocalTemplateIsDropped(t *testing.T) {
	t.Parallel()
	doc := read(t, extract.DOCX, docxtest.New(docxtest.P("x")).External("attachedTemplate", `file:///C:\Users\jroe\Normal.dotm`).Bytes())
	if len(doc.Parts) != 1 || dropped(doc) != "linkTargets 1" {
		t.Errorf("parts %+v, dropped %s", doc.Parts, dropped(doc))
	}
}

func TestWordDocument(t *testing.T) {
	t.Parallel()

	p, r := docxtest.P, docxtest.R
	for name, tc := range map[string]struct {
		file *docxtest.File
		text string
		want map[string]string
		gone string
	}{
		"runs are joined": {
			docxtest.New("<w:p>" + r("[Par") + r("ty 1]", "<w:b/>") + r(" signs.") + "</w:p>" + p("Next.")),
			"[Party 1] signs.\n\nNext.", nil, "",
		},
		"tabs and breaks": {
			docxtest.New("<w:p><w:pPr><w:tabs><w:tab/></w:tabs></w:pPr><w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t><w:noBreakHyphen/><w:t>d</w:t></w:r></w:p>"),
			"a\tb\nc-d", nil, "",
		},
		"table": {
			docxtest.New("<w:tbl><w:tr><w:tc>" + p("Rent") + "</w:tc><w:tc>" + p("$1") + "</w:tc></w:tr><w:tr><w:tc>" + p("Term") + "</w:tc><w:tc>" + p("2 years") + "</w:tc></w:tr></w:tbl>" + p("After.")),
			"Rent\t$1\nTerm\t2 years\n\nAfter.", nil, "",
		},
		"table of text": {
			docxtest.New("<w:tbl><w:tr><w:tc>" + p("one") + p("two") + "</w:tc><w:tc>" + p("three") + "</w:tc></w:tr></w:tbl>"),
			"one two\tthree", nil, "",
		},
		"table in a table": {
			docxtest.New("<w:tbl><w:tr><w:tc><w:tbl><w:tr><w:tc>" + p("in") + "</w:tc><w:tc>" + p("ner") + "</w:tc></w:tr></w:tbl></w:tc></w:tr></w:tbl>"),
			"in\tner", nil, "",
		},
		"headers, footers and notes": {
			docxtest.New(p("Body.")).
				Link("footer", "word/footer1.xml", "<w:ftr *>"+p("Foot")+"</w:ftr>").
				Link("header", "word/header1.xml", "<w:hdr *>"+p("Head")+"</w:hdr>").
				Link("footnotes", "word/footnotes.xml", "<w:footnotes *><w:footnote>"+p("Note 1")+"</w:footnote></w:footnotes>").
				Link("endnotes", "word/endnotes.xml", "<w:endnotes *><w:endnote>"+p("End")+"</w:endnote></w:endnotes>"),
			"Body.\n\nNote 1\n\nEnd\n\nHead\n\nFoot", nil, "",
		},
		"text box": {
			docxtest.New(`<w:p>` + r("before") + `<w:r><mc:AlternateContent><mc:Choice><wp:docPr descr="alt text"/><wps:txbx><w:txbxContent>` + p("boxed") +
				`</w:txbxContent></wps:txbx></mc:Choice><mc:Fallback><w:txbxContent>` + p("boxed") + `</w:txbxContent></mc:Fallback></mc:AlternateContent></w:r></w:p>`),
			"before\n\nboxed",
			map[string]string{"altText": "|alt text"},
			"alternatives 1",
		},
		"tracked changes": {
			docxtest.New(`<w:p>` + r("The ") + `<w:del w:author="Jane Roe"><w:r><w:delText>old </w:delText></w:r></w:del><w:ins w:author="Jane Roe">` + r("new ") + `</w:ins>` + r("term.") +
				`<w:moveFrom w:author="J. Doe">` + r("moved") + `</w:moveFrom></w:p>`),
			"The new term.",
			map[string]string{"trackedChanges": "|old moved"},
			"authors 2",
		},
		"hidden text": {
			docxtest.New("<w:p>" + r("seen ") + r("secret", "<w:vanish/>") + r("shown", `<w:vanish w:val="0"/>`) + r(" white", `<w:color w:val="ffffff"/>`) +
				r(" on black", `<w:color w:val="FFFFFF"/>`, `<w:shd w:fill="000000"/>`) + r(" tiny", `<w:sz w:val="2"/>`) + "</w:p>"),
			"seen shown on black",
			map[string]string{"hiddenText": "|secret white tiny"},
			"",
		},
		"white text in a dark cell": {
			docxtest.New(`<w:tbl><w:tr><w:tc><w:tcPr><w:shd w:fill="1F3864"/></w:tcPr><w:p>` + r("title", `<w:color w:val="FFFFFF"/>`) + `</w:p></w:tc><w:tc><w:p>` + r("gone", `<w:color w:val="FFFFFF"/>`) + `</w:p></w:tc></w:tr></w:tbl>`),
			"title",
			map[string]string{"hiddenText": "|gone"},
			"",
		},
		"hidden by style": {
			docxtest.New("<w:p>"+r("a")+r("b", `<w:rStyle w:val="Child"/>`)+`</w:p><w:p><w:pPr><w:pStyle w:val="Base"/></w:pPr>`+r("c")+`</w:p>`+p("d")).
				Link("styles", "word/styles.xml", `<w:styles *><w:style w:styleId="Base"><w:rPr><w:vanish/></w:rPr></w:style><w:style w:styleId="Child"><w:basedOn w:val="Base"/></w:style></w:styles>`),
			"a\n\nd",
			map[string]string{"hiddenText": "|b\nc"},
			"styles 1",
		},
		"comments and people": {
			docxtest.New(p("Body.")).
				Link("comments", "word/comments.xml", `<w:comments *><w:comment w:author="Jane Roe" w:initials="JR">`+p("check this")+`</w:comment></w:comments>`).
				Part("word/people.xml", `<people><person author="John Doe"><presenceInfo userId="jd@example.com"/></person></people>`),
			"Body.",
			map[string]string{"comments": "|check this"},
			"authors 2, otherParts 1",
		},
		"metadata": {
			docxtest.New(p("Body.")).
				Part("docProps/core.xml", `<coreProperties xmlns:dc="d" xmlns:cp="c"><dc:creator>Jane Roe</dc:creator><cp:lastModifiedBy>John Doe</cp:lastModifiedBy><dc:title>T</dc:title><cp:revision>4</cp:revision><x:janeRoe>seen</x:janeRoe></coreProperties>`).
				Part("docProps/app.xml", `<Properties><Company>Acme</Company><Application>Word</Application></Properties>`),
			"Body.",
			nil, "properties 7",
		},
		"fields, links, bookmarks, unknown parts": {
			docxtest.New(`<w:p><w:bookmarkStart w:name="JaneRoe"/><w:bookmarkStart w:name="_GoBack"/><w:r><w:instrText>AUTHOR Roe</w:instrText></w:r>`+r("x")+`</w:p>`).
				External("hyperlink", "https://example.com/roe").Part("customXml/item1.xml", "<a><b>custom</b></a>"),
			"x",
			map[string]string{"links": "|https://example.com/roe"},
			"bookmarks 1, customXml 1, fieldCodes 1",
		},
	} {
		t.Run(name, func(t *testing.T) {
			doc := read(t, extract.DOCX, tc.file.Bytes())
			if doc.Text != tc.text {
				t.Errorf("text = %q, want %q", doc.Text, tc.text)
			}
			if got := parts(doc); !maps.Equal(got, tc.want) {
				t.Errorf("parts = %q, want %q", got, tc.want)
			}
			if got := dropped(doc); got != tc.gone {
				t.Errorf("dropped = %s, want %s", got, tc.gone)
			}
		})
	}
}

func TestWordPages(t *testing.T) {
	t.Parallel()
	doc := read(t, extract.DOCX, docxtest.New("<w:p>"+docxtest.R("first ")+"<w:r><w:lastRenderedPageBreak/><w:t>second</w:t></w:r></w:p>"+
		`<w:p><w:r><w:br w:type="page"/></w:r></w:p><w:p><w:r><w:lastRenderedPageBreak/><w:t>third</w:t></w:r></w:p>`).Bytes())
	if doc.Text != "first second\n\nthird" || doc.Pages != 3 || !slices.Equal(doc.PageStarts, []int{0, 6, 14}) {
		t.Errorf("text %q, pages %d, starts %v", doc.Text, doc.Pages, doc.PageStarts)
	}
}

func TestAnAccentStaysOnItsPage(t *testing.T) {
	t.Parallel()
	doc := read(t, extract.DOCX, docxtest.New("<w:p><w:r><w:t>a</w:t><w:lastRenderedPageBreak/><w:t>\u0308b</w:t></w:r></w:p>").Bytes())
	if doc.Text != "a\n\u0308b" || !slices.Equal(doc.PageStarts, []int{0, 2}) {
		t.Errorf("text %q, starts %v", doc.Text, doc.PageStarts)
	}
}

func TestPDFParts(t *testing.T) {
	t.Parallel()
	f := pdftest.New()
	f.Trailer = "/Info<</Author(Jane Roe)/JohnDoe(seen)>>"
	f.Page(f.Stream("", []byte(pdftest.Lines(prose))), "", "/Annots[<</Subtype/Text/Contents(a note)>><</A<</URI(https://x.example)>>>>]")
	f.TextPage(prose)
	doc := read(t, extract.PDF, f.Bytes())
	want := map[string]string{"comments": "|a note", "links": "|https://x.example"}
	if got := parts(doc); !maps.Equal(got, want) {
		t.Errorf("parts = %q, want %q", got, want)
	}
	if got := dropped(doc); got != "fonts 2, properties 2" {
		t.Errorf("dropped %s", got)
	}
	if doc.Pages != 2 || len(doc.PageStarts) != 2 || doc.PageStarts[1] != doc.Chars-utf8.RuneCountInString(strings.TrimSpace(prose)) || doc.Method != "pdf" || doc.Language != "en" {
		t.Errorf("document = %+v", doc)
	}
}

func TestLanguage(t *testing.T) {
	t.Parallel()

	for want, text := range map[string]string{
		"en":  prose,
		"de":  strings.Repeat("Der Mieter ist verpflichtet, die Miete bis zum dritten Werktag zu zahlen, und das ist mit dem Vermieter vereinbart. ", 3),
		"fr":  strings.Repeat("Le locataire est tenu de payer le loyer dans les délais et au lieu que le bail prévoit. ", 3),
		"es":  strings.Repeat("El arrendatario pagará la renta y los gastos por meses, según las condiciones del contrato y su anexo. ", 3),
		"und": strings.Repeat("Lorem ipsum dolor sit amet consectetur. ", 3),
	} {
		if got := read(t, extract.PlainText, []byte(text)).Language; got != want {
			t.Errorf("language of %q… = %s, want %s", text[:20], got, want)
		}
	}
}

// slowReader ends the time limit while it is read.
type slowReader struct {
	*bytes.Reader
	wait func()
}

func (r slowReader) ReadAt(p []byte, off int64) (int, error) {
	r.wait()
	return r.Reader.ReadAt(p, off)
}

func TestTime(t *testing.T) {
	t.Parallel()

	f := pdftest.New()
	for range 30 {
		f.TextPage(strings.Repeat(prose, 5))
	}
	data := f.Bytes()

	word := docxtest.New(strings.Repeat(docxtest.P(prose), 1000)).Bytes()
	for mediaType, data := range map[string][]byte{extract.PDF: data, extract.DOCX: word} {
		lim := extract.DefaultLimits()
		lim.Time = time.Nanosecond
		doc, err := extract.Extract(t.Context(), bytes.NewReader(data), int64(len(data)), mediaType, lim)
		if err != nil || doc.Status != extract.Damaged || doc.Reason != "time_limit" {
			t.Errorf("%s out of time: %s (%s), %v", mediaType, doc.Status, doc.Reason, err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		r := slowReader{bytes.NewReader(data), cancel}
		if _, err := extract.Extract(ctx, r, int64(len(data)), mediaType, extract.DefaultLimits()); !errors.Is(err, context.Canceled) {
			t.Errorf("%s cancelled: %v", mediaType, err)
		}
	}
}

// brokenReader fails as a disk may.
type brokenReader struct{}

func (brokenReader) ReadAt([]byte, int64) (int, error) { return 0, errDisk }

var errDisk = errors.New("disk")

func TestReadErrorsAreReported(t *testing.T) {
	t.Parallel()

	for _, mediaType := range []string{extract.PlainText, extract.PDF, extract.DOCX} {
		if _, err := extract.Extract(t.Context(), brokenReader{}, 100, mediaType, extract.DefaultLimits()); !errors.Is(err, errDisk) {
			t.Errorf("%s: %v, want %v", mediaType, err, errDisk)
		}
	}
}

// TestMutatedWordFiles wants every broken file to end in a status or one of the refusals.
func TestMutatedWordFiles(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 4))

	whole := docxtest.New(strings.Repeat(docxtest.P(prose), 3)).Link("header", "word/header1.xml", "<w:hdr *>"+docxtest.P("Head")+"</w:hdr>").Bytes()
	for range 2000 {
		data := slices.Clone(whole)
		for range 1 + rng.IntN(6) {
			i := rng.IntN(len(data) - 16)
			if rng.IntN(2) == 0 {
				data[i] = byte(rng.Uint32())
			} else {
				copy(data[i:], data[rng.IntN(len(data)-16):][:8])
			}
		}
		_, err := extract.Extract(t.Context(), bytes.NewReader(data), int64(len(data)), extract.DOCX, extract.DefaultLimits())
		if err != nil && !errors.Is(err, extract.ErrMismatch) && !errors.Is(err, extract.ErrBomb) && !errors.Is(err, extract.ErrMacro) && !errors.Is(err, extract.ErrEmpty) {
			t.Fatalf("Extract = %v", err)
		}
	}
}
