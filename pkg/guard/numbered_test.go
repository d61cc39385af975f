package guard_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/guard"
)

// A name that is written as a list of numbers is found, whatever the way and the signs between them.
func TestNamesWrittenAsNumbersAreFound(t *testing.T) {
	for way, tc := range map[string]struct{ form, between string }{
		"octal escapes":               {`\%03o`, ""},
		"octal numbers":               {"%03o", " "},
		"code points":                 {"%d", ", "},
		"code points of three places": {"%03d", " "},
		"code points, one a line":     {"%d", "\n"},
		"code points in cells":        {"%d", " | "},
		"bytes":                       {"%02x", " "},
		"bytes in capitals":           {"%02X", ","},
		"numbers of a program":        {"0x%x", ", "},
		"octal numbers of a program":  {"0o%o", " "},
		"Unicode":                     {"U+%04X", " "},
		"escapes":                     {`\u%04x`, ""},
		"long escapes":                {`\U%08x`, ""},
		"escapes in braces":           {`\u{%x}`, ""},
		"escapes of style sheets":     {`\%06x`, ""},
		"escapes with blanks":         {`\%x`, " "},
		"escapes of scripts":          {"%%u%04X", ""},
		"calls":                       {"chr(%d)", "+"},
		"calls in capitals":           {"CHAR(%d)", " & "},
	} {
		for _, name := range []string{"Petra Holzmann", "PETRA HOLZMANN", "Holzmann", "petra holzmann"} {
			numbers := make([]string, 0, len(name))
			for _, r := range name {
				numbers = append(numbers, fmt.Sprintf(tc.form, r))
			}

			text := "The tenant is [" + strings.Join(numbers, tc.between) + "] as agreed."
			if found(t, guard.FileText, text) == "" {
				t.Errorf("%s of %q pass: %s", way, name, text)
			}
		}
	}

	for _, text := range []string{
		"=ybegin line=128 size=14 name=a\nx\n=yend size=14", "=ybegin part=1 line=128 size=14 name=a\nx",
	} {
		if found(t, guard.FileText, text) == "" {
			t.Errorf("%q passes", text)
		}
	}
}

// Lists of numbers in papers are none.
func TestListsOfNumbersAreNoText(t *testing.T) {
	for _, text := range []string{
		"See pages 74, 98, 101, 110 and 120 of the record.",
		"See pages 65, 72, 97, 98, 101, 105, 110, 112 and 120 of the record.",
		"The pulse was 72, 98, 101, 99, 110, 97, 88, 76 in these hours.",
		"The readings were 118 120 117 115 119 121 116 110 105 100 97.",
		"The temperatures were 72, 65, 75, 69, 74, 70, 73, 66, 80 and 72, 68, 71, 69, 74, 73, 66, 65.",
		"Their ages are 72, 65, 45, 75, 69, 78, 90, 65, 38, 66.",
		"Exhibits 77, 65, 97, 101, 110 and 99 were struck.",
		"| 2019 | 82 | 101 | 110 | 116 |\n| 2020 | 84 | 97 | 120 | 101 |",
		"Paragraphs 65, 72, 66, 101, 69, 70, 112, 80, 90 of the order.",
		`The folder \112\data and \113\data`,
		"Add 0x10 and 0x20, then 0x0A.",
		"The header says =ybegin and nothing else.",
		strings.Repeat("97 66 ", 4000),
	} {
		if got := found(t, guard.FileText, text); got != "" {
			t.Errorf("%.60q holds %.60s, want nothing", text, got)
		}
	}
}
