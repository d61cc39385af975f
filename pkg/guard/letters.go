package guard

import (
	"strings"

	"github.com/subrosa-legal/subrosa/pkg/guard/internal/census"
	"github.com/subrosa-legal/subrosa/pkg/guard/internal/lexicon"
)

// A letter or an e-mail greets somebody in a line of its own and ends with who wrote it, often by the given name alone:
// "Hi Mark," and "Thanks," with "Grace" on the line below.

// longestClosing bounds the line that closes a letter, and the line with the name below it, in bytes.
const longestClosing = 48

// letters finds whom letters greet and who signs them.
func (n *names) letters() {
	closed := 0 // lines with words that may still pass until the name below a closing

	for from := 0; from < len(n.text); {
		end := endOfLine(n.text, from)
		line := strings.TrimSpace(n.text[from:end])
		start := from
		from = end + 1
		end = start + len(strings.TrimRight(n.text[start:end], " \t\r"))
		if line == "" {
			continue
		}
		// A long line is prose, and ends the closing of a letter.
		if len(line) > longestClosing {
			closed = 0
			continue
		}

		small := strings.ToLower(line)
		if closed > 0 {
			n.signer(start, end)
			closed--
		}
		if closing(small) {
			n.excuseCourtesy(start, end, wordSet{})
			closed = 1

			continue
		}

		word, _, ok := strings.Cut(small, " ")
		_, rest, _ := strings.Cut(line, " ")
		if !ok {
			continue
		}
		// The line break behind the closing may have been taken for a wrap.
		if given, _, _ := strings.Cut(strings.ToLower(rest), " "); closing(word) && listedGiven(given) {
			n.signer(end-len(rest), end) // a line that was joined to the next
		}
		if greetings.has(word) && strings.ContainsAny(rest[len(rest)-1:], ",:!") {
			n.excuseCourtesy(start, end, courtesies)
			n.signer(end-len(rest), end)
		}
	}
}

// listedGiven reports whether a word in small letters is a given name.
func listedGiven(s string) bool { return census.Given(s) > 0 || known(s)&lexicon.Given != 0 }

// excuseCourtesy takes words between byte start and byte stop out of suspicion, those of a set or all: the courtesy of
// a letter, "Sehr geehrte", "Mit freundlichen Grüßen".
func (n *names) excuseCourtesy(start, stop int, among wordSet) {
	for i := n.wordAt(start); i < len(n.words) && int(n.words[i].end) <= stop; i++ {
		if among.wordTable == nil || among.has(n.lowered(i)) {
			n.words[i].shape &^= capitalised
		}
	}
}

// closing reports whether a line in small letters closes a letter: "best regards,".
func closing(line string) bool {
	line = strings.TrimRight(line, ",.!;- ")
	if len(line) > longestClosing {
		return false
	}

	first, rest, _ := strings.Cut(line, " ")
	if rest == "" {
		return closings.has(first)
	}

	return closingPhrases.has(first) && closings.has(line[strings.LastIndexByte(line, ' ')+1:])
}

// signer finds the name that fills the line from byte start to byte stop: one that is listed, alone or with a surname.
func (n *names) signer(start, stop int) {
	stop = start + len(strings.TrimRight(n.text[start:stop], "!:, \r"))
	first, end := n.cellWords(start, stop)
	if end == first || end-first > longestValue {
		return
	}

	s := n.lowered(first)
	listed := listedGiven(s) || census.Surname(s) > 0

	// "Thanks," is followed by a department as often as by a person.
	for i := first; i < end; i++ {
		if party(n.lowered(i)) || contractTitles.has(n.lowered(i)) {
			return
		}
	}
	if listed && !nobody.has(s) {
		n.add(kindPerson, ruleNameWord, first, end)
	}
}

var (
	greetings = setOf(`hi hello hey dear hallo sehr liebe lieber verehrte verehrter werte werter hola bonjour cher chère
		chers estimado estimada estimados querido querida ciao`)
	// courtesies are the words of a greeting that name nobody.
	courtesies = setOf(`hi hello hey dear hallo sehr geehrte geehrter geehrtes liebe lieber verehrte verehrter werte
		werter hola bonjour cher chère chers estimado estimada estimados querido querida ciao good damen herren doktor
		professor kollege kollegin kollegen kolleginnen señor señora señores`)
	// closings end the line that closes a letter.
	closings = setOf(`thanks thank regards cheers sincerely yours you truly faithfully wishes respectfully best
		cordially warmly gratefully grüßen grüssen gruß grüße vg mfg lg cordialement saludos cordial cordiales
		atentamente love again advance much submitted salutations sentiments distingués`)
	// closingPhrases begin it.
	closingPhrases = setOf(`thanks thank many best kind kindest warm warmest yours sincerely very with regards mit viele
		freundliche herzliche beste liebe respectfully bien sentiments un saludos cordiales all in je veuillez`)
	// nobody stands where a name does, and is none.
	nobody = setOf(`all team everyone everybody colleagues counsel sir madam sirs both folks there gentlemen ladies
		kollegen kolleginnen morning afternoon evening day`)
)

// besideListed finds the everyday surname behind a word that only a list of products, of foreign words or of forms
// accounts for: such a list excuses its own word and no neighbour. "Nexium Baker", "Telefon Hale".
func (n *names) besideListed() {
	const said = lexicon.Ordinary | lexicon.Rare | publicWord | lexicon.Honorific

	for _, i := range n.large {
		k := i + 1
		if k >= len(n.words) || !n.words[k].has(capitalised) || n.text[n.words[i].end:n.words[k].start] != " " {
			continue
		}
		w, s := &n.words[i], &n.words[k]
		if w.is&(said|lexicon.Given|lexicon.Surname) != 0 || (w.shape|s.shape)&(quotedLaw|initial|allCapitals) != 0 {
			continue
		}
		word := n.lowered(k)
		// A word that goes on with another is the middle of a heading.
		if !s.is.Ambiguous() || census.Surname(word) == 0 || n.goesOn(k+1) {
			continue
		}
		if !defined.has(word) && !party(word) {
			n.add(kindName, ruleNameWord, k, k+1)
		}
	}
}

// besideCases finds the given name that stands right before the name of a case, "Nadia Roe v. Wade". The case is known
// and excuses its own words only; a surname against a State has its own rule.
func (n *names) besideCases() {
	for i := 1; i+1 < len(n.words); i++ {
		if n.words[i-1].has(quotedLaw) || !startsUpper(n.text[n.words[i].start:]) {
			continue
		}
		if rest := n.text[n.words[i].end:]; !strings.HasPrefix(rest, " v. ") && !strings.HasPrefix(rest, " v ") {
			continue
		}
		if against := i + 2; against < len(n.words) && n.words[against].is&lexicon.Place != 0 {
			continue // Moreno Gómez v. Spain
		}

		first := i
		for first > 0 && i-first < 3 && n.sharesCase(first) {
			first--
		}
		if first < i {
			n.add(kindPerson, ruleFullName, first, i)
		}
	}
}

// sharesCase reports whether a word of names, capitalised, stands with a blank before word i.
func (n *names) sharesCase(i int) bool {
	w := &n.words[i-1]
	if !w.has(capitalised) || w.has(quotedLaw|allCapitals) || n.text[w.end:n.words[i].start] != " " {
		return false
	}
	s := n.lowered(i - 1)

	if signals.has(s) || w.is&lexicon.Everyday != 0 {
		return false
	}

	return census.Given(s) > 0 || w.is&(lexicon.Given|lexicon.Surname) != 0
}

// placePeople finds people who are called as a town is or as nothing else, where what stands beside the word is said of
// people alone: "an informant that Marion was sitting there", "Rechtsanwalt Krautheim".
func (n *names) placePeople() {
	for _, i := range n.large {
		w := &n.words[i]
		if !w.has(capitalised) || w.has(quotedLaw|allCapitals|initial) {
			continue // most words
		}
		if w.end-w.start > 12 && counselNoun(n.lowered(i)) {
			w.shape &^= capitalised
			continue
		}

		if i == 0 {
			continue
		}

		before := n.lowered(i - 1)
		role := n.behindRole(before, i)
		if !role && (w.is&lexicon.Place == 0 || !clauseOpeners.has(before) || census.Surname(n.lowered(i)) == 0) {
			continue // most words
		}
		if n.text[n.words[i-1].end:w.start] != " " || n.goesOn(i+1) && n.text[w.end] == ' ' {
			continue
		}
		if role || n.doesAsPeople(i+1) {
			n.learn(i, i+1, true)
			n.add(kindPerson, ruleNameWord, i, i+1)
		}
	}
}

// behindRole reports whether word i names who has a role in a German paper that stands before it. Behind a lawyer's
// stands a name that no dictionary knows too; behind a party's may stand any noun, "dass der Mieter Schadensersatz
// verlangt".
func (n *names) behindRole(role string, i int) bool {
	if germanRoles.has(role) && n.words[i].is&lexicon.Place != 0 {
		return true
	}
	if !germanCounsel.has(role) {
		return false
	}
	s := n.lowered(i)

	return knownAnywhere(s)&(lexicon.Ordinary|lexicon.Law|lexicon.Foreign) == 0 && !nounEnding(s)
}

// counselNoun reports whether a word in small letters says who acts for a party: "prozessbevollmächtigter",
// "klägervertreter".
func counselNoun(s string) bool {
	return strings.Contains(s, "bevollmächtigte") || strings.HasSuffix(s, "vertreter")
}

// nounEnding reports whether a word ends as nouns of German do, and hardly a name.
func nounEnding(s string) bool {
	for _, end := range []string{
		"ung", "heit", "keit", "schaft", "satz", "recht", "geld", "frist", "kosten", "antrag", "gericht",
	} {
		if strings.HasSuffix(s, end) {
			return true
		}
	}

	return false
}

// ranked finds the surname, ordinary word or not, behind the rank of a policeman that is an office of companies too:
// "Officer Dunning", "Police Officer J. Dunning", and no "Chief Financial Officer Compensation".
func (n *names) ranked() {
	for _, i := range n.large {
		k := i + 1
		if k >= len(n.words) || !policeRanks.has(n.lowered(i)) || n.words[i].has(allCapitals) {
			continue // most words
		}
		// "Chief Financial Officer" is an office of companies, "Police Officer" is a rank.
		if i > 0 && n.adjoins(i) && !n.words[i-1].has(opening) && !policeWords.has(n.lowered(i-1)) {
			continue
		}
		if k+1 < len(n.words) && n.words[k].has(initial) && n.words[k+1].start-n.words[k].end <= 2 {
			k++
		}

		w, s := &n.words[k], n.lowered(k)
		if !w.has(capitalised) || w.start-n.words[k-1].end > 2 || n.goesOn(k+1) {
			continue
		}
		surname := census.Surname(s) > 0 || w.is&lexicon.Surname != 0
		if surname && !contractTitles.has(s) && !party(s) {
			n.learn(i+1, k+1, true)
			n.add(kindPerson, ruleNameWord, i+1, k+1)
		}
	}
}

var (
	policeRanks = setOf(`officer sergeant agent`)
	policeWords = setOf(`police special correctional corrections probation parole patrol peace undercover arresting
		detective staff`)
)

// doesAsPeople reports whether what begins with word k says what somebody did or what became of them.
func (n *names) doesAsPeople(k int) bool {
	if k+1 >= len(n.words) || n.words[k].has(capitalised) {
		return false
	}

	switch s := n.lowered(k); s {
	case "was", "is", "had", "has":
		return ofPeople.has(n.lowered(k + 1))
	default:
		return humanVerbs.has(s) || speaking.has(s)
	}
}

var (
	germanCounsel = setOf(`rechtsanwalt rechtsanwältin rechtsanwalts notar notarin notars steuerberater
		steuerberaterin`)
	germanRoles = setOf(`rechtsanwalt rechtsanwältin rechtsanwalts betreuer betreuerin zeuge zeugin zeugen
		geschäftsführer geschäftsführerin mieter mieterin vermieter vermieterin notar notarin mandant mandantin`)
	clauseOpeners = setOf(`that when because if while after before although whether since and but then where as`)
	ofPeople      = setOf(`selling buying driving walking drinking carrying holding wearing sitting standing living
		staying sleeping working lying talking speaking waiting arrested convicted sentenced charged indicted acquitted
		injured hospitalized hospitalised married divorced born fired hired intoxicated armed pregnant disabled employed
		unemployed released detained handcuffed interviewed questioned deposed terminated promoted diagnosed told asked
		stopped`)
)
