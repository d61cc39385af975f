// Package audit puts what a service does on record before it takes effect, whichever record that is.
package audit

import (
	"context"
	"errors"
	"fmt"

	"github.com/subrosa-legal/subrosa/pkg/errs"
)

// Kinds of actor: those of the internal token, and partner for an invited professional who acts in the tenant that
// invited them.
const (
	User    = "user"
	Agent   = "agent"
	OAuth   = "oauth"
	Service = "service"
	Partner = "partner"
)

// Actor is who did something.
type Actor struct {
	Kind   string
	ID     string
	UserID string // for an agent or an application the user it acts for
}

// Human reports whether the actor is a person with a session of their own.
func (a Actor) Human() bool { return a.Kind == User || a.Kind == Partner }

// Outcomes of entries.
const (
	Done    = "ok"
	Refused = "refused"
	Failed  = "failed"
)

// Entry is what the audit record keeps of an action. It never holds content.
type Entry struct {
	Tenant        string
	Actor         Actor
	Action        string // noun.verb
	ResourceType  string
	ResourceID    string
	Outcome       string
	ContentSHA256 string // in hex; "" when there is none
}

// Log is the audit record. An entry is recorded before what it names takes effect, so that no change is without its
// record; one that fails afterwards is recorded a second time as failed.
type Log interface {
	// Record appends an entry. An error means that what it names must not happen.
	Record(ctx context.Context, d Entry) error
}

// RecordAll records entries of one tenant, in one step where the journal can: all of them or, after an error, perhaps
// the first of them. An error means that none of them must happen.
func RecordAll(ctx context.Context, j Log, deeds []Entry) error {
	if together, ok := j.(interface {
		RecordAll(ctx context.Context, deeds []Entry) error
	}); ok {
		return together.RecordAll(ctx, deeds)
	}

	// A record that knows one entry at a time has a part of them after a failure. None of them has happened.
	for _, d := range deeds {
		if err := j.Record(ctx, d); err != nil {
			return err
		}
	}

	return nil
}

// Do records d, does it, and records it again when it failed.
func Do(ctx context.Context, j Log, d Entry, do func() error) error {
	d.Outcome = Done
	if err := j.Record(ctx, d); err != nil {
		return fmt.Errorf("record %s: %w", d.Action, err)
	}
	err := do()
	if err == nil {
		return nil
	}
	d.Outcome = Failed
	// The caller may be gone, but the record must not go on saying that it was done.
	if second := j.Record(context.WithoutCancel(ctx), d); second != nil {
		return errors.Join(err, fmt.Errorf("record that %s failed: %w", d.Action, second))
	}

	return err
}

// Refusal records d as refused when err refuses, and returns err: an answer that refuses goes out only when the record
// has it. An entry of no tenant has no chain and goes unrecorded. It is recorded also when ctx has ended: a caller who
// does not wait for the answer was refused all the same.
func Refusal(ctx context.Context, j Log, d Entry, err error) error {
	var e *errs.Error
	// Only a refusal of rights is an event. A mistake in the input is the caller's own affair.
	if !errors.As(err, &e) || e.Kind != errs.Forbidden || d.Tenant == "" {
		return err
	}
	d.Outcome = Refused
	if failed := j.Record(context.WithoutCancel(ctx), d); failed != nil {
		return fmt.Errorf("record a refusal: %w", failed)
	}

	return err
}
