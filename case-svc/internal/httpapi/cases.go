package httpapi

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"
	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/idempotency"
	"github.com/subrosa-legal/subrosa/case-svc/internal/rights"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/authn"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
)

// Leases of requests with an Idempotency-Key: longer than the request can take.
const (
	createLease = 15 * time.Second
	commitLease = time.Minute
)

func (a *API) createCase(c *gin.Context) error {
	caller := callerOf(c)
	if err := rights.CreateCase(caller); err != nil {
		return err
	}
	if _, err := httpx.Query(c); err != nil {
		return err
	}
	var body newCase
	if err := httpx.DecodeOptional(c, &body); err != nil {
		return httpx.LinkRefusal(err, a.Links.To(cases.LinkAddIdentity, ""))
	}
	draft := body.draft()
	switch {
	case draft.ForUsersOnly() && caller.Kind != authn.User:
		return cases.ErrHuman.WithDeepLink(a.Links.To(cases.LinkCaseSettings, ""))
	case rights.MetadataOnly(caller) && !draft.HoldOnly():
		return authn.ErrForbidden
	}
	key, err := idempotency.Header(c.Request.Header.Values("Idempotency-Key"))
	if err != nil {
		return err
	}
	if key == "" {
		answer, err := a.newCase(c, uuid.Must(uuid.NewV7()).String(), "", draft)
		if err != nil {
			return err
		}
		return reply(c, answer, false)
	}
	tenant, by := tenantOf(c), actorOf(c)
	canonical, err := json.Marshal(body)
	if err != nil {
		return err
	}
	name, fingerprint := idempotency.Name(by, "POST /v1/cases", key), idempotency.Fingerprint(canonical)
	id := cases.DerivedID("case", string(tenant), name)
	answer, replayed, err := a.Desk.Once(c.Request.Context(), tenant, name, fingerprint, createLease, func() (idempotency.Answer, error) {
		return a.newCase(c, id, fingerprint, draft)
	})
	if err != nil {
		return err
	}
	return reply(c, answer, replayed)
}

func (a *API) newCase(c *gin.Context, id, fingerprint string, d cases.Draft) (idempotency.Answer, error) {
	kase, err := a.Cases.Create(c.Request.Context(), tenantOf(c), actorOf(c), id, fingerprint, d)
	if err != nil {
		return idempotency.Answer{}, err
	}
	wire, err := caseOf(kase, rights.MetadataOnly(callerOf(c)))
	if err != nil {
		return idempotency.Answer{}, err
	}
	body, _, err := document(wire)
	return idempotency.Answer{Status: http.StatusCreated, Location: "/v1/cases/" + kase.ID, ETag: etagOf(kase.Version), Body: body}, err
}

// reply writes an answer, perhaps one that was given before.
func reply(c *gin.Context, a idempotency.Answer, replayed bool) error {
	for name, value := range map[string]string{"Location": a.Location, "ETag": a.ETag} {
		if value != "" {
			c.Header(name, value)
		}
	}
	if replayed {
		c.Header("Idempotency-Replayed", "true")
	}
	writeJSON(c, a.Status, a.Body)
	return nil
}

func (a *API) getCase(c *gin.Context) error {
	if _, err := httpx.Query(c); err != nil {
		return err
	}
	return a.oneCase(c, c.Param("caseId"))
}

func (a *API) oneCase(c *gin.Context, id string) error {
	caller := callerOf(c)
	if err := rights.ReadCase(caller); err != nil {
		return err
	}
	kase, err := a.Cases.Store.Get(c.Request.Context(), tenantOf(c), id)
	if err != nil {
		return err
	}
	if unchanged(c, etagOf(kase.Version)) {
		return nil
	}
	wire, err := caseOf(kase, rights.MetadataOnly(caller))
	if err != nil {
		return err
	}
	return httpx.JSON(c, http.StatusOK, wire)
}

func (a *API) deleteCase(c *gin.Context) error {
	id, err := pathID(c, "caseId")
	if err != nil {
		return err
	}
	caller := callerOf(c)
	if err := rights.DeleteCase(caller); err != nil {
		return err
	}
	query, err := httpx.Query(c, "acknowledgePending")
	if err != nil {
		return err
	}
	acknowledged, err := boolean(query, "acknowledgePending")
	if err != nil {
		return err
	}
	if err := a.Cases.Delete(c.Request.Context(), tenantOf(c), actorOf(c), id, expected(c), acknowledged); err != nil {
		return err
	}
	c.Status(http.StatusNoContent)
	c.Writer.WriteHeaderNow()
	return nil
}

func boolean(query map[string]string, name string) (bool, error) {
	switch query[name] {
	case "true":
		return true, nil
	case "", "false":
		return false, nil
	}
	return false, parameter(name, "must be true or false")
}

// caseParameters are those of a list of cases, besides caseId.
var caseParameters = []string{
	"status", "matterKind", "jurisdiction", "practiceArea", "tier", "tag", "side", "responsibleUserId", "externalRef", "updatedSince", "sort", "cursor",
	"limit", "includeTotal",
}

func (a *API) listCases(c *gin.Context) error {
	params, err := httpx.Query(c, append(slices.Clone(caseParameters), "caseId")...)
	if err != nil {
		return err
	}
	if id, ok := params["caseId"]; ok {
		if len(params) > 1 {
			return parameter("caseId", "must stand alone: it asks for one case")
		}
		return a.oneCase(c, id)
	}
	caller := callerOf(c)
	if err := rights.ReadCase(caller); err != nil {
		return err
	}
	q, err := caseQuery(params)
	if err != nil {
		return err
	}
	metadata := rights.MetadataOnly(caller)
	if metadata && tells(q) {
		return authn.ErrForbidden
	}
	return a.writeCases(c, q, params, metadata)
}

// tells reports whether a query could find out what cases say.
func tells(q cases.Query) bool {
	f := q.Filter
	return q.Sort == cases.ByTitle || len(f.Tiers) > 0 || f.MatterKind+f.Jurisdiction+f.PracticeKey+f.Side+f.Tag+f.ExternalRef != ""
}

func (a *API) writeCases(c *gin.Context, q cases.Query, params map[string]string, metadata bool) error {
	ctx, tenant := c.Request.Context(), tenantOf(c)
	whole := list{Route: "cases", Tenant: tenant, Query: []any{q.Filter, q.Sort, q.Descending}}
	var err error
	if q.After, err = a.Cursors.Place(whole, params["cursor"]); err != nil {
		return err
	}
	total, err := boolean(params, "includeTotal")
	if err != nil {
		return err
	}
	limit := q.Limit
	q.Limit++ // one more tells whether a page follows
	found, err := a.Cases.Store.List(ctx, tenant, q)
	if err != nil {
		return err
	}
	page := api.Page[api.CaseRow]{Items: []api.CaseRow{}, Limit: limit}
	for _, kase := range found[:min(limit, len(found))] {
		page.Items = append(page.Items, rowOf(kase, metadata))
	}
	if len(found) > limit {
		cursor := a.Cursors.Next(whole, q.PlaceOf(found[limit-1]))
		page.NextCursor = &cursor
	}
	if total {
		n, err := a.Cases.Store.Count(ctx, tenant, q.Filter, maxTotal+1)
		if err != nil {
			return err
		}
		page.Total, page.TotalCapped = capped(n)
	}
	return writePage(c, page)
}

// maxTotal is how far lists are counted.
const maxTotal = 10_000

func capped(n int) (*int, bool) {
	over := n > maxTotal
	n = min(n, maxTotal)
	return &n, over
}

// caseQuery reads the parameters of a list.
func caseQuery(params map[string]string) (cases.Query, error) {
	q := cases.Query{Sort: cases.ByUpdated, Descending: true}
	q.Side, q.MatterKind, q.ResponsibleID, q.ExternalRef = params["side"], params["matterKind"], params["responsibleUserId"], params["externalRef"]
	q.Jurisdiction, q.Tag = params["jurisdiction"], strings.ToLower(params["tag"])
	var err error
	if q.Limit, err = limit(params); err != nil {
		return q, err
	}
	if q.Tiers, err = tiers(params["tier"]); err != nil {
		return q, err
	}
	if s := params["status"]; s != "" {
		q.Statuses = strings.Split(s, ",")
	}
	if s := params["practiceArea"]; s != "" {
		var ok bool
		if q.PracticeKey, ok = cases.PracticePrefix(s); !ok {
			return q, parameter("practiceArea", "must be a LIST code, a prefix of one such as HO-02, or a slug such as housing")
		}
	}
	if s := params["updatedSince"]; s != "" {
		if q.UpdatedSince, err = time.Parse(time.RFC3339Nano, s); err != nil {
			return q, parameter("updatedSince", "must be an instant such as 2026-03-04T05:06:07.089Z")
		}
		q.UpdatedSince = q.UpdatedSince.UTC()
	}
	switch s := params["sort"]; s {
	case "", "-updatedAt":
	case "updatedAt":
		q.Descending = false
	case "createdAt", "-createdAt":
		q.Sort, q.Descending = cases.ByCreated, s[0] == '-'
	case "title":
		q.Sort, q.Descending = cases.ByTitle, false
	default:
		return q, parameter("sort", "must be -updatedAt, updatedAt, createdAt, -createdAt or title")
	}
	return q, checkFilter(q.Filter)
}

func checkFilter(f cases.Filter) error {
	switch {
	case slices.ContainsFunc(f.Statuses, func(s string) bool { return !cases.IsStatus(s) }):
		return parameter("status", "must be a comma list of intake, open, on_hold, closed, archived")
	case f.MatterKind != "" && !cases.IsMatterKind(f.MatterKind):
		return parameter("matterKind", "must be a kind of matter such as litigation")
	case f.Side != "" && !cases.IsSide(f.Side):
		return parameter("side", "must be a side such as claimant")
	case f.Jurisdiction != "" && !cases.ValidJurisdiction(f.Jurisdiction):
		return parameter("jurisdiction", "must be an ISO 3166-1 or 3166-2 code such as US or US-CA")
	case len(f.Tag) > 200, len(f.ExternalRef) > 300, len(f.ResponsibleID) > 1024:
		return httpx.ErrParameter
	}
	return nil
}

func tiers(text string) ([]int, error) {
	if text == "" {
		return nil, nil
	}
	var all []int
	for _, s := range strings.Split(text, ",") {
		switch s {
		case "unrated":
			all = append(all, 0)
		case "1", "2", "3", "4":
			all = append(all, int(s[0]-'0'))
		default:
			return nil, parameter("tier", "must be a comma list of 1, 2, 3, 4, unrated")
		}
	}
	return all, nil
}

func limit(params map[string]string) (int, error) {
	s, ok := params["limit"]
	if !ok {
		return 25, nil
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 || n > 100 {
		return 0, parameter("limit", "must be 1 to 100")
	}
	return n, nil
}
