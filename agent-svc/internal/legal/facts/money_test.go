package facts_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/facts"
)

func TestAmounts(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		want       []string
	}{
		{"plain", "a fine of $500.", []string{"500.00 USD"}},
		{"thousands and cents", "$1,234,567.89 was", []string{"1234567.89 USD"}},
		{"blank behind the sign", "$ 4,200.00", []string{"4200.00 USD"}},
		{"million", "about $214 million or $1.25-million or $2.5M", []string{"214000000.00 USD", "1250000.00 USD", "2500000.00 USD"}},
		{"billion over a line", "$3\nbillion", []string{"3000000000.00 USD"}},
		{"k", "$75K", []string{"75000.00 USD"}},
		{"other dollars", "CA$50 and A$60 and HK$70", []string{"50.00 CAD", "60.00 AUD", "70.00 HKD"}},
		{"signs", "€1.250,50 and €99 and £2,000", []string{"1250.50 EUR", "99.00 EUR", "2000.00 GBP"}},
		{"code before", "USD 5,000, EUR 1.000.000 and USD $7", []string{"5000.00 USD", "1000000.00 EUR", "7.00 USD"}},
		{"code and word behind", "5,000 USD, 300 dollars, 20 U.S. dollars", []string{"5000.00 USD", "300.00 USD", "20.00 USD"}},
		{"in brackets", "five thousand dollars ($5,000)", []string{"5000.00 USD"}},
		{"range", "$5-$10", []string{"5.00 USD", "10.00 USD"}},
		{"fraction of many digits", "$0.123456789 million", []string{"123456.00 USD"}},
		{"end of sentence", "costs $40. Then", []string{"40.00 USD"}},
		{"comma behind", "paid $1,200, then $30,", []string{"1200.00 USD", "30.00 USD"}},
		{"no number", "$ and $x and USD only and 12 people", nil},
		{"too much to be money", "$99999999999999999 and $99999999999999 billion", nil},
		{"part of a word", "abc$5x A1USD 5", nil},
		{"section and year", "Section 5,000 of 2020", nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var got []string
			for _, a := range facts.Amounts(tc.text) {
				got = append(got, a.Decimal()+" "+a.Currency)
			}
			if !slices.Equal(got, tc.want) {
				t.Errorf("Amounts(%q) = %q, want %q", tc.text, got, tc.want)
			}
		})
	}
}

func TestRolesOfAmounts(t *testing.T) {
	for _, tc := range []struct {
		text string
		want facts.Role
	}{
		{"Tenant shall pay monthly rent of $4,200.", facts.PaymentRole},
		{"a late charge of $150 applies", facts.PenaltyRole},
		{"liability shall not exceed $1,000,000", facts.CapRole},
		{"attorney's fees of $12,000", facts.FeeRole},
		{"demands judgment in the amount of $80,000", facts.DemandRole},
		{"an annual base salary of $185,000", facts.PaymentRole},
		{"$500 per month", facts.PaymentRole},
		{"the carrier reported a loss of $214 million", facts.OtherRole},
		{"The parent had $3 in current assets.", facts.OtherRole},
		{"The fee is waived. The rest, $70, stays.", facts.OtherRole},
	} {
		got := facts.Amounts(tc.text)
		if len(got) != 1 {
			t.Errorf("Amounts(%q) = %+v, want one", tc.text, got)
			continue
		}
		if _, role := got[0].NameAndRoleIn(tc.text); role != tc.want {
			t.Errorf("the role of the sum in %q is %s, want %s", tc.text, role, tc.want)
		}
	}
}

func TestControversy(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		want       string // of the sum at stake; empty for none
	}{
		{"demand of judgment", "WHEREFORE, Plaintiff demands judgment against Defendant for $80,000, plus costs.", "80000.00"},
		{"damages in the amount of", "[Party 1] suffered damages in the amount of $612,400.00.", "612400.00"},
		{"amount in controversy", "The amount in controversy exceeds the sum of $75,000, exclusive of interest.", "75000.00"},
		{"in excess of", "Plaintiff seeks damages in excess of $50,000.", "50000.00"},
		{"demand beats threshold", "The matter in controversy exceeds $75,000. Plaintiff prays for damages of $310,000.", "310000.00"},
		{"largest number is a third party's loss", "The carrier posted a quarterly loss of $214 million. Plaintiff demands judgment in the sum of $90,000.", "90000.00"},
		{"only a third party's loss", "The carrier posted a quarterly loss of $214 million.", ""},
		{"losses in excess are no demand", "It had revenues in excess of $3 billion.", ""},
		{"cap of a contract", "In no event shall damages exceed $1,000,000.", ""},
		{"liquidated damages", "liquidated damages of $500 per day", ""},
		{"settlement offer", "[Party 2] offered to settle the judgment for $20,000.", ""},
		{"unpaid rent", "[Party 1] demands $4,200.00 in unpaid rent.", "4200.00"},
		{"demand letter", "Demand is made that you pay $9,800 by June 1, 2026.", "9800.00"},
		{"seeks in damages", "The complaint seeks $2 million in damages.", "2000000.00"},
		{"two demands, the larger", "COUNT I: damages of $10,000. COUNT II: damages of $25,000.", "25000.00"},
		{"sentence before does not count", "Plaintiff demands judgment. The price was $900.", ""},
		{"over a line break", "demands\njudgment in the\namount of $33,000", "33000.00"},
		{"rent in a lease", "Tenant shall pay rent of $12,500 per month.", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			demands := facts.Demands(tc.text, facts.Amounts(tc.text))
			got := ""
			if at, ok := facts.Controversy(demands); ok {
				got = demands[at].Decimal()
			}
			if got != tc.want {
				t.Errorf("sum at stake in %q = %q, want %q", tc.text, got, tc.want)
			}
		})
	}
}

func FuzzAmounts(f *testing.F) {
	for _, s := range []string{"$1,234.56 million", "€1.250,50", "USD $", "$0.00000000001 billion", "12,345,678 dollars", "demands judgment for $5"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.ToValidUTF8(text, "?")
		last := 0

		amounts := facts.Amounts(text)
		for _, a := range amounts {
			if a.Start < last || a.End <= a.Start || a.End > len(text) {
				t.Fatalf("%+v overlaps or leaves the text", a)
			}
			last = a.End
			if a.Cents < 0 || a.Currency == "" {
				t.Fatalf("%+v is no sum", a)
			}
		}
		if n := len(facts.Demands(text, amounts)); n > len(amounts) {
			t.Fatalf("%d demands of %d sums", n, len(amounts))
		}
	})
}
