package stream_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/redisstore"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/stream"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
)

func key() stream.Key { return stream.Key{Tenant: "o:oak", PhaseID: uuid.NewString()} }

func event(seq int, text string) stream.Event {
	return stream.Event{Seq: seq, Kind: "content_chunk", Data: []byte(`{"delta":"` + text + `"}`)}
}

func last(seq int) stream.Event {
	return stream.Event{Seq: seq, Kind: "phase_end", Data: []byte(`{"status":"completed"}`), Last: true}
}

func TestLog(t *testing.T) {
	t.Parallel()
	stores.EachRedis(t, func(t *testing.T, rdb redis.UniversalClient) {
		log := stream.NewLog(rdb, time.Hour)
		t.Run("gives back what was appended, in order", func(t *testing.T) {
			k := key()
			for i := 1; i <= 5; i += 2 {
				if err := log.Append(t.Context(), k, event(i, "a"), event(i+1, "b")); err != nil {
					t.Fatal(err)
				}
			}
			got, err := log.After(t.Context(), k, 2, 3)
			if err != nil || len(got) != 3 || got[0].Seq != 3 || got[2].Seq != 5 || got[0].Kind != "content_chunk" {
				t.Errorf("After(2, 3) = %+v, %v", got, err)
			}
			newest, ok, err := log.Newest(t.Context(), k)
			if err != nil || !ok || newest.Seq != 6 || newest.Last {
				t.Errorf("Newest = %+v, %v, %v", newest, ok, err)
			}
		})
		t.Run("knows nothing of another tenant's run of the same phase", func(t *testing.T) {
			k := key()
			if err := log.Append(t.Context(), k, event(1, "a")); err != nil {
				t.Fatal(err)
			}
			if got, err := log.After(t.Context(), stream.Key{Tenant: "o:elm", PhaseID: k.PhaseID}, 0, 10); err != nil || len(got) != 0 {
				t.Errorf("After = %+v, %v, want nothing", got, err)
			}
		})
		t.Run("takes the same event twice as one", func(t *testing.T) {
			k := key()
			for range 2 {
				if err := log.Append(t.Context(), k, event(1, "a"), last(2)); err != nil {
					t.Fatalf("Append = %v, want nil for a repetition", err)
				}
			}
			if got, err := log.After(t.Context(), k, 0, 10); err != nil || len(got) != 2 {
				t.Errorf("%d events, %v, want 2", len(got), err)
			}
		})
		t.Run("refuses a second writer of a number", func(t *testing.T) {
			k := key()
			if err := log.Append(t.Context(), k, event(1, "a"), event(2, "b")); err != nil {
				t.Fatal(err)
			}
			if err := log.Append(t.Context(), k, event(2, "other")); !errors.Is(err, stream.ErrTaken) {
				t.Errorf("Append = %v, want %v", err, stream.ErrTaken)
			}
		})
		t.Run("adds all of a batch or none", func(t *testing.T) {
			k := key()
			if err := log.Append(t.Context(), k, event(1, "theirs")); err != nil {
				t.Fatal(err)
			}
			if err := log.Append(t.Context(), k, event(1, "ours"), event(2, "ours")); !errors.Is(err, stream.ErrTaken) {
				t.Errorf("Append = %v, want %v", err, stream.ErrTaken)
			}
			if got, err := log.After(t.Context(), k, 0, 10); err != nil || len(got) != 1 {
				t.Errorf("%d events, %v, want the one that was there", len(got), err)
			}
		})
		t.Run("one of many racing writers wins each number", func(t *testing.T) {
			k := key()
			var won [16]int

			var racing sync.WaitGroup
			for w := range won {
				racing.Go(func() {
					for seq := 1; seq <= 40; seq++ {
						switch err := log.Append(t.Context(), k, event(seq, fmt.Sprint("w", w))); {
						case err == nil:
							won[w]++
						case !errors.Is(err, stream.ErrTaken):
							t.Error(err)
						}
					}
				})
			}
			racing.Wait()
			got, err := log.After(t.Context(), k, 0, 100)
			if err != nil || len(got) > 40 {
				t.Fatalf("%d events, %v", len(got), err)
			}

			total := 0
			for _, n := range won {
				total += n
			}
			if total != len(got) {
				t.Errorf("%d appends were acknowledged and %d events are stored", total, len(got))
			}
		})
		t.Run("bounds a run", func(t *testing.T) {
			k := key()

			for i := range 20 {
				var page []stream.Event
				for n := range 1000 {
					page = append(page, event(5000+1000*i+n, "a")) // what counts is how many there are
				}
				if err := log.Append(t.Context(), k, page...); err != nil {
					t.Fatal(err)
				}
			}
			if err := log.Append(t.Context(), k, event(25_000, "a")); !errors.Is(err, stream.ErrTooMany) {
				t.Errorf("Append = %v, want %v", err, stream.ErrTooMany)
			}
			if err := log.Append(t.Context(), k, last(25_000)); err != nil {
				t.Errorf("the end of a run has no room: %v", err)
			}
		})
	})
}

func TestParsePlace(t *testing.T) {
	t.Parallel()

	phase := "0197d2a5-0000-7000-8000-000000000001"
	for _, tc := range []struct {
		name, header string
		want         int
		ok           bool
	}{
		{"none", "", 0, true},
		{"a number of this phase", phase + ":17", 17, true},
		{"another phase", "0197d2a5-0000-7000-8000-000000000002:17", 0, false},
		{"no number", phase + ":", 0, false},
		{"negative", phase + ":-1", 0, false},
		{"signed", phase + ":+1", 0, false},
		{"with a zero before it", phase + ":017", 0, false},
		{"zero", phase + ":0", 0, true},
		{"two zeros", phase + ":00", 0, false},
		{"minus zero", phase + ":-0", 0, false},
		{"a number of another script", phase + ":١٧", 0, false},
		{"too long", phase + ":1234567890", 0, false},
		{"trailing text", phase + ":1 ", 0, false},
		{"only a number", "17", 0, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got, ok := stream.ParsePlace(phase, tc.header); got != tc.want || ok != tc.ok {
				t.Errorf("ParsePlace = %d, %v, want %d, %v", got, ok, tc.want, tc.ok)
			}
		})
	}
}

func FuzzParsePlace(f *testing.F) {
	f.Add("p:1")
	f.Add("")
	f.Fuzz(func(t *testing.T, header string) {
		n, ok := stream.ParsePlace("p", header)
		if n < 0 || n > 0 && !ok || ok && header != "" && !strings.HasPrefix(header, "p:") {
			t.Errorf("ParsePlace(%q) = %d, %v", header, n, ok)
		}
	})
}

// replica is one process that serves streams.
type replica struct {
	server  *stream.Server
	http    *httptest.Server
	settled chan stream.Key
}

func startReplica(t *testing.T, rdb redis.UniversalClient, k stream.Key, heartbeat time.Duration) *replica {
	t.Helper()
	leases := redisstore.NewLeases(rdb, 3*heartbeat)
	feeds := stream.NewFeeds(stream.NewLog(rdb, time.Hour), leases, heartbeat, slog.New(slog.DiscardHandler))
	ctx, cancel := context.WithCancel(context.Background())
	var background sync.WaitGroup
	background.Go(func() { feeds.Run(ctx, rdb) })
	r := &replica{settled: make(chan stream.Key, 100)}
	r.server = &stream.Server{
		Feeds: feeds, Heartbeat: heartbeat, Patience: 300 * time.Millisecond, Now: time.Now, Draining: make(chan struct{}),
		Settle: func(_ context.Context, k stream.Key) bool { r.settled <- k; return false },
	}
	r.http = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		after, ok := stream.ParsePlace(k.PhaseID, req.Header.Get("Last-Event-ID"))
		if !ok {
			http.Error(w, "place", http.StatusBadRequest)
			return
		}
		if err := r.server.Serve(w, req, k, after); err != nil {
			http.Error(w, err.Error(), http.StatusGone)
		}
	}))
	t.Cleanup(func() {
		r.http.Close()
		cancel()
		background.Wait()
	})

	return r
}

// get opens the stream after place and returns its body.
func (r *replica) get(t *testing.T, place string) io.ReadCloser {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, r.http.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	if place != "" {
		req.Header.Set("Last-Event-ID", place)
	}
	resp, err := r.http.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("status %d", resp.StatusCode)
	}

	return resp.Body
}

// numbered returns the ids of the whole events in text, and the text up to the end of the last of them.
func numbered(text []byte) (ids []string) {
	for block := range bytes.SplitSeq(text[:bytes.LastIndex(text, []byte("\n\n"))+1], []byte("\n\n")) {
		for line := range strings.Lines(string(block)) {
			if id, ok := strings.CutPrefix(strings.TrimSpace(line), "id: "); ok {
				ids = append(ids, id)
			}
		}
	}

	return ids
}

func TestResumeAtAnyByteOnAnyReplicaGivesEachEventOnce(t *testing.T) {
	t.Parallel()
	rdb := stores.Redis(t)
	log, k := stream.NewLog(rdb, time.Hour), key()

	const events = 120
	for seq := 1; seq < events; seq++ {
		if err := log.Append(t.Context(), k, event(seq, strings.Repeat("x", seq%37))); err != nil {
			t.Fatal(err)
		}
	}
	if err := log.Append(t.Context(), k, last(events)); err != nil {
		t.Fatal(err)
	}
	replicas := []*replica{startReplica(t, rdb, k, time.Second), startReplica(t, rdb, k, time.Second)}
	body := replicas[0].get(t, "")
	whole, err := io.ReadAll(body)
	_ = body.Close()
	if err != nil {
		t.Fatal(err)
	}
	want := numbered(whole)
	if len(want) != events {
		t.Fatalf("the uninterrupted stream has %d events, want %d", len(want), events)
	}

	for range 200 {
		at := rand.IntN(len(whole))
		body := replicas[0].get(t, "")
		first := make([]byte, at)
		if _, err := io.ReadFull(body, first); err != nil {
			t.Fatal(err)
		}
		_ = body.Close()
		got := numbered(first)
		place := ""
		if len(got) > 0 {
			place = got[len(got)-1]
		}
		body = replicas[1].get(t, place)
		rest, err := io.ReadAll(body)
		_ = body.Close()
		if err != nil {
			t.Fatal(err)
		}
		if got = append(got, numbered(rest)...); !slices.Equal(got, want) {
			t.Fatalf("cut at byte %d: %d events in all, want %d, each once", at, len(got), len(want))
		}
	}
}

func TestReadersGetEventsAsTheyCome(t *testing.T) {
	t.Parallel()
	rdb := stores.Redis(t)
	log, k := stream.NewLog(rdb, time.Hour), key()
	r := startReplica(t, rdb, k, time.Minute) // no heartbeat helps: wake-ups must do
	if err := redisstore.NewLeases(rdb, time.Hour).Acquire(t.Context(), k, "me"); err != nil {
		t.Fatal(err)
	}
	const readers, events = 20, 50
	var reading sync.WaitGroup

	for range readers {
		body := r.get(t, "")
		reading.Go(func() {
			defer func() { _ = body.Close() }()
			all, err := io.ReadAll(body)
			if err != nil {
				t.Error(err)
			}
			if got := numbered(all); len(got) != events || got[events-1] != fmt.Sprintf("%s:%d", k.PhaseID, events) {
				t.Errorf("a reader got %d events, want %d", len(got), events)
			}
		})
	}
	testkit.Until(t, testkit.Patience, func() error {
		if n := r.server.Open.Load(); n != readers {
			return fmt.Errorf("%d readers", n)
		}

		return nil
	})

	for seq := 1; seq < events; seq++ {
		if err := log.Append(t.Context(), k, event(seq, "x")); err != nil {
			t.Fatal(err)
		}
	}
	if err := log.Append(t.Context(), k, last(events)); err != nil {
		t.Fatal(err)
	}
	reading.Wait()
}

// Whoever reads a run whose process died stays until another has taken it up, and is not told meanwhile that it is
// being worked on.
func TestReadersStayWhileARunIsTakenUp(t *testing.T) {
	t.Parallel()
	rdb := stores.Redis(t)
	log, k := stream.NewLog(rdb, time.Hour), key()
	if err := log.Append(t.Context(), k, event(1, "x")); err != nil {
		t.Fatal(err)
	}
	r := startReplica(t, rdb, k, 50*time.Millisecond) // nobody holds the lease

	body := r.get(t, "")
	defer func() { _ = body.Close() }()
	read := make(chan []byte)

	go func() {
		all, _ := io.ReadAll(body)
		read <- all
	}()

	for range 2 { // it is settled, and looked for again
		select {
		case got := <-r.settled:
			if got != k {
				t.Errorf("settled %v, want %v", got, k)
			}
		case <-time.After(testkit.Patience):
			t.Fatal("nobody settled the run")
		}
	}
	last := event(2, "y")
	last.Last = true
	if err := log.Append(t.Context(), k, last); err != nil {
		t.Fatal(err)
	}
	all := <-read
	if got := numbered(all); len(got) != 2 {
		t.Errorf("%d events, want both", len(got))
	}
	if beats := bytes.Count(all, []byte("event: heartbeat")); beats == 0 ||
		bytes.Contains(all, []byte(`"status":"processing"`)) {
		t.Errorf("of %d heartbeats one says that the run is being worked on:\n%s", beats, all)
	}
}

func TestAReaderThatNeverReadsIsCutOff(t *testing.T) {
	t.Parallel()
	rdb := stores.Redis(t)
	log, k := stream.NewLog(rdb, time.Hour), key()
	if err := redisstore.NewLeases(rdb, time.Hour).Acquire(t.Context(), k, "me"); err != nil {
		t.Fatal(err)
	}

	big := strings.Repeat("x", 512<<10)
	for seq := 1; seq <= 40; seq++ { // 20 MiB: more than the buffers of any socket
		if err := log.Append(t.Context(), k, event(seq, big)); err != nil {
			t.Fatal(err)
		}
	}
	r := startReplica(t, rdb, k, time.Second)

	body := r.get(t, "")
	defer func() { _ = body.Close() }()
	testkit.Until(t, testkit.Patience, func() error {
		if r.server.Cut.Load() != 1 || r.server.Open.Load() != 0 {
			return fmt.Errorf("%d cut, %d open", r.server.Cut.Load(), r.server.Open.Load())
		}

		return nil
	})
}

func TestARunThatEndedWithoutItsEventsLetsItsReaderGo(t *testing.T) {
	t.Parallel()
	rdb := stores.Redis(t)
	k := key()
	server := startReplica(t, rdb, k, 50*time.Millisecond).server // nobody holds the lease
	server.Settle = func(context.Context, stream.Key) bool { return true }

	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	if err := server.Serve(httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, http.MethodGet, "/", nil), k, 0); err != nil || ctx.Err() != nil {
		t.Errorf("Serve = %v, %v, want an end by itself, so that the reader comes back", err, ctx.Err())
	}
}

// stuck is a reader whose buffers take some bytes and then no more.
type stuck struct {
	*httptest.ResponseRecorder
	takes int
	full  chan<- struct{}
	end   <-chan struct{}
}

func (s *stuck) Write(p []byte) (int, error) {
	if s.takes -= len(p); s.takes < 0 {
		s.full <- struct{}{}
		<-s.end

		return 0, io.ErrClosedPipe
	}

	return len(p), nil
}

// It measures the memory of the process, and so runs beside no other test.
func TestAReaderThatDoesNotReadHoldsLittleMemory(t *testing.T) {
	const readers, each = 50, 16 << 10
	rdb := stores.Redis(t)

	log, k := stream.NewLog(rdb, time.Hour), key()
	for seq := 1; seq <= 200; seq++ {
		if err := log.Append(t.Context(), k, event(seq, strings.Repeat("x", each))); err != nil {
			t.Fatal(err)
		}
	}
	server := startReplica(t, rdb, k, time.Hour).server
	full, end := make(chan struct{}, readers), make(chan struct{})
	before := held()

	var all sync.WaitGroup
	for range readers {
		all.Go(func() {
			reader := &stuck{httptest.NewRecorder(), 40 * each, full, end}
			_ = server.Serve(reader, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil), k, 0)
		})
	}

	for range readers {
		<-full
	}
	if got := (held() - before) / readers; got > 200<<10 {
		t.Errorf("a reader that does not read holds %d KiB, want 200 at most", got>>10)
	}
	close(end)
	all.Wait()
}

// held returns how many bytes are in use.
func held() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)

	return int64(m.HeapAlloc)
}

func TestAReaderWhoHasTheLastEventIsLetGo(t *testing.T) {
	t.Parallel()
	rdb := stores.Redis(t)
	log, k := stream.NewLog(rdb, time.Hour), key()
	if err := log.Append(t.Context(), k, event(1, "x"), last(2)); err != nil {
		t.Fatal(err)
	}

	body := startReplica(t, rdb, k, time.Hour).get(t, k.PhaseID+":2")
	defer func() { _ = body.Close() }()
	if all, err := io.ReadAll(body); err != nil || len(numbered(all)) != 0 {
		t.Errorf("got %q, %v, want an end without events", all, err)
	}
}

// A failover of Redis may take events of a run: its readers are told of the numbers that do not come, and go on.
func TestMissingNumbersAreAnnounced(t *testing.T) {
	t.Parallel()

	for _, tc := range []struct {
		name  string
		kept  []int // the last of them ends the run
		after int
		want  string
	}{
		{"none", []int{1, 2, 3}, 0, "1 2 3"},
		{"in the middle", []int{1, 2, 5, 6}, 0, "1 2 gap3-4 5 6"},
		{"beyond the reader's place", []int{1, 2, 5, 6}, 2, "gap3-4 5 6"},
		{"around the reader's place", []int{1, 2, 5, 6}, 3, "gap4-4 5 6"},
		{"before the reader's place", []int{1, 2, 5, 6}, 5, "6"},
		{"at the beginning", []int{4, 5}, 0, "gap1-3 4 5"},
		{"twice", []int{1, 3, 4, 8}, 0, "1 gap2-2 3 4 gap5-7 8"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			rdb := stores.Redis(t)
			log, k := stream.NewLog(rdb, time.Hour), key()
			r := startReplica(t, rdb, k, time.Second)
			reader := make(chan string, 1)

			for i, n := range tc.kept {
				e := event(n, "x")
				if i == len(tc.kept)-1 { // the end comes while the reader waits for it
					body := r.get(t, k.PhaseID+":"+strconv.Itoa(tc.after))
					go func() {
						all, _ := io.ReadAll(body)
						reader <- string(all)
					}()
					e = last(n)
				}
				if err := log.Append(t.Context(), k, e); err != nil {
					t.Fatal(err)
				}
			}
			if got := places(t, <-reader); got != tc.want {
				t.Errorf("got %s, want %s", got, tc.want)
			}
		})
	}
}

// places returns the numbers of the events in text, and the gaps that are announced between them.
func places(t *testing.T, text string) string {
	t.Helper()
	var all []string

	for block := range strings.SplitSeq(text, "\n\n") {
		id, _, _ := strings.Cut(strings.TrimPrefix(block, stream.Retry), "\n")
		if _, n, ok := strings.Cut(id, ":"); ok && strings.HasPrefix(id, "id: ") {
			all = append(all, n[strings.LastIndexByte(n, ':')+1:])
			continue
		}
		_, data, ok := strings.Cut(block, "data: ")
		if !ok {
			continue
		}
		var told struct {
			Type string
			Seq  int
			Gap  *struct{ From, To int }
		}
		if err := json.Unmarshal([]byte(data), &told); err != nil {
			t.Fatal(err)
		}
		if told.Gap != nil {
			if told.Type != "status" || told.Seq != 0 {
				t.Errorf("the gap is announced by %s", data)
			}
			all = append(all, fmt.Sprintf("gap%d-%d", told.Gap.From, told.Gap.To))
		}
	}

	return strings.Join(all, " ")
}
