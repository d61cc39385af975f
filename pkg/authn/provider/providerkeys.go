package provider

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
)

// providerKeysFresh is for how long the provider's keys count before it is asked for them again, so that one that it
// withdraws ends its tokens by then.
const providerKeysFresh = time.Minute

// providerKeys are the keys of the provider. The library asks for them when it meets an unknown one; this asks besides
// when what is known is old. While the provider cannot be asked, the keys that it gave last serve on.
type providerKeys struct {
	fetched func() oidc.KeySet // a set that asks when it is first used
	now     func() time.Time

	mu    sync.Mutex
	set   oidc.KeySet
	since time.Time // when set was begun; it asked no earlier
}

func newProviderKeys(now func() time.Time, fetched func() oidc.KeySet) *providerKeys {
	return &providerKeys{fetched: fetched, now: now, set: fetched(), since: now()}
}

// asked returns since when the provider's word counts on which keys are judged now.
func (p *providerKeys) asked() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()

	return p.since
}

// VerifySignature implements oidc.KeySet.
func (p *providerKeys) VerifySignature(ctx context.Context, token string) ([]byte, error) {
	p.mu.Lock()
	set, age := p.set, p.now().Sub(p.since)
	p.mu.Unlock()
	if age >= 0 && age < providerKeysFresh {
		return set.VerifySignature(ctx, token)
	}

	// The time before the question, so that an answer that is slow does not count as fresher than it is.
	began := p.now()
	fresh := p.fetched()
	payload, err := fresh.VerifySignature(ctx, token)
	// The keys that are known serve on while the provider is away: else its outage would end every session.
	if errors.Is(err, errKeysAway) || errors.Is(err, errKeysFresh) || ctx.Err() != nil {
		return set.VerifySignature(ctx, token)
	}
	p.mu.Lock()
	p.set, p.since = fresh, began
	p.mu.Unlock()

	return payload, err
}
