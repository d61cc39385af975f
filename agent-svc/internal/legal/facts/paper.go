package facts

import (
	"slices"
	"strings"
)

// Papers of procedure, as far as periods tell them apart.
const (
	paperComplaint       = "complaint"
	paperAmended         = "amended"
	paperAnswer          = "answer"
	paperCounterclaim    = "counterclaim"
	paperMotion          = "motion" // under Rule 12
	paperDenial          = "denial"
	paperWaiver          = "waiver"
	paperInterrogatories = "interrogatories"
	paperProduction      = "production"
	paperAdmissions      = "admissions"
	paperJudgment        = "judgment"
	paperRemoval         = "removal"
	paperForegoing       = "foregoing" // what the file itself is
	paperProof           = "proof"     // of service of process
	paperOther           = "other"     // one from which no period of the table runs
)

// servicesOf are the events that the service of a paper is.
var servicesOf = map[string]string{
	paperComplaint:       ComplaintServed,
	paperAmended:         AmendedServed,
	paperAnswer:          AnswerServed,
	paperCounterclaim:    CounterclaimServed,
	paperMotion:          MotionServed,
	paperInterrogatories: InterrogatoriesServed,
	paperProduction:      ProductionRequested,
	paperAdmissions:      AdmissionsRequested,
}

// paperWords are the words for papers, in lower case; the first that fits at a place counts, so the longer stand first.
// Those that answer or attack another paper hide its name when that follows.
var paperWords = [...]struct {
	words, paper string
	hides        bool
}{
	{"summons and complaint", paperComplaint, false},
	{"complaint and summons", paperComplaint, false},
	{"request for waiver", paperWaiver, false},
	{"request for a waiver", paperWaiver, false},
	{"request to waive", paperWaiver, true},
	{"requests to waive", paperWaiver, true},
	{"waiver request", paperWaiver, false},
	{"motion to dismiss", paperMotion, true},
	{"motion to strike", paperMotion, true},
	{"motion for a more definite statement", paperMotion, true},
	{"motion for more definite statement", paperMotion, true},
	{"motion for judgment on the pleadings", paperMotion, false},
	{"rule 12(b)", paperMotion, true},
	{"motion under rule 12", paperMotion, true},
	{"motion for judgment", paperOther, false},
	{"motion for summary judgment", paperOther, false},
	{"motion for default judgment", paperOther, false},
	{"motion", paperOther, true},
	{"order denying", paperDenial, false},
	{"notice of denial", paperDenial, false},
	{"notice of the denial", paperDenial, false},
	{"notice of removal", paperRemoval, false},
	{"notice of appeal", paperOther, false},
	{"notice of", paperOther, true},
	{"proof of service", paperProof, true},
	{"affidavit of service", paperProof, true},
	{"return of service", paperProof, true},
	{"certificate of service", paperOther, true},
	{"subpoena", paperOther, false},
	{"answer to", paperAnswer, true},
	{"answers to", paperOther, true},
	{"responses to", paperOther, true},
	{"response to", paperOther, true},
	{"objections to", paperOther, true},
	{"opposition to", paperOther, true},
	{"reply", paperOther, true},
	{"initial disclosures", paperOther, false},
	{"scheduling order", paperOther, false},
	{"order to show cause", paperOther, false},
	{"criminal complaint", paperOther, false},
	{"administrative complaint", paperOther, false},
	{"formal complaint", paperOther, false},
	{"internal complaint", paperOther, false},
	{"further complaint", paperOther, false},
	{"decision", paperOther, false},
	{"order", paperOther, false},
	{"ruling", paperOther, false},
	{"report", paperOther, false},
	{"observations", paperOther, false},
	{"submissions", paperOther, false},
	{"letter", paperOther, false},
	{"notice", paperOther, false},
	{"demand", paperOther, false},
	{"brief", paperOther, false},
	{"affidavit", paperOther, false},
	{"amended complaint", paperAmended, false},
	{"amended counterclaim", paperAmended, false},
	{"amended pleading", paperAmended, false},
	{"amended answer", paperOther, false},
	{"counterclaim", paperCounterclaim, false},
	{"crossclaim", paperCounterclaim, false},
	{"cross-claim", paperCounterclaim, false},
	{"answer", paperAnswer, false},
	{"interrogator", paperInterrogatories, false},
	{"requests for production", paperProduction, false},
	{"request for production", paperProduction, false},
	{"requests for the production", paperProduction, false},
	{"document requests", paperProduction, false},
	{"requests for admission", paperAdmissions, false},
	{"request for admission", paperAdmissions, false},
	{"judgment", paperJudgment, false},
	{"summons", paperComplaint, false},
	{"complaint", paperComplaint, false},
	{"process", paperComplaint, false},
	{"foregoing", paperForegoing, false},
	{"the attached", paperForegoing, false},
	{"the within", paperForegoing, false},
	{"this document", paperForegoing, false},
}

const hidden = 70 // bytes behind the name of a paper in which that of another is hidden

// papers returns the papers that a text in lower case names, in order; own stands for those that the file itself is.
func papers(lower string, own []string) []string {
	list := papersAll(lower)
	if own == nil {
		// Without knowing what the file is, "the foregoing" means nothing.
		list = slices.DeleteFunc(list, func(p string) bool { return p == paperForegoing })
	}

	return list
}

func papersAll(lower string) []string {
	var list []string
	hideUntil := 0

	for i := 0; i < len(lower); {
		if !isLetter(lower[i]) || wordBefore(lower, i) {
			i++
			continue
		}

		end := wordAt(lower, i)
		for _, p := range paperWords {
			if !strings.HasPrefix(lower[i:], p.words) {
				continue
			}
			// In "answer to the complaint" the complaint is what is answered, so it stays hidden for a while.
			if i >= hideUntil && !slices.Contains(list, p.paper) {
				list = append(list, p.paper)
			}
			end = max(end, i+len(p.words))
			if p.hides {
				hideUntil = end + hidden
			}

			break
		}
		i = end
	}

	return list
}

// papersOfFile returns what a file itself is by its titles, or by the type on its record; empty and not nil when
// neither says.
func papersOfFile(text, docType string) []string {
	own := []string{}

	switch docType {
	case "complaint":
		own = append(own, paperComplaint)
	case "answer":
		own = append(own, paperAnswer)
	case "counterclaim":
		own = append(own, paperCounterclaim)
	case "motion_dismiss":
		own = append(own, paperMotion)
	case "interrogatories":
		own = append(own, paperInterrogatories)
	case "rfp":
		own = append(own, paperProduction)
	case "rfa":
		own = append(own, paperAdmissions)
	}
	if len(own) > 0 {
		return own
	}
	n := 0
	eachLine(head(text, titleBytes), func(line Span) bool {
		n++
		if title := line.In(text); line.End-line.Start <= longestTitle && titleLike(title) {
			own = slices.DeleteFunc(papersAll(Lowered(title)), func(p string) bool { return p == paperForegoing })
		}

		return len(own) == 0 && n < titleLines
	})
	// Nil means that nobody has looked, which papers tells from an empty list.
	if own == nil {
		own = []string{}
	}

	return own
}
