package launch

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/authn"
	"github.com/subrosa-legal/subrosa/pkg/config"
)

// fake is a service that ends with an error of the test's choice.
type fake struct{ err error }

func (f fake) Run(context.Context) error   { return f.err }
func (f fake) Addr() string                { return "127.0.0.1:1" }
func (f fake) Ready(context.Context) error { return nil }

func entry(newErr, runErr error) Entry {
	return Entry{
		Name: "case-svc", Summary: "cases", Settings: []config.Setting{{Name: "MONGODB_URI", Required: true, Help: "address of MongoDB"}, {Name: "CASE_ADDR", Default: ":8084", Help: "listen address"}},
		New: func(context.Context, Env) (Service, error) { return fake{runErr}, newErr },
	}
}

func TestExitCodes(t *testing.T) {
	bad := errors.New("settings are not usable:\n  MONGODB_URI is required")
	for _, tc := range []struct {
		name  string
		args  []string
		entry Entry
		code  int
		says  string
	}{
		{"a clean stop", nil, entry(nil, nil), 0, "stopped cleanly"},
		{"a failure", nil, entry(nil, errors.New("broken")), 1, "broken"},
		{"settings that cannot be used", nil, entry(bad, nil), 2, "MONGODB_URI is required"},
		{"settings that are only checked", []string{"--check"}, entry(nil, nil), 0, "settings are usable"},
		{"help", []string{"--help"}, entry(nil, nil), 0, "MONGODB_URI  required  address of MongoDB"},
		{"version", []string{"--version"}, entry(nil, nil), 0, "case-svc "},
		{"an unknown flag", []string{"--verbose"}, entry(nil, nil), 2, "not defined"},
		{"an argument", []string{"serve"}, entry(nil, nil), 2, "takes no arguments"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var out, problems bytes.Buffer
			code := run(tc.entry, tc.args, &out, &problems)
			if both := out.String() + problems.String(); code != tc.code || !strings.Contains(both, tc.says) {
				t.Errorf("code %d, says %q, want %d and %q", code, both, tc.code, tc.says)
			}
		})
	}
}

func TestTrusted(t *testing.T) {
	dir := t.TempDir()
	seeds, trust, err := authn.NewInternalKeys()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "trust.json")
	if err := os.WriteFile(file, trust, 0o600); err != nil {
		t.Fatal(err)
	}
	v, err := Trusted(file, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := authn.NewSigner("gateway", seeds["gateway"], time.Now)
	if err != nil {
		t.Fatal(err)
	}
	token, err := signer.Token(authn.Caller{Kind: authn.Public})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := v.Verify(token); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(file, []byte(`{"mallory":"AA"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, path := range map[string]string{"a file that is not there": file + "x", "a file that names a stranger": file} {
		if _, err := Trusted(path, time.Now); err == nil || !strings.HasPrefix(err.Error(), "INTERNAL_TRUST") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
