// Package complexity turns what is known of a case into a tier, by rubric 2026.1: ten features, 100 points, and an
// arithmetic that anybody can check. It reads nothing and guesses nothing; the same features give the same evaluation
// byte for byte.
package complexity

import (
	"fmt"
	"slices"

	"github.com/subrosa-legal/subrosa/pkg/api"
)

// RubricVersion names the features, points and usual cut points.
const RubricVersion = "2026.1"

// Cuts are the cut points: a score below the first is tier 1, and so on. A tenant may move them, and nothing else of
// the rubric.
type Cuts [3]float64

// Usual returns the cut points of the rubric.
func Usual() Cuts { return Cuts{20, 40, 60} }

// CutsAt returns the cut points at three rising numbers, the usual ones for anything else.
func CutsAt(points []int) Cuts {
	// Settings are checked when they are saved. A stored value of another form must not stop an evaluation.
	if len(points) != len(Cuts{}) || !slices.IsSorted(points) {
		return Usual()
	}

	var c Cuts
	for i, p := range points {
		c[i] = float64(p)
	}

	return c
}

// Version names the rubric, with its cut points when they are not the usual ones.
func (c Cuts) Version() string {
	if c == Usual() {
		return RubricVersion
	}

	return fmt.Sprintf("%s (cut points %g, %g, %g)", RubricVersion, c[0], c[1], c[2])
}

// What a value rests on.
const (
	Given     = "given"     // a field of the case
	Extracted = "extracted" // a passage of a file
	Computed  = "computed"  // counted or calculated from files
	Unknown   = "unknown"   // nothing says
)

// The features, in the order of the rubric.
const (
	Parties      = "parties"
	Claims       = "claims"
	AmountAtRisk = "amount"
	Volume       = "volume"
	Authority    = "authority"
	Forum        = "forum"
	Time         = "time"
	Type         = "type"
	Stakes       = "stakes"
	Coordination = "coordination"
)

// The tiers.
const (
	Routine     = 1
	Standard    = 2
	Complex     = 3
	Exceptional = 4
)

// TierName returns the name of a tier, "unrated" for nil.
func TierName(tier *int) string {
	if tier == nil {
		return "unrated"
	}

	return [...]string{"routine", "standard", "complex", "exceptional"}[*tier-1]
}

const (
	unknownShare = 0.25 // of its maximum, that an unknown feature counts in the score
	leastKnown   = 40   // sum of known maxima below which there is no tier
	urgentDays   = 7
)

// Evaluate rates the features.
func (c Cuts) Evaluate(f Features) api.Evaluation {
	factors := rate(f)
	low, score, high := sums(factors)
	e := api.Evaluation{
		Score: score, Range: [2]float64{low, high}, KnownWeight: knownWeight(factors), RubricVersion: c.Version(),
		Urgent: f.urgent(), Breakdown: factors, Floors: []string{}, Missing: []string{}, Questions: []string{},
		Suggested: api.Suggestions{NextSteps: []string{}},
	}
	e.Confidence = c.confidence(low, high)
	lowest := 0

	for _, floor := range floors(f) {
		e.Floors = append(e.Floors, floor.text)
		lowest = max(lowest, floor.tier)
	}
	// On less than that, a tier would rest on guesses.
	if e.KnownWeight >= leastKnown {
		tier := max(lowest, c.tierOf(score))
		e.Tier = &tier
	}
	e.TierName = TierName(e.Tier)

	for _, factor := range factors {
		if factor.Basis == Unknown {
			e.Missing = append(e.Missing, factor.Feature)
		}
	}

	for _, s := range c.Swings(f) {
		e.Questions = append(e.Questions, s.Question)
	}

	return e
}

func (c Cuts) tierOf(score float64) int {
	tier := Routine

	for _, cut := range c {
		if score >= cut {
			tier++
		}
	}

	return tier
}

// Gap returns the points that are missing to the next tier, and that tier. ok is false in the highest one.
func (c Cuts) Gap(score float64) (points float64, tier int, ok bool) {
	for i, cut := range c {
		if score < cut {
			return cut - score, i + 2, true
		}
	}

	return 0, 0, false
}

// Surplus returns the points by which a score lies above the lowest of its tier. ok is false in the lowest tier.
func (c Cuts) Surplus(score float64) (points float64, ok bool) {
	for _, cut := range c {
		if score >= cut {
			points, ok = score-cut, true
		}
	}

	return points, ok
}

// sums returns the score with unknown features at nothing, at their share and at their maximum.
func sums(factors []api.Factor) (low, score, high float64) {
	for _, f := range factors {
		score += f.Points
		if f.Basis == Unknown {
			high += float64(f.Max)
			continue
		}
		low += f.Points
		high += f.Points
	}

	return low, score, high
}

func knownWeight(factors []api.Factor) int {
	n := 0

	for _, f := range factors {
		if f.Basis != Unknown {
			n += f.Max
		}
	}

	return n
}

// confidence says in how many tiers the score may lie; floors do not enter into it.
func (c Cuts) confidence(low, high float64) string {
	switch c.tierOf(high) - c.tierOf(low) {
	case 0:
		return "high"
	case 1:
		return "medium"
	}

	return "low"
}

// floor is a lowest tier with its reason.
type floor struct {
	tier int
	text string
}

func floors(f Features) []floor {
	var list []floor
	if f.Type.has(ClassOrMass) {
		list = append(list, floor{
			Complex, "A class action, multidistrict litigation or mass tort is at least tier 3 (complex).",
		})
	}
	if f.Stakes.has(Custody) || f.Stakes.has(Immigration) || f.Stakes.has(Liberty) || f.Stakes.has(Safety) {
		list = append(list, floor{
			Standard, "Custody, immigration, liberty or safety at stake is at least tier 2 (standard).",
		})
	}
	if f.urgent() {
		list = append(list, floor{Standard, "An open deadline within 7 days is at least tier 2 (standard) and urgent."})
	}

	return list
}

// Swing says how far one unknown feature alone could move the tier.
type Swing struct {
	Feature   string
	Question  string // that would settle it
	Low, High int    // tiers with the feature at nothing and at its maximum, all else as it stands
}

// Swings returns the unknown features, first those that could move the tier most.
func (c Cuts) Swings(f Features) []Swing {
	factors := rate(f)
	_, score, _ := sums(factors)

	lowest := 0
	for _, floor := range floors(f) {
		lowest = max(lowest, floor.tier)
	}
	var list []Swing
	weight := map[string]int{}

	for _, factor := range factors {
		if factor.Basis != Unknown {
			continue
		}
		most := float64(factor.Max)
		// The share of the unknown feature comes off, so that it counts from nothing to its maximum.
		rest := score - factor.Points
		list = append(list, Swing{
			Feature: factor.Feature, Question: question(factor.Feature),
			Low: max(lowest, c.tierOf(rest)), High: max(lowest, ceilingFloor(factor.Feature), c.tierOf(rest+most)),
		})
		weight[factor.Feature] = factor.Max
	}
	slices.SortStableFunc(list, func(a, b Swing) int {
		if d := (b.High - b.Low) - (a.High - a.Low); d != 0 {
			return d
		}

		return weight[b.Feature] - weight[a.Feature]
	})

	return list
}

// ceilingFloor is the highest floor that a feature could bring.
func ceilingFloor(feature string) int {
	switch feature {
	case Type:
		return Complex
	case Stakes, Time:
		return Standard
	}

	// The other features bring no floor, whatever is found out about them.
	return 0
}
