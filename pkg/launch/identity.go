package launch

import (
	"errors"
	"fmt"
	"os"

	"github.com/subrosa-legal/subrosa/pkg/authn"
	"github.com/subrosa-legal/subrosa/pkg/certs"
	"github.com/subrosa-legal/subrosa/pkg/config"
	"github.com/subrosa-legal/subrosa/pkg/httpauth"
)

// Identity is what a service is known by to the others, and knows them by.
type Identity struct {
	Signer   *authn.Signer  // of its internal tokens; nil for a service that calls no other
	Verifier *httpauth.Gate // of theirs, to be put before every route; nil for one that no other calls
	Peers    *certs.Peers   // for TLS between them
}

// Identify reads the identity of the service name from its settings: the seed in INTERNAL_KEY, the file at
// INTERNAL_TRUST, and the files of PeerTLS. An empty key or trust leaves out what is made of it. The error lists every
// mistake, a line each.
func Identify(name string, key config.Secret, trust string, files config.PeerTLS, env Env) (Identity, error) {
	var (
		id                        Identity
		noKey, noTrust, strangers error
	)
	if key.IsSet() {
		if id.Signer, noKey = authn.NewSigner(name, key.Reveal(), env.Now); noKey != nil {
			noKey = fmt.Errorf("INTERNAL_KEY: %w", noKey)
		}
	}
	if trust != "" {
		id.Verifier, noTrust = trusted(trust, env)
	}
	// Found at the start, and not by the first call that the others refuse.
	if id.Signer != nil && id.Verifier != nil && !id.Signer.TrustedBy(id.Verifier.Trust) {
		strangers = fmt.Errorf(
			"INTERNAL_KEY does not belong to a key that the file of INTERNAL_TRUST has for %s: "+
				"the other services would refuse its calls",
			name,
		)
	}
	peers, noPeers := certs.NewPeers(files, env.Now, env.Telemetry)
	id.Peers = peers

	return id, errors.Join(noKey, noTrust, strangers, noPeers)
}

// trusted reads the trust file at path.
func trusted(path string, env Env) (*httpauth.Gate, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, errors.New("INTERNAL_TRUST names a file that cannot be read")
	}
	trust, err := authn.ParseTrust(text)
	if err != nil {
		return nil, fmt.Errorf("INTERNAL_TRUST: %w", err)
	}

	return &httpauth.Gate{Verifier: &authn.Verifier{Trust: trust, Now: env.Now}}, nil
}
