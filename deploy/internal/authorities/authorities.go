// Package authorities holds the certificate authorities that images trust. They come from a Go module whose sum is in
// go.sum, so that they do not depend on the machine that makes an image.
package authorities

import (
	"bytes"
	"encoding/pem"

	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// Path is that of the module which the authorities come from.
const Path = "golang.org/x/crypto/x509roots/fallback"

// PEM returns the authorities in the form that programs look for. Those that are trusted under a condition alone, such
// as for certificates up to a day, are left out: the form has no place for conditions.
func PEM() ([]byte, error) {
	var all bytes.Buffer

	for root := range bundle.Roots() {
		// A root with a date of distrust would be trusted for ever in this form.
		if root.Constraint != nil {
			continue
		}
		if err := pem.Encode(&all, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}); err != nil {
			return nil, err
		}
	}

	return all.Bytes(), nil
}
