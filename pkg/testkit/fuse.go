package testkit

import (
	"sync"

	"github.com/subrosa-legal/subrosa/pkg/errs"
)

// Fuse burns at a chosen step of a story: before the step is done, or after, when only its answer is lost.
type Fuse struct {
	Burns int // at which step; 0 means never
	After bool

	mu    sync.Mutex
	steps int
}

// Steps is how many steps were taken.
func (f *Fuse) Steps() int {
	f.mu.Lock()
	defer f.mu.Unlock()

	return f.steps
}

// Run takes a step.
func (f *Fuse) Run(do func() error) error {
	f.mu.Lock()
	f.steps++
	burn := f.steps == f.Burns
	f.mu.Unlock()
	if burn && !f.After {
		return errs.ErrUnavailable
	}
	err := do()
	if burn {
		return errs.ErrUnavailable
	}

	return err
}
