package httpapi

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/rights"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/deeplink"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
	"github.com/subrosa-legal/subrosa/pkg/idempotency"
	"github.com/subrosa-legal/subrosa/pkg/ids"
)

// Leases of requests with an Idempotency-Key: longer than the request can take.
const (
	createLease = 15 * time.Second
	commitLease = time.Minute
)

func (a *API) createCase(c *gin.Context) error {
	caller := callerOf(c)
	if err := rights.CreateCase(caller); err != nil {
		return err
	}
	if _, err := httpx.Query(c); err != nil {
		return err
	}
	var body newCase
	if err := httpx.DecodeOptional(c, &body); err != nil {
		return httpx.LinkRefusal(err, a.Links.To(deeplink.AddIdentity, ""))
	}
	draft := body.draft()

	given := draft.Given()
	switch {
	case caller.Kind != access.User && slices.ContainsFunc(given, cases.Field.ForUsersOnly):
		return cases.ErrHuman.WithDeepLink(a.Links.To(deeplink.CaseSettings, ""))
	case rights.MetadataOnly(caller) && slices.ContainsFunc(
		given, func(f cases.Field) bool { return f.ForUsersOnly() && !f.Hold() },
	):
		return access.ErrForbidden
	}

	asked := request(c, "POST /v1/cases", body)
	asked.Stands = func(ctx context.Context, first idempotency.Answer) error {
		_, err := a.Cases.Store.Get(ctx, caller.Tenant, strings.TrimPrefix(first.Location, casesPath))
		if errors.Is(err, errs.ErrNotFound) {
			return cases.ErrGone
		}

		return err
	}

	return a.Idempotency.Serve(c, asked, func(m idempotency.Mark) (idempotency.Answer, error) {
		return a.newCase(c, madeBy(m, "case", caller.Tenant, m.Name), m.Fingerprint, draft)
	})
}

const casesPath = "/v1/cases/"

func (a *API) newCase(c *gin.Context, id, fingerprint string, d cases.Draft) (idempotency.Answer, error) {
	kase, err := a.Cases.Create(c.Request.Context(), tenantOf(c), actorOf(c), id, fingerprint, d)
	if err != nil {
		return idempotency.Answer{}, err
	}
	answer, err := caseAnswer(http.StatusCreated, kase, callerOf(c))
	answer.Location = casesPath + kase.ID

	return answer, err
}

// caseAnswer is an answer with a case.
func caseAnswer(status int, kase cases.Case, caller access.Caller) (idempotency.Answer, error) {
	wire, err := caseOf(kase, caller)
	if err != nil {
		return idempotency.Answer{}, err
	}
	body, _, err := document(wire)

	return idempotency.Answer{Status: status, ETag: httpx.ETag(kase.Version), Body: body}, err
}

// request is what the caller asks of a route that takes an Idempotency-Key.
func request(c *gin.Context, route string, asked any) idempotency.Request {
	return idempotency.Request{Tenant: tenantOf(c), Actor: actorOf(c), Route: route, Asked: asked, Lease: createLease}
}

// madeBy returns the id of what a request makes: the same in all repetitions of m, or a new one.
func madeBy(m idempotency.Mark, parts ...string) string {
	if m == (idempotency.Mark{}) {
		return ids.New()
	}

	return cases.DerivedID(parts...)
}

func (a *API) getCase(c *gin.Context) error {
	params, err := httpx.Query(c, "include")
	if err != nil {
		return err
	}

	return a.oneCase(c, c.Param("caseId"), params)
}

func (a *API) oneCase(c *gin.Context, id string, params map[string]string) error {
	caller := callerOf(c)
	if err := rights.ReadCase(caller); err != nil {
		return err
	}
	want, err := includesOf(params)
	if err != nil {
		return err
	}
	if err := mayInclude(caller, want); err != nil {
		return err
	}
	kase, err := a.Cases.Store.Get(c.Request.Context(), tenantOf(c), id)
	if err != nil {
		return err
	}
	if !want.any() && httpx.Unchanged(c, httpx.ETag(kase.Version)) {
		return nil
	}
	wire, err := caseOf(kase, caller)
	if err != nil {
		return err
	}
	wire = quoted(c, wire)
	if want.any() {
		return a.writeIncluding(c, kase, wire, want)
	}

	return httpx.JSON(c, http.StatusOK, wire)
}

func (a *API) deleteCase(c *gin.Context) error {
	id, err := httpx.PathID(c, "caseId")
	if err != nil {
		return err
	}
	caller := callerOf(c)
	if err := rights.DeleteCase(caller); err != nil {
		return err
	}
	query, err := httpx.Query(c, "acknowledgePending")
	if err != nil {
		return err
	}
	acknowledged, err := httpx.Flag(query, "acknowledgePending")
	if err != nil {
		return err
	}
	if err := a.Cases.Delete(
		c.Request.Context(), tenantOf(c), actorOf(c), id, httpx.IfMatch(c), acknowledged,
	); err != nil {
		return err
	}
	c.Status(http.StatusNoContent)
	c.Writer.WriteHeaderNow()

	return nil
}
