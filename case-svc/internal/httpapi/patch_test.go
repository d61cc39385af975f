package httpapi

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/settings"
	"github.com/subrosa-legal/subrosa/pkg/audit"
)

// The examples of RFC 7396, appendix A, whose target is an object.
func TestMergeJSON(t *testing.T) {
	for _, tc := range []struct{ target, patch, want string }{
		{`{"a":"b"}`, `{"a":"c"}`, `{"a":"c"}`},
		{`{"a":"b"}`, `{"b":"c"}`, `{"a":"b","b":"c"}`},
		{`{"a":"b"}`, `{"a":null}`, `{}`},
		{`{"a":"b","b":"c"}`, `{"a":null}`, `{"b":"c"}`},
		{`{"a":["b"]}`, `{"a":"c"}`, `{"a":"c"}`},
		{`{"a":"c"}`, `{"a":["b"]}`, `{"a":["b"]}`},
		{`{"a":{"b":"c"}}`, `{"a":{"b":"d","c":null}}`, `{"a":{"b":"d"}}`},
		{`{"a":[{"b":"c"}]}`, `{"a":[1]}`, `{"a":[1]}`},
		{`{"e":null}`, `{"a":1}`, `{"a":1,"e":null}`},
		{`{}`, `{"a":{"bb":{"ccc":null}}}`, `{"a":{"bb":{}}}`},
		{`["a"]`, `{"b":1}`, `{"b":1}`},
	} {
		got, err := mergeJSON([]byte(tc.target), []byte(tc.patch))
		if err != nil || string(got) != tc.want {
			t.Errorf("%s with %s = %s, %v, want %s", tc.target, tc.patch, got, err, tc.want)
		}
	}
}

func FuzzCasePatch(f *testing.F) {
	for _, s := range []string{
		`{}`, `{"title":"Lease of [Party 1]","summary":null}`, `{"forum":{"courtCode":null,"system":"state"}}`, `{"complexity":{"override":{"tier":3}}}`, `{"complexity":{"override":null}}`,
		`{"retention":{"legalHold":true,"holdReason":null}}`, `{"amountInControversy":{"amount":"1","source":{"page":null}}}`, `{"practiceAreas":[{"code":"x"},null]}`,
		`{"supervision":{"licenceJurisdictions":null}}`, `{"stage":{"task":null}}`, `{"jointRepresentation":null}`, `{"confidentiality":null}`, `[]`, `null`, `{"a":`, `{"caseId":1}`,
	} {
		f.Add([]byte(s))
	}
	c, err := cases.New("u:ann", "0190a3b1-0000-7000-8000-000000000001", audit.Actor{Kind: audit.User, ID: "ann", UserID: "ann"}, cases.Draft{}, noon)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		p, err := readCasePatch(body)
		if err != nil {
			return
		}
		before := c.Draft()
		once, err := p.merge(before)
		if err != nil {
			t.Fatalf("a patch of the right form cannot be merged: %v", err)
		}
		twice, err := p.merge(once)
		if err != nil || !reflect.DeepEqual(once, twice) {
			t.Errorf("merged twice it says something else: %v", err)
		}
		if !reflect.DeepEqual(before, c.Draft()) {
			t.Error("the merge changed what it was given")
		}

		touched := map[cases.Field]bool{}
		for _, field := range p.fields {
			touched[field] = true
		}
		if !touched[cases.FieldTitle] && once.Title != before.Title && *once.Title != *before.Title {
			t.Error("a title that is not in the patch was changed")
		}
	})
}

func FuzzSettingsPatch(f *testing.F) {
	for _, s := range []string{
		`{}`, `{"retention":{"x":3,"default":null}}`, `{"archiveAfterDays":null}`, `{"tierCutPoints":[1,2,3]}`, `{"deadlineRules":{"rules":[{"count":-1}]}}`, `{"allowedWords":null}`, `{"version":1}`, `null`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		p, err := readSettingsPatch(body)
		if err != nil {
			return
		}
		before := settings.Default("u:ann")
		once, err := mergeSettings(before, p.given)
		if err != nil {
			return // a value of a form that only the whole shows
		}
		twice, err := mergeSettings(once, p.given)
		if err != nil || !reflect.DeepEqual(once, twice) {
			t.Errorf("merged twice it says something else: %v", err)
		}
		if !reflect.DeepEqual(before, settings.Default("u:ann")) {
			t.Error("the merge changed what it was given")
		}
		if _, err := json.Marshal(settingsOf(once)); err != nil {
			t.Errorf("settings that have no form: %v", err)
		}
	})
}
