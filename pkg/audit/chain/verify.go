package chain

import (
	"context"
	"math"

	"github.com/subrosa-legal/subrosa/pkg/audit/record"
)

// VerifyFrom checks up to most stored events of a tenant that follow at, a place that a check has come to before. It
// returns the place it came to, and whether that is the end of the chain. The error is a *record.BrokenError, or one of
// List.
func (c *Chain) VerifyFrom(
	ctx context.Context,
	tenant string,
	at record.Place,
	most int,
) (reached record.Place, whole bool, err error) {
	v := record.From(tenant, at)

	for n := 0; n < most; {
		limit := min(most-n, MaxLimit)
		page, err := c.List(ctx, tenant, Filter{AfterSeq: v.Place().Seq, Limit: limit})
		if err != nil {
			return v.Place(), false, err
		}

		for _, e := range page {
			if err := v.Add(e); err != nil {
				return v.Place(), false, err
			}
		}
		// A short page is the end of the chain.
		if len(page) < limit {
			return v.Place(), true, nil
		}
		n += len(page)
	}

	return v.Place(), false, nil
}

// Verify checks the whole stored chain of a tenant as it is read, and returns the number and hash of its last right
// event. The error is a *record.BrokenError, or one of List.
func (c *Chain) Verify(ctx context.Context, tenant string) (seq int64, hash string, err error) {
	at, _, err := c.VerifyFrom(ctx, tenant, record.Place{}, math.MaxInt)
	return at.Seq, at.Hash, err
}
