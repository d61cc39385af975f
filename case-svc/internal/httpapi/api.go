// Package httpapi answers HTTP for case-svc: it decodes strictly, asks whether the caller may, lets the domain do the
// work, and writes the forms of pkg/api.
package httpapi

import (
	"context"
	"log/slog"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/files"
	"github.com/subrosa-legal/subrosa/case-svc/internal/grants"
	"github.com/subrosa-legal/subrosa/case-svc/internal/oversight"
	"github.com/subrosa-legal/subrosa/case-svc/internal/passages"
	"github.com/subrosa-legal/subrosa/case-svc/internal/phases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/retention"
	"github.com/subrosa-legal/subrosa/case-svc/internal/settings"
	"github.com/subrosa-legal/subrosa/case-svc/internal/tasks"
	"github.com/subrosa-legal/subrosa/case-svc/internal/timeline"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/audit/chain"
	"github.com/subrosa-legal/subrosa/pkg/audit/record"
	"github.com/subrosa-legal/subrosa/pkg/authn"
	"github.com/subrosa-legal/subrosa/pkg/deeplink"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/httpauth"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
	"github.com/subrosa-legal/subrosa/pkg/idempotency"
	"github.com/subrosa-legal/subrosa/pkg/ids"
)

// API holds what the handlers share.
type API struct {
	Cases       *cases.Service
	Intake      *files.Intake
	Search      *passages.Search
	Phases      *phases.Service
	Timeline    *timeline.Service
	Work        Workspaces
	Grants      *grants.Service
	Idempotency *idempotency.Service
	Tasks       *tasks.Service
	Settings    *settings.Service
	Originals   func(ctx context.Context, tenant string) (files.Originals, error)
	Oversight   *oversight.Service
	Retention   *retention.Service
	CheckChain  func(*gin.Context) error // of the tenant's audit chain
	Rosters     Rosters
	// how old a change must be to be in the feed, so that none with an earlier time comes after it
	FeedLag  time.Duration
	Journal  audit.Log
	Record   Record
	Gate     guard.Gate
	Links    deeplink.Links
	Cursors  *httpx.Cursors[cases.Cursor]
	Admit    func(context.Context) error // until it returns nil no request is served: unique indexes decide races
	Progress time.Duration
	Log      *slog.Logger
	// Vouch signs, for auth-svc, who asked for a phase.
	Vouch func(authn.Continuation) (string, error)
}

// Record reads the audit record.
type Record interface {
	List(ctx context.Context, tenant string, f chain.Filter) ([]record.Event, error)
}

// Mount lays the routes on r. Every request shows an internal token first.
func (a *API) Mount(r *gin.Engine, verifier *httpauth.Gate) {
	fail := func(c *gin.Context, err error) { httpx.Fail(c, a.Log, err) }
	r.Use(verifier.Middleware(fail), a.ready)
	v1 := r.Group("/v1/cases", httpauth.Require(fail, access.Outside()...), httpx.NoStore)
	v1.POST("", a.handle("case.create", "case", a.createCase))
	v1.GET("", a.handle("case.list", "case", a.listCases))
	v1.GET("/:caseId", a.handle("case.read", "case", a.getCase))
	v1.PATCH("/:caseId", a.handle("case.update", "case", a.patchCase))
	v1.GET("/:caseId/export", a.handle("case.export", "case", a.people(deeplink.Export, a.exportCase)))
	v1.POST("/:caseId/restore", a.handle("case.restore", "case", a.people(deeplink.CaseSettings, a.restoreCase)))
	v1.POST(
		"/:caseId/conflict", a.handle("conflict.decide", "case", a.people(deeplink.ConflictCheck, a.decideConflict)),
	)
	v1.DELETE("/:caseId", a.handle("case.delete", "case", a.deleteCase))
	v1.POST("/:caseId/files", httpx.Handle(a.Log, drained(a.recorded("file.add", "case", a.addFiles))))
	v1.GET("/:caseId/files", a.handle("file.list", "case", a.listFiles))
	v1.POST("/:caseId/files/clearances", a.handle("file.clear", "case", a.people(deeplink.RedactFile, a.clearFile)))
	v1.GET("/:caseId/files/:fileId", a.handle("file.get", "file", a.getFile))
	v1.DELETE("/:caseId/files/:fileId", a.handle("file.delete", "file", a.people(deeplink.Files, a.deleteFile)))
	v1.GET("/:caseId/files/:fileId/text", a.handle("file.read", "file", a.getText))
	v1.GET("/:caseId/files/:fileId/content", a.handle("file.read", "file", a.getContent))

	a.mountWork(r, fail)
	a.mountAdmin(r, fail)

	own := r.Group("/v1/settings", httpauth.Require(fail, access.Outside()...), httpx.NoStore)
	own.GET("", a.handle("settings.read", "settings", a.getSettings))
	own.PATCH("", a.handle("settings.update", "settings", a.people(deeplink.Admin, a.patchSettings)))

	in := r.Group("/internal", httpauth.Require(fail, access.Inside()...), httpx.NoStore)
	in.POST("/phases", a.handle("phase.begin", "phase", a.beginPhase))
	in.GET("/phases/:phaseId", a.handle("phase.read", "phase", a.getPhase))
	in.POST("/phases/:phaseId/end", a.handle("phase.end", "phase", a.endPhase))
	in.POST("/phases/:phaseId/interrupt", a.handle("phase.interrupt", "phase", a.interruptPhase))
	in.DELETE("/phases/:phaseId/place", a.handle("phase.leave", "phase", a.leaveLine))
	in.GET(
		"/phases/:phaseId/continuation",
		httpauth.RequireIssuer(fail, "agent-svc"),
		a.handle("phase.continue", "phase", a.continuation),
	)
	in.PUT("/a2a-tasks/:taskId", a.handle("task.put", "task", a.putTask))
	in.GET("/a2a-tasks/:taskId", a.handle("task.read", "task", a.getTask))
	in.GET("/a2a-tasks", a.handle("task.list", "task", a.listTasks))
	in.GET("/open-phases", httpauth.Require(fail, access.Service), a.handle("phase.list", "phase", a.openPhases))
	in.GET("/containers/:containerType/:containerId", a.handle("container.read", "container", a.getContainer))
	in.POST("/cases/:caseId/texts", a.handle("file.read", "case", a.readTexts))
	in.POST("/cases/:caseId/search", a.handle("case.search", "case", a.searchCase))
	in.POST("/cases/:caseId/drafts", a.handle("file.draft", "case", a.saveDraft))
	in.GET("/cases/:caseId/checklist", a.handle("case.checklist", "case", a.getChecklist))
	in.GET("/cases/:caseId/cleared-words", a.handle("case.cleared_words", "case", a.getClearedWords))
	in.POST("/cases/:caseId/recount", a.handle("case.recount", "case", a.recountCase))
	in.PUT("/cases/:caseId/evaluation", a.handle("case.evaluate", "case", a.recordEvaluation))
	in.GET("/settings/allowed-words", a.handle("settings.read", "settings", a.getAllowedWords))
	in.GET("/settings/a2a", a.handle("settings.read", "settings", a.getA2ASettings))
	in.GET("/settings/authorities", a.handle("settings.read", "settings", a.getAuthorities))
	in.POST("/refusals", a.handle("refusal.record", "refusal", a.recordRefusal))
}

func (a *API) ready(c *gin.Context) {
	if err := a.Admit(c.Request.Context()); err != nil {
		httpx.Fail(c, a.Log, err)
	}
}

// handle runs a handler and records refusals under the name of the action: an answer that refuses goes out only when
// the record has it.
func (a *API) handle(action, resource string, h func(*gin.Context) error) gin.HandlerFunc {
	return httpx.Handle(a.Log, a.recorded(action, resource, h))
}

func (a *API) recorded(action, resource string, h func(*gin.Context) error) func(*gin.Context) error {
	return func(c *gin.Context) error {
		err := a.resolved(c, action, h)
		entry := audit.Entry{
			Tenant: tenantOf(c), Actor: actorOf(c), Action: action,
			ResourceType: resource, ResourceID: resourceID(c, resource),
		}

		return audit.Refusal(c.Request.Context(), a.Journal, entry, err)
	}
}

// people lets people on to a handler. Who is none is sent to one, whatever it asks for: nothing is looked up for it.
func (a *API) people(action string, h func(*gin.Context) error) func(*gin.Context) error {
	return func(c *gin.Context) error {
		if access.CallerFrom(c.Request.Context()).Kind == access.User {
			return h(c)
		}
		link := a.Links.To(action, resourceID(c, "case"))
		if phase := resourceID(c, "phase"); phase != "" {
			link += "?phase=" + phase
		}

		return cases.ErrHuman.WithDeepLink(link)
	}
}

// resourceID returns the id in the path that resource speaks of, if it has the form of one.
func resourceID(c *gin.Context, resource string) string {
	if id := c.Param(resource + "Id"); ids.Valid(id) {
		return id
	}

	return ""
}

// callerOf returns who a call acts for: a partner, when it was resolved by a grant. What the service asks of others
// goes out under the caller's own token all the same.
func callerOf(c *gin.Context) access.Caller {
	caller := access.CallerFrom(c.Request.Context())
	if g := grantOf(c); g != nil {
		return asPartner(caller, *g)
	}

	return caller
}

func tenantOf(c *gin.Context) string { return callerOf(c).Tenant }

func actorOf(c *gin.Context) audit.Actor {
	caller := callerOf(c)
	return audit.Actor{Kind: string(caller.Kind), ID: caller.ID(), UserID: caller.UserID}
}

// writeJSON answers with bytes that are JSON already.
func writeJSON(c *gin.Context, status int, body []byte) {
	c.Data(status, "application/json", body)
}
