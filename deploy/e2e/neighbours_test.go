package e2e_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
)

// lethal is the word in a prompt that kills whoever searches for it.
const lethal = "arsenic"

// searched is a search of a replica for a run.
type searched struct {
	replica int
	lethal  bool
	ctx     context.Context // ends with the search, and so with the replica
}

// deadlyWorld is some replicas of agent-svc of which each dies when it searches for a lethal prompt.
type deadlyWorld struct {
	*world
	front    *front
	replicas []*program
	addrs    []string
	searches chan searched
	first    chan struct{} // closed at the first death: until then no other search gets on
}

// slow is how long any other search takes: by then the lethal one of the same replica has long arrived.
const slow = 700 * time.Millisecond

func startDeadly(t *testing.T, replicas int) *deadlyWorld {
	t.Helper()
	d := &deadlyWorld{front: newFront(t), searches: make(chan searched, 1024), first: make(chan struct{})}
	// The services of the world themselves take nothing up.
	d.world = start(t, unlimited("AGENT_URL", d.front.url(), "AGENT_SWEEP", "24h"))

	for i := range replicas {
		door := d.door(i)
		p := d.process(
			"agent-svc", "AGENT_ADDR", testkit.FreeAddr(t), "CASE_URL", door, "AGENT_LEASE", "1500ms", "AGENT_SWEEP", "300ms",
			"AGENT_RUNS_PER_CALLER", "100",
		)
		p.start()
		d.replicas, d.addrs = append(d.replicas, p), append(d.addrs, p.addr)
	}

	return d
}

// door is the address of case-svc for a replica. It holds searches back.
func (d *deadlyWorld) door(replica int) string {
	target := &url.URL{Scheme: "http", Host: d.Services["case-svc"].Addr()}
	proxy := &httputil.ReverseProxy{
		Rewrite:      func(p *httputil.ProxyRequest) { p.SetURL(target) },
		ErrorHandler: func(rw http.ResponseWriter, _ *http.Request, _ error) { rw.WriteHeader(http.StatusBadGateway) },
	}
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if !searches(r) {
			proxy.ServeHTTP(rw, r)
			return
		}
		kills := strings.Contains(bodyOf(r), lethal)
		d.searches <- searched{replica, kills, r.Context()}
		if kills {
			<-r.Context().Done()
			return
		}

		passed := time.NewTimer(slow)
		defer passed.Stop()

		for _, open := range []<-chan struct{}{d.first, timed(passed)} {
			select {
			case <-open:
			case <-r.Context().Done():
				return
			}
		}
		proxy.ServeHTTP(rw, r)
	}))
	d.t.Cleanup(server.Close)

	return server.URL
}

// timed is a channel that is closed when a timer fires.
func timed(timer *time.Timer) <-chan struct{} {
	fired := make(chan struct{})

	go func() { <-timer.C; close(fired) }()

	return fired
}

// dies kills the replica of a search and starts it again, unless it has died since it searched.
func (d *deadlyWorld) dies(s searched) bool {
	if s.ctx.Err() != nil {
		return false
	}
	d.replicas[s.replica].kill()
	<-s.ctx.Done()
	d.replicas[s.replica].start()

	return true
}

// Prompts that kill their process are given up after two take-ups. The runs that shared the process when it died for
// the first time all come through.
func TestTheNeighboursOfAPromptThatKillsItsProcess(t *testing.T) {
	t.Parallel()

	for _, tc := range []struct{ killers, replicas, neighbours int }{{1, 2, 12}, {1, 3, 12}, {2, 2, 10}, {2, 3, 10}} {
		t.Run(fmt.Sprintf("%d among %d at %d replicas", tc.killers, tc.neighbours, tc.replicas), func(t *testing.T) {
			d := startDeadly(t, tc.replicas)
			agent := d.connect(ada)
			d.front.to(d.addrs[0])
			killers, neighbours := d.crowd(agent.bearer, tc.killers, tc.neighbours)
			var waiting []searched

			for range tc.killers + tc.neighbours {
				if s := <-d.searches; s.lethal {
					waiting = append(waiting, s)
				}
			}
			d.front.to(d.addrs...)
			close(d.first)
			deaths := d.reap(agent.bearer, killers, waiting)
			began := time.Now()

			for _, id := range neighbours {
				if p := d.phaseEnds(agent.bearer, id); p.Status != api.PhaseCompleted {
					t.Errorf("a neighbour ended %s, %+v, after %d attempts", p.Status, p.Error, p.Attempt)
				}
			}

			for _, id := range killers {
				p := d.phaseEnds(agent.bearer, id)
				if p.Status != api.PhaseFailed || p.Error == nil || p.Error.Error != "interrupted" || p.Attempt != 3 {
					t.Errorf("a killer ended %s, %+v, after %d attempts", p.Status, p.Error, p.Attempt)
				}
			}
			t.Logf("%d deaths; the neighbours had ended %.1f s after the killers", deaths, time.Since(began).Seconds())
		})
	}
}

// crowd begins so many runs whose prompts kill their process, in the midst of others, and returns their phases.
func (d *deadlyWorld) crowd(bearer string, killers, neighbours int) (killing, others []string) {
	d.t.Helper()

	for i := range killers + neighbours {
		caseID, _ := d.newCase(bearer)
		prompt, kept := question, &others
		if i%6 == 3 && len(killing) < killers {
			prompt, kept = "Find what is said about "+lethal, &killing
		}
		job := task(caseID, api.CaseReq, prompt)
		stream := d.post(bearer, job)
		stream.until("phase_start", kind(api.EventPhaseStart))
		stream.leave()
		*kept = append(*kept, job.SeedPhase.PhaseID)
	}

	return killing, others
}

// reap has replicas die of what they search for until every killer has ended, and returns how often that was.
func (d *deadlyWorld) reap(bearer string, killers []string, waiting []searched) (deaths int) {
	d.t.Helper()

	for _, s := range waiting {
		if d.dies(s) {
			deaths++
		}
	}

	deadline := time.NewTimer(2 * withinAMinute)
	defer deadline.Stop()

	look := time.NewTicker(time.Second)
	defer look.Stop()

	for {
		select {
		case s := <-d.searches:
			if s.lethal && d.dies(s) {
				deaths++
			}
		case <-look.C:
			if !slices.ContainsFunc(killers, func(id string) bool { return d.phase(bearer, id).EndedAt == nil }) {
				return deaths
			}
		case <-deadline.C:
			d.t.Fatalf("after %d deaths the killers have not ended", deaths)
		}
	}
}
