// Package abbreviation knows the words whose dot ends no sentence. It stands apart from legaltext, whose sources are
// part of the version of the guard's rules: another version has every stored file checked again.
package abbreviation

import "strings"

// certain are words that a dot shortens, in lower case, however they are written. Those of one letter and those with a
// dot within are told by their form.
var certain = set(`vs nos secs ch cl para pp cf al ed vol exh approx mr mrs ms dr st inc corp co ltd
	cir ct civ crim evid supp jan feb apr jun jul aug sep sept oct nov dec`)

// cited are shortened in citations, and can end a sentence too: "teaches arts".
var cited = set(`arts paras rev stat dkt proc`)

// everyday are everyday words too: with a capital they are shortened, and in lower case before what they count.
var everyday = set(`no ex app art sec fed mar`)

// names are of states and of codes, shortened where they have a capital.
var names = set(`id cr gen bus prof prop ann cal tex fla ill mass pa va wash`)

// Is reports whether the dot behind word is that of an abbreviation rather than of a sentence, as in "Fed. R.
// Civ. P. 12". next is the text behind the dot. A dot within word, as in "U.S", and a lone letter are for the caller to
// judge.
func Is(word, next string) bool {
	lower := strings.ToLower(word)
	switch {
	case certain[lower], cited[lower]:
		return true
	case !everyday[lower] && !names[lower]:
		return false
	}

	return capitalized(word, lower) || digitFirst(strings.TrimLeft(next, " \t"))
}

// IsInClaim is Is for a text in which no sentence may hide behind a dot, since each needs a source of its own: names
// and citations are shortened only where the citation goes on, and not in "waived in Cal. The rent is due".
func IsInClaim(word, next string) bool {
	lower := strings.ToLower(word)
	next = strings.TrimLeft(next, " \t")

	switch {
	case certain[lower]:
		return true
	case everyday[lower]:
		return word != lower || goesOn(next) || !opens(lower, next)
	case cited[lower]:
		return goesOn(next) || digitFirst(next) && (word != lower || lower == "paras")
	}

	return names[lower] && capitalized(word, lower) && goesOn(next)
}

// capitalized reports whether a word has a capital, and no other one behind it.
func capitalized(word, lower string) bool {
	return word != "" && word == strings.ToUpper(lower[:1])+lower[1:]
}

func digitFirst(next string) bool { return next != "" && next[0] >= '0' && next[0] <= '9' }

// opens reports whether what follows an everyday word begins a sentence, as "The" behind "the answer is no", rather
// than being what the word counts: "art. IV", "no. A-1".
func opens(word, next string) bool {
	token, rest, _ := strings.Cut(next, " ")
	if len(token) > 1 {
		first := strings.ToLower(token[:1])
		return token == strings.ToUpper(first)+token[1:] && openers[first+token[1:]]
	}
	if word != "no" || token != "A" && token != "I" {
		return false
	}
	following, _, _ := strings.Cut(rest, " ")

	return following != "" && !betweenParts[following]
}

// openers are words with which sentences begin, and no name or number of a part.
var openers = set(`the an it he she they we you this that these those there his her its their our your in on under by at
	for from with after before when where if unless while although because as since no not none both each every all any
	neither nothing so but and or yet then thus one some most`)

// betweenParts are words behind the letter of a part, "no. A of the list", rather than behind an article.
var betweenParts = set(`of to in and or is says shows`)

// goesOn reports whether a citation goes on with a text: with another abbreviation, a code, a series or a section.
func goesOn(next string) bool {
	token, _, _ := strings.Cut(next, " ")
	word, shortened := strings.CutSuffix(strings.TrimRight(token, ",;)"), ".")
	lower := strings.ToLower(word)

	switch {
	case strings.HasPrefix(token, "§"), series[lower], word == "Code", word == "Const", word == "Rules":
		return true
	case !shortened || word == "" || word == lower:
		return false
	}

	return len(word) == 1 || known(lower)
}

func known(lower string) bool {
	return certain[lower] || cited[lower] || everyday[lower] || names[lower]
}

// series are those in which reports of decisions are numbered.
var series = set(`2d 3d 4th 5th 6th`)

func set(list string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		m[w] = true
	}

	return m
}
