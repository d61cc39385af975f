package facts_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/facts"
)

// TestSumsByTheirClause has sentences with several sums, each of which is for what its own clause says.
func TestSumsByTheirClause(t *testing.T) {
	for text, want := range map[string][]string{
		"Tenant pays base rent of $2,400 a month, a security deposit of $4,800 and a late charge of $75.": {"payment " +
			"base rent", "payment security deposit", "penalty late charge"},
		"Liquidated damages of $5,000 apply; the purchase price is $1,000,000.": {"penalty " +
			"liquidated damages", "payment purchase price"},
		"The purchase price is $4,000,000, of which $400,000 is held in escrow.": {"payment " +
			"purchase price", "other escrow"},
		"Buyer shall pay $250,000 as earnest money.": {"payment " +
			"earnest money"},
		"Liability shall not exceed $50,000; fees of $3,000 are due on signing.": {
			"cap ",
			"fee fee",
		},
		"A salary of $90,000 and a bonus of up to $10,000 are agreed.": {"payment " +
			"salary", "cap bonus"},
		"Plaintiff demands judgment for $75,000.": {"demand " +
			"judgment"},
		"The sky was blue and $3 lay on the street.": {"other "},
	} {
		t.Run(text, func(t *testing.T) {
			var got []string

			for _, a := range facts.Amounts(text) {
				name, role := a.NameAndRoleIn(text)
				got = append(got, fmt.Sprint(role, " ", name))
			}
			if !slices.Equal(got, want) {
				t.Errorf("%q, want %q", got, want)
			}
		})
	}
}

func TestHeadlines(t *testing.T) {
	for text, want := range map[string]bool{
		"COUNT I: BREACH OF CONTRACT": true, "## Negligence": true, "Breach of Contract": true,
		"Count Two – Unjust Enrichment": true, "Article 4 Payment of the price": true,
		"[Party 2] broke the contract.": false, "The defendant owed a duty of care": false, "Rent | $500 | paid": false,
		"BREACH IS ADMITTED.": false,
	} {
		if got := facts.Headline(text); got != want {
			t.Errorf("%q is a heading: %v", text, got)
		}
	}
}
