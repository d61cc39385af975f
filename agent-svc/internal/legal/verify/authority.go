package verify

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/facts"
)

// Standing is where an authority is known from.
type Standing string

// The standings, in the words of the wire.
const (
	InFiles Standing = "matched_in_files"
	ByFirm  Standing = "listed_by_firm"
	Nowhere Standing = ""
)

// Authorities are what answers may name: what the files of a case cite, and what the firm has loaded. The zero value
// holds none.
type Authorities struct {
	cites map[string][]cite
	names map[string]bool // of cases
	laws  map[string]bool
}

func (a *Authorities) clone() Authorities {
	return Authorities{maps.Clone(a.cites), maps.Clone(a.names), maps.Clone(a.laws)}
}

// cite is a place at which an authority is cited.
type cite struct {
	name string // of the case; "" where none stands there
	year int
	pin  string
	from Standing
}

// Add takes up what a text cites. It keeps nothing of the text itself, which may be long.
func (a *Authorities) Add(text string, from Standing) {
	if a.cites == nil {
		a.cites, a.names, a.laws = map[string][]cite{}, map[string]bool{}, map[string]bool{}
	}

	for _, c := range facts.Citations(text) {
		found := cite{year: c.Year, pin: strings.Clone(facts.Fold(c.Pin.In(text))), from: from}
		if name := facts.NameBefore(text, c); name.End > name.Start {
			found.name = strings.Clone(facts.Fold(name.In(text)))
		}
		if known := a.cites[c.Key]; !slices.Contains(known, found) {
			// The list may be shared with a clone of these authorities. Clipping keeps the other one unchanged.
			a.cites[strings.Clone(c.Key)] = append(slices.Clip(known), found)
		}
	}
	folded := fold(text)

	for _, name := range caseNames(folded) {
		if !a.names[name] {
			a.names[strings.Clone(name)] = true
		}
	}

	for _, name := range lawsIn(folded) {
		a.laws[strings.ToLower(name)] = true
	}
}

var versus = regexp.MustCompile(`(?:\p{Lu}[\p{L}.'’&-]*|&)(?: (?:\p{Lu}[\p{L}.'’&-]*|of|the|and|&))* (?:v|vs)\.? ` +
	`\p{Lu}[\p{L}.'’&-]*(?: \p{Lu}[\p{L}.'’&-]*)*|(?:In re|Ex parte|Matter of) \p{Lu}[\p{L}.'’&-]*(?: ` +
	`\p{Lu}[\p{L}.'’&-]*)*`)

// caseAnchors stand in every name of a case.
var caseAnchors = []string{" v ", " v. ", " vs ", " vs. ", "In re ", "Ex parte ", "Matter of "}

// caseNames returns the names of cases that a folded text has.
func caseNames(text string) []string { return around(text, caseAnchors, versus) }

var (
	leading = regexp.MustCompile(`^(?:(?:The|This|That|Under|In|By|Such|An?|Its|Our|Your|Their|Any|No) )+`)
	codes   = regexp.MustCompile(`\b(?:BGB|ZPO|HGB|StGB|StPO|GmbHG|AktG|DSGVO|GDPR|UCC|ERISA|FLSA|RICO|ADA|FMLA|NLRA|` +
		`CISG)\b|\p{Lu}\p{L}+(?:gesetz|gesetzbuch|verordnung)\b|Restatement \(\p{L}+\) of \p{L}+`)
)

// codeAnchors and lawAnchors stand in every name of a law.
var (
	codeAnchors = fields("BGB ZPO HGB StGB StPO GmbHG AktG DSGVO GDPR UCC ERISA FLSA RICO ADA FMLA NLRA CISG " +
		"gesetz verordnung Restatement")
	lawAnchors = fields(lawWords)
)

// lawsIn returns the names of laws that a folded text has, but not those that say no more than "the Act".
func lawsIn(text string) []string {
	var list []string

	for _, name := range around(text, lawAnchors, law) {
		if name = leading.ReplaceAllString(name, ""); strings.Contains(name, " ") {
			list = append(list, name)
		}
	}

	return append(list, around(text, codeAnchors, codes)...)
}

// longestName bounds, in bytes, what of a name is looked at on either side of its anchor.
const longestName = 200

// around returns what a pattern, which matches nothing without one of the anchors, finds in a folded text. The pattern
// is slow and anchors are rare, so it only looks around them.
func around(text string, anchors []string, pattern *regexp.Regexp) []string {
	var at []int

	for _, anchor := range anchors {
		for from := 0; ; {
			i := strings.Index(text[from:], anchor)
			if i < 0 {
				break
			}
			at = append(at, from+i)
			// The blank at the end of one anchor may begin the next.
			from += i + len(anchor) - 1
		}
	}
	slices.Sort(at)

	var found []string

	for len(at) > 0 {
		first, last := at[0], at[0]
		// Anchors that are near each other are looked at together, so that no name is cut between them.
		for len(at) > 0 && at[0]-last <= 2*longestName {
			last, at = at[0], at[1:]
		}
		found = append(found, pattern.FindAllString(wholeWords(text, first-longestName, last+longestName), -1)...)
	}

	return found
}

// wholeWords returns the words of a text that lie whole between two of its bytes.
func wholeWords(text string, from, to int) string {
	if from > 0 {
		from += strings.IndexByte(text[from:], ' ') + 1
	} else {
		from = 0
	}
	if to < len(text) {
		to = max(from, strings.LastIndexByte(text[:to+1], ' '))
	} else {
		to = len(text)
	}

	return text[from:to]
}

// standing returns where a citation is known from, with why it is not as it stands.
func (a *Authorities) standing(words string, c facts.Citation) (Standing, string) {
	known := a.cites[c.Key]
	if c.Short {
		for key, list := range a.cites {
			// A short form may mean any case of its volume.
			if strings.HasPrefix(key, c.Key+" ") {
				known = append(slices.Clone(known), list...)
			}
		}
	}
	if len(known) == 0 {
		return Nowhere, ""
	}
	name := ""
	if s := facts.NameBefore(words, c); s.End > s.Start {
		name = s.In(words)
	}

	// The gravest difference is told first: another name is another case.
	switch pin := facts.Fold(c.Pin.In(words)); {
	case name != "" && !slices.ContainsFunc(known, func(k cite) bool {
		return k.name != "" && facts.SameCase(k.name,
			name)
	}):
		return Nowhere, " under another name"
	case c.Year != 0 && !slices.ContainsFunc(known, func(k cite) bool { return k.year == c.Year }):
		return Nowhere, " of another year"
	case pin != "" && !slices.ContainsFunc(known, func(k cite) bool { return within(k.pin, pin) }):
		return Nowhere, " with another place in it"
	}
	from := Nowhere

	for _, k := range known {
		// The files of the case say more than the list of the firm.
		if from = k.from; from == InFiles {
			break
		}
	}

	return from, ""
}

// within reports whether a place that is known, such as (b)(6), lies in a place that is named, such as (b).
func within(known, named string) bool {
	rest, ok := strings.CutPrefix(known, named)
	return ok && (rest == "" || !strings.ContainsAny(rest[:1], "0123456789"))
}

// hasCase reports whether a case of another spelling of a name is known.
func (a *Authorities) hasCase(name string) bool {
	for known := range a.names {
		if facts.SameCase(known, name) {
			return true
		}
	}

	return false
}

// unknownNames returns the cases and laws that a sentence names by their names only and that nothing that is known
// names.
func (a *Authorities) unknownNames(words string) []string {
	var list []string

	for _, name := range caseNames(words) {
		if !a.names[name] && !a.hasCase(name) {
			list = append(list, name)
		}
	}

	for _, name := range lawsIn(words) {
		if !a.laws[strings.ToLower(name)] {
			list = append(list, name)
		}
	}

	return list
}
