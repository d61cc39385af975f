// Package support answers questions about the service itself from a catalogue of its own: every error code with its
// cause and remedy, the questions that come up when an agent is connected, and those of people at work on cases. It
// never sees a case.
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

// Catalogue holds the entries and finds those that answer a question. It is immutable and safe for concurrent use.
type Catalogue struct {
	entries []Entry
	index   *faq.Index
}

// NewCatalogue returns the catalogue. A process indexes it once.
func NewCatalogue() *Catalogue { return catalogue() }

var catalogue = sync.OnceValue(makeCatalogue)

func makeCatalogue() *Catalogue {
	c := &Catalogue{entries: slices.Concat(
		badRequests(), unfitCallers(), unfitBodies(), caseFaults(), memberFaults(), serviceFaults(), streamFaults(),
		agentQuestions(), streamQuestions(), textQuestions(), fileGuides(), caseGuides(), firmGuides(),
	)}

	var texts []string
	for _, e := range c.entries {
		texts = append(
			texts, strings.ReplaceAll(e.Code, "_", " ")+"\n\n"+e.Title+"\n\n"+e.Cause+" "+e.Remedy+" "+e.Words,
		)
	}
	c.index = faq.NewIndex(texts)

	return c
}

// Entries returns the whole catalogue.
func (c *Catalogue) Entries() []Entry { return slices.Clone(c.entries) }

// Answer returns the entries that answer a question, the best first: those whose code stands in it, else those that
// share enough of its words. None means that the catalogue does not know.
func (c *Catalogue) Answer(question string) []Entry {
	var named []Entry
	short := len(strings.Fields(question)) <= faq.Most

	for _, word := range Words(question) {
		i := c.find(word)
		if i < 0 || !c.entries[i].Fault || slices.Contains(named, c.entries[i]) {
			continue
		}
		// A code of one word, such as forbidden, is an everyday word in a longer question.
		if short || strings.Contains(word, "_") {
			named = append(named, c.entries[i])
		}
	}
	if len(named) > 0 {
		return named[:min(len(named), faq.Most)]
	}

	var list []Entry
	for _, at := range c.index.Answer(question) {
		list = append(list, c.entries[at])
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
func (c *Catalogue) Entry(code string) (Entry, bool) {
	if i := c.find(code); i >= 0 {
		return c.entries[i], true
	}

	return Entry{}, false
}

func (c *Catalogue) find(code string) int {
	return slices.IndexFunc(c.entries, func(e Entry) bool { return e.Code == code })
}
