package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/subrosa-legal/subrosa/deploy/internal/devidp"
	"github.com/subrosa-legal/subrosa/deploy/internal/local"
	"github.com/subrosa-legal/subrosa/pkg/config"
)

// stage is what the checkers are let loose on: a fresh local service, a proxy that adds a bearer, since the suite
// cannot, and the fixtures.
type stage struct {
	options
	scratch string
	service *local.Local
	http    *http.Client
	proxy   *http.Server
	direct  string // address of the endpoint through the proxy
	fixture *exec.Cmd
	fixed   string // address of the endpoint with the fixtures
	bearer  string
}

func begin(ctx context.Context, o options, scratch string) (s *stage, err error) {
	s = &stage{options: o, scratch: scratch}

	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close())
		}
	}()
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return s, err
	}
	log, err := os.Create(filepath.Join(scratch, "subrosa.log"))
	if err != nil {
		return s, err
	}
	if s.service, err = s.start(ctx, log, listener.Addr().String()); err != nil {
		return s, err
	}
	s.http = s.service.Client()
	if s.bearer, err = s.signIn(ctx, "cases:read cases:write agent:run"); err != nil {
		return s, fmt.Errorf("sign in: %w", err)
	}
	s.direct = "http://" + listener.Addr().String() + "/api/mcp"

	s.proxy = &http.Server{Handler: s.adding(), ReadHeaderTimeout: 5 * time.Second}
	go func() { _ = s.proxy.Serve(listener) }()

	return s, s.serveFixtures(ctx)
}

// start runs a whole Subrosa that trusts pages of the origin of the proxy.
func (s *stage) start(ctx context.Context, log io.Writer, proxy string) (*local.Local, error) {
	environ := config.Environ(os.Environ())
	environ["GATEWAY_TRUSTED_ORIGINS"] = "http://" + proxy
	addr, err := freeAddr(ctx)
	if err != nil {
		return nil, err
	}
	oidc, err := freeAddr(ctx)
	if err != nil {
		return nil, err
	}

	starting, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()

	return local.Start(starting, local.Options{
		Dir:      filepath.Join(s.scratch, ".local"),
		Addr:     addr,
		OIDCAddr: oidc,
		Stores:   s.stores,
		Environ:  environ,
		Log:      log,
		Level:    slog.LevelInfo,
		Now:      time.Now,
	})
}

// freeAddr finds a port that is free at the moment.
func freeAddr(ctx context.Context) (string, error) {
	ln, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer func() { _ = ln.Close() }()

	return ln.Addr().String(), nil
}

// adding is a proxy to the service that adds the bearer and keeps Host and Origin.
func (s *stage) adding() http.Handler {
	target, err := url.Parse(s.service.Facts.BaseURL)
	if err != nil {
		// Cannot fail: the service listens at this address.
		panic(err)
	}

	return &httputil.ReverseProxy{
		FlushInterval: -1,
		Transport:     s.http.Transport,
		ErrorLog:      slog.NewLogLogger(slog.DiscardHandler, slog.LevelDebug),
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.Host = r.In.Host
			r.Out.Header.Set("Authorization", "Bearer "+s.bearer)
		},
	}
}

func (s *stage) serveFixtures(ctx context.Context) error {
	addr, err := freeAddr(ctx)
	if err != nil {
		return err
	}
	// Without a context: Close ends it.
	s.fixture = exec.Command(s.fixtures, "-addr", addr)
	said, err := s.fixture.StdoutPipe()
	if err != nil {
		return err
	}
	s.fixture.Stderr = os.Stderr
	if err := s.fixture.Start(); err != nil {
		return fmt.Errorf("start the fixtures: %w", err)
	}
	line, err := bufio.NewReader(said).ReadString('\n')
	if err != nil {
		return fmt.Errorf("the fixtures did not start: %w", err)
	}
	s.fixed = strings.TrimSpace(line)

	return nil
}

// Close ends what begin started.
func (s *stage) Close() error {
	var all error
	if s.proxy != nil {
		all = errors.Join(all, s.proxy.Close())
	}
	if s.fixture != nil && s.fixture.Process != nil {
		all = errors.Join(all, s.fixture.Process.Kill())
		// Its error says that it was killed.
		_ = s.fixture.Wait()
	}
	if s.service != nil {
		all = errors.Join(all, s.service.Close())
	}

	return all
}

// browser is that of the person who signs in.
func (s *stage) browser() *devidp.Browser {
	return devidp.NewBrowser(s.http.Transport, s.service.People[0])
}

// client registers an application with this redirect address and returns its id.
func (s *stage) client(ctx context.Context, redirect string) (string, error) {
	body, err := json.Marshal(map[string]any{
		"client_name":   "Subrosa's own check",
		"redirect_uris": []string{redirect},
		"grant_types":   []string{"authorization_code", "refresh_token"},
	})
	if err != nil {
		return "", err
	}
	var registered struct {
		ID string `json:"client_id"`
	}

	return registered.ID, s.post(ctx, "/oauth/register", "application/json", string(body), &registered)
}

const ownRedirect = "http://127.0.0.1:1/callback"

// signIn registers an application, lets it in, and returns its access token.
func (s *stage) signIn(ctx context.Context, scope string) (string, error) {
	id, err := s.client(ctx, ownRedirect)
	if err != nil {
		return "", err
	}
	verifier, base := rand.Text()+rand.Text(), s.service.Facts.BaseURL
	sum := sha256.Sum256([]byte(verifier))
	ask := url.Values{
		"response_type":         {"code"},
		"client_id":             {id},
		"redirect_uri":          {ownRedirect},
		"state":                 {"check"},
		"scope":                 {scope},
		"resource":              {base + "/api/mcp"},
		"code_challenge":        {base64.RawURLEncoding.EncodeToString(sum[:])},
		"code_challenge_method": {"S256"},
	}
	back, err := s.browser().Open(ctx, base+"/oauth/authorize?"+ask.Encode(), ownRedirect)
	if err != nil {
		return "", err
	}
	form := url.Values{
		"grant_type":    {"authorization_code"},
		"client_id":     {id},
		"redirect_uri":  {ownRedirect},
		"code":          {back.Query().Get("code")},
		"code_verifier": {verifier},
		"resource":      {base + "/api/mcp"},
	}
	var tokens struct {
		Access string `json:"access_token"`
	}

	return tokens.Access, s.post(ctx, "/oauth/token", "application/x-www-form-urlencoded", form.Encode(), &tokens)
}

// reading is how long the person reads an answer before approving it: the host hears of it by asking again.
const reading = time.Second

// approve is the person who approves the answer that a page of a review is about.
func (s *stage) approve(ctx context.Context, page string) error {
	at, err := url.Parse(page)
	if err != nil {
		return err
	}
	token, err := devidp.SignIn(ctx, s.http, s.service.Facts.Issuer, s.service.People[0])
	if err != nil {
		return err
	}
	select {
	case <-time.After(reading):
	case <-ctx.Done():
		return ctx.Err()
	}

	address := s.service.Facts.BaseURL + "/v1/phases/" + at.Query().Get("phase") + "/review"
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(`{"decision":"approved"}`))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	resp, err := s.http.Do(req)
	if err != nil {
		return err
	}

	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("the review: %s", resp.Status)
	}

	return nil
}

func (s *stage) post(ctx context.Context, path, mediaType, body string, answer any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.service.Facts.BaseURL+path, strings.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", mediaType)
	resp, err := s.http.Do(req)
	if err != nil {
		return err
	}

	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err != nil {
		return err
	}
	if resp.StatusCode >= http.StatusMultipleChoices {
		return fmt.Errorf("%s: %s: %s", path, resp.Status, text)
	}

	return json.Unmarshal(text, answer)
}
