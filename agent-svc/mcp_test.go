package agentsvc_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	agentsvc "github.com/subrosa-legal/subrosa/agent-svc"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
	"github.com/subrosa-legal/subrosa/pkg/launch"
	"github.com/subrosa-legal/subrosa/pkg/telemetry"
	"github.com/subrosa-legal/subrosa/pkg/testkit/servicetest"
	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
)

var update = flag.Bool("update", false, "write the golden files anew")

// Both eras of the protocol.
const (
	modern = "2026-07-28"
	legacy = "2025-11-25"
)

// host is an application with its grant, in front of agent-svc as the gateway is.
type host struct {
	servicetest.Door
	office *office
	logged *servicetest.Lines
	env    map[string]string
}

func startMCP(t testing.TB, settings ...string) *host {
	t.Helper()
	h := &host{office: startOffice(t), logged: &servicetest.Lines{}}
	h.env = servicetest.Environ(t, "agent-svc", "")
	delete(h.env, "MONGODB_URI")
	delete(h.env, "MONGODB_TIMEOUT")
	maps.Copy(h.env, map[string]string{
		"AGENT_ADDR": "127.0.0.1:0", "AGENT_INTERNAL_ADDR": "127.0.0.1:0", "CASE_URL": h.office.URL, "PARTY_URL": h.office.URL, "AUTH_URL": h.office.URL, "REDIS_URL": stores.RedisURL(t), "AGENT_STREAM_STAGGER": "10ms",
	})

	for i := 0; i+1 < len(settings); i += 2 {
		h.env[settings[i]] = settings[i+1]
	}
	h.Door = h.replica(t)

	return h
}

// replica runs another agent-svc with the same settings.
func (h *host) replica(t testing.TB) servicetest.Door {
	t.Helper()
	return servicetest.Open(t, agentsvc.New, h.env, telemetry.Discard("agent-svc", h.logged), time.Now)
}

// application is a caller to whom a user granted scopes.
func application(userID string, scopes ...string) access.Caller {
	return access.Caller{
		Kind:     access.OAuth,
		Tenant:   "o:oak",
		UserID:   userID,
		ClientID: "https://host.example/client.json",
		Scopes:   scopes,
		Roles:    []string{access.RoleMember},
	}
}

var all = access.GrantScopes()

// bearer sends every request with the internal token of a caller, as the gateway does.
type bearer struct {
	token string
	next  http.RoundTripper
	seen  func(*http.Request, *http.Response)
}

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.token)
	resp, err := b.next.RoundTrip(r)
	if err == nil && b.seen != nil {
		b.seen(r, resp)
	}

	return resp, err
}

// session connects the library's client in one of the eras.
func (h *host) session(t testing.TB, era string, caller access.Caller, options *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	return h.sessionAt(t, h.Base, era, caller, options)
}

func (h *host) sessionAt(
	t testing.TB,
	base, era string,
	caller access.Caller,
	options *mcp.ClientOptions,
) *mcp.ClientSession {
	t.Helper()
	s, err := h.connect(t, base, era, caller, options)
	if err != nil {
		t.Fatalf("connect: %v", err)
	}

	return s
}

// connect opens a session, which ends with the test, or says why there is none.
func (h *host) connect(
	t testing.TB, base, era string, caller access.Caller, options *mcp.ClientOptions,
) (*mcp.ClientSession, error) {
	t.Helper()
	token, err := h.Signer.Token(caller)
	if err != nil {
		return nil, err
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, options)
	transport := &mcp.StreamableClientTransport{Endpoint: base + "/api/mcp", HTTPClient: &http.Client{Transport: bearer{token: token, next: h.Client.Transport}}, DisableStandaloneSSE: true, MaxRetries: -1}
	s, err := client.Connect(t.Context(), transport, &mcp.ClientSessionOptions{ProtocolVersion: era})
	if err != nil {
		return nil, err
	}
	t.Cleanup(func() { _ = s.Close() })

	return s, nil
}

// called is the outcome of a tool.
type called struct {
	*mcp.CallToolResult
	text    string
	refusal httpx.WireError
}

// call calls a tool; arguments are JSON.
func call(t testing.TB, s *mcp.ClientSession, tool, arguments string) called {
	t.Helper()
	r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)})
	if err != nil {
		t.Fatalf("%s %s: %v", tool, arguments, err)
	}

	return outcome(t, tool, r)
}

// outcome reads a result, which must be of the tool's schema, or a failure in the one shape of failures.
func outcome(t testing.TB, tool string, r *mcp.CallToolResult) called {
	t.Helper()
	c := called{CallToolResult: r}
	if len(r.Content) == 0 {
		t.Fatalf("%s: a result without content", tool)
	}
	text, ok := r.Content[0].(*mcp.TextContent)
	if !ok {
		t.Fatalf("%s: the first content is a %T", tool, r.Content[0])
	}
	c.text = text.Text
	if r.IsError {
		if err := json.Unmarshal([]byte(c.text), &c.refusal); err != nil || c.refusal.Error == "" || c.refusal.Message == "" || r.StructuredContent != nil {
			t.Errorf("%s: a failure of the wrong shape: %s, %v", tool, c.text, r.StructuredContent)
		}

		return c
	}
	var value any
	if err := json.Unmarshal([]byte(c.text), &value); err != nil {
		t.Fatalf("%s: the text is no JSON: %v", tool, err)
	}
	if err := schemaOf(t, tool).Validate(value); err != nil {
		t.Errorf("%s: not of its schema: %v: %.2000s", tool, err, c.text)
	}
	structure, err := json.Marshal(r.StructuredContent)
	if err != nil {
		t.Fatal(err)
	}
	var again any
	if err := json.Unmarshal(structure, &again); err != nil {
		t.Fatal(err)
	}
	one, _ := json.Marshal(value)
	two, _ := json.Marshal(again)
	if !bytes.Equal(one, two) {
		t.Errorf("%s: text and structure differ", tool)
	}
	if n := len([]rune(c.text)); n > 60_000 {
		t.Errorf("%s: an answer of %d characters", tool, n)
	}

	return c
}

// outputs are the kept schemas of the tools' outputs, read once.
var outputs = map[string]func() (*jsonschema.Resolved, error){
	"legal_lookup": sync.OnceValues(func() (*jsonschema.Resolved, error) { return readSchema("internal/mcp/lookuptool/output.json") }),
	"legal_agent":  sync.OnceValues(func() (*jsonschema.Resolved, error) { return readSchema("internal/mcp/agenttool/output.json") }),
}

func readSchema(path string) (*jsonschema.Resolved, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(text, &s); err != nil {
		return nil, err
	}

	return s.Resolve(nil)
}

func schemaOf(t testing.TB, tool string) *jsonschema.Resolved {
	t.Helper()
	schema, err := outputs[tool]()
	if err != nil {
		t.Fatal(err)
	}

	return schema
}

func eras(t *testing.T, test func(t *testing.T, era string)) {
	for _, era := range []string{modern, legacy} {
		t.Run(era, func(t *testing.T) { test(t, era) })
	}
}

// raw is one request by hand.
func (h *host) raw(t testing.TB, caller access.Caller, body string, header ...string) servicetest.Answer {
	t.Helper()

	c := servicetest.Call{Method: http.MethodPost, Path: "/api/mcp", Caller: caller, Body: []byte(body), Header: map[string]string{
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "MCP-Protocol-Version": legacy,
	}}
	for i := 0; i+1 < len(header); i += 2 {
		c.Header[header[i]] = header[i+1]
	}

	return h.Do(t, c)
}

func message(method, params string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":` + params + `}`
}

func TestMCPDiscovery(t *testing.T) {
	t.Parallel()
	h := startMCP(t)
	eras(t, func(t *testing.T, era string) {
		s := h.session(t, era, application("ann"), nil)
		hello := s.InitializeResult()
		if hello.ServerInfo.Name != "subrosa" || !strings.Contains(hello.Instructions, "legal_lookup") || hello.Capabilities.Prompts == nil || hello.Capabilities.Resources == nil {
			t.Errorf("the server says of itself: %+v", hello)
		}
		wanted := `{"prompts":{},"resources":{},"tools":{}}`
		if era == modern {
			wanted = `{"extensions":{"io.modelcontextprotocol/tasks":{}},` + wanted[1:]
		}
		if can, err := json.Marshal(hello.Capabilities); err != nil || string(can) != wanted {
			t.Errorf("it can %s, %v", can, err)
		}
		tools, err := s.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if tools.TTLMs != 300_000 && era == modern || tools.CacheScope != "private" && era == modern {
			t.Errorf("the list may be kept %d ms, %q", tools.TTLMs, tools.CacheScope)
		}
		text, err := json.Marshal(tools.Tools)
		if err != nil {
			t.Fatal(err)
		}
		servicetest.Golden(t, *update, "tools.json", text)
		prompts, err := s.ListPrompts(t.Context(), nil)
		if err != nil || len(prompts.Prompts) != 0 {
			t.Errorf("prompts: %v, %v", prompts, err)
		}
		resources, err := s.ListResources(t.Context(), nil)
		if err != nil || len(resources.Resources) != 0 {
			t.Errorf("resources: %v, %v", resources, err)
		}
	})
}

// TestS57ToolsAreListedAlike reads the list as it goes over the wire, from two replicas of one version and after a restart.
func TestS57ToolsAreListedAlike(t *testing.T) {
	t.Parallel()
	h := startMCP(t)
	lists := map[string]bool{}

	for _, d := range []servicetest.Door{h.Door, h.replica(t), h.replica(t)} {
		one := *h

		one.Door = d
		for range 3 {
			a := one.raw(t, application("ann"), message("tools/list", `{}`))
			if a.Status != http.StatusOK {
				t.Fatalf("%d %s", a.Status, a.Body)
			}
			lists[string(a.Body)] = true
		}
	}
	if len(lists) != 1 {
		t.Errorf("%d different lists", len(lists))
	}
}

func TestMCPIsForApplications(t *testing.T) {
	t.Parallel()

	h := startMCP(t)
	for name, tc := range map[string]struct {
		caller access.Caller
		status int
		code   string
	}{
		"no token":  {access.Caller{}, http.StatusUnauthorized, "internal_token_refused"},
		"a person":  {servicetest.User("o:oak", "ann"), http.StatusForbidden, "forbidden"},
		"an agent":  {servicetest.Agent("o:oak", "ann"), http.StatusForbidden, "forbidden"},
		"a service": {access.Caller{Kind: access.Service, Tenant: "o:oak"}, http.StatusForbidden, "forbidden"},
		"nobody":    {access.Caller{Kind: access.Public}, http.StatusForbidden, "forbidden"},
	} {
		t.Run(name, func(t *testing.T) {
			servicetest.Refused(t, h.raw(t, tc.caller, message("tools/list", `{}`)), tc.status, tc.code)
		})
	}
	if a := h.raw(t, application("ann"), message("tools/list", `{}`)); a.Status != http.StatusOK || a.Header.Get("X-Accel-Buffering") != "no" {
		t.Errorf("an application: %d %v", a.Status, a.Header)
	}
}

// TestVersionsThatAreOffered turns the newer era off, which some hosts need: its clients then fall back by themselves.
func TestVersionsThatAreOffered(t *testing.T) {
	t.Parallel()
	h := startMCP(t, "AGENT_MCP_PROTOCOL_VERSIONS", "2025-11-25,2025-06-18")
	s := h.session(t, modern, application("ann", all...), nil)
	if v := s.InitializeResult().ProtocolVersion; v != legacy {
		t.Errorf("the version agreed on is %s", v)
	}
	if c := call(t, s, "legal_lookup", `{"view":"cases"}`); c.IsError {
		t.Errorf("a call: %s", c.text)
	}
	bad := maps.Clone(h.env)
	bad["AGENT_MCP_PROTOCOL_VERSIONS"] = "2025-11-25,tomorrow"
	if err := startFails(t, bad); err == nil || !strings.Contains(err.Error(), "AGENT_MCP_PROTOCOL_VERSIONS must be a comma list of "+modern) {
		t.Errorf("an unknown version: %v", err)
	}
}

func TestScopesThatACallNeeds(t *testing.T) {
	t.Parallel()
	h := startMCP(t)
	challenge := func(scopes string) string {
		return fmt.Sprintf(`Bearer error="insufficient_scope", scope=%q, resource_metadata="https://subrosa.test/.well-known/oauth-protected-resource/api/mcp"`, scopes)
	}

	tool := func(name, arguments string) string {
		return message("tools/call", `{"name":"`+name+`","arguments":`+arguments+`}`)
	}
	for name, tc := range map[string]struct {
		body    string
		granted []string
		want    string // scopes of the challenge, "" when the call goes on
	}{
		"reading with nothing granted":     {tool("legal_lookup", `{"view":"cases"}`), nil, "cases:read"},
		"reading":                          {tool("legal_lookup", `{"view":"cases"}`), []string{"cases:read"}, ""},
		"writing reaches reading":          {tool("legal_lookup", `{"view":"cases"}`), []string{"cases:write"}, ""},
		"running reaches reading":          {tool("legal_lookup", `{"view":"cases"}`), []string{"agent:run"}, ""},
		"lists need nothing":               {message("tools/list", `{}`), nil, ""},
		"an unknown tool needs nothing":    {tool("legal_other", `{}`), nil, ""},
		"no arguments are like empty ones": {message("tools/call", `{"name":"legal_lookup"}`), nil, "cases:read"},
		"escaped names are the names":      {`{"jsonrpc":"2.0","id":1,"\u006dethod":"tools/call","params":{"name":"legal\u005flookup","arguments":{}}}`, nil, "cases:read"},
	} {
		t.Run(name, func(t *testing.T) {
			a := h.raw(t, application("ann", tc.granted...), tc.body)
			if tc.want == "" {
				if a.Status != http.StatusOK {
					t.Errorf("%d %s", a.Status, a.Body)
				}

				return
			}
			servicetest.Refused(t, a, http.StatusForbidden, "scope_missing")
			if got := a.Header.Get("WWW-Authenticate"); got != challenge(tc.want) {
				t.Errorf("challenge\n%s, want\n%s", got, challenge(tc.want))
			}
		})
	}
}

func TestOddBodies(t *testing.T) {
	t.Parallel()
	h := startMCP(t)

	call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"legal_lookup","arguments":{"view":"cases"}}}`
	for name, tc := range map[string]struct {
		body string
		code int
	}{
		"nothing":               {"", -32700},
		"no JSON":               {"{", -32700},
		"two values":            {call + call, -32700},
		"not UTF-8":             {"{\"method\":\"\xff\"}", -32700},
		"a text":                {`"tools/call"`, -32700},
		"a batch":               {"[" + call + "]", -32600},
		"a batch behind blanks": {" \n[" + call + "]", -32600},
		"a method twice":        {`{"jsonrpc":"2.0","id":1,"method":"tools/list","method":"tools/call","params":{"name":"legal_lookup"}}`, -32700},
		"a name twice":          {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","name":"legal_lookup"}}`, -32700},
		"a method in capitals":  {`{"jsonrpc":"2.0","id":1,"method":"tools/list","Method":"tools/call"}`, -32600},
		"a name in capitals":    {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"NAME":"legal_lookup"}}`, -32600},
		"params in capitals":    {`{"jsonrpc":"2.0","id":1,"method":"tools/call","Params":{"name":"legal_lookup"}}`, -32600},
		"no name":               {message("tools/call", `{}`), -32600},
		"a name that is none":   {message("tools/call", `{"name":1}`), -32600},
		"params that are none":  {message("tools/call", `[]`), -32600},
		"deep":                  {message("tools/call", `{"name":"legal_lookup","arguments":`+strings.Repeat(`{"a":`, 100)+`1`+strings.Repeat("}", 100)+`}`), -32700},
	} {
		t.Run(name, func(t *testing.T) {
			a := h.raw(t, application("ann", all...), tc.body)
			var e struct {
				Error struct {
					Code    int
					Message string
				}
			}
			if err := json.Unmarshal(a.Body, &e); err != nil || a.Status != http.StatusBadRequest || e.Error.Code != tc.code || e.Error.Message == "" {
				t.Errorf("%d %s, %v, want 400 and %d", a.Status, a.Body, err, tc.code)
			}
		})
	}
	servicetest.Refused(t, h.raw(t, application("ann", all...), `{"jsonrpc":"2.0","id":1,"method":"`+strings.Repeat("x", 1<<20)+`"}`), http.StatusRequestEntityTooLarge, "body_too_large")
	if n := h.office.requests(); n != 0 {
		t.Errorf("%d requests went on to the services", n)
	}
}

// startFails returns why a service does not start.
func startFails(t *testing.T, env map[string]string) error {
	t.Helper()
	_, err := agentsvc.New(t.Context(), launch.Env{Environ: env, Telemetry: telemetry.Discard("agent-svc", io.Discard), Now: time.Now})

	return err
}
