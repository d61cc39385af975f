package e2e_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
)

// The recipe for Keycloak in docs/identity.md, played with its realm: who has a tenant signs in as a member of it with
// the roles of the realm, who has none is refused with the reason. make keycloak-check names the distribution.
func TestTheRecipeForKeycloak(t *testing.T) {
	home := os.Getenv("KEYCLOAK")
	if home == "" {
		t.Skip("there is no Keycloak: make keycloak-check fetches it")
	}
	provider := testkit.FreeAddr(t)
	w := start(t, unlimited(
		"OIDC_ISSUER", "http://"+provider+"/realms/firm", "OIDC_TENANT_CLAIM", "tenant",
		"OIDC_ROLES_CLAIM", "realm_access.roles", "OIDC_SINGLE_USERS", "false",
		"OIDC_CLIENT_ID", "subrosa", "OIDC_CLIENT_SECRET", "development-only",
	))
	startKeycloak(t, home, provider, w.Facts.BaseURL)

	for _, tc := range []struct {
		name, tenant string
		roles        []string
		refused      string
	}{
		{"ada", "o:oak", []string{"owner"}, ""},
		{"mel", "o:oak", []string{"member"}, ""},
		{"nobody", "", nil, "the claim tenant that OIDC_TENANT_CLAIM names is missing"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			browser := newBrowser(t, w)
			status, page := browser.signIn(t, w.Facts.BaseURL, tc.name)
			if tc.refused != "" {
				if status != http.StatusForbidden || !strings.Contains(html.UnescapeString(page), tc.refused) {
					t.Errorf("signed in without a tenant: %d\n%s", status, page)
				}

				return
			}
			me := browser.me(t, w.Facts.BaseURL)
			if me.Tenant != tc.tenant || !slices.Equal(me.Roles, tc.roles) {
				t.Errorf("signed in as %s with %v (%d), want %s with %v",
					me.Tenant, me.Roles, status, tc.tenant, tc.roles)
			}
		})
	}
}

// startKeycloak runs a Keycloak with the realm of the recipe, for a Subrosa at base, until the test ends.
func startKeycloak(t *testing.T, home, addr, base string) {
	t.Helper()
	realm, err := os.ReadFile("../keycloak/realm.json")
	if err != nil {
		t.Fatal(err)
	}
	data := filepath.Join(home, "data")
	if err := os.RemoveAll(data); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(data, "import"), 0o750); err != nil {
		t.Fatal(err)
	}
	realm = bytes.ReplaceAll(realm, []byte("https://subrosa.example.com"), []byte(base))
	if err := os.WriteFile(filepath.Join(data, "import", "realm.json"), realm, 0o600); err != nil {
		t.Fatal(err)
	}

	host, port, _ := strings.Cut(addr, ":")
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	log := &lines{}
	cmd := exec.CommandContext(
		ctx, filepath.Join(home, "bin", "kc.sh"), "start-dev", "--import-realm",
		"--http-host", host, "--http-port", port, "--cache", "local", "--health-enabled", "false",
	)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.Env = append(os.Environ(), "JAVA_OPTS_APPEND=-Xmx512m")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // the script starts Java, which must end with it
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		_ = cmd.Wait()
		if t.Failed() {
			t.Log(log)
		}
	})

	probe := &http.Client{Timeout: 5 * time.Second}
	testkit.UntilTrue(t, 3*time.Minute, "Keycloak answers", func() bool {
		resp, err := probe.Get("http://" + addr + "/realms/firm/.well-known/openid-configuration")
		if err != nil {
			return false
		}
		_ = resp.Body.Close()

		return resp.StatusCode == http.StatusOK
	})
	probe.CloseIdleConnections()
}

// formBrowser is a browser that follows redirects, keeps cookies and sends forms.
type formBrowser struct{ http *http.Client }

func newBrowser(t *testing.T, w *world) formBrowser {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	transport := w.bare.Clone()
	transport.TLSClientConfig = &tls.Config{RootCAs: w.bare.TLSClientConfig.RootCAs, MinVersion: tls.VersionTLS12}
	t.Cleanup(transport.CloseIdleConnections)

	return formBrowser{&http.Client{Jar: jar, Transport: transport, Timeout: time.Minute}}
}

// formAction finds where a page's form goes.
var formAction = regexp.MustCompile(`<form[^>]* action="([^"]+)"`)

// signIn goes to the service, fills in the provider's form and returns the page at the end.
func (b formBrowser) signIn(t *testing.T, base, name string) (status int, page string) {
	t.Helper()
	_, page = b.read(t)(b.http.Get(base + "/auth/login?returnTo=/"))
	action := formAction.FindStringSubmatch(page)
	if action == nil {
		t.Fatalf("the provider shows no form:\n%.2000s", page)
	}

	return b.read(t)(b.http.PostForm(
		html.UnescapeString(action[1]),
		url.Values{"username": {name}, "password": {name + "-password"}, "credentialId": {""}},
	))
}

func (b formBrowser) read(t *testing.T) func(*http.Response, error) (int, string) {
	t.Helper()

	return func(resp *http.Response, err error) (int, string) {
		if err != nil {
			t.Fatal(err)
		}

		defer func() { _ = resp.Body.Close() }()
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}

		return resp.StatusCode, string(body)
	}
}

// me asks the service who is signed in.
func (b formBrowser) me(t *testing.T, base string) api.Me {
	t.Helper()
	status, body := b.read(t)(b.http.Get(base + "/v1/me"))
	if status != http.StatusOK {
		t.Fatalf("GET /v1/me = %d %s", status, body)
	}

	var me api.Me
	if err := json.Unmarshal([]byte(body), &me); err != nil {
		t.Fatal(err)
	}

	return me
}
