package httpapi

import (
	"net/http"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/phases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/rights"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/deeplink"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
	"github.com/subrosa-legal/subrosa/pkg/idempotency"
	"github.com/subrosa-legal/subrosa/pkg/validate"
)

// newBranch is the body of POST /v1/branch.
type newBranch struct {
	TimelineID     string `json:"timelineId"`
	FromPhaseID    string `json:"fromPhaseId"`
	ParentBranchID string `json:"parentBranchId"`
	Title          string `json:"title"`
	Purpose        string `json:"purpose"`
}

// workRequest is the request type whose rights whoever forks in a container of this type needs.
var workRequest = map[string]string{
	phases.CaseContainer:    phases.CaseReq,
	phases.SupportContainer: phases.SupportReq,
	phases.SalesContainer:   phases.SalesReq,
}

func (a *API) createBranch(c *gin.Context) error {
	if _, err := httpx.Query(c); err != nil {
		return err
	}
	var body newBranch
	if err := httpx.Decode(c, &body); err != nil {
		return httpx.LinkRefusal(err, a.Links.To(deeplink.AddIdentity, ""))
	}
	if body.TimelineID == "" {
		var f validate.List
		f.Add("timelineId", "must be given")

		return f.Err()
	}
	_, box, err := a.Phases.Located(c.Request.Context(), tenantOf(c), body.TimelineID)
	if err != nil {
		return err
	}
	if err := rights.Run(callerOf(c), workRequest[box.Type]); err != nil {
		return err
	}

	asked := request(c, "POST /v1/branch", body)

	return a.Idempotency.Serve(c, asked, func(m idempotency.Mark) (idempotency.Answer, error) {
		// The body is part of the id: what a crash left may be completed by the same request only.
		return a.fork(c, box, madeBy(m, "branch", box.Tenant, m.Name, m.Fingerprint), body)
	})
}

func (a *API) fork(c *gin.Context, box phases.Container, id string, body newBranch) (idempotency.Answer, error) {
	b, err := a.Phases.Fork(c.Request.Context(), actorOf(c), box, phases.Fork{
		ID: id, FromPhaseID: body.FromPhaseID, ParentID: body.ParentBranchID, Title: body.Title, Purpose: body.Purpose,
	})
	if err != nil {
		return idempotency.Answer{}, err
	}
	wire, err := a.wholeBranch(c, b)
	if err != nil {
		return idempotency.Answer{}, err
	}
	out, _, err := document(wire)

	return idempotency.Answer{
		Status:   http.StatusCreated,
		Location: "/v1/branch/" + b.ID,
		ETag:     httpx.ETag(b.Version),
		Body:     out,
	}, err
}

// wholeBranch is a branch on the wire with its lineage and the phase that runs on it.
func (a *API) wholeBranch(c *gin.Context, b phases.Branch) (api.Branch, error) {
	ctx := c.Request.Context()
	running, err := a.running(c, b.Tenant, b.ContainerID)
	if err != nil {
		return api.Branch{}, err
	}
	ancestors, err := a.Phases.Ancestors(ctx, b)
	if err != nil {
		return api.Branch{}, err
	}
	if metadataOnly(c, b.ContainerType) {
		b.Title, ancestors = "", bareBranches(ancestors)
	}

	out := branchOf(shownTo(c, b), running[b.ID])
	for i, step := range b.Lineage {
		out.Lineage = append(out.Lineage, api.LineageStep{
			BranchID:    step.BranchID,
			Title:       shownTo(c, ancestors[i]).Title,
			ForkPhaseID: optional(ancestors[i].ForkPhaseID),
			PhaseCount:  step.Through,
		})
	}
	out.Lineage = append(out.Lineage, api.LineageStep{
		BranchID:    b.ID,
		Title:       b.Title,
		ForkPhaseID: optional(b.ForkPhaseID),
		PhaseCount:  out.OwnPhaseCount,
	})

	return out, nil
}

// running returns the phases of a container that have not ended, by branch.
func (a *API) running(c *gin.Context, tenant string, containerID string) (map[string]string, error) {
	open, err := a.Phases.Records.OpenIn(c.Request.Context(), tenant, containerID)
	return runningOn(open), err
}

func runningOn(open []phases.Phase) map[string]string {
	on := map[string]string{}
	for _, p := range open {
		on[p.BranchID] = p.ID
	}

	return on
}

func optional(s string) *string {
	if s == "" {
		return nil
	}

	return &s
}

// branchOf is a branch on the wire, without its lineage. running is the phase on it that has not ended, or "".
func branchOf(b phases.Branch, running string) api.Branch {
	out := api.Branch{
		BranchID:            b.ID,
		Version:             int(b.Version),
		TimelineID:          b.TimelineID,
		ContainerType:       b.ContainerType,
		ContainerID:         b.ContainerID,
		Title:               b.Title,
		Purpose:             b.Purpose,
		ParentBranchID:      optional(b.ParentID),
		ForkPhaseID:         optional(b.ForkPhaseID),
		HeadPhaseID:         optional(b.HeadPhaseID),
		RunningPhaseID:      optional(running),
		Status:              api.BranchActive,
		OwnPhaseCount:       b.HeadSequence,
		InheritedPhaseCount: b.Inherited(),
		Depth:               b.Depth,
		SharedWithInviteIDs: filled(b.SharedWith),
		CreatedBy:           api.Actor(b.CreatedBy),
		CreatedAt:           api.At(b.CreatedAt),
		UpdatedAt:           api.At(b.UpdatedAt),
	}
	if running != "" {
		out.OwnPhaseCount++
	}
	if b.Archived {
		out.Status = api.BranchArchived
	}

	return out
}

// branchSummaryOf is a branch in a list.
func branchSummaryOf(b phases.Branch, running string) api.BranchSummary {
	w := branchOf(b, running)

	return api.BranchSummary{
		BranchID:            w.BranchID,
		Version:             w.Version,
		Title:               w.Title,
		Purpose:             w.Purpose,
		ParentBranchID:      w.ParentBranchID,
		ForkPhaseID:         w.ForkPhaseID,
		HeadPhaseID:         w.HeadPhaseID,
		RunningPhaseID:      w.RunningPhaseID,
		Status:              w.Status,
		OwnPhaseCount:       w.OwnPhaseCount,
		InheritedPhaseCount: w.InheritedPhaseCount,
		Depth:               w.Depth,
		CreatedAt:           w.CreatedAt,
		UpdatedAt:           w.UpdatedAt,
	}
}

// branch returns the branch of the path, for a caller who may read its container, if only its metadata.
func (a *API) branch(c *gin.Context) (phases.Branch, phases.Container, error) {
	id, err := httpx.PathID(c, "branchId")
	if err != nil {
		return phases.Branch{}, phases.Container{}, err
	}
	b, box, err := a.Phases.Grown(c.Request.Context(), tenantOf(c), id)
	if err == nil {
		err = rights.SeeContainer(callerOf(c), box.Type)
	}

	return b, box, err
}

func (a *API) getBranch(c *gin.Context) error {
	if _, err := httpx.Query(c); err != nil {
		return err
	}
	b, _, err := a.branch(c)
	if err != nil {
		return err
	}
	wire, err := a.wholeBranch(c, b)
	if err != nil {
		return err
	}
	// A phase that begins does not change the branch's version; whoever asks while it runs is told in any case.
	if wire.RunningPhaseID == nil && httpx.Unchanged(c, httpx.ETag(b.Version)) {
		return nil
	}
	c.Header("ETag", httpx.ETag(b.Version))

	return httpx.JSON(c, http.StatusOK, wire)
}

// branchPatch is the body of PATCH /v1/branch/{branchId}.
type branchPatch struct {
	Title  given[string] `json:"title"`
	Status given[string] `json:"status"`
}

func (a *API) patchBranch(c *gin.Context) error {
	if _, err := httpx.Query(c); err != nil {
		return err
	}
	b, box, err := a.branch(c)
	if err != nil {
		return err
	}
	caller := callerOf(c)
	if err := rights.WriteEntries(caller, box.Type); err != nil {
		return err
	}
	var body branchPatch
	if err := decodeMerge(c, &body); err != nil {
		return httpx.LinkRefusal(err, a.linkTo(deeplink.AddIdentity, box))
	}
	if body.Status.present && caller.Kind != access.User {
		return cases.ErrHuman.WithDeepLink(a.linkTo(deeplink.CaseSettings, box))
	}
	change, err := body.revision()
	if err != nil {
		return err
	}
	b, err = a.Phases.Revise(c.Request.Context(), actorOf(c), box, b.ID, httpx.IfMatch(c), change)
	if err != nil {
		return err
	}
	wire, err := a.wholeBranch(c, b)
	if err != nil {
		return err
	}
	c.Header("ETag", httpx.ETag(b.Version))

	return httpx.JSON(c, http.StatusOK, wire)
}

func (p branchPatch) revision() (phases.Revision, error) {
	var f validate.List
	r := phases.Revision{Title: p.Title.required("title", &f)}
	if status := p.Status.required("status", &f); status != nil {
		f.OneOf("status", *status, api.BranchActive, api.BranchArchived)
		archived := *status == api.BranchArchived
		r.Archived = &archived
	}

	return r, f.Err()
}

// linkTo returns the address for an action in a container.
func (a *API) linkTo(action string, box phases.Container) string {
	if box.Type == phases.CaseContainer {
		return a.Links.To(action, box.ID)
	}

	return a.Links.ToContainer(action, box.ID)
}
