package casesvc_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/google/uuid"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/services"
)

// shared is a case of o:firm of which a part is open to pat of o:partner.
type shared struct {
	*world
	kase           api.Case
	open, closed   api.File
	first          api.Phase
	fork           api.Branch
	forked, beyond api.Phase
	grant          api.Grant
	firm           services.CaseClient // party-svc, in the firm's tenant
}

var pat = user("o:partner", "pat")

func share(t *testing.T, settings map[string]string) *shared {
	t.Helper()
	w := start(t, settings)
	ann, robot := user("o:firm", "ann"), agent("o:firm", "ann")
	s := &shared{world: w, kase: w.newCase(ann, m{"title": "Eviction of [Party 1]"})}
	s.open = into[uploaded](t, w.upload(ann, s.kase.CaseID, nil, textFile("open.txt", complaint)), 201).Items[0]
	s.closed = into[uploaded](t, w.upload(ann, s.kase.CaseID, nil, textFile("closed.txt", complaint+" More.")), 201).Items[0]
	s.first = w.work(t, robot, s.kase, "")
	w.newEntry(ann, s.kase.TimelineID, m{"kind": "fact", "title": "Before the fork", "when": m{"on": "2024-03-03"}})
	w.clock.Advance(time.Second)
	s.fork = w.newBranch(ann, m{"timelineId": s.kase.TimelineID})
	s.forked = w.work(t, robot, s.kase, s.fork.BranchID)
	s.beyond = w.work(t, robot, s.kase, "")
	w.newEntry(ann, s.kase.TimelineID, m{"kind": "deadline", "title": "After the fork", "dueOn": "2026-04-01"})
	s.grant = api.Grant{
		InviteID: uuid.NewString(), CaseID: s.kase.CaseID, PartnerID: uuid.NewString(), PartnerTenant: "o:partner", PartnerUserID: "pat", BranchIDs: []string{s.fork.BranchID},
		FileIDs: []string{s.open.FileID},
	}
	s.firm = w.as(access.Caller{Kind: access.Service, Tenant: "o:firm"})
	if err := s.firm.PutGrant(t.Context(), s.grant); err != nil {
		t.Fatalf("PutGrant: %v", err)
	}

	return s
}

func TestAPartnerReadsWhatItWasGranted(t *testing.T) {
	t.Parallel()
	s := share(t, nil)
	id, fork := s.kase.CaseID, s.fork.BranchID
	if got := into[api.Case](t, s.get(pat, "/v1/cases/"+id), 200); got.Title != s.kase.Title {
		t.Errorf("case = %+v", got)
	}
	into[api.Case](t, s.get(pat, "/v1/cases?caseId="+id), 200)
	if got := phaseIDs(t, s.get(pat, "/v1/phases?branchId="+fork)); !cmp.Equal(got, []string{s.first.PhaseID, s.forked.PhaseID}) {
		t.Errorf("phases = %v", got)
	}

	for _, p := range []api.Phase{s.first, s.forked} {
		into[api.Phase](t, s.get(pat, "/v1/phases?phaseId="+p.PhaseID), 200)
	}
	if got := into[api.Branch](t, s.get(pat, "/v1/branch/"+fork), 200); !cmp.Equal(got.SharedWithInviteIDs, []string{s.grant.InviteID}) {
		t.Errorf("branch = %+v", got)
	}
	line := into[api.Timeline](t, s.get(pat, "/v1/timeline/"+s.kase.TimelineID), 200)
	if len(line.Branches) != 1 || line.Branches[0].BranchID != fork || len(line.Deadlines) != 0 || line.Counts.OpenDeadlines != 0 {
		t.Errorf("timeline = %+v", line)
	}
	if diff := cmp.Diff([]string{"Before the fork", "Phase completed: case_req", "Phase completed: case_req"}, titles(line.Entries)); diff != "" {
		t.Errorf("entries (-want +got):\n%s", diff)
	}
	if got := into[api.Timeline](t, s.get(pat, "/v1/timeline/"+s.kase.TimelineID+"?kinds=invite,file_added"), 200); len(got.Entries) != 0 {
		t.Errorf("entries about the case = %+v", got.Entries)
	}
	space := into[caseSpace](t, s.get(pat, "/v1/workspace/case/"+id), 200)
	if len(space.RecentPhases) != 2 || len(space.Files.Items) != 1 || space.Files.Items[0].FileID != s.open.FileID || len(space.Deadlines)+len(space.PendingReviews) != 0 || space.Checklist != nil {
		t.Errorf("workspace = %+v", space)
	}
	if diff := cmp.Diff(api.Permissions{AllowedRequestTypes: []string{}}, space.Permissions); diff != "" {
		t.Errorf("permissions (-want +got):\n%s", diff)
	}
	list := into[api.Page[api.File]](t, s.get(pat, "/v1/cases/"+id+"/files"), 200)
	if len(list.Items) != 1 || list.Items[0].FileID != s.open.FileID {
		t.Errorf("files = %+v", list.Items)
	}
	file := "/v1/cases/" + id + "/files/" + s.open.FileID
	into[api.File](t, s.get(pat, file), 200)
	into[api.FileText](t, s.get(pat, file+"/text"), 200)
	if a := s.get(pat, file+"/content"); a.Status != 200 || string(a.Body) != complaint {
		t.Errorf("content = %d", a.Status)
	}
	calendar := s.get(pat, "/v1/timeline/"+s.kase.TimelineID, "Accept", "text/calendar")
	if calendar.Status != 200 || strings.Contains(string(calendar.Body), "VEVENT") {
		t.Errorf("calendar = %d %s", calendar.Status, calendar.Body)
	}
	// What the partner reads is on the record of the firm, as a partner's act.
	reads := 0

	for _, d := range s.deeds("o:firm") {
		if d == (entry{"partner", "pat", "file.read", "file", s.open.FileID, "ok"}) {
			reads++
		}
	}
	if reads != 2 {
		t.Errorf("%d readings are on record, want 2", reads)
	}
	if own := into[api.Page[api.CaseRow]](t, s.get(pat, "/v1/cases"), 200); len(own.Items) != 0 {
		t.Errorf("the partner's own list = %+v", own.Items)
	}
	admin := into[api.Case](t, s.get(user("o:partner", "pat", access.RoleAdmin), "/v1/cases/"+id), 200)
	if admin.Title != s.kase.Title {
		t.Error("what a partner is in its own organization matters here")
	}
}

// What a partner sees of a case, its timeline and its workspace leaves out what is the firm's own, and all that is quoted from files beyond the
// grant.
func TestWhatIsLeftOutForAPartner(t *testing.T) {
	t.Parallel()
	s := share(t, nil)
	ann, robot, id := user("o:firm", "ann"), agent("o:firm", "ann"), s.kase.CaseID
	const quote = "The landlord terminated the lease"
	at := strings.Index(complaint, quote)
	source := func(f api.File) m {
		return m{"fileId": f.FileID, "textVersion": 1, "charStart": at, "charEnd": at + len(quote), "quote": quote}
	}
	both := []m{source(s.open), source(s.closed)}
	into[api.Case](t, s.patch(ann, id, m{
		"activeBranchId": s.fork.BranchID, "externalRef": "matter 7", "tags": []string{"antelope"}, "retention": m{"legalHold": true, "holdReason": "the okapi letter"},
		"complexity": m{"override": m{"tier": 3, "reason": "a zebra crossing"}}, "amountInControversy": m{"amount": "9000", "currency": "USD", "basis": "extracted", "source": source(s.closed)},
	}), 200)
	s.newEntry(ann, s.kase.TimelineID, m{"kind": "fact", "title": "Lease ended", "when": m{"on": "2024-05-01"}, "sources": both})
	s.newEntry(ann, s.kase.TimelineID, m{"kind": "deadline", "title": "Answer", "dueOn": "2026-04-01", "sources": both, "certainty": "computed", "computation": m{
		"triggerOn": "2026-03-11", "triggerSource": source(s.closed), "ruleId": "answer_complaint", "ruleCitation": "12(a)(1)(A)(i)", "count": 21, "unit": "days",
		"direction": "forward", "serviceDaysAdded": 0, "holidayCalendar": "US", "assumptions": []string{},
	}})
	in := beginning(s.kase, api.EvalReq)
	in.BranchID = s.fork.BranchID
	if _, err := s.as(robot).BeginPhase(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	graded := evaluation(2, "")
	ref := func(f api.File) api.SourceRef {
		return api.SourceRef{FileID: f.FileID, TextVersion: 1, CharStart: at, CharEnd: at + len(quote), Quote: quote}
	}
	graded.Breakdown = []api.Factor{{Feature: "parties", Value: "two", Basis: "extracted", Sources: []api.SourceRef{ref(s.open), ref(s.closed)}}}
	record := api.RecordEvaluation{PhaseID: in.PhaseID, Attempt: 1, Evaluation: graded}
	if _, err := s.as(robot).RecordEvaluation(t.Context(), id, record); err != nil {
		t.Fatal(err)
	}
	if _, err := s.as(robot).EndPhase(t.Context(), in.PhaseID, answered(t, 1)); err != nil {
		t.Fatal(err)
	}

	secrets := []string{s.closed.FileID, "matter 7", "antelope", "okapi", "a zebra crossing"}
	for _, path := range []string{"/v1/cases/" + id, "/v1/cases?caseId=" + id, "/v1/timeline/" + s.kase.TimelineID, "/v1/workspace/case/" + id} {
		firms, partners := string(s.get(ann, path).Body), string(s.get(pat, path).Body)
		for _, secret := range secrets {
			if strings.Contains(partners, secret) {
				t.Errorf("GET %s tells a partner %q: %s", path, secret, partners)
			}
			if !strings.Contains(path, "/timeline/") && !strings.Contains(firms, secret) {
				t.Errorf("GET %s does not tell the firm %q: %s", path, secret, firms)
			}
		}
	}

	space := into[caseSpace](t, s.get(pat, "/v1/workspace/case/"+id), 200)
	for _, got := range []api.Case{into[api.Case](t, s.get(pat, "/v1/cases/"+id), 200), into[api.Case](t, s.get(pat, "/v1/cases?caseId="+id), 200), space.Container} {
		if got.NextDeadline != nil || got.Counts != (api.CaseCounts{}) || got.Conflict.HitCount != 0 || got.Retention.HoldByUserID != "" || !got.Retention.LegalHold {
			t.Errorf("case = %+v", got)
		}
		if got.AmountInControversy == nil || got.AmountInControversy.Source != nil || got.Complexity == nil || got.Complexity.Override == nil || got.Complexity.Override.Tier != 3 {
			t.Errorf("case = %+v", got)
		}
		if diff := cmp.Diff([]api.SourceRef{ref(s.open)}, got.Complexity.Breakdown[0].Sources, cmpopts.IgnoreFields(api.SourceRef{}, "Page", "Paragraph")); diff != "" {
			t.Errorf("sources of the evaluation (-want +got):\n%s", diff)
		}
	}

	line := into[api.Timeline](t, s.get(pat, "/v1/timeline/"+s.kase.TimelineID+"?kinds=fact,deadline&from=2024-05-01"), 200)
	for _, list := range [][]api.TimelineEntry{line.Entries, line.Deadlines, space.Deadlines} {
		if len(list) == 0 {
			t.Error("the partner sees no entries of its branch")
		}

		for _, e := range list {
			if len(e.Sources) != 1 || e.Sources[0].FileID != s.open.FileID || e.Deadline != nil && e.Deadline.Computation.TriggerSource != nil {
				t.Errorf("entry = %+v", e)
			}
		}
	}
}

// What the firm's people say to each other about an answer stays in the firm.
func TestReviewsForAPartner(t *testing.T) {
	t.Parallel()
	s := share(t, nil)
	ann, review := user("o:firm", "ann"), "/v1/phases/"+s.forked.PhaseID+"/review"
	into[api.Phase](t, s.json(ann, http.MethodPost, review, m{"decision": "amended", "amendedText": "Sixty days.", "note": "okapi slip"}), 200)
	into[api.Phase](t, s.json(ann, http.MethodPost, review, m{"comment": "an antelope of doubt"}), 200)
	one, workspace := "/v1/phases?phaseId="+s.forked.PhaseID, "/v1/workspace/case/"+s.kase.CaseID+"?branchId="+s.fork.BranchID

	list := "/v1/phases?branchId=" + s.fork.BranchID
	for _, path := range []string{one, list, list + "&view=summary", workspace, "/v1/timeline/" + s.kase.TimelineID, "/internal/phases/" + s.forked.PhaseID} {
		firms, partners := string(s.get(ann, path).Body), s.get(pat, path)
		if partners.Status != 200 || strings.Contains(string(partners.Body), "okapi") || strings.Contains(string(partners.Body), "antelope") {
			t.Errorf("GET %s for a partner: %d %s", path, partners.Status, partners.Body)
		}
		if !strings.Contains(path, "/timeline/") && !strings.Contains(firms, "okapi slip") {
			t.Errorf("GET %s does not tell the firm of the note: %s", path, firms)
		}
	}
	if got := into[api.Phase](t, s.get(pat, one), 200).Review; got.Status != api.ReviewAmended || got.AmendedText != "Sixty days." || got.ReviewerUserID != "ann" {
		t.Errorf("review = %+v", got)
	}
}

func TestWhatAPartnerMayNot(t *testing.T) {
	t.Parallel()
	s := share(t, nil)

	id := s.kase.CaseID
	for name, tc := range map[string]struct {
		method, path string
		body         m
	}{
		"change the case":    {http.MethodPatch, "/v1/cases/" + id, m{"title": "Another"}},
		"delete the case":    {http.MethodDelete, "/v1/cases/" + id, nil},
		"its parties by it":  {http.MethodGet, "/v1/cases/" + id + "?include=deadlines", nil},
		"its parties too":    {http.MethodGet, "/v1/cases?caseId=" + id + "&include=parties", nil},
		"its deadlines too":  {http.MethodGet, "/v1/cases?caseId=" + id + "&include=deadlines", nil},
		"search files":       {http.MethodGet, "/v1/cases/" + id + "/files?q=lease", nil},
		"delete a file":      {http.MethodDelete, "/v1/cases/" + id + "/files/" + s.open.FileID, nil},
		"write an entry":     {http.MethodPost, "/v1/timeline/" + s.kase.TimelineID + "/entries", m{"kind": "fact", "title": "x"}},
		"rename a branch":    {http.MethodPatch, "/v1/branch/" + s.fork.BranchID, m{"title": "x"}},
		"review a phase":     {http.MethodPost, "/v1/phases/" + s.forked.PhaseID + "/review", m{"decision": "approved"}},
		"search as a run":    {http.MethodPost, "/internal/cases/" + id + "/search", m{"query": "lease", "limit": 1}},
		"a run's container":  {http.MethodGet, "/internal/containers/case/" + id, nil},
		"decide a conflict":  {http.MethodPost, "/v1/cases/" + id + "/conflict", m{"decision": "clear", "reason": "none"}},
		"look at its scopes": {http.MethodPost, "/internal/cases/" + id + "/scope", m{}},
	} {
		t.Run(name, func(t *testing.T) { refused(t, s.json(pat, tc.method, tc.path, tc.body), 403, "forbidden") })
	}
	deadline := into[api.Timeline](t, s.get(user("o:firm", "ann"), "/v1/timeline/"+s.kase.TimelineID), 200).Deadlines[0]
	refused(t, s.json(pat, http.MethodPatch, "/v1/timeline/"+s.kase.TimelineID+"/entries/"+deadline.EntryID, m{"status": "confirmed"}), 403, "forbidden")

	beyond := []string{
		"/v1/branch/" + s.kase.ActiveBranchID, "/v1/phases?branchId=" + s.kase.ActiveBranchID, "/v1/phases?phaseId=" + s.beyond.PhaseID, "/v1/cases/" + id + "/files/" + s.closed.FileID,
		"/v1/cases/" + id + "/files/" + s.closed.FileID + "/content", "/v1/timeline/" + s.kase.TimelineID + "?branchId=" + s.kase.ActiveBranchID,
		"/v1/workspace/case/" + id + "?branchId=" + s.kase.ActiveBranchID, "/v1/workspace/support/" + id,
	}
	for _, path := range beyond {
		refused(t, s.get(pat, path), 404, "not_found")
	}
	all := append(beyond, "/v1/cases/"+id, "/v1/workspace/case/"+id, "/v1/timeline/"+s.kase.TimelineID, "/v1/branch/"+s.fork.BranchID, "/v1/phases?branchId="+s.fork.BranchID,
		"/v1/phases?phaseId="+s.first.PhaseID, "/v1/cases/"+id+"/files", "/v1/cases/"+id+"/files/"+s.open.FileID+"/text")
	nobody := func(t *testing.T, callers ...access.Caller) {
		t.Helper()
		want := s.get(user("o:other", "eve"), "/v1/cases/"+uuid.NewString())

		for _, caller := range callers {
			for _, path := range all {
				a := s.get(caller, path)
				if a.Status != 404 || withoutRequestID(a.Body) != withoutRequestID(want.Body) {
					t.Errorf("%s for %s of %s = %d %s", path, caller.UserID, caller.Tenant, a.Status, a.Body)
				}
			}
		}
	}
	nobody(t, user("o:partner", "paula"), user("o:other", "pat"), agent("o:partner", "pat"), agent("o:other", "pat"))
	ended := s.grant

	ended.Ended = true
	for range 2 {
		if err := s.firm.PutGrant(t.Context(), ended); err != nil {
			t.Fatalf("PutGrant: %v", err)
		}
	}
	nobody(t, pat)
	if err := s.firm.PutGrant(t.Context(), s.grant); err != nil {
		t.Fatalf("a late repetition: %v", err)
	}
	nobody(t, pat)
	if got := into[api.Branch](t, s.get(user("o:firm", "ann"), "/v1/branch/"+s.fork.BranchID), 200).SharedWithInviteIDs; len(got) != 0 {
		t.Errorf("the branch is shared with %v", got)
	}
	again := s.grant
	again.InviteID = uuid.NewString()
	if err := s.firm.PutGrant(t.Context(), again); err != nil {
		t.Fatal(err)
	}
	if err := s.firm.PutGrant(t.Context(), ended); err != nil {
		t.Fatal(err)
	}
	into[api.Case](t, s.get(pat, "/v1/cases/"+id), 200)
	if a := s.json(user("o:firm", "ann"), http.MethodDelete, "/v1/cases/"+id+"?acknowledgePending=true", nil); a.Status != 204 {
		t.Fatalf("delete = %d %s", a.Status, a.Body)
	}
	nobody(t, pat)
	again.Ended = true
	if err := s.firm.PutGrant(t.Context(), again); err != nil {
		t.Errorf("the end of a grant of a case that is gone: %v", err)
	}
}

func withoutRequestID(body []byte) string {
	before, rest, found := strings.Cut(string(body), `"requestId":"`)
	if !found {
		return string(body)
	}
	_, after, _ := strings.Cut(rest, `"`)

	return before + after
}

func TestGrantsAreChecked(t *testing.T) {
	t.Parallel()
	s := share(t, nil)
	ctx, ann := t.Context(), user("o:firm", "ann")

	other := s.newCase(ann, nil)
	for name, tc := range map[string]struct {
		change func(*api.Grant)
		want   string
	}{
		"branch of another case": {func(g *api.Grant) { g.BranchIDs = []string{other.ActiveBranchID} }, "scope_not_in_case"},
		"unknown file":           {func(g *api.Grant) { g.FileIDs = []string{uuid.NewString()} }, "scope_not_in_case"},
		"unknown case":           {func(g *api.Grant) { g.CaseID = uuid.NewString() }, "not_found"},
		"own tenant":             {func(g *api.Grant) { g.PartnerTenant = "o:firm" }, "validation_failed"},
		"tenant with a slash":    {func(g *api.Grant) { g.PartnerTenant = "o:partner/x" }, "validation_failed"},
		"nobody":                 {func(g *api.Grant) { g.PartnerUserID = "" }, "validation_failed"},
		"too many branches": {func(g *api.Grant) {
			for range 11 {
				g.BranchIDs = append(g.BranchIDs, uuid.NewString())
			}
		}, "validation_failed"},
		"no invite": {func(g *api.Grant) { g.PartnerID = "x" }, "validation_failed"},
	} {
		g := s.grant
		tc.change(&g)
		if err := s.firm.PutGrant(ctx, g); code(err) != tc.want {
			t.Errorf("PutGrant, %s = %v, want %q", name, err, tc.want)
		}
	}

	for name, tc := range map[string]struct {
		caller access.Caller
		want   string
	}{
		"person":             {ann, "forbidden"},
		"agent":              {agent("o:firm", "ann"), "forbidden"},
		"service of none":    {access.Caller{Kind: access.Service}, "not_found"},
		"service of another": {access.Caller{Kind: access.Service, Tenant: "o:other"}, "not_found"},
	} {
		if err := s.as(tc.caller).PutGrant(ctx, s.grant); code(err) != tc.want {
			t.Errorf("PutGrant by %s = %v, want %q", name, err, tc.want)
		}
	}

	for name, tc := range map[string]struct {
		caller access.Caller
		scope  api.InviteScope
		want   string
	}{
		"its own":         {ann, api.InviteScope{BranchIDs: []string{s.kase.ActiveBranchID, s.fork.BranchID}, FileIDs: []string{s.open.FileID, s.open.FileID}}, ""},
		"nothing":         {agent("o:firm", "ann"), api.InviteScope{}, ""},
		"another's":       {ann, api.InviteScope{BranchIDs: []string{other.ActiveBranchID}}, "scope_not_in_case"},
		"no id":           {ann, api.InviteScope{FileIDs: []string{"x"}}, "validation_failed"},
		"another tenant":  {user("o:other", "eve"), api.InviteScope{}, "not_found"},
		"as an admin":     {user("o:firm", "root", access.RoleAdmin), api.InviteScope{}, "forbidden"},
		"without a scope": {agent("o:firm", "ann", "files:read"), api.InviteScope{}, "scope_missing"},
	} {
		if err := s.as(tc.caller).CheckScope(ctx, s.kase.CaseID, tc.scope); code(err) != tc.want {
			t.Errorf("CheckScope, %s = %v, want %q", name, err, tc.want)
		}
	}

	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if err := s.firm.PutGrant(ctx, s.grant); err != nil {
				t.Errorf("PutGrant again: %v", err)
			}
		})
	}
	all.Wait()
	invites := into[api.Timeline](t, s.get(ann, "/v1/timeline/"+s.kase.TimelineID+"?kinds=invite"), 200).Entries
	if diff := cmp.Diff([]string{"Invite accepted"}, titles(invites)); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
}

// What a partner reads by the id of a phase costs the same however many cases it was let into.
func TestAPartnerWithManyGrants(t *testing.T) {
	t.Parallel()
	s := share(t, map[string]string{"CASE_SWEEP_EVERY": "1h"})
	ann := user("o:firm", "ann")
	path := "/v1/phases?phaseId=" + s.forked.PhaseID
	read := func() { into[api.Phase](t, s.get(pat, path), 200) }

	one := s.commands(read)
	for range 8 {
		s.clock.Advance(time.Second)
		c := s.newCase(ann, nil)
		g := s.grant
		g.InviteID, g.CaseID, g.BranchIDs, g.FileIDs = uuid.NewString(), c.CaseID, []string{c.ActiveBranchID}, nil
		if err := s.firm.PutGrant(t.Context(), g); err != nil {
			t.Fatalf("PutGrant: %v", err)
		}
	}
	if many := s.commands(read); many != one {
		t.Errorf("a phase takes %d commands with one grant and %d with nine", one, many)
	}
	refused(t, s.get(pat, "/v1/phases?phaseId="+s.beyond.PhaseID), 404, "not_found")
}
