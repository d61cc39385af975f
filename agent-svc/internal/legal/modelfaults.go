package legal

import (
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
