package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/deploy/internal/cli"
	"github.com/subrosa-legal/subrosa/pkg/api"
)

// lineOfA2A is a service that speaks the protocol and takes no bearer but its own.
type lineOfA2A struct {
	*testing.T

	folder string
	answer func(w http.ResponseWriter) // to each request of the protocol, in JSON-RPC without its id
}

const refusedBearer = `{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"A valid credential is needed.",` +
	`"data":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"UNAUTHENTICATED",` +
	`"domain":"a2a-protocol.org","metadata":{"code":"unauthenticated"}}]}}`

// newLineOfA2A has an agent connected, whose bearer the service has forgotten.
func newLineOfA2A(t *testing.T) *lineOfA2A {
	t.Helper()
	l := &lineOfA2A{T: t, folder: t.TempDir()}
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	mux.HandleFunc("GET /.well-known/agent-card.json", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(api.NewA2ACard(server.URL, server.URL))
	})
	mux.HandleFunc("POST /v1/auth/token", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"bearer_token":"fresh","token_type":"Bearer","expires_at":4102444800}`)
	})
	mux.HandleFunc("POST /a2a/rpc", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.Header.Get("Authorization") != "Bearer fresh" {
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = io.WriteString(w, refusedBearer)

			return
		}
		l.answer(w)
	})
	kept := fmt.Sprintf(`{"current":%q,"sites":{%q:{"baseUrl":%q,"agent":{"id":"a","key":"k","bearer":"forgotten",`+
		`"until":"2100-01-01T00:00:00Z"}}}}`, server.URL, server.URL, server.URL)
	if err := os.MkdirAll(filepath.Join(l.folder, "config"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(l.folder, "config", "sites.json"), []byte(kept), 0o600); err != nil {
		t.Fatal(err)
	}

	return l
}

// answers has the service answer so, with a status.
func (l *lineOfA2A) answers(status int, text string) {
	l.answer = func(w http.ResponseWriter) {
		if strings.Contains(text, `"error"`) {
			w.Header().Set("Retry-After", "1")
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":"1",`+text+`}`)
	}
}

func taskThatIs(state string) string {
	return `"result":{"task":{"id":"the-task","contextId":"c","status":{"state":"` + state + `"}}}`
}

const refusedIdentity = `"error":{"code":-32602,"message":"Use labels.","data":[` +
	`{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"INVALID_PARAMS","domain":"a2a-protocol.org",` +
	`"metadata":{"code":"identity_refused","deepLink":"https://subrosa.test/i/add_identity",` +
	`"detail.1":"prompt email bytes 3 to 9"}}]}`

// The verbs exchange the key of an agent whose bearer was forgotten, end as their tasks do, and say of a refusal what
// the answer says.
func TestVerbsOfA2A(t *testing.T) {
	for name, tc := range map[string]struct {
		status int
		answer string
		args   []string
		code   int
		says   []string
	}{
		"a bearer that was forgotten": {200, taskThatIs("TASK_STATE_COMPLETED"), nil, 0, nil},
		"a question":                  {200, taskThatIs("TASK_STATE_INPUT_REQUIRED"), nil, 0, nil},
		"a task that failed":          {200, taskThatIs("TASK_STATE_FAILED"), nil, 1, []string{"did not complete"}},
		"a task that was rejected":    {200, taskThatIs("TASK_STATE_REJECTED"), nil, 1, []string{"did not complete"}},
		"a refusal": {200, refusedIdentity, nil, 1, []string{
			"Use labels.", "\n  prompt email bytes 3 to 9\n", "open https://subrosa.test/i/add_identity",
			"try again in 1 second ", "[identity_refused]",
		}},
		"too many": {429, strings.Replace(refusedIdentity, "identity_refused", "rate_limited", 1), nil, 1, []string{
			"Use labels.", "try again in 1 second ", "[rate_limited]",
		}},
		"the user": {200, taskThatIs("TASK_STATE_COMPLETED"), []string{"--as", "user"}, 2, []string{"is for agents"}},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLineOfA2A(t)
			l.answers(tc.status, tc.answer)
			code, out, problems := run(t, l.folder, append(tc.args, "a2a", "send", "--case", caseID, "How long?")...)
			if code != tc.code {
				t.Errorf("code %d, want %d: %s%s", code, tc.code, out, problems)
			}

			for _, want := range tc.says {
				if !strings.Contains(problems, want) {
					t.Errorf("says %q, want %q", problems, want)
				}
			}
		})
	}
}

// A number of tasks that no page has is refused before the service is asked, which takes none for the usual number.
func TestLimitsOfAListOfTasks(t *testing.T) {
	for _, limit := range []string{"0", "101", "-1"} {
		l := newLineOfA2A(t)
		l.answers(200, taskThatIs("TASK_STATE_COMPLETED"))
		if code, out, problems := run(t, l.folder, "a2a", "list", "--limit="+limit); code == 0 ||
			!strings.Contains(problems, "--limit must be from 1 to 100") {
			t.Errorf("--limit %s: %d %s%s", limit, code, out, problems)
		}
	}
}

// Whoever stops following a task is told that it goes on, and how to come back.
func TestWhoStopsFollowingATask(t *testing.T) {
	l := newLineOfA2A(t)

	interrupted, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	l.answer = func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, `data: {"jsonrpc":"2.0","id":"1",`+taskThatIs("TASK_STATE_WORKING")+"}\n\n")
		_ = http.NewResponseController(w).Flush()
		// Only the interruption ends the stream: an answer that ended by itself could come to its end first.
		<-t.Context().Done()
	}
	var problems bytes.Buffer
	term := terminal(l.folder)
	term.In, term.Out, term.Err = strings.NewReader(""), until(interrupt), &problems

	code := cli.Run(interrupted, []string{"a2a", "stream", "--case", caseID, "How long?"}, term)
	said := problems.String()
	if code != 1 || strings.Contains(said, "context canceled") || !strings.Contains(said, "subrosa a2a get the-task") {
		t.Errorf("code %d: %s", code, said)
	}
}

// until calls a function when something is printed.
type until func()

// Write calls it.
func (u until) Write(text []byte) (int, error) {
	u()
	return len(text), nil
}
