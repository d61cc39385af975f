// Package vocabulary holds the words that fields of the interface take, once for everybody: the services check against
// them, and tests hold the OpenAPI document, the command line and the browser app to them.
package vocabulary

import "slices"

// Words are the values that a field takes. They never change once they are made.
type Words struct{ list []string }

func of(words ...string) Words { return Words{words} }

// All returns the words, in the order in which answers and messages list them.
func (w Words) All() []string { return slices.Clone(w.list) }

// OrNone returns the words after "", for a field that may have no value.
func (w Words) OrNone() []string { return append([]string{""}, w.list...) }

// Has reports whether word is one of them.
func (w Words) Has(word string) bool { return slices.Contains(w.list, word) }

// Len returns how many there are.
func (w Words) Len() int { return len(w.list) }

// Of cases.
var (
	CaseStatuses      = of("intake", "open", "on_hold", "closed", "archived")
	MatterKinds       = of("litigation", "arbitration", "administrative", "transaction", "advisory", "appeal", "other")
	ForumSystems      = of("federal", "state", "tribal", "agency", "arbitration", "foreign", "none")
	CaseSides         = of("claimant", "respondent", "both", "neutral", "non_adversarial")
	StageCodeSets     = of("litigation", "counseling", "project", "bankruptcy", "other")
	AmountBases       = of("stated", "estimated", "extracted")
	ProfessionalKinds = of("lawyer", "paralegal_under_lawyer", "notary", "mediator", "accredited_rep", "other")
	Privileges        = of("none", "attorney_client", "work_product", "settlement", "mediation")
	AIPolicies        = of("no_model", "local_model_only", "model_allowed")
	ClientConsents    = of("not_required", "obtained", "refused", "unknown")
	ConflictStatuses  = of("not_run", "clear", "potential", "waived", "blocked")
	ConflictDecisions = of("clear", "waived", "blocked")
	Openers           = of("owners", "users", "agents")
	ConflictPolicies  = of("flag", "block")
	A2AContainers     = of("ask", "new_case")
	Stakes            = of(
		"money", "housing", "employment", "benefits", "custody",
		"civil_rights", "immigration", "liberty", "safety", "reputation",
	)
	CloseReasons = of(
		"settled", "judgment", "dismissed", "withdrawn", "advice_given",
		"referred", "declined", "transaction_completed", "other",
	)
)

// LitigationTasks are the tasks of UTBMS litigation by their phase.
func LitigationTasks() map[string][]string {
	return map[string][]string{
		"L100": {"L110", "L120", "L130", "L140", "L150", "L160", "L190"},
		"L200": {"L210", "L220", "L230", "L240", "L250", "L260"},
		"L300": {"L310", "L320", "L330", "L340", "L350", "L390"},
		"L400": {"L410", "L420", "L430", "L440", "L450", "L460", "L470"},
		"L500": {"L510", "L520", "L530"},
	}
}

// Of files.
var (
	FileStatuses       = of("active", "superseded", "deleted")
	ExtractionStatuses = of("ok", "low_quality", "needs_ocr", "damaged", "encrypted", "unsupported")
	// DocumentTypes stand in the order of the phases of work in which they are expected.
	DocumentTypes = of(
		// L100: assessment of the case.
		"engagement_letter", "conflict_memo", "litigation_hold", "intake_summary", "chronology", "evidence_index",
		"demand_letter", "damages_worksheet", "budget", "settlement_offer", "expert_cv",
		// L200: pleadings and motions.
		"complaint", "civil_cover_sheet", "summons", "proof_of_service", "waiver_of_service", "answer", "counterclaim",
		"motion_dismiss", "opposition", "reply", "scheduling_order", "tro_motion", "summary_judgment_motion",
		"statement_of_facts", "class_cert_motion", "order",
		// L300: discovery.
		"rule26f_report", "initial_disclosures", "interrogatories", "rfp", "rfa", "discovery_response", "privilege_log",
		"protective_order", "production_index", "deposition_notice", "transcript", "subpoena", "expert_report",
		"discovery_motion",
		// L400: trial.
		"witness_list", "exhibit_list", "motion_in_limine", "pretrial_order", "jury_instructions", "verdict_form",
		"trial_brief", "judgment", "post_trial_motion", "fee_motion", "writ_of_execution",
		// L500: appeal.
		"notice_of_appeal", "docketing_statement", "record_index", "opening_brief", "response_brief", "reply_brief",
		"appendix", "oral_argument_outline", "appellate_opinion", "rehearing_petition",
		// Transactions.
		"term_sheet", "nda", "draft_agreement", "redline", "disclosure_schedule", "closing_checklist",
		"executed_agreement", "board_consent", "filing_receipt",
		"other", "unknown",
	)
)

// Of phases and branches.
var (
	ContainerTypes  = of("case", "support", "sales")
	RequestTypes    = of("eval_req", "case_req", "support_req", "sales_req", "admin_req")
	PhaseStatuses   = of("queued", "running", "interrupted", "completed", "refused", "failed", "cancelled")
	ReviewStatuses  = of("not_required", "pending", "approved", "amended", "rejected")
	ReviewDecisions = of("approved", "amended", "rejected")
	// BranchPurposes are those that a caller gives a branch; the first branch of a timeline is the main one.
	BranchPurposes = of("alternative", "opposing_view", "draft")
	EngineModes    = of("deterministic", "model")
)

// Of entries of a timeline.
var (
	// WrittenEntryKinds are the kinds of entry that callers write. The others are the service's own.
	WrittenEntryKinds = of(
		"fact", "filing", "hearing", "deadline", "communication", "payment", "agreement", "authority",
	)
	EntryKinds = of(append(
		WrittenEntryKinds.All(), "file_added", "phase", "review", "status_change", "invite",
	)...)
	EntryOrigins       = of("extracted", "computed", "agent", "user", "system")
	EntryReviews       = of("unreviewed", "confirmed", "rejected")
	DatePrecisions     = of("day", "month", "year", "approximate")
	AuthorityKinds     = of("case", "statute", "regulation", "rule")
	AuthorityChecks    = of("format_ok", "matched_in_files", "listed_by_firm", "name_differs", "not_found", "unchecked")
	DeadlineStatuses   = of("proposed", "confirmed", "met", "missed", "vacated")
	DeadlineCertainty  = of("explicit", "computed", "inferred")
	DeadlineUnits      = of("days", "months", "hours")
	DeadlineDirections = of("forward", "backward")
)

// Of parties. The roles in litigation follow the participant list of OASIS Electronic Court Filing.
var (
	PartyKinds      = of("individual", "organization", "government", "estate", "trust", "class", "minor", "unknown")
	PartySides      = of("ours", "adverse", "neutral", "unknown")
	PartyStatuses   = of("active", "dismissed", "withdrawn", "merged")
	Representations = of("this_firm", "other_counsel", "self", "unknown")
	EntityTypes     = of("corporation", "llc", "partnership", "nonprofit", "agency", "sole_proprietor", "other")
	AgeBands        = of("minor", "18_29", "30_44", "45_64", "65_plus")
	PartyRoles      = of(
		"plaintiff", "defendant", "petitioner", "respondent", "third_party_plaintiff", "third_party_defendant",
		"intervenor", "appellant", "appellee", "claimant", "creditor", "debtor", "buyer", "seller", "lessor", "lessee",
		"employer", "employee", "witness", "expert", "guardian_ad_litem", "next_friend", "trustee", "beneficiary",
		"executor", "heir", "insurer", "amicus", "interested_party", "other",
	)
)

// Of the directory of professionals and of invites.
var (
	PartnerKinds = of(
		"lawyer", "law_firm", "notary", "mediator", "arbitrator", "expert_witness", "paralegal", "translator",
		"investigator", "court_reporter", "agent_service",
	)
	LicenceStatuses = of("active", "inactive", "suspended", "unverified")
	Availabilities  = of("open", "limited", "closed")
	FeeModels       = of("hourly", "fixed", "contingent", "pro_bono", "subscription")
	InviteRoles     = of("co_counsel", "referral", "second_opinion", "expert", "mediator", "translator", "other")
	InviteStatuses  = of("proposed", "pending", "accepted", "declined", "expired", "revoked", "ended")
)
