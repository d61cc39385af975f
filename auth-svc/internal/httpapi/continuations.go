package httpapi

import (
	"context"
	"net/http"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/audit/record"
	"github.com/subrosa-legal/subrosa/pkg/authn"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
)

// continueRun answers agent-svc, which wants to go on with a run whose process has died.
func (a *API) continueRun(c *gin.Context) error {
	var in api.ContinueRun
	if err := httpx.Decode(c, &in); err != nil {
		return err
	}
	if in.Look {
		if err := a.Continuations.Look(c.Request.Context(), in.Voucher); err != nil {
			return err
		}

		return httpx.JSON(c, http.StatusOK, api.ContinuationToken{})
	}

	token, err := a.Continuations.Issue(c.Request.Context(), in.Voucher)
	if err != nil {
		return err
	}
	c.Header("Cache-Control", "no-store")

	return httpx.JSON(c, http.StatusCreated, api.ContinuationToken{Token: token})
}

// Continued records that a run was to go on in the name of its caller, and whether it may.
func (t AuditLog) Continued(ctx context.Context, c authn.Continuation, outcome string) error {
	_, err := t.Audit.Append(ctx, c.Caller.Tenant, record.Event{
		Actor:     record.Acting(string(access.Service), "agent-svc", c.Caller.UserID),
		Action:    "run.continued",
		Resource:  record.Resource{Type: "phase", ID: c.Phase.PhaseID},
		Outcome:   outcome,
		RequestID: httpx.RequestID(ctx),
	})

	return err
}
