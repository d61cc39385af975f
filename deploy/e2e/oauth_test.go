package e2e_test

import (
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/subrosa-legal/subrosa/deploy/internal/devidp"
)

// onPage checks that a request ends on a page with status 400, and that nobody is sent anywhere.
func (w *world) onPage(what, address string) {
	w.t.Helper()
	p, err := devidp.NewBrowser(w.http.Transport, ada).Get(w.t.Context(), address)
	if err != nil {
		w.t.Fatal(err)
	}
	if p.Status != http.StatusBadRequest || p.Header.Get("Location") != "" || !strings.HasPrefix(p.Header.Get("Content-Type"), "text/html") {
		w.t.Errorf("%s: %d to %q, %s", what, p.Status, p.Header.Get("Location"), p.Header.Get("Content-Type"))
	}
}

// shownFirst checks that a person sees an error before the application, which registered itself, can learn of it: on a
// page whose link brings it to the application's own address, with the issuer.
func (w *world) shownFirst(what string, a asking, code string) {
	w.t.Helper()
	p, err := devidp.NewBrowser(w.http.Transport, ada).Get(w.t.Context(), a.address(w))
	if err != nil {
		w.t.Fatal(err)
	}
	if p.Status != http.StatusBadRequest || p.Onwards() != nil {
		w.t.Errorf("%s: %d on to %v, want a page", what, p.Status, p.Onwards())
	}

	link := toTheApplication.FindStringSubmatch(p.Body)
	if link == nil {
		w.t.Fatalf("%s: the page has no link to the application: %s", what, p.Body)
	}
	to, err := url.Parse(html.UnescapeString(link[1]))
	if err != nil {
		w.t.Fatal(err)
	}
	told := to.Query()
	if told.Get("error") != code || told.Get("iss") != w.Facts.BaseURL || told.Has("code") {
		w.t.Errorf("%s: the link is %v, want the error %s", what, to, code)
	}
}

// toTheApplication is the link of a page that shows an error.
var toTheApplication = regexp.MustCompile(`href="(` + regexp.QuoteMeta(appRedirect) + `\?[^"]*)"`)

// oauthRefused checks an error in OAuth's own form.
func oauthRefused(t *testing.T, what string, a answer, status int, code string) {
	t.Helper()
	if a.status != status || a.err.Error != code || a.header.Get("Cache-Control") != "no-store" {
		t.Errorf("%s: %d %s %q, want %d %s", what, a.status, a.body, a.header.Get("Cache-Control"), status, code)
	}
}

// alive reports whether an access token opens the MCP endpoint.
func (w *world) alive(access string) bool {
	w.t.Helper()
	return w.mcp(access, "tools/list", map[string]any{}).status == http.StatusOK
}

func TestS28EachTokenHasItsOneDoor(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited())
	agent := w.connect(ada)
	mine := w.letIn(ada, "cases:read")
	if !w.alive(mine.access) {
		t.Fatal("the token does not open its own door")
	}

	for what, token := range map[string]string{"an agent's bearer": agent.bearer, "a user's token": w.token(ada), "a refresh token": mine.refresh, "an API key": agent.SharedAPIKey} {
		a := w.mcp(token, "tools/list", map[string]any{})
		a.refused(t, what+" at /api/mcp", http.StatusUnauthorized, "unauthenticated")
		if !strings.Contains(a.header.Get("WWW-Authenticate"), `error="invalid_token"`) {
			t.Errorf("%s: challenge %q", what, a.header.Get("WWW-Authenticate"))
		}
	}

	for _, path := range []string{"/v1/me", "/v1/cases", "/v1/grants"} {
		w.send(http.MethodGet, path, mine.access, "").refused(t, "an application's token at "+path, http.StatusUnauthorized, "unauthenticated")
	}

	for name, service := range w.Services {
		if name == "gateway" {
			continue
		}

		for what, token := range map[string]string{"an application's token": mine.access, "an agent's bearer": agent.bearer, "a user's token": w.token(ada)} {
			for _, path := range []string{"/api/mcp", "/v1/cases", "/oauth/token"} {
				req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+service.Addr()+path, strings.NewReader("{}"))
				if err != nil {
					t.Fatal(err)
				}
				req.Header.Set("Authorization", "Bearer "+token)
				if a := w.do(&http.Client{}, req); a.status != http.StatusUnauthorized && a.status != http.StatusNotFound {
					t.Errorf("%s straight at %s%s: %d %s", what, name, path, a.status, a.body)
				}
			}
		}
	}
}

func TestS32RedirectsThatAreNotRegistered(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited())
	const there = "https://app.example.com/cb"

	id := w.newApp(there)
	for _, redirect := range []string{
		there + "/", there + "/more", there + "?x=1", there + "#x", "https://app.example.com/CB", "https://app.example.com/cb/../other", "https://app.example.com:8443/cb",
		"https://evil.example/cb", "https://app.example.com.evil.example/cb", "https://app.example.com@evil.example/cb", "https://evil.example\\@app.example.com/cb",
		"http://app.example.com/cb", "https://app.example.com/%63b", "//app.example.com/cb", "javascript:alert(1)", "https://app.example.com/cb\n", "", "http://127.0.0.1:1/callback",
	} {
		w.onPage("redirect "+redirect, w.asking(id, "cases:read").with("redirect_uri", redirect).address(w))
	}
	a := w.asking(id, "cases:read").with("redirect_uri", there)
	w.onPage("two redirects", a.address(w)+"&redirect_uri="+url.QueryEscape("https://evil.example/cb"))
	w.onPage("an unknown client", a.with("client_id", "dcr_unknown").address(w))
	// The registered one goes on to the provider, so that the refusals mean something; on loopback any port is as good as another.
	local := w.newApp("http://127.0.0.1/callback")
	for what, good := range map[string]asking{"https": a, "loopback with a port": w.asking(local, "cases:read").with("redirect_uri", "http://127.0.0.1:50123/callback")} {
		p, err := devidp.NewBrowser(w.http.Transport, ada).Get(t.Context(), good.address(w))
		if err != nil || p.Onwards() == nil || !strings.HasPrefix(p.Onwards().String(), w.Facts.Issuer) {
			t.Errorf("%s: %d %v %v", what, p.Status, p.Onwards(), err)
		}
	}
	w.onPage("loopback with another path", w.asking(local, "cases:read").with("redirect_uri", "http://127.0.0.1:50123/other").address(w))
}

func TestS33ProofOfTheOneWhoAsked(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited())
	id := w.newApp(appRedirect)
	a := w.asking(id, "cases:read")
	w.shownFirst("no challenge", a.with("code_challenge", "", "code_challenge_method", ""), "invalid_request")
	w.shownFirst("plain", a.with("code_challenge_method", "plain"), "invalid_request")
	w.shownFirst("no method", a.with("code_challenge_method", ""), "invalid_request")
	w.shownFirst("a short challenge", a.with("code_challenge", "abc"), "invalid_request")

	for what, change := range map[string]func(url.Values){
		"a wrong verifier": func(f url.Values) { f.Set("code_verifier", strings.Repeat("a", 43)) },
		"another redirect": func(f url.Values) { f.Set("redirect_uri", "http://127.0.0.1:2/callback") },
	} {
		asked := w.asking(id, "cases:read")
		form := asked.redeeming(w.back(ada, asked).Get("code"))
		change(form)
		oauthRefused(t, what, w.form("/oauth/token", form), http.StatusBadRequest, "invalid_grant")
	}
	asked := w.asking(id, "cases:read")
	form := asked.redeeming(w.back(ada, asked).Get("code"))
	form.Del("code_verifier")
	oauthRefused(t, "no verifier", w.form("/oauth/token", form), http.StatusBadRequest, "invalid_request")
}

func TestS34ACodeThatComesTwice(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited())
	id := w.newApp(appRedirect)
	asked := w.asking(id, "cases:read")
	form := asked.redeeming(w.back(ada, asked).Get("code"))
	first := w.tokensOf(id, w.form("/oauth/token", form))
	if !w.alive(first.access) {
		t.Error("the first exchange gives no good token")
	}
	oauthRefused(t, "the code again", w.form("/oauth/token", form), http.StatusBadRequest, "invalid_grant")
	if w.alive(first.access) {
		t.Error("the grant goes on after its code came twice")
	}
	oauthRefused(t, "its refresh token", w.renew(id, first.refresh), http.StatusBadRequest, "invalid_grant")

	asked = w.asking(id, "cases:read")
	form = asked.redeeming(w.back(ada, asked).Get("code"))
	var good atomic.Int64
	var all sync.WaitGroup

	answers := make([]answer, 32)
	for i := range answers {
		all.Go(func() {
			req := w.request(http.MethodPost, "/oauth/token", "", strings.NewReader(form.Encode()), "Content-Type", "application/x-www-form-urlencoded")
			a, err := fetch(w.http, req)
			if err != nil {
				t.Error(err)
			}
			if answers[i] = a; a.status == http.StatusOK {
				good.Add(1)
			}
		})
	}
	all.Wait()
	if good.Load() > 1 {
		t.Errorf("%d of 32 exchanges of one code succeeded", good.Load())
	}

	for _, a := range answers {
		if a.status == http.StatusOK {
			if w.alive(w.tokensOf(id, a).access) {
				t.Error("the grant goes on after its code came 32 times")
			}

			continue
		}
		oauthRefused(t, "at once", a, http.StatusBadRequest, "invalid_grant")
	}
}

func TestS35OtherResources(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited())
	id := w.newApp(appRedirect)

	a := w.asking(id, "cases:read")
	for _, resource := range []string{"https://evil.example/api/mcp", w.Facts.BaseURL, w.Facts.BaseURL + "/v1", w.Facts.BaseURL + "/api/mcp/x", w.Facts.BaseURL + "/api/mcp#x"} {
		w.shownFirst("resource "+resource, a.with("resource", resource), "invalid_target")
	}
	double := a.with()
	double.params["resource"] = []string{w.Facts.BaseURL + "/api/mcp", "https://evil.example/api/mcp"}
	w.shownFirst("two resources", double, "invalid_target")
	form := a.redeeming(w.back(ada, a).Get("code"))
	form.Set("resource", "https://evil.example/api/mcp")
	oauthRefused(t, "another resource at the exchange", w.form("/oauth/token", form), http.StatusBadRequest, "invalid_target")
}

func TestS36RefreshTokensThatWereReplaced(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited())
	mine := w.letIn(ada, "cases:read")
	successors := make([]string, 16)

	var all sync.WaitGroup
	for i := range successors {
		all.Go(func() {
			form := url.Values{"grant_type": {"refresh_token"}, "client_id": {mine.id}, "refresh_token": {mine.refresh}}
			a, err := fetch(w.http, w.request(http.MethodPost, "/oauth/token", "", strings.NewReader(form.Encode()), "Content-Type", "application/x-www-form-urlencoded"))
			if err != nil || a.status != http.StatusOK {
				t.Errorf("refresh: %d %s %v", a.status, a.body, err)
				return
			}
			successors[i] = w.tokensOf(mine.id, a).refresh
		})
	}
	all.Wait()
	if slices.Sort(successors); len(slices.Compact(successors)) != 1 || successors[0] == mine.refresh {
		t.Fatal("16 refreshes at once left more than one successor")
	}
	next := w.tokensOf(mine.id, w.renew(mine.id, successors[0]))
	if !w.alive(next.access) {
		t.Error("the newest token is not good")
	}
	oauthRefused(t, "a token two generations old", w.renew(mine.id, mine.refresh), http.StatusBadRequest, "invalid_grant")
	oauthRefused(t, "the newest one after that", w.renew(mine.id, next.refresh), http.StatusBadRequest, "invalid_grant")
	if w.alive(next.access) {
		t.Error("the family lives on")
	}
}

func TestS37ACodeOfAnotherClient(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited())
	one, two := w.newApp(appRedirect), w.newApp(appRedirect)
	a := w.asking(one, "cases:read")
	form := a.redeeming(w.back(ada, a).Get("code"))
	form.Set("client_id", two)
	oauthRefused(t, "the other client's code", w.form("/oauth/token", form), http.StatusBadRequest, "invalid_grant")
	mine := w.letIn(ada, "cases:read")
	oauthRefused(t, "the other client's refresh token", w.renew(two, mine.refresh), http.StatusBadRequest, "invalid_grant")
}

func TestS38ClientsThatPointInside(t *testing.T) {
	t.Parallel()

	w := start(t, unlimited("AUTH_CLIENT_DEV_ALLOW", "127.0.0.1:1"))
	for _, redirect := range []string{"javascript:alert(1)", "data:text/html,x", "http://app.example.com/cb", "http://10.0.0.1/cb", "http://169.254.169.254/cb", "file:///etc/passwd", "https://user@app.example.com/cb", "https://app.example.com/cb#x", ""} {
		a := w.send(http.MethodPost, "/oauth/register", "", `{"client_name":"x","redirect_uris":["`+redirect+`"]}`)
		if a.status != http.StatusBadRequest || a.err.Error != "invalid_redirect_uri" && a.err.Error != "invalid_client_metadata" {
			t.Errorf("%s: %d %s", redirect, a.status, a.body)
		}
	}
	var visits atomic.Int64

	inside := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { visits.Add(1) }))
	defer inside.Close()

	for _, id := range []string{inside.URL + "/client.json", "https://10.0.0.1/client.json", "https://169.254.169.254/client.json", "https://[::1]/client.json", "https://localhost/client.json", "http://app.example.com/client.json", "https://app.example.com"} {
		w.onPage("a description at "+id, w.asking(id, "cases:read").address(w))
	}
	if visits.Load() != 0 {
		t.Errorf("the server inside was asked %d times", visits.Load())
	}
}

func TestS39ConsentIsThePersonsOwn(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited())
	a := w.asking(w.newApp(appRedirect), "cases:read cases:write")
	question := func(b *devidp.Browser) (devidp.Page, string, url.Values) {
		t.Helper()
		page, err := b.Question(t.Context(), a.address(w), appRedirect)
		if err != nil {
			t.Fatal(err)
		}
		action, fields, ok := page.Form()
		if !ok {
			t.Fatalf("nobody was asked: %d %v", page.Status, page.Onwards())
		}

		return page, action.String(), fields
	}
	b := devidp.NewBrowser(w.http.Transport, ada)
	page, action, fields := question(b)
	policy := page.Header.Get("Content-Security-Policy")
	if len(page.Header.Values("Content-Security-Policy")) != 1 || !strings.Contains(policy, "frame-ancestors 'none'") || strings.Contains(policy, "form-action") || strings.Contains(policy, "script") || page.Header.Get("X-Frame-Options") != "DENY" || page.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("headers = %v", page.Header)
	}
	if !strings.Contains(page.Body, "127.0.0.1") || strings.Contains(page.Body, "<script") {
		t.Errorf("the page does not name where it leads, or has a script: %s", page.Body)
	}
	fields.Set("decision", "allow")
	change := func(name, value string) url.Values {
		form := url.Values{}
		for k, v := range fields {
			form[k] = v
		}
		form.Set(name, value)

		return form
	}
	_, _, others := question(devidp.NewBrowser(w.http.Transport, cara))

	stranger := devidp.NewBrowser(w.http.Transport, cara)
	for what, try := range map[string]struct {
		by   *devidp.Browser
		form url.Values
	}{
		"without the page's token": {b, change("csrf", "")}, "with the token of another page": {b, change("csrf", others.Get("csrf"))}, "from another browser": {stranger, fields}, "without a decision": {b, change("decision", "")},
	} {
		p, err := try.by.Post(t.Context(), action, try.form)
		if err != nil || p.Status != http.StatusBadRequest && p.Status != http.StatusForbidden || p.Onwards() != nil {
			t.Errorf("%s: %d to %v, %v", what, p.Status, p.Onwards(), err)
		}
	}
	done, err := b.Post(t.Context(), action, fields)
	if err != nil || done.Onwards() == nil || done.Onwards().Query().Get("code") == "" || done.Onwards().Query().Get("iss") != w.Facts.BaseURL {
		t.Fatalf("the decision: %d to %v, %v", done.Status, done.Onwards(), err)
	}
	if again, err := b.Post(t.Context(), action, fields); err != nil || again.Status != http.StatusConflict && again.Status != http.StatusBadRequest || again.Onwards() != nil {
		t.Errorf("the decision again: %d to %v, %v", again.Status, again.Onwards(), err)
	}
	no := devidp.NewBrowser(w.http.Transport, ada)
	no.Refuse = true
	to, err := no.Open(t.Context(), w.asking(w.newApp(appRedirect), "cases:read").address(w), appRedirect)
	if err != nil || to.Query().Get("error") != "access_denied" || to.Query().Has("code") {
		t.Errorf("a refusal: %v %v", to, err)
	}
}

func TestS40TheChallengeLeadsToTheSignIn(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited())
	resource := w.Facts.BaseURL + "/api/mcp"

	metadata := w.Facts.BaseURL + "/.well-known/oauth-protected-resource/api/mcp"
	for _, path := range []string{"/api/mcp", "/api/mcp?access_token=" + w.letIn(ada, "cases:read").access} {
		a := w.send(http.MethodPost, path, "", "{}")
		a.refused(t, path, http.StatusUnauthorized, "unauthenticated")
		want := `Bearer resource_metadata="` + metadata + `", scope="cases:read cases:write agent:run"`
		if got := a.header.Get("WWW-Authenticate"); got != want {
			t.Errorf("challenge %q, want %q", got, want)
		}
	}
	type document struct {
		Resource string   `json:"resource"`
		Servers  []string `json:"authorization_servers"`
		Scopes   []string `json:"scopes_supported"`
	}

	for _, path := range []string{"/.well-known/oauth-protected-resource/api/mcp", "/.well-known/oauth-protected-resource"} {
		doc := into[document](t, w.send(http.MethodGet, path, "", ""), http.StatusOK)
		if doc.Resource != resource || !slices.Equal(doc.Servers, []string{w.Facts.BaseURL}) ||
			!slices.Equal(doc.Scopes, []string{"cases:read", "cases:write", "agent:run"}) {
			t.Errorf("%s = %+v", path, doc)
		}
	}
	server := into[struct {
		Issuer string `json:"issuer"`
	}](t, w.send(http.MethodGet, "/.well-known/oauth-authorization-server", "", ""), http.StatusOK)
	if server.Issuer != w.Facts.BaseURL {
		t.Errorf("issuer = %s", server.Issuer)
	}
}

func TestPagesOfOtherOriginsCannotCallTheEndpoint(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited("GATEWAY_TRUSTED_ORIGINS", "https://app.example.com"))

	mine := w.letIn(ada, "cases:read")
	for origin, want := range map[string]int{"https://evil.example": http.StatusForbidden, "null": http.StatusForbidden, "https://app.example.com": http.StatusOK, w.Facts.BaseURL: http.StatusOK} {
		a := w.mcp(mine.access, "tools/list", map[string]any{}, "Origin", origin, "Sec-Fetch-Site", "cross-site")
		if a.status != want {
			t.Errorf("from %s: %d %s, want %d", origin, a.status, a.body, want)
		}
		if allowed := a.header.Get("Access-Control-Allow-Origin"); (allowed == origin) != (want == http.StatusOK) || a.header.Get("Access-Control-Allow-Credentials") != "" {
			t.Errorf("from %s: allowed %q", origin, allowed)
		}
	}

	for _, method := range []string{http.MethodGet, http.MethodDelete} {
		if a := w.send(method, "/api/mcp", mine.access, ""); a.status != http.StatusMethodNotAllowed || a.header.Get("Allow") != http.MethodPost {
			t.Errorf("%s: %d, Allow %q", method, a.status, a.header.Get("Allow"))
		}
	}
}

func TestAPersonSeesAndEndsWhatTheyLetIn(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited())
	mine := w.letIn(ada, "cases:read")
	type list struct {
		Items []struct {
			GrantID string `json:"grantId"`
		} `json:"items"`
	}
	all := into[list](t, w.send(http.MethodGet, "/v1/grants", w.token(ada), ""), http.StatusOK).Items
	if len(all) != 1 {
		t.Fatalf("grants = %+v", all)
	}
	w.send(http.MethodDelete, "/v1/grants/"+all[0].GrantID, w.token(cara), "").refused(t, "a colleague", http.StatusNotFound, "not_found")
	if !w.alive(mine.access) {
		t.Error("a colleague ended it")
	}
	if a := w.send(http.MethodDelete, "/v1/grants/"+all[0].GrantID, w.token(ada), ""); a.status != http.StatusNoContent {
		t.Errorf("end it: %d %s", a.status, a.body)
	}
	if w.alive(mine.access) {
		t.Error("its token lives on")
	}
	oauthRefused(t, "its refresh token", w.renew(mine.id, mine.refresh), http.StatusBadRequest, "invalid_grant")
	other := w.letIn(ada, "cases:read")
	if a := w.form("/oauth/revoke", url.Values{"token": {other.refresh}, "client_id": {other.id}}); a.status != http.StatusOK || w.alive(other.access) {
		t.Errorf("revocation: %d %s", a.status, a.body)
	}
}
