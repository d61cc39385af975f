package a2a

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/subrosa-legal/subrosa/pkg/a2aerr"
)

// call is one JSON-RPC request.
type call struct {
	id     any
	method string
	params fields
}

func rpcResult(id any) func(any) any {
	return func(result any) any { return map[string]any{"jsonrpc": "2.0", "id": id, "result": result} }
}

// ServeRPC serves the JSON-RPC binding. An error of an operation is an answer of the status 200, as JSON-RPC has it.
func (e *Endpoint) ServeRPC(w http.ResponseWriter, r *http.Request) {
	e.watched(r.Context(), Call{Binding: BindingRPC, Method: noMethod}, func(c *Call) {
		c.Method, c.Failure = e.rpc(w, r)
	})
}

func (e *Endpoint) rpc(w http.ResponseWriter, r *http.Request) (method string, f *a2aerr.Failure) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		f = a2aerr.New(a2aerr.NotAllowed, "Send requests by POST.")
		write(w, "application/json", f.Status, f.RPC(nil))

		return noMethod, f
	}

	in, err := e.guard(w, r)
	var c call
	if err == nil && len(in.body) == 0 {
		err = errMalformed
	}
	if len(in.body) > 0 { // a refusal names the request that it refuses
		var wrong error
		if c, wrong = readCall(in.body); err == nil {
			err = wrong
		}
	}
	in.operation = c.method
	if err == nil {
		err = e.dispatch(w, in, c)
	}
	if err == nil {
		return named(c.method), nil
	}
	f = e.tell(r.Context(), in.operation, err)
	noteRefusal(r.Context(), f)
	if again := f.RetryAfter(); again != "" {
		w.Header().Set("Retry-After", again)
	}
	write(w, "application/json", http.StatusOK, f.RPC(c.id))

	return named(c.method), f
}

var errEnvelope = a2aerr.New(
	a2aerr.InvalidRequest,
	`Send one JSON-RPC 2.0 request: {"jsonrpc": "2.0", "id": …, "method": …, "params": {…}}. Batches are not taken.`,
)

var errNotification = a2aerr.New(
	a2aerr.InvalidRequest,
	"Give the request an id. Notifications are not taken, since their answers would be lost.",
)

func readCall(body []byte) (c call, err error) {
	if !bytes.HasPrefix(bytes.TrimSpace(body), []byte("{")) && json.Valid(body) {
		return c, errEnvelope // a batch, or JSON that is no request
	}
	envelope, err := parse(body)
	if err != nil {
		return c, err
	}

	// Nobody would be told what came of a notification.
	if _, named := envelope["id"]; !named {
		return c, errNotification
	}

	switch id := envelope["id"].(type) {
	case nil, string:
		c.id = id
	case json.Number:
		c.id = id
	default:
		return c, errEnvelope
	}
	method, ok := envelope["method"].(string)
	if !ok || method == "" || envelope["jsonrpc"] != "2.0" {
		return c, errEnvelope
	}
	c.method = method
	params, ok := envelope["params"].(map[string]any)
	if !ok && envelope["params"] != nil {
		return c, a2aerr.New(a2aerr.InvalidParams, "The parameters must be a JSON object.")
	}
	c.params = object(params)

	return c, nil
}

// dispatch does the operation that a call names, and answers it unless it fails.
func (e *Endpoint) dispatch(w http.ResponseWriter, in request, c call) error {
	ctx := in.Context()
	answer := func(result any, err error) error {
		if err == nil {
			write(w, "application/json", http.StatusOK, rpcResult(c.id)(result))
		}

		return err
	}

	switch c.method {
	case "SendMessage":
		reply, err := e.send(in, c.params)
		return answer(reply, err)
	case "SendStreamingMessage":
		return e.rpcStream(w, in, c, e.streaming(in, c.params))
	case "SubscribeToTask":
		return e.rpcStream(w, in, c, e.subscribing(in, c.params))
	case "GetTask":
		p, err := taskParams(c.params)
		if err != nil {
			return err
		}
		task, err := e.Service.Get(ctx, p)

		return answer(task, err)
	case "ListTasks":
		p, err := listParams(c.params)
		if err != nil {
			return err
		}
		page, err := e.Service.List(ctx, p)

		return answer(page, err)
	case "CancelTask":
		p, err := taskParams(c.params)
		if err != nil {
			return err
		}
		task, err := e.Service.Cancel(ctx, p)

		return answer(task, err)
	case "GetExtendedAgentCard":
		return errNoExtended
	}
	if strings.HasSuffix(c.method, "TaskPushNotificationConfig") ||
		c.method == "ListTaskPushNotificationConfigs" {
		return a2aerr.New(a2aerr.PushNotSupported, noPush)
	}

	return a2aerr.New(
		a2aerr.MethodNotFound,
		"There is no such method. Those of A2A 1.0 are SendMessage, SendStreamingMessage, GetTask, ListTasks, "+
			"CancelTask and SubscribeToTask.",
	)
}

var errNoExtended = a2aerr.New(
	a2aerr.Unsupported,
	"There is no extended card. The card at /.well-known/agent-card.json is all there is.",
)

func (e *Endpoint) rpcStream(w http.ResponseWriter, in request, c call, work func(Sink) error) error {
	refuse := func(f *a2aerr.Failure) any { return f.RPC(c.id) }
	return e.stream(in, w, rpcResult(c.id), work, refuse)
}

func (e *Endpoint) send(in request, params fields) (Reply, error) {
	p, err := sendParams(params)
	if err != nil {
		return Reply{}, err
	}
	var reply Reply
	work := func() (err error) {
		reply, err = e.Service.Send(in.Context(), p, e.Owner(in.Context()), in.key)
		return err
	}
	if p.ReturnImmediately { // nothing stays open
		err = work()
	} else {
		err = e.stay(in.Context(), work)
	}

	return reply, err
}

func (e *Endpoint) streaming(in request, params fields) func(Sink) error {
	return func(out Sink) error {
		p, err := sendParams(params)
		if err != nil {
			return err
		}

		return e.Service.Stream(in.Context(), p, e.Owner(in.Context()), in.key, in.known, out)
	}
}

func (e *Endpoint) subscribing(in request, params fields) func(Sink) error {
	return func(out Sink) error {
		p, err := taskParams(params)
		if err != nil {
			return err
		}
		at, err := in.place()
		if err != nil {
			return err
		}

		return e.Service.Subscribe(in.Context(), p.ID, at, in.known, out)
	}
}
