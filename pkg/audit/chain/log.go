package chain

import (
	"context"

	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/audit/record"
	"github.com/subrosa-legal/subrosa/pkg/mongox"
	"github.com/subrosa-legal/subrosa/pkg/telemetry"
)

// Log is the audit.Log in the audit chain of a service's database.
type Log struct{ Chain *Chain }

// Record appends an entry with the id of the request it belongs to.
func (t Log) Record(ctx context.Context, d audit.Entry) error {
	_, err := t.Chain.Append(ctx, d.Tenant, eventOf(ctx, d))

	return err
}

// RecordAll appends entries of one tenant in their order.
func (t Log) RecordAll(ctx context.Context, deeds []audit.Entry) error {
	if len(deeds) == 0 {
		return nil
	}

	events := make([]record.Event, len(deeds))
	for i, d := range deeds {
		events[i] = eventOf(ctx, d)
	}
	_, err := t.Chain.AppendAll(ctx, deeds[0].Tenant, events)

	return err
}

// RecordWith is Record that does writes of the chain's database in the same trip, as Chain.AppendWith does.
func (t Log) RecordWith(ctx context.Context, d audit.Entry, before, after []mongox.Write) ([]error, error) {
	return t.Chain.AppendWith(ctx, d.Tenant, eventOf(ctx, d), before, after)
}

func eventOf(ctx context.Context, d audit.Entry) record.Event {
	return record.Event{
		Actor: record.Acting(
			d.Actor.Kind,
			d.Actor.ID,
			d.Actor.UserID,
		), Action: d.Action, Resource: record.Resource{Type: d.ResourceType, ID: d.ResourceID},
		Outcome: d.Outcome, RequestID: telemetry.RequestID(ctx), ContentSHA256: d.ContentSHA256,
	}
}
