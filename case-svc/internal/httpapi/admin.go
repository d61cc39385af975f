package httpapi

import (
	"errors"
	"net/http"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/oversight"
	"github.com/subrosa-legal/subrosa/case-svc/internal/phases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/rights"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/deeplink"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/httpauth"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
)

// mountAdmin lays the routes by which the built-in agent answers who runs a tenant, and anybody about their own
// refusals.
func (a *API) mountAdmin(r *gin.Engine, fail func(*gin.Context, error)) {
	in := r.Group("/internal", httpauth.Require(fail, access.Outside()...), httpx.NoStore)
	in.GET("/refusals", a.handle("refusal.read", "refusal", a.ownRefusals))
	in.GET("/usage", a.handle("usage.read", "tenant", a.getUsage))
	in.GET("/waiting-reviews", a.handle("review.list", "tenant", a.waitingReviews))
	in.GET("/audit/check", a.handle("audit.check", "audit", a.CheckChain))
	in.POST(
		"/retention/previews", a.handle("retention.preview", "tenant", a.people(deeplink.Admin, a.previewRetention)),
	)
	in.POST("/retention/runs", a.handle("retention.run", "tenant", a.people(deeplink.Admin, a.runRetention)))
	in.POST("/cases/:caseId/reindex", a.handle("case.reindex", "case", a.people(deeplink.Admin, a.reindexCase)))
}

// ownRefusals answers with what the caller itself was refused, in no more than the record says of it.
func (a *API) ownRefusals(c *gin.Context) error {
	if _, err := httpx.Query(c); err != nil {
		return err
	}
	if tenantOf(c) == "" {
		return errs.ErrNotFound
	}
	events, err := a.Oversight.Refused(c.Request.Context(), tenantOf(c), actorOf(c))
	if err != nil {
		return err
	}

	out := api.Refusals{Items: make([]api.Refused, len(events)), Searched: oversight.Searched}
	for i, e := range events {
		out.Items[i] = api.Refused{
			At:           api.At(e.At),
			Action:       e.Action,
			ResourceType: e.Resource.Type,
			ResourceID:   e.Resource.ID,
			RequestID:    e.RequestID,
		}
	}

	return httpx.JSON(c, http.StatusOK, out)
}

func (a *API) getUsage(c *gin.Context) error {
	if _, err := httpx.Query(c); err != nil {
		return err
	}
	if err := rights.Oversee(callerOf(c)); err != nil {
		return err
	}
	u, err := a.Oversight.Usage(c.Request.Context(), tenantOf(c))
	if err != nil {
		return err
	}
	out := api.TenantUsage{
		Cases:  u.Cases,
		Files:  u.Files,
		Bytes:  u.Bytes,
		Phases: make([]api.PhaseCount, len(u.Phases)),
		Since:  api.At(u.Since),
		Most:   oversight.Most,
	}

	out.Cases["deleted"] = u.Deleted
	for i, w := range u.Phases {
		out.Phases[i] = api.PhaseCount(w)
	}

	return httpx.JSON(c, http.StatusOK, out)
}

// waitingReviews lists the phases that wait for a person in cases that are there.
func (a *API) waitingReviews(c *gin.Context) error {
	if err := rights.Oversee(callerOf(c)); err != nil {
		return err
	}
	params, err := httpx.Query(c, "after")
	if err != nil {
		return err
	}
	ctx, tenant := c.Request.Context(), tenantOf(c)
	var at *cases.Cursor
	if id := params["after"]; id != "" {
		p, err := a.Phases.Records.Get(ctx, tenant, id)
		if errors.Is(err, phases.ErrNotFound) {
			return httpx.Parameter("after", "must be the id of a phase")
		}
		if err != nil {
			return err
		}
		at = &cases.Cursor{Time: p.Since, ID: p.ID}
	}
	found, err := a.Oversight.Store.Waiting(ctx, tenant, at, oversight.Page+1)
	if err != nil {
		return err
	}
	out := api.WaitingReviews{Items: []api.WaitingReview{}}
	if len(found) > oversight.Page {
		found = found[:oversight.Page]
		out.After = found[oversight.Page-1].ID
	}

	var in []string
	for _, p := range found {
		in = append(in, p.ContainerID)
	}
	living, err := a.Phases.Records.Living(ctx, tenant, in)
	if err != nil {
		return err
	}

	for _, p := range found {
		if p.ContainerType == phases.CaseContainer && living[p.ContainerID] {
			out.Items = append(out.Items, api.WaitingReview{
				PhaseID:     p.ID,
				CaseID:      p.ContainerID,
				RequestType: p.RequestType,
				Since:       api.At(p.EndedAt),
				Reasons:     filled(p.Reasons),
			})
		}
	}

	return httpx.JSON(c, http.StatusOK, out)
}

func (a *API) previewRetention(c *gin.Context) error {
	if err := rights.Administer(callerOf(c)); err != nil {
		return err
	}
	shown, err := a.Retention.Show(c.Request.Context(), tenantOf(c), actorOf(c))
	if err != nil {
		return err
	}

	out := api.RetentionPreview{
		Token:     shown.Token,
		ExpiresAt: api.At(shown.ExpiresAt),
		Due:       []api.DueCase{},
		More:      shown.More,
		Held:      shown.Held,
		Soon:      shown.Soon,
	}
	for _, kase := range shown.Due {
		due := api.DueCase{CaseID: kase.ID, Reason: api.DueRetention, DueAt: api.At(kase.PurgeAt())}
		if d := kase.Deletion; d != nil {
			due.Reason = api.DueDeleted
			if d.Tombstone != nil { // it is being cleared up
				due.DueAt = api.At(d.At)
			}
		}
		out.Due = append(out.Due, due)
	}

	return httpx.JSON(c, http.StatusOK, out)
}

func (a *API) runRetention(c *gin.Context) error {
	if err := rights.Administer(callerOf(c)); err != nil {
		return err
	}
	var in api.RunRetention
	if err := httpx.Decode(c, &in); err != nil {
		return err
	}
	o, err := a.Retention.Run(c.Request.Context(), tenantOf(c), actorOf(c), in.Token)
	if err != nil {
		return err
	}

	return httpx.JSON(c, http.StatusOK, api.RetentionRun(o))
}

// reindexCase makes the search index of a case anew. The answer counts and shows nothing, so who runs the tenant needs
// no right to read it.
func (a *API) reindexCase(c *gin.Context) error {
	if err := rights.Administer(callerOf(c)); err != nil {
		return err
	}
	id, err := httpx.PathID(c, "caseId")
	if err != nil {
		return err
	}
	ctx, tenant := c.Request.Context(), tenantOf(c)
	if _, err := a.Cases.Store.Get(ctx, tenant, id); err != nil {
		return err
	}
	var out api.Reindexed
	entry := audit.Entry{
		Tenant: tenant, Actor: actorOf(c), Action: "case.reindex", ResourceType: "case", ResourceID: id,
	}
	err = audit.Do(ctx, a.Journal, entry, func() error {
		made, err := a.Search.Rebuild(ctx, tenant, id)
		out = api.Reindexed(made)

		return err
	})
	if err != nil {
		return err
	}

	return httpx.JSON(c, http.StatusOK, out)
}
