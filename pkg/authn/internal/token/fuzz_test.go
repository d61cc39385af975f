package token_test

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/authn/internal/token"
)

// FuzzStrictTokens holds every token that the checks of form let through against what a second reader makes of it.
func FuzzStrictTokens(f *testing.F) {
	now := time.Unix(1_800_000_000, 0)
	part := func(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }

	for _, seed := range [][2]string{
		{`{"alg":"ES256","typ":"at+jwt"}`, `{"iss":"a","sub":"b","aud":"c","exp":1800000100,"iat":1800000000}`},
		{`{"alg":"ES256","crit":["b64"],"b64":false}`, `{"aud":["c"]}`},
		{`{"alg":"ES256","ALG":"none"}`, `{"sub":"a","sub":"b","aud":"c"}`},
		{`{"alg":"ES256"}`, `{"aud":"c","exp":"1800000100"}`},
		{`{"alg":"ES256"}`, `{"aud":"c","iat":1800000031}`},
	} {
		f.Add(part(seed[0]) + "." + part(seed[1]) + "." + part("signature"))
	}

	f.Fuzz(func(t *testing.T, text string) {
		if _, _, err := token.Strict(text, now); err != nil {
			return
		}
		parts := strings.Split(text, ".")
		if len(parts) != 3 {
			t.Fatalf("%d parts", len(parts))
		}

		for _, part := range parts {
			raw, err := base64.RawURLEncoding.DecodeString(part)
			if err != nil || base64.RawURLEncoding.EncodeToString(raw) != part {
				t.Fatalf("not the one way to write %q", part)
			}
		}

		header, claims := secondReader(t, parts[0]), secondReader(t, parts[1])
		for _, name := range []string{"crit", "b64"} {
			if _, ok := header[name]; ok {
				t.Errorf("the header has %s", name)
			}
		}

		for _, name := range []string{"exp", "iat", "nbf"} {
			if v, ok := claims[name]; ok && v != nil {
				if _, number := v.(float64); !number {
					t.Errorf("%s is %v", name, v)
				}
			}
		}
		if at, ok := claims["iat"].(float64); ok && at > float64(now.Add(token.Skew).Unix()) {
			t.Errorf("issued at %v, in the future", at)
		}
	})
}

// secondReader reads an object and fails when a member stands there twice, in whatever case.
func secondReader(t *testing.T, part string) map[string]any {
	t.Helper()
	raw, _ := base64.RawURLEncoding.DecodeString(part)
	dec := json.NewDecoder(strings.NewReader(string(raw)))
	out, seen := map[string]any{}, map[string]bool{}
	if open, err := dec.Token(); err != nil || open != json.Delim('{') {
		t.Fatalf("%q is no object", raw)
	}

	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			t.Fatal(err)
		}
		key, _ := name.(string)
		if folded := strings.ToLower(key); seen[folded] {
			t.Errorf("%q stands twice in %q", key, raw)
		} else {
			seen[folded] = true
		}
		var v any
		if err := dec.Decode(&v); err != nil {
			t.Fatal(err)
		}
		out[key] = v
	}

	return out
}
