package e2e_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/subrosa-legal/subrosa/gateway/web"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
)

var update = flag.Bool("update", false, "write golden files anew")

// golden compares got with a file of testdata.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s:\n%s\nwant\n%s", name, got, want)
	}
}

func TestTheServicesCard(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited())
	a := w.send(http.MethodGet, "/.well-known/agent.json", "", "")
	if a.status != http.StatusOK || a.header.Get("Content-Type") != "application/json" || a.header.Get("Cache-Control") != "public, max-age=3600" {
		t.Fatalf("card: %d %v", a.status, a.header)
	}
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, bytes.ReplaceAll(a.body, []byte(w.Facts.BaseURL), []byte("https://BASE")), "", "  "); err != nil {
		t.Fatal(err)
	}
	pretty.WriteByte('\n')
	golden(t, "agent-card.json", pretty.Bytes())

	var card map[string]json.RawMessage
	if err := json.Unmarshal(a.body, &card); err != nil {
		t.Fatal(err)
	}
	// The names of the interface specification, and no others.
	names := []string{
		"additionalInterfaces", "capabilities", "description", "name", "preferredTransport", "protocolVersion", "securitySchemes", "skills", "url", "version",
	}
	if got := slices.Sorted(maps.Keys(card)); !slices.Equal(got, names) {
		t.Errorf("fields = %v, want %v", got, names)
	}

	for field, want := range map[string]string{
		"url": `"` + w.Facts.BaseURL + `/api/mcp"`, "preferredTransport": `"mcp"`, "capabilities": `{"streaming":true,"pushNotifications":false,"stateTransitionHistory":false}`,
	} {
		if got := string(card[field]); got != want {
			t.Errorf("%s = %s, want %s", field, got, want)
		}
	}
	var schemes map[string]struct {
		Type  string
		Flows map[string]json.RawMessage
	}
	if err := json.Unmarshal(card["securitySchemes"], &schemes); err != nil || schemes["oauth2"].Type != "oauth2" || schemes["oauth2"].Flows["authorizationCode"] == nil {
		t.Errorf("securitySchemes = %s", card["securitySchemes"])
	}
	// Every address in it answers.
	var interfaces []struct{ Transport, URL string }
	if err := json.Unmarshal(card["additionalInterfaces"], &interfaces); err != nil || len(interfaces) == 0 {
		t.Errorf("additionalInterfaces = %s", card["additionalInterfaces"])
	}

	for _, i := range interfaces {
		if b := w.send(http.MethodPost, strings.TrimPrefix(i.URL, w.Facts.BaseURL), "", ""); i.Transport == "" || b.status == http.StatusNotFound || b.status == http.StatusMethodNotAllowed {
			t.Errorf("%s at %s: %d", i.Transport, i.URL, b.status)
		}
	}

	tag := a.header.Get("ETag")
	for header, want := range map[string]int{
		tag: 304, "W/" + tag: 304, `"x", ` + tag: 304, "*": 304, `"x"`: 200, "": 200, strings.Trim(tag, `"`): 200,
	} {
		b := w.send(http.MethodGet, "/.well-known/agent.json", "", "", "If-None-Match", header)
		if b.status != want || b.header.Get("ETag") != tag || want == 304 && len(b.body) > 0 {
			t.Errorf("If-None-Match: %s = %d %q, want %d", header, b.status, b.header.Get("ETag"), want)
		}
	}
	// Whoever sends a credential along gets the same.
	if b := w.send(http.MethodGet, "/.well-known/agent.json", "nonsense", ""); b.status != http.StatusOK || !bytes.Equal(b.body, a.body) {
		t.Errorf("with a credential: %d", b.status)
	}
}

func TestThePublicKeysHaveNoPrivatePart(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited())
	agent := w.connect(ada)
	a := w.send(http.MethodGet, "/.well-known/jwks.json", "", "")
	if a.status != http.StatusOK || a.header.Get("Cache-Control") != "public, max-age=300" || !strings.Contains(a.header.Get("Content-Type"), "json") {
		t.Fatalf("key set: %d %v", a.status, a.header)
	}
	var set struct{ Keys []map[string]any }
	if err := json.Unmarshal(a.body, &set); err != nil || len(set.Keys) == 0 {
		t.Fatalf("key set: %s", a.body)
	}
	header, _, _ := parts(t, agent.bearer)
	var ids []any

	for _, key := range set.Keys {
		if got, want := slices.Sorted(maps.Keys(key)), []string{"alg", "crv", "kid", "kty", "use", "x", "y"}; !slices.Equal(got, want) {
			t.Errorf("a key has the members %v, want %v", got, want)
		}
		if key["kty"] != "EC" || key["crv"] != "P-256" || key["alg"] != "ES256" || key["use"] != "sig" {
			t.Errorf("key = %v", key)
		}
		ids = append(ids, key["kid"])
	}
	if !slices.Contains(ids, header["kid"]) {
		t.Errorf("the set has %v and not the key of a bearer, %v", ids, header["kid"])
	}
	if b := w.send(http.MethodGet, "/.well-known/jwks.json", "", "", "If-None-Match", a.header.Get("ETag")); b.status != http.StatusNotModified {
		t.Errorf("If-None-Match = %d, want 304", b.status)
	}
}

func TestMe(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited())
	before := into[api.Me](t, w.send(http.MethodGet, "/v1/me", w.token(ada), ""), http.StatusOK)
	if before.Agent != nil {
		t.Errorf("agent before any is connected = %+v, want null", before.Agent)
	}
	agent := w.connect(ada)
	user := into[api.Me](t, w.send(http.MethodGet, "/v1/me", w.token(ada), ""), http.StatusOK)

	machine := into[api.Me](t, w.send(http.MethodGet, "/v1/me", agent.bearer, ""), http.StatusOK)
	for who, me := range map[string]api.Me{"user": user, "agent": machine} {
		if me.User != "ada" || me.Tenant != "o:oak" || me.Kind != who || me.Agent == nil || me.Agent.AgentID != agent.AgentID || me.Agent.AgentCardURL != agent.card.url || len(me.Limits) == 0 {
			t.Errorf("me of the %s = %+v", who, me)
		}
		if !slices.Equal(me.Roles, []string{"owner", "member", "admin"}) {
			t.Errorf("roles of the %s = %v", who, me.Roles)
		}
	}
	if len(user.Scopes) != 0 || !slices.Equal(machine.Scopes, access.AgentScopes()) {
		t.Errorf("scopes = %v and %v, want none and %v", user.Scopes, machine.Scopes, access.AgentScopes())
	}
	colleague := into[api.Me](t, w.send(http.MethodGet, "/v1/me", w.token(cara), ""), http.StatusOK)
	if colleague.Tenant != "o:oak" || colleague.Agent != nil || !slices.Equal(colleague.Roles, []string{"member"}) {
		t.Errorf("me of a colleague = %+v", colleague)
	}
	a := w.send(http.MethodGet, "/v1/me", agent.bearer, "")
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(a.body, &fields); err != nil {
		t.Fatal(err)
	}
	if got, want := slices.Sorted(maps.Keys(fields)), []string{"agent", "kind", "limits", "roles", "scopes", "tenant", "user"}; !slices.Equal(got, want) {
		t.Errorf("fields = %v, want %v", got, want)
	}
}

// named is a command on a page.
func TestDeepLinks(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited())

	caseID := uuid.NewString()
	for _, action := range web.Actions() {
		a := w.send(http.MethodGet, "/i/"+action+"?case="+caseID, "", "")
		if a.status != http.StatusOK || a.header.Get("Content-Type") != "text/html; charset=utf-8" || a.header.Get("Cache-Control") != "no-cache" {
			t.Errorf("%s: %d %v", action, a.status, a.header)
		}
		if page := string(a.body); !strings.Contains(page, "<subrosa-app>") || strings.Contains(page, caseID) || strings.Contains(page, "<form") || strings.Contains(page, "onclick") {
			t.Errorf("%s: %s", action, page)
		}
		a.headers(t, action, false)
	}

	for _, path := range []string{"/i/", "/i/nothing", "/i/agent/x", "/i/agent%2fx", "/i/AGENT", "/i/..", "/i/agent%00", "/i/<script>"} {
		w.send(http.MethodGet, path, "", "").refused(t, path, http.StatusNotFound, "not_found")
	}

	clean := w.send(http.MethodGet, "/i/review", "", "")
	for _, hostile := range []string{
		"case=%3Cscript%3Ealert(1)%3C/script%3E", "case=%22%3E%3Cimg%20src%3Dx%3E", "case=javascript:alert(1)", "case=" + caseID + "%3Cb%3E", "phase=%3Cscript%3E", "x=%3Cscript%3EHOSTILE", "HOSTILE=1",
		"container=HOSTILE", "invite=HOSTILE&case=HOSTILE", "case=..%2F..%2Fetc", "%zz", "a;b", strings.Repeat("a", 5000) + "=1",
	} {
		a := w.send(http.MethodGet, "/i/review?"+hostile, "", "")
		if a.status != http.StatusOK || !bytes.Equal(a.body, clean.body) {
			t.Errorf("?%.60s: %d, not the page that comes without it:\n%s", hostile, a.status, a.body)
		}
	}
	// Links that the service gives lead to such pages.
	agent := w.connect(ada)
	refused := w.send(http.MethodGet, "/v1/agents/me", agent.bearer, "")
	if a := w.send(http.MethodGet, strings.TrimPrefix(refused.err.DeepLink, w.Facts.BaseURL), "", ""); refused.err.DeepLink == "" || a.status != http.StatusOK {
		t.Errorf("the link %q leads to %d", refused.err.DeepLink, a.status)
	}
}
