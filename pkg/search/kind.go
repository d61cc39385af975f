package search

import (
	_ "embed"
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
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
	ageAnswer    kindOfAnswer = "age"
	mannerAnswer kindOfAnswer = "manner"
	leaveAnswer  kindOfAnswer = "leave" // whether one may
)

// asking is a phrase that asks for a kind of thing.
type asking struct {
	kind   kindOfAnswer
	phrase string
	first  bool // the query begins with it
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
			phrase, first := strings.CutPrefix(line, "^")
			list = append(list, asking{kind, " " + phrase + " ", first})
		}
	}

	return list
})

// wanted tells what kind of thing a query asks for. A phrase of the list that begins with a stroke counts at the
// beginning of the query only.
func wanted(query string) kindOfAnswer {
	words := " " + strings.Join(Words(query), " ") + " "

	for _, a := range askings() {
		if a.first && strings.HasPrefix(words, a.phrase) || !a.first && strings.Contains(words, a.phrase) {
			return a.kind
		}
	}

	return ""
}

// The forms of a day: a year, "March 3", "3. März" and "3 mars", "the first business day of".
const (
	yearForm = `\b(?:19|20)\d\d\b`
	monthDay = `\b(?:January|February|March|April|May|June|July|August|September|October|November|December)\s\d`
	dayMonth = `\d\.? (?:Januar|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember|` +
		`janvier|février|mars|avril|juin|juillet|août|septembre|octobre|novembre|décembre)\b`
	ordinalDay = `(?i:\b(?:first|last|second|third|fourth|\d(?:st|nd|rd|th)|each|every) (?:\(\w+\) )?` +
		`(?:business |calendar )?(?:day of|monday|tuesday|wednesday|thursday|friday)|\bday \d)`
)

// numeral is a number of a text, in figures or in words.
const numeral = `(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|` +
	`eighteen|twenty|twenty-(?:one|four|five|eight)|thirty|thirty-six|forty|forty-five|forty-eight|fifty|sixty|` +
	`seventy-(?:two|five)|ninety|hundred|ein(?:em|en|er|es|e)?|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|zwölf)`

var (
	sumForm = regexp.MustCompile(`[$€£]\s?\d|\d\s?(?:EUR|Euro|USD|GBP|CHF|€|dollars|euros|pounds)` +
		`|(?:EUR|Euro|USD|GBP|CHF)\s?\d`)
	// spanForm is what stands before the unit of a span, in lower case.
	spanForm = regexp.MustCompile(`\b` + numeral + `\b[^.;]{0,14}$`)
	dayForm  = regexp.MustCompile(yearForm + `|` + monthDay + `|` + dayMonth + `|` + ordinalDay)

	eventForm = regexp.MustCompile(`(?i)\b(?:at the end of|upon|after|as soon as|prior to|before|immediately|` +
		`no later than|by the|nach|spätestens|sofort)\b`)
	placeForm = regexp.MustCompile(`\b(?:[Cc]ourts?|[Cc]ounty|[Vv]enue|[Cc]ity|\[Address \d+\])\b` +
		`|\b(?:in|at) (?:the )?[A-Z][a-z]+`)
	numberForm = regexp.MustCompile(`(?i)\d|\b` + numeral + `\b|\b(?:majority|half|quarter|third)\b`)
	sizeForm   = regexp.MustCompile(`(?i)\d[\d.,]*\)?\s*(?:rentable |usable |gross )?` +
		`(?:square|sq\b|m²|m2|qm|quadratmeter|acres?|hectares?|feet|metres?|meters?)`)
	rateForm = regexp.MustCompile(`(?i)%|\bper ?cent\b|\bprozent\b|[$€£]\s?\d`)
	whyForm  = regexp.MustCompile(`(?i)\b(?:because|due to|reasons?|as a result|owing to|on the grounds?|` +
		`weil|wegen|aufgrund|parce que|porque)\b`)
	caseForm   = regexp.MustCompile(`(?i)\b(?:if|where|unless|upon|in the event|in case|falls|wenn|si)\b`)
	netForm    = regexp.MustCompile(`\b(?:net|Net|NET)[- ]?\d+\b`)
	ageForm    = regexp.MustCompile(`(?i)\b` + numeral + `\b[^.;]{0,12}\b(?:years|jahre?n?|ans|años)\b`)
	mannerForm = regexp.MustCompile(`(?i)\b(?:in writing|written|e-?mail|post|courier|in the form of|method|cash|` +
		`che(?:ck|que)s?|wire|transfer|electronic(?:ally)?|` +
		`by (?:a |an |the )?(?:majority|vote|giving|sending|notice|hand|mail)|` +
		`schriftlich|textform|schriftform|per|einschreib\w*|überweisung)\b`)
	leaveForm = regexp.MustCompile(`(?i)\b(?:may|shall not|must not|will not|may only|only|cannot|prohibited|` +
		`permitted|allowed|consent|not permitted|no \w+ (?:shall|may|will|are|is)|without|` +
		`darf|dürfen|zustimmung|erlaubnis|untersagt|gestattet|zulässig|berechtigt)\b`)
)

// share says how well a text holds a thing of the kind, from 0 to 1. "When" is answered by a day, less well by a period
// or an event.
func (k kindOfAnswer) share(text string) float64 {
	// The number of a part is not a number that somebody asked for.
	text = text[numbering(text):]
	switch {
	case k == leaveAnswer && k.in(text):
		return leaveShare
	case k.in(text):
		return 1
	case k == dayAnswer && hasSpan(text):
		return periodShare
	case k == dayAnswer && eventForm.MatchString(text):
		return eventShare
	}

	return 0
}

const (
	periodShare = 0.5 // of the weight of a day, where a period stands for it
	eventShare  = 0.3 // of it, where an event does
	leaveShare  = 0.8 // of the weight of another kind: most clauses of a contract allow or forbid something
)

// in reports whether a text holds a thing of the kind.
func (k kindOfAnswer) in(text string) bool {
	switch k {
	case sumAnswer:
		return sumForm.MatchString(text)
	case spanAnswer:
		return hasSpan(text) || netForm.MatchString(text) || lasts(text)
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
	case ageAnswer:
		return ageForm.MatchString(text)
	case mannerAnswer:
		return mannerForm.MatchString(text)
	case leaveAnswer:
		return leaveForm.MatchString(text)
	case numberAnswer:
		return numberForm.MatchString(text)
	}

	return false
}

// spanUnits begin the words of what a span counts.
var spanUnits = strings.Fields("hour day week month quarter year stunde tag woche monat jahr jour mois año día")

// spanReach are the bytes before a unit in which its number stands: the longest numeral, and fourteen signs.
const spanReach = 80

// lastings begin the words for what has no end.
var lastings = []string{
	"perpetu", "indefinite", "forever", "surviv", "in force", "unbefristet", "auf unbestimmte",
}

// hasSpan reports whether a text has a number of units of time. It looks only before the units: a form that begins with
// all numerals costs a walk along the whole text.
func hasSpan(text string) bool {
	text = strings.ToLower(text)

	return hasBeginning(text, spanUnits, func(at int) bool {
		return spanForm.MatchString(text[max(0, at-spanReach):at])
	})
}

func lasts(text string) bool {
	return hasBeginning(strings.ToLower(text), lastings, func(int) bool { return true })
}

// hasBeginning reports whether a word of a text in lower case begins as one of a list does, at a byte that holds.
func hasBeginning(text string, list []string, holds func(at int) bool) bool {
	for _, beginning := range list {
		for from := 0; ; {
			at := strings.Index(text[from:], beginning)
			if at < 0 {
				break
			}
			at += from
			if (at == 0 || !isWordByte(text[at-1])) && holds(at) {
				return true
			}
			from = at + len(beginning)
		}
	}

	return false
}

func isWordByte(c byte) bool {
	r := rune(c)
	return r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r))
}
