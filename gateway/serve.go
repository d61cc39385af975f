package gateway

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/gateway/internal/bodies"
	"github.com/subrosa-legal/subrosa/gateway/internal/edge"
	"github.com/subrosa-legal/subrosa/gateway/internal/proxy"
	"github.com/subrosa-legal/subrosa/gateway/internal/routes"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
	"github.com/subrosa-legal/subrosa/pkg/places"
)

// serve takes one request through the steps in their fixed order: who calls, may they, how often, what do they send,
// is there a place, and on to what answers. Nothing that others wait for is held while the body comes.
func (d *door) serve(c *gin.Context, route routes.Route) error {
	caller, name, err := d.admit(c, &route)
	ctx := c.Request.Context()
	// Whoever was refused by a limit is known all the same, and the record of the refusal names them.
	if name != "" {
		ctx = access.WithCaller(ctx, caller, "")
	}
	if err != nil {
		c.Request = c.Request.WithContext(ctx)
		return err
	}

	// From here on a disconnection or a sign-out ends the request at once.
	ctx, release := d.ended.Follow(ctx, caller, edge.SessionOf(c))
	defer release()
	defer func() {
		if errors.Is(context.Cause(ctx), access.ErrUnauthenticated) {
			edge.NoteDisconnected(c)
		}
	}()
	c.Request = c.Request.WithContext(ctx)

	leave, err := d.enter(c, route, places.Who{Tenant: caller.Tenant, Caller: name})
	if err != nil {
		return err
	}
	defer leave()

	switch route.Body {
	case routes.Stream:
		defer d.endWithDraining(c, 0)()
	// What reads or writes is done after the time of a call; what only waits can be asked for again.
	case routes.Tool:
		defer d.endWithDraining(c, d.call)()
	}
	if route.Upstream == routes.Edge {
		err := d.own[route.Path](c)
		if err != nil && errors.Is(context.Cause(ctx), access.ErrUnauthenticated) {
			// The agent was disconnected, or the browser signed out, meanwhile.
			return access.ErrUnauthenticated
		}

		return err
	}
	if route.Body == routes.Tool {
		return d.tools.Serve(c, route, caller)
	}

	return d.proxies[route.Upstream].Serve(c, route, caller)
}

// admit finds out who calls, by what name they are counted, and whether they may call and may do so now. The name is ""
// where nobody knows who calls.
func (d *door) admit(c *gin.Context, route *routes.Route) (caller access.Caller, name string, err error) {
	ctx, ahead := d.limits.Ahead(c.Request.Context(), route.Limit)
	caller, err = d.auth.Authenticate(ctx, c, route)
	if err != nil {
		return access.Caller{}, "", d.unknown(c, route, err)
	}
	name = d.counted(c, caller, ahead)

	return caller, name, d.limits.Count(c, route.Limit, name, ahead)
}

// unknown returns the answer to somebody whose credential was not taken.
func (d *door) unknown(c *gin.Context, route *routes.Route, err error) error {
	edge.NoteUnauthenticated(c, err)
	if !errors.Is(err, access.ErrUnauthenticated) && !errors.Is(err, access.ErrSuspended) {
		return err
	}
	// Whoever has no valid credential is counted by address, or guessing would be free.
	if limited := d.limits.Count(c, routes.LimitAddress, edge.AddressKey(c.ClientIP()), nil); limited != nil {
		return limited
	}
	if route.Access == routes.Application && !errors.Is(err, access.ErrSuspended) {
		return edge.Challenge(c, d.base, d.scopes)
	}

	return err
}

// enter reads the body of a request and takes a place for it among the calls in flight. Uploads are read by the
// service that checks them, and streams have places of their own. What it returns gives both back.
func (d *door) enter(c *gin.Context, route routes.Route, who places.Who) (leave func(), err error) {
	if err := edge.BodyAsItIs(c); err != nil {
		return nil, err
	}
	if route.Body == routes.Upload {
		return func() {}, nil
	}
	limit := route.Body.Limit()
	// Refused by what it announces, before a byte of it is read.
	if c.Request.ContentLength > limit {
		return nil, proxy.TooBig(limit)
	}

	err = d.room.Read(c.Request.Context(), c.Writer, c.Request, who.Tenant+"|"+who.Caller, limit, d.call)
	switch {
	case errors.Is(err, bodies.ErrTooLarge):
		return nil, proxy.TooBig(limit)
	case err != nil && errors.Is(context.Cause(c.Request.Context()), access.ErrUnauthenticated):
		// The agent was disconnected meanwhile.
		return nil, access.ErrUnauthenticated
	// The context tells nothing here: the server ends it also when a body comes too slowly.
	case err != nil:
		return nil, err
	}
	body := c.Request.Body
	giveBack, err := d.place(route, who)
	if err != nil {
		bodies.LetGo(body)
		// A caller of many connections must not keep those that it has no place for: each costs memory.
		if edge.OwnConnection(c) {
			c.Header("Connection", "close")
		}

		return nil, err
	}

	return func() { bodies.LetGo(body); giveBack() }, nil
}

// errTooManyDownloads refuses a caller who has as many downloads open as one may have.
var errTooManyDownloads = errs.New(
	errs.TooMany,
	"too_many_downloads",
	"You have as many downloads open as you may. Read one to its end, or close it, before you open another.",
).WithRetryAfter(time.Second)

// place takes the place that a request needs: calls have theirs among those in flight, downloads among downloads. These
// last as long as their readers take, so among the calls a few slow readers could take every place. What the gateway
// sends from its own memory, streams and tools need none here.
func (d *door) place(route routes.Route, who places.Who) (giveBack func(), err error) {
	var from *places.Places

	switch {
	case route.Body == routes.Small || route.Body == routes.Form:
		from = d.places
	case route.Body == routes.Download && route.Upstream != routes.Edge:
		from = d.downloads
	default:
		return func() {}, nil
	}
	giveBack, err = from.Take(who)
	if errors.Is(err, places.ErrTooMany) {
		return nil, errTooManyDownloads
	}
	if err != nil {
		return nil, httpx.ErrBusy
	}

	return giveBack, nil
}

// endWithDraining has the request end some time after the process began to drain, at a moment of its own, so that not
// all readers come back at once. It costs an idle stream nothing. What it returns releases it.
func (d *door) endWithDraining(c *gin.Context, after time.Duration) func() {
	ctx, cancel := context.WithCancel(c.Request.Context())
	c.Request = c.Request.WithContext(ctx)
	stop := context.AfterFunc(d.draining, func() {
		time.AfterFunc(after+rand.N(max(d.stagger, 1)), cancel) //nolint:gosec // spreading load needs no secrecy
	})

	return func() { stop(); cancel() }
}

func (d *door) counted(c *gin.Context, caller access.Caller, ahead *edge.Ahead) string {
	if caller.Kind == access.Public {
		return edge.AddressKey(c.ClientIP())
	}

	return ahead.KeyOf(caller)
}
