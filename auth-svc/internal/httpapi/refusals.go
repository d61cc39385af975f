package httpapi

import (
	"net/http"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/audit/record"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
)

// refused records that the gateway refused a known caller: its credential had ended, or it called too often.
func (a *API) refused(c *gin.Context) error {
	var in api.RefusedCall
	if err := httpx.Decode(c, &in); err != nil {
		return err
	}

	err := a.record(c.Request.Context(), in.Tenant, record.Event{
		Actor:    record.Acting(in.Kind, in.ID, in.UserID),
		Action:   "call." + in.Decision,
		Resource: record.Resource{Type: "route", ID: in.Route},
		Outcome:  in.Code,
	})
	if err != nil {
		return err
	}
	c.Status(http.StatusNoContent)
	c.Writer.WriteHeaderNow()

	return nil
}
