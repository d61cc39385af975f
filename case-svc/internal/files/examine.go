package files

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/extract"
	"github.com/subrosa-legal/subrosa/pkg/guard"
)

// maxLabels bounds the labels that are kept of one file.
const maxLabels = 500

// examine reads the file, sends every part of it through the gate and fills in what came out. It returns the text to keep, nil when
// there is none that can be relied on.
func (b *Batch) examine(ctx context.Context, n int, file *File, s *Scratch, attested bool) (*Text, error) {
	timed, cancel := context.WithTimeout(ctx, b.in.Limits.CheckTime)
	defer cancel()
	doc, err := extract.Extract(timed, s, s.Size, file.MediaType, b.in.extractLimits())
	switch {
	case err != nil && ctx.Err() == nil && errors.Is(timed.Err(), context.DeadlineExceeded):
		doc = extract.Document{Status: extract.Damaged, Reason: "time_limit"} // what cannot be read in time cannot be shown to be clean
	case err != nil && ctx.Err() != nil:
		return nil, fmt.Errorf("read a file: %w: %w", errs.ErrUnavailable, ctx.Err()) // the caller's time is up, or the caller left
	case err != nil:
		return nil, refined(err)
	case doc.Pages > b.in.Limits.Pages:
		return nil, ErrTooManyPages.WithMessage(fmt.Sprintf("The file has %d pages; at most %d are taken. Split it into several files.", doc.Pages, b.in.Limits.Pages))
	}
	late, err := b.screen(timed, n, doc.Parts)
	if err != nil {
		return nil, err
	}
	readable := doc.Status.Readable() && !late
	file.Extraction = extraction(doc)
	file.DeidCheck = DeidCheck{Status: Passed, DetectorVersion: guard.Version(), At: file.CreatedAt}
	if !readable {
		if !attested {
			return nil, b.unverifiable()
		}
		file.DeidCheck.Status, file.DeidCheck.AttestedBy = Attested, b.by.UserID
		return nil, nil
	}
	file.AgentReadable = true
	for _, l := range guard.Labels(doc.Text) {
		if file.Labels = append(file.Labels, l.String()); len(file.Labels) == maxLabels {
			break
		}
	}
	if t := GuessDocType(doc.Text, doc.PageStarts); t != "unknown" {
		file.DocType, file.DocTypeBasis = t, TypeByRule
	}
	sum := sha256.Sum256([]byte(doc.Text))
	file.Extraction.TextSHA256, file.Extraction.TextVersion = hex.EncodeToString(sum[:]), 1
	return textOf(*file, doc), nil
}

func (in *Intake) extractLimits() extract.Limits {
	lim := extract.DefaultLimits()
	lim.Size, lim.Pages = in.Limits.FileBytes, in.Limits.Pages
	lim.Time = min(lim.Time, in.Limits.CheckTime)
	return lim
}

// screen sends the parts through the gate. late means that the time ran out before the last of them.
func (b *Batch) screen(ctx context.Context, n int, parts []extract.Part) (late bool, err error) {
	var found []guard.Located
	for _, p := range parts {
		if late = ctx.Err() != nil; late {
			break
		}
		door := guard.FileMeta
		if p.Kind == extract.Body {
			door = guard.FileText
		}
		found = append(found, guard.At(b.path(n, p.Path), b.in.Gate.Check(ctx, door, p.Text))...)
	}
	if len(found) > 0 {
		err = guard.Refusal(b.link(), found)
	}
	return late, err
}

// unverifiable refuses a file of which nobody can prove that it names no client. A person may take it on their word.
func (b *Batch) unverifiable() error {
	e := ErrUnverifiable.WithDeepLink(b.link())
	if b.by.Human() {
		return e.WithMessage("The text of this file cannot be read, so it cannot be shown to be free of identities. Redact it in the browser by the deep link, or send it with attestation true before the file if you have checked it yourself; agents will not see it.")
	}
	return e
}

func extraction(doc extract.Document) Extraction {
	return Extraction{
		Status: string(doc.Status), Pages: doc.Pages, Chars: doc.Chars, CharsPerPage: float64(doc.CharsPerPage), ReplacementRatio: doc.ReplacementRatio,
		Language: doc.Language, Method: doc.Method,
	}
}

func textOf(file File, doc extract.Document) *Text {
	t := &Text{FileID: file.ID, Tenant: file.Tenant, CaseID: file.CaseID, Version: file.Extraction.TextVersion, Body: doc.Text, PageStarts: doc.PageStarts}
	for _, p := range extract.Passages(doc) {
		t.Passages = append(t.Passages, Passage{Start: p.CharStart, End: p.CharEnd, Page: p.Page, Paragraph: p.Paragraph})
	}
	return t
}
