package e2e_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/deploy/internal/devidp"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
)

// outWithin is how soon an offboarded member has nothing left, on every replica.
const outWithin = 2 * time.Second

// offboard ends a member's access in the name of an owner or administrator.
func (w *world) offboard(by devidp.Person, user string) api.OffboardedMember {
	w.t.Helper()
	a := w.send(http.MethodPost, "/v1/members/"+user+"/offboard", w.token(by), "")

	return into[api.OffboardedMember](w.t, a, http.StatusOK)
}

// reinstate gives it back, in the name of an owner.
func (w *world) reinstate(by devidp.Person, user string) {
	w.t.Helper()
	into[api.Member](w.t, w.send(http.MethodPost, "/v1/members/"+user+"/reinstate", w.token(by), ""), http.StatusOK)
}

// over reports whether a stream has come to its end.
func (f *follower) over() bool {
	f.mu.Lock()
	defer f.mu.Unlock()

	return f.ended
}

func TestAnOffboardedMemberIsOut(t *testing.T) {
	t.Parallel()
	w, cases := heldWorld(t, overhear, "1")
	agent, colleague := w.connect(cara), w.connect(ada)
	app, theirs := w.letIn(cara, "cases:read"), w.letIn(ada, "cases:read")
	app = w.tokensOf(app.id, w.renew(app.id, app.refresh))
	browser := w.signedIn(cara)
	caseID, _ := w.newCase(agent.bearer)
	w.newCase(colleague.bearer)
	cases.hold(false, searches)
	job := task(caseID, api.CaseReq, question)
	stream := w.post(agent.bearer, job)
	stream.until("phase_start", kind(api.EventPhaseStart))
	cases.awaitHeld(t)
	watched := w.watch("", job.SeedPhase.PhaseID, "Cookie", w.cookie(browser))
	watched.until("phase_start", kind(api.EventPhaseStart))
	mine := w.watch(w.token(cara), job.SeedPhase.PhaseID)
	mine.until("phase_start", kind(api.EventPhaseStart))
	owners := w.watch(w.token(ada), job.SeedPhase.PhaseID)
	owners.until("phase_start", kind(api.EventPhaseStart))
	w.send(http.MethodGet, "/v1/me", w.token(otto), "")

	w.offboard(otto, "cara")
	deadline := time.Now().Add(outWithin)
	// Each is asked again and again until time is up: with two replicas of everything, calls go to both in turn.
	refusedOnBoth := func(what string, status int, code string, call func() answer) {
		t.Helper()
		testkit.UntilTrue(t, time.Until(deadline), what, func() bool {
			for range 4 {
				if a := call(); a.status != status || a.err.Error != code {
					return false
				}
			}

			return true
		})
	}
	read := func(token string) func() answer {
		return func() answer { return w.send(http.MethodGet, "/v1/cases", token, "") }
	}
	refusedOnBoth("the bearer is refused", http.StatusUnauthorized, "unauthenticated", read(agent.bearer))
	refusedOnBoth("the provider token is refused", http.StatusForbidden, "access_ended", read(w.token(cara)))
	refusedOnBoth("the key is refused", http.StatusUnauthorized, "invalid_api_key", func() answer {
		return w.send(http.MethodPost, "/v1/auth/token", "", `{"api_key":"`+agent.SharedAPIKey+`"}`)
	})
	refusedOnBoth("the browser session is refused", http.StatusUnauthorized, "unauthenticated", func() answer {
		return w.send(http.MethodGet, "/v1/me", "", "", "Cookie", w.cookie(browser))
	})
	testkit.UntilTrue(t, time.Until(deadline), "the application's token is refused", func() bool {
		return w.send(http.MethodPost, "/api/mcp", app.access, `{"jsonrpc":"2.0","id":1,"method":"ping"}`,
			"Accept", "application/json, text/event-stream").status == http.StatusUnauthorized
	})
	refusedOnBoth("the application's refresh token is refused", http.StatusBadRequest, "invalid_grant", func() answer {
		a := w.renew(app.id, app.refresh)
		if a.status == http.StatusOK { // the old one is used up now, and would be refused in any case
			app = w.tokensOf(app.id, a)
		}

		return a
	})
	testkit.UntilTrue(t, time.Until(deadline), "open streams end", func() bool {
		return stream.over() && watched.over() && mine.over()
	})

	testkit.UntilTrue(t, time.Until(deadline), "the run in their name ends", owners.over)
	cases.letGo()
	if end := checkStream(t, job.SeedPhase.PhaseID, owners.all()); end != api.PhaseCancelled {
		t.Errorf("the run in their name ended %s, want cancelled", end)
	}
	p := w.phaseEnds(w.token(ada), job.SeedPhase.PhaseID)
	if p.Error == nil || p.Error.Error != "caller_gone" {
		t.Errorf("the phase says %+v", p.Error)
	}
	w.takes("a colleague's agent", colleague.bearer)
	w.takes("a colleague", w.token(ada))
	w.takes("an owner", w.token(otto))
	w.tokensOf(theirs.id, w.renew(theirs.id, theirs.refresh))

	w.reinstate(otto, "cara")
	testkit.UntilTrue(t, outWithin, "the suspension is lifted", func() bool {
		first, second := read(w.token(cara))(), read(w.token(cara))() // one of each replica

		return first.status == http.StatusOK && second.status == http.StatusOK
	})
	w.refuses("the bearer after the suspension was lifted", agent.bearer)
	if a := w.renew(app.id, app.refresh); a.status != http.StatusBadRequest || a.err.Error != "invalid_grant" {
		t.Errorf("the refresh token after the suspension was lifted: %d %s", a.status, a.body)
	}
	mineNow := into[api.Agent](t, w.send(http.MethodGet, "/v1/agents/me", w.token(cara), ""), http.StatusOK)
	if mineNow.Status != "access_ended" {
		t.Errorf("the agent is %s", mineNow.Status)
	}
	w.send(http.MethodDelete, "/v1/agents/"+agent.AgentID, w.token(otto), "").
		refused(t, "a disconnection by an owner", http.StatusForbidden, "forbidden")
	w.disconnect(cara)
	w.takes("an agent that was connected anew", w.connect(cara).bearer)
}

// A refusal leaves a line in the log, and a credential used after its end an event on the chain.
func TestRefusalsLeaveATrace(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited())
	agent := w.connect(ada)
	w.disconnect(ada)
	w.refuses("a bearer after its end", agent.bearer)
	w.send(http.MethodPost, "/v1/auth/token", "", `{"api_key":"`+agent.SharedAPIKey+`"}`).
		refused(t, "a key after its end", http.StatusUnauthorized, "invalid_api_key")
	w.register("sbr_rt_x", w.cardHost().url).
		refused(t, "a guess", http.StatusUnauthorized, "registration_token_invalid")
	w.send(http.MethodPost, "/v1/agents/registration-token", w.connect(ada).bearer, "").
		refused(t, "an agent", http.StatusForbidden, "human_required")

	for _, want := range []string{
		`"decision":"revoked","code":"unauthenticated"`, `"decision":"unauthenticated","code":"invalid_api_key"`,
		`"decision":"unauthenticated","code":"registration_token_invalid"`, `"decision":"forbidden","code":"human_required"`,
	} {
		if !strings.Contains(w.logs.String(), want) {
			t.Errorf("no line in the log says %s", want)
		}
	}

	for _, secret := range []string{agent.bearer, agent.SharedAPIKey, "sbr_rt_x"} {
		if strings.Contains(w.logs.String(), secret) {
			t.Error("the log holds a credential")
		}
	}
	testkit.UntilTrue(t, 10*time.Second, "the use of ended credentials is on record", func() bool {
		a := w.send(http.MethodGet, "/v1/audit/auth?limit=100", w.token(ada), "")
		body := string(a.body)

		return strings.Contains(body, `"call.revoked"`) && strings.Contains(body, `"token.refused"`)
	})
}

// joined makes sure that gil, of whom nobody else knows, is a member with access, and that there are two owners.
func (w *world) joined() {
	w.t.Helper()
	w.send(http.MethodGet, "/v1/me", w.token(otto), "")
	a := w.send(http.MethodGet, "/v1/me", w.token(gil), "")
	if a.err.Error == "access_ended" {
		w.reinstate(otto, gil.Subject)
		testkit.UntilTrue(w.t, outWithin, "gil has access", func() bool {
			return w.send(http.MethodGet, "/v1/me", w.token(gil), "").status == http.StatusOK
		})
	}
}

// Registrations of applications are counted by the network that they come from, also behind the gateway.
func TestRegistrationsAreCountedByAddress(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited("AUTH_REGISTRATIONS", "2", "GATEWAY_TRUSTED_PROXIES", "127.0.0.0/8"))
	register := func(from string) int {
		return w.send(http.MethodPost, "/oauth/register", "", `{"redirect_uris":["https://app.example/back"]}`,
			"X-Forwarded-For", from).status
	}

	for i, tc := range []struct {
		from string
		want int
	}{
		{"203.0.113.7", http.StatusCreated},
		{"203.0.113.7", http.StatusCreated},
		{"203.0.113.7", http.StatusTooManyRequests},
		{"203.0.113.8", http.StatusCreated},
		{"2001:db8:1:2::1", http.StatusCreated},
		{"2001:db8:1:2::2", http.StatusCreated},
		{"2001:db8:1:2::3", http.StatusTooManyRequests}, // a household has the /64 to itself
		{"2001:db8:1:3::1", http.StatusCreated},
		{"203.0.113.7", http.StatusTooManyRequests},
	} {
		if got := register(tc.from); got != tc.want {
			t.Errorf("registration %d, from %s: %d, want %d", i+1, tc.from, got, tc.want)
		}
	}
}
