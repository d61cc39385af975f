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
		if line == "" {
			continue
		}
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
			closed = 1
			continue
		}
		if word, rest, ok := strings.Cut(small, " "); ok && closing(word) && census.Given(rest) > 0 {
			n.signer(end-len(rest), end) // a line that was joined to the next
		}
		if word, rest, ok := strings.Cut(small, " "); ok && greetings.has(word) && strings.ContainsAny(rest[len(rest)-1:], ",:!") {
			n.signer(start+strings.Index(n.text[start:end], " ")+1, end)
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
	listed := census.Given(s) > 0 || n.words[first].is&lexicon.Given != 0 || census.Surname(s) > 0

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
	greetings = setOf(`hi hello hey dear hallo liebe lieber hola bonjour cher chère estimado estimada querido querida ciao good`)
	// closings end the line that closes a letter.
	closings = setOf(`thanks thank regards cheers sincerely yours you truly faithfully wishes respectfully best cordially warmly gratefully
		grüßen grüssen gruß grüße vg mfg lg cordialement saludos cordial cordiales atentamente love again advance much submitted
		salutations sentiments distingués`)
	// closingPhrases begin it.
	closingPhrases = setOf(`thanks thank many best kind kindest warm warmest yours sincerely very with regards mit viele freundliche
		herzliche beste liebe respectfully bien sentiments un saludos cordiales all in je veuillez`)
	// nobody stands where a name does, and is none.
	nobody = setOf(`all team everyone everybody colleagues counsel sir madam sirs both folks there gentlemen ladies kollegen kolleginnen
		morning afternoon evening day`)
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

// placePeople finds people who are called as a town is, where what stands beside the word is said of people alone: "an
// informant that Greene was selling", "Rechtsanwalt Krautheim".
func (n *names) placePeople() {
	for _, i := range n.large {
		w := &n.words[i]
		if w.is&lexicon.Place == 0 || !w.has(capitalised) || w.has(quotedLaw|allCapitals|initial) || i == 0 {
			continue // most words
		}
		if n.text[n.words[i-1].end:w.start] != " " || n.goesOn(i+1) && n.text[w.end] == ' ' {
			continue
		}
		role := germanRoles.has(n.lowered(i - 1))
		if role || clauseOpeners.has(n.lowered(i-1)) && census.Surname(n.lowered(i)) > 0 && n.doesAsPeople(i+1) {
			n.learn(i, i+1, true)
			n.add(kindPerson, ruleNameWord, i, i+1)
		}
	}
}

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
	germanRoles = setOf(`rechtsanwalt rechtsanwältin rechtsanwalts betreuer betreuerin zeuge zeugin zeugen geschäftsführer
		geschäftsführerin mieter mieterin vermieter vermieterin notar notarin mandant mandantin`)
	clauseOpeners = setOf(`that when because if while after before although whether since and but then where as`)
	ofPeople      = setOf(`selling buying driving walking drinking carrying holding wearing sitting standing living staying
		sleeping working lying talking speaking waiting arrested convicted sentenced charged indicted acquitted injured hospitalized
		hospitalised married divorced born fired hired intoxicated armed pregnant disabled employed unemployed released detained
		handcuffed interviewed questioned deposed terminated promoted diagnosed told asked stopped`)
)
