package certs

import (
	"errors"
	"log/slog"
	"os"
	"slices"
	"sync"
	"time"
)

const checkEvery = 5 * time.Second // how often a handshake looks whether the files changed

// renewed is what was read from files, and is read anew once one of them has changed. What cannot be read leaves what is in use.
type renewed[T any] struct {
	files []string
	read  func() (T, error)
	now   func() time.Time
	log   *slog.Logger

	mu      sync.Mutex
	current T
	stamps  []time.Time
	checked time.Time
	said    string // of what is wrong with the files, once
}

func open[T any](files []string, read func() (T, error), now func() time.Time, log *slog.Logger) (*renewed[T], error) {
	r := &renewed[T]{files: files, read: read, now: now, log: log}
	stamps, err := r.stat()
	if err != nil {
		return nil, err
	}
	current, err := read()
	if err != nil {
		return nil, err
	}
	r.current, r.stamps, r.checked = current, stamps, now()
	return r, nil
}

func (r *renewed[T]) get() T {
	r.mu.Lock()
	defer r.mu.Unlock()
	if now := r.now(); now.Sub(r.checked) >= checkEvery {
		r.checked = now
		r.renew()
	}
	return r.current
}

func (r *renewed[T]) renew() {
	stamps, err := r.stat()
	if err == nil && slices.EqualFunc(stamps, r.stamps, time.Time.Equal) {
		return
	}
	next, readErr := r.read()
	if err = errors.Join(err, readErr); err != nil {
		if err.Error() != r.said {
			r.said = err.Error()
			r.log.Warn("the new TLS files cannot be used; what was read before stays", "file", r.files[0], "err", err)
		}
		return
	}
	r.said = ""
	r.current, r.stamps = next, stamps
	r.log.Info("took up new TLS files", "file", r.files[0])
}

func (r *renewed[T]) stat() ([]time.Time, error) {
	stamps := make([]time.Time, 0, len(r.files))
	for _, name := range r.files {
		info, err := os.Stat(name)
		if err != nil {
			return nil, err
		}
		stamps = append(stamps, info.ModTime())
	}
	return stamps, nil
}
