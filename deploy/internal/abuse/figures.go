package abuse

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// call is one call of an ordinary caller.
type call struct {
	kind string
	took time.Duration
	err  error
}

// outcome counts what attackers got, by what it was.
type outcome map[string]int

// figures sum up one measurement.
type figures struct {
	calls    int
	failures []error // of ordinary calls, the first few
	failed   int
	p50, p99 time.Duration
	worst    string  // the kind of call with the highest p99
	memory   memory  // the highest
	live     settled // before
	got      outcome
}

const failuresShown = 5

func summed(calls []call, memory memory, live settled, got outcome) figures {
	f := figures{calls: len(calls), memory: memory, live: live, got: got}
	var all []time.Duration
	kinds := map[string][]time.Duration{}

	for _, c := range calls {
		all = append(all, c.took)
		kinds[c.kind] = append(kinds[c.kind], c.took)
		if c.err == nil {
			continue
		}
		if f.failed++; f.failed <= failuresShown {
			f.failures = append(f.failures, fmt.Errorf("%s: %w", c.kind, c.err))
		}
	}
	f.p50, f.p99 = percentile(all, 50), percentile(all, 99)

	slowest := time.Duration(0)
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		if p := percentile(kinds[kind], 99); p > slowest {
			f.worst, slowest = fmt.Sprintf("%s %s", kind, millis(p)), p
		}
	}

	return f
}

// percentile returns the value that percent of all do not exceed. It sorts them.
func percentile(all []time.Duration, percent int) time.Duration {
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)

	// Rounded up, so that p99 of fewer than 100 calls is the slowest one.
	return all[(len(all)*percent+99)/100-1]
}

func millis(d time.Duration) string { return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1000) }

func heading(out io.Writer) {
	fmt.Fprintf(out, "%-21s %5s %6s %10s %10s %10s %8s %10s %8s  %-18s  %s\n",
		"", "calls", "failed", "p50", "p99", "bound",
		"service", "live at 0", "stores", "slowest kind", "what the connections got")
}

// print writes a row of the table; a bound of 0 is none.
func (f figures) print(out io.Writer, name string, bound time.Duration) {
	limit := ""
	if bound > 0 {
		limit = millis(bound)
	}
	live := fmt.Sprintf("%d+%d MiB", f.live.Heap>>20, f.live.Stacks>>20)
	fmt.Fprintf(out, "%-21s %5d %6d %10s %10s %10s %4d MiB %10s %4d MiB  %-18s  %s\n",
		name, f.calls, f.failed, millis(f.p50), millis(f.p99), limit,
		f.memory.service>>20, live, f.memory.stores>>20, f.worst, f.got)
}

// over returns an error for each bound that does not hold.
func (f figures) over(c class, bound time.Duration, idle memory) []error {
	var all []error
	name := c.name

	if f.failed > 0 {
		all = append(all, fmt.Errorf("%s: %d of %d ordinary calls failed: %w", name, f.failed, f.calls, f.failures[0]))
	}
	if f.p99 > bound {
		all = append(all, fmt.Errorf("%s: p99 is %s, and may be %s", name, millis(f.p99), millis(bound)))
	}
	if more := f.memory.service - idle.service; more > memoryBound {
		all = append(all, fmt.Errorf("%s: %d MiB more than idle, and may be %d", name, more>>20, memoryBound>>20))
	}
	// Such an answer would mean that half a body was taken for a whole one.
	if n := f.got["200"] + f.got["201"]; n > 0 && !c.read {
		all = append(all, fmt.Errorf("%s: %d bodies that never came whole were answered as if they had", name, n))
	}
	if f.got["connected"] == 0 {
		all = append(all, fmt.Errorf("%s: no connection was opened, so nothing was measured", name))
	}

	return all
}

// String lists what was counted, the most frequent first.
func (o outcome) String() string {
	names := slices.SortedFunc(maps.Keys(o), func(a, b string) int { return o[b] - o[a] })
	var all []string

	for _, name := range names {
		all = append(all, fmt.Sprintf("%s ×%d", name, o[name]))
	}

	return strings.Join(all, ", ")
}

// tally is an outcome that many count in at once.
type tally struct {
	mu sync.Mutex
	of outcome
}

func (t *tally) add(what string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.of[what]++
}
