package e2e_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os/exec"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/testkit"
)

// program is a service as a process of its own, which a test can kill.
type program struct {
	t    *testing.T
	path string
	env  []string
	out  *lines
	addr string // where it serves
	cmd  *exec.Cmd
	gone chan struct{}
}

// process returns a service of the world as a process that is not started yet. It listens at addr, the value of the setting listens.
func (w *world) process(service, listens, addr string, more ...string) *program {
	w.t.Helper()
	p := &program{t: w.t, path: testkit.Program(w.t, service), out: w.logs, addr: addr}
	environ := w.EnvironOf(service)

	environ[listens] = addr
	for i := 0; i+1 < len(more); i += 2 {
		environ[more[i]] = more[i+1]
	}

	for name, value := range environ {
		p.env = append(p.env, name+"="+value)
	}
	w.t.Cleanup(p.kill)

	return p
}

// start runs the process and waits until it takes connections.
func (p *program) start() {
	p.t.Helper()
	p.cmd = exec.Command(p.path)
	p.cmd.Env, p.cmd.Stdout, p.cmd.Stderr = p.env, p.out, p.out
	if err := p.cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	gone := make(chan struct{})

	go func() { _ = p.cmd.Wait(); close(gone) }()
	p.gone = gone
	testkit.UntilTrue(p.t, 20*time.Second, "the process listens", func() bool {
		select {
		case <-gone:
			p.t.Fatalf("the process ended at once:\n%s", p.out)
		default:
		}
		conn, err := net.DialTimeout("tcp", p.addr, time.Second)
		if err == nil {
			_ = conn.Close()
		}

		return err == nil
	})
}

// kill ends the process without a warning and returns when it is gone.
func (p *program) kill() {
	if p.cmd == nil || p.cmd.Process == nil {
		return
	}
	_ = p.cmd.Process.Kill()
	<-p.gone
	p.cmd = nil
}

// stop asks the process to end and returns when it has: it drains first.
func (p *program) stop() {
	p.t.Helper()
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		p.t.Fatal(err)
	}
	select {
	case <-p.gone:
	case <-time.After(30 * time.Second):
		p.t.Fatal("the process does not end")
	}
	if !p.cmd.ProcessState.Success() {
		p.t.Errorf("the process ended with %v", p.cmd.ProcessState)
	}
	p.cmd = nil
}

// weir stands before a service and can hold single calls back, on their way in or with their answer on the way out.
type weir struct {
	server *httptest.Server

	mu      sync.Mutex
	target  string
	match   func(*http.Request) bool
	answers bool          // hold the answer instead of the call
	arrived chan struct{} // one for each call that is held
	open    chan struct{} // closed to let go
	gone    bool          // nobody answers

	held atomic.Int32 // calls that are held now
}

func newWeir(t *testing.T) *weir {
	t.Helper()
	v := &weir{arrived: make(chan struct{}, 1024)}
	v.server = httptest.NewServer(http.HandlerFunc(v.serve))
	t.Cleanup(func() { v.letGo(); v.server.Close() })

	return v
}

// to names the service behind.
func (v *weir) to(addr string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.target = addr
}

// away makes the service one that cannot be reached, or ends that.
func (v *weir) away(gone bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.gone = gone
}

// hold keeps calls back that match, or their answers, until letGo.
func (v *weir) hold(answers bool, match func(*http.Request) bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.match, v.answers, v.open = match, answers, make(chan struct{})
}

// letGo passes on what is held and holds nothing more.
func (v *weir) letGo() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.match = nil
	if v.open != nil {
		close(v.open)
		v.open = nil
	}
}

// drop holds nothing more and waits until the callers of what is held have gone, as after a kill. What is let go before
// that may still reach the service.
func (v *weir) drop(t *testing.T) {
	t.Helper()
	v.mu.Lock()
	v.match = nil
	v.mu.Unlock()

	testkit.Until(t, testkit.Patience, func() error {
		if n := v.held.Load(); n > 0 {
			return fmt.Errorf("%d calls are held", n)
		}

		return nil
	})
	v.letGo()
}

func (v *weir) serve(rw http.ResponseWriter, r *http.Request) {
	v.mu.Lock()
	target, answers, open := v.target, v.answers, v.open
	held, gone := v.match != nil && v.match(r), v.gone
	v.mu.Unlock()
	if gone {
		panic(http.ErrAbortHandler)
	}
	wait := func() {
		v.held.Add(1)
		defer v.held.Add(-1)
		v.arrived <- struct{}{}
		select {
		case <-open:
		case <-r.Context().Done():
		}
	}
	if held && !answers {
		// The server looks whether the caller is still there only when it has read all that was sent.
		if sent, err := io.ReadAll(r.Body); err == nil {
			r.Body = io.NopCloser(bytes.NewReader(sent))
		}
		wait()
	}
	proxy := httputil.ReverseProxy{
		Rewrite: func(p *httputil.ProxyRequest) { p.SetURL(&url.URL{Scheme: "http", Host: target}); p.Out.Host = target },
		ModifyResponse: func(*http.Response) error {
			if held && answers {
				wait()
			}

			return nil
		},
		ErrorHandler: func(rw http.ResponseWriter, _ *http.Request, _ error) { rw.WriteHeader(http.StatusBadGateway) },
	}
	if held && !answers && r.Context().Err() != nil {
		return
	}
	proxy.ServeHTTP(rw, r)
}

// awaitHeld returns when a call is held.
func (v *weir) awaitHeld(t *testing.T) {
	t.Helper()
	select {
	case <-v.arrived:
	case <-time.After(20 * time.Second):
		t.Fatal("no call arrived to be held")
	}
}

// front passes connections on to the first of its backends that takes them, as a load balancer would.
type front struct {
	listener net.Listener
	mu       sync.Mutex
	backends []string
	turns    bool // each connection goes to the next backend
}

func newFront(t *testing.T) *front { return frontAt(t, "127.0.0.1:0") }

func frontAt(t *testing.T, addr string) *front {
	t.Helper()
	ln, err := net.Listen("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	f := &front{listener: ln}
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(func() { cancel(); _ = ln.Close() })

	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}

			go f.serve(ctx, conn)
		}
	}()

	return f
}

func (f *front) url() string { return "http://" + f.listener.Addr().String() }

// to names the backends, the preferred one first.
func (f *front) to(backends ...string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.backends = backends
}

func (f *front) serve(ctx context.Context, conn net.Conn) {
	defer func() { _ = conn.Close() }()
	f.mu.Lock()
	backends := append([]string(nil), f.backends...)
	if f.turns && len(f.backends) > 0 {
		f.backends = append(slices.Clone(f.backends[1:]), f.backends[0])
	}
	f.mu.Unlock()

	for _, backend := range backends {
		behind, err := net.DialTimeout("tcp", backend, time.Second)
		if err != nil {
			continue
		}
		defer func() { _ = behind.Close() }()

		stop := context.AfterFunc(ctx, func() { _ = conn.Close(); _ = behind.Close() })
		defer stop()
		both := make(chan struct{}, 2)

		go func() { copyAll(behind, conn); both <- struct{}{} }()
		go func() { copyAll(conn, behind); both <- struct{}{} }()
		<-both

		return
	}
}

func copyAll(to, from net.Conn) {
	buf := make([]byte, 32<<10)
	for {
		n, err := from.Read(buf)
		if n > 0 {
			if _, err := to.Write(buf[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// nobody is a listener that counts who comes and answers nothing.
type nobody struct {
	net.Listener
	mu    sync.Mutex
	calls [][]byte
}

func newNobody(t *testing.T) *nobody {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	n := &nobody{Listener: ln}
	t.Cleanup(func() { _ = ln.Close() })

	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}

			go n.note(conn)
		}
	}()

	return n
}

func (n *nobody) note(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	_ = conn.SetReadDeadline(time.Now().Add(100 * time.Millisecond))
	first := make([]byte, 512)
	k, _ := conn.Read(first)
	n.mu.Lock()
	defer n.mu.Unlock()
	n.calls = append(n.calls, bytes.Clone(first[:k]))
}

// saw tells what came, for a message.
func (n *nobody) saw() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.calls) == 0 {
		return ""
	}

	return fmt.Sprintf("%d calls, the first %q", len(n.calls), n.calls[0])
}
