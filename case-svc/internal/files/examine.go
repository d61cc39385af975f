package files

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/extract"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/label"
)

// maxLabels bounds the labels that are kept of one file.
const maxLabels = 500

// kept is what is kept of a file.
type kept struct {
	text *Text      // nil when there is none that can be relied on
	made *rendition // nil when the bytes are kept as they were sent

	// cleared is what a draft says with words that people have cleared in other files of its case; nil for nothing.
	cleared *Clearance
}

// examine reads the file, sends every part of it through the gate and fills in what came out. It returns what is to be
// kept.
func (b *Batch) examine(ctx context.Context, n int, file *File, s *Scratch, attested bool) (kept, error) {
	// Ciphertext says nothing to anybody here, and a person has sent it, so their word is taken as given.
	if file.MediaType == Sealed {
		file.Extraction = Extraction{Status: string(extract.Encrypted), Method: "none", Language: "und"}
		return kept{}, b.attest(n, file, extract.Document{}, true)
	}
	// No program of ours reads pictures, so a picture is never shown to be clean.
	if picture(file.MediaType) {
		file.Extraction = Extraction{Status: string(extract.Unsupported), Method: "none", Language: "und"}
		return kept{}, b.attest(n, file, extract.Document{Reason: extract.ReasonPicture}, attested)
	}

	timed, cancel := context.WithTimeout(ctx, b.in.Limits.CheckTime)
	defer cancel()

	doc, found, late, err := b.in.judge(ctx, timed, *file, file.MediaType, s, nil)
	if err != nil {
		return kept{}, err
	}
	var carried *Clearance
	if b.phase != "" {
		if carried, found, err = b.carry(ctx, *file, doc, found); err != nil {
			return kept{}, err
		}
	}
	// What was found refuses the file even when time ran out, for it is certain. Only a clean result needs the whole
	// file.
	if len(found) > 0 {
		return kept{}, b.refusal(n, found)
	}
	if late {
		doc.Status, doc.Reason = extract.Damaged, extract.ReasonTimeLimit
	}
	out := kept{cleared: carried}
	// Drafts come from our own agent and are kept as they are. What people send is written anew from its text, so that
	// nothing hidden in the bytes is kept.
	if doc.Status.Readable() && b.phase == "" && rendered(file.MediaType) {
		made, found, late, err := b.in.render(ctx, timed, *file, doc)
		switch {
		case err != nil && !errors.Is(err, errGarbled):
			return kept{}, err
		case len(found) > 0:
			return kept{}, b.refusal(n, found)
		case late:
			doc.Status, doc.Reason = extract.Damaged, extract.ReasonTimeLimit
		case err != nil:
			doc.Status, doc.Reason = extract.NeedsOCR, extract.ReasonGarbled
		}
		out.made = &made
	}
	file.Extraction = extraction(doc)
	file.DeidCheck = DeidCheck{Status: Passed, DetectorVersion: guard.Version(), At: file.CreatedAt}
	if !doc.Status.Readable() {
		return kept{}, b.attest(n, file, doc, attested)
	}

	file.AgentReadable = true
	// Labels are listed for people to choose from; the text itself holds all of them.
	for _, l := range label.All(doc.Text) {
		if file.Labels = append(file.Labels, l.String()); len(file.Labels) == maxLabels {
			break
		}
	}
	if t := GuessDocType(doc.Text, doc.PageStarts); t != "unknown" {
		file.DocType, file.DocTypeBasis = t, TypeByRule
	}
	sum := sha256.Sum256([]byte(doc.Text))
	file.Extraction.TextSHA256, file.Extraction.TextVersion = hex.EncodeToString(sum[:]), 1

	out.text = textOf(*file, doc)
	if out.made != nil {
		out.made.describe(file)
	}

	return out, nil
}

// askCleared learns what people have cleared in the files of the case, once for a batch of drafts. It reads these files
// in the place that the draft has.
func (b *Batch) askCleared(ctx context.Context) ([]clearedWords, error) {
	if b.cleared != nil {
		return b.cleared, nil
	}
	list, err := b.in.cleared(ctx, b.c.Tenant, b.c.ID, func(context.Context) (func(), error) { return func() {}, nil })
	if err != nil {
		return nil, err
	}
	// An empty list is not nil: it says that the question was asked.
	b.cleared = append([]clearedWords{}, list...)

	return b.cleared, nil
}

// carry parts what was found in a draft: what people have cleared in the files of its case, as a clearance of the bytes
// of the draft by whoever cleared the last of these words, and what is left. When more was found than can be told,
// nothing is cleared.
func (b *Batch) carry(
	ctx context.Context, f File, doc extract.Document, found []guard.Located,
) (*Clearance, []guard.Located, error) {
	// The guard stops at its maximum, so what comes after may be anything.
	if len(found) == 0 || len(found) >= guard.MaxFindings {
		return nil, found, nil
	}
	list, err := b.askCleared(ctx)
	if err != nil {
		return nil, nil, err
	}

	texts := map[string]string{}
	for _, p := range doc.Parts {
		texts[p.Path] = p.Judged()
	}
	carried := Clearance{Tenant: f.Tenant, CaseID: f.CaseID, SHA256: f.SHA256}
	var left []guard.Located

	for _, hit := range found {
		by := slices.IndexFunc(list, func(c clearedWords) bool { return c.clears(ctx, hit.Finding, texts[hit.Path]) })
		if by < 0 {
			left = append(left, hit)
			continue
		}
		carried.Marks = append(carried.Marks, Mark{hit.Path, hit.Kind, hit.Start, hit.End})
		if list[by].At.After(carried.At) {
			carried.By, carried.At = list[by].By, list[by].At
		}
	}
	if len(carried.Marks) == 0 {
		return nil, left, nil
	}

	return &carried, left, nil
}

// clears reports whether a finding in text is one of the words.
func (c clearedWords) clears(ctx context.Context, hit guard.Finding, text string) bool {
	// The gate itself decides whether the words cover the finding, so that clearances and drafts follow one rule.
	gate := guard.Allowing{
		Gate:  known{hit},
		Words: func(context.Context) guard.Lexicon { return c.lexicon },
	}

	return len(gate.Check(ctx, guard.FileText, text)) == 0
}

// known is a gate that finds again what was found.
type known []guard.Finding

func (k known) Check(context.Context, guard.Channel, string) []guard.Finding { return slices.Clone(k) }

// refusal names the file of the request in which something was found.
func (b *Batch) refusal(n int, found []guard.Located) error {
	for i := range found {
		found[i].Path = b.path(n, found[i].Path)
	}

	return guard.Refusal(b.link(), found)
}

// attest takes a file that nobody can check on a person's word.
func (b *Batch) attest(n int, file *File, doc extract.Document, attested bool) error {
	if !attested {
		return b.unverifiable(n, doc)
	}
	file.DeidCheck = DeidCheck{
		Status:          Attested,
		DetectorVersion: guard.Version(),
		At:              file.CreatedAt,
		AttestedBy:      b.by.UserID,
	}

	return nil
}

func (in *Intake) extractLimits() extract.Limits {
	lim := extract.DefaultLimits()
	lim.Size, lim.Pages = in.Limits.FileBytes, in.Limits.Pages
	lim.Time = min(lim.Time, in.Limits.CheckTime)

	return lim
}

// inspect judges what is kept of a file within the time that a check may take.
func (in *Intake) inspect(
	ctx context.Context,
	f File,
	s *Scratch,
) (doc extract.Document, found []guard.Located, late bool, err error) {
	// The limit is one of the check and not of the caller, who may have more time.
	timed, cancel := context.WithTimeout(ctx, in.Limits.CheckTime)
	defer cancel()

	return in.judge(ctx, timed, f, f.Content.MediaType, s, f.Numbers.spans())
}

// judge reads a file and sends every part of it through the gate, but for what a person has cleared in these bytes. The
// numbers of paragraphs are not judged as words: those that the reader counted, and those given, in bytes of the body.
// late means that the time of the check, which timed has beside the caller's, ran out before the last part.
func (in *Intake) judge(
	ctx, timed context.Context,
	f File,
	mediaType string,
	s *Scratch,
	numbers []extract.Span,
) (doc extract.Document, found []guard.Located, late bool, err error) {
	doc, err = extract.Extract(timed, s, s.Size, mediaType, in.extractLimits())
	switch {
	case err != nil && ctx.Err() == nil && errors.Is(timed.Err(), context.DeadlineExceeded):
		// What cannot be read in time cannot be shown to be clean.
		doc = extract.Document{Status: extract.Damaged, Reason: extract.ReasonTimeLimit}
	case err != nil && ctx.Err() != nil:
		// The caller's time is up, or the caller left: that says nothing about the file.
		return doc, nil, false, fmt.Errorf("read a file: %w: %w", errs.ErrUnavailable, ctx.Err())
	case err != nil:
		return doc, nil, false, refined(err)
	case doc.Pages > in.Limits.Pages:
		return doc, nil, false, ErrTooManyPages.WithMessage(fmt.Sprintf(
			"The file has %d pages; the limit is %d. Split it into several files.", doc.Pages, in.Limits.Pages,
		))
	}
	var cleared *Clearance

	for _, p := range doc.Parts {
		if timed.Err() != nil {
			return doc, found, true, nil
		}
		// A rendition has the numbers of paragraphs in its text, where the guard could take them for those of accounts
		// or dockets.
		if p.Kind == extract.Body && len(numbers) > 0 {
			p.Numbers = numbers
		}
		hits := in.Gate.Check(timed, doorOf(p), p.Judged())
		if timed.Err() != nil { // what was not read to its end is late, whatever was found before
			hits = slices.DeleteFunc(hits, func(f guard.Finding) bool { return f.Kind == guard.KindOperation })
		}
		if len(hits) >= guard.MaxFindings { // nobody knows what stands behind the last of them
			found = append(found, guard.At(p.Path, hits)...)
			continue
		}
		// Most files have no findings, so the clearance is read only when there is something that it could cover.
		if len(hits) > 0 && cleared == nil {
			if cleared, err = in.clearance(timed, f.Tenant, f.CaseID, s.SHA256); err != nil {
				return doc, nil, false, err
			}
		}
		hits = slices.DeleteFunc(hits, func(f guard.Finding) bool { return cleared.covers(p.Path, f) })
		found = append(found, guard.At(p.Path, hits)...)
	}

	return doc, found, timed.Err() != nil, nil // a check that was cut off may have found nothing
}

func doorOf(p extract.Part) guard.Channel {
	if p.Kind == extract.Body {
		return guard.FileText
	}

	return guard.FileMeta
}

// unverifiable refuses file n of the request, of which nobody can prove that it names no client, and says why. A person
// may have it taken on their word.
func (b *Batch) unverifiable(n int, doc extract.Document) error {
	next := " Or send the user to the deep link, to take identities out of it in the browser."
	if b.by.Human() {
		next = " Or take identities out of it in the browser by the deep link. If you have checked it yourself, " +
			"send it with attestation true before the file; agents will not see it."
	}
	// The first file has the short name: most uploads have one.
	path := "file"
	if n > 0 {
		path = "files[" + strconv.Itoa(n) + "]"
	}

	return ErrUnverifiable.WithMessage(doc.Obstacle() + next).WithDeepLink(b.link()).
		WithDetails(errs.Detail{Path: path, Code: doc.Reason})
}

func extraction(doc extract.Document) Extraction {
	return Extraction{
		Status:           string(doc.Status),
		Reason:           doc.Reason,
		Pages:            doc.Pages,
		Chars:            doc.Chars,
		CharsPerPage:     float64(doc.CharsPerPage),
		ReplacementRatio: doc.ReplacementRatio,
		Language:         doc.Language,
		Method:           doc.Method,
	}
}

func textOf(file File, doc extract.Document) *Text {
	t := &Text{
		FileID:     file.ID,
		Tenant:     file.Tenant,
		CaseID:     file.CaseID,
		Version:    file.Extraction.TextVersion,
		Body:       doc.Text,
		PageStarts: doc.PageStarts,
	}
	for _, p := range extract.Passages(doc) {
		t.Passages = append(t.Passages, Passage{
			Start:     p.CharStart,
			End:       p.CharEnd,
			Page:      p.Page,
			Paragraph: p.Paragraph,
		})
	}

	return t
}
