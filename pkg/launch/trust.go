package launch

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/authn"
)

// Trusted reads the trust file at path and returns the verifier of internal tokens that every service puts before its routes.
func Trusted(path string, now func() time.Time) (*authn.Verifier, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, errors.New("INTERNAL_TRUST names a file that cannot be read")
	}
	trust, err := authn.ParseTrust(text)
	if err != nil {
		return nil, fmt.Errorf("INTERNAL_TRUST: %w", err)
	}
	return &authn.Verifier{Trust: trust, Now: now}, nil
}
