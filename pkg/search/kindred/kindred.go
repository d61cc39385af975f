// Package kindred tells which English words stand in texts in the same places as another word: "hotel" and "lodging".
// Such words are near in meaning, and may as well be opposites, so what is found by them is a hint and no match.
package kindred

import (
	_ "embed"
	"math"
	"strings"
	"sync"
)

//go:embed vectors.bin
var vectors string

//go:embed words.txt
var wordFile string

// dimensions is how many bytes the vector of a word has.
const dimensions = 64

// table holds the vectors in the order of the words, the commonest first.
type table struct {
	words []string
	place map[string]int
	size  []float64 // of each vector
}

var known = sync.OnceValue(func() table {
	t := table{words: strings.Fields(wordFile)}
	t.place, t.size = make(map[string]int, len(t.words)), make([]float64, len(t.words))

	for i, w := range t.words {
		t.place[w] = i
		t.size[i] = math.Sqrt(float64(product(i, i)))
	}

	return t
})

// product multiplies the vectors of two words.
func product(a, b int) int {
	x, y := vectors[a*dimensions:(a+1)*dimensions], vectors[b*dimensions:(b+1)*dimensions]

	sum := 0
	for i := range dimensions {
		sum += int(int8(x[i])) * int(int8(y[i]))
	}

	return sum
}

// Each calls use for each known word with its nearness to word, 1 for the same and 0 for one that has nothing to do
// with it, where the nearness is at least least. The order is that of the table. A word that is not known has none.
func Each(word string, least float64, use func(other string, nearness float64)) {
	t := known()
	at, ok := t.place[word]
	if !ok {
		return
	}

	for i, other := range t.words {
		if i == at {
			continue
		}
		if n := float64(product(at, i)) / (t.size[at] * t.size[i]); n >= least {
			use(other, n)
		}
	}
}
