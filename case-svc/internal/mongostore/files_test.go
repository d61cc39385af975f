package mongostore_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/files"
	"github.com/subrosa-legal/subrosa/case-svc/internal/mongostore"
	"github.com/subrosa-legal/subrosa/case-svc/internal/phases"
	"github.com/subrosa-legal/subrosa/pkg/audit/chain"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/idempotency"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

func newFile(tenant string, caseID, sha string) files.File {
	return files.File{
		ID: newID(), CaseID: caseID, Tenant: tenant, Version: 1, Name: "Document 1.txt", DocType: "complaint", DocTypeBasis: files.TypeByRule, MediaType: "text/plain",
		SizeBytes: 12, SHA256: sha, Privilege: "work_product", Extraction: files.Extraction{Status: "ok", Pages: 1, Chars: 12, CharsPerPage: 12, Language: "en", Method: "text", TextSHA256: "ff", TextVersion: 1},
		DeidCheck: files.DeidCheck{Status: files.Passed, DetectorVersion: "shapes-1", At: noon}, AgentReadable: true, Labels: []string{"[Party 1]"},
		Revision: 1, Status: files.Active, UploadedBy: ann, CreatedAt: noon,
		Content: files.Content{Form: files.Form{MediaType: "text/plain", SizeBytes: 12, SHA256: sha}},
	}
}

func TestFilesGiveBackWhatTheyWereGiven(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *mongo.Database) {
		fileStore := mongostore.NewFileStore(db)
		want := newFile("u:ann", newID(), "aa")
		want.Description, want.DocumentOn, want.DeidCheck.AttestedBy, want.Extraction.ReplacementRatio = "Filed", "2024-03-03", "ann", 0.015
		want.PhaseID, want.TriedBy = newID(), "markdown/0"
		want.Content = files.Content{
			Form: files.Form{
				MediaType: "text/markdown",
				SizeBytes: 9,
				SHA256:    "cc",
			}, Renderer: "markdown/1", Word: files.Form{MediaType: "word", SizeBytes: 7, SHA256: "dd"},
		}
		want.Dropped = []files.Dropped{{Kind: "properties", Count: 3}}
		want.Unread = files.Unread{Count: 2, Places: []files.UnreadPlace{{Page: 3, What: "picture", At: 40, Count: 2}}}
		want.Original = files.Original{At: noon, Copied: true, Placed: true}
		if err := fileStore.Insert(t.Context(), want); err != nil {
			t.Fatal(err)
		}
		got, err := fileStore.Get(t.Context(), "u:ann", want.CaseID, want.ID)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("file changed on its way (-want +got):\n%s", diff)
		}
		held, err := fileStore.Holdings(t.Context(), "u:ann", want.CaseID)
		if err != nil {
			t.Fatal(err)
		}
		short := []files.Holding{
			{
				ID:            want.ID,
				Version:       1,
				Name:          want.Name,
				SHA256:        "aa",
				ContentSHA256: "cc",
				WordSHA256:    "dd",
				SizeBytes:     9,
				TextVersion:   1,
				Chars:         12,
				AgentReadable: true,
				Generated:     true,
				Unread:        2,
			},
		}
		if diff := cmp.Diff(short, held); diff != "" {
			t.Errorf("holdings (-want +got):\n%s", diff)
		}

		for name, ask := range map[string]func() error{
			"other tenant": func() error { _, err := fileStore.Get(t.Context(), "u:eve", want.CaseID, want.ID); return err },
			"other case":   func() error { _, err := fileStore.Get(t.Context(), "u:ann", newID(), want.ID); return err },
			"no id":        func() error { _, err := fileStore.Get(t.Context(), "u:ann", want.CaseID, "x/y"); return err },
		} {
			if err := ask(); !errors.Is(err, files.ErrNotFound) {
				t.Errorf("%s: Get = %v, want not found", name, err)
			}
		}

		for name, tc := range map[string]struct {
			tenant string
			caseID string
			ids    []string
			want   bool
		}{
			"all":          {"u:ann", want.CaseID, []string{want.ID, want.ID}, true},
			"one missing":  {"u:ann", want.CaseID, []string{want.ID, newID()}, false},
			"other tenant": {"u:eve", want.CaseID, []string{want.ID}, false},
			"other case":   {"u:ann", newID(), []string{want.ID}, false},
		} {
			if has, err := fileStore.Has(t.Context(), tc.tenant, tc.caseID, tc.ids); err != nil || has != tc.want {
				t.Errorf("%s: Has = %t, %v, want %t", name, has, err, tc.want)
			}
		}
	})
}

func TestOneOfManyBringsTheSameBytes(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *mongo.Database) {
		fileStore := mongostore.NewFileStore(db)
		caseID := newID()
		won := testkit.Race(t, racers, func(int) error {
			return fileStore.Insert(t.Context(), newFile("u:ann", caseID, "aa"))
		}, files.ErrDuplicate)
		if won != 1 {
			t.Errorf("%d inserts of the same bytes succeeded, want 1", won)
		}
		same := newFile("u:ann", caseID, "bb")
		won = testkit.Race(t, racers, func(int) error { return fileStore.Insert(t.Context(), same) }, errs.ErrTaken)
		if won != 1 {
			t.Errorf("%d inserts of the same file succeeded, want 1", won)
		}
		if err := fileStore.Insert(t.Context(), newFile("u:eve", caseID, "aa")); err != nil {
			t.Errorf("the same bytes in another tenant: %v", err)
		}
		if err := fileStore.Insert(t.Context(), newFile("u:ann", newID(), "aa")); err != nil {
			t.Errorf("the same bytes in another case: %v", err)
		}
	})
}

func TestPagesOfFilesAddUp(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *mongo.Database) {
		fileStore := mongostore.NewFileStore(db)
		caseID := newID()
		var all []string

		for i := range 7 {
			f := newFile("u:ann", caseID, strings.Repeat("a", i+1))
			f.Name, f.CreatedAt = []string{"b.txt", "a.txt"}[i%2], noon.Add(time.Duration(i/3)*time.Second)
			if i == 6 {
				f.DocType, f.Extraction.Status = "answer", "low_quality"
			}
			if err := fileStore.Insert(t.Context(), f); err != nil {
				t.Fatal(err)
			}
			all = append(all, f.ID)
		}

		for _, q := range []files.Query{
			{Sort: files.ByCreated, Descending: true, Limit: 2}, {Sort: files.ByCreated, Limit: 3}, {Sort: files.ByName, Limit: 2},
		} {
			seen := map[string]bool{}

			for {
				page, err := fileStore.List(t.Context(), "u:ann", caseID, q)
				if err != nil {
					t.Fatal(err)
				}
				if len(page) == 0 {
					break
				}

				for _, f := range page {
					if seen[f.ID] {
						t.Errorf("sort %s: %s came twice", q.Sort, f.ID)
					}
					seen[f.ID] = true
				}
				at := q.PlaceOf(page[len(page)-1])
				q.After = &at
			}
			if len(seen) != len(all) {
				t.Errorf("sort %s: %d files, want %d", q.Sort, len(seen), len(all))
			}
		}

		for name, tc := range map[string]struct {
			filter files.Filter
			want   int
		}{
			"type": {files.Filter{DocType: "answer"}, 1}, "extraction": {files.Filter{Extraction: "low_quality"}, 1}, "status": {files.Filter{Status: "superseded"}, 0},
			"ids": {files.Filter{IDs: all[:2]}, 2}, "no ids": {files.Filter{IDs: []string{}}, 0}, "all": {files.Filter{Status: "active"}, 7},
		} {
			n, err := fileStore.Count(t.Context(), "u:ann", caseID, tc.filter)
			if err != nil || n != tc.want {
				t.Errorf("%s: Count = %d, %v, want %d", name, n, err, tc.want)
			}
			found, err := fileStore.List(t.Context(), "u:ann", caseID, files.Query{Filter: tc.filter, Sort: files.ByCreated, Limit: 100})
			if err != nil || len(found) != tc.want {
				t.Errorf("%s: List = %d, %v, want %d", name, len(found), err, tc.want)
			}
		}
		if found, _ := fileStore.List(t.Context(), "u:eve", caseID, files.Query{Sort: files.ByCreated, Limit: 100}); len(found) != 0 {
			t.Errorf("another tenant sees %d files", len(found))
		}
	})
}

func TestTextsAreWholeOrNotThere(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *mongo.Database) {
		texts := mongostore.NewTexts(db)

		for name, body := range map[string]string{
			"short": "One [Party 1].", "several pieces": strings.Repeat("aä€😀", 2_000_000), "empty": "",
		} {
			want := files.Text{
				FileID: newID(), Tenant: "u:ann", CaseID: newID(), Version: 1, Body: body, PageStarts: []int{0, 7},
				Passages: []files.Passage{{Start: 0, End: 3, Page: 1, Paragraph: 1}, {Start: 4, End: 9, Page: 2, Paragraph: 2}},
			}
			for range 2 { // storing it again is no error
				if err := texts.Put(t.Context(), want); err != nil {
					t.Fatalf("%s: Put: %v", name, err)
				}
			}
			got, err := texts.Get(t.Context(), "u:ann", want.FileID, 1)
			if err != nil {
				t.Fatalf("%s: Get: %v", name, err)
			}
			if got.Body != want.Body || !cmp.Equal(got.Passages, want.Passages) || !cmp.Equal(got.PageStarts, want.PageStarts) || got.CaseID != want.CaseID {
				t.Errorf("%s: text of %d bytes came back with %d", name, len(want.Body), len(got.Body))
			}
			if _, err := texts.Get(t.Context(), "u:eve", want.FileID, 1); !errors.Is(err, files.ErrNotFound) {
				t.Errorf("%s: another tenant's Get = %v", name, err)
			}
			if err := texts.Remove(t.Context(), "u:eve", want.FileID, 1); err != nil {
				t.Errorf("%s: another tenant's Remove = %v", name, err)
			}
			if _, err := texts.Get(t.Context(), "u:ann", want.FileID, 1); err != nil {
				t.Errorf("%s: another tenant removed it: %v", name, err)
			}
			if err := texts.Remove(t.Context(), "u:ann", want.FileID, 1); err != nil {
				t.Fatal(err)
			}
			if _, err := texts.Get(t.Context(), "u:ann", want.FileID, 1); !errors.Is(err, files.ErrNotFound) {
				t.Errorf("%s: Get after Remove = %v", name, err)
			}
		}
		if n, err := db.Collection("texts").CountDocuments(t.Context(), bson.D{}); err != nil || n != 0 {
			t.Errorf("%d documents are left, %v", n, err)
		}
	})
}

// What is stored is GridFS's own form: an older release, a tool or the driver reads it.
func TestStoredBytesAreGridFS(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *mongo.Database) {
		blobs := mongostore.NewBlobs(db, time.Minute)

		for _, size := range []int{0, 1, 1<<20 - 1, 1 << 20, 1<<20 + 1, 2 << 20, 5<<20 + 17} {
			want, id := make([]byte, size), newID()
			for i := range want {
				want[i] = byte(i * 7 / 5)
			}
			if err := blobs.Put(t.Context(), "u:ann", id, files.Served, iotest.HalfReader(bytes.NewReader(want))); err != nil {
				t.Fatal(err)
			}
			var got bytes.Buffer
			n, err := db.GridFSBucket().DownloadToStream(t.Context(), "u:ann/"+id, &got)
			if err != nil || n != int64(size) || !bytes.Equal(got.Bytes(), want) {
				t.Errorf("the driver reads %d of %d bytes, %v", n, size, err)
			}
			r, err := blobs.Open(t.Context(), "u:ann", id, files.Served)
			if err != nil {
				t.Fatal(err)
			}
			ours, err := io.ReadAll(r)
			if err != nil || !bytes.Equal(ours, want) {
				t.Errorf("%d of %d bytes are read, %v", len(ours), size, err)
			}
			if err := r.Close(); err != nil {
				t.Error(err)
			}
		}
	})
}

// The driver's own writer takes 17 MiB for each file. A thousand small ones in a minute made the process hold some
// hundred MiB that nobody used.
func TestASmallFileTakesLittleMemory(t *testing.T) { //nolint:paralleltest // it measures what the process allocates
	each(t, func(t *testing.T, db *mongo.Database) {
		blobs := mongostore.NewBlobs(db, time.Minute)
		put := func() {
			text := strings.NewReader("# COMPLAINT\n")
			if err := blobs.Put(t.Context(), "u:ann", newID(), files.Served, text); err != nil {
				t.Fatal(err)
			}
		}
		put() // makes the buffer that is used again

		const puts = 20
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)

		for range puts {
			put()
		}
		runtime.ReadMemStats(&after)

		if each := (after.TotalAlloc - before.TotalAlloc) / puts; each > 256<<10 {
			t.Errorf("a file of 12 bytes takes %d KiB", each>>10)
		}
	})
}

func TestBytesAreWholeOrNotThere(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *mongo.Database) {
		blobs := mongostore.NewBlobs(db, time.Minute)
		want := bytes.Repeat([]byte("0123456789abcdef"), 200_000) // several chunks
		id := newID()
		if err := blobs.Put(t.Context(), "u:ann", id, files.Served, bytes.NewReader(want)); err != nil {
			t.Fatal(err)
		}
		r, err := blobs.Open(t.Context(), "u:ann", id, files.Served)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(r)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("read %d bytes, %v, want %d", len(got), err, len(want))
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
		if _, err := blobs.Open(t.Context(), "u:eve", id, files.Served); !errors.Is(err, files.ErrNotFound) {
			t.Errorf("another tenant's Open = %v", err)
		}
		half := newID()

		for _, breaks := range []error{errors.New("the scratch file is gone"), io.ErrUnexpectedEOF} {
			for _, after := range []int{0, 1, 1 << 20, 3<<20 + 5} {
				source := io.MultiReader(bytes.NewReader(want[:after]), iotest.ErrReader(breaks))
				if err := blobs.Put(t.Context(), "u:ann", half, files.AsWord, source); !errors.Is(err, breaks) {
					t.Errorf("Put of a source that breaks off after %d bytes = %v", after, err)
				}
				if _, err := blobs.Open(t.Context(), "u:ann", half, files.AsWord); !errors.Is(err, files.ErrNotFound) {
					t.Errorf("Open of what broke off = %v, want not found", err)
				}
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		source := io.MultiReader(bytes.NewReader(want[:2<<20]), canceller(cancel), bytes.NewReader(want))
		if err := blobs.Put(ctx, "u:ann", half, files.AsWord, source); !errors.Is(err, errs.ErrUnavailable) {
			t.Errorf("Put in a store that goes away = %v, want %v", err, errs.ErrUnavailable)
		}
		left, err := db.Collection("fs.chunks").CountDocuments(t.Context(), bson.D{})
		if err != nil || left != 4 {
			t.Errorf("%d pieces are stored, %v; want the four of the one that is whole", left, err)
		}

		for _, gone := range []string{id, half, newID()} {
			if err := blobs.Remove(t.Context(), "u:ann", gone); err != nil {
				t.Errorf("Remove = %v", err)
			}
		}

		for _, name := range []string{"fs.files", "fs.chunks"} {
			if n, err := db.Collection(name).CountDocuments(t.Context(), bson.D{}); err != nil || n != 0 {
				t.Errorf("%s: %d documents are left, %v", name, n, err)
			}
		}
	})
}

func TestPlansOfUploads(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *mongo.Database) {
		plans := mongostore.NewUploads(db)
		u := files.Upload{ID: newID(), Tenant: "u:ann", Version: 1, CaseID: newID(), FileIDs: []string{newID(), newID()}, CreatedAt: noon}
		if err := plans.Stage(t.Context(), u); err != nil {
			t.Fatal(err)
		}
		before := func(decided bool, at time.Time) []files.Upload {
			t.Helper()
			list, err := plans.Before(t.Context(), decided, at, 10)
			if err != nil {
				t.Fatal(err)
			}

			return list
		}
		if list := before(false, noon); len(list) != 0 {
			t.Errorf("%d plans before the first", len(list))
		}
		if diff := cmp.Diff([]files.Upload{u}, before(false, noon.Add(time.Second))); diff != "" {
			t.Errorf("staged plan (-want +got):\n%s", diff)
		}
		if list, err := plans.Planned(t.Context(), "u:ann", u.CaseID); err != nil || len(list) != 0 {
			t.Errorf("uploads with a plan = %v, %v, want none yet", list, err)
		}

		won := testkit.Race(t, racers, func(int) error {
			mine := u
			mine.Plan, mine.Decided = []files.File{newFile("u:ann", u.CaseID, "aa")}, true

			return plans.Save(t.Context(), mine)
		}, errs.ErrTaken)
		for caseID, want := range map[string]int{u.CaseID: 1, newID(): 0} {
			if list, err := plans.Planned(t.Context(), "u:ann", caseID); err != nil || len(list) != want {
				t.Errorf("uploads with a plan = %v, %v, want %d", list, err, want)
			}
		}
		if won != 1 {
			t.Errorf("%d decisions of one plan succeeded, want 1", won)
		}
		if list := before(true, noon.Add(time.Second)); len(list) != 1 || len(list[0].Plan) != 1 || list[0].Version != 2 {
			t.Errorf("decided plans = %+v", list)
		}
		other := u
		other.Tenant = "u:eve"
		if err := plans.Forget(t.Context(), other); err != nil {
			t.Error(err)
		}
		if err := plans.Forget(t.Context(), u); err != nil || len(before(true, noon.Add(time.Second))) != 0 {
			t.Errorf("the plan is not forgotten: %v", err)
		}
	})
}

func TestIntentsHaveOneHolder(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *mongo.Database) {
		store := idempotency.NewIntents(db)
		i := idempotency.Intent{ID: "digest", Tenant: "u:ann", Version: 1, Fingerprint: "ff", Until: noon, ExpiresAt: noon.Add(time.Hour)}
		insert := func(int) error { return store.Insert(t.Context(), i) }
		if won := testkit.Race(t, racers, insert, errs.ErrTaken); won != 1 {
			t.Errorf("%d inserts succeeded, want 1", won)
		}
		done := i
		done.Answer = &idempotency.Answer{Status: 201, Location: "/v1/cases/x", ETag: `"1"`, Body: []byte(`{}`)}
		replace := func(int) error { return store.Replace(t.Context(), done) }
		if won := testkit.Race(t, racers, replace, errs.ErrTaken); won != 1 {
			t.Errorf("%d replacements of one version succeeded, want 1", won)
		}
		got, err := store.Get(t.Context(), "u:ann", "digest")
		done.Version = 2
		if diff := cmp.Diff(done, got); err != nil || diff != "" {
			t.Errorf("Get: %v (-want +got):\n%s", err, diff)
		}
		if _, err := store.Get(t.Context(), "u:eve", "digest"); err == nil {
			t.Error("another tenant sees it")
		}
		if err := store.Delete(t.Context(), i); err != nil { // of a version that is over
			t.Error(err)
		}
		if err := store.Expire(t.Context(), noon.Add(time.Minute), 10); err != nil {
			t.Error(err)
		}
		if _, err := store.Get(t.Context(), "u:ann", "digest"); err != nil {
			t.Errorf("it went too early: %v", err)
		}
		if err := store.Expire(t.Context(), noon.Add(2*time.Hour), 10); err != nil {
			t.Error(err)
		}
		if _, err := store.Get(t.Context(), "u:ann", "digest"); err == nil {
			t.Error("it outlived its time")
		}
	})
}

func TestContentsOfACase(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *mongo.Database) {
		contents := mongostore.NewContents(db, mongostore.NewBlobs(db, time.Minute))
		fileStore, records := mongostore.NewFileStore(db), mongostore.NewRecords(db)

		for _, what := range []string{"file", "phase"} {
			t.Run(what, func(t *testing.T) {
				caseID := newID()
				var err error
				if what == "file" {
					err = fileStore.Insert(t.Context(), newFile("u:ann", caseID, "aa"))
				} else {
					p := newPhase("u:ann", newID(), 1)
					p.ContainerID, p.Status, p.Review.Status = caseID, phases.Completed, phases.ReviewPending
					err = records.Insert(t.Context(), p)
				}
				if err != nil {
					t.Fatal(err)
				}
				active, done, pending, err := contents.Tally(t.Context(), "u:ann", caseID)
				want := map[string][3]int{"file": {1, 0, 0}, "phase": {0, 1, 1}}[what]
				if err != nil || [3]int{active, done, pending} != want {
					t.Errorf("Tally = %d, %d, %d, %v, want %v", active, done, pending, err, want)
				}
				if _, done, _, _ := contents.Tally(t.Context(), "u:eve", caseID); done != 0 {
					t.Error("another tenant counts it")
				}
			})
		}
		p := newPhase("u:ann", newID(), 1)
		if err := records.Insert(t.Context(), p); err != nil {
			t.Fatal(err)
		}
		if id, err := contents.OpenPhase(t.Context(), "u:ann", p.ContainerID); err != nil || id != p.ID {
			t.Errorf("OpenPhase = %q, %v, want %q", id, err, p.ID)
		}
		if id, err := contents.OpenPhase(t.Context(), "u:eve", p.ContainerID); err != nil || id != "" {
			t.Errorf("OpenPhase of another tenant = %q, %v", id, err)
		}
	})
}

func TestPurgeLeavesATombstoneAndNothingElse(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *mongo.Database) {
		ctx := t.Context()
		contents, kept := mongostore.NewContents(db, mongostore.NewBlobs(db, time.Minute)), mongostore.NewCases(db)
		fileStore, records := mongostore.NewFileStore(db), mongostore.NewRecords(db)
		branches, claims := mongostore.NewBranchStore(db), mongostore.NewClaims(db)

		gone, stays := newCase(t, "u:ann", cases.Draft{Title: ptr("Gone matter")}), newCase(t, "u:ann", cases.Draft{Title: ptr("Kept matter")})
		for _, c := range []cases.Case{gone, stays} {
			f := newFile("u:ann", c.ID, "aa")
			p := newPhase("u:ann", c.ActiveBranchID, 1)
			p.ContainerID, p.Status = c.ID, phases.Completed
			_, claimed := claims.Claim(
				ctx,
				phases.Claim{BranchID: c.ActiveBranchID, Tenant: "u:ann", Version: 1, PhaseID: p.ID},
			)
			err := errors.Join(
				kept.Create(ctx, c),
				branches.EnsureRoot(ctx, "u:ann", "case", c.ID, ann, noon),
				fileStore.Insert(ctx, f),
				records.Insert(ctx, p),
				claimed,
				mongostore.NewBlobs(
					db,
					time.Minute,
				).Put(
					ctx,
					"u:ann",
					f.ID,
					files.Served,
					strings.NewReader("bytes of it"),
				),
				mongostore.NewTexts(
					db,
				).Put(
					ctx,
					files.Text{FileID: f.ID, Tenant: "u:ann", CaseID: c.ID, Version: 1, Body: "text of it"},
				),
			)
			if err != nil {
				t.Fatal(err)
			}
		}
		_, err := kept.Update(ctx, "u:ann", gone.ID, func(c *cases.Case) error {
			c.Deletion = &cases.Deletion{By: ann, At: noon}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if due, err := contents.Due(ctx, noon.Add(time.Hour), 10); err != nil || len(due) != 0 {
			t.Fatalf("%d cases are due within their time, %v", len(due), err)
		}
		due, err := contents.Due(ctx, noon.Add(cases.RestoreTime+time.Hour), 10)
		if err != nil || len(due) != 1 || due[0].ID != gone.ID {
			t.Fatalf("due = %+v, %v", due, err)
		}
		away, told := true, 0
		elsewhere := func(_ context.Context, tenant, caseID string) error {
			if told++; tenant != "u:ann" || caseID != gone.ID || away {
				return errs.ErrUnavailable
			}

			return nil
		}
		if stone, err := contents.Entomb(ctx, due[0], noon.Add(time.Hour)); !errors.Is(err, cases.ErrBusy) {
			t.Errorf("Entomb before its time = %+v, %v", stone, err)
		}

		for _, want := range []error{nil, cases.ErrBusy} { // once
			stone, err := contents.Entomb(ctx, due[0], noon.Add(cases.RestoreTime+time.Hour))
			if !errors.Is(err, want) {
				t.Fatalf("Entomb = %v, want %v", err, want)
			}
			if err != nil {
				break
			}
			if err := contents.Clear(ctx, stone, elsewhere); !errors.Is(err, errs.ErrUnavailable) {
				t.Fatalf("Clear while another service is away = %v", err)
			}
		}
		if due, err = contents.Due(ctx, noon.Add(cases.RestoreTime+time.Hour), 10); err != nil || len(due) != 1 {
			t.Fatalf("due after a purge that did not come to its end = %+v, %v", due, err)
		}
		away = false
		if err := contents.Clear(ctx, due[0], elsewhere); err != nil || told != 2 {
			t.Fatalf("Clear = %v, told %d times", err, told)
		}

		for name, want := range map[string]int64{
			"cases": 2, "files": 1, "texts": 1, "phases": 1, "branches": 1, "timelines": 1, "claims": 1, "fs.files": 1, "fs.chunks": 1,
		} {
			if n, err := db.Collection(name).CountDocuments(ctx, bson.D{}); err != nil || n != want {
				t.Errorf("%s holds %d documents, %v, want %d", name, n, err, want)
			}
		}
		var stone bson.M
		if err := db.Collection("cases").FindOne(ctx, bson.D{{Key: "_id", Value: "u:ann/" + gone.ID}}).Decode(&stone); err != nil {
			t.Fatal(err)
		}
		if stone["title"] != "" || stone["deleted"] != true || stone["id"] != gone.ID {
			t.Errorf("tombstone = %v", stone)
		}
		if due, _ := contents.Due(ctx, noon.Add(cases.RestoreTime+time.Hour), 10); len(due) != 0 {
			t.Errorf("it is due again")
		}
	})
}

func TestFilesCheckedByOtherRules(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *mongo.Database) {
		fileStore, caseID := mongostore.NewFileStore(db), newID()
		kept := map[string]files.File{}

		for name, change := range map[string]func(*files.File){
			"passed": func(*files.File) {}, "refused": func(f *files.File) { f.DeidCheck.Status = "refused" }, "of another tenant": func(f *files.File) { f.Tenant = "u:eve" },
			"superseded": func(f *files.File) { f.Status = "superseded" }, "of today": func(f *files.File) { f.DeidCheck.DetectorVersion = "names-9" },
			"deleted": func(f *files.File) { f.Status = "deleted" }, "attested": func(f *files.File) { f.DeidCheck.Status = "attested" },
		} {
			f := newFile("u:ann", caseID, name)
			change(&f)
			if kept[f.ID] = f; fileStore.Insert(t.Context(), f) != nil {
				t.Fatalf("%s: not saved", name)
			}
		}
		due, err := fileStore.Outdated(t.Context(), "names-9", 10)
		if err != nil {
			t.Fatal(err)
		}

		var got []string
		for _, f := range due {
			got = append(got, kept[f.ID].SHA256)
		}
		slices.Sort(got)
		if diff := cmp.Diff([]string{"of another tenant", "passed", "refused", "superseded"}, got); diff != "" {
			t.Errorf("outdated (-want +got):\n%s", diff)
		}
		if due, err := fileStore.Outdated(t.Context(), "names-9", 2); len(due) != 2 || err != nil {
			t.Errorf("%d of at most 2, %v", len(due), err)
		}
	})
}

func TestDeclaredIndexesServeTheQueries(t *testing.T) {
	t.Parallel()
	stores.CheckQueries(
		t,
		mongostore.Schema(),
		stores.Query{
			Name:       "files checked by other rules",
			Collection: "files",
			Equal:      []string{"deidCheck.status"},
			Range:      []string{"deidCheck.detectorVersion"},
			Residual:   []string{"status"},
		},
		stores.Query{
			Name:       "uploads with a plan",
			Collection: "uploads",
			Equal:      []string{"tenant", "caseId", "planned"},
			Sort:       []string{"createdAt"},
		},
		stores.Query{
			Name:       "list by change",
			Collection: "cases",
			Equal:      []string{"tenant", "deleted"},
			Sort:       []string{"-updatedAt", "-id"},
		},
		stores.Query{
			Name:       "list by creation",
			Collection: "cases",
			Equal:      []string{"tenant", "deleted"},
			Sort:       []string{"-createdAt", "-id"},
		},
		stores.Query{
			Name:       "list by title",
			Collection: "cases",
			Equal:      []string{"tenant", "deleted"},
			Sort:       []string{"titleKey", "id"},
		},
		stores.Query{
			Name:       "list of a status",
			Collection: "cases",
			Equal:      []string{"tenant", "deleted", "status"},
			Sort:       []string{"-updatedAt", "-id"},
		},
		stores.Query{
			Name:       "list of a tier",
			Collection: "cases",
			Equal:      []string{"tenant", "deleted", "tier"},
			Sort:       []string{"-updatedAt", "-id"},
		},
		stores.Query{
			Name:       "list of a person",
			Collection: "cases",
			Equal:      []string{"tenant", "deleted", "responsibleUserId"},
			Sort:       []string{"-updatedAt", "-id"},
		},
		stores.Query{
			Name:       "list of a jurisdiction",
			Collection: "cases",
			Equal:      []string{"tenant", "deleted", "jurisdictionKeys"},
			Sort:       []string{"-updatedAt", "-id"},
		},
		stores.Query{
			Name:       "list of an area",
			Collection: "cases",
			Equal:      []string{"tenant", "deleted", "practiceKeys"},
			Sort:       []string{"-updatedAt", "-id"},
		},
		stores.Query{
			Name:       "list of a tag",
			Collection: "cases",
			Equal:      []string{"tenant", "deleted", "tags"},
			Sort:       []string{"-updatedAt", "-id"},
		},
		stores.Query{
			Name:       "list of a reference",
			Collection: "cases",
			Equal:      []string{"tenant", "externalRefKey"},
			Residual:   []string{"deleted"},
		},
		stores.Query{
			Name:       "list of a kind",
			Collection: "cases",
			Equal:      []string{"tenant", "deleted", "matterKind"},
			Sort:       []string{"-updatedAt", "-id"},
		},
		stores.Query{
			Name:       "list of a side",
			Collection: "cases",
			Equal:      []string{"tenant", "deleted", "side"},
			Sort:       []string{"-updatedAt", "-id"},
		},
		stores.Query{
			Name:       "list of a privilege",
			Collection: "cases",
			Equal:      []string{"tenant", "deleted", "confidentiality.privilege"},
			Sort:       []string{"-updatedAt", "-id"},
		},
		stores.Query{
			Name:       "list of a stage",
			Collection: "cases",
			Equal:      []string{"tenant", "deleted", "stageKeys"},
			Sort:       []string{"-updatedAt", "-id"},
		},
		stores.Query{
			Name:       "list of a hold",
			Collection: "cases",
			Equal:      []string{"tenant", "deleted", "retention.legalHold"},
			Sort:       []string{"-updatedAt", "-id"},
		},
		stores.Query{
			Name:       "list of a pending review",
			Collection: "cases",
			Equal:      []string{"tenant", "deleted", "pendingReview"},
			Sort:       []string{"-updatedAt", "-id"},
		},
		stores.Query{
			Name:       "list of a word",
			Collection: "cases",
			Equal:      []string{"tenant", "deleted", "searchTokens"},
		}, // and sorted
		stores.Query{
			Name:       "list by deadline",
			Collection: "cases",
			Equal:      []string{"tenant", "deleted"},
			Sort:       []string{"nextDeadlineOn", "id"},
			Range:      []string{"nextDeadlineOn"},
		},
		stores.Query{
			Name:       "list by tier",
			Collection: "cases",
			Equal:      []string{"tenant", "deleted"},
			Sort:       []string{"-tier", "-id"},
		},
		stores.Query{
			Name:       "changed since, with deleted cases",
			Collection: "cases",
			Equal:      []string{"tenant"},
			Sort:       []string{"updatedAt", "id"},
			Range:      []string{"updatedAt"},
		},
		stores.Query{
			Name:       "closed long ago",
			Collection: "cases",
			Equal:      []string{"tenant", "deleted", "status"},
			Sort:       []string{"closedOn", "id"},
			Range:      []string{"closedOn"},
			Residual:   []string{"retention.legalHold"},
		},
		stores.Query{
			Name:       "tenants that archive",
			Collection: "settings",
			Equal:      []string{"archives"},
			Sort:       []string{"_id"},
			Range:      []string{"_id"},
		},
		stores.Query{
			Name:       "audit of an action",
			Collection: chain.Collection,
			Equal:      []string{"tenant", "action"},
			Sort:       []string{"seq"},
		},
		stores.Query{
			Name:       "audit",
			Collection: chain.Collection,
			Equal:      []string{"tenant"},
			Sort:       []string{"seq"},
			Range:      []string{"at"},
		},
		stores.Query{
			Name:       "changed since",
			Collection: "cases",
			Equal:      []string{"tenant", "deleted"},
			Sort:       []string{"updatedAt", "id"},
			Range:      []string{"updatedAt"},
		},
		stores.Query{
			Name:       "due for purge",
			Collection: "cases",
			Sort:       []string{"purgeAt"},
			Range:      []string{"purgeAt"},
		},
		stores.Query{
			Name:       "expired",
			Collection: "intents",
			Sort:       []string{"expiresAt"},
			Range:      []string{"expiresAt"},
		},
		stores.Query{Name: "numbered", Collection: "phases", Equal: []string{"tenant", "branchId", "sequence"}},
		stores.Query{Name: "a phase under some tenants", Collection: "phases", Equal: []string{"_id", "tenant"}},
		stores.Query{
			Name:       "open in a container",
			Collection: "phases",
			Equal:      []string{"tenant", "containerId", "open"},
		},
		stores.Query{
			Name:       "waiting for review",
			Collection: "phases",
			Equal:      []string{"tenant", "containerId", "reviewStatus"},
			Sort:       []string{"createdAt", "id"},
		},
		stores.Query{
			Name:       "others' phases",
			Collection: "phases",
			Equal:      []string{"tenant", "containerId"},
			Residual:   []string{"createdBy.userId", "createdBy.kind"},
		},
		stores.Query{
			Name:       "phases to purge",
			Collection: "phases",
			Equal:      []string{"tenant", "containerId"},
			Sort:       []string{"createdAt"},
		},
		stores.Query{Name: "open phases", Collection: "phases", Equal: []string{"open"}, Sort: []string{"since"}},
		stores.Query{
			Name:       "branches to purge",
			Collection: "branches",
			Equal:      []string{"tenant", "timelineId"},
			Sort:       []string{"createdAt"},
		},
		stores.Query{
			Name:       "files by creation",
			Collection: "files",
			Equal:      []string{"tenant", "caseId"},
			Sort:       []string{"-createdAt", "-id"},
			Residual:   []string{"status", "docType"},
		},
		stores.Query{
			Name:       "files by name",
			Collection: "files",
			Equal:      []string{"tenant", "caseId"},
			Sort:       []string{"name", "id"},
			Residual:   []string{"status", "docType"},
		},
		stores.Query{
			Name:       "files by their own date",
			Collection: "files",
			Equal:      []string{"tenant", "caseId"},
			Sort:       []string{"documentOn", "id"},
			Range:      []string{"documentOn"},
			Residual:   []string{"status", "docType"},
		},
		stores.Query{Name: "files that count", Collection: "files", Equal: []string{"tenant", "caseId", "status"}},
		stores.Query{
			Name:       "deleted files whose bytes may go",
			Collection: "files",
			Equal:      []string{"status"},
			Sort:       []string{"deletedAt", "id"},
			Range:      []string{"deletedAt"},
		},
		stores.Query{
			Name:       "successions to purge",
			Collection: "successions",
			Equal:      []string{"tenant", "caseId"},
			Sort:       []string{"createdAt"},
		},
		stores.Query{
			Name:       "clearances to purge",
			Collection: "clearances",
			Equal:      []string{"tenant", "caseId"},
			Sort:       []string{"createdAt"},
		},
		stores.Query{
			Name:       "holdings",
			Collection: "files",
			Equal:      []string{"tenant", "caseId"},
			Sort:       []string{"createdAt", "id"},
			Residual:   []string{"status"},
		},
		stores.Query{Name: "types of document", Collection: "files", Equal: []string{"tenant", "caseId", "status"}},
		stores.Query{Name: "active files", Collection: "files", Equal: []string{"tenant", "caseId", "status"}},
		stores.Query{
			Name:       "plans",
			Collection: "uploads",
			Equal:      []string{"decided"},
			Sort:       []string{"createdAt"},
			Range:      []string{"createdAt"},
		},
		stores.Query{
			Name:       "audit of a thing",
			Collection: chain.Collection,
			Equal:      []string{"tenant", "resource.id"},
			Sort:       []string{"seq"},
		},
	)
}

// canceller is a source without a byte that takes its store away when it is read.
type canceller context.CancelFunc

func (c canceller) Read([]byte) (int, error) {
	c()
	return 0, io.EOF
}
