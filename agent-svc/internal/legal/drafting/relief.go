package drafting

import (
	"regexp"
	"strings"
	"unicode"
)

// Relief is what a prompt asks the draft to ask for, in the words of the prompt.
type Relief struct {
	To    bool // it is an act, as in "to compel answers", and else a thing, as in "for summary judgment"
	Words string
}

const longestRelief = 200 // bytes

var (
	// reliefs are the places at which a prompt says what is asked for, the plainest first.
	reliefs = []*regexp.Regexp{
		regexp.MustCompile(`(?i)\b(?:motion|application|cross-motion) (to|for)\s+(.+)`),
		regexp.MustCompile(`(?i)\b(?:that |which |to |and )?(?:seek|ask|request|demand|pray)(?:s|ing)? (to|` +
			`for|that)\s+(.+)`),
		regexp.MustCompile(`(?i)\b()(?:seeking|requesting|demanding|that seeks|that requests|that demands)\s+(.+)`),
		regexp.MustCompile(`(?i)\b(?:complaint|petition|demand letter|letter of demand|demand|letter before ` +
			`action)(?: ` +
			`(?:to|against) \[[^\]]+\])? (for)\s+(.+)`),
	}
	// afterRelief is where a prompt goes on to something else.
	afterRelief = regexp.MustCompile(`(?i)\s+(?:against \[|based on|because|since|citing|using|with (?:a |an |the ` +
		`)?(?:memorandum|brief|supporting|proposed)|` +
		`on behalf of|on our behalf|for \[|for (?:the |our )?(?:plaintiff|defendant|client|claimant|respondent)|and ` +
		`(?:attach|include|cite|save|send|file|serve|keep)|please\b).*$|[.;?!](?:\s.*)?$`)
	labelled = regexp.MustCompile(`\[[^\]]*\]`)
)

// reliefIn returns what a prompt asks the draft to ask for; its words are empty when it does not say.
func reliefIn(prompt string) Relief {
	prompt = strings.Join(strings.Fields(prompt), " ")

	for _, form := range reliefs {
		m := form.FindStringSubmatch(prompt)
		if m == nil {
			continue
		}
		words := strings.Trim(afterRelief.ReplaceAllString(m[2], ""), " ,:")
		// What begins with a label names who is asked, not what is asked for.
		if words == "" || len(words) > longestRelief || strings.HasPrefix(words, "[") {
			continue
		}

		return Relief{To: strings.EqualFold(m[1], "to"), Words: words}
	}

	return Relief{}
}

// small are words that stay small in a title.
var small = map[string]bool{
	"a": true, "an": true, "and": true, "as": true, "at": true, "by": true, "for": true, "from": true, "in": true,
	"of": true, "on": true, "or": true, "the": true, "to": true, "under": true, "with": true,
}

// title writes the relief as the title of a paper has it.
func (r Relief) title() string {
	// A label is one word of the title: its parts keep their case.
	words := strings.Fields(labelled.ReplaceAllStringFunc(r.Words, func(l string) string {
		return strings.ReplaceAll(l,
			" ", "\u00a0")
	}))

	for i, w := range words {
		if !small[w] {
			first := []rune(w)
			first[0] = unicode.ToUpper(first[0])
			words[i] = string(first)
		}
	}
	preposition := "for "
	if r.To {
		preposition = "to "
	}

	return preposition + strings.ReplaceAll(strings.Join(words, " "), "\u00a0", " ")
}

// sought is the relief as a sentence goes on with it behind "for", or a placeholder.
func (r Relief) sought() string {
	switch {
	case r.Words == "":
		return "an order {{reliefRequested}}"
	case r.To:
		return "an order to " + r.Words
	}

	return r.Words
}
