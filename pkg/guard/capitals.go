package guard

import (
	"strings"

	"github.com/subrosa-legal/subrosa/pkg/guard/internal/census"
)

// Text in capitals is judged as if it were written in title case: captions, clauses that name the parties,
// signature blocks.

// capitals takes the words of grammar among words in capitals out of the runs, where title case has them small:
// "IN WITNESS WHEREOF, ADA HALE HAS EXECUTED THIS DEED" is no single run.
func (n *names) capitals() {
	for _, i := range n.large {
		w := &n.words[i]
		if !w.has(capitalised) || !w.has(allCapitals|initial) || !n.amongCapitals(i) {
			continue
		}

		// Later rules judge a word among capitals as if it were in title case.
		w.shape |= shouted
		s := n.lowered(i)
		if s == "court" && i > 1 && courtKinds.has(n.lowered(i-1)) {
			n.words[i-1].shape &^= capitalised // DWAYNE PELLETIER SUPERIOR COURT
		}
		if n.countyOf(i) || captionSides.has(s) {
			w.shape &^= capitalised | initial // COUNTY OF ALAMEDA or APPELANTE, and a party below it
			continue
		}
		// A single letter is an initial unless it is the article.
		if w.end-w.start == 1 && (s != "a" || w.has(dotted) || strings.HasPrefix(n.text[w.end:], "/")) {
			continue
		}
		if !closedWords.has(s) && !linkWords.has(s) || n.titleBefore(i) {
			continue
		}
		if census.Given(s) > 0 && i+1 < len(n.words) && census.Surname(n.lowered(i+1)) > 0 {
			continue // WILL SMITH
		}
		w.shape &^= capitalised | initial
	}
}

// titleBefore reports whether a title of a person stands right before word i, the letter "A", which is an initial then:
// "MR A WALTON".
func (n *names) titleBefore(i int) bool {
	if i == 0 || n.words[i].end-n.words[i].start > 1 || !honorifics.has(n.lowered(i-1)) {
		return false
	}

	switch n.text[n.words[i-1].end:n.words[i].start] {
	case " ", ". ":
		return true
	}

	return false
}

// amongCapitals reports whether a word beside word i is in capitals too, and no single letter.
func (n *names) amongCapitals(i int) bool {
	return i > 0 && n.words[i-1].has(allCapitals) || i+1 < len(n.words) && n.words[i+1].has(allCapitals)
}

// countyOf reports whether word i is the first of the name of a county, in capitals.
func (n *names) countyOf(i int) bool {
	return i > 1 && n.lowered(i-1) == "of" && counties.has(n.lowered(i-2)) && n.words[i-2].has(allCapitals)
}

var (
	// captionSides are the sides of a dispute in French, Spanish and German captions.
	captionSides = setOf(`appelante appelant appelants appelantes intimé intimée intimés intimées demandeur demanderesse
		demandeurs défendeur défenderesse défendeurs kläger klägerin beklagte beklagter demandante demandado demandada`)
	counties   = setOf(`county parish borough`)
	courtKinds = setOf(`superior supreme district circuit county probate family municipal chancery`)
)
