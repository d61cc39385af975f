package e2e_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/subrosa-legal/subrosa/gateway"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/authn"
)

// address fills a template of a path with ids that nothing has.
func address(template string) string {
	parts := strings.Split(template, "/")
	for i, part := range parts {
		switch {
		case part == ":agentId":
			parts[i] = "agt_" + uuid.NewString()
		case part == ":containerType":
			parts[i] = "case"
		case part == "*action":
			parts[i] = "agent"
		case part == "*page":
			parts[i] = "cases"
		case part == "*file":
			parts[i] = "icon.svg"
		case strings.HasPrefix(part, ":"):
			parts[i] = uuid.NewString()
		}
	}

	return strings.Join(parts, "/")
}

func TestS09EveryRouteThatIsNotPublicWantsACredential(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited())
	agent := w.connect(ada)
	good := "Bearer " + agent.bearer
	private := 0

	for _, route := range gateway.Routes() {
		if route.Public {
			continue
		}
		private++
		t.Run(route.Method+" "+route.Path, func(t *testing.T) {
			w := w.in(t)
			for name, headers := range map[string][]string{
				"none": nil, "empty": {""}, "scheme alone": {"Bearer"}, "scheme and space": {"Bearer "}, "another scheme": {"Basic " + agent.bearer},
				"no scheme": {agent.bearer}, "two tokens": {good + " " + agent.bearer}, "a list": {good + ", " + good}, "a tab": {"Bearer\t" + agent.bearer},
				"two headers": {good, good}, "a good and an empty header": {good, ""}, "not a token": {"Bearer x"}, "dots": {"Bearer .."},
				"an API key": {"Bearer " + agent.SharedAPIKey}, "too long": {"Bearer " + strings.Repeat("a", 8<<10+1)}, "padded": {good + "="},
			} {
				req := w.request(route.Method, address(route.Path), "", nil)
				req.Header["Authorization"] = headers
				w.do(w.http, req).refused(t, name, http.StatusUnauthorized, "unauthenticated")
			}

			for name, cookie := range map[string]string{"session cookie": "__Host-session", "bearer cookie": "Authorization"} {
				w.send(route.Method, address(route.Path), "", "", "Cookie", cookie+"="+agent.bearer).refused(t, name, http.StatusUnauthorized, "unauthenticated")
			}
			w.send(route.Method, address(route.Path)+"?access_token="+agent.bearer, "", "").refused(t, "token in the query", http.StatusUnauthorized, "unauthenticated")
		})
	}
	if private < 20 {
		t.Errorf("only %d routes are not public", private)
	}
	// The same bearer as it should be, so that the refusals above mean something.
	if a := w.send(http.MethodGet, "/v1/me", agent.bearer, ""); a.status != http.StatusOK {
		t.Errorf("the bearer itself: %d %s", a.status, a.body)
	}
}

// chainOf names the chain of the service that answers a route.
func chainOf(path string) string {
	switch {
	case strings.HasPrefix(path, "/v1/audit/"):
		return strings.TrimPrefix(path, "/v1/audit/")
	case strings.HasPrefix(path, "/v1/agents/"):
		return "agents"
	case strings.HasPrefix(path, "/v1/grants"), strings.HasPrefix(path, "/v1/members"):
		return "auth"
	case strings.HasPrefix(path, "/v1/invites/"), strings.HasPrefix(path, "/v1/vault"), strings.HasSuffix(path, "/sealed-labels"):
		return "party"
	}

	return "case"
}

func TestS08UsersOnlyRoutesSendAgentsToAPerson(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited())
	agent := w.connect(ada)

	for _, route := range gateway.Routes() {
		if !route.Users {
			continue
		}
		path := address(route.Path)
		if route.Method == http.MethodDelete && strings.HasSuffix(route.Path, ":agentId") {
			path = "/v1/agents/" + agent.AgentID
		}
		a := w.send(route.Method, path, agent.bearer, "")
		code := "human_required"
		if route.Action == "reveal" { // it would open identities
			code = "identity_refused"
		}
		a.refused(t, route.Method+" "+route.Path, http.StatusForbidden, code)
		if want := w.Facts.BaseURL + "/i/" + route.Action; a.err.DeepLink != want && !strings.HasPrefix(a.err.DeepLink, want+"?") {
			t.Errorf("%s %s: deepLink = %q, want %q", route.Method, route.Path, a.err.DeepLink, want)
		}
		chain := chainOf(route.Path)
		on := into[api.Page[api.AuditEvent]](t, w.send(http.MethodGet, "/v1/audit/"+chain+"?limit=100", w.token(ada), ""), http.StatusOK).Items
		if !slices.ContainsFunc(on, func(e api.AuditEvent) bool {
			return e.RequestID == a.err.RequestID && e.Outcome == "refused" && e.Actor == api.AuditActor{Kind: "agent", ID: agent.AgentID, UserID: ada.Subject}
		}) {
			t.Errorf("%s %s: the refusal is not on the chain %s: %+v", route.Method, route.Path, chain, on)
		}
	}
	// What opens identities is no agent's at all, and what only a person may set is a person's.
	b := w.furnish(ada, agent.bearer)

	party := `{"caseId":"` + b["caseId"] + `","kind":"individual","role":"other",`
	for field, value := range map[string]string{"sealed": "null", "identityRef": `"aaaaaaaaaaaaaaaaaaaaaa"`, "conflictTokens": "[]"} {
		a := w.send(http.MethodPost, "/v1/parties", agent.bearer, party+`"`+field+`":`+value+"}")
		a.refused(t, field+" by an agent", http.StatusForbidden, "identity_refused")
		if !strings.HasPrefix(a.err.DeepLink, w.Facts.BaseURL+"/i/add_identity") {
			t.Errorf("%s: deepLink = %q", field, a.err.DeepLink)
		}
	}

	for _, patch := range []string{
		`{"confidentiality":{"aiPolicy":"model_allowed"}}`, `{"retention":{"legalHold":true}}`, `{"supervision":{"responsibleUserId":"ada"}}`, `{"status":"closed","closeReason":"declined"}`, `{"activeBranchId":"` + b["branchId"] + `"}`,
	} {
		a := w.send(http.MethodPatch, "/v1/cases/"+b["caseId"], agent.bearer, patch)
		a.refused(t, patch+" by an agent", http.StatusForbidden, "human_required")
		if !strings.HasPrefix(a.err.DeepLink, w.Facts.BaseURL+"/i/case_settings") {
			t.Errorf("%s: deepLink = %q", patch, a.err.DeepLink)
		}
	}
	if a := w.send(http.MethodGet, "/v1/agents/me", w.token(ada), ""); a.status != http.StatusOK {
		t.Errorf("the agent did not survive: %d %s", a.status, a.body)
	}
}

func TestInsideRoutesAreNotReachedFromOutside(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited())

	agent := w.connect(ada)
	for _, path := range []string{
		"/internal/keys", "/internal/phases", "/internal/ended", "/internal/agents/" + agent.AgentID, "/v1/internal/keys", "//internal/keys", "/v1/cases/../../internal/keys",
		"/v1/cases/..%2f..%2finternal%2fkeys", "/v1/agents/..%2F..%2Finternal%2Fkeys/health", "/v1/cases/%2e%2e/%2e%2e/internal/ended", "/v1/../internal/ended",
	} {
		for who, bearer := range map[string]string{"nobody": "", "a user": w.token(ada), "an agent": agent.bearer} {
			req := w.request(http.MethodGet, "/internal", bearer, nil)
			req.URL.Opaque = "//" + req.URL.Host + path // as it stands, without the client's cleaning
			a := w.do(w.http, req)
			if a.status != http.StatusNotFound && a.status != http.StatusUnauthorized {
				t.Errorf("GET %s by %s: %d %.200s, want 404 or 401", path, who, a.status, a.body)
			}
		}
	}
	if a := w.send(http.MethodGet, "/v1/agents/me", w.token(ada), ""); a.status != http.StatusOK {
		t.Errorf("the agent did not survive: %d %s", a.status, a.body)
	}
}

// The second half of S27: inside, each service speaks only for whom it may.
func TestS27InternalTokensSpeakOnlyForTheKindsOfTheirIssuer(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited())
	agent := w.connect(ada)
	me := into[struct {
		User, Tenant string
		Roles        []string
	}](t, w.send(http.MethodGet, "/v1/me", w.token(ada), ""), http.StatusOK)
	callers := map[access.Kind]access.Caller{
		access.User: {Kind: access.User, Tenant: me.Tenant, UserID: me.User, Roles: me.Roles},
		access.Agent: {
			Kind:    access.Agent,
			Tenant:  me.Tenant,
			UserID:  me.User,
			AgentID: agent.AgentID,
			Scopes:  access.AgentScopes(),
			Roles:   me.Roles,
		},
		access.OAuth: {
			Kind:     access.OAuth,
			Tenant:   me.Tenant,
			UserID:   me.User,
			ClientID: "c",
			Scopes:   []string{"cases:read"},
		},
		access.Public:  {Kind: access.Public},
		access.Service: {Kind: access.Service, Tenant: me.Tenant},
		"partner":      {Kind: "partner", Tenant: me.Tenant, UserID: me.User},
		"":             {Tenant: me.Tenant, UserID: me.User},
	}
	doors := map[string]string{"auth-svc": "/internal/ended?since=2026-01-01T00:00:00Z", "registry-svc": "/v1/agents/me", "case-svc": "/v1/cases", "agent-svc": "/v1/agent/" + uuid.NewString()}

	for _, issuer := range authn.Issuers() {
		for kind, caller := range callers {
			token := w.internal(issuer, caller)
			mayClaim := issuer == "gateway" && kind != "partner" && kind != "" || kind == access.Service

			for service, path := range doors {
				got := w.inside(service, path, token)
				if refused := got == http.StatusUnauthorized; refused == mayClaim {
					t.Errorf("%s speaks for %q at %s: %d", issuer, kind, service, got)
				}
			}
			if !mayClaim {
				continue
			}
			w.send(http.MethodGet, "/v1/me", token, "").refused(t, "internal token of "+issuer+" for "+string(kind)+" at the gateway", http.StatusUnauthorized, "unauthenticated")
		}
	}
}

func TestS28BearersAreNotTakenByServices(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited())

	agent := w.connect(ada)
	for service, path := range map[string]string{
		"auth-svc": "/internal/ended?since=2026-01-01T00:00:00Z", "registry-svc": "/v1/agents/me", "case-svc": "/v1/cases", "agent-svc": "/v1/agent/" + uuid.NewString(),
	} {
		for what, token := range map[string]string{"an agent bearer": agent.bearer, "a user's token": w.token(ada), "an API key": agent.SharedAPIKey, "nothing": ""} {
			if got := w.inside(service, path, token); got != http.StatusUnauthorized {
				t.Errorf("%s straight at %s: %d, want 401", what, service, got)
			}
		}
	}
}
