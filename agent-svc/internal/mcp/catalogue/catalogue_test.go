package catalogue_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/mcp/catalogue"
	"github.com/subrosa-legal/subrosa/pkg/api"
)

func read(t *testing.T) *catalogue.Catalogue {
	t.Helper()
	k, err := catalogue.Read()
	if err != nil {
		t.Fatal(err)
	}

	return k
}

// TestEveryOperationCanBeReached takes the routes from the text of the document, so that one that the reader of the document overlooks is
// found missing too.
func TestEveryOperationCanBeReached(t *testing.T) {
	k := read(t)

	var ids []string
	for _, op := range k.All() {
		ids = append(ids, op.ID)
		switch ways := []bool{op.Tool != "", op.HumanOnly && op.Tool == "", op.AgentsOnly}; {
		case !slices.Contains(ways, true):
			t.Errorf("%s %s: no way to it", op.Method, op.Path)
		case op.HumanOnly && op.Action == "":
			t.Errorf("%s: only a person does it, and no page is named", op.ID)
		case op.Tool != "" && (len(op.Scopes) == 0 || op.Verb == "" && len(op.Views) == 0):
			t.Errorf("%s: %+v", op.ID, op)
		}
		var schema jsonschema.Schema
		if err := json.Unmarshal(op.Arguments, &schema); err != nil {
			t.Errorf("%s: %v: %s", op.ID, err, op.Arguments)
		} else if _, err := schema.Resolve(nil); err != nil {
			t.Errorf("%s: %v: %s", op.ID, err, op.Arguments)
		}
	}

	paths := regexp.MustCompile(`(?ms)^  /v1/.*?^  /api/`).FindString(string(api.Contract()))
	for _, m := range regexp.MustCompile(`operationId: (\w+)`).FindAllStringSubmatch(paths, -1) {
		if !slices.Contains(ids, m[1]) {
			t.Errorf("%s is not in the catalogue", m[1])
		}
	}
	if len(ids) < 45 {
		t.Errorf("only %d operations", len(ids))
	}
}

func TestOperations(t *testing.T) {
	k := read(t)

	for _, tc := range []struct {
		name string
		ids  []string
	}{
		{"workspace", []string{"getWorkspace"}}, {"create_case", []string{"createCase"}}, {"search", []string{"listCases", "listFiles"}}, {"updateCase", []string{"updateCase"}}, {"nothing", nil},
	} {
		var ids []string
		for _, op := range k.Named(tc.name) {
			ids = append(ids, op.ID)
		}
		if !slices.Equal(ids, tc.ids) {
			t.Errorf("Named(%q) = %v, want %v", tc.name, ids, tc.ids)
		}
	}
	if q, ok := k.Query("listParties"); !ok || !slices.Contains(q, "isClient") {
		t.Errorf("Query = %v, %v", q, ok)
	}

	human := map[string]string{
		"exportCase": "export", "listCaseAudit": "audit", "reviewPhase": "review", "disconnectAgent": "agent",
		"deleteCase": "case_settings",
	}
	for _, op := range k.All() {
		if want, ok := human[op.ID]; ok && (!op.HumanOnly || op.Action != want) {
			t.Errorf("%s: %t %q, want the page %q", op.ID, op.HumanOnly, op.Action, want)
		}
		if op.ID == "exchangeKey" && (!op.AgentsOnly || op.Tool != "") {
			t.Errorf("%s: %+v", op.ID, op)
		}
	}
}
