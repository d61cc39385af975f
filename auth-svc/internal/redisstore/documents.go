package redisstore

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/subrosa-legal/subrosa/auth-svc/internal/clientdoc"
	"github.com/subrosa-legal/subrosa/auth-svc/internal/oauth"
	"github.com/subrosa-legal/subrosa/pkg/redisx"
)

// Documents implements clientdoc.Cache.
type Documents struct {
	rdb redis.UniversalClient
	now func() time.Time
}

// NewDocuments returns the cache in rdb.
func NewDocuments(rdb redis.UniversalClient, now func() time.Time) *Documents {
	return &Documents{rdb, now}
}

type documentDoc struct {
	Client  clientDoc `json:"client"`
	Expires time.Time `json:"expires"`
	Until   time.Time `json:"until"` // from when on it is of no use at all
}

func nameOf(s string) string {
	sum := sha256.Sum256([]byte(s))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

func documentKey(address string) string { return "auth:cimd:{" + nameOf(address) + "}" }

func failedKey(address string) string { return "auth:cimd-failed:{" + nameOf(address) + "}" }

// fetchesKey names a count of fetches, without naming whose they are.
func fetchesKey(what string) string { return "auth:fetches:{" + nameOf(what) + "}" }

// Document returns what is remembered of the document at address.
func (s *Documents) Document(ctx context.Context, address string) (clientdoc.Kept, error) {
	raw, err := s.rdb.Get(ctx, documentKey(address)).Bytes()
	if errors.Is(err, redis.Nil) {
		return clientdoc.Kept{}, oauth.ErrNoClient
	}
	if err != nil {
		return clientdoc.Kept{}, fmt.Errorf("read client document: %w", redisx.Unavailable(err))
	}
	var d documentDoc
	if json.Unmarshal(raw, &d) != nil || !s.now().Before(d.Until) || d.Client.ID != address {
		return clientdoc.Kept{}, oauth.ErrNoClient
	}

	return clientdoc.Kept{Client: oauth.Client(d.Client), Fresh: s.now().Before(d.Expires)}, nil
}

// Remember keeps a document that is fresh for life, and for a time of rest after that.
func (s *Documents) Remember(ctx context.Context, c oauth.Client, life, rest time.Duration) error {
	expires := s.now().UTC().Add(life)
	raw, err := json.Marshal(documentDoc{clientDoc(c), expires, expires.Add(rest)})
	if err != nil {
		return fmt.Errorf("encode client document: %w", err)
	}
	if err := s.rdb.Set(ctx, documentKey(c.ID), raw, life+rest+slack).Err(); err != nil {
		return fmt.Errorf("store client document: %w", redisx.Unavailable(err))
	}

	return nil
}

// Forget drops what is remembered of the document at address.
func (s *Documents) Forget(ctx context.Context, address string) error {
	if err := s.rdb.Del(ctx, documentKey(address)).Err(); err != nil {
		return fmt.Errorf("forget client document: %w", redisx.Unavailable(err))
	}

	return nil
}

// Fail notes for a time why the document at address could not be taken. The note is the moment until which it holds;
// that of a document that is gone is below zero, which an older release takes for a note that is over.
func (s *Documents) Fail(ctx context.Context, address string, why clientdoc.Failure, rest time.Duration) error {
	until := s.now().Add(rest).UnixMilli()
	if why == clientdoc.Gone {
		until = -until
	}
	if err := s.rdb.Set(ctx, failedKey(address), until, rest+slack).Err(); err != nil {
		return fmt.Errorf("note a failed client document: %w", redisx.Unavailable(err))
	}

	return nil
}

// Failed returns what is noted.
func (s *Documents) Failed(ctx context.Context, address string) (clientdoc.Failure, error) {
	until, err := s.rdb.Get(ctx, failedKey(address)).Int64()
	if errors.Is(err, redis.Nil) {
		return clientdoc.NoFailure, nil
	}
	if err != nil {
		return clientdoc.NoFailure, fmt.Errorf("look for a failed client document: %w", redisx.Unavailable(err))
	}

	switch now := s.now().UnixMilli(); {
	case now < until:
		return clientdoc.Unreadable, nil
	case now < -until:
		return clientdoc.Gone, nil
	}

	return clientdoc.NoFailure, nil
}

var count = redis.NewScript(`
local n = redis.call('INCR', KEYS[1])
if n == 1 then redis.call('EXPIRE', KEYS[1], ARGV[1]) end
return n
`)

// Spend counts a fetch.
func (s *Documents) Spend(ctx context.Context, what string) (int, error) {
	return counted(ctx, s.rdb, fetchesKey(what), time.Hour)
}

// counted adds one to the count at key, which begins anew when it is as old as life.
func counted(ctx context.Context, rdb redis.UniversalClient, key string, life time.Duration) (int, error) {
	n, err := count.Run(ctx, rdb, []string{key}, int(life.Seconds())).Int()
	if err != nil {
		return 0, fmt.Errorf("count a call: %w", redisx.Unavailable(err))
	}

	return n, nil
}
