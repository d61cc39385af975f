package httpapi

import (
	"net/http"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
	"github.com/subrosa-legal/subrosa/pkg/ids"
)

// takeTurn waits for the turn of a case: until it is given back, or its time is up, the clients of the case stay as
// they are.
func (a *API) takeTurn(c *gin.Context) error {
	id, holder, err := turnOf(c)
	if err != nil {
		return err
	}

	return done(c, a.Parties.TakeLease(c.Request.Context(), callerOf(c).Tenant, id, holder))
}

func (a *API) giveTurnBack(c *gin.Context) error {
	id, holder, err := turnOf(c)
	if err != nil {
		return err
	}
	a.Parties.GiveLeaseBack(c.Request.Context(), callerOf(c).Tenant, id, holder)

	return done(c, nil)
}

// turnOf returns what a call about a turn names.
func turnOf(c *gin.Context) (caseID, holder string, err error) {
	if _, err := httpx.Query(c); err != nil {
		return "", "", err
	}
	caseID, holder = c.Param("caseId"), c.Param("holder")
	if callerOf(c).Tenant == "" || !ids.Valid(caseID) || !ids.Valid(holder) {
		return "", "", errs.ErrNotFound
	}

	return caseID, holder, nil
}

// done answers 204 unless err is a failure.
func done(c *gin.Context, err error) error {
	if err == nil {
		c.Status(http.StatusNoContent)
		c.Writer.WriteHeaderNow()
	}

	return err
}
