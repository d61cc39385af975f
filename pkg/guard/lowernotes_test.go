package guard_test

import (
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/guard"
)

func TestNamesInNotesAndLinksOfFiles(t *testing.T) {
	for text, want := range map[string]string{
		"spoke to thaddeus brankovic about the lease":                      `person="thaddeus brankovic"`,
		"The lease is due.\ncall mr brankovic back re rent":                `person="mr brankovic"`,
		"client john smith says he paid in march":                          `person="john smith"`,
		"met with ms. zorbanek at noon":                                    `person="ms. zorbanek"`,
		"[the statement](/clients/thaddeus-brankovic/statement.pdf)":       `person="thaddeus-brankovic"`,
		`<a href="https://files.example/statement-of-ada_zorbanek.html">x`: `person="ada_zorbanek"`,

		"spoke to the tenant about the lease":                             "",
		"call the landlord back tomorrow re rent":                         "",
		"mark brown boxes will be sent with the other exhibits":           "",
		"see the dr visit of march, then ms word for the draft":           "",
		"[the guide](https://www.uscourts.gov/forms-rules/civil-cases)":   "",
		"[terms](/docs/terms-of-service/will-contest/grant-deed-form.md)": "",
	} {
		if got := found(t, guard.FileText, text); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}
