package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/subrosa-legal/subrosa/deploy/internal/vault"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/errs"
)

// saved is a backup: the vault as the service keeps it, which the passphrase opens.
type saved struct {
	Format string    `json:"format"`
	Tenant string    `json:"tenant"`
	User   string    `json:"user"`
	Vault  api.Vault `json:"vault"`
}

const backupFormat = "subrosa-vault-1"

type vaultBackupCmd struct {
	Out string `arg:"" help:"File to write; an existing file is not overwritten." type:"path"`
}

// Run saves the vault.
func (cmd *vaultBackupCmd) Run(sh *shell) error {
	s, there, err := sh.vaultState()
	if err != nil {
		return err
	}
	if !there {
		return errNoVault
	}
	text, err := json.MarshalIndent(saved{backupFormat, s.me.Tenant, s.me.User, s.vault}, "", "  ")
	if err != nil {
		return err
	}
	// O_EXCL never follows or replaces a file that is there.
	f, err := os.OpenFile(cmd.Out, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(append(text, '\n'))
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, os.Remove(cmd.Out))
	}
	_, err = fmt.Fprintf(sh.Out, "Saved your vault in %s. Your passphrase opens it; keep them apart.\n", cmd.Out)

	return err
}

type vaultRestoreCmd struct {
	File string `arg:"" help:"File that subrosa vault backup wrote." type:"existingfile"`
	Over bool   `help:"Replace a vault that is there. What was wrapped to its key is lost."`
}

const maxBackup = 1 << 20

// Run puts a saved vault back, with the firm keys in it, once its passphrase has opened it.
func (cmd *vaultRestoreCmd) Run(sh *shell) error {
	f, err := os.Open(cmd.File)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	var b saved
	if err := json.NewDecoder(io.LimitReader(f, maxBackup)).Decode(&b); err != nil || b.Format != backupFormat {
		return fmt.Errorf("%s is not a backup of a vault", cmd.File)
	}

	s, there, err := sh.vaultState()
	switch {
	case err != nil:
		return err
	// The vault of somebody else would lock its holder out of their own.
	case b.Tenant != s.me.Tenant || b.User != s.me.User:
		return fmt.Errorf("this is the vault of %s at %s, and you are %s at %s", b.User, b.Tenant, s.me.User,
			s.me.Tenant)
	case there && s.vault.PublicKey == b.Vault.PublicKey && s.vault.Blob == b.Vault.Blob:
		return errors.New("this is the vault that you have")
	case there && !cmd.Over:
		return errors.New("you have a vault: to replace it by the saved one, and lose what only the present one " +
			"opens, add --over")
	}
	passphrase, err := sh.passphraseOf(vaultVariable, "Passphrase of the saved vault: ", nil)
	if err != nil {
		return err
	}
	// Opened before it is put back: a backup whose passphrase is forgotten must not replace a vault that opens.
	if s.pair, err = vault.Unlock(b.Vault.PublicKey, b.Vault.Blob, passphrase); err != nil {
		return fmt.Errorf("the saved vault was not put back: %w", err)
	}
	if err := s.save(b.Vault.PublicKey, b.Vault.Blob); err != nil {
		return err
	}
	fmt.Fprintln(sh.Out, "Put your vault back.")

	return s.layBack(b.Vault.Keys)
}

// layBack gives the service what it does not hold any more of a saved vault's firm keys.
func (s *session) layBack(keys []api.WrappedKey) error {
	for _, k := range keys {
		held := func(h api.WrappedKey) bool { return h.KeyVersion == k.KeyVersion }
		if slices.ContainsFunc(s.vault.Keys, held) {
			continue
		}
		if _, err := s.pair.Unwrap(s.me.Tenant, k.KeyVersion, vault.Wrapped{
			EphemeralKey: k.EphemeralKey,
			IV:           k.IV,
			CT:           k.CT,
		}); err != nil {
			fmt.Fprintf(s.sh.Err, "Firm key %d of the backup does not open: %v\n", k.KeyVersion, err)
			continue
		}
		err := s.lay(s.me.User, k.KeyVersion, api.WrapKey{
			PublicKey:    s.vault.PublicKey,
			EphemeralKey: k.EphemeralKey,
			IV:           k.IV,
			CT:           k.CT,
		})
		if errors.Is(err, errs.ErrNotFound) {
			fmt.Fprintf(s.sh.Err, "The firm has no key %d any more.\n", k.KeyVersion)
			continue
		}
		if err != nil {
			return err
		}
		fmt.Fprintf(s.sh.Err, "Put firm key %d back.\n", k.KeyVersion)
	}

	return nil
}
