package facts_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/facts"
)

func TestActs(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		want       []string // day, what, object, who
	}{
		{"date behind", "[Party 1] signed the lease on March 4, 2024.", []string{"2024-03-04 signing lease [Party 1]"}},
		{"date first", "On March 4, 2024, [Party 1] and [Party 2] executed the Employment Agreement.", []string{"2024-03-04 signing employment agreement [Party 2]"}},
		{"passive", "The lease was signed on March 6, 2024.", []string{"2024-03-06 signing lease "}},
		{"passive with an adverb", "The lease was finally signed on March 6, 2024.", []string{"2024-03-06 signing lease "}},
		{"hired", "[Party 1] was hired on May 1, 2019 as an analyst.", []string{"2019-05-01 hiring employment [Party 1]"}},
		{"dismissed", "On May 1, 2019, [Party 2] dismissed [Party 1].", []string{"2019-05-01 dismissal employment [Party 1]"}},
		{"two dates, two acts", "The deed was signed on May 1, 2019 and recorded on May 8, 2019.", []string{"2019-05-01 signing deed "}},
		{"is yet to happen", "The lease shall be signed on May 1, 2019.", nil},
		{"did not happen", "[Party 1] never signed the lease on May 1, 2019.", nil},
		{"deadline", "The lease was signed by May 1, 2019.", nil},
		{"dated", "[Party 1] signed the lease dated May 1, 2019.", nil},
		{"recurring", "Rent was paid on May 1, 2019.", nil},
		{"only the month", "The lease was signed in May 2019.", nil},
		{"two readings", "The lease was signed on 5/6/2019.", nil},
		{"other sentence", "The lease was signed. On May 1, 2019 it rained.", nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var got []string
			for _, a := range facts.Acts(tc.text, facts.Dates(tc.text)) {
				got = append(got, fmt.Sprintf("%s %s %s %s", a.Date, a.What, a.Object, a.Who))
			}
			if !slices.Equal(got, tc.want) {
				t.Errorf("Acts(%q) = %q, want %q", tc.text, got, tc.want)
			}
		})
	}
}
