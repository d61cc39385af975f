package authsvc_test

import (
	"net/http"
	"strings"
	"testing"
)

// The person chooses what an application may do of what it asks for, and it may ask again.
func TestThePersonChoosesTheScopes(t *testing.T) {
	t.Parallel()
	w := start(t)
	client := w.register(callback)

	for name, tc := range map[string]struct {
		asked  string
		change func(form map[string][]string)
		want   string // the scopes of the token, or the code of the refusal
	}{
		"everything":        {"cases:read cases:write agent:run", func(map[string][]string) {}, "cases:read cases:write agent:run"},
		"less":              {"cases:read cases:write agent:run", func(f map[string][]string) { delete(f, "cases:write") }, "cases:read agent:run"},
		"writing alone":     {"cases:read cases:write", func(f map[string][]string) { delete(f, "cases:read") }, "cases:write"},
		"nothing":           {"cases:read", func(f map[string][]string) { delete(f, "cases:read") }, "nothing_chosen"},
		"more than asked":   {"cases:read", func(f map[string][]string) { f["agent:run"] = []string{"yes"} }, "bad_form"},
		"another value":     {"cases:read agent:run", func(f map[string][]string) { f["agent:run"] = []string{"on"} }, "cases:read"},
		"a field of a kind": {"cases:read", func(f map[string][]string) { f["cases:none"] = []string{"yes"} }, "cases:read"},
	} {
		t.Run(name, func(t *testing.T) {
			a := ask(client, callback, tc.asked)
			b := &browser{w: w}
			page := b.visit(a)
			if n := strings.Count(page.body, `type="checkbox"`); n != len(strings.Fields(tc.asked)) {
				t.Fatalf("%d boxes on %s", n, page.body)
			}
			form := page.fields()
			form.Set("decision", "allow")
			tc.change(form)
			r := b.send(form)
			if !strings.Contains(tc.want, ":") {
				if r.status != http.StatusBadRequest || r.header.Get("Location") != "" {
					t.Fatalf("%d to %q, want %s", r.status, r.header.Get("Location"), tc.want)
				}
				if again := b.answer(page, "allow"); tc.want == "nothing_chosen" &&
					again.back(t, callback).Get("code") == "" {
					t.Error("the question did not stay open")
				}

				return
			}
			got := w.form("/oauth/token", a.exchange(r.back(t, callback).Get("code"))).tokens(t)
			if got.Scope != tc.want {
				t.Errorf("scope %q, want %q", got.Scope, tc.want)
			}
			caller, err := w.live(got.Access)
			if err != nil || strings.Join(caller.Scopes, " ") != tc.want {
				t.Errorf("the token is for %+v, %v", caller, err)
			}
		})
	}
}
