package files_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/files"
	"github.com/subrosa-legal/subrosa/case-svc/internal/mongostore"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
)

// Wherever deleting a file breaks, its sealed original does not stay behind: whoever repeats it ends it, and so does
// the sweep if nobody does.
func TestASealedOriginalGoesWithItsFileWhereverItBreaks(t *testing.T) {
	t.Parallel()

	for _, repeats := range []bool{true, false} {
		step := 1
		for deletedWithABreak(t, step, repeats) {
			step++
		}
		if step < 4 {
			t.Errorf("deleting has %d steps", step)
		}
	}
}

// deletedWithABreak deletes a file whose original is kept, has it repeated or leaves it to the sweep, and reports
// whether anything broke.
func deletedWithABreak(t *testing.T, step int, repeats bool) bool {
	t.Helper()
	fuse := &testkit.Fuse{Burns: step}
	o := newOffice(t, indexed(t), fuse)
	c := o.newCase(t, cases.Intake)
	sealed := o.stored(t, c, files.Sealed, "SBRSEAL1 ciphertext")
	kept := o.stored(t, c, "text/plain", "[Party 1] rents.", func(f *files.File) { f.SealedID = sealed.ID })
	unlessAway(t, o.Delete(t.Context(), c, ann, kept.ID, nil))
	if fuse.Steps() < step {
		return false
	}
	done := o.file(t, kept).Status == files.Deleted

	switch {
	case repeats:
		err := o.Delete(t.Context(), c, ann, kept.ID, nil)
		if again := errors.Is(err, files.ErrNotFound); again != done || !again && err != nil {
			t.Errorf("step %d: repeated: %v", step, err)
		}
	case done:
		o.advance(files.KeptDeleted + time.Hour)
		if err := o.Shred(t.Context(), mongostore.NewShredder(o.db, o.Now), 10); err != nil {
			t.Errorf("step %d: Shred = %v", step, err)
		}
	default:
		return true // the file is there, with its original
	}
	if now := o.file(t, sealed); now.Status != files.Deleted {
		t.Errorf("step %d, repeated: %t: the original is %s", step, repeats, now.Status)
	}

	return true
}

// What an earlier release told agents of sealed files is taken back, of every page of them, and of no other file.
func TestWhatWasToldOfSealedFilesIsTakenBack(t *testing.T) {
	t.Parallel()
	o := newOffice(t, indexed(t), &testkit.Fuse{})
	c := o.newCase(t, cases.Intake)
	var unnoted, want []string
	recounted := 0
	o.Dropped = func(_ context.Context, in cases.Case, id string) error {
		if in.ID != c.ID {
			t.Errorf("file %s is looked for in case %s", id, in.ID)
		}
		unnoted = append(unnoted, id)

		return nil
	}
	o.Recount = func(context.Context, string, string) error { recounted++; return nil }

	for n := range 3 {
		o.stored(t, c, "text/html", page+strings.Repeat(" ", n))
		f := o.stored(t, c, files.Sealed, strings.Repeat("x", n+1))
		want = append(want, f.ID)
	}

	for after, rounds := "", 0; ; rounds++ {
		next, err := o.Unlist(t.Context(), mongostore.NewFileStore(o.db), after, 2)
		if err != nil || rounds > 1 {
			t.Fatal(rounds, err)
		}
		if after = next; after == "" {
			break
		}
	}
	slices.Sort(unnoted)
	slices.Sort(want)
	if !slices.Equal(unnoted, want) || recounted != 2 {
		t.Errorf("taken back of %v, want %v; the case was counted %d times, want once a page", unnoted, want, recounted)
	}
}

// crossedShelf has something happen before the first change of a file, or after the first list of those tied to an
// original.
type crossedShelf struct {
	files.FileStore
	beforeUpdate, afterList func()
}

func (s *crossedShelf) Update(
	ctx context.Context,
	tenant, caseID, id string,
	change func(*files.File) error,
) (files.File, error) {
	if do := s.beforeUpdate; do != nil {
		s.beforeUpdate = nil
		do()
	}

	return s.FileStore.Update(ctx, tenant, caseID, id, change)
}

func (s *crossedShelf) WithOriginal(ctx context.Context, tenant, caseID, id string) ([]files.File, error) {
	found, err := s.FileStore.WithOriginal(ctx, tenant, caseID, id)
	if do := s.afterList; do != nil {
		s.afterList = nil
		do()
	}

	return found, err
}

// keep uploads a text whose original is in a sealed file. meanwhile happens before the case takes it.
func (o *office) keep(t *testing.T, c cases.Case, text, sealedID string, meanwhile func()) (files.File, error) {
	t.Helper()
	b, err := o.Open(t.Context(), c, ann)
	if err != nil {
		t.Fatal(err)
	}
	s, err := o.Spool.Receive(strings.NewReader(text), 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	err = errors.Join(
		b.Add(t.Context(), files.Part{Name: "Document 1.txt", Declared: "text/plain"}, nil, s), s.Close(),
		b.Describe(t.Context(), []files.Meta{{SealedFile: &sealedID}}),
	)
	if err != nil {
		t.Fatal(err)
	}
	meanwhile()
	taken, err := b.Commit(t.Context())
	if err := b.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err != nil {
		return files.File{}, err
	}

	return taken[0].File, nil
}

// A file names no original that is deleted while it is added, whether the case has the file already or not.
func TestAnOriginalThatIsDeletedMeanwhileIsNotNamed(t *testing.T) {
	t.Parallel()
	o := newOffice(t, indexed(t), &testkit.Fuse{})
	c := o.newCase(t, cases.Intake)

	for _, known := range []bool{false, true} {
		text := "[Party 1] rents."
		if known {
			text = "[Party 2] rents."
			o.stored(t, c, "text/plain", text)
		}
		sealed := o.stored(t, c, files.Sealed, "SBRSEAL1 of "+text)
		got, err := o.keep(t, c, text, sealed.ID, func() {
			if err := o.Delete(t.Context(), c, ann, sealed.ID, nil); err != nil {
				t.Fatal(err)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		if now := o.file(t, got); got.SealedID != "" || now.SealedID != "" {
			t.Errorf("known: %t: the answer names %q, the record %q", known, got.SealedID, now.SealedID)
		}
	}
}

// An original stays when a file is tied to it while the only other one that had it is deleted.
func TestAnOriginalIsKeptThatAnotherFileGetsMeanwhile(t *testing.T) {
	t.Parallel()
	o := newOffice(t, indexed(t), &testkit.Fuse{})
	c := o.newCase(t, cases.Intake)
	sealed := o.stored(t, c, files.Sealed, "SBRSEAL1 ciphertext")
	first := o.stored(t, c, "text/plain", "[Party 1] rents.", func(f *files.File) { f.SealedID = sealed.ID })
	var second files.File
	o.Files = &crossedShelf{FileStore: o.Files, afterList: func() {
		var err error
		if second, err = o.keep(t, c, "[Party 2] rents.", sealed.ID, func() {}); err != nil {
			t.Fatal(err)
		}
	}}

	if err := o.Delete(t.Context(), c, ann, first.ID, nil); err != nil {
		t.Fatal(err)
	}
	now, original := o.file(t, second), o.file(t, sealed)
	if second.SealedID != sealed.ID || now.SealedID != sealed.ID || original.Status != files.Active {
		t.Errorf("told was %q, kept is %q, which is %s", second.SealedID, now.SealedID, original.Status)
	}
}

// Whoever would keep an original with a file that is deleted at this very moment is told that it is gone.
func TestAnOriginalOfAFileThatIsDeletedMeanwhile(t *testing.T) {
	t.Parallel()
	o := newOffice(t, indexed(t), &testkit.Fuse{})
	c := o.newCase(t, cases.Intake)
	sealed := o.stored(t, c, files.Sealed, "SBRSEAL1 ciphertext")
	f := o.stored(t, c, "text/plain", "[Party 1] rents.")
	o.Files = &crossedShelf{FileStore: o.Files, beforeUpdate: func() {
		if err := o.Delete(t.Context(), c, ann, f.ID, nil); err != nil {
			t.Fatal(err)
		}
	}}

	if got, err := o.keep(t, c, "[Party 1] rents.", sealed.ID, func() {}); !errors.Is(err, files.ErrNotFound) {
		t.Errorf("answered was %s with %q, %v", got.Status, got.SealedID, err)
	}
}
