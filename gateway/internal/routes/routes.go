// Package routes is the whole interface of the service as data: every path with the service behind it, who may call it
// and under which limits, so that one loop mounts it and one loop tests it.
package routes

import (
	"net/http"

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
	LimitOAuth        Limit = "oauth-token"        // OAuth tokens, per address: hosted applications ask for all their users from a few
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
	TrustedOrigins                // pages of the origins in the settings, with a token in the header; others are refused
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
	return []Route{
		{Method: http.MethodGet, Path: "/.well-known/agent.json", Upstream: Edge, Limit: LimitAddress},
		{
			Method: http.MethodGet, Path: "/.well-known/agent-card.json",
			Upstream: Auth, Limit: LimitAddress, Origins: AnyOrigin,
		},
		{Method: http.MethodGet, Path: "/.well-known/jwks.json", Upstream: Auth, Limit: LimitAddress, Origins: AnyOrigin},
		{Method: http.MethodGet, Path: "/.well-known/oauth-authorization-server", Upstream: Auth, Limit: LimitAddress, Origins: AnyOrigin},
		{Method: http.MethodGet, Path: "/.well-known/oauth-protected-resource", Upstream: Auth, Limit: LimitAddress, Origins: AnyOrigin},
		{Method: http.MethodGet, Path: "/.well-known/oauth-protected-resource/api/mcp", Upstream: Auth, Limit: LimitAddress, Origins: AnyOrigin},
		{Method: http.MethodGet, Path: "/openapi.yaml", Upstream: Edge, Limit: LimitAddress},
		{Method: http.MethodGet, Path: "/openapi.json", Upstream: Edge, Limit: LimitAddress},
		{Method: http.MethodGet, Path: "/docs", Upstream: Edge, Limit: LimitAddress},
		{Method: http.MethodGet, Path: "/docs/:asset", Upstream: Edge, Limit: LimitAddress},
		{Method: http.MethodGet, Path: "/a2a/ext/:extension/:version", Upstream: Edge, Limit: LimitAddress},

		{Method: http.MethodPost, Path: "/v1/agents/registration-token", Upstream: Registry, Access: UserOnly, Limit: LimitRegistration},
		{Method: http.MethodPost, Path: "/v1/agents/register", Upstream: Registry, Limit: LimitRegister, Outside: true},
		{Method: http.MethodGet, Path: "/v1/agents/me", Upstream: Registry, Access: UserOnly, Limit: LimitCalls},
		{Method: http.MethodDelete, Path: "/v1/agents/:agentId", Upstream: Registry, Access: UserOnly, Limit: LimitCalls},
		{Method: http.MethodGet, Path: "/v1/agents/:agentId/health", Upstream: Registry, Access: UserOrAgent, Limit: LimitCalls, Outside: true},
		{Method: http.MethodPost, Path: "/v1/auth/token", Upstream: Auth, Limit: LimitToken},

		{Method: http.MethodPost, Path: "/v1/agent", Upstream: Agent, Access: UserOrAgent, Limit: LimitRun, Body: Stream},
		{Method: http.MethodGet, Path: "/v1/agent/:phaseId", Upstream: Agent, Access: UserOrAgent, Limit: LimitCalls, Body: Stream},
		{Method: http.MethodDelete, Path: "/v1/agent/:phaseId", Upstream: Agent, Access: UserOrAgent, Limit: LimitCalls},

		{Method: http.MethodPost, Path: "/v1/cases", Upstream: Case, Access: UserOrAgent, Limit: LimitCalls},
		{Method: http.MethodGet, Path: "/v1/cases", Upstream: Case, Access: UserOrAgent, Limit: LimitCalls},
		{Method: http.MethodGet, Path: "/v1/cases/:caseId", Upstream: Case, Access: UserOrAgent, Limit: LimitCalls},
		{Method: http.MethodPatch, Path: "/v1/cases/:caseId", Upstream: Case, Access: UserOrAgent, Limit: LimitCalls},
		{Method: http.MethodDelete, Path: "/v1/cases/:caseId", Upstream: Case, Access: UserOrAgent, Limit: LimitCalls},
		{Method: http.MethodPost, Path: "/v1/cases/:caseId/restore", Upstream: Case, Access: UserOnly, Limit: LimitCalls, Action: "case_settings"},
		{Method: http.MethodPost, Path: "/v1/cases/:caseId/conflict", Upstream: Case, Access: UserOnly, Limit: LimitCalls, Action: "conflict_check"},
		{Method: http.MethodGet, Path: "/v1/cases/:caseId/export", Upstream: Case, Access: UserOnly, Limit: LimitCalls, Body: Download, Action: "export"},
		{Method: http.MethodPost, Path: "/v1/cases/:caseId/files", Upstream: Case, Access: UserOrAgent, Limit: LimitCalls, Body: Upload},
		{Method: http.MethodGet, Path: "/v1/cases/:caseId/files", Upstream: Case, Access: UserOrAgent, Limit: LimitCalls},
		{Method: http.MethodPost, Path: "/v1/cases/:caseId/files/clearances", Upstream: Case, Access: UserOnly, Limit: LimitCalls, Action: "redact_file"},
		{Method: http.MethodDelete, Path: "/v1/cases/:caseId/files/:fileId", Upstream: Case, Access: UserOnly, Limit: LimitCalls, Action: "files"},
		{Method: http.MethodGet, Path: "/v1/cases/:caseId/files/:fileId", Upstream: Case, Access: UserOrAgent, Limit: LimitCalls},
		{Method: http.MethodGet, Path: "/v1/cases/:caseId/files/:fileId/text", Upstream: Case, Access: UserOrAgent, Limit: LimitCalls, Body: Download},
		{Method: http.MethodGet, Path: "/v1/cases/:caseId/files/:fileId/content", Upstream: Case, Access: UserOrAgent, Limit: LimitCalls, Body: Download},
		{Method: http.MethodGet, Path: "/v1/workspace/:containerType/:containerId", Upstream: Case, Access: UserOrAgent, Limit: LimitCalls},
		{Method: http.MethodGet, Path: "/v1/timeline/:timelineId", Upstream: Case, Access: UserOrAgent, Limit: LimitCalls},
		{Method: http.MethodPost, Path: "/v1/timeline/:timelineId/entries", Upstream: Case, Access: UserOrAgent, Limit: LimitCalls},
		{Method: http.MethodPatch, Path: "/v1/timeline/:timelineId/entries/:entryId", Upstream: Case, Access: UserOnly, Limit: LimitCalls, Action: "review"},
		{Method: http.MethodPost, Path: "/v1/branch", Upstream: Case, Access: UserOrAgent, Limit: LimitCalls},
		{Method: http.MethodGet, Path: "/v1/branch/:branchId", Upstream: Case, Access: UserOrAgent, Limit: LimitCalls},
		{Method: http.MethodPatch, Path: "/v1/branch/:branchId", Upstream: Case, Access: UserOrAgent, Limit: LimitCalls},
		{Method: http.MethodGet, Path: "/v1/phases", Upstream: Case, Access: UserOrAgent, Limit: LimitCalls},
		{Method: http.MethodPost, Path: "/v1/phases/:phaseId/review", Upstream: Case, Access: UserOnly, Limit: LimitCalls, Action: "review"},

		{Method: http.MethodPost, Path: "/v1/parties", Upstream: Party, Access: UserOrAgent, Limit: LimitCalls},
		{Method: http.MethodGet, Path: "/v1/parties", Upstream: Party, Access: UserOrAgent, Limit: LimitCalls},
		{Method: http.MethodGet, Path: "/v1/parties/:partyId", Upstream: Party, Access: UserOrAgent, Limit: LimitCalls},
		{Method: http.MethodPut, Path: "/v1/parties/:partyId", Upstream: Party, Access: UserOrAgent, Limit: LimitCalls},
		{Method: http.MethodGet, Path: "/v1/vault", Upstream: Party, Access: UserOnly, Limit: LimitCalls, Action: "reveal"},
		{Method: http.MethodPut, Path: "/v1/vault", Upstream: Party, Access: UserOnly, Limit: LimitCalls, Action: "reveal"},
		{Method: http.MethodGet, Path: "/v1/vault/members", Upstream: Party, Access: UserOnly, Limit: LimitCalls, Action: "reveal"},
		{Method: http.MethodPut, Path: "/v1/vault/members/:userId/keys/:keyVersion", Upstream: Party, Access: UserOnly, Limit: LimitCalls, Action: "reveal"},
		{Method: http.MethodPost, Path: "/v1/vault/rotate", Upstream: Party, Access: UserOnly, Limit: LimitCalls, Action: "reveal"},
		{Method: http.MethodGet, Path: "/v1/cases/:caseId/sealed-labels", Upstream: Party, Access: UserOnly, Limit: LimitCalls, Action: "reveal"},
		{Method: http.MethodPut, Path: "/v1/cases/:caseId/sealed-labels", Upstream: Party, Access: UserOnly, Limit: LimitCalls, Action: "reveal"},
		{Method: http.MethodGet, Path: "/v1/partners", Upstream: Party, Access: UserOrAgent, Limit: LimitCalls},
		{Method: http.MethodPost, Path: "/v1/cases/:caseId/partners/:partnerId/invite", Upstream: Party, Access: UserOrAgent, Limit: LimitCalls},
		{Method: http.MethodGet, Path: "/v1/invites", Upstream: Party, Access: UserOrAgent, Limit: LimitCalls},
		{Method: http.MethodGet, Path: "/v1/invites/:inviteId", Upstream: Party, Access: UserOrAgent, Limit: LimitCalls},
		{Method: http.MethodPost, Path: "/v1/invites/:inviteId/decision", Upstream: Party, Access: UserOnly, Limit: LimitCalls, Action: "confirm_invite"},

		{Method: http.MethodGet, Path: "/v1/settings", Upstream: Case, Access: UserOrAgent, Limit: LimitCalls},
		{Method: http.MethodPatch, Path: "/v1/settings", Upstream: Case, Access: UserOnly, Limit: LimitCalls, Action: "admin"},
		{Method: http.MethodGet, Path: "/v1/audit/case", Upstream: Case, Access: UserOnly, Limit: LimitCalls, Action: "audit"},
		{Method: http.MethodGet, Path: "/v1/audit/party", Upstream: Party, Access: UserOnly, Limit: LimitCalls, Action: "audit"},
		{Method: http.MethodGet, Path: "/v1/audit/agents", Upstream: Registry, Access: UserOnly, Limit: LimitCalls, Action: "audit"},
		{Method: http.MethodGet, Path: "/v1/audit/auth", Upstream: Auth, Access: UserOnly, Limit: LimitCalls, Action: "audit"},
		{Method: http.MethodGet, Path: "/v1/grants", Upstream: Auth, Access: UserOnly, Limit: LimitCalls, Action: "grants"},
		{Method: http.MethodDelete, Path: "/v1/grants/:grantId", Upstream: Auth, Access: UserOnly, Limit: LimitCalls, Action: "grants"},
		{Method: http.MethodGet, Path: "/v1/members", Upstream: Auth, Access: UserOrAgent, Limit: LimitCalls},
		{
			Method: http.MethodPost, Path: "/v1/members/:userId/offboard",
			Upstream: Auth, Access: UserOnly, Limit: LimitCalls, Action: "members",
		},
		{
			Method: http.MethodPost, Path: "/v1/members/:userId/reinstate",
			Upstream: Auth, Access: UserOnly, Limit: LimitCalls, Action: "members",
		},
		{
			Method: http.MethodPut, Path: "/v1/members/:userId/key-expiry",
			Upstream: Auth, Access: UserOnly, Limit: LimitCalls, Action: "members",
		},
		{Method: http.MethodGet, Path: "/v1/me", Upstream: Edge, Access: UserOrAgent, Limit: LimitCalls},
		{Method: http.MethodGet, Path: "/", Upstream: Edge, Limit: LimitAssets},
		{Method: http.MethodGet, Path: "/app/*page", Upstream: Edge, Limit: LimitAssets},
		{Method: http.MethodGet, Path: "/i/*action", Upstream: Edge, Limit: LimitAssets},
		{Method: http.MethodGet, Path: "/c/:caseId", Upstream: Edge, Limit: LimitAssets},
		{Method: http.MethodGet, Path: "/assets/*file", Upstream: Edge, Limit: LimitAssets, Body: Download},

		{Method: http.MethodPost, Path: "/api/mcp", Upstream: Agent, Access: Application, Limit: LimitCalls, Body: Tool, Origins: TrustedOrigins},
		{Method: http.MethodPost, Path: "/a2a/rpc", Upstream: Agent, Access: AgentOnly, Limit: LimitCalls, Body: Tool},
		{Method: http.MethodPost, Path: "/a2a/rpc/", Upstream: Agent, Access: AgentOnly, Limit: LimitCalls, Body: Tool},
		{Method: http.MethodGet, Path: "/a2a/rest/*path", Upstream: Agent, Access: AgentOnly, Limit: LimitCalls, Body: Tool},
		{Method: http.MethodPost, Path: "/a2a/rest/*path", Upstream: Agent, Access: AgentOnly, Limit: LimitCalls, Body: Tool},
		{Method: http.MethodDelete, Path: "/a2a/rest/*path", Upstream: Agent, Access: AgentOnly, Limit: LimitCalls, Body: Tool},
		{
			Method: http.MethodPost, Path: "/oauth/register",
			Upstream: Auth, Limit: LimitRegister, Body: Form, Origins: AnyOrigin,
		},
		{Method: http.MethodGet, Path: "/oauth/authorize", Upstream: Auth, Limit: LimitAddress, Page: true, Outside: true},
		{Method: http.MethodGet, Path: "/oauth/callback", Upstream: Auth, Limit: LimitAddress, Page: true, Outside: true},
		{Method: http.MethodPost, Path: "/oauth/consent", Upstream: Auth, Limit: LimitAddress, Body: Form, Page: true},
		{Method: http.MethodGet, Path: "/auth/login", Upstream: Auth, Limit: LimitAddress, Page: true, Outside: true},
		{Method: http.MethodGet, Path: "/auth/callback", Upstream: Auth, Limit: LimitAddress, Page: true, Outside: true},
		{Method: http.MethodGet, Path: "/auth/session", Upstream: Edge, Limit: LimitAssets, OwnPages: true},
		{Method: http.MethodPost, Path: "/auth/logout", Upstream: Auth, Limit: LimitAddress, Body: Form, Page: true, OwnPages: true, Outside: true},
		{ // the document of an application may have to be fetched anew
			Method: http.MethodPost, Path: "/oauth/token",
			Upstream: Auth, Limit: LimitOAuth, Body: Form, Origins: AnyOrigin, Outside: true,
		},
		{Method: http.MethodPost, Path: "/oauth/revoke", Upstream: Auth, Limit: LimitAddress, Body: Form, Origins: AnyOrigin},
	}
}
