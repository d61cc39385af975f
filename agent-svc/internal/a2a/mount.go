package a2a

import (
	"log/slog"
	"net/http"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/pkg/authn"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
)

// Where the two bindings are, below the address of the service.
const (
	PathRPC  = "/a2a/rpc"
	PathREST = "/a2a/rest"
)

// Mount lays the endpoint on r, for agents alone: people and applications have ways of their own.
func (e *Endpoint) Mount(r *gin.Engine, internal *authn.Verifier, log *slog.Logger) {
	fail := func(c *gin.Context, err error) { httpx.Fail(c, log, err) }
	g := r.Group("/", internal.Middleware(fail), authn.Require(fail, authn.Agent))
	rpc, rest := http.HandlerFunc(e.ServeRPC), http.StripPrefix(PathREST, http.HandlerFunc(e.ServeREST))
	g.Any(PathRPC, gin.WrapH(rpc))
	g.Any(PathRPC+"/", gin.WrapH(rpc))
	g.Any(PathREST+"/*path", gin.WrapH(rest))
}
