package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"unicode/utf8"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/party-svc/internal/invites"
	"github.com/subrosa-legal/subrosa/party-svc/internal/parties"
	"github.com/subrosa-legal/subrosa/party-svc/internal/rights"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/deeplink"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
	"github.com/subrosa-legal/subrosa/pkg/idempotency"
	"github.com/subrosa-legal/subrosa/pkg/ids"
	"github.com/subrosa-legal/subrosa/pkg/inputgate"
	"github.com/subrosa-legal/subrosa/pkg/strictjson"
	"github.com/subrosa-legal/subrosa/pkg/validate"
	"github.com/subrosa-legal/subrosa/pkg/vocabulary"
)

// viewOf says how much of its own tenant's parties a caller sees.
func viewOf(caller access.Caller) view {
	if rights.Browser(caller) {
		return asBrowser
	}

	return asMachine
}

// browserFields are written by user sessions alone; for an agent even to name one is to reach for an identity.
var browserFields = []string{"identityRef", "sealed", "conflictTokens"}

// forBrowsers refuses the browser's fields from anybody else.
func (a *API) forBrowsers(caller access.Caller, given map[string]bool) error {
	if rights.Browser(caller) {
		return nil
	}
	var found []guard.Located

	for _, name := range browserFields {
		if given[name] {
			found = append(found, guard.Located{Path: name, Finding: guard.Finding{Kind: guard.KindOperation}})
		}
	}
	if len(found) == 0 {
		return nil
	}

	return guard.Refusal(a.Links.To(deeplink.AddIdentity, ""), found)
}

// decode reads a body into v and returns which fields it has.
func (a *API) decode(c *gin.Context, v any) (map[string]bool, error) {
	var raw json.RawMessage
	err := httpx.Decode(c, &raw)
	if err == nil {
		err = strictjson.Decode(raw, v)
	}
	if err != nil {
		return nil, httpx.LinkRefusal(err, a.Links.To(deeplink.AddIdentity, ""))
	}

	return present(raw), nil
}

func (a *API) createParty(c *gin.Context) error {
	caller := callerOf(c)
	if err := rights.WriteParties(caller); err != nil {
		return err
	}
	if _, err := httpx.Query(c); err != nil {
		return err
	}
	var body partyBody
	given, err := a.decode(c, &body)
	if err != nil {
		return err
	}
	if err := a.forBrowsers(caller, given); err != nil {
		return err
	}
	if body.CaseID == nil {
		var f validate.List
		f.Add("caseId", "must be the case that the party takes part in")

		return f.Err()
	}
	if !ids.Valid(*body.CaseID) {
		return errs.ErrNotFound
	}
	if err := a.ownCase(c, *body.CaseID); err != nil {
		return err
	}
	label := ""
	if body.Label != nil {
		if label = *body.Label; label == "" {
			return parties.ErrUnknownLabel
		}
	}

	return a.once(c, "POST /v1/parties", body, func(id, fingerprint string) (idempotency.Answer, error) {
		p, err := a.Parties.Create(
			c.Request.Context(), caller.Tenant, actorOf(c), id, fingerprint, *body.CaseID, label, body.draft(given),
		)
		if err != nil {
			return idempotency.Answer{}, err
		}
		answer, err := json.Marshal(partyOf(p, viewOf(caller)))

		return idempotency.Answer{
			Status:   http.StatusCreated,
			Location: "/v1/parties/" + p.ID,
			ETag:     httpx.ETag(p.Version),
			Body:     answer,
		}, err
	})
}

func (a *API) putParty(c *gin.Context) error {
	if _, err := httpx.Query(c); err != nil {
		return err
	}
	id, err := httpx.PathID(c, "partyId")
	if err != nil {
		return err
	}
	caller := callerOf(c)
	if err := rights.WriteParties(caller); err != nil {
		return err
	}
	var body putBody
	given, err := a.decode(c, &body)
	if err != nil {
		return err
	}
	if err := a.forBrowsers(caller, given); err != nil {
		return err
	}
	if err := body.check(id, given); err != nil {
		return err
	}
	if caller.Kind == access.User {
		if _, v, err := a.findParty(c, id); err != nil {
			return err
		} else if v == asPartner {
			return access.ErrForbidden
		}
	}
	p, err := a.Parties.Update(c.Request.Context(), caller.Tenant, actorOf(c), id, parties.Change{
		Draft: body.draft(given), Label: body.Label, CaseID: body.CaseID, Expected: httpx.IfMatch(c),
	})
	if err != nil {
		return err
	}
	c.Header("ETag", httpx.ETag(p.Version))

	return httpx.JSON(c, http.StatusOK, partyOf(p, viewOf(caller)))
}

func (a *API) getParty(c *gin.Context) error {
	if _, err := httpx.Query(c); err != nil {
		return err
	}
	id, err := httpx.PathID(c, "partyId")
	if err != nil {
		return err
	}
	p, v, err := a.findParty(c, id)
	if err != nil {
		return err
	}
	if _, err := a.Parties.Cases.Case(c.Request.Context(), p.CaseID); err != nil {
		return err
	}
	if httpx.Unchanged(c, httpx.ETag(p.Version)) {
		return nil
	}

	return httpx.JSON(c, http.StatusOK, partyOf(p, v))
}

// findParty returns a party of the caller's tenant, or of a case that a grant lets the caller into.
func (a *API) findParty(c *gin.Context, id string) (parties.Party, view, error) {
	ctx, caller := c.Request.Context(), callerOf(c)
	if err := rights.ReadParties(caller); err == nil {
		p, err := a.Parties.Store.Get(ctx, caller.Tenant, id)
		if err == nil || !errors.Is(err, parties.ErrNotFound) || caller.Kind != access.User {
			return p, viewOf(caller), err
		}
	} else if caller.Kind != access.User {
		return parties.Party{}, 0, err
	}
	p, err := a.grantedParty(ctx, seatOf(caller), id)
	if err == nil || !errors.Is(err, parties.ErrNotFound) {
		return p, asPartner, err
	}
	if err := rights.ReadParties(caller); err != nil {
		return parties.Party{}, 0, err
	}

	return parties.Party{}, 0, parties.ErrNotFound
}

// grantedParty returns a party of a case that a grant lets the seat into. However many grants there are, it takes three
// questions.
func (a *API) grantedParty(ctx context.Context, seat invites.Seat, id string) (parties.Party, error) {
	grants, err := a.Invites.GrantsOf(ctx, seat)
	if err != nil {
		return parties.Party{}, err
	}

	var tenants []string
	for _, g := range grants {
		if !slices.Contains(tenants, g.CaseTenant) {
			tenants = append(tenants, g.CaseTenant)
		}
	}
	found, err := a.Parties.Store.Under(ctx, tenants, id)
	if err != nil {
		return parties.Party{}, err
	}

	for _, p := range found {
		i := slices.IndexFunc(
			grants, func(g invites.Grant) bool { return g.CaseTenant == p.Tenant && g.CaseID == p.CaseID },
		)
		if i >= 0 {
			return p, a.Invites.Holds(ctx, grants[i])
		}
	}

	return parties.Party{}, parties.ErrNotFound
}

// partyQuery is a list of parties as it was asked for.
type partyQuery struct {
	parties.Filter
	Limit  int
	Cursor string
	Total  bool
}

func (a *API) partyQuery(c *gin.Context, caller access.Caller) (partyQuery, error) {
	if caller.Kind != access.User {
		if err := rights.ReadParties(caller); err != nil {
			return partyQuery{}, err
		}
	}
	params, err := httpx.Query(
		c, "caseId", "role", "side", "status", "isClient", "sealedKeyVersion", "q", "cursor", "limit", "includeTotal",
	)
	if err != nil {
		return partyQuery{}, err
	}
	q := partyQuery{Filter: parties.Filter{
		CaseID: params["caseId"],
		Role:   params["role"],
		Side:   params["side"],
		Status: params["status"],
	}, Cursor: params["cursor"]}
	q.Plain = !rights.Browser(caller)
	if q.Limit, err = httpx.Limit(params); err != nil {
		return q, err
	}
	if q.Total, err = httpx.Flag(params, "includeTotal"); err != nil {
		return q, err
	}
	if s, ok := params["sealedKeyVersion"]; ok {
		if q.Plain {
			return q, a.forPeople("sealedKeyVersion", "")
		}
		if q.SealedKeyVersion, err = httpx.Number(s); err != nil || q.SealedKeyVersion < 1 {
			return q, httpx.Parameter("sealedKeyVersion", "must be the version of a firm key, from 1")
		}
	}
	if _, ok := params["isClient"]; ok {
		is, err := httpx.Flag(params, "isClient")
		if err != nil {
			return q, err
		}
		q.IsClient = &is
	}
	if s, ok := params["q"]; ok {
		if utf8.RuneCountInString(s) > 200 {
			return q, httpx.Parameter("q", "must be at most 200 characters")
		}
		if err := inputgate.Check(
			c.Request.Context(),
			a.Gate,
			a.Links.To(deeplink.AddIdentity, ""),
			inputgate.Text{Channel: guard.Query, Path: "q", Value: s},
		); err != nil {
			return q, err
		}
		if q.Words = parties.Words(s); len(q.Words) == 0 {
			return q, httpx.Parameter("q", "must hold a word or a label")
		}
	}

	switch {
	case q.Role != "" && !vocabulary.PartyRoles.Has(q.Role):
		return q, httpx.Parameter("role", "must be a role such as plaintiff")
	case q.Side != "" && !vocabulary.PartySides.Has(q.Side):
		return q, httpx.Parameter("side", "must be ours, adverse, neutral or unknown")
	case q.Status != "" && !vocabulary.PartyStatuses.Has(q.Status):
		return q, httpx.Parameter("status", "must be active, dismissed, withdrawn or merged")
	}
	if id, ok := params["caseId"]; ok && !ids.Valid(id) {
		return q, errs.ErrNotFound
	}

	return q, nil
}

func (a *API) listParties(c *gin.Context) error {
	caller := callerOf(c)
	q, err := a.partyQuery(c, caller)
	if err != nil {
		return err
	}
	if q.CaseID != "" {
		g, granted, err := a.grant(c, q.CaseID)
		if err != nil {
			return err
		}
		if granted {
			// what partners do not see they do not search
			if q.Plain = true; q.SealedKeyVersion != 0 || len(q.Words) > 0 {
				return access.ErrForbidden
			}

			return a.writeParties(c, g.CaseTenant, q, asPartner)
		}
	}
	if err := rights.ReadParties(caller); err != nil {
		return err
	}

	return a.writeParties(c, caller.Tenant, q, viewOf(caller))
}

func (a *API) writeParties(c *gin.Context, tenant string, q partyQuery, v view) error {
	ctx := c.Request.Context()
	whole := []any{"parties", tenant, q.Filter, v}
	after, err := a.Cursors.Parties.Place(q.Cursor, whole...)
	if err != nil {
		return err
	}
	page, err := a.partyPage(c, tenant, q, after)
	if err != nil {
		return err
	}

	out := api.Page[api.Party]{Items: []api.Party{}, Limit: q.Limit}
	for _, p := range page.Parties {
		out.Items = append(out.Items, partyOf(p, v))
	}
	if q.Total {
		n, err := a.Parties.Store.Count(ctx, tenant, q.Filter, httpx.MaxTotal+1)
		if err != nil {
			return err
		}
		out.Total, out.TotalCapped = httpx.Capped(n)
	}
	var cursor *string
	if page.More {
		s := a.Cursors.Parties.Next(page.At, whole...)
		cursor = &s
	}

	return httpx.Page(c, cursor, func(next *string) any { out.NextCursor = next; return out })
}

// partyPage reads a page of one case, or of all that the caller sees.
func (a *API) partyPage(c *gin.Context, tenant string, q partyQuery, after *parties.Cursor) (parties.Page, error) {
	ctx := c.Request.Context()
	if q.CaseID == "" {
		return a.Parties.Everywhere(ctx, tenant, q.Filter, after, q.Limit, a.Visible)
	}
	if _, err := a.Parties.Cases.Case(ctx, q.CaseID); err != nil {
		return parties.Page{}, err
	}
	found, err := a.Parties.Store.List(ctx, tenant, q.Filter, after, q.Limit+1) // one more tells whether a page follows
	if err != nil {
		return parties.Page{}, err
	}
	page := parties.Page{Parties: found[:min(q.Limit, len(found))], More: len(found) > q.Limit}
	if page.More {
		last := found[q.Limit-1]
		page.At = parties.Cursor{CaseID: last.CaseID, Ordinal: last.Ordinal}
	}

	return page, nil
}

// maxRosterInvites bounds the invites of a roster.
const maxRosterInvites = 100

func (a *API) getRoster(c *gin.Context) error {
	params, err := httpx.Query(c, "parties")
	if err != nil {
		return err
	}
	id, err := httpx.PathID(c, "caseId")
	if err != nil {
		return err
	}
	most := 0
	if s, ok := params["parties"]; ok {
		if most, err = httpx.Number(s); err != nil || most < 0 || most > parties.MaxParties {
			return httpx.Parameter("parties", "must be 0 to 500")
		}
	}
	caller := callerOf(c)
	if caller.Tenant == "" {
		return access.ErrForbidden
	}
	asked := most
	if caller.Kind != access.Service && rights.ReadParties(caller) != nil {
		most = 0 // counts are no content
	}
	tenant, v := caller.Tenant, asMachine
	g, granted, err := a.grant(c, id)
	if err != nil {
		return err
	}
	if granted {
		tenant, v = g.CaseTenant, asPartner
		most = min(asked, parties.MaxParties)
	}
	r, err := a.Parties.Roster(c.Request.Context(), tenant, id, most)
	if err != nil {
		return err
	}
	open, err := a.Invites.OpenOnes(c.Request.Context(), tenant, id)
	if err != nil {
		return err
	}
	out := api.Roster{
		Parties:  []api.Party{},
		Invites:  []api.RosterInvite{},
		Counts:   api.RosterCounts{Parties: r.Active, Clients: []string{}},
		Conflict: api.RosterConflict{Tokens: r.Tokens, Hits: []api.ConflictHit{}},
	}

	out.Counts.Clients = append(out.Counts.Clients, r.Clients...)
	for _, p := range r.Parties {
		out.Parties = append(out.Parties, partyOf(p, v))
	}

	out.Counts.Invites = len(open)
	for _, i := range open[:min(len(open), maxRosterInvites)] {
		if !granted || i.ID == g.InviteID {
			out.Invites = append(
				out.Invites,
				api.RosterInvite{PartnerID: i.PartnerID, InviteID: i.ID, Status: i.StatusAt(a.Invites.Now())},
			)
		}
	}
	if granted { // a partner learns neither of other invites nor of other cases
		out.Counts.Invites, out.Conflict = len(out.Invites), api.RosterConflict{Hits: []api.ConflictHit{}}
		return httpx.JSON(c, http.StatusOK, out)
	}

	for _, h := range r.Hits {
		out.Conflict.Hits = append(out.Conflict.Hits, api.ConflictHit{CaseID: h.CaseID, Roles: h.Roles})
	}
	out.Conflict.Unlisted = r.Unlisted

	return httpx.JSON(c, http.StatusOK, out)
}
