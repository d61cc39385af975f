package answers_test

import (
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/api"
)

// TestDoubtfulDays lists the days and periods of papers in which a nearby day is not the one that counts.
func TestDoubtfulDays(t *testing.T) {
	for _, tc := range []struct {
		name  string
		files []string
		text  []string // in the text or the questions
		lacks []string
	}{
		{
			"an earlier judgment",
			[]string{"JUDGMENT\nMade November 20, 2026. [Party 1] may appeal within 30 days after entry of this judgment. Judgment entered June 3, 2026.\n"},
			[]string{"2026-12-21", "In doubt"},
			[]string{"**2026-07-03**"},
		},
		{
			"a receipt of the clerk",
			[]string{
				"ORDER\nEntered November 20, 2026.\nAnswer within 14 days of receipt of this order. The clerk received this order on November 27, 2026.\n",
			},
			[]string{"**2026-12-04**", "In doubt"},
			nil,
		},
		{
			"a receipt of counsel",
			[]string{
				"ORDER\nEntered November 20, 2026.\nAnswer within 14 days of receipt of this order. Counsel received this order on November 27, 2026.\n",
			},
			[]string{"**2026-12-04**", "In doubt"},
			nil,
		},
		{
			"the name of a day in another file",
			[]string{
				"LEASE\nThe Tenant shall pay the deposit within 10 days after the Effective Date.\n",
				"LICENSE\nThis license is made on November 30, 2026 (the \"Effective Date\").\n",
			},
			[]string{"2026-12-10", "In doubt: another file gives", "When was this: the Effective Date"},
			nil,
		},
		{
			"the name of a day in the same file",
			[]string{
				"LEASE\nThis lease is made on November 30, 2026 (the \"Effective Date\").\nThe Tenant shall pay the deposit within 10 days after the Effective Date.\n",
			},
			[]string{"2026-12-10"},
			[]string{"In doubt"},
		},
		{
			"duties in the months before an end",
			[]string{
				"LEASE\nThe Tenant shall give written notice of renewal in the six months before the end of the term.\n\n" +
					"During the three months before the expiration, the Supplier must return all data.\n",
			},
			[]string{"**6 months**", "**3 months**"},
			[]string{"Seen and not counted"},
		},
		{
			"a measure",
			[]string{
				"AGREEMENT\nThe liability of [Party 1] shall not exceed the fees paid in the twelve months before the claim.\n\n" +
					"[Party 1] shall repay the fees paid in the six months before the breach.\n",
			},
			[]string{"Seen and not counted", "**12 months**", "**6 months**"},
			[]string{"Running from"},
		},
		{
			"a beginning without a length",
			[]string{"NOTICE\nThe objection period begins on January 5, 2027.\n"},
			[]string{"**2027-01-05**", "nobody has classified"},
			nil,
		},
		{
			"a length behind the beginning",
			[]string{"NOTICE\nThe clock starts on December 7, 2026. You have 30 days to object.\n"},
			[]string{"**2027-01-05**"},
			nil,
		},
		{
			"two periods that begin together",
			[]string{
				"NOTICE\nThe 30-day objection period and the 60-day appeal period begins on December 1, 2026.\n",
			},
			[]string{"**2026-12-30**", "**2027-01-29**"},
			nil,
		},
		{
			"two events are no span of time",
			[]string{
				"ORDER\nThe report is due no later than 14 days after service of the complaint, or no later than 30 days after the hearing.\n",
			},
			[]string{"**14 days**", "**30 days**"},
			[]string{"span of time"},
		},
		{
			"a service in many words",
			[]string{
				"ORDER\nAnswer within 28 days of service of this Order. The Clerk served this Order on all counsel by electronic mail on November 30, 2026.\n",
			},
			[]string{"**2026-12-28**"},
			[]string{"no file gives its day"},
		},
		{
			"a receipt is no deadline",
			[]string{
				"ORDER\nCounsel acknowledged receipt of this Order on November 18, 2026.\n\nCounsel confirmed service of the motion on November 19, 2026.\n",
			},
			nil,
			[]string{"**Stated, with a day**"},
		},
		{
			"hours before a hearing of the same sentence",
			[]string{
				"ORDER\nExhibits are due 48 hours before the hearing on the motion, which is set for January 14, 2027 at 9:45 a.m.\n",
			},
			[]string{"**2027-01-12", "**2027-01-14, 9:45 a.m."},
			nil,
		},
		{
			"a period that another sentence sets",
			[]string{
				"LEASE\nThe Tenant shall cure a default within 21 days after receipt; for non-payment the period is 7 days.\n",
			},
			[]string{"**21 days**", "**7 days**"},
			nil,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := newCaseFiles()
			for i, text := range tc.files {
				s.add("Document "+string(rune('1'+i))+".txt", text)
			}
			tk := asOf("2026-11-27", "List the deadlines", "", "")
			tk.Work = newRecord()
			r, _ := do(t, tk, s)
			all := r.Text + strings.Join(r.Questions, "\n")

			for _, w := range tc.text {
				if !strings.Contains(all, w) {
					t.Errorf("lacks %q:\n%s", w, all)
				}
			}

			for _, w := range tc.lacks {
				if strings.Contains(all, w) {
					t.Errorf("holds %q:\n%s", w, all)
				}
			}
			if r.Kind != api.KindDeadlines || len(dirty(r)) > 0 {
				t.Errorf("kind %s, %q would be held back", r.Kind, dirty(r))
			}
		})
	}
}
