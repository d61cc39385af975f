package answers

import (
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/intent"
	"github.com/subrosa-legal/subrosa/pkg/api"
)

// suggestion returns the task that asks for an intent; ok is false when this release cannot do it.
func suggestion(what intent.Intent) (s api.Suggestion, ok bool) {
	if what == intent.Tier {
		return api.Suggestion{RequestType: api.EvalReq, Prompt: "Evaluate the case"}, true
	}

	for _, a := range abilities() {
		// The example of Find is a question about a lease, which fits no other case.
		if a.intent == what && what != intent.Find {
			return api.Suggestion{RequestType: api.CaseReq, Prompt: a.prompt}, true
		}
	}

	return api.Suggestion{}, false
}

func suggestions(prompts ...string) []api.Suggestion {
	var list []api.Suggestion
	for _, p := range prompts {
		list = append(list, api.Suggestion{RequestType: api.CaseReq, Prompt: p})
	}

	return list
}
