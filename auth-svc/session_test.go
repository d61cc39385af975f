package authsvc_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/audit/chain"
	"github.com/subrosa-legal/subrosa/pkg/audit/record"
	"github.com/subrosa-legal/subrosa/pkg/authn"
	"github.com/subrosa-legal/subrosa/pkg/redisx"
	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
)

// visitor is a person's browser with all its cookies.
type visitor struct {
	w   *world
	jar map[string]string
}

func (w *world) visitor() *visitor { return &visitor{w, map[string]string{}} }

// send sends a request with the cookies, and keeps those of the answer.
func (v *visitor) send(method, path, body string, header ...string) reply {
	v.w.t.Helper()

	var cookies []string
	for name, value := range v.jar {
		cookies = append(cookies, name+"="+value)
	}

	r := v.w.call(method, path, body, append(header, "Cookie", strings.Join(cookies, "; "))...)
	for _, c := range (&http.Response{Header: r.header}).Cookies() {
		if c.Path != "/" || !c.Secure || !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.Domain != "" || !strings.HasPrefix(c.Name, "__Host-") {
			v.w.t.Errorf("%s %s sets a cookie of the wrong form: %s", method, path, c.Name)
		}
		if v.jar[c.Name] = c.Value; c.MaxAge < 0 {
			delete(v.jar, c.Name)
		}
	}

	return r
}

func (v *visitor) get(path string) reply {
	v.w.t.Helper()
	return v.send(http.MethodGet, path, "")
}

// leave begins a sign-in and signs in at the provider; it returns the path to go back to.
func (v *visitor) leave(returnTo string) string {
	v.w.t.Helper()
	r := v.get("/auth/login?returnTo=" + url.QueryEscape(returnTo))
	if r.status != http.StatusSeeOther || !strings.HasPrefix(r.header.Get("Location"), v.w.idp.URL) {
		v.w.t.Fatalf("login: %d %s", r.status, r.body)
	}
	back, ok := v.w.atProvider(r.header.Get("Location"))
	if !ok || !strings.HasPrefix(back, "/auth/callback?") {
		v.w.t.Fatalf("the provider sends back to %q", back)
	}

	return back
}

// signIn signs in and returns the session's value.
func (v *visitor) signIn() string {
	v.w.t.Helper()
	r := v.get(v.leave("/cases"))
	if r.status != http.StatusSeeOther || v.session() == "" {
		v.w.t.Fatalf("callback: %d %s", r.status, r.body)
	}

	return v.session()
}

func (v *visitor) session() string { return v.jar[authn.SessionCookie] }

func (v *visitor) signOut(body string) reply {
	v.w.t.Helper()
	return v.send(http.MethodPost, "/auth/logout", body, "Content-Type", jsonType)
}

// alive checks a session as the gateway does.
func (w *world) alive(value string) bool {
	w.t.Helper()
	_, err := (&authn.Sessions{Records: redisx.Values{Client: w.rdb}, Now: w.now}).Check(w.t.Context(), value)
	if err != nil && !errors.Is(err, access.ErrUnauthenticated) {
		w.t.Fatal(err)
	}

	return err == nil
}

// trail returns what the audit chain of a tenant says, the oldest first.
func (w *world) auditLog(tenant string) string {
	w.t.Helper()
	events, err := chain.New(w.db.Collection("audit"), w.now).List(w.t.Context(), tenant, chain.Filter{Limit: 50})
	if err != nil {
		w.t.Fatal(err)
	}
	if err := record.Verify(events); err != nil {
		w.t.Error(err)
	}

	var actions []string
	for _, e := range events {
		actions = append(actions, e.Actor.ID+":"+strings.TrimPrefix(e.Action, "user."))
	}

	return strings.Join(actions, " ")
}

func TestABrowserIsSignedIn(t *testing.T) {
	t.Parallel()
	w := start(t)
	v := w.visitor()
	r := v.get(v.leave("/cases/7?tab=files#note"))
	if to := r.header.Get("Location"); r.status != http.StatusSeeOther || to != base+"/cases/7?tab=files#note" {
		t.Fatalf("after the sign-in: %d to %q", r.status, to)
	}
	session, err := (&authn.Sessions{Records: redisx.Values{Client: w.rdb}, Now: w.now}).Check(t.Context(), v.session())
	if err != nil || session.Caller.UserID != "ada" || session.Caller.Tenant != "o:oak" || strings.Join(session.Caller.Roles, ",") != "owner,member" ||
		session.Name != "Dr. ada" || session.Account != "ada@oak.example" {
		t.Errorf("session = %+v, %v", session, err)
	}

	for _, c := range (&http.Response{Header: r.header}).Cookies() {
		if c.Name == authn.SessionCookie && c.MaxAge != 12*60*60 {
			t.Errorf("the cookie lives for %d s", c.MaxAge)
		}
	}
	w.skip.Add(int64(12*time.Hour - time.Minute))
	if !w.alive(v.session()) {
		t.Error("the session ended before its time")
	}
	w.skip.Add(int64(time.Minute))
	if w.alive(v.session()) {
		t.Error("the session outlived its time")
	}
	if got := w.auditLog("o:oak"); got != "ada:signed_in" {
		t.Errorf("on record: %s", got)
	}
	if logs := w.logs.String(); strings.Contains(logs, v.session()) || strings.Contains(logs, "ada@oak") || strings.Contains(logs, "Dr. ada") {
		t.Errorf("the log says too much: %s", logs)
	}
	keys, err := w.rdb.HKeys(t.Context(), authn.SessionsKey("ada")).Result()
	if err != nil || strings.Contains(strings.Join(keys, " "), v.session()) {
		t.Errorf("Redis holds the cookie: %v, %v", keys, err)
	}
}

func TestAttacksOnTheSignInOfBrowsers(t *testing.T) {
	t.Parallel()

	w := start(t)
	for _, tc := range []struct {
		name   string
		do     func(v *visitor) reply
		status int
		says   string
	}{
		{"a state that nobody began", func(v *visitor) reply {
			v.leave("/")
			return v.get("/auth/callback?code=x&state=" + strings.Repeat("a", 64) + "&iss=" + url.QueryEscape(w.idp.URL))
		}, http.StatusBadRequest, "Begin again"},
		{"no state", func(v *visitor) reply { return v.get("/auth/callback?code=x") }, http.StatusBadRequest, "begin again"},
		{"two states", func(v *visitor) reply { back := v.leave("/"); return v.get(back + "&state=b") }, http.StatusBadRequest, "begin again"},
		{"the callback again", func(v *visitor) reply {
			back := v.leave("/")
			v.get(back)
			delete(v.jar, authn.SessionCookie)

			return v.get(back)
		}, http.StatusBadRequest, "used already"},
		{"another browser", func(v *visitor) reply {
			back := v.leave("/")
			other := w.visitor()
			other.leave("/")
			v.jar = other.jar

			return v.get(back)
		}, http.StatusBadRequest, "another browser"},
		{"a browser without cookies", func(v *visitor) reply { back := v.leave("/"); v.jar = map[string]string{}; return v.get(back) }, http.StatusBadRequest, "another browser"},
		{"too late", func(v *visitor) reply { back := v.leave("/"); w.skip.Add(int64(10 * time.Minute)); return v.get(back) }, http.StatusBadRequest, "expired"},
		{"the code of somebody else", func(v *visitor) reply {
			theirs, err := url.Parse(w.visitor().leave("/"))
			if err != nil {
				t.Fatal(err)
			}
			ours, err := url.Parse(v.leave("/"))
			if err != nil {
				t.Fatal(err)
			}
			q := ours.Query()
			q.Set("code", theirs.Query().Get("code"))

			return v.get("/auth/callback?" + q.Encode())
		}, http.StatusBadRequest, "does not belong"},
		{"another issuer", func(v *visitor) reply {
			return v.get(strings.Replace(v.leave("/"), url.QueryEscape(w.idp.URL), url.QueryEscape("https://evil.example"), 1))
		}, http.StatusBadRequest, "does not belong"},
		{"the person said no", func(v *visitor) reply {
			w.idp.set(func(p *provider) { p.answer = func(q url.Values) { q.Del("code"); q.Set("error", "access_denied") } })
			defer w.idp.set(func(p *provider) { p.answer = nil })

			return v.get(v.leave("/i/review?case=1"))
		}, http.StatusForbidden, `href="/auth/login?returnTo=%2Fi%2Freview%3Fcase%3D1"`},
		{"the provider failed", func(v *visitor) reply {
			w.idp.set(func(p *provider) { p.answer = func(q url.Values) { q.Del("code"); q.Set("error", "server_error") } })
			defer w.idp.set(func(p *provider) { p.answer = nil })

			return v.get(v.leave("/"))
		}, http.StatusServiceUnavailable, `href="/auth/login"`},
		{"an answer of the authorization server's sign-in", func(v *visitor) reply {
			r := v.get("/oauth/authorize?" + ask(w.register(callback), callback, "cases:read").params.Encode())
			back, _ := w.atProvider(r.header.Get("Location"))

			return v.get(strings.Replace(back, "/oauth/callback", "/auth/callback", 1))
		}, http.StatusBadRequest, "Begin again"},
		{"an answer of this sign-in at the authorization server's", func(v *visitor) reply {
			return v.get(strings.Replace(v.leave("/"), "/auth/callback", "/oauth/callback", 1))
		}, http.StatusBadRequest, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			v := w.visitor()
			r := tc.do(v)
			if r.status != tc.status || !strings.Contains(r.body, tc.says) || !strings.HasPrefix(r.header.Get("Content-Type"), "text/html") {
				t.Errorf("%d %s, want %d and %q", r.status, r.body, tc.status, tc.says)
			}
			if v.session() != "" {
				t.Error("a session was made")
			}
			if policy := r.header.Get("Content-Security-Policy"); strings.Contains(r.body, "<script") || !strings.Contains(policy, "default-src 'none'") || r.header.Get("Cache-Control") != "no-store" {
				t.Errorf("the page: policy %q, %s", policy, r.body)
			}
		})
	}
}

func TestOnlyOurOwnPathsAreReturnedTo(t *testing.T) {
	t.Parallel()

	w := start(t)
	for _, path := range []string{"//evil.example", `/\evil.example`, "https://evil.example/", "/\t/evil.example", "/\r\nX: y", "cases", "javascript:alert(1)", "/" + strings.Repeat("a", 2048)} {
		r := w.visitor().get("/auth/login?returnTo=" + url.QueryEscape(path))
		if r.status != http.StatusBadRequest || r.header.Get("Location") != "" || strings.Contains(r.body, "evil") {
			t.Errorf("%q: %d to %q: %s", path, r.status, r.header.Get("Location"), r.body)
		}
	}
	if r := w.visitor().get("/auth/login?returnTo=/a&returnTo=/b"); r.status != http.StatusBadRequest {
		t.Errorf("two of them: %d", r.status)
	}
	v := w.visitor()
	r := v.get("/auth/login")
	back, _ := w.atProvider(r.header.Get("Location"))
	if r := v.get(back); r.header.Get("Location") != base+"/" {
		t.Errorf("without one it goes on to %q", r.header.Get("Location"))
	}
}

func TestSignInAgainInTheSameBrowser(t *testing.T) {
	t.Parallel()
	w := start(t)
	v := w.visitor()
	first := v.signIn()
	second := v.signIn()
	if first == second || w.alive(first) || !w.alive(second) {
		t.Errorf("the first session lives: %v, the second: %v", w.alive(first), w.alive(second))
	}
	w.idp.set(func(p *provider) { p.person = ben })
	third := v.signIn()
	if w.alive(second) || !w.alive(third) {
		t.Errorf("another person's sign-in in the same browser leaves the session before: %v", w.alive(second))
	}
	// A cookie that somebody planted is not taken up.
	planted := authn.NewSession("ada")
	v.jar[authn.SessionCookie] = planted
	if got := v.signIn(); got == planted || w.alive(planted) {
		t.Error("the session has the value that the browser came with")
	}
	if got := w.auditLog("o:oak"); got != "ada:signed_in ada:signed_out ada:signed_in ada:signed_out" {
		t.Errorf("on record at oak: %s", got)
	}
}

func TestASignInEndsSessionsWithOtherRoles(t *testing.T) {
	t.Parallel()
	w := start(t)
	phone, desk := w.visitor(), w.visitor()
	old := phone.signIn()
	w.idp.set(func(p *provider) { p.person.roles = []string{"member"} })
	if !w.alive(old) {
		t.Error("a change at the provider was heard of without a sign-in")
	}
	fresh := desk.signIn()
	session, err := (&authn.Sessions{Records: redisx.Values{Client: w.rdb}, Now: w.now}).Check(t.Context(), fresh)
	if err != nil || session.Caller.HasRole("owner") || !session.Caller.HasRole("member") {
		t.Errorf("session = %+v, %v", session, err)
	}
	if w.alive(old) {
		t.Error("the session with the roles of before lives on")
	}
}

func TestSignOut(t *testing.T) {
	t.Parallel()

	w := start(t)
	for _, tc := range []struct {
		name, body string
		end        string // the provider's address
		next       string
		others     bool // whether the user's other sessions live on
		auditLog   string
	}{
		{"here", "", "", "/", true, "signed_out"},
		{"here, said so", `{"everywhere":false}`, "", "/", true, "signed_out"},
		{"everywhere", `{"everywhere":true}`, "", "/", false, "signed_out_everywhere"},
		{"at the provider too", `{}`, w.idp.URL + "/end?a=b", w.idp.URL + "/end?a=b&client_id=" + clientOfProvider + "&post_logout_redirect_uri=" + url.QueryEscape(base+"/"), true, "signed_out"},
		{"an address that is none", `{}`, "javascript:alert(1)", "/", true, "signed_out"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := w.in(t)
			w.idp.set(func(p *provider) { p.end = tc.end })
			w.addr = w.run(nil) // a replica that has not discovered the provider yet
			w.idp.set(func(p *provider) { p.person = ben })
			bystander := w.visitor().signIn()
			w.idp.set(func(p *provider) { p.person = ada })
			v, value, other := w.visitor(), "", w.visitor().signIn()
			value = v.signIn()
			r := v.signOut(tc.body)
			var out struct{ Next string }
			if err := json.Unmarshal([]byte(r.body), &out); err != nil || r.status != http.StatusOK || out.Next != tc.next {
				t.Fatalf("sign-out: %d %s, want next %s", r.status, r.body, tc.next)
			}
			if v.session() != "" || w.alive(value) || w.alive(other) != tc.others || !w.alive(bystander) {
				t.Errorf("cookie left: %v, session: %v, other: %v, somebody else's: %v", v.session() != "", w.alive(value), w.alive(other), w.alive(bystander))
			}
			if got := w.auditLog("o:oak"); !strings.HasSuffix(got, "ada:"+tc.auditLog) {
				t.Errorf("on record: %s, want %s at its end", got, tc.auditLog)
			}
			if r := v.signOut(tc.body); r.status != http.StatusOK {
				t.Errorf("again: %d %s", r.status, r.body)
			}
		})
	}

	for name, body := range map[string]string{"no JSON": "everywhere", "another field": `{"all":true}`, "another type": `{"everywhere":"yes"}`} {
		v := w.visitor()
		value := v.signIn()
		if r := v.signOut(body); r.status != http.StatusBadRequest || !w.alive(value) {
			t.Errorf("%s: %d %s", name, r.status, r.body)
		}
	}
}

func TestSessionsOfOneUserAreBounded(t *testing.T) {
	t.Parallel()
	w := prepare(t)
	w.addr = w.run(map[string]string{"AUTH_SESSIONS_PER_USER": "3", "AUTH_SESSION_LIFE": "1h"})

	var values []string
	for range 4 {
		values = append(values, w.visitor().signIn())
		w.skip.Add(int64(time.Second))
	}
	if w.alive(values[0]) || !w.alive(values[1]) || !w.alive(values[3]) {
		t.Errorf("alive: %v %v %v %v", w.alive(values[0]), w.alive(values[1]), w.alive(values[2]), w.alive(values[3]))
	}
	w.skip.Add(int64(time.Hour))
	if w.alive(values[3]) {
		t.Error("a session outlives AUTH_SESSION_LIFE")
	}
}

func TestSignInsOfBrowsersWithoutRedis(t *testing.T) {
	t.Parallel()
	w := start(t)
	link := stores.Cut(t, w.environ["REDIS_URL"])
	w.addr = w.run(map[string]string{"REDIS_URL": link.URL()})
	v := w.visitor()
	value := v.signIn()
	back := v.leave("/")
	link.Break()

	for name, r := range map[string]reply{
		"login": v.get("/auth/login"), "callback": v.get(back), "logout": v.signOut(""), "logout everywhere": v.signOut(`{"everywhere":true}`),
		"authorize": v.get("/oauth/authorize?" + ask("https://app.example.com/client.json", callback, "cases:read").params.Encode()),
	} {
		if r.status != http.StatusServiceUnavailable || r.header.Get("Retry-After") == "" || strings.Contains(r.body, value) {
			t.Errorf("%s without Redis: %d %s", name, r.status, r.body)
		}
	}
	link.Mend()
	if v.session() != value || !w.alive(value) {
		t.Error("the session is gone")
	}
}

func TestWhoIsSignedInIsAskedStraightAway(t *testing.T) {
	t.Parallel()
	w := start(t)
	client := w.register(callback)
	atProvider := func(r reply) bool {
		return r.status == http.StatusSeeOther && strings.HasPrefix(r.header.Get("Location"), w.idp.URL)
	}

	for _, tc := range []struct {
		name   string
		with   url.Values
		header []string
		spoil  func(v *visitor)
		asked  bool
		sent   string // what the provider is asked for
	}{
		{name: "a live session", asked: true},
		{name: "on a navigation", header: []string{"Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"}, asked: true},
		{name: "in a frame", header: []string{"Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "iframe"}},
		{name: "prompt=consent", with: url.Values{"prompt": {"consent"}}, asked: true},
		{name: "a script's request", header: []string{"Sec-Fetch-Mode", "no-cors"}},
		{name: "prompt=login", with: url.Values{"prompt": {"consent login"}}, sent: "prompt=login"},
		{name: "prompt=select_account", with: url.Values{"prompt": {"select_account"}}, sent: "prompt=select_account"},
		{name: "max_age", with: url.Values{"max_age": {"300"}}, sent: "max_age=300"},
		{name: "max_age that is none", with: url.Values{"max_age": {"soon"}}, sent: "max_age=0"},
		{name: "a session that ended", spoil: func(v *visitor) { v.w.visitor().signOutAs(v) }},
		{name: "a cookie that is none", spoil: func(v *visitor) { v.jar[authn.SessionCookie] = "x" }},
		{name: "no cookie", spoil: func(v *visitor) { delete(v.jar, authn.SessionCookie) }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := w.in(t)
			v := w.visitor()
			v.signIn()
			if tc.spoil != nil {
				tc.spoil(v)
			}

			a := ask(client, callback, "cases:read")
			for name, values := range tc.with {
				a.params[name] = values
			}
			before := w.auditLog("o:oak")
			r := v.send(http.MethodGet, "/oauth/authorize?"+a.params.Encode(), "", tc.header...)
			if !tc.asked {
				if !atProvider(r) || !strings.Contains(r.header.Get("Location"), tc.sent) {
					t.Fatalf("%d to %q: %s, want the provider with %q", r.status, r.header.Get("Location"), r.body, tc.sent)
				}

				return
			}
			if r.status != http.StatusOK || !strings.Contains(r.body, "ada@oak.example") || !strings.Contains(r.body, "Allow Helper to") {
				t.Fatalf("%d %s, want the question", r.status, r.body)
			}
			if w.auditLog("o:oak") != before {
				t.Error("a sign-in was recorded that was none")
			}
			form := r.fields()
			form.Set("decision", "allow")
			code := v.send(http.MethodPost, "/oauth/consent", form.Encode(), "Content-Type", formType).back(t, callback).Get("code")
			got := w.form("/oauth/token", a.exchange(code)).tokens(t)
			if c, err := w.live(got.Access); err != nil || c.UserID != "ada" {
				t.Errorf("the grant is of %+v, %v", c, err)
			}
		})
	}
	t.Run("another account", func(t *testing.T) {
		w := w.in(t)
		v := w.visitor()
		v.signIn()
		a := ask(client, callback, "cases:read")
		page := v.get("/oauth/authorize?" + a.params.Encode())
		_, link, ok := strings.Cut(page.body, `<a href="`)
		link, _, _ = strings.Cut(link, `"`)
		if !ok || !strings.HasPrefix(link, "/oauth/authorize?") {
			t.Fatalf("the page has no link to another account: %s", page.body)
		}
		if r := v.get(strings.ReplaceAll(link, "&amp;", "&")); !atProvider(r) || !strings.Contains(r.header.Get("Location"), "prompt=login") {
			t.Errorf("the link leads to %q", r.header.Get("Location"))
		}
	})
	t.Run("a consent of another browser", func(t *testing.T) {
		w := w.in(t)
		v, thief := w.visitor(), w.visitor()
		v.signIn()
		page := v.get("/oauth/authorize?" + ask(client, callback, "cases:read").params.Encode())
		thief.leave("/")
		form := page.fields()
		form.Set("decision", "allow")
		if r := thief.send(http.MethodPost, "/oauth/consent", form.Encode(), "Content-Type", formType); r.status != http.StatusBadRequest {
			t.Errorf("%d %s", r.status, r.body)
		}
	})
}

// signOutAs ends the session of another browser and leaves that one its cookie.
func (v *visitor) signOutAs(other *visitor) {
	v.w.t.Helper()
	v.jar[authn.SessionCookie] = other.session()
	if r := v.signOut(""); r.status != http.StatusOK {
		v.w.t.Fatalf("sign-out: %d %s", r.status, r.body)
	}
}

func TestOfParallelCallbacksOneSignsIn(t *testing.T) {
	t.Parallel()
	w := start(t)
	v := w.visitor()
	back := v.leave("/")

	var cookies []string
	for name, value := range v.jar {
		cookies = append(cookies, name+"="+value)
	}
	var mu sync.Mutex
	made := 0

	var racing sync.WaitGroup
	for range 8 {
		racing.Go(func() {
			r, err := w.try(
				access.Caller{Kind: access.Public},
				http.MethodGet,
				back,
				"",
				"Cookie",
				strings.Join(cookies, "; "),
			)
			if err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			if r.status == http.StatusSeeOther {
				made++
			}
		})
	}
	racing.Wait()
	if n, err := w.rdb.HLen(t.Context(), authn.SessionsKey("ada")).Result(); made != 1 || n != 1 || err != nil {
		t.Errorf("%d signed in, %d sessions, %v", made, n, err)
	}
}

func TestSignInsOfBrowsersAreForTheGatewayAlone(t *testing.T) {
	t.Parallel()

	w := start(t)
	for _, path := range []string{"/auth/login", "/auth/callback"} {
		r, err := w.try(access.Caller{Kind: access.User, Tenant: "o:oak", UserID: "ada"}, http.MethodGet, path, "")
		if err != nil || r.status != http.StatusForbidden {
			t.Errorf("%s by a user's token: %d, %v", path, r.status, err)
		}
	}
}

// in returns the world for a subtest.
func (w *world) in(t *testing.T) *world {
	inner := *w
	inner.t = t

	return &inner
}
