package authsvc_test

import (
	"errors"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/subrosa-legal/subrosa/pkg/access"
)

func TestS32RedirectsThatAreNotTheClientsGetAPage(t *testing.T) {
	t.Parallel()
	w := start(t)

	client := w.register(callback, "https://app.example.com/q?x=1", "http://localhost/callback", "http://127.0.0.1/callback", "http://[::1]/callback")
	for _, redirect := range []string{
		"https://app.example.com/callback/", "https://app.example.com/callback/..", "https://app.example.com/other/../callback", "https://app.example.com/Callback",
		"https://app.example.com/call%62ack", "https://app.example.com/callback?", "https://app.example.com/callback?x=1", "https://app.example.com/q", "https://app.example.com/q?x=1&y=2",
		"https://app.example.com/callback#", "https://app.example.com/callback#x", "https://app.example.com:443/callback", "https://app.example.com:8443/callback",
		"https://APP.example.com/callback", "https://app.example.com./callback", "https://app.example.com@evil.example.com/callback", "https://evil.example.com/callback",
		"https://app.example.com.evil.example.com/callback", "https://app.example.com\\@evil.example.com/callback", "https://user@app.example.com/callback", "http://app.example.com/callback",
		"HTTPS://app.example.com/callback", "//app.example.com/callback", "/callback", "javascript:alert(1)", "data:text/html,x", " https://app.example.com/callback", "https://app.example.com/callback\n",
		"https://app.example.com/callback%00", "https://localhost/callback", "http://localhost:0/callback", "http://localhost:99999/callback", "http://localhost:080/callback", "http://localhost:/callback",
		"http://localhost:8080/callback2", "http://localhost:8080/callback?x", "http://localhost.evil.example.com:80/callback", "http://127.0.0.2/callback", "http://127.1/callback", "http://2130706433/callback",
		"http://localhost:80@evil.example.com/callback", "http://LOCALHOST:8080/callback", "http://[::1%25lo]/callback", "http://[0:0:0:0:0:0:0:1]/callback", "",
	} {
		r := (&browser{w: w}).get("/oauth/authorize?" + ask(client, redirect, "cases:read").params.Encode())
		if r.status != http.StatusBadRequest || r.header.Get("Location") != "" || !strings.Contains(r.header.Get("Content-Type"), "text/html") {
			t.Errorf("%q: %d, to %q", redirect, r.status, r.header.Get("Location"))
		}
	}

	for _, redirect := range []string{callback, "https://app.example.com/q?x=1", "http://localhost:51234/callback", "http://localhost/callback", "http://127.0.0.1:1/callback", "http://[::1]:65535/callback"} {
		page := (&browser{w: w}).visit(ask(client, redirect, "cases:read"))
		if page.status != http.StatusOK {
			t.Errorf("%q: %d %s", redirect, page.status, page.body)
		}
		if local := strings.Contains(page.body, "on your own computer"); local != strings.HasPrefix(redirect, "http:") {
			t.Errorf("%q: the page says that it is on this computer: %t", redirect, local)
		}
	}
}

func TestS33AndS35WhatIsWrongWithARequestGoesToTheClient(t *testing.T) {
	t.Parallel()
	w, h := prepare(t), startHost(t)
	w.admitting(h, nil)
	h.set(h.describes("max-age=600", callback))

	client := w.register(callback)
	for _, tc := range []struct {
		name   string
		change func(q url.Values)
		want   string
	}{
		{"no challenge", func(q url.Values) { q.Del("code_challenge"); q.Del("code_challenge_method") }, "invalid_request"},
		{"plain", func(q url.Values) { q.Set("code_challenge_method", "plain") }, "invalid_request"},
		{"no method", func(q url.Values) { q.Del("code_challenge_method") }, "invalid_request"},
		{"a short challenge", func(q url.Values) { q.Set("code_challenge", "abc") }, "invalid_request"},
		{"a challenge of other characters", func(q url.Values) { q.Set("code_challenge", strings.Repeat("=", 43)) }, "invalid_request"},
		{"two challenges", func(q url.Values) { q.Add("code_challenge", q.Get("code_challenge")) }, "invalid_request"},
		{"no response type", func(q url.Values) { q.Del("response_type") }, "invalid_request"},
		{"a token at once", func(q url.Values) { q.Set("response_type", "token") }, "unsupported_response_type"},
		{"a fragment", func(q url.Values) { q.Set("response_mode", "fragment") }, "invalid_request"},
		{"a request object", func(q url.Values) { q.Set("request", "a.b.c") }, "request_not_supported"},
		{"a foreign resource", func(q url.Values) { q.Set("resource", "https://mcp.example.com/api/mcp") }, "invalid_target"},
		{"the interface as resource", func(q url.Values) { q.Set("resource", base+"/v1") }, "invalid_target"},
		{"two resources", func(q url.Values) { q.Add("resource", q.Get("resource")) }, "invalid_target"},
		{"an empty resource", func(q url.Values) { q.Set("resource", "") }, "invalid_target"},
		{"an unknown scope", func(q url.Values) { q.Set("scope", "cases:read admin") }, "invalid_scope"},
		{"a right that is no scope", func(q url.Values) { q.Set("scope", "files:read") }, "invalid_scope"},
	} {
		for by, told := range map[string]func(reply) url.Values{
			h.URL + "/client.json": func(r reply) url.Values { return r.back(t, callback) },
			client:                 func(r reply) url.Values { return r.shown(t, callback) },
		} {
			a := ask(by, callback, "cases:read")
			tc.change(a.params)
			q := told((&browser{w: w}).get("/oauth/authorize?" + a.params.Encode()))
			if q.Get("error") != tc.want || q.Get("iss") != base || q.Get("state") != "st&te" || q.Has("code") {
				t.Errorf("%s, asked by %s: back with %v, want %s", tc.name, by, q, tc.want)
			}
		}
	}

	for name, query := range map[string]string{
		"no client":         "redirect_uri=" + callback,
		"two clients":       "client_id=" + client + "&client_id=" + client + "&redirect_uri=" + callback,
		"two redirects":     "client_id=" + client + "&redirect_uri=" + callback + "&redirect_uri=" + callback,
		"two states":        "client_id=" + client + "&redirect_uri=" + callback + "&state=1&state=2",
		"an unknown client": "client_id=dcr_01981f6a-5b7e-7c3d-9a10-4f2b8f6f1a02&redirect_uri=" + callback,
		"a strange client":  "client_id=%00&redirect_uri=" + callback,
		"broken":            "client_id=%zz",
		"huge":              "client_id=" + client + "&redirect_uri=" + callback + "&state=" + strings.Repeat("x", 9000),
	} {
		if r := (&browser{w: w}).get("/oauth/authorize?" + query); r.status != http.StatusBadRequest || r.header.Get("Location") != "" {
			t.Errorf("%s: %d to %q", name, r.status, r.header.Get("Location"))
		}
	}

	for name, resource := range map[string]string{"capitals": "HTTPS://SUBROSA.example/api/mcp", "a slash": base + "/api/mcp/"} {
		a := ask(client, callback, "")
		a.params.Set("resource", resource)
		if page := (&browser{w: w}).visit(a); page.status != http.StatusOK {
			t.Errorf("the resource with %s: %d %s", name, page.status, page.header.Get("Location"))
		}
	}
}

// Anybody can register a client at evil.example.com, make a request that cannot be met, and send people the address of
// a service that they trust. It must not lead on by itself.
func TestAnErrorLeadsNobodyToAStrangerUnseen(t *testing.T) {
	t.Parallel()
	w := start(t)

	for _, redirect := range []string{
		"https://evil.example.com/", "https://evil.example.com/a?b=c", "https://evil.example.com/?x=%22%3E%3Cscript%3E",
		"https://evil.example.com:8443/x", "https://xn--pypal-4ve.example.com/", "https://evil.example.com/?%27onmouseover=%27x",
		"http://localhost/callback", "http://127.0.0.1:4711/callback", "http://[::1]/callback",
		"https://evil.example.com/?a&b&amp;c",
	} {
		client := w.register(redirect)
		a := ask(client, redirect, "cases:read")
		a.params.Set("scope", "everything")
		a.params.Set("state", `"><script>alert(1)</script>`)
		r := (&browser{w: w}).get("/oauth/authorize?" + a.params.Encode())
		q := r.shown(t, redirect)

		if q.Get("error") != "invalid_scope" || q.Get("state") != a.params.Get("state") {
			t.Errorf("%s: the link has %v", redirect, q)
		}
		u, err := url.Parse(redirect)
		if err != nil {
			t.Fatal(err)
		}
		if host := html.EscapeString(u.Host); !strings.Contains(r.body, `<p class="host">`+host) && u.Port() == "" {
			t.Errorf("%s: the page does not say where the link leads: %s", redirect, r.body)
		}
		if strings.Contains(r.body, "<script") {
			t.Errorf("%s: the page has a script: %s", redirect, r.body)
		}
		own := strings.Contains(r.body, "on your own computer")
		if local := u.Scheme == "http"; local != own {
			t.Errorf("%s: the page says that it is on this computer: %t", redirect, own)
		}
	}
}

func TestS34ACodeIsUsedOnce(t *testing.T) {
	t.Parallel()
	w := start(t)
	client := w.register(callback)
	a := ask(client, callback, "cases:read")
	code := w.allowed(a)
	got := w.form("/oauth/token", a.exchange(code)).tokens(t)
	if r := w.form("/oauth/token", a.exchange(code)); r.status != http.StatusBadRequest || r.code() != "invalid_grant" {
		t.Errorf("the second use: %d %s", r.status, r.body)
	}
	if _, err := w.live(got.Access); !errors.Is(err, access.ErrUnauthenticated) {
		t.Errorf("the access token after the second use = %v", err)
	}
	if r := w.form("/oauth/token", refreshing(client, got.Refresh)); r.code() != "invalid_grant" {
		t.Errorf("the refresh token after the second use: %d %s", r.status, r.body)
	}

	for range 3 {
		a = ask(client, callback, "cases:read")
		form := a.exchange(w.allowed(a)).Encode()
		var won []tokens
		var mu sync.Mutex
		w.race(32, func(int) error {
			r, err := w.try(
				access.Caller{Kind: access.Public},
				http.MethodPost,
				"/oauth/token",
				form,
				"Content-Type",
				formType,
			)
			mu.Lock()
			defer mu.Unlock()

			switch {
			case err != nil:
				return err
			case r.status == http.StatusOK:
				won = append(won, r.tokens(t))
			case r.code() != "invalid_grant":
				return fmt.Errorf("%d %s", r.status, r.body)
			}

			return nil
		})
		if len(won) > 1 {
			t.Errorf("%d of 32 got tokens", len(won))
		}

		for _, got := range won {
			if _, err := w.live(got.Access); !errors.Is(err, access.ErrUnauthenticated) {
				t.Errorf("the winner's access token = %v", err)
			}
			if r := w.form("/oauth/token", refreshing(client, got.Refresh)); r.code() != "invalid_grant" {
				t.Errorf("the winner's refresh token: %d %s", r.status, r.body)
			}
		}
	}
}

// race runs do n times at once and reports what failed.
func (w *world) race(n int, do func(i int) error) {
	w.t.Helper()
	var racing sync.WaitGroup
	begin := make(chan struct{})

	for i := range n {
		racing.Go(func() {
			<-begin
			if err := do(i); err != nil {
				w.t.Errorf("racer %d: %v", i, err)
			}
		})
	}
	close(begin)
	racing.Wait()
}

func TestS33AndS37ACodeIsOneClientsAlone(t *testing.T) {
	t.Parallel()
	w := start(t)

	client, other := w.register(callback, "https://app.example.com/second"), w.register(callback)
	for _, tc := range []struct {
		name   string
		change func(form url.Values)
		after  time.Duration
		want   string
	}{
		{"another client", func(f url.Values) { f.Set("client_id", other) }, 0, "invalid_grant"},
		{"another redirect", func(f url.Values) { f.Set("redirect_uri", "https://app.example.com/second") }, 0, "invalid_grant"},
		{"another verifier", func(f url.Values) { f.Set("code_verifier", strings.Repeat("v", 43)) }, 0, "invalid_grant"},
		{"a short verifier", func(f url.Values) { f.Set("code_verifier", strings.Repeat("v", 42)) }, 0, "invalid_request"},
		{"a long verifier", func(f url.Values) { f.Set("code_verifier", strings.Repeat("v", 129)) }, 0, "invalid_request"},
		{"a verifier with a space", func(f url.Values) { f.Set("code_verifier", strings.Repeat("v", 43)+" ") }, 0, "invalid_request"},
		{"no verifier", func(f url.Values) { f.Del("code_verifier") }, 0, "invalid_request"},
		{"too late", func(url.Values) {}, 61 * time.Second, "invalid_grant"},
		{"a foreign resource", func(f url.Values) { f.Set("resource", "https://mcp.example.com") }, 0, "invalid_target"},
		{"two resources", func(f url.Values) { f.Add("resource", base+"/api/mcp") }, 0, "invalid_target"},
		{"an unknown client", func(f url.Values) { f.Set("client_id", "dcr_01981f6a-5b7e-7c3d-9a10-4f2b8f6f1a02") }, 0, "invalid_client"},
		{"a client of another sort", func(f url.Values) { f.Set("client_id", "https://app.example.com/client.json") }, 0, "invalid_grant"},
		{"a code of nobody", func(f url.Values) { f.Set("code", "x") }, 0, "invalid_grant"},
		{"two codes", func(f url.Values) { f.Add("code", "x") }, 0, "invalid_request"},
		{"another grant type", func(f url.Values) { f.Set("grant_type", "password") }, 0, "unsupported_grant_type"},
		{"no grant type", func(f url.Values) { f.Del("grant_type") }, 0, "invalid_request"},
	} {
		a := ask(client, callback, "cases:read")
		form := a.exchange(w.allowed(a))
		tc.change(form)
		w.skip.Add(int64(tc.after))
		r := w.form("/oauth/token", form)
		if status := map[bool]int{true: 401, false: 400}[tc.want == "invalid_client"]; r.status != status || r.code() != tc.want {
			t.Errorf("%s: %d %s, want %s", tc.name, r.status, r.body, tc.want)
		}
		if strings.Contains(r.body, form.Get("code")) && form.Get("code") != "x" {
			t.Errorf("%s: the answer quotes the code", tc.name)
		}
	}
}

func TestS36OldRefreshTokensEndTheFamily(t *testing.T) {
	t.Parallel()
	w := start(t)
	client, other := w.register(callback), w.register(callback)
	refresh := func(token string) (tokens, string) {
		r := w.form("/oauth/token", refreshing(client, token))
		if r.status == http.StatusOK {
			return r.tokens(t), ""
		}

		return tokens{}, r.code()
	}
	t.Run("two generations old", func(t *testing.T) {
		first := w.connect(client, "cases:read")
		second, _ := refresh(first.Refresh)
		third, _ := refresh(second.Refresh)
		if _, code := refresh(first.Refresh); code != "invalid_grant" {
			t.Errorf("an old token: %q", code)
		}
		if _, code := refresh(third.Refresh); code != "invalid_grant" {
			t.Errorf("the newest token after that: %q", code)
		}
		if _, err := w.live(third.Access); !errors.Is(err, access.ErrUnauthenticated) {
			t.Errorf("the newest access token after that = %v", err)
		}
	})
	t.Run("within the grace and after it", func(t *testing.T) {
		first := w.connect(client, "cases:read")
		second, _ := refresh(first.Refresh)
		w.skip.Add(int64(28 * time.Second))
		if again, code := refresh(first.Refresh); again.Refresh != second.Refresh || code != "" {
			t.Errorf("within the grace the successor is another: %q", code)
		}
		w.skip.Add(int64(3 * time.Second))
		if _, code := refresh(first.Refresh); code != "invalid_grant" {
			t.Errorf("after the grace: %q", code)
		}
		if _, code := refresh(second.Refresh); code != "invalid_grant" {
			t.Errorf("the successor after that: %q", code)
		}
	})
	t.Run("sixteen at once", func(t *testing.T) {
		first := w.connect(client, "cases:read")
		got := make([]string, 16)
		w.race(len(got), func(i int) error {
			r, err := w.try(
				access.Caller{Kind: access.Public},
				http.MethodPost,
				"/oauth/token",
				refreshing(client, first.Refresh).Encode(),
				"Content-Type",
				formType,
			)
			if err == nil && r.status == http.StatusOK {
				got[i] = r.tokens(t).Refresh
			}

			return err
		})
		slices.Sort(got)
		if got = slices.Compact(got); len(got) != 1 || got[0] == "" {
			t.Errorf("sixteen refreshes left %d successors", len(got))
		}
		if _, code := refresh(got[0]); code != "" {
			t.Errorf("the successor: %q", code)
		}
	})
	t.Run("another client, scopes, and what is none", func(t *testing.T) {
		first := w.connect(client, "cases:read cases:write")
		for name, change := range map[string]func(url.Values) string{
			"another client":     func(f url.Values) string { f.Set("client_id", other); return "invalid_grant" },
			"an unknown client":  func(f url.Values) string { f.Set("client_id", "x"); return "invalid_client" },
			"a wider scope":      func(f url.Values) string { f.Set("scope", "cases:read agent:run"); return "invalid_scope" },
			"an unknown scope":   func(f url.Values) string { f.Set("scope", "admin"); return "invalid_scope" },
			"a foreign resource": func(f url.Values) string { f.Set("resource", base); return "invalid_target" },
			"an access token":    func(f url.Values) string { f.Set("refresh_token", first.Access); return "invalid_grant" },
			"a changed token": func(f url.Values) string {
				f.Set("refresh_token", strings.Replace(first.Refresh, ".1.", ".2.", 1))
				return "invalid_grant"
			},
			"a short token": func(f url.Values) string { f.Set("refresh_token", first.Refresh[:80]); return "invalid_grant" },
		} {
			form := refreshing(client, first.Refresh)
			want := change(form)
			if r := w.form("/oauth/token", form); r.code() != want {
				t.Errorf("%s: %d %s, want %s", name, r.status, r.body, want)
			}
		}
		form := refreshing(client, first.Refresh)
		form.Set("scope", "cases:read")
		less := w.form("/oauth/token", form).tokens(t)
		if c, err := w.live(less.Access); err != nil || c.May("cases:write") || less.Scope != "cases:read" {
			t.Errorf("a token with less = %+v, %v", c, err)
		}
		if more, _ := refresh(less.Refresh); more.Scope != "cases:read cases:write" {
			t.Errorf("the next refresh has %q", more.Scope)
		}
	})
}

func TestS39TheQuestionIsAnsweredOnceByWhoWasAsked(t *testing.T) {
	t.Parallel()
	w := start(t)
	client := w.register(callback)
	b := &browser{w: w}
	page := b.visit(ask(client, callback, "cases:read"))
	if csp := page.header.Get("Content-Security-Policy"); !strings.Contains(csp, "frame-ancestors 'none'") || !strings.Contains(csp, "default-src 'none'") || page.header.Get("Cache-Control") != "no-store" {
		t.Errorf("headers of the page = %v", page.header)
	}

	set := page.header.Get("Set-Cookie") + (&browser{w: w}).get("/oauth/authorize?"+ask(client, callback, "").params.Encode()).header.Get("Set-Cookie")
	for _, part := range []string{"__Host-", "Path=/", "HttpOnly", "Secure", "SameSite=Lax", "Max-Age=600"} {
		if !strings.Contains(set, part) {
			t.Errorf("the cookie %q lacks %s", set, part)
		}
	}
	stranger := &browser{w: w}
	theirs := stranger.visit(ask(client, callback, "cases:read")).fields()

	allow := func(change func(url.Values)) url.Values {
		form := page.fields()
		form.Set("decision", "allow")
		change(form)

		return form
	}
	for _, tc := range []struct {
		name string
		by   *browser
		form url.Values
	}{
		{"no token", b, allow(func(f url.Values) { f.Del("csrf") })},
		{"a foreign token", b, allow(func(f url.Values) { f.Set("csrf", theirs.Get("csrf")) })},
		{"another browser", stranger, allow(func(url.Values) {})},
		{"no cookie", &browser{w: w}, allow(func(url.Values) {})},
		{"a foreign request", b, allow(func(f url.Values) { f.Set("request", theirs.Get("request")) })},
		{"no request", b, allow(func(f url.Values) { f.Del("request") })},
		{"no decision", b, allow(func(f url.Values) { f.Del("decision") })},
	} {
		if r := tc.by.send(tc.form); r.status != http.StatusBadRequest || r.header.Get("Location") != "" {
			t.Errorf("%s: %d to %q", tc.name, r.status, r.header.Get("Location"))
		}
	}
	if q := b.answer(page, "allow").back(t, callback); q.Get("code") == "" {
		t.Errorf("back with %v", q)
	}

	for _, decision := range []string{"allow", "refuse"} {
		if r := b.answer(page, decision); r.status != http.StatusConflict || r.header.Get("Location") != "" {
			t.Errorf("%s once more: %d to %q", decision, r.status, r.header.Get("Location"))
		}
	}
	again := b.visit(ask(client, callback, "cases:read"))
	if again.status != http.StatusOK {
		t.Errorf("a client that registered itself was let in without a question: %d", again.status)
	}
	if q := b.answer(again, "refuse").back(t, callback); q.Get("error") != "access_denied" || q.Get("iss") != base || q.Has("code") {
		t.Errorf("back with %v", q)
	}
	late := b.visit(ask(client, callback, "cases:read"))
	w.skip.Add(int64(11 * time.Minute))
	if r := b.answer(late, "allow"); r.status != http.StatusBadRequest {
		t.Errorf("eleven minutes later: %d", r.status)
	}
}

func TestAProviderThatAnswersWronglySignsNobodyIn(t *testing.T) {
	t.Parallel()
	w, h := prepare(t), startHost(t)
	w.admitting(h, nil)
	h.set(h.describes("max-age=600", callback))
	client := w.register(callback)

	claim := func(kind, name string, value any) func(p *provider) {
		return func(p *provider) {
			p.twist = func(k string, _ *jwt.Token, c jwt.MapClaims) {
				if k == kind {
					c[name] = value
				}
			}
		}
	}
	for _, tc := range []struct {
		name  string
		twist func(p *provider)
	}{
		{"another state", func(p *provider) { p.answer = func(q url.Values) { q.Set("state", strings.Repeat("0", 64)) } }},
		{"no state", func(p *provider) { p.answer = func(q url.Values) { q.Del("state") } }},
		{"another issuer beside the code", func(p *provider) { p.answer = func(q url.Values) { q.Set("iss", "https://mallory.example") } }},
		{"no issuer beside the code", func(p *provider) { p.answer = func(q url.Values) { q.Del("iss") } }},
		{"another code", func(p *provider) { p.answer = func(q url.Values) { q.Set("code", "x") } }},
		{"no code", func(p *provider) { p.answer = func(q url.Values) { q.Del("code") } }},
		{"another nonce", claim("id", "nonce", "x")},
		{"no nonce", claim("id", "nonce", "")},
		{"another audience", claim("id", "aud", "else")},
		{"another issuer", claim("id", "iss", "https://mallory.example")},
		{"an old ID token", claim("id", "exp", 1)},
		{"another person", claim("id", "sub", "mallory")},
		{"another person in another case", claim("id", "Sub", "mallory")},
		{"another nonce in another case", claim("id", "NONCE", "x")},
		{"a date as text", claim("id", "nbf", "1")},
		{"an access token with two persons", claim("access", "SUB", "mallory")},
		{"an extension that nobody knows", func(p *provider) {
			p.twist = func(_ string, t *jwt.Token, _ jwt.MapClaims) { t.Header["crit"] = []string{"exp"} }
		}},
		{"an access token for something else", claim("access", "aud", "else")},
		{"an ID token as access token", claim("access", "nonce", "n")},
		{"the hash of another access token", claim("id", "at_hash", "eHg")},
		{"a foreign key", func(p *provider) {
			p.twist = func(_ string, t *jwt.Token, _ jwt.MapClaims) { t.Header["kid"] = "other" }
		}},
	} {
		w.idp.set(tc.twist)
		r := (&browser{w: w}).visit(ask(client, callback, "cases:read"))
		w.idp.set(func(p *provider) { p.twist, p.answer = nil, nil })
		if r.status != http.StatusBadRequest || r.header.Get("Location") != "" || strings.Contains(r.body, "<form") {
			t.Errorf("%s: %d to %q", tc.name, r.status, r.header.Get("Location"))
		}
	}

	for given, want := range map[string]string{
		"access_denied": "access_denied", "login_required": "access_denied", "temporarily_unavailable": "temporarily_unavailable", "server_error": "server_error", "<script>": "access_denied",
	} {
		w.idp.set(func(p *provider) { p.answer = func(q url.Values) { q.Del("code"); q.Set("error", given) } })

		for by, told := range map[string]func(reply) url.Values{
			h.URL + "/client.json": func(r reply) url.Values { return r.back(t, callback) },
			client:                 func(r reply) url.Values { return r.shown(t, callback) },
		} {
			q := told((&browser{w: w}).visit(ask(by, callback, "")))
			if q.Get("error") != want || q.Get("iss") != base {
				t.Errorf("whom the provider sends back with %s goes back to %s with %v", given, by, q)
			}
		}
	}
	w.idp.set(func(p *provider) { p.answer = nil })
	b, a := &browser{w: w}, ask(client, callback, "")
	path, _ := w.atProvider(b.get("/oauth/authorize?" + a.params.Encode()).header.Get("Location"))
	if r := (&browser{w: w}).get(path); r.status != http.StatusBadRequest {
		t.Errorf("in another browser: %d", r.status)
	}
	w.idp.set(func(p *provider) { p.down = true })
	if r := b.get(path); r.status != http.StatusServiceUnavailable || !strings.Contains(r.body, "cannot be reached") || r.header.Get("Retry-After") == "" {
		t.Errorf("while the provider is away: %d %s", r.status, r.body)
	}
	w.idp.set(func(p *provider) { p.down = false })
	if r := b.get(path); r.status != http.StatusOK {
		t.Errorf("when it is back: %d %s", r.status, r.body)
	}
	if r := b.get(path); r.status != http.StatusConflict {
		t.Errorf("once more: %d", r.status)
	}
}
