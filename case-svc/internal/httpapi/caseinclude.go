package httpapi

import (
	"net/http"
	"slices"
	"strings"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/phases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/rights"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
)

// includes are what a case can be read together with.
type includes struct{ parties, deadlines bool }

func (i includes) any() bool { return i.parties || i.deadlines }

// includesOf reads the parameter include.
func includesOf(params map[string]string) (includes, error) {
	var i includes
	s, ok := params["include"]
	if !ok {
		return i, nil
	}
	names := strings.Split(s, ",")
	i = includes{parties: slices.Contains(names, "parties"), deadlines: slices.Contains(names, "deadlines")}
	if len(names) > 2 || slices.ContainsFunc(names, func(n string) bool { return n != "parties" && n != "deadlines" }) {
		return i, httpx.Parameter("include", "must be parties, deadlines or both")
	}

	return i, nil
}

// mayInclude decides about what is read besides the case.
func mayInclude(caller access.Caller, want includes) error {
	if want.deadlines {
		if err := rights.ReadContent(caller); err != nil {
			return err
		}
	}
	if want.parties {
		return rights.ReadParties(caller)
	}

	return nil
}

// writeIncluding answers with a case and what it was asked for with. The tag is of the whole answer: parties and
// deadlines change without the case.
func (a *API) writeIncluding(c *gin.Context, kase cases.Case, wire api.Case, want includes) error {
	out := api.CaseWith{Case: wire}
	if want.parties {
		r, err := a.Rosters.Client.Roster(c.Request.Context(), kase.ID, maxParties)
		if err != nil {
			return err
		}
		list := filled(r.Parties)
		out.Parties = &list
	}
	if want.deadlines {
		list, err := a.pendingDeadlines(
			c, phases.Container{Tenant: kase.Tenant, TimelineID: kase.TimelineID}, nil, maxDeadlines,
		)
		if err != nil {
			return err
		}
		list = filled(list)
		out.Deadlines = &list
	}
	body, _, err := document(out)
	if err != nil {
		return err
	}
	if !httpx.Unchanged(c, httpx.BodyTag(body)) {
		writeJSON(c, http.StatusOK, body)
	}

	return nil
}

// maxParties is how many parties a case can have.
const maxParties = 500
