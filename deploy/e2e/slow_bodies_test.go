package e2e_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/httpx"
)

// A body that stops coming over HTTP/1.1 is refused, with the shape of every error, and is never taken for one that
// came whole, nor for a caller who left.
func TestBodiesThatStopAreRefused(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited("GATEWAY_CALL_TIME", "1s"))
	agent := w.connect(ada)
	caseID, _ := w.newCase(agent.bearer)

	for name, tc := range map[string]struct{ line, bearer, sent string }{
		"an exchange":            {"POST /v1/auth/token", "", "Content-Length: 50\r\n\r\n{"},
		"an exchange of nothing": {"POST /v1/auth/token", "", "Content-Length: 50\r\n\r\n"},
		"a registration":         {"POST /v1/agents/register", "", "Content-Length: 50\r\n\r\n{\"a\":"},
		"a case":                 {"POST /v1/cases", agent.bearer, "Content-Length: 50\r\n\r\n{}"},
		"a case in chunks":       {"POST /v1/cases", agent.bearer, "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n"},
		"half a chunk":           {"POST /v1/cases", agent.bearer, "Transfer-Encoding: chunked\r\n\r\n9\r\n{}"},
		"half a size":            {"POST /v1/cases", agent.bearer, "Transfer-Encoding: chunked\r\n\r\n9"},
		"a change":               {"PATCH /v1/cases/" + caseID, agent.bearer, "Content-Length: 50\r\n\r\n{"},
		"a run":                  {"POST /v1/agent", agent.bearer, "Content-Length: 50\r\n\r\n{"},
		"a branch":               {"POST /v1/branch", agent.bearer, "Content-Length: 900000\r\n\r\n" + strings.Repeat(" ", 99)},
		"a party":                {"POST /v1/parties", agent.bearer, "Content-Length: 2\r\n\r\n{"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := w.in(t)
			conn := w.dialTLS("http/1.1")
			_ = conn.SetDeadline(time.Now().Add(20 * time.Second))
			head := tc.line + " HTTP/1.1\r\nHost: " + strings.TrimPrefix(w.Facts.BaseURL, "https://") + "\r\n"
			if tc.bearer != "" {
				head += "Authorization: Bearer " + tc.bearer + "\r\n"
			}
			if _, err := fmt.Fprintf(conn, "%sContent-Type: application/json\r\n%s", head, tc.sent); err != nil {
				t.Fatal(err)
			}
			resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(resp.Body)
			if err != nil {
				t.Fatal(err)
			}
			a := answer{status: resp.StatusCode, header: resp.Header, body: body}
			var refusal httpx.WireError
			if err := json.Unmarshal(body, &refusal); err != nil {
				t.Fatalf("%d %q: %v", a.status, body, err)
			}
			a.err = refusal
			a.refused(t, name, http.StatusBadRequest, "malformed_json")
			if !resp.Close {
				t.Error("the connection is kept, with the rest of a body to come")
			}
		})
	}
}
