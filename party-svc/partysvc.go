// Package partysvc is the face of party-svc: parties by label, the directory of partners, the invites that open a part
// of a case to one of them, and the vault that keeps ciphertext for browsers.
package partysvc

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/subrosa-legal/subrosa/party-svc/internal/httpapi"
	"github.com/subrosa-legal/subrosa/party-svc/internal/invites"
	"github.com/subrosa-legal/subrosa/party-svc/internal/mongostore"
	"github.com/subrosa-legal/subrosa/party-svc/internal/parties"
	"github.com/subrosa-legal/subrosa/party-svc/internal/partners"
	"github.com/subrosa-legal/subrosa/party-svc/internal/recounts"
	"github.com/subrosa-legal/subrosa/party-svc/internal/upstream"
	"github.com/subrosa-legal/subrosa/party-svc/internal/vault"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/audit/chain"
	"github.com/subrosa-legal/subrosa/pkg/audit/chain/auditapi"
	"github.com/subrosa-legal/subrosa/pkg/audit/record"
	"github.com/subrosa-legal/subrosa/pkg/config"
	"github.com/subrosa-legal/subrosa/pkg/deeplink"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/httpcall"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
	"github.com/subrosa-legal/subrosa/pkg/idempotency"
	"github.com/subrosa-legal/subrosa/pkg/launch"
	"github.com/subrosa-legal/subrosa/pkg/mongox"
	"github.com/subrosa-legal/subrosa/pkg/services"
)

const name = "party-svc"

// Entry describes party-svc to the launcher.
func Entry() launch.Entry {
	return launch.Entry{
		Name: name, Summary: "parties by label, the directory of partners, invites, the vault", New: New,
		Settings: config.Describe[Config](), Migrate: migrate, Shards: shards,
	}
}

type service struct {
	*httpx.Server

	db      *mongox.DB
	sweeper *sweeper
	cancel  context.CancelFunc
}

// New connects and binds party-svc. It waits neither for MongoDB nor for case-svc: until MongoDB answers and has its
// indexes, requests get 503.
func New(ctx context.Context, env launch.Env) (_ launch.Service, err error) {
	cfg, err := config.Parse[Config](env.Environ, "PARTY_")
	if err != nil {
		return nil, err
	}
	id, err := launch.Identify(name, cfg.InternalKey, cfg.InternalTrust, cfg.PeerTLS, env)
	if err != nil {
		return nil, err
	}
	// Whatever was opened before a later step fails is closed again, so that a failed start leaves no connection
	// behind.
	s := &service{}

	defer func() {
		if err != nil {
			err = errors.Join(err, s.release(context.WithoutCancel(ctx)))
		}
	}()
	tel := env.Telemetry
	s.db, err = cfg.service().Open(ctx, tel.Tracers, tel.Meters)
	if err != nil {
		return nil, err
	}
	// Indexes are made in the background: the service starts without MongoDB, and Admit answers 503 until they are
	// there.
	working, cancel := context.WithCancel(ctx)
	s.cancel = cancel
	indexes := mongox.MakeIndexes(working, s.db.Database(), mongostore.Schema(), tel.Log)
	a, sweeper, err := assemble(cfg, env, id, s.db)
	if err != nil {
		return nil, err
	}
	a.Admit, s.sweeper = indexes.Admit, sweeper
	engine := httpx.NewEngine(tel)
	// A request waits a moment for its place, which evens out a burst; longer, and the caller had better try again.
	id.Verifier.InFlight = httpx.NewInFlight(cfg.InFlight, 50*time.Millisecond)
	id.Verifier.Opens = httpapi.Openings()
	a.Mount(engine, id.Verifier)
	record := auditapi.Config{
		Name: record.Party, Chain: chain.New(s.db.Collection(chain.Collection), env.Now),
		Secret: cfg.CursorSecret(cfg.CursorKey), Browser: cfg.Browser(), Now: env.Now,
	}
	if err := auditapi.Mount(engine, record, tel.Log); err != nil {
		return nil, err
	}
	s.Server, err = httpx.Listen(httpx.ServerConfig{
		Addr: cfg.Addr, TLS: id.Peers.Server(), Handler: engine, InternalAddr: cfg.InternalAddr,
		Metrics: tel.Metrics, Profiles: cfg.Profiles, DrainDelay: cfg.DrainDelay, Log: tel.Log,
		Ready: map[string]httpx.Check{
			"mongodb": s.db.Ping,
			"indexes": func(context.Context) error { return indexes.Ready() },
		},
	})
	if err != nil {
		return nil, fmt.Errorf("PARTY_ADDR or PARTY_INTERNAL_ADDR: %w", err)
	}

	return s, nil
}

// assemble puts the stores under the domain, and the domain under the routes.
func assemble(cfg Config, env launch.Env, id launch.Identity, db *mongox.DB) (*httpapi.API, *sweeper, error) {
	client, err := httpcall.NewClient(
		cfg.CaseURL,
		access.Forward,
		env.Telemetry,
		httpcall.NewBreaker("case-svc", env.Telemetry).Before(id.Peers.Transport()),
	)
	if err != nil {
		return nil, nil, fmt.Errorf("CASE_URL: %w", err)
	}
	cursors, err := newCursors(cfg.CursorSecret(cfg.CursorKey), env.Now)
	if err != nil {
		return nil, nil, err
	}
	var (
		store   = db.Database()
		log     = env.Telemetry.Log
		journal = chain.Log{Chain: chain.New(db.Collection(chain.Collection), env.Now)}
		links   = deeplink.Links(cfg.Browser())
		cases   = upstream.Cases{Client: services.CaseClient{HTTP: client}, Signer: id.Signer}
		people  = mongostore.NewParties(store)
		kept    = mongostore.NewContents(store)
		intents = idempotency.NewIntents(store)
		gate    = (&guard.AllowList{Tenant: access.TenantOf, Read: cases.Client.AllowedWords, Now: env.Now}).Gate()
		recount = &recounts.Service{
			Store: mongostore.NewNotices(store), Tell: cases.RosterChanged, Now: env.Now, Log: log,
		}
	)
	invited := &invites.Service{
		Store:     mongostore.NewInvites(store),
		Addresses: mongostore.NewAddresses(store),
		Grants:    mongostore.NewGrants(store),
		Directory: mongostore.NewPartners(store),
		Cases:     cases,
		Recount:   recount,
		Journal:   journal,
		Gate:      gate,
		Links:     links,
		Now:       env.Now,
		Log:       log,
	}
	sealed := mongostore.NewVaults(store)
	vaults := &vault.Service{
		Vaults: sealed, FirmKeys: sealed, Wraps: sealed, Seals: sealed, Journal: journal, Now: env.Now,
		Case: func(ctx context.Context, id string) error { _, err := cases.Case(ctx, id); return err },
	}
	load := func(ctx context.Context, tenant string, by audit.Actor, entries []partners.Partner) (partners.Loaded, error) {
		return partners.Load(ctx, invited.Directory, journal, tenant, by, entries)
	}
	a := &httpapi.API{
		Import: load,
		Parties: &parties.Service{
			Store: people, Matches: people, Leases: mongostore.NewLeases(store), Cases: cases, Recount: recount,
			Journal: journal, Gate: gate, Links: links, Now: env.Now,
			FreshKey: vaults.Fresh,
		},
		Vault:       vaults,
		Invites:     invited,
		Catalog:     partners.NewCatalog(invited.Directory, env.Now),
		Visible:     cases.Visible,
		Purge:       kept.Purge,
		OthersWork:  kept.OthersWork,
		Holdings:    kept.Holdings,
		Audit:       journal.Chain.List,
		CheckChain:  auditapi.Check(journal.Chain),
		Now:         env.Now,
		Idempotency: &idempotency.Service{Store: intents, Now: env.Now},
		Journal:     journal,
		Gate:        gate,
		Links:       links,
		Cursors:     cursors,
		Log:         log,
	}

	return a, &sweeper{intents, recount, invited, vaults, env.Now, cfg.SweepEvery, log}, nil
}

func newCursors(secret string, now func() time.Time) (httpapi.Cursors, error) {
	people, err := httpx.NewCursors[parties.Cursor](name, secret, now)
	if err != nil {
		return httpapi.Cursors{}, err
	}
	found, err := httpx.NewCursors[partners.Cursor](name, secret, now)
	if err != nil {
		return httpapi.Cursors{}, err
	}
	invited, err := httpx.NewCursors[invites.Cursor](name, secret, now)
	if err != nil {
		return httpapi.Cursors{}, err
	}
	members, err := httpx.NewCursors[httpapi.MemberPlace](name, secret, now)

	return httpapi.Cursors{Parties: people, Partners: found, Invites: invited, Members: members}, err
}

// Run serves, and clears up, until ctx ends.
func (s *service) Run(ctx context.Context) error {
	var sweeping sync.WaitGroup
	sweeping.Go(func() { launch.Repeat(ctx, s.sweeper.every, s.sweeper.log, s.sweeper.sweep) })
	err := s.Serve(ctx)
	// Requests are over. Only then the work in the background ends, and the database is closed under nobody.
	s.cancel()
	sweeping.Wait()

	// ctx is over by now, and the connections still want time to close.
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()

	return errors.Join(err, s.release(last))
}

// release gives up what the service holds, as far as it came.
func (s *service) release(ctx context.Context) error {
	if s.cancel != nil {
		s.cancel()
	}
	if s.db != nil {
		return s.db.Close(ctx)
	}

	return nil
}

// sweepPage is what one round of the sweep takes on of each sort.
const sweepPage = 100

// sweeper clears up what is over, and finishes what was left half done.
type sweeper struct {
	intents *idempotency.Intents
	recount *recounts.Service
	invites *invites.Service
	vaults  *vault.Service
	now     func() time.Time
	every   time.Duration
	log     *slog.Logger
}

func (s *sweeper) sweep(ctx context.Context) error {
	return errors.Join(
		s.intents.Expire(ctx, s.now(), sweepPage),
		s.invites.Sweep(ctx, sweepPage),
		s.recount.Sweep(ctx, sweepPage),
		s.vaults.Sweep(ctx, sweepPage),
	)
}
