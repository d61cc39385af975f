package e2e_test

import (
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/deploy/internal/devidp"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/authn"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
)

// signedIn returns the browser of a person who has signed in to the browser app.
func (w *world) signedIn(p devidp.Person) *devidp.Browser {
	w.t.Helper()
	b := devidp.NewBrowser(w.http.Transport, p)
	to, err := b.SignIn(w.t.Context(), w.Facts.BaseURL, "/cases?open=1")
	if err != nil {
		w.t.Fatal(err)
	}
	if to.String() != w.Facts.BaseURL+"/cases?open=1" {
		w.t.Fatalf("the sign-in leads to %s", to)
	}

	return b
}

// cookie returns the session's cookie as a header.
func (w *world) cookie(b *devidp.Browser) string {
	w.t.Helper()

	for _, c := range b.Cookies(w.Facts.BaseURL) {
		if c.Name == authn.SessionCookie {
			return c.Name + "=" + c.Value
		}
	}
	w.t.Fatal("the browser has no session")

	return ""
}

// page sends what a script of our own page sends.
func (w *world) page(b *devidp.Browser, method, path, body string) answer {
	w.t.Helper()
	req := w.request(method, path, "", nil)
	if body != "" {
		req = w.request(method, path, "", strings.NewReader(body))
	}

	return w.do(b.Script(w.Facts.BaseURL), req)
}

func TestAPersonWorksInABrowser(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited())
	b := w.signedIn(ada)
	me := w.page(b, http.MethodGet, "/v1/me", "")
	got := into[api.Me](t, me, http.StatusOK)
	if got.User != "ada" || got.Name != "Ada" || got.Tenant != "o:oak" || got.Kind != "user" || !slices.Equal(got.Roles, ada.Roles) {
		t.Errorf("me = %+v", got)
	}
	if me.header.Get("Set-Cookie") != "" {
		t.Error("an answer of the interface sets a cookie")
	}
	if by := into[api.Me](t, w.send(http.MethodGet, "/v1/me", w.token(ada), ""), http.StatusOK); by.Name != "" {
		t.Errorf("a token's holder is told the name %q", by.Name)
	}
	kase := into[struct {
		CaseID string `json:"caseId"`
	}](t, w.page(b, http.MethodPost, "/v1/cases", `{"jurisdiction":"US"}`), http.StatusCreated)
	if a := w.send(http.MethodGet, "/v1/cases/"+kase.CaseID, w.token(ada), ""); a.status != http.StatusOK {
		t.Errorf("the case that the browser made: %d", a.status)
	}
	// What only a person may do, the browser's session may.
	if a := w.page(b, http.MethodDelete, "/v1/cases/"+kase.CaseID, ""); a.status >= 300 {
		t.Errorf("delete: %d %s", a.status, a.body)
	}
	on := into[api.Page[api.AuditEvent]](t, w.page(b, http.MethodGet, "/v1/audit/auth?limit=100&action=user.signed_in", ""), http.StatusOK).Items
	if !slices.ContainsFunc(on, func(e api.AuditEvent) bool { return e.Actor.ID == "ada" && e.Outcome == "ok" }) {
		t.Errorf("the sign-in is not on record: %+v", on)
	}
	cookie := w.cookie(b)
	out := into[api.SignedOut](t, w.page(b, http.MethodPost, "/auth/logout", ""), http.StatusOK)
	w.page(b, http.MethodGet, "/v1/me", "").refused(t, "without the cookie", http.StatusUnauthorized, "unauthenticated")
	w.send(http.MethodGet, "/v1/me", "", "", "Cookie", cookie).refused(t, "with the cookie of before", http.StatusUnauthorized, "unauthenticated")
	// The provider sends the browser back to the service.
	if !strings.HasPrefix(out.Next, w.Facts.Issuer) {
		t.Fatalf("next = %s", out.Next)
	}
	if last, err := b.Get(t.Context(), out.Next); err != nil || last.Onwards() == nil || last.Onwards().String() != w.Facts.BaseURL+"/" {
		t.Errorf("the provider answers the sign-out with %+v, %v", last, err)
	}
	_, value, _ := strings.Cut(cookie, "=")
	if logs := w.logs.String(); strings.Contains(logs, value) || strings.Contains(logs, value[23:]) {
		t.Error("a log holds the cookie")
	}
}

func TestSignOutEverywhere(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited())
	phone, desk, other := w.signedIn(ada), w.signedIn(ada), w.signedIn(cara)
	into[api.SignedOut](t, w.page(phone, http.MethodPost, "/auth/logout", `{"everywhere":true}`), http.StatusOK)
	w.page(desk, http.MethodGet, "/v1/me", "").refused(t, "another browser", http.StatusUnauthorized, "unauthenticated")
	into[api.Me](t, w.page(other, http.MethodGet, "/v1/me", ""), http.StatusOK)
	if a := w.send(http.MethodGet, "/v1/me", w.token(ada), ""); a.status != http.StatusOK {
		t.Errorf("a token, which is no session: %d", a.status)
	}
}

// asks is what a page hears when it asks who is signed in.
func (w *world) asks(t *testing.T, headers ...string) *api.SignedIn {
	t.Helper()
	a := w.send(http.MethodGet, "/auth/session", "", "", headers...)
	if cache := a.header.Get("Cache-Control"); cache != "no-store" || a.header.Get("Set-Cookie") != "" {
		t.Errorf("Cache-Control = %q, Set-Cookie = %q", cache, a.header.Get("Set-Cookie"))
	}

	return into[api.SessionStatus](t, a, http.StatusOK).Person
}

// To ask who is signed in is never refused for want of a session: a browser would log it as an error of the page.
func TestAPageAsksWhoIsSignedIn(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited())
	b := w.signedIn(ada)
	cookie := w.cookie(b)
	want := &api.SignedIn{User: "ada", Name: "Ada", Tenant: "o:oak", Roles: ada.Roles}
	if got := w.asks(t, "Cookie", cookie, "Sec-Fetch-Site", "same-origin"); !reflect.DeepEqual(got, want) {
		t.Errorf("the person is %+v, want %+v", got, want)
	}
	if got := w.asks(t); got != nil {
		t.Errorf("no cookie: the person is %+v", got)
	}

	for name, cookies := range map[string]string{
		"no form": authn.SessionCookie + "=x", "another value": authn.SessionCookie + "=" + authn.NewSession("ada"),
		"two cookies": cookie + "; " + cookie,
	} {
		if got := w.asks(t, "Cookie", cookies); got != nil {
			t.Errorf("%s: the person is %+v", name, got)
		}
	}

	into[api.SignedOut](t, w.page(b, http.MethodPost, "/auth/logout", ""), http.StatusOK)
	if got := w.asks(t, "Cookie", cookie); got != nil {
		t.Errorf("after the sign-out the person is %+v", got)
	}
}

func TestOtherSitesCannotUseACookie(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited())
	b := w.signedIn(ada)

	cookie, own := w.cookie(b), w.Facts.BaseURL
	for _, tc := range []struct {
		name, method, path string
		headers            []string
		status             int
		code               string
	}{
		{"a form of another site", http.MethodPost, "/v1/cases", []string{"Sec-Fetch-Site", "cross-site", "Origin", "https://evil.example"}, http.StatusForbidden, "cross_site_refused"},
		{"a form of a neighbour", http.MethodPost, "/v1/cases", []string{"Sec-Fetch-Site", "same-site", "Origin", "https://www." + strings.TrimPrefix(own, "https://")}, http.StatusForbidden, "cross_site_refused"},
		{"a form without an origin", http.MethodPost, "/v1/cases", nil, http.StatusForbidden, "cross_site_refused"},
		{"a form of a hidden origin", http.MethodPost, "/v1/cases", []string{"Origin", "null"}, http.StatusForbidden, "cross_site_refused"},
		{"a deletion", http.MethodDelete, "/v1/grants/01981f6a-5b7e-7c3d-9a10-4f2b8f6f1a02", []string{"Sec-Fetch-Site", "cross-site", "Origin", own}, http.StatusForbidden, "cross_site_refused"},
		{"a picture of another site", http.MethodGet, "/v1/me", []string{"Sec-Fetch-Site", "cross-site"}, http.StatusForbidden, "cross_site_refused"},
		{
			"another site asks who is signed in", http.MethodGet, "/auth/session",
			[]string{"Sec-Fetch-Site", "cross-site"},
			http.StatusForbidden, "cross_site_refused",
		},
		{
			"a neighbour asks who is signed in", http.MethodGet, "/auth/session",
			[]string{"Sec-Fetch-Site", "same-site"},
			http.StatusForbidden, "cross_site_refused",
		},
		{
			"a token asks who is signed in", http.MethodGet, "/auth/session",
			[]string{"Authorization", "Bearer " + w.token(ada)},
			http.StatusUnauthorized, "unauthenticated",
		},
		{"a sign-out by another site", http.MethodPost, "/auth/logout", []string{"Sec-Fetch-Site", "cross-site", "Origin", "https://evil.example"}, http.StatusForbidden, "cross_site_refused"},
		{"a sign-out without an origin", http.MethodPost, "/auth/logout", nil, http.StatusForbidden, "cross_site_refused"},
		{"a sign-out with a token", http.MethodPost, "/auth/logout", []string{"Origin", own, "Authorization", "Bearer " + w.token(ada)}, http.StatusUnauthorized, "unauthenticated"},
		{"a bad token beside it", http.MethodGet, "/v1/me", []string{"Authorization", "Bearer x"}, http.StatusUnauthorized, "unauthenticated"},
		{"the MCP endpoint", http.MethodPost, "/api/mcp", []string{"Origin", own, "Sec-Fetch-Site", "same-origin"}, http.StatusUnauthorized, "unauthenticated"},
	} {
		body := "{}"
		if tc.method != http.MethodPost {
			body = ""
		}
		w.send(tc.method, tc.path, "", body, append(tc.headers, "Cookie", cookie)...).refused(t, tc.name, tc.status, tc.code)
	}
	// With a token beside it, the token decides who it is.
	if me := into[api.Me](t, w.send(http.MethodGet, "/v1/me", w.token(ben), "", "Cookie", cookie), http.StatusOK); me.User != "ben" || me.Name != "" {
		t.Errorf("a token and somebody else's cookie: %+v", me)
	}
	if a := w.send(http.MethodGet, "/v1/me", "", "", "Cookie", cookie); a.status != http.StatusOK {
		t.Errorf("the session ended meanwhile: %d", a.status)
	}
}

func TestWhoIsSignedInIsAskedStraightAway(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited())
	b := w.signedIn(ada)
	address := w.asking(w.newApp(appRedirect), "cases:read").address(w)
	question, err := b.Get(t.Context(), address)
	if err != nil || question.Status != http.StatusOK || !strings.Contains(question.Body, "ada@oak.example") {
		t.Fatalf("the question: %d %s, %v", question.Status, question.Body, err)
	}
	decided, err := b.Decide(t.Context(), question)
	if err != nil || decided.Onwards() == nil || !strings.HasPrefix(decided.Onwards().String(), appRedirect+"?") {
		t.Fatalf("after the decision: %d, %v", decided.Status, err)
	}
	anew, err := b.Get(t.Context(), address+"&prompt=login")
	if err != nil || anew.Onwards() == nil || !strings.HasPrefix(anew.Onwards().String(), w.Facts.Issuer) {
		t.Errorf("prompt=login: %d, %v", anew.Status, err)
	}
}

func TestACookieWithoutRedis(t *testing.T) {
	t.Parallel()
	link := stores.Cut(t, stores.RedisURL(t))
	w := start(t, unlimited("REDIS_URL", link.URL()))
	cookie := w.cookie(w.signedIn(ada))
	if a := w.send(http.MethodGet, "/v1/me", "", "", "Cookie", cookie); a.status != http.StatusOK {
		t.Fatalf("with Redis: %d", a.status)
	}
	link.Break()
	w.send(http.MethodGet, "/v1/me", "", "", "Cookie", cookie).refused(t, "without Redis", http.StatusServiceUnavailable, "unavailable")
	asked := w.send(http.MethodGet, "/auth/session", "", "", "Cookie", cookie)
	asked.refused(t, "who is signed in, without Redis", http.StatusServiceUnavailable, "unavailable")
	if got := w.asks(t); got != nil {
		t.Errorf("no cookie, without Redis: the person is %+v", got)
	}
	w.send(http.MethodPost, "/auth/logout", "", "", "Cookie", cookie, "Origin", w.Facts.BaseURL).refused(t, "sign-out without Redis", http.StatusServiceUnavailable, "unavailable")
	link.Mend()
}

func TestSigningOutEndsOpenStreams(t *testing.T) {
	t.Parallel()
	w, cases := heldWorld(t)
	here, elsewhere := w.signedIn(ada), w.signedIn(ada)
	caseID, _ := w.newCase(w.token(ada))
	cases.hold(false, searches)
	job := task(caseID, api.CaseReq, question)
	watcher := w.post(w.token(ada), job)
	watcher.until("phase_start", kind(api.EventPhaseStart))
	cases.awaitHeld(t)
	open := func(b *devidp.Browser) *follower { return w.watch("", job.SeedPhase.PhaseID, "Cookie", w.cookie(b)) }
	ended := func(f *follower) bool {
		f.mu.Lock()
		defer f.mu.Unlock()

		return f.ended
	}
	mine, other := open(here), open(elsewhere)
	other.until("phase_start", kind(api.EventPhaseStart))
	into[api.SignedOut](t, w.page(here, http.MethodPost, "/auth/logout", ""), http.StatusOK)
	testkit.UntilTrue(t, 10*time.Second, "the stream of who signed out ends", func() bool { return ended(mine) })
	if ended(other) {
		t.Error("the stream of another browser ended")
	}
	again := w.signedIn(ada)
	anew := open(again)
	into[api.SignedOut](t, w.page(again, http.MethodPost, "/auth/logout", `{"everywhere":true}`), http.StatusOK)
	testkit.UntilTrue(t, 10*time.Second, "all streams of browsers end", func() bool {
		return ended(other) && ended(anew)
	})
	cases.letGo()
	checkStream(t, job.SeedPhase.PhaseID, watcher.all())
}
