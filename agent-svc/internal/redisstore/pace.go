package redisstore

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/subrosa-legal/subrosa/pkg/redisx"
)

// Pace counts what callers begin, by the generic cell rate algorithm, so that all replicas share one count.
type Pace struct {
	rdb   redis.UniversalClient
	name  string
	quota redisx.Quota
}

// NewPace returns a pace of so many in each minute, all of which may come at once. name tells it from others.
func NewPace(rdb redis.UniversalClient, name string, perMinute int) *Pace {
	return &Pace{rdb, name, redisx.Quota{Rate: perMinute, Period: time.Minute}}
}

// Take counts one for who, and returns after how long it may come again when that is one too many: 0 lets it go on.
// When Redis cannot count it goes on uncounted, as at the gateway.
func (p *Pace) Take(ctx context.Context, who string) (wait time.Duration) {
	// The hash keeps user ids out of the names of keys, which turn up in Redis's own logs and tools.
	sum := sha256.Sum256([]byte(who))
	at, err := redisx.Count(ctx, p.rdb, "{"+p.name+"-runs:"+base64.RawURLEncoding.EncodeToString(sum[:12])+"}", p.quota)
	if err != nil || at.Allowed {
		return 0
	}

	return max(at.RetryAfter, time.Second)
}
