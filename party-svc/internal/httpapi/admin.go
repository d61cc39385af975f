package httpapi

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/party-svc/internal/invites"
	"github.com/subrosa-legal/subrosa/party-svc/internal/seed"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/deeplink"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
	"github.com/subrosa-legal/subrosa/pkg/inputgate"
)

// importPartners puts entries into the directory of the caller's own tenant, all or none of them.
func (a *API) importPartners(c *gin.Context) error {
	caller, ctx := callerOf(c), c.Request.Context()
	if caller.Kind != access.User {
		return invites.ErrHuman.WithDeepLink(a.Links.To(deeplink.Admin, ""))
	}
	if !caller.Admin() {
		return access.ErrForbidden
	}
	var in api.ImportPartners
	if err := httpx.Decode(c, &in); err != nil {
		return err
	}
	file, err := json.Marshal(in)
	if err != nil {
		return err
	}
	entries, err := seed.Parse(bytes.NewReader(file), caller.Tenant, a.Now())
	if err != nil {
		return err
	}

	var notes []inputgate.Text // the one field of free prose; the others are codes, or a professional's own public data
	for i, p := range entries {
		notes = append(
			notes,
			inputgate.Text{
				Channel: guard.Title, Path: "partners[" + strconv.Itoa(i) + "].capacityNote", Value: p.CapacityNote,
			},
		)
	}
	if err := inputgate.Check(ctx, a.Gate, a.Links.To(deeplink.Admin, ""), notes...); err != nil {
		return err
	}
	done, err := a.Import(ctx, caller.Tenant, actorOf(c), entries)
	if err != nil {
		return err
	}

	return httpx.JSON(c, http.StatusOK, api.ImportedPartners(done))
}
