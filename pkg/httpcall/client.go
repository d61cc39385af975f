// Package httpcall calls services of Subrosa and servers outside: with deadline, trace and caller, behind a breaker. It
// holds what both ends of a call share, and knows no engine: the command line is linked with it.
package httpcall

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/telemetry"
	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel/propagation"
)

const (
	clientTimeout = 10 * time.Second      // for a call whose context has no deadline
	maxAnswer     = 32 << 20              // bytes of an answer that is read whole
	maxFailure    = 1 << 20               // bytes of an error answer
	hopCost       = 50 * time.Millisecond // taken off the deadline at each hop
)

// NewTransport returns the transport for calls between services: keep-alive with enough idle connections for bursts, no
// proxy from the environment, and idle connections given up after 90 s. A connection in steady use stays with its pod
// until that one drains.
func NewTransport() *http.Transport {
	return &http.Transport{
		DialContext:         (&net.Dialer{Timeout: 2 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
		MaxIdleConns:        1024,
		MaxIdleConnsPerHost: 256,
		IdleConnTimeout:     90 * time.Second,
		TLSHandshakeTimeout: 2 * time.Second,
		DisableCompression:  true,
	}
}

// Credential returns the internal token for a call made under ctx.
type Credential func(ctx context.Context) (string, error)

// Client calls one other service with JSON, the caller's identity, deadline, request id and trace. It may be shared.
type Client struct {
	base       *url.URL
	http       *http.Client
	credential Credential
}

// NewClient returns a client for the service at base, an absolute http or https address. transport may be nil; a
// service that calls another gives one that stands behind a Breaker.
func NewClient(
	base string,
	credential Credential,
	tel *telemetry.Telemetry,
	transport http.RoundTripper,
) (*Client, error) {
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, errors.New("the address of a service must be an absolute http or https address")
	}
	if transport == nil {
		transport = NewTransport()
	}
	traced := otelhttp.NewTransport(
		transport,
		otelhttp.WithTracerProvider(tel.Tracers),
		otelhttp.WithMeterProvider(tel.Meters),
		otelhttp.WithPropagators(tel.Propagator),
	)

	return &Client{base: u, credential: credential, http: &http.Client{
		Transport: traced,
		// Services never redirect one another, and a credential must not follow a redirect to another host.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// Request describes one call.
type Request struct {
	Method string
	Path   string // built with Path
	Query  url.Values
	Header http.Header
	In     any       // sent as JSON unless nil
	Body   io.Reader // sent as it is when In is nil; Header names its type
	Out    any       // filled from a JSON answer unless nil
}

// Do makes the call. An error answer comes back as the errs.Error that the other service gave; a service that cannot be
// reached, or answers nothing that can be read, is errs.ErrUnavailable; where the call may have been carried out all
// the same it is errs.ErrUncertain, which errors.Is takes for the former. A GET is tried a second time when the
// connection failed.
func (c *Client) Do(ctx context.Context, r Request) (http.Header, error) {
	ctx, cancel := withDefaultTimeout(ctx)
	defer cancel()

	resp, err := c.Open(ctx, r) //nolint:bodyclose // drain closes it
	// Once, and only for a GET: the second try costs nothing but time, and it mends a connection that a restart has
	// cut.
	if err != nil && r.Method == http.MethodGet && ctx.Err() == nil && errors.Is(err, errTransport) {
		resp, err = c.Open(ctx, r) //nolint:bodyclose // likewise
	}
	if err != nil {
		return nil, err
	}
	defer drain(resp.Body)
	if r.Out == nil {
		return resp.Header, nil
	}
	// One byte more than the limit tells a whole answer from one that was cut.
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	if err != nil || len(body) > maxAnswer {
		return nil, fmt.Errorf("read answer of %s %s: %w", r.Method, c.base.Host, Lost(r.Method, err))
	}
	if err := json.Unmarshal(body, r.Out); err != nil {
		// The cause is left out: its text may quote the body.
		return nil, fmt.Errorf("decode answer of %s %s: malformed", r.Method, c.base.Host)
	}

	return resp.Header, nil
}

// Open makes the call and leaves the body of a successful answer to the caller, who closes it. The caller's context
// bounds it.
func (c *Client) Open(ctx context.Context, r Request) (*http.Response, error) {
	req, err := c.request(ctx, r)
	if err != nil {
		return nil, err
	}

	resp, err := c.http.Do(req)
	if err != nil {
		if !Reads(r.Method) && !unsent(err) {
			errs.Changed(ctx)
		}
		// The caller left. The failure of the connection is our own doing.
		if ctx.Err() != nil && errors.Is(ctx.Err(), context.Canceled) {
			return nil, fmt.Errorf("call %s: %w", c.base.Host, context.Canceled)
		}
		if errors.Is(err, ErrOpen) {
			return nil, fmt.Errorf("call %s: %w", c.base.Host, ErrOpen)
		}

		return nil, fmt.Errorf("call %s: %w: %w", c.base.Host, errTransport, Lost(r.Method, err))
	}
	if resp.StatusCode < 400 {
		if !Reads(r.Method) {
			errs.Changed(ctx)
		}

		return resp, nil
	}
	defer drain(resp.Body)
	failed := failure(r.Method, resp)
	if !Reads(r.Method) && resp.StatusCode >= 500 && !errs.From(failed).Untouched {
		// The service may have failed half way.
		errs.Changed(ctx)
	}

	return nil, fmt.Errorf("%s answered: %w", c.base.Host, failed)
}

// ErrInternalToken means that another service does not take our internal token. The caller's own credential was good,
// so it comes with errs.ErrUnavailable.
var ErrInternalToken = errors.New("the internal token was refused")

var errTransport = errors.New("connection failed")

func (c *Client) request(ctx context.Context, r Request) (*http.Request, error) {
	u := *c.base
	// The path comes escaped; setting both forms keeps an encoded slash encoded.
	u.RawPath = r.Path
	var err error
	if u.Path, err = url.PathUnescape(r.Path); err != nil {
		return nil, fmt.Errorf("path of a call: %w", errs.ErrInternal)
	}
	u.RawQuery = r.Query.Encode()
	body := r.Body
	if r.In != nil {
		b, err := Encode(r.In)
		if err != nil {
			return nil, fmt.Errorf("encode call: %w", err)
		}
		body = bytes.NewReader(b)
	}
	req, err := http.NewRequestWithContext(ctx, r.Method, u.String(), body)
	if err != nil {
		return nil, fmt.Errorf("make call: %w", err)
	}

	for k, v := range r.Header {
		req.Header[k] = v
	}
	if r.In != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if id := RequestID(ctx); id != "" {
		req.Header.Set(HeaderRequestID, id)
	}
	// Before the credential, which may cost a signature for a call that has no time left.
	if err := SetDeadline(req); err != nil {
		return nil, err
	}
	if c.credential != nil {
		token, err := c.credential(ctx)
		if err != nil {
			return nil, fmt.Errorf("credential of a call: %w", err)
		}
		req.Header.Set("Authorization", "Bearer "+token)
	}

	return req, nil
}

// SetDeadline tells the next service how much of the time is left, less what this hop costs; too little is refused
// here.
func SetDeadline(req *http.Request) error {
	end, ok := req.Context().Deadline()
	if !ok {
		return nil
	}
	left := time.Until(end) - hopCost //nolint:forbidigo // a context's deadline is on the wall clock
	// The next service would only begin work that nobody waits for.
	if left < MinDeadline {
		return ErrTooLate
	}
	req.Header.Set(HeaderDeadline, strconv.FormatInt(left.Milliseconds(), 10))

	return nil
}

// RequestID returns the id of the request that ctx belongs to, or "".
func RequestID(ctx context.Context) string { return telemetry.RequestID(ctx) }

// Path joins segments to a path, each escaped, so that an id can never climb out of its place.
func Path(segments ...string) string {
	var b strings.Builder
	for _, s := range segments {
		b.WriteByte('/')
		b.WriteString(url.PathEscape(s))
	}

	return b.String()
}

// failure reads the error answer of another service to a call by method.
func failure(method string, resp *http.Response) error {
	var w WireError
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxFailure))
	if err != nil || json.Unmarshal(body, &w) != nil || w.Error == "" {
		if resp.StatusCode >= 500 {
			return Lost(method, nil)
		}

		return errs.ErrInternal
	}
	if resp.StatusCode >= 500 && resp.StatusCode != http.StatusServiceUnavailable {
		// The other service has logged why, so that here it is one failure and not two.
		return errs.ErrInternal
	}
	// It speaks of our token and not of the caller's, who could do nothing about it.
	if w.Error == CodeInternalToken {
		return fmt.Errorf("%w: %w", ErrInternalToken, errs.ErrUnavailable)
	}
	e := errs.New(KindOf(resp.StatusCode), w.Error, w.Message).WithDetails(w.Details...).WithDeepLink(w.DeepLink)
	if s, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil {
		e = e.WithRetryAfter(time.Duration(s) * time.Second)
	}
	if saysUntouched(e) {
		e = e.WithUntouched()
	}

	return e
}

// saysUntouched reports whether another service answered e and says by it that nothing was changed. Only the sentence
// comes over the wire.
func saysUntouched(e *errs.Error) bool {
	if e.Kind != errs.Unavailable {
		return false
	}

	return e.Message == ErrTooLate.Message || strings.Contains(e.Message, "nothing was changed")
}

func withDefaultTimeout(ctx context.Context) (context.Context, context.CancelFunc) {
	if _, ok := ctx.Deadline(); ok {
		return ctx, func() {}
	}

	return context.WithTimeout(ctx, clientTimeout)
}

// drain reads what little is left, so that the connection can be used again.
func drain(body io.ReadCloser) {
	// More than this costs more than a new connection.
	_, _ = io.CopyN(io.Discard, body, 64<<10)
	_ = body.Close()
}

// Traced makes each request through next a span and a measurement, and tells the server outside nothing of the trace.
func Traced(next http.RoundTripper, tel *telemetry.Telemetry) http.RoundTripper {
	return otelhttp.NewTransport(
		next,
		otelhttp.WithTracerProvider(tel.Tracers),
		otelhttp.WithMeterProvider(tel.Meters),
		otelhttp.WithPropagators(propagation.NewCompositeTextMapPropagator()),
	)
}

// ProviderTransport returns the transport to a server outside, such as the identity provider: the environment's proxy,
// TLS 1.2 and up, and the certificates in caFile, PEM, in place of the system's unless it is "".
func ProviderTransport(caFile string) (*http.Transport, error) {
	t := &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		MaxIdleConnsPerHost: 4,
		IdleConnTimeout:     90 * time.Second,
		TLSHandshakeTimeout: 3 * time.Second,
		ForceAttemptHTTP2:   true, // a TLS configuration of one's own turns it off otherwise
		TLSClientConfig:     &tls.Config{MinVersion: tls.VersionTLS12},
	}
	if caFile == "" {
		return t, nil
	}
	pem, err := os.ReadFile(caFile)
	roots := x509.NewCertPool()
	if err != nil || !roots.AppendCertsFromPEM(pem) {
		return nil, errors.New("the file holds no certificate that can be read")
	}
	t.TLSClientConfig.RootCAs = roots

	return t, nil
}
