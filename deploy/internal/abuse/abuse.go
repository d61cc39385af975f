// Package abuse measures what callers who trickle do to those who do not. It starts the service as a process of its
// own, has ten ordinary callers of ten firms work with it, and holds a thousand connections open beside them that send
// or read hardly anything.
package abuse

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

// Bounds that a run is held against.
const (
	leastBound  = 100 * time.Millisecond // for p99, whatever the idle figure is
	timesIdle   = 3                      // times the idle p99, when that is more
	memoryBound = 96 << 20               // bytes of the service's resident memory above idle
)

// Plan says what to measure.
type Plan struct {
	Connections int           // of each class
	Each        time.Duration // how long each class is measured, once its connections are open
	Classes     []string      // names of classes; all of them when empty
	Program     string        // the program that serves when it is called with Serve's arguments
	Arguments   []string
	Stores      string // path of the program subrosa-stores
	Now         func() time.Time
}

// Names lists the classes.
func Names() []string {
	var all []string
	for _, c := range classes {
		all = append(all, c.name)
	}

	return all
}

// Run measures the plan, each class on a service of its own, and writes a table to out. It returns an error when a
// bound does not hold, or when nothing could be measured.
func Run(ctx context.Context, plan Plan, out io.Writer) error {
	chosen, err := choose(plan.Classes)
	if err != nil {
		return err
	}
	var failed []error

	heading(out)

	for _, c := range chosen {
		over, err := runClass(ctx, c, plan, out)
		if err != nil {
			return errors.Join(append(failed, fmt.Errorf("%s: %w", c.name, err))...)
		}
		failed = append(failed, over...)
	}

	return errors.Join(failed...)
}

// runClass measures a class between two measurements of idle, on a service and stores that begin empty: what ordinary
// callers store for one class makes the embedded stores slower, and is not to be counted against the next. It returns
// the bounds that do not hold.
func runClass(ctx context.Context, c class, plan Plan, out io.Writer) (failed []error, err error) {
	s, err := openStage(ctx, plan)
	if err != nil {
		return nil, err
	}
	defer s.close()
	// The first measurement is thrown away: it holds what happens once in a process, such as the filling of caches.
	if _, err := s.measure(ctx, nil, plan); err != nil {
		return nil, err
	}

	before, err := s.measure(ctx, nil, plan)
	if err != nil {
		return nil, err
	}
	before.print(out, "idle", 0)
	got, err := s.measure(ctx, &c, plan)
	if err != nil {
		return nil, err
	}
	after, err := s.measure(ctx, nil, plan)
	if err != nil {
		return nil, err
	}
	// A machine that others use is slower at one time than at another, so idle is measured on both sides.
	bound := max(timesIdle*max(before.p99, after.p99), leastBound)
	got.print(out, c.name, bound)
	after.print(out, "idle again", 0)

	// Failures of idle count too: a service that fails without an attack shows nothing about one.
	failed = append(failed, before.failures...)
	failed = append(failed, got.over(c, bound, before.memory)...)

	return append(failed, after.failures...), nil
}

func choose(names []string) ([]class, error) {
	if len(names) == 0 {
		return classes, nil
	}
	var chosen []class

	for _, name := range names {
		found := false

		for _, c := range classes {
			if c.name == name {
				chosen, found = append(chosen, c), true
			}
		}
		if !found {
			return nil, fmt.Errorf("there is no class %q; there are %q", name, Names())
		}
	}

	return chosen, nil
}

// measure has the ordinary callers work for a while, beside the connections of a class if one is given. The service
// first gives back what the measurement before has left.
func (s *stage) measure(ctx context.Context, c *class, plan Plan) (figures, error) {
	live, err := s.settle()
	if err != nil {
		return figures{}, err
	}
	attack := func() outcome { return nil }
	if c != nil {
		attack = s.attack(ctx, *c, plan.Connections)
	}

	watched := s.watchMemory()
	calls, err := s.ordinary(ctx, plan.Each)
	// Read before the connections are closed, while their memory is still in use.
	memory := watched()
	got := attack()
	if err != nil {
		return figures{}, err
	}

	return summed(calls, memory, live, got), nil
}
