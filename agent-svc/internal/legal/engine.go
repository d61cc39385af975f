package legal

import (
	"context"

	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/guard"
)

// noModel stands among the limits of every answer.
const noModel = "No language model was used; passages are quoted, not interpreted."

// Engine answers tasks by rules. It keeps nothing between tasks and may be used by several at once.
type Engine struct {
	gate guard.Gate // judges what is quoted, since a quote on one line may read differently from the lines it comes from
}

// NewEngine returns the rule-based engine.
func NewEngine() *Engine { return &Engine{gate: guard.New()} }

// Do carries out one task and returns its answer. It returns ctx's error when that ends, and what sources return when they fail.
func (e *Engine) Do(ctx context.Context, task Task, sources Sources, report Report) (api.PhaseResponse, error) {
	if err := ctx.Err(); err != nil {
		return api.PhaseResponse{}, err
	}
	switch task.RequestType {
	case api.EvalReq:
		return e.evaluate(ctx, task, sources, report)
	default:
		return e.find(ctx, task, sources, report)
	}
}

// answer is a response of a kind, with what every response says.
func answer(kind string) api.PhaseResponse {
	return api.PhaseResponse{Kind: kind, Limits: []string{noModel}}
}

func (e *Engine) evaluate(_ context.Context, task Task, _ Sources, report Report) (api.PhaseResponse, error) {
	report.Plan("Plan: score the case by the rubric", "evaluate_complexity")
	r := answer(api.KindEvaluation)
	evaluation := evaluateGiven(task)
	r.Evaluation, r.Text, r.Questions = &evaluation, "Tier: "+evaluation.TierName+"\n", evaluation.Questions
	r.HumanReview = api.HumanReview{Required: true, Reasons: []string{"states_tier"}, DeepLink: task.Links("review")}
	return r, nil
}
