package httpapi

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"sort"
	"strconv"
	"unicode/utf8"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/files"
	"github.com/subrosa-legal/subrosa/case-svc/internal/passages"
	"github.com/subrosa-legal/subrosa/case-svc/internal/rights"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/deeplink"
	"github.com/subrosa-legal/subrosa/pkg/extract"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
	"github.com/subrosa-legal/subrosa/pkg/validate"
)

// readable returns the case of the path, for a caller who may read its files.
func (a *API) readable(c *gin.Context) (cases.Case, error) {
	id, err := httpx.PathID(c, "caseId")
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

	f, err := a.Intake.Files.Get(c.Request.Context(), kase.Tenant, kase.ID, c.Param("fileId"))
	switch {
	case err != nil:
		return files.File{}, err
	case f.Status == files.Deleted, f.MediaType == files.Sealed && callerOf(c).Kind != access.User:
		return files.File{}, files.ErrNotFound // only people learn that there is a sealed original
	}

	return f, nil
}

func (a *API) getFile(c *gin.Context) error {
	if _, err := httpx.Query(c); err != nil {
		return err
	}
	f, err := a.file(c)
	if err != nil {
		return err
	}
	if httpx.Unchanged(c, httpx.ETag(f.Version)) {
		return nil
	}

	return httpx.JSON(c, http.StatusOK, fileOf(f, callerOf(c)))
}

// opened returns the file of the path for a caller who is about to read what it says. Machines read only what was found
// to be without identities, and each reading is recorded first.
func (a *API) opened(c *gin.Context) (files.File, error) {
	f, err := a.file(c)
	if err != nil {
		return f, err
	}

	return f, a.opens(c, f, f.Content.SHA256)
}

// opens is opened for a file that is known, of which the caller is about to read the bytes of a digest.
func (a *API) opens(c *gin.Context, f files.File, sha256 string) error {
	// A person may read what the firm has uploaded: the gate protects clients from machines and strangers.
	if callerOf(c).Kind == access.User {
		return nil
	}
	if !f.AgentReadable {
		return files.ErrUnverifiable.WithMessage("Agents do not get this file: " + withheld(f) +
			". Send the user to the deep link, to take identities out of it in the browser.").
			WithDeepLink(a.Links.To(deeplink.RedactFile, f.CaseID))
	}
	if err := a.Journal.Record(c.Request.Context(), a.reading(c, f, sha256)); err != nil {
		return fmt.Errorf("record a reading: %w", err)
	}

	return nil
}

// reading is what goes on record when a machine reads a file.
func (a *API) reading(c *gin.Context, f files.File, sha256 string) audit.Entry {
	return audit.Entry{
		Tenant:        f.Tenant,
		Actor:         actorOf(c),
		Action:        "file.read",
		ResourceType:  "file",
		ResourceID:    f.ID,
		Outcome:       audit.Done,
		ContentSHA256: sha256,
	}
}

// withheld says why agents do not get a file.
func withheld(f files.File) string {
	if f.DeidCheck.Status == files.Refused && f.TriedBy == "" {
		return "a later check found what could identify a client, and no person has cleared it"
	}

	switch extract.Status(f.Extraction.Status) {
	case extract.Encrypted:
		return "it is encrypted, so it could not be checked for identities"
	case extract.NeedsOCR:
		return "it shows pictures of text, which could not be checked for identities"
	case extract.Damaged:
		return "it is damaged or takes too long to read, so it could not be checked for identities"
	case extract.Unsupported:
		return "it is a picture, or carries what is not read, so it could not be checked for identities"
	}

	return "it could not be checked for identities"
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
	n, err := httpx.Number(s)
	if err != nil || n < 0 {
		return 0, httpx.Parameter(name, "must be a number of characters")
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
		return api.FileText{}, httpx.Parameter(
			"from", "must be before to and within the text, which has "+strconv.Itoa(total)+" characters",
		)
	}

	out := api.FileText{
		FileID:      f.ID,
		TextVersion: f.Extraction.TextVersion,
		From:        from,
		To:          to,
		Total:       total,
		Text:        between(t.Body, from, to),
		PageStarts:  []api.PageOffset{},
	}
	// A page that begins before the range is not listed: its start is not in the text that is answered.
	for i := sort.SearchInts(t.PageStarts, from); i < len(t.PageStarts) && t.PageStarts[i] < to; i++ {
		out.PageStarts = append(out.PageStarts, api.PageOffset{Page: i + 1, Start: t.PageStarts[i]})
	}

	return out, nil
}

func between(text string, from, to int) string {
	start, n := len(text), 0
	// Offsets count code points, and ranging over a string is the only walk that needs no copy of it.
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

// errNoRendition refuses the content of a file that was stored before renditions were and that nothing can be made of.
var errNoRendition = files.ErrUnverifiable.WithMessage(
	"This older file cannot be read well enough to convert, so its content is not available. " +
		"Redact your own copy by the deep link, add the result and delete this file.",
)

// asked returns the form of the content that the caller asks for, and where it lies.
func (a *API) asked(f files.File, form string) (files.Form, files.Slot, error) {
	switch {
	case !f.Servable() && f.TriedBy != "":
		return files.Form{}, "", errNoRendition.WithDeepLink(a.Links.To(deeplink.RedactFile, f.CaseID))
	case !f.Servable():
		return files.Form{}, "", files.ErrUnrendered
	case form == "":
		return f.Content.Form, files.Served, nil
	case form == "docx" && f.Content.Word != (files.Form{}):
		return f.Content.Word, files.AsWord, nil
	case form == "docx" && f.Content.MediaType == extract.DOCX:
		return f.Content.Form, files.Served, nil
	}

	return files.Form{}, "", httpx.Parameter(
		"form",
		"must be docx, and only for a file that is a Word file or was sent as DOCX or ODT",
	)
}

// servedName is the name under which the bytes in a slot of a file are handed out.
func servedName(f files.File, slot files.Slot) string {
	if slot == files.AsWord {
		return api.WordName(f.Name)
	}

	return api.ContentName(f.Name, rendererOf(f.Content))
}

// getContent streams the bytes that are kept. Nothing of them is ever shown within our own pages: they come as an
// attachment of their type.
func (a *API) getContent(c *gin.Context) error {
	params, err := httpx.Query(c, "form")
	if err != nil {
		return err
	}
	f, err := a.file(c)
	if err != nil {
		return err
	}
	form, slot, err := a.asked(f, params["form"])
	// For an agent that must not read the file, the refusal of the file comes before that of its form, which would tell
	// of its state.
	if err != nil && (callerOf(c).Kind == access.User || f.AgentReadable) {
		return err
	}
	if err := a.opens(c, f, form.SHA256); err != nil {
		return err
	}
	// The digest is the entity tag, so a copy of other bytes never passes for current.
	if httpx.Unchanged(c, `"`+form.SHA256+`"`) {
		return nil
	}
	bytes, err := a.Intake.Blobs.Open(c.Request.Context(), f.Tenant, f.ID, slot)
	if err != nil {
		return missing(err, "content")
	}

	defer func() { _ = bytes.Close() }() // it was only read
	first := make([]byte, 64<<10)
	n, err := io.ReadFull(bytes, first) // what fails before the first byte is still a clean answer
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	c.Header("Content-Type", form.MediaType)
	c.Header("Content-Length", strconv.FormatInt(form.SizeBytes, 10))
	c.Header(
		"Content-Disposition",
		mime.FormatMediaType("attachment", map[string]string{"filename": servedName(f, slot)}),
	)
	// The bytes are somebody else's: no browser may guess a type, or run what is in them, on our origin.
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

// Bounds of a search in a list of files.
const (
	maxQ        = 200 // code points
	hitsPerFile = 3
)

// Bounds of a search between services.
const (
	maxSearch     = api.MaxPrompt
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
	var f validate.List
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
	asked := passages.Request{
		Query: in.Query, FileIDs: in.FileIDs, Limit: in.Limit, Brought: true, Broad: c.Query("broad") == "true",
	}

	r, err := a.request(c, kase, asked, "query")
	if err != nil {
		return err
	}
	found, err := a.Search.Find(c.Request.Context(), r)
	if err != nil {
		return err
	}

	out := api.SearchResult{
		Hits:            []api.SearchHit{},
		FilesRead:       found.Read,
		FilesUnreadable: found.Unreadable,
		PlacesUnread:    found.Places,
		Absent:          filled(found.Absent),
	}
	for _, h := range found.Hits {
		out.Hits = append(out.Hits, api.SearchHit{
			Source: refOf(h.Source), FileName: h.FileName, Text: h.Text, Score: h.Score,
			Matched: filled(h.Matched), Near: h.Near,
		})
	}

	return httpx.JSON(c, http.StatusOK, out)
}
