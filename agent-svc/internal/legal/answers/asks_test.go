package answers_test

import (
	"testing"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/answers"
	"github.com/subrosa-legal/subrosa/pkg/api"
)

func TestWhatATaskAsksForIsOneOfAFewWords(t *testing.T) {
	for _, tc := range []struct{ kind, prompt, want string }{
		{api.CaseReq, "Where does the lease speak of mould?", "find"},
		{api.CaseReq, "List the parties", "parties"},
		{api.CaseReq, "File the complaint with the court", "operation"},
		{api.EvalReq, "How complex is this case?", api.EvalReq},
		{api.SalesReq, "What does it cost?", api.SalesReq},
		{api.AdminReq, "File the complaint with the court", api.AdminReq},
	} {
		if got := answers.Asks(legal.Task{RequestType: tc.kind, Prompt: tc.prompt}); got != tc.want {
			t.Errorf("%s %q asks for %q, want %q", tc.kind, tc.prompt, got, tc.want)
		}
	}
}
