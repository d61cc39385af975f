// Package cli is the command line of Subrosa: what a person and a person's agent do from a terminal.
package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/subrosa-legal/subrosa/deploy/internal/localinfo"
)

// site is one installation of Subrosa as this user knows it. It is kept in a file that only the user can read.
type site struct {
	BaseURL  string    `json:"baseUrl"`
	CAFile   string    `json:"caFile,omitempty"`
	Issuer   string    `json:"issuer,omitempty"`
	ClientID string    `json:"clientId,omitempty"`
	Token    string    `json:"token,omitempty"` // the user's access token
	Expires  time.Time `json:"expires,omitzero"`
	Agent    *agent    `json:"agent,omitempty"`

	Heads map[string]seenHead `json:"heads,omitempty"` // by tenant and chain: the audit record as it was verified last
}

func (s *site) remember(chain string, head seenHead) {
	if s.Heads == nil {
		s.Heads = map[string]seenHead{}
	}
	s.Heads[chain] = head
}

// agent is the agent that was connected from here, with its key.
type agent struct {
	ID      string    `json:"id"`
	Key     string    `json:"key"`
	CardURL string    `json:"cardUrl"`
	Addr    string    `json:"addr,omitempty"` // where the sample agent serves its card
	Bearer  string    `json:"bearer,omitempty"`
	Until   time.Time `json:"until,omitzero"`
}

// book holds every site.
type book struct {
	path    string
	Current string           `json:"current"`
	Sites   map[string]*site `json:"sites"`
}

func openBook(dir string) (*book, error) {
	b := &book{path: filepath.Join(dir, "sites.json"), Sites: map[string]*site{}}
	text, err := os.ReadFile(b.path)
	if errors.Is(err, fs.ErrNotExist) {
		return b, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", b.path, err)
	}
	if err := json.Unmarshal(text, b); err != nil {
		return nil, fmt.Errorf("%s is damaged; move it away and sign in again", b.path)
	}
	if b.Sites == nil {
		b.Sites = map[string]*site{}
	}

	return b, nil
}

// save writes the book whole or not at all, readable by nobody else.
func (b *book) save() error {
	if err := os.MkdirAll(filepath.Dir(b.path), 0o700); err != nil {
		return fmt.Errorf("make folder for settings: %w", err)
	}
	text, err := json.MarshalIndent(b, "", "  ")
	if err != nil {
		return fmt.Errorf("encode settings: %w", err)
	}
	tmp, err := os.CreateTemp(filepath.Dir(b.path), ".sites-*") // mode 0600
	if err != nil {
		return fmt.Errorf("write settings: %w", err)
	}
	_, err = tmp.Write(append(text, '\n'))
	if err = errors.Join(err, tmp.Close()); err == nil {
		err = os.Rename(tmp.Name(), b.path)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("write settings: %w", err), os.Remove(tmp.Name()))
	}

	return nil
}

// choose returns the site to talk to: the one named, else the local one that was started in this folder or above it, else the one
// used last.
func (b *book) choose(named, folder string) (*site, error) {
	if named == "" {
		if here, ok := localinfo.Find(folder); ok {
			s := b.at(here.BaseURL)
			s.CAFile, s.Issuer, s.ClientID = here.CAFile, here.Issuer, here.ClientID
			b.Current = s.BaseURL

			return s, nil
		}
		named = b.Current
	}
	if named == "" {
		return nil, errors.New("which Subrosa? Start one with make run, or name yours with --site https://…")
	}
	b.Current = named

	return b.at(named), nil
}

func (b *book) at(base string) *site {
	if b.Sites[base] == nil {
		b.Sites[base] = &site{BaseURL: base}
	}

	return b.Sites[base]
}
