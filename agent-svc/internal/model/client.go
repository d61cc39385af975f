package model

import (
	"context"
	"io"
	"net/http"
	"sync"
	"time"
)

// Client returns a client for the requests of a provider. It takes no redirect, since one would carry the content of a
// case to somewhere else, and ends a request whose answer is silent for longer than patience.
func Client(through http.RoundTripper, patience time.Duration) *http.Client {
	return &http.Client{Transport: watched{through, patience}}
}

// watched ends requests that nothing comes from.
type watched struct {
	next     http.RoundTripper
	patience time.Duration
}

// RoundTrip implements http.RoundTripper. The error of an answer that leads elsewhere is an *Error.
func (w watched) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(r.Context())
	clock := time.AfterFunc(w.patience, cancel)
	answer, err := w.next.RoundTrip(r.WithContext(ctx))
	if err != nil {
		clock.Stop()
		cancel()

		return nil, err
	}
	// A redirect would carry the content of a case to an address that nobody configured.
	if answer.StatusCode >= http.StatusMultipleChoices && answer.StatusCode < http.StatusBadRequest {
		clock.Stop()
		cancel()
		_ = answer.Body.Close()

		return nil, &Error{Kind: Rejected, Status: answer.StatusCode}
	}
	answer.Body = &watchedBody{
		ReadCloser: answer.Body,
		clock:      clock,
		cancel:     cancel,
		patience:   w.patience,
	}

	return answer, nil
}

type watchedBody struct {
	io.ReadCloser
	clock    *time.Timer
	cancel   context.CancelFunc
	patience time.Duration
	once     sync.Once
}

// Read gives the provider its patience anew for each piece.
func (b *watchedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	// The watch may have ended the request at this moment; then nothing brings it back.
	if n > 0 && b.clock.Stop() {
		b.clock.Reset(b.patience)
	}

	return n, err
}

// Close ends the watch.
func (b *watchedBody) Close() error {
	b.once.Do(func() {
		b.clock.Stop()
		b.cancel()
	})

	return b.ReadCloser.Close()
}
