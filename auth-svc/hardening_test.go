package authsvc_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/audit/chain"
	"github.com/subrosa-legal/subrosa/pkg/authn"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
	"go.mongodb.org/mongo-driver/v2/bson"
)

func TestMetadataSaysWhatHostsLookFor(t *testing.T) {
	t.Parallel()

	w := start(t)
	for path, want := range map[string]map[string]any{
		"/.well-known/oauth-authorization-server": {
			"issuer": base, "authorization_endpoint": base + "/oauth/authorize", "token_endpoint": base + "/oauth/token", "registration_endpoint": base + "/oauth/register",
			"revocation_endpoint": base + "/oauth/revoke", "jwks_uri": base + "/.well-known/jwks.json", "response_types_supported": []any{"code"}, "response_modes_supported": []any{"query"},
			"grant_types_supported": []any{"authorization_code", "refresh_token"}, "token_endpoint_auth_methods_supported": []any{"none"}, "revocation_endpoint_auth_methods_supported": []any{"none"},
			"code_challenge_methods_supported": []any{"S256"}, "scopes_supported": []any{"cases:read", "cases:write", "agent:run", "offline_access"},
			"client_id_metadata_document_supported": true, "authorization_response_iss_parameter_supported": true, "protected_resources": []any{base + "/api/mcp"},
		},
		"/.well-known/oauth-protected-resource": {
			"resource": base + "/api/mcp", "resource_name": "Subrosa", "authorization_servers": []any{base}, "scopes_supported": []any{"cases:read", "cases:write", "agent:run"}, "bearer_methods_supported": []any{"header"},
		},
	} {
		r := w.call(http.MethodGet, path, "")
		var got map[string]any
		if err := json.Unmarshal([]byte(r.body), &got); err != nil || fmt.Sprint(got) != fmt.Sprint(want) || r.header.Get("Cache-Control") != "public, max-age=300" || r.header.Get("Pragma") != "" {
			t.Errorf("%s: %v, %v, want %v", path, got, err, want)
		}
	}
	root, ours := w.call(http.MethodGet, "/.well-known/oauth-protected-resource", ""), w.call(http.MethodGet, "/.well-known/oauth-protected-resource/api/mcp", "")
	if root.body != ours.body || ours.status != http.StatusOK {
		t.Errorf("the two places differ: %s", ours.body)
	}
}

func TestS38RegistrationsThatAreTakenAndRefused(t *testing.T) {
	t.Parallel()
	w := start(t)
	post := func(media, body string) reply {
		return w.call(http.MethodPost, "/oauth/register", body, "Content-Type", media)
	}
	var out map[string]any
	r := post(jsonType, `{"redirect_uris":["http://localhost/callback"],"token_endpoint_auth_method":"client_secret_basic","client_secret":"x","scope":"openid","application_type":"native","contacts":["a"],"jwks":{"keys":[]}}`)
	if err := json.Unmarshal([]byte(r.body), &out); err != nil || r.status != http.StatusCreated || r.header.Get("Cache-Control") != "no-store" {
		t.Fatalf("%d %s", r.status, r.body)
	}

	names := []string{}
	for name, value := range out {
		names = append(names, name)
		if value == nil {
			t.Errorf("%s is null", name)
		}
	}
	slices.Sort(names)
	if want := "client_id client_id_issued_at grant_types redirect_uris response_types token_endpoint_auth_method"; strings.Join(names, " ") != want || out["token_endpoint_auth_method"] != "none" {
		t.Errorf("registered with %v", out)
	}
	eleven := `"` + strings.Join(slices.Repeat([]string{callback}, 11), `","`) + `"`

	long := `"` + callback + "/" + strings.Repeat("x", 2000)
	for body, want := range map[string]string{
		`{"redirect_uris":[` + long + `1",` + long + `2",` + long + `3"]}`:                           "invalid_redirect_uri",
		`{"redirect_uris":["javascript:alert(1)"]}`:                                                  "invalid_redirect_uri",
		`{"redirect_uris":["http://app.example.com/callback"]}`:                                      "invalid_redirect_uri",
		`{"redirect_uris":["https://10.0.0.1/callback"]}`:                                            "invalid_redirect_uri",
		`{"redirect_uris":["https://192.168.1.1/callback"]}`:                                         "invalid_redirect_uri",
		`{"redirect_uris":["https://[fd00::1]/callback"]}`:                                           "invalid_redirect_uri",
		`{"redirect_uris":["https://app.example.com/callback#x"]}`:                                   "invalid_redirect_uri",
		`{"redirect_uris":["https://u@app.example.com/callback"]}`:                                   "invalid_redirect_uri",
		`{"redirect_uris":["https://app.example.com/c","myapp://callback"]}`:                         "invalid_redirect_uri",
		`{"redirect_uris":["https://bücher.example/callback"]}`:                                      "invalid_redirect_uri",
		`{"redirect_uris":[` + eleven + `]}`:                                                         "invalid_redirect_uri",
		`{"redirect_uris":[]}`:                                                                       "invalid_redirect_uri",
		`{}`:                                                                                         "invalid_redirect_uri",
		`{"redirect_uris":["` + callback + `"],"grant_types":["client_credentials"]}`:                "invalid_client_metadata",
		`{"redirect_uris":["` + callback + `"],"response_types":["token"]}`:                          "invalid_client_metadata",
		`{"redirect_uris":["` + callback + `"],"client_name":"a\u202eb"}`:                            "invalid_client_metadata",
		`{"redirect_uris":["` + callback + `"],"client_name":"a\u0000b"}`:                            "invalid_client_metadata",
		`{"redirect_uris":["` + callback + `"],"client_name":"a\u200bb"}`:                            "invalid_client_metadata",
		`{"redirect_uris":["` + callback + `"],"client_name":"` + strings.Repeat("x", 10<<10) + `"}`: "invalid_client_metadata",
		`{"redirect_uris":"` + callback + `"}`:                                                       "invalid_client_metadata",
		`{"redirect_uris":["` + callback + `"],"redirect_uris":["` + callback + `"]}`:                "invalid_client_metadata",
		`{"redirect_uris":["` + callback + `"],"REDIRECT_URIS":["https://evil.example/cb"]}`:         "invalid_client_metadata",
		`{"Redirect_uris":["` + callback + `"]}`:                                                     "invalid_client_metadata",
		`{"redirect_uris":["` + callback + `"],"Client_Name":"x"}`:                                   "invalid_client_metadata",
		`{"redirect_uris":["` + callback + `"],"client_name":"x","client_Name":"y"}`:                 "invalid_client_metadata",
		`{"redirect_uris":["` + callback + `"],"x":"` + strings.Repeat("x", 65<<10) + `"}`:           "invalid_client_metadata",
		`{"redirect_uris":["` + callback + `"],"scope":{}}`:                                          "invalid_client_metadata",
		`[]`: "invalid_client_metadata",
		``:   "invalid_client_metadata",
	} {
		if r := post(jsonType, body); r.status != http.StatusBadRequest || r.code() != want {
			t.Errorf("%.80s: %d %s, want %s", body, r.status, r.body, want)
		}
	}
	if r := post("text/plain", `{"redirect_uris":["`+callback+`"]}`); r.status != http.StatusBadRequest {
		t.Errorf("text: %d", r.status)
	}

	for range 20 {
		w.register(callback)
	}
	if n, err := w.db.Collection("oauth_clients").CountDocuments(t.Context(), bson.D{}); err != nil || n != 0 {
		t.Errorf("%d registrations reached MongoDB, %v", n, err)
	}
	client := w.register(callback)
	w.skip.Add(int64(25 * time.Hour))
	if r := (&browser{w: w}).visit(ask(client, callback, "")); r.status != http.StatusBadRequest {
		t.Errorf("a registration of yesterday that nobody used: %d", r.status)
	}
	r = post(jsonType, `{"client_name":"<b>Bold</b> & \"Sons\"","redirect_uris":["`+callback+`"],"grant_types":["authorization_code"]}`)
	_ = json.Unmarshal([]byte(r.body), &out)
	client, _ = out["client_id"].(string)
	a := ask(client, callback, "")
	b := &browser{w: w}
	page := b.visit(a)
	if strings.Contains(page.body, "<b>") || !strings.Contains(page.body, "&lt;b&gt;Bold&lt;/b&gt; &amp; &#34;Sons&#34;") {
		t.Errorf("the name is not escaped: %s", page.body)
	}
	got := w.form("/oauth/token", a.exchange(b.answer(page, "allow").back(t, callback).Get("code"))).tokens(t)
	if got.Refresh != "" || got.Scope != "cases:read" {
		t.Errorf("a client that may not refresh and asked for nothing got %+v", got)
	}
	w.skip.Add(int64(48 * time.Hour))
	if r := b.visit(ask(client, callback, "")); r.status != http.StatusOK {
		t.Errorf("a client that somebody allowed is forgotten: %d", r.status)
	}
}

var styleForm = regexp.MustCompile(`(?s)<style>(.*?)</style>`)

func TestPagesHaveTheirStyleAndNothingElse(t *testing.T) {
	t.Parallel()
	w := start(t)

	b := &browser{w: w}
	for name, page := range map[string]reply{"the question": b.visit(ask(w.register(callback), callback, "")), "a message": b.get("/oauth/authorize")} {
		style := styleForm.FindStringSubmatch(page.body)
		if style == nil {
			t.Fatalf("%s has no style: %s", name, page.body)
		}
		sum := sha256.Sum256([]byte(style[1]))
		if csp := page.header.Get("Content-Security-Policy"); !strings.Contains(csp, "style-src 'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'") {
			t.Errorf("%s: the policy %q is not of its style", name, csp)
		}

		for _, banned := range []string{"<script", "<img", "<link", " style=", "onclick", "onload", "http://", "//"} {
			if strings.Contains(styleForm.ReplaceAllString(page.body, ""), banned) {
				t.Errorf("%s has %q", name, banned)
			}
		}
	}
}

func TestWithoutAClientAtTheProviderAPageSaysWhatIsMissing(t *testing.T) {
	t.Parallel()
	w := start(t)
	client := w.register(callback)
	w.addr = w.run(map[string]string{"OIDC_CLIENT_ID": ""})
	if r := (&browser{w: w}).get("/oauth/authorize?" + ask(client, callback, "").params.Encode()); r.status != http.StatusServiceUnavailable || !strings.Contains(r.body, "OIDC_CLIENT_ID") {
		t.Errorf("%d %s", r.status, r.body)
	}
	if r := w.call(http.MethodGet, "/.well-known/oauth-authorization-server", ""); r.status != http.StatusOK {
		t.Errorf("metadata: %d", r.status)
	}
}

func TestTheProviderMayMove(t *testing.T) {
	t.Parallel()
	w := start(t)
	client := w.register(callback)
	b := &browser{w: w}
	visit := func(when string, want int) {
		t.Helper()
		if r := b.visit(ask(client, callback, "")); r.status != want {
			t.Errorf("%s: %d %s", when, r.status, r.body)
		}
	}
	visit("at first", http.StatusOK)
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	w.idp.set(func(p *provider) { p.keys, p.moved = "/keys2", key })
	visit("with keys elsewhere, a moment after a discovery", http.StatusBadRequest)
	w.skip.Add(int64(2 * time.Minute))
	visit("with keys elsewhere", http.StatusOK)
	leads := func(when, want string) {
		t.Helper()
		if to := b.get("/oauth/authorize?" + ask(w.register(callback), callback, "").params.Encode()).header.Get("Location"); !strings.HasPrefix(to, w.idp.URL+want+"?") {
			t.Errorf("%s people are sent to %s", when, to)
		}
	}
	w.idp.set(func(p *provider) { p.at = "/authorize2" })
	w.skip.Add(int64(23 * time.Hour))
	leads("within a day", "/authorize")
	w.skip.Add(int64(2 * time.Hour))
	leads("after a day", "/authorize2")
	w.idp.set(func(p *provider) { p.at, p.noWord = "/authorize3", true })
	w.skip.Add(int64(25 * time.Hour))
	leads("while discovery fails", "/authorize2")
	w.idp.set(func(p *provider) { p.noWord = false })
	w.skip.Add(int64(3 * time.Second))
	leads("when it works again", "/authorize3")
}

func TestTheRoutesTakeTheGatewaysWordThatSomebodyIsNobody(t *testing.T) {
	t.Parallel()

	w := start(t)
	for _, caller := range []access.Caller{
		adaHere,
		{Kind: access.OAuth, Tenant: "o:oak", UserID: "ada", ClientID: "x"},
		{Kind: access.Service},
	} {
		r, err := w.try(caller, http.MethodPost, "/oauth/token", "", "Content-Type", formType)
		if err != nil || r.status != http.StatusForbidden {
			t.Errorf("%s: %d, %v", caller.Kind, r.status, err)
		}
	}
	req, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+w.addr+"/oauth/authorize", nil)
	resp, err := w.http.RoundTrip(req)
	if err != nil || resp.StatusCode != http.StatusUnauthorized {
		t.Fatalf("without an internal token: %v, %v", resp, err)
	}
	_ = resp.Body.Close()
}

func TestRefreshTokensMoveToANewPepper(t *testing.T) {
	t.Parallel()
	w := start(t)
	client, other := w.register(callback), w.register(callback)
	got, lost := w.connect(client, "cases:read"), w.connect(other, "cases:read")
	old := w.environ["KEY_PEPPER"]
	fresh := authn.NewPepper()
	w.addr = w.run(map[string]string{"KEY_PEPPER": fresh, "KEY_PEPPER_PREVIOUS": old})
	next := w.form("/oauth/token", refreshing(client, got.Refresh)).tokens(t)
	if again := w.form("/oauth/token", refreshing(client, got.Refresh)).tokens(t); again.Refresh != next.Refresh {
		t.Error("the successor differs")
	}
	w.addr = w.run(map[string]string{"KEY_PEPPER": fresh})
	w.form("/oauth/token", refreshing(client, next.Refresh)).tokens(t)
	if r := w.form("/oauth/token", refreshing(other, lost.Refresh)); r.code() != "invalid_grant" {
		t.Errorf("a token under a pepper that is gone: %d %s", r.status, r.body)
	}
}

func TestTheSweepFinishesAndForgets(t *testing.T) {
	t.Parallel()
	w := start(t)
	client := w.register(callback)
	got := w.connect(client, "cases:read")
	page, _ := w.grants(adaHere, "")
	gid := page.Items[0].GrantID
	// Somebody ended the grant and died before its live record was dropped.
	if _, err := w.db.Collection("grants").UpdateByID(t.Context(), gid, bson.D{{Key: "$set", Value: bson.D{{Key: "state", Value: "ending"}, {Key: "endReason", Value: "user"}, {Key: "endedAt", Value: w.now().Add(-time.Minute)}}}}); err != nil {
		t.Fatal(err)
	}
	w.run(map[string]string{"AUTH_SWEEP": "20ms"})
	testkit.Until(t, testkit.Patience, func() error {
		if _, err := w.live(got.Access); !errors.Is(err, access.ErrUnauthenticated) {
			return fmt.Errorf("the access token still lives: %w", err)
		}

		return nil
	})
	left := func(collection string, id string) func() error {
		return func() error {
			n, err := w.db.Collection(collection).CountDocuments(t.Context(), bson.D{{Key: "_id", Value: id}})
			if err == nil && n != 0 {
				err = errors.New(collection + " still has " + id)
			}

			return err
		}
	}
	if err := left("oauth_clients", client)(); err == nil {
		t.Error("a client of a grant is forgotten")
	}
	w.skip.Add(int64(26 * time.Hour))
	testkit.Until(t, testkit.Patience, left("grants", gid))
	w.skip.Add(int64(26 * time.Hour))
	testkit.Until(t, testkit.Patience, left("oauth_clients", client))
	if r := w.form("/oauth/token", refreshing(client, got.Refresh)); r.status != http.StatusUnauthorized || r.code() != "invalid_client" {
		t.Errorf("a client that is forgotten: %d %s", r.status, r.body)
	}
}

// actions returns the record of ada's tenant as action and outcome.
func (w *world) actions() []string {
	w.t.Helper()
	events, err := chain.New(w.db.Collection("audit"), w.now).List(w.t.Context(), "o:oak", chain.Filter{Limit: 100})
	if err != nil {
		w.t.Fatal(err)
	}

	all := make([]string, len(events))
	for i, e := range events {
		all[i] = e.Actor.Kind + " " + e.Action + " " + e.Outcome
	}

	return all
}

func TestTheSweepGoesOnAfterAFailure(t *testing.T) {
	t.Parallel()
	w := start(t)
	client, other := w.register(callback), w.register(callback)
	w.connect(client, "cases:read")
	w.connect(other, "cases:read")
	page, _ := w.grants(adaHere, "")
	stuck, gid := page.Items[1].GrantID, page.Items[0].GrantID
	// The first has a tenant whose end can never be recorded.
	for id, change := range map[string]bson.D{
		stuck: {{Key: "tenant", Value: "o:no/chain"}, {Key: "state", Value: "ending"}, {Key: "endReason", Value: "user"}, {Key: "endedAt", Value: w.now().Add(-2 * time.Hour)}, {Key: "removableAt", Value: w.now().Add(22 * time.Hour)}},
		gid:   {{Key: "state", Value: "ending"}, {Key: "endReason", Value: "user"}, {Key: "endedAt", Value: w.now().Add(-time.Hour)}, {Key: "removableAt", Value: w.now().Add(23 * time.Hour)}},
	} {
		if _, err := w.db.Collection("grants").UpdateByID(t.Context(), id, bson.D{{Key: "$set", Value: change}}); err != nil {
			t.Fatal(err)
		}
	}
	w.run(map[string]string{"AUTH_SWEEP": "20ms"})
	w.skip.Add(int64(25 * time.Hour))
	testkit.Until(t, testkit.Patience, func() error {
		n, err := w.db.Collection("grants").CountDocuments(t.Context(), bson.D{{Key: "_id", Value: gid}})
		if err == nil && n != 0 {
			err = errors.New("the second grant is still there")
		}

		return err
	})
	if n, err := w.db.Collection("grants").CountDocuments(t.Context(), bson.D{{Key: "_id", Value: stuck}}); err != nil || n != 1 {
		t.Errorf("the first grant: %d, %v", n, err)
	}
}

func TestTheEndByTimeIsOnRecordOnce(t *testing.T) {
	t.Parallel()
	w := start(t)

	for range 3 {
		w.connect(w.register(callback), "cases:read")
	}
	page, _ := w.grants(adaHere, "")

	for range 2 {
		w.run(map[string]string{"AUTH_SWEEP": "20ms"})
	}
	count := func() int {
		return len(slices.DeleteFunc(w.actions(), func(a string) bool { return a != "service grant.expired ok" }))
	}
	ends := func(want int) {
		testkit.Until(t, testkit.Patience, func() error {
			if n := count(); n != want {
				return fmt.Errorf("%d ends on record, want %d", n, want)
			}

			return nil
		})
	}
	none := func(of bson.D) {
		testkit.Until(t, testkit.Patience, func() error {
			left, err := w.db.Collection("grants").CountDocuments(t.Context(), of)
			if err == nil && left != 0 {
				err = fmt.Errorf("%d grants are left", left)
			}

			return err
		})
	}
	// An end that is on record is not yet over. Were the clock set on then, it would count as left half way, and
	// another process would finish it with a record of its own.
	later := func(by time.Duration) {
		none(bson.D{{Key: "state", Value: "ending"}})
		w.skip.Add(int64(by))
	}
	later(29 * 24 * time.Hour)
	// The time of two others is up, of one after the other: their ends tell that a whole sweep has looked at all three.
	early := bson.D{{Key: "$set", Value: bson.D{{Key: "expiresAt", Value: w.now().Add(-time.Minute)}, {Key: "removableAt", Value: w.now().Add(23 * time.Hour)}}}}

	for n, g := range page.Items[1:] {
		if _, err := w.db.Collection("grants").UpdateByID(t.Context(), g.GrantID, early); err != nil {
			t.Fatal(err)
		}
		ends(n + 1)
	}
	if now, _ := w.grants(adaHere, ""); len(now.Items) != 1 || now.Items[0].GrantID != page.Items[0].GrantID {
		t.Errorf("a grant that lives has ended: %+v", now.Items)
	}
	later(2 * 24 * time.Hour)
	ends(3)
	later(25 * time.Hour)
	none(bson.D{})
	if n := count(); n != 3 {
		t.Errorf("%d ends on record, want 3", n)
	}
}

func TestRegistrationsOfOneAddressAreCounted(t *testing.T) {
	t.Parallel()
	w := prepare(t)

	w.addr = w.run(map[string]string{"AUTH_REGISTRATIONS": "2"})
	for n, want := range []int{201, 201, 429} {
		if r := w.call(http.MethodPost, "/oauth/register", `{"redirect_uris":["`+callback+`"]}`, "Content-Type", jsonType, httpx.HeaderClientAddress, "192.0.2.1"); r.status != want {
			t.Errorf("registration %d: %d %s, want %d", n, r.status, r.body, want)
		}
	}
	if r := w.call(http.MethodPost, "/oauth/register", `{"redirect_uris":["`+callback+`"]}`, "Content-Type", jsonType, httpx.HeaderClientAddress, "192.0.2.2"); r.status != 201 {
		t.Errorf("another address: %d %s", r.status, r.body)
	}
}

func TestARequestKeepsOneRedirectAddress(t *testing.T) {
	t.Parallel()
	w := start(t)
	const second = "https://second.example.com/callback"
	client := w.register(callback, second)
	a, b := ask(client, callback, ""), &browser{w: w}
	page := b.visit(a)
	asked, err := w.rdb.Keys(t.Context(), "auth:req:*").Result()
	if err != nil || len(asked) != 1 {
		t.Fatalf("requests %v, %v", asked, err)
	}
	if h, err := w.rdb.HGetAll(t.Context(), asked[0]).Result(); err != nil || strings.Contains(h["request"], second) || !strings.Contains(h["request"], callback) {
		t.Errorf("the request is %v, %v", h, err)
	}
	w.form("/oauth/token", a.exchange(b.answer(page, "allow").back(t, callback).Get("code"))).tokens(t)
	w.skip.Add(int64(25 * time.Hour)) // the registration's day passes; what the user allowed stays whole
	if r := b.visit(ask(client, second, "")); r.status != http.StatusOK {
		t.Errorf("the other redirect address of an allowed client: %d", r.status)
	}
}

func TestStoresAwayGrantNothing(t *testing.T) {
	t.Parallel()
	w := start(t)
	redis, mongo := stores.Cut(t, w.environ["REDIS_URL"]), stores.Cut(t, w.environ["MONGODB_URI"])
	sound, away := w.addr, w.run(map[string]string{"REDIS_URL": redis.URL(), "MONGODB_URI": mongo.URL(), "MONGODB_TIMEOUT": "1s"})
	client := w.register(callback)
	got := w.connect(client, "cases:read")
	b := &browser{w: w}
	page := b.visit(ask(client, callback, ""))

	for name, link := range map[string]*stores.Link{"Redis": redis, "MongoDB": mongo} {
		w.addr = away
		link.Break()
		r := w.form("/oauth/token", refreshing(client, got.Refresh))
		if r.status != http.StatusServiceUnavailable || r.code() != "temporarily_unavailable" || r.header.Get("Retry-After") == "" {
			t.Errorf("a refresh without %s: %d %s", name, r.status, r.body)
		}
		if name == "Redis" {
			if r := b.answer(page, "allow"); r.status != http.StatusServiceUnavailable || r.header.Get("Location") != "" || !strings.Contains(r.header.Get("Content-Type"), "html") {
				t.Errorf("an answer without %s: %d to %q", name, r.status, r.header.Get("Location"))
			}
		}
		if r := w.form("/oauth/revoke", url.Values{"token": {got.Refresh}}); r.status != http.StatusServiceUnavailable {
			t.Errorf("giving back without %s: %d", name, r.status)
		}
		link.Mend()
		testkit.Until(t, testkit.Patience, func() error {
			if r := w.call(http.MethodPost, "/oauth/revoke", "token="+got.Refresh, "Content-Type", formType); r.status != http.StatusOK {
				return fmt.Errorf("status %d", r.status)
			}

			return nil
		})
		w.addr = sound
		got = w.connect(client, "cases:read")
		page = b.visit(ask(client, callback, ""))
	}
}

// TestOnlyAnAnswerLeavesOpenWhetherAnythingWasAllowed: before a person has answered, a write that is
// lost allowed nothing.
func TestOnlyAnAnswerLeavesOpenWhetherAnythingWasAllowed(t *testing.T) {
	t.Parallel()
	w := start(t)
	link := stores.Cut(t, w.environ["REDIS_URL"])
	w.addr = w.run(map[string]string{"REDIS_URL": link.URL()})
	client := w.register(callback)
	const nothing, doubt = "nothing was allowed", "may have been allowed"

	for _, tc := range []struct {
		name, lost string // the command whose answer is lost
		last       func(t *testing.T, b *browser, lose func()) reply
		want       string
	}{
		{"the way to the provider", "hset", func(_ *testing.T, b *browser, lose func()) reply {
			lose()
			return b.get("/oauth/authorize?" + ask(client, callback, "").params.Encode())
		}, nothing},
		{"the way back from the provider", "evalsha", func(t *testing.T, b *browser, lose func()) reply {
			t.Helper()
			sent := b.get("/oauth/authorize?" + ask(client, callback, "").params.Encode())
			back, ok := w.atProvider(sent.header.Get("Location"))
			if !ok {
				t.Fatal("the provider refused")
			}
			lose()

			return b.get(back)
		}, nothing},
		{"the answer", "evalsha", func(_ *testing.T, b *browser, lose func()) reply {
			page := b.visit(ask(client, callback, ""))
			lose()

			return b.answer(page, "allow")
		}, doubt},
	} {
		t.Run(tc.name, func(t *testing.T) {
			defer link.Mend()
			r := tc.last(t, &browser{w: w}, func() { link.LoseAnswers(tc.lost) })
			if r.status != http.StatusServiceUnavailable || !strings.Contains(r.body, tc.want) {
				t.Errorf("got %d, want a page that says %q:\n%s", r.status, tc.want, r.body)
			}
		})
	}
}

func TestNoSecretIsLoggedOrStored(t *testing.T) {
	t.Parallel()
	w := start(t)
	client := w.register(callback)
	a := ask(client, callback, "cases:read")
	b := &browser{w: w}
	page := b.visit(a)
	code := b.answer(page, "allow").back(t, callback).Get("code")
	got := w.form("/oauth/token", a.exchange(code)).tokens(t)
	next := w.form("/oauth/token", refreshing(client, got.Refresh)).tokens(t)
	w.form("/oauth/token", a.exchange(code))
	w.idp.set(func(p *provider) { p.answer = func(q url.Values) { q.Set("iss", "x") } })
	b.visit(a)
	_, cookie, _ := strings.Cut(b.cookie, "=")
	secrets := map[string]string{
		"code": code, "verifier": a.verifier, "access token": got.Access, "refresh token": got.Refresh, "next refresh token": next.Refresh, "cookie": cookie,
		"seal of a refresh token": got.Refresh[strings.LastIndexByte(got.Refresh, '.')+1:],
	}

	stored := w.stored()
	for name, secret := range secrets {
		if strings.Contains(w.logs.String(), secret) {
			t.Errorf("the %s is logged", name)
		}
		if strings.Contains(stored, secret) {
			t.Errorf("the %s is stored", name)
		}
	}

	for name, text := range map[string]string{"person": ada.name, "client": "Helper", "state": "st&te"} {
		if strings.Contains(w.logs.String(), text) {
			t.Errorf("the %s is logged", name)
		}
	}
	if strings.Contains(stored, ada.name) {
		t.Error("the person's name is stored")
	}
}

// stored returns everything that the stores hold.
func (w *world) stored() string {
	w.t.Helper()
	var all strings.Builder
	keys, err := w.rdb.Keys(w.t.Context(), "*").Result()
	if err != nil || len(keys) == 0 {
		w.t.Fatalf("keys %v, %v", keys, err)
	}

	for _, key := range keys {
		all.WriteString(key)
		if s, err := w.rdb.Get(w.t.Context(), key).Result(); err == nil {
			all.WriteString(s)
		}
		if h, err := w.rdb.HGetAll(w.t.Context(), key).Result(); err == nil {
			fmt.Fprint(&all, h)
		}
	}

	for _, name := range []string{"grants", "oauth_clients", "audit"} {
		cursor, err := w.db.Collection(name).Find(w.t.Context(), bson.D{})
		if err != nil {
			w.t.Fatal(err)
		}
		var docs []bson.D
		if err := cursor.All(w.t.Context(), &docs); err != nil || len(docs) == 0 {
			w.t.Fatalf("%s: %d documents, %v", name, len(docs), err)
		}
		fmt.Fprint(&all, docs)
	}

	return all.String()
}
