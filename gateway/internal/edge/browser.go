package edge

import (
	"net/http"
	"slices"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/authn"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/httpauth"
)

var (
	errCrossSite = errs.New(errs.Forbidden, "cross_site_refused",
		"A browser session works only for requests from this service's own pages. "+
			"Open the page at the service's address and try again; a program sends a token in Authorization.")
	errTwoWays = access.ErrUnauthenticated.WithMessage(
		"This address takes a browser's cookie and no Authorization header. Leave the header out.")
)

// ours refuses what a browser may have been made to send by a page that is not ours: it says itself where a request
// comes from. One that does not say so, being old, or sent by a program, may read; whoever changes something has to
// name our origin besides, and whoever names another may not even read.
func (a *Authenticator) ours(r *http.Request) error {
	switch site := r.Header.Values("Sec-Fetch-Site"); {
	// Old browsers and programs send none; they are judged by Origin below.
	case len(site) == 0:
	case len(site) > 1, site[0] != "same-origin" && site[0] != "none":
		return errCrossSite
	}
	origins := r.Header.Values("Origin")
	// Reading is harmless without an Origin: another page cannot see the answer.
	if len(origins) == 0 && (r.Method == http.MethodGet || r.Method == http.MethodHead) {
		return nil
	}
	if !slices.Equal(origins, []string{a.Origin}) {
		return errCrossSite
	}

	return nil
}

// ownPage lets only requests of our own pages go on to a route that looks at the cookie by itself, and none that
// brings another credential.
func (a *Authenticator) ownPage(r *http.Request) error {
	if _, other := r.Header["Authorization"]; other {
		return errTwoWays
	}

	return a.ours(r)
}

// bringsSession reports whether the session cookie is what a request has to show, and nothing else.
func bringsSession(r *http.Request) bool {
	_, other := r.Header["Authorization"]
	return !other && len(r.CookiesNamed(authn.SessionCookie)) > 0
}

// session returns the person behind the cookie.
func (a *Authenticator) session(c *gin.Context) (access.Caller, error) {
	if err := a.ours(c.Request); err != nil {
		return access.Caller{}, err
	}
	session, err := a.Sessions.Check(c.Request.Context(), httpauth.SessionValue(c.Request))
	if err != nil {
		return access.Caller{}, err
	}
	c.Set(nameKey, session.Name)
	c.Set(sessionKey, authn.SessionName(session.Caller.UserID, authn.SessionField(httpauth.SessionValue(c.Request))))

	return session.Caller, nil
}

// Where the names of the person behind a session, and of the session, are kept during a request; they go to no service.
const (
	nameKey    = "subrosa.session.name"
	sessionKey = "subrosa.session"
)

// SessionOf names the session that a request came with, "" for none.
func SessionOf(c *gin.Context) string { return c.GetString(sessionKey) }
