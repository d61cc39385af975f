package guard

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/subrosa-legal/subrosa/pkg/guard/internal/lexicon"
)

// German writes every noun with a capital letter, and makes nouns by putting others together. In a German text a
// capitalised word is taken for a noun where it is one of those below, inflected or not, or ends in one, or ends as
// nouns and adjectives do. A name stays one where the lists of names have it, behind a title or a role, and beside a
// given name.

// readGerman notes that a text is mostly German, and marks its fragments, headings and lists, as such: they are too
// short to be told by their small words.
func (n *names) readGerman() {
	small, abroadWords := 0, 0

	for i := range n.words {
		w := &n.words[i]
		if !w.has(abroad) {
			if abroadWords > 0 && !w.has(capitalised) && w.end-w.start <= 6 && germanAlone.has(n.lowered(i)) {
				small++
			}

			continue
		}
		abroadWords++
		if !w.has(capitalised) && w.end-w.start <= 6 && germanSmall.has(n.lowered(i)) {
			small++
		}
	}
	// One word in eight is what German prose has at least; two keep a single quotation from counting.
	n.german = small*8 >= abroadWords && small >= 2
	if !n.german {
		return
	}
	n.respell()

	if 3*abroadWords < len(n.words) {
		return
	}

	n.markFragments()
}

// germanSmall are the words by which German is told from its neighbours.
var germanSmall = setOf(`der die das und ist nicht mit dem den des ein eine einer eines für fuer auf von wird wurde
	sich bei nach auch werden sind hat zur zum durch oder aus dass über ueber im am vom als wegen gegen haben worden
	kann seit`)

// germanAlone are those among them that no neighbour has, so that they tell in a sentence that nothing else tells of.
var germanAlone = setOf(`und ist nicht eine einer eines für fuer wird wurde sich auch werden zur zum durch oder dass
	über ueber`)

// germanWord reports whether a capitalised word of a German text is a noun or an adjective and no name.
func (n *names) germanWord(i int) bool {
	w := &n.words[i]
	lowered := n.lowered(i)
	if w.has(mixedCase) {
		return w.end-w.start <= longestCode && !strings.HasPrefix(lowered, "mc")
	}
	if stem, ok := strings.CutSuffix(lowered, "er"); ok && known(stem)&lexicon.Place != 0 {
		return true // the Berliner of "Berliner Sommerferien"
	}

	s := plainGerman(lowered)
	if listedStem(germanNouns, s) || germanArticles.has(s) || s == "sach" && n.germanPart(i) {
		return true
	}
	if pluralStem(germanNouns, s) {
		return !n.germanPerson(i)
	}
	// The lists of names come before endings, since surnames end as nouns do: Schuster, Hausmann.
	if w.is&germanNames != 0 || w.is == 0 && n.otherSpelling(i)&germanNames != 0 {
		return false
	}

	return !n.germanPerson(i) && (germanEveryday(s) || n.germanMade(i, s))
}

// germanThing reports whether a capitalised word is a German noun in a text of whatever language, as English papers
// quote terms and model answers begin with one: it is listed and nobody's name, or stands beside a number as what is
// numbered or timed does, "10 Uhr", "Saal 207", "3. Mai".
func (n *names) germanThing(i int) bool {
	w := &n.words[i]
	s := plainGerman(n.lowered(i))

	switch {
	case len(s) < 3 || w.has(mixedCase|initial):
		return false
	case germanCounted.has(s) && n.numberBeside(i), germanMonths.has(s) && (n.dayBefore(i) || n.yearBehind(i)):
		return true
	case w.is&(lexicon.Given|lexicon.Surname|lexicon.KnownProper) != 0 || n.behindGiven(i):
		return false
	}

	// "Uhr" is a surname in English texts.
	return germanNouns.has(s) && (s != "uhr" || n.german || w.has(abroad))
}

// numberBeside reports whether what word i counts stands beside it: the number of a room or a page behind, "Saal 207",
// "Anlage K 7", or the hour before, "9.30 Uhr". A word goes on behind neither, as it would behind a name: "Zimmer 3
// times".
func (n *names) numberBeside(i int) bool {
	if n.lowered(i) == "uhr" {
		return n.hourBefore(i) && countedOut(n.text[n.words[i].end:])
	}
	rest, ok := strings.CutPrefix(n.text[n.words[i].end:], " ")
	if !ok || rest == "" {
		return false
	}
	if wing := strings.TrimLeft(rest, "IVX"); len(wing) < len(rest) && strings.HasPrefix(wing, "/") {
		rest = wing[1:] // Saal II/142
	} else if upper(rest[0]) && len(rest) > 2 {
		rest = strings.TrimLeft(rest[1:], " -")
	}
	behind := strings.TrimLeft(rest, tenDigits)

	return len(behind) < len(rest) && countedOut(behind)
}

// countedOut reports whether nothing goes on where rest begins but the file that a page is of.
func countedOut(rest string) bool {
	next := strings.TrimLeft(rest, " ")
	if next == "" || strings.HasPrefix(next, "der Akte") {
		return true
	}
	r, _ := utf8.DecodeRuneInString(next)

	return !unicode.IsLetter(r) && !unicode.IsDigit(r)
}

// hourBefore reports whether an hour of the day stands before word i, and no month before that: "10 Uhr", "9:30 Uhr".
func (n *names) hourBefore(i int) bool {
	before, ok := strings.CutSuffix(n.text[:n.words[i].start], " ")
	if !ok {
		return false
	}
	rest := strings.TrimRight(before[max(0, len(before)-longestHour):], tenDigits+".:")
	hour, minutes := before[max(0, len(before)-longestHour)+len(rest):], ""
	if cut := strings.IndexAny(hour, ".:"); cut >= 0 {
		hour, minutes = hour[:cut], hour[cut+1:]
	}
	if hour == "" || len(hour) > 2 || strings.Trim(minutes, tenDigits) != "" {
		return false
	}

	if i == 0 || !months.has(n.lowered(i-1)) {
		return true
	}

	// The "2024" of "3. Mai 2024" is no hour, the "10" of "3. Mai, 10 Uhr" is one.
	return strings.IndexByte(n.text[n.words[i-1].end:n.words[i].start], ',') >= 0
}

// longestHour bounds an hour with what stands before it, in bytes.
const longestHour = len(" 12:30")

// dayBefore reports whether the day of a month stands before word i, and a year or nothing behind: "3. Mai 2024".
func (n *names) dayBefore(i int) bool {
	before, ok := strings.CutSuffix(n.text[:n.words[i].start], ". ")
	if !ok || before == "" || !digit(before[len(before)-1]) {
		return false
	}
	rest := n.text[n.words[i].end:]

	return countedOut(rest) || strings.HasPrefix(rest, " ") && len(rest) > 1 && digit(rest[1])
}

// yearBehind reports whether a year stands right behind word i.
func (n *names) yearBehind(i int) bool {
	rest := n.text[n.words[i].end:min(len(n.text), int(n.words[i].end)+len(" 1998"))]
	if len(rest) < len(" 1998") || strings.Trim(rest[1:], tenDigits) != "" {
		return false
	}

	return rest[1:3] == "19" || rest[1:3] == "20"
}

var (
	// germanCounted are nouns that are surnames too, and none beside a number.
	germanCounted = setOf(plainGerman(`uhr saal zimmer raum sitzungssaal gerichtssaal verhandlungssaal blatt anlage
		ziffer seite akte band nummer absatz satz zeile beweisstück konvolut stock stockwerk etage`))
	germanMonths = setOf(plainGerman(`januar jänner februar märz april mai juni juli august september oktober
		november dezember`))
)

// longestCode bounds the abbreviation of a statute or a journal, in bytes: SchiedsVZ, BetrAVG.
const longestCode = 9

// germanCode reports whether a word is the abbreviation of a statute or a journal: FamFG, GmbHG, FamRZ.
func germanCode(s string) bool {
	return len(s) <= longestCode && upper(s[len(s)-1]) && !upper(s[1])
}

// germanAbstract reports whether a word in plain spelling ends as nouns do that are made of other words, and is longer
// than names are.
func germanAbstract(s string) bool {
	s = strings.TrimSuffix(strings.TrimSuffix(s, "en"), "se")

	return endsIn(s, germanAbstracts, 5)
}

var germanAbstracts = []string{
	"nis",
	"tum",
	"tion",
	"taet",
	"ismus",
	"enz",
	"anz",
	"ment",
	"chen",
	"schaft",
	"nahme",
	"gkeit",
	"tand",
}

// germanAdjective reports whether a word in plain spelling ends as adjectives and participles do.
func germanAdjective(s string) bool {
	for _, e := range []string{"er", "en", "es", "em", "e"} {
		stem, ok := strings.CutSuffix(s, e)
		// Short stems with such an ending are names: "Müller", "Weber".
		if !ok || len(stem) < 6 {
			continue
		}
		if endsIn(stem, germanAdjectives, 0) {
			return true
		}
	}

	return false
}

var germanAdjectives = []string{
	"lich",
	"isch",
	"bar",
	"sam",
	"haft",
	"end",
	"iert",
	"ig",
	"maessig",
	"faehig",
	"pflichtig",
	"klagt",
	"teiligt",
	"maechtigt",
	"schuldigt",
	"letzt",
	"tragt",
	"nannt",
	"stellt",
}

// germanBody reports whether word i is the noun of a German authority, which a place follows: Bezirksamt, Landgericht.
func (n *names) germanBody(i int) bool {
	if !n.words[i].has(abroad) && !n.german {
		return false
	}
	s := plainGerman(n.lowered(i))

	return endsIn(s, germanBodies, 3)
}

var germanBodies = []string{
	"amt",
	"gericht",
	"gerichts",
	"amtes",
	"behoerde",
	"ministerium",
	"ministeriums",
	"kammer",
	"anwaltschaft",
	"praesidium",
	"kasse",
	"anstalt",
	"universitaet",
}

// germanNouns are nouns of courts, contracts, families, work and everyday life, in lower case and without endings,
// where they are no names, or hardly ever.
var germanNouns = setOf(plainGerman(`ziff rechtsträgerin rechtsträger meister wohnen assistent vertrieb unstreitig
	ausweislich eimer zubehör rechtsgebiet kennlinie diele sekretärin sekretär firma firmen typ ausschluß beschluß
	telefon telefax handy fabrikat baujahr ablichtung mithin somit demnach überdies folglich vorsorglich
	höchstvorsorglich sodann indes hilfsweise gleichwohl nämlich hierfür hieraus daraus dagegen demgegenüber
	jedenfalls lediglich letztlich offenbar ohnehin sofern soweit sowohl stattdessen trotzdem weiterhin wiederum
	zunächst zuletzt außerdem anderenfalls andernfalls beiliegend nachfolgend auswahl anzeige kostenentscheidung
	vollstreckbarkeit sicherheitsleistung damen herren führer hierzu ferner zudem daher insoweit hiergegen eine
	beamt beamte beamter beamtin volk sie ihr ihre ihrer ihrem ihnen ihren wir unser unsere einwurf einschreiben
	geschoss rückstand dezember summe schlüssel tür haustür härte gebrauch fraktur gelenk wagen ausschuss obsiegen
	unterliegen abschrift vorab tatbestand verkündet beglaubigt mietkonto miete kaution heizung keller küche bad
	balkon schimmel feuchtigkeit lärm hund katze garten garage stellplatz umlage nachzahlung guthaben
	kündigungsfrist probezeit überstunde zeugen abteilung senat zivilsenat strafsenat dezernat referat
	behördenleiter vorstandsmitglied aufsichtsrat hauptversammlung aktionär anleihe wertpapier börse kurs dividende
	patent marke gebrauchsmuster erfindung erfinder lizenznehmer lizenzgeber verletzer abmahner domain internet
	webseite server software hardware lieferant besteller hersteller händler importeur spediteur frachtführer fracht
	schiff hafen zoll einfuhr ausfuhr gewähr muster probe rate rabatt skonto netto brutto betriebsstätte filiale
	zentrale standort gelände halle gerüst beton dämmung fassade putz estrich fenster leitungen rohr wasser strom
	gas öl wärme blut knochen rücken knie schulter kopf hals wirbel wirbelsäule therapie diagnose befund klinik
	station attest krankschreibung reha pflegegrad behinderung schwerbehinderung gleichstellung elternzeit
	mutterschutz kindergeld unterhaltspflicht sorgeberechtigte pflegeeltern heimat asyl flüchtling
	aufenthaltserlaubnis abschiebung einreise ausreise botschaft pass visum abfindung abgabe abhilfe abkommen ablauf
	ablehnung abmahnung abnahme abrechnung absatz abschluss abschnitt absicht abstand abtretung abweisung akte aktie
	alter amtsgericht anfang anfechtung anforderung angabe angebot angehörige angelegenheit angestellte anhang
	anhörung anklage anlage anlass anliegen annahme annahmeverzug anordnung anrufung anschluss anschrift ansicht
	anspruch anstalt anteil antrag anträge antwort anwalt anwälte anwältin anwendung anzahl arbeit arbeiter
	arbeitgeber arbeitnehmer arbeitsplatz arbeitsvertrag art artikel arzt ärzte ärztin aufenthalt auffassung aufgabe
	aufhebung auflage auflassung auflösung aufnahme aufrechnung aufschub aufsicht auftrag aufträge auftraggeber
	aufwand aufwendung augenschein ausbildung ausdruck auseinandersetzung ausfertigung ausgang ausgleich auskunft
	auskünfte auslage ausland aussage ausschluss ausspruch austausch ausübung ausweis auszug auto bank bau bauteil
	bedarf bedenken bedingung bedrohung beendigung befragung befugnis begehren beginn begründung behandlung
	behauptung behörde beihilfe beistand beitrag beiträge bekanntgabe bekanntmachung beklagte belang belastung beleg
	belehrung bemerkung bemessung berater beratung berechnung berechtigung bereich bericht berichtigung beruf
	berufung besatzung beschaffenheit bescheid bescheinigung beschluss beschlüsse beschwerde beschwerdeführer
	beschuldigte besetzung besichtigung besitz besitzer besonderheit bestand bestandteil bestätigung bestellung
	bestimmung bestreiten besuch betrag beträge betreff betreuung betrieb betriebsrat betrug beurteilung
	bevollmächtigte bewegung beweis beweisaufnahme beweismittel bewertung bewilligung bezahlung bezeichnung
	beziehung bezug bezüge bild billigkeit brief bruch buch bundesland bürgschaft büro dach darlegung darlehen
	darstellung datei daten datum dauer deckung deutsch deutschland dienst dienstag dienstleistung differenz
	dokument donnerstag druck durchführung durchschnitt ehe ehefrau eheleute ehemann ehegatte eid eigenbedarf
	eigentum eigentümer eignung einbau eingang eingriff einheit einigung einkauf einkommen einlage einlassung
	einleitung einnahme einreichung einrichtung einsatz einschätzung einsicht einspruch einstellung eintrag einwand
	einwände einwendung einwilligung einzelfall einzelheit eltern elternteil empfang empfänger ende energie
	entfernung entgelt entlassung entschädigung entscheidung entstehung entwicklung entwurf erachten erbe erben
	erbfolge erblasser ereignis erfahrung erfolg erfüllung ergebnis erhalt erhebung erhöhung erinnerung erkenntnis
	erklärung erlass erlaubnis erledigung erlös ermessen ermittlung eröffnung ersatz erscheinen erstattung ersuchen
	erteilung erwägung erweiterung erwerb euro existenz fachanwalt fachanwältin fahrer fahrt fahrzeug fahrzeuge fall
	fälle fälligkeit familie familienname fassung februar fehler ferien fest feststellung feuerwehr figur finanzamt
	folge form formular forschung forderung frage frau freiheit freitag fremd frist fristsetzung führung funktion
	gang garantie gebäude geburt gebühr gefahr gegenstand gegenstände gegner gegnerin gehalt gehälter gehör geld
	geltung gemeinde gemeinschaft genehmigung gericht gerichtskosten gesamt geschäft geschäftsführer
	geschäftsführerin geschäftsführung gesellschaft gesellschafter gesetz gesichtspunkt gespräch gestaltung gesuch
	gesundheit gewährleistung gewalt gewerbe gewicht gewinn glaube gläubiger gleichbehandlung grenze größe grund
	gründe grundbuch grundlage grundrecht grundsatz grundsätze grundstück gruppe gut güter gutachten gutachter haft
	haftung hälfte hand handel handlung haushalt heft heilung heim hemmung herausgabe herkunft herr hilfe hinblick
	hindernis hinsicht hinterlegung hinweis höhe honorar inhaber inhalt insolvenz insolvenzverwalter interesse
	irrtum jahr januar juli jugendamt juni kalender kalenderwoche kammer kanzlei kapital kauf kaufpreis kaufvertrag
	kenntnis kilometer kind kinder kindeswohl klage kläger klägerin klausel kollege kommission kontakt konto konten
	kontrolle kosten kraft kraftfahrzeug krankenhaus krankenkasse krankheit kredit kunde kundin kündigung kürzung
	lage lager lagerleiter land länder landgericht last lauf leben legung lehre leistung leiter leitung leute liefer
	lieferung liquidation liste lizenz lohn löhne lösung mahnung makler mandant mandantin mandat mangel mängel
	mannheimer markt märkte märz maschine maßgabe maßnahme material medien mehrheit mehrwertsteuer meinung meldung
	menge mensch merkmal meter mieter mieterin mietsache mietzins minderung minister mitarbeiter mitarbeiterin
	mitglied mittag mitteilung mittel mittwoch mitwirkung modell möglichkeit monat montag morgen mutter nachbar
	nachfrist nachlass nachricht nachteil nachweis nacht namens natur nebenkosten nichtigkeit niederlassung
	niederschrift notar notarin november nummer nutzer nutzung oberlandesgericht obhut oktober operation ordnung
	ordnungsgeld ort osten ostern partei parteien partner patient patientin person personal pfändung pflege pflicht
	plan pläne platz plätze polizei position post praxis preis preise presse prinzip privat problem produkt
	protokoll prozent prozentpunkt prozess prozesse prüfung punkt qualität quartal quelle quittung rahmen rat
	rechnung recht rechte rechtsanwalt rechtsanwälte rechtsanwältin rechtsbehelf rechtsmittel rechtsstreit
	rechtsprechung rede regel regelung register reihe reise rente reparatur republik revision richter richterin
	richtigkeit risiko rubrum rückgabe rücknahme rücksicht rücktritt rückzahlung ruf ruhe rüge sache sachverhalt
	sachverständige sachverständiger samstag satz sätze satzung schaden schäden schadensersatz scheidung schein
	schenkung schicht schiedsgericht schlaf schluss schmerzen schmerzensgeld schreiben schrift schriftform
	schriftsatz schriftsätze schritt schuld schuldner schuldnerin schule schutz schwere seite selbstbehalt september
	setzung sicherheit sicherung sicht sitz sitzung sohn söhne sommer sonntag sorge sorgerecht sozial
	sozialversicherung sparkasse staat staatsanwalt staatsanwaltschaft stadt städte stand standpunkt stelle stellung
	stellungnahme steuer stimme stoff störung strafe straße strecke streit streitgegenstand streitigkeit streitwert
	stück studium stunde sturz sturm system tabelle tag tage tarif tarifvertrag tat täter tatsache täuschung teil
	teilnahme teilnehmer teilung termin test testament testamentsvollstrecker text tier titel tochter töchter tod
	tragung transport trennung treu übergabe übergang überlassung übernahme überprüfung überschuss übersendung
	übersicht übertragung überzeugung uhr umfang umgang umgangsrecht umsatz umsätze umsatzsteuer umstand umstände
	umzug unfall unfälle unkenntnis unrecht unterbringung untergang unterhalt unterlage unterlassung unternehmen
	unternehmer unterricht unterschied unterschrift untersuchung unterzeichner unwirksamkeit urkunde urkundsbeamter
	urlaub urteil ursache vater väter veranlassung verantwortung verarbeitung veräußerung verband verbände
	verbindlichkeit verbindung verbot verbraucher verbrauch verdacht verdienst verein vereinbarung vererbung
	verfahren verfahrensbevollmächtigte verfahrenswert verfassung verfügung vergehen vergleich vergütung verhalten
	verhältnis verhandlung verhinderung verjährung verkauf verkäufer verkäuferin verkehr verlangen verlängerung
	verletzung verlust verlobte vermieter vermieterin vermögen vermutung verordnung verpflichtung versand versäumnis
	versäumnisurteil verschulden versicherer versicherung versicherungsnehmer versorgung verspätung versprechen
	verständnis versuch verteidiger verteidigung vertrag verträge vertragspartei vertrauen vertreter vertreterin
	vertretung verwalter verwaltung verweis verwendung verwirkung verzeichnis verzicht verzinsung verzug vollmacht
	vollstreckung voraussetzung vorbehalt vorbereitung vorbringen vorfall vorfälle vorgang vorgänge vorgehen
	vorhaben vorinstanz vorlage vorliegen vormund vorname vorschlag vorschrift vorsatz vorsitz vorsitzende vorsorge
	vorstand vorstände vorteil vortrag vorverfahren vorwurf vorwürfe wahl wahrheit wahrung ware waren wartung
	wechsel wechselmodell weg wege weihnachten weihnachtsferien weise weisung weiter werk werkzeug werkzeuge wert
	werte wertung wesen wettbewerb widerklage widerruf widerspruch wiedereinsetzung wiederholung will willen
	willenserklärung winter wirkung wirtschaft wirksamkeit wissen woche wochenende wohl wohnort wohnsitz wohnung
	wort worte wunsch würdigung rheinland westfalen niedersachsen oberbayern niederbayern mecklenburg vorpommern
	thüringen aktenzeichen geschäftsnummer geschäftszeichen zahl zahlung zeichen zeit zeitpunkt zeitraum zeitung
	zeuge zeugin zeugnis ziel ziffer zimmer zins zinsen zinssatz zivilprozess zugang zugewinn zukunft zulassung
	zulässigkeit zusage zusammenhang zusatz zustand zustände zustellung zustimmung zuständigkeit zutritt zuweisung
	zwang zwangsvollstreckung zweck zweifel zweig begründetheit tenor rechtsbehelfsbelehrung verfahrensbeistand
	kalenderjahr beteiligte mutterschaft vaterschaft erwiderung replik duplik bestreitens freundliche freundlichen
	grüße hochachtungsvoll betreffs unterfertigte einkaufsbedingungen geschäftsbedingungen lieferschein
	rechnungsnummer fachrichtung gesellschaftsrecht familienrecht arbeitsrecht mietrecht erbrecht strafrecht
	verwaltungsrecht steuerrecht baurecht bruder brüder schwester geschwister enkel großeltern onkel tante neffe
	nichte cousin verwandte nachbarn bekannte freund freundin kollegin chef chefin vorgesetzte`))

// behindSection reports whether the number of a section stands right before word i, the abbreviation of its statute:
// "§ 4 KSchG", "§§ 2, 3 Abs. 1 WEG".
func (n *names) behindSection(i int) bool {
	end := int(n.words[i].start)
	before := n.text[max(0, end-longestSection):end]
	sign := strings.LastIndex(before, "§")
	if sign < 0 {
		return false
	}

	number := false

	for part := range strings.FieldsSeq(before[sign+len("§"):]) {
		part = strings.TrimRight(part, ".,")
		number = number || part != "" && digit(part[0])
		if part != "" && !digit(part[0]) && !sectionParts.has(toLower(part)) {
			return false
		}
	}

	return number
}

// longestSection bounds the number of a section with its parts, in bytes.
const longestSection = 40

// sectionParts stand in the numbers of sections.
var sectionParts = setOf(`§ abs absatz nr satz s hs lit i f ff iv iii ii v und bis a b c`)
