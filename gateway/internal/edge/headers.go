package edge

import (
	"errors"
	"io"
	"maps"
	"net/http"
	"net/netip"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/gin-gonic/gin"
)

// fixedHeaders stand on every answer. The gateway alone sets them; a service's own are dropped.
var fixedHeaders = map[string]string{
	"X-Content-Type-Options":       "nosniff",
	"Referrer-Policy":              "no-referrer",
	"Content-Security-Policy":      "default-src 'none'; frame-ancestors 'none'",
	"Cross-Origin-Resource-Policy": "same-origin",
	"Permissions-Policy":           "interest-cohort=()",
	"X-Frame-Options":              "DENY",
}

const strictTransport = "max-age=31536000; includeSubDomains"

// FixedHeaders lists their names, and those of the headers that say which origins may read an answer.
func FixedHeaders() []string {
	names := []string{
		"Strict-Transport-Security", "Access-Control-Allow-Origin", "Access-Control-Allow-Credentials",
		"Access-Control-Allow-Methods",
		"Access-Control-Allow-Headers", "Access-Control-Expose-Headers", "Access-Control-Max-Age",
	}
	for name := range fixedHeaders {
		names = append(names, name)
	}

	return names
}

// SecurityHeaders sets the headers that every answer carries. Strict-Transport-Security is left out while base is a
// loopback address, where it would bind a developer's browser for a year.
func SecurityHeaders(base string) gin.HandlerFunc {
	// All answers share these lists. Nobody changes one in place: a header is replaced, or its list grows into another.
	// Handlers of public documents replace it.
	lists := map[string][]string{"Cache-Control": {"no-store"}}
	for name, value := range fixedHeaders {
		lists[name] = []string{value}
	}
	if !loopback(base) {
		lists["Strict-Transport-Security"] = []string{strictTransport}
	}

	return func(c *gin.Context) { maps.Copy(c.Writer.Header(), lists) }
}

// TakenWithin gives an answer a time in which its reader must take it, so that one who takes nothing keeps no place
// for ever. Routes that answer for longer replace it by deadlines of their own.
func TakenWithin(d time.Duration) gin.HandlerFunc {
	return func(c *gin.Context) {
		// Not every writer can do it (an in-memory recorder); the server's own listener can.
		until := time.Now().Add(d) //nolint:forbidigo // a socket deadline is on the wall clock
		_ = http.NewResponseController(c.Writer).SetWriteDeadline(until)
	}
}

// SentWithin gives a body a time in which it must come, also one that nobody reads. Whoever reads a body sets a
// deadline of its own. Before it sends an answer, the server reads the rest of a small body: what has not come by then
// gets only the time of rest, so that a caller who was refused keeps no connection by sending slowly.
func SentWithin(d, rest time.Duration) gin.HandlerFunc {
	return func(c *gin.Context) {
		if c.Request.Body == nil || c.Request.Body == http.NoBody {
			return
		}
		// net/http does not say whether a body was read to its end.
		body := &coming{ReadCloser: c.Request.Body}
		c.Request.Body = body
		rc := http.NewResponseController(c.Writer)
		_ = rc.SetReadDeadline(time.Now().Add(d)) //nolint:forbidigo // a socket deadline is on the wall clock

		c.Next()

		// A body that has come whole must keep no deadline: the server listens already whether the caller leaves.
		if !body.whole.Load() {
			_ = rc.SetReadDeadline(time.Now().Add(rest)) //nolint:forbidigo // see above
		}
	}
}

// coming is a body that knows whether it has come whole.
type coming struct {
	io.ReadCloser
	whole atomic.Bool
}

func (b *coming) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if errors.Is(err, io.EOF) {
		b.whole.Store(true)
	}

	return n, err
}

func loopback(base string) bool {
	u, err := url.Parse(base)
	if err != nil {
		return false
	}
	host := u.Hostname()
	if host == "localhost" {
		return true
	}
	addr, err := netip.ParseAddr(host)

	return err == nil && addr.IsLoopback()
}
