// Package httpx is the one way in which services of Subrosa serve HTTP: an engine with what every service wants around
// its handlers, failures that become answers, and a server that drains. Calls to other services are httpcall's.
package httpx

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"

	"github.com/subrosa-legal/subrosa/pkg/httpcall"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/pkg/errs"
)

// Handle lets a handler return its failure instead of writing it. Failures that nobody classified are logged here,
// once, and their text never leaves.
func Handle(log *slog.Logger, h func(*gin.Context) error) gin.HandlerFunc {
	return func(c *gin.Context) {
		if err := h(c); err != nil {
			Fail(c, log, err)
		}
	}
}

// Fail ends the request with the answer for err. Once an answer is under way nothing is written: its status is gone.
func Fail(c *gin.Context, log *slog.Logger, err error) {
	e := errs.From(err)
	if e.Kind == errs.Internal && errors.Is(err, context.DeadlineExceeded) {
		// The time of the call was used up, here or further in.
		e = httpcall.Lost(c.Request.Method, err)
	}
	// Last of all, since it looks at what the whole request may have changed.
	e = httpcall.Told(c.Request.Context(), httpcall.Reads(c.Request.Method), e)

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
	// A stream that breaks off is all that its reader can be told.
	if c.Writer.Written() {
		return
	}
	requestID := RequestID(c.Request.Context())
	if v, ok := c.Get(formKey); ok {
		form, _ := v.(ErrorForm)
		if body, ok := form(c.Request.URL.Path, requestID, e); ok {
			httpcall.WriteForm(c.Writer, e, body)
			return
		}
	}
	httpcall.WriteError(c.Writer, requestID, e)
}

const formKey = "github.com/subrosa-legal/subrosa/pkg/httpx.form"

// ErrorForm gives the body of an error answer on a path whose protocol has a form of its own; ok is false on others.
type ErrorForm func(path, requestID string, e *errs.Error) (body any, ok bool)

// ErrorsIn has errors on paths that begin with one of roots answered in form. The status and the headers stay those of
// every error.
func ErrorsIn(form ErrorForm, roots ...string) gin.HandlerFunc {
	return func(c *gin.Context) {
		// By path and not by route: an unknown path below a protocol's root is answered in its form too.
		if slices.ContainsFunc(roots, func(root string) bool { return strings.HasPrefix(c.Request.URL.Path, root) }) {
			c.Set(formKey, form)
		}
	}
}

// JSON answers with v. It is encoded before the first byte leaves, so that a value that cannot be encoded is a clean
// failure.
func JSON(c *gin.Context, status int, v any) error {
	body, err := httpcall.Encode(v)
	if err != nil {
		return err
	}
	httpcall.Write(c.Writer, status, body)

	return nil
}
