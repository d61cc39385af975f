package guard

import "github.com/subrosa-legal/subrosa/pkg/guard/internal/lexicon"

var (
	// legalForms close the name of a company and hardly anything else.
	legalForms = setOf(`ltd limited inc incorporated llc plc llp gmbh kgaa sarl srl oyj pty bhd corp`)
	// formWords say what kind of company is meant, and are no name of one.
	formWords = setOf(`the a an any such each this that single member series foreign domestic professional manager managed multi parent holding new existing
		shell private public unlimited limited liability company subsidiary our their his her its my your is are was form forms set up of for
		by from with and or to versus v vs as into one two`)
	// trades close the names of shops and firms that are made of ordinary words.
	trades = setOf(`foods lines freight logistics shipping motors realty properties ventures studio studios stable stables farm farms dairy bakery bakers
		brewery winery vineyards hospice restaurant cafe café bistro diner grill pizzeria hotel motel salon barbers pharmacy dental orthodontics
		partners associates advisors consulting technologies robotics biosciences analytics laboratories pharmaceuticals therapeutics semiconductors
		plumbing roofing masonry landscaping carpentry electric towing trucking movers airlines airways cruises optics ceramics textiles mills mining
		quarry lumber timber produce seafood cooperative cosmetics jewelers jewellers florist florists nursery kennels aquatics records pictures publishing
		exporters importers suppliers builders contractors outfitters caterers distributors manufacturers wholesalers retailers foundation clinic church
		academy ministries club hoa`)
)

// firm reports whether a run of ordinary capitalised words is the name of a company: its legal form stands at the end, or its trade, where
// people write prompts and titles.
func (n *names) firm(first, end int, a *around) bool {
	last := n.lowered(end - 1)
	form := legalForms.has(last)
	both := first > 0 && n.words[first-1].has(capitalised) && n.text[n.words[first-1].end:n.words[first].start] == " & " // Cedar & Rush Bakery
	if end-first < 2 || !form && !(n.careless && (end-first >= 3 || both) && trades.has(last)) || determiners.has(a.before) && end-first < 3 {
		return false
	}
	own := 0

	for i := first; i < end-1; i++ {
		w := &n.words[i]
		if w.is&(lexicon.Place|lexicon.Law|lexicon.Head|lexicon.Calendar) == 0 && !w.has(initial) && !formWords.has(n.lowered(i)) && !(w.has(opening) && w.is&lexicon.Everyday != 0) {
			own++
		}
	}
	if form || both {
		return own >= 1
	}

	return own >= 2
}

// lowerFirms finds companies in lower case by their legal form: two words before it that do not say which kind of company is meant.
func (n *names) lowerFirms() {
	for i := 2; i < len(n.words); i++ {
		if n.words[i].end-n.words[i].start > 4 || !legalForms.has(n.lowered(i)) {
			continue
		}

		first := i
		for first > max(0, i-3) && n.words[first].start-n.words[first-1].end <= 2 && n.words[first-1].is&(lexicon.Everyday|lexicon.Place|lexicon.Law) == 0 && !formWords.has(n.lowered(first-1)) {
			first--
		}
		if first <= i-2 {
			n.add(kindCompany, ruleCompany, first, i+1)
		}
	}
}
