package answers_test

import (
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/api"
)

const (
	leaseBefore = "LEASE\n\n1. The term begins on March 1, 2026.\n\n2. [Party 2] shall pay $1,200.00 a month to [Party 1].\n\n3. Pets are not allowed in the dwelling.\n"
	leaseAfter  = "LEASE\n\n1. The term begins on April 1, 2026.\n\n2. [Party 2] shall pay $1,200.00 a month to [Party 1].\n\n3. Garbage is collected on Mondays at the gate.\n"
)

func TestComparison(t *testing.T) {
	s := newCaseFiles().add("lease-old.txt", leaseBefore).add("lease-new.txt", leaseAfter).add("letter.txt",
		"Nothing of interest.\n",
	)

	for name, change := range map[string]func(tk *taskOf){
		"by their ids": func(tk *taskOf) { tk.ids = []string{s.files[0].FileID, s.files[1].FileID} },
		"in words": func(tk *taskOf) {
			tk.prompt = "Compare the lease old with the lease new"
		},
		"by their names": func(tk *taskOf) { tk.prompt = "Compare lease-old.txt with lease-new" },
	} {
		t.Run(name, func(t *testing.T) {
			in := taskOf{prompt: "Compare the two files"}
			change(&in)
			tk := task(api.CaseReq, in.prompt)
			tk.FileIDs = in.ids
			r, _ := do(t, tk, s)
			checkCitations(t, r, s)
			if r.Kind != api.KindComparison {
				t.Fatalf("kind %s: %s", r.Kind, r.Text)
			}

			for _, want := range []string{
				"**Before**: lease-old.txt. **After**: lease-new.txt.", "### Changed dates, sums, numbers and defined terms (1)", "**dates**: 2026-03-01 → 2026-04-01",
				"### Only in the first (1)", "Pets are not allowed", "### Only in the second (1)", "Garbage is collected", "2 sentences are the same in both.",
			} {
				if !strings.Contains(r.Text, want) {
					t.Errorf("the answer lacks %q:\n%s", want, r.Text)
				}
			}
			if len(r.Citations) != 4 {
				t.Errorf("%d sources, want one of each sentence that differs", len(r.Citations))
			}
		})
	}
}

type taskOf struct {
	prompt string
	ids    []string
}

// TestComparisonAsks wants a question, with the files to choose from, where the prompt leaves open which two are meant.
func TestComparisonAsks(t *testing.T) {
	s := newCaseFiles().add("a.txt", leaseBefore).add("b.txt", leaseAfter).add("c.txt", leaseBefore)
	r, _ := do(t, task(api.CaseReq, "Compare the leases"), s)
	if r.Kind != api.KindClarification || len(r.Questions) != 1 || !strings.Contains(r.Text, s.files[2].FileID) {
		t.Errorf("kind %s, questions %q:\n%s", r.Kind, r.Questions, r.Text)
	}
	r, _ = do(t, task(api.CaseReq, "Compare the leases"), newCaseFiles().add("a.txt", leaseBefore))
	if r.Kind != api.KindClarification || !strings.Contains(r.Text, "takes two readable files") {
		t.Errorf("of one file: kind %s: %s", r.Kind, r.Text)
	}
	r, _ = do(
		t, task(api.CaseReq, "Compare the leases"), newCaseFiles().add("a.txt", leaseBefore).add("b.txt", leaseBefore),
	)
	if r.Kind != api.KindComparison || !strings.Contains(r.Text, "The two texts say the same") {
		t.Errorf("of two that are the same: kind %s: %s", r.Kind, r.Text)
	}
}

// TestFilesAreNamedInThePrompt wants cards of those files alone that the prompt names, by name or by type, and drafts of ours only by name.
func TestFilesAreNamedInThePrompt(t *testing.T) {
	s := newCaseFiles().add("employment-agreement.pdf", leaseBefore).add("doc-7.md",
		"COMPLAINT\n\nOn May 1, 2026 [Party 2] left.\n",
	).add("complaint-draft.md", "COMPLAINT\n").add("note.md", "A note.\n")

	s.files[1].DocType, s.files[2].DocType, s.files[2].Source.Origin = "complaint", "complaint", "generated"
	for prompt, want := range map[string]string{
		"Summarise the employment agreement":               "employment-agreement.pdf",
		"Summarise Employment-Agreement.pdf":               "employment-agreement.pdf",
		"Summarise the complaint":                          "doc-7.md",
		"Summarise complaint-draft.md":                     "complaint-draft.md",
		"Summarise the complaint and employment-agreement": "employment-agreement.pdf doc-7.md",
		"Summarise the files in the order of their dates":  "employment-agreement.pdf doc-7.md note.md",
	} {
		r, _ := do(t, task(api.CaseReq, prompt), s)
		var got []string

		for _, line := range strings.Split(r.Text, "\n") {
			if name, ok := strings.CutPrefix(line, "### "); ok {
				got = append(got, name)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: cards of %q, want %s", prompt, got, want)
		}
		if named := len(got) < 3; strings.Contains(r.Text, "the prompt does not name") != named {
			t.Errorf("%s: what was left out is told wrongly: %s", prompt, r.Text)
		}
	}
}

// TestComparisonOfStrangers wants to be told where two texts are no versions of one, and not where they are.
func TestComparisonOfStrangers(t *testing.T) {
	const told = "do not seem to be versions of one text"

	var one, other strings.Builder
	for i, w := range strings.Fields("rent notice repair deposit insurance access signs pets parking keys") {
		one.WriteString("The tenant shall see to the " + w + ".\n\n")
		other.WriteString("Chapter " + w + strings.Repeat(" x", i+1) + "?\n\n")
	}

	for text, want := range map[string]bool{other.String(): true, one.String() + "It ends.\n": false} {
		r, _ := do(
			t, task(api.CaseReq, "Compare the two files"), newCaseFiles().add("a.txt", one.String()).add("b.txt", text),
		)
		if strings.Contains(r.Text, told) != want {
			t.Errorf("told %v, want %v:\n%s", !want, want, r.Text)
		}
	}
}
