package contract_test

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
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

var (
	fieldConstant = regexp.MustCompile(`\b(Field\w+) +Field = "([^"]+)"`)
	fieldRow      = regexp.MustCompile(`(?s)\n\t\{\n\t\tname: +(Field\w+),(.*?)\n\t\},`)
	clearsOfRow   = regexp.MustCompile(`(?s)clears: *\[\]string\{(.*?)\}`)
	quoted        = regexp.MustCompile(`"([^"]+)"`)
)

// codes are texts of a case that the gate does not read, since their form leaves no room for a name.
var codes = map[string]string{
	"clientPartyId":        "an id, of a party of the case",
	"language":             "a tag of BCP 47",
	"retention.policyCode": "a code of the firm",
	"stage.phase":          "a code of the set",
	"stage.task":           "a code of the set",
}

// TestFieldsOfACaseAreJudgedAndCleared wants each text of CasePatch that could hold a name to be one that the gate
// reads, and each member that may be null to be one that null clears.
func TestFieldsOfACaseAreJudgedAndCleared(t *testing.T) {
	doc, err := document()
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile(testkit.Tree(t, "case-svc/internal/cases/fields.go"))
	if err != nil {
		t.Fatal(err)
	}

	paths, judged, cleared := map[string]string{}, map[string]bool{}, map[string]bool{}
	for _, found := range fieldConstant.FindAllStringSubmatch(string(source), -1) {
		paths[found[1]] = found[2]
	}

	for _, row := range fieldRow.FindAllStringSubmatch(string(source), -1) {
		judged[paths[row[1]]] = strings.Contains(row[2], "texts:")
		for _, list := range clearsOfRow.FindAllStringSubmatch(row[2], -1) {
			for _, path := range quoted.FindAllStringSubmatch(list[1], -1) {
				cleared[path[1]] = true
			}
		}
	}
	if len(judged) < 20 || len(cleared) < 15 {
		t.Fatalf("%d rows and %d paths that null clears were found", len(judged), len(cleared))
	}

	// reads reports whether the gate reads a text: by the row of its path, or of what the path is a part of.
	reads := func(path string) bool {
		for ; path != ""; path, _, _ = cutLast(path, ".") {
			if judged[path] {
				return true
			}
		}

		return false
	}

	membersOf(doc.Components.Schemas["CasePatch"].Value, "", func(path string, schema *openapi3.Schema) {
		if mayBeNull(schema) && !cleared[path] {
			t.Errorf("%s may be null, and no row clears it", path)
		}
		if isFreeText(schema) && reads(path) == (codes[path] != "") {
			t.Errorf("%s: the gate reads it: %t; it is a code: %q", path, reads(path), codes[path])
		}
	})
}

// cutLast cuts s at the last sep; without one nothing is left before it.
func cutLast(s, sep string) (before, after string, found bool) {
	if at := strings.LastIndex(s, sep); at >= 0 {
		return s[:at], s[at+len(sep):], true
	}

	return "", s, false
}

// membersOf visits the members of a schema and of the objects in it, by their paths.
func membersOf(schema *openapi3.Schema, under string, visit func(path string, schema *openapi3.Schema)) {
	for name, member := range schema.Properties {
		visit(under+name, member.Value)
		membersOf(member.Value, under+name+".", visit)
	}
}

// mayBeNull reports whether a schema allows null.
func mayBeNull(schema *openapi3.Schema) bool {
	if schema.Type != nil && schema.Type.Includes("null") {
		return true
	}

	return slices.ContainsFunc(schema.OneOf, func(one *openapi3.SchemaRef) bool { return mayBeNull(one.Value) })
}

// isFreeText reports whether a schema is a text, or a list of texts, that is bound to no form.
func isFreeText(schema *openapi3.Schema) bool {
	if schema.Type == nil {
		return false
	}
	if schema.Type.Includes("array") {
		return isFreeText(schema.Items.Value)
	}
	bound := schema.Pattern != "" || schema.Format != "" || len(schema.Enum) > 0

	return schema.Type.Includes("string") && !bound
}
