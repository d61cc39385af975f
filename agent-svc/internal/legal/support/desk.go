// Package support answers questions about the service itself from a catalogue of its own: every error code with its cause and remedy, the
// questions that come up when an agent is connected, and those of people at work on cases. It never sees a case.
package support

import (
	"slices"
	"strings"
	"sync"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/faq"
)

// Entry is one article of the catalogue.
type Entry struct {
	Code   string // of an error, or a short name for a question
	Title  string
	Cause  string // what it means
	Remedy string // what to do
	Words  string // other words by which people ask for it
	Fault  bool   // it is about an error code
}

// Desk finds entries. It is immutable and safe for concurrent use.
type Desk struct {
	entries []Entry
	index   *faq.Index
}

// NewDesk returns a Desk over the catalogue. A process indexes the catalogue once.
func NewDesk() *Desk { return desk() }

var desk = sync.OnceValue(makeDesk)

func makeDesk() *Desk {
	d := &Desk{entries: slices.Concat(requestFaults(), stateFaults(), streamFaults(), questions(), guides())}

	var texts []string
	for _, e := range d.entries {
		texts = append(texts, strings.ReplaceAll(e.Code, "_", " ")+"\n\n"+e.Title+"\n\n"+e.Cause+" "+e.Remedy+" "+e.Words)
	}
	d.index = faq.NewIndex(texts)

	return d
}

// Entries returns the whole catalogue.
func (d *Desk) Entries() []Entry { return slices.Clone(d.entries) }

// Answer returns the entries that answer a question, the best first: those whose code stands in it, else those that share enough of its
// words. None means that the catalogue does not know.
func (d *Desk) Answer(question string) []Entry {
	var named []Entry
	short := len(strings.Fields(question)) <= faq.Most

	for _, word := range Words(question) {
		i := d.find(word)
		if i < 0 || !d.entries[i].Fault || slices.Contains(named, d.entries[i]) {
			continue
		}
		// A code of one word, such as forbidden, is an everyday word in a longer question.
		if short || strings.Contains(word, "_") {
			named = append(named, d.entries[i])
		}
	}
	if len(named) > 0 {
		return named[:min(len(named), faq.Most)]
	}

	var list []Entry
	for _, at := range d.index.Answer(question) {
		list = append(list, d.entries[at])
	}

	return list
}

// Words returns the words of a question in lower case. An error code such as scope_missing is one word.
func Words(question string) []string {
	return strings.FieldsFunc(strings.ToLower(question), func(r rune) bool {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '_':
			return false
		}

		return true
	})
}

// Entry returns the entry of an error code or question.
func (d *Desk) Entry(code string) (Entry, bool) {
	if i := d.find(code); i >= 0 {
		return d.entries[i], true
	}

	return Entry{}, false
}

func (d *Desk) find(code string) int {
	return slices.IndexFunc(d.entries, func(e Entry) bool { return e.Code == code })
}
