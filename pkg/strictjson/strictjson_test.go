package strictjson_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/strictjson"
)

type inner struct {
	N    int      `json:"n"`
	Tags []string `json:"tags"`
}

type body struct {
	Title string          `json:"title"`
	Inner *inner          `json:"inner"`
	List  []inner         `json:"list"`
	Any   json.RawMessage `json:"any"`
	inner
}

func TestDecode(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		want       error
		path       string
	}{
		{"whole", `{"title":"t","inner":{"n":1,"tags":["a"]},"list":[{"n":2}],"any":{"x":[1,{"y":2}]}}`, nil, ""},
		{"empty object", `{}`, nil, ""},
		{"unknown field", `{"titel":"t"}`, strictjson.ErrUnknown, "titel"},
		{"other case is another field", `{"Title":"t"}`, strictjson.ErrUnknown, "Title"},
		{"unknown field deep down", `{"list":[{"m":1}]}`, strictjson.ErrUnknown, "list[].m"},
		{"a field that asks for an identity", `{"first_name":""}`, strictjson.ErrRefusedName, "first_name"},
		{"such a field deep down", `{"inner":{"e-Mail":"x"}}`, strictjson.ErrRefusedName, "inner.e-Mail"},
		{"a key that is content is not repeated", `{"jane.roe@mail.example":1}`, strictjson.ErrUnknown, "?"},
		{"a key of words that are a name is not repeated", `{"inner":{"quillonZorbanek":1}}`, strictjson.ErrUnknown, "inner.?"},
		{"a key that is a name is not repeated", `{"zorbanek":1}`, strictjson.ErrUnknown, "?"},
		{"a key of several words", `{"createdAt_by-user2":1}`, strictjson.ErrUnknown, "createdAt_by-user2"},
		{"doubled key", `{"title":"a","title":"b"}`, strictjson.ErrMalformed, ""},
		{"doubled key written otherwise", `{"title":"a","t\u0069tle":"b"}`, strictjson.ErrMalformed, ""},
		{"wrong type", `{"title":1}`, strictjson.ErrValidation, "title"},
		{"wrong type deep down", `{"inner":{"n":"x"}}`, strictjson.ErrValidation, "inner.n"},
		{"object for a string", `{"title":{"$ne":null}}`, strictjson.ErrValidation, "title"},
		{"a whole number with a fraction", `{"inner":{"n":24.0},"list":[{"n":2.4e1},{"n":-0.0}]}`, nil, ""},
		{"fraction for a number", `{"inner":{"n":1.5}}`, strictjson.ErrValidation, "inner.n"},
		{"array", `[]`, strictjson.ErrValidation, ""},
		{"null", ` null `, strictjson.ErrValidation, ""},
		{"nothing", ``, strictjson.ErrMalformed, ""},
		{"cut off", `{"title":"t"`, strictjson.ErrMalformed, ""},
		{"cut off behind an unknown name", `{"a":`, strictjson.ErrMalformed, ""},
		{"cut off within an unknown name", `{"a`, strictjson.ErrMalformed, ""},
		{"cut off behind a refused name", `{"first_name":"x`, strictjson.ErrMalformed, ""},
		{"cut off deep down", `{"inner":{"m":1}`, strictjson.ErrMalformed, ""},
		{"no value for an unknown name", `{"a":}`, strictjson.ErrMalformed, ""},
		{"an unknown name, and another twice", `{"a":1,"b":1,"b":2}`, strictjson.ErrMalformed, ""},
		{"trailing text behind an unknown name", `{"a":1} x`, strictjson.ErrMalformed, ""},
		{"two values", `{} {}`, strictjson.ErrMalformed, ""},
		{"trailing text", `{} x`, strictjson.ErrMalformed, ""},
		{"not UTF-8", "{\"title\":\"\xff\"}", strictjson.ErrMalformed, ""},
		{"half a surrogate pair", `{"title":"a\ud800b"}`, strictjson.ErrMalformed, ""},
		{"the other half", `{"title":"\udc00"}`, strictjson.ErrMalformed, ""},
		{"two first halves", `{"title":"\ud83d\ud83d\ude00"}`, strictjson.ErrMalformed, ""},
		{"half a pair in a key", `{"\uDBFF":1}`, strictjson.ErrMalformed, ""},
		{"half a pair at the end", `{"title":"\ud800`, strictjson.ErrMalformed, ""},
		{"a pair", `{"title":"\ud83d\ude00 \u00e9"}`, nil, ""},
		{"a backslash before what looks like half a pair", `{"title":"\\ud800"}`, nil, ""},
		{"too deep", `{"any":` + strings.Repeat("[", 40) + strings.Repeat("]", 40) + `}`, strictjson.ErrMalformed, ""},
		{"NaN", `{"inner":{"n":NaN}}`, strictjson.ErrMalformed, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var v body
			err := strictjson.Decode([]byte(tc.text), &v)
			if !errors.Is(err, tc.want) {
				t.Fatalf("err = %v, want %v", err, tc.want)
			}
			if tc.path != "" {
				if d := errs.From(err).Details; len(d) != 1 || d[0].Path != tc.path {
					t.Errorf("details = %+v, want path %q", d, tc.path)
				}
			}
		})
	}
}

// A list is read like an object: what is wrong with one of its fields is told, and what breaks off is malformed.
func TestDecodeOfAList(t *testing.T) {
	for text, want := range map[string]error{
		`[{"title":"t"},{}]`:          nil,
		`[{"titel":"t"}]`:             strictjson.ErrUnknown,
		`[{},{"first_name":"x"}]`:     strictjson.ErrRefusedName,
		`[{"titel":"t"}`:              strictjson.ErrMalformed,
		`[{"titel":"t"},{"a":1,}]`:    strictjson.ErrMalformed,
		`[{"first_name":"x"},{"a":1}`: strictjson.ErrMalformed,
	} {
		var v []body
		if err := strictjson.Decode([]byte(text), &v); !errors.Is(err, want) {
			t.Errorf("Decode(%s) = %v, want %v", text, err, want)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, s := range []string{
		`{"title":"t","list":[{"n":1}]}`, `{"any":[[[1]]]}`, `{"a":{"a":{}}}`, "\xff", `{"title":"\ud800"}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var v body
		err := strictjson.Decode(text, &v)
		if err == nil && !json.Valid(text) {
			t.Errorf("accepted %q", text)
		}
		if err != nil && errs.From(err).Kind == errs.Internal {
			t.Errorf("%q is an internal error: %v", text, err)
		}
	})
}
