package guard_test

import (
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/guard"
)

// TestLegalProseRaisesNoAlarm holds texts of the kinds that papers of American courts and contracts consist of. None
// of them names a client; all are invented.
func TestLegalProseRaisesNoAlarm(t *testing.T) {
	for name, text := range map[string]string{
		"notice block":              "Attn: General Counsel\nTelecopy: see below\nTelecopier and Facsimile",
		"finance":                   "Eurodollar Advances and the Eurocurrency Rate; EBITDA, LIBOR, GAAP",
		"abbreviation":              "Dismissed upon Gov't request; Int'l Trade Comm'n; Dep't of Labor",
		"Latin":                     "admission Pro Hac Vice and a Writ of Habeas Corpus ad Testificandum",
		"prefix":                    "Pre-retirement benefits and Post-closing covenants",
		"two words in one":          "Floorplan Sketches and Timesheets",
		"footnote":                  "A. Facts1\n\nB. Procedural History2",
		"count":                     "the relief requested in plaintiff's Count IV.",
		"broken state":              "seated in South\n\nDakota, and in New\nJersey",
		"United States":             "UNITED STATES OF AMERICA,\n\nAppellee.\n\nAPPEAL FROM THE UNITED STATES DISTRICT COURT",
		"town":                      "at its plant in\nOrrington, Maine",
		"panel":                     "[Hon. Ada Quill, U.S. District Judge]\n\nBefore\n\nQuill, Ostrowe and Zorbanek,\nCircuit Judges.",
		"author":                    "OSTROWE, Circuit Judge. The question is one of notice.",
		"signed":                    "Signed by Magistrate Judge Ada Quill on 7/2/14. Judge Quill granted it.",
		"broken citation":           "See Zorbanek v. Friends\n\nof the Harbor, 612 U.S.\n\n845, 851 (2011).",
		"broken volume":             "See Zorbanek v. Friends of the Harbor Corp., 612\nF.2d 845, 851 (2d Cir. 2011).",
		"short citation":            "See Zorbanek, 733 F.2d at\n\n218. But see Ostrowe, 664 F. Supp. at 915.",
		"reporter of a State":       "Zorbanek v. Ostrowe, 12 Abb. Pr. 345 (1861)",
		"section of many parts":     `has the meaning set forth in Section 2.4.3.6.`,
		"exhibit file":              "exv4w7 exhibit229.htm ex-31_2.htm",
		"contents":                  "Section 8.4. Changes to the Dividend Policy 31\nSection 8.5. Insurance 32\n",
		"page behind a number":      "Section 4 [Phone 1]\n\n48\n\n",
		"sentence in capitals":      "THIS IS A CORRECTED COPY OF THE ORDER. THE WARRANTIES SET FORTH HEREIN ARE EXCLUSIVE.",
		"institution and a place":   "the Kielcze Regional Court, the Kielcze Police and the Kielcze County Council",
		"a company that is decided": "Zorbanek Widgets, Inc. v. Ostrowe, 12 F.3d 34 (7th Cir. 1999)",
	} {
		t.Run(name, func(t *testing.T) {
			if got := found(t, guard.FileText, text); got != "" {
				t.Errorf("%q holds %s, want nothing", text, got)
			}
		})
	}
}
