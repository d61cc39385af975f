package extract_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/extract"
	"github.com/subrosa-legal/subrosa/pkg/extract/internal/odttest"
)

// The styles that the texts below use.
const (
	odtLists = `<text:list-style style:name="L"><text:list-level-style-number text:level="1" style:num-suffix="." style:num-format="1"/>` +
		`<text:list-level-style-number text:level="2" style:num-prefix="(" style:num-suffix=")" style:num-format="a" text:start-value="3"/>` +
		`<text:list-level-style-number text:level="3" style:num-format="i" text:display-levels="3"/></text:list-style>` +
		`<text:list-style style:name="B"><text:list-level-style-bullet text:level="1" text:bullet-char="–"/></text:list-style>`
	odtOutline = `<text:outline-style style:name="Outline">` +
		`<text:outline-level-style text:level="1" style:num-prefix="Article " style:num-format="I"/>` +
		`<text:outline-level-style text:level="2" style:num-format="1" text:display-levels="2"/></text:outline-style>`
	odtPage = `<style:style style:name="New" style:family="paragraph"><style:paragraph-properties fo:break-before="page"/></style:style>`
)

func odtItem(text string, more ...string) string {
	return "<text:list-item>" + odttest.P(text) + strings.Join(more, "") + "</text:list-item>"
}

func odtList(attributes string, items ...string) string {
	return "<text:list " + attributes + ">" + strings.Join(items, "") + "</text:list>"
}

func odtRow(cells ...string) string {
	return "<table:table-row>" + strings.Join(cells, "") + "</table:table-row>"
}

func odtCell(attributes string, paragraphs ...string) string {
	out := "<table:table-cell " + attributes + ">"
	for _, p := range paragraphs {
		out += odttest.P(p)
	}

	return out + "</table:table-cell>"
}

// An OpenDocument text says in Markdown what its reader sees, and so does the Word file that is made of it.
func TestOpenDocumentText(t *testing.T) {
	t.Parallel()

	for name, tc := range map[string]struct{ automatic, styles, master, body, want string }{
		"blanks": {body: odttest.P("\n  a \n b<text:s text:c=\"2\"/>c<text:tab/>d<text:line-break/>e "), want: "a b  c\td\ne"},
		"headings": {
			styles: odtOutline,
			body: `<text:h text:outline-level="1">One</text:h><text:h text:outline-level="2">Two</text:h>` +
				`<text:h text:outline-level="2" text:is-list-header="true">Free</text:h><text:h text:outline-level="2">Three</text:h>` +
				`<text:h text:outline-level="1">Four</text:h><text:h text:outline-level="2">Five</text:h>`,
			want: "# Article I One\n\n## I.1 Two\n\n## Free\n\n## I.2 Three\n\n# Article II Four\n\n## II.1 Five\n\n" +
				"## Words of numbers\n\nArticle I\nArticle II",
		},
		"title and quotation": {
			styles: `<style:style style:name="Title" style:family="paragraph"/><style:style style:name="Quotations" style:family="paragraph"/>`,
			automatic: `<style:style style:name="P1" style:family="paragraph" style:parent-style-name="Title"/>` +
				`<style:style style:name="P2" style:family="paragraph" style:parent-style-name="Quotations"/>`,
			body: `<text:p text:style-name="P1">Lease</text:p><text:p text:style-name="P2">Quoted.</text:p>`,
			want: "# Lease\n\n> Quoted.",
		},
		"lists": {
			automatic: odtLists,
			body: odtList(`text:style-name="L"`, odtItem("a"), odtItem("b", odtList("", odtItem("c"), odtItem("d", odtList("", odtItem("e"))))), odtItem("f", odttest.P("more"))) +
				odttest.P("between") + odtList(`text:style-name="L" text:continue-numbering="true"`, odtItem("g")) +
				odtList(`text:style-name="L"`, odtItem("h")) + odtList(`text:style-name="B"`, odtItem("i")),
			want: "1. a\n2. b\n   (c) c\n   (d) d\n      2.d.i e\n3. f\n\nmore\n\nbetween\n\n4. g\n1. h\n- i",
		},
		"list continued by its name, and its start": {
			automatic: odtLists,
			body: odtList(`xml:id="x" text:style-name="L"`, odtItem("a")) +
				odtList(`text:style-name="B"`, odtItem("b")) +
				odtList(`text:continue-list="x" text:style-name="L"`, odtItem("c"),
					`<text:list-item text:start-value="9">`+odttest.P("d")+"</text:list-item>",
					"<text:list-header>"+odttest.P("no number")+"</text:list-header>", odtItem("e")),
			want: "1. a\n- b\n2. c\n9. d\n\nno number\n\n10. e",
		},
		"numbered paragraphs": {
			automatic: odtLists,
			body: `<text:numbered-paragraph text:list-id="n" text:style-name="L">` + odttest.P("a") + `</text:numbered-paragraph>` +
				`<text:numbered-paragraph text:list-id="n" text:style-name="L" text:level="2">` + odttest.P("b") + `</text:numbered-paragraph>` +
				`<text:numbered-paragraph text:list-id="n" text:style-name="L">` + odttest.P("c") + `</text:numbered-paragraph>`,
			want: "1. a\n   (c) b\n2. c",
		},
		"table": {
			body: "<table:table>" + odtRow(odtCell("", "a"), odtCell("", ""), odtCell("", "c")) +
				odtRow(odtCell(`table:number-columns-spanned="2"`, "d", "e"), "<table:covered-table-cell/>",
					odtCell(`table:number-rows-spanned="2"`, "f")) +
				odtRow(odtCell("", "g"), odtCell("", "h"), "<table:covered-table-cell/>") +
				odtRow(odtCell(`table:number-columns-repeated="2"`, "i"), odtCell("", "j")) + "</table:table>",
			want: "| a | | c |\n|---|---|---|\n| d <br> e | | f |\n| g | h | |\n| i | i | j |",
		},
		"notes": {
			body: odttest.P(`One<text:note text:note-class="footnote"><text:note-body>`+
				odttest.P("first")+odttest.P("more")+`</text:note-body></text:note> and two`+
				`<text:note text:note-class="endnote"><text:note-body>`+odttest.P("last")+`</text:note-body></text:note>.`) + odttest.P("End."),
			want: "One[^n.1] and two[^n.e1].\n\nEnd.\n\n[^n.1]: first\n    more\n\n[^n.e1]: last",
		},
		"frames": {
			body: odttest.P(`Before<draw:frame svg:width="5cm" svg:height="5cm"><draw:text-box>`+odttest.P("boxed")+`</draw:text-box></draw:frame> after`) +
				odttest.P(`a<draw:frame svg:width="5cm" svg:height="50mm"><draw:object xlink:href="./Object 1"/><draw:image xlink:href="x"/></draw:frame>b`) +
				odttest.P(`c<draw:frame svg:width="1mm" svg:height="9cm"><draw:image/></draw:frame>d`),
			want: "Before after\n\nboxed\n\na [picture, not read] b\n\ncd",
		},
		"pages": {
			automatic: odtPage,
			body:      odttest.P("a") + `<text:p text:style-name="New">b<text:soft-page-break/>c</text:p><text:soft-page-break/><text:p text:style-name="New">d</text:p>`,
			want:      "a\n\n[page 2]\n\nb [page 3] c\n\n[page 4]\n\nd",
		},
		"headers": {
			master: `<style:master-page style:name="a"><style:header>` + odttest.P("Head") + odttest.P("Page <text:page-number>3</text:page-number>") + `</style:header>` +
				`<style:footer>` + odttest.P("Foot") + `</style:footer></style:master-page><style:master-page style:name="b"><style:header>` + odttest.P("Head") + `</style:header></style:master-page>`,
			body: odttest.P("a"),
			want: "a\n\nHead\n\nFoot",
		},
		"dark ground": {
			automatic: `<style:style style:name="C" style:family="table-cell"><style:table-cell-properties fo:background-color="#000000"/></style:style>` +
				`<style:style style:name="W" style:family="text"><style:text-properties fo:color="#ffffff"/></style:style>`,
			body: "<table:table>" + odtRow(`<table:table-cell table:style-name="C">`+
				odttest.P(`<text:span text:style-name="W">seen</text:span>`)+"</table:table-cell>") + "</table:table>",
			want: "| seen |\n|---|",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := odttest.New(tc.body)
			file.Automatic, file.Styles, file.Master = tc.automatic, tc.styles, tc.master
			doc := read(t, extract.ODT, file.Bytes())
			whole(t, doc)
			if got := string(markdown(t, doc).Bytes); got != tc.want {
				t.Errorf("the Markdown says\n%s\nwant\n%s", got, tc.want)
			}
			flat := read(t, extract.ODT, file.Flat())
			whole(t, flat)
			if got := string(markdown(t, flat).Bytes); got != tc.want {
				t.Errorf("the Markdown of the flat file says\n%s\nwant\n%s", got, tc.want)
			}
			again := read(t, extract.DOCX, word(t, doc).Bytes)
			if unspaced(strings.ReplaceAll(again.Text, "[picture, not read]", "")) != unspaced(doc.Text) {
				t.Errorf("the Word file says\n%s\nwant\n%s", again.Text, doc.Text)
			}
		})
	}
}

func unspaced(text string) string { return strings.Join(strings.Fields(text), "") }

// What is too large, too deep, encrypted or no text at all is refused.
func TestOpenDocumentBounds(t *testing.T) {
	t.Parallel()
	manifest := `<manifest:file-entry manifest:full-path="content.xml"><manifest:encryption-data/></manifest:file-entry>`
	encrypted := odttest.New(odttest.P(prose))
	encrypted.Manifest = manifest

	for name, tc := range map[string]struct {
		file   *odttest.File
		want   error
		status extract.Status
		reason string
	}{
		"nothing":          {odttest.New(""), extract.ErrEmpty, "", ""},
		"spreadsheet":      {odttest.New("").Part("mimetype", "application/vnd.oasis.opendocument.spreadsheet"), extract.ErrMismatch, "", ""},
		"no words in XML":  {odttest.New("").Part("content.xml", "no XML <"), nil, extract.Damaged, extract.ReasonBroken},
		"entities":         {odttest.New("").Part("content.xml", "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>"), nil, extract.Damaged, extract.ReasonBroken},
		"nested":           {odttest.New(strings.Repeat("<text:section>", 300) + strings.Repeat("</text:section>", 300)), nil, extract.Damaged, extract.ReasonTooDeep},
		"encrypted":        {encrypted, nil, extract.Encrypted, extract.ReasonEncrypted},
		"packed too well":  {odttest.New(odttest.P(strings.Repeat("a", 4<<20))), extract.ErrBomb, "", ""},
		"repeated cells":   {odttest.New("<table:table>" + strings.Repeat(`<table:table-row table:number-rows-repeated="99999">`+odtCell(`table:number-columns-repeated="99999"`, prose)+"</table:table-row>", 30) + "</table:table>"), extract.ErrBomb, "", ""},
		"blanks by number": {odttest.New(odttest.P("a" + strings.Repeat(`<text:s text:c="999999999"/>`, 9) + "b")), nil, extract.OK, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data := tc.file.Bytes()
			doc, err := extract.Extract(
				t.Context(),
				bytes.NewReader(data),
				int64(len(data)),
				extract.ODT,
				extract.DefaultLimits(),
			)
			if !errors.Is(err, tc.want) || doc.Status != tc.status || doc.Reason != tc.reason {
				t.Errorf("%s (%s), %v; want %s (%s), %v", doc.Status, doc.Reason, err, tc.status, tc.reason, tc.want)
			}
		})
	}
}

// Templates and flat files are read as texts are. Flat files of other programs are refused.
func TestOpenDocumentKinds(t *testing.T) {
	t.Parallel()
	text := odttest.New(odttest.P(harmless))
	flat := string(text.Flat())

	for name, tc := range map[string]struct {
		data []byte
		want error
	}{
		"template": {odttest.New(odttest.P(harmless)).Part("mimetype",
			extract.ODT+"-template").Bytes(), nil},
		"flat":                          {[]byte(flat), nil},
		"flat with a mark of its order": {[]byte("\ufeff" + flat), nil},
		"flat template":                 {[]byte(strings.Replace(flat, `text">`, `text-template">`, 1)), nil},
		"flat sheet": {
			[]byte(strings.Replace(flat, `text">`, `spreadsheet">`, 1)),
			extract.ErrMismatch,
		},
		"other XML": {[]byte("<a>" + harmless + "</a>"), extract.ErrMismatch},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc, err := extract.Extract(t.Context(), bytes.NewReader(tc.data), int64(len(tc.data)), extract.ODT,
				extract.DefaultLimits())
			if !errors.Is(err, tc.want) || err == nil && doc.Text != harmless {
				t.Errorf("%q, %v; want %v", doc.Text, err, tc.want)
			}
		})
	}
}

// What is read and what is dropped of a text is the same of a flat one.
func TestFlatHidingPlaces(t *testing.T) {
	t.Parallel()

	for name, p := range openPlaces(readForms(t)["odt"], (*odttest.File).Flat) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p.hold(t, extract.ODT)
		})
	}
}
