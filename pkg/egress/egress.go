// Package egress fetches from addresses that strangers name, without becoming a door into the network that it runs in.
// It is one place, because each copy of such a guard would be weaker in its own way.
package egress

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"syscall"
	"time"

	"code.dny.dev/ssrf"
)

// Bounds of one request.
const (
	maxHeaders = 16 << 10 // bytes
	dialTime   = 2 * time.Second
	headerTime = 3 * time.Second
)

// alwaysDenied lists addresses that count as public and still lead inside: the wire server of a cloud's hosts.
var alwaysDenied = []netip.Prefix{netip.MustParsePrefix("168.63.129.16/32")}

// Failures before anything is fetched.
var (
	ErrForm   = errors.New("the address has not the form of a public https address")
	ErrDenied = errors.New("the address leads to where nothing may be fetched from")
)

// Config says where to one may go.
type Config struct {
	Deny     []netip.Prefix // further addresses that are never dialled: pods, services, own egress
	Dev      []Peer         // admitted in development only
	Roots    *x509.CertPool // nil means the system's
	Resolver *net.Resolver  // nil means the system's
	Log      *slog.Logger
}

// Guard judges addresses, in writing and again when they are dialled. It is safe for concurrent use.
type Guard struct {
	cfg     Config
	control func(ctx context.Context, network, address string, conn syscall.RawConn) error
}

// New returns the guard of cfg.
func New(cfg Config) *Guard {
	var v4, v6 []netip.Prefix

	for _, p := range append(alwaysDenied[:len(alwaysDenied):len(alwaysDenied)], cfg.Deny...) {
		if p.Addr().Is4() {
			v4 = append(v4, p)
		} else {
			v6 = append(v6, p)
		}
	}
	public := ssrf.New(ssrf.WithPorts(443), ssrf.WithDeniedV4Prefixes(v4...), ssrf.WithDeniedV6Prefixes(v6...))
	g := &Guard{cfg: cfg}
	// This runs after names were resolved and on every dial, so neither a written form nor a changed answer gets around
	// it.
	g.control = func(_ context.Context, network, address string, conn syscall.RawConn) error {
		ap, err := netip.ParseAddrPort(address)
		if err != nil || ap.Addr().Zone() != "" {
			return ErrDenied
		}
		if admitted(cfg.Dev, netip.AddrPortFrom(ap.Addr().Unmap(), ap.Port())) {
			cfg.Log.Info("the development exception admits an address", "address", address)
			return nil
		}
		if err := public.Safe(network, address, conn); err != nil {
			return fmt.Errorf("%w: %w", ErrDenied, err)
		}

		return nil
	}

	return g
}

// Client returns a client for one request, and what releases it: nothing of it is used again for another caller or
// another answer of a name server. It follows no redirect.
func (g *Guard) Client() (*http.Client, func()) {
	dialer := &net.Dialer{Timeout: dialTime, Resolver: g.cfg.Resolver, ControlContext: g.control, KeepAlive: -1}
	transport := &http.Transport{
		Proxy:                  nil, // a proxy would dial in our place, where control cannot look at the address
		DialContext:            dialer.DialContext,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: g.cfg.Roots},
		TLSHandshakeTimeout:    dialTime,
		ResponseHeaderTimeout:  headerTime,
		MaxResponseHeaderBytes: maxHeaders,
		DisableKeepAlives:      true,
		// A small answer could unpack to a huge one.
		DisableCompression: true,
		TLSNextProto:       map[string]func(string, *tls.Conn) http.RoundTripper{}, // HTTP/1.1 only
	}
	client := &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}

	return client, transport.CloseIdleConnections
}

// BadAnswer says in fixed words what is wrong with an answer; it never quotes it.
type BadAnswer string

// Error returns the words.
func (b BadAnswer) Error() string { return string(b) }

// ReadJSON reads the body of an answer that must be JSON of at most limit bytes.
func ReadJSON(resp *http.Response, limit int) ([]byte, error) {
	media, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	switch {
	case err != nil || media != "application/json" && !strings.HasSuffix(media, "+json"):
		return nil, BadAnswer("not JSON")
	// Nothing was asked for in an encoding. Unpacking it here would undo the limit.
	case resp.Header.Get("Content-Encoding") != "":
		return nil, BadAnswer("encoded")
	case resp.ContentLength > int64(limit):
		return nil, BadAnswer("too large")
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, int64(limit)+1))
	if err != nil {
		return nil, err
	}
	if len(body) > limit {
		return nil, BadAnswer("too large")
	}

	return body, nil
}

// Cause names a failure for the log, without quoting what the other side sent.
func Cause(ctx context.Context, err error) string {
	var answer BadAnswer
	var tlsErr *tls.CertificateVerificationError

	var dns *net.DNSError
	switch {
	case errors.Is(err, ErrForm):
		return "address"
	case errors.Is(err, ErrDenied):
		return "address denied"
	// Before the types of failure: a deadline shows as any of them.
	case ctx.Err() != nil:
		return "time"
	case errors.As(err, &answer):
		return answer.Error()
	case errors.As(err, &tlsErr):
		return "certificate"
	case errors.As(err, &dns):
		return "name"
	}

	return "connection"
}
