package casesvc_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/httpcall"
	"github.com/subrosa-legal/subrosa/pkg/services"
	"github.com/subrosa-legal/subrosa/pkg/telemetry"
)

// as is the client that agent-svc uses, acting for caller.
func (w *world) as(caller access.Caller) services.CaseClient {
	w.t.Helper()
	client, err := httpcall.NewClient(
		w.Base,
		func(context.Context) (string, error) { return w.Signer.Token(caller) },
		telemetry.Discard("agent-svc", w.logs),
		w.Client.Transport,
	)
	if err != nil {
		w.t.Fatal(err)
	}

	return services.CaseClient{HTTP: client}
}

func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

func beginning(c api.Case, requestType string) api.BeginPhase {
	return api.BeginPhase{
		PhaseID: uuid.NewString(), SessionID: "session", ContainerID: c.CaseID, ContainerType: api.ContainerCase, RequestType: requestType, Prompt: "What about [Party 1]?",
		Fingerprint: digest("request"), Engine: api.Engine{Mode: "deterministic", RulesVersion: "2026.1"},
	}
}

// wire is a document as it goes on the stream: JSON without the escapes for web pages.
func wire(t *testing.T, v any) []byte {
	t.Helper()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		t.Fatal(err)
	}

	return bytes.TrimRight(b.Bytes(), "\n")
}

func answered(t *testing.T, attempt int) api.EndPhase {
	t.Helper()
	response := api.PhaseResponse{
		Kind: api.KindAnswer, Text: "Section 4 & more of [Party 1] <quoted>.", Citations: []api.Citation{}, Authorities: []api.Authority{}, Questions: []string{"When?"},
		SuggestedNext: []api.Suggestion{{RequestType: "case_req", Prompt: "List deadlines"}}, Limits: []string{"No language model was used."},
		HumanReview: api.HumanReview{Required: true, Reasons: []string{"states_law"}},
	}

	return api.EndPhase{
		Attempt: attempt, Status: api.PhaseCompleted, Response: &response, ResponseSHA256: digest(string(wire(t, response))), Engine: api.Engine{Mode: "model", RulesVersion: "2026.1", Model: &api.EngineModel{Provider: "anthropic", Name: "m-4-20260101", TemplateVersion: "2026.1"}},
		ToolCalls: []api.ToolCall{{CallID: "c1", Name: "search_passages", ArgsDigest: "ab", Summary: "5 passages", Outcome: "ok", DurationMs: 3}},
		Usage:     api.Usage{InputTokens: 900, OutputTokens: 120, ToolCallCount: 1, PassagesRead: 5, WallMs: 40}, Stream: api.StreamMarks{PhaseStartSeq: 2, ResponseSeq: 8, EndSeq: 9},
	}
}

func evaluation(tier int, title string) api.Evaluation {
	e := api.Evaluation{
		TierName: "standard", Score: 34.5, Range: [2]float64{32, 42}, KnownWeight: 80, Confidence: "medium", RubricVersion: "2026.1", Breakdown: []api.Factor{},
		Floors: []string{}, Missing: []string{"amount"}, Questions: []string{}, Suggested: api.Suggestions{Title: title, NextSteps: []string{}},
	}
	if tier > 0 {
		e.Tier = &tier
	}

	return e
}

func code(err error) string {
	if err == nil {
		return ""
	}

	return errs.From(err).Code
}

func TestAPhaseFromBeginToEnd(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	robot := agent("o:firm", "ann")
	client := w.as(robot)
	ctx := t.Context()
	c := w.newCase(robot, nil)
	in := beginning(c, api.CaseReq)
	begun, err := client.BeginPhase(ctx, in)
	if err != nil || !begun.Run {
		t.Fatalf("BeginPhase = %+v, %v", begun, err)
	}
	at := api.At(w.clock.Now())
	want := api.Phase{
		PhaseID: in.PhaseID, BranchID: c.ActiveBranchID, TimelineID: c.TimelineID, Sequence: 1, ContainerType: "case", ContainerID: c.CaseID, SessionID: "session", RequestType: "case_req",
		Prompt: in.Prompt, Status: "running", Attempt: 1, Review: api.Review{Status: "not_required"}, DirectedBy: api.DirectedBy{UserID: "ann", Capacity: "supervising_professional"},
		Engine: in.Engine, RequestSHA256: in.Fingerprint, PrevHash: strings.Repeat("0", 64), CreatedBy: api.Actor{Kind: "agent", ID: robot.AgentID, UserID: "ann"}, CreatedAt: at, StartedAt: &at,
	}
	if diff := cmp.Diff(want, begun.Phase); diff != "" {
		t.Errorf("begun (-want +got):\n%s", diff)
	}
	if begun.Container.Case == nil || begun.Container.Case.CaseID != c.CaseID || begun.Container.ActiveBranchID != c.ActiveBranchID || begun.Container.Status != "intake" {
		t.Errorf("container = %+v", begun.Container)
	}
	if again, err := client.BeginPhase(ctx, in); err != nil || again.Run || again.Phase.Status != "running" {
		t.Errorf("again = %+v, %v", again, err)
	}
	w.clock.Advance(time.Second)
	end := answered(t, 1)
	ended, err := client.EndPhase(ctx, in.PhaseID, end)
	if err != nil {
		t.Fatal(err)
	}
	later := api.At(w.clock.Now())
	want.Status, want.Response, want.ResponseSHA256, want.ToolCalls, want.Usage, want.Stream = "completed", end.Response, end.ResponseSHA256, end.ToolCalls, end.Usage, end.Stream
	want.Engine, want.Review, want.EndedAt, want.Hash = end.Engine, api.Review{Required: true, Status: "pending"}, &later, ended.Hash
	if diff := cmp.Diff(want, ended); diff != "" || len(ended.Hash) != 64 {
		t.Errorf("ended (-want +got):\n%s", diff)
	}
	if string(wire(t, ended.Response)) != string(wire(t, end.Response)) {
		t.Error("the response came back with other bytes than were signed")
	}

	for what, do := range map[string]func() (api.Phase, error){
		"read":  func() (api.Phase, error) { return client.Phase(ctx, in.PhaseID) },
		"ended": func() (api.Phase, error) { return client.EndPhase(ctx, in.PhaseID, end) },
		"begun": func() (api.Phase, error) { b, err := client.BeginPhase(ctx, in); return b.Phase, err },
		"interrupted": func() (api.Phase, error) {
			p, err := w.as(access.Caller{Kind: access.Service, Tenant: "o:firm"}).InterruptPhase(ctx, in.PhaseID, 1)
			return p.Phase, err
		},
	} {
		if got, err := do(); err != nil || !cmp.Equal(got, ended) {
			t.Errorf("%s again: %v\n%s", what, err, cmp.Diff(ended, got))
		}
	}
	if got := into[api.Case](t, w.get(robot, "/v1/cases/"+c.CaseID), 200).Counts; got.Phases != 1 || got.PendingReviews != 1 {
		t.Errorf("counts = %+v", got)
	}
	refused(t, w.json(user("o:firm", "ann"), http.MethodDelete, "/v1/cases/"+c.CaseID, nil), 409, "review_pending")
	second := beginning(c, api.EvalReq)
	if begun, err := client.BeginPhase(ctx, second); err != nil || begun.Phase.Sequence != 2 || begun.Phase.PrevHash != ended.Hash || begun.Phase.ParentPhaseID == nil || *begun.Phase.ParentPhaseID != in.PhaseID {
		t.Errorf("second = %+v, %v", begun.Phase, err)
	}
	e := refused(t, w.json(user("o:firm", "ann"), http.MethodDelete, "/v1/cases/"+c.CaseID+"?acknowledgePending=true", nil), 409, "branch_busy")
	if len(e.Details) != 1 || e.Details[0].RunningPhaseID != second.PhaseID {
		t.Errorf("details = %+v", e.Details)
	}
}

func TestWhatPhasesAreRefusedFor(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	robot := agent("o:firm", "ann")
	ctx := t.Context()
	c := w.newCase(robot, nil)
	oauth := access.Caller{
		Kind:     access.OAuth,
		Tenant:   "o:firm",
		UserID:   "ann",
		ClientID: "c",
		Scopes:   []string{"cases:read", "agent:run"},
		Roles:    []string{access.RoleAdmin},
	}
	adminBot := agent("o:firm", "root")

	adminBot.Roles = []string{access.RoleAdmin}
	for _, tc := range []struct {
		name   string
		caller access.Caller
		change func(*api.BeginPhase)
		want   string
	}{
		{"admin on a case", user("o:firm", "root", access.RoleAdmin), func(*api.BeginPhase) {}, "forbidden"},
		{"agent without the scope", agent("o:firm", "ann", "cases:read"), func(*api.BeginPhase) {}, "scope_missing"},
		{"service", access.Caller{Kind: access.Service, Tenant: "o:firm"}, func(*api.BeginPhase) {}, "forbidden"},
		{"admin request by a member", user("o:firm", "ann"), func(b *api.BeginPhase) { b.RequestType = api.AdminReq }, "forbidden"},
		{"admin request by an OAuth client", oauth, func(b *api.BeginPhase) { b.RequestType = api.AdminReq }, "forbidden"},
		{"admin request by an admin's agent", adminBot, func(b *api.BeginPhase) { b.RequestType = api.AdminReq }, ""},
		{"other tenant", agent("o:other", "ann"), func(*api.BeginPhase) {}, "not_found"},
		{"unknown type", robot, func(b *api.BeginPhase) { b.RequestType = "x" }, "validation_failed"},
		{"sales in a case", robot, func(b *api.BeginPhase) { b.RequestType = api.SalesReq }, "request_type_mismatch"},
		{"identity", robot, func(b *api.BeginPhase) { b.Prompt = "Write to ann@example.com" }, "identity_refused"},
		{"encoded name", robot, func(b *api.BeginPhase) { b.Prompt = "ask halvard%20ostrowe" }, "identity_refused"},
		{"name of a session", robot, func(b *api.BeginPhase) { b.SessionID = "Smith.John.1971-05-03" }, "identity_refused"},
		{"long prompt", robot, func(b *api.BeginPhase) { b.Prompt = strings.Repeat("x", 32001) }, "prompt_too_long"},
		{"unknown file", robot, func(b *api.BeginPhase) { b.FileIDs = []string{uuid.NewString()} }, "not_found"},
		{"unknown parent", robot, func(b *api.BeginPhase) { b.ParentPhaseID = uuid.NewString() }, "phase_conflict"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			in := beginning(c, api.CaseReq)
			in.SessionID = tc.name
			tc.change(&in)
			begun, err := w.as(tc.caller).BeginPhase(ctx, in)
			if code(err) != tc.want {
				t.Errorf("BeginPhase = %+v, %v, want %q", begun, err, tc.want)
			}
			if err == nil {
				failure := api.EndPhase{Attempt: 1, Status: api.PhaseFailed, Error: &api.PhaseError{Error: "internal", Message: "No."}, Engine: in.Engine}
				if _, err := w.as(tc.caller).EndPhase(ctx, in.PhaseID, failure); err != nil {
					t.Error(err)
				}
			}
		})
	}
	in := beginning(c, api.CaseReq)
	if _, err := w.as(robot).BeginPhase(ctx, in); err != nil {
		t.Fatal(err)
	}
	_, err := w.as(robot).BeginPhase(ctx, beginning(c, api.CaseReq))
	if e := errs.From(err); e.Code != "branch_busy" || e.Details[0].RunningPhaseID != in.PhaseID {
		t.Errorf("a second phase = %v", err)
	}

	for name, tc := range map[string]struct {
		caller access.Caller
		change func(*api.EndPhase)
		want   string
	}{
		"other tenant":        {agent("o:other", "ann"), func(*api.EndPhase) {}, "not_found"},
		"without the scope":   {agent("o:firm", "ann", "cases:read"), func(*api.EndPhase) {}, "scope_missing"},
		"another hash":        {robot, func(e *api.EndPhase) { e.ResponseSHA256 = digest("x") }, "validation_failed"},
		"another attempt":     {robot, func(e *api.EndPhase) { e.Attempt = 2 }, "invalid_transition"},
		"no status":           {robot, func(e *api.EndPhase) { e.Status = "" }, "validation_failed"},
		"completed and error": {robot, func(e *api.EndPhase) { e.Error = &api.PhaseError{Error: "x", Message: "y"} }, "validation_failed"},
		"identity": {robot, func(e *api.EndPhase) {
			r := *e.Response
			r.Text = "Write to ann@example.com"
			e.Response, e.ResponseSHA256 = &r, digest(string(wire(t, r)))
		}, "identity_refused"},
	} {
		end := answered(t, 1)
		tc.change(&end)
		if _, err := w.as(tc.caller).EndPhase(ctx, in.PhaseID, end); code(err) != tc.want {
			t.Errorf("EndPhase, %s = %v, want %q", name, err, tc.want)
		}
	}

	for name, tc := range map[string]struct {
		caller access.Caller
		want   string
	}{
		"admin":           {user("o:firm", "root", access.RoleAdmin), "forbidden"},
		"other tenant":    {user("o:other", "eve"), "not_found"},
		"colleague":       {user("o:firm", "bob"), ""},
		"service":         {access.Caller{Kind: access.Service, Tenant: "o:firm"}, ""},
		"service of none": {access.Caller{Kind: access.Service}, "not_found"},
	} {
		if _, err := w.as(tc.caller).Phase(ctx, in.PhaseID); code(err) != tc.want {
			t.Errorf("Phase for %s = %v, want %q", name, err, tc.want)
		}
	}
	t.Run("wrong bodies", func(t *testing.T) {
		for _, path := range []string{"/internal/phases", "/internal/phases/" + in.PhaseID + "/end", "/internal/phases/" + in.PhaseID + "/interrupt", "/internal/cases/" + c.CaseID + "/search", "/internal/refusals"} {
			send := func(contentType, body string) answer {
				return w.do(call{Method: http.MethodPost, Path: path, Caller: robot, Header: map[string]string{"Content-Type": contentType}, Body: []byte(body)})
			}
			refused(t, send("application/json", `{"colour":1}`), 400, "unknown_field")
			refused(t, send("application/json", `{`), 400, "malformed_json")
			refused(t, send("text/plain", `{}`), 415, "unsupported_media_type")
			refused(t, send("application/json", `{"x":"`+strings.Repeat("x", 3<<20)+`"}`), 413, "body_too_large")
		}
		refused(t, w.json(robot, http.MethodPut, "/internal/cases/"+c.CaseID+"/evaluation", m{"colour": 1}), 400, "unknown_field")

		for _, path := range []string{"/internal/phases/x", "/internal/phases/" + uuid.NewString(), "/internal/containers/case/x", "/internal/containers/support/" + uuid.NewString()} {
			refused(t, w.get(robot, path), 404, "not_found")
		}
		refused(t, w.get(robot, "/internal/containers/matter/"+c.CaseID), 400, "invalid_parameter")

		service := access.Caller{Kind: access.Service}
		for _, query := range []string{"limit=0", "limit=x", "limit=1001", "tenant=o:firm"} {
			refused(t, w.get(service, "/internal/open-phases?"+query), 400, "invalid_parameter")
		}
	})
}

func TestOneOfManyBeginsRuns(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	robot := agent("o:firm", "ann")
	client := w.as(robot)
	c := w.newCase(robot, nil)
	in := beginning(c, api.CaseReq)
	count := func() int {
		t.Helper()
		var all sync.WaitGroup
		var mu sync.Mutex
		ran := 0

		for range 8 {
			all.Go(func() {
				begun, err := client.BeginPhase(t.Context(), in)
				mu.Lock()
				defer mu.Unlock()
				if err != nil {
					t.Error(err)
				}
				if begun.Run {
					ran++
				}
			})
		}
		all.Wait()

		return ran
	}
	if n := count(); n != 1 {
		t.Errorf("%d run, want 1", n)
	}
	service := w.as(access.Caller{Kind: access.Service, Tenant: "o:firm"})
	if p, err := service.InterruptPhase(t.Context(), in.PhaseID, 1); err != nil || p.Status != api.PhaseInterrupted {
		t.Fatalf("InterruptPhase = %s, %v", p.Status, err)
	}
	if n := count(); n != 0 {
		t.Errorf("%d take it up without a pause", n)
	}
	w.clock.Advance(time.Second)
	if n := count(); n != 1 {
		t.Errorf("%d take it up, want 1", n)
	}
	if p, err := client.Phase(t.Context(), in.PhaseID); err != nil || p.Attempt != 2 || p.Status != api.PhaseRunning {
		t.Errorf("phase = attempt %d, %s, %v", p.Attempt, p.Status, err)
	}
	if p, err := service.HandOverPhase(t.Context(), in.PhaseID, 2); err != nil || p.Status != api.PhaseInterrupted {
		t.Errorf("HandOverPhase = %s, %v", p.Status, err)
	}
}

func TestOpenPhases(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	var want []api.OpenPhase

	for _, tenant := range []string{"o:one", "o:two"} {
		robot := agent(tenant, "ann")
		in := beginning(w.newCase(robot, nil), api.CaseReq)
		if _, err := w.as(robot).BeginPhase(t.Context(), in); err != nil {
			t.Fatal(err)
		}
		began := api.At(w.clock.Now())
		want = append(want, api.OpenPhase{
			Tenant: tenant, PhaseID: in.PhaseID, Attempt: 1, Status: api.PhaseRunning, Since: began, StartedAt: began,
		})
		w.clock.Advance(time.Second)
	}
	if _, err := w.as(access.Caller{Kind: access.Service, Tenant: "o:one"}).InterruptPhase(t.Context(), want[0].PhaseID, 1); err != nil {
		t.Fatal(err)
	}
	interrupted := want[0]
	interrupted.Status, interrupted.Since, interrupted.Due = api.PhaseInterrupted, api.At(w.clock.Now()), true
	w.clock.Advance(time.Second)
	everywhere := w.as(access.Caller{Kind: access.Service})
	got, err := everywhere.OpenPhases(t.Context(), 0, "", 10)
	if diff := cmp.Diff([]api.OpenPhase{want[1], interrupted}, got.Items); err != nil || diff != "" ||
		got.NextCursor != nil {
		t.Errorf("OpenPhases: %v (-want +got):\n%s", err, diff)
	}
	if got, err := everywhere.OpenPhases(t.Context(), 9*time.Second, "", 10); err != nil || len(got.Items) != 1 || got.Items[0].PhaseID != interrupted.PhaseID {
		t.Errorf("OpenPhases that run for long = %+v, %v", got.Items, err)
	}
	first, err := everywhere.OpenPhases(t.Context(), 0, "", 1)
	if err != nil || len(first.Items) != 1 || first.NextCursor == nil {
		t.Fatalf("a page of OpenPhases = %+v, %v", first, err)
	}
	if next, err := everywhere.OpenPhases(t.Context(), 0, *first.NextCursor, 1); err != nil || len(next.Items) != 1 ||
		next.Items[0].PhaseID != interrupted.PhaseID ||
		next.NextCursor != nil {
		t.Errorf("the next page = %+v, %v", next, err)
	}
	failure := api.EndPhase{Attempt: 1, Status: api.PhaseFailed, Error: &api.PhaseError{Error: "internal", Message: "Not taken up.", Retryable: true}, Engine: api.Engine{Mode: "deterministic", RulesVersion: "2026.1"}}
	if _, err := w.as(access.Caller{Kind: access.Service, Tenant: "o:one"}).EndPhase(t.Context(), interrupted.PhaseID, failure); err != nil {
		t.Fatal(err)
	}
	if got, err := everywhere.OpenPhases(t.Context(), 0, "", 10); err != nil || len(got.Items) != 1 {
		t.Errorf("%d open phases are left, %v", len(got.Items), err)
	}
}

func TestSupportContainers(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	robot := agent("o:firm", "ann")
	client := w.as(robot)
	in := beginning(api.Case{CaseID: uuid.NewString()}, api.SupportReq)
	in.ContainerType = api.ContainerSupport
	if _, err := client.Container(t.Context(), api.ContainerSupport, in.ContainerID); !errors.Is(err, errs.ErrNotFound) {
		t.Errorf("Container before its first use = %v", err)
	}
	begun, err := client.BeginPhase(t.Context(), in)
	if err != nil || !begun.Run || begun.Container.Case != nil || begun.Phase.DirectedBy.Capacity != "none" {
		t.Fatalf("BeginPhase = %+v, %v", begun, err)
	}
	got, err := w.as(user("o:firm", "root", access.RoleAdmin)).Container(t.Context(), api.ContainerSupport, in.ContainerID)
	if diff := cmp.Diff(begun.Container, got); err != nil || diff != "" {
		t.Errorf("Container: %v\n%s", err, diff)
	}
	if _, err := w.as(user("o:other", "eve")).Container(t.Context(), api.ContainerSupport, in.ContainerID); !errors.Is(err, errs.ErrNotFound) {
		t.Errorf("another tenant's Container = %v", err)
	}
}

// TestHintsAreForCallersThatAskForThem searches for a word that is only near in meaning to one of the file: a caller of
// before there were hints would take it for a match.
func TestHintsAreForCallersThatAskForThem(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	ann := user("u:ann", "ann")
	c := w.newCase(ann, nil)
	w.upload(ann, c.CaseID, nil, textFile("stay.txt", "STATEMENT\n\nThe guests left the hotel by noon.\n"))

	for broad, want := range map[bool]int{false: 0, true: 1} {
		got, err := w.as(agent("u:ann", "ann")).Search(
			t.Context(), c.CaseID, api.SearchCase{Query: "inn", Limit: 5, Broad: broad},
		)
		if err != nil || len(got.Hits) != want {
			t.Errorf("broad %v: %+v, %v; want %d hits", broad, got, err, want)
		}
		if want == 1 && len(got.Hits) == 1 && !slices.Equal(got.Hits[0].Near, []string{"hotel"}) {
			t.Errorf("near %q, want hotel", got.Hits[0].Near)
		}
	}
}

func TestSearchForAgents(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	ann, robot := user("u:ann", "ann"), agent("u:ann", "ann")
	c := w.newCase(ann, nil)
	text := into[uploaded](t, w.upload(ann, c.CaseID, nil, textFile("complaint.txt", complaint)), 201).Items[0]
	attested := part{"metadata", "", "application/json", []byte(`[{"attestation":true}]`)}
	scanned := into[uploaded](t, w.upload(ann, c.CaseID, nil, attested, part{"file", "scan.pdf", "application/pdf", scan(1)}), 201).Items[0]
	client := w.as(robot)
	got, err := client.Search(t.Context(), c.CaseID, api.SearchCase{Query: "who terminated the lease without notice", Limit: 5})
	if err != nil || got.FilesRead != 1 || got.FilesUnreadable != 1 || len(got.Hits) == 0 {
		t.Fatalf("Search = %+v, %v", got, err)
	}
	whole, err := client.FileText(t.Context(), c.CaseID, text.FileID, 0, 0)
	if err != nil {
		t.Fatal(err)
	}

	for _, h := range got.Hits {
		quoted := string([]rune(whole.Text)[h.Source.CharStart:h.Source.CharEnd])
		if h.FileName != "complaint.txt" || h.Source.FileID != text.FileID || strings.Join(strings.Fields(quoted), " ") != h.Source.Quote || !strings.Contains(whole.Text, h.Text) || len(h.Matched) == 0 {
			t.Errorf("hit = %+v", h)
		}
	}
	got, err = client.Search(t.Context(), c.CaseID, api.SearchCase{Query: "lease", FileIDs: []string{scanned.FileID}, Limit: 5})
	if err != nil || len(got.Hits) != 0 || got.FilesRead != 0 || got.FilesUnreadable != 1 {
		t.Errorf("Search in the scan = %+v, %v", got, err)
	}
	files, err := client.Files(t.Context(), c.CaseID, "")
	if err != nil || len(files.Items) != 2 || files.Items[0].FileID != text.FileID {
		t.Errorf("Files = %+v, %v", files, err)
	}

	for name, tc := range map[string]struct {
		caller access.Caller
		in     api.SearchCase
		want   string
	}{
		"no query":          {robot, api.SearchCase{Limit: 5}, "validation_failed"},
		"no limit":          {robot, api.SearchCase{Query: "x"}, "validation_failed"},
		"limit too high":    {robot, api.SearchCase{Query: "x", Limit: 51}, "validation_failed"},
		"file of no case":   {robot, api.SearchCase{Query: "x", Limit: 5, FileIDs: []string{uuid.NewString()}}, "not_found"},
		"identity":          {robot, api.SearchCase{Query: "ann@example.com", Limit: 5}, "identity_refused"},
		"without the scope": {agent("u:ann", "ann", "cases:read"), api.SearchCase{Query: "x", Limit: 5}, "scope_missing"},
		"other tenant":      {agent("u:eve", "eve"), api.SearchCase{Query: "x", Limit: 5}, "not_found"},
	} {
		if _, err := w.as(tc.caller).Search(t.Context(), c.CaseID, tc.in); code(err) != tc.want {
			t.Errorf("Search, %s = %v, want %q", name, err, tc.want)
		}
	}
}

func TestEvaluations(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	robot := agent("u:ann", "ann")
	client := w.as(robot)
	ctx := t.Context()
	c := w.newCase(robot, nil)
	in := beginning(c, api.EvalReq)
	if _, err := client.BeginPhase(ctx, in); err != nil {
		t.Fatal(err)
	}
	record := api.RecordEvaluation{
		PhaseID: in.PhaseID, Attempt: 1, Evaluation: evaluation(2, "Eviction matter, [Party 1] and [Party 2]"),
	}
	got, err := client.RecordEvaluation(ctx, c.CaseID, record)
	if err != nil {
		t.Fatal(err)
	}
	if got.Title != "Eviction matter, [Party 1] and [Party 2]" || got.TitleBasis != "evaluated" || got.Version <= c.Version || !cmp.Equal(got.Complexity, &api.Complexity{Evaluation: &record.Evaluation}) {
		t.Errorf("case = %+v", got)
	}
	if again, err := client.RecordEvaluation(ctx, c.CaseID, record); err != nil || again.Version != got.Version {
		t.Errorf("again: version %d, %v, want %d", again.Version, err, got.Version)
	}
	row := into[api.Page[api.CaseRow]](t, w.get(robot, "/v1/cases?tier=2"), 200).Items[0]
	if row.Tier == nil || *row.Tier != 2 || row.Score == nil || *row.Score != 34.5 {
		t.Errorf("row = %+v", row)
	}

	for _, attempt := range []int{-1, 2} {
		other := record
		other.Attempt = attempt
		if _, err := client.RecordEvaluation(ctx, c.CaseID, other); code(err) != "invalid_transition" {
			t.Errorf("an evaluation of attempt %d: %v", attempt, err)
		}
	}
	record.Evaluation = evaluation(0, "Another name")
	if got, err = client.RecordEvaluation(ctx, c.CaseID, record); err != nil || got.Title != "Eviction matter, [Party 1] and [Party 2]" || got.Complexity.Tier != nil {
		t.Errorf("a later evaluation: %+v, %v", got, err)
	}
	named := w.newCase(robot, m{"title": "Given name"})
	other := beginning(named, api.EvalReq)
	if _, err := client.BeginPhase(ctx, other); err != nil {
		t.Fatal(err)
	}
	record = api.RecordEvaluation{PhaseID: other.PhaseID, Attempt: 1, Evaluation: evaluation(1, "Evaluated name")}
	got, err = client.RecordEvaluation(ctx, named.CaseID, record)
	if err != nil || got.Title != "Given name" || got.TitleBasis != "given" {
		t.Errorf("a given title became %q, %v", got.Title, err)
	}

	for name, tc := range map[string]struct {
		caller access.Caller
		caseID string
		change func(*api.RecordEvaluation)
		want   string
	}{
		"phase of another case":  {robot, named.CaseID, func(*api.RecordEvaluation) {}, "not_found"},
		"no phase":               {robot, c.CaseID, func(r *api.RecordEvaluation) { r.PhaseID = uuid.NewString() }, "not_found"},
		"tier beyond":            {robot, c.CaseID, func(r *api.RecordEvaluation) { r.Evaluation = evaluation(5, "") }, "validation_failed"},
		"score beyond":           {robot, c.CaseID, func(r *api.RecordEvaluation) { r.Evaluation.Score = 101 }, "validation_failed"},
		"title too short":        {robot, c.CaseID, func(r *api.RecordEvaluation) { r.Evaluation = evaluation(1, "x") }, "validation_failed"},
		"identity in the title":  {robot, c.CaseID, func(r *api.RecordEvaluation) { r.Evaluation = evaluation(1, "ann@example.com") }, "identity_refused"},
		"without the scope":      {agent("u:ann", "ann", "cases:read"), c.CaseID, func(*api.RecordEvaluation) {}, "scope_missing"},
		"another tenant's agent": {agent("u:eve", "eve"), c.CaseID, func(*api.RecordEvaluation) {}, "not_found"},
	} {
		r := api.RecordEvaluation{PhaseID: in.PhaseID, Attempt: 1, Evaluation: evaluation(2, "")}
		tc.change(&r)
		if _, err := w.as(tc.caller).RecordEvaluation(ctx, tc.caseID, r); code(err) != tc.want {
			t.Errorf("RecordEvaluation, %s = %v, want %q", name, err, tc.want)
		}
	}
}

func TestRefusalsOfOthersAreRecorded(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	client := w.as(agent("u:ann", "ann"))
	if err := client.RecordRefusal(t.Context(), api.RecordRefusal{Action: "prompt.refused", ResourceType: "phase", ResourceID: uuid.NewString()}); err != nil {
		t.Fatal(err)
	}

	for name, in := range map[string]api.RecordRefusal{
		"no action": {ResourceType: "phase"}, "action of many words": {Action: "He said no", ResourceType: "phase"}, "no type": {Action: "x"},
		"id that could be content": {Action: "x", ResourceType: "phase", ResourceID: "ann"},
	} {
		if err := client.RecordRefusal(t.Context(), in); code(err) != "validation_failed" {
			t.Errorf("RecordRefusal, %s = %v", name, err)
		}
	}
	if err := w.as(access.Caller{Kind: access.Service}).RecordRefusal(t.Context(), api.RecordRefusal{
		Action:       "x",
		ResourceType: "phase",
	}); code(
		err,
	) != "not_found" {
		t.Errorf("RecordRefusal of no tenant = %v", err)
	}
}

// Wherever an agent says something, an identity in it keeps the phase from ending that way.
func TestAllThatAnAgentSaysPassesTheGate(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	robot := agent("u:ann", "ann")
	c := w.newCase(user("u:ann", "ann"), nil)
	in := beginning(c, api.EvalReq)
	if _, err := w.as(robot).BeginPhase(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	const leak = "Ask ann@example.com"
	factor := api.Factor{Feature: "parties", Value: "two", Sources: []api.SourceRef{{FileID: party1, TextVersion: 1, CharEnd: 9, Quote: "fine"}}}

	for path, say := range map[string]func(*api.EndPhase){
		"response.text":                    func(e *api.EndPhase) { e.Response.Text = leak },
		"response.questions[0]":            func(e *api.EndPhase) { e.Response.Questions = []string{leak} },
		"response.limits[0]":               func(e *api.EndPhase) { e.Response.Limits = []string{leak} },
		"response.suggestedNext[0].prompt": func(e *api.EndPhase) { e.Response.SuggestedNext[0].Prompt = leak },
		"response.citations[0].source.quote": func(e *api.EndPhase) {
			e.Response.Citations = []api.Citation{{N: 1, Source: api.SourceRef{Quote: leak}}}
		},
		"response.authorities[0].text":                      func(e *api.EndPhase) { e.Response.Authorities = []api.Authority{{Text: leak}} },
		"response.refusal.reason":                           func(e *api.EndPhase) { e.Response.Refusal = &api.Refusal{Reason: leak} },
		"response.humanReview.reasons[0]":                   func(e *api.EndPhase) { e.Response.HumanReview.Reasons = []string{leak} },
		"response.evaluation.tierName":                      func(e *api.EndPhase) { e.Response.Evaluation.TierName = leak },
		"response.evaluation.floors[0]":                     func(e *api.EndPhase) { e.Response.Evaluation.Floors = []string{leak} },
		"response.evaluation.missing[0]":                    func(e *api.EndPhase) { e.Response.Evaluation.Missing = []string{leak} },
		"response.evaluation.questions[0]":                  func(e *api.EndPhase) { e.Response.Evaluation.Questions = []string{leak} },
		"response.evaluation.suggested.title":               func(e *api.EndPhase) { e.Response.Evaluation.Suggested.Title = leak },
		"response.evaluation.suggested.nextSteps[0]":        func(e *api.EndPhase) { e.Response.Evaluation.Suggested.NextSteps = []string{leak} },
		"response.evaluation.breakdown[0].feature":          func(e *api.EndPhase) { e.Response.Evaluation.Breakdown[0].Feature = leak },
		"response.evaluation.breakdown[0].value":            func(e *api.EndPhase) { e.Response.Evaluation.Breakdown[0].Value = leak },
		"response.evaluation.breakdown[0].sources[0].quote": func(e *api.EndPhase) { e.Response.Evaluation.Breakdown[0].Sources[0].Quote = leak },
		"toolCalls[0].name":                                 func(e *api.EndPhase) { e.ToolCalls[0].Name = leak },
		"toolCalls[0].summary":                              func(e *api.EndPhase) { e.ToolCalls[0].Summary = leak },
		"engine.fallbackReason":                             func(e *api.EndPhase) { e.Engine.FallbackReason = leak },
		"engine.model.provider":                             func(e *api.EndPhase) { e.Engine.Model = &api.EngineModel{Provider: leak, Name: "m"} },
		"engine.model.name":                                 func(e *api.EndPhase) { e.Engine.Model = &api.EngineModel{Provider: "p", Name: leak} },
		"engine.model.templateVersion": func(e *api.EndPhase) {
			e.Engine.Model = &api.EngineModel{Provider: "p", Name: "m", TemplateVersion: leak}
		},
	} {
		t.Run(path, func(t *testing.T) {
			end, graded := answered(t, 1), evaluation(2, "Eviction matter")
			own := factor
			own.Sources = []api.SourceRef{factor.Sources[0]}
			graded.Breakdown = []api.Factor{own}
			end.Response.Evaluation = &graded
			say(&end)
			end.ResponseSHA256 = digest(string(wire(t, end.Response)))
			e := refused(t, w.json(robot, http.MethodPost, "/internal/phases/"+in.PhaseID+"/end", end), 403, "identity_refused")
			if len(e.Details) != 1 || e.Details[0].Path != path {
				t.Errorf("details = %+v", e.Details)
			}
			inner, isResponse := strings.CutPrefix(path, "response.")
			if !isResponse || !strings.HasPrefix(inner, "evaluation.") {
				return
			}
			e = refused(t, w.json(robot, http.MethodPut, "/internal/cases/"+c.CaseID+"/evaluation", api.RecordEvaluation{PhaseID: in.PhaseID, Attempt: 1, Evaluation: *end.Response.Evaluation}), 403, "identity_refused")
			if len(e.Details) != 1 || e.Details[0].Path != inner {
				t.Errorf("details of the record = %+v", e.Details)
			}
		})
	}
}
