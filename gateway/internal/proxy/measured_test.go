package proxy

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/telemetry/export"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"
)

// kept is a span that somebody keeps.
type kept struct{ noop.Span }

func (kept) IsRecording() bool { return true }

// Calls are counted under the same names and attributes, whether their trace is kept or not.
func TestCallsAreMeasuredAlikeWithAndWithoutATrace(t *testing.T) {
	tel, err := export.New(t.Context(), "gateway", io.Discard, nil)
	if err != nil {
		t.Fatal(err)
	}
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/missing" {
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	t.Cleanup(upstream.Close)
	gone := httptest.NewServer(nil)
	gone.Close()
	calls, err := newMeasured(upstream.Client().Transport, tel)
	if err != nil {
		t.Fatal(err)
	}
	requests := []struct{ method, url, body string }{
		{http.MethodGet, upstream.URL + "/there", ""},
		{http.MethodGet, upstream.URL + "/missing", ""},
		{http.MethodPost, upstream.URL + "/there", "four"},
		{"PROPFIND", upstream.URL + "/there", ""},
		{http.MethodGet, gone.URL, ""},
	}

	for _, asked := range requests {
		for _, ctx := range []struct{ trace bool }{{true}, {false}, {false}} {
			r, err := http.NewRequestWithContext(t.Context(), asked.method, asked.url, strings.NewReader(asked.body))
			if err != nil {
				t.Fatal(err)
			}
			if ctx.trace {
				r = r.WithContext(trace.ContextWithSpan(r.Context(), kept{}))
			}
			resp, err := calls.RoundTrip(r)
			if err == nil {
				err = errors.Join(discarded(resp.Body), resp.Body.Close())
			}
			if (err != nil) != strings.HasPrefix(asked.url, gone.URL) {
				t.Fatalf("%s %s: %v", asked.method, asked.url, err)
			}
		}
	}
	told := httptest.NewRecorder()
	tel.Metrics.ServeHTTP(told, httptest.NewRequest(http.MethodGet, "/metrics", nil))

	for _, what := range []string{"duration_seconds", "body_size_bytes"} {
		name := "http_client_request_" + what + "_count"
		series := regexp.MustCompile(`(?m)^`+name+`\{.*\} (\d+)$`).FindAllStringSubmatch(told.Body.String(), -1)
		if len(series) != len(requests) {
			t.Errorf("%d series of %s, want %d: %q", len(series), name, len(requests), series)
		}

		for _, s := range series {
			if s[1] != "3" {
				t.Errorf("%s, want 3", s[0])
			}
		}
	}
}

func discarded(r io.Reader) error {
	_, err := io.Copy(io.Discard, r)
	return err
}
