package edge

import (
	"bytes"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/httpcall"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
)

var errAuthority = errs.New(
	errs.Misdirected,
	"misdirected_request",
	"This server does not serve the host named in the request. Call the service by its own address.",
)

// Authority refuses requests for a host that is not ours: a cache, a cookie or a link made for another name must not be
// answered by this one. It judges what was received, whatever a proxy says of what it had received.
type Authority struct {
	hosts map[string]bool // in the form of plainHost
	names map[string]bool // that may come with any port
	log   *slog.Logger
}

// anyPort ends a host of which every port is ours.
const anyPort = ":*"

// NewAuthority returns the check of the public address base and of further hosts, with or without a port; the port *
// means any.
func NewAuthority(base string, further []string, log *slog.Logger) (*Authority, error) {
	u, err := url.Parse(base)
	if err != nil {
		return nil, fmt.Errorf("read the public address: %w", err)
	}

	a := &Authority{hosts: map[string]bool{plainHost(u.Host): true}, names: map[string]bool{}, log: log}

	for _, host := range further {
		if name, any := strings.CutSuffix(host, anyPort); any {
			a.names[plainHost(name)] = true
		} else {
			a.hosts[plainHost(host)] = true
		}
	}

	return a, nil
}

// ValidHost reports whether text can be a host of the gateway's own: a name or an address, with or without a port.
func ValidHost(text string) bool {
	text = strings.TrimSuffix(text, anyPort)
	u, err := url.Parse("https://" + text)

	return err == nil && u.Host == text && u.Hostname() != "" && !strings.Contains(text, "*")
}

// plainHost is a host in small letters, without the dot at the end of a name and without the port of HTTPS.
func plainHost(host string) string {
	host = strings.ToLower(host)
	name, port, err := net.SplitHostPort(host)
	if err != nil {
		return strings.TrimSuffix(host, ".")
	}
	name = strings.TrimSuffix(name, ".")

	switch {
	case port != "443":
		return net.JoinHostPort(name, port)
	case strings.Contains(name, ":"):
		return "[" + name + "]"
	}

	return name
}

// Handle stands in front of all routes.
func (a *Authority) Handle(c *gin.Context) {
	fine := a.ours(c.Request.Host)
	// HTTP/2 may bring the field besides :authority, and a service behind might believe that one.
	for _, host := range c.Request.Header["Host"] {
		fine = fine && a.ours(host)
	}
	if !fine {
		httpx.Fail(c, a.log, errAuthority)
	}
}

// ours reports whether the gateway answers for a host.
func (a *Authority) ours(host string) bool {
	// Nearly always the host comes in the form in which it is kept, and nothing has to be parsed.
	if a.hosts[host] {
		return true
	}

	plain := plainHost(host)
	if a.hosts[plain] || a.names[plain] {
		return true
	}
	name, port, err := net.SplitHostPort(plain)
	if err != nil {
		return false
	}
	if strings.Contains(name, ":") {
		name = "[" + name + "]"
	}
	// SplitHostPort takes any text for a port.
	_, err = strconv.ParseUint(port, 10, 16)

	return err == nil && a.names[name]
}

// early are the failures of requests that the server cannot read.
var early = map[int]*errs.Error{http.StatusRequestHeaderFieldsTooLarge: httpx.ErrHead}

var errHead = errs.New(
	errs.Invalid,
	"malformed_request",
	"The request's headers cannot be parsed, or can be parsed in two ways. Send them as RFC 9112 requires.",
)

// Early returns the answers of requests that the server refuses before a route has them, in the shape of all others.
func Early(base string) httpx.Early {
	strict := !loopback(base)

	return func(status int) []byte {
		e, ok := early[status]
		if !ok {
			e = errHead
		}

		// The server has no ResponseWriter at this point: the bytes are written by hand.
		rec := &plainAnswer{header: http.Header{"Connection": {"close"}}}
		for name, value := range fixedHeaders {
			rec.header.Set(name, value)
		}
		if strict {
			rec.header.Set("Strict-Transport-Security", strictTransport)
		}
		id := uuid.Must(uuid.NewV7()).String()
		rec.header.Set(httpx.HeaderRequestID, id)
		httpcall.WriteError(rec, id, e)

		var out bytes.Buffer
		fmt.Fprintf(&out, "HTTP/1.1 %d %s\r\n", rec.status, http.StatusText(rec.status))
		_ = rec.header.Write(&out) // to memory
		out.WriteString("\r\n")
		out.Write(rec.body.Bytes())

		return out.Bytes()
	}
}

// plainAnswer keeps an answer that is sent without a server.
type plainAnswer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header returns the headers.
func (p *plainAnswer) Header() http.Header { return p.header }

// WriteHeader notes the status.
func (p *plainAnswer) WriteHeader(status int) { p.status = status }

// Write adds to the body.
func (p *plainAnswer) Write(b []byte) (int, error) { return p.body.Write(b) }
