package facts_test

import (
	"strings"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/facts"
)

// TestHours tells an hour at a day from a duration.
func TestHours(t *testing.T) {
	for _, tc := range []struct{ text, want string }{
		{"The hearing on May 6, 2027 is limited to 2 h.", ""},
		{"The answer is due on 4 May 2027, within 12 h of service.", ""},
		{"The 2 h hearing is set for May 6, 2027.", ""},
		{"The deposition on May 6, 2027 may last 7h.", ""},
		{"L'audience est fixée au 4 mai 2027 à 14 h.", "14 h"},
		{"L'audience est fixée au 4 mai 2027 à 9h30.", "9h30"},
		{"L'audience aura lieu le 4 mai 2027 vers 10 h 15.", "10 h 15"},
		{"L'audience est fixée au 4 mai 2027, 9h30.", "9h30"},
		{"L'audience est fixée au 4 mai 2027, de 9 h à 12 h.", "9 h à 12 h"},
		{"L'audience du 4 mai 2027 dure 2 h.", ""},
		{"Die Verhandlung ist am 4. Mai 2027 um 14 h.", "14 h"},
		{"The hearing is set for May 6, 2027 at 14 h.", "14 h"},
		{"The hearing is set for 9:30 a.m. on May 6, 2027.", "9:30 a.m."},
		{"Die Verhandlung ist am 4. Mai 2027 um 10.30 Uhr.", "10.30 Uhr"},
		{"The hearing is set for June 14, June 15 and June 16, 2027 at 10 a.m.", "10 a.m."},
	} {
		t.Run(tc.text, func(t *testing.T) {
			f := facts.NewReader().Read(tc.text, "order")
			days := append(f.Deadlines, f.Listed...)
			if len(days) == 0 {
				t.Fatal("no day is found")
			}

			for _, d := range days {
				if got := d.Clock.In(tc.text); got != tc.want {
					t.Errorf("%s has the hour %q, want %q", d.Date, got, tc.want)
				}
			}
		})
	}
}

// TestLongRunsOfDays reads many days in a row: the work may grow no faster than the text.
func TestLongRunsOfDays(t *testing.T) {
	var row strings.Builder
	for day := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC); row.Len() < 300_000; day = day.AddDate(0, 0, 1) {
		row.WriteString(day.Format("January 2, 2006") + " and ")
	}

	start := time.Now()
	facts.NewReader().Read(row.String(), "order")
	if took := time.Since(start); took > 15*time.Second {
		t.Errorf("%d bytes took %s", row.Len(), took)
	}
}
