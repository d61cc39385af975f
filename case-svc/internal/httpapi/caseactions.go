package httpapi

import (
	"context"
	"fmt"
	"net/http"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/rights"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/deeplink"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
	"github.com/subrosa-legal/subrosa/pkg/idempotency"
	"github.com/subrosa-legal/subrosa/pkg/ids"
	"github.com/subrosa-legal/subrosa/pkg/services"
)

func (a *API) restoreCase(c *gin.Context) error {
	id, caller, err := a.acting(c)
	if err != nil {
		return err
	}
	if err := rights.RestoreCase(caller, true); err != nil {
		return err
	}
	if err := noBody(c); err != nil {
		return err
	}

	return a.once(c, "POST /v1/cases/restore "+id, nil, func(ctx context.Context) (cases.Case, error) {
		return a.Cases.Restore(ctx, tenantOf(c), actorOf(c), id, httpx.IfMatch(c), func(d cases.Deletion) error {
			return rights.RestoreCase(caller, !d.By.Human())
		})
	})
}

func (a *API) decideConflict(c *gin.Context) error {
	id, caller, err := a.acting(c)
	if err != nil {
		return err
	}
	if err := rights.DecideConflict(caller); err != nil {
		return err
	}
	var in api.DecideConflict
	if err := httpx.Decode(c, &in); err != nil {
		return httpx.LinkRefusal(err, a.Links.To(deeplink.AddIdentity, id))
	}

	return a.once(c, "POST /v1/cases/conflict "+id, in, func(ctx context.Context) (cases.Case, error) {
		return a.Cases.Decide(ctx, tenantOf(c), actorOf(c), id, httpx.IfMatch(c), in.Decision, in.Reason)
	})
}

// acting returns the case of the path and the person who acts on it, for a route without parameters.
func (a *API) acting(c *gin.Context) (string, access.Caller, error) {
	id, err := httpx.PathID(c, "caseId")
	if err == nil {
		_, err = httpx.Query(c)
	}

	return id, callerOf(c), err
}

// noBody refuses anything but nothing and an empty object.
func noBody(c *gin.Context) error {
	var none struct{}
	return httpx.DecodeOptional(c, &none)
}

// once answers with the case that work returns; with an Idempotency-Key, work is done once for all requests of that
// key.
func (a *API) once(c *gin.Context, route string, in any, work func(context.Context) (cases.Case, error)) error {
	return a.Idempotency.Serve(c, request(c, route, in), func(idempotency.Mark) (idempotency.Answer, error) {
		kase, err := work(c.Request.Context())
		if err != nil {
			return idempotency.Answer{}, err
		}

		return caseAnswer(http.StatusOK, kase, callerOf(c))
	})
}

// recountCase takes the counts and the conflict status of a case anew, after party-svc changed what they come from.
func (a *API) recountCase(c *gin.Context) error {
	id, err := httpx.PathID(c, "caseId")
	if err != nil {
		return err
	}
	if tenantOf(c) == "" {
		return errs.ErrNotFound
	}
	if err := a.Cases.RecountRoster(c.Request.Context(), tenantOf(c), actorOf(c), id); err != nil {
		return err
	}
	c.Status(http.StatusNoContent)
	c.Writer.WriteHeaderNow()

	return nil
}

// rosterParties is how many parties a roster is asked for: the rules of cases need none of them.
const rosterParties = 0

// Rosters asks party-svc with the token that a request came with.
type Rosters struct{ Client services.PartyClient }

// Roster returns what party-svc knows of a case.
func (r Rosters) Roster(ctx context.Context, _ string, caseID string) (cases.Roster, error) {
	found, err := r.Client.Roster(ctx, caseID, rosterParties)
	if err != nil {
		return cases.Roster{}, err
	}

	out := cases.Roster{
		Parties: found.Counts.Parties,
		Invites: found.Counts.Invites,
		Clients: found.Counts.Clients,
		Tokens:  found.Conflict.Tokens,
	}
	for _, h := range found.Conflict.Hits {
		out.Hits = append(out.Hits, cases.Hit{CaseID: h.CaseID, Roles: h.Roles})
	}
	out.Unlisted = found.Conflict.Unlisted

	return out, nil
}

// Hold takes the turn of a case at party-svc. One that cannot be given back ends by itself.
func (r Rosters) Hold(ctx context.Context, caseID string) (func(), error) {
	holder := ids.New()
	if err := r.Client.TakeTurn(ctx, caseID, holder); err != nil {
		return nil, err
	}

	return func() { _ = r.Client.GiveTurnBack(context.WithoutCancel(ctx), caseID, holder) }, nil
}

// OthersWork asks party-svc in the name of whoever the request acts for.
func (r Rosters) OthersWork(ctx context.Context, _ string, caseID string) (bool, error) {
	return r.Client.OthersWork(ctx, caseID)
}

// labels returns the labels of the parties of a case, or errs.ErrUnavailable when party-svc does not answer.
func (r Rosters) labels(ctx context.Context, tenant, caseID string) (map[string]bool, error) {
	found, err := r.Client.Roster(asService(ctx, tenant), caseID, maxParties)
	if err != nil {
		return nil, fmt.Errorf("ask for the parties of a case: %w", err)
	}

	known := map[string]bool{}
	for _, p := range found.Parties {
		known[p.Label] = true
	}

	return known, nil
}

// Purge has party-svc delete what it keeps of a case.
func (r Rosters) Purge(ctx context.Context, tenant, caseID string) error {
	if err := r.Client.PurgeCase(asService(ctx, tenant), caseID); err != nil {
		return fmt.Errorf("have the parties of a case purged: %w", err)
	}

	return nil
}

// asService returns a context whose calls are this service's own, in the tenant.
func asService(ctx context.Context, tenant string) context.Context {
	return access.WithCaller(ctx, access.Caller{Kind: access.Service, Tenant: tenant}, "")
}
