package files

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/extract"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	writer "github.com/subrosa-legal/subrosa/pkg/rendition"
)

// rendition is what is kept of a file in the place of the bytes that were sent.
type rendition struct {
	content Content
	served  []byte
	word    []byte // nil when there is no Word file of it
	dropped []Dropped
	unread  Unread
	numbers Numbers
	cleared *Clearance // what a person has cleared, in offsets of the rendition; nil when nothing is
}

// describe notes in a record what is kept of the file.
func (r rendition) describe(f *File) {
	f.Content, f.Dropped, f.Unread, f.Numbers = r.content, r.dropped, r.unread, r.numbers
}

// slots returns what lies where.
func (r rendition) slots() map[Slot]io.Reader {
	all := map[Slot]io.Reader{Served: bytes.NewReader(r.served)}
	if r.word != nil {
		all[AsWord] = bytes.NewReader(r.word)
	}

	return all
}

// formOf describes bytes of a type.
func formOf(mediaType string, content []byte) Form {
	sum := sha256.Sum256(content)
	return Form{mediaType, int64(len(content)), hex.EncodeToString(sum[:])}
}

// markup is what a finding in Markdown may have at its ends that is not of the words themselves.
const markup = " \t\n*_#|>-\\"

// errGarbled refuses a rendition whose parts are worse together than the body alone, so that no check of it counts.
var errGarbled = errors.New("the rendition of a file cannot be read")

// render writes the rendition of a document that was read, and judges it as any file is judged. What a person has
// cleared in the bytes that were sent is cleared in the rendition too; found is what is left, at its places in the
// file as it was sent. late means that the time ran out. errGarbled: nothing can be relied on of what it says.
func (in *Intake) render(
	ctx, timed context.Context,
	f File,
	doc extract.Document,
) (r rendition, found []guard.Located, late bool, err error) {
	written, err := writer.Markdown(timed, doc)
	if err != nil {
		return r, nil, ctx.Err() == nil, left(ctx)
	}
	r.served, r.dropped, r.unread = written.Bytes, droppedOf(doc), unreadOf(doc)
	r.numbers = packed(written.Numbers)
	r.content = Content{Form: formOf(written.MediaType, written.Bytes), Renderer: written.Renderer}
	if writer.HasWord(f.MediaType) {
		word, err := writer.Word(timed, doc)

		switch {
		case err != nil && timed.Err() != nil:
			return r, nil, ctx.Err() == nil, left(ctx)
		case err != nil:
			return r, nil, false, fmt.Errorf("write a Word file: %w", err)
		}
		r.word, r.content.Word = word.Bytes, formOf(word.MediaType, word.Bytes)
	}
	again := &Scratch{ReaderAt: bytes.NewReader(r.served), Size: r.content.SizeBytes, SHA256: r.content.SHA256}

	read, hits, late, err := in.judge(ctx, timed, f, r.content.MediaType, again, r.numbers.spans())
	switch {
	case err != nil, late:
		return r, nil, late, err
	case read.Reason == extract.ReasonTimeLimit:
		return r, nil, true, nil
	case !read.Status.Readable():
		return r, nil, false, errGarbled
	case len(hits) == 0:
		return r, nil, false, nil
	}
	cleared, err := in.clearance(ctx, f.Tenant, f.CaseID, f.SHA256)
	if err != nil {
		return r, nil, false, err
	}
	carried := *cleared
	carried.SHA256, carried.Marks = r.content.SHA256, nil

	for _, hit := range hits {
		if mark := (Mark{hit.Path, hit.Kind, hit.Start, hit.End}); cleared.reaches(written, hit.Finding) {
			carried.Marks = append(carried.Marks, mark)
			continue
		}
		if path, start, end, ok := written.Origin(hit.Start, hit.End); ok {
			hit.Path, hit.Start, hit.End = path, start, end
		}
		found = append(found, hit)
	}
	if len(carried.Marks) > 0 {
		r.cleared = &carried
	}

	return r, found, false, nil
}

// left returns the error of a caller whose time is up or who left, and none while there is one.
func left(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}

	return fmt.Errorf("render a file: %w: %w", errs.ErrUnavailable, ctx.Err())
}

// reaches reports whether a finding in a rendition is one that is cleared in the file as it was sent: the same kind,
// within the same words, or a word of a stretch in a language that is cleared as a whole.
func (c *Clearance) reaches(written writer.Rendition, hit guard.Finding) bool {
	words := string(written.Bytes[hit.Start:hit.End])
	start := hit.Start + len(words) - len(strings.TrimLeft(words, markup))
	end := hit.End - len(words) + len(strings.TrimRight(words, markup))

	return slices.ContainsFunc(c.Marks, func(m Mark) bool {
		from, to, ok := written.Place(m.Path, m.Start, m.End)
		alike := m.Kind == hit.Kind || m.ofLanguage(hit)

		return ok && alike && from <= start && end <= to
	})
}

func droppedOf(doc extract.Document) []Dropped {
	var all []Dropped
	for _, d := range doc.Dropped {
		all = append(all, Dropped(d))
	}

	return all
}

// unreadOf counts all that was not read, and lists the first of it.
func unreadOf(doc extract.Document) (u Unread) {
	for _, p := range doc.Unread {
		u.Count += p.Count
		if len(u.Places) < MaxUnread {
			u.Places = append(u.Places, UnreadPlace(p))
		}
	}

	return u
}

// keepMarks keeps what is cleared in bytes that we wrote as a clearance of them, with what is cleared there already.
// nil is nothing.
func (in *Intake) keepMarks(ctx context.Context, made *Clearance) error {
	if made == nil {
		return nil
	}

	for range clearings {
		known, err := in.Clearances.Get(ctx, made.Tenant, made.CaseID, made.SHA256)
		if err != nil && !errors.Is(err, ErrNotFound) {
			return err
		}
		next := *made
		next.Version = known.Version
		next.Marks = slices.Clone(known.Marks)

		for _, m := range made.Marks {
			if !slices.Contains(next.Marks, m) {
				next.Marks = append(next.Marks, m)
			}
		}
		if len(next.Marks) == len(known.Marks) {
			return nil
		}
		if err := in.Clearances.Put(ctx, next); !errors.Is(err, errs.ErrTaken) {
			return err
		}
	}

	return cases.ErrBusy
}
