package audit

import (
	"context"
	"errors"
	"fmt"

	"github.com/subrosa-legal/subrosa/pkg/audit/chain"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
	"github.com/subrosa-legal/subrosa/pkg/mongox"
)

// Trail is the journal in the audit chain of a service's database.
type Trail struct{ Chain *chain.Chain }

// Record appends a deed with the id of the request it belongs to.
func (t Trail) Record(ctx context.Context, d Deed) error {
	_, err := t.Chain.Append(ctx, d.Tenant, eventOf(ctx, d))

	return err
}

// RecordAll appends deeds of one tenant in their order.
func (t Trail) RecordAll(ctx context.Context, deeds []Deed) error {
	if len(deeds) == 0 {
		return nil
	}

	events := make([]chain.Event, len(deeds))
	for i, d := range deeds {
		events[i] = eventOf(ctx, d)
	}
	_, err := t.Chain.AppendAll(ctx, deeds[0].Tenant, events)

	return err
}

// RecordWith is Record that does writes of the chain's database in the same trip, as chain.Chain.AppendWith does.
func (t Trail) RecordWith(ctx context.Context, d Deed, before, after []mongox.Write) ([]error, error) {
	return t.Chain.AppendWith(ctx, d.Tenant, eventOf(ctx, d), before, after)
}

func eventOf(ctx context.Context, d Deed) chain.Event {
	return chain.Event{
		Actor: chain.Acting(
			d.Actor.Kind,
			d.Actor.ID,
			d.Actor.UserID,
		), Action: d.Action, Resource: chain.Resource{Type: d.ResourceType, ID: d.ResourceID},
		Outcome: d.Outcome, RequestID: httpx.RequestID(ctx), ContentSHA256: d.ContentSHA256,
	}
}

// Refusal records d as refused when err refuses, and returns err: an answer that refuses goes out only when the record has it. A deed of
// no tenant has no chain and goes unrecorded.
func Refusal(ctx context.Context, j Journal, d Deed, err error) error {
	var e *errs.Error
	if !errors.As(err, &e) || e.Kind != errs.Forbidden || d.Tenant == "" {
		return err
	}
	d.Outcome = Refused
	if failed := j.Record(ctx, d); failed != nil {
		return fmt.Errorf("record a refusal: %w", failed)
	}

	return err
}
