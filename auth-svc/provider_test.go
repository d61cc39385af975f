package authsvc_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/golang-jwt/jwt/v5"
)

// clientOfProvider is how auth-svc is known at the provider.
const clientOfProvider = "subrosa-web"

// provider is an OpenID provider at which whoever comes is person. It checks what a real one checks, and misbehaves as it is told.
type provider struct {
	*httptest.Server
	now func() time.Time
	key *ecdsa.PrivateKey

	mu     sync.Mutex
	person person
	codes  map[string]url.Values // of the authorization request
	twist  func(kind string, token *jwt.Token, claims jwt.MapClaims)
	answer func(url.Values) // changes what goes back with the browser
	down   bool
	keys   string            // path of the key set, and of no other
	moved  *ecdsa.PrivateKey // signs ID tokens instead of key
	at     string            // path at which people sign in, as its metadata say
	noWord bool              // discovery fails
	end    string            // where people sign out, "" for nowhere

	refreshes map[string]person // refresh tokens that were not used, of people whom the provider knows
	used      map[string]bool
	stolen    bool // a refresh token was used twice
	asked     int  // how often it was asked to renew one
	status    int  // with which it answers renewals, 0 for what is right
	body      string
}

type person struct {
	subject, name, organization string
	roles                       []string
}

var (
	ada = person{"ada", "ada@oak.example", "oak", []string{"owner", "member"}}
	ben = person{"ben", "ben@harbor.example", "harbor", []string{"member"}}
)

func startProvider(t *testing.T, now func() time.Time) *provider {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	p := &provider{
		now: now, key: key, person: ada, codes: map[string]url.Values{}, keys: "/keys", at: "/authorize",
		refreshes: map[string]person{}, used: map[string]bool{},
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		if p.noWord {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		_ = json.NewEncoder(w).Encode(map[string]any{
			"end_session_endpoint": p.end, "issuer": p.URL, "authorization_endpoint": p.URL + p.at, "token_endpoint": p.URL + "/token", "jwks_uri": p.URL + p.keys,
			"id_token_signing_alg_values_supported": []string{"ES256"}, "authorization_response_iss_parameter_supported": true,
		})
	})
	mux.HandleFunc("GET /{keys}", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != p.keys {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		set := jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: &p.key.PublicKey, KeyID: "k", Algorithm: "ES256", Use: "sig"}}}
		if p.moved != nil {
			set.Keys = append(set.Keys, jose.JSONWebKey{Key: &p.moved.PublicKey, KeyID: "moved", Algorithm: "ES256", Use: "sig"})
		}
		_ = json.NewEncoder(w).Encode(set)
	})
	mux.HandleFunc("GET /authorize", p.authorize)
	mux.HandleFunc("POST /token", p.token)
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.down {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(p.Close)

	return p
}

// set changes the provider between requests.
func (p *provider) set(change func(p *provider)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change(p)
}

func (p *provider) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	if q.Get("client_id") != clientOfProvider || !slices.Contains([]string{base + "/oauth/callback", base + "/auth/callback"}, q.Get("redirect_uri")) || q.Get("code_challenge_method") != "S256" || q.Get("nonce") == "" {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	code := rand.Text()
	p.codes[code] = q
	back := url.Values{"code": {code}, "state": {q.Get("state")}, "iss": {p.URL}}
	if p.answer != nil {
		p.answer(back)
	}
	http.Redirect(w, r, q.Get("redirect_uri")+"?"+back.Encode(), http.StatusFound)
}

// renew answers a refresh token with the next one. As real providers do, it takes one that comes twice for stolen, and
// renews nothing any more.
func (p *provider) renew(w http.ResponseWriter, token string) {
	p.asked++
	who, ok := p.refreshes[token]
	delete(p.refreshes, token)
	if p.used[token] {
		p.stolen = true
		clear(p.refreshes)
	}
	p.used[token] = true
	w.Header().Set("Content-Type", "application/json")
	if !ok {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, `{"error":"invalid_grant","error_description":"who is that"}`)

		return
	}
	if p.person.subject == who.subject {
		who = p.person // whatever has become of them
	}
	next := rand.Text()
	p.refreshes[next] = who

	switch p.status {
	case 0:
	case lost:
		panic(http.ErrAbortHandler)
	default:
		w.WriteHeader(p.status)
		_, _ = io.WriteString(w, p.body)

		return
	}

	_ = json.NewEncoder(w).Encode(map[string]any{
		"access_token": p.accessOf(who), "token_type": "Bearer", "expires_in": 3600, "refresh_token": next,
	})
}

// forget has the provider know a person no more.
func (p *provider) forget(subject string) {
	maps.DeleteFunc(p.refreshes, func(_ string, who person) bool { return who.subject == subject })
}

func (p *provider) accessOf(who person) string {
	now := p.now().Unix()

	return p.sign("access", "at+jwt", jwt.MapClaims{
		"iss": p.URL, "sub": who.subject, "aud": base + "/v1", "iat": now, "exp": now + 3600, "org": who.organization,
		"roles": who.roles,
	})
}

func (p *provider) token(w http.ResponseWriter, r *http.Request) {
	if r.PostFormValue("grant_type") == "refresh_token" {
		p.renew(w, r.PostFormValue("refresh_token"))
		return
	}
	q, ok := p.codes[r.PostFormValue("code")]
	delete(p.codes, r.PostFormValue("code"))
	sum := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
	if !ok || r.PostFormValue("redirect_uri") != q.Get("redirect_uri") || r.PostFormValue("client_id") != clientOfProvider || base64.RawURLEncoding.EncodeToString(sum[:]) != q.Get("code_challenge") {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	now := p.now().Unix()
	access := p.accessOf(p.person)
	id := p.sign("id", "JWT", jwt.MapClaims{
		"iss": p.URL, "sub": p.person.subject, "aud": clientOfProvider, "iat": now, "exp": now + 3600, "nonce": q.Get("nonce"), "email": p.person.name, "name": "Dr. " + p.person.subject,
	})
	w.Header().Set("Content-Type", "application/json")
	answer := map[string]any{"access_token": access, "token_type": "Bearer", "expires_in": 3600, "id_token": id}
	if strings.Contains(q.Get("scope"), "offline_access") {
		refresh := rand.Text()
		p.refreshes[refresh] = p.person
		answer["refresh_token"] = refresh
	}
	_ = json.NewEncoder(w).Encode(answer)
}

func (p *provider) sign(kind, typ string, claims jwt.MapClaims) string {
	t := jwt.NewWithClaims(jwt.SigningMethodES256, claims)
	t.Header["typ"], t.Header["kid"] = typ, "k"
	key := p.key
	if kind == "id" && p.moved != nil {
		key, t.Header["kid"] = p.moved, "moved"
	}
	if p.twist != nil {
		p.twist(kind, t, claims)
	}
	signed, err := t.SignedString(key)
	if err != nil {
		panic(err)
	}

	return signed
}
