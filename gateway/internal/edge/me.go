package edge

import (
	"context"
	"errors"
	"net/http"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
)

// Registry finds the connected agent of a caller.
type Registry interface {
	Me(ctx context.Context) (api.Agent, error)
}

// Me answers who the caller is, which agent is connected and which limits hold.
type Me struct {
	Registry Registry
	Limits   map[string]any
}

// Serve answers GET /v1/me.
func (m *Me) Serve(c *gin.Context) error {
	if _, err := httpx.Query(c); err != nil {
		return err
	}
	ctx := c.Request.Context()
	caller := access.CallerFrom(ctx)
	answer := api.Me{
		User:   caller.UserID,
		Name:   c.GetString(nameKey),
		Tenant: caller.Tenant,
		Kind:   string(caller.Kind),
		Roles:  nonNil(caller.Roles),
		Scopes: nonNil(caller.Scopes),
		Limits: m.Limits,
	}

	agent, err := m.Registry.Me(ctx)
	switch {
	case err == nil:
		answer.Agent = &agent
	// No agent is the usual case of a new user and no failure.
	case !errors.Is(err, errs.ErrNotFound):
		return err
	}

	return httpx.JSON(c, http.StatusOK, answer)
}

func nonNil(s []string) []string {
	if s == nil {
		return []string{}
	}

	return s
}
