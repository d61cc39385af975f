package casereading

import (
	"cmp"
	"slices"
)

// InOrder sorts dates and parts those that can be read in two ways. The same day in the same sentence counts once.
func InOrder(dates []Date) (plain, double []Date) {
	type key struct {
		day, file  string
		words      string
		start, end int
	}
	seen := map[key]bool{}

	for _, x := range dates {
		k := key{x.String(), x.At.FileID, x.At.Words, x.At.CharStart, x.At.CharEnd}
		switch {
		case seen[k] && !x.At.Withheld:
			continue
		case x.Ambiguous:
			double = append(double, x)
		default:
			plain = append(plain, x)
		}
		seen[k] = true
	}
	slices.SortStableFunc(plain, func(a, b Date) int { return cmp.Compare(a.Date.String(), b.Date.String()) })

	return plain, double
}
