// Package gateway is the one public entrance: it terminates HTTPS, authenticates callers, counts calls against their
// limits, and passes them on to the services.
package gateway

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/redis/go-redis/v9"
	"github.com/subrosa-legal/subrosa/gateway/internal/bodies"
	"github.com/subrosa-legal/subrosa/gateway/internal/edge"
	"github.com/subrosa-legal/subrosa/gateway/internal/proxy"
	"github.com/subrosa-legal/subrosa/gateway/internal/routes"
	"github.com/subrosa-legal/subrosa/gateway/web"
	"github.com/subrosa-legal/subrosa/pkg/a2aerr"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/authn"
	"github.com/subrosa-legal/subrosa/pkg/authn/provider"
	"github.com/subrosa-legal/subrosa/pkg/certs"
	"github.com/subrosa-legal/subrosa/pkg/config"
	"github.com/subrosa-legal/subrosa/pkg/httpcall"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
	"github.com/subrosa-legal/subrosa/pkg/launch"
	"github.com/subrosa-legal/subrosa/pkg/places"
	"github.com/subrosa-legal/subrosa/pkg/redisx"
	"github.com/subrosa-legal/subrosa/pkg/services"
	"github.com/subrosa-legal/subrosa/pkg/telemetry"
	"go.opentelemetry.io/otel/propagation"
)

// Entry describes the gateway to the launcher.
func Entry() launch.Entry {
	return launch.Entry{
		Name:     "gateway",
		Summary:  "the public door of Subrosa",
		New:      New,
		Settings: config.Describe[Config](),
	}
}

// Route is one row of the interface, for whoever tests it or documents it.
type Route struct {
	Method string
	Path   string // a template in Gin's form
	Public bool   // no credential is looked at
	Users  bool   // for signed-in persons only
	Apps   bool   // for applications that a user granted scopes to
	Page   bool   // for people's browsers
	Action string // of the deep link by which an agent sends a person to a route for persons; "" on others
	Limit  string // the rate limit that calls count against
}

// Routes lists every route of the interface.
func Routes() []Route {
	var all []Route

	for _, r := range routes.All() {
		action := r.Action
		if r.Access == routes.UserOnly {
			action = cmp.Or(action, "agent")
		}
		all = append(all, Route{
			r.Method,
			r.Path,
			r.Access == routes.Anybody,
			r.Access == routes.UserOnly,
			r.Access == routes.Application,
			r.Page,
			action,
			string(r.Limit),
		})
	}

	return all
}

type service struct {
	*httpx.Server

	ended    *edge.Ended
	refusals *edge.Refusals
	rdb      redis.UniversalClient
}

// New connects and binds the gateway.
func New(ctx context.Context, env launch.Env) (launch.Service, error) {
	cfg, err := config.Parse[Config](env.Environ, "GATEWAY_")
	if err != nil {
		return nil, err
	}
	tel := *env.Telemetry
	// Request ids and deadlines of callers are not believed: anybody could make them.
	tel.Inside = false

	// Even of those whose traces are continued, baggage goes no further: it may hold anything.
	tel.Propagator = propagation.TraceContext{}
	for _, p := range cfg.TrustedTraces {
		tel.TraceFrom = append(tel.TraceFrom, netip.MustParsePrefix(p)) // Problems has parsed it
	}
	cert, noCert := certs.Load(cfg.CertFile, cfg.KeyFile, env.Now, &tel)
	if noCert != nil {
		noCert = fmt.Errorf("GATEWAY_TLS_CERT_FILE and GATEWAY_TLS_KEY_FILE: %w", noCert)
	}
	id, noID := launch.Identify("gateway", cfg.InternalKey, cfg.InternalTrust, cfg.PeerTLS, env)
	if err := errors.Join(noCert, noID); err != nil {
		return nil, err
	}
	rdb, err := redisx.OpenService(ctx, cfg.RedisURL, tel.Tracers, tel.Meters)
	if err != nil {
		return nil, err
	}
	door, err := newDoor(cfg, id, &tel, rdb, env.Now)
	if err != nil {
		return nil, errors.Join(err, rdb.Close())
	}
	server, err := httpx.Listen(httpx.ServerConfig{
		Addr:         cfg.Addr,
		TLS:          cert.Config(),
		Handler:      door.engine,
		InternalAddr: cfg.InternalAddr,
		Metrics:      tel.Metrics,
		Profiles:     cfg.Profiles,
		DrainDelay:   cfg.DrainDelay,
		Log:          tel.Log,
		Early:        edge.Early(cfg.BaseURL),
		Ready:        map[string]httpx.Check{"redis": func(ctx context.Context) error { return redisx.Ping(ctx, rdb) }},
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("GATEWAY_ADDR or GATEWAY_INTERNAL_ADDR: %w", err), rdb.Close())
	}

	// Not waited for: while Redis is away the first call brings the script.
	go func() { _ = redisx.LoadRate(ctx, rdb) }()

	draining := server.Draining()
	// Streams never end by themselves, and the server waits for all requests.
	go func() { <-draining; door.drain() }()

	return &service{Server: server, ended: door.ended, refusals: door.refusals, rdb: rdb}, nil
}

// Run serves until ctx ends.
func (s *service) Run(ctx context.Context) error {
	// Streams are watched until the last one has drained.
	watching, stop := context.WithCancel(context.WithoutCancel(ctx))
	var done sync.WaitGroup
	done.Go(func() { s.ended.Watch(watching) })
	done.Go(func() { s.refusals.Watch(watching) })
	err := s.Serve(ctx)
	stop()
	done.Wait()

	return errors.Join(err, s.rdb.Close())
}

// door holds what the handlers of the routes share.
type door struct {
	engine *gin.Engine
	log    *telemetry.Telemetry
	auth   *edge.Authenticator
	limits *edge.Limits
	ended  *edge.Ended
	// refusals writes down who was refused.
	refusals *edge.Refusals

	proxies   map[routes.Upstream]*proxy.Proxy
	tools     *proxy.Proxy // to agent-svc, for calls that may be silent until they are done
	base      string
	scopes    []string // which the challenge of the MCP endpoint names
	own       map[string]func(*gin.Context) error
	signer    *authn.Signer
	room      *bodies.Room
	places    *places.Places // for calls in flight
	downloads *places.Places

	draining context.Context // ends when streams must end
	drain    context.CancelFunc
	stagger  time.Duration // over which they end
	call     time.Duration // that a call may take
}

func newDoor(
	cfg Config,
	id launch.Identity,
	tel *telemetry.Telemetry,
	rdb redis.UniversalClient,
	now func() time.Time,
) (*door, error) {
	signer, transport := id.Signer, id.Peers.Transport()

	breakers := map[routes.Upstream]*httpcall.Breaker{}
	for _, upstream := range []routes.Upstream{routes.Registry, routes.Auth, routes.Agent, routes.Case, routes.Party} {
		// One breaker for a service, shared by its clients and its proxy: what one finds out spares the others the
		// wait.
		breakers[upstream] = httpcall.NewBreaker(string(upstream), tel)
	}
	client := func(upstream routes.Upstream, base string, credential httpcall.Credential) (*httpcall.Client, error) {
		return httpcall.NewClient(base, credential, tel, breakers[upstream].Before(transport))
	}
	// auth-svc is asked about everybody, registry-svc on behalf of the caller, whose agent it looks up.
	asItself := func(context.Context) (string, error) { return signer.Token(access.Caller{Kind: access.Service}) }
	authHTTP, err := client(routes.Auth, cfg.AuthURL, asItself)
	if err != nil {
		return nil, fmt.Errorf("AUTH_URL: %w", err)
	}
	asCaller := func(ctx context.Context) (string, error) { return signer.Token(access.CallerFrom(ctx)) }
	registryHTTP, err := client(routes.Registry, cfg.RegistryURL, asCaller)
	if err != nil {
		return nil, fmt.Errorf("REGISTRY_URL: %w", err)
	}
	authSvc := services.AuthClient{HTTP: authHTTP}
	d := &door{
		base:      cfg.BaseURL,
		scopes:    cfg.MCPScopes,
		stagger:   cfg.StreamStagger,
		log:       tel,
		signer:    signer,
		limits:    edge.NewLimits(rdb, quotas(cfg.Rates), now),
		ended:     edge.NewEnded(authSvc, rdb, now, tel.Log),
		refusals:  edge.NewRefusals(authSvc, now, tel),
		room:      bodies.NewRoom(cfg.BodyRoom),
		places:    places.New(places.Limits{All: cfg.InFlight}),
		downloads: places.New(places.Limits{All: cfg.Downloads, Caller: cfg.CallerDownload}),
		call:      cfg.CallTime,
	}
	d.draining, d.drain = context.WithCancel(context.Background())
	sessions := &authn.Sessions{Records: redisx.Values{Client: rdb}, Now: now}
	if d.auth, err = d.authenticator(cfg, authSvc, sessions, rdb, now); err != nil {
		return nil, err
	}
	if d.own, err = ownAnswers(cfg, registryHTTP, sessions); err != nil {
		return nil, err
	}
	if err := d.connect(cfg, transport, breakers); err != nil {
		return nil, err
	}

	return d, d.mount(cfg, tel)
}

// authenticator checks every kind of credential: users' tokens by the provider, our own by their keys and records,
// cookies by their sessions.
func (d *door) authenticator(
	cfg Config, authSvc services.AuthClient, sessions *authn.Sessions, rdb redis.UniversalClient, now func() time.Time,
) (*edge.Authenticator, error) {
	users, err := usersOf(cfg, d.log.Log, now)
	if err != nil {
		return nil, err
	}
	origin, err := edge.Origin(cfg.BaseURL)
	if err != nil {
		return nil, err
	}
	keys := edge.NewKeys(authSvc, now)

	return &edge.Authenticator{
		Issuer:   cfg.BaseURL,
		Origin:   origin,
		Users:    users,
		SignIns:  authSvc,
		Sessions: sessions,
		Left:     d.ended.Left,
		Agents: &authn.Bearers{
			Keys:     keys,
			Records:  redisx.Values{Client: rdb},
			Issuer:   cfg.BaseURL,
			Audience: cfg.BaseURL + "/v1",
			Now:      now,
			Ended:    d.ended.Has,
		},
		Applications: &authn.Grants{
			Keys:     keys,
			Records:  redisx.Values{Client: rdb},
			Issuer:   cfg.BaseURL,
			Audience: cfg.BaseURL + "/api/mcp",
			Now:      now,
		},
	}, nil
}

// ownAnswers are the handlers of what the gateway answers by itself, by their routes.
func ownAnswers(
	cfg Config, registry *httpcall.Client, sessions *authn.Sessions,
) (map[string]func(*gin.Context) error, error) {
	card, err := edge.NewCard(cfg.BaseURL)
	if err != nil {
		return nil, err
	}
	contract, err := edge.NewContract(cfg.BaseURL)
	if err != nil {
		return nil, err
	}
	app, err := web.New(cfg.WASMDir)
	if err != nil {
		return nil, err
	}
	me := &edge.Me{Registry: services.RegistryClient{HTTP: registry}, Limits: limitsShown(cfg)}

	return map[string]func(*gin.Context) error{
		"/.well-known/agent.json":      card.Serve,
		"/openapi.yaml":                contract.YAML,
		"/openapi.json":                contract.JSON,
		"/docs":                        edge.ReferencePage,
		"/a2a/ext/:extension/:version": contract.Extension,
		"/docs/:asset":                 contract.Asset,
		"/v1/me":                       me.Serve,
		"/":                            app.Page,
		"/app/*page":                   app.Page,
		"/i/*action":                   app.Link,
		"/c/:caseId":                   app.Case,
		"/assets/*file":                app.Asset,
		"/auth/session":                (&edge.Session{Sessions: sessions}).Serve,
	}, nil
}

// connect makes the proxies.
func (d *door) connect(cfg Config, transport *http.Transport, breakers map[routes.Upstream]*httpcall.Breaker) error {
	timing := proxy.Timing{
		Call:     cfg.CallTime,
		Progress: 15 * time.Second,
		Upload:   cfg.UploadTime,
		Download: cfg.DownloadTime,
		Patience: cfg.StreamPatience,
		Tool:     cfg.ToolTime,
	}
	to := func(upstream routes.Upstream, address string, answers time.Duration) (*proxy.Proxy, error) {
		carrier := transport.Clone()
		carrier.ResponseHeaderTimeout = answers

		return proxy.New(address, d.signer, timing, cfg.MaxUpload, edge.FixedHeaders(), d.log, proxy.Transports{
			Calls:   breakers[upstream].Before(carrier),
			Streams: breakers[upstream].Before(proxy.NewAlone(carrier)),
		})
	}
	d.proxies = map[routes.Upstream]*proxy.Proxy{}

	for upstream, address := range map[routes.Upstream]struct{ setting, value string }{
		routes.Registry: {"REGISTRY_URL", cfg.RegistryURL},
		routes.Auth:     {"AUTH_URL", cfg.AuthURL},
		routes.Agent:    {"AGENT_URL", cfg.AgentURL},
		routes.Case:     {"CASE_URL", cfg.CaseURL},
		routes.Party:    {"PARTY_URL", cfg.PartyURL},
	} {
		// A minute, because an upload is checked before it is answered.
		answers := time.Minute
		if upstream == routes.Agent {
			// A stream answers at once, however long it goes on.
			answers = cfg.CallTime
		}
		p, err := to(upstream, address.value, answers)
		if err != nil {
			return fmt.Errorf("%s: %w", address.setting, err)
		}
		d.proxies[upstream] = p
	}
	var err error
	d.tools, err = to(routes.Agent, cfg.AgentURL, cfg.ToolTime)

	return err
}

func usersOf(cfg Config, log *slog.Logger, now func() time.Time) (*provider.Users, error) {
	transport, err := httpcall.ProviderTransport(cfg.OIDCCAFile)
	if err != nil {
		return nil, fmt.Errorf("OIDC_CA_FILE: %w", err)
	}

	return provider.NewUsers(provider.UsersConfig{
		Issuer:      cfg.OIDCIssuer,
		Audience:    cfg.OIDCAudience,
		TenantClaim: cfg.OIDCTenantClaim,
		RolesClaim:  cfg.OIDCRolesClaim,
		SingleUsers: cfg.OIDCSingleUsers,
		Log:         log,
		Transport:   transport,
		Now:         now,
	})
}

func quotas(r Rates) map[routes.Limit]edge.Quota {
	return map[routes.Limit]edge.Quota{
		routes.LimitToken:        {Rate: r.TokenPerMinute, Period: time.Minute},
		routes.LimitOAuth:        {Rate: r.OAuthPerMinute, Period: time.Minute},
		routes.LimitRegister:     {Rate: r.RegisterPerMinute, Period: time.Minute},
		routes.LimitRegistration: {Rate: r.RegistrationPerHour, Period: time.Hour},
		routes.LimitRun:          {Rate: r.RunsPerMinute, Period: time.Minute},
		routes.LimitCalls:        {Rate: r.CallsPerMinute, Period: time.Minute},
		routes.LimitAddress:      {Rate: r.AnonymousPerMinute, Period: time.Minute},
		routes.LimitAssets:       {Rate: r.AssetsPerMinute, Period: time.Minute},
	}
}

func limitsShown(cfg Config) map[string]any {
	return map[string]any{
		"callsPerMinute":   cfg.CallsPerMinute,
		"runsPerMinute":    cfg.RunsPerMinute,
		"streamsAtOnce":    cfg.StreamsPerCallerShown,
		"bodyBytes":        httpx.MaxBody,
		"uploadBytes":      cfg.MaxUpload,
		"promptCodePoints": api.MaxPrompt,
	}
}

const (
	takeTime = 5 * time.Second // for a reader to take an answer that took its whole time to make
	restTime = time.Second     // for the rest of a body that nobody waits for
)

// mount lays the route table on the engine.
func (d *door) mount(cfg Config, tel *telemetry.Telemetry) error {
	d.engine = httpx.NewEngine(tel)
	if err := d.engine.SetTrustedProxies(cfg.TrustedProxies); err != nil {
		return errors.New("GATEWAY_TRUSTED_PROXIES cannot be read")
	}
	origins, err := edge.NewOrigins(routes.All(), append([]string{cfg.BaseURL}, cfg.TrustedOrigins...), tel.Log)
	if err != nil {
		return err
	}
	authority, err := edge.NewAuthority(cfg.BaseURL, cfg.Hosts, tel.Log)
	if err != nil {
		return err
	}
	// The order matters: refusals see every answer, and nothing reads a body before it has its deadlines.
	d.engine.Use(
		edge.ReadOut,
		d.refusals.Handle,
		httpx.ErrorsIn(a2aerr.Body, api.A2APathRPC, api.A2APathREST),
		edge.SecurityHeaders(cfg.BaseURL),
		edge.TakenWithin(cfg.CallTime+takeTime),
		edge.SentWithin(cfg.CallTime, restTime),
		authority.Handle,
		httpx.HeadsWithin(tel.Log),
		edge.HeadersWithin(tel.Log),
		origins.Handle,
	)

	for _, route := range routes.All() {
		// A forgotten handler must not come out as a panic on the first call.
		if route.Upstream == routes.Edge && d.own[route.Path] == nil {
			return fmt.Errorf("no handler for %s %s", route.Method, route.Path)
		}
		d.engine.Handle(
			route.Method,
			route.Path,
			httpx.Handle(tel.Log, func(c *gin.Context) error { return d.serve(c, route) }),
		)
	}
	d.refuseMethods(tel.Log)

	return nil
}

// refuseMethods answers methods that a path does not have by 405, with Allow from the table of routes: a path without
// parameters never falls to a route that has some.
func (d *door) refuseMethods(log *slog.Logger) {
	all := routes.All()
	refuse := httpx.Handle(log, func(c *gin.Context) error {
		c.Header("Allow", strings.Join(routes.Methods(all, c.Request.URL.Path), ", "))
		return httpx.ErrNoMethod
	})
	d.engine.NoMethod(refuse)

	refused := map[string]bool{}
	for _, route := range all {
		// A path can stand in the table once for each method, but its refusals are mounted once.
		if refused[route.Path] || strings.ContainsAny(route.Path, ":*") {
			continue
		}

		refused[route.Path] = true
		for _, method := range routes.Shadowed(all, route.Path) {
			d.engine.Handle(method, route.Path, refuse)
		}
	}
}
