package e2e_test

import (
	"bytes"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/deploy/internal/devidp"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/authn"
)

// race makes n requests at the same moment and returns the answers.
func (w *world) race(n int, request func(i int) *http.Request) []answer {
	w.t.Helper()
	answers, failures := make([]answer, n), make([]error, n)
	var ready, done sync.WaitGroup
	begin := make(chan struct{})

	for i := range n {
		req := request(i)
		ready.Add(1)
		done.Go(func() {
			ready.Done()
			<-begin
			answers[i], failures[i] = fetch(w.http, req)
		})
	}
	ready.Wait()
	close(begin)
	done.Wait()

	for _, err := range failures {
		if err != nil {
			w.t.Fatal(err)
		}
	}

	return answers
}

// statuses counts answers by their status.
func statuses(answers []answer) map[int]int {
	counts := map[int]int{}
	for _, a := range answers {
		counts[a.status]++
	}

	return counts
}

// oneAgent checks that a user has exactly one agent, active, and that its key is good.
func (w *world) oneAgent(p devidp.Person, key string) {
	w.t.Helper()
	me := into[api.Agent](w.t, w.send(http.MethodGet, "/v1/agents/me", w.token(p), ""), http.StatusOK)
	if me.Status != "active" {
		w.t.Errorf("status of the agent = %q, want active", me.Status)
	}
	if _, err := w.as("").Exchange(w.t.Context(), key); err != nil {
		w.t.Errorf("exchange the key of the agent: %v", err)
	}
	active, whole := 0, 0

	db := w.database("REGISTRY_DATABASE")
	for _, doc := range w.documents(db, "connections") {
		if strings.Contains(doc.String(), `"`+p.Subject+`"`) {
			whole++
		}
	}

	for _, doc := range w.documents(db, "agents") {
		user, _ := doc.Lookup("userId").StringValueOK()
		status, _ := doc.Lookup("status").StringValueOK()
		if user == p.Subject && status == "active" {
			active++
		}
	}
	if active != 1 || whole != 1 {
		w.t.Errorf("%s has %d active agents and %d connections, want one of each", p.Subject, active, whole)
	}
}

func TestRegistration(t *testing.T) {
	t.Parallel()
	// Sixty-four cards at once come late on a busy machine, and a late one is not what this is about.
	w := start(t, unlimited("REGISTRY_CARD_AT_ONCE", "64", "REGISTRY_CARD_TIME", "25s", "GATEWAY_CALL_TIME", "30s"))
	host := w.cardHost()
	t.Run("S13 a token works once", func(t *testing.T) {
		w := w.in(t)
		token := w.registrationToken(ada)
		first := into[api.RegisteredAgent](t, w.register(token, host.url), http.StatusCreated)
		w.register(token, host.url).refused(t, "second use", http.StatusUnauthorized, "registration_token_invalid")
		w.oneAgent(ada, first.SharedAPIKey)
		w.send(http.MethodPost, "/v1/agents/registration-token", w.token(ada), "").refused(t, "token while connected", http.StatusConflict, "agent_connected")
		w.disconnect(ada)
		w.register(token, host.url).refused(t, "use after the disconnection", http.StatusUnauthorized, "registration_token_invalid")
	})
	t.Run("S14 of 64 with one token one wins", func(t *testing.T) {
		w := w.in(t)
		for range 4 {
			token := w.registrationToken(ada)
			answers := w.race(64, func(int) *http.Request {
				return w.request(http.MethodPost, "/v1/agents/register", "", strings.NewReader(registration(t, token, host.url)))
			})
			won := w.onlyWinner(answers, http.StatusUnauthorized, http.StatusConflict)
			w.oneAgent(ada, won.SharedAPIKey)
			w.disconnect(ada)
		}
	})
	t.Run("S16 of 32 tokens of one user one wins", func(t *testing.T) {
		w := w.in(t)

		var tokens []string
		for range 32 {
			tokens = append(tokens, w.registrationToken(ben))
		}
		answers := w.race(len(tokens), func(i int) *http.Request {
			return w.request(http.MethodPost, "/v1/agents/register", "", strings.NewReader(registration(t, tokens[i], host.url)))
		})
		won := w.onlyWinner(answers, http.StatusConflict)
		w.oneAgent(ben, won.SharedAPIKey)
		w.disconnect(ben)
	})
	t.Run("64 who ask for a token and register", func(t *testing.T) {
		w := w.in(t)
		bearer := w.token(cara)
		tokens := w.race(64, func(int) *http.Request {
			return w.request(http.MethodPost, "/v1/agents/registration-token", bearer, nil)
		})

		var good []string
		for _, a := range tokens {
			good = append(good, into[api.RegistrationToken](t, a, http.StatusCreated).RegistrationToken)
		}
		// Half of them register while the others still ask.
		answers := w.race(2*len(good), func(i int) *http.Request {
			if i%2 == 1 {
				return w.request(http.MethodPost, "/v1/agents/registration-token", bearer, nil)
			}

			return w.request(http.MethodPost, "/v1/agents/register", "", strings.NewReader(registration(t, good[i/2], host.url)))
		})
		var registered []answer

		for i, a := range answers {
			switch {
			case i%2 == 0:
				registered = append(registered, a)
			case a.status != http.StatusCreated:
				a.refused(t, "token in the race", http.StatusConflict, "agent_connected")
			default:
				good = append(good, into[api.RegistrationToken](t, a, http.StatusCreated).RegistrationToken)
			}
		}
		won := w.onlyWinner(registered, http.StatusConflict)
		w.oneAgent(cara, won.SharedAPIKey)

		for _, token := range good[64:] {
			w.register(token, host.url).refused(t, "token from the race", http.StatusConflict, "agent_connected")
		}
		w.oneAgent(cara, won.SharedAPIKey)
	})
	t.Run("S17 a card that fails leaves the token usable", func(t *testing.T) {
		w := w.in(t)
		broken := w.cardHost()
		broken.serve(`{"name":"x"}`)

		token := w.registrationToken(ada)
		for _, address := range []string{broken.url, "https://127.0.0.1:1/agent.json", broken.url, broken.url} {
			a := w.register(token, address)
			a.refused(t, address, http.StatusBadRequest, "card_invalid", "card_unreachable")
		}
		// Addresses that are refused by their form, and bodies that are no registrations, are no tries.
		for range 6 {
			w.register(token, "http://127.0.0.1/").refused(t, "form", http.StatusBadRequest, "card_url_invalid")
			w.send(http.MethodPost, "/v1/agents/register", "", `{"registration_token":"`+token+`"}`).refused(t, "no address", http.StatusBadRequest, "validation_failed")
		}
		into[api.RegisteredAgent](t, w.register(token, host.url), http.StatusCreated)
		w.disconnect(ada)

		token = w.registrationToken(ada)
		for range 8 {
			w.register(token, broken.url).refused(t, "try", http.StatusBadRequest, "card_invalid")
		}
		into[api.RegisteredAgent](t, w.register(token, host.url), http.StatusCreated)
		w.disconnect(ada)
	})
	t.Run("tokens that were never issued", func(t *testing.T) {
		w := w.in(t)
		var first []byte

		for name, token := range map[string]string{
			"well formed": authn.NewSecret(authn.RegistrationTokenPrefix), "another kind": authn.NewSecret(authn.APIKeyPrefix), "not a token": "x", "long": strings.Repeat("x", 9000),
			"a name of a key": "reg:{x}", "zero byte": "\x00",
		} {
			a := w.register(token, host.url)
			a.refused(t, name, http.StatusUnauthorized, "registration_token_invalid")
			if body := withoutRequestID(a); first == nil {
				first = body
			} else if !bytes.Equal(body, first) {
				t.Errorf("%s: body = %s, want the same as for others: %s", name, body, first)
			}
		}
	})
}

// onlyWinner checks that exactly one of the registrations gave an agent and that the others were refused in one of these ways.
func (w *world) onlyWinner(answers []answer, others ...int) api.RegisteredAgent {
	w.t.Helper()
	counts := statuses(answers)
	if counts[http.StatusCreated] != 1 {
		w.t.Fatalf("statuses = %v, want exactly one 201", counts)
	}

	lost := 0
	for _, status := range others {
		lost += counts[status]
	}
	if lost != len(answers)-1 {
		w.t.Errorf("statuses = %v, want one 201 and otherwise %v", counts, others)
	}
	var won api.RegisteredAgent

	for _, a := range answers {
		if a.status == http.StatusCreated {
			won = into[api.RegisteredAgent](w.t, a, http.StatusCreated)
			continue
		}
		a.refused(w.t, "loser", a.status, "registration_token_invalid", "registration_busy", "agent_connected")
	}

	return won
}

// withoutRequestID returns the body of an error with its one changing part taken out.
func withoutRequestID(a answer) []byte {
	return bytes.ReplaceAll(a.body, []byte(a.err.RequestID), nil)
}

func TestS15RegistrationTokensExpire(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited("REGISTRY_TOKEN_LIFE", "2s"))
	host := w.cardHost()
	issued := into[api.RegistrationToken](t, w.send(http.MethodPost, "/v1/agents/registration-token", w.token(ada), ""), http.StatusCreated)
	if issued.ExpiresInSeconds != 2 {
		t.Errorf("expires_in_seconds = %d, want 2", issued.ExpiresInSeconds)
	}
	late := time.After(2 * time.Second)
	into[api.RegisteredAgent](t, w.register(w.registrationToken(ben), host.url), http.StatusCreated)
	<-late
	w.register(issued.RegistrationToken, host.url).refused(t, "after its life", http.StatusUnauthorized, "registration_token_invalid")
	into[api.RegisteredAgent](t, w.register(w.registrationToken(ada), host.url), http.StatusCreated)
}

func TestS20ExchangeOfWhatIsNoKey(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited())
	revoked := w.connect(ada)
	w.disconnect(ada)
	good := w.connect(ada)
	exchange := func(body string) answer { return w.send(http.MethodPost, "/v1/auth/token", "", body) }
	var first []byte

	for name, key := range map[string]string{
		"unknown": authn.NewSecret(authn.APIKeyPrefix), "revoked": revoked.SharedAPIKey, "misshapen": "sbr_sk_x", "a registration token": authn.NewSecret(authn.RegistrationTokenPrefix),
		"cut": good.SharedAPIKey[:len(good.SharedAPIKey)-1], "one character off": flipped(good.SharedAPIKey), "with a space": good.SharedAPIKey + " ", "a bearer": good.bearer,
	} {
		a := exchange(`{"api_key":"` + key + `"}`)
		a.refused(t, name, http.StatusUnauthorized, "invalid_api_key")
		if body := withoutRequestID(a); first == nil {
			first = body
		} else if !bytes.Equal(body, first) {
			t.Errorf("%s: body = %s, want the same as for others: %s", name, body, first)
		}
	}

	for name, body := range map[string]string{
		"empty key": `{"api_key":""}`, "no key": `{}`, "null": `{"api_key":null}`, "array": `{"api_key":["x"]}`, "operator": `{"api_key":{"$ne":null}}`, "number": `{"api_key":1}`,
		"array as body": `[]`, "empty body": ` `, "twice": `{"api_key":"x","api_key":"` + good.SharedAPIKey + `"}`, "other case": `{"API_KEY":"` + good.SharedAPIKey + `"}`,
	} {
		exchange(body).refused(t, name, http.StatusBadRequest)
	}
	exchange(`{"api_key":"`+strings.Repeat("a", 1<<20)+`"}`).refused(t, "1 MiB", http.StatusRequestEntityTooLarge, "body_too_large")
	into[api.BearerToken](t, exchange(`{"api_key":"`+good.SharedAPIKey+`"}`), http.StatusOK)
}

// flipped changes one character of a key's random part.
func flipped(key string) string {
	other := byte('A')
	if key[20] == other {
		other = 'B'
	}

	return key[:20] + string(other) + key[21:]
}
