package guard

import (
	"strings"

	"github.com/subrosa-legal/subrosa/pkg/guard/internal/lexicon"
)

// The lexicon is English. In a sentence of another European language an unknown word in lower case says nothing, German
// writes every noun with a capital, and the articles of French and Italian grow into their words; names stand out there
// by the lists of names and by what surrounds them.

// languages marks the words of sentences that are in another language: more words of it than English ones, and at least
// three, or two of which one can be no name, or one in so short a text that it is half of it.
func (n *names) languages() {
	for i := 0; i < len(n.words); {
		end, own, other, sure := i, 0, 0, 0
		for ; end < len(n.words) && (end == i || !n.words[end].has(opening)); end++ {
			w := &n.words[end]
			switch english := w.is&lexicon.Everyday != 0; {
			case english && !w.has(foreign):
				own++
			// A capitalised word with such letters may be a name in an English sentence.
			case w.shape&(capitalised|accented) == accented && foreignLetters(n.text[w.start:w.end]):
				other++
				sure++
			case !english && w.has(foreign):
				other++
				if w.is&(lexicon.Proper|lexicon.Particle) == 0 {
					sure++
				}
			}
		}
		told := other >= 3 || sure > 0 && (other >= 2 || 2*sure >= end-i)
		if other > own && (told || own == 0 && n.germanOpening(i, end)) {
			// A sentence that begins with a small letter was typed in haste, and its small words may be names.
			mark := abroad
			if n.words[i].has(capitalised) {
				mark |= written
			}

			for k := i; k < end; k++ {
				n.words[k].shape |= mark
			}
		}
		i = end
	}
}

// germanOpening reports whether a sentence, from word first to before word end, begins with a German article and has
// another one: "Der Betriebsrat widersprach der Kündigung."
func (n *names) germanOpening(first, end int) bool {
	switch n.lowered(first) {
	case "der", "die", "das", "ein", "eine":
	default:
		return false
	}
	if n.words[first].has(allCapitals) {
		return false
	}

	for i := first + 1; i < end; i++ {
		if w := &n.words[i]; !w.has(capitalised) && w.end-w.start >= 3 && germanArticles.has(n.lowered(i)) {
			return true
		}
	}

	return false
}

// foreignLetters reports whether a word has letters that English lacks, and German, French or Spanish is full of.
func foreignLetters(s string) bool {
	return len(s) > 3 && strings.ContainsAny(s, "äöüßáéíóúñçèêàâîôûëï")
}

// germanArticles stand before nouns, and seldom before names.
var germanArticles = setOf(`der die das dem den ein eine einen einem einer eines zum zur im vom am beim ins kein keine
	keinen keinem keiner dieser diese dieses diesem diesen mein meine meinem meinen meiner sein seine seinem seinen
	seiner ihr ihre ihrem ihren ihrer unser unsere unserem unseren unserer jede jeder jedes jedem jeden aller alle
	allen`)

// foreignWord reports whether a capitalised word in a sentence of another language is accounted for there: a word of
// the language that is no name, or opens the sentence, or stands behind an article, or any German noun behind one.
func (n *names) foreignWord(i int) bool {
	w := &n.words[i]
	name := w.is&(lexicon.Given|lexicon.Surname|lexicon.KnownProper) != 0
	if w.has(foreign) && (!name || w.has(opening)) {
		return true
	}
	k := i - 1
	if k > 0 && !n.words[k].has(capitalised) && !germanArticles.has(n.lowered(k)) && inflected(n.lowered(k)) {
		k-- // an adjective
	}

	if k < 0 || name && !w.has(foreign) {
		return false
	}

	return germanArticles.has(n.lowered(k)) && n.words[i].start-n.words[i-1].end == 1
}

// inflected reports whether a word ends as German adjectives do behind an article.
func inflected(s string) bool {
	if len(s) < 4 {
		return false
	}
	if s[len(s)-1] == 'e' {
		return true
	}

	switch s[len(s)-2:] {
	case "en", "er", "es", "em":
		return true
	}

	return false
}

// elided reports whether a word is one of French or Italian with an article or pronoun grown into it: l'appel,
// dell'articolo, L'État.
func (n *names) elided(i int) bool {
	s := n.text[n.words[i].start:n.words[i].end]
	for k := 1; k < len(s)-1 && k <= len("quell"); k++ {
		if s[k] != '\'' {
			continue
		}
		// O'Brien and D'Angelo are names: only what the languages elide counts.
		if !elisions.has(toLower(s[:k])) {
			return false
		}
		f := knownAnywhere(s[k+1:])
		name := f&(lexicon.Given|lexicon.Surname|lexicon.KnownProper) != 0

		return f&(lexicon.Foreign|lexicon.Ordinary) != 0 || n.words[i].has(abroad) && lower(s[k+1]) && !name
	}

	return false
}

var elisions = setOf(`l d j n s c m t qu dell all un nell sull dall quest quell`)
