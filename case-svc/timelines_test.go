package casesvc_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
	"github.com/subrosa-legal/subrosa/pkg/testkit/servicetest"
	"go.mongodb.org/mongo-driver/v2/bson"
)

// quoted is a source that quotes words of a text, as they stand in it.
func quoted(t *testing.T, f api.File, text, words string) api.SourceRef {
	t.Helper()
	at := strings.Index(text, words)
	if at < 0 {
		t.Fatalf("the text does not say %q", words)
	}
	start := len([]rune(text[:at]))

	return api.SourceRef{FileID: f.FileID, TextVersion: 1, CharStart: start, CharEnd: start + len([]rune(words)), Quote: words}
}

func (w *world) newEntry(caller access.Caller, timelineID string, body any) api.TimelineEntry {
	w.t.Helper()
	return into[api.TimelineEntry](w.t, w.json(caller, http.MethodPost, "/v1/timeline/"+timelineID+"/entries", body), 201)
}

func titles(list []api.TimelineEntry) []string {
	all := []string{}
	for _, e := range list {
		all = append(all, e.Title)
	}

	return all
}

func TestEntriesAreWritten(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	ann, robot := user("o:firm", "ann"), agent("o:firm", "ann")
	c := w.newCase(ann, m{"forum": m{"system": "federal", "timeZone": "America/Los_Angeles"}})
	f := into[uploaded](t, w.upload(ann, c.CaseID, nil, textFile("complaint.txt", complaint)), 201).Items[0]
	source := quoted(t, f, complaint, "terminated the lease without the notice")
	body := api.EntryContent{
		Kind: "fact", When: &api.When{On: "2019-07-08", Precision: "day", Ambiguous: true, AlternativeOn: "2019-08-07", Raw: "07/08/2019"}, Title: " The lease was terminated ",
		Detail: "By [Party 2].", Amount: &api.Money{Amount: "1450", Currency: "USD"}, Authority: &api.Authority{Text: "Cal. Civ. Code 1946.1", Kind: "statute"}, Sources: []api.SourceRef{source},
	}
	got := w.newEntry(robot, c.TimelineID, body)
	at := api.At(w.clock.Now())
	want := api.TimelineEntry{
		EntryID: got.EntryID, Version: 1, Kind: "fact", When: *body.When, Title: "The lease was terminated", Detail: "By [Party 2].", Amount: &api.Money{Amount: "1450.00", Currency: "USD"},
		Authority: &api.Authority{Text: "Cal. Civ. Code 1946.1", Kind: "statute", Verification: "unchecked"}, Sources: []api.SourceRef{source}, Origin: "agent", ReviewStatus: "unreviewed",
		BranchID: c.ActiveBranchID, UTBMS: &api.UTBMS{Phase: "L100", Task: "L110"}, CreatedBy: api.Actor{Kind: "agent", ID: robot.AgentID, UserID: "ann"}, CreatedAt: at, UpdatedAt: at,
	}
	got.Sources[0].Page = 0
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("entry of an agent (-want +got):\n%s", diff)
	}
	hearing := w.newEntry(ann, c.TimelineID, api.EntryContent{Kind: "hearing", Title: "Hearing"})
	if e := hearing; e.Origin != "user" || e.ReviewStatus != "confirmed" || e.When.On != "" {
		t.Errorf("entry of a person = %+v", e)
	}
	due := w.newEntry(ann, c.TimelineID, api.NewEntry{
		EntryContent:      api.EntryContent{Kind: "deadline", Title: "Answer", DueOn: "2026-03-24"},
		ResponsibleUserID: "bob",
	})
	if due.Deadline != nil && due.ResponsibleUserID != "bob" {
		t.Errorf("bob does not answer for %+v", due.Deadline)
	}
	if d := due.Deadline; d == nil || d.Status != "proposed" || d.TimeZone != "America/Los_Angeles" || d.Certainty != "explicit" || due.When.On != "2026-03-24" || due.ReviewStatus != "unreviewed" {
		t.Errorf("deadline = %+v", due)
	}
	instant := api.At(time.Date(2026, 3, 25, 6, 0, 0, 0, time.UTC)) // the evening before in Los Angeles
	computation := &api.Computation{
		TriggerOn: "2026-03-03", RuleID: "answer_complaint", RuleCitation: "FRCP 12(a)(1)(A)(i)", Count: 21, Unit: "days", Direction: "forward", HolidayCalendar: "us_federal",
		Assumptions: []string{"service was personal"}, TriggerSource: &source,
	}
	hour := w.newEntry(robot, c.TimelineID, api.EntryContent{
		Kind:        "deadline",
		Title:       "By the hour",
		DueOn:       "2026-03-24",
		DueAt:       &instant,
		Certainty:   "computed",
		Computation: computation,
	})
	if diff := cmp.Diff(computation.Assumptions, hour.Computation.Assumptions); hour.DueAt == nil || !hour.DueAt.Equal(instant.Time) || diff != "" || hour.Computation.TriggerSource == nil {
		t.Errorf("computed deadline = %+v", hour.Deadline)
	}
	next := &api.NextDeadline{DeadlineID: due.EntryID, DueOn: "2026-03-24", Title: "Answer", Status: "proposed"}
	kase := into[api.Case](t, w.get(ann, "/v1/cases/"+c.CaseID), 200)
	if kase.NextDeadline != nil && kase.NextDeadline.DeadlineID == hour.EntryID { // of the same day
		next.DeadlineID, next.Title = hour.EntryID, hour.Title
	}
	if diff := cmp.Diff(next, kase.NextDeadline); kase.Counts.OpenDeadlines != 2 || diff != "" {
		t.Errorf("open deadlines = %d, want 2; next (-want +got):\n%s", kase.Counts.OpenDeadlines, diff)
	}
	first := w.json(ann, http.MethodPost, "/v1/timeline/"+c.TimelineID+"/entries", m{"kind": "fact", "title": "Once"}, "Idempotency-Key", "k")
	again := w.json(ann, http.MethodPost, "/v1/timeline/"+c.TimelineID+"/entries", m{"kind": "fact", "title": "Once"}, "Idempotency-Key", "k")
	if first.Status != 201 || string(first.Body) != string(again.Body) || again.Header.Get("Idempotency-Replayed") != "true" {
		t.Errorf("again = %d %s", again.Status, again.Body)
	}
}

func TestEntriesAreRefused(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	ann, robot := user("o:firm", "ann"), agent("o:firm", "ann")
	c, other := w.newCase(ann, nil), w.newCase(ann, nil)
	f := into[uploaded](t, w.upload(ann, c.CaseID, nil, textFile("complaint.txt", complaint)), 201).Items[0]
	strange := into[uploaded](t, w.upload(ann, other.CaseID, nil, textFile("complaint.txt", complaint)), 201).Items[0]
	good := quoted(t, f, complaint, "terminated the lease")

	with := func(change func(*api.SourceRef)) m {
		s := good
		change(&s)

		return m{"kind": "fact", "title": "x", "sources": []api.SourceRef{s}}
	}
	for _, tc := range []struct {
		name   string
		caller access.Caller
		body   m
		status int
		code   string
	}{
		{"no kind", ann, m{"title": "x"}, 400, "validation_failed"},
		{"a kind of the service", ann, m{"kind": "review", "title": "x"}, 400, "validation_failed"},
		{"no title", ann, m{"kind": "fact"}, 400, "validation_failed"},
		{"long title", ann, m{"kind": "fact", "title": strings.Repeat("long ", 41)}, 400, "validation_failed"},
		{"no such day", ann, m{"kind": "fact", "title": "x", "when": m{"on": "2026-02-30"}}, 400, "validation_failed"},
		{"one reading that is ambiguous", ann, m{"kind": "fact", "title": "x", "when": m{"on": "2026-02-03", "ambiguous": true}}, 400, "validation_failed"},
		{"two readings that are not", ann, m{"kind": "fact", "title": "x", "when": m{"on": "2026-02-03", "alternativeOn": "2026-03-02"}}, 400, "validation_failed"},
		{"deadline without a date", ann, m{"kind": "deadline", "title": "x"}, 400, "validation_failed"},
		{"date of a fact", ann, m{"kind": "fact", "title": "x", "dueOn": "2026-02-03"}, 400, "validation_failed"},
		{"zone that is none", ann, m{"kind": "deadline", "title": "x", "dueOn": "2026-02-03", "timeZone": "Mars/Olympus"}, 400, "validation_failed"},
		{"zone of this machine", ann, m{"kind": "deadline", "title": "x", "dueOn": "2026-02-03", "timeZone": "Local"}, 400, "validation_failed"},
		{"hour of another day", ann, m{"kind": "deadline", "title": "x", "dueOn": "2026-02-03", "dueAt": "2026-02-05T10:00:00Z"}, 400, "validation_failed"},
		{"computed without a computation", ann, m{"kind": "deadline", "title": "x", "dueOn": "2026-02-03", "certainty": "computed"}, 400, "validation_failed"},
		{"latest day that is not later", ann, m{"kind": "deadline", "title": "x", "dueOn": "2026-02-03", "latestOn": "2026-02-03"}, 400, "validation_failed"},
		{"latest day of a fact", ann, m{"kind": "fact", "title": "x", "latestOn": "2026-02-03"}, 400, "validation_failed"},
		{"state given", ann, m{"kind": "deadline", "title": "x", "dueOn": "2026-02-03", "status": "confirmed"}, 400, "unknown_field"},
		{"responsible person by an agent", robot, m{"kind": "deadline", "title": "x", "dueOn": "2026-02-03", "responsibleUserId": "ann"}, 403, "human_required"},
		{"amount that is none", ann, m{"kind": "payment", "title": "x", "amount": m{"amount": "1e3", "currency": "USD"}}, 400, "validation_failed"},
		{"identity in the title", robot, m{"kind": "fact", "title": "Ask ann@example.com"}, 403, "identity_refused"},
		{"identity in a quote", robot, m{"kind": "fact", "title": "x", "sources": []m{{"fileId": party1, "textVersion": 1, "charStart": 0, "charEnd": 9, "quote": "Ask ann@example.com"}}}, 403, "identity_refused"},
		{"identity in the detail", robot, m{"kind": "fact", "title": "x", "detail": "Ask ann@example.com"}, 403, "identity_refused"},
		{"field of an identity", robot, m{"kind": "fact", "title": "x", "first_name": ""}, 403, "identity_refused"},
		{"another quote", ann, with(func(s *api.SourceRef) { s.Quote = "ended the lease" }), 400, "validation_failed"},
		{"offsets beyond the text", ann, with(func(s *api.SourceRef) { s.CharStart += 1e6; s.CharEnd += 1e6 }), 400, "validation_failed"},
		{"offsets backwards", ann, with(func(s *api.SourceRef) { s.CharEnd = s.CharStart }), 400, "validation_failed"},
		{"another version", ann, with(func(s *api.SourceRef) { s.TextVersion = 2 }), 400, "validation_failed"},
		{"unknown file", ann, with(func(s *api.SourceRef) { s.FileID = uuid.NewString() }), 400, "validation_failed"},
		{"file of another case", ann, with(func(s *api.SourceRef) { s.FileID = strange.FileID }), 400, "validation_failed"},
		{"admin", user("o:firm", "root", access.RoleAdmin), m{"kind": "fact", "title": "x"}, 403, "forbidden"},
		{"agent without the scope", agent("o:firm", "ann", "cases:read"), m{"kind": "fact", "title": "x"}, 403, "scope_missing"},
		{"another tenant", user("o:other", "eve"), m{"kind": "fact", "title": "x"}, 404, "not_found"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			refused(t, w.json(tc.caller, http.MethodPost, "/v1/timeline/"+c.TimelineID+"/entries", tc.body), tc.status, tc.code)
		})
	}
	if got := into[api.Timeline](t, w.get(ann, "/v1/timeline/"+c.TimelineID+"?kinds=fact,deadline"), 200); len(got.Entries)+len(got.Deadlines) != 0 {
		t.Errorf("something of what was refused is there: %+v", got.Entries)
	}
}

// TestADeadlineKeepsBothDays wants the safe day and the latest one in the timeline, and the latest one in the
// calendar feed.
func TestADeadlineKeepsBothDays(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	ann := user("o:firm", "ann")
	c := w.newCase(ann, nil)
	e := w.newEntry(
		ann,
		c.TimelineID,
		m{"kind": "deadline", "title": "Notice of appeal", "dueOn": "2026-07-03", "latestOn": "2026-07-06"},
	)
	if e.DueOn != "2026-07-03" || e.LatestOn != "2026-07-06" {
		t.Errorf("due on %s, at the latest on %s", e.DueOn, e.LatestOn)
	}

	got := into[api.Timeline](t, w.get(ann, "/v1/timeline/"+c.TimelineID+"?kinds=deadline"), 200)
	if len(got.Deadlines) == 0 || got.Deadlines[0].LatestOn != "2026-07-06" {
		t.Errorf("deadlines %+v", got.Deadlines)
	}
}

func TestDeadlinesAreDecidedByPeople(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	ann, robot := user("o:firm", "ann"), agent("o:firm", "ann")
	c := w.newCase(ann, nil)
	entry := func() string {
		return "/v1/timeline/" + c.TimelineID + "/entries/" + w.newEntry(robot, c.TimelineID, m{"kind": "deadline", "title": "Answer", "dueOn": "2026-03-04", "timeZone": "America/Los_Angeles"}).EntryID
	}
	patch := func(path string, body m, header ...string) answer {
		return w.json(ann, http.MethodPatch, path, body, header...)
	}
	path := entry()
	if e := refused(t, w.json(robot, http.MethodPatch, path, m{"status": "confirmed"}), 403, "human_required"); e.DeepLink != "https://subrosa.test/i/review" {
		t.Errorf("deep link = %s", e.DeepLink)
	}

	for status, bodies := range map[int][]m{
		400: {
			{"status": "gone"},
			{"status": nil},
			{"reviewStatus": "x"},
			{"title": ""},
			{"title": nil},
			{"dueOn": nil},
			{"dueOn": "soon"},
			{"on": "2026-03-05"},
			{"timeZone": "Mars"},
			{"latestOn": "2026-03-01"},
			{"dueAt": "2026-03-09T05:06:07Z"},
		},
		409: {{"status": "met"}, {"status": "missed"}},
		403: {
			{"responsibleUserId": "ann@example.com"},
			{"title": "Call ann@example.com"},
			{"detail": "SSN 123-45-6789"},
		},
	} {
		for _, body := range bodies {
			if a := patch(path, body); a.Status != status {
				t.Errorf("PATCH %v = %d %s, want %d", body, a.Status, a.Body, status)
			}
		}
	}
	refused(t, patch(path, m{"status": "confirmed"}, "If-Match", `"7"`), 412, "version_mismatch")
	got := into[api.TimelineEntry](t, patch(path, m{"status": "confirmed", "reviewStatus": "confirmed", "responsibleUserId": "bob"}, "If-Match", `"1"`), 200)
	if got.Version != 2 || got.Status != "confirmed" || got.ReviewStatus != "confirmed" || got.ResponsibleUserID != "bob" {
		t.Errorf("confirmed = %+v %+v", got, got.Deadline)
	}
	if got := into[api.TimelineEntry](t, patch(path, m{"responsibleUserId": nil}), 200); got.ResponsibleUserID != "" {
		t.Errorf("responsible = %q", got.ResponsibleUserID)
	}
	if e := refused(t, patch(path, m{"status": "missed"}), 409,
		"invalid_transition"); e.Details[0].From != "confirmed" || e.Details[0].To != "missed" {
		t.Errorf("details = %+v", e.Details)
	}
	met, vacated := entry(), entry()
	patch(met, m{"status": "confirmed"})
	if got := into[api.TimelineEntry](t, patch(met, m{"status": "met"}), 200); got.Status != "met" {
		t.Errorf("met = %+v", got.Deadline)
	}
	if got := into[api.TimelineEntry](t, patch(vacated, m{"status": "vacated"}), 200); got.Status != "vacated" {
		t.Errorf("vacated = %+v", got.Deadline)
	}
	fact := "/v1/timeline/" + c.TimelineID + "/entries/" + w.newEntry(robot, c.TimelineID, m{"kind": "fact", "title": "x"}).EntryID
	refused(t, patch(fact, m{"status": "met"}), 400, "validation_failed")
	into[api.TimelineEntry](t, patch(fact, m{"reviewStatus": "rejected"}), 200)
	refused(t, w.json(user("o:other", "eve"), http.MethodPatch, path, m{"status": "met"}), 404, "not_found")
	refused(t, w.json(agent("o:other", "eve"), http.MethodPatch, path, m{"status": "met"}), 403, "human_required") // whatever it names
	other := w.newCase(ann, nil)
	refused(t, patch(strings.Replace(path, c.TimelineID, other.TimelineID, 1), m{"status": "met"}), 404, "not_found")

	// It is 5:06 UTC on March 4: in Los Angeles still March 3. Two days on it is the evening of the 5th there.
	status := func() (string, int) {
		t.Helper()
		got := into[api.Timeline](t, w.get(ann, "/v1/timeline/"+c.TimelineID), 200)

		return got.Deadlines[0].Status, got.Counts.OpenDeadlines
	}
	w.clock.Advance(26 * time.Hour) // 23:06 on the 4th, the day that it is due
	if s, _ := status(); s != "confirmed" {
		t.Errorf("on the day itself it is %s", s)
	}
	w.clock.Advance(time.Hour)
	if s, _ := status(); s != "missed" {
		t.Errorf("on the day after it is %s", s)
	}
	refused(t, patch(path, m{"status": "met"}), 409, "invalid_transition")
}

func TestMissedDeadlinesAreSwept(t *testing.T) {
	t.Parallel()
	w := start(t, map[string]string{"CASE_SWEEP_EVERY": "100ms"})
	ann := user("o:firm", "ann")
	c := w.newCase(ann, nil)
	e := w.newEntry(ann, c.TimelineID, m{"kind": "deadline", "title": "Answer", "dueOn": "2026-03-04"})
	into[api.TimelineEntry](t, w.json(ann, http.MethodPatch, "/v1/timeline/"+c.TimelineID+"/entries/"+e.EntryID, m{"status": "confirmed"}), 200)
	w.clock.Advance(19 * time.Hour)
	testkit.Until(t, testkit.Patience, func() error {
		got := into[api.Timeline](t, w.get(ann, "/v1/timeline/"+c.TimelineID+"?kinds=deadline"), 200).Entries[0]
		open := into[api.Case](t, w.get(ann, "/v1/cases/"+c.CaseID), 200).Counts.OpenDeadlines
		if got.Version != 3 || got.Status != "missed" || open != 0 {
			return fmt.Errorf("version %d is %s, %d are open", got.Version, got.Status, open)
		}

		return nil
	})
}

// One deadline that cannot be written keeps no other. The first here belongs to no tenant, so there is no record that it could go on.
func TestADeadlineThatCannotBeSweptKeepsNoOther(t *testing.T) {
	t.Parallel()
	w := start(t, map[string]string{"CASE_SWEEP_EVERY": "100ms"})
	ann := user("o:firm", "ann")
	c := w.newCase(ann, nil)
	path := "/v1/timeline/" + c.TimelineID + "/entries/"
	e := w.newEntry(ann, c.TimelineID, m{"kind": "deadline", "title": "Answer", "dueOn": "2026-03-04"})
	into[api.TimelineEntry](t, w.json(ann, http.MethodPatch, path+e.EntryID, m{"status": "confirmed"}), 200)
	stray := bson.D{
		{Key: "_id", Value: "/stray"},
		{Key: "tenant", Value: ""},
		{Key: "status", Value: "confirmed"},
		{Key: "dueOn", Value: "2026-01-01"},
		{Key: "version", Value: int64(1)},
		{Key: "deadline", Value: bson.D{{Key: "timeZone", Value: "UTC"}}},
	}
	if _, err := w.mongo.Collection("entries").InsertOne(t.Context(), stray); err != nil {
		t.Fatal(err)
	}
	w.clock.Advance(19 * time.Hour)
	testkit.Until(t, testkit.Patience, func() error {
		if n := w.documents("entries", bson.E{Key: "status", Value: "missed"}); n != 1 {
			return errNotYet
		}

		return nil
	})
}

func TestTimelinesAreRead(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	ann, robot := user("o:firm", "ann"), agent("o:firm", "ann")
	c := w.newCase(ann, nil)
	first := w.work(t, robot, c, "")
	w.newEntry(ann, c.TimelineID, m{"kind": "fact", "title": "Signed the lease", "when": m{"on": "2024-03-03"}})
	w.clock.Advance(time.Second)
	fork := w.newBranch(ann, m{"timelineId": c.TimelineID, "fromPhaseId": first.PhaseID})
	w.clock.Advance(time.Second)
	w.newEntry(robot, c.TimelineID, m{"kind": "payment", "title": "Paid", "detail": "The rent of March", "when": m{"on": "2024-03-01"}})
	w.newEntry(ann, c.TimelineID, m{"kind": "deadline", "title": "Reply", "dueOn": "2026-05-01"})
	w.newEntry(ann, c.TimelineID, m{"kind": "deadline", "title": "Answer", "dueOn": "2026-04-01"})
	w.newEntry(ann, c.TimelineID, m{"kind": "fact", "title": "Some day"})
	done := "Phase completed: case_req"

	path := "/v1/timeline/" + c.TimelineID
	for _, tc := range []struct {
		query string
		want  []string
	}{
		{"", []string{"Paid", "Signed the lease", done, "Answer", "Reply", "Some day"}},
		{"sort=-when", []string{"Some day", "Reply", "Answer", done, "Signed the lease", "Paid"}},
		{"branchId=" + fork.BranchID, []string{"Signed the lease", done}},
		{"kinds=fact,payment", []string{"Paid", "Signed the lease", "Some day"}},
		{"from=2024-03-02", []string{"Signed the lease", done, "Answer", "Reply"}},
		{"from=2024-03-01&to=2024-03-03", []string{"Paid", "Signed the lease"}},
		{"origin=agent", []string{"Paid"}},
		{"origin=system", []string{done}},
		{"reviewStatus=confirmed", []string{"Signed the lease", "Some day"}},
		{"q=RENT+march", []string{"Paid"}},
		{"q=rent+lease", []string{}},
		{"q=%22rent+of+march%22", []string{"Paid"}},
		{"q=%22march+rent%22", []string{}},
		{"limit=1&q=%22the+lease%22", []string{"Signed the lease"}},
	} {
		got := into[api.Timeline](t, w.get(ann, path+"?"+tc.query), 200)
		if diff := cmp.Diff(tc.want, titles(got.Entries)); diff != "" {
			t.Errorf("?%s (-want +got):\n%s", tc.query, diff)
		}
	}
	var paged []string

	cursor := ""
	for {
		page := into[api.Timeline](t, w.get(robot, path+"?include=entries&sort=createdAt&limit=2"+cursor), 200)
		paged = append(paged, titles(page.Entries)...)
		if page.NextCursor == nil {
			break
		}
		cursor = "&cursor=" + *page.NextCursor
	}
	if slices.Sort(paged); !slices.Equal(paged, []string{"Answer", "Paid", done, "Reply", "Signed the lease", "Some day"}) {
		t.Errorf("page by page = %v", paged)
	}
	whole := w.get(ann, path)
	got := into[api.Timeline](t, whole, 200)
	if diff := cmp.Diff([]string{"Answer", "Reply"}, titles(got.Deadlines)); diff != "" {
		t.Errorf("deadlines (-want +got):\n%s", diff)
	}
	if got.Counts != (api.TimelineCounts{Branches: 2, Entries: 6, OpenDeadlines: 2}) || len(got.Branches) != 2 || got.ActiveBranchID != c.ActiveBranchID || got.RootBranchID != c.ActiveBranchID {
		t.Errorf("timeline = %+v", got)
	}
	if part := into[api.Timeline](t, w.get(ann, path+"?include=branches"), 200); part.Entries != nil || part.Deadlines != nil || len(part.Branches) != 2 {
		t.Errorf("branches alone = %+v", part)
	}
	golden(t, "timeline", whole.Body)
	if a := w.get(ann, path, "If-None-Match", whole.Header.Get("ETag")); a.Status != 304 {
		t.Errorf("If-None-Match = %d", a.Status)
	}

	for _, query := range []string{"kinds=x", "from=today", "to=2026-13-01", "origin=x", "reviewStatus=x", "sort=x", "include=x", "limit=0", "x=1", "remindDaysBefore=1", "q=", "q=" + strings.Repeat("x", 201)} {
		refused(t, w.get(ann, path+"?"+query), 400, "invalid_parameter")
	}
	refused(t, w.get(ann, path+"?q=ann@example.com"), 403, "identity_refused")
	refused(t, w.get(ann, path+"?cursor=x"), 400, "invalid_cursor")
	refused(t, w.get(ann, path+"?branchId="+uuid.NewString()), 404, "not_found")
	refused(t, w.get(user("o:other", "eve"), path), 404, "not_found")

	for _, id := range []string{"x", uuid.NewString()} {
		refused(t, w.get(ann, "/v1/timeline/"+id), 404, "not_found")
	}
}

func TestWhatAPhaseFindsIsProposedOnce(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	ann, robot := user("o:firm", "ann"), agent("o:firm", "ann")
	c, other := w.newCase(ann, nil), w.newCase(ann, nil)
	f := into[uploaded](t, w.upload(ann, c.CaseID, nil, textFile("complaint.txt", complaint)), 201).Items[0]
	begun, err := w.as(robot).BeginPhase(t.Context(), beginning(c, api.CaseReq))
	if err != nil {
		t.Fatal(err)
	}
	p := begun.Phase
	signed := api.EntryContent{
		Kind: "agreement", When: &api.When{On: "2024-03-03", Precision: "day", Raw: "March 3, 2024"}, Title: "The parties signed a lease",
		Sources: []api.SourceRef{quoted(t, f, complaint, "On March 3, 2024 the parties signed a lease")},
	}
	due := api.EntryContent{
		Kind:      "deadline",
		Title:     "Answer",
		DueOn:     "2026-03-24",
		Certainty: "explicit",
		Sources:   []api.SourceRef{quoted(t, f, complaint, "first day of each month")},
	}
	in := api.ProposeEntries{
		PhaseID: p.PhaseID,
		Attempt: 1,
		Origin:  "extracted",
		Entries: []api.EntryContent{signed, due, signed},
	}
	got, err := w.as(robot).ProposeEntries(t.Context(), c.TimelineID, in)
	if err != nil || len(got.Items) != 3 || !got.Items[0].Added || !got.Items[1].Added || got.Items[2].Added || got.Items[0].EntryID != got.Items[2].EntryID {
		t.Fatalf("ProposeEntries = %+v, %v", got, err)
	}
	signed.Title = "The parties entered into a lease" // other words for the same passage
	in.Entries = []api.EntryContent{due, signed}
	again, err := w.as(robot).ProposeEntries(t.Context(), c.TimelineID, in)
	if err != nil || again.Items[0].Added || again.Items[1].Added {
		t.Errorf("again = %+v, %v", again, err)
	}
	list := into[api.Timeline](t, w.get(ann, "/v1/timeline/"+c.TimelineID+"?origin=extracted"), 200).Entries
	if len(list) != 2 || list[0].PhaseID != p.PhaseID || list[0].ReviewStatus != "unreviewed" || list[0].Title != "The parties signed a lease" {
		t.Errorf("entries = %+v", list)
	}
	if n := into[api.Case](t, w.get(ann, "/v1/cases/"+c.CaseID), 200).Counts.OpenDeadlines; n != 1 {
		t.Errorf("open deadlines = %d, want 1", n)
	}
	bare := signed
	bare.Sources = nil

	for name, tc := range map[string]struct {
		caller   access.Caller
		timeline string
		change   func(*api.ProposeEntries)
		want     string
	}{
		"nothing":                   {robot, c.TimelineID, func(in *api.ProposeEntries) { in.Entries = nil }, "validation_failed"},
		"too many":                  {robot, c.TimelineID, func(in *api.ProposeEntries) { in.Entries = slices.Repeat([]api.EntryContent{signed}, 101) }, "validation_failed"},
		"extracted from nowhere":    {robot, c.TimelineID, func(in *api.ProposeEntries) { in.Entries = []api.EntryContent{bare} }, "validation_failed"},
		"origin of a person":        {robot, c.TimelineID, func(in *api.ProposeEntries) { in.Origin = "user" }, "validation_failed"},
		"phase of another timeline": {robot, other.TimelineID, func(*api.ProposeEntries) {}, "not_found"},
		"another tenant":            {agent("o:other", "eve"), c.TimelineID, func(*api.ProposeEntries) {}, "not_found"},
		"without the scope":         {agent("o:firm", "ann", "cases:read"), c.TimelineID, func(*api.ProposeEntries) {}, "scope_missing"},
		"computed from nothing":     {robot, c.TimelineID, func(in *api.ProposeEntries) { in.Origin, in.Entries = "computed", []api.EntryContent{bare} }, ""},
	} {
		in := in
		tc.change(&in)
		if _, err := w.as(tc.caller).ProposeEntries(t.Context(), tc.timeline, in); code(err) != tc.want {
			t.Errorf("ProposeEntries, %s = %v, want %q", name, err, tc.want)
		}
	}
}

func TestReviewsAndPhasesAreNoted(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	ann, robot := user("o:firm", "ann"), agent("o:firm", "ann")
	c := w.newCase(ann, nil)
	p := w.work(t, robot, c, "")
	into[api.Phase](t, w.json(ann, http.MethodPost, "/v1/phases/"+p.PhaseID+"/review", m{"decision": "rejected"}), 200)
	got := into[api.Timeline](t, w.get(ann, "/v1/timeline/"+c.TimelineID+"?sort=createdAt"), 200).Entries
	if diff := cmp.Diff([]string{"Phase completed: case_req", "Review: rejected"}, slices.Sorted(slices.Values(titles(got)))); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}

	for _, e := range got {
		if e.Origin != "system" || e.PhaseID != p.PhaseID || e.When.On != "2026-03-04" {
			t.Errorf("note = %+v", e)
		}
	}
}

func TestConfirmedDeadlinesAsACalendar(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	ann, robot := user("o:firm", "ann"), agent("o:firm", "ann")
	c := w.newCase(ann, nil)

	instant := api.At(time.Date(2026, 4, 1, 21, 30, 0, 0, time.UTC))
	for i, body := range []m{
		{
			"kind": "deadline", "title": "Answer; reply, and \\ more of what [Party 1] and [Party 2] have to file before the court, naïve or not", "detail": "Line one.\nLine two.", "dueOn": "2026-03-24",
			"certainty": "computed", "computation": m{"triggerOn": "2026-03-03", "ruleId": "answer_complaint", "ruleCitation": "FRCP 12(a)(1)(A)(i)", "count": 21, "unit": "days", "direction": "forward", "assumptions": []string{"service was personal"}},
		},
		{"kind": "deadline", "title": "By the hour", "dueOn": "2026-04-01", "dueAt": instant},
		{"kind": "deadline", "title": "Only proposed", "dueOn": "2026-04-02"},
		{"kind": "deadline", "title": "Long over", "dueOn": "2026-01-02"},
	} {
		e := w.newEntry(robot, c.TimelineID, body)
		if i != 2 {
			into[api.TimelineEntry](t, w.json(ann, http.MethodPatch, "/v1/timeline/"+c.TimelineID+"/entries/"+e.EntryID, m{"status": "confirmed"}), 200)
		}
	}
	path := "/v1/timeline/" + c.TimelineID
	a := w.get(robot, path+"?remindDaysBefore=7,1", "Accept", "text/calendar")
	if a.Status != 200 || a.Header.Get("Content-Type") != "text/calendar; charset=utf-8" {
		t.Fatalf("calendar = %d %s %s", a.Status, a.Header.Get("Content-Type"), a.Body)
	}

	for n, line := range strings.SplitAfter(string(a.Body), "\r\n") {
		if len(line) > 77 || line != "" && (!strings.HasSuffix(line, "\r\n") || strings.Contains(strings.TrimSuffix(line, "\r\n"), "\n")) {
			t.Errorf("line %d is no content line: %q", n+1, line)
		}
	}
	servicetest.Golden(t, *update, "deadlines.ics", a.Body)
	if again := w.get(ann, path+"?remindDaysBefore=7,1", "Accept", "text/calendar", "If-None-Match", a.Header.Get("ETag")); again.Status != 304 {
		t.Errorf("If-None-Match = %d", again.Status)
	}

	for _, query := range []string{"remindDaysBefore=", "remindDaysBefore=x", "remindDaysBefore=-1", "remindDaysBefore=366", "remindDaysBefore=1,2,3,4,5,6", "limit=2"} {
		refused(t, w.get(ann, path+"?"+query, "Accept", "text/calendar"), 400, "invalid_parameter")
	}
	refused(t, w.get(user("o:other", "eve"), path, "Accept", "text/calendar"), 404, "not_found")
}

// FuzzEntry sends bodies to a timeline: none may break the service, and what is taken is taken whole.
func FuzzEntry(f *testing.F) {
	for _, seed := range []string{
		`{"kind":"fact","title":"x"}`, `{"kind":"deadline","title":"x","dueOn":"2026-03-04","dueAt":"2026-03-04T05:06:07Z","timeZone":"UTC"}`,
		`{"kind":"payment","title":"x","amount":{"amount":"1.50","currency":"USD"},"when":{"on":"2026-03-04","precision":"day"}}`,
		`{"kind":"deadline","title":"x","dueOn":"2026-03-04","certainty":"computed","computation":{"triggerOn":"2026-03-03","ruleId":"r","ruleCitation":"R","count":1,"unit":"days","direction":"forward"}}`,
		`{"kind":"fact","title":"x","sources":[{"fileId":"0190a3b1-0000-7000-8000-00000000000a","textVersion":1,"charStart":0,"charEnd":1,"quote":"x"}]}`, `{"kind":null}`, `[1]`,
	} {
		f.Add([]byte(seed))
	}
	w := start(f, nil)
	c := w.newCase(user("o:firm", "ann"), nil)
	f.Fuzz(func(t *testing.T, body []byte) {
		a, err := w.in(t).try(call{
			Method: http.MethodPost, Path: "/v1/timeline/" + c.TimelineID + "/entries", Caller: user("o:firm", "ann"),
			Header: map[string]string{"Content-Type": "application/json"}, Body: body,
		})
		if err != nil {
			t.Fatal(err)
		}
		if a.Status >= 500 || !json.Valid(a.Body) {
			t.Errorf("status = %d, body %s", a.Status, a.Body)
		}
		if a.Status == 201 {
			if e := into[api.TimelineEntry](t, a, 201); e.Title == "" || e.Kind == "deadline" != (e.Deadline != nil) {
				t.Errorf("entry = %+v", e)
			}
		}
	})
}
