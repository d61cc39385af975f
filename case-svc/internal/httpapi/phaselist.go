package httpapi

import (
	"slices"
	"strings"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/phases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/rights"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
	"github.com/subrosa-legal/subrosa/pkg/ids"
	"github.com/subrosa-legal/subrosa/pkg/vocabulary"
)

var phaseParameters = []string{
	"phaseId", "branchId", "mine", "containerId", "includeInherited", "status", "requestType", "reviewStatus",
	"since", "order", "view", "cursor", "limit",
}

// listPhases answers one phase, the phases that a branch sees, or those of the caller's user.
func (a *API) listPhases(c *gin.Context) error {
	params, err := httpx.Query(c, phaseParameters...)
	if err != nil {
		return err
	}
	if id, ok := params["phaseId"]; ok {
		if len(params) > 1 {
			return httpx.Parameter("phaseId", "must be the only parameter: it asks for one phase")
		}

		return a.onePhase(c, id)
	}
	mine, err := httpx.Flag(params, "mine")
	if err != nil {
		return err
	}
	q, err := phaseQuery(params)
	if err != nil {
		return err
	}
	if mine {
		return a.listMine(c, params, q)
	}

	return a.listLine(c, params, q)
}

func (a *API) onePhase(c *gin.Context, id string) error {
	p, err := a.phaseFor(c, id, rights.SeeContainer)
	if err != nil || httpx.Unchanged(c, httpx.ETag(p.Version)) {
		return err
	}

	return writePhase(c, p)
}

// phaseListQuery is what lists of phases have in common.
type phaseListQuery struct {
	phases.LineQuery
	summary bool
}

func phaseQuery(params map[string]string) (q phaseListQuery, err error) {
	if q.Limit, err = httpx.Limit(params); err != nil {
		return q, err
	}
	q.Inherited = true
	if _, ok := params["includeInherited"]; ok {
		if q.Inherited, err = httpx.Flag(params, "includeInherited"); err != nil {
			return q, err
		}
	}
	if q.Statuses, err = listed(params, "status", vocabulary.PhaseStatuses.All()...); err != nil {
		return q, err
	}
	if q.RequestTypes, err = listed(params, "requestType", vocabulary.RequestTypes.All()...); err != nil {
		return q, err
	}
	if q.ReviewStatus, err = choice(params, "reviewStatus", "", vocabulary.ReviewStatuses.All()...); err != nil {
		return q, err
	}
	if q.Since, err = moment(params, "since"); err != nil {
		return q, err
	}
	way, err := choice(params, "order", "asc", "desc")
	if err != nil {
		return q, err
	}
	view, err := choice(params, "view", "full", "summary")
	if err != nil {
		return q, err
	}
	q.Descending, q.summary = way == "desc", view == "summary"
	q.Brief = q.summary

	return q, nil
}

// choice reads a parameter that is one of some words; the first of them is the default.
func choice(params map[string]string, name, byDefault string, others ...string) (string, error) {
	s, ok := params[name]
	switch {
	case !ok:
		return byDefault, nil
	case s != "" && (s == byDefault || slices.Contains(others, s)):
		return s, nil
	}
	if byDefault != "" {
		others = append([]string{byDefault}, others...)
	}

	return "", httpx.Parameter(name, "must be one of "+strings.Join(others, ", "))
}

// listed reads a comma list of words.
func listed(params map[string]string, name string, allowed ...string) ([]string, error) {
	s, ok := params[name]
	if !ok {
		return nil, nil
	}
	list := strings.Split(s, ",")
	if slices.ContainsFunc(list, func(w string) bool { return !slices.Contains(allowed, w) }) {
		return nil, httpx.Parameter(name, "must be a comma list of "+strings.Join(allowed, ", "))
	}

	return list, nil
}

// moment reads an instant; absent it is zero.
func moment(params map[string]string, name string) (time.Time, error) {
	s, ok := params[name]
	if !ok {
		return time.Time{}, nil
	}
	at, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		return time.Time{}, httpx.Parameter(name, "must be an instant such as 2026-03-04T05:06:07.089Z")
	}

	return at.UTC(), nil
}

// listLine answers the phases that a branch sees.
func (a *API) listLine(c *gin.Context, params map[string]string, q phaseListQuery) error {
	id, ok := params["branchId"]
	if !ok {
		return httpx.Parameter("branchId", "must be given, unless mine=true")
	}
	if _, ok := params["containerId"]; ok {
		return httpx.Parameter("containerId", "goes with mine=true only")
	}
	ctx := c.Request.Context()
	b, box, err := a.Phases.Grown(ctx, tenantOf(c), id)
	if err != nil {
		return err
	}
	if err := rights.SeeContainer(callerOf(c), box.Type); err != nil {
		return err
	}
	whole := list{Route: "phases", Tenant: b.Tenant, Scope: b.ID, Query: []any{q.Filter, q.Inherited, q.Descending}}
	if q.After, err = a.Cursors.Place(params["cursor"], whole); err != nil {
		return err
	}
	line := q.LineQuery
	line.Limit++ // one more tells whether a page follows
	found, err := a.Phases.Line(ctx, b, line)
	if err != nil {
		return err
	}

	return a.writePhases(c, q, whole, found, phases.PlaceOn, nil)
}

// listMine answers the phases of the caller's user, newest first, of containers that the caller may read.
func (a *API) listMine(c *gin.Context, params map[string]string, q phaseListQuery) error {
	for _, name := range []string{"branchId", "includeInherited", "order"} {
		if _, ok := params[name]; ok {
			return httpx.Parameter(name, "does not go with mine=true")
		}
	}
	caller, ctx, tenant := callerOf(c), c.Request.Context(), tenantOf(c)
	if q.ContainerTypes = readableTypes(caller); len(q.ContainerTypes) == 0 {
		return rights.ReadContainer(caller, phases.SupportContainer)
	}
	if id, ok := params["containerId"]; ok {
		if !ids.Valid(id) {
			return httpx.Parameter("containerId", "must be a UUID in lower case")
		}
		q.ContainerID = id
	}
	whole := list{Route: "phases of a user", Tenant: tenant, Scope: caller.UserID, Query: q.Filter}
	after, err := a.Cursors.Place(params["cursor"], whole)
	if err != nil {
		return err
	}
	found, err := a.Phases.Records.OfUser(ctx, tenant, caller.UserID, q.Filter, after, q.Limit+1)
	if err != nil {
		return err
	}
	held := map[string]bool{}

	for _, p := range found {
		if p.ContainerType == phases.CaseContainer {
			held[p.ContainerID] = true
		}
	}
	// Phases outlive the deletion of their case, which can be restored, and must not show what it said.
	living, err := a.Phases.Records.Living(ctx, tenant, keysOf(held))
	if err != nil {
		return err
	}
	place := func(p phases.Phase) cases.Cursor { return cases.Cursor{Time: p.CreatedAt, ID: p.ID} }
	gone := func(p phases.Phase) bool { return p.ContainerType == phases.CaseContainer && !living[p.ContainerID] }

	return a.writePhases(c, q, whole, found, place, gone)
}

func keysOf(set map[string]bool) []string {
	all := make([]string, 0, len(set))
	for k := range set {
		all = append(all, k)
	}
	slices.Sort(all)

	return all
}

// readableTypes returns the types of container that a caller may read.
func readableTypes(caller access.Caller) []string {
	all := []string{phases.CaseContainer, phases.SupportContainer, phases.SalesContainer}
	return slices.DeleteFunc(all, func(t string) bool { return rights.ReadContainer(caller, t) != nil })
}

// writePhases answers with a page of what was found, which is one more than the page when another follows. What is gone
// takes a place in its page, but is not shown.
func (a *API) writePhases(
	c *gin.Context, q phaseListQuery, whole list, found []phases.Phase,
	place func(phases.Phase) cases.Cursor, gone func(phases.Phase) bool,
) error {
	var next *string
	if len(found) > q.Limit {
		found = found[:q.Limit]
		cursor := a.Cursors.Next(place(found[q.Limit-1]), whole)
		next = &cursor
	}
	// The cursor is made before: it points into the store, where what is gone still has its place.
	if gone != nil {
		found = slices.DeleteFunc(found, gone)
	}
	found = seenPhases(c, found)
	if q.summary {
		page := api.Page[api.PhaseSummary]{Items: filled(summariesOf(found)), Limit: q.Limit}
		return httpx.Page(c, next, func(next *string) any { page.NextCursor = next; return page })
	}
	page := api.Page[api.Phase]{Items: []api.Phase{}, NextCursor: next, Limit: q.Limit}

	for _, p := range found {
		wire, err := phaseOf(p)
		if err != nil {
			return err
		}
		page.Items = append(page.Items, wire)
	}

	return httpx.Page(c, page.NextCursor, func(next *string) any { page.NextCursor = next; return page })
}

func summariesOf(list []phases.Phase) []api.PhaseSummary {
	var all []api.PhaseSummary
	for _, p := range list {
		all = append(all, summaryOf(p))
	}

	return all
}

// excerpt is how many code points of a prompt a summary shows.
const excerpt = 200

func summaryOf(p phases.Phase) api.PhaseSummary {
	review := reviewOf(p.Review)
	review.AmendedText, review.Comments = "", nil

	return api.PhaseSummary{
		PhaseID:       p.ID,
		BranchID:      p.BranchID,
		Sequence:      max(p.Sequence, 0),
		ContainerType: p.ContainerType,
		ContainerID:   p.ContainerID,
		RequestType:   p.RequestType,
		Prompt:        between(p.Prompt, 0, excerpt),
		Status:        p.Status,
		Attempt:       p.Attempt,
		Kind:          p.Kind,
		Review:        review,
		Engine:        engineOf(p.Engine),
		CreatedBy:     api.Actor(p.CreatedBy),
		CreatedAt:     api.At(p.CreatedAt),
		StartedAt:     api.Known(p.StartedAt),
		EndedAt:       api.Known(p.EndedAt),
	}
}
