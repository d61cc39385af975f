package guard_test

import (
	"fmt"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/guard"
)

func TestStatutesAndCourtsOfStatesPass(t *testing.T) {
	for _, cited := range []string{
		"Cal. Civ. Code § 1542", "Cal. Civ. Code 1542", "Cal. Prob. Code 859", "Cal. Const., art. I, § 7",
		"Code Civ. Proc., § 437c, subd. (c)", "Cal. Code Regs., tit. 8, § 11040", "N.Y. C.P.L.R. 3212(b)",
		"N.Y. Est. Powers & Trusts Law § 5-1.1-A", "N.Y. Comp. Codes R. & Regs. tit. 22, § 202.8",
		"Tex. Bus. & Com. Code Ann. § 17.46(b)", "TEX. CIV. PRAC. & REM. CODE § 41.008", "Tex. Const. art. I, § 9",
		"La. Civ. Code Ann. art. 3492", "La. C.C.P. art. 966", "Ill. Comp. Stat. Ann. 5/2-619", "Colo. C.R.C.P. 12(b)",
		"Ohio Admin. Code 4123-3-08", "S.C. Code Regs. 61-62", "Neb. Ct. R. Pldg. § 6-1112", "Conn. Practice Book § 17-49",
		"Md. Code Ann., Cts. & Jud. Proc. § 5-101", "W. Va. Code § 55-2-12", "P.R. Laws Ann. tit. 31, § 5141",
		"La. 2019", "N.H. 2019", "Bankr. W.D.N.C. 2019", "W.D. Pa. 2019", "Oh. Ct. Com. Pl., Highland 2019",
		"Fayette Cty. Ct. Qtr. Sess. 1921", "Morris County Superior Court", "District Court, C.D. Illinois",
		"Dauphin County Court of Oyer and Terminer",
	} {
		for _, frame := range []string{"The claim is barred (%s), and it fails.", "Under the law (%s) it fails."} {
			for _, door := range []guard.Channel{guard.FileText, guard.Prompt} {
				if got := found(t, door, fmt.Sprintf(frame, cited)); got != "" {
					t.Errorf("%v, %s: %s", door, cited, got)
				}
			}
		}
	}
}

// What a court or a State is called does not excuse the people and companies beside it.
func TestNamesBesideCourtsOfStatesAreFound(t *testing.T) {
	for text, want := range map[string]string{
		"Morris County Superior Court heard Thaddeus Brankovic.":       `person="Thaddeus Brankovic"`,
		"Thaddeus Brankovic sued in the Allen Circuit Court, Kentucky": `person="Thaddeus Brankovic"`,
		"Adams & Hale LLP sued in the Probate Court of Maine":          `org="Adams & Hale LLP"`,
		"The tenant (La. Brankovic 2019) left.":                        `person="La" person="Brankovic"`,
		"She lives at 12 Allen Circuit Court, near the lake.":          `address="12 Allen Circuit Court"`,
	} {
		if got := found(t, guard.FileText, text); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}
