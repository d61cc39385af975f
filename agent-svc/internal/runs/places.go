package runs

import (
	"sync"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/errs"
)

// Limits bound the runs of a process.
type Limits struct {
	All    int // at once
	Caller int // of one caller at once
}

var (
	// ErrFull means that this process has as many runs as it may have, or that the tenant has its share of them while others want places.
	ErrFull = errs.New(errs.Unavailable, "unavailable", "This server has no place for another run at the moment. Send the same request again after the time in Retry-After.").WithRetryAfter(2 * time.Second)
	// ErrTooMany means that the caller has as many runs at work as it may have.
	ErrTooMany = errs.New(errs.TooMany, "too_many_streams", "You have as many runs at work as you may. Wait for one to end, or cancel one by DELETE /v1/agent/{phaseId}, before you start another.").WithRetryAfter(3 * time.Second)
)

// ErrApart means that this process keeps its places free: a run that is to be alone in it is there, or about to come.
var ErrApart = errs.New(errs.Unavailable, "unavailable", "This server is busy with a run that needs it for itself. "+
	"Send the same request again after the time in Retry-After.").WithRetryAfter(2 * time.Second)

// places gives out the places for runs. While half of them are free everybody gets one; from then on a tenant gets no more than an equal
// share of all, so that one that starts runs in a loop leaves room for the others.
type places struct {
	limits  Limits
	now     func() time.Time
	empty   func() // called when the last run has left
	mu      sync.Mutex
	taken   int
	tenants map[string]int
	callers map[string]int
	door    door
}

func newPlaces(limits Limits, now func() time.Time) *places {
	return &places{
		limits: limits, now: now, empty: func() {}, tenants: map[string]int{}, callers: map[string]int{},
		door: door{opened: make(chan struct{})},
	}
}

// take takes a place for a caller of a tenant; giving it back twice gives back one.
func (p *places) take(tenant, caller string) (giveBack func(), err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.door.shut(p.now()) {
		return nil, ErrApart
	}

	return p.grab(tenant, caller)
}

// grab takes a place whether the door is open or not; p.mu is held.
func (p *places) grab(tenant, caller string) (giveBack func(), err error) {
	caller = tenant + "|" + caller // ids of callers are unique within their tenant alone
	held := p.tenants[tenant]
	sharers := len(p.tenants)
	if held == 0 {
		sharers++
	}

	switch share := max(1, p.limits.All/sharers); {
	case p.callers[caller] >= p.limits.Caller:
		return nil, ErrTooMany
	case p.taken >= p.limits.All, sharers > 1 && p.taken >= p.limits.All/2 && held >= share:
		return nil, ErrFull
	}
	p.taken++
	p.tenants[tenant]++
	p.callers[caller]++

	return sync.OnceFunc(func() { p.giveBack(tenant, caller) }), nil
}

func (p *places) giveBack(tenant, caller string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.taken--
	less(p.tenants, tenant)
	less(p.callers, caller)
	if p.taken == 0 {
		p.empty()
	}
}

func less(holders map[string]int, who string) {
	if holders[who]--; holders[who] == 0 {
		delete(holders, who)
	}
}
