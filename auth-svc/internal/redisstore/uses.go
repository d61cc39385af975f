package redisstore

import (
	"context"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/subrosa-legal/subrosa/pkg/redisx"
)

// Uses implements oauth.Uses. It keeps what was used by its hash.
type Uses struct {
	rdb redis.UniversalClient
	now func() time.Time
}

// NewUses returns the uses in rdb.
func NewUses(rdb redis.UniversalClient, now func() time.Time) *Uses { return &Uses{rdb, now} }

func useKey(name string) string { return "auth:used:{" + nameOf(name) + "}" }

// First reports whether this is the first use of name. What is over already cannot be used.
func (s *Uses) First(ctx context.Context, name string, until time.Time) (bool, error) {
	rest := until.Sub(s.now())
	if rest <= 0 {
		return false, nil
	}
	first, err := s.rdb.SetNX(ctx, useKey(name), 1, max(rest, time.Second)).Result()
	if err != nil {
		return false, fmt.Errorf("remember use: %w", redisx.Unavailable(err))
	}

	return first, nil
}
