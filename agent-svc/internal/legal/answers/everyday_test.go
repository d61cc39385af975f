package answers_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/facts"
	"github.com/subrosa-legal/subrosa/pkg/api"
)

// fixtures are all papers of the tests of this package and of facts, by name.
func fixtures(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}

	for _, pattern := range []string{
		"testdata/*.txt", "testdata/*.md", "testdata/orders/*.txt", "../facts/testdata/*/*.txt",
	} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}

		for _, name := range files {
			b, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			all[name], _, _ = strings.Cut(string(b), "=====\n")
		}
	}

	for _, set := range []string{"", "-second", "-third", "-fourth", "-fifth"} {
		for matter, s := range papers(t, "papers"+set+".txt") {
			for _, f := range s.files {
				all[matter+"/"+f.Name] = s.texts[f.FileID]
			}
		}
	}
	if len(all) < 100 {
		t.Fatalf("only %d papers", len(all))
	}

	return all
}

// TestNoDateIsLost reads all papers: each date that the reader of dates finds outside of citations is one of a duty, of
// what was done, of what nobody has classified, or the day from which a period is counted.
func TestNoDateIsLost(t *testing.T) {
	reader, dates := facts.NewReader(), 0

	for name, text := range fixtures(t) {
		f := reader.Read(text, "")
		known := map[int]bool{}
		var events []facts.Span

		for _, x := range slices.Concat(f.Deadlines, f.Listed, f.Seen) {
			if x.HasDate {
				known[x.Date.Start] = true
			}
			events = append(events, x.Event)
		}

		for _, d := range f.Dates {
			dates++
			counted := slices.ContainsFunc(events, func(e facts.Span) bool {
				return e.Start <= d.Start && d.End <= e.End
			})
			if !known[d.Start] && !counted {
				t.Errorf("%s: %s is lost in %q", name, d, facts.Fold(facts.Around(text, d.Span).In(text)))
			}
		}
	}
	if dates < 500 {
		t.Errorf("only %d dates", dates)
	}
}

// TestEveryDayToComeIsListed asks for the deadlines of each paper on its own: each date from today on stands in the
// answer, by itself or within a quote of one that is counted from it.
func TestEveryDayToComeIsListed(t *testing.T) {
	today, listed := time.Date(2026, 11, 24, 0, 0, 0, 0, time.UTC), 0
	all := fixtures(t)

	for _, name := range slices.Sorted(maps.Keys(all)) {
		text := all[name]
		r, _ := do(t, asOf("2026-11-24", "List the deadlines", "state", "US-OR"), newCaseFiles().add("Paper.txt", text))
		if bad := dirty(r); len(bad) > 0 {
			t.Errorf("%s: the gate would hold back %q", name, bad)
		}
		said := strings.ReplaceAll(r.Text, `\`, "")

		for _, d := range facts.NewReader().Read(text, "").Dates {
			if d.Last().Before(today) {
				continue
			}
			listed++
			if !strings.Contains(said, d.String()) && !strings.Contains(said, facts.Fold(d.In(text))) {
				t.Errorf("%s: %s is not listed of %q\n%s", name, d, facts.Fold(facts.Around(text, d.Span).In(text)), r.Text)
			}
		}
	}
	if listed < 200 {
		t.Errorf("only %d days to come", listed)
	}
}

// TestDaysThatWereLost lists days that an earlier reading took for days of what was done, and left out.
func TestDaysThatWereLost(t *testing.T) {
	const stated, unclassified = "**Stated, with a day**", "**Other days to come"
	const doubted = "**To come, though the words tell of what was done"

	for _, tc := range []struct{ name, paper, day, under string }{
		{
			"the day stands alone beside a cell that tells of what was done",
			"| Paper | State | When |\n|---|---|---|\n| Answer | served | May 4, 2027 |\n", "2027-05-04", unclassified,
		},
		{
			"tabs",
			"Paper\tState\tWhen\nAnswer\tserved\tMay 4, 2027\nReply\tfiled\tMay 9, 2027\n", "2027-05-09", unclassified,
		},
		{
			"words between the modal verb and its own",
			"The bundle should, if possible, have reached the court on May 4, 2027.", "2027-05-04", unclassified,
		},
		{
			"and by a day",
			"The bundle must, so far as practicable, have been lodged by May 4, 2027.", "2027-05-04", stated,
		},
		{
			"the line above tells of what was done",
			"Received:\n\n- expert report, May 4, 2027\n- bundle, May 5, 2027\n", "2027-05-05", "",
		},
		{
			"received in the same line",
			"The expert report was received on May 4, 2027.", "2027-05-04", doubted,
		},
		{"a report by a word of duties", "The bundle was lodged on May 4, 2027.", "2027-05-04", doubted},
		{"and the duty", "The bundle must have been lodged on May 4, 2027.", "2027-05-04", stated},
		{"a month without a day", "The survey shall be delivered in June 2027.", "2027-06", "**Months to come"},
		{"the present month", "The survey shall be delivered in November 2026.", "2026-11", "**Months to come"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r, _ := do(
				t,
				asOf("2026-11-24", "List the deadlines", "state", "US-OR"),
				newCaseFiles().add("Paper.txt", tc.paper),
			)
			_, below, _ := strings.Cut(r.Text, tc.under)
			_, list, _ := strings.Cut(below, "\n\n")
			if tc.under != "" {
				list, _, _ = strings.Cut(list, "\n\n")
			}
			if !strings.Contains(list, "- **"+tc.day+"**") {
				t.Errorf("no %s below %q:\n%s", tc.day, tc.under, r.Text)
			}
		})
	}

	// What is past is counted.
	r, _ := do(t, task(api.CaseReq, "List the deadlines"), newCaseFiles().add("Paper.txt",
		"The bundle was filed on May 4, 2024. The survey of June 2023 was wrong. May 9, 2024."))
	if !strings.Contains(r.Text, "3 dates before today") {
		t.Errorf("the dates that are past are not counted:\n%s", r.Text)
	}
}

// TestTodayIsToCome lists today to its end in the zone of the forum, whatever the hour, and nothing before it.
func TestTodayIsToCome(t *testing.T) {
	const doubted, months = "**To come, though the words tell of what was done", "**Months to come"

	for _, tc := range []struct{ name, zone, now, paper, day, under string }{
		{
			"in the afternoon", "", "2026-11-30T15:00:00Z",
			"The bundle was received on November 30, 2026.", "2026-11-30", doubted,
		},
		{
			"in the last minute", "", "2026-11-30T23:59:00Z",
			"The bundle was received on November 30, 2026.", "2026-11-30", doubted,
		},
		{
			"yesterday", "", "2026-12-01T00:00:00Z",
			"The bundle was received on November 30, 2026.", "2026-11-30", "",
		},
		{
			"in a western zone behind midnight in UTC", "America/Los_Angeles", "2026-12-01T03:00:00Z",
			"The bundle was received on November 30, 2026.", "2026-11-30", doubted,
		},
		{
			"in an eastern zone before midnight in UTC", "Asia/Tokyo", "2026-11-30T16:00:00Z",
			"The bundle was received on November 30, 2026.", "2026-11-30", "",
		},
		{
			"the last day of a month", "", "2026-11-30T15:00:00Z",
			"The survey shall be delivered in November 2026.", "2026-11", months,
		},
		{
			"the last day of a month in a western zone", "America/Los_Angeles", "2026-12-01T03:00:00Z",
			"The survey shall be delivered in November 2026.", "2026-11", months,
		},
		{
			"the month before", "", "2026-12-01T00:30:00Z",
			"The survey shall be delivered in November 2026.", "2026-11", "",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tk := asOf("2026-11-24", "List the deadlines", "state", "US-OR")
			tk.Now, _ = time.Parse(time.RFC3339, tc.now)
			tk.Container.Case.Forum.TimeZone = tc.zone
			r, _ := do(t, tk, newCaseFiles().add("Paper.txt", tc.paper))

			row := "- **" + tc.day + "**"
			if tc.under == "" {
				if strings.Contains(r.Text, row) || !strings.Contains(r.Text, "1 date before today") {
					t.Errorf("%s is not counted as past:\n%s", tc.day, r.Text)
				}

				return
			}
			_, below, _ := strings.Cut(r.Text, tc.under)
			if !strings.Contains(below, row) {
				t.Errorf("no %s below %q:\n%s", tc.day, tc.under, r.Text)
			}
		})
	}
}
