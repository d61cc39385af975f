package admission

import (
	"context"
	"errors"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/runs"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/stream"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/errs"
)

// Continuer gives the token by which a run goes on in its caller's name.
type Continuer interface {
	// ContinueRun returns the token that a voucher stands for, or an error of the code caller_gone.
	ContinueRun(ctx context.Context, voucher string) (string, error)
	// CallerStands returns that error too, and begins nothing.
	CallerStands(ctx context.Context, voucher string) error
}

// errAway ends a run whose case is gone, or a file that it named.
var errAway = errs.New(errs.Conflict, "case_closed", "The case, or a file that the run named, is gone.")

// TakeUp has this process go on with a phase whose process died, in the name of whoever asked for it and with a token
// for this phase alone. A caller who has no access any more ends the phase. Without a place for another run it does
// nothing: another replica may have one, or this one at the next look. ctx acts for the service in the phase's tenant.
func (d *Service) TakeUp(ctx context.Context, p api.OpenPhase) error {
	k := stream.Key{Tenant: p.Tenant, PhaseID: p.PhaseID}

	c, err := d.Cases.Continuation(ctx, p.PhaseID)
	switch {
	case errors.Is(err, errs.ErrNotFound):
		return nil // purged with its case
	case err != nil:
		return err
	case c.Status != api.PhaseInterrupted, c.Attempt != p.Attempt:
		return nil // somebody was quicker
	case c.Voucher == "", imports(c.Caller, c.Task): // what was asked is not on record whole
		return d.Runs.GiveUp(ctx, k, p.Attempt, runs.ErrNobody)
	}
	place, full := d.Runs.ReserveFor(p, c.Caller.Tenant, Identity(c.Caller))
	if full != nil {
		return d.dismiss(ctx, k, p.Attempt, c.Voucher)
	}
	token, err := d.Auth.ContinueRun(ctx, c.Voucher)
	if err == nil {
		err = d.goOn(access.WithCaller(ctx, c.Caller, token), c, place)
	} else {
		place.GiveBack()
	}
	why := final(err)
	// A partner sees a case through an invite alone: when that has ended, the case looks gone, but it is the
	// partner who has left.
	if errors.Is(why, errAway) && c.Caller.Tenant != p.Tenant {
		why = runs.ErrCallerGone
	}
	if why != nil {
		return d.Runs.GiveUp(ctx, k, p.Attempt, why)
	}

	return err
}

// dismiss ends a phase whose caller is gone, where this process has no place for it. Whatever else keeps the phase
// from going on is for whoever has a place.
func (d *Service) dismiss(ctx context.Context, k stream.Key, attempt int, voucher string) error {
	err := d.Auth.CallerStands(ctx, voucher)
	if err == nil || errs.From(err).Code != "caller_gone" {
		return nil
	}

	return d.Runs.GiveUp(ctx, k, attempt, runs.ErrCallerGone)
}

// goOn runs the next attempt of a phase; ctx acts for its caller. When another process was quicker it does nothing.
func (d *Service) goOn(ctx context.Context, c api.Continuation, place runs.Slot) error {
	// The case may have changed its policy since the first attempt, so what answers is asked anew.
	engine, err := d.plan(ctx, c.Task)
	if err != nil {
		place.GiveBack()
		return err
	}
	// The fingerprint is that of the first request, so case-svc knows the phase for the same one.
	request := d.request(c.Caller, c.Task, c.Fingerprint, engine)
	request.AloneMs = place.Alone.Milliseconds()

	begun, err := d.Cases.BeginPhase(ctx, request)
	if err != nil || !begun.Run {
		place.GiveBack()
		return err
	}
	d.Runs.TookUp(ctx)

	return d.start(ctx, c.Caller, c.Task, begun, place)
}

// final returns why a run that could not be taken up will never be, nil for a failure that may pass.
func final(err error) error {
	refused := errs.From(err)

	switch {
	case err == nil, passes(refused):
		return nil
	case refused.Code == "caller_gone", errors.Is(err, access.ErrForbidden), errors.Is(err, access.ErrScope):
		return runs.ErrCallerGone
	case refused.Kind == errs.NotFound:
		return errAway
	case refused.Kind == errs.Conflict, refused.Kind == errs.Forbidden, refused.Kind == errs.Invalid:
		return err
	}

	return nil
}

// passes reports whether the same request may succeed in a moment: a service is away, or others write at the same time.
func passes(refused *errs.Error) bool {
	return refused.Kind == errs.Unavailable || refused.Kind == errs.TooMany || refused.RetryAfter > 0
}
