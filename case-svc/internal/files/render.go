package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/extract"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/instant"
	writer "github.com/subrosa-legal/subrosa/pkg/rendition"
)

// Unrendered finds stored files of all tenants that were stored before renditions were.
type Unrendered interface {
	// Unrendered lists up to most files that have their bytes as they were sent, and behind them those that were taken
	// up before a time and are not finished, the oldest first. It leaves out deleted files, and those of which the
	// reader of that name has failed to make a rendition.
	Unrendered(ctx context.Context, reader string, before time.Time, most int) ([]File, error)
}

// RoundTime is how long a round works on stored files before it leaves the rest to the next one. It looks at the time
// between two files, each of which takes twice Limits.CheckTime at most.
const RoundTime = 20 * time.Second

// RenderStored makes the renditions of files that were stored before renditions were, page by page until there are no
// more, something fails, or RoundTime is over, and reports how many it came to. What was sent moves to a slot that
// nobody is served from. It is safe to repeat after a crash at any point, and to run on several replicas: a file is
// claimed before anything is done for it.
func (in *Intake) RenderStored(ctx context.Context, stored Unrendered, page int) (n int, err error) {
	for over := in.Now().Add(RoundTime); ; {
		due, err := stored.Unrendered(ctx, writer.MarkdownRenderer, in.Now().Add(-HalfDone), page)
		if err != nil {
			return n, err
		}
		var all error
		moved := false // so that a page that nothing can be done with is not read over and over

		for _, f := range due {
			if !in.Now().Before(over) {
				return n, all
			}
			err := in.renderStored(ctx, f)
			if errors.Is(err, ErrNoPlace) {
				return n, errors.Join(all, err) // uploads come first; the rest is for the next round
			}
			n++
			moved = moved || err == nil
			if err != nil && !errors.Is(err, ErrNotFound) && !errors.Is(err, cases.ErrUnchanged) {
				all = errors.Join(all, fmt.Errorf("render the stored file %s: %w", f.ID, err))
			}
		}
		// After a failure the rest waits for the next round: the store may be away, and each file would fail.
		if all != nil || !moved || len(due) < page {
			return n, all
		}
	}
}

// renderStored makes the rendition of one file, judged by the present rules, and puts it in the place of the bytes
// that were sent.
func (in *Intake) renderStored(ctx context.Context, f File) error {
	ctx = access.WithCaller(ctx, access.Caller{Kind: access.Service, Tenant: f.Tenant}, "") // whose allowed words count
	leave, err := in.Spool.Place(ctx)
	if err != nil {
		return err
	}
	defer leave()

	if f, err = in.still(ctx, f); err != nil {
		return err
	}
	// A file is claimed by its record before its bytes are touched, so no two replicas write into one slot.
	was := f.Original
	if f, err = in.mark(ctx, f, Original{At: instant.Of(in.Now()), Copied: was.Copied}); err != nil {
		return err // another replica is at it
	}

	s, copied, err := in.sent(ctx, f)
	if errors.Is(err, ErrNotFound) {
		return in.giveItUp(ctx, f, was) // whatever lies there, it is not what was taken in
	}
	if err != nil {
		return in.unclaim(ctx, f, was, err)
	}
	defer func() { _ = s.Close() }()

	// A refusal says that the file cannot be read by the rules of today. Another failure says nothing of it.
	made, clean, err := in.remake(ctx, &f, s)
	switch {
	case refusal(err), err == nil && made == nil:
		return in.giveItUp(ctx, f, was)
	case err != nil:
		return in.unclaim(ctx, f, was, err)
	}
	if f, err = in.setAside(ctx, f, s, copied); err != nil {
		return err
	}

	return in.replace(ctx, f, *made, clean)
}

// unclaim serves the rendition of a file again of which another one cannot be made at the moment, and returns why. A
// file that has none yet stays claimed, so that it waits HalfDone for its next turn.
func (in *Intake) unclaim(ctx context.Context, f File, was Original, why error) error {
	if !was.Placed {
		return why
	}
	_, err := in.mark(context.WithoutCancel(ctx), f, was)

	return errors.Join(why, err)
}

// sent brings what was sent of a file into the spool, and reports whether it was copied to the slot that nobody is
// served from. An older release of the service drops what the record says of that, so the bytes decide. ErrNotFound:
// no slot holds what was taken in.
func (in *Intake) sent(ctx context.Context, f File) (s *Scratch, copied bool, err error) {
	for _, slot := range []Slot{Served, AsSent} {
		// The served slot may hold half a rendition by now.
		if slot == Served && f.Original.Copied {
			continue
		}

		s, err = in.fetch(ctx, f, slot, f.SizeBytes)
		switch {
		case err == nil && s.SHA256 == f.SHA256:
			return s, slot == AsSent, nil
		case err == nil:
			err = s.Close()
		case errors.Is(err, ErrTooLarge), errors.Is(err, ErrEmpty), errors.Is(err, ErrNotFound):
			err = nil // so it is something else
		}
		if err != nil {
			return nil, false, err
		}
	}

	return nil, false, ErrNotFound
}

// still returns the newest record of a file that was listed, or cases.ErrUnchanged when somebody has taken it up since.
func (in *Intake) still(ctx context.Context, f File) (File, error) {
	now, err := in.Files.Get(ctx, f.Tenant, f.CaseID, f.ID)
	switch {
	case err != nil:
		return now, err
	case now.Status == Deleted:
		return now, ErrNotFound
	case !now.keeps(f):
		return now, cases.ErrUnchanged
	}

	return now, nil
}

// remake reads a stored file by the present rules and renders it. nil: nothing can be relied on of what it says, or it
// brings out a mistake of ours. clean reports whether agents may read it.
func (in *Intake) remake(ctx context.Context, f *File, s *Scratch) (made *rendition, clean bool, err error) {
	defer func() {
		if recover() != nil { // as in clean
			made, clean, err = nil, false, nil
		}
	}()

	// The time limit of an upload holds here too, or one old file could stop the whole round.
	timed, cancel := context.WithTimeout(ctx, in.Limits.CheckTime)
	defer cancel()

	doc, found, late, err := in.judge(ctx, timed, *f, f.MediaType, s, nil)
	switch {
	case err != nil:
		return nil, false, err
	case late, doc.Reason == extract.ReasonTimeLimit:
		return nil, false, errSlow
	case !doc.Status.Readable():
		return nil, false, nil
	}

	r, also, late, err := in.render(ctx, timed, *f, doc)
	switch {
	case errors.Is(err, errGarbled):
		return nil, false, nil
	case err == nil && late:
		err = errSlow
	}
	if err != nil {
		return nil, false, err
	}
	clean = len(found) == 0 && len(also) == 0 && len(in.Gate.Check(ctx, guard.FileName, f.Name)) == 0

	return &r, clean, nil
}

// errSlow leaves a file that could not be judged in time to the next round: it says nothing of the file, which was
// read in time once.
var errSlow = fmt.Errorf("read a stored file in time: %w", errs.ErrUnavailable)

// setAside copies what was sent of a claimed file to the slot that nobody is served from, unless it is copied: from
// then on it is there whatever happens to the slot that is served. It returns the record as it is then.
// cases.ErrUnchanged: another replica is at it.
func (in *Intake) setAside(ctx context.Context, f File, s *Scratch, copied bool) (File, error) {
	if !copied {
		// The receipt goes first: it keeps what the record says in case an older release writes over it.
		if err := in.Receipts.Put(ctx, receiptOf(f)); err != nil {
			return f, err
		}
		if err := in.put(ctx, f, AsSent, s.Reader()); err != nil {
			return f, err
		}
	}
	if f.Original.Copied {
		return f, nil
	}

	return in.mark(ctx, f, Original{At: f.Original.At, Copied: true})
}

// mark notes how far the setting aside of a file has come, or returns cases.ErrUnchanged when somebody else is at it.
func (in *Intake) mark(ctx context.Context, f File, next Original) (File, error) {
	return in.Files.Update(ctx, f.Tenant, f.CaseID, f.ID, func(now *File) error {
		if now.Original != f.Original || now.Status == Deleted {
			return cases.ErrUnchanged
		}
		now.Original = next

		return nil
	})
}

// put stores bytes in a slot, which is cleared first: somebody may have begun, and left anything there.
func (in *Intake) put(ctx context.Context, f File, slot Slot, content io.Reader) error {
	if err := in.Blobs.Clear(ctx, f.Tenant, f.ID, slot); err != nil {
		return err
	}

	return in.Blobs.Put(ctx, f.Tenant, f.ID, slot, content)
}

// replace puts a rendition where what was sent lay, and then says in the record that it is there.
func (in *Intake) replace(ctx context.Context, f File, made rendition, clean bool) error {
	for slot, content := range made.slots() {
		if err := in.put(ctx, f, slot, content); err != nil {
			return err
		}
	}
	// The clearance of the new bytes is there before the record says that they are, or a recheck would hold the file
	// back.
	if err := in.keepMarks(ctx, made.cleared); err != nil {
		return err
	}
	placed := f
	made.describe(&placed)
	if err := in.Receipts.Put(ctx, receiptOf(placed)); err != nil {
		return err
	}
	entry := audit.Entry{
		Tenant: f.Tenant, Actor: audit.Actor{Kind: audit.Service}, Action: "file.render", ResourceType: "file",
		ResourceID:    f.ID,
		ContentSHA256: made.content.SHA256,
	}

	return audit.Do(ctx, in.Journal, entry, func() error {
		return in.settle(ctx, f, clean, func(now *File) error {
			made.describe(now)
			now.Original.Placed, now.TriedBy = true, ""

			return nil
		})
	})
}

// giveItUp notes that no rendition can be made of a claimed file, whose original was as it was before. It keeps its
// bytes, nobody is served them, and agents do not read it any more.
func (in *Intake) giveItUp(ctx context.Context, f File, was Original) error {
	return in.settle(ctx, f, false, func(now *File) error {
		now.TriedBy, now.Original = writer.MarkdownRenderer, was
		return nil
	})
}

// Originals counts the files of a tenant that were stored before renditions were.
type Originals struct {
	SetAside   int   // whose original is kept beside its rendition
	SizeBytes  int64 // of these originals
	Waiting    int   // whose rendition is still to be made
	Unreadable int   // of which none could be made
}

// Confirmed tells whether who runs a tenant has agreed that the originals of its renditions are removed.
type Confirmed func(ctx context.Context, tenant string) (bool, error)

// SetAside finds originals of all tenants that were set aside for their renditions.
type SetAside interface {
	// SetAside lists up to most files whose original was set aside before a time, whose tenant may have it removed,
	// and that no legal hold keeps.
	SetAside(ctx context.Context, before time.Time, may Confirmed, most int) ([]File, error)
}

// RemoveOriginals removes originals that were set aside long ago, at most so many. Each is on record.
func (in *Intake) RemoveOriginals(ctx context.Context, stored SetAside, may Confirmed, most int) error {
	due, err := stored.SetAside(ctx, in.Now().Add(-KeptOriginal), once(may), most)
	if err != nil {
		return err
	}
	var all error

	for _, f := range due {
		entry := audit.Entry{
			Tenant: f.Tenant, Actor: audit.Actor{Kind: audit.Service}, Action: "file.original_purge",
			ResourceType: "file", ResourceID: f.ID,
			ContentSHA256: f.SHA256,
		}
		err := audit.Do(ctx, in.Journal, entry, func() error { return in.removeOriginal(ctx, f) })
		if err != nil && !errors.Is(err, ErrNotFound) && !errors.Is(err, cases.ErrUnchanged) {
			all = errors.Join(all, fmt.Errorf("remove the original of file %s: %w", f.ID, err))
		}
	}

	return all
}

// once asks for each tenant once.
func once(may Confirmed) Confirmed {
	known := map[string]bool{}

	return func(ctx context.Context, tenant string) (bool, error) {
		if agreed, ok := known[tenant]; ok {
			return agreed, nil
		}
		agreed, err := may(ctx, tenant)
		// A failure is not remembered: the next file of the tenant asks again.
		if err == nil {
			known[tenant] = agreed
		}

		return agreed, err
	}
}

// removeOriginal removes the original of a file as it was listed. It first says in the record that the original is not
// whole any more, so that nobody relies on it meanwhile and a later round ends what a crash cut off.
// cases.ErrUnchanged: the original must stay, since the file was taken up again or a legal hold was set since.
func (in *Intake) removeOriginal(ctx context.Context, f File) error {
	claimed, err := in.Files.Update(ctx, f.Tenant, f.CaseID, f.ID, func(now *File) error {
		if now.Original != f.Original || !now.Original.Placed {
			return cases.ErrUnchanged
		}
		now.Original.Copied = false

		return in.freed(ctx, f) // last, so that no hold is missed that was set before this is saved
	})
	if err != nil {
		return err
	}
	if err := in.Blobs.Clear(ctx, f.Tenant, f.ID, AsSent); err != nil {
		return err
	}
	if err := in.Receipts.Remove(ctx, f.Tenant, f.ID); err != nil {
		return err
	}
	// The record forgets the original only after the bytes are gone, so that a later round finds what a crash left.
	_, err = in.Files.Update(ctx, f.Tenant, f.CaseID, f.ID, func(now *File) error {
		if now.Original != claimed.Original {
			return cases.ErrUnchanged
		}
		now.Original = Original{}

		return nil
	})

	return err
}

// freed returns cases.ErrUnchanged while a legal hold keeps the files of the case of f.
func (in *Intake) freed(ctx context.Context, f File) error {
	c, err := in.Cases.Get(ctx, f.Tenant, f.CaseID)
	switch {
	case errors.Is(err, errs.ErrNotFound):
		return nil // the case is gone, and holds nothing
	case err != nil:
		return err
	case c.Retention.LegalHold:
		return cases.ErrUnchanged
	}

	return nil
}
