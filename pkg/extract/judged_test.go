package extract_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/extract"
	"github.com/subrosa-legal/subrosa/pkg/extract/internal/docxtest"
	"github.com/subrosa-legal/subrosa/pkg/extract/internal/odttest"
	"github.com/subrosa-legal/subrosa/pkg/guard"
)

// fourLevels is a list whose labels have as many numbers as an address in a network.
var fourLevels = shape(0, lvl(0, "decimal", "%1.", 1), lvl(1, "decimal", "%1.%2", 1), lvl(2, "decimal", "%1.%2.%3", 1),
	lvl(3, "decimal", "%1.%2.%3.%4", 1)) + use(1, 0)

// romanParts is a list whose labels look like initials.
var romanParts = shape(0, lvl(0, "upperRoman", "%1.", 1), lvl(1, "decimal", "%1.%2", 1)) + use(1, 0)

// judged is a Word file with what the guard finds in it.
var judged = map[string]struct {
	listing
	want string // kind and words of each finding, with bars between them
}{
	"a number of four levels": {
		listing: listing{lists: fourLevels, body: items("1.0 Rent", "1.1 Rent", "1.2 Rent", "1.3 More terms")},
	},
	"a long number of four levels": {
		listing: listing{
			lists: fourLevels,
			body: strings.Repeat(items("1.0 Rent"), 12) + strings.Repeat(items("1.1 Rent"), 11) +
				strings.Repeat(items("1.2 Rent"), 10) + items("1.3 More terms"),
		},
	},
	"a Roman number": {
		listing: listing{
			lists: romanParts,
			body:  items("1.0 Rent", "1.1 Rent", "1.1 More terms", "1.1 Rent", "1.1 Rent", "1.1 Rose bushes"),
		},
	},
	"a letter": {
		listing: listing{lists: shape(0, lvl(0, "upperLetter", "%1.", 1)) + use(1, 0), body: items("1.0 Rose bushes")},
	},
	"numbers in cells": {
		listing: listing{
			lists: fourLevels,
			body: "<w:tbl><w:tr><w:tc>" + items("1.0 Rent", "1.1 Rent", "1.2 Rent", "1.3 More terms") +
				"</w:tc><w:tc>" +
				items("1.3 ", "1.3 Rose bushes") + "</w:tc></w:tr></w:tbl>" + items("1.3 Ask Mr Holzmann"),
		},
		want: "person Mr Holzmann",
	},
	"a name behind a number": {
		listing: listing{lists: romanParts, body: items("1.0 é Rent", "1.1 Ask Mr Holzmann", "1.1 Rent")},
		want:    "person Mr Holzmann",
	},
	"an address in the text": {
		listing: listing{lists: romanParts, body: items("1.0 10.12.4.3 Rent") + docxtest.P("1.1.1.1 Rent")},
		want:    "id_number 10.12.4.3|id_number 1.1.1.1",
	},
	"an address as a number": {
		listing: listing{lists: shape(0, lvl(0, "none", "8.8.4.4", 1)) + use(1, 0), body: items("1.0 Rent")},
		want:    "id_number 8.8.4.4",
	},
	"an address that is counted from its end": {
		listing: listing{
			lists: shape(0, lvl(0, "decimal", "%1", 192), lvl(1, "decimal", "%2", 168), lvl(2, "decimal", "%3", 10),
				lvl(3, "decimal", "%1.%2.%3.%4", 20)) + use(1, 0),
			body: items("1.3 Rent"),
		},
		want: "id_number 192.168.10.20",
	},
	"a name as a number": {
		listing: listing{lists: shape(0, lvl(0, "decimal", "Mr Holzmann %1", 1)) + use(1, 0), body: items("1.0 Rent")},
		want:    "person Mr Holzmann",
	},
}

// Numbers that the reader counts are no words: the guard finds the same in the parts of a file and in its Markdown, at
// the same bytes of the parts.
func TestNumbersOfParagraphsAreNotJudgedAsWords(t *testing.T) {
	t.Parallel()

	for name, tc := range judged {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc := read(t, extract.DOCX, tc.file())
			texts := map[string]string{}

			var local, there []string

			for _, p := range doc.Parts {
				texts[p.Path] = p.Text
				for _, f := range (guard.Guard{}).Check(t.Context(), guard.FileText, p.Judged()) {
					local = append(local, f.Kind+" "+p.Text[f.Start:f.End])
				}
			}

			written := markdown(t, doc)

			again := extract.Part{Text: string(written.Bytes), Numbers: written.Numbers}
			for _, f := range (guard.Guard{}).Check(t.Context(), guard.FileText, again.Judged()) {
				path, start, end, ok := written.Origin(f.Start, f.End)
				if !ok {
					t.Errorf("found %q in no part", again.Text[f.Start:f.End])
				}
				there = append(there, f.Kind+" "+texts[path][start:end])
			}
			if got := strings.Join(local, "|"); got != tc.want {
				t.Errorf("the parts: %q, want %q", got, tc.want)
			}
			if !slices.Equal(there, local) {
				t.Errorf("the Markdown: %q, the parts: %q", there, local)
			}
		})
	}
}

// A list that counts by letters can begin where they spell a name. Such a number is judged as the word that it is, or
// is not written.
func TestNumbersThatSpellNames(t *testing.T) {
	t.Parallel()
	letter := func(at int, of rune) string {
		return lvl(at, "upperLetter", "%1%2%3%4"[:2*at+2], int(of-'A')+1)
	}

	for name, tc := range map[string]struct {
		mediaType string
		file      []byte
	}{
		"levels of a Word list": {extract.DOCX, listing{
			lists: shape(0, letter(0, 'A'), letter(1, 'N'), letter(2, 'N'), letter(3, 'A')) + use(1, 0),
			body:  items("1.3 Rent"),
		}.file()},
		"an OpenDocument list": {extract.ODT, func() []byte {
			f := odttest.New(`<text:list text:style-name="L"><text:list-item>` + odttest.P("Rent") +
				`</text:list-item></text:list>`)
			f.Automatic = `<text:list-style style:name="L"><text:list-level-style-number text:level="1" style:num-format="A"` +
				` text:start-value="27405"/></text:list-style>`

			return f.Bytes()
		}()},
		"an item of a page": {extract.HTML, []byte("<!DOCTYPE html><ol type=A start=1041><li>Rent</ol>")}, // ANA
		"a list of a page that counts down": {
			extract.HTML,
			[]byte("<!DOCTYPE html><ol type=A reversed>" + strings.Repeat("<li>Rent", 1041) + "</ol>"),
		},
		"a counter of a page": {extract.HTML, []byte("<!DOCTYPE html><style>li{counter-increment:c 27405;list-style:none}" +
			"li::before{content:counter(c,upper-alpha)}</style><ul><li>Rent</ul>")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			written := markdown(t, read(t, tc.mediaType, tc.file))
			text := string(written.Bytes)
			judged := extract.Part{Text: text, Numbers: written.Numbers}.Judged()

			for _, spelt := range []string{"ANNA", "ANA"} {
				if strings.Contains(text, spelt) && !strings.Contains(judged, spelt) {
					t.Errorf("not judged: %.200s", text)
				}
			}
		})
	}
}
