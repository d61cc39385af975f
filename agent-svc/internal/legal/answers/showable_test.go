package answers_test

import (
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/api"
)

// TestOneLineDoesNotCostTheAnswer shortens a sentence within a citation, so that the names of the case stand there without what shows them to
// be one.
func TestOneLineDoesNotCostTheAnswer(t *testing.T) {
	s := newCaseFiles().add("memo.md", "On May 1, 2026, the [Party 1] memorandum, which is long, says in many words what could have been said in few, "+
		"and which repeats itself where it might have stopped, relied on what was decided in Swierkiewicz v. Sorema N.A., 534 U.S. 506, 510 (2002).\n\n"+
		"On June 2, 2026, [Party 2] paid the rent.\n")

	r, _ := do(t, task(api.CaseReq, "Build a chronology"), s)
	for _, text := range dirty(r) {
		t.Errorf("the gate would hold back %q", text)
	}
	if !strings.Contains(r.Text, "paid the rent") ||
		!strings.Contains(r.Text, "- **2026-05-01** (memo.md) [1]: (not quoted)\n") {
		t.Errorf("text %q; want the other line, and a mark for the one that is kept back", r.Text)
	}
	if limits := strings.Join(r.Limits, " "); !strings.Contains(limits, "1 line of this answer has no quote") {
		t.Errorf("limits %q do not count the line", limits)
	}
}

// TestAShortenedQuoteEndsBetweenWords reads a row of terms whose two hundred and twentieth letter stands within a capitalised word.
func TestAShortenedQuoteEndsBetweenWords(t *testing.T) {
	s := newCaseFiles().add("lease.md", "Agreed Premises: the ground floor and the cellar of the building at [Address 3], about 6,200 rentable square feet, permitted use, a bakery with "+
		"sales to the public, and offices serving it, Commencement Date May 1, 2025, Expiration Date April 30, 2035.\n")
	r, _ := do(t, task(api.CaseReq, "Build a chronology"), s)
	if texts := dirty(r); len(texts) > 0 || strings.Contains(r.Text, "not shown") || !strings.Contains(r.Text, "May 1, 2025,…") {
		t.Errorf("text %q, held back %q", r.Text, texts)
	}
}
