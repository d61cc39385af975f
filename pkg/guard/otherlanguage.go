package guard

import (
	"slices"
	"strings"

	"github.com/subrosa-legal/subrosa/pkg/guard/internal/lexicon"
)

// The guard knows the words of English, German, French and Spanish. In a text of any other language it cannot tell a
// name from a word, and would list every word that it does not know. Such findings are marked, so that an answer says
// once that it does not know the language. Names that the lists hold, titles and numbers are found there as anywhere.

// fewWords is how many marked findings of one text an answer still lists one by one.
const fewWords = 2

// markUnread gives what was found in sentences of another language its own rule, where nothing but the word itself
// speaks for a name.
func (n *names) markUnread() {
	weak, foreign := 0, false
	var last toldSentence

	for _, f := range n.found {
		// A listed given name in a full name is a person in any language.
		if weakAbroad(f.rule) || f.rule == ruleFullName {
			weak++
			foreign = foreign || n.sentenceLanguage(f.start, &last) == otherLanguage
		}
	}
	// Reading all sentences is slow, and few texts are in another language.
	if weak <= fewWords || !foreign {
		return
	}
	stretches := n.otherSentences()

	for i := range n.found {
		f := &n.found[i]
		at, _ := slices.BinarySearchFunc(stretches, f.start+1, func(s stretch, end int) int { return s.end - end })
		if at == len(stretches) || f.start < stretches[at].start {
			continue
		}
		if weakAbroad(f.rule) || f.rule == ruleFullName && !n.listedGiven(f) {
			f.rule = ruleUnread
		}
	}
}

// toldSentence is what the words of a sentence, or of the part that was looked at, tell of its language.
type toldSentence struct {
	first, end int
	is         tongue
}

// sentenceLanguage returns what the sentence around a byte tells of its language. Looking at these alone is much less
// than looking at all. last is the sentence of the call before, which the next finding often stands in too.
func (n *names) sentenceLanguage(at int, last *toldSentence) tongue {
	middle := min(n.wordAt(at), len(n.words)-1)
	first, end := middle, middle+1

	for first > max(0, middle-longestSentence) && !n.words[first].has(opening) {
		first--
	}

	for end < min(len(n.words), middle+longestSentence) && !n.words[end].has(opening) {
		end++
	}

	if last.first != first || last.end != end {
		*last = toldSentence{first, end, n.languageOf(first, end)}
	}

	return last.is
}

// longestSentence bounds how much of a sentence is looked at on either side of a finding, in words.
const longestSentence = 40

// weakAbroad reports whether a rule goes by the words of a language: what it finds may be any word of another one.
func weakAbroad(r rule) bool {
	switch r {
	case ruleUnknownName, ruleCapitals, ruleNameWord, ruleUnknownWord, ruleScript, ruleVersus, ruleRecurs, ruleAcronym,
		ruleLowerName, ruleInstitution:
		return true
	}

	return false
}

// listedGiven reports whether a given name that the lists hold stands in a finding.
func (n *names) listedGiven(f *span) bool {
	first, _ := slices.BinarySearchFunc(n.words, f.start, func(w word, start int) int { return int(w.start) - start })
	for i := first; i < len(n.words) && int(n.words[i].end) <= f.end; i++ {
		if n.words[i].is&lexicon.Given != 0 && n.words[i].has(capitalised) {
			return true
		}
	}

	return false
}

// stretch is part of a text, in bytes.
type stretch struct{ start, end int }

// otherSentences returns the sentences in a language that the guard does not know, in order. A sentence without a word
// that tells, such as a heading, is in the language of the one before, and at the beginning in that of the next.
func (n *names) otherSentences() (found []stretch) {
	unsaid := 0 // where sentences begin that do not tell their language, behind none that does
	before := unsure

	for i := 0; i < len(n.words); {
		end := i + 1
		for end < len(n.words) && !n.words[end].has(opening) {
			end++
		}
		is := n.languageOf(i, end)
		from := i
		// Headings and names have no small words to tell their language by.
		if is == unsure {
			is = before
		} else if before == unsure {
			from = unsaid
		}
		if is == otherLanguage {
			found = append(found, stretch{int(n.words[from].start), int(n.words[end-1].end)})
		}
		before, i = is, end
	}

	return found
}

// tongue is what a sentence tells of its language.
type tongue uint8

const (
	unsure tongue = iota
	knownLanguage
	otherLanguage
)

// languageOf weighs the words of a sentence, from word first to before word end.
func (n *names) languageOf(first, end int) tongue {
	other, own, script := 0, 0, 0

	for i := first; i < end; i++ {
		w := &n.words[i]
		if n.otherScript(i) {
			script++
			continue
		}
		// Names, abbreviations and numbers look alike in all languages.
		if w.end-w.start < 2 || w.has(allCapitals|besideDigit) || w.has(capitalised) && !w.has(opening) {
			continue
		}

		s := n.lowered(i)
		mine := w.is&lexicon.Everyday != 0 || romanceSmall.has(s) || germanSmall.has(s) || germanArticles.has(s)

		switch theirs := otherSmall.has(s) || !w.has(capitalised) && strings.ContainsAny(s, otherLetters); {
		case theirs && !mine:
			other++
		case mine && !theirs && !sharedSmall.has(s):
			own++
		}
	}

	switch {
	case script > own:
		return otherLanguage
	case other >= 2 && other > own, other == 1 && own == 0 && end-first <= shortSentence:
		return otherLanguage
	case own > other:
		return knownLanguage
	}

	return unsure
}

// shortSentence is how many words a sentence has at most that one small word tells of.
const shortSentence = 8

// sharedSmall are small words of the known languages that Italian, Portuguese, Catalan, Romanian or Dutch have too.
var sharedSmall = setOf(`als tot is in for at que de del la le un una e por se su al lo no con en per si ma me mi nos`)

// otherLetters stand in words of other languages written in Latin letters, and not in those that the guard knows.
const otherLetters = "ąćęłńśźżřěůčďťňőűğışāēģķļņšūžășțţđãõåøæðþ"

// otherSmall are small words of other languages, without those that the known ones have too and those that stand in
// names. Among them are Italian, Portuguese, Catalan, Romanian, Dutch, the Nordic languages, Polish, Czech, Slovak,
// Croatian, Slovene, Hungarian, Finnish, Estonian, Latvian, Lithuanian, Turkish, Albanian, Indonesian and Vietnamese.
var otherSmall = setOf(`
	che è il gli di sono della dello delle degli dell nella nelle nello negli dalla dalle dal alla alle allo agli sulla
	sul anche questo questa quale quali essere stato stata hanno ha più può deve così perché gli nel dai sui con ai cui
	senza
	não uma foi da do dos das o os pelo pela pelos pelas são ao aos às na nas num numa também já seu sua seus suas foram
	em mais isso deste desta neste nesta
	amb dels aquest aquesta va són és això seva seu
	și este sunt pentru care cu din prin nu sau fost către între
	het een niet zijn wordt werd werden door voor aan met deze dit ook naar over bij uit dat heeft hebben zich zou
	kan dient aldus ter geen indien waar daar om te volgens tegen wegens
	och att inte för är med på som har av från till eller ska skall kan efter vid den det
	og ikke til blev blevet af ved eller være fra når skal kunne også efter
	ja on ei että joka ovat sekä oli hän mutta tai kun jos ole voi olla sen mukaan
	nie się jest na do że przez dla oraz od za został została zostało przed wobec ma lub być jego jej ich jako po
	je se na že byl byla bylo podle nebo jsou který která které pro ze od ve při jako aby není dle
	sa bol bola bolo podľa alebo ktorý ktorá ktoré pri nie sú zo ako
	koji koja koje nije su od za kao ili je te iz po što bi
	in ki ga na da od za pri po ter so bil bila
	az egy nem és hogy volt vagy meg csak mert ezt azt által szerint
	ning ei see oli kui mis ka või
	un ir kas par no ar uz pie
	ir kad su iš į yra dėl arba buvo pagal
	ve bir bu ile için olarak olan da veya ancak olduğu tarafından kadar sonra üzerine göre
	dhe të një për në me që nuk është
	yang dan di untuk dengan dari pada tidak oleh adalah ini itu atau dalam telah
	và của là các cho được trong không với những người này theo`)

// Told returns findings as an answer lists them: more than a few in a language that the guard does not know become one
// finding of KindLanguage, which comes last and reaches from the first of them to the last.
func Told(found []Finding) []Finding {
	unread := 0

	for _, f := range found {
		if f.Unread {
			unread++
		}
	}
	if unread <= fewWords {
		return found
	}

	all := Finding{Kind: KindLanguage, Why: reasonLanguage, Start: -1}
	told := make([]Finding, 0, len(found)-unread+1)

	for _, f := range found {
		if !f.Unread {
			told = append(told, f)
			continue
		}
		if all.Start < 0 {
			all.Start = f.Start
		}
		all.End = f.End
	}

	return append(told, all)
}

const reasonLanguage = "a language that the guard does not know, so it cannot tell names from words"
