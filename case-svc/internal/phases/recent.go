package phases

import "sync"

// Bounds of what a process remembers. What is forgotten is read once more.
const (
	mostBegun    = 512
	mostSessions = 10_000
)

// Recent is what a process remembers of phases that it has begun: each as it was stored, with its branch as it was
// then, and whose sessions are. Phases and branches are replaced by their version, so what is out of date here is found
// out and read anew; a session never changes hands. A nil Recent remembers nothing.
type Recent struct {
	mu       sync.Mutex
	begun    map[string]begunOn // by tenant/phase
	sessions map[string]string  // by tenant/session, the user
}

type begunOn struct {
	phase  Phase
	branch Branch
}

// NewRecent returns a memory that holds nothing yet.
func NewRecent() *Recent {
	return &Recent{begun: map[string]begunOn{}, sessions: map[string]string{}}
}

// keep remembers p, as it is stored, and the branch that it has claimed.
func (r *Recent) keep(p Phase, on Branch) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	makeRoom(r.begun, mostBegun)
	r.begun[p.Tenant+"/"+p.ID] = begunOn{p, on}
}

// of returns a phase and its branch as this process knows them.
func (r *Recent) of(tenant, phaseID string) (p Phase, on Branch, ok bool) {
	if r == nil {
		return Phase{}, Branch{}, false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	known, ok := r.begun[tenant+"/"+phaseID]

	return known.phase, known.branch, ok
}

func (r *Recent) forget(tenant, phaseID string) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.begun, tenant+"/"+phaseID)
}

// bound remembers whose session it is.
func (r *Recent) bound(s Session) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	makeRoom(r.sessions, mostSessions)
	r.sessions[s.Tenant+"/"+s.ID] = s.UserID
}

// userOf returns the user of a session, "" when this process does not know.
func (r *Recent) userOf(tenant, sessionID string) string {
	if r == nil {
		return ""
	}
	r.mu.Lock()
	defer r.mu.Unlock()

	return r.sessions[tenant+"/"+sessionID]
}

// makeRoom drops any entry of a map that is full.
func makeRoom[V any](m map[string]V, most int) {
	for name := range m {
		if len(m) < most {
			return
		}
		// Any entry will do: what is forgotten here is read from the store.
		delete(m, name)
	}
}
