package authsvc_test

import (
	"net/http"
	"strings"
	"testing"
)

func TestAnApplicationIsConnected(t *testing.T) {
	t.Parallel()
	w := start(t)
	client := w.register(callback)
	a := ask(client, callback, "cases:write offline_access cases:read")
	b := &browser{w: w}
	page := b.visit(a)
	if page.status != http.StatusOK {
		t.Fatalf("the page: %d %s", page.status, page.body)
	}

	for _, part := range []string{"Allow Helper to", `<p class="host">app.example.com</p>`, "ada@oak.example", "not verified", "Read your cases", "Create and change"} {
		if !strings.Contains(page.body, part) {
			t.Errorf("the page does not say %q: %s", part, page.body)
		}
	}
	if strings.Contains(page.body, "legal agent work") || strings.Contains(page.body, "own computer") || strings.Contains(page.body, "<script") {
		t.Errorf("the page says too much: %s", page.body)
	}
	back := b.answer(page, "allow").back(t, callback)
	if back.Get("state") != "st&te" || back.Get("iss") != base || back.Get("code") == "" {
		t.Fatalf("back with %v", back)
	}
	r := w.form("/oauth/token", a.exchange(back.Get("code")))
	if r.header.Get("Cache-Control") != "no-store" {
		t.Errorf("tokens may be kept: %q", r.header.Get("Cache-Control"))
	}
	got := r.tokens(t)
	if got.Type != "Bearer" || got.Life != 600 || got.Refresh == "" || got.Scope != "cases:read cases:write" {
		t.Errorf("tokens = %+v", got)
	}
	c, err := w.live(got.Access)
	if err != nil || c.Tenant != "o:oak" || c.UserID != "ada" || c.ClientID != client || strings.Join(c.Roles, ",") != "owner,member" || !c.May("cases:write") || c.May("agent:run") {
		t.Errorf("caller = %+v, %v", c, err)
	}
	again := w.form("/oauth/token", refreshing(client, got.Refresh)).tokens(t)
	if again.Refresh == got.Refresh || again.Access == got.Access {
		t.Error("a refresh gave the same tokens")
	}
	if _, err := w.live(again.Access); err != nil {
		t.Errorf("the second access token: %v", err)
	}
}
