package files

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/inputgate"
	"github.com/subrosa-legal/subrosa/pkg/label"
	"github.com/subrosa-legal/subrosa/pkg/validate"
	"github.com/subrosa-legal/subrosa/pkg/vocabulary"
)

// Describe takes over what the sender says of the files, in their order; none of it is given when metas is empty.
func (b *Batch) Describe(ctx context.Context, metas []Meta) error {
	if len(metas) == 0 {
		return nil
	}
	var f validate.List
	if len(metas) != len(b.items) {
		f.Add("metadata", fmt.Sprintf("must have one entry for each file: %d", len(b.items)))
		return f.Err()
	}
	var texts []inputgate.Text

	for i, m := range metas {
		at := func(field string) string { return "metadata[" + strconv.Itoa(i) + "]." + field }
		if m.Name != nil {
			texts = append(texts, inputgate.Text{Channel: guard.FileName, Path: at("name"), Value: *m.Name})
		}
		if m.Description != nil {
			texts = append(texts, inputgate.Text{Channel: guard.Title, Path: at("description"), Value: *m.Description})
		}
		if m.Attestation && !b.by.Human() {
			return cases.ErrHuman.WithDeepLink(b.link())
		}
		m.apply(&b.items[i].file, at, &f)
		if err := b.relate(ctx, &b.items[i], m, at, &f); err != nil {
			return err
		}
	}
	if err := inputgate.Check(ctx, b.in.Gate, b.link(), texts...); err != nil {
		return err
	}

	return f.Err()
}

// relate ties a file to those of the case that it names.
func (b *Batch) relate(ctx context.Context, it *item, m Meta, at func(string) string, f *validate.List) error {
	if m.SealedFile != nil {
		if !b.by.Human() {
			return cases.ErrHuman.WithMessage(originalsOfPeople).WithDeepLink(b.link())
		}
		sealed, err := b.in.Files.Get(ctx, b.c.Tenant, b.c.ID, *m.SealedFile)
		if err != nil && !errors.Is(err, ErrNotFound) {
			return err
		}
		// A file that is not there and one that is no ciphertext get the same answer.
		if err != nil || sealed.MediaType != Sealed || sealed.Status != Active {
			f.Add(at("sealedFileId"), "must be a sealed file of this case")
		}
		it.file.SealedID = *m.SealedFile
	}
	if m.Supersedes == nil {
		return nil
	}
	if slices.ContainsFunc(
		b.holdings, func(h Holding) bool { return h.ID == it.known && h.SupersedesID == *m.Supersedes },
	) {
		return nil // said again
	}

	older, err := b.in.Files.Get(ctx, b.c.Tenant, b.c.ID, *m.Supersedes)
	switch {
	case err != nil && !errors.Is(err, ErrNotFound):
		return err
	// An agent must not learn that a case has a sealed file, so for it there is none.
	case err != nil || older.Status == Deleted || older.MediaType == Sealed && !b.by.Human():
		f.Add(at("supersedesFileId"), "must be an active file of this case")
	case older.Status == Superseded:
		return ErrSuperseded
	case it.known != "" && it.known != older.ID, it.first >= 0:
		f.Add(at("supersedesFileId"), "cannot be superseded by a file whose bytes the case already has")
	case slices.ContainsFunc(b.items, func(other item) bool { return other.file.SupersedesID != "" }):
		f.Add(at("supersedesFileId"), "may be given for only one file of a request")
	case it.known == "": // the same bytes again are no newer version
		it.file.SupersedesID, it.file.Revision = older.ID, older.Revision+1
		// A new version is of the type of the old one, unless somebody or a rule says otherwise.
		if it.file.DocType == "unknown" && m.DocType == nil {
			it.file.DocType, it.file.DocTypeBasis = older.DocType, older.DocTypeBasis
		}
	}

	return nil
}

// apply sets what is given.
func (m Meta) apply(file *File, at func(string) string, f *validate.List) {
	if m.Name != nil {
		file.Name = f.Line(at("name"), baseName(*m.Name), 1, MaxName)
	}
	if m.Description != nil {
		file.Description = f.Prose(at("description"), *m.Description, 0, 1000)
	}
	if m.DocType != nil {
		if !vocabulary.DocumentTypes.Has(*m.DocType) {
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
		file.Privilege = f.OneOf(at("privilege"), *m.Privilege, vocabulary.Privileges.All()...)
	}
	if m.ProducedBy != nil {
		file.ProducedBy = *m.ProducedBy
		if !label.Valid(*m.ProducedBy) {
			f.Add(at("producedBy"), "must be the label of a party, such as [Party 1]")
		}
	}
}

// Contents tells what was sent, for a fingerprint of the request: one entry for each file.
func (b *Batch) Contents() [][]byte {
	all := make([][]byte, len(b.items))
	for i, it := range b.items {
		// The name is part of it, since a repetition with another name asks for something else.
		all[i] = fmt.Appendf(nil, "%s %q %s", it.file.SHA256, it.sent.Name, it.file.MediaType)
	}

	return all
}

// Commit gives the files of the batch to the case, all of them, and returns them in their order.
func (b *Batch) Commit(ctx context.Context) ([]Taken, error) {
	if err := b.c.Stands(); err != nil {
		return nil, err
	}
	if len(b.items) == 0 {
		var f validate.List
		f.Add("file", "must be given at least once")

		return nil, f.Err()
	}
	var plan []File

	for _, it := range b.items {
		switch {
		case !it.fresh():
		case it.file.SupersedesID != "": // first, since it is the one that can lose
			plan = slices.Insert(plan, 0, it.file)
		default:
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

// record appends the entries, then does what they say.
func (b *Batch) record(ctx context.Context, plan []File) error {
	do := func() error { return b.decide(ctx, plan) }

	for _, file := range slices.Backward(plan) { // each entry is recorded before the innermost step
		entry := audit.Entry{
			Tenant: file.Tenant, Actor: b.by, Action: "file.add",
			ResourceType: "file", ResourceID: file.ID, ContentSHA256: file.SHA256,
		}
		inner := do
		do = func() error { return audit.Do(ctx, b.in.Journal, entry, inner) }
	}

	return do()
}

// errGivenUp means that the upload took so long that its bytes were swept.
var errGivenUp = fmt.Errorf("upload was given up: %w", errs.ErrUnavailable)

// decide stores the plan, looks once more whether the case takes it, which makes it the plan that is carried out, and
// does so. When the store goes away after that, Tidy does the rest.
func (b *Batch) decide(ctx context.Context, plan []File) error {
	b.upload.Plan = plan
	nothing := func(context.Context) error { return nil } // Close drops a plan that is not decided
	stands := func(now cases.Case) error { b.c = now; return now.Stands() }
	save := func() error { return b.save(ctx) }
	if err := cases.Within(ctx, b.in.Cases, &b.c, b.by, stands, save, nothing); err != nil {
		return err
	}
	// The plan is on record by now, so two uploads that begin at once see each other.
	if err := b.room(ctx); err != nil {
		return err
	}
	b.upload.Decided = true
	b.staged = false // whatever the store says now, it may have taken the decision: only Tidy may judge
	if err := b.save(ctx); err != nil {
		return err
	}
	// From here on a failure is no refusal: the plan is decided, and Tidy carries it out.
	surplus, err := b.in.place(ctx, b.upload)
	if errors.Is(err, ErrSuperseded) {
		return errors.Join(err, b.in.drop(ctx, b.upload, b.stored)) // what remains is Tidy's
	}
	if err != nil {
		return err
	}
	b.placed = surplusless(plan, surplus)
	if b.in.note(ctx, b.upload, surplus, &b.c) == nil {
		_ = b.in.drop(ctx, b.upload, surplus)
	}

	return nil // the files are in place; what is left over is Tidy's
}

// surplusless returns the files of a plan that the case got by it.
func surplusless(plan []File, surplus []string) []File {
	return slices.DeleteFunc(slices.Clone(plan), func(f File) bool { return slices.Contains(surplus, f.ID) })
}

// save stores the next version of the upload.
func (b *Batch) save(ctx context.Context) error {
	err := b.in.Uploads.Save(ctx, b.upload)
	if errors.Is(err, errs.ErrTaken) {
		err = errGivenUp
	}
	// It counts on even after a failure: the store may have taken the write whose answer was lost.
	b.upload.Version++

	return err
}

// place makes the files of a plan those of the case, and returns the ids of those that it has already. It may be
// repeated. When another version of the same file was first, nothing is placed, and the error is ErrSuperseded.
func (in *Intake) place(ctx context.Context, u Upload) (surplus []string, err error) {
	for _, file := range u.Plan {
		older := file.SupersedesID
		if older != "" {
			// The claim is unique for the older file, so of two new versions at once one is placed and the other
			// refused.
			if err := in.Successions.Claim(ctx, u.Tenant, u.CaseID, older, file.ID); err != nil {
				return nil, err
			}
		}

		switch err := in.Files.Insert(ctx, file); {
		case errors.Is(err, ErrDuplicate): // another upload brought the same bytes at the same moment
			surplus = append(surplus, file.ID)
			if older != "" {
				err = in.Successions.Release(ctx, u.Tenant, older, file.ID)
			} else {
				err = nil
			}
			if err != nil {
				return nil, err
			}
		// ErrTaken is this very file, placed by an earlier try.
		case err != nil && !errors.Is(err, errs.ErrTaken):
			return nil, err
		default:
			if err := in.tie(ctx, u, file); err != nil {
				return nil, err
			}
		}
	}

	return surplus, nil
}

// tie ties a file that was placed to those that it names: the one that it comes after, and its sealed original.
func (in *Intake) tie(ctx context.Context, u Upload, file File) error {
	// The older file is retired after the newer one is there: a reader in between finds both and never none.
	if file.SupersedesID != "" {
		if err := in.retire(ctx, u, file.SupersedesID); err != nil {
			return err
		}
	}
	if file.SealedID == "" {
		return nil
	}

	return in.confirm(ctx, u.Tenant, u.CaseID, file.ID, file.SealedID)
}

// note has the files of a plan noted that the case got by it. c is the case, nil when it is still to be read.
func (in *Intake) note(ctx context.Context, u Upload, surplus []string, c *cases.Case) error {
	for _, file := range surplusless(u.Plan, surplus) {
		if in.Added == nil {
			break
		}
		if err := in.Added(ctx, file, c); err != nil &&
			!errors.Is(err, ErrNotFound) { // a case that is gone needs no notes
			return err
		}
	}

	return nil
}

// retire marks a file of which there is a newer version.
func (in *Intake) retire(ctx context.Context, u Upload, id string) error {
	_, err := in.Files.Update(ctx, u.Tenant, u.CaseID, id, func(f *File) error {
		// It was deleted or retired already, and stays so.
		if f.Status != Active {
			return cases.ErrUnchanged
		}
		f.Status = Superseded

		return nil
	})
	if errors.Is(err, cases.ErrUnchanged) || errors.Is(err, ErrNotFound) {
		return nil
	}

	return err
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

	// The plan goes last: as long as it is there, what is left of the bytes is found.
	return in.Uploads.Forget(ctx, u)
}

// taken returns the files as the case has them now.
func (b *Batch) taken(ctx context.Context) ([]Taken, error) {
	if all := b.asPlaced(); all != nil {
		b.recount(ctx)
		return all, nil
	}
	holdings, err := b.in.Files.Holdings(ctx, b.c.Tenant, b.c.ID)
	if err != nil {
		return nil, err
	}

	all := make([]Taken, len(b.items))
	for i, it := range b.items {
		at := slices.IndexFunc(holdings, func(h Holding) bool { return h.SHA256 == it.file.SHA256 })
		if at < 0 { // what was sent is what is handed out of another
			at = slices.IndexFunc(holdings, func(h Holding) bool { return h.Has(it.file.SHA256) })
		}
		if at < 0 {
			return nil, ErrNotFound // deleted again at this very moment
		}
		file, err := b.in.Files.Get(ctx, b.c.Tenant, b.c.ID, holdings[at].ID)
		if err != nil {
			return nil, err
		}
		// The case may have got these bytes from another upload at the same moment.
		duplicate := it.first >= 0 || file.ID != it.file.ID
		if sealedID := it.file.SealedID; duplicate && sealedID != "" && file.SHA256 == it.file.SHA256 {
			if file, err = b.in.attach(ctx, b.by, file, sealedID); err != nil {
				return nil, err
			}
		}
		all[i] = Taken{File: file, Duplicate: duplicate}
	}
	if slices.ContainsFunc(all, func(t Taken) bool { return !t.Duplicate }) {
		b.recount(ctx)
	}

	return all, nil
}

// asPlaced returns the files as they were placed, when that is all there is to say of them: each is new, and tied to no
// other file. Else it returns nil.
func (b *Batch) asPlaced() []Taken {
	all := make([]Taken, len(b.items))
	for i, it := range b.items {
		at := slices.IndexFunc(b.placed, func(f File) bool { return f.ID == it.file.ID })
		if at < 0 || it.file.SealedID != "" || it.file.SupersedesID != "" {
			return nil
		}
		all[i] = Taken{File: b.placed[at]}
	}

	return all
}

// recount counts the files that were placed. When nobody has written the case since it was read, which was before its
// files were listed under the plan, nobody has counted others that are not in that list, and no file needs to be listed
// again.
func (b *Batch) recount(ctx context.Context) {
	err := errs.ErrTaken
	if !b.replaces() {
		_, err = b.in.Cases.Swap(ctx, b.c, b.c.WithFiles(b.shown+countShown(b.placed), b.in.Now()))
	}
	if errors.Is(err, errs.ErrTaken) {
		_ = b.in.Recount(ctx, b.c.Tenant, b.c.ID) // derived, and may lag; the next change counts again
	}
}

// replaces reports whether a file that was placed takes the place of another.
func (b *Batch) replaces() bool {
	return slices.ContainsFunc(b.placed, func(f File) bool { return f.SupersedesID != "" })
}

// countShown counts files that the counts of a case show: agents read these, so sealed originals are not in them.
func countShown(all []File) int {
	n := 0

	for _, f := range all {
		if f.MediaType != Sealed {
			n++
		}
	}

	return n
}

// Ages of plans after which Tidy looks at them.
const (
	HalfDone = time.Minute    // decided, but not carried out
	GivenUp  = 24 * time.Hour // never decided: its bytes belong to nobody
)

// Tidy carries out plans that were decided and left half done, and removes the bytes of those that were given up, at
// most so many of each. One that fails keeps no other. It is safe to run at any time and on several replicas.
func (in *Intake) Tidy(ctx context.Context, most int) error {
	now := in.Now()
	// A decided plan is left alone for a minute, in which its own request carries it out.
	half, err := in.Uploads.Before(ctx, true, now.Add(-HalfDone), most)
	if err != nil {
		return err
	}
	lost, err := in.Uploads.Before(ctx, false, now.Add(-GivenUp), most)
	if err != nil {
		return err
	}
	var all error

	for _, u := range half {
		if err := in.carryOut(ctx, u); err != nil {
			all = errors.Join(all, fmt.Errorf("carry out upload %s: %w", u.ID, err))
		}
	}

	for _, u := range lost {
		if err := in.giveUp(ctx, u); err != nil {
			all = errors.Join(all, fmt.Errorf("give up upload %s: %w", u.ID, err))
		}
	}

	return all
}

// carryOut does what is left of a plan that was decided.
func (in *Intake) carryOut(ctx context.Context, u Upload) error {
	surplus, err := in.place(ctx, u)
	if errors.Is(err, ErrSuperseded) {
		// The older file got another successor, so nothing of this upload is placed, and all its bytes go.
		surplus, err = u.FileIDs, nil
	}
	if err == nil {
		err = in.note(ctx, u, surplus, nil)
	}
	if err == nil {
		err = in.drop(ctx, u, surplus)
	}
	if err != nil {
		return err
	}
	if err := in.Recount(ctx, u.Tenant, u.CaseID); err != nil && !errors.Is(err, cases.ErrNotFound) {
		return err
	}

	return nil
}

// giveUp closes a plan to its maker before what it stored is removed.
func (in *Intake) giveUp(ctx context.Context, u Upload) error {
	if err := in.Uploads.Save(ctx, u); errors.Is(err, errs.ErrTaken) {
		return nil // decided after all, or given up by another replica
	} else if err != nil {
		return err
	}
	u.Version++

	return in.drop(ctx, u, u.FileIDs)
}
