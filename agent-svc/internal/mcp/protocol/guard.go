package protocol

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/httpcall"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
	"github.com/subrosa-legal/subrosa/pkg/strictjson"
)

// Needs names the scopes that a call with these arguments needs. Arguments that it cannot read need none: the tool
// refuses them.
type Needs func(arguments json.RawMessage) []string

const (
	maxBody      = httpx.MaxBody    // bytes
	bodyDeadline = 10 * time.Second // for the whole body to arrive
)

// Codes of JSON-RPC.
const (
	codeParse   = -32700
	codeInvalid = -32600
)

// odd is a body that is not one message which everybody reads alike.
type odd struct {
	code    int
	message string
	id      json.RawMessage // of the request, nil when it cannot be told
	data    json.RawMessage // nil for none
}

func (o odd) Error() string { return o.message }

// admit reads the body of a POST, refuses what is odd, and challenges a caller that lacks a scope for the call in it.
// It reports whether the request may go on, with its body as it came, and what it calls.
func (e *Endpoint) admit(w http.ResponseWriter, r *http.Request) (c called, ok bool) {
	// The library answers every other method with 405.
	if r.Method != http.MethodPost {
		return called{}, true
	}
	// Not every writer can do it (an in-memory recorder); the server's own listener can.
	//nolint:forbidigo // a socket deadline is on the wall clock
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(bodyDeadline))
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if tooBig := (*http.MaxBytesError)(nil); errors.As(err, &tooBig) {
		httpcall.WriteError(w, httpx.RequestID(r.Context()), httpx.ErrBodyTooBig)
		return called{}, false
	}
	// The deadline was for the body alone: over HTTP/1 it would end the call while its answer is being made.
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
	if err != nil {
		refuse(w, odd{code: codeParse, message: "the body could not be read to its end"})
		return called{}, false
	}
	c, err = read(body)
	if wrong := (odd{}); errors.As(err, &wrong) {
		refuse(w, wrong)
		return called{}, false
	}
	if wrong := checkTask(r.Header, c); wrong != nil && e.tasks != nil {
		refuse(w, *wrong)
		return called{}, false
	}
	// Scopes come last: a body that two readers take in two ways must not be judged by one of them.
	if needed := e.missing(r, c); needed != nil {
		e.challenge(w, r, needed)
		return called{}, false
	}
	r.Body = io.NopCloser(bytes.NewReader(body))

	return c, true
}

// called is what the guard takes from a body: its id, and the tool of a tools/call and its arguments, or what is asked
// about tasks.
type called struct {
	id        json.RawMessage
	tool      string
	arguments json.RawMessage

	taskID         *string // nil for a request that is not about one task
	listensToTasks bool
	meta           mcp.Meta
}

// read finds the call in a body. It reads as the library does, by exact names, and takes nothing that two readers could
// take in two ways: no doubled keys, no names that differ in case only, no batch, which no version since 2025-06-18
// has.
func read(body []byte) (called, error) {
	if trimmed := bytes.TrimSpace(body); bytes.HasPrefix(trimmed, []byte("[")) {
		return called{}, odd{code: codeInvalid, message: "batches are not taken; send one message in each request"}
	}
	if err := strictjson.WellFormed(body); err != nil {
		return called{}, odd{
			code: codeParse, message: "the body is not one well-formed JSON object in UTF-8 with each key once",
		}
	}
	message, err := fields(body, "method", "params", "id", "jsonrpc")
	if err != nil {
		return called{}, err
	}
	id, err := envelope(message)
	if err != nil {
		return called{}, err
	}
	var method string
	if json.Unmarshal(message["method"], &method) != nil {
		return called{id: id}, nil
	}

	switch method {
	case "tools/call":
		return readCall(message["params"], id)
	case methodGet, methodUpdate, methodCancel, methodListen:
		return readTask(method, message["params"], id)
	}

	return called{id: id}, nil
}

func readCall(from, id json.RawMessage) (called, error) {
	params, err := fields(from, "name", "arguments", "_meta")
	if err != nil {
		return called{}, err
	}
	c := called{id: id, arguments: params["arguments"]}
	if json.Unmarshal(params["name"], &c.tool) != nil {
		return called{}, odd{code: codeInvalid, message: "tools/call needs params with the name of a tool"}
	}

	return c, nil
}

// methodListen asks to be told of changes, of tasks too.
const methodListen = "subscriptions/listen"

func readTask(method string, from, id json.RawMessage) (called, error) {
	params, err := fields(from, "taskId", "inputResponses", "notifications", "_meta")
	if err != nil {
		return called{}, err
	}
	c := called{id: id}
	// What cannot be read declares nothing.
	_ = json.Unmarshal(params["_meta"], &c.meta)
	if method == methodListen {
		wanted, err := fields(params["notifications"], "taskIds")
		c.listensToTasks = wanted["taskIds"] != nil

		return c, err
	}
	c.taskID = new(string)
	if len(params["taskId"]) > 0 && json.Unmarshal(params["taskId"], c.taskID) != nil {
		return called{}, odd{code: codeParams, message: "taskId must be a string", id: id}
	}

	return c, nil
}

// fields returns the members of an object, unless one differs from a name that counts in case only. What is no object
// has no members.
func fields(object json.RawMessage, names ...string) (map[string]json.RawMessage, error) {
	var all map[string]json.RawMessage
	if json.Unmarshal(object, &all) != nil {
		return nil, nil
	}

	// Go's decoder takes "Name" for "name": what the guard did not see, the library would carry out.
	for member := range all {
		if slices.ContainsFunc(names, func(n string) bool { return n != member && strings.EqualFold(n, member) }) {
			return nil, odd{code: codeInvalid, message: "the name of a member is not written as the protocol writes it"}
		}
	}

	return all, nil
}

// missing returns the scopes that a call needs if the caller lacks one of them, else nil.
func (e *Endpoint) missing(r *http.Request, c called) []string {
	needed := e.taskScopes
	if c.taskID == nil {
		needs := e.needs[c.tool]
		if needs == nil {
			return nil
		}
		if len(c.arguments) == 0 {
			c.arguments = json.RawMessage("{}")
		}
		needed = needs(c.arguments)
	}
	if Allows(access.CallerFrom(r.Context()), needed) {
		return nil
	}

	return needed
}

// Allows reports whether a caller has all of the scopes.
func Allows(caller access.Caller, needed []string) bool {
	return !slices.ContainsFunc(needed, func(scope string) bool { return !caller.May(scope) })
}

// challenge asks the caller's host to have the missing scopes granted. The scopes that the caller has are named too, so
// that stepping up never loses one.
func (e *Endpoint) challenge(w http.ResponseWriter, r *http.Request, needed []string) {
	caller := access.CallerFrom(r.Context())
	wanted := slices.DeleteFunc(access.GrantScopes(), func(scope string) bool {
		return !slices.Contains(needed, scope) && !slices.Contains(caller.Scopes, scope)
	})
	metadata := e.cfg.Base + "/.well-known/oauth-protected-resource" + Path
	// The form of RFC 6750, section 3, with the address of RFC 9728.
	w.Header().Set("WWW-Authenticate", fmt.Sprintf(
		"Bearer error=%q, scope=%q, resource_metadata=%q", "insufficient_scope", strings.Join(wanted, " "), metadata,
	))
	httpcall.WriteError(w, httpx.RequestID(r.Context()), access.ErrScope)
}

// refuse answers a body that is odd as JSON-RPC does.
func refuse(w http.ResponseWriter, wrong odd) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(httpcall.Status(errs.Invalid))
	text := encoded(wrong.id, rpcFailure{wrong.code, wrong.message, wrong.data})
	// A caller who left cannot be told.
	_, _ = w.Write(text)
}
