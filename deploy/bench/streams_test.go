// Package bench measures the whole service from outside, each figure beside a baseline on the same machine.
package bench

import (
	"bufio"
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/subrosa-legal/subrosa/deploy/internal/devidp"
	"github.com/subrosa-legal/subrosa/deploy/internal/localca"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
)

// The load of BenchmarkStreams.
const (
	runs          = 20
	callers       = 250
	perCaller     = 8 // streams of one caller at once: the default limit
	readers       = callers * perCaller
	watched       = 20 * time.Second // after the last reader has come
	heartbeat     = 3 * time.Second
	tolerance     = 500 * time.Millisecond
	bareServerEnv = "SUBROSA_BENCH_BARE_SERVER"
	plain         = "plain" // in place of the folder with the certificate: the bare server speaks no TLS
)

// TestMain lets the benchmark start this binary again as the bare server of its baseline.
func TestMain(m *testing.M) {
	if dir := os.Getenv(bareServerEnv); dir != "" {
		bareServer(dir)
		return
	}
	os.Exit(m.Run())
}

// BenchmarkStreams holds 2,000 readers of 20 runs through gateway and agent-svc, and beside it through a bare TLS handler that does nothing
// but send heartbeats: how late heartbeats come, and what a stream costs in memory. One round takes about half a minute.
func BenchmarkStreams(b *testing.B) {
	b.Run("bare", func(b *testing.B) {
		for b.Loop() {
			dir := b.TempDir()
			ca := authority(b, dir)
			server := start(b, []string{bareServerEnv + "=" + dir}, os.Args[0])
			measure(b, server, ca, server.line, nil)
		}
	})
	b.Run("Caddy", func(b *testing.B) {
		for b.Loop() {
			caddyStreams(b)
		}
	})
	b.Run("service", func(b *testing.B) {
		for b.Loop() {
			service(b)
		}
	})
}

func authority(b *testing.B, dir string) *localca.CA {
	b.Helper()
	ca, err := localca.Open(filepath.Join(dir, "ca"), time.Now)
	if err != nil {
		b.Fatal(err)
	}
	if err := ca.Leaf(filepath.Join(dir, "c.pem"), filepath.Join(dir, "k.pem")); err != nil {
		b.Fatal(err)
	}

	return ca
}

// process is a server whose memory is measured.
type process struct {
	cmd    *exec.Cmd
	line   string   // the first line it printed
	beside *process // one whose memory and time count too
}

func start(b *testing.B, environ []string, program string, args ...string) *process {
	b.Helper()
	p := &process{cmd: exec.Command(program, args...)}
	p.cmd.Env = append(os.Environ(), environ...)
	p.cmd.Stderr = os.Stderr
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(p.stop)
	if program == "caddy" { // it says nothing on its standard output
		return p
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		b.Fatalf("%s did not start: %v", program, err)
	}
	p.line = strings.TrimSpace(line)

	go func() { _, _ = io.Copy(io.Discard, out) }()

	return p
}

func (p *process) stop() {
	if p.cmd.ProcessState != nil {
		return
	}
	_ = p.cmd.Process.Signal(os.Interrupt)
	_ = p.cmd.Wait()
}

// memory returns the resident memory of the process in KiB.
func (p *process) memory(b *testing.B) float64 {
	b.Helper()
	if p.beside != nil {
		return p.status(b, "VmRSS:") + p.beside.memory(b)
	}

	return p.status(b, "VmRSS:")
}

// status returns a line of what the system says of the process, in KiB.
func (p *process) status(b *testing.B, name string) float64 {
	b.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		b.Skipf("memory of a process cannot be read here: %v", err)
	}

	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, name); ok {
			kib, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
			if err != nil {
				b.Fatal(err)
			}

			return kib
		}
	}
	b.Fatal("no " + name)

	return 0
}

// worked returns the processor time that the process has taken.
func (p *process) worked(b *testing.B) time.Duration {
	b.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.cmd.Process.Pid))
	if err != nil {
		b.Skipf("time of a process cannot be read here: %v", err)
	}
	_, fields, _ := strings.Cut(string(text), ") ") // the name may have blanks
	var ticks int64
	if p.beside != nil {
		ticks = int64(p.beside.worked(b) * 100 / time.Second)
	}

	for _, field := range strings.Fields(fields)[11:13] { // utime and stime
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			b.Fatal(err)
		}
		ticks += n
	}

	return time.Duration(ticks) * time.Second / 100 // USER_HZ is 100 wherever Go runs
}

// bareServer serves heartbeats and nothing else, with the certificate in dir.
func bareServer(dir string) {
	if dir == plain {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			panic(err)
		}
		fmt.Println("http://" + ln.Addr().String())
		panic(http.Serve(ln, http.HandlerFunc(beats)))
	}
	pair, err := tls.LoadX509KeyPair(filepath.Join(dir, "c.pem"), filepath.Join(dir, "k.pem"))
	if err != nil {
		panic(err)
	}
	ln, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{pair}})
	if err != nil {
		panic(err)
	}
	fmt.Println("https://" + ln.Addr().String())
	panic(http.Serve(ln, http.HandlerFunc(beats)))
}

// beats sends heartbeats until the reader leaves.
func beats(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	rc := http.NewResponseController(w)
	_ = rc.Flush()

	tick := time.NewTicker(heartbeat)
	defer tick.Stop()

	for {
		select {
		case <-r.Context().Done():
			return
		case <-tick.C:
			_, _ = io.WriteString(w, "event: heartbeat\ndata: {}\n\n")
			_ = rc.Flush()
		}
	}
}

// caddyStreams reads the heartbeats of a bare server, which speaks no TLS, through Caddy. Both processes count.
func caddyStreams(b *testing.B) {
	b.Helper()
	if _, err := exec.LookPath("caddy"); err != nil {
		b.Skip("caddy is not there: apt-get install caddy")
	}
	dir := b.TempDir()
	ca := authority(b, dir)
	upstream := start(b, []string{bareServerEnv + "=" + plain}, os.Args[0])

	addr, config := testkit.FreeAddr(b), filepath.Join(dir, "Caddyfile")
	text := fmt.Sprintf("{\nadmin off\nauto_https off\n}\nhttps://%s {\ntls %s %s\nreverse_proxy %s\n}\n",
		addr, filepath.Join(dir, "c.pem"), filepath.Join(dir, "k.pem"), strings.TrimPrefix(upstream.line, "http://"))
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		b.Fatal(err)
	}
	caddy := start(b, []string{"HOME=" + dir}, "caddy", "run", "--adapter", "caddyfile", "--config", config)
	caddy.beside = upstream

	testkit.Until(b, testkit.Patience, func() error {
		conn, err := net.Dial("tcp", addr)
		if err != nil {
			return err
		}

		return conn.Close()
	})
	measure(b, caddy, ca, "https://"+addr, nil)
}

// stream says how a reader reaches its run.
type stream struct{ url, bearer string }

// measure connects all readers, watches their heartbeats, and reports.
func measure(b *testing.B, p *process, ca *localca.CA, base string, streams []stream) {
	b.Helper()
	if streams == nil {
		for range readers {
			streams = append(streams, stream{url: base})
		}
	}
	client := &http.Client{Transport: &http.Transport{ // HTTP/1.1: a connection for each stream, as from 2,000 machines
		TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: ca.Pool()}, MaxIdleConnsPerHost: -1, TLSNextProto: map[string]func(string, *tls.Conn) http.RoundTripper{},
	}}
	before := p.memory(b)

	ctx, stop := context.WithCancel(b.Context())
	defer stop()
	var late []time.Duration
	var lost int
	var mu sync.Mutex
	var reading sync.WaitGroup

	connecting := make(chan struct{}, 32)
	for _, s := range streams {
		connecting <- struct{}{}
		reading.Go(func() {
			gaps, err := watch(ctx, client, s, func() { <-connecting })
			mu.Lock()
			defer mu.Unlock()
			late = append(late, gaps...)
			if err != nil {
				lost++
				if lost == 1 {
					b.Logf("the first stream that was lost: %v", err)
				}
			}
		})
	}
	begun, worked := time.Now(), p.worked(b)
	wait(b, watched)
	after := p.memory(b)
	share := float64(p.worked(b)-worked) / float64(time.Since(begun))
	stop()
	reading.Wait()
	slices.Sort(late)
	if len(late) == 0 {
		b.Fatal("no heartbeats")
	}
	outside := 0

	for _, d := range late {
		if d.Abs() > tolerance {
			outside++
		}
	}
	quantile := func(q float64) float64 { return float64(late[int(q*float64(len(late)-1))].Microseconds()) / 1000 }
	b.ReportMetric((after-before)/float64(len(streams)), "KiB/stream")
	b.ReportMetric(share*1000/float64(len(streams))*1000, "millicores/1000-streams")
	b.ReportMetric(quantile(0.5), "p50-ms-late")
	b.ReportMetric(quantile(0.99), "p99-ms-late")
	b.ReportMetric(quantile(1), "max-ms-late")
	b.ReportMetric(float64(len(late)), "heartbeats")
	b.ReportMetric(float64(outside), "outside-tolerance")
	b.ReportMetric(float64(lost), "streams-lost")
	b.ReportMetric(0, "ns/op")
}

// watch reads one stream and returns how much each heartbeat differed from three seconds after the one before.
func watch(ctx context.Context, client *http.Client, s stream, connected func()) (gaps []time.Duration, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url, nil)
	if err != nil {
		return nil, err
	}
	if s.bearer != "" {
		req.Header.Set("Authorization", "Bearer "+s.bearer)
	}

	resp, err := client.Do(req)
	connected()
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(resp.Body, 500))
		return nil, fmt.Errorf("status %d: %s", resp.StatusCode, text)
	}
	var last time.Time

	for lines := bufio.NewScanner(resp.Body); ; {
		if !lines.Scan() {
			if ctx.Err() != nil {
				return gaps, nil
			}

			return gaps, fmt.Errorf("the stream ended: %w", lines.Err())
		}
		if !bytes.HasPrefix(lines.Bytes(), []byte("event: heartbeat")) {
			continue
		}
		now := time.Now()
		if !last.IsZero() {
			gaps = append(gaps, now.Sub(last)-heartbeat)
		}
		last = now
	}
}

// service runs everything as make run does, but for a case-svc that never answers a search, so that runs stay under way, and a provider
// with many people.
func service(b *testing.B) {
	b.Helper()
	dir := b.TempDir()
	ca := authority(b, dir)
	addr := testkit.FreeAddr(b)

	people := make([]devidp.Person, callers)
	for i := range people {
		people[i] = devidp.Person{Subject: fmt.Sprint("reader-", i), Email: fmt.Sprintf("r%d@oak.example", i), Password: "p", Organization: "oak", Roles: []string{"member"}}
	}
	issuer := provider(b, dir, people, "https://"+addr+"/v1")
	cases := holdingCases(b)
	server := start(b, []string{
		"OIDC_ISSUER=" + issuer, "OIDC_CA_FILE=" + ca.CertFile, "OIDC_TENANT_CLAIM=" + devidp.TenantClaim, "OIDC_ROLES_CLAIM=" + devidp.RolesClaim, "CASE_URL=" + cases,
		"REDIS_URL=" + stores.RedisURL(b), "MONGODB_URI=" + stores.MongoURI(b),
		"AGENT_STREAMS_PER_CALLER=" + strconv.Itoa(perCaller+1), "AGENT_RUNS_PER_CALLER=256",
		"AGENT_STREAMS=" + strconv.Itoa(2*readers), // half of them is shared out without a look at who asks
	}, filepath.Join("..", "..", ".local", "bin", "subrosa-local"), "-dir", filepath.Join(dir, ".local"), "-addr", addr)
	local, err := localca.Open(filepath.Join(dir, ".local", "ca"), time.Now)
	if err != nil {
		b.Fatal(err)
	}
	trusting := func(ca *localca.CA) *http.Client {
		return &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: ca.Pool()}}}
	}
	var streams []stream
	var phases []string

	for i, p := range people {
		token, err := devidp.SignIn(b.Context(), trusting(ca), issuer, p)
		if err != nil {
			b.Fatal(err)
		}
		if i < runs {
			phases = append(phases, begin(b, trusting(local), "https://"+addr, token))
		}

		for j := range perCaller {
			streams = append(streams, stream{"https://" + addr + "/v1/agent/" + phases[(i+j)%len(phases)], token})
		}
	}
	measure(b, server, local, "", streams)
}

// begin starts a run and leaves it running.
func begin(b *testing.B, client *http.Client, base, token string) string {
	b.Helper()
	phase := uuid.NewString()
	body, err := json.Marshal(api.AgentTask{
		SessionID: "bench", SeedPhase: api.SeedPhase{PhaseID: phase}, ContainerID: uuid.NewString(), ContainerType: api.ContainerCase, RequestType: api.CaseReq,
		Prompt: "What is the notice period?", Options: &api.TaskOptions{MaxSeconds: 600},
	})
	if err != nil {
		b.Fatal(err)
	}
	req, err := http.NewRequestWithContext(b.Context(), http.MethodPost, base+"/v1/agent", bytes.NewReader(body))
	if err != nil {
		b.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := client.Do(req)
	if err != nil {
		b.Fatal(err)
	}
	if resp.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(resp.Body)
		b.Fatalf("begin a run: %d %s", resp.StatusCode, text)
	}
	_ = resp.Body.Close() // the run goes on

	return phase
}

// holdingCases is a case-svc that begins every phase and never answers anything after that.
func holdingCases(b *testing.B) string {
	b.Helper()
	var mu sync.Mutex
	phases := map[string]api.Phase{}
	release := make(chan struct{})
	answer := func(w http.ResponseWriter, v any) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(v)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /internal/phases", func(w http.ResponseWriter, r *http.Request) {
		var in api.BeginPhase
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			http.Error(w, "", http.StatusBadRequest)
			return
		}
		at := api.At(time.Now())
		p := api.Phase{PhaseID: in.PhaseID, BranchID: uuid.NewString(), TimelineID: uuid.NewString(), Sequence: 1, ContainerType: in.ContainerType, ContainerID: in.ContainerID, RequestType: in.RequestType, Status: api.PhaseRunning, Attempt: 1, Engine: in.Engine, CreatedAt: at, StartedAt: &at}
		mu.Lock()
		phases[p.PhaseID] = p
		mu.Unlock()
		answer(w, api.BegunPhase{Phase: p, Run: true, Container: api.Container{ContainerID: in.ContainerID, ContainerType: in.ContainerType, Case: &api.Case{CaseID: in.ContainerID}}})
	})
	mux.HandleFunc("GET /internal/phases/{id}", func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		answer(w, phases[r.PathValue("id")])
	})
	mux.HandleFunc("GET /internal/open-phases", func(w http.ResponseWriter, _ *http.Request) { answer(w, map[string]any{"items": []any{}}) })
	mux.HandleFunc("/", func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-release:
		case <-r.Context().Done():
		}
	})
	s := httptest.NewServer(mux)
	b.Cleanup(func() { close(release); s.CloseClientConnections(); s.Close() })

	return s.URL
}

// provider is the development provider with people of our own.
func provider(b *testing.B, dir string, people []devidp.Person, audience string) string {
	b.Helper()
	pair, err := tls.LoadX509KeyPair(filepath.Join(dir, "c.pem"), filepath.Join(dir, "k.pem"))
	if err != nil {
		b.Fatal(err)
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		b.Fatal(err)
	}
	ln, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{pair}})
	if err != nil {
		b.Fatal(err)
	}
	issuer := "https://" + ln.Addr().String()
	handler, err := devidp.Handler(devidp.Config{Issuer: issuer, Audience: audience, Key: key, People: people})
	if err != nil {
		b.Fatal(err)
	}

	s := &http.Server{Handler: handler, ReadHeaderTimeout: time.Second}
	go func() { _ = s.Serve(ln) }()
	b.Cleanup(func() { _ = s.Close() })

	return issuer
}

// wait lets time pass while the streams are read, which is what is measured here. It ends with its benchmark.
func wait(b *testing.B, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-b.Context().Done():
	}
}
