// Package local runs the whole of Subrosa in one process for development: every service, a provider to sign in with,
// and, unless others are given, the embedded stores as a child process.
package local

import (
	"cmp"
	"context"
	"crypto/ecdsa"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	agentsvc "github.com/subrosa-legal/subrosa/agent-svc"
	authsvc "github.com/subrosa-legal/subrosa/auth-svc"
	casesvc "github.com/subrosa-legal/subrosa/case-svc"
	"github.com/subrosa-legal/subrosa/deploy/internal/devidp"
	"github.com/subrosa-legal/subrosa/deploy/internal/localca"
	"github.com/subrosa-legal/subrosa/deploy/internal/localinfo"
	"github.com/subrosa-legal/subrosa/deploy/internal/secretgen"
	"github.com/subrosa-legal/subrosa/gateway"
	partysvc "github.com/subrosa-legal/subrosa/party-svc"
	"github.com/subrosa-legal/subrosa/pkg/launch"
	"github.com/subrosa-legal/subrosa/pkg/telemetry"
	"github.com/subrosa-legal/subrosa/pkg/telemetry/export"
	registrysvc "github.com/subrosa-legal/subrosa/registry-svc"
)

// Options say where and on what a local Subrosa runs.
type Options struct {
	Dir      string            // keeps documents, keys and certificates
	Addr     string            // of the interface, host:port
	Base     string            // address that clients are told of; that of Addr by default
	OIDCAddr string            // of the development provider
	Stores   string            // path of the program subrosa-stores; not needed when Environ names both stores
	People   []devidp.Person   // who can sign in at the development provider; nil means the usual two
	Environ  map[string]string // settings that win over those of development
	Log      io.Writer         // the services' logs
	Level    slog.Leveler
	Now      func() time.Time
	Clocks   map[string]func() time.Time // of single services, by name, in place of Now
	// Outside leaves the services to the caller, who starts them with EnvironOf. Environ then names where all of them
	// are.
	Outside bool
}

// Facts tell a client how to reach a running local Subrosa. They are written to Dir/local.json.
type Facts = localinfo.Local

// FactsFile is the name of the file in Dir.
const FactsFile = localinfo.File

// Local is a running Subrosa.
type Local struct {
	Facts    Facts
	People   []devidp.Person // empty when another provider is used
	Services map[string]launch.Service

	opts    Options
	ca      *localca.CA
	environ map[string]string // what all services share
	running running

	partyAddr string // where party-svc is to listen
}

// running is what Close has to end, in the order it was begun.
type running struct {
	stores  *storesProcess
	idp     *http.Server
	stops   []func() // end a service and wait for it; in the order of the start
	failed  chan error
	reports []*telemetry.Telemetry
}

// order is how services start: each after those it calls, but that case-svc and party-svc call one another.
var order = []func() launch.Entry{
	authsvc.Entry, registrysvc.Entry, casesvc.Entry, partysvc.Entry, agentsvc.Entry, gateway.Entry,
}

// Start makes what is missing in Dir, starts everything and returns when the services are ready. ctx bounds the start
// alone.
func Start(ctx context.Context, opts Options) (*Local, error) {
	if opts.Environ["ENVIRONMENT"] == "production" {
		return nil, errors.New("this is a development installation, with people whose passwords everybody knows; " +
			"it does not run with ENVIRONMENT=production")
	}
	l := &Local{
		opts:     opts,
		Services: map[string]launch.Service{},
		running:  running{failed: make(chan error, len(order))},
	}
	if err := l.start(ctx); err != nil {
		return nil, errors.Join(err, l.Close())
	}

	return l, nil
}

func (l *Local) start(ctx context.Context) error {
	dir, err := filepath.Abs(l.opts.Dir)
	if err != nil {
		return fmt.Errorf("find %s: %w", l.opts.Dir, err)
	}
	l.opts.Dir = dir
	if err := l.prepare(ctx); err != nil {
		return err
	}
	launch.Globals()
	if l.opts.Outside {
		return l.writeFacts()
	}
	if err := l.reserveParty(); err != nil {
		return err
	}

	for _, entry := range order {
		// ctx bounds the start; the services outlive it.
		if err := l.launch(context.WithoutCancel(ctx), entry()); err != nil {
			return err
		}
	}
	if err := l.await(ctx); err != nil {
		return err
	}
	if err := l.loadPartners(ctx); err != nil {
		return err
	}

	return l.writeFacts()
}

// prepare makes keys and certificates and starts what the services lean on.
func (l *Local) prepare(ctx context.Context) error {
	var err error
	if l.ca, err = localca.Open(filepath.Join(l.opts.Dir, "ca"), l.opts.Now); err != nil {
		return err
	}
	certs := filepath.Join(l.opts.Dir, "tls")
	if err := os.MkdirAll(certs, 0o700); err != nil {
		return fmt.Errorf("make folder for certificates: %w", err)
	}
	cert, key := filepath.Join(certs, "localhost.pem"), filepath.Join(certs, "localhost-key.pem")
	if err := l.ca.Leaf(cert, key); err != nil {
		return err
	}
	keys := filepath.Join(l.opts.Dir, "keys")
	if _, err := secretgen.Ensure(keys, l.opts.Now); err != nil {
		return err
	}
	base := cmp.Or(l.opts.Base, "https://"+l.opts.Addr)
	l.environ = map[string]string{
		"ENVIRONMENT":             "development",
		"BASE_URL":                base,
		"DRAIN_DELAY":             "0s",
		"MONGODB_TIMEOUT":         "10s",
		"GATEWAY_HOSTS":           thisComputer,
		"INTERNAL_TRUST":          filepath.Join(keys, secretgen.TrustFile),
		"KEY_PEPPER_FILE":         filepath.Join(keys, secretgen.PepperFile),
		"AUTH_SIGNING_KEYS":       filepath.Join(keys, secretgen.RingFile),
		"GATEWAY_TLS_CERT_FILE":   cert,
		"GATEWAY_TLS_KEY_FILE":    key,
		"GATEWAY_ADDR":            l.opts.Addr,
		"GATEWAY_TRUSTED_TRACES":  "127.0.0.0/8,::1/128",
		"REGISTRY_CARD_DEV_ALLOW": "127.0.0.1:*",
		"REGISTRY_CARD_DEV_CA":    l.ca.CertFile,
		"AUTH_CLIENT_DEV_ALLOW":   "127.0.0.1:*",
		"AUTH_CLIENT_DEV_CA":      l.ca.CertFile,
		"GATEWAY_STREAM_STAGGER":  "100ms",
		"AGENT_STREAM_STAGGER":    "100ms",
		"CASE_SPOOL_DIR":          filepath.Join(l.opts.Dir, "spool"),
		"CASE_FEED_LAG":           "0s",
	}
	maps.Copy(l.environ, generousLimits)
	if err := l.stores(ctx); err != nil {
		return err
	}
	if err := l.provider(base, cert, key); err != nil {
		return err
	}
	l.Facts = Facts{
		BaseURL:  base,
		CAFile:   l.ca.CertFile,
		Issuer:   l.environ["OIDC_ISSUER"],
		ClientID: devidp.NativeClient,
		Stores:   l.storesUsed(),
	}

	return nil
}

// generousLimits are ten times the defaults: one developer's loops must not be mistaken for an attack.
var generousLimits = map[string]string{
	"GATEWAY_RATE_TOKEN":              "200",
	"GATEWAY_RATE_OAUTH_TOKEN":        "6000",
	"GATEWAY_RATE_REGISTER":           "100",
	"GATEWAY_RATE_REGISTRATION_TOKEN": "100",
	"GATEWAY_RATE_RUN":                "600",
	"GATEWAY_RATE_CALLS":              "6000",
	"GATEWAY_RATE_ADDRESS":            "1200",
	"GATEWAY_RATE_ASSETS":             "30000",
	"AGENT_STREAMS_PER_CALLER":        "80",
	"AGENT_RUNS_PER_CALLER":           "80",
	"REGISTRY_CARD_PER_HOUR":          "100",
	"CASE_UPLOADS_PER_CALLER":         "20",
	"GATEWAY_DOWNLOADS_PER_CALLER":    "20",
}

func (l *Local) stores(ctx context.Context) error {
	given := l.opts.Environ
	if given["REDIS_URL"] != "" && given["MONGODB_URI"] != "" {
		return nil
	}
	data := filepath.Join(l.opts.Dir, "data")
	if err := os.MkdirAll(data, 0o700); err != nil {
		return fmt.Errorf("make folder for documents: %w", err)
	}
	var err error
	if l.running.stores, err = startStores(ctx, l.opts.Stores, data, l.opts.Log); err != nil {
		return err
	}
	l.environ["REDIS_URL"], l.environ["MONGODB_URI"] = l.running.stores.Redis, l.running.stores.Mongo

	return nil
}

// storesUsed says which stores the services use: those that settings name, without what they say, which may be a
// password, or embedded ones.
func (l *Local) storesUsed() string {
	of := func(name, setting string) string {
		if l.opts.Environ[setting] != "" {
			return name + " as " + setting + " says"
		}

		return name + " embedded at " + l.environ[setting]
	}

	return of("Redis", "REDIS_URL") + ", " + of("MongoDB", "MONGODB_URI")
}

// Advice says how much an embedded MongoDB is good for, "" where another one is used. The figures are those of
// BenchmarkGrowth.
func (l *Local) Advice() string {
	if l.opts.Environ["MONGODB_URI"] != "" {
		return ""
	}

	return "the embedded MongoDB lists slowly: from 1,000 cases or 1,000 questions on, set MONGODB_URI to one of " +
		"8.0 or newer"
}

// provider starts the development provider unless another is given.
func (l *Local) provider(base, cert, key string) error {
	l.environ["OIDC_AUDIENCE"] = base + "/v1"
	if l.opts.Environ["OIDC_ISSUER"] != "" {
		l.environ["OIDC_ISSUER"] = l.opts.Environ["OIDC_ISSUER"]
		return nil
	}
	issuer := "https://" + l.opts.OIDCAddr
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		return fmt.Errorf("load certificate of the provider: %w", err)
	}
	signing, err := providerKey(l.ca, l.opts.Dir)
	if err != nil {
		return err
	}
	if l.People = l.opts.People; l.People == nil {
		l.People = devidp.People()
	}
	handler, err := devidp.Handler(devidp.Config{
		Issuer:   issuer,
		Audience: base + "/v1",
		Base:     base,
		Key:      signing,
		People:   l.People,
	})
	if err != nil {
		return fmt.Errorf("make development provider: %w", err)
	}
	ln, err := net.Listen("tcp", l.opts.OIDCAddr)
	if err != nil {
		return fmt.Errorf("the development provider cannot listen: %w", err)
	}

	l.running.idp = &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: 5 * time.Second,
		TLSConfig:         &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{pair}},
		ErrorLog:          slog.NewLogLogger(slog.NewJSONHandler(l.opts.Log, nil), slog.LevelDebug),
	}
	go func() { _ = l.running.idp.ServeTLS(ln, "", "") }()
	maps.Copy(l.environ, map[string]string{
		"OIDC_ISSUER":       issuer,
		"OIDC_CA_FILE":      l.ca.CertFile,
		"OIDC_SINGLE_USERS": "true",
		"OIDC_TENANT_CLAIM": devidp.TenantClaim,
		"OIDC_ROLES_CLAIM":  devidp.RolesClaim,
		"OIDC_CLIENT_ID":    devidp.WebClient,
		// The firms of the development provider let every application in that describes itself by a document.
		"AUTH_ID_JAG_ISSUERS": letIn(l.People, issuer),
	})

	return nil
}

// letIn names issuer for the organization of each person.
func letIn(people []devidp.Person, issuer string) string {
	var pairs []string
	for _, p := range people {
		if pair := p.Organization + "=" + issuer; p.Organization != "" && !slices.Contains(pairs, pair) {
			pairs = append(pairs, pair)
		}
	}

	return strings.Join(pairs, ",")
}

// providerKey keeps the provider's signing key over restarts, so that nobody is signed out.
func providerKey(ca *localca.CA, dir string) (*ecdsa.PrivateKey, error) {
	cert, file := filepath.Join(dir, "tls", "provider.pem"), filepath.Join(dir, "tls", "provider-key.pem")
	if err := ca.Leaf(cert, file); err != nil {
		return nil, err
	}
	pair, err := tls.LoadX509KeyPair(cert, file)
	if err != nil {
		return nil, fmt.Errorf("load key of the provider: %w", err)
	}
	key, ok := pair.PrivateKey.(*ecdsa.PrivateKey)
	if !ok {
		return nil, errors.New("the provider's key is not one of ours")
	}

	return key, nil
}

// thisComputer are the names by which programs on this computer reach the gateway, be it by a tunnel.
const thisComputer = "localhost:*,127.0.0.1:*,[::1]:*"

// addresses says under which setting the others find a service.
var addresses = map[string]string{
	"auth-svc":     "AUTH_URL",
	"registry-svc": "REGISTRY_URL",
	"case-svc":     "CASE_URL",
	"agent-svc":    "AGENT_URL",
	"party-svc":    "PARTY_URL",
}

// reserveParty chooses where party-svc listens before anybody starts, since case-svc and party-svc have to be told of
// one another. The port lies outside of those that the system hands out by itself.
func (l *Local) reserveParty() error {
	for range 20 {
		// Below 30,000, since systems hand out ports from 32,768 on by themselves.
		addr := net.JoinHostPort("127.0.0.1",
			strconv.Itoa(20_000+rand.IntN(10_000))) //nolint:gosec // a port is no secret
		ln, err := net.Listen("tcp", addr)
		if err != nil {
			continue
		}
		l.partyAddr, l.environ["PARTY_URL"] = addr, l.scheme()+addr

		// Somebody else could take the port now, but nobody is told of it and few ask for one in this range.
		return ln.Close()
	}

	return errors.New("no port is free for party-svc")
}

// scheme is how services call one another: by TLS when they have been given certificates for that.
func (l *Local) scheme() string {
	if l.opts.Environ["INTERNAL_TLS_CERT_FILE"] != "" {
		return "https://"
	}

	return "http://"
}

// listens says which settings choose a service's addresses.
var listens = map[string][2]string{
	"auth-svc":     {"AUTH_ADDR", "AUTH_INTERNAL_ADDR"},
	"registry-svc": {"REGISTRY_ADDR", "REGISTRY_INTERNAL_ADDR"},
	"case-svc":     {"CASE_ADDR", "CASE_INTERNAL_ADDR"},
	"party-svc":    {"PARTY_ADDR", "PARTY_INTERNAL_ADDR"},
	"agent-svc":    {"AGENT_ADDR", "AGENT_INTERNAL_ADDR"},
	"gateway":      {"GATEWAY_ADDR", "GATEWAY_INTERNAL_ADDR"},
}

// EnvironOf returns the settings of one service.
func (l *Local) EnvironOf(name string) map[string]string {
	environ := maps.Clone(l.environ)
	if name != "gateway" {
		environ[listens[name][0]] = "127.0.0.1:0"
	}
	environ[listens[name][1]] = "127.0.0.1:0"
	environ["INTERNAL_KEY_FILE"] = filepath.Join(l.opts.Dir, "keys", secretgen.InternalKeyFile(name))
	// Last, because what the environment sets wins over everything that is set here.
	maps.Copy(environ, l.opts.Environ)

	return environ
}

func (l *Local) launch(ctx context.Context, e launch.Entry) error {
	ctx, cancel := context.WithCancel(ctx)
	stopped := make(chan struct{})
	l.running.stops = append(l.running.stops, func() { cancel(); <-stopped })

	started := false
	defer func() {
		if !started {
			close(stopped)
		}
	}()
	tel, err := export.New(ctx, e.Name, l.opts.Log, l.opts.Level)
	if err != nil {
		return fmt.Errorf("%s: %w", e.Name, err)
	}
	l.running.reports = append(l.running.reports, tel)
	environ := l.EnvironOf(e.Name)
	if e.Name == "party-svc" && l.opts.Environ["PARTY_ADDR"] == "" {
		environ["PARTY_ADDR"] = l.partyAddr
	}
	now := l.opts.Now
	if own := l.opts.Clocks[e.Name]; own != nil {
		now = own
	}
	service, err := e.New(ctx, launch.Env{Environ: environ, Telemetry: tel, Now: now})
	if err != nil {
		return fmt.Errorf("%s: %w", e.Name, err)
	}
	l.Services[e.Name] = service
	if setting := addresses[e.Name]; setting != "" {
		l.environ[setting] = l.scheme() + service.Addr()
	}
	started = true

	go func() {
		defer close(stopped)
		if err := service.Run(ctx); err != nil {
			l.running.failed <- fmt.Errorf("%s: %w", e.Name, err)
		}
	}()

	return nil
}

const readyPoll = 10 * time.Millisecond

// await returns when every service is ready, or says which is not.
func (l *Local) await(ctx context.Context) error {
	tick := time.NewTicker(readyPoll)
	defer tick.Stop()

	for {
		var waiting error

		for name, service := range l.Services {
			if err := service.Ready(ctx); err != nil {
				waiting = fmt.Errorf("%s: %w", name, err)
			}
		}
		if waiting == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("not ready in time: %w", waiting)
		// A service that ends during the start would otherwise be waited for in vain.
		case err := <-l.running.failed:
			return err
		case <-tick.C:
		}
	}
}

func (l *Local) writeFacts() error {
	text, err := json.MarshalIndent(l.Facts, "", "  ")
	if err != nil {
		return fmt.Errorf("encode facts: %w", err)
	}
	if err := os.WriteFile(filepath.Join(l.opts.Dir, FactsFile), append(text, '\n'), 0o600); err != nil {
		return fmt.Errorf("write facts: %w", err)
	}

	return nil
}

// Failed gives the error of a service that ended by itself.
func (l *Local) Failed() <-chan error { return l.running.failed }

// Client returns a client that trusts the local CA.
func (l *Local) Client() *http.Client {
	return &http.Client{Transport: &http.Transport{
		TLSClientConfig:     &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: l.ca.Pool()},
		ForceAttemptHTTP2:   true,
		MaxIdleConnsPerHost: 64,
	}}
}

// Close drains the services, then stops the provider and the stores. It may be called after a failed start.
func (l *Local) Close() error {
	var all error

	// Each service stops before those it still needs while it drains.
	for _, stop := range slices.Backward(l.running.stops) {
		stop()
	}

	// The context of the command has ended by now, and the last spans still have to go out.
	last, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()

	for _, tel := range l.running.reports {
		all = errors.Join(all, tel.Shutdown(last))
	}
	if l.running.idp != nil {
		all = errors.Join(all, l.running.idp.Close())
	}
	if l.running.stores != nil {
		all = errors.Join(all, l.running.stores.Close())
	}

	return all
}
