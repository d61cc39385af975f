package answers_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/answers"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/guard"
)

func TestPartiesOnRecord(t *testing.T) {
	s := newCaseFiles().add("Complaint.txt", "[Party 1], Plaintiff, v. [Party 3], Defendant.\n")
	s.parties = []api.Party{
		{Label: "[Party 1]", Role: "plaintiff", Side: "ours", IsClient: true, Representation: "represented", Status: "active"},
		{Label: "[Party 2]", Role: "third_party_defendant", Side: "opposing", Representation: "unknown", Status: "withdrawn"},
	}

	r, _ := do(t, task(api.CaseReq, "Who are the parties?"), s)
	for _, want := range []string{
		"2 parties are on record", "| [Party 1] | plaintiff | ours, client | represented | 1 |", "| [Party 2] | third party defendant | opposing, withdrawn | unknown | 0 |",
		"Labels of the files without a record: [Party 3].", "2 labels stand for parties",
	} {
		if !strings.Contains(r.Text, want) {
			t.Errorf("the answer lacks %q:\n%s", want, r.Text)
		}
	}
	s.partiesErr = errors.New("away")
	r, d := do(t, task(api.CaseReq, "Who are the parties?"), s)
	if !strings.Contains(strings.Join(r.Limits, " "), "parties on record could not be read") || !strings.Contains(r.Text, "2 labels stand") || d.open != 0 {
		t.Errorf("with party-svc away: limits %q\n%s", r.Limits, r.Text)
	}
}

func TestPartners(t *testing.T) {
	s := newCaseFiles()
	s.partners = []api.Partner{{
		PartnerID: "0198c1de-0000-7000-8000-000000000001", DisplayName: "Quillon Zorbanek", Kind: "law_firm", Availability: "open",
		Licences: []api.Licence{{Jurisdiction: "US-CA", Status: "active"}, {Jurisdiction: "US-NY", Status: "inactive"}},
		Match:    &api.PartnerMatch{Score: 45, Reasons: []string{"active licence in US-CA: 30 points", "works in housing: 15 points"}},
	}}

	r, _ := do(t, task(api.CaseReq, "Which partners fit this case?"), s)
	for _, want := range []string{"1 professional fits the case", "law firm, licensed in US-CA, available: open (partnerId 0198c1de-0000-7000-8000-000000000001)", "45 points: active licence in US-CA: 30 points"} {
		if !strings.Contains(r.Text, want) {
			t.Errorf("the answer lacks %q:\n%s", want, r.Text)
		}
	}
	tk := task(api.CaseReq, "Which partners fit this case?")
	tk.Container.Case.Jurisdiction, tk.Container.Case.PracticeAreas = "US", nil

	r, _ = do(t, tk, s)
	for _, want := range []string{"The case has no practice area, so none was compared", "a licence of any state counts here"} {
		if !strings.Contains(r.Text, want) || !strings.HasSuffix(r.Text, "\n") || strings.HasSuffix(r.Text, "\n\n") {
			t.Errorf("the answer lacks %q, or ends in empty lines:\n%s", want, r.Text)
		}
	}
	if strings.Contains(r.Text, "Zorbanek") {
		t.Error("the answer names somebody")
	}
	if r, _ = do(
		t, task(api.CaseReq, "Recommend an attorney"), newCaseFiles(),
	); !strings.Contains(r.Text, "No professional of the directory fits") {
		t.Errorf("of an empty directory:\n%s", r.Text)
	}
	s.partiesErr = errors.New("away")
	which := task(api.CaseReq, "Which partners fit this case?")
	if _, err := answers.NewEngine(guard.New()).Do(t.Context(), which, s, &diary{}); err == nil {
		t.Error("a directory that is away makes an answer")
	}
}
