package timeline_test

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/subrosa-legal/subrosa/case-svc/internal/timeline"
	"pgregory.net/rapid"
)

// Whatever a deadline is called, a reader that unfolds and unescapes its line has the title again, and no line is longer than it may be.
func TestCalendarLinesHoldAnyTitle(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		title := rapid.StringOfN(rapid.RuneFrom([]rune("a;,\\\n字🙂é ")), 1, 200, -1).Draw(t, "title")
		e := timeline.Entry{
			ID: "id", Version: 1, Title: title, UpdatedAt: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC),
			Deadline: &timeline.Deadline{DueOn: "2026-03-04", TimeZone: "UTC", Status: timeline.Confirmed},
		}

		body := string(timeline.Calendar("[Party 1] v. [Party 2]", []timeline.Entry{e}, []int{3}))
		for _, line := range strings.Split(body, "\r\n") {
			if len(line) > 75 || !utf8.ValidString(line) || strings.ContainsAny(line, "\r\n") {
				t.Fatalf("no content line: %q", line)
			}
		}
		_, rest, _ := strings.Cut(strings.ReplaceAll(body, "\r\n ", ""), "SUMMARY:")
		got, _, _ := strings.Cut(rest, "\r\n")
		if got = strings.NewReplacer(`\\`, `\`, `\;`, ";", `\,`, ",", `\n`,
			"\n").Replace(got); got != title+" ([Party 1] v. [Party 2])" {
			t.Fatalf("summary = %q, want %q", got, title)
		}
	})
}
