package authsvc_test

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"html"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/authn"
	"github.com/subrosa-legal/subrosa/pkg/redisx"
)

// reply is an answer, read whole.
type reply struct {
	status int
	header http.Header
	body   string
}

// code returns the error of an answer in OAuth's form.
func (r reply) code() string {
	var e struct {
		Error string `json:"error"`
	}
	_ = json.Unmarshal([]byte(r.body), &e)

	return e.Error
}

// call sends a request as the gateway passes it on for nobody. header is name, value, name, value.
func (w *world) call(method, path, body string, header ...string) reply {
	w.t.Helper()
	r, err := w.try(access.Caller{Kind: access.Public}, method, path, body, header...)
	if err != nil {
		w.t.Fatal(err)
	}

	return r
}

// try is call for any caller, and for goroutines.
func (w *world) try(caller access.Caller, method, path, body string, header ...string) (reply, error) {
	req, err := http.NewRequestWithContext(w.t.Context(), method, "http://"+w.addr+path, strings.NewReader(body))
	if err != nil {
		return reply{}, err
	}
	token, err := w.signer["gateway"].Token(caller)
	if err != nil {
		return reply{}, err
	}
	req.Header.Set("Authorization", "Bearer "+token)

	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := w.http.RoundTrip(req)
	if err != nil {
		return reply{}, err
	}

	defer func() { _ = resp.Body.Close() }()
	var b bytes.Buffer
	_, err = io.Copy(&b, resp.Body)

	return reply{resp.StatusCode, resp.Header, b.String()}, err
}

const (
	formType = "application/x-www-form-urlencoded"
	jsonType = "application/json"
)

func (w *world) form(path string, form url.Values) reply {
	w.t.Helper()
	return w.call(http.MethodPost, path, form.Encode(), "Content-Type", formType)
}

// register takes up a client with these redirect addresses and returns its id.
func (w *world) register(redirects ...string) string {
	w.t.Helper()
	body, err := json.Marshal(map[string]any{"client_name": "Helper", "redirect_uris": redirects})
	if err != nil {
		w.t.Fatal(err)
	}
	r := w.call(http.MethodPost, "/oauth/register", string(body), "Content-Type", jsonType)
	var out struct {
		ID string `json:"client_id"`
	}
	if err := json.Unmarshal([]byte(r.body), &out); err != nil || r.status != http.StatusCreated {
		w.t.Fatalf("register: %d %s", r.status, r.body)
	}

	return out.ID
}

const callback = "https://app.example.com/callback"

// asked is an authorization request of a client, with the secret that belongs to it.
type asked struct {
	params   url.Values
	verifier string
}

func ask(client, redirect, scope string) asked {
	verifier := rand.Text() + rand.Text()
	sum := sha256.Sum256([]byte(verifier))

	return asked{url.Values{
		"response_type": {"code"}, "client_id": {client}, "redirect_uri": {redirect}, "state": {"st&te"}, "scope": {scope}, "resource": {base + "/api/mcp"},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(sum[:])}, "code_challenge_method": {"S256"},
	}, verifier}
}

// browser is a person's browser, with the one cookie that auth-svc sets.
type browser struct {
	w      *world
	cookie string
}

func (b *browser) keep(r reply) {
	if set := r.header.Get("Set-Cookie"); set != "" {
		b.cookie, _, _ = strings.Cut(set, ";")
	}
}

func (b *browser) get(path string) reply {
	b.w.t.Helper()
	r := b.w.call(http.MethodGet, path, "", "Cookie", b.cookie)
	b.keep(r)

	return r
}

// visit begins a request and goes to the provider and back, to what auth-svc answers then.
func (b *browser) visit(a asked) reply {
	b.w.t.Helper()
	r := b.get("/oauth/authorize?" + a.params.Encode())
	if r.status != http.StatusSeeOther || !strings.HasPrefix(r.header.Get("Location"), b.w.idp.URL) {
		return r
	}
	back, ok := b.w.atProvider(r.header.Get("Location"))
	if !ok {
		b.w.t.Fatalf("the provider refused %s", r.header.Get("Location"))
	}

	return b.get(back)
}

// atProvider signs in and returns the path to go back to.
func (w *world) atProvider(address string) (string, bool) {
	w.t.Helper()
	req, err := http.NewRequestWithContext(w.t.Context(), http.MethodGet, address, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	resp, err := w.http.RoundTrip(req)
	if err != nil {
		w.t.Fatal(err)
	}
	_ = resp.Body.Close()

	return strings.CutPrefix(resp.Header.Get("Location"), base)
}

var hidden = regexp.MustCompile(`<input type="(?:hidden|checkbox)" name="([a-z:]+)" value="([^"]*)"`)

// fields returns the hidden fields of a page's form, and its boxes as they are ticked at first.
func (r reply) fields() url.Values {
	form := url.Values{}
	for _, f := range hidden.FindAllStringSubmatch(r.body, -1) {
		form.Set(f[1], html.UnescapeString(f[2]))
	}

	return form
}

func (b *browser) send(form url.Values) reply {
	b.w.t.Helper()
	return b.w.call(http.MethodPost, "/oauth/consent", form.Encode(), "Content-Type", formType, "Cookie", b.cookie)
}

// answer sends the form of a page.
func (b *browser) answer(page reply, decision string) reply {
	b.w.t.Helper()
	form := page.fields()
	form.Set("decision", decision)

	return b.send(form)
}

// back returns the parameters with which an answer leads to a redirect address.
func (r reply) back(t testing.TB, redirect string) url.Values {
	t.Helper()
	to := r.header.Get("Location")
	rest, ok := strings.CutPrefix(to, redirect+"?")
	if r.status != http.StatusSeeOther || !ok {
		t.Fatalf("status %d to %q, want 303 to %s; body %s", r.status, to, redirect, r.body)
	}
	q, err := url.ParseQuery(rest)
	if err != nil {
		t.Fatal(err)
	}

	return q
}

var onward = regexp.MustCompile(`<a href="([^"]*)" rel="noreferrer">`)

// shown returns the parameters of the link by which a page leads to a redirect address. The page does not lead there
// by itself.
func (r reply) shown(t testing.TB, redirect string) url.Values {
	t.Helper()
	link := onward.FindStringSubmatch(r.body)
	leads := r.header.Get("Location") + r.header.Get("Refresh")

	if r.status != http.StatusBadRequest || leads != "" || len(link) != 2 {
		t.Fatalf("status %d to %q, want 400 and a page with a link; body %s", r.status, leads, r.body)
	}
	to, asked := html.UnescapeString(link[1]), redirect+"?"
	if strings.Contains(redirect, "?") {
		asked = redirect + "&"
	}
	rest, ok := strings.CutPrefix(to, asked)
	if !ok {
		t.Fatalf("the link leads to %q, want %s", to, redirect)
	}
	q, err := url.ParseQuery(rest)
	if err != nil {
		t.Fatal(err)
	}

	return q
}

// tokens are what a client got.
type tokens struct {
	Access  string `json:"access_token"`
	Type    string `json:"token_type"`
	Life    int    `json:"expires_in"`
	Refresh string `json:"refresh_token"`
	Scope   string `json:"scope"`
}

func (r reply) tokens(t testing.TB) tokens {
	t.Helper()
	var out tokens
	if err := json.Unmarshal([]byte(r.body), &out); err != nil || r.status != http.StatusOK || out.Access == "" {
		t.Fatalf("status %d %s", r.status, r.body)
	}

	return out
}

// exchange is the form with which a client exchanges a code.
func (a asked) exchange(code string) url.Values {
	return url.Values{
		"grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {a.params.Get("redirect_uri")}, "client_id": {a.params.Get("client_id")},
		"code_verifier": {a.verifier}, "resource": {base + "/api/mcp"},
	}
}

func refreshing(client, token string) url.Values {
	return url.Values{"grant_type": {"refresh_token"}, "refresh_token": {token}, "client_id": {client}}
}

// allowed brings a request to its code.
func (w *world) allowed(a asked) string {
	w.t.Helper()
	b := &browser{w: w}

	return b.answer(b.visit(a), "allow").back(w.t, a.params.Get("redirect_uri")).Get("code")
}

// connect has the person at the provider allow client scope, and returns the first tokens.
func (w *world) connect(client, scope string) tokens {
	w.t.Helper()
	a := ask(client, callback, scope)

	return w.form("/oauth/token", a.exchange(w.allowed(a))).tokens(w.t)
}

// live checks an access token as the gateway does.
func (w *world) live(token string) (access.Caller, error) {
	g := authn.Grants{
		Keys:     published{w},
		Records:  redisx.Values{Client: w.rdb},
		Issuer:   base,
		Audience: base + "/api/mcp",
		Now:      w.now,
	}

	return g.Check(w.t.Context(), token)
}
