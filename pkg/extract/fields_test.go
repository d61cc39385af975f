package extract_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/extract"
	"github.com/subrosa-legal/subrosa/pkg/extract/internal/docxtest"
)

// code returns a field without a result, which is how Word keeps the fields that it counts.
func code(instructions string) string {
	return mark("begin") + `<w:r><w:instrText xml:space="preserve"> ` + instructions + ` </w:instrText></w:r>` +
		mark("end")
}

// codeShowing returns a field with the result that a program computed.
func codeShowing(instructions, result string) string {
	return mark("begin") + `<w:r><w:instrText>` + instructions + `</w:instrText></w:r>` + mark("separate") +
		docxtest.R(result) + mark("end")
}

func mark(kind string) string { return `<w:r><w:fldChar w:fldCharType="` + kind + `"/></w:r>` }

// lines returns a paragraph for each line. A field stands in braces, with its result behind a bar; the level of a
// heading stands before a line as #, the place in a list as in items.
func fieldLines(lines ...string) string {
	var b strings.Builder

	for _, line := range lines {
		properties := ""
		level := len(line) - len(strings.TrimLeft(line, "#"))
		if line = line[level:]; level > 0 {
			properties = `<w:outlineLvl w:val="` + string(rune('0'+level-1)) + `"/>`
		}
		if place, text, ok := strings.Cut(line, "~"); ok {
			number, at, _ := strings.Cut(place, ".")
			properties = `<w:numPr><w:ilvl w:val="` + at + `"/><w:numId w:val="` + number + `"/></w:numPr>`
			line = text
		}
		b.WriteString("<w:p><w:pPr>" + properties + "</w:pPr>")

		for line != "" {
			before, rest, found := strings.Cut(line, "{")
			if before != "" {
				b.WriteString(docxtest.R(before))
			}
			if !found {
				break
			}
			inner, after, _ := strings.Cut(rest, "}")
			if instructions, result, held := strings.Cut(inner, "|"); held {
				b.WriteString(codeShowing(instructions, result))
			} else {
				b.WriteString(code(inner))
			}
			line = after
		}
		b.WriteString("</w:p>")
	}

	return b.String()
}

const fieldLists = `<w:abstractNum w:abstractNumId="0"><w:name w:val="Terms"/>` +
	`<w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl>` +
	`<w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="(%2)"/></w:lvl>` +
	`<w:lvl w:ilvl="2"><w:start w:val="1"/><w:numFmt w:val="lowerRoman"/><w:lvlText w:val="(%3)"/></w:lvl>` +
	`</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>`

// Numbers that Word counts by fields are those that its reader sees, in the Markdown as in the Word file.
func TestNumbersOfFields(t *testing.T) {
	t.Parallel()

	for name, tc := range map[string]struct{ body, want string }{
		"paragraphs": {
			fieldLines("{AUTONUM} a", "between", "{AUTONUM  \\* Arabic \\s :} b",
				"{AUTONUM \\* alphabetic \\s \" \"}c", "{AUTONUM \\* ROMAN} d",
				"{AUTONUM \\* OrdText}e"),
			"1. a|between|2: b|c c|IV. d|fifth.e",
		},
		"a simple field": {`<w:p><w:fldSimple w:instr="AUTONUM"/>` + docxtest.R(" a") + `</w:p>` +
			fieldLines("{AUTONUM} b"), "1. a|2. b"},
		"headings and what follows": {fieldLines("#{AUTONUM} a", "{AUTONUM} b", "{AUTONUM} c", "##{AUTONUM} d",
			"{AUTONUM} e", "#{AUTONUM} f", "##{AUTONUM} g"), "1. a|1. b|2. c|1. d|1. e|2. f|1. g"},
		"legal": {
			fieldLines("#{AUTONUMLGL} a", "##{AUTONUMLGL} b", "##{AUTONUMLGL \\e} c", "{AUTONUMLGL \\e} d",
				"{AUTONUMLGL} e", "#{AUTONUMLGL \\s -} f"),
			"1. a|1.1. b|1.2 c|1.2.1 d|1.2.2. e|2- f",
		},
		"legal without headings": {fieldLines("{AUTONUMLGL} a", "{AUTONUMLGL \\e}  b"), "1. a|2  b"},
		"outline": {fieldLines("#{AUTONUMOUT} a", "##{AUTONUMOUT} b", "##{AUTONUMOUT} c",
			"###{AUTONUMOUT} d", "####{AUTONUMOUT} e", "#{AUTONUMOUT} f"), "I. a|A. b|B. c|1. d|a) e|II. f"},
		"a level that is left out": {
			fieldLines("#{AUTONUMLGL} a", "###{AUTONUMLGL} b"), "1. a|[number, not read]|b",
		},
		"a form that is not known": {fieldLines("{AUTONUM \\* DBNUM1} a"), "[number, not read]|a"},
		"within words": {
			fieldLines("He shall {LISTNUM NumberDefault \\l 6} pay, {LISTNUM} heat and {LISTNUM NumberDefault \\l 6} go."),
			"He shall (i) pay, (ii) heat and (iii) go.",
		},
		"lists of Word": {
			fieldLines("{LISTNUM}a", "{LISTNUM NumberDefault \\l 2}b", "{LISTNUM \"LegalDefault\" \\l 1}c",
				"{LISTNUM LegalDefault \\l 2 \\s 4}d",
				"{LISTNUM legaldefault \\l 3}e", "{LISTNUM OutlineDefault}f", "{LISTNUM OutlineDefault \\l 3}g",
				"{LISTNUM NumberDefault}h"),
			"1)a|a)b|1.c|1.4.d|1.4.1.e|I.f|1.g|2)h",
		},
		"two at once": {fieldLines("{LISTNUM OutlineDefault}{LISTNUM OutlineDefault} a",
			"{LISTNUM OutlineDefault} b"), "I.A. a|II. b"},
		"a named list": {fieldLines("1.0~a", "so {LISTNUM Terms \\l 2} b, {LISTNUM Terms} c", "1.0~d",
			"{LISTNUM Terms \\l 2} e"), "1. a|so (a) b, (b) c|2. d|(a) e"},
		"below its paragraph": {
			fieldLines("1.0~{LISTNUM} a and {LISTNUM} b", "1.1~c and {LISTNUM} d"),
			"1. (a) a and (b) b|(c) c and (i) d",
		},
		"no such list": {fieldLines("{LISTNUM \"Of Old\"} a"), "1) a"},
		"captions": {
			fieldLines("Figure {SEQ Figure \\* ARABIC} a", "Table {SEQ Table \\* roman} b",
				"Figure {SEQ Figure \\* ARABIC|2} c", "Figure {SEQ figure} d",
				"again {SEQ Figure \\c}", "Figure {SEQ Figure \\r 7} e",
				"{SEQ Figure \\h}Figure {SEQ Figure \\# \"00\"} f"),
			"Figure 1 a|Table i b|Figure 2 c|Figure 3 d|again 3|Figure 7 e|Figure 09 f",
		},
		"a held number goes on": {
			fieldLines("Figure {SEQ Figure|5} a", "Figure {SEQ Figure} b"),
			"Figure 5 a|Figure 6 b",
		},
		"anew below headings": {fieldLines("#a", "{SEQ x \\s 1}. b", "{SEQ x \\s 1}. c", "##d",
			"{SEQ x \\s 1}. e", "#f", "{SEQ x \\s 1}. g"), "a|1. b|2. c|d|3. e|f|1. g"},
		"the number of a bookmark": {fieldLines("See {SEQ Figure lease} above."), "See [number, not read]  above."},
		"deleted": {`<w:p><w:del>` + code("AUTONUM") + `</w:del>` + docxtest.R("a") + `</w:p>` +
			fieldLines("{AUTONUM} b"), "a|1. b"},
		"an instruction of another": {`<w:p>` + mark("begin") + `<w:r><w:instrText>= </w:instrText></w:r>` +
			code("SEQ x") + `<w:r><w:instrText> + 1</w:instrText></w:r>` +
			mark("separate") + docxtest.R("2") + mark("end") + docxtest.R(" a ") + code("SEQ x") + `</w:p>`, "2 a 2"},
		"other fields": {fieldLines("{PAGE}{REF x}{TC \"a\"}a"), "a"},
		"in a cell": {"<w:tbl><w:tr><w:tc>" + fieldLines("{AUTONUM}") + "</w:tc><w:tc>" +
			fieldLines("{LISTNUM}a") + "</w:tc></w:tr></w:tbl>", "| 1. | 1)a |||---|---|"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc := read(t, extract.DOCX, listing{lists: fieldLists, body: tc.body}.file())
			whole(t, doc)
			md, _, _ := strings.Cut(string(markdown(t, doc).Bytes), "\n\n## Tracked")
			if got := seen(md); got != tc.want {
				t.Errorf("Markdown: %s\nwant %s", got, tc.want)
			}
			again := read(t, extract.DOCX, word(t, doc).Bytes)
			if got := unspaced(strings.ReplaceAll(again.Text, "[number, not read]", "")); got != unspaced(doc.Text) {
				t.Errorf("the Word file says %q, want %q", again.Text, doc.Text)
			}
			told := slices.ContainsFunc(doc.Unread,
				func(u extract.Unread) bool { return u.What == extract.UnreadNumber })
			if want := strings.Contains(tc.want, "not read"); told != want {
				t.Errorf("unread %+v", doc.Unread)
			}
		})
	}
}

// The number of a paragraph is structure and is not judged. One that a file chose, that has words or that stands among
// words is.
func TestNumbersOfFieldsAreJudged(t *testing.T) {
	t.Parallel()

	for name, tc := range map[string]struct{ body, want string }{
		"number of a paragraph": {fieldLines("{AUTONUMOUT} Rose bushes"), "   Rose bushes"},
		"outline":               {fieldLines("{LISTNUM OutlineDefault \\l 2} Rose bushes"), "   Rose bushes"},
		"chosen":                {fieldLines("{LISTNUM NumberDefault \\s 5550199} a"), "5550199) a"},
		"chosen in a sequence":  {fieldLines("{SEQ x \\r 5550199} a"), "5550199 a"},
		"behind another":        {fieldLines("{AUTONUM}{AUTONUM} a"), "  2. a"},
		"among words":           {fieldLines("the ({SEQ x}) a"), "the (1) a"},
		"separator with words":  {fieldLines("{AUTONUM \\s \"Marguerite Zorbanek\"} a"), "1M a"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc := read(t, extract.DOCX, docxtest.New(tc.body).Bytes())
			if got := doc.Parts[0].Judged(); got != tc.want {
				t.Errorf("judged %q, want %q", got, tc.want)
			}
		})
	}
}
