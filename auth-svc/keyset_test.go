package authsvc_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/golang-jwt/jwt/v5"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
)

// keyHost is an application whose document names an address for its keys.
type keyHost struct {
	*enterprise

	fetched atomic.Int64 // times that the keys were fetched
}

// startKeyHost serves the document at every path but /keys.json, where keys answers.
func startKeyHost(t *testing.T, keys http.HandlerFunc) *keyHost {
	t.Helper()
	k := &keyHost{enterprise: startEnterprise(t)}
	k.serves("", keys)

	return k
}

// serves has the document name another address for its keys than the usual one, unless that is "".
func (k *keyHost) serves(at string, keys http.HandlerFunc) {
	h := k.host
	if at == "" {
		at = h.URL + "/keys.json"
	}
	h.set(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/keys.json" {
			k.fetched.Add(1)
			keys(w, r)

			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{
			"client_id": h.URL + r.URL.Path, "redirect_uris": []string{"https://desk.example/back"},
			"token_endpoint_auth_method": "private_key_jwt", "jwks_uri": at,
		})
	})
}

// keysAs serves a text of a type.
func keysAs(media, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", media)
		_, _ = fmt.Fprint(w, text)
	}
}

// set is the text of a key set.
func set(t *testing.T, keys ...any) string {
	t.Helper()
	text, err := json.Marshal(map[string]any{"keys": keys})
	if err != nil {
		t.Fatal(err)
	}

	return string(text)
}

// named is a public key of the test's client under a name.
func (k *keyHost) named(kid string) jose.JSONWebKey {
	return jose.JSONWebKey{Key: &k.key.PublicKey, KeyID: kid, Algorithm: "ES256", Use: "sig"}
}

// comes exchanges an assertion for the client at a path, whose proof names a key.
func (k *keyHost) comes(path, kid string) reply {
	id := k.host.URL + path
	said := k.says(k.idp, jagType, func(c jwt.MapClaims) { c["client_id"] = id })
	proof := k.proves(id, func(token *jwt.Token, _ jwt.MapClaims) {
		if token.Header["kid"] = kid; kid == "" {
			delete(token.Header, "kid")
		}
	})

	return k.call(http.MethodPost, "/oauth/token", k.request(said, proof).Encode(), "Content-Type", formType)
}

// The keys at the address that a document names prove its client. They are fetched once within their life, and again
// where the client has a new key; a key that was taken back proves nothing when their life has passed.
func TestKeysAtAnAddress(t *testing.T) {
	t.Parallel()
	k := startKeyHost(t, nil)
	k.serves("", keysAs("application/jwk-set+json", set(t, k.named("c"))))

	for _, kid := range []string{"c", "", "c"} {
		if got := k.comes("/client.json", kid); got.status != http.StatusOK {
			t.Errorf("a proof by the key %q: %d %s", kid, got.status, got.body)
		}
	}
	if n := k.fetched.Load(); n != 1 {
		t.Errorf("the keys were fetched %d times", n)
	}

	k.serves("", keysAs("application/json", set(t, k.named("next"))))
	if got := k.comes("/client.json", "next"); got.status != http.StatusOK {
		t.Errorf("a proof by the new key: %d %s", got.status, got.body)
	}
	other, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	k.serves("", keysAs("application/json", set(t, jose.JSONWebKey{Key: &other.PublicKey, KeyID: "next"})))
	k.skip.Add(int64(6 * time.Minute))
	if got := k.comes("/client.json", "next"); got.status != http.StatusUnauthorized {
		t.Errorf("a key that was taken back: %d %s", got.status, got.body)
	}

	k.skip.Add(int64(6 * time.Minute))
	k.serves("", missing)
	if got := k.comes("/client.json", "next"); got.status != http.StatusUnauthorized {
		t.Errorf("keys that are no longer there: %d %s", got.status, got.body)
	}
}

// Nothing that the host of the keys answers, and no address that a document names, lets a client in or costs more than
// a few bytes and seconds.
func TestHostileKeySets(t *testing.T) {
	t.Parallel()
	k := startKeyHost(t, nil)
	good := set(t, k.named("c"))
	twice := strings.Replace(good, `{"keys"`, `{"keys":[],"keys"`, 1)

	many := make([]any, 21)
	for i := range many {
		many[i] = k.named(fmt.Sprintf("c%d", i))
	}
	private := jose.JSONWebKey{Key: k.key, KeyID: "c", Algorithm: "ES256"}
	shared := map[string]string{"kty": "oct", "kid": "c", "k": "c2VjcmV0"}

	for name, keys := range map[string]http.HandlerFunc{
		"no JSON":          keysAs("application/json", "{"),
		"HTML":             keysAs("text/html", good),
		"no keys":          keysAs("application/json", `{"keys":[]}`),
		"a list":           keysAs("application/json", "["+good+"]"),
		"two sets":         keysAs("application/json", twice),
		"a private key":    keysAs("application/json", set(t, private)),
		"a shared secret":  keysAs("application/json", set(t, shared)),
		"another's key":    keysAs("application/json", set(t, jose.JSONWebKey{Key: otherKey(t), KeyID: "c"})),
		"for encryption":   keysAs("application/json", set(t, jose.JSONWebKey{Key: &k.key.PublicKey, KeyID: "c", Use: "enc"})),
		"too many":         keysAs("application/json", set(t, many...)),
		"huge":             keysAs("application/json", good+strings.Repeat(" ", 17<<10)),
		"not there":        missing,
		"a fault":          func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) },
		"a document of it": keysAs("application/json", `{"client_id":"x","redirect_uris":[]}`),
		"encoded": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			keysAs("application/json", good)(w, r)
		},
		"elsewhere": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, k.host.URL+"/other.json", http.StatusFound)
		},
		"slow": func(_ http.ResponseWriter, r *http.Request) {
			select {
			case <-r.Context().Done():
			case <-time.After(20 * time.Second):
			}
		},
	} {
		k.serves("", keys)
		k.skip.Add(int64(2 * time.Minute)) // a failure is remembered for a minute
		path := "/" + strings.ReplaceAll(name, " ", "-") + ".json"
		if got := k.comes(path, "c"); got.status != http.StatusUnauthorized || !strings.Contains(got.body, "invalid_client") {
			t.Errorf("%s: %d %s", name, got.status, got.body)
		}
	}

	before := k.fetched.Load()
	for n, at := range []string{
		"https://127.0.0.1:1/keys.json", "https://10.0.0.1/keys.json", "https://169.254.169.254/keys.json",
		"https://[::1]/keys.json", "https://localhost/keys.json", "http://keys.example/keys.json",
		"https://user@keys.example/keys.json", k.host.URL + "/a/../keys.json", k.host.URL + "/keys.json#x",
		"file:///etc/passwd", strings.Repeat("x", 300), k.host.URL,
	} {
		k.serves(at, keysAs("application/json", good))
		if got := k.comes(fmt.Sprintf("/address-%d.json", n), "c"); got.status != http.StatusUnauthorized {
			t.Errorf("%s: %d %s", at, got.status, got.body)
		}
	}
	if n := k.fetched.Load(); n != before {
		t.Errorf("%d of the addresses were fetched", n-before)
	}
}

func otherKey(t *testing.T) *ecdsa.PublicKey {
	t.Helper()
	other, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}

	return &other.PublicKey
}

// Keys are not fetched without end: neither of new addresses for one caller, nor since a proof names a key that there
// is not.
func TestKeysAreNotFetchedWithoutEnd(t *testing.T) {
	t.Parallel()
	k := startKeyHost(t, nil)
	k.serves("", keysAs("application/json", set(t, k.named("c"))))
	if got := k.comes("/client.json", "c"); got.status != http.StatusOK {
		t.Fatalf("%d %s", got.status, got.body)
	}

	for n := range 20 {
		if got := k.comes("/client.json", fmt.Sprintf("made-up-%d", n)); got.status != http.StatusUnauthorized {
			t.Errorf("a key that there is not: %d %s", got.status, got.body)
		}
	}
	if n := k.fetched.Load(); n != 2 {
		t.Errorf("the keys were fetched %d times, want 2", n)
	}
	if got := k.comes("/client.json", "c"); got.status != http.StatusOK {
		t.Errorf("the client itself: %d %s", got.status, got.body)
	}

	k.settings["AUTH_CLIENT_PER_CALLER"] = "3" // a document and its keys are two
	k.admitting(k.host, k.settings)
	n := 0
	k.host.set(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if strings.HasPrefix(r.URL.Path, "/keys") {
			_, _ = fmt.Fprint(w, set(t, k.named("c")))
			return
		}
		n++
		_ = json.NewEncoder(w).Encode(map[string]any{
			"client_id": k.host.URL + r.URL.Path, "redirect_uris": []string{"https://desk.example/back"},
			"jwks_uri": fmt.Sprintf("%s/keys-%d.json", k.host.URL, n),
		})
	})

	for n, want := range []int{http.StatusBadRequest, http.StatusServiceUnavailable} {
		id := fmt.Sprintf("%s/new-%d.json", k.host.URL, n)
		form := k.request("no assertion", k.proves(id, nil))
		got := k.call(http.MethodPost, "/oauth/token", form.Encode(),
			"Content-Type", formType, httpx.HeaderClientAddress, "192.0.2.1")
		if got.status != want {
			t.Errorf("application %d of one caller: %d %s, want %d", n, got.status, got.body, want)
		}
	}
}
