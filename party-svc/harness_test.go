package partysvc_test

import (
	"maps"
	"net/http"
	"strings"
	"testing"

	partysvc "github.com/subrosa-legal/subrosa/party-svc"
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

// world is a running party-svc, before a case-svc of the test's, with everything a test needs to call it.
type world struct {
	servicetest.Door
	t     testing.TB
	clock *servicetest.Clock
	logs  *servicetest.Lines
	mongo *mongo.Database // the service's own, seen from outside
	cases *caseService
	spans *tracetest.SpanRecorder
}

// commands counts what a call sends to MongoDB.
func (w *world) commands(do func()) int {
	w.t.Helper()
	before := len(w.spans.Ended())
	do()
	n := 0

	for _, s := range w.spans.Ended()[before:] {
		if strings.HasSuffix(s.InstrumentationScope().Name, "/mongox") {
			n++
		}
	}

	return n
}

func (w *world) database() *mongo.Database { return w.mongo }

func (w *world) ready() error { return w.Ready(w.t.Context()) }

// environ is what a service of a test runs with.
func environ(t testing.TB, mongoURI string) map[string]string {
	t.Helper()
	env := servicetest.Environ(t, "party-svc", mongoURI, "case-svc")
	maps.Copy(env, map[string]string{
		"PARTY_ADDR": "127.0.0.1:0", "PARTY_INTERNAL_ADDR": "127.0.0.1:0", "PARTY_SWEEP_EVERY": "100ms", "PARTY_URL": "http://127.0.0.1:1",
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
		t:     t,
		clock: servicetest.NewClock(),
		logs:  &servicetest.Lines{},
		mongo: stores.Mongo(t),
		spans: tracetest.NewSpanRecorder(),
	}
	env := environ(t, mongoURI)
	w.cases = newCaseService(t, env["INTERNAL_TRUST"], w.clock.Now)
	env["PARTY_DATABASE"], env["CASE_URL"] = w.mongo.Name(), w.cases.URL
	maps.Copy(env, settings)
	reports := telemetry.Discard("party-svc", w.logs)
	reports.Tracers = sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(w.spans))
	w.Door = servicetest.Open(t, partysvc.New, env, reports, w.clock.Now)

	return w
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
