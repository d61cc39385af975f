package guard

// The words that announce a telephone number, in the languages of those who use the service. Few of them announce
// anything else with as many digits.
var (
	phoneNouns = setOf(`tel tél telephone telephones phone phones cell cellphone cellular mobile fax telefax landline
		whatsapp voicemail hotline helpline téléphone téléphones portable télécopie télécopieur telefon telefonnummer
		telefonisch rufnummer handy handynummer mobil mobilnummer mobiltelefon festnetz durchwahl telefono telefoni
		cellulare fisso teléfono móvil movil celular fijo telefone telemóvel telemovel fone zap telefoon telefoonnummer
		mobiel toestel gsm natel telefonnr mobilnr telefaks faks telefonu telefonem telefonie komórka komórkowy kom
		komórki puhelin puhelinnumero matkapuhelin cep telefonum telefonumuz centralita centralino zentrale switchboard
		sms τηλ τηλέφωνο тел телефон моб мобильный mob`)
	// phoneVerbs announce a number right before it, or with nothing but fillers between.
	phoneVerbs = setOf(`dial dialed dialled call called calls calling ring rang phone phoned ruf rufen ruft anrufen
		appelez appeler appelle joignable joindre llame llamar llama llámame llámeme chiami chiamare chiama telefonare
		telefonieren ligue ligar liga bel bellen belde dzwonić dzwoń zadzwoń zadzwonić ringa ringde ringe soita soittaa
		arayın contact`)
	// phoneVerbsWith do so only with a person behind them ("text me at"), so that "text at 1234" stays a page.
	phoneVerbsWith = setOf(`reach text reached texted`)
	phoneObjects   = setOf(`me us him her them you sie mich uns mir ihn le la lo al au du il mij hem haar nos moi nous o
		a pod unter på op`)
	// fillers may stand between an announcing word and its number.
	fillers = setOf(`number numbers no nos num nr at is was are on me him her us them you the my his their our your and
		or under line direct ext of a e numéro numero número nummer numer numara numarası est es ist é è jest sie mich
		uns mir ihn unter der die den du le la les il lo au al el mi mon ma son sa su meine mein ihre ihr suo mio pod på
		op mij hem haar zijn mijn i min mój ao meu minha nº n° for`)
)

// phoneWord reports whether a word announces a telephone number.
func phoneWord(_, word, after string) bool {
	switch {
	case phoneNouns.has(word):
		return true
	case phoneVerbs.has(word):
		return after == "" || phoneObjects.has(after)
	}

	return phoneVerbsWith.has(word) && phoneObjects.has(after)
}

// domestic reads a number as it is dialled inside a country: an area code with a zero before it, or in brackets, and
// the rest in groups that are written alike: "0171 / 284 66 19", "01 663 4127", "081.551.2093", "(58) 301-22-64".
func (s *scan) domestic(num *number, i int) int {
	g, second := num.g[i], num.at(i+1)
	bracketed := second.before.close && g.start > 0 && s.text[g.start-1] == '('
	zero := g.digit[0] == 0 && g.n >= 2 && g.digit[1] != 0
	areaCode := bracketed && g.n >= 2 && g.n <= 4 && !year(g)
	if g.n > 5 || !zero && !areaCode {
		return 0
	}
	if !second.before.any || g.before.any || num.glued(i, 1) {
		return 0
	}

	took, digits := 1, g.n
	for i+took < len(num.g) && took < 6 {
		next := num.g[i+took]
		if next.n < 2 || digits+next.n > 12 || next.before.open {
			break
		}
		if took > 2 && !alike(num.at(i+2).before, next.before) {
			break
		}
		took++
		digits += next.n
	}
	// An area code in brackets is written for nothing else, so that less is enough behind one.
	least := 9
	if bracketed {
		least = 8
	}
	if digits < least || took == 2 && second.n < 5 {
		return 0
	}
	if groups := num.g[i : i+took]; calendar(groups) || rising(groups) || s.citedBefore(g.start) {
		return 0
	}
	if num.next == '%' || num.at(i+took).before.spaceOnly() && second.before.spaceOnly() {
		return 0 // a row of figures
	}

	return took
}
