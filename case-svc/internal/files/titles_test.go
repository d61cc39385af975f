package files

import "testing"

// titles have an example for each type that a title tells.
var titles = map[string]string{
	"notice_of_appeal":        "NOTICE OF CROSS-APPEAL",
	"civil_cover_sheet":       "CIVIL COVER SHEET",
	"waiver_of_service":       "WAIVER OF THE SERVICE OF SUMMONS",
	"proof_of_service":        "AFFIDAVIT OF SERVICE",
	"summons":                 "ALIAS SUMMONS",
	"motion_dismiss":          "DEFENDANTS' MOTION TO DISMISS THE COMPLAINT",
	"summary_judgment_motion": "MOTION FOR SUMMARY JUDGMENT",
	"tro_motion":              "EMERGENCY MOTION FOR A TEMPORARY RESTRAINING ORDER",
	"class_cert_motion":       "PLAINTIFFS' MOTION FOR CLASS CERTIFICATION",
	"fee_motion":              "MOTION FOR AN AWARD OF ATTORNEYS' FEES",
	"discovery_motion":        "MOTION TO COMPEL PRODUCTION",
	"motion_in_limine":        "PLAINTIFF'S MOTIONS IN LIMINE",
	"statement_of_facts":      "STATEMENT OF UNDISPUTED MATERIAL FACTS",
	"opposition":              "MEMORANDUM OF LAW IN OPPOSITION TO THE MOTION",
	"reply":                   "REPLY BRIEF IN FURTHER SUPPORT OF THE MOTION",
	"answer":                  "VERIFIED ANSWER TO COMPLAINT",
	"counterclaim":            "DEFENDANT'S COUNTERCLAIMS",
	"complaint":               "SECOND AMENDED COMPLAINT FOR DAMAGES",
	"scheduling_order":        "CASE MANAGEMENT AND SCHEDULING ORDER",
	"protective_order":        "STIPULATED PROTECTIVE ORDER",
	"pretrial_order":          "FINAL PRE-TRIAL ORDER",
	"rule26f_report":          "JOINT RULE 26(F) REPORT",
	"initial_disclosures":     "DEFENDANT'S RULE 26(A)(1) INITIAL DISCLOSURES",
	"interrogatories":         "SECOND SET OF INTERROGATORIES TO PLAINTIFF",
	"rfp":                     "FIRST REQUESTS FOR THE PRODUCTION OF DOCUMENTS",
	"rfa":                     "REQUESTS FOR ADMISSION TO DEFENDANT",
	"discovery_response":      "OBJECTIONS AND RESPONSES TO FIRST SET OF INTERROGATORIES",
	"privilege_log":           "DEFENDANT'S PRIVILEGE LOG",
	"deposition_notice":       "NOTICE OF VIDEOTAPED DEPOSITION OF THE DRIVER",
	"subpoena":                "SUBPOENA TO TESTIFY",
	"expert_report":           "EXPERT REPORT OF THE ENGINEER",
	"witness_list":            "PLAINTIFF'S TRIAL WITNESS LIST",
	"exhibit_list":            "EXHIBIT LIST",
	"jury_instructions":       "PROPOSED JURY INSTRUCTIONS",
	"verdict_form":            "SPECIAL VERDICT FORM",
	"trial_brief":             "DEFENDANT'S TRIAL BRIEF",
	"judgment":                "DEFAULT JUDGMENT",
	"writ_of_execution":       "WRIT OF EXECUTION",
	"opening_brief":           "OPENING BRIEF FOR PLAINTIFF-APPELLANT",
	"response_brief":          "BRIEF OF THE DEFENDANT-APPELLEE",
	"order":                   "MEMORANDUM AND ORDER GRANTING THE MOTION",
	"engagement_letter":       "RETAINER AGREEMENT",
	"litigation_hold":         "NOTICE TO PRESERVE EVIDENCE",
	"demand_letter":           "FORMAL DEMAND FOR PAYMENT",
	"nda":                     "MUTUAL CONFIDENTIALITY AGREEMENT",
	"term_sheet":              "LETTER OF INTENT",
	"board_consent":           "UNANIMOUS WRITTEN CONSENT OF THE BOARD",
	"closing_checklist":       "CLOSING CHECKLIST",
	"disclosure_schedule":     "DISCLOSURE SCHEDULES",
}

// TestEveryCueTellsItsType wants an example of each cue: one without may match nothing, or stand behind a wider one
// that matches first.
func TestEveryCueTellsItsType(t *testing.T) {
	t.Parallel()
	cued := map[string]bool{agreement: true} // whose type the signature tells: TestDocumentTypes

	for _, c := range cues {
		cued[c.docType] = true
		if c.docType != agreement && titles[c.docType] == "" {
			t.Errorf("no title is tried for %s", c.docType)
		}
	}

	for want, title := range titles {
		if got := GuessDocType(title+"\n\n1. Words.", nil); got != want || !cued[want] {
			t.Errorf("%q is a document of type %s, want %s", title, got, want)
		}
	}
}
