package casesvc

import (
	"context"
	"errors"
	"fmt"
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
	"github.com/subrosa-legal/subrosa/pkg/deeplink"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/httpcall"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
	"github.com/subrosa-legal/subrosa/pkg/idempotency"
	"github.com/subrosa-legal/subrosa/pkg/launch"
	"github.com/subrosa-legal/subrosa/pkg/mongox"
	"github.com/subrosa-legal/subrosa/pkg/services"
)

// stepCalls is how many calls to MongoDB one step of a transfer takes at most.
const stepCalls = 3

// parts are what the services of the domain have in common.
type parts struct {
	Config
	db       *mongox.DB
	now      func() time.Time
	journal  chain.Log
	gate     guard.Gate
	links    deeplink.Links
	settings *settings.Service
	rosters  httpapi.Rosters
	cases    *mongostore.Cases
	files    *mongostore.FileStore
	texts    *mongostore.Texts
	blobs    *mongostore.Blobs
	branches *mongostore.BranchStore
	contents *mongostore.Contents
	sources  passages.Sources
}

func newParts(cfg Config, env launch.Env, id launch.Identity, db *mongox.DB) (parts, error) {
	rosters, err := partyClient(cfg, env, id)
	if err != nil {
		return parts{}, err
	}
	store := db.Database()
	p := parts{
		Config:   cfg,
		db:       db,
		now:      env.Now,
		journal:  chain.Log{Chain: chain.New(db.Collection(chain.Collection), env.Now)},
		links:    deeplink.Links(cfg.Browser()),
		rosters:  rosters,
		cases:    mongostore.NewCases(store),
		files:    mongostore.NewFileStore(store),
		texts:    mongostore.NewTexts(store),
		blobs:    mongostore.NewBlobs(store, stepCalls*cfg.MongoTimeout),
		branches: mongostore.NewBranchStore(store),
	}
	p.contents = mongostore.NewContents(store, p.blobs)
	p.sources = passages.Sources{Files: p.files, Texts: p.texts}
	p.settings = &settings.Service{Store: mongostore.NewSettings(store), Journal: p.journal, Now: env.Now}
	// The words that a firm allows are its settings, so the gate asks for those of the tenant that a request is for.
	p.gate = (&guard.AllowList{Tenant: access.TenantOf, Read: p.settings.AllowedWords, Now: env.Now}).Gate()

	return p, nil
}

func (p parts) newCases() *cases.Service {
	return &cases.Service{
		Store:    p.cases,
		Roots:    p.branches,
		Contents: p.contents,
		Branches: p.branches,
		Rosters:  p.rosters,
		Sources:  p.sources,
		Policies: p.settings,
		Journal:  p.journal,
		Gate:     p.gate,
		Links:    p.links,
		Now:      p.now,
	}
}

func (p parts) newIntake(spool *files.Spool, kept *cases.Service) *files.Intake {
	store := p.db.Database()

	return &files.Intake{
		Cases:       p.cases,
		Files:       p.files,
		Blobs:       p.blobs,
		Texts:       p.texts,
		Uploads:     mongostore.NewUploads(store),
		Successions: mongostore.NewSuccessions(store),
		Clearances:  mongostore.NewClearances(store),
		Receipts:    mongostore.NewReceipts(store),
		Spool:       spool,
		Gate:        p.gate,
		Journal:     p.journal,
		Recount:     kept.Recount,
		Links:       p.links,
		Now:         p.now,
		Limits: files.Limits{
			FileBytes:  p.FileBytes,
			Files:      p.Files,
			CaseBytes:  p.CaseBytes,
			Pages:      p.Pages,
			PerRequest: p.FilesAtOnce,
			CheckTime:  p.CheckTimeout,
		},
	}
}

func (p parts) newPhases(turns *tasks.Service, kept *cases.Service) *phases.Service {
	store := p.db.Database()

	return &phases.Service{
		Tasks:      turns,
		MostInLine: p.Line,
		Records:    mongostore.NewRecords(store),
		Branches:   p.branches,
		Claims:     mongostore.NewClaims(store),
		Cases:      kept.Store,
		Files:      p.files,
		Recount:    kept.Recount,
		Journal:    p.journal,
		Gate:       p.gate,
		Links:      p.links,
		Now:        p.now,
		Recent:     phases.NewRecent(),
		Joint:      mongostore.NewJoint(store, p.journal, timeline.EndOf),
	}
}

func (p parts) newTimeline(kept *cases.Service) *timeline.Service {
	return &timeline.Service{
		Store:    mongostore.NewEntries(p.db.Database()),
		Cases:    p.cases,
		Branches: p.branches,
		Sources:  p.sources,
		Derive:   deadlines(kept),
		Journal:  p.journal,
		Gate:     p.gate,
		Links:    p.links,
		Now:      p.now,
	}
}

// domain are the services of the domain, each of which knows of the others what it needs.
type domain struct {
	cases    *cases.Service
	intake   *files.Intake
	phases   *phases.Service
	timeline *timeline.Service
	tasks    *tasks.Service
	grants   *grants.Service
}

func (p parts) newDomain(spool *files.Spool) domain {
	var d domain
	d.cases = p.newCases()
	d.intake = p.newIntake(spool, d.cases)
	d.tasks = &tasks.Service{
		Store:   mongostore.NewTasks(p.db.Database()),
		Journal: p.journal,
		Gate:    p.gate,
		Links:   p.links,
		Now:     p.now,
	}
	d.phases = p.newPhases(d.tasks, d.cases)
	d.timeline = p.newTimeline(d.cases)
	d.grants = &grants.Service{
		Store:    mongostore.NewGrants(p.db.Database()),
		Branches: p.branches,
		Records:  d.phases.Records,
		Files:    p.files,
		Cases:    d.cases.Store,
		Timeline: d.timeline,
		Journal:  p.journal,
		Now:      p.now,
	}
	d.introduce()

	return d
}

// introduce ties those services to each other that could not be made in one go, because each needs the other.
func (d domain) introduce() {
	d.cases.Moved = d.timeline.StatusChanged
	d.phases.Timeline = d.timeline
	d.phases.Replaced = func(ctx context.Context, p phases.Phase) error {
		return errors.Join(d.timeline.Replaced(ctx, p), replacedDrafts(ctx, d.cases, d.intake, p))
	}
	d.timeline.Cleared = d.intake.ClearedWords
	d.phases.Cleared = d.intake.ClearedWords
	d.cases.Cleared = d.intake.ClearedWords
	d.intake.Dropped = d.timeline.Unnoted
	d.intake.Added = func(ctx context.Context, f files.File, c *cases.Case) error {
		if f.MediaType == files.Sealed {
			return nil // agents read the timeline, and never learn that an original was kept
		}
		if c == nil {
			found, err := d.cases.Store.Get(ctx, f.Tenant, f.CaseID)
			if err != nil {
				return err
			}
			c = &found
		}

		return d.timeline.FileAdded(ctx, f.UploadedBy, *c, f.ID, f.Name)
	}
}

// assemble puts the stores under the domain, and the domain under the routes.
func assemble(
	cfg Config, env launch.Env, id launch.Identity, db *mongox.DB, spool *files.Spool,
) (*httpapi.API, *sweeper, error) {
	cursors, err := httpx.NewCursors[cases.Cursor]("case-svc", cfg.CursorSecret(cfg.CursorKey), env.Now)
	if err != nil {
		return nil, nil, err
	}
	p, err := newParts(cfg, env, id, db)
	if err != nil {
		return nil, nil, err
	}
	d := p.newDomain(spool)
	store := db.Database()
	intents := idempotency.NewIntents(store)
	due := mongostore.NewDue(store)
	remover := &retention.Remover{Contents: p.contents, Elsewhere: p.rosters.Purge, Journal: p.journal, Now: env.Now}

	routes := &httpapi.API{
		Tasks:     d.tasks,
		Oversight: &oversight.Service{Store: mongostore.NewOversight(store), Chain: p.journal.Chain, Now: env.Now},
		Retention: &retention.Service{Store: due, Remover: remover, NewToken: uuid.NewString},
		Grants:    d.grants,
		Timeline:  d.timeline,
		Work: httpapi.Workspaces{
			DocTypes:        mongostore.NewDocTypes(store),
			Parties:         p.rosters.Client,
			ModelConfigured: cfg.ModelConfigured,
			ModelLocal:      cfg.ModelLocal,
		},
		Cases:       d.cases,
		Intake:      d.intake,
		Search:      passages.New(p.files, p.texts, cfg.IndexBytes),
		Phases:      d.phases,
		Idempotency: &idempotency.Service{Store: intents, Now: env.Now},
		Vouch:       id.Signer.Voucher,
		Settings:    p.settings,
		Originals:   p.files.Originals,
		Rosters:     p.rosters,
		FeedLag:     cfg.FeedLag,
		Journal:     p.journal,
		Record:      p.journal.Chain,
		CheckChain:  auditapi.Check(p.journal.Chain),
		Gate:        p.gate,
		Links:       p.links,
		Cursors:     cursors,
		Progress:    cfg.Progress,
		Log:         env.Telemetry.Log,
	}

	return routes, &sweeper{
		line:     &phases.LineSweep{Phases: d.phases},
		tasks:    d.tasks,
		intake:   d.intake,
		stored:   p.files,
		agreed:   p.settings.RemovesOriginals,
		shredder: mongostore.NewShredder(store, env.Now),
		intents:  intents,
		remover:  remover,
		ledger:   due,
		timeline: d.timeline,
		keeper:   &keeper{Cases: d.cases, Closed: p.cases, Settings: p.settings.Store},
		now:      env.Now,
		every:    cfg.SweepEvery,
		log:      env.Telemetry.Log,
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
