package abuse

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// class is a way to hold connections open that send or read hardly anything.
type class struct {
	name    string
	account bool // the attackers have one account, and many addresses; else one address, and no credential
	streams int  // of HTTP/2 on each connection; 0 means HTTP/1.1
	read    bool // they trickle the answer, and not the body
	paths   func(t target) []string
	media   string // type of the body; "" for none
}

var classes = []class{
	{name: "bodies-address", paths: posts("/v1/auth/token"), media: "application/json"},
	{name: "bodies-account", account: true, paths: posts("/v1/cases"), media: "application/json"},
	{name: "uploads-address", paths: uploads, media: "text/markdown"},
	{name: "uploads-account", account: true, paths: uploads, media: "text/markdown"},
	{name: "readers-address", read: true, paths: func(t target) []string {
		return []string{"/openapi.json", "/openapi.yaml", t.asset, "/.well-known/agent.json"}
	}},
	{name: "readers-account", account: true, read: true, paths: func(t target) []string {
		matter := "/v1/cases/" + t.caseID
		file := matter + "/files/" + t.fileID

		return []string{file + "/content", file + "/text", matter + "/export", "/v1/agent/" + t.phaseID}
	}},
	{name: "streams-address", streams: 1, paths: posts("/v1/auth/token")},
	{name: "streams-account", account: true, streams: 1, paths: posts("/v1/cases")},
	{name: "many-streams-account", account: true, streams: 100, paths: posts("/v1/cases")},
}

func posts(path string) func(target) []string { return func(target) []string { return []string{path} } }

func uploads(t target) []string { return []string{"/v1/cases/" + t.caseID + "/files"} }

const (
	trickle   = time.Second      // between two bytes
	openIn    = 4 * time.Second  // time over which connections are opened
	again     = 5 * time.Second  // before a connection that was ended is opened again: the aim is to hold, not to flood
	bodySize  = 200_000          // that is announced, and never comes whole
	handshake = 20 * time.Second // time for a connection to be opened
)

// attack opens so many connections and keeps them open until what it returns is called. It returns once they were
// opened for the first time.
func (s *stage) attack(ctx context.Context, c class, connections int) func() outcome {
	ctx, cancel := context.WithCancel(ctx)
	got := &tally{of: outcome{}}
	n := max(1, connections/max(1, c.streams))
	var all sync.WaitGroup

	for i := range n {
		all.Go(func() {
			wait(ctx, openIn*time.Duration(i)/time.Duration(n))

			for ctx.Err() == nil {
				s.hold(ctx, c, i, got)
				wait(ctx, again)
			}
		})
	}
	wait(ctx, openIn+trickle)

	return func() outcome {
		cancel()
		all.Wait()

		return got.of
	}
}

// wait waits for d, or until ctx ends.
func wait(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}

// hold opens connection i and keeps it until it is ended or ctx ends.
func (s *stage) hold(ctx context.Context, c class, i int, got *tally) {
	conn, err := s.dial(ctx, c, i)
	if err != nil {
		if ctx.Err() == nil {
			got.add("not connected")
		}

		return
	}
	defer func() { _ = conn.Close() }()
	// Below TLS, because a polite close would wait for a write that is stuck.
	defer context.AfterFunc(ctx, func() { _ = conn.NetConn().Close() })()
	got.add("connected")

	switch {
	case c.streams > 0:
		s.openStreams(ctx, c, i, conn, got)
	case c.read:
		s.readSlowly(ctx, c, i, conn, got)
	default:
		s.sendSlowly(ctx, c, i, conn, got)
	}
}

// dial connects from the attackers' one address, or from one of many.
func (s *stage) dial(ctx context.Context, c class, i int) (*tls.Conn, error) {
	ip := net.IPv4(127, 0, 9, 9)
	if c.account {
		// All of 127.0.0.0/8 is this machine, so each attacker has an address of their own.
		ip = net.IPv4(127, 0, byte(10+i/250), byte(1+i%250))
	}
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: ip}, Timeout: handshake}
	// With a small buffer at the reader the sender notices at once that nobody reads.
	if c.read {
		d.Control = func(_, _ string, raw syscall.RawConn) error {
			var failed error
			err := raw.Control(func(fd uintptr) {
				failed = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, 4096)
			})

			return errors.Join(err, failed)
		}
	}
	raw, err := d.DialContext(ctx, "tcp", s.addr)
	if err != nil {
		return nil, err
	}
	cfg := s.trust.Clone()
	cfg.NextProtos = []string{"http/1.1"}
	if c.streams > 0 {
		cfg.NextProtos = []string{"h2"}
	}
	conn := tls.Client(raw, cfg)

	shaking, cancel := context.WithTimeout(ctx, handshake)
	defer cancel()
	if err := conn.HandshakeContext(shaking); err != nil {
		_ = raw.Close()
		return nil, err
	}

	return conn, nil
}

// request is the head of a request of connection i.
func (s *stage) request(c class, i int) string {
	paths := c.paths(s.victim)
	method, more := "POST", fmt.Sprintf("Content-Length: %d\r\n", bodySize)
	if c.read {
		method, more = "GET", ""
	}
	if c.account {
		more += "Authorization: Bearer " + s.credential(paths[i%len(paths)]) + "\r\n"
	}

	if c.media != "" {
		more += "Content-Type: " + c.media + "\r\n"
	}

	return method + " " + paths[i%len(paths)] + " HTTP/1.1\r\nHost: " + s.addr + "\r\n" + more + "\r\n"
}

// credential is that of the attackers' account for a path: exports are for persons.
func (s *stage) credential(path string) string {
	if strings.HasSuffix(path, "/export") {
		return s.victim.token
	}

	return s.victim.bearer
}

// sendSlowly sends a request whose body comes byte by byte, until the server has had enough.
func (s *stage) sendSlowly(ctx context.Context, c class, i int, conn *tls.Conn, got *tally) {
	answered := make(chan struct{})

	go func() {
		defer close(answered)
		line, err := bufio.NewReader(conn).ReadString('\n')
		if err == nil && ctx.Err() == nil {
			got.add(status(line))
		}
	}()
	if _, err := io.WriteString(conn, s.request(c, i)); err != nil {
		return
	}

	tick := time.NewTicker(trickle)
	defer tick.Stop()

	for {
		if _, err := io.WriteString(conn, " "); err != nil {
			return
		}
		select {
		case <-answered:
			return
		case <-ctx.Done():
			_ = conn.NetConn().Close()
			<-answered

			return
		case <-tick.C:
		}
	}
}

// readSlowly asks for something and reads the answer byte by byte.
func (s *stage) readSlowly(ctx context.Context, c class, i int, conn *tls.Conn, got *tally) {
	if _, err := io.WriteString(conn, s.request(c, i)); err != nil {
		return
	}
	line, err := bufio.NewReaderSize(conn, 16).ReadString('\n')
	if err != nil || ctx.Err() != nil {
		return
	}
	got.add(status(line))

	tick := time.NewTicker(trickle)
	defer tick.Stop()

	for one := make([]byte, 1); ; {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if _, err := conn.Read(one); err != nil {
			if ctx.Err() == nil {
				got.add("cut off")
			}

			return
		}
	}
}

func status(line string) string {
	_, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	code, _, _ := strings.Cut(rest, " ")

	return code
}

// openStreams opens streams of HTTP/2 whose bodies never come, and opens another for each that ends.
func (s *stage) openStreams(ctx context.Context, c class, i int, conn *tls.Conn, got *tally) {
	h := &streams{framer: http2.NewFramer(conn, conn), next: 1}
	h.encoder = hpack.NewEncoder(&h.block)
	if _, err := io.WriteString(conn, http2.ClientPreface); err != nil {
		return
	}
	if err := h.framer.WriteSettings(); err != nil {
		return
	}

	for range c.streams {
		if err := h.open(s, c, i); err != nil {
			return
		}
	}

	for {
		f, err := h.framer.ReadFrame()
		if err != nil {
			if ctx.Err() == nil {
				got.add("cut off")
			}

			return
		}
		ended := false
		switch f := f.(type) {
		case *http2.SettingsFrame:
			if !f.IsAck() {
				err = h.framer.WriteSettingsAck()
			}
		case *http2.PingFrame:
			if !f.IsAck() {
				err = h.framer.WritePing(true, f.Data)
			}
		case *http2.HeadersFrame:
			got.add(h.status(f))
			ended = f.StreamEnded()
		case *http2.DataFrame:
			ended = f.StreamEnded()
		case *http2.GoAwayFrame:
			got.add("sent away")
			return
		}
		if ended {
			// A flood of new streams is another attack: here they are to be held.
			wait(ctx, again/time.Duration(c.streams))
			err = h.open(s, c, i)
		}
		if err != nil {
			return
		}
	}
}

// streams are those of one connection.
type streams struct {
	framer  *http2.Framer
	encoder *hpack.Encoder
	decoder *hpack.Decoder
	block   bytes.Buffer
	next    uint32
}

// open opens one more stream, without an end.
func (h *streams) open(s *stage, c class, i int) error {
	path := c.paths(s.victim)[0]
	h.block.Reset()
	fields := []hpack.HeaderField{
		{Name: ":method", Value: "POST"},
		{Name: ":scheme", Value: "https"},
		{Name: ":authority", Value: s.addr},
		{Name: ":path", Value: path},
		{Name: "content-type", Value: "application/json"},
	}
	if c.account {
		fields = append(fields, hpack.HeaderField{Name: "authorization", Value: "Bearer " + s.credential(path)})
	}

	for _, f := range fields {
		if err := h.encoder.WriteField(f); err != nil {
			return err
		}
	}
	id := h.next
	// RFC 9113, section 5.1.1: streams that a client opens have odd numbers.
	h.next += 2

	return h.framer.WriteHeaders(http2.HeadersFrameParam{
		StreamID: id, BlockFragment: h.block.Bytes(), EndHeaders: true,
	})
}

// status is that of an answer.
func (h *streams) status(f *http2.HeadersFrame) string {
	code := "answered"
	if h.decoder == nil {
		h.decoder = hpack.NewDecoder(4096, nil)
	}
	h.decoder.SetEmitFunc(func(f hpack.HeaderField) {
		if f.Name == ":status" {
			code = f.Value
		}
	})
	if _, err := h.decoder.Write(f.HeaderBlockFragment()); err != nil {
		return "an answer that cannot be read"
	}

	return code
}
