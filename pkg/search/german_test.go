package search_test

import (
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/search"
)

// TestGermanQuestions asks a German contract by the words of a reader: the verb of the question says nothing of the
// thing, a verb finds its noun, a singular its plural, a word a longer one that begins with it, and the one that
// contracts have for it.
func TestGermanQuestions(t *testing.T) {
	index := search.Build([]search.File{
		file("Vertrag",
			"§ 1 Dauer\nDer Vertrag wird auf unbestimmte Zeit geschlossen. Es gilt deutsches Recht.",
			"§ 2 Einarbeitung\nDie ersten acht Wochen gelten als Einarbeitung.",
			"§ 3 Kündigung\nDer Vertrag kann mit einer Frist von sechs Wochen zum Quartalsende gekündigt werden.",
			"§ 4 Abnahme\nDie Abnahme erfolgt binnen zehn Tagen, sofern keine Mängel angezeigt werden.",
			"§ 5 Betriebskosten\nFür die Betriebskosten ist ein Abschlag von 85,00 € im Monat zu zahlen.",
			"§ 7 Preise\nDie Preise stehen in der Liste. Sie gelten für das laufende Jahr.",
			"§ 8 Folgen\nVerstöße führen zu einer Verwarnung, und danach zum Ausschluss.",
			"§ 9 Versicherung\nDie Deckungszusage für das Lager ist bis zum Jahresende erteilt.",
			"§ 10 Amt\nDer Beirat wird auf die Dauer von vier Jahren gewählt.",
			"§ 6 Rückgabe\nNach der Beendigung sind alle Unterlagen auszuhändigen.",
		),
	})

	for question, want := range map[string]string{
		"Welche Kündigungsfrist gilt?":                       "sechs Wochen",
		"Wie lange dauert die Einarbeitung?":                 "acht Wochen",
		"Wann ist das Werk abgenommen?":                      "zehn Tagen",
		"Wie hoch sind die Nebenkosten?":                     "85,00",
		"Welcher Preis ist vereinbart?":                      "in der Liste",
		"Was passiert bei einem Verstoß?":                    "Verwarnung",
		"Wann endet die Deckung?":                            "Jahresende",
		"Wie lange ist die Amtszeit?":                        "vier Jahren",
		"Was geschieht mit den Unterlagen bei Vertragsende?": "auszuhändigen",
	} {
		hits, _ := index.Find(question, search.Options{Limit: 3, Broad: true})
		if len(hits) == 0 || !strings.Contains(hits[0].Text, want) {
			t.Errorf("%s gives %v, want a passage with %q", question, hits, want)
		}
	}
}
