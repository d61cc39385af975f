package complexity_test

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/complexity"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"pgregory.net/rapid"
)

const unknown = math.MinInt

// profile is one row of the calibration table: what is known of a case, unknown standing for a question mark.
type profile struct {
	name                                                           string
	parties, claims, dollars, pages, authority                     int
	forum                                                          []string
	days                                                           int
	kinds, stakes, coordination                                    []string
	unknownForum, unknownKinds, unknownStakes, unknownCoordination bool
}

func count(n int) complexity.Count {
	if n == unknown {
		return complexity.Count{}
	}

	return complexity.Count{Known: true, N: n, Evidence: complexity.Evidence{Basis: complexity.Given}}
}

func marks(absent bool, kinds []string) complexity.Marks {
	m := complexity.Marks{Known: !absent}
	for _, k := range kinds {
		m.Have = append(m.Have, complexity.Mark{Kind: k, Evidence: complexity.Evidence{Basis: complexity.Given}})
	}

	return m
}

func (p profile) features() complexity.Features {
	f := complexity.Features{
		Parties: count(p.parties), Claims: count(p.claims), Pages: count(p.pages), Authority: count(p.authority), Days: count(p.days),
		Forum: marks(p.unknownForum, p.forum), Type: marks(p.unknownKinds, p.kinds), Stakes: marks(p.unknownStakes, p.stakes),
		Coordination: marks(p.unknownCoordination, p.coordination),
	}
	if p.dollars != unknown {
		f.Amount = complexity.Amount{Known: true, Cents: int64(p.dollars) * 100, Evidence: complexity.Evidence{Basis: complexity.Given}}
	}

	return f
}

func list(kinds ...string) []string { return kinds }

// TestCalibration holds the rubric to the calibration table of the design: every row of it.
func TestCalibration(t *testing.T) {
	money := list(complexity.Money)

	federal := list(complexity.Federal)
	for _, tc := range []struct {
		profile
		score, low, high float64
		tier             int // 0: unrated
		urgent           bool
		floors           int
		confidence       string
	}{
		{profile{name: "small-claims debt", parties: 2, claims: 1, dollars: 3_000, pages: 6, days: 25, stakes: money}, 4, 4, 4, 1, false, 0, "high"},
		{profile{name: "uncontested divorce", parties: 2, claims: 1, dollars: 40_000, pages: 40, authority: 1, days: 90, stakes: money}, 4, 4, 4, 1, false, 0, "high"},
		{profile{name: "NDA review", parties: 2, dollars: unknown, pages: 8, days: 10, stakes: money}, 8.5, 6, 16, 1, false, 0, "high"},
		{profile{name: "lawnmower complaint", parties: 2, claims: 1, dollars: 80_000, pages: 1, authority: 1, forum: federal, days: 21, stakes: money}, 11, 11, 11, 1, false, 0, "high"},
		{profile{name: "eviction, answer due", parties: 2, claims: 1, dollars: 4_200, pages: 18, authority: 2, days: 5, stakes: list(complexity.Housing)}, 12, 12, 12, 2, true, 1, "high"},
		{profile{name: "Richman v. cemetery", parties: 2, claims: 2, dollars: 75_000, pages: 3, authority: 2, forum: federal, days: 21, stakes: money}, 14, 14, 14, 1, false, 0, "high"},
		{profile{name: "Deutsch v. Schoelkopf", parties: 5, claims: 8, dollars: 600_000, pages: 90, authority: 8, forum: federal, days: 21, stakes: money}, 34, 34, 34, 2, false, 0, "high"},
		{profile{name: "contested custody", parties: 4, claims: 3, dollars: unknown, pages: 160, authority: 6, days: 30, kinds: list(complexity.Expert), stakes: list(complexity.Custody), coordination: list(complexity.Witnesses)}, 34.5, 32, 42, 2, false, 1, "medium"},
		{profile{name: "non-compete TRO", parties: 3, claims: 3, dollars: 250_000, pages: 60, authority: 12, forum: federal, days: 7, kinds: list(complexity.Injunction), stakes: list(complexity.Employment)}, 35, 35, 35, 2, true, 1, "high"},
		{profile{name: "Twombly", parties: 6, claims: 1, dollars: unknown, pages: 14, authority: 20, forum: list(complexity.Federal, complexity.Multiple), days: 60, kinds: list(complexity.ClassOrMass, complexity.Provisional), stakes: money, coordination: list(complexity.Related)}, 39.5, 37, 47, 3, false, 1, "medium"},
		{profile{name: "asylum merits hearing", parties: 2, claims: 3, dollars: unknown, pages: 600, authority: 30, forum: list(complexity.Agency, complexity.Foreign), days: 40, kinds: list(complexity.Expert), stakes: list(complexity.Immigration), coordination: list(complexity.Translation)}, 44.5, 42, 52, 3, false, 1, "high"},
		{profile{name: "Iqbal, 1st amended", parties: 36, claims: 21, dollars: unknown, pages: 54, authority: 15, forum: federal, days: 21, stakes: list(complexity.CivilRights), coordination: list(complexity.Related)}, 47.5, 45, 55, 3, false, 0, "high"},
		{profile{name: "med-mal, one plaintiff", parties: 6, claims: 4, dollars: 2_000_000, pages: 1_800, authority: 20, days: 45, kinds: list(complexity.Expert, complexity.Provisional), stakes: money, coordination: list(complexity.Witnesses)}, 49, 49, 49, 3, false, 0, "high"},
		{profile{name: "Sines v. Kessler", parties: 35, claims: 8, dollars: unknown, pages: 100, authority: 60, forum: list(complexity.Federal, complexity.Multiple), days: 21, kinds: list(complexity.Injunction), stakes: list(complexity.CivilRights), coordination: list(complexity.Related, complexity.Witnesses, complexity.Criminal)}, 67.5, 65, 75, 4, false, 0, "high"},
		{profile{name: "empty new case", parties: unknown, claims: unknown, dollars: unknown, pages: unknown, authority: unknown, days: unknown, unknownForum: true, unknownKinds: true, unknownStakes: true, unknownCoordination: true}, 25, 0, 100, 0, false, 0, "low"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := complexity.Usual().Evaluate(tc.features())
			tier := 0
			if got.Tier != nil {
				tier = *got.Tier
			}
			if got.Score != tc.score || got.Range != [2]float64{tc.low, tc.high} || tier != tc.tier {
				t.Errorf("score %v range %v tier %d, want %v [%v %v] %d", got.Score, got.Range, tier, tc.score, tc.low, tc.high, tc.tier)
			}
			if got.Urgent != tc.urgent || len(got.Floors) != tc.floors || got.Confidence != tc.confidence {
				t.Errorf("urgent %v floors %q confidence %s, want %v, %d, %s", got.Urgent, got.Floors, got.Confidence, tc.urgent, tc.floors, tc.confidence)
			}
		})
	}
}

func TestEdgesOfSteps(t *testing.T) {
	for _, tc := range []struct {
		name, feature string
		features      complexity.Features
		want          float64
	}{
		{"2 parties", complexity.Parties, complexity.Features{Parties: count(2)}, 0},
		{"3 parties", complexity.Parties, complexity.Features{Parties: count(3)}, 3},
		{"8 parties", complexity.Parties, complexity.Features{Parties: count(8)}, 6},
		{"9 parties", complexity.Parties, complexity.Features{Parties: count(9)}, 10},
		{"19 parties", complexity.Parties, complexity.Features{Parties: count(19)}, 10},
		{"20 parties", complexity.Parties, complexity.Features{Parties: count(20)}, 14},
		{"no claim", complexity.Claims, complexity.Features{Claims: count(0)}, 0},
		{"3 claims", complexity.Claims, complexity.Features{Claims: count(3)}, 3},
		{"7 claims", complexity.Claims, complexity.Features{Claims: count(7)}, 10},
		{"a cent below 10,000", complexity.AmountAtRisk, complexity.Features{Amount: complexity.Amount{Known: true, Cents: 999_999}}, 0},
		{"10,000", complexity.AmountAtRisk, complexity.Features{Amount: complexity.Amount{Known: true, Cents: 1_000_000}}, 2},
		{"half a million", complexity.AmountAtRisk, complexity.Features{Amount: complexity.Amount{Known: true, Cents: 50_000_000}}, 7},
		{"5 million", complexity.AmountAtRisk, complexity.Features{Amount: complexity.Amount{Known: true, Cents: 500_000_000}}, 10},
		{"24 pages", complexity.Volume, complexity.Features{Pages: count(24)}, 0},
		{"2,499 pages", complexity.Volume, complexity.Features{Pages: count(2_499)}, 8},
		{"2,500 pages", complexity.Volume, complexity.Features{Pages: count(2_500)}, 10},
		{"14 authorities", complexity.Authority, complexity.Features{Authority: count(14)}, 2},
		{"40 authorities", complexity.Authority, complexity.Features{Authority: count(40)}, 8},
		{"61 days", complexity.Time, complexity.Features{Days: count(61)}, 0},
		{"60 days", complexity.Time, complexity.Features{Days: count(60)}, 2},
		{"30 days", complexity.Time, complexity.Features{Days: count(30)}, 4},
		{"14 days", complexity.Time, complexity.Features{Days: count(14)}, 6},
		{"7 days", complexity.Time, complexity.Features{Days: count(7)}, 8},
		{"3 days", complexity.Time, complexity.Features{Days: count(3)}, 10},
		{"today", complexity.Time, complexity.Features{Days: count(0)}, 10},
		{"past", complexity.Time, complexity.Features{Days: count(-4)}, 10},
		{"all of the forum is capped", complexity.Forum, complexity.Features{Forum: marks(false, list(complexity.Federal, complexity.Agency, complexity.Multiple, complexity.Foreign))}, 10},
		{"arbitration", complexity.Forum, complexity.Features{Forum: marks(false, list(complexity.Arbitration))}, 2},
		{"two types", complexity.Type, complexity.Features{Type: marks(false, list(complexity.Appeal, complexity.Expert))}, 9},
		{"a type said twice counts once", complexity.Type, complexity.Features{Type: marks(false, list(complexity.Appeal, complexity.Appeal))}, 7},
		{"types are capped", complexity.Type, complexity.Features{Type: marks(false, list(complexity.ClassOrMass, complexity.Injunction, complexity.Expert))}, 14},
		{"highest stake counts", complexity.Stakes, complexity.Features{Stakes: marks(false, list(complexity.Housing, complexity.Safety))}, 8},
		{"coordination is capped", complexity.Coordination, complexity.Features{Coordination: marks(false, list(complexity.Related, complexity.Criminal))}, 6},
	} {
		t.Run(tc.name, func(t *testing.T) {
			e := complexity.Usual().Evaluate(tc.features)
			i := slices.IndexFunc(e.Breakdown, func(f api.Factor) bool { return f.Feature == tc.feature })
			if got := e.Breakdown[i].Points; got != tc.want {
				t.Errorf("%s: %v points, want %v", tc.feature, got, tc.want)
			}
		})
	}
}

func TestQuestionsBeginWithWhatMovesTheTierMost(t *testing.T) {
	f := profile{parties: 2, claims: 1, dollars: unknown, pages: 30, authority: 0, days: 90, stakes: list(complexity.Money), unknownKinds: true, unknownForum: true}.features()
	got := complexity.Usual().Swings(f)

	var order []string
	for _, s := range got {
		order = append(order, s.Feature)
	}
	if want := list(complexity.Type, complexity.AmountAtRisk, complexity.Forum); !slices.Equal(order, want) {
		t.Errorf("order %q, want %q", order, want)
	}
	if got[0].Low != complexity.Routine || got[0].High != complexity.Complex {
		t.Errorf("type swings from %d to %d, want 1 to 3: a class action is at least complex", got[0].Low, got[0].High)
	}
}

func TestUnratedBelowFortyKnownPoints(t *testing.T) {
	// parties 14, claims 10, amount 10: 34 known points; the stakes make 42.
	f := complexity.Features{Parties: count(2), Claims: count(1), Amount: complexity.Amount{Known: true}}
	e := complexity.Usual().Evaluate(f)
	if e.Tier != nil || e.TierName != "unrated" || e.KnownWeight != 34 {
		t.Errorf("tier %v %s at weight %d, want none at 34", e.Tier, e.TierName, e.KnownWeight)
	}
	f.Stakes = marks(false, list(complexity.Money))
	if e = complexity.Usual().Evaluate(f); e.Tier == nil || e.KnownWeight != 42 {
		t.Errorf("tier %v at weight %d, want one at 42", e.Tier, e.KnownWeight)
	}
}

func drawCount(t *rapid.T, name string, from, to int) complexity.Count {
	if !rapid.Bool().Draw(t, name+" known") {
		return complexity.Count{}
	}

	return count(rapid.IntRange(from, to).Draw(t, name))
}

func drawMarks(t *rapid.T, name string, kinds ...string) complexity.Marks {
	return marks(!rapid.Bool().Draw(t, name+" known"), rapid.SliceOfN(rapid.SampledFrom(kinds), 0, 4).Draw(t, name))
}

func draw(t *rapid.T) complexity.Features {
	f := complexity.Features{
		Parties: drawCount(t, "parties", 0, 40), Claims: drawCount(t, "claims", 0, 25), Pages: drawCount(t, "pages", 0, 4000),
		Authority: drawCount(t, "authority", 0, 80), Days: drawCount(t, "days", -30, 120),
		Forum:        drawMarks(t, "forum", complexity.Federal, complexity.State, complexity.Agency, complexity.Foreign, complexity.Multiple),
		Type:         drawMarks(t, "type", complexity.ClassOrMass, complexity.Provisional, complexity.Injunction, complexity.Appeal, complexity.Expert),
		Stakes:       drawMarks(t, "stakes", complexity.Money, complexity.Custody, complexity.Housing, complexity.Safety),
		Coordination: drawMarks(t, "coordination", complexity.Related, complexity.Witnesses, complexity.Criminal),
	}
	if rapid.Bool().Draw(t, "amount known") {
		f.Amount = complexity.Amount{Known: true, Cents: rapid.Int64Range(0, 1e12).Draw(t, "cents")}
	}

	return f
}

func encoded(t *rapid.T, e api.Evaluation) string {
	b, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}

	return string(b)
}

// TestInvariants wants, of any features: the same bytes every time and in whatever order marks come, points that add up to the score,
// a score within its range, and a tier that no floor contradicts.
func TestInvariants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := draw(t)
		e := complexity.Usual().Evaluate(f)
		turned := f
		turned.Type.Have = slices.Clone(f.Type.Have)
		slices.Reverse(turned.Type.Have)
		turned.Forum.Have = slices.Clone(f.Forum.Have)
		slices.Reverse(turned.Forum.Have)
		if diff := cmp.Diff(encoded(t, e), encoded(t, complexity.Usual().Evaluate(turned))); diff != "" {
			t.Fatalf("the order of marks changes the evaluation:\n%s", diff)
		}

		sum, most, knownWeight := 0.0, 0, 0
		for _, factor := range e.Breakdown {
			sum += factor.Points
			most += factor.Max
			if factor.Points < 0 || factor.Points > float64(factor.Max) {
				t.Fatalf("%s has %v of %d points", factor.Feature, factor.Points, factor.Max)
			}
			if factor.Basis != complexity.Unknown {
				knownWeight += factor.Max
			}
		}
		if sum != e.Score || most != 100 || len(e.Breakdown) != 10 {
			t.Fatalf("points add up to %v of %d in %d features, the score is %v", sum, most, len(e.Breakdown), e.Score)
		}
		if e.Range[0] > e.Score || e.Score > e.Range[1] || e.KnownWeight != knownWeight {
			t.Fatalf("score %v, range %v, known weight %d; want %d", e.Score, e.Range, e.KnownWeight, knownWeight)
		}
		if (e.Tier == nil) != (knownWeight < 40) {
			t.Fatalf("tier %v at known weight %d", e.Tier, knownWeight)
		}
		if e.Tier != nil && e.Urgent && *e.Tier < complexity.Standard {
			t.Fatalf("urgent in tier %d", *e.Tier)
		}
		if len(e.Questions) != len(e.Missing) {
			t.Fatalf("%d questions for %d missing features", len(e.Questions), len(e.Missing))
		}
	})
}

// TestMoreIsNeverSimpler wants that a higher count never lowers the score.
func TestMoreIsNeverSimpler(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := draw(t)
		f.Parties, f.Pages = count(rapid.IntRange(0, 40).Draw(t, "p")), count(rapid.IntRange(0, 4000).Draw(t, "v"))
		more := f
		more.Parties.N += rapid.IntRange(0, 20).Draw(t, "more parties")
		more.Pages.N += rapid.IntRange(0, 2000).Draw(t, "more pages")
		if a, b := complexity.Usual().Evaluate(f).Score, complexity.Usual().Evaluate(more).Score; b < a {
			t.Fatalf("score falls from %v to %v", a, b)
		}
	})
}

func TestDollars(t *testing.T) {
	for _, tc := range []struct {
		cents int64
		want  string
	}{
		{0, "0.00 USD"}, {5, "0.05 USD"}, {99_999, "999.99 USD"}, {100_000, "1,000.00 USD"}, {123_456_789_00, "123,456,789.00 USD"}, {-2_50, "-2.50 USD"},
	} {
		if got := complexity.Dollars(tc.cents); got != tc.want {
			t.Errorf("Dollars(%d) = %q, want %q", tc.cents, got, tc.want)
		}
	}
}

func TestGap(t *testing.T) {
	for _, tc := range []struct {
		score, points float64
		tier          int
		ok            bool
	}{{0, 20, 2, true}, {19.75, 0.25, 2, true}, {20, 20, 3, true}, {59, 1, 4, true}, {60, 0, 0, false}} {
		points, tier, ok := complexity.Usual().Gap(tc.score)
		if points != tc.points || tier != tc.tier || ok != tc.ok {
			t.Errorf("Gap(%v) = %v %d %v, want %v %d %v", tc.score, points, tier, ok, tc.points, tc.tier, tc.ok)
		}
	}
}

func TestCutPointsOfATenant(t *testing.T) {
	f := complexity.Features{
		Parties: count(2), Claims: count(1), Pages: count(30), Authority: count(40), Days: count(20), Amount: complexity.Amount{Known: true, Cents: 1_000_000},
	}
	usual := complexity.Usual().Evaluate(f)

	score := int(usual.Score) // the cut points lie around it
	for _, tc := range []struct {
		name    string
		points  []int
		tier    int
		version string
	}{
		{"usual", []int{20, 40, 60}, *usual.Tier, "2026.1"},
		{"none", nil, *usual.Tier, "2026.1"},
		{"above", []int{score + 1, 90, 95}, 1, fmt.Sprintf("2026.1 (cut points %d, 90, 95)", score+1)},
		{"met", []int{score, 90, 95}, 2, fmt.Sprintf("2026.1 (cut points %d, 90, 95)", score)},
		{"all below", []int{1, 2, 3}, 4, "2026.1 (cut points 1, 2, 3)"},
	} {
		e := complexity.CutsAt(tc.points).Evaluate(f)
		if e.Tier == nil || *e.Tier != tc.tier || e.RubricVersion != tc.version || e.Score != usual.Score {
			t.Errorf("%s: tier %v, rubric %s, score %v; want %d, %s, %v", tc.name, e.TierName, e.RubricVersion, e.Score, tc.tier, tc.version, usual.Score)
		}
	}
}
