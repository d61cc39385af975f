package admission_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/runs"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }

// rules plan every task.
type rules struct{}

func (rules) Wanted(legal.Task) (bool, error)     { return false, nil }
func (rules) Plan(legal.Task) (api.Engine, error) { return runs.EngineOf(), nil }

// standing gives everybody a token to go on with.
type standing struct{}

func (standing) ContinueRun(context.Context, string) (string, error) { return "token", nil }
func (standing) CallerStands(context.Context, string) error          { return nil }

// refusing is a case-svc that knows one interrupted phase and refuses its next attempt. It counts ends of the phase.
func refusing(refusal *errs.Error, status int) (handle http.HandlerFunc, ended *atomic.Int64) {
	ended = &atomic.Int64{}
	kept := api.Continuation{
		Attempt: 1,
		Status:  api.PhaseInterrupted,
		Caller:  access.Caller{Tenant: "o:oak", Kind: access.User, UserID: "ann"},
		Voucher: "voucher",
	}

	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")

		switch {
		case strings.HasSuffix(r.URL.Path, "/continuation"):
			_ = json.NewEncoder(w).Encode(kept)
		case strings.HasSuffix(r.URL.Path, "/end"):
			ended.Add(1)
			marks := api.StreamMarks{ResponseSeq: 1, EndSeq: 2}
			_ = json.NewEncoder(w).Encode(api.Phase{Status: api.PhaseFailed, Stream: marks})
		default:
			if s := refusal.RetryAfter; s > 0 {
				w.Header().Set("Retry-After", strconv.Itoa(int(s.Seconds())))
			}
			w.WriteHeader(status)
			_ = json.NewEncoder(w).Encode(httpx.WireError{Error: refusal.Code, Message: refusal.Message})
		}
	}, ended
}

// A run that cannot be taken up at the moment is left for the next look; only what will not change ends it.
func TestWhatEndsARunThatCannotBeTakenUp(t *testing.T) {
	t.Parallel()

	for name, tc := range map[string]struct {
		refusal *errs.Error
		status  int
		ends    int64
	}{
		"others write at the same moment": {
			errs.New(errs.Conflict, "write_conflict", "Try again.").WithRetryAfter(time.Second), http.StatusConflict, 0,
		},
		"a store is away":    {errs.ErrUnavailable, http.StatusServiceUnavailable, 0},
		"the case is closed": {errs.New(errs.Conflict, "case_closed", "It is over."), http.StatusConflict, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			handle, ended := refusing(tc.refusal, tc.status)
			desk := newDesk(t, 1, handle)
			open := api.OpenPhase{
				Tenant: "o:oak", PhaseID: uuid.NewString(), Attempt: 1, Status: api.PhaseInterrupted, Due: true,
			}

			err := desk.TakeUp(t.Context(), open)
			if got := ended.Load(); got != tc.ends || (err == nil) != (tc.ends > 0) {
				t.Errorf("TakeUp = %v, and ended the run %d times, want %d", err, got, tc.ends)
			}
			giveBack, err := desk.Runs.Reserve("o:oak", "anybody")
			if err != nil {
				t.Fatalf("the place for the run was not given back: %v", err)
			}
			giveBack()
		})
	}
}

// stingy counts the tokens that it gives.
type stingy struct{ given int }

func (s *stingy) ContinueRun(context.Context, string) (string, error) { s.given++; return "token", nil }
func (*stingy) CallerStands(context.Context, string) error            { return nil }

// A process that has no place for a run asks for no token: each one is on record as a run that goes on.
func TestAFullProcessTakesNoToken(t *testing.T) {
	t.Parallel()
	handle, ended := refusing(errs.New(errs.Conflict, "branch_busy", "Not now."), http.StatusConflict)
	desk := newDesk(t, 1, handle)
	auth := &stingy{}
	desk.Auth = auth
	giveBack, err := desk.Runs.Reserve("o:oak", "somebody else")
	if err != nil {
		t.Fatal(err)
	}
	interrupted := api.OpenPhase{
		Tenant: "o:oak", PhaseID: uuid.NewString(), Attempt: 1, Status: api.PhaseInterrupted, Due: true,
	}

	for range 3 {
		if err := desk.TakeUp(t.Context(), interrupted); err != nil {
			t.Fatal(err)
		}
	}
	if auth.given != 0 || ended.Load() != 0 {
		t.Errorf("without a place: %d tokens, %d ends", auth.given, ended.Load())
	}
	giveBack()
	_ = desk.TakeUp(t.Context(), interrupted)
	if auth.given != 1 {
		t.Errorf("with a place: %d tokens", auth.given)
	}
}
