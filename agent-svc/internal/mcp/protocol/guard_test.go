package protocol_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/mcp/protocol"
	"github.com/subrosa-legal/subrosa/pkg/access"
)

// FuzzGuard sends bodies of all sorts for a caller to whom nothing was granted. However they are written, the tool must not be reached.
func FuzzGuard(f *testing.F) {
	for _, body := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"write","arguments":{}}}`,
		`[{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"write"}}]`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/list","Method":"tools/call","params":{"name":"write"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"\u0077rite","name\u0000":"x"}}`,
		"\ufeff" + `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"write"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":null}`, `{}`, `null`, `[]`, ``,
	} {
		f.Add(body, "2025-11-25")
		f.Add(body, "2026-07-28")
	}
	var reached atomic.Int64
	e := protocol.New(protocol.Config{Base: "https://subrosa.test", Log: slog.New(slog.DiscardHandler)})
	e.Add(protocol.Tool{
		Name: "write", Input: json.RawMessage(`{"type":"object"}`), Needs: func(json.RawMessage) []string { return []string{access.ScopeWrite} },
		Limit: func(json.RawMessage) time.Duration { return time.Second },
		Do: func(context.Context, *protocol.Call) (protocol.Answer, error) {
			reached.Add(1)
			return protocol.Answer{Value: struct{}{}}, nil
		},
	})
	send := func(tb testing.TB, body, version string, scopes ...string) *httptest.ResponseRecorder {
		r := httptest.NewRequestWithContext(
			access.WithCaller(
				tb.Context(),
				access.Caller{Kind: access.OAuth, Tenant: "o:oak", UserID: "ann", ClientID: "c", Scopes: scopes},
				"",
			),
			http.MethodPost,
			protocol.Path,
			strings.NewReader(body),
		)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		r.Header["Mcp-Protocol-Version"] = []string{version}
		r.Header.Set("Mcp-Method", "tools/call")
		r.Header.Set("Mcp-Name", "write")
		w := httptest.NewRecorder()
		e.ServeHTTP(w, r)

		return w
	}
	// What the fuzz relies on: with the scope the tool is reached.
	if w := send(f, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"write","arguments":{}}}`, "2025-11-25", access.ScopeWrite); w.Code != http.StatusOK || reached.Swap(0) != 1 {
		body, _ := io.ReadAll(w.Body)
		f.Fatalf("a call with its scope: %d %s", w.Code, body)
	}
	f.Fuzz(func(t *testing.T, body, version string) {
		if w := send(t, body, version); reached.Load() != 0 {
			t.Errorf("%q reached the tool: %d", body, w.Code)
		}
	})
}

// TestAToolThatPanics must not take the process along, nor tell what it panicked with.
func TestAToolThatPanics(t *testing.T) {
	var logged strings.Builder
	e := protocol.New(protocol.Config{Base: "https://subrosa.test", Log: slog.New(slog.NewTextHandler(&logged, nil))})
	e.Add(protocol.Tool{
		Name: "burst", Input: json.RawMessage(`{"type":"object"}`), Limit: func(json.RawMessage) time.Duration { return time.Second },
		Do: func(context.Context, *protocol.Call) (protocol.Answer, error) { panic("Jane Roe") },
	})
	r := httptest.NewRequestWithContext(
		access.WithCaller(t.Context(), access.Caller{Kind: access.OAuth}, ""),
		http.MethodPost,
		protocol.Path,
		strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"burst"}}`),
	)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	w := httptest.NewRecorder()
	e.ServeHTTP(w, r)
	if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `\"error\":\"internal\"`) || strings.Contains(w.Body.String()+logged.String(), "Jane") || !strings.Contains(logged.String(), "a tool panicked") {
		t.Errorf("%d %s, log %s", w.Code, w.Body, logged.String())
	}
}
