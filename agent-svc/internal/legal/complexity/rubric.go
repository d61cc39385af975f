package complexity

import (
	"fmt"
	"slices"
	"strings"

	"github.com/subrosa-legal/subrosa/pkg/api"
)

// step gives points from a value on.
type step struct {
	from   int64
	points float64
}

// climb returns the points of the highest step that n reaches.
func climb(n int64, steps ...step) float64 {
	points := 0.0

	for _, s := range steps {
		if n >= s.from {
			points = s.points
		}
	}

	return points
}

const dollar = 100 // cents

// rate gives every feature its points, in the order of the rubric.
func rate(f Features) []api.Factor {
	list := []api.Factor{
		counted(Parties, 14, f.Parties, "party", "parties", step{3, 3}, step{5, 6}, step{9, 10}, step{20, 14}),
		counted(Claims, 10, f.Claims, "claim or issue", "claims or issues", step{2, 3}, step{4, 6}, step{7, 10}),
		amount(f.Amount),
		counted(Volume, 10, f.Pages, "page", "pages", step{25, 2}, step{100, 5}, step{500, 8}, step{2500, 10}),
		counted(
			Authority, 8, f.Authority, "case or statute cited", "cases and statutes cited",
			step{5, 2}, step{15, 5}, step{40, 8},
		),
		summed(Forum, 10, f.Forum, forumPoints()),
		days(f.Days),
		kind(f.Type),
		highest(Stakes, 8, f.Stakes, stakesPoints()),
		summed(Coordination, 6, f.Coordination, coordinationPoints()),
	}

	return list
}

func unknown(feature string, most int) api.Factor {
	return api.Factor{
		Feature: feature,
		Value:   Unknown,
		Points:  float64(most) * unknownShare,
		Max:     most,
		Basis:   Unknown,
		Sources: []api.SourceRef{},
	}
}

func known(feature string, most int, points float64, value string, e Evidence) api.Factor {
	return api.Factor{
		Feature: feature,
		Value:   value,
		Points:  min(points, float64(most)),
		Max:     most,
		Basis:   basisOf(e.Basis),
		Sources: append([]api.SourceRef{}, e.Sources...),
	}
}

func basisOf(basis string) string {
	if basis == "" {
		return Computed
	}

	return basis
}

func counted(feature string, most int, c Count, one, many string, steps ...step) api.Factor {
	if !c.Known {
		return unknown(feature, most)
	}

	return known(feature, most, climb(int64(c.N), steps...), number(c.N, one, many), c.Evidence)
}

func number(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}

	return fmt.Sprintf("%d %s", n, many)
}

func amount(a Amount) api.Factor {
	const most = 10
	if !a.Known {
		return unknown(AmountAtRisk, most)
	}
	points := climb(
		a.Cents,
		step{10_000 * dollar, 2}, step{75_000 * dollar, 4}, step{500_000 * dollar, 7}, step{5_000_000 * dollar, 10},
	)

	return known(AmountAtRisk, most, points, Dollars(a.Cents), a.Evidence)
}

// Dollars writes cents as "1,250.50 USD".
func Dollars(cents int64) string { return Grouped(cents) + " USD" }

// Grouped writes hundredths with commas, as "1,250.50".
func Grouped(cents int64) string {
	sign := ""
	if cents < 0 {
		sign, cents = "-", -cents
	}

	whole := fmt.Sprint(cents / dollar)
	// From the right, so that the places further left stay true.
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}

	return fmt.Sprintf("%s%s.%02d", sign, whole, cents%dollar)
}

func days(c Count) api.Factor {
	const most = 10
	if !c.Known {
		return unknown(Time, most)
	}
	value := number(c.N, "day to the nearest open deadline", "days to the nearest open deadline")
	points := 10.0

	switch {
	case c.N < 0:
		value = "the nearest open deadline is past by " + number(-c.N, "day", "days")
	case c.N == 0:
		value = "the nearest open deadline is today"
	default:
		// The nearer the deadline, the more points: each step away takes some off.
		points -= climb(int64(c.N), step{4, 2}, step{8, 4}, step{15, 6}, step{31, 8}, step{61, 10})
	}

	return known(Time, most, points, value, c.Evidence)
}

// worth is what a mark counts, and how it is called.
type worth struct {
	kind   string
	points float64
	words  string
}

func forumPoints() []worth {
	return []worth{
		{Federal, 3, "federal court"},
		{State, 0, "state court"},
		{Agency, 3, "agency"},
		{Tribal, 3, "tribal court"},
		{Arbitration, 2, "arbitration"},
		{Multiple, 4, "more than one jurisdiction"},
		{Foreign, 5, "foreign law or party"},
		{NoForum, 0, "no forum"},
	}
}

func typePoints() []worth {
	return []worth{
		{ClassOrMass, 14, "class action, multidistrict litigation or mass tort"},
		{Provisional, 10, "provisionally complex subject"},
		{Injunction, 7, "injunction or restraining order"},
		{Appeal, 7, "appeal"},
		{Expert, 6, "driven by experts"},
	}
}

func stakesPoints() []worth {
	return []worth{
		{Immigration, 8, "immigration"},
		{Liberty, 8, "liberty"},
		{Safety, 8, "safety"},
		{Custody, 6, "custody"},
		{Housing, 4, "housing"},
		{Benefits, 4, "benefits"},
		{CivilRights, 4, "civil rights"},
		{Employment, 3, "employment"},
		{Money, 0, "money"},
		{Reputation, 0, "reputation"},
	}
}

func coordinationPoints() []worth {
	return []worth{
		{Related, 3, "related action"},
		{Witnesses, 3, "ten or more witnesses"},
		{Criminal, 4, "parallel criminal matter"},
		{Translation, 2, "translation needed"},
	}
}

func summed(feature string, most int, m Marks, table []worth) api.Factor {
	if !m.Known {
		return unknown(feature, most)
	}
	found, evidence := m.in(table)

	points := 0.0
	for _, w := range found {
		points += w.points
	}

	return known(feature, most, points, inWords(found), evidence)
}

func highest(feature string, most int, m Marks, table []worth) api.Factor {
	if !m.Known {
		return unknown(feature, most)
	}
	found, evidence := m.in(table)

	points := 0.0
	for _, w := range found {
		points = max(points, w.points)
	}

	return known(feature, most, points, inWords(found), evidence)
}

// kind rates the type: the highest, and two points for each further one.
func kind(m Marks) api.Factor {
	const most, further = 14, 2
	if !m.Known {
		return unknown(Type, most)
	}
	found, evidence := m.in(typePoints())

	points := 0.0
	for _, w := range found {
		points = max(points, w.points)
	}
	points += further * float64(max(0, len(found)-1))

	return known(Type, most, points, inWords(found), evidence)
}

// in returns what the set has of a table, each kind once and in the table's order, with all its sources. It is given if
// a field of the case says any of it.
func (m Marks) in(table []worth) ([]worth, Evidence) {
	evidence := Evidence{Basis: Computed}
	var found []worth

	// The order of the table makes the same features give the same answer byte for byte.
	for _, w := range table {
		var details []string
		has := false

		for _, mark := range m.Have {
			if mark.Kind != w.kind {
				continue
			}
			has = true
			evidence.Sources = append(evidence.Sources, mark.Sources...)
			evidence.Basis = firmer(evidence.Basis, mark.Basis)
			if mark.Detail != "" && !slices.Contains(details, mark.Detail) {
				details = append(details, mark.Detail)
			}
		}
		if has {
			// Details come in the order of the files, which says nothing.
			slices.Sort(details)
			if len(details) > 0 {
				w.words += " (" + strings.Join(details, ", ") + ")"
			}
			found = append(found, w)
		}
	}

	return found, evidence
}

// firmer returns what says more of two bases: given, then extracted, then computed.
func firmer(a, b string) string {
	for _, basis := range []string{Given, Extracted} {
		if a == basis || b == basis {
			return basis
		}
	}

	return Computed
}

func inWords(found []worth) string {
	if len(found) == 0 {
		return "none found"
	}

	words := make([]string, len(found))
	for i, w := range found {
		words[i] = w.words
	}

	return strings.Join(words, "; ")
}

// question asks for what would settle an unknown feature.
func question(feature string) string {
	switch feature {
	case Parties:
		return "Which parties are there? Give each a record or a label."
	case Claims:
		return "Which claims or contract issues are raised? Add the pleading or the notice that raises them."
	case AmountAtRisk:
		return "What sum is demanded, and in which document does the demand stand?"
	case Volume:
		return "How many pages of documents are there? Add them as readable files."
	case Authority:
		return "Which cases and statutes do the parties rely on? Add a pleading or brief that cites them."
	case Forum:
		return "In which court, agency or arbitration is the matter heard, if in any?"
	case Time:
		return "What is the nearest open deadline?"
	case Type:
		return "Is it a class action, an injunction, an appeal, a matter for experts, " +
			"or a subject such as antitrust, securities or patents?"
	case Stakes:
		return "What is at stake: money, housing, employment, benefits, custody, civil rights, immigration, " +
			"liberty, safety or reputation?"
	default:
		return "Is there a related action, a parallel criminal matter, a need for translation, " +
			"or are there ten witnesses or more?"
	}
}
