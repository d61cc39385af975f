package redisx

import (
	"context"
	"errors"

	"github.com/redis/go-redis/v9"
)

// Values reads single values for packages that do not know Redis. What is not there is nil, and a server that cannot be
// asked is errs.ErrUnavailable.
type Values struct{ Client redis.UniversalClient }

// Get returns the value of a key.
func (v Values) Get(ctx context.Context, key string) ([]byte, error) {
	return found(v.Client.Get(ctx, key).Bytes())
}

// Field returns the value of one field of a hash.
func (v Values) Field(ctx context.Context, key, field string) ([]byte, error) {
	return found(v.Client.HGet(ctx, key, field).Bytes())
}

func found(value []byte, err error) ([]byte, error) {
	if errors.Is(err, redis.Nil) {
		return nil, nil
	}

	return value, Unavailable(err)
}
