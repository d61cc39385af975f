package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/subrosa-legal/subrosa/deploy/internal/vault"
)

// pins are what this machine has seen of a firm's keys: members' public keys that a person compared, and fingerprints of firm keys. A
// service that later says something else is not believed.
type pins struct {
	Members map[string]string `json:"members"`  // public key by user
	Firm    map[int]string    `json:"firmKeys"` // fingerprint by version

	path, firm string
	all        map[string]*pins
}

const pinsFile = "vault-pins.json"

// openPins reads what was seen of a firm at a site; nothing when it is the first time.
func openPins(folder, site, tenant string) (*pins, error) {
	p := &pins{path: filepath.Join(folder, pinsFile), firm: site + " " + tenant, all: map[string]*pins{}}
	text, err := os.ReadFile(p.path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	if err == nil && json.Unmarshal(text, &p.all) != nil {
		return nil, fmt.Errorf("%s cannot be read; without it nothing tells whether keys have changed. Mend it, or remove it to begin anew", p.path)
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

	return p, nil
}

// save writes the file anew, or leaves it as it was.
func (p *pins) save() error {
	text, err := json.MarshalIndent(p.all, "", "  ")
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(p.path), pinsFile+".*")
	if err != nil {
		return err
	}
	_, err = f.Write(append(text, '\n'))
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), p.path)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("keep what was compared: %w", err), os.Remove(f.Name()))
	}

	return nil
}

// held are the fingerprints of those versions that are held now.
func (p *pins) held(keys map[int]vault.FirmKey) map[int]string {
	prints := map[int]string{}
	for version := range keys {
		prints[version] = p.Firm[version]
	}

	return prints
}
