package cardfetch

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
	"net/url"
	"strings"
	"syscall"
	"time"

	"code.dny.dev/ssrf"
	"github.com/subrosa-legal/subrosa/registry-svc/internal/agents"
)

// Bounds of a fetch.
const (
	maxBody    = 64 << 10 // bytes
	maxHeaders = 16 << 10 // bytes
	maxHops    = 3        // redirects followed
	dialTime   = 2 * time.Second
	headerTime = 3 * time.Second
	maxETag    = 256 // bytes; a longer one is not kept
)

// alwaysDenied lists addresses that count as public and still lead inside: the wire server of a cloud's hosts.
var alwaysDenied = []netip.Prefix{netip.MustParsePrefix("168.63.129.16/32")}

// Config says how cards are fetched.
type Config struct {
	Total    time.Duration  // for everything: names, every hop, the body
	AtOnce   int            // fetches at a time; a further one is refused
	Deny     []netip.Prefix // further addresses that are never dialled: pods, services, own egress
	Dev      []DevPeer      // admitted in development only
	Roots    *x509.CertPool // nil means the system's
	Resolver *net.Resolver  // nil means the system's
	Log      *slog.Logger
}

// Fetcher fetches cards. It is safe for concurrent use.
type Fetcher struct {
	cfg     Config
	places  chan struct{}
	control func(ctx context.Context, network, address string, conn syscall.RawConn) error
}

var errDenied = errors.New("the address leads to where no card may be fetched from")

// New returns a fetcher.
func New(cfg Config) *Fetcher {
	var v4, v6 []netip.Prefix
	for _, p := range append(alwaysDenied[:len(alwaysDenied):len(alwaysDenied)], cfg.Deny...) {
		if p.Addr().Is4() {
			v4 = append(v4, p)
		} else {
			v6 = append(v6, p)
		}
	}
	guard := ssrf.New(ssrf.WithPorts(443), ssrf.WithDeniedV4Prefixes(v4...), ssrf.WithDeniedV6Prefixes(v6...))
	f := &Fetcher{cfg: cfg, places: make(chan struct{}, cfg.AtOnce)}
	// This runs after names were resolved and on every dial, so neither a written form nor a changed answer gets around it.
	f.control = func(_ context.Context, network, address string, conn syscall.RawConn) error {
		ap, err := netip.ParseAddrPort(address)
		if err != nil || ap.Addr().Zone() != "" {
			return errDenied
		}
		if admitted(cfg.Dev, netip.AddrPortFrom(ap.Addr().Unmap(), ap.Port())) {
			cfg.Log.Info("the development exception admits a card's address", "address", address)
			return nil
		}
		if err := guard.Safe(network, address, conn); err != nil {
			return fmt.Errorf("%w: %w", errDenied, err)
		}
		return nil
	}
	return f
}

// Valid reports whether rawURL has the form of a card's address.
func (f *Fetcher) Valid(rawURL string) error {
	_, err := parse(rawURL, f.cfg.Dev)
	return err
}

// Fetch returns the card at rawURL, or that it is unchanged since etag. Whatever goes wrong before the content is one and the same
// error, so that nobody can use it to look around; the cause goes to the log.
func (f *Fetcher) Fetch(ctx context.Context, rawURL, etag string) (agents.Card, bool, error) {
	select {
	case f.places <- struct{}{}:
		defer func() { <-f.places }()
	default:
		return agents.Card{}, false, agents.ErrFetcherBusy
	}
	ctx, cancel := context.WithTimeout(ctx, f.cfg.Total)
	defer cancel()
	got, err := f.follow(ctx, rawURL, etag)
	if err != nil {
		if errors.Is(err, agents.ErrCardURL) {
			return agents.Card{}, false, err
		}
		f.cfg.Log.InfoContext(ctx, "a card could not be fetched", "cause", cause(ctx, err))
		return agents.Card{}, false, agents.ErrUnreachable
	}
	if got.unchanged {
		return agents.Card{}, true, nil
	}
	card, err := f.read(got)
	return card, false, err
}

// cause names a failure without quoting what the other side sent.
func cause(ctx context.Context, err error) string {
	var status statusError
	var tlsErr *tls.CertificateVerificationError
	var dns *net.DNSError
	switch {
	case errors.Is(err, errDenied):
		return "address denied"
	case ctx.Err() != nil:
		return "time"
	case errors.As(err, &status):
		return status.Error()
	case errors.As(err, &tlsErr):
		return "certificate"
	case errors.As(err, &dns):
		return "name"
	}
	return "connection"
}

type statusError string

func (s statusError) Error() string { return string(s) }

type fetched struct {
	body      []byte
	etag      string
	unchanged bool
}

// follow fetches rawURL and at most three redirects. Each hop is parsed and guarded like the first one, inside the same deadline.
func (f *Fetcher) follow(ctx context.Context, rawURL, etag string) (fetched, error) {
	for hop := 0; ; hop++ {
		u, err := parse(rawURL, f.cfg.Dev)
		if err != nil {
			if hop > 0 {
				return fetched{}, errDenied
			}
			return fetched{}, err
		}
		if hop > 0 {
			etag = "" // a tag belongs to the address it came from
		}
		got, next, err := f.once(ctx, u, etag)
		if err != nil || next == "" {
			return got, err
		}
		if hop == maxHops {
			return fetched{}, statusError("too many redirects")
		}
		rawURL = next
	}
}

// client returns a client for one hop: nothing of it is used again for another tenant or another answer of a name server.
func (f *Fetcher) client() (*http.Client, func()) {
	dialer := &net.Dialer{Timeout: dialTime, Resolver: f.cfg.Resolver, ControlContext: f.control, KeepAlive: -1}
	transport := &http.Transport{
		Proxy: nil, DialContext: dialer.DialContext, TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: f.cfg.Roots},
		TLSHandshakeTimeout: dialTime, ResponseHeaderTimeout: headerTime, MaxResponseHeaderBytes: maxHeaders,
		DisableKeepAlives: true, DisableCompression: true,
		TLSNextProto: map[string]func(string, *tls.Conn) http.RoundTripper{}, // HTTP/1.1 only
	}
	return &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}, transport.CloseIdleConnections
}

func (f *Fetcher) once(ctx context.Context, u *url.URL, etag string) (fetched, string, error) {
	client, release := f.client()
	defer release()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return fetched{}, "", agents.ErrCardURL
	}
	req.Header.Set("Accept", "application/json, application/a2a+json")
	req.Header.Set("User-Agent", "subrosa-card/1")
	if etag != "" {
		req.Header.Set("If-None-Match", etag)
	}
	resp, err := client.Do(req)
	if err != nil {
		return fetched{}, "", err
	}
	defer func() { _ = resp.Body.Close() }()
	switch resp.StatusCode {
	case http.StatusOK:
		body, err := readCard(resp)
		return fetched{body: body, etag: keptTag(resp.Header.Get("ETag"))}, "", err
	case http.StatusNotModified:
		if etag == "" {
			return fetched{}, "", statusError("not modified without our asking")
		}
		return fetched{unchanged: true}, "", nil
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		next, err := u.Parse(resp.Header.Get("Location"))
		if err != nil || resp.Header.Get("Location") == "" {
			return fetched{}, "", statusError("redirect without an address")
		}
		return fetched{}, next.String(), nil
	}
	return fetched{}, "", statusError("status " + http.StatusText(resp.StatusCode))
}

func readCard(resp *http.Response) ([]byte, error) {
	media, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	switch {
	case err != nil || media != "application/json" && !strings.HasSuffix(media, "+json"):
		return nil, statusError("not JSON")
	case resp.Header.Get("Content-Encoding") != "":
		return nil, statusError("encoded")
	case resp.ContentLength > maxBody:
		return nil, statusError("too large")
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxBody+1))
	if err != nil {
		return nil, err
	}
	if len(body) > maxBody {
		return nil, statusError("too large")
	}
	return body, nil
}

func keptTag(tag string) string {
	if len(tag) > maxETag {
		return ""
	}
	return tag
}
