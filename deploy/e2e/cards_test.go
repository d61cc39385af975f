package e2e_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
	"golang.org/x/net/dns/dnsmessage"
)

// cardWorld starts a world in which cards may be fetched from one address of this machine alone, and serves them there.
func cardWorld(t *testing.T, handler http.HandlerFunc, more ...string) (*world, string) {
	t.Helper()
	addr := testkit.FreeAddr(t)
	w := start(t, unlimited(append([]string{"REGISTRY_CARD_DEV_ALLOW", addr, "REGISTRY_CARD_AT_ONCE", "64"}, more...)...))

	return w, w.peerAt(addr, handler).URL
}

func card(rw http.ResponseWriter, body string) {
	rw.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(rw, body)
}

func TestS41AddressesThatAreRefusedByTheirForm(t *testing.T) {
	t.Parallel()
	other := newNobody(t)
	w, base := cardWorld(t, func(rw http.ResponseWriter, _ *http.Request) { card(rw, goodCard) })
	host := strings.TrimPrefix(base, "https://")
	port := other.Addr().(*net.TCPAddr).Port

	token := w.registrationToken(ada)
	for _, address := range []string{
		"", "x", "https://", "https:cards.agents.com", "//cards.agents.com/", "http://cards.agents.com/", "http://" + host + "/", "HTTP://" + host, "ftp://cards.agents.com", "file:///etc/passwd",
		"gopher://x/", "javascript:alert(1)", "data:application/json,{}", "https://127.0.0.1/", fmt.Sprintf("https://127.0.0.1:%d/", port), fmt.Sprintf("https://[::1]:%d/", port),
		fmt.Sprintf("https://[::ffff:127.0.0.1]:%d/", port), fmt.Sprintf("https://2130706433:%d/", port), fmt.Sprintf("https://0x7f000001:%d/", port), fmt.Sprintf("https://127.1:%d/", port),
		fmt.Sprintf("https://0177.0.0.1:%d/", port), fmt.Sprintf("https://localhost:%d/", port), fmt.Sprintf("https://0.0.0.0:%d/", port), "https://[fe80::1%25lo]/", "https://169.254.169.254/latest/meta-data/",
		"https://10.0.0.1/", "https://8.8.8.8/", "https://localhost/", "https://localhost./", "https://a.localhost/", "https://intranet/", "https://metadata.google.internal/",
		"https://redis.default.svc.cluster.local/", "https://printer.local/", "https://u:p@cards.agents.com/", "https://cards.agents.com@" + host + "/", "https://u:p@" + host + "/",
		"https://cards.agents.com\\@" + host + "/", "https://cards.agents.com:6379/", "https://cards.agents.com:/", base + "/#x", "https://cards.agents.com/\r\nHost: x", base + "/\r\nX: y", base + "/ x",
		"https://-a.agents.com/", "https://a_b.agents.com/", "https://cards..agents.com/", "https://" + strings.Repeat("a", 3000) + ".com/", "https://①②⑦.⓪.⓪.①/", "https://agents.com.1/",
	} {
		a := w.register(token, address)
		want := "card_url_invalid"
		if address == "" {
			want = "validation_failed"
		}
		a.refused(t, fmt.Sprintf("%.80q", address), http.StatusBadRequest, want)
		if len(address) > 12 && bytes.Contains(a.body, []byte(address)) {
			t.Errorf("%.80q: the answer repeats the address: %s", address, a.body)
		}
	}
	if saw := other.saw(); saw != "" {
		t.Errorf("an address that is not admitted was dialled: %s", saw)
	}
	into[api.RegisteredAgent](t, w.register(token, base+"/agent.json"), http.StatusCreated) // none of them was a try
}

// nameServer answers every question with the same addresses.
func nameServer(t *testing.T, answers map[string][]netip.Addr) (asked *atomic.Int64) {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	asked = new(atomic.Int64)

	go func() {
		buf := make([]byte, 1500)
		for {
			n, from, err := conn.ReadFrom(buf)
			if err != nil {
				return
			}
			asked.Add(1)
			if reply := answerName(buf[:n], answers); reply != nil {
				_, _ = conn.WriteTo(reply, from)
			}
		}
	}()
	before := net.DefaultResolver
	net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", conn.LocalAddr().String())
	}}
	t.Cleanup(func() { net.DefaultResolver = before; _ = conn.Close() })

	return asked
}

func answerName(query []byte, answers map[string][]netip.Addr) []byte {
	var m dnsmessage.Message
	if m.Unpack(query) != nil || len(m.Questions) != 1 {
		return nil
	}
	q := m.Questions[0]
	m.Response, m.Additionals = true, nil

	for _, ip := range answers[strings.TrimSuffix(q.Name.String(), ".")] {
		h := dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class}
		switch {
		case q.Type == dnsmessage.TypeA && ip.Is4():
			m.Answers = append(m.Answers, dnsmessage.Resource{Header: h, Body: &dnsmessage.AResource{A: ip.As4()}})
		case q.Type == dnsmessage.TypeAAAA && ip.Is6():
			m.Answers = append(m.Answers, dnsmessage.Resource{Header: h, Body: &dnsmessage.AAAAResource{AAAA: ip.As16()}})
		}
	}
	reply, err := m.Pack()
	if err != nil {
		return nil
	}

	return reply
}

func TestS42NamesThatLeadInside(t *testing.T) {
	answers := map[string][]netip.Addr{}
	for i, ip := range []string{
		"127.0.0.1", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "198.18.0.1", "168.63.129.16", "::1", "fc00::1", "fe80::1", "64:ff9b::7f00:1",
		"2002:7f00:1::", "224.0.0.1",
	} {
		answers["n"+strconv.Itoa(i)+".agents.com"] = []netip.Addr{netip.MustParseAddr(ip)}
	}
	answers["both.agents.com"] = []netip.Addr{netip.MustParseAddr("10.0.0.1"), netip.MustParseAddr("::1")}
	answers["nothing.agents.com"] = nil
	asked := nameServer(t, answers)
	inside, err := net.Listen("tcp", "127.0.0.1:443") // where such a name would lead to, when this test may listen there
	if err == nil {
		defer func() { _ = inside.Close() }()

		go func() {
			for {
				conn, err := inside.Accept()
				if err != nil {
					return
				}
				t.Error("somebody was let in at 127.0.0.1:443")
				_ = conn.Close()
			}
		}()
	}
	w, _ := cardWorld(t, func(rw http.ResponseWriter, _ *http.Request) { card(rw, goodCard) }, "REGISTRY_CARD_TIME", "2s")
	var first []byte

	token, tries := w.registrationToken(ada), 0
	for name, addresses := range answers {
		if tries == 5 {
			token, tries = w.registrationToken(ada), 0
		}
		tries++
		a := w.register(token, "https://"+name+"/.well-known/agent.json")
		a.refused(t, fmt.Sprintf("%s at %v", name, addresses), http.StatusBadRequest, "card_unreachable")
		if body := withoutRequestID(a); first == nil {
			first = body
		} else if !bytes.Equal(body, first) {
			t.Errorf("%v: %s, want the same answer for every address: %s", addresses, body, first)
		}
	}
	if asked.Load() == 0 {
		t.Error("the name server was not asked, so nothing was tried")
	}
}

func TestS44Redirects(t *testing.T) {
	t.Parallel()
	secret := newNobody(t)
	base := ""

	w, base := cardWorld(t, func(rw http.ResponseWriter, r *http.Request) {
		to, status := "", http.StatusFound

		switch kind, n, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/"); kind {
		case "card":
			card(rw, goodCard)
			return
		case "hops":
			left, _ := strconv.Atoi(n)
			if to = "/hops/" + strconv.Itoa(left-1); left == 1 {
				to = "/card"
			}
		case "loop":
			to = "/loop"
		case "other-port":
			to = "https://" + secret.Addr().String() + "/"
		case "name":
			to = "https://localhost:" + strconv.Itoa(secret.Addr().(*net.TCPAddr).Port) + "/"
		case "inside":
			to = "https://169.254.169.254/latest/"
		case "http":
			to = "http://" + r.Host + "/card"
		case "file":
			to = "file:///etc/passwd"
		case "user":
			to = "https://u:p@" + r.Host + "/card"
		case "nowhere":
		case "permanent":
			to, status = "/card", http.StatusPermanentRedirect
		}
		if to != "" {
			rw.Header().Set("Location", to)
		}
		rw.WriteHeader(status)
	})
	for _, path := range []string{"/hops/4", "/loop", "/other-port", "/name", "/inside", "/http", "/file", "/user", "/nowhere"} {
		token := w.registrationToken(ada)
		w.register(token, base+path).refused(t, path, http.StatusBadRequest, "card_unreachable")
	}
	if saw := secret.saw(); saw != "" {
		t.Errorf("a redirect to an address that is not admitted was followed: %s", saw)
	}

	for _, path := range []string{"/hops/3", "/permanent"} {
		into[api.RegisteredAgent](t, w.register(w.registrationToken(ada), base+path), http.StatusCreated)
		if got := into[api.Agent](t, w.send(http.MethodGet, "/v1/agents/me", w.token(ada), ""), http.StatusOK).AgentCardURL; got != base+path {
			t.Errorf("agent_card_url = %s, want what was registered: %s", got, base+path)
		}
		w.disconnect(ada)
	}
}

// hostile serves each bad way of giving a card under its name.
var hostile = map[string]func(rw http.ResponseWriter, r *http.Request){
	"endless": func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("Content-Type", "application/json")

		for chunk := bytes.Repeat([]byte(" "), 32<<10); r.Context().Err() == nil; {
			if _, err := rw.Write(chunk); err != nil {
				return
			}
		}
	},
	"a gigabyte promised": func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Content-Length", strconv.Itoa(1<<30))
		card(rw, goodCard)
	},
	"64 KiB and one byte": func(rw http.ResponseWriter, _ *http.Request) {
		card(rw, goodCard+strings.Repeat(" ", 64<<10-len(goodCard)+1))
	},
	"shorter than promised": func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Content-Length", strconv.Itoa(len(goodCard)+10))
		card(rw, goodCard)
	},
	"compressed": func(rw http.ResponseWriter, _ *http.Request) {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		_, _ = z.Write(append([]byte(goodCard), bytes.Repeat([]byte(" "), 10<<20)...))
		_ = z.Close()
		rw.Header().Set("Content-Encoding", "gzip")
		card(rw, b.String())
	},
	"100 kB of headers": func(rw http.ResponseWriter, _ *http.Request) {
		for i := range 100 {
			rw.Header().Set("X-"+strconv.Itoa(i), strings.Repeat("a", 1000))
		}
		card(rw, goodCard)
	},
	"a byte at a time": func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("Content-Type", "application/json")

		tick := time.NewTicker(200 * time.Millisecond)
		defer tick.Stop()

		for i := 0; i < len(goodCard) && r.Context().Err() == nil; i++ {
			_, _ = rw.Write([]byte{goodCard[i]})
			_ = http.NewResponseController(rw).Flush()
			<-tick.C
		}
	},
	"nothing": func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
	"a page": func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(rw, goodCard)
	},
	"no type": func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header()["Content-Type"] = nil
		_, _ = io.WriteString(rw, goodCard)
	},
	"not there":       func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(http.StatusNotFound); card(rw, goodCard) },
	"made, not there": func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(http.StatusCreated); card(rw, goodCard) },
	"unchanged":       func(rw http.ResponseWriter, _ *http.Request) { rw.WriteHeader(http.StatusNotModified) },
	"hangs up":        func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
}

func TestS45HostsThatDoNotGiveACard(t *testing.T) {
	t.Parallel()
	const within = 2 * time.Second
	w, base := cardWorld(t, func(rw http.ResponseWriter, r *http.Request) {
		if serve := hostile[strings.ReplaceAll(strings.TrimPrefix(r.URL.Path, "/"), "+", " ")]; serve != nil {
			serve(rw, r)
			return
		}
		card(rw, goodCard)
	}, "REGISTRY_CARD_TIME", within.String())

	var names []string
	for name := range hostile {
		names = append(names, name)
	}

	var tokens []string
	for range names {
		tokens = append(tokens, w.registrationToken(ada))
	}
	began := time.Now()
	answers := w.race(len(names), func(i int) *http.Request {
		return w.request(http.MethodPost, "/v1/agents/register", "", strings.NewReader(registration(t, tokens[i], base+"/"+strings.ReplaceAll(names[i], " ", "+"))))
	})
	if took := time.Since(began); took > within+8*time.Second { // a bound on what hangs, no measurement
		t.Errorf("the answers took %v", took)
	}

	for i, a := range answers {
		a.refused(t, names[i], http.StatusBadRequest, "card_unreachable")
		if !bytes.Equal(withoutRequestID(a), withoutRequestID(answers[0])) {
			t.Errorf("%s: %s, want the same answer for every cause", names[i], a.body)
		}
	}

	for i, token := range tokens[:2] { // the tokens are as good as before
		if a := w.register(token, base+"/good"); i == 0 && a.status != http.StatusCreated {
			t.Errorf("afterwards: %d %s", a.status, a.body)
		}
	}
}

func TestS45HostsWithoutTLS(t *testing.T) {
	t.Parallel()

	for name, serve := range map[string]func(net.Conn){
		"silent": func(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) },
		"plain": func(conn net.Conn) {
			_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n"+goodCard)
		},
		"hangs up": func(net.Conn) {},
	} {
		t.Run(name, func(t *testing.T) {
			ln, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			var open sync.WaitGroup
			t.Cleanup(func() { _ = ln.Close(); open.Wait() })

			go func() {
				for {
					conn, err := ln.Accept()
					if err != nil {
						return
					}
					open.Go(func() { serve(conn); _ = conn.Close() })
				}
			}()
			w := start(t, unlimited("REGISTRY_CARD_DEV_ALLOW", ln.Addr().String(), "REGISTRY_CARD_TIME", "1s"))
			w.register(w.registrationToken(ada), "https://"+ln.Addr().String()+"/").refused(t, name, http.StatusBadRequest, "card_unreachable")
		})
	}
}

func TestCardsThatLackSomething(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited())
	host := w.cardHost()
	change := func(pairs ...any) string {
		var fields map[string]any
		if err := json.Unmarshal([]byte(goodCard), &fields); err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(with(fields, pairs...))
		if err != nil {
			t.Fatal(err)
		}

		return string(text)
	}
	var tries int
	token := ""

	for name, tc := range map[string]struct {
		card    string
		missing []string // what the answer must name
	}{
		"no name": {change("name", nil), []string{"name"}}, "empty name": {change("name", ""), []string{"name"}}, "name of another type": {change("name", 1), []string{"name"}},
		"blank name": {change("name", " \u200b "), []string{"name"}}, "no description": {change("description", nil), []string{"description"}}, "no url": {change("url", nil), []string{"url"}},
		"http url": {change("url", "http://agents.com"), []string{"url"}}, "inside url": {change("url", "https://10.0.0.1/"), []string{"url"}}, "no protocols": {change("protocols", nil), []string{"protocols"}},
		"other protocols": {change("protocols", []string{"a2a/0.3"}), []string{"protocols"}}, "protocols as text": {change("protocols", "a2a/1.0"), []string{"protocols"}},
		"empty": {"{}", []string{"name", "description", "url", "protocols"}}, "array": {"[]", nil}, "text": {`"card"`, nil}, "nothing": {"", nil}, "page": {"<html>SECRET-OF-THE-HOST</html>", nil},
		"two values": {goodCard + goodCard, nil}, "a name twice": {`{"name":"a",` + goodCard[1:], nil}, "not UTF-8": {"{\"name\":\"\xff\"}", nil}, "deep": {strings.Repeat(`{"a":`, 100) + "1" + strings.Repeat("}", 100), nil},
		"interface of another version": {`{"name":"a","description":"b","supportedInterfaces":[{"url":"https://agents.com","protocolVersion":"0.3"}]}`, []string{"supportedInterfaces"}},
	} {
		if tries%5 == 0 {
			token = w.registrationToken(ada)
		}
		tries++
		host.serve(tc.card)
		a := w.register(token, host.url)
		a.refused(t, name, http.StatusBadRequest, "card_invalid")

		var named []string
		for _, d := range a.err.Details {
			named = append(named, d.Path)
		}
		if !slices.Equal(named, tc.missing) {
			t.Errorf("%s: details name %v, want %v", name, named, tc.missing)
		}
		if bytes.Contains(a.body, []byte("SECRET")) {
			t.Errorf("%s: the answer quotes the host: %s", name, a.body)
		}
	}

	for name, good := range map[string]string{
		"with more": change("skills", []any{map[string]any{"id": "x"}}, "jwksUrl", "https://10.0.0.1/keys"), "several protocols": change("protocols", []string{"x", "a2a/1.0"}),
		"A2A 1.0": `{"name":"a","description":"b","version":"1","capabilities":{},"defaultInputModes":[],"defaultOutputModes":[],"skills":[],"supportedInterfaces":[{"url":"https://agents.com/a2a","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]}`,
	} {
		host.serve(good)
		into[api.RegisteredAgent](t, w.register(w.registrationToken(ada), host.url), http.StatusCreated)
		if me := into[api.Agent](t, w.send(http.MethodGet, "/v1/agents/me", w.token(ada), ""), http.StatusOK); !strings.HasPrefix(me.URL, "https://agents.com") {
			t.Errorf("%s: url = %q", name, me.URL)
		}
		w.disconnect(ada)
	}
}

// Cards of A2A 1.0 register as the SDKs serve them, also of agents that speak 0.3 besides. A card of 0.3 alone is told
// what to add.
func TestCardsOfTheSDKs(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited())
	host := w.cardHost()

	for name, url := range map[string]string{
		"go": "https://agents.com/a2a/invoke", "go-with-0.3": "https://agents.com/a2a/invoke",
		"python": "https://agents.com/a2a/jsonrpc", "python-with-0.3": "https://agents.com/a2a/jsonrpc",
		"javascript": "https://agents.com/a2a/jsonrpc", "javascript-with-0.3": "https://agents.com/a2a/jsonrpc",
		"python-only-0.3": "",
	} {
		body, err := os.ReadFile(filepath.Join("testdata", "sdkcards", name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		host.serve(string(body))
		token := w.registrationToken(ada)
		got := w.register(token, host.url)
		if url == "" {
			got.refused(t, name, http.StatusBadRequest, "card_invalid")
			if !strings.Contains(got.err.Message, `"protocols": ["a2a/1.0"]`) {
				t.Errorf("%s: %q does not tell what to add", name, got.err.Message)
			}
			host.serve(goodCard)
			got = w.register(token, host.url) // the token is still good
			url = "https://agents.com"
		}
		into[api.RegisteredAgent](t, got, http.StatusCreated)
		me := into[api.Agent](t, w.send(http.MethodGet, "/v1/agents/me", w.token(ada), ""), http.StatusOK)
		if !strings.HasPrefix(me.URL, url) {
			t.Errorf("%s: the agent's address is %q, want %q", name, me.URL, url)
		}
		w.disconnect(ada)
	}
}

func TestS47CardsThatChangeAfterConnection(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited(oneProcess, "registry-svc"))
	same, changed, broken := w.connect(ada), w.connect(ben), w.connect(cara)
	health := func(agent connected) answer {
		return w.send(http.MethodGet, "/v1/agents/"+agent.AgentID+"/health", agent.bearer, "")
	}
	if got := into[api.AgentHealth](t, health(same), http.StatusOK); got != (api.AgentHealth{Status: "healthy"}) {
		t.Errorf("health = %+v, want healthy", got)
	}
	before := w.send(http.MethodGet, "/v1/agents/me", w.token(ben), "")
	changed.card.serve(`{"name":"Somebody else","description":"Ask me for everything.","url":"https://other.com","protocols":["a2a/1.0","evil/1"],"scopes":["admin"]}`)
	if got := into[api.AgentHealth](t, health(changed), http.StatusOK); got.Status != "healthy" || !got.CardChanged {
		t.Errorf("health of a card that changed = %+v, want healthy and changed", got)
	}
	was := into[api.Agent](t, before, http.StatusOK)
	after := into[api.Agent](t, w.send(http.MethodGet, "/v1/agents/me", w.token(ben), ""), http.StatusOK)
	if was.CardChangedAt != nil || after.CardChangedAt == nil || after.CardSignature != "none" {
		t.Errorf("the owner is told %+v, and before %+v", after, was)
	}
	after.CardChangedAt = nil
	if got, want := jsonOf(t, after), jsonOf(t, was); got != want {
		t.Errorf("the snapshot has changed:\n%s\n%s", want, got)
	}
	if done := w.actions("REGISTRY_DATABASE", changed.AgentID); !slices.Contains(done, "agent.card_changed") {
		t.Errorf("the audit says of the agent %v, want agent.card_changed among it", done)
	}
	if done := w.actions("REGISTRY_DATABASE", same.AgentID); slices.Contains(done, "agent.card_changed") {
		t.Errorf("the audit says of an agent whose card stayed: %v", done)
	}
	w.takes("the agent whose card changed", changed.bearer)
	broken.card.serve("{}")
	a := health(broken)
	if got := into[api.AgentHealth](t, a, http.StatusServiceUnavailable); got.Status != "unhealthy" || got.Error != "card_invalid" || got.Message == "" {
		t.Errorf("health of a broken card = %s", a.body)
	}
	visits := func() int { broken.card.mu.Lock(); defer broken.card.mu.Unlock(); return broken.card.visits }
	n := visits()

	for range 20 { // an answer is kept, so that health cannot be used to hammer somebody
		health(broken)
	}
	if more := visits() - n; more != 0 {
		t.Errorf("20 questions for health caused %d fetches within the life of an answer", more)
	}
	w.takes("an unhealthy agent", broken.bearer)
	w.send(http.MethodGet, "/v1/agents/"+same.AgentID+"/health", changed.bearer, "").refused(t, "health of another tenant's agent", http.StatusNotFound, "not_found")
	w.send(http.MethodGet, "/v1/agents/"+same.AgentID+"/health", w.token(cara), "").refused(t, "health of a colleague's agent", http.StatusForbidden, "forbidden")
	w.send(http.MethodDelete, "/v1/agents/"+same.AgentID, w.token(cara), "").refused(t, "disconnect a colleague's agent", http.StatusForbidden, "forbidden")
	w.send(http.MethodDelete, "/v1/agents/"+same.AgentID, w.token(ben), "").refused(t, "disconnect another tenant's agent", http.StatusNotFound, "not_found")
}
