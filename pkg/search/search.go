// Package search finds the passages of a case that answer a question: an index in memory, ranked by BM25, in which a
// label such as [Party 1] is one word and a quoted phrase must match.
//
// An Index is immutable once built and safe for concurrent use. The same files and the same query always give the same
// hits in the same order.
package search

import (
	"math"
	"strings"
)

// Passage is a window over the text of a file. Offsets count code points of that text, CharEnd is exclusive.
type Passage struct {
	Page      int // from 1; 0 when unknown
	Paragraph int // from 1
	CharStart int
	CharEnd   int
	Text      string
}

// File is one version of the text of a file, cut into passages.
type File struct {
	ID          string
	TextVersion int
	Passages    []Passage
}

// Options narrow a search.
type Options struct {
	Limit   int      // hits wanted: 1 to MaxLimit, DefaultLimit when 0 or less
	FileIDs []string // search these files only; nil means all, an empty list none

	// Among are the files that decide whether a word stands in none, for Broad and for what is absent; nil means
	// FileIDs.
	Among []string

	// Broad has a word that no file has, nor a synonym of it, stand for everyday words of the same meaning, and, where
	// there are none either, for words that are near to it in meaning.
	Broad bool
}

// The bounds of one search. What a query holds beyond them is left out.
const (
	DefaultLimit = 10
	MaxLimit     = 100
	MaxQuery     = 4096 // bytes
	MaxTerms     = 64   // different words
)

// Hit is a passage that matched.
type Hit struct {
	FileID      string
	TextVersion int
	Passage
	Score float64 // comparable within one search only
	// Matched are the words of the passage that matched, in lower case, labels as they are written, in their order
	// and each once.
	Matched []string
	// Near are those of Matched that are only near in meaning to a word of the query.
	Near []string
	// QuoteStart and QuoteEnd are the part of the passage to show, in code points of its text: see Quote.
	QuoteStart, QuoteEnd int
}

// The parameters of BM25, and what is added to it.
const (
	saturation    = 1.2  // how soon more of a word counts for little
	lengthWeight  = 0.75 // how much longer passages are held back
	headingBonus  = 2    // a word in a heading counts as so many more
	synonymShare  = 0.6  // of the weight of the word itself
	everydayShare = 0.4  // of the weight of a word that no file has, for what papers say in its place
	labelShare    = 0.5  // of the weight of a label that stands beside words
	nearBonus     = 0.15 // for each pair of query words that stand together
	clauseShare   = 0.3  // of the score of a passage none of whose clauses holds more than little of the query
	// bareLabelShare is what counts of a passage that answers the labels of a query and none of its words.
	bareLabelShare = 0.01
	nearWords      = 3  // how far apart they may be
	reranked       = 64 // best candidates that are looked at again for pairs
)

// posting says that a word is in a passage.
type posting struct {
	passage uint32
	count   uint16
	heading uint16
}

// entry is a passage in the index.
type entry struct {
	file   int32
	length int32 // words
	tongue language
	Passage
}

// measure is what the passages of one file come to.
type measure struct {
	passages int
	words    int
	tongue   language
}

// Index holds the passages of a set of files.
type Index struct {
	files    []File // without their passages
	measures []measure
	entries  []entry
	fileOf   []int32 // of each entry, close together for a walk along postings
	terms    map[string]uint32
	first    []uint32 // postings of term t are those from first[t] to first[t+1]
	postings []posting
	synonyms map[string][]string
	tongues  []language // of the files, each once
	average  float64    // words of a passage
	size     int
}

// Build makes an index. It keeps the strings it is given.
func Build(files []File) *Index {
	x := &Index{terms: map[string]uint32{}, synonyms: synonymTable()}
	var lists [][]posting
	total := 0
	// Words as they are written lead to their terms, so that each is stemmed once.
	stems := map[language]map[string]uint32{}

	for i, f := range files {
		tongue := f.language()
		seen := stems[tongue]
		if seen == nil {
			seen = map[string]uint32{}
			stems[tongue], x.tongues = seen, append(x.tongues, tongue)
		}

		x.files = append(x.files, File{ID: f.ID, TextVersion: f.TextVersion})
		before := total

		for _, p := range f.Passages {
			n := uint32(len(x.entries))
			words := 0
			add := func(word string, heading bool) {
				t, ok := seen[word]
				if !ok {
					t = x.term(tongue.stem(word), &lists)
					seen[word] = t
				}
				words++
				lists[t] = count(lists[t], n, heading)
			}
			eachWord(p.Text, headings(p.Text), add)
			total += words
			x.entries = append(x.entries, entry{file: int32(i), tongue: tongue, length: int32(words), Passage: p})
			x.fileOf = append(x.fileOf, int32(i))
		}
		x.measures = append(x.measures, measure{passages: len(f.Passages), words: total - before, tongue: tongue})
	}
	x.average = float64(total) / float64(max(1, len(x.entries)))
	x.flatten(lists)

	return x
}

// language guesses the language of a file by its first passages.
func (f File) language() language {
	var b strings.Builder
	for _, p := range f.Passages {
		if b.WriteString(p.Text); b.Len() > languageBytes {
			break
		}
		b.WriteByte(' ')
	}

	return languageOf(b.String())
}

const languageBytes = 4096 // of a file by which its language is guessed

// term returns the number of a stem, a new one if it is new.
func (x *Index) term(word string, lists *[][]posting) uint32 {
	t, ok := x.terms[word]
	if !ok {
		t = uint32(len(*lists))
		x.terms[word] = t
		*lists = append(*lists, nil)
	}

	return t
}

// count adds one occurrence in passage n, which is the last one or a new one.
func count(list []posting, n uint32, heading bool) []posting {
	if len(list) == 0 || list[len(list)-1].passage != n {
		list = append(list, posting{passage: n})
	}
	p := &list[len(list)-1]
	// A passage is short, but nothing here holds it to that.
	if p.count < math.MaxUint16 {
		p.count++
	}
	if heading && p.heading < math.MaxUint16 {
		p.heading++
	}

	return list
}

// The rough cost in bytes of what an index holds, beside the text itself.
const (
	entryBytes   = 92
	termBytes    = 64
	postingBytes = 8
	fileBytes    = 88
)

// flatten puts all postings into one piece and counts the bytes held.
func (x *Index) flatten(lists [][]posting) {
	total := 0
	for _, list := range lists {
		total += len(list)
	}
	x.postings = make([]posting, 0, total)

	x.first = make([]uint32, 0, len(lists)+1)
	for _, list := range lists {
		x.first = append(x.first, uint32(len(x.postings)))
		x.postings = append(x.postings, list...)
	}
	x.first = append(x.first, uint32(len(x.postings)))

	x.size = len(x.entries)*entryBytes + total*postingBytes + len(x.files)*fileBytes
	for _, e := range x.entries {
		x.size += len(e.Text)
	}

	for word := range x.terms {
		x.size += len(word) + termBytes
	}
}

// Size returns roughly how many bytes the index holds in memory, the texts included, for a cache that is bounded by
// bytes.
func (x *Index) Size() int { return x.size }

// Passages returns how many passages the index holds.
func (x *Index) Passages() int { return len(x.entries) }
