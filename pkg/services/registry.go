package services

import (
	"context"
	"net/http"

	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/httpcall"
)

// RegistryClient calls registry-svc for the gateway.
type RegistryClient struct{ HTTP *httpcall.Client }

// Me returns the connected agent of the caller, or errs.ErrNotFound.
func (c RegistryClient) Me(ctx context.Context) (api.Agent, error) {
	return call[api.Agent](ctx, c.HTTP, httpcall.Request{Method: http.MethodGet, Path: "/internal/agents/me"})
}
