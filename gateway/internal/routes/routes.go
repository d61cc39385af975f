// Package routes is the whole interface of the service as data: every path with the service behind it, who may call it
// and under which limits, so that one loop mounts it and one loop tests it.
package routes

import (
	"net/http"
	"slices"

	"github.com/subrosa-legal/subrosa/pkg/httpx"
)

// Upstream names the service behind a route.
type Upstream string

// The services. Edge routes are answered by the gateway itself.
const (
	Edge     Upstream = "gateway"
	Registry Upstream = "registry-svc"
	Auth     Upstream = "auth-svc"
	Agent    Upstream = "agent-svc"
	Case     Upstream = "case-svc"
	Party    Upstream = "party-svc"
)

// Access says which kinds of caller a route is for.
type Access uint8

// The kinds of access.
const (
	Anybody     Access = iota // no credential is looked at
	UserOnly                  // what only a signed-in person may do; the service sends agents to one, and records that
	UserOrAgent               // a person, or a registered agent
	Application               // an application to which a user granted scopes: the MCP endpoint
	AgentOnly                 // a registered agent with its bearer: the agent-to-agent endpoint
)

// Limit names the rate limit that a route counts against.
type Limit string

// The rate limits; their sizes are settings.
const (
	LimitToken        Limit = "token"              // exchanges of a key, a code or a refresh token, per address
	LimitOAuth        Limit = "oauth-token"        // OAuth tokens, per address: a host asks for all its users
	LimitRegister     Limit = "register"           // registrations of agents and applications, per address
	LimitRegistration Limit = "registration-token" // registration tokens, per user
	LimitRun          Limit = "run"                // POST /v1/agent, per caller
	LimitCalls        Limit = "calls"              // everything else, per caller
	LimitAddress      Limit = "address"            // calls without a credential, per address
	// What any page of the app asks, per address: a firm's browsers share one.
	LimitAssets Limit = "assets"
)

// Body says how a route's request body is bounded and timed.
type Body uint8

// The kinds of body.
const (
	Small    Body = iota // JSON of at most 1 MiB; the whole call has 10 s
	Upload               // files; each read must make progress
	Download             // a large answer; each write must make progress
	Stream               // events until the run ends; a reader that stops reading is cut off
	Form                 // as Small, but of at most 64 KiB: what OAuth's endpoints and the sign-out take
	Tool                 // JSON of at most 1 MiB; an answer or events, flushed as they come, within 300 s
)

// Limit returns how large the body of a route's request may be, in bytes. That of an upload is a setting.
func (b Body) Limit() int64 {
	if b == Form {
		return 64 << 10
	}

	return httpx.MaxBody
}

// Origins says which web pages' scripts may call a route.
type Origins uint8

// The kinds of origin.
const (
	OwnOrigin      Origins = iota // no page but ours: no header of CORS is set
	AnyOrigin                     // every page, without credentials of the browser: documents and endpoints of OAuth
	TrustedOrigins                // pages of the origins in the settings, with a token in the header; no others
)

// Route is one row of the interface.
type Route struct {
	Method   string
	Path     string // a template in Gin's form
	Upstream Upstream
	Access   Access
	Limit    Limit
	Body     Body
	Action   string // action of the deep link for a caller who must send a person; "" means the one of agents
	Origins  Origins
	Page     bool // for people's browsers: cookies go both ways, and the answer may bring a content policy of its own
	OwnPages bool // for our own pages' scripts alone, with the browser's cookie, which whoever answers looks at
	Outside  bool // the service asks somebody outside, who may be slow, before it answers
}

// MayBeSilent reports whether the service may take long before its answer begins, however well it is.
func (r Route) MayBeSilent() bool {
	return r.Outside || r.Body == Upload || r.Body == Download || r.Body == Tool
}

// All returns every route that the gateway answers, the specification's first.
func All() []Route {
	return slices.Concat(documents(), agents(), runs(), cases(), parties(), firm(), app(), protocols(), signIn())
}

// documents are what anybody may read before they sign in.
func documents() []Route {
	return []Route{
		anybody(get, "/.well-known/agent.json", Edge, LimitAddress),
		anybody(get, "/.well-known/agent-card.json", Auth, LimitAddress).from(AnyOrigin),
		anybody(get, "/.well-known/jwks.json", Auth, LimitAddress).from(AnyOrigin),
		anybody(get, "/.well-known/oauth-authorization-server", Auth, LimitAddress).from(AnyOrigin),
		anybody(get, "/.well-known/oauth-protected-resource", Auth, LimitAddress).from(AnyOrigin),
		anybody(get, "/.well-known/oauth-protected-resource/api/mcp", Auth, LimitAddress).from(AnyOrigin),
		anybody(get, "/openapi.yaml", Edge, LimitAddress),
		anybody(get, "/openapi.json", Edge, LimitAddress),
		anybody(get, "/docs", Edge, LimitAddress),
		anybody(get, "/docs/:asset", Edge, LimitAddress),
		anybody(get, "/a2a/ext/:extension/:version", Edge, LimitAddress),
	}
}

// agents connect an agent and give it its bearer.
func agents() []Route {
	return []Route{
		person(post, "/v1/agents/registration-token", Registry, "").limited(LimitRegistration),
		anybody(post, "/v1/agents/register", Registry, LimitRegister).asksOutside(),
		person(get, "/v1/agents/me", Registry, ""),
		person(del, "/v1/agents/:agentId", Registry, ""),
		caller(get, "/v1/agents/:agentId/health", Registry).asksOutside(),
		anybody(post, "/v1/auth/token", Auth, LimitToken),
	}
}

// runs are the work of the legal agent.
func runs() []Route {
	return []Route{
		caller(post, "/v1/agent", Agent).limited(LimitRun).body(Stream),
		caller(get, "/v1/agent/:phaseId", Agent).body(Stream),
		caller(del, "/v1/agent/:phaseId", Agent),
	}
}

// cases are matters with their files, timelines and branches.
func cases() []Route {
	return []Route{
		caller(post, "/v1/cases", Case),
		caller(get, "/v1/cases", Case),
		caller(get, "/v1/cases/:caseId", Case),
		caller(patch, "/v1/cases/:caseId", Case),
		caller(del, "/v1/cases/:caseId", Case),
		person(post, "/v1/cases/:caseId/restore", Case, "case_settings"),
		person(post, "/v1/cases/:caseId/conflict", Case, "conflict_check"),
		person(get, "/v1/cases/:caseId/export", Case, "export").body(Download),
		caller(post, "/v1/cases/:caseId/files", Case).body(Upload),
		caller(get, "/v1/cases/:caseId/files", Case),
		person(post, "/v1/cases/:caseId/files/clearances", Case, "redact_file"),
		person(del, "/v1/cases/:caseId/files/:fileId", Case, "files"),
		caller(get, "/v1/cases/:caseId/files/:fileId", Case),
		caller(get, "/v1/cases/:caseId/files/:fileId/text", Case).body(Download),
		caller(get, "/v1/cases/:caseId/files/:fileId/content", Case).body(Download),
		caller(get, "/v1/workspace/:containerType/:containerId", Case),
		caller(get, "/v1/timeline/:timelineId", Case),
		caller(post, "/v1/timeline/:timelineId/entries", Case),
		person(patch, "/v1/timeline/:timelineId/entries/:entryId", Case, "review"),
		caller(post, "/v1/branch", Case),
		caller(get, "/v1/branch/:branchId", Case),
		caller(patch, "/v1/branch/:branchId", Case),
		caller(get, "/v1/phases", Case),
		person(post, "/v1/phases/:phaseId/review", Case, "review"),
	}
}

// parties are who takes part in a case: parties, identities that a browser encrypted, partners and invites.
func parties() []Route {
	return []Route{
		caller(post, "/v1/parties", Party),
		caller(get, "/v1/parties", Party),
		caller(get, "/v1/parties/:partyId", Party),
		caller(put, "/v1/parties/:partyId", Party),
		person(get, "/v1/vault", Party, "reveal"),
		person(put, "/v1/vault", Party, "reveal"),
		person(get, "/v1/vault/members", Party, "reveal"),
		person(put, "/v1/vault/members/:userId/keys/:keyVersion", Party, "reveal"),
		person(post, "/v1/vault/rotate", Party, "reveal"),
		person(get, "/v1/cases/:caseId/sealed-labels", Party, "reveal"),
		person(put, "/v1/cases/:caseId/sealed-labels", Party, "reveal"),
		caller(get, "/v1/partners", Party),
		caller(post, "/v1/cases/:caseId/partners/:partnerId/invite", Party),
		caller(get, "/v1/invites", Party),
		caller(get, "/v1/invites/:inviteId", Party),
		person(post, "/v1/invites/:inviteId/decision", Party, "confirm_invite"),
	}
}

// firm are the settings, the record, the members and the applications of an organization.
func firm() []Route {
	return []Route{
		caller(get, "/v1/settings", Case),
		person(patch, "/v1/settings", Case, "admin"),
		person(get, "/v1/audit/case", Case, "audit"),
		person(get, "/v1/audit/party", Party, "audit"),
		person(get, "/v1/audit/agents", Registry, "audit"),
		person(get, "/v1/audit/auth", Auth, "audit"),
		person(get, "/v1/grants", Auth, "grants"),
		person(del, "/v1/grants/:grantId", Auth, "grants"),
		caller(get, "/v1/members", Auth),
		person(post, "/v1/members/:userId/offboard", Auth, "members"),
		person(post, "/v1/members/:userId/reinstate", Auth, "members"),
		person(put, "/v1/members/:userId/key-expiry", Auth, "members"),
	}
}

// app are the browser app, and what it asks first.
func app() []Route {
	return []Route{
		caller(get, "/v1/me", Edge),
		anybody(get, "/", Edge, LimitAssets),
		anybody(get, "/app/*page", Edge, LimitAssets),
		anybody(get, "/i/*action", Edge, LimitAssets),
		anybody(get, "/c/:caseId", Edge, LimitAssets),
		anybody(get, "/assets/*file", Edge, LimitAssets).body(Download),
	}
}

// protocols are MCP and agent-to-agent.
func protocols() []Route {
	return []Route{
		application(post, "/api/mcp").from(TrustedOrigins),
		agent(post, "/a2a/rpc"),
		agent(post, "/a2a/rpc/"),
		agent(get, "/a2a/rest/*path"),
		agent(post, "/a2a/rest/*path"),
		agent(del, "/a2a/rest/*path"),
	}
}

// signIn are OAuth for applications and the sign-in of browsers.
func signIn() []Route {
	return []Route{
		anybody(post, "/oauth/register", Auth, LimitRegister).body(Form).from(AnyOrigin),
		anybody(get, "/oauth/authorize", Auth, LimitAddress).page().asksOutside(),
		anybody(get, "/oauth/callback", Auth, LimitAddress).page().asksOutside(),
		anybody(post, "/oauth/consent", Auth, LimitAddress).body(Form).page(),
		anybody(get, "/auth/login", Auth, LimitAddress).page().asksOutside(),
		anybody(get, "/auth/callback", Auth, LimitAddress).page().asksOutside(),
		anybody(get, "/auth/session", Edge, LimitAssets).ownPages(),
		anybody(post, "/auth/logout", Auth, LimitAddress).body(Form).page().ownPages().asksOutside(),
		// The document of an application may have to be fetched anew.
		anybody(post, "/oauth/token", Auth, LimitOAuth).body(Form).from(AnyOrigin).asksOutside(),
		anybody(post, "/oauth/revoke", Auth, LimitAddress).body(Form).from(AnyOrigin),
	}
}

// The methods of routes.
const (
	get   = http.MethodGet
	post  = http.MethodPost
	put   = http.MethodPut
	patch = http.MethodPatch
	del   = http.MethodDelete
)

// anybody is a route that looks at no credential.
func anybody(method, path string, to Upstream, limit Limit) Route {
	return Route{Method: method, Path: path, Upstream: to, Limit: limit}
}

// person is a route for a signed-in person; action is that of the deep link for any other caller.
func person(method, path string, to Upstream, action string) Route {
	return Route{Method: method, Path: path, Upstream: to, Access: UserOnly, Limit: LimitCalls, Action: action}
}

// caller is a route for a person or a registered agent.
func caller(method, path string, to Upstream) Route {
	return Route{Method: method, Path: path, Upstream: to, Access: UserOrAgent, Limit: LimitCalls}
}

// agent is a route of the agent-to-agent endpoint.
func agent(method, path string) Route {
	return Route{Method: method, Path: path, Upstream: Agent, Access: AgentOnly, Limit: LimitCalls, Body: Tool}
}

// application is a route of the MCP endpoint.
func application(method, path string) Route {
	return Route{Method: method, Path: path, Upstream: Agent, Access: Application, Limit: LimitCalls, Body: Tool}
}

func (r Route) limited(by Limit) Route {
	r.Limit = by
	return r
}

func (r Route) body(kind Body) Route {
	r.Body = kind
	return r
}

func (r Route) from(which Origins) Route {
	r.Origins = which
	return r
}

func (r Route) page() Route {
	r.Page = true
	return r
}

func (r Route) ownPages() Route {
	r.OwnPages = true
	return r
}

func (r Route) asksOutside() Route {
	r.Outside = true
	return r
}
