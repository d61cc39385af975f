package files

import (
	"context"
	"errors"
	"fmt"

	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/pkg/audit"
)

// attach ties the sealed file that holds its original to a file of the case whose original was not kept, and returns
// the file as it is then. A file whose original is kept keeps that one.
func (in *Intake) attach(ctx context.Context, by audit.Actor, f File, sealedID string) (File, error) {
	if f.SealedID == sealedID {
		return f, nil
	}
	if f.SealedID != "" {
		kept, err := in.Files.Get(ctx, f.Tenant, f.CaseID, f.SealedID)
		if err == nil && kept.Status != Deleted || err != nil && !errors.Is(err, ErrNotFound) {
			return f, err
		}
	}
	entry := audit.Entry{
		Tenant: f.Tenant, Actor: by, Action: "file.keep_original", ResourceType: "file", ResourceID: f.ID,
		ContentSHA256: f.SHA256,
	}
	err := audit.Do(ctx, in.Journal, entry, func() error {
		_, err := in.Files.Update(ctx, f.Tenant, f.CaseID, f.ID, func(now *File) error {
			switch {
			case now.Status == Deleted:
				return ErrNotFound
			case now.SealedID != f.SealedID:
				return cases.ErrUnchanged
			}
			now.SealedID = sealedID

			return nil
		})
		if err != nil {
			return err
		}

		return in.confirm(ctx, f.Tenant, f.CaseID, f.ID, sealedID)
	})
	if err != nil && !errors.Is(err, cases.ErrUnchanged) {
		return f, err
	}

	return in.Files.Get(ctx, f.Tenant, f.CaseID, f.ID) // perhaps another request was first
}

// confirm ends the tying of a file to the sealed file that holds its original, once the record of the file names it:
// it gives the sealed file a new version, which keeps whoever found no file tied to it from deleting it. When it has
// been deleted already, the file names it no longer. It may be repeated.
func (in *Intake) confirm(ctx context.Context, tenant, caseID, fileID, sealedID string) error {
	_, err := in.Files.Update(ctx, tenant, caseID, sealedID, func(sealed *File) error {
		if sealed.Status == Deleted {
			return ErrNotFound
		}

		return nil
	})
	if !errors.Is(err, ErrNotFound) {
		return err
	}

	return in.forgetOriginal(ctx, tenant, caseID, fileID, sealedID)
}

// forgetOriginal takes the name of a deleted sealed file out of the record of a file. It is no error when the file is
// gone, or names another one.
func (in *Intake) forgetOriginal(ctx context.Context, tenant, caseID, fileID, sealedID string) error {
	_, err := in.Files.Update(ctx, tenant, caseID, fileID, func(now *File) error {
		if now.SealedID != sealedID {
			return cases.ErrUnchanged
		}
		now.SealedID = ""

		return nil
	})
	if errors.Is(err, cases.ErrUnchanged) || errors.Is(err, ErrNotFound) {
		return nil
	}

	return err
}

// SealedFiles finds encrypted originals.
type SealedFiles interface {
	// SealedFiles returns up to most sealed files of all tenants, those behind a place, and the place to go on from: ""
	// at the end of all.
	SealedFiles(ctx context.Context, after string, most int) (page []File, next string, err error)
}

// Unlist takes back what an earlier release told agents of up to most sealed files, those behind a place: the note in
// the timeline that one was added, and that the case counts it. It returns the place to go on from, "" at the end, and
// is safe to repeat and to run on several replicas.
func (in *Intake) Unlist(ctx context.Context, s SealedFiles, after string, most int) (next string, err error) {
	page, next, err := s.SealedFiles(ctx, after, most)
	if err != nil {
		return after, err
	}
	var all error
	recounted := map[string]bool{}

	for _, f := range page {
		c, err := in.Cases.Get(ctx, f.Tenant, f.CaseID)
		if errors.Is(err, cases.ErrNotFound) {
			continue // nobody reads it any more
		}
		if err == nil {
			err = in.Dropped(ctx, c, f.ID)
		}
		if name := f.Tenant + "/" + f.CaseID; err == nil && !recounted[name] {
			recounted[name] = true
			err = in.Recount(ctx, f.Tenant, f.CaseID)
		}
		if err != nil {
			all = errors.Join(all, fmt.Errorf("take back the note of file %s: %w", f.ID, err))
		}
	}

	return next, all
}

// untie lets go of what a deleted file was tied to: its sealed original goes with it, unless another file has the same
// one, and the files whose original it was itself have none any more. It may be repeated.
func (in *Intake) untie(ctx context.Context, c cases.Case, by audit.Actor, f File) error {
	if f.SealedID != "" {
		return in.deleteOriginal(ctx, c, by, f.SealedID)
	}
	if f.MediaType != Sealed {
		return nil
	}
	orphans, err := in.Files.WithOriginal(ctx, c.Tenant, c.ID, f.ID)
	if err != nil {
		return err
	}

	for _, o := range orphans {
		if err := in.forgetOriginal(ctx, c.Tenant, c.ID, o.ID, f.ID); err != nil {
			return err
		}
	}

	return nil
}

// untyings bounds how often deleteOriginal begins again when files are tied to the original meanwhile.
const untyings = 5

// deleteOriginal deletes a sealed file to which no file is tied, if it is there.
func (in *Intake) deleteOriginal(ctx context.Context, c cases.Case, by audit.Actor, id string) error {
	for range untyings {
		sealed, err := in.Files.Get(ctx, c.Tenant, c.ID, id) // before the list: see confirm
		if errors.Is(err, ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		left, err := in.Files.WithOriginal(ctx, c.Tenant, c.ID, id)
		if err != nil || len(left) > 0 {
			return err
		}

		err = in.Delete(ctx, c, by, id, cases.Expected{sealed.Version})
		if errors.Is(err, ErrNotFound) {
			return nil // it was deleted by itself
		}
		if !errors.Is(err, cases.ErrVersion) {
			return err
		}
	}

	return cases.ErrBusy
}
