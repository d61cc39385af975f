package authsvc_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/golang-jwt/jwt/v5"
	authsvc "github.com/subrosa-legal/subrosa/auth-svc"
	"github.com/subrosa-legal/subrosa/auth-svc/internal/oauth"
	"github.com/subrosa-legal/subrosa/pkg/audit/chain"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
	"github.com/subrosa-legal/subrosa/pkg/strictjson"
	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
	"go.mongodb.org/mongo-driver/v2/bson"
)

// Names of the protocol.
const (
	jagType   = "oauth-id-jag+jwt"
	jagGrant  = "urn:ietf:params:oauth:grant-type:jwt-bearer"
	proofType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
)

// Clients that the operator registered.
const (
	deskID   = "desk-of-oak"
	sealedID = "sealed-of-oak" // its key is for encryption
	manyID   = "many-of-oak"   // its key is the last of several
)

// enterprise is a firm whose provider lets applications in: one that the operator registered, and one by its document.
type enterprise struct {
	*world
	other    *provider // of another firm
	key      *ecdsa.PrivateKey
	host     *host
	document string // address that is the id of the other application
	settings map[string]string
}

func startEnterprise(t *testing.T) *enterprise {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	w := prepare(t)
	e := &enterprise{world: w, other: startProvider(t, w.now), key: key}
	public := jose.JSONWebKey{Key: &key.PublicKey, KeyID: "c", Algorithm: "ES256", Use: "sig"}
	keys := jose.JSONWebKeySet{Keys: []jose.JSONWebKey{public}}
	clients, err := json.Marshal([]map[string]any{
		{"client_id": deskID, "client_name": "Desk", "jwks": keys},
		{"client_id": sealedID, "client_name": "Sealed", "jwks": jwks(jose.JSONWebKey{Key: &key.PublicKey, Use: "enc"})},
		{"client_id": manyID, "client_name": "Many", "jwks": manyKeys(t, &key.PublicKey)},
	})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "clients.json")
	if err := os.WriteFile(file, clients, 0o600); err != nil {
		t.Fatal(err)
	}
	h := startHost(t)
	h.set(func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(rw).Encode(map[string]any{
			"client_id": h.URL + r.URL.Path, "client_name": "Desk", "redirect_uris": []string{"https://desk.example/back"},
			"token_endpoint_auth_method": "private_key_jwt", "jwks": keys,
		})
	})
	e.host, e.document = h, h.URL+"/client.json"

	e.settings = map[string]string{
		"AUTH_ID_JAG_ISSUERS": "oak=" + w.idp.URL + ",harbor=" + e.other.URL, "AUTH_ID_JAG_CLIENTS": file,
	}
	w.admitting(h, e.settings)

	return e
}

func jwks(keys ...jose.JSONWebKey) jose.JSONWebKeySet { return jose.JSONWebKeySet{Keys: keys} }

// rsaKey is a key of no client: it only stands in key sets. All tests share one, since making it takes long.
var rsaKey = sync.OnceValues(func() (*rsa.PrivateKey, error) { return rsa.GenerateKey(rand.Reader, 2048) })

// manyKeys are keys of several types and curves, none of which says what it is for, and one more.
func manyKeys(t *testing.T, last *ecdsa.PublicKey) jose.JSONWebKeySet {
	t.Helper()
	first, err := rsaKey()
	if err != nil {
		t.Fatal(err)
	}
	all := jwks(jose.JSONWebKey{Key: &first.PublicKey})

	for _, curve := range []elliptic.Curve{elliptic.P384(), elliptic.P256()} {
		k, err := ecdsa.GenerateKey(curve, rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		all.Keys = append(all.Keys, jose.JSONWebKey{Key: &k.PublicKey})
	}
	all.Keys = append(all.Keys, jose.JSONWebKey{Key: last})

	return all
}

// says is an assertion of a provider for ada of oak, as change has it.
func (e *enterprise) says(p *provider, typ string, change func(jwt.MapClaims)) string {
	now := e.now().Unix()
	claims := jwt.MapClaims{
		"iss": p.URL, "sub": "ada", "org": "oak", "roles": []string{"member"}, "aud": base, "resource": base + "/api/mcp",
		"client_id": deskID, "jti": rand.Text(), "iat": now, "exp": now + 300, "scope": "cases:read agent:run",
	}
	if change != nil {
		change(claims)
	}

	return p.sign("assertion", typ, claims)
}

// proves is what a client signs to show that it is the one.
func (e *enterprise) proves(client string, change func(*jwt.Token, jwt.MapClaims)) string {
	now := e.now().Unix()
	claims := jwt.MapClaims{
		"iss": client, "sub": client, "aud": base + "/oauth/token", "jti": rand.Text(), "iat": now, "exp": now + 60,
	}
	token := jwt.NewWithClaims(jwt.SigningMethodES256, claims)
	token.Header["kid"] = "c"
	if change != nil {
		change(token, claims)
	}
	signed, err := token.SignedString(e.key)
	if err != nil {
		e.t.Fatal(err)
	}

	return signed
}

func (e *enterprise) request(assertion, proof string, more ...string) url.Values {
	form := url.Values{
		"grant_type": {jagGrant}, "assertion": {assertion}, "client_assertion_type": {proofType}, "client_assertion": {proof},
	}
	for i := 0; i+1 < len(more); i += 2 {
		form.Set(more[i], more[i+1])
	}

	return form
}

func TestAFirmsProviderLetsAnApplicationIn(t *testing.T) {
	t.Parallel()
	e := startEnterprise(t)
	var metadata struct {
		Grants   []string `json:"grant_types_supported"`
		Profiles []string `json:"authorization_grant_profiles_supported"`
	}
	told := e.call(http.MethodGet, "/.well-known/oauth-authorization-server", "").body
	if err := json.Unmarshal([]byte(told), &metadata); err != nil {
		t.Fatal(err)
	}
	const profile = "urn:ietf:params:oauth:grant-profile:id-jag"
	if !slices.Contains(metadata.Grants, jagGrant) || !slices.Contains(metadata.Profiles, profile) {
		t.Errorf("metadata: %+v", metadata)
	}

	e.arrived(ada) // an owner, and stays one
	assertion := e.says(e.idp, jagType, func(c jwt.MapClaims) { delete(c, "roles") })
	got := e.form("/oauth/token", e.request(assertion, e.proves(deskID, nil))).tokens(t)
	if got.Refresh != "" || got.Life > 600 || got.Life <= 0 || got.Scope != "cases:read agent:run" {
		t.Errorf("%+v", got)
	}
	caller, err := e.live(got.Access)
	if err != nil || !slices.Equal(caller.Roles, ada.roles) {
		t.Errorf("the roles of an owner: %+v, %v", caller, err)
	}
	if caller.UserID != "ada" || caller.Tenant != "o:oak" || caller.ClientID != deskID {
		t.Errorf("%+v, %v", caller, err)
	}
	if again := e.form("/oauth/token", e.request(assertion, e.proves(deskID, nil))); again.status != http.StatusBadRequest || !strings.Contains(again.body, "invalid_grant") {
		t.Errorf("the assertion again: %d %s", again.status, again.body)
	}

	byDocument := e.says(e.idp, jagType, func(c jwt.MapClaims) { c["client_id"] = e.document })
	less := e.form("/oauth/token", e.request(byDocument, e.proves(e.document, nil),
		"scope", "cases:read cases:write", "client_id", e.document)).tokens(t)
	if less.Scope != "cases:read" {
		t.Errorf("the scopes of both: %+v", less)
	}

	events, err := chain.New(e.db.Collection("audit"), e.now).List(t.Context(), "o:oak", chain.Filter{Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	made := 0

	for _, event := range events {
		if event.Action == "grant.made" && event.Outcome == "asserted_by_provider" && event.Actor.UserID == "ada" {
			made++
		}
	}
	if made != 2 {
		t.Errorf("%d grants on record, want 2", made)
	}

	e.skip.Add(int64(11 * time.Minute))
	if _, err := e.live(got.Access); err == nil {
		t.Error("the access outlives its ten minutes")
	}
}

// TestAssertionsThatAreRefused sends each attack once, and one that is good, so that only the attack can be the cause.
func TestAssertionsThatAreRefused(t *testing.T) {
	t.Parallel()
	e := startEnterprise(t)
	set := func(name string, value any) func(jwt.MapClaims) { return func(c jwt.MapClaims) { c[name] = value } }
	registered := e.register("https://desk.example/back")
	now := e.now().Unix()

	for name, tc := range map[string]struct {
		provider *provider
		typ      string
		change   func(jwt.MapClaims)
		wanted   string
	}{
		"as it should be":                {e.idp, jagType, nil, ""},
		"as application/...":             {e.idp, "application/" + jagType, nil, ""},
		"without a resource":             {e.idp, jagType, func(c jwt.MapClaims) { delete(c, "resource") }, ""},
		"another audience":               {e.idp, jagType, set("aud", "https://other.example"), "invalid_grant"},
		"two audiences":                  {e.idp, jagType, set("aud", []string{base, "https://other.example"}), "invalid_grant"},
		"audience of our own API":        {e.idp, jagType, set("aud", base+"/v1"), "invalid_grant"},
		"another resource":               {e.idp, jagType, set("resource", "https://other.example/api/mcp"), "invalid_grant"},
		"another resource beside ours":   {e.idp, jagType, set("resource", []string{base + "/api/mcp", "https://other.example"}), "invalid_grant"},
		"an unknown issuer":              {e.idp, jagType, set("iss", "https://id.other.example"), "invalid_grant"},
		"signed by another firm's":       {e.other, jagType, set("iss", e.idp.URL), "invalid_grant"},
		"another firm's, for our user":   {e.other, jagType, nil, "invalid_grant"},
		"our provider, another's user":   {e.idp, jagType, set("org", "harbor"), "invalid_grant"},
		"a firm that has named none":     {e.idp, jagType, set("org", "elm"), "invalid_grant"},
		"no organization":                {e.idp, jagType, func(c jwt.MapClaims) { delete(c, "org") }, "invalid_grant"},
		"of another client":              {e.idp, jagType, set("client_id", "desk-of-elm"), "invalid_grant"},
		"without a client":               {e.idp, jagType, func(c jwt.MapClaims) { delete(c, "client_id") }, "invalid_grant"},
		"of a client of itself":          {e.idp, jagType, set("client_id", registered), "invalid_grant"},
		"over":                           {e.idp, jagType, func(c jwt.MapClaims) { c["iat"], c["exp"] = now-900, now-600 }, "invalid_grant"},
		"not yet":                        {e.idp, jagType, set("nbf", now+600), "invalid_grant"},
		"issued in the future":           {e.idp, jagType, set("iat", now+600), "invalid_grant"},
		"good for a day":                 {e.idp, jagType, set("exp", now+86400), "invalid_grant"},
		"without an end":                 {e.idp, jagType, func(c jwt.MapClaims) { delete(c, "exp") }, "invalid_grant"},
		"without a beginning":            {e.idp, jagType, func(c jwt.MapClaims) { delete(c, "iat") }, "invalid_grant"},
		"without an id":                  {e.idp, jagType, func(c jwt.MapClaims) { delete(c, "jti") }, "invalid_grant"},
		"without a subject":              {e.idp, jagType, func(c jwt.MapClaims) { delete(c, "sub") }, "invalid_grant"},
		"an access token":                {e.idp, "at+jwt", nil, "invalid_grant"},
		"an ID token":                    {e.idp, "JWT", nil, "invalid_grant"},
		"with scopes that nobody has":    {e.idp, jagType, set("scope", "cases:read everything"), "invalid_grant"},
		"with no scope":                  {e.idp, jagType, func(c jwt.MapClaims) { delete(c, "scope") }, "invalid_scope"},
		"with scopes of no use but this": {e.idp, jagType, set("scope", "offline_access"), "invalid_scope"},
	} {
		t.Run(name, func(t *testing.T) {
			got := e.form("/oauth/token", e.request(e.says(tc.provider, tc.typ, tc.change), e.proves(deskID, nil)))
			checkRefusal(t, got, tc.wanted, http.StatusBadRequest)
		})
	}
	t.Run("asked for another resource", func(t *testing.T) {
		got := e.form("/oauth/token", e.request(e.says(e.idp, jagType, nil), e.proves(deskID, nil), "resource", "https://other.example"))
		checkRefusal(t, got, "invalid_target", http.StatusBadRequest)
	})
	t.Run("a user whom the firm has let go", func(t *testing.T) {
		e.arrived(ada, person{"cal", "cal@oak.example", "oak", []string{"owner", "member"}})
		e.party.are("ada", "cal")
		cal := person{"cal", "cal@oak.example", "oak", []string{"owner", "member"}}
		live := e.form("/oauth/token", e.request(e.says(e.idp, jagType, nil), e.proves(deskID, nil))).tokens(t)
		if _, err := e.offboard(cal.caller(), "ada"); err != nil {
			t.Fatal(err)
		}
		if _, err := e.live(live.Access); err == nil {
			t.Error("the access goes on")
		}
		checkRefusal(t, e.form("/oauth/token", e.request(e.says(e.idp, jagType, nil), e.proves(deskID, nil))), "invalid_grant", http.StatusBadRequest)
	})
}

func checkRefusal(t *testing.T, got reply, code string, status int) {
	t.Helper()
	if code == "" && got.status == http.StatusOK {
		return
	}
	if code == "" || got.status != status || !strings.Contains(got.body, `"error":"`+code+`"`) {
		t.Errorf("%d %s, want %d %q", got.status, got.body, status, code)
	}
}

// TestClientsThatDoNotProveThemselves sends good assertions from clients that are not, or cannot show, who they say.
func TestClientsThatDoNotProveThemselves(t *testing.T) {
	t.Parallel()
	e := startEnterprise(t)
	stranger, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	registered := e.register("https://desk.example/back")
	set := func(name string, value any) string {
		return e.proves(deskID, func(_ *jwt.Token, c jwt.MapClaims) { c[name] = value })
	}
	used := e.proves(deskID, nil)
	e.form("/oauth/token", e.request(e.says(e.idp, jagType, nil), used)).tokens(t)
	foreign := *e
	foreign.key = stranger
	now := e.now().Unix()

	for name, proof := range map[string]string{
		"none":                    "",
		"nonsense":                "a.b.c",
		"of a stranger":           foreign.proves(deskID, nil),
		"used before":             used,
		"for another service":     set("aud", "https://other.example"),
		"for two services":        set("aud", []string{base, "https://other.example"}),
		"of another client":       set("sub", "desk-of-elm"),
		"over":                    set("exp", now-120),
		"for an hour":             set("exp", now+3600),
		"without an id":           set("jti", ""),
		"of one registered alone": e.proves(registered, nil),
		"of nobody":               e.proves("desk-of-nobody", nil),
		"with a key for encryption": e.proves(sealedID, func(token *jwt.Token, _ jwt.MapClaims) {
			delete(token.Header, "kid")
		}),
		"unsigned": e.proves(deskID, func(token *jwt.Token, _ jwt.MapClaims) {
			token.Header["alg"] = "none"
		}),
	} {
		t.Run(name, func(t *testing.T) {
			got := e.form("/oauth/token", e.request(e.says(e.idp, jagType, nil), proof))
			checkRefusal(t, got, "invalid_client", http.StatusUnauthorized)
		})
	}
	t.Run("of another type", func(t *testing.T) {
		form := e.request(e.says(e.idp, jagType, nil), e.proves(deskID, nil))
		form.Set("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:saml2-bearer")
		checkRefusal(t, e.form("/oauth/token", form), "invalid_client", http.StatusUnauthorized)
	})
}

// TestOneAssertionIsOneToken sends one assertion many times at once.
func TestOneAssertionIsOneToken(t *testing.T) {
	t.Parallel()
	e := startEnterprise(t)
	assertion := e.says(e.idp, jagType, nil)
	var given atomic.Int64
	var all sync.WaitGroup

	for range 16 {
		proof := e.proves(deskID, nil)
		all.Go(func() {
			if e.form("/oauth/token", e.request(assertion, proof)).status == http.StatusOK {
				given.Add(1)
			}
		})
	}
	all.Wait()
	if given.Load() != 1 {
		t.Errorf("%d tokens for one assertion", given.Load())
	}
}

func TestAssertionsWithoutRedisOrFirms(t *testing.T) {
	t.Parallel()
	e := startEnterprise(t)
	send := func() reply {
		return e.form("/oauth/token", e.request(e.says(e.idp, jagType, nil), e.proves(deskID, nil)))
	}
	link := stores.Cut(t, e.environ["REDIS_URL"])
	e.settings["REDIS_URL"] = link.URL()
	e.addr = e.run(e.settings)
	send().tokens(t)
	link.Break()
	checkRefusal(t, send(), "temporarily_unavailable", http.StatusServiceUnavailable)

	w := start(t)
	got := w.form("/oauth/token", e.request(e.says(e.idp, jagType, nil), e.proves(deskID, nil)))
	checkRefusal(t, got, "unsupported_grant_type", http.StatusBadRequest)
}

// TestKeysOfAClientWithoutNames has a client prove itself by one of several keys, and not say which.
func TestKeysOfAClientWithoutNames(t *testing.T) {
	t.Parallel()
	e := startEnterprise(t)
	proof := e.proves(manyID, func(token *jwt.Token, _ jwt.MapClaims) { delete(token.Header, "kid") })
	said := e.says(e.idp, jagType, func(c jwt.MapClaims) { c["client_id"] = manyID })
	e.form("/oauth/token", e.request(said, proof)).tokens(t)
}

// TestNonsenseHasNoDocumentFetched sends proofs that could not be good, whatever keys their client has, and then more
// that could than one address may have fetched.
func TestNonsenseHasNoDocumentFetched(t *testing.T) {
	t.Parallel()
	e := startEnterprise(t)
	e.settings["AUTH_CLIENT_PER_CALLER"] = "2"
	e.admitting(e.host, e.settings)
	now := e.now().Unix()

	for name, proof := range map[string]string{
		"aud": e.proves(e.document, func(_ *jwt.Token, c jwt.MapClaims) { c["aud"] = "https://other.example" }),
		"exp": e.proves(e.document, func(_ *jwt.Token, c jwt.MapClaims) { c["exp"] = now - 120 }),
		"far": e.proves(e.document, func(_ *jwt.Token, c jwt.MapClaims) { c["exp"] = now + 3600 }),
		"iss": e.proves(e.document, func(_ *jwt.Token, c jwt.MapClaims) { c["iss"] = deskID }),
		"jti": e.proves(e.document, func(_ *jwt.Token, c jwt.MapClaims) { delete(c, "jti") }),
	} {
		got := e.form("/oauth/token", e.request(e.says(e.idp, jagType, nil), proof, "client_id", e.document))
		if got.status != http.StatusUnauthorized || e.host.seen() != 0 {
			t.Errorf("%s: %d, %d fetches", name, got.status, e.host.seen())
		}
	}

	for n, want := range []int{http.StatusBadRequest, http.StatusBadRequest, http.StatusServiceUnavailable} {
		id := fmt.Sprintf("%s/%d.json", e.host.URL, n)
		form := e.request("no assertion", e.proves(id, nil))
		got := e.call(http.MethodPost, "/oauth/token", form.Encode(),
			"Content-Type", formType, httpx.HeaderClientAddress, "192.0.2.1")
		if got.status != want {
			t.Errorf("document %d of one caller: %d %s, want %d", n, got.status, got.body, want)
		}
	}
}

// TestAssertionsThatAreTurnedAwayAreOnRecord checks that the firm can see what was tried in its people's names.
func TestAssertionsThatAreTurnedAwayAreOnRecord(t *testing.T) {
	t.Parallel()
	e := startEnterprise(t)
	cal := person{"cal", "cal@oak.example", "oak", []string{"owner", "member"}}
	e.arrived(ada, cal)
	e.party.are("ada", "cal")
	assertion, proof := e.says(e.idp, jagType, nil), e.proves(deskID, nil)
	e.form("/oauth/token", e.request(assertion, proof)).tokens(t)

	for range 2 { // the second adds nothing
		checkRefusal(t, e.form("/oauth/token", e.request(assertion, e.proves(deskID, nil))), "invalid_grant", 400)
	}
	checkRefusal(t, e.form("/oauth/token", e.request(assertion, proof)), "invalid_client", 401)
	if _, err := e.offboard(cal.caller(), "ada"); err != nil {
		t.Fatal(err)
	}
	late := e.request(e.says(e.idp, jagType, nil), e.proves(deskID, nil))
	checkRefusal(t, e.form("/oauth/token", late), "invalid_grant", 400)

	outcomes := []string{}
	for _, event := range e.onRecord("o:oak", "grant.refused") {
		outcomes = append(outcomes, event.Outcome)
		if event.Actor.ID != deskID || event.Actor.UserID != "ada" {
			t.Errorf("%+v", event)
		}
	}
	slices.Sort(outcomes)
	if !slices.Equal(outcomes, []string{"assertion_replayed", "proof_replayed", "suspended"}) {
		t.Errorf("on record: %v", outcomes)
	}
}

// TestAMistakeUsesNothingUp sends a proof again that came with a mistake, and a used assertion of nobody known.
func TestAMistakeUsesNothingUp(t *testing.T) {
	t.Parallel()
	e := startEnterprise(t)
	proof := e.proves(deskID, nil)
	empty := e.says(e.idp, jagType, func(c jwt.MapClaims) { delete(c, "scope") })
	checkRefusal(t, e.form("/oauth/token", e.request(empty, proof)), "invalid_scope", http.StatusBadRequest)
	assertion := e.says(e.idp, jagType, nil)
	e.form("/oauth/token", e.request(assertion, proof)).tokens(t)

	members := e.db.Collection("members")
	if gone, err := members.DeleteMany(t.Context(), bson.D{}); err != nil || gone.DeletedCount != 1 {
		t.Fatalf("members: %+v, %v", gone, err)
	}
	again := e.form("/oauth/token", e.request(assertion, e.proves(deskID, nil)))
	checkRefusal(t, again, "invalid_grant", http.StatusBadRequest)
	if n, err := members.CountDocuments(t.Context(), bson.D{}); err != nil || n != 0 {
		t.Errorf("a used assertion made %d members, %v", n, err)
	}
}

// TestSettingsThatCouldBeReadInTwoWays has settings that name something twice, or in other words than ours.
func TestSettingsThatCouldBeReadInTwoWays(t *testing.T) {
	t.Parallel()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	keys, err := json.Marshal(jwks(jose.JSONWebKey{Key: &key.PublicKey}))
	if err != nil {
		t.Fatal(err)
	}
	client := `{"client_id":"desk","client_name":"Desk","jwks":` + string(keys) + `}`
	if all, err := enterpriseClients("[" + client + "]"); err != nil || len(all) != 1 {
		t.Fatalf("as it should be: %v, %v", all, err)
	}

	for name, text := range map[string]string{
		"one id twice":      client + "," + client,
		"an unknown member": strings.Replace(client, "{", `{"redirect_uris":[],`, 1),
		"another case":      strings.Replace(client, "client_name", "Client_Name", 1),
		"a member twice":    strings.Replace(client, "{", `{"client_id":"other",`, 1),
		"keys twice":        strings.Replace(client, `{"keys":`, `{"Keys":[],"keys":`, 1),
		"keys, capital":     strings.Replace(client, `{"keys":`, `{"Keys":`, 1),
	} {
		if all, err := enterpriseClients("[" + text + "]"); err == nil {
			t.Errorf("%s: %v", name, all)
		}
	}

	issuers := []string{"oak=https://a.example", "oak=https://b.example"}
	cfg := authsvc.Config{JAGIssuers: issuers, OIDCTenantClaim: "org"}
	if all := strings.Join(cfg.Problems(), "\n"); !strings.Contains(all, "names an organization twice") {
		t.Errorf("two issuers of one organization: %s", all)
	}
}

// enterpriseClients reads the file of clients as the service does.
func enterpriseClients(text string) (map[string]oauth.Client, error) {
	return oauth.NewEnterpriseClients([]byte(text), strictjson.Decode, strictjson.DecodeStranger)
}
