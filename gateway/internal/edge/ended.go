package edge

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/authn"
)

const (
	endedPoll   = 30 * time.Second
	endedWindow = 65 * time.Minute // the longest life of a bearer, and slack
)

// EndedSource lists the agents that were disconnected lately.
type EndedSource interface {
	EndedAgents(ctx context.Context, since time.Time) (api.EndedAgents, error)
}

// Ended knows which agents were disconnected while bearers of theirs could still be alive. It closes their open streams at once, and those of
// browser sessions that were ended, told by Redis, and keeps their bearers dead even if a failover of Redis brings records back, told by auth-svc.
type Ended struct {
	source EndedSource
	rdb    redis.UniversalClient
	now    func() time.Time
	log    *slog.Logger

	members *authn.Departures

	mu      sync.Mutex
	ended   map[string]time.Time
	streams map[string]map[*stream]struct{} // by the agent, the session or the member
}

type stream struct{ cancel func() }

// NewEnded returns an empty record; Watch fills it.
func NewEnded(source EndedSource, rdb redis.UniversalClient, now func() time.Time, log *slog.Logger) *Ended {
	e := &Ended{
		source:  source,
		rdb:     rdb,
		now:     now,
		log:     log,
		ended:   map[string]time.Time{},
		streams: map[string]map[*stream]struct{}{},
	}
	e.members = authn.NewDepartures(rdb, log, e.close)

	return e
}

// Left reports whether the firm has ended the access of the member for whom a caller acts.
func (e *Ended) Left(caller authn.Caller) bool {
	name := authn.MemberOf(caller)
	return name != "" && e.members.Gone(name)
}

// Has reports whether the agent was disconnected.
func (e *Ended) Has(agentID string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	_, ok := e.ended[agentID]

	return ok
}

// Follow returns a context that ends, for the cause authn.ErrUnauthenticated, when caller is an agent that is
// disconnected, came with a session, named as SessionOf does, that is ended, or acts for a member whose access the firm
// ends. The caller of Follow calls release at the end.
func (e *Ended) Follow(
	ctx context.Context,
	caller authn.Caller,
	session string,
) (followed context.Context, release func()) {
	var names []string

	for _, name := range []string{session, authn.MemberOf(caller), caller.AgentID} {
		if name != "" {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return ctx, func() {}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	s := &stream{func() { cancel(authn.ErrUnauthenticated) }}
	if e.register(names, s) || e.Left(caller) {
		s.cancel()
	}

	return ctx, func() {
		cancel(nil)
		e.forget(names, s)
	}
}

// register enters a stream under its names, and reports whether an agent of these has ended already.
func (e *Ended) register(names []string, s *stream) (ended bool) {
	e.mu.Lock()
	defer e.mu.Unlock()

	for _, name := range names {
		if e.streams[name] == nil {
			e.streams[name] = map[*stream]struct{}{}
		}
		e.streams[name][s] = struct{}{}
		_, already := e.ended[name]
		ended = ended || already
	}

	return ended
}

func (e *Ended) forget(names []string, s *stream) {
	e.mu.Lock()
	defer e.mu.Unlock()

	for _, name := range names {
		delete(e.streams[name], s)
		if len(e.streams[name]) == 0 {
			delete(e.streams, name)
		}
	}
}

// Watch follows disconnections and departures until ctx ends.
func (e *Ended) Watch(ctx context.Context) {
	var following sync.WaitGroup
	defer following.Wait()

	following.Go(func() { e.members.Watch(ctx) })
	told := e.rdb.Subscribe(ctx, authn.EndedChannel, authn.SessionsEndedChannel) // go-redis subscribes again after a lost connection
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
	if _, known := e.ended[agentID]; !known {
		e.ended[agentID] = e.now()
	}

	for s := range e.streams[agentID] {
		s.cancel()
	}
}

// close closes the streams of a session or a member. Nothing is remembered here: the record of a session is gone
// already, and the user may sign in again; departures are remembered by their own record.
func (e *Ended) close(name string) {
	e.mu.Lock()
	defer e.mu.Unlock()

	for s := range e.streams[name] {
		s.cancel()
	}
}
