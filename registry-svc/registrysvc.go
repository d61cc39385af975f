// Package registrysvc is the face of registry-svc: registration tokens, agents and their cards, one agent for each
// user.
package registrysvc

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"sync"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/redis/go-redis/v9"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/audit/chain"
	"github.com/subrosa-legal/subrosa/pkg/audit/chain/auditapi"
	"github.com/subrosa-legal/subrosa/pkg/audit/record"
	"github.com/subrosa-legal/subrosa/pkg/authn"
	"github.com/subrosa-legal/subrosa/pkg/config"
	"github.com/subrosa-legal/subrosa/pkg/deeplink"
	"github.com/subrosa-legal/subrosa/pkg/egress"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/httpcall"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
	"github.com/subrosa-legal/subrosa/pkg/launch"
	"github.com/subrosa-legal/subrosa/pkg/mongox"
	"github.com/subrosa-legal/subrosa/pkg/redisx"
	"github.com/subrosa-legal/subrosa/pkg/services"
	"github.com/subrosa-legal/subrosa/pkg/telemetry"
	"github.com/subrosa-legal/subrosa/registry-svc/internal/agents"
	"github.com/subrosa-legal/subrosa/registry-svc/internal/cardfetch"
	"github.com/subrosa-legal/subrosa/registry-svc/internal/httpapi"
	"github.com/subrosa-legal/subrosa/registry-svc/internal/mongostore"
	"github.com/subrosa-legal/subrosa/registry-svc/internal/redisstore"
)

// Entry describes registry-svc to the launcher.
func Entry() launch.Entry {
	return launch.Entry{
		Name:     "registry-svc",
		Summary:  "agents, their cards and registration",
		New:      New,
		Settings: config.Describe[Config](),
		Migrate:  migrate,
		Shards:   shards,
	}
}

type service struct {
	*httpx.Server

	registry *agents.Registry
	every    time.Duration
	db       *mongox.DB
	rdb      redis.UniversalClient
}

// lay lays all routes of the service on r.
func lay(
	r *gin.Engine, cfg Config, env launch.Env, id launch.Identity, registry *agents.Registry, events *chain.Chain,
) error {
	log := env.Telemetry.Log
	routes := httpapi.API{
		Registry: registry,
		Health:   &agents.Health{Registry: registry},
		Base:     cfg.BaseURL,
		Browser:  cfg.Browser(),
		Log:      log,
	}
	routes.Mount(r, id.Verifier)
	inside := r.Group("/", id.Verifier.Middleware(func(c *gin.Context, err error) { httpx.Fail(c, log, err) }))

	return auditapi.Mount(inside, auditapi.Config{
		Name:    record.Agents,
		Chain:   events,
		Secret:  cfg.CursorSecret(config.Secret{}),
		Browser: cfg.Browser(),
		Now:     env.Now,
	}, log)
}

// New connects and binds registry-svc.
func New(ctx context.Context, env launch.Env) (launch.Service, error) {
	cfg, err := config.Parse[Config](env.Environ, "REGISTRY_")
	if err != nil {
		return nil, err
	}
	tel := env.Telemetry
	id, err := launch.Identify("registry-svc", cfg.InternalKey, cfg.InternalTrust, cfg.PeerTLS, env)
	if err != nil {
		return nil, err
	}
	registry, err := newRegistry(cfg, env, id)
	if err != nil {
		return nil, err
	}
	rdb, err := redisx.OpenService(ctx, cfg.RedisURL, tel.Tracers, tel.Meters)
	if err != nil {
		return nil, err
	}
	db, err := cfg.service().Open(ctx, tel.Tracers, tel.Meters)
	if err != nil {
		return nil, errors.Join(err, rdb.Close())
	}
	store := mongostore.New(db.Database())
	registry.Store, registry.Intents = store, store
	registry.Tokens = redisstore.New(rdb, env.Now, cfg.Lease, cfg.CardPerHour)
	events := chain.New(db.Collection("audit"), env.Now)
	registry.Audit = chain.Log{Chain: events}
	indexes := mongox.MakeIndexes(ctx, db.Database(), mongostore.Schema(), tel.Log)
	engine := httpx.NewEngine(tel)
	id.Verifier.InFlight = httpx.NewInFlight(cfg.InFlight, 50*time.Millisecond)
	if err := lay(engine, cfg, env, id, registry, events); err != nil {
		return nil, errors.Join(err, db.Close(ctx), rdb.Close())
	}
	server, err := httpx.Listen(httpx.ServerConfig{
		Addr:         cfg.Addr,
		TLS:          id.Peers.Server(),
		Handler:      engine,
		InternalAddr: cfg.InternalAddr,
		Metrics:      tel.Metrics,
		Profiles:     cfg.Profiles,
		DrainDelay:   cfg.DrainDelay,
		Log:          tel.Log,
		Ready: map[string]httpx.Check{
			"redis":   func(ctx context.Context) error { return redisx.Ping(ctx, rdb) },
			"mongodb": db.Ping,
			"indexes": func(context.Context) error { return indexes.Ready() },
		},
	})
	if err != nil {
		return nil, errors.Join(
			fmt.Errorf("REGISTRY_ADDR or REGISTRY_INTERNAL_ADDR: %w", err), db.Close(ctx), rdb.Close(),
		)
	}

	return &service{server, registry, cfg.SweepEvery, db, rdb}, nil
}

// newRegistry makes what needs settings only; the stores come after.
func newRegistry(cfg Config, env launch.Env, id launch.Identity) (*agents.Registry, error) {
	pepper, err := authn.ParsePepper(cfg.Pepper.Reveal())
	if err != nil {
		return nil, fmt.Errorf("KEY_PEPPER: %w", err)
	}
	cards, err := newFetcher(cfg, env.Telemetry)
	if err != nil {
		return nil, err
	}
	credential := func(ctx context.Context) (string, error) { return id.Signer.Token(access.CallerFrom(ctx)) }
	client, err := httpcall.NewClient(
		cfg.AuthURL,
		credential,
		env.Telemetry,
		httpcall.NewBreaker("auth-svc", env.Telemetry).Before(id.Peers.Transport()),
	)
	if err != nil {
		return nil, fmt.Errorf("AUTH_URL: %w", err)
	}
	keys := httpapi.Keys{Auth: services.AuthClient{HTTP: client}}
	link := deeplink.Links(cfg.Browser()).To(deeplink.AddIdentity, "")

	return &agents.Registry{
		Cards:  cards,
		Keys:   keys,
		Gate:   guard.New(),
		Link:   link,
		Pepper: pepper,
		Life:   cfg.TokenLife,
		Lease:  cfg.Lease,
		Now:    env.Now,
		Log:    env.Telemetry.Log,
	}, nil
}

func newFetcher(cfg Config, tel *telemetry.Telemetry) (*cardfetch.Fetcher, error) {
	f := cardfetch.Config{Total: cfg.CardTime, AtOnce: cfg.CardAtOnce, Log: tel.Log}

	f.Dev, _ = egress.ParsePeers(cfg.CardDevAllow) // Problems has looked at it
	for _, p := range cfg.CardDeny {
		f.Deny = append(f.Deny, netip.MustParsePrefix(p)) // likewise
	}
	if cfg.CardKeys != "" {
		text, err := os.ReadFile(cfg.CardKeys)
		if err == nil {
			f.Keys, err = cardfetch.ReadKeys(text)
		}
		if err != nil {
			return nil, fmt.Errorf("REGISTRY_CARD_KEYS: %w", err)
		}
	}
	if cfg.CardDevCA != "" {
		pem, err := os.ReadFile(cfg.CardDevCA)
		f.Roots = x509.NewCertPool()
		if err != nil || !f.Roots.AppendCertsFromPEM(pem) {
			return nil, errors.New("REGISTRY_CARD_DEV_CA holds no certificate that can be read")
		}
	}

	return cardfetch.New(f), nil
}

// Run serves, and sweeps up what died half way, until ctx ends.
func (s *service) Run(ctx context.Context) error {
	var sweeping sync.WaitGroup
	sweeping.Go(func() { launch.Repeat(ctx, s.every, s.registry.Log, s.registry.Sweep) })
	err := s.Serve(ctx)
	sweeping.Wait()

	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()

	return errors.Join(err, s.db.Close(last), s.rdb.Close())
}
