package drafting_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/drafting"
	"github.com/subrosa-legal/subrosa/pkg/api"
)

// pleading has a caption and the block of a signature; letter has the block of a letter.
const (
	pleading = "^"
	letter   = "{{firmName}}"
	memo     = "{{"
)

// TestThreePromptsForEachForm asks for each form in three ways, and wants what a reader looks for in it: what the
// prompt asks for in its title, its body and its prayer.
func TestThreePromptsForEachForm(t *testing.T) {
	t.Parallel()
	templates := drafting.NewTemplates()

	for _, tc := range []struct {
		prompt, form, kind string
		title              string
		relief             string // that must stand in the text
		times              int    // at least
	}{
		{
			"Draft a demand letter to [Party 2] for the unpaid rent", "demand-letter-draft", letter,
			"Demand Letter for the Unpaid Rent", "the unpaid rent", 2,
		},
		{
			"Write a letter before action demanding the return of the deposit", "demand-letter-draft", letter,
			"Demand Letter for the Return of the Deposit", "the return of the deposit", 2,
		},
		{"Prepare a letter of demand", "demand-letter-draft", letter, "Demand Letter", "{{demandedAmount}}", 1},
		{"Draft a litigation hold letter", "litigation-hold-draft", letter, "Litigation Hold Letter", "keep", 1},
		{
			"Write a preservation notice to [Party 2]", "litigation-hold-draft", letter, "Litigation Hold Letter",
			"[Party 2]", 1,
		},
		{
			"Prepare a legal hold notice", "litigation-hold-draft", letter, "Litigation Hold Letter",
			"{{custodianLabel}}", 1,
		},
		{
			"Draft a complaint for breach of contract", "complaint-draft", pleading, "Complaint for Breach of Contract",
			"for breach of contract", 2,
		},
		{
			"Draft a complaint against [Party 2] seeking a declaratory judgment", "complaint-draft", pleading,
			"Complaint for a Declaratory Judgment", "a declaratory judgment", 2,
		},
		{"Prepare the complaint", "complaint-draft", pleading, "Complaint", "{{totalDamages}}", 1},
		{"Draft an answer to the complaint", "answer-draft", pleading, "Answer", "{{withOrWithoutPrejudice}}", 1},
		{
			"Draft an answer asking for dismissal with prejudice", "answer-draft", pleading, "Answer",
			"for dismissal with prejudice", 1,
		},
		{"Prepare our responsive pleading", "answer-draft", pleading, "Answer", "PRAYER FOR RELIEF", 1},
		{
			"Draft a motion to extend the time to answer by thirty days", "motion-draft", pleading,
			"Motion to Extend the Time to Answer by Thirty Days with Memorandum of Law",
			"an order to extend the time to answer by thirty days", 3,
		},
		{
			"Draft a motion for summary judgment on Count II against [Party 2]", "motion-draft", pleading,
			"Motion for Summary Judgment on Count II with Memorandum of Law", "summary judgment on Count II", 3,
		},
		{
			"Prepare a motion with a memorandum of law", "motion-draft", pleading, "Motion with Memorandum of Law",
			"{{reliefRequested}}", 3,
		},
		{
			"Draft interrogatories to [Party 2]", "interrogatories-draft", pleading, "First Set of Interrogatories",
			"INTERROGATORY", 1,
		},
		{
			"Prepare a first set of interrogatories", "interrogatories-draft", pleading, "First Set of Interrogatories",
			"INTERROGATORY", 1,
		},
		{
			"Write first interrogatories for the defendant", "interrogatories-draft", pleading,
			"First Set of Interrogatories", "INTERROGATORY", 1,
		},
		{
			"Draft requests for production", "requests-for-production-draft", pleading,
			"First Requests for Production of Documents", "REQUEST FOR PRODUCTION", 1,
		},
		{
			"Prepare document requests to [Party 2]", "requests-for-production-draft", pleading,
			"First Requests for Production of Documents", "REQUEST FOR PRODUCTION", 1,
		},
		{
			"Write RFPs", "requests-for-production-draft", pleading, "First Requests for Production of Documents",
			"REQUEST FOR PRODUCTION", 1,
		},
		{
			"Draft requests for admission", "requests-for-admission-draft", pleading, "First Requests for Admission",
			"REQUEST FOR ADMISSION", 1,
		},
		{
			"Prepare RFAs", "requests-for-admission-draft", pleading, "First Requests for Admission",
			"REQUEST FOR ADMISSION",
			1,
		},
		{
			"Write a set of requests for admissions to [Party 2]", "requests-for-admission-draft", pleading,
			"First Requests for Admission", "REQUEST FOR ADMISSION", 1,
		},
		{"Draft a privilege log", "privilege-log-draft", pleading, "Privilege Log", "PRIVILEGE LOG", 1},
		{"Prepare our privilege log", "privilege-log-draft", pleading, "Privilege Log", "PRIVILEGE LOG", 1},
		{"Make a log of privileged documents", "privilege-log-draft", pleading, "Privilege Log", "PRIVILEGE LOG", 1},
		{"Draft a chronology memo", "chronology-draft", memo, "Chronology Memorandum", "CHRONOLOGY", 1},
		{"Write a timeline memo", "chronology-draft", memo, "Chronology Memorandum", "CHRONOLOGY", 1},
		{"Prepare a chronology memorandum", "chronology-draft", memo, "Chronology Memorandum", "CHRONOLOGY", 1},
		{"Draft a case assessment memo", "case-assessment-draft", memo, "Case Assessment Memorandum", "ASSESSMENT", 1},
		{
			"Prepare an early case assessment", "case-assessment-draft", memo, "Case Assessment Memorandum",
			"ASSESSMENT", 1,
		},
		{"Write a case memo", "case-assessment-draft", memo, "Case Assessment Memorandum", "ASSESSMENT", 1},
		{
			"Draft a client status letter", "status-letter-draft", letter, "Client Status Letter",
			"WHERE THE MATTER STANDS", 1,
		},
		{
			"Write a letter to our client", "status-letter-draft", letter, "Client Status Letter",
			"WHERE THE MATTER STANDS", 1,
		},
		{
			"Prepare a status update letter", "status-letter-draft", letter, "Client Status Letter",
			"WHERE THE MATTER STANDS", 1,
		},
		{
			"Draft a settlement agreement outline", "settlement-agreement-draft", memo, "Settlement Agreement Outline",
			"SETTLEMENT", 1,
		},
		{
			"Prepare a settlement and release", "settlement-agreement-draft", memo, "Settlement Agreement Outline",
			"SETTLEMENT", 1,
		},
		{
			"Outline a settlement agreement with [Party 2]", "settlement-agreement-draft", memo,
			"Settlement Agreement Outline", "SETTLEMENT", 1,
		},
		{"Draft an NDA issue list", "nda-issues-draft", memo, "NDA Issue List", "NDA ISSUE LIST", 1},
		{"Prepare an NDA review", "nda-issues-draft", memo, "NDA Issue List", "NDA ISSUE LIST", 1},
		{"Write a list of issues in the NDA", "nda-issues-draft", memo, "NDA Issue List", "NDA ISSUE LIST", 1},
	} {
		t.Run(tc.prompt, func(t *testing.T) {
			t.Parallel()
			c := templates.Choose(tc.prompt)
			if c.Best.Name != tc.form || c.Best.Title != tc.title {
				t.Fatalf("chose %q with the title %q, want %q with %q", c.Best.Name, c.Best.Title, tc.form, tc.title)
			}
			m := matter(t, "claimant", "complaint.txt")
			m.To, m.Relief = c.To, c.Relief

			text := fill(t, c.Best, m).Document.Markdown()
			if n := strings.Count(text, tc.relief); n < tc.times {
				t.Errorf("%q stands there %d times, want %d:\n%s", tc.relief, n, tc.times, text)
			}
			wants := []string{tc.kind}
			if tc.kind == pleading {
				wants = []string{"Case No. [Docket 1]", strings.ToUpper(tc.title), "[Party 1]", "{{attorneySignature}}"}
			}

			for _, want := range wants {
				if !strings.Contains(text, want) {
					t.Errorf("lacks %q:\n%s", want, text)
				}
			}
		})
	}
}

// TestNoFormFits has papers whose names hold those of forms, and papers for which there is none.
func TestNoFormFits(t *testing.T) {
	t.Parallel()
	templates := drafting.NewTemplates()

	for _, prompt := range []string{
		"Draft a demand for arbitration", "Draft a jury demand", "Draft an answer to interrogatories",
		"Draft our answering brief in the form of an answer brief",
		"Draft a petition for certiorari", "Draft a petition for review", "Draft a joint status report", "Draft an NDA",
		"Draft a confidentiality agreement",
		"Draft a settlement offer", "Draft a memo on the statute of limitations", "Draft a lease",
		"Draft an opposition to the motion to dismiss", "Draft a subpoena",
		"Draft a notice of appeal", "Draft an employment contract", "Draft an email to opposing counsel",
	} {
		if c := templates.Choose(prompt); c.Named {
			t.Errorf("%q is answered by the form %s", prompt, c.Best.Name)
		}
	}
}

// TestACaptionTakesNoSidesFromOtherPapers wants the sides of the pleading alone in a caption, and placeholders where
// two pleadings name other sides.
func TestACaptionTakesNoSidesFromOtherPapers(t *testing.T) {
	const complaint = "SUPERIOR COURT OF THE STATE OF OREGON\n\n[Party 1], Plaintiff,\nv.\n[Party 2], Defendant.\n\nCOMPLAINT\n\n1. [Party 2] owes rent.\n"
	const other = "SUPERIOR COURT OF THE STATE OF OREGON\n\n[Party 7], Plaintiff,\nv.\n[Party 8], Defendant.\n\nCOMPLAINT\n\n1. [Party 8] took a car.\n"
	const letter = "LETTER\n\nDefendant [Party 5] and Plaintiff [Party 6] settled their own action last year.\n"

	for _, tc := range []struct {
		name, second string
		want         []string
		not          []string
	}{
		{"a letter", letter, []string{"[Party 1]", "[Party 2]"}, []string{"[Party 5]", "[Party 6]"}},
		{"another action", other, []string{"{{plaintiffLabel}}"}, []string{"[Party 7]", "[Party 8]"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			m := matter(t, "respondent")

			for i, text := range []string{complaint, tc.second} {
				id := fmt.Sprintf("00000000-0000-7000-8000-00000000000%d", i)
				f := api.File{FileID: id, Name: "Paper.txt", DocType: "unknown"}
				m.Dossier.Add(t.Context(), f, api.FileText{FileID: f.FileID, TextVersion: 1, Text: text})
			}
			made, err := drafting.NewTemplates().Choose("Draft interrogatories").Best.Fill(m)
			if err != nil {
				t.Fatal(err)
			}
			caption, _, _ := strings.Cut(made.Document.Text(), "INTERROGATORY")

			for _, w := range tc.want {
				if !strings.Contains(caption, w) {
					t.Errorf("the caption lacks %q:\n%s", w, caption)
				}
			}

			for _, w := range tc.not {
				if strings.Contains(caption, w) {
					t.Errorf("the caption has %q:\n%s", w, caption)
				}
			}
		})
	}
}
