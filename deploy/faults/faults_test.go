// Package faults breaks the whole service in the ways that docs/faults.md lists and looks at what is lost, what is done twice, what is
// answered meanwhile and how long the recovery takes. The rows run one after the other and for minutes, so they are asked for by the
// variable FAULTS, as make faults does; otherwise they are skipped.
package faults

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// The loads and times of the rows, each of which a variable of its name can change.
var (
	rate     = setting("FAULTS_RATE", 50)     // requests a second
	streams  = setting("FAULTS_STREAMS", 20)  // streams at once
	kills    = setting("FAULTS_KILLS", 20)    // of F1, and half as many of F17
	crowd    = setting("FAULTS_CROWD", 200)   // readers of F11 and F12
	stopTime = seconds("FAULTS_STOP", 10)     // of F3
	steady   = seconds("FAULTS_STEADY", 3)    // load before a fault
	after    = seconds("FAULTS_AFTER", 3)     // load after the recovery
	patience = seconds("FAULTS_PATIENCE", 60) // until a row gives up waiting for a recovery
)

func setting(name string, standard int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil && n > 0 {
		return n
	}

	return standard
}

func seconds(name string, standard int) time.Duration {
	return time.Duration(setting(name, standard)) * time.Second
}

// result is one line of the table.
type result struct {
	row, fault string
	notRun     string // why, when the row cannot be proven here

	mu                   sync.Mutex
	load                 string
	lost, doubled, wrong int
	classes              map[string]int // answers by status and code
	recovery             time.Duration  // the longest
	recovered            bool           // whether recovery was measured
	notes, failures      []string
}

// note adds a figure to the line.
func (r *result) note(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.notes = append(r.notes, fmt.Sprintf(format, args...))
}

// fail makes the row one that does not hold.
func (r *result) fail(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if said := fmt.Sprintf(format, args...); len(r.failures) < 20 && !slices.Contains(r.failures, said) {
		r.failures = append(r.failures, said)
	}
}

// back records how long something took to recover, and holds it against its limit; 0 means none.
func (r *result) back(what string, took, limit time.Duration) {
	r.mu.Lock()
	r.recovery, r.recovered = max(r.recovery, took), true
	r.mu.Unlock()
	if limit > 0 && took > limit {
		r.fail("%s: back after %.1f s, limit %v", what, took.Seconds(), limit)
	}
}

// count adds an answer of a class.
func (r *result) count(class string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.classes == nil {
		r.classes = map[string]int{}
	}
	r.classes[class]++
}

// only fails the row when there were answers of other classes than good ones and those allowed, each named by its beginning.
func (r *result) only(allowed ...string) {
	allowed = append(allowed, "streams: broken off", "streams: unavailable")
	r.mu.Lock()
	others := []string{}

	for class, n := range r.classes {
		if !strings.HasPrefix(class, "2") && !slices.ContainsFunc(allowed, func(a string) bool { return strings.HasPrefix(class, a) }) {
			others = append(others, fmt.Sprintf("%d × %s", n, class))
		}
	}
	r.mu.Unlock()
	if len(others) > 0 {
		slices.Sort(others)
		r.fail("answers that have no place: %s", strings.Join(others, ", "))
	}
}

func (r *result) verdict() string {
	switch {
	case r.notRun != "":
		return "not run here"
	case len(r.failures) > 0 || r.lost > 0 || r.doubled > 0 || r.wrong > 0:
		return "FAILS"
	}

	return "holds"
}

// table is what has been found out so far.
var table struct {
	mu   sync.Mutex
	rows []*result
}

// row is one fault.
type row struct {
	name, fault string
	run         func(t *testing.T, r *result)
	notHere     string
}

var matrix = []row{
	{"F1", "kill -9 of each service", killed, ""},
	{"F2", "SIGTERM of each service, another takes over", replaced, ""},
	{"F3", "a service, Redis, MongoDB that do not answer", stopped, ""},
	{"F4", "Redis killed and started again", redisRestarted, ""},
	{"F5", "master of a Redis Cluster killed", masterKilled, ""},
	{"F6", "replication cut, then the master killed", replicationCut, ""},
	{"F7", "Redis full, read-only, loading", redisRefuses, ""},
	{"F8", "MongoDB closes in mid-answer, 10107, 11600, 91, answer lost", mongoWire, ""},
	{"F9", "MongoDB step-down, primary killed", nil, "needs a replica set of real mongod: no package of the distribution has it"},
	{"F10", "case-svc 2 s slower, 5 % resets, 1 kB/s", slowDependency, ""},
	{"F11", "readers that never read", neverRead, ""},
	{"F12", "streams that come back all at once", stampede, ""},
	{"F13", "100 card servers that never answer", silentCards, ""},
	{"F14", "clock of one service 5 min off", wrongClock, ""},
	{"F15", "disk full (documents, spool)", diskFull, ""},
	{"F16", "OpenTelemetry collector dead, then silent", collectorAway, ""},
	{"F17", "kill -9 of one of two agent-svc, runs followed and left", takenUp, ""},
	{"F18", "eight runs at once on a branch that is taken", inLine, ""},
	{"heartbeat", "p99.9 under 3.5 s with 2000 streams", nil, "make bench (BenchmarkStreams) measures it; see benchmarks.md"},
	{"memory", "none: memory under an even load", flat, ""},
	{"throughput", "none: the knee, and half of it", kneeAndHalf, ""},
}

func TestFaults(t *testing.T) {
	wanted := os.Getenv("FAULTS")
	if wanted == "" {
		t.Skip("takes minutes: ask for it by make faults")
	}

	chosen := strings.Split(wanted, ",")
	for _, m := range matrix {
		if wanted != "all" && !slices.Contains(chosen, m.name) {
			continue
		}
		r := &result{row: m.name, fault: m.fault, notRun: m.notHere}
		table.mu.Lock()
		table.rows = append(table.rows, r)
		table.mu.Unlock()
		if m.run == nil {
			continue
		}
		t.Run(m.name, func(t *testing.T) {
			ended := false

			defer func() {
				switch {
				case t.Skipped():
					r.notRun = "see above: what it needs is not here"
				case !ended:
					r.fail("the row broke off: see above")
				}
			}()
			m.run(t, r)
			ended = !t.Skipped() && !t.Failed()
			if r.verdict() == "FAILS" {
				t.Errorf("lost %d, doubled %d, wrong %d: %s", r.lost, r.doubled, r.wrong, strings.Join(r.failures, "; "))
			}
			t.Logf("%s", r.line())
		})
	}
}

func TestMain(m *testing.M) {
	code := m.Run()
	if len(table.rows) > 0 {
		print(os.Stdout)
	}
	os.Exit(code)
}

// classed writes answers by class, the most frequent first.
func (r *result) classed() string {
	var names []string
	for name := range r.classes {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(r.classes[b]-r.classes[a], strings.Compare(a, b)) })

	var parts []string
	for _, name := range names {
		parts = append(parts, fmt.Sprintf("%d × %s", r.classes[name], name))
	}

	return strings.Join(parts, ", ")
}

func (r *result) line() string {
	if r.notRun != "" {
		return fmt.Sprintf("| %s | %s | | | | | | | not run here: %s |", r.row, r.fault, r.notRun)
	}
	recovery := ""
	if r.recovered {
		recovery = fmt.Sprintf("%.1f s", r.recovery.Seconds())
	}
	remarks := strings.Join(append(slices.Clone(r.failures), r.notes...), "; ")

	return fmt.Sprintf("| %s | %s | %s | %d | %d | %d | %s | %s | %s%s |", r.row, r.fault, r.load, r.lost, r.doubled, r.wrong, r.classed(), recovery, r.verdict(),
		map[bool]string{true: ": " + remarks}[remarks != ""])
}

// print writes the whole table in Markdown.
func print(to io.Writer) {
	var b strings.Builder
	b.WriteString("\n| row | fault | load | lost | doubled | wrong | answers | back after | verdict |\n|---|---|---|--:|--:|--:|---|--:|---|\n")

	for _, r := range table.rows {
		b.WriteString(r.line() + "\n")
	}
	_, _ = io.WriteString(to, b.String())
}
