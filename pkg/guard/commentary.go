package guard

import "strings"

// German papers cite commentaries by their editor and author, with the section and the marginal number behind them:
// "MüKoBGB/Ernst, § 286 Rn. 40", "Zöller/Greger, ZPO, § 139 Rn. 3". Who wrote one is no client.

// commentaries takes the names before such a place out of suspicion.
func (n *names) commentaries() {
	for at := strings.Index(n.text, " Rn. "); at >= 0; {
		n.commentary(at)

		next := strings.Index(n.text[at+1:], " Rn. ")
		if next < 0 {
			return
		}
		at += 1 + next
	}
}

// longestWork bounds what stands between the author of a commentary and the marginal number, in bytes.
const longestWork = 60

// commentary excuses the names of the commentary whose marginal number stands at byte at.
func (n *names) commentary(at int) {
	from := max(0, at-longestWork)
	sign := strings.LastIndex(n.text[from:at], "§")
	if sign < 0 {
		return
	}
	end := from + sign
	i := n.wordAt(end) - 1 // the last word before the section

	for ; i >= 0 && end-int(n.words[i].end) <= longestWork; i-- {
		w := &n.words[i]
		between := n.text[w.end:end]
		if strings.ContainsAny(between, ";:()\n") {
			return
		}
		comma := strings.IndexByte(between, ',')
		// Abbreviations of statutes stand between the author and the section.
		if comma < 0 || !w.has(capitalised) || w.has(allCapitals|initial) || germanCode(n.text[w.start:w.end]) {
			continue
		}
		if comma == 0 {
			if n.cites(i) {
				n.authors(i)
			}

			return
		}
	}
}

// cites reports whether word i can only be an author: it is joined to an editor by a stroke, or begins a citation. A
// party may stand before a section too: "Herr Ostrowe, § 12 Rn. 3".
func (n *names) cites(i int) bool {
	if i == 0 {
		return true
	}

	switch gap := n.text[n.words[i-1].end:n.words[i].start]; {
	case gap == "/", strings.ContainsAny(gap, ";("):
		return true
	case gap != " " && gap != ". ":
		return false
	}

	for i--; i > 0 && citingAdverbs.has(n.lowered(i)); i-- {
	}

	return citingWords.has(n.lowered(i))
}

var (
	citingWords   = setOf(`vgl s siehe so statt vieler`)
	citingAdverbs = setOf(`nur etwa auch dazu hierzu schon`)
)

// authors excuses word i and the names joined to it by strokes.
func (n *names) authors(i int) {
	for {
		w := &n.words[i]
		// Without the capital no rule looks at the word, and the mark says why.
		w.shape = w.shape&^capitalised | quotedLaw
		if i == 0 || n.text[n.words[i-1].end:w.start] != "/" {
			return
		}
		i--
	}
}
