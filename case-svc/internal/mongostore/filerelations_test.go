package mongostore_test

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/files"
	"github.com/subrosa-legal/subrosa/case-svc/internal/mongostore"
	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

func TestSuccessions(t *testing.T) {
	t.Parallel()
	stores.EachMongo(t, func(t *testing.T, db *mongo.Database) {
		s, ctx := mongostore.NewSuccessions(db), t.Context()
		caseID, old := newID(), newID()
		t.Run("one of many claims wins", func(t *testing.T) {
			var all sync.WaitGroup
			var won atomic.Int32
			var winner atomic.Value

			for range 12 {
				all.Go(func() {
					id := newID()
					switch err := s.Claim(ctx, "u:ann", caseID, old, id); {
					case err == nil:
						won.Add(1)
						winner.Store(id)
					case !errors.Is(err, files.ErrSuperseded):
						t.Errorf("Claim = %v", err)
					}
				})
			}
			all.Wait()
			if won.Load() != 1 {
				t.Fatalf("%d claims won", won.Load())
			}
			id := winner.Load().(string)
			if err := s.Claim(ctx, "u:ann", caseID, old, id); err != nil {
				t.Errorf("the winner's claim again = %v", err)
			}
			if err := s.Release(ctx, "u:ann", old, newID()); err != nil {
				t.Errorf("another's release = %v", err)
			}
			if err := s.Claim(ctx, "u:ann", caseID, old, newID()); !errors.Is(err, files.ErrSuperseded) {
				t.Errorf("a claim after another's release = %v", err)
			}
			if err := s.Release(ctx, "u:ann", old, id); err != nil {
				t.Errorf("release = %v", err)
			}
			if err := s.Claim(ctx, "u:ann", caseID, old, newID()); err != nil {
				t.Errorf("a claim after the release = %v", err)
			}
		})
		t.Run("another tenant's claim is its own", func(t *testing.T) {
			if err := s.Claim(ctx, "u:ben", caseID, old, newID()); err != nil {
				t.Errorf("Claim = %v", err)
			}
		})
	})
}

func TestClearanceStore(t *testing.T) {
	t.Parallel()
	stores.EachMongo(t, func(t *testing.T, db *mongo.Database) {
		s, ctx := mongostore.NewClearances(db), t.Context()
		want := files.Clearance{
			Tenant: "u:ann", CaseID: newID(), SHA256: "ab", Marks: []files.Mark{{Path: "text", Kind: "phone", Start: 1, End: 9}},
			By: audit.Actor{Kind: "user", ID: "ann", UserID: "ann"}, At: time.Date(2026, 3, 4, 5, 6, 7, 89e6, time.UTC),
		}
		if _, err := s.Get(ctx, "u:ann", want.CaseID, "ab"); !errors.Is(err, files.ErrNotFound) {
			t.Fatalf("Get = %v", err)
		}
		var all sync.WaitGroup
		var won atomic.Int32

		for range 8 {
			all.Go(func() {
				switch err := s.Put(ctx, want); {
				case err == nil:
					won.Add(1)
				case !errors.Is(err, errs.ErrTaken):
					t.Errorf("Put = %v", err)
				}
			})
		}
		all.Wait()
		if won.Load() != 1 {
			t.Errorf("%d first versions were stored", won.Load())
		}
		got, err := s.Get(ctx, "u:ann", want.CaseID, "ab")
		want.Version = 1
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("Get = %v (-want +got):\n%s", err, diff)
		}
		got.Marks = append(got.Marks, files.Mark{Path: "comments", Kind: "email", Start: 0, End: 3})
		if err := s.Put(ctx, got); err != nil {
			t.Errorf("the next version = %v", err)
		}
		if err := s.Put(ctx, got); !errors.Is(err, errs.ErrTaken) {
			t.Errorf("a stale version = %v", err)
		}
		later := files.Clearance{
			Tenant: "u:ann", CaseID: want.CaseID, SHA256: "cd", By: want.By, At: want.At.Add(time.Hour),
		}
		if err := s.Put(ctx, later); err != nil {
			t.Fatal(err)
		}
		list, err := s.OfCase(ctx, "u:ann", want.CaseID, 5)
		if err != nil || len(list) != 2 || list[0].SHA256 != "ab" || len(list[0].Marks) != 2 || list[1].SHA256 != "cd" {
			t.Errorf("OfCase = %+v, %v", list, err)
		}
		if list, err := s.OfCase(ctx, "u:ann", want.CaseID, 1); err != nil || len(list) != 1 {
			t.Errorf("OfCase of one = %+v, %v", list, err)
		}

		for _, other := range []files.Clearance{{Tenant: "u:ben", CaseID: want.CaseID}, {Tenant: "u:ann", CaseID: newID()}} {
			if _, err := s.Get(ctx, other.Tenant, other.CaseID, "ab"); !errors.Is(err, files.ErrNotFound) {
				t.Errorf("Get for %s %s = %v", other.Tenant, other.CaseID, err)
			}
			if list, err := s.OfCase(ctx, other.Tenant, other.CaseID, 5); err != nil || len(list) != 0 {
				t.Errorf("OfCase for %s %s = %+v, %v", other.Tenant, other.CaseID, list, err)
			}
		}
	})
}

func TestShredderPassesOverHolds(t *testing.T) {
	t.Parallel()
	stores.EachMongo(t, func(t *testing.T, db *mongo.Database) {
		ctx, now := t.Context(), time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
		kept, fileStore := mongostore.NewCases(db), mongostore.NewFileStore(db)
		shredder := mongostore.NewShredder(db, func() time.Time { return now })
		by := audit.Actor{Kind: "user", ID: "ann", UserID: "ann"}
		add := func(hold bool, ago time.Duration, n int) {
			c, err := cases.New("u:ann", newID(), by, cases.Draft{}, now)
			if err != nil {
				t.Fatal(err)
			}
			c.Retention.LegalHold = hold
			if err := kept.Create(ctx, c); err != nil {
				t.Fatal(err)
			}

			for i := range n {
				f := files.File{
					ID: newID(), CaseID: c.ID, Tenant: "u:ann", Version: 1, Name: fmt.Sprintf("%d.txt", i), Status: files.Deleted, UploadedBy: by, CreatedAt: now,
					DeletedAt: now.Add(-ago),
				}
				if err := fileStore.Insert(ctx, f); err != nil {
					t.Fatal(err)
				}
			}
		}
		add(true, 90*24*time.Hour, 5) // the oldest, and held
		add(false, 60*24*time.Hour, 2)
		add(false, 24*time.Hour, 1)
		due, err := shredder.Due(ctx, 2)
		if err != nil || len(due) != 2 {
			t.Fatalf("Due = %d files, %v, want the two that no hold keeps", len(due), err)
		}

		for _, f := range due {
			if err := shredder.Forget(ctx, f); err != nil {
				t.Fatal(err)
			}
		}
		if due, err = shredder.Due(ctx, 2); err != nil || len(due) != 0 {
			t.Errorf("Due = %d files, %v, want none", len(due), err)
		}
	})
}
