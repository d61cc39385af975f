package httpapi

import (
	"net/http"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
)

// othersWork tells case-svc, before a machine deletes a case, whether anybody but the agents of its user took part in
// it.
func (a *API) othersWork(c *gin.Context) error {
	if _, err := httpx.Query(c); err != nil {
		return err
	}
	id, err := httpx.PathID(c, "caseId")
	if err != nil {
		return err
	}
	caller := callerOf(c)
	others, err := a.OthersWork(c.Request.Context(), caller.Tenant, id, caller.UserID)
	if err != nil {
		return err
	}

	return httpx.JSON(c, http.StatusOK, api.OthersWork{Others: others})
}

// purgeCase deletes what is kept of a case whose time is over, in the tenant of the calling service's token. The audit
// chain stays.
func (a *API) purgeCase(c *gin.Context) error {
	if _, err := httpx.Query(c); err != nil {
		return err
	}
	id, err := httpx.PathID(c, "caseId")
	if err != nil {
		return err
	}
	tenant, ctx := callerOf(c).Tenant, c.Request.Context()
	if tenant == "" {
		return errs.ErrNotFound
	}
	entry := audit.Entry{Tenant: tenant, Actor: actorOf(c), Action: "case.purge", ResourceType: "case", ResourceID: id}

	return done(c, audit.Do(ctx, a.Journal, entry, func() error { return a.Purge(ctx, tenant, id) }))
}
