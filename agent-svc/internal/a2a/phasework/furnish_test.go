package phasework

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/a2a"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
	"github.com/subrosa-legal/subrosa/pkg/telemetry"
)

const (
	aCase  = "01a21860-e08a-7173-a0f1-882bf746a81c"
	aTask  = "01a21860-e08a-7173-a0f1-882bf746a81d"
	aPhase = "01a21860-e08a-7173-a0f1-882bf746a81e"

	opening  = "POST /v1/cases"
	filing   = "POST /v1/cases/" + aCase + "/files"
	removing = "DELETE /v1/cases/" + aCase
)

// office is a case-svc that refuses what it is told to refuse, and makes with one key no case again that was deleted.
type office struct {
	refuses map[string]*errs.Error
	asked   []string
	made    string // key of the newest case
	deleted []string
}

func startOffice(t *testing.T, refuses map[string]*errs.Error) (*office, *Worker) {
	t.Helper()
	f := &office{refuses: refuses}
	s := httptest.NewServer(f)
	t.Cleanup(s.Close)
	client, err := httpx.NewClient(s.URL, nil, telemetry.Discard("agent-svc", io.Discard), nil)
	if err != nil {
		t.Fatal(err)
	}

	return f, &Worker{Cases: api.CaseClient{HTTP: client}}
}

func (f *office) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	call := r.Method + " " + r.URL.Path
	f.asked = append(f.asked, call)
	if failure := f.refuses[call]; failure != nil {
		httpx.WriteError(w, "r", failure)
		return
	}

	switch call {
	case opening:
		f.made = r.Header.Get("Idempotency-Key")
		if slices.Contains(f.deleted, f.made) {
			httpx.WriteError(w, "r", errs.New(errs.Conflict, "resource_gone", "It has been deleted."))
			return
		}
	case removing:
		f.deleted = append(f.deleted, f.made)
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
		At:    a2a.Place{ContainerType: api.ContainerCase, New: true},
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
