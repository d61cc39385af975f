package answers_test

import (
	"strings"
	"testing"
)

// TestDaysOfColumnsAndReceipts lists the deadlines of tables whose head says what a day is, and of papers that tell of
// a receipt in unusual words.
func TestDaysOfColumnsAndReceipts(t *testing.T) {
	for _, tc := range []struct {
		name, paper string
		want, not   []string
	}{
		{
			"Markdown with two columns of days",
			"| No. | What | Served | Due |\n|---|---|---|---|\n| 1 | Interrogatories | November 30, 2026 | December 30, 2026 |\n",
			[]string{"**2026-12-30**", "1 last day stated"},
			[]string{"**2026-11-30**"},
		},
		{
			"CSV with a hearing",
			"Task,Owner,Due\nExpert reports,[Party 2],2027-03-01\nMediation,both,2027-04-30\n",
			[]string{"**2027-03-01**", "**2027-04-30 (to appear)**"},
			[]string{"nobody has classified"},
		},
		{
			"cells apart by tabs, as files of tables are read",
			"Invoice\tReceived\tDue\nA-1\tDecember 2, 2026\tJanuary 15, 2027\nA-2\tDecember 9, 2026\tJanuary 22, 2027\n",
			[]string{"**2027-01-15**", "**2027-01-22**", "2 last days stated"},
			[]string{"**2026-12-02**", "**2026-12-09**"},
		},
		{
			"receipts",
			"NOTICE\n\nThe complaint found its way to [Party 1] on January 11, 2027. " +
				"The motion came into our hands on January 12, 2027. The notice was handed to [Party 2] on January 13, 2027.\n",
			[]string{"0 last days stated"},
			[]string{"**2027-01-11**", "**2027-01-12**", "**2027-01-13**"},
		},
		{
			"what is yet to be handed over",
			"ORDER\n\nThe keys shall be handed to the tenant on December 3, 2026. " +
				"A settlement shall be reached by December 7, 2026.\n",
			[]string{"**2026-12-03**", "**2026-12-07**", "2 last days stated"},
			nil,
		},
		{
			"commas of a sentence are no cells",
			"Due, they said, was the rent.\nThe parties met, and agreed, on December 4, 2026.\n",
			[]string{"0 last days stated"},
			nil,
		},
		{
			"two lines of a sentence are no table",
			"NOTICE\n\nThe notice, served by mail,\nis valid, and the tenant must answer by May 4, 2027.\n\n" +
				"The motion, filed last week,\nis denied, and the answer must be filed by May 11, 2027.\n\n" +
				"The invoice, paid in part,\nremains open, and the balance is due on May 18, 2027.\n",
			[]string{"**2027-05-04**", "**2027-05-11**", "**2027-05-18**", "3 last days stated"},
			nil,
		},
		{
			"lines that have the marks of a table and the words of a duty",
			"Answer, served\nThe tenant must answer the landlord, 2027-05-04 at the latest\n",
			[]string{"**2027-05-04**"},
			nil,
		},
		{
			"quoted cells",
			"Task,Served,Due\nAnswer,\"May 3, 2027\",\"June 1, 2027\"\n\"Roe, Reply\",2027-05-04,2027-06-02\n",
			[]string{"**2027-06-01**", "**2027-06-02**", "2 last days stated"},
			[]string{"**2027-05-03**", "**2027-05-04**"},
		},
		{
			"rows with more cells than the head",
			"Task;Served\nAnswer;2027-05-03;2027-06-01\n",
			[]string{"**2027-05-03**", "**2027-06-01**"},
			nil,
		},
		{
			"heads that begin as those of what was done",
			"|Task|Completed by|Filed no later than|Issued / due|Served|\n|---|---|---|---|---|\n" +
				"|Survey|2027-05-03|2027-05-04|2027-05-05|2027-05-06|\n",
			[]string{"**2027-05-03**", "**2027-05-04**", "**2027-05-05**", "2 last days stated"},
			[]string{"**2027-05-06**"},
		},
		{
			"a column without a head that tells, beside one of what was done",
			"|Task|Served|Cutoffs|\n|---|---|---|\n|Answer|2027-05-03|2027-06-01|\n",
			[]string{"**2027-06-01**"},
			[]string{"**2027-05-03**"},
		},
		{
			"a cell that says more than its head",
			"|Paper|Filed|Due|\n|---|---|---|\n" +
				"|Motion|2027-05-01; reply must be filed by 2027-05-20|filed on December 5, 2026|\n" +
				"|List|2027-05-02|withdrawn; was December 10, 2026|\n" +
				"|Log|2027-05-03|~~May 6, 2027~~ extended to May 9, 2027|\n",
			[]string{"**2027-05-20**", "**2026-12-05**", "**2026-12-10**", "**2027-05-09**", "2 last days stated"},
			[]string{"**2027-05-02**", "**2027-05-03**"},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			task := asOf("2026-11-24", "List the deadlines", "state", "US-OR")
			r, _ := do(t, task, newCaseFiles().add("Paper.txt", tc.paper))

			for _, want := range tc.want {
				if !strings.Contains(r.Text, want) {
					t.Errorf("no %q in\n%s", want, r.Text)
				}
			}

			for _, not := range tc.not {
				if strings.Contains(withoutDone(r.Text), not) {
					t.Errorf("%q in\n%s", not, r.Text)
				}
			}
		})
	}
}

// TestAnEventIsAskedForOnce asks for the day of an event from which three periods run.
func TestAnEventIsAskedForOnce(t *testing.T) {
	paper := "The Contractor shall deliver the plans within 10 days of the Kick-off Milestone. " +
		"The Owner shall pay within 30 days of the Kick-off Milestone.\n"
	r, _ := do(t, asOf("2026-11-24", "List the deadlines", "state", "US-OR"), newCaseFiles().add("Paper.txt", paper))

	want := "When was this: the Kick-off Milestone? From it run the 10 days and the 30 days that Paper.txt states."
	if len(r.Questions) != 1 || r.Questions[0] != want {
		t.Errorf("questions %q, want one: %q", r.Questions, want)
	}
}
