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

func TestIsInClaim(t *testing.T) {
	for text, want := range map[string]bool{
		// what is counted
		"As art|. IV of the lease says":     true,
		"As ex|. A shows":                   true,
		"As app|. B to the lease says":      true,
		"As sec|. IV says":                  true,
		"As no|. A-1 of the list says":      true,
		"As no|. 5 of the list says":        true,
		"As No|. A of the list says":        true,
		"As no|. A of the list says":        true,
		"As sec|. “Rent” of the lease says": true,
		"As SEC|. IV says":                  true,
		"As paras|. 4 and 5 say":            true,
		"As Arts|. 4 and 5 say":             true,

		"As sec|. Rent of the lease says": true,
		"As art|. Four of the lease says": true,

		// a citation that goes on
		"Under fed|. R. Civ. P. 6":        true,
		"Under Cal|. Civ. Code § 5":       true,
		"Under Tex|. Prop. Code § 5":      true,
		"Under Cal|. Code":                true,
		"See 12 Wash|. 2d 345":            true,
		"See 12 Cal|. 4th 345":            true,
		"Under Fed. R. Civ. Proc|. 12(a)": true,
		"by Oak Inc|. The seller":         true,

		// another sentence
		"The landlord teaches arts|. The tenant may":  false,
		"The landlord teaches arts|. 4 tenants may":   false,
		"The rent was waived in Cal|. The rent is":    false,
		"The rent was waived in Cal|. 4 tenants paid": false,
		"The landlord lives in Wash|. He may":         false,
		"The landlord moved to Mass|. The tenant":     false,
		"The court followed the proc|. The rent":      false,
		"It was told of in the rev|. The rent":        false,
		"The answer is no|. The court":                false,
		"The answer is no|. A tenant may":             false,
		"It was paid by the app|. The tenant":         false,
		"It is the state of the art|. It":             false,
		"The case is ill|. It was":                    false,
	} {
		before, next, _ := strings.Cut(text, "|.")
		if got := abbreviation.IsInClaim(before[strings.LastIndexByte(before, ' ')+1:], next); got != want {
			t.Errorf("IsInClaim in %q = %v, want %v", text, got, want)
		}
	}
}
