package a2a_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/subrosa-legal/subrosa/pkg/a2aext"
)

// extensionCases are the cases of the extension for streams, in the form that its document describes.
type extensionCases struct {
	Script json.RawMessage `json:"script"`
	Cases  []struct {
		Name  string          `json:"name"`
		Steps []extensionStep `json:"steps"`
	} `json:"cases"`
}

type extensionStep struct {
	Do        string            `json:"do"`
	Text      string            `json:"text"`
	MessageID string            `json:"messageId"`
	Task      string            `json:"task"`
	Headers   map[string]string `json:"headers"`
	As        string            `json:"as"`
	Cut       string            `json:"cut"`
	Copies    int               `json:"copies"`
	IDs       *[]string         `json:"ids"`
	First     string            `json:"first"`
	Last      string            `json:"last"`
	SameAs    []string          `json:"sameAs"`
	After     int               `json:"after"`
	SameTask  string            `json:"sameTask"`
	Header    map[string]string `json:"header"`
	Error     string            `json:"error"`
	Lost      []string          `json:"lost"`
	Gaps      *[]string         `json:"gaps"`
	Meanwhile *extensionStep    `json:"meanwhile"`
}

// got is what a step of a case got.
type got struct {
	task   string
	events []event
}

// caseRun is one case under way.
type caseRun struct {
	*bench

	open  open
	call  caller
	named map[string]got
}

// The cases that the document of the extension gives to other implementations hold here, in either binding.
func TestTheCasesOfTheStreamExtension(t *testing.T) {
	t.Parallel()
	text, err := a2aext.Cases("resumable-stream-v1", serviceAddress)
	if err != nil {
		t.Fatal(err)
	}
	var all extensionCases
	if err := json.Unmarshal(text, &all); err != nil || len(all.Cases) == 0 {
		t.Fatalf("%d cases, %v", len(all.Cases), err)
	}

	streamsOf(t, string(all.Script), func(b *bench, open open, call caller) {
		for _, c := range all.Cases {
			b.Run(c.Name, func(t *testing.T) {
				inner := *b
				inner.T = t
				run := &caseRun{bench: &inner, open: open, call: call, named: map[string]got{}}

				for i, step := range c.Steps {
					run.step(strconv.Itoa(i+1)+" "+step.Do, step)
				}
			})
		}
	})
}

// params are those of the request of a step.
func (r *caseRun) params(step extensionStep) object {
	id := r.named[step.Task].task
	if step.Task == "nobody" {
		id = uuid.NewString()
	}
	if step.Do == "SubscribeToTask" || step.Do == "CancelTask" {
		return object{"id": id}
	}
	more := object{}
	if step.MessageID != "" {
		more["messageId"] = step.MessageID
	}
	if step.Task != "" {
		more["taskId"] = id
	}

	return message(step.Text, more)
}

func (r *caseRun) step(what string, step extensionStep) {
	r.Helper()

	header := http.Header{}
	for name, value := range step.Headers {
		header.Set(name, value)
	}
	params := r.params(step)
	streams := step.Do == "SendStreamingMessage" || step.Do == "SubscribeToTask"
	var result got

	switch {
	case step.Do == "Lose":
		r.lose(step)
	case step.Error != "":
		if reply := r.call(step.Do, params, header); !reply.failed || reply.reason() != step.Error {
			r.Errorf("%s: %v, want %s", what, reply.body, step.Error)
		}
	case streams:
		resp := r.open(step.Do, params, header)
		r.answered(what, step, resp.Header)
		if step.Meanwhile != nil {
			r.step(what+", meanwhile", *step.Meanwhile)
		}
		result.events = r.listen(resp, func(e event) bool { return step.Cut != "" && e.id == step.Cut })
		_ = resp.Body.Close()
		result.task = taskOfEvents(result.events)
		r.judge(what, step, result.events)
	default:
		reply := r.copies(step, params, header)
		r.answered(what, step, reply.header)
		result.task, _ = dig(reply.body, "task", "id").(string)
	}
	if step.SameTask != "" && result.task != r.named[step.SameTask].task {
		r.Errorf("%s: the task is %q, want %q", what, result.task, r.named[step.SameTask].task)
	}
	if step.As != "" {
		r.named[step.As] = result
	}
}

// lose has events of a task be kept no longer.
func (r *caseRun) lose(step extensionStep) {
	r.Helper()
	id := r.named[step.Task].task
	task, err := r.tasks.A2ATask(r.Context(), id)
	if err != nil {
		r.Fatal(err)
	}
	base := 0

	for _, turn := range task.Turns {
		var numbers []int

		for _, lost := range step.Lost {
			n, err := strconv.Atoi(lost)
			if err != nil {
				r.Fatal(err)
			}
			if n > base && n <= base+turn.Events {
				numbers = append(numbers, n-base)
			}
		}
		r.worker.Lose(turn.PhaseID, numbers...)
		base += turn.Events
	}
}

// gapsOf are the gaps that events announce.
func gapsOf(events []event) []string {
	gaps := []string{}

	for _, e := range events {
		gap := dig(e.data, "task", "metadata", serviceAddress+"/a2a/ext/resumable-stream/v1", "gap")
		if gap != nil {
			gaps = append(gaps, fmt.Sprintf("%v-%v", dig(gap, "from"), dig(gap, "to")))
		}
	}

	return gaps
}

// copies sends a request as often as its step says, all at once, and returns one of the answers.
func (r *caseRun) copies(step extensionStep, params object, header http.Header) reply {
	r.Helper()
	all := make([]reply, max(1, step.Copies))
	var under sync.WaitGroup

	for i := range all {
		under.Go(func() { all[i] = r.call(step.Do, params, header) })
	}
	under.Wait()

	for _, one := range all {
		if id := dig(one.body, "task", "id"); one.failed || id != dig(all[0].body, "task", "id") {
			r.Errorf("a copy got %v", one.body)
		}
	}

	return all[0]
}

func (r *caseRun) answered(what string, step extensionStep, header http.Header) {
	r.Helper()

	for name, want := range step.Header {
		if value := header.Get(name); value != want {
			r.Errorf("%s: %s is %q, want %q", what, name, value, want)
		}
	}
}

// judge compares the events of a stream with what its step wants of them.
func (r *caseRun) judge(what string, step extensionStep, events []event) {
	r.Helper()
	numbers := []string{}

	for _, e := range events {
		if e.id == "" {
			e.id = "-"
		}
		numbers = append(numbers, e.id)
	}
	if step.IDs != nil && !slices.Equal(numbers, *step.IDs) {
		r.Errorf("%s: the ids are %v, want %v", what, numbers, *step.IDs)
	}
	if step.Gaps != nil && !slices.Equal(gapsOf(events), *step.Gaps) {
		r.Errorf("%s: the gaps are %v, want %v", what, gapsOf(events), *step.Gaps)
	}
	if (step.First != "" || step.Last != "") && len(events) == 0 {
		r.Fatalf("%s: there are no events", what)
	}
	if step.First != "" && !isEvent(events[0], step.First) {
		r.Errorf("%s: the first event is %v, want %s", what, events[0], step.First)
	}
	if step.Last != "" && !isEvent(events[len(events)-1], step.Last) {
		r.Errorf("%s: the last event is %v, want %s", what, events[len(events)-1], step.Last)
	}
	if step.SameAs == nil {
		return
	}
	var want []event

	for _, name := range step.SameAs {
		for _, e := range r.named[name].events {
			if n, err := strconv.Atoi(e.id); err == nil && n > step.After && e.data["task"] == nil {
				want = append(want, e)
			}
		}
	}
	if encoded(texts(events)) != encoded(texts(want)) {
		r.Errorf("%s: the events are %v, want %v", what, texts(events), texts(want))
	}
}

func isEvent(e event, kind string) bool {
	switch kind {
	case "task":
		return e.data["task"] != nil
	case "artifact":
		return e.data["artifactUpdate"] != nil
	}

	return stateOf(e.data) == kind
}

func taskOfEvents(events []event) string {
	for _, e := range events {
		for _, path := range [][]string{{"task", "id"}, {"statusUpdate", "taskId"}, {"artifactUpdate", "taskId"}} {
			if id, ok := dig(e.data, path...).(string); ok {
				return id
			}
		}
	}

	return ""
}

// The extension for phases is activated by its own address alone, and the answer says so.
func TestTheActivationOfThePhaseExtension(t *testing.T) {
	t.Parallel()
	text, err := a2aext.Cases("legal-phase-v1", serviceAddress)
	if err != nil {
		t.Fatal(err)
	}
	var all struct {
		Activation []struct {
			Name     string `json:"name"`
			Sent     string `json:"sent"`
			Answered string `json:"answered"`
		} `json:"activation"`
	}
	if err := json.Unmarshal(text, &all); err != nil || len(all.Activation) == 0 {
		t.Fatalf("%d cases, %v", len(all.Activation), err)
	}

	both(t, func(b *bench, call caller) {
		for _, tc := range all.Activation {
			header := http.Header{}
			if tc.Sent != "" {
				header.Set("A2A-Extensions", tc.Sent)
			}
			if got := call("ListTasks", object{}, header).header.Get("A2A-Extensions"); got != tc.Answered {
				b.Errorf("%s: answered %q, want %q", tc.Name, got, tc.Answered)
			}
		}
	})
}
