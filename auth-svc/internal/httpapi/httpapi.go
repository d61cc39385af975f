// Package httpapi answers auth-svc's routes in the forms of our own interface: the exchange of a key and the public
// keys for everybody, the user's grants, the rest for services only.
package httpapi

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/auth-svc/internal/continuation"
	"github.com/subrosa-legal/subrosa/auth-svc/internal/keys"
	"github.com/subrosa-legal/subrosa/auth-svc/internal/members"
	"github.com/subrosa-legal/subrosa/auth-svc/internal/oauth"
	"github.com/subrosa-legal/subrosa/auth-svc/internal/tokens"
	"github.com/subrosa-legal/subrosa/pkg/a2acard"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/authn"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/httpauth"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
)

// SignIns remembers which sign-ins are on record.
type SignIns interface {
	FirstSignIn(ctx context.Context, token string) (bool, error)
	ForgetSignIn(ctx context.Context, token string) error
}

// Users checks users' access tokens.
type Users interface {
	Check(ctx context.Context, token string) (access.Caller, error)
}

// EndedLister lists agents that ended lately.
type EndedLister interface {
	EndedSince(ctx context.Context, since time.Time) ([]keys.Ended, error)
}

// PublicKeys gives the key set to publish.
type PublicKeys interface{ PublicSet() ([]byte, error) }

// API holds what the handlers need.
type API struct {
	Issuer  *tokens.Issuer
	Keys    *keys.Keys
	Ended   EndedLister
	Ring    PublicKeys
	Users   Users
	SignIns SignIns
	Audit   audit.Log
	OAuth   *oauth.Server
	Card    *a2acard.Card
	// Continuations lets runs go on whose process has died.
	Continuations *continuation.Service
	// Members ends the access of those who leave.
	Members *members.Service

	Cursors *httpx.Cursors[string] // of lists; a place is the id of the last grant or member
	Browser string                 // address of the browser app, for deep links
	Log     *slog.Logger
}

// Mount lays the routes on r. Every one of them wants an internal token but the public keys and the agent card, which
// are public.
func (a *API) Mount(r *gin.Engine, internal *httpauth.Gate) {
	fail := func(c *gin.Context, err error) { httpx.Fail(c, a.Log, err) }
	handle := func(h func(*gin.Context) error) gin.HandlerFunc { return httpx.Handle(a.Log, h) }
	r.GET("/.well-known/jwks.json", handle(a.publicKeys))
	r.GET("/.well-known/agent-card.json", handle(a.Card.Serve))
	inside := r.Group("/", internal.Middleware(fail))
	inside.POST("/v1/auth/token", httpauth.Require(fail, access.Public), httpx.NoQuery(a.Log), handle(a.exchange))
	inside.GET("/v1/grants", handle(a.people("grant.list", a.listGrants)))
	inside.DELETE("/v1/grants/:grantId", handle(a.people("grant.end", a.endGrant)))
	a.mountMembers(inside)
	registry := inside.Group("/internal", httpauth.RequireIssuer(fail, "registry-svc"))
	registry.POST("/keys", handle(a.mint))
	registry.GET("/agents/:agentId", handle(a.lastUse))
	registry.DELETE("/agents/:agentId", handle(a.end))
	gateway := inside.Group("/internal", httpauth.RequireIssuer(fail, "gateway"))
	gateway.GET("/ended", handle(a.ended))
	gateway.POST("/sign-ins", handle(a.signIn))
	gateway.POST("/refusals", handle(a.refused))
	inside.POST("/internal/continuations", httpauth.RequireIssuer(fail, "agent-svc"), handle(a.continueRun))
}

func (a *API) publicKeys(c *gin.Context) error {
	set, err := a.Ring.PublicSet()
	if err != nil {
		return err
	}
	sum := sha256.Sum256(set)
	etag := `"` + hex.EncodeToString(sum[:16]) + `"`
	c.Header("ETag", etag)
	c.Header("Cache-Control", "public, max-age=300")
	if c.GetHeader("If-None-Match") == etag {
		c.Status(http.StatusNotModified)
		c.Writer.WriteHeaderNow()

		return nil
	}
	c.Data(http.StatusOK, "application/jwk-set+json", set)

	return nil
}

var errNoKey = errs.New(errs.Invalid, "validation_failed", "The body needs api_key, the key that registration gave.").
	WithDetails(errs.Detail{Path: "api_key", Message: "is required"})

func (a *API) exchange(c *gin.Context) error {
	var in api.TokenRequest
	if err := httpx.Decode(c, &in); err != nil {
		return httpx.LinkRefusal(err, strings.TrimRight(a.Browser, "/")+"/i/add_identity")
	}
	if in.APIKey == "" {
		return errNoKey
	}
	bearer, err := a.Issuer.Exchange(c.Request.Context(), in.APIKey)
	if err != nil {
		return err
	}
	c.Header("Cache-Control", "no-store")

	return httpx.JSON(
		c,
		http.StatusOK,
		api.BearerToken{
			BearerToken: bearer.Token,
			ExpiresIn:   int(authn.BearerLife.Seconds()),
			ExpiresAt:   bearer.Expires.Unix(),
		},
	)
}

func (a *API) mint(c *gin.Context) error {
	var in api.MintKey
	if err := httpx.Decode(c, &in); err != nil {
		return err
	}
	tenant := access.CallerFrom(c.Request.Context()).Tenant
	if tenant == "" || in.AgentID == "" || in.UserID == "" {
		return httpx.ErrValidation
	}
	stands, err := a.Members.Stands(c.Request.Context(), tenant, in.UserID)
	if err != nil {
		return err
	}
	if !stands {
		return access.ErrSuspended
	}
	secret, err := a.Keys.Mint(c.Request.Context(), tenant, in.AgentID, in.UserID, in.Roles)
	if err != nil {
		return err
	}
	if err := a.Audit.Record(c.Request.Context(), audit.Entry{
		Tenant:       tenant,
		Actor:        audit.Actor{Kind: audit.User, ID: in.UserID},
		Action:       "key.minted",
		ResourceType: "agent",
		ResourceID:   in.AgentID,
		Outcome:      audit.Done,
	}); err != nil {
		return err
	}

	return httpx.JSON(c, http.StatusCreated, api.MintedKey{APIKey: secret})
}

func (a *API) lastUse(c *gin.Context) error {
	ctx, tenant := c.Request.Context(), access.CallerFrom(c.Request.Context()).Tenant
	at, ended, err := a.Keys.LastUse(ctx, tenant, c.Param("agentId"))
	if err != nil {
		return err
	}
	out := api.AgentUse{Ended: ended}
	if !at.IsZero() {
		instant := api.At(at)
		out.LastUsedAt = &instant
	}

	return httpx.JSON(c, http.StatusOK, out)
}

func (a *API) end(c *gin.Context) error {
	tenant := access.CallerFrom(c.Request.Context()).Tenant
	if tenant == "" {
		return httpx.ErrValidation
	}
	agentID := c.Param("agentId")
	if err := a.Issuer.End(c.Request.Context(), tenant, agentID); err != nil {
		return err
	}
	if err := a.Audit.Record(c.Request.Context(), audit.Entry{
		Tenant:       tenant,
		Actor:        audit.Actor{Kind: audit.Service, ID: "registry-svc"},
		Action:       "agent.keys_ended",
		ResourceType: "agent",
		ResourceID:   agentID,
		Outcome:      audit.Done,
	}); err != nil {
		return err
	}
	c.Status(http.StatusNoContent)
	c.Writer.WriteHeaderNow()

	return nil
}

func (a *API) ended(c *gin.Context) error {
	query, err := httpx.Query(c, "since")
	if err != nil {
		return err
	}
	since, err := time.Parse(time.RFC3339, query["since"])
	if err != nil {
		return httpx.ErrParameter.WithDetails(errs.Detail{Path: "since"})
	}
	list, err := a.Ended.EndedSince(c.Request.Context(), since)
	if err != nil {
		return err
	}

	out := api.EndedAgents{AgentIDs: []string{}, Next: api.At(since)}
	for _, e := range list {
		out.AgentIDs, out.Next = append(out.AgentIDs, e.AgentID), api.At(e.At)
	}

	return httpx.JSON(c, http.StatusOK, out)
}

// signIn audits the first use of a user's token. The token is checked again here: the event must not rest on the word
// of a gateway.
func (a *API) signIn(c *gin.Context) error {
	var in api.SignIn
	if err := httpx.Decode(c, &in); err != nil {
		return err
	}
	ctx := c.Request.Context()
	user, err := a.Users.Check(ctx, in.Token)
	if err != nil {
		return err
	}
	if err := a.Members.Seen(ctx, user); err != nil {
		return err
	}
	first, err := a.SignIns.FirstSignIn(ctx, in.Token)
	if err != nil {
		return err
	}
	if first {
		err := a.Audit.Record(ctx, audit.Entry{
			Tenant:       user.Tenant,
			Actor:        audit.Actor{Kind: audit.User, ID: user.UserID},
			Action:       "user.signed_in",
			ResourceType: "user",
			ResourceID:   user.UserID,
			Outcome:      audit.Done,
		})
		if err != nil {
			return errors.Join(err, a.SignIns.ForgetSignIn(context.WithoutCancel(ctx), in.Token))
		}
	}
	c.Status(http.StatusNoContent)
	c.Writer.WriteHeaderNow()

	return nil
}
