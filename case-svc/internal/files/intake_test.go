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
	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

var (
	noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	ann  = audit.Actor{Kind: audit.User, ID: "ann", UserID: "ann"}
)

// frailJournal is a journal that is on the way of the fuse too.
type frailJournal struct{ *testkit.Fuse }

// Record takes a step.
func (j frailJournal) Record(context.Context, audit.Entry) error {
	return j.Run(func() error { return nil })
}

type frailShelf struct {
	files.FileStore
	*testkit.Fuse
}

func (s frailShelf) Insert(ctx context.Context, f files.File) error {
	return s.Run(func() error { return s.FileStore.Insert(ctx, f) })
}

func (s frailShelf) Update(
	ctx context.Context,
	tenant, caseID, id string,
	change func(*files.File) error,
) (f files.File, err error) {
	err = s.Run(func() error {
		f, err = s.FileStore.Update(ctx, tenant, caseID, id, change)
		return err
	})

	return f, err
}

type frailBlobs struct {
	files.Blobs
	*testkit.Fuse
}

func (s frailBlobs) Put(ctx context.Context, tenant string, id string, slot files.Slot, r io.Reader) error {
	return s.Run(func() error { return s.Blobs.Put(ctx, tenant, id, slot, r) })
}

func (s frailBlobs) Clear(ctx context.Context, tenant string, id string, slot files.Slot) error {
	return s.Run(func() error { return s.Blobs.Clear(ctx, tenant, id, slot) })
}

func (s frailBlobs) Remove(ctx context.Context, tenant string, id string) error {
	return s.Run(func() error { return s.Blobs.Remove(ctx, tenant, id) })
}

type frailTexts struct {
	files.Texts
	*testkit.Fuse
}

func (s frailTexts) Put(ctx context.Context, t files.Text) error {
	return s.Run(func() error { return s.Texts.Put(ctx, t) })
}

type frailUploads struct {
	files.Uploads
	*testkit.Fuse
}

func (s frailUploads) Stage(ctx context.Context, u files.Upload) error {
	return s.Run(func() error { return s.Uploads.Stage(ctx, u) })
}

func (s frailUploads) Save(ctx context.Context, u files.Upload) error {
	return s.Run(func() error { return s.Uploads.Save(ctx, u) })
}

func (s frailUploads) Forget(ctx context.Context, u files.Upload) error {
	return s.Run(func() error { return s.Uploads.Forget(ctx, u) })
}

type frailReceipts struct {
	files.Receipts
	*testkit.Fuse
}

func (s frailReceipts) Put(ctx context.Context, r files.Receipt) error {
	return s.Run(func() error { return s.Receipts.Put(ctx, r) })
}

func (s frailReceipts) Remove(ctx context.Context, tenant, fileID string) error {
	return s.Run(func() error { return s.Receipts.Remove(ctx, tenant, fileID) })
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

func newOffice(t *testing.T, db *mongo.Database, f *testkit.Fuse) *office {
	t.Helper()
	spool, err := files.OpenSpool(filepath.Join(t.TempDir(), "spool"), spoolLimits(8, time.Second))
	if err != nil {
		t.Fatal(err)
	}
	o := &office{db: db, now: noon}
	o.Intake = &files.Intake{
		Cases: mongostore.NewCases(db), Clearances: mongostore.NewClearances(db),
		Receipts: frailReceipts{mongostore.NewReceipts(db), f}, Files: frailShelf{mongostore.NewFileStore(db), f},
		Blobs: frailBlobs{mongostore.NewBlobs(db, time.Minute), f}, Texts: frailTexts{mongostore.NewTexts(db), f},
		Uploads: frailUploads{mongostore.NewUploads(db), f}, Spool: spool, Gate: guard.New(), Journal: frailJournal{f}, Links: "https://subrosa.test",
		Recount: func(context.Context, string, string) error { return nil },
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
	db := stores.Mongo(t)
	stores.Index(t, db, mongostore.Schema())

	return db
}

// newCase stores a case in a state.
func (o *office) newCase(t *testing.T, status string) cases.Case {
	t.Helper()
	c, err := cases.New("u:ann", uuid.NewString(), ann, cases.Draft{}, noon)
	c.Status = status
	if err := errors.Join(err, o.Cases.Create(t.Context(), c)); err != nil {
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
	t.Parallel()
	texts := []string{"The first text about [Party 1].", "The second text about [Party 2].", "The first text about [Party 1].", "A third text."}

	for _, after := range []bool{false, true} {
		for step := 1; ; step++ {
			f := &testkit.Fuse{Burns: step, After: after}
			o := newOffice(t, indexed(t), f)
			taken, err := o.send(t, o.newCase(t, cases.Intake), texts...)
			if err != nil && !errors.Is(err, errs.ErrUnavailable) {
				t.Fatalf("step %d, after %t: %v", step, after, err)
			}
			reached := f.Steps() >= step
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
					t.Errorf("the upload has %d steps and brings %d files", f.Steps(), kept)
				}

				break
			}
		}
	}
}

func TestTheSameBytesAtTheSameMomentBecomeOneFile(t *testing.T) {
	t.Parallel()
	o := newOffice(t, indexed(t), &testkit.Fuse{})
	c := o.newCase(t, cases.Intake)
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
	t.Parallel()
	o := newOffice(t, indexed(t), &testkit.Fuse{})
	c := o.newCase(t, cases.Intake)
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
	t.Parallel()

	o := newOffice(t, indexed(t), &testkit.Fuse{})
	for status, want := range map[string]error{cases.Intake: nil, cases.OnHold: nil, cases.Closed: cases.ErrOver, cases.Archived: cases.ErrOver} {
		if _, err := o.send(t, o.newCase(t, status), "A text of "+status); !errors.Is(err, want) {
			t.Errorf("upload into a case that is %s = %v, want %v", status, err, want)
		}
	}
}

// busyShelf has something happen right before a file changes.
type busyShelf struct {
	files.FileStore
	happens func()
}

func (s busyShelf) Update(ctx context.Context, tenant string, caseID, id string, change func(*files.File) error) (files.File, error) {
	s.happens()
	return s.FileStore.Update(ctx, tenant, caseID, id, change)
}

// busyClearances has something happen right before a clearance is saved.
type busyClearances struct {
	files.Clearances
	happens func()
}

func (s busyClearances) Put(ctx context.Context, c files.Clearance) error {
	s.happens()
	return s.Clearances.Put(ctx, c)
}

// becomes changes a stored case.
func (o *office) becomes(t *testing.T, c cases.Case, change func(*cases.Case)) {
	t.Helper()
	if _, err := o.Cases.Update(t.Context(), c.Tenant, c.ID, func(c *cases.Case) error { change(c); return nil }); err != nil {
		t.Error(err)
	}
}

func TestAHoldThatComesWhileAFileIsDeletedKeepsIt(t *testing.T) {
	t.Parallel()
	o := newOffice(t, indexed(t), &testkit.Fuse{})
	c := o.newCase(t, cases.Open)
	taken, err := o.send(t, c, "A text about [Party 1].")
	if err != nil {
		t.Fatal(err)
	}
	want, plain := taken[0].File, o.Files
	o.Files = busyShelf{plain, func() { o.becomes(t, c, func(c *cases.Case) { c.Retention.LegalHold = true }) }}
	if err := o.Delete(t.Context(), c, ann, want.ID, nil); !errors.Is(err, cases.ErrLegalHold) {
		t.Errorf("Delete = %v, want %v", err, cases.ErrLegalHold)
	}
	got, err := plain.Get(t.Context(), c.Tenant, c.ID, want.ID)
	if err != nil || got.Status != files.Active || got.AgentReadable != want.AgentReadable || !got.DeletedAt.IsZero() {
		t.Errorf("the file = %+v, %v, want it as it was", got, err)
	}
}

func TestAClearanceInACaseThatEndsMeanwhile(t *testing.T) {
	t.Parallel()
	o := newOffice(t, indexed(t), &testkit.Fuse{})
	c := o.newCase(t, cases.Open)
	digest, plain := strings.Repeat("ab", 32), o.Clearances
	first, second := files.Mark{Path: "text", Kind: "email", Start: 3, End: 9}, files.Mark{Path: "text", Kind: "phone", Start: 13, End: 19}
	if _, err := o.Clear(t.Context(), c, ann, digest, []files.Mark{first}); err != nil {
		t.Fatal(err)
	}
	ends := sync.OnceFunc(func() { o.becomes(t, c, func(c *cases.Case) { c.Status = cases.Closed }) })
	o.Clearances = busyClearances{plain, ends}
	if _, err := o.Clear(t.Context(), c, ann, digest, []files.Mark{second}); !errors.Is(err, cases.ErrOver) {
		t.Errorf("Clear = %v, want %v", err, cases.ErrOver)
	}
	got, err := plain.Get(t.Context(), c.Tenant, c.ID, digest)
	if err != nil || len(got.Marks) != 1 || got.Marks[0] != first {
		t.Errorf("the clearance = %+v, %v, want the first mark alone", got, err)
	}
}

// stuckShelf cannot take the files of one case.
type stuckShelf struct {
	files.FileStore
	caseID string
}

func (s *stuckShelf) Insert(ctx context.Context, f files.File) error {
	if f.CaseID == s.caseID {
		return errs.ErrUnavailable
	}

	return s.FileStore.Insert(ctx, f)
}

func TestTidyGoesOnAfterAnUploadThatFails(t *testing.T) {
	t.Parallel()
	o := newOffice(t, indexed(t), &testkit.Fuse{})
	plain := o.Files
	var all []cases.Case

	for range 3 {
		c := o.newCase(t, cases.Open)
		all = append(all, c)
		o.Files = &stuckShelf{plain, c.ID} // decided, and not carried out
		if _, err := o.send(t, c, "A text about [Party 1]."); !errors.Is(err, errs.ErrUnavailable) {
			t.Fatalf("upload = %v", err)
		}
		o.advance(time.Second)
	}
	o.Files = &stuckShelf{plain, all[0].ID}
	o.advance(files.HalfDone)
	if err := o.Tidy(t.Context(), 10); !errors.Is(err, errs.ErrUnavailable) {
		t.Errorf("Tidy = %v, want what failed", err)
	}

	for i, c := range all {
		n, err := plain.Count(t.Context(), c.Tenant, c.ID, files.Filter{})
		if want := min(i, 1); err != nil || n != want {
			t.Errorf("case %d has %d files, %v, want %d", i, n, err, want)
		}
	}
}
