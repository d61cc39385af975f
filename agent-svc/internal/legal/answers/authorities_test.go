package answers_test

import (
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/api"
)

// TestAuthoritiesAreComparedAcrossFiles wants a check that says what the files themselves show, and no word that accuses anybody.
func TestAuthoritiesAreComparedAcrossFiles(t *testing.T) {
	s := newCaseFiles()
	s.add("Opening.txt", "See Alder v. Birch, 556 U.S. 662, 678 (2009); Cedar v. Dorn, 550 U.S. 544 (2007). Id. at 556. Elm, supra, at 3.")
	s.add("Response.txt", "But see Alder v. Birch, 556 U.S. 662, 680 (2009). And Hazel v. Ivy, 550 U.S. 544 (2007), is no help. 44 F.4th at 12 is.")

	r, _ := do(t, task(api.CaseReq, "List the authorities"), s)
	for _, want := range []string{
		"| 556 U.S. 662 | case | 2 | 2: 678; 680 | Opening.txt | in the files | [1] |",
		"| 550 U.S. 544 | case | 3 | 1: 556 | Opening.txt | two case names | [2] |",
		"**Two case names before one citation**", "And Hazel v. Ivy, 550 U.S. 544 (2007), is no help.",
		"**Short forms that could not be followed**", "- Elm, supra (Opening.txt)", "- 44 F.4th at 12 (Response.txt)",
	} {
		if !strings.Contains(r.Text, want) {
			t.Errorf("lacks %q:\n%s", want, r.Text)
		}
	}

	for _, a := range r.Authorities {
		if want := map[string]string{"556 U.S. 662": "matched_in_files", "550 U.S. 544": "name_differs"}[a.Text]; a.Verification != want {
			t.Errorf("%s is %s, want %s", a.Text, a.Verification, want)
		}
	}

	said := strings.ToLower(r.Text + strings.Join(r.Limits, " "))
	for _, word := range []string{"hallucinat", "fabricat", "fake", "wrong", "invented", "not_found", "not found", "nonexist"} {
		if strings.Contains(said, word) {
			t.Errorf("says %q", word)
		}
	}
}

func TestChronologyTellsOfDifferentDates(t *testing.T) {
	s := newCaseFiles()
	s.add("Lease.txt", "The lease was signed on March 4, 2024. Rent was paid on May 1, 2024.")
	s.add("Letter.txt", "The lease was signed on March 6, 2024. Rent was paid on June 1, 2024.")
	r, _ := do(t, task(api.CaseReq, "Build a chronology"), s)
	_, list, found := strings.Cut(r.Text, "**Different dates for what may be one event**")
	if !found || !strings.Contains(list, "Two different dates for the signing of the lease") || strings.Contains(list, "Rent") {
		t.Fatalf("conflicts are not told:\n%s", r.Text)
	}

	for _, want := range []string{"**2024-03-04** (Lease.txt) [", "**2024-03-06** (Letter.txt) ["} {
		if !strings.Contains(list, want) {
			t.Errorf("lacks %q:\n%s", want, list)
		}
	}
}
