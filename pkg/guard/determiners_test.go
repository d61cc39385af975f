package guard_test

import (
	"strings"
	"testing"
)

// A determiner tells a term from a name only where the name tells no thing apart from others of its kind.
func TestDeterminersExcuseNoName(t *testing.T) {
	surnames := []string{"Holzmann", "Okonkwo", "Tschirner", "Brantwick", "Quennell", "Obrecht"}
	for _, frame := range []string{
		"They sold the %s building in May.", "He repaired our %s boat twice.", "They use the %s method of accounts.",
		"She drove the %s tractor home.", "Nobody paid for that %s kitchen.", "The roof of the %s garage leaks.",
		"We keep this %s painting in store.",
	} {
		for _, name := range surnames {
			text := strings.ReplaceAll(frame, "%s", name)
			if found := check(t, text); len(found) != 1 || text[found[0].Start:found[0].End] != name {
				t.Errorf("Check(%q) found %s", text, show(text, found))
			}
		}
	}

	for _, text := range []string{
		"It is a Caremark theory.", "The Daubert standard applies.", "It was no Ponzi scheme.", "the Elo rating of a player",
		"Er legte den Kostenbescheid vor; the Kostenbescheid of May was paid.",
	} {
		if found := check(t, text); len(found) != 0 {
			t.Errorf("Check(%q) found %s", text, show(text, found))
		}
	}
}

// Who signs stands over or before the company that is signed for, and neither takes the other in.
func TestSignersStandApartFromCompanies(t *testing.T) {
	for text, want := range map[string]string{
		"Signed:\n\nJane Vidal\nHARBOR BIOLOGICS, INC.\n":                        `person="Jane Vidal" org="HARBOR BIOLOGICS, INC."`,
		"Signed:\n\nJane Vidal\nHarbor Biologics, Inc.\n":                        `person="Jane Vidal" org="Harbor Biologics, Inc."`,
		"STONE ARCH, INC.: José Vidal\nBLUE MESA FOODS, LLC: Renate Vogel\n":     `org="STONE ARCH, INC." person="José Vidal" org="BLUE MESA FOODS, LLC" person="Renate Vogel"`,
		"It is paid to Rocky Mountain Support\nServices, Inc. on the first day.": `org="Rocky Mountain Support\nServices, Inc."`,
	} {
		if got := show(text, check(t, text)); got != want {
			t.Errorf("Check(%q) found %s, want %s", text, got, want)
		}
	}
}
