package guard

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/subrosa-legal/subrosa/pkg/guard/internal/legalform"
	"github.com/subrosa-legal/subrosa/pkg/guard/internal/lexicon"

	"github.com/subrosa-legal/subrosa/pkg/label"
)

// Suggest returns the label of the one person or company in the map whom a name probably means too: "Mr Roe" or "J.
// Roe" where Jane Roe is known and no other Roe, "Blue Harbor" where Blue Harbor Foods, Inc. is. kind is that of the
// finding. It is for a person to confirm; Label does not guess. It reports false when nobody or more than one comes
// into question.
func (m *LabelMap) Suggest(kind, name string) (label.Label, bool) {
	if kind == KindOrg {
		return m.suggestCompany(name)
	}
	if kind != KindPerson {
		return label.Label{}, false
	}
	asked := readName(name)
	var found, whole []label.Label

	for _, e := range m.entries {
		if !slices.Contains([]string{"Party", "Person", "Minor", "Witness"}, e.label.Kind) {
			continue
		}
		same, agrees, other := false, false, false

		// One spelling that means somebody else rules the entry out.
		for _, identity := range e.identities {
			known := readName(identity)
			means := asked.means(known)
			same = same || means
			agrees = agrees || means && len(asked.words) > 1 && len(known.words) > 1
			other = other || asked.differs(known)
		}
		if agrees {
			whole = append(whole, e.label)
		}
		if same && !other {
			found = append(found, e.label)
		}
	}
	if len(whole) == 1 {
		return whole[0], true // L. Roe is Layla Roe rather than the Mrs. Roe of whom no more is known
	}
	if len(found) == 0 && len(asked.titles) == 0 {
		return m.suggestCompany(name) // a short form looks like a person's name
	}
	if len(found) != 1 {
		return label.Label{}, false
	}

	return found[0], true
}

// suggestCompany returns the label of the one company whose name begins with the words of name, or the other way round.
func (m *LabelMap) suggestCompany(name string) (label.Label, bool) {
	asked := companyWords(name)
	var found []label.Label

	for _, e := range m.entries {
		if e.label.Kind != "Org" && e.label.Kind != "Company" && e.label.Kind != "Party" {
			continue
		}
		if slices.ContainsFunc(
			e.identities,
			func(known string) bool { return sameCompany(asked, companyWords(known)) },
		) {
			found = append(found, e.label)
		}
	}
	if len(asked) == 0 || len(found) != 1 {
		return label.Label{}, false
	}

	return found[0], true
}

// companyWords are the words of a company's name, folded, without its legal form.
func companyWords(name string) []string {
	words := strings.FieldsFunc(FoldIdentity(name), func(r rune) bool { return unicode.IsSpace(r) || r == ',' })
	for len(words) > 2 && generalForms.has(strings.ToLower(words[0])) {
		words = words[1:]
	}

	for len(words) > 1 && legalform.Of(strings.Trim(words[len(words)-1], "."), true) != legalform.None {
		words = words[:len(words)-1]
	}

	return words
}

// generalForms begin the names of companies and are left out of their short forms.
var generalForms = setOf(`corporación compañía grupo société the`)

// sameCompany reports whether one name begins with the words of the other.
func sameCompany(a, b []string) bool {
	least := min(len(a), len(b))
	return least > 0 && slices.Equal(a[:least], b[:least])
}

// personName is a name taken apart. Words are folded.
type personName struct {
	titles []string
	words  []string // given names, then the surname
}

func readName(s string) personName {
	if surname, given, inverted := strings.Cut(s, ","); inverted {
		s = given + " " + surname
	}
	var n personName

	apart := func(r rune) bool { return unicode.IsSpace(r) || r == '.' }
	for _, word := range strings.FieldsFunc(plainLetters(FoldIdentity(s)), apart) {
		word = strings.TrimSuffix(strings.TrimFunc(word, unicode.IsPunct), "'s")
		switch {
		case word == "":
		case len(n.words) == 0 && (lexicon.Of([]byte(word))&lexicon.Honorific != 0 || titles.has(word) ||
			callings.has(word)):
			n.titles = append(n.titles, word)
		default:
			n.words = append(n.words, word)
		}
	}

	return n
}

// callings stand before names as titles do.
var callings = setOf(`pastor rabbi trooper deacon elder reverend father sister brother nurse coach imam officer
	detective judge justice president professor doctor sergeant private`)

// plainLetters returns s without its diacritics: an initial is written with or without them.
func plainLetters(s string) string {
	var b strings.Builder

	for _, r := range s {
		if letters := withoutMark(lowerRune(r)); letters != "" {
			b.WriteString(letters)
			continue
		}
		b.WriteRune(lowerRune(r))
	}

	return b.String()
}

// means reports whether two names can be the same person's: one is a word of the other, or the names agree.
func (n personName) means(o personName) bool {
	if len(n.words) == 0 || len(o.words) == 0 || n.sex()*o.sex() < 0 {
		return false
	}
	if len(n.words) == 1 {
		return slices.Contains(o.words, n.words[0])
	}
	if len(o.words) == 1 {
		return slices.Contains(n.words, o.words[0])
	}

	return agree(n.words, o.words) || agree(withoutMonsieur(n.words), withoutMonsieur(o.words))
}

// agree reports whether the surnames of two names are the same and their given names are as far as they go. The
// shorter of two may leave the second of two surnames out, as Spanish names do: "J. A. Fuentes" is "José Ángel
// Fuentes Vidal".
func agree(a, b []string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	last := len(a) - 1
	// An initial in the place of a surname says too little.
	if surname := a[last]; surname != b[len(b)-1] && (surname != b[last] || utf8.RuneCountInString(surname) == 1) {
		return false
	}

	for i := range last {
		initial := utf8.RuneCountInString(a[i]) == 1 || utf8.RuneCountInString(b[i]) == 1
		if a[i] != b[i] && (!initial || !strings.HasPrefix(a[i], b[i]) && !strings.HasPrefix(b[i], a[i])) {
			return false
		}
	}

	return true
}

// withoutMonsieur takes away an M. that may be a title in French rather than an initial: "M. Benoît Chevalier".
func withoutMonsieur(words []string) []string {
	if len(words) >= 3 && words[0] == "m" && len(words[1]) > 1 {
		return words[1:]
	}

	return words
}

// differs reports whether two names cannot be the same person's.
func (n personName) differs(o personName) bool {
	return n.sex()*o.sex() < 0 || len(n.words) > 1 && len(o.words) > 1 && !n.means(o)
}

// sex is 1 or -1 where a title tells it, else 0.
func (n personName) sex() int {
	for _, t := range n.titles {
		switch t {
		case "mr", "sir", "lord", "herr", "monsieur", "senor", "señor", "signor", "don":
			return 1
		case "mrs", "ms", "miss", "lady", "frau", "madame", "mme", "mademoiselle", "mlle", "senora", "señora",
			"signora":
			return -1
		}
	}

	return 0
}
