package guard_test

import (
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/guard"
)

// A court in capitals hides no party in capitals below, beside or behind it.
func TestNamesBesideACourtInCapitals(t *testing.T) {
	for text, want := range map[string]string{
		"SUPERIOR COURT OF CALIFORNIA, COUNTY OF ALAMEDA\nDWAYNE PELLETIER\n":                                                "DWAYNE PELLETIER",
		"UNITED STATES DISTRICT COURT NORTHERN DISTRICT OF CALIFORNIA GRACE PARK, Plaintiff, v. HOPE BANKS, Defendant":       "GRACE PARK|HOPE BANKS",
		"UNITED STATES DISTRICT COURT\nNORTHERN DISTRICT OF CALIFORNIA\n\nGRACE PARK,\nPlaintiff,\n":                         "GRACE PARK",
		"AMERICAN ARBITRATION ASSOCIATION\nCOMMERCIAL ARBITRATION TRIBUNAL\nGRACE PARK, Claimant\n":                          "GRACE PARK",
		"EQUAL EMPLOYMENT OPPORTUNITY COMMISSION\nWILL PAGE\n":                                                               "WILL PAGE",
		"BEFORE THE DEPARTMENT OF LABOR DWAYNE PELLETIER, COMPLAINANT\n":                                                     "DWAYNE PELLETIER",
		"HIGH COURT OF JUSTICE KING'S BENCH DIVISION GRACE PARK Claimant\n":                                                  "GRACE PARK",
		"DWAYNE PELLETIER SUPERIOR COURT OF CALIFORNIA\n":                                                                    "DWAYNE PELLETIER",
		"SUPERIOR COURT OF CALIFORNIA\nCOUNTY OF ALAMEDA\n\nDWAYNE PELLETIER,\n   Plaintiff,\nv.\nHOPE BANKS,\nDefendant.\n": "DWAYNE PELLETIER|HOPE BANKS",
		"COUNTY OF ALAMEDA\nDWAYNE PELLETIER\nv.\nRICHTON FOODS, INC.\n":                                                     "DWAYNE PELLETIER|RICHTON FOODS, INC.",
		"PARISH OF CADDO TADEUSZ WROBLEWSKI\n":                                                                               "TADEUSZ WROBLEWSKI",
		"GRACE PARK UNITED STATES DISTRICT COURT\n":                                                                          "GRACE PARK",
		"UNITED STATES DISTRICT COURT\nCIVIL MINUTES\nSUMMARY JUDGMENT\nCAUSE OF ACTION\n":                                   "",
		"SUPERIOR COURT OF CALIFORNIA\nNOTICE OF MOTION\nMEMORANDUM OF POINTS AND AUTHORITIES\nPROOF OF SERVICE\n":           "",
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
		{"Hi Rose,", "Cheers\nWill", "Rose|Will"},
		{"Dear Mark,", "Regards\nWill Page", "Mark|Will Page"},
		{"Sehr geehrte Frau Zbrozek,", "Mit freundlichen Grüßen\n\nRechtsanwalt Krautheim", "Frau Zbrozek|Krautheim"},
		{"Sehr geehrte Damen und Herren,", "Viele Grüße\nUlrike", "Ulrike"},
		{"Sehr geehrter Herr Kollege,", "Mit freundlichen Grüßen", ""},
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
		"It was agreed that Northeast paid the rent.":             "",
		"Admit that Pitocin was increased at 04:10.":              "",
	} {
		if got := foundIn(t, guard.FileText, text); got != want {
			t.Errorf("%q: found %q, want %q", text, got, want)
		}
	}
}

// People who are called as a town is are found where what stands beside the word is said of people alone, and German
// lawyers by their office.
func TestPeopleCalledAsATown(t *testing.T) {
	for text, want := range map[string]string{
		"The officer saw that Marion was sitting in the car.":                            "Marion",
		"She left because Madison was arrested.":                                         "Madison",
		"They moved because Denver was growing.":                                         "",
		"The court noted that Denver was sued.":                                          "",
		"Prozessbevollmächtigter: Rechtsanwalt Krautheim, Marburg,":                      "Krautheim",
		"Der Zeuge Marburg sagte aus.":                                                   "Marburg",
		"Die Notarin Quistorp war da.":                                                   "Quistorp",
		"Es ist streitig, ob der Mieter Schadensersatz und der Notar Belehrung schuldet": "",
	} {
		if got := foundIn(t, guard.FileText, text); got != want {
			t.Errorf("%q: found %q, want %q", text, got, want)
		}
	}
}

// A policeman's rank names who bears it, though companies have officers and agents too.
func TestRanksNamePeople(t *testing.T) {
	for text, want := range map[string]string{
		"Police Officer J. Dunning was dispatched. Later Officer Dunning left.":    "Officer J. Dunning|Dunning",
		"The scene was secured by Sergeant Fielding. Later Officer Harding left.":  "Sergeant Fielding|Officer Harding",
		"The Chief Financial Officer Compensation and each Officer Meeting stood.": "",
		"The Collateral Agent Fees and the Officer Certificate are due.":           "",
	} {
		if got := foundIn(t, guard.FileText, text); got != want {
			t.Errorf("%q: found %q, want %q", text, got, want)
		}
	}
}

// French companies may have their form in brackets behind the name, and in small letters before it.
func TestFormsInBrackets(t *testing.T) {
	for text, want := range map[string]string{
		"Entre :\n\nLe Hameau (SAS), dont le siège est à Lyon,\net\nGrand Pré (SARL)\n":    "Le Hameau|Grand Pré",
		"La cour condamne Les Jardins du Lac (SA) aux dépens.":                             "Les Jardins du Lac",
		"APPELANTE\nLE HAMEAU (SAS)\nINTIMÉE\nCLAIR LOGIS (SCI)\n":                         "LE HAMEAU|CLAIR LOGIS",
		"La cour condamne la Sarl Mirabel aux dépens, et la Selarl Juricap est intimée.":   "Sarl Mirabel|Selarl Juricap",
		"Das Gericht hat mit der Wolfram Bau mbH am 1. September den Vertrag geschlossen.": "Wolfram Bau mbH",
		"The Special Air Service (SAS) and a Statistical Analysis System (SAS).":           "",
	} {
		if got := foundIn(t, guard.FileText, text); got != want {
			t.Errorf("%q: found %q, want %q", text, got, want)
		}
	}
}
