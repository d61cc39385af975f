// Package support answers questions about the service itself from a catalogue of its own: every error code with its cause and remedy,
// and the questions that come up when an agent is connected. It never sees a case.
package support

import (
	"slices"
	"strings"

	"github.com/subrosa-legal/subrosa/pkg/search"
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
	index   *search.Index
}

// NewDesk returns a Desk over the catalogue.
func NewDesk() *Desk {
	d := &Desk{entries: append(append(append(requestFaults(), stateFaults()...), streamFaults()...), questions()...)}
	var files []search.File
	for _, e := range d.entries {
		text := strings.ReplaceAll(e.Code, "_", " ") + "\n\n" + e.Title + "\n\n" + e.Cause + " " + e.Remedy + " " + e.Words
		files = append(files, search.File{ID: e.Code, Passages: []search.Passage{{Paragraph: 1, CharEnd: len([]rune(text)), Text: text}}})
	}
	d.index = search.Build(files)
	return d
}

// Entries returns the whole catalogue.
func (d *Desk) Entries() []Entry { return slices.Clone(d.entries) }

// Bounds of an answer.
const (
	most      = 3
	leastWord = 2    // words of the question that an entry must hold, unless the question has but one
	nearBest  = 0.55 // of the best score, from which a further entry is worth showing
)

// Answer returns the entries that answer a question, the best first: those whose code stands in it, else those that share enough of its
// words. None means that the catalogue does not know.
func (d *Desk) Answer(question string) []Entry {
	var named []Entry
	for _, word := range strings.FieldsFunc(strings.ToLower(question), func(r rune) bool { return r != '_' && (r < 'a' || r > 'z') && (r < '0' || r > '9') }) {
		if i := d.find(word); i >= 0 && d.entries[i].Fault && (strings.Contains(word, "_") || len(strings.Fields(question)) <= most) && !slices.Contains(named, d.entries[i]) {
			named = append(named, d.entries[i])
		}
	}
	if len(named) > 0 {
		return named[:min(len(named), most)]
	}
	hits := d.index.Search(question, search.Options{Limit: most})
	var list []Entry
	for _, h := range hits {
		if len(h.Matched) >= d.needed(question) && h.Score >= nearBest*hits[0].Score {
			list = append(list, d.entries[d.find(h.FileID)])
		}
	}
	return list
}

func (d *Desk) find(code string) int {
	return slices.IndexFunc(d.entries, func(e Entry) bool { return e.Code == code })
}

// needed returns how many words an entry must share with a question.
func (d *Desk) needed(question string) int {
	if len(strings.Fields(question)) <= leastWord {
		return 1
	}
	return leastWord
}
