// Package gateway is the one public door: it ends HTTPS, finds out who calls, counts, and passes calls on to the services.
package gateway

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/redis/go-redis/v9"
	"github.com/subrosa-legal/subrosa/gateway/internal/edge"
	"github.com/subrosa-legal/subrosa/gateway/internal/proxy"
	"github.com/subrosa-legal/subrosa/gateway/internal/routes"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/authn"
	"github.com/subrosa-legal/subrosa/pkg/config"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
	"github.com/subrosa-legal/subrosa/pkg/launch"
	"github.com/subrosa-legal/subrosa/pkg/redisx"
	"github.com/subrosa-legal/subrosa/pkg/telemetry"
	"go.opentelemetry.io/otel/propagation"
)

// Entry describes the gateway to the launcher.
func Entry() launch.Entry {
	return launch.Entry{Name: "gateway", Summary: "the public door of Subrosa", New: New, Settings: config.Describe[Config]()}
}

// Route is one row of the interface, for whoever tests it or documents it.
type Route struct {
	Method string
	Path   string // a template in Gin's form
	Public bool   // no credential is looked at
	Users  bool   // for signed-in persons only
	Built  bool   // false while the service behind it answers 501
}

// Routes lists every route of the interface.
func Routes() []Route {
	var all []Route
	for _, r := range routes.All() {
		all = append(all, Route{r.Method, r.Path, r.Access == routes.Anybody, r.Access == routes.UserOnly, r.Pending == ""})
	}
	return all
}

type service struct {
	server *httpx.Server
	ended  *edge.Ended
	rdb    redis.UniversalClient
}

// New connects and binds the gateway.
func New(ctx context.Context, env launch.Env) (launch.Service, error) {
	cfg, err := config.Parse[Config](env.Environ, "GATEWAY_")
	if err != nil {
		return nil, err
	}
	if cfg.BrowserApp == "" {
		cfg.BrowserApp = cfg.BaseURL
	}
	tel := *env.Telemetry
	tel.Inside = false                          // callers' request ids and deadlines are not believed
	tel.Propagator = propagation.TraceContext{} // their traces are taken up; baggage of theirs goes no further
	cert, err := edge.LoadCertificate(cfg.CertFile, cfg.KeyFile, env.Now, tel.Log)
	if err != nil {
		return nil, err
	}
	rdb, err := redisx.Open(ctx, redisx.Config{URL: cfg.RedisURL.Reveal(), TracerProvider: tel.Tracers, MeterProvider: tel.Meters})
	if err != nil {
		return nil, fmt.Errorf("open Redis: %w", err)
	}
	door, err := newDoor(cfg, &tel, rdb, env.Now)
	if err != nil {
		return nil, errors.Join(err, rdb.Close())
	}
	server, err := httpx.Listen(httpx.ServerConfig{
		Addr: cfg.Addr, TLS: cert.Config(), Handler: door.engine, InternalAddr: cfg.InternalAddr, Metrics: tel.Metrics, DrainDelay: cfg.DrainDelay, Log: tel.Log,
		Ready: map[string]httpx.Check{"redis": func(ctx context.Context) error { return redisx.Ping(ctx, rdb) }},
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("listen: %w", err), rdb.Close())
	}
	draining := server.Draining()
	go func() { <-draining; door.drain() }()
	return &service{server: server, ended: door.ended, rdb: rdb}, nil
}

// Addr returns the address of the interface.
func (s *service) Addr() string { return s.server.Addr() }

// Ready tells whether the service can do its work.
func (s *service) Ready(ctx context.Context) error { return s.server.Ready(ctx) }

// Run serves until ctx ends.
func (s *service) Run(ctx context.Context) error {
	watching, stop := context.WithCancel(context.WithoutCancel(ctx)) // streams are watched until the last one has drained
	var done sync.WaitGroup
	done.Go(func() { s.ended.Watch(watching) })
	err := s.server.Serve(ctx)
	stop()
	done.Wait()
	return errors.Join(err, s.rdb.Close())
}

// door holds what the handlers of the routes share.
type door struct {
	engine  *gin.Engine
	log     *telemetry.Telemetry
	auth    *edge.Authenticator
	limits  *edge.Limits
	ended   *edge.Ended
	proxies map[routes.Upstream]*proxy.Proxy
	own     map[string]func(*gin.Context) error
	signer  *authn.Signer
	busy    gin.HandlerFunc

	draining context.Context // ends when streams must end
	drain    context.CancelFunc
	stagger  time.Duration // over which they end
}

func newDoor(cfg Config, tel *telemetry.Telemetry, rdb redis.UniversalClient, now func() time.Time) (*door, error) {
	signer, err := authn.NewSigner("gateway", cfg.InternalKey.Reveal(), now)
	if err != nil {
		return nil, err
	}
	transport := httpx.NewTransport()
	client := func(base string, credential httpx.Credential) (*httpx.Client, error) {
		return httpx.NewClient(base, credential, tel, transport)
	}
	asItself := func(context.Context) (string, error) { return signer.Token(authn.Caller{Kind: authn.Service}) }
	authHTTP, err := client(cfg.AuthURL, asItself)
	if err != nil {
		return nil, fmt.Errorf("AUTH_URL: %w", err)
	}
	registryHTTP, err := client(cfg.RegistryURL, func(ctx context.Context) (string, error) { return signer.Token(authn.CallerFrom(ctx)) })
	if err != nil {
		return nil, fmt.Errorf("REGISTRY_URL: %w", err)
	}
	authSvc := api.AuthClient{HTTP: authHTTP}
	users, err := usersOf(cfg, now)
	if err != nil {
		return nil, err
	}
	card, err := edge.NewCard(cfg.BaseURL)
	if err != nil {
		return nil, err
	}
	d := &door{
		stagger: cfg.StreamStagger, log: tel, signer: signer, limits: edge.NewLimits(rdb, quotas(cfg.Rates), now), ended: edge.NewEnded(authSvc, rdb, now, tel.Log),
		busy: httpx.InFlight(cfg.InFlight, 50*time.Millisecond, tel.Log),
	}
	d.draining, d.drain = context.WithCancel(context.Background())
	d.auth = &edge.Authenticator{
		Issuer: cfg.BaseURL, Users: users, SignIns: authSvc, Links: edge.DeepLinks{App: strings.TrimRight(cfg.BrowserApp, "/")},
		Agents: &authn.Bearers{Keys: edge.NewKeys(authSvc, now), Redis: rdb, Issuer: cfg.BaseURL, Audience: cfg.BaseURL + "/v1", Now: now, Ended: d.ended.Has},
	}
	me := &edge.Me{Registry: api.RegistryClient{HTTP: registryHTTP}, Limits: limitsShown(cfg)}
	d.own = map[string]func(*gin.Context) error{"/.well-known/agent.json": card.Serve, "/v1/me": me.Serve, "/i/*action": edge.LinkPage}
	if d.proxies, err = proxies(cfg, signer, tel, transport); err != nil {
		return nil, err
	}
	return d, d.mount(cfg, tel)
}

func proxies(cfg Config, signer *authn.Signer, tel *telemetry.Telemetry, transport *http.Transport) (map[routes.Upstream]*proxy.Proxy, error) {
	timing := proxy.Timing{Call: cfg.CallTime, Progress: 15 * time.Second, Upload: cfg.UploadTime, Patience: cfg.StreamPatience}
	all := map[routes.Upstream]*proxy.Proxy{}
	prompt, patient := transport.Clone(), transport.Clone()
	prompt.ResponseHeaderTimeout = cfg.CallTime // a stream begins at once, however long it goes on
	patient.ResponseHeaderTimeout = time.Minute // an upload is checked before it is answered
	for upstream, address := range map[routes.Upstream]string{
		routes.Registry: cfg.RegistryURL, routes.Auth: cfg.AuthURL, routes.Agent: cfg.AgentURL, routes.Case: cfg.CaseURL,
	} {
		carrier := patient
		if upstream == routes.Agent {
			carrier = prompt
		}
		p, err := proxy.New(address, signer, timing, cfg.MaxUpload, edge.FixedHeaders(), tel, carrier)
		if err != nil {
			return nil, fmt.Errorf("address of %s: %w", upstream, err)
		}
		all[upstream] = p
	}
	return all, nil
}

func usersOf(cfg Config, now func() time.Time) (*authn.Users, error) {
	transport, err := httpx.ProviderTransport(cfg.OIDCCAFile)
	if err != nil {
		return nil, fmt.Errorf("OIDC_CA_FILE: %w", err)
	}
	return authn.NewUsers(authn.UsersConfig{
		Issuer: cfg.OIDCIssuer, Audience: cfg.OIDCAudience, TenantClaim: cfg.OIDCTenantClaim, RolesClaim: cfg.OIDCRolesClaim, Transport: transport, Now: now,
	})
}

func quotas(r Rates) map[routes.Limit]edge.Quota {
	return map[routes.Limit]edge.Quota{
		routes.LimitToken:        {Rate: r.TokenPerMinute, Period: time.Minute},
		routes.LimitRegister:     {Rate: r.RegisterPerMinute, Period: time.Minute},
		routes.LimitRegistration: {Rate: r.RegistrationPerHour, Period: time.Hour},
		routes.LimitRun:          {Rate: r.RunsPerMinute, Period: time.Minute},
		routes.LimitCalls:        {Rate: r.CallsPerMinute, Period: time.Minute},
		routes.LimitAddress:      {Rate: r.AnonymousPerMinute, Period: time.Minute},
	}
}

func limitsShown(cfg Config) map[string]any {
	return map[string]any{
		"callsPerMinute": cfg.CallsPerMinute, "runsPerMinute": cfg.RunsPerMinute, "streamsAtOnce": cfg.StreamsPerCallerShown,
		"bodyBytes": httpx.MaxBody, "uploadBytes": cfg.MaxUpload, "promptCodePoints": 32000,
	}
}

const takeTime = 5 * time.Second // for a reader to take an answer that took its whole time to make

// mount lays the route table on the engine.
func (d *door) mount(cfg Config, tel *telemetry.Telemetry) error {
	d.engine = httpx.NewEngine(tel)
	if err := d.engine.SetTrustedProxies(cfg.TrustedProxies); err != nil {
		return errors.New("GATEWAY_TRUSTED_PROXIES cannot be read")
	}
	d.engine.Use(edge.SecurityHeaders(cfg.BaseURL), edge.TakenWithin(cfg.CallTime+takeTime))
	for _, route := range routes.All() {
		if route.Upstream == routes.Edge && route.Pending == "" && d.own[route.Path] == nil {
			return fmt.Errorf("no handler for %s %s", route.Method, route.Path)
		}
		handlers := []gin.HandlerFunc{httpx.Handle(tel.Log, func(c *gin.Context) error { return d.serve(c, route) })}
		if route.Body == routes.Small {
			handlers = append([]gin.HandlerFunc{d.busy}, handlers...)
		}
		d.engine.Handle(route.Method, route.Path, handlers...)
	}
	return nil
}

// serve takes one request through the steps in their fixed order: who calls, may they, how often, and on to what answers.
func (d *door) serve(c *gin.Context, route routes.Route) error {
	caller, err := d.auth.Authenticate(c, route)
	if err != nil {
		// Whoever has no valid credential is counted by address, or guessing would be free.
		if errors.Is(err, authn.ErrUnauthenticated) {
			if limited := d.limits.Count(c, routes.LimitAddress, edge.AddressKey(c.ClientIP())); limited != nil {
				return limited
			}
		}
		return err
	}
	if err := d.limits.Count(c, route.Limit, d.counted(c, caller)); err != nil {
		return err
	}
	if route.Pending != "" {
		return errs.New(errs.NotImplemented, "not_implemented", route.Pending)
	}
	ctx, release := d.ended.Follow(authn.WithCaller(c.Request.Context(), caller, ""), caller)
	defer release()
	c.Request = c.Request.WithContext(ctx)
	if route.Body == routes.Stream {
		defer d.endWithDraining(c)()
	}
	if route.Upstream == routes.Edge {
		err := d.own[route.Path](c)
		if err != nil && errors.Is(context.Cause(ctx), authn.ErrUnauthenticated) {
			return authn.ErrUnauthenticated // the agent was disconnected meanwhile
		}
		return err
	}
	return d.proxies[route.Upstream].Serve(c, route, caller)
}

// endWithDraining has the request end when the process drains, at a moment of its own, so that not all readers come back at once. It
// costs an idle stream nothing. What it returns releases it.
func (d *door) endWithDraining(c *gin.Context) func() {
	ctx, cancel := context.WithCancel(c.Request.Context())
	c.Request = c.Request.WithContext(ctx)
	stop := context.AfterFunc(d.draining, func() { time.AfterFunc(rand.N(max(d.stagger, 1)), cancel) }) //nolint:gosec // spreading load needs no secrecy
	return func() { stop(); cancel() }
}

func (d *door) counted(c *gin.Context, caller authn.Caller) string {
	if caller.Kind == authn.Public {
		return edge.AddressKey(c.ClientIP())
	}
	return edge.CallerKey(caller)
}
