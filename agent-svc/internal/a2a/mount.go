package a2a

import (
	"log/slog"
	"net/http"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/authn"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
)

// Mount lays the endpoint on r, for agents alone: people and applications have ways of their own.
func (e *Endpoint) Mount(r *gin.Engine, internal *authn.Verifier, log *slog.Logger) {
	fail := func(c *gin.Context, err error) { httpx.Fail(c, log, err) }
	g := r.Group("/", internal.Middleware(fail), authn.Require(fail, authn.Agent))
	rpc, rest := http.HandlerFunc(e.ServeRPC), http.StripPrefix(api.A2APathREST, http.HandlerFunc(e.ServeREST))
	g.Any(api.A2APathRPC, gin.WrapH(rpc))
	g.Any(api.A2APathRPC+"/", gin.WrapH(rpc))
	g.Any(api.A2APathREST+"/*path", gin.WrapH(rest))
}
