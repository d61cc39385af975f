package legaltext

import (
	_ "embed"
	"sort"
	"strings"
)

//go:generate go run ./gen -courts $COURTS_DB -out courts.txt

// courtList is the names of American courts and what they are called in citations, in lower case, sorted, one a line.
//
//go:embed courts.txt
var courtList string

var courts = strings.Split(strings.TrimSuffix(courtList, "\n"), "\n")

// longestCourt is the length of the longest of them, in bytes. shortStarts and longStarts have a bit for each hash of
// how one begins, so that most words are told apart without a search.
var longestCourt, shortStarts, longStarts = func() (longest int, short, long starts) {
	for _, name := range courts {
		longest = max(longest, len(name))
		if len(name) < longStart {
			short.add(name[:shortStart])
		} else {
			long.add(name[:longStart])
		}
	}

	return longest, short, long
}()

// shortStart and longStart are how many bytes of a name say that it may be a court's. No name is shorter than the
// former; the names that are shorter than the latter are told by it.
const (
	shortStart = 5
	longStart  = 10
)

// starts is a set of hashes of 16 bits.
type starts [1 << 10]uint64

func (s *starts) add(start string) {
	h := startOf(start)
	s[h>>6] |= 1 << (h & 63)
}

func (s *starts) has(start string) bool {
	h := startOf(start)
	return s[h>>6]>>(h&63)&1 != 0
}

// startOf hashes how a name begins, in any case. It has shortStart or longStart bytes.
func startOf(name string) uint16 {
	h := smallFive(name[:shortStart])
	if len(name) == longStart {
		h = h*0x9e3779b97f4a7c15 ^ smallFive(name[shortStart:])
	}

	return uint16(h * 0xbf58476d1ce4e5b9 >> 48)
}

// smallFive is the first five bytes of a name as a number, the same for a letter in any case.
func smallFive(b string) uint64 {
	_ = b[4]
	h := uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 | uint64(b[4])<<32

	return h | 0x2020202020
}

// Court returns the length in bytes of the name of an American court that text begins with, in any case, written out
// ("Superior Court of California") or as it is cited ("Bankr. S.D.N.Y."), and 0 where there is none. The name ends
// where a word does. Text has letters and digits of ASCII where names have them.
func Court(text string) int {
	if len(text) < shortStart {
		return 0
	}
	if !shortStarts.has(text[:shortStart]) && (len(text) < longStart || !longStarts.has(text[:longStart])) {
		return 0
	}

	// On the stack: this is asked at every capital letter.
	var room [128]byte
	lowered := room[:min(len(text), longestCourt, len(room))]

	for i := range lowered {
		c := text[i]
		if c-'A' < 26 {
			c += 'a' - 'A'
		}
		lowered[i] = c
	}

	// The longest name that the text begins with comes right before the text in order, or begins with what the text
	// has in common with the name that does.
	for len(lowered) >= shortStart {
		at := sort.Search(len(courts), func(i int) bool { return courts[i] > string(lowered) })
		if at == 0 {
			return 0
		}
		name := courts[at-1]
		shared := common(name, lowered)
		if shared == len(name) && (shared == len(text) || !wordByte(text[shared]) || name[shared-1] == '.') {
			return shared
		}
		if shared == len(lowered) {
			shared--
		}
		lowered = lowered[:shared]
	}

	return 0
}

// common is how many bytes two texts have in common at their beginnings.
func common(a string, b []byte) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}

	return n
}

// wordByte reports whether a byte is of a word: a letter, a digit or anything beyond ASCII.
func wordByte(c byte) bool { return (c|0x20)-'a' < 26 || c-'0' < 10 || c >= 0x80 }
