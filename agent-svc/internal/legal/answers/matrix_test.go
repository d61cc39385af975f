package answers_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/api"
)

const pleading = `COMPLAINT

COUNT I: Breach of contract

1. [Party 1] and [Party 2] signed the agreement on March 3, 2025. [Party 1] performed all that it asks for.

2. [Party 2] has not paid and refuses to pay what is due.
`

func TestElements(t *testing.T) {
	s := newCaseFiles().add("Complaint.txt", pleading)
	r, _ := do(t, task(api.CaseReq, "What are the strengths of the case?"), s)
	checkCitations(t, r, s)

	for _, want := range []string{
		"named by the headings of the files", "### Breach of contract", "**1. A contract that binds both sides**",
		"- for, alleged (Complaint.txt) [1]: ", "signed the agreement on March 3, 2025",
		"- against: no words found by rules",
		"refuses to pay what is due", "**4. Loss caused by the breach**\n\nNo words of this element were found by rules.",
	} {
		if !strings.Contains(r.Text, want) {
			t.Errorf("the answer lacks %q:\n%s", want, r.Text)
		}
	}
	if !slices.Equal(r.HumanReview.Reasons, []string{"states_law", "states_strategy"}) || len(r.Citations) == 0 {
		t.Errorf("review %+v, %d sources", r.HumanReview, len(r.Citations))
	}
	r, _ = do(t, task(api.CaseReq, "List the elements of negligence"), s)
	if !strings.Contains(r.Text, "named in the prompt") || !strings.Contains(r.Text, "### Negligence\n") || strings.Contains(r.Text, "### Breach") {
		t.Errorf("asked for negligence:\n%s", r.Text)
	}
}

// TestTheClaimThatWasAskedFor wants no other claim in the place of one that the table lacks.
func TestTheClaimThatWasAskedFor(t *testing.T) {
	s := newCaseFiles().add("Complaint.txt", pleading)
	for prompt, want := range map[string]string{
		"List the elements of tortious interference in this case": "no elements for “tortious interference”",
		"What are the elements of a claim for trespass?":          "no elements for “trespass”",
		"List the elements of the claims":                         "### Breach of contract",
		"List the elements of each claim":                         "### Breach of contract",
	} {
		if r, _ := do(t, task(api.CaseReq, prompt), s); !strings.Contains(r.Text, want) || strings.Contains(want,
			"no elements") && strings.Contains(r.Text, "###") {
			t.Errorf("%s:\n%s", prompt, r.Text)
		}
	}
}

func TestElementsAsksForTheClaim(t *testing.T) {
	r, _ := do(
		t, task(api.CaseReq, "What are our chances?"), newCaseFiles().add("Letter.txt", "Nothing is said here.\n"),
	)
	if r.Kind != api.KindClarification || len(r.Questions) != 1 || !strings.Contains(r.Text, "- Defamation\n") {
		t.Errorf("kind %s, questions %q:\n%s", r.Kind, r.Questions, r.Text)
	}
}
