package guard

import (
	"hash/fnv"
	"iter"
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/subrosa-legal/subrosa/pkg/label"
)

// Label replaces the findings in text by labels and returns the result. An identity that the map knows gets its label,
// a new one the next label of its kind. Findings come in any order and may overlap: what overlaps becomes one. Labels
// that the text holds already stay and are never given to another identity. Unlabel of the result is text again, byte
// by byte; of two texts that are labelled alike, the one labelled last. The error is ErrNoLabelFree; nothing is
// labelled then, though the map may have grown.
func (m *LabelMap) Label(text string, findings []Finding) (string, error) {
	// Labels that the text brings along are somebody's already, and must not go to anybody else.
	m.Reserve(text)
	var out strings.Builder
	var spellings []int
	known := true // Unlabel needs no more than the labels
	at := 0
	copyUntil := func(end int) {
		// A label that stood in the text has no spelling: Unlabel has to leave it alone.
		for range labelsIn(text[at:end]) {
			spellings, known = append(spellings, -1), false
		}
		out.WriteString(text[at:end])
	}

	for _, f := range places(text, findings) {
		identity := text[f.Start:f.End]
		entry, err := m.entryFor(f.Kind, identity)
		if err != nil {
			return "", err
		}
		copyUntil(f.Start)
		which := m.spelling(entry, identity)
		spellings, known = append(spellings, which), known && which == 0
		out.WriteString(m.entries[entry].label.String())
		at = f.End
	}
	copyUntil(len(text))
	// The common case costs nothing to store: each label stands for its first spelling.
	if known {
		spellings = nil
	}
	m.know(key(out.String()), spellings)

	return out.String(), nil
}

// entryFor returns the index of the entry of an identity, which is made if it is new.
func (m *LabelMap) entryFor(kind, identity string) (int, error) {
	if i, ok := m.byFold[FoldIdentity(identity)]; ok {
		return i, nil
	}
	l, err := m.Next(LabelWord(kind, identity))
	if err != nil {
		return 0, err
	}
	i := m.reserve(l)
	m.byFold[FoldIdentity(identity)] = i

	return i, nil
}

// know remembers how a labelled text was spelled; nil forgets it.
func (m *LabelMap) know(key string, spellings []int) {
	// Of two texts that are labelled alike the last one counts, as Label promises.
	if _, was := m.texts[key]; was {
		m.data.Texts = slices.DeleteFunc(m.data.Texts, func(t LabelledText) bool { return t.Key == key })
		delete(m.texts, key)
	}
	if spellings != nil {
		m.texts[key] = spellings
		m.data.Texts = append(m.data.Texts, LabelledText{Key: key, Spellings: spellings})
	}
}

// Unlabel puts identities back in the place of labels. A text that came from Label becomes what it was; in any other,
// such as an answer about it, each label that stands for a known identity becomes the first spelling of that. Other
// labels stay.
func (m *LabelMap) Unlabel(text string) string {
	spellings, known := m.texts[key(text)]
	var out strings.Builder
	at, n := 0, 0

	for i, l := range labelsIn(text) {
		which := 0
		// The map may come from somewhere else, so that the number of spellings is not trusted.
		if known && n < len(spellings) {
			which = spellings[n]
		}
		n++
		e, ok := m.byLabel[l]
		if !ok || which < 0 || which >= len(m.entries[e].identities) {
			continue
		}
		out.WriteString(text[at:i])
		out.WriteString(m.entries[e].identities[which])
		at = i + len(l.String())
	}
	out.WriteString(text[at:])

	return out.String()
}

// key names a labelled text.
func key(text string) string {
	// No secret depends on it: the text itself lies beside the map.
	h := fnv.New128a()
	_, _ = h.Write([]byte(text))

	return toHex(h.Sum(nil))
}

// labelsIn yields the labels of text with the bytes at which they begin.
func labelsIn(text string) iter.Seq2[int, label.Label] {
	return func(yield func(int, label.Label) bool) {
		for i := 0; i < len(text); {
			next := strings.IndexByte(text[i:], '[')
			if next < 0 {
				return
			}
			i += next
			l, width, ok := label.At(text, i)
			if ok && !yield(i, l) {
				return
			}
			i += max(width, 1)
		}
	}
}

// places makes findings fit to be cut out of text: ordered, apart, inside the text, on the boundaries of runes, without
// blanks at their ends, and without labels in them.
func places(text string, findings []Finding) []Finding {
	var list []Finding

	for _, f := range findings {
		// Offsets come from browsers, which count otherwise, and are not trusted.
		f.Start, f.End = max(f.Start, 0), min(f.End, len(text))
		if f.Start < f.End {
			f.Start, f.End = runeStart(text, f.Start), runeEnd(text, f.End)
			list = append(list, f)
		}
	}
	sort.Stable(bySpan{
		length: len(list),
		at:     func(i int) (int, int) { return list[i].Start, list[i].End },
		swap:   func(i, k int) { list[i], list[k] = list[k], list[i] },
	})

	// Writing over list is safe: never more is written than was read.
	joined := list[:0]
	for _, f := range list {
		if n := len(joined); n > 0 && f.Start < joined[n-1].End {
			joined[n-1].End = max(joined[n-1].End, f.End)
			continue
		}
		joined = append(joined, f)
	}
	var out []Finding

	for _, f := range joined {
		at := f.Start
		for i, l := range labelsAround(text, f.Start, f.End) {
			out = trimmed(out, text, Finding{Kind: f.Kind, Start: at, End: max(at, i)})
			at = min(f.End, i+len(l.String()))
		}
		out = trimmed(out, text, Finding{Kind: f.Kind, Start: at, End: f.End})
	}

	return out
}

// labelsAround yields the labels that reach into a stretch of text.
func labelsAround(text string, start, end int) iter.Seq2[int, label.Label] {
	return func(yield func(int, label.Label) bool) {
		// A finding may begin inside a label, whose bracket stands before it.
		from := max(0, start-label.Longest)
		if i := strings.LastIndexByte(text[from:start], '['); i >= 0 {
			if l, width, ok := label.At(text, from+i); ok && from+i+width > start && !yield(from+i, l) {
				return
			}
		}

		for i, l := range labelsIn(text[start:min(len(text), end+label.Longest)]) {
			if start+i >= end || !yield(start+i, l) {
				return
			}
		}
	}
}

// trimmed appends a finding without the blanks at its ends, if anything is left.
func trimmed(list []Finding, text string, f Finding) []Finding {
	f.Start += len(text[f.Start:f.End]) - len(strings.TrimLeftFunc(text[f.Start:f.End], unicode.IsSpace))
	f.End = f.Start + len(strings.TrimRightFunc(text[f.Start:f.End], unicode.IsSpace))
	if f.Start == f.End {
		return list
	}

	return append(list, f)
}

// runeStart returns where the rune that holds byte i begins. A byte that is part of none stands for itself.
func runeStart(text string, i int) int {
	for back := 1; back < utf8.UTFMax && back <= i; back++ {
		if _, width := utf8.DecodeRuneInString(text[i-back:]); width > back {
			return i - back
		}
	}

	return i
}

// runeEnd returns where the rune ends that byte i is inside of, or i when it is between two.
func runeEnd(text string, i int) int {
	if i >= len(text) {
		return i
	}
	start := runeStart(text, i)
	if start == i {
		return i
	}
	_, width := utf8.DecodeRuneInString(text[start:])

	return start + width
}

// UTF16 turns offsets in bytes of text into offsets in UTF-16 code units, in which browsers count. It is linear for
// offsets that ascend. An offset inside a rune counts as its beginning; a byte that is no UTF-8 counts as one unit,
// since that is what it becomes.
func UTF16(text string, offsets []int) []int {
	out := make([]int, len(offsets))

	at, units := 0, 0
	for i, want := range offsets {
		// Offsets that go back are read from the beginning: right first, and fast for those that ascend.
		if want < at {
			at, units = 0, 0
		}

		for at < min(want, len(text)) {
			r, width := utf8.DecodeRuneInString(text[at:])
			if at+width > want {
				break
			}
			at += width
			units += unitsOf(r)
		}
		out[i] = units
	}

	return out
}

// FromUTF16 turns offsets in UTF-16 code units of text into offsets in bytes. One inside a pair of surrogates becomes
// one inside the rune.
func FromUTF16(text string, offsets []int) []int {
	out := make([]int, len(offsets))

	at, units := 0, 0
	for i, want := range offsets {
		if want < units {
			at, units = 0, 0
		}

		for at < len(text) && units < want {
			r, width := utf8.DecodeRuneInString(text[at:])
			if units+unitsOf(r) > want {
				break
			}
			at += width
			units += unitsOf(r)
		}
		out[i] = at
		if units < want && at < len(text) {
			out[i]++
		}
	}

	return out
}

// unitsOf is how many UTF-16 code units a rune takes.
func unitsOf(r rune) int {
	if r > 0xffff {
		return 2
	}

	return 1
}
