package strictjson_test

import (
	"errors"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/strictjson"
)

// A document that two readers could read in two ways is refused.
func TestDocumentsOfStrangers(t *testing.T) {
	t.Parallel()

	for _, tc := range []struct {
		name, body       string
		document, claims bool // whether DecodeStranger and DecodeClaims take it
	}{
		{"as it should be", `{"name": "a", "kinds": ["b"]}`, true, true},
		{"with members of its own", `{"name": "a", "x": {"y": [1, {"z": null}]}}`, true, true},
		{"twice", `{"name": "a", "name": "a"}`, false, false},
		{"twice, with an escape", `{"name": "a", "n\u0061me": "b"}`, false, false},
		{"twice, in another case", `{"name": "a", "Name": "b"}`, false, false},
		{"twice, the known one last", `{"NAME": "b", "name": "a"}`, false, false},
		{"in another case alone", `{"nAme": "a"}`, false, false},
		{"with the sign of kelvin", `{"\u212ainds": ["b"]}`, false, false},
		{"with a long s", `{"name": "a", "kind\u017f": ["b"]}`, false, false},
		{"an unknown member in two cases", `{"other": 1, "Other": 2}`, false, false},
		{"below, twice", `{"x": {"a": 1, "a": 2}}`, false, false},
		{"below, in two cases", `{"x": {"a": 1, "A": 2}}`, false, true},
		{"below a list, in two cases", `{"x": [[{"a": 1, "A": 2}]]}`, false, true},
		{"below, the name of an outer one in another case", `{"name": "a", "x": {"NAME": "b"}}`, true, true},
		{"of another type", `{"name": 1}`, false, false},
		{"a list", `["name"]`, false, false},
		{"two values", `{"name": "a"} {}`, false, false},
		{"half of a pair", `{"name": "\ud800"}`, false, false},
		{"no UTF-8", "{\"name\": \"\xff\"}", false, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			type document struct {
				Name  string   `json:"name"`
				Kinds []string `json:"kinds"`
			}
			check := func(what string, err error, taken bool) {
				if taken && err != nil || !taken && !errors.Is(err, strictjson.ErrMalformed) {
					t.Errorf("%s(%s) = %v, want it taken: %v", what, tc.body, err, taken)
				}
			}
			var d, claims document
			check("DecodeStranger", strictjson.DecodeStranger([]byte(tc.body), &d), tc.document)
			check("DecodeClaims", strictjson.DecodeClaims([]byte(tc.body), &claims), tc.claims)
		})
	}
}
