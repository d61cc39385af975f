package files

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// cue is a title that documents of a type bear. Patterns match a whole line in capitals; the first that matches a line
// counts, so that "ANSWER TO COMPLAINT" is an answer.
type cue struct {
	docType string
	line    *regexp.Regexp
}

// who may stand before the title of a pleading.
const party = `((PLAINTIFF|DEFENDANT|PETITIONER|RESPONDENT)S?['’]?S? )?`

var cues = func() []cue {
	var all []cue
	for _, c := range [][2]string{
		{"notice_of_appeal", `NOTICE OF (CROSS-)?APPEAL`},
		{"civil_cover_sheet", `CIVIL (CASE )?COVER SHEET`},
		{"waiver_of_service", `WAIVER OF (THE )?SERVICE( OF SUMMONS)?`},
		{"proof_of_service", `(PROOF|AFFIDAVIT|CERTIFICATE) OF SERVICE`},
		{"summons", `(ALIAS )?SUMMONS( IN A CIVIL (ACTION|CASE))?`},
		{"motion_dismiss", party + `(NOTICE OF )?MOTION TO DISMISS.*`},
		{"summary_judgment_motion", party + `(NOTICE OF )?MOTION FOR (PARTIAL )?SUMMARY JUDGMENT.*`},
		{"tro_motion", party + `((EMERGENCY|EX PARTE) )?(MOTION|APPLICATION) FOR (A )?TEMPORARY RESTRAINING ORDER.*`},
		{"class_cert_motion", party + `MOTION FOR CLASS CERTIFICATION`},
		{"fee_motion", party + `MOTION FOR (AN AWARD OF )?ATTORNEYS?['’]?S? FEES.*`},
		{"discovery_motion", party + `MOTION TO COMPEL.*`},
		{"motion_in_limine", party + `MOTIONS? IN LIMINE.*`},
		{
			"statement_of_facts",
			party + `(LOCAL RULE [0-9.]+ )?STATEMENT OF (UNDISPUTED |MATERIAL |UNDISPUTED MATERIAL )?FACTS`,
		},
		{"opposition", party + `((MEMORANDUM|BRIEF) )?(OF LAW )?(IN )?(OPPOSITION|RESPONSE IN OPPOSITION) TO .*`},
		{"reply", party + `REPLY (MEMORANDUM|BRIEF)? ?(OF LAW )?(IN (FURTHER )?SUPPORT .*)?`},
		{
			"answer",
			party + `(VERIFIED |AMENDED |FIRST AMENDED )?ANSWER` +
				`( TO .*| AND (AFFIRMATIVE DEFENSES|COUNTERCLAIMS?).*|,.*)?`,
		},
		{"counterclaim", party + `COUNTERCLAIMS?`},
		{
			"complaint",
			party + `((FIRST|SECOND|THIRD|CLASS ACTION|VERIFIED|AMENDED|ORIGINAL|CONSOLIDATED|UNLAWFUL DETAINER) )*` +
				`(COMPLAINT|ORIGINAL PETITION)( FOR .*| AND .*|,.*)?`,
		},
		{"scheduling_order", `(CASE MANAGEMENT AND )?SCHEDULING ORDER`},
		{"protective_order", `(STIPULATED |CONSENT )*PROTECTIVE ORDER`},
		{"pretrial_order", `(FINAL )?PRE-?TRIAL ORDER`},
		{
			"rule26f_report",
			`(JOINT )?RULE 26\(F\) REPORT|REPORT OF (THE )?PARTIES['’]? (RULE 26\(F\)|PLANNING) (CONFERENCE|MEETING)`,
		},
		{"initial_disclosures", party + `(RULE 26\(A\)\(1\) )?INITIAL DISCLOSURES`},
		{"interrogatories", party + `(FIRST |SECOND )?(SET OF )?INTERROGATORIES( TO .*)?`},
		{"rfp", party + `(FIRST |SECOND )?(SET OF )?REQUESTS? FOR (THE )?PRODUCTION( .*)?`},
		{"rfa", party + `(FIRST |SECOND )?(SET OF )?REQUESTS? FOR ADMISSIONS?( .*)?`},
		{"discovery_response", party + `(OBJECTIONS AND )?RESPONSES? TO .*(INTERROGATORIES|REQUESTS? FOR .*)`},
		{"privilege_log", party + `PRIVILEGE LOG`},
		{"deposition_notice", party + `NOTICE OF (TAKING )?(ORAL |VIDEOTAPED )?DEPOSITION.*`},
		{"subpoena", `SUBPOENA.*|.*YOU ARE COMMANDED.*`},
		{"expert_report", `(EXPERT REPORT|REPORT OF EXPERT)( OF .*)?`},
		{"witness_list", party + `(TRIAL )?WITNESS LIST`},
		{"exhibit_list", party + `(TRIAL )?EXHIBIT LIST`},
		{"jury_instructions", party + `(PROPOSED )?JURY INSTRUCTIONS`},
		{"verdict_form", `(SPECIAL )?VERDICT( FORM)?`},
		{"trial_brief", party + `TRIAL BRIEF`},
		{"judgment", `(FINAL |DEFAULT |CONSENT )?JUDGMENT`},
		{"writ_of_execution", `WRIT OF EXECUTION`},
		{"opening_brief", `(OPENING )?BRIEF (FOR|OF) (THE )?(PLAINTIFF|DEFENDANT)?-?(APPELLANT|PETITIONER)S?`},
		{"response_brief", `BRIEF (FOR|OF) (THE )?(PLAINTIFF|DEFENDANT)?-?(APPELLEE|RESPONDENT)S?`},
		{"order", `((OPINION|MEMORANDUM|DECISION) (AND|&) )?ORDER( (GRANTING|DENYING|TO SHOW CAUSE|ON) .*)?`},
		{"engagement_letter", `(ENGAGEMENT|RETAINER) (LETTER|AGREEMENT)`},
		{"litigation_hold", `LITIGATION HOLD( NOTICE)?|NOTICE TO PRESERVE( EVIDENCE| DOCUMENTS)?`},
		{"demand_letter", `(FORMAL )?DEMAND (LETTER|FOR PAYMENT)|NOTICE OF DEMAND`},
		{"nda", `(MUTUAL )?(NON-?DISCLOSURE|CONFIDENTIALITY) AGREEMENT`},
		{"term_sheet", `(SUMMARY OF TERMS|TERM SHEET|LETTER OF INTENT).*`},
		{"board_consent", `(UNANIMOUS )?WRITTEN CONSENT OF (THE )?(BOARD|SOLE DIRECTOR|DIRECTORS).*`},
		{"closing_checklist", `CLOSING CHECKLIST`},
		{"disclosure_schedule", `DISCLOSURE SCHEDULES?`},
		{agreement, `((\w|-)+ ){0,6}(AGREEMENT|LEASE|CONTRACT)`},
	} {
		all = append(all, cue{c[0], regexp.MustCompile(`^(?:` + c[1] + `)$`)})
	}

	return all
}()

// agreement stands for a contract until it is known whether it was signed.
const agreement = "agreement"

// Bounds of what a guess looks at: two pages, and of each line what a title can be long.
const (
	guessChars  = 6000
	guessTitle  = 120
	guessTitles = 60
)

// GuessDocType tells a document's type by the titles on its first two pages. pageStarts are those of the text, in code
// points. It returns unknown when nothing speaks, or when two types have equal claims.
func GuessDocType(text string, pageStarts []int) string {
	head := firstPages(text, pageStarts)
	votes := map[string]int{}
	seen := 0

	for line := range strings.Lines(head) {
		title, ok := titleOf(line)
		if !ok {
			continue
		}
		if seen++; seen > guessTitles {
			break
		}

		for _, c := range cues {
			if c.line.MatchString(title) {
				votes[c.docType]++
				break
			}
		}
	}

	best, most, tie := "unknown", 0, false
	for t, n := range votes {
		if n > most {
			best, most, tie = t, n, false
		} else if n == most {
			tie = true
		}
	}

	switch {
	case tie:
		return "unknown"
	case best == agreement:
		return signed(text, head)
	}

	return best
}

// firstPages cuts the text after its second page.
func firstPages(text string, pageStarts []int) string {
	most := guessChars
	if len(pageStarts) > 2 {
		most = min(most, pageStarts[2])
	}

	n := 0
	for i := range text {
		if n == most {
			return text[:i]
		}
		n++
	}

	return text
}

// titleOf returns a line as a title in capitals. A line of running text is none: titles are set in capitals, or marked
// as headings.
func titleOf(line string) (string, bool) {
	line = strings.TrimSpace(line)
	heading := strings.HasPrefix(line, "#") || strings.HasPrefix(line, "**")
	line = strings.Trim(line, "#*_ \t:.")
	if line == "" || utf8.RuneCountInString(line) > guessTitle {
		return "", false
	}
	upper := strings.ToUpper(line)
	capitals := upper == line && strings.ContainsFunc(line, unicode.IsLetter)
	if !capitals && !heading && !strings.Contains(upper, "YOU ARE COMMANDED") {
		return "", false
	}

	return strings.Join(strings.Fields(upper), " "), true
}

var (
	signature = regexp.MustCompile(
		`(?m)(^|\s)/s/ |^\s*(By|Signed|Signature): *(/s/ *)?\[(Party|Person|Witness|Org|Company) [1-9][0-9]{0,3}\]`,
	)
	blankLine = regexp.MustCompile(`(?mi)^\s*(by|signed|signature): *_{3,}`)
	draftMark = regexp.MustCompile(`(?m)\bDRAFT\b`)
)

// signed tells a signed agreement from a draft, or says unknown when the text shows neither.
func signed(text, head string) string {
	switch {
	case draftMark.MatchString(head):
		return "draft_agreement"
	case signature.MatchString(text):
		return "executed_agreement"
	case blankLine.MatchString(text):
		return "draft_agreement"
	}

	return "unknown"
}
