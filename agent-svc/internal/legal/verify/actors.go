package verify

import (
	"regexp"
	"slices"
	"strings"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/facts"
	"github.com/subrosa-legal/subrosa/pkg/search"
)

// naming is a label with the name by which its paper goes on to call it.
var naming = regexp.MustCompile(`(\[\p{Lu}\p{L}+(?: \p{L}+)* \d{1,4}\])[^\[\]]{0,80}?\((?:the |each a |an? |` +
	`hereinafter |together )*["“]?(?:the )?([\p{L} ]{2,40}?)["”]?\)`)

// actor is somebody that a sentence is about, and where its name begins.
type actor struct {
	name string
	at   int
}

// called returns the label that the files call by a word such as "tenant", "" when they do not or call several so.
func (k *knowledge) called(word string) string {
	// Reading all passages for names costs, and most answers use labels alone.
	if k.names == nil {
		k.names = map[string]string{}
		for _, p := range k.passages {
			k.learn(p.Text)
		}
	}

	return k.names[word]
}

func (k *knowledge) learn(text string) {
	for _, m := range naming.FindAllStringSubmatch(text, -1) {
		k.name(strings.ToLower(m[2]), m[1])
	}

	for _, l := range facts.Labels(text) {
		if role := facts.RoleOf(text, l); role != "" {
			k.name(strings.ToLower(role), l.String())
		}
	}
}

func (k *knowledge) name(word, label string) {
	if known, ok := k.names[word]; ok && known != label {
		// A word for two parties names neither, and stays taken so that a third cannot have it.
		label = ""
	}
	k.names[word] = label
}

var wordForm = regexp.MustCompile(`\p{L}+`)

// actors returns who is named in a text, in order: labels, and roles by the label that the files give them.
func (k *knowledge) actors(text string) []actor {
	var list []actor
	blank := []byte(text)

	for _, l := range facts.Labels(text) {
		if facts.IsParty(l.Label) {
			list = append(list, actor{l.String(), l.Start})
		}

		for i := l.Start; i < l.End; i++ {
			// The letters within a label must not be read as a role: "[Landlord 1]".
			blank[i] = ' '
		}
	}

	for _, at := range wordForm.FindAllIndex(blank, -1) {
		word := strings.ToLower(string(blank[at[0]:at[1]]))
		if singular := strings.TrimSuffix(word, "s"); !roles[word] && roles[singular] {
			word = singular
		}
		if !roles[word] {
			continue
		}
		// "the tenant" and "[Party 2]" are one actor where the files say so.
		if label := k.called(word); label != "" {
			word = label
		}
		list = append(list, actor{word, at[0]})
	}
	slices.SortFunc(list, func(a, b actor) int { return a.at - b.at })

	return list
}

func namesOf(list []actor) []string {
	var names []string
	for _, a := range list {
		if !slices.Contains(names, a.name) {
			names = append(names, a.name)
		}
	}

	return names
}

var byWhom = regexp.MustCompile(`(?i)\bby (?:the |an? |that |said )?$`)

// agent returns the name of who does what a text tells: who stands behind "by", or else who comes first.
func agent(text string, list []actor) string {
	for _, a := range list {
		// In the passive voice the doer stands behind "by", whoever is named first.
		if byWhom.MatchString(text[:a.at]) {
			return a.name
		}
	}

	return list[0].name
}

// misplaced reports whether a sentence has those whom it names in other places than its source: another one acts, or
// somebody of whom the source does not speak.
func (k *knowledge) misplaced(words string, source statement) bool {
	said, there := k.actors(words), k.actors(source.text)
	if len(said) == 0 {
		return false
	}
	if whole := k.actors(source.whole); len(there) == 0 || len(whole) > 0 && !slices.Contains(namesOf(there),
		agent(words, said)) {
		there, source.text = whole, source.whole
	}
	// A passage that names nobody cannot have them in other places.
	if len(there) == 0 {
		return false
	}
	names, known := namesOf(said), namesOf(there)

	doer := agent(words, said)
	if !slices.Contains(known, doer) {
		return true
	}
	outside := func(other []string) func(string) bool {
		return func(name string) bool { return !slices.Contains(other, name) }
	}
	shared := slices.DeleteFunc(slices.Clone(names), outside(known))
	sharedThere := slices.DeleteFunc(slices.Clone(known), outside(names))
	// It takes two to change places.
	if len(shared) < 2 || len(sharedThere) < 2 {
		return false
	}
	if first := agent(source.text, onlyOf(there, sharedThere)); first != doer {
		return true
	}
	// Who suffers comes in another order in the passive, so only sentences in one voice are compared.
	patients := func(list []string) []string {
		return slices.DeleteFunc(list, func(name string) bool { return name == doer })
	}

	return !slices.Equal(patients(shared), patients(sharedThere)) && passive(words) == passive(source.text)
}

func onlyOf(list []actor, names []string) []actor {
	return slices.DeleteFunc(slices.Clone(list), func(a actor) bool { return !slices.Contains(names, a.name) })
}

func passive(text string) bool { return slices.Contains(search.Words(text), "by") }

// strangers returns the labels of a sentence that none of its passages names, neither by the label nor by what the
// files call it.
func (k *knowledge) strangers(words string, cited []*evidence) []string {
	var list []string

	for _, l := range facts.Labels(words) {
		name := l.String()
		if !anyOf(cited, func(e *evidence) bool { return k.tellsOf(e, name) }) {
			list = append(list, name)
		}
	}

	return list
}

func (k *knowledge) tellsOf(e *evidence, label string) bool {
	if strings.Contains(e.folded, label) || strings.Contains(e.name, label) {
		return true
	}
	_ = k.called("") // learns the names

	for word, of := range k.names {
		if of == label && strings.Contains(strings.ToLower(e.folded), word) {
			return true
		}
	}

	return false
}
