package a2a_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/a2a"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/a2a/scripted"
)

// Whatever comes is answered by a JSON-RPC message, or by a stream of them, and by no fault of ours.
func FuzzRPC(f *testing.F) {
	for _, seed := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":` + encoded(message("x", nil)) + `}`,
		`{"jsonrpc":"2.0","id":"a","method":"ListTasks","params":{"page_size":"3"}}`, `[]`, `{}`, ``,
		`{"jsonrpc":"2.0","id":1.5,"method":"GetTask","params":{"id":"x","historyLength":1e3}}`,
		`{"jsonrpc":"2.0","method":"SendMessage","params":` +
			encoded(message("x", object{"parts": []any{object{"raw": "eA"}}})) + `}`,
	} {
		f.Add([]byte(seed))
	}
	const played = `{"rules":[{"steps":[{"say":"x"},{"state":"TASK_STATE_COMPLETED"}]}]}`

	rules, err := scripted.Read(strings.NewReader(played))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		tasks := &scripted.Tasks{Now: time.Now}

		worker := &scripted.Worker{Script: rules, Tasks: tasks, Now: time.Now}
		defer worker.Close()
		e := &a2a.Endpoint{
			Service: &a2a.Service{
				Work: worker, Tasks: tasks, Base: "https://subrosa.example", Beat: time.Second, Wait: time.Second,
				Look: time.Second, Stops: func() bool { return false }, Now: time.Now,
			},
			Owner:    func(context.Context) string { return "o:firm|ann" },
			Enter:    func(context.Context) (func(), error) { return func() {}, nil },
			Patience: time.Second, Log: slog.New(slog.DiscardHandler),
		}
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/a2a/rpc", bytes.NewReader(body))
		r.Header.Set("A2A-Version", "1.0")
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		e.ServeRPC(w, r)
		if w.Header().Get("Content-Type") == "text/event-stream" {
			return
		}
		var envelope struct {
			JSONRPC string              `json:"jsonrpc"`
			Error   *struct{ Code int } `json:"error"`
			Result  *json.RawMessage    `json:"result"`
		}
		if err := json.Unmarshal(w.Body.Bytes(), &envelope); err != nil || envelope.JSONRPC != "2.0" {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
		if (envelope.Error == nil) == (envelope.Result == nil) {
			t.Errorf("%s", w.Body)
		}
		if envelope.Error != nil && envelope.Error.Code == -32603 {
			t.Errorf("a fault of ours: %s", w.Body)
		}
	})
}
