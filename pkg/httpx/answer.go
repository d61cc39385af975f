// Package httpx is the one way in which services of Subrosa speak HTTP: strict decoding, one table from failures to answers,
// a server that drains, and a client that carries deadline, trace and caller to the next service.
package httpx

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/pkg/errs"
)

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

func kindOf(status int) errs.Kind {
	for k, s := range statuses {
		if s == status {
			return k
		}
	}

	return errs.Internal
}

// Handle lets a handler return its failure instead of writing it. Failures that nobody classified are logged here, once, and
// their text never leaves.
func Handle(log *slog.Logger, h func(*gin.Context) error) gin.HandlerFunc {
	return func(c *gin.Context) {
		if err := h(c); err != nil {
			Fail(c, log, err)
		}
	}
}

// Fail ends the request with the answer for err. Once an answer is under way nothing is written: its status is gone.
func Fail(c *gin.Context, log *slog.Logger, err error) {
	e := Told(c.Request.Context(), reads(c.Request.Method), errs.From(err))
	if e.Kind == errs.Internal && errors.Is(err, context.DeadlineExceeded) {
		e = Lost(c.Request.Method, err) // the time of the call was used up, here or further in
	}

	switch {
	case c.Request.Context().Err() != nil && e.Kind == errs.Internal:
		// The caller left; whatever broke because of it is no failure of ours.
	case e.Kind == errs.Internal:
		log.ErrorContext(c.Request.Context(), "request failed", "route", c.FullPath(), "err", err)
	case e.Kind == errs.Unavailable:
		log.WarnContext(c.Request.Context(), "request could not be served", "route", c.FullPath(), "err", err)
	}
	Refuse(c, e)
	c.Abort()
	if c.Writer.Written() {
		return
	}
	requestID := RequestID(c.Request.Context())
	if v, ok := c.Get(formKey); ok {
		form, _ := v.(ErrorForm)
		if body, ok := form(c.Request.URL.Path, requestID, e); ok {
			writeError(c.Writer, e, body)
			return
		}
	}
	WriteError(c.Writer, requestID, e)
}

const formKey = "github.com/subrosa-legal/subrosa/pkg/httpx.form"

// ErrorForm gives the body of an error answer on a path whose protocol has a form of its own; ok is false on others.
type ErrorForm func(path, requestID string, e *errs.Error) (body any, ok bool)

// ErrorsIn has errors on paths that begin with one of roots answered in form. The status and the headers stay those of
// every error.
func ErrorsIn(form ErrorForm, roots ...string) gin.HandlerFunc {
	return func(c *gin.Context) {
		if slices.ContainsFunc(roots, func(root string) bool { return strings.HasPrefix(c.Request.URL.Path, root) }) {
			c.Set(formKey, form)
		}
	}
}

// WriteError writes the answer for e.
func WriteError(w http.ResponseWriter, requestID string, e *errs.Error) {
	writeError(w, e, WireError{
		Error:     e.Code,
		Message:   e.Message,
		RequestID: requestID,
		DeepLink:  e.DeepLink,
		Details:   e.Details,
	})
}

func writeError(w http.ResponseWriter, e *errs.Error, v any) {
	h := w.Header()
	if e.RetryAfter > 0 {
		h.Set("Retry-After", seconds(e.RetryAfter))
	} else if e.Kind == errs.Unavailable {
		h.Set("Retry-After", seconds(errs.ErrUnavailable.RetryAfter))
	}
	if e.Kind == errs.Unauthenticated && h.Get("WWW-Authenticate") == "" {
		h.Set("WWW-Authenticate", "Bearer")
	}
	h.Set("Cache-Control", "no-store")
	body, err := encode(v)
	if err != nil { // only strings and numbers are in it
		panic("httpx.WriteError: " + err.Error())
	}
	write(w, Status(e.Kind), body)
}

// JSON answers with v. It is encoded before the first byte leaves, so that a value that cannot be encoded is a clean failure.
func JSON(c *gin.Context, status int, v any) error {
	body, err := encode(v)
	if err != nil {
		return err
	}
	write(c.Writer, status, body)

	return nil
}

func write(w http.ResponseWriter, status int, body []byte) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body) // a caller who left cannot be told
}

func encode(v any) ([]byte, error) {
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
