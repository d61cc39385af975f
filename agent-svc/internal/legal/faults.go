package legal

import (
	"errors"
	"fmt"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/errs"
)

// What can go wrong with a language model. The first two can come before a run begins; all but ErrPolicy can end one.
var (
	ErrModelUnavailable = errs.New(errs.Unavailable, "model_unavailable", "The language model cannot be reached. "+
		"Leave options.mode out, or set it to auto or deterministic, and the rules answer.")
	ErrPolicy = errs.New(errs.Forbidden, "ai_policy_forbids", "The policy of this case does not allow "+
		"the language model. Leave options.mode out, or set it to auto or deterministic; a user can change the policy.")
	ErrModelRateLimited = errs.New(errs.TooMany, "model_rate_limited", "The provider of the language model limits "+
		"requests at the moment. Start a new phase in a while.")
	ErrModelRefused = errs.New(errs.Invalid, "model_refused", "The language model refused the request. "+
		"Rephrase it, or omit options.mode.")
	ErrOutputBlocked = errs.New(errs.Forbidden, "output_blocked", "The language model kept using what could be "+
		"a real identity, so its answer was withheld. Rephrase the request, or set options.mode to deterministic.")
	ErrModelBudget = errs.New(errs.TooMany, "budget_exceeded", "The language model reached the cost limit of "+
		"one run without an answer. Ask for less at once.")
	ErrNoModel = ErrModelUnavailable.WithMessage("No language model is configured. " +
		"Leave options.mode out, or set it to auto or deterministic.").WithRetryAfter(time.Hour)
)

// ErrFileUnreadable means that a file that the task names is not one of the case that agents may read.
var ErrFileUnreadable = errs.New(errs.Invalid, "file_unreadable", "A file in fileIds is not part of this case, "+
	"or agents cannot read it. Remove it, or add a readable version.")

// ErrTimeLimit is the cause with which a run's context ends when its time is used up.
var ErrTimeLimit = errors.New("the time of the run is used up")

// Unfinished is the end of a run whose time was used up while it read: it wraps ErrTimeLimit.
type Unfinished struct {
	Read, Files int // files read, of how many
	Proposed    int // entries that were put into the timeline, as far as an answer would list them
}

func (u *Unfinished) Error() string {
	return fmt.Sprintf("%v after %d of %d files", ErrTimeLimit, u.Read, u.Files)
}

func (u *Unfinished) Unwrap() error { return ErrTimeLimit }
