package authn

import (
	"context"

	"github.com/subrosa-legal/subrosa/pkg/access"
)

// Records reads what a store holds of tokens and sessions that are alive.
type Records interface {
	// Get returns the value of a key, nil where there is none, or errs.ErrUnavailable when the store cannot say.
	Get(ctx context.Context, key string) ([]byte, error)
	// Field is Get for one field of a hash.
	Field(ctx context.Context, key, field string) ([]byte, error)
}

// RecordReader reads the record of a token whose signature and claims are good, in place of a plain GET: for instance
// in one trip with something else. It answers as Records do. caller is whom the claims name; who it is
// in truth only the record says.
type RecordReader interface {
	ReadRecord(ctx context.Context, key string, caller access.Caller) ([]byte, error)
}

type readerKey struct{}

// WithRecordReader has checks under the context read records by r.
func WithRecordReader(ctx context.Context, r RecordReader) context.Context {
	return context.WithValue(ctx, readerKey{}, r)
}

// RecordReaderFrom returns the reader of the context, nil when there is none.
func RecordReaderFrom(ctx context.Context) RecordReader {
	r, _ := ctx.Value(readerKey{}).(RecordReader)
	return r
}

func readRecord(ctx context.Context, records Records, key string, caller access.Caller) ([]byte, error) {
	if r := RecordReaderFrom(ctx); r != nil {
		return r.ReadRecord(ctx, key, caller)
	}

	return records.Get(ctx, key)
}
