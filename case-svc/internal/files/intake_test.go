package files_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/files"
	"github.com/subrosa-legal/subrosa/case-svc/internal/mongostore"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/mongox"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

var (
	noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	ann  = cases.Actor{Kind: cases.KindUser, ID: "ann", UserID: "ann"}
)

// fuse burns at a chosen step: before it is done, or after, when only its answer is lost.
type fuse struct {
	mu          sync.Mutex
	step, burns int
	after       bool
}

func (f *fuse) run(do func() error) error {
	f.mu.Lock()
	f.step++
	burn := f.step == f.burns
	f.mu.Unlock()
	if burn && !f.after {
		return errs.ErrUnavailable
	}
	err := do()
	if burn {
		return errs.ErrUnavailable
	}
	return err
}

// Record is a journal that is on the way of the fuse too.
func (f *fuse) Record(context.Context, cases.Deed) error { return f.run(func() error { return nil }) }

type frailShelf struct {
	files.Shelf
	*fuse
}

func (s frailShelf) Insert(ctx context.Context, f files.File) error {
	return s.run(func() error { return s.Shelf.Insert(ctx, f) })
}

type frailBlobs struct {
	files.Blobs
	*fuse
}

func (s frailBlobs) Put(ctx context.Context, tenant cases.TenantID, id string, r io.Reader) error {
	return s.run(func() error { return s.Blobs.Put(ctx, tenant, id, r) })
}

func (s frailBlobs) Remove(ctx context.Context, tenant cases.TenantID, id string) error {
	return s.run(func() error { return s.Blobs.Remove(ctx, tenant, id) })
}

type frailTexts struct {
	files.Texts
	*fuse
}

func (s frailTexts) Put(ctx context.Context, t files.Text) error {
	return s.run(func() error { return s.Texts.Put(ctx, t) })
}

type frailUploads struct {
	files.Uploads
	*fuse
}

func (s frailUploads) Stage(ctx context.Context, u files.Upload) error {
	return s.run(func() error { return s.Uploads.Stage(ctx, u) })
}

func (s frailUploads) Decide(ctx context.Context, u files.Upload) error {
	return s.run(func() error { return s.Uploads.Decide(ctx, u) })
}

func (s frailUploads) Forget(ctx context.Context, u files.Upload) error {
	return s.run(func() error { return s.Uploads.Forget(ctx, u) })
}

// office is an intake over real stores with a clock in our hands.
type office struct {
	*files.Intake
	db  *mongo.Database
	mu  sync.Mutex
	now time.Time
}

func (o *office) advance(d time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.now = o.now.Add(d)
}

func newOffice(t *testing.T, db *mongo.Database, f *fuse) *office {
	t.Helper()
	spool, err := files.OpenSpool(filepath.Join(t.TempDir(), "spool"), 8, time.Second)
	if err != nil {
		t.Fatal(err)
	}
	o := &office{db: db, now: noon}
	o.Intake = &files.Intake{
		Shelf: frailShelf{mongostore.NewShelf(db), f}, Blobs: frailBlobs{mongostore.NewBlobs(db, time.Minute), f}, Texts: frailTexts{mongostore.NewTexts(db), f},
		Uploads: frailUploads{mongostore.NewUploads(db), f}, Spool: spool, Gate: guard.New(), Journal: f, Links: "https://subrosa.test",
		Recount: func(context.Context, cases.TenantID, string) error { return nil },
		Limits:  files.Limits{FileBytes: 1 << 20, Files: 500, CaseBytes: 1 << 30, Pages: 2000, PerRequest: 10, CheckTime: time.Minute},
		Now: func() time.Time {
			o.mu.Lock()
			defer o.mu.Unlock()
			return o.now
		},
	}
	return o
}

func indexed(t *testing.T) *mongo.Database {
	t.Helper()
	db := testkit.Mongo(t)
	for name, indexes := range mongostore.Schema() {
		if err := mongox.EnsureIndexes(t.Context(), db.Collection(name), indexes); err != nil {
			t.Fatal(err)
		}
	}
	return db
}

func newCase(t *testing.T) cases.Case {
	t.Helper()
	c, err := cases.New("u:ann", uuid.NewString(), ann, cases.Draft{}, noon)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// send uploads texts in one batch.
func (o *office) send(t *testing.T, c cases.Case, texts ...string) ([]files.Taken, error) {
	b, err := o.Open(t.Context(), c, ann)
	if err != nil {
		return nil, err
	}
	taken, err := func() ([]files.Taken, error) {
		for i, text := range texts {
			s, err := o.Spool.Receive(strings.NewReader(text), 1<<20)
			if err != nil {
				return nil, err
			}
			err = b.Add(t.Context(), files.Part{Name: fmt.Sprintf("Document %d.txt", i+1), Declared: "text/plain"}, nil, s)
			if err := errors.Join(err, s.Close()); err != nil {
				return nil, err
			}
		}
		return b.Commit(t.Context())
	}()
	return taken, errors.Join(err, b.Close(t.Context()))
}

func (o *office) count(t *testing.T, collection string) int {
	t.Helper()
	n, err := o.db.Collection(collection).CountDocuments(t.Context(), bson.D{})
	if err != nil {
		t.Fatal(err)
	}
	return int(n)
}

// Wherever a write is lost, an upload ends as a whole or as nothing once it was tidied up, and what was acknowledged is there.
func TestAnUploadIsAllOrNothingWhereverItBreaks(t *testing.T) {
	texts := []string{"The first text about [Party 1].", "The second text about [Party 2].", "The first text about [Party 1].", "A third text."}
	for _, after := range []bool{false, true} {
		for step := 1; ; step++ {
			f := &fuse{burns: step, after: after}
			o := newOffice(t, indexed(t), f)
			taken, err := o.send(t, newCase(t), texts...)
			if err != nil && !errors.Is(err, errs.ErrUnavailable) {
				t.Fatalf("step %d, after %t: %v", step, after, err)
			}
			reached := f.step >= step
			o.advance(files.GivenUp + time.Hour)
			for range 2 {
				if err := o.Tidy(t.Context(), 10); err != nil && !errors.Is(err, errs.ErrUnavailable) {
					t.Fatalf("step %d, after %t: Tidy: %v", step, after, err)
				}
			}
			kept := o.count(t, "files")
			if kept != 0 && kept != 3 {
				t.Errorf("step %d, after %t: %d of 3 files are there", step, after, kept)
			}
			if taken != nil && (kept != 3 || len(taken) != 4 || !taken[2].Duplicate || taken[0].Duplicate) {
				t.Errorf("step %d, after %t: acknowledged %d files, and %d are there", step, after, len(taken), kept)
			}
			for name, want := range map[string]int{"fs.files": kept, "fs.chunks": kept, "texts": kept, "uploads": 0} {
				if got := o.count(t, name); got != want {
					t.Errorf("step %d, after %t: %d documents in %s, want %d", step, after, got, name, want)
				}
			}
			if !reached {
				if step < 12 || kept != 3 {
					t.Errorf("the upload has %d steps and brings %d files", f.step, kept)
				}
				break
			}
		}
	}
}

func TestTheSameBytesAtTheSameMomentBecomeOneFile(t *testing.T) {
	o := newOffice(t, indexed(t), &fuse{})
	c := newCase(t)
	var all sync.WaitGroup
	var mu sync.Mutex
	fresh, ids := 0, map[string]bool{}
	for range 6 {
		all.Go(func() {
			taken, err := o.send(t, c, "The same text about [Party 1].")
			if err != nil {
				t.Errorf("upload: %v", err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			ids[taken[0].File.ID] = true
			if !taken[0].Duplicate {
				fresh++
			}
		})
	}
	all.Wait()
	if fresh != 1 || len(ids) != 1 {
		t.Errorf("%d uploads brought the file, under %d ids", fresh, len(ids))
	}
	for _, name := range []string{"files", "fs.files", "texts"} {
		if n := o.count(t, name); n != 1 {
			t.Errorf("%d documents in %s, want 1", n, name)
		}
	}
}

func TestTidyLeavesUploadsUnderWayAlone(t *testing.T) {
	o := newOffice(t, indexed(t), &fuse{})
	c := newCase(t)
	b, err := o.Open(t.Context(), c, ann)
	if err != nil {
		t.Fatal(err)
	}
	s, err := o.Spool.Receive(strings.NewReader("A text."), 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Add(t.Context(), files.Part{Name: "a.txt"}, nil, s); err != nil {
		t.Fatal(err)
	}
	o.advance(files.GivenUp - time.Minute)
	if err := o.Tidy(t.Context(), 10); err != nil {
		t.Fatal(err)
	}
	if o.count(t, "fs.files") != 1 {
		t.Fatal("the bytes of an upload under way were removed")
	}
	o.advance(time.Hour)
	if err := o.Tidy(t.Context(), 10); err != nil {
		t.Fatal(err)
	}
	// Its maker wakes up after its bytes were removed: the files must not appear without them.
	if taken, err := b.Commit(t.Context()); !errors.Is(err, errs.ErrUnavailable) {
		t.Errorf("Commit = %v, %v, want unavailable", taken, err)
	}
	if err := errors.Join(s.Close(), b.Close(t.Context())); err != nil {
		t.Error(err)
	}
	if n := o.count(t, "files") + o.count(t, "fs.files") + o.count(t, "texts") + o.count(t, "uploads"); n != 0 {
		t.Errorf("%d documents are left", n)
	}
}

func TestAClosedCaseTakesNoFiles(t *testing.T) {
	o := newOffice(t, indexed(t), &fuse{})
	for status, want := range map[string]error{cases.Intake: nil, cases.OnHold: nil, cases.Closed: cases.ErrOver, cases.Archived: cases.ErrOver} {
		c := newCase(t)
		c.Status = status
		if _, err := o.send(t, c, "A text of "+status); !errors.Is(err, want) {
			t.Errorf("upload into a case that is %s = %v, want %v", status, err, want)
		}
	}
}
