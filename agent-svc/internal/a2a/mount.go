package a2a

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/pkg/a2aerr"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/httpauth"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
)

// Mount lays the endpoint on r, for agents alone: people and applications have ways of their own.
func (e *Endpoint) Mount(r *gin.Engine, internal *httpauth.Gate, log *slog.Logger) {
	fail := func(c *gin.Context, err error) { httpx.Fail(c, log, err) }
	g := r.Group("/", internal.Middleware(fail), httpauth.Require(fail, access.Agent))
	rpc, rest := http.HandlerFunc(e.ServeRPC), http.StripPrefix(api.A2APathREST, http.HandlerFunc(e.ServeREST))
	g.Any(api.A2APathRPC, counted(rpc))
	g.Any(api.A2APathRPC+"/", counted(rpc))
	g.Any(api.A2APathREST+"/*path", counted(rest))
}

type refusedKey struct{}

// counted has the failures that h tells counted as refusals, which the gateway then knows by their code.
func counted(h http.Handler) gin.HandlerFunc {
	return func(c *gin.Context) {
		refused := func(f *a2aerr.Failure) { httpx.RefuseWithin(c, &errs.Error{Code: codeOf(f)}, statusOf(f)) }
		ctx := context.WithValue(c.Request.Context(), refusedKey{}, refused)
		h.ServeHTTP(c.Writer, c.Request.WithContext(ctx))
	}
}

// codeOf returns the code of a failure: our own, or the protocol's reason where there is none.
func codeOf(f *a2aerr.Failure) string {
	return cmp.Or(f.Meta["code"], strings.ToLower(f.Reason))
}

// statusOf returns the status that a failure has elsewhere. The protocol takes what only a person may do, and what
// could be an identity, for wrong parameters.
func statusOf(f *a2aerr.Failure) int {
	if f.Meta["deepLink"] != "" {
		return http.StatusForbidden
	}

	return f.Status
}

// noteRefusal counts a failure before it is written.
func noteRefusal(ctx context.Context, f *a2aerr.Failure) {
	if refused, ok := ctx.Value(refusedKey{}).(func(*a2aerr.Failure)); ok {
		refused(f)
	}
}
