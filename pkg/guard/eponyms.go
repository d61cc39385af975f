package guard

import "github.com/subrosa-legal/subrosa/pkg/guard/internal/lexicon"

// Things that are called by a person or that a nation keeps for all, in several words.

// eponymNoun reports whether the words from word from on are what a person gave the name to, as a whole: "the Orange
// Book", "the Braden Scale".
func (n *names) eponymNoun(from, end int) bool {
	if from+2 < len(n.words) && humanVerbs.has(n.lowered(from+2)) {
		return false // Braden Scale told me
	}
	if from+1 >= end || n.text[n.words[from].end:n.words[from+1].start] != " " || !eponymNouns.has(n.lowered(from+1)) {
		return false
	}

	return eponyms.has(n.lowered(from) + "-" + n.lowered(from+1))
}

var eponymNouns = setOf(`book scale score index method principle theorem act convention doctrine rule motion hearing
	warning warnings rights claim order injunction test standard chart rating register letter offer`)

// diseaseRun reports whether the words from first to end, joined by hyphens and with a degree behind them or without,
// are those who described the disease that the next word is: "Charcot-Marie-Tooth disease", "Salter-Harris II
// fracture".
func (n *names) diseaseRun(first, end int, next string) bool {
	last := end - 1
	// The degree behind a disease is no part of its name.
	if last > first+1 && roman(n.text[n.words[last].start:n.words[last].end]) {
		last--
	}
	if last == first || !medical.has(next) {
		return false
	}

	for i := first; i < last; i++ {
		if n.text[n.words[i].end:n.words[i+1].start] != "-" {
			return false
		}
	}

	return true
}

// anatomy reports whether a run of one word is who described a part of the body: "the circle of Willis".
func (n *names) anatomy(from, to int, a *around) bool {
	return to-from == 1 && a.before == "of" && anatomies.has(a.before2+"-"+n.lowered(from))
}

var anatomies = setOf(`
	circle-willis islets-langerhans islet-langerhans tetralogy-fallot sphincter-oddi loop-henle
	canal-schlemm canal-guyon ligament-treitz ligament-cooper crypts-lieberkühn crypt-lieberkühn
	foramen-monro foramen-magendie foramen-winslow duct-wirsung duct-santorini pouch-douglas
	ampulla-vater fascia-scarpa triangle-calot triangle-hesselbach zonule-zinn aqueduct-sylvius`)

// nationalLand reports whether a run is the name of land that a nation keeps for all, and nobody's behind whom it
// stands: "Hiawatha National Forest".
func (n *names) nationalLand(first, end int, a *around) bool {
	if personal.has(a.before) {
		return false
	}

	for i := first; i < end; i++ {
		w := &n.words[i]
		if i > first && n.lowered(i) == "national" {
			return n.landNoun(i+1, end)
		}
		// "Ada Hale National Forest" is somebody and a forest.
		if w.has(initial) || w.is&(lexicon.Given|lexicon.Honorific) != 0 || personal.has(n.lowered(i)) {
			return false
		}
	}

	return false
}

// landNoun reports whether the words from word i to end, all of them, are what such land is called.
func (n *names) landNoun(i, end int) bool {
	switch end - i {
	case 1:
		return nationalLands.has(n.lowered(i))
	case 2:
		return nationalLands.has(n.lowered(i) + "-" + n.lowered(i+1))
	}

	return false
}

var nationalLands = setOf(`forest park monument seashore lakeshore grassland wilderness battlefield wildlife-refuge
	recreation-area historic-site historic-park historic-trail`)
