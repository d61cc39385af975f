package authn

import (
	"context"

	"github.com/redis/go-redis/v9"
	"github.com/subrosa-legal/subrosa/pkg/access"
)

// RecordReader reads the record of a token whose signature and claims are good, in place of a plain GET: for instance
// in one trip with something else. A record that is not there is redis.Nil. caller is whom the claims name; who it is
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

func readRecord(ctx context.Context, rdb redis.UniversalClient, key string, caller access.Caller) ([]byte, error) {
	if r := RecordReaderFrom(ctx); r != nil {
		return r.ReadRecord(ctx, key, caller)
	}

	return rdb.Get(ctx, key).Bytes()
}
