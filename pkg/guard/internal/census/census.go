// Package census knows which names are frequent, so that the guard can tell a name from a word that few people
// are called by.
package census

import (
	_ "embed"
	"strings"
)

//go:generate go run ./gen -source $CENSUS -out .

//go:embed given.txt
var givenList string

//go:embed surnames.txt
var surnameList string

var (
	given    = ranks(givenList)
	surnames = ranks(surnameList)
)

func ranks(list string) map[string]uint16 {
	m := map[string]uint16{}
	for w := range strings.FieldsSeq(list) {
		m[w] = uint16(len(m) + 1)
	}

	return m
}

// Given returns the rank of a given name, in lower case, among those of the United States: 1 is the most
// frequent, and 0 says that it is not among the 900 most frequent.
//
//go:noinline
func Given(word string) int { return int(given[word]) }

// Surname is Given for surnames, of which there are 2,000.
//
//go:noinline
func Surname(word string) int { return int(surnames[word]) }
