package agentsvc

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/runs"
	"github.com/subrosa-legal/subrosa/pkg/telemetry"
)

func TestEndsOfRunsAreMeasured(t *testing.T) {
	t.Parallel()
	tel, err := telemetry.New(t.Context(), "agent-svc", io.Discard, slog.LevelError)
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
