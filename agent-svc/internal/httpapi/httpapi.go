// Package httpapi answers agent-svc's routes: it begins runs, and streams them to whoever may read them.
package httpapi

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/admission"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/runs"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/stream"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/httpauth"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
	"github.com/subrosa-legal/subrosa/pkg/ids"
	"github.com/subrosa-legal/subrosa/pkg/places"
)

// API holds what the handlers need.
type API struct {
	Admission *admission.Service
	Streams   *stream.Server
	Readers   *places.Places // of streams
	Now       func() time.Time
	Log       *slog.Logger
}

// Mount lays the routes on r; every one wants an internal token.
func (a *API) Mount(r *gin.Engine, internal *httpauth.Gate) {
	fail := func(c *gin.Context, err error) { httpx.Fail(c, a.Log, err) }
	handle := func(h func(*gin.Context) error) gin.HandlerFunc { return httpx.Handle(a.Log, h) }
	g := r.Group(
		"/v1/agent",
		internal.Middleware(fail),
		httpauth.Require(fail, access.User, access.Agent),
		httpx.NoQuery(a.Log),
	)
	g.POST("", handle(a.run))
	g.GET("/:phaseId", handle(a.attach))
	g.DELETE("/:phaseId", handle(a.cancel))
}

var (
	errNotAcceptable = errs.New(
		errs.NotAcceptable,
		"not_acceptable",
		"This route answers with an event stream. Send the header Accept: text/event-stream.",
	)
	errStreamsFull = errs.New(
		errs.Unavailable,
		"unavailable",
		"This server cannot open another stream right now. Send the same request again after the time in Retry-After.",
	).WithRetryAfter(
		2 * time.Second,
	)
	errPlace = httpx.ErrParameter.WithMessage(
		"Last-Event-ID must be the id of an event of this phase.",
	).WithDetails(
		errs.Detail{Path: "Last-Event-ID"},
	)
)

func (a *API) run(c *gin.Context) error {
	if !accepts(c.GetHeader("Accept")) {
		return errNotAcceptable
	}
	ctx := c.Request.Context()
	caller := access.CallerFrom(ctx)
	if !caller.May("agent:run") {
		return access.ErrScope
	}
	var task api.AgentTask
	if err := httpx.Decode(c, &task); err != nil {
		if errors.Is(err, httpx.ErrRefusedName) {
			return a.Admission.Refused(ctx, errs.From(err).WithDeepLink(a.Admission.Link("add_identity", task)), task)
		}

		return err
	}
	if err := a.Admission.Admit(ctx, caller, &task); err != nil {
		return err
	}
	after, ok := stream.ParsePlace(task.SeedPhase.PhaseID, c.GetHeader("Last-Event-ID"))
	if !ok {
		return errPlace
	}
	release, err := a.Place(caller)
	if err != nil {
		return err
	}
	defer release()
	begun, err := a.Admission.Begin(ctx, caller, task)
	if err != nil {
		return err
	}
	if begun.Replay {
		c.Header("Phase-Replay", "true")
	}
	if begun.Turn != nil {
		defer a.wait(c, begun.Turn)()
	}

	return a.serve(c, begun.Phase, after, nil)
}

// wait waits in line while the request is served, whose end ends it. A stream that cannot come to its end closes, and
// its reader asks again.
func (a *API) wait(c *gin.Context, turn *admission.Turn) (stop func()) {
	ctx, cancel := context.WithCancel(c.Request.Context())
	c.Request = c.Request.WithContext(ctx)
	var under sync.WaitGroup
	under.Go(func() {
		if !turn.Wait(ctx, a.Streams.Stops) {
			cancel()
		}
	})

	return func() { cancel(); under.Wait() }
}

func (a *API) attach(c *gin.Context) error {
	if !accepts(c.GetHeader("Accept")) {
		return errNotAcceptable
	}
	ctx := c.Request.Context()
	caller := access.CallerFrom(ctx)
	if !caller.May("cases:read") {
		return access.ErrScope
	}
	if !ids.Valid(c.Param("phaseId")) {
		return errs.ErrNotFound
	}
	after, ok := stream.ParsePlace(c.Param("phaseId"), c.GetHeader("Last-Event-ID"))
	if !ok {
		return errPlace
	}
	phase, err := a.Admission.Cases.Phase(ctx, c.Param("phaseId"))
	if err != nil {
		return err
	}
	release, err := a.Place(caller)
	if err != nil {
		return err
	}
	defer release()
	c.Header("Phase-Replay", "true")

	return a.serve(c, phase, after, func() error {
		c.Status(http.StatusNoContent) // an EventSource that would ask for ever stops
		c.Writer.WriteHeaderNow()

		return nil
	})
}

// serve streams the run from the log. Where the log has nothing any more, an ended phase is rebuilt from its record.
// A reader who has the last event is answered by over, if there is one.
func (a *API) serve(c *gin.Context, phase api.Phase, after int, over func() error) error {
	ctx := c.Request.Context()
	httpx.StepAside(ctx) // streams have a bound of their own
	k := admission.KeyOf(access.CallerFrom(ctx), phase.PhaseID)
	newest, moved, err := a.Admission.Runs.Events.Standing(ctx, k)
	if err != nil {
		return err
	}
	if runs.Ended(phase) && !newest.Last {
		if _, err := a.Admission.Runs.Settle(
			ctx,
			k,
		); err != nil { // the process may have died between the record and the last events
			return err
		}
		if newest, _, err = a.Admission.Runs.Events.Newest(ctx, k); err != nil {
			return err
		}
		if !newest.Last {
			if over != nil && runs.Ended(phase) && after > 0 && after == phase.Stream.EndSeq {
				return over()
			}

			return a.rebuild(c, phase, after)
		}
	}
	if over != nil && newest.Last && after == newest.Seq {
		return over()
	}
	if lost := moved && !newest.Last; after > newest.Seq && !lost {
		after = 0 // a number that was never sent
	}

	return a.Streams.Serve(c.Writer, c.Request, k, after)
}

func (a *API) rebuild(c *gin.Context, phase api.Phase, after int) error {
	if after > phase.Stream.EndSeq {
		after = 0 // a number that was never sent
	}
	frames, err := runs.Rebuilt(phase, after, a.Now())
	if err != nil {
		return err
	}
	stream.Begin(c.Writer)
	_, _ = c.Writer.Write(append([]byte(stream.Retry), bytes.Join(frames, nil)...)) // a reader who left comes back

	return nil
}

func (a *API) cancel(c *gin.Context) error {
	ctx := c.Request.Context()
	if err := a.Admission.End(ctx, access.CallerFrom(ctx), c.Param("phaseId")); err != nil {
		return err
	}
	c.Status(http.StatusAccepted)
	c.Writer.WriteHeaderNow()

	return nil
}

var errTooManyStreams = errs.New(
	errs.TooMany,
	"too_many_streams",
	"You have reached your limit of open streams. Read one to its end, or close it, before you open another.",
).WithRetryAfter(
	3 * time.Second,
)

// Place counts a stream against the caller, its tenant and this process.
func (a *API) Place(caller access.Caller) (release func(), err error) {
	release, err = a.Readers.Take(places.Who{Tenant: caller.Tenant, Caller: admission.Identity(caller)})
	if errors.Is(err, places.ErrTooMany) {
		return nil, errTooManyStreams
	}
	if err != nil {
		return nil, errStreamsFull
	}

	return release, nil
}
