package httpapi

import (
	"errors"
	"net/http"
	"slices"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/case-svc/internal/files"
	"github.com/subrosa-legal/subrosa/case-svc/internal/grants"
	"github.com/subrosa-legal/subrosa/case-svc/internal/phases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/rights"
	"github.com/subrosa-legal/subrosa/case-svc/internal/timeline"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
	"github.com/subrosa-legal/subrosa/pkg/validate"
	"github.com/subrosa-legal/subrosa/pkg/vocabulary"
)

// grantKey is under which a request carries the grant that it was resolved by.
const grantKey = "grant"

// grantOf returns the grant by which a partner reads, or nil for everybody else.
func grantOf(c *gin.Context) *grants.Grant {
	g, _ := c.Get(grantKey)
	found, _ := g.(*grants.Grant)

	return found
}

// partnerReads are the actions that an invited partner may take on what it sees. Parameters that would reach beyond its
// scope are refused.
var partnerReads = map[string][]string{
	"case.read":      {"include"},
	"case.list":      {"include"},
	"workspace.read": {},
	"timeline.read":  {},
	"branch.read":    {},
	"phase.read":     {},
	"file.list":      {"q"},
	"file.get":       {},
	"file.read":      {},
}

// resolved runs a handler, and once more as an invited partner when the caller is a person whose own tenant has not
// what is asked for and who has a grant for it. This is the one place at which a call leaves the tenant of its caller.
func (a *API) resolved(c *gin.Context, action string, h func(*gin.Context) error) error {
	err := h(c)
	caller := callerOf(c)
	refused := errors.Is(err, errs.ErrNotFound) || errors.Is(err, access.ErrForbidden)
	if caller.Kind != access.User || caller.Tenant == "" || !refused {
		return err
	}

	g, failed := a.Grants.Resolve(c.Request.Context(), caller.Tenant, caller.UserID, targetOf(c))
	switch {
	case errors.Is(failed, errs.ErrNotFound):
		return err
	case failed != nil:
		return failed
	}
	// A file outside of the scope is as unknown as before, and not forbidden.
	if id := c.Param("fileId"); id != "" && !slices.Contains(g.FileIDs, id) {
		return err
	}
	// From here on callerOf and tenantOf answer for the partner, in the tenant of the case.
	c.Set(grantKey, &g)
	beyond, reads := partnerReads[action]
	if !reads || slices.ContainsFunc(beyond, func(name string) bool { return c.Request.URL.Query().Has(name) }) {
		return access.ErrForbidden
	}

	return h(c)
}

// targetOf is what the path or the query of a call names.
func targetOf(c *gin.Context) grants.Target {
	query := c.Request.URL.Query()
	for _, t := range []grants.Target{
		{CaseID: c.Param("caseId")},
		{TimelineID: c.Param("timelineId")},
		{BranchID: c.Param("branchId")},
		{PhaseID: c.Param("phaseId")},
	} {
		if t != (grants.Target{}) {
			return t
		}
	}
	if id := c.Param("containerId"); id != "" {
		if c.Param("containerType") == api.ContainerCase {
			return grants.Target{CaseID: id}
		}

		return grants.Target{}
	}

	switch {
	case query.Has("phaseId"):
		return grants.Target{PhaseID: query.Get("phaseId")}
	case query.Has("branchId"):
		return grants.Target{BranchID: query.Get("branchId")}
	}

	return grants.Target{CaseID: query.Get("caseId")}
}

// asPartner is the caller of a request that was resolved by a grant: it reads in the tenant of the case, and nothing
// else.
func asPartner(caller access.Caller, g grants.Grant) access.Caller {
	return access.Caller{Kind: access.Partner, Tenant: g.Tenant, UserID: caller.UserID, Scopes: rights.PartnerScopes()}
}

// sharedOf narrows branches to those that the caller sees: a partner those of its scope, everybody else all.
func sharedOf(c *gin.Context, all []phases.Branch) []phases.Branch {
	g := grantOf(c)
	if g == nil {
		return all
	}

	return slices.DeleteFunc(all, func(b phases.Branch) bool { return !slices.Contains(g.BranchIDs, b.ID) })
}

// sightOf is what the caller sees of entries that belong to no chosen branch: nil for everything, and for a partner
// what is seen from the branches of its scope.
func sightOf(c *gin.Context, shared []phases.Branch) []timeline.Segment {
	if grantOf(c) == nil {
		return nil
	}

	all := []timeline.Segment{{Whole: true}} // of no branch: nothing
	// The segments of several branches overlap, which the store takes as one set.
	for _, b := range shared {
		all = append(all, timeline.Sight(b)...)
	}

	return all
}

// internalKinds are entries about the case itself, which partners do not see.
var internalKinds = []string{timeline.FileAdded, timeline.StatusChange, timeline.Invite}

// kindsFor narrows the kinds of entries that are asked for to those that the caller sees.
func kindsFor(c *gin.Context, asked []string) []string {
	if grantOf(c) == nil {
		return asked
	}
	if len(asked) == 0 {
		asked = vocabulary.EntryKinds.All()
	}
	shown := slices.DeleteFunc(slices.Clone(asked), func(k string) bool { return slices.Contains(internalKinds, k) })
	if len(shown) == 0 {
		return []string{"none"} // of no kind: nothing
	}

	return shown
}

// narrow keeps a list of files to the scope of a partner.
func narrow(c *gin.Context, q files.Query) files.Query {
	q.Unsealed = callerOf(c).Kind != access.User
	if g := grantOf(c); g != nil {
		q.IDs = filled(g.FileIDs)
	}

	return q
}

// quoted leaves out of a case on the wire what is the firm's own, and what it quotes from files that a partner does not
// see.
func quoted(c *gin.Context, k api.Case) api.Case {
	g := grantOf(c)
	if g == nil {
		return k
	}
	// The firm's own dates, numbers and references say more than the scope that it opened.
	k.NextDeadline, k.Counts, k.ExternalRef, k.Tags = nil, api.CaseCounts{}, "", []string{}
	k.Conflict = api.Conflict{Status: k.Conflict.Status}
	k.Retention = api.Retention{LegalHold: k.Retention.LegalHold, PolicyCode: k.Retention.PolicyCode}
	closed := closedTo(g)
	// The reason of a tier is the firm's own judgment of the matter.
	if k.Complexity != nil && k.Complexity.Override != nil {
		shown := *k.Complexity
		override := *shown.Override
		override.Reason = ""
		shown.Override = &override
		k.Complexity = &shown
	}
	if k.Complexity != nil && k.Complexity.Evaluation != nil {
		for i, factor := range k.Complexity.Breakdown {
			k.Complexity.Breakdown[i].Sources = slices.DeleteFunc(filled(factor.Sources), closed)
		}
	}
	if a := k.AmountInControversy; a != nil && a.Source != nil && closed(*a.Source) {
		shown := *a
		shown.Source = nil
		k.AmountInControversy = &shown
	}

	return k
}

// closedTo tells which sources a partner does not see.
func closedTo(g *grants.Grant) func(api.SourceRef) bool {
	return func(s api.SourceRef) bool { return !slices.Contains(g.FileIDs, s.FileID) }
}

// sourced leaves out of entries what they quote from files that a partner does not see.
func sourced(c *gin.Context, all []api.TimelineEntry) []api.TimelineEntry {
	g := grantOf(c)
	if g == nil {
		return all
	}

	closed := closedTo(g)
	for i := range all {
		all[i].Sources = slices.DeleteFunc(filled(all[i].Sources), closed)
		d := all[i].Deadline
		if d == nil || d.Computation == nil {
			continue
		}
		if trigger := d.Computation.TriggerSource; trigger == nil || !closed(*trigger) {
			continue
		}
		// The entry shares its deadline with what the store gave, so the copy is what loses its source.
		deadline, computation := *d, *d.Computation
		computation.TriggerSource = nil
		deadline.Computation = &computation
		all[i].Deadline = &deadline
	}

	return all
}

// shownTo leaves out of a branch which others it was shared with, and the title of one that the caller's scope does not
// name.
func shownTo(c *gin.Context, b phases.Branch) phases.Branch {
	if g := grantOf(c); g != nil {
		if !slices.Contains(g.BranchIDs, b.ID) {
			b.Title = ""
		}
		b.SharedWith = slices.DeleteFunc(slices.Clone(b.SharedWith), func(id string) bool { return id != g.InviteID })
	}

	return b
}

// putGrant opens or ends a grant in the tenant of the calling service's token.
func (a *API) putGrant(c *gin.Context) error {
	var in api.Grant
	if err := httpx.Decode(c, &in); err != nil {
		return err
	}
	tenant := tenantOf(c)
	if tenant == "" {
		return errs.ErrNotFound
	}
	if in.InviteID != c.Param("inviteId") {
		var f validate.List
		f.Add("inviteId", "must be that of the path")

		return f.Err()
	}
	err := a.Grants.Put(c.Request.Context(), actorOf(c), grants.Grant{
		PartnerTenant: in.PartnerTenant,
		UserID:        in.PartnerUserID,
		CaseID:        in.CaseID,
		Tenant:        tenant,
		InviteID:      in.InviteID,
		PartnerID:     in.PartnerID,
		BranchIDs:     in.BranchIDs,
		FileIDs:       in.FileIDs,
		Ended:         in.Ended,
	})

	return done(c, err)
}

// done answers 204 unless err is a failure.
func done(c *gin.Context, err error) error {
	if err == nil {
		c.Status(http.StatusNoContent)
		c.Writer.WriteHeaderNow()
	}

	return err
}

// checkScope tells whether a scope lies in a case.
func (a *API) checkScope(c *gin.Context) error {
	var in api.InviteScope
	if err := httpx.Decode(c, &in); err != nil {
		return err
	}
	id, err := httpx.PathID(c, "caseId")
	if err != nil {
		return err
	}
	caller := callerOf(c)
	if caller.Kind != access.Service {
		if err := rights.ReadContent(caller); err != nil {
			return err
		}
	}

	return done(c, a.Grants.CheckScope(c.Request.Context(), tenantOf(c), id, in.BranchIDs, in.FileIDs))
}
