package partysvc

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/subrosa-legal/subrosa/party-svc/internal/mongostore"
	"github.com/subrosa-legal/subrosa/party-svc/internal/partners"
	"github.com/subrosa-legal/subrosa/party-svc/internal/seed"
	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/audit/chain"
	"github.com/subrosa-legal/subrosa/pkg/config"
	"github.com/subrosa-legal/subrosa/pkg/mongox"
	"github.com/subrosa-legal/subrosa/pkg/telemetry"
)

// Loaded is what LoadPartners did.
type Loaded struct{ Added, Changed, Unchanged int }

// LoadPartners puts the entries of a seed file into the public directory. It is for the operator, who has the settings
// of party-svc at hand; it needs MongoDB and no running service. Entries that the file does not name stay as they are,
// and repeating a load changes nothing. What is wrong with the file comes back as an *errs.Error whose details point at
// it, before anything is stored.
func LoadPartners(
	ctx context.Context, environ map[string]string, now func() time.Time, file io.Reader,
) (_ Loaded, err error) {
	cfg, err := config.Parse[Config](environ, "PARTY_")
	if err != nil {
		return Loaded{}, err
	}
	entries, err := seed.Parse(file, partners.Public, now())
	if err != nil {
		return Loaded{}, err
	}
	tel := telemetry.Discard(name, io.Discard)
	db, err := cfg.service().Open(ctx, tel.Tracers, tel.Meters)
	if err != nil {
		return Loaded{}, err
	}

	defer func() { err = errors.Join(err, db.Close(context.WithoutCancel(ctx))) }()
	// Without its unique indexes a load that runs twice at once could store an entry twice.
	indexes := mongox.MakeIndexes(ctx, db.Database(), mongostore.Schema(), tel.Log)
	if err := indexes.Wait(ctx); err != nil {
		return Loaded{}, err
	}
	journal := chain.Log{Chain: chain.New(db.Collection(chain.Collection), now)}
	operator := audit.Actor{Kind: audit.Service, ID: name}
	done, err := partners.Load(ctx, mongostore.NewPartners(db.Database()), journal, partners.Public, operator, entries)

	return Loaded(done), err
}
