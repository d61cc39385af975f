package edge_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/gateway/internal/edge"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
	"github.com/subrosa-legal/subrosa/pkg/telemetry"
)

// record keeps what the gateway puts on record.
type record struct {
	mu  sync.Mutex
	got []api.RefusedCall
}

func (r *record) RecordRefusal(_ context.Context, in api.RefusedCall) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.got = append(r.got, in)

	return nil
}

func (r *record) all() []api.RefusedCall {
	r.mu.Lock()
	defer r.mu.Unlock()

	return r.got
}

// trace is an engine whose refusals leave lines in a buffer.
type trace struct {
	*gin.Engine
	lines    *bytes.Buffer
	log      *slog.Logger
	refusals *edge.Refusals
	record   *record
}

func newTrace(now func() time.Time, answer func(c *gin.Context) error) *trace {
	out := &trace{lines: &bytes.Buffer{}, record: &record{}}
	tel := telemetry.Discard("gateway", out.lines)
	out.log, out.refusals = tel.Log, edge.NewRefusals(out.record, now, tel)
	out.Engine = httpx.NewEngine(tel)
	out.Use(out.refusals.Handle)
	out.POST("/v1/things/:id", httpx.Handle(tel.Log, answer))

	return out
}

func (tr *trace) call(address string) {
	req := httptest.NewRequest(http.MethodPost, "/v1/things/PLANTED?q=PLANTED", strings.NewReader("PLANTED"))
	req.RemoteAddr = address
	req.Header.Set("Authorization", "Bearer PLANTED")
	tr.ServeHTTP(httptest.NewRecorder(), req)
}

// written returns the lines with this message.
func (tr *trace) written(t *testing.T, message string) []map[string]any {
	t.Helper()
	var all []map[string]any

	for line := range strings.Lines(tr.lines.String()) {
		var fields map[string]any
		if err := json.Unmarshal([]byte(line), &fields); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if fields["msg"] == message {
			all = append(all, fields)
		}
	}

	return all
}

func TestEachRefusalLeavesALine(t *testing.T) {
	t.Parallel()
	agent := access.Caller{Kind: access.Agent, Tenant: "o:PLANTED firm", UserID: "PLANTED user", AgentID: "agt_1"}
	person := access.Caller{Kind: access.User, Tenant: "o:PLANTED firm", UserID: "PLANTED user"}
	as := func(caller access.Caller, err error) func(*gin.Context) error {
		return func(c *gin.Context) error {
			c.Request = c.Request.WithContext(access.WithCaller(c.Request.Context(), caller, ""))
			return err
		}
	}
	many := errs.New(errs.TooMany, "rate_limited", "Wait.")

	wrong := errs.New(errs.Invalid, "validation_failed", "No.")
	wrongKey := errs.New(errs.Unauthenticated, "invalid_api_key", "No.")
	public := access.Caller{Kind: access.Public}
	stranger := as(public, access.ErrUnauthenticated)

	const (
		four = "203.0.113.77:5"
		net  = "address=203.0.113.0/24"
		none = "unauthenticated"
	)

	for _, tc := range []struct {
		name     string
		answer   func(*gin.Context) error
		from     string
		decision any // nil for no line
		code     any
		who      string // field=value
	}{
		{"nobody", stranger, four, none, none, net},
		{"nobody over IPv6", stranger, "[2001:db8:1:2:3::4]:5", none, none, "address=2001:db8:1::/48"},
		{"nobody over mapped IPv4", stranger, "[::ffff:203.0.113.77]:5", none, none, net},
		{"an address that cannot be read", stranger, "PLANTED", none, none, "address=unknown"},
		{"a key that is not valid", as(public, wrongKey), four, none, "invalid_api_key", net},
		{"an agent without the right", as(agent, access.ErrForbidden), four, "forbidden", "forbidden", "callerId=agt_1"},
		{"a person without the right", as(person, access.ErrForbidden), four, "forbidden", "forbidden", "caller=user"},
		{"an agent that calls too often", as(agent, many), four, "limited", "rate_limited", "callerId=agt_1"},
		{"an address that calls too often", as(public, many), four, "limited", "rate_limited", net},
		{"a credential that has ended", func(c *gin.Context) error {
			err := &access.Revoked{Caller: agent}
			edge.NoteUnauthenticated(c, err)

			return err
		}, four, "revoked", none, "callerId=agt_1"},
		{"disconnected meanwhile", func(c *gin.Context) error {
			edge.NoteDisconnected(c)
			return as(agent, nil)(c)
		}, four, "disconnected", "", "callerId=agt_1"},
		{"a reader who takes nothing", func(c *gin.Context) error {
			edge.NoteAnswer(c, edge.Answered{Cut: true})
			return as(agent, nil)(c)
		}, four, "cut_off", "", "callerId=agt_1"},
		{"a code of OAuth that is not valid", func(c *gin.Context) error {
			edge.NoteAnswer(c, edge.Answered{Code: "invalid_grant"})
			c.JSON(http.StatusBadRequest, gin.H{"error": "invalid_grant"})

			return nil
		}, four, "grant_refused", "invalid_grant", net},
		{"a refusal of a service", func(c *gin.Context) error {
			edge.NoteAnswer(c, edge.Answered{Code: "human_required"})
			c.JSON(http.StatusForbidden, gin.H{})

			return as(agent, nil)(c)
		}, four, "forbidden", "human_required", "callerId=agt_1"},
		{"a refusal within an answer of JSON-RPC", func(c *gin.Context) error {
			edge.NoteAnswer(c, edge.Answered{Code: "too_many_streams", Status: http.StatusTooManyRequests})
			c.JSON(http.StatusOK, gin.H{"jsonrpc": "2.0"})

			return as(agent, nil)(c)
		}, four, "limited", "too_many_streams", "callerId=agt_1"},
		{"a refusal that a protocol takes for wrong parameters", func(c *gin.Context) error {
			edge.NoteAnswer(c, edge.Answered{Code: "identity_refused", Status: http.StatusForbidden})
			c.JSON(http.StatusBadRequest, gin.H{"error": gin.H{}})

			return as(agent, nil)(c)
		}, four, "forbidden", "identity_refused", "callerId=agt_1"},
		{"wrong parameters within an answer of JSON-RPC", func(c *gin.Context) error {
			edge.NoteAnswer(c, edge.Answered{Code: "invalid_params", Status: http.StatusBadRequest})
			c.JSON(http.StatusOK, gin.H{"jsonrpc": "2.0"})

			return as(agent, nil)(c)
		}, four, nil, nil, ""},
		{"a good answer", as(agent, nil), four, nil, nil, ""},
		{"input that is wrong", as(agent, wrong), four, nil, nil, ""},
		{"nothing there", as(agent, errs.ErrNotFound), four, nil, nil, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			tr := newTrace(newClock().now, tc.answer)
			tr.call(tc.from)

			got := tr.written(t, "call refused")
			if tc.decision == nil {
				if len(got) > 0 {
					t.Fatalf("it left %v", got)
				}

				return
			}
			if len(got) != 1 {
				t.Fatalf("%d lines, want one: %s", len(got), tr.lines)
			}
			line := got[0]
			if line["decision"] != tc.decision || line["code"] != tc.code || line["route"] != "/v1/things/:id" ||
				line["method"] != "POST" {
				t.Errorf("%v, want decision %v and code %v", line, tc.decision, tc.code)
			}
			if field, value, _ := strings.Cut(tc.who, "="); line[field] != value {
				t.Errorf("%v, want %s", line, tc.who)
			}
			if _, ok := line["request_id"]; !ok {
				t.Errorf("%v has no id of the request", line)
			}
			if strings.Contains(tr.lines.String(), "PLANTED") {
				t.Errorf("the line holds what must not be logged: %s", tr.lines)
			}
		})
	}
}

func TestAFloodOfRefusalsIsSampledAndCounted(t *testing.T) {
	t.Parallel()
	clock := newClock()
	tr := newTrace(clock.now, func(*gin.Context) error { return access.ErrUnauthenticated })

	for range 1000 {
		tr.call("203.0.113.77:5")
	}
	tr.call("198.51.100.1:5") // whoever else is refused still gets a line
	flood, lines := 0, tr.written(t, "call refused")

	for _, line := range lines {
		if line["address"] == "203.0.113.0/24" {
			flood++
		}
	}
	if flood == 0 || flood > 20 || len(lines) != flood+1 {
		t.Errorf("%d lines for the flood, %d in all", flood, len(lines))
	}

	clock.at = clock.at.Add(11 * time.Second)
	tr.call("198.51.100.1:5")
	dropped := tr.written(t, "refused calls without lines of their own")
	if len(dropped) != 1 || dropped[0]["dropped"] != float64(1000-flood) ||
		dropped[0]["decision"] != "unauthenticated" {
		t.Errorf("what was left out is told as %v, want one line with %d", dropped, 1000-flood)
	}
}

func TestAFloodFromManyAddressesIsBounded(t *testing.T) {
	t.Parallel()
	clock := newClock()
	tr := newTrace(clock.now, func(*gin.Context) error { return access.ErrUnauthenticated })

	for i := range 2000 {
		tr.call("203.0." + strconv.Itoa(i/250) + "." + strconv.Itoa(i%250) + ":5")
	}
	if lines := len(tr.written(t, "call refused")); lines > 500 {
		t.Errorf("%d lines in one window, want at most 500", lines)
	}
}

// What is left out is told also when no further refusal comes, and refusals of known callers go on record once for
// many.
func TestKnownCallersGoOnRecord(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		agent := access.Caller{Kind: access.Agent, Tenant: "o:firm", UserID: "ann", AgentID: "agt_1"}
		tr := newTrace(time.Now, func(c *gin.Context) error {
			err := &access.Revoked{Caller: agent}
			edge.NoteUnauthenticated(c, err)

			return err
		})
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan struct{})

		go func() { tr.refusals.Watch(ctx); close(done) }()

		for range 100 {
			tr.call("203.0.113.77:5")
		}
		synctest.Wait()
		want := api.RefusedCall{
			Tenant: "o:firm", Kind: "agent", ID: "agt_1", UserID: "ann", Decision: "revoked", Code: "unauthenticated",
			Route: "POST /v1/things/:id",
		}
		if got := tr.record.all(); len(got) != 1 || got[0] != want {
			t.Errorf("on record: %+v, want %+v once", got, want)
		}

		time.Sleep(11 * time.Second) //nolint:forbidigo // in the bubble
		synctest.Wait()
		if got := tr.written(t, "refused calls without lines of their own"); len(got) != 1 {
			t.Errorf("counts of what was left out: %v, want one", got)
		}
		time.Sleep(10 * time.Minute) //nolint:forbidigo // in the bubble
		tr.call("203.0.113.77:5")
		synctest.Wait()
		if got := tr.record.all(); len(got) != 2 {
			t.Errorf("ten minutes later %d are on record, want 2", len(got))
		}
		stop()
		<-done
	})
}

func TestARevokedCredentialIsNotATell(t *testing.T) {
	t.Parallel()
	err := error(&access.Revoked{Caller: access.Caller{UserID: "ann"}})
	if !errors.Is(err, access.ErrUnauthenticated) || errs.From(err) != access.ErrUnauthenticated ||
		strings.Contains(err.Error(), "ann") {
		t.Errorf("outside it is %v, want ErrUnauthenticated", err)
	}
}
