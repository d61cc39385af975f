package edge

import (
	"context"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/subrosa-legal/subrosa/gateway/internal/routes"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/authn"
	"github.com/subrosa-legal/subrosa/pkg/redisx"
)

// Ahead has the record of whoever calls read and the call counted in one trip to Redis, as soon as a token names its
// caller: Count finds the call counted then. The caller is authenticated under the context that it returns.
func (l *Limits) Ahead(ctx context.Context, limit routes.Limit) (context.Context, *Ahead) {
	a := &Ahead{limits: l, limit: limit}
	return authn.WithRecordReader(ctx, a), a
}

// Ahead is a call that is counted while its caller is looked up. It serves one request.
type Ahead struct {
	limits *Limits
	limit  routes.Limit

	who string // was counted; "" before a call was, and after that was made use of
	at  redisx.Counted
	err error
}

// giveBackWithin bounds the step by which a call that was counted for the wrong one is taken out again.
const giveBackWithin = 500 * time.Millisecond

// ReadRecord reads a record and counts a call of the caller whom the token names. A token whose record is gone counts
// for the address that it comes from and not for the caller, who may have long ended it.
func (a *Ahead) ReadRecord(ctx context.Context, key string, caller access.Caller) ([]byte, error) {
	q := a.limits.of(a.limit).Quota
	a.who = CallerKey(caller)
	counter := counterOf(a.limit, a.who)
	raw, err, at, failed := redisx.GetAndCount(ctx, a.limits.rdb, key, counter, q)
	a.at, a.err = at, failed

	gone := err != nil && errors.Is(err, redis.Nil)
	if gone && failed == nil && at.Allowed {
		// A caller that leaves at once must not keep the count from being put right.
		mending, cancel := context.WithTimeout(context.WithoutCancel(ctx), giveBackWithin)
		defer cancel()
		// At worst the caller has one call less this minute.
		_ = redisx.GiveBack(mending, a.limits.rdb, counter, q)
	}

	if gone {
		return nil, nil
	}

	return raw, redisx.Unavailable(err)
}

// KeyOf is CallerKey; where the call was counted under that name already, it is not made again.
func (a *Ahead) KeyOf(caller access.Caller) string {
	var room [256]byte
	// Comparing bytes with a string allocates nothing; nearly every call has the name already.
	if key := appendCallerKey(room[:0], caller); string(key) != a.who {
		return string(key)
	}

	return a.who
}

// counted returns what the count said when it was taken ahead of who, once.
func (a *Ahead) counted(limit routes.Limit, who string) (at redisx.Counted, counted bool, err error) {
	if a == nil || a.who == "" || a.limit != limit || a.who != who {
		return redisx.Counted{}, false, nil
	}
	// A second limit of the same call is counted for itself.
	a.who = ""

	return a.at, true, a.err
}
