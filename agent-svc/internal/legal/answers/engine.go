// Package answers is the rule-based engine: a table of what can be asked of a case, a file for each ability, and what
// they share to read a case, to quote it and to hold back what could identify somebody.
package answers

import (
	"context"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/admin"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/claimelements"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/drafting"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/facts"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/intent"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/sales"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/support"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/guard"
)

const englishOnly = "Answers are in English only."

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
	legal.Task
	sources legal.Sources
	report  legal.Report
	gate    guard.Gate // that of the engine, with what people have cleared in the case
}

// Plain reports whether the answer to a task needs nothing but the task itself, and so nothing of the tenant's
// settings.
func Plain(t legal.Task) bool { return t.RequestType == api.CaseReq && Asks(t) == string(intent.Help) }

// Asks names what a task asks for in one of a few fixed words: the intent of a case_req, "operation" for what only
// people do, else its type.
func Asks(t legal.Task) string {
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
func (e *Engine) Do(
	ctx context.Context, task legal.Task, sources legal.Sources, report legal.Report,
) (api.PhaseResponse, error) {
	if err := ctx.Err(); err != nil {
		return api.PhaseResponse{}, err
	}
	j := &job{Engine: e, Task: task, sources: sources, report: report, gate: legal.Clearing(e.gate, sources)}
	r, err := j.do(ctx)
	if err != nil {
		return api.PhaseResponse{}, err
	}
	// The notice in the reader's language comes before the last look at the text, which is to see all of it.
	speak(task, &r)
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
		return admin.Do(ctx, j.Task, j.report, j.Facts)
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
