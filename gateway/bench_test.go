package gateway

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/authn"
	"github.com/subrosa-legal/subrosa/pkg/launch"
	"github.com/subrosa-legal/subrosa/pkg/redisx"
	"github.com/subrosa-legal/subrosa/pkg/telemetry/export"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
)

// wire is an upstream that answers every request with the same bytes and takes next to nothing of this process.
func wire(t testing.TB) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ln.Close() })
	const answer = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\nCache-Control: no-store\r\n\r\n{}"

	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}

			go func() {
				defer func() { _ = conn.Close() }()

				in := bufio.NewReader(conn)
				for {
					line, err := in.ReadSlice('\n')
					if err != nil {
						return
					}
					if len(line) > 2 { // the head of a GET ends with an empty line
						continue
					}
					if _, err := io.WriteString(conn, answer); err != nil {
						return
					}
				}
			}()
		}
	}()

	return "http://" + ln.Addr().String()
}

// scene is a gateway before an upstream that does nothing, and an agent that may call it.
type scene struct {
	door  *door
	token string
}

func newScene(t testing.TB) scene {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	auth := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).
			Encode(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{
				{Key: &key.PublicKey, KeyID: "k", Algorithm: "ES256", Use: "sig"},
			}})
	}))
	t.Cleanup(auth.Close)
	const base = "https://subrosa.test"
	to := wire(t)
	seeds, _, err := authn.NewInternalKeys()
	if err != nil {
		t.Fatal(err)
	}
	signer, err := authn.NewSigner("gateway", seeds["gateway"], time.Now)
	if err != nil {
		t.Fatal(err)
	}
	rdb, err := redisx.Open(t.Context(), redisx.Config{URL: stores.RedisURL(t)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = rdb.Close() })
	cfg := Config{
		BaseURL: base, AuthURL: auth.URL, RegistryURL: to, AgentURL: to, CaseURL: to, PartyURL: to,
		OIDCIssuer: "https://issuer.test", OIDCAudience: base + "/v1", CallTime: 10 * time.Second, StreamPatience: 2 * time.Second,
		InFlight: 1000, BodyRoom: 64 << 20, MaxUpload: 1 << 20, ToolTime: time.Minute, UploadTime: time.Minute,
		DownloadTime: time.Minute, Downloads: 64, CallerDownload: 64,
		Rates: Rates{1e9, 1e9, 1e9, 1e9, 1e9, 1e9, 1e9, 1e9, 8},
	}
	tel, err := export.New(t.Context(), "gateway", io.Discard, nil)
	if err != nil {
		t.Fatal(err)
	}
	tel.Inside = false
	d, err := newDoor(cfg, launch.Identity{Signer: signer, Peers: nil}, tel, rdb, time.Now)
	if err != nil {
		t.Fatal(err)
	}

	return scene{d, signIn(t, rdb, key, base)}
}

// signIn makes a bearer with its record.
func signIn(t testing.TB, rdb redis.UniversalClient, key *ecdsa.PrivateKey, base string) string {
	t.Helper()
	agent, jti, now := "agt_"+uuid.NewString(), uuid.NewString(), time.Now()
	token := jwt.NewWithClaims(
		jwt.SigningMethodES256,
		&authn.BearerClaims{AgentID: agent, ClientID: agent, Tenant: "o:oak", RegisteredClaims: jwt.RegisteredClaims{
			Issuer: base, Subject: "ada", Audience: jwt.ClaimStrings{base + "/v1"}, ID: jti, IssuedAt: jwt.NewNumericDate(now), ExpiresAt: jwt.NewNumericDate(now.Add(time.Hour)),
		}},
	)
	token.Header["typ"], token.Header["kid"] = authn.BearerType, "k"
	text, err := token.SignedString(key)
	caller := access.Caller{
		Kind:    access.Agent,
		Tenant:  "o:oak",
		UserID:  "ada",
		AgentID: agent,
		Scopes:  access.AgentScopes(),
	}
	raw, failed := json.Marshal(authn.BearerRecord{Caller: caller, Expires: now.Add(time.Hour).Unix()})
	stored := rdb.Set(t.Context(), authn.BearerKey(agent, jti), raw, time.Hour).Err()
	if err := errors.Join(err, failed, stored); err != nil {
		t.Fatal(err)
	}

	return text
}

// discard takes an answer and keeps nothing but its status.
type discard struct {
	header http.Header
	status int
}

func (d *discard) Header() http.Header              { return d.header }
func (d *discard) Write(p []byte) (int, error)      { return len(p), nil }
func (d *discard) WriteHeader(status int)           { d.status = status }
func (d *discard) Flush()                           {}
func (d *discard) SetWriteDeadline(time.Time) error { return nil }
func (d *discard) SetReadDeadline(time.Time) error  { return nil }
func (d *discard) EnableFullDuplex() error          { return nil }
func (d *discard) FlushError() error                { return nil }

// call makes one call of an agent. What it allocates itself is made beforehand.
func (s scene) call(t testing.TB, in *http.Request, out *discard) {
	t.Helper()
	clear(out.header)
	s.door.engine.ServeHTTP(out, in)
	if out.status != http.StatusOK {
		t.Fatalf("status %d", out.status)
	}
}

func (s scene) request(ctx context.Context) *http.Request {
	return (&http.Request{
		Method: http.MethodGet, URL: &url.URL{Path: "/v1/cases"}, RequestURI: "/v1/cases",
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Host: "subrosa.test", RemoteAddr: "203.0.113.7:1234",
		Header: http.Header{
			"Authorization": {"Bearer " + s.token}, "Accept": {"application/json"}, "User-Agent": {"agent"},
		},
	}).WithContext(ctx)
}

// BenchmarkCall measures a call through the gateway, from its head to its answer, before an upstream that does nothing.
func BenchmarkCall(b *testing.B) {
	s := newScene(b)
	in, out := s.request(b.Context()), &discard{header: http.Header{}}
	s.call(b, in, out)
	b.ReportAllocs()

	for b.Loop() {
		s.call(b, in, out)
	}
}

// A call makes few pieces of memory: at most what it made when they were counted last, with some for chance.
func TestACallTakesLittleMemory(t *testing.T) {
	testkit.WithoutDetector(t)
	const most, chance = 120, 4
	s := newScene(t)
	in, out := s.request(t.Context()), &discard{header: http.Header{}}
	s.call(t, in, out)
	if got := testing.AllocsPerRun(200, func() { s.call(t, in, out) }); got > most+chance {
		t.Errorf("a call makes %.0f allocations, want at most %d", got, most)
	}
}
