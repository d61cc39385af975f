// Package authsvc is the face of auth-svc: API keys, the bearers they are exchanged for, the keys that sign them, the
// record of sign-ins, the sessions of browsers, and the authorization server by which applications get access.
package authsvc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/redis/go-redis/v9"
	"github.com/subrosa-legal/subrosa/auth-svc/internal/continuation"
	"github.com/subrosa-legal/subrosa/auth-svc/internal/httpapi"
	"github.com/subrosa-legal/subrosa/auth-svc/internal/keys"
	"github.com/subrosa-legal/subrosa/auth-svc/internal/members"
	"github.com/subrosa-legal/subrosa/auth-svc/internal/mongostore"
	"github.com/subrosa-legal/subrosa/auth-svc/internal/oauth"
	"github.com/subrosa-legal/subrosa/auth-svc/internal/oauthapi"
	"github.com/subrosa-legal/subrosa/auth-svc/internal/redisstore"
	"github.com/subrosa-legal/subrosa/auth-svc/internal/sessionapi"
	"github.com/subrosa-legal/subrosa/auth-svc/internal/signin"
	"github.com/subrosa-legal/subrosa/auth-svc/internal/tokens"
	"github.com/subrosa-legal/subrosa/pkg/a2acard"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/audit/chain"
	"github.com/subrosa-legal/subrosa/pkg/audit/chain/auditapi"
	"github.com/subrosa-legal/subrosa/pkg/audit/record"
	"github.com/subrosa-legal/subrosa/pkg/authn"
	"github.com/subrosa-legal/subrosa/pkg/authn/provider"
	"github.com/subrosa-legal/subrosa/pkg/config"
	"github.com/subrosa-legal/subrosa/pkg/httpcall"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
	"github.com/subrosa-legal/subrosa/pkg/launch"
	"github.com/subrosa-legal/subrosa/pkg/mongox"
	"github.com/subrosa-legal/subrosa/pkg/redisx"
)

// Entry describes auth-svc to the launcher.
func Entry() launch.Entry {
	return launch.Entry{
		Name:     "auth-svc",
		Summary:  "keys, bearers, sign-ins and sessions",
		New:      New,
		Settings: config.Describe[Config](),
		Migrate:  migrate,
		Shards:   shards,
	}
}

type service struct {
	*httpx.Server

	oauth  *oauth.Server
	keys   *keys.Keys
	people *members.Service
	checks *members.Checks
	every  time.Duration
	log    *slog.Logger
	db     *mongox.DB
	rdb    redis.UniversalClient
}

// New connects and binds auth-svc.
func New(ctx context.Context, env launch.Env) (launch.Service, error) {
	cfg, err := config.Parse[Config](env.Environ, "AUTH_")
	if err != nil {
		return nil, err
	}
	tel := env.Telemetry
	id, err := launch.Identify("auth-svc", cfg.InternalKey, cfg.InternalTrust, cfg.PeerTLS, env)
	if err != nil {
		return nil, err
	}
	api, err := newAPI(cfg, env)
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
	api.connect(cfg, env, db, rdb)
	if err := api.keepMembers(cfg, env, id, db, rdb); err != nil {
		return nil, errors.Join(err, db.Close(ctx), rdb.Close())
	}
	indexes := mongox.MakeIndexes(ctx, db.Database(), mongostore.Schema(), tel.Log)
	engine := httpx.NewEngine(tel)
	id.Verifier.InFlight = httpx.NewInFlight(cfg.InFlight, 50*time.Millisecond)
	if err := api.authorize(cfg, env, db, rdb); err != nil {
		return nil, errors.Join(err, db.Close(ctx), rdb.Close())
	}
	if err := api.lay(engine, cfg, env, id); err != nil {
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
		return nil, errors.Join(fmt.Errorf("AUTH_ADDR or AUTH_INTERNAL_ADDR: %w", err), db.Close(ctx), rdb.Close())
	}

	return &service{server, api.OAuth, api.Keys, api.Members, api.checks, cfg.SweepEvery, tel.Log, db, rdb}, nil
}

// surface is the API with what must be read before stores are opened.
type surface struct {
	httpapi.API
	events           *chain.Chain // what Audit writes to
	ring             *tokens.RingFile
	pepper, previous authn.Pepper
	transport        http.RoundTripper // to the identity provider
	signIn           *signin.Provider  // of the authorization server
	browsers         sessionapi.API
	live             *authn.Sessions
	access           *memberAccess
	checks           *members.Checks
}

func newAPI(cfg Config, env launch.Env) (*surface, error) {
	s := &surface{}
	var err error
	if s.pepper, err = authn.ParsePepper(cfg.Pepper.Reveal()); err != nil {
		return nil, fmt.Errorf("KEY_PEPPER: %w", err)
	}
	if cfg.PepperPrevious.IsSet() {
		if s.previous, err = authn.ParsePepper(cfg.PepperPrevious.Reveal()); err != nil {
			return nil, fmt.Errorf("KEY_PEPPER_PREVIOUS: %w", err)
		}
	}
	if s.ring, err = tokens.OpenRing(cfg.SigningKeys, env.Now, env.Telemetry.Log); err != nil {
		return nil, err
	}
	transport, err := httpcall.ProviderTransport(cfg.OIDCCAFile)
	if err != nil {
		return nil, fmt.Errorf("OIDC_CA_FILE: %w", err)
	}
	s.transport = transport
	s.Users, err = provider.NewUsers(provider.UsersConfig{
		Issuer:      cfg.OIDCIssuer,
		Audience:    cfg.OIDCAudience,
		TenantClaim: cfg.OIDCTenantClaim,
		RolesClaim:  cfg.OIDCRolesClaim,
		SingleUsers: cfg.OIDCSingleUsers,
		Log:         env.Telemetry.Log,
		Transport:   transport,
		Now:         env.Now,
	})

	return s, err
}

// lay lays all routes of the service on r.
func (s *surface) lay(r *gin.Engine, cfg Config, env launch.Env, id launch.Identity) error {
	log := env.Telemetry.Log
	s.Continuations = &continuation.Service{
		Agents:   s.Keys,
		Grants:   s.OAuth.Grants,
		Members:  s.Members,
		Audit:    s.Audit,
		Verifier: id.Verifier.Verifier,
		Signer:   id.Signer,
		Now:      env.Now,
	}
	s.Mount(r, id.Verifier)
	inside := r.Group("/", id.Verifier.Middleware(func(c *gin.Context, err error) { httpx.Fail(c, log, err) }))
	applications := &oauthapi.API{
		Server:   s.OAuth,
		SignIn:   s.signIn,
		Sessions: s.live,
		Tokens:   s.checks,
		Scopes:   cfg.MCPScopes,
		Log:      log,
	}
	applications.Mount(inside)
	s.browsers.Mount(inside)

	return auditapi.Mount(inside, auditapi.Config{
		Name:    record.Auth,
		Chain:   s.events,
		Secret:  cfg.CursorSecret(config.Secret{}),
		Browser: s.Browser,
		Now:     env.Now,
	}, log)
}

func (s *surface) connect(cfg Config, env launch.Env, db *mongox.DB, rdb redis.UniversalClient) {
	store := mongostore.New(db.Database())
	records := redisstore.New(rdb, env.Now)
	var previous *authn.Pepper
	if cfg.PepperPrevious.IsSet() {
		previous = &s.previous
	}
	s.Keys = keys.New(store, s.pepper, previous, env.Now)
	s.events, s.Log = chain.New(db.Collection("audit"), env.Now), env.Telemetry.Log
	log := chain.Log{Chain: s.events}
	s.Audit = log
	s.Issuer = &tokens.Issuer{
		Keys:    s.Keys,
		Records: records,
		Audit:   s.Audit,
		Log:     s.Log,
		Signer:  s.ring,
		Base:    cfg.BaseURL,
		Now:     env.Now,
		Joint:   mongostore.NewJoint(store, log),
	}
	s.Ended, s.Ring, s.SignIns = store, s.ring, records
	base := strings.TrimRight(cfg.BaseURL, "/")
	reached := cmp.Or(strings.TrimRight(cfg.A2ABaseURL, "/"), base)
	s.Card = &a2acard.Card{Card: api.NewA2ACard(reached, base), Keys: s.ring}
	s.Browser = cfg.Browser()
}

// Run serves, and sweeps up what is left over, until ctx ends.
func (s *service) Run(ctx context.Context) error {
	var sweeping sync.WaitGroup
	sweeping.Go(func() { launch.Repeat(ctx, s.every, s.log, s.oauth.Sweep) })
	sweeping.Go(func() { launch.Repeat(ctx, s.every, s.log, s.keys.Sweep) })
	sweeping.Go(func() { launch.Repeat(ctx, s.every, s.log, s.people.Sweep) })
	sweeping.Go(func() { launch.Repeat(ctx, s.every, s.log, s.checks.Sweep) })
	err := s.Serve(ctx)
	sweeping.Wait()

	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()

	return errors.Join(err, s.db.Close(last), s.rdb.Close())
}
