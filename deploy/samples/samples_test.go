package samples_test

import (
	"bytes"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/deploy/samples"
	"github.com/subrosa-legal/subrosa/deploy/samples/typeset"
	"github.com/subrosa-legal/subrosa/pkg/extract"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/label"
	"github.com/subrosa-legal/subrosa/pkg/search"
)

// read extracts one of the samples as an upload would.
func read(t *testing.T, name string) extract.Document {
	t.Helper()
	data, err := fs.ReadFile(samples.Files(), name)
	if err != nil {
		t.Fatal(err)
	}
	mediaType, err := extract.Sniff(data, name).Accept("")
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	doc, err := extract.Extract(t.Context(), bytes.NewReader(data), int64(len(data)), mediaType, extract.DefaultLimits())
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}

	return doc
}

func TestSamplesAreReadable(t *testing.T) {
	for name, want := range map[string]struct {
		method string
		pages  int
		words  int
	}{
		samples.Complaint:           {"text", 5, 2000},
		samples.CommercialLease:     {"docx", 4, 2200},
		samples.EmploymentAgreement: {"pdf", 4, 1800},
	} {
		doc := read(t, name)
		if doc.Status != extract.OK || doc.Method != want.method || doc.Language != "en" || doc.Pages < want.pages {
			t.Errorf("%s: %s by %s, %d pages in %s", name, doc.Status, doc.Method, doc.Pages, doc.Language)
		}
		if got := len(strings.Fields(doc.Text)); got < want.words {
			t.Errorf("%s: %d words, want at least %d", name, got, want.words)
		}
	}
}

func TestSamplesPassTheGuard(t *testing.T) {
	gate := guard.New()
	for _, name := range samples.Names() {
		if found := gate.Check(t.Context(), guard.FileName, name); len(found) > 0 {
			t.Errorf("name %s: %v", name, found)
		}

		for _, part := range read(t, name).Parts {
			for _, f := range gate.Check(t.Context(), guard.FileText, part.Text) {
				t.Errorf("%s, %s: %s %q", name, part.Path, f.Kind, part.Text[f.Start:f.End])
			}
		}
	}
}

func TestSamplesNameNobody(t *testing.T) {
	for _, name := range samples.Names() {
		for _, part := range read(t, name).Parts {
			if part.Kind != extract.Body && part.Path != "metadata.title" && part.Text != "PAGE" {
				t.Errorf("%s carries %s: %q", name, part.Path, part.Text)
			}
		}
	}
}

func TestSamplesUseLabels(t *testing.T) {
	for name, want := range map[string][]string{
		samples.Complaint:           {"[Party 1]", "[Party 2]", "[Party 3]", "[Witness 1]", "[Docket 1]", "[Address 1]", "[Person 1]", "[Ref 1]"},
		samples.CommercialLease:     {"[Party 1]", "[Party 2]", "[Party 3]", "[Address 3]", "[Person 4]", "[Email 2]", "[Org 1]"},
		samples.EmploymentAgreement: {"[Party 1]", "[Party 2]", "[Address 2]", "[Person 2]"},
	} {
		var labels []string
		for _, l := range label.All(read(t, name).Text) {
			labels = append(labels, l.String())
		}

		for _, l := range want {
			if !slices.Contains(labels, l) {
				t.Errorf("%s has no %s among %v", name, l, labels)
			}
		}
	}
}

// TestQuestionsFindTheirPassage searches all three documents at once, as a case would.
func TestQuestionsFindTheirPassage(t *testing.T) {
	texts := map[string][]rune{}
	var files []search.File

	for _, name := range samples.Names() {
		doc := read(t, name)
		texts[name] = []rune(doc.Text)

		f := search.File{ID: name, TextVersion: 1}
		for _, p := range extract.Passages(doc) {
			f.Passages = append(f.Passages, search.Passage(p))
		}
		files = append(files, f)
	}
	index := search.Build(files)

	for question, want := range map[string]struct{ file, holds string }{
		"On what basis does the court have subject-matter jurisdiction?": {samples.Complaint, "subject-matter jurisdiction under 28 U.S.C. § 1331"},
		"What damages does the plaintiff demand?":                        {samples.Complaint, "damages in the amount of $612,500"},
		"complaint to human resources about promotions":                  {samples.Complaint, "Complaint of race discrimination in promotions"},
		"incentive award deduction from the last paycheck":               {samples.Complaint, "training cost recovery"},
		"How much is the security deposit?":                              {samples.CommercialLease, "$93,000"},
		"Who must repair the roof?":                                      {samples.CommercialLease, "keep in good repair the roof"},
		"May the lessee sublet the premises?":                            {samples.CommercialLease, "shall not assign this Lease or sublet"},
		"option to renew the lease":                                      {samples.CommercialLease, "may renew this Lease once"},
		"What is the monthly rent in the third lease year?":              {samples.CommercialLease, "$32,550"},
		"What is the executive's base salary?":                           {samples.EmploymentAgreement, "base salary of $285,000"},
		"What is the notice period for dismissal without cause?":         {samples.EmploymentAgreement, "sixty days' written notice"},
		"How much severance is paid after a change in control?":          {samples.EmploymentAgreement, "is paid for fifteen months"},
		`"covenant not to compete"`:                                      {samples.EmploymentAgreement, "nothing in this Agreement restrains"},
	} {
		t.Run(question, func(t *testing.T) {
			hits := index.Search(question, search.Options{Limit: 3})
			if len(hits) == 0 {
				t.Fatal("no hit")
			}

			for _, h := range hits {
				if got := string(texts[h.FileID][h.CharStart:h.CharEnd]); got != h.Text {
					t.Errorf("the offsets of a hit in %s do not quote it", h.FileID)
				}
			}
			if first := hits[0]; first.FileID != want.file || !strings.Contains(oneLine(first.Text), want.holds) {
				t.Errorf("first hit is in %s: %s", first.FileID, first.Text)
			}
		})
	}
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

func TestPDFRefusesWhatItCannotSet(t *testing.T) {
	if err := typeset.PDF(io.Discard, typeset.Parse("# Title\n\nA “quote”.")); err == nil {
		t.Error("characters outside the font were set")
	}
}

func TestMadeFilesMatchTheirSources(t *testing.T) {
	for name, tc := range map[string]struct {
		source string
		set    func(io.Writer, typeset.Document) error
	}{
		samples.CommercialLease:     {"source/commercial-lease.md", typeset.DOCX},
		samples.EmploymentAgreement: {"source/employment-agreement.md", typeset.PDF},
	} {
		source, err := os.ReadFile(tc.source)
		if err != nil {
			t.Fatal(err)
		}
		var made bytes.Buffer
		if err := tc.set(&made, typeset.Parse(string(source))); err != nil {
			t.Fatal(err)
		}
		kept, err := fs.ReadFile(samples.Files(), name)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(made.Bytes(), kept) {
			t.Errorf("%s is not what %s makes: run go run ./samples/gen -dir samples in the folder deploy", name, tc.source)
		}
	}
}
