package e2e_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/subrosa-legal/subrosa/deploy/internal/client"
	"github.com/subrosa-legal/subrosa/deploy/internal/traces"
	"github.com/subrosa-legal/subrosa/pkg/api"
)

// ledger counts the trips to the stores that each of a test's operations took. It gives every operation a trace of
// its own, so that sweeps and other work beside it do not count.
type ledger struct {
	book   *traces.Book
	traced map[string]string // name of an operation to the id of its trace
}

// header returns the header, name and value, that makes a request part of the operation.
func (l *ledger) header(name string) []string {
	id := strings.ReplaceAll(uuid.NewString(), "-", "")
	l.traced[name] = id

	return []string{"Traceparent", "00-" + id + "-00000000000000ff-01"}
}

// trips are calls to the stores: MongoDB's commands, of these the ones before the first event of a run was written,
// and Redis' commands and pipelines.
type trips struct {
	mongo, first, redis int
	waits               int // calls to MongoDB that came one after another: what is beside another call counts once
	said                []string
}

// count reads a trace. It must be complete: the services have stopped.
func (l *ledger) count(t *testing.T, name string) trips {
	t.Helper()
	trace, ok := l.book.Trace(l.traced[name])
	if !ok || trace.Dropped > 0 {
		t.Fatalf("%s: trace found %t, spans lost %d", name, ok, trace.Dropped)
	}

	var n trips
	var last time.Time // when the call that is waited for ends
	begun := false

	for _, s := range trace.Spans { // by their start
		switch storeOf(s) {
		case "mongodb":
			n.mongo++
			if !s.Start.Before(last) {
				n.waits, last = n.waits+1, s.End
			} else if s.End.Before(last) {
				last = s.End
			}
			if !begun {
				n.first++
			}
		case "redis":
			n.redis++
			begun = begun || s.Service == "agent-svc" && s.Name == "publish" // follows each stored event
		default:
			continue
		}
		n.said = append(n.said, s.Service+": "+s.Name)
	}

	return n
}

func storeOf(s traces.Span) string {
	for _, a := range s.Attributes {
		if a.Name == "db.system.name" && s.Kind == "client" {
			return a.Value
		}
	}

	return ""
}

// most is how many trips an operation may take at most. Those of a run count until its branch is free again.
type most struct{ mongo, first, redis int }

// TestTripsToTheStores holds how often each operation calls its stores. Most calls of one operation come one after
// another, so their number times the way to the database is what a caller waits for. Of each operation the second is
// held against the bounds: the first finds out, for instance, where the audit chain of the tenant ends.
func TestTripsToTheStores(t *testing.T) {
	if !inOwnProcess(t) {
		return
	}
	everythingTwice = false // what a process remembers counts, and calls in turn would hide it

	l := &ledger{book: newBook(t), traced: map[string]string{}}
	w := start(t, unlimited("GATEWAY_TRUSTED_TRACES", "127.0.0.0/8"))
	agent, person := w.connect(ada), w.token(ada)
	small, large := w.caseOf(5), w.caseOf(50)
	question := "When may the agreement be terminated?"

	operations := []struct {
		name string
		most most
		do   func(t *testing.T, n int, headers []string)
	}{
		{"me", most{3, 3, 1}, w.gets(agent.bearer, "/v1/me")},
		{"list", most{1, 1, 1}, w.gets(agent.bearer, "/v1/cases")},
		{"workspace", most{10, 10, 1}, w.gets(agent.bearer, "/v1/workspace/case/"+large)},
		{"upload", most{17, 17, 1}, w.uploads(person, large)},
		{"exchange", most{4, 4, 2}, w.exchanges(agent.SharedAPIKey)},
		{"question without work", most{7, 4, 30}, w.runs(agent.bearer, small, api.CaseReq, "Help")},
		{"question to 5 files", most{10, 5, 40}, w.runs(agent.bearer, small, api.CaseReq, question)},
		{"question to 50 files", most{12, 5, 40}, w.runs(agent.bearer, large, api.CaseReq, question)},
		{"evaluation of 5 files", most{23, 5, 60}, w.runs(agent.bearer, small, api.EvalReq, "Evaluate the case")},
		{"evaluation of 50 files", most{24, 5, 90}, w.runs(agent.bearer, large, api.EvalReq, "Evaluate the case")},
	}
	for n := range 2 {
		for _, o := range operations {
			o.do(t, n, l.header(fmt.Sprint(o.name, " ", n)))
		}
	}

	const exchanges = 10
	for n := range exchanges {
		w.exchanges(agent.SharedAPIKey)(t, n, l.header(fmt.Sprint("another exchange ", n)))
	}
	if err := w.stop(); err != nil { // sends what spans are held back
		t.Fatal(err)
	}
	l.waitsTwice(t, "another exchange", exchanges)

	for _, o := range operations {
		got := l.count(t, o.name+" 1")
		t.Logf("%-24s MongoDB %3d, one after another %3d, before the first event %3d, Redis %3d",
			o.name, got.mongo, got.waits, got.first, got.redis)
		if got.mongo > o.most.mongo || got.first > o.most.first || got.redis > o.most.redis ||
			got.mongo+got.redis == 0 {
			t.Errorf(
				"%s: %d trips to MongoDB, of these %d before its first event, and %d to Redis; want at most %+v\n    %s",
				o.name,
				got.mongo,
				got.first,
				got.redis,
				o.most,
				strings.Join(got.said, "\n    "),
			)
		}
	}
}

// waitsTwice fails the test unless the best of n operations waits for MongoDB twice at most: on a busy machine two
// calls that are made at the same time may still come one after the other.
func (l *ledger) waitsTwice(t *testing.T, name string, n int) {
	t.Helper()

	best := l.count(t, name+" 0")
	for i := 1; i < n; i++ {
		if got := l.count(t, fmt.Sprint(name, " ", i)); got.waits < best.waits {
			best = got
		}
	}
	t.Logf("%s: %d calls of MongoDB, waits for %d one after another", name, best.mongo, best.waits)
	if best.waits > 2 {
		t.Errorf("%s waits for MongoDB %d times, want 2\n    %s", name, best.waits, strings.Join(best.said, "\n    "))
	}
}

// caseOf opens a case with so many files, a person's.
func (w *world) caseOf(files int) string {
	w.t.Helper()
	c := w.as(w.token(ada))
	k, err := c.CreateCase(w.t.Context(), client.NewCase{Jurisdiction: "US"})
	if err != nil {
		w.t.Fatal(err)
	}

	for i := range files {
		text := strings.NewReader(fmt.Sprintf("Exhibit %d\n\n%s", i, complaint))
		name := fmt.Sprintf("exhibit %d.md", i)
		if _, err := c.Upload(w.t.Context(), k.CaseID, name, "text/markdown", text); err != nil {
			w.t.Fatal(err)
		}
	}

	return k.CaseID
}

func (w *world) gets(bearer, path string) func(*testing.T, int, []string) {
	return func(t *testing.T, _ int, headers []string) {
		t.Helper()
		into[json.RawMessage](t, w.send(http.MethodGet, path, bearer, "", headers...), http.StatusOK)
	}
}

func (w *world) uploads(bearer, caseID string) func(*testing.T, int, []string) {
	return func(t *testing.T, n int, headers []string) {
		t.Helper()
		headers = append(
			headers,
			"Content-Type",
			"text/markdown",
			"Content-Disposition",
			`attachment; filename="later.md"`,
		)
		text := strings.NewReader(fmt.Sprintf("Later exhibit %d\n\n%s", n, complaint))
		request := w.request(http.MethodPost, "/v1/cases/"+caseID+"/files", bearer, text, headers...)
		into[json.RawMessage](t, w.do(w.http, request), http.StatusCreated)
	}
}

func (w *world) exchanges(key string) func(*testing.T, int, []string) {
	return func(t *testing.T, _ int, headers []string) {
		t.Helper()
		into[api.BearerToken](
			t,
			w.send(http.MethodPost, "/v1/auth/token", "", `{"api_key":"`+key+`"}`, headers...),
			http.StatusOK,
		)
	}
}

// runs has a run answer, in a session of its own.
func (w *world) runs(bearer, caseID, kind, prompt string) func(*testing.T, int, []string) {
	return func(t *testing.T, _ int, headers []string) {
		t.Helper()
		job := task(caseID, kind, prompt)
		checkStream(t, job.SeedPhase.PhaseID, w.post(bearer, job, headers...).all())
	}
}
