package oauthapi

import (
	"context"
	_ "embed" // the page
	"errors"
	"html/template"
	"net/http"
	"net/url"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/auth-svc/internal/oauth"
	"github.com/subrosa-legal/subrosa/auth-svc/internal/pages"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
)

var (
	//go:embed consent.html
	consentHTML string
	//go:embed refused.html
	refusedHTML string

	consentPage = template.Must(template.New("consent").Parse(consentHTML))
	refusedPage = template.Must(template.New("refused").Parse(refusedHTML))
)

// words say what each scope lets an application do.
var words = map[string]string{
	access.ScopeRead: "Read your cases, their files and timelines, the parties by their labels, " +
		"and the directory of partners.",
	access.ScopeWrite: "Create and change cases, files, timelines and parties, and propose invitations to partners.",
	access.ScopeRun:   "Have the legal agent work on your cases, and read them for it.",
}

// choice is a scope that the person may leave out: the name of its field in the form, and what it lets an application
// do.
type choice struct{ Name, Words string }

type consentData struct {
	Style     template.CSS
	Name      string
	Person    string
	Other     string // where the same question is asked after another sign-in; "" when the person has just signed in
	Host      string
	Loopback  bool
	Described string // host of the document; "" when the application registered itself
	Scopes    []choice
	Request   string
	CSRF      string
}

// refusedData is what a person sees before a client that nobody verified learns why it does not get what it asked for.
type refusedData struct {
	Style    template.CSS
	Code     string
	Text     string
	Host     string
	Loopback bool
	To       string
	Request  string
}

// ask shows the question. other is where it is asked after another sign-in.
func (a *API) ask(c *gin.Context, q oauth.Question, person, other string) error {
	d := consentData{
		Style:    pages.Style(),
		Name:     q.Client.Name,
		Person:   person,
		Other:    other,
		Host:     oauth.RedirectHost(q.Redirect),
		Loopback: oauth.IsLoopback(q.Redirect),
		Request:  q.ID,
		CSRF:     q.CSRF,
	}
	if q.Client.Document {
		if u, err := url.Parse(q.Client.ID); err == nil {
			d.Described = u.Host
		}
	}

	for _, scope := range q.Scopes {
		d.Scopes = append(d.Scopes, choice{scope, words[scope]})
	}

	return pages.Show(c, http.StatusOK, consentPage, d)
}

// page lets a handler return its failure, which a person is told of on a page. away is what they read where the service
// is unavailable.
func (a *API) page(h func(*gin.Context) error, away func(context.Context) string) gin.HandlerFunc {
	return func(c *gin.Context) {
		pages.Guard(c)
		if err := h(c); err != nil {
			a.tell(c, err, away)
		}
	}
}

func (a *API) tell(c *gin.Context, err error, away func(context.Context) string) {
	a.note(c, err)
	var refusal *oauth.Refusal
	e := errs.From(err)
	if errors.As(err, &refusal) {
		e = errs.New(errs.Invalid, refusal.Code, refusal.Text)
	}
	if errors.Is(e, errs.ErrUnavailable) {
		e = e.WithMessage(away(c.Request.Context()))
	}
	if shown := pages.Tell(c, e, ""); shown != nil {
		httpx.Fail(c, a.Log, shown)
	}
}

// notAllowed says that a step before the person's answer failed: whatever was written, it allowed nothing.
func notAllowed(context.Context) string {
	return "The service is unavailable, and nothing was allowed. Go back to the application and try again in a minute."
}

// perhapsAllowed says that the person's answer may have been lost, and whether anything may have been allowed all the
// same.
func perhapsAllowed(ctx context.Context) string {
	if errs.MayHaveChanged(ctx) {
		return "The service is unavailable, and the application may have been allowed. " +
			"Look at your applications in a " +
			"minute, or go back to the application and try again."
	}

	return notAllowed(ctx)
}
