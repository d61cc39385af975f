package mongostore_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/party-svc/internal/invites"
	"github.com/subrosa-legal/subrosa/party-svc/internal/mongostore"
	"github.com/subrosa-legal/subrosa/party-svc/internal/parties"
	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

// contents are the stores that a case has something in.
type contents struct {
	*mongostore.Contents
	parties   *mongostore.Parties
	invites   *mongostore.Invites
	addresses *mongostore.Addresses
	grants    *mongostore.Grants
}

func eachContents(t *testing.T, test func(t *testing.T, s contents)) {
	t.Helper()
	each(t, func(t *testing.T, db *mongo.Database) {
		test(t, contents{mongostore.NewContents(db), mongostore.NewParties(db), mongostore.NewInvites(db), mongostore.NewAddresses(db), mongostore.NewGrants(db)})
	})
}

// fill gives a case two parties, against the order of their ids, and an accepted invite, and returns their ids as they came.
func (s contents) fill(t *testing.T, tenant, caseID string) []string {
	t.Helper()
	second, first := put(t, s.parties, party(tenant, caseID, 2)), put(t, s.parties, party(tenant, caseID, 1))

	i := invite(tenant, caseID, newID())
	for _, err := range []error{
		s.invites.Insert(t.Context(), i),
		s.addresses.Put(t.Context(), invites.Address{UserID: i.AccountUserID, InviteID: i.ID, Tenant: tenant, CreatedAt: noon}),
		s.grants.Put(t.Context(), invites.Grant{PartnerTenant: i.PartnerTenant, CaseID: caseID, UserID: i.AccountUserID, CaseTenant: tenant, InviteID: i.ID, PartnerID: i.PartnerID, Scope: i.Scope}),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}

	return []string{first.ID, second.ID, i.ID}
}

func (s contents) holds(t *testing.T, tenant, caseID string, want []string) {
	t.Helper()
	if got, err := s.Holdings(t.Context(), tenant, caseID); err != nil || !slices.Equal(got, want) {
		t.Errorf("Holdings of %s = %v, %v, want %v", tenant, got, err, want)
	}
}

func TestContentsOfACase(t *testing.T) {
	eachContents(t, func(t *testing.T, s contents) {
		gone, kept := newID(), newID()
		ids, stay := s.fill(t, firm, gone), s.fill(t, firm, kept)
		s.holds(t, firm, gone, ids)
		s.holds(t, other, gone, []string{})
		if won := testkit.Race(t, racers, func(int) error { return s.Purge(t.Context(), other, gone) }); won != racers {
			t.Errorf("%d purges of another tenant's case were done", won)
		}
		s.holds(t, firm, gone, ids)
		if won := testkit.Race(t, racers, func(int) error { return s.Purge(t.Context(), firm, gone) }); won != racers {
			t.Errorf("%d of %d purges at once were done", won, racers)
		}
		s.holds(t, firm, gone, []string{})
		s.holds(t, firm, kept, stay)

		for id, want := range map[string]error{ids[2]: invites.ErrNotFound, stay[2]: nil} {
			if _, err := s.addresses.Get(t.Context(), "cara", id); !errors.Is(err, want) {
				t.Errorf("address of an invite = %v, want %v", err, want)
			}
		}

		for id, want := range map[string]error{gone: invites.ErrNotFound, kept: nil} {
			if _, err := s.grants.Get(t.Context(), other, id, "cara"); !errors.Is(err, want) {
				t.Errorf("grant of a case = %v, want %v", err, want)
			}
		}
	})
}

func TestWhoHadAHandInACase(t *testing.T) {
	eachContents(t, func(t *testing.T, s contents) {
		robot := audit.Actor{Kind: audit.Agent, ID: "agt", UserID: "ann"}

		for name, tc := range map[string]struct {
			change func(*parties.Party, *invites.Invite)
			want   bool
		}{
			"the user's agents only":        {func(*parties.Party, *invites.Invite) {}, false},
			"the user":                      {func(p *parties.Party, _ *invites.Invite) { p.CreatedBy = ann }, true},
			"another user's agent":          {func(p *parties.Party, _ *invites.Invite) { p.CreatedBy.UserID = "bob" }, true},
			"somebody who changed a party":  {func(p *parties.Party, _ *invites.Invite) { p.Shared = true }, true},
			"another user's agent, invites": {func(_ *parties.Party, i *invites.Invite) { i.CreatedBy.UserID = "bob" }, true},
			"who sent an invite":            {func(_ *parties.Party, i *invites.Invite) { i.SentAt = ptr(noon.Add(time.Minute)) }, true},
			"who revoked an invite":         {func(_ *parties.Party, i *invites.Invite) { i.Status = invites.Revoked }, true},
		} {
			caseID := newID()
			p, i := party(firm, caseID, 1), invite(firm, caseID, newID())
			p.CreatedBy, i.CreatedBy, i.Status, i.SentAt = robot, robot, invites.Proposed, nil
			tc.change(&p, &i)
			put(t, s.parties, p)
			if err := s.invites.Insert(t.Context(), i); err != nil {
				t.Fatal(err)
			}
			if got, err := s.OthersWork(t.Context(), firm, caseID, "ann"); err != nil || got != tc.want {
				t.Errorf("%s: OthersWork = %t, %v, want %t", name, got, err, tc.want)
			}
			if got, err := s.OthersWork(t.Context(), other, caseID, "ann"); err != nil || got {
				t.Errorf("%s: OthersWork of another tenant = %t, %v", name, got, err)
			}
		}
	})
}
