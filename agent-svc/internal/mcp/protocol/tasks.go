package protocol

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/subrosa-legal/subrosa/pkg/errs"
)

// TasksExtension is the name of the extension by which a host follows long work as a task. We speak its version of
// 2026-07-28.
const TasksExtension = "io.modelcontextprotocol/tasks"

// Methods of the extension.
const (
	methodGet    = "tasks/get"
	methodUpdate = "tasks/update"
	methodCancel = "tasks/cancel"
)

// States of a task. The last three are final.
const (
	TaskWorking       = "working"
	TaskInputRequired = "input_required"
	TaskCompleted     = "completed"
	TaskFailed        = "failed"
	TaskCancelled     = "cancelled"
)

// taskLimit bounds each request about a task; none of them waits for the work itself.
const taskLimit = 30 * time.Second

// Host is what the host of a request can do, as the request itself says. Requests of the older era say nothing.
type Host struct {
	Tasks bool // follows a task instead of waiting for a result
	Forms bool // asks its user to fill in a form
	Links bool // asks its user to open an address
}

// Task is work that goes on after the call that began it.
type Task struct {
	ID      string
	Status  string
	Message string // how it stands in words; may be ""
	Created time.Time
	Updated time.Time
	Until   time.Time     // until when it stays as it is told at least; zero means for good
	Poll    time.Duration // how long the host should wait before it asks again
	// Inputs are what the task waits for while its status is TaskInputRequired. A key names one request for good.
	Inputs map[string]Input
	// Result is what the call would have answered, once the task is TaskCompleted: an Answer, or why it failed.
	Result Answer
	Err    error
	// Fault is why the protocol failed, of a TaskFailed one.
	Fault error
}

// Input is what a task asks of the user: to open URL, or to fill in Form.
type Input struct {
	Message string
	URL     string
	Form    json.RawMessage // a JSON Schema of a flat object
}

// Response is what the user said to an Input.
type Response struct {
	Action  string          `json:"action"` // accept, decline or cancel
	Content json.RawMessage `json:"content"`
}

// Tasker keeps tasks. Every method judges the caller in ctx: errs.ErrNotFound stands for a task of another user and for
// one that never was.
type Tasker interface {
	// Task tells how a task stands for a host.
	Task(ctx context.Context, id string, host Host) (Task, error)
	// Respond takes what the user said, by the keys of the inputs. Keys that nothing waits for are ignored.
	Respond(ctx context.Context, id string, host Host, said map[string]Response) error
	// Cancel wants a task to end. One that has ended stays as it is.
	Cancel(ctx context.Context, id string, host Host) error
}

// AddTasks offers the extension. Its methods need the scopes.
func (e *Endpoint) AddTasks(tasks Tasker, tool Tool, scopes ...string) {
	e.tasks, e.taskTool, e.taskScopes = tasks, tool, scopes
	register(e, methodGet, e.getTask)
	register(e, methodUpdate, e.updateTask)
	register(e, methodCancel, e.cancelTask)
	e.server.AddReceivingMiddleware(e.handInTasks)
}

// taskParams are the parameters of all three methods.
type taskParams struct {
	mcp.ParamsBase
	TaskID         string          `json:"taskId"`
	InputResponses json.RawMessage `json:"inputResponses"`
}

// taskResult is a task on the wire, or the mere word that a request was heard.
type taskResult struct {
	mcp.ResultBase
	ResultType string `json:"resultType"`
	*taskState
}

type taskState struct {
	TaskID         string                  `json:"taskId"`
	Status         string                  `json:"status"`
	StatusMessage  string                  `json:"statusMessage,omitempty"`
	CreatedAt      string                  `json:"createdAt"`
	LastUpdatedAt  string                  `json:"lastUpdatedAt"`
	TTLMs          *int64                  `json:"ttlMs"`
	PollIntervalMs int64                   `json:"pollIntervalMs,omitempty"`
	InputRequests  map[string]inputRequest `json:"inputRequests,omitempty"`
	Result         json.RawMessage         `json:"result,omitempty"`
	Error          *wireFault              `json:"error,omitempty"`
}

type inputRequest struct {
	Method string     `json:"method"`
	Params inputAsked `json:"params"`
}

type inputAsked struct {
	Mode            string          `json:"mode"`
	Message         string          `json:"message"`
	RequestedSchema json.RawMessage `json:"requestedSchema,omitempty"`
	URL             string          `json:"url,omitempty"`
}

type wireFault struct {
	Code    int64           `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

// stateOf tells a task without what only tasks/get tells.
func stateOf(t Task) *taskState {
	const form = "2006-01-02T15:04:05.000Z07:00"

	var life *int64
	if !t.Until.IsZero() {
		life = new(t.Until.Sub(t.Created).Milliseconds())
	}

	return &taskState{
		TaskID:         t.ID,
		Status:         t.Status,
		TTLMs:          life,
		StatusMessage:  t.Message,
		PollIntervalMs: t.Poll.Milliseconds(),
		CreatedAt:      t.Created.UTC().Format(form),
		LastUpdatedAt:  t.Updated.UTC().Format(form),
	}
}

// created is where a call of a tool leaves the task that its host gets instead of a result.
type created struct{ task *Task }

type createdKey struct{}

// BecomeTask has the call of a tool in ctx answered with a task. It reports whether the call can be.
func BecomeTask(ctx context.Context, t Task) bool {
	made, ok := ctx.Value(createdKey{}).(*created)
	if ok {
		made.task = &t
	}

	return ok
}

// handInTasks answers a call that has begun a task with the task.
func (e *Endpoint) handInTasks(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if method == "initialize" {
			res, err := next(ctx, method, req)
			return withoutExtensions(res), err
		}
		if method != "tools/call" {
			return next(ctx, method, req)
		}

		// The library has no way to answer a call with a task, so the tool leaves it here and the answer is swapped on
		// its way out.
		var made created
		res, err := next(context.WithValue(ctx, createdKey{}, &made), method, req)
		if err != nil || made.task == nil {
			return res, err
		}

		return &taskResult{ResultType: "task", taskState: stateOf(*made.task)}, nil
	}
}

// withoutExtensions keeps the answer to the older era as it has always been: there is no extension in it.
func withoutExtensions(res mcp.Result) mcp.Result {
	if begun, ok := res.(*mcp.InitializeResult); ok && begun != nil && begun.Capabilities != nil {
		capabilities := *begun.Capabilities
		capabilities.Extensions = nil
		begun.Capabilities = &capabilities
	}

	return res
}

// register has a method of the extension answered, for hosts that declare it.
func register(e *Endpoint, method string, do func(context.Context, *taskParams, Host) (*taskResult, error)) {
	answer := func(ctx context.Context, _ *mcp.ServerSession, p *taskParams) (res *taskResult, err error) {
		if p == nil || !HostOf(p.Meta).Tasks {
			return nil, MissingExtension()
		}

		ctx, cancel := context.WithTimeout(ctx, taskLimit)
		defer cancel()
		// A panic here would end the process: unlike a tool's call, these methods do not run behind do.
		defer func() {
			if recover() != nil {
				e.cfg.Log.ErrorContext(ctx, "a task panicked", "method", method, "stack", string(debug.Stack()))
				err = e.fault(ctx, errPanic)
			}
		}()

		if res, err = do(ctx, p, HostOf(p.Meta)); err != nil {
			return nil, e.fault(ctx, err)
		}

		return res, nil
	}
	// The library has the method by now, and this code has to go.
	if err := mcp.AddReceivingCustomMethod(e.server, method, answer); err != nil {
		panic("protocol: " + err.Error())
	}
}

func (e *Endpoint) getTask(ctx context.Context, p *taskParams, host Host) (*taskResult, error) {
	t, err := e.tasks.Task(ctx, p.TaskID, host)
	if err != nil {
		return nil, err
	}
	state := stateOf(t)

	switch t.Status {
	case TaskInputRequired:
		state.InputRequests = map[string]inputRequest{}

		for key, in := range t.Inputs {
			asked := inputAsked{Mode: "form", Message: in.Message, RequestedSchema: in.Form}
			if in.URL != "" {
				asked = inputAsked{Mode: "url", Message: in.Message, URL: in.URL}
			}
			state.InputRequests[key] = inputRequest{Method: "elicitation/create", Params: asked}
		}
	case TaskCompleted:
		whole, err := complete(e.result(ctx, e.taskTool, t.Result, t.Err))
		if err != nil {
			return nil, err
		}
		state.Result = whole
	case TaskFailed:
		var known *jsonrpc.Error
		if errors.As(e.fault(ctx, t.Fault), &known) {
			state.Error = &wireFault{Code: known.Code, Message: known.Message, Data: known.Data}
		}
	}

	return &taskResult{ResultType: "complete", taskState: state}, nil
}

// complete is a result as a call of the newest version has it, where the library adds its type.
func complete(r *mcp.CallToolResult) (json.RawMessage, error) {
	text, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	members := map[string]json.RawMessage{}
	if err := json.Unmarshal(text, &members); err != nil {
		return nil, err
	}
	members["resultType"] = json.RawMessage(`"complete"`)

	return encode(members)
}

var errResponses = errs.New(
	errs.Invalid,
	"validation_failed",
	"inputResponses must be an object that holds, under the key of each input, an object with action and content.",
)

func (e *Endpoint) updateTask(ctx context.Context, p *taskParams, host Host) (*taskResult, error) {
	said := map[string]Response{}
	if json.Unmarshal(p.InputResponses, &said) != nil || said == nil {
		return nil, errResponses
	}
	if err := e.tasks.Respond(ctx, p.TaskID, host, said); err != nil {
		return nil, err
	}

	return &taskResult{ResultType: "complete"}, nil
}

func (e *Endpoint) cancelTask(ctx context.Context, p *taskParams, host Host) (*taskResult, error) {
	if err := e.tasks.Cancel(ctx, p.TaskID, host); err != nil {
		return nil, err
	}

	return &taskResult{ResultType: "complete"}, nil
}

// MissingExtension refuses a request that needs tasks, of a host that has not said that it knows them.
func MissingExtension() *jsonrpc.Error {
	return &jsonrpc.Error{
		Code: mcp.CodeMissingRequiredClientCapabilities,
		Data: json.RawMessage(`{"requiredCapabilities":{"extensions":{"` + TasksExtension + `":{}}}}`),
		Message: "This method needs a client that declares the extension " + TasksExtension +
			" in the capabilities of the request.",
	}
}

// fault tells an error as JSON-RPC does, with the shape of every error answer as its data.
func (e *Endpoint) fault(ctx context.Context, err error) error {
	known := e.known(ctx, e.taskTool, err)
	code := int64(jsonrpc.CodeInternalError)

	switch known.Kind {
	case errs.NotFound:
		// The codes of the HTTP interface go into data; JSON-RPC has one for a bad id.
		return &jsonrpc.Error{
			Code:    jsonrpc.CodeInvalidParams,
			Data:    e.dataOf(ctx, known),
			Message: "There is no task with this id. Begin one by calling a tool.",
		}
	case errs.Invalid, errs.Forbidden, errs.Conflict:
		code = jsonrpc.CodeInvalidParams
	}

	return &jsonrpc.Error{Code: code, Message: worded(known), Data: e.dataOf(ctx, known)}
}

func (e *Endpoint) dataOf(ctx context.Context, known *errs.Error) json.RawMessage {
	type data struct {
		wireError
		RetryAfter int `json:"retryAfterSeconds,omitempty"`
	}
	text, err := encode(data{e.wire(ctx, e.taskTool, known), int(math.Ceil(known.RetryAfter.Seconds()))})
	// Only strings and numbers are in it, so it can always be encoded.
	if err != nil {
		panic("protocol: " + err.Error())
	}

	return text
}

// HostOf reads what a request says of its host.
func HostOf(meta mcp.Meta) Host {
	// Requests of the older era have no version in them, and nothing that they say of a host can be relied on.
	if _, modern := meta[mcp.MetaKeyProtocolVersion]; !modern {
		return Host{}
	}
	var can struct {
		Elicitation *struct {
			Form *struct{} `json:"form"`
			URL  *struct{} `json:"url"`
		} `json:"elicitation"`
		Extensions map[string]*struct{} `json:"extensions"`
	}
	text, err := json.Marshal(meta[mcp.MetaKeyClientCapabilities])
	if err != nil || json.Unmarshal(text, &can) != nil {
		return Host{}
	}

	host := Host{Tasks: can.Extensions[TasksExtension] != nil}
	// An empty elicitation stands for forms.
	if can.Elicitation != nil {
		host.Links = can.Elicitation.URL != nil
		host.Forms = can.Elicitation.Form != nil || !host.Links
	}

	return host
}

// checkTask refuses what the library does not know to refuse of the extension: a routing header that names another
// task, and a wish to be told of tasks by a host that has not declared them. It returns nil for all other requests.
func checkTask(header http.Header, c called) *odd {
	// Versions are dates, so their order is that of their texts.
	modern := header.Get("Mcp-Protocol-Version") >= "2026-07-28"

	switch {
	case c.taskID != nil && modern && header.Get("Mcp-Name") != *c.taskID:
		return &odd{mcp.CodeHeaderMismatch, "the header Mcp-Name must be the taskId of the request", c.id, nil}
	case c.listensToTasks && !HostOf(c.meta).Tasks:
		missing := MissingExtension()
		return &odd{int(missing.Code), missing.Message, c.id, missing.Data}
	}

	return nil
}
