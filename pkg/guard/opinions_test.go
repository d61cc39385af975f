package guard_test

import (
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/guard"
)

// What real papers taught, in sentences of our own of the same classes: what is found in a file, with bars between.
func TestPapersOfOthers(t *testing.T) {
	for text, want := range map[string]string{
		// judges of an opinion
		"IN THE COURT OF APPEALS\n\nPanel consists of Justices Ostrander, Vale-Morrow, and Quist.\n":                                                        "",
		"IN THE COURT OF APPEALS\n\nAlden H. Prewitt, Judge\n\nThe order is affirmed.\n":                                                                    "",
		"COURT OF APPEALS\nBefore OSTRANDER, C.J., and QUIST, VALE and MORROW, JJ.\n":                                                                       "",
		"The opinion of the court was delivered by Ostrander, J.:\nWe affirm.\n":                                                                            "",
		"IN THE HIGH COURT OF JUSTICE\nBefore:\nWILLIAM OSTRANDER K.C.\n(sitting as a Deputy Judge)\n":                                                      "",
		"UNITED STATES DISTRICT COURT\nJudge Ramona K. Ostrander\nORDER\n":                                                                                  "",
		"The mediation was before the Honorable Ramona Ostrander (Ret.) in the Circuit Court.":                                                              "Honorable Ramona Ostrander",
		"Hon. Wilma Prockter, J.S.C., owes rent.":                                                                                                           "Hon. Wilma Prockter, J.S.C.",
		"LANDGERICHT KIEL\ndurch die Richter Dr. Ostrander und Dr. Quist für Recht erkannt: Die Klage wird nicht abgewiesen und die Kosten werden geteilt.": "",
		// people
		"SUPERIOR COURT\nPIERS Q. OSTRANDER, Plaintiff":                                                  "PIERS Q. OSTRANDER",
		"SUPERIOR COURT\nVickie H. OSTRANDER, Appellant":                                                 "Vickie H. OSTRANDER",
		"sued Grant Casselberry, individually, and the County":                                           "Grant Casselberry",
		"Der am 20.12.1957 geborene Kläger und die Beklagte sind nicht verwandt und nicht verschwägert.": "20.12.1957",
		"We asked landlord Snuckered about it.":                                                          "Snuckered",
		// firms
		"Digital Oversight, Inc. (DOI) replied. DOI paid.":                    "Digital Oversight, Inc.|DOI|DOI",
		"Texas Tacos Cabana, L.P. (Tacos Cabana) replied. Tacos Cabana paid.": "Texas Tacos Cabana, L.P.|Tacos Cabana|Tacos Cabana",
		"Harbor Pharmacy #2, LLC and Bagley 3015, LLC signed.":                "Harbor Pharmacy #2, LLC|Bagley 3015, LLC",
		"The closing is with Keystone Title next week.":                       "Keystone Title",
		"Rent goes to Harvest Moon Properties every month.":                   "Harvest Moon Properties",
		"Seller shall convey Marketable Title and Rental Properties.":         "",
		"Le tribunal a condamné la SARL Ostrande Vale à payer et la société Brume et Fils, représentée par son gérant, est présente dans cette affaire.": "SARL Ostrande Vale|Brume et Fils",
		"In 2026 CH 04417 the court ruled.": "2026 CH 04417",
		// what is no name
		"The patient takes Eliquis and Xarelto and drove a Chevrolet.":                 "",
		"Box 14, Code AE of the K-1 shows the amount.":                                 "",
		"claims under the Uniformed Services Relief Act (\"USRA\") and the USRA again": "",
		"2011 JC 122 and 1998 SCLR 300 were cited.":                                    "",
		"Royal Courts of Justice,\nStrand,\nLondon WC2A 2LL\n":                         "",
		"COURT OF APPEALS\n[Party 1] of [Org 1], Dallas, for the appellant.":           "",
	} {
		if got := foundIn(t, guard.FileText, text); got != want {
			t.Errorf("%q: found %q, want %q", text, got, want)
		}
	}
}

// A title that is nothing but a name is one, and a firm's papers name it.
func TestTitlesThatAreNames(t *testing.T) {
	for text, want := range map[string]string{
		"Grace Park": "Grace Park", "Forest Hill": "Forest Hill", "Lease Review": "", "BLM Law": "BLM Law", "BLM land use": "",
	} {
		if got := foundIn(t, guard.Title, text); got != want {
			t.Errorf("%q: found %q, want %q", text, got, want)
		}
	}
	if got := foundIn(t, guard.FileName, "Protokoll Saal 117.txt"); got != "" {
		t.Errorf("a room: found %q", got)
	}
}
