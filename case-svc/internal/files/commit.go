package files

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/guard"
)

// Describe takes over what the sender says of the files, in their order; none of it is given when metas is empty.
func (b *Batch) Describe(ctx context.Context, metas []Meta) error {
	if len(metas) == 0 {
		return nil
	}
	var f cases.Faults
	if len(metas) != len(b.items) {
		f.Add("metadata", fmt.Sprintf("must have one entry for each file: %d", len(b.items)))
		return f.Err()
	}
	var texts []cases.Text
	for i, m := range metas {
		at := func(field string) string { return "metadata[" + strconv.Itoa(i) + "]." + field }
		if m.Name != nil {
			texts = append(texts, cases.Text{Door: guard.FileName, Path: at("name"), Value: *m.Name})
		}
		if m.Description != nil {
			texts = append(texts, cases.Text{Door: guard.Title, Path: at("description"), Value: *m.Description})
		}
		if m.Attestation && !b.by.Human() {
			return cases.ErrHuman.WithDeepLink(b.link())
		}
		m.apply(&b.items[i].file, at, &f)
	}
	if err := cases.Screen(ctx, b.in.Gate, b.link(), texts...); err != nil {
		return err
	}
	return f.Err()
}

// apply sets what is given.
func (m Meta) apply(file *File, at func(string) string, f *cases.Faults) {
	if m.Name != nil {
		file.Name = f.Line(at("name"), baseName(*m.Name), 1, MaxName)
	}
	if m.Description != nil {
		file.Description = f.Prose(at("description"), *m.Description, 0, 1000)
	}
	if m.DocType != nil {
		if !ValidDocType(*m.DocType) {
			f.Add(at("docType"), "must be a document type such as complaint or answer, other, or unknown")
		}
		file.DocType, file.DocTypeBasis = *m.DocType, TypeGiven
	}
	if m.DocumentOn != nil {
		if _, err := time.Parse(time.DateOnly, *m.DocumentOn); err != nil {
			f.Add(at("documentOn"), "must be a date of the form YYYY-MM-DD")
		}
		file.DocumentOn = *m.DocumentOn
	}
	if m.Privilege != nil {
		file.Privilege = f.OneOf(at("privilege"), *m.Privilege, cases.Privileges()...)
	}
}

// Contents tells what was sent, for a fingerprint of the request: one entry for each file.
func (b *Batch) Contents() [][]byte {
	all := make([][]byte, len(b.items))
	for i, it := range b.items {
		all[i] = fmt.Appendf(nil, "%s %q %s", it.file.SHA256, it.sent.Name, it.file.MediaType)
	}
	return all
}

// Commit gives the files of the batch to the case, all of them, and returns them in their order.
func (b *Batch) Commit(ctx context.Context) ([]Taken, error) {
	if len(b.items) == 0 {
		var f cases.Faults
		f.Add("file", "must be given at least once")
		return nil, f.Err()
	}
	var plan []File
	for _, it := range b.items {
		if it.fresh() {
			plan = append(plan, it.file)
		}
	}
	if len(plan) > 0 {
		if err := b.record(ctx, plan); err != nil {
			return nil, err
		}
	}
	return b.taken(ctx)
}

// record writes the deeds down and does them.
func (b *Batch) record(ctx context.Context, plan []File) error {
	do := func() error { return b.decide(ctx, plan) }
	for _, file := range slices.Backward(plan) { // each deed is recorded before the innermost step
		deed := cases.Deed{Tenant: file.Tenant, Actor: b.by, Action: "file.add", ResourceType: "file", ResourceID: file.ID, ContentSHA256: file.SHA256}
		inner := do
		do = func() error { return cases.Perform(ctx, b.in.Journal, deed, inner) }
	}
	return do()
}

// errGivenUp means that the upload took so long that its bytes were swept.
var errGivenUp = fmt.Errorf("upload was given up: %w", errs.ErrUnavailable)

// decide stores the plan, which is the step that decides, and carries it out. When the store goes away in between, Tidy does the rest.
func (b *Batch) decide(ctx context.Context, plan []File) error {
	b.upload.Plan = plan
	b.staged = false // whatever the store says now, it may have taken the plan: only Tidy may judge
	if err := b.in.Uploads.Decide(ctx, b.upload); errors.Is(err, ErrTaken) {
		return errGivenUp
	} else if err != nil {
		return err
	}
	b.upload.Version++
	surplus, err := b.in.place(ctx, b.upload)
	if err != nil {
		return err
	}
	_ = b.in.drop(ctx, b.upload, surplus) // the files are in place; what is left over is Tidy's
	return nil
}

// place makes the files of a plan those of the case, and returns the ids of those that it has already. It may be repeated.
func (in *Intake) place(ctx context.Context, u Upload) (surplus []string, err error) {
	for _, file := range u.Plan {
		switch err := in.Shelf.Insert(ctx, file); {
		case errors.Is(err, ErrDuplicate): // another upload brought the same bytes at the same moment
			surplus = append(surplus, file.ID)
		case err != nil && !errors.Is(err, ErrTaken):
			return nil, err
		}
	}
	return surplus, nil
}

// drop removes what an upload stored for files that the case does not have, and then its plan.
func (in *Intake) drop(ctx context.Context, u Upload, fileIDs []string) error {
	for _, id := range fileIDs {
		if err := in.Blobs.Remove(ctx, u.Tenant, id); err != nil {
			return err
		}
		if err := in.Texts.Remove(ctx, u.Tenant, id, 1); err != nil {
			return err
		}
	}
	return in.Uploads.Forget(ctx, u)
}

// taken returns the files as the case has them now.
func (b *Batch) taken(ctx context.Context) ([]Taken, error) {
	holdings, err := b.in.Shelf.Holdings(ctx, b.c.Tenant, b.c.ID)
	if err != nil {
		return nil, err
	}
	all := make([]Taken, len(b.items))
	for i, it := range b.items {
		at := slices.IndexFunc(holdings, func(h Holding) bool { return h.SHA256 == it.file.SHA256 })
		if at < 0 {
			return nil, ErrNotFound // deleted again at this very moment
		}
		file, err := b.in.Shelf.Get(ctx, b.c.Tenant, b.c.ID, holdings[at].ID)
		if err != nil {
			return nil, err
		}
		all[i] = Taken{File: file, Duplicate: it.first >= 0 || file.ID != it.file.ID}
	}
	if slices.ContainsFunc(all, func(t Taken) bool { return !t.Duplicate }) {
		_ = b.in.Recount(ctx, b.c.Tenant, b.c.ID) // derived, and may lag; the next change counts again
	}
	return all, nil
}

// Ages of plans after which Tidy looks at them.
const (
	HalfDone = time.Minute    // decided, but not carried out
	GivenUp  = 24 * time.Hour // never decided: its bytes belong to nobody
)

// Tidy carries out plans that were decided and left half done, and removes the bytes of those that were given up, at most so many of
// each. It is safe to run at any time and on several replicas.
func (in *Intake) Tidy(ctx context.Context, most int) error {
	now := in.Now()
	half, err := in.Uploads.Before(ctx, true, now.Add(-HalfDone), most)
	if err != nil {
		return err
	}
	for _, u := range half {
		surplus, err := in.place(ctx, u)
		if err == nil {
			err = in.drop(ctx, u, surplus)
		}
		if err != nil {
			return fmt.Errorf("carry out upload %s: %w", u.ID, err)
		}
		if err := in.Recount(ctx, u.Tenant, u.CaseID); err != nil && !errors.Is(err, cases.ErrNotFound) {
			return fmt.Errorf("count after upload %s: %w", u.ID, err)
		}
	}
	lost, err := in.Uploads.Before(ctx, false, now.Add(-GivenUp), most)
	if err != nil {
		return err
	}
	for _, u := range lost {
		if err := in.giveUp(ctx, u); err != nil {
			return fmt.Errorf("give up upload %s: %w", u.ID, err)
		}
	}
	return nil
}

// giveUp closes a plan to its maker before what it stored is removed.
func (in *Intake) giveUp(ctx context.Context, u Upload) error {
	if err := in.Uploads.Decide(ctx, u); errors.Is(err, ErrTaken) {
		return nil // decided after all, or given up by another replica
	} else if err != nil {
		return err
	}
	u.Version++
	return in.drop(ctx, u, u.FileIDs)
}
