package guard_test

import (
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/guard"
)

// A court in capitals hides no party in capitals below, beside or behind it.
func TestNamesBesideACourtInCapitals(t *testing.T) {
	for text, want := range map[string]string{
		"SUPERIOR COURT OF CALIFORNIA, COUNTY OF ALAMEDA\nDWAYNE PELLETIER\n":                                          "DWAYNE PELLETIER",
		"UNITED STATES DISTRICT COURT NORTHERN DISTRICT OF CALIFORNIA GRACE PARK, Plaintiff, v. HOPE BANKS, Defendant": "GRACE PARK|HOPE BANKS",
		"UNITED STATES DISTRICT COURT\nNORTHERN DISTRICT OF CALIFORNIA\n\nGRACE PARK,\nPlaintiff,\n":                   "GRACE PARK",
		"AMERICAN ARBITRATION ASSOCIATION\nCOMMERCIAL ARBITRATION TRIBUNAL\nGRACE PARK, Claimant\n":                    "GRACE PARK",
		"EQUAL EMPLOYMENT OPPORTUNITY COMMISSION\nWILL PAGE\n":                                                         "WILL PAGE",
		"BEFORE THE DEPARTMENT OF LABOR DWAYNE PELLETIER, COMPLAINANT\n":                                               "DWAYNE PELLETIER",
		"HIGH COURT OF JUSTICE KING'S BENCH DIVISION GRACE PARK Claimant\n":                                            "GRACE PARK",
		"GRACE PARK UNITED STATES DISTRICT COURT\n":                                                                    "GRACE PARK",
		"UNITED STATES DISTRICT COURT\nCIVIL MINUTES\nSUMMARY JUDGMENT\nCAUSE OF ACTION\n":                             "",
		"SUPERIOR COURT OF CALIFORNIA\nNOTICE OF MOTION\nMEMORANDUM OF POINTS AND AUTHORITIES\nPROOF OF SERVICE\n":     "",
	} {
		if got := foundIn(t, guard.FileText, text); got != want {
			t.Errorf("%q: found %q, want %q", text, got, want)
		}
	}
}

// A list that accounts for a word accounts for no neighbour, and a case for no name before it.
func TestListsExcuseTheirOwnWords(t *testing.T) {
	for text, want := range map[string]string{
		"Typ Baker":                                                "Baker",
		"Telefon Hale":                                             "Hale",
		"Nexium Baker was seen again.":                             "Baker",
		"Humira Baker took it.":                                    "Baker",
		"Nadia Roe v. Wade was argued.":                            "Nadia",
		"He was taken to Mercy General.":                           "Mercy General",
		"We signed the Kestrel Ridge term sheet.":                  "Kestrel Ridge",
		"The Attorney General and the Inspector General answered.": "",
		"Nexium was stopped. Roe v. Wade was overruled.":           "",
	} {
		got := foundIn(t, guard.FileText, text)
		if got != want {
			t.Errorf("%q: found %q, want %q", text, got, want)
		}
	}
}

// A letter names whom it greets, and its writer below the line that closes it, by the given name alone.
func TestLettersNameTheirWriters(t *testing.T) {
	for _, tc := range []struct{ greeting, closing, want string }{
		{"Hi Mark,", "Thanks,\nGrace", "Mark|Grace"},
		{"Dear April,", "Best regards,\n\nHope", "April|Hope"},
		{"Hello Rose!", "Cheers,\nWill", "Rose|Will"},
		{"Hi team,", "Many thanks,\nAll", ""},
		{"Good morning,", "Sincerely yours,\nCounsel", ""},
	} {
		text := tc.greeting + "\n\nthe draft is attached, please see the second page of it.\n\n" + tc.closing + "\n"
		if got := foundIn(t, guard.FileText, text); strings.TrimSpace(got) != tc.want {
			t.Errorf("%q: found %q, want %q", text, got, tc.want)
		}
	}
}

// "That" before a name begins a clause and is no article.
func TestNamesBehindThat(t *testing.T) {
	for text, want := range map[string]string{
		"An informant said that Greene was selling cocaine base.": "Greene",
		"Police learned that Baker was selling.":                  "Baker",
		"She testified that Zbrozek paid rent.":                   "Zbrozek",
		"The court held that Congress was aware of that Act.":     "",
		"Admit that Pitocin was increased at 04:10.":              "",
	} {
		if got := foundIn(t, guard.FileText, text); got != want {
			t.Errorf("%q: found %q, want %q", text, got, want)
		}
	}
}
