package authsvc_test

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/authn"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/services"
)

// voucher is what case-svc, or whoever issuer is, gives out for a phase of a caller.
func (w *world) voucher(issuer string, c access.Caller) string {
	w.t.Helper()
	text, err := w.signer[issuer].Voucher(authn.Continuation{Caller: c, Phase: access.Phase{
		PhaseID:       uuid.NewString(),
		RequestType:   "case_req",
		ContainerType: "case",
		ContainerID:   uuid.NewString(),
		TimelineID:    uuid.NewString(),
	}})
	if err != nil {
		w.t.Fatal(err)
	}

	return text
}

func (w *world) continues(issuer, voucher string) (string, error) {
	return services.AuthClient{
		HTTP: w.as(issuer, access.Caller{Kind: access.Service}),
	}.ContinueRun(
		w.t.Context(),
		voucher,
	)
}

// looksAt asks whether a caller stands, as agent-svc does where it has no place for the run.
func (w *world) looksAt(c access.Caller) error {
	inside := services.AuthClient{HTTP: w.as("agent-svc", access.Caller{Kind: access.Service})}

	return inside.CallerStands(w.t.Context(), w.voucher("case-svc", c))
}

// A run goes on in the name of its caller as long as the caller stands, and by a token that is for its phase alone.
func TestARunGoesOnWhileItsCallerStands(t *testing.T) {
	t.Parallel()
	w := start(t)
	agentID, _ := w.agent("o:oak")
	w.connect(w.register(callback), "cases:read")
	page, _ := w.grants(adaHere, "")
	grant := page.Items[0]
	agent := access.Caller{
		Kind:    access.Agent,
		Tenant:  "o:oak",
		UserID:  "ada",
		AgentID: agentID,
		Scopes:  access.AgentScopes(),
	}
	app := access.Caller{
		Kind:     access.OAuth,
		Tenant:   "o:oak",
		UserID:   "ada",
		ClientID: grant.ClientID,
		GrantID:  grant.GrantID,
		Scopes:   []string{"cases:read"},
	}
	with := func(c access.Caller, change func(*access.Caller)) access.Caller { change(&c); return c }

	for _, tc := range []struct {
		name   string
		caller access.Caller
		stands bool
	}{
		{"a person", adaHere, true},
		{"an agent", agent, true},
		{"an application", app, true},
		{"an agent of another tenant", with(agent, func(c *access.Caller) { c.Tenant = "o:elm" }), false},
		{"an agent of another user", with(agent, func(c *access.Caller) { c.UserID = "ben" }), false},
		{"an agent that was never connected", with(agent, func(c *access.Caller) { c.AgentID = "agt_" + uuid.NewString() }), false},
		{"an application of another user", with(app, func(c *access.Caller) { c.UserID = "ben" }), false},
		{"another application", with(app, func(c *access.Caller) { c.ClientID = "other" }), false},
		{"an application that names no grant", with(app, func(c *access.Caller) { c.GrantID = "" }), false},
		{"an application with more than it was granted", with(app, func(c *access.Caller) { c.Scopes = []string{"cases:read", "agent:run"} }), false},
		{"a service", access.Caller{Kind: access.Service, Tenant: "o:oak"}, false},
		{"a partner", access.Caller{Kind: access.Partner, Tenant: "o:oak", UserID: "ben"}, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if err := w.looksAt(tc.caller); (err == nil) != tc.stands {
				t.Errorf("a look at the caller = %v", err)
			}
			token, err := w.continues("agent-svc", w.voucher("case-svc", tc.caller))
			if !tc.stands {
				if e := errs.From(err); e.Code != "caller_gone" || e.Kind != errs.Forbidden {
					t.Errorf("error = %v, want caller_gone", err)
				}

				return
			}
			if err != nil {
				t.Fatal(err)
			}
			trust := authn.Trust{"auth-svc": w.trust["auth-svc"]}
			got, err := (&authn.Verifier{Trust: trust, Now: w.now, Opens: authn.Openings{}}).Verify(token)
			if err != nil || got.ID() != tc.caller.ID() || got.Tenant != tc.caller.Tenant ||
				!slices.Equal(got.Scopes, tc.caller.Scopes) ||
				!got.Continues() {
				t.Errorf("the token says %+v, %v", got, err)
			}
			if _, err := (&authn.Verifier{Trust: trust, Now: w.now}).Verify(token); err == nil {
				t.Error("a service that continues nothing takes the token")
			}
		})
	}

	for what, end := range map[string]func(){
		"the agent was disconnected": func() {
			if err := w.registry("o:oak").EndAgent(t.Context(), agentID); err != nil {
				t.Fatal(err)
			}
		},
		"the grant was revoked": func() { w.disconnect(adaHere, grant.GrantID) },
	} {
		end()
		caller := map[bool]access.Caller{true: agent, false: app}[what == "the agent was disconnected"]
		if _, err := w.continues("agent-svc", w.voucher("case-svc", caller)); errs.From(err).Code != "caller_gone" {
			t.Errorf("%s: %v, want caller_gone", what, err)
		}
	}

	for _, entry := range []string{"service run.continued ok", "service run.continued refused"} {
		if !slices.Contains(w.actions(), entry) {
			t.Errorf("%q is not on record: %v", entry, w.actions())
		}
	}
}

// Nobody goes on in a caller's name after a look, so it is on record only where the caller is gone.
func TestALookAtACallerStartsNothing(t *testing.T) {
	t.Parallel()
	w := start(t)
	agentID, _ := w.agent("o:oak")
	agent := access.Caller{Kind: access.Agent, Tenant: "o:oak", UserID: "ada", AgentID: agentID}
	before := len(w.actions())

	if err := w.looksAt(agent); err != nil || len(w.actions()) != before {
		t.Errorf("a look = %v, and leaves %d records", err, len(w.actions())-before)
	}
	if err := w.registry("o:oak").EndAgent(t.Context(), agentID); err != nil {
		t.Fatal(err)
	}
	if err := w.looksAt(agent); errs.From(err).Code != "caller_gone" {
		t.Errorf("a look at an agent that was disconnected = %v, want caller_gone", err)
	}
	if !slices.Contains(w.actions(), "service run.continued refused") {
		t.Errorf("a caller who is gone is not on record: %v", w.actions())
	}
}

// Nobody but agent-svc may ask, and nobody but case-svc is believed.
func TestWhoMayContinueARun(t *testing.T) {
	t.Parallel()
	w := start(t)

	for _, issuer := range []string{"gateway", "registry-svc", "case-svc", "party-svc", "auth-svc"} {
		if _, err := w.continues(issuer, w.voucher("case-svc", adaHere)); errs.From(err).Kind != errs.Forbidden {
			t.Errorf("%s asks: %v, want forbidden", issuer, err)
		}
	}

	for _, issuer := range []string{"gateway", "agent-svc", "auth-svc", "party-svc"} {
		if _, err := w.continues("agent-svc", w.voucher(issuer, adaHere)); errs.From(err).Kind != errs.Unauthenticated {
			t.Errorf("%s vouches: %v, want unauthenticated", issuer, err)
		}
	}
	internal, err := w.signer["case-svc"].Token(access.Caller{Kind: access.Service, Tenant: "o:oak"})
	if err != nil {
		t.Fatal(err)
	}
	old := w.voucher("case-svc", adaHere)
	w.skip.Add(int64(2 * time.Minute))

	for what, voucher := range map[string]string{"an internal token": internal, "nothing": "", "an old voucher": old} {
		if _, err := w.continues("agent-svc", voucher); errs.From(err).Kind != errs.Unauthenticated {
			t.Errorf("%s: %v, want unauthenticated", what, err)
		}
	}
	if r, err := w.try(
		adaHere,
		http.MethodPost,
		"/internal/continuations",
		`{"voucher":"x"}`,
	); err != nil ||
		r.status != http.StatusForbidden {
		t.Errorf("a person asks: %d, %v", r.status, err)
	}
}
