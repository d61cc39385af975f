package authsvc_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/audit/chain"
	"github.com/subrosa-legal/subrosa/pkg/audit/record"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
)

var (
	adaHere = access.Caller{Kind: access.User, Tenant: "o:oak", UserID: "ada", Roles: []string{"owner", "member"}}
	benHere = access.Caller{Kind: access.User, Tenant: "o:harbor", UserID: "ben", Roles: []string{"member"}}
)

// grants lists what a user has connected.
func (w *world) grants(caller access.Caller, query string) (api.Page[api.AppGrant], reply) {
	w.t.Helper()
	r, err := w.try(caller, http.MethodGet, "/v1/grants"+query, "")
	if err != nil {
		w.t.Fatal(err)
	}
	var page api.Page[api.AppGrant]
	if r.status == http.StatusOK {
		if err := json.Unmarshal([]byte(r.body), &page); err != nil {
			w.t.Fatal(err)
		}
	}

	return page, r
}

func (w *world) disconnect(caller access.Caller, gid string) reply {
	w.t.Helper()
	r, err := w.try(caller, http.MethodDelete, "/v1/grants/"+gid, "")
	if err != nil {
		w.t.Fatal(err)
	}

	return r
}

func TestAUserSeesAndDisconnectsApplications(t *testing.T) {
	t.Parallel()
	w := start(t)
	client := w.register(callback)
	first, second := w.connect(client, "cases:read"), w.connect(client, "agent:run")
	w.idp.set(func(p *provider) { p.person = ben })
	w.connect(client, "cases:read")
	page, _ := w.grants(adaHere, "")
	if len(page.Items) != 2 || page.NextCursor != nil || page.Items[0].GrantID < page.Items[1].GrantID {
		t.Fatalf("ada's grants = %+v", page)
	}
	g := page.Items[1]
	if g.ClientID != client || g.ClientName != "Helper" || g.RedirectHost != "app.example.com" || g.Verified || !slices.Equal(g.Scopes, []string{"cases:read"}) ||
		g.ExpiresAt.Sub(g.CreatedAt.Time) != 30*24*time.Hour || !g.LastUsedAt.Equal(g.CreatedAt.Time) {
		t.Errorf("the first grant = %+v", g)
	}
	one, _ := w.grants(adaHere, "?limit=1")
	if len(one.Items) != 1 || one.NextCursor == nil || one.Items[0].GrantID != page.Items[0].GrantID {
		t.Fatalf("a page of one = %+v", one)
	}
	two, _ := w.grants(adaHere, "?limit=1&cursor="+*one.NextCursor)
	if len(two.Items) != 1 || two.NextCursor != nil || two.Items[0].GrantID != g.GrantID {
		t.Errorf("the page after it = %+v", two)
	}
	if _, r := w.grants(benHere, "?cursor="+*one.NextCursor); r.code() != "invalid_cursor" {
		t.Errorf("ada's cursor for ben: %d %s", r.status, r.body)
	}

	for _, q := range []string{"?limit=0", "?limit=x", "?user=ben", "?cursor=x"} {
		if _, r := w.grants(adaHere, q); r.status != http.StatusBadRequest {
			t.Errorf("%s: %d", q, r.status)
		}
	}

	for name, caller := range map[string]access.Caller{
		"ben":                      benHere,
		"another of the same name": {Kind: access.User, Tenant: "o:harbor", UserID: "ada"},
		"a colleague":              {Kind: access.User, Tenant: "o:oak", UserID: "ann", Roles: []string{"admin"}},
	} {
		unknown := w.disconnect(caller, "01981f6a-5b7e-7c3d-9a10-4f2b8f6f1a02")
		if r := w.disconnect(caller, g.GrantID); r.status != http.StatusNotFound || unknown.status != r.status || r.code() != unknown.code() {
			t.Errorf("%s disconnects ada's application: %d %s", name, r.status, r.body)
		}
	}

	for _, caller := range []access.Caller{
		{Kind: access.Agent, Tenant: "o:oak", UserID: "ada", AgentID: "agt_x", Scopes: access.AgentScopes()},
		{Kind: access.OAuth, Tenant: "o:oak", UserID: "ada", ClientID: client, Scopes: access.GrantScopes()},
	} {
		for _, r := range []reply{w.disconnect(caller, g.GrantID), func() reply { _, r := w.grants(caller, ""); return r }()} {
			var e httpx.WireError
			if err := json.Unmarshal([]byte(r.body), &e); err != nil || r.status != http.StatusForbidden || e.Error != "human_required" || e.DeepLink != base+"/i/grants" {
				t.Errorf("a machine (%s): %d %s", caller.Kind, r.status, r.body)
			}
		}
	}
	if _, err := w.live(first.Access); err != nil {
		t.Fatal(err)
	}

	for range 2 { // it may be repeated
		if r := w.disconnect(adaHere, g.GrantID); r.status != http.StatusNoContent {
			t.Errorf("disconnect: %d %s", r.status, r.body)
		}
		if _, err := w.live(first.Access); !errors.Is(err, access.ErrUnauthenticated) {
			t.Errorf("its access token = %v", err)
		}
	}
	if r := w.form("/oauth/token", refreshing(client, first.Refresh)); r.code() != "invalid_grant" {
		t.Errorf("its refresh token: %d %s", r.status, r.body)
	}
	if _, err := w.live(second.Access); !errors.Is(err, access.ErrUnauthenticated) {
		t.Errorf("the access token of the application's other grant = %v", err)
	}
	if page, _ := w.grants(adaHere, ""); len(page.Items) != 0 {
		t.Errorf("ada's grants afterwards = %+v", page)
	}
	if page, _ := w.grants(benHere, ""); len(page.Items) != 1 {
		t.Errorf("ben's grants afterwards = %+v", page)
	}
	w.idp.set(func(p *provider) { p.person = ada })
	later := w.connect(client, "cases:read")
	if r := w.disconnect(adaHere, g.GrantID); r.status != http.StatusNoContent {
		t.Errorf("disconnect again: %d %s", r.status, r.body)
	}
	if _, err := w.live(later.Access); err != nil {
		t.Errorf("what was allowed after the end = %v", err)
	}
}

// connectAt is connect for a redirect address.
func (w *world) connectAt(client, redirect, scope string) tokens {
	w.t.Helper()
	a := ask(client, redirect, scope)

	return w.form("/oauth/token", a.exchange(w.allowed(a))).tokens(w.t)
}

func TestAGrantSupersedesWhatItCovers(t *testing.T) {
	t.Parallel()
	w := start(t)
	const elsewhere, here = "https://second.example.com/callback", "http://localhost/callback"
	client, other := w.register(callback, elsewhere, here), w.register(callback)
	kept := map[string]tokens{
		"of another host": w.connectAt(client, elsewhere, "cases:read"), "of another application": w.connectAt(other, callback, "cases:read"),
		"on this computer": w.connectAt(client, here, "cases:read"), "on another computer": w.connectAt(client, here, "cases:read"), "wider": w.connect(client, "cases:read agent:run"),
	}
	ended := map[string]tokens{"narrower": w.connect(client, "cases:read"), "equal": w.connect(client, "cases:read cases:write")}
	w.idp.set(func(p *provider) { p.person = ben })
	kept["of another user"] = w.connect(client, "cases:read")
	w.idp.set(func(p *provider) { p.person = ada })

	kept["the new one"] = w.connect(client, "cases:read cases:write")
	for name, got := range kept {
		if _, err := w.live(got.Access); err != nil {
			t.Errorf("the grant %s: %v", name, err)
		}
	}

	for name, got := range ended {
		if _, err := w.live(got.Access); !errors.Is(err, access.ErrUnauthenticated) {
			t.Errorf("the access token of the %s grant: %v", name, err)
		}
		if r := w.form("/oauth/token", refreshing(client, got.Refresh)); r.code() != "invalid_grant" {
			t.Errorf("the refresh token of the %s grant: %d %s", name, r.status, r.body)
		}
	}
}

func TestDisconnectingWhatWasSupersededEndsItsSuccessor(t *testing.T) {
	t.Parallel()
	w := start(t)
	client := w.register(callback)
	w.connect(client, "cases:read")
	page, _ := w.grants(adaHere, "")
	got := w.connect(client, "cases:read cases:write")
	if r := w.disconnect(adaHere, page.Items[0].GrantID); r.status != http.StatusNoContent {
		t.Errorf("disconnect: %d %s", r.status, r.body)
	}
	if _, err := w.live(got.Access); !errors.Is(err, access.ErrUnauthenticated) {
		t.Errorf("the successor's access token = %v", err)
	}
}

func TestAUserHasFiftyGrantsAtMost(t *testing.T) {
	t.Parallel()
	w := start(t)
	const here = "http://localhost/callback"
	client := w.register(here)
	first := w.connectAt(client, here, "cases:read")
	var second tokens

	for n := range 50 {
		if got := w.connectAt(client, here, "cases:read"); n == 0 {
			second = got
		}
	}
	if _, err := w.live(first.Access); !errors.Is(err, access.ErrUnauthenticated) {
		t.Errorf("the oldest of 51 grants = %v", err)
	}
	if _, err := w.live(second.Access); err != nil {
		t.Errorf("the oldest of 50 grants = %v", err)
	}
}

func TestGivingATokenBackEndsTheGrant(t *testing.T) {
	t.Parallel()
	w := start(t)

	client, other := w.register(callback), w.register(callback)
	for name, give := range map[string]func(tokens) url.Values{
		"the refresh token": func(g tokens) url.Values {
			return url.Values{"token": {g.Refresh}, "token_type_hint": {"refresh_token"}}
		},
		"the access token": func(g tokens) url.Values { return url.Values{"token": {g.Access}, "client_id": {client}} },
		"an old refresh token": func(g tokens) url.Values {
			w.form("/oauth/token", refreshing(client, g.Refresh))
			return url.Values{"token": {g.Refresh}}
		},
		"an access token, too late": func(g tokens) url.Values { w.skip.Add(int64(time.Hour)); return url.Values{"token": {g.Access}} },
	} {
		got := w.connect(client, "cases:read")
		for what, form := range map[string]url.Values{"another client's": {"token": {got.Refresh}, "client_id": {other}}, "a token of nobody": {"token": {"x"}}, "a forged one": {"token": {got.Access[:len(got.Access)-8] + "AAAAAAAA"}}} {
			if r := w.form("/oauth/revoke", form); r.status != http.StatusOK || r.body != "" {
				t.Errorf("%s: %d %s", what, r.status, r.body)
			}
		}
		if _, err := w.live(got.Access); err != nil {
			t.Fatalf("%s: dead before it was given back: %v", name, err)
		}

		form := give(got)
		for range 2 {
			if r := w.form("/oauth/revoke", form); r.status != http.StatusOK || r.body != "" {
				t.Errorf("%s: %d %s", name, r.status, r.body)
			}
		}
		if _, err := w.live(got.Access); !errors.Is(err, access.ErrUnauthenticated) {
			t.Errorf("%s: the access token = %v", name, err)
		}
		if r := w.form("/oauth/token", refreshing(client, got.Refresh)); r.code() != "invalid_grant" {
			t.Errorf("%s: the refresh token: %d %s", name, r.status, r.body)
		}
	}
	if r := w.form("/oauth/revoke", url.Values{}); r.code() != "invalid_request" {
		t.Errorf("no token: %d %s", r.status, r.body)
	}
}

func TestAGrantEndsByItself(t *testing.T) {
	t.Parallel()
	w := start(t)
	client := w.register(callback)
	got := w.connect(client, "cases:read")

	day := int64(24 * time.Hour)
	for range 3 {
		w.skip.Add(29 * day)
		got = w.form("/oauth/token", refreshing(client, got.Refresh)).tokens(t)
	}
	if page, _ := w.grants(adaHere, ""); len(page.Items) != 1 || page.Items[0].ExpiresAt.Sub(page.Items[0].CreatedAt.Time) != 90*24*time.Hour {
		t.Errorf("after 87 days of use = %+v", page)
	}
	w.skip.Add(4 * day)
	if r := w.form("/oauth/token", refreshing(client, got.Refresh)); r.code() != "invalid_grant" {
		t.Errorf("after 91 days: %d %s", r.status, r.body)
	}
	if page, _ := w.grants(adaHere, ""); len(page.Items) != 0 {
		t.Errorf("after 91 days = %+v", page)
	}
	got = w.connect(w.register(callback), "cases:read")
	w.skip.Add(31 * day)
	if r := w.form("/oauth/token", refreshing(client, got.Refresh)); r.code() != "invalid_grant" {
		t.Errorf("after 31 days without use: %d %s", r.status, r.body)
	}
}

func TestTheRecordTellsOfGrants(t *testing.T) {
	t.Parallel()
	w := start(t)
	client := w.register(callback)
	w.connect(client, "cases:read")
	first := w.connect(client, "cases:read cases:write")
	w.form("/oauth/token", refreshing(client, first.Refresh))
	next := w.form("/oauth/token", refreshing(client, first.Refresh)).tokens(t)
	w.form("/oauth/token", refreshing(client, next.Refresh))
	w.form("/oauth/token", refreshing(client, first.Refresh)) // an old one
	w.connect(client, "cases:read")
	page, _ := w.grants(adaHere, "")
	w.disconnect(adaHere, page.Items[0].GrantID)
	w.form("/oauth/revoke", url.Values{"token": {w.connect(client, "cases:read").Refresh}})
	a := ask(client, callback, "")
	code := w.allowed(a)
	w.form("/oauth/token", a.exchange(code))
	w.form("/oauth/token", a.exchange(code))
	b := &browser{w: w}
	b.answer(b.visit(a), "refuse")
	events, err := chain.New(w.db.Collection("audit"), w.now).List(t.Context(), "o:oak", chain.Filter{Limit: 100})
	if err != nil {
		t.Fatal(err)
	}

	var got []string
	for _, e := range events {
		got = append(got, fmt.Sprintf("%s %s %s", e.Actor.Kind, e.Action, e.Outcome))
		if e.Actor.Kind == "oauth" && e.Actor != (record.Actor{Kind: "oauth", ID: client, UserID: "ada"}) ||
			e.Actor.Kind == "user" && e.Actor != (record.Actor{Kind: "user", ID: "ada"}) ||
			e.Resource.Type == "client" && e.Resource.ID != client {
			t.Errorf("event %+v", e)
		}
	}
	connected := []string{"user user.signed_in ok", "user consent.given ok", "user grant.made ok"}
	want := slices.Concat(connected, connected, []string{"user grant.widened ok", "user grant.ended superseded", "oauth grant.ended refresh_token_reused"}, connected, []string{"user grant.ended ok"}, connected,
		[]string{"oauth grant.revoked ok"}, connected, []string{"oauth grant.ended code_replayed", "user user.signed_in ok", "user consent.refused ok"})
	if !slices.Equal(got, want) {
		t.Errorf("the record:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if err := record.Verify(events); err != nil {
		t.Error(err)
	}
}

func TestARefreshThatRacesWithTheEndLeavesNoLiveToken(t *testing.T) {
	t.Parallel()
	w := start(t)

	client := w.register(callback)
	for round := range 15 {
		got := w.connect(client, "cases:read")
		page, _ := w.grants(adaHere, "")
		var mu sync.Mutex
		tokens := []string{got.Access}
		w.race(9, func(i int) error {
			switch {
			case i > 0:
				r, err := w.try(
					access.Caller{Kind: access.Public},
					http.MethodPost,
					"/oauth/token",
					refreshing(client, got.Refresh).Encode(),
					"Content-Type",
					formType,
				)
				if err == nil && r.status == http.StatusOK {
					mu.Lock()
					defer mu.Unlock()
					tokens = append(tokens, r.tokens(t).Access)
				}

				return err
			case round%2 == 0:
				_, err := w.try(adaHere, http.MethodDelete, "/v1/grants/"+page.Items[0].GrantID, "")
				return err
			}
			_, err := w.try(
				access.Caller{Kind: access.Public},
				http.MethodPost,
				"/oauth/revoke",
				"token="+got.Refresh,
				"Content-Type",
				formType,
			)

			return err
		})

		for _, a := range tokens {
			if _, err := w.live(a); !errors.Is(err, access.ErrUnauthenticated) {
				t.Fatalf("round %d: one of %d access tokens outlived its grant: %v", round, len(tokens), err)
			}
		}
	}
}

func TestOfManyAnswersToOneQuestionOneCounts(t *testing.T) {
	t.Parallel()
	w := start(t)
	client := w.register(callback)
	b := &browser{w: w}
	form := b.visit(ask(client, callback, "cases:read")).fields()
	var mu sync.Mutex
	statuses := map[int]int{}
	w.race(16, func(i int) error {
		mine := maps.Clone(form)
		mine.Set("decision", []string{"allow", "refuse"}[i%2])
		r, err := w.try(
			access.Caller{Kind: access.Public},
			http.MethodPost,
			"/oauth/consent",
			mine.Encode(),
			"Content-Type",
			formType,
			"Cookie",
			b.cookie,
		)
		mu.Lock()
		defer mu.Unlock()
		statuses[r.status]++

		return err
	})
	if statuses[http.StatusSeeOther] != 1 || statuses[http.StatusConflict] != 15 {
		t.Errorf("statuses = %v", statuses)
	}
}

// Disconnecting one grant of an application ends everything of it that is under way for this person, and nothing else.
func TestEndingAnApplicationEndsItsCodesAndQuestions(t *testing.T) {
	t.Parallel()
	w := start(t)
	const elsewhere = "https://app.example.com/elsewhere"
	client, other := w.register(callback, elsewhere), w.register(callback)
	exchange := func(client, redirect, scope string) func() reply {
		a := ask(client, redirect, scope)
		code := w.allowed(a)

		return func() reply { return w.form("/oauth/token", a.exchange(code)) }
	}
	question := func(client, decision string) func() reply {
		b := &browser{w: w}
		page := b.visit(ask(client, callback, "cases:read"))

		return func() reply { return b.answer(page, decision) }
	}
	refresh := func(client, scope string) func() reply {
		got := w.connect(client, scope)
		return func() reply { return w.form("/oauth/token", refreshing(client, got.Refresh)) }
	}

	w.idp.set(func(p *provider) { p.person = ben })
	bensCode, bensRefresh := exchange(client, callback, "cases:read"), refresh(client, "cases:read")
	w.idp.set(func(p *provider) { p.person = ada })
	type row struct {
		name string
		then func() reply // what goes on with it after the end
		ends bool
	}
	rows := []row{
		{"a code", exchange(client, callback, "cases:read"), true},
		{"a second code", exchange(client, callback, "cases:read"), true},
		{"a code of another scope", exchange(client, callback, "agent:run"), true},
		{"a code of more scopes", exchange(client, callback, "cases:read agent:run"), true},
		{"a code that leads elsewhere", exchange(client, elsewhere, "cases:read"), true},
		{"a question that is allowed", question(client, "allow"), true},
		{"a question in another browser", question(client, "allow"), true},
		{"a question that is denied", question(client, "deny"), true},
		{"the same person's code of another application", exchange(other, callback, "cases:read"), false},
		{"the same person's refresh token of another", refresh(other, "agent:run"), false},
		{"another person's code", bensCode, false},
		{"another person's refresh token", bensRefresh, false},
	}
	rows = append(rows, row{"the refresh token", refresh(client, "cases:read"), true})

	page, _ := w.grants(adaHere, "?limit=100")
	for _, g := range page.Items {
		if g.ClientID != client {
			continue
		}
		if r := w.disconnect(adaHere, g.GrantID); r.status != http.StatusNoContent {
			t.Fatalf("disconnect: %d %s", r.status, r.body)
		}
	}

	for _, tc := range rows {
		if r := tc.then(); (r.status == http.StatusBadRequest) != tc.ends {
			t.Errorf("%s = %d %s, want it ended: %t", tc.name, r.status, r.body, tc.ends)
		}
	}

	left, _ := w.grants(adaHere, "?limit=100")
	for _, g := range left.Items {
		if g.ClientID == client {
			t.Errorf("the application has come back: %+v", g)
		}
	}

	w.skip.Add(int64(time.Second))
	w.connect(client, "cases:read")
}
