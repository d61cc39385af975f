package guard

import (
	"strings"

	"github.com/subrosa-legal/subrosa/pkg/guard/internal/lexicon"
)

// French and Spanish papers write defined terms, offices and bodies with capitals: "le Bailleur", "la Junta General de
// Accionistas". In a text of either language such a word is no name where it is one of those below, ends as nouns,
// adjectives, participles and adverbs do, or stands behind an article. A name stays one where the lists of names have
// it, behind a title or a role, and beside a given name.

// readRomance notes that a text is French or Spanish, at least in part, by its small words.
func (n *names) readRomance() {
	small, abroadWords := 0, 0

	for i := range n.words {
		w := &n.words[i]
		if !w.has(abroad) {
			continue
		}
		abroadWords++
		if w.end-w.start <= longestSmall && romanceSmall.has(n.lowered(i)) {
			small++
		}
	}
	// The same share as for German, which has as many small words.
	n.romance = small*8 >= abroadWords && small >= 2
	if n.romance && 4*abroadWords >= len(n.words) {
		n.markFragments()
	}
}

// romanceSmall are the words by which French and Spanish are told from English and German.
var romanceSmall = setOf(`le la les du de des au aux un une et que qui est par pour sur dans ne pas se sa son ce il elle
	je ma mes à nous vous ont d'un d'une qu'il n'a c'est el los las del al una y en con por para su sus lo no es sin mi
	más fue ha`)

// longestSmall bounds them, in bytes.
const longestSmall = 5

// markFragments marks headings, lists and other fragments of a text that is mostly in another language as being in it:
// they are too short to be told by their small words.
func (n *names) markFragments() {
	for i := 0; i < len(n.words); {
		end, english := i, 0
		for ; end < len(n.words) && (end == i || !n.words[end].has(opening)); end++ {
			if w := &n.words[end]; w.is&lexicon.Everyday != 0 && !w.has(foreign|capitalised) {
				english++
			}
		}

		// Two English words make a sentence of it that only quotes the other language.
		for k := i; english < 2 && k < end; k++ {
			n.words[k].shape |= abroad | written
		}
		i = end
	}
}

// romanceWord reports whether a capitalised word of a French or Spanish text is accounted for as a word of the
// language.
func (n *names) romanceWord(i int) bool {
	w := &n.words[i]
	s := n.lowered(i)
	if romanceOpeners.has(s) {
		return w.has(opening | shouted)
	}
	article := false
	if cut := strings.IndexByte(s, '\''); cut > 0 && elisions.has(s[:cut]) {
		article, s = s[:cut] == "l", s[cut+1:]
	}
	if romanceListed(s) || n.seatOfBody(i) {
		return true
	}
	// Listed names stay names, since their endings are those of nouns too.
	if w.is&(lexicon.Given|lexicon.Surname|lexicon.KnownProper) != 0 || n.behindGiven(i) {
		return false
	}
	if article || romanceEnding(s, romanceNounEndings, shortestRomanceStem) || n.behindRomanceArticle(i) {
		return true
	}
	if n.behindRomanceNoun(i) && romanceEnding(s, romanceAdjectiveEndings, shortestRomanceStem) {
		return true
	}

	return w.has(opening|shouted) && n.romanceVerb(i)
}

// romanceVerb reports whether word i, which begins a sentence, is a verb or a participle: it ends as they do, or its
// object follows, where a verb would stand behind a name.
func (n *names) romanceVerb(i int) bool {
	if i+1 == len(n.words) || n.goesOn(i+1) {
		return false
	}
	if romanceEnding(n.lowered(i), romanceVerbEndings, shortestRomanceStem) {
		return true
	}
	next := n.lowered(i + 1)
	if romanceEnding(next, infinitives, shortestRomanceStem) {
		return true
	}

	if n.text[n.words[i].end:n.words[i+1].start] != " " {
		return false
	}

	return romanceArticles.has(next) || romancePrepositions.has(next)
}

// romancePrepositions do not stand right behind a name that begins a sentence, as articles do not.
var romancePrepositions = setOf(`à en a que si dans sur pour por con para sin sobre como`)

// behindRomanceNoun reports whether a listed noun with a capital stands right before word i, whose adjective it may be:
// "Horas Extraordinarias".
func (n *names) behindRomanceNoun(i int) bool {
	return i > 0 && n.words[i].has(joined) && n.words[i-1].has(capitalised) && romanceListed(n.lowered(i-1))
}

// behindGiven reports whether a given name stands before word i, whose surname it may be.
func (n *names) behindGiven(i int) bool {
	if i == 0 || !n.words[i].has(joined) || !n.words[i-1].has(capitalised) {
		return false
	}

	before := n.lowered(i - 1)
	if romanceOpeners.has(before) || romanceListed(before) {
		return false
	}

	return n.words[i-1].is&(lexicon.Given|lexicon.Honorific) != 0
}

// seatOfBody reports whether word i is the place of a court or an authority that stands before it: "Juzgado de Primera
// Instancia número 5 de Sevilla", "Audiencia Provincial de Bilbao".
func (n *names) seatOfBody(i int) bool {
	if i < 2 || n.lowered(i-1) != "de" || n.words[i].start-n.words[i-1].end != 1 {
		return false
	}

	if n.lowered(i-2) == "barreau" {
		return true
	}

	for k := i - 2; k >= max(0, i-1-longestBody); k-- {
		s := n.lowered(k)
		if n.words[k].has(capitalised) && romanceBodies.has(s) {
			return true
		}
		if !n.words[k].has(capitalised) && !bodyJoints.has(s) || n.words[k].has(opening) {
			return false
		}
	}

	return false
}

// italianSeat reports whether word i is a known place and that of a court or an authority that stands before it, in
// Italian or
// Portuguese and in a text of any language: "Tribunale di Milano", "Corte d'Appello di Torino".
func (n *names) italianSeat(i int) bool {
	if i < 2 || !italianSeats.has(n.lowered(i)) || n.words[i-1].end-n.words[i-1].start > 4 ||
		!italianOf.has(n.lowered(i-1)) {
		return false
	}

	for k := i - 2; k >= max(0, i-1-longestSeat); k-- {
		s := n.lowered(k)
		if italianBodies.has(s) {
			return n.words[k].has(capitalised)
		}
		if n.words[k].has(opening) || !italianJoints.has(s) {
			return false
		}
	}

	return false
}

// longestSeat is how many words stand between such a body and "di" before its place.
const longestSeat = 4

var (
	italianSeats = setOf(`ancona aosta bari bologna brescia cagliari catania catanzaro firenze genova messina milano
		napoli palermo parma perugia pescara potenza roma salerno taranto torino trento treviso trieste venezia verona
		vicenza aveiro braga coimbra comarca faro lisboa porto setúbal`)
	italianOf     = setOf(`di de do da del`)
	italianBodies = setOf(`tribunale corte procura comune camera ordine università prefettura questura tribunal comarca
		juízo`)
	italianJoints = setOf(`di d'appello d'assise appello commercio avvocati degli della ordinario civile penale
		repubblica presso il la e circuito judicial cível criminal`)
)

// longestBody is how many words the name of a body has before "de" and its place.
const longestBody = 7

var (
	//nolint:misspell // French and Spanish
	romanceBodies = setOf(`juzgado tribunal audiencia corte sala ayuntamiento diputación colegio notaría registro
		gobierno provincia ciudad villa municipio partido fiscalía universidad cour chambre conseil mairie préfecture
		barreau greffe département commune ville parquet rectorat université`)
	bodyJoints = setOf(`de la lo del los las número núm n no y des du d'appel grande instance judiciaire administratif
		administrative commerce civil penal social mercantil primera instancia menores familia nacional superior
		justicia`)
)

// behindRomanceArticle reports whether an article or another determiner stands before word i, or before words
// with capitals that the language accounts for: "la Papeleta", "su Escrito". People have none before their names.
func (n *names) behindRomanceArticle(i int) bool {
	if i == 0 || n.text[n.words[i-1].end:n.words[i].start] != " " {
		return false
	}
	if n.words[i-1].has(capitalised) && !n.words[i-1].has(opening) {
		return false // the particle of a name, Le Bihan
	}

	return romanceArticles.has(n.lowered(i - 1))
}

// romanceListed reports whether a word in lower case is one of romanceNouns, in the singular or the plural, of either
// gender.
func romanceListed(s string) bool {
	if romanceNouns.has(s) {
		return true
	}

	for _, form := range romanceForms {
		if stem, ok := strings.CutSuffix(s, form.ending); ok && len(stem) >= 3 && romanceNouns.has(stem+form.of) {
			return true
		}
	}

	return false
}

// romanceForms are endings, with those of the form that is listed.
var romanceForms = []struct{ ending, of string }{
	{"s", ""},
	{"es", ""},
	{"x", ""},
	{"e", ""},
	{"a", "o"},
	{"as", "o"},
	{"os", "o"},
	{"a", ""},
	{"as", ""},
	{"a", "e"},
	{"as", "e"},
	{"aux", "al"},
	{"ones", "ón"},
	{"ces", "z"},
	{"euse", "eur"},
	{"trice", "teur"},
	{"ère", "er"},
	{"enne", "en"},
	{"ive", "if"},
	{"ives", "if"},
}

// romanceEnding reports whether a word in lower case has one of the endings, in the singular or the plural, behind a
// stem of at least so many bytes.
func romanceEnding(s string, endings []string, least int) bool {
	single := strings.TrimSuffix(s, "s")
	for _, e := range endings {
		if len(single) >= len(e)+least && (strings.HasSuffix(single, e) || strings.HasSuffix(s, e)) {
			return true
		}
	}

	return false
}

// shortestRomanceStem is how long what stands before such an ending has to be, in bytes: shorter words are names.
const shortestRomanceStem = 3

var (
	romanceNounEndings = []string{
		"tion", "sion", "ité", "iété", "ement", "ance", "ence", "isme", "trice", "iaire", "ionnaire", "ique", "ionnel",
		"ionnelle", "itoire", "atoire", "ellement", "isation", "ción", "cione", "sión", "sione", "idad", "idade",
		"edad", "edade", "miento", "ancia", "encia", "ismo", "ístico", "ística", "ativo", "ativa", "itivo", "itiva",
		"torio", "toria", "able", "ible", "mente", "icial", "iciale", "atario", "ataria", "atoria", "ionario",
		"ionaria", "atura", "adore", "adora", "ucción",
	}
	// romanceAdjectiveEndings are those of adjectives, behind a noun.
	romanceAdjectiveEndings = []string{
		"ico", "ica", "ivo", "iva", "ario", "aria", "al", "ale", "dor", "dore", "dora", "orio", "oria", "ble", "ente",
		"ante", "oso", "osa", "ado", "ada", "ido", "ida", "uto", "uta", "ular", "ulare", "il", "ile", "ique", "aux",
		"if", "ive", "el", "elle", "aire", "eux", "euse", "ant", "ent", "é", "ée", "eur", "ier", "ière", "ien", "ienne",
	}
	// romanceVerbEndings are those of participles, gerunds, infinitives and the first person plural, which begin
	// sentences.
	romanceVerbEndings = []string{
		"ant", "é", "ée", "er", "ir", "ons", "ez",
		"ado", "ada", "ido", "ida", "ando", "iendo", "ar", "amos", "emos", "imos", "ese", "ase", "arán", "erán",
	}
	// infinitives do not stand right behind a name.
	infinitives     = []string{"er", "ir", "re", "ar"}
	romanceArticles = setOf(`le la les du des au aux un une ce cet cette ces son sa ses leur leurs notre nos votre vos
		mon ma mes chaque tout toute tous toutes aucun aucune ledit ladite lesdits lesdites audit dudit el los las del
		al una unos unas su sus este esta estos estas ese esa dicho dicha dichos dichas cada todo toda todos todas
		ningún ninguna cualquier mi mis nuestro nuestra nuestros nuestras lo referido referida citado citada mencionado
		mencionada`)
	// romanceOpeners are the small words of both languages, which begin sentences or are written in capitals.
	romanceOpeners = setOf(`né née nés nées le la les un une des du au aux de par pour sur dans sous entre avec sans
		selon vu vus et ou où mais or car donc ni si que qui quoi dont il elle ils elles on nous vous je tu ce cet cette
		ces cela ceci celui celle ceux son sa ses leur leurs notre nos votre vos mon ma mes ne pas en à a après avant
		contre depuis durant pendant lors lorsque quand comme ainsi alors aussi bien afin attendu considérant cependant
		toutefois néanmoins nonobstant outre enfin ensuite puis dès chaque tout toute tous toutes aucun aucune sauf
		hormis sont est soit ont fait dit c'est qu'il qu'elle n'est s'il d'une d'un el los las una unos unas del al por
		para con sin sobre bajo según hasta desde durante mediante ante tras y e o u pero sino aunque porque pues como
		cuando donde quien quienes cual cuales cuyo cuya su sus este esta estos estas ese esa esos esas aquel aquella
		esto eso ello él ella ellos ellas nosotros yo usted ustedes me te se lo no sí ya más muy así asimismo además
		también tampoco entonces luego ahora aquí allí siempre nunca cada todo toda todos todas cualquier cualquiera
		ninguno ninguna algún alguno alguna otro otra otros otras mismo misma dicho dicha dichos dichas ambas ambos qué
		es fue fueron ha han hay sea será serán visto vista vistos vistas resulta consta conviene salvo excepto`)
)
