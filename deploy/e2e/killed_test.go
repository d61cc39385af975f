package e2e_test

import (
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
)

// registryProcess starts a world whose registry-svc is a process of its own.
func registryProcess(t *testing.T, more ...string) (*world, *program, *weir) {
	t.Helper()
	addr := testkit.FreeAddr(t)
	auth := newWeir(t)
	w := start(t, unlimited("REGISTRY_URL", "http://"+addr, "REGISTRY_SWEEP", "1h"))
	auth.to(w.Services["auth-svc"].Addr())
	more = append([]string{
		"AUTH_URL", auth.server.URL, "REGISTRY_LEASE", "800ms", "REGISTRY_CARD_TIME", "5s", "REGISTRY_SWEEP", "150ms", "MONGODB_TIMEOUT", "10s",
	}, more...)
	p := w.process("registry-svc", "REGISTRY_ADDR", addr, more...)
	p.start()

	return w, p, auth
}

// killedAt is a moment of a registration: arm prepares it before, reached returns when it has come.
type killedAt struct {
	name    string
	arm     func()
	reached func(t *testing.T)
}

func TestS18RegistrySvcKilledDuringRegistrations(t *testing.T) {
	t.Parallel()
	w, p, auth := registryProcess(t)
	host := w.cardHost()
	mint := func(r *http.Request) bool { return r.Method == http.MethodPost && r.URL.Path == "/internal/keys" }
	steps := []killedAt{
		{"card being fetched", func() { host.hold() }, func(t *testing.T) { host.awaitHeld(t) }},
		{"key asked for", func() { auth.hold(false, mint) }, auth.awaitHeld},
		{"key made and its answer lost", func() { auth.hold(true, mint) }, auth.awaitHeld},
	}

	for range 6 {
		wait := time.Duration(rand.IntN(30_000)) * time.Microsecond
		steps = append(steps, killedAt{"after " + wait.String(), func() {}, func(t *testing.T) { pause(t, wait) }})
	}

	for _, step := range steps {
		t.Run(step.name, func(t *testing.T) {
			w := w.in(t)
			token := w.registrationToken(ada)
			step.arm()
			answered := make(chan answer, 1)

			req := w.request(http.MethodPost, "/v1/agents/register", "", strings.NewReader(registration(t, token, host.url)))
			go func() {
				a, err := fetch(w.http, req)
				if err != nil {
					a = answer{}
				}
				answered <- a
			}()
			step.reached(t)
			p.kill()
			auth.letGo()
			host.letGo()
			first := <-answered
			if first.status != http.StatusCreated {
				first.refused(t, "the registration that was cut off", http.StatusServiceUnavailable, "unavailable")
			}
			p.start()
			w.settled(token, host.url, first)
			w.disconnect(ada)
		})
	}
}

// settled tries a token again, as patiently as it is told, and checks that this gives an agent, or that the agent is there already.
func (w *world) settled(token, cardURL string, first answer) {
	w.t.Helper()
	deadline := time.Now().Add(15 * time.Second)

	for {
		a := w.register(token, cardURL)
		switch {
		case a.status == http.StatusCreated && first.status != http.StatusCreated:
			w.oneAgent(ada, into[api.RegisteredAgent](w.t, a, http.StatusCreated).SharedAPIKey)
			return
		case a.status == http.StatusConflict && a.err.Error == "registration_busy", a.status == http.StatusServiceUnavailable:
			if time.Now().After(deadline) {
				w.t.Fatalf("the place stays taken: %s", a.body)
			}
			wait, err := strconv.Atoi(a.header.Get("Retry-After"))
			if err != nil || wait < 1 {
				w.t.Fatalf("Retry-After = %q", a.header.Get("Retry-After"))
			}
			pause(w.t, min(time.Duration(wait)*time.Second, time.Second))
		case a.status == http.StatusUnauthorized, a.status == http.StatusConflict && a.err.Error == "agent_connected":
			agent := into[api.Agent](w.t, w.send(http.MethodGet, "/v1/agents/me", w.token(ada), ""), http.StatusOK) // the agent is whole; only its key may be lost
			if first.status == http.StatusCreated {
				told := into[api.RegisteredAgent](w.t, first, http.StatusCreated)
				if told.AgentID != agent.AgentID {
					w.t.Errorf("the agent is %s, told was %s", agent.AgentID, told.AgentID)
				}
				w.oneAgent(ada, told.SharedAPIKey)
			}

			return
		default:
			w.t.Fatalf("try again: %d %s after %d", a.status, a.body, first.status)
		}
	}
}

func TestS46TheProxyOfTheEnvironmentIsNotUsedForCards(t *testing.T) {
	t.Parallel()
	proxy := newNobody(t)
	there := "http://" + proxy.Addr().String()
	w, _, _ := registryProcess(t, "HTTPS_PROXY", there, "https_proxy", there, "HTTP_PROXY", there, "ALL_PROXY", there)
	token := w.registrationToken(ada)
	w.register(token, "https://cards.subrosa-e2e.example.com/agent.json").refused(t, "a public name", http.StatusBadRequest, "card_unreachable")
	into[api.RegisteredAgent](t, w.register(token, w.cardHost().url), http.StatusCreated)
	if saw := proxy.saw(); saw != "" {
		t.Errorf("the proxy was used: %s", saw)
	}
}
