package certs

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/telemetry"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
)

const checkEvery = 5 * time.Second // how often a handshake or a scrape looks whether the files changed

// renewed is what was read from files, and is read anew once one of them has changed. What cannot be read leaves what
// is in use.
type renewed[T any] struct {
	files []string
	read  reader[T]
	now   func() time.Time
	log   *slog.Logger

	mu      sync.Mutex
	current T
	bounds  *x509.Certificate
	stamps  []time.Time
	checked time.Time
	failing bool // the files are such that they cannot be used
}

// reader reads the files. bounds is the certificate whose life is the life of what was read.
type reader[T any] func() (read T, bounds *x509.Certificate, err error)

// open reads the files for the first time and reports on them under purpose from then on.
func open[T any](
	purpose string,
	files []string,
	read reader[T],
	now func() time.Time,
	tel *telemetry.Telemetry,
) (*renewed[T], error) {
	r := &renewed[T]{files: files, read: read, now: now, log: tel.Log.With("purpose", purpose)}
	var err error
	if r.stamps, err = r.stat(); err != nil {
		return nil, err
	}
	if r.current, r.bounds, err = read(); err != nil {
		return nil, err
	}
	r.checked = now()

	return r, r.report(tel.Meters, purpose)
}

func (r *renewed[T]) get() T {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.look()

	return r.current
}

// look takes up files that have changed, unless it did so a moment ago.
func (r *renewed[T]) look() {
	if now := r.now(); now.Sub(r.checked) >= checkEvery {
		r.checked = now
		r.tell(r.renew())
	}
}

func (r *renewed[T]) renew() error {
	stamps, err := r.stat()
	// A pair is compared as a whole: while only one of its files is new, the two do not fit and the read below fails.
	if err != nil || slices.EqualFunc(stamps, r.stamps, time.Time.Equal) {
		return err
	}
	next, bounds, err := r.read()
	if err != nil {
		return err
	}
	r.current, r.bounds, r.stamps = next, bounds, stamps
	r.log.Info("took up new TLS files", "file", r.files[0], "not_after", bounds.NotAfter)

	return nil
}

// tell logs when the files begin to be of no use, and when that is over.
func (r *renewed[T]) tell(err error) {
	switch {
	case err != nil && !r.failing:
		r.log.Warn("the new TLS files cannot be used; what was read before stays", "file", r.files[0], "err", err)
	case err == nil && r.failing:
		r.log.Info("the TLS files can be used again", "file", r.files[0])
	}
	r.failing = err != nil
}

// report shows the life of what is in use and whether the files can be used, as one series of each metric for each
// purpose.
func (r *renewed[T]) report(meters metric.MeterProvider, purpose string) error {
	m := meters.Meter("github.com/subrosa-legal/subrosa/pkg/certs")
	from, fromErr := m.Int64ObservableGauge(
		"subrosa.certificate.not_before",
		metric.WithUnit("s"),
		metric.WithDescription("when the certificate in use began, Unix time"),
	)
	to, toErr := m.Int64ObservableGauge(
		"subrosa.certificate.not_after",
		metric.WithUnit("s"),
		metric.WithDescription("when the certificate in use ends, Unix time"),
	)
	unusable, unusableErr := m.Int64ObservableGauge(
		"subrosa.certificate.files_unusable",
		metric.WithDescription("1 while the files of a certificate cannot be used, and what was read before stays"),
	)
	of := metric.WithAttributes(attribute.String("purpose", purpose))
	_, err := m.RegisterCallback(func(_ context.Context, o metric.Observer) error {
		r.mu.Lock()
		defer r.mu.Unlock()
		// A process that is called by nobody never looks otherwise: without this the metric would show the old files.
		r.look()
		o.ObserveInt64(from, r.bounds.NotBefore.Unix(), of)
		o.ObserveInt64(to, r.bounds.NotAfter.Unix(), of)
		o.ObserveInt64(unusable, map[bool]int64{true: 1}[r.failing], of)

		return nil
	}, from, to, unusable)
	if err = errors.Join(fromErr, toErr, unusableErr, err); err != nil {
		return fmt.Errorf("report certificates: %w", err)
	}

	return nil
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
