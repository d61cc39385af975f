package faults

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
	"github.com/subrosa-legal/subrosa/deploy/internal/client"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
)

// held begins a run that is under way for as long as searches take, and returns its phase.
func (s *site) held(bearer string) string {
	s.t.Helper()
	k, err := s.as(bearer).CreateCase(s.t.Context(), client.NewCase{Jurisdiction: "US"})
	if err != nil {
		s.t.Fatal(err)
	}
	job := api.AgentTask{
		SessionID: "session-" + uuid.NewString(), SeedPhase: api.SeedPhase{PhaseID: uuid.NewString()}, ContainerID: k.CaseID, ContainerType: api.ContainerCase,
		RequestType: api.CaseReq, Prompt: "What is agreed about termination and notice?",
	}

	ctx, cancel := context.WithCancel(s.t.Context())
	defer cancel()
	_ = s.as(bearer).Attach(ctx, job, "", func(e client.Event) error {
		if e.Kind == api.EventPhaseStart {
			cancel() // the run goes on
		}

		return nil
	})

	return job.SeedPhase.PhaseID
}

// F12: many readers lose their streams and come back at once.
func stampede(t *testing.T, r *result) {
	s := begin(t, options{hold: 2 * time.Minute})
	a := s.connect(0)
	phase := s.held(a.bearer)
	r.load = fmt.Sprintf("%d streams of 2000", crowd)
	transport := s.Client().Transport.(*http.Transport)
	transport.ForceAttemptHTTP2, transport.DisableKeepAlives = false, true // a connection for each
	transport.TLSClientConfig.NextProtos = []string{"http/1.1"}
	reader := &http.Client{Transport: transport}
	// come opens a stream, as often as it is told to, and returns after how long its first event came.
	come := func(ctx context.Context, from time.Time) time.Duration {
		for {
			req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.Facts.BaseURL+"/v1/agent/"+phase, nil)
			if err != nil {
				return patience
			}
			req.Header.Set("Authorization", "Bearer "+s.tokens[s.people[0].Subject])
			resp, err := reader.Do(req)
			if err != nil {
				r.count("no answer")
				r.fail("a stream is not answered")

				return time.Since(from)
			}
			if resp.StatusCode == http.StatusOK {
				line, _ := bufio.NewReader(resp.Body).ReadString('\n')
				took := time.Since(from)
				r.count("200")
				if line == "" {
					r.fail("a stream ends before its first event")
				}
				context.AfterFunc(ctx, func() { _ = resp.Body.Close() })

				return took
			}
			r.count(strconv.Itoa(resp.StatusCode))
			_ = resp.Body.Close()
			seconds, err := strconv.Atoi(resp.Header.Get("Retry-After"))
			if err != nil || resp.StatusCode != http.StatusTooManyRequests && resp.StatusCode != http.StatusServiceUnavailable {
				r.fail("a stream is answered %d, Retry-After %q", resp.StatusCode, resp.Header.Get("Retry-After"))
				return time.Since(from)
			}
			wait(t, time.Duration(seconds)*time.Second)
		}
	}
	s.token(0)

	for round := range 2 {
		ctx, cancel := context.WithCancel(t.Context())
		from := time.Now()
		times := make([]time.Duration, crowd)

		var all sync.WaitGroup
		for i := range crowd {
			all.Go(func() { times[i] = come(ctx, from) })
		}
		all.Wait()
		if round == 1 {
			r.back("all of them", percentile(times, 100), 10*time.Second)
		}
		cancel()
	}
}

// F11: readers open a stream that is longer than any buffer and never read.
func neverRead(t *testing.T, r *result) {
	store := stores.RedisServer(t)
	s := begin(t, options{quick: true, settings: map[string]string{"REDIS_URL": store.URL()}})
	l := loaded(s, r, rate, 0)
	phase := l.endedRun()
	readers := min(crowd, 500)
	r.load = fmt.Sprintf("%d/s, %d readers of 500", rate, readers)
	stretch(t, store.URL(), "o:oak", phase, 8<<20)
	active := func() float64 { n, _ := s.ones["agent-svc"].metric("subrosa_streams_active"); return n }
	before := s.ones["gateway"].memory() + s.ones["agent-svc"].memory()
	base := strings.TrimPrefix(s.Facts.BaseURL, "https://")
	dialer := net.Dialer{Timeout: 10 * time.Second, Control: func(_, _ string, c syscall.RawConn) error {
		return c.Control(func(fd uintptr) { _ = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, 4096) })
	}}
	began := time.Now()

	var all sync.WaitGroup
	for range readers {
		all.Go(func() {
			raw, err := dialer.DialContext(t.Context(), "tcp", base)
			if err != nil {
				r.fail("a reader cannot connect")
				return
			}
			t.Cleanup(func() { _ = raw.Close() })
			cfg := s.Client().Transport.(*http.Transport).TLSClientConfig
			cfg.NextProtos, cfg.ServerName = []string{"http/1.1"}, "127.0.0.1"
			conn := tls.Client(raw, cfg)
			_, _ = fmt.Fprintf(conn, "GET /v1/agent/%s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n\r\n", phase, l.agents[0].bearer)
		})
	}
	all.Wait()
	most, memory := 0.0, before

	for end := time.Now().Add(patience); ; wait(t, 200*time.Millisecond) {
		n := active()
		most, memory = max(most, n), max(memory, s.ones["gateway"].memory()+s.ones["agent-svc"].memory())
		if n == 0 && most > 0 {
			break
		}
		if time.Now().After(end) {
			r.fail("%.0f streams of readers that never read are still open after %v", n, patience)
			break
		}
	}
	r.back("their places", time.Since(began), 0)
	r.note("gateway and agent-svc together: %.0f MiB before, %.0f MiB at most", before, memory)
	if memory > before+float64(readers) {
		r.fail("memory: %.0f MiB more, limit 1 MiB a reader", memory-before)
	}
	l.settle()
	r.only("503", "409 idempotency_in_progress")
}

// stretch replaces the kept events of a phase that has ended by a stream of many bytes.
func stretch(t *testing.T, at, tenant, phase string, size int) {
	t.Helper()
	options, err := redis.ParseURL(at)
	if err != nil {
		t.Fatal(err)
	}

	rdb, ctx := redis.NewClient(options), t.Context()
	defer func() { _ = rdb.Close() }()
	key := "ev:{" + tenant + "/" + phase + "}"
	kept, err := rdb.XRange(ctx, key, "-", "+").Result()
	if err != nil || len(kept) < 4 {
		t.Fatalf("the kept events: %d, %v", len(kept), err)
	}
	if err := rdb.Del(ctx, key).Err(); err != nil {
		t.Fatal(err)
	}
	n := 0
	add := func(values map[string]any) {
		n++
		if err := rdb.XAdd(ctx, &redis.XAddArgs{Stream: key, ID: strconv.Itoa(n) + "-0", Values: values}).Err(); err != nil {
			t.Fatal(err)
		}
	}
	add(kept[0].Values)
	add(kept[1].Values)

	const each = 16 << 10
	for index := range size/each + 1 {
		chunk, err := json.Marshal(api.ContentChunkEvent{
			EventHead: api.EventHead{Type: api.EventContentChunk, Seq: n + 1, PhaseID: phase, TS: api.At(time.Now())}, Index: index, Delta: strings.Repeat("x", each), Format: "text/markdown",
		})
		if err != nil {
			t.Fatal(err)
		}
		add(map[string]any{"kind": api.EventContentChunk, "data": string(chunk), "status": "", "last": "0"})
	}
	add(kept[len(kept)-1].Values)
}
