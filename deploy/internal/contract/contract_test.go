package contract_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/subrosa-legal/subrosa/deploy/internal/contract"
	"github.com/subrosa-legal/subrosa/gateway"
)

// document is read and checked once, since that takes its time. No test changes it.
var document = sync.OnceValues(func() (*openapi3.T, error) { return contract.Load(context.Background()) })

func TestDocumentIsValidWithItsExamples(t *testing.T) {
	if _, err := document(); err != nil {
		t.Fatal(err)
	}
}

// parameter is how Gin writes what OpenAPI writes as {name}.
var parameter = regexp.MustCompile(`[:*](\w+)`)

// elsewhere are the routes that the document only names, and why.
var elsewhere = map[string]string{
	"POST /a2a/rpc/":          "is /a2a/rpc, as some clients write it",
	"GET /a2a/rest/{path}":    "is the HTTP+JSON binding, whose document is the protocol's",
	"POST /a2a/rest/{path}":   "as above",
	"DELETE /a2a/rest/{path}": "as above",
}

func TestEveryRouteHasItsOperation(t *testing.T) {
	doc, err := document()
	if err != nil {
		t.Fatal(err)
	}
	documented := map[string]bool{}

	for path, item := range doc.Paths.Map() {
		for method := range item.Operations() {
			documented[method+" "+path] = true
		}
	}

	for _, route := range gateway.Routes() {
		row := route.Method + " " + parameter.ReplaceAllString(route.Path, "{$1}")
		if !documented[row] && elsewhere[row] == "" {
			t.Errorf("the gateway has %s and the document has not", row)
		}
		delete(documented, row)
	}

	for row := range documented {
		t.Errorf("the document has %s and the gateway has not", row)
	}
}

// open are the objects of the document whose fields are not all listed, and why.
var open = map[string]string{
	"/paths//openapi.json/get/responses/200/content/application/json/schema": "is this document, whose form is OpenAPI's",
}

// TestObjectsAreClosed walks the whole document: an object with a field that is not documented would go unnoticed otherwise.
func TestObjectsAreClosed(t *testing.T) {
	doc, err := document()
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	var tree any
	if err := json.Unmarshal(text, &tree); err != nil {
		t.Fatal(err)
	}
	found := 0
	objects(tree, "", func(at string, schema map[string]any) {
		found++
		_, listed := schema["additionalProperties"]
		_, evaluated := schema["unevaluatedProperties"]
		if closed := listed || evaluated; closed == (open[at] != "") {
			t.Errorf("%s: closed %t, listed as open: %q", at, closed, open[at])
		}
	})
	if found < 100 {
		t.Errorf("%d objects were found", found)
	}
}

// objects calls f with every schema in v that is one of objects.
func objects(v any, at string, f func(at string, schema map[string]any)) {
	switch v := v.(type) {
	case []any:
		for i, inner := range v {
			objects(inner, at+"/"+strconv.Itoa(i), f)
		}
	case map[string]any:
		types := fmt.Sprint(v["type"])
		if _, fields := v["properties"].(map[string]any); fields || types == "object" || strings.HasPrefix(types, "[object") {
			f(at, v)
		}

		for name, inner := range v {
			if !slices.Contains([]string{"example", "examples", "default", "enum", "const"}, name) {
				objects(inner, at+"/"+name, f)
			}
		}
	}
}

func TestJudge(t *testing.T) {
	doc, err := document()
	if err != nil {
		t.Fatal(err)
	}

	judges, err := contract.New(doc, "")
	if err != nil {
		t.Fatal(err)
	}

	const (
		good      = `{"status":"healthy"}`
		bearer    = `{"bearer_token":"x","expires_in":3600,"expires_at":1}`
		signedOut = `{"next":"https://localhost:8443/"}`
		caseID    = "01981f6a-5b7e-7c3d-9a10-4f2b8f6f1a01"
		events    = `{"items":[],"nextCursor":null,"limit":5}`
	)
	for _, tc := range []struct {
		name, method, path, body string
		status                   int
		answer, mediaType        string
		departs                  bool
	}{
		{"as documented", http.MethodGet, "/v1/agents/a/health", "", 200, good, "application/json", false},
		{"another value", http.MethodGet, "/v1/agents/a/health", "", 200, `{"status":"well"}`, "application/json", true},
		{"a field too many", http.MethodGet, "/v1/agents/a/health", "", 200, `{"status":"healthy","hash":"x"}`, "application/json", true},
		{"an undocumented status", http.MethodGet, "/v1/agents/a/health", "", 418, good, "application/json", true},
		{"an undocumented code", http.MethodGet, "/v1/agents/a/health", "", 404, `{"error":"gone","message":"x"}`, "application/json", true},
		{"an unknown path that is refused", http.MethodGet, "/v2", "", 404, `{}`, "application/json", false},
		{"an unknown path that is answered", http.MethodGet, "/v2", "", 200, `{}`, "application/json", true},
		{"a bad request that is accepted", http.MethodPost, "/v1/auth/token", `{"key":"x"}`, 200, bearer, "application/json", true},
		{"a good request", http.MethodPost, "/v1/auth/token", `{"api_key":"x"}`, 200, bearer, "application/json", false},
		{"a value too long that is accepted", http.MethodPost, "/v1/auth/token", `{"api_key":"` + strings.Repeat("x", 257) + `"}`, 200, bearer, "application/json", true},
		{"a good request of a schema with a name", http.MethodPost, "/auth/logout", `{"everywhere":true}`, 200, signedOut, "application/json", false},
		{"a bad request of a schema with a name", http.MethodPost, "/auth/logout", `{"everywhere":"x"}`, 200, signedOut, "application/json", true},
		{"no request where none is needed", http.MethodPost, "/auth/logout", "", 200, signedOut, "application/json", false},
		{"a parameter below its least that is accepted", http.MethodGet, "/v1/audit/auth?limit=0", "", 200, events, "application/json", true},
		{"a parameter of another type that is accepted", http.MethodGet, "/v1/audit/auth?limit=five", "", 200, events, "application/json", true},
		{"a parameter of another format that is accepted", http.MethodGet, "/v1/audit/auth?from=yesterday", "", 200, events, "application/json", true},
		{"no parameter where none is needed", http.MethodDelete, "/v1/cases/" + caseID, "", 204, "", "", false},
		{
			"a documented boolean", http.MethodDelete, "/v1/cases/" + caseID + "?acknowledgePending=true", "",
			204, "", "", false,
		},
		{
			"a parameter that is no boolean and is accepted", http.MethodDelete,
			"/v1/cases/" + caseID + "?acknowledgePending=maybe", "",
			204, "", "", true,
		},
		{
			"a path with a word in the place of an id, accepted", http.MethodDelete, "/v1/cases/one", "",
			204, "", "", true,
		},
		{"an undocumented parameter that is accepted", http.MethodGet, "/v1/agents/a/health?deep=1", "", 200, good, "application/json", true},
		{"an undocumented parameter that is refused", http.MethodGet, "/v1/agents/a/health?deep=1", "", 400, `{"error":"invalid_parameter","message":"x"}`, "application/json", false},
		{"a documented parameter", http.MethodGet, "/v1/audit/auth?limit=5", "", 200, events, "application/json", false},
		{"a bad request that is refused", http.MethodPost, "/v1/auth/token", `{"key":"x"}`, 400, `{"error":"unknown_field","message":"x"}`, "application/json", false},
		{
			"a good event", http.MethodGet, "/v1/agent/7b0f7c1e-52c6-4d3f-9a51-3a1f6f0e9b21", "", 200,
			"data: {\"type\":\"heartbeat\",\"phaseId\":\"7b0f7c1e-52c6-4d3f-9a51-3a1f6f0e9b21\",\"ts\":\"2026-03-04T05:06:07.089Z\",\"lastSeq\":1,\"status\":\"working\"}\n\n", "text/event-stream", false,
		},
		{"a bad event", http.MethodGet, "/v1/agent/7b0f7c1e-52c6-4d3f-9a51-3a1f6f0e9b21", "", 200, "data: {\"type\":\"heartbeat\"}\n\n", "text/event-stream", true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", tc.mediaType)
				w.WriteHeader(tc.status)
				_, _ = io.WriteString(w, tc.answer)
			}))
			defer s.Close()
			judge := judges.Of(s.Listener.Addr().String())
			req, err := http.NewRequestWithContext(t.Context(), tc.method, s.URL+tc.path, strings.NewReader(tc.body))
			if err != nil {
				t.Fatal(err)
			}
			if tc.body != "" {
				req.Header.Set("Content-Type", "application/json")
			}
			resp, err := (&http.Client{Transport: judge.Over(&http.Transport{})}).Do(req)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(resp.Body)
			_ = resp.Body.Close()
			if err != nil || string(body) != tc.answer {
				t.Errorf("the answer came as %q, %v, want it untouched", body, err)
			}
			if got := judge.Departures(); len(got) > 0 != tc.departs {
				t.Errorf("departures = %q, want any: %t", got, tc.departs)
			}
		})
	}
}
