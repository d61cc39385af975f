package mongostore

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/subrosa-legal/subrosa/auth-svc/internal/keys"
	"github.com/subrosa-legal/subrosa/auth-svc/internal/tokens"
	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/audit/chain"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/mongox"
)

// Joint implements tokens.Joint with one command for writes to several collections, which MongoDB has since 8.0.
type Joint struct {
	store     *Store
	log       chain.Log
	noCommand atomic.Bool // the server does not have the command
}

// NewJoint returns the writes of an exchange in the database of store, which holds the audit chain of log as well.
func NewJoint(store *Store, log chain.Log) *Joint { return &Joint{store: store, log: log} }

// Exchanged records an exchange, and notes the use of the key.
func (s *Joint) Exchanged(ctx context.Context, k keys.Key, at time.Time) error {
	if s.noCommand.Load() {
		return tokens.ErrApart
	}
	seen, used := touching(k, at)

	noting := []mongox.Write{mongox.Replacing(s.store.keys, seen, used)}

	results, err := s.log.RecordWith(ctx, tokens.ExchangeOf(k, audit.Done), nil, noting)
	switch {
	case errors.Is(err, mongox.ErrAlone):
		s.noCommand.Store(true)
		return tokens.ErrApart
	case err != nil:
		return err
	}

	audited, noted := results[0], results[1]
	if audited != nil {
		return audited
	}
	err = noted
	// Another exchange noted its use, or the key is gone.
	if errors.Is(err, errs.ErrTaken) {
		_, err = s.store.Find(ctx, k.Hash)
	}
	if err == nil {
		return nil
	}
	second := s.log.Record(context.WithoutCancel(ctx), tokens.ExchangeOf(k, audit.Failed))
	if second != nil {
		return fmt.Errorf("%w (and it could not be recorded that the exchange failed: %w)", err, second)
	}

	return err
}
