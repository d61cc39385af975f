// Package mcp mounts the MCP endpoint on agent-svc, behind the internal token of an application.
package mcp

import (
	"log/slog"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/mcp/protocol"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/httpauth"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
)

// Mount lays the endpoint on r. Callers of any other kind than applications have the HTTP interface.
func Mount(r *gin.Engine, internal *httpauth.Gate, endpoint *protocol.Endpoint, log *slog.Logger) {
	fail := func(c *gin.Context, err error) { httpx.Fail(c, log, err) }
	serve := func(c *gin.Context) { endpoint.ServeHTTP(c.Writer, c.Request) }

	r.POST(protocol.Path, internal.Middleware(fail), httpauth.Require(fail, access.OAuth), httpx.NoQuery(log), serve)
}
