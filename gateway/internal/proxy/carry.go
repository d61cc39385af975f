package proxy

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/textproto"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/subrosa-legal/subrosa/gateway/internal/routes"
	"github.com/subrosa-legal/subrosa/pkg/httpcall"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
	"go.opentelemetry.io/otel/propagation"
)

// hopByHop are the headers of an answer that concern the connection to the service alone (RFC 9110, section 7.6.1).
var hopByHop = []string{
	"Connection", "Proxy-Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authorization", "Te", "Trailer",
	"Transfer-Encoding", "Upgrade",
}

// inner are headers of an answer that are for the gateway, or that it says itself.
var inner = []string{httpx.HeaderRefusal, httpx.HeaderRefusalStatus, httpx.HeaderRequestID, "Server"}

var errSwitch = errors.New("the service wants to speak another protocol")

// outgoing returns the request to the service, made anew: of what the client sent it has only what services look at.
func (p *Proxy) outgoing(ctx context.Context, in *http.Request, body io.ReadCloser, out *call) *http.Request {
	r := http.Request{
		Method: in.Method, URL: p.address(in.URL), Host: p.target.Host, Header: p.headers(in, out),
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
	}
	if in.ContentLength != 0 {
		r.Body, r.ContentLength, r.GetBody = body, in.ContentLength, in.GetBody
	}
	if out.route.Body == routes.Tool && out.route.Access != routes.AgentOnly {
		// A token that somebody put into the address must not reach the logs of the service.
		r.URL.RawQuery = ""
	}
	p.tel.Propagator.Inject(ctx, propagation.HeaderCarrier(r.Header))

	return r.WithContext(ctx)
}

// address is where the service has what the client asks for. The query is as it came, so that the service can refuse
// what is wrong with it.
func (p *Proxy) address(asked *url.URL) *url.URL {
	to := &url.URL{Scheme: p.target.Scheme, Host: p.target.Host, RawQuery: asked.RawQuery}
	to.Path = strings.TrimSuffix(p.target.Path, "/") + asked.Path
	// Without RawPath an escaped slash would become a real one on its way.
	if p.target.RawPath != "" || asked.RawPath != "" {
		to.RawPath = strings.TrimSuffix(p.target.EscapedPath(), "/") + asked.EscapedPath()
	}

	return to
}

// headers are those of a request to the service.
func (p *Proxy) headers(in *http.Request, out *call) http.Header {
	kept := make(http.Header, 8)
	keep(kept, in.Header, passedOn)

	switch {
	case out.route.Page:
		keep(kept, in.Header, pageHeaders)
	case out.route.Access == routes.AgentOnly:
		keep(kept, in.Header, a2aHeaders)
	case out.route.Body == routes.Tool:
		keep(kept, in.Header, mcpHeaders)
	}
	unrepeatable(kept)
	// Each value is a list of its own; all of them are cut from one.
	values := [...]string{out.authorization, httpx.RequestID(in.Context()), out.address, out.deadline}
	list := values[:]
	kept["Authorization"] = list[0:1:1]
	kept[httpx.HeaderRequestID] = list[1:2:2]
	if out.address != "" {
		kept[httpx.HeaderClientAddress] = list[2:3:3]
	}
	if out.deadline != "" {
		kept[httpx.HeaderDeadline] = list[3:4:4]
	}
	// nil keeps the transport from adding its own.
	kept["User-Agent"] = nil

	return kept
}

// keep takes the headers of some names over, which are spelled as the server spells them.
func keep(kept, from http.Header, names []string) {
	for _, name := range names {
		if values := from[name]; len(values) > 0 {
			kept[name] = values
		}
	}
}

// carry sends a request and passes its answer on. It returns why there is none. Once the answer has begun, what cuts it
// short ends the connection.
func (p *Proxy) carry(to *timed, r *http.Request, out *call) error {
	service := p.service
	if out.route.Body == routes.Stream {
		service = p.alone
	}

	resp, err := service.RoundTrip(r)
	if err == nil {
		defer func() { _ = resp.Body.Close() }()
		err = p.judge(resp, out)
	}
	if err != nil {
		return out.why(r.Context(), r.Method, p.target.Host, err)
	}

	p.passHeaders(to.Header(), resp, out.route)
	to.WriteHeader(resp.StatusCode)
	if err := p.pass(to, resp, out.route.Body == routes.Stream); err != nil {
		// The client must not take the part that came for the whole. Only a broken connection can say so by now.
		panic(http.ErrAbortHandler)
	}

	return nil
}

// judge reads of an answer what is for the gateway. Its error means that the answer does not go on.
func (p *Proxy) judge(resp *http.Response, out *call) error {
	// Requests for an upgrade are never passed on, so no service has a reason to answer so.
	if resp.StatusCode == http.StatusSwitchingProtocols {
		return errSwitch
	}
	if out.body != nil {
		out.body.Answered()
	}

	out.refusal = resp.Header.Get(httpx.HeaderRefusal)
	if out.refusal == httpx.CodeInternalToken {
		return httpcall.ErrInternalToken
	}
	if atOnce[out.refusal] {
		out.last()
	}
	if elsewhere := resp.Header.Get(httpx.HeaderRefusalStatus); elsewhere != "" {
		out.within, _ = strconv.Atoi(elsewhere)
	}

	return nil
}

// passHeaders adds the headers of an answer to those that the gateway has set.
func (p *Proxy) passHeaders(to http.Header, resp *http.Response, route routes.Route) {
	if policy := resp.Header.Get(contentPolicy); route.Page && policy != "" {
		// The page's own policy takes the place of the gateway's: two of them would both hold.
		to.Set(contentPolicy, policy)
	}
	if route.Body == routes.Download {
		to.Set(contentPolicy, downloadPolicy)
	}

	named := connectionNames(resp.Header)
	for name, values := range resp.Header {
		if p.dropped[name] || name == "Set-Cookie" && !route.Page || slices.Contains(named, name) {
			continue
		}
		if before := to[name]; len(before) > 0 {
			// Clip makes append copy: the list may be one that all answers share.
			values = append(slices.Clip(before), values...)
		}
		to[name] = values
	}
	if len(to["Cache-Control"]) == 0 {
		to["Cache-Control"] = noStore
	}
}

// connectionNames are the headers that the connection's own header names as its own.
func connectionNames(h http.Header) []string {
	var names []string

	for _, line := range h["Connection"] {
		for name := range strings.SplitSeq(line, ",") {
			names = append(names, textproto.CanonicalMIMEHeaderKey(textproto.TrimString(name)))
		}
	}

	return names
}

// pass copies the body of an answer. What has no length, and events, goes out piece by piece as it comes.
func (p *Proxy) pass(to *timed, resp *http.Response, stream bool) error {
	pool := p.large
	if stream {
		pool = p.streams
	}

	buffer := pool.get()
	defer pool.put(buffer)

	kind, _, _ := strings.Cut(resp.Header.Get("Content-Type"), ";")
	unbuffered := resp.ContentLength < 0 || strings.TrimSpace(kind) == "text/event-stream"
	if unbuffered {
		// The head goes out before the first event, so that the reader knows that it was heard.
		if err := to.FlushError(); err != nil {
			return err
		}
	}

	for {
		n, err := resp.Body.Read(*buffer)
		if n > 0 {
			if failed := to.piece((*buffer)[:n], unbuffered); failed != nil {
				return failed
			}
		}
		// Compared itself: an error that wraps io.EOF is no clean end.
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
