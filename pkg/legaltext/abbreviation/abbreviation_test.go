package abbreviation_test

import (
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/legaltext/abbreviation"
)

func TestIs(t *testing.T) {
	for text, want := range map[string]bool{
		"under Cal|. Civ. Code":        true,
		"CASE NO|. 12-345":             true,
		"see no|. 5 of the complaint":  true,
		"See No|. CV-12":               true,
		"the answer is no|. The court": false,
		"the state of the art|. It":    false,
		"by Oak Inc|. The seller":      true,
		"on 3 Sept|. 2026":             true,
		"the case is ill|. It was":     false,
		"the lease ended|. 5 days":     false,
		"|. R. Civ. P. 12":             false,
	} {
		before, next, _ := strings.Cut(text, "|.")
		if got := abbreviation.Is(before[strings.LastIndexByte(before, ' ')+1:], next); got != want {
			t.Errorf("Is in %q = %v, want %v", text, got, want)
		}
	}
}
