package authn

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
)

// Issuers lists the services that sign internal tokens.
func Issuers() []string {
	var all []string

	for c := range mayClaim {
		if !c.phase {
			all = append(all, c.issuer)
		}
	}
	slices.Sort(all)

	return all
}

// NewInternalKeys makes a signing seed for each service and the trust file that goes with them.
func NewInternalKeys() (seeds map[string]string, trust []byte, err error) {
	seeds = map[string]string{}
	public := map[string]string{}

	for _, issuer := range Issuers() {
		pub, private, err := ed25519.GenerateKey(rand.Reader)
		if err != nil {
			return nil, nil, fmt.Errorf("make internal key: %w", err)
		}
		seeds[issuer] = base64.RawURLEncoding.EncodeToString(private.Seed())
		public[issuer] = base64.RawURLEncoding.EncodeToString(pub)
	}
	trust, err = json.MarshalIndent(public, "", "  ")

	return seeds, trust, err
}
