package modelengine

import (
	"context"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/drafting"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/verify"
	"github.com/subrosa-legal/subrosa/pkg/api"
)

// fill has the rules put what the model wrote into the form that was asked for. said is the answer as it would leave
// without a form: its limits and authorities are those of the draft.
func (t *talk) fill(
	ctx context.Context,
	task legal.Task,
	sources legal.Sources,
	a verify.Answer,
	said api.PhaseResponse,
) (api.PhaseResponse, error) {
	task.Written = &drafting.Written{Text: a.Text, Citations: a.Citations, Removed: a.Removed, Own: a.Own}
	r, err := t.Rules.Do(ctx, task, sources, t.report)
	if err != nil {
		return r, err
	}
	r.Limits = append(said.Limits, r.Limits...)
	r.Authorities = said.Authorities

	return r, nil
}
