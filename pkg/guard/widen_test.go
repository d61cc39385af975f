package guard_test

import (
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/guard"
)

// What was found of a name takes the given name before it and the surname behind it along, whatever else they mean.
func TestNamesAreFoundWhole(t *testing.T) {
	for text, want := range map[string]string{
		"Arun Chabrol and Navin Kothe were heard.":               "Arun Chabrol|Navin Kothe",
		"GERALD QUINLAVEN and ANN QUINLAVEN\nPlaintiffs":         "GERALD QUINLAVEN|ANN QUINLAVEN",
		"BLAKE GURLOCK; FARA GURLOCK; DEAN GURLOCK, Plaintiffs":  "BLAKE GURLOCK|FARA GURLOCK|DEAN GURLOCK",
		"She sued Jordan Zelenko in May.":                        "Jordan Zelenko",
		"Keenan George Dander, Thomas John Dander, Tampa, FL.":   "Keenan George Dander|Thomas John Dander",
		"SYLVIA O. HINDLE–RADIX wrote.":                          "SYLVIA O. HINDLE–RADIX",
		"RIVERTON, Circuit Judge: Dorothy Reeves was a servant.": "Dorothy Reeves",
		"MR A BURNS (of Counsel)":                                "MR A BURNS",
		"MS A WALLENBERGER APPELLANT":                            "MS A WALLENBERGER",
		"The United States moved. A COMPLAINT WAS FILED.":        "",
		"Dorothy Quillfeather Motion to Dismiss":                 "Dorothy Quillfeather",
	} {
		if got := foundIn(t, guard.FileText, text); got != want {
			t.Errorf("%q: found %q, want %q", text, got, want)
		}
	}
}

// What a judge sits as is nobody's initials, and a title of the bench without a name is nobody.
func TestTheBenchIsNoIdentity(t *testing.T) {
	for text, want := range map[string]string{
		"RUTH C. BALKWILL, J.P., JJ.":                    "RUTH C. BALKWILL",
		"VOGLER, P.J.":                                   "VOGLER",
		"JUDGMENT of Ms. Justice delivered on 3 May":     "",
		"HON'BLE MR. JUSTICE\n":                          "",
		"In the interest of J.P., a minor":               "J.P",
		"The mother of A.B., J.P., and C.D. was served.": "A.B|J.P|C.D",
	} {
		if got := foundIn(t, guard.FileText, text); got != want {
			t.Errorf("%q: found %q, want %q", text, got, want)
		}
	}
}
