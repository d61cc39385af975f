package httpapi

import (
	"net/http"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
)

// refused records that the gateway refused a known caller: its credential had ended, or it called too often.
func (a *API) refused(c *gin.Context) error {
	var in api.RefusedCall
	if err := httpx.Decode(c, &in); err != nil {
		return err
	}

	err := a.Audit.Record(c.Request.Context(), audit.Entry{
		Tenant:       in.Tenant,
		Actor:        audit.Actor{Kind: in.Kind, ID: in.ID, UserID: in.UserID},
		Action:       "call." + in.Decision,
		ResourceType: "route",
		ResourceID:   in.Route,
		Outcome:      in.Code,
	})
	if err != nil {
		return err
	}
	c.Status(http.StatusNoContent)
	c.Writer.WriteHeaderNow()

	return nil
}
