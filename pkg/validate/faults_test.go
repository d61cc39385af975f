package validate_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/validate"
)

// What belongs on one line holds nothing by which it can look like something else; text of many lines keeps its marks.
func TestLinesAndProse(t *testing.T) {
	t.Parallel()

	for name, tc := range map[string]struct {
		text        string
		line, prose bool // whether each takes it
	}{
		"words":                        {"Lease of the mill", true, true},
		"words of a right-to-left one": {"חוזה שכירות", true, true},
		"both directions":              {"Lease חוזה 12", true, true},
		"a joined picture":             {"Family \U0001f468\u200d\U0001f469\u200d\U0001f467", true, true},
		"an accent of its own":         {"Cafe\u0301", true, true},
		"embedding, left to right":     {"a\u202ab", false, true},
		"embedding, right to left":     {"a\u202bb", false, true},
		"the end of one":               {"a\u202cb", false, true},
		"override, left to right":      {"a\u202db", false, true},
		"override, right to left":      {"invoice\u202efdp.exe", false, true},
		"isolation, left to right":     {"a\u2066b", false, true},
		"isolation, right to left":     {"a\u2067b", false, true},
		"isolation, by the first":      {"a\u2068b", false, true},
		"the end of an isolation":      {"a\u2069b", false, true},
		"a line separator":             {"a\u2028b", false, true},
		"a paragraph separator":        {"a\u2029b", false, true},
		"the next line":                {"a\u0085b", false, false},
		"a line end":                   {"a\nb", false, true},
		"a tab":                        {"a\tb", false, true},
		"a zero byte":                  {"a\x00b", false, false},
		"an escape":                    {"a\x1b[31mb", false, false},
		"delete":                       {"a\x7fb", false, false},
		"a mark at the start":          {"\u202ea", false, true},
		"a mark at the end":            {"a\u202e", false, true},
		"no UTF-8":                     {"a\xffb", false, false},
		"nothing":                      {"", false, false},
		"too much":                     {strings.Repeat("a", 41), false, false},
	} {
		var line, prose validate.List
		gotLine, gotProse := line.Line("x", tc.text, 1, 40), prose.Prose("x", tc.text, 1, 40)

		for what, got := range map[string]struct {
			err   error
			taken bool
			text  string
		}{"a line": {line.Err(), tc.line, gotLine}, "prose": {prose.Err(), tc.prose, gotProse}} {
			if (got.err == nil) != got.taken || got.err != nil && !errors.Is(got.err, validate.ErrInvalid) {
				t.Errorf("%s as %s = %v, want it taken: %t", name, what, got.err, got.taken)
			}
			if marks := strings.ContainsFunc(tc.text, validate.Unprintable); got.taken && marks && got.text != tc.text {
				t.Errorf("%s as %s is changed to %q", name, what, got.text)
			}
			if e := errs.From(got.err); got.err != nil && (len(e.Details) != 1 || e.Details[0].Path != "x") {
				t.Errorf("%s as %s names %v", name, what, e.Details)
			}
		}
	}
}
