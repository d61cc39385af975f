package files

import (
	"context"
	"slices"

	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/instant"
)

// Redrafted puts the drafts of an attempt in the place of those that earlier attempts of the phase left in the same
// slots. What came out the same byte for byte stays, and is this attempt's from now on. It may be repeated.
func (in *Intake) Redrafted(ctx context.Context, c cases.Case, phaseID string, attempt int, taken []Taken) error {
	if attempt < 2 {
		return nil
	}
	left, err := in.Files.Drafts(ctx, c.Tenant, c.ID, phaseID, attempt)
	if err != nil {
		return err
	}

	for _, f := range left {
		kept := slices.ContainsFunc(taken, func(t Taken) bool { return t.File.ID == f.ID })
		inSlot := func(t Taken) bool { return t.File.MediaType == f.Slot }

		switch {
		case kept:
			_, err = in.Files.Update(ctx, c.Tenant, c.ID, f.ID, func(f *File) error { f.Attempt = attempt; return nil })
		case slices.ContainsFunc(taken, inSlot):
			err = in.remove(ctx, c, f)
		}
		if err != nil {
			return err
		}
	}

	return nil
}

// Replaced takes away the drafts of attempts below a number of an ended phase. It may be repeated.
func (in *Intake) Replaced(ctx context.Context, c cases.Case, phaseID string, below int) error {
	left, err := in.Files.Drafts(ctx, c.Tenant, c.ID, phaseID, below)
	if err != nil {
		return err
	}

	for _, f := range left {
		if err := in.remove(ctx, c, f); err != nil {
			return err
		}
	}

	return nil
}

// remove takes a draft out of the case that its phase has replaced. Under a legal hold everything stays.
func (in *Intake) remove(ctx context.Context, c cases.Case, f File) error {
	if c.Retention.LegalHold {
		return nil
	}
	entry := audit.Entry{
		Tenant:        c.Tenant,
		Actor:         audit.Actor{Kind: audit.Service},
		Action:        "file.replace",
		ResourceType:  "file",
		ResourceID:    f.ID,
		ContentSHA256: f.SHA256,
	}
	err := audit.Do(ctx, in.Journal, entry, func() error {
		_, err := in.Files.Update(ctx, c.Tenant, c.ID, f.ID, func(f *File) error {
			f.Status, f.AgentReadable, f.DeletedAt = Deleted, false, instant.Of(in.Now())
			return nil
		})

		return err
	})
	if err != nil {
		return err
	}
	if in.Dropped != nil {
		if err := in.Dropped(ctx, c, f.ID); err != nil {
			return err
		}
	}
	_ = in.Recount(ctx, c.Tenant, c.ID) // derived, and may lag; the next change counts again

	return nil
}
