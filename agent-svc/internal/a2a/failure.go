package a2a

import (
	"errors"
	"maps"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/errs"
)

// kind is one error of the protocol in both bindings (specification 1.0.1, sections 5.4 and 9.5).
type kind struct {
	code   int    // of JSON-RPC
	status int    // of HTTP
	grpc   string // status name of google.rpc.Code
	reason string // of google.rpc.ErrorInfo
}

var (
	taskNotFound        = kind{-32001, http.StatusNotFound, "NOT_FOUND", "TASK_NOT_FOUND"}
	taskNotCancelable   = kind{-32002, http.StatusBadRequest, "FAILED_PRECONDITION", "TASK_NOT_CANCELABLE"}
	pushNotSupported    = kind{-32003, http.StatusBadRequest, "FAILED_PRECONDITION", "PUSH_NOTIFICATION_NOT_SUPPORTED"}
	unsupported         = kind{-32004, http.StatusBadRequest, "FAILED_PRECONDITION", "UNSUPPORTED_OPERATION"}
	contentNotSupported = kind{
		-32005,
		http.StatusUnsupportedMediaType,
		"INVALID_ARGUMENT",
		"CONTENT_TYPE_NOT_SUPPORTED",
	}
	versionNotSupported = kind{-32009, http.StatusBadRequest, "FAILED_PRECONDITION", "VERSION_NOT_SUPPORTED"}

	parseError     = kind{-32700, http.StatusBadRequest, "INVALID_ARGUMENT", "PARSE_ERROR"}
	invalidRequest = kind{-32600, http.StatusBadRequest, "INVALID_ARGUMENT", "INVALID_REQUEST"}
	methodNotFound = kind{-32601, http.StatusNotFound, "NOT_FOUND", "METHOD_NOT_FOUND"}
	invalidParams  = kind{-32602, http.StatusBadRequest, "INVALID_ARGUMENT", "INVALID_PARAMS"}
	internalError  = kind{-32603, http.StatusInternalServerError, "INTERNAL", "INTERNAL_ERROR"}

	// Errors that the protocol does not define.
	forbidden   = kind{-32603, http.StatusForbidden, "PERMISSION_DENIED", "PERMISSION_DENIED"}
	tooMany     = kind{-32603, http.StatusTooManyRequests, "RESOURCE_EXHAUSTED", "RESOURCE_EXHAUSTED"}
	unavailable = kind{-32603, http.StatusServiceUnavailable, "UNAVAILABLE", "UNAVAILABLE"}
	tooLarge    = kind{-32600, http.StatusRequestEntityTooLarge, "INVALID_ARGUMENT", "REQUEST_TOO_LARGE"}
	notAllowed  = kind{-32600, http.StatusMethodNotAllowed, "UNIMPLEMENTED", "METHOD_NOT_ALLOWED"}
)

// domain is that of the protocol in google.rpc.ErrorInfo.
const domain = "a2a-protocol.org"

// Failure is an error as clients are told it. Message says what to do; Meta adds what programs may want to know.
type Failure struct {
	kind

	Message string
	Meta    map[string]string
	Again   time.Duration // after which the same request may be sent again; 0 for never
}

func (f *Failure) Error() string { return f.reason + ": " + f.Message }

func failed(k kind, message string) *Failure { return &Failure{kind: k, Message: message} }

// failureOf tells an error of ours in the terms of the protocol. What could be an identity is refused with the deep
// link of the page where a person mends it.
func failureOf(err error) *Failure {
	var told *Failure
	if errors.As(err, &told) {
		return told
	}
	known := errs.From(err)
	f := &Failure{kind: internalError, Message: known.Message, Meta: map[string]string{"code": known.Code}}

	switch known.Kind {
	case errs.Invalid, errs.TooLarge, errs.NotFound, errs.UnsupportedMedia:
		f.kind = invalidParams
	case errs.Forbidden, errs.Unauthenticated:
		f.kind = forbidden
		if known.DeepLink != "" {
			f.kind = invalidParams
		}
	case errs.Conflict:
		f.kind = unsupported
	case errs.TooMany:
		f.kind = tooMany
	case errs.Unavailable:
		f.kind = unavailable
	default:
		f.Meta = nil
	}
	if known.DeepLink != "" {
		f.Meta["deepLink"] = known.DeepLink
	}

	for i, d := range known.Details[:min(len(known.Details), mostDetails)] {
		f.Meta["detail."+strconv.Itoa(i+1)] = detail(d)
	}
	f.Again = known.RetryAfter

	return f
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
		"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": f.reason, "domain": domain,
	}
	if len(f.Meta) > 0 {
		info["metadata"] = maps.Clone(f.Meta)
	}

	return info
}

// retryAfter is the value of the header of that name, "" for none.
func (f *Failure) retryAfter() string {
	if f.Again <= 0 {
		return ""
	}

	return strconv.Itoa(int(math.Ceil(f.Again.Seconds())))
}
