package httpapi

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/rights"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/deeplink"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
	"github.com/subrosa-legal/subrosa/pkg/inputgate"
	"github.com/subrosa-legal/subrosa/pkg/instant"
	"github.com/subrosa-legal/subrosa/pkg/practicearea"
	"github.com/subrosa-legal/subrosa/pkg/vocabulary"
)

// caseParameters are those of a list of cases, besides caseId.
var caseParameters = []string{
	"q", "status", "tier", "jurisdiction", "practiceArea", "stage", "matterKind", "side", "tag", "responsibleUserId",
	"privilege", "externalRef",
	"deadlineBefore", "hasPendingReview", "legalHold", "updatedSince", "includeDeleted", "sort", "fields", "cursor",
	"limit", "includeTotal",
}

func (a *API) listCases(c *gin.Context) error {
	params, err := httpx.Query(c, append(slices.Clone(caseParameters), "caseId", "include")...)
	if err != nil {
		return err
	}
	if id, ok := params["caseId"]; ok {
		if _, including := params["include"]; len(params) > 2 || len(params) == 2 && !including {
			return httpx.Parameter("caseId", "goes with include only: it asks for one case")
		}

		return a.oneCase(c, id, params)
	}
	if _, ok := params["include"]; ok {
		return httpx.Parameter("include", "goes with caseId only")
	}
	caller := callerOf(c)
	if err := rights.ReadCase(caller); err != nil {
		return err
	}
	q, err := caseQuery(params)
	if err != nil {
		return err
	}
	if err := a.screenQuery(c.Request.Context(), params["q"]); err != nil {
		return err
	}
	metadata := rights.MetadataOnly(caller)
	// Who may not read what a case says could find it out by asking for it, letter by letter.
	if metadata && tells(q) {
		return access.ErrForbidden
	}

	return a.writeCases(c, q, params)
}

// screenQuery sends what is searched for through the gate: a name in a query is a name that was sent.
func (a *API) screenQuery(ctx context.Context, q string) error {
	if q == "" {
		return nil
	}

	return inputgate.Check(
		ctx, a.Gate, a.Links.To(deeplink.AddIdentity, ""), inputgate.Text{Channel: guard.Query, Path: "q", Value: q},
	)
}

// tells reports whether a query could find out what cases say.
func tells(q cases.Query) bool {
	f := q.Filter

	return q.Sort == cases.ByTitle || q.Sort == cases.ByTier || len(f.Tiers)+len(f.Words) > 0 ||
		f.MatterKind+f.Jurisdiction+f.PracticeKey+f.Side+f.Tag+f.ExternalRef+f.StageKey+f.Privilege != ""
}

func (a *API) writeCases(c *gin.Context, q cases.Query, params map[string]string) error {
	ctx, tenant := c.Request.Context(), tenantOf(c)
	whole := list{Route: "cases", Tenant: tenant, Query: []any{q.Filter, q.Sort, q.Descending}}
	var err error
	if q.After, err = a.Cursors.Place(params["cursor"], whole); err != nil {
		return err
	}
	total, err := httpx.Flag(params, "includeTotal")
	if err != nil {
		return err
	}
	// A change gets its time before it is stored. What is younger than the lag may still come in behind a reader's
	// cursor.
	if !q.UpdatedSince.IsZero() && q.Sort == cases.ByUpdated && !q.Descending {
		q.Until = instant.Of(a.Cases.Now().Add(-a.FeedLag))
	}
	limit := q.Limit
	q.Limit++ // one more tells whether a page follows
	found, err := a.Cases.Store.List(ctx, tenant, q)
	if err != nil {
		return err
	}

	page := api.Page[any]{Items: []any{}, Limit: limit}
	for _, kase := range found[:min(limit, len(found))] {
		item, err := itemOf(kase, q.Whole, callerOf(c))
		if err != nil {
			return err
		}
		page.Items = append(page.Items, item)
	}
	if len(found) > limit {
		cursor := a.Cursors.Next(q.PlaceOf(found[limit-1]), whole)
		page.NextCursor = &cursor
	}
	if total {
		// Counting stops beyond the number that is told, or a large firm would pay for it in every list.
		n, err := a.Cases.Store.Count(ctx, tenant, q.Filter, httpx.MaxTotal+1)
		if err != nil {
			return err
		}
		page.Total, page.TotalCapped = httpx.Capped(n)
	}

	return httpx.Page(c, page.NextCursor, func(next *string) any { page.NextCursor = next; return page })
}

// itemOf is what stands in a list for a case: a row, the whole case, or a tombstone.
func itemOf(c cases.Case, whole bool, caller access.Caller) (any, error) {
	switch {
	case c.Deletion != nil:
		return tombstoneOf(c), nil
	case whole:
		return caseOf(c, caller)
	}

	return rowOf(c, rights.MetadataOnly(caller)), nil
}

// maxQuery bounds what is searched for, in code points.
const maxQuery = 200

// caseQuery reads the parameters of a list.
func caseQuery(params map[string]string) (cases.Query, error) {
	q := cases.Query{Sort: cases.ByUpdated, Descending: true}
	q.Side = params["side"]
	q.MatterKind = params["matterKind"]
	q.ResponsibleID = params["responsibleUserId"]
	q.ExternalRef = params["externalRef"]
	q.Jurisdiction = params["jurisdiction"]
	q.Tag = strings.ToLower(params["tag"])
	q.StageKey = params["stage"]
	q.Privilege = params["privilege"]
	q.DueBy = params["deadlineBefore"]
	if s := params["status"]; s != "" {
		q.Statuses = strings.Split(s, ",")
	}

	for _, read := range []func(map[string]string, *cases.Query) error{
		readPaging, readKeys, readFlags, readFeed, readWords,
	} {
		if err := read(params, &q); err != nil {
			return q, err
		}
	}

	return q, checkFilter(q.Filter)
}

// readPaging reads order, size and form of a page.
func readPaging(params map[string]string, q *cases.Query) error {
	var err error
	if q.Limit, err = httpx.Limit(params); err != nil {
		return err
	}

	switch s := params["sort"]; s {
	case "", "-updatedAt":
	case "updatedAt":
		q.Descending = false
	case "createdAt", "-createdAt":
		q.Sort, q.Descending = cases.ByCreated, s[0] == '-'
	case "title":
		q.Sort, q.Descending = cases.ByTitle, false
	case "nextDeadline":
		q.Sort, q.Descending = cases.ByDue, false
	case "-tier":
		q.Sort = cases.ByTier
	default:
		return httpx.Parameter(
			"sort", "must be -updatedAt, updatedAt, createdAt, -createdAt, title, nextDeadline or -tier",
		)
	}

	switch params["fields"] {
	case "", "summary":
	case "full":
		q.Whole = true
	default:
		return httpx.Parameter("fields", "must be summary or full")
	}

	return nil
}

// readKeys reads what is looked for by a key of its own form.
func readKeys(params map[string]string, q *cases.Query) error {
	var err error
	if q.Tiers, err = tiers(params["tier"]); err != nil {
		return err
	}
	if s := params["practiceArea"]; s != "" {
		var ok bool
		if q.PracticeKey, ok = practicearea.Key(s); !ok {
			return httpx.Parameter(
				"practiceArea", "must be a LIST code, a prefix of one such as HO-02, or a slug such as housing",
			)
		}
	}

	return nil
}

func readFlags(params map[string]string, q *cases.Query) error {
	for name, flag := range map[string]**bool{"hasPendingReview": &q.PendingReview, "legalHold": &q.LegalHold} {
		if _, ok := params[name]; !ok {
			continue
		}
		on, err := httpx.Flag(params, name)
		if err != nil {
			return err
		}
		*flag = &on
	}

	return nil
}

// readFeed reads from when on changes are wanted, and whether those that took a case away are among them.
func readFeed(params map[string]string, q *cases.Query) error {
	var err error
	if s, ok := params["updatedSince"]; ok {
		if q.UpdatedSince, err = time.Parse(time.RFC3339Nano, s); err != nil {
			return httpx.Parameter("updatedSince", "must be an instant such as 2026-03-04T05:06:07.089Z")
		}
		q.UpdatedSince = q.UpdatedSince.UTC()
	}
	if q.Deleted, err = httpx.Flag(params, "includeDeleted"); err == nil && q.Deleted && q.UpdatedSince.IsZero() {
		err = httpx.Parameter("includeDeleted", "goes with updatedSince only")
	}

	return err
}

func readWords(params map[string]string, q *cases.Query) error {
	s, ok := params["q"]
	if !ok {
		return nil
	}
	if q.Words, q.Phrases = cases.Wording(s); len(q.Words) == 0 || utf8.RuneCountInString(s) > maxQuery {
		return httpx.Parameter("q", "must be at most 200 characters with at least one word")
	}

	return nil
}

func checkFilter(f cases.Filter) error {
	switch {
	case slices.ContainsFunc(f.Statuses, func(s string) bool { return !vocabulary.CaseStatuses.Has(s) }):
		return httpx.Parameter("status", "must be a comma list of intake, open, on_hold, closed, archived")
	case f.MatterKind != "" && !vocabulary.MatterKinds.Has(f.MatterKind):
		return httpx.Parameter("matterKind", "must be a kind of matter such as litigation")
	case f.Side != "" && !vocabulary.CaseSides.Has(f.Side):
		return httpx.Parameter("side", "must be a side such as claimant")
	case f.Privilege != "" && !vocabulary.Privileges.Has(f.Privilege):
		return httpx.Parameter("privilege", "must be a privilege such as work_product")
	case f.StageKey != "" && !cases.IsStagePrefix(f.StageKey):
		return httpx.Parameter("stage", "must be a UTBMS code or the beginning of one, such as L2 or L210")
	case f.Jurisdiction != "" && !cases.ValidJurisdiction(f.Jurisdiction):
		return httpx.Parameter("jurisdiction", "must be an ISO 3166-1 or 3166-2 code such as US or US-CA")
	case f.DueBy != "" && !isDate(f.DueBy):
		return httpx.Parameter("deadlineBefore", "must be a date such as 2026-03-04")
	// Each value is looked up by itself, and a list can repeat one as often as it likes.
	case len(f.Statuses) > 16, len(f.Tiers) > 16:
		return httpx.ErrParameter
	}

	for _, exact := range []struct {
		name, value string
		most        int
	}{
		{"tag", f.Tag, cases.MaxTag},
		{"externalRef", f.ExternalRef, cases.MaxRef},
		{"responsibleUserId", f.ResponsibleID, cases.MaxUserID},
	} {
		if utf8.RuneCountInString(exact.value) > exact.most {
			return httpx.Parameter(exact.name, fmt.Sprintf("must be at most %d characters", exact.most))
		}
	}

	return nil
}

func isDate(s string) bool {
	_, err := time.Parse(time.DateOnly, s)
	return err == nil
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
			return nil, httpx.Parameter("tier", "must be a comma list of 1, 2, 3, 4, unrated")
		}
	}

	return all, nil
}
