package e2e_test

import (
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/subrosa-legal/subrosa/gateway"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/authn"
)

// defaults are the limits as they are when nobody sets them.
var defaults = map[string]string{
	"GATEWAY_RATE_TOKEN": "20", "GATEWAY_RATE_REGISTER": "10", "GATEWAY_RATE_REGISTRATION_TOKEN": "10", "GATEWAY_RATE_RUN": "60", "GATEWAY_RATE_CALLS": "600", "GATEWAY_RATE_ADDRESS": "120", "GATEWAY_RATE_OAUTH_TOKEN": "600",
}

var (
	policyForm = regexp.MustCompile(`^"([a-z-]+)";q=([0-9]+);w=([0-9]+)$`)
	limitForm  = regexp.MustCompile(`^"([a-z-]+)";r=([0-9]+);t=([0-9]+)$`)
)

// limited reads what an answer says of a rate limit.
func (a answer) limited(t *testing.T) (name string, quota, window, remaining, reset int) {
	t.Helper()
	policy, limit := policyForm.FindStringSubmatch(a.header.Get("RateLimit-Policy")), limitForm.FindStringSubmatch(a.header.Get("RateLimit"))
	if policy == nil || limit == nil || policy[1] != limit[1] {
		t.Fatalf("RateLimit-Policy: %q, RateLimit: %q", a.header.Get("RateLimit-Policy"), a.header.Get("RateLimit"))
	}
	number := func(s string) int { n, _ := strconv.Atoi(s); return n }

	return policy[1], number(policy[2]), number(policy[3]), number(limit[2]), number(limit[3])
}

func TestRateLimits(t *testing.T) {
	t.Parallel()
	settings := maps.Clone(defaults)
	settings["GATEWAY_RATE_OAUTH_TOKEN"], settings["GATEWAY_RATE_ASSETS"] = "30", "40" // of 600 and 3000
	w := start(t, settings)
	agent, rival := w.connect(ada), w.connect(ben)
	elsewhere := w.from("127.0.0.2")
	invalid := `{"sessionId":""}`
	refresh := func() *http.Request {
		return w.request(http.MethodPost, "/oauth/token", "", strings.NewReader("grant_type=refresh_token"),
			"Content-Type", "application/x-www-form-urlencoded")
	}
	page := func() *http.Request { return w.request(http.MethodGet, "/app/cases", "", nil) }

	untried := map[string]bool{}
	for _, r := range gateway.Routes() {
		untried[r.Limit] = true
	}
	delete(untried, "token") // is used up by TestS21GuessingKeys

	for _, tc := range []struct {
		name          string
		quota, window int
		request       func() *http.Request
		free          func() *http.Request // the same by somebody whom it does not concern
		with          *http.Client         // of free
	}{
		{
			"registration-token", 10, 3600, func() *http.Request {
				return w.request(http.MethodPost, "/v1/agents/registration-token", w.token(cara), nil)
			},
			func() *http.Request {
				return w.request(http.MethodPost, "/v1/agents/registration-token", w.token(ben), nil)
			}, w.http,
		},
		{
			"run", 60, 60, func() *http.Request {
				return w.request(http.MethodPost, "/v1/agent", agent.bearer, strings.NewReader(invalid))
			},
			func() *http.Request {
				return w.request(http.MethodPost, "/v1/agent", rival.bearer, strings.NewReader(invalid))
			}, w.http,
		},
		{
			"calls", 600, 60, func() *http.Request {
				return w.request(http.MethodGet, "/v1/timeline/"+uuid.NewString(), agent.bearer, nil)
			},
			func() *http.Request {
				return w.request(http.MethodGet, "/v1/timeline/"+uuid.NewString(), w.token(ada), nil)
			}, w.http,
		},
		{
			"register", 10, 60, func() *http.Request {
				return w.request(http.MethodPost, "/v1/agents/register", "", strings.NewReader("{}"))
			},
			func() *http.Request {
				return w.request(http.MethodPost, "/v1/agents/register", "", strings.NewReader("{}"))
			}, elsewhere,
		},
		{
			"address", 120, 60, func() *http.Request { return w.request(http.MethodGet, "/.well-known/agent.json", "", nil) },
			func() *http.Request { return w.request(http.MethodGet, "/.well-known/agent.json", "", nil) }, elsewhere,
		},
		{"oauth-token", 30, 60, refresh, refresh, elsewhere},
		{"assets", 40, 60, page, page, elsewhere},
	} {
		delete(untried, tc.name)
		t.Run(tc.name, func(t *testing.T) {
			w := w.in(t)
			used := 0 // what the test itself has used up before

			for n := 1; ; n++ {
				a := w.do(w.http, tc.request())
				name, quota, window, remaining, reset := a.limited(t)
				if name != tc.name || quota != tc.quota || window != tc.window || reset < 1 || reset > window {
					t.Fatalf("call %d: %s of %d in %d s, %d left, again after %d s", n, name, quota, window, remaining, reset)
				}
				if n == 1 {
					used = quota - 1 - remaining
				}
				if a.status != http.StatusTooManyRequests {
					if n+used > 5*quota { // slow calls win back some of it
						t.Fatalf("call %d is not refused yet", n)
					}

					continue
				}
				a.refused(t, "the call too many", http.StatusTooManyRequests, "rate_limited")
				if n+used <= quota {
					t.Errorf("call %d is refused, with %d used before and a quota of %d", n, used, quota)
				}
				if wait, err := strconv.Atoi(a.header.Get("Retry-After")); err != nil || wait < reset || remaining != 0 {
					t.Errorf("Retry-After: %q, RateLimit: %q", a.header.Get("Retry-After"), a.header.Get("RateLimit"))
				}

				break
			}
			if a := w.do(tc.with, tc.free()); a.status == http.StatusTooManyRequests {
				t.Errorf("somebody else is refused as well: %s", a.body)
			}
		})
	}

	for limit := range untried {
		t.Errorf("no row uses up the limit %q", limit)
	}
	// The limit of addresses counts whoever shows no valid credential, and only those.
	w.limits(t, "no credential from that address", http.MethodGet, "/v1/me", "")
	w.limits(t, "a bad credential from that address", http.MethodGet, "/v1/me", "x")
	w.takes("a good credential from that address", rival.bearer)
	if a := w.do(elsewhere, w.request(http.MethodGet, "/v1/me", "x", nil)); a.status != http.StatusUnauthorized {
		t.Errorf("a bad credential from elsewhere: %d", a.status)
	}
	// Headers of proxies that nobody trusts make no other address.
	w.limits(t, "behind a made-up address", http.MethodGet, "/.well-known/agent.json", "",
		"X-Forwarded-For", "198.51.100.7", "X-Real-Ip", "198.51.100.7", "Forwarded", "for=198.51.100.7")
}

// limits wants a request refused whose limit was used up: soon, for on a slow machine some of it has come back since.
func (w *world) limits(t *testing.T, what, method, path, token string, headers ...string) {
	t.Helper()

	var a answer
	for range 100 {
		if a = w.send(method, path, token, "", headers...); a.status == http.StatusTooManyRequests {
			break
		}
	}
	a.refused(t, what, http.StatusTooManyRequests, "rate_limited")
}

func TestS21GuessingKeys(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited("GATEWAY_RATE_TOKEN", "20"))
	agent := w.connect(ada)
	refused, limited := 0, 0

	for i := range 200 {
		a := w.send(http.MethodPost, "/v1/auth/token", "", `{"api_key":"`+authn.NewSecret(authn.APIKeyPrefix)+`"}`, "X-Forwarded-For", fmt.Sprintf("198.51.100.%d", i))
		switch a.status {
		case http.StatusUnauthorized:
			refused++
			if limited > 5 {
				t.Logf("guess %d was looked at again", i)
			}
		case http.StatusTooManyRequests:
			limited++
			a.refused(t, "guess", http.StatusTooManyRequests, "rate_limited")
		default:
			t.Fatalf("guess %d: %d %s", i, a.status, a.body)
		}
	}
	if refused == 0 || refused > 40 || limited < 160 {
		t.Errorf("200 guesses: %d looked at, %d not, want about 20 and 180", refused, limited)
	}
	good := `{"api_key":"` + agent.SharedAPIKey + `"}`
	w.send(http.MethodPost, "/v1/auth/token", "", good).refused(t, "a good key from there", http.StatusTooManyRequests, "rate_limited")
	into[api.BearerToken](t, w.do(w.from("127.0.0.2"), w.request(http.MethodPost, "/v1/auth/token", "", strings.NewReader(good))), http.StatusOK)
	w.takes("the agent's bearer", agent.bearer)
}
