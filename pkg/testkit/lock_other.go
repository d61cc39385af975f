//go:build !unix

package testkit

import "errors"

// lockFile is not to be had here; the program can still be named by TEST_STORES_BIN.
func lockFile(string) (unlock func(), err error) {
	return nil, errors.New("building subrosa-stores for tests needs a Unix system: name the program by TEST_STORES_BIN")
}
