// Package pages shows people what auth-svc has to say to them, on pages that need no script, and knows their browsers
// again between the steps of a sign-in.
package pages

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // the pages
	"encoding/base64"
	"html/template"
	"net/http"
	"regexp"
	"strconv"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/auth-svc/internal/secret"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/httpcall"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
)

var (
	//go:embed style.css
	style string
	//go:embed message.html
	messageHTML string

	messagePage = template.Must(template.New("message").Parse(messageHTML))

	// policy lets a page have its own style and nothing else. It has no form-action: some browsers apply that to where
	// a form's answer leads, too, and it leads to the application.
	policy = "default-src 'none'; style-src 'sha256-" + sumOf(style) + "'; base-uri 'none'; frame-ancestors 'none'"
)

func sumOf(s string) string {
	sum := sha256.Sum256([]byte(s))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// Style is what every page has in its head; the content policy lets in nothing else.
func Style() template.CSS { return template.CSS(style) } //nolint:gosec // a file of ours

// Guard sets the headers of pages: none is kept, framed, or told to whom it leads.
func Guard(c *gin.Context) {
	for name, value := range map[string]string{
		"Cache-Control":           "no-store",
		"Content-Security-Policy": policy,
		// Older browsers do not know frame-ancestors of the policy.
		"X-Frame-Options":        "DENY",
		"X-Content-Type-Options": "nosniff",
		// The address of a page holds the id of a sign-in, which no other site may learn.
		"Referrer-Policy": "same-origin",
	} {
		c.Header(name, value)
	}
}

// Show answers with a page.
func Show(c *gin.Context, status int, page *template.Template, data any) error {
	var b bytes.Buffer
	if err := page.Execute(&b, data); err != nil {
		return err
	}
	c.Data(status, "text/html; charset=utf-8", b.Bytes())

	return nil
}

// Send sends the browser on.
func Send(c *gin.Context, to string) error {
	c.Header("Location", to)
	c.Status(http.StatusSeeOther)
	c.Writer.WriteHeaderNow()

	return nil
}

// Tell answers with what went wrong. again is where a link leads to begin again; "" for none.
func Tell(c *gin.Context, e *errs.Error, again string) error {
	c.Abort()
	httpx.Refuse(c, e)
	if e.Kind == errs.Unavailable {
		c.Header("Retry-After", strconv.Itoa(max(2, int(e.RetryAfter.Seconds()))))
	}

	return Show(c, httpcall.Status(e.Kind), messagePage, gin.H{
		"Style": Style(), "Message": e.Message, "Again": again, "Request": httpx.RequestID(c.Request.Context()),
	})
}

// cookieName is the cookie by which a browser is known again between the steps of a sign-in. The prefix lets only this
// host set it.
const cookieName = "__Host-subrosa-sign-in"

// cookieLife is how long a browser is known after a first step.
const cookieLife = 10 * time.Minute

var cookieForm = regexp.MustCompile(`^[0-9a-f]{64}$`)

// Browser returns the secret of the browser's cookie, or "".
func Browser(c *gin.Context) string {
	value, err := c.Cookie(cookieName)
	if err != nil || !cookieForm.MatchString(value) {
		return ""
	}

	return value
}

// KnownBrowser is Browser for a first step: one without a cookie gets one. Several sign-ins of one browser share it.
func KnownBrowser(c *gin.Context) string {
	value := Browser(c)
	if value == "" {
		value = secret.New()
	}
	http.SetCookie(c.Writer, Cookie(cookieName, value, cookieLife))

	return value
}

// Cookie returns a cookie of this host alone, which no script reads and which comes along with no request of another
// site but a navigation. Without a life it is taken away.
func Cookie(name, value string, life time.Duration) *http.Cookie {
	age := int(life.Seconds())
	if life <= 0 {
		age = -1
	}

	return &http.Cookie{
		Name:     name,
		Value:    value,
		Path:     "/",
		MaxAge:   age,
		Secure:   true,
		HttpOnly: true,
		SameSite: http.SameSiteLaxMode,
	}
}
