package agentsvc

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/a2a"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/runs"
	"github.com/subrosa-legal/subrosa/pkg/a2aerr"
	"github.com/subrosa-legal/subrosa/pkg/telemetry/export"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
)

func TestEndsOfRunsAreMeasured(t *testing.T) {
	t.Parallel()
	tel, err := export.New(t.Context(), "agent-svc", io.Discard, slog.LevelError)
	if err != nil {
		t.Fatal(err)
	}
	observe, err := observer(tel)
	if err != nil {
		t.Fatal(err)
	}
	observe(t.Context(), runs.Outcome{Asked: "find", Status: "completed", Mode: "deterministic", Took: 40 * time.Millisecond})
	observe(t.Context(), runs.Outcome{Asked: "eval_req", Status: "completed", Mode: "deterministic", Tier: "complex", Took: time.Second})
	scraped := httptest.NewRecorder()
	tel.Metrics.ServeHTTP(scraped, httptest.NewRequest(http.MethodGet, "/metrics", nil))

	for _, want := range []string{
		`subrosa_run_duration_seconds_count{intent="find",mode="deterministic",`, `subrosa_run_duration_seconds_count{intent="eval_req",`, `subrosa_evaluations_total{`, `tier="complex"} 1`,
	} {
		if !strings.Contains(scraped.Body.String(), want) {
			t.Errorf("no %s in:\n%s", want, scraped.Body)
		}
	}
	if strings.Contains(scraped.Body.String(), `tier=""`) {
		t.Error("a run that is no evaluation counts as one")
	}
}

func TestCallsOfTheAgentProtocolAreMeasured(t *testing.T) {
	t.Parallel()
	tel, err := export.New(t.Context(), "agent-svc", io.Discard, slog.LevelError)
	if err != nil {
		t.Fatal(err)
	}
	spans := tracetest.NewSpanRecorder()
	tracer := trace.NewTracerProvider(trace.WithSpanProcessor(spans)).Tracer("test")
	ctx, span := tracer.Start(t.Context(), "POST /a2a/rpc")
	observe, err := callMeter(tel)
	if err != nil {
		t.Fatal(err)
	}
	refused := a2aerr.New(a2aerr.TaskNotFound, "There is no such task.")
	observe(ctx, a2a.Call{Binding: a2a.BindingRPC, Method: "SendMessage", Failure: refused, Took: time.Second})
	observe(t.Context(), a2a.Call{Binding: a2a.BindingREST, Method: "ListTasks", Took: time.Millisecond})
	span.End()
	scraped := httptest.NewRecorder()
	tel.Metrics.ServeHTTP(scraped, httptest.NewRequest(http.MethodGet, "/metrics", nil))

	for _, want := range []string{
		`rpc_server_call_duration_seconds_count{error_type="TASK_NOT_FOUND"`, `rpc_method="ListTasks"`,
	} {
		if !strings.Contains(scraped.Body.String(), want) {
			t.Errorf("no %s in:\n%s", want, scraped.Body)
		}
	}

	told := map[string]string{}
	for _, a := range spans.Ended()[0].Attributes() {
		told[string(a.Key)] = a.Value.AsString()
	}
	want := map[string]string{
		"rpc.system.name": "jsonrpc", "rpc.method": "SendMessage", "rpc.response.status_code": "-32001",
		"error.type": "TASK_NOT_FOUND", "jsonrpc.protocol.version": "2.0",
		"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "Subrosa",
	}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Errorf("the span says (-want +got):\n%s", diff)
	}
}
