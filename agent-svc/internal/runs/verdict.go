package runs

import (
	"errors"
	"fmt"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/stream"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/errs"
)

// soFar tells how far a run came whose time was used up, and what of it was kept.
func soFar(err error) string {
	var u *legal.Unfinished
	if !errors.As(err, &u) {
		return ""
	}
	told := fmt.Sprintf(" It had read %d of %d files", u.Read, u.Files)
	if u.Proposed > 0 {
		told += fmt.Sprintf("; %d dated findings were proposed to the timeline", u.Proposed)
	}

	return told + "."
}

// told are the codes of other services and of the engine that a stream may end with. What else they refuse is a fault
// of ours.
var told = map[string]bool{
	legal.ErrFileUnreadable.Code: true, legal.ErrModelRefused.Code: true, "branch_archived": true,
	"case_closed": true, "phase_conflict": true, "supervisor_required": true, "ai_policy_forbids": true,
	"budget_exceeded": true, "output_blocked": true,
}

// verdict says how a failure is told to the reader. The text of an unclassified error stays inside.
func verdict(err error, requestID string) (status string, problem api.PhaseError) {
	known := errs.From(err)
	switch {
	case errors.Is(err, errCancelled):
		return api.PhaseCancelled, api.PhaseError{
			Error:   "cancelled",
			Message: "The run was cancelled. Start a new phase to go on.",
		}
	case errors.Is(err, ErrCallerGone):
		return api.PhaseCancelled, api.PhaseError{
			Error:   "caller_gone",
			Message: "Whoever asked for this run has no access any more. Nothing more was read or written for it.",
		}
	case errors.Is(err, ErrInterrupted):
		return api.PhaseFailed, api.PhaseError{
			Error: "interrupted",
			Message: "The processes that ran this died, one after the other. Ask for something else, " +
				"or for less at once.",
		}
	case errors.Is(err, ErrNobody):
		return api.PhaseFailed, api.PhaseError{
			Error:     "interrupted",
			Message:   "The run was interrupted, and no process could take it up in time. Start a new phase.",
			Retryable: true,
		}
	case errors.Is(err, ErrWaited):
		return api.PhaseFailed, api.PhaseError{
			Error:     "branch_busy",
			Message:   "The branch did not become free in time. Start a new phase in a moment, or fork a branch.",
			Retryable: true,
		}
	case errors.Is(err, legal.ErrTimeLimit):
		return api.PhaseFailed, api.PhaseError{
			Error:     "time_limit",
			Message:   "The run took longer than maxSeconds allows. Ask for less, or allow more." + soFar(err),
			Retryable: true,
		}
	case errors.Is(err, legal.ErrModelUnavailable), errors.Is(err, legal.ErrModelRateLimited):
		return api.PhaseFailed, api.PhaseError{Error: known.Code, Message: known.Message, Retryable: true}
	case errors.Is(err, stream.ErrTooMany):
		return api.PhaseFailed, api.PhaseError{
			Error:   "budget_exceeded",
			Message: "The run produced more events than a run may have. Ask for less at once.",
		}
	case known.Kind == errs.Unavailable:
		return api.PhaseFailed, api.PhaseError{
			Error:     "store_unavailable",
			Message:   "A store or service could not be reached. Start a new phase in a moment.",
			Retryable: true,
		}
	case told[known.Code]:
		return api.PhaseFailed, api.PhaseError{Error: known.Code, Message: known.Message}
	}

	return api.PhaseFailed, api.PhaseError{
		Error:     "internal",
		Message:   "Something went wrong on our side (request " + requestID + "). Start a new phase to try again.",
		Retryable: true,
	}
}
