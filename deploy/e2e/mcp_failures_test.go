package e2e_test

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// ofALibrary finds words that only somebody who knows our libraries understands.
var ofALibrary = regexp.MustCompile(`(?i)unmarshal|json:|mcp\.|struct|interface|\[\]byte|handling '|parse error|payload`)

// Whatever is wrong with a message, the answer is an error of JSON-RPC that says so in plain words.
func TestFailuresOfTheProtocolArePlain(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited())
	app := w.letIn(ada, "cases:read cases:write agent:run")
	const (
		message  = -32600
		noMethod = -32601
		params   = -32602
	)
	of := func(method, params string) string {
		return `{"jsonrpc":"2.0","id":7,"method":"` + method + `","params":` + params + `}`
	}

	for name, tc := range map[string]struct {
		body string
		code int
		id   string
	}{
		"a method that nobody has":     {of("nope", `{}`), noMethod, "7"},
		"a method that is no text":     {`{"jsonrpc":"2.0","id":7,"method":5}`, message, "null"},
		"a method that is null":        {`{"jsonrpc":"2.0","id":7,"method":null}`, message, "null"},
		"another version":              {`{"jsonrpc":"1.0","id":7,"method":"tools/list"}`, message, "null"},
		"no version":                   {`{"id":7,"method":"tools/list"}`, message, "null"},
		"a version that is a number":   {`{"jsonrpc":2.0,"id":7,"method":"tools/list"}`, message, "null"},
		"an id that is an object":      {`{"jsonrpc":"2.0","id":{},"method":"tools/list"}`, message, "null"},
		"an id that is a list":         {`{"jsonrpc":"2.0","id":[7],"method":"tools/list"}`, message, "null"},
		"an id that is true":           {`{"jsonrpc":"2.0","id":true,"method":"tools/list"}`, message, "null"},
		"an id that is null":           {`{"jsonrpc":"2.0","id":null,"method":"tools/list"}`, message, "null"},
		"half an id":                   {`{"jsonrpc":"2.0","id":7.5,"method":"tools/list"}`, message, "null"},
		"params that are a text":       {of("tools/list", `"x"`), message, "null"},
		"params that are a number":     {of("initialize", `7`), message, "null"},
		"a cursor that is a number":    {of("tools/list", `{"cursor":5}`), params, "7"},
		"a version of another kind":    {of("initialize", `{"protocolVersion":5}`), params, "7"},
		"capabilities that are a text": {of("initialize", `{"capabilities":"x"}`), params, "7"},
		"a level of another kind":      {of("logging/setLevel", `{"level":5}`), params, "7"},
		"a reference of another kind":  {of("completion/complete", `{"ref":{"type":"x"}}`), params, "7"},
		"an address of another kind":   {of("resources/read", `{"uri":[]}`), params, "7"},
		"a name of another kind":       {of("prompts/get", `{"name":{}}`), params, "7"},
		"an unknown tool":              {of("tools/call", `{"name":"nope"}`), params, "7"},
	} {
		t.Run(name, func(t *testing.T) {
			w := w.in(t)
			a := w.send(
				http.MethodPost, "/api/mcp", app.access, tc.body,
				"Accept", "application/json, text/event-stream", "MCP-Protocol-Version", "2025-11-25",
			)
			text := strings.TrimSpace(strings.TrimPrefix(string(a.body), "event: message\n"))
			var got struct {
				Version string          `json:"jsonrpc"`
				ID      json.RawMessage `json:"id"`
				Error   struct {
					Code    int    `json:"code"`
					Message string `json:"message"`
				} `json:"error"`
			}
			if err := json.Unmarshal([]byte(strings.TrimPrefix(text, "data: ")), &got); err != nil {
				t.Fatalf("%d %s: %v", a.status, a.body, err)
			}
			if got.Version != "2.0" || string(got.ID) != tc.id || got.Error.Code != tc.code || got.Error.Message == "" {
				t.Errorf("%s, want the code %d for %s", text, tc.code, tc.id)
			}
			if found := ofALibrary.FindString(got.Error.Message); found != "" {
				t.Errorf("%q has %q", got.Error.Message, found)
			}
		})
	}
}
