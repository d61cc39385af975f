package contract_test

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/label"
	"github.com/subrosa-legal/subrosa/pkg/practicearea"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
	"github.com/subrosa-legal/subrosa/pkg/vocabulary"
)

// inDocument are the places of the OpenAPI document, below components/schemas, that list a vocabulary.
var inDocument = map[string]vocabulary.Words{
	"ContainerType":                          vocabulary.ContainerTypes,
	"RequestType":                            vocabulary.RequestTypes,
	"CaseStatus":                             vocabulary.CaseStatuses,
	"MatterKind":                             vocabulary.MatterKinds,
	"CaseSide":                               vocabulary.CaseSides,
	"Privilege":                              vocabulary.Privileges,
	"AiPolicy":                               vocabulary.AIPolicies,
	"CloseReason":                            vocabulary.CloseReasons,
	"Stake":                                  vocabulary.Stakes,
	"PhaseStatus":                            vocabulary.PhaseStatuses,
	"ReviewStatus":                           vocabulary.ReviewStatuses,
	"ExtractionStatus":                       vocabulary.ExtractionStatuses,
	"EntryKind":                              vocabulary.EntryKinds,
	"EntryOrigin":                            vocabulary.EntryOrigins,
	"EntryReview":                            vocabulary.EntryReviews,
	"DeadlineStatus":                         vocabulary.DeadlineStatuses,
	"PartyRole":                              vocabulary.PartyRoles,
	"PartyKind":                              vocabulary.PartyKinds,
	"PartySide":                              vocabulary.PartySides,
	"PartyStatus":                            vocabulary.PartyStatuses,
	"Representation":                         vocabulary.Representations,
	"PartnerKind":                            vocabulary.PartnerKinds,
	"Availability":                           vocabulary.Availabilities,
	"FeeModel":                               vocabulary.FeeModels,
	"InviteRole":                             vocabulary.InviteRoles,
	"InviteStatus":                           vocabulary.InviteStatuses,
	"Forum.system":                           vocabulary.ForumSystems,
	"CasePatch.forum.system":                 vocabulary.ForumSystems,
	"Stage.codeSet":                          vocabulary.StageCodeSets,
	"CasePatch.stage.codeSet":                vocabulary.StageCodeSets,
	"CasePatch.side":                         vocabulary.CaseSides,
	"CasePatch.closeReason":                  vocabulary.CloseReasons,
	"Supervision.professionalKind":           vocabulary.ProfessionalKinds,
	"Confidentiality.clientConsent":          vocabulary.ClientConsents,
	"CasePatch.supervision.professionalKind": vocabulary.ProfessionalKinds,
	"CasePatch.amountInControversy.basis":    vocabulary.AmountBases,
	"ConflictState.status":                   vocabulary.ConflictStatuses,
	"File.status":                            vocabulary.FileStatuses,
	"Settings.openedBy":                      vocabulary.Openers,
	"SettingsPatch.openedBy":                 vocabulary.Openers,
	"Settings.conflictPolicy":                vocabulary.ConflictPolicies,
	"SettingsPatch.conflictPolicy":           vocabulary.ConflictPolicies,
}

func TestDocumentListsTheVocabularies(t *testing.T) {
	text, err := api.ContractJSON()
	if err != nil {
		t.Fatal(err)
	}
	type schema struct {
		Enum       []any                      `json:"enum"`
		Properties map[string]json.RawMessage `json:"properties"`
	}
	var document struct {
		Components struct {
			Schemas map[string]json.RawMessage `json:"schemas"`
		} `json:"components"`
	}
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}

	for place, want := range inDocument {
		var at schema
		in := document.Components.Schemas

		for name := range strings.SplitSeq(place, ".") {
			at = schema{}
			if json.Unmarshal(in[name], &at) != nil {
				t.Errorf("%s: the document has no %s", place, name)
			}
			in = at.Properties
		}
		var got []string

		for _, word := range at.Enum {
			if word, ok := word.(string); ok { // null stands for no value
				got = append(got, word)
			}
		}
		sameWords(t, "components/schemas/"+place, got, want.All())
	}
}

// inApp are the lists of the browser app, by file and name. The app orders them as people look for them.
var inApp = []struct {
	file, name string
	words      []string
	some       bool // the app offers some of them only
}{
	{"case/vocabulary.ts", "statuses", vocabulary.CaseStatuses.All(), false},
	{"case/vocabulary.ts", "matterKinds", vocabulary.MatterKinds.All(), false},
	{"case/vocabulary.ts", "sides", vocabulary.CaseSides.All(), false},
	{"case/vocabulary.ts", "entryKinds", vocabulary.EntryKinds.All(), false},
	{"case/vocabulary.ts", "documentTypes", vocabulary.DocumentTypes.All(), true},
	{"case/vocabulary.ts", "confidentialities", vocabulary.Privileges.All(), false},
	{"case/party.ts", "roles", vocabulary.PartyRoles.All(), false},
	{"case/party.ts", "kinds", vocabulary.PartyKinds.All(), false},
	{"case/party.ts", "sides", vocabulary.PartySides.All(), false},
	{"case/party.ts", "representations", vocabulary.Representations.All(), false},
	{"case/party.ts", "statuses", vocabulary.PartyStatuses.All(), true},
	{"pages/redact.ts", "roles", vocabulary.PartyRoles.All(), false},
	{"pages/redact.ts", "partySides", vocabulary.PartySides.All(), false},
	{"pages/partners.ts", "kinds", vocabulary.PartnerKinds.All(), false},
	{"pages/partners.ts", "roles", vocabulary.InviteRoles.All(), false},
	{"redact/review.ts", "LABEL_WORDS", label.Kinds(), false},
}

// listed is a string in a list, or the first string of a pair in one.
var listed = regexp.MustCompile(`(?:^|\[|,)\s*\[?"([^"]+)"(?:,\s*"[^"]*"\])?`)

func TestAppListsTheVocabularies(t *testing.T) {
	for _, list := range inApp {
		var got []string
		for _, word := range listed.FindAllStringSubmatch(listOf(t, list.file, list.name), -1) {
			got = append(got, word[1])
		}
		want := list.words
		if list.some {
			want = slices.DeleteFunc(slices.Clone(want), func(word string) bool { return !slices.Contains(got, word) })
		}
		sameWords(t, list.file+" "+list.name, got, want)
	}
}

// TestAppNamesTheAreasOfLaw holds the app's names of areas to those that cases carry.
func TestAppNamesTheAreasOfLaw(t *testing.T) {
	pair := regexp.MustCompile(`\["([A-Z]{2})", "([^"]+)"\]`)

	got := map[string]string{}
	for _, area := range pair.FindAllStringSubmatch(listOf(t, "case/vocabulary.ts", "areas"), -1) {
		got[area[1]] = area[2]
	}
	if len(got) != len(practicearea.All()) {
		t.Errorf("the app has %d areas, want %d", len(got), len(practicearea.All()))
	}

	for _, area := range practicearea.All() {
		if got[area.Code] != area.Label {
			t.Errorf("the app calls %s %q, and cases %q", area.Code, got[area.Code], area.Label)
		}
	}
}

// listOf returns the text of a list of the browser app, without its brackets.
func listOf(t *testing.T, file, name string) string {
	t.Helper()
	text, err := os.ReadFile(testkit.Tree(t, "gateway", "web", "src", file))
	if err != nil {
		t.Fatal(err)
	}
	head := regexp.MustCompile(`(?m)^(?:export )?const ` + name + `\b[^=]*= \[`)
	at := head.FindIndex(text)
	if at == nil {
		t.Errorf("%s has no list %s", file, name)
		return ""
	}
	list, _, _ := strings.Cut(string(text[at[1]:]), "]"+" as const;")
	list, _, _ = strings.Cut(list, "];")

	return list
}

func sameWords(t *testing.T, place string, got, want []string) {
	t.Helper()
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%s lists %q, and the vocabulary is %q", place, got, want)
	}
}
