// Package idempotency makes a POST with an Idempotency-Key safe to repeat: the insert of an intent is the lock, and the
// answer is kept with it.
package idempotency

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/instant"
)

// Keep is how long an answer can be had again.
const Keep = 24 * time.Hour

// Failures.
var (
	ErrKey = errs.New(
		errs.Invalid,
		"invalid_parameter",
		"Idempotency-Key must be one header of 1 to 255 visible ASCII characters.",
	).WithDetails(errs.Detail{Path: "Idempotency-Key"})
	ErrReused     = errs.ErrKeyReused
	ErrInProgress = errs.New(
		errs.Conflict,
		"idempotency_in_progress",
		"The first request with this Idempotency-Key is still running. Repeat it after the time in Retry-After.",
	).WithRetryAfter(time.Second)
)

// Answer is what the first request was told.
type Answer struct {
	Status   int
	Location string
	ETag     string
	Body     []byte
}

// Intent is a request under way, or its answer.
type Intent struct {
	ID          string // of Name
	Tenant      string
	Version     int64
	Fingerprint string    // SHA-256 of what was asked, in hex
	Until       time.Time // while it is open: until then somebody is at work on it
	ExpiresAt   time.Time
	Answer      *Answer // nil while it is open
}

// Store keeps intents.
type Store interface {
	// Insert saves a new intent, or returns errs.ErrTaken.
	Insert(ctx context.Context, i Intent) error
	// Get returns errs.ErrNotFound when the tenant has none of this id.
	Get(ctx context.Context, tenant string, id string) (Intent, error)
	// Replace saves i, with the next version, over the stored intent of the version of i, or returns errs.ErrTaken.
	Replace(ctx context.Context, i Intent) error
	// Delete removes the intent if it still has the version of i; it is no error when it has not.
	Delete(ctx context.Context, i Intent) error
}

// Header reads the values of the header; "" means that the caller asks for nothing.
func Header(values []string) (string, error) {
	if len(values) == 0 {
		return "", nil
	}
	key := values[0]
	// Two headers may have been joined or dropped by a proxy: nobody knows which key was meant.
	if len(values) > 1 || len(key) == 0 || len(key) > 255 {
		return "", ErrKey
	}

	for _, c := range []byte(key) {
		if c < 0x21 || c > 0x7e {
			return "", ErrKey
		}
	}

	return key, nil
}

// Name is the id of the intent of an actor's key on a route. The key itself is not stored: it may be anything.
func Name(kind, id, userID, route, key string) string {
	h := sha256.New()
	for _, part := range []string{kind, id, userID, route, key} {
		// The length goes before each part, so that "a" and "bc" are not "ab" and "c".
		fmt.Fprintf(h, "%d:%s", len(part), part)
	}

	return hex.EncodeToString(h.Sum(nil))
}

// Fingerprint is the SHA-256 of parts, in hex, each told apart from the next.
func Fingerprint(parts ...[]byte) string {
	h := sha256.New()
	for _, p := range parts {
		h.Write([]byte(strconv.Itoa(len(p)) + ":"))
		h.Write(p)
	}

	return hex.EncodeToString(h.Sum(nil))
}

// Service runs work once per key.
type Service struct {
	Store Store
	Now   func() time.Time
}

// Once returns the answer of work, or the stored one with replayed = true when the same request was answered before.
// lease is how long work may take at most: after that another request with the key takes over what a crash left, so
// work must be safe to repeat. A failure of work is not kept: the key is free again.
func (d *Service) Once(
	ctx context.Context, tenant string, name, fingerprint string, lease time.Duration, work func() (Answer, error),
) (a Answer, replayed bool, err error) {
	intent, err := d.open(ctx, Intent{ID: name, Tenant: tenant, Version: 1, Fingerprint: fingerprint}, lease)
	if err != nil {
		return Answer{}, false, err
	}
	if intent.Answer != nil {
		return *intent.Answer, true, nil
	}
	a, err = work()
	// The caller may have left, but what was done must be kept, or a repetition does it again.
	after := context.WithoutCancel(ctx)
	if err != nil {
		// Should even this fail, the lease runs out.
		return Answer{}, false, errors.Join(err, d.Store.Delete(after, intent))
	}
	intent.Answer, intent.ExpiresAt = &a, instant.Of(d.Now().Add(Keep))
	// The work is done whether or not its answer could be kept; without it a repetition does the same work again.
	_ = d.Store.Replace(after, intent)

	return a, false, nil
}

// open takes the lock for want, or finds the answer that is already there.
func (d *Service) open(ctx context.Context, want Intent, lease time.Duration) (Intent, error) {
	// Each round follows a change by somebody else.
	for range 3 {
		now := d.Now()
		want.Until, want.ExpiresAt = instant.Of(now.Add(lease)), instant.Of(now.Add(max(Keep, lease)))
		err := d.Store.Insert(ctx, want)
		if !errors.Is(err, errs.ErrTaken) {
			return want, err
		}

		found, err := d.Store.Get(ctx, want.Tenant, want.ID)
		switch {
		case errors.Is(err, errs.ErrNotFound):
			continue
		case err != nil:
			return Intent{}, err
		// The sweep that deletes old intents may be late: time decides, and not whether it ran.
		case !now.Before(found.ExpiresAt):
			if err := d.Store.Delete(ctx, found); err != nil {
				return Intent{}, err
			}

			continue
		// Before the answer is looked at: the answer to another body must never be given out.
		case found.Fingerprint != want.Fingerprint:
			return Intent{}, ErrReused
		case found.Answer != nil:
			return found, nil
		case now.Before(found.Until):
			return Intent{}, ErrInProgress
		}
		// The first request's process died. Whoever replaces this version is the one who goes on.
		found.Until, found.ExpiresAt = want.Until, want.ExpiresAt
		if err := d.Store.Replace(ctx, found); errors.Is(err, errs.ErrTaken) {
			continue
		} else if err != nil {
			return Intent{}, err
		}
		found.Version++

		return found, nil
	}

	return Intent{}, ErrInProgress
}
