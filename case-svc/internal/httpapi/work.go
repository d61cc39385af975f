package httpapi

import (
	"net/http"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/case-svc/internal/checklist"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/deeplink"
	"github.com/subrosa-legal/subrosa/pkg/httpauth"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
)

// mountWork lays the routes of branches and phases.
func (a *API) mountWork(r *gin.Engine, fail func(*gin.Context, error)) {
	v1 := r.Group("/v1", httpauth.Require(fail, access.Outside()...), httpx.NoStore)
	v1.POST("/branch", a.handle("branch.create", "branch", a.createBranch))
	v1.GET("/branch/:branchId", a.handle("branch.read", "branch", a.getBranch))
	v1.GET("/phases", a.handle("phase.read", "phase", a.listPhases))
	v1.POST("/phases/:phaseId/review", a.handle("phase.review", "phase", a.people(deeplink.Review, a.reviewPhase)))
	v1.GET("/workspace/:containerType/:containerId", a.handle("workspace.read", "container", a.getWorkspace))
	v1.GET("/timeline/:timelineId", a.handle("timeline.read", "timeline", a.getTimeline))
	v1.POST("/timeline/:timelineId/entries", a.handle("entry.create", "timeline", a.createEntry))
	v1.PATCH(
		"/timeline/:timelineId/entries/:entryId",
		a.handle("entry.update", "entry", a.people(deeplink.Review, a.patchEntry)),
	)
	v1.PATCH("/branch/:branchId", a.handle("branch.update", "branch", a.patchBranch))

	in := r.Group("/internal", httpauth.Require(fail, access.Outside()...), httpx.NoStore)
	in.POST("/timeline/:timelineId/entries", a.handle("entry.propose", "timeline", a.proposeEntries))
	in.POST("/cases/:caseId/scope", a.handle("scope.check", "case", a.checkScope))
	own := r.Group("/internal", httpauth.Require(fail, access.Service), httpx.NoStore)
	own.PUT("/grants/:inviteId", a.handle("grant.put", "invite", a.putGrant))
}

// getChecklist compares the documents of a case with those that its stage expects, for a run.
// getClearedWords answers those who may read the case what people have cleared in its files.
func (a *API) getClearedWords(c *gin.Context) error {
	kase, err := a.readable(c)
	if err != nil {
		return err
	}
	words, err := a.Intake.ClearedWords(c.Request.Context(), kase.Tenant, kase.ID)
	if err != nil {
		return err
	}

	return httpx.JSON(c, http.StatusOK, api.AllowedWords{Words: filled(words)})
}

func (a *API) getChecklist(c *gin.Context) error {
	kase, err := a.readable(c)
	if err != nil {
		return err
	}
	types, err := a.Work.DocTypes.DocTypes(c.Request.Context(), kase.Tenant, kase.ID)
	if err != nil {
		return err
	}
	found := checklist.Of(kase, types)

	return httpx.JSON(c, http.StatusOK, api.DocumentChecklist{
		Phase: found.Phase, Present: filled(found.Present), Missing: filled(found.Missing),
	})
}
