package guard_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/guard"
)

// A name, a company or an address that breaks over a line is found whole; lines that their writer ended are judged
// one by one.
func TestWrappedNamesAreFoundWhole(t *testing.T) {
	tests := map[string]struct{ text, want string }{
		"person at the end of a short line": {"signed on behalf of it by Harold\nZorbanek, who", "Harold\nZorbanek"},
		"company in a paragraph": {
			"This agreement, dated as of the first day of May, is made with Blue Harbor\nFoods, Inc., and the bank", "Blue Harbor\nFoods, Inc.",
		},
		"lines set apart by blank lines": {
			"At the hearing the court asked for the papers of the Zorbanek Retirement\n\nPension Plan Committee and", "Zorbanek Retirement\n\nPension Plan Committee",
		},
		"first word of a paragraph alone": {"Schedule.\n\nZorbanek\nNaval Architects, Inc. is the builder", "Zorbanek\nNaval Architects, Inc."},
		"street":                          {"notices go to\n\n4471\nVon Karman Avenue, Suite 300\n\n", "4471\nVon Karman Avenue, Suite 300"},
		"ampersand on the next line":      {"delivered by Zorbanek Naval Architects\n& Marine Engineers under it", "Zorbanek Naval Architects\n& Marine Engineers"},
		"plaintiff below a court":         {"IN THE COURT OF CHANCERY OF THE STATE OF DELAWARE\n\nCarmen Castillo,      )\n", "Carmen Castillo"},
		"plaintiff below a county":        {"IN THE CIRCUIT COURT OF MOBILE COUNTY, ALABAMA\n\nElif Arslan, as Administratrix", "Elif Arslan"},
		"CR LF":                           {"signed on behalf of the company by Harold\r\nZorbanek, who", "Harold\r\nZorbanek"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := found(t, guard.FileText, tt.text); !strings.Contains(got, fmt.Sprintf("%q", tt.want)) {
				t.Errorf("%q holds %s, want %q whole", tt.text, got, tt.want)
			}
		})
	}
}

// Contents, lists and headings are no wrapped paragraphs: nothing is found across their lines.
func TestLinesThatEndAreNotJoined(t *testing.T) {
	for _, text := range []string{
		"Section 8.4. Changes to the Dividend Policy of the Company 31\nSection 8.5. Insurance 32\n",
		"Plaintiff moves to compel the answers to the first set of requests\n\n2. Defendant objects.",
		"the documents that were produced with the letter of last year and the\n(a) Bank Statements",
	} {
		if got := found(t, guard.FileText, text); got != "" {
			t.Errorf("%q holds %s, want nothing", text, got)
		}
	}
}
