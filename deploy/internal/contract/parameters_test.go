package contract_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// TestParametersAreInPlainTerms holds the schemas of parameters and headers to what the judge knows of them: it reads
// them as OpenAPI 3.0 does.
func TestParametersAreInPlainTerms(t *testing.T) {
	doc, err := document()
	if err != nil {
		t.Fatal(err)
	}
	plain := []string{
		"type", "format", "pattern", "enum", "default", "items", "example", "description",
		"minLength", "maxLength", "minimum", "maximum", "minItems", "maxItems",
	}
	found := 0
	check := func(where string, schema *openapi3.SchemaRef) {
		found++
		terms(t, schema, func(term string, value any) {
			_, one := value.(string)
			if !slices.Contains(plain, term) || term == "type" && !one {
				t.Errorf("%s: the judge does not read %s: %v", where, term, value)
			}
		})
	}

	for path, item := range doc.Paths.Map() {
		for _, shared := range item.Parameters {
			check(path+" "+shared.Value.Name, shared.Value.Schema)
		}

		for method, operation := range item.Operations() {
			for _, own := range operation.Parameters {
				check(method+" "+path+" "+own.Value.Name, own.Value.Schema)
			}

			for status, answer := range operation.Responses.Map() {
				for name, header := range answer.Value.Headers {
					check(method+" "+path+" "+status+" "+name, header.Value.Schema)
				}
			}
		}
	}
	if found < 200 {
		t.Errorf("%d parameters and headers were found", found)
	}
}

// terms calls f with every term of a schema and of those for its items.
func terms(t *testing.T, schema *openapi3.SchemaRef, f func(term string, value any)) {
	t.Helper()
	text, err := json.Marshal(schema.Value)
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]any
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}

	for term, value := range all {
		f(term, value)
	}
	if schema.Value.Items != nil {
		terms(t, schema.Value.Items, f)
	}
}
