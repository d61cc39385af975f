package search

import (
	"regexp"
	"strings"
)

// kindOfAnswer is the kind of thing that a question asks for, as far as its words tell.
type kindOfAnswer int

const (
	anyAnswer kindOfAnswer = iota
	sumAnswer
	spanAnswer
	dayAnswer
	numberAnswer
	placeAnswer
)

// askedBy are words by which a question asks for a kind of thing; the first that stands in it counts.
var askedBy = [...]struct {
	kind  kindOfAnswer
	words []string
}{
	{spanAnswer, []string{"how long", "what period", "how soon", "how much notice", "notice is required", "how many days", "how many months", "how many years", "what notice", "wie lange", "combien de temps", "cuánto tiempo"}},
	{dayAnswer, []string{"when ", "what date", "which day", "by when", "until when", "what day", "wann ", "bis wann", "quand ", "cuándo "}},
	{sumAnswer, []string{"how much", "what amount", "what price", "the price", "what rent", "salary", "deposit", "the cap", "worth", "what sum", "the fee", "how expensive", "wie hoch", "wie viel", "combien", "cuánto cuesta"}},
	{placeAnswer, []string{"where ", "which court", "what court", "what venue", "wo ", "dónde "}},
	{numberAnswer, []string{"how many", "how large", "how big", "what percentage", "what temperature", "how warm", "how old", "interest rate"}},
}

// wanted tells what kind of thing a query asks for.
func wanted(query string) kindOfAnswer {
	lower := strings.ToLower(query) + " "
	for _, a := range askedBy {
		for _, w := range a.words {
			if at := strings.Index(lower, w); at == 0 || at > 0 && lower[at-1] == ' ' {
				return a.kind
			}
		}
	}

	return anyAnswer
}

var (
	sumForm    = regexp.MustCompile(`[$€£]\s?\d|\d\s?(?:EUR|USD|GBP|CHF|€|dollars|euros|pounds)`)
	spanForm   = regexp.MustCompile(`(?i)\b(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|eighteen|thirty|forty|forty-five|sixty|ninety)\b[^.;]{0,14}\b(?:day|week|month|quarter|year|tag|woche|monat|jahr|jour|mois|año|día)`)
	dayForm    = regexp.MustCompile(`\b(?:19|20)\d\d\b|\b(?:January|February|March|April|May|June|July|August|September|October|November|December)\s\d`)
	placeForm  = regexp.MustCompile(`\b(?:[Cc]ourts?|[Cc]ounty|[Vv]enue|[Cc]ity|\[Address \d+\])\b|\b(?:in|at) (?:the )?[A-Z][a-z]+`)
	numberForm = regexp.MustCompile(`\d`)
)

// in reports whether a text holds a thing of the kind.
func (k kindOfAnswer) in(text string) bool {
	switch k {
	case sumAnswer:
		return sumForm.MatchString(text)
	case spanAnswer:
		return spanForm.MatchString(text)
	case dayAnswer:
		return dayForm.MatchString(text)
	case placeAnswer:
		return placeForm.MatchString(text)
	case numberAnswer:
		return numberForm.MatchString(text)
	}

	return false
}
