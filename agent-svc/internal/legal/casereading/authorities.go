package casereading

import (
	"slices"
	"strings"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/facts"
)

// citing follows the citations of one file in their order.
type citing struct {
	*open
	full  map[string]string // the key of the case cited last, by volume and reporter, and by itself
	last  int               // the authority that "Id." points to; below zero for none
	named []namedCase       // the cases cited so far with a name, the latest last
}

type namedCase struct {
	name string
	at   int
}

const namesSought = 200 // the latest case names of a file among which "supra" looks for its own

// addAuthorities counts what is cited. A short form counts for the case of that volume that was cited last, "Id." for
// the authority before it, and "supra" for the case of its name.
func (o *open) addAuthorities() {
	c := citing{open: o, full: map[string]string{}, last: -1}
	var references []facts.Reference
	if o.keep.References {
		references = facts.References(o.text)
	}

	for _, cited := range o.said.Citations {
		// "Id." means what stands right before it, so both lists are walked in the order of the text.
		for len(references) > 0 && references[0].Start < cited.Start {
			c.follow(references[0])
			references = references[1:]
		}
		c.cite(cited)
	}

	for _, r := range references {
		c.follow(r)
	}
}

// cite counts a citation.
func (c *citing) cite(x facts.Citation) {
	key := x.Key
	if x.Short {
		full, known := c.full[key]
		if !known {
			c.dangle(x.Core, "no full citation of that volume stands before it in this file")
			// What "Id." behind it points to is unknown as well.
			c.last = -1

			return
		}
		key = full
	} else if x.Kind == facts.CaseLaw {
		c.full[key[:max(0, strings.LastIndexByte(key, ' '))]] = key
		c.full[key] = key
	}
	at := c.authority(key, x)
	if c.last = at; at < 0 {
		return
	}
	// A parallel citation repeats the pin of the one before it in another reporter.
	if !x.Parallel {
		c.pin(at, x.Pin)
	}
	if x.Short || !c.keep.References {
		return
	}
	if name := facts.NameBefore(c.text, x); name.End > name.Start {
		c.name(at, name.In(c.text), facts.Span{Start: name.Start, End: x.Core.End})
	}
}

// authority counts one place of an authority and returns where it is kept, below zero when it is not.
func (c *citing) authority(key string, x facts.Citation) int {
	if at, known := c.authorities[key]; known {
		a := &c.Authorities[at]
		a.FormOK = a.FormOK || x.FormOK && !x.Short
		if !x.Parallel {
			a.Count++
		}

		return at
	}
	if len(c.Authorities) == mostAuthorities {
		c.Dropped++
		return -1
	}
	// Keys are parts of the text. A part that is kept would hold the whole text in memory.
	key = strings.Clone(key)
	c.authorities[key] = len(c.Authorities)
	c.Authorities = append(c.Authorities, Authority{
		Key:    key,
		Text:   strings.Clone(facts.Fold(x.Core.In(c.text))),
		Kind:   x.Kind,
		FormOK: x.FormOK,
		Count:  1,
		At:     c.Sentence(x.Core),
	})

	return len(c.Authorities) - 1
}

// pin counts a pin cite.
func (c *citing) pin(at int, s facts.Span) {
	if s.Start >= s.End {
		return
	}
	a := &c.Authorities[at]
	a.Pinned++
	// The plain form is compared first: folding allocates, and most pins are known.
	if pin := s.In(c.text); len(a.Pins) < mostPins && !slices.Contains(a.Pins, pin) {
		if pin = facts.Fold(pin); !slices.Contains(a.Pins, pin) {
			a.Pins = append(a.Pins, strings.Clone(pin))
		}
	}
}

// name compares the name before a citation with those that stood before it elsewhere.
func (c *citing) name(at int, name string, s facts.Span) {
	a := &c.Authorities[at]
	known := slices.IndexFunc(a.names, func(n caseName) bool { return n.text == name })
	if known >= 0 {
		name = a.names[known].text
	} else {
		name = strings.Clone(facts.Fold(name))
		known = slices.IndexFunc(a.names, func(n caseName) bool { return n.text == name })
	}
	if len(c.named) == namesSought {
		// Dropping half at once keeps the cost of each name constant.
		c.named = slices.Delete(c.named, 0, namesSought/2)
	}
	c.named = append(c.named, namedCase{name, at})
	if known >= 0 && (a.Matched || a.names[known].file == c.file.FileID) {
		return
	}
	if known >= 0 {
		a.Matched = true
		return
	}

	for _, other := range a.names {
		switch same := facts.SameCase(other.text, name); {
		// Two files that cite one case by one name confirm each other. A file cannot confirm itself.
		case same && other.file != c.file.FileID:
			a.Matched = true
		case !same && !a.Differing:
			a.Differing, a.NamedAt, a.Differs = true, other.at, c.Sentence(s)
		}
	}
	if len(a.names) < mostNames {
		place := a.At
		if a.Count > 1 {
			place = c.Sentence(s)
		}
		a.names = append(a.names, caseName{name, strings.Clone(c.file.FileID), place})
	}
}

// follow counts a reference for what it points to.
func (c *citing) follow(r facts.Reference) {
	at := c.last
	switch {
	case r.Name.End > r.Name.Start:
		short := r.Name.In(c.text)
		at = -1

		// Of two cases with that party, the one cited last is meant.
		for _, n := range slices.Backward(c.named) {
			if facts.NamesParty(n.name, short) {
				at = n.at
				break
			}
		}
		if at < 0 {
			s := facts.Span{Start: r.Name.Start, End: r.End}
			c.dangle(s, "no case of that name is cited before it in this file")
		}
	case at < 0:
		c.dangle(r.Span, "no citation that was read stands right before it in this file")
	case strings.HasPrefix(r.Pin.In(c.text), "¶") && c.Authorities[at].Kind == facts.CaseLaw &&
		!facts.HasParagraphs(c.Authorities[at].Key):
		// The pin does not fit what stands before it, so "Id." means something that was not read as a citation.
		c.dangle(r.Span, "it points to a paragraph, and what is cited before it has pages")
		at = -1
	}
	if at < 0 {
		return
	}
	c.last = at
	c.Authorities[at].Count++
	c.pin(at, r.Pin)
}

// dangle keeps a short form that could not be followed.
func (c *citing) dangle(s facts.Span, reason string) {
	if !c.keep.References {
		return
	}
	if len(c.Dangling) == mostDangling {
		c.Dropped++
		return
	}
	c.Dangling = append(c.Dangling, Dangling{strings.Clone(facts.Fold(s.In(c.text))), reason, c.Sentence(s)})
}
