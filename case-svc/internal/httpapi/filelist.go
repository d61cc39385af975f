package httpapi

import (
	"cmp"
	"context"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/files"
	"github.com/subrosa-legal/subrosa/case-svc/internal/passages"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/deeplink"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
	"github.com/subrosa-legal/subrosa/pkg/inputgate"
	"github.com/subrosa-legal/subrosa/pkg/vocabulary"
)

var fileParameters = []string{
	"q", "status", "docType", "extraction", "privilege", "from", "to", "sort", "cursor", "limit", "includeTotal",
}

func (a *API) listFiles(c *gin.Context) error {
	params, err := httpx.Query(c, fileParameters...)
	if err != nil {
		return err
	}
	kase, err := a.readable(c)
	if err != nil {
		return err
	}
	q, err := fileQuery(params)
	if err != nil {
		return err
	}
	hits, ranked, err := a.hitsOf(c, kase, params["q"])
	if err != nil {
		return err
	}
	if params["sort"] == "relevance" && ranked == nil {
		return httpx.Parameter("sort", "relevance needs q")
	}
	// No hits is an empty list of ids, which finds nothing. Without it the store would return every file.
	if hits != nil {
		q.IDs = []string{}
		for id := range hits {
			q.IDs = append(q.IDs, id)
		}
		sort.Strings(q.IDs)
	}
	q = narrow(c, q)
	ctx := c.Request.Context()
	whole := fileListOf(kase, params, q)
	if q.After, err = a.Cursors.Place(params["cursor"], whole); err != nil {
		return err
	}
	counted, err := httpx.Flag(params, "includeTotal")
	if err != nil {
		return err
	}
	limit := q.Limit
	q.Limit++ // one more tells whether a page follows
	var found []files.File
	if params["sort"] == "relevance" {
		found, err = a.byRank(ctx, kase, q, ranked)
	} else {
		found, err = a.Intake.Files.List(ctx, kase.Tenant, kase.ID, q)
	}
	if err != nil {
		return err
	}

	page := api.Page[api.File]{Items: []api.File{}, Limit: limit}
	for _, f := range found[:min(limit, len(found))] {
		wire := fileOf(f, callerOf(c))
		wire.Hits = hits[f.ID]
		page.Items = append(page.Items, wire)
	}
	if len(found) > limit {
		place := q.PlaceOf(found[limit-1])
		i := slices.IndexFunc(ranked, func(r rank) bool { return r.id == found[limit-1].ID })
		if i >= 0 && params["sort"] == "relevance" {
			place = ranked[i].place()
		}
		cursor := a.Cursors.Next(place, whole)
		page.NextCursor = &cursor
	}
	if counted {
		n, err := a.Intake.Files.Count(ctx, kase.Tenant, kase.ID, q.Filter)
		if err != nil {
			return err
		}
		page.Total, page.TotalCapped = httpx.Capped(n)
	}

	return httpx.Page(c, page.NextCursor, func(next *string) any { page.NextCursor = next; return page })
}

// fileListOf names a list of files for its cursors.
func fileListOf(kase cases.Case, params map[string]string, q files.Query) list {
	return list{Route: "files", Tenant: kase.Tenant, Scope: kase.ID, Query: []any{
		params["q"], q.Status, q.DocType, q.Extraction, q.Privilege, q.From, q.To, params["sort"],
	}}
}

// fileQuery reads the parameters of a list.
func fileQuery(params map[string]string) (files.Query, error) {
	q := files.Query{
		Sort: files.ByCreated, Descending: true,
		Filter: files.Filter{Status: files.Active, DocType: params["docType"], Extraction: params["extraction"]},
	}
	var err error
	if q.Limit, err = httpx.Limit(params); err != nil {
		return q, err
	}

	switch s := params["status"]; s {
	case "":
	case files.Active, files.Superseded, files.Deleted:
		q.Status = s
	default:
		return q, httpx.Parameter("status", "must be active, superseded or deleted")
	}
	if q.Privilege = params["privilege"]; q.Privilege != "" && !vocabulary.Privileges.Has(q.Privilege) {
		return q, httpx.Parameter("privilege", "must be one of "+strings.Join(vocabulary.Privileges.All(), ", "))
	}

	for name, bound := range map[string]*string{"from": &q.From, "to": &q.To} {
		if *bound = params[name]; *bound != "" {
			if _, err := time.Parse(time.DateOnly, *bound); err != nil {
				return q, httpx.Parameter(name, "must be a date of the form YYYY-MM-DD")
			}
		}
	}
	if q.DocType != "" && !vocabulary.DocumentTypes.Has(q.DocType) {
		return q, httpx.Parameter("docType", "must be a document type such as complaint")
	}

	if q.Extraction != "" && !vocabulary.ExtractionStatuses.Has(q.Extraction) {
		return q, httpx.Parameter("extraction", "must be ok, low_quality, needs_ocr, damaged, encrypted or unsupported")
	}

	switch s := params["sort"]; s {
	case "", "-createdAt":
	case "createdAt":
		q.Descending = false
	case "name":
		q.Sort, q.Descending = files.ByName, false
	case "documentOn":
		q.Sort, q.Descending = files.ByDocument, false
	case "relevance":
	default:
		return q, httpx.Parameter("sort", "must be -createdAt, createdAt, name, documentOn or relevance")
	}

	return q, nil
}

// hitsOf finds the passages that answer q, by file, and the files in the order of their best one; nil when nothing is
// asked for.
func (a *API) hitsOf(
	c *gin.Context, kase cases.Case, q string,
) (hits map[string][]api.SourceRef, ranked []rank, err error) {
	if q == "" {
		return nil, nil, nil
	}
	if utf8.RuneCountInString(q) > maxQ {
		return nil, nil, httpx.Parameter("q", "must be at most 200 characters")
	}
	r, err := a.request(c, kase, passages.Request{Query: q, Limit: hitsPerFile, Broad: true}, "q")
	if err != nil {
		return nil, nil, err
	}
	found, err := a.Search.FindInEach(c.Request.Context(), r)
	if err != nil {
		return nil, nil, err
	}

	hits, ranked = map[string][]api.SourceRef{}, []rank{}
	for id, list := range found {
		ranked = append(ranked, rank{scoreOf(list), id})
		for _, h := range list {
			hits[id] = append(hits[id], refOf(h.Source))
		}
	}
	slices.SortFunc(ranked, func(x, y rank) int { return x.compare(y) })

	return hits, ranked, nil
}

// scoreOf returns by what a file is ranked: the score of its best passage. One that has only words near in meaning to
// those of the query comes behind every other, and a draft of this service, which only repeats others, behind those.
func scoreOf(hits []passages.Hit) float64 {
	score := hits[0].Score
	if hits[0].Generated {
		score *= draftShare
	}
	hint := func(h passages.Hit) bool { return len(h.Near) > 0 && len(h.Near) == len(h.Matched) }
	if !slices.ContainsFunc(hits, func(h passages.Hit) bool { return !hint(h) }) {
		score *= hintShare
	}

	return score
}

const (
	hintShare  = 1e-9  // of the score of a file that is only a hint
	draftShare = 1e-18 // of the score of a draft
)

// rank is a file's place among those found: the better the earlier, and the id decides between equals.
type rank struct {
	score float64
	id    string
}

func (r rank) compare(other rank) int {
	return cmp.Or(cmp.Compare(other.score, r.score), cmp.Compare(r.id, other.id))
}

// place is where a page ended.
func (r rank) place() cases.Cursor {
	return cases.Cursor{Text: strconv.FormatFloat(r.score, 'g', -1, 64), ID: r.id}
}

// rankAt reads what place wrote; it stands in a sealed cursor.
func rankAt(p cases.Cursor) rank {
	score, _ := strconv.ParseFloat(p.Text, 64)
	return rank{score, p.ID}
}

// byRank returns a page of the files that q lets through in the order of ranked, which holds at most as many as a case
// can have.
func (a *API) byRank(ctx context.Context, kase cases.Case, q files.Query, ranked []rank) ([]files.File, error) {
	if q.After != nil {
		ranked = behind(ranked, rankAt(*q.After))
	}
	if len(ranked) == 0 {
		return nil, nil
	}
	at := map[string]int{}
	q.IDs = nil

	for i, r := range ranked {
		at[r.id] = i
		q.IDs = append(q.IDs, r.id)
	}
	slices.Sort(q.IDs)
	limit := q.Limit
	q.After, q.Limit = nil, len(ranked)
	found, err := a.Intake.Files.List(ctx, kase.Tenant, kase.ID, q)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(found, func(x, y files.File) int { return cmp.Compare(at[x.ID], at[y.ID]) })

	return found[:min(limit, len(found))], nil
}

// behind returns what follows last. Scores move with every file of the case that comes or goes, so its place now
// decides, and its score only when it is gone.
func behind(ranked []rank, last rank) []rank {
	if i := slices.IndexFunc(ranked, func(r rank) bool { return r.id == last.id }); i >= 0 {
		return ranked[i+1:]
	}

	return slices.DeleteFunc(slices.Clone(ranked), func(r rank) bool { return r.compare(last) <= 0 })
}

// request makes r one of the caller's in the case. The query passes the gate first.
func (a *API) request(c *gin.Context, kase cases.Case, r passages.Request, path string) (passages.Request, error) {
	text := inputgate.Text{Channel: guard.Query, Path: path, Value: r.Query}
	if err := inputgate.Check(
		c.Request.Context(), a.Gate, a.Links.To(deeplink.AddIdentity, kase.ID), text,
	); err != nil {
		return r, err
	}
	// An agent must not find by search what it may not read.
	r.Tenant, r.CaseID, r.ForAgents = kase.Tenant, kase.ID, callerOf(c).Kind != access.User

	return r, nil
}
