package extract_test

import (
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/extract"
	"github.com/subrosa-legal/subrosa/pkg/extract/internal/docxtest"
	"github.com/subrosa-legal/subrosa/pkg/extract/internal/pdftest"
)

// styled returns a paragraph with properties.
func styled(properties, text string) string {
	return "<w:p><w:pPr>" + properties + "</w:pPr>" + docxtest.R(text) + "</w:p>"
}

// listed returns an item of a list.
func listed(list, level, text string) string {
	return styled(`<w:numPr><w:ilvl w:val="`+level+`"/><w:numId w:val="`+list+`"/></w:numPr>`, text)
}

const wordStyles = `<w:styles *><w:style w:styleId="H1"><w:name w:val="heading 1"/></w:style>` +
	`<w:style w:styleId="Mine"><w:basedOn w:val="H1"/></w:style><w:style w:styleId="Para"><w:pPr>` +
	`<w:outlineLvl w:val="1"/></w:pPr></w:style></w:styles>`

const wordLists = `<w:numbering *><w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:start w:val="1"/>` +
	`<w:numFmt w:val="decimal"/>` +
	`<w:lvlText w:val="%1."/></w:lvl><w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="lowerLetter"/>` +
	`<w:lvlText w:val="(%2)"/></w:lvl>` +
	`</w:abstractNum><w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/>` +
	`<w:lvlText w:val="o"/></w:lvl></w:abstractNum>` +
	`<w:abstractNum w:abstractNumId="2"><w:lvl w:ilvl="0"><w:start w:val="4"/><w:numFmt w:val="upperRoman"/>` +
	`<w:lvlText w:val="ARTICLE %1"/></w:lvl>` +
	`</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num><w:num w:numId="2">` +
	`<w:abstractNumId w:val="1"/></w:num>` +
	`<w:num w:numId="3"><w:abstractNumId w:val="2"/></w:num><w:num w:numId="4"><w:abstractNumId w:val="0"/>` +
	`<w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/></w:lvlOverride></w:num></w:numbering>`

// wordFile is a Word file with every kind of block.
func wordFile() []byte {
	picture := `<w:r><w:drawing><wp:inline><wp:extent cx="914400" cy="914400"/><a:blip/></wp:inline></w:drawing></w:r>`
	cell := func(text string) string { return "<w:tc>" + docxtest.P(text) + "</w:tc>" }

	return docxtest.New(styled(`<w:pStyle w:val="Mine"/>`, "LEASE")+
		"<w:p>"+docxtest.R("The tenant pays the rent")+
		`<w:r><w:footnoteReference w:id="7"/></w:r>`+docxtest.R(" to [Party 1].")+"</w:p>"+
		styled(`<w:pStyle w:val="Para"/>`, "Duties")+
		listed(
			"1",
			"0",
			"Pay the rent.",
		)+listed("1", "0", "Keep the roof:")+listed("1", "1", "in repair;")+listed("1", "1", "and dry.")+
		docxtest.P("Between.")+
		listed("4", "0", "Begin anew.")+listed("2", "0", "A point.")+listed("2", "0", "Another.")+
		"<w:tbl><w:tr>"+cell("Item")+cell("Sum | cost")+"</w:tr><w:tr>"+cell("Rent")+cell("$1")+"</w:tr></w:tbl>"+
		listed("3", "0", "Ending")+"<w:p>"+picture+"</w:p>"+docxtest.P("Signed.")).
		Link("styles", "word/styles.xml", wordStyles).Link("numbering", "word/numbering.xml", wordLists).
		Link(
			"footnotes",
			"word/footnotes.xml",
			`<w:footnotes *><w:footnote w:id="7">`+docxtest.P(
				"In advance.",
			)+docxtest.P(
				"Always.",
			)+`</w:footnote></w:footnotes>`,
		).
		Link("header", "word/header1.xml", "<w:hdr *>"+docxtest.P("Draft")+"</w:hdr>").
		Link("comments", "word/comments.xml", "<w:comments *><w:comment>"+docxtest.P("Check.")+"</w:comment>"+
			"</w:comments>").
		Part("word/media/image1.png", "x").Bytes()
}

const wordMarkdown = `# LEASE

The tenant pays the rent[^n.1] to [Party 1].

## Duties

1. Pay the rent.
2. Keep the roof:
   (a) in repair;
   (b) and dry.

Between.

1. Begin anew.
- A point.
- Another.

| Item | Sum \| cost |
|---|---|
| Rent | $1 |

ARTICLE IV Ending

[picture, not read]

Signed.

[^n.1]: In advance.
    Always.

Draft

## Words of numbers

ARTICLE IV

## Comments

Check.`

func TestStructureOfAWordFile(t *testing.T) {
	t.Parallel()
	doc := read(t, extract.DOCX, wordFile())
	if got := string(markdown(t, doc).Bytes); got != wordMarkdown {
		t.Errorf("Markdown:\n%s", got)
	}
	if doc.Text != "LEASE\n\nThe tenant pays the rent to [Party 1].\n\nDuties\n\nPay the rent.\n\nKeep the "+
		"roof:\n\nin repair;\n\nand dry.\n\nBetween.\n\n"+
		"Begin anew.\n\nA point.\n\nAnother.\n\nItem\tSum | cost\nRent\t$1\n\nEnding\n\nSigned.\n\nIn "+
		"advance.\n\nAlways.\n\nDraft" {
		t.Errorf("text %q", doc.Text)
	}
}

// A new Word file, read again, has the headings, lists, tables and notes of the old one.
func TestStructureSurvivesTheWordFile(t *testing.T) {
	t.Parallel()
	first := word(t, read(t, extract.DOCX, wordFile()))
	again := read(t, extract.DOCX, first.Bytes)
	got := string(markdown(t, again).Bytes)
	upTo := strings.Index(wordMarkdown, "ARTICLE IV")
	if !strings.HasPrefix(got, wordMarkdown[:upTo]) || !strings.Contains(got, "[^n.1]: In advance.\n    Always.") ||
		again.Status != extract.OK {
		t.Errorf("read again:\n%s", got)
	}

	for _, words := range []string{"ARTICLE IV Ending", "[picture, not read]", "Signed.", "Draft", "Check."} {
		if !strings.Contains(got, words) {
			t.Errorf("%s is missing:\n%s", words, got)
		}
	}
	second := word(t, read(t, extract.DOCX, wordFile()))
	if string(second.Bytes) != string(first.Bytes) {
		t.Error("the same document gives other bytes")
	}
}

func TestStructureOfAPage(t *testing.T) {
	t.Parallel()
	page := `<h1>Lease</h1><p>Text.</p><ul><li>one<ol type=a><li>inner<li>more</ol></li><li>two</ul>` +
		`<blockquote>Quoted<br>words</blockquote>` +
		"<pre>a\n  b</pre>" + `<table><tr><th>Item<th>Sum</tr><tr><td>Rent<td>$1</table><p>Seen <img src=x> here.</p>`
	want := "# Lease\n\nText.\n\n- one\n   a. inner\n   b. more\n- two\n\n> Quoted\n> words\n\na\nb\n\n| " +
		"Item | Sum |\n|---|---|\n| Rent | $1 |\n\nSeen [picture, not read] here."
	if got := string(markdown(t, read(t, extract.HTML, []byte(page))).Bytes); got != want {
		t.Errorf("Markdown:\n%s\nwant\n%s", got, want)
	}
}

// Lists of a page count as a browser has them count.
func TestLabelsOfAPage(t *testing.T) {
	t.Parallel()

	for page, want := range map[string]string{
		"<ol><li>a<li>b</ol>":                                           "1. a\n2. b",
		"<ol start=5><li>a<li value=9>b<li>c</ol>":                      "5. a\n9. b\n10. c",
		"<ol reversed><li>a<li>b<li>c</ol>":                             "3. a\n2. b\n1. c",
		"<ol reversed start=9><li>a<li>b</ol>":                          "9. a\n8. b",
		`<ol type=a start=26><li>a<li>b</ol>`:                           "z. a\naa. b",
		`<ol style="list-style-type: upper-roman"><li>a<li>b</ol>`:      "I. a\nII. b",
		`<ol><li>a<li style="list-style-type:lower-alpha">b</ol>`:       "1. a\nb. b",
		`<ul style="list-style: none"><li>a<li>b</ul>`:                  "a\nb",
		"<ol><li>a<ol><li>b<ul><li>c</ul><li>d</ol><li>e</ol>":          "1. a\n   1. b\n      - c\n   2. d\n2. e",
		"<ol><li><h2>a</h2><p>b</p><li><blockquote>c</blockquote></ol>": "1. a\n   b\n2. c",
		"<blockquote>a<ol><li>b</ol>c</blockquote>":                     "> a\n\n1. b\n\nc",
	} {
		if got := string(markdown(t, read(t, extract.HTML, []byte(page))).Bytes); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", page, got, want)
		}
	}
}

func TestStructureOfAPDF(t *testing.T) {
	t.Parallel()
	f := pdftest.New()
	f.Page(f.Stream("", []byte("BT /F1 18 Tf 72 740 Td (ORDER) Tj ET "+pdftest.Lines(prose)+
		"BT /F1 12 Tf 72 640 Td (Expense) Tj 300 0 Td (Sum) Tj -300 -14 Td (Monthly rent) Tj 300 0 Td ($1) "+
		"Tj ET")), "", "")
	f.TextPage("So ordered.")
	want := "# ORDER\n\n" + strings.TrimSpace(
		prose,
	) + "\n\n| Expense | Sum |\n|---|---|\n| Monthly rent | $1 |\n\n[page 2]\n\nSo ordered."
	if got := string(markdown(t, read(t, extract.PDF, f.Bytes())).Bytes); got != want {
		t.Errorf("Markdown:\n%s\nwant\n%s", got, want)
	}
}
