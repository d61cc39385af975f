package abuse

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/subrosa-legal/subrosa/deploy/internal/devidp"
	"github.com/subrosa-legal/subrosa/deploy/internal/local"
	"github.com/subrosa-legal/subrosa/deploy/internal/localinfo"
	"github.com/subrosa-legal/subrosa/pkg/config"
)

const (
	ordinaryCallers = 10
	startWithin     = time.Minute
	leaveWithin     = 20 * time.Second
)

// people are an attacker and the ordinary callers, each the owner of a firm of their own.
func people() []devidp.Person {
	var all []devidp.Person

	for i := range ordinaryCallers + 1 {
		name := "caller" + strconv.Itoa(i)
		all = append(all, devidp.Person{
			Subject: name, Name: name, Email: name + "@firm.example", Password: name,
			Organization: "firm-" + strconv.Itoa(i), Roles: []string{"owner", "member", "admin"},
		})
	}

	return all
}

// Serve runs the service in dir with its stores, writes how to reach it to out, and returns when ctx ends.
func Serve(ctx context.Context, dir, stores string, now func() time.Time, out io.Writer) error {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	log, err := os.OpenFile(filepath.Join(dir, "subrosa.log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}

	defer func() { _ = log.Close() }()

	starting, cancel := context.WithTimeout(ctx, startWithin)
	defer cancel()
	addr, issuer, err := twoAddresses()
	if err != nil {
		return err
	}
	l, err := local.Start(starting, local.Options{
		Dir: dir, Addr: addr, OIDCAddr: issuer, Stores: stores, People: people(), Log: log, Level: slog.LevelInfo,
		Now: now, Environ: settings(),
	})
	if err != nil {
		return err
	}
	if err := json.NewEncoder(out).Encode(l.Facts); err != nil {
		return errors.Join(err, l.Close())
	}
	settling := make(chan os.Signal, 1)
	signal.Notify(settling, syscall.SIGUSR1)

	for {
		select {
		case <-settling:
			err = json.NewEncoder(out).Encode(settle())
		case <-ctx.Done():
			return l.Close()
		case err = <-l.Failed():
		}
		if err != nil {
			return errors.Join(err, l.Close())
		}
	}
}

// settled is what the service holds once everything that nobody uses has been given back.
type settled struct {
	Heap       uint64 `json:"heap"` // bytes
	Stacks     uint64 `json:"stacks"`
	Goroutines int    `json:"goroutines"`
}

// poolCycles is after how many collections nothing is left in a sync.Pool.
const poolCycles = 3

// settle gives the memory that nobody uses back to the system, at once. What a class adds is told from there: the
// runtime itself gives memory back over minutes.
func settle() settled {
	for range poolCycles {
		debug.FreeOSMemory()
	}
	var now runtime.MemStats
	runtime.ReadMemStats(&now)

	return settled{now.HeapAlloc, now.StackInuse, runtime.NumGoroutine()}
}

// settings are those of the environment, and what one caller may have at once as in production: the limits of
// development are ten times as high. Its rates are left, since what trickles is not to be stopped by being counted.
func settings() map[string]string {
	all := config.Environ(os.Environ())
	maps.Copy(all, map[string]string{
		"AGENT_STREAMS_PER_CALLER": "8", "AGENT_RUNS_PER_CALLER": "8", "CASE_UPLOADS_PER_CALLER": "2",
		"GATEWAY_DOWNLOADS_PER_CALLER": "2",
	})

	return all
}

// twoAddresses returns addresses of this machine on which nobody listens.
func twoAddresses() (first, second string, err error) {
	var free [2]string

	for i := range free {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return "", "", err
		}
		defer func() { _ = ln.Close() }()
		free[i] = ln.Addr().String()
	}

	return free[0], free[1], nil
}

// stage is a running service, with those who are ready to call it.
type stage struct {
	dir     string
	service *exec.Cmd     // leads a process group of its own
	said    *bufio.Reader // what it writes
	facts   localinfo.Local
	addr    string
	trust   *tls.Config
	now     func() time.Time

	callers []*caller
	victim  target // what attackers call with a valid credential
}

func openStage(ctx context.Context, plan Plan) (*stage, error) {
	s := &stage{now: plan.Now}
	if err := s.start(ctx, plan); err != nil {
		s.close()
		return nil, err
	}
	if err := s.furnish(ctx); err != nil {
		s.close()
		return nil, err
	}

	return s, nil
}

// start runs the service as a process and waits until it is ready.
func (s *stage) start(ctx context.Context, plan Plan) error {
	var err error
	if s.dir, err = os.MkdirTemp("", "subrosa-abuse-*"); err != nil {
		return err
	}
	args := append(append([]string{}, plan.Arguments...), s.dir, plan.Stores)
	s.service = exec.CommandContext(ctx, plan.Program, args...)
	// A group of its own tells its memory and that of its stores from everything else.
	s.service.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	s.service.Stderr = os.Stderr
	s.service.Cancel = func() error { return s.service.Process.Signal(syscall.SIGTERM) }
	s.service.WaitDelay = leaveWithin
	said, err := s.service.StdoutPipe()
	if err != nil {
		return err
	}
	if err := s.service.Start(); err != nil {
		return err
	}

	s.said = bufio.NewReader(said)
	// The service writes this line once it is ready.
	line, err := s.said.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("the service did not start: %w", err)
	}
	if err := json.Unmarshal(line, &s.facts); err != nil {
		return fmt.Errorf("read how to reach the service: %w", err)
	}
	pem, err := os.ReadFile(s.facts.CAFile)
	if err != nil {
		return err
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		return errors.New("the local authority's certificate cannot be read")
	}
	s.addr = strings.TrimPrefix(s.facts.BaseURL, "https://")
	s.trust = &tls.Config{
		MinVersion: tls.VersionTLS13, RootCAs: pool, ServerName: "127.0.0.1",
		ClientSessionCache: tls.NewLRUClientSessionCache(64),
	}

	return nil
}

// settle has the service give back what nobody uses and returns what it holds.
func (s *stage) settle() (settled, error) {
	if err := s.service.Process.Signal(syscall.SIGUSR1); err != nil {
		return settled{}, err
	}
	line, err := s.said.ReadBytes('\n')
	if err != nil {
		return settled{}, fmt.Errorf("the service ended: %w", err)
	}
	var got settled

	return got, json.Unmarshal(line, &got)
}

// close ends the service and its stores, and removes what they kept.
func (s *stage) close() {
	for _, c := range s.callers {
		c.http.CloseIdleConnections()
	}
	if s.service != nil && s.service.Process != nil {
		_ = s.service.Process.Signal(syscall.SIGTERM)
		_ = s.service.Wait()
	}
	_ = os.RemoveAll(s.dir)
}

// from returns a transport whose connections come from an address of this machine.
func (s *stage) from(ip string) *http.Transport {
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(ip)}, Timeout: callWithin}

	return &http.Transport{
		DialContext: dialer.DialContext, TLSClientConfig: s.trust.Clone(), ForceAttemptHTTP2: true,
		TLSHandshakeTimeout: callWithin, ResponseHeaderTimeout: callWithin,
	}
}
