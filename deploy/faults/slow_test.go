package faults

import (
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/testkit"
)

// floor is below what a 99th percentile is not compared: on a machine that load and service share, the scheduler alone makes so much.
const floor = 100 * time.Millisecond

// lowFloor is the same for a median, which the scheduler does not move.
const lowFloor = 10 * time.Millisecond

// others compares how long a route that has nothing to do with a fault takes with how long it took before.
func (r *result) others(what string, before, meanwhile, floor time.Duration) {
	if limit := max(2*before, floor); meanwhile > limit {
		r.fail("%s: %d ms, before %d ms, limit %d ms", what, meanwhile.Milliseconds(), before.Milliseconds(), limit.Milliseconds())
		return
	}
	r.note("%s: %d ms, before %d ms", what, meanwhile.Milliseconds(), before.Milliseconds())
}

// F10: the way to case-svc becomes slow, bad and narrow.
func slowDependency(t *testing.T, r *result) {
	d := newDoor(t)
	s := begin(t, options{doors: map[string]string{"case-svc": d.Addr().String()}, before: func(s *site) { d.leadTo(s.places["case-svc"]) }})
	l := loaded(s, r, rate, 0)
	call := l.calls(l.endedRun())["case-svc"]
	wait(t, 2*steady)
	l.p99("me")
	wait(t, 3*steady)

	before := l.p99("me")
	for _, fault := range []struct {
		name string
		way  way
	}{{"2 s slower", way{delay: 2 * time.Second}}, {"5 % resets", way{resets: 0.05}}, {"1 kB/s", way{pace: 1 << 10}}} {
		l.slow.Store(0)
		d.become(fault.way)
		wait(t, 3*steady)
		meanwhile := l.p99("me")
		d.become(way{})
		d.drop() // what crawls would go on to
		r.back(fault.name, l.probe(time.Now(), call), 0)
		r.others("p99 of another route, "+fault.name, before, meanwhile, floor)
		if slow := time.Duration(l.slow.Load()); slow > 10500*time.Millisecond {
			r.fail("%s: an answer took %.1f s, limit 10 s and a little", fault.name, slow.Seconds())
		}
		wait(t, steady/2)
		l.p99("me")
	}
	l.settle()
	r.only("503", "409 idempotency_in_progress")
}

// F16: the collector of traces is gone, then takes connections and says nothing.
func collectorAway(t *testing.T, r *result) {
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = silent.Close() }()

	go func() {
		for {
			conn, err := silent.Accept()
			if err != nil {
				return
			}

			go func() { _, _ = io.Copy(io.Discard, conn); _ = conn.Close() }()
		}
	}()
	var before time.Duration

	for _, how := range []struct{ name, at string }{{"no collector asked for", ""}, {"dead", "http://" + testkit.FreeAddr(t)}, {"silent", "http://" + silent.Addr().String()}} {
		t.Run(how.name, func(t *testing.T) {
			settings := map[string]string{}
			if how.at != "" {
				settings = map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": how.at, "OTEL_TRACES_EXPORTER": "otlp", "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf"}
			}
			s := begin(t, options{settings: settings})
			l := loaded(s, r, rate, 0)
			wait(t, 2*steady)
			l.p99("me")
			wait(t, 4*steady)
			median := l.median("me")
			l.settle()
			if how.at == "" {
				before = median
				return
			}
			r.others("median with the collector "+how.name, before, median, lowFloor)
			if n, ok := s.ones["gateway"].metric("subrosa_spans_unsent"); ok && n > 0 {
				r.note("%s: %.0f spans of the gateway have not reached it", how.name, n)
			} else {
				r.fail("%s: spans that do not reach it are counted nowhere", how.name)
			}
			p := s.ones["gateway"]
			began := time.Now()
			p.signal(syscall.SIGTERM)
			select {
			case <-p.gone:
				r.note("%s: the gateway stops within %.1f s", how.name, time.Since(began).Seconds())
			case <-time.After(45 * time.Second):
				r.fail("%s: the gateway does not stop within its 45 s", how.name)
				p.kill()
			}
		})
	}
	r.only("409 idempotency_in_progress")
}

// F13: agents are to be registered whose hosts take connections and say nothing.
func silentCards(t *testing.T, r *result) {
	const hosts = 100
	s := begin(t, options{quick: true})
	l := loaded(s, r, rate, 0)
	var addrs []string

	for range hosts {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = ln.Close() })
		addrs = append(addrs, "https://"+ln.Addr().String()+"/agent.json")
	}

	var tokens []string
	for i := range hosts {
		tokens = append(tokens, s.newToken(3+i%5))
	}
	l.p99("me")
	wait(t, 3*steady)
	before := l.p99("me")

	answers := make(chan answer, hosts)
	for i := range hosts {
		go func() {
			answers <- s.send(http.MethodPost, "/v1/agents/register", "", `{"registration_token":"`+tokens[i]+`","agent_card_url":"`+addrs[i]+`"}`)
		}()
	}
	began, got := time.Now(), map[string]int{}

	for range hosts {
		a := <-answers
		got[a.class()]++
		if a.good() || a.status >= 500 && a.status != http.StatusServiceUnavailable || a.status == 0 {
			r.fail("a registration with a silent host: %s", a.class())
		}
	}
	meanwhile := l.p99("me")
	r.others("p99 of another route", before, meanwhile, floor)

	var kinds []string
	for _, class := range slices.Sorted(maps.Keys(got)) {
		kinds = append(kinds, fmt.Sprintf("%d × %s", got[class], class))
	}
	r.note("100 registrations: %s after %.1f s", strings.Join(kinds, ", "), time.Since(began).Seconds())
	good := s.register(tokens[0])
	if good.status != http.StatusCreated {
		good = s.register(s.newToken(3))
	}
	if good.status != http.StatusCreated {
		r.fail("a good registration afterwards: %s", good.class())
	}
	l.settle()
	r.only("409 idempotency_in_progress")
}
