package guard

// Things that are called by a person or that a nation keeps for all, in several words.

// eponymNoun reports whether the words from word from on are what a person gave the name to, as a whole: "the Orange
// Book", "the Braden Scale".
func (n *names) eponymNoun(from, end int) bool {
	if from+1 >= end || n.text[n.words[from].end:n.words[from+1].start] != " " || !eponymNouns.has(n.lowered(from+1)) {
		return false
	}

	return eponyms.has(n.lowered(from) + "-" + n.lowered(from+1))
}

var eponymNouns = setOf(`book scale score index method principle theorem act convention doctrine rule motion hearing warning warnings
	rights claim order injunction test standard chart rating register letter offer`)

// diseaseRun reports whether the words from first to end, joined by hyphens and with a degree behind them or without,
// are those who described the disease that the next word is: "Charcot-Marie-Tooth disease", "Salter-Harris II
// fracture".
func (n *names) diseaseRun(first, end int, next string) bool {
	last := end - 1
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
	return to-from == 1 && a.before == "of" && anatomies.has(a.before2)
}

var anatomies = setOf(`circle loop islets islet sphincter tetralogy canal ligament crypts crypt foramen duct pouch ampulla fascia
	triangle zonule aqueduct`)

// nationalLand reports whether a run ends as the name of land does that a nation keeps for all: "Gifford Pinchot
// National Forest".
func (n *names) nationalLand(first, end int) bool {
	for i := first + 1; i+1 < end; i++ {
		if n.lowered(i) == "national" && nationalLands.has(n.lowered(i+1)) {
			return true
		}
	}

	return false
}

var nationalLands = setOf(`forest park monument seashore lakeshore wildlife recreation historic grassland wilderness cemetery battlefield`)
