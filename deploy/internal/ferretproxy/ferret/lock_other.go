//go:build !unix

package ferret

import (
	"fmt"
	"os"
	"path/filepath"
)

// lock cannot keep another process out here; it only makes sure that dir can be written to.
func lock(dir string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock the document folder: %w", err)
	}
	return f, nil
}
