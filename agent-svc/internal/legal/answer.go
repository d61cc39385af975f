package legal

import (
	"slices"

	"github.com/subrosa-legal/subrosa/pkg/api"
)

// NoModel is the limit that every answer by rules states.
const NoModel = "No language model was used; passages are quoted, not interpreted."

const afterModel = "A language model was asked first; nothing that it wrote is in this answer. Passages are quoted, " +
	"not interpreted."

// NewAnswer returns an answer of a kind, with what every answer by rules says.
func NewAnswer(kind string) api.PhaseResponse {
	return api.PhaseResponse{Kind: kind, Limits: []string{NoModel}}
}

// AfterModel returns the limits of an answer by rules that followed a language model's attempt, which is not to be
// denied.
func AfterModel(limits []string) []string {
	list := slices.Clone(limits)
	for i, limit := range list {
		if limit == NoModel {
			list[i] = afterModel
		}
	}

	return list
}
