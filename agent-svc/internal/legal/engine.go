package legal

import (
	"context"
	"slices"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/claimelements"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/drafting"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/facts"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/intent"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/sales"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/support"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/guard"
)

// Limits that answers state.
const (
	noModel    = "No language model was used; passages are quoted, not interpreted."
	afterModel = "A language model was asked first; nothing that it wrote is in this answer. Passages are quoted, " +
		"not interpreted."
	englishOnly = "Answers are in English only."
)

// Engine answers tasks by rules. It keeps nothing between tasks and may be used by several at once.
type Engine struct {
	// judges what is quoted, since a quote on one line may read differently from the lines it comes from
	gate      guard.Gate
	reader    *facts.Reader
	finder    *claimelements.Finder
	catalogue *support.Catalogue
	templates *drafting.Templates

	// Facts are what may be said of plans and prices; nil when none are configured.
	Facts *sales.Sheet
}

// NewEngine returns the rule-based engine.
func NewEngine(gate guard.Gate) *Engine {
	return &Engine{
		gate:      gate,
		reader:    facts.NewReader(),
		finder:    claimelements.NewFinder(),
		catalogue: support.NewCatalogue(),
		templates: drafting.NewTemplates(),
	}
}

// job is one task at work.
type job struct {
	*Engine
	Task
	sources Sources
	report  Report
	gate    guard.Gate // that of the engine, with what people have cleared in the case
}

// Plain reports whether the answer needs nothing but the task itself, and so nothing of the tenant's settings.
func (t Task) Plain() bool { return t.RequestType == api.CaseReq && t.Asks() == string(intent.Help) }

// Asks names what a task asks for in one of a few fixed words: the intent of a case_req, "operation" for what only
// people do, else its type.
func (t Task) Asks() string {
	if t.RequestType != api.AdminReq && intent.Operation(t.Prompt) != "" {
		return "operation"
	}

	switch t.RequestType {
	case api.EvalReq, api.SupportReq, api.SalesReq, api.AdminReq:
		return t.RequestType
	}

	return string(Asked(t.Prompt).Best)
}

// Do carries out one task and returns its answer. It returns ctx's error when that ends, what sources return when they
// fail, and ErrFileUnreadable when a file that the task names cannot be read.
func (e *Engine) Do(ctx context.Context, task Task, sources Sources, report Report) (api.PhaseResponse, error) {
	if err := ctx.Err(); err != nil {
		return api.PhaseResponse{}, err
	}
	j := &job{Engine: e, Task: task, sources: sources, report: report, gate: Clearing(e.gate, sources)}
	r, err := j.do(ctx)
	if err != nil {
		return api.PhaseResponse{}, err
	}
	// The notice in the reader's language comes before the last look at the text, which is to see all of it.
	task.speak(&r)
	j.showable(ctx, &r)

	return r, nil
}

func (j *job) do(ctx context.Context) (api.PhaseResponse, error) {
	// What needs a real identity is refused before anything is read, whatever else the prompt asks for.
	if j.RequestType != api.AdminReq {
		if action := intent.Operation(j.Prompt); action != "" {
			return j.refuse(action), nil
		}
	}

	switch j.RequestType {
	case api.EvalReq:
		return j.evaluate(ctx)
	case api.SupportReq:
		return j.support(ctx)
	case api.SalesReq:
		return j.sales(), nil
	case api.AdminReq:
		return j.admin(ctx)
	}

	return j.work(ctx)
}

// work answers a case_req by what its prompt asks for.
func (j *job) work(ctx context.Context) (api.PhaseResponse, error) {
	reading := Asked(j.Prompt)
	r, err := j.perform(ctx, reading.Best)
	if err != nil {
		return r, err
	}
	if s, ok := suggestion(reading.Other); ok {
		r.SuggestedNext = append([]api.Suggestion{s}, r.SuggestedNext...)
	}

	return r, nil
}

// answer is a response of a kind, with what every response says.
func answer(kind string) api.PhaseResponse {
	return api.PhaseResponse{Kind: kind, Limits: []string{noModel}}
}

// AfterModel returns the limits of an answer by rules that followed a language model's attempt, which is not to be
// denied.
func AfterModel(limits []string) []string {
	list := slices.Clone(limits)
	for i, limit := range list {
		if limit == noModel {
			list[i] = afterModel
		}
	}

	return list
}

// reviewed marks an answer that a person must sign off, and why.
func (j *job) reviewed(r *api.PhaseResponse, reasons ...string) {
	r.HumanReview = api.HumanReview{Required: true, Reasons: reasons, DeepLink: j.Links("review")}
}

// Reasons for a sign-off.
const (
	statesTier     = "states_tier"
	statesDeadline = "states_deadline"
	statesLaw      = "states_law"
	statesStrategy = "states_strategy"
	hasDraft       = "has_draft"
)
