package stream

import (
	"context"
	"log/slog"
	"math"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/subrosa-legal/subrosa/pkg/api"
)

const (
	tailBytes = 256 << 10 // of the newest events of a run, kept for the readers of this process
	pageSize  = 100       // events read from Redis at once, at most
	firstPage = 16        // before a reader's events were seen
	// of the pages after that: a reader that does not read holds the page that it is being written
	pageBytes = 64 << 10
)

// Liveness tells whether somebody still runs a run.
type Liveness interface {
	// Alive reports whether the run's process holds its lease.
	Alive(ctx context.Context, k Key) (bool, error)
}

// Feeds watches the runs that this process has readers for: one read of Redis serves all of them. It learns of new
// events by one subscription for the whole process, and looks by itself at every heartbeat in case a wake-up was lost.
type Feeds struct {
	log      *Log
	liveness Liveness
	beat     time.Duration
	logger   *slog.Logger

	mu    sync.Mutex
	feeds map[Key]*feed
}

// NewFeeds returns feeds of log. Run must be running for wake-ups to arrive.
func NewFeeds(log *Log, liveness Liveness, heartbeat time.Duration, logger *slog.Logger) *Feeds {
	return &Feeds{
		log:      log,
		liveness: liveness,
		beat:     heartbeat,
		logger:   logger,
		feeds:    map[Key]*feed{},
	}
}

// Run listens for wake-ups until ctx ends.
func (f *Feeds) Run(ctx context.Context, rdb redis.UniversalClient) {
	// go-redis subscribes again after a lost connection; what was missed meanwhile is found at the next heartbeat.
	wakes := rdb.Subscribe(ctx, wakeChannel)
	defer func() { _ = wakes.Close() }()
	messages := wakes.Channel(redis.WithChannelSize(1024))

	for {
		select {
		case <-ctx.Done():
			return
		case m, ok := <-messages:
			if !ok {
				return
			}
			f.wake(m.Payload)
		}
	}
}

func (f *Feeds) wake(payload string) {
	name, number, _ := strings.Cut(payload, " ")
	seq, err := strconv.Atoi(number)
	// A tenant's id has no slash, but the last one is looked for all the same: the phase's id surely has none.
	i := strings.LastIndexByte(name, '/')
	if err != nil || i < 0 {
		return
	}
	f.mu.Lock()
	fd := f.feeds[Key{name[:i], name[i+1:]}]
	f.mu.Unlock()
	if fd != nil {
		fd.nudge(seq)
	}
}

// feed is the newest part of one run, shared by its readers in this process.
type feed struct {
	key     Key
	nudges  chan struct{}
	stop    context.CancelFunc
	readers int // guarded by Feeds.mu

	mu      sync.Mutex
	tail    []Frame // the newest events, without a gap
	bytes   int
	newest  int // number of the newest event known to exist
	status  string
	ended   bool
	missing int           // looks in a row at which nobody held the lease
	lost    bool          // the run has no process any more
	idle    bool          // nobody held the lease at the last look
	changed chan struct{} // closed and replaced at every change
}

// Frame is an event as it goes over the wire, encoded once for all readers.
type Frame struct {
	Seq  int
	Text []byte
	Last bool

	kind, status string
	data         []byte // within Text
}

// event is what the frame was made of.
func (f Frame) event() Event {
	return Event{
		Seq:    f.Seq,
		Kind:   f.kind,
		Data:   f.data,
		Status: f.status,
		Last:   f.Last,
	}
}

func frame(phaseID string, e Event) Frame {
	// One allocation: 40 bytes are room for the field names and the number.
	text := make([]byte, 0, len(e.Data)+len(phaseID)+len(e.Kind)+40)
	text = append(append(append(text, "id: "...), phaseID...), ':')
	text = strconv.AppendInt(text, int64(e.Seq), 10)
	text = append(append(append(text, "\nevent: "...), e.Kind...), "\ndata: "...)
	text = append(append(text, e.Data...), "\n\n"...)

	// The capacity ends with the data, so that nobody who appends to it writes into the frame of other readers.
	end := len(text) - len("\n\n")

	return Frame{
		Seq:    e.Seq,
		Text:   text,
		Last:   e.Last,
		kind:   e.Kind,
		status: e.Status,
		data:   text[end-len(e.Data) : end : end],
	}
}

func (f *Feeds) join(ctx context.Context, k Key) *feed {
	f.mu.Lock()
	defer f.mu.Unlock()
	fd := f.feeds[k]
	if fd == nil {
		// The feed serves every reader of the run, so it must not end with the one who happened to come first.
		watching, stop := context.WithCancel(context.WithoutCancel(ctx))
		fd = &feed{
			key:     k,
			nudges:  make(chan struct{}, 1),
			stop:    stop,
			changed: make(chan struct{}),
		}

		f.feeds[k] = fd
		go f.follow(watching, fd)
	}
	fd.readers++

	return fd
}

func (f *Feeds) leave(fd *feed) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if fd.readers--; fd.readers == 0 {
		fd.stop()
		delete(f.feeds, fd.key)
	}
}

func (fd *feed) nudge(seq int) {
	fd.mu.Lock()
	behind := seq > fd.newest
	fd.mu.Unlock()
	if !behind {
		return
	}
	select {
	case fd.nudges <- struct{}{}:
	// A nudge is waiting already, and whoever takes it reads all there is.
	default:
	}
}

// follow reads what is new until the feed has no readers any more.
func (f *Feeds) follow(ctx context.Context, fd *feed) {
	tick := time.NewTicker(f.beat)
	defer tick.Stop()
	// The newest events first: a reader far behind reads from the log by itself, and most readers are not behind.
	f.start(ctx, fd)
	f.look(ctx, fd)

	for {
		f.read(ctx, fd)
		select {
		case <-ctx.Done():
			return
		case <-fd.nudges:
		case <-tick.C:
			f.look(ctx, fd)
		}
	}
}

// lookWithin bounds one look at the store: a heartbeat must not wait for a slow one.
const lookWithin = 500 * time.Millisecond

// start finds the end of the run, so that the feed holds its newest part and not its oldest.
func (f *Feeds) start(ctx context.Context, fd *feed) {
	ctx, cancel := context.WithTimeout(ctx, lookWithin)
	defer cancel()
	e, ok, err := f.log.Newest(ctx, fd.key)
	if err != nil || !ok {
		return
	}
	fd.mu.Lock()
	defer fd.mu.Unlock()
	fd.take([]Event{e})
}

func (f *Feeds) read(ctx context.Context, fd *feed) {
	for {
		fd.mu.Lock()
		newest, ended := fd.newest, fd.ended
		fd.mu.Unlock()
		if ended {
			return
		}
		within, cancel := context.WithTimeout(ctx, lookWithin)
		events, err := f.log.After(within, fd.key, newest, pageSize)
		cancel()
		// The feed has no readers any more, and nothing is to be said of a read that was cut off for that.
		if ctx.Err() != nil {
			return
		}
		if err == nil {
			fd.mu.Lock()
			fd.take(events)
			fd.mu.Unlock()
		}
		if err != nil || len(events) < pageSize {
			return
		}
	}
}

// take adds events to the tail; fd.mu is held.
func (fd *feed) take(events []Event) {
	if len(events) == 0 {
		return
	}

	for _, e := range events {
		// The tail has no gaps. Where the log jumped, those before the jump are left to the log.
		if len(fd.tail) > 0 && e.Seq != fd.tail[len(fd.tail)-1].Seq+1 {
			fd.tail, fd.bytes = nil, 0
		}
		fr := frame(fd.key.PhaseID, e)
		fd.tail = append(fd.tail, fr)
		fd.bytes += len(fr.Text)
		fd.newest, fd.ended = e.Seq, fd.ended || e.Last
		if e.Status != "" {
			fd.status = e.Status
		}
	}

	// The newest frame stays whatever its size, or the readers of a very long event would find no tail at all.
	for fd.bytes > tailBytes && len(fd.tail) > 1 {
		fd.bytes -= len(fd.tail[0].Text)
		fd.tail = fd.tail[1:]
	}
	// An event is a sign of life, even if the lease could not be seen.
	fd.missing, fd.lost = 0, false
	close(fd.changed)
	fd.changed = make(chan struct{})
}

// missesUntilLost is how many looks in a row must find no lease: one may fall between a run's beginning and its lease.
// A store that cannot be asked is given a little longer.
const (
	missesUntilLost   = 2
	failuresUntilLost = 4
)

// look finds out whether the run still has a process.
func (f *Feeds) look(ctx context.Context, fd *feed) {
	fd.mu.Lock()
	ended := fd.ended
	fd.mu.Unlock()
	if ended {
		return
	}

	within, cancel := context.WithTimeout(ctx, lookWithin)
	defer cancel()
	alive, err := f.liveness.Alive(within, fd.key)
	fd.mu.Lock()
	defer fd.mu.Unlock()
	fd.idle = !alive && err == nil
	if alive && err == nil {
		fd.missing = 0
		return
	}
	limit := missesUntilLost
	if err != nil {
		limit = failuresUntilLost
	}
	// Readers are woken once when the run is lost, not at every look that finds the same.
	if fd.missing++; fd.missing >= limit && !fd.lost {
		fd.lost = true
		close(fd.changed)
		fd.changed = make(chan struct{})
	}
}

// view is what a reader sees of a feed at one moment.
type view struct {
	frames  []Frame // beyond the reader's place; nil when they must be read from the log
	behind  bool    // there are events beyond the reader's place that the tail does not hold
	newest  int
	status  string
	ended   bool // the newest event is the run's last
	lost    bool
	idle    bool // nobody runs the run at the moment
	changed <-chan struct{}
}

// rest makes the feed look anew whether the run has a process: it was found without one, and may be taken up any
// moment.
func (fd *feed) rest() {
	fd.mu.Lock()
	defer fd.mu.Unlock()
	fd.missing, fd.lost = 0, false
}

// Await returns when the last event of a run is in the log, at the latest after a while or when ctx ends. It reports
// whether the last event is there.
func (f *Feeds) Await(ctx context.Context, k Key, while time.Duration) (ended bool) {
	fd := f.join(ctx, k)
	defer f.leave(fd)

	late := time.NewTimer(while)
	defer late.Stop()

	for {
		v := fd.beyond(math.MaxInt)
		if v.ended {
			return true
		}
		select {
		case <-v.changed:
		case <-late.C:
			return false
		case <-ctx.Done():
			return false
		}
	}
}

func (fd *feed) beyond(seq int) view {
	fd.mu.Lock()
	defer fd.mu.Unlock()
	v := view{
		newest:  fd.newest,
		status:  fd.status,
		ended:   fd.ended,
		lost:    fd.lost,
		idle:    fd.idle,
		changed: fd.changed,
	}
	if fd.newest <= seq {
		return v
	}
	if len(fd.tail) == 0 || fd.tail[0].Seq > seq+1 {
		v.behind = true
		return v
	}
	// The readers share the frames, and none writes to them; take replaces the tail and changes no frame in it.
	v.frames = fd.tail[seq+1-fd.tail[0].Seq:]

	return v
}

// GapFrame writes the status that announces that the events from one number to another do not come. It has no number.
// api.Gap says what it means to a reader that has some of them.
func GapFrame(phaseID string, from, to int, now time.Time) ([]byte, error) {
	data, err := Encode(api.GapEvent{
		Type:    api.EventStatus,
		PhaseID: phaseID,
		TS:      api.At(now),
		Status:  api.StatusProcessing,
		Gap:     api.Gap{From: from, To: to},
	})
	if err != nil {
		return nil, err
	}

	return append(append([]byte("event: status\ndata: "), data...), "\n\n"...), nil
}

// FrameOf writes an event as it goes over the wire.
func FrameOf(phaseID string, e Event) []byte { return frame(phaseID, e).Text }
