package browser_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/evanw/esbuild/pkg/api"
	"github.com/google/go-cmp/cmp"
	"github.com/subrosa-legal/subrosa/deploy/internal/vault"
)

// vectors are one vault with all that hangs on it, as deploy/internal/vault makes them.
type vectors struct {
	Passphrase, Public, Blob, Fingerprint string
	Tenant                                string
	Version                               int
	Wrapped                               vault.Wrapped
	CaseID, IdentityRef                   string
	Identity                              vault.Identity
	SealedIdentity                        vault.Sealed
	Labels                                vault.Labels
	SealedLabels                          vault.Sealed
	Tokens                                map[string][]string // by "kind name"
}

// opened is what the app found in vectors.
type opened struct {
	Identity        vault.Identity
	Labels          vault.Labels
	Tokens          map[string][]string
	Fingerprint     string
	FirmFingerprint string
	UnlockMs        float64
	Extractable     []bool
	Reasons         map[string]string
}

// formatPage is a page of a browser that holds the app's own code of the vault's format.
func formatPage(t *testing.T) context.Context {
	t.Helper()
	script := bundled(t, "vault.ts", api.FormatIIFE, nil)

	return open(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/vault.js" {
			w.Header().Set("Content-Type", "text/javascript")
			_, _ = w.Write(script)

			return
		}
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Content-Security-Policy", "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'")
		_, _ = fmt.Fprint(w, `<!doctype html><title>vault</title><script src="/vault.js"></script>`)
	})
}

func must[T any](v T, err error) func(t *testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}

		return v
	}
}

// inPage calls a function of the page with an argument and waits for what it promises.
func inPage[T any](page context.Context, t *testing.T, function string, argument any) T {
	t.Helper()
	given := must(json.Marshal(argument))(t)
	out, err := chromedp.Run(page, chromedp.Evaluate[T](function+"("+string(given)+")", chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatalf("%s: %v", function, err)
	}

	return out
}

func readVectors(t *testing.T) vectors {
	t.Helper()
	var v vectors
	if err := json.Unmarshal(must(os.ReadFile("../internal/vault/testdata/vectors.json"))(t), &v); err != nil {
		t.Fatal(err)
	}

	return v
}

// firmKey opens the vault and the firm key in it.
func (v vectors) firmKey(t *testing.T) vault.FirmKey {
	t.Helper()
	pair := must(vault.Unlock(v.Public, v.Blob, v.Passphrase))(t)

	return must(pair.Unwrap(v.Tenant, v.Version, v.Wrapped))(t)
}

func TestTheAppOpensTheVectors(t *testing.T) {
	page, v := formatPage(t), readVectors(t)
	got := inPage[opened](page, t, "openAll", v)
	want := opened{
		Identity: v.Identity, Labels: v.Labels, Tokens: v.Tokens, Fingerprint: v.Fingerprint, FirmFingerprint: must(v.firmKey(t).Fingerprint())(t),
		UnlockMs: got.UnlockMs, Extractable: []bool{false, false, false},
		Reasons: map[string]string{
			"another passphrase": "passphrase", "no blob": "damaged", "too costly a blob": "damaged", "another firm": "damaged", "another version": "damaged", "another place": "damaged",
			"short": "short",
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the app found (-want +got):\n%s", diff)
	}
	t.Logf("the vault opened in %.0f ms", got.UnlockMs)
}

func TestGoOpensWhatTheAppSeals(t *testing.T) {
	page, v := formatPage(t), readVectors(t)
	made := inPage[vectors](page, t, "makeAll", v)
	f := made.firmKey(t)
	var who vault.Identity
	if err := f.Open(made.SealedIdentity, v.CaseID+":"+v.IdentityRef, &who); err != nil {
		t.Fatal(err)
	}
	var labels vault.Labels
	if err := f.Open(made.SealedLabels, v.CaseID+":labels", &labels); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(v.Identity, who) + cmp.Diff(v.Labels, labels); diff != "" {
		t.Errorf("the app sealed (-want +got):\n%s", diff)
	}

	for name, want := range made.Tokens {
		kind, plain, _ := strings.Cut(name, " ")
		if diff := cmp.Diff(must(f.ConflictTokens(kind, plain))(t), want); diff != "" {
			t.Errorf("tokens of %s (-go +app):\n%s", name, diff)
		}
	}
	if want := must(vault.Fingerprint(made.Public))(t); made.Fingerprint != want {
		t.Errorf("fingerprint %s, want %s", made.Fingerprint, want)
	}
}

func TestOriginalsOpenOnBothSides(t *testing.T) {
	page, v := formatPage(t), readVectors(t)
	want := vault.Original{Name: "Lease Ostrowe.pdf", MediaType: "application/pdf", Content: []byte("%PDF of Halvard Ostrowe")}
	sealed, key, err := vault.SealOriginal(v.CaseID, want)
	if err != nil {
		t.Fatal(err)
	}
	type kept struct {
		Sealed, Key string
		Opened      []struct{ Name, MediaType, Content string } // what the app sealed, then what Go did
		Reasons     map[string]string
	}

	got := inPage[kept](page, t, "original", map[string]string{"CaseID": v.CaseID, "Sealed": base64.RawURLEncoding.EncodeToString(sealed), "Key": key})
	for i, o := range got.Opened {
		content := must(base64.RawURLEncoding.DecodeString(o.Content))(t)
		if diff := cmp.Diff(want, vault.Original{Name: o.Name, MediaType: o.MediaType, Content: content}); diff != "" {
			t.Errorf("original %d (-want +got):\n%s", i, diff)
		}
	}
	theirs := must(base64.RawURLEncoding.DecodeString(got.Sealed))(t)
	if diff := cmp.Diff(want, must(vault.OpenOriginal(v.CaseID, theirs, got.Key))(t)); diff != "" || len(got.Opened) != 2 {
		t.Errorf("%d opened in the app; in Go (-want +got):\n%s", len(got.Opened), diff)
	}
	if _, err := vault.OpenOriginal(v.CaseID+"0", theirs, got.Key); !errors.Is(err, vault.ErrDamaged) {
		t.Errorf("an original of another case: %v", err)
	}
	if diff := cmp.Diff(map[string]string{"another case": "damaged", "one bit": "damaged", "cut off": "damaged"}, got.Reasons); diff != "" {
		t.Errorf("refused (-want +got):\n%s", diff)
	}
}
