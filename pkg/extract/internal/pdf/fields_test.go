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
