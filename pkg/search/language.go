package search

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
)

//go:embed words/stop.txt
var stopFile string

//go:embed words/synonyms.txt
var synonymFile string

//go:embed words/irregular.txt
var irregularFile string

//go:embed words/everyday.txt
var everydayFile string

// language is one whose words are told apart from those that say nothing, and brought to their stems.
type language string

const (
	english language = "en"
	german  language = "de"
	french  language = "fr"
	spanish language = "es"
)

var languages = [...]language{english, german, french, spanish}

// stopWords are the words that say nothing, by language.
var stopWords = sync.OnceValue(func() map[language]map[string]bool {
	lists := map[language]map[string]bool{}
	var list map[string]bool

	for line := range strings.Lines(stopFile) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		if line[0] == '[' {
			list = map[string]bool{}
			lists[language(strings.Trim(line, "[]"))] = list

			continue
		}

		for word := range strings.FieldsSeq(line) {
			list[word] = true
		}
	}

	return lists
})

// mostGuessed bounds the words by which a language is guessed.
const mostGuessed = 400

// languageOf guesses the language of a text by the small words in it; English when nothing speaks for another.
func languageOf(text string) language {
	lists := stopWords()
	counts := [len(languages)]int{}
	seen := 0

	for word := range strings.FieldsSeq(text) {
		if seen++; seen > mostGuessed {
			break
		}
		// Cheaper than to cut words properly, and as good for small words.
		word = strings.ToLower(strings.Trim(word, ".,;:?!\"'()[]¿¡„“”"))

		for i, l := range languages {
			if lists[l][word] {
				counts[i]++
			}
		}
	}
	best := 0

	for i, n := range counts {
		if n > counts[best] {
			best = i
		}
	}

	return languages[best]
}

// LanguageOf guesses the language of a question by its small words: de, fr or es, and en where nothing speaks for
// another.
func LanguageOf(text string) string {
	l := languageOf(text)
	if l == english {
		return string(l)
	}
	own, others := 0, 0

	for _, word := range Words(text) {
		if stopWords()[l][word] {
			own++
		}
		if stopWords()[english][word] {
			others++
		}
	}
	// A question is short: "die" or "me" alone would make English ones German or French.
	if own < leastSmall || own <= others {
		return string(english)
	}

	return string(l)
}

const leastSmall = 2 // small words of a language, from which a question is in it

// stopWord reports whether a word says nothing about what is looked for.
func (l language) stopWord(word string) bool { return stopWords()[l][word] }

// stem cuts the endings off a folded word, so that its forms meet.
func (l language) stem(word string) string {
	if isLabel(word) || len(word) < l.leastStemmed() || word[0] >= '0' && word[0] <= '9' {
		return word
	}

	switch l {
	case german:
		cut := cutEnding(
			withoutUmlauts(word),
			leastCut,
			"ungen", "keiten", "heiten", "nissen", "ung", "keit", "heit", "nis", "innen", "erin", "test", "ten",
			"tet", "ern", "end", "ers", "em", "en", "er", "es", "te", "st", "et", "e", "n", "s", "t",
		)
		if len(cut) > leastGerman {
			// "vermieten" has lost its t with the ending, and "Vermietung" has not.
			cut = strings.TrimSuffix(cut, "t")
		}
		// "Preis" and "Verstoß" lose an s that "Preise" and "Verstöße" keep.
		if bare := strings.TrimRight(cut, "s"); len(bare) >= leastCut {
			cut = bare
		}

		return cut
	case french:
		return cutEnding(
			word,
			4,
			"ements", "ement", "ations", "ation", "euses", "euse", "eurs", "eur", "ées", "ée", "és", "é", "ent",
			"er", "es", "e", "s",
		)
	case spanish:
		return cutEnding(
			word,
			4,
			"amientos", "amiento", "aciones", "ación", "adores", "ador", "adas", "ados", "ada", "ado", "ar", "er",
			"ir", "as", "os", "es", "a", "o", "e", "s",
		)
	}

	return stem(word)
}

// umlauts brings German letters to those that are typed in their place on other keyboards.
var umlauts = strings.NewReplacer("ä", "a", "ö", "o", "ü", "u", "ß", "ss")

// withoutUmlauts writes a German word without umlauts, "Rückgabe" and "Rueckgabe" in the same way. An "e" behind two
// vowels, as in "neue" and "Dauer", and behind "qu" belongs to the ending or the word itself.
func withoutUmlauts(word string) string {
	word = umlauts.Replace(word)
	if !strings.Contains(word, "ae") && !strings.Contains(word, "oe") && !strings.Contains(word, "ue") {
		return word
	}
	var b strings.Builder

	for i := range len(word) {
		spelled := word[i] == 'e' && i > 0 && strings.IndexByte("aou", word[i-1]) >= 0
		if spelled && (i < 2 || strings.IndexByte("aeiouq", word[i-2]) < 0) {
			continue
		}
		b.WriteByte(word[i])
	}

	return b.String()
}

const (
	leastGerman = 6 // bytes of a German stem that can lose a "t" besides
	leastCut    = 4 // bytes of a German stem
)

// leastStemmed is how many bytes a word has at least that is brought to its stem: English has short irregular verbs.
func (l language) leastStemmed() int {
	if l == english {
		return 3
	}

	return 4
}

// cutEnding cuts the first ending that leaves at least so many bytes.
func cutEnding(word string, least int, endings ...string) string {
	for _, ending := range endings {
		if rest, ok := strings.CutSuffix(word, ending); ok && len(rest) >= least {
			return rest
		}
	}

	return word
}

// synonymTable returns, for each stem of the list, the stems that lawyers use in its place. A word may be in several
// groups.
var synonymTable = sync.OnceValue(func() map[string][]string { return groupsOf(synonymFile) })

// everydayTable is the like of the words that people use where papers have others.
var everydayTable = sync.OnceValue(func() map[string][]string { return groupsOf(everydayFile) })

// groupsOf reads groups of words, a group a line.
func groupsOf(file string) map[string][]string {
	table := map[string][]string{}

	for line := range strings.Lines(file) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		words := strings.Fields(line)

		for _, l := range []language{english, german} {
			for _, word := range words {
				for _, other := range words {
					addSynonym(table, l.stem(word), l.stem(other))
				}
			}
		}
	}

	return table
}

func addSynonym(table map[string][]string, word, other string) {
	if word == other || slices.Contains(table[word], other) {
		return
	}
	table[word] = append(table[word], other)
}

// irregular are the forms of English verbs and nouns that endings do not tell, with the form that stands for all.
var irregular = sync.OnceValue(func() map[string]string {
	table := map[string]string{}

	for line := range strings.Lines(irregularFile) {
		forms := strings.Fields(line)
		if len(forms) == 0 || forms[0][0] == '#' {
			continue
		}

		for _, f := range forms[1:] {
			table[f] = forms[0]
		}
	}

	return table
})

// stem cuts the commonest English endings off a folded word, so that forms of one word meet. It is careful rather than
// thorough: what it does not join, the synonyms may.
func stem(word string) string {
	if base, ok := irregular()[word]; ok {
		word = base
	}
	if len(word) < 4 || isLabel(word) || word[0] < 'a' || word[0] > 'z' {
		return word
	}

	switch {
	case strings.HasSuffix(word, "sses"),
		strings.HasSuffix(word, "xes"),
		strings.HasSuffix(word, "ches"),
		strings.HasSuffix(word, "shes"):
		word = word[:len(word)-2]
	case strings.HasSuffix(word, "ies") && len(word) > 4:
		word = word[:len(word)-3] + "y"
	case strings.HasSuffix(word, "s") && !strings.HasSuffix(word, "ss") && !strings.HasSuffix(word, "us") &&
		!strings.HasSuffix(word, "is"):
		word = word[:len(word)-1]
	}
	if rest, ok := verbStem(word); ok {
		word = rest
	}
	if len(word) > 4 && strings.HasSuffix(word, "e") {
		word = word[:len(word)-1]
	}
	if strings.HasSuffix(word, "ll") {
		word = word[:len(word)-1] // "cancelled" and "cancel", "called" and "call"
	}

	return word
}

// verbStem cuts -ed and -ing where at least four letters with a vowel stay.
func verbStem(word string) (string, bool) {
	for _, ending := range []string{"ing", "ed"} {
		rest, ok := strings.CutSuffix(word, ending)
		if !ok || len(rest) < 4 || !strings.ContainsAny(rest, "aeiouy") {
			continue
		}
		if n := len(rest); rest[n-1] == rest[n-2] && !strings.ContainsRune("sz", rune(rest[n-1])) {
			rest = rest[:n-1] // "submitted"
		}
		if strings.HasSuffix(rest, "i") {
			rest = rest[:len(rest)-1] + "y" // "notified"
		}

		return rest, true
	}

	return word, false
}
