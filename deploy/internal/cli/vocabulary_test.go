package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/vocabulary"
)

// wordsOf are the vocabularies that flags list.
var wordsOf = []vocabulary.Words{
	vocabulary.CaseStatuses, vocabulary.MatterKinds, vocabulary.ForumSystems, vocabulary.CaseSides,
	vocabulary.StageCodeSets, vocabulary.AmountBases, vocabulary.ProfessionalKinds, vocabulary.Privileges,
	vocabulary.AIPolicies, vocabulary.ClientConsents, vocabulary.ConflictDecisions, vocabulary.Openers,
	vocabulary.ConflictPolicies, vocabulary.CloseReasons, vocabulary.FileStatuses, vocabulary.ExtractionStatuses,
	vocabulary.PhaseStatuses, vocabulary.ReviewStatuses, vocabulary.BranchPurposes, vocabulary.WrittenEntryKinds,
	vocabulary.EntryKinds, vocabulary.EntryOrigins, vocabulary.EntryReviews, vocabulary.DatePrecisions,
	vocabulary.AuthorityKinds, vocabulary.DeadlineStatuses, vocabulary.DeadlineUnits, vocabulary.DeadlineDirections,
	vocabulary.DeadlineCertainty, vocabulary.PartyKinds, vocabulary.PartySides, vocabulary.PartyStatuses,
	vocabulary.Representations, vocabulary.EntityTypes, vocabulary.AgeBands, vocabulary.PartnerKinds,
	vocabulary.FeeModels, vocabulary.InviteRoles, vocabulary.InviteStatuses, vocabulary.Availabilities,
	vocabulary.A2AContainers, vocabulary.Stakes,
}

// ownFlags list words of the command line's own: short forms, orders of lists, places of a text.
var ownFlags = []string{"sort", "type", "mode", "door", "tier", "include"}

// TestFlagsListTheVocabularies fails for a flag whose words are no vocabulary, or one that has got another word since.
func TestFlagsListTheVocabularies(t *testing.T) {
	var root commands

	for _, leaf := range newParser(&root).Model.Leaves(false) {
		for _, flag := range leaf.Flags {
			yesOrNo := flag.Enum == ",yes,no"
			if flag.Enum == "" || yesOrNo || slices.Contains(ownFlags, flag.Name) {
				continue
			}
			got := strings.Split(strings.TrimPrefix(flag.Enum, ","), ",")
			slices.Sort(got)
			known := slices.ContainsFunc(wordsOf, func(words vocabulary.Words) bool {
				return slices.Equal(slices.Sorted(slices.Values(words.All())), got)
			})
			// The states of tasks are those of the protocol.
			known = known || slices.Equal(slices.Sorted(slices.Values(api.A2AStates())), got)
			if !known {
				t.Errorf("%s --%s lists %q, which is no vocabulary", leaf.Path(), flag.Name, flag.Enum)
			}
		}
	}
}
