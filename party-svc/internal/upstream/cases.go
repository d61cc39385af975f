// Package upstream asks case-svc for what party-svc needs to know, and tells it what it has to do.
package upstream

import (
	"context"
	"errors"
	"sync"

	"github.com/subrosa-legal/subrosa/party-svc/internal/invites"
	"github.com/subrosa-legal/subrosa/party-svc/internal/parties"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/authn"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/services"
)

// Cases calls case-svc: with the internal token of the caller of ctx, or, for background work and for what an invited
// partner sets off in the tenant that invited them, with one of this service.
type Cases struct {
	Client services.CaseClient // its credential is access.Forward
	Signer *authn.Signer
}

// Case returns a case as the caller may see it.
func (u Cases) Case(ctx context.Context, id string) (parties.Case, error) {
	c, err := u.Client.CaseByID(ctx, id)
	return parties.Case{ID: c.CaseID, Status: c.Status, Joint: c.JointRepresentation}, err
}

// BlocksConflicts reads the tenant's settings.
func (u Cases) BlocksConflicts(ctx context.Context) (bool, error) {
	policy, err := u.Client.ConflictPolicy(ctx)
	return policy == api.ConflictsBlock, err
}

// asked bounds the calls that one answer makes at once.
const asked = 8

// Visible asks about several cases at once.
func (u Cases) Visible(ctx context.Context, ids []string) (map[string]bool, error) {
	var (
		work   sync.WaitGroup
		places = make(chan struct{}, asked)
		mu     sync.Mutex
		seen   = map[string]bool{}
		failed error
	)
	for _, id := range ids {
		places <- struct{}{}
		work.Go(func() {
			defer func() { <-places }()
			_, err := u.Client.CaseByID(ctx, id)
			mu.Lock()
			defer mu.Unlock()

			switch {
			case err == nil:
				seen[id] = true
			case !errors.Is(err, errs.ErrNotFound):
				failed = err
			}
		})
	}
	work.Wait()

	return seen, failed
}

// asService returns a context whose calls are this service's own, in the tenant.
func (u Cases) asService(ctx context.Context, tenant string) (context.Context, error) {
	caller := access.Caller{Kind: access.Service, Tenant: tenant}
	token, err := u.Signer.Token(caller)
	if err != nil {
		return nil, err
	}

	return access.WithCaller(ctx, caller, token), nil
}

// RosterChanged has a case of the tenant counted again.
func (u Cases) RosterChanged(ctx context.Context, tenant, caseID string) error {
	ctx, err := u.asService(ctx, tenant)
	if err != nil {
		return err
	}

	return u.Client.RosterChanged(ctx, caseID)
}

// Matter returns a case as the caller may see it.
func (u Cases) Matter(ctx context.Context, id string) (invites.Matter, error) {
	c, err := u.Client.CaseByID(ctx, id)
	if err != nil {
		return invites.Matter{}, err
	}

	m := invites.Matter{
		CaseID:         c.CaseID,
		Status:         c.Status,
		ConflictStatus: c.Conflict.Status,
		MatterKind:     c.MatterKind,
		Jurisdiction:   c.Jurisdiction,
		Language:       c.Language,
	}
	for _, a := range c.PracticeAreas {
		m.Areas = append(m.Areas, invites.Area(a))
	}
	if x := c.Complexity; x != nil && x.Tier != nil {
		m.Tier = *x.Tier
	}

	return m, nil
}

// CheckScope asks whether a scope lies in the case.
func (u Cases) CheckScope(ctx context.Context, caseID string, s invites.Scope) error {
	return u.Client.CheckScope(ctx, caseID, api.InviteScope{BranchIDs: filled(s.BranchIDs), FileIDs: filled(s.FileIDs)})
}

// filled keeps lists from being null on the wire.
func filled(list []string) []string {
	if list == nil {
		return []string{}
	}

	return list
}

// PutGrant opens or ends a grant in the tenant of the case, as this service.
func (u Cases) PutGrant(ctx context.Context, g invites.Grant) error {
	ctx, err := u.asService(ctx, g.CaseTenant)
	if err != nil {
		return err
	}

	return u.Client.PutGrant(ctx, api.Grant{
		InviteID:      g.InviteID,
		CaseID:        g.CaseID,
		PartnerID:     g.PartnerID,
		PartnerTenant: g.PartnerTenant,
		PartnerUserID: g.UserID,
		BranchIDs:     filled(g.Scope.BranchIDs),
		FileIDs:       filled(g.Scope.FileIDs),
		Ended:         g.Ended,
	})
}
