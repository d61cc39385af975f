package e2e_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
)

// refusedByA2A is an error of the protocol in either binding.
type refusedByA2A struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Error   struct {
		Code    int         `json:"code"`
		Status  string      `json:"status"`
		Message string      `json:"message"`
		Data    []errorInfo `json:"data"`
		Details []errorInfo `json:"details"`
	} `json:"error"`
}

type errorInfo struct {
	Type     string            `json:"@type"`
	Reason   string            `json:"reason"`
	Domain   string            `json:"domain"`
	Metadata map[string]string `json:"metadata"`
}

// refusalOfA2A is an error of the protocol as the one shape of all other errors, so that tests of every route can
// read it.
func refusalOfA2A(body []byte) (out httpx.WireError) {
	var said refusedByA2A
	if json.Unmarshal(body, &said) != nil {
		return out
	}

	for _, info := range append(said.Error.Data, said.Error.Details...) {
		out.Error, out.RequestID = info.Metadata["code"], info.Metadata["requestId"]
		out.DeepLink = info.Metadata["deepLink"]
	}
	out.Message = said.Error.Message

	return out
}

// What is refused before a request of the protocol is read is refused in the form of its binding, with the status of
// HTTP that it has on every other path.
func TestTheEdgeRefusesInTheFormOfA2A(t *testing.T) {
	t.Parallel()
	limits := unlimited()
	limits["GATEWAY_RATE_ADDRESS"] = "40"
	w := start(t, limits)
	agent := w.connect(ada)
	large := strings.Repeat("x", 1<<20+1)
	head := strings.Repeat("x", 40<<10)

	type refusal struct {
		method, below string // of the address of the binding
		bearer, body  string
		header        []string
		status, code  int
		grpc, reason  string
	}
	cases := map[string]refusal{
		"no credential": {
			method: http.MethodPost, below: "/message:send", body: "{}",
			status: 401, code: -32603, grpc: "UNAUTHENTICATED", reason: "UNAUTHENTICATED",
		},
		"a person": {
			method: http.MethodPost, below: "/message:send", body: "{}", bearer: w.token(ada),
			status: 401, code: -32603, grpc: "UNAUTHENTICATED", reason: "UNAUTHENTICATED",
		},
		"a method that no route has": {
			method: http.MethodPatch, below: "/message:send", body: "{}", bearer: agent.bearer,
			status: 405, code: -32600, grpc: "UNIMPLEMENTED", reason: "METHOD_NOT_ALLOWED",
		},
		"a body that is too large": {
			method: http.MethodPost, below: "/message:send", body: large, bearer: agent.bearer,
			status: 413, code: -32600, grpc: "INVALID_ARGUMENT", reason: "REQUEST_TOO_LARGE",
		},
		"headers that are too large": {
			method: http.MethodPost, below: "/message:send", body: "{}", bearer: agent.bearer,
			header: []string{"X-Much", head},
			status: 431, code: -32600, grpc: "INVALID_ARGUMENT", reason: "HEADER_TOO_LARGE",
		},
	}
	client := &http.Client{Transport: w.bare}
	ask := func(root string, tc refusal) answer {
		path := root
		if root == "/a2a/rest" {
			path += tc.below
		}

		return w.do(client, w.request(tc.method, path, tc.bearer, strings.NewReader(tc.body), tc.header...))
	}
	hold := func(t *testing.T, root string, tc refusal, got answer) {
		t.Helper()
		var said refusedByA2A
		if err := json.Unmarshal(got.body, &said); err != nil || got.status != tc.status {
			t.Fatalf("%d %.300s, want %d", got.status, got.body, tc.status)
		}
		code, infos, id := tc.code, said.Error.Data, "null"
		if root == "/a2a/rest" {
			code, infos, id = tc.status, said.Error.Details, ""
			if said.Error.Status != tc.grpc || said.JSONRPC != "" {
				t.Errorf("the status is %q: %s", said.Error.Status, got.body)
			}
		}
		if said.Error.Code != code || string(said.ID) != id || !strings.HasSuffix(said.Error.Message, ".") {
			t.Errorf("the error is %s", got.body)
		}
		if len(infos) != 1 || infos[0].Type != "type.googleapis.com/google.rpc.ErrorInfo" {
			t.Fatalf("the details are %s", got.body)
		}
		info := infos[0]
		if info.Reason != tc.reason || info.Domain != "a2a-protocol.org" ||
			info.Metadata["requestId"] != got.header.Get("X-Request-Id") {
			t.Errorf("the details are %s", got.body)
		}
		needs := map[int]string{http.StatusUnauthorized: "WWW-Authenticate", http.StatusTooManyRequests: "Retry-After"}
		if name, ok := needs[tc.status]; ok && got.header.Get(name) == "" {
			t.Errorf("%d has no %s", tc.status, name)
		}
	}

	for _, root := range []string{"/a2a/rpc", "/a2a/rest"} {
		for name, tc := range cases {
			t.Run(root+" "+name, func(t *testing.T) { hold(t, root, tc, ask(root, tc)) })
		}
	}
	unknown := refusal{
		method: http.MethodPost, bearer: agent.bearer, body: "{}",
		status: 404, grpc: "NOT_FOUND", reason: "METHOD_NOT_FOUND",
	}
	hold(t, "/a2a/rest", unknown, ask("/a2a/rest", unknown))

	// Whoever guesses is counted by address. The allowance grows again meanwhile, so each binding is asked until it is
	// used up.
	limited := refusal{
		method: http.MethodPost, below: "/message:send", body: "{}", status: http.StatusTooManyRequests, code: -32603,
		grpc: "RESOURCE_EXHAUSTED", reason: "RESOURCE_EXHAUSTED",
	}
	for _, root := range []string{"/a2a/rpc", "/a2a/rest"} {
		got := ask(root, limited)
		for tries := 0; got.status != limited.status && tries < 1000; tries++ {
			got = ask(root, limited)
		}
		hold(t, root, limited, got)
	}
	w.send(http.MethodGet, "/a2a/other", "", "").refused(t, "another path", http.StatusNotFound, "not_found")
}

// The address of each extension that the card declares answers with its own document, which links its cases.
func TestExtensionsHaveDocuments(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited())
	var card api.A2ACard
	if err := json.Unmarshal(w.send(http.MethodGet, "/.well-known/agent-card.json", "", "").body, &card); err != nil {
		t.Fatal(err)
	}
	if len(card.Capabilities.Extensions) != 2 {
		t.Fatalf("the card declares %v", card.Capabilities.Extensions)
	}

	for _, e := range card.Capabilities.Extensions {
		at := func(address string) answer {
			path, ours := strings.CutPrefix(address, w.Facts.BaseURL)
			if !ours {
				t.Fatalf("%s is elsewhere", address)
			}

			return w.send(http.MethodGet, path, "", "")
		}
		page := at(e.URI)
		text := string(page.body)
		if page.status != http.StatusOK || page.header.Get("Content-Type") != "text/html; charset=utf-8" ||
			!strings.Contains(text, "<code>"+e.URI+"</code>") {
			t.Errorf("%s: %d %.200s", e.URI, page.status, text)
		}
		policy := page.header.Get("Content-Security-Policy")
		if !strings.HasPrefix(policy, "default-src 'none'; style-src 'self'") {
			t.Errorf("%s: the policy is %q", e.URI, policy)
		}
		if document := at(e.Params.Document); string(document.body) != text {
			t.Errorf("%s is another document", e.Params.Document)
		}
		cases := at(e.Params.Cases)
		var told struct {
			Extension string `json:"extension"`
		}
		if err := json.Unmarshal(cases.body, &told); err != nil || told.Extension != e.URI ||
			cases.header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: %v %.200s", e.Params.Cases, err, cases.body)
		}
		if !strings.Contains(text, `href="`+strings.TrimPrefix(e.Params.Cases, w.Facts.BaseURL)+`"`) {
			t.Errorf("the document of %s does not link its cases", e.URI)
		}
	}
	w.send(http.MethodGet, "/a2a/ext/nothing/v1", "", "").refused(t, "no extension", http.StatusNotFound, "not_found")
}
