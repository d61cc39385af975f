package runs

import (
	"errors"
	"sync"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/places"
)

// Limits bound the runs of a process.
type Limits struct {
	All    int // at once
	Caller int // of one caller at once
}

var (
	// ErrFull means that this process has as many runs as it may have, or that the tenant has its share of them while
	// others want places.
	ErrFull = errs.New(
		errs.Unavailable,
		"unavailable",
		"This server cannot start another run right now. Send the same request again after the time in Retry-After.",
	).WithRetryAfter(2 * time.Second)
	// ErrTooMany means that the caller has as many runs at work as it may have.
	ErrTooMany = errs.New(
		errs.TooMany,
		"too_many_streams",
		"You have reached your limit of running phases. Wait for one to end, "+
			"or cancel one with DELETE /v1/agent/{phaseId}, before you start another.",
	).WithRetryAfter(3 * time.Second)
)

// ErrApart means that this process keeps its places free: a run that is to be alone in it is there, or about to come.
var ErrApart = errs.New(errs.Unavailable, "unavailable", "This server is busy with a run that needs it for itself. "+
	"Send the same request again after the time in Retry-After.").WithRetryAfter(2 * time.Second)

// slots gives out the places for runs, by the shares of pkg/places, at a door that keeps all others out while a run is
// to be alone.
type slots struct {
	shared *places.Places
	now    func() time.Time
	empty  func() // called when the last run has left

	mu    sync.Mutex
	taken int
	door  door
}

func newSlots(limits Limits, now func() time.Time) *slots {
	return &slots{
		shared: places.New(places.Limits{All: limits.All, Caller: limits.Caller}),
		now:    now,
		empty:  func() {},
		door:   door{opened: make(chan struct{})},
	}
}

// take takes a place for a caller of a tenant; giving it back twice gives back one.
func (p *slots) take(tenant, caller string) (giveBack func(), err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.door.shut(p.now()) {
		return nil, ErrApart
	}

	return p.grab(tenant, caller)
}

// grab takes a place whether the door is open or not; p.mu is held.
func (p *slots) grab(tenant, caller string) (giveBack func(), err error) {
	shared, err := p.shared.Take(places.Who{Tenant: tenant, Caller: caller})
	if errors.Is(err, places.ErrTooMany) {
		return nil, ErrTooMany
	}
	if err != nil {
		return nil, ErrFull
	}
	// A run may give its place back both at its end and at a failed start; it counts once.
	p.taken++

	return sync.OnceFunc(func() { shared(); p.left() }), nil
}

// left notes that a run has left.
func (p *slots) left() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.taken--; p.taken == 0 {
		p.empty()
	}
}
