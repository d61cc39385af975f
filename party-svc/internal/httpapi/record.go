package httpapi

import (
	"fmt"
	"net/http"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/audit/chain"
	"github.com/subrosa-legal/subrosa/pkg/audit/record"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
	"github.com/subrosa-legal/subrosa/pkg/validate"
)

// holdings tells case-svc, for an export, what the record may speak of besides the case itself.
func (a *API) holdings(c *gin.Context) error {
	if _, err := httpx.Query(c); err != nil {
		return err
	}
	id, err := httpx.PathID(c, "caseId")
	if err != nil {
		return err
	}
	ids, err := a.Holdings(c.Request.Context(), callerOf(c).Tenant, id)
	if err != nil {
		return err
	}

	return httpx.JSON(c, http.StatusOK, api.Holdings{IDs: ids})
}

// auditOf answers with events of some things, for a person, who may read all of the tenant's record anyway.
func (a *API) auditOf(c *gin.Context) error {
	if _, err := httpx.Query(c); err != nil {
		return err
	}
	var in api.AuditOf
	if err := httpx.Decode(c, &in); err != nil {
		return err
	}
	var f validate.List
	if n := len(in.ResourceIDs); n == 0 || n > chain.MaxResources {
		f.Add("resourceIds", fmt.Sprintf("must be 1 to %d ids", chain.MaxResources))
	}
	if in.Limit < 1 || in.Limit > chain.MaxLimit {
		f.Add("limit", fmt.Sprintf("must be 1 to %d", chain.MaxLimit))
	}
	if in.AfterSeq < 0 {
		f.Add("afterSeq", "must be the number of an event, or 0")
	}
	if err := f.Err(); err != nil {
		return err
	}
	events, err := a.Audit(
		c.Request.Context(),
		callerOf(c).Tenant,
		chain.Filter{ResourceIDs: in.ResourceIDs, AfterSeq: in.AfterSeq, Limit: in.Limit},
	)
	if err != nil {
		return fmt.Errorf("read the audit record: %w", err)
	}

	items := make([]api.AuditEvent, len(events))
	for i, e := range events {
		items[i] = record.Wire(e)
	}

	return httpx.JSON(c, http.StatusOK, gin.H{"items": items})
}
