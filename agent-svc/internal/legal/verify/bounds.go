package verify

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/facts"
)

// Sides of a bound.
const (
	ceiling = 1 << iota
	floor
)

// boundWords say on which side of the number behind them something lies, in the wording of plain.
var boundWords = map[string]int{
	"most": ceiling, "maximum": ceiling, "less": ceiling, "fewer": ceiling, "below": ceiling, "under": ceiling,
	"least": floor, "minimum": floor, "more": floor, "greater": floor, "longer": floor, "higher": floor, "over": floor,
	"above": floor, "exceed": floor, "exceeds": floor, "exceeding": floor, "exceeded": floor,
}

const boundReach = 3 // words behind that of a bound in which its number stands

// bounds returns the sides of the bounds of each number of a text.
func bounds(words []string) map[string]int {
	sides := map[string]int{}

	for i, w := range words {
		side, ok := boundWords[w]
		if !ok {
			continue
		}

		for _, next := range words[i+1 : min(len(words), i+1+boundReach)] {
			if n, ok := value(next); ok {
				// "not less than 5 and not more than 5" bounds one number on both sides.
				sides[n] |= side
				break
			}
		}
	}

	return sides
}

// value returns a number in digits that stands in digits or as a word.
func value(word string) (string, bool) {
	if isDigit(word[0]) {
		return word, true
	}
	n, ok := facts.NumberWord(word)

	return strconv.Itoa(n), ok
}

// figure is a number and what it is a number of.
type figure struct{ digits, kind string }

// figures returns the days, sums and counts of units of a text.
func figures(text string) []figure {
	var list []figure

	for _, d := range facts.Dates(text) {
		if d.Day > 0 {
			list = append(list, figure{fmt.Sprintf("%d-%d-%d", d.Year, d.Month, d.Day), "date"})
		}
	}

	for _, a := range facts.Amounts(text) {
		list = append(list, figure{strconv.FormatInt(a.Cents, 10), a.Currency})
	}

	for _, c := range countsIn(text) {
		n, unit, _ := strings.Cut(c.key, " ")
		list = append(list, figure{n, unit})
	}

	return list
}

// figures returns those of a statement, which it reads once.
func (s *statement) figures() []figure {
	if !s.read {
		s.given, s.read = figures(s.text), true
	}

	return s.given
}

// outOfBounds reports whether a text has a number as a bound on one side that the other text has on the other side.
func outOfBounds(said, source []string) bool {
	stated := bounds(source)

	for n, side := range bounds(said) {
		// A number that only one of the two bounds may be exact in the other.
		if other := stated[n]; other != 0 && side&other == 0 {
			return true
		}
	}

	return false
}
