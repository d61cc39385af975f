package model

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// statusOverloaded is the status by which a provider says that it has more work than it can do.
const statusOverloaded = 529

// FromStatus classifies an answer of HTTP that is no reply.
func FromStatus(status int, header http.Header) *Error {
	e := &Error{Kind: Unavailable, Status: status, RetryAfter: retryAfter(header)}
	switch {
	case status == http.StatusTooManyRequests:
		e.Kind = RateLimited
	// These pass by themselves: the provider is busy or broken.
	case status == http.StatusRequestTimeout, status == http.StatusConflict:
	case status == statusOverloaded, status >= http.StatusInternalServerError:
	default:
		e.Kind = Rejected
	}

	return e
}

// Told classifies an error that a provider names within a stream.
func Told(name string) *Error {
	has := func(parts ...string) bool {
		return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(name, part) })
	}
	switch {
	case has("rate_limit"):
		return &Error{Kind: RateLimited}
	case has("content_filter", "refus"):
		return &Error{Kind: Refused}
	case has("invalid_request", "authentication", "permission", "not_found", "too_large", "billing"):
		return &Error{Kind: Rejected}
	}
	// What has no name here may pass; Steady bounds how often that is tried.
	return &Error{Kind: Unavailable}
}

// longestAsked bounds what a provider can ask to wait for.
const longestAsked = time.Hour

// retryAfter reads how long a provider wants to be left alone: milliseconds where it says them, else whole seconds.
func retryAfter(header http.Header) time.Duration {
	for _, h := range [...]struct {
		name string
		unit time.Duration
	}{{"Retry-After-Ms", time.Millisecond}, {"Retry-After", time.Second}} {
		if n, err := strconv.ParseFloat(strings.TrimSpace(header.Get(h.name)), 64); err == nil && n > 0 {
			return time.Duration(min(n*float64(h.unit), float64(longestAsked)))
		}
	}

	return 0
}

// Ending returns the error of ctx when it has ended, for the caller's own reasons, and e otherwise.
func Ending(ctx context.Context, e *Error) error {
	if err := ctx.Err(); err != nil {
		return err
	}

	return e
}
