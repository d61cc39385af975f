package redisx

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/subrosa-legal/subrosa/pkg/errs"
)

// Quota is the size of a rate limit: Rate calls in each Period, all of which may come at once.
type Quota struct {
	Rate   int
	Period time.Duration

	call *rateArguments // of one call; nil where they are made for each
}

// rateArguments are what the script is told of a quota.
type rateArguments struct{ rate, period any }

// Ready returns the quota with what Redis is told of it, so that it need not be made for each call.
func (q Quota) Ready() Quota {
	q.call = &rateArguments{q.Rate, strconv.FormatFloat(q.Period.Seconds(), 'f', -1, 64)}
	return q
}

// Counted is where a caller stands after a call.
type Counted struct {
	Allowed    bool
	Remaining  int           // calls that may come now
	RetryAfter time.Duration // until the next call is allowed; of a call that was not
	ResetAfter time.Duration // until the whole quota is there again
}

// countCall counts a call by the generic cell rate algorithm. What is kept is the time at which all calls so far would
// have come had they come evenly, in seconds since 2017, so that microseconds survive in a double; releases that count
// by go-redis/redis_rate keep the same. KEYS[1] is who calls; ARGV the rate, its period in seconds, and how many calls:
// a negative number gives back calls that were allowed.
var countCall = redis.NewScript(`
local each = ARGV[2] / ARGV[1]
local calls = tonumber(ARGV[3])
local time = redis.call('TIME')
local now = time[1] - 1483228800 + time[2] / 1000000
local even = math.max(tonumber(redis.call('GET', KEYS[1]) or now), now)
local next = even + each * calls
local left = (now - next) / each + ARGV[1]
if calls > 0 and left < 0 then
  return {0, 0, tostring(-left * each), tostring(even - now)}
end
if next > now then
  redis.call('SET', KEYS[1], string.format('%.6f', next), 'EX', math.ceil(next - now))
else
  redis.call('DEL', KEYS[1])
end
return {1, math.floor(left), '0', tostring(math.max(next - now, 0))}
`)

// LoadRate has Redis know the script that counts, so that the first callers need not bring it. It is no error to leave
// this out.
func LoadRate(ctx context.Context, rdb redis.UniversalClient) error {
	return Unavailable(countCall.Load(ctx, rdb).Err())
}

// Count counts one call of who the key names against q.
func Count(ctx context.Context, rdb redis.UniversalClient, key string, q Quota) (Counted, error) {
	return counted(runCount(ctx, rdb, key, q, 1))
}

func runCount(ctx context.Context, rdb redis.UniversalClient, key string, q Quota, calls int) *redis.Cmd {
	args := rateArgs(q, calls)
	return countCall.Run(errs.Aside(ctx), rdb, []string{rateKey(key)}, args[:]...)
}

// GiveBack takes one call that was allowed out of the count again.
func GiveBack(ctx context.Context, rdb redis.UniversalClient, key string, q Quota) error {
	return Unavailable(runCount(ctx, rdb, key, q, -1).Err())
}

// GetAndCount reads a value and counts a call at the same time: in one trip, or in two beside each other on a Cluster,
// where the keys may lie on two nodes. Each has its own failure; a value that is not there is redis.Nil.
func GetAndCount(
	ctx context.Context,
	rdb redis.UniversalClient,
	value, key string,
	q Quota,
) (found []byte, getErr error, at Counted, countErr error) {
	// One pipeline over two nodes would take as long as two trips, one after the other.
	if _, cluster := rdb.(*redis.ClusterClient); cluster {
		done := make(chan struct{})

		go func() {
			defer close(done)
			at, countErr = Count(ctx, rdb, key, q)
		}()
		found, getErr = rdb.Get(ctx, value).Bytes()
		<-done

		return found, getErr, at, countErr
	}

	both := rdb.Pipeline()
	get := both.Get(ctx, value)
	args := rateArgs(q, 1)
	count := both.Do(ctx, "evalsha", countHash, 1, rateKey(key), args[0], args[1], args[2])
	// Each command says for itself how it went.
	_, _ = both.Exec(ctx)
	found, getErr = get.Bytes()
	// Redis was started again, or another node took over, and does not know the script any more.
	if err := count.Err(); err != nil && redis.HasErrorPrefix(err, "NOSCRIPT") {
		at, countErr = Count(ctx, rdb, key, q)
	} else {
		at, countErr = counted(count)
	}

	return found, getErr, at, countErr
}

// countHash names the script that counts.
var countHash any = countCall.Hash()

func rateKey(key string) string { return "rate:" + key }

func rateArgs(q Quota, calls int) [3]any {
	if q.call == nil {
		q = q.Ready()
	}

	return [3]any{q.call.rate, q.call.period, calls}
}

var errCount = errors.New("redis counted in a way of its own")

func counted(cmd *redis.Cmd) (Counted, error) {
	answer, err := cmd.Slice()
	if err != nil {
		return Counted{}, fmt.Errorf("count a call: %w", Unavailable(err))
	}
	if len(answer) != 4 {
		return Counted{}, errCount
	}
	allowed, _ := answer[0].(int64)
	remaining, _ := answer[1].(int64)

	return Counted{
		Allowed: allowed == 1, Remaining: int(remaining),
		RetryAfter: seconds(answer[2]), ResetAfter: seconds(answer[3]),
	}, nil
}

func seconds(v any) time.Duration {
	text, _ := v.(string)
	s, _ := strconv.ParseFloat(text, 64)

	return time.Duration(s * float64(time.Second))
}
