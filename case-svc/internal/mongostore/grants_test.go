package mongostore_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/subrosa-legal/subrosa/case-svc/internal/grants"
	"github.com/subrosa-legal/subrosa/case-svc/internal/mongostore"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

func newGrant(partner string, userID string) grants.Grant {
	return grants.Grant{
		PartnerTenant: partner, UserID: userID, CaseID: newID(), Tenant: "o:firm", Version: 1, InviteID: newID(), PartnerID: newID(), CreatedAt: noon, UpdatedAt: noon,
	}
}

func TestGrantsGiveBackWhatTheyWereGiven(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *mongo.Database) {
		store := mongostore.NewGrants(db)
		bare, full, ended, others := newGrant("o:partner", "a/b"), newGrant("o:partner", "a/b"), newGrant("o:partner", "a/b"), newGrant("o:other", "a/b")
		full.BranchIDs, full.FileIDs, full.CreatedAt = []string{newID()}, []string{newID()}, noon.Add(time.Second)

		ended.Ended = true
		for _, want := range []grants.Grant{bare, full, ended, others} {
			if err := store.Insert(t.Context(), want); err != nil {
				t.Fatal(err)
			}
			got, err := store.Get(t.Context(), want.PartnerTenant, want.CaseID, want.UserID)
			if diff := cmp.Diff(want, got); err != nil || diff != "" {
				t.Errorf("Get: %v (-want +got):\n%s", err, diff)
			}
		}
		got, err := store.OfUser(t.Context(), "o:partner", "a/b", 10)
		if diff := cmp.Diff([]grants.Grant{full, bare}, got); err != nil || diff != "" {
			t.Errorf("OfUser: %v (-want +got):\n%s", err, diff)
		}

		for _, who := range []struct {
			tenant       string
			caseID, user string
		}{{"o:other", bare.CaseID, "a/b"}, {"o:partner", newID(), "a/b"}, {"o:partner", bare.CaseID, "a"}} {
			if _, err := store.Get(t.Context(), who.tenant, who.caseID, who.user); !errors.Is(err, errs.ErrNotFound) {
				t.Errorf("Get(%v) = %v", who, err)
			}
		}
		insert := func(int) error { return store.Insert(t.Context(), bare) }
		if won := testkit.Race(t, racers, insert, errs.ErrTaken); won != 0 {
			t.Errorf("%d inserts over a grant succeeded", won)
		}
		won := testkit.Race(t, racers, func(int) error {
			mine := bare
			mine.Ended = true

			return store.Replace(t.Context(), mine)
		}, errs.ErrTaken)
		if won != 1 {
			t.Errorf("%d replacements of one version succeeded, want 1", won)
		}
	})
}

func TestDeclaredIndexesServeGrants(t *testing.T) {
	t.Parallel()
	stores.CheckQueries(
		t,
		mongostore.Schema(),
		stores.Query{Name: "Get", Collection: "grants", Equal: []string{"_id", "tenant"}},
		stores.Query{
			Name:       "purge",
			Collection: "grants",
			Equal:      []string{"caseTenant", "caseId"},
			Sort:       []string{"createdAt"},
		},
		stores.Query{
			Name:       "OfUser",
			Collection: "grants",
			Equal:      []string{"tenant", "userId", "ended"},
			Sort:       []string{"-createdAt", "-caseId"},
		},
	)
}
