package httpapi

import (
	"net/http"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/phases"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/authn"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
)

// Work that is the tenant's, or that tells of the caller's own requests.
var (
	ofAdmins  = []string{api.AdminReq}
	ofSupport = []string{api.SupportReq}
)

// Openings are what a run needs that goes on by a continuation token: the phase itself, and what is read and written
// for it.
func Openings() authn.Openings {
	return authn.Openings{
		"POST /internal/phases":                                nil,
		"GET /internal/phases/:phaseId":                        nil,
		"POST /internal/phases/:phaseId/end":                   nil,
		"POST /internal/phases/:phaseId/interrupt":             nil,
		"GET /internal/containers/:containerType/:containerId": nil,
		"GET /v1/cases/:caseId":                                nil,
		"GET /v1/cases/:caseId/files":                          nil,
		"GET /v1/cases/:caseId/files/:fileId":                  nil,
		"GET /v1/cases/:caseId/files/:fileId/text":             nil,
		"POST /internal/cases/:caseId/texts":                   nil,
		"POST /internal/cases/:caseId/search":                  nil,
		"GET /internal/cases/:caseId/checklist":                nil,
		"GET /internal/cases/:caseId/cleared-words":            nil,
		"POST /internal/cases/:caseId/drafts":                  nil,
		"PUT /internal/cases/:caseId/evaluation":               nil,
		"POST /internal/timeline/:timelineId/entries":          nil,
		"GET /internal/settings/allowed-words":                 nil,
		"GET /internal/settings/authorities":                   nil,
		"GET /v1/settings":                                     nil,
		"GET /internal/refusals":                               ofSupport,
		"GET /internal/usage":                                  ofAdmins,
		"GET /internal/waiting-reviews":                        ofAdmins,
		"GET /internal/audit/check":                            ofAdmins,
		"POST /internal/retention/previews":                    ofAdmins,
		"POST /internal/retention/runs":                        ofAdmins,
		"POST /internal/cases/:caseId/reindex":                 ofAdmins,
	}
}

// askedOf is what a request said that is needed to run its phase again.
func askedOf(in api.BeginPhase) phases.Asked {
	asked := phases.Asked{BranchID: in.BranchID, ParentID: in.ParentPhaseID}
	if o := in.Options; o != nil {
		asked.Mode, asked.MaxSeconds, asked.Language = o.Mode, o.MaxSeconds, o.Language
	}

	return asked
}

// continuation tells agent-svc what it needs to take a phase up again whose process has died.
func (a *API) continuation(c *gin.Context) error {
	id, err := httpx.PathID(c, "phaseId")
	if err != nil {
		return err
	}
	if tenantOf(c) == "" {
		return errs.ErrNotFound
	}
	p, err := a.Phases.Records.Get(c.Request.Context(), tenantOf(c), id)
	if err != nil {
		return err
	}

	out := api.Continuation{
		Fingerprint: p.RequestSHA256, Attempt: p.Attempt, Status: p.Status, Spent: p.Spent(), Caller: p.Caller,
		Task: api.AgentTask{
			SessionID:     p.SessionID,
			SeedPhase:     api.SeedPhase{PhaseID: p.ID, BranchID: p.BranchID},
			ContainerID:   p.ContainerID,
			ContainerType: p.ContainerType,
			RequestType:   p.RequestType,
			Prompt:        p.Prompt,
			FileIDs:       p.FileIDs,
			Options: &api.TaskOptions{
				Mode:       p.Asked.Mode,
				MaxSeconds: p.Asked.MaxSeconds,
				Language:   p.Asked.Language,
			},
		},
	}
	// Phases from before callers were kept have none, and cannot be taken up in anybody's name.
	if p.Caller.Kind != "" {
		out.Voucher, err = a.Vouch(authn.Continuation{Caller: p.Caller, Phase: access.Phase{
			PhaseID:       p.ID,
			RequestType:   p.RequestType,
			ContainerType: p.ContainerType,
			ContainerID:   p.ContainerID,
			TimelineID:    p.TimelineID,
		}})
		if err != nil {
			return err
		}
	}

	return httpx.JSON(c, http.StatusOK, out)
}

// leaveLine takes a queued phase out of the line.
func (a *API) leaveLine(c *gin.Context) error {
	params, err := httpx.Query(c, "waiter")
	if err != nil {
		return err
	}
	id, err := a.kept(c)
	if err != nil {
		return err
	}

	return done(c, a.Phases.Leave(c.Request.Context(), tenantOf(c), id, params["waiter"]))
}

// Bounds of a list of open phases.
const (
	maxOpen     = 1000
	usualOpen   = 100
	longestOpen = 24 * time.Hour
)

// openPhases lists the phases of all tenants whose process may be gone, in pages.
func (a *API) openPhases(c *gin.Context) error {
	params, err := httpx.Query(c, "limit", "cursor", "runningFor")
	if err != nil {
		return err
	}
	limit := usualOpen
	if s, ok := params["limit"]; ok {
		if limit, err = httpx.Number(s); err != nil || limit < 1 || limit > maxOpen {
			return httpx.Parameter("limit", "must be 1 to 1000")
		}
	}
	var while time.Duration
	if s, ok := params["runningFor"]; ok {
		if while, err = time.ParseDuration(s); err != nil || while < 0 || while > longestOpen {
			return httpx.Parameter("runningFor", "must be a duration of at most 24h, such as 9s")
		}
	}
	at, err := a.Cursors.Place(params["cursor"], "open-phases")
	if err != nil {
		return err
	}
	now := a.Phases.Now()
	open, err := a.Phases.Records.Open(c.Request.Context(), now, at, limit+1) // one more tells whether a page follows
	if err != nil {
		return err
	}

	out := api.OpenPages{Items: []api.OpenPhase{}}

	for _, p := range open[:min(limit, len(open))] {
		// It is left out of the page but not of the cursor, so a page can be shorter than its limit.
		if p.Status == phases.Running && now.Sub(p.Since) < while {
			continue
		}
		item := api.OpenPhase{
			Tenant:    p.Tenant,
			PhaseID:   p.ID,
			Attempt:   p.Attempt,
			Status:    p.Status,
			Since:     api.At(p.Since),
			StartedAt: api.At(p.StartedAt),
			EndSeq:    p.Stream.EndSeq,
			Due:       p.Due(now),
			Last:      p.OnLast(),
			Spent:     p.Spent(),
		}
		if item.Due && item.Last {
			item.AloneMs = p.AloneFor().Milliseconds()
		}
		out.Items = append(out.Items, item)
	}
	if len(open) > limit {
		last := open[limit-1]
		next := a.Cursors.Next(cases.Cursor{Time: last.Since, ID: last.ID}, "open-phases")
		out.NextCursor = &next
	}

	return httpx.JSON(c, http.StatusOK, out)
}
