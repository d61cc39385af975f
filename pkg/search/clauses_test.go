package search_test

import (
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/search"
)

// A clause that is too long for a quote may end in a semicolon, with nothing but space behind that.
func TestALongClauseThatEndsInASemicolon(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 400)

	for _, text := range []string{
		"rent " + long + " " + long + " paid; \n\n12. On",
		"rent " + long + " " + long + " paid;\n\n\n12. On",
		long + " rent; " + long + " paid; \n \n\n12. On",
	} {
		end := 0
		for _, c := range search.Clauses(text) {
			if c[0] < end || c[1] <= c[0] || c[1] > len(text) {
				t.Errorf("of %d characters: a clause from %d to %d behind %d", len(text), c[0], c[1], end)
			}
			end = c[1]
		}
	}
}

// A German ordinal does not end its sentence.
func TestGermanDaysStayInTheirSentence(t *testing.T) {
	t.Parallel()
	text := "Der Jahresbeitrag beträgt vierundachtzig Euro und ist in jedem Jahr am 15. März fällig. " +
		"Mitglied kann auch werden, wer schon das 14. Lebensjahr vollendet hat."

	if n := len(search.Clauses(text)); n != 2 {
		t.Errorf("%d clauses, want 2", n)
	}
}
