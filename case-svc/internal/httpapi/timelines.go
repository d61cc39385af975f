package httpapi

import (
	"mime"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/phases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/rights"
	"github.com/subrosa-legal/subrosa/case-svc/internal/timeline"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/deeplink"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
	"github.com/subrosa-legal/subrosa/pkg/idempotency"
	"github.com/subrosa-legal/subrosa/pkg/inputgate"
	"github.com/subrosa-legal/subrosa/pkg/validate"
	"github.com/subrosa-legal/subrosa/pkg/vocabulary"
)

// timelineOf returns the timeline of the path, for a caller who may read its container, if only its metadata.
func (a *API) timelineOf(c *gin.Context) (phases.Timeline, phases.Container, error) {
	id, err := httpx.PathID(c, "timelineId")
	if err != nil {
		return phases.Timeline{}, phases.Container{}, err
	}
	t, box, err := a.Phases.Located(c.Request.Context(), tenantOf(c), id)
	if err == nil {
		err = rights.SeeContainer(callerOf(c), box.Type)
	}

	return t, box, err
}

var timelineParameters = []string{
	"branchId", "kinds", "from", "to", "origin", "reviewStatus", "q", "sort", "include", "cursor", "limit",
	"remindDaysBefore",
}

func (a *API) getTimeline(c *gin.Context) error {
	params, err := httpx.Query(c, timelineParameters...)
	if err != nil {
		return err
	}
	t, box, err := a.timelineOf(c)
	if err != nil {
		return err
	}
	_, searched := params["q"]
	if metadataOnly(c, box.Type) && (searched || wantsCalendar(c)) {
		return access.ErrForbidden // both would tell what entries say
	}
	if wantsCalendar(c) {
		return a.writeCalendar(c, box, params)
	}
	if _, ok := params["remindDaysBefore"]; ok {
		return httpx.Parameter("remindDaysBefore", "goes with Accept: text/calendar only")
	}

	return a.writeTimeline(c, t, box, params)
}

// include says which members of a timeline are asked for.
func include(params map[string]string) (map[string]bool, error) {
	list, err := listed(params, "include", "branches", "deadlines", "entries")
	if err != nil {
		return nil, err
	}
	if list == nil {
		list = []string{"branches", "deadlines", "entries"}
	}

	wanted := map[string]bool{}
	for _, name := range list {
		wanted[name] = true
	}

	return wanted, nil
}

// maxDeadlines is how many deadlines a timeline shows.
const maxDeadlines = 100

func (a *API) writeTimeline(c *gin.Context, t phases.Timeline, box phases.Container, params map[string]string) error {
	wanted, err := include(params)
	if err != nil {
		return err
	}
	q, err := a.entryQuery(c, box, params)
	if err != nil {
		return err
	}
	branches, chosen, err := a.branchesOf(c, box, params["branchId"])
	if err != nil {
		return err
	}
	out := api.Timeline{
		TimelineID:     t.ID,
		ContainerType:  t.ContainerType,
		ContainerID:    t.ContainerID,
		RootBranchID:   t.RootBranchID,
		ActiveBranchID: box.ActiveBranchID,
		Counts:         api.TimelineCounts{Branches: len(branches)},
		Version:        int(t.Version),
		CreatedAt:      api.At(t.CreatedAt),
		UpdatedAt:      api.At(t.UpdatedAt),
	}
	ctx := c.Request.Context()
	if out.Counts.Entries, out.Counts.OpenDeadlines, err = a.Timeline.Store.Count(
		ctx, box.Tenant, t.ID, sightOf(c, branches),
	); err != nil {
		return err
	}
	if wanted["branches"] {
		running, err := a.running(c, box.Tenant, box.ID)
		if err != nil {
			return err
		}
		out.Branches = []api.BranchSummary{}
		shown := branches
		if metadataOnly(c, box.Type) {
			shown = bareBranches(branches)
		}

		for _, b := range shown {
			out.Branches = append(out.Branches, branchSummaryOf(b, running[b.ID]))
		}
	}
	if wanted["deadlines"] {
		if out.Deadlines, err = a.pendingDeadlines(c, box, branches, maxDeadlines); err != nil {
			return err
		}
	}
	var next *string
	if wanted["entries"] {
		q.Sight = timeline.Sight(chosen)
		if out.Entries, next, err = a.entries(c, box, chosen.ID, params["cursor"], q); err != nil {
			return err
		}
	}
	body, _, err := document(out)
	if err != nil {
		return err
	}
	if next != nil {
		// That a page follows is a part of the answer. Its cursor is not, since it is sealed anew each time.
		body = append(body, '1')
	}
	c.Header("Vary", "Accept")
	if httpx.Unchanged(c, httpx.BodyTag(body)) {
		return nil
	}
	out.NextCursor = next

	return httpx.JSON(c, http.StatusOK, out)
}

// branchesOf returns the branches of a container and the chosen one of them, by default the active one.
func (a *API) branchesOf(
	c *gin.Context, box phases.Container, id string,
) (all []phases.Branch, chosen phases.Branch, err error) {
	ctx := c.Request.Context()
	all, err = a.Phases.Branches.Branches(ctx, box.Tenant, box.TimelineID)
	if err == nil && len(all) == 0 { // a crash kept the root from being made
		err = a.Phases.Branches.EnsureRoot(ctx, box.Tenant, box.Type, box.ID, box.CreatedBy, box.CreatedAt)
		if err == nil {
			all, err = a.Phases.Branches.Branches(ctx, box.Tenant, box.TimelineID)
		}
	}
	if err != nil {
		return nil, chosen, err
	}
	if all = sharedOf(c, all); id == "" {
		id = box.ActiveBranchID
		if len(all) == 0 {
			return nil, chosen, nil // a partner whose scope is files alone
		}
		// The active branch may lie outside of what a partner was invited to.
		if grantOf(c) != nil && !slices.ContainsFunc(all, func(b phases.Branch) bool { return b.ID == id }) {
			id = all[0].ID
		}
	}
	i := slices.IndexFunc(all, func(b phases.Branch) bool { return b.ID == id })
	if i < 0 {
		return nil, chosen, phases.ErrNotFound
	}

	return all, all[i], nil
}

// pendingDeadlines returns the deadlines that are neither met nor vacated.
func (a *API) pendingDeadlines(
	c *gin.Context, box phases.Container, branches []phases.Branch, most int,
) ([]api.TimelineEntry, error) {
	list, err := a.Timeline.Deadlines(c.Request.Context(), box.Tenant, box.TimelineID, sightOf(c, branches), most)
	if metadataOnly(c, box.Type) {
		list = bareEntries(list)
	}

	return sourced(c, entriesOf(list)), err
}

// entries returns one page.
func (a *API) entries(
	c *gin.Context, box phases.Container, branchID, cursor string, q timeline.Query,
) ([]api.TimelineEntry, *string, error) {
	whole := list{
		Route:  "entries",
		Tenant: box.Tenant,
		Scope:  box.TimelineID + " " + branchID,
		Query:  []any{q.Kinds, q.From, q.To, q.Origin, q.ReviewStatus, q.Words, q.Phrases, q.Sort, q.Descending},
	}
	var err error
	if q.After, err = a.Cursors.Place(cursor, whole); err != nil {
		return nil, nil, err
	}
	most := q.Limit
	q.Limit++ // one more tells whether a page follows
	found, err := a.Timeline.List(c.Request.Context(), box.Tenant, box.TimelineID, q)
	if err != nil {
		return nil, nil, err
	}
	var next *string
	if len(found) > most {
		found = found[:most]
		cursor := a.Cursors.Next(q.PlaceOf(found[most-1]), whole)
		next = &cursor
	}
	if metadataOnly(c, box.Type) {
		found = bareEntries(found)
	}

	return sourced(c, entriesOf(found)), next, nil
}

// entryQuery reads the parameters of a list of entries.
func (a *API) entryQuery(c *gin.Context, box phases.Container, params map[string]string) (q timeline.Query, err error) {
	if q.Limit, err = httpx.Limit(params); err != nil {
		return q, err
	}
	if s, ok := params["kinds"]; ok {
		q.Kinds = strings.Split(s, ",")
		if slices.ContainsFunc(q.Kinds, func(k string) bool { return !vocabulary.EntryKinds.Has(k) }) {
			return q, httpx.Parameter("kinds", "must be a comma list of kinds such as fact,deadline")
		}
	}
	q.Kinds = kindsFor(c, q.Kinds)

	q.From, q.To = params["from"], params["to"]
	for _, name := range []string{"from", "to"} {
		if s, ok := params[name]; ok && !timeline.Date(s) {
			return q, httpx.Parameter(name, "must be a date such as 2026-03-04")
		}
	}
	if q.Origin, err = choice(params, "origin", "", vocabulary.EntryOrigins.All()...); err != nil {
		return q, err
	}
	if q.ReviewStatus, err = choice(params, "reviewStatus", "", vocabulary.EntryReviews.All()...); err != nil {
		return q, err
	}
	sorted, err := choice(params, "sort", "when", "-when", "createdAt")
	if err != nil {
		return q, err
	}
	q.Sort, q.Descending = strings.TrimPrefix(sorted, "-"), sorted[0] == '-'
	if s, ok := params["q"]; ok {
		if utf8.RuneCountInString(s) > maxQ {
			return q, httpx.Parameter("q", "must be at most 200 characters")
		}
		// A name that is searched for is a name that was sent.
		text := inputgate.Text{Channel: guard.Query, Path: "q", Value: s}
		if err := inputgate.Check(c.Request.Context(), a.Gate, a.linkTo(deeplink.AddIdentity, box), text); err != nil {
			return q, err
		}
		if q.Words, q.Phrases = cases.Wording(s); len(q.Words) == 0 {
			return q, httpx.Parameter("q", "must have a word in it")
		}
	}

	return q, nil
}

// wantsCalendar reports whether the caller asks for an iCalendar object.
func wantsCalendar(c *gin.Context) bool {
	for _, part := range strings.Split(strings.Join(c.Request.Header.Values("Accept"), ","), ",") {
		// A weight of 0 says "not this one" (RFC 9110).
		mt, params, err := mime.ParseMediaType(strings.TrimSpace(part))
		if err == nil && mt == "text/calendar" && params["q"] != "0" {
			return true
		}
	}

	return false
}

// Bounds of a calendar.
const (
	maxReminders = 5
	maxDaysAhead = 365
	maxEvents    = 1000
)

// writeCalendar answers with the confirmed deadlines.
func (a *API) writeCalendar(c *gin.Context, box phases.Container, params map[string]string) error {
	// A calendar program asks without a cursor, so a calendar is whole and takes no filters.
	for name := range params {
		if name != "remindDaysBefore" {
			return httpx.Parameter(name, "does not go with Accept: text/calendar")
		}
	}
	remind, err := reminders(params)
	if err != nil {
		return err
	}
	branches, _, err := a.branchesOf(c, box, "")
	if err != nil {
		return err
	}
	list, err := a.Timeline.Deadlines(
		c.Request.Context(), box.Tenant, box.TimelineID, sightOf(c, branches), maxEvents, timeline.Confirmed,
	)
	if err != nil {
		return err
	}
	matter := ""
	if box.Case != nil {
		matter = box.Case.Title
	}
	body := timeline.Calendar(matter, list, remind)
	c.Header("Vary", "Accept")
	if httpx.Unchanged(c, httpx.BodyTag(body)) {
		return nil
	}
	c.Header("Content-Disposition", `attachment; filename="deadlines.ics"`)
	c.Data(http.StatusOK, "text/calendar; charset=utf-8", body)

	return nil
}

func reminders(params map[string]string) ([]int, error) {
	s, ok := params["remindDaysBefore"]
	if !ok {
		return nil, nil
	}
	parts := strings.Split(s, ",")

	all := make([]int, len(parts))
	for i, p := range parts {
		n, err := httpx.Number(p)
		if err != nil || n < 0 || n > maxDaysAhead || len(parts) > maxReminders {
			return nil, httpx.Parameter(
				"remindDaysBefore", "must be a comma list of up to 5 numbers of days from 0 to 365",
			)
		}
		all[i] = n
	}
	slices.Sort(all)

	return slices.Compact(all), nil
}

// createEntry writes one entry of a person or an agent.
func (a *API) createEntry(c *gin.Context) error {
	if _, err := httpx.Query(c); err != nil {
		return err
	}
	_, box, err := a.timelineOf(c)
	if err != nil {
		return err
	}
	if err := rights.WriteEntries(callerOf(c), box.Type); err != nil {
		return err
	}
	var body api.NewEntry
	if err := httpx.Decode(c, &body); err != nil {
		return httpx.LinkRefusal(err, a.linkTo(deeplink.AddIdentity, box))
	}

	return a.Idempotency.Serve(c, request(
		c, "POST /v1/timeline/"+box.TimelineID+"/entries", body,
	), func(m idempotency.Mark) (idempotency.Answer, error) {
		return a.newEntry(c, box, madeBy(m, "entry by key", box.Tenant, m.Name, m.Fingerprint), body)
	})
}

func (a *API) newEntry(c *gin.Context, box phases.Container, id string, body api.NewEntry) (idempotency.Answer, error) {
	draft := entryFrom(body.EntryContent)
	draft.Deadline.ResponsibleUserID = body.ResponsibleUserID
	e, err := a.Timeline.Add(c.Request.Context(), actorOf(c), box, id, draft)
	if err != nil {
		return idempotency.Answer{}, err
	}
	out, _, err := document(entryOf(e))

	return idempotency.Answer{Status: http.StatusCreated, ETag: httpx.ETag(e.Version), Body: out}, err
}

// patchEntry takes a person's decision on an entry.
func (a *API) patchEntry(c *gin.Context) error {
	if _, err := httpx.Query(c); err != nil {
		return err
	}
	_, box, err := a.timelineOf(c)
	if err != nil {
		return err
	}
	e, err := a.Timeline.Store.Get(c.Request.Context(), box.Tenant, box.TimelineID, c.Param("entryId"))
	if err != nil {
		return err
	}
	if err := rights.WriteEntries(callerOf(c), box.Type); err != nil {
		return err
	}
	var body entryPatch
	if err := decodeMerge(c, &body); err != nil {
		return httpx.LinkRefusal(err, a.linkTo(deeplink.AddIdentity, box))
	}
	change, err := body.revision()
	if err != nil {
		return err
	}
	e, err = a.Timeline.Revise(c.Request.Context(), actorOf(c), box, e.ID, httpx.IfMatch(c), change)
	if err != nil {
		return err
	}
	c.Header("ETag", httpx.ETag(e.Version))

	return httpx.JSON(c, http.StatusOK, entryOf(e))
}

// proposeEntries takes what a phase found.
func (a *API) proposeEntries(c *gin.Context) error {
	var body api.ProposeEntries
	if err := decodeDocument(c, &body); err != nil {
		return httpx.LinkRefusal(err, a.Links.To(deeplink.AddIdentity, ""))
	}
	_, box, err := a.timelineOf(c)
	if err != nil {
		return err
	}
	if err := rights.Run(callerOf(c), workRequest[box.Type]); err != nil {
		return err
	}
	ctx := c.Request.Context()

	p, err := a.Phases.Records.Get(ctx, box.Tenant, body.PhaseID)
	switch {
	case err == nil && (p.TimelineID != box.TimelineID || !access.CallerFrom(ctx).WorksOn(p.ID)):
		err = phases.ErrNotFound
	case err == nil && !p.InAttempt(body.Attempt):
		err = phases.ErrTransition
	}
	if err != nil {
		return err
	}
	if n := len(body.Entries); n < 1 || n > api.MaxProposed {
		var f validate.List
		f.Add("entries", "must be 1 to 100")

		return f.Err()
	}

	drafts := make([]timeline.Draft, len(body.Entries))
	for i, e := range body.Entries {
		drafts[i] = entryFrom(e)
	}
	found, err := a.Timeline.Propose(ctx, actorOf(c), box, p, body.Origin, drafts)
	if err != nil {
		return err
	}

	out := api.ProposedEntries{Items: make([]api.ProposedEntry, len(found))}
	for i, o := range found {
		out.Items[i] = api.ProposedEntry{EntryID: o.ID, Added: o.Added}
	}

	return httpx.JSON(c, http.StatusOK, out)
}
