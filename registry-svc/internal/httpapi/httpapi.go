// Package httpapi answers registry-svc's routes in the snake_case that the interface gives them.
package httpapi

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/httpauth"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
	"github.com/subrosa-legal/subrosa/pkg/services"
	"github.com/subrosa-legal/subrosa/registry-svc/internal/agents"
)

// API holds what the handlers need.
type API struct {
	Registry *agents.Registry
	Health   *agents.Health
	Base     string // public address of the service, named in instructions
	Browser  string // address of the browser app, for deep links
	Log      *slog.Logger
}

// Mount lays the routes on r; every one wants an internal token.
func (a *API) Mount(r *gin.Engine, internal *httpauth.Gate) {
	fail := func(c *gin.Context, err error) { httpx.Fail(c, a.Log, err) }
	handle := func(h func(*gin.Context) error) gin.HandlerFunc { return httpx.Handle(a.Log, h) }
	both := httpauth.Require(fail, access.User, access.Agent)
	g := r.Group("/v1/agents", internal.Middleware(fail), httpx.NoQuery(a.Log))
	g.POST("/registration-token", both, handle(a.people("registration_token.issue", a.issue)))
	g.POST("/register", httpauth.Require(fail, access.Public), handle(a.register))
	g.GET("/me", both, handle(a.people("agent.read", a.me)))
	g.DELETE("/:agentId", both, handle(a.people("agent.disconnect", a.disconnect)))
	g.GET("/:agentId/health", both, handle(a.health))
	r.GET("/internal/agents/me", internal.Middleware(fail), both, httpx.NoQuery(a.Log), handle(a.me))
}

var errHuman = errs.ErrHuman

// people lets only people on to a handler. Any other caller is refused with a link for a person, on record first.
func (a *API) people(action string, h func(*gin.Context) error) func(*gin.Context) error {
	return func(c *gin.Context) error {
		caller := access.CallerFrom(c.Request.Context())
		if caller.Kind == access.User {
			return h(c)
		}

		return audit.Refusal(c.Request.Context(), a.Registry.Audit, audit.Entry{
			Tenant:       caller.Tenant,
			Actor:        audit.Actor{Kind: string(caller.Kind), ID: caller.ID(), UserID: caller.UserID},
			Action:       action,
			ResourceType: "agent",
			ResourceID:   caller.AgentID,
		}, errHuman.WithDeepLink(strings.TrimRight(a.Browser, "/")+"/i/agent"))
	}
}

func (a *API) issue(c *gin.Context) error {
	caller := access.CallerFrom(c.Request.Context())
	token, err := a.Registry.Issue(
		c.Request.Context(),
		agents.Owner{Tenant: caller.Tenant, UserID: caller.UserID, Roles: caller.Roles},
	)
	if err != nil {
		return err
	}
	c.Header("Cache-Control", "no-store")

	return httpx.JSON(c, http.StatusCreated, api.RegistrationToken{
		RegistrationToken: token, ExpiresInSeconds: int(a.Registry.Life.Seconds()),
		Instructions: "Hand this token to your agent. Within ten minutes it " +
			"sends POST " + a.Base + "/v1/agents/register with registration_token and agent_card_url, " +
			"the https address of its card. The token works once. The answer holds the agent's API key, " +
			"which is shown only there.",
	})
}

func (a *API) register(c *gin.Context) error {
	var in api.RegisterRequest
	if err := httpx.Decode(c, &in); err != nil {
		return httpx.LinkRefusal(err, strings.TrimRight(a.Browser, "/")+"/i/add_identity")
	}
	var missing []errs.Detail

	for _, field := range []struct{ name, value string }{
		{"registration_token", in.RegistrationToken},
		{"agent_card_url", in.AgentCardURL},
	} {
		if field.value == "" {
			missing = append(missing, errs.Detail{Path: field.name, Message: "is required"})
		}
	}
	if missing != nil {
		return httpx.ErrValidation.WithMessage("The body needs registration_token and " +
			"agent_card_url.").WithDetails(missing...)
	}
	done, err := a.Registry.Register(c.Request.Context(), in.RegistrationToken, in.AgentCardURL)
	if err != nil {
		return err
	}
	c.Header("Cache-Control", "no-store")

	return httpx.JSON(c, http.StatusCreated, api.RegisteredAgent{
		AgentID:      done.Agent.ID,
		Name:         done.Agent.Card.Name,
		Status:       done.Agent.Status,
		SharedAPIKey: done.Key,
	})
}

func (a *API) me(c *gin.Context) error {
	ctx := c.Request.Context()
	caller := access.CallerFrom(ctx)
	var got agents.Connected
	var err error
	if caller.Kind == access.Agent {
		got, err = a.Registry.Itself(ctx, caller.Tenant, caller.UserID, caller.AgentID)
	} else {
		got, err = a.Registry.Of(ctx, caller.Tenant, caller.UserID)
	}
	if err != nil {
		return err
	}
	out := api.Agent{
		AgentID:       got.ID,
		Name:          got.Card.Name,
		Status:        got.Status,
		Description:   got.Card.Description,
		URL:           got.Card.URL,
		AgentCardURL:  got.CardURL,
		ConnectedAt:   api.At(got.ConnectedAt),
		CardSignature: got.Card.Signature,
	}
	if got.CardChanged() {
		at := api.At(got.SeenAt)
		out.CardChangedAt = &at
	}
	if !got.LastUsedAt.IsZero() {
		last := api.At(got.LastUsedAt)
		out.LastUsedAt = &last
	}

	return httpx.JSON(c, http.StatusOK, out)
}

func (a *API) disconnect(c *gin.Context) error {
	caller := access.CallerFrom(c.Request.Context())
	if err := a.Registry.Disconnect(c.Request.Context(), caller.Tenant, caller.UserID, c.Param("agentId")); err != nil {
		return err
	}
	c.Status(http.StatusNoContent)
	c.Writer.WriteHeaderNow()

	return nil
}

func (a *API) health(c *gin.Context) error {
	caller := access.CallerFrom(c.Request.Context())
	err := a.Health.Check(c.Request.Context(), caller, c.Param("agentId"))
	c.Header("Cache-Control", "no-store")
	if agents.Unhealthy(err) {
		e := errs.From(err)

		return httpx.JSON(
			c,
			http.StatusServiceUnavailable,
			api.AgentHealth{Status: "unhealthy", Error: e.Code, Message: e.Message},
		)
	}
	if err != nil {
		return err
	}

	changed, err := a.Registry.Changed(c.Request.Context(), caller.Tenant, c.Param("agentId"))
	if err != nil {
		return err
	}

	return httpx.JSON(c, http.StatusOK, api.AgentHealth{Status: "healthy", CardChanged: changed})
}

// Keys implements agents.Keys by calling auth-svc as the service, for the tenant at hand.
type Keys struct{ Auth services.AuthClient }

func forTenant(ctx context.Context, tenant string) context.Context {
	return access.WithCaller(ctx, access.Caller{Kind: access.Service, Tenant: tenant}, "")
}

// Mint makes the agent's key.
func (k Keys) Mint(ctx context.Context, a agents.Agent) (string, error) {
	minted, err := k.Auth.MintKey(
		forTenant(ctx, a.Tenant),
		api.MintKey{AgentID: a.ID, UserID: a.UserID, Roles: a.Roles},
	)

	return minted.APIKey, err
}

// End ends the agent's key and bearers.
func (k Keys) End(ctx context.Context, tenant, agentID string) error {
	return k.Auth.EndAgent(forTenant(ctx, tenant), agentID)
}

// Use returns when the agent last exchanged its key, and whether its keys have ended.
func (k Keys) Use(ctx context.Context, tenant, agentID string) (last time.Time, ended bool, err error) {
	use, err := k.Auth.AgentUse(forTenant(ctx, tenant), agentID)
	if err != nil || use.LastUsedAt == nil {
		return time.Time{}, use.Ended, err
	}

	return use.LastUsedAt.Time, use.Ended, nil
}
