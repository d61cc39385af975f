package answers_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/complexity"
	"github.com/subrosa-legal/subrosa/pkg/api"
)

var update = flag.Bool("update", false, "write the golden files anew")

func factor(t *testing.T, e *api.Evaluation, feature string) api.Factor {
	t.Helper()
	i := slices.IndexFunc(e.Breakdown, func(f api.Factor) bool { return f.Feature == feature })
	if i < 0 {
		t.Fatalf("no factor %s", feature)
	}

	return e.Breakdown[i]
}

func TestEvaluationGolden(t *testing.T) {
	r, _ := do(t, task(api.EvalReq, "Evaluate"), samples(t)["complaint"])
	got, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("testdata", "complaint.golden.json")
	if *update {
		if err := os.WriteFile(path, append(got, '\n'), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(bytes.TrimSpace(want)), string(got)); diff != "" {
		t.Errorf("the evaluation differs from %s (-want +got):\n%s", path, diff)
	}
}

// TestEvaluationAddsUp wants the points of the streamed table to add up to the score that the evaluation states.
func TestEvaluationAddsUp(t *testing.T) {
	for name, s := range samples(t) {
		r, _ := do(t, task(api.EvalReq, "Evaluate"), s)
		sum, rows := 0.0, 0

		for line := range strings.Lines(r.Text) {
			cells := strings.Split(line, "|")
			var points float64
			if len(cells) != 8 || strings.Contains(line, "**") {
				continue
			}
			if _, err := fmt.Sscan(cells[4], &points); err == nil {
				sum += points
				rows++
			}
		}
		if sum != r.Evaluation.Score || rows != 10 {
			t.Errorf("%s: %d rows of the table add up to %v, the score is %v", name, rows, sum, r.Evaluation.Score)
		}
		if !strings.Contains(r.Text, fmt.Sprintf("**%v**", r.Evaluation.Score)) {
			t.Errorf("%s: the sum of the table is not the score %v", name, r.Evaluation.Score)
		}
	}
}

func TestEvaluationsOfFiles(t *testing.T) {
	tro := "UNITED STATES DISTRICT COURT\n\nVERIFIED COMPLAINT\n\n[Company 1], Plaintiff, v. [Person 1] and [Company 2], Defendants.\n\nPlaintiff seeks a temporary restraining order to enforce the non-compete.\n\nCOUNT I\nCOUNT II\nCOUNT III\n"
	for _, tc := range []struct {
		name  string
		texts []string
		want  map[string]string // feature to its value
	}{
		{"complaint for an order", []string{tro}, map[string]string{"parties": "3 parties", "claims": "3 claims or issues", "type": "injunction or restraining order", "stakes": "employment", "forum": "federal court", "amount": "unknown"}},
		{"complaint without counts", []string{"SUPERIOR COURT\n\nCOMPLAINT\n\n[Party 1] v. [Party 2]. The mower broke."}, map[string]string{"claims": "1 claim or issue", "forum": "state court"}},
		{"class action", []string{"UNITED STATES DISTRICT COURT\n\nCLASS ACTION COMPLAINT\n\nunder the Sherman Act, for a nationwide class, and all others similarly situated"}, map[string]string{
			"type": "class action, multidistrict litigation or mass tort (class action); provisionally complex subject (antitrust)", "forum": "federal court; more than one jurisdiction",
		}},
		{"custody", []string{"FAMILY COURT\n\nPETITION\n\n[Party 1] asks for sole legal custody of the minor child [Minor 1]. A custody evaluation was made."}, map[string]string{"stakes": "custody", "type": "driven by experts"}},
		{"asylum", []string{"IMMIGRATION COURT\n\nBRIEF IN SUPPORT OF MOTION\n\n[Person 1], a citizen of Ukraine, applies for asylum. An interpreter is needed. The individual hearing is set for October 20, 2025."}, map[string]string{
			"forum": "agency; foreign law or party", "stakes": "immigration", "coordination": "translation needed", "time": "40 days to the nearest open deadline",
		}},
		{"ten witnesses and a criminal case", []string{"COMPLAINT\n\nThere are twelve fact witnesses and a pending criminal case."}, map[string]string{"coordination": "ten or more witnesses (12); parallel criminal matter"}},
		{"appeal", []string{"UNITED STATES COURT OF APPEALS\n\nNOTICE OF APPEAL\n\n[Party 1], Appellant"}, map[string]string{"type": "appeal"}},
		{"codes of two states", []string{"COMPLAINT\n\nCal. Civ. Code § 1942 and N.Y. Gen. Bus. Law § 349"}, map[string]string{"forum": "more than one jurisdiction", "authority": "2 cases and statutes cited"}},
		{"past deadlines are not open", []string{"LETTER\n\nReply no later than May 1, 2024."}, map[string]string{"time": "unknown"}},
		{"mention of eviction in a letter once", []string{"He spoke of eviction once."}, map[string]string{"stakes": "unknown"}},
		{"breaches claimed", []string{"NOTICE OF BREACH\n\n[Party 2] has breached Section 3 and has violated Section 9.1."}, map[string]string{"claims": "2 claims or issues"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := newCaseFiles()
			for i, text := range tc.texts {
				s.add(fmt.Sprintf("Document %d.txt", i+1), text)
			}

			r, _ := do(t, task(api.EvalReq, "Evaluate"), s)
			for feature, want := range tc.want {
				f := factor(t, r.Evaluation, feature)
				if f.Value != want {
					t.Errorf("%s: %q, want %q", feature, f.Value, want)
				}
				if f.Basis == complexity.Extracted && len(f.Sources) == 0 {
					t.Errorf("%s is extracted without a source", feature)
				}
			}
		})
	}
}

func TestGivenFactsCount(t *testing.T) {
	tk := task(api.EvalReq, "Evaluate")
	tk.Container.Case = &api.Case{
		MatterKind: "appeal", Stakes: []string{"custody"}, Forum: &api.Forum{System: "tribal"}, Counts: api.CaseCounts{Parties: 9, OpenDeadlines: 1},
		AmountInControversy: &api.Controversy{Money: api.Money{Amount: "5000000.00", Currency: "USD"}, Basis: "stated"},
	}

	r, _ := do(t, tk, samples(t)["complaint"])
	for feature, want := range map[string]string{"parties": "9 parties", "amount": "5,000,000.00 USD", "forum": "tribal court", "stakes": "custody", "type": "appeal", "time": "unknown"} {
		f := factor(t, r.Evaluation, feature)
		if f.Value != want || want != "unknown" && f.Basis != complexity.Given {
			t.Errorf("%s: %q (%s), want %q (given)", feature, f.Value, f.Basis, want)
		}
	}
	if !strings.Contains(strings.Join(r.Limits, " "), "open deadlines on record") {
		t.Errorf("limits %q do not tell of the deadline without a date", r.Limits)
	}
	tk.Container.Case.AmountInControversy.Currency = "EUR"
	r, _ = do(t, tk, samples(t)["complaint"])
	if f := factor(t, r.Evaluation, "amount"); f.Value != "unknown" || !strings.Contains(strings.Join(r.Limits, " "), "in EUR") {
		t.Errorf("an amount in euros is %q", f.Value)
	}

	for _, amount := range []string{"", "x", "-5", "1e9", "99999999999999999999"} {
		tk.Container.Case.AmountInControversy = &api.Controversy{Money: api.Money{Amount: amount, Currency: "USD"}}
		r, _ = do(t, tk, newCaseFiles())
		if f := factor(t, r.Evaluation, "amount"); f.Value != "unknown" {
			t.Errorf("the amount %q gives %q", amount, f.Value)
		}
	}
}

func TestUnratedWithoutAnything(t *testing.T) {
	r, _ := do(t, task(api.EvalReq, "Evaluate"), newCaseFiles())
	e := r.Evaluation
	if e.Tier != nil || e.TierName != "unrated" || e.Score != 25 || len(e.Questions) != 10 || e.Suggested.Title != "" {
		t.Errorf("evaluation of nothing: %+v", e)
	}
	if !strings.Contains(r.Text, "## Unrated") || !r.HumanReview.Required {
		t.Errorf("text\n%s", r.Text)
	}
}

func TestTitles(t *testing.T) {
	for _, tc := range []struct{ name, text, want string }{
		{"complaint", "COMPLAINT\n\n[Party 3], Plaintiff, v. [Company 1], Defendant.", "Complaint, [Party 3] and [Company 1]"},
		{"eviction", "COMPLAINT FOR EVICTION\n\n[Party 1] v. [Party 2]\n\nunlawful detainer", "Eviction matter, [Party 1] and [Party 2]"},
		{"employment agreement", "EMPLOYMENT AGREEMENT\n\nbetween [Company 1] (the “Employer”) and [Party 1] (the “Employee”)", "Employment agreement matter, [Company 1] and [Party 1]"},
		{"sides in the other order", "LEASE\n\n[Party 2] (“Tenant”) rents from [Party 1] (“Landlord”)", "Lease matter, [Party 1] and [Party 2]"},
		{"labels alone", "Some note on [Party 1] and [Party 2].", "Matter of [Party 1] and [Party 2]"},
		{"nothing", "Some note.", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r, _ := do(t, task(api.EvalReq, "Evaluate"), newCaseFiles().add("Document 1.txt", tc.text))
			if got := r.Evaluation.Suggested.Title; got != tc.want {
				t.Errorf("title %q, want %q", got, tc.want)
			}
		})
	}
	tk := task(api.EvalReq, "Evaluate")
	tk.Container.Case.PracticeAreas = []api.PracticeArea{{Scheme: "LIST", Code: "HO-02-00-00-00", Label: "Eviction", Primary: true}}
	r, _ := do(t, tk, samples(t)["complaint"])
	if got, want := r.Evaluation.Suggested.Title, "Eviction matter, [Party 1] and [Company 1]"; got != want {
		t.Errorf("title %q, want %q", got, want)
	}
}

func TestSameInputsSameBytes(t *testing.T) {
	for name, s := range samples(t) {
		for _, tk := range []legal.Task{task(api.EvalReq, "Evaluate"), task(api.CaseReq, "List the authorities"), task(api.CaseReq, "Summarise the files"), task(api.CaseReq, "rent")} {
			var first []byte

			for range 3 {
				r, _ := do(t, tk, s)
				b, err := json.Marshal(r)
				if err != nil {
					t.Fatal(err)
				}
				if first == nil {
					first = b
				}
				if !bytes.Equal(first, b) {
					t.Errorf("%s, %s: two runs differ:\n%s", name, tk.Prompt, cmp.Diff(string(first), string(b)))
				}
			}
		}
	}
}

// TestAMatterWithoutAPleadingSaysWhatItIs wants the features of a deal beside the rubric, with their sources, and what
// is missing.
func TestAMatterWithoutAPleadingSaysWhatItIs(t *testing.T) {
	const purchase = "ASSET PURCHASE AGREEMENT\n\nThis Agreement is made between [Company 1] (\"Buyer\") and [Company 2] (\"Seller\").\n\n" +
		"1. Price. Buyer shall pay a purchase price of $4,200,000 at the Closing. Escrow: $420,000 of the Purchase Price is held back. The deposit is $300,000. Liability is capped at $9,000,000.\n\n" +
		"2. Buyer shall deliver its objections within 30 days after the Closing. The option ends no later than March 1, 2027.\n\n" +
		"3. This Agreement is governed by the laws of the State of Delaware.\n"
	const memo = "MEMORANDUM\n\nThe file was opened last week. Nothing was agreed yet.\n"

	for _, tc := range []struct {
		text string
		want []string
	}{
		{purchase, []string{
			"Amount of the transaction: 4,200,000.00 USD", "Parties: [Company 1], [Company 2]", "laws of the State of Delaware",
			"Time limits: 1 limit with a day and 1 period", "Not rated: no pleading found",
		}},
		{
			"LOAN MEMO\n\nThe debt of $9,000,000 is paid off from the purchase price of $4,200,000 at the closing.\n",
			[]string{"Amount of the transaction: 4,200,000.00 USD"},
		},
		{
			"ASSET PURCHASE AGREEMENT\n\nBuyer pays $3,000,000 (the \"Purchase Price\"), of the company's debts of $8,000,000 nothing.\n",
			[]string{"Amount of the transaction: 3,000,000.00 USD"},
		},
		{
			"MEMO\n\nThe purchase price is $3,000,000. The loan of $9,000,000 for the purchase price is repaid.\n",
			[]string{"Amount of the transaction: 3,000,000.00 USD"},
		},
		{
			"MEMO\n\nȺȺȺȺȺȺȺȺȺȺȺȺȺȺ The debt is $8,000,000 and the purchase price is $3,000,000.\n",
			[]string{"Amount of the transaction: 3,000,000.00 USD"},
		},
		{memo, []string{"Not found: an amount of the transaction, two parties, a choice of law, time limits", "Not rated"}},
	} {
		r, _ := do(t, task(api.EvalReq, "Evaluate"), newCaseFiles().add("Paper.txt", tc.text))
		for _, want := range tc.want {
			if !strings.Contains(r.Text, want) {
				t.Errorf("%q is missing:\n%s", want, r.Text)
			}
		}
		checkCitations(t, r, newCaseFiles().add("Paper.txt", tc.text))
	}

	r, _ := do(t, task(api.EvalReq, "Evaluate"), samples(t)["complaint"])
	if strings.Contains(r.Text, "What the papers say of the matter") {
		t.Errorf("a dispute has the features of a deal:\n%s", r.Text)
	}
}
