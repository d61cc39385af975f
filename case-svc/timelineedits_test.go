package casesvc_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/api"
)

// TestOneConfirmationIsEnough confirms a deadline in either way, finds it in the calendar, and takes it back.
func TestOneConfirmationIsEnough(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	ann, robot := user("o:firm", "ann"), agent("o:firm", "ann")
	c := w.newCase(ann, m{"title": "Lease of [Party 2]"})
	line := "/v1/timeline/" + c.TimelineID
	path := line + "/entries/" + w.newEntry(robot, c.TimelineID, m{
		"kind": "deadline", "title": "Answer",
		"dueOn": "2026-05-04",
	}).EntryID

	for _, tc := range []struct {
		body                 m
		status, reviewStatus string
		listed               bool
	}{
		{m{"reviewStatus": "confirmed"}, "confirmed", "confirmed", true},
		{m{"reviewStatus": "unreviewed"}, "proposed", "unreviewed", false},
		{m{"status": "confirmed"}, "confirmed", "confirmed", true},
		{m{"reviewStatus": "rejected"}, "proposed", "rejected", false},
		{m{"reviewStatus": "confirmed"}, "confirmed", "confirmed", true},
		{m{"status": "met"}, "met", "confirmed", false},
		{m{"status": "confirmed"}, "confirmed", "confirmed", true},
		{m{"status": "proposed"}, "proposed", "unreviewed", false},
		{m{"status": "vacated"}, "vacated", "unreviewed", false},
		{m{"status": "proposed"}, "proposed", "unreviewed", false},
	} {
		got := into[api.TimelineEntry](t, w.json(ann, http.MethodPatch, path, tc.body), 200)
		if got.Status != tc.status || got.ReviewStatus != tc.reviewStatus {
			t.Errorf("after %v it is %s and %s, want %s and %s", tc.body, got.Status, got.ReviewStatus, tc.status,
				tc.reviewStatus)
		}
		feed := string(w.get(ann, line, "Accept", "text/calendar").Body)
		if listed := strings.Contains(feed, "SUMMARY:Answer (Lease of [Party 2])"); listed != tc.listed {
			t.Errorf("after %v the calendar has it: %v\n%s", tc.body, listed, feed)
		}
	}
}

// TestEntriesAreEdited changes what a run proposed: a day that a person writes is stated, and an hour is one of the
// forum.
func TestEntriesAreEdited(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	ann, robot := user("o:firm", "ann"), agent("o:firm", "ann")
	c := w.newCase(ann, m{"forum": m{"system": "federal", "timeZone": "America/New_York"}})
	path := func(e api.TimelineEntry) string { return "/v1/timeline/" + c.TimelineID + "/entries/" + e.EntryID }
	patch := func(e api.TimelineEntry, body m, header ...string) api.TimelineEntry {
		t.Helper()
		return into[api.TimelineEntry](t, w.json(ann, http.MethodPatch, path(e), body, header...), 200)
	}
	e := w.newEntry(robot, c.TimelineID, m{
		"kind": "deadline", "title": "Answer", "dueOn": "2026-03-24", "latestOn": "2026-03-27", "certainty": "computed",
		"computation": m{
			"triggerOn": "2026-03-03", "ruleId": "answer_complaint", "ruleCitation": "FRCP 12(a)(1)(A)(i)",
			"count": 21, "unit": "days", "direction": "forward",
		},
	})
	got := patch(e, m{"title": "Answer of [Party 2]", "detail": "By stipulation.", "dueAt": "2026-03-24T21:00:00Z"},
		"If-Match", `"1"`)
	if got.Title != "Answer of [Party 2]" || got.Detail != "By stipulation." || got.DueAt == nil ||
		got.TimeZone != "America/New_York" || got.Computation == nil || got.Version != 2 {
		t.Errorf("with an hour: %+v %+v", got, got.Deadline)
	}
	got = patch(e, m{"dueOn": "2026-04-07"})
	if got.DueOn != "2026-04-07" || got.When.On != "2026-04-07" || got.DueAt != nil || got.LatestOn != "" ||
		got.Computation != nil || got.Certainty != "explicit" {
		t.Errorf("on another day: %+v %+v", got, got.Deadline)
	}
	if got = patch(e, m{"timeZone": "America/Los_Angeles"}); got.TimeZone != "America/Los_Angeles" {
		t.Errorf("zone %s", got.TimeZone)
	}
	if got = patch(e, m{"timeZone": nil, "detail": nil}); got.TimeZone != "America/New_York" || got.Detail != "" {
		t.Errorf("cleared: %+v %+v", got, got.Deadline)
	}
	if again := patch(e, m{"timeZone": nil}); again.Version != got.Version {
		t.Errorf("a change to what is made version %d of %d", again.Version, got.Version)
	}
	counted := w.newEntry(robot, c.TimelineID, m{
		"kind": "deadline", "title": "Findings", "dueOn": "2026-03-24", "latestOn": "2026-04-27", "certainty": "inferred",
		"detail": "14 days later than Tuesday, 2026-03-10 is Tuesday, 2026-03-24.",
	})
	if got = patch(counted, m{"dueOn": "2026-03-31"}); got.Detail != "" || got.LatestOn != "" {
		t.Errorf("a new day keeps the count of the day before: %q, at the latest %q", got.Detail, got.LatestOn)
	}
	noted := w.newEntry(robot, c.TimelineID, m{
		"kind": "deadline", "title": "Findings", "dueOn": "2026-03-24", "certainty": "inferred", "detail": "14 days later than Tuesday, 2026-03-10.",
	})
	got = patch(noted, m{"dueOn": "2026-03-31", "detail": "By order of 2026-03-20.", "latestOn": "2026-04-02"})
	if got.Detail != "By order of 2026-03-20." || got.LatestOn != "2026-04-02" {
		t.Errorf("what came with the new day is lost: %q, at the latest %q", got.Detail, got.LatestOn)
	}

	for detail, want := range map[string]string{
		"Called the clerk on 2026-11-20: 14 days.":                                               "Called the clerk on 2026-11-20: 14 days.",
		"By 5:00 p.m. Serve by hand.":                                                            "Serve by hand.",
		"By 5:00 p.m. 14 days later than Tuesday, 2026-03-10 is 2026-03-24.":                     "",
		"O.txt says that it was made on May 3. 3 days later than Tuesday, 2026-03-10 is Friday.": "",
	} {
		own := w.newEntry(robot, c.TimelineID, m{
			"kind": "deadline", "title": "By 5:00 p.m. Findings", "dueOn": "2026-03-24", "certainty": "inferred", "detail": detail,
		})
		if got = patch(own, m{"dueOn": "2026-03-31"}); got.Detail != want || got.Title != "Findings" {
			t.Errorf("%q became %q with the title %q", detail, got.Detail, got.Title)
		}
	}
	fact := w.newEntry(robot, c.TimelineID, m{"kind": "fact", "title": "Served", "when": m{
		"on":        "2026-03-05",
		"precision": "day", "ambiguous": true, "alternativeOn": "2026-05-03",
	}})
	if got = patch(fact, m{"on": "2026-05-03"}); got.When != (api.When{On: "2026-05-03", Precision: "day"}) {
		t.Errorf("the day of a fact: %+v", got.When)
	}
	refused(t, w.json(ann, http.MethodPatch, path(fact), m{"dueOn": "2026-05-03"}), 400, "validation_failed")
	refused(t, w.json(robot, http.MethodPatch, path(fact), m{"title": "x"}), 403, "human_required")
}
