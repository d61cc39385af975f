package edge

import (
	"maps"
	"net/http"
	"net/netip"
	"net/url"
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

// FixedHeaders lists their names, and those of the headers that say which origins may read an answer.
func FixedHeaders() []string {
	names := []string{
		"Strict-Transport-Security", "Access-Control-Allow-Origin", "Access-Control-Allow-Credentials", "Access-Control-Allow-Methods",
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
	lists := map[string][]string{"Cache-Control": {"no-store"}} // handlers of public documents say otherwise
	for name, value := range fixedHeaders {
		lists[name] = []string{value}
	}
	if !loopback(base) {
		lists["Strict-Transport-Security"] = []string{"max-age=31536000; includeSubDomains"}
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

// SentWithin gives a body a time in which it must come, also one that nobody reads: the server reads the rest of a
// small body before it sends an answer. Whoever reads a body sets a deadline of its own.
func SentWithin(d time.Duration) gin.HandlerFunc {
	return func(c *gin.Context) {
		if c.Request.Body != nil && c.Request.Body != http.NoBody {
			until := time.Now().Add(d) //nolint:forbidigo // a socket deadline is on the wall clock
			_ = http.NewResponseController(c.Writer).SetReadDeadline(until)
		}
	}
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
