package agentsvc_test

import (
	"net/http"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/httpx"
	"github.com/subrosa-legal/subrosa/pkg/testkit/servicetest"
)

// Failures in the form of the agent-to-agent protocol tell the gateway their code, which its log and the audit chain
// name.
func TestFailuresOfA2ATellTheGatewayTheirCode(t *testing.T) {
	t.Parallel()
	h := startMCP(t)
	spoken := map[string]string{"A2A-Version": "1.0", "Content-Type": "application/json"}
	number := `{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":5}}`
	typeless := map[string]string{"A2A-Version": "1.0"}

	for name, tc := range map[string]struct {
		method, path, body string
		header             map[string]string
		want, status       string
	}{
		"no version":                  {http.MethodGet, "/a2a/rest/tasks", "", nil, "version_not_supported", "400"},
		"a body of another type":      {http.MethodPost, "/a2a/rest/message:send", "x", typeless, "content_type_not_supported", "415"},
		"an unknown method":           {http.MethodPost, "/a2a/rpc", `{"jsonrpc":"2.0","id":1,"method":"Nothing"}`, spoken, "method_not_found", "404"},
		"a parameter of another type": {http.MethodPost, "/a2a/rpc", number, spoken, "invalid_params", "400"},
	} {
		t.Run(name, func(t *testing.T) {
			a := h.Do(t, servicetest.Call{
				Method: tc.method, Path: tc.path, Body: []byte(tc.body), Header: tc.header,
				Caller: servicetest.Agent("o:oak", "ann", "agent:run"),
			})
			got, status := a.Header.Get(httpx.HeaderRefusal), a.Header.Get(httpx.HeaderRefusalStatus)
			if got != tc.want || status != tc.status {
				t.Errorf("%q by %s, want %q by %s: %d %s", got, status, tc.want, tc.status, a.Status, a.Body)
			}
		})
	}
}
