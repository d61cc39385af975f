// Package keys holds the rules of agents' API keys: made once, shown once, kept as hashes, and ended with their agent.
package keys

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/authn"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/instant"
)

// Key is what is kept of an API key.
type Key struct {
	Hash       string // names the key; the key itself is never kept
	Tenant     string
	AgentID    string
	UserID     string
	Roles      []string // of the session that issued the registration token
	Hint       string   // prefix and last four characters, for display
	CreatedAt  time.Time
	LastUsedAt time.Time // zero when never
	Version    int
}

// Ended says that an agent was disconnected.
type Ended struct {
	Tenant  string
	AgentID string
	At      time.Time
}

// Failures of this domain.
var (
	ErrUnknown = errs.New(
		errs.Unauthenticated,
		"invalid_api_key",
		"This API key is not valid. Check that it was copied whole, "+
			"or connect the agent again with a new registration token.",
	)
	// ErrExpired is ErrUnknown for a key whose time has passed. Whoever has it may know.
	ErrExpired = ErrUnknown.WithMessage("This API key has expired. Ask the user to connect the agent again.")
	ErrEnded   = errs.New(
		errs.Conflict, "agent_ended", "This agent was disconnected and cannot get a key again. Connect a new agent.",
	)
)

// Store keeps keys and the record of ended agents.
type Store interface {
	// Insert saves a key.
	Insert(ctx context.Context, k Key) error
	// Find returns the key with this hash, or ErrUnknown.
	Find(ctx context.Context, hash string) (Key, error)
	// Touch notes when a key was used, or returns ErrUnknown when it is there no more. Losing against another writer is
	// not an error.
	Touch(ctx context.Context, k Key, at time.Time) error
	// OfAgent returns the agent's keys.
	OfAgent(ctx context.Context, tenant, agentID string) ([]Key, error)
	// OfUser returns the keys of a user's agents in a tenant.
	OfUser(ctx context.Context, tenant, userID string) ([]Key, error)
	// Delete removes a key; a missing one is no error.
	Delete(ctx context.Context, hash string) error
	// End records that an agent ended; the first record stays.
	End(ctx context.Context, e Ended) error
	// HasEnded reports whether the agent is on record as ended.
	HasEnded(ctx context.Context, tenant, agentID string) (bool, error)
	// Retire remembers whose key had this hash, after it has ended. An earlier record stays.
	Retire(ctx context.Context, k Key, at time.Time) error
	// Retired returns whose key had this hash, or ErrUnknown.
	Retired(ctx context.Context, hash string) (Key, error)
	// ForgetRetired removes records of keys that ended before, at most limit, and returns how many.
	ForgetRetired(ctx context.Context, before time.Time, limit int) (int, error)
}

// KeepRetired is how long it is remembered whose a key was, so that its use can be put on record.
const KeepRetired = 90 * 24 * time.Hour

// Keys makes, finds and ends keys. It is safe for concurrent use.
type Keys struct {
	store    Store
	current  authn.Pepper
	previous *authn.Pepper
	now      func() time.Time
}

// New returns the keys in store. previous may be nil; keys hashed under it are found and hashed anew when used.
func New(store Store, current authn.Pepper, previous *authn.Pepper, now func() time.Time) *Keys {
	return &Keys{
		store:    store,
		current:  current,
		previous: previous,
		now:      now,
	}
}

const hintTail = 4

// Mint makes the key of an agent. An earlier key of the same agent is gone afterwards, so that a caller who lost the
// answer can ask again.
func (k *Keys) Mint(ctx context.Context, tenant, agentID, userID string, roles []string) (string, error) {
	ended, err := k.store.HasEnded(ctx, tenant, agentID)
	if err != nil {
		return "", err
	}
	if ended {
		return "", ErrEnded
	}
	earlier, err := k.store.OfAgent(ctx, tenant, agentID)
	if err != nil {
		return "", err
	}
	secret := authn.NewSecret(authn.APIKeyPrefix)
	// The new key is there before the old ones go: a caller that lost the answer still has one that works.
	err = k.store.Insert(ctx, Key{
		Hash:      k.current.Hash(secret),
		Tenant:    tenant,
		AgentID:   agentID,
		UserID:    userID,
		Roles:     roles,
		Hint:      authn.APIKeyPrefix + "…" + secret[len(secret)-hintTail:],
		CreatedAt: instant.Of(k.now()),
		Version:   1,
	})
	if err != nil {
		return "", err
	}

	for _, old := range earlier {
		if err := k.store.Delete(ctx, old.Hash); err != nil {
			return "", err
		}
	}

	return secret, nil
}

// Hash is the name under which a secret is kept today.
func (k *Keys) Hash(secret string) string { return k.current.Hash(secret) }

// Find returns what is kept of secret, or ErrUnknown for a key that is misshapen, was never issued or has ended: the
// caller cannot tell which.
func (k *Keys) Find(ctx context.Context, secret string) (Key, error) {
	if !authn.WellFormed(authn.APIKeyPrefix, secret) {
		return Key{}, ErrUnknown
	}
	found, err := k.store.Find(ctx, k.current.Hash(secret))
	if k.previous == nil || !errors.Is(err, ErrUnknown) {
		return found, err
	}
	old, err := k.store.Find(ctx, k.previous.Hash(secret))
	if err != nil {
		return Key{}, err
	}

	return k.rehash(ctx, old, k.current.Hash(secret))
}

// rehash moves a key under the current pepper: the new record first, so that no moment is without one.
func (k *Keys) rehash(ctx context.Context, old Key, hash string) (Key, error) {
	fresh := old
	fresh.Hash, fresh.Version = hash, 1
	// Another replica may move the same key at the same moment, which is as good.
	if err := k.store.Insert(ctx, fresh); err != nil && !errors.Is(err, ErrExists) {
		return Key{}, err
	}
	if err := k.store.Delete(ctx, old.Hash); err != nil {
		return Key{}, err
	}
	// The agent may have been ended between the two; the caller's own check after writing the bearer's record catches
	// it.
	return fresh, nil
}

// ErrExists is returned by Store.Insert for a hash that is there already.
var ErrExists = errors.New("key exists")

// Connected returns ErrUnknown when the agent of a key has ended. Whoever notes the use of the key asks this too: a key
// may be under way from one pepper to the next while its agent ends, and an end that failed half way leaves it.
func (k *Keys) Connected(ctx context.Context, key Key) error {
	ended, err := k.store.HasEnded(ctx, key.Tenant, key.AgentID)
	if err == nil && ended {
		err = ErrUnknown
	}

	return err
}

// Touch notes that a key was exchanged, or returns ErrUnknown when it has ended meanwhile.
func (k *Keys) Touch(ctx context.Context, key Key, at time.Time) error {
	return k.store.Touch(ctx, key, at)
}

// LastUse returns when the agent last exchanged its key, the zero time meaning never, and whether the agent was
// disconnected.
func (k *Keys) LastUse(ctx context.Context, tenant, agentID string) (last time.Time, ended bool, err error) {
	all, err := k.store.OfAgent(ctx, tenant, agentID)
	if err != nil {
		return time.Time{}, false, err
	}

	for _, key := range all {
		if key.LastUsedAt.After(last) {
			last = key.LastUsedAt
		}
	}
	// An end that failed half way leaves a key, so the record of ends has the last word.
	ended, err = k.store.HasEnded(ctx, tenant, agentID)

	return last, ended, err
}

// Stands reports whether the agent of a user is connected: it has a key and is not on record as ended.
func (k *Keys) Stands(ctx context.Context, tenant, agentID, userID string) (bool, error) {
	ended, err := k.store.HasEnded(ctx, tenant, agentID)
	if err != nil || ended {
		return false, err
	}
	all, err := k.store.OfAgent(ctx, tenant, agentID)

	return slices.ContainsFunc(all, func(key Key) bool { return key.UserID == userID }), err
}

// Agents returns the ids of a user's agents that have keys.
func (k *Keys) Agents(ctx context.Context, tenant, userID string) ([]string, error) {
	all, err := k.store.OfUser(ctx, tenant, userID)
	if err != nil {
		return nil, err
	}

	var agents []string
	for _, key := range all {
		if !slices.Contains(agents, key.AgentID) {
			agents = append(agents, key.AgentID)
		}
	}

	return agents, nil
}

// Use returns when the keys of a user's agents were last exchanged, and when the newest of them was made; zero times
// mean never.
func (k *Keys) Use(ctx context.Context, tenant, userID string) (lastUsed, made time.Time, err error) {
	all, err := k.store.OfUser(ctx, tenant, userID)
	for _, key := range all {
		if key.LastUsedAt.After(lastUsed) {
			lastUsed = key.LastUsedAt
		}
		if key.CreatedAt.After(made) {
			made = key.CreatedAt
		}
	}

	return lastUsed, made, err
}

// End puts the agent on record as ended and then deletes its keys: in this order, so that whoever still finds a key
// also finds the record. It may be repeated.
func (k *Keys) End(ctx context.Context, tenant, agentID string) error {
	e := Ended{Tenant: tenant, AgentID: agentID, At: instant.Of(k.now())}
	if err := k.store.End(ctx, e); err != nil {
		return err
	}
	all, err := k.store.OfAgent(ctx, tenant, agentID)
	if err != nil {
		return err
	}

	for _, key := range all {
		// Whose it was is kept before the key goes, so its next use can be put on record.
		if err := k.store.Retire(ctx, key, instant.Of(k.now())); err != nil {
			return err
		}
		if err := k.store.Delete(ctx, key.Hash); err != nil {
			return err
		}
	}

	return nil
}

// Retired returns whose key secret was before it ended, or ErrUnknown.
func (k *Keys) Retired(ctx context.Context, secret string) (Key, error) {
	if !authn.WellFormed(authn.APIKeyPrefix, secret) {
		return Key{}, ErrUnknown
	}
	found, err := k.store.Retired(ctx, k.current.Hash(secret))
	if k.previous != nil && errors.Is(err, ErrUnknown) {
		return k.store.Retired(ctx, k.previous.Hash(secret))
	}

	return found, err
}

const sweepBatch = 100

// Sweep forgets whose keys were that ended long ago.
func (k *Keys) Sweep(ctx context.Context) error {
	for {
		n, err := k.store.ForgetRetired(ctx, k.now().Add(-KeepRetired), sweepBatch)
		if err != nil || n < sweepBatch {
			return err
		}
	}
}
