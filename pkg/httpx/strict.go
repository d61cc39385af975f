package httpx

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Early is an answer that the server gives before any route has seen the request: its head cannot be read, or could be
// read in two ways.
type Early func(status int) []byte

// strictly returns a listener whose connections speak TLS, and those of HTTP/1.1 read their requests strictly: what two
// readers could take for different requests is refused. early makes the answers of what is refused before the router.
func strictly(inner net.Listener, config *tls.Config, early Early) net.Listener {
	// A copy: the server writes what it speaks into its own, while the first callers shake hands already.
	l := &strictListener{Listener: inner, config: config.Clone(), early: early, ready: make(chan accepted)}
	go l.run()

	return l
}

const handshakeTime = 5 * time.Second

type accepted struct {
	conn net.Conn
	err  error
}

// strictListener shakes hands beside Accept, so that a slow caller holds up nobody.
type strictListener struct {
	net.Listener
	config *tls.Config
	early  Early
	ready  chan accepted
}

// run takes callers until the inner listener has none left, and ends when all that it took have been passed on.
func (l *strictListener) run() {
	var under sync.WaitGroup

	for {
		conn, err := l.Listener.Accept()
		if err == nil {
			under.Go(func() { l.shake(conn) })
			continue
		}
		var passing interface{ Temporary() bool }
		if errors.As(err, &passing) && passing.Temporary() {
			time.Sleep(5 * time.Millisecond) //nolint:forbidigo // as the server of the standard library does
			continue
		}
		// Handshakes that are under way still pass their connection on, so the channel closes after them.
		under.Wait()
		l.ready <- accepted{err: err}
		close(l.ready)

		return
	}
}

func (l *strictListener) shake(conn net.Conn) {
	secure := tls.Server(conn, l.config)

	ctx, cancel := context.WithTimeout(context.Background(), handshakeTime)
	defer cancel()
	if err := secure.HandshakeContext(ctx); err != nil {
		var plain tls.RecordHeaderError
		// Whoever speaks plain HTTP to this port is told so in HTTP, as the standard library does.
		if errors.As(err, &plain) && plain.Conn != nil && looksLikeHTTP(plain.RecordHeader) {
			//nolint:forbidigo // a socket's deadline is on the wall clock
			_ = conn.SetWriteDeadline(time.Now().Add(time.Second))
			_, _ = conn.Write(l.early(http.StatusBadRequest))
		}
		_ = conn.Close()

		return
	}
	out := accepted{conn: secure}
	// HTTP/2 frames its requests, so there is no second way to read where one ends.
	if secure.ConnectionState().NegotiatedProtocol != "h2" {
		out.conn = &strictConn{Conn: secure, early: l.early, scan: scanner{state: inHead}}
	}
	l.ready <- out
}

func looksLikeHTTP(head [5]byte) bool {
	switch string(head[:]) {
	case "GET /", "HEAD ", "POST ", "PUT /", "OPTIO", "PATCH", "DELET":
		return true
	}

	return false
}

// Accept returns the next caller whose handshake is done.
func (l *strictListener) Accept() (net.Conn, error) {
	next, ok := <-l.ready
	if !ok {
		return nil, net.ErrClosed
	}

	return next.conn, next.err
}

// strictConn is a connection of HTTP/1.1. It holds the head of each request back until it is whole and has been looked
// at, and replaces the answers that the server itself gives before a handler has the request.
type strictConn struct {
	net.Conn
	early Early

	held []byte // what came and was not passed on
	scan scanner
	err  error // of the connection, after what is held
	over bool  // a request was refused: nothing after it is read
}

// CloseWrite tells the caller that no more comes, as the server does after it has refused a request.
func (c *strictConn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}

	return nil
}

// maxHeld bounds what is held back of a head, in bytes. The server refuses what is larger by itself.
const maxHeld = 4 * maxHead

// spoiled makes the server refuse the request and close the connection.
var spoiled = []byte("refused\r\n\r\n")

// Read reads what may be passed on.
func (c *strictConn) Read(p []byte) (int, error) {
	for {
		if n := c.scan.passed(c.held); n > 0 {
			n = copy(p, c.held[:n])
			if c.held = c.held[n:]; len(c.held) == 0 {
				// A connection that waits for its next request must hold no memory.
				c.held = nil
			}
			c.scan.took(n)

			return n, nil
		}
		if c.scan.refused {
			c.held, c.scan, c.over = append([]byte{}, spoiled...), scanner{state: unseen}, true
			continue
		}
		if c.over {
			return 0, io.EOF
		}
		if c.err != nil {
			// What is left of a head that broke off is the server's to judge.
			c.scan.state = unseen
			if len(c.held) > 0 {
				continue
			}
			err := c.err
			c.err = nil

			return 0, err
		}
		if free := c.scan.free(len(p)); free > 0 && len(c.held) == 0 {
			n, err := c.Conn.Read(p[:free])
			c.scan.took(n)

			return n, err
		}
		n, err := c.hold()
		if len(c.held) > maxHeld {
			c.scan.state = unseen
		}
		if isTimeout(err) {
			if n == 0 {
				// The deadline was a look by the server. The head may still come.
				return 0, err
			}

			continue
		}
		c.err = err
	}
}

const heldAtOnce = 2048 // bytes

// hold reads more of what may not be passed on yet. It does so into the heap and not into its own frame: that would
// double the stack of each connection whose caller trickles.
func (c *strictConn) hold() (int, error) {
	c.held = slices.Grow(c.held, heldAtOnce)
	n, err := c.Conn.Read(c.held[len(c.held):cap(c.held)])
	c.held = c.held[:len(c.held)+n]

	return n, err
}

func isTimeout(err error) bool {
	var timeout net.Error
	return errors.As(err, &timeout) && timeout.Timeout()
}

// byItself is how answers begin that the server gives without a handler. A handler's answers have other headers.
var byItself = regexp.MustCompile(
	`^HTTP/1\.1 ([45]\d\d) [^\r\n]*\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n|^HTTP/1\.1 (417) `,
)

// Write writes an answer, and in place of one that the server gives by itself, ours.
func (c *strictConn) Write(p []byte) (int, error) {
	if !bytes.HasPrefix(p, []byte("HTTP/1.1 4")) && !bytes.HasPrefix(p, []byte("HTTP/1.1 5")) {
		return c.Conn.Write(p)
	}
	m := byItself.FindSubmatch(p)
	if m == nil {
		return c.Conn.Write(p)
	}
	// The two forms exclude each other, so one of the groups is empty.
	status, err := strconv.Atoi(string(m[1]) + string(m[2]))
	if err != nil {
		return c.Conn.Write(p)
	}
	if _, err := c.Conn.Write(c.early(status)); err != nil {
		return 0, err
	}

	return len(p), nil
}

// state says what the next byte of a connection belongs to.
type state uint8

const (
	inHead   state = iota
	inBody         // left bytes of it are still to come
	inSize         // the line with the size of a chunk
	inEnd          // the end of a chunk: CRLF
	inTrails       // the fields after the last chunk
	unseen         // it is not looked at any more: the server decides
)

// scanner follows the requests of a connection, to find where each begins, and looks at their heads.
type scanner struct {
	state   state
	left    int64 // bytes of a body or a chunk that are still to come
	then    state // what follows them
	ready   int   // bytes of a head that was looked at and may pass
	refused bool
}

// passed returns how many of the bytes held may be passed on now. It looks at a head once it is whole.
func (s *scanner) passed(held []byte) int {
	switch {
	case len(held) == 0 || s.refused:
		return 0
	case s.ready > 0:
		return min(s.ready, len(held))
	case s.state == unseen:
		return len(held)
	case s.state == inBody:
		return int(min(s.left, int64(len(held))))
	case s.state == inHead:
		return s.head(held)
	}

	return s.line(held)
}

// free returns how many bytes may be passed on, of at most so many, without a look at them.
func (s *scanner) free(most int) int {
	switch {
	case s.ready > 0 || s.refused:
		return 0
	case s.state == unseen:
		return most
	case s.state == inBody:
		return int(min(s.left, int64(most)))
	}

	return 0
}

// took notes that n bytes were passed on.
func (s *scanner) took(n int) {
	switch {
	case s.ready > 0:
		s.ready -= n
	case s.state == inBody:
		if s.left -= int64(n); s.left == 0 {
			s.state = s.then
		}
	}
}

// head looks at the head of a request, if it is whole.
func (s *scanner) head(held []byte) int {
	end, after := endOfHead(held)
	if end < 0 {
		return 0
	}
	h := readHead(held[:end])
	// The empty line that ends a head must end with CRLF as well.
	h.bare = h.bare || after-end < len("\r\n")
	if h.twoWays() {
		s.refused = true
		return 0
	}
	s.ready = after

	switch {
	case h.chunked:
		s.state = inSize
	case h.length > 0:
		s.state, s.left, s.then = inBody, h.length, inHead
	case h.odd:
		// The server refuses it and closes the connection, so nothing behind it is read.
		s.state = unseen
	}

	return s.ready
}

// endOfHead returns where a head ends, and where what follows it begins; -1 means that it is not whole.
func endOfHead(b []byte) (end, after int) {
	for i := 0; i < len(b); i++ {
		if b[i] != '\n' {
			continue
		}

		switch rest := b[i+1:]; {
		case bytes.HasPrefix(rest, []byte("\n")):
			return i + 1, i + 2
		case bytes.HasPrefix(rest, []byte("\r\n")):
			return i + 1, i + 3
		}
	}

	return -1, -1
}

// line passes a line between chunks on, if it is whole, and learns from it what follows.
func (s *scanner) line(held []byte) int {
	i := bytes.IndexByte(held, '\n')
	if i < 0 {
		return 0
	}
	text := bytes.TrimRight(held[:i], "\r")
	s.ready = i + 1

	switch s.state {
	case inSize:
		// What follows a semicolon are extensions of the chunk, which carry no length.
		digits, _, _ := bytes.Cut(text, []byte(";"))
		size, err := strconv.ParseInt(string(bytes.TrimSpace(digits)), 16, 64)

		switch {
		case err != nil || size < 0:
			s.state = unseen
		case size == 0:
			s.state = inTrails
		default:
			s.state, s.left, s.then = inBody, size, inEnd
		}
	case inEnd:
		s.state = inSize
	case inTrails:
		if len(text) == 0 {
			s.state = inHead
		}
	}

	return s.ready
}

// head is what matters of a request's head to tell where the request ends and for whom it is.
type head struct {
	chunked bool
	length  int64 // of the body; 0 for none
	odd     bool  // the length cannot be told: the server refuses it
	folded  bool  // a field goes on in a second line
	both    bool  // length and encoding
	old     bool  // HTTP/1.0 with an encoding, which readers of that version do not know
	foreign bool  // the address names another host than the field Host
	bare    bool  // a line ends with LF alone, or holds a CR, which readers take for an end of line or do not
}

// twoWays reports whether two readers could take the head for different requests.
func (h head) twoWays() bool {
	spelled := h.folded || h.bare

	return spelled || h.both || h.old || h.foreign
}

// readHead reads the lines of a head, without the empty one.
func readHead(b []byte) head {
	var h head
	var lengths, encodings, hosts []string
	request := ""

	for _, line := range bytes.Split(bytes.TrimSuffix(b, []byte("\n")), []byte("\n")) {
		line, h.bare = withoutCR(line, h.bare)
		// The server passes over empty lines before a request, too.
		if request == "" {
			request = string(line)
			continue
		}
		// RFC 9112, 5.2: a folded line is read as part of the field before by some readers, and as a field by others.
		if len(line) > 0 && (line[0] == ' ' || line[0] == '\t') {
			h.folded = true
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		text := string(bytes.TrimSpace(value))

		switch string(bytes.ToLower(bytes.TrimSpace(name))) {
		case "content-length":
			lengths = append(lengths, text)
		case "transfer-encoding":
			encodings = append(encodings, text)
		case "host":
			hosts = append(hosts, text)
		}
	}
	h.both = len(lengths) > 0 && len(encodings) > 0
	h.old = len(encodings) > 0 && !strings.HasSuffix(request, "HTTP/1.1")
	h.chunked = len(encodings) == 1 && strings.EqualFold(encodings[0], "chunked")
	h.odd = len(encodings) > 0 && !h.chunked
	h.measure(lengths)
	h.foreign = elsewhere(request, hosts)

	return h
}

// withoutCR returns a line without the CR that has to end it. bare becomes true where it does not, or where the line
// holds another.
func withoutCR(line []byte, bare bool) ([]byte, bool) {
	line, ended := bytes.CutSuffix(line, []byte("\r"))

	return line, bare || !ended || bytes.IndexByte(line, '\r') >= 0
}

// measure reads the lengths that a head gives.
func (h *head) measure(lengths []string) {
	for i, text := range lengths {
		n, err := strconv.ParseInt(text, 10, 64)
		// RFC 9112, 6.3: lengths that differ are the classic way to smuggle a request past a proxy.
		if err != nil || n < 0 || i > 0 && n != h.length {
			h.odd, h.length = true, 0
			return
		}
		h.length = n
	}
}

var absolute = regexp.MustCompile(`^[A-Za-z]+ (?i:https?)://([^/?# ]*)`)

// elsewhere reports whether the address of a request names another host than its field Host does.
func elsewhere(request string, hosts []string) bool {
	m := absolute.FindStringSubmatch(request)
	// Without one Host field the server refuses the request itself.
	return m != nil && len(hosts) == 1 && !strings.EqualFold(m[1], hosts[0])
}
