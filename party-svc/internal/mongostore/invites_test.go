package mongostore_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/subrosa-legal/subrosa/party-svc/internal/invites"
	"github.com/subrosa-legal/subrosa/party-svc/internal/mongostore"
	"github.com/subrosa-legal/subrosa/party-svc/internal/partners"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

// invite is an invite with every field.
func invite(tenant, caseID, partnerID string) invites.Invite {
	return invites.Invite{
		ID: newID(), Tenant: tenant, CaseID: caseID, PartnerID: partnerID, Version: 1, Role: "expert", Scope: invites.Scope{BranchIDs: []string{newID()}, FileIDs: []string{newID()}},
		Message: "Please help [Party 1].", Status: invites.Pending, Hours: 48, LicenceKnown: true, ExpiresAt: noon.Add(48 * time.Hour), ConflictAttested: ptr(true),
		Facts:         invites.Facts{MatterKind: "litigation", Jurisdiction: "US-CA", Areas: []invites.Area{{Scheme: "LIST", Code: "HO-02-00-00-00", Label: "Housing", Primary: true}}, Tier: 2},
		AccountUserID: "cara", PartnerTenant: other, SentAt: ptr(noon), Settled: true, SettleAt: invites.Never(), Tries: 2, CreatedBy: ann, CreatedAt: noon, UpdatedAt: noon,
		DecidedAt: ptr(noon.Add(time.Hour)), Fingerprint: "f", DecisionKey: "k",
	}
}

func TestInvitesGiveBackWhatTheyWereGiven(t *testing.T) {
	each(t, func(t *testing.T, db *mongo.Database) {
		s := mongostore.NewInvites(db)

		bare := invites.Invite{ID: newID(), Tenant: firm, CaseID: newID(), PartnerID: newID(), Version: 1, Status: invites.Proposed, ExpiresAt: noon, SettleAt: noon, CreatedAt: noon, UpdatedAt: noon}
		for name, want := range map[string]invites.Invite{"whole": invite(firm, newID(), newID()), "bare": bare} {
			if err := s.Insert(t.Context(), want); err != nil {
				t.Fatal(err)
			}
			got, err := s.Get(t.Context(), firm, want.ID)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s invite changed on its way (-want +got):\n%s", name, diff)
			}
			if _, err := s.Get(t.Context(), other, want.ID); !errors.Is(err, invites.ErrNotFound) {
				t.Errorf("Get of another tenant = %v", err)
			}
			if list, err := s.List(t.Context(), other, want.CaseID, "", nil, 10); err != nil || len(list) != 0 {
				t.Errorf("List of another tenant = %d, %v", len(list), err)
			}
			if _, err := s.OpenOf(t.Context(), other, want.CaseID, want.PartnerID); !errors.Is(err, invites.ErrNotFound) {
				t.Errorf("OpenOf of another tenant = %v", err)
			}
		}
	})
}

func TestOneOpenInviteForEachPartner(t *testing.T) {
	each(t, func(t *testing.T, db *mongo.Database) {
		s, caseID, partnerID := mongostore.NewInvites(db), newID(), newID()
		if won := testkit.Race(t, racers, func(int) error { return s.Insert(t.Context(), invite(firm, caseID, partnerID)) }, invites.ErrOpen); won != 1 {
			t.Fatalf("%d open invites, want 1", won)
		}
		open, err := s.OpenOf(t.Context(), firm, caseID, partnerID)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Insert(t.Context(), open); !errors.Is(err, invites.ErrExists) {
			t.Errorf("Insert of its id = %v", err)
		}
		won := testkit.Race(t, racers, func(i int) error { // acceptance against revocation
			mine := open
			mine.Status = []string{invites.Accepted, invites.Revoked}[i%2]
			_, err := s.Replace(t.Context(), mine)

			return err
		}, errs.ErrTaken)
		if won != 1 {
			t.Errorf("%d decisions hold, want 1", won)
		}
		if open, err = s.Get(t.Context(), firm, open.ID); err != nil {
			t.Fatal(err)
		}
		open.Status = invites.Ended
		if _, err := s.Replace(t.Context(), open); err != nil {
			t.Fatal(err)
		}
		if _, err := s.OpenOf(t.Context(), firm, caseID, partnerID); !errors.Is(err, invites.ErrNotFound) {
			t.Errorf("OpenOf after the end = %v", err)
		}
		if err := s.Insert(t.Context(), invite(firm, caseID, partnerID)); err != nil {
			t.Errorf("another after the end: %v", err)
		}
	})
}

func TestInvitesThatAreDue(t *testing.T) {
	each(t, func(t *testing.T, db *mongo.Database) {
		s := mongostore.NewInvites(db)
		pending, unsettled, proposed := invite(firm, newID(), newID()), invite(firm, newID(), newID()), invite(other, newID(), newID())
		unsettled.Status, unsettled.Settled, unsettled.SettleAt = invites.Accepted, false, noon.Add(time.Minute)

		proposed.Status = invites.Proposed
		for _, i := range []invites.Invite{pending, unsettled, proposed} {
			if err := s.Insert(t.Context(), i); err != nil {
				t.Fatal(err)
			}
		}

		for at, want := range map[time.Time][]string{noon: nil, noon.Add(time.Minute): {unsettled.ID}, noon.Add(1000 * time.Hour): {unsettled.ID, pending.ID}} {
			due, err := s.Due(t.Context(), at, 10)

			var got []string
			for _, i := range due {
				got = append(got, i.ID)
			}
			if diff := cmp.Diff(want, got); err != nil || diff != "" {
				t.Errorf("due at %v: %v (-want +got):\n%s", at, err, diff)
			}
		}
	})
}

func TestAddresses(t *testing.T) {
	each(t, func(t *testing.T, db *mongo.Database) {
		s := mongostore.NewAddresses(db)
		var want []string

		for i := range 5 {
			a := invites.Address{UserID: "cara/with a slash", InviteID: newID(), Tenant: firm, CreatedAt: noon.Add(time.Duration(i/2) * time.Second)}
			for range 2 { // a repetition is a success
				if err := s.Put(t.Context(), a); err != nil {
					t.Fatal(err)
				}
			}
			want = append([]string{a.InviteID}, want...)
			if got, err := s.Get(t.Context(), a.UserID, a.InviteID); err != nil || got != a {
				t.Errorf("Get = %+v, %v", got, err)
			}
			if _, err := s.Get(t.Context(), "cara", a.InviteID); !errors.Is(err, invites.ErrNotFound) {
				t.Errorf("Get of another account = %v", err)
			}
		}
		var got []string

		var after *invites.Cursor
		for {
			page, err := s.List(t.Context(), "cara/with a slash", after, 2)
			if err != nil {
				t.Fatal(err)
			}

			for _, a := range page {
				got, after = append(got, a.InviteID), &invites.Cursor{CreatedAt: a.CreatedAt, ID: a.InviteID}
			}
			if len(page) < 2 {
				break
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("addresses (-want +got):\n%s", diff)
		}
		if err := s.Remove(t.Context(), "cara/with a slash", want[0]); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Get(t.Context(), "cara/with a slash", want[0]); !errors.Is(err, invites.ErrNotFound) {
			t.Errorf("Get of what was removed = %v", err)
		}
	})
}

func TestGrants(t *testing.T) {
	each(t, func(t *testing.T, db *mongo.Database) {
		s := mongostore.NewGrants(db)
		open := invites.Grant{PartnerTenant: other, CaseID: newID(), UserID: "cara", CaseTenant: firm, InviteID: newID(), PartnerID: newID(), Scope: invites.Scope{FileIDs: []string{newID()}}}
		ended, next := open, open
		ended.Ended, next.InviteID = true, newID()

		lateEnd := ended
		for n, step := range []struct {
			put  invites.Grant
			want string // the invite of the grant that holds then
		}{
			{open, open.InviteID}, {open, open.InviteID}, {ended, ""}, {open, ""}, {next, next.InviteID}, {lateEnd, next.InviteID},
		} {
			if err := s.Put(t.Context(), step.put); err != nil {
				t.Fatalf("step %d: %v", n, err)
			}
			got, err := s.Get(t.Context(), other, open.CaseID, "cara")
			if step.want == "" && !errors.Is(err, invites.ErrNotFound) || step.want != "" && (err != nil || got.InviteID != step.want) {
				t.Errorf("step %d: Get = %+v, %v, want invite %q", n, got, err, step.want)
			}
			if list, err := s.Of(t.Context(), other, "cara", 10); err != nil || (len(list) == 1) != (step.want != "") {
				t.Errorf("step %d: Of = %+v, %v", n, list, err)
			}
		}

		for _, tc := range [][3]string{{firm, open.CaseID, "cara"}, {other, newID(), "cara"}, {other, open.CaseID, "dora"}} {
			if _, err := s.Get(t.Context(), tc[0], tc[1], tc[2]); !errors.Is(err, invites.ErrNotFound) {
				t.Errorf("Get(%v) = %v", tc, err)
			}
		}
		early := ended // an end that comes before its opening leaves nothing open
		early.CaseID = newID()
		late := early

		late.Ended = false
		for _, g := range []invites.Grant{early, late} {
			if err := s.Put(t.Context(), g); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := s.Get(t.Context(), other, early.CaseID, "cara"); !errors.Is(err, invites.ErrNotFound) {
			t.Errorf("a late opening holds: %v", err)
		}
	})
}

func TestPartners(t *testing.T) {
	each(t, func(t *testing.T, db *mongo.Database) {
		s := mongostore.NewPartners(db)
		p := partners.Partner{
			ID: newID(), Tenant: partners.Public, Version: 1, DisplayName: "Ada Quillfeather", Kind: "lawyer",
			Licences:      []partners.Licence{{Jurisdiction: "US-CA", Body: "Bar", Kind: "attorney", Status: partners.ActiveLicence, VerifiedAt: ptr(noon)}, {Jurisdiction: "US-NY", Body: "Bar", Kind: "attorney", Status: "inactive"}},
			PracticeAreas: []partners.Area{{Scheme: "LIST", Code: "HO-02-00-00-00", Label: "Housing"}}, Languages: []string{"es-MX"}, Jurisdictions: []string{"US"},
			AcceptsTiers: []int{2}, Availability: partners.Open, CapacityNote: "n", ResponseHours: ptr(4), FeeModels: []string{"fixed"}, ProfileURL: "https://a.example",
			AgentCardURL: "https://b.example", AccountUserID: "cara", Digest: "d", UpdatedAt: noon,
		}
		if won := testkit.Race(t, racers, func(int) error { return s.Put(t.Context(), p) }, errs.ErrTaken); won != 1 {
			t.Errorf("%d first versions, want 1", won)
		}
		got, err := s.Get(t.Context(), partners.Public, p.ID)
		if diff := cmp.Diff(p, got); err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
		own := partners.Partner{ID: newID(), Tenant: firm, Version: 1, DisplayName: "Own Inkwell", Kind: "mediator", Availability: partners.Closed, UpdatedAt: noon}
		if err := s.Put(t.Context(), own); err != nil {
			t.Fatal(err)
		}

		for want := range int64(3) {
			if n, err := s.Editions(t.Context(), firm, other); err != nil || n[firm] != want || n[other] != 0 {
				t.Errorf("Editions = %v, %v, want %d and none", n, err, want)
			}
			if err := s.Reissue(t.Context(), firm); err != nil {
				t.Error(err)
			}
		}
		catalog := partners.NewCatalog(s, func() time.Time { return noon })

		for name, tc := range map[string]struct {
			f           partners.Filter
			public, own int
		}{
			"everything": {partners.Filter{}, 1, 1}, "licence": {partners.Filter{Jurisdiction: "US-CA"}, 1, 0}, "country": {partners.Filter{Jurisdiction: "US"}, 1, 0},
			"inactive licence": {partners.Filter{Jurisdiction: "US-NY"}, 0, 0}, "any licence": {partners.Filter{Jurisdiction: "US-NY", AnyLicence: true}, 1, 0},
			"area": {partners.Filter{PracticeKey: "HO"}, 1, 0}, "area below": {partners.Filter{PracticeKey: "HO-02"}, 1, 0}, "another area": {partners.Filter{PracticeKey: "BU"}, 0, 0},
			"language": {partners.Filter{Language: "es"}, 1, 0}, "its form": {partners.Filter{Language: "es-MX"}, 1, 0}, "another form": {partners.Filter{Language: "es-ES"}, 0, 0},
			"tier": {partners.Filter{Tier: 2}, 1, 0}, "another tier": {partners.Filter{Tier: 3}, 0, 0}, "fee": {partners.Filter{FeeModel: "fixed"}, 1, 0},
			"another fee": {partners.Filter{FeeModel: "hourly"}, 0, 0}, "kind": {partners.Filter{Kinds: []string{"mediator", "notary"}}, 0, 1},
			"availability": {partners.Filter{Availability: []string{partners.Open}}, 1, 0}, "words": {partners.Filter{Words: []string{"housing", "ada"}}, 1, 0},
			"a word besides": {partners.Filter{Words: []string{"ada", "ben"}}, 0, 0},
		} {
			for tenant, want := range map[string]int{partners.Public: tc.public, firm: tc.own, other: 0} {
				if list, err := s.Find(t.Context(), tenant, tc.f); err != nil || len(list) != want {
					t.Errorf("%s: %d found of %s, %v, want %d", name, len(list), tenant, err, want)
				}
			}
			// What is in memory is compared as the store compares, and each tenant sees the public entries and its own.
			for tenant, want := range map[string]int{firm: tc.public + tc.own, other: tc.public} {
				if r, err := catalog.Search(t.Context(), tenant, partners.Query{Filter: tc.f, Limit: 10}); err != nil || r.Total != want || len(r.Page) != want {
					t.Errorf("%s: a search of %s finds %d, %v, want %d", name, tenant, r.Total, err, want)
				}
			}
		}
		if _, err := s.Get(t.Context(), other, own.ID); !errors.Is(err, partners.ErrNotFound) {
			t.Errorf("Get of another tenant's entry = %v", err)
		}
		if _, err := partners.Lookup(t.Context(), s, other, own.ID); !errors.Is(err, partners.ErrNotFound) {
			t.Errorf("Lookup of another tenant's entry = %v", err)
		}
		if n, err := s.Count(t.Context(), firm); err != nil || n != 1 {
			t.Errorf("Count = %d, %v", n, err)
		}
		p.Version, p.Availability = 2, partners.Limited
		if won := testkit.Race(t, racers, func(int) error { return s.Put(t.Context(), p) }, errs.ErrTaken); won != 1 {
			t.Errorf("%d second versions, want 1", won)
		}
	})
}
