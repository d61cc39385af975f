package mongostore_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/subrosa-legal/subrosa/party-svc/internal/mongostore"
	"github.com/subrosa-legal/subrosa/party-svc/internal/vault"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

func held(tenant, user string, version int, publicKey string) vault.Held {
	return vault.Held{Wrap: vault.Wrap{UserID: user, PublicKey: publicKey, EphemeralKey: "e", IV: "i", CT: "c"}, Tenant: tenant, KeyVersion: version}
}

// What a store must do for vault.Service, on every MongoDB there is.
func TestVaults(t *testing.T) {
	each(t, func(t *testing.T, db *mongo.Database) {
		ctx, s := t.Context(), mongostore.NewVaults(db)
		must := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		want := vault.Vault{Tenant: firm, UserID: "auth0|ann/1", Version: 1, PublicKey: "p", Blob: "b", CreatedAt: noon, UpdatedAt: noon.Add(time.Second)}
		must(s.InsertVault(ctx, want))
		if err := s.InsertVault(ctx, want); !errors.Is(err, vault.ErrOther) {
			t.Errorf("a second vault = %v", err)
		}
		got, err := s.Vault(ctx, firm, want.UserID)
		must(err)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("the vault changed on its way (-want +got):\n%s", diff)
		}
		if _, err := s.Vault(ctx, other, want.UserID); !errors.Is(err, vault.ErrNotFound) {
			t.Errorf("from another firm = %v", err)
		}
		next, err := s.ReplaceVault(ctx, want)
		must(err)
		if _, err := s.ReplaceVault(ctx, want); next.Version != 2 || !errors.Is(err, vault.ErrOther) {
			t.Errorf("version %d, and over the old one %v", next.Version, err)
		}
		if list, err := s.Vaults(ctx, firm, "", 5); err != nil || len(list) != 1 || list[0].Blob != "" || list[0].PublicKey != "p" {
			t.Errorf("listed = %+v, %v", list, err)
		}
		must(s.RemoveVault(ctx, firm, vault.Leaving{UserID: want.UserID, PublicKey: "another"}))
		if list, err := s.VaultsOf(ctx, firm, []string{want.UserID, "nobody"}); err != nil || len(list) != 1 {
			t.Errorf("removed for another key: %+v, %v", list, err)
		}
		must(s.RemoveVault(ctx, firm, vault.Leaving{UserID: want.UserID, PublicKey: "p"}))
		if _, err := s.Vault(ctx, firm, want.UserID); !errors.Is(err, vault.ErrNotFound) {
			t.Errorf("removed = %v", err)
		}

		if _, err := s.Newest(ctx, firm); !errors.Is(err, vault.ErrNotFound) {
			t.Errorf("no key = %v", err)
		}
		gone, leave := context.WithCancel(ctx)
		leave()
		// Who takes a failed read for a firm without a key would make it a second first one.
		if _, err := s.Newest(gone, firm); err == nil || errors.Is(err, vault.ErrNotFound) {
			t.Errorf("a failed read = %v", err)
		}

		at := noon.Add(time.Hour)
		for version := 1; version <= 11; version++ { // the newest by number, not by text
			k := vault.FirmKey{Tenant: firm, Version: version, MadeBy: "ann", MadeAt: noon, Wraps: []vault.Held{held(firm, "ann", version, "p")}, Remove: []vault.Leaving{{UserID: "ben", PublicKey: "q"}}}
			must(s.InsertFirmKey(ctx, k))
			if err := s.InsertFirmKey(ctx, k); !errors.Is(err, vault.ErrOther) {
				t.Errorf("a version twice = %v", err)
			}
			newest, err := s.Newest(ctx, firm)
			must(err)
			if diff := cmp.Diff(k, newest); diff != "" {
				t.Errorf("the newest key (-want +got):\n%s", diff)
			}
		}
		must(s.ExamineAt(ctx, firm, 3, at))
		must(s.ExamineAt(ctx, firm, 99, at)) // there is none
		if due, err := s.Due(ctx, at.Add(-time.Millisecond), 5); err != nil || len(due) != 0 {
			t.Errorf("due early: %+v, %v", due, err)
		}
		due, err := s.Due(ctx, at, 5)
		if err != nil || len(due) != 1 || due[0].Version != 3 {
			t.Fatalf("due: %+v, %v", due, err)
		}
		must(s.RemoveFirmKey(ctx, firm, 3))
		must(s.Settle(ctx, due[0])) // does not bring it back
		if due, err := s.Due(ctx, at, 5); err != nil || len(due) != 0 {
			t.Errorf("a forgotten version is due: %+v, %v", due, err)
		}
		newest, err := s.Newest(ctx, firm)
		must(err)
		settled := newest
		settled.Settled, settled.Wraps, settled.Remove = true, nil, nil
		must(s.Settle(ctx, settled))
		must(s.ExamineAt(ctx, firm, 11, at))
		must(s.Settle(ctx, newest)) // late, and over nothing
		if due, err := s.Due(ctx, at, 5); err != nil || len(due) != 1 || !due[0].Settled || due[0].Wraps != nil {
			t.Errorf("settled late: %+v, %v", due, err)
		}

		created, err := s.Lay(ctx, held(firm, "ann", 1, "p"))
		must(err)
		again, err := s.Lay(ctx, held(firm, "ann", 1, "q"))
		must(err)
		must(s.LayFirst(ctx, held(firm, "ann", 1, "r")))
		must(s.LayFirst(ctx, held(firm, "ann", 2, "q")))
		must(s.LayFirst(ctx, held(firm, "ben", 2, "q")))
		must(s.LayFirst(ctx, held(other, "ann", 2, "q")))
		list, err := s.HeldBy(ctx, firm, []string{"ann"})
		must(err)
		if diff := cmp.Diff([]vault.Held{held(firm, "ann", 1, "q"), held(firm, "ann", 2, "q")}, list); diff != "" || !created || again {
			t.Errorf("held (-want +got):\n%s", diff)
		}
		if holders, err := s.HoldersOf(ctx, firm, 2); err != nil || len(holders) != 2 || holders[0].PublicKey != "q" {
			t.Errorf("holders: %+v, %v", holders, err)
		}
		must(s.DropVersion(ctx, firm, 1))
		must(s.DropWraps(ctx, firm, vault.Leaving{UserID: "ben", PublicKey: "another"}))
		if list, err := s.HeldBy(ctx, firm, []string{"ann", "ben"}); err != nil || len(list) != 2 {
			t.Errorf("left: %+v, %v", list, err)
		}
		must(s.DropWraps(ctx, firm, vault.Leaving{UserID: "ben", PublicKey: "q"}))
		if list, err := s.HeldBy(ctx, firm, []string{"ben"}); err != nil || len(list) != 0 {
			t.Errorf("left: %+v, %v", list, err)
		}
		if list, err := s.HeldBy(ctx, other, []string{"ann"}); err != nil || len(list) != 1 {
			t.Errorf("of another firm: %+v, %v", list, err)
		}

		l := vault.Labels{Tenant: firm, CaseID: newID(), Version: 1, KeyVersion: 7, IV: "i", CT: "c", UpdatedAt: noon}
		must(s.InsertLabels(ctx, l))
		if err := s.InsertLabels(ctx, l); !errors.Is(err, vault.ErrOther) {
			t.Errorf("labels twice = %v", err)
		}
		kept, err := s.Labels(ctx, firm, l.CaseID)
		must(err)
		if diff := cmp.Diff(l, kept); diff != "" {
			t.Errorf("labels changed on their way (-want +got):\n%s", diff)
		}
		later, err := s.ReplaceLabels(ctx, l)
		must(err)
		if _, err := s.ReplaceLabels(ctx, l); later.Version != 2 || !errors.Is(err, vault.ErrOther) {
			t.Errorf("version %d, and over the old one %v", later.Version, err)
		}
		put(t, mongostore.NewParties(db), party(firm, newID(), 1)) // sealed under 3

		for version, want := range map[int]bool{3: true, 7: true, 1: false} {
			if used, err := s.Uses(ctx, firm, version); err != nil || used != want {
				t.Errorf("version %d in use = %t, %v, want %t", version, used, err, want)
			}
		}
	})
}
