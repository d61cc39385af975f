package proxy_test

import (
	"bufio"
	"encoding/json"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/gateway/internal/edge"
	"github.com/subrosa-legal/subrosa/gateway/internal/proxy"
	"github.com/subrosa-legal/subrosa/gateway/internal/routes"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/httpcall"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
	"github.com/subrosa-legal/subrosa/pkg/telemetry/export"
)

type fixedToken string

func (f fixedToken) Authorization(access.Caller) (string, error) { return "Bearer " + string(f), nil }

// between runs a gateway's proxy for one route in front of service, and returns its address.
func between(t *testing.T, route routes.Route, timing proxy.Timing, service http.HandlerFunc) string {
	t.Helper()
	return behindProxies(t, nil, route, timing, service)
}

// waysTo are the ways to a service that the gateway takes.
func waysTo(breaker *httpcall.Breaker, calls *http.Transport) proxy.Transports {
	return proxy.Transports{Calls: breaker.Before(calls), Streams: breaker.Before(proxy.NewAlone(calls))}
}

// behindProxies is between for a gateway that trusts the proxies before it at some addresses.
func behindProxies(
	t *testing.T, trusted []string, route routes.Route, timing proxy.Timing, service http.HandlerFunc,
) string {
	t.Helper()
	behind := httptest.NewServer(service)
	t.Cleanup(behind.Close)
	tel, err := export.New(t.Context(), "gateway", io.Discard, nil)
	if err != nil {
		t.Fatal(err)
	}
	tel.Inside = false // as the gateway does
	transport := httpcall.NewTransport()
	t.Cleanup(transport.CloseIdleConnections)
	ways := waysTo(httpcall.NewBreaker("behind", tel), transport)
	p, err := proxy.New(behind.URL, fixedToken("internal"), timing, 1<<20, edge.FixedHeaders(), tel, ways)
	if err != nil {
		t.Fatal(err)
	}
	engine := httpx.NewEngine(tel)
	if err := engine.SetTrustedProxies(trusted); err != nil {
		t.Fatal(err)
	}
	engine.Use(edge.SecurityHeaders("https://subrosa.example.com"))
	engine.Handle(route.Method, route.Path, httpx.Handle(tel.Log, func(c *gin.Context) error {
		caller := access.Caller{Kind: access.Public}
		if route.Access != routes.Anybody {
			caller = access.Caller{Kind: access.User, Tenant: "o:oak", UserID: "ada"}
		}

		return p.Serve(c, route, caller)
	}))
	front := httptest.NewServer(engine)
	t.Cleanup(front.Close)

	return front.URL + route.Path
}

var minute = proxy.Timing{
	Call: time.Minute, Progress: time.Minute, Upload: time.Minute, Download: time.Minute, Patience: time.Minute,
	Tool: time.Minute,
}

func call(t *testing.T, method, address, body string, headers ...string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}

	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := (&http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = resp.Body.Close() })

	return resp
}

// everything a client may send; the proxy decides what of it a service sees.
var sent = []string{
	"Accept", "text/html", "Content-Type", "application/json", "Cookie", "request=1", "Origin", "https://evil.example", "User-Agent", "Mozilla",
	"X-Forwarded-For", "10.0.0.1", "X-Client-Address", "10.0.0.1", "Forwarded", "for=10.0.0.1", "Mcp-Protocol-Version", "2025-11-25", "Mcp-Method", "tools/call", "Mcp-Name", "legal_lookup", "Mcp-Session-Id", "1",
	"X-Deadline-Ms", "999999", "Authorization", "Bearer outside", "Sec-Fetch-Dest", "document", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Site", "none",
}

func TestWhatServicesAreTold(t *testing.T) {
	always := []string{"Accept", "Authorization", "Content-Length", "Content-Type", "X-Deadline-Ms", "X-Request-Id"}

	for _, tc := range []struct {
		name  string
		route routes.Route
		more  []string
		query string
	}{
		{"a page of the sign-in", routes.Route{Method: http.MethodPost, Path: "/oauth/consent", Body: routes.Form, Page: true}, []string{"Cookie", "Sec-Fetch-Dest", "Sec-Fetch-Mode", "X-Client-Address"}, "a=1"},
		{"an endpoint of OAuth", routes.Route{Method: http.MethodPost, Path: "/oauth/token", Body: routes.Form}, []string{"X-Client-Address"}, "a=1"},
		{"the exchange of a key", routes.Route{Method: http.MethodPost, Path: "/v1/auth/token"}, []string{"X-Client-Address"}, "a=1"},
		{"the MCP endpoint", routes.Route{Method: http.MethodPost, Path: "/api/mcp", Access: routes.Application, Body: routes.Tool}, []string{"Mcp-Protocol-Version", "Mcp-Method", "Mcp-Name"}, ""},
		{"a route of the HTTP interface", routes.Route{Method: http.MethodPost, Path: "/v1/cases", Access: routes.UserOrAgent}, nil, "a=1"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var seen *http.Request
			address := between(t, tc.route, minute, func(_ http.ResponseWriter, r *http.Request) { seen = r })
			call(t, http.MethodPost, address+"?a=1", "{}", sent...)
			want := append(slices.Clone(always), tc.more...)
			got := slices.Collect(maps.Keys(seen.Header))
			slices.Sort(want)
			if slices.Sort(got); !slices.Equal(got, want) {
				t.Errorf("headers %v, want %v", got, want)
			}
			if told := seen.Header.Get("X-Client-Address"); told != "" && told != "127.0.0.1" {
				t.Errorf("the client's address is what it says itself: %s", told)
			}
			if seen.Header.Get("Authorization") != "Bearer internal" || seen.URL.RawQuery != tc.query {
				t.Errorf("authorization %q, query %q, want %q", seen.Header.Get("Authorization"), seen.URL.RawQuery, tc.query)
			}
		})
	}
}

func TestWhatClientsAreTold(t *testing.T) {
	service := func(w http.ResponseWriter, _ *http.Request) {
		for name, value := range map[string]string{
			"Set-Cookie": "request=1; HttpOnly", "Location": "https://provider.example", "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
			"X-Frame-Options": "ALLOWALL", "Access-Control-Allow-Origin": "*", "Www-Authenticate": `Bearer error="insufficient_scope"`, "X-Accel-Buffering": "no",
		} {
			w.Header().Set(name, value)
		}
		w.WriteHeader(http.StatusSeeOther)
	}

	for _, tc := range []struct {
		name   string
		route  routes.Route
		cookie bool
		policy string
	}{
		{"a page of the sign-in", routes.Route{Method: http.MethodGet, Path: "/oauth/authorize", Page: true}, true, "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"},
		{"the MCP endpoint", routes.Route{Method: http.MethodPost, Path: "/api/mcp", Body: routes.Tool}, false, "default-src 'none'; frame-ancestors 'none'"},
		{
			"a download",
			routes.Route{Method: http.MethodGet, Path: "/v1/cases/export", Body: routes.Download},
			false, "default-src 'none'; sandbox; frame-ancestors 'none'",
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			h := call(t, tc.route.Method, between(t, tc.route, minute, service), "").Header
			if got := h.Values("Content-Security-Policy"); !slices.Equal(got, []string{tc.policy}) {
				t.Errorf("policy = %q", got)
			}
			if (h.Get("Set-Cookie") != "") != tc.cookie || h.Get("Location") == "" || !slices.Equal(h.Values("X-Frame-Options"), []string{"DENY"}) || h.Get("Access-Control-Allow-Origin") != "" {
				t.Errorf("headers = %v", h)
			}
			if h.Get("Www-Authenticate") == "" || h.Get("X-Accel-Buffering") != "no" {
				t.Errorf("headers = %v", h)
			}
		})
	}
}

func TestUploadsAreBounded(t *testing.T) {
	taken := func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			w.WriteHeader(http.StatusTeapot)
		}
	}

	address := between(t, routes.Route{Method: http.MethodPost, Path: "/x", Body: routes.Upload}, minute, taken)
	for more, want := range map[int]int{0: http.StatusOK, 1: http.StatusRequestEntityTooLarge} {
		if got := call(t, http.MethodPost, address, strings.Repeat("a", 1<<20+more)).StatusCode; got != want {
			t.Errorf("an upload of 1 MiB and %d bytes = %d, want %d", more, got, want)
		}
	}
}

// An upload that breaks off, or stops coming, is refused: it is never answered as if it had come whole. Over HTTP/1.1
// the server ends the request's context when a read fails, which must not pass for a caller who left.
func TestAnUploadThatStopsIsRefused(t *testing.T) {
	taken := func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			w.WriteHeader(http.StatusTeapot)
		}
	}
	timing := minute
	timing.Progress = 50 * time.Millisecond
	address := between(t, routes.Route{Method: http.MethodPost, Path: "/x", Body: routes.Upload}, timing, taken)
	host := strings.TrimSuffix(strings.TrimPrefix(address, "http://"), "/x")

	for name, body := range map[string]string{
		"a length, and nothing":       "Content-Length: 100\r\n\r\n",
		"a length, and less":          "Content-Length: 100\r\n\r\nabc",
		"a length, and all but one":   "Content-Length: 4\r\n\r\nabc",
		"more than a buffer holds":    "Content-Length: 1000000\r\n\r\n" + strings.Repeat("a", 99_999),
		"chunks, and none":            "Transfer-Encoding: chunked\r\n\r\n",
		"half a size":                 "Transfer-Encoding: chunked\r\n\r\n1",
		"half a chunk":                "Transfer-Encoding: chunked\r\n\r\n5\r\nab",
		"a chunk without its end":     "Transfer-Encoding: chunked\r\n\r\n2\r\nab",
		"a chunk, and no other":       "Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n",
		"a last chunk without end":    "Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n",
		"trailers that do not end":    "Transfer-Encoding: chunked\r\n\r\n0\r\nX-Sum: 1",
		"a kept connection, and none": "Connection: keep-alive\r\nContent-Length: 9\r\n\r\n12345678",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conn, err := net.Dial("tcp", host)
			if err != nil {
				t.Fatal(err)
			}

			defer func() { _ = conn.Close() }()
			_ = conn.SetDeadline(time.Now().Add(10 * time.Second))
			if _, err := io.WriteString(conn, "POST /x HTTP/1.1\r\nHost: "+host+"\r\n"+body); err != nil {
				t.Fatal(err)
			}
			resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				t.Fatal(err)
			}
			_ = resp.Body.Close()
			if resp.StatusCode != http.StatusBadRequest {
				t.Errorf("the answer is %d, want 400", resp.StatusCode)
			}
		})
	}
}

// An upload that comes steadily has to be whole in its time all the same.
func TestAnUploadHasItsTime(t *testing.T) {
	timing := minute
	timing.Upload = 300 * time.Millisecond
	taken := func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) }
	address := between(t, routes.Route{Method: http.MethodPost, Path: "/x", Body: routes.Upload}, timing, taken)

	body, feed := io.Pipe()
	defer func() { _ = body.Close() }()

	go func() {
		for at := range 1 << 20 {
			if _, err := feed.Write([]byte{byte(at)}); err != nil {
				return
			}
		}
	}()

	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, body)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := (&http.Client{}).Do(req)
	if err != nil {
		t.Fatal(err)
	}

	defer func() { _ = resp.Body.Close() }()
	var said httpx.WireError
	if err := json.NewDecoder(resp.Body).Decode(&said); err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode != http.StatusServiceUnavailable || said.Error != "unavailable" ||
		resp.Header.Get("Retry-After") == "" {
		t.Errorf("%d %+v %v", resp.StatusCode, said, resp.Header)
	}
}

// A reader who takes a little of a download now and then makes progress, and is cut off all the same in the end.
func TestADownloadHasItsTime(t *testing.T) {
	endless := func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			if _, err := w.Write(make([]byte, 1<<16)); err != nil {
				return
			}
		}
	}
	timing := minute
	timing.Download = 200 * time.Millisecond
	resp := call(t, http.MethodGet, between(t, routes.Route{
		Method: http.MethodGet, Path: "/x", Body: routes.Download,
	}, timing, endless), "")
	if n, err := io.Copy(io.Discard, resp.Body); err == nil {
		t.Errorf("the download ended well after %d bytes", n)
	}
}

func TestProgressOfAToolComesAtOnce(t *testing.T) {
	next := make(chan struct{})
	address := between(t, routes.Route{Method: http.MethodPost, Path: "/api/mcp", Body: routes.Tool}, minute, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")

		for _, event := range []string{"data: 1\n", "data: 2\n"} {
			_, _ = io.WriteString(w, event)
			_ = http.NewResponseController(w).Flush()
			<-next
		}
	})

	lines := bufio.NewReader(call(t, http.MethodPost, address, "{}").Body)
	for _, want := range []string{"data: 1\n", "data: 2\n"} {
		if got, err := lines.ReadString('\n'); got != want {
			t.Fatalf("read %q, %v, want %q while the tool works on", got, err, want)
		}
		next <- struct{}{}
	}
}

func TestAToolHasItsTime(t *testing.T) {
	timing := minute
	timing.Tool = 300 * time.Millisecond
	left := make(chan struct{}, 1)
	address := between(t, routes.Route{Method: http.MethodPost, Path: "/api/mcp", Body: routes.Tool}, timing, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
		left <- struct{}{}
	})
	if got := call(t, http.MethodPost, address, "{}").StatusCode; got != http.StatusServiceUnavailable {
		t.Errorf("a tool that never answers = %d, want %d", got, http.StatusServiceUnavailable)
	}
	<-left
}

func TestAServiceThatDoesNotAnswer(t *testing.T) {
	var reached atomic.Int64

	address := between(t, routes.Route{Method: http.MethodPost, Path: "/v1/cases"}, minute, func(http.ResponseWriter, *http.Request) {
		reached.Add(1)
		panic(http.ErrAbortHandler)
	})
	for n := range 25 {
		resp := call(t, http.MethodPost, address, "{}")
		var said httpx.WireError
		if err := json.NewDecoder(resp.Body).Decode(&said); err != nil {
			t.Fatal(err)
		}
		after := "2"
		if n >= 20 { // refused by the breaker
			after = "1"
		}
		if resp.StatusCode != http.StatusServiceUnavailable || said.Error != "unavailable" || said.Message == "" || resp.Header.Get("Retry-After") != after || resp.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("call %d = %d %+v, Retry-After %q, want 503 unavailable, %s", n+1, resp.StatusCode, said, resp.Header.Get("Retry-After"), after)
		}
	}
	if n := reached.Load(); n != 20 {
		t.Errorf("the service was asked %d times, want 20", n)
	}
}

func TestClientsDoNotMakeAServiceSeemAway(t *testing.T) {
	slow := minute
	slow.Call = 300 * time.Millisecond
	address := between(t, routes.Route{Method: http.MethodPost, Path: "/v1/cases"}, slow, func(w http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) })

	for range 25 { // bodies that never come whole
		body, end := io.Pipe()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, body)
		if err != nil {
			t.Fatal(err)
		}

		go func() {
			_, _ = end.Write([]byte("{"))
			_ = end.CloseWithError(io.ErrUnexpectedEOF)
		}()
		if resp, err := (&http.Client{}).Do(req); err == nil {
			_ = resp.Body.Close()
		}
	}
	if got := call(t, http.MethodPost, address, "{}").StatusCode; got != http.StatusOK {
		t.Errorf("a call after bodies that broke off = %d, want 200", got)
	}
}

// A service that does not take the gateway's own token says nothing about the caller, whose credential was good.
func TestTheRefusalOfAnInternalTokenIsAFailureOfOurs(t *testing.T) {
	for _, tc := range []struct {
		name, code string
		inner      int
		status     int
		said       string
	}{
		{"no token of ours", httpx.CodeInternalToken, 401, 503, "unavailable"},
		{"a key that is not valid", "invalid_api_key", 401, 401, "invalid_api_key"},
		{"a right that is missing", "forbidden", 403, 403, "forbidden"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			route := routes.Route{Method: http.MethodPost, Path: "/v1/cases"}
			address := between(t, route, minute, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set(httpx.HeaderRefusal, tc.code)
				w.Header().Set(httpx.HeaderRefusalStatus, "403")
				w.Header().Set("WWW-Authenticate", "Bearer")
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(tc.inner)
				_, _ = io.WriteString(w, `{"error":"`+tc.code+`","message":"No."}`)
			})
			resp := call(t, http.MethodPost, address, "{}")
			var said httpx.WireError
			if err := json.NewDecoder(resp.Body).Decode(&said); err != nil {
				t.Fatal(err)
			}
			if resp.StatusCode != tc.status || said.Error != tc.said {
				t.Errorf("%d %s, want %d %s", resp.StatusCode, said.Error, tc.status, tc.said)
			}
			if tc.status == http.StatusServiceUnavailable && resp.Header.Get("WWW-Authenticate") != "" {
				t.Error("a 503 asks for another credential")
			}
			if resp.Header.Get(httpx.HeaderRefusal) != "" || resp.Header.Get(httpx.HeaderRefusalStatus) != "" {
				t.Error("an inside header has left")
			}
		})
	}
}

// A caller who has as many streams open as one may have keeps no connection, unless it is a proxy's that serves others.
func TestARefusalEndsTheConnectionOfItsCallerOnly(t *testing.T) {
	route := routes.Route{Method: http.MethodPost, Path: "/v1/agent", Access: routes.UserOrAgent, Body: routes.Stream}

	for _, tc := range []struct {
		name    string
		trusted []string
		headers []string
		closed  bool
	}{
		{"the caller's own", nil, nil, true},
		{"of somebody who claims to be a proxy", nil, []string{"X-Forwarded-For", "192.0.2.1"}, true},
		{"of a trusted proxy", []string{"127.0.0.0/8"}, []string{"X-Forwarded-For", "192.0.2.1"}, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			address := behindProxies(t, tc.trusted, route, minute, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set(httpx.HeaderRefusal, "too_many_streams")
				w.WriteHeader(http.StatusTooManyRequests)
			})
			resp := call(t, route.Method, address, "{}", tc.headers...)
			if resp.StatusCode != http.StatusTooManyRequests || resp.Close != tc.closed {
				t.Errorf("answered %d, closed %t, want it closed %t", resp.StatusCode, resp.Close, tc.closed)
			}
		})
	}
}
