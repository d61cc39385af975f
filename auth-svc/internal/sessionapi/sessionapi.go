// Package sessionapi answers the routes by which people sign in to the browser app and out of it: pages for their
// browsers, and JSON for the app.
package sessionapi

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/auth-svc/internal/pages"
	"github.com/subrosa-legal/subrosa/auth-svc/internal/sessions"
	"github.com/subrosa-legal/subrosa/auth-svc/internal/signin"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/authn"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/httpauth"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
)

// ProviderTokens keep the refresh tokens that come with sign-ins.
type ProviderTokens interface {
	// Keep takes the token of a person who has signed in; "" is none. It does what it can: the sign-in stands.
	Keep(ctx context.Context, c access.Caller, token string)
}

// API holds what the handlers need.
type API struct {
	Sessions *sessions.Service
	SignIn   *signin.Provider // with the redirect address {Base}/auth/callback
	Tokens   ProviderTokens
	Base     string // address of the service, without a slash at its end
	Log      *slog.Logger
}

// Mount lays the routes on r, whose callers have shown internal tokens. The caller from outside is nobody: the cookies
// decide, and the gateway has seen to it that a sign-out comes from a page of ours.
func (a *API) Mount(r gin.IRouter) {
	g := r.Group(
		"/auth",
		httpauth.Require(func(c *gin.Context, err error) { httpx.Fail(c, a.Log, err) }, access.Public),
	)
	g.GET("/login", a.page(a.login))
	g.GET("/callback", a.page(a.callback))
	g.POST("/logout", httpx.Handle(a.Log, a.logout))
}

// beginAgain is a failure with the path that the person wanted to go to.
type beginAgain struct {
	error
	to string
}

func (b beginAgain) Unwrap() error { return b.error }

// page lets a handler return its failure, which a person is told of on a page with a link to begin again.
func (a *API) page(h func(*gin.Context) error) gin.HandlerFunc {
	return func(c *gin.Context) {
		pages.Guard(c)
		err := h(c)
		if err == nil {
			return
		}
		e := errs.From(err)

		ctx := c.Request.Context()
		switch {
		case ctx.Err() != nil: // the person left
		case e.Kind == errs.Unavailable:
			a.Log.WarnContext(ctx, "request could not be served", "route", c.FullPath(), "err", err)
		case e.Kind == errs.Internal:
			a.Log.ErrorContext(ctx, "request failed", "route", c.FullPath(), "err", err)
		}
		if errors.Is(e, errs.ErrUnavailable) {
			e = e.WithMessage("The service is unavailable, and nobody was signed in. Try again in a minute.")
		}
		var again beginAgain
		link := "/auth/login"
		if errors.As(err, &again) && again.to != "/" {
			link += "?returnTo=" + url.QueryEscape(again.to)
		}
		if shown := pages.Tell(c, e, link); shown != nil {
			httpx.Fail(c, a.Log, shown)
		}
	}
}

// login sends the person to the identity provider.
func (a *API) login(c *gin.Context) error {
	ctx := c.Request.Context()
	query, err := url.ParseQuery(c.Request.URL.RawQuery)
	if err != nil || len(query["returnTo"]) > 1 {
		return sessions.ErrReturn
	}
	path := cmp.Or(query.Get("returnTo"), "/")
	if _, err := sessions.Return(path); err != nil {
		return err
	}
	if err := a.SignIn.Ready(ctx); err != nil {
		return beginAgain{err, path}
	}
	begun, err := a.Sessions.Begin(ctx, path, pages.KnownBrowser(c))
	if err != nil {
		return beginAgain{err, path}
	}
	to, err := a.SignIn.Address(ctx, signin.Start{State: begun.ID, Nonce: begun.Nonce, Verifier: begun.Verifier})
	if err != nil {
		return beginAgain{err, path}
	}

	return pages.Send(c, to)
}

// callback is where the provider sends the person back to. It makes the session.
func (a *API) callback(c *gin.Context) error {
	ctx := c.Request.Context()
	query, err := url.ParseQuery(c.Request.URL.RawQuery)
	if err != nil || len(query["state"]) != 1 || len(query["code"]) > 1 || len(query["iss"]) > 1 {
		return signin.ErrAnswer
	}
	begun, err := a.Sessions.Came(ctx, query.Get("state"), pages.Browser(c))
	if err != nil {
		return err
	}

	switch query.Get("error") {
	case "":
	case "temporarily_unavailable", "server_error":
		return beginAgain{signin.ErrProviderAway, begun.Return}
	default:
		return beginAgain{sessions.ErrRefused, begun.Return}
	}
	person, err := a.SignIn.Finish(
		ctx,
		signin.Answer{Code: query.Get("code"), Issuer: query.Get("iss")},
		begun.Nonce,
		begun.Verifier,
	)
	if err != nil {
		return beginAgain{err, begun.Return}
	}
	value, err := a.Sessions.SignIn(
		ctx,
		sessions.Person{Caller: person.Caller, Name: person.Name, Account: person.Account},
		httpauth.SessionValue(c.Request),
	)
	if err != nil {
		return beginAgain{err, begun.Return}
	}
	a.Tokens.Keep(ctx, person.Caller, person.Refresh)
	http.SetCookie(c.Writer, pages.Cookie(authn.SessionCookie, value, a.Sessions.Life))

	return pages.Send(c, a.Base+begun.Return)
}

// logout ends the session of the cookie, or all sessions of its user, and says where the browser goes on to.
func (a *API) logout(c *gin.Context) error {
	httpx.NoStore(c)
	if _, err := httpx.Query(c); err != nil {
		return err
	}
	var in api.SignOut
	if err := httpx.DecodeOptional(c, &in); err != nil {
		return err
	}
	ctx := c.Request.Context()
	if value := httpauth.SessionValue(c.Request); value != "" {
		if err := a.Sessions.SignOut(ctx, value, in.Everywhere); err != nil {
			return err
		}
	}
	http.SetCookie(c.Writer, pages.Cookie(authn.SessionCookie, "", 0))

	return httpx.JSON(c, http.StatusOK, api.SignedOut{Next: cmp.Or(a.SignIn.EndAddress(ctx, a.Base+"/"), "/")})
}
