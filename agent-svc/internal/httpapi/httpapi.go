// Package httpapi answers agent-svc's routes: it begins runs, and streams them to whoever may read them.
package httpapi

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
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
	g := r.Group("/v1/agent", internal.Middleware(fail))
	g.Use(httpauth.Require(fail, access.User, access.Agent), httpx.NoQuery(a.Log))
	g.POST("", handle(a.read(a.run)))
	g.GET("/:phaseId", handle(a.read(a.attach)))
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
	).WithRetryAfter(2 * time.Second)
	errPlace = httpx.ErrParameter.
			WithMessage("Last-Event-ID must be the id of an event of this phase.").
			WithDetails(errs.Detail{Path: "Last-Event-ID"})
)

// reading is what the reader of a run holds for as long as it reads. It is small on purpose: the functions that open it
// keep tasks and phases on the stack, and have returned before the stream begins. A stack that holds those for as long
// as the stream lasts takes twice the memory.
type reading struct {
	key      stream.Key
	after    int
	newest   int    // the last number that was sent, where after is beyond it
	ahead    bool   // after was never sent: the reader begins anew
	answered bool   // there is nothing to read: the answer was given
	leave    func() // gives back what the reader holds
}

// read opens a reading and writes the run to its reader.
func (a *API) read(open func(*gin.Context) (reading, error)) func(*gin.Context) error {
	return func(c *gin.Context) error {
		r, err := open(c)
		if err != nil {
			return err
		}
		defer r.leave()
		if r.answered {
			return nil
		}

		if r.ahead {
			return a.Streams.Restart(c.Writer, c.Request, r.key, r.newest, r.after)
		}

		return a.Streams.Serve(c.Writer, c.Request, r.key, r.after)
	}
}

// run begins a run, or finds it where it was begun before.
func (a *API) run(c *gin.Context) (r reading, err error) {
	if !accepts(c.GetHeader("Accept")) {
		return reading{}, errNotAcceptable
	}
	ctx := c.Request.Context()
	caller := access.CallerFrom(ctx)
	if !caller.May("agent:run") {
		return reading{}, access.ErrScope
	}
	var task api.AgentTask
	if err := httpx.Decode(c, &task); err != nil {
		// A name that is no field of ours may itself be somebody's name, so its refusal goes on record like one by the
		// gate.
		if errors.Is(err, httpx.ErrRefusedName) {
			refusal := errs.From(err).WithDeepLink(a.Admission.Link("add_identity", task))
			return reading{}, a.Admission.Refused(ctx, refusal, task)
		}

		return reading{}, err
	}
	if err := a.Admission.Admit(ctx, caller, &task); err != nil {
		return reading{}, err
	}
	// The place is read after the task is admitted: only then is the id that it must begin with known to be one.
	after, ok := stream.ParsePlace(task.SeedPhase.PhaseID, c.GetHeader("Last-Event-ID"))
	if !ok {
		return reading{}, errPlace
	}
	// The place for the stream comes before the run: a run that nobody may read would still be paid for.
	release, err := a.Place(caller)
	if err != nil {
		return reading{}, err
	}

	held := holds{release}
	defer held.unless(&r)

	begun, err := a.Admission.Begin(ctx, caller, task)
	if err != nil {
		return reading{}, err
	}
	if begun.Replay {
		c.Header("Phase-Replay", "true")
	}
	if begun.Turn != nil {
		// The wait ends before the place is given back, or a reader who left would still hold its place in line.
		held = append(held, a.wait(c, begun.Turn))
	}

	return a.open(c, begun.Phase, after, held.giveBack, nil)
}

// holds are what a reader gives back, the last first.
type holds []func()

func (h *holds) giveBack() {
	for _, back := range slices.Backward(*h) {
		back()
	}
}

// unless gives back what no reading holds, be it for an error or a panic.
func (h *holds) unless(r *reading) {
	if r.leave == nil {
		h.giveBack()
	}
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

// attach finds a run that was begun before.
func (a *API) attach(c *gin.Context) (r reading, err error) {
	if !accepts(c.GetHeader("Accept")) {
		return reading{}, errNotAcceptable
	}
	ctx := c.Request.Context()
	caller := access.CallerFrom(ctx)
	if !caller.May("cases:read") {
		return reading{}, access.ErrScope
	}
	if !ids.Valid(c.Param("phaseId")) {
		return reading{}, errs.ErrNotFound
	}
	after, ok := stream.ParsePlace(c.Param("phaseId"), c.GetHeader("Last-Event-ID"))
	if !ok {
		return reading{}, errPlace
	}
	phase, err := a.Admission.Cases.Phase(ctx, c.Param("phaseId"))
	if err != nil {
		return reading{}, err
	}
	release, err := a.Place(caller)
	if err != nil {
		return reading{}, err
	}

	held := holds{release}
	defer held.unless(&r)

	// A reader who attaches never begins anything, so what it reads is a replay whatever the run does.
	c.Header("Phase-Replay", "true")

	return a.open(c, phase, after, held.giveBack, func() {
		// An EventSource comes back whenever a stream ends; 204 is what makes it stop (HTML, server-sent events).
		c.Status(http.StatusNoContent)
		c.Writer.WriteHeaderNow()
	})
}

// open finds the reader's place in the log. Where the log has nothing any more, an ended phase is rebuilt from its
// record. A reader who has the last event is answered by over, if there is one.
func (a *API) open(c *gin.Context, phase api.Phase, after int, leave, over func()) (reading, error) {
	ctx := c.Request.Context()
	// Streams have a bound of their own, and would use up that of ordinary requests for as long as they last.
	httpx.StepAside(ctx)
	r := reading{key: admission.KeyOf(access.CallerFrom(ctx), phase.PhaseID), after: after, leave: leave}
	newest, moved, err := a.standing(ctx, r.key, phase)
	if err != nil {
		return reading{}, err
	}

	if r.answered, err = a.answered(c, phase, newest, after, over); err != nil {
		return reading{}, err
	}
	// The number was never sent: the reader comes from somewhere else, is told so and starts at the beginning. After a
	// failover the log may lack events that readers have, so there a higher number is believed.
	lost := moved && !newest.Last
	r.newest, r.ahead = newest.Seq, after > newest.Seq && !lost

	return r, nil
}

// standing is the newest event of a run, and whether its log has moved to another server since. The last events of an
// ended run are written where its process died between the record and them.
func (a *API) standing(
	ctx context.Context, k stream.Key, phase api.Phase,
) (newest stream.Event, moved bool, err error) {
	newest, moved, err = a.Admission.Runs.Events.Standing(ctx, k)
	if err != nil || newest.Last || !runs.Ended(phase) {
		return newest, moved, err
	}
	if _, err := a.Admission.Runs.Settle(ctx, k); err != nil {
		return stream.Event{}, false, err
	}
	newest, _, err = a.Admission.Runs.Events.Newest(ctx, k)

	return newest, moved, err
}

// answered answers a reader for whom the log has nothing, now or ever, and reports whether it did.
func (a *API) answered(c *gin.Context, phase api.Phase, newest stream.Event, after int, over func()) (bool, error) {
	gone := runs.Ended(phase) && !newest.Last
	if !gone && !newest.Last {
		return false, nil // there is more to come
	}
	end := newest.Seq
	if gone {
		end = phase.Stream.EndSeq
	}

	if over != nil && after > 0 && after == end {
		over()
		return true, nil
	}
	if gone {
		return true, a.rebuild(c, phase, after)
	}

	return false, nil
}

// rebuild writes the events of an ended phase beyond after, from its record.
func (a *API) rebuild(c *gin.Context, phase api.Phase, after int) error {
	text := []byte(stream.Retry)
	// Such a number was never sent, so the reader is told and gets all of it.
	if end := phase.Stream.EndSeq; after > end {
		gap, err := stream.GapFrame(phase.PhaseID, end+1, after, a.Now())
		if err != nil {
			return err
		}
		text, after = append(text, gap...), 0
	}
	frames, err := runs.Rebuilt(phase, after, a.Now())
	if err != nil {
		return err
	}
	stream.Begin(c.Writer)
	// A reader who left meanwhile comes back; there is nobody to tell of a failed write.
	_, _ = c.Writer.Write(append(text, bytes.Join(frames, nil)...))

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
).WithRetryAfter(3 * time.Second)

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
