package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"path/filepath"

	"github.com/subrosa-legal/subrosa/deploy/internal/vault"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/extract"
	"github.com/subrosa-legal/subrosa/pkg/httpcall"
)

// keyTries bounds how often the key of an original is added again to the labels of a case because others changed them
// meanwhile.
const keyTries = 5

// keepOriginal stores a file of a case as ciphertext, with its key in the sealed labels of the case, and returns the
// id of the file that holds it. When the key cannot be kept, the ciphertext is deleted again: nobody could ever open
// it.
func (s *session) keepOriginal(caseID, name, sentAs string, content []byte) (string, error) {
	sealed, key, err := vault.SealOriginal(
		caseID,
		vault.Original{Name: filepath.Base(name), MediaType: MediaType(name), Content: content},
	)
	if err != nil {
		return "", err
	}

	ctx, cancel := context.WithTimeout(s.sh.ctx, longTime)
	defer cancel()
	disposition := mime.FormatMediaType("attachment", map[string]string{"filename": sentAs + ".sealed"})
	added, err := callUnder[api.FileItems](ctx, s.c, httpcall.Request{
		Method: http.MethodPost, Path: httpcall.Path("v1", "cases", caseID, "files"), Body: bytes.NewReader(sealed),
		Header: http.Header{"Content-Type": {extract.Sealed}, "Content-Disposition": {disposition}},
	})
	if err != nil {
		return "", fmt.Errorf("keep the original: %w", err)
	}
	id := added.v.Items[0].FileID
	// The ciphertext goes first, because the key is kept by the id of its file.
	if err := s.addKey(caseID, id, key); err != nil {
		return "", errors.Join(fmt.Errorf("keep the key of the original: %w", err), s.dropOriginal(caseID, id))
	}

	return id, nil
}

// dropOriginal deletes a sealed file that belongs to nothing.
func (s *session) dropOriginal(caseID, id string) error {
	// Cleaning up goes on after Ctrl-C.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(s.sh.ctx), callTime)
	defer cancel()
	request := httpcall.Request{Method: http.MethodDelete, Path: httpcall.Path("v1", "cases", caseID, "files", id)}
	if err := s.c.Do(ctx, request); err != nil {
		return fmt.Errorf("the sealed file %s is left, delete it: %w", id, err)
	}

	return nil
}

// addKey puts the key of a sealed original into the labels of a case, beside what others put there meanwhile.
func (s *session) addKey(caseID, fileID, key string) error {
	f, err := s.current()
	if err != nil {
		return err
	}

	for range keyTries {
		l, sealed, err := s.labels(caseID)
		if err != nil {
			return err
		}
		l.V = 1
		if l.Labels == nil {
			l.Labels = map[string]string{}
		}
		if l.Originals == nil {
			l.Originals = map[string]string{}
		}
		l.Originals[fileID] = key
		next, err := f.Seal(l, caseID+":labels")
		if err != nil {
			return err
		}
		// Every write names the version that it read, so that a key that somebody else added is never lost.
		header := match(sealed.Version)
		if sealed.Version == 0 {
			// Version 0 means that there are no labels yet; then nobody else may have made some.
			header = http.Header{"If-None-Match": {"*"}}
		}
		_, err = call[api.SealedLabels](s.sh, s.c, httpcall.Request{
			Method: http.MethodPut, Path: httpcall.Path("v1", "cases", caseID, "sealed-labels"), Header: header,
			In: api.PutSealedLabels{KeyVersion: f.Version, IV: next.IV, CT: next.CT},
		})
		if known := (*errs.Error)(nil); !errors.As(err, &known) || known.Code != "version_mismatch" {
			return err
		}
	}

	return errors.New("others keep changing the labels of the case; try again")
}

// original fetches and opens the sealed original of a file.
func (s *session) original(caseID, sealedID string) (vault.Original, error) {
	l, _, err := s.labels(caseID)
	if err != nil {
		return vault.Original{}, err
	}
	key := l.Originals[sealedID]
	if key == "" {
		return vault.Original{}, errors.New(
			"the key of this original is not among the labels of the case, so nobody can open it",
		)
	}

	ctx, cancel := context.WithTimeout(s.sh.ctx, longTime)
	defer cancel()
	resp, err := s.c.Open(ctx, get("v1", "cases", caseID, "files", sealedID, "content"))
	if err != nil {
		return vault.Original{}, err
	}

	defer func() { _ = resp.Body.Close() }()
	// It has to be whole in memory: nothing of it is believed before its tag has been checked.
	sealed, err := io.ReadAll(io.LimitReader(resp.Body, mostSealed))
	if err != nil {
		return vault.Original{}, fmt.Errorf("read the sealed original: %w", err)
	}

	return vault.OpenOriginal(caseID, sealed, key)
}

// mostSealed is more than the largest file that a case takes.
const mostSealed = 256 << 20

// getOriginal saves what a file was before only its rendition was kept. It is opened on this machine.
func (cmd *fileGetCmd) getOriginal(sh *shell) error {
	s, err := sh.openVault()
	if err != nil {
		return err
	}
	f, err := call[api.File](sh, s.c, get("v1", "cases", cmd.Case, "files", cmd.File))
	if err != nil {
		return err
	}
	id := f.v.SealedFileID
	if f.v.MediaType == extract.Sealed {
		id = f.v.FileID
	}
	if id == "" {
		return errors.New(
			"no original was kept with this file: it has to be asked for when the file is added, with --keep-original",
		)
	}
	o, err := s.original(cmd.Case, id)
	if err != nil {
		return err
	}
	if cmd.Out == "-" {
		_, err := sh.Out.Write(o.Content)
		return err
	}
	out := cmd.Out
	if out == "" {
		if out, err = free(o.Name, cmd.File); err != nil {
			return err
		}
	}
	// Only its owner may read it: it names clients.
	if err := os.WriteFile(out, o.Content, 0o600); err != nil {
		return fmt.Errorf("write %s: %w", out, err)
	}
	fmt.Fprintf(
		sh.Err,
		"Wrote %s, %d bytes. It is the original: what was taken out for the case is in it.\n",
		out,
		len(o.Content),
	)

	return nil
}
