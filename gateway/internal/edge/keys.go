package edge

import (
	"context"
	"crypto/ecdsa"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/errs"
)

const (
	keysFresh   = 60 * time.Second // after which the set is fetched again in the course of a check
	unknownKey  = 5 * time.Second  // between fetches that an unknown key id causes
	fetchWithin = 3 * time.Second
)

// KeySource fetches the JSON Web Key Set of auth-svc.
type KeySource interface {
	KeySet(ctx context.Context) ([]byte, error)
}

// Keys holds auth-svc's public keys. Keys once fetched serve on while auth-svc is away.
type Keys struct {
	source KeySource
	now    func() time.Time

	mu      sync.Mutex
	byID    map[string]*ecdsa.PublicKey // nil until the first fetch that succeeds
	fetched time.Time
	tried   time.Time
	flight  *fetch // under way; nil for none
}

// fetch is one fetch of the set. Its error may be read once done is closed.
type fetch struct {
	done chan struct{}
	err  error
}

// NewKeys returns an empty set that fills itself when first asked.
func NewKeys(source KeySource, now func() time.Time) *Keys { return &Keys{source: source, now: now} }

// Key returns the key kid, access.ErrUnauthenticated when auth-svc does not publish it, or errs.ErrUnavailable when
// there is no set yet.
func (k *Keys) Key(ctx context.Context, kid string) (*ecdsa.PublicKey, error) {
	key, fetching := k.look(ctx, kid)
	if fetching == nil {
		return known(key, nil)
	}

	select {
	case <-fetching.done:
	case <-ctx.Done():
		return known(key, errs.ErrUnavailable)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.byID == nil {
		return nil, fetching.err
	}

	return known(k.byID[kid], nil)
}

func known(key *ecdsa.PublicKey, otherwise error) (*ecdsa.PublicKey, error) {
	switch {
	case key != nil:
		return key, nil
	case otherwise != nil:
		return nil, otherwise
	}

	return nil, access.ErrUnauthenticated
}

// look returns a key, and the fetch to wait for before the answer counts. A key that is missing waits for the fetch
// that is under way, whoever began it: another one may have asked for the same new key a moment before.
func (k *Keys) look(ctx context.Context, kid string) (*ecdsa.PublicKey, *fetch) {
	k.mu.Lock()
	defer k.mu.Unlock()
	key, now := k.byID[kid], k.now()

	switch {
	case key != nil && (now.Sub(k.fetched) <= keysFresh || now.Sub(k.tried) <= unknownKey):
		return key, nil
	// One fetch at a time, however many calls miss a key.
	case k.flight != nil:
		return key, k.flight
	// Made-up key ids must not become a call to auth-svc each.
	case k.byID != nil && now.Sub(k.tried) < unknownKey:
		return key, nil
	}

	k.tried, k.flight = now, &fetch{done: make(chan struct{})}
	// The fetch is for all who wait: when the first of them leaves, the others still get their key.
	go k.fetch(context.WithoutCancel(ctx), k.flight)

	return key, k.flight
}

func (k *Keys) fetch(ctx context.Context, f *fetch) {
	ctx, cancel := context.WithTimeout(ctx, fetchWithin)
	defer cancel()
	keys, err := k.published(ctx)

	k.mu.Lock()
	defer k.mu.Unlock()
	// After a failure the old keys stay: a short outage of auth-svc must not end every session.
	if err == nil {
		k.byID, k.fetched = keys, k.now()
	}
	f.err, k.flight = err, nil
	close(f.done)
}

func (k *Keys) published(ctx context.Context) (map[string]*ecdsa.PublicKey, error) {
	raw, err := k.source.KeySet(ctx)
	if err != nil {
		return nil, fmt.Errorf("fetch keys of auth-svc: %w", errs.ErrUnavailable)
	}

	return parseKeys(raw)
}

func parseKeys(raw []byte) (map[string]*ecdsa.PublicKey, error) {
	var set jose.JSONWebKeySet
	if err := json.Unmarshal(raw, &set); err != nil {
		return nil, fmt.Errorf("read keys of auth-svc: %w", errs.ErrUnavailable)
	}
	keys := map[string]*ecdsa.PublicKey{}

	for _, key := range set.Keys {
		if public, ok := key.Key.(*ecdsa.PublicKey); ok && key.Use == "sig" && key.KeyID != "" {
			keys[key.KeyID] = public
		}
	}

	return keys, nil
}
