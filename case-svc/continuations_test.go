package casesvc_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/authn"
	"github.com/subrosa-legal/subrosa/pkg/httpcall"
	"github.com/subrosa-legal/subrosa/pkg/services"
	"github.com/subrosa-legal/subrosa/pkg/telemetry"
	"github.com/subrosa-legal/subrosa/pkg/testkit/servicetest"
)

// signer signs in the name of a service.
func (w *world) signer(service string) *authn.Signer {
	w.t.Helper()
	seed, _ := servicetest.Seed(service)
	s, err := authn.NewSigner(service, seed, w.clock.Now)
	if err != nil {
		w.t.Fatal(err)
	}

	return s
}

// with is the client that agent-svc uses, with a token.
func (w *world) with(token string) services.CaseClient {
	w.t.Helper()
	client, err := httpcall.NewClient(
		w.Base,
		func(context.Context) (string, error) { return token, nil },
		telemetry.Discard("agent-svc", w.logs),
		w.Client.Transport,
	)
	if err != nil {
		w.t.Fatal(err)
	}

	return services.CaseClient{HTTP: client}
}

// continued is the client of a run that goes on in the name of caller.
func (w *world) continued(caller access.Caller, p access.Phase) services.CaseClient {
	w.t.Helper()
	token, err := w.signer("auth-svc").Continue(authn.Continuation{Caller: caller, Phase: p})
	if err != nil {
		w.t.Fatal(err)
	}

	return w.with(token)
}

func (w *world) asAgentSvc(tenant string) services.CaseClient {
	w.t.Helper()
	token, err := w.signer("agent-svc").Token(access.Caller{Kind: access.Service, Tenant: tenant})
	if err != nil {
		w.t.Fatal(err)
	}

	return w.with(token)
}

// interrupted begins a phase whose process then dies, so that it may be taken up now.
func (w *world) interrupted(caller access.Caller, in api.BeginPhase) {
	w.t.Helper()
	if _, err := w.as(caller).BeginPhase(w.t.Context(), in); err != nil {
		w.t.Fatal(err)
	}
	if _, err := w.asAgentSvc(caller.Tenant).InterruptPhase(w.t.Context(), in.PhaseID, 1); err != nil {
		w.t.Fatal(err)
	}
	w.clock.Advance(time.Second)
}

// What is kept with a phase is enough to run it again, and holds no token.
func TestWhatIsKeptToContinueAPhase(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	robot := agent("o:firm", "ann")
	in := beginning(w.newCase(robot, nil), api.CaseReq)
	in.Options = &api.TaskOptions{Mode: "deterministic", MaxSeconds: 60, Language: "en"}
	w.interrupted(robot, in)
	got, err := w.asAgentSvc("o:firm").Continuation(t.Context(), in.PhaseID)
	if err != nil {
		t.Fatal(err)
	}
	task := got.Task
	if task.Prompt != in.Prompt || task.SessionID != in.SessionID || task.RequestType != in.RequestType ||
		*task.Options != *in.Options ||
		got.Fingerprint != in.Fingerprint {
		t.Errorf("the task is kept as %+v", task)
	}
	if got.Caller.AgentID != robot.AgentID || !slices.Equal(got.Caller.Scopes, robot.Scopes) ||
		got.Status != api.PhaseInterrupted ||
		got.Spent {
		t.Errorf("kept are %+v", got)
	}
	trusted := &authn.Verifier{Trust: authn.Trust{"case-svc": nil}, Now: w.clock.Now}
	_, public := servicetest.Seed("case-svc")
	if trusted.Trust, err = authn.ParseTrust([]byte(`{"case-svc":"` + public + `"}`)); err != nil {
		t.Fatal(err)
	}
	if c, err := trusted.Voucher(
		got.Voucher,
	); err != nil || c.Caller.AgentID != robot.AgentID || c.Phase.PhaseID != in.PhaseID ||
		c.Phase.ContainerID != in.ContainerID {
		t.Errorf("the voucher says %+v, %v", c, err)
	}

	for what, client := range map[string]services.CaseClient{
		"an agent": w.as(robot), "another service": w.as(access.Caller{Kind: access.Service, Tenant: "o:firm"}),
	} {
		if _, err := client.Continuation(t.Context(), in.PhaseID); code(err) != "forbidden" {
			t.Errorf("%s asks: %v", what, err)
		}
	}
	if _, err := w.asAgentSvc("o:other").Continuation(t.Context(), in.PhaseID); code(err) != "not_found" {
		t.Errorf("in another tenant: %v", err)
	}
}

// A continuation token opens its phase and the case that this belongs to, and nothing else.
func TestAContinuationTokenReachesItsPhaseAlone(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	ann := user("o:firm", "ann")
	mine, other := w.newCase(ann, nil), w.newCase(ann, nil)
	in, beside := beginning(mine, api.CaseReq), beginning(other, api.CaseReq)
	w.interrupted(ann, in)
	if _, err := w.as(ann).BeginPhase(t.Context(), beside); err != nil {
		t.Fatal(err)
	}
	phase := access.Phase{
		PhaseID:       in.PhaseID,
		RequestType:   in.RequestType,
		ContainerType: in.ContainerType,
		ContainerID:   in.ContainerID,
		TimelineID:    mine.TimelineID,
	}
	client, ctx := w.continued(ann, phase), t.Context()

	for what, call := range map[string]func() error{
		"another case":             func() error { _, err := client.Files(ctx, other.CaseID, ""); return err },
		"another container":        func() error { _, err := client.Container(ctx, api.ContainerCase, other.CaseID); return err },
		"another phase":            func() error { _, err := client.Phase(ctx, beside.PhaseID); return err },
		"the end of another phase": func() error { _, err := client.EndPhase(ctx, beside.PhaseID, answered(t, 1)); return err },
		"taking another phase up":  func() error { _, err := client.BeginPhase(ctx, beside); return err },
		"a new phase":              func() error { _, err := client.BeginPhase(ctx, beginning(mine, api.CaseReq)); return err },
		"how the tenant fares":     func() error { _, err := client.Usage(ctx); return err },
		"its own refusals":         func() error { _, err := client.Refusals(ctx); return err },
		"the list of cases": func() error {
			_, err := client.HTTP.Do(ctx, httpcall.Request{Method: http.MethodGet, Path: "/v1/cases"})
			return err
		},
		"a change of its case": func() error {
			path := httpcall.Path("v1", "cases", mine.CaseID)
			_, err := client.HTTP.Do(ctx, httpcall.Request{Method: http.MethodDelete, Path: path})

			return err
		},
		"its case under another's name": func() error {
			_, err := client.HTTP.Do(ctx, httpcall.Request{
				Method: http.MethodGet,
				Path:   httpcall.Path("v1", "cases", mine.CaseID),
				Query:  map[string][]string{"caseId": {other.CaseID}},
			})

			return err
		},
	} {
		if err := call(); code(err) != "forbidden" {
			t.Errorf("%s: %v, want forbidden", what, err)
		}
	}
	if _, err := client.SaveDraft(ctx, mine.CaseID, draftOf(t, beside.PhaseID, "x")); code(err) != "not_found" {
		t.Errorf("a draft of another phase: %v", err)
	}

	for what, call := range map[string]func() error{
		"its case":  func() error { _, err := client.Files(ctx, mine.CaseID, ""); return err },
		"its phase": func() error { _, err := client.Phase(ctx, in.PhaseID); return err },
		"taking its phase up": func() error {
			begun, err := client.BeginPhase(ctx, in)
			if err == nil && (!begun.Run || begun.Phase.Attempt != 2 || begun.Phase.CreatedBy.ID != "ann") {
				t.Errorf("taken up: %+v", begun.Phase)
			}

			return err
		},
	} {
		if err := call(); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	gone := phase
	gone.PhaseID = uuid.NewString()
	never := in
	never.PhaseID = gone.PhaseID
	if _, err := w.continued(ann, gone).BeginPhase(ctx, never); code(err) != "not_found" {
		t.Errorf("a phase that is not there is begun anew: %v", err)
	}
}

// For a partner's user the grant is looked up at every call, whatever the token says.
func TestAContinuationTokenEndsWithThePartnersGrant(t *testing.T) {
	t.Parallel()
	s := share(t, nil)
	phase := access.Phase{
		PhaseID:       s.forked.PhaseID,
		RequestType:   api.CaseReq,
		ContainerType: api.ContainerCase,
		ContainerID:   s.kase.CaseID,
		TimelineID:    s.kase.TimelineID,
	}
	client := s.continued(pat, phase)
	in := beginning(s.kase, api.CaseReq)
	in.PhaseID = s.forked.PhaseID
	if _, err := s.as(
		pat,
	).BeginPhase(
		t.Context(),
		beginning(s.kase, api.CaseReq),
	); code(err) != "forbidden" &&
		code(err) != "not_found" {
		t.Errorf("a partner begins a phase in the firm's case: %v", err)
	}
	if page, err := client.Files(t.Context(), s.kase.CaseID, ""); err != nil || len(page.Items) != 1 {
		t.Errorf("what was granted: %+v, %v", page.Items, err)
	}
	ended := s.grant
	ended.Ended = true
	if err := s.firm.PutGrant(t.Context(), ended); err != nil {
		t.Fatal(err)
	}
	if _, err := client.Files(t.Context(), s.kase.CaseID, ""); code(err) != "not_found" {
		t.Errorf("after its end: %v", err)
	}
	if _, err := client.BeginPhase(t.Context(), in); code(err) != "not_found" {
		t.Errorf("taking the phase up: %v", err)
	}
}

// Whoever was given up for dead writes nothing into the case any more: not while nobody runs the phase, not beside the
// next attempt, and not once the phase has ended.
func TestAnAttemptThatIsOverWritesNothing(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	ann, robot := user("o:firm", "ann"), agent("o:firm", "ann")
	client, service := w.as(robot), w.asAgentSvc("o:firm")

	for _, kind := range []string{api.CaseReq, api.EvalReq} {
		c := w.newCase(ann, nil)
		in := beginning(c, kind)
		if _, err := client.BeginPhase(t.Context(), in); err != nil {
			t.Fatal(err)
		}
		late := api.ProposeEntries{PhaseID: in.PhaseID, Attempt: 1, Origin: "computed", Entries: []api.EntryContent{{
			Kind: api.EntryFact, When: &api.When{On: "2026-01-05", Precision: "day"}, Title: "[Party 1] gave notice",
			Sources: []api.SourceRef{},
		}}}
		refuses := func(when string) {
			t.Helper()
			if _, err := client.ProposeEntries(t.Context(), c.TimelineID, late); code(err) != "invalid_transition" {
				t.Errorf("%s, entries %s: %v", kind, when, err)
			}
			if kind != api.EvalReq {
				return
			}
			record := api.RecordEvaluation{PhaseID: in.PhaseID, Attempt: 1, Evaluation: evaluation(2, "")}
			if _, err := client.RecordEvaluation(t.Context(), c.CaseID, record); code(err) != "invalid_transition" {
				t.Errorf("an evaluation %s: %v", when, err)
			}
		}

		if _, err := service.InterruptPhase(t.Context(), in.PhaseID, 1); err != nil {
			t.Fatal(err)
		}
		refuses("while nobody runs the phase")
		w.clock.Advance(time.Second)
		if begun, err := client.BeginPhase(t.Context(), in); err != nil || !begun.Run {
			t.Fatalf("attempt 2: %+v, %v", begun, err)
		}
		refuses("beside the next attempt")
		if _, err := service.InterruptPhase(t.Context(), in.PhaseID, 2); err != nil {
			t.Fatal(err)
		}
		late.Attempt = 2
		gone := api.EndPhase{
			Attempt: 2, Status: api.PhaseCancelled, Engine: in.Engine,
			Error: &api.PhaseError{Error: "caller_gone", Message: "Nobody is there."},
		}
		if _, err := service.EndPhase(t.Context(), in.PhaseID, gone); err != nil {
			t.Fatal(err)
		}
		refuses("once the phase has ended")
	}
}

// What an attempt left that did not end is replaced by what the next one makes: drafts and proposed entries, the same
// or others.
func TestTheNextAttemptReplacesWhatOneLeft(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	ann, robot := user("o:firm", "ann"), agent("o:firm", "ann")
	c := w.newCase(ann, nil)
	in, client := beginning(c, api.CaseReq), w.as(robot)
	if _, err := client.BeginPhase(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	on := func(day, title string) api.EntryContent {
		return api.EntryContent{
			Kind:    api.EntryFact,
			When:    &api.When{On: day, Precision: "day"},
			Title:   title,
			Sources: []api.SourceRef{},
		}
	}
	propose := func(attempt int, entries ...api.EntryContent) []api.ProposedEntry {
		t.Helper()
		got, err := client.ProposeEntries(
			t.Context(),
			c.TimelineID,
			api.ProposeEntries{PhaseID: in.PhaseID, Attempt: attempt, Origin: "computed", Entries: entries},
		)
		if err != nil {
			t.Fatal(err)
		}

		return got.Items
	}
	kept, lost := on("2026-01-05", "[Party 1] gave notice"), on("2026-01-06", "[Party 2] answered")
	first := propose(1, kept, lost)
	draft := draftOf(t, in.PhaseID, "[Party 1] demands payment of [Party 2].")
	one, err := client.SaveDraft(t.Context(), c.CaseID, draft)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.asAgentSvc("o:firm").InterruptPhase(t.Context(), in.PhaseID, 1); err != nil {
		t.Fatal(err)
	}
	w.clock.Advance(time.Second)
	if begun, err := client.BeginPhase(t.Context(), in); err != nil || !begun.Run {
		t.Fatalf("attempt 2: %+v, %v", begun, err)
	}
	// The process that was given up for dead may still write: nothing of it counts.
	if _, err := client.ProposeEntries(
		t.Context(),
		c.TimelineID,
		api.ProposeEntries{PhaseID: in.PhaseID, Attempt: 1, Origin: "computed", Entries: []api.EntryContent{lost}},
	); code(
		err,
	) != "invalid_transition" {
		t.Errorf("an entry of the attempt before: %v", err)
	}
	if _, err := client.SaveDraft(t.Context(), c.CaseID, draft); code(err) != "invalid_transition" {
		t.Errorf("a draft of the attempt before: %v", err)
	}
	second := propose(2, kept, on("2026-01-07", "[Party 2] paid"))
	if second[0].EntryID != first[0].EntryID || !second[0].Added || !second[1].Added {
		t.Errorf("proposed again: %+v after %+v", second, first)
	}
	anew := draftOf(t, in.PhaseID, "[Party 1] demands full payment of [Party 2].")
	anew.Attempt = 2
	two, err := client.SaveDraft(t.Context(), c.CaseID, anew)
	if err != nil || two.Items[0].FileID == one.Items[0].FileID {
		t.Fatalf("the draft of attempt 2: %+v, %v", two, err)
	}
	if _, err := client.EndPhase(t.Context(), in.PhaseID, answered(t, 2)); err != nil {
		t.Fatal(err)
	}

	files := into[api.Page[api.File]](t, w.get(ann, "/v1/cases/"+c.CaseID+"/files"), 200).Items
	for _, f := range files {
		if !slices.ContainsFunc(two.Items, func(made api.File) bool { return made.FileID == f.FileID }) {
			t.Errorf("the case still has %s of the attempt before", f.Name)
		}
	}
	if len(files) != len(two.Items) {
		t.Errorf("%d files, want %d", len(files), len(two.Items))
	}
	var told []string

	for _, e := range into[api.Timeline](t, w.get(ann, "/v1/timeline/"+c.TimelineID), 200).Entries {
		if e.Kind == api.EntryFact || strings.HasPrefix(e.Title, "File added") {
			told = append(told, e.Title)
		}
	}
	slices.Sort(told)
	want := []string{
		"File added: " + two.Items[1].Name,
		"File added: " + two.Items[0].Name,
		"[Party 1] gave notice",
		"[Party 2] paid",
	}
	slices.Sort(want)
	if !slices.Equal(told, want) {
		t.Errorf("the timeline tells\n%v\nwant\n%v", told, want)
	}
}
