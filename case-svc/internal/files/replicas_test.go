package files_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/files"
	"github.com/subrosa-legal/subrosa/case-svc/internal/mongostore"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
)

// busyBlobs has something happen right before a slot is opened.
type busyBlobs struct {
	files.Blobs
	happens func()
}

func (s busyBlobs) Open(ctx context.Context, tenant, id string, slot files.Slot) (io.ReadCloser, error) {
	s.happens()

	return s.Blobs.Open(ctx, tenant, id, slot)
}

// slowList is a list of files that something happens to right after it was read.
type slowList struct {
	*mongostore.FileStore
	happens func()
}

func (s slowList) Unrendered(ctx context.Context, reader string, before time.Time, most int) ([]files.File, error) {
	due, err := s.FileStore.Unrendered(ctx, reader, before, most)
	s.happens()

	return due, err
}

// Two replicas that list the same file do its work once, and do not give it up because the other one has replaced its
// bytes.
func TestTwoReplicasRenderTheSameFile(t *testing.T) {
	t.Parallel()

	for name, tc := range map[string]struct {
		late bool // the claim of the first replica has run out
		done int  // by the other
	}{
		"after the list":            {done: 1},
		"before the bytes are read": {done: 0},
		"long after the claim":      {late: true, done: 1},
	} {
		db := indexed(t)
		a, b := newOffice(t, db, &testkit.Fuse{}), newOffice(t, db, &testkit.Fuse{})
		was := a.stored(t, a.newCase(t, cases.Intake), "text/html", page)
		fileStore := mongostore.NewFileStore(db)
		other := sync.OnceFunc(func() {
			if tc.late {
				b.advance(files.HalfDone + time.Second)
			}
			if n, err := b.RenderStored(t.Context(), fileStore, 10); err != nil || n != tc.done {
				t.Errorf("%s: the other replica rendered %d files, %v, want %d", name, n, err, tc.done)
			}
		})
		list, blobs := slowList{fileStore, func() {}}, busyBlobs{a.Blobs, func() {}}
		if name == "after the list" {
			list.happens = other
		} else {
			blobs.happens = other
		}
		a.Blobs = blobs

		if _, err := a.RenderStored(t.Context(), list, 10); err != nil {
			t.Errorf("%s: RenderStored = %v", name, err)
		}
		now := a.file(t, was)
		if !now.Servable() || !now.AgentReadable || now.TriedBy != "" || now.DeidCheck.Status != files.Passed {
			t.Errorf("%s: left readable %t, tried by %q, %+v", name, now.AgentReadable, now.TriedBy, now.DeidCheck)
		}
		a.sound(t, was, page)
	}
}

// emptySlots has the slot that is served empty at the moment of the look, as it is while another replica puts a
// rendition there.
type emptySlots struct {
	files.Blobs
	then func()
}

func (s emptySlots) Open(context.Context, string, string, files.Slot) (io.ReadCloser, error) {
	s.then()
	return nil, files.ErrNotFound
}

// A check of bytes that another replica replaces meanwhile says nothing of what lies there now.
func TestACheckOfBytesThatAreReplacedMeanwhile(t *testing.T) {
	t.Parallel()
	db := indexed(t)
	a, b := newOffice(t, db, &testkit.Fuse{}), newOffice(t, db, &testkit.Fuse{})
	fileStore := mongostore.NewFileStore(db)
	was := a.stored(t, a.newCase(t, cases.Intake), "text/html", page, func(f *files.File) {
		f.DeidCheck.DetectorVersion = "an older one"
	})
	a.Blobs = emptySlots{a.Blobs, func() {
		if n, err := b.RenderStored(t.Context(), fileStore, 10); err != nil || n != 1 {
			t.Errorf("the other replica rendered %d files, %v", n, err)
		}
	}}

	if err := a.Recheck(t.Context(), fileStore, 10); err != nil {
		t.Errorf("Recheck = %v", err)
	}
	if now := a.file(t, was); !now.Servable() || !now.AgentReadable || now.DeidCheck.Status != files.Passed {
		t.Errorf("left readable %t, %+v", now.AgentReadable, now.DeidCheck)
	}
}

// brittleGate is a gate with a mistake that one word brings out.
type brittleGate struct{ guard.Gate }

func (g brittleGate) Check(ctx context.Context, door guard.Channel, text string) []guard.Finding {
	if strings.Contains(text, "brittle") {
		panic("a mistake")
	}

	return g.Gate.Check(ctx, door, text)
}

// A file that brings out a mistake of the rules is held, and the others are checked and rendered as ever.
func TestAFileThatBreaksTheRulesIsHeld(t *testing.T) {
	t.Parallel()
	o := newOffice(t, indexed(t), &testkit.Fuse{})
	fileStore := mongostore.NewFileStore(o.db)
	c := o.newCase(t, cases.Intake)
	stored := func(text, mediaType string) files.File {
		return o.stored(t, c, mediaType, text, func(f *files.File) {
			f.AgentReadable, f.DeidCheck.DetectorVersion = true, "an older one"
		})
	}
	brittle := []files.File{stored("A brittle lease.", "text/markdown"), stored("<p>A brittle lease.", "text/html")}
	sound := []files.File{stored("A sound lease.", "text/markdown"), stored("<p>A sound lease.", "text/html")}
	o.Gate = brittleGate{o.Gate}

	if _, err := o.RenderStored(t.Context(), fileStore, 10); err != nil {
		t.Errorf("RenderStored = %v", err)
	}
	if err := o.Recheck(t.Context(), fileStore, 10); err != nil {
		t.Errorf("Recheck = %v", err)
	}

	for _, was := range brittle {
		now := o.file(t, was)
		check := now.DeidCheck
		if now.AgentReadable || check.Status != files.Refused || check.DetectorVersion != guard.Version() {
			t.Errorf("%s that breaks the rules: readable %t, %+v", was.MediaType, now.AgentReadable, now.DeidCheck)
		}
	}

	for _, was := range sound {
		if now := o.file(t, was); !now.AgentReadable || now.DeidCheck.Status != files.Passed {
			t.Errorf("%s beside it: readable %t, %+v", was.MediaType, now.AgentReadable, now.DeidCheck)
		}
	}
}

// A release before renditions drops from the record how far the setting aside has come. What was sent is found by its
// bytes then.
func TestWhatAnOlderReleaseDropsFromTheRecordIsFoundAgain(t *testing.T) {
	t.Parallel()

	for name, served := range map[string]string{"replaced": "# Lease", "by a longer text": page + page, "emptied": ""} {
		o := newOffice(t, indexed(t), &testkit.Fuse{})
		was := o.stored(t, o.newCase(t, cases.Intake), "text/html", page)
		blobs := mongostore.NewBlobs(o.db, time.Minute)
		err := errors.Join(
			blobs.Put(t.Context(), was.Tenant, was.ID, files.AsSent, strings.NewReader(page)),
			blobs.Put(t.Context(), was.Tenant, was.ID, files.AsWord, strings.NewReader("half of it")),
			blobs.Clear(t.Context(), was.Tenant, was.ID, files.Served),
		)
		if err == nil && served != "" {
			err = blobs.Put(t.Context(), was.Tenant, was.ID, files.Served, strings.NewReader(served))
		}
		if err != nil {
			t.Fatal(err)
		}

		if _, err := o.RenderStored(t.Context(), mongostore.NewFileStore(o.db), 10); err != nil {
			t.Errorf("%s: RenderStored = %v", name, err)
		}
		now := o.file(t, was)
		if !now.Servable() || !now.AgentReadable || !now.Original.Copied || o.holds(t, was, files.AsSent) != page {
			t.Errorf("%s: left readable %t, tried by %q, %+v", name, now.AgentReadable, now.TriedBy, now.Original)
		}
		o.sound(t, was, page)
	}
}

// letter is an HTML file in which the gate finds the address at these bytes of its text.
const letter = "<!DOCTYPE html><html><body><p>Write to zq@example.org today.</p></body></html>"

var address = files.Mark{Path: "text", Kind: "email", Start: 9, End: 23}

// A clearance that is stored is no failure because another replica is at the file.
func TestAClearanceOfAFileThatAnotherReplicaIsAt(t *testing.T) {
	t.Parallel()
	o := newOffice(t, indexed(t), &testkit.Fuse{})
	c := o.newCase(t, cases.Intake)
	was := o.stored(t, c, "text/html", letter)
	if n, err := o.RenderStored(t.Context(), mongostore.NewFileStore(o.db), 10); err != nil || n != 1 {
		t.Fatal(n, err)
	}
	if now := o.file(t, was); now.AgentReadable || now.DeidCheck.Status != files.Refused {
		t.Fatalf("the letter is not held: %+v", now.DeidCheck)
	}
	plain := o.Files
	o.Files = busyShelf{plain, sync.OnceFunc(func() {
		_, err := plain.Update(t.Context(), c.Tenant, c.ID, was.ID, func(now *files.File) error {
			now.Original.At = noon.Add(time.Minute)
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	})}

	if _, err := o.Clear(t.Context(), c, ann, was.SHA256, []files.Mark{address}); err != nil {
		t.Errorf("Clear = %v", err)
	}
	kept, err := o.Clearances.Get(t.Context(), c.Tenant, c.ID, was.SHA256)
	if err != nil || len(kept.Marks) != 1 {
		t.Errorf("the clearance = %+v, %v", kept, err)
	}
}

// takenClearances are clearances that somebody else always saves first.
type takenClearances struct{ files.Clearances }

func (takenClearances) Put(context.Context, files.Clearance) error { return errs.ErrTaken }

func TestAFileWhoseClearanceOthersKeepChanging(t *testing.T) {
	t.Parallel()
	o := newOffice(t, indexed(t), &testkit.Fuse{})
	c := o.newCase(t, cases.Intake)
	was := o.stored(t, c, "text/html", letter)
	if _, err := o.Clear(t.Context(), c, ann, was.SHA256, []files.Mark{address}); err != nil {
		t.Fatal(err)
	}
	plain := o.Clearances
	o.Clearances = takenClearances{plain}

	if _, err := o.RenderStored(t.Context(), mongostore.NewFileStore(o.db), 10); !errors.Is(err, cases.ErrBusy) {
		t.Errorf("RenderStored = %v, want %v", err, cases.ErrBusy)
	}
	o.Clearances = plain
	o.advance(files.HalfDone + time.Second)
	if _, err := o.RenderStored(t.Context(), mongostore.NewFileStore(o.db), 10); err != nil {
		t.Fatal(err)
	}
	if now := o.file(t, was); !now.Servable() || !now.AgentReadable {
		t.Errorf("the next round left readable %t, %+v", now.AgentReadable, now.Original)
	}
}

// Files that were given up after they were taken up do not keep the round from fresh ones.
func TestFilesThatWereGivenUpDoNotComeAgain(t *testing.T) {
	t.Parallel()
	o := newOffice(t, indexed(t), &testkit.Fuse{})
	c := o.newCase(t, cases.Intake)
	lost := o.stored(t, c, "text/html", page, func(f *files.File) {
		f.SHA256 = strings.Repeat("0", 64)
		f.Content.Form = f.Sent()
		f.Original = files.Original{At: noon.Add(-time.Hour)}
	})
	fresh := o.stored(t, c, "text/html", page+" ")

	for range 2 {
		if _, err := o.RenderStored(t.Context(), mongostore.NewFileStore(o.db), 1); err != nil {
			t.Fatal(err)
		}
	}
	if now := o.file(t, lost); now.TriedBy == "" || now.Version != lost.Version+2 {
		t.Errorf("the lost file was written %d times, tried by %q", now.Version-lost.Version, now.TriedBy)
	}
	if now := o.file(t, fresh); !now.Servable() {
		t.Errorf("the fresh file still waits: %+v", now.Original)
	}
}
