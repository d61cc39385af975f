package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/subrosa-legal/subrosa/deploy/internal/vault"
)

// pins are what this machine has seen of a firm's keys: members' public keys that a person compared, and fingerprints
// of firm keys. A service that later says something else is not believed.
type pins struct {
	Members map[string]string `json:"members"`  // public key by user
	Firm    map[int]string    `json:"firmKeys"` // fingerprint by version

	path, firm string
	all        map[string]*pins
}

const pinsFile = "vault-pins.json"

// openPins reads what was seen of a firm at a site; nothing when it is the first time.
func openPins(folder, site, tenant string) (*pins, error) {
	p := &pins{path: filepath.Join(folder, pinsFile), firm: site + " " + tenant}
	return p, p.read()
}

// read takes what the file holds of the firm.
func (p *pins) read() error {
	p.all = map[string]*pins{}
	text, err := os.ReadFile(p.path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if err == nil && json.Unmarshal(text, &p.all) != nil {
		return fmt.Errorf("%s cannot be read; without it nobody notices that keys have changed. "+
			"Repair it, or remove it to start over", p.path)
	}
	if seen := p.all[p.firm]; seen != nil {
		p.Members, p.Firm = seen.Members, seen.Firm
	}
	if p.Members == nil {
		p.Members = map[string]string{}
	}
	if p.Firm == nil {
		p.Firm = map[int]string{}
	}
	p.all[p.firm] = p

	return nil
}

// keep changes what was seen: here, and in the file as it is now, to which another command may have added something
// since this one began.
func (p *pins) keep(ctx context.Context, change func(*pins)) error {
	change(p)

	err := locked(ctx, p.path+".lock", func() error {
		now := &pins{path: p.path, firm: p.firm}
		if err := now.read(); err != nil {
			return err
		}
		change(now)

		return now.save()
	})
	if err != nil {
		return fmt.Errorf("keep what was compared: %w", err)
	}

	return nil
}

func (p *pins) save() error {
	text, err := json.MarshalIndent(p.all, "", "  ")
	if err != nil {
		return err
	}

	return replaceFile(p.path, append(text, '\n'))
}

// held are the fingerprints of those versions that are held now.
func (p *pins) held(keys map[int]vault.FirmKey) map[int]string {
	prints := map[int]string{}
	for version := range keys {
		prints[version] = p.Firm[version]
	}

	return prints
}
