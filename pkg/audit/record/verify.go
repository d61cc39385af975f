package record

import (
	"fmt"
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
// finds every change, removal, insertion and exchange within what it sees. Whether the end was cut off can only be told
// by somebody who remembers an earlier Head.
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
			// What follows a broken event proves nothing, so the first break is the answer for good.
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
	// Numbers come before hashes, since a missing event is the plainer thing to tell.
	case e.Hash != e.Sum():
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

// Place is where a check of a chain has come to: the number and the hash of the last event that was right. The zero
// value is the place before the first.
type Place struct {
	Seq  int64
	Hash string
}

// From returns the verifier of what follows a place that a check of the tenant's chain has come to.
func From(tenant string, at Place) *Verifier {
	return &Verifier{Tenant: tenant, seq: at.Seq, hash: at.Hash}
}

// Place returns where the check has come to.
func (v *Verifier) Place() Place { return Place{v.seq, v.hash} }
