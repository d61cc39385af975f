package registrysvc

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/subrosa-legal/subrosa/pkg/config"
	"github.com/subrosa-legal/subrosa/pkg/launch"
	"github.com/subrosa-legal/subrosa/pkg/mongox"
	"github.com/subrosa-legal/subrosa/registry-svc/internal/mongostore"
)

// migrate makes the indexes that this version needs.
func migrate(ctx context.Context, env launch.Env, dry bool, out io.Writer) error {
	cfg, err := config.Parse[Config](env.Environ, "REGISTRY_")
	if err != nil {
		return err
	}
	db, err := mongox.Open(ctx, mongox.Config{
		URI:      cfg.MongoURI.Reveal(),
		Database: cfg.Database,
		Timeout:  cfg.MongoTimeout,
		AppName:  "registry-svc --migrate",
	})
	if err != nil {
		return fmt.Errorf("MONGODB_URI or REGISTRY_DATABASE: %w", err)
	}
	err = mongox.Migrate(ctx, db.Database(), mongostore.Schema(), dry, out)

	return errors.Join(err, db.Close(context.WithoutCancel(ctx)))
}

// shards returns the commands that shard the service's database.
func shards(database string) (string, error) {
	return mongox.ShardScript(database, mongostore.Schema(), mongostore.ShardKeys())
}
