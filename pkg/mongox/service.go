package mongox

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/subrosa-legal/subrosa/pkg/config"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"
)

// Service is a service with a database of its own, as its settings say.
type Service struct {
	config.Documents

	Name     string
	Database string
	Setting  string // that names the database
}

// Open opens the database as Open does. Nil providers mean no spans and no metrics.
func (s Service) Open(ctx context.Context, tracers trace.TracerProvider, meters metric.MeterProvider) (*DB, error) {
	db, err := Open(ctx, Config{
		URI:            s.MongoURI.Reveal(),
		Database:       s.Database,
		Timeout:        s.MongoTimeout,
		AppName:        s.Name,
		TracerProvider: tracers,
		MeterProvider:  meters,
	})
	if err != nil {
		return nil, fmt.Errorf("MONGODB_URI or %s: %w", s.Setting, err)
	}

	return db, nil
}

// Migrate makes the indexes that this version of the service needs, as Migrate does.
func (s Service) Migrate(ctx context.Context, schema Schema, dry bool, out io.Writer) error {
	s.Name += " --migrate" // as the server's logs call it
	db, err := s.Open(ctx, nil, nil)
	if err != nil {
		return err
	}
	err = Migrate(ctx, db.Database(), schema, dry, out)

	return errors.Join(err, db.Close(context.WithoutCancel(ctx)))
}
