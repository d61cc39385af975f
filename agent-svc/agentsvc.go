// Package agentsvc is the face of agent-svc: it runs the built-in agent and streams its work.
package agentsvc

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/a2a"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/a2a/phasework"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/admission"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/httpapi"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/answers"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/modelengine"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/sales"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/mcp"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/mcp/agenttool"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/mcp/catalogue"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/mcp/lookuptool"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/mcp/protocol"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/redisstore"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/runs"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/stream"
	"github.com/subrosa-legal/subrosa/pkg/a2aerr"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/config"
	"github.com/subrosa-legal/subrosa/pkg/deeplink"
	"github.com/subrosa-legal/subrosa/pkg/departures"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/httpcall"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
	"github.com/subrosa-legal/subrosa/pkg/launch"
	"github.com/subrosa-legal/subrosa/pkg/places"
	"github.com/subrosa-legal/subrosa/pkg/redisx"
	"github.com/subrosa-legal/subrosa/pkg/services"
)

const heartbeat = 3 * time.Second // fixed by the interface

// Entry describes agent-svc to the launcher.
func Entry() launch.Entry {
	return launch.Entry{
		Name:     "agent-svc",
		Summary:  "runs of the built-in agent and their streams",
		New:      New,
		Settings: config.Describe[Config](),
	}
}

type service struct {
	*httpx.Server

	runs  *runs.Runs
	feeds *stream.Feeds
	rdb   redis.UniversalClient
	// departures tells whose runs must end.
	departures *departures.Watcher
}

// New connects and binds agent-svc.
func New(ctx context.Context, env launch.Env) (launch.Service, error) {
	cfg, err := config.Parse[Config](env.Environ, "AGENT_")
	if err != nil {
		return nil, err
	}
	tel := env.Telemetry
	id, err := launch.Identify("agent-svc", cfg.InternalKey, cfg.InternalTrust, cfg.PeerTLS, env)
	if err != nil {
		return nil, err
	}
	cases, parties, auths, err := clients(cfg, env, id)
	if err != nil {
		return nil, err
	}
	rdb, err := redisx.OpenService(ctx, cfg.RedisURL, tel.Tracers, tel.Meters)
	if err != nil {
		return nil, err
	}
	leases := redisstore.NewLeases(rdb, cfg.Lease)
	gate := (&guard.AllowList{Tenant: access.TenantOf, Read: cases.AllowedWords, Now: env.Now}).Gate()
	// From here on a failure must close what was opened: the launcher may start the service anew in the same process.
	engine, err := newEngine(ctx, cfg, env, gate)
	if err != nil {
		return nil, errors.Join(err, rdb.Close())
	}
	s := &service{rdb: rdb, runs: newRuns(cfg, env, rdb, leases, cases, engine, gate)}
	s.departures = departures.New(rdb, tel.Log, nil)
	s.runs.Gone = s.departures.Gone
	if err := instrument(s.runs, tel); err != nil {
		return nil, errors.Join(err, rdb.Close())
	}
	s.feeds = stream.NewFeeds(s.runs.Events, leases, heartbeat, tel.Log)
	streams := &stream.Server{
		Feeds:     s.feeds,
		Heartbeat: heartbeat,
		Patience:  cfg.Patience,
		Stagger:   cfg.Stagger,
		Now:       env.Now,
		Settle:    settler(s.runs, tel.Log),
	}
	desk := &admission.Service{
		Runs:       s.runs,
		Planner:    engine,
		Cases:      cases,
		Parties:    parties,
		Auth:       auths,
		People:     auths,
		Cancel:     leases,
		Ahead:      s.feeds,
		LineWait:   cfg.LineWait,
		Gate:       gate,
		BrowserApp: cfg.Browser(),
		Now:        env.Now,
	}
	s.runs.TakeUp = desk.TakeUp
	router, err := handler(cfg, env, id, rdb, desk, streams)
	if err != nil {
		return nil, errors.Join(err, rdb.Close())
	}
	s.Server, err = httpx.Listen(httpx.ServerConfig{
		Addr:         cfg.Addr,
		TLS:          id.Peers.Server(),
		Handler:      router,
		InternalAddr: cfg.InternalAddr,
		Metrics:      tel.Metrics,
		Profiles:     cfg.Profiles,
		DrainDelay:   cfg.DrainDelay,
		Log:          tel.Log,
		Ready:        map[string]httpx.Check{"redis": func(ctx context.Context) error { return redisx.Ping(ctx, rdb) }},
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("AGENT_ADDR or AGENT_INTERNAL_ADDR: %w", err), rdb.Close())
	}
	streams.Draining = s.Draining()

	return s, meter(tel, s.runs, streams)
}

// handler serves the three ways to the agent: the HTTP interface, MCP and the agent-to-agent protocol.
func handler(
	cfg Config,
	env launch.Env,
	id launch.Identity,
	rdb redis.UniversalClient,
	desk *admission.Service,
	streams *stream.Server,
) (http.Handler, error) {
	tel := env.Telemetry
	router := httpx.NewEngine(tel)
	router.Use(httpx.ErrorsIn(a2aerr.Body, api.A2APathRPC, api.A2APathREST))
	id.Verifier.InFlight = httpx.NewInFlight(cfg.InFlight, 50*time.Millisecond)

	routes := &httpapi.API{
		Admission: desk,
		Streams:   streams,
		Now:       env.Now,
		Log:       tel.Log,
		Readers:   places.New(places.Limits{All: cfg.Streams, Caller: cfg.PerCaller}),
	}
	routes.Mount(router, id.Verifier)

	handles := redisstore.NewHandles(rdb, cfg.Keep)
	reads := &lookuptool.Service{
		Cases:   desk.Cases,
		Parties: desk.Parties,
		Gate:    desk.Gate,
		Handles: handles,
		Now:     env.Now,
	}
	// Streams of all three ways count against the same places: a caller has no more by taking another way.
	acts := &agenttool.Service{
		Intake:  desk,
		Streams: streams,
		Events:  desk.Runs.Events,
		Handles: handles,
		Place:   routes.Place,
		Cases:   desk.Cases,
		Parties: desk.Parties,
		Alive:   cfg.MCPSigns,
		Pace:    redisstore.NewPace(rdb, "mcp", cfg.MCPRuns),
	}
	endpoint, err := mcpEndpoint(cfg, tel.Log, reads, acts)
	if err != nil {
		return nil, err
	}
	mcp.Mount(router, id.Verifier, endpoint, tel.Log)

	agents := a2aEndpoint(cfg, env, desk, streams, redisstore.NewPace(rdb, "a2a", cfg.A2ARuns), routes.Place)
	if agents.Observe, err = callMeter(tel); err != nil {
		return nil, err
	}
	agents.Mount(router, id.Verifier, tel.Log)

	return router, nil
}

// newEngine makes what answers tasks: rules, and the language model where one is configured.
func newEngine(ctx context.Context, cfg Config, env launch.Env, gate guard.Gate) (*modelengine.Engine, error) {
	chat, err := cfg.model(env.Telemetry, env.Now)
	if err != nil {
		return nil, err
	}
	rules := answers.NewEngine(gate)
	if rules.Facts, err = salesFacts(ctx, cfg.SalesFacts); err != nil {
		return nil, err
	}

	return &modelengine.Engine{
		Rules:  rules,
		Model:  chat,
		Local:  cfg.Local,
		Budget: cfg.budget(),
		Gate:   gate,
	}, nil
}

// clients call case-svc, party-svc and auth-svc with the token that a request came with; work of the service's own,
// in a context made by asTenant, gets a token of its own.
func clients(
	cfg Config,
	env launch.Env,
	id launch.Identity,
) (cases services.CaseClient, parties services.PartyClient, auths services.AuthClient, err error) {
	credential := func(ctx context.Context) (string, error) {
		if caller := access.CallerFrom(ctx); caller.Kind == access.Service {
			return id.Signer.Token(caller)
		}

		return access.Forward(ctx)
	}
	client := func(setting, address, name string) (*httpcall.Client, error) {
		// Each service has a breaker of its own: one that is away must not make the others look away.
		transport := httpcall.NewBreaker(name, env.Telemetry).Before(id.Peers.Transport())
		made, err := httpcall.NewClient(address, credential, env.Telemetry, transport)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", setting, err)
		}

		return made, nil
	}
	if cases.HTTP, err = client("CASE_URL", cfg.CaseURL, "case-svc"); err != nil {
		return cases, parties, auths, err
	}
	if parties.HTTP, err = client("PARTY_URL", cfg.PartyURL, "party-svc"); err != nil {
		return cases, parties, auths, err
	}
	auths.HTTP, err = client("AUTH_URL", cfg.AuthURL, "auth-svc")

	return cases, parties, auths, err
}

// mcpEndpoint makes the MCP endpoint with its two tools.
func mcpEndpoint(
	cfg Config, log *slog.Logger, reads *lookuptool.Service, acts *agenttool.Service,
) (*protocol.Endpoint, error) {
	operations, err := catalogue.Read()
	if err != nil {
		return nil, err
	}
	base, links := strings.TrimRight(cfg.BaseURL, "/"), deeplink.Links(cfg.Browser())
	reads.Catalogue, reads.Base, reads.Links, acts.Links = operations, base, links, links
	endpoint := protocol.New(protocol.Config{
		Versions: cfg.MCPVersions,
		Base:     base,
		Log:      log,
		Tasks:    true,
	})
	endpoint.Add(reads.Tool())
	acts.Offer(endpoint)

	return endpoint, nil
}

// a2aWait is how long a message waits for its answer in one request: longer than a run takes unless it is given more.
const a2aWait = 4 * time.Minute

// a2aEndpoint makes the endpoint of the agent-to-agent protocol, whose tasks our runs carry out.
func a2aEndpoint(
	cfg Config,
	env launch.Env,
	desk *admission.Service,
	streams *stream.Server,
	pace *redisstore.Pace,
	place func(access.Caller) (func(), error),
) *a2a.Endpoint {
	base := strings.TrimRight(cfg.BaseURL, "/")

	return &a2a.Endpoint{
		Service: &a2a.Service{
			Work: &phasework.Worker{
				Intake:  desk,
				Streams: streams,
				Cases:   desk.Cases,
				Pace:    pace,
				Base:    base,
				Log:     env.Telemetry.Log,
			},
			Tasks: desk.Cases,
			Base:  base,
			Beat:  heartbeat,
			Wait:  a2aWait,
			Look:  2 * time.Second,
			Stops: streams.Stops,
			Now:   env.Now,
		},
		Owner: func(ctx context.Context) string {
			caller := access.CallerFrom(ctx)
			return caller.Tenant + "|" + caller.UserID
		},
		Enter:    func(ctx context.Context) (func(), error) { return place(access.CallerFrom(ctx)) },
		Patience: cfg.Patience,
		Log:      env.Telemetry.Log,
	}
}

// salesFacts reads the configured facts, nil when there are none.
func salesFacts(ctx context.Context, path string) (*sales.Sheet, error) {
	if path == "" {
		return nil, nil
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("AGENT_SALES_FACTS: %w", err)
	}

	defer func() { _ = file.Close() }()
	// What prospects are told passes the same gate as answers: the file is the operator's and may name a person.
	sheet, err := sales.Read(ctx, file, guard.New())
	if err != nil {
		return nil, fmt.Errorf("AGENT_SALES_FACTS: %w", err)
	}

	return sheet, nil
}

func asTenant(ctx context.Context, tenant string) context.Context {
	return access.WithCaller(ctx, access.Caller{Kind: access.Service, Tenant: tenant}, "")
}

func newRuns(
	cfg Config,
	env launch.Env,
	rdb redis.UniversalClient,
	leases *redisstore.Leases,
	cases services.CaseClient,
	engine runs.Engine,
	gate guard.Gate,
) *runs.Runs {
	timing := runs.DefaultTiming()
	// Three renewals fit into a lease, so one that is lost costs nothing.
	timing.Renew, timing.Orphan, timing.Sweep, timing.GiveUp = cfg.Lease/3, cfg.Lease, cfg.Sweep, cfg.GiveUp
	r := &runs.Runs{
		Events:   stream.NewLog(rdb, cfg.Keep),
		Leases:   leases,
		Phases:   cases,
		Engine:   engine,
		Gate:     gate,
		Timing:   timing,
		AsTenant: asTenant,
		Now:      env.Now,
		Log:      env.Telemetry.Log,
	}
	r.Open(runs.Limits{All: cfg.RunsAtOnce, Caller: cfg.RunsOfCaller})

	return r
}

// handoverTime is for telling case-svc that the runs of this process may be taken up elsewhere.
const handoverTime = 10 * time.Second

// Run serves until ctx ends. Runs are handed over while streams drain.
func (s *service) Run(ctx context.Context) error {
	// Streams are fed until the last one has drained, so the feeds outlive ctx.
	watching, stop := context.WithCancel(context.WithoutCancel(ctx))
	var background sync.WaitGroup
	background.Go(func() { s.feeds.Run(watching, s.rdb) })
	background.Go(func() { s.runs.Watch(ctx) })
	background.Go(func() { s.departures.Watch(watching) })
	// The buffer lets the goroutine end even if Serve fails before anybody reads.
	handed := make(chan error, 1)
	background.Go(func() {
		// Readers are told to come back now, so the runs must be free to be taken up elsewhere.
		<-s.Draining()

		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), handoverTime)
		defer cancel()
		handed <- s.runs.Close(last)
	})
	err := s.Serve(ctx)
	err = errors.Join(err, <-handed)
	stop()
	background.Wait()

	return errors.Join(err, s.rdb.Close())
}
