package facts_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/facts"
)

// said is what a text says, in the order of its values, without places.
type said struct{ dates, sums, citations []string }

func saidBy(f facts.Facts) (s said) {
	for _, d := range f.Dates {
		value := d.String()
		if d.Ambiguous {
			value += " or " + d.Swapped().String()
		}
		s.dates = append(s.dates, value)
	}

	for _, a := range f.Amounts {
		s.sums = append(s.sums, a.Decimal()+" "+a.Currency)
	}

	for _, c := range f.Citations {
		s.citations = append(s.citations, c.Key)
	}

	for _, list := range [][]string{s.dates, s.sums, s.citations} {
		slices.Sort(list)
	}

	return s
}

// TestVariantsSayTheSame reads each sample document and its variants, as the samples of deploy make them: the same dates, sums and
// citations must be found in all, and every quote must stand where its source says.
func TestVariantsSayTheSame(t *testing.T) {
	const dir = "testdata/samples"
	reader := facts.NewReader()

	for _, original := range []string{"complaint", "commercial-lease", "employment-agreement"} {
		data, err := os.ReadFile(filepath.Join(dir, original+".md.text"))
		if err != nil {
			t.Fatal(err)
		}
		want := saidBy(reader.Read(string(data), ""))
		if len(want.dates) < 2 || len(want.sums) < 5 || len(want.citations) < 5 && original != "commercial-lease" {
			t.Fatalf("%s says too little to compare: %+v", original, want)
		}
		variants, err := filepath.Glob(filepath.Join(dir, original+"-*.text"))
		if err != nil || len(variants) != 7 {
			t.Fatalf("%d variants of %s (%v), want 7", len(variants), original, err)
		}

		for _, path := range variants {
			t.Run(strings.TrimSuffix(filepath.Base(path), ".text"), func(t *testing.T) {
				data, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				text := string(data)
				found := reader.Read(text, "")

				got := saidBy(found)
				for _, kind := range []struct {
					name      string
					got, want []string
				}{{"dates", got.dates, want.dates}, {"sums", got.sums, want.sums}, {"citations", got.citations, want.citations}} {
					if missed, more := without(kind.want, kind.got), without(kind.got, kind.want); len(missed)+len(more) > 0 {
						t.Errorf("%s: missed %q, found besides %q", kind.name, missed, more)
					}
				}
				quoted(t, text, found)
			})
		}
	}
}

// without returns what is in list and not in other, counting what stands there twice.
func without(list, other []string) []string {
	other = slices.Clone(other)

	return slices.DeleteFunc(slices.Clone(list), func(s string) bool {
		at := slices.Index(other, s)
		if at >= 0 {
			other = slices.Delete(other, at, at+1)
		}

		return at >= 0
	})
}

// quoted wants of every fact that its quote is what stands between the code points of its source.
func quoted(t *testing.T, text string, f facts.Facts) {
	t.Helper()

	var spans []facts.Span
	for _, d := range f.Dates {
		spans = append(spans, d.Span)
	}

	for _, a := range f.Amounts {
		spans = append(spans, a.Span)
	}

	for _, c := range f.Citations {
		spans = append(spans, c.Core, c.Span)
	}

	ruler, runes := facts.NewRuler(text), []rune(text)
	for _, s := range spans {
		around := facts.Around(text, s)
		if got := string(runes[ruler.Char(around.Start):ruler.Char(around.End)]); got != around.In(text) || !strings.Contains(got, s.In(text)) {
			t.Errorf("%q is quoted as %q", s.In(text), got)
		}
	}
}
