package faults

import (
	"net/http"
	"syscall"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/testkit"
	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
)

// calls are, for each service, a call that it has a part in.
func (l *load) calls(phaseID string) map[string]func() answer {
	key := `{"api_key":"` + l.agents[0].SharedAPIKey + `"}`
	get := func(path, bearer string) func() answer {
		return func() answer { return l.s.send(http.MethodGet, path, bearer, "") }
	}
	user := l.s.token(0)

	return map[string]func() answer{
		"gateway": get("/v1/cases/"+l.kept, l.agents[0].bearer), "case-svc": get("/v1/cases/"+l.kept, l.agents[0].bearer), "registry-svc": get("/v1/agents/me", user),
		"party-svc": get("/v1/parties?caseId="+l.kept, user), "agent-svc": get("/v1/agent/"+phaseID, user),
		"auth-svc": func() answer { return l.s.send(http.MethodPost, "/v1/auth/token", "", key) },
	}
}

// endedRun has one task done and returns its phase.
func (l *load) endedRun() string {
	l.s.t.Helper()
	f := l.flow(0)
	r := f.once(l.s.as(f.bearer))
	if !r.ended {
		l.s.t.Fatalf("a run before the fault: %v", r.tries)
	}

	return r.job.SeedPhase.PhaseID
}

// works fails the test when a call does not succeed before there is any fault.
func (l *load) works(calls map[string]func() answer) {
	l.s.t.Helper()

	for name, call := range calls {
		if a := call(); !a.good() {
			l.s.t.Fatalf("before the fault, the call by way of %s: %s %.300s", name, a.class(), a.body)
		}
	}
}

// F1: processes are killed one after the other, are away for a moment and start again.
func killed(t *testing.T, r *result) {
	s := begin(t, options{})
	l := loaded(s, r, rate, streams)
	calls := l.calls(l.endedRun())
	l.works(calls)
	wait(t, steady)
	var gone time.Duration

	for n := range kills {
		service := order[n%len(order)]
		p := s.ones[service]
		p.kill()
		wait(t, 300*time.Millisecond)
		p.start()
		started := time.Now()
		r.back(service, l.first(started, calls[service]), 2*time.Second)
		if took := l.flowing(started); took > gone {
			gone = took
		}
		wait(t, steady/3)
	}
	if gone > 5*time.Second {
		r.fail("streams: p99 %.1f s until something comes again, limit 5 s", gone.Seconds())
	}
	r.note("%d kills; streams back after %.1f s (p99, worst round)", kills, gone.Seconds())
	wait(t, after)
	l.settle()
	r.only("503", "no answer", "409 idempotency_in_progress")
}

// F2: another process of a service takes over, and the first is asked to end.
func replaced(t *testing.T, r *result) {
	doors, addrs := map[string]*door{}, map[string]string{}
	for _, service := range order {
		doors[service] = newDoor(t)
		addrs[service] = doors[service].Addr().String()
	}
	s := begin(t, options{doors: addrs, before: func(s *site) {
		for _, service := range order {
			doors[service].leadTo(s.places[service])
		}
	}})
	l := loaded(s, r, rate, streams)
	wait(t, steady)
	var slowest time.Duration

	for _, service := range order {
		old := s.ones[service]
		next := s.one(service, testkit.FreeAddr(t), testkit.FreeAddr(t))
		next.start()
		s.ready(next.inside)
		doors[service].leadTo(next.addr)
		s.ones[service] = next
		began := time.Now()
		old.signal(syscall.SIGTERM)
		select {
		case <-old.gone:
		case <-time.After(45 * time.Second):
			r.fail("%s does not end within its 45 s", service)
			old.kill()
		}
		if state := old.cmd; state != nil && state.ProcessState != nil && !state.ProcessState.Success() {
			r.fail("%s ended with %v", service, state.ProcessState)
		}
		slowest = max(slowest, time.Since(began))
		r.back("streams after "+service, l.flowing(time.Now()), 5*time.Second)
	}
	r.note("a process took at most %.1f s to end", slowest.Seconds())
	wait(t, after)
	l.settle()
	r.only("409 idempotency_in_progress")
}

// F3: nothing is closed, and nothing comes any more, for a while.
func stopped(t *testing.T, r *result) {
	redis, mongo := stores.Cut(t, stores.RedisServer(t).URL()), stores.Cut(t, stores.MongoURI(t))
	s := begin(t, options{settings: map[string]string{"REDIS_URL": redis.URL(), "MONGODB_URI": mongo.URL()}})
	l := loaded(s, r, rate, streams)
	calls := l.calls(l.endedRun())
	calls["Redis"], calls["MongoDB"] = calls["case-svc"], calls["case-svc"]
	l.works(calls)
	wait(t, steady)
	gateway := s.ones["gateway"]
	before, _ := gateway.metric("go_goroutine_count")
	var most float64

	for _, what := range []string{"case-svc", "auth-svc", "agent-svc", "Redis", "MongoDB"} {
		switch what {
		case "Redis":
			redis.Stall()
		case "MongoDB":
			mongo.Stall()
		default:
			s.ones[what].signal(syscall.SIGSTOP)
		}
		l.slow.Store(0)

		refuses := gateway.opening(what)
		for end := time.Now().Add(stopTime); time.Now().Before(end); wait(t, 250*time.Millisecond) {
			if n, ok := gateway.metric("go_goroutine_count"); ok {
				most = max(most, n)
			}
			refuses.look()
		}

		switch what {
		case "Redis":
			redis.Mend()
		case "MongoDB":
			mongo.Mend()
		default:
			s.ones[what].signal(syscall.SIGCONT)
		}
		began := time.Now()
		r.back(what, l.probe(began, calls[what]), 0)
		if slow := time.Duration(l.slow.Load()); slow > 10500*time.Millisecond {
			r.fail("%s: an answer took %.1f s, limit 10 s and a little", what, slow.Seconds())
		}
		if what == "case-svc" { // the others have too few calls for a breaker to judge by
			refuses.judge(r)
		}
		l.flowing(began)
		wait(t, steady)
	}
	idle, _ := gateway.metric("go_goroutine_count")
	if limit := before + 5*256; most > limit { // five for each request that the load has under way
		r.fail("goroutines of the gateway: %.0f before, %.0f at most, limit %.0f", before, most, limit)
	}
	r.note("goroutines of the gateway: %.0f before, %.0f at most, %.0f afterwards", before, most, idle)
	l.settle()
	r.only("503", "409 idempotency_in_progress", "429")
}

// opening watches the breaker of a process before one of the services.
type opening struct {
	of      *one
	service string
	began   time.Time
	count   float64       // how often it had opened when it began
	after   time.Duration // it opened; 0 if it has not
}

func (p *one) opening(service string) *opening {
	o := &opening{of: p, service: service, began: time.Now()}
	o.count, _ = p.metric("subrosa_breaker_changes_total", `dependency="`+service+`"`, `state="open"`)

	return o
}

func (o *opening) look() {
	n, _ := o.of.metric("subrosa_breaker_changes_total", `dependency="`+o.service+`"`, `state="open"`)
	if n > o.count && o.after == 0 {
		o.after = time.Since(o.began)
	}
}

// judge fails the row unless the breaker has opened and is closed again, now that the service answers.
func (o *opening) judge(r *result) {
	state, known := o.of.metric("subrosa_breaker_state", `dependency="`+o.service+`"`)
	if !known || state != 0 || o.after == 0 {
		r.fail("the breaker before %s: opened after %.1f s (0 is never), state %.0f afterwards, want 0", o.service, o.after.Seconds(), state)
		return
	}
	r.note("the breaker before %s opened after %.1f s and closed again", o.service, o.after.Seconds())
}
