package edge

import (
	"errors"
	"net/http"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/httpauth"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
)

// Session tells a page of ours who is signed in with its browser.
type Session struct {
	Sessions Sessions
}

// Serve answers GET /auth/session. That nobody is signed in is an answer like any other here: browsers log every 401
// as an error of the page. It asks the store of sessions alone, so a page learns who is signed in while other
// services are away.
func (s *Session) Serve(c *gin.Context) error {
	if _, err := httpx.Query(c); err != nil {
		return err
	}

	session, err := s.Sessions.Check(c.Request.Context(), httpauth.SessionValue(c.Request))
	if errors.Is(err, access.ErrUnauthenticated) {
		return httpx.JSON(c, http.StatusOK, api.SessionStatus{})
	}
	if err != nil {
		return err
	}
	person := &api.SignedIn{
		User:   session.Caller.UserID,
		Name:   session.Name,
		Tenant: session.Caller.Tenant,
		Roles:  nonNil(session.Caller.Roles),
	}

	return httpx.JSON(c, http.StatusOK, api.SessionStatus{Person: person})
}
