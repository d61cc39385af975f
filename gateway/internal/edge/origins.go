package edge

import (
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/gateway/internal/routes"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
)

var errOrigin = errs.New(errs.Forbidden, "origin_refused",
	"Pages from this origin may not call this endpoint. The operator lists allowed origins in GATEWAY_TRUSTED_ORIGINS.")

// What scripts of other origins may send and read. Credentials that a browser adds by itself are never among it.
const (
	corsRequest = "Authorization, Content-Type, Accept, Last-Event-ID, MCP-Protocol-Version, Mcp-Method, Mcp-Name, " +
		"Mcp-Session-Id"
	corsAnswer = "WWW-Authenticate, Retry-After, RateLimit, RateLimit-Policy, X-Request-Id, MCP-Protocol-Version, " +
		"Mcp-Session-Id"
	corsMaxAge = "600" // seconds
)

// Origins answers the scripts of web pages: it tells browsers which origins may call a route, and refuses calls of the
// MCP endpoint that come from others, so that no page can make a visitor's browser call it, by whatever name it knows
// the host.
type Origins struct {
	trusted map[string]bool
	paths   map[string]crossOrigin
	log     *slog.Logger
}

// crossOrigin is what origins may do with one path.
type crossOrigin struct {
	which   routes.Origins
	methods string
}

// NewOrigins returns the check of all; trusted are origins such as https://app.example.com.
func NewOrigins(all []routes.Route, trusted []string, log *slog.Logger) (*Origins, error) {
	o := &Origins{trusted: map[string]bool{}, paths: map[string]crossOrigin{}, log: log}
	for _, t := range trusted {
		origin, err := Origin(t)
		if err != nil {
			return nil, err
		}
		o.trusted[origin] = true
	}

	for _, r := range all {
		if r.Origins != routes.OwnOrigin {
			o.paths[r.Path] = crossOrigin{r.Origins, r.Method}
		}
	}

	return o, nil
}

// Origin returns text in the form in which browsers send an origin, or an error when it is none.
func Origin(text string) (string, error) {
	u, err := url.Parse(strings.ToLower(text))
	if err != nil || u.Scheme != "https" && u.Scheme != "http" {
		return "", errors.New("not an origin: " + text)
	}
	more := u.User != nil || u.Path+u.RawQuery+u.Fragment != ""
	if more || u.Hostname() == "" || strings.Contains(u.Host, "*") {
		return "", errors.New("not an origin: " + text)
	}
	host := u.Host
	// Browsers leave the default port out of an Origin.
	if port := map[string]string{"https": ":443", "http": ":80"}[u.Scheme]; strings.HasSuffix(host, port) {
		host = strings.TrimSuffix(host, port)
	}

	return u.Scheme + "://" + host, nil
}

// Handle stands in front of all routes.
func (o *Origins) Handle(c *gin.Context) {
	cross, ok := o.paths[c.Request.URL.Path]
	if !ok {
		return
	}
	origins := c.Request.Header.Values("Origin")
	if cross.which == routes.TrustedOrigins {
		// On refusals too, or a cache could hand one to an origin that is trusted.
		c.Writer.Header().Add("Vary", "Origin")
		if slices.ContainsFunc(origins, func(origin string) bool { return !o.trusted[origin] }) {
			httpx.Fail(c, o.log, errOrigin)
			return
		}
	}
	// No browser sends two; a request that does is given no leave.
	if len(origins) != 1 {
		return
	}
	h := c.Writer.Header()
	if cross.which == routes.TrustedOrigins {
		h.Set("Access-Control-Allow-Origin", origins[0])
	} else {
		h.Set("Access-Control-Allow-Origin", "*")
	}
	h.Set("Access-Control-Expose-Headers", corsAnswer)
	// Only the preflight of a browser names a method; any other OPTIONS goes on and gets its 405.
	if c.Request.Method == http.MethodOptions && c.GetHeader("Access-Control-Request-Method") != "" {
		h.Set("Access-Control-Allow-Methods", cross.methods)
		h.Set("Access-Control-Allow-Headers", corsRequest)
		h.Set("Access-Control-Max-Age", corsMaxAge)
		c.AbortWithStatus(http.StatusNoContent)
	}
}

// Challenge tells a client of the MCP endpoint at base where it learns how to sign in (RFC 9728) and which scopes to
// ask for. scopes are all that it may come to need, since hosts on the most used SDK cannot ask for more later; the
// person chooses among them. Only a client that sent a credential is told that it was no good (RFC 6750). The refusal
// that Challenge returns is for whoever connects the client.
func Challenge(c *gin.Context, base string, scopes []string) error {
	what := ""
	if len(c.Request.Header.Values("Authorization")) > 0 {
		what = `error="invalid_token", `
	}
	metadata := `resource_metadata="` + base + `/.well-known/oauth-protected-resource/api/mcp", `
	c.Header("WWW-Authenticate", "Bearer "+what+metadata+`scope="`+strings.Join(scopes, " ")+`"`)

	return errSignIn
}

var errSignIn = access.ErrUnauthenticated.WithMessage("A token of Subrosa's OAuth sign-in is needed. " +
	"Have the application sign its user in, as the header WWW-Authenticate tells it. " +
	"API keys and the bearer tokens of agents do not open this address.")
