package edge

import (
	"context"
	"errors"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/redis/go-redis/v9"
	"github.com/subrosa-legal/subrosa/gateway/internal/routes"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/authn"
	"github.com/subrosa-legal/subrosa/pkg/redisx"
)

// Ahead has the record of whoever calls read and the call counted in one trip to Redis, as soon as a token names its
// caller: Count finds the call counted then. It must come before the caller is authenticated.
func (l *Limits) Ahead(c *gin.Context, limit routes.Limit) {
	a := &ahead{limits: l, limit: limit}
	c.Request = c.Request.WithContext(authn.WithRecordReader(c.Request.Context(), a))
}

// ahead is a call that is counted while its caller is looked up. It serves one request.
type ahead struct {
	limits *Limits
	limit  routes.Limit

	key string // of the count; "" before a call was counted, and after that was made use of
	at  redisx.Counted
	err error
}

// giveBackWithin bounds the step by which a call that was counted for the wrong one is taken out again.
const giveBackWithin = 500 * time.Millisecond

// ReadRecord reads a record and counts a call of the caller whom the token names. A token whose record is gone counts
// for the address that it comes from and not for the caller, who may have long ended it.
func (a *ahead) ReadRecord(ctx context.Context, key string, caller access.Caller) ([]byte, error) {
	q := a.limits.of(a.limit).Quota
	a.key = counterOf(a.limit, CallerKey(caller))
	raw, err, at, failed := redisx.GetAndCount(ctx, a.limits.rdb, key, a.key, q)
	a.at, a.err = at, failed

	if errors.Is(err, redis.Nil) && failed == nil && at.Allowed {
		mending, cancel := context.WithTimeout(context.WithoutCancel(ctx), giveBackWithin)
		defer cancel()
		_ = redisx.GiveBack(mending, a.limits.rdb, a.key, q) // at worst the caller has one call less this minute
	}

	return raw, err
}

// countedAhead returns what the count said when it was taken ahead under the key, once.
func countedAhead(c *gin.Context, key string) (at redisx.Counted, counted bool, err error) {
	a, ok := authn.RecordReaderFrom(c.Request.Context()).(*ahead)
	if !ok || a.key != key {
		return redisx.Counted{}, false, nil
	}
	a.key = ""

	return a.at, true, a.err
}
