package runs

import (
	"context"
	"sync"
	"time"
)

// Times of the door to the places of a process.
const (
	// mostDrain is how long no new run gets in while one that is to be alone waits for the others to end. It bounds how
	// long a process refuses runs for the sake of one that may then have to share it all the same.
	mostDrain = 10 * time.Second
	// drainAgain is when it is tried again, counted from the first try.
	drainAgain = 30 * time.Second
	// atTheDoor is how long a request waits for the door to open before it is told to come again.
	atTheDoor = 5 * time.Second
)

// door keeps new runs out of a process while a run is to be alone in it. Whoever waited at the door when it opens gets
// in before it may be shut again, so runs that are to be alone do not keep the others out for good. Its fields are
// under the lock of the places.
type door struct {
	alone    *struct{}     // the run that is alone; nil for none
	draining time.Time     // since when the door is shut for one that is to be alone; zero for none
	opened   chan struct{} // closed when the door opens
	waiting  int           // at the door
	owed     int           // those who waited when it opened, and have not come in yet
}

func (d *door) shut(now time.Time) bool {
	return d.alone != nil || !d.draining.IsZero() && now.Sub(d.draining) < mostDrain
}

// open lets in who waits.
func (d *door) open() {
	d.draining = time.Time{}
	d.owed += d.waiting
	d.waiting = 0
	close(d.opened)
	d.opened = make(chan struct{})
}

// enter takes a place, and waits for a while if the door is shut.
func (p *slots) enter(ctx context.Context, tenant, caller string) (giveBack func(), err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.door.shut(p.now()) {
		return p.grab(tenant, caller)
	}
	opened := p.door.opened
	p.door.waiting++
	// The lock is not held while waiting: those inside have to take it in order to leave.
	p.mu.Unlock()

	patience := time.NewTimer(atTheDoor)
	defer patience.Stop()
	select {
	case <-opened:
	case <-patience.C:
	case <-ctx.Done():
	}
	p.mu.Lock()

	// The door may have opened at the same moment as the time ran out. Whoever was counted as owed comes in, or the
	// door would wait for it for ever.
	select {
	case <-opened:
		p.door.owed--
		return p.grab(tenant, caller)
	default:
		p.door.waiting--
		return nil, ErrApart
	}
}

// drain keeps new runs out and reports whether the others have left, so that one can be alone. The door stays shut
// until that one has come and gone, reopen is called, or mostDrain is over.
func (p *slots) drain() (empty bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	// Those who waited when the door opened come in first, so runs that are to be alone take turns with them.
	if p.door.owed > 0 || p.door.alone != nil {
		return false
	}
	if now := p.now(); p.door.draining.IsZero() || now.Sub(p.door.draining) >= drainAgain {
		p.door.draining = now
	}

	return p.taken == 0
}

// reopen ends drain when nobody is to be alone after all.
func (p *slots) reopen() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.door.alone == nil && !p.door.draining.IsZero() {
		p.door.open()
	}
}

// AtTheDoor is how many new runs wait for one that is alone.
func (r *Runs) AtTheDoor() int {
	r.slots.mu.Lock()
	defer r.slots.mu.Unlock()

	return r.slots.door.waiting
}

// takeAlone takes a place when all others are free, and keeps everybody out until the place is given back or share is
// called. ok is false when others are there.
func (p *slots) takeAlone(tenant, caller string) (giveBack, share func(), ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.taken > 0 || p.door.alone != nil || p.door.owed > 0 {
		return nil, nil, false
	}
	leave, err := p.grab(tenant, caller)
	if err != nil {
		return nil, nil, false
	}
	mine := &struct{}{}
	p.door.alone = mine
	// The run may share the process first and end later; the door must open once.
	share = sync.OnceFunc(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.door.alone = nil
		p.door.open()
	})

	return func() { share(); leave() }, share, true
}

// takeBeside takes a place for a run that would be alone, in the company of others.
func (p *slots) takeBeside(tenant, caller string) (giveBack func(), err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.door.alone != nil {
		return nil, ErrApart
	}

	return p.grab(tenant, caller)
}
