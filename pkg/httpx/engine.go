package httpx

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"runtime/debug"
	"slices"
	"strconv"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/httpcall"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/telemetry"
)

// Headers that only services of Subrosa set. The gateway deletes them from every request that comes in.
const (
	// HeaderClientAddress is the network of a client without a credential, an IPv4 address or the /64 of an IPv6
	// address, for services that limit what strangers have them do. It is never stored or logged.
	HeaderClientAddress = "X-Client-Address"
)

var (
	errNoRoute = errs.New(errs.NotFound, "not_found", errs.ErrNotFound.Message)
	// ErrNoMethod answers a method that a path does not have; Allow names those that it has.
	ErrNoMethod = errs.New(
		errs.MethodNotAllowed,
		"method_not_allowed",
		"This path does not support that method. Use a method listed in the Allow header.",
	)
	// ErrHead means that the headers of a request are too large, whether the engine finds it or the server before it.
	ErrHead = errs.New(
		errs.HeadTooLarge,
		"headers_too_large",
		"The request's headers exceed 32 KiB in total. Send less in them.",
	)
	// ErrBusy means that the process has no place for another request at the moment.
	ErrBusy = errs.New(
		errs.Unavailable,
		"unavailable",
		"The service is busy. Try again after the time in Retry-After.",
	).WithRetryAfter(time.Second)
)

// maxHead bounds the address and headers of a request, in bytes. The server itself takes twice as much: what it refuses
// it answers without a body that a program could read.
const maxHead = 32 << 10

// NewEngine returns an engine with what every service wants around its handlers: request ids, spans and metrics per
// route, recovery, deadlines from the caller, and error answers for unknown paths and methods.
func NewEngine(tel *telemetry.Telemetry) *gin.Engine {
	r := gin.New()
	r.HandleMethodNotAllowed = true
	// An encoded slash in an id must not become another route.
	r.UseRawPath = true
	r.UnescapePathValues = true
	// A redirect would drop the body of a POST, and answer paths that the interface does not have.
	r.RedirectTrailingSlash = false
	if err := r.SetTrustedProxies(nil); err != nil {
		// No proxies at all cannot be wrong.
		panic(err)
	}
	// The order matters: what a stranger says of a trace goes before a span begins, and a panic is counted as the
	// refusal that answers it.
	r.Use(
		identify(tel.Inside),
		strangers(tel),
		newMeasured(tel).handle,
		refusals(tel),
		recovery(tel.Log),
	)
	if tel.Inside {
		r.Use(deadline(tel.Log))
	}
	r.NoRoute(Handle(tel.Log, func(*gin.Context) error { return errNoRoute }))
	r.NoMethod(Handle(tel.Log, func(*gin.Context) error { return ErrNoMethod }))

	return r
}

// identify gives each request its id: the caller's when the caller is a service of ours, else a new one.
func identify(inside bool) gin.HandlerFunc {
	return func(c *gin.Context) {
		id := ""
		if inside {
			id = c.GetHeader(HeaderRequestID)
		}
		// The parser takes other ways to write an id too, which logs could not be searched for.
		if _, err := uuid.Parse(id); err != nil || len(id) != 36 {
			id = uuid.Must(uuid.NewV7()).String()
		}
		c.Header(HeaderRequestID, id)
		ctx := telemetry.WithRequestID(c.Request.Context(), id)
		// The gateway itself changes nothing but by the call that it passes on.
		if inside {
			ctx = errs.WithChanges(ctx)
		}
		c.Request = c.Request.WithContext(ctx)
		c.Next()
	}
}

// strangers takes away what callers from outside say of a trace, but for its id where tel trusts them: its flag would
// decide what is sampled here, and its state is free text, whoever it comes from.
func strangers(tel *telemetry.Telemetry) gin.HandlerFunc {
	// The server has brought the names of headers into this form.
	var fields []string
	for _, field := range tel.Propagator.Fields() {
		fields = append(fields, http.CanonicalHeaderKey(field))
	}

	return func(c *gin.Context) {
		if tel.Inside {
			return
		}
		peer, err := netip.ParseAddrPort(c.Request.RemoteAddr)

		trusted := err == nil && slices.ContainsFunc(tel.TraceFrom, func(p netip.Prefix) bool {
			return p.Contains(peer.Addr().Unmap())
		})
		for _, field := range fields {
			if !trusted || field != "Traceparent" {
				delete(c.Request.Header, field)
			}
		}
	}
}

// recovery turns a panic into a 500 and logs it with its stack. http.ErrAbortHandler goes on: it is how a proxy says
// that the connection is beyond repair.
func recovery(log *slog.Logger) gin.HandlerFunc {
	return func(c *gin.Context) {
		defer func() {
			v := recover()
			if v == nil {
				return
			}
			if err, ok := v.(error); ok && errors.Is(err, http.ErrAbortHandler) {
				panic(v)
			}
			// The panic's value may hold anything, so only its type and the stack are logged.
			log.ErrorContext(
				c.Request.Context(),
				"handler panicked",
				"route",
				c.FullPath(),
				"type",
				typeName(v),
				"stack",
				string(debug.Stack()),
			)
			Fail(c, log, errs.ErrInternal)
		}()
		c.Next()
	}
}

// HeadsWithin refuses requests whose address and headers are too large, in the form of any other refusal.
func HeadsWithin(log *slog.Logger) gin.HandlerFunc {
	return func(c *gin.Context) {
		// The server's own limit counts bytes on the wire and is higher; this one counts what a handler gets.
		size := len(c.Request.RequestURI)
		for name, values := range c.Request.Header {
			for _, v := range values {
				size += len(name) + len(v)
			}
		}
		if size > maxHead {
			Fail(c, log, ErrHead)
		}
	}
}

func typeName(v any) string {
	if _, ok := v.(error); ok {
		return "error"
	}

	return "value"
}

// deadline applies what the caller says is left of its time.
func deadline(log *slog.Logger) gin.HandlerFunc {
	return func(c *gin.Context) {
		ms, err := strconv.Atoi(c.GetHeader(HeaderDeadline))
		if err != nil || ms < 0 {
			c.Next()
			return
		}
		left := time.Duration(ms) * time.Millisecond
		if left < httpcall.MinDeadline {
			Fail(c, log, httpcall.ErrTooLate)
			return
		}

		ctx, cancel := context.WithTimeout(c.Request.Context(), left)
		defer cancel()
		c.Request = c.Request.WithContext(ctx)
		c.Next()
	}
}

// Allowed returns the methods of engine's routes for each path template, for Allow headers and tests.
func Allowed(r *gin.Engine) map[string][]string {
	m := map[string][]string{}
	for _, route := range r.Routes() {
		m[route.Path] = append(m[route.Path], route.Method)
	}

	for _, methods := range m {
		slices.Sort(methods)
	}

	return m
}

func parseQuery(raw string) (url.Values, error) {
	if len(raw) > 8<<10 {
		return nil, errors.New("query too long")
	}

	return url.ParseQuery(raw)
}
