package strictjson_test

import (
	"encoding/json"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/strictjson"
)

func TestWholeNumbers(t *testing.T) {
	t.Parallel()

	for text, want := range map[string]string{
		`{"a":24.0,"b":[1e2,-3.50,2.40E+1]}`: `{"a":24,"b":[100,-3.50,24]}`,
		`{"a":"24.0 \\","b":"\"1e2\""}`:      `{"a":"24.0 \\","b":"\"1e2\""}`,
		`24`:                                 `24`,
		`24.000`:                             `24`,
		`-0.0`:                               `-0`,
		`1.5`:                                `1.5`,
		`1e999999999`:                        `1e999999999`,
		`1e-999999999`:                       `1e-999999999`,
		`9223372036854775808.0`:              `9223372036854775808.0`,
		`1.0.0`:                              `1.0.0`,
		`"open 1.0`:                          `"open 1.0`,
	} {
		if got := string(strictjson.WholeNumbers([]byte(text))); got != want {
			t.Errorf("%s became %s, want %s", text, got, want)
		}
	}
}

// FuzzWholeNumbers holds that a text keeps its meaning.
func FuzzWholeNumbers(f *testing.F) {
	f.Add([]byte(`{"a":24.0,"b":[1e2,"1.0\\"]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		if !json.Valid(text) {
			return
		}
		var before, after any
		if json.Unmarshal(text, &before) != nil {
			return
		}
		if err := json.Unmarshal(strictjson.WholeNumbers(text), &after); err != nil {
			t.Fatalf("%q is JSON no more: %v", text, err)
		}
		one, _ := json.Marshal(before)
		two, _ := json.Marshal(after)
		if string(one) != string(two) {
			t.Fatalf("%s became %s", one, two)
		}
	})
}
