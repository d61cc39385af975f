// Package stream keeps the events of runs in Redis and serves them, from any replica, to any number of readers that
// may come, go and come back.
package stream

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/subrosa-legal/subrosa/pkg/redisx"
)

// Key names a run: its tenant and its phase.
type Key struct{ Tenant, PhaseID string }

// String returns the name within Redis; the braces that callers put around it keep all keys of a run in one slot.
func (k Key) String() string { return k.Tenant + "/" + k.PhaseID }

func (k Key) events() string { return "ev:{" + k.String() + "}" }

const wakeChannel = "ev:wake"

// Event is one stored event of a run. Data is one line of JSON.
type Event struct {
	Seq    int
	Kind   string
	Data   []byte
	Status string // of a status event
	Last   bool   // ends the run
	Alone  bool   // is stored only where no event of another writer is; the log does not keep this
	server string // the process of Redis that took it; "" when that is not known
}

// ErrTaken means that another process has written this number: the run was taken over, and whoever tried must stop.
var ErrTaken = errors.New("another process has taken the run over")

// maxEvents bounds a run, so that a fault in an engine cannot fill Redis. Its end always has room.
const maxEvents = 20_000

// ErrTooMany means that a run has more events than any real one.
var ErrTooMany = errors.New("a run has too many events")

// Log keeps events in one Redis Stream a run. The number of an event is its id there, so Redis itself refuses a second
// writer.
type Log struct {
	rdb  redis.UniversalClient
	keep time.Duration
}

// NewLog returns the log in rdb; a run's events are kept for keep after the last one.
func NewLog(rdb redis.UniversalClient, keep time.Duration) *Log { return &Log{rdb, keep} }

// serverID is an expression of a script that names the process of Redis which runs it, and is empty where Redis does
// not tell.
const serverID = `(function()
  local told = redis.pcall('INFO', 'server')
  return type(told) == 'string' and string.match(told, 'run_id:(%w%w%w%w%w%w%w%w)') or ''
end)()`

// appendAll adds all of ARGV's events or none. KEYS[1] is the stream, ARGV the time to keep it in ms, whether the
// stream must be empty, and then, for each event, its number, kind, data, status and whether it is the last. A number
// that is there already with the same kind and data is the same event, sent twice because its answer was lost; with
// others it was written by somebody else: 'taken'.
//
// Each event names the process of Redis that took it: when another one answers now, Redis was started again or failed
// over since, and may have lost what came after that event.
var appendAll = redis.NewScript(`
local newest = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)
local server = ` + serverID + `
local at = 0
if newest[1] then at = tonumber(string.match(newest[1][1], '^(%d+)')) end
local fresh = {}
if ARGV[#ARGV] ~= '1' and redis.call('XLEN', KEYS[1]) >= ` + strconv.Itoa(maxEvents) + ` then return 'many' end
for i = 3, #ARGV, 5 do
  local seq = tonumber(ARGV[i])
  if seq <= at then
    local there = redis.call('XRANGE', KEYS[1], ARGV[i] .. '-0', ARGV[i] .. '-0')
    if not there[1] then return 'taken' end
    local fields = {}
    for f = 1, #there[1][2], 2 do fields[there[1][2][f]] = there[1][2][f + 1] end
    if fields['kind'] ~= ARGV[i + 1] or fields['data'] ~= ARGV[i + 2] then return 'taken' end
  elseif at > 0 and ARGV[2] == '1' then
    return 'taken'
  else
    fresh[#fresh + 1] = i
  end
end
for _, i in ipairs(fresh) do
  redis.call('XADD', KEYS[1], ARGV[i] .. '-0', 'kind', ARGV[i + 1], 'data', ARGV[i + 2],
    'status', ARGV[i + 3], 'last', ARGV[i + 4], 'server', server)
end
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return 'ok'
`)

// Append stores events, whose numbers follow each other, all or none, and wakes the readers of every replica.
// Appending the same events again is a success; other events of the same numbers are ErrTaken.
func (l *Log) Append(ctx context.Context, k Key, events ...Event) error {
	last := events[len(events)-1]
	args := []any{l.keep.Milliseconds(), flag(events[0].Alone)}

	for _, e := range events {
		args = append(args, strconv.Itoa(e.Seq), e.Kind, e.Data, e.Status, flag(e.Last))
	}
	answer, err := appendAll.Run(ctx, l.rdb, []string{k.events()}, args...).Text()
	if err != nil {
		return fmt.Errorf("append events: %w", redisx.Unavailable(err))
	}

	switch answer {
	case "ok":
	case "many":
		return ErrTooMany
	default:
		return ErrTaken
	}
	// A lost wake-up costs one heartbeat and never an event, so its failure is nobody's concern.
	_ = l.rdb.Publish(ctx, wakeChannel, k.String()+" "+strconv.Itoa(last.Seq)).Err()

	return nil
}

func flag(set bool) string {
	if set {
		return "1"
	}

	return "0"
}

// After returns up to limit events beyond seq.
func (l *Log) After(ctx context.Context, k Key, seq, limit int) ([]Event, error) {
	found, err := l.rdb.XRangeN(ctx, k.events(), "("+strconv.Itoa(seq)+"-0", "+", int64(limit)).Result()
	if err != nil {
		return nil, fmt.Errorf("read events: %w", redisx.Unavailable(err))
	}

	events := make([]Event, len(found))
	for i, m := range found {
		events[i] = decode(m)
	}

	return events, nil
}

// Newest returns the last event of a run; ok is false when there is none.
func (l *Log) Newest(ctx context.Context, k Key) (e Event, ok bool, err error) {
	found, err := l.rdb.XRevRangeN(ctx, k.events(), "+", "-", 1).Result()
	if err != nil {
		return Event{}, false, fmt.Errorf("read the newest event: %w", redisx.Unavailable(err))
	}
	if len(found) == 0 {
		return Event{}, false, nil
	}

	return decode(found[0]), true, nil
}

// Standing returns the last event of a run, without a number when there is none. moved is true when Redis was started
// again or failed over since it took that event: then it may have lost others that readers have.
func (l *Log) Standing(ctx context.Context, k Key) (newest Event, moved bool, err error) {
	// Both in one trip: a failover between the two would show a newest event of one server and the name of the other.
	read := l.rdb.Pipeline()
	found := read.XRevRangeN(ctx, k.events(), "+", "-", 1)
	server := read.Eval(ctx, "return "+serverID, []string{k.events()})
	if _, err := read.Exec(ctx); err != nil {
		return Event{}, false, fmt.Errorf("read where a run stands: %w", redisx.Unavailable(err))
	}
	if len(found.Val()) == 0 {
		return Event{}, false, nil
	}
	newest = decode(found.Val()[0])
	// Where either name is not known, nothing is known to have moved: doubt would shift the numbers of every run.
	now, _ := server.Val().(string)

	return newest, newest.server != "" && now != "" && newest.server != now, nil
}

func decode(m redis.XMessage) Event {
	text := func(name string) string { s, _ := m.Values[name].(string); return s }
	seq, _ := strconv.Atoi(strings.TrimSuffix(m.ID, "-0"))

	return Event{
		Seq:    seq,
		Kind:   text("kind"),
		Data:   []byte(text("data")),
		Status: text("status"),
		Last:   text("last") == "1",
		server: text("server"),
	}
}

// Encode writes a payload as the one line of JSON that an event carries.
func Encode(payload any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	// The default encoding turns < and & into escapes. The hash of an answer covers these bytes as readers see them.
	enc.SetEscapeHTML(false)
	if err := enc.Encode(payload); err != nil {
		return nil, fmt.Errorf("encode event: %w", err)
	}

	return bytes.TrimRight(b.Bytes(), "\n"), nil
}

// ParsePlace reads a Last-Event-ID of this phase: "<phaseId>:<n>". An empty header is 0.
func ParsePlace(phaseID, header string) (int, bool) {
	if header == "" {
		return 0, true
	}
	number, ok := strings.CutPrefix(header, phaseID+":")
	// Nine digits always fit into an int, and no run has as many events.
	if !ok || len(number) > 9 {
		return 0, false
	}
	n, err := strconv.Atoi(number)
	// One form of each number, without sign and leading zeros: what was never sent is not taken for what was.
	if err != nil || n < 0 || strconv.Itoa(n) != number {
		return 0, false
	}

	return n, true
}
