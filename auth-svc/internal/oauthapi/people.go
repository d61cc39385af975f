package oauthapi

import (
	"errors"
	"net/http"
	"net/url"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/auth-svc/internal/oauth"
	"github.com/subrosa-legal/subrosa/auth-svc/internal/pages"
	"github.com/subrosa-legal/subrosa/auth-svc/internal/signin"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/authn"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/httpauth"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
)

// authorize begins: it checks who asks for what and sends the person to the identity provider, or asks who is signed in
// already.
func (a *API) authorize(c *gin.Context) error {
	ctx := c.Request.Context()
	asks, err := oauth.ParseAsks(c.Request.URL.RawQuery)
	if err != nil {
		return err
	}
	if err := a.SignIn.Ready(ctx); errors.Is(err, signin.ErrNotConfigured) {
		return err
	}
	browser := pages.KnownBrowser(c)
	begun, reply, err := a.Server.Authorize(ctx, asks, browser, c.GetHeader(httpx.HeaderClientAddress))
	if err != nil {
		return err
	}
	if reply.To != "" {
		return a.reply(c, reply)
	}
	anew, prompt, maxAge := asks.Anew()
	if value := httpauth.SessionValue(c.Request); value != "" && !anew && navigation(c) {
		session, err := a.Sessions.Check(ctx, value)
		switch {
		case err == nil:
			return a.askKnown(c, begun.ID, browser, session, "/oauth/authorize?"+asks.WithLogin())
		case !errors.Is(err, access.ErrUnauthenticated):
			return err
		}
	}
	to, err := a.SignIn.Address(ctx, signin.Start{
		State:    begun.ID,
		Nonce:    begun.Nonce,
		Verifier: begun.Verifier,
		Prompt:   prompt,
		MaxAge:   maxAge,
	})
	if err != nil {
		return err
	}

	return pages.Send(c, to)
}

// reply sends the browser to the client, or shows the person first where they would be sent.
func (a *API) reply(c *gin.Context, reply oauth.Reply) error {
	if reply.Why == nil {
		return pages.Send(c, reply.To)
	}
	httpx.Refuse(c, errs.New(errs.Invalid, reply.Why.Code, reply.Why.Text))

	return pages.Show(c, http.StatusBadRequest, refusedPage, refusedData{
		Style:    pages.Style(),
		Code:     reply.Why.Code,
		Text:     reply.Why.Text,
		Host:     oauth.RedirectHost(reply.To),
		Loopback: oauth.IsLoopback(reply.To),
		To:       reply.To,
		Request:  httpx.RequestID(c.Request.Context()),
	})
}

// navigation reports whether the browser opens a page. Requests of scripts and frames, even of our own site, are not
// answered in a person's name.
func navigation(c *gin.Context) bool {
	says := func(name, want string) bool {
		values := c.Request.Header.Values(name)
		return len(values) == 0 || len(values) == 1 && values[0] == want
	}

	return says("Sec-Fetch-Mode", "navigate") && says("Sec-Fetch-Dest", "document")
}

// askKnown asks a person who is signed in to the browser app.
func (a *API) askKnown(c *gin.Context, id, browser string, session authn.SessionRecord, other string) error {
	question, back, err := a.Server.AlreadySignedIn(c.Request.Context(), id, browser, session.Caller)
	if err != nil {
		return err
	}
	if back != "" {
		return pages.Send(c, back)
	}

	return a.ask(c, question, session.Account, other)
}

// callback is where the provider sends the person back to. It asks the question.
func (a *API) callback(c *gin.Context) error {
	ctx := c.Request.Context()
	query, err := url.ParseQuery(c.Request.URL.RawQuery)
	if err != nil || len(query["state"]) != 1 || len(query["code"]) > 1 || len(query["iss"]) > 1 {
		return signin.ErrAnswer
	}
	id, browser := query.Get("state"), pages.Browser(c)
	begun, err := a.Server.AtProvider(ctx, id, browser)
	if err != nil {
		return err
	}
	if query.Get("error") != "" {
		reply, err := a.Server.NotSignedIn(ctx, id, browser, query.Get("error"))
		if err != nil {
			return err
		}

		return a.reply(c, reply)
	}
	person, err := a.SignIn.Finish(
		ctx,
		signin.Answer{Code: query.Get("code"), Issuer: query.Get("iss")},
		begun.Nonce,
		begun.Verifier,
	)
	if err != nil {
		return err
	}
	question, back, err := a.Server.SignedIn(ctx, id, browser, person.Caller)
	if err != nil {
		return err
	}
	a.Tokens.Keep(ctx, person.Caller, person.Refresh)
	if back != "" {
		return pages.Send(c, back)
	}

	return a.ask(c, question, person.Account, "")
}

// consent takes the person's answer.
func (a *API) consent(c *gin.Context) error {
	form, err := readForm(c)
	if err != nil {
		return oauth.ErrForm
	}
	decision := form.Get("decision")
	if decision != "allow" && decision != "refuse" {
		return oauth.ErrForm
	}
	answer := oauth.Answer{Allow: decision == "allow"}

	for _, scope := range access.GrantScopes() {
		if form.Get(scope) == "yes" {
			answer.Scopes = append(answer.Scopes, scope)
		}
	}

	back, err := a.Server.Decide(c.Request.Context(), form.Get("request"), pages.Browser(c), form.Get("csrf"), answer)
	if err != nil {
		return err
	}

	return pages.Send(c, back)
}
