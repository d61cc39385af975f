package e2e_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/golang-jwt/jwt/v5"
	"github.com/subrosa-legal/subrosa/deploy/internal/devidp"
)

// TestAFirmLetsAnApplicationIn goes the whole way of enterprise-managed authorization. The application has its user
// sign in at the firm's provider and exchanges the ID token there for an assertion. It gets an access token for that
// here, and calls a tool. Nobody is asked for consent.
func TestAFirmLetsAnApplicationIn(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited())
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	public := jose.JSONWebKey{Key: &key.PublicKey, KeyID: "c", Algorithm: "ES256", Use: "sig"}
	var address string
	host := w.peer(func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(rw).Encode(map[string]any{
			"client_id": address, "client_name": "Desk", "redirect_uris": []string{"https://desk.example/back"},
			"token_endpoint_auth_method": "private_key_jwt", "jwks": jose.JSONWebKeySet{Keys: []jose.JSONWebKey{public}},
		})
	})
	address = host.URL + "/client.json"

	id, err := devidp.Identify(t.Context(), w.http, w.Facts.Issuer, ada)
	if err != nil {
		t.Fatal(err)
	}
	post := func(to string, form url.Values) (status int, out map[string]any) {
		resp, err := w.http.PostForm(to, form)
		if err != nil {
			t.Fatal(err)
		}

		defer func() { _ = resp.Body.Close() }()
		if err := json.NewDecoder(resp.Body).Decode(&out); err != nil {
			t.Fatal(err)
		}

		return resp.StatusCode, out
	}
	status, assertion := post(w.Facts.Issuer+"/token", url.Values{
		"grant_type":           {"urn:ietf:params:oauth:grant-type:token-exchange"},
		"requested_token_type": {"urn:ietf:params:oauth:token-type:id-jag"},
		"subject_token_type":   {"urn:ietf:params:oauth:token-type:id_token"}, "subject_token": {id},
		"audience": {w.Facts.BaseURL}, "resource": {w.Facts.BaseURL + "/api/mcp"}, "scope": {"cases:read"}, "client_id": {address},
	})
	if status != http.StatusOK || assertion["issued_token_type"] != "urn:ietf:params:oauth:token-type:id-jag" {
		t.Fatalf("the provider: %d %v", status, assertion)
	}

	proof := jwt.NewWithClaims(jwt.SigningMethodES256, jwt.MapClaims{
		"iss": address, "sub": address, "aud": w.Facts.BaseURL, "jti": rand.Text(),
		"iat": time.Now().Unix(), "exp": time.Now().Add(time.Minute).Unix(),
	})
	proof.Header["kid"] = "c"
	signed, err := proof.SignedString(key)
	if err != nil {
		t.Fatal(err)
	}
	status, token := post(w.Facts.BaseURL+"/oauth/token", url.Values{
		"grant_type": {"urn:ietf:params:oauth:grant-type:jwt-bearer"}, "assertion": {assertion["access_token"].(string)},
		"client_assertion_type": {"urn:ietf:params:oauth:client-assertion-type:jwt-bearer"}, "client_assertion": {signed},
	})
	if status != http.StatusOK || token["refresh_token"] != nil || token["scope"] != "cases:read" {
		t.Fatalf("the token: %d %v", status, token)
	}

	call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"legal_lookup","arguments":{"view":"cases"}}}`
	headers := []string{
		"Content-Type", "application/json", "Accept", "application/json, text/event-stream", "Mcp-Protocol-Version", "2025-11-25",
	}
	a := w.send(http.MethodPost, "/api/mcp", token["access_token"].(string), call, headers...)
	if a.status != http.StatusOK || !strings.Contains(string(a.body), `"view":"cases"`) {
		t.Errorf("a call with it: %d %s", a.status, a.body)
	}
}
