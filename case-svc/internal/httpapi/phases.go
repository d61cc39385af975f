package httpapi

import (
	"cmp"
	"context"
	"net/http"
	"regexp"
	"slices"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/phases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/rights"
	"github.com/subrosa-legal/subrosa/case-svc/internal/settings"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
	"github.com/subrosa-legal/subrosa/pkg/ids"
	"github.com/subrosa-legal/subrosa/pkg/strictjson"
	"github.com/subrosa-legal/subrosa/pkg/validate"
)

// maxDocument bounds the body that holds an answer of the agent, in bytes: an event of 1 MiB and what goes with it.
const maxDocument = 2 << 20

// decodeDocument is httpx.Decode for such a body.
func decodeDocument(c *gin.Context, v any) error {
	if c.ContentType() != "application/json" {
		return httpx.ErrMediaType
	}
	body, err := httpx.ReadBody(c, maxDocument)
	if err != nil {
		return err
	}

	return strictjson.Decode(body, v)
}

func (a *API) beginPhase(c *gin.Context) error {
	var in api.BeginPhase
	if err := httpx.Decode(c, &in); err != nil {
		return err
	}
	in.TakeHints(c.Request.Header.Values(api.BeginHints))
	caller := callerOf(c)
	if caller.Kind == access.Service || !caller.WorksOn(in.PhaseID) {
		return access.ErrForbidden // a phase is always somebody's
	}
	if err := rights.Run(caller, in.RequestType); err != nil {
		return err
	}
	tenant := tenantOf(c)
	var own settings.Settings
	var beside func(context.Context) error
	// Only these two need the settings of the firm, which are read while the container is.
	if !in.Plain && (in.RequestType == api.EvalReq || in.RequestType == api.CaseReq) {
		beside = func(ctx context.Context) (err error) { own, err = a.Settings.Get(ctx, tenant); return err }
	}
	begun, err := a.Phases.Begin(c.Request.Context(), tenant, actorOf(c), phases.Begin{
		PhaseID:       in.PhaseID,
		SessionID:     in.SessionID,
		BranchID:      in.BranchID,
		ParentID:      in.ParentPhaseID,
		ContainerType: in.ContainerType,
		ContainerID:   in.ContainerID,
		RequestType:   in.RequestType,
		Prompt:        in.Prompt,
		FileIDs:       in.FileIDs,
		Fingerprint:   in.Fingerprint,
		Engine:        engineFrom(in.Engine),
		Caller:        caller,
		Asked:         askedOf(in),
		Waiter:        in.Waiter,
		Hold:          in.Hold,
		Pass:          in.Pass,
		Turn:          turnOf(in.A2A),
		Alone:         time.Duration(in.AloneMs) * time.Millisecond,
		Beside:        beside,
		Fresh:         in.Fresh,
	})
	if err != nil {
		return err
	}
	out := api.BegunPhase{Run: begun.Run, Place: begun.Place, Ahead: begun.Ahead}
	if out.Phase, err = phaseOf(begun.Phase); err != nil {
		return err
	}
	if out.Container, err = containerOf(begun.Container); err != nil {
		return err
	}

	switch {
	case in.Plain:
	case in.RequestType == api.EvalReq:
		out.Container.TierCutPoints = own.TierCutPoints[:]
	case in.RequestType == api.CaseReq:
		out.Container.DeadlineRules = deadlineRulesFor(own.DeadlineRules, out.Container.Case)
	}

	return httpx.JSON(c, http.StatusOK, out)
}

func turnOf(in *api.A2ABegin) *phases.Turn {
	if in == nil {
		return nil
	}

	return &phases.Turn{
		TaskID: in.TaskID, ContextID: in.ContextID, MessageID: in.MessageID, Index: in.Turn, Print: in.Print,
		Unread: in.Unread,
	}
}

// deadlineRulesFor returns what of a tenant's rule file may apply to a case: what is of the United States, where
// federal courts are, and what is of its own jurisdiction; nil when nothing is.
func deadlineRulesFor(file *settings.RuleFile, kase *api.Case) *api.DeadlineRules {
	if file == nil || kase == nil {
		return nil
	}
	elsewhere := func(jurisdiction string) bool { return jurisdiction != "US" && jurisdiction != kase.Jurisdiction }
	all := deadlineRulesOf(*file)
	all.Rules = slices.DeleteFunc(all.Rules, func(r api.DeadlineRule) bool { return elsewhere(r.Jurisdiction) })
	all.Holidays = slices.DeleteFunc(all.Holidays, func(h api.HolidayList) bool { return elsewhere(h.Jurisdiction) })
	if len(all.Rules) == 0 && len(all.Holidays) == 0 {
		return nil
	}

	return all
}

// visiblePhase returns a phase if the caller may read its container.
func (a *API) visiblePhase(c *gin.Context, id string) (phases.Phase, error) {
	return a.phaseFor(c, id, rights.ReadContainer)
}

// phaseFor returns a phase if may lets the caller at containers of its container's type.
func (a *API) phaseFor(c *gin.Context, id string, may func(access.Caller, string) error) (phases.Phase, error) {
	caller, ctx, tenant := callerOf(c), c.Request.Context(), tenantOf(c)
	if tenant == "" {
		return phases.Phase{}, errs.ErrNotFound
	}
	p, err := a.Phases.Records.Get(ctx, tenant, id)
	// The service that keeps the runs has to reach phases of cases that were deleted under them.
	if err != nil || caller.Kind == access.Service {
		return p, err
	}
	if err := may(caller, p.ContainerType); err != nil {
		return phases.Phase{}, err
	}
	_, err = a.Phases.Container(ctx, tenant, p.ContainerType, p.ContainerID) // gone with a deleted case

	return p, err
}

func (a *API) getPhase(c *gin.Context) error {
	p, err := a.visiblePhase(c, c.Param("phaseId"))
	if err != nil {
		return err
	}

	return writePhase(c, p)
}

func writePhase(c *gin.Context, p phases.Phase) error {
	out, err := phaseOf(seenPhase(c, p))
	if err != nil {
		return err
	}

	return httpx.JSON(c, http.StatusOK, out)
}

// kept returns the id of a phase whose run the caller may end or interrupt. A case that was deleted meanwhile does not
// matter: the branch must be freed.
func (a *API) kept(c *gin.Context) (string, error) {
	id, err := httpx.PathID(c, "phaseId")
	if err != nil {
		return "", err
	}
	if tenantOf(c) == "" {
		return "", errs.ErrNotFound
	}
	kind, err := a.Phases.TypeOf(c.Request.Context(), tenantOf(c), id)
	if err != nil {
		return "", err
	}

	return id, rights.KeepPhases(callerOf(c), kind)
}

func (a *API) endPhase(c *gin.Context) error {
	var in api.EndPhase
	if err := decodeDocument(c, &in); err != nil {
		return err
	}
	id, err := a.kept(c)
	if err != nil {
		return err
	}
	outcome, err := outcomeOf(in)
	if err != nil {
		return err
	}
	p, err := a.Phases.End(c.Request.Context(), tenantOf(c), actorOf(c), id, outcome)
	if err != nil {
		return err
	}

	return writePhase(c, p)
}

func (a *API) interruptPhase(c *gin.Context) error {
	var in api.InterruptPhase
	if err := httpx.Decode(c, &in); err != nil {
		return err
	}
	id, err := a.kept(c)
	if err != nil {
		return err
	}
	end := a.Phases.Interrupt
	if in.HandedOver {
		end = a.Phases.HandOver
	}

	p, did, err := end(c.Request.Context(), tenantOf(c), actorOf(c), id, in.Attempt)
	if err != nil {
		return err
	}
	out, err := phaseOf(seenPhase(c, p))
	if err != nil {
		return err
	}

	return httpx.JSON(c, http.StatusOK, api.InterruptedPhase{Phase: out, Interrupted: did})
}

func (a *API) getContainer(c *gin.Context) error {
	id, err := httpx.PathID(c, "containerId")
	if err != nil {
		return err
	}
	kind := c.Param("containerType")
	if kind != api.ContainerCase && kind != api.ContainerSupport && kind != api.ContainerSales {
		return httpx.Parameter("containerType", "must be case, support or sales")
	}
	if err := rights.ReadContainer(callerOf(c), kind); err != nil {
		return err
	}
	box, err := a.Phases.Container(c.Request.Context(), tenantOf(c), kind, id)
	if err != nil {
		return err
	}
	out, err := containerOf(box)
	if err != nil {
		return err
	}

	return httpx.JSON(c, http.StatusOK, out)
}

func (a *API) recordEvaluation(c *gin.Context) error {
	var in api.RecordEvaluation
	if err := decodeDocument(c, &in); err != nil {
		return err
	}
	id, err := httpx.PathID(c, "caseId")
	if err != nil {
		return err
	}
	if err := rights.RunCase(callerOf(c)); err != nil {
		return err
	}
	ctx, tenant := c.Request.Context(), tenantOf(c)
	p, err := a.Phases.Records.Get(ctx, tenant, in.PhaseID)
	if err != nil {
		return err
	}

	switch {
	// A run writes into the case of its own phase and no other, whatever the path says.
	case p.ContainerID != id || p.RequestType != phases.EvalReq || !access.CallerFrom(ctx).WorksOn(p.ID):
		return errs.ErrNotFound
	// An attempt that was taken over may still be alive. Its evaluation is not the one that readers are shown.
	case !p.InAttempt(cmp.Or(in.Attempt, 1)):
		return phases.ErrTransition
	}
	found, err := complexityOf(in)
	if err != nil {
		return err
	}
	kase, err := a.Cases.Record(
		ctx,
		tenant,
		actorOf(c),
		id,
		found,
		in.Evaluation.Suggested.Title,
		evaluationWords("evaluation", in.Evaluation)...,
	)
	if err != nil {
		return err
	}
	wire, err := caseOf(kase, callerOf(c))
	if err != nil {
		return err
	}

	return httpx.JSON(c, http.StatusOK, wire)
}

func complexityOf(in api.RecordEvaluation) (cases.Complexity, error) {
	e := in.Evaluation
	x := cases.Complexity{PhaseID: in.PhaseID, Score: e.Score, Urgent: e.Urgent}
	var f validate.List
	if e.Tier != nil {
		if x.Tier = *e.Tier; x.Tier < 1 || x.Tier > 4 {
			f.Add("evaluation.tier", "must be 1 to 4, or null")
		}
	}
	if e.Score < 0 || e.Score > 100 {
		f.Add("evaluation.score", "must be 0 to 100")
	}
	if err := f.Err(); err != nil {
		return x, err
	}
	var err error
	// The evaluation is kept as it goes out, so that its digest can be checked by whoever reads it.
	x.Body, x.SHA256, err = document(e)

	return x, err
}

// word is the form of what names an action or a type in the audit record.
var word = regexp.MustCompile(`^[a-z][a-z0-9_.:-]{0,63}$`)

func (a *API) recordRefusal(c *gin.Context) error {
	var in api.RecordRefusal
	if err := httpx.Decode(c, &in); err != nil {
		return err
	}
	tenant := tenantOf(c)
	var f validate.List
	// Both names come from another service and stay in the record for good, so they must not hold text of anybody.
	if !word.MatchString(in.Action) {
		f.Add("action", "must be a word such as prompt.refused")
	}
	if !word.MatchString(in.ResourceType) {
		f.Add("resourceType", "must be a word such as phase")
	}
	if in.ResourceID != "" && !ids.Valid(in.ResourceID) {
		f.Add("resourceId", "must be a UUID in lower case, or absent")
	}
	if err := f.Err(); err != nil {
		return err
	}
	if tenant == "" {
		return errs.ErrNotFound // no tenant, no chain
	}
	entry := audit.Entry{
		Tenant: tenant, Actor: actorOf(c), Action: in.Action,
		ResourceType: in.ResourceType, ResourceID: in.ResourceID, Outcome: audit.Refused,
	}
	if err := a.Journal.Record(c.Request.Context(), entry); err != nil {
		return err
	}
	c.Status(http.StatusNoContent)
	c.Writer.WriteHeaderNow()

	return nil
}
