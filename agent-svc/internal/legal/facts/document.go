package facts

import "strings"

// Kind says what sort of document a text is, as far as that decides how its words are to be taken: what a contract
// provides for has not happened, and what a complaint demands is demanded.
type Kind string

// The kinds of document.
const (
	Pleading   Kind = "pleading"
	Motion     Kind = "motion"
	AppealDoc  Kind = "appeal"
	CourtOrder Kind = "order"
	Contract   Kind = "contract"
	Notice     Kind = "notice"
	Evidence   Kind = "evidence"
	Plain      Kind = "" // nothing says
)

// Title is what a document calls itself.
type Title struct {
	Span
	Kind Kind
	Name string // in words of ours, such as "employment agreement"; empty when the kind came from the file's record
}

const (
	titleLines   = 40 // in which a title is looked for
	titleBytes   = 6000
	longestTitle = 110 // bytes of a line that can be a title
)

// TitleOf finds the title of a text: among its first lines, one in capitals or in the capitals of a title that names a
// sort of document. docType is that of the file's record; where it says more than the text, it counts.
func TitleOf(text, docType string) Title {
	var found Title
	n := 0
	eachLine(head(text, titleBytes), func(line Span) bool {
		n++
		if line.End-line.Start <= longestTitle && titleLike(line.In(text)) {
			if kind, name := documentNamed(strings.ToLower(Fold(line.In(text)))); name != "" {
				found = Title{line, kind, name}
				return false
			}
		}

		return n < titleLines
	})
	// The type on record may come from a person, so it outweighs what the first lines seem to say.
	if kind := kindOfType(docType); kind != Plain && found.Kind != kind {
		found = Title{Kind: kind}
	}

	return found
}

// titleLike reports whether every longer word of a line begins with a capital.
func titleLike(line string) bool {
	letters := 0

	for word := range strings.FieldsSeq(line) {
		c := word[0]
		if !isWord(c) {
			continue
		}
		// Titles leave short words small: "Notice of the Motion".
		if c >= 'a' && c <= 'z' && len(word) > 4 {
			return false
		}
		if isUpper(c) {
			letters++
		}
	}

	return letters > 0
}

// documentNamed returns what a title in lower case names. The first entry that it holds counts, so the narrower stand
// first.
func documentNamed(title string) (Kind, string) {
	for _, t := range [...]struct {
		words string
		kind  Kind
		name  string
	}{
		{"class action complaint", Pleading, "class action complaint"},
		{"third-party complaint", Pleading, "third-party complaint"},
		{"notice of appeal", AppealDoc, "notice of appeal"},
		{"brief of appell", AppealDoc, "appellate brief"},
		{"appellant's", AppealDoc, "appellate brief"},
		{"appellee's", AppealDoc, "appellate brief"},
		{"opening brief", AppealDoc, "appellate brief"},
		{"petition for review", AppealDoc, "petition for review"},
		{"motion", Motion, "motion"},
		{"memorandum of law", Motion, "memorandum of law"},
		{"opposition to", Motion, "opposition"},
		{"order to show cause", Motion, "order to show cause"},
		{"application for", Motion, "application"},
		{"complaint", Pleading, "complaint"},
		{"counterclaim", Pleading, "counterclaim"},
		{"answer", Pleading, "answer"},
		{"petition", Pleading, "petition"},
		{"employment agreement", Contract, "employment agreement"},
		{"employment contract", Contract, "employment agreement"},
		{"non-disclosure agreement", Contract, "non-disclosure agreement"},
		{"nondisclosure agreement", Contract, "non-disclosure agreement"},
		{"confidentiality agreement", Contract, "non-disclosure agreement"},
		{"settlement agreement", Contract, "settlement agreement"},
		{"commercial lease", Contract, "commercial lease"},
		{"residential lease", Contract, "residential lease"},
		{"lease", Contract, "lease"},
		{"purchase agreement", Contract, "purchase agreement"},
		{"license agreement", Contract, "license agreement"},
		{"services agreement", Contract, "services agreement"},
		{"loan agreement", Contract, "loan agreement"},
		{"promissory note", Contract, "promissory note"},
		{"notice to quit", Notice, "notice to quit"},
		{"notice to vacate", Notice, "notice to vacate"},
		{"notice to pay", Notice, "notice to pay"},
		{"notice of default", Notice, "notice of default"},
		{"notice of breach", Notice, "notice of breach"},
		{"demand letter", Notice, "demand letter"},
		{"demand for payment", Notice, "demand letter"},
		{"affidavit", Evidence, "affidavit"},
		{"declaration of", Evidence, "declaration"},
		{"deposition", Evidence, "deposition"},
		{"expert report", Evidence, "expert report"},
		{"transcript", Evidence, "transcript"},
		{"judgment", CourtOrder, "judgment"},
		{"opinion and order", CourtOrder, "order"},
		{"scheduling order", CourtOrder, "scheduling order"},
		{"order", CourtOrder, "order"},
		{"agreement", Contract, "agreement"},
		{"contract", Contract, "contract"},
		{"amendment to", Contract, "amendment"},
	} {
		if holdsAny(title, t.words) {
			return t.kind, t.name
		}
	}

	return Plain, ""
}

// kindOfType returns the kind of a document type of the case's files.
func kindOfType(docType string) Kind {
	switch docType {
	case "complaint", "answer", "counterclaim":
		return Pleading
	case "motion_dismiss", "opposition", "reply", "tro_motion", "summary_judgment_motion", "class_cert_motion",
		"discovery_motion", "motion_in_limine", "fee_motion", "post_trial_motion":
		return Motion
	case "notice_of_appeal", "docketing_statement", "opening_brief", "response_brief", "reply_brief",
		"rehearing_petition":
		return AppealDoc
	case "order", "scheduling_order", "judgment", "protective_order", "pretrial_order", "appellate_opinion":
		return CourtOrder
	case "term_sheet", "nda", "draft_agreement", "redline", "executed_agreement", "engagement_letter":
		return Contract
	case "demand_letter":
		return Notice
	case "transcript", "expert_report", "discovery_response", "initial_disclosures", "expert_cv":
		return Evidence
	}

	return Plain
}
