package casesvc

import (
	"context"
	"io"

	"github.com/subrosa-legal/subrosa/case-svc/internal/mongostore"
	"github.com/subrosa-legal/subrosa/pkg/config"
	"github.com/subrosa-legal/subrosa/pkg/launch"
	"github.com/subrosa-legal/subrosa/pkg/mongox"
)

// migrate makes the indexes that this version needs.
func migrate(ctx context.Context, env launch.Env, dry bool, out io.Writer) error {
	cfg, err := config.Parse[Config](env.Environ, "CASE_")
	if err != nil {
		return err
	}

	return cfg.service().Migrate(ctx, mongostore.Schema(), dry, out)
}

// shards returns the commands that shard the service's database.
func shards(database string) (string, error) {
	return mongox.ShardScript(database, mongostore.Schema(), mongostore.ShardKeys())
}
