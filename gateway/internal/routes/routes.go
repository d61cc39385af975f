// Package routes is the whole interface of the service as data: every path with the service behind it, who may call it and
// under which limits, so that one loop mounts it and one loop tests it.
package routes

import (
	"net/http"

	"github.com/subrosa-legal/subrosa/pkg/authn"
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
	Anybody      Access = iota // no credential is looked at
	UserOnly                   // what only a signed-in person may do; agents are sent to one
	UserOrAgent                // a person, or a registered agent
	BrowserVault               // persons only, and an agent that tries has tried to reach an identity
)

// Kinds returns the kinds of caller that access admits.
func (a Access) Kinds() []authn.Kind {
	switch a {
	case UserOnly, BrowserVault:
		return []authn.Kind{authn.User}
	case UserOrAgent:
		return []authn.Kind{authn.User, authn.Agent}
	}
	return []authn.Kind{authn.Public}
}

// Limit names the rate limit that a route counts against.
type Limit string

// The rate limits; their sizes are settings.
const (
	LimitToken        Limit = "token"              // exchanges of a key, per address
	LimitRegister     Limit = "register"           // registrations, per address
	LimitRegistration Limit = "registration-token" // registration tokens, per user
	LimitRun          Limit = "run"                // POST /v1/agent, per caller
	LimitCalls        Limit = "calls"              // everything else, per caller
	LimitAddress      Limit = "address"            // calls without a credential, per address
)

// Body says how a route's request body is bounded and timed.
type Body uint8

// The kinds of body.
const (
	Small    Body = iota // JSON of at most 1 MiB; the whole call has 10 s
	Upload               // files; each read must make progress
	Download             // a large answer; each write must make progress
	Stream               // events until the run ends; a reader that stops reading is cut off
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
	Pending  string // what a caller is told while the service behind it is not built; "" means built
}

const (
	laterCore  = "This operation is part of the published interface and not in this release yet."
	laterMCP   = "The MCP endpoint and its sign-in are not in this release yet. Use the HTTP interface under /v1."
	laterParty = "Parties and partners are not in this release yet."
)

// All returns every route that the gateway answers, the specification's first.
func All() []Route {
	return []Route{
		{Method: http.MethodGet, Path: "/.well-known/agent.json", Upstream: Edge, Limit: LimitAddress},
		{Method: http.MethodGet, Path: "/.well-known/jwks.json", Upstream: Auth, Limit: LimitAddress},

		{Method: http.MethodPost, Path: "/v1/agents/registration-token", Upstream: Registry, Access: UserOnly, Limit: LimitRegistration},
		{Method: http.MethodPost, Path: "/v1/agents/register", Upstream: Registry, Limit: LimitRegister},
		{Method: http.MethodGet, Path: "/v1/agents/me", Upstream: Registry, Access: UserOnly, Limit: LimitCalls},
		{Method: http.MethodDelete, Path: "/v1/agents/:agentId", Upstream: Registry, Access: UserOnly, Limit: LimitCalls},
		{Method: http.MethodGet, Path: "/v1/agents/:agentId/health", Upstream: Registry, Access: UserOrAgent, Limit: LimitCalls},
		{Method: http.MethodPost, Path: "/v1/auth/token", Upstream: Auth, Limit: LimitToken},

		{Method: http.MethodPost, Path: "/v1/agent", Upstream: Agent, Access: UserOrAgent, Limit: LimitRun, Body: Stream},
		{Method: http.MethodGet, Path: "/v1/agent/:phaseId", Upstream: Agent, Access: UserOrAgent, Limit: LimitCalls, Body: Stream},
		{Method: http.MethodDelete, Path: "/v1/agent/:phaseId", Upstream: Agent, Access: UserOrAgent, Limit: LimitCalls},

		{Method: http.MethodPost, Path: "/v1/cases", Upstream: Case, Access: UserOrAgent, Limit: LimitCalls},
		{Method: http.MethodGet, Path: "/v1/cases", Upstream: Case, Access: UserOrAgent, Limit: LimitCalls},
		{Method: http.MethodGet, Path: "/v1/cases/:caseId", Upstream: Case, Access: UserOrAgent, Limit: LimitCalls},
		{Method: http.MethodPatch, Path: "/v1/cases/:caseId", Upstream: Case, Access: UserOrAgent, Limit: LimitCalls, Pending: laterCore},
		{Method: http.MethodDelete, Path: "/v1/cases/:caseId", Upstream: Case, Access: UserOrAgent, Limit: LimitCalls},
		{Method: http.MethodPost, Path: "/v1/cases/:caseId/files", Upstream: Case, Access: UserOrAgent, Limit: LimitCalls, Body: Upload},
		{Method: http.MethodGet, Path: "/v1/cases/:caseId/files", Upstream: Case, Access: UserOrAgent, Limit: LimitCalls},
		{Method: http.MethodGet, Path: "/v1/cases/:caseId/files/:fileId", Upstream: Case, Access: UserOrAgent, Limit: LimitCalls},
		{Method: http.MethodGet, Path: "/v1/cases/:caseId/files/:fileId/text", Upstream: Case, Access: UserOrAgent, Limit: LimitCalls, Body: Download},
		{Method: http.MethodGet, Path: "/v1/cases/:caseId/files/:fileId/content", Upstream: Case, Access: UserOrAgent, Limit: LimitCalls, Body: Download},
		{Method: http.MethodGet, Path: "/v1/workspace/:containerType/:containerId", Upstream: Case, Access: UserOrAgent, Limit: LimitCalls, Pending: laterCore},
		{Method: http.MethodGet, Path: "/v1/timeline/:timelineId", Upstream: Case, Access: UserOrAgent, Limit: LimitCalls, Pending: laterCore},
		{Method: http.MethodPost, Path: "/v1/branch", Upstream: Case, Access: UserOrAgent, Limit: LimitCalls, Pending: laterCore},
		{Method: http.MethodGet, Path: "/v1/branch/:branchId", Upstream: Case, Access: UserOrAgent, Limit: LimitCalls, Pending: laterCore},
		{Method: http.MethodGet, Path: "/v1/phases", Upstream: Case, Access: UserOrAgent, Limit: LimitCalls, Pending: laterCore},

		{Method: http.MethodPost, Path: "/v1/parties", Upstream: Party, Access: UserOrAgent, Limit: LimitCalls, Pending: laterParty},
		{Method: http.MethodGet, Path: "/v1/parties", Upstream: Party, Access: UserOrAgent, Limit: LimitCalls, Pending: laterParty},
		{Method: http.MethodGet, Path: "/v1/parties/:partyId", Upstream: Party, Access: UserOrAgent, Limit: LimitCalls, Pending: laterParty},
		{Method: http.MethodPut, Path: "/v1/parties/:partyId", Upstream: Party, Access: UserOrAgent, Limit: LimitCalls, Pending: laterParty},
		{Method: http.MethodGet, Path: "/v1/partners", Upstream: Party, Access: UserOrAgent, Limit: LimitCalls, Pending: laterParty},
		{Method: http.MethodPost, Path: "/v1/cases/:caseId/partners/:partnerId/invite", Upstream: Party, Access: UserOrAgent, Limit: LimitCalls, Pending: laterParty},

		{Method: http.MethodGet, Path: "/v1/me", Upstream: Edge, Access: UserOrAgent, Limit: LimitCalls},
		{Method: http.MethodGet, Path: "/i/*action", Upstream: Edge, Limit: LimitAddress},

		{Method: http.MethodPost, Path: "/api/mcp", Upstream: Agent, Limit: LimitAddress, Pending: laterMCP},
		{Method: http.MethodGet, Path: "/oauth/authorize", Upstream: Auth, Limit: LimitAddress, Pending: laterMCP},
		{Method: http.MethodPost, Path: "/oauth/token", Upstream: Auth, Limit: LimitToken, Pending: laterMCP},
	}
}
