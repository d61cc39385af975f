package httpapi

import (
	"net/http"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/pkg/api"
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
