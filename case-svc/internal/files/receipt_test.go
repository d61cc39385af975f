package files_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/files"
	"github.com/subrosa-legal/subrosa/case-svc/internal/mongostore"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
	"go.mongodb.org/mongo-driver/v2/bson"
)

// rewritten makes the record of a file what the release before renditions makes of it when it changes anything.
func (o *office) rewritten(t *testing.T, f files.File) {
	t.Helper()

	unknown := bson.D{}
	for field := range strings.FieldsSeq("sent renderer word dropped unread original triedBy slot attempt") {
		unknown = append(unknown, bson.E{Key: field, Value: ""})
	}
	change := bson.D{{Key: "$unset", Value: unknown}}
	if f.Status == files.Active { // the key of an active file is its digest, as that release understands it
		now := o.file(t, f)
		change = append(change, bson.E{Key: "$set", Value: bson.D{{Key: "dedupeKey", Value: now.Content.SHA256}}})
	}
	this := bson.D{{Key: "_id", Value: f.Tenant + "/" + f.ID}}
	if _, err := o.db.Collection("files").UpdateOne(t.Context(), this, change); err != nil {
		t.Fatal(err)
	}
}

// checkedBefore makes the records of all files say that earlier rules checked them.
func (o *office) checkedBefore(t *testing.T) {
	t.Helper()
	earlier := bson.D{{Key: "$set", Value: bson.D{{Key: "deidCheck.detectorVersion", Value: "earlier"}}}}
	if _, err := o.db.Collection("files").UpdateMany(t.Context(), bson.D{}, earlier); err != nil {
		t.Fatal(err)
	}
}

// reclaimed runs rounds over all receipts.
func (o *office) reclaimed(t *testing.T) {
	t.Helper()

	for after := ""; ; {
		next, err := o.Reclaim(t.Context(), after, 2)
		unlessAway(t, err)
		if after = next; after == "" {
			return
		}
	}
}

// unlessAway fails the test for an error other than that the store is away.
func unlessAway(t *testing.T, err error) {
	t.Helper()
	if err != nil && !errors.Is(err, errs.ErrUnavailable) {
		t.Fatal(err)
	}
}

func agreed(context.Context, string) (bool, error) { return true, nil }

// Going back to the release before renditions and forth again loses nothing of what was set aside: it is on record, is
// counted, and goes when it may.
func TestOriginalsAreOnRecordAfterAnOlderRelease(t *testing.T) {
	t.Parallel()
	o := newOffice(t, indexed(t), &testkit.Fuse{})
	fileStore := mongostore.NewFileStore(o.db)
	c := o.newCase(t, cases.Intake)
	lease := func(number string) string { return strings.Replace(page, "flat", "flat "+number, 1) }
	changed, untouched := o.stored(t, c, "text/html", lease("1")), o.stored(t, c, "text/html", lease("2"))
	purged, again := o.stored(t, c, "text/html", lease("3")), o.stored(t, c, "text/html", lease("4"))
	if n, err := o.RenderStored(t.Context(), fileStore, 10); err != nil || n != 4 {
		t.Fatal(n, err)
	}
	before := o.file(t, changed)

	// The older release changes two records, takes in what was sent of one of them once more, and deletes a file.
	o.rewritten(t, changed)
	o.rewritten(t, again)
	twin := o.stored(t, c, "text/html", lease("4"))
	o.rewritten(t, twin)
	blobs := mongostore.NewBlobs(o.db, time.Minute)
	shredder := mongostore.NewShredder(o.db, o.Now)
	err := blobs.Clear(t.Context(), c.Tenant, purged.ID, files.Served)
	err = errors.Join(err, shredder.Forget(t.Context(), purged))
	if err != nil {
		t.Fatal(err)
	}
	if now := o.file(t, changed); !now.Original.At.IsZero() || now.MediaType != "text/markdown" {
		t.Fatalf("this shows nothing: %+v", now)
	}

	for range 2 {
		o.reclaimed(t)
	}
	now := o.file(t, changed)
	if now.Original != before.Original || now.Sent() != before.Sent() || now.Content != before.Content ||
		len(now.Dropped) != len(before.Dropped) {
		t.Errorf("given back is %+v, want %+v", now, before)
	}
	if now := o.file(t, untouched); now.Version != before.Version {
		t.Errorf("a file that nobody changed has version %d", now.Version)
	}
	if now := o.file(t, again); now.Original.At.IsZero() || !now.Servable() || now.DedupeKey() != now.Content.SHA256 {
		t.Errorf("whose bytes came again: %+v", now)
	}

	for _, slot := range []files.Slot{files.Served, files.AsWord, files.AsSent} {
		if o.holds(t, purged, slot) != "" {
			t.Errorf("of a file that was purged something is left in %q", slot)
		}
	}
	o.advance(files.HalfDone + time.Second)
	if _, err := o.RenderStored(t.Context(), fileStore, 10); err != nil {
		t.Fatal(err)
	}
	if left, err := fileStore.Originals(t.Context(), c.Tenant); err != nil || left.SetAside != 4 || left.Waiting != 0 {
		t.Errorf("counted %+v, %v", left, err)
	}

	o.advance(files.KeptOriginal + time.Hour)
	if err := o.RemoveOriginals(t.Context(), mongostore.NewShredder(o.db, o.Now), agreed, 10); err != nil {
		t.Fatal(err)
	}

	for _, f := range []files.File{changed, untouched, again, twin} {
		if now := o.file(t, f); o.holds(t, f, files.AsSent) != "" || !now.Servable() {
			t.Errorf("its original is left, or it is not served: %+v", now)
		}
	}
	if n, err := o.db.Collection("receipts").CountDocuments(t.Context(), bson.D{}); err != nil || n != 0 {
		t.Errorf("%d receipts are left, %v", n, err)
	}
}

// Wherever the sweep was cut off when the older release came, nothing is lost and nothing but renditions is served.
func TestAnOlderReleaseComesWhereverTheSweepIs(t *testing.T) {
	t.Parallel()

	for _, after := range []bool{false, true} {
		for step := 1; ; step++ {
			fuse := &testkit.Fuse{Burns: step, After: after}
			o := newOffice(t, indexed(t), fuse)
			was := o.stored(t, o.newCase(t, cases.Intake), "text/html", page)
			fileStore := mongostore.NewFileStore(o.db)
			_, err := o.RenderStored(t.Context(), fileStore, 10)
			unlessAway(t, err)
			o.rewritten(t, was)

			for range 3 {
				o.reclaimed(t)
				_, err := o.RenderStored(t.Context(), fileStore, 10)
				unlessAway(t, err)
				o.advance(files.HalfDone + time.Second)
			}
			now := o.file(t, was)
			if o.holds(t, was, files.AsSent) != page || !now.Original.Placed || now.Sent() != was.Sent() {
				t.Errorf("step %d, after %t: left %+v", step, after, now)
			}
			o.sound(t, was, page)
			o.advance(files.KeptOriginal + time.Hour)

			for range 2 {
				unlessAway(t, o.RemoveOriginals(t.Context(), mongostore.NewShredder(o.db, o.Now), agreed, 10))
			}
			if o.holds(t, was, files.AsSent) != "" {
				t.Errorf("step %d, after %t: the original stays", step, after)
			}
			if fuse.Steps() < step {
				break
			}
		}
	}
}

// slowBlobs take time to be opened, and count that.
type slowBlobs struct {
	files.Blobs
	takes  func()
	opened *int
}

func (s slowBlobs) Open(ctx context.Context, tenant, id string, slot files.Slot) (io.ReadCloser, error) {
	*s.opened++
	s.takes()

	return s.Blobs.Open(ctx, tenant, id, slot)
}

// A round ends in time, however many files are in a page, and the next one goes on.
func TestARoundEndsInTime(t *testing.T) {
	t.Parallel()
	o := newOffice(t, indexed(t), &testkit.Fuse{})
	fileStore := mongostore.NewFileStore(o.db)

	c := o.newCase(t, cases.Intake)
	for n := range 7 {
		o.stored(t, c, "text/html", page+strings.Repeat(" ", n))
	}
	opened := 0
	o.Blobs = slowBlobs{o.Blobs, func() { o.advance(files.RoundTime * 2 / 5) }, &opened}
	var rounds []int

	for range 3 {
		n, err := o.RenderStored(t.Context(), fileStore, 2)
		if err != nil {
			t.Fatal(err)
		}
		rounds = append(rounds, n)
	}
	if rounds[0] != 3 || rounds[1] != 3 || rounds[2] != 1 || opened != 7 {
		t.Errorf("the rounds came to %v files and read %d", rounds, opened)
	}

	o.checkedBefore(t)
	opened = 0
	if err := o.Recheck(t.Context(), fileStore, 100); err != nil || opened != 3 {
		t.Errorf("a round of checks read %d files, %v", opened, err)
	}
}

// slowOutdated is a list of files to check that something happens to right after it was read.
type slowOutdated struct {
	*mongostore.FileStore
	happens func()
}

func (s slowOutdated) Outdated(ctx context.Context, version string, most int) ([]files.File, error) {
	due, err := s.FileStore.Outdated(ctx, version, most)
	s.happens()

	return due, err
}

// What another replica has checked since the list was made is not checked twice, and each tenant is asked once whether
// its originals may go.
func TestNothingOfARoundIsDoneTwice(t *testing.T) {
	t.Parallel()
	db := indexed(t)
	a, b := newOffice(t, db, &testkit.Fuse{}), newOffice(t, db, &testkit.Fuse{})
	fileStore := mongostore.NewFileStore(db)

	c := a.newCase(t, cases.Intake)
	for n := range 4 {
		a.stored(t, c, "text/html", page+strings.Repeat(" ", n))
	}
	if _, err := a.RenderStored(t.Context(), fileStore, 10); err != nil {
		t.Fatal(err)
	}
	a.checkedBefore(t)
	opened := 0
	a.Blobs = slowBlobs{a.Blobs, func() {}, &opened}
	other := func() {
		if err := b.Recheck(t.Context(), fileStore, 10); err != nil {
			t.Error(err)
		}
	}
	if err := a.Recheck(t.Context(), slowOutdated{fileStore, other}, 10); err != nil || opened != 0 {
		t.Errorf("after the other replica was there %d files are read, %v", opened, err)
	}

	a.advance(files.KeptOriginal + time.Hour)
	asked := 0
	consent := func(context.Context, string) (bool, error) { asked++; return false, nil }
	if err := a.RemoveOriginals(t.Context(), mongostore.NewShredder(db, a.Now), consent, 10); err != nil || asked != 1 {
		t.Errorf("one tenant with four originals is asked %d times, %v", asked, err)
	}
}

// slowReceipts are receipts that something happens to right after a page of them was read.
type slowReceipts struct {
	files.Receipts
	listed  []files.Receipt
	happens func()
}

func (s slowReceipts) Stray(context.Context, string, int) ([]files.Receipt, string, error) {
	s.happens()
	return s.listed, "", nil
}

// A round over receipts gives no original back whose bytes are gone: neither when another replica removed it since the
// receipts were read, nor when a crash kept it from removing the receipt before an older release came.
func TestNoOriginalIsReclaimedWhoseBytesAreGone(t *testing.T) {
	t.Parallel()

	for _, tc := range []struct {
		name string
		gone func(o *office, f files.File) error
	}{
		{"another replica removed it", func(o *office, _ files.File) error {
			o.advance(files.KeptOriginal + time.Hour)
			return o.RemoveOriginals(t.Context(), mongostore.NewShredder(o.db, o.Now), agreed, 10)
		}},
		{"only its bytes were removed", func(o *office, f files.File) error {
			o.rewritten(t, f)
			return mongostore.NewBlobs(o.db, time.Minute).Clear(t.Context(), f.Tenant, f.ID, files.AsSent)
		}},
	} {
		db := indexed(t)
		a, b := newOffice(t, db, &testkit.Fuse{}), newOffice(t, db, &testkit.Fuse{})
		was := a.stored(t, a.newCase(t, cases.Intake), "text/html", page)
		fileStore, receipts := mongostore.NewFileStore(db), mongostore.NewReceipts(db)
		if _, err := a.RenderStored(t.Context(), fileStore, 10); err != nil {
			t.Fatal(err)
		}
		r, err := receipts.Get(t.Context(), was.Tenant, was.ID)
		if err != nil {
			t.Fatal(err)
		}
		a.Receipts = slowReceipts{a.Receipts, []files.Receipt{r}, func() {
			if err := tc.gone(b, was); err != nil {
				t.Errorf("%s: %v", tc.name, err)
			}
		}}

		_, err = a.Reclaim(t.Context(), "", 10)
		left, counted := fileStore.Originals(t.Context(), was.Tenant)
		if err != nil || counted != nil || left.SetAside != 0 || !a.file(t, was).Original.At.IsZero() {
			t.Errorf("%s: counted %+v, %v, %v; the file says %+v", tc.name, left, err, counted, a.file(t, was).Original)
		}
		if a.holds(t, was, files.AsSent) != "" || !a.file(t, was).Servable() {
			t.Errorf("%s: this shows nothing", tc.name)
		}
	}
}
