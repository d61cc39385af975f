package auditapi

import (
	"context"
	"errors"
	"net/http"
	"strconv"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/audit/record"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
)

// checkedAtOnce is how many events one request checks: some seconds of work on a slow store.
const checkedAtOnce = 20_000

// Chain is what a check reads.
type Chain interface {
	VerifyFrom(
		ctx context.Context,
		tenant string,
		at record.Place,
		most int,
	) (reached record.Place, whole bool, err error)
}

// Check returns the handler that checks a part of the caller's tenant's chain for a run of the built-in agent.
// Parameters seq and hash say where an earlier answer came to. It answers those who run the tenant and their agents,
// and says nothing of what the events tell.
func Check(kept Chain) func(*gin.Context) error {
	return func(c *gin.Context) error {
		ctx, caller := c.Request.Context(), access.CallerFrom(c.Request.Context())
		if !caller.Oversees() {
			return access.ErrForbidden
		}
		params, err := httpx.Query(c, "seq", "hash")
		if err != nil {
			return err
		}
		var at record.Place
		if s := params["seq"]; s != "" {
			if at.Seq, err = strconv.ParseInt(s, 10, 64); err != nil || at.Seq < 0 {
				return httpx.Parameter("seq", "must be the number of an event, or 0")
			}
			at.Hash = params["hash"]
		}
		reached, whole, err := kept.VerifyFrom(ctx, caller.Tenant, at, checkedAtOnce)
		out := api.ChainCheck{Seq: reached.Seq, Hash: reached.Hash, Whole: whole}

		var broken *record.BrokenError
		switch {
		case errors.As(err, &broken):
			out.Broken = &api.BrokenChain{Seq: broken.Seq, Reason: broken.Reason}
		case err != nil:
			return err
		}

		return httpx.JSON(c, http.StatusOK, out)
	}
}
