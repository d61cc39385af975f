package cardfetch

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/go-jose/go-jose/v4"
	"github.com/subrosa-legal/subrosa/registry-svc/internal/agents"
)

// The form of RFC 8785, by the examples of its sections 3.2.2 and 3.2.3 and its table of numbers.
func TestCanonical(t *testing.T) {
	t.Parallel()

	for _, tc := range []struct{ name, given, want string }{
		{
			"numbers",
			`[333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001, -0, 1e21, 1e20, 1e-7]`,
			`[333333333.3333333,1e+30,4.5,0.002,1e-27,0,1e+21,100000000000000000000,1e-7]`,
		},
		{
			"texts",
			`["\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/", "\u2028<&>"]`,
			"[\"€$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\",\"\u2028<&>\"]",
		},
		{
			"members",
			`{"\u20ac":1,"\r":2,"\ufb33":3,"1":4,"\ud83d\ude00":5,"\u0080":6,"\u00f6":7}`,
			"{\"\\r\":2,\"1\":4,\"\u0080\":6,\"ö\":7,\"€\":1,\"😀\":5,\"\ufb33\":3}",
		},
		{"the rest", `{"a":[true,false,null,{}],"":[]}`, `{"":[],"a":[true,false,null,{}]}`},
	} {
		d := json.NewDecoder(strings.NewReader(tc.given))
		d.UseNumber()
		var v any
		if err := d.Decode(&v); err != nil {
			t.Fatal(err)
		}
		if got, err := canonical(v); err != nil || string(got) != tc.want {
			t.Errorf("%s: %s, %v\nwant %s", tc.name, got, err, tc.want)
		}
	}
}

// signer makes the signatures of a card.
type signer struct {
	t    *testing.T
	kid  string
	key  any
	algo jose.SignatureAlgorithm
}

func (s signer) over(payload string, more map[jose.HeaderKey]any) map[string]any {
	s.t.Helper()

	options := (&jose.SignerOptions{}).WithHeader("kid", s.kid).WithType("JOSE")
	for name, value := range more {
		options = options.WithHeader(name, value)
	}
	made, err := jose.NewSigner(jose.SigningKey{Algorithm: s.algo, Key: s.key}, options)
	if err != nil {
		s.t.Fatal(err)
	}
	jws, err := made.Sign([]byte(payload))
	if err != nil {
		s.t.Fatal(err)
	}
	compact, err := jws.CompactSerialize()
	if err != nil {
		s.t.Fatal(err)
	}
	parts := strings.Split(compact, ".")

	return map[string]any{"protected": parts[0], "signature": parts[2]}
}

// Signatures are believed by the keys of the settings alone. Nothing that a card names is ever fetched.
func TestSignaturesOfCards(t *testing.T) {
	t.Parallel()
	ec, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	_, ed, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	set, err := json.Marshal(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{
		{Key: ec.Public(), KeyID: "ec", Algorithm: "ES256"}, {Key: ed.Public(), KeyID: "ed"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	keys, err := ReadKeys(set)
	if err != nil {
		t.Fatal(err)
	}
	var hits atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { hits.Add(1) }))
	t.Cleanup(s.Close)
	byEC, byED := signer{t, "ec", ec, jose.ES256}, signer{t, "ed", ed, jose.EdDSA}
	stranger := signer{t, "stranger", ec, jose.ES256}
	const (
		rest   = `"description":"D","name":"Helper"`
		kept   = `{"extensions":[{"required":false,"uri":"urn:x"}],"streaming":false}`
		body   = `"version":"1.0.0","skills":[],"capabilities":` + kept + `,` + rest
		served = `{"capabilities":` + kept + `,` + rest + `,"skills":[],"version":"1.0.0"}`
		bare   = `{"capabilities":{"extensions":[{"uri":"urn:x"}],"streaming":false},` + rest + `,"version":"1.0.0"}`
	)
	jku := map[jose.HeaderKey]any{"jku": s.URL + "/keys.json", "x5u": s.URL + "/cert.pem"}
	none := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none","kid":"ec"}`))
	shared := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"HS256","kid":"ec"}`))

	for name, tc := range map[string]struct {
		signatures any
		want       string
	}{
		"no member":                        {nil, agents.Unsigned},
		"an empty list":                    {[]any{}, agents.Unsigned},
		"no list":                          {"signed", agents.Unsigned},
		"over the card":                    {[]any{byEC.over(served, nil)}, agents.SignatureValid},
		"by another algorithm":             {[]any{byED.over(served, nil)}, agents.SignatureValid},
		"over the card without empty ones": {[]any{byEC.over(bare, nil)}, agents.SignatureValid},
		"with addresses of keys":           {[]any{byEC.over(served, jku)}, agents.SignatureValid},
		"one of two":                       {[]any{stranger.over(served, nil), byED.over(served, nil)}, agents.SignatureValid},
		"over another card":                {[]any{byEC.over(`{"name":"Helper"}`, nil)}, agents.SignatureInvalid},
		"of a stranger":                    {[]any{stranger.over(served, jku)}, agents.SignatureUnknownKey},
		"a stranger's under our kid":       {[]any{signer{t, "ed", ec, jose.ES256}.over(served, nil)}, agents.SignatureInvalid},
		"a stranger's and a wrong one":     {[]any{stranger.over(served, nil), byEC.over("{}", nil)}, agents.SignatureInvalid},
		"without an algorithm":             {[]any{map[string]any{"protected": none, "signature": "AA"}}, agents.SignatureInvalid},
		"a shared secret":                  {[]any{map[string]any{"protected": shared, "signature": "AA"}}, agents.SignatureInvalid},
		"nothing in it":                    {[]any{map[string]any{}}, agents.SignatureInvalid},
		"no object":                        {[]any{"x"}, agents.SignatureInvalid},
	} {
		card := "{" + body + "}"
		if tc.signatures != nil {
			text, err := json.Marshal(tc.signatures)
			if err != nil {
				t.Fatal(err)
			}
			card = "{" + body + `,"signatures":` + string(text) + "}"
		}
		if got := keys.verified([]byte(card), tc.signatures); got != tc.want {
			t.Errorf("%s: %s, want %s", name, got, tc.want)
		}
		if got := Keys(nil).verified([]byte(card), tc.signatures); got == agents.SignatureValid {
			t.Errorf("%s: valid without any key", name)
		}
	}
	if n := hits.Load(); n != 0 {
		t.Errorf("%d requests went where a card pointed", n)
	}
}

func TestKeysThatCannotBeRead(t *testing.T) {
	t.Parallel()

	for name, text := range map[string]string{
		"no JSON": "x", "no keys": `{"keys":[]}`, "no kid": `{"keys":[{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}`,
		"a shared secret": `{"keys":[{"kty":"oct","kid":"a","k":"AAAA"}]}`,
		"a private key":   `{"keys":[{"kty":"OKP","kid":"a","crv":"Ed25519","d":"nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}`,
	} {
		if keys, err := ReadKeys([]byte(text)); err == nil {
			t.Errorf("%s: %v", name, keys)
		}
	}
}

// A card of A2A 0.3 is told in one sentence which line it lacks.
func TestACardOfTheVersionBefore(t *testing.T) {
	t.Parallel()

	for name, tc := range map[string]struct {
		card string
		want []string
	}{
		"as SDKs publish it": {
			`{"protocolVersion":"0.3.0","name":"A","description":"D","url":"https://agents.com/a","preferredTransport":"JSONRPC"}`,
			[]string{`add the line "protocols": ["a2a/1.0"] at its top level`},
		},
		"without a description": {
			`{"protocolVersion":"0.3.0","name":"A","url":"https://agents.com/a"}`,
			[]string{`add the line "protocols": ["a2a/1.0"]`, "give it a usable description"},
		},
	} {
		_, err := New(Config{AtOnce: 1}).read(fetched{body: []byte(tc.card)})
		for _, want := range tc.want {
			if err == nil || !strings.Contains(err.Error(), want) || strings.Count(err.Error(), ". ") > 0 {
				t.Errorf("%s: %v, want one sentence with %s", name, err, want)
			}
		}
	}
}
