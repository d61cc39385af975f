package guard

import "github.com/subrosa-legal/subrosa/pkg/guard/internal/lexicon"

// familyWords stand before a surname in French and Spanish papers. What follows them is one, though towns and things
// are called so too: "Les Époux Castelnau", "los cónyuges Toledo".
var familyWords = setOf(`époux consorts veuve famille cónyuges consortes esposos hermanos viuda familia`)

// couples finds surnames behind such a word.
func (n *names) couples() {
	if !n.romance {
		return
	}

	for _, i := range n.large[n.opens:] {
		w := &n.words[i]
		if !w.has(capitalised) || n.text[n.words[i-1].end:w.start] != " " || !familyWords.has(n.lowered(i-1)) {
			continue
		}
		if w.is&(lexicon.Proper|lexicon.Given|lexicon.Surname|lexicon.Place) == 0 && romanceListed(n.lowered(i)) {
			continue // la familia Adoptiva
		}

		end := i + 1
		for n.goesOn(end) {
			end++
		}
		// The word before it makes the name sure, so that it is known alone from here on.
		n.learn(i, end, true)
		n.add(kindPerson, ruleHonorific, i, end)
	}
}
