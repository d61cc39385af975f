package admission_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/admission"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/redisstore"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/runs"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/stream"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/httpcall"
	"github.com/subrosa-legal/subrosa/pkg/services"
	"github.com/subrosa-legal/subrosa/pkg/telemetry"
	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
)

// newDesk is a desk at a case-svc that answers as handle does.
func newDesk(t *testing.T, places int, handle http.HandlerFunc) *admission.Service {
	t.Helper()
	server := httptest.NewServer(handle)
	t.Cleanup(server.Close)
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	client, err := httpcall.NewClient(
		server.URL,
		func(context.Context) (string, error) { return "token", nil },
		telemetry.Discard("agent-svc", io.Discard),
		transport,
	)
	if err != nil {
		t.Fatal(err)
	}
	rdb := stores.Redis(t)
	cases := services.CaseClient{HTTP: client}
	r := &runs.Runs{
		Events:   stream.NewLog(rdb, time.Hour),
		Leases:   redisstore.NewLeases(rdb, time.Second),
		Phases:   cases,
		Timing:   runs.DefaultTiming(),
		AsTenant: func(ctx context.Context, _ string) context.Context { return ctx },
		Now:      time.Now,
		Log:      slog.New(slog.DiscardHandler),
	}
	r.Open(runs.Limits{All: places, Caller: places})

	return &admission.Service{
		Runs: r, Planner: rules{}, Cases: cases, Auth: standing{}, Ahead: noRun{}, LineWait: time.Minute, Now: time.Now,
	}
}

// noRun is over at once.
type noRun struct{}

func (noRun) Await(context.Context, stream.Key, time.Duration) bool { return true }

// A request may wait at two processes. Once the other one has begun the run, this one writes nothing into its stream,
// which would cost the run an attempt.
func TestAWaiterKeepsOutOfARunThatBeganElsewhere(t *testing.T) {
	t.Parallel()
	ann := access.Caller{Tenant: "o:oak", Kind: access.User, UserID: "ann"}
	key := stream.Key{Tenant: "o:oak", PhaseID: uuid.NewString()}
	asked := 0
	begins := func() {}
	desk := newDesk(t, 1, func(w http.ResponseWriter, _ *http.Request) {
		asked++
		answer := api.BegunPhase{
			Phase: api.Phase{PhaseID: key.PhaseID, Status: api.PhaseQueued},
			Place: 4 - asked,
			Ahead: key.PhaseID,
		}

		switch asked {
		case 2: // the answer is on its way when the other process begins
			begins()
		case 3:
			answer.Phase.Status = api.PhaseRunning
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(answer)
	})
	begins = func() {
		newest, _, err := desk.Runs.Events.Newest(t.Context(), key)
		if err != nil {
			t.Error(err)
		}
		start := stream.Event{Seq: newest.Seq + 1, Kind: api.EventPhaseStart, Data: []byte(`{"type":"phase_start"}`)}
		if err := desk.Runs.Events.Append(t.Context(), key, start); err != nil {
			t.Error(err)
		}
	}

	begun, err := desk.Begin(t.Context(), ann, api.AgentTask{SeedPhase: api.SeedPhase{PhaseID: key.PhaseID}})
	if err != nil || begun.Turn == nil {
		t.Fatalf("the request does not wait: %+v, %v", begun, err)
	}
	if !begun.Turn.Wait(t.Context(), nil) {
		t.Error("the wait is over without a run")
	}
	events, err := desk.Runs.Events.After(t.Context(), key, 0, 10)
	if err != nil || len(events) != 2 || events[1].Kind != api.EventPhaseStart {
		t.Errorf("the stream has %d events, %v", len(events), err)
	}
}

// counted is a run that has ended whose branch is not free yet.
type counted struct{ awaited atomic.Int64 }

func (c *counted) Await(context.Context, stream.Key, time.Duration) bool {
	c.awaited.Add(1)
	return true
}

// A waiter that has seen the run ahead end looks for its turn at once, and then with a pause until the branch is free.
func TestAWaiterDoesNotSpinBehindARunThatHasEnded(t *testing.T) {
	t.Parallel()
	ann := access.Caller{Tenant: "o:oak", Kind: access.User, UserID: "ann"}
	phase, ahead := uuid.NewString(), uuid.NewString()
	began, asked := time.Now(), 0
	desk := newDesk(t, 1, func(w http.ResponseWriter, _ *http.Request) {
		asked++
		answer := api.BegunPhase{Phase: api.Phase{PhaseID: phase, Status: api.PhaseQueued}, Place: 1, Ahead: ahead}
		if asked == 4 {
			answer.Phase.Status = api.PhaseCompleted
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(answer)
	})
	run := &counted{}
	desk.Ahead = run

	begun, err := desk.Begin(t.Context(), ann, api.AgentTask{SeedPhase: api.SeedPhase{PhaseID: phase}})
	if err != nil || begun.Turn == nil {
		t.Fatalf("the request does not wait: %+v, %v", begun, err)
	}
	if !begun.Turn.Wait(t.Context(), nil) {
		t.Error("the wait is over without an end")
	}
	if paused := time.Since(began); run.awaited.Load() != 1 || paused < 200*time.Millisecond {
		t.Errorf("the run ahead was waited for %d times, and four questions took %v", run.awaited.Load(), paused)
	}
}

// gone has no token for anybody any more.
type gone struct{}

func (gone) ContinueRun(context.Context, string) (string, error) {
	return "", errs.New(errs.Forbidden, "caller_gone", "This caller has no access any more.")
}

func (g gone) CallerStands(ctx context.Context, voucher string) error {
	_, err := g.ContinueRun(ctx, voucher)
	return err
}

// A process that has no place for a run still finds out that its caller is gone.
func TestAFullProcessEndsTheRunOfACallerWhoIsGone(t *testing.T) {
	t.Parallel()
	var ended []api.EndPhase
	desk := newDesk(t, 1, func(w http.ResponseWriter, r *http.Request) {
		var answer any = api.Continuation{
			Attempt: 1, Status: api.PhaseInterrupted, Voucher: "voucher",
			Caller: access.Caller{Tenant: "o:oak", Kind: access.User, UserID: "ann"},
		}
		if strings.HasSuffix(r.URL.Path, "/end") {
			var in api.EndPhase
			if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
				t.Error(err)
			}
			ended = append(ended, in)
			answer = api.Phase{Status: in.Status, Stream: api.StreamMarks{ResponseSeq: 1, EndSeq: 2}}
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(answer)
	})
	desk.Auth = gone{}
	if _, err := desk.Runs.Reserve("o:oak", "somebody else"); err != nil {
		t.Fatal(err)
	}

	err := desk.TakeUp(t.Context(), api.OpenPhase{
		Tenant: "o:oak", PhaseID: uuid.NewString(), Attempt: 1, Status: api.PhaseInterrupted, Due: true,
	})
	if err != nil || len(ended) != 1 || ended[0].Error == nil || ended[0].Error.Error != "caller_gone" {
		t.Errorf("TakeUp = %v, and the run ended with %+v", err, ended)
	}
}
