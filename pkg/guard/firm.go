package guard

import (
	"strings"

	"github.com/subrosa-legal/subrosa/pkg/guard/internal/lexicon"
)

// Companies without a legal form, and those in small letters.

// firm reports whether a run of ordinary capitalised words is the name of a company: its legal form stands at
// the end, or its trade, where people write prompts and titles.
func (n *names) firm(first, end int, a *around) bool {
	last := n.lowered(end - 1)
	form := legalForms.has(last)
	both := first > 0 && n.words[first-1].has(capitalised) && n.gap(first-1) == "&" // Cedar & Rush Bakery
	trade := n.careless && trades.has(last) && (end-first >= 3 || both)
	// "The company" and "a limited partnership" are kinds of firms.
	if determiners.has(a.before) && end-first < 3 {
		return false
	}
	if n.careless && end-first == 2 && soleTrades.has(last) {
		return n.ownWord(first) // Harbor Realty
	}
	if end-first < 2 || !form && !trade {
		return false
	}
	own := 0

	for i := first; i < end-1; i++ {
		w := &n.words[i]
		grammar := formWords.has(n.lowered(i)) || w.has(opening) && w.is&lexicon.Everyday != 0
		scenic := trade && n.scenic(i)
		if scenic || w.is&publicWord == 0 && !w.has(initial) && !grammar {
			own++
		}
	}
	// A form needs one word of its own before it, a trade two: many trades are everyday words.
	if form || both {
		return own >= 1
	}

	return own >= 2
}

// scenic reports whether word i counts or is a form of the land, as in names of firms: "Two Rivers Landscaping".
func (n *names) scenic(i int) bool {
	s := n.lowered(i)
	return numerals.has(s) || landforms.has(s) || waters.has(strings.TrimSuffix(s, "s"))
}

// waters and other forms of the land that companywords does not have.
var waters = setOf(`river creek spring brook pond stream canyon ridge mesa prairie meadow pine oak cedar maple willow
	elm acre`)

// ownWord reports whether word i, of a dictionary, says nothing of what a firm does or is.
func (n *names) ownWord(i int) bool {
	if n.words[i].is&(publicWord|lexicon.Everyday|lexicon.Honorific) != 0 {
		return false
	}

	return !formWords.has(n.lowered(i)) && !purposes.has(n.lowered(i))
}

// soleTrades close the name of a firm with one word before them.
var soleTrades = setOf(`realty motors logistics bakery brewery winery pharmaceuticals therapeutics semiconductors
	airlines trucking towing plumbing roofing landscaping`)

// lowerFirms finds companies in lower case by their legal form: two words before it that do not say which kind
// of company is meant.
func (n *names) lowerFirms() {
	for i := 2; i < len(n.words); i++ {
		if n.words[i].end-n.words[i].start > 4 || !legalForms.has(n.lowered(i)) {
			continue
		}

		first := i
		for first > max(0, i-3) && n.words[first].start-n.words[first-1].end <= 2 && n.lowerOwn(first-1) {
			first--
		}
		if first <= i-2 {
			n.add(kindCompany, ruleCompany, first, i+1)
		}
	}
}

// lowerOwn reports whether word i, in lower case, can be part of a company's name.
func (n *names) lowerOwn(i int) bool {
	return n.words[i].is&(lexicon.Everyday|lexicon.Place|lexicon.Law) == 0 && !formWords.has(n.lowered(i))
}
