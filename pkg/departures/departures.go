// Package departures tells every process which members of firms have lost their access, within about a second.
package departures

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/subrosa-legal/subrosa/pkg/authn"
	"github.com/subrosa-legal/subrosa/pkg/redisx"
)

// Where auth-svc tells of members whose access ended or was given back. All keys lie in one slot.
const (
	departuresKey     = "{auth:departures}"
	departuresSeq     = "{auth:departures}:seq"
	departuresNewest  = "{auth:departures}:newest:" // and a name: the version of the newest word about that member
	departuresKept    = 10 * time.Minute            // no word is so late; a restored database may begin lower
	departuresMost    = 10_000
	departuresChannel = "departures" // tells that there is something new, so that it is known at once
)

const (
	departuresPoll = time.Second // so that a lost message costs no more
	departuresCall = 900 * time.Millisecond
	goneWord       = "gone"
	backWord       = "back"
)

// announce takes the most that are kept, the name, the word, its version, and for how many seconds that is remembered.
// It gives each word its number, under which watchers find it. A word that is older than another about the same member
// is not told any more.
var announce = redis.NewScript(`
local newest = tonumber(redis.call('GET', KEYS[3]) or '0')
if newest > tonumber(ARGV[4]) then
  return 0
end
redis.call('SET', KEYS[3], ARGV[4], 'EX', ARGV[5])
if redis.call('EXISTS', KEYS[2]) == 0 then
  local now = redis.call('TIME')
  redis.call('SET', KEYS[2], string.format('%.0f', now[1] * 1000000 + now[2]))
end
local n = redis.call('INCR', KEYS[2])
redis.call('ZADD', KEYS[1], string.format('%.0f', n), ARGV[2] .. ' ' .. ARGV[3] .. ' ' .. string.format('%.0f', n))
redis.call('ZREMRANGEBYRANK', KEYS[1], 0, -1 - tonumber(ARGV[1]))
return n
`)

// Announce tells every process. It is safe to repeat; a word that comes after a newer one changes nothing.
func Announce(ctx context.Context, rdb redis.UniversalClient, d authn.Departure) error {
	word := backWord
	if d.Gone {
		word = goneWord
	}
	keys := []string{departuresKey, departuresSeq, departuresNewest + d.Name}
	kept := int(departuresKept / time.Second)
	if err := announce.Run(ctx, rdb, keys, departuresMost, d.Name, word, d.Version, kept).Err(); err != nil {
		return fmt.Errorf("announce a departure: %w", redisx.Unavailable(err))
	}
	if err := rdb.Publish(ctx, departuresChannel, "").Err(); err != nil {
		return fmt.Errorf("publish a departure: %w", redisx.Unavailable(err))
	}

	return nil
}

// Watcher follows whose access has ended. A process that has just started knows of those that were announced lately
// and has to ask auth-svc about everybody whom it has not seen. It is safe for concurrent use.
type Watcher struct {
	rdb redis.UniversalClient
	log *slog.Logger
	// told of each member whose access ends, by name; it must not block
	left func(name string)

	mu   sync.Mutex
	gone map[string]struct{}
	last int64
}

// New returns an empty record; Watch fills it. left may be nil.
func New(rdb redis.UniversalClient, log *slog.Logger, left func(name string)) *Watcher {
	return &Watcher{rdb: rdb, log: log, left: left, gone: map[string]struct{}{}}
}

// Gone reports whether the access of the member with this name has ended, as far as this process knows.
func (d *Watcher) Gone(name string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	_, ok := d.gone[name]

	return ok
}

// Watch follows departures until ctx ends: by messages, and once in a second by the record that Redis keeps, for
// messages that were lost.
func (d *Watcher) Watch(ctx context.Context) {
	// go-redis subscribes again after a lost connection.
	told := d.rdb.Subscribe(ctx, departuresChannel)
	defer func() { _ = told.Close() }()
	messages := told.Channel()

	tick := time.NewTicker(departuresPoll)
	defer tick.Stop()
	d.poll(ctx)

	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			d.poll(ctx)
		case _, ok := <-messages:
			if !ok {
				return
			}
			// The record has them in their order, while messages may come late.
			d.poll(ctx)
		}
	}
}

func (d *Watcher) poll(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, departuresCall)
	defer cancel()
	if err := d.catchUp(ctx); err != nil && ctx.Err() == nil {
		d.log.WarnContext(ctx, "cannot learn whose access has ended", "err", err)
	}
}

// catchUp applies what was announced since the last time. Where Redis has lost its record it begins anew; what was
// known stays known.
func (d *Watcher) catchUp(ctx context.Context) error {
	now, err := d.rdb.Get(ctx, departuresSeq).Int64()
	if err != nil && !errors.Is(err, redis.Nil) {
		return redisx.Unavailable(err)
	}
	if now < d.last {
		d.last = 0
	}
	if now == d.last {
		return nil
	}
	after := "(" + strconv.FormatInt(d.last, 10)
	all, err := d.rdb.ZRangeByScoreWithScores(ctx, departuresKey, &redis.ZRangeBy{Min: after, Max: "+inf"}).Result()
	if err != nil {
		return redisx.Unavailable(err)
	}

	for _, z := range all {
		text, _ := z.Member.(string)
		d.apply(text)
		d.last = int64(z.Score)
	}

	return nil
}

// apply takes up one announcement: a name, a word, and maybe a number.
func (d *Watcher) apply(text string) {
	fields := strings.Fields(text)
	if len(fields) < 2 {
		return
	}
	name := fields[0]
	d.mu.Lock()
	_, known := d.gone[name]
	if fields[1] == goneWord {
		d.gone[name] = struct{}{}
	} else {
		delete(d.gone, name)
	}
	d.mu.Unlock()
	if fields[1] == goneWord && !known && d.left != nil {
		d.left(name)
	}
}
