package checklist_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/checklist"
	"github.com/subrosa-legal/subrosa/pkg/vocabulary"
)

func TestChecklists(t *testing.T) {
	litigation := func(phase, system string) cases.Case {
		c := cases.Case{MatterKind: "litigation", Stage: cases.Stage{CodeSet: "litigation", Phase: phase}}
		if system != "" {
			c.Forum = &cases.Forum{System: system}
		}

		return c
	}
	for _, tc := range []struct {
		name string
		kase cases.Case
		have []string
		want checklist.Result
	}{
		{"federal pleadings", litigation("L200", "federal"), []string{"complaint", "order", "nda", "unknown"}, checklist.Result{
			Phase: "L200", Present: []string{"complaint", "order"}, Missing: []string{"summons", "proof_of_service", "answer", "scheduling_order", "civil_cover_sheet"},
		}},
		{"state pleadings", litigation("L200", "state"), []string{"complaint", "summons", "proof_of_service", "answer", "scheduling_order"}, checklist.Result{
			Phase: "L200", Present: []string{"complaint", "summons", "proof_of_service", "answer", "scheduling_order"},
		}},
		{"an unknown court", litigation("L500", ""), nil, checklist.Result{
			Phase: "L500", Missing: []string{"notice_of_appeal", "record_index", "opening_brief", "response_brief", "appendix", "docketing_statement"},
		}},
		{"a transaction", cases.Case{MatterKind: "transaction", Stage: cases.Stage{CodeSet: "litigation", Phase: "L100"}}, []string{"nda"}, checklist.Result{
			Phase: "transaction", Present: []string{"nda"}, Missing: []string{"term_sheet", "draft_agreement", "closing_checklist", "executed_agreement"},
		}},
		{"a project", cases.Case{MatterKind: "other", Stage: cases.Stage{CodeSet: "project", Phase: "P100"}}, []string{"term_sheet", "draft_agreement", "closing_checklist", "executed_agreement"}, checklist.Result{
			Phase: "transaction", Present: []string{"term_sheet", "draft_agreement", "closing_checklist", "executed_agreement"},
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := checklist.Of(tc.kase, tc.have)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("Of (-want +got):\n%s", diff)
			}
		})
	}

	for _, phase := range []string{"L100", "L200", "L300", "L400", "L500", "P100"} {
		for _, code := range checklist.Of(litigation(phase, "federal"), nil).Missing {
			if !vocabulary.DocumentTypes.Has(code) {
				t.Errorf("%s expects %q, which is no type of document", phase, code)
			}
		}
	}
}
