package cardfetch_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/egress"
	"github.com/subrosa-legal/subrosa/registry-svc/internal/agents"
	"github.com/subrosa-legal/subrosa/registry-svc/internal/cardfetch"
	"golang.org/x/net/dns/dnsmessage"
)

// names is a name server: it answers each question with the next of its answers, then with the last one for ever.
type names struct {
	asked   atomic.Int64
	answers [][]netip.Addr
}

func startNames(t *testing.T, answers ...[]netip.Addr) (*net.Resolver, *names) {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	n := &names{answers: answers}

	go func() {
		buf := make([]byte, 1500)
		for {
			k, from, err := conn.ReadFrom(buf)
			if err != nil {
				return
			}
			if reply := n.reply(buf[:k]); reply != nil {
				_, _ = conn.WriteTo(reply, from)
			}
		}
	}()

	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", conn.LocalAddr().String())
	}}, n
}

func (n *names) reply(query []byte) []byte {
	var m dnsmessage.Message
	if m.Unpack(query) != nil || len(m.Questions) != 1 {
		return nil
	}
	q := m.Questions[0]
	turn := int(n.asked.Add(1)-1) / 2 // A and AAAA are asked together
	m.Response, m.Additionals = true, nil

	for _, ip := range n.answers[min(turn, len(n.answers)-1)] {
		h := dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class}
		switch {
		case q.Type == dnsmessage.TypeA && ip.Is4():
			m.Answers = append(m.Answers, dnsmessage.Resource{Header: h, Body: &dnsmessage.AResource{A: ip.As4()}})
		case q.Type == dnsmessage.TypeAAAA && ip.Is6():
			m.Answers = append(m.Answers, dnsmessage.Resource{Header: h, Body: &dnsmessage.AAAAResource{AAAA: ip.As16()}})
		}
	}
	b, err := m.Pack()
	if err != nil {
		return nil
	}

	return b
}

func addrs(list ...string) []netip.Addr {
	all := make([]netip.Addr, len(list))
	for i, s := range list {
		all[i] = netip.MustParseAddr(s)
	}

	return all
}

func newFetcher(cfg cardfetch.Config) *cardfetch.Fetcher {
	if cfg.Total == 0 {
		cfg.Total = 2 * time.Second
	}
	if cfg.AtOnce == 0 {
		cfg.AtOnce = 8
	}
	cfg.Log = slog.New(slog.DiscardHandler)

	return cardfetch.New(cfg)
}

func TestS41AddressesAreRefusedByTheirFormWithoutANameServer(t *testing.T) {
	t.Parallel()
	resolver, asked := startNames(t, addrs("127.0.0.1"))

	f := newFetcher(cardfetch.Config{Resolver: resolver})
	for _, address := range []string{
		"", "https://", "https:cards.agents.com", "//cards.agents.com/", "http://cards.agents.com/", "ftp://cards.agents.com", "file:///etc/passwd", "gopher://x/",
		"https://127.0.0.1/", "https://[::1]/", "https://[::ffff:127.0.0.1]/", "https://[fe80::1%25lo]/", "https://8.8.8.8/",
		"https://2130706433/", "https://0x7f000001/", "https://0x7f.1/", "https://127.1/", "https://0177.0.0.1/", "https://①②⑦.⓪.⓪.①/",
		"https://localhost/", "https://localhost./", "https://a.localhost/", "https://1.1.1.1.nip.io./", "https://intranet/",
		"https://metadata.google.internal/", "https://redis.default.svc.cluster.local/", "https://kubernetes.default.svc/", "https://printer.local/",
		"https://u:p@cards.agents.com/", "https://cards.agents.com@127.0.0.1/", "https://cards.agents.com\\@127.0.0.1/",
		"https://cards.agents.com:6379/", "https://cards.agents.com:/", "https://cards.agents.com/#x", "https://cards.agents.com/#", "https://cards.agents.com/\r\nHost: x",
		"https://-a.agents.com/", "https://a_b.agents.com/", "https://cards..agents.com/", "https://" + strings.Repeat("a", 3000) + ".com/", "https://agents.com.1/",
	} {
		if err := f.Valid(address); !errors.Is(err, agents.ErrCardURL) {
			t.Errorf("Valid(%.60q) = %v, want %v", address, err, agents.ErrCardURL)
		}
		if _, _, err := f.Fetch(t.Context(), address, ""); !errors.Is(err, agents.ErrCardURL) {
			t.Errorf("Fetch(%.60q) = %v, want %v", address, err, agents.ErrCardURL)
		}
	}
	if n := asked.asked.Load(); n != 0 {
		t.Errorf("the name server was asked %d times", n)
	}

	for _, address := range []string{"https://cards.agents.com/.well-known/agent.json", "https://CARDS.agents.com:443/c?x=1", "https://xn--bcher-kva.example.org/"} {
		if err := f.Valid(address); err != nil {
			t.Errorf("Valid(%q) = %v, want nil", address, err)
		}
	}
}

func TestS42NamesThatLeadInsideAreNotDialled(t *testing.T) {
	t.Parallel()

	for _, ip := range []string{
		"127.0.0.1", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "192.0.0.1", "198.18.0.1", "224.0.0.1", "255.255.255.255", "168.63.129.16",
		"::1", "::", "fc00::1", "fe80::1", "64:ff9b::7f00:1", "2002:7f00:1::", "2001::1", "3fff::1", "ff02::1", "203.0.113.7",
	} {
		t.Run(ip, func(t *testing.T) {
			resolver, _ := startNames(t, addrs(ip))
			f := newFetcher(cardfetch.Config{Resolver: resolver, Deny: []netip.Prefix{netip.MustParsePrefix("203.0.113.0/24")}})
			if _, _, err := f.Fetch(t.Context(), "https://cards.agents.com/card", ""); !errors.Is(err, agents.ErrUnreachable) {
				t.Errorf("Fetch = %v, want %v", err, agents.ErrUnreachable)
			}
		})
	}
}

// peer is a TLS server of this machine that counts its visitors.
func peer(t *testing.T, h http.HandlerFunc) (server *httptest.Server, visits *atomic.Int64) {
	t.Helper()
	visits = new(atomic.Int64)
	server = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		visits.Add(1)
		h(w, r)
	}))
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelDebug)
	t.Cleanup(server.Close)

	return server, visits
}

// admitting returns a fetcher that may reach exactly these servers.
func admitting(t *testing.T, servers ...*httptest.Server) *cardfetch.Fetcher {
	t.Helper()

	cfg := cardfetch.Config{Roots: x509.NewCertPool()}
	for _, s := range servers {
		cfg.Roots.AddCert(s.Certificate())
		ap := netip.MustParseAddrPort(s.Listener.Addr().String())
		cfg.Dev = append(cfg.Dev, egress.Peer{Addr: ap.Addr(), Port: ap.Port()})
	}

	return newFetcher(cfg)
}

func TestS43AChangedAnswerOfTheNameServerIsSeenAtTheDial(t *testing.T) {
	t.Parallel()
	inside, visits := peer(t, func(w http.ResponseWriter, _ *http.Request) { writeCard(w, goodCard) })
	_, port, err := net.SplitHostPort(inside.Listener.Addr().String())
	if err != nil || port == "" {
		t.Fatal(err)
	}

	for name, answers := range map[string][][]netip.Addr{
		"first public, then loopback":     {addrs("203.0.113.9"), addrs("127.0.0.1")},
		"public with a loopback beside":   {addrs("203.0.113.9", "127.0.0.1")},
		"public IPv4 and a loopback IPv6": {addrs("203.0.113.9", "::1")},
	} {
		t.Run(name, func(t *testing.T) {
			resolver, _ := startNames(t, answers...)

			f := newFetcher(cardfetch.Config{Resolver: resolver, Total: time.Second, Deny: []netip.Prefix{netip.MustParsePrefix("203.0.113.0/24")}})
			for range 2 {
				if _, _, err := f.Fetch(t.Context(), "https://cards.agents.com/card", ""); !errors.Is(err, agents.ErrUnreachable) {
					t.Errorf("Fetch = %v, want %v", err, agents.ErrUnreachable)
				}
			}
		})
	}
	if visits.Load() != 0 {
		t.Error("a server inside was reached")
	}
}

const goodCard = `{"name":"Helper","description":"Does legal work.","url":"https://agents.com/helper","protocols":["a2a/1.0"]}`

func writeCard(w http.ResponseWriter, body string) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, body)
}

func TestS44Redirects(t *testing.T) {
	t.Parallel()
	second, visits := peer(t, func(w http.ResponseWriter, _ *http.Request) { writeCard(w, goodCard) })
	first, _ := peer(t, func(w http.ResponseWriter, r *http.Request) {
		if left, ok := strings.CutPrefix(r.URL.Path, "/hops/"); ok {
			n, err := strconv.Atoi(left)
			if err != nil || n == 0 {
				writeCard(w, goodCard)
				return
			}
			http.Redirect(w, r, "/hops/"+strconv.Itoa(n-1), http.StatusTemporaryRedirect)

			return
		}
		http.Redirect(w, r, map[string]string{
			"/other": second.URL, "/metadata": "https://169.254.169.254/latest", "/plain": strings.Replace(second.URL, "https", "http", 1), "/port": "https://cards.agents.com:6379/",
			"/nowhere": "", "/name": "https://localhost:" + strconv.Itoa(second.Listener.Addr().(*net.TCPAddr).Port) + "/",
		}[r.URL.Path], http.StatusFound)
	})

	f := admitting(t, first) // the second server is not admitted
	for _, path := range []string{"/other", "/metadata", "/plain", "/port", "/nowhere", "/name", "/hops/4"} {
		if _, _, err := f.Fetch(t.Context(), first.URL+path, ""); !errors.Is(err, agents.ErrUnreachable) {
			t.Errorf("%s: %v, want %v", path, err, agents.ErrUnreachable)
		}
	}
	if n := visits.Load(); n != 0 {
		t.Errorf("the second server was visited %d times", n)
	}
	if card, _, err := f.Fetch(t.Context(), first.URL+"/hops/3", ""); err != nil || card.Name != "Helper" {
		t.Errorf("three redirects: %+v, %v", card.Name, err)
	}
}

func TestS45HostilePeersCostLittle(t *testing.T) {
	t.Parallel()
	bomb := func() []byte {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		_, _ = z.Write(make([]byte, 1<<20))
		_ = z.Close()

		return b.Bytes()
	}()

	release := make(chan struct{})
	defer close(release)
	s, _ := peer(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")

		switch r.URL.Path {
		case "/endless":
			for r.Context().Err() == nil {
				if _, err := io.WriteString(w, strings.Repeat(" ", 4096)); err != nil {
					return
				}
			}
		case "/length":
			w.Header().Set("Content-Length", "1000000000")
			w.WriteHeader(http.StatusOK)
		case "/short":
			w.Header().Set("Content-Length", "1000")
			_, _ = io.WriteString(w, goodCard)
		case "/gzip":
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(bomb)
		case "/headers":
			w.Header().Set("X-Long", strings.Repeat("x", 100_000))
			writeCard(w, goodCard)
		case "/drip":
			for i := 0; i < len(goodCard) && r.Context().Err() == nil; i++ {
				_, _ = io.WriteString(w, goodCard[i:i+1])
				_ = http.NewResponseController(w).Flush()
				select {
				case <-time.After(200 * time.Millisecond):
				case <-release:
				}
			}
		case "/silent":
			select {
			case <-r.Context().Done():
			case <-release:
			}
		case "/html":
			w.Header().Set("Content-Type", "text/html")
			_, _ = io.WriteString(w, goodCard)
		case "/missing":
			w.WriteHeader(http.StatusNotFound)
		}
	})

	f := admitting(t, s)
	for _, path := range []string{"/endless", "/length", "/short", "/gzip", "/headers", "/drip", "/silent", "/html", "/missing"} {
		t.Run(path, func(t *testing.T) {
			if _, _, err := f.Fetch(t.Context(), s.URL+path, ""); !errors.Is(err, agents.ErrUnreachable) {
				t.Errorf("Fetch = %v, want %v", err, agents.ErrUnreachable)
			}
		})
	}
	t.Run("a handshake that hangs", func(t *testing.T) {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = ln.Close() }()
		ap := netip.MustParseAddrPort(ln.Addr().String())
		f := newFetcher(cardfetch.Config{Dev: []egress.Peer{{Addr: ap.Addr(), Port: ap.Port()}}})
		if _, _, err := f.Fetch(t.Context(), "https://"+ap.String()+"/", ""); !errors.Is(err, agents.ErrUnreachable) {
			t.Errorf("Fetch = %v, want %v", err, agents.ErrUnreachable)
		}
	})
}

func TestS46AProxyOfTheEnvironmentIsNotUsed(t *testing.T) {
	proxy, visits := peer(t, func(http.ResponseWriter, *http.Request) {})
	t.Setenv("HTTPS_PROXY", proxy.URL)
	t.Setenv("https_proxy", proxy.URL)
	t.Setenv("NO_PROXY", "")
	s, _ := peer(t, func(w http.ResponseWriter, _ *http.Request) { writeCard(w, goodCard) })
	if _, _, err := admitting(t, s).Fetch(t.Context(), s.URL+"/card", ""); err != nil {
		t.Error(err)
	}
	if visits.Load() != 0 {
		t.Error("the proxy was used")
	}
}

func TestFetchesAtOnceAreBounded(t *testing.T) {
	t.Parallel()
	entered, release := make(chan struct{}, 2), make(chan struct{})
	s, _ := peer(t, func(w http.ResponseWriter, _ *http.Request) {
		entered <- struct{}{}
		<-release
		writeCard(w, goodCard)
	})
	cfg := cardfetch.Config{Roots: x509.NewCertPool(), AtOnce: 1, Total: 5 * time.Second, Dev: []egress.Peer{{Addr: netip.MustParseAddr("127.0.0.1")}}}
	cfg.Roots.AddCert(s.Certificate())
	f := newFetcher(cfg)
	first := make(chan error, 1)

	go func() {
		_, _, err := f.Fetch(t.Context(), s.URL+"/card", "")
		first <- err
	}()
	<-entered
	if _, _, err := f.Fetch(t.Context(), s.URL+"/card", ""); !errors.Is(err, agents.ErrFetcherBusy) {
		t.Errorf("the second fetch = %v, want %v", err, agents.ErrFetcherBusy)
	}
	close(release)
	if err := <-first; err != nil {
		t.Error(err)
	}
}

func TestUnchangedCards(t *testing.T) {
	t.Parallel()
	s, _ := peer(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"v1"`)
		if r.Header.Get("If-None-Match") == `"v1"` || r.URL.Path == "/always" {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		writeCard(w, goodCard)
	})
	f := admitting(t, s)
	card, unchanged, err := f.Fetch(t.Context(), s.URL+"/card", "")
	if err != nil || unchanged || card.ETag != `"v1"` {
		t.Fatalf("first fetch: tag %q, unchanged %v, %v", card.ETag, unchanged, err)
	}
	if _, unchanged, err := f.Fetch(t.Context(), s.URL+"/card", card.ETag); err != nil || !unchanged {
		t.Errorf("second fetch: unchanged %v, %v", unchanged, err)
	}
	if _, _, err := f.Fetch(t.Context(), s.URL+"/always", ""); !errors.Is(err, agents.ErrUnreachable) {
		t.Errorf("304 without our asking: %v, want %v", err, agents.ErrUnreachable)
	}
}

func TestCards(t *testing.T) {
	t.Parallel()
	var body atomic.Value
	s, _ := peer(t, func(w http.ResponseWriter, _ *http.Request) { writeCard(w, body.Load().(string)) })

	f := admitting(t, s)
	for _, tc := range []struct {
		name, card string
		missing    string // a field that the refusal names; "" means accepted
		form       int
	}{
		{"the four fields", goodCard, "", 1},
		{"unknown fields beside", strings.Replace(goodCard, "{", `{"x":{"y":[1,2]},`, 1), "", 1},
		{"a card of A2A 1.0", `{"name":"A","description":"D","version":"1","supportedInterfaces":[{"url":"http://agents.com/x","protocolVersion":"1.0"},{"url":"https://agents.com/old","protocolVersion":"0.3"},{"url":"https://agents.com/x","protocolBinding":"JSONRPC","protocolVersion":"1.0"}],"capabilities":{},"skills":[]}`, "", 2},
		{
			"A2A 1.0 with the members of 0.3", `{"name":"A","description":"D","url":"https://agents.com/old","protocolVersion":"0.3",` +
				`"supportedInterfaces":[{"url":"https://agents.com/x","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]}`, "", 2,
		},
		{"both forms: the top-level fields win", strings.Replace(goodCard, "{", `{"supportedInterfaces":[{"url":"https://other.com","protocolVersion":"1.0"}],`, 1), "", 1},
		{"no name", strings.Replace(goodCard, `"name":"Helper",`, "", 1), "name", 0},
		{"empty name", strings.Replace(goodCard, "Helper", " \u200b", 1), "name", 0},
		{"name of another type", strings.Replace(goodCard, `"Helper"`, "17", 1), "name", 0},
		{"name too long", strings.Replace(goodCard, "Helper", strings.Repeat("n", 201), 1), "name", 0},
		{"no description", strings.Replace(goodCard, `"description":"Does legal work.",`, "", 1), "description", 0},
		{"no url", strings.Replace(goodCard, `"url":"https://agents.com/helper",`, "", 1), "url", 0},
		{"url not https", strings.Replace(goodCard, "https://agents", "http://agents", 1), "url", 0},
		{"url that leads inside", strings.Replace(goodCard, "https://agents.com/helper", "https://10.0.0.1/", 1), "url", 0},
		{"no protocols", strings.Replace(goodCard, `,"protocols":["a2a/1.0"]`, "", 1), "protocols", 0},
		{"other protocols", strings.Replace(goodCard, "a2a/1.0", "a2a/0.3", 1), "protocols", 0},
		{"protocols no list", strings.Replace(goodCard, `["a2a/1.0"]`, `"a2a/1.0"`, 1), "protocols", 0},
		{"A2A 1.0 without a usable interface", `{"name":"A","description":"D","supportedInterfaces":[{"url":"https://agents.com","protocolVersion":"0.3"}]}`, "supportedInterfaces", 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			body.Store(tc.card)
			card, _, err := f.Fetch(t.Context(), s.URL+"/card", "")
			if tc.missing == "" {
				if err != nil || card.Form != tc.form || card.URL == "" || card.SHA256 == "" || !bytes.Equal(card.Bytes, []byte(tc.card)) {
					t.Errorf("card = %+v, %v, want form %d", card, err, tc.form)
				}

				return
			}
			if !errors.Is(err, agents.ErrCard) || !strings.Contains(err.Error(), tc.missing) {
				t.Errorf("err = %v, want %v that names %s", err, agents.ErrCard, tc.missing)
			}
		})
	}

	for name, text := range map[string]string{
		"not JSON": "PLANTED", "an array": "[1]", "two values": "{} {}", "a doubled key": `{"name":"a","name":"PLANTED"}`, "too deep": strings.Repeat(`{"a":`, 40) + "1" + strings.Repeat("}", 40), "broken text": "{\"name\":\"\xff\"}",
	} {
		t.Run(name, func(t *testing.T) {
			body.Store(text)
			_, _, err := f.Fetch(t.Context(), s.URL+"/card", "")
			if !errors.Is(err, agents.ErrCard) || strings.Contains(fmt.Sprint(err), "PLANTED") {
				t.Errorf("err = %v, want %v that quotes nothing", err, agents.ErrCard)
			}
		})
	}
}

func TestNamesAreCleaned(t *testing.T) {
	t.Parallel()
	s, _ := peer(t, func(w http.ResponseWriter, _ *http.Request) {
		writeCard(w, strings.Replace(goodCard, "Helper", "He\u202elp\\u0007er\\n2", 1))
	})
	card, _, err := admitting(t, s).Fetch(t.Context(), s.URL+"/card", "")
	if err != nil || card.Name != "Helper 2" {
		t.Errorf("name = %q, %v, want %q", card.Name, err, "Helper 2")
	}
}

func FuzzValid(f *testing.F) {
	f.Add("https://cards.agents.com/")
	f.Add("https://127.0.0.1:443/")
	fetcher := newFetcher(cardfetch.Config{})
	f.Fuzz(func(t *testing.T, address string) {
		if fetcher.Valid(address) != nil {
			return
		}
		if !strings.HasPrefix(strings.ToLower(address), "https://") || strings.ContainsAny(address, "@\\#\r\n ") && !strings.Contains(address, "/") {
			t.Errorf("Valid(%q) = nil", address)
		}
	})
}
