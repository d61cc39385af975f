package files_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/files"
	"github.com/subrosa-legal/subrosa/case-svc/internal/mongostore"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
)

// page is an HTML file.
const page = "<!DOCTYPE html><html><head><title>Lease</title></head>" +
	"<body><h1>Lease</h1><p>[Party 1] rents the flat from [Party 2].</p></body></html>"

// stored puts a file in as it was stored before renditions were.
func (o *office) stored(t *testing.T, c cases.Case, mediaType, content string, change ...func(*files.File)) files.File {
	t.Helper()
	sum := sha256.Sum256([]byte(content))
	f := files.File{
		ID: uuid.NewString(), CaseID: c.ID, Tenant: c.Tenant, Version: 1, Name: "Document 1", DocType: "unknown",
		DocTypeBasis: files.TypeUnknown,
		MediaType:    mediaType, SizeBytes: int64(len(content)), SHA256: hex.EncodeToString(sum[:]),
		Privilege:     "work_product",
		Extraction:    files.Extraction{Status: "ok", Pages: 1, Method: "html", TextVersion: 1},
		DeidCheck:     files.DeidCheck{Status: files.Passed, DetectorVersion: guard.Version(), At: noon},
		AgentReadable: true, Revision: 1, Status: files.Active, UploadedBy: ann, CreatedAt: noon,
	}

	f.Content.Form = f.Sent()
	for _, set := range change {
		set(&f)
	}
	db := o.db // past the fuse
	err := errors.Join(
		mongostore.NewBlobs(db, time.Minute).Put(t.Context(), f.Tenant, f.ID, files.Served, strings.NewReader(content)),
		mongostore.NewTexts(
			db,
		).Put(
			t.Context(),
			files.Text{FileID: f.ID, Tenant: f.Tenant, CaseID: c.ID, Version: 1, Body: "The text as it was read then."},
		),
		mongostore.NewFileStore(db).Insert(t.Context(), f),
	)
	if err != nil {
		t.Fatal(err)
	}

	return f
}

// holds returns what lies in a slot, "" when nothing does.
func (o *office) holds(t *testing.T, f files.File, slot files.Slot) string {
	t.Helper()

	r, err := mongostore.NewBlobs(o.db, time.Minute).Open(t.Context(), f.Tenant, f.ID, slot)
	if errors.Is(err, files.ErrNotFound) {
		return ""
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	all, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}

	return string(all)
}

func (o *office) file(t *testing.T, f files.File) files.File {
	t.Helper()
	now, err := mongostore.NewFileStore(o.db).Get(t.Context(), f.Tenant, f.CaseID, f.ID)
	if err != nil {
		t.Fatal(err)
	}

	return now
}

// sound checks what must hold of a stored file at any moment: what was sent is there, and what may be served is the
// rendition as it is described.
func (o *office) sound(t *testing.T, was files.File, content string) {
	t.Helper()
	now := o.file(t, was)
	if served, kept := o.holds(t, was, files.Served), o.holds(t, was, files.AsSent); served != content &&
		kept != content {
		t.Error("what was sent is lost")
	}
	if !now.Servable() {
		return
	}
	served := o.holds(t, was, files.Served)
	sum := sha256.Sum256([]byte(served))
	if now.Content.SHA256 != hex.EncodeToString(sum[:]) || now.Content.SizeBytes != int64(len(served)) ||
		now.Content.Renderer == "" {
		t.Errorf("served are %d bytes, described as %+v", len(served), now.Content)
	}
	if strings.Contains(served, "<h1>") || !strings.Contains(served, "[Party 1] rents the flat") {
		t.Errorf("served is %q", served)
	}
	if now.Sent() != was.Sent() {
		t.Errorf("what was sent is described as %+v", now.Sent())
	}
}

// Wherever a write is lost, nothing of a stored file is lost, nothing but its rendition is served, and the next
// rounds finish the work.
func TestStoredFilesAreRenderedWhereverItBreaks(t *testing.T) {
	t.Parallel()

	for _, after := range []bool{false, true} {
		for step := 1; ; step++ {
			f := &testkit.Fuse{Burns: step, After: after}
			o := newOffice(t, indexed(t), f)

			was := o.stored(t, o.newCase(t, cases.Intake), "text/html", page)
			for range 4 {
				_, err := o.RenderStored(t.Context(), mongostore.NewFileStore(o.db), 10)
				if err != nil && !errors.Is(err, errs.ErrUnavailable) {
					t.Fatalf("step %d, after %t: %v", step, after, err)
				}
				o.sound(t, was, page)
				o.advance(files.HalfDone + time.Second)
			}
			now := o.file(t, was)
			if !now.Servable() || !now.AgentReadable || !now.Original.Placed || o.holds(t, was, files.AsSent) != page {
				t.Errorf("step %d, after %t: left %+v", step, after, now.Original)
			}
			if text, err := mongostore.NewTexts(o.db).Get(t.Context(), was.Tenant, was.ID, 1); err != nil ||
				text.Body != "The text as it was read then." {
				t.Errorf("step %d, after %t: the text that was cited is %q, %v", step, after, text.Body, err)
			}
			if f.Steps() < step {
				if step < 8 {
					t.Errorf("rendering has %d steps", f.Steps())
				}

				break
			}
		}
	}
}

func TestOnlyWhatNeedsARenditionGetsOne(t *testing.T) {
	t.Parallel()
	o := newOffice(t, indexed(t), &testkit.Fuse{})
	c := o.newCase(t, cases.Intake)
	named := strings.Replace(page, "rents the flat", "and Zebulon Quartermain rent the flat", 1)
	plain := o.stored(t, c, "text/plain", "[Party 1] rents.")
	draft := o.stored(t, c, "text/html", page+" ", func(f *files.File) { f.PhaseID = uuid.NewString() })
	attested := o.stored(t, c, "application/pdf", "%PDF-1.4 a scan", func(f *files.File) {
		f.DeidCheck.Status, f.AgentReadable = files.Attested, false
	})
	gone := o.stored(t, c, "text/html", page+"  ", func(f *files.File) { f.Status, f.DeletedAt = files.Deleted, noon })
	held := o.stored(t, c, "text/html", named)
	broken := o.stored(t, c, "application/pdf", "%PDF-1.4 nothing that can be read")
	other := o.stored(
		t,
		c,
		"text/html",
		page+"   ",
		func(f *files.File) { f.SHA256 = strings.Repeat("0", 64); f.Content.Form = f.Sent() },
	)

	for range 2 {
		if _, err := o.RenderStored(t.Context(), mongostore.NewFileStore(o.db), 10); err != nil {
			t.Fatal(err)
		}
	}

	for name, f := range map[string]files.File{"plain": plain, "draft": draft, "attested": attested, "deleted": gone} {
		if now := o.file(t, f); now.Version != 1 || o.holds(t, f, files.AsSent) != "" {
			t.Errorf("%s: was touched: %+v", name, now)
		}
	}
	if now := o.file(t, held); now.AgentReadable || now.DeidCheck.Status != files.Refused || !now.Servable() {
		t.Errorf("a file with a name: %+v", now)
	}

	for name, f := range map[string]files.File{"unreadable": broken, "of other bytes": other} {
		now := o.file(t, f)
		if now.Servable() || now.AgentReadable || now.TriedBy == "" || o.holds(t, f, files.Served) == "" {
			t.Errorf("%s: %+v", name, now)
		}
	}
	left, err := mongostore.NewFileStore(o.db).Originals(t.Context(), c.Tenant)
	if want := (files.Originals{SetAside: 1, SizeBytes: int64(len(named)), Unreadable: 2}); err != nil || left != want {
		t.Errorf("counted %+v, %v, want %+v", left, err, want)
	}
}

func TestOriginalsGoWhenTheyMay(t *testing.T) {
	t.Parallel()
	o := newOffice(t, indexed(t), &testkit.Fuse{})
	free, hold := o.newCase(t, cases.Intake), o.newCase(t, cases.Intake)
	a, b := o.stored(t, free, "text/html", page), o.stored(t, hold, "text/html", page)
	if n, err := o.RenderStored(t.Context(), mongostore.NewFileStore(o.db), 10); err != nil || n != 2 {
		t.Fatal(n, err)
	}
	o.becomes(t, hold, func(c *cases.Case) { c.Retention.LegalHold = true })
	agreed := false
	may := func(context.Context, string) (bool, error) { return agreed, nil }
	var gone []string

	for _, round := range []struct {
		name    string
		advance time.Duration
		agree   bool
		want    []string
	}{
		{"at once", 0, true, nil},
		{"a day early", files.KeptOriginal - 24*time.Hour, true, nil},
		{"without consent", 48 * time.Hour, false, nil},
		{"with consent", 0, true, []string{a.ID}},
		{"again", 0, true, []string{a.ID}},
	} {
		o.advance(round.advance)
		agreed = round.agree
		if err := o.RemoveOriginals(t.Context(), mongostore.NewShredder(o.db, o.Now), may, 10); err != nil {
			t.Fatalf("%s: %v", round.name, err)
		}
		gone = nil

		for _, f := range []files.File{a, b} {
			if o.holds(t, f, files.AsSent) == "" {
				gone = append(gone, f.ID)
			}
			if now := o.file(t, f); !now.Servable() || o.holds(t, f, files.Served) == "" {
				t.Errorf("%s: the rendition is not served: %+v", round.name, now.Content)
			}
		}
		if !slices.Equal(gone, round.want) {
			t.Errorf("%s: gone are the originals of %v, want %v", round.name, gone, round.want)
		}
	}
}

// slowSetAside is a list of originals that something happens to right after it was read.
type slowSetAside struct {
	*mongostore.Shredder
	happens func(files.File)
}

func (s slowSetAside) SetAside(
	ctx context.Context,
	before time.Time,
	may files.Confirmed,
	most int,
) ([]files.File, error) {
	due, err := s.Shredder.SetAside(ctx, before, may, most)
	for _, f := range due {
		s.happens(f)
	}

	return due, err
}

// What keeps an original is looked at again when it is removed.
func TestAnOriginalStaysWhenSomethingHappensAfterTheList(t *testing.T) {
	t.Parallel()
	o := newOffice(t, indexed(t), &testkit.Fuse{})
	held, taken := o.newCase(t, cases.Intake), o.newCase(t, cases.Intake)
	a, b := o.stored(t, held, "text/html", page), o.stored(t, taken, "text/html", page)
	if n, err := o.RenderStored(t.Context(), mongostore.NewFileStore(o.db), 10); err != nil || n != 2 {
		t.Fatal(n, err)
	}
	o.advance(files.KeptOriginal + time.Hour)
	list := slowSetAside{mongostore.NewShredder(o.db, o.Now), func(f files.File) {
		if f.ID == a.ID {
			o.becomes(t, held, func(c *cases.Case) { c.Retention.LegalHold = true })
			return
		}
		_, err := o.Files.Update(t.Context(), f.Tenant, f.CaseID, f.ID, func(now *files.File) error {
			now.Original.At, now.Original.Placed = o.Now(), false // another replica makes its rendition again
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}}
	may := func(context.Context, string) (bool, error) { return true, nil }

	if err := o.RemoveOriginals(t.Context(), list, may, 10); err != nil {
		t.Errorf("RemoveOriginals = %v", err)
	}

	for name, f := range map[string]files.File{"under a hold": a, "taken up again": b} {
		if now := o.file(t, f); o.holds(t, f, files.AsSent) != page || !now.Original.Copied {
			t.Errorf("%s: the original is gone, left %+v", name, now.Original)
		}
	}
}

// Wherever the removal of an original breaks, a later round ends it.
func TestOriginalsGoWhereverItBreaks(t *testing.T) {
	t.Parallel()
	may := func(context.Context, string) (bool, error) { return true, nil }

	for step := 1; ; step++ {
		f := &testkit.Fuse{}
		o := newOffice(t, indexed(t), f)
		was := o.stored(t, o.newCase(t, cases.Intake), "text/html", page)
		if n, err := o.RenderStored(t.Context(), mongostore.NewFileStore(o.db), 10); err != nil || n != 1 {
			t.Fatal(n, err)
		}
		before := f.Steps()
		f.Burns = before + step
		o.advance(files.KeptOriginal + time.Hour)

		for range 2 {
			err := o.RemoveOriginals(t.Context(), mongostore.NewShredder(o.db, o.Now), may, 10)
			if err != nil && !errors.Is(err, errs.ErrUnavailable) {
				t.Fatalf("step %d: %v", step, err)
			}
		}
		now, kept := o.file(t, was), o.holds(t, was, files.AsSent)
		if kept != "" || now.Original != (files.Original{}) || !now.Servable() {
			t.Errorf("step %d: left %+v", step, now.Original)
		}
		if f.Steps() < before+step {
			if step < 4 {
				t.Errorf("the removal has %d steps", f.Steps()-before)
			}

			break
		}
	}
}

// A file whose body can be read, but not all that its rendition holds, is one that nobody can check.
func TestARenditionThatCannotBeReadIsNotKept(t *testing.T) {
	t.Parallel()
	o := newOffice(t, indexed(t), &testkit.Fuse{})
	c := o.newCase(t, cases.Intake)
	garbled := page + `<p style="display: none">` + strings.Repeat("\ufffd", 200) + "</p>"
	was := o.stored(t, c, "text/html", garbled)

	if _, err := o.RenderStored(t.Context(), mongostore.NewFileStore(o.db), 10); err != nil {
		t.Errorf("RenderStored = %v", err)
	}
	if now := o.file(t, was); now.Servable() || now.AgentReadable || now.TriedBy == "" {
		t.Errorf("of the stored file: %+v", now)
	}
	b, err := o.Open(t.Context(), o.newCase(t, cases.Intake), ann)
	if err != nil {
		t.Fatal(err)
	}
	s, err := o.Spool.Receive(strings.NewReader(garbled), 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	err = b.Add(t.Context(), files.Part{Name: "Document 1.html", Declared: "text/html"}, nil, s)
	if !errors.Is(err, files.ErrUnverifiable) {
		t.Errorf("sent, it is %v, want %v", err, files.ErrUnverifiable)
	}
	if err := errors.Join(s.Close(), b.Close(t.Context())); err != nil {
		t.Error(err)
	}
}
