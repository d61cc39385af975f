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

	"github.com/subrosa-legal/subrosa/case-svc/internal/files"
	"github.com/subrosa-legal/subrosa/case-svc/internal/httpapi"
	"github.com/subrosa-legal/subrosa/case-svc/internal/mongostore"
	"github.com/subrosa-legal/subrosa/pkg/audit/chain"
	"github.com/subrosa-legal/subrosa/pkg/audit/chain/auditapi"
	"github.com/subrosa-legal/subrosa/pkg/audit/record"
	"github.com/subrosa-legal/subrosa/pkg/config"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
	"github.com/subrosa-legal/subrosa/pkg/launch"
	"github.com/subrosa-legal/subrosa/pkg/mongox"
	"github.com/subrosa-legal/subrosa/pkg/places"
)

// Entry describes case-svc to the launcher.
func Entry() launch.Entry {
	return launch.Entry{
		Name: "case-svc", Summary: "cases, files, search and the record of work", New: New,
		Settings: config.Describe[Config](), Migrate: migrate, Shards: shards,
	}
}

type service struct {
	*httpx.Server

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
	// Whatever was opened before a later step fails is closed again, so that a failed start leaves nothing behind.
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
	s.db, err = cfg.service().Open(ctx, tel.Tracers, tel.Meters)
	if err != nil {
		return nil, err
	}
	// Indexes are made in the background: the service starts without MongoDB, and Admit answers 503 until they are
	// there.
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
	// A request waits a moment for its place, which evens out a burst; longer, and the caller had better try again.
	id.Verifier.InFlight = httpx.NewInFlight(cfg.InFlight, 50*time.Millisecond)
	routes.Mount(engine, id.Verifier)
	record := auditapi.Config{
		Name: record.Case, Chain: chain.New(s.db.Collection(chain.Collection), env.Now),
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
		// Only a folder that this process has made is removed at the end. One of the operator's is emptied.
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

// Run serves, and clears up, until ctx ends.
func (s *service) Run(ctx context.Context) error {
	var sweeping sync.WaitGroup
	sweeping.Go(func() { launch.Repeat(ctx, s.sweeper.every, s.sweeper.log, s.sweeper.sweep) })
	sweeping.Go(func() {
		launch.Repeat(ctx, s.sweeper.lineEvery(), s.sweeper.log, s.sweeper.sweepLine)
	})
	err := s.Serve(ctx)
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
