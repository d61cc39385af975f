package a2a

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/a2aerr"
)

// The bindings, as the conventions for traces name systems of calls.
const (
	BindingRPC  = "jsonrpc"
	BindingREST = "http+json"
)

// Call is one request of the protocol and how it ended.
type Call struct {
	Binding string
	Method  string          // the operation by its name in the protocol; _OTHER for what is none
	Failure *a2aerr.Failure // nil when it was answered, or when its stream began
	Took    time.Duration   // to the last byte of the answer, of streams too
}

// Asks reports whether the call has an agent work.
func (c Call) Asks() bool { return c.Method == "SendMessage" || c.Method == "SendStreamingMessage" }

// reads reports whether an operation changes nothing. What is no operation may have been meant to.
func reads(operation string) bool {
	switch operation {
	case "GetTask", "ListTasks", "SubscribeToTask":
		return true
	}

	return false
}

// Code is what the binding has as its code: that of JSON-RPC, or the status of HTTP. It is 0 for an answer.
func (c Call) Code() int {
	switch {
	case c.Failure == nil:
		return 0
	case c.Binding == BindingRPC:
		return c.Failure.Code
	}

	return c.Failure.Status
}

// noMethod stands for whatever is no operation, as the conventions have it: callers could make up any number of names.
const noMethod = "_OTHER"

// pathMethods are all operations of the protocol by what a path is about, with the method of HTTP before it where that
// tells two of them apart.
var pathMethods = map[string]string{
	"message:send": "SendMessage", "message:stream": "SendStreamingMessage", "task": "GetTask", "tasks": "ListTasks",
	"task:cancel": "CancelTask", "task:subscribe": "SubscribeToTask", "extendedAgentCard": "GetExtendedAgentCard",
	"POST configs": "CreateTaskPushNotificationConfig", "GET configs": "ListTaskPushNotificationConfigs",
	"GET config": "GetTaskPushNotificationConfig", "DELETE config": "DeleteTaskPushNotificationConfig",
}

// named is a method of JSON-RPC that there is.
func named(method string) string {
	// Any name may come in; only known ones become values of a metric, so that nobody can make up new series.
	for _, known := range pathMethods {
		if known == method {
			return method
		}
	}

	return noMethod
}

// namedPath is the operation of a request of HTTP+JSON.
func namedPath(r *http.Request) string {
	about := pathOf(r.URL.Path).operation()
	return cmp.Or(pathMethods[about], pathMethods[r.Method+" "+about], noMethod)
}

// watched runs a call and reports how it ended.
func (e *Endpoint) watched(ctx context.Context, c Call, serve func(c *Call)) {
	began := e.Service.Now()
	serve(&c)
	if e.Observe == nil {
		return
	}
	c.Took = e.Service.Now().Sub(began)
	e.Observe(ctx, c)
}
