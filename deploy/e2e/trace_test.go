package e2e_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/deploy/internal/client"
	"github.com/subrosa-legal/subrosa/deploy/internal/traces"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/telemetry/export"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
)

// newBook receives the spans of the worlds that this test starts.
func newBook(t *testing.T) *traces.Book {
	t.Helper()
	book := &traces.Book{}
	receiver := httptest.NewServer(book.Handler())
	t.Cleanup(receiver.Close)

	for name, value := range map[string]string{
		"OTEL_TRACES_EXPORTER": "otlp", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": receiver.URL + "/v1/traces", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL": "http/protobuf",
		"OTEL_BSP_SCHEDULE_DELAY": "100", "OTEL_TRACES_SAMPLER": "parentbased_always_on",
	} {
		t.Setenv(name, value)
	}

	return book
}

// TestOneCallIsOneTrace holds what the services export against what an operator has to see: one connected trace for a call, with the spans
// of every service that took part and of both stores, and of a run until its end. That none holds content is tested where identities are planted.
func TestOneCallIsOneTrace(t *testing.T) {
	if !inOwnProcess(t) {
		return
	}

	book := newBook(t)
	w := start(t, unlimited())
	agent := w.connect(ada)
	caseID, _ := w.newCase(agent.bearer)
	const question = "Which partners fit this case?"
	job := task(caseID, api.CaseReq, question)
	checkStream(t, job.SeedPhase.PhaseID, w.post(agent.bearer, job).all())

	for _, tc := range []struct {
		name     string
		services []string
	}{
		{"POST /v1/agent", []string{"agent-svc", "case-svc", "gateway", "party-svc"}},
		{"POST /v1/agents/register", []string{"auth-svc", "gateway", "registry-svc"}},
		{"POST /v1/auth/token", []string{"auth-svc", "gateway"}},
	} {
		var seen traces.Trace
		testkit.Until(t, testkit.Patience, func() error { // spans are exported as they end
			found := book.Latest(1, traces.Filter{Name: tc.name, Service: tc.services[0]})
			if len(found) == 0 {
				return errors.New("no trace of " + tc.name)
			}
			seen = found[0]
			if !slices.Equal(seen.Services(), tc.services) || storesIn(seen) != "mongodb redis" || lost(seen) {
				return fmt.Errorf("%s: services %v, want %v; stores %q; spans that hang in the air: %t", tc.name, seen.Services(), tc.services, storesIn(seen), lost(seen))
			}

			return nil
		})
		if root := seen.Root(); root.Service != "gateway" || root.Kind != "server" {
			t.Errorf("%s begins with %s of %s", tc.name, root.Kind, root.Service)
		}
		silent(t, seen, caseID, agent.bearer, question)
	}
}

// TestAnAgentsTraceIsGoneOnWith: an agent that traces its own work, or a proxy before it, and that the gateway is told to trust, has everything
// from the registration to the end of its first task in one connected trace: the spans of all six services and of both stores below its own.
func TestAnAgentsTraceIsGoneOnWith(t *testing.T) {
	if !inOwnProcess(t) {
		return
	}

	book := newBook(t)
	w := start(t, map[string]string{"GATEWAY_TRUSTED_TRACES": "127.0.0.1/32"})
	caseID, _ := w.newCase(w.token(ada))
	const question = "Which partners fit this case?"
	registration, host := w.registrationToken(ada), w.cardHost()
	own, err := export.New(t.Context(), "agent", io.Discard, nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, ask := own.Tracers.Tracer("agent").Start(t.Context(), "ask")
	registered, err := w.as("").Register(ctx, registration, host.url)
	if err != nil {
		t.Fatal(err)
	}
	bearer, err := w.as("").Exchange(ctx, registered.SharedAPIKey)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.as(bearer.BearerToken).Run(ctx, task(caseID, api.CaseReq, question), func(client.Event) error { return nil }, nil); err != nil {
		t.Fatal(err)
	}
	ask.End()
	if err := own.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	services := []string{"agent", "agent-svc", "auth-svc", "case-svc", "gateway", "party-svc", "registry-svc"}
	var seen traces.Trace
	testkit.Until(t, testkit.Patience, func() error {
		found := book.Latest(1, traces.Filter{Name: "ask"})
		if len(found) == 0 {
			return errors.New("no trace that begins with ask")
		}
		seen = found[0]
		if seen.ID != ask.SpanContext().TraceID().String() || !slices.Equal(seen.Services(), services) ||
			storesIn(seen) != "mongodb redis" ||
			lost(seen) {
			return fmt.Errorf(
				"services %v, want %v; stores %q; spans that hang in the air: %t",
				seen.Services(),
				services,
				storesIn(seen),
				lost(seen),
			)
		}

		return nil
	})
	silent(t, seen, caseID, registration, registered.SharedAPIKey, bearer.BearerToken, question)
}

// TestAModelIsPartOfTheTrace: the provider is not told of the trace, and the span says nothing of what was asked.
func TestAModelIsPartOfTheTrace(t *testing.T) {
	if !inOwnProcess(t) {
		return
	}

	book := newBook(t)
	chat := newChatServer(t)
	chat.set(0, "Either of them may terminate by “written notice of thirty days” [1].")
	w := start(t, chat.settings())
	caseID, _ := w.newCase(w.token(ada))
	if a := w.send(http.MethodPatch, "/v1/cases/"+caseID, w.token(ada), `{"confidentiality":{"aiPolicy":"local_model_only"}}`, "Content-Type", "application/json"); a.status != 200 {
		t.Fatalf("status %d: %s", a.status, a.body)
	}
	job := task(caseID, api.CaseReq, "How may the agreement be terminated?")
	job.Options = &api.TaskOptions{Mode: "model"}
	checkStream(t, job.SeedPhase.PhaseID, w.post(w.token(ada), job).all())
	model, err := url.Parse(chat.URL)
	if err != nil {
		t.Fatal(err)
	}
	testkit.Until(t, testkit.Patience, func() error {
		calls := 0

		for _, seen := range book.Latest(1, traces.Filter{Name: "POST /v1/agent", Service: "agent-svc"}) {
			for _, s := range seen.Spans {
				if s.Service == "agent-svc" && s.Kind == "client" && slices.Contains(s.Attributes, traces.Attribute{Name: "server.port", Value: model.Port()}) {
					calls++
				}
			}
		}
		if calls != 2 {
			return fmt.Errorf("%d calls to the model in the trace, want 2", calls)
		}

		return nil
	})
	if told := chat.headers("Traceparent"); len(told) > 0 {
		t.Errorf("the model was told of the trace: %q", told)
	}
}

// silent fails the test when a span says one of words.
func silent(t *testing.T, seen traces.Trace, words ...string) {
	t.Helper()

	for _, s := range seen.Spans {
		for _, a := range append(s.Attributes, traces.Attribute{Name: "name", Value: s.Name}) {
			if slices.ContainsFunc(words, func(word string) bool { return strings.Contains(a.Value, word) }) {
				t.Errorf("the span %q says %s = %q", s.Name, a.Name, a.Value)
			}
		}
	}
}

// storesIn names the kinds of stores that spans of the trace are calls to.
func storesIn(t traces.Trace) string {
	var kinds []string

	for _, s := range t.Spans {
		for _, a := range s.Attributes {
			if a.Name == "db.system.name" && !slices.Contains(kinds, a.Value) {
				kinds = append(kinds, a.Value)
			}
		}
	}
	slices.Sort(kinds)

	return strings.Join(kinds, " ")
}

func lost(t traces.Trace) bool {
	return slices.ContainsFunc(t.Tree(), func(r traces.Row) bool { return r.Lost })
}
