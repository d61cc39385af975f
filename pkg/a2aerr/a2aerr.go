// Package a2aerr holds the errors of the agent-to-agent protocol in both of its bindings, so that the gateway and the
// endpoint behind it refuse in the same form.
package a2aerr

import (
	"errors"
	"maps"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/errs"
)

// Kind is one error of the protocol in both bindings (specification 1.0.1, sections 5.4 and 9.5).
type Kind struct {
	Code   int    // of JSON-RPC
	Status int    // of HTTP
	GRPC   string // status name of google.rpc.Code
	Reason string // of google.rpc.ErrorInfo
}

// Errors that the protocol defines.
var (
	TaskNotFound      = Kind{-32001, http.StatusNotFound, "NOT_FOUND", "TASK_NOT_FOUND"}
	TaskNotCancelable = Kind{-32002, http.StatusBadRequest, "FAILED_PRECONDITION", "TASK_NOT_CANCELABLE"}
	PushNotSupported  = Kind{
		-32003,
		http.StatusBadRequest,
		"FAILED_PRECONDITION",
		"PUSH_NOTIFICATION_NOT_SUPPORTED",
	}
	Unsupported         = Kind{-32004, http.StatusBadRequest, "FAILED_PRECONDITION", "UNSUPPORTED_OPERATION"}
	ContentNotSupported = Kind{-32005, http.StatusBadRequest, "INVALID_ARGUMENT", "CONTENT_TYPE_NOT_SUPPORTED"}
	VersionNotSupported = Kind{-32009, http.StatusBadRequest, "FAILED_PRECONDITION", "VERSION_NOT_SUPPORTED"}

	ParseError     = Kind{-32700, http.StatusBadRequest, "INVALID_ARGUMENT", "PARSE_ERROR"}
	InvalidRequest = Kind{-32600, http.StatusBadRequest, "INVALID_ARGUMENT", "INVALID_REQUEST"}
	MethodNotFound = Kind{-32601, http.StatusNotFound, "NOT_FOUND", "METHOD_NOT_FOUND"}
	InvalidParams  = Kind{-32602, http.StatusBadRequest, "INVALID_ARGUMENT", "INVALID_PARAMS"}
	InternalError  = Kind{-32603, http.StatusInternalServerError, "INTERNAL", "INTERNAL_ERROR"}
)

// Errors that the protocol does not define, or not the status of.
var (
	// BodyNotSupported is ContentNotSupported for the type of the request's own body, which HTTP has a status for. The
	// protocol's 400 is about the parts of a message.
	BodyNotSupported = Kind{
		-32005,
		http.StatusUnsupportedMediaType,
		"INVALID_ARGUMENT",
		"CONTENT_TYPE_NOT_SUPPORTED",
	}
	Unauthenticated = Kind{-32603, http.StatusUnauthorized, "UNAUTHENTICATED", "UNAUTHENTICATED"}
	Forbidden       = Kind{-32603, http.StatusForbidden, "PERMISSION_DENIED", "PERMISSION_DENIED"}
	TooMany         = Kind{-32603, http.StatusTooManyRequests, "RESOURCE_EXHAUSTED", "RESOURCE_EXHAUSTED"}
	Unavailable     = Kind{-32603, http.StatusServiceUnavailable, "UNAVAILABLE", "UNAVAILABLE"}
	TooLarge        = Kind{-32600, http.StatusRequestEntityTooLarge, "INVALID_ARGUMENT", "REQUEST_TOO_LARGE"}
	HeadTooLarge    = Kind{-32600, http.StatusRequestHeaderFieldsTooLarge, "INVALID_ARGUMENT", "HEADER_TOO_LARGE"}
	NotAllowed      = Kind{-32600, http.StatusMethodNotAllowed, "UNIMPLEMENTED", "METHOD_NOT_ALLOWED"}
)

// domain is that of the protocol in google.rpc.ErrorInfo.
const domain = "a2a-protocol.org"

// Failure is an error as clients are told it. Message says what to do; Meta adds what programs may want to know.
type Failure struct {
	Kind

	Message string
	Meta    map[string]string
	Again   time.Duration // after which the same request may be sent again; 0 for never
}

func (f *Failure) Error() string { return f.Reason + ": " + f.Message }

// New returns a failure of kind k.
func New(k Kind, message string) *Failure { return &Failure{Kind: k, Message: message} }

// operation are the kinds of what an operation refuses, where the protocol speaks of its parameters and tasks.
var operation = map[errs.Kind]Kind{
	errs.Invalid:          InvalidParams,
	errs.TooLarge:         InvalidParams,
	errs.NotFound:         InvalidParams,
	errs.UnsupportedMedia: ContentNotSupported,
	errs.Forbidden:        Forbidden,
	errs.Unauthenticated:  Forbidden,
	errs.Conflict:         Unsupported,
	errs.TooMany:          TooMany,
	errs.Unavailable:      Unavailable,
}

// transport are the kinds of what is refused before any operation. Each keeps the status of HTTP that the refusal has
// on every other path.
var transport = map[errs.Kind]Kind{
	errs.Invalid:          InvalidRequest,
	errs.Unauthenticated:  Unauthenticated,
	errs.Forbidden:        Forbidden,
	errs.NotFound:         MethodNotFound,
	errs.MethodNotAllowed: NotAllowed,
	errs.TooLarge:         TooLarge,
	errs.HeadTooLarge:     HeadTooLarge,
	errs.UnsupportedMedia: BodyNotSupported,
	errs.TooMany:          TooMany,
	errs.Unavailable:      Unavailable,
}

// OfOperation puts a failure of an operation in the terms of the protocol. What could be an identity is refused with
// the deep link of the page where a person mends it.
func OfOperation(err error) *Failure {
	var told *Failure
	if errors.As(err, &told) {
		return told
	}
	known := errs.From(err)

	k, ok := operation[known.Kind]
	if k == Forbidden && known.DeepLink != "" {
		k = InvalidParams
	}

	return of(known, k, ok)
}

// OfTransport puts a refusal that comes before any operation in the terms of the protocol.
func OfTransport(known *errs.Error) *Failure {
	k, ok := transport[known.Kind]
	return of(known, k, ok)
}

// of adds what an error of ours tells beside its kind. An error without a kind of its own is an internal one.
func of(known *errs.Error, k Kind, classified bool) *Failure {
	f := &Failure{Kind: k, Message: known.Message, Again: known.RetryAfter}
	if !classified {
		f.Kind = InternalError
	} else {
		f.Meta = map[string]string{"code": known.Code}
	}
	if known.DeepLink != "" {
		f.tell("deepLink", known.DeepLink)
	}

	for i, d := range known.Details[:min(len(known.Details), mostDetails)] {
		f.tell("detail."+strconv.Itoa(i+1), detail(d))
	}

	return f
}

func (f *Failure) tell(name, value string) {
	if f.Meta == nil {
		f.Meta = map[string]string{}
	}
	f.Meta[name] = value
}

// mostDetails bounds what one error tells of single fields.
const mostDetails = 20

func detail(d errs.Detail) string {
	told := d.Path
	if d.Kind != "" {
		told += " " + d.Kind
	}
	if d.Start != nil && d.End != nil {
		told += " bytes " + strconv.Itoa(*d.Start) + " to " + strconv.Itoa(*d.End)
	}
	if d.Message != "" {
		told += ": " + d.Message
	}

	return told
}

// info is the google.rpc.ErrorInfo of a failure.
func (f *Failure) info() map[string]any {
	info := map[string]any{
		"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": f.Reason, "domain": domain,
	}
	if len(f.Meta) > 0 {
		info["metadata"] = maps.Clone(f.Meta)
	}

	return info
}

// RPC is the failure as JSON-RPC has it: the answer to the request with this id, nil for one whose id nobody has read.
func (f *Failure) RPC(id any) map[string]any {
	return map[string]any{"jsonrpc": "2.0", "id": id, "error": map[string]any{
		"code": f.Code, "message": f.Message, "data": []any{f.info()},
	}}
}

// REST is the failure as HTTP+JSON has it: google.rpc.Status.
func (f *Failure) REST() map[string]any {
	return map[string]any{"error": map[string]any{
		"code": f.Status, "status": f.GRPC, "message": f.Message, "details": []any{f.info()},
	}}
}

// RetryAfter is the value of the header of that name, "" for none.
func (f *Failure) RetryAfter() string {
	if f.Again <= 0 {
		return ""
	}

	return strconv.Itoa(int(math.Ceil(f.Again.Seconds())))
}

// Body is the answer to a refusal that comes before any operation, in the form of the binding that a path belongs to.
// ok is false for a path of neither. Nobody has read a request of JSON-RPC by then, so the answer names no id.
func Body(path, requestID string, known *errs.Error) (body any, ok bool) {
	rpc, rest := within(path, api.A2APathRPC), within(path, api.A2APathREST)
	if !rpc && !rest {
		return nil, false
	}
	f := OfTransport(known)
	f.tell("requestId", requestID)

	if rpc {
		return f.RPC(nil), true
	}

	return f.REST(), true
}

func within(path, root string) bool { return path == root || strings.HasPrefix(path, root+"/") }
