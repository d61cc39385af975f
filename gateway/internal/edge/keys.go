package edge

import (
	"context"
	"crypto/ecdsa"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/subrosa-legal/subrosa/pkg/authn"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"golang.org/x/sync/singleflight"
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
	flight singleflight.Group

	mu      sync.Mutex
	byID    map[string]*ecdsa.PublicKey
	fetched time.Time
	tried   time.Time
}

// NewKeys returns an empty set that fills itself when first asked.
func NewKeys(source KeySource, now func() time.Time) *Keys { return &Keys{source: source, now: now} }

// Key returns the key kid, authn.ErrUnauthenticated when auth-svc does not publish it, or errs.ErrUnavailable when there is no set yet.
func (k *Keys) Key(ctx context.Context, kid string) (*ecdsa.PublicKey, error) {
	key, have, stale := k.look(kid)
	if key != nil && !stale {
		return key, nil
	}
	if key != nil || k.mayFetch(have) {
		err := k.fetch(ctx)
		switch fresh, _, _ := k.look(kid); {
		case fresh != nil:
			return fresh, nil
		case err != nil && !have:
			return nil, err
		}
	}
	if !have {
		if _, haveNow, _ := k.look(kid); !haveNow {
			return nil, errs.ErrUnavailable
		}
	}

	return nil, authn.ErrUnauthenticated
}

func (k *Keys) look(kid string) (key *ecdsa.PublicKey, have, stale bool) {
	k.mu.Lock()
	defer k.mu.Unlock()

	return k.byID[kid], k.byID != nil, k.now().Sub(k.fetched) > keysFresh && k.now().Sub(k.tried) > unknownKey
}

func (k *Keys) mayFetch(have bool) bool {
	k.mu.Lock()
	defer k.mu.Unlock()

	return !have || k.now().Sub(k.tried) >= unknownKey
}

func (k *Keys) fetch(ctx context.Context) error {
	_, err, _ := k.flight.Do("set", func() (any, error) {
		k.mu.Lock()
		k.tried = k.now()
		k.mu.Unlock()
		// The one who fetches does so for all who wait, so its leaving must not fail them.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), fetchWithin)
		defer cancel()
		raw, err := k.source.KeySet(ctx)
		if err != nil {
			return nil, fmt.Errorf("fetch keys of auth-svc: %w", errs.ErrUnavailable)
		}
		keys, err := parseKeys(raw)
		if err != nil {
			return nil, err
		}
		k.mu.Lock()
		defer k.mu.Unlock()
		k.byID, k.fetched = keys, k.now()

		return nil, nil
	})

	return err
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
