package guard

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/label"
)

// The failures of a label map. None of them quotes an identity.
var (
	ErrBadLabelMap = errs.New(errs.Invalid, "bad_label_map",
		"This is not a map of labels, or a label appears in it twice.")
	ErrLabelled    = errs.New(errs.Conflict, "identity_labelled", "This identity already has another label. Use it.")
	ErrNoLabelFree = errs.New(errs.Conflict, "no_label_free",
		"All numbers from 1 to 9999 are in use for this kind of label.")
)

// LabelData is a LabelMap at rest, for whoever stores or sends it. It survives JSON unchanged if every text that was
// labelled was valid UTF-8.
type LabelData struct {
	Labels     []LabelEntry   `json:"labels"`
	Texts      []LabelledText `json:"texts,omitempty"`
	NoIdentity []string       `json:"noIdentity,omitempty"` // what a person has marked as no identity
}

// LabelEntry is one label and the spellings of the identity behind it; the first is the one that Unlabel writes into
// texts that it does not know. A label without identities stood in a text already and is not given to anybody.
type LabelEntry struct {
	Label      string   `json:"label"`
	Identities []string `json:"identities,omitempty"`
}

// LabelledText says how to put back a text letter by letter where the first spelling of each identity would not do.
type LabelledText struct {
	Key string `json:"key"` // names the labelled text; meaningful to Unlabel alone
	// For each label of the text, in order, which of its identities stood there; -1 where the label itself did.
	Spellings []int `json:"spellings"`
}

// LabelMap pairs the identities of one case with the labels that stand for them, both ways. It is not safe for
// concurrent use.
type LabelMap struct {
	entries []labelEntry
	byLabel map[label.Label]int
	byFold  map[string]int   // by the folded identity
	highest map[string]int   // number given out or seen, by kind
	texts   map[string][]int // by key
	no      map[string]bool  // folded words that identify nobody
	data    LabelData        // Texts and NoIdentity as they were added
}

type labelEntry struct {
	label      label.Label
	identities []string
}

// NewLabelMap returns the map of data, which may be empty. The error is ErrBadLabelMap.
func NewLabelMap(data LabelData) (*LabelMap, error) {
	m := &LabelMap{
		byLabel: map[label.Label]int{},
		byFold:  map[string]int{},
		highest: map[string]int{},
		texts:   map[string][]int{},
		no:      map[string]bool{},
	}

	for _, e := range data.Labels {
		l, err := label.Parse(e.Label)
		// A label twice would give two identities one name, and Unlabel could not tell them apart.
		if err != nil || has(m.byLabel, l) {
			return nil, ErrBadLabelMap
		}

		at := m.reserve(l)
		for _, identity := range e.Identities {
			m.entries[at].identities = append(m.entries[at].identities, identity)
			// The first label wins, should rules for what is alike have changed.
			if folded := FoldIdentity(identity); !has(m.byFold, folded) {
				m.byFold[folded] = at
			}
		}
	}

	for _, t := range data.Texts {
		m.know(t.Key, t.Spellings)
	}

	for _, word := range data.NoIdentity {
		m.Dismiss(word)
	}

	return m, nil
}

func has[K comparable, V any](in map[K]V, key K) bool {
	_, ok := in[key]
	return ok
}

// Data returns the data from which NewLabelMap makes the same map.
func (m *LabelMap) Data() LabelData {
	d := LabelData{
		Labels:     make([]LabelEntry, len(m.entries)),
		Texts:      slices.Clone(m.data.Texts),
		NoIdentity: slices.Clone(m.data.NoIdentity),
	}
	// Copies, so that the map can go on while somebody stores what it was.
	for i, e := range m.entries {
		d.Labels[i] = LabelEntry{Label: e.label.String(), Identities: slices.Clone(e.identities)}
	}

	return d
}

// Of returns the label of an identity. Case, blanks and what only the eye cannot tell apart make no difference.
func (m *LabelMap) Of(identity string) (label.Label, bool) {
	i, ok := m.byFold[FoldIdentity(identity)]
	if !ok {
		return label.Label{}, false
	}

	return m.entries[i].label, true
}

// Identities returns the spellings of the identity behind a label, the first one first; nil when the label stands for
// nobody that is known.
func (m *LabelMap) Identities(l label.Label) []string {
	i, ok := m.byLabel[l]
	if !ok {
		return nil
	}

	return slices.Clone(m.entries[i].identities)
}

// Assign gives an identity a label that is new, or that other names of the same identity have. The error is ErrLabelled
// when the identity has another one, or label.ErrUnknown.
func (m *LabelMap) Assign(identity string, l label.Label) error {
	if !label.Valid(l.String()) {
		return label.ErrUnknown
	}
	if is, ok := m.Of(identity); ok && is != l {
		return ErrLabelled
	}
	at := m.reserve(l)
	m.byFold[FoldIdentity(identity)] = at
	m.spelling(at, identity)

	return nil
}

// spelling returns the index of one spelling of the identity of an entry, which is added if it is new.
func (m *LabelMap) spelling(at int, identity string) int {
	e := &m.entries[at]
	if i := slices.Index(e.identities, identity); i >= 0 {
		return i
	}
	e.identities = append(e.identities, identity)

	return len(e.identities) - 1
}

// reserve keeps a label from being given out and returns the index of its entry.
func (m *LabelMap) reserve(l label.Label) int {
	if i, ok := m.byLabel[l]; ok {
		return i
	}
	m.entries = append(m.entries, labelEntry{label: l})
	m.byLabel[l] = len(m.entries) - 1
	// The next number is above all that were ever given out, so that no label changes hands.
	m.highest[l.Kind] = max(m.highest[l.Kind], l.N)

	return len(m.entries) - 1
}

// Reserve makes sure that Next and Label give nobody the labels that text already holds.
func (m *LabelMap) Reserve(text string) {
	for _, l := range labelsIn(text) {
		m.reserve(l)
	}
}

// Next returns the label of a kind, one of label.Kinds, that a new identity gets: the one behind the highest, or when
// there is none, the lowest that is free. It is not given out yet. The error is ErrNoLabelFree or label.ErrUnknown.
func (m *LabelMap) Next(word string) (label.Label, error) {
	if !label.IsKind(word) {
		return label.Label{}, label.ErrUnknown
	}
	l := label.Label{Kind: word, N: m.highest[word] + 1}
	if l.N <= label.MaxNumber {
		return l, nil
	}

	// The highest number may have come from a text that somebody wrote by hand.
	for l.N = 1; l.N <= label.MaxNumber; l.N++ {
		if !has(m.byLabel, l) {
			return l, nil
		}
	}

	return label.Label{}, ErrNoLabelFree
}

// Dismiss notes that a word or phrase identifies nobody in this case. Label does not look at it: it labels what it is
// told to.
func (m *LabelMap) Dismiss(word string) {
	if !m.Dismissed(word) {
		m.no[FoldIdentity(word)] = true
		m.data.NoIdentity = append(m.data.NoIdentity, word)
	}
}

// Dismissed reports whether the word was dismissed.
func (m *LabelMap) Dismissed(word string) bool { return m.no[FoldIdentity(word)] }

// FoldIdentity returns the same for two texts exactly if a LabelMap takes them for one identity: they differ in case,
// in blanks, or in what only a machine can tell apart. The result is for comparing, not for people.
func FoldIdentity(s string) string {
	if !utf8.ValidString(s) {
		return s
	}
	// What the rules take for one word has to be one identity.
	v := newView(s)
	folded := strings.Map(foldRune, strings.Join(strings.Fields(v.text), " "))
	// A text of nothing but blanks and marks stays what it is, or all of them were one identity.
	if folded == "" {
		return s
	}

	return folded
}

// foldRune returns the first of all runes that are one letter in different cases.
func foldRune(r rune) rune {
	if r == 'İ' || r == 'ı' {
		return 'i' // Turkish writes i with and without a dot in both cases
	}
	if r < utf8.RuneSelf {
		if r >= 'A' && r <= 'Z' {
			return r + 'a' - 'A'
		}

		return r
	}

	least := r
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		least = min(least, f)
	}
	// The Kelvin sign and the long s fold into ASCII letters, whose least form is a capital.
	if least < utf8.RuneSelf {
		return foldRune(least)
	}

	return least
}

// LabelWord returns the word that begins the label of an identity of the given kind, one of the kinds of Finding. For a
// bracket that was meant as a label, it is the word that the bracket means.
func LabelWord(kind, identity string) string {
	switch kind {
	case KindPerson:
		return "Party"
	case KindOrg:
		return "Org"
	case KindAddress:
		return "Address"
	case KindPhone:
		return "Phone"
	case KindEmail:
		return "Email"
	case KindAccount:
		return "Account"
	case KindIDNumber:
		return "Id"
	case KindBirthDate:
		return "Date"
	case KindDocket:
		return "Docket"
	case KindVehicle:
		return "Vehicle"
	case KindProperty:
		return "Property"
	case KindURL:
		return "Url"
	case KindLabel:
		for _, word := range label.Kinds() {
			if len(identity) > len(word) && strings.EqualFold(identity[1:1+len(word)], word) {
				return word
			}
		}
	}

	return "Ref"
}
