package intent

import "slices"

// Intent is one of the things that can be asked of a case.
type Intent string

// The intents.
const (
	Find        Intent = "find"
	Help        Intent = "help"
	Parties     Intent = "parties"
	Amounts     Intent = "amounts"
	Dates       Intent = "dates"
	Deadlines   Intent = "deadlines"
	Authorities Intent = "authorities"
	Summary     Intent = "summary"
	NextSteps   Intent = "next_steps"
	Tier        Intent = "tier"
	Draft       Intent = "draft"
	Compare     Intent = "compare"
	Checklist   Intent = "checklist"
	Elements    Intent = "elements"
	Partners    Intent = "partners"
)

// Reading is what a prompt is taken for.
type Reading struct {
	Best  Intent
	Other Intent // a second reading, "" when the first is plain
}

// short is the number of words up to which the mere name of a thing asks for a list of it.
const short = 6

// Read tells what a prompt asks for. What fits no rule is a question, which Find answers.
func Read(prompt string) Reading {
	all := sentences(prompt)
	if len(all) == 0 {
		return Reading{Best: Help}
	}
	var found []Intent
	lists := false

	for _, s := range all {
		at, _ := s.verb()
		// The verb of a command says more than any noun, so it decides at once.
		if intent := s.commanded(at); intent != "" {
			return Reading{Best: intent}
		}
		if s.asksWhenDue() {
			return Reading{Best: Deadlines}
		}

		if intent := s.askedAbout(); intent != "" {
			return Reading{Best: intent}
		}

		for _, intent := range s.objects() {
			if !slices.Contains(found, intent) {
				found = append(found, intent)
			}
		}
		lists = lists || s.lists(at)
	}

	switch {
	case len(found) == 0:
		return Reading{Best: Find}
	case found[0] == NextSteps, found[0] == Elements, found[0] == Checklist, found[0] == Partners:
		// However it is put, passages of files would not answer it.
		return Reading{Best: found[0]}
	case lists && len(found) == 1:
		return Reading{Best: found[0]}
	case lists:
		return Reading{Best: found[0], Other: found[1]}
	}

	return Reading{Best: Find, Other: found[0]}
}

// commanded returns what the verb at i commands, "" when it is no such verb.
func (s sentence) commanded(i int) Intent {
	switch s.at(i) {
	case "help":
		// In a longer sentence "help" begins a request: "help me find".
		if len(s) <= short {
			return Help
		}
	case "summarise", "summarize":
		return Summary
	case "draft", "write", "compose":
		return Draft
	case "prepare", "create", "make", "generate":
		if s.index(i, drafted...) > 0 {
			return Draft
		}
	case "compare", "diff", "redline":
		return Compare
	case "evaluate", "grade", "rate":
		return Tier
	case "what":
		if s.holds("what can you do") || s.holds("what can i ask") || s.holds("what else can you do") {
			return Help
		}
		if (s.at(i+1) == "changed" || s.follows(i+1, "has", "changed")) && s.index(i, "between") > 0 {
			return Compare
		}
	case "how":
		if s.follows(i+1, "complex") {
			return Tier
		}
	}

	return ""
}

// drafted are what a draft can be of, for verbs that make other things too.
var drafted = []string{
	"motion", "letter", "answer", "complaint", "brief", "agreement", "memo", "memorandum", "contract",
	"interrogatories", "admission", "admissions", "production", "log", "hold", "petition", "outline", "nda", "rfp",
	"rfps", "rfa", "rfas",
}

// asked are phrases that ask for a list in other words than its name.
var asked = map[Intent][]string{
	Parties: {
		"who is being sued",
		"who is suing",
		"who are we suing",
		"who sued",
		"who is the plaintiff",
		"who is the defendant",
		"who are the litigants",
		"which parties",
		"who is involved",
	},
	Dates: {
		"events in order",
		"in chronological order",
		"in date order",
		"order by date",
		"what happened when",
		"timeline of",
		"sequence of events",
		"history of the matter",
	},
	Deadlines: {
		"and by when",
		"and until when",
		"and by what date",
		"what is due",
		"what comes due",
		"what is coming up",
		"what has to be done by",
		"what must be done by",
		"what do we have to do by",
		"what dates do we have to keep",
		"which dates must we keep",
		"what do we have to file",
		"what must we file",
	},
	Amounts: {
		"how much is the plaintiff suing for",
		"how much money is at stake",
		"what sums",
		"amount in controversy",
	},
}

// askedAbout returns the list that a sentence asks for by one of these phrases, "" for none.
func (s sentence) askedAbout() Intent {
	// The order of a map is random, and a sentence may fit two lists.
	for _, intent := range []Intent{Parties, Dates, Deadlines, Amounts} {
		if slices.ContainsFunc(asked[intent], s.holds) {
			return intent
		}
	}

	return ""
}

// asksWhenDue reports whether a sentence asks until when an act of procedure must be done: "When is the answer due?",
// "How long do we have to appeal?". When rent is due, a file says and no rule of procedure.
func (s sentence) asksWhenDue() bool {
	at := s.index(0, "when")
	if at < 0 && s.asksForDay() {
		at = 0
	}
	if at < 0 {
		if at = s.index(0, "long"); at < 1 || s[at-1] != "how" {
			return false
		}
	}
	if s.index(at, "due", "must", "shall", "should", "need", "needs", "have", "has") < 0 {
		return false
	}

	return s.index(0, procedural...) >= 0
}

// procedural are the acts and papers whose time rules of procedure fix.
var procedural = []string{
	"answer", "answers", "respond", "response", "responses", "reply", "appeal", "pleading", "disclosures",
	"interrogatories", "admission", "admissions", "production", "removal", "remove", "remand", "jury", "trial",
	"counterclaim", "crossclaim", "summons", "amend",
}

// asksForDay reports whether a sentence asks for a day by its name: "on what day", "by which date", "the deadline".
func (s sentence) asksForDay() bool {
	date := s.index(0, "date", "day", "deadline")
	if date <= 0 {
		return false
	}

	return s[date] == "deadline" || s[date-1] == "what" || s[date-1] == "which"
}

// lists reports whether a sentence asks for a list: by its verb at i, by its form, or by being short.
func (s sentence) lists(i int) bool {
	switch s.at(i) {
	case "list", "show", "extract", "enumerate", "give", "make", "build", "create", "collect", "print", "tabulate",
		"find", "get", "identify", "prepare", "provide":
		return true
	case "what":
		return s.at(i+1) == "are" || s.at(i+1) == "is" && len(s) <= short || len(s)-i <= short
	case "which", "who":
		return s.at(i+1) == "are" || len(s)-i <= short
	}
	question := s.index(0, "?") >= 0

	// "Deadlines" alone asks for their list, while "Deadlines met?" asks a question.
	return len(s) <= short && !question
}

// objects returns the things that a sentence names, in their order.
func (s sentence) objects() []Intent {
	var list []Intent
	for i := range s {
		if intent := s.object(i); intent != "" && !slices.Contains(list, intent) {
			list = append(list, intent)
		}
	}

	return list
}

func (s sentence) object(i int) Intent {
	switch s[i] {
	case "deadline", "deadlines":
		return Deadlines
	case "due":
		if s.at(i+1) == "date" || s.at(i+1) == "dates" {
			return Deadlines
		}
	case "time":
		if s.at(i+1) == "limit" || s.at(i+1) == "limits" {
			return Deadlines
		}
	case "dates", "chronology", "timeline":
		if s.at(i-1) != "due" {
			return Dates
		}
	case "sequence":
		if s.follows(i+1, "of", "events") {
			return Dates
		}
	case "amounts", "sums", "money":
		return Amounts
	case "authorities", "citations":
		return Authorities
	case "cases", "statutes":
		if s.index(i, "cited") > 0 {
			return Authorities
		}
	case "parties", "labels":
		return Parties
	case "partner", "partners":
		// A general partner is a party, and nobody to be recommended.
		if s.at(i-1) != "general" && s.at(i-1) != "limited" && s.at(i-1) != "business" {
			return Partners
		}
	case "lawyer", "lawyers", "attorney", "attorneys", "counsel", "mediator", "mediators", "expert", "experts":
		if s.index(0, "recommend", "suggest", "propose", "invite", "hire", "engage") >= 0 {
			return Partners
		}
	case "summary", "overview":
		return Summary
	case "key":
		if s.at(i+1) == "points" {
			return Summary
		}
	case "next":
		if s.at(i+1) == "steps" || s.at(i+1) == "step" {
			return NextSteps
		}
	case "do":
		if s.at(i+1) == "next" || s.at(i+1) == "now" {
			return NextSteps
		}
	case "complexity", "tier":
		return Tier
	case "checklist":
		return Checklist
	case "documents":
		if s.index(i, "missing") > 0 || s.at(i-1) == "missing" {
			return Checklist
		}
	case "elements", "strategy", "strengths", "weaknesses", "chances", "merits":
		return Elements
	case "difference", "differences":
		if s.at(i+1) == "between" {
			return Compare
		}
	}

	return ""
}
