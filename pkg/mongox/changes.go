package mongox

import (
	"context"
	"errors"
	"slices"

	"go.mongodb.org/mongo-driver/v2/event"
	"go.mongodb.org/mongo-driver/v2/x/mongo/driver"

	"github.com/subrosa-legal/subrosa/pkg/errs"
)

// writes are the commands that change documents.
var writes = []string{"insert", "update", "delete", "findAndModify", "bulkWrite"}

// counts are the fields of answers that say how many documents a command found to change.
var counts = []string{"n", "nInserted", "nMatched", "nUpserted", "nDeleted"}

// refusedCodes are those by which a server says that it has not begun with a command.
var refusedCodes = []int32{
	112,   // WriteConflict
	462,   // IngressRequestRateLimitExceeded
	10058, // LegacyNotPrimary
	10107, // NotWritablePrimary
	13435, // NotPrimaryNoSecondaryOk
	13436, // NotPrimaryOrSecondary
	16500, // the request rate is too large, of services that speak MongoDB's protocol
}

// noteWrite notes that a command changed something, unless its answer says that it found nothing to change.
func noteWrite(ctx context.Context, e *event.CommandSucceededEvent) {
	if !slices.Contains(writes, e.CommandName) {
		return
	}

	counted := false

	// A bulk write answers with several counts, of which some are 0: one that is not is enough.
	for _, field := range counts {
		value, err := e.Reply.LookupErr(field)
		if err != nil {
			continue
		}

		// A count of a kind that we do not know counts as a change: a caller must never be told wrongly that nothing
		// happened.
		n, ok := value.AsInt64OK()
		if !ok || n > 0 {
			errs.Changed(ctx)
			return
		}
		counted = true
	}
	// Silence of the answer counts as a change, for the same reason.
	if !counted {
		errs.Changed(ctx)
	}
}

// noteDoubt notes that a command may have changed something, although it failed: it was sent, and its answer was lost,
// or came too late, or leaves open what was done. Commands that cannot be sent make no event.
func noteDoubt(ctx context.Context, e *event.CommandFailedEvent) {
	if !slices.Contains(writes, e.CommandName) {
		return
	}
	var refused driver.Error
	// Only these codes prove that nothing was begun. Any other failure may have come after the write.
	if errors.As(e.Failure, &refused) && slices.Contains(refusedCodes, refused.Code) {
		return
	}
	errs.Changed(ctx)
}
