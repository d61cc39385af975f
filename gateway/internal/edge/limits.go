package edge

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"math"
	"net/http"
	"net/netip"
	"strconv"
	"sync"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/redis/go-redis/v9"
	"github.com/subrosa-legal/subrosa/gateway/internal/routes"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
	"github.com/subrosa-legal/subrosa/pkg/redisx"
)

// Quota is the size of one rate limit: Rate calls in each Period, all of which may come at once.
type Quota = redisx.Quota

// Limits counts calls by the generic cell rate algorithm in Redis, so that all replicas share one count.
type Limits struct {
	rdb    redis.UniversalClient
	quotas map[routes.Limit]quota
	local  *localLimiter
}

// quota is one limit with what answers say of it.
type quota struct {
	Quota
	policy []string // the header RateLimit-Policy, shared by all answers and changed by none
}

// NewLimits returns limits of the given sizes; each limit that a route names must be among them.
func NewLimits(rdb redis.UniversalClient, quotas map[routes.Limit]Quota, now func() time.Time) *Limits {
	l := &Limits{
		rdb:    rdb,
		quotas: map[routes.Limit]quota{},
		local:  &localLimiter{now: now, next: map[string]time.Time{}},
	}
	for limit, q := range quotas {
		policy := fmt.Sprintf("%q;q=%d;w=%d", limit, q.Rate, int(q.Period.Seconds()))
		l.quotas[limit] = quota{q.Ready(), []string{policy}}
	}

	return l
}

// of returns the quota of a limit.
func (l *Limits) of(limit routes.Limit) quota {
	q, ok := l.quotas[limit]
	if !ok {
		panic("edge: no quota for limit " + string(limit))
	}

	return q
}

var errRate = errs.New(errs.TooMany, "rate_limited",
	"Too many calls. Wait for the time in Retry-After, then go on at a slower pace.")

// Count counts the request against limit for who, unless that was done ahead, and tells the caller where it stands in
// the RateLimit headers. When Redis cannot count, calls go on uncounted, except where keys or tokens could be guessed:
// there this process counts alone.
func (l *Limits) Count(c *gin.Context, limit routes.Limit, who string, a *Ahead) error {
	q := l.of(limit)

	at, already, err := a.counted(limit, who)
	if !already {
		at, err = redisx.Count(c.Request.Context(), l.rdb, counterOf(limit, who), q.Quota)
	}
	if err != nil {
		// Without any count keys and tokens could be guessed as fast as the network allows.
		if limit == routes.LimitToken || limit == routes.LimitRegister {
			return l.local.count(counterOf(limit, who), q.Quota)
		}

		return nil
	}
	// Set by the names as the server spells them, which saves canonicalising them on each call.
	told := c.Writer.Header()
	told["Ratelimit-Policy"] = q.policy
	if at.Allowed {
		told["Ratelimit"] = []string{standing(limit, at.Remaining, at.ResetAfter)}
		return nil
	}
	told["Ratelimit"] = []string{standing(limit, 0, at.RetryAfter)}

	return errRate.WithRetryAfter(max(at.RetryAfter, time.Second))
}

// counterOf names the count of who against a limit.
func counterOf(limit routes.Limit, who string) string {
	var (
		text [256]byte
		sum  = sha256.Sum256(append(text[:0], who...)) // keeps user ids and addresses out of the names of keys
		room [64]byte                                  // for the whole name, so that it is one piece of memory
	)
	name := append(append(append(room[:0], '{'), limit...), ':')

	return string(append(base64.RawURLEncoding.AppendEncode(name, sum[:12]), '}'))
}

// standing is the header RateLimit: how many calls may come now, and after how long that changes.
func standing(limit routes.Limit, remaining int, after time.Duration) string {
	return `"` + string(limit) + `";r=` + strconv.Itoa(remaining) + ";t=" + strconv.Itoa(ceilSeconds(after))
}

func ceilSeconds(d time.Duration) int { return max(1, int(math.Ceil(d.Seconds()))) }

// digest keeps user ids and addresses out of the names of keys.
func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return base64.RawURLEncoding.EncodeToString(sum[:12])
}

// CallerKey names a caller for counting. An application counts for each of its users, who share its id.
func CallerKey(c access.Caller) string {
	var room [256]byte
	return string(appendCallerKey(room[:0], c))
}

func appendCallerKey(key []byte, c access.Caller) []byte {
	key = append(append(append(append(append(key, c.Kind...), '|'), c.Tenant...), '|'), c.ID()...)
	if c.Kind == access.OAuth {
		key = append(append(key, '|'), c.UserID...)
	}

	return key
}

// OwnConnection reports whether the connection of a request serves one request after another of its client alone. One
// of HTTP/2 serves several at once, and one of a trusted proxy other clients.
func OwnConnection(c *gin.Context) bool {
	return c.Request.ProtoMajor == 1 && c.ClientIP() == c.RemoteIP()
}

// AddressKey names the network that a request comes from: an IPv4 address, or the /64 of an IPv6 address, since a
// household has that many addresses to itself.
func AddressKey(ip string) string {
	addr, err := netip.ParseAddr(ip)
	if err != nil {
		return "unknown"
	}
	if addr = addr.Unmap().WithZone(""); addr.Is4() {
		return addr.String()
	}

	return netip.PrefixFrom(addr, 64).Masked().String()
}

// ReadOut has what is left of a refused body read, so that its sender sees the answer. Those who are told to call less
// often are not read to the end.
func ReadOut(c *gin.Context) {
	c.Next()
	if refusedBy(c) != http.StatusTooManyRequests {
		httpx.ReadOut(c.Request, func() string { return AddressKey(c.ClientIP()) })
	}
}

// localLimiter counts in this process while Redis is away.
type localLimiter struct {
	now  func() time.Time
	mu   sync.Mutex
	next map[string]time.Time // theoretical arrival time of the next call
}

const localKeys = 10_000

func (l *localLimiter) count(key string, q Quota) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	if len(l.next) >= localKeys {
		for k, at := range l.next {
			if at.Before(now) {
				delete(l.next, k)
			}
		}
		// Too many are counted even after cleaning: then everybody waits, because memory must stay bounded.
		if len(l.next) >= localKeys {
			return errRate.WithRetryAfter(q.Period)
		}
	}
	step := q.Period / time.Duration(q.Rate)
	at := l.next[key]
	// Unused calls of the past are not saved up.
	if at.Before(now) {
		at = now
	}
	if wait := at.Add(step).Sub(now) - q.Period; wait > 0 {
		return errRate.WithRetryAfter(max(wait, time.Second))
	}
	l.next[key] = at.Add(step)

	return nil
}
