// Package modelengine answers requests about a case by a language model that reads with the shared tools, where a model
// is configured and the case allows it. What the model says is checked sentence by sentence before anything of it
// leaves; the rules answer in all other cases.
package modelengine

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/answers"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/intent"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/model"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/validate"
)

// Rules answer tasks without a model.
type Rules interface {
	Do(ctx context.Context, task legal.Task, sources legal.Sources, report legal.Report) (api.PhaseResponse, error)
}

// Budget bounds what one run may ask of a model. Its time is that of the run.
type Budget struct {
	Rounds      int // replies that call tools
	Calls       int // of tools
	Tokens      int // in and out, over all turns
	ReplyTokens int // of one reply
}

// Engine answers by a model or by the rules. It keeps nothing between tasks and may be used by several at once.
type Engine struct {
	Rules  Rules
	Model  model.Model // nil when none is configured
	Local  bool        // the model runs where the content of a case may go when only local models may see it
	Budget Budget
	Gate   guard.Gate
}

// Modes that a task can ask for beside the usual one.
const (
	deterministic = "deterministic"
	withModel     = "model"
)

// What a case allows.
const (
	localOnly = "local_model_only"
	allowed   = "model_allowed"
)

// Reasons for which the rules answer where a model might have.
const (
	forbidden   = "The case does not allow a language model."
	notLocal    = "The case allows a local language model only, and the one that is configured is not local."
	fixedAnswer = "This answer is a fixed text, which no language model writes."
	unreachable = "The language model could not be reached."
	rateLimited = "The provider of the language model limits requests at the moment."
	refused     = "The language model refused the request."
	overBudget  = "The language model used up what one run may cost."
	tooSlow     = "The language model took too long."
	unproved    = "No sentence of the language model's answer could be borne out by the files."
)

// ByRules is the engine that uses no model, with the reason when one might have been used.
func ByRules(reason string) api.Engine {
	return api.Engine{Mode: api.ModeDeterministic, RulesVersion: legal.RulesVersion, FallbackReason: reason}
}

var errOnlyCases = func() error {
	var f validate.List
	f.Add("options.mode", "can be model with case_req only: everything else is computed or fixed text")

	return f.Err()
}

// Wanted reports whether a model will answer a task if the case allows it, whatever that says. It returns
// legal.ErrNoModel for a task that demands a model where there is none.
func (e *Engine) Wanted(task legal.Task) (bool, error) {
	demanded := task.Mode == withModel
	switch {
	case task.Mode == deterministic, e.Model == nil && !demanded:
		return false, nil
	// Who demands a model where there is none is told, rather than given another answer.
	case e.Model == nil:
		return false, legal.ErrNoModel
	case task.RequestType != api.CaseReq && demanded:
		return false, errOnlyCases()
	}

	return task.RequestType == api.CaseReq, nil
}

// Plan says what will answer a task. It returns legal.ErrPolicy for a task that demands a model that its case does not
// allow, and what Wanted returns.
func (e *Engine) Plan(task legal.Task) (api.Engine, error) {
	demanded := task.Mode == withModel
	// What the task asks for is looked at before the case, whose policy need not be told to a task that wants no model.
	if wanted, err := e.Wanted(task); !wanted || err != nil {
		return ByRules(""), err
	}
	if reason := e.policy(task.Container.Case); reason != "" {
		if demanded {
			return api.Engine{}, legal.ErrPolicy
		}

		return ByRules(reason), nil
	}

	reading := answers.Asked(task.Prompt).Best
	switch {
	case intent.Operation(task.Prompt) != "", reading == intent.Help:
		if demanded {
			return ByRules(fixedAnswer), nil
		}

		return ByRules(""), nil
	case reading == intent.Draft:
		if !answers.DraftNamed(task.Prompt) {
			return ByRules(""), nil // it asks which draft is meant
		}
	case !demanded && reading != intent.Find && reading != intent.Summary && reading != intent.Elements:
		return ByRules(""), nil // lists and tables are the rules' own
	}
	name := e.Model.Name()

	return api.Engine{
		Mode:         api.ModeModel,
		RulesVersion: legal.RulesVersion,
		Model:        &api.EngineModel{Provider: name.Provider, Name: name.Model, TemplateVersion: TemplateVersion},
	}, nil
}

// policy returns why a case does not allow the model, "" when it does.
func (e *Engine) policy(c *api.Case) string {
	switch {
	case c == nil:
		return forbidden
	case c.Confidentiality.AIPolicy == allowed, c.Confidentiality.AIPolicy == localOnly && e.Local:
		return ""
	case c.Confidentiality.AIPolicy == localOnly:
		return notLocal
	}

	return forbidden
}

// Do carries out one task and returns its answer. Where a model fails, a task that did not demand one is answered by
// the rules, which the answer and the engine say. Beyond the errors of the rules it returns the errors of legal that
// are about models.
func (e *Engine) Do(
	ctx context.Context,
	task legal.Task,
	sources legal.Sources,
	report legal.Report,
) (api.PhaseResponse, error) {
	plan, err := e.Plan(task)
	if errors.Is(err, legal.ErrPolicy) {
		return api.PhaseResponse{}, legal.ErrModelUnavailable // it was allowed when the run was admitted
	}
	if err != nil {
		return api.PhaseResponse{}, err
	}
	if plan.Mode == api.ModeDeterministic {
		return e.byRules(ctx, task, sources, report, plan)
	}

	asking, cancel := patience(ctx, task)
	defer cancel()
	said, err := e.ask(asking, task, sources, report)
	response := said.response
	reason := ""

	switch {
	case err == nil && said.drafts:
		// The rules fill the form on the time of the run; that of the model may be used up.
		return said.talk.fill(ctx, task, sources, said.checked, response) // on the time of the run, not of the model
	case err == nil:
		return response, nil
	// The run itself has ended, so the rules have no time either.
	case ctx.Err() != nil:
		return response, ctx.Err()
	// Only the model's share is used up. The rules have the rest.
	case asking.Err() != nil:
		reason = tooSlow
	case errors.Is(err, errUnproved):
		reason = unproved
	// Who demanded a model gets its failure, and no answer that it has not given.
	case task.Mode == withModel:
		return response, err
	case errors.Is(err, legal.ErrModelUnavailable):
		reason = unreachable
	case errors.Is(err, legal.ErrModelRateLimited):
		reason = rateLimited
	case errors.Is(err, legal.ErrModelRefused):
		reason = refused
	case errors.Is(err, legal.ErrModelBudget):
		reason = overBudget
	default:
		return response, err
	}

	r, err := e.byRules(ctx, task, sources, report, ByRules(reason))
	if err == nil {
		// The rules say that no model was used, which is not true here.
		r.Limits = legal.AfterModel(r.Limits)
	}

	return r, err
}

// share is the part of a run's time that a model has before the rules take over.
const share = 0.7

// patience bounds the time of a model that was not demanded, so that time is left for the rules.
func patience(ctx context.Context, task legal.Task) (context.Context, context.CancelFunc) {
	// A model that was demanded may use the whole time: nothing follows it.
	if task.Limit == 0 || task.Mode == withModel {
		return context.WithCancel(ctx)
	}

	return context.WithTimeout(ctx, time.Duration(share*float64(task.Limit)))
}

func (e *Engine) byRules(
	ctx context.Context,
	task legal.Task,
	sources legal.Sources,
	report legal.Report,
	engine api.Engine,
) (api.PhaseResponse, error) {
	report.AnsweredBy(engine)
	r, err := e.Rules.Do(ctx, task, sources, report)
	if err == nil && engine.FallbackReason != "" {
		r.Limits = append([]string{engine.FallbackReason}, r.Limits...)
	}

	return r, err
}

// failure says what an error of a model means to a run.
func failure(err error) error {
	var e *model.Error
	if !errors.As(err, &e) {
		return err
	}

	switch e.Kind {
	case model.RateLimited:
		return legal.ErrModelRateLimited.WithRetryAfter(e.RetryAfter)
	case model.Refused:
		return legal.ErrModelRefused
	}

	return legal.ErrModelUnavailable.WithRetryAfter(e.RetryAfter)
}

// otherLanguage reports whether a task asks for answers in another language than the one there is.
func otherLanguage(task legal.Task) bool {
	lang, _, _ := strings.Cut(task.Language, "-")
	return lang != "" && !strings.EqualFold(lang, "en")
}
