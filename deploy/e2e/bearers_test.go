package e2e_test

import (
	"crypto/ecdsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"maps"
	"math/big"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/authn"
)

// parts cuts a token into its three parts, the first two decoded.
func parts(t *testing.T, token string) (header, claims map[string]any, signature []byte) {
	t.Helper()
	three := strings.Split(token, ".")
	if len(three) != 3 {
		t.Fatalf("a token of %d parts", len(three))
	}

	for i, to := range []*map[string]any{&header, &claims} {
		raw, err := base64.RawURLEncoding.DecodeString(three[i])
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(raw, to); err != nil {
			t.Fatal(err)
		}
	}
	signature, err := base64.RawURLEncoding.DecodeString(three[2])
	if err != nil {
		t.Fatal(err)
	}

	return header, claims, signature
}

// joined is a token of any three parts.
func joined(t *testing.T, header, claims map[string]any, signature []byte) string {
	t.Helper()
	var text []string

	for _, part := range []map[string]any{header, claims} {
		raw, err := json.Marshal(part)
		if err != nil {
			t.Fatal(err)
		}
		text = append(text, base64.RawURLEncoding.EncodeToString(raw))
	}

	return strings.Join(append(text, base64.RawURLEncoding.EncodeToString(signature)), ".")
}

// signed is a token with a good signature.
func signed(t *testing.T, method jwt.SigningMethod, key any, header, claims map[string]any) string {
	t.Helper()
	token := jwt.NewWithClaims(method, jwt.MapClaims(claims))
	maps.Copy(token.Header, header)
	token.Header["alg"] = method.Alg()
	text, err := token.SignedString(key)
	if err != nil {
		t.Fatal(err)
	}

	return text
}

// with returns a copy of m with other entries; nil takes one out.
func with(m map[string]any, pairs ...any) map[string]any {
	m = maps.Clone(m)
	for i := 0; i+1 < len(pairs); i += 2 {
		if m[pairs[i].(string)] = pairs[i+1]; pairs[i+1] == nil {
			delete(m, pairs[i].(string))
		}
	}

	return m
}

// credential is a good token with the key that signs its kind.
type credential struct {
	name, token string
	key         *ecdsa.PrivateKey
}

// credentials are a user's token and an agent's bearer.
func (w *world) credentials() []credential {
	return []credential{{"agent bearer", w.connect(ada).bearer, w.ring().Key}, {"user token", w.token(ada), w.providerKey()}}
}

// refuses checks that a token opens nothing.
func (w *world) refuses(what, token string) {
	w.t.Helper()
	w.send(http.MethodGet, "/v1/cases", token, "").refused(w.t, what, http.StatusUnauthorized, "unauthenticated")
}

// takes checks that a token opens what it should.
func (w *world) takes(what, token string) {
	w.t.Helper()
	if a := w.send(http.MethodGet, "/v1/cases", token, ""); a.status != http.StatusOK {
		w.t.Errorf("%s: %d %s, want 200", what, a.status, a.body)
	}
}

func TestForgedBearers(t *testing.T) {
	t.Parallel()

	w := start(t, unlimited())
	for _, c := range w.credentials() {
		t.Run(c.name, func(t *testing.T) {
			w := w.in(t)
			header, claims, signature := parts(t, c.token)
			w.takes("the token itself", c.token)
			w.takes("signed again by the same key", signed(t, jwt.SigningMethodES256, c.key, header, claims))
			t.Run("S23 signature", func(t *testing.T) { w.in(t).forgeSignature(c.token, header, claims, signature) })
			t.Run("S24 none", func(t *testing.T) { w.in(t).forgeNone(header, claims, signature) })
			t.Run("S25 public key as a secret", func(t *testing.T) { w.in(t).forgeSymmetric(c.key, header, claims) })
			t.Run("S26 keys named by the token", func(t *testing.T) { w.in(t).forgeKeys(header, claims) })
			t.Run("another key", func(t *testing.T) { w.in(t).forgeKey(c.key, header, claims) })
			t.Run("S27 type, audience, issuer and times", func(t *testing.T) { w.in(t).forgeClaims(c.key, header, claims) })
		})
	}
}

func (w *world) forgeSignature(token string, header, claims map[string]any, signature []byte) {
	for bit := range len(signature) * 8 {
		changed := append([]byte(nil), signature...)
		changed[bit/8] ^= 1 << (bit % 8)
		if bit%37 == 0 { // a spread of them; each is another signature
			w.refuses("signature with a bit flipped", token[:strings.LastIndexByte(token, '.')+1]+base64.RawURLEncoding.EncodeToString(changed))
		}
	}

	half := len(signature) / 2
	for name, other := range map[string][]byte{
		"no signature": nil, "zero": make([]byte, len(signature)), "half": signature[:half], "halves changed over": append(append([]byte(nil), signature[half:]...), signature[:half]...),
		"longer": append(append([]byte(nil), signature...), 0),
	} {
		w.refuses(name, joined(w.t, header, claims, other))
	}

	for name, changed := range map[string]map[string]any{
		"another user": with(claims, "sub", "ben"), "another tenant": with(claims, "tenant", "o:elm", "org", "elm"), "longer life": with(claims, "exp", time.Now().Add(48*time.Hour).Unix()),
		"more rights": with(claims, "scope", "everything", "roles", []string{"owner", "member", "admin"}), "one claim more": with(claims, "x", 1),
	} {
		w.refuses("payload changed: "+name, joined(w.t, header, changed, signature))
	}

	cut := token[:strings.LastIndexByte(token, '.')]
	for name, other := range map[string]string{
		"two parts": cut, "four parts": token + ".x", "no header": token[strings.IndexByte(token, '.'):], "standard alphabet": strings.NewReplacer("-", "+", "_", "/").Replace(token) + "=",
		"padding": token + "==", "newline inside": token[:10] + "%0A" + token[10:], "JSON form": `{"payload":"x","signatures":[]}`,
	} {
		w.refuses(name, other)
	}
}

func (w *world) forgeNone(header, claims map[string]any, signature []byte) {
	for _, alg := range []any{"none", "None", "NONE", "nOnE", "none ", "", nil, 0, []string{"none"}} {
		for name, sig := range map[string][]byte{"an empty": nil, "the old": signature} {
			w.refuses("alg none with "+name+" signature", joined(w.t, with(header, "alg", alg), claims, sig))
		}
	}
	w.refuses("alg none without a type", joined(w.t, map[string]any{"alg": "none"}, claims, nil))
}

func (w *world) forgeSymmetric(key *ecdsa.PrivateKey, header, claims map[string]any) {
	der, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		w.t.Fatal(err)
	}
	point, err := key.PublicKey.Bytes()
	if err != nil {
		w.t.Fatal(err)
	}
	set := w.send(http.MethodGet, "/.well-known/jwks.json", "", "")
	text := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
	secrets := map[string][]byte{
		"PEM": text, "PEM without its last line break": []byte(strings.TrimSpace(string(text))), "DER": der, "point": point, "coordinate": point[1:33], "key set": set.body, "nothing": {},
	}
	var keys struct{ Keys []json.RawMessage }
	if err := json.Unmarshal(set.body, &keys); err != nil || len(keys.Keys) == 0 {
		w.t.Fatalf("key set: %s", set.body)
	}

	secrets["JWK"] = keys.Keys[0]
	for name, secret := range secrets {
		for _, method := range []jwt.SigningMethod{jwt.SigningMethodHS256, jwt.SigningMethodHS384, jwt.SigningMethodHS512} {
			w.refuses(method.Alg()+" under the public key's "+name, signed(w.t, method, secret, header, claims))
		}
	}
}

func (w *world) forgeKeys(header, claims map[string]any) {
	var visits atomic.Int64
	attacker := signingKey(w.t)
	jwk := map[string]any{
		"kty": "EC", "crv": "P-256", "use": "sig", "alg": "ES256", "kid": header["kid"],
		"x": base64.RawURLEncoding.EncodeToString(attacker.X.FillBytes(make([]byte, 32))), "y": base64.RawURLEncoding.EncodeToString(attacker.Y.FillBytes(make([]byte, 32))),
	}
	listener := w.peer(func(rw http.ResponseWriter, _ *http.Request) {
		visits.Add(1)
		rw.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(rw).Encode(map[string]any{"keys": []any{jwk}})
	})
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour)}
	cert, err := x509.CreateCertificate(nil, template, template, &attacker.PublicKey, attacker)
	if err != nil {
		w.t.Fatal(err)
	}

	evil := listener.URL + "/keys"
	for name, extra := range map[string]map[string]any{
		"jku": {"jku": evil}, "x5u": {"x5u": evil}, "jwk": {"jwk": jwk}, "x5c": {"x5c": []string{base64.StdEncoding.EncodeToString(cert)}},
		"all of them":       {"jku": evil, "x5u": evil, "jwk": jwk, "x5c": []string{base64.StdEncoding.EncodeToString(cert)}},
		"kid as an address": {"kid": evil, "jku": evil}, "kid as a path": {"kid": "../../../../dev/null"}, "kid with a query": {"kid": "' OR 1=1 --"},
		"no kid": {"kid": ""}, "kid of another type": {"kid": 1}, "long kid": {"kid": strings.Repeat("k", 4000)}, "crit": {"crit": []string{"b64"}, "b64": false},
	} {
		w.refuses(name, signed(w.t, jwt.SigningMethodES256, attacker, with(header, pairs(extra)...), claims))
	}
	if n := visits.Load(); n != 0 {
		w.t.Errorf("the attacker's keys were asked for %d times", n)
	}
}

// pairs lists a map as with takes it.
func pairs(m map[string]any) []any {
	var list []any
	for k, v := range m {
		list = append(list, k, v)
	}

	return list
}

func (w *world) forgeKey(key *ecdsa.PrivateKey, header, claims map[string]any) {
	w.refuses("an attacker's key under the good kid", signed(w.t, jwt.SigningMethodES256, signingKey(w.t), header, claims))
	w.refuses("an attacker's key under an unknown kid", signed(w.t, jwt.SigningMethodES256, signingKey(w.t), with(header, "kid", uuid.NewString()), claims))
	// The two kinds of token have a key each, and neither stands in for the other.
	for _, other := range []*ecdsa.PrivateKey{w.ring().Key, w.providerKey()} {
		if !other.Equal(key) {
			w.refuses("the key of the other kind of token", signed(w.t, jwt.SigningMethodES256, other, header, claims))
		}
	}
}

func (w *world) forgeClaims(key *ecdsa.PrivateKey, header, claims map[string]any) {
	now := time.Now()

	sign := func(h, c map[string]any) string { return signed(w.t, jwt.SigningMethodES256, key, h, c) }
	for name, typ := range map[string]any{"ID token": "id_token+jwt", "internal": "int+jwt", "consent": "consent+jwt", "logout": "logout+jwt", "dpop": "dpop+jwt", "number": 1} {
		w.refuses("typ "+name, sign(with(header, "typ", typ), claims))
	}

	for name, c := range map[string]map[string]any{
		"foreign audience": with(claims, "aud", "https://elsewhere.example/v1"), "audience of MCP": with(claims, "aud", w.Facts.BaseURL+"/api/mcp"), "audience internal": with(claims, "aud", authn.InternalAudience),
		"no audience": with(claims, "aud", nil), "audience of a client": with(claims, "aud", w.Facts.ClientID), "part of the audience": with(claims, "aud", w.Facts.BaseURL),
		"foreign issuer": with(claims, "iss", "https://elsewhere.example"), "no issuer": with(claims, "iss", nil), "issuer with a slash": with(claims, "iss", claims["iss"].(string)+"/"), "issuer gateway": with(claims, "iss", "gateway"),
		"expired": with(claims, "exp", now.Add(-31*time.Second).Unix(), "iat", now.Add(-time.Hour).Unix()), "no expiry": with(claims, "exp", nil), "expiry as text": with(claims, "exp", "tomorrow"),
		"not yet valid": with(claims, "nbf", now.Add(2*time.Minute).Unix()), "no subject": with(claims, "sub", nil), "empty subject": with(claims, "sub", ""),
	} {
		w.refuses(name, sign(header, c))
	}
}

func TestS27ForeignTokensAreNoBearers(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited())
	agent := w.connect(ada)
	header, claims, _ := parts(t, agent.bearer)
	ring := w.ring()
	sign := func(h, c map[string]any) string { return signed(t, jwt.SigningMethodES256, ring.Key, h, c) }

	now := time.Now()
	for name, token := range map[string]string{
		"issued in the future":          sign(header, with(claims, "iat", now.Add(2*time.Minute).Unix())),
		"no type":                       sign(with(header, "typ", "JWT"), claims),
		"two audiences":                 sign(header, with(claims, "aud", []string{w.Facts.BaseURL + "/v1", "https://elsewhere.example"})),
		"an id that was never issued":   sign(header, with(claims, "jti", uuid.NewString())),
		"no id":                         sign(header, with(claims, "jti", nil)),
		"another agent's id":            sign(header, with(claims, "agent_id", "agt_"+uuid.NewString())),
		"an agent id of another form":   sign(header, with(claims, "agent_id", "*")),
		"another tenant":                sign(header, with(claims, "tenant", "o:elm")),
		"no tenant":                     sign(header, with(claims, "tenant", nil)),
		"internal token of the gateway": w.internal("gateway", access.Caller{Kind: access.User, Tenant: "o:oak", UserID: "ada", Roles: []string{"owner"}}),
		"internal token of a service":   w.internal("auth-svc", access.Caller{Kind: access.Service}),
		"API key":                       agent.SharedAPIKey,
	} {
		w.refuses(name, token)
	}
	// ID tokens of the provider, as it would sign them for the command line, and for the API.
	header, claims, _ = parts(t, w.token(ada))

	provider := w.providerKey()
	for name, c := range map[string]map[string]any{
		"for its client":  with(claims, "aud", w.Facts.ClientID),
		"with a nonce":    with(claims, "nonce", "n"),
		"with an at_hash": with(claims, "at_hash", "x"),
	} {
		w.refuses("ID token "+name, signed(t, jwt.SigningMethodES256, provider, header, c))
	}
	w.takes("the bearer itself", agent.bearer)
}

func TestS29ExchangeAndExpiry(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited())
	agent := w.connect(ada)
	before := time.Now().Unix()
	a := w.send(http.MethodPost, "/v1/auth/token", "", `{"api_key":"`+agent.SharedAPIKey+`"}`)
	after := time.Now().Unix()
	got := into[api.BearerToken](t, a, http.StatusOK)
	if got.ExpiresIn != 3600 || got.ExpiresAt < before+3600 || got.ExpiresAt > after+3600 {
		t.Errorf("expires_in, expires_at = %d, %d, want 3600 and between %d and %d", got.ExpiresIn, got.ExpiresAt, before+3600, after+3600)
	}
	if cache := a.header.Get("Cache-Control"); cache != "no-store" {
		t.Errorf("Cache-Control = %q, want no-store", cache)
	}
	header, claims, _ := parts(t, got.BearerToken)
	if header["alg"] != "ES256" || header["typ"] != authn.BearerType || claims["exp"] != float64(got.ExpiresAt) || claims["aud"] != any(w.Facts.BaseURL+"/v1") && claims["aud"] == nil {
		t.Errorf("header %v, claims %v", header, claims)
	}
	w.takes("the fresh bearer", got.BearerToken)
	w.takes("the bearer before it", agent.bearer)
	// Bearers as the service signs them, with a record in Redis each, at the edges of their life.
	rdb, ring := w.rdb(), w.ring()

	for name, tc := range map[string]struct {
		ends time.Duration
		good bool
	}{"within the skew": {-10 * time.Second, true}, "one skew after its end": {-32 * time.Second, false}, "an hour after": {-time.Hour, false}} {
		t.Run(name, func(t *testing.T) {
			w := w.in(t)
			jti, ends := uuid.NewString(), time.Now().Add(tc.ends)
			record, err := json.Marshal(authn.BearerRecord{Expires: ends.Unix(), Caller: access.Caller{
				Kind:    access.Agent,
				AgentID: agent.AgentID,
				Tenant:  claims["tenant"].(string),
				UserID:  "ada",
				Scopes:  access.AgentScopes(),
				Roles:   []string{"owner", "member"},
			}})
			if err != nil {
				t.Fatal(err)
			}
			if err := rdb.Set(t.Context(), authn.BearerKey(agent.AgentID, jti), record, time.Minute).Err(); err != nil {
				t.Fatal(err)
			}
			token := signed(t, jwt.SigningMethodES256, ring.Key, header, with(claims, "jti", jti, "exp", ends.Unix(), "iat", ends.Add(-time.Hour).Unix()))
			if tc.good {
				w.takes(name, token)
				return
			}
			w.refuses(name, token)
			later := signed(t, jwt.SigningMethodES256, ring.Key, header, with(claims, "jti", jti))
			w.refuses("a longer life than its record", later)
		})
	}
}

func TestS30BearerWithoutItsRecord(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited())
	agent, other := w.connect(ada), w.connect(ben)
	_, claims, _ := parts(t, agent.bearer)
	w.takes("before", agent.bearer)
	n, err := w.rdb().Del(t.Context(), authn.BearerKey(agent.AgentID, claims["jti"].(string))).Result()
	if err != nil || n != 1 {
		t.Fatalf("delete the record: %d, %v", n, err)
	}
	w.refuses("after", agent.bearer)
	w.takes("another agent", other.bearer)
	again, err := w.as("").Exchange(t.Context(), agent.SharedAPIKey)
	if err != nil {
		t.Fatal(err)
	}
	w.takes("a new bearer", again.BearerToken)
}
