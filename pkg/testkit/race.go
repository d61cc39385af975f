package testkit

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
)

// Race lets n goroutines do the same at once and returns how many succeeded; every other error must be one of lost.
func Race(t testing.TB, n int, do func(i int) error, lost ...error) int {
	t.Helper()
	var won atomic.Int64
	var all sync.WaitGroup
	begin := make(chan struct{})

	for i := range n {
		all.Go(func() {
			<-begin

			err := do(i)
			switch {
			case err == nil:
				won.Add(1)
			case !slices.ContainsFunc(lost, func(l error) bool { return errors.Is(err, l) }):
				t.Errorf("racer %d: %v", i, err)
			}
		})
	}
	// All begin together, or the first would be done before the last is started.
	close(begin)
	all.Wait()

	return int(won.Load())
}
