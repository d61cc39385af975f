package lexicon

import (
	"errors"
	"maps"
	"slices"
)

// Table lays words out as they are embedded. It is for gen alone.
func Table(words map[string]Flags) ([]byte, error) {
	if len(words) > slots*4/5 {
		return nil, errors.New("more words than slots")
	}
	out := make([]byte, kindsAt)
	kindOf, markOf := make([]byte, slots), make([]uint16, slots) // 0 for an empty slot
	kinds := map[Flags]int{}

	// In order, so that the same words make the same bytes.
	for _, w := range slices.Sorted(maps.Keys(words)) {
		f := words[w]
		if f == 0 {
			return nil, errors.New("nothing is known of a word")
		}
		if kinds[f] == 0 {
			k := len(kinds) + 1
			if k == palette {
				return nil, errors.New("more sets of flags than the palette holds")
			}
			kinds[f] = k
			out[2*k], out[2*k+1] = byte(f), byte(f>>8)
		}

		h := uint64(offset64)
		for i := range len(w) {
			h = (h ^ uint64(w[i])) * prime64
		}

		slot, mark := place(h)
		for kindOf[slot] != 0 {
			slot = (slot + 1) % slots
		}
		kindOf[slot], markOf[slot] = byte(kinds[f]), mark
	}

	for slot, kind := range kindOf {
		if kind != 0 {
			out[bitsAt+slot/8] |= 1 << (slot % 8)
			out = append(out, kind)
		}
	}

	for slot, mark := range markOf {
		if kindOf[slot] != 0 {
			out = append(out, byte(mark), byte(mark>>8))
		}
	}

	return out, nil
}
