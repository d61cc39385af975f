// Package casesvc is the face of case-svc: cases, their files and what they say, and the record of the work done on them.
package casesvc

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/files"
	"github.com/subrosa-legal/subrosa/case-svc/internal/httpapi"
	"github.com/subrosa-legal/subrosa/case-svc/internal/idempotency"
	"github.com/subrosa-legal/subrosa/case-svc/internal/mongostore"
	"github.com/subrosa-legal/subrosa/case-svc/internal/passages"
	"github.com/subrosa-legal/subrosa/case-svc/internal/phases"
	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/authn"
	"github.com/subrosa-legal/subrosa/pkg/config"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
	"github.com/subrosa-legal/subrosa/pkg/launch"
	"github.com/subrosa-legal/subrosa/pkg/mongox"
)

// Entry describes case-svc to the launcher.
func Entry() launch.Entry {
	return launch.Entry{Name: "case-svc", Summary: "cases, files, search and the record of work", New: New, Settings: config.Describe[Config]()}
}

type service struct {
	server  *httpx.Server
	db      *mongox.DB
	sweeper *sweeper
	spool   *files.Spool
	own     string // the scratch folder, when it was made for this process
	cancel  context.CancelFunc
}

// New connects and binds case-svc. It does not wait for MongoDB: until that answers and has its indexes, requests get 503.
func New(ctx context.Context, env launch.Env) (_ launch.Service, err error) {
	cfg, err := configFrom(env.Environ)
	if err != nil {
		return nil, err
	}
	verifier, err := launch.Trusted(cfg.InternalTrust, env.Now)
	if err != nil {
		return nil, err
	}
	if _, err := authn.NewSigner("case-svc", cfg.InternalKey.Reveal(), env.Now); err != nil {
		return nil, fmt.Errorf("INTERNAL_KEY: %w", err) // it must be good before party-svc is to be called with it
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
		URI: cfg.MongoURI.Reveal(), Database: cfg.Database, Timeout: cfg.MongoTimeout, AppName: "case-svc", TracerProvider: tel.Tracers, MeterProvider: tel.Meters,
	})
	if err != nil {
		return nil, fmt.Errorf("MONGODB_URI: %w", err)
	}
	working, cancel := context.WithCancel(ctx)
	s.cancel = cancel
	indexes := mongox.MakeIndexes(working, s.db.Database(), mongostore.Schema(), tel.Log)
	api, sweeper, err := assemble(cfg, env, s.db, s.spool)
	if err != nil {
		return nil, err
	}
	api.Ready, s.sweeper = indexes.Ready, sweeper
	engine := httpx.NewEngine(tel)
	engine.Use(httpx.InFlight(cfg.InFlight, 50*time.Millisecond, tel.Log))
	api.Mount(engine, verifier)
	s.server, err = httpx.Listen(httpx.ServerConfig{
		Addr: cfg.Addr, Handler: engine, InternalAddr: cfg.InternalAddr, Metrics: tel.Metrics, DrainDelay: cfg.DrainDelay, Log: tel.Log,
		Ready: map[string]httpx.Check{
			"mongodb": s.db.Ping,
			"indexes": func(context.Context) error { return indexes.Ready() },
		},
	})
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
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
	spool, err := files.OpenSpool(dir, cfg.UploadsAtOnce, cfg.UploadWait)
	if err != nil {
		return fmt.Errorf("CASE_SPOOL_DIR: %w", err)
	}
	s.spool = spool
	return nil
}

// stepCalls is how many calls to MongoDB one step of a transfer takes at most.
const stepCalls = 3

// assemble puts the stores under the domain, and the domain under the routes.
func assemble(cfg Config, env launch.Env, db *mongox.DB, spool *files.Spool) (*httpapi.API, *sweeper, error) {
	cursors, err := httpapi.NewCursors(cfg.cursorSecret(), env.Now)
	if err != nil {
		return nil, nil, err
	}
	var (
		store    = db.Database()
		journal  = httpapi.Trail{Chain: audit.New(db.Collection(audit.Collection), env.Now)}
		gate     = guard.New()
		links    = cases.Links(cfg.browserApp())
		shelf    = mongostore.NewShelf(store)
		texts    = mongostore.NewTexts(store)
		tree     = mongostore.NewTree(store)
		intents  = mongostore.NewIntents(store)
		blobs    = mongostore.NewBlobs(store, stepCalls*cfg.MongoTimeout)
		contents = mongostore.NewContents(store, blobs)
	)
	kept := &cases.Service{
		Store: mongostore.NewCases(store), Roots: tree, Contents: contents, Journal: journal, Gate: gate, Links: links, Now: env.Now,
	}
	intake := &files.Intake{
		Shelf: shelf, Blobs: blobs, Texts: texts, Uploads: mongostore.NewUploads(store), Spool: spool, Gate: gate, Journal: journal,
		Recount: kept.Recount, Links: links, Now: env.Now, Limits: files.Limits{
			FileBytes: cfg.FileBytes, Files: cfg.Files, CaseBytes: cfg.CaseBytes, Pages: cfg.Pages, PerRequest: cfg.FilesAtOnce, CheckTime: cfg.CheckTimeout,
		},
	}
	ledger := &phases.Ledger{
		Records: mongostore.NewRecords(store), Tree: tree, Claims: mongostore.NewClaims(store), Cases: kept.Store, Files: shelf, Recount: kept.Recount,
		Journal: journal, Gate: gate, Links: links, Now: env.Now,
	}
	api := &httpapi.API{
		Cases: kept, Intake: intake, Search: passages.New(shelf, texts, cfg.IndexBytes), Phases: ledger, Desk: &idempotency.Desk{Store: intents, Now: env.Now},
		Journal: journal, Gate: gate, Links: links, Cursors: cursors, Progress: cfg.Progress, Log: env.Telemetry.Log,
	}
	return api, &sweeper{intake, intents, contents, journal, env.Now, cfg.SweepEvery, env.Telemetry.Log}, nil
}

// Addr returns the address of the routes.
func (s *service) Addr() string { return s.server.Addr() }

// Ready tells whether the service can do its work.
func (s *service) Ready(ctx context.Context) error { return s.server.Ready(ctx) }

// Run serves, and clears up, until ctx ends.
func (s *service) Run(ctx context.Context) error {
	var sweeping sync.WaitGroup
	sweeping.Go(func() { s.sweeper.run(ctx) })
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

// sweepPage is what one round of the sweep takes on of each sort.
const sweepPage = 100

// sweeper clears up what is over: answers that nobody needs, uploads that came to nothing, and cases whose time to be restored has passed.
type sweeper struct {
	intake   *files.Intake
	intents  *mongostore.Intents
	contents *mongostore.Contents
	journal  cases.Journal
	now      func() time.Time
	every    time.Duration
	log      *slog.Logger
}

func (s *sweeper) run(ctx context.Context) {
	tick := time.NewTicker(s.every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if err := s.sweep(ctx); err != nil && ctx.Err() == nil {
				s.log.WarnContext(ctx, "the sweep is not finished", "err", err)
			}
		}
	}
}

func (s *sweeper) sweep(ctx context.Context) error {
	return errors.Join(s.intents.Expire(ctx, s.now(), sweepPage), s.intake.Tidy(ctx, sweepPage), s.purge(ctx))
}

func (s *sweeper) purge(ctx context.Context) error {
	due, err := s.contents.Due(ctx, s.now(), sweepPage)
	if err != nil {
		return err
	}
	for _, c := range due {
		if c.Retention.LegalHold {
			continue // the duty to preserve comes first
		}
		deed := cases.Deed{Tenant: c.Tenant, Actor: cases.Actor{Kind: cases.KindService}, Action: "case.purge", ResourceType: "case", ResourceID: c.ID}
		if err := cases.Perform(ctx, s.journal, deed, func() error { return s.contents.Purge(ctx, c) }); err != nil {
			return err
		}
	}
	return nil
}
