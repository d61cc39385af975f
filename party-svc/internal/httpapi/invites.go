package httpapi

import (
	"encoding/json"
	"net/http"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/party-svc/internal/invites"
	"github.com/subrosa-legal/subrosa/party-svc/internal/rights"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/deeplink"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
	"github.com/subrosa-legal/subrosa/pkg/idempotency"
	"github.com/subrosa-legal/subrosa/pkg/ids"
	"github.com/subrosa-legal/subrosa/pkg/vocabulary"
)

// seatOf is where a person stands. Agents stand nowhere: an invite that was sent to a user is not their agent's.
func seatOf(caller access.Caller) invites.Seat {
	return invites.Seat{Tenant: caller.Tenant, UserID: caller.UserID, Member: caller.Member()}
}

func (a *API) createInvite(c *gin.Context) error {
	if _, err := httpx.Query(c); err != nil {
		return err
	}
	caseID, err := httpx.PathID(c, "caseId")
	if err != nil {
		return err
	}
	partnerID, err := httpx.PathID(c, "partnerId")
	if err != nil {
		return err
	}
	caller := callerOf(c)
	if err := rights.Invite(caller); err != nil {
		return err
	}
	var body api.NewInvite
	if err := httpx.Decode(c, &body); err != nil {
		return httpx.LinkRefusal(err, a.Links.To(deeplink.AddIdentity, caseID))
	}
	if err := a.ownCase(c, caseID); err != nil {
		return err
	}
	d := invites.Draft{
		Role:         body.Role,
		Message:      body.Message,
		Hours:        body.ExpiresInHours,
		LicenceKnown: body.AcknowledgeLicence,
	}
	if body.Scope != nil {
		d.Scope = invites.Scope(*body.Scope)
	}

	return a.once(c, "POST /v1/invites", body, func(id, fingerprint string) (idempotency.Answer, error) {
		i, err := a.Invites.Create(
			c.Request.Context(), caller.Tenant, actorOf(c), id, fingerprint, caseID, partnerID, d,
		)
		if err != nil {
			return idempotency.Answer{}, err
		}
		answer := idempotency.Answer{
			Status: http.StatusCreated, Location: "/v1/invites/" + i.ID, ETag: httpx.ETag(i.Version),
		}
		if i.Status == invites.Proposed {
			answer.Status = http.StatusAccepted // a person has to confirm it
		}
		answer.Body, err = json.Marshal(a.inviteOf(i, true))

		return answer, err
	})
}

// inviteOf is the invite on the wire: whole for the firm and for a partner who accepted, an offer for any other.
func (a *API) inviteOf(i invites.Invite, firm bool) any {
	status, link := i.StatusAt(a.Invites.Now()), a.Links.ToInvite(deeplink.ConfirmInvite, i.ID)
	if !firm && status != invites.Accepted {
		return api.InviteOffer{
			InviteID:  i.ID,
			Role:      i.Role,
			Status:    status,
			ExpiresAt: api.At(i.ExpiresAt),
			Matter:    matterOf(i.Facts),
			DeepLink:  link,
			Version:   int(i.Version),
		}
	}

	out := api.Invite{
		InviteID:         i.ID,
		CaseID:           i.CaseID,
		PartnerID:        i.PartnerID,
		Role:             i.Role,
		Scope:            api.InviteScope{BranchIDs: filled(i.Scope.BranchIDs), FileIDs: filled(i.Scope.FileIDs)},
		Message:          i.Message,
		Status:           status,
		ExpiresAt:        api.At(i.ExpiresAt),
		ConflictAttested: i.ConflictAttested,
		DeepLink:         link,
		Version:          int(i.Version),
		CreatedBy:        api.Actor(i.CreatedBy),
		CreatedAt:        api.At(i.CreatedAt),
	}
	decided := i.DecidedAt
	if status == invites.Expired {
		decided = &i.ExpiresAt
	}
	if decided != nil {
		at := api.At(*decided)
		out.DecidedAt = &at
	}

	return out
}

func matterOf(f invites.Facts) api.Matter {
	out := api.Matter{MatterKind: f.MatterKind, PracticeAreas: []api.PracticeArea{}, Jurisdiction: f.Jurisdiction}
	for _, area := range f.Areas {
		out.PracticeAreas = append(out.PracticeAreas, api.PracticeArea(area))
	}
	if f.Tier > 0 {
		out.Tier = &f.Tier
	}

	return out
}

// find returns an invite that the caller can see, and whether as the firm.
func (a *API) find(c *gin.Context, id string) (i invites.Invite, firm bool, err error) {
	caller := callerOf(c)
	ctx := c.Request.Context()
	if caller.Kind == access.User {
		seen, err := a.Invites.Find(ctx, seatOf(caller), id)
		// Whether the case still stands is asked for the firm only: a partner may not ask for it.
		if err != nil || !seen.Firm || seen.Partner {
			return seen.Invite, seen.Firm, err
		}
		i, firm = seen.Invite, true
	} else {
		if err := rights.ReadCase(caller); err != nil {
			return i, false, err
		}
		if i, err = a.Invites.Store.Get(ctx, caller.Tenant, id); err != nil {
			return i, false, err
		}
		firm = true
	}
	_, err = a.Invites.Cases.Matter(ctx, i.CaseID) // a deleted case has no invites

	return i, firm, err
}

func (a *API) getInvite(c *gin.Context) error {
	if _, err := httpx.Query(c); err != nil {
		return err
	}
	id, err := httpx.PathID(c, "inviteId")
	if err != nil {
		return err
	}
	i, firm, err := a.find(c, id)
	if err != nil {
		return err
	}
	// What has expired by itself has no new version yet.
	if i.StatusAt(a.Invites.Now()) == i.Status && httpx.Unchanged(c, httpx.ETag(i.Version)) {
		return nil
	}

	return httpx.JSON(c, http.StatusOK, a.inviteOf(i, firm))
}

func (a *API) decideInvite(c *gin.Context) error {
	if _, err := httpx.Query(c); err != nil {
		return err
	}
	id, err := httpx.PathID(c, "inviteId")
	if err != nil {
		return err
	}
	caller := callerOf(c)
	if caller.Kind != access.User { // whatever it asks for: nothing is looked up
		return invites.ErrHuman.WithDeepLink(a.Links.ToInvite(deeplink.ConfirmInvite, id))
	}
	var body api.DecideInvite
	if err := httpx.Decode(c, &body); err != nil {
		return httpx.LinkRefusal(err, a.Links.ToInvite(deeplink.AddIdentity, id))
	}

	return a.once(c, "POST /v1/invites/decision", body, func(key, fingerprint string) (idempotency.Answer, error) {
		// Without an Idempotency-Key the id is a random one, which no repetition could name.
		if fingerprint == "" {
			key = ""
		}
		seen, err := a.Invites.Decide(c.Request.Context(), seatOf(caller), actorOf(c), id, invites.Decision{
			Decision: body.Decision, ConflictAttested: body.ConflictAttested, Key: key,
		})
		if err != nil {
			return idempotency.Answer{}, err
		}
		answer, err := json.Marshal(a.inviteOf(seen.Invite, seen.Firm))

		return idempotency.Answer{Status: http.StatusOK, ETag: httpx.ETag(seen.Version), Body: answer}, err
	})
}

func (a *API) listInvites(c *gin.Context) error {
	params, err := httpx.Query(c, "caseId", "status", "cursor", "limit")
	if err != nil {
		return err
	}
	most, err := httpx.Limit(params)
	if err != nil {
		return err
	}
	status := params["status"]
	if _, given := params["status"]; given && !vocabulary.InviteStatuses.Has(status) {
		return httpx.Parameter("status", "must be proposed, pending, accepted, declined, expired, revoked or ended")
	}
	caller := callerOf(c)
	caseID, ofCase := params["caseId"]
	whole := []any{"invites", caller.Tenant, caller.UserID, caseID, status}
	after, err := a.Cursors.Invites.Place(params["cursor"], whole...)
	if err != nil {
		return err
	}
	var page invitePage

	switch {
	case !ofCase && caller.Kind != access.User:
		return httpx.Parameter("caseId", "must name the case: an agent is sent no invites")
	case !ofCase:
		page, err = a.addressed(c, "", status, after, most)
	default:
		page, err = a.ofCase(c, caseID, status, after, most)
	}
	if err != nil {
		return err
	}

	out := api.Page[any]{Items: []any{}, Limit: most}
	for _, i := range page.list {
		out.Items = append(out.Items, a.inviteOf(i, page.firm))
	}
	var cursor *string
	if page.more {
		s := a.Cursors.Invites.Next(page.at, whole...)
		cursor = &s
	}

	return httpx.Page(c, cursor, func(next *string) any { out.NextCursor = next; return out })
}

type invitePage struct {
	list []invites.Invite
	at   invites.Cursor
	more bool
	firm bool
}

// addressed lists what was sent to the caller.
func (a *API) addressed(c *gin.Context, caseID, status string, after *invites.Cursor, most int) (invitePage, error) {
	now := a.Invites.Now()
	keep := func(i invites.Invite) bool {
		return (status == "" || i.StatusAt(now) == status) && (caseID == "" || i.CaseID == caseID)
	}
	var p invitePage
	var err error
	p.list, p.at, p.more, err = a.Invites.Addressed(c.Request.Context(), callerOf(c).UserID, after, most, keep)

	return p, err
}

// ofCase lists the invites of a case: all of them for the firm, the caller's own for a partner who was let in.
func (a *API) ofCase(c *gin.Context, caseID, status string, after *invites.Cursor, most int) (invitePage, error) {
	if !ids.Valid(caseID) {
		return invitePage{}, errs.ErrNotFound
	}

	ctx, caller := c.Request.Context(), callerOf(c)
	switch _, granted, err := a.grant(c, caseID); {
	case err != nil:
		return invitePage{}, err
	case granted:
		return a.addressed(c, caseID, status, after, most)
	}
	if err := rights.ReadCase(caller); err != nil {
		return invitePage{}, err
	}
	if _, err := a.Invites.Cases.Matter(ctx, caseID); err != nil {
		return invitePage{}, err
	}

	p := invitePage{firm: true}
	// Invites that have expired since they were stored are left out here, so a page is filled from the next one.
	for len(p.list) <= most {
		found, err := a.Invites.Store.List(ctx, caller.Tenant, caseID, storedStatus(status), after, most+1)
		if err != nil {
			return invitePage{}, err
		}

		for _, i := range found {
			after = &invites.Cursor{CreatedAt: i.CreatedAt, ID: i.ID}
			if status == "" || i.StatusAt(a.Invites.Now()) == status {
				p.list = append(p.list, i)
			}
		}
		if len(found) <= most {
			break
		}
	}
	if p.more = len(p.list) > most; p.more {
		p.list = p.list[:most]
		last := p.list[most-1]
		p.at = invites.Cursor{CreatedAt: last.CreatedAt, ID: last.ID}
	}

	return p, nil
}

// storedStatus is what to ask the store for: what has expired may not be written down yet.
func storedStatus(status string) string {
	if status == invites.Expired {
		return ""
	}

	return status
}

// grant returns the caller's grant to a case of another tenant, if it has one.
func (a *API) grant(c *gin.Context, caseID string) (g invites.Grant, granted bool, err error) {
	caller := callerOf(c)
	if caller.Kind != access.User {
		return g, false, nil
	}

	return a.Invites.Granted(c.Request.Context(), seatOf(caller), caseID)
}

// ownCase refuses a partner what only the tenant of the case may do there.
func (a *API) ownCase(c *gin.Context, caseID string) error {
	_, granted, err := a.grant(c, caseID)
	if err == nil && granted {
		err = access.ErrForbidden
	}

	return err
}
