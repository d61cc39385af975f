package httpapi

import (
	"net/http"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/auth-svc/internal/oauth"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/deeplink"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
)

var errHuman = errs.New(
	errs.Forbidden,
	"human_required",
	"Only a person may see and disconnect applications. Ask the user to open the deep link.",
)

// people lets only people on to a handler. Any other caller is refused with a link for a person, on record first.
func (a *API) people(action string, h func(*gin.Context) error) func(*gin.Context) error {
	return a.peopleOnly(action, "grant", errHuman.WithDeepLink(deeplink.Links(a.Browser).To(deeplink.Grants, "")), h)
}

// peopleOnly is people for a type of resource, with the refusal of whoever is no person.
func (a *API) peopleOnly(
	action, resource string,
	refusal *errs.Error,
	h func(*gin.Context) error,
) func(*gin.Context) error {
	return func(c *gin.Context) error {
		httpx.NoStore(c)

		ctx, caller := c.Request.Context(), access.CallerFrom(c.Request.Context())
		switch {
		case caller.Kind == access.User:
			return h(c)
		case caller.Tenant == "":
			// Without a tenant there is no chain that could hold the refusal.
			return access.ErrForbidden
		}

		return audit.Refusal(ctx, a.Audit, audit.Entry{
			Tenant:       caller.Tenant,
			Actor:        audit.Actor{Kind: string(caller.Kind), ID: caller.ID(), UserID: caller.UserID},
			Action:       action,
			ResourceType: resource,
		}, refusal)
	}
}

func (a *API) listGrants(c *gin.Context) error {
	params, err := httpx.Query(c, "cursor", "limit")
	if err != nil {
		return err
	}
	limit, err := httpx.Limit(params)
	if err != nil {
		return err
	}
	caller := access.CallerFrom(c.Request.Context())
	list := []any{"grants", caller.Tenant, caller.UserID}
	at, err := a.Cursors.Place(params["cursor"], list...)
	if err != nil {
		return err
	}
	before := ""
	if at != nil {
		before = *at
	}
	grants, err := a.OAuth.List(c.Request.Context(), caller, before, limit+1) // one more tells whether a page follows
	if err != nil {
		return err
	}

	page := api.Page[api.AppGrant]{Items: []api.AppGrant{}, Limit: limit}
	for _, g := range grants[:min(limit, len(grants))] {
		page.Items = append(page.Items, grantOf(g))
	}
	var cursor *string
	if len(grants) > limit {
		next := a.Cursors.Next(grants[limit-1].ID, list...)
		cursor = &next
	}

	return httpx.Page(c, cursor, func(next *string) any {
		page.NextCursor = next
		return page
	})
}

func grantOf(g oauth.Grant) api.AppGrant {
	return api.AppGrant{
		GrantID:      g.ID,
		ClientID:     g.ClientID,
		ClientName:   g.ClientName,
		RedirectHost: g.RedirectHost,
		Verified:     g.Document,
		Scopes:       g.Scopes,
		CreatedAt:    api.At(g.CreatedAt),
		LastUsedAt:   api.At(g.LastUsedAt),
		ExpiresAt:    api.At(g.ExpiresAt),
	}
}

func (a *API) endGrant(c *gin.Context) error {
	if _, err := httpx.Query(c); err != nil {
		return err
	}
	gid, err := httpx.PathID(c, "grantId")
	if err != nil {
		return err
	}
	if err := a.OAuth.End(c.Request.Context(), access.CallerFrom(c.Request.Context()), gid); err != nil {
		return err
	}
	c.Status(http.StatusNoContent)
	c.Writer.WriteHeaderNow()

	return nil
}
