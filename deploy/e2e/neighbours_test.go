package e2e_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
)

// lethal is the word in a prompt that kills whoever searches for it.
const (
	lethal = "arsenic"
	poison = "Find what is said about " + lethal
)

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
				d.comesThrough(agent.bearer, id)
			}

			for _, id := range killers {
				d.isGivenUp(agent.bearer, id)
			}
			t.Logf("%d deaths; the neighbours had ended %.1f s after the killers", deaths, time.Since(began).Seconds())
		})
	}
}

// crowd begins so many runs whose prompts kill their process, in the midst of others, and returns their phases.
func (d *deadlyWorld) crowd(bearer string, killers, neighbours int) (killing, others []string) {
	d.t.Helper()
	var cases []string

	for range killers + neighbours { // before the first run, whose search is held until all are there
		id, _ := d.newCase(bearer)
		cases = append(cases, id)
	}

	for i, caseID := range cases {
		prompt, kept := question, &others
		if i%6 == 3 && len(killing) < killers {
			prompt, kept = poison, &killing
		}
		job := task(caseID, api.CaseReq, prompt)
		stream := d.post(bearer, job)
		stream.until("phase_start", kind(api.EventPhaseStart))
		stream.leave()
		*kept = append(*kept, job.SeedPhase.PhaseID)
	}

	return killing, others
}

// begins posts a task until a replica takes it: they are starting again, or one of them is kept for another run.
func (d *deadlyWorld) begins(bearer string, job api.AgentTask) {
	d.t.Helper()
	testkit.Until(d.t, withinAMinute, func() error {
		stream := d.post(bearer, job)
		defer stream.leave()
		if stream.status != http.StatusOK {
			return fmt.Errorf("%d %s", stream.status, stream.answer.body)
		}

		return nil
	})
}

// New prompts that kill come again and again, at all replicas, beside other runs. Each of them is given up in the end,
// and none of the other runs fails, whichever of its attempts they meet.
func TestPromptsThatKillAgainAndAgain(t *testing.T) {
	t.Parallel()
	const (
		atOnce     = 3
		later      = 5
		neighbours = 8
	)

	d := startDeadly(t, 2)
	close(d.first)
	agent := d.connect(ada)
	d.front.turns = true
	d.front.to(d.addrs...)
	deaths := d.reapAll()
	var killers, others []string

	send := func(prompt string, kept *[]string) {
		caseID, _ := d.newCase(agent.bearer)
		job := task(caseID, api.CaseReq, prompt)
		d.begins(agent.bearer, job)
		*kept = append(*kept, job.SeedPhase.PhaseID)
	}
	for i := range neighbours {
		send(question, &others)
		if i < atOnce {
			send(poison, &killers)
		}
	}
	began := time.Now()

	for range later { // each as soon as some process takes it, and so beside what was taken up meanwhile
		before := deaths.Load()
		send(poison, &killers)
		testkit.Until(t, withinAMinute, func() error {
			if deaths.Load() == before {
				return errors.New("nobody has died of it")
			}

			return nil
		})
	}

	for _, id := range others {
		d.comesThrough(agent.bearer, id)
	}

	for _, id := range killers {
		d.isGivenUp(agent.bearer, id)
	}
	t.Logf("%d killers, %d deaths, all over after %.1f s", len(killers), deaths.Load(), time.Since(began).Seconds())
}

// comesThrough wants an innocent run to be completed, with one response.
func (d *deadlyWorld) comesThrough(bearer, phaseID string) {
	d.t.Helper()
	p := d.phaseEnds(bearer, phaseID)
	if p.Status != api.PhaseCompleted {
		d.t.Errorf("a neighbour ended %s, %+v, after %d attempts", p.Status, p.Error, p.Attempt)
	}
	var events []frame

	testkit.Until(d.t, withinAMinute, func() error { // replicas die and start again meanwhile
		stream := d.watch(bearer, phaseID)
		if stream.status != http.StatusOK {
			return fmt.Errorf("%d %s", stream.status, stream.answer.body)
		}
		events = stored(stream.all())
		if len(events) == 0 || events[len(events)-1].kind != api.EventPhaseEnd {
			return errors.New("the stream broke off")
		}

		return nil
	})
	if _, responses := attemptsOf(d.t, events); responses != 1 {
		d.t.Errorf("a neighbour has %d responses", responses)
	}
	d.t.Logf("a neighbour ended after %d attempts, %.1f s", p.Attempt, p.EndedAt.Sub(p.CreatedAt.Time).Seconds())
}

// isGivenUp wants a run that kills to have failed after two take-ups.
func (d *deadlyWorld) isGivenUp(bearer, phaseID string) {
	d.t.Helper()
	p := d.phaseEnds(bearer, phaseID)
	if p.Status != api.PhaseFailed || p.Error == nil || p.Error.Error != "interrupted" || p.Attempt != 3 {
		d.t.Errorf("a killer ended %s, %+v, after %d attempts", p.Status, p.Error, p.Attempt)
	}
}

// A run that two processes have died under is alone in the third: a new prompt that kills, sent to that very process,
// waits until the run has ended.
func TestANewPromptThatKillsMeetsALastAttempt(t *testing.T) {
	t.Parallel()
	const patience = 2 * time.Second // in which a new run begins that is let in
	d := startDeadly(t, 2)
	agent := d.connect(ada)
	d.front.to(d.addrs[0])
	caseID, _ := d.newCase(agent.bearer)
	innocent := task(caseID, api.CaseReq, question)
	d.begins(agent.bearer, innocent)

	for range 2 {
		d.dies(<-d.searches) // of what somebody else sent
	}
	last := <-d.searches
	d.front.to(d.addrs[last.replica])
	other, _ := d.newCase(agent.bearer)
	killer := task(other, api.CaseReq, poison)
	var sent sync.WaitGroup
	sent.Go(func() { d.begins(agent.bearer, killer) })

	let := time.NewTimer(patience)
	defer let.Stop()
	select {
	case s := <-d.searches:
		t.Error("a run began beside one that is to be alone")
		d.dies(s)
	case <-let.C:
	}
	close(d.first)
	d.reapAll()
	d.comesThrough(agent.bearer, innocent.SeedPhase.PhaseID)
	sent.Wait()
	d.isGivenUp(agent.bearer, killer.SeedPhase.PhaseID)
}

// reapAll has replicas die of what they search for until the test ends, and counts that.
func (d *deadlyWorld) reapAll() *atomic.Int64 {
	deaths := &atomic.Int64{}
	ended := make(chan struct{})
	var under sync.WaitGroup
	under.Go(func() {
		for {
			select {
			case s := <-d.searches:
				if s.lethal && d.dies(s) {
					deaths.Add(1)
				}
			case <-ended:
				return
			}
		}
	})
	d.t.Cleanup(func() { close(ended); under.Wait() })

	return deaths
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
