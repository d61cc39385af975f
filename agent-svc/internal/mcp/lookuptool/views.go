package lookuptool

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/admission"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/errs"
)

// view is one thing that can be looked up.
type view struct {
	operation  string   // whose query parameters its filters may be
	sets       []string // of those, what the view sets itself
	needsID    bool
	orCase     bool // the case may be named in place of the id
	needsCase  bool
	needsQuery bool
	read       func(d *Service, ctx context.Context, q query) (found, error)
}

var views = map[string]view{
	"operations": {read: (*Service).operations},
	"service":    {read: (*Service).service},
	"search":     {operation: "listCases", sets: []string{"fields"}, needsQuery: true, read: (*Service).search},
	"cases":      {operation: "listCases", sets: []string{"fields"}, read: (*Service).cases},
	"case":       {operation: "getCase", needsID: true, read: (*Service).oneCase},
	"workspace":  {operation: "getWorkspace", needsID: true, read: (*Service).workspace},
	"timeline": {
		operation: "getTimeline", needsID: true, orCase: true, sets: []string{"remindDaysBefore"},
		read: (*Service).timeline,
	},
	"branch":  {operation: "getBranch", needsID: true, read: (*Service).branch},
	"phases":  {operation: "listPhases", read: (*Service).phases},
	"phase":   {needsID: true, read: (*Service).phase},
	"files":   {operation: "listFiles", needsCase: true, read: (*Service).files},
	"file":    {operation: "getFile", needsID: true, needsCase: true, read: (*Service).file},
	"passage": {needsID: true, needsCase: true, read: (*Service).passage},
	"parties": {
		operation: "listParties", needsCase: true, sets: []string{"sealedKeyVersion"}, read: (*Service).parties,
	},
	"party":    {operation: "getParty", needsID: true, read: (*Service).party},
	"partners": {operation: "searchPartners", read: (*Service).partners},
	"invites":  {operation: "listInvites", read: (*Service).invites},
	"invite":   {operation: "getInvite", needsID: true, read: (*Service).invite},
	"tasks":    {operation: "listPhases", sets: []string{"order", "includeInherited"}, read: (*Service).tasks},
	"task":     {needsID: true, read: (*Service).task},
}

func (p page) found(items []Item) found {
	f := found{items: items}
	if p.NextCursor != nil {
		f.next = *p.NextCursor
	}

	return f
}

func (d *Service) cases(ctx context.Context, q query) (found, error) {
	values := q.parameters()
	values.Set("fields", map[string]string{"brief": "summary", "full": "full"}[q.Detail])
	p, err := get[page](ctx, d.Cases.HTTP, values, "v1", "cases")

	return p.found(d.items(caseKind, p.Items, q.Detail, "")), err
}

// search finds cases by the words on their records; within one case it finds that case, if the words are on its record,
// and the passages of its files.
func (d *Service) search(ctx context.Context, q query) (found, error) {
	if q.CaseID == "" {
		f, err := d.cases(ctx, q)
		f.notice = noticeCases

		return f, err
	}
	files := url.Values{"q": {q.Query}, "limit": {strconv.Itoa(q.size())}, "sort": {"relevance"}}
	if q.place.cursor != "" {
		files.Set("cursor", q.place.cursor)
	}
	p, err := get[page](ctx, d.Cases.HTTP, files, "v1", "cases", q.CaseID, "files")
	if err != nil {
		return found{}, err
	}
	f := p.found(d.items(fileKind, p.Items, q.Detail, q.CaseID))
	f.notice = unread(p.Items)
	if q.place.cursor != "" {
		return f, nil
	}

	records := url.Values{"q": {q.Query}, "limit": {"100"}}
	for name, value := range q.Filters {
		records.Set(name, value)
	}
	all, err := get[page](ctx, d.Cases.HTTP, records, "v1", "cases")
	if err != nil {
		return found{}, err
	}
	if i := slices.IndexFunc(all.Items, func(r record) bool { return r.text("caseId") == q.CaseID }); i >= 0 {
		f.items = append([]Item{d.item(caseKind, all.Items[i], q.Detail, "")}, f.items...)
	}

	return f, nil
}

// filters are the query parameters of an operation that answers one record.
func (q query) filters() url.Values {
	values := url.Values{}
	for name, value := range q.Filters {
		values.Set(name, value)
	}

	return values
}

func (d *Service) oneCase(ctx context.Context, q query) (found, error) {
	r, err := get[record](ctx, d.Cases.HTTP, q.filters(), "v1", "cases", q.ID)
	return found{items: []Item{d.item(caseKind, r, q.Detail, q.ID)}}, err
}

// workspace tells what a container has, one item each, what the caller may do first.
func (d *Service) workspace(ctx context.Context, q query) (found, error) {
	values := q.filters()
	if q.BranchID != "" {
		values.Set("branchId", q.BranchID)
	}
	r, err := get[record](ctx, d.Cases.HTTP, values, "v1", "workspace", q.ContainerType, q.ID)
	if err != nil {
		return found{}, err
	}
	caseID := ""
	if q.ContainerType == api.ContainerCase {
		caseID = q.ID
	}

	head := Item{
		ID:     q.ID,
		Type:   "workspace",
		Title:  "Workspace",
		URL:    r.within("links").text("browser"),
		Fields: map[string]any{},
	}
	for _, name := range []string{"containerType", "containerId", "permissions", "engine", "checklist", "unavailable"} {
		if v := r[name]; v != nil {
			head.Fields[name] = v
		}
	}
	timeline := r.within("timeline")
	head.Fields["timelineId"], head.Fields["activeBranchId"] = timeline["timelineId"], timeline["activeBranchId"]
	box := containerKind
	if caseID != "" {
		box = caseKind
	}

	items := []Item{head, d.item(box, r.within("container"), q.Detail, caseID)}
	for _, part := range []struct {
		kind kind
		all  []record
	}{
		{entryKind, r.list("deadlines")},
		{phaseKind, r.list("pendingReviews")},
		{partyKind, r.list("parties")},
		{fileKind, r.within("files").list("items")},
		{phaseKind, r.list("recentPhases")},
		{branchKind, r.within("timeline").list("branches")},
		{inviteKind, r.list("partners")},
	} {
		items = append(items, d.items(part.kind, part.all, q.Detail, caseID)...)
	}
	f := found{items: items}
	if next := r.within("files").text("nextCursor"); next != "" {
		f.notice = "The case has more files than a workspace lists; the view files lists all of them."
	}

	return f, nil
}

// timeline takes the id of a timeline, or of the case that it belongs to, which may stand in caseId too.
func (d *Service) timeline(ctx context.Context, q query) (found, error) {
	values := q.parameters()
	if q.BranchID != "" {
		values.Set("branchId", q.BranchID)
	}
	id := cmp.Or(q.ID, q.CaseID)
	r, err := get[record](ctx, d.Cases.HTTP, values, "v1", "timeline", id)
	if errors.Is(err, errs.ErrNotFound) {
		if kase, missing := d.Cases.CaseByID(ctx, id); missing == nil {
			r, err = get[record](ctx, d.Cases.HTTP, values, "v1", "timeline", kase.TimelineID)
		}
	}
	if err != nil {
		return found{}, err
	}
	head := d.item(timelineKind, r, "brief", "")
	head.Fields["branches"] = r["branches"]
	var f found
	if q.place.cursor == "" {
		f.items = append([]Item{head}, d.items(entryKind, r.list("deadlines"), q.Detail, "")...)
	}

	told := map[string]bool{}
	for _, i := range f.items {
		told[i.ID] = true
	}

	for _, e := range r.list("entries") {
		if !told[e.text("entryId")] {
			f.items = append(f.items, d.item(entryKind, e, q.Detail, caseOf(r)))
		}
	}
	f.next = r.text("nextCursor")

	return f, nil
}

// caseOf is the case that a record of work belongs to, "" for that of a conversation.
func caseOf(r record) string {
	if r.text("containerType") == api.ContainerCase {
		return r.text("containerId")
	}

	return ""
}

func (d *Service) branch(ctx context.Context, q query) (found, error) {
	r, err := get[record](ctx, d.Cases.HTTP, nil, "v1", "branch", q.ID)
	return found{items: []Item{d.item(branchKind, r, q.Detail, "")}}, err
}

// phases lists those of a branch: of the one that is named, or of the active one of the case.
func (d *Service) phases(ctx context.Context, q query) (found, error) {
	branch := q.BranchID
	if branch == "" && q.CaseID != "" {
		kase, err := d.Cases.CaseByID(ctx, q.CaseID)
		if err != nil {
			return found{}, err
		}
		branch = kase.ActiveBranchID
	}
	if branch == "" {
		return found{}, errNeedsBranch
	}
	values := q.parameters()
	values.Set("branchId", branch)

	return d.listPhases(ctx, q, values)
}

var errNeedsBranch = errs.New(
	errs.Invalid,
	"validation_failed",
	"The view phases needs branchId, or the caseId whose active branch it lists. "+
		"The view tasks lists the caller's own without either.",
)

func (d *Service) tasks(ctx context.Context, q query) (found, error) {
	values := q.parameters()
	values.Set("mine", "true")
	if q.CaseID != "" {
		values.Set("containerId", q.CaseID)
	}

	return d.listPhases(ctx, q, values)
}

func (d *Service) listPhases(ctx context.Context, q query, values url.Values) (found, error) {
	values.Set("view", map[string]string{"brief": "summary", "full": "full"}[q.Detail])
	p, err := get[page](ctx, d.Cases.HTTP, values, "v1", "phases")
	k := phaseKind
	if q.View == "tasks" {
		k.name = "task"
	}

	return p.found(d.items(k, p.Items, q.Detail, "")), err
}

func (d *Service) phase(ctx context.Context, q query) (found, error) {
	r, err := d.onePhase(ctx, q.ID)
	return found{items: []Item{d.item(phaseKind, r, q.Detail, "")}}, err
}

func (d *Service) onePhase(ctx context.Context, id string) (record, error) {
	return get[record](ctx, d.Cases.HTTP, url.Values{"phaseId": {id}}, "v1", "phases")
}

// task is a phase of the caller's user. That of another user is not told from one that does not exist.
func (d *Service) task(ctx context.Context, q query) (found, error) {
	caller := access.CallerFrom(ctx)

	r, err := d.onePhase(ctx, q.ID)
	switch {
	case errors.Is(err, errs.ErrNotFound):
		lost, err := d.Handles.Lost(ctx, admission.KeyOf(caller, q.ID), caller.UserID)
		if err != nil {
			return found{}, err
		}
		r = recordOfLost(lost)
	case err != nil:
		return found{}, err
	case r.within("createdBy").text("userId") != caller.UserID:
		return found{}, fmt.Errorf("read phases: %w", errs.ErrNotFound)
	}
	i := d.item(phaseKind, r, q.Detail, "")
	i.Type = "task"

	return found{items: []Item{i}}, nil
}

// recordOfLost tells what is known of a task that was lost in line. It never got a place on its branch or a time.
func recordOfLost(p api.Phase) record {
	return record{
		"phaseId": p.PhaseID, "sessionId": p.SessionID, "requestType": p.RequestType, "status": p.Status,
		"containerType": p.ContainerType, "containerId": p.ContainerID,
		"error": map[string]any{
			"error": p.Error.Error, "message": p.Error.Message, "retryable": p.Error.Retryable,
		},
	}
}

func (d *Service) files(ctx context.Context, q query) (found, error) {
	p, err := get[page](ctx, d.Cases.HTTP, q.parameters(), "v1", "cases", q.CaseID, "files")
	return p.found(d.items(fileKind, p.Items, q.Detail, q.CaseID)), err
}

func (d *Service) file(ctx context.Context, q query) (found, error) {
	r, err := get[record](ctx, d.Cases.HTTP, nil, "v1", "cases", q.CaseID, "files", q.ID)
	f := found{items: []Item{d.item(fileKind, r, q.Detail, q.CaseID)}}
	if err == nil {
		if link, ok := d.fileLink(r); ok {
			f.links = append(f.links, link)
		}
	}

	return f, err
}

// usualRange is how many characters of a file a call reads that does not say.
const usualRange = 10_000

// passage reads characters of a file. Where the answer has no room for all of them it reads fewer.
func (d *Service) passage(ctx context.Context, q query) (found, error) {
	if q.To == 0 {
		q.To = q.From + usualRange
	}

	for {
		values := url.Values{"from": {strconv.Itoa(q.From)}, "to": {strconv.Itoa(q.To)}}
		r, err := get[record](ctx, d.Cases.HTTP, values, "v1", "cases", q.CaseID, "files", q.ID, "text")
		if err != nil {
			return found{}, err
		}
		from, to := number(r["from"]), number(r["to"])
		i := Item{
			ID:     span(q.ID, from, to),
			Type:   "passage",
			Title:  "Characters " + strconv.Itoa(from) + " to " + strconv.Itoa(to),
			URL:    d.address(q.CaseID, "file", q.ID),
			Fields: r,
		}
		f := found{items: []Item{i}, notice: whole(r, q)}
		if sizeOf(i) <= longest-reserved || q.To-q.From < 2 {
			return f, nil
		}
		q.To = q.From + (q.To-q.From)/2
	}
}

// whole tells what of a file lies beyond a passage.
func whole(r record, q query) string {
	if n := number(r["total"]); n > q.To {
		return fmt.Sprintf("The file has %d characters; go on with from %d.", n, q.To)
	}

	return ""
}

// number is a whole number of a record, 0 for what is none.
func number(v any) int {
	n, _ := v.(json.Number)
	i, _ := n.Int64()

	return int(i)
}

func (d *Service) parties(ctx context.Context, q query) (found, error) {
	values := q.parameters()
	values.Set("caseId", q.CaseID)
	p, err := get[page](ctx, d.Parties.HTTP, values, "v1", "parties")

	return p.found(d.items(partyKind, p.Items, q.Detail, q.CaseID)), err
}

func (d *Service) party(ctx context.Context, q query) (found, error) {
	r, err := get[record](ctx, d.Parties.HTTP, nil, "v1", "parties", q.ID)
	return found{items: []Item{d.item(partyKind, r, q.Detail, "")}}, err
}

func (d *Service) partners(ctx context.Context, q query) (found, error) {
	values := q.parameters()
	if q.CaseID != "" {
		values.Set("forCaseId", q.CaseID)
	}
	p, err := get[page](ctx, d.Parties.HTTP, values, "v1", "partners")

	return p.found(d.items(partnerKind, p.Items, q.Detail, "")), err
}

func (d *Service) invites(ctx context.Context, q query) (found, error) {
	values := q.parameters()
	if q.CaseID != "" {
		values.Set("caseId", q.CaseID)
	}
	p, err := get[page](ctx, d.Parties.HTTP, values, "v1", "invites")

	return p.found(d.items(inviteKind, p.Items, q.Detail, "")), err
}

func (d *Service) invite(ctx context.Context, q query) (found, error) {
	r, err := get[record](ctx, d.Parties.HTTP, nil, "v1", "invites", q.ID)
	return found{items: []Item{d.item(inviteKind, r, q.Detail, "")}}, err
}
