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
		next, err := o.Unlist(t.Context(), mongostore.NewShelf(o.db), after, 2)
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
