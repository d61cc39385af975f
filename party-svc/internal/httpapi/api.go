// Package httpapi answers HTTP for party-svc: it decodes strictly, asks whether the caller may, lets the domain do the
// work, and writes the forms of pkg/api.
package httpapi

import (
	"context"
	"log/slog"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/party-svc/internal/invites"
	"github.com/subrosa-legal/subrosa/party-svc/internal/parties"
	"github.com/subrosa-legal/subrosa/party-svc/internal/partners"
	"github.com/subrosa-legal/subrosa/party-svc/internal/vault"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/audit/chain"
	"github.com/subrosa-legal/subrosa/pkg/audit/record"
	"github.com/subrosa-legal/subrosa/pkg/authn"
	"github.com/subrosa-legal/subrosa/pkg/deeplink"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/httpauth"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
	"github.com/subrosa-legal/subrosa/pkg/idempotency"
	"github.com/subrosa-legal/subrosa/pkg/ids"
)

// API holds what the handlers share.
type API struct {
	Parties *parties.Service
	Vault   *vault.Service
	Invites *invites.Service
	Catalog *partners.Catalog
	Visible parties.Visible
	// Purge deletes what is kept of a case. It may be repeated.
	Purge func(ctx context.Context, tenant, caseID string) error
	// OthersWork reports whether somebody other than agents of the user had a hand in what is kept of a case.
	OthersWork func(ctx context.Context, tenant, caseID, userID string) (bool, error)
	// Holdings returns the ids of what is kept of a case: of its parties and its invites.
	Holdings func(ctx context.Context, tenant, caseID string) ([]string, error)
	// Audit reads the service's record.
	Audit func(ctx context.Context, tenant string, f chain.Filter) ([]record.Event, error)
	// CheckChain answers with the state of the tenant's audit chain.
	CheckChain func(*gin.Context) error
	// Import puts checked entries into the directory of a tenant, all or none.
	Import      func(context.Context, string, audit.Actor, []partners.Partner) (partners.Loaded, error)
	Now         func() time.Time
	Idempotency *idempotency.Service
	Journal     audit.Log
	Gate        guard.Gate
	Links       deeplink.Links
	Cursors     Cursors
	Admit       func(context.Context) error // until it returns nil no request is served: unique indexes decide races
	Log         *slog.Logger
}

// Cursors of the lists.
type Cursors struct {
	Parties  *httpx.Cursors[parties.Cursor]
	Partners *httpx.Cursors[partners.Cursor]
	Invites  *httpx.Cursors[invites.Cursor]
	Members  *httpx.Cursors[MemberPlace]
}

// Openings are the routes that a run resumed by a continuation token may call.
func Openings() authn.Openings {
	return authn.Openings{
		"GET /internal/cases/:caseId/roster": nil,
		"GET /v1/partners":                   nil,
		"GET /internal/audit/check":          {api.AdminReq},
		"POST /internal/partners":            {api.AdminReq},
	}
}

// Mount lays the routes on r. Every request shows an internal token first.
func (a *API) Mount(r *gin.Engine, verifier *httpauth.Gate) {
	fail := func(c *gin.Context, err error) { httpx.Fail(c, a.Log, err) }
	r.Use(verifier.Middleware(fail), a.ready)
	v1 := r.Group("/v1", httpauth.Require(fail, access.Outside()...), httpx.NoStore)
	v1.POST("/parties", a.handle("party.create", "party", a.createParty))
	v1.GET("/parties", a.handle("party.list", "party", a.listParties))
	v1.GET("/parties/:partyId", a.handle("party.read", "party", a.getParty))
	v1.PUT("/parties/:partyId", a.handle("party.update", "party", a.putParty))

	v1.GET("/partners", a.handle("partner.search", "directory", a.listPartners))
	v1.POST("/cases/:caseId/partners/:partnerId/invite", a.handle("invite.create", "case", a.createInvite))
	v1.GET("/invites", a.handle("invite.list", "invite", a.listInvites))
	v1.GET("/invites/:inviteId", a.handle("invite.read", "invite", a.getInvite))
	v1.POST("/invites/:inviteId/decision", a.handle("invite.decide", "invite", a.decideInvite))

	v1.GET("/vault", a.handle("vault.read", "vault", a.getVault))
	v1.PUT("/vault", a.handle("vault.save", "vault", a.putVault))
	v1.GET("/vault/members", a.handle("vault.members", "vault", a.listMembers))
	v1.PUT("/vault/members/:userId/keys/:keyVersion", a.handle("vault.give", "vault", a.giveKey))
	v1.POST("/vault/rotate", a.handle("vault.rotate", "vault", a.rotateKey))
	v1.GET("/cases/:caseId/sealed-labels", a.handle("sealed_labels.read", "case", a.getLabels))
	v1.PUT("/cases/:caseId/sealed-labels", a.handle("sealed_labels.save", "case", a.putLabels))

	in := r.Group("/internal", httpauth.Require(fail, access.Inside()...), httpx.NoStore)
	in.GET("/cases/:caseId/roster", a.handle("roster.read", "case", a.getRoster))
	in.PUT("/cases/:caseId/turns/:holder", a.handle("turn.take", "case", a.takeTurn))
	in.DELETE("/cases/:caseId/turns/:holder", a.handle("turn.give_back", "case", a.giveTurnBack))
	in.GET(
		"/cases/:caseId/others-work",
		httpauth.Require(fail, access.Outside()...),
		a.handle("case.delete", "case", a.othersWork),
	)
	in.GET("/cases/:caseId/holdings", httpauth.Require(fail, access.User), a.handle("case.export", "case", a.holdings))
	in.POST("/audit", httpauth.Require(fail, access.User), a.handle("audit.read", "audit", a.auditOf))
	in.GET("/audit/check", httpauth.Require(fail, access.Outside()...), a.handle("audit.check", "audit", a.CheckChain))
	in.POST(
		"/partners",
		httpauth.Require(fail, access.Outside()...),
		a.handle("partners.load", "directory", a.importPartners),
	)
	in.GET(
		"/vault/holders",
		httpauth.RequireIssuer(fail, "auth-svc"),
		a.handle("vault.holders", "vault", a.listHolders),
	)
	in.DELETE("/cases/:caseId", httpauth.Require(fail, access.Service), a.handle("case.purge", "case", a.purgeCase))
}

func (a *API) ready(c *gin.Context) {
	if err := a.Admit(c.Request.Context()); err != nil {
		httpx.Fail(c, a.Log, err)
	}
}

// handle runs a handler and records refusals under the name of the action: an answer that refuses goes out only when
// the record has it.
func (a *API) handle(action, resource string, h func(*gin.Context) error) gin.HandlerFunc {
	return httpx.Handle(a.Log, func(c *gin.Context) error {
		entry := audit.Entry{
			Tenant:       callerOf(c).Tenant,
			Actor:        actorOf(c),
			Action:       action,
			ResourceType: resource,
			ResourceID:   resourceID(c, resource),
		}

		return audit.Refusal(c.Request.Context(), a.Journal, entry, h(c))
	})
}

// resourceID returns the id in the path that resource speaks of, if it has the form of one.
func resourceID(c *gin.Context, resource string) string {
	if id := c.Param(resource + "Id"); ids.Valid(id) {
		return id
	}

	return ""
}

func callerOf(c *gin.Context) access.Caller { return access.CallerFrom(c.Request.Context()) }

func actorOf(c *gin.Context) audit.Actor {
	caller := callerOf(c)
	return audit.Actor{Kind: string(caller.Kind), ID: caller.ID(), UserID: caller.UserID}
}

// once runs work once per Idempotency-Key, or just runs it when there is none. work gets the id of what it is to make,
// the same in each repetition, and the request's fingerprint, or a new id and "".
func (a *API) once(
	c *gin.Context, route string, body any, work func(id, fingerprint string) (idempotency.Answer, error),
) error {
	tenant := callerOf(c).Tenant
	asked := idempotency.Request{
		Tenant: tenant,
		Actor:  actorOf(c),
		Route:  route,
		Asked:  []any{c.Request.URL.Path, body},
		Lease:  lease,
	}

	return a.Idempotency.Serve(c, asked, func(m idempotency.Mark) (idempotency.Answer, error) {
		id := ids.New()
		if m != (idempotency.Mark{}) {
			id = parties.DerivedID(route, tenant, m.Name)
		}

		return work(id, m.Fingerprint)
	})
}

// lease of a request with an Idempotency-Key: longer than the request can take.
const lease = 15 * time.Second
