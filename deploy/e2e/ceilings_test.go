package e2e_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/subrosa-legal/subrosa/deploy/internal/devidp"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
)

// What a gateway does at once has an end, whoever asks. Whoever comes then is told to come again, and calls of another
// kind go on.
func TestAGatewayHasSoManyPlaces(t *testing.T) {
	t.Parallel()
	w, cases := heldWorld(t,
		oneProcess, "gateway", "GATEWAY_IN_FLIGHT", "2", "GATEWAY_DOWNLOADS", "2", "GATEWAY_DOWNLOADS_PER_CALLER", "2")
	call, download := "/v1/cases", "/v1/cases/"+uuid.NewString()+"/files/"+uuid.NewString()+"/content"

	for _, tc := range []struct{ name, path, other string }{
		{"calls in flight", call, download},
		{"downloads", download, call},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := w.in(t)
			cases.hold(false, func(r *http.Request) bool { return r.URL.Path == tc.path })
			t.Cleanup(cases.letGo)
			open := make(chan answer, 2)

			for _, p := range []devidp.Person{ada, ben} {
				req := w.request(http.MethodGet, tc.path, w.token(p), http.NoBody)
				go func() {
					a, err := fetch(w.http, req)
					if err != nil {
						t.Error(err)
					}
					open <- a
				}()
				cases.awaitHeld(t)
			}
			a := w.send(http.MethodGet, tc.path, w.token(cara), "")
			a.refused(t, "the third", http.StatusServiceUnavailable, "unavailable")
			if a.header.Get("Retry-After") == "" {
				t.Errorf("no Retry-After: %v", a.header)
			}
			if a := w.send(http.MethodGet, tc.other, w.token(cara), ""); a.status == http.StatusServiceUnavailable {
				t.Errorf("%s is refused as well: %s", tc.other, a.body)
			}

			cases.letGo()

			for range cap(open) {
				if a := <-open; a.status == http.StatusServiceUnavailable {
					t.Errorf("one that has its place: %d %s", a.status, a.body)
				}
			}
			testkit.UntilTrue(t, testkit.Patience, "there is a place again", func() bool {
				return w.send(http.MethodGet, tc.path, w.token(cara), "").status != http.StatusServiceUnavailable
			})
		})
	}
}

// An agent that sends messages without end by the agent-to-agent protocol is told when to come again.
func TestAnAgentSendsSoManyMessages(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited("AGENT_A2A_RUNS_PER_MINUTE", "3"))
	agent, colleague := w.connect(ada), w.connect(cara)
	send := func(bearer string) answer {
		body := `{"message":{"messageId":"` + uuid.NewString() + `","role":"ROLE_USER",
			"parts":[{"text":"` + question + `"}]},"configuration":{"returnImmediately":true}}`
		client := &http.Client{Transport: w.bare}

		return w.do(client, w.request(http.MethodPost, "/a2a/rest/message:send", bearer, strings.NewReader(body),
			"A2A-Version", "1.0"))
	}

	for n := range 3 {
		if a := send(agent.bearer); a.status != http.StatusOK {
			t.Fatalf("message %d: %d %s", n+1, a.status, a.body)
		}
	}
	a := send(agent.bearer)
	if a.status != http.StatusTooManyRequests || a.header.Get("Retry-After") == "" ||
		!strings.Contains(string(a.body), `"rate_limited"`) {
		t.Errorf("the message too many: %d %v %s", a.status, a.header, a.body)
	}
	if a := send(colleague.bearer); a.status != http.StatusOK {
		t.Errorf("a colleague's agent: %d %s", a.status, a.body)
	}
}

// Over HTTP/2 a head that is too large is refused in the form of every other refusal, up to what the server's library
// takes.
func TestHeadsThatAreTooLargeOverHTTP2(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited())

	for name, headers := range map[string][]string{
		"one field": {"X-A", strings.Repeat("a", 33<<10)},
		"much more": {"X-A", strings.Repeat("a", 60<<10)},
		"two":       {"X-A", strings.Repeat("a", 20<<10), "X-B", strings.Repeat("b", 20<<10)},
		"a cookie":  {"Cookie", "a=" + strings.Repeat("a", 40<<10)},
		"a bearer":  {"Authorization", "Bearer " + strings.Repeat("a", 40<<10)},
	} {
		req := w.request(http.MethodGet, "/v1/me", "", http.NoBody, headers...)
		resp, err := w.bare.RoundTrip(req)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var said httpx.WireError
		err = json.NewDecoder(resp.Body).Decode(&said)
		_ = resp.Body.Close()
		if err != nil || resp.ProtoMajor != 2 || resp.StatusCode != http.StatusRequestHeaderFieldsTooLarge ||
			said.Error != "headers_too_large" || said.Message == "" {
			t.Errorf("%s: %s %d %+v, %v", name, resp.Proto, resp.StatusCode, said, err)
		}

		for _, header := range []string{"X-Frame-Options", "X-Content-Type-Options", "X-Request-Id"} {
			if resp.Header.Get(header) == "" {
				t.Errorf("%s: no %s", name, header)
			}
		}
	}
}
