// Package lexicon knows which words are ordinary ones and which are names, so that the guard can suspect every
// capitalised word that nothing accounts for. It is one table, made by gen from word lists and embedded as it lies in
// memory: when a program starts, only its occupied slots are counted, and a look-up reads a few neighbouring bytes.
package lexicon

import (
	_ "embed"
	"math/bits"
)

// Flags says what is known of a word.
type Flags uint16

// What a word can be; it is usually several of these.
const (
	Ordinary    Flags = 1 << iota // in a large dictionary
	Common                        // in a dictionary of everyday size
	Everyday                      // among the few thousand words that most text is made of
	Proper                        // in a list of proper names
	KnownProper                   // in a list of well-known proper names
	Given                         // a given name in some country
	Surname                       // a surname in some country
	Place                         // a country, people, language, state or city
	Law                           // a term or abbreviation of law and of public bodies
	Calendar                      // a month, weekday or feast
	Head                          // what institutions are called: court, ministry, company
	Honorific                     // what stands before names: Mr, Judge
	Particle                      // what stands inside names: van, de
	Rare                          // in an unabridged dictionary only, and no name
	Foreign                       // an everyday or legal word of another European language
)

// Ambiguous reports whether the word is a dictionary word and a well-known name too, such as baker or rose.
func (f Flags) Ambiguous() bool {
	return f&Ordinary != 0 && f&KnownProper != 0 && f&(Place|Law|Calendar|Head) == 0
}

// The table is open hashing over as many slots as leave a quarter of them empty. It lies in planes, which compress
// better than records: first the palette, the sets of flags that occur, two bytes each; then a bit for each slot,
// which is set where a word is; then for each word, in the order of their slots, one byte that says which set of flags
// it has; then for each word two bytes of its hash beyond those that choose the slot. All numbers are little-endian.
// One in some ten thousand unknown words is taken for a known one.
const (
	slots   = 320_000
	palette = 256
	bitsAt  = 2 * palette
	kindsAt = bitsAt + slots/8
)

//go:embed words.bin
var table string

// group is 64 neighbouring slots.
type group struct {
	taken  uint64 // a bit for each slot with a word
	before uint32 // words in the slots before these
}

// groups are those of the whole table, and marksAt is where its hashes begin.
var groups, marksAt = func() (all [slots / 64]group, marks int) {
	words := 0

	for i := range all {
		var taken uint64
		for k := range 8 {
			taken |= uint64(table[bitsAt+8*i+k]) << (8 * k)
		}
		all[i] = group{taken, uint32(words)}
		words += bits.OnesCount64(taken)
	}

	return all, kindsAt + words
}()

// Of returns what is known of a word, which must be in lower case, and 0 for an unknown one.
func Of(word []byte) Flags {
	h := uint64(offset64)
	for _, c := range word {
		h = (h ^ uint64(c)) * prime64
	}

	return find(h)
}

// Fold is Of for an ASCII word in any case. It reports false, and nothing else, for a word with other letters.
func Fold(word string) (Flags, bool) {
	h := uint64(offset64)

	for i := range len(word) {
		c := word[i]
		if c >= 0x80 {
			return 0, false
		}
		if c-'A' < 26 {
			c += 'a' - 'A'
		}
		h = (h ^ uint64(c)) * prime64
	}

	return find(h), true
}

// The parameters of the hash FNV-1a, 64 bits (Fowler, Noll, Vo).
const (
	offset64 = 14695981039346656037
	prime64  = 1099511628211
)

func find(h uint64) Flags {
	slot, mark := place(h)
	for {
		g := &groups[slot/64]
		bit := uint64(1) << (slot % 64)
		if g.taken&bit == 0 {
			return 0
		}

		word := int(g.before) + bits.OnesCount64(g.taken&(bit-1))
		if at := marksAt + 2*word; uint16(table[at])|uint16(table[at+1])<<8 == mark {
			kind := int(table[kindsAt+word])
			return Flags(table[2*kind]) | Flags(table[2*kind+1])<<8
		}
		if slot++; slot == slots {
			slot = 0
		}
	}
}

// place splits a hash into the slot at which the search begins and the bits that are compared there.
func place(h uint64) (slot int, mark uint16) {
	h ^= h >> 29 // the high bits of FNV know little of the last letters
	h *= 0xbf58476d1ce4e5b9
	high, _ := bits.Mul64(h, slots)

	return int(high), uint16(h >> 16)
}
