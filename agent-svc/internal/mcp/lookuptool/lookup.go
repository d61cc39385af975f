// Package lookuptool is the tool that reads: each of its views is one reading operation of the interface, asked with
// the caller's own rights and brought into one form that a model can take in.
package lookuptool

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/mcp/catalogue"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/mcp/protocol"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/redisstore"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/deeplink"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/httpcall"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
	"github.com/subrosa-legal/subrosa/pkg/ids"
	"github.com/subrosa-legal/subrosa/pkg/services"
	"github.com/subrosa-legal/subrosa/pkg/strictjson"
)

//go:embed input.json
var input []byte

//go:embed output.json
var output []byte

// limit is how long one lookup may take.
const limit = 30 * time.Second

// Service is what lookups read from.
type Service struct {
	Cases     services.CaseClient
	Parties   services.PartyClient
	Catalogue *catalogue.Catalogue
	Gate      guard.Gate
	Handles   *redisstore.Handles // of tasks that wait in line
	Base      string              // public address of the service
	Links     deeplink.Links      // to pages for people
	Now       func() time.Time
}

// Tool returns the tool.
func (d *Service) Tool() protocol.Tool {
	return protocol.Tool{
		Name:  catalogue.Lookup,
		Title: "Look up legal records",
		Description: "Reads cases, files and their passages, parties, timelines, branches, tasks, " +
			"professionals and invites. Records name parties by labels such as [Party 1]. It changes nothing. " +
			"Start with view workspace and a case's id, or with view cases to find one; " +
			"view operations lists everything that the service can do.",
		Input:  input,
		Output: output,
		Hints:  protocol.Hints{ReadOnly: true, Idempotent: true},
		Needs:  func(json.RawMessage) []string { return needed },
		Limit:  func(json.RawMessage) time.Duration { return limit },
		Paths:  map[string]string{"q": "query", "phaseId": "id"},
		Do:     d.do,
	}
}

var needed = []string{access.ScopeRead}

// query is what a call asks for, in the form of the tool's schema.
type query struct {
	View          string            `json:"view"`
	ID            string            `json:"id"`
	CaseID        string            `json:"caseId"`
	BranchID      string            `json:"branchId"`
	ContainerType string            `json:"containerType"`
	Query         string            `json:"query"`
	Filters       map[string]string `json:"filters"`
	From          int               `json:"from"`
	To            int               `json:"to"`
	Detail        string            `json:"detail"`
	Limit         int               `json:"limit"`
	Cursor        string            `json:"cursor"`

	place place // that the cursor names
}

// Limits of a call.
const (
	longestID     = 128
	longestQuery  = 200
	longestCursor = 512
	mostFilters   = 20
	mostItems     = 50
	usualItems    = 20
	longestRange  = 20_000 // code points of a passage
)

func (d *Service) do(ctx context.Context, call *protocol.Call) (protocol.Answer, error) {
	if !protocol.Allows(access.CallerFrom(ctx), needed) {
		return protocol.Answer{}, access.ErrScope
	}
	q := query{ContainerType: api.ContainerCase, Detail: "brief", Limit: usualItems}
	if err := strictjson.Decode(call.Arguments, &q); err != nil {
		return protocol.Answer{}, httpx.LinkRefusal(err, d.Links.To(deeplink.AddIdentity, ""))
	}
	v, err := d.check(&q)
	if err != nil {
		return protocol.Answer{}, err
	}
	// The words are checked before any service sees them: a search would carry a name into its logs and indexes.
	if err := d.screen(ctx, q); err != nil {
		return protocol.Answer{}, err
	}
	found, err := v.read(d, ctx, q)
	if err != nil {
		return protocol.Answer{}, err
	}

	told := found.answer(q)
	told.RetrievedAt = api.At(d.Now())

	return protocol.Answer{Value: told, Links: found.links}, nil
}

// check refuses a call that is not of the form of the schema or lacks what its view needs, naming every argument that
// is wrong.
func (d *Service) check(q *query) (view, error) {
	v, known := views[q.View]
	if !known {
		return view{}, httpx.ErrValidation.WithDetails(errs.Detail{
			Path:    "view",
			Message: "must be one of " + strings.Join(viewNames(), ", "),
		})
	}
	var wrong []errs.Detail
	want := func(ok bool, path, message string) {
		if !ok {
			wrong = append(wrong, errs.Detail{Path: path, Message: message})
		}
	}
	within := func(s string, most int) bool { return utf8.RuneCountInString(s) <= most }

	given := map[string]string{"id": q.ID, "caseId": q.CaseID, "query": strings.TrimSpace(q.Query)}

	required := map[string]bool{
		"id":     v.needsID && (!v.orCase || q.CaseID == ""),
		"caseId": v.needsCase,
		"query":  v.needsQuery,
	}
	for name, needed := range required {
		want(!needed || given[name] != "", name, "is required by the view "+q.View)
	}

	for name, id := range map[string]string{"id": q.ID, "caseId": q.CaseID, "branchId": q.BranchID} {
		// Operations have names in place of ids.
		named := name == "id" && q.View == "operations"
		want(id == "" || ids.Valid(id) || named && len(id) <= longestID, name, "must be an id from a list")
	}
	want(within(q.Query, longestQuery), "query", "must be at most 200 characters")
	want(
		slices.Contains([]string{api.ContainerCase, api.ContainerSupport, api.ContainerSales}, q.ContainerType),
		"containerType",
		"must be case, support or sales",
	)
	want(slices.Contains([]string{"brief", "full"}, q.Detail), "detail", "must be brief or full")
	want(q.Limit >= 1 && q.Limit <= mostItems, "limit", "must be 1 to 50")
	want(q.From >= 0, "from", "must be at least 0")
	want(
		q.To == 0 || q.To > q.From && q.To <= q.From+longestRange,
		"to",
		"must be after from, and at most 20000 after it",
	)
	var ok bool
	q.place, ok = placeOf(q.Cursor)
	want(
		ok && len(q.Cursor) <= longestCursor,
		"cursor",
		"must be the nextCursor of the previous answer, with the same other arguments",
	)
	d.checkFilters(v, *q, want)
	if wrong != nil {
		// The order of a map would give the same call another answer each time.
		slices.SortStableFunc(wrong, func(a, b errs.Detail) int { return strings.Compare(a.Path, b.Path) })
		return view{}, httpx.ErrValidation.WithDetails(wrong...)
	}

	return v, nil
}

// checkFilters holds filters against the query parameters that the view's operation declares.
func (d *Service) checkFilters(v view, q query, want func(ok bool, path, message string)) {
	declared, _ := d.Catalogue.Query(v.operation)
	// What the tool sets itself is no filter: two values would leave open which of them holds.
	allowed := slices.DeleteFunc(slices.Clone(declared), func(name string) bool {
		return catalogue.Fixed(name) || slices.Contains(v.sets, name)
	})
	want(len(q.Filters) <= mostFilters, "filters", "must be at most 20")

	for name, value := range q.Filters {
		switch known := slices.Contains(allowed, name); {
		case !known && len(allowed) == 0:
			want(false, "filters", "the view "+q.View+" takes none")
		case !known:
			want(false, "filters", "must be one of "+strings.Join(allowed, ", "))
		default:
			want(utf8.RuneCountInString(value) <= longestQuery, "filters."+name, "must be at most 200 characters")
		}
	}
}

// screen refuses a call whose words would name somebody. It is put on record before the answer goes out.
func (d *Service) screen(ctx context.Context, q query) error {
	found := guard.At("query", d.Gate.Check(ctx, guard.Query, q.Query))
	for name, value := range q.Filters {
		found = append(found, guard.At("filters."+name, d.Gate.Check(ctx, guard.ChosenID, value))...)
	}

	for name, value := range map[string]string{"id": q.ID, "caseId": q.CaseID, "branchId": q.BranchID} {
		found = append(found, guard.At(name, d.Gate.Check(ctx, guard.ChosenID, value))...)
	}
	if len(found) == 0 {
		return nil
	}
	record := api.RecordRefusal{Action: "lookup.refused", ResourceType: "case"}
	if err := d.Cases.RecordRefusal(ctx, record); err != nil {
		return err
	}

	return guard.Refusal(d.Links.To(deeplink.AddIdentity, ""), found)
}

// get reads one answer of a service, with the rights of whoever ctx acts for.
func get[T any](ctx context.Context, client *httpcall.Client, query url.Values, segments ...string) (T, error) {
	var out T
	_, err := client.Do(ctx, httpcall.Request{
		Method: http.MethodGet,
		Path:   httpcall.Path(segments...),
		Query:  query,
		Out:    &out,
	})
	// The same words whichever service says it and why, so that nobody learns what there is.
	if errors.Is(err, errs.ErrNotFound) {
		err = errs.ErrNotFound
	}
	if err != nil {
		return out, fmt.Errorf("read %s: %w", segments[1], err)
	}

	return out, nil
}

// parameters are the query parameters of an operation that answers a list: those of the filters, and where the list
// goes on.
func (q query) parameters() url.Values {
	values := url.Values{"limit": {strconv.Itoa(q.size())}}
	for name, value := range q.Filters {
		values.Set(name, value)
	}
	if q.Query != "" {
		values.Set("q", q.Query)
	}
	if q.place.cursor != "" {
		values.Set("cursor", q.place.cursor)
	}

	return values
}

// size is how many records a page has at the service: that of the page which the cursor goes on with.
func (q query) size() int {
	if q.place.size > 0 {
		return q.place.size
	}

	return q.Limit
}

func viewNames() []string {
	return []string{
		"operations", "service", "search", "cases", "case", "workspace", "timeline", "branch", "phases", "phase",
		"files", "file", "passage", "parties", "party", "partners", "invites", "invite", "tasks", "task",
	}
}
