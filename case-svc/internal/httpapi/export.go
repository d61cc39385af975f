package httpapi

import (
	"archive/zip"
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/files"
	"github.com/subrosa-legal/subrosa/case-svc/internal/phases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/timeline"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/audit/chain"
	"github.com/subrosa-legal/subrosa/pkg/audit/record"
	"github.com/subrosa-legal/subrosa/pkg/extract"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
)

const (
	// exportPage is how many documents of a kind an export holds in memory at once.
	exportPage = 100
	// exportHeld is how many bytes of an archive are kept back before the first one goes out. What fails until then is
	// answered as any failure.
	exportHeld = 1 << 20
)

// exportCase sends all that the case says, by label, as an archive that is made while it is sent.
func (a *API) exportCase(c *gin.Context) error {
	if _, err := httpx.Query(c); err != nil {
		return err
	}
	kase, err := a.mastered(c)
	if err != nil {
		return err
	}
	ctx := c.Request.Context()
	if n, err := a.Intake.Files.Count(ctx, kase.Tenant, kase.ID, files.Filter{Unserved: true}); err != nil {
		return err
	} else if n > 0 {
		return errUnrendered // what is not there yet would be missed by nobody
	}
	deed := audit.Entry{
		Tenant: kase.Tenant, Actor: actorOf(c), Action: "case.export",
		ResourceType: "case", ResourceID: kase.ID, Outcome: audit.Done,
	}
	// All that follows may fail half way, so the export is on record before its first byte.
	if err := a.Journal.Record(ctx, deed); err != nil {
		return fmt.Errorf("record an export: %w", err)
	}
	wire, err := caseOf(kase, callerOf(c))
	if err != nil {
		return err
	}
	// Whatever can still fail in full is read before the headers are written.
	branches, err := a.Phases.Branches.Branches(ctx, kase.Tenant, kase.TimelineID)
	if err != nil {
		return err
	}
	held, err := a.Rosters.Client.Holdings(ctx, kase.ID)
	if err != nil {
		return err
	}
	c.Header("Content-Type", "application/zip")
	c.Header("Content-Disposition", `attachment; filename="case-`+kase.ID+`.zip"`)
	c.Header("X-Content-Type-Options", "nosniff")
	out := bufio.NewWriterSize(&pacedWriter{c.Writer, http.NewResponseController(c.Writer), a.Progress}, exportHeld)
	e := &export{
		API:     a,
		kase:    kase,
		caller:  callerOf(c),
		parties: held,
		seen:    append([]string{kase.ID, kase.TimelineID}, held...),
		zip:     zip.NewWriter(out),
	}
	if err = e.write(ctx, wire, branches); err == nil {
		err = out.Flush()
	}

	switch {
	case err == nil:
		return nil
	case !c.Writer.Written():
		// The buffer held all of it back, so this is an answer as any other, and no attachment.
		c.Header("Content-Disposition", "")
		return err
	case ctx.Err() == nil:
		a.Log.WarnContext(ctx, "an export broke off", "err", err)
	}
	panic(http.ErrAbortHandler) // half an archive must not look like a whole one
}

// errUnrendered refuses an export that would not be whole.
var errUnrendered = files.ErrUnrendered.WithMessage(
	"Some older files of this case are still being converted. Request the export again after the time in Retry-After.",
)

// export is an archive in the making.
type export struct {
	*API
	kase    cases.Case
	caller  access.Caller
	parties []string // ids of the parties and invites
	zip     *zip.Writer
	seen    []string // ids of what the case has or had, for its part of the audit record
}

// write fills the archive. What party-svc keeps comes first: the token that it is asked with may not live as long as a
// slow download.
func (e *export) write(ctx context.Context, wire api.Case, branches []phases.Branch) error {
	for _, step := range []func() error{
		func() error { return e.text("README.txt", exportNote) },
		func() error {
			return e.lines("audit-party.jsonl", func(put func(any) error) error { return e.partyRecord(ctx, put) })
		},
		func() error { return e.lines("case.json", func(put func(any) error) error { return put(wire) }) },
		func() error { return e.files(ctx) },
		func() error { return e.branches(branches) },
		func() error {
			return e.lines("phases.jsonl", func(put func(any) error) error { return e.phases(ctx, branches, put) })
		},
		func() error {
			return e.lines("timeline.jsonl", func(put func(any) error) error { return e.entries(ctx, branches, put) })
		},
		func() error {
			return e.lines("audit.jsonl", func(put func(any) error) error { return e.record(ctx, put) })
		},
		e.zip.Close,
	} {
		if err := step(); err != nil {
			return err
		}
	}

	return nil
}

const exportNote = `A case of Subrosa, by label: real names are not in here, since the service does not have them.

case.json       the case
files.jsonl     what is known of its files, one a line
files/          their content, named by id: the bytes that were sent, or the rendition that is kept of a Word file,
                OpenDocument text, PDF, HTML page or e-mail; of the first two as Markdown and as a Word file;
                encrypted originals are left out, since only the firm's browsers can open them, and so is a file
                without the member content, of which no rendition could be made
branches.jsonl  the branches of the work, one a line
phases.jsonl    the phases of each branch in order, one a line, with the hashes that chain them
timeline.jsonl  the dated record, one entry a line
audit.jsonl     who did what to the case, its files (deleted ones too), phases, branches, entries and grants, one event a line
audit-party.jsonl  the same for its parties and invites; each file is a part of one chain of the tenant, which as a whole
                is checked by: subrosa audit verify
`

// open begins an entry of the archive.
func (e *export) open(name string, method uint16) (io.Writer, error) {
	return e.zip.CreateHeader(&zip.FileHeader{Name: name, Method: method, Modified: e.kase.UpdatedAt})
}

func (e *export) text(name, text string) error {
	w, err := e.open(name, zip.Deflate)
	if err == nil {
		_, err = io.WriteString(w, text)
	}

	return err
}

// lines writes JSON, one value a line.
func (e *export) lines(name string, fill func(put func(any) error) error) error {
	w, err := e.open(name, zip.Deflate)
	if err != nil {
		return err
	}
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)

	return fill(encoder.Encode)
}

func (e *export) files(ctx context.Context) error {
	var kept []files.File

	err := e.lines("files.jsonl", func(put func(any) error) error {
		q := files.Query{Sort: files.ByCreated, Limit: exportPage}
		for more := true; more; {
			page, err := e.Intake.Files.List(ctx, e.kase.Tenant, e.kase.ID, q)
			if err != nil {
				return err
			}

			for _, f := range page {
				e.seen = append(e.seen, f.ID)
				if f.Status == files.Deleted {
					continue // its events are the case's, and it is not
				}
				if f.MediaType != files.Sealed && f.Servable() {
					kept = append(kept, files.File{ID: f.ID, Tenant: f.Tenant, Content: f.Content})
				}
				if err := put(fileOf(f, e.caller)); err != nil {
					return err
				}
			}
			if more = len(page) == exportPage; more {
				place := q.PlaceOf(page[len(page)-1])
				q.After = &place
			}
		}

		return nil
	})
	for _, f := range kept {
		if err == nil {
			err = e.content(ctx, f, f.Content.MediaType, files.Served)
		}
		if word := f.Content.Word.MediaType; err == nil && word != "" {
			err = e.content(ctx, f, word, files.AsWord)
		}
	}

	return err
}

// content copies the bytes in a slot of a file. Text is packed, and what is packed already is not packed again.
func (e *export) content(ctx context.Context, f files.File, mediaType string, slot files.Slot) error {
	method := zip.Store
	if strings.HasPrefix(mediaType, "text/") || strings.HasSuffix(mediaType, "json") || mediaType == "message/rfc822" ||
		mediaType == extract.DOCX { // our own Word files are not packed
		method = zip.Deflate
	}
	w, err := e.open("files/"+f.ID+files.Extension(mediaType), method)
	if err != nil {
		return err
	}
	bytes, err := e.Intake.Blobs.Open(ctx, f.Tenant, f.ID, slot)
	if err != nil {
		return missing(err, "content")
	}

	defer func() { _ = bytes.Close() }() // it was only read
	_, err = io.Copy(w, bytes)

	return err
}

func (e *export) branches(all []phases.Branch) error {
	return e.lines("branches.jsonl", func(put func(any) error) error {
		for _, b := range all {
			e.seen = append(e.seen, b.ID)
			if err := put(branchOf(b, "")); err != nil {
				return err
			}
		}

		return nil
	})
}

func (e *export) phases(ctx context.Context, branches []phases.Branch, put func(any) error) error {
	for _, b := range branches {
		span := phases.Span{BranchID: b.ID, From: 1}
		for more := true; more; {
			page, err := e.Phases.Records.Along(ctx, e.kase.Tenant, span, phases.Filter{}, exportPage)
			if err != nil {
				return err
			}

			for _, p := range page {
				wire, err := phaseOf(p)
				if err != nil {
					return err
				}
				e.seen = append(e.seen, p.ID)
				if err := put(wire); err != nil {
					return err
				}
				span.From = p.Sequence + 1
			}
			more = len(page) == exportPage
		}
	}

	return nil
}

func (e *export) entries(ctx context.Context, branches []phases.Branch, put func(any) error) error {
	for _, b := range branches {
		q := timeline.Query{
			Sight: []timeline.Segment{{BranchID: b.ID, Whole: true}}, Sort: timeline.ByCreated, Limit: exportPage,
		}
		for more := true; more; {
			page, err := e.Timeline.List(ctx, e.kase.Tenant, e.kase.TimelineID, q)
			if err != nil {
				return err
			}

			for _, entry := range page {
				e.seen = append(e.seen, entry.ID)
				if err := put(entryOf(entry)); err != nil {
					return err
				}
			}
			if more = len(page) == exportPage; more {
				place := q.PlaceOf(page[len(page)-1])
				q.After = &place
			}
		}
	}

	return nil
}

// audited puts the events of what the archive holds from a chain, which read lists: for some things at a time, and of
// these page by page.
func audited(ids []string, read func(chain.Filter) ([]api.AuditEvent, error), put func(any) error) error {
	for some := range slices.Chunk(ids, chain.MaxResources) {
		f := chain.Filter{ResourceIDs: some, Limit: exportPage}
		for more := true; more; {
			page, err := read(f)
			if err != nil {
				return err
			}

			for _, event := range page {
				if err := put(event); err != nil {
					return err
				}
				f.AfterSeq = event.Seq
			}
			more = len(page) == exportPage
		}
	}

	return nil
}

// record is this service's part of the record.
func (e *export) record(ctx context.Context, put func(any) error) error {
	return audited(e.seen, func(f chain.Filter) ([]api.AuditEvent, error) {
		events, err := e.Record.List(ctx, e.kase.Tenant, f)

		wire := make([]api.AuditEvent, len(events))
		for i, event := range events {
			wire[i] = record.Wire(event)
		}

		return wire, err
	}, put)
}

// partyRecord is party-svc's part of it.
func (e *export) partyRecord(ctx context.Context, put func(any) error) error {
	return audited(append([]string{e.kase.ID}, e.parties...), func(f chain.Filter) ([]api.AuditEvent, error) {
		return e.Rosters.Client.Audit(
			ctx, api.AuditOf{ResourceIDs: f.ResourceIDs, AfterSeq: f.AfterSeq, Limit: f.Limit},
		)
	}, put)
}
