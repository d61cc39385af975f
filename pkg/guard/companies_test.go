package guard_test

import (
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/guard"
)

// The names of companies are made of ordinary words: each of the first stands before each of the second, 500 in
// all.
const (
	companyFirst = `Blue Silver Northern Pacific Summit Harbor River Golden Bright Pioneer Liberty Cedar Granite
		Meadow Falcon Premier Allied Modern Central Evergreen Sterling Valley Coastal Prairie Heritage`
	companySecond = `Foods Logistics Software Properties Energy Medical Capital Steel Textile Freight Dental
		Printing Motors Insurance Water Lumber Media Robotics Holdings Systems`
)

var legalForms = []string{
	"Inc.", "LLC", "L.P.", "N.A.", "GmbH", "Holding AG", "Pty Ltd", "S.p.A.", "Ltd.", "Corp.", "plc", "B.V.",
	"Co., Ltd.", "L.L.C.", "S.à r.l.", "GmbH & Co. KG", "Sp. z o.o.", "A/S",
}

// writings are the ways in which a company is written: %n is its name, %f its legal form.
var writings = map[string]string{
	"without a comma":    "The goods were sold by %n %f in March.",
	"with a comma":       "The goods were sold by %n, %f in March.",
	"with a State":       "This Agreement is made between %n, %f, a Delaware corporation, and [Party 2].",
	"all in capitals":    "THIS AGREEMENT IS MADE BETWEEN %N, %F AND [Party 2]",
	"a title":            "%n %f Lease Agreement",
	"a label in between": "Name of the company: %n\nLegal form: %f",
}

// TestCompaniesOfOrdinaryWordsAreRefused judges each name with a legal form in each writing.
func TestCompaniesOfOrdinaryWordsAreRefused(t *testing.T) {
	y := tally{}
	k := 0

	for _, first := range strings.Fields(companyFirst) {
		for _, second := range strings.Fields(companySecond) {
			name, form := first+" "+second, legalForms[k%len(legalForms)]
			k++

			for writing, frame := range writings {
				text := strings.NewReplacer(
					"%n", name, "%f", form, "%N", strings.ToUpper(name), "%F", strings.ToUpper(form),
				).Replace(frame)
				door := guard.FileText
				if writing == "a title" {
					door = guard.Title
				}
				start := strings.Index(strings.ToLower(text), strings.ToLower(name))
				place := span{Start: start, End: start + len(name)}
				hit := place.touched(guard.New().Check(t.Context(), door, text))
				y.count(hit, "all", writing, "form "+form)
				if !hit {
					t.Logf("passed: %s", text)
				}
			}
		}
	}
	y.report(t, "companies")
}
