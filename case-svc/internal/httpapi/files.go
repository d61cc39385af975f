package httpapi

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"sort"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/files"
	"github.com/subrosa-legal/subrosa/case-svc/internal/passages"
	"github.com/subrosa-legal/subrosa/case-svc/internal/rights"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/authn"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
)

// readable returns the case of the path, for a caller who may read its files.
func (a *API) readable(c *gin.Context) (cases.Case, error) {
	id, err := pathID(c, "caseId")
	if err != nil {
		return cases.Case{}, err
	}
	if err := rights.ReadFiles(callerOf(c)); err != nil {
		return cases.Case{}, err
	}
	return a.Cases.Store.Get(c.Request.Context(), tenantOf(c), id)
}

// file returns the file of the path, with the case that it belongs to.
func (a *API) file(c *gin.Context) (files.File, error) {
	kase, err := a.readable(c)
	if err != nil {
		return files.File{}, err
	}
	f, err := a.Intake.Shelf.Get(c.Request.Context(), kase.Tenant, kase.ID, c.Param("fileId"))
	if err == nil && f.Status == files.Deleted {
		err = files.ErrNotFound
	}
	return f, err
}

func (a *API) getFile(c *gin.Context) error {
	if _, err := httpx.Query(c); err != nil {
		return err
	}
	f, err := a.file(c)
	if err != nil {
		return err
	}
	if unchanged(c, etagOf(f.Version)) {
		return nil
	}
	return httpx.JSON(c, http.StatusOK, fileOf(f))
}

// opened returns the file of the path for a caller who is about to read what it says. Machines read only what was found to be without
// identities, and each reading is recorded first.
func (a *API) opened(c *gin.Context) (files.File, error) {
	f, err := a.file(c)
	if err != nil || callerOf(c).Kind == authn.User {
		return f, err
	}
	if !f.AgentReadable {
		return files.File{}, files.ErrUnverifiable.WithDeepLink(a.Links.To(cases.LinkRedactFile, f.CaseID)).
			WithMessage("This file could not be shown to be free of identities, so agents do not get it. The user can redact it by the deep link.")
	}
	deed := cases.Deed{
		Tenant: f.Tenant, Actor: actorOf(c), Action: "file.read", ResourceType: "file", ResourceID: f.ID, Outcome: cases.Done, ContentSHA256: f.SHA256,
	}
	if err := a.Journal.Record(c.Request.Context(), deed); err != nil {
		return files.File{}, fmt.Errorf("record a reading: %w", err)
	}
	return f, nil
}

func (a *API) getText(c *gin.Context) error {
	params, err := httpx.Query(c, "from", "to")
	if err != nil {
		return err
	}
	from, err := offset(params, "from")
	if err != nil {
		return err
	}
	to, err := offset(params, "to")
	if err != nil {
		return err
	}
	f, err := a.opened(c)
	if err != nil {
		return err
	}
	var text files.Text
	if v := f.Extraction.TextVersion; v > 0 {
		if text, err = a.Intake.Texts.Get(c.Request.Context(), f.Tenant, f.ID, v); err != nil {
			return missing(err, "text")
		}
	}
	out, err := rangeOf(f, text, from, to)
	if err != nil {
		return err
	}
	return httpx.JSON(c, http.StatusOK, out)
}

func offset(params map[string]string, name string) (int, error) {
	s, ok := params[name]
	if !ok {
		return 0, nil
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 {
		return 0, parameter(name, "must be a number of characters")
	}
	return n, nil
}

// missing hides that something is gone which a record says is there: that is our failure, not a wrong id.
func missing(err error, what string) error {
	if errors.Is(err, files.ErrNotFound) {
		return errors.New("the " + what + " of a file is missing")
	}
	return err
}

// rangeOf cuts a text between two code points; to = 0 means its end.
func rangeOf(f files.File, t files.Text, from, to int) (api.FileText, error) {
	total := utf8.RuneCountInString(t.Body)
	if to == 0 || to > total {
		to = total
	}
	if from > to {
		return api.FileText{}, parameter("from", "must lie before to and within the text, which has "+strconv.Itoa(total)+" characters")
	}
	out := api.FileText{FileID: f.ID, TextVersion: f.Extraction.TextVersion, From: from, To: to, Total: total, Text: between(t.Body, from, to), PageStarts: []api.PageOffset{}}
	for i := sort.SearchInts(t.PageStarts, from); i < len(t.PageStarts) && t.PageStarts[i] < to; i++ {
		out.PageStarts = append(out.PageStarts, api.PageOffset{Page: i + 1, Start: t.PageStarts[i]})
	}
	return out, nil
}

func between(text string, from, to int) string {
	start, n := len(text), 0
	for i := range text {
		if n == from {
			start = i
		}
		if n == to {
			return text[start:i]
		}
		n++
	}
	return text[start:]
}

// getContent streams the bytes. Nothing of them is ever shown within our own pages: they come as an attachment of the declared type.
func (a *API) getContent(c *gin.Context) error {
	if _, err := httpx.Query(c); err != nil {
		return err
	}
	f, err := a.opened(c)
	if err != nil {
		return err
	}
	if unchanged(c, `"`+f.SHA256+`"`) {
		return nil
	}
	bytes, err := a.Intake.Blobs.Open(c.Request.Context(), f.Tenant, f.ID)
	if err != nil {
		return missing(err, "content")
	}
	defer func() { _ = bytes.Close() }() // it was only read
	first := make([]byte, 64<<10)
	n, err := io.ReadFull(bytes, first) // what fails before the first byte is still a clean answer
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	c.Header("Content-Type", f.MediaType)
	c.Header("Content-Length", strconv.FormatInt(f.SizeBytes, 10))
	c.Header("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": f.Name}))
	c.Header("X-Content-Type-Options", "nosniff")
	c.Header("Content-Security-Policy", "default-src 'none'; sandbox")
	c.Status(http.StatusOK)
	out := &pacedWriter{c.Writer, http.NewResponseController(c.Writer), a.Progress}
	if _, err := out.Write(first[:n]); err != nil {
		return nil // the reader left
	}
	if _, err := io.Copy(out, bytes); c.Request.Context().Err() != nil {
		return nil // the reader left on the way
	} else if err != nil {
		a.Log.WarnContext(c.Request.Context(), "a download broke off", "err", err)
		panic(http.ErrAbortHandler) // the length was promised: the reader must see that it is cut short
	}
	return nil
}

// pacedWriter cuts off a reader who takes too long over one piece.
type pacedWriter struct {
	w        io.Writer
	rc       *http.ResponseController
	progress time.Duration
}

func (p *pacedWriter) Write(b []byte) (int, error) {
	_ = p.rc.SetWriteDeadline(time.Now().Add(p.progress)) //nolint:forbidigo // a socket's deadline is on the wall clock
	n, err := p.w.Write(b)
	_ = p.rc.SetWriteDeadline(time.Time{})
	return n, err
}

// pacedReader cuts off a sender who takes too long over one piece. Between pieces there is no deadline: the server goes on reading behind a
// body that has ended, and would take a deadline that passes for the caller's leaving.
type pacedReader struct {
	r        io.Reader
	rc       *http.ResponseController
	progress time.Duration
}

func (p *pacedReader) Read(b []byte) (int, error) {
	_ = p.rc.SetReadDeadline(time.Now().Add(p.progress)) //nolint:forbidigo // a socket's deadline is on the wall clock
	n, err := p.r.Read(b)
	_ = p.rc.SetReadDeadline(time.Time{})
	return n, err
}

var fileParameters = []string{"q", "status", "docType", "extraction", "sort", "cursor", "limit", "includeTotal"}

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
	hits, err := a.hitsOf(c, kase, params["q"])
	if err != nil {
		return err
	}
	if hits != nil {
		q.IDs = []string{}
		for id := range hits {
			q.IDs = append(q.IDs, id)
		}
		sort.Strings(q.IDs)
	}
	ctx := c.Request.Context()
	whole := list{Route: "files", Tenant: kase.Tenant, Scope: kase.ID, Query: []any{params["q"], q.Status, q.DocType, q.Extraction, q.Sort, q.Descending}}
	if q.After, err = a.Cursors.Place(whole, params["cursor"]); err != nil {
		return err
	}
	counted, err := boolean(params, "includeTotal")
	if err != nil {
		return err
	}
	limit := q.Limit
	q.Limit++ // one more tells whether a page follows
	found, err := a.Intake.Shelf.List(ctx, kase.Tenant, kase.ID, q)
	if err != nil {
		return err
	}
	page := api.Page[api.File]{Items: []api.File{}, Limit: limit}
	for _, f := range found[:min(limit, len(found))] {
		wire := fileOf(f)
		wire.Hits = hits[f.ID]
		page.Items = append(page.Items, wire)
	}
	if len(found) > limit {
		cursor := a.Cursors.Next(whole, q.PlaceOf(found[limit-1]))
		page.NextCursor = &cursor
	}
	if counted {
		n, err := a.Intake.Shelf.Count(ctx, kase.Tenant, kase.ID, q.Filter)
		if err != nil {
			return err
		}
		page.Total, page.TotalCapped = capped(n)
	}
	return writePage(c, page)
}

// fileQuery reads the parameters of a list.
func fileQuery(params map[string]string) (files.Query, error) {
	q := files.Query{Sort: files.ByCreated, Descending: true, Filter: files.Filter{Status: files.Active, DocType: params["docType"], Extraction: params["extraction"]}}
	var err error
	if q.Limit, err = limit(params); err != nil {
		return q, err
	}
	switch s := params["status"]; s {
	case "":
	case files.Active, files.Superseded:
		q.Status = s
	default:
		return q, parameter("status", "must be active or superseded")
	}
	if q.DocType != "" && !files.ValidDocType(q.DocType) {
		return q, parameter("docType", "must be a document type such as complaint")
	}
	switch q.Extraction {
	case "", "ok", "low_quality", "needs_ocr", "damaged", "encrypted", "unsupported":
	default:
		return q, parameter("extraction", "must be ok, low_quality, needs_ocr, damaged, encrypted or unsupported")
	}
	switch s := params["sort"]; s {
	case "", "-createdAt":
	case "createdAt":
		q.Descending = false
	case "name":
		q.Sort, q.Descending = files.ByName, false
	default:
		return q, parameter("sort", "must be -createdAt, createdAt or name")
	}
	return q, nil
}

// Bounds of a search in a list of files.
const (
	maxQ        = 200 // code points
	hitsPerFile = 3
)

// hitsOf finds the passages that answer q, by file; nil when nothing is asked for.
func (a *API) hitsOf(c *gin.Context, kase cases.Case, q string) (map[string][]api.SourceRef, error) {
	if q == "" {
		return nil, nil
	}
	if utf8.RuneCountInString(q) > maxQ {
		return nil, parameter("q", "must be at most 200 characters")
	}
	r, err := a.request(c, kase, passages.Request{Query: q, Limit: hitsPerFile}, "q")
	if err != nil {
		return nil, err
	}
	found, err := a.Search.FindInEach(c.Request.Context(), r)
	if err != nil {
		return nil, err
	}
	hits := map[string][]api.SourceRef{}
	for id, list := range found {
		for _, h := range list {
			hits[id] = append(hits[id], sourceOf(h.Source))
		}
	}
	return hits, nil
}

// request makes r one of the caller's in the case. The query passes the gate first.
func (a *API) request(c *gin.Context, kase cases.Case, r passages.Request, path string) (passages.Request, error) {
	text := cases.Text{Door: guard.Query, Path: path, Value: r.Query}
	if err := cases.Screen(c.Request.Context(), a.Gate, a.Links.To(cases.LinkAddIdentity, kase.ID), text); err != nil {
		return r, err
	}
	r.Tenant, r.CaseID, r.ForAgents = kase.Tenant, kase.ID, callerOf(c).Kind != authn.User
	return r, nil
}

func sourceOf(s passages.Source) api.SourceRef {
	return api.SourceRef{FileID: s.FileID, TextVersion: s.TextVersion, Page: s.Page, Paragraph: s.Paragraph, CharStart: s.Start, CharEnd: s.End, Quote: s.Quote}
}

// Bounds of a search between services.
const (
	maxSearch     = 32000 // code points: a whole prompt
	maxSearchHits = 50
	maxSearchIn   = 500 // files
)

func (a *API) searchCase(c *gin.Context) error {
	var in api.SearchCase
	if err := httpx.Decode(c, &in); err != nil {
		return err
	}
	kase, err := a.readable(c)
	if err != nil {
		return err
	}
	var f cases.Faults
	if n := utf8.RuneCountInString(in.Query); n == 0 || n > maxSearch {
		f.Add("query", "must be 1 to 32000 characters")
	}
	if in.Limit < 1 || in.Limit > maxSearchHits {
		f.Add("limit", "must be 1 to 50")
	}
	if len(in.FileIDs) > maxSearchIn {
		f.Add("fileIds", "must be at most 500")
	}
	if err := f.Err(); err != nil {
		return err
	}
	r, err := a.request(c, kase, passages.Request{Query: in.Query, FileIDs: in.FileIDs, Limit: in.Limit}, "query")
	if err != nil {
		return err
	}
	found, err := a.Search.Find(c.Request.Context(), r)
	if err != nil {
		return err
	}
	out := api.SearchResult{Hits: []api.SearchHit{}, FilesRead: found.Read, FilesUnreadable: found.Unreadable}
	for _, h := range found.Hits {
		out.Hits = append(out.Hits, api.SearchHit{Source: sourceOf(h.Source), FileName: h.FileName, Text: h.Text, Score: h.Score, Matched: filled(h.Matched)})
	}
	return httpx.JSON(c, http.StatusOK, out)
}
