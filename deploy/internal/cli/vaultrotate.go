package cli

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"

	"github.com/subrosa-legal/subrosa/deploy/internal/vault"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/httpcall"
)

type vaultRotateCmd struct {
	Remove []string `help:"Members who lose their vaults and every key." placeholder:"USER"`
}

// Run makes the next firm key for everybody who holds the present one, and seals all that the firm has under it.
func (cmd *vaultRotateCmd) Run(sh *shell) error {
	s, err := sh.openVault()
	if err != nil {
		return err
	}
	if !slices.Contains(s.me.Roles, access.RoleOwner) {
		return errors.New("only an owner makes a new firm key; what is left under an old one is sealed anew with " +
			"subrosa vault reseal")
	}
	if slices.Contains(cmd.Remove, s.me.User) {
		return errors.New("you cannot remove yourself: another owner does that")
	}
	members, err := s.members()
	if err != nil {
		return err
	}
	var stay []api.VaultMember
	var leave []string

	for _, m := range members {
		switch {
		case slices.Contains(cmd.Remove, m.UserID):
			leave = append(leave, m.UserID)
		case m.UserID == s.me.User:
			// The public key as it is here, not as the service says.
			stay = append(stay, api.VaultMember{UserID: m.UserID, PublicKey: s.pair.Public()})
		// Only who holds the present key gets the next one: others may be waiting for somebody to compare fingerprints.
		case slices.Contains(m.KeyVersions, s.vault.KeyVersion):
			if err := s.compared(m, ""); err != nil {
				return fmt.Errorf("%s: %w, and no firm key was made", m.UserID, err)
			}
			stay = append(stay, m)
		}
	}

	for _, user := range cmd.Remove {
		if !slices.Contains(leave, user) {
			return fmt.Errorf("no member %s has a vault, so there is nothing to remove and no firm key was made: "+
				"see subrosa vault status, or run this without --remove", user)
		}
	}
	next := vault.NewFirmKey(s.me.Tenant, s.vault.KeyVersion+1)
	if err := s.rotate(next, stay, leave); err != nil {
		return err
	}
	fmt.Fprintf(sh.Err, "Made firm key %d for %d members.\n", next.Version, len(stay))

	return s.reseal()
}

// rotate makes f the firm's key, and makes sure that it can be opened before anything is sealed under it.
func (s *session) rotate(f vault.FirmKey, members []api.VaultMember, remove []string) error {
	in := api.RotateKey{KeyVersion: f.Version, Keys: []api.MemberKey{}, Remove: append([]string{}, remove...)}
	for _, m := range members {
		w, err := f.Wrap(m.PublicKey)
		if err != nil {
			return fmt.Errorf("key of %s: %w", m.UserID, err)
		}
		in.Keys = append(in.Keys, api.MemberKey{
			UserID:       m.UserID,
			PublicKey:    m.PublicKey,
			EphemeralKey: w.EphemeralKey,
			IV:           w.IV,
			CT:           w.CT,
		})
	}
	print, err := f.Fingerprint()
	if err != nil {
		return err
	}
	a, err := call[api.Vault](s.sh, s.c, httpcall.Request{Method: http.MethodPost, Path: "/v1/vault/rotate", In: in})
	if err != nil {
		return err
	}
	// Pinned before take: what the service has for us must be exactly the key that was made here.
	s.vault, s.pins.Firm[f.Version] = a.v, print
	if err := s.take(a.v.Keys); err != nil {
		return err
	}
	if _, held := s.keys[f.Version]; !held {
		return fmt.Errorf("firm key %d was made, and the service does not give it back as it was: seal nothing, "+
			"and keep a backup", f.Version)
	}

	return nil
}

type vaultResealCmd struct{}

// Run seals under the present firm key what is still sealed under one before.
func (vaultResealCmd) Run(sh *shell) error {
	s, err := sh.openVault()
	if err != nil {
		return err
	}

	return s.reseal()
}

// reseal brings everything under the present firm key. First every party gets the tokens of both keys, and when all
// have those of the new one, the old ones go: so that two parties with one name always have a token in common, and no
// conflict is missed meanwhile. It goes on past what cannot be opened; while that is a party, all keep their old
// tokens.
func (s *session) reseal() error {
	present, err := s.current()
	if err != nil {
		return err
	}
	failed := 0
	told := func(err error) {
		failed++
		fmt.Fprintln(s.sh.Err, s.sh.explain(err))
	}
	// The order matters: tokens of both keys, then the new ones alone, then the labels, in which no conflict is looked
	// for.
	moved, err := s.moveParties(present, told)
	if err != nil {
		return again(err)
	}
	if failed == 0 {
		if err := s.dropOldTokens(present, told); err != nil {
			return again(err)
		}
	}
	cases, err := s.moveLabels(present, told)
	if err != nil {
		return again(err)
	}
	fmt.Fprintf(s.sh.Out, "Sealed %d parties and the labels of %d cases under firm key %d.\n",
		moved, cases, present.Version)
	if failed > 0 {
		return &reported{
			fmt.Sprintf("%d were left as they are; those who hold their keys can seal them with subrosa vault reseal",
				failed),
		}
	}

	return nil
}

// again says how to go on after a failure half way.
func again(err error) error {
	return fmt.Errorf("not everything is sealed under the new key yet, continue with subrosa vault reseal: %w", err)
}

const maxRounds = 10 // of looking for parties that others sealed under an old key meanwhile

// moveParties seals anew until nothing is left: others may be sealing, too.
func (s *session) moveParties(present vault.FirmKey, told func(error)) (moved int, err error) {
	// A party that could not be sealed once is not tried for ever.
	failed := map[string]bool{}

	for round := 1; ; round++ {
		parties, err := s.parties(url.Values{})
		if err != nil {
			return moved, err
		}
		left := slices.DeleteFunc(parties, func(p api.Party) bool {
			return p.Sealed == nil || p.Sealed.KeyVersion == present.Version || failed[p.PartyID]
		})
		if len(left) == 0 {
			return moved, nil
		}
		if round > maxRounds {
			return moved, fmt.Errorf("%d parties came back under an old key each time they were sealed again",
				len(left))
		}

		for _, p := range left {
			if err := s.moveParty(p, present); err != nil {
				failed[p.PartyID] = true
				told(err)

				continue
			}
			moved++
		}
	}
}

const maxTokens = 20 // of a party

func (s *session) moveParty(p api.Party, present vault.FirmKey) error {
	who, err := s.identity(p)
	if err != nil && !errors.Is(err, vault.ErrNewer) {
		return err
	}
	old := s.keys[p.Sealed.KeyVersion]
	sealed, err := present.Reseal(old, vault.Sealed{IV: p.Sealed.IV, CT: p.Sealed.CT}, p.Sealed.AAD)
	if err != nil {
		return fmt.Errorf("%s: %w", p.Label, err)
	}
	blind, err := tokens(present, p, who)
	if err != nil {
		return err
	}
	before, err := tokens(old, p, who)
	if err != nil {
		return err
	}
	// The service takes no more tokens. The new ones matter more: every party will have some of those.
	if len(blind)+len(before) <= maxTokens {
		blind = append(blind, before...)
	}
	if _, err = s.put(p, p.IdentityRef, present.Version, sealed, blind); err != nil {
		return fmt.Errorf("%s: %w", p.Label, err)
	}

	return nil
}

// dropOldTokens leaves each party the tokens of the present key alone.
func (s *session) dropOldTokens(present vault.FirmKey, told func(error)) error {
	parties, err := s.parties(url.Values{})
	if err != nil {
		return err
	}

	for _, p := range parties {
		if p.Sealed == nil || p.Sealed.KeyVersion != present.Version {
			continue
		}
		who, err := s.identity(p)
		if err != nil {
			told(err)
			continue
		}
		blind, err := tokens(present, p, who)
		if err != nil {
			return err
		}
		// The tokens of a party are not given out; that their number is right means that the old ones are gone.
		if len(blind) == p.ConflictTokenCount {
			continue
		}
		if _, err := s.put(p, p.IdentityRef, present.Version, vault.Sealed{
			IV: p.Sealed.IV,
			CT: p.Sealed.CT,
		}, blind); err != nil {
			told(fmt.Errorf("%s: %w", p.Label, err))
		}
	}

	return nil
}

// moveLabels seals the labels of every case anew and returns how many cases had some under another key.
func (s *session) moveLabels(present vault.FirmKey, told func(error)) (moved int, err error) {
	cursor := ""
	for {
		page, err := call[api.Page[api.CaseRow]](
			s.sh,
			s.c,
			find(paging{Limit: 100, Cursor: cursor}.query(), "v1", "cases"),
		)
		if err != nil {
			return moved, err
		}

		for _, row := range page.v.Items {
			done, err := s.moveLabelsOf(row.CaseID, present)
			if err != nil {
				told(fmt.Errorf("labels of case %s: %w", row.CaseID, err))
			}
			if done {
				moved++
			}
		}
		if page.v.NextCursor == nil {
			return moved, nil
		}
		cursor = *page.v.NextCursor
	}
}

func (s *session) moveLabelsOf(caseID string, present vault.FirmKey) (moved bool, err error) {
	_, sealed, err := s.labels(caseID)
	if sealed.Version == 0 || sealed.KeyVersion == present.Version || err != nil && !errors.Is(err, vault.ErrNewer) {
		return false, err
	}
	next, err := present.Reseal(s.keys[sealed.KeyVersion], vault.Sealed{IV: sealed.IV, CT: sealed.CT}, caseID+":labels")
	if err != nil {
		return false, err
	}
	in := api.PutSealedLabels{KeyVersion: present.Version, IV: next.IV, CT: next.CT}
	_, err = call[api.SealedLabels](s.sh, s.c, httpcall.Request{
		Method: http.MethodPut,
		Path:   httpcall.Path("v1", "cases", caseID, "sealed-labels"),
		In:     in,
		Header: match(sealed.Version),
	})

	return err == nil, err
}
