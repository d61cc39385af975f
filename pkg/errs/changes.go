package errs

import (
	"context"
	"sync/atomic"
)

type changesKey struct{}

// WithChanges returns a context that remembers whether anything may have been changed in its name: by a write that a
// store did or may have done, or by a call of another service. Whoever answers a failure asks it (see MayHaveChanged)
// before saying that nothing was changed.
func WithChanges(ctx context.Context) context.Context {
	return context.WithValue(ctx, changesKey{}, new(atomic.Bool))
}

// Aside returns a context for writes that change nothing that a caller asked to be changed: records of what is tried,
// locks, counts. They do not count as changes.
func Aside(ctx context.Context) context.Context {
	if changesOf(ctx) == nil {
		return ctx
	}

	return context.WithValue(ctx, changesKey{}, (*atomic.Bool)(nil))
}

// Changed notes that something was or may have been changed. Without WithChanges it does nothing. It may be called by
// several goroutines at once.
func Changed(ctx context.Context) {
	if changed := changesOf(ctx); changed != nil && !changed.Load() {
		changed.Store(true)
	}
}

// MayHaveChanged reports whether Changed was called for ctx or a context made from it.
func MayHaveChanged(ctx context.Context) bool {
	changed := changesOf(ctx)
	return changed != nil && changed.Load()
}

// CountsChanges reports whether Changed does anything for ctx.
func CountsChanges(ctx context.Context) bool { return changesOf(ctx) != nil }

func changesOf(ctx context.Context) *atomic.Bool {
	changed, _ := ctx.Value(changesKey{}).(*atomic.Bool)
	return changed
}

// Truthful returns what may be said of e where something may have been changed: an error that holds only where nothing
// was (see Error.Untouched) becomes ErrUncertain, with the time to wait of e. All others are returned as they are.
func Truthful(ctx context.Context, e *Error) *Error {
	if e.Kind != Unavailable || !e.Untouched || !MayHaveChanged(ctx) {
		return e
	}
	if e.RetryAfter == 0 {
		return ErrUncertain
	}

	return ErrUncertain.WithRetryAfter(e.RetryAfter)
}
