package guard_test

import (
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/guard"
)

// A court in a text makes nobody a judge: who stands as a party, or by a role, is found.
func TestJudgesExcuseNoPeople(t *testing.T) {
	for text, want := range map[string]string{
		"IN THE DISTRICT COURT\nPlaintiff Brian Kowalczyk, Master Sergeant, lives in Salem. Kowalczyk owns the boat.":       "Kowalczyk|Kowalczyk",
		"This lease may be enforced in the District Court.\nTenant: Zoltan Zbrozek, Master Electrician\nZbrozek pays rent.": "Zbrozek|Zbrozek",
		"SUPERIOR COURT\nDana Wexmoor, Justice Department lawyer":                                                           "Wexmoor",
		"SUPERIOR COURT\nZoltan Zbrozek, S.J.D.":                                                                            "Zbrozek",
		"FAMILY COURT\nIn the matter of Kowalczyk, J.A., a minor. Kowalczyk lives with her aunt.":                           "Kowalczyk|Kowalczyk",
		"SUPERIOR COURT\nPatient: Kowalczyk, C.J., age 4":                                                                   "Kowalczyk",
		"SUPERIOR COURT\nWitnesses: Zbrozek, S.J.; Wexmoor, J.A.":                                                           "Zbrozek|Wexmoor",
		"SUPERIOR COURT\nKowalczyk, J. (tenant)":                                                                            "Kowalczyk",
		"SUPERIOR COURT\nZoltan Zbrozek\n(sitting in seat 14 of the bus)":                                                   "Zbrozek",
		"SUPERIOR COURT\nthe Honorable Zoltan Zbrozek, mayor of Salem":                                                      "Zbrozek",
		"SUPERIOR COURT\nHale, Kowalczyk, for plaintiff":                                                                    "Kowalczyk",
		"AMTSGERICHT MÜNSTER\nDie Kläger Anna Richter und Zoltan Zbrozek wohnen in Kiel. Zbrozek zahlt.":                    "Zbrozek|Zbrozek",
		"LANDGERICHT KIEL\nRichter am Landgericht Stolzenburg, Richterin am Bundesgerichtshof Dr. Eckern haben entschieden": "",
		"AMTSGERICHT MÜNSTER\nHerr Richter und Frau Zbrozek":                                                                "Zbrozek",
		"AMTSGERICHT MÜNSTER\nSabine Richter, Gustav Zbrozek und Olga Kowalczyk":                                            "Zbrozek|Kowalczyk",
		"Cour d'appel de Lyon\nLa société Orvex, représentée par Zoltan Zbrozek, Président. Zbrozek a signé.":               "Zbrozek|Zbrozek",
		"COUR D'APPEL DE LYON\nLa société Orvex, représentée par Zoltan Zbrozek, Président. Zbrozek a signé.":               "Zbrozek|Zbrozek",
		"COUR D'APPEL DE LYON\nM. Tom Baker, Conseiller municipal":                                                          "Baker",
		"SUPERIOR COURT\nThe opinion of the court was delivered by Ostrander, J.:\nOstrander, the tenant, owes rent. ":      "Ostrander",
		"A.B. # 2 was hurt by M.K. # 4, a child.":                                                                           "A.B|M.K",
		"He lives at P.O. Box 14, Code 22":                                                                                  "14",
	} {
		got := foundIn(t, guard.FileText, text)

		rest := got
		for _, name := range strings.Split(want, "|") {
			_, behind, ok := strings.Cut(rest, name)
			if !ok {
				t.Errorf("%q: found %q, want %q in it", text, got, want)
				break
			}
			rest = behind
		}
	}
}

// A docket's entry stays excused, and a form's box.
func TestNumbersOfEntriesAreNoInitials(t *testing.T) {
	for _, text := range []string{"The motion (D.E. # 22) is denied.", "Box 14, Code AE of the K-1 shows the amount."} {
		if got := foundIn(t, guard.FileText, text); got != "" {
			t.Errorf("%q: found %q", text, got)
		}
	}
}

// A blank line ends every name: the subject of a mail does not run into what follows.
func TestNoFindSpansABlankLine(t *testing.T) {
	got := foundIn(t, guard.FileText, "Subject: Tremaine Oyelaran\n\nHi Hunter\n")
	if !strings.Contains(got, "Tremaine Oyelaran") || strings.Contains(got, "\n\n") {
		t.Errorf("found %q", got)
	}
}

// Names of ordinary words that fill a cell are doubted; the heads of columns and terms are not.
func TestRereadingDoubtsCells(t *testing.T) {
	for _, name := range []string{"Young", "Hope", "Will", "Mercy General", "Kestrel Ridge", "Creation Station"} {
		for _, text := range []string{
			"Item\tStatus\n" + name + "\tpaid\n", "| Item | Status |\n|---|---|\n| " + name + " | paid |\n", name + "\n",
		} {
			if got := foundIn(t, guard.Reread, text); !strings.Contains(got, name) {
				t.Errorf("%q: found %q", text, got)
			}
		}
	}

	for _, text := range []string{"Base Rent\n", "Tenant\n", "Plaintiff\n"} {
		if got := foundIn(t, guard.Reread, text); got != "" {
			t.Errorf("%q: found %q", text, got)
		}
	}
}
