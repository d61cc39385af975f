// Package proxy passes requests on to the services and their answers back, byte by byte as they come: it never buffers
// a body, flushes events at once, and cuts off peers that stop reading or sending.
package proxy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/gateway/internal/bodies"
	"github.com/subrosa-legal/subrosa/gateway/internal/edge"
	"github.com/subrosa-legal/subrosa/gateway/internal/routes"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/httpcall"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
	"github.com/subrosa-legal/subrosa/pkg/telemetry"
)

// Tokens makes internal tokens.
type Tokens interface {
	// Authorization returns the header of that name, with a token for caller.
	Authorization(caller access.Caller) (string, error)
}

// Timing bounds how long peers may take.
type Timing struct {
	Call     time.Duration // a whole call that is neither stream nor transfer
	Progress time.Duration // one read or write of a transfer
	Upload   time.Duration // a whole upload, however steadily it comes
	Download time.Duration // a whole download, however steadily it is read
	Patience time.Duration // one write to a stream's reader
	Tool     time.Duration // a whole call of a tool
}

// Proxy passes requests on to one service.
type Proxy struct {
	service   http.RoundTripper
	alone     http.RoundTripper // for streams
	target    *url.URL
	tel       *telemetry.Telemetry
	dropped   map[string]bool // headers of an answer that do not go on, by the names as the library spells them
	large     *buffers
	streams   *buffers // small ones, for long answers of small pieces
	tokens    Tokens
	timing    Timing
	maxUpload int64
}

// Transports are the ways to a service: one for calls, and one for streams, each of which has a connection of its own.
type Transports struct{ Calls, Streams http.RoundTripper }

// New returns the proxy to the service at target. ours lists the headers that the gateway sets itself.
func New(
	target string, tokens Tokens, timing Timing, maxUpload int64, ours []string, tel *telemetry.Telemetry,
	by Transports,
) (*Proxy, error) {
	u, err := url.Parse(target)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, errors.New("the address of a service must be an absolute http or https address")
	}
	calls, err := newMeasured(by.Calls, tel)
	if err != nil {
		return nil, err
	}
	streams, err := newMeasured(by.Streams, tel)
	if err != nil {
		return nil, err
	}
	p := &Proxy{
		service:   calls,
		alone:     streams,
		target:    u,
		tel:       tel,
		dropped:   map[string]bool{},
		large:     newBuffers(largeBuffer),
		streams:   newBuffers(streamBuffer),
		tokens:    tokens,
		timing:    timing,
		maxUpload: maxUpload,
	}

	for _, name := range slices.Concat(ours, inner, hopByHop) {
		p.dropped[http.CanonicalHeaderKey(name)] = true
	}

	return p, nil
}

// Sizes of the buffers by which answers are copied, in bytes.
const (
	largeBuffer  = 32 << 10
	streamBuffer = 4 << 10 // each stream holds one for as long as it lasts
)

// buffers lends buffers of one size.
type buffers struct{ pool sync.Pool }

func newBuffers(size int) *buffers {
	return &buffers{sync.Pool{New: func() any { b := make([]byte, size); return &b }}}
}

// get lends a buffer, which put takes back.
func (b *buffers) get() *[]byte {
	return b.pool.Get().(*[]byte) //nolint:forcetypeassert // the pool holds nothing else
}

func (b *buffers) put(used *[]byte) { b.pool.Put(used) }

// passedOn lists the request headers that services look at; everything else a client sends ends here.
var passedOn = []string{
	"Accept", "Accept-Language", "Content-Type", "Content-Disposition", "Content-Length", "If-Match", "If-None-Match",
	"Idempotency-Key", "Last-Event-Id", "Range",
}

// mcpHeaders are those of the MCP endpoint: what a call says beside its body, which the service compares.
var mcpHeaders = []string{"Mcp-Protocol-Version", "Mcp-Method", "Mcp-Name"}

// a2aHeaders are those of the agent-to-agent endpoint.
var a2aHeaders = []string{"A2a-Version", "A2a-Extensions"}

// pageHeaders are those of pages for people's browsers.
var pageHeaders = []string{"Cookie", "Sec-Fetch-Dest", "Sec-Fetch-Mode"}

// noStore is shared by all answers, and changed by none.
var noStore = []string{"no-store"}

const contentPolicy = "Content-Security-Policy"

// downloadPolicy has a browser that opens a file of somebody's, instead of saving it, run nothing in our name.
const downloadPolicy = "default-src 'none'; sandbox; frame-ancestors 'none'"

// unrepeatable has the transport send a call again only where nothing of it can have arrived. Of itself it would repeat
// each one with an Idempotency-Key after a connection was lost, and most routes know no such key. It looks for the name
// as the library spells it; services read it in any spelling.
func unrepeatable(h http.Header) {
	if key, ok := h["Idempotency-Key"]; ok {
		delete(h, "Idempotency-Key")
		h["idempotency-key"] = key
	}
}

// atOnce are the codes of refusals of a caller who has as much open as one may have. Such a caller comes with many
// connections, and each costs memory for as long as it lasts.
var atOnce = map[string]bool{"too_many_uploads": true, "too_many_streams": true}

// call is what the steps of one request know of it.
type call struct {
	authorization string // to the service
	deadline      string
	route         routes.Route
	address       string       // the network that a client without a credential calls from; "" for any other
	answer        http.Header  // of the answer to the client
	upload        *paced       // the body of an upload; nil for any other
	body          *bodies.Body // any other, which came whole; nil for none
	refusal       string       // code of the service's error answer; "" for any other
	within        int          // its status, where the answer's own tells nothing of it
	own           func() bool  // the connection serves the client alone
}

// last ends the client's connection with this answer. One that serves others too stays.
func (o *call) last() {
	if o.own() {
		o.answer.Set("Connection", "close")
	}
}

// Serve passes the request on for caller. But for uploads its body has come whole.
func (p *Proxy) Serve(c *gin.Context, route routes.Route, caller access.Caller) error {
	authorization, err := p.tokens.Authorization(caller)
	if err != nil {
		return err
	}
	if route.Body == routes.Upload && c.Request.ContentLength > p.maxUpload {
		return TooBig(p.maxUpload)
	}
	out := &call{
		authorization: authorization, route: route, answer: c.Writer.Header(),
		own: func() bool { return edge.OwnConnection(c) },
	}
	if caller.Kind == access.Public {
		out.address = edge.AddressKey(c.ClientIP())
	}
	ctx, cancel := c.Request.Context(), context.CancelFunc(func() {})
	rc := http.NewResponseController(c.Writer)
	patience := p.timing.Progress

	switch route.Body {
	case routes.Small, routes.Form:
		ctx, cancel = context.WithTimeout(ctx, p.timing.Call)
		out.deadline = left(p.timing.Call)
		patience = p.timing.Call
	case routes.Upload:
		ctx, cancel = context.WithTimeout(ctx, p.timing.Upload)
	case routes.Download:
		ctx, cancel = context.WithTimeout(ctx, p.timing.Download)
	case routes.Stream:
		patience = p.timing.Patience
	case routes.Tool:
		ctx, cancel = context.WithTimeout(ctx, p.timing.Tool)
		out.deadline = left(p.timing.Tool)
	}

	defer cancel()
	if route.MayBeSilent() {
		ctx = httpcall.MayBeSilent(ctx)
	}
	// From here on each write has a deadline of its own.
	_ = rc.SetWriteDeadline(time.Time{})
	body := c.Request.Body
	if route.Body == routes.Upload && body != nil {
		held := &paced{ReadCloser: body, rc: rc, each: p.timing.Progress}
		defer held.release()
		out.upload = held
		// nil, because the gateway answers a body that is too large itself.
		body = http.MaxBytesReader(nil, held, p.maxUpload)
	}
	out.body, _ = body.(*bodies.Body)

	// The service says it: two of them would be read as the stricter one.
	c.Writer.Header().Del("Cache-Control")
	to := &timed{ResponseWriter: c.Writer, rc: rc, patience: patience}

	// Deferred: the proxy may give the connection up by a panic.
	defer func() {
		edge.NoteAnswer(c, edge.Answered{Code: out.refusal, Status: out.within, Cut: to.cut})
	}()

	failure := p.carry(to, p.outgoing(ctx, c.Request, body, out), out)
	// What is buffered goes out when the handler has returned.
	_ = rc.SetWriteDeadline(time.Now().Add(patience)) //nolint:forbidigo // a socket deadline is on the wall clock

	return failure
}

// left says, for a service, how much of a call's time there is.
func left(whole time.Duration) string {
	// 50 ms less than the gateway waits, so that the service answers first and says why.
	return strconv.FormatInt((whole - 50*time.Millisecond).Milliseconds(), 10)
}

// TooBig refuses a body that is larger than limit bytes.
func TooBig(limit int64) error {
	size := strconv.FormatInt(limit>>20, 10) + " MiB"
	// A form takes 64 KiB, which would come out as "0 MiB".
	if limit < 1<<20 {
		size = strconv.FormatInt(limit>>10, 10) + " KiB"
	}

	return httpx.ErrBodyTooBig.WithMessage("The body is larger than " + size + ". Send less in one request.")
}

// why says why there is no answer: the service at host could not be reached, or the client's body could not be read.
// A body that broke off counts before a context that was cancelled: the server cancels it for that very reason.
func (o *call) why(ctx context.Context, method, host string, err error) error {
	var large *http.MaxBytesError

	switch {
	case errors.As(err, &large):
		return TooBig(large.Limit)
	case errors.Is(context.Cause(ctx), access.ErrUnauthenticated):
		// The agent was disconnected meanwhile.
		return access.ErrUnauthenticated
	case o.upload != nil && o.upload.broken() && !errors.Is(ctx.Err(), context.DeadlineExceeded):
		return bodies.ErrSlow
	case errors.Is(ctx.Err(), context.Canceled):
		// The client left, and nobody reads an answer.
		return nil
	case errors.Is(err, httpcall.ErrInternalToken):
		return fmt.Errorf("call %s: %w: %w", host, httpcall.ErrInternalToken, errs.ErrUnavailable)
	case errors.Is(err, httpcall.ErrOpen):
		return fmt.Errorf("call %s: %w", host, httpcall.ErrOpen)
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return fmt.Errorf("call %s: no answer in time: %w", host, httpcall.Lost(method, err))
	}

	// The text of the cause may hold an address.
	return fmt.Errorf("call %s: connection failed: %w", host, httpcall.Lost(method, err))
}

// paced gives a client a deadline for each piece of its body. The transport may still be reading the body when a
// service has answered early and the handler has returned; the connection is somebody else's by then, so it is let go
// of in time.
type paced struct {
	io.ReadCloser
	each time.Duration

	mu    sync.Mutex
	rc    *http.ResponseController // nil once the handler has returned
	broke bool                     // the body did not come whole
}

// broken reports whether the body came too slowly, or broke off.
func (b *paced) broken() bool {
	b.mu.Lock()
	defer b.mu.Unlock()

	return b.broke
}

// release lets go of the connection, at the end of the handler.
func (b *paced) release() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.rc = nil
}

// until sets the deadline while the connection is still this request's.
func (b *paced) until(at time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.rc == nil {
		return false
	}
	_ = b.rc.SetReadDeadline(at)

	return true
}

// Close does nothing: the server closes the body of a request itself, when its handler has returned. The transport
// would close it also where no connection is had, and then wait for a client that waits for leave to send.
func (b *paced) Close() error { return nil }

func (b *paced) Read(p []byte) (int, error) {
	if !b.until(time.Now().Add(b.each)) { //nolint:forbidigo // a socket deadline is on the wall clock
		return 0, http.ErrBodyReadAfterClose
	}
	n, err := b.ReadCloser.Read(p)

	switch {
	case errors.Is(err, io.EOF):
		b.until(time.Time{})
	// The deadline stays: before it answers, the server goes on reading what was announced.
	case err != nil:
		b.mu.Lock()
		b.broke = true
		b.mu.Unlock()
	}

	return n, err
}

// timed gives a reader a deadline for each piece of its answer. Between pieces there is none: over HTTP/2 a deadline
// that passes ends the stream even when nothing is being written.
type timed struct {
	http.ResponseWriter
	rc       *http.ResponseController
	patience time.Duration
	cut      bool // the reader did not take a piece in time
}

func (t *timed) Write(p []byte) (int, error) {
	_ = t.rc.SetWriteDeadline(time.Now().Add(t.patience)) //nolint:forbidigo // a socket deadline is on the wall clock
	n, err := t.ResponseWriter.Write(p)

	return n, t.unless(err)
}

// FlushError sends what is written.
func (t *timed) FlushError() error {
	_ = t.rc.SetWriteDeadline(time.Now().Add(t.patience)) //nolint:forbidigo // a socket deadline is on the wall clock
	return t.unless(t.rc.Flush())
}

// piece writes a piece of an answer, and sends it where that is to happen at once.
func (t *timed) piece(p []byte, atOnce bool) error {
	if _, err := t.Write(p); err != nil || !atOnce {
		return err
	}

	return t.FlushError()
}

// unless takes the deadline away unless it has done its work.
func (t *timed) unless(err error) error {
	if err == nil {
		_ = t.rc.SetWriteDeadline(time.Time{})
	}
	t.cut = t.cut || errors.Is(err, os.ErrDeadlineExceeded)

	return err
}

// Unwrap gives the response controller its way to the connection.
func (t *timed) Unwrap() http.ResponseWriter { return t.ResponseWriter }
