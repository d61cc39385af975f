package vault_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/subrosa-legal/subrosa/deploy/internal/vault"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
	"golang.org/x/crypto/argon2"
	"golang.org/x/text/unicode/norm"
)

// A browser has WebCrypto: what was made here opens there. Node has the same interface.
func TestWebCryptoOpensTheVectors(t *testing.T) {
	node, err := testkit.LookPath("node")
	if err != nil {
		t.Skip("node is not on PATH: nothing here has WebCrypto")
	}
	var v vectors
	if err := json.Unmarshal(must(os.ReadFile(file))(t), &v); err != nil {
		t.Fatal(err)
	}
	var b struct {
		Salt              string
		MemoryKiB, Passes uint32
	}
	if err := json.Unmarshal(must(base64.RawURLEncoding.DecodeString(v.Blob))(t), &b); err != nil {
		t.Fatal(err)
	}
	key := argon2.IDKey([]byte(norm.NFKC.String(v.Passphrase)), must(base64.RawURLEncoding.DecodeString(b.Salt))(t), b.Passes, b.MemoryKiB, 1, 32)
	in := must(json.Marshal(map[string]any{"vectors": v, "passphraseKey": base64.RawURLEncoding.EncodeToString(key)}))(t)
	run := exec.CommandContext(t.Context(), node, "testdata/webcrypto.mjs")
	run.Stdin = bytes.NewReader(in)
	out, err := run.Output()
	if failed := (*exec.ExitError)(nil); errors.As(err, &failed) {
		t.Fatalf("%v: %s", err, failed.Stderr)
	} else if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Identity vault.Identity
		Labels   vault.Labels
		Tokens   map[string][]string
		Print    string
	}
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(v.Identity, got.Identity) + cmp.Diff(v.Labels, got.Labels) + cmp.Diff(v.Tokens, got.Tokens); diff != "" || got.Print != v.Fingerprint {
		t.Errorf("WebCrypto found (-here +there), fingerprint %s:\n%s", got.Print, diff)
	}
}
