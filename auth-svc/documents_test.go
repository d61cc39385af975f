package authsvc_test

import (
	"encoding/json"
	"encoding/pem"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/httpx"
)

// host serves documents of clients on this machine over TLS, and counts its visitors.
type host struct {
	*httptest.Server
	mu     sync.Mutex
	visits int
	serve  func(w http.ResponseWriter, r *http.Request)
}

func startHost(t *testing.T) *host {
	t.Helper()
	h := &host{}
	h.Server = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.mu.Lock()
		h.visits++
		serve := h.serve
		h.mu.Unlock()
		serve(w, r)
	}))
	t.Cleanup(h.Close)

	return h
}

func (h *host) set(serve func(w http.ResponseWriter, r *http.Request)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.serve, h.visits = serve, 0
}

func (h *host) seen() int {
	h.mu.Lock()
	defer h.mu.Unlock()

	return h.visits
}

// describes serves a document with these redirect addresses that names the address it was asked at.
func (h *host) describes(control string, redirects ...string) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if control != "" {
			w.Header().Set("Cache-Control", control)
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"client_id": h.URL + r.URL.Path, "client_name": "Desk", "redirect_uris": redirects, "token_endpoint_auth_method": "none"})
	}
}

// admitting starts auth-svc anew, such that it may fetch from h.
func (w *world) admitting(h *host, settings map[string]string) {
	w.t.Helper()
	ca := filepath.Join(w.t.TempDir(), "ca.pem")
	if err := os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: h.Certificate().Raw}), 0o600); err != nil {
		w.t.Fatal(err)
	}

	all := map[string]string{"AUTH_CLIENT_DEV_ALLOW": h.Listener.Addr().String(), "AUTH_CLIENT_DEV_CA": ca, "AUTH_CLIENT_PER_CALLER": "1000", "AUTH_CLIENT_PER_HOST": "1000"}
	for k, v := range settings {
		all[k] = v
	}
	w.addr = w.run(all)
}

func TestAClientIsDescribedByItsDocument(t *testing.T) {
	t.Parallel()
	w, h := prepare(t), startHost(t)
	w.admitting(h, nil)
	h.set(h.describes("max-age=600", callback, "https://second.example.com/callback", "http://localhost/callback"))
	client := h.URL + "/client.json"
	a := ask(client, callback, "cases:read")
	b := &browser{w: w}
	page := b.visit(a)
	if page.status != http.StatusOK || !strings.Contains(page.body, "Allow Desk to") || !strings.Contains(page.body, "described by "+strings.TrimPrefix(h.URL, "https://")) || strings.Contains(page.body, "not verified") {
		t.Fatalf("the page: %d %s", page.status, page.body)
	}
	got := w.form("/oauth/token", a.exchange(b.answer(page, "allow").back(t, callback).Get("code"))).tokens(t)
	if c, err := w.live(got.Access); err != nil || c.ClientID != client {
		t.Errorf("caller = %+v, %v", c, err)
	}
	if r := b.visit(ask(client, callback, "cases:read")); r.back(t, callback).Get("code") == "" {
		t.Error("what was allowed before is asked for again")
	}
	if r := b.visit(ask(client, callback, "cases:read cases:write")); r.status != http.StatusOK {
		t.Errorf("more than was allowed before is not asked for: %d", r.status)
	}
	if r := b.visit(ask(client, "https://second.example.com/callback", "cases:read")); r.status != http.StatusOK {
		t.Errorf("another host of the same client is not asked about: %d", r.status)
	}
	local := ask(client, "http://localhost:5001/callback", "cases:read")
	if q := b.answer(b.visit(local), "allow").back(t, "http://localhost:5001/callback"); w.form("/oauth/token", local.exchange(q.Get("code"))).status != http.StatusOK {
		t.Error("a program on this computer was not connected")
	}
	if r := b.visit(local); r.status != http.StatusOK || !strings.Contains(r.body, "on your own computer") {
		t.Errorf("a program on this computer is let in without a question: %d", r.status)
	}
	w.idp.set(func(p *provider) { p.person = ben })
	if r := b.visit(ask(client, callback, "cases:read")); r.status != http.StatusOK {
		t.Errorf("another person is not asked: %d", r.status)
	}
	w.idp.set(func(p *provider) { p.person = ada })
	if h.seen() != 1 {
		t.Errorf("the document was fetched %d times within its life", h.seen())
	}

	page2, _ := w.grants(adaHere, "")
	for _, g := range page2.Items {
		if !g.Verified || g.ClientID != client {
			t.Errorf("grant %+v", g)
		}
		w.disconnect(adaHere, g.GrantID)
	}
	if r := b.visit(ask(client, callback, "cases:read")); r.status != http.StatusOK {
		t.Errorf("what was disconnected comes back without a question: %d", r.status)
	}
	w.skip.Add(int64(11 * time.Minute))
	h.set(h.describes("", "https://app.example.com/other"))
	if r := b.visit(ask(client, callback, "cases:read")); r.status != http.StatusBadRequest || h.seen() != 1 {
		t.Errorf("an address that the document has no longer: %d, %d visits", r.status, h.seen())
	}
}

func TestS38DocumentsThatDescribeNobodyGetAPage(t *testing.T) {
	t.Parallel()
	w, h := prepare(t), startHost(t)
	w.admitting(h, nil)
	raw := func(media, text string) func(http.ResponseWriter, *http.Request) {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", media)
			_, _ = fmt.Fprint(w, strings.ReplaceAll(text, "SELF", h.URL+r.URL.Path))
		}
	}
	good := `{"client_id":"SELF","client_name":"Desk","redirect_uris":["` + callback + `"]}`
	n := 0
	try := func(name string, serve func(http.ResponseWriter, *http.Request), want int) {
		t.Helper()
		n++
		h.set(serve)
		r := (&browser{w: w}).visit(ask(fmt.Sprintf("%s/%d.json", h.URL, n), callback, "cases:read"))
		if r.status != want || r.header.Get("Location") != "" {
			t.Errorf("%s: %d to %q, want %d", name, r.status, r.header.Get("Location"), want)
		}
	}
	try("as it should be", raw("application/json; charset=utf-8", good), http.StatusOK)
	try("of a finer type", raw("application/oauth-client+json", good), http.StatusOK)

	for name, serve := range map[string]func(http.ResponseWriter, *http.Request){
		"HTML":                      raw("text/html", good),
		"without a type":            raw("", good),
		"no JSON":                   raw("application/json", "{"),
		"a list":                    raw("application/json", "[]"),
		"a name twice":              raw("application/json", strings.Replace(good, "{", `{"client_name":"A",`, 1)),
		"another client":            raw("application/json", strings.Replace(good, "SELF", "https://claude.ai/client.json", 1)),
		"no client":                 raw("application/json", `{"redirect_uris":["`+callback+`"]}`),
		"no redirects":              raw("application/json", `{"client_id":"SELF"}`),
		"a script as redirect":      raw("application/json", strings.Replace(good, callback, callback+`","javascript:alert(1)`, 1)),
		"a private redirect":        raw("application/json", strings.Replace(good, callback, callback+`","https://10.0.0.1/callback`, 1)),
		"a secret method":           raw("application/json", strings.Replace(good, "{", `{"token_endpoint_auth_method":"client_secret_basic",`, 1)),
		"a secret":                  raw("application/json", strings.Replace(good, "{", `{"client_secret":"x",`, 1)),
		"a name of other lettering": raw("application/json", strings.Replace(good, "Desk", "ksed\u202e", 1)),
		"huge":                      raw("application/json", good+strings.Repeat(" ", 6<<10)),
		"elsewhere":                 func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, h.URL+"/1.json", http.StatusFound) },
		"not there":                 func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotFound) },
		"slow": func(_ http.ResponseWriter, r *http.Request) {
			select {
			case <-r.Context().Done():
			case <-time.After(20 * time.Second):
			}
		},
	} {
		try(name, serve, http.StatusBadRequest)
	}
	h.set(raw("application/json", good))

	for _, client := range []string{
		"https://127.0.0.1:1/client.json", "https://localhost/client.json", "https://10.0.0.1/client.json", "https://169.254.169.254/latest/meta-data", "https://[::1]/client.json",
		"http://" + strings.TrimPrefix(h.URL, "https://") + "/client.json", h.URL, h.URL + "/", h.URL + "/a/../client.json", h.URL + "/%2e%2e/client.json", h.URL + "/client.json#x",
		strings.Replace(h.URL, "https://", "https://u@", 1) + "/client.json", "https://metadata.google.internal/client.json", h.URL + "/" + strings.Repeat("x", 300),
	} {
		if r := (&browser{w: w}).visit(ask(client, callback, "cases:read")); r.status != http.StatusBadRequest || r.header.Get("Location") != "" {
			t.Errorf("%s: %d", client, r.status)
		}
	}
	if h.seen() != 0 {
		t.Errorf("%d of them were fetched", h.seen())
	}
}

// begins tells with what an authorization request is answered, for a client at a path of the host and a caller at an address.
func (w *world) begins(h *host, path, from string) int {
	w.t.Helper()
	return w.call(http.MethodGet, "/oauth/authorize?"+ask(h.URL+path, callback, "").params.Encode(), "", httpx.HeaderClientAddress, from).status
}

func missing(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotFound) }

func TestDocumentsAreNotFetchedWithoutEnd(t *testing.T) {
	t.Parallel()
	w, h := prepare(t), startHost(t)
	w.admitting(h, map[string]string{"AUTH_CLIENT_PER_CALLER": "2", "AUTH_CLIENT_PER_HOST": "5"})
	h.set(h.describes("no-store", callback))

	for n, want := range []int{303, 303, 503} {
		if got := w.begins(h, fmt.Sprintf("/%d.json", n), "192.0.2.1"); got != want {
			t.Errorf("document %d of one caller: %d, want %d", n, got, want)
		}
	}
	if got := w.begins(h, "/0.json", "192.0.2.1"); got != 303 {
		t.Errorf("a document that is known: %d", got)
	}

	for n, want := range []int{303, 303, 303, 503} {
		if got := w.begins(h, fmt.Sprintf("/%d.json", 10+n), fmt.Sprintf("192.0.2.%d", 2+n)); got != want {
			t.Errorf("document %d of the host: %d, want %d", n, got, want)
		}
	}
	if h.seen() != 5 {
		t.Errorf("%d fetches, want 5", h.seen())
	}
}

func TestSoManyDocumentsAreFetchedAtOnce(t *testing.T) {
	t.Parallel()
	w, h := prepare(t), startHost(t)
	w.admitting(h, map[string]string{"AUTH_CLIENT_AT_ONCE": "1"})
	asked, answers := make(chan struct{}, 1), make(chan struct{})
	h.set(func(rw http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		<-answers
		h.describes("no-store", callback)(rw, r)
	})
	begins := func(n int) reply {
		address := h.URL + fmt.Sprintf("/%d.json", n)

		return w.call(http.MethodGet, "/oauth/authorize?"+ask(address, callback, "").params.Encode(), "",
			httpx.HeaderClientAddress, fmt.Sprintf("192.0.2.%d", n))
	}

	w.race(2, func(i int) error {
		if i == 0 {
			if r := begins(1); r.status != http.StatusSeeOther {
				t.Errorf("the first: %d", r.status)
			}

			return nil
		}
		<-asked

		defer close(answers)
		if r := begins(2); r.status != http.StatusServiceUnavailable || r.header.Get("Retry-After") == "" {
			t.Errorf("the second meanwhile: %d %v", r.status, r.header)
		}

		return nil
	})
	if r := begins(2); r.status != http.StatusSeeOther {
		t.Errorf("the second afterwards: %d", r.status)
	}
}

func TestStrangersCannotUseUpTheFetchesOfAKnownApplication(t *testing.T) {
	t.Parallel()
	w, h := prepare(t), startHost(t)
	w.admitting(h, map[string]string{"AUTH_CLIENT_PER_CALLER": "2", "AUTH_CLIENT_PER_HOST": "5"})
	h.set(h.describes("no-store", callback))
	w.begins(h, "/client.json", "192.0.2.1")
	h.set(missing)

	for n, want := range []int{400, 400, 400, 400, 503} {
		if got := w.begins(h, fmt.Sprintf("/%d.json", n), fmt.Sprintf("192.0.2.%d", 10+n)); got != want {
			t.Errorf("path %d that does not exist: %d, want %d", n, got, want)
		}
	}
	h.set(h.describes("no-store", callback))

	for range 3 { // the life of the document passes; it is fetched again whatever strangers did
		w.skip.Add(int64(6 * time.Minute))
		if got := w.begins(h, "/client.json", "192.0.2.1"); got != 303 {
			t.Errorf("a known application: %d", got)
		}
	}
	if h.seen() != 3 {
		t.Errorf("%d fetches of a known document, want 3", h.seen())
	}

	for range 30 {
		w.skip.Add(int64(6 * time.Minute))
		if got := w.begins(h, "/client.json", "192.0.2.1"); got != 303 {
			t.Errorf("a known application, fetched often: %d", got)
		}
	}
	if h.seen() != 20 {
		t.Errorf("%d fetches of a known document within an hour, want 20", h.seen())
	}
}

func TestAFailureIsRememberedForAMinute(t *testing.T) {
	t.Parallel()
	w, h := prepare(t), startHost(t)
	w.admitting(h, nil)
	h.set(missing)

	for range 3 {
		if got := w.begins(h, "/client.json", "192.0.2.1"); got != 400 {
			t.Errorf("a document that is not there: %d", got)
		}
	}
	if h.seen() != 1 {
		t.Errorf("%d fetches, want 1", h.seen())
	}
	h.set(h.describes("", callback))
	w.skip.Add(int64(61 * time.Second))
	if got := w.begins(h, "/client.json", "192.0.2.1"); got != 303 {
		t.Errorf("a minute later: %d", got)
	}
}

func TestAGoodDocumentOutlivesItsHost(t *testing.T) {
	t.Parallel()
	w, h := prepare(t), startHost(t)
	w.admitting(h, nil)

	good, away := h.describes("max-age=600", callback), func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) }
	for name, tc := range map[string]struct {
		serve func(http.ResponseWriter, *http.Request)
		later time.Duration
		want  int
	}{
		"away for six days":   {away, 6 * 24 * time.Hour, 303},
		"away for eight days": {away, 8 * 24 * time.Hour, 400},
		"gone for an hour":    {missing, time.Hour, 400},
	} {
		path := "/" + strings.ReplaceAll(name, " ", "-") + ".json"
		h.set(good)
		if got := w.begins(h, path, "192.0.2.1"); got != 303 {
			t.Errorf("%s, at first: %d", name, got)
		}
		h.set(tc.serve)
		w.skip.Add(int64(tc.later))

		for range 2 {
			if got := w.begins(h, path, "192.0.2.1"); got != tc.want {
				t.Errorf("%s: %d, want %d", name, got, tc.want)
			}
		}
		if h.seen() != 1 {
			t.Errorf("%s: %d fetches, want 1", name, h.seen())
		}
	}
}

// with serves a document with these fields besides, or in place of, those of a good one.
func (h *host) with(fields map[string]any) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, r *http.Request) {
		document := map[string]any{
			"client_id": h.URL + r.URL.Path, "client_name": "Desk", "redirect_uris": []string{callback},
			"token_endpoint_auth_method": "none",
		}
		maps.Copy(document, fields)
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(document)
	}
}

func answers(status int) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }
}

// TestADocumentThatVanishedOrChanged has documents become something else between what a person allowed and the next
// code or refresh token. after is what the grant is worth afterwards, once the document is as it was.
func TestADocumentThatVanishedOrChanged(t *testing.T) {
	t.Parallel()
	w, h := prepare(t), startHost(t)
	w.admitting(h, nil)
	var mu sync.Mutex
	serves := map[string]func(http.ResponseWriter, *http.Request){}
	becomes := func(path string, serve func(http.ResponseWriter, *http.Request)) {
		mu.Lock()
		defer mu.Unlock()
		serves[path] = serve
	}
	h.set(func(rw http.ResponseWriter, r *http.Request) {
		mu.Lock()
		serve := serves[r.URL.Path]
		mu.Unlock()
		serve(rw, r)
	})
	redirects := func(all ...string) map[string]any { return map[string]any{"redirect_uris": all} }

	type row struct {
		name          string
		becomes       func(http.ResponseWriter, *http.Request)
		code, refresh string // of the error; "" for tokens
		after         string // likewise, of another refresh
	}
	rows := []row{
		{"is as it was", h.with(nil), "", "", ""},
		{"has another name", h.with(map[string]any{"client_name": "Office"}), "", "", ""},
		{"is gone", answers(http.StatusGone), "invalid_client", "invalid_client", "invalid_grant"},
		{"is not found", answers(http.StatusNotFound), "invalid_client", "invalid_client", "invalid_grant"},
		{"cannot be fetched for now", answers(http.StatusBadGateway), "", "", ""},
		{"is no document for now", answers(http.StatusOK), "", "", ""},
		{"moved", answers(http.StatusMovedPermanently), "", "", ""},
		{
			"leads to another host", h.with(redirects("https://other.example.com/callback")),
			"invalid_grant", "invalid_grant", "invalid_grant",
		},
		{
			"leads to another port", h.with(redirects("https://app.example.com:8443/callback")),
			"invalid_grant", "invalid_grant", "invalid_grant",
		},
		{
			"leads to this computer", h.with(redirects("http://localhost/callback")),
			"invalid_grant", "invalid_grant", "invalid_grant",
		},
		{"leads to another path", h.with(redirects("https://app.example.com/other")), "invalid_grant", "", ""},
		{"leads there, too", h.with(redirects("https://other.example.com/callback", callback)), "", "", ""},
		{
			"does not refresh any more", h.with(map[string]any{"grant_types": []string{"authorization_code"}}),
			"", "invalid_grant", "invalid_grant",
		},
	}
	b := &browser{w: w}
	codes, grants := map[string]asked{}, map[string]tokens{}
	redeem := map[string]string{}
	client := func(kind string, i int) (id, path string) {
		path = fmt.Sprintf("/%s/%d.json", kind, i)
		return h.URL + path, path
	}

	for i, tc := range rows {
		id, path := client("refresh", i)
		becomes(path, h.with(nil))
		a := ask(id, callback, "cases:read")
		code := b.answer(b.visit(a), "allow").back(t, callback).Get("code")
		grants[tc.name] = w.form("/oauth/token", a.exchange(code)).tokens(t)
		id, path = client("code", i)
		becomes(path, h.with(nil))
		b.visit(ask(id, callback, "cases:read")) // so that it is remembered
	}
	w.skip.Add(int64(4*time.Minute + 50*time.Second)) // documents are fresh for five minutes, codes for one

	for i, tc := range rows {
		id, _ := client("code", i)
		a := ask(id, callback, "cases:read")
		codes[tc.name] = a
		redeem[tc.name] = b.answer(b.visit(a), "allow").back(t, callback).Get("code")
	}
	w.skip.Add(int64(20 * time.Second))

	for i, tc := range rows {
		t.Run(tc.name, func(t *testing.T) {
			_, path := client("code", i)
			becomes(path, tc.becomes)
			if got := refusal(w.form("/oauth/token", codes[tc.name].exchange(redeem[tc.name]))); got != tc.code {
				t.Errorf("a code: %q, want %q", got, tc.code)
			}
			id, path := client("refresh", i)
			becomes(path, tc.becomes)
			first := w.form("/oauth/token", refreshing(id, grants[tc.name].Refresh))
			if got := refusal(first); got != tc.refresh {
				t.Fatalf("a refresh token: %q, want %q", got, tc.refresh)
			}
			if _, err := w.live(grants[tc.name].Access); (err != nil) != (tc.refresh != "") {
				t.Errorf("the access token: %v", err)
			}
			becomes(path, h.with(nil))
			next := grants[tc.name].Refresh
			if first.status == http.StatusOK {
				next = first.tokens(t).Refresh
			}
			if got := refusal(w.form("/oauth/token", refreshing(id, next))); got != tc.after {
				t.Errorf("once the document is as it was: %q, want %q", got, tc.after)
			}
		})
	}
}

// TestAVanishedDocumentIsOneWordForAll has several people's grants of one client, whose document goes. Whoever comes
// second within the minute in which nobody asks the host again hears the same as the first.
func TestAVanishedDocumentIsOneWordForAll(t *testing.T) {
	t.Parallel()
	w, h := prepare(t), startHost(t)
	w.admitting(h, nil)

	for n, tc := range []struct {
		name    string
		becomes func(http.ResponseWriter, *http.Request)
		want    string // of each refresh, "" for tokens
		page    int    // of somebody who connects meanwhile
	}{
		{"not found", answers(http.StatusNotFound), "invalid_client", http.StatusBadRequest},
		{"gone", answers(http.StatusGone), "invalid_client", http.StatusBadRequest},
		{"away", answers(http.StatusBadGateway), "", http.StatusSeeOther},
		{"kept from us", answers(http.StatusForbidden), "", http.StatusSeeOther},
		{"only for who signs in", answers(http.StatusUnauthorized), "", http.StatusSeeOther},
		{"asked for too often", answers(http.StatusTooManyRequests), "", http.StatusSeeOther},
		{"broken at its host", answers(http.StatusInternalServerError), "", http.StatusSeeOther},
		{"empty", answers(http.StatusOK), "", http.StatusSeeOther},
		{"left out", answers(http.StatusNoContent), "", http.StatusSeeOther},
		{"moved", leadsTo("/elsewhere.json"), "", http.StatusSeeOther},
		{"a page", serves("text/html", "<p>Not here.</p>"), "", http.StatusSeeOther},
		{"cut off", serves("application/json", `{"client_id":"https://`), "", http.StatusSeeOther},
		{"too large", serves("application/json", strings.Repeat(" ", 1<<20)+"{}"), "", http.StatusSeeOther},
		{
			"that of another", serves("application/json", `{"client_id":"https://other.example.com/c.json"}`),
			"", http.StatusSeeOther,
		},
		{"a page that it is not found", missingPage, "invalid_client", http.StatusBadRequest},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w, path := w.in(t), fmt.Sprintf("/%d.json", n)
			h.set(h.describes("", callback))
			var refreshes []string

			for _, p := range []person{ada, ben, cara, otto} {
				p.subject = fmt.Sprintf("%s-%d", p.subject, n) // nobody has a grant of an earlier row
				w.idp.set(func(idp *provider) { idp.person = p })
				refreshes = append(refreshes, w.connect(h.URL+path, "cases:read").Refresh)
			}
			w.skip.Add(int64(6 * time.Minute))
			h.set(tc.becomes)

			for i, refresh := range refreshes {
				if got := refusal(w.form("/oauth/token", refreshing(h.URL+path, refresh))); got != tc.want {
					t.Errorf("person %d: %q, want %q", i, got, tc.want)
				}
			}
			if got := w.begins(h, path, "192.0.2.1"); got != tc.page {
				t.Errorf("a person who connects: %d, want %d", got, tc.page)
			}
			if h.seen() != 1 {
				t.Errorf("the host was asked %d times within the minute", h.seen())
			}
		})
	}
}

func leadsTo(path string) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, path, http.StatusMovedPermanently) }
}

func serves(media, body string) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", media)
		_, _ = w.Write([]byte(body))
	}
}

func missingPage(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusNotFound)
	_, _ = w.Write([]byte(`{"error":"not_found"}`))
}

// refusal is the code of an answer of the token endpoint, "" for tokens.
func refusal(r reply) string {
	if r.status == http.StatusOK {
		return ""
	}

	return r.code()
}
