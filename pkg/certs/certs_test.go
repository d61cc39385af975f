package certs_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log/slog"
	"maps"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/certs"
	"github.com/subrosa-legal/subrosa/pkg/config"
	"github.com/subrosa-legal/subrosa/pkg/telemetry"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
)

var quiet = telemetry.Discard("test", io.Discard)

// clock is a time that tests move, from the present on, since TLS judges certificates by the real one.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

// authority signs certificates for 127.0.0.1.
type authority struct {
	t    *testing.T
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(t *testing.T) authority { return authorityUntil(t, time.Now().Add(time.Hour)) }

func authorityUntil(t *testing.T, end time.Time) authority {
	t.Helper()
	a := authority{t: t, key: newKey(t)}
	a.cert = a.sign(&x509.Certificate{NotAfter: end, SerialNumber: big.NewInt(1), IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}, &a.key.PublicKey)

	return a
}

func newKey(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}

	return key
}

func (a authority) sign(template *x509.Certificate, public *ecdsa.PublicKey) *x509.Certificate {
	a.t.Helper()
	template.Subject, template.NotBefore = pkix.Name{CommonName: "x"}, time.Now().Add(-time.Hour)
	if template.NotAfter.IsZero() {
		template.NotAfter = time.Now().Add(time.Hour)
	}
	parent := a.cert
	if parent == nil {
		parent = template
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, public, a.key)
	if err != nil {
		a.t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		a.t.Fatal(err)
	}

	return cert
}

// files writes a certificate of this authority, its key and the authorities that are trusted into dir, as if at this time.
func (a authority) files(dir string, serial int64, at time.Time, trusted ...authority) config.PeerTLS {
	a.t.Helper()
	key := newKey(a.t)
	leaf := a.sign(&x509.Certificate{
		SerialNumber: big.NewInt(serial), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}, &key.PublicKey)
	raw, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		a.t.Fatal(err)
	}
	f := config.PeerTLS{CertFile: filepath.Join(dir, "cert.pem"), KeyFile: filepath.Join(dir, "key.pem"), CAFile: filepath.Join(dir, "ca.pem")}

	var roots []byte
	for _, r := range trusted {
		roots = append(roots, block("CERTIFICATE", r.cert.Raw)...)
	}

	for name, text := range map[string][]byte{f.CertFile: block("CERTIFICATE", leaf.Raw), f.KeyFile: block("PRIVATE KEY", raw), f.CAFile: roots} {
		write(a.t, name, text, at)
	}

	return f
}

func block(kind string, bytes []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: bytes})
}

func write(t *testing.T, name string, text []byte, at time.Time) {
	t.Helper()
	if err := os.WriteFile(name, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(name, at, at); err != nil {
		t.Fatal(err)
	}
}

func TestCertificatesAreTakenUpWithoutARestart(t *testing.T) {
	c, a, dir := &clock{time.Now()}, newAuthority(t), t.TempDir()
	f := a.files(dir, 1, c.at)
	served, err := certs.Load(f.CertFile, f.KeyFile, c.now, quiet)
	if err != nil {
		t.Fatal(err)
	}
	serial := func() int64 {
		got, err := served.Config().GetCertificate(nil)
		if err != nil {
			t.Fatal(err)
		}

		return got.Leaf.SerialNumber.Int64()
	}
	a.files(dir, 2, c.at.Add(time.Minute))
	if n := serial(); n != 1 {
		t.Errorf("serial %d right after the files changed, want 1: they are looked at every few seconds", n)
	}
	c.at = c.at.Add(6 * time.Second)
	if n := serial(); n != 2 {
		t.Errorf("serial %d six seconds later, want 2", n)
	}
	write(t, f.KeyFile, []byte("broken"), c.at)
	c.at = c.at.Add(6 * time.Second)
	if n := serial(); n != 2 {
		t.Errorf("serial %d after a broken key, want 2 still", n)
	}
	if _, err := certs.Load(f.CertFile, f.KeyFile, c.now, quiet); err == nil {
		t.Error("a broken pair was accepted at start")
	}
}

// peers reads the files of one side.
func peers(t *testing.T, f config.PeerTLS, c *clock) *certs.Peers {
	t.Helper()
	p, err := certs.NewPeers(f, c.now, quiet)
	if err != nil {
		t.Fatal(err)
	}

	return p
}

// serve answers calls of those that the peers admit.
func serve(t *testing.T, p *certs.Peers) (url string) {
	t.Helper()
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.Proto) }))
	s.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	s.Listener = tls.NewListener(s.Listener, p.Server())
	s.Start()
	t.Cleanup(s.Close)

	return strings.Replace(s.URL, "http://", "https://", 1)
}

func call(t *testing.T, transport *http.Transport, url string) error {
	t.Helper()

	defer transport.CloseIdleConnections()
	resp, err := (&http.Client{Transport: transport, Timeout: 5 * time.Second}).Get(url)
	if err != nil {
		return err
	}

	defer func() { _ = resp.Body.Close() }()
	if said, err := io.ReadAll(resp.Body); err != nil || string(said) != "HTTP/1.1" {
		t.Errorf("answer %q, %v: calls are to be spread over replicas by connections", said, err)
	}

	return nil
}

func TestServicesAdmitOnlyTheirOwn(t *testing.T) {
	c, ours, theirs := &clock{time.Now()}, newAuthority(t), newAuthority(t)

	url := serve(t, peers(t, ours.files(t.TempDir(), 1, c.at, ours), c))
	for _, tc := range []struct {
		name   string
		caller *http.Transport
		admits bool
	}{
		{"a service of ours", peers(t, ours.files(t.TempDir(), 2, c.at, ours), c).Transport(), true},
		{"a certificate of another authority", peers(t, theirs.files(t.TempDir(), 3, c.at, ours), c).Transport(), false},
		{"a caller that trusts another authority", peers(t, ours.files(t.TempDir(), 4, c.at, theirs), c).Transport(), false},
		{"no certificate", &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if err := call(t, tc.caller, url); (err == nil) != tc.admits {
				t.Errorf("err = %v, admitted should be %t", err, tc.admits)
			}
		})
	}
	if err := call(t, peers(t, ours.files(t.TempDir(), 5, c.at, ours), c).Transport(), strings.Replace(url, "127.0.0.1", "localhost", 1)); err == nil {
		t.Error("a certificate was taken that is for another name")
	}
}

func TestAnAuthorityIsReplacedWithoutARestart(t *testing.T) {
	c, old, next := &clock{time.Now()}, newAuthority(t), newAuthority(t)
	server, caller := t.TempDir(), t.TempDir()
	url := serve(t, peers(t, old.files(server, 1, c.at, old), c))
	transport := peers(t, old.files(caller, 2, c.at, old), c).Transport()
	step := func(what string) {
		t.Helper()
		c.at = c.at.Add(time.Minute)
		if err := call(t, transport, url); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	step("before")
	old.files(server, 3, c.at, old, next)
	old.files(caller, 4, c.at, old, next)
	step("both are trusted")
	next.files(server, 5, c.at, old, next)
	step("one side has a new certificate")
	next.files(caller, 6, c.at, old, next)
	step("the other too")
	next.files(server, 7, c.at, next)
	next.files(caller, 8, c.at, next)
	step("the old one is gone")
	c.at = c.at.Add(time.Minute)
	if err := call(t, peers(t, old.files(t.TempDir(), 9, c.at, next), c).Transport(), url); err == nil {
		t.Error("the old authority is trusted still")
	}
}

func TestNoFilesMeanPlainHTTP(t *testing.T) {
	p := peers(t, config.PeerTLS{}, &clock{})
	if p.Server() != nil || p.Transport().DialTLSContext != nil {
		t.Error("TLS without files")
	}
	f := newAuthority(t).files(t.TempDir(), 1, time.Now())
	if _, err := certs.NewPeers(f, time.Now, quiet); err == nil || !strings.HasPrefix(err.Error(), "INTERNAL_TLS_CA_FILE") {
		t.Errorf("an empty file of authorities: %v", err)
	}
}

// watched is telemetry whose log and metrics a test reads.
type watched struct {
	*telemetry.Telemetry
	log    bytes.Buffer
	reader *sdkmetric.ManualReader
}

func watch() *watched {
	w := &watched{reader: sdkmetric.NewManualReader()}
	w.Telemetry = telemetry.Discard("test", &w.log)
	w.Meters = sdkmetric.NewMeterProvider(sdkmetric.WithReader(w.reader))

	return w
}

// reads collects the metrics, as "name purpose".
func (w *watched) reads(t *testing.T) map[string]int64 {
	t.Helper()
	var all metricdata.ResourceMetrics
	if err := w.reader.Collect(t.Context(), &all); err != nil {
		t.Fatal(err)
	}
	found := map[string]int64{}

	for _, scope := range all.ScopeMetrics {
		for _, m := range scope.Metrics {
			gauge, is := m.Data.(metricdata.Gauge[int64])
			if !is {
				t.Fatalf("%s is no gauge", m.Name)
			}

			for _, p := range gauge.DataPoints {
				purpose, _ := p.Attributes.Value("purpose")
				found[strings.TrimPrefix(m.Name, "subrosa.certificate.")+" "+purpose.AsString()] = p.Value
			}
		}
	}

	return found
}

// A certificate that is not renewed is seen at the metrics, whether anybody calls or not.
func TestTheEndOfACertificateIsReported(t *testing.T) {
	c, w, dir := &clock{time.Now()}, watch(), t.TempDir()
	old, next := newAuthority(t), authorityUntil(t, time.Now().Add(3*time.Hour))
	f := old.files(dir, 1, c.at, old)
	if _, err := certs.NewPeers(f, c.now, w.Telemetry); err != nil {
		t.Fatal(err)
	}
	public, err := certs.Load(f.CertFile, f.KeyFile, c.now, w.Telemetry)
	if err != nil {
		t.Fatal(err)
	}
	shown, err := public.Config().GetCertificate(nil)
	if err != nil {
		t.Fatal(err)
	}
	from, to := shown.Leaf.NotBefore.Unix(), shown.Leaf.NotAfter.Unix()
	want := map[string]int64{
		"not_before public": from, "not_before peers": from, "not_before authority": old.cert.NotBefore.Unix(),
		"not_after public": to, "not_after peers": to, "not_after authority": old.cert.NotAfter.Unix(),
		"files_unusable public": 0, "files_unusable peers": 0, "files_unusable authority": 0,
	}
	if got := w.reads(t); !maps.Equal(got, want) {
		t.Errorf("at first %v, want %v", got, want)
	}
	next.files(dir, 2, c.at.Add(time.Minute), old, next)
	c.at = c.at.Add(6 * time.Second)
	if got := w.reads(t)["not_after authority"]; got != next.cert.NotAfter.Unix() {
		t.Errorf("while an authority is replaced the trust ends at %d, want that of the one that lasts longer, %d", got, next.cert.NotAfter.Unix())
	}
}

// A chain ends with the first of its certificates, which need not be the leaf.
func TestTheEndOfAnIntermediateIsReported(t *testing.T) {
	c, dir := &clock{time.Now()}, t.TempDir()
	for name, tc := range map[string]struct{ end time.Duration }{"before the leaf": {30 * time.Minute}, "after the leaf": {3 * time.Hour}} {
		t.Run(name, func(t *testing.T) {
			between, w := authorityUntil(t, c.at.Add(tc.end)), watch()
			f := between.files(dir, 1, c.at)
			leaf, err := os.ReadFile(f.CertFile)
			if err != nil {
				t.Fatal(err)
			}
			write(t, f.CertFile, append(leaf, block("CERTIFICATE", between.cert.Raw)...), c.at)
			served, err := certs.Load(f.CertFile, f.KeyFile, c.now, w.Telemetry)
			if err != nil {
				t.Fatal(err)
			}
			shown, err := served.Config().GetCertificate(nil)
			if err != nil {
				t.Fatal(err)
			}
			want := min(shown.Leaf.NotAfter.Unix(), between.cert.NotAfter.Unix())
			if got := w.reads(t)["not_after public"]; got != want || len(shown.Certificate) != 2 {
				t.Errorf("the chain of %d ends at %d, want %d", len(shown.Certificate), got, want)
			}
		})
	}
}

// Files that cannot be used are told of once when that begins and once when it is over, however long it lasts.
func TestFilesThatCannotBeUsedAreReported(t *testing.T) {
	c, a, w, dir := &clock{time.Now()}, newAuthority(t), watch(), t.TempDir()
	f := a.files(dir, 1, c.at)
	if _, err := certs.Load(f.CertFile, f.KeyFile, c.now, w.Telemetry); err != nil {
		t.Fatal(err)
	}
	good, err := os.ReadFile(f.KeyFile)
	if err != nil {
		t.Fatal(err)
	}
	began := c.at
	seen := func(what string, unusable int64, warned, over int) {
		t.Helper()
		c.at = c.at.Add(6 * time.Second)
		got, log := w.reads(t)["files_unusable public"], w.log.String()
		if got != unusable || strings.Count(log, "cannot be used") != warned || strings.Count(log, "can be used again") != over {
			t.Errorf("%s: files_unusable %d, want %d; %d warnings and %d ends in the log, want %d and %d:\n%s",
				what, got, unusable, strings.Count(log, "cannot be used"), strings.Count(log, "can be used again"), warned, over, log)
		}
	}
	seen("good files", 0, 0, 0)
	write(t, f.KeyFile, []byte("broken"), c.at)
	seen("a broken key", 1, 1, 0)
	if err := os.Remove(f.KeyFile); err != nil {
		t.Fatal(err)
	}
	seen("no key", 1, 1, 0)
	write(t, f.KeyFile, good, began)
	seen("the key of before", 0, 1, 1)
	write(t, f.CertFile, []byte("broken"), c.at)
	seen("a broken certificate", 1, 2, 1)
	a.files(dir, 2, c.at.Add(time.Minute))
	seen("a new pair", 0, 2, 2)
}
