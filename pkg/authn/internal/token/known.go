package token

import (
	"crypto/sha256"
	"sync"
)

// Known remembers what tokens were found to say, by the SHA-256 of the token and never the token itself. It belongs
// to one checker, and so to one issuer and one audience. Two generations bound it: what nobody asks for in the second
// goes. Refusals are not remembered. The zero value is ready for use.
type Known[V any] struct {
	mu       sync.Mutex
	now, old map[[sha256.Size]byte]V
}

// perGeneration bounds a generation of one checker. All three checkers of a gateway hold 20,000 tokens at most.
const perGeneration = 3333

// Get returns what the token of this sum was found to say.
func (v *Known[V]) Get(sum [sha256.Size]byte) (V, bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if found, ok := v.now[sum]; ok {
		return found, true
	}
	// What is asked for again moves to the present generation, so it survives the next change.
	found, ok := v.old[sum]
	if ok {
		v.put(sum, found)
	}

	return found, ok
}

// Add remembers what a token was found to say.
func (v *Known[V]) Add(sum [sha256.Size]byte, what V) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.put(sum, what)
}

// put adds an entry; v.mu is held.
func (v *Known[V]) put(sum [sha256.Size]byte, what V) {
	if v.now == nil || len(v.now) >= perGeneration {
		v.old, v.now = v.now, make(map[[sha256.Size]byte]V)
	}
	v.now[sum] = what
}

// Drop forgets a token.
func (v *Known[V]) Drop(sum [sha256.Size]byte) {
	v.mu.Lock()
	defer v.mu.Unlock()
	delete(v.now, sum)
	delete(v.old, sum)
}

// SumOf hashes a token, which is copied to the stack unless it is longer than any that we issue.
func SumOf(token string) [sha256.Size]byte {
	var room [2048]byte
	if len(token) > len(room) {
		return sha256.Sum256([]byte(token))
	}

	return sha256.Sum256(room[:copy(room[:], token)])
}
