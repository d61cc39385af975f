// Package checklist knows which documents a matter is expected to have at its stage.
package checklist

import (
	"slices"
	"strings"

	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
)

// Transaction is the stage of matters that are no dispute.
const Transaction = "transaction"

// stage lists the types of documents of a stage: those that nearly every matter has by then, those that only matters in
// federal courts have, and those that only some have.
type stage struct{ core, federal, other []string }

var stages = map[string]stage{
	"L100": {
		core: strings.Fields(
			"engagement_letter conflict_memo litigation_hold intake_summary chronology evidence_index",
		),
		other: strings.Fields("demand_letter damages_worksheet budget settlement_offer expert_cv"),
	},
	"L200": {
		core:    strings.Fields("complaint summons proof_of_service answer scheduling_order"),
		federal: strings.Fields("civil_cover_sheet"),
		other: strings.Fields("waiver_of_service counterclaim motion_dismiss opposition reply tro_motion " +
			"summary_judgment_motion statement_of_facts class_cert_motion order"),
	},
	"L300": {
		core: strings.Fields(
			"interrogatories rfp discovery_response privilege_log production_index deposition_notice",
		),
		federal: strings.Fields("rule26f_report initial_disclosures"),
		other:   strings.Fields("rfa protective_order transcript subpoena expert_report discovery_motion"),
	},
	"L400": {
		core: strings.Fields("witness_list exhibit_list pretrial_order trial_brief judgment"),
		other: strings.Fields(
			"motion_in_limine jury_instructions verdict_form post_trial_motion fee_motion writ_of_execution",
		),
	},
	"L500": {
		core:    strings.Fields("notice_of_appeal record_index opening_brief response_brief appendix"),
		federal: strings.Fields("docketing_statement"),
		other:   strings.Fields("reply_brief oral_argument_outline appellate_opinion rehearing_petition"),
	},
	Transaction: {
		core:  strings.Fields("term_sheet draft_agreement closing_checklist executed_agreement"),
		other: strings.Fields("nda redline disclosure_schedule board_consent filing_receipt"),
	},
}

// Result compares what is there with what is expected.
type Result struct {
	Phase   string
	Present []string // types of the stage of which there is a document
	Missing []string // expected types of which there is none
}

// phaseOf is the stage of a case. Counselling, projects, transactions and every phase that has no stage of its own, as
// those of a bankruptcy, are all one.
func phaseOf(c cases.Case) string {
	_, known := stages[c.Stage.Phase]
	if c.MatterKind == "transaction" || c.Stage.CodeSet == "counseling" || c.Stage.CodeSet == "project" || !known {
		return Transaction
	}

	return c.Stage.Phase
}

// Of compares the types of the active documents of a case with its stage. What is for federal courts is expected there,
// and where nothing says which court it is.
func Of(c cases.Case, docTypes []string) Result {
	phase := phaseOf(c)
	s := stages[phase]
	federal := c.Forum == nil || c.Forum.System == "federal"
	r := Result{Phase: phase}

	for _, t := range slices.Concat(s.core, s.federal, s.other) {
		switch {
		case slices.Contains(docTypes, t):
			r.Present = append(r.Present, t)
		case slices.Contains(s.core, t), federal && slices.Contains(s.federal, t):
			r.Missing = append(r.Missing, t)
		}
	}

	return r
}
