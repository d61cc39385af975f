package stores

import (
	"bytes"
	"net"
	"sync"
	"testing"
	"time"
)

// Link is a way to a store that a test can break: a client that uses the Link's address in place of the store's sees an
// outage while the store itself and its other clients go on.
type Link struct {
	t        testing.TB
	target   string // as given
	host     string
	listener net.Listener
	all      sync.WaitGroup

	mu      sync.Mutex
	state   linkState
	changed chan struct{} // closed and replaced when state changes
	open    map[net.Conn]struct{}
	deafAt  []byte // answers are lost from the request that holds it; nil for none
	heard   func(Command)
}

type linkState int

const (
	whole linkState = iota
	broken
	stalled
	deaf
	closed
)

// Cut puts a Link before target, which is host:port or a store's URL. The Link is whole at first and ends with t.
func Cut(t testing.TB, target string) *Link {
	t.Helper()
	host, err := hostOf(target)
	if err != nil {
		t.Fatalf("testkit: %v", err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("testkit: %v", err)
	}
	l := &Link{
		t:        t,
		target:   target,
		host:     host,
		listener: listener,
		changed:  make(chan struct{}),
		open:     map[net.Conn]struct{}{},
	}
	l.all.Go(l.accept)
	t.Cleanup(func() {
		l.set(closed)
		listener.Close()
		l.all.Wait()
	})

	return l
}

// Addr returns the Link's own host:port.
func (l *Link) Addr() string { return l.listener.Addr().String() }

// URL returns the target's URL by way of the Link.
func (l *Link) URL() string {
	l.t.Helper()
	u, err := replaceHost(l.target, l.Addr())
	if err != nil {
		l.t.Fatalf("testkit: %v", err)
	}

	return u
}

// Break closes all connections, and every new one at once, until Mend. What was under way may or may not have reached
// the store.
func (l *Link) Break() { l.set(broken) }

// Leave closes all connections and listens no more: whoever connects is refused, until the end of the test.
func (l *Link) Leave() {
	_ = l.listener.Close()
	l.Break()
}

// BreakAfter breaks the Link after d. The function it returns mends it; a break that has not come by then never comes.
func (l *Link) BreakAfter(d time.Duration) (mend func()) {
	over := make(chan struct{})
	timer := time.AfterFunc(d, func() { defer close(over); l.Break() })

	return func() {
		if !timer.Stop() {
			// Without this a break that has begun would come after the mending, and stay.
			<-over
		}
		l.Mend()
	}
}

// Stall keeps connections open, and takes new ones, but lets nothing through, until Mend or Break.
func (l *Link) Stall() { l.set(stalled) }

// LoseAnswers lets requests through to the store as before, and from the first one on that contains text none of the
// store's answers, until Mend or Break. What was asked is done, and who asked does not hear of it.
func (l *Link) LoseAnswers(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.deafAt = []byte(text)
}

// Mend lets new connections through, and goes on with stalled ones.
func (l *Link) Mend() { l.set(whole) }

func (l *Link) set(s linkState) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.state, l.deafAt = s, nil
	// Closing wakes all connections that wait in admit.
	close(l.changed)
	l.changed = make(chan struct{})
	if s == broken || s == closed {
		for c := range l.open {
			c.Close()
		}
	}
}

// note looks whether what a client sends contains the request from which on answers are lost. before is the end of
// what the connection sent earlier, where the text may begin; note returns what is to be kept for the next time.
func (l *Link) note(before, request []byte) []byte {
	l.mu.Lock()
	text := l.deafAt
	l.mu.Unlock()
	if text == nil {
		return nil
	}

	all := append(before, request...)
	if bytes.Contains(all, text) {
		l.set(deaf)
		return nil
	}

	return bytes.Clone(all[max(0, len(all)-len(text)+1):])
}

// admit waits while the Link is stalled, or lets no answers through, and reports whether data may pass.
func (l *Link) admit(answer bool) bool {
	for {
		l.mu.Lock()
		state, changed := l.state, l.changed
		l.mu.Unlock()

		switch state {
		case whole:
			return true
		case deaf:
			if !answer {
				return true
			}
			<-changed
		case stalled:
			<-changed
		default:
			return false
		}
	}
}

func (l *Link) accept() {
	for {
		client, err := l.listener.Accept()
		if err != nil {
			return
		}
		l.all.Go(func() { l.join(client) })
	}
}

// join connects one client with the store.
func (l *Link) join(client net.Conn) {
	defer client.Close()
	if !l.hold(client) {
		return
	}
	defer l.drop(client)
	if !l.admit(false) {
		return
	}
	store, err := net.Dial("tcp", l.host)
	if err != nil {
		return
	}
	defer store.Close()
	if !l.hold(store) {
		return
	}
	defer l.drop(store)
	var both sync.WaitGroup
	both.Go(func() { l.copy(store, client, false) })
	both.Go(func() { l.copy(client, store, true) })
	both.Wait()
}

// copy passes on what comes, which is answers or requests, and ends both connections when either does.
func (l *Link) copy(to, from net.Conn, answers bool) {
	defer to.Close()
	defer from.Close()

	listen := l.listening(answers)
	buf := make([]byte, 32<<10)
	var before []byte

	for {
		n, err := from.Read(buf)
		if n > 0 {
			if !answers {
				before = l.note(before, buf[:n])
			}
			listen(buf[:n])
			if !l.admit(answers) {
				return
			}
			if _, err := to.Write(buf[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// hold remembers a connection that Break will close. It reports false when the Link is broken already.
func (l *Link) hold(c net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.state == broken || l.state == closed {
		return false
	}
	l.open[c] = struct{}{}

	return true
}

func (l *Link) drop(c net.Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.open, c)
}
