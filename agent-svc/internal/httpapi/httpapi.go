// Package httpapi answers agent-svc's routes: it begins runs, and streams them to whoever may read them.
package httpapi

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/runs"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/stream"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/upstream"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/authn"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
	"golang.org/x/text/unicode/norm"
)

// Canceller asks whoever runs a run to end it.
type Canceller interface {
	Cancel(ctx context.Context, k stream.Key) error
}

// API holds what the handlers need.
type API struct {
	Runs       *runs.Runs
	Streams    *stream.Server
	Cases      api.CaseClient
	Cancel     Canceller
	Gate       guard.Gate
	BrowserApp string
	MaxStreams int // of this process
	Budget     *Budget
	Now        func() time.Time
	Log        *slog.Logger
}

// Mount lays the routes on r; every one wants an internal token.
func (a *API) Mount(r *gin.Engine, internal *authn.Verifier) {
	fail := func(c *gin.Context, err error) { httpx.Fail(c, a.Log, err) }
	handle := func(h func(*gin.Context) error) gin.HandlerFunc { return httpx.Handle(a.Log, h) }
	g := r.Group("/v1/agent", internal.Middleware(fail), authn.Require(fail, authn.User, authn.Agent), httpx.NoQuery(a.Log))
	g.POST("", handle(a.run))
	g.GET("/:phaseId", handle(a.attach))
	g.DELETE("/:phaseId", handle(a.cancel))
}

var (
	errNotAcceptable = errs.New(errs.NotAcceptable, "not_acceptable", "This route answers with an event stream. Send Accept: text/event-stream.")
	errStreamsFull   = errs.New(errs.Unavailable, "unavailable", "This server has no place for another stream at the moment. Send the same request again after the time in Retry-After.").WithRetryAfter(2 * time.Second)
	errPlace         = httpx.ErrParameter.WithMessage("Last-Event-ID must be the id of an event of this phase.").WithDetails(errs.Detail{Path: "Last-Event-ID"})
	errOver          = errs.New(errs.Conflict, "invalid_transition", "The run has ended and cannot be cancelled any more.")
)

func (a *API) run(c *gin.Context) error {
	if !accepts(c.GetHeader("Accept")) {
		return errNotAcceptable
	}
	ctx := c.Request.Context()
	caller := authn.CallerFrom(ctx)
	if !caller.May("agent:run") {
		return authn.ErrScope
	}
	var task api.AgentTask
	if err := httpx.Decode(c, &task); err != nil {
		if errors.Is(err, httpx.ErrRefusedName) {
			return a.refused(ctx, errs.From(err).WithDeepLink(a.link("add_identity", task)), task)
		}
		return err
	}
	if err := a.admit(ctx, caller, &task); err != nil {
		return err
	}
	after, ok := stream.ParsePlace(task.SeedPhase.PhaseID, c.GetHeader("Last-Event-ID"))
	if !ok {
		return errPlace
	}
	release, err := a.place(caller)
	if err != nil {
		return err
	}
	defer release()
	phase, replay, err := a.begin(ctx, caller, task)
	if err != nil {
		return err
	}
	if replay {
		c.Header("Phase-Replay", "true")
	}
	return a.serve(c, phase, after)
}

// admit checks form, rights and identity of a task, in this order.
func (a *API) admit(ctx context.Context, caller authn.Caller, task *api.AgentTask) error {
	if err := checkTask(task); err != nil {
		return err
	}
	sent := task.Prompt // offsets of findings count the bytes as they were sent
	task.Prompt = norm.NFC.String(task.Prompt)
	if task.RequestType == api.AdminReq && !caller.HasRole(authn.RoleAdmin) {
		return authn.ErrForbidden
	}
	found := guard.At("prompt", a.Gate.Check(ctx, guard.Prompt, sent))
	found = append(found, guard.At("sessionId", a.Gate.Check(ctx, guard.Prompt, task.SessionID))...)
	if len(found) > 0 {
		return a.refused(ctx, guard.Refusal(a.link("add_identity", *task), found), *task)
	}
	return nil
}

// refused puts the refusal of an identity on record before the answer goes out.
func (a *API) refused(ctx context.Context, refusal error, task api.AgentTask) error {
	record := api.RecordRefusal{Action: "prompt.refused", ResourceType: "phase"}
	if isUUID(task.SeedPhase.PhaseID) {
		record.ResourceID = task.SeedPhase.PhaseID
	}
	if err := a.Cases.RecordRefusal(ctx, record); err != nil {
		return err
	}
	return refusal
}

func (a *API) link(action string, task api.AgentTask) string {
	name := "container"
	if task.ContainerType == api.ContainerCase {
		name = "case"
	}
	query := url.Values{}
	if isUUID(task.ContainerID) {
		query.Set(name, task.ContainerID)
	}
	if isUUID(task.SeedPhase.PhaseID) {
		query.Set("phase", task.SeedPhase.PhaseID)
	}
	link := strings.TrimRight(a.BrowserApp, "/") + "/i/" + action
	if len(query) > 0 {
		link += "?" + query.Encode()
	}
	return link
}

// begin has case-svc begin the phase or find it, and starts the run when this request is the one that must. replay is true when it is
// not.
func (a *API) begin(ctx context.Context, caller authn.Caller, task api.AgentTask) (phase api.Phase, replay bool, err error) {
	print, err := fingerprint(task)
	if err != nil {
		return api.Phase{}, false, err
	}
	giveBack, err := a.Runs.Reserve()
	if err != nil {
		// There is no place for another run, but whoever resumes one needs none.
		if there, missing := a.Cases.Phase(ctx, task.SeedPhase.PhaseID); missing == nil && there.RequestSHA256 == print && there.Status != api.PhaseInterrupted {
			return there, true, nil
		}
		return api.Phase{}, false, err
	}
	begun, err := a.Cases.BeginPhase(ctx, api.BeginPhase{
		PhaseID: task.SeedPhase.PhaseID, SessionID: task.SessionID, BranchID: task.SeedPhase.BranchID, ParentPhaseID: task.SeedPhase.ParentPhaseID,
		ContainerID: task.ContainerID, ContainerType: task.ContainerType, RequestType: task.RequestType, Prompt: task.Prompt, FileIDs: task.FileIDs,
		Fingerprint: print, Engine: runs.EngineOf(),
	})
	if err != nil || !begun.Run {
		giveBack()
		return begun.Phase, true, err
	}
	job := runs.Job{Key: keyOf(caller, begun.Phase.PhaseID), Phase: begun.Phase, Limit: timeOf(task), Sources: upstream.Nothing{}, Task: legal.Task{
		RequestType: task.RequestType, Prompt: task.Prompt, FileIDs: task.FileIDs, Container: begun.Container, Roles: caller.Roles, Now: a.Now(),
		Links: func(action string) string { return a.link(action, task) },
	}}
	if task.Options != nil {
		job.Task.Language = task.Options.Language
	}
	if begun.Container.ContainerType == api.ContainerCase {
		job.Sources = upstream.Case{Client: a.Cases, CaseID: begun.Container.ContainerID}
	}
	return begun.Phase, false, a.Runs.Start(ctx, job, giveBack)
}

func keyOf(caller authn.Caller, phaseID string) stream.Key {
	return stream.Key{Tenant: caller.Tenant, PhaseID: phaseID}
}

func (a *API) attach(c *gin.Context) error {
	if !accepts(c.GetHeader("Accept")) {
		return errNotAcceptable
	}
	ctx := c.Request.Context()
	caller := authn.CallerFrom(ctx)
	if !caller.May("cases:read") {
		return authn.ErrScope
	}
	if !isUUID(c.Param("phaseId")) {
		return errs.ErrNotFound
	}
	after, ok := stream.ParsePlace(c.Param("phaseId"), c.GetHeader("Last-Event-ID"))
	if !ok {
		return errPlace
	}
	phase, err := a.Cases.Phase(ctx, c.Param("phaseId"))
	if err != nil {
		return err
	}
	release, err := a.place(caller)
	if err != nil {
		return err
	}
	defer release()
	c.Header("Phase-Replay", "true")
	return a.serve(c, phase, after)
}

// serve streams the run from the log. Where the log has nothing any more, an ended phase is rebuilt from its record.
func (a *API) serve(c *gin.Context, phase api.Phase, after int) error {
	ctx := c.Request.Context()
	k := keyOf(authn.CallerFrom(ctx), phase.PhaseID)
	newest, there, err := a.Runs.Events.Newest(ctx, k)
	if err != nil {
		return err
	}
	if after > newest.Seq && (there || !runs.Ended(phase)) {
		after = 0 // a number that was never sent
	}
	if runs.Ended(phase) && !newest.Last {
		if _, err := a.Runs.Settle(ctx, k); err != nil { // the process may have died between the record and the last events
			return err
		}
		if newest, there, err = a.Runs.Events.Newest(ctx, k); err != nil {
			return err
		}
		if !there || !newest.Last {
			return a.rebuild(c, phase, after)
		}
	}
	if err = a.Streams.Serve(c.Writer, c.Request, k, after); errors.Is(err, stream.ErrMissing) {
		return a.rebuild(c, phase, after)
	}
	return err
}

func (a *API) rebuild(c *gin.Context, phase api.Phase, after int) error {
	if after > phase.Stream.EndSeq {
		after = 0
	}
	frames, err := runs.Rebuilt(phase, after, a.Now())
	if err != nil {
		return err
	}
	stream.Begin(c.Writer)
	text := []byte("retry: 2000\n\n")
	for _, f := range frames {
		text = append(text, f...)
	}
	_, _ = c.Writer.Write(text) // a reader who left comes back
	return nil
}

func (a *API) cancel(c *gin.Context) error {
	ctx := c.Request.Context()
	caller := authn.CallerFrom(ctx)
	if !caller.May("agent:run") {
		return authn.ErrScope
	}
	if !isUUID(c.Param("phaseId")) {
		return errs.ErrNotFound
	}
	phase, err := a.Cases.Phase(ctx, c.Param("phaseId"))
	if err != nil {
		return err
	}
	if phase.Status != api.PhaseRunning {
		return errOver.WithDetails(errs.Detail{From: phase.Status, To: api.PhaseCancelled})
	}
	if err := a.Cancel.Cancel(ctx, keyOf(caller, phase.PhaseID)); err != nil {
		return err
	}
	c.Status(http.StatusAccepted)
	c.Writer.WriteHeaderNow()
	return nil
}

// place counts the stream against the caller and against this process.
func (a *API) place(caller authn.Caller) (release func(), err error) {
	if a.Streams.Open.Load() >= int64(a.MaxStreams) {
		return nil, errStreamsFull
	}
	return a.Budget.Take(string(caller.Kind) + "|" + caller.Tenant + "|" + caller.ID())
}

// Budget bounds the streams of one caller at this process.
type Budget struct {
	Limit int
	mu    sync.Mutex
	open  map[string]int
}

var errTooManyStreams = errs.New(errs.TooMany, "too_many_streams", "You have as many streams open as you may. Read one to its end, or close it, before you open another.").WithRetryAfter(3 * time.Second)

// Take counts one stream of who; release ends it.
func (b *Budget) Take(who string) (release func(), err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.open == nil {
		b.open = map[string]int{}
	}
	if b.open[who] >= b.Limit {
		return nil, errTooManyStreams
	}
	b.open[who]++
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		if b.open[who]--; b.open[who] == 0 {
			delete(b.open, who)
		}
	}, nil
}
