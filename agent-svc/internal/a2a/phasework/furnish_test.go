package phasework

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/a2a"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/httpcall"
	"github.com/subrosa-legal/subrosa/pkg/services"
	"github.com/subrosa-legal/subrosa/pkg/telemetry"
)

const (
	aCase  = "01a21860-e08a-7173-a0f1-882bf746a81c"
	aTask  = "01a21860-e08a-7173-a0f1-882bf746a81d"
	aPhase = "01a21860-e08a-7173-a0f1-882bf746a81e"

	opening  = "POST /v1/cases"
	filing   = "POST /v1/cases/" + aCase + "/files"
	removing = "DELETE /v1/cases/" + aCase

	lookingForPhase = "GET /internal/phases/" + aPhase
	lookingForTask  = "GET /internal/a2a-tasks/" + aTask
)

// office is a case-svc that refuses what it is told to refuse, and makes with one key no case again that was deleted.
type office struct {
	refuses map[string]*errs.Error
	asked   []string
	holds   map[string]any // what else it knows, by the call that asks for it
	made    string         // key of the newest case
	deleted []string
	logs    bytes.Buffer
}

func startOffice(t *testing.T, refuses map[string]*errs.Error) (*office, *Worker) {
	t.Helper()
	f := &office{refuses: refuses}
	s := httptest.NewServer(f)
	t.Cleanup(s.Close)
	client, err := httpcall.NewClient(s.URL, nil, telemetry.Discard("agent-svc", io.Discard), nil)
	if err != nil {
		t.Fatal(err)
	}

	log := slog.New(slog.NewTextHandler(&f.logs, nil))

	return f, &Worker{Cases: services.CaseClient{HTTP: client}, Log: log}
}

func (f *office) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	call := r.Method + " " + r.URL.Path
	f.asked = append(f.asked, call)
	if failure := f.refuses[call]; failure != nil {
		httpcall.WriteError(w, "r", failure)
		return
	}

	switch call {
	case opening:
		f.made = r.Header.Get("Idempotency-Key")
		if slices.Contains(f.deleted, f.made) {
			httpcall.WriteError(w, "r", errs.New(errs.Conflict, "resource_gone", "It has been deleted."))
			return
		}
	case removing:
		f.deleted = append(f.deleted, f.made)
	case lookingForPhase, lookingForTask:
		if f.holds[call] == nil {
			httpcall.WriteError(w, "r", errs.ErrNotFound)
			return
		}
		_ = json.NewEncoder(w).Encode(f.holds[call])

		return
	}

	_, _ = io.WriteString(w, `{"caseId":"`+aCase+`"}`)
}

// count returns how often the office was asked for call.
func (f *office) count(call string) int {
	return strings.Count(strings.Join(f.asked, "\n")+"\n", call+"\n")
}

// brings is a message with a file for which a case is to be opened.
func brings() (*a2a.Order, *api.AgentTask) {
	return &a2a.Order{
		TurnID: aPhase, Task: api.A2ABegin{TaskID: aTask},
		At:    a2a.Destination{ContainerType: api.ContainerCase, New: true},
		Files: []a2a.Part{{Filename: "a.txt", MediaType: "text/plain", Raw: []byte("A clause.")}},
	}, &api.AgentTask{}
}

// A message that was refused may be sent again: each copy opens its own case and takes it away, until they are four.
func TestARefusedMessageSentAgainOpensAnotherCase(t *testing.T) {
	t.Parallel()
	f, w := startOffice(t, map[string]*errs.Error{filing: guard.ErrRefused})

	for sent := 1; sent <= openings; sent++ {
		o, task := brings()
		err := w.furnish(t.Context(), o, task)
		if errs.From(err).Code != "identity_refused" || f.count(filing) != sent || len(f.deleted) != sent {
			t.Errorf("sent %d times: %v, %d files, %d cases deleted", sent, err, f.count(filing), len(f.deleted))
		}
	}
	o, task := brings()
	if err := w.furnish(t.Context(), o, task); errs.From(err).Code != "resource_gone" {
		t.Errorf("sent once more than it may be: %v", err)
	}
}

// A copy of a message that comes late is refused, when an earlier one has already been worked on in the case: a word
// may be allowed no more.
func TestARefusalSparesACaseInUse(t *testing.T) {
	t.Parallel()
	away := errs.New(errs.Unavailable, "unavailable", "Try again.")

	for name, tc := range map[string]struct {
		holds   map[string]any
		refuses map[string]*errs.Error
		deleted int
	}{
		"nobody was there":  {deleted: 1},
		"a phase was there": {holds: map[string]any{lookingForPhase: api.Phase{PhaseID: aPhase}}},
		"the task is there": {holds: map[string]any{lookingForTask: api.A2ATask{ContainerID: aCase}}},
		"the task was only asked where it belongs": {
			holds: map[string]any{lookingForTask: api.A2ATask{Turns: []api.A2ATurn{{Text: "Hello."}}}}, deleted: 1,
		},
		"nobody knows of a phase": {refuses: map[string]*errs.Error{lookingForPhase: away}},
		"nobody knows of a task":  {refuses: map[string]*errs.Error{lookingForTask: away}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, w := startOffice(t, map[string]*errs.Error{filing: guard.ErrRefused})
			f.holds = tc.holds
			maps.Copy(f.refuses, tc.refuses)
			o, task := brings()
			err := w.furnish(t.Context(), o, task)
			if errs.From(err).Code != "identity_refused" || len(f.deleted) != tc.deleted {
				t.Errorf("%v, %d cases deleted, want %d", err, len(f.deleted), tc.deleted)
			}
		})
	}
}

// The removal of a case does not end with the time of its message, and one that fails is in the log.
func TestARemovalHasItsOwnTimeAndIsNotLost(t *testing.T) {
	t.Parallel()
	f, w := startOffice(t, nil)
	ctx, end := context.WithCancel(t.Context())
	end()
	o, _ := brings()
	o.At.ContainerID = aCase
	w.remove(ctx, o)
	if len(f.deleted) != 1 || f.logs.Len() > 0 {
		t.Errorf("%d cases deleted in a time of its own, log: %s", len(f.deleted), f.logs.String())
	}

	f, w = startOffice(t, map[string]*errs.Error{removing: errs.New(errs.Unavailable, "unavailable", "Try again.")})
	w.remove(t.Context(), o)
	if line := f.logs.String(); !strings.Contains(line, "level=WARN") || !strings.Contains(line, aCase) {
		t.Errorf("the log of a removal that failed: %q", line)
	}
}
