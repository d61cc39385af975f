package redisstore

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"time"

	"github.com/go-redis/redis_rate/v10"
	"github.com/redis/go-redis/v9"
)

// Pace counts what callers begin, by the generic cell rate algorithm, so that all replicas share one count.
type Pace struct {
	limiter *redis_rate.Limiter
	name    string
	limit   redis_rate.Limit
}

// NewPace returns a pace of so many in each minute, all of which may come at once. name tells it from others.
func NewPace(rdb redis.UniversalClient, name string, perMinute int) *Pace {
	return &Pace{redis_rate.NewLimiter(rdb), name, redis_rate.PerMinute(perMinute)}
}

// Take counts one for who, and returns after how long it may come again when that is one too many: 0 lets it go on. When Redis cannot count
// it goes on uncounted, as at the gateway.
func (p *Pace) Take(ctx context.Context, who string) (wait time.Duration) {
	sum := sha256.Sum256([]byte(who)) // keeps user ids out of the names of keys
	res, err := p.limiter.Allow(ctx, "{"+p.name+"-runs:"+base64.RawURLEncoding.EncodeToString(sum[:12])+"}", p.limit)
	if err != nil || res.Allowed > 0 {
		return 0
	}

	return max(res.RetryAfter, time.Second)
}
