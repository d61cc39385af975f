package tokens

import (
	"sync"

	"github.com/subrosa-legal/subrosa/auth-svc/internal/keys"
)

// mostOwners is how many keys a process remembers the users of, in two halves.
const mostOwners = 20_000

// owner is whose a key is. A key never changes hands.
type owner struct{ tenant, userID string }

// owners remember by the hash of a key whose it is, so that what is known of the user can be read beside the key. They
// say nothing of whether the key is good. The zero value is ready; it is safe for concurrent use.
type owners struct {
	mu          sync.Mutex
	young, aged map[string]owner
}

// of returns whose the key of a hash is, if that is remembered.
func (o *owners) of(hash string) (owner, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if found, ok := o.young[hash]; ok {
		return found, true
	}
	found, ok := o.aged[hash]

	return found, ok
}

// note remembers whose a key is.
func (o *owners) note(k keys.Key) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if _, known := o.young[k.Hash]; known {
		return
	}
	// The older half goes when the younger is full, which bounds the memory without a clock or a list.
	if o.young == nil || len(o.young) >= mostOwners/2 {
		o.young, o.aged = map[string]owner{}, o.young
	}
	o.young[k.Hash] = owner{k.Tenant, k.UserID}
}
