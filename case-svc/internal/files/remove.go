package files

import (
	"context"
	"errors"
	"fmt"

	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/instant"
)

// Delete takes a file out of the case at once, with its sealed original unless another file has the same one. The bytes
// go KeptDeleted later. by must be a person. When only the file was deleted before a failure, deleting it again answers
// ErrNotFound and deletes the original.
func (in *Intake) Delete(ctx context.Context, c cases.Case, by audit.Actor, id string, expected cases.Expected) error {
	f, err := in.Files.Get(ctx, c.Tenant, c.ID, id)
	switch {
	case err != nil:
		return err
	case f.Status == Deleted && releases(c) == nil:
		// A failure comes first: with "not found" nobody would ask for the original to go once more.
		if err := in.untie(ctx, c, by, f); err != nil {
			return err
		}

		return ErrNotFound
	case f.Status == Deleted:
		return ErrNotFound
	case !expected.Holds(f.Version):
		return cases.ErrVersion
	}
	if err := releases(c); err != nil {
		return err
	}
	entry := audit.Entry{
		Tenant: c.Tenant, Actor: by, Action: "file.delete",
		ResourceType: "file", ResourceID: id, ContentSHA256: f.SHA256,
	}
	was := f
	remove := func() error {
		_, err := in.Files.Update(ctx, c.Tenant, c.ID, id, func(f *File) error {
			switch {
			case f.Status == Deleted:
				return ErrNotFound
			case !expected.Holds(f.Version):
				return cases.ErrVersion
			}
			was = *f
			f.Status, f.AgentReadable, f.DeletedAt = Deleted, false, instant.Of(in.Now())

			return nil
		})

		return err
	}
	putBack := func(ctx context.Context) error {
		_, err := in.Files.Update(ctx, c.Tenant, c.ID, id, func(f *File) error {
			f.Status, f.AgentReadable, f.DeletedAt = was.Status, was.AgentReadable, was.DeletedAt
			return nil
		})

		return err
	}
	err = audit.Do(ctx, in.Journal, entry, func() error {
		return cases.Within(ctx, in.Cases, &c, by, releases, remove, putBack)
	})
	if err != nil {
		return err
	}
	_ = in.Recount(ctx, c.Tenant, c.ID) // derived, and may lag; the next change counts again

	return in.untie(ctx, c, by, was)
}

// releases tells whether a case lets go of its files.
func releases(c cases.Case) error {
	if err := c.Stands(); err != nil {
		return err
	}
	if c.Retention.LegalHold {
		return cases.ErrLegalHold
	}

	return nil
}

// Shredder finds deleted files of all tenants whose bytes may go, and forgets them.
type Shredder interface {
	// Due lists up to most files that were deleted before KeptDeleted, and that no legal hold keeps.
	Due(ctx context.Context, most int) ([]File, error)
	// Forget deletes the record of a file whose bytes are gone.
	Forget(ctx context.Context, f File) error
}

// Shred removes the bytes and then the records of files that were deleted long ago, at most so many. It is safe to
// repeat and to run on several replicas.
func (in *Intake) Shred(ctx context.Context, s Shredder, most int) error {
	due, err := s.Due(ctx, most)
	if err != nil {
		return err
	}
	var all error // one file that cannot be removed must not keep the others

	for _, f := range due {
		entry := audit.Entry{
			Tenant: f.Tenant, Actor: audit.Actor{Kind: audit.Service}, Action: "file.purge",
			ResourceType: "file", ResourceID: f.ID, ContentSHA256: f.SHA256,
		}
		err := audit.Do(ctx, in.Journal, entry, func() error {
			return errors.Join(
				in.untieLate(ctx, f), in.Blobs.Remove(ctx, f.Tenant, f.ID), in.Receipts.Remove(ctx, f.Tenant, f.ID),
				in.Texts.Remove(ctx, f.Tenant, f.ID, max(1, f.Extraction.TextVersion)),
			)
		})
		if err == nil {
			err = s.Forget(ctx, f)
		}
		if err != nil {
			all = errors.Join(all, fmt.Errorf("purge file %s: %w", f.ID, err))
		}
	}

	return all
}

// untieLate lets go of what a deleted file was tied to when a crash kept Delete from it.
func (in *Intake) untieLate(ctx context.Context, f File) error {
	c, err := in.Cases.Get(ctx, f.Tenant, f.CaseID)
	if errors.Is(err, cases.ErrNotFound) || err == nil && releases(c) != nil {
		return nil // all of it goes with the case
	}
	if err != nil {
		return err
	}

	return in.untie(ctx, c, audit.Actor{Kind: audit.Service}, f)
}
