package casesvc_test

import (
	"bytes"
	"maps"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"path/filepath"
	"strings"
	"testing"

	casesvc "github.com/subrosa-legal/subrosa/case-svc"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
	"github.com/subrosa-legal/subrosa/pkg/telemetry"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
	"github.com/subrosa-legal/subrosa/pkg/testkit/servicetest"
	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
	"go.mongodb.org/mongo-driver/v2/mongo"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
)

// world is a running case-svc with everything a test needs to call it.
type world struct {
	servicetest.Door
	t       testing.TB
	clock   *servicetest.Clock
	logs    *servicetest.Lines
	mongo   *mongo.Database // the service's own, seen from outside
	parties *parties
	spans   *tracetest.SpanRecorder
}

func (w *world) database() *mongo.Database { return w.mongo }

// in is the same world for a test that runs within another.
func (w *world) in(t testing.TB) *world {
	here := *w
	here.t = t

	return &here
}

func (w *world) ready() error { return w.Ready(w.t.Context()) }

// environ is what a service of a test runs with.
func environ(t testing.TB, mongoURI string) map[string]string {
	t.Helper()
	env := servicetest.Environ(t, "case-svc", mongoURI, "agent-svc", "auth-svc")
	maps.Copy(env, map[string]string{
		"CASE_ADDR": "127.0.0.1:0", "CASE_INTERNAL_ADDR": "127.0.0.1:0", "CASE_SPOOL_DIR": filepath.Join(t.TempDir(), "spool"), "CASE_URL": "http://127.0.0.1:1",
		"PARTY_URL": "http://127.0.0.1:1", "CASE_FEED_LAG": "0s",
	})

	return env
}

// start runs a service until the test ends. settings come over those of environ.
func start(t testing.TB, settings map[string]string) *world {
	t.Helper()
	w := startUnready(t, stores.MongoURI(t), settings)
	testkit.Until(t, testkit.Patience, func() error { return w.ready() })

	return w
}

func startUnready(t testing.TB, mongoURI string, settings map[string]string) *world {
	t.Helper()
	w := &world{
		t:       t,
		clock:   servicetest.NewClock(),
		logs:    &servicetest.Lines{},
		mongo:   stores.Mongo(t),
		parties: startParties(t),
		spans:   tracetest.NewSpanRecorder(),
	}
	env := environ(t, mongoURI)
	env["CASE_DATABASE"], env["PARTY_URL"] = w.mongo.Name(), w.parties.url
	maps.Copy(env, settings)
	reports := telemetry.Discard("case-svc", w.logs)
	reports.Tracers = sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(w.spans))
	w.Door = servicetest.Open(t, casesvc.New, env, reports, w.clock.Now)

	return w
}

// beside runs another replica, which no broken link leads to the store. A test sets up and looks on by way of it, so
// that only what the broken link is about has little time. settings come over those of environ.
func (w *world) beside(settings ...map[string]string) *world {
	w.t.Helper()
	env := environ(w.t, stores.MongoURI(w.t))

	env["CASE_DATABASE"], env["PARTY_URL"] = w.mongo.Name(), w.parties.url
	for _, set := range settings {
		maps.Copy(env, set)
	}
	other := *w
	other.Door = servicetest.Open(w.t, casesvc.New, env, telemetry.Discard("case-svc", w.logs), w.clock.Now)
	testkit.Until(w.t, testkit.Patience, other.ready)

	return &other
}

// How tests call the service.
type (
	call   = servicetest.Call
	answer = servicetest.Answer
)

func user(tenant, id string, roles ...string) access.Caller {
	return servicetest.User(tenant, id, roles...)
}

func agent(tenant, userID string, scopes ...string) access.Caller {
	return servicetest.Agent(tenant, userID, scopes...)
}

func (w *world) try(c call) (answer, error) { return w.Try(w.t.Context(), c) }

func (w *world) do(c call) answer {
	w.t.Helper()
	return w.Do(w.t, c)
}

// json sends v as JSON.
func (w *world) json(caller access.Caller, method, path string, v any, header ...string) answer {
	w.t.Helper()
	return w.do(servicetest.JSON(w.t, caller, method, path, v, header...))
}

func (w *world) get(caller access.Caller, path string, header ...string) answer {
	w.t.Helper()
	return w.json(caller, http.MethodGet, path, nil, header...)
}

func into[T any](t testing.TB, a answer, status int) T {
	t.Helper()
	return servicetest.Into[T](t, a, status)
}

func refused(t testing.TB, a answer, status int, code string) httpx.WireError {
	t.Helper()
	return servicetest.Refused(t, a, status, code)
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

func (w *world) upload(caller access.Caller, caseID string, header map[string]string, parts ...part) answer {
	w.t.Helper()
	contentType, body := form(w.t, parts...)
	h := map[string]string{"Content-Type": contentType}
	maps.Copy(h, header)

	return w.do(call{Method: http.MethodPost, Path: "/v1/cases/" + caseID + "/files", Caller: caller, Header: h, Body: body})
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
