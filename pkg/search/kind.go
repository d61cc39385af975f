package search

import (
	_ "embed"
	"regexp"
	"strings"
	"sync"
)

//go:embed words/asks.txt
var askFile string

// kindOfAnswer is the kind of thing that a question asks for, as far as its words tell: a section of the list of
// words, "" for none.
type kindOfAnswer string

const (
	sumAnswer    kindOfAnswer = "sum"
	spanAnswer   kindOfAnswer = "span"
	dayAnswer    kindOfAnswer = "day"
	numberAnswer kindOfAnswer = "number"
	placeAnswer  kindOfAnswer = "place"
	sizeAnswer   kindOfAnswer = "size"
	rateAnswer   kindOfAnswer = "rate"
	whyAnswer    kindOfAnswer = "reason"
	caseAnswer   kindOfAnswer = "condition"
)

// asking is a phrase that asks for a kind of thing.
type asking struct {
	kind   kindOfAnswer
	phrase string
}

// askings are the phrases in the order of their file.
var askings = sync.OnceValue(func() []asking {
	var list []asking
	var kind kindOfAnswer

	for line := range strings.Lines(askFile) {
		switch line = strings.TrimSpace(line); {
		case line == "" || line[0] == '#':
		case line[0] == '[':
			kind = kindOfAnswer(strings.Trim(line, "[]"))
		default:
			list = append(list, asking{kind, " " + line + " "})
		}
	}

	return list
})

// wanted tells what kind of thing a query asks for.
func wanted(query string) kindOfAnswer {
	words := " " + strings.Join(Words(query), " ") + " "

	for _, a := range askings() {
		if strings.Contains(words, a.phrase) {
			return a.kind
		}
	}

	return ""
}

var (
	sumForm    = regexp.MustCompile(`[$€£]\s?\d|\d\s?(?:EUR|USD|GBP|CHF|€|dollars|euros|pounds)`)
	spanForm   = regexp.MustCompile(`(?i)\b(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|eighteen|thirty|forty|forty-five|sixty|ninety)\b[^.;]{0,14}\b(?:day|week|month|quarter|year|tag|woche|monat|jahr|jour|mois|año|día)`)
	dayForm    = regexp.MustCompile(`\b(?:19|20)\d\d\b|\b(?:January|February|March|April|May|June|July|August|September|October|November|December)\s\d`)
	placeForm  = regexp.MustCompile(`\b(?:[Cc]ourts?|[Cc]ounty|[Vv]enue|[Cc]ity|\[Address \d+\])\b|\b(?:in|at) (?:the )?[A-Z][a-z]+`)
	numberForm = regexp.MustCompile(`\d`)
	sizeForm   = regexp.MustCompile(`(?i)\d[\d.,]*\)?\s*(?:rentable |usable |gross )?(?:square|sq\b|m²|m2|qm|quadratmeter|acres?|hectares?|feet|metres?|meters?)`)
	rateForm   = regexp.MustCompile(`(?i)%|\bper ?cent\b|\bprozent\b|[$€£]\s?\d`)
	whyForm    = regexp.MustCompile(`(?i)\b(?:because|due to|reasons?|as a result|owing to|on the grounds?|weil|wegen|aufgrund|parce que|porque)\b`)
	caseForm   = regexp.MustCompile(`(?i)\b(?:if|where|unless|upon|in the event|in case|falls|wenn|si)\b`)
	netForm    = regexp.MustCompile(`(?i)\bnet[- ]?\d+\b`)
)

// share says how well a text holds a thing of the kind, from 0 to 1. "When" is answered by a day, and less well by a
// period.
func (k kindOfAnswer) share(text string) float64 {
	switch {
	case k.in(text):
		return 1
	case k == dayAnswer && spanForm.MatchString(text):
		return periodShare
	}

	return 0
}

const periodShare = 0.5 // of the weight of a day, where a period stands for it

// in reports whether a text holds a thing of the kind.
func (k kindOfAnswer) in(text string) bool {
	switch k {
	case sumAnswer:
		return sumForm.MatchString(text)
	case spanAnswer:
		return spanForm.MatchString(text) || netForm.MatchString(text)
	case dayAnswer:
		return dayForm.MatchString(text)
	case placeAnswer:
		return placeForm.MatchString(text)
	case sizeAnswer:
		return sizeForm.MatchString(text)
	case rateAnswer:
		return rateForm.MatchString(text)
	case whyAnswer:
		return whyForm.MatchString(text)
	case caseAnswer:
		return caseForm.MatchString(text)
	case numberAnswer:
		return numberForm.MatchString(text)
	}

	return false
}
