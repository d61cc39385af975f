package legal

import (
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/complexity"
	"github.com/subrosa-legal/subrosa/pkg/api"
)

func evaluateGiven(task Task) api.Evaluation {
	var f complexity.Features
	if c := task.Container.Case; c != nil && len(c.Stakes) > 0 {
		f.Stakes.Known = true
		for _, stake := range c.Stakes {
			f.Stakes.Have = append(f.Stakes.Have, complexity.Mark{Kind: stake, Evidence: complexity.Evidence{Basis: complexity.Given}})
		}
	}
	return complexity.Evaluate(f)
}
