package extract_test

import (
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/extract"
	"github.com/subrosa-legal/subrosa/pkg/extract/internal/docxtest"
)

// tc returns a cell of a Word table with its paragraphs; a text in angle brackets is XML.
func tc(columns int, paragraphs ...string) string {
	span := ""
	if columns > 1 {
		span = `<w:tcPr><w:gridSpan w:val="` + strconv.Itoa(columns) + `"/></w:tcPr>`
	}
	var b strings.Builder

	for _, p := range paragraphs {
		if strings.HasPrefix(p, "<") {
			b.WriteString(p)
		} else {
			b.WriteString(docxtest.P(p))
		}
	}

	return "<w:tc>" + span + b.String() + "</w:tc>"
}

func tr(cells ...string) string { return "<w:tr>" + strings.Join(cells, "") + "</w:tr>" }

// cells returns a row of plain cells.
func cells(texts ...string) string {
	row := ""
	for _, text := range texts {
		row += tc(1, text)
	}

	return tr(row)
}

func tbl(rows ...string) string { return "<w:tbl>" + strings.Join(rows, "") + "</w:tbl>" }

// above begins a cell that goes on below, and below is one that goes on with the one above.
const (
	above = `<w:tc><w:tcPr><w:vMerge w:val="restart"/></w:tcPr>`
	below = `<w:tc><w:tcPr><w:vMerge/></w:tcPr><w:p/></w:tc>`
)

const cellLists = `<w:numbering *><w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:start w:val="3"/>` +
	`<w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl></w:abstractNum><w:num w:numId="1">` +
	`<w:abstractNumId w:val="0"/></w:num></w:numbering>`

// tabled is the body of a Word file, or a page where media says so, and what is wanted of it.
type tabled struct{ media, data, want string }

func (d tabled) read(t *testing.T) extract.Document {
	t.Helper()
	if d.media != "" {
		return read(t, d.media, []byte(d.data))
	}

	return read(t, extract.DOCX, docxtest.New(d.data).Link("numbering", "word/numbering.xml", cellLists).Bytes())
}

// grids are tables and the text of each: a line for a row, a bar for the end of each cell. A Markdown line break stands
// where a line of a cell ends.
var grids = map[string]tabled{
	"empty cells": {
		data: tbl(cells("", "2025", "2026"), cells("Rent", "", "$2"), cells("", "", "$3"), cells("Heating", "$4", "")),
		want: "|2025|2026\nRent||$2\n||$3\nHeating|$4|",
	},
	"cells over columns": {
		data: tbl(
			cells("a", "b", "c"), tr(tc(2, "wide"), tc(1, "$1")), tr(tc(1, "x"), tc(2, "rest")), cells("", "", "$2"),
		),
		want: "a|b|c\nwide||$1\nx|rest|\n||$2",
	},
	"cells over rows": {
		data: tbl(
			tr(above+docxtest.P("both")+`</w:tc>`, tc(1, "one"), tc(1, "$1")),
			tr(below, tc(1, "two"), tc(1, "$2")),
		),
		want: "both|one|$1\n|two|$2",
	},
	"columns left out": {
		data: tbl(cells("a", "b", "c"), `<w:tr><w:trPr><w:gridBefore w:val="2"/></w:trPr>`+tc(1, "$1")+`</w:tr>`),
		want: "a|b|c\n||$1",
	},
	"lines in cells": {
		data: tbl(tr(tc(1, "one", "two"), tc(1, `<w:p><w:r><w:t>three</w:t><w:br/><w:t>four</w:t></w:r></w:p>`), tc(1, "$1")),
			cells("five", "six", "$2")),
		want: "one <br> two|three <br> four|$1\nfive|six|$2",
	},
	"lists in cells": {
		data: tbl(tr(tc(1, listed("1", "0", "first"), listed("1", "0", "second")), tc(1, "$1")),
			tr(tc(1, listed("1", "0", "")), tc(1, "$2"))),
		want: "3. first <br> 4. second|$1\n5.|$2",
	},
	"a table in a cell": {
		data: tbl(
			tr(tc(1, "Fees", tbl(cells("a", "b", "c"), cells("", "", "$1")), ""), tc(1, "$2")),
			cells("Rent", "$3"),
		),
		want: "Fees <br> a | b | c <br> | | $1|$2\nRent|$3",
	},
	"a long cell": {
		data: tbl(tr(tc(1, strings.Repeat("word ", 100)), tc(1, "$1")), cells("Rent", "$2")),
		want: strings.TrimSpace(strings.Repeat("word ", 100)) + "|$1\nRent|$2",
	},
	"a tab in a cell": {
		data: tbl(
			tr(tc(1, `<w:p><w:r><w:t>a</w:t><w:tab/><w:t>b</w:t></w:r></w:p>`), tc(1, "$1")),
			cells("Rent", "$2"),
		),
		want: "a b|$1\nRent|$2",
	},
	"a page ends in a table": {
		data: tbl(
			cells("a", "", "b"),
			tr(tc(1, ""), tc(1, `<w:p><w:r><w:br w:type="page"/><w:t>c</w:t></w:r></w:p>`), tc(1, "d")),
		),
		want: "a||b\n|[page 2] c|d",
	},
	"cells of a page": {
		media: extract.HTML,
		data: `<table><thead><tr><th><th>2025<th>2026<tbody><tr><td>Rent<td><td>$2<tr><td><td><td>$3` +
			`<tr><td>Heating<td>$4</table>`,
		want: "|2025|2026\nRent||$2\n||$3\nHeating|$4|",
	},
	"cells of a page over columns and rows": {
		media: extract.HTML,
		data: `<table><tr><td colspan=2>wide<td>a<tr><td rowspan=2>both<td>b<td>$1<tr><td>c<td>$2` +
			`<tr><td rowspan=0 colspan=2>rest<td>$3<tr><td>$4<tbody><tr><td>new<td>d<td>$5</table>`,
		want: "wide||a\nboth|b|$1\n|c|$2\nrest||$3\n||$4\nnew|d|$5",
	},
	"lines, lists and tables in cells of a page": {
		media: extract.HTML,
		data: `<table><tr><td>one<br>two<td><p>three</p><p>four</p><td>$1<tr><td><ul><li>a<li>b</ul><td>` +
			`<ol start=4 type=a><li>c<li>d</ol><td>$2<tr><td><table><tr><td>x<td>y<tr><td><td>z</table><td><h2>Head</h2>` +
			`<td>$3</table>`,
		want: "one <br> two|three <br> four|$1\n• a <br> • b|d. c <br> e. d|$2\nx | y <br> | z|Head|$3",
	},
	"a hidden cell of a page": {
		media: extract.HTML,
		data:  `<table><tr><td>a<td style="display:none">gone<td>b<tr><td>c<td style="display:none"><td>d</table>`,
		want:  "a|b\nc|d",
	},
}

// rowsOf returns the rows of all tables of a Markdown text: cells apart by bars, without the line under their head.
func rowsOf(md string) string {
	var rows []string

	for line := range strings.SplitSeq(md, "\n") {
		inner, ok := strings.CutPrefix(line, "|")
		if !ok || strings.Trim(line, "|-") == "" {
			continue
		}

		all := strings.Split(strings.TrimSuffix(strings.ReplaceAll(inner, `\|`, "\x00"), "|"), "|")
		for i := range all {
			all[i] = strings.TrimSpace(all[i])
		}
		rows = append(rows, strings.ReplaceAll(strings.Join(all, "|"), "\x00", "|"))
	}

	return strings.Join(rows, "\n")
}

// flatText writes the wanted rows as the text has them.
func flatText(want string) string {
	rows := strings.Split(strings.ReplaceAll(want, " <br> ", " "), "\n")
	for i, row := range rows {
		row = strings.ReplaceAll(strings.ReplaceAll(row, " | ", "\x00"), " | ", "\x00")
		row = strings.ReplaceAll(strings.ReplaceAll(row, "| ", "\x01"), "|", "\t")
		row = strings.ReplaceAll(strings.ReplaceAll(row, "\x01", "| "), "\x00", " | ")
		rows[i] = strings.TrimRight(strings.ReplaceAll(row, "[page 2] ", ""), "\t")
	}

	return strings.Join(rows, "\n")
}

// Cells stay in their columns: in the text, in the Markdown and in the Word file.
func TestCellsOfTables(t *testing.T) {
	t.Parallel()

	for name, tc := range grids {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc := tc.read(t)
			if want := flatText(tc.want); doc.Text != want {
				t.Errorf("text %q, want %q", doc.Text, want)
			}
			if got := rowsOf(string(markdown(t, doc).Bytes)); got != tc.want {
				t.Errorf("Markdown:\n%s\nwant\n%s", got, tc.want)
			}
			again := read(t, extract.DOCX, word(t, doc).Bytes)
			want := strings.ReplaceAll(tc.want, "[page 2] ", "")
			if got := rowsOf(string(markdown(t, again).Bytes)); got != want {
				t.Errorf("the Word file read again:\n%s\nwant\n%s", got, want)
			}
			whole(t, doc)
		})
	}
}

// A table that only lays out a page says its paragraphs, lists and tables one after the other.
func TestTablesThatLayOutAPage(t *testing.T) {
	t.Parallel()
	inner := tbl(cells("a", "", "b"), cells("", "c", "d"))
	long := strings.Repeat("The tenant pays the rent. ", 240)

	for name, test := range map[string]tabled{
		"a box": {
			data: tbl(tr(tc(1, "Notice", "Second line", listed("1", "0", "item"), inner, ""))),
			want: "Notice\n\nSecond line\n\n3. item\n\n| a | | b |\n|---|---|---|\n| | c | d |",
		},
		"columns of a page": {
			data: tbl(tr(tc(1, "aside"), tc(1, long, "end"))),
			want: "aside\n\n" + strings.TrimSpace(long) + "\n\nend",
		},
		"a message": {
			media: extract.HTML,
			data: `<table><tr><td><h1>Notice</h1><p>You owe:</p><table><tr><td>Rent<td>$1<tr><td>Heating<td>$2</table>` +
				`<tr><td></table>`,
			want: "# Notice\n\nYou owe:\n\n| Rent | $1 |\n|---|---|\n| Heating | $2 |",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := string(markdown(t, test.read(t)).Bytes); got != test.want {
				t.Errorf("Markdown:\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

// What cells claim of other columns and rows takes no more than a file may say.
func TestCellsThatClaimTooMuch(t *testing.T) {
	t.Parallel()
	page := `<table><tr><td colspan=9999 rowspan=65000>x` + strings.Repeat("<tr><td>y", 1<<20) + `</table>`
	holds(t, extract.HTML, []byte(page[:1<<20]))

	lines := strings.Repeat("a<br>", 1<<20)
	nested := strings.Repeat("<table><tr><td>x<td>", 60) + lines
	size := int64(len(nested))
	_, err := extract.Extract(t.Context(), strings.NewReader(nested), size, extract.HTML, extract.DefaultLimits())
	if !errors.Is(err, extract.ErrBomb) {
		t.Errorf("tables in tables: %v", err)
	}
	doc := read(t, extract.HTML, []byte(`<table><tr><td colspan=99999>a<td>b<tr><td>c</table>`))
	if tabs := strings.Count(doc.Text, "\t"); tabs > 256 {
		t.Errorf("%d tabs", tabs)
	}
}
