// Package casesvc is the face of case-svc: cases, their files and what they say, and the record of the work done on
// them.
package casesvc

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/files"
	"github.com/subrosa-legal/subrosa/case-svc/internal/grants"
	"github.com/subrosa-legal/subrosa/case-svc/internal/httpapi"
	"github.com/subrosa-legal/subrosa/case-svc/internal/mongostore"
	"github.com/subrosa-legal/subrosa/case-svc/internal/oversight"
	"github.com/subrosa-legal/subrosa/case-svc/internal/passages"
	"github.com/subrosa-legal/subrosa/case-svc/internal/phases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/retention"
	"github.com/subrosa-legal/subrosa/case-svc/internal/settings"
	"github.com/subrosa-legal/subrosa/case-svc/internal/tasks"
	"github.com/subrosa-legal/subrosa/case-svc/internal/timeline"
	"github.com/subrosa-legal/subrosa/pkg/access"
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
	"github.com/subrosa-legal/subrosa/pkg/places"
	"github.com/subrosa-legal/subrosa/pkg/services"
)

// Entry describes case-svc to the launcher.
func Entry() launch.Entry {
	return launch.Entry{
		Name: "case-svc", Summary: "cases, files, search and the record of work", New: New,
		Settings: config.Describe[Config](), Migrate: migrate, Shards: shards,
	}
}

type service struct {
	server  *httpx.Server
	db      *mongox.DB
	sweeper *sweeper
	spool   *files.Spool
	own     string // the scratch folder, when it was made for this process
	cancel  context.CancelFunc
}

// New connects and binds case-svc. It does not wait for MongoDB: until that answers and has its indexes, requests get
// 503.
func New(ctx context.Context, env launch.Env) (_ launch.Service, err error) {
	cfg, err := config.Parse[Config](env.Environ, "CASE_")
	if err != nil {
		return nil, err
	}
	id, err := launch.Identify("case-svc", cfg.InternalKey, cfg.InternalTrust, cfg.PeerTLS, env)
	if err != nil {
		return nil, err
	}
	s := &service{}

	defer func() {
		if err != nil {
			err = errors.Join(err, s.release(context.WithoutCancel(ctx)))
		}
	}()
	if err := s.openSpool(cfg); err != nil {
		return nil, err
	}
	tel := env.Telemetry
	s.db, err = mongox.Open(ctx, mongox.Config{
		URI:            cfg.MongoURI.Reveal(),
		Database:       cfg.Database,
		Timeout:        cfg.MongoTimeout,
		AppName:        "case-svc",
		TracerProvider: tel.Tracers,
		MeterProvider:  tel.Meters,
	})
	if err != nil {
		return nil, fmt.Errorf("MONGODB_URI or CASE_DATABASE: %w", err)
	}
	working, cancel := context.WithCancel(ctx)
	s.cancel = cancel
	indexes := mongox.MakeIndexes(working, s.db.Database(), mongostore.Schema(), tel.Log)
	routes, sweeper, err := assemble(cfg, env, id, s.db, s.spool)
	if err != nil {
		return nil, err
	}
	routes.Admit, s.sweeper = indexes.Admit, sweeper
	id.Verifier.Opens = httpapi.Openings()
	engine := httpx.NewEngine(tel)
	id.Verifier.InFlight = httpx.NewInFlight(cfg.InFlight, 50*time.Millisecond)
	routes.Mount(engine, id.Verifier)
	record := auditapi.Config{
		Name: record.Case, Chain: chain.New(s.db.Collection(chain.Collection), env.Now),
		Secret: config.CursorSecret(cfg.CursorKey, cfg.InternalKey), Browser: cfg.Browser(), Now: env.Now,
	}
	if err := auditapi.Mount(engine, record, tel.Log); err != nil {
		return nil, err
	}
	s.server, err = httpx.Listen(httpx.ServerConfig{
		Addr: cfg.Addr, TLS: id.Peers.Server(), Handler: engine, InternalAddr: cfg.InternalAddr,
		Metrics: tel.Metrics, Profiles: cfg.Profiles, DrainDelay: cfg.DrainDelay, Log: tel.Log,
		Ready: map[string]httpx.Check{
			"mongodb": s.db.Ping,
			"indexes": func(context.Context) error { return indexes.Ready() },
		},
	})
	if err != nil {
		return nil, fmt.Errorf("CASE_ADDR or CASE_INTERNAL_ADDR: %w", err)
	}

	return s, nil
}

// openSpool takes the scratch folder into use.
func (s *service) openSpool(cfg Config) error {
	dir := cfg.SpoolDir
	if dir == "" {
		made, err := os.MkdirTemp("", "case-svc-")
		if err != nil {
			return fmt.Errorf("make a scratch folder: %w", err)
		}
		dir, s.own = made, made
	}
	spool, err := files.OpenSpool(dir, files.SpoolLimits{
		Checks: cfg.UploadsAtOnce,
		Wait:   cfg.UploadWait,
		Open:   places.Limits{All: cfg.UploadsOpen, Caller: cfg.UploadsPerCaller},
		Bytes:  cfg.SpoolBytes,
	})
	if err != nil {
		return fmt.Errorf("CASE_SPOOL_DIR: %w", err)
	}
	s.spool = spool

	return nil
}

// stepCalls is how many calls to MongoDB one step of a transfer takes at most.
const stepCalls = 3

// assemble puts the stores under the domain, and the domain under the routes.
func assemble(
	cfg Config, env launch.Env, id launch.Identity, db *mongox.DB, spool *files.Spool,
) (*httpapi.API, *sweeper, error) {
	cursors, err := httpx.NewCursors[cases.Cursor](
		"case-svc", config.CursorSecret(cfg.CursorKey, cfg.InternalKey), env.Now,
	)
	if err != nil {
		return nil, nil, err
	}
	rosters, err := partyClient(cfg, env, id)
	if err != nil {
		return nil, nil, err
	}
	var (
		store     = db.Database()
		journal   = chain.Log{Chain: chain.New(db.Collection(chain.Collection), env.Now)}
		links     = deeplink.Links(cfg.Browser())
		fileStore = mongostore.NewFileStore(store)
		texts     = mongostore.NewTexts(store)
		branches  = mongostore.NewBranchStore(store)
		intents   = idempotency.NewIntents(store)
		blobs     = mongostore.NewBlobs(store, stepCalls*cfg.MongoTimeout)
		contents  = mongostore.NewContents(store, blobs)
		sources   = passages.Sources{Files: fileStore, Texts: texts}
	)
	matters := mongostore.NewCases(store)
	chosen := &settings.Service{Store: mongostore.NewSettings(store), Journal: journal, Now: env.Now}
	gate := (&guard.AllowList{Tenant: access.TenantOf, Read: chosen.AllowedWords, Now: env.Now}).Gate()
	kept := &cases.Service{
		Store: matters, Roots: branches, Contents: contents, Branches: branches, Rosters: rosters, Sources: sources,
		Policies: chosen, Journal: journal, Gate: gate, Links: links, Now: env.Now,
	}
	intake := &files.Intake{
		Cases:       matters,
		Files:       fileStore,
		Blobs:       blobs,
		Texts:       texts,
		Uploads:     mongostore.NewUploads(store),
		Successions: mongostore.NewSuccessions(store),
		Clearances:  mongostore.NewClearances(store),
		Receipts:    mongostore.NewReceipts(store),
		Spool:       spool,
		Gate:        gate,
		Journal:     journal,
		Recount:     kept.Recount,
		Links:       links,
		Now:         env.Now,
		Limits: files.Limits{
			FileBytes:  cfg.FileBytes,
			Files:      cfg.Files,
			CaseBytes:  cfg.CaseBytes,
			Pages:      cfg.Pages,
			PerRequest: cfg.FilesAtOnce,
			CheckTime:  cfg.CheckTimeout,
		},
	}
	turns := &tasks.Service{Store: mongostore.NewTasks(store), Journal: journal, Gate: gate, Links: links, Now: env.Now}
	ledger := &phases.Service{
		Tasks:      turns,
		MostInLine: cfg.Line,
		Records:    mongostore.NewRecords(store),
		Branches:   branches, Claims: mongostore.NewClaims(store),
		Cases: kept.Store, Files: fileStore, Recount: kept.Recount,
		Journal: journal, Gate: gate, Links: links, Now: env.Now, Recent: phases.NewRecent(),
		Joint: mongostore.NewJoint(store, journal, timeline.EndOf),
	}
	record := &timeline.Service{
		Store: mongostore.NewEntries(store), Cases: matters, Branches: branches,
		Sources: sources, Derive: deadlines(kept), Journal: journal, Gate: gate,
		Links: links, Now: env.Now,
	}
	kept.Moved = record.StatusChanged
	ledger.Timeline = record
	ledger.Replaced = func(ctx context.Context, p phases.Phase) error {
		return errors.Join(record.Replaced(ctx, p), replacedDrafts(ctx, kept, intake, p))
	}
	record.Cleared, ledger.Cleared, kept.Cleared = intake.ClearedWords, intake.ClearedWords, intake.ClearedWords
	intake.Dropped = record.Unnoted
	intake.Added = func(ctx context.Context, f files.File, c *cases.Case) error {
		if f.MediaType == files.Sealed {
			return nil // agents read the timeline, and never learn that an original was kept
		}
		if c == nil {
			found, err := kept.Store.Get(ctx, f.Tenant, f.CaseID)
			if err != nil {
				return err
			}
			c = &found
		}

		return record.FileAdded(ctx, f.UploadedBy, *c, f.ID, f.Name)
	}
	bridge := &grants.Service{
		Store: mongostore.NewGrants(store), Branches: branches, Records: ledger.Records,
		Files: fileStore, Cases: kept.Store, Timeline: record, Journal: journal, Now: env.Now,
	}
	due := mongostore.NewDue(store)
	remover := &retention.Remover{Contents: contents, Elsewhere: rosters.Purge, Journal: journal, Now: env.Now}
	routes := &httpapi.API{
		Tasks:     turns,
		Oversight: &oversight.Service{Store: mongostore.NewOversight(store), Chain: journal.Chain, Now: env.Now},
		Retention: &retention.Service{Store: due, Remover: remover, NewToken: uuid.NewString},
		Grants:    bridge,
		Timeline:  record,
		Work: httpapi.Workspaces{
			DocTypes:        mongostore.NewDocTypes(store),
			Parties:         rosters.Client,
			ModelConfigured: cfg.ModelConfigured,
			ModelLocal:      cfg.ModelLocal,
		},
		Cases:       kept,
		Intake:      intake,
		Search:      passages.New(fileStore, texts, cfg.IndexBytes),
		Phases:      ledger,
		Idempotency: &idempotency.Service{Store: intents, Now: env.Now},
		Vouch:       id.Signer.Voucher,
		Settings:    chosen,
		Originals:   fileStore.Originals,
		Rosters:     rosters,
		FeedLag:     cfg.FeedLag,
		Journal:     journal,
		Record:      journal.Chain,
		CheckChain:  auditapi.Check(journal.Chain),
		Gate:        gate,
		Links:       links,
		Cursors:     cursors,
		Progress:    cfg.Progress,
		Log:         env.Telemetry.Log,
	}

	return routes, &sweeper{
		line: &phases.LineSweep{Phases: ledger}, tasks: turns, intake: intake, stored: fileStore,
		agreed:   chosen.RemovesOriginals,
		shredder: mongostore.NewShredder(store, env.Now), intents: intents, remover: remover, ledger: due,
		timeline: record,
		keeper:   &keeper{Cases: kept, Closed: matters, Settings: chosen.Store},
		now:      env.Now, every: cfg.SweepEvery, log: env.Telemetry.Log,
	}, nil
}

// replacedDrafts takes away the drafts that attempts of an ended phase left and its last one did not make again.
func replacedDrafts(ctx context.Context, kept *cases.Service, intake *files.Intake, p phases.Phase) error {
	if p.ContainerType != phases.CaseContainer {
		return nil
	}
	c, err := kept.Store.Get(ctx, p.Tenant, p.ContainerID)
	if errors.Is(err, cases.ErrNotFound) {
		return nil // everything of it goes with the case
	}
	if err != nil {
		return err
	}
	below := p.Attempt
	if p.Abandoned() {
		below++
	}

	return intake.Replaced(ctx, c, p.ID, below)
}

// partyClient calls party-svc with the token that a request came with; what party-svc asks of us as a service, we ask
// back as one.
func partyClient(cfg Config, env launch.Env, id launch.Identity) (httpapi.Rosters, error) {
	credential := func(ctx context.Context) (string, error) {
		if caller := access.CallerFrom(ctx); caller.Kind == access.Service {
			return id.Signer.Token(access.Caller{Kind: access.Service, Tenant: caller.Tenant})
		}

		return access.Forward(ctx)
	}
	client, err := httpcall.NewClient(
		cfg.PartyURL,
		credential,
		env.Telemetry,
		httpcall.NewBreaker("party-svc", env.Telemetry).Before(id.Peers.Transport()),
	)
	if err != nil {
		return httpapi.Rosters{}, fmt.Errorf("PARTY_URL: %w", err)
	}

	return httpapi.Rosters{Client: services.PartyClient{HTTP: client}}, nil
}

// Addr returns the address of the routes.
func (s *service) Addr() string { return s.server.Addr() }

// InternalAddr returns the address of health and metrics.
func (s *service) InternalAddr() string { return s.server.InternalAddr() }

// Ready tells whether the service can do its work.
func (s *service) Ready(ctx context.Context) error { return s.server.Ready(ctx) }

// Run serves, and clears up, until ctx ends.
func (s *service) Run(ctx context.Context) error {
	var sweeping sync.WaitGroup
	sweeping.Go(func() { launch.Repeat(ctx, s.sweeper.every, s.sweeper.log, s.sweeper.sweep) })
	sweeping.Go(func() {
		launch.Repeat(ctx, s.sweeper.lineEvery(), s.sweeper.log, s.sweeper.sweepLine)
	})
	err := s.server.Serve(ctx)
	s.cancel()
	sweeping.Wait()

	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()

	return errors.Join(err, s.release(last))
}

// release gives up what the service holds, as far as it came.
func (s *service) release(ctx context.Context) error {
	var all error
	if s.cancel != nil {
		s.cancel()
	}
	if s.db != nil {
		all = errors.Join(all, s.db.Close(ctx))
	}
	if s.spool != nil {
		all = errors.Join(all, s.spool.Clear())
	}
	if s.own != "" {
		all = errors.Join(all, os.RemoveAll(s.own))
	}

	return all
}
