// Package places gives out the places of one process for work that is done at once, so that nobody who asks for many
// keeps the others from theirs. What it counts holds for its process alone: a service of three replicas has three times
// as many.
package places

import (
	"errors"
	"sync"
	"sync/atomic"
)

// Limits bound what is at work at once.
type Limits struct {
	All    int // together; a quarter of them is kept for callers who are known
	Caller int // of one caller; 0 means no bound of its own
}

// Who asks for a place.
type Who struct {
	// Tenant is the firm of a known caller. It is empty for one without a valid credential, who counts by the network
	// that the request comes from.
	Tenant string
	Caller string // a caller within the tenant, or the network
}

var (
	// ErrFull means that all places are taken, or that the caller or its tenant has its share while others want theirs.
	ErrFull = errors.New("no place is free")
	// ErrTooMany means that the caller has as many as one may have.
	ErrTooMany = errors.New("the caller has as many places as one may have")
)

// Places is safe for concurrent use.
type Places struct {
	limits Limits

	mu     sync.Mutex
	known  holders            // by tenant
	firms  map[string]holders // the callers of each tenant
	empty  []holders          // of tenants who had some, for whoever comes next
	public holders            // by network
}

// holders counts the places of those who share a number of them.
type holders struct {
	taken int
	of    map[string]int
}

// New returns places of which none is taken.
func New(limits Limits) *Places {
	return &Places{limits: limits, known: none(), public: none(), firms: map[string]holders{}}
}

// mostEmpty bounds what is kept for whoever comes next.
const mostEmpty = 64

func none() holders { return holders{of: map[string]int{}} }

// Take takes a place until giveBack is called; a second call of giveBack does nothing. While half of the places are
// free everybody gets one. From then on no tenant gets more than an equal share of what tenants may have, no caller
// more than an equal share of its tenant's, and no network more than an equal share of what is left to those who are
// not known. An eighth is in nobody's share: it is for whoever comes next. Its errors are ErrFull and ErrTooMany. It
// never waits.
func (p *Places) Take(who Who) (giveBack func(), err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	firm := p.firm(who.Tenant)
	held := firm.of[who.Caller]
	if p.limits.Caller > 0 && held >= p.limits.Caller {
		return nil, ErrTooMany
	}
	if taken := p.known.taken + p.public.taken; taken >= p.limits.All {
		return nil, ErrFull
	} else if taken >= p.limits.All/2 && !p.fair(who, firm) {
		return nil, ErrFull
	}
	if who.Tenant == "" && p.public.taken >= p.open() {
		return nil, ErrFull
	}

	if who.Tenant == "" {
		p.public.add(who.Caller)
	} else {
		p.known.add(who.Tenant)
		firm.add(who.Caller)
		p.firms[who.Tenant] = firm
	}

	var given atomic.Bool

	return func() {
		if given.CompareAndSwap(false, true) {
			p.giveBack(who)
		}
	}, nil
}

// open is how many places those may have together who are not known.
func (p *Places) open() int { return p.limits.All - p.limits.All/4 }

// firm returns the holders that a caller is one of.
func (p *Places) firm(tenant string) holders {
	if tenant == "" {
		return p.public
	}
	if firm, ok := p.firms[tenant]; ok {
		return firm
	}
	if n := len(p.empty); n > 0 {
		firm := p.empty[n-1]
		p.empty = p.empty[:n-1]

		return firm
	}

	return none()
}

// fair reports whether one more place leaves everybody an equal share.
func (p *Places) fair(who Who, firm holders) bool {
	if who.Tenant == "" {
		return firm.within(who.Caller, p.open())
	}
	share := p.known.share(who.Tenant, p.limits.All-p.public.taken)

	return p.known.of[who.Tenant] < share && firm.within(who.Caller, share)
}

// share is what each of those who hold places or want one may have of all of them, less an eighth: at least one.
func (h holders) share(who string, all int) int {
	sharers := len(h.of)
	if h.of[who] == 0 {
		sharers++
	}

	return max(1, (all-all/8)/sharers)
}

func (h holders) within(who string, all int) bool { return h.of[who] < h.share(who, all) }

func (h *holders) add(who string) {
	h.taken++
	h.of[who]++
}

func (h *holders) remove(who string) {
	h.taken--
	if h.of[who]--; h.of[who] == 0 {
		delete(h.of, who)
	}
}

func (p *Places) giveBack(who Who) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if who.Tenant == "" {
		p.public.remove(who.Caller)
		return
	}

	p.known.remove(who.Tenant)
	firm := p.firms[who.Tenant]
	if firm.remove(who.Caller); firm.taken == 0 {
		delete(p.firms, who.Tenant)
		if len(p.empty) < mostEmpty {
			p.empty = append(p.empty, firm)
		}
	} else {
		p.firms[who.Tenant] = firm
	}
}
