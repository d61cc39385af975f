package answers

import (
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/intent"
	"github.com/subrosa-legal/subrosa/pkg/api"
)

// refuse answers a prompt that asks for what needs a real identity: where a person can do it.
func (j *job) refuse(action string) api.PhaseResponse {
	j.report.Plan("Plan: point to where a person can do this", "refuse")
	r := legal.NewAnswer(api.KindRefusal)
	reason := reasonAgainst(action)
	r.Refusal = &api.Refusal{Reason: reason, DeepLink: j.Links(action)}
	r.Text = reason + "\n\nThe deep link of this answer leads to the place where a signed-in user can do it; " +
		"rights are checked there as ever.\n"
	r.SuggestedNext = []api.Suggestion{{RequestType: api.CaseReq, Prompt: "Help"}}
	// Help is an answer to a case_req, which these containers do not take.
	if j.RequestType == api.SalesReq || j.RequestType == api.SupportReq {
		r.SuggestedNext = nil
	}

	return r
}

// reasonAgainst says why the service does not do an operation.
func reasonAgainst(action string) string {
	switch action {
	case intent.Contact:
		return "This service contacts nobody: it knows labels only, and the addresses behind them stay in the " +
			"user's browser."
	case intent.FileWithCourt:
		return "This service files nothing with a court: a filing carries real names and a person's responsibility."
	case intent.Serve:
		return "This service serves nobody: service needs the real identity and address of whoever is served."
	case intent.Sign:
		return "This service signs nothing: a signature is a person's own."
	case intent.Reveal:
		return "This service does not know who is behind a label: real identities stay encrypted in the user's browser."
	}

	return "This service writes no document with real names: labels are turned into names in the user's browser only."
}
