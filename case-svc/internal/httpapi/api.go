// Package httpapi answers HTTP for case-svc: it decodes strictly, asks whether the caller may, lets the domain do the work, and writes
// the forms of pkg/api.
package httpapi

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/files"
	"github.com/subrosa-legal/subrosa/case-svc/internal/idempotency"
	"github.com/subrosa-legal/subrosa/case-svc/internal/passages"
	"github.com/subrosa-legal/subrosa/case-svc/internal/phases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/rights"
	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/authn"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
)

// API holds what the handlers share.
type API struct {
	Cases    *cases.Service
	Intake   *files.Intake
	Search   *passages.Search
	Phases   *phases.Ledger
	Desk     *idempotency.Desk
	Journal  cases.Journal
	Gate     guard.Gate
	Links    cases.Links
	Cursors  *Cursors
	Ready    func() error // until it returns nil no request is served: unique indexes decide races
	Progress time.Duration
	Log      *slog.Logger
}

// Mount lays the routes on r. Every request shows an internal token first.
func (a *API) Mount(r *gin.Engine, verifier *authn.Verifier) {
	fail := func(c *gin.Context, err error) { httpx.Fail(c, a.Log, err) }
	r.Use(verifier.Middleware(fail), a.ready)
	v1 := r.Group("/v1/cases", authn.Require(fail, rights.Outside()...), noStore)
	v1.POST("", a.handle("case.create", "case", a.createCase))
	v1.GET("", a.handle("case.list", "case", a.listCases))
	v1.GET("/:caseId", a.handle("case.read", "case", a.getCase))
	v1.DELETE("/:caseId", a.handle("case.delete", "case", a.deleteCase))
	v1.POST("/:caseId/files", a.handle("file.add", "case", a.addFiles))
	v1.GET("/:caseId/files", a.handle("file.list", "case", a.listFiles))
	v1.GET("/:caseId/files/:fileId", a.handle("file.get", "file", a.getFile))
	v1.GET("/:caseId/files/:fileId/text", a.handle("file.read", "file", a.getText))
	v1.GET("/:caseId/files/:fileId/content", a.handle("file.read", "file", a.getContent))

	in := r.Group("/internal", authn.Require(fail, rights.Inside()...), noStore)
	in.POST("/phases", a.handle("phase.begin", "phase", a.beginPhase))
	in.GET("/phases/:phaseId", a.handle("phase.read", "phase", a.getPhase))
	in.POST("/phases/:phaseId/end", a.handle("phase.end", "phase", a.endPhase))
	in.POST("/phases/:phaseId/interrupt", a.handle("phase.interrupt", "phase", a.interruptPhase))
	in.GET("/open-phases", authn.Require(fail, authn.Service), a.handle("phase.list", "phase", a.openPhases))
	in.GET("/containers/:containerType/:containerId", a.handle("container.read", "container", a.getContainer))
	in.POST("/cases/:caseId/search", a.handle("case.search", "case", a.searchCase))
	in.PUT("/cases/:caseId/evaluation", a.handle("case.evaluate", "case", a.recordEvaluation))
	in.POST("/refusals", a.handle("refusal.record", "refusal", a.recordRefusal))
}

func (a *API) ready(c *gin.Context) {
	if err := a.Ready(); err != nil {
		httpx.Fail(c, a.Log, err)
	}
}

// noStore keeps what cases say out of every cache.
func noStore(c *gin.Context) { c.Header("Cache-Control", "no-store") }

// handle runs a handler and records refusals under the name of the action: an answer that refuses goes out only when the record has it.
func (a *API) handle(action, resource string, h func(*gin.Context) error) gin.HandlerFunc {
	return httpx.Handle(a.Log, func(c *gin.Context) error {
		err := h(c)
		var e *errs.Error
		if !errors.As(err, &e) || e.Kind != errs.Forbidden {
			return err
		}
		tenant, by := tenantOf(c), actorOf(c)
		if tenant == "" {
			return err // background work of no tenant has no chain
		}
		deed := cases.Deed{Tenant: tenant, Actor: by, Action: action, ResourceType: resource, ResourceID: resourceID(c, resource), Outcome: cases.Refused}
		if failed := a.Journal.Record(c.Request.Context(), deed); failed != nil {
			return fmt.Errorf("record a refusal: %w", failed)
		}
		return err
	})
}

// resourceID returns the id in the path that resource speaks of, if it has the form of one.
func resourceID(c *gin.Context, resource string) string {
	if id := c.Param(resource + "Id"); cases.ValidID(id) {
		return id
	}
	return ""
}

func callerOf(c *gin.Context) authn.Caller { return authn.CallerFrom(c.Request.Context()) }

func tenantOf(c *gin.Context) cases.TenantID { return cases.TenantID(callerOf(c).Tenant) }

func actorOf(c *gin.Context) cases.Actor {
	caller := callerOf(c)
	return cases.Actor{Kind: string(caller.Kind), ID: caller.ID(), UserID: caller.UserID}
}

// pathID returns an id of the path. What has not the form of an id names nothing.
func pathID(c *gin.Context, name string) (string, error) {
	id := c.Param(name)
	if !cases.ValidID(id) {
		return "", errs.ErrNotFound
	}
	return id, nil
}

// writeJSON answers with bytes that are JSON already.
func writeJSON(c *gin.Context, status int, body []byte) {
	c.Data(status, "application/json", body)
}

// Trail is the journal in the audit chain of the service's database.
type Trail struct{ Chain *audit.Chain }

// Record appends a deed with the id of the request it belongs to.
func (t Trail) Record(ctx context.Context, d cases.Deed) error {
	actor := d.Actor.ID
	if actor == "" {
		actor = d.Actor.UserID
	}
	_, err := t.Chain.Append(ctx, string(d.Tenant), audit.Event{
		Actor: audit.Actor{Kind: d.Actor.Kind, ID: actor}, Action: d.Action, Resource: audit.Resource{Type: d.ResourceType, ID: d.ResourceID},
		Outcome: d.Outcome, RequestID: httpx.RequestID(ctx), ContentSHA256: d.ContentSHA256,
	})
	return err
}

// parameter refuses one query parameter.
func parameter(name, remedy string) error {
	return httpx.ErrParameter.WithDetails(errs.Detail{Path: name, Message: remedy})
}
