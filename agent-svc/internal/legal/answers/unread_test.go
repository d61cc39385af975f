package answers_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/api"
)

// Whatever is asked of files, an answer that rests on them says how many places in them nobody read.
func TestAnswersCountWhatNobodyRead(t *testing.T) {
	for _, prompt := range prompts() {
		t.Run(prompt, func(t *testing.T) {
			whole := newCaseFiles().add("Document 1.txt", sample(t, "complaint.txt")).
				add("Document 2.txt", sample(t, "lease.txt"))
			partly := newCaseFiles().add("Document 1.txt", sample(t, "complaint.txt")).
				add("Document 2.txt", sample(t, "lease.txt"))
			partly.files[1].Unread = api.UnreadPlaces{
				Count:  1742,
				Places: []api.UnreadPlace{{Page: 3, What: "page", Count: 1742}},
			}

			said := func(s *caseFiles) (reads, counts bool) {
				r, d := do(t, task(api.CaseReq, prompt), s)
				all := r.Text + strings.Join(r.Limits, "\n")
				reading := []string{"read_files", "search_passages", "compare_files"}
				looks := func(m string) bool { return slices.Contains(reading, m) }

				return slices.ContainsFunc(
						d.messages,
						looks,
					), strings.Contains(
						strings.ReplaceAll(all, ",", ""),
						"1742",
					)
			}
			reads, counts := said(partly)
			if reads && !counts {
				t.Error("the answer says nothing of 1,742 places that nobody read")
			}
			if _, counts := said(whole); counts {
				t.Error("this shows nothing")
			}
		})
	}
}
