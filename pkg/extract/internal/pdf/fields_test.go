package pdf_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/extract/internal/pdftest"
)

// Fields that have no drawing are drawn by the viewer: what it writes is read, and the rest is dropped.
func TestFieldsWithoutDrawings(t *testing.T) {
	t.Parallel()

	for name, tc := range map[string]struct {
		fields  string // of the page
		catalog string
		text    string // of the page behind its own
		drawn   string // with bars between them
		dropped map[string]int
	}{
		"captions of a button": {
			fields: "<</FT/Btn/Ff 65536/MK<</CA(Send)/RC(Send it)/AC(Sent)>>>>",
			drawn:  "Send|Send it|Sent",
		},
		"the same caption in all states": {
			fields: "<</FT/Btn/Ff 65536/MK<</CA(Send)/RC(Send)/AC(Send)>>>>",
			drawn:  "Send",
		},
		"a caption in an object of its own": {fields: "<</FT/Btn/MK<</CA 3 0 R>>>>", drawn: "Kept apart"},
		"a caption in Unicode":              {fields: "<</FT/Btn/MK<</CA<FEFF00530065>>>>>", drawn: "Se"},
		"the tick of a box":                 {fields: "<</FT/Btn/MK<</CA(4)>>>>", dropped: map[string]int{"formNames": 1}},
		"a button that is called 4": {
			fields: "<</MK<</CA(4)>>/Parent<</FT/Btn/Ff 65536>>>>",
			drawn:  "4",
		},
		"an empty caption": {fields: "<</FT/Btn/MK<</CA()>>>>", dropped: map[string]int{"formNames": 1}},
		"a caption that no page shows": {
			catalog: "/AcroForm<</Fields[<</FT/Btn/MK<</CA(Send)>>>>]>>",
			dropped: map[string]int{"formNames": 1},
		},

		"an option by its code": {
			fields:  "<</FT/Ch/Opt[[(k)(Kept)][(z)(Other)]]/V(k)>>",
			text:    "Kept",
			dropped: map[string]int{"formOptions": 4},
		},
		"an option by its place": {
			fields:  "<</FT/Ch/Opt[(Kept)(Other)]/I[0]>>",
			text:    "Kept",
			dropped: map[string]int{"formOptions": 1},
		},
		"an option by code and place": {
			fields:  "<</FT/Ch/Opt[[(k)(Kept)][(z)(Other)]]/V(k)/I[0]>>",
			text:    "Kept",
			dropped: map[string]int{"formOptions": 4},
		},
		"code and place of two options": {
			fields:  "<</FT/Ch/Opt[[(k)(Kept)][(z)(Other)]]/V(k)/I[1]>>",
			text:    "Kept\nOther",
			dropped: map[string]int{"formOptions": 3},
		},
		"two options of one code": {
			fields:  "<</FT/Ch/Opt[[(k)(Kept)][(k)(Other)]]/V(k)>>",
			text:    "Kept\nOther",
			dropped: map[string]int{"formOptions": 3},
		},
		"several options of a field above": {
			fields:  "<</MK<<>>/Parent<</FT/Ch/Opt[[(k)(Kept)][(z)(Other)](Third)]/V[(z)(Third)]>>>>",
			text:    "Other\nThird",
			dropped: map[string]int{"formOptions": 4},
		},
		"a code in other letters": {
			fields:  "<</FT/Ch/Opt[[<FEFF006B>(Kept)]]/V(k)>>",
			text:    "Kept",
			dropped: map[string]int{"formOptions": 2},
		},
		"what somebody wrote into a list": {
			fields:  "<</FT/Ch/Opt[[(k)(Kept)]]/V(Own words)>>",
			text:    "Own words",
			dropped: map[string]int{"formOptions": 2},
		},
		"places that are none": {
			fields:  "<</FT/Ch/Opt[(Kept)]/I[-1 1 (x) 9999999999]>>",
			dropped: map[string]int{"formOptions": 1, "properties": 1},
		},
		"a text field with options": {
			fields:  "<</FT/Tx/Opt[[(k)(Kept)]]/V(k)>>",
			text:    "k",
			dropped: map[string]int{"formOptions": 1},
		},
		"a value that no page shows": {
			catalog: "/AcroForm<</Fields[<</FT/Tx/V(kept)>><</FT/Tx/V()>>]>>",
			dropped: map[string]int{"formDefaults": 1},
		},
	} {
		f := pdftest.New()
		f.Add("(Kept apart)")
		f.Catalog = tc.catalog
		fields := strings.ReplaceAll(tc.fields, "<</FT", "<</Subtype/Widget/FT")
		fields = strings.ReplaceAll(fields, "<</MK", "<</Subtype/Widget/MK")
		f.Page(f.Stream("", []byte(pdftest.Lines("shown"))), "", "/Annots["+fields+"]")
		doc := read(t, f.Bytes())

		delete(doc.Dropped, "fonts")
		if !strings.Contains(tc.fields, "3 0 R") {
			delete(doc.Dropped, "unusedObjects")
		}
		if got := strings.TrimSpace(strings.TrimPrefix(doc.Pages[0].Text, "shown")); got != tc.text {
			t.Errorf("%s: text %q, want %q", name, got, tc.text)
		}
		if !slices.Equal(doc.Drawn, strings.FieldsFunc(tc.drawn, func(r rune) bool { return r == '|' })) {
			t.Errorf("%s: drawn %q, want %q", name, doc.Drawn, tc.drawn)
		}
		if !maps.Equal(doc.Dropped, tc.dropped) {
			t.Errorf("%s: dropped %v, want %v", name, doc.Dropped, tc.dropped)
		}
	}
}
