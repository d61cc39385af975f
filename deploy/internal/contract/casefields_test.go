package contract_test

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/testkit"
)

// setElsewhere are the fields of a changed case that the command line or the app sets in another place, or not at
// all, and why.
var setElsewhere = map[string]map[string]string{
	"deploy/internal/cli/casefields.go": {},
	"gateway/web/src/pages/case/settings.ts": {
		"activeBranchId":      "the page of branches sets it",
		"amountInControversy": "the app does not set it",
		"clientPartyId":       "the app does not set it",
		"closeReason":         "comes with closing a case",
		"externalRef":         "the app does not set it",
		"language":            "the app does not set it",
		"stage":               "the app does not set it",
		"stakes":              "the app does not set it",
	},
}

// TestPeopleCanSetTheFieldsOfACase wants each field of CasePatch by its name where the command line writes a change,
// and where the app does.
func TestPeopleCanSetTheFieldsOfACase(t *testing.T) {
	doc, err := document()
	if err != nil {
		t.Fatal(err)
	}
	fields := slices.Sorted(maps.Keys(doc.Components.Schemas["CasePatch"].Value.Properties))
	if len(fields) < 15 {
		t.Errorf("%d fields were found", len(fields))
	}

	for file, elsewhere := range setElsewhere {
		text, err := os.ReadFile(testkit.Tree(t, file))
		if err != nil {
			t.Fatal(err)
		}

		for _, field := range fields {
			named := regexp.MustCompile(`"` + field + `"|\b` + field + `:`).Match(text)
			if named != (elsewhere[field] == "") {
				t.Errorf("%s names %s: %t; it is set elsewhere: %q", file, field, named, elsewhere[field])
			}
		}
	}
}
