package files_test

import (
	"errors"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/files"
	"github.com/subrosa-legal/subrosa/case-svc/internal/mongostore"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
)

// Wherever deleting a file breaks, its sealed original does not stay behind: whoever repeats it ends it, and so does the
// sweep if nobody does.
func TestASealedOriginalGoesWithItsFileWhereverItBreaks(t *testing.T) {
	t.Parallel()

	for _, repeats := range []bool{true, false} {
		for step := 1; ; step++ {
			fuse := &testkit.Fuse{Burns: step}
			o := newOffice(t, indexed(t), fuse)
			c := o.newCase(t, cases.Intake)
			sealed := o.stored(t, c, files.Sealed, "SBRSEAL1 ciphertext")
			kept := o.stored(t, c, "text/plain", "[Party 1] rents.", func(f *files.File) { f.SealedID = sealed.ID })

			err := o.Delete(t.Context(), c, ann, kept.ID, nil)
			if err != nil && !errors.Is(err, errs.ErrUnavailable) {
				t.Fatalf("step %d: %v", step, err)
			}
			if fuse.Steps() < step {
				if step < 4 {
					t.Errorf("deleting has %d steps", fuse.Steps())
				}

				break
			}
			done := o.file(t, kept).Status == files.Deleted
			if repeats {
				if err := o.Delete(t.Context(), c, ann, kept.ID, nil); done && !errors.Is(err, files.ErrNotFound) || !done && err != nil {
					t.Errorf("step %d: repeated: %v", step, err)
				}
			} else if done {
				o.advance(files.KeptDeleted + time.Hour)
				if err := o.Shred(t.Context(), mongostore.NewShredder(o.db, o.Now), 10); err != nil {
					t.Errorf("step %d: Shred = %v", step, err)
				}
			}
			if now := o.file(t, sealed); (done || repeats) && now.Status != files.Deleted {
				t.Errorf("step %d, repeated: %t: the original is %s", step, repeats, now.Status)
			}
		}
	}
}
