package devidp

import (
	"encoding/json"
	"net/http"
	"slices"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"
)

// Names of token exchange (RFC 8693), as Identity Assertion JWT Authorization Grants use it.
const (
	exchangeGrant   = "urn:ietf:params:oauth:grant-type:token-exchange"
	idTokenType     = "urn:ietf:params:oauth:token-type:id_token" //nolint:gosec // a name of the protocol
	assertionToken  = "urn:ietf:params:oauth:token-type:id-jag"   //nolint:gosec // likewise
	assertionKind   = "oauth-id-jag+jwt"
	assertionLife   = 5 * time.Minute
	longestExchange = 64 << 10 // bytes of a request
)

// exchanging has the provider let any application act for a person whose ID token it shows: it is an administrator who
// allows everything. The library below knows no token exchange. Applications name themselves by the address of their
// metadata document, and are not authenticated here: this provider is for development.
func exchanging(cfg Config, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost || r.URL.Path != "/token" {
			next.ServeHTTP(w, r)
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, longestExchange)
		if r.ParseForm() != nil || r.PostForm.Get("grant_type") != exchangeGrant {
			// The form is read already, and the next handler finds it in the request.
			next.ServeHTTP(w, r)
			return
		}
		exchange(cfg, w, r)
	})
}

func exchange(cfg Config, w http.ResponseWriter, r *http.Request) {
	form := r.PostForm
	p, ok := cfg.shown(form.Get("subject_token"))
	asked := form.Get("requested_token_type") == assertionToken && form.Get("subject_token_type") == idTokenType

	switch {
	case !asked:
		tell(w, http.StatusBadRequest, map[string]any{"error": "invalid_request"})
		return
	case !ok, form.Get("client_id") == "":
		tell(w, http.StatusBadRequest, map[string]any{"error": "invalid_grant"})
		return
	case form.Get("audience") != cfg.Base, form.Get("resource") != "" && form.Get("resource") != cfg.Base+"/api/mcp":
		tell(w, http.StatusBadRequest, map[string]any{"error": "invalid_target"})
		return
	}

	now := cfg.now()
	claims := jwt.MapClaims{
		"iss": cfg.Issuer, "sub": p.Subject, "aud": cfg.Base, "jti": uuid.NewString(),
		"client_id": form.Get("client_id"), "scope": form.Get("scope"),
		"iat": now.Unix(), "exp": now.Add(assertionLife).Unix(),
		TenantClaim: p.Organization, RolesClaim: p.Roles,
	}
	if form.Get("resource") != "" {
		claims["resource"] = form.Get("resource")
	}
	t := jwt.NewWithClaims(jwt.SigningMethodES256, claims)
	// The type keeps an assertion from being taken for an ID token or an access token.
	t.Header["typ"], t.Header["kid"] = assertionKind, keyID
	signed, err := t.SignedString(cfg.Key)
	if err != nil {
		tell(w, http.StatusInternalServerError, map[string]any{"error": "server_error"})
		return
	}
	tell(w, http.StatusOK, map[string]any{
		"issued_token_type": assertionToken, "access_token": signed, "token_type": "N_A",
		"expires_in": int(assertionLife.Seconds()), "scope": form.Get("scope"),
	})
}

// shown is the person of an ID token that this provider gave.
func (cfg Config) shown(token string) (Person, bool) {
	var claims jwt.RegisteredClaims
	_, err := jwt.ParseWithClaims(token, &claims, func(*jwt.Token) (any, error) { return &cfg.Key.PublicKey, nil },
		jwt.WithValidMethods([]string{"ES256"}), jwt.WithIssuer(cfg.Issuer), jwt.WithExpirationRequired(),
		jwt.WithTimeFunc(cfg.now))
	ours := slices.Contains(claims.Audience, NativeClient) || slices.Contains(claims.Audience, WebClient)
	if err != nil || !ours {
		return Person{}, false
	}
	i := slices.IndexFunc(cfg.People, func(p Person) bool { return p.Subject == claims.Subject })
	if i < 0 {
		return Person{}, false
	}

	return cfg.People[i], true
}

func (cfg Config) now() time.Time {
	if cfg.Now == nil {
		return time.Now() //nolint:forbidigo // whoever gives no clock has the one on the wall
	}

	return cfg.Now()
}

func tell(w http.ResponseWriter, status int, v map[string]any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	// A client that has left needs no answer.
	_ = json.NewEncoder(w).Encode(v)
}
