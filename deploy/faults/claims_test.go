package faults

import (
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"
)

var (
	soakTime = seconds("FAULTS_SOAK", 120) // of the row memory; the design wants 1800
	stepTime = seconds("FAULTS_STEP", 5)   // of each rate of the row throughput
)

// Memory: under an even load no service grows. The first fifth is for what fills once: caches, pools, connections.
func flat(t *testing.T, r *result) {
	s := begin(t, options{})
	l := loaded(s, r, rate, streams)
	wait(t, soakTime/5)
	resident, routines := map[string][]float64{}, map[string][]float64{}

	for end := time.Now().Add(soakTime * 4 / 5); time.Now().Before(end); wait(t, time.Second) {
		for _, service := range order {
			resident[service] = append(resident[service], s.ones[service].memory())
			if n, ok := s.ones[service].metric("go_goroutine_count"); ok {
				routines[service] = append(routines[service], n)
			}
		}
	}

	for _, service := range order {
		r.steady(service+", MiB", resident[service], 8)
		r.steady(service+", goroutines", routines[service], 50)
	}
	l.settle()
	r.only("409 idempotency_in_progress")
	r.load += fmt.Sprintf(", %v", soakTime)
}

// steady fails when a figure is higher by a tenth, and by more than leeway, in the last quarter than in the first, by their medians.
func (r *result) steady(what string, figures []float64, leeway float64) {
	quarter := len(figures) / 4
	if quarter == 0 {
		r.fail("%s: too short to tell", what)
		return
	}
	first, last := middle(figures[:quarter]), middle(figures[len(figures)-quarter:])
	if last > first*1.1 && last > first+leeway {
		r.fail("%s: from %.0f to %.0f", what, first, last)
		return
	}
	r.note("%s: from %.0f to %.0f", what, first, last)
}

func middle(figures []float64) float64 {
	return slices.Sorted(slices.Values(figures))[len(figures)/2]
}

// Throughput: reads of one case at rising rates up to the knee, the last rate that is answered in full with a 99th percentile under
// slowest; at half of it, once the rate beyond the knee is got over, the 99th percentile is held against the median of an idle service.
func kneeAndHalf(t *testing.T, r *result) {
	const slowest = 100 * time.Millisecond
	s := begin(t, options{quick: true})
	a := s.connect(0)
	made := s.send(http.MethodPost, "/v1/cases", a.bearer, `{"jurisdiction":"US"}`)
	if !made.good() {
		t.Fatalf("a case: %s", made.class())
	}
	call := func() answer { return s.send(http.MethodGet, made.header.Get("Location"), a.bearer, "") }
	s.offer(r, 20, stepTime, call) // what is made once is made
	idle := s.offer(r, 20, 2*stepTime, call)
	knee := 0

	for n := 50; ; n = n * 5 / 4 {
		at := s.offer(r, n, stepTime, call)
		t.Logf("%d/s: p50 %.1f ms, p99 %.1f ms, %d not answered", n, millis(percentile(at.took, 50)), millis(percentile(at.took, 99)), at.missed)
		if at.missed > 0 || percentile(at.took, 99) > slowest {
			break
		}
		knee = n
	}
	if knee == 0 {
		r.fail("no rate was answered in full within %v", slowest)
		return
	}

	p50, over := percentile(idle.took, 50), time.Now()
	for percentile(s.offer(r, 20, stepTime, call).took, 50) > p50*6/5 && time.Since(over) < time.Minute {
	}
	r.note("got over what was beyond the knee within %.0f s", time.Since(over).Seconds())
	half := s.offer(r, knee/2, 2*stepTime, call)
	r.load = fmt.Sprintf("reads, up to %d/s", knee)
	p99 := percentile(half.took, 99)
	said := fmt.Sprintf("p99 at %d/s, half of the knee: %.1f ms, %.1f times the idle median of %.1f ms", knee/2, millis(p99), float64(p99)/float64(p50), millis(p50))
	if half.missed > 0 || p99 > 2*p50 {
		r.fail("%s, limit twice", said)
		return
	}
	r.note("%s", said)
}

func millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// offered is what became of calls at one rate.
type offered struct {
	took   []time.Duration
	missed int // without a good answer, or not made because too many were under way
}

// offer makes calls at a rate for a while, whatever becomes of those before.
func (s *site) offer(r *result, rate int, while time.Duration, call func() answer) offered {
	var (
		mu    sync.Mutex
		all   offered
		under sync.WaitGroup
	)
	places := make(chan struct{}, 256)

	began := time.Now()
	for n := range int(while.Seconds() * float64(rate)) {
		wait(s.t, time.Until(began.Add(time.Duration(n)*time.Second/time.Duration(rate))))
		select {
		case places <- struct{}{}:
		default:
			mu.Lock()
			all.missed++
			mu.Unlock()

			continue
		}
		under.Go(func() {
			defer func() { <-places }()
			a := call()
			r.count(a.class())
			mu.Lock()
			defer mu.Unlock()
			if !a.good() {
				all.missed++
				return
			}
			all.took = append(all.took, a.took)
		})
	}
	under.Wait()

	return all
}
