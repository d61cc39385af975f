package runs

import (
	"sync"
	"time"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/stream"
	"github.com/subrosa-legal/subrosa/pkg/api"
)

// mostSuspects is how many suspects a process has at most. It bounds how many runs one of them can take with it, and
// so how many need a last attempt of their own afterwards.
const mostSuspects = 8

// isolation keeps runs apart that were interrupted before. Any of them may have killed the process that it shared with
// the others, so a run that is taken up is a suspect until it has ended, or has lived for as long as its last attempt
// did. A process has a few suspects at once. A last attempt is alone: new runs are kept out as well, so if the process
// dies then, it was the run's own doing, and if it does not, the run comes through whatever else is sent. Runs wait for
// that in the order in which they were interrupted, for a bounded time.
type isolation struct {
	longest time.Duration // that a run waits, and that it is a suspect
	now     func() time.Time
	left    chan struct{} // has an element when a suspect has gone since the last look
	slots   *slots

	mu     sync.Mutex
	due    []api.OpenPhase // that may be taken up, the longest interrupted first
	inside map[stream.Key]*suspicion
}

// suspicion is about a run in this process.
type suspicion struct {
	last    bool          // this is its last attempt
	life    time.Duration // for how long it is a suspect
	running bool          // the run has begun here
}

func newIsolation(longest time.Duration, now func() time.Time, slots *slots) *isolation {
	return &isolation{
		longest: longest,
		now:     now,
		slots:   slots,
		left:    make(chan struct{}, 1),
		inside:  map[stream.Key]*suspicion{},
	}
}

// await sets the runs that may be taken up, in their order.
func (i *isolation) await(due []api.OpenPhase) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.due = due
}

// admit takes those runs out of the line that may begin now. Each is a suspect from now on. While the first that stays
// in line is to be alone, no new run gets in.
func (i *isolation) admit() []api.OpenPhase {
	i.mu.Lock()
	defer i.mu.Unlock()
	n := 0

	for ; n < len(i.due) && i.fits(i.due[n]); n++ {
		p := i.due[n]
		i.inside[keyOf(p)] = &suspicion{last: p.Last, life: i.life(p)}
	}
	// The capacity ends with the slice, so appending to it cannot write over those still in line.
	admitted := i.due[:n:n]
	i.due = i.due[n:]
	// Nobody else will open a door that was shut for a run which has left the line meanwhile.
	if n == 0 && (len(i.due) == 0 || !i.due[0].Last) {
		i.slots.reopen()
	}

	return admitted
}

// life is for how long a run is a suspect.
func (i *isolation) life(p api.OpenPhase) time.Duration {
	if p.Last && p.AloneMs > 0 {
		return time.Duration(p.AloneMs) * time.Millisecond
	}

	return min(p.Since.Sub(p.StartedAt.Time), i.longest)
}

func (i *isolation) fits(p api.OpenPhase) bool {
	// A run that has waited as long as any may goes in whatever it may do to its neighbours.
	if i.now().Sub(p.Since.Time) >= i.longest {
		return true
	}
	if p.Last {
		return len(i.inside) == 0 && i.slots.drain()
	}

	for _, s := range i.inside {
		if s.last {
			return false
		}
	}

	return len(i.inside) < mostSuspects
}

// begins notes that the run of a suspect has begun here. When it is none any more, others may be beside it; stop ends
// the wait for that.
func (i *isolation) begins(k stream.Key, at Slot) (stop func() bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	s := i.inside[k]
	if s == nil {
		return func() bool { return true }
	}
	s.running = true
	timer := time.AfterFunc(s.life, func() {
		if at.share != nil {
			at.share()
		}
		i.clear(k, s)
	})

	return timer.Stop
}

// ends notes that a run has ended here.
func (i *isolation) ends(k stream.Key) {
	i.mu.Lock()
	s := i.inside[k]
	i.mu.Unlock()
	i.clear(k, s)
}

// drop clears a run that did not begin here after all.
func (i *isolation) drop(k stream.Key) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if s := i.inside[k]; s != nil && !s.running {
		delete(i.inside, k)
	}
}

// clear ends a suspicion, and says that others may begin.
func (i *isolation) clear(k stream.Key, s *suspicion) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if s == nil || i.inside[k] != s {
		return
	}
	delete(i.inside, k)
	i.signal()
}

// signal says that others may be able to begin.
// One pending signal is enough: whoever reads it looks at the whole line.
func (i *isolation) signal() {
	select {
	case i.left <- struct{}{}:
	default:
	}
}

func keyOf(p api.OpenPhase) stream.Key { return stream.Key{Tenant: p.Tenant, PhaseID: p.PhaseID} }
