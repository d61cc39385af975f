package mongostore

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/subrosa-legal/subrosa/auth-svc/internal/keys"
	"github.com/subrosa-legal/subrosa/auth-svc/internal/tokens"
	"github.com/subrosa-legal/subrosa/pkg/audit/chain"
	"github.com/subrosa-legal/subrosa/pkg/audit/record"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/mongox"
)

// Joint implements tokens.Joint with one command for writes to several collections, which MongoDB has since 8.0.
type Joint struct {
	store *Store
	chain *chain.Chain
	event func(ctx context.Context, k keys.Key, outcome string) record.Event
	apart atomic.Bool // the server does not have the command
}

// NewJoint returns the writes of an exchange in the database of store, which holds the audit chain as well. event is
// what the chain says of an exchange.
func NewJoint(
	store *Store, record *chain.Chain, event func(ctx context.Context, k keys.Key, outcome string) record.Event,
) *Joint {
	return &Joint{store: store, chain: record, event: event}
}

// Exchanged records an exchange, and notes the use of the key.
func (s *Joint) Exchanged(ctx context.Context, k keys.Key, at time.Time) error {
	if s.apart.Load() {
		return tokens.ErrApart
	}
	seen, used := touching(k, at)

	results, err := s.chain.AppendWith(
		ctx, k.Tenant, s.event(ctx, k, "ok"), nil, []mongox.Write{mongox.Replacing(s.store.keys, seen, used)},
	)
	switch {
	case errors.Is(err, mongox.ErrAlone):
		s.apart.Store(true)
		return tokens.ErrApart
	case err != nil:
		return err
	case results[0] != nil:
		return results[0]
	}

	err = results[1]
	if errors.Is(err, errs.ErrTaken) { // another exchange noted its use, or the key is gone
		_, err = s.store.Find(ctx, k.Hash)
	}
	if err == nil {
		return nil
	}
	if _, second := s.chain.Append(context.WithoutCancel(ctx), k.Tenant, s.event(ctx, k, "failed")); second != nil {
		return fmt.Errorf("%w (and it could not be recorded that the exchange failed: %w)", err, second)
	}

	return err
}
