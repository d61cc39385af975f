package model

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"
)

// Steady is a Model that tries again what may pass, and leaves a provider alone that keeps failing.
type Steady struct {
	Model
	Tries     int           // of one turn, at least 1
	Pause     time.Duration // before the second try; it doubles with each
	Longest   time.Duration // that a provider may ask to wait for; who asks for more is not waited for
	Threshold int           // failures in a row after which the provider is left alone
	Rest      time.Duration // for which it is; then one turn tries it
	Now       func() time.Time
	Wait      func(ctx context.Context, d time.Duration) error // returns early with ctx's error

	mu       sync.Mutex
	failures int
	until    time.Time // it is left alone, zero when it is not
	trying   bool      // one turn tries whether it is back
}

// Usual returns m with what production uses.
func Usual(m Model, now func() time.Time) *Steady {
	return &Steady{
		Model:     m,
		Tries:     4,
		Pause:     500 * time.Millisecond,
		Longest:   30 * time.Second,
		Threshold: 5,
		Rest:      30 * time.Second,
		Now:       now,
		Wait:      wait,
	}
}

func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Chat implements Model.
func (s *Steady) Chat(ctx context.Context, r Request, heard func(bytes int)) (Reply, error) {
	for try := 1; ; try++ {
		trial, err := s.enter()
		if err != nil {
			return Reply{}, err
		}
		reply, err := s.Model.Chat(ctx, r, heard)
		s.leave(trial, err)
		var e *Error
		passing := err != nil && errors.As(err, &e) && e.Passing()
		if !passing || try >= s.Tries || e.RetryAfter > s.Longest {
			return reply, err
		}
		if err := s.Wait(ctx, s.pause(try, e.RetryAfter)); err != nil {
			return Reply{}, err
		}
	}
}

// pause is how long to wait before the next try: what the provider asks for and a little more, else a random time whose
// bound doubles.
func (s *Steady) pause(try int, asked time.Duration) time.Duration {
	bound := s.Pause << (try - 1)
	// Tries of many runs at once would come back at once; the jitter keeps them apart.
	jitter := rand.N(bound/2 + 1) //nolint:gosec // it spreads requests over time and guards nothing
	if asked > 0 {
		return asked + jitter
	}

	return bound/2 + jitter
}

// enter asks whether a turn may be tried; trial says that it is the one that tries whether the provider is back.
func (s *Steady) enter() (trial bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.until.IsZero() {
		return false, nil
	}
	if left := s.until.Sub(s.Now()); left > 0 {
		return false, &Error{Kind: Unavailable, RetryAfter: left}
	}
	if s.trying {
		return false, &Error{Kind: Unavailable, RetryAfter: s.Pause}
	}
	s.trying = true

	return true, nil
}

// leave counts how a turn went. A caller who gave up says nothing about the provider.
func (s *Steady) leave(trial bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if trial {
		s.trying = false
	}

	var e *Error
	switch {
	// A refusal is an answer: the provider works.
	case err == nil, errors.As(err, &e) && e.Kind == Refused:
		s.failures, s.until = 0, time.Time{}
	// The caller gave up, which says nothing.
	case e == nil:
	default:
		// A trial that fails begins the rest anew, whatever the count.
		if s.failures++; s.failures >= s.Threshold || trial {
			s.until = s.Now().Add(s.Rest)
		}
	}
}
