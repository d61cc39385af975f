package httpapi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/files"
	"github.com/subrosa-legal/subrosa/case-svc/internal/rights"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/deeplink"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
	"github.com/subrosa-legal/subrosa/pkg/idempotency"
	"github.com/subrosa-legal/subrosa/pkg/places"
	"github.com/subrosa-legal/subrosa/pkg/strictjson"
	"github.com/subrosa-legal/subrosa/pkg/validate"
)

// Bounds of an upload beside those of its files.
const (
	maxMetadata    = 64 << 10 // bytes
	maxDisposition = 2048     // bytes
	maxDrain       = 32 << 20 // bytes
	drainTime      = 10 * time.Second
)

// fileMeta is an entry of the part metadata.
type fileMeta struct {
	Name        *string `json:"name"`
	DocType     *string `json:"docType"`
	Description *string `json:"description"`
	DocumentOn  *string `json:"documentOn"`
	Privilege   *string `json:"privilege"`
	ProducedBy  *string `json:"producedBy"`
	Supersedes  *string `json:"supersedesFileId"`
	SealedFile  *string `json:"sealedFileId"`
	Attestation bool    `json:"attestation"`
}

func (a *API) addFiles(c *gin.Context) error {
	rc := http.NewResponseController(c.Writer)
	caller := access.CallerFrom(c.Request.Context())
	who := places.Who{Tenant: caller.Tenant, Caller: string(caller.Kind) + "|" + caller.ID()}
	// A deadline in the past ends the read that is under way: it is how an upload is made to give its room back.
	sender, err := a.Intake.Spool.Enter(who, func() { _ = rc.SetReadDeadline(time.Unix(1, 0)) })
	if err != nil {
		c.Header("Connection", "close") // nothing more is read of somebody who sends too much already
		return err
	}
	defer sender.Leave() // also when something panics

	return a.takeIn(c, sender)
}

// drained reads on for a while after a refusal, since many senders look for an answer only when they have sent
// everything. All else comes first: a sender who is slow or leaves ends the context of the request.
func drained(h func(*gin.Context) error) func(*gin.Context) error {
	return func(c *gin.Context) error {
		err := h(c)
		if err != nil && c.Writer.Header().Get("Connection") != "close" {
			drain(c)
		}

		return err
	}
}

// drain reads what is still sent and keeps nothing of it. Who has not come to an end by then loses the connection with
// the answer.
func drain(c *gin.Context) {
	rc := http.NewResponseController(c.Writer)
	_ = rc.SetReadDeadline(time.Now().Add(drainTime)) //nolint:forbidigo // a socket's deadline is on the wall clock
	if n, err := io.CopyN(io.Discard, c.Request.Body, maxDrain); n == maxDrain || !errors.Is(err, io.EOF) {
		c.Header("Connection", "close")
	}
	_ = rc.SetReadDeadline(time.Time{})
}

func (a *API) takeIn(c *gin.Context, sender *files.Sender) error {
	id, err := httpx.PathID(c, "caseId")
	if err != nil {
		return err
	}
	if err := rights.Upload(callerOf(c)); err != nil {
		return err
	}
	params, err := httpx.Query(c, "attestation")
	if err != nil {
		return err
	}
	if _, err := idempotency.Header(c.Request.Header.Values("Idempotency-Key")); err != nil {
		return err // before anything is taken in
	}
	ctx := c.Request.Context()
	// Rights, query and key come first: none of them costs a trip, and a refusal is told before the body is sent.
	kase, err := a.Cases.Store.Get(ctx, tenantOf(c), id)
	if err != nil {
		return err
	}
	asked := request(c, "POST /v1/cases/"+kase.ID+"/files", nil)
	// The check of several large files takes longer than the lease of a plain request.
	asked.Lease = commitLease
	if err := a.takesFiles(c, kase, asked); err != nil {
		return err
	}
	batch, err := a.Intake.Open(ctx, kase, actorOf(c))
	if err != nil {
		return err
	}
	u := &upload{
		API: a, c: c, asked: asked, batch: batch, sender: sender,
		body: &pacedReader{c.Request.Body, http.NewResponseController(c.Writer), a.Progress},
	}
	err = u.receive(params)
	sender.Leave() // before the answer, after which the caller may send the next at once
	if err == nil {
		err = u.commit(kase)
	}

	return errors.Join(err, batch.Close(ctx))
}

// takesFiles refuses a case that takes no more work before its files are sent, but for a repeated request: that may
// have been answered while the case was open.
func (a *API) takesFiles(c *gin.Context, kase cases.Case, asked idempotency.Request) error {
	over := kase.Stands()
	if over == nil {
		return nil
	}
	begun, err := a.Idempotency.Begun(c, asked)
	if begun || err != nil {
		return err
	}

	return over
}

// upload is one request that brings files.
type upload struct {
	*API
	c      *gin.Context
	asked  idempotency.Request
	batch  *files.Batch
	sender *files.Sender
	body   io.Reader
	metas  []fileMeta
}

// receive takes the files in, from a form or as the body itself.
func (u *upload) receive(params map[string]string) error {
	declared := u.c.GetHeader("Content-Type")
	essence, options, err := mime.ParseMediaType(declared)
	if declared == "" || err != nil {
		return files.ErrUnsupported
	}
	if essence != "multipart/form-data" {
		return u.raw(declared, params)
	}
	if _, given := params["attestation"]; given {
		return httpx.Parameter("attestation", "belongs in the part metadata of a form")
	}
	boundary := options["boundary"]
	// RFC 2046 allows a boundary of at most 70 characters.
	if boundary == "" || len(boundary) > 70 {
		return files.ErrIncomplete
	}

	return u.form(multipart.NewReader(u.body, boundary))
}

func (u *upload) raw(declared string, params map[string]string) error {
	attested, err := httpx.Flag(params, "attestation")
	if err != nil {
		return err
	}
	name, err := dispositionName(u.c.Request.Header.Values("Content-Disposition"))
	if err != nil {
		return err
	}
	u.metas = []fileMeta{{Attestation: attested}}

	return u.add(files.Part{Name: name, Declared: declared}, u.body)
}

// errDisposition refuses a header that cannot be read.
var errDisposition = files.ErrIncomplete.WithMessage(
	`Content-Disposition must be one header such as attachment; filename="Document 1.pdf".`,
)

// dispositionName reads the name of a file that is the body itself; "" when the header is absent or names none.
func dispositionName(values []string) (string, error) {
	if len(values) == 0 {
		return "", nil
	}
	// Of two headers nobody knows which one a proxy in between has read.
	if len(values) > 1 || len(values[0]) > maxDisposition {
		return "", errDisposition
	}
	kind, params, err := mime.ParseMediaType(values[0])
	if err != nil || kind != "attachment" && kind != "inline" {
		return "", errDisposition
	}

	return params["filename"], nil
}

// form takes the parts of a form in.
func (u *upload) form(r *multipart.Reader) error {
	described, err := readForm(r, u.add, u.describe)
	if err == nil && described && len(u.metas) == 0 && u.batch.Len() > 0 {
		var f validate.List
		f.Add("metadata", "must have one entry for each file")
		err = f.Err()
	}

	return err
}

// readForm hands over the parts of a form one after the other, files to take and what is said of them to describe.
func readForm(
	r *multipart.Reader, take func(files.Part, io.Reader) error, describe func(io.Reader) error,
) (described bool, err error) {
	for {
		part, err := r.NextRawPart()
		switch {
		case errors.Is(err, io.EOF):
			return described, nil
		case err != nil:
			return described, fmt.Errorf("read a part: %w: %w", files.ErrIncomplete, err)
		// A transfer encoding would have the gate read something else than a reader decodes. HTTP has no use for it.
		case encoded(part):
			return described, files.ErrIncomplete.WithMessage(
				"A part must be sent as plain bytes. Remove its Content-Transfer-Encoding header.",
			)
		}

		switch part.FormName() {
		case "file":
			err = take(files.Part{Name: part.FileName(), Declared: part.Header.Get("Content-Type")}, part)
		case "metadata":
			// Two descriptions could say different things of one file.
			if described {
				return described, files.ErrIncomplete.WithMessage("The part metadata may appear only once.")
			}
			described = true
			err = describe(part)
		default:
			err = files.ErrIncomplete.WithMessage("The parts of the form must be called file or metadata.")
		}
		if err != nil {
			return described, err
		}
	}
}

// encoded reports whether a part is not what its bytes say.
func encoded(part *multipart.Part) bool {
	switch strings.ToLower(part.Header.Get("Content-Transfer-Encoding")) {
	case "", "binary", "8bit", "7bit":
		return false
	}

	return true
}

// describe reads the part metadata.
func (u *upload) describe(r io.Reader) error {
	body, err := io.ReadAll(io.LimitReader(r, maxMetadata+1))
	switch {
	case err != nil:
		return fmt.Errorf("read metadata: %w: %w", files.ErrIncomplete, err)
	case len(body) > maxMetadata:
		return httpx.ErrBodyTooBig.WithMessage("The part metadata is larger than 64 KiB. Send less.")
	}

	return httpx.LinkRefusal(strictjson.Decode(body, &u.metas), u.Links.To(deeplink.AddIdentity, u.c.Param("caseId")))
}

// add spools one file and gives it to the batch.
func (u *upload) add(part files.Part, r io.Reader) (err error) {
	scratch, err := u.sender.Receive(r, u.Intake.Limits.FileBytes)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, scratch.Close()) }()

	var meta *files.Meta
	if n := u.batch.Len(); n < len(u.metas) {
		meta = u.metas[n].meta()
	}

	return u.batch.Add(u.c.Request.Context(), part, meta, scratch)
}

func (m fileMeta) meta() *files.Meta {
	meta := files.Meta(m)
	return &meta
}

// commit gives the files to the case and answers.
func (u *upload) commit(kase cases.Case) error {
	// The bytes are part of what was asked: the same key with another file is a mistake to be told.
	u.asked.Asked = []any{u.batch.Contents(), u.metas}

	return u.Idempotency.Serve(u.c, u.asked, func(idempotency.Mark) (idempotency.Answer, error) {
		taken, err := u.give(u.c.Request.Context(), kase)
		if err != nil {
			return idempotency.Answer{}, err
		}

		return answerOf(callerOf(u.c), kase.ID, taken)
	})
}

// give holds what is said of the files against what the case is now, and gives them to it. That a repetition finds
// another case than the first request must not keep it from its answer, so all of it is work that is done once.
func (u *upload) give(ctx context.Context, kase cases.Case) ([]files.Taken, error) {
	var metas []files.Meta
	for _, m := range u.metas {
		metas = append(metas, files.Meta(m))
	}
	if err := u.batch.Describe(ctx, metas); err != nil {
		return nil, err
	}
	if err := u.producersKnown(ctx, kase); err != nil {
		return nil, err
	}

	return u.batch.Commit(ctx)
}

// producersKnown refuses the label of a producer that is no party of the case. Whether one is does not depend on what
// the caller may read of parties, so this service asks for itself.
func (u *upload) producersKnown(ctx context.Context, kase cases.Case) error {
	var f validate.List
	var known map[string]bool

	for i, m := range u.metas {
		if m.ProducedBy == nil {
			continue
		}
		// Most uploads name no producer, and then party-svc is not asked at all.
		if known == nil {
			var err error
			if known, err = u.Rosters.labels(ctx, kase.Tenant, kase.ID); err != nil {
				return err
			}
		}
		if !known[*m.ProducedBy] {
			f.AddLabel("metadata["+strconv.Itoa(i)+"].producedBy", "must be the label of a party of the case")
		}
	}

	return f.Err()
}

// What became of originals of which only renditions are kept.
const (
	originalGone = "The service keeps a rendition of what it read, not the original, and cannot give that back. " +
		"Keep your own copy. " +
		"A person can store an original with the case, encrypted by their vault: " +
		"the app offers it when a file is added, and subrosa file add --keep-original does it."
	originalKept = "The service keeps a rendition of what it read. " +
		"The original is kept with the case as an encrypted file (sealedFileId), " +
		"which only your vaults open: Save the original in the app, or subrosa file get --original."
	originalsMixed = "The service keeps renditions of what it read. " +
		"Only originals of files with a sealedFileId are kept, encrypted for your vaults. " +
		"The service cannot give the others back, so keep your own copies."
)

// noticeOf tells what became of the originals of files that were taken, "" when nothing is to be told.
func noticeOf(taken []files.Taken) string {
	gone, kept := false, false

	for _, t := range taken {
		switch rendered := t.File.Content.Renderer != ""; {
		case rendered && t.File.SealedID != "":
			kept = true
		case rendered && !t.Duplicate:
			gone = true
		}
	}

	switch {
	case gone && kept:
		return originalsMixed
	case gone:
		return originalGone
	case kept:
		return originalKept
	}

	return ""
}

// answerOf is 201 when the case has got something, and 200 when it had all of it.
func answerOf(caller access.Caller, caseID string, taken []files.Taken) (idempotency.Answer, error) {
	answer := idempotency.Answer{Status: http.StatusOK}

	if caller.Kind != access.User { // only people learn of encrypted originals
		for i := range taken {
			taken[i].File.SealedID = ""
		}
	}

	out := api.FileItems{Items: make([]api.File, len(taken)), Notice: noticeOf(taken)}
	for i, t := range taken {
		out.Items[i] = fileOf(t.File, caller)
		out.Items[i].Duplicate = t.Duplicate
		if !t.Duplicate {
			answer.Status = http.StatusCreated
			// A request of several files has no one location.
			if len(taken) == 1 {
				answer.Location = "/v1/cases/" + caseID + "/files/" + t.File.ID
			}
		}
	}
	var err error
	answer.Body, _, err = document(out)

	return answer, err
}
