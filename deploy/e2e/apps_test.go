package e2e_test

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/deploy/internal/devidp"
)

// appRedirect is where applications of the tests want the browser sent. Nobody listens there.
const appRedirect = "http://127.0.0.1:1/callback"

// app is an application that a person let in.
type app struct {
	id              string
	access, refresh string
}

// newApp registers an application with a redirect address and returns its id.
func (w *world) newApp(redirect string) string {
	w.t.Helper()
	body, err := json.Marshal(map[string]any{"client_name": "Helper", "redirect_uris": []string{redirect}, "grant_types": []string{"authorization_code", "refresh_token"}})
	if err != nil {
		w.t.Fatal(err)
	}

	return into[struct {
		ID string `json:"client_id"`
	}](w.t, w.send(http.MethodPost, "/oauth/register", "", string(body)), http.StatusCreated).ID
}

// asking is an authorization request and the secret that belongs to it.
type asking struct {
	params   url.Values
	verifier string
}

func (w *world) asking(id, scope string) asking {
	verifier := rand.Text() + rand.Text()
	sum := sha256.Sum256([]byte(verifier))

	return asking{url.Values{
		"response_type": {"code"}, "client_id": {id}, "redirect_uri": {appRedirect}, "state": {"a state"}, "scope": {scope}, "resource": {w.Facts.BaseURL + "/api/mcp"},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(sum[:])}, "code_challenge_method": {"S256"},
	}, verifier}
}

// with returns the request with other values; "" leaves one out.
func (a asking) with(more ...string) asking {
	params := url.Values{}
	for name, values := range a.params {
		params[name] = values
	}

	for i := 0; i+1 < len(more); i += 2 {
		params.Set(more[i], more[i+1])
		if more[i+1] == "" {
			params.Del(more[i])
		}
	}

	return asking{params, a.verifier}
}

func (a asking) address(w *world) string {
	return w.Facts.BaseURL + "/oauth/authorize?" + a.params.Encode()
}

// redeeming is the form by which the code is exchanged.
func (a asking) redeeming(code string) url.Values {
	return url.Values{
		"grant_type": {"authorization_code"}, "client_id": {a.params.Get("client_id")}, "redirect_uri": {a.params.Get("redirect_uri")}, "code": {code},
		"code_verifier": {a.verifier}, "resource": {a.params.Get("resource")},
	}
}

// back lets an application in and returns what the browser brings back to it.
func (w *world) back(p devidp.Person, a asking) url.Values {
	w.t.Helper()
	to, err := devidp.NewBrowser(w.http.Transport, p).Open(w.t.Context(), a.address(w), appRedirect)
	if err != nil {
		w.t.Fatal(err)
	}

	return to.Query()
}

// form sends a form to an endpoint of OAuth.
func (w *world) form(path string, form url.Values) answer {
	w.t.Helper()
	return w.send(http.MethodPost, path, "", form.Encode(), "Content-Type", "application/x-www-form-urlencoded")
}

// tokens reads an answer of the token endpoint.
func (w *world) tokensOf(id string, a answer) app {
	w.t.Helper()
	got := into[struct {
		Access  string `json:"access_token"`
		Refresh string `json:"refresh_token"`
	}](w.t, a, http.StatusOK)

	return app{id, got.Access, got.Refresh}
}

// letIn has a person let a new application in.
func (w *world) letIn(p devidp.Person, scope string) app {
	w.t.Helper()
	a := w.asking(w.newApp(appRedirect), scope)

	return w.tokensOf(a.params.Get("client_id"), w.form("/oauth/token", a.redeeming(w.back(p, a).Get("code"))))
}

// renew exchanges a refresh token.
func (w *world) renew(id, refresh string) answer {
	w.t.Helper()
	return w.form("/oauth/token", url.Values{"grant_type": {"refresh_token"}, "client_id": {id}, "refresh_token": {refresh}})
}

// mcp sends one message to the MCP endpoint, as a client of the older era does.
func (w *world) mcp(bearer, method string, params any, headers ...string) answer {
	w.t.Helper()
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		w.t.Fatal(err)
	}

	return w.send(http.MethodPost, "/api/mcp", bearer, string(body), append([]string{"Accept", "application/json, text/event-stream", "MCP-Protocol-Version", "2025-11-25"}, headers...)...)
}

// lookedUp is what of a tool's result the tests look at.
type lookedUp struct {
	IsError bool `json:"isError"`
	Content []struct {
		Text string `json:"text"`
	} `json:"content"`
	Data json.RawMessage `json:"structuredContent"`
}

// tool calls a tool and returns its result.
func (w *world) tool(bearer, name string, arguments any) lookedUp {
	w.t.Helper()
	return resultOf(w.t, w.callTool(bearer, name, arguments))
}

func (w *world) callTool(bearer, name string, arguments any) answer {
	w.t.Helper()
	return w.mcp(bearer, "tools/call", map[string]any{"name": name, "arguments": arguments})
}

func resultOf(t *testing.T, a answer) lookedUp {
	t.Helper()
	told := answer{status: a.status, body: lastEvent(a)}

	return into[struct {
		Result lookedUp `json:"result"`
	}](t, told, http.StatusOK).Result
}

// lastEvent returns the JSON of an answer, which is that of its last event where it is a stream.
func lastEvent(a answer) []byte {
	body := a.body
	if strings.HasPrefix(a.header.Get("Content-Type"), "text/event-stream") {
		for line := range bytes.Lines(a.body) {
			if data, ok := bytes.CutPrefix(line, []byte("data: ")); ok {
				body = bytes.TrimSpace(data)
			}
		}
	}

	return body
}
