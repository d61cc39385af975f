package e2e_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
)

// toldTask is a task as an answer of HTTP+JSON tells it, by itself or as what a message became.
type toldTask struct {
	ID     string `json:"id"`
	Status struct {
		State a2a.TaskState `json:"state"`
	} `json:"status"`
	Task *toldTask `json:"task"`
}

// keyed sends a message under a key and returns its task.
func (w *world) keyed(bearer, body, key string) toldTask {
	w.t.Helper()
	request := w.request(http.MethodPost, "/a2a/rest/message:send", bearer, strings.NewReader(body),
		"A2A-Version", "1.0", "Idempotency-Key", key)
	got := into[toldTask](w.t, w.do(&http.Client{Transport: w.bare}, request), http.StatusOK)
	if got.Task == nil {
		w.t.Fatal("the message became no task")
	}

	return *got.Task
}

// A task whose place in line is lost with its process has failed, whether one asks for it, takes its stream up again or
// sends its message again.
func TestATaskThatIsLostInLine(t *testing.T) {
	t.Parallel()
	r := startReplicas(t, "AGENT_SWEEP", "500ms", "CASE_SWEEP_EVERY", "300ms")
	agent := r.connect(ada)
	caseID, _ := r.newCase(agent.bearer)
	r.front.to(r.first.addr)

	r.cases.hold(false, searches)
	defer r.cases.letGo()

	body := func(id string) string {
		return `{"message":{"messageId":"` + id + `","role":"ROLE_USER","metadata":{"caseId":"` + caseID + `"},` +
			`"parts":[{"text":"` + question + `"}]},"configuration":{"returnImmediately":true}}`
	}
	_ = r.keyed(agent.bearer, body("runs"), "runs")
	r.cases.awaitHeld(t)
	waits := r.keyed(agent.bearer, body("waits"), "waits")
	if waits.Status.State != a2a.TaskStateSubmitted {
		t.Fatalf("behind the first it is %s", waits.Status.State)
	}
	r.first.kill()
	r.front.to(r.second.addr)

	testkit.Until(t, withinAMinute, func() error {
		got := into[toldTask](t, r.rest(http.MethodGet, "/tasks/"+waits.ID, agent.bearer, ""), http.StatusOK)
		if got.Status.State != a2a.TaskStateFailed {
			return fmt.Errorf("it is %s", got.Status.State)
		}

		return nil
	})
	told := r.listenTo(http.MethodPost, "/tasks/"+waits.ID+":subscribe", agent.bearer, "", "0")
	if n := len(told); n == 0 || !strings.Contains(told[n-1].data, string(a2a.TaskStateFailed)) {
		t.Errorf("its stream tells %v", told)
	}
	list := r.rest(http.MethodGet, "/tasks?status=TASK_STATE_FAILED", agent.bearer, "")
	if !strings.Contains(string(list.body), waits.ID) {
		t.Errorf("the list says %s", list.body)
	}
	if again := r.keyed(agent.bearer, body("waits"), "waits"); again.ID != waits.ID ||
		again.Status.State != a2a.TaskStateFailed {
		t.Errorf("sent again it is %+v", again)
	}
}

// A subscriber that has all events of a task that waits for a review gets the headers at once and the decision when it
// is made, and the stream ends with it.
func TestASubscriberIsToldOfTheReview(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited())
	agent := w.connect(ada)
	caseID, _ := w.newCase(agent.bearer)
	c := w.speaks(a2a.TransportProtocolJSONRPC, bearerOf{bearer: agent.bearer})
	send := messageOn(caseID, "Evaluate this case.")
	send.Message.Metadata[w.Facts.BaseURL+"/a2a/ext/legal-phase/v1"] = map[string]any{
		"caseId": caseID, "requestType": api.EvalReq,
	}
	task := sent(c.SendMessage(t.Context(), send))
	if task == nil || task.Status.State != a2a.TaskStateInputRequired {
		t.Fatalf("the task is %+v", task)
	}
	phase := string(task.Artifacts[0].ID)
	last := strconv.Itoa(w.phase(agent.bearer, phase).Stream.EndSeq)
	client := &http.Client{Transport: w.bare}
	path := "/a2a/rest/tasks/" + string(task.ID) + ":subscribe"

	subscribe := w.request(http.MethodGet, path, agent.bearer, nil, "A2A-Version", "1.0", "Last-Event-ID", last)
	resp, err := client.Do(subscribe)
	if err != nil {
		t.Fatal(err)
	}

	defer func() { _ = resp.Body.Close() }()
	if media := resp.Header.Get("Content-Type"); media != "text/event-stream" {
		t.Fatalf("the answer is %s", media)
	}
	decision := `{"decision":"approved","note":"Read."}`
	got := w.send(http.MethodPost, "/v1/phases/"+phase+"/review", w.token(ada), decision)
	if got.status != http.StatusOK {
		t.Fatalf("review: %d %s", got.status, got.body)
	}
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	var events []string

	for line := range strings.Lines(string(text)) {
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			events = append(events, data)
		}
	}
	var update struct {
		StatusUpdate struct{ Status a2a.TaskStatus }
	}
	if len(events) != 1 || json.Unmarshal([]byte(events[0]), &update) != nil ||
		update.StatusUpdate.Status.State != a2a.TaskStateCompleted || strings.Contains(string(text), "\nid: ") {
		t.Errorf("the subscriber got %q", text)
	}
}
