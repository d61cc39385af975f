// Package cli is the command line of Subrosa: what a person and a person's agent do from a terminal.
package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
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
	Refresh  string    `json:"refresh,omitempty"` // gets the next access token, where the provider gives one
	Agent    *agent    `json:"agent,omitempty"`

	Heads map[string]seenHead `json:"heads,omitempty"` // by tenant and chain: the audit record as it was verified last
}

func (s *site) remember(heads map[string]seenHead) {
	if s.Heads == nil {
		s.Heads = map[string]seenHead{}
	}
	maps.Copy(s.Heads, heads)
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

	was *book // as the file was when this one was read
}

func openBook(dir string) (*book, error) {
	b := &book{path: filepath.Join(dir, "sites.json"), Sites: map[string]*site{}}
	b.was = &book{Sites: map[string]*site{}}
	text, err := os.ReadFile(b.path)
	// A first command finds no file, which is no mistake.
	if errors.Is(err, fs.ErrNotExist) {
		return b, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", b.path, err)
	}

	// It is decoded twice, so that changes to the one do not show in the other.
	for _, read := range []*book{b, b.was} {
		if err := json.Unmarshal(text, read); err != nil {
			return nil, fmt.Errorf("%s is damaged; move it away and sign in again", b.path)
		}
		if read.Sites == nil {
			read.Sites = map[string]*site{}
		}
	}

	return b, nil
}

// keep changes what is known of a site: here, and in the file as it is now, in which other commands may have changed
// something since this one began. change may run twice and sets what this command has learnt, nothing else.
func (b *book) keep(ctx context.Context, s *site, change func(*site)) error {
	change(s)

	return locked(ctx, b.path+".lock", func() error {
		now, err := openBook(filepath.Dir(b.path))
		if err != nil {
			return err
		}
		kept, was := now.at(s.BaseURL), b.was.at(s.BaseURL)
		kept.CAFile = merged(was.CAFile, s.CAFile, kept.CAFile)
		kept.Issuer = merged(was.Issuer, s.Issuer, kept.Issuer)
		kept.ClientID = merged(was.ClientID, s.ClientID, kept.ClientID)
		now.Current = merged(b.was.Current, b.Current, now.Current)
		// change comes after the merge: what this command has learnt wins.
		change(kept)

		return now.save()
	})
}

// merged returns a setting that was read as was: what this command has made of it, else what it is now.
func merged(was, ours, now string) string {
	if ours == was {
		return now
	}

	return ours
}

func (b *book) save() error {
	text, err := json.MarshalIndent(b, "", "  ")
	if err != nil {
		return fmt.Errorf("encode settings: %w", err)
	}
	if err := replaceFile(b.path, append(text, '\n')); err != nil {
		return fmt.Errorf("write settings: %w", err)
	}

	return nil
}

// choose returns the site to talk to: the one named, else the local one that was started in this folder or above it,
// else the one used last.
func (b *book) choose(named, folder string) (*site, error) {
	if named == "" {
		if here, ok := localinfo.Find(folder); ok {
			s := b.at(here.BaseURL)
			// A local installation may have been made anew since, with another authority.
			s.CAFile, s.Issuer, s.ClientID = here.CAFile, here.Issuer, here.ClientID
			b.Current = s.BaseURL

			return s, nil
		}
		named = b.Current
	}
	if named == "" {
		return nil, &misuse{"which Subrosa? Start one with make run, or name yours with --site https://…"}
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
