package answers_test

import (
	"strings"
	"testing"
)

// TestDaysOfTerms lists the days of contracts under what they are: the day on which a term begins is no day to appear,
// and the day on which it ends is a last day.
func TestDaysOfTerms(t *testing.T) {
	const stated = "**Stated, with a day**"
	const begins = "**Days to come on which a term begins or something takes effect**"
	const unclassified = "**Other days to come"

	for _, tc := range []struct{ name, paper, day, under string }{
		{"a lease begins", "This lease begins on March 1, 2027 and ends on February 29, 2028.", "2027-03-01", begins},
		{"a lease ends", "This lease begins on March 1, 2027 and ends on February 29, 2028.", "2028-02-29", stated},
		{"a policy", "The policy is in force from March 1, 2027 to March 1, 2028.", "2027-03-01", begins},
		{"an option closes", "The option period opens on May 3, 2027 and closes on May 28, 2027.", "2027-05-28", stated},
		{"an option opens", "The option period opens on May 3, 2027 and closes on May 28, 2027.", "2027-05-03", begins},
		{"a note", "This Note matures on March 5, 2031.", "2031-03-05", stated},
		{"a German lease", "Der Mietvertrag beginnt am 1. Februar 2027.", "2027-02-01", begins},
		{"a duty that begins", "The contractor shall begin the work on March 1, 2027.", "2027-03-01", stated},
		{"a condition", "Unless the fee was received on March 1, 2027, the claim is struck out.", "2027-03-01", stated},
		{
			"a duty of what takes effect", "Effective March 1, 2027, all filings must be made electronically.",
			"2027-03-01", unclassified,
		},
		{"days to object", "You have from March 1, 2027 to March 8, 2027 to object.", "2027-03-01", unclassified},
		{"a rise of the rent", "From March 1, 2027 the rent is $3,150.00.", "2027-03-01", unclassified},
	} {
		t.Run(tc.name, func(t *testing.T) {
			files := newCaseFiles().add("Paper.txt", tc.paper)
			r, _ := do(t, asOf("2026-11-24", "List the deadlines", "state", "US-OR"), files)
			_, list, _ := strings.Cut(r.Text, tc.under)
			list, _, _ = strings.Cut(list, "\n**")

			if !strings.Contains(list, "- **"+tc.day+"**") || strings.Contains(r.Text, "(to appear)") {
				t.Errorf("%s does not stand below %s:\n%s", tc.day, tc.under, r.Text)
			}
		})
	}
}
