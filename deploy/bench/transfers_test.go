package bench

import (
	"bytes"
	"crypto/rand"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/deploy/internal/devidp"
	"github.com/subrosa-legal/subrosa/deploy/internal/localca"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
)

// Sizes of what BenchmarkTransfers sends.
const (
	sealedSize = 24 << 20 // encrypted bytes, which are stored as they are
	textSize   = 4 << 20  // text, which is read and checked on the way
	atOnce     = 8        // as many as a replica takes in at the same time
)

// BenchmarkTransfers sends files to the service over TLS and takes them back, and beside it to and from a bare TLS handler that copies the
// body into a file and back: how many bytes a second, and how much memory the whole service needs at its peak while eight large files come
// in at once, once and then again and again.
func BenchmarkTransfers(b *testing.B) {
	dir := b.TempDir()
	ca := authority(b, dir)
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: ca.Pool()}, MaxIdleConnsPerHost: atOnce}}
	bare := copyServer(b, dir)
	sealed := append([]byte("SBRSEAL1"), make([]byte, sealedSize)...)
	_, _ = rand.Read(sealed[8:])
	b.Run("bare/in", func(b *testing.B) {
		b.SetBytes(int64(len(sealed)))

		for b.Loop() {
			exchange(b, client, http.MethodPost, bare+"/file", "", "application/octet-stream", sealed)
		}
	})
	b.Run("bare/out", func(b *testing.B) {
		b.SetBytes(int64(len(sealed)))

		for b.Loop() {
			exchange(b, client, http.MethodGet, bare+"/file", "", "", nil)
		}
	})
	s := serve(b, dir, ca)
	files := s.newCase(b)
	b.Run("service/in, encrypted", func(b *testing.B) {
		b.SetBytes(int64(len(sealed)))

		for b.Loop() {
			s.upload(b, files, fresh(sealed))
		}
	})
	b.Run("service/out, encrypted", func(b *testing.B) {
		id := s.upload(b, files, fresh(sealed))
		b.SetBytes(int64(len(sealed)))
		b.ResetTimer()

		for b.Loop() {
			exchange(b, s.client, http.MethodGet, files+"/"+id+"/content", s.token, "", nil)
		}
	})
	b.Run("service/in, text read and checked", func(b *testing.B) {
		text := []byte(strings.Repeat("The tenant shall pay the rent to [Party 1] on the first day of every month.\n\n", textSize/78))
		b.SetBytes(int64(len(text)))

		n := 0
		for b.Loop() {
			n++
			exchange(b, s.client, http.MethodPost, files, s.token, "text/plain", append([]byte(strconv.Itoa(n)+"\n\n"), text...))
		}
	})

	for _, times := range []int{1, 4} {
		b.Run(fmt.Sprintf("service/memory, %d at once, %d times", atOnce, times), func(b *testing.B) {
			for b.Loop() {
				s.crowd(b, sealed, times)
			}
		})
	}
}

// copyServer copies bodies into one file and back.
func copyServer(b *testing.B, dir string) string {
	b.Helper()
	pair, err := tls.LoadX509KeyPair(filepath.Join(dir, "c.pem"), filepath.Join(dir, "k.pem"))
	if err != nil {
		b.Fatal(err)
	}
	file := filepath.Join(dir, "copy")
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			http.ServeFile(w, r, file)
			return
		}
		out, err := os.Create(file)
		if err == nil {
			_, err = io.Copy(out, r.Body)
			_ = out.Close()
		}
		if err != nil {
			w.WriteHeader(http.StatusInternalServerError)
		}
	}))
	server.TLS = &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{pair}}
	server.StartTLS()
	b.Cleanup(server.Close)
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	if err != nil {
		b.Fatal(err)
	}

	return "https://localhost:" + port
}

// site is a running service with somebody signed in.
type site struct {
	*process
	base, token string
	client      *http.Client
}

func serve(b *testing.B, dir string, ca *localca.CA) *site {
	b.Helper()
	addr := testkit.FreeAddr(b)
	person := devidp.Person{Subject: "sender", Email: "s@oak.example", Password: "p", Organization: "oak", Roles: []string{"owner"}}
	issuer := provider(b, dir, []devidp.Person{person}, "https://"+addr+"/v1")
	p := start(b, []string{
		"OIDC_ISSUER=" + issuer, "OIDC_CA_FILE=" + ca.CertFile, "OIDC_TENANT_CLAIM=" + devidp.TenantClaim, "OIDC_ROLES_CLAIM=" + devidp.RolesClaim,
		"REDIS_URL=" + stores.RedisURL(b), "MONGODB_URI=" + stores.MongoURI(b), "CASE_DATABASE=" + stores.MongoName(b), "CASE_MAX_FILES=100000", "CASE_MAX_CASE_BYTES=1000000000000",
		"GATEWAY_RATE_CALLS=1000000", "GATEWAY_RATE_RUN=1000000",
	}, filepath.Join("..", "..", ".local", "bin", "subrosa-local"), "-dir", filepath.Join(dir, ".local"), "-addr", addr)
	local, err := localca.Open(filepath.Join(dir, ".local", "ca"), time.Now)
	if err != nil {
		b.Fatal(err)
	}
	provided := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: ca.Pool()}}}
	token, err := devidp.SignIn(b.Context(), provided, issuer, person)
	if err != nil {
		b.Fatal(err)
	}
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: local.Pool()}, MaxIdleConnsPerHost: atOnce}}

	return &site{p, "https://" + addr, token, client}
}

// newCase returns the address of a new case's files.
func (s *site) newCase(b *testing.B) string {
	b.Helper()
	var c api.Case
	if err := json.Unmarshal(exchange(b, s.client, http.MethodPost, s.base+"/v1/cases", s.token, "application/json", []byte("{}")), &c); err != nil {
		b.Fatal(err)
	}

	return s.base + "/v1/cases/" + c.CaseID + "/files"
}

// upload sends encrypted bytes and returns the id of the file.
func (s *site) upload(b *testing.B, files string, sealed []byte) string {
	var out struct{ Items []api.File }
	if err := json.Unmarshal(exchange(b, s.client, http.MethodPost, files, s.token, "application/vnd.subrosa.sealed", sealed), &out); err != nil || len(out.Items) != 1 {
		b.Errorf("upload: %v", err)
		return ""
	}

	return out.Items[0].FileID
}

// crowd sends as many files at once as are taken, several times, and reports the peak of the service's memory.
func (s *site) crowd(b *testing.B, sealed []byte, times int) {
	b.Helper()
	if err := s.forgetPeak(); err != nil {
		b.Skipf("the peak of a process's memory cannot be read here: %v", err)
	}
	before := s.memory(b)

	for range times {
		var all sync.WaitGroup

		for range atOnce {
			files, body := s.newCase(b), fresh(sealed)
			all.Go(func() { s.upload(b, files, body) })
		}
		all.Wait()
	}
	b.ReportMetric((s.status(b, "VmHWM:")-before)/1024, "MiB-over-idle")
	b.ReportMetric(0, "ns/op")
}

// forgetPeak has the system measure the highest memory of the process anew.
func (p *process) forgetPeak() error {
	return os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", p.cmd.Process.Pid), []byte("5"), 0o600)
}

// fresh returns other bytes of the same size.
func fresh(sealed []byte) []byte {
	other := bytes.Clone(sealed)
	_, _ = rand.Read(other[8:64])

	return other
}

// exchange makes a request and returns the whole answer, which must be a good one.
func exchange(b *testing.B, client *http.Client, method, address, bearer, mediaType string, body []byte) []byte {
	req, err := http.NewRequestWithContext(b.Context(), method, address, bytes.NewReader(body))
	if err != nil {
		b.Error(err)
		return nil
	}
	if mediaType != "" {
		req.Header.Set("Content-Type", mediaType)
	}
	if bearer != "" {
		req.Header.Set("Authorization", "Bearer "+bearer)
	}
	resp, err := client.Do(req)
	if err != nil {
		b.Error(err)
		return nil
	}

	defer func() { _ = resp.Body.Close() }()
	if strings.HasSuffix(address, "/content") || strings.HasSuffix(address, "/file") {
		if _, err := io.Copy(io.Discard, resp.Body); err != nil || resp.StatusCode >= 300 {
			b.Errorf("%s: %d, %v", method, resp.StatusCode, err)
		}

		return nil
	}
	answer, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode >= 300 {
		b.Errorf("%s: %d %.300s, %v", method, resp.StatusCode, answer, err)
	}

	return answer
}
