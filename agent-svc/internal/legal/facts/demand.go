package facts

import "strings"

// Demand is a sum that somebody demands of a court or of the other side. The largest number of a file is not one.
type Demand struct {
	Amount
	Strength Strength
}

// Strength says how plainly a sum is demanded.
type Strength int

// The strengths, the weakest first.
const (
	AboveThreshold Strength = iota + 1 // "damages in excess of $"
	InControversy                      // "the amount in controversy exceeds $"
	Outright                           // "demands judgment for $", "damages in the amount of $"
)

const demandReach = 220 // bytes of the sentence before a sum in which a demand may stand

// Demands returns those of the sums that are demanded.
func Demands(text string, amounts []Amount) []Demand {
	var list []Demand

	for _, a := range amounts {
		start := sentenceStart(text, a.Start, demandReach)
		before := strings.ToLower(text[start:a.Start])
		// Folding and the many phrases below cost more than these few stems.
		if !mayDemand(before) {
			continue
		}
		before = Fold(before)
		if s := strength(before, Fold(strings.ToLower(text[a.End:min(len(text), a.End+40)]))); s > 0 {
			list = append(list, Demand{a, s})
		}
	}

	return list
}

// mayDemand reports whether words hold anything that a demand is made of; most do not, and need no closer look.
func mayDemand(before string) bool {
	for _, stem := range [...]string{
		"demand", "damage", "judgment", "controversy", "dispute", "seek", "sought", "pray", "sues", "recover", "award",
		"relief",
	} {
		if strings.Contains(before, stem) {
			return true
		}
	}

	return false
}

// strength judges the words before a sum and behind it, 0 for no demand.
func strength(before, after string) Strength {
	if holdsAny(before, "in no event", "not exceed", "limited to", "maximum", "up to", "settle", "offer") {
		// A cap, or what somebody would settle for, is not demanded, even in a sentence that demands something else.
		return 0
	}

	// "$5,000 in damages" is claimed by the words behind it.
	claimed := strings.HasPrefix(after, "in damages") || strings.HasPrefix(after, "in compensatory") ||
		strings.HasPrefix(after, "in actual damages")
	switch {
	case nearDemand(before),
		claimed && endsAny(before, "seek", "seeks", "seeking", "sought", "recover", "award", "award of"):
		return Outright
	case holdsAny(
		before, "amount in controversy", "matter in controversy", "sum in controversy", "amount in dispute",
		"sum in dispute",
	):
		return InControversy
	case endsAny(before, thresholds...) && (claimed || asksRelief(before)) && !insured(before):
		return AboveThreshold
	}

	return 0
}

// thresholds are the words by which a pleading demands more than a sum, to be above what a court has jurisdiction for.
var thresholds = []string{
	"in excess of", "exceeding", "exceeds", "exceed", "greater than", "more than", "at least", "no less than",
	"not less than",
}

// asksRelief reports whether words speak of what a court may grant.
func asksRelief(words string) bool {
	return holdsAny(words, "damages", "judgment", "recover", "relief", "award")
}

// insured reports whether words speak of a sum that somebody must insure, which nobody demands.
func insured(words string) bool { return holdsAny(words, "insurance", "coverage", "per occurrence") }

// nearDemand reports whether the words before a sum demand it outright.
func nearDemand(before string) bool {
	before = strings.TrimRight(before, " (")
	// Liquidated damages are what a contract provides for. Nobody demands them by that.
	if holdsAny(before, "liquidated damages") {
		return false
	}
	if endsAny(before, "demands", "demanded", "demand of", "demand for") {
		return true
	}
	if holdsAny(before, demanding...) && endsAny(before, beforeSum...) {
		return true
	}

	return endsAny(before, damagesOf...)
}

// Words of a demand: those by which it is made, those that lead from them to its sum, and those that do both.
var (
	demanding = []string{
		"demand judgment", "demands judgment", "demanded judgment", "demands payment", "demand payment",
		"demand for payment", "demand is made", "demands that", "demanded that", "prays for", "pray for",
		"seeks to recover", "seek to recover", "seeks judgment", "seeks damages", "seek damages",
		"seeks compensatory", "sues for", "judgment against", "judgment in favor", "entry of judgment",
		"enter judgment",
	}
	beforeSum = []string{
		"for", "of", "sum", "amount", "recover", "excess of", "than", "least", "totaling", "totalling", "the", "pay",
	}
	damagesOf = []string{
		"damages in the amount of", "damages in an amount of", "damages in the sum of", "damages of",
		"damages totaling", "damages totalling", "damages in the total amount of", "damages amounting to", "damages",
		"damages:",
	}
)

// holdsAny reports whether one of the words begins a word of s.
func holdsAny(s string, words ...string) bool {
	for _, w := range words {
		for from := 0; ; {
			at := strings.Index(s[from:], w)
			if at < 0 {
				break
			}
			if !wordBefore(s, from+at) {
				return true
			}
			from += at + 1
		}
	}

	return false
}

// endsAny reports whether s ends with one of the words.
func endsAny(s string, words ...string) bool {
	for _, w := range words {
		if strings.HasSuffix(s, w) && !wordBefore(s, len(s)-len(w)) {
			return true
		}
	}

	return false
}

// Controversy returns the sum at stake among demands: the largest of the plainest. ok is false when nothing is
// demanded.
func Controversy(demands []Demand) (at int, ok bool) {
	for i, d := range demands {
		best := demands[at]
		// A plain demand counts more than a larger sum of which it is only said that it is exceeded.
		if i > 0 && (d.Strength > best.Strength || d.Strength == best.Strength && d.Cents > best.Cents) {
			at = i
		}
	}

	return at, len(demands) > 0
}
