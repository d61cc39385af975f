package httpx_test

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
	"github.com/subrosa-legal/subrosa/pkg/telemetry/export"
)

func TestRefusalsAreCountedByCodeRouteAndKind(t *testing.T) {
	tel, err := export.New(t.Context(), "case-svc", io.Discard, slog.LevelError)
	if err != nil {
		t.Fatal(err)
	}
	engine := httpx.NewEngine(tel)
	refusal := errs.New(errs.Forbidden, "identity_refused", "No.").WithDetails(errs.Detail{Path: "a", Kind: "email"}, errs.Detail{Path: "b", Kind: "email"}, errs.Detail{Path: "c", Kind: "phone"})
	engine.POST("/v1/cases/:caseId", httpx.Handle(tel.Log, func(c *gin.Context) error {
		if c.Query("q") == "" {
			c.Status(http.StatusNoContent)
			return nil
		}

		return refusal
	}))

	for _, target := range []string{"/v1/cases/PLANTED?q=PLANTED", "/v1/cases/PLANTED?q=PLANTED", "/v1/cases/PLANTED", "/PLANTED"} {
		engine.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, target, nil))
	}
	scraped := httptest.NewRecorder()
	tel.Metrics.ServeHTTP(scraped, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	text := scraped.Body.String()

	for _, want := range []struct{ labels, value string }{
		{`subrosa_refusals_total{code="identity_refused",http_route="/v1/cases/:caseId"`, "2"},
		{`subrosa_refusals_total{code="not_found",http_route=""`, "1"},
		{`subrosa_guard_findings_total{kind="email"`, "2"},
		{`subrosa_guard_findings_total{kind="phone"`, "2"},
	} {
		found := false
		for line := range strings.Lines(text) {
			found = found || strings.HasPrefix(line, want.labels) && strings.HasSuffix(line, "} "+want.value+"\n")
		}
		if !found {
			t.Errorf("no %s with %s in:\n%s", want.labels, want.value, text)
		}
	}
	if strings.Contains(text, "PLANTED") {
		t.Error("what a caller sent is in the metrics")
	}
}
