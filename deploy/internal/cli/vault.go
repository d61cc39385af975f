package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/subrosa-legal/subrosa/deploy/internal/client"
	"github.com/subrosa-legal/subrosa/deploy/internal/vault"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/httpcall"
)

type vaultCmd struct {
	Init       vaultInitCmd       `cmd:"" help:"Make your vault, and as the first owner the firm's key."`
	Status     vaultStatusCmd     `cmd:"" help:"Show your vault, and who of the firm has one, as the service says."`
	Print      vaultPrintCmd      `cmd:"" name:"fingerprint" help:"Show fingerprints of your vault and of the firm's keys, to compare."`
	Show       vaultShowCmd       `cmd:"" help:"Show who stands behind the labels of a case, on this machine."`
	Seal       vaultSealCmd       `cmd:"" help:"Put a real identity behind the label of a party, encrypted."`
	Give       vaultGiveCmd       `cmd:"" help:"Let a member of the firm open identities."`
	Rotate     vaultRotateCmd     `cmd:"" help:"Make a new firm key and seal everything under it; --remove shuts members out."`
	Reseal     vaultResealCmd     `cmd:"" help:"Seal under the present firm key what is still sealed under an older one."`
	Passphrase vaultPassphraseCmd `cmd:"" help:"Change the passphrase of your vault."`
	Backup     vaultBackupCmd     `cmd:"" help:"Save your vault in a file, still encrypted."`
	Restore    vaultRestoreCmd    `cmd:"" help:"Put a saved vault back."`
}

const vaultVariable = "SUBROSA_VAULT_PASSPHRASE"

var errNoVault = errors.New("you have no vault yet: make one with subrosa vault init")

// session is an opened vault.
type session struct {
	sh    *shell
	c     *client.Client
	me    api.Me
	vault api.Vault
	tag   string // of the vault as it was read
	pair  vault.KeyPair
	keys  map[int]vault.FirmKey
	pins  *pins
}

// vaultState reads the caller's vault; there is false without one.
func (sh *shell) vaultState() (s *session, there bool, err error) {
	c, err := sh.person()
	if err != nil {
		return nil, false, err
	}
	me, err := call[api.Me](sh, c, get("v1", "me"))
	if err != nil {
		return nil, false, err
	}
	s = &session{sh: sh, c: c, me: me.v, keys: map[int]vault.FirmKey{}}

	ctx, cancel := context.WithTimeout(sh.ctx, callTime)
	defer cancel()
	s.vault, s.tag, err = c.Vault(ctx)
	if errors.Is(err, errs.ErrNotFound) {
		return s, false, nil
	}

	return s, err == nil, err
}

// openVault asks for the passphrase and opens the caller's vault with every firm key in it. believed are fingerprints
// of firm keys that the person compared, and that are believed however they differ from what this machine has seen.
func (sh *shell) openVault(believed ...string) (*session, error) {
	s, there, err := sh.vaultState()
	if err != nil {
		return nil, err
	}
	if !there {
		return nil, errNoVault
	}
	passphrase, err := sh.passphraseOf(vaultVariable, "Passphrase of your vault: ", nil)
	if err != nil {
		return nil, err
	}
	if s.pair, err = vault.Unlock(s.vault.PublicKey, s.vault.Blob, passphrase); err != nil {
		return nil, err
	}
	if s.pins, err = openPins(sh.Terminal.Config, sh.site.BaseURL, s.me.Tenant); err != nil {
		return nil, err
	}

	return s, s.take(s.vault.Keys, believed...)
}

// take opens wrapped firm keys. One that does not open is told and left out: it may be somebody's mistake, and the
// others are good. One that this machine has seen otherwise ends everything, and so does one that is newer than all
// that it has seen: anybody who knows the member's public key could have made it. The first keys that a machine sees
// are believed.
func (s *session) take(keys []api.WrappedKey, believed ...string) error {
	latest := 0
	for version := range s.pins.Firm {
		latest = max(latest, version)
	}

	for _, k := range keys {
		f, err := s.pair.Unwrap(s.me.Tenant, k.KeyVersion, vault.Wrapped{
			EphemeralKey: k.EphemeralKey,
			IV:           k.IV,
			CT:           k.CT,
		})
		if err != nil {
			fmt.Fprintf(s.sh.Err, "Firm key %d, as the service has it for you, does not open: %v. "+
				"A backup may have it: subrosa vault restore.\n", k.KeyVersion, err)

			continue
		}
		print, err := f.Fingerprint()
		if err != nil {
			return err
		}
		seen := s.pins.Firm[k.KeyVersion]

		// Equal to what was seen, or compared by the person: nothing else is good enough.
		agreed := seen == print ||
			slices.ContainsFunc(believed, func(told string) bool { return samePrint(told, print) })
		switch {
		case seen != "" && !agreed:
			return fmt.Errorf("firm key %d differs from the one that this machine has seen before (%s, now %s). "+
				"Somebody may have replaced it: compare subrosa vault fingerprint with your colleagues before "+
				"you seal anything, and only if they see the new one too, "+
				"run subrosa vault fingerprint --believe %q", k.KeyVersion, seen, print, print)
		// Older versions may come later, with the key of a colleague; a newer one is what an attacker would plant.
		case seen == "" && latest > 0 && k.KeyVersion > latest && !agreed:
			return fmt.Errorf("firm key %d is new to this machine, and anybody who knows your public key could have "+
				"made it. Its fingerprint is %s: if the colleague who made it sees the same, "+
				"run subrosa vault fingerprint --believe %q", k.KeyVersion, print, print)
		}
		s.pins.Firm[k.KeyVersion], s.keys[k.KeyVersion] = print, f
	}

	return s.pins.keep(s.sh.ctx, func(p *pins) { maps.Copy(p.Firm, s.pins.Firm) })
}

// current is the firm's key that identities are sealed under now.
func (s *session) current() (vault.FirmKey, error) {
	f, ok := s.keys[s.vault.KeyVersion]
	switch {
	case ok:
		return f, nil
	case s.vault.KeyVersion == 0:
		return f, errors.New("the firm has no key yet: an owner makes it with subrosa vault init or subrosa " +
			"vault rotate")
	}

	return f, fmt.Errorf("nobody has given you the firm's key %d yet: a member who holds it runs subrosa vault give %s",
		s.vault.KeyVersion, s.me.User)
}

// save puts the vault, over what was read unless there was none.
func (s *session) save(publicKey, blob string) error {
	header := http.Header{"If-None-Match": {"*"}}
	if s.tag != "" {
		// The vault in another browser may have been changed since; writing over it could lose keys.
		header = http.Header{"If-Match": {s.tag}}
	}
	a, err := call[api.Vault](s.sh, s.c, httpcall.Request{
		Method: http.MethodPut,
		Path:   "/v1/vault",
		In:     api.PutVault{PublicKey: publicKey, Blob: blob},
		Header: header,
	})
	s.vault = a.v

	return err
}

// members lists who of the firm has a vault.
func (s *session) members() ([]api.VaultMember, error) {
	var all []api.VaultMember

	cursor := ""
	for {
		page, err := call[api.Page[api.VaultMember]](
			s.sh,
			s.c,
			find(paging{Limit: 100, Cursor: cursor}.query(), "v1", "vault", "members"),
		)
		if err != nil {
			return nil, err
		}
		all = append(all, page.v.Items...)
		if page.v.NextCursor == nil {
			return all, nil
		}
		cursor = *page.v.NextCursor
	}
}

type vaultInitCmd struct{}

// Run makes a vault.
func (vaultInitCmd) Run(sh *shell) error {
	s, there, err := sh.vaultState()
	if err != nil {
		return err
	}
	if there {
		return errors.New("you have a vault already: see it with subrosa vault status; a firm's first key is made " +
			"with subrosa vault rotate")
	}
	// The passphrase never leaves this machine: the service gets the private key encrypted under it.
	passphrase, err := sh.passphraseOf(vaultVariable, "Passphrase for your vault, which nobody can reset: ",
		vault.CheckPassphrase)
	if err != nil {
		return err
	}
	pair, err := vault.NewKeyPair()
	if err != nil {
		return err
	}
	blob, err := pair.Lock(passphrase, sh.VaultCost)
	if err != nil {
		return err
	}
	if err := s.save(pair.Public(), blob); err != nil {
		return err
	}
	fmt.Fprintln(sh.Err, "Made your vault. Nobody can open it without its passphrase, not even we: keep a backup with "+
		"subrosa vault backup. Its fingerprint is:")
	if err := fingerprint(sh.Out, pair.Public()); err != nil {
		return err
	}

	switch {
	case s.vault.KeyVersion > 0:
		_, err = fmt.Fprintf(sh.Err, "The firm has a key already. A member who holds it compares this fingerprint "+
			"with you and runs subrosa vault give %s.\n", s.me.User)

		return err
	// Who makes the first key decides who can open identities, so it takes an owner.
	case !slices.Contains(s.me.Roles, access.RoleOwner):
		_, err = fmt.Fprintln(sh.Err, "The firm has no key yet; an owner makes it with subrosa vault init.")
		return err
	}
	s.pair = pair
	if s.pins, err = openPins(sh.Terminal.Config, sh.site.BaseURL, s.me.Tenant); err != nil {
		return err
	}
	if err := s.rotate(vault.NewFirmKey(s.me.Tenant, 1), []api.VaultMember{
		{UserID: s.me.User, PublicKey: pair.Public()},
	}, nil); err != nil {
		return fmt.Errorf("the firm's key was not made: %w; make it with subrosa vault rotate", err)
	}
	_, err = fmt.Fprintln(sh.Err, "Made the firm's key, version 1.")

	return err
}

func fingerprint(w io.Writer, public string) error {
	f, err := vault.Fingerprint(public)
	if err == nil {
		_, err = fmt.Fprintln(w, f)
	}

	return err
}

type vaultPrintCmd struct {
	Believe []string `help:"Fingerprint of a new or changed firm key, confirmed by a colleague." placeholder:"HEX" sep:"none"`
}

// Run shows what colleagues compare. The vault is opened for it: what the service says of a key is just what must not
// be believed.
func (cmd *vaultPrintCmd) Run(sh *shell) error {
	s, err := sh.openVault(cmd.Believe...)
	if err != nil {
		return err
	}
	yours, err := vault.Fingerprint(s.pair.Public())
	if err != nil {
		return err
	}
	if sh.root.JSON {
		raw, err := json.Marshal(map[string]any{
			"userId":      s.me.User,
			"fingerprint": yours,
			"firmKeys":    s.pins.held(s.keys),
		})
		if err != nil {
			return err
		}

		return printRaw(sh.Out, raw)
	}
	table(sh.Out, []string{"KEY", "FINGERPRINT"}, func(row func(...any)) {
		row("yours", yours)

		for _, version := range slices.Sorted(maps.Keys(s.keys)) {
			row(fmt.Sprintf("firm key %d", version), s.pins.Firm[version])
		}
	})

	return nil
}

type vaultStatusCmd struct{}

// Run shows the vault and the members.
func (vaultStatusCmd) Run(sh *shell) error {
	s, there, err := sh.vaultState()
	if err != nil {
		return err
	}
	if !there {
		return errNoVault
	}
	members, err := s.members()
	if err != nil {
		return err
	}
	if sh.root.JSON {
		raw, err := json.Marshal(map[string]any{
			"version":    s.vault.Version,
			"updatedAt":  s.vault.UpdatedAt,
			"keyVersion": s.vault.KeyVersion,
			"members":    members,
		})
		if err != nil {
			return err
		}

		return printRaw(sh.Out, raw)
	}
	sheet(sh.Out, "firm key", s.vault.KeyVersion, "vault version", s.vault.Version, "changed", local(s.vault.UpdatedAt))
	table(sh.Out, []string{"MEMBER", "HOLDS", "FINGERPRINT, BY THE SERVICE"}, func(row func(...any)) {
		for _, m := range members {
			f, err := vault.Fingerprint(m.PublicKey)
			if err != nil {
				f = "damaged"
			}
			row(m.UserID, versionsHeld(m.KeyVersions), f)
		}
	})

	return nil
}

func versionsHeld(list []int) string {
	texts := make([]string, len(list))
	for i, n := range list {
		texts[i] = strconv.Itoa(n)
	}

	return strings.Join(texts, ", ")
}

type vaultGiveCmd struct {
	User        string `arg:"" help:"Id of the member, as subrosa vault status shows it."`
	Fingerprint string `help:"${toldPrint}" placeholder:"HEX"`
}

// Run wraps every firm key that the caller holds to the public key of a member.
func (cmd *vaultGiveCmd) Run(sh *shell) error {
	s, err := sh.openVault()
	if err != nil {
		return err
	}
	members, err := s.members()
	if err != nil {
		return err
	}
	i := slices.IndexFunc(members, func(m api.VaultMember) bool { return m.UserID == cmd.User })
	if i < 0 {
		return fmt.Errorf("%s has no vault yet: they make it with subrosa vault init", cmd.User)
	}
	member := members[i]
	if member.UserID == s.me.User {
		return errors.New("this is you: you hold these keys already")
	}
	if err := s.compared(member, cmd.Fingerprint); err != nil {
		return err
	}
	given := 0

	for _, version := range slices.Sorted(maps.Keys(s.keys)) {
		// What was given once is left alone: writing it again would tell of a change where there is none.
		if slices.Contains(member.KeyVersions, version) {
			continue
		}
		w, err := s.keys[version].Wrap(member.PublicKey)
		if err != nil {
			return err
		}
		in := api.WrapKey{PublicKey: member.PublicKey, EphemeralKey: w.EphemeralKey, IV: w.IV, CT: w.CT}
		if err := s.lay(member.UserID, version, in); err != nil {
			return err
		}
		given++
	}
	if given == 0 {
		return fmt.Errorf("%s holds every version of the firm's key that you hold", cmd.User)
	}
	fmt.Fprintf(sh.Err, "Have them compare the firm's key with you: subrosa vault fingerprint shows the same on both "+
		"machines.\n")
	_, err = fmt.Fprintf(sh.Out, "%s got %d versions of the firm's key.\n", cmd.User, given)

	return err
}

func (s *session) lay(user string, version int, in api.WrapKey) error {
	path := httpcall.Path("v1", "vault", "members", user, "keys", strconv.Itoa(version))
	_, err := call[api.WrappedKey](s.sh, s.c, httpcall.Request{Method: http.MethodPut, Path: path, In: in})

	return err
}

// compared has the person compare a member's fingerprint, unless they did so before on this machine: the service could
// have put another key in the place of the member's. told is what the member said, if it was given with the command.
func (s *session) compared(m api.VaultMember, told string) error {
	print, err := vault.Fingerprint(m.PublicKey)
	if err != nil {
		return fmt.Errorf("key of %s: %w", m.UserID, err)
	}

	seen := s.pins.Members[m.UserID]
	switch {
	case told != "" && !samePrint(told, print):
		return fmt.Errorf("the key that the service keeps for %s has another fingerprint: nothing was given. "+
			"Ask them for theirs again, by a channel that is not this service", m.UserID)
	// Compared before on this machine, and the same since.
	case told == "" && seen == m.PublicKey:
		return nil
	case told == "":
		if seen != "" {
			fmt.Fprintf(s.sh.Err, "The key of %s has changed since it was compared on this machine.\n", m.UserID)
		}
		if !agreed(s.sh, m.UserID, print) {
			return errors.New("nothing was given")
		}
	}

	return s.pins.keep(s.sh.ctx, func(p *pins) { p.Members[m.UserID] = m.PublicKey })
}

// samePrint compares a fingerprint as somebody wrote it with one as it is shown.
func samePrint(told, print string) bool {
	return strings.ReplaceAll(strings.ToLower(told), " ", "") == strings.ReplaceAll(print, " ", "")
}

// agreed asks the person.
func agreed(sh *shell, user, print string) bool {
	fmt.Fprintf(sh.Err, "Ask %s, by telephone or face to face, what subrosa vault fingerprint shows them.\n%s\n"+
		"Type yes if it is this one: ", user, print)

	return sh.typedYes()
}

type vaultPassphraseCmd struct{}

const newVaultVariable = "SUBROSA_VAULT_NEW_PASSPHRASE"

// Run seals the same private key under another passphrase: nothing else changes.
func (vaultPassphraseCmd) Run(sh *shell) error {
	s, err := sh.openVault()
	if err != nil {
		return err
	}
	passphrase, err := sh.passphraseOf(newVaultVariable, "New passphrase, which nobody can reset: ",
		vault.CheckPassphrase)
	if err != nil {
		return err
	}
	blob, err := s.pair.Lock(passphrase, sh.VaultCost)
	if err != nil {
		return err
	}
	if err := s.save(s.vault.PublicKey, blob); err != nil {
		return err
	}
	_, err = fmt.Fprintln(sh.Out, "Changed the passphrase. Backups from before open with the old one.")

	return err
}
