package e2e_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/google/uuid"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
)

// caseIDs are the cases that a caller sees.
func (w *world) caseIDs(bearer string) (all []string) {
	w.t.Helper()
	page := w.do(w.http, w.request(http.MethodGet, "/v1/cases", bearer, nil))
	var list struct {
		Items []struct {
			CaseID string `json:"caseId"`
		} `json:"items"`
	}
	if err := json.Unmarshal(page.body, &list); err != nil {
		w.t.Fatal(err)
	}

	for _, k := range list.Items {
		all = append(all, k.CaseID)
	}

	return all
}

// opensCases has the firm have a case opened for a message that names none.
func (w *world) opensCases() {
	w.t.Helper()
	set := w.do(w.http, w.request(http.MethodPatch, "/v1/settings", w.token(ada),
		strings.NewReader(`{"a2aDefaultContainer":"new_case"}`)))
	if set.status != http.StatusOK {
		w.t.Fatalf("the setting: %d %s", set.status, set.body)
	}
}

// A message whose file has an identity leaves no case behind, however often it is sent, and does not keep a later one
// from opening its own.
func TestARefusedFileLeavesNoCase(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited())
	agent := w.connect(ada)
	w.opensCases()
	file := func(name, text string) string {
		return `{"raw":"` + base64.StdEncoding.EncodeToString([]byte(text)) + `","filename":"` + name +
			`","mediaType":"text/plain"}`
	}
	clean := file("clean.txt", "[Party 1] may terminate by written notice of thirty days.")
	named := file("named.txt", "Call Margaret Thornbury at 415-555-0132 or mail margaret.thornbury@example.com.")
	brings := func(key string, files ...string) answer {
		body := `{"message":{"messageId":"f","role":"ROLE_USER","parts":[{"text":"` + question + `"},` +
			strings.Join(files, ",") + `]}}`
		r := w.request(http.MethodPost, "/a2a/rest/message:send", agent.bearer, strings.NewReader(body),
			"A2A-Version", "1.0", "Idempotency-Key", key)

		return w.do(&http.Client{Transport: w.bare}, r)
	}

	for range 2 { // also when it is sent again
		for key, files := range map[string][]string{"file": {named}, "second file": {clean, named}} {
			if got := brings(key, files...); got.status != http.StatusBadRequest ||
				!strings.Contains(string(got.body), "identity_refused") {
				t.Errorf("a %s with an identity: %d %s", key, got.status, got.body)
			}
		}
	}
	if n := len(w.caseIDs(agent.bearer)); n > 0 {
		t.Errorf("refused messages left %d cases", n)
	}
	testkit.Until(t, testkit.Patience, func() error { // the line comes after the answer
		for line := range strings.Lines(w.logs.String()) {
			if strings.Contains(line, "call refused") && strings.Contains(line, "identity_refused") {
				return nil
			}
		}

		return errors.New("no line tells of the refusals")
	})
	if got := brings("clean file", clean); got.status != http.StatusOK {
		t.Errorf("a file without an identity: %d %s", got.status, got.body)
	}
	if n := len(w.caseIDs(agent.bearer)); n != 1 {
		t.Errorf("after a message with a file there are %d cases, want 1", n)
	}
}

// A firm may have a case opened for each message that names none. What is refused opens none, and a message that is
// sent again finds its own.
func TestAMessageOpensACase(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited())
	agent := w.connect(ada)
	c := w.speaks(a2a.TransportProtocolHTTPJSON, bearerOf{bearer: agent.bearer})
	if asked := sent(c.SendMessage(t.Context(), messageOn("", question))); asked == nil ||
		asked.Status.State != a2a.TaskStateInputRequired {
		t.Fatalf("before anybody set it: %+v", asked)
	}
	w.opensCases()
	trail := w.do(w.http, w.request(http.MethodGet, "/v1/audit/case?limit=5", w.token(ada), nil))
	if !strings.Contains(string(trail.body), "settings.update") {
		t.Errorf("the audit does not show the change: %s", trail.body)
	}

	ids := func() []string { return w.caseIDs(agent.bearer) }
	send := func(text, more, key string) answer {
		body := `{"message":{"messageId":"m","role":"ROLE_USER"` + more + `,"parts":[{"text":"` + text + `"}]}}`
		r := w.request(http.MethodPost, "/a2a/rest/message:send", agent.bearer, strings.NewReader(body),
			"A2A-Version", "1.0", "Idempotency-Key", key)

		return w.do(&http.Client{Transport: w.bare}, r)
	}

	refusedBefore := len(ids())
	if got := send("What did Margaret Thornbury sign?", "", "named"); got.status != http.StatusBadRequest {
		t.Errorf("an identity: %d %s", got.status, got.body)
	}
	if got := send(strings.Repeat("x", 32001), "", "long"); got.status != http.StatusBadRequest {
		t.Errorf("too long: %d %.200s", got.status, got.body)
	}
	legal := `,"metadata":{"` + w.Facts.BaseURL + `/a2a/ext/legal-phase/v1":`

	for name, more := range map[string]string{
		"a branch of no case": legal + `{"branchId":"` + uuid.NewString() + `"}}`,
		"a file of no case":   legal + `{"fileIds":["` + uuid.NewString() + `"]}}`,
		"a named context":     `,"contextId":"margaret.thornbury@example.com"`,
	} {
		if got := send(question, more, name); got.status != http.StatusBadRequest {
			t.Errorf("%s: %d %s", name, got.status, got.body)
		}
	}
	if n := len(ids()); n != refusedBefore {
		t.Errorf("refused messages opened %d cases", n-refusedBefore)
	}

	var first string

	for range 2 {
		var reply struct {
			Task struct {
				ID     string `json:"id"`
				Status struct {
					State string `json:"state"`
				} `json:"status"`
			} `json:"task"`
		}
		got := send("What is the notice period?", "", "one")
		if err := json.Unmarshal(got.body, &reply); err != nil || got.status != http.StatusOK {
			t.Fatalf("%d %s", got.status, got.body)
		}
		if first != "" && reply.Task.ID != first {
			t.Error("the same message is two tasks")
		}
		first = reply.Task.ID
	}

	cases := ids()
	if len(cases) != refusedBefore+1 {
		t.Fatalf("there are %d cases, want %d", len(cases), refusedBefore+1)
	}
	if at := w.phase(agent.bearer, first).ContainerID; !slices.Contains(cases, at) {
		t.Errorf("the task is worked on in %s, which is none of %v", at, cases)
	}
	inCase := `,"metadata":{"caseId":"` + cases[0] + `"}`
	if got := send("What is the notice period?", inCase, "named-case"); got.status != http.StatusOK {
		t.Errorf("a message that names a case: %d %s", got.status, got.body)
	}
	if n := len(ids()); n != refusedBefore+1 {
		t.Errorf("a message that names a case opened another: %d", n)
	}
}
