// Package continuation lets a run go on whose process has died: it decides whether whoever asked for the run still
// stands, and signs for them a token that reaches this one phase.
package continuation

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/subrosa-legal/subrosa/auth-svc/internal/oauth"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/authn"
	"github.com/subrosa-legal/subrosa/pkg/errs"
)

// ErrGone means that nobody may act for the caller of a phase any more: its agent was disconnected, its grant has
// ended, or the firm has ended its user's access.
var ErrGone = errs.New(
	errs.Forbidden,
	"caller_gone",
	"The user who asked for this run no longer has access, so the run has ended.",
)

// Agents knows which agents are connected.
type Agents interface {
	// Stands reports whether the agent of a user is connected.
	Stands(ctx context.Context, tenant, agentID, userID string) (bool, error)
}

// Grants keeps what users granted to applications.
type Grants interface {
	// Find returns a grant, or an error of kind NotFound.
	Find(ctx context.Context, id string) (oauth.Grant, error)
}

// Members knows who has access to a tenant.
type Members interface {
	// Stands reports whether a user has access to a tenant.
	Stands(ctx context.Context, tenant, userID string) (bool, error)
	// RolesNow returns the roles that a user has now, or before where nobody knows.
	RolesNow(ctx context.Context, tenant, userID string, before []string) ([]string, error)
}

// Service issues continuation tokens.
type Service struct {
	Agents   Agents
	Grants   Grants
	Members  Members
	Audit    audit.Log
	Verifier *authn.Verifier
	Signer   *authn.Signer
	Now      func() time.Time
}

// Issue returns a token with the rights of the caller that a voucher of case-svc names, for the voucher's phase
// alone. It returns ErrGone when the caller does not stand any more. Either is on record before it returns.
func (d *Service) Issue(ctx context.Context, voucher string) (string, error) {
	c, err := d.believe(ctx, voucher)
	if err != nil {
		return "", err
	}
	if c.Caller.Roles, err = d.roles(ctx, c.Caller); err != nil {
		return "", err
	}
	// A role that was taken from the user meanwhile must not come back with the run.
	token, err := d.Signer.Continue(c)
	if err != nil {
		return "", err
	}

	return token, d.Audit.Record(ctx, entry(c, audit.Done))
}

// Look returns ErrGone when the caller that a voucher names does not stand any more, which is on record then. For one
// that stands there is nothing to record: nobody goes on in its name.
func (d *Service) Look(ctx context.Context, voucher string) error {
	_, err := d.believe(ctx, voucher)
	return err
}

// believe returns what a voucher says of a caller that still stands.
func (d *Service) believe(ctx context.Context, voucher string) (authn.Continuation, error) {
	c, err := d.Verifier.Voucher(voucher)
	if err != nil {
		return c, err
	}
	stands, err := d.stands(ctx, c.Caller)
	if err != nil || stands {
		return c, err
	}
	if err := d.Audit.Record(ctx, entry(c, audit.Refused)); err != nil {
		return c, err
	}

	return c, ErrGone
}

// entry is what the audit record says of a run that was to go on in the name of its caller.
func entry(c authn.Continuation, outcome string) audit.Entry {
	return audit.Entry{
		Tenant:       c.Caller.Tenant,
		Actor:        audit.Actor{Kind: audit.Service, ID: "agent-svc", UserID: c.Caller.UserID},
		Action:       "run.continued",
		ResourceType: "phase",
		ResourceID:   c.Phase.PhaseID,
		Outcome:      outcome,
	}
}

// stands reports whether a caller still has the access that it had when it asked: the member for whom it acts, and the
// agent or the grant by which it does.
func (d *Service) stands(ctx context.Context, c access.Caller) (bool, error) {
	if ok, err := d.Members.Stands(ctx, c.Tenant, c.UserID); err != nil || !ok {
		return false, err
	}

	switch c.Kind {
	case access.User:
		return c.UserID != "", nil
	case access.Agent:
		return d.Agents.Stands(ctx, c.Tenant, c.AgentID, c.UserID)
	case access.OAuth:
		return d.granted(ctx, c)
	}

	return false, nil
}

// roles returns those of a caller's roles, as they were when it asked, that its user has still. A run that is taken up
// has no right that was taken from its user meanwhile.
func (d *Service) roles(ctx context.Context, c access.Caller) ([]string, error) {
	now, err := d.Members.RolesNow(ctx, c.Tenant, c.UserID, c.Roles)
	if err != nil {
		return nil, err
	}

	return slices.DeleteFunc(slices.Clone(c.Roles), func(role string) bool { return !slices.Contains(now, role) }), nil
}

// granted reports whether the grant of an application is alive and still holds every scope of the caller.
func (d *Service) granted(ctx context.Context, c access.Caller) (bool, error) {
	g, err := d.Grants.Find(ctx, c.GrantID)
	switch {
	case errors.Is(err, errs.ErrNotFound):
		return false, nil
	case err != nil:
		return false, err
	// The names must fit together: a voucher may be older than a grant that was given anew under other names.
	case g.Tenant != c.Tenant, g.UserID != c.UserID, g.ClientID != c.ClientID:
		return false, nil
	}
	beyond := func(scope string) bool { return !slices.Contains(g.Scopes, scope) }

	return g.Alive(d.Now()) && !slices.ContainsFunc(c.Scopes, beyond), nil
}
