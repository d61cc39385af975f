package httpcall

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"

	"github.com/subrosa-legal/subrosa/pkg/errs"
)

// Lost returns what the caller is told of a call by method that ended with err and without an answer: that nothing was
// changed where the call only reads or cannot have been sent, and elsewhere that it may have been carried out.
func Lost(method string, err error) *errs.Error {
	if Reads(method) || unsent(err) {
		return errs.ErrUnavailable
	}

	return errs.ErrUncertain
}

// Reads reports whether calls by method change nothing.
func Reads(method string) bool {
	return method == http.MethodGet || method == http.MethodHead || method == http.MethodOptions
}

// unsent reports whether nothing of a call that failed with err can have been sent. What it does not know may have
// been.
func unsent(err error) bool {
	if err == nil {
		return false
	}
	var failed *net.OpError
	if errors.As(err, &failed) && failed.Op == "dial" || errors.Is(err, ErrOpen) {
		return true
	}

	// The client puts the method and the address before it.
	return strings.HasSuffix(err.Error(), closedIdle)
}

// Told returns what a caller is told of e. Whoever only reads hears no doubt of what a service did further in on its
// behalf. Whoever changes something is not told that nothing was changed once a store or another service may have
// changed something for the call.
func Told(ctx context.Context, onlyReads bool, e *errs.Error) *errs.Error {
	if !onlyReads {
		return errs.Truthful(ctx, e)
	}
	// Both have one code, so the sentence tells them apart.
	if e.Kind == errs.Unavailable && e.Message == errs.ErrUncertain.Message {
		return errs.ErrUnavailable
	}

	return e
}
