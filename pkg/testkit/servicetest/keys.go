package servicetest

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/access"
)

// Gateway is the service in whose name tests call.
const Gateway = "gateway"

// Seed returns the signing key of a service in tests, which is made of its name, and its public half.
func Seed(service string) (seed, public string) {
	sum := sha256.Sum256([]byte(service))
	raw := bytes.Clone(sum[:ed25519.SeedSize])
	key, _ := ed25519.NewKeyFromSeed(raw).Public().(ed25519.PublicKey)

	return base64.RawURLEncoding.EncodeToString(raw), base64.RawURLEncoding.EncodeToString(key)
}

// Environ is what every service of a test runs with: its own key, and trust in the gateway, itself and the peers.
func Environ(t testing.TB, service, mongoURI string, peers ...string) map[string]string {
	t.Helper()

	trusted := map[string]string{}
	for _, name := range append(peers, Gateway, service) {
		_, trusted[name] = Seed(name)
	}
	text, err := json.Marshal(trusted)
	if err != nil {
		t.Fatal(err)
	}
	trust := filepath.Join(t.TempDir(), "trust.json")
	if err := os.WriteFile(trust, text, 0o600); err != nil {
		t.Fatal(err)
	}
	seed, _ := Seed(service)

	return map[string]string{
		"MONGODB_URI":     mongoURI,
		"MONGODB_TIMEOUT": "10s",
		"BASE_URL":        "https://subrosa.test",
		"INTERNAL_KEY":    seed,
		"INTERNAL_TRUST":  trust,
		"DRAIN_DELAY":     "0s",
	}
}

// User is a person of a tenant, an owner unless roles are given.
func User(tenant, id string, roles ...string) access.Caller {
	if len(roles) == 0 {
		roles = []string{access.RoleOwner, access.RoleMember}
	}

	return access.Caller{Kind: access.User, Tenant: tenant, UserID: id, Roles: roles}
}

// Agent is a person's agent, with every scope unless some are given.
func Agent(tenant, userID string, scopes ...string) access.Caller {
	if len(scopes) == 0 {
		scopes = access.AgentScopes()
	}

	return access.Caller{
		Kind:    access.Agent,
		Tenant:  tenant,
		UserID:  userID,
		AgentID: "agt_0190a3b1-0000-7000-8000-00000000000a",
		Scopes:  scopes,
		Roles:   []string{access.RoleMember},
	}
}
