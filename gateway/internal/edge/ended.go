package edge

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/authn"
	"github.com/subrosa-legal/subrosa/pkg/departures"
)

const (
	endedPoll   = 30 * time.Second
	endedWindow = 65 * time.Minute // the longest life of a bearer, and slack
)

// EndedSource lists the agents that were disconnected lately.
type EndedSource interface {
	EndedAgents(ctx context.Context, since time.Time) (api.EndedAgents, error)
}

// Ended knows which agents were disconnected while bearers of theirs could still be alive. It closes their open streams
// at once, and those of browser sessions that were ended, told by Redis, and keeps their bearers dead even if a
// failover of Redis brings records back, told by auth-svc.
type Ended struct {
	source EndedSource
	rdb    redis.UniversalClient
	now    func() time.Time
	log    *slog.Logger

	members *departures.Watcher

	mu      sync.Mutex
	ended   map[string]time.Time
	streams map[string]*following // the newest call by the agent, the session or the member
}

// ongoing is a call that ends with any of its names.
type ongoing struct {
	cancel context.CancelCauseFunc
	under  [3]following // each name that is not ""
}

// following is a call under one of its names, between the calls that came before and after it.
type following struct {
	name        string
	call        *ongoing
	newer, past *following
}

// NewEnded returns an empty record; Watch fills it.
func NewEnded(source EndedSource, rdb redis.UniversalClient, now func() time.Time, log *slog.Logger) *Ended {
	e := &Ended{
		source:  source,
		rdb:     rdb,
		now:     now,
		log:     log,
		ended:   map[string]time.Time{},
		streams: map[string]*following{},
	}
	e.members = departures.New(rdb, log, e.close)

	return e
}

// Left reports whether the firm has ended the access of the member for whom a caller acts.
func (e *Ended) Left(caller access.Caller) bool {
	name := access.MemberOf(caller)
	return name != "" && e.members.Gone(name)
}

// Has reports whether the agent was disconnected.
func (e *Ended) Has(agentID string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	_, ok := e.ended[agentID]

	return ok
}

// Follow returns a context that ends, for the cause access.ErrUnauthenticated, when caller is an agent that is
// disconnected, came with a session, named as SessionOf does, that is ended, or acts for a member whose access the firm
// ends. The caller of Follow calls release at the end.
func (e *Ended) Follow(
	ctx context.Context,
	caller access.Caller,
	session string,
) (followed context.Context, release func()) {
	member := access.MemberOf(caller)
	if session == "" && member == "" && caller.AgentID == "" {
		return ctx, func() {}
	}
	ctx, cancel := context.WithCancelCause(ctx)

	call := &ongoing{cancel: cancel}
	// An array and not a map: this runs for every call, and allocates nothing but the call itself.
	for i, name := range [...]string{session, member, caller.AgentID} {
		call.under[i] = following{name: name, call: call}
	}
	// Registered before Gone is asked, so that a departure between the two is seen by one of them.
	if e.register(call) || member != "" && e.members.Gone(member) {
		cancel(access.ErrUnauthenticated)
	}

	return ctx, func() {
		cancel(nil)
		e.forget(call)
	}
}

// register enters a call under its names, and reports whether an agent of these has ended already.
func (e *Ended) register(call *ongoing) (ended bool) {
	e.mu.Lock()
	defer e.mu.Unlock()

	for i := range call.under {
		f := &call.under[i]
		if f.name == "" {
			continue
		}
		if f.past = e.streams[f.name]; f.past != nil {
			f.past.newer = f
		}
		e.streams[f.name] = f
		_, already := e.ended[f.name]
		ended = ended || already
	}

	return ended
}

// forget takes a call out. Doing that again changes nothing.
func (e *Ended) forget(call *ongoing) {
	e.mu.Lock()
	defer e.mu.Unlock()
	under := call.under
	// Emptied, so that a second call of forget finds nothing to do.
	call.under = [3]following{}

	for i := range under {
		f := &under[i]
		if f.name == "" {
			continue
		}
		if f.past != nil {
			f.past.newer = f.newer
		}

		switch {
		case f.newer != nil:
			f.newer.past = f.past
		case f.past != nil:
			e.streams[f.name] = f.past
		default:
			delete(e.streams, f.name)
		}
	}
}

// cut ends the calls under a name; e.mu is held.
func (e *Ended) cut(name string) {
	for f := e.streams[name]; f != nil; f = f.past {
		f.call.cancel(access.ErrUnauthenticated)
	}
}

// Watch follows disconnections and departures until ctx ends.
func (e *Ended) Watch(ctx context.Context) {
	var beside sync.WaitGroup
	defer beside.Wait()

	beside.Go(func() { e.members.Watch(ctx) })

	// go-redis subscribes again by itself after a lost connection.
	told := e.rdb.Subscribe(ctx, authn.EndedChannel, authn.SessionsEndedChannel)
	defer func() { _ = told.Close() }()
	messages := told.Channel()

	tick := time.NewTicker(endedPoll)
	defer tick.Stop()
	e.ask(ctx)

	for {
		select {
		case <-ctx.Done():
			return
		case m, ok := <-messages:
			if !ok {
				return
			}
			// Only agents are remembered: a session has a record, whose absence is enough.
			if m.Channel == authn.SessionsEndedChannel {
				e.close(m.Payload)
			} else {
				e.end(m.Payload)
			}
		case <-tick.C:
			e.ask(ctx)
		}
	}
}

func (e *Ended) ask(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	list, err := e.source.EndedAgents(ctx, e.now().Add(-endedWindow))
	if err != nil {
		// At the end of the process the call breaks off, which is no news.
		if ctx.Err() == nil {
			e.log.WarnContext(ctx, "cannot learn which agents were disconnected", "err", err)
		}

		return
	}

	for _, id := range list.AgentIDs {
		e.end(id)
	}
	e.mu.Lock()
	defer e.mu.Unlock()

	for id, at := range e.ended {
		if e.now().Sub(at) > endedWindow {
			delete(e.ended, id)
		}
	}
}

func (e *Ended) end(agentID string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	// The first moment counts, or every poll would keep the entry alive.
	if _, known := e.ended[agentID]; !known {
		e.ended[agentID] = e.now()
	}

	e.cut(agentID)
}

// close closes the streams of a session or a member. Nothing is remembered here: the record of a session is gone
// already, and the user may sign in again; departures are remembered by their own record.
func (e *Ended) close(name string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.cut(name)
}
