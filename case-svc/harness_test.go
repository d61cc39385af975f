package casesvc_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"io"
	"maps"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	casesvc "github.com/subrosa-legal/subrosa/case-svc"
	"github.com/subrosa-legal/subrosa/pkg/authn"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
	"github.com/subrosa-legal/subrosa/pkg/launch"
	"github.com/subrosa-legal/subrosa/pkg/mongox"
	"github.com/subrosa-legal/subrosa/pkg/telemetry"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

// clock is the time as tests want it. It moves only when told.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func newClock() *clock { return &clock{at: time.Date(2026, 3, 4, 5, 6, 7, 89e6, time.UTC)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// world is a running case-svc with everything a test needs to call it.
type world struct {
	t      testing.TB
	base   string
	clock  *clock
	signer *authn.Signer
	logs   *lines
	client *http.Client
	// readiness is what /readyz asks.
	readiness func(context.Context) error
	mongoName string
}

// database is the service's own, seen from outside.
func (w *world) database() *mongo.Database {
	w.t.Helper()
	db, err := mongox.Open(w.t.Context(), mongox.Config{URI: testkit.MongoURI(w.t), Database: w.mongoName, Timeout: 10 * time.Second})
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = db.Close(context.WithoutCancel(w.t.Context())) })
	return db.Database()
}

func (w *world) ready() error { return w.readiness(w.t.Context()) }

// lines gathers what the service logs.
type lines struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func seedOf(b byte) (seed string, public string) {
	raw := bytes.Repeat([]byte{b}, ed25519.SeedSize)
	key, _ := ed25519.NewKeyFromSeed(raw).Public().(ed25519.PublicKey)
	return base64.RawURLEncoding.EncodeToString(raw), base64.RawURLEncoding.EncodeToString(key)
}

// environ is what a service of a test runs with.
func environ(t testing.TB, mongoURI string) (map[string]string, string) {
	t.Helper()
	gateway, gatewayPublic := seedOf(1)
	own, ownPublic := seedOf(2)
	trust := filepath.Join(t.TempDir(), "trust.json")
	text, err := json.Marshal(map[string]string{"gateway": gatewayPublic, "case-svc": ownPublic})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(trust, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return map[string]string{
		"CASE_ADDR": "127.0.0.1:0", "CASE_INTERNAL_ADDR": "127.0.0.1:0", "CASE_DATABASE": testkit.MongoName(t), "MONGODB_URI": mongoURI, "MONGODB_TIMEOUT": "10s",
		"BASE_URL": "https://subrosa.test", "INTERNAL_KEY": own, "INTERNAL_TRUST": trust, "DRAIN_DELAY": "0s", "CASE_SPOOL_DIR": filepath.Join(t.TempDir(), "spool"),
		"CASE_URL": "http://127.0.0.1:1",
	}, gateway
}

// start runs a service until the test ends. settings come over those of environ.
func start(t testing.TB, settings map[string]string) *world {
	t.Helper()
	w := startUnready(t, testkit.MongoURI(t), settings)
	testkit.Eventually(t, func() error { return w.ready() })
	return w
}

func startUnready(t testing.TB, mongoURI string, settings map[string]string) *world {
	t.Helper()
	launch.Globals()
	env, seed := environ(t, mongoURI)
	maps.Copy(env, settings)
	w := &world{t: t, clock: newClock(), logs: &lines{}, mongoName: env["CASE_DATABASE"]}
	service, err := casesvc.New(t.Context(), launch.Env{Environ: env, Telemetry: telemetry.Discard("case-svc", w.logs), Now: w.clock.Now})
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	// Tokens are signed by the service's clock.
	if w.signer, err = authn.NewSigner("gateway", seed, w.clock.Now); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan error, 1)
	go func() { done <- service.Run(ctx) }()
	w.base, w.client = "http://"+service.Addr(), &http.Client{Transport: httpx.NewTransport()}
	w.readiness = service.Ready
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Errorf("Run: %v", err)
		}
		w.client.CloseIdleConnections()
	})
	return w
}

// Callers of tests.
func user(tenant, id string, roles ...string) authn.Caller {
	if len(roles) == 0 {
		roles = []string{authn.RoleOwner, authn.RoleMember}
	}
	return authn.Caller{Kind: authn.User, Tenant: tenant, UserID: id, Roles: roles}
}

func agent(tenant, userID string, scopes ...string) authn.Caller {
	if len(scopes) == 0 {
		scopes = authn.AgentScopes()
	}
	return authn.Caller{Kind: authn.Agent, Tenant: tenant, UserID: userID, AgentID: "agt_0190a3b1-0000-7000-8000-00000000000a", Scopes: scopes, Roles: []string{authn.RoleMember}}
}

// answer is what came back, read whole.
type answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// call is one request.
type call struct {
	method, path string
	caller       authn.Caller
	header       map[string]string
	body         []byte
}

func (w *world) do(c call) answer {
	w.t.Helper()
	a, err := w.try(c)
	if err != nil {
		w.t.Fatalf("%s %s: %v", c.method, c.path, err)
	}
	return a
}

func (w *world) try(c call) (answer, error) {
	req, err := http.NewRequestWithContext(w.t.Context(), c.method, w.base+c.path, bytes.NewReader(c.body))
	if err != nil {
		return answer{}, err
	}
	if c.caller.Kind != "" {
		token, err := w.signer.Token(c.caller)
		if err != nil {
			return answer{}, err
		}
		req.Header.Set("Authorization", "Bearer "+token)
	}
	for k, v := range c.header {
		req.Header.Set(k, v)
	}
	resp, err := w.client.Do(req)
	if err != nil {
		return answer{}, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return answer{resp.StatusCode, resp.Header, body}, err
}

// json sends v as JSON.
func (w *world) json(caller authn.Caller, method, path string, v any, header ...string) answer {
	w.t.Helper()
	c := call{method: method, path: path, caller: caller, header: map[string]string{}}
	if v != nil {
		body, err := json.Marshal(v)
		if err != nil {
			w.t.Fatal(err)
		}
		if string(body) != "null" { // a map without anything in it: no body
			c.body = body
			c.header["Content-Type"] = "application/json"
		}
	}
	for i := 0; i+1 < len(header); i += 2 {
		c.header[header[i]] = header[i+1]
	}
	return w.do(c)
}

func (w *world) get(caller authn.Caller, path string, header ...string) answer {
	w.t.Helper()
	return w.json(caller, http.MethodGet, path, nil, header...)
}

// into decodes an answer of the wanted status.
func into[T any](t testing.TB, a answer, status int) T {
	t.Helper()
	var v T
	if a.Status != status {
		t.Fatalf("status = %d, want %d; body %s", a.Status, status, a.Body)
	}
	dec := json.NewDecoder(bytes.NewReader(a.Body))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&v); err != nil {
		t.Fatalf("decode answer: %v; body %s", err, a.Body)
	}
	return v
}

// refused checks an error answer and returns it.
func refused(t *testing.T, a answer, status int, code string) httpx.WireError {
	t.Helper()
	e := into[httpx.WireError](t, a, status)
	if e.Error != code {
		t.Fatalf("error = %q, want %q; body %s", e.Error, code, a.Body)
	}
	if e.RequestID == "" {
		t.Errorf("error answer has no requestId: %s", a.Body)
	}
	return e
}

// part is one part of a form.
type part struct {
	field, name, mediaType string
	content                []byte
}

// form encodes parts.
func form(t testing.TB, parts ...part) (contentType string, body []byte) {
	t.Helper()
	var b bytes.Buffer
	m := multipart.NewWriter(&b)
	for _, p := range parts {
		h := textproto.MIMEHeader{}
		disposition := `form-data; name="` + p.field + `"`
		if p.name != "" {
			disposition += `; filename="` + p.name + `"`
		}
		h.Set("Content-Disposition", disposition)
		if p.mediaType != "" {
			h.Set("Content-Type", p.mediaType)
		}
		pw, err := m.CreatePart(h)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := pw.Write(p.content); err != nil {
			t.Fatal(err)
		}
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	return m.FormDataContentType(), b.Bytes()
}

func (w *world) upload(caller authn.Caller, caseID string, header map[string]string, parts ...part) answer {
	w.t.Helper()
	contentType, body := form(w.t, parts...)
	h := map[string]string{"Content-Type": contentType}
	maps.Copy(h, header)
	return w.do(call{method: http.MethodPost, path: "/v1/cases/" + caseID + "/files", caller: caller, header: h, body: body})
}

// textFile is a part that holds text.
func textFile(name, text string) part { return part{"file", name, "text/plain", []byte(text)} }

// complaint is long enough to have passages, and has labels and a date.
var complaint = strings.Join([]string{
	"UNITED STATES DISTRICT COURT", "", "COMPLAINT", "",
	"1. [Party 1] is the tenant of the premises at [Address 1]. [Party 2] is the landlord and has owned the building since it was built.", "",
	"2. On March 3, 2024 the parties signed a lease for a term of two years with a monthly rent of $1,450.00, payable on the first day of each month.", "",
	"3. The landlord terminated the lease without the notice of sixty days that its section 4 requires, and changed the locks while the tenant was at work.", "",
	"4. Wherefore [Party 1] demands judgment against [Party 2] for damages in the amount of $9,000.00 and costs of this action.",
}, "\n")
