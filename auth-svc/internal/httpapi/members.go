package httpapi

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/auth-svc/internal/members"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/deeplink"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
)

var errHumanMembers = errs.New(
	errs.Forbidden,
	"human_required",
	"Only a person may end, give back or limit the access of a member. Ask the user to open the deep link.",
)

// mountMembers lays the routes of members on r.
func (a *API) mountMembers(r *gin.RouterGroup) {
	people := func(action string, h func(*gin.Context) error) gin.HandlerFunc {
		refusal := errHumanMembers.WithDeepLink(a.membersLink())
		return httpx.Handle(a.Log, a.peopleOnly(action, "member", refusal, h))
	}

	r.GET("/v1/members", httpx.Handle(a.Log, a.listMembers))
	r.POST("/v1/members/:userId/offboard", people("member.offboard", a.offboard))
	r.POST("/v1/members/:userId/reinstate", people("member.reinstate", a.reinstate))
	r.PUT("/v1/members/:userId/key-expiry", people("member.key_expiry", a.expireKeys))
}

func (a *API) membersLink() string { return deeplink.Links(a.Browser).To(deeplink.Members, "") }

// listMembers answers people and, since it changes nothing, their agents, where the user has the role for it.
func (a *API) listMembers(c *gin.Context) error {
	httpx.NoStore(c)
	params, err := httpx.Query(c, "cursor", "limit")
	if err != nil {
		return err
	}
	limit, err := httpx.Limit(params)
	if err != nil {
		return err
	}
	ctx, caller := c.Request.Context(), access.CallerFrom(c.Request.Context())
	if caller.Tenant == "" || caller.UserID == "" {
		return access.ErrForbidden
	}
	list := []any{"members", caller.Tenant}
	at, err := a.Cursors.Place(params["cursor"], list...)
	if err != nil {
		return err
	}
	after := ""
	if at != nil {
		after = *at
	}
	all, err := a.Members.List(ctx, caller, after, limit+1)
	if err != nil {
		return err
	}

	page := api.MemberList{Items: []api.Member{}, Limit: limit}
	for _, m := range all[:min(limit, len(all))] {
		shown, err := a.memberOf(ctx, m)
		if err != nil {
			return err
		}
		page.Items = append(page.Items, shown)
	}
	var cursor *string
	if len(all) > limit {
		cursor = new(a.Cursors.Next(all[limit-1].UserID, list...))
	}

	return httpx.Page(c, cursor, func(next *string) any {
		page.NextCursor = next
		return page
	})
}

// memberOf is a member as the interface shows it, with how the key of their agent stands.
func (a *API) memberOf(ctx context.Context, m members.Member) (api.Member, error) {
	used, made, err := a.Keys.Use(ctx, m.Tenant, m.UserID)
	if err != nil {
		return api.Member{}, err
	}
	status := string(members.Active)
	if !m.Has() {
		status = string(members.Suspended)
	}
	out := api.Member{
		UserID:        m.UserID,
		Roles:         append([]string{}, m.Roles...),
		Status:        status,
		Reason:        string(m.Why),
		FirstSeenAt:   api.At(m.FirstSeen),
		LastSeenAt:    api.At(m.LastSeen),
		EndedAt:       api.Known(m.EndedAt),
		HasKey:        !made.IsZero(),
		KeyLastUsedAt: api.Known(used),
		KeyExpiresAt:  api.Known(m.KeyExpiresAt),
	}

	return out, nil
}

// userOf returns the user whom a path names.
func userOf(c *gin.Context) (string, error) {
	if _, err := httpx.Query(c); err != nil {
		return "", err
	}
	user := c.Param("userId")
	if strings.TrimSpace(user) == "" {
		return "", errs.ErrNotFound
	}

	return user, nil
}

// bare returns the user whom a path names, of a request that says nothing else.
func bare(c *gin.Context) (user string, err error) {
	if user, err = userOf(c); err != nil {
		return "", err
	}

	return user, httpx.DecodeOptional(c, &struct{}{})
}

func (a *API) offboard(c *gin.Context) error {
	user, err := bare(c)
	if err != nil {
		return err
	}
	ctx := c.Request.Context()
	left, err := a.Members.Offboard(ctx, access.CallerFrom(ctx), user)
	if err != nil {
		return err
	}
	shown, err := a.memberOf(ctx, left.Member)
	if err != nil {
		return err
	}
	out := api.OffboardedMember{Member: shown, RotateFirmKey: left.HeldKey}
	if left.HeldKey {
		out.DeepLink = deeplink.Links(a.Browser).To(deeplink.Reveal, "")
	}

	return httpx.JSON(c, http.StatusOK, out)
}

func (a *API) reinstate(c *gin.Context) error {
	user, err := bare(c)
	if err != nil {
		return err
	}
	ctx := c.Request.Context()
	m, err := a.Members.Reinstate(ctx, access.CallerFrom(ctx), user)
	if err != nil {
		return err
	}

	return a.answerMember(c, m)
}

func (a *API) answerMember(c *gin.Context, m members.Member) error {
	shown, err := a.memberOf(c.Request.Context(), m)
	if err != nil {
		return err
	}

	return httpx.JSON(c, http.StatusOK, shown)
}

func (a *API) expireKeys(c *gin.Context) error {
	user, err := userOf(c)
	if err != nil {
		return err
	}
	var in api.KeyExpiry
	if err := httpx.Decode(c, &in); err != nil {
		return httpx.LinkRefusal(err, deeplink.Links(a.Browser).To(deeplink.AddIdentity, ""))
	}
	var at time.Time
	if in.ExpiresAt != nil {
		at = in.ExpiresAt.Time
	}
	ctx := c.Request.Context()
	m, err := a.Members.ExpireKeys(ctx, access.CallerFrom(ctx), user, at)
	if err != nil {
		return err
	}

	return a.answerMember(c, m)
}
