package guard

import (
	_ "embed"
	"strings"
	"unicode/utf8"

	"github.com/subrosa-legal/subrosa/pkg/guard/internal/lexicon"
)

// Whoever has no umlauts on the keyboard writes ae, oe, ue and ss. Words are looked up in that spelling, so that both
// are one word: a noun in one is a noun in the other, and so is a name.

// germanThingList is nouns of everyday life, one a line, in the singular. They count after the lists of names. No
// surname of the lists ends in one, inflected or not, so that what ends in one is a compound: "Aufwandspauschale".
//
//go:embed german.txt
var germanThingList string

var germanThings = setOf(plainGerman(germanThingList))

var plainUmlauts = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "ß", "ss")

// plainGerman spells lower-case text without umlauts: "rückgabe" as "rueckgabe".
func plainGerman(s string) string {
	if ascii(s) {
		return s
	}

	return plainUmlauts.Replace(s)
}

// withoutUmlaut takes the umlauts of a word in plain spelling away, as its singular has none: "maengel" of "mangel".
// The ue of "neue", "quelle" and "bauer" is none. withUmlauts spells it with them: "mueller" as "müller".
var (
	withoutUmlaut = strings.NewReplacer("aue", "aue", "eue", "eue", "que", "que", "ae", "a", "oe", "o", "ue", "u")
	withUmlauts   = strings.NewReplacer("aue", "aue", "eue", "eue", "que", "que", "ae", "ä", "oe", "ö", "ue", "ü")
)

// endsIn reports whether a word ends in one of several endings, and has at least so many bytes before it.
//
//go:noinline
func endsIn(s string, endings []string, before int) bool {
	for _, e := range endings {
		if len(s) >= len(e)+before && strings.HasSuffix(s, e) {
			return true
		}
	}

	return false
}

// respell gives the words of a German text what the lists know of their other spelling, in which "Mueller" is the name
// that "Müller" is. A surname that opens a sentence is left as it is: there other rules count listed surnames as words.
func (n *names) respell() {
	for i := range n.words {
		w := &n.words[i]
		if !w.has(abroad) || !w.has(capitalised) || w.is != 0 || w.has(foreign) {
			continue
		}

		f := n.otherSpelling(i)
		if !w.has(opening) || f&lexicon.Given != 0 {
			w.is |= f & germanNames
		}
		if f&lexicon.Foreign != 0 && f&germanNames == 0 {
			w.shape |= foreign
		}
	}
}

// germanNames are what the lists of names say of a word.
const germanNames = lexicon.Given | lexicon.Surname | lexicon.KnownProper

// otherSpelling returns what the lists know of word i spelled with umlauts instead of ae, oe and ue, or without instead
// of with them.
func (n *names) otherSpelling(i int) lexicon.Flags {
	s := n.lowered(i)
	other := plainGerman(s)
	if other == s {
		other = withUmlauts.Replace(s)
	}
	f := lexicon.Flags(0)
	if other != s {
		f = knownAnywhere(other)
	}

	if sharp := strings.Replace(other, "ss", "ß", 1); f == 0 && ascii(s) && sharp != s {
		return knownAnywhere(sharp)
	}

	return f
}

// germanCompound reports whether a word in plain spelling ends in a noun that no surnames end in.
func germanCompound(s string) bool {
	// Every cut is tried: German writes compounds without a sign between the parts.
	for at := shortestModifier; at+shortestHead <= len(s); at++ {
		head := s[at:]
		if !utf8.RuneStart(s[at]) || germanArticles.has(head) {
			continue
		}
		if germanListed(head) || germanEveryday(head) {
			return true
		}
	}

	return false
}

// The shortest parts of a compound, in bytes.
const (
	shortestModifier = 3
	shortestHead     = 4
)

// germanListed reports whether a word in plain spelling is one of germanNouns, inflected or not, with or without its
// umlaut.
func germanListed(s string) bool {
	return listedStem(germanNouns, s) || pluralStem(germanNouns, s)
}

// germanEveryday reports whether a word in plain spelling is one of germanThings, inflected or not.
func germanEveryday(s string) bool {
	return listedStem(germanThings, s) || pluralStem(germanThings, s)
}

// pluralStem reports whether a word in plain spelling is a plural with an umlaut that its singular in a set lacks:
// "maengel", "saetze", "haeuser". Few nouns take one with -er, and many surnames do: Brücher, Schläger.
func pluralStem(set wordSet, s string) bool {
	bare := withoutUmlaut.Replace(s)
	if bare == s {
		return false
	}
	stem := strings.TrimSuffix(bare, "n")

	if singular, ok := strings.CutSuffix(stem, "er"); ok {
		return set.has(singular) && germanErPlurals.has(singular)
	}
	// "mängel", "läden", and "mängeln" in the dative
	if set.has(bare) && (strings.HasSuffix(bare, "el") || strings.HasSuffix(bare, "en")) {
		return true
	}
	singular, ok := strings.CutSuffix(stem, "e")

	if stem != bare && set.has(stem) {
		return true
	}

	return ok && len(singular) >= 3 && set.has(singular)
}

// germanErPlurals are nouns with a plural in -er that has an umlaut.
var germanErPlurals = setOf(`amt bad band blatt buch dach fach gehalt glas grab gut haus land loch mann pfand rad rand
	schloss tuch volk wort`)

// listedStem reports whether a word in plain spelling is in a set, or is with its inflection taken off.
func listedStem(set wordSet, s string) bool {
	if set.has(s) {
		return true
	}

	for _, e := range germanInflections {
		// Stems of two letters would take in half the dictionary.
		stem, ok := strings.CutSuffix(s, e)
		if strings.HasSuffix(s, "ss") && e == "s" {
			continue // the end of "Preiss" is no inflection
		}
		if ok && len(stem) >= 3 && set.has(stem) {
			return true
		}
	}

	return false
}

// germanInflections are put to nouns, the longest first.
var germanInflections = []string{"nen", "ern", "es", "en", "er", "em", "se", "e", "n", "s"}

// germanMade reports whether a word in plain spelling, which no list of names has, is made as German makes nouns,
// adjectives and adverbs of other words.
func (n *names) germanMade(i int, s string) bool {
	switch {
	case germanCompound(s), germanNoun(s), germanAdjective(s), germanAbstract(s), n.germanPart(i):
		return true
	case n.words[i].has(opening) && germanAdverb(s):
		return true
	}

	return germanAgent(s) || n.germanInfinitive(i, s) || n.germanGenitive(i, s) || n.germanDescribed(i)
}

// germanDescribed reports whether what stands right before word i goes with nouns and never with a name alone: an
// adjective, "kurzfristiger Buchung", or how many of them there are, "sämtlicher Flächen".
func (n *names) germanDescribed(i int) bool {
	if i == 0 || n.words[i].start-n.words[i-1].end != 1 || n.words[i-1].has(capitalised) {
		return false
	}
	s := plainGerman(n.lowered(i - 1))
	if germanAmounts.has(s) {
		return true
	}

	// What is inflected has one letter or two behind its stem.
	for cut := 1; cut <= 2 && len(s) > shortestAdjective+cut; cut++ {
		if s[len(s)-cut] == 'e' && endsIn(s[:len(s)-cut], germanDescribing, 3) {
			return true
		}
	}

	return false
}

var germanDescribing = []string{"lich", "isch", "bar", "sam", "los", "maessig", "faehig", "pflichtig"}

// shortestAdjective is how long an adjective is at least, without its inflection, in bytes.
const shortestAdjective = 6

var germanAmounts = setOf(`saemtliche saemtlicher saemtlichen saemtliches mehrere mehrerer mehreren beider einige
	einiger einigen etwaige etwaiger etwaigen etwaiges solche solcher solchen solchem manche mancher manchen
	jegliche jeglicher jeglichen jeglichem viele vieler vielen weitere weiterer weiteren weiteres weiterem folgende
	folgender folgenden folgendes folgendem eigene eigener eigenen eigenem eigenes pro dessen deren keinerlei
	allerlei`)

// germanAdverb reports whether a word in plain spelling is one that opens sentences, or ends as adverbs do that do:
// "Schriftlich". Surnames end in -rlich and -hlich.
func germanAdverb(s string) bool {
	if germanOpeners.has(s) {
		return true
	}

	return endsIn(s, germanAdverbs, 4)
}

var germanAdverbs = []string{"tlich", "zlich", "sslich", "glich", "klich", "weise", "seits", "falls", "maessig"}

// germanOpeners open sentences, in plain spelling, and are not among the words that the lexicon knows.
var germanOpeners = setOf(`abzueglich anhand anstelle aufgrund ausserhalb binnen dabei dadurch danach darueber
	darunter davon dazu demzufolge dennoch derzeit deshalb ebenfalls ebenso einschliesslich entsprechend erst etwa
	fruehestens gemaess gleichfalls gleichzeitig grundsaetzlich hierbei hierdurch hiermit hiernach hierunter
	hinsichtlich hoechstens immer infolge innerhalb insbesondere jedoch keinesfalls laut mangels mindestens mittels
	naeheres nichts niemand niemandem niemanden oberhalb obgleich obwohl saemtliche samt seitens selbst
	selbstverstaendlich sobald solange sollte sollten sonstige sonstiges spaetestens trotz ueblicherweise umgehend
	unabhaengig unbeschadet ungeachtet unterhalb unverzueglich vielmehr vorausgesetzt voraussichtlich vorbehaltlich
	waehrend weder wenngleich zugleich zumal zusaetzlich zuzueglich zwecks zwischen`)

// germanAgent reports whether a word in plain spelling is a woman or a man who does something, as long words are:
// "Partnervermittlerin".
func germanAgent(s string) bool { return endsIn(s, germanAgents, 6) }

var germanAgents = []string{"erin", "erinnen", "orin", "entin", "antin"}

// germanInfinitive reports whether word i, in plain spelling, is a verb with a prefix, used as a noun: "Überschreiten".
// Surnames begin with the short prefixes too, but no object stands behind those: "Verlassen der Wohnung".
func (n *names) germanInfinitive(i int, s string) bool {
	s = strings.TrimSuffix(s, "s")
	if len(s) < shortestInfinitive || !strings.HasSuffix(s, "n") {
		return false
	}

	switch s[len(s)-2] {
	case 'e', 'l', 'r':
	default:
		return false
	}
	if strings.HasPrefix(s, "ver") || strings.HasPrefix(s, "be") {
		return strings.HasPrefix(n.text[n.words[i].end:], " der ")
	}

	for _, prefix := range germanPrefixes {
		if strings.HasPrefix(s, prefix) {
			return true
		}
	}

	return false
}

// shortestInfinitive is how long a verb with a prefix is at least, in bytes: shorter ones are names.
const shortestInfinitive = 9

var germanPrefixes = []string{
	"ab", "auf", "aus", "durch", "ein", "ent", "heraus", "hinzu", "mit", "nach", "nicht", "ueber", "unter", "vorbei",
	"weiter", "wieder", "zurueck", "zusammen", "zuwider",
}

// germanGenitive reports whether word i is a noun in the genitive behind its article, "des Schädigers", or one that
// such a noun belongs to, "Antritt des Mietverhältnisses". No name has that article.
func (n *names) germanGenitive(i int, s string) bool {
	if strings.HasPrefix(n.text[n.words[i].end:], " des ") {
		return true
	}
	if i == 0 || !strings.HasSuffix(s, "s") || n.lowered(i-1) != "des" {
		return false
	}

	return n.words[i].start-n.words[i-1].end == 1
}

// germanPerson reports whether what stands around word i says that it is somebody's name, however it is made: a title
// or a given name before it, a case called after it, or where somebody lives behind it.
func (n *names) germanPerson(i int) bool {
	w := &n.words[i]
	rest, before := n.text[w.end:], n.text[:w.start]

	switch {
	case strings.HasPrefix(rest, " ./."), strings.HasSuffix(before, "./. "):
		return true
	case i == 0:
		return false
	}

	for _, e := range []string{", wohnhaft", " wohnhaft", ", geboren", ", geb."} {
		if strings.HasPrefix(rest, e) {
			return true
		}
	}
	gap, title := n.text[n.words[i-1].end:w.start], plainGerman(n.lowered(i-1))
	if gap != " " && gap != ". " {
		return false
	}
	if germanTitles.has(title) {
		return gap == " " || abbreviations.has(title)
	}

	return gap == " " && n.behindGiven(i) && !germanListed(title) && !germanMonths.has(title)
}

// germanTitles stand before names, and before no other nouns without a comma.
var germanTitles = setOf(plainGerman(`herr herrn frau eheleute eheleuten familie fräulein dr prof rechtsanwalt
	rechtsanwältin rechtsanwalts ra rain notar notarin zeuge zeugin zeugen`))

// germanPart reports whether word i is the first part of a compound whose end stands behind another one: "Sach- und
// Vermögensschäden".
func (n *names) germanPart(i int) bool {
	rest := n.text[n.words[i].end:]

	return strings.HasPrefix(rest, "- ") || strings.HasPrefix(rest, "-, ")
}
