package answers_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/api"
)

func TestChecklist(t *testing.T) {
	s := newCaseFiles().add("complaint.md", "COMPLAINT\n")
	s.files[0].DocType = "complaint"
	s.add("nda.md", "NON-DISCLOSURE AGREEMENT\n")
	s.files[1].DocType = "nda"
	r, d := do(t, task(api.CaseReq, "Which documents are missing?"), s)
	if r.Kind != api.KindChecklist || r.Checklist == nil || !slices.Equal(r.Checklist.Missing, []string{"answer", "scheduling_order"}) || !slices.Equal(r.Checklist.Present, []string{"complaint"}) {
		t.Fatalf("kind %s, checklist %+v", r.Kind, r.Checklist)
	}

	for _, want := range []string{
		"pleadings and motions (L200)",
		"- [x] complaint: complaint.md",
		"- [ ] scheduling order",
		"1 type is there, 2 missing",
		"not usual at this stage: nda.md (nda).",
	} {
		if !strings.Contains(r.Text, want) {
			t.Errorf("the answer lacks %q:\n%s", want, r.Text)
		}
	}
	if !slices.Contains(d.messages, "1 there, 2 missing") {
		t.Errorf("report %q", d.messages)
	}
}
