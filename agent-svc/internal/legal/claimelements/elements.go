// Package claimelements sets what the files of a case say beside the elements of twelve common claims: for each element
// the sentences that speak for it and those that speak against it, told by lists of terms. It weighs nothing and knows
// no jurisdiction.
package claimelements

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/casereading"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/facts"
)

//go:embed claims.json
var claimsJSON []byte

// Claim is a claim or defense with its elements, as they are commonly put in the United States.
type Claim struct {
	ID       string    `json:"id"`
	Name     string    `json:"name"`
	Aliases  []string  `json:"aliases"` // by which a prompt or a heading names it, in lower case
	Elements []Element `json:"elements"`
}

// Element is what has to be shown for a claim, with the terms that speak for and against it. A term of several words,
// or one that ends with an exclamation mark, tells by itself; two others must stand in one sentence.
type Element struct {
	Name    string   `json:"name"`
	For     []string `json:"for"`
	Against []string `json:"against"`
}

// Claims are the claims that are known, in the order of the table.
func Claims() []Claim { return slices.Clone(table) }

var table = func() []Claim {
	var list []Claim
	if err := json.Unmarshal(claimsJSON, &list); err != nil {
		panic("claims.json: " + err.Error())
	}

	return list
}()

// Named returns the claims that a text names, in the order of the table. Of two names of which one holds the other the
// longer counts.
func Named(text string) []Claim {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return r < 'a' || r > 'z' })
	low := " " + strings.Join(words, " ") + " "
	type name struct {
		alias string
		claim int
	}
	var names []name

	for i, c := range table {
		for _, a := range c.Aliases {
			names = append(names, name{a, i})
		}
	}
	// Longer names come first and are blanked out: "intentional interference" must not count as "interference" too.
	slices.SortStableFunc(names, func(a, b name) int { return cmp.Compare(len(b.alias), len(a.alias)) })
	found := map[int]bool{}

	for _, n := range names {
		if at := " " + n.alias + " "; strings.Contains(low, at) {
			found[n.claim] = true
			low = strings.ReplaceAll(low, at, " . ")
		}
	}
	var list []Claim

	for i, c := range table {
		if found[i] {
			list = append(list, c)
		}
	}

	return list
}

// mostPassages is how many sentences are kept for one side of one element.
const mostPassages = 3

// telling is the weight from which a sentence counts: one telling term, or two others.
const telling = 2

// spot is one side of an element of a claim.
type spot struct {
	claim, element int
	against        bool
}

// target is what a term speaks for.
type target struct {
	spot
	weight int
}

// Finder knows the terms of all claims. It is immutable and safe for concurrent use.
type Finder struct {
	lexicon *facts.Lexicon
	targets map[string][]target // by term
}

// NewFinder returns the Finder of the table. A process makes it once.
func NewFinder() *Finder { return finder() }

var finder = sync.OnceValue(makeFinder)

func makeFinder() *Finder {
	f := &Finder{targets: map[string][]target{}}

	for c, claim := range table {
		for e, element := range claim.Elements {
			f.add(element.For, spot{c, e, false})
			f.add(element.Against, spot{c, e, true})
		}
	}

	var terms []facts.Term
	for phrase := range f.targets {
		terms = append(terms, facts.Term{Topic: phrase, Phrase: phrase})
	}
	f.lexicon = facts.NewLexicon(terms)

	return f
}

func (f *Finder) add(terms []string, s spot) {
	for _, t := range terms {
		phrase, strong := strings.CutSuffix(t, "!")
		weight := 1
		if strong || strings.Contains(phrase, " ") {
			weight = telling
		}
		f.targets[phrase] = append(f.targets[phrase], target{s, weight})
	}
}

// Passage is a sentence that speaks for or against an element.
type Passage struct {
	At     casereading.Place
	Weight int // of its different terms
}

// Matrix gathers passages file by file. It keeps a bounded number of them.
type Matrix struct {
	finder *Finder
	kept   map[spot][]Passage
}

// New returns an empty matrix.
func (f *Finder) New() *Matrix { return &Matrix{f, map[spot][]Passage{}} }

// For returns the passages that speak for an element of a claim of the table, the weightiest first.
func (m *Matrix) For(claimID string, element int) []Passage { return m.at(claimID, element, false) }

// Against returns the passages that speak against it.
func (m *Matrix) Against(claimID string, element int) []Passage { return m.at(claimID, element, true) }

func (m *Matrix) at(claimID string, element int, against bool) []Passage {
	claim := slices.IndexFunc(table, func(c Claim) bool { return c.ID == claimID })
	return m.kept[spot{claim, element, against}]
}

// sentence is the sentence being read, with what speaks from it.
type sentence struct {
	facts.Span
	seen   map[string]bool // terms
	weight map[spot]int
}

// Add reads one file. quoter quotes from the same text.
func (m *Matrix) Add(text string, quoter *casereading.Quoter) {
	var s sentence
	m.finder.lexicon.Scan(text, func(h facts.Hit) {
		// Hits come in the order of the text, so a hit behind the sentence completes it.
		if h.Start >= s.End {
			m.keep(s, quoter)
			s = sentence{facts.Around(text, h.Span), map[string]bool{}, map[spot]int{}}
		}
		if s.seen[h.Topic] {
			return
		}
		s.seen[h.Topic] = true

		negated := negates(text[s.Start:h.Start])
		for _, t := range m.finder.targets[h.Topic] {
			if negated {
				// What a sentence denies speaks for the other side.
				t.against = !t.against
			}
			s.weight[t.spot] += t.weight
		}
	})
	m.keep(s, quoter)
}

// keep keeps a sentence where it is among the weightiest of a spot; the earlier of two alike stays.
func (m *Matrix) keep(s sentence, quoter *casereading.Quoter) {
	var place *casereading.Place

	for at, weight := range s.weight {
		list := m.kept[at]
		if weight < telling || len(list) == mostPassages && list[mostPassages-1].Weight >= weight {
			continue
		}
		// A quote costs a look of the gate, so it is made once and only for a sentence that is kept.
		if place == nil {
			p := quoter.Sentence(s.Span)
			place = &p
		}
		if place.Withheld || facts.Headline(place.Quote) {
			return
		}

		i := len(list)
		for i > 0 && list[i-1].Weight < weight {
			i--
		}
		list = slices.Insert(list, i, Passage{*place, weight})
		m.kept[at] = list[:min(len(list), mostPassages)]
	}
}

// reach is how many words before a term may deny it.
const reach = 3

// negates reports whether the last words of a text deny what follows them.
func negates(before string) bool {
	// Only the last few words can deny the next one.
	words := strings.Fields(before[max(0, len(before)-60):])
	for _, w := range words[max(0, len(words)-reach):] {
		switch strings.ToLower(strings.Trim(w, ",;:()\"“”")) {
		case "no", "not", "never", "without", "neither", "nor", "denies", "denied", "deny", "cannot", "don't", "didn't",
			"doesn't", "wasn't", "isn't", "hasn't", "haven't":
			return true
		}
	}

	return false
}
