// Package faq finds, among short texts about one matter, those that answer a question, or says that none does.
package faq

import (
	"strconv"
	"strings"

	"github.com/subrosa-legal/subrosa/pkg/search"
)

// Bounds of an answer.
const (
	Most      = 3    // articles of one answer
	leastWord = 2    // words of the question that an article must hold, unless the question has hardly more
	nearBest  = 0.55 // of the best score, from which a further article is worth showing
)

// Index finds articles by their words. It is immutable and safe for concurrent use.
type Index struct{ index *search.Index }

// NewIndex returns an Index over texts, which answers name by their place.
func NewIndex(texts []string) *Index {
	var files []search.File
	for i, text := range texts {
		files = append(files, search.File{
			ID:       strconv.Itoa(i),
			Passages: []search.Passage{{Paragraph: 1, CharEnd: len([]rune(text)), Text: text}},
		})
	}

	return &Index{search.Build(files)}
}

// Answer returns the places of up to Most texts that answer a question, the best first. None means that no text shares
// enough of its words.
func (x *Index) Answer(question string) []int {
	hits := x.index.Search(question, search.Options{Limit: Most})
	var list []int

	for _, h := range hits {
		// An article that shares one word of many answers another question. A far second only distracts.
		if at, err := strconv.Atoi(h.FileID); err == nil && len(h.Matched) >= needed(question) &&
			h.Score >= nearBest*hits[0].Score {
			list = append(list, at)
		}
	}

	return list
}

// needed returns how many words an article must share with a question.
func needed(question string) int {
	if len(strings.Fields(question)) <= leastWord {
		return 1
	}

	return leastWord
}
