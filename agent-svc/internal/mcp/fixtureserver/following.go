package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/mcp/protocol"
	"github.com/subrosa-legal/subrosa/pkg/errs"
)

// jobs are the tasks of the suite's fixtures, kept in the process. The product keeps its own in the stores of the
// service; what both share is the protocol.
type jobs struct {
	mu  sync.Mutex
	all map[string]*job
}

// job is one task: it ends at due, or when its user has answered all that it asks.
type job struct {
	begun, due time.Time
	asks       map[string]protocol.Input
	answers    map[string]protocol.Response
	cancelled  bool
	end        func(answers map[string]protocol.Response) (protocol.Answer, error)
	broken     error // of the protocol
}

// begin keeps a job and has the call answered with it.
func (j *jobs) begin(ctx context.Context, work job) *mcp.CallToolResult {
	work.begun, work.answers = now(), map[string]protocol.Response{}
	id := rand.Text()
	j.mu.Lock()
	j.all[id] = &work
	task := work.stands(id)
	j.mu.Unlock()
	protocol.BecomeTask(ctx, task)

	return says()
}

func now() time.Time { return time.Now() } //nolint:forbidigo // a program of tests has the clock on the wall only

const pollFixtures = 200 * time.Millisecond

// stands tells how a job stands.
func (w *job) stands(id string) protocol.Task {
	t := protocol.Task{
		ID:      id,
		Status:  protocol.TaskWorking,
		Created: w.begun,
		Updated: w.begun,
		Poll:    pollFixtures,
		Inputs:  w.open(),
	}

	switch {
	case w.cancelled:
		t.Status = protocol.TaskCancelled
	case len(t.Inputs) > 0:
		t.Status = protocol.TaskInputRequired
	case now().Before(w.due):
	case w.broken != nil:
		t.Status, t.Fault = protocol.TaskFailed, w.broken
	default:
		t.Status = protocol.TaskCompleted
		t.Result, t.Err = w.end(w.answers)
	}

	return t
}

// open is what nobody has answered yet.
func (w *job) open() map[string]protocol.Input {
	left := maps.Clone(w.asks)
	maps.DeleteFunc(left, func(key string, _ protocol.Input) bool { _, answered := w.answers[key]; return answered })

	return left
}

func (j *jobs) find(id string) (*job, error) {
	if w := j.all[id]; w != nil {
		return w, nil
	}

	return nil, errs.ErrNotFound
}

// Task implements protocol.Tasker.
func (j *jobs) Task(_ context.Context, id string, _ protocol.Host) (protocol.Task, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	w, err := j.find(id)
	if err != nil {
		return protocol.Task{}, err
	}

	return w.stands(id), nil
}

// Respond implements protocol.Tasker.
func (j *jobs) Respond(_ context.Context, id string, _ protocol.Host, said map[string]protocol.Response) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	w, err := j.find(id)
	if err != nil {
		return err
	}

	for key, response := range said {
		if _, open := w.open()[key]; open {
			w.answers[key] = response
		}
	}

	return nil
}

// Cancel implements protocol.Tasker.
func (j *jobs) Cancel(_ context.Context, id string, _ protocol.Host) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	w, err := j.find(id)
	if err != nil {
		return err
	}
	if status := w.stands(id).Status; status == protocol.TaskWorking || status == protocol.TaskInputRequired {
		w.cancelled = true
	}

	return nil
}

// tools are the fixtures of the suite that become tasks, and one that never does.
func (j *jobs) tools() map[string]tool {
	return map[string]tool{
		"greet":               greet,
		"slow_compute":        j.slow,
		"failing_job":         j.only(func() job { return job{due: soon(), end: never} }),
		"protocol_error_job":  j.only(func() job { return job{due: soon(), broken: errBroken} }),
		"confirm_delete":      j.asking("confirm"),
		"multi_input":         j.asking("first", "second"),
		"test_tool_with_task": j.askingFirst,
	}
}

var (
	errBroken = errors.New("the fixture is broken")
	errNever  = errs.New(errs.Invalid, "fixture_fails", "This job fails each time.")
)

func soon() time.Time { return now().Add(time.Second) }

func never(map[string]protocol.Response) (protocol.Answer, error) { return protocol.Answer{}, errNever }

func greet(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	var in struct{ Name string }
	if err := json.Unmarshal(req.Params.Arguments, &in); err != nil {
		return nil, err
	}

	return says(text("Hello, %s!", in.Name)), nil
}

func done(format string, values ...any) func(map[string]protocol.Response) (protocol.Answer, error) {
	said := fmt.Sprintf(format, values...)
	return func(map[string]protocol.Response) (protocol.Answer, error) { return protocol.Answer{Value: said}, nil }
}

// slow takes a number of seconds, as a task for hosts that follow tasks.
func (j *jobs) slow(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	var in struct {
		Seconds float64
		Label   string
	}
	if err := json.Unmarshal(req.Params.Arguments, &in); err != nil {
		return nil, err
	}
	lasts := time.Duration(in.Seconds * float64(time.Second))
	if protocol.HostOf(req.Params.Meta).Tasks && lasts > 0 {
		return j.begin(ctx, job{due: now().Add(lasts), end: done("computed %s", in.Label)}), nil
	}

	timer := time.NewTimer(lasts)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}

	return says(text("computed %s", in.Label)), nil
}

// only is a tool that hosts without tasks cannot call.
func (j *jobs) only(work func() job) tool {
	return func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if !protocol.HostOf(req.Params.Meta).Tasks {
			return nil, protocol.MissingExtension()
		}

		return j.begin(ctx, work()), nil
	}
}

// confirmForm asks for a yes or no.
var confirmForm = json.RawMessage(
	`{"type":"object","required":["confirm"],"properties":{"confirm":{"type":"boolean"}}}`,
)

// asking is a tool whose task asks its user for all of the keys at once.
func (j *jobs) asking(keys ...string) tool {
	return j.only(func() job {
		work := job{asks: map[string]protocol.Input{}, end: done("the user has answered")}
		for _, key := range keys {
			work.asks[key] = protocol.Input{Message: "Please confirm: " + key, Form: confirmForm}
		}

		return work
	})
}

// askingFirst asks in the call itself, and becomes a task once it was answered.
func (j *jobs) askingFirst(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if !protocol.HostOf(req.Params.Meta).Tasks {
		return nil, protocol.MissingExtension()
	}
	const key = "user_name"
	given, ok := req.Params.InputResponses[key]
	if !ok {
		return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{key: askName}}, nil
	}
	answered, ok := given.(*mcp.ElicitResult)
	if !ok {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "the answer must be one of an elicitation"}
	}

	return j.begin(ctx, job{due: soon(), end: done("Hello, %v!", answered.Content["name"])}), nil
}
