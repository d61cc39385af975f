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
