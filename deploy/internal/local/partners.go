package local

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"

	"github.com/subrosa-legal/subrosa/deploy/samples"
	partysvc "github.com/subrosa-legal/subrosa/party-svc"
)

// partnersFile remembers, beside the documents, which sample directory was loaded into them.
const partnersFile = "partners.sha256"

// loadPartners fills the directory of professionals with the sample at the first start on its documents, and again when
// the sample has changed. Somebody else's MongoDB is left alone: its directory is its operator's.
func (l *Local) loadPartners(ctx context.Context) error {
	if l.running.stores == nil {
		return nil
	}
	seed := samples.Partners()
	sum := sha256.Sum256(seed)
	mark, file := hex.EncodeToString(sum[:]), filepath.Join(l.opts.Dir, "data", partnersFile)
	// The mark lies beside the documents, so that it goes when they are deleted.
	if loaded, err := os.ReadFile(file); err == nil && string(loaded) == mark {
		return nil
	}
	if _, err := partysvc.LoadPartners(ctx, l.EnvironOf("party-svc"), l.opts.Now, bytes.NewReader(seed)); err != nil {
		return fmt.Errorf("load the sample directory: %w", err)
	}
	if err := os.WriteFile(file, []byte(mark), 0o600); err != nil {
		return fmt.Errorf("load the sample directory: %w", err)
	}

	return nil
}
