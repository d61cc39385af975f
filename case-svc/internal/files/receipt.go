package files

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
)

// Receipt says, apart from the record of its file, that an original was set aside, and what stands in its place. A
// release before renditions drops from the record of a file what it does not know; it knows nothing of receipts, and
// leaves them.
type Receipt struct {
	Tenant, CaseID, FileID string

	At      time.Time // of Original
	Sent    Form
	Content Content // zero until the rendition is in its place, and the original whole
	Dropped []Dropped
	Unread  Unread
	Numbers Numbers
}

// Receipts keeps receipts, one for a file.
type Receipts interface {
	// Put saves a receipt over the one that the file has.
	Put(ctx context.Context, r Receipt) error
	// Get returns the receipt of a file, or ErrNotFound.
	Get(ctx context.Context, tenant, fileID string) (Receipt, error)
	// Remove deletes the receipt of a file; it is no error when there is none.
	Remove(ctx context.Context, tenant, fileID string) error
	// Stray looks at up to most receipts of all tenants, those behind a place, and returns the ones whose file is gone
	// or says nothing of its original, and the place to go on from: "" at the end of all.
	Stray(ctx context.Context, after string, most int) (stray []Receipt, next string, err error)
}

// receiptOf is the receipt of a file whose original is set aside. It has a content when that is a rendition.
func receiptOf(f File) Receipt {
	r := Receipt{Tenant: f.Tenant, CaseID: f.CaseID, FileID: f.ID, At: f.Original.At, Sent: f.Sent()}
	if f.Content.Renderer != "" {
		r.Content, r.Dropped, r.Unread, r.Numbers = f.Content, f.Dropped, f.Unread, f.Numbers
	}

	return r
}

// Reclaim looks at up to most receipts, those behind a place, and returns the place to go on from, "" at the end. It
// gives back to files what an older release dropped from their records while it ran again, and removes what that left
// of files that it deleted. It is safe to repeat and to run on several replicas.
func (in *Intake) Reclaim(ctx context.Context, after string, most int) (next string, err error) {
	stray, next, err := in.Receipts.Stray(ctx, after, most)
	if err != nil {
		return after, err
	}
	var all error

	for _, r := range stray {
		if err := in.reclaim(ctx, r); err != nil && !errors.Is(err, cases.ErrUnchanged) {
			all = errors.Join(all, fmt.Errorf("reclaim the original of file %s: %w", r.FileID, err))
		}
	}

	return next, all
}

// reclaim mends what a receipt is about, as it stands now: since it was listed, another replica may have removed the
// original and its receipt, or set the original aside anew. A file that has its bytes as they were sent again is left
// to RenderStored.
func (in *Intake) reclaim(ctx context.Context, r Receipt) error {
	held, err := in.Files.Holdings(ctx, r.Tenant, r.CaseID)
	if err != nil {
		return err
	}
	twin := slices.ContainsFunc(held, func(h Holding) bool { return h.SHA256 == r.Sent.SHA256 && h.ID != r.FileID })

	_, err = in.Files.Update(ctx, r.Tenant, r.CaseID, r.FileID, func(now *File) error {
		if !now.Original.At.IsZero() {
			return cases.ErrUnchanged
		}
		r, err := in.standing(ctx, r) // after the record: whoever removes the original changes that record later
		if err != nil {
			return err
		}
		if now.Content.Form != r.Content.Form {
			return cases.ErrUnchanged
		}
		now.Original = Original{At: r.At, Copied: true, Placed: true}
		now.Content, now.Dropped, now.Unread, now.Numbers = r.Content, r.Dropped, r.Unread, r.Numbers
		if !twin { // else the case has what was sent as a file of its own by now
			now.MediaType, now.SizeBytes, now.SHA256 = r.Sent.MediaType, r.Sent.SizeBytes, r.Sent.SHA256
		}

		return nil
	})
	if !errors.Is(err, ErrNotFound) {
		return err
	}
	if err := in.Blobs.Remove(ctx, r.Tenant, r.FileID); err != nil {
		return err
	}

	return in.Receipts.Remove(ctx, r.Tenant, r.FileID)
}

// standing returns a receipt as it stands now, or cases.ErrUnchanged when the file has none any more, or one that says
// of no rendition, or when the bytes as they were sent are gone.
func (in *Intake) standing(ctx context.Context, listed Receipt) (Receipt, error) {
	r, err := in.Receipts.Get(ctx, listed.Tenant, listed.FileID)
	if err == nil && r.Content.Renderer == "" {
		err = ErrNotFound
	}
	if err == nil {
		err = in.lies(ctx, r)
	}
	if errors.Is(err, ErrNotFound) {
		err = cases.ErrUnchanged // nothing is there to be given back
	}

	return r, err
}

// lies returns ErrNotFound when the bytes that a receipt is about, as they were sent, are not there.
func (in *Intake) lies(ctx context.Context, r Receipt) error {
	bytes, err := in.Blobs.Open(ctx, r.Tenant, r.FileID, AsSent)
	if err != nil {
		return err
	}

	return bytes.Close()
}
