package files_test

import (
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/case-svc/internal/files"
	"github.com/subrosa-legal/subrosa/pkg/vocabulary"
)

func TestDocumentTypes(t *testing.T) {
	t.Parallel()

	caption := "UNITED STATES DISTRICT COURT\nSOUTHERN DISTRICT OF NEW YORK\n\n[Party 1], Plaintiff,\nv.\n[Party 2], Defendant.\n\n"
	for _, tc := range []struct{ name, text, want string }{
		{"complaint", caption + "COMPLAINT\n\n1. Plaintiff is a tenant.", "complaint"},
		{"amended complaint", caption + "FIRST AMENDED COMPLAINT FOR DAMAGES\n\n1.", "complaint"},
		{"class complaint", caption + "CLASS ACTION COMPLAINT AND DEMAND FOR JURY TRIAL\n\n1.", "complaint"},
		{"answer", caption + "DEFENDANT'S ANSWER TO COMPLAINT\n\n1.", "answer"},
		{"answer with defenses", caption + "ANSWER AND AFFIRMATIVE DEFENSES\n\n1.", "answer"},
		{"summons", caption + "SUMMONS IN A CIVIL ACTION\n\nTo: [Party 2]", "summons"},
		{"motion to dismiss", caption + "DEFENDANT'S MOTION TO DISMISS THE COMPLAINT\n", "motion_dismiss"},
		{"summary judgment", caption + "NOTICE OF MOTION FOR PARTIAL SUMMARY JUDGMENT\n", "summary_judgment_motion"},
		{"notice of appeal", caption + "NOTICE OF APPEAL\n", "notice_of_appeal"},
		{"subpoena by its words", caption + "To: [Person 1]\n\nYOU ARE COMMANDED to appear\n", "subpoena"},
		{"order", caption + "OPINION AND ORDER\n\nThe motion is denied.", "order"},
		{"interrogatories", caption + "PLAINTIFF'S FIRST SET OF INTERROGATORIES TO DEFENDANT\n", "interrogatories"},
		{"nda in markdown", "# Mutual Non-Disclosure Agreement\n\nBetween [Party 1] and [Party 2].", "nda"},
		{"signed lease", "# Commercial Lease Agreement\n\nRent is due.\n\nBy: /s/ [Person 1]\n", "executed_agreement"},
		{"lease to be signed", "COMMERCIAL LEASE\n\nRent is due.\n\nBy: ____________________\n", "draft_agreement"},
		{"lease marked as draft", "DRAFT of May 4\n\nLEASE AGREEMENT\n\nBy: /s/ [Person 1]\n", "draft_agreement"},
		{"lease that says neither", "LEASE AGREEMENT\n\nRent is due.\n", "unknown"},
		{"employment agreement", "EMPLOYMENT AGREEMENT\n\nSigned: [Party 2]\n", "executed_agreement"},
		{"engagement letter", "ENGAGEMENT LETTER\n\nDear [Party 1]", "engagement_letter"},
		{"running text", "The complaint and the answer were filed. A motion to dismiss followed.", "unknown"},
		{"two titles", "COMPLAINT\n\nSUMMONS\n", "unknown"},
		{"title on the third page", strings.Repeat("Words of the first pages.\n", 400) + "COMPLAINT\n", "unknown"},
		{"nothing", "", "unknown"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := files.GuessDocType(tc.text, nil)
			if got != tc.want {
				t.Errorf("type = %q, want %q", got, tc.want)
			}
			if !vocabulary.DocumentTypes.Has(got) {
				t.Errorf("%q is no type", got)
			}
		})
	}
	if got := files.GuessDocType("Page one.\nPage two.\nCOMPLAINT\n", []int{0, 10, 20}); got != "unknown" {
		t.Errorf("a title on the marked third page counts: %q", got)
	}
}

func FuzzGuessDocType(f *testing.F) {
	f.Add("COMPLAINT\n\n1. [Party 1]", 3)
	f.Add("\xff\xfe# **DRAFT** LEASE AGREEMENT", 0)
	f.Add(strings.Repeat("MOTION FOR ", 500), 1)
	f.Fuzz(func(t *testing.T, text string, page int) {
		if got := files.GuessDocType(text, []int{0, page, page}); !vocabulary.DocumentTypes.Has(got) {
			t.Errorf("%q is no type", got)
		}
	})
}
