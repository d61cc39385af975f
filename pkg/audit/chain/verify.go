package chain

import (
	"context"
	"fmt"
	"math"
)

// BrokenError says where a chain stops being what it claims to be. It quotes nothing of the events.
type BrokenError struct {
	Seq    int64 // the first event that is not right, or that is missing
	Reason string
}

// Error names the event and the reason.
func (e *BrokenError) Error() string {
	return fmt.Sprintf("audit chain is broken at event %d: %s", e.Seq, e.Reason)
}

// Verifier checks a chain event by event, from the first one on. The zero value checks a chain of an unknown tenant. It
// finds every change, removal, insertion and exchange within what it sees. Whether the end was cut off can only be told by
// somebody who remembers an earlier Head.
type Verifier struct {
	// Tenant is whose chain it must be; "" does not look.
	Tenant string

	seq    int64
	hash   string
	broken *BrokenError
}

// Add checks the next event. After the first *BrokenError it returns the same one for ever.
func (v *Verifier) Add(e Event) error {
	if v.broken == nil {
		if reason := v.wrong(e); reason != "" {
			v.broken = &BrokenError{Seq: v.seq + 1, Reason: reason}
		}
	}
	if v.broken != nil {
		return v.broken
	}
	v.seq, v.hash = e.Seq, e.Hash

	return nil
}

func (v *Verifier) wrong(e Event) string {
	switch {
	case e.Seq > v.seq+1:
		return "it is missing"
	case e.Seq < v.seq+1:
		return "an event of an earlier number stands in its place"
	case e.Hash != e.sumOf():
		return "its hash does not fit what it says"
	case e.Seq == 1 && v.Tenant != "" && e.PrevHash != Genesis(v.Tenant):
		return "it does not begin this tenant's chain"
	case e.Seq > 1 && e.PrevHash != v.hash:
		return "it does not follow the event before"
	}

	return ""
}

// Head returns the number and hash of the last event that was right; 0 and "" before the first.
func (v *Verifier) Head() (seq int64, hash string) { return v.seq, v.hash }

// Verify checks a whole chain that begins with its first event. The error is a *BrokenError.
func Verify(events []Event) error {
	var v Verifier
	for _, e := range events {
		if err := v.Add(e); err != nil {
			return err
		}
	}

	return nil
}

// Place is where a check of a chain has come to: the number and the hash of the last event that was right. The zero value is the place
// before the first.
type Place struct {
	Seq  int64
	Hash string
}

// VerifyFrom checks up to most stored events of a tenant that follow at, a place that a check has come to before. It returns the place it
// came to, and whether that is the end of the chain. The error is a *BrokenError, or one of List.
func (c *Chain) VerifyFrom(ctx context.Context, tenant string, at Place, most int) (reached Place, whole bool, err error) {
	v := Verifier{Tenant: tenant, seq: at.Seq, hash: at.Hash}

	for n := 0; n < most; {
		limit := min(most-n, MaxLimit)
		page, err := c.List(ctx, tenant, Filter{AfterSeq: v.seq, Limit: limit})
		if err != nil {
			return v.place(), false, err
		}

		for _, e := range page {
			if err := v.Add(e); err != nil {
				return v.place(), false, err
			}
		}
		if len(page) < limit {
			return v.place(), true, nil
		}
		n += len(page)
	}

	return v.place(), false, nil
}

func (v *Verifier) place() Place { return Place{v.seq, v.hash} }

// Verify checks the whole stored chain of a tenant as it is read, and returns the number and hash of its last right event. The error is a
// *BrokenError, or one of List.
func (c *Chain) Verify(ctx context.Context, tenant string) (seq int64, hash string, err error) {
	at, _, err := c.VerifyFrom(ctx, tenant, Place{}, math.MaxInt)
	return at.Seq, at.Hash, err
}
