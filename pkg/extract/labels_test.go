package extract_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/extract"
	"github.com/subrosa-legal/subrosa/pkg/extract/internal/docxtest"
)

// lvl returns a level of a list: its format, the pattern of its label, its first number and more properties.
func lvl(at int, format, pattern string, start int, more ...string) string {
	return fmt.Sprintf(
		`<w:lvl w:ilvl="%d"><w:start w:val="%d"/><w:numFmt w:val="%s"/>%s<w:lvlText w:val="%s"/></w:lvl>`,
		at, start, format, strings.Join(more, ""), pattern,
	)
}

// shape returns the definition of a list, and use a numbering that uses one.
func shape(id int, levels ...string) string {
	return fmt.Sprintf(`<w:abstractNum w:abstractNumId="%d">%s</w:abstractNum>`, id, strings.Join(levels, ""))
}

func use(id, shape int, overrides ...string) string {
	return fmt.Sprintf(
		`<w:num w:numId="%d"><w:abstractNumId w:val="%d"/>%s</w:num>`,
		id,
		shape,
		strings.Join(overrides, ""),
	)
}

// from lets a level of a numbering begin with a number.
func from(at, start int) string {
	return fmt.Sprintf(
		`<w:lvlOverride w:ilvl="%d"><w:startOverride w:val="%d"/></w:lvlOverride>`, at, start,
	)
}

// listing is a Word file with lists and what a reader of it sees: a line for each paragraph, the label before the text.
type listing struct {
	lists  string
	body   string
	want   string
	styles string
}

func (l listing) file() []byte {
	return docxtest.New(l.body).
		Link("numbering", "word/numbering.xml", "<w:numbering *>"+l.lists+"</w:numbering>").
		Link("styles", "word/styles.xml", "<w:styles *>"+l.styles+"</w:styles>").Bytes()
}

// items returns paragraphs of a list from lines of the form "1.0 text": number, level and text.
func items(lines ...string) string {
	var b strings.Builder

	for _, line := range lines {
		place, text, _ := strings.Cut(line, " ")
		if number, level, ok := strings.Cut(place, "."); ok {
			b.WriteString(listed(number, level, text))
		} else {
			b.WriteString(docxtest.P(text))
		}
	}

	return b.String()
}

const legalLevels = `<w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="upperRoman"/><w:lvlText w:val="Article %1"/>` +
	`</w:lvl><w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="decimalZero"/><w:isLgl/>` +
	`<w:lvlText w:val="Section %1.%2"/></w:lvl>`

var listings = map[string]listing{
	"begins at five": {
		lists: shape(0, lvl(0, "decimal", "%1.", 5)) + use(1, 0),
		body:  items("1.0 five", "1.0 six", "- between", "1.0 seven"),
		want:  "5. five|6. six|between|7. seven",
	},
	"five levels": {
		lists: shape(0, lvl(0, "decimal", "%1.", 1), lvl(1, "lowerLetter", "(%2)", 1), lvl(2, "lowerRoman", "(%3)", 1),
			lvl(3, "upperLetter", "%4.", 1), lvl(4, "decimal", "(%5)", 1)) + use(1, 0),
		body: items("1.0 a", "1.1 b", "1.2 c", "1.2 d", "1.3 e", "1.4 f", "1.4 g", "1.1 h", "1.2 i", "1.0 j", "1.1 k"),
		want: "1. a|(a) b|(i) c|(ii) d|A. e|(1) f|(2) g|(b) h|(i) i|2. j|(a) k",
	},
	"legal numbers": {
		lists: shape(0, lvl(0, "decimal", "%1.", 1), lvl(1, "decimal", "%1.%2", 1), lvl(2, "decimal", "%1.%2.%3", 1)) +
			use(1, 0),
		body: items("1.0 a", "1.1 b", "1.1 c", "1.2 d", "1.2 e", "1.0 f", "1.1 g", "1.2 h"),
		want: "1. a|1.1 b|1.2 c|1.2.1 d|1.2.2 e|2. f|2.1 g|2.1.1 h",
	},
	"articles and sections": {
		lists: shape(0, legalLevels) + use(1, 0),
		body:  items("1.0 a", "1.1 b", "1.1 c", "1.0 d", "1.1 e"),
		want:  "Article I a|Section 1.01 b|Section 1.02 c|Article II d|Section 2.01 e",
	},
	"brackets": {
		lists: shape(0, lvl(0, "decimal", "%1)", 1), lvl(1, "decimal", "(%2)", 1)) + use(1, 0),
		body:  items("1.0 a", "1.1 b", "1.1 c", "1.0 d"),
		want:  "1) a|(1) b|(2) c|2) d",
	},
	"restart and continuation": {
		lists: shape(0, lvl(0, "decimal", "%1.", 1)) + use(1, 0) + use(2, 0, from(0, 1)) + use(3, 0, from(0, 9)),
		body:  items("1.0 a", "1.0 b", "2.0 c", "2.0 d", "- between", "2.0 e", "3.0 f", "3.0 g"),
		want:  "1. a|2. b|1. c|2. d|between|3. e|9. f|10. g",
	},
	"two lists by turns": {
		lists: shape(0, lvl(0, "decimal", "%1.", 1)) + shape(1, lvl(0, "decimal", "%1.", 1)) + use(1, 0) + use(2, 1),
		body:  items("1.0 a", "2.0 b", "1.0 c", "2.0 d", "2.0 e", "1.0 f"),
		want:  "1. a|1. b|2. c|2. d|3. e|3. f",
	},
	"letters beyond z and roman i": {
		lists: shape(0, lvl(0, "lowerLetter", "%1.", 25)) + shape(1, lvl(0, "lowerLetter", "(%1)", 8)) +
			use(1, 0) + use(2, 1),
		body: items("1.0 a", "1.0 b", "1.0 c", "1.0 d", "2.0 e", "2.0 f", "2.0 g"),
		want: "y. a|z. b|aa. c|bb. d|(h) e|(i) f|(j) g",
	},
	"words": {
		lists: shape(
			0,
			lvl(0, "ordinalText", "%1:", 1), lvl(1, "cardinalText", "Part %2", 1), lvl(2, "ordinal", "%3", 1),
		) + use(1, 0),
		body: items("1.0 a", "1.1 b", "1.1 c", "1.2 d", "1.0 e"),
		want: "First: a|Part One b|Part Two c|1st d|Second: e",
	},
	"figures of one character and signs": {
		lists: shape(
			0,
			lvl(0, "decimalEnclosedCircle", "%1", 1), lvl(1, "chicago", "%2", 1), lvl(2, "numberInDash", "(%3)", 1),
		) + use(1, 0),
		body: items("1.0 a", "1.0 b", "1.1 c", "1.1 d", "1.2 e"),
		want: "① a|② b|* c|† d|(- 1 -) e",
	},
	"a format of figures": {
		lists: shape(0, `<w:lvl w:ilvl="0"><w:start w:val="8"/><w:numFmt w:val="custom" w:format="001, 002, 003, ..."/>`+
			`<w:lvlText w:val="%1"/></w:lvl>`) + use(1, 0),
		body: items("1.0 a", "1.0 b", "1.0 c"),
		want: "008 a|009 b|010 c",
	},
	"points": {
		lists: shape(0, lvl(0, "bullet", "o", 1), lvl(1, "bullet", "-", 1), lvl(2, "bullet", "", 1)) + use(1, 0),
		body:  items("1.0 a", "1.1 b", "1.2 c", "1.0 d"),
		want:  "• a|• b|• c|• d",
	},
	"levels without a number": {
		lists: shape(0, lvl(0, "none", "", 1), lvl(1, "lowerRoman", "%2.", 1)) + use(1, 0),
		body:  items("1.0 a", "1.1 b", "1.1 c"),
		want:  "a|i. b|ii. c",
	},
	"a level that never begins anew": {
		lists: shape(0, lvl(0, "decimal", "%1.", 1), lvl(1, "lowerLetter", "(%2)", 1, `<w:lvlRestart w:val="0"/>`)) +
			use(1, 0),
		body: items("1.0 a", "1.1 b", "1.0 c", "1.1 d"),
		want: "1. a|(a) b|2. c|(b) d",
	},
	"a paragraph without words has a number": {
		lists: shape(0, lvl(0, "decimal", "%1.", 1)) + use(1, 0),
		body:  items("1.0 a", "1.0", "1.0 b"),
		want:  "1. a|3. b",
	},
	"a deleted paragraph has none": {
		lists: shape(0, lvl(0, "decimal", "%1.", 1)) + use(1, 0),
		body: items("1.0 a") + styled(`<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr><w:rPr><w:del/></w:rPr>`, "") +
			items("1.0 b"),
		want: "1. a|2. b",
	},
	"a level of a numbering's own": {
		lists: shape(0, lvl(0, "decimal", "%1.", 1)) +
			use(1, 0, `<w:lvlOverride w:ilvl="0">`+lvl(0, "upperLetter", "%1)", 3)+`</w:lvlOverride>`),
		body: items("1.0 a", "1.0 b"),
		want: "C) a|D) b",
	},
	"a list by the name of a style": {
		lists: shape(0, lvl(0, "decimal", "§ %1", 4)) +
			`<w:abstractNum w:abstractNumId="1"><w:numStyleLink w:val="Legal"/></w:abstractNum>` + use(1, 0) + use(2, 1),
		styles: `<w:style w:styleId="Legal"><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>`,
		body:   items("2.0 a", "2.0 b"),
		want:   "§ 4 a|§ 5 b",
	},
	"headings by their styles": {
		lists: shape(0, lvl(0, "upperRoman", "%1.", 1, `<w:pStyle w:val="H1"/>`), lvl(1, "decimal", "%1.%2", 1,
			`<w:isLgl/><w:pStyle w:val="H2"/>`)) + use(1, 0),
		styles: `<w:style w:styleId="H1"><w:name w:val="heading 1"/><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr>` +
			`</w:style><w:style w:styleId="H2"><w:name w:val="heading 2"/><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr>` +
			`</w:style>`,
		body: styled(`<w:pStyle w:val="H1"/>`, "a") + styled(`<w:pStyle w:val="H2"/>`, "b") +
			styled(`<w:pStyle w:val="H2"/>`, "c") + styled(`<w:pStyle w:val="H1"/>`, "d") +
			styled(`<w:pStyle w:val="H2"/>`, "e"),
		want: "I. a|1.1 b|1.2 c|II. d|2.1 e",
	},
	"what it was before a change": {
		lists: shape(0, lvl(0, "decimal", "%1.", 1)) + shape(1, lvl(0, "upperLetter", "%1.", 1)) +
			use(1, 0) + use(2, 1),
		body: styled(`<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr><w:pPrChange><w:pPr><w:numPr>`+
			`<w:ilvl w:val="0"/><w:numId w:val="2"/></w:numPr></w:pPr></w:pPrChange>`, "a") + items("1.0 b"),
		want: "1. a|2. b",
	},
	"a label of an identity": {
		lists: shape(0, lvl(0, "decimal", "[Party 1] %1.", 1)) + use(1, 0),
		body:  items("1.0 a", "1.0 b"),
		want:  "[Party 1] 1. a|[Party 1] 2. b",
	},
	"percent": {
		lists: shape(0, lvl(0, "decimal", "%1%", 10)) + use(1, 0),
		body:  items("1.0 a", "1.0 b"),
		want:  "10% a|11% b",
	},
}

// seen returns the lines of Markdown with their labels, without its own signs and what is not in the body.
func seen(md string) string {
	md, _, _ = strings.Cut(md, "\n\n## Words of numbers")
	var lines []string

	for line := range strings.SplitSeq(md, "\n") {
		line = strings.TrimLeft(line, "# ")
		if after, ok := strings.CutPrefix(line, "- "); ok {
			line = "• " + after
		}
		if line != "" {
			lines = append(lines, line)
		}
	}

	return strings.Join(lines, "|")
}

// The numbers of clauses are those that a reader of the file sees, in the Markdown as in the Word file, and when that
// is read again.
func TestLabelsOfClauses(t *testing.T) {
	t.Parallel()

	for name, tc := range listings {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc := read(t, extract.DOCX, tc.file())
			if got := seen(string(markdown(t, doc).Bytes)); got != tc.want {
				t.Errorf("Markdown: %s\nwant %s", got, tc.want)
			}
			again := read(t, extract.DOCX, word(t, doc).Bytes)
			if got := seen(string(markdown(t, again).Bytes)); got != tc.want {
				t.Errorf("the Word file read again: %s\nwant %s", got, tc.want)
			}
			if again.Text != doc.Text && !strings.ContainsAny(tc.want, "[%") { // such labels become words
				t.Errorf("the text of the Word file is %q, want %q", again.Text, doc.Text)
			}
		})
	}
}

// The levels of lists are those of the file in the Word file too.
func TestLevelsOfLists(t *testing.T) {
	t.Parallel()
	lists := shape(0, lvl(0, "bullet", "o", 1), lvl(1, "bullet", "o", 1), lvl(2, "bullet", "o", 1)) +
		shape(1, lvl(0, "decimal", "%1.", 1), lvl(1, "lowerLetter", "(%2)", 1), lvl(2, "lowerRoman", "(%3)", 1)) +
		use(1, 0) + use(2, 1)
	file := listing{lists: lists, body: items("1.0 a", "1.1 b", "1.2 c", "1.0 d", "2.0 e", "2.2 f", "2.1 g")}.file()
	levels := func(doc extract.Document) (all []int) {
		for _, b := range doc.Blocks {
			all = append(all, b.Level)
		}

		return all
	}
	doc := read(t, extract.DOCX, file)
	want := []int{1, 2, 3, 1, 1, 3, 2}
	if got := levels(doc); !slices.Equal(got, want) {
		t.Errorf("levels %v, want %v", got, want)
	}
	if got := levels(read(t, extract.DOCX, word(t, doc).Bytes)); !slices.Equal(got, want) {
		t.Errorf("levels of the Word file %v, want %v", got, want)
	}
}

// Word's own styles of nested lists each have a list of their own, whose items stand deeper by the name alone.
func TestLevelsOfStyles(t *testing.T) {
	t.Parallel()
	style := func(id, name, list string) string {
		return `<w:style w:styleId="` + id + `"><w:name w:val="` + name + `"/><w:pPr><w:numPr><w:numId w:val="` + list +
			`"/></w:numPr></w:pPr></w:style>`
	}
	file := listing{
		lists: shape(0, lvl(0, "bullet", "o", 1)) + shape(1, lvl(0, "bullet", "o", 1)) +
			shape(2, lvl(0, "decimal", "%1.", 1)) + use(1, 0) + use(2, 1) + use(3, 2),
		styles: style("B", "List Bullet", "1") + style("B2", "List Bullet 2", "2") + style("N3", "List Number 3", "3"),
		body: styled(`<w:pStyle w:val="B"/>`, "a") + styled(`<w:pStyle w:val="B2"/>`, "b") +
			styled(`<w:pStyle w:val="N3"/>`, "c") + styled(`<w:pStyle w:val="B"/>`, "d"),
	}.file()
	doc := read(t, extract.DOCX, file)
	again := read(t, extract.DOCX, word(t, doc).Bytes)
	want := "- a\n   - b\n      1. c\n- d"

	for name, doc := range map[string]extract.Document{"file": doc, "Word file": again} {
		if got := string(markdown(t, doc).Bytes); got != want {
			t.Errorf("Markdown of the %s:\n%s\nwant\n%s", name, got, want)
		}
	}
}

// Only the words of a number are judged as such, each paragraph once where it stands.
func TestWordsOfNumbers(t *testing.T) {
	t.Parallel()
	doc := read(t, extract.DOCX, listings["articles and sections"].file())
	want := "|Article I\nSection 1.01\nSection 1.02\nArticle II\nSection 2.01"
	if got := parts(doc)["numbering"]; got != want {
		t.Errorf("numbering = %q, want %q", got, want)
	}
}

// The pattern of a label is no longer than Word's, and labels count for the text: a small file makes no large one.
func TestLabelsAreBounded(t *testing.T) {
	t.Parallel()
	long := shape(0, lvl(0, "decimal", strings.Repeat("(", 200_000), 1)) + use(1, 0)
	doc := read(t, extract.DOCX, listing{lists: long, body: strings.Repeat(items("1.0 a"), 2000)}.file())

	size := 0
	for _, b := range doc.Blocks {
		size += len(b.Label)
	}
	if size != 2000*255 {
		t.Errorf("2,000 labels have %d bytes", size)
	}

	many := shape(0, lvl(0, "upperLetter", strings.Repeat("%1", 127), 8)) + use(1, 0)
	lim := extract.DefaultLimits()
	lim.Text = 64 << 10
	file := listing{lists: many, body: strings.Repeat(items("1.0 a"), 200)}.file()
	_, err := extract.Extract(t.Context(), bytes.NewReader(file), int64(len(file)), extract.DOCX, lim)
	if !errors.Is(err, extract.ErrBomb) {
		t.Errorf("labels of more bytes than a text may have: %v", err)
	}
}
