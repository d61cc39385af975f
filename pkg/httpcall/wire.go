package httpcall

import (
	"bytes"
	"encoding/json"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/errs"
)

// Headers that only services of Subrosa set. The gateway deletes them from every request that comes in.
const (
	HeaderRequestID = "X-Request-Id"
	HeaderDeadline  = "X-Deadline-Ms" // what is left of the caller's time, in milliseconds
)

// CodeInternalToken is the code by which a service refuses an internal token.
const CodeInternalToken = "internal_token_refused"

// MinDeadline is the time without which there is no use in starting; ErrTooLate refuses a call that has less.
const MinDeadline = 100 * time.Millisecond

// ErrTooLate means that a call's time was over before it began.
var ErrTooLate = errs.New(
	errs.Unavailable,
	"unavailable",
	"The request's time ran out before it started. Try again.",
).WithRetryAfter(time.Second).WithUntouched()

// WireError is the one shape of every error answer.
type WireError struct {
	Error     string        `json:"error"`
	Message   string        `json:"message"`
	RequestID string        `json:"requestId,omitempty"`
	DeepLink  string        `json:"deepLink,omitempty"`
	Details   []errs.Detail `json:"details,omitempty"`
}

var statuses = map[errs.Kind]int{
	errs.Internal:         http.StatusInternalServerError,
	errs.Invalid:          http.StatusBadRequest,
	errs.Unauthenticated:  http.StatusUnauthorized,
	errs.Forbidden:        http.StatusForbidden,
	errs.NotFound:         http.StatusNotFound,
	errs.MethodNotAllowed: http.StatusMethodNotAllowed,
	errs.NotAcceptable:    http.StatusNotAcceptable,
	errs.Conflict:         http.StatusConflict,
	errs.Stale:            http.StatusPreconditionFailed,
	errs.TooLarge:         http.StatusRequestEntityTooLarge,
	errs.UnsupportedMedia: http.StatusUnsupportedMediaType,
	errs.TooMany:          http.StatusTooManyRequests,
	errs.Unavailable:      http.StatusServiceUnavailable,
	errs.HeadTooLarge:     http.StatusRequestHeaderFieldsTooLarge,
	errs.Misdirected:      http.StatusMisdirectedRequest,
}

// Status returns the HTTP status for kind; what the table does not know is a 500.
func Status(kind errs.Kind) int {
	if s, ok := statuses[kind]; ok {
		return s
	}

	return http.StatusInternalServerError
}

// KindOf returns the kind whose status this is; one that the table does not know is Internal.
func KindOf(status int) errs.Kind {
	for k, s := range statuses {
		if s == status {
			return k
		}
	}

	return errs.Internal
}

// WriteError writes the answer for e.
func WriteError(w http.ResponseWriter, requestID string, e *errs.Error) {
	WriteForm(w, e, WireError{
		Error:     e.Code,
		Message:   e.Message,
		RequestID: requestID,
		DeepLink:  e.DeepLink,
		Details:   e.Details,
	})
}

// WriteForm writes v as the answer for e, in a protocol that has its own form of errors.
func WriteForm(w http.ResponseWriter, e *errs.Error, v any) {
	h := w.Header()
	if e.RetryAfter > 0 {
		h.Set("Retry-After", seconds(e.RetryAfter))
	} else if e.Kind == errs.Unavailable {
		h.Set("Retry-After", seconds(errs.ErrUnavailable.RetryAfter))
	}
	// RFC 9110, 15.5.2: a 401 without a challenge is not allowed. A route that has a fuller one has set it already.
	if e.Kind == errs.Unauthenticated && h.Get("WWW-Authenticate") == "" {
		h.Set("WWW-Authenticate", "Bearer")
	}
	// A refusal may hold a deep link or the findings of a text.
	h.Set("Cache-Control", "no-store")
	body, err := Encode(v)
	// It holds strings and numbers alone.
	if err != nil {
		panic("httpcall.WriteForm: " + err.Error())
	}
	Write(w, Status(e.Kind), body)
}

// Write answers with a body of JSON.
func Write(w http.ResponseWriter, status int, body []byte) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	// A caller who left cannot be told.
	_, _ = w.Write(body)
}

// Encode returns v as JSON of one line, in which nothing is escaped for HTML.
func Encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}

	return bytes.TrimRight(b.Bytes(), "\n"), nil
}

func seconds(d time.Duration) string {
	return strconv.Itoa(int(math.Ceil(d.Seconds())))
}
