package cli_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/httpcall"
)

// exchanger is a service that gives bearers for a key and answers runs that come with the newest of them.
type exchanger struct {
	*httptest.Server
	given   atomic.Int64 // bearers
	between func()       // runs while a bearer is being made; may be nil
}

const answerOnce = "The notice period is thirty days."

func newExchanger(t *testing.T) *exchanger {
	t.Helper()
	x := &exchanger{}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/auth/token", func(w http.ResponseWriter, _ *http.Request) {
		if x.between != nil {
			x.between()
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(api.BearerToken{
			BearerToken: x.bearer(x.given.Add(1)), ExpiresIn: 3600, ExpiresAt: 4_102_444_800,
		})
	})
	mux.HandleFunc("POST /v1/agent", func(w http.ResponseWriter, r *http.Request) {
		if given := x.given.Load(); given == 0 || r.Header.Get("Authorization") != "Bearer "+x.bearer(given) {
			httpcall.WriteError(w, "r", access.ErrUnauthenticated)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		fmt.Fprintf(w, "id: p:1\nevent: direct_response\n"+
			"data: {\"response\":{\"kind\":\"answer\",\"text\":%q}}\n\n", answerOnce)
		fmt.Fprint(w, "id: p:2\nevent: phase_end\ndata: {\"status\":\"completed\"}\n\n")
	})
	x.Server = httptest.NewServer(mux)
	t.Cleanup(x.Close)

	return x
}

func (x *exchanger) bearer(n int64) string { return fmt.Sprintf("bearer-%d", n) }

// signedIn makes a folder in which an agent is connected; bearer is what is kept of it, as JSON.
func (x *exchanger) signedIn(t *testing.T, bearer string) (folder string) {
	t.Helper()
	folder = t.TempDir()
	kept := fmt.Sprintf(
		`{"current":%q,"sites":{%q:{"baseUrl":%q,"token":"user-token","expires":"2100-01-01T00:00:00Z",
			"agent":{"id":"a","key":"key","cardUrl":"https://card"%s}}}}`,
		x.URL, x.URL, x.URL, bearer,
	)
	if err := os.MkdirAll(filepath.Join(folder, "config"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "config", "sites.json"), []byte(kept), 0o600); err != nil {
		t.Fatal(err)
	}

	return folder
}

// keptSite is what the commands keep of a site.
type keptSite struct {
	Token  string `json:"token"`
	CAFile string `json:"caFile"`
	Agent  *struct {
		Key    string `json:"key"`
		Bearer string `json:"bearer"`
	} `json:"agent"`
}

// elsewhere is another site, which nobody serves.
const elsewhere = "https://127.0.0.1:1"

// kept is what is known of the site.
func (x *exchanger) kept(t *testing.T, folder string) keptSite {
	t.Helper()
	return keptBook(t, folder).Sites[x.URL]
}

// book is what the commands keep.
type book struct {
	Current string              `json:"current"`
	Sites   map[string]keptSite `json:"sites"`
}

func keptBook(t *testing.T, folder string) (kept book) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, "config", "sites.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &kept); err != nil {
		t.Fatalf("the file is damaged: %v\n%s", err, text)
	}

	return kept
}

// Commands that run at once need one bearer: the first exchanges the key, the others take what it got.
func TestCommandsAtOnceExchangeTheKeyOnce(t *testing.T) {
	t.Parallel()

	const (
		pairs  = 5
		caseID = "0197b0a0-0000-7000-8000-000000000001"
	)

	for name, bearer := range map[string]string{
		"no bearer yet":               "",
		"a bearer that has expired":   `,"bearer":"old","until":"2020-01-01T00:00:00Z"`,
		"a bearer not taken any more": `,"bearer":"old","until":"2100-01-01T00:00:00Z"`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()

			for range pairs {
				x := newExchanger(t)
				// Both exchange at once, if both exchange. Nothing tells that the second command waits for its turn: it
				// only tries a lock of the system. Should it come too late, a fault goes unseen; no run fails by it.
				x.between = func() { <-time.After(100 * time.Millisecond) }
				folder := x.signedIn(t, bearer)
				var both sync.WaitGroup

				for range 2 {
					both.Go(func() {
						code, out, problems := run(t, folder, "ask", "--case", caseID, "What is the notice period?")
						if code != 0 || strings.Count(out, answerOnce) != 1 {
							t.Errorf("exit code %d, printed\n%s\n%s", code, out, problems)
						}
					})
				}
				both.Wait()
				if n := x.given.Load(); n != 1 {
					t.Errorf("the key was exchanged %d times", n)
				}
				if kept := x.kept(t, folder); kept.Agent == nil || kept.Agent.Bearer != x.bearer(x.given.Load()) {
					t.Errorf("kept is %+v", kept)
				}
				left, err := filepath.Glob(filepath.Join(folder, "config", ".sites-*"))
				if err != nil || len(left) > 0 {
					t.Errorf("left behind: %v, %v", left, err)
				}
			}
		})
	}
}

// A command that keeps a bearer leaves alone what another one has kept since it began.
func TestACommandKeepsWhatOthersChanged(t *testing.T) {
	t.Parallel()

	const caseID = "0197b0a0-0000-7000-8000-000000000001"

	for name, tc := range map[string]struct {
		other     []string
		agent     bool // is still known afterwards
		elsewhere bool // the other command is about another site, which is the one used last then
		authority string
	}{
		"the user signs out":        {other: []string{"logout"}, agent: true},
		"and the agent's key goes":  {other: []string{"logout", "--agent"}},
		"somebody uses another one": {other: []string{"--site", elsewhere, "logout"}, agent: true, elsewhere: true},
		"another authority":         {other: []string{"--ca", "/ca.pem", "logout"}, agent: true, authority: "/ca.pem"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := newExchanger(t)
			folder := x.signedIn(t, "")
			x.between = func() {
				if code, _, problems := run(t, folder, tc.other...); code != 0 {
					t.Errorf("%v: %s", tc.other, problems)
				}
			}

			code, _, problems := run(t, folder, "ask", "--case", caseID, "What is the notice period?")
			if code != 0 {
				t.Errorf("exit code %d, %s", code, problems)
			}
			kept := x.kept(t, folder)
			if (kept.Token == "") == tc.elsewhere {
				t.Errorf("the user's token is %q", kept.Token)
			}
			if kept.CAFile != tc.authority {
				t.Errorf("the authority is %q", kept.CAFile)
			}
			if used := keptBook(t, folder).Current; (used == elsewhere) != tc.elsewhere {
				t.Errorf("the site used last is %s", used)
			}
			if known := kept.Agent != nil && kept.Agent.Bearer == x.bearer(1); known != tc.agent {
				t.Errorf("the agent is %+v", kept.Agent)
			}
		})
	}
}
