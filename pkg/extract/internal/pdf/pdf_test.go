package pdf_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	lib "github.com/ledongthuc/pdf"

	"github.com/subrosa-legal/subrosa/pkg/extract/internal/pdf"
	"github.com/subrosa-legal/subrosa/pkg/extract/internal/pdftest"
)

func limits() pdf.Limits {
	return pdf.Limits{Pages: 50, Inflated: 16 << 20, Text: 1 << 20, Cells: 1 << 20, Nesting: 64}
}

func read(t *testing.T, data []byte) *pdf.Document {
	t.Helper()
	doc, err := pdf.Read(t.Context(), data, limits())
	if err != nil {
		t.Fatalf("Read: %v", err)
	}

	return doc
}

// onePage returns a file with one page of the given operators and resources.
func onePage(content, resources string) []byte {
	f := pdftest.New()
	f.Page(f.Stream("", []byte(content)), resources, "")

	return f.Bytes()
}

func texts(doc *pdf.Document) []string {
	list := make([]string, len(doc.Pages))
	for i, p := range doc.Pages {
		list[i] = p.Text
	}

	return list
}

func TestPagesInOrder(t *testing.T) {
	t.Parallel()

	for _, packed := range []bool{false, true} {
		f := pdftest.New()
		f.Packed = packed
		f.TextPage("First page of [Party 1].", "Second line.")
		f.TextPage("Second page.")
		f.Page(f.Stream("", nil), "", "")
		got := texts(read(t, f.Bytes()))
		want := []string{"First page of [Party 1].\nSecond line.", "Second page.", ""}
		if !slices.Equal(got, want) {
			t.Errorf("packed %v: pages = %q, want %q", packed, got, want)
		}
	}
}

func TestText(t *testing.T) {
	t.Parallel()

	helvetica := "/Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>>>"
	for name, tc := range map[string]struct{ content, resources, want string }{
		"kerning":           {"BT /F1 12 Tf [(N) 20 (o) -10 (tice) -300 (of) -280 (default)] TJ ET", helvetica, "Notice of default"},
		"words moved apart": {"BT /F1 12 Tf (one) Tj 40 0 Td (two) Tj ET", helvetica, "one two"},
		"columns":           {"BT /F1 12 Tf (left) Tj 200 0 Td (right) Tj ET", helvetica, "left\tright"},
		"lines by Td":       {"BT /F1 12 Tf (one) Tj 0 -14 Td (two) Tj ET", helvetica, "one\ntwo"},
		"lines by Tm":       {"BT /F1 12 Tf 1 0 0 1 72 700 Tm (one) Tj 1 0 0 1 72 686 Tm (two) Tj ET", helvetica, "one\ntwo"},
		"lines by quote":    {"BT /F1 12 Tf 14 TL (one) Tj (two) ' 1 2 (three) \" ET", helvetica, "one\ntwo\nthree"},
		"an item whose words hang": {
			"BT /F1 12 Tf 72 700 Td (1.) Tj 36 0 Td (The tenant) Tj 0 -14 Td (pays.) Tj -36 -14 Td (2.) Tj 36 0 Td (More.) Tj ET",
			helvetica, "1.\tThe tenant\npays.\n2.\tMore.",
		},
		"a dash behind its item": {
			"BT /F1 12 Tf 90 700 Td (rent is due.) Tj -18 0 Td (-) Tj ET", helvetica, "- rent is due.",
		},
		"a dash in a column of its own": {
			"BT /F1 12 Tf 140 700 Td (rent is due.) Tj -68 0 Td (-) Tj ET", helvetica, "rent is due.\n\n-",
		},
		"an item close to its number": {
			"BT /F1 12 Tf 72 700 Td (1.) Tj 18 0 Td (The tenant) Tj 0 -14 Td (pays.) Tj ET", helvetica,
			"1. The tenant\npays.",
		},
		"a line further right than the words of an item": {
			"BT /F1 12 Tf 72 700 Td (1.) Tj 36 0 Td (The tenant) Tj 20 -14 Td (pays.) Tj ET", helvetica,
			"1.\tThe tenant\n\npays.",
		},
		"paragraphs":         {"BT /F1 12 Tf 14 TL (a) Tj T* (b) Tj T* (c) Tj 0 -30 Td (d) Tj T* (e) Tj ET", helvetica, "a\nb\nc\n\nd\ne"},
		"superscript":        {"BT /F1 12 Tf (See note) Tj /F1 7 Tf 5 Ts (3) Tj ET", helvetica, "See note3"},
		"turned page":        {"0 1 -1 0 600 0 cm BT /F1 12 Tf 14 TL (one) Tj T* (two) Tj ET", helvetica, "one\ntwo"},
		"escapes":            {`BT /F1 12 Tf (a\(b\)\\ \247 5\0512) Tj ET`, helvetica, `a(b)\ § 5)2`},
		"hex strings":        {"BT /F1 12 Tf <4E6F 74 69 63 65> Tj ET", helvetica, "Notice"},
		"windows encoding":   {"BT /F1 12 Tf (\\223quoted\\224 \\226 M\\374ller \\200) Tj ET", helvetica, "“quoted” – Müller €"},
		"no font":            {"BT (plain) Tj ET", helvetica, "plain"},
		"layer of a scan":    {"BT /F1 12 Tf 3 Tr (read by a scanner) Tj ET BI /W 2 /H 2 /BPC 8 /CS /G ID \x00\x00\x00\x00 EI", helvetica, "read by a scanner"},
		"under a black box":  {"BT /F1 12 Tf (covered) Tj ET 0 g 0 0 200 20 re f", helvetica, "covered"},
		"full ink":           {"/Ink cs 1 scn BT /F1 12 Tf (seen) Tj ET", helvetica + "/ColorSpace<</Ink[/Separation/Black/DeviceGray 2 0 R]>>", "seen"},
		"white on black":     {"0 g 0 0 200 20 re f 1 g BT /F1 12 Tf (seen) Tj ET", helvetica, "seen"},
		"saved state":        {"q BT /F1 12 Tf (a) Tj ET Q BT /F1 12 Tf 0 -14 Td (b) Tj ET", helvetica, "a\nb"},
		"picture in between": {"BT /F1 12 Tf (a) Tj ET BI /W 2 /H 2 /BPC 8 /CS /G ID \x00EI\xff\x01 EI BT /F1 12 Tf 0 -14 Td (b) Tj ET", helvetica, "a\nb"},
		"differences": {
			"BT /F1 12 Tf (\\001\\002\\003\\004\\005) Tj ET",
			"/Font<</F1<</Type/Font/Subtype/Type1/BaseFont/X/Encoding<</Differences[1/section/eacute/f_i/uni20AC/A.small]>>>>>>", "§e\u0301fi€A",
		},
		"unknown glyphs": {
			"BT /F1 12 Tf (\\001\\002) Tj ET",
			"/Font<</F1<</Type/Font/Subtype/Type1/BaseFont/X/Encoding<</Differences[1/g23/c45]>>>>>>", "\ufffd\ufffd",
		},
		"symbol font": {"BT /F1 12 Tf (\\267 5 \\264 6) Tj ET", "/Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Symbol>>>>", "• 5 × 6"},
		"two-byte codes without a table": {
			"BT /F1 12 Tf <00010002> Tj ET",
			"/Font<</F1<</Type/Font/Subtype/Type0/BaseFont/X/Encoding/Identity-H>>>>", "\ufffd\ufffd",
		},
		"two-byte Unicode": {
			"BT /F1 12 Tf <004E006F> Tj ET",
			"/Font<</F1<</Type/Font/Subtype/Type0/BaseFont/X/Encoding/UniGB-UCS2-H>>>>", "No",
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got := read(t, onePage(tc.content, tc.resources)).Pages[0].Text; got != tc.want {
				t.Errorf("text = %q, want %q", got, tc.want)
			}
		})
	}
}

func TestTextWithoutAMarkIsHidden(t *testing.T) {
	t.Parallel()

	for name, draw := range map[string]string{
		"mode 3":         "3 Tr (unseen) Tj 0 Tr",
		"clipping":       "7 Tr (unseen) Tj 0 Tr",
		"white grey":     "1 g (unseen) Tj 0 g",
		"white RGB":      "1 1 1 rg (unseen) Tj 0 g",
		"white CMYK":     "0 0 0 0 k (unseen) Tj 0 g",
		"white by sc":    "/DeviceRGB cs 1 1 1 sc (unseen) Tj 0 g",
		"white by ICC":   "/Profile cs 1 1 1 scn (unseen) Tj 0 g",
		"one point":      "/F1 1 Tf (unseen) Tj /F1 12 Tf",
		"transparent":    "/Clear gs (unseen) Tj /Solid gs",
		"white on white": "ET 1 g 0 0 600 700 re f BT /F1 12 Tf (unseen) Tj 0 g",
	} {
		t.Run(name, func(t *testing.T) {
			doc := read(t, onePage("BT /F1 12 Tf (one) Tj 40 0 Td "+draw+" 40 0 Td (two) Tj ET",
				"/Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>/ExtGState<</Clear<</ca 0>>/Solid<</ca 1>>>>/ColorSpace<</Profile[/ICCBased 2 0 R]>>"))
			shown := strings.Fields(doc.Pages[0].Text)
			if !slices.Equal(shown, []string{"one", "two"}) || !slices.Equal(doc.Hidden, []string{"unseen"}) {
				t.Errorf("page %q, hidden %q", doc.Pages[0].Text, doc.Hidden)
			}
		})
	}
}

func TestWhatStandsBesideThePages(t *testing.T) {
	t.Parallel()
	f := pdftest.New()
	stamp := f.Stream("/Type/XObject/Subtype/Form/Resources<</Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>", []byte("BT /F1 12 Tf (stamped) Tj ET"))
	f.Catalog = "/StructTreeRoot<</K[<</S/Figure/Alt(picture of it)/K<</S/Span/ActualText(read aloud)>>>>]>>/OpenAction<</S/JavaScript/JS(opened)>>/Names<</JavaScript<</Names[(called)<</S/JavaScript/JS(run)>>]>>>>"
	f.Page(f.Stream("", []byte(pdftest.Lines("shown"))), "", fmt.Sprintf("/Annots[<</Subtype/Stamp/AP<</N %d 0 R>>>><</Subtype/Widget/T(the field)/Parent<</T(f1_02[0])>>/TU(hint)/DV(before)/V(now)>><</Subtype/Link/A<</S/JavaScript/JS(clicked)>>>><</Subtype/Widget/V<</Type/Sig/Name(signer)/Reason(as agreed)/Contents<00ff>>>>>]", stamp))
	doc := read(t, f.Bytes())
	got := doc.Pages[0].Text
	if got != "shown\n\nnow" || !slices.Equal(doc.Drawn, []string{"stamped"}) || len(doc.Hidden) > 0 {
		t.Errorf("page %q, drawn %q, hidden %q", got, doc.Drawn, doc.Hidden)
	}
	if slices.Sort(doc.Alts); !slices.Equal(doc.Alts, []string{"picture of it", "read aloud"}) {
		t.Errorf("read aloud: %q", doc.Alts)
	}
	want := map[string]int{"scripts": 4, "formNames": 3, "formDefaults": 1, "signatures": 3, "fonts": 2}
	if !maps.Equal(doc.Dropped, want) {
		t.Errorf("dropped %v, want %v", doc.Dropped, want)
	}
}

func TestToUnicode(t *testing.T) {
	t.Parallel()
	f := pdftest.New()
	table := f.Flate("", []byte("/CIDInit /ProcSet findresource begin 12 dict begin begincmap 1 begincodespacerange <0000><FFFF> endcodespacerange\n"+
		"2 beginbfchar <0001><004E> <0002><00660066> endbfchar\n2 beginbfrange <0010><0012><0061> <0020><0021>[<0058><D835DC00>] endbfrange endcmap"))
	font := f.Add(fmt.Sprintf("<</Type/Font/Subtype/Type0/BaseFont/X/Encoding/Identity-H/ToUnicode %d 0 R/DescendantFonts[<</W[1[500 600] 16 18 500]/DW 1000>>]>>", table))
	f.Page(f.Stream("", []byte("BT /F1 12 Tf <0001000200100011001200200021> Tj ET")), fmt.Sprintf("/Font<</F1 %d 0 R>>", font), "")
	if got, want := read(t, f.Bytes()).Pages[0].Text, "NffabcX𝐀"; got != want {
		t.Errorf("text = %q, want %q", got, want)
	}
}

func TestForms(t *testing.T) {
	t.Parallel()
	f := pdftest.New()
	inner := f.Stream("/Type/XObject/Subtype/Form/Matrix[1 0 0 1 0 -20]/Resources<</Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>",
		[]byte("BT /F1 12 Tf (inside the form) Tj ET"))
	f.Page(f.Stream("", []byte("BT /F1 12 Tf (outside) Tj ET /X Do q 90 0 0 60 0 0 cm /P Do Q")),
		fmt.Sprintf("/Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>/XObject<</X %d 0 R/P %d 0 R>>", inner,
			f.Stream("/Subtype/Image/Filter/DCTDecode", []byte("not a picture"))), "")
	doc := read(t, f.Bytes())
	if got, want := doc.Pages[0].Text, "outside\ninside the form"; got != want {
		t.Errorf("text = %q, want %q", got, want)
	}
	if p := doc.Pages[0]; p.Pictures != 1 || p.Unread || doc.Dropped["pictures"] != 1 {
		t.Errorf("page %+v, dropped %v", p, doc.Dropped)
	}
}

// TestPagesShareFontsAndForms draws the same large form and font on many pages, which must cost no more than once.
func TestPagesShareFontsAndForms(t *testing.T) {
	t.Parallel()
	f := pdftest.New()
	form := f.Flate("/Subtype/Form", []byte(strings.Repeat("0 0 m 1 1 l S\n", 8_000)+"BT /F1 12 Tf (letterhead) Tj ET"))
	table := f.Flate("", []byte("1 beginbfrange <00><ff><0000> endbfrange"+strings.Repeat("% padding\n", 8_000)))
	font := f.Add(fmt.Sprintf("<</Type/Font/Subtype/Type1/BaseFont/X/ToUnicode %d 0 R>>", table))

	contents := f.Stream("", []byte("/X Do BT /F1 12 Tf 0 -20 Td (text) Tj ET"))
	for range 30 {
		f.Page(contents, fmt.Sprintf("/Font<</F1 %d 0 R>>/XObject<</X %d 0 R>>", font, form), "")
	}
	lim := limits()
	lim.Inflated, lim.Cells = 1<<20, 16<<20
	doc, err := pdf.Read(t.Context(), f.Bytes(), lim)
	if err != nil || len(doc.Pages) != 30 || doc.Pages[29].Text != "letterhead\ntext" {
		t.Errorf("Read = %+v, %v", doc, err)
	}
}

func TestFilters(t *testing.T) {
	t.Parallel()

	content := "BT /F1 12 Tf (packed) Tj ET"
	for name, tc := range map[string]struct{ entries, data string }{
		"none":       {"", content},
		"hex":        {"/Filter/ASCIIHexDecode", fmt.Sprintf("%x>", content)},
		"base 85":    {"/Filter[/ASCII85Decode]", ascii85(content)},
		"run length": {"/Filter/RunLengthDecode", string([]byte{byte(len(content) - 1)}) + content + "\x80"},
		"lzw":        {"/Filter/LZWDecode", lzw(content)},
		"two":        {"/Filter[/ASCIIHexDecode/FlateDecode]", fmt.Sprintf("%x>", pdftest.Zlib([]byte(content)))},
		"png rows":   {"/Filter/FlateDecode/DecodeParms<</Predictor 15/Columns 27>>", string(pdftest.Zlib([]byte("\x00" + content)))},
	} {
		t.Run(name, func(t *testing.T) {
			f := pdftest.New()
			f.Page(f.Stream(tc.entries, []byte(tc.data)), "", "")
			if got := read(t, f.Bytes()).Pages[0].Text; got != "packed" {
				t.Errorf("text = %q, want packed", got)
			}
		})
	}
}

// lzw packs text by clearing the table after every few codes, so that each keeps nine bits.
func lzw(text string) string {
	var out []byte
	bits, have := 0, 0
	put := func(code int) {
		bits, have = bits<<9|code, have+9
		for have >= 8 {
			have -= 8
			out = append(out, byte(bits>>have))
			bits &= 1<<have - 1
		}
	}
	put(256)

	for i := range len(text) {
		put(int(text[i]))
	}
	put(257)

	return string(append(out, byte(bits<<(8-have))))
}

func ascii85(text string) string {
	var out strings.Builder

	for len(text) > 0 {
		n := min(4, len(text))
		word := [4]byte{}
		copy(word[:], text[:n])
		v := uint32(word[0])<<24 | uint32(word[1])<<16 | uint32(word[2])<<8 | uint32(word[3])

		var group [5]byte
		for i := 4; i >= 0; i-- {
			group[i], v = byte(v%85)+'!', v/85
		}
		out.Write(group[:n+1])
		text = text[n:]
	}

	return out.String() + "~>"
}

func TestWhatThePageDoesNotShow(t *testing.T) {
	t.Parallel()
	f := pdftest.New()
	info := f.Add("<</Author(Jane Roe)/Title<FEFF004E0065007500E9>/Producer(made \\215here\\216)/CreationDate(D:20260304)/Weird#20Key(x)/Trapped/Roe>>")
	f.Trailer = fmt.Sprintf("/Info %d 0 R", info)
	xmp := f.Stream("/Type/Metadata/Subtype/XML", []byte(`<?xpacket begin=""?><x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="r"><rdf:Description pdf:Keywords="kw" xmp:ModifyDate="2026"><dc:creator><rdf:li>John Doe</rdf:li></dc:creator></rdf:Description></rdf:RDF></x:xmpmeta>`))
	f.Catalog = fmt.Sprintf("/Metadata %d 0 R/Outlines<</First<</Title(Chapter of Roe)/First<</Title(Section)>>>>>>", xmp)
	note := f.Add("<</Subtype/Text/T(Reviewer)/Contents(ask Roe)>>")
	link := f.Add("<</Subtype/Link/A<</S/URI/URI(https://example.com/roe)>>>>")
	field := f.Add("<</Subtype/Widget/FT/Tx/Parent<</T(name)/V(filled in)>>>>")
	f.Page(f.Stream("", []byte("/Span<</ActualText(really Roe)>>BDC BT /F1 12 Tf (shown) Tj ET EMC")), "",
		fmt.Sprintf("/Annots[%d 0 R %d 0 R %d 0 R]", note, link, field))

	doc := read(t, f.Bytes())
	for name, tc := range map[string]struct{ got, want []string }{
		"page":     {texts(doc), []string{"shown\n\nfilled in"}},
		"comments": {doc.Comments, []string{"ask Roe"}},
		"alts":     {doc.Alts, []string{"really Roe"}},
		"links":    {doc.Links, []string{"https://example.com/roe"}},
		"hidden":   {doc.Hidden, nil},
	} {
		if !slices.Equal(tc.got, tc.want) {
			t.Errorf("%s = %q, want %q", name, tc.got, tc.want)
		}
	}
	want := map[string]int{"authors": 1, "bookmarks": 2, "fonts": 1, "formNames": 1, "properties": 6, "xmp": 1}
	if !maps.Equal(doc.Dropped, want) {
		t.Errorf("dropped %v, want %v", doc.Dropped, want)
	}
	if doc.Attachments {
		t.Error("attachments reported where there are none")
	}
}

func TestAttachments(t *testing.T) {
	t.Parallel()

	for name, catalog := range map[string]string{
		"embedded": "/Names<</EmbeddedFiles<</Names[(a.txt) 3 0 R]>>>>", "associated": "/AF[3 0 R]", "portfolio": "/Collection<<>>",
	} {
		f := pdftest.New()
		f.Catalog = catalog
		f.TextPage("text")
		if !read(t, f.Bytes()).Attachments {
			t.Errorf("%s: not reported", name)
		}
	}
	f := pdftest.New()
	f.Page(f.Stream("", nil), "", "/Annots[<</Subtype/FileAttachment>>]")
	if !read(t, f.Bytes()).Attachments {
		t.Error("attached to a page: not reported")
	}
}

func TestLineNumbersOfPleadingPaper(t *testing.T) {
	t.Parallel()

	var alone, before, short []string
	for i := 1; i <= 28; i++ {
		alone = append(alone, fmt.Sprint(i))
	}
	alone = append(alone, "IN THE DISTRICT COURT", "[Party 1] alleges:", "7")

	content := "BT /F1 12 Tf 14 TL 40 720 Td\n"
	for i := 1; i <= 28; i++ {
		content += fmt.Sprintf("(%d) Tj 100 0 Td (text of line %d) Tj -100 0 Td T*\n", i, i)
		before = append(before, fmt.Sprintf("text of line %d", i))
	}
	short = []string{"1", "2", "3", "of a list"}
	f := pdftest.New()
	f.TextPage(alone...)
	f.Page(f.Stream("", []byte(content+"ET")), "", "")
	f.TextPage(short...)
	got := texts(read(t, f.Bytes()))
	want := []string{"IN THE DISTRICT COURT\n[Party 1] alleges:\n7", strings.Join(before, "\n"), "1\n2\n3\nof a list"}
	if !slices.Equal(got, want) {
		t.Errorf("pages = %q, want %q", got, want)
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	classic := func(trailer string) []byte {
		f := pdftest.New()
		f.Trailer = trailer
		f.TextPage("x")

		return f.Bytes()
	}
	prevLoop := func() []byte {
		data := classic("")
		at := strings.LastIndex(string(data), "\nxref\n") + 1

		return []byte(strings.Replace(string(data), "/Root 1 0 R", fmt.Sprintf("/Root 1 0 R/Prev %d", at), 1))
	}
	pages := func(n int) []byte {
		f := pdftest.New()
		for range n {
			f.TextPage("x")
		}

		return f.Bytes()
	}
	bomb := func(size int) []byte {
		f := pdftest.New()
		f.Page(f.Flate("", []byte(strings.Repeat(" ", size))), "", "")

		return f.Bytes()
	}

	formLoop := func() []byte {
		f := pdftest.New()
		n := f.Stream("/Subtype/Form/Resources<</XObject<</X 3 0 R>>>>", []byte("/X Do /X Do"))
		f.Page(f.Stream("", []byte("/X Do")), fmt.Sprintf("/XObject<</X %d 0 R>>", n), "")

		return f.Bytes()
	}
	for name, tc := range map[string]struct {
		data []byte
		want error
	}{
		"empty":                     {nil, pdf.ErrDamaged},
		"no header":                 {[]byte("hello"), pdf.ErrDamaged},
		"no table":                  {[]byte("%PDF-1.4\nhello"), pdf.ErrDamaged},
		"cut off":                   {classic("")[:200], pdf.ErrDamaged},
		"encrypted":                 {classic("/Encrypt<</Filter/Standard/V 2>>"), pdf.ErrEncrypted},
		"tables in a circle":        {prevLoop(), pdf.ErrDamaged},
		"no catalog":                {[]byte(strings.Replace(string(classic("")), "/Root 1", "/Root 9", 1)), pdf.ErrDamaged},
		"no pages":                  {pdftest.New().Bytes(), pdf.ErrDamaged},
		"too many pages":            {pages(51), pdf.ErrPages},
		"bomb":                      {bomb(5 << 20), pdf.ErrTooMuch},
		"form draws itself":         {formLoop(), pdf.ErrDamaged},
		"huge table":                {[]byte("%PDF-1.4\nxref\n0 99999999999\ntrailer<<>>\nstartxref\n9\n%%EOF"), pdf.ErrDamaged},
		"huge row":                  {[]byte("%PDF-1.5\n1 0 obj<</Type/XRef/Size 9/W[1 2 1]/Length 8/Filter/FlateDecode/DecodeParms<</Predictor 12/Columns 80000000000000>>>>stream\nx\x9c\x03\x00\x00\x00\x00\x01\nendstream\nstartxref\n9\n%%EOF"), pdf.ErrDamaged},
		"unknown filter":            {onePageFiltered("/JBIG2Decode", "x"), pdf.ErrDamaged},
		"broken checksum":           {onePageFiltered("/FlateDecode", string(pdftest.Zlib([]byte("BT ET")))[:9]+"zzzz"), pdf.ErrDamaged},
		"page is its own parent":    {[]byte(strings.Replace(string(pages(1)), "/Kids[4 0 R ]", "/Kids[2 0 R ]", 1)), pdf.ErrDamaged},
		"nested arrays":             {onePage(strings.Repeat("[", 100000), ""), pdf.ErrDamaged},
		"nested dictionaries":       {onePage(strings.Repeat("<</a", 100000), ""), pdf.ErrDamaged},
		"length refers to itself":   {[]byte(strings.Replace(string(onePage("BT ET", "")), "/Length 5", "/Length 3 0 R", 1)), pdf.ErrDamaged},
		"string without end":        {onePage("(abc", ""), pdf.ErrDamaged},
		"objects without number":    {onePage(strings.Repeat("1 ", 2<<20), ""), pdf.ErrTooMuch},
		"too many lines":            {onePage("BT /F1 12 Tf 14 TL "+strings.Repeat("(x)'", 20_000)+"ET", ""), pdf.ErrTooMuch},
		"too much text":             {onePage("BT "+strings.Repeat("("+strings.Repeat("x", 1000)+")Tj ", 1500)+"ET", ""), pdf.ErrTooMuch},
		"attack on the text matrix": {onePage("BT /F1 1e308 Tf 1e308 0 0 1e308 1e308 0 Tm (a) Tj (b) Tj ET", ""), nil},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := pdf.Read(t.Context(), tc.data, limits())
			if !errors.Is(err, tc.want) {
				t.Errorf("Read = %v, want %v", err, tc.want)
			}
		})
	}
}

// Bytes before the header are dropped and counted, whether the offsets of the file count them or not.
func TestBytesBeforeTheHeader(t *testing.T) {
	t.Parallel()

	for name, junk := range map[string]string{
		"a job of printing": "\x1b%-12345X@PJL JOB\r\n@PJL ENTER LANGUAGE = PDF\r\n",
		"words":             "Maria Smith\n",
		"signs":             ") > ]] endobj (",
		"nearly too many":   strings.Repeat("x", 1019),
	} {
		for _, absolute := range []bool{false, true} {
			data := textPage()
			want := words(t, data)
			if absolute {
				data = shifted(data, len(junk))
			}
			data = append([]byte(junk), data...)

			if got := words(t, data); got != want+", surplusBytes 1" {
				t.Errorf("%s, offsets from the beginning %v: read %q, want %q", name, absolute, got, want)
			}
		}
	}
	if _, err := pdf.Read(t.Context(), append(make([]byte, 1020), textPage()...), limits()); err == nil {
		t.Error("a header behind the first 1,024 bytes is taken")
	}
}

// words returns what the first page of a file says, and the bytes that were dropped.
func words(t *testing.T, data []byte) string {
	t.Helper()
	doc, err := pdf.Read(t.Context(), data, limits())
	if err != nil {
		t.Fatal(err)
	}
	if n := doc.Dropped["surplusBytes"]; n > 0 {
		return fmt.Sprintf("%s, surplusBytes %d", doc.Pages[0].Text, n)
	}

	return doc.Pages[0].Text
}

func textPage() []byte {
	f := pdftest.New()
	f.TextPage("The tenant pays.")

	return f.Bytes()
}

// shifted returns a file whose offsets are greater by n.
func shifted(data []byte, n int) []byte {
	row := regexp.MustCompile(`(?m)^(\d{10}) 00000 n|startxref\n(\d+)`)

	return row.ReplaceAllFunc(data, func(found []byte) []byte {
		if at, ok := bytes.CutPrefix(found, []byte("startxref\n")); ok {
			offset, _ := strconv.Atoi(string(at))
			return fmt.Appendf(nil, "startxref\n%d", offset+n)
		}
		offset, _ := strconv.Atoi(string(found[:10]))

		return fmt.Appendf(nil, "%010d 00000 n", offset+n)
	})
}

func onePageFiltered(filter, data string) []byte {
	f := pdftest.New()
	f.Page(f.Stream("/Filter"+filter, []byte(data)), "", "")

	return f.Bytes()
}

func TestReadStopsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()

	f := pdftest.New()
	for range 40 {
		f.TextPage(strings.Repeat("words and more words ", 200))
	}
	if _, err := pdf.Read(ctx, f.Bytes(), limits()); !errors.Is(err, context.Canceled) {
		t.Errorf("Read = %v, want %v", err, context.Canceled)
	}
}

// TestAgainstAnotherReader compares words with those that the library finds which this package stands in for. Blanks differ:
// the library leaves them to the page.
func TestAgainstAnotherReader(t *testing.T) {
	t.Parallel()

	f := pdftest.New()
	for i := range 5 {
		f.TextPage(fmt.Sprintf("Page %d: [Party 1] shall pay $5,000 (five thousand) to [Party 2].", i), `Notice \ under § 5 – “at once”.`)
	}
	data := f.Bytes()
	r, err := lib.NewReader(strings.NewReader(string(data)), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := r.GetPlainText()
	if err != nil {
		t.Fatal(err)
	}
	theirs, err := io.ReadAll(plain)
	if err != nil {
		t.Fatal(err)
	}
	squeeze := func(s string) string { return strings.Join(strings.Fields(s), "") }
	if got, want := squeeze(strings.Join(texts(read(t, data)), "")), squeeze(string(theirs)); got != want {
		t.Errorf("text = %q, the library finds %q", got, want)
	}
}

// TestMutatedFiles wants every broken file to end in a text or an error of the package.
func TestMutatedFiles(t *testing.T) {
	t.Parallel()

	rng := rand.New(rand.NewPCG(1, 2))
	for _, packed := range []bool{false, true} {
		f := pdftest.New()

		f.Packed = packed
		for range 3 {
			f.TextPage("The quick brown fox of [Party 1] signed the lease.", "And then some.")
		}

		whole := f.Bytes()
		for range 1500 {
			_, err := pdf.Read(t.Context(), mutate(rng, whole), limits())
			if err != nil && !errors.Is(err, pdf.ErrDamaged) && !errors.Is(err, pdf.ErrEncrypted) && !errors.Is(err, pdf.ErrTooMuch) && !errors.Is(err, pdf.ErrPages) {
				t.Fatalf("Read = %v", err)
			}
			if err != nil && strings.Contains(err.Error(), "unexpected structure") {
				t.Fatalf("the parser ran into a run-time error: %v", err)
			}
		}
	}
}

// mutate breaks a file in a few places.
func mutate(rng *rand.Rand, whole []byte) []byte {
	data := slices.Clone(whole)
	for range 1 + rng.IntN(8) {
		i := rng.IntN(len(data) - 64)
		switch rng.IntN(4) {
		case 0:
			data[i] = byte(rng.Uint32())
		case 1:
			data = slices.Delete(data, i, i+rng.IntN(32))
		case 2:
			copy(data[i:], data[rng.IntN(len(data)-64):][:rng.IntN(64)])
		case 3:
			data = slices.Insert(data, i, []byte(" 9 0 R <<[(")[rng.IntN(11):]...)
		}
		if len(data) < 256 {
			break
		}
	}

	return data
}

func FuzzRead(f *testing.F) {
	for _, packed := range []bool{false, true} {
		file := pdftest.New()
		file.Packed = packed
		file.TextPage("seed of [Party 1]")
		f.Add(file.Bytes())
	}
	f.Add(onePage("BT /F1 12 Tf [(N) 20 (o)] TJ 1 2 (x) \" ET BI ID x EI q Q /X Do", ""))
	f.Fuzz(func(t *testing.T, data []byte) {
		doc, err := pdf.Read(t.Context(), data, pdf.Limits{Pages: 20, Inflated: 4 << 20, Text: 1 << 20, Cells: 1 << 18, Nesting: 32})
		if err == nil && len(doc.Pages) == 0 {
			t.Error("no error and no page")
		}
		if err != nil && strings.Contains(err.Error(), "unexpected structure") {
			t.Errorf("the parser ran into a run-time error: %v", err)
		}
	})
}

// FuzzContent feeds the operators of a page, which FuzzRead seldom gets right.
func FuzzContent(f *testing.F) {
	for _, seed := range []string{
		"BT /F1 12 Tf [(N) 20 (o)] TJ 1 2 (x) \" ET", "BI /W 1 ID x EI q 1 0 0 1 2 3 cm Q", "/Span<</ActualText(x)>>BDC EMC /X Do /G gs",
		"BT 12 0 0 12 72 700 Tm <4e6f> ' T* 3 Tr 5 Tz (a\\051) Tj ET",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, content string) {
		_, err := pdf.Read(t.Context(), onePage(content, ""), pdf.Limits{Pages: 20, Inflated: 4 << 20, Text: 1 << 20, Cells: 1 << 18, Nesting: 32})
		if err != nil && strings.Contains(err.Error(), "unexpected structure") {
			t.Errorf("the parser ran into a run-time error: %v", err)
		}
	})
}
