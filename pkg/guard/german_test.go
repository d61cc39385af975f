package guard_test

import (
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/guard"
)

// plain spells German as whoever has no umlauts on the keyboard does.
var plain = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "Ä", "Ae", "Ö", "Oe", "Ü", "Ue", "ß", "ss")

// German writes every noun with a capital letter. None of these clauses names anybody, with umlauts or without.
func TestGermanClausesNameNobody(t *testing.T) {
	for _, clause := range []string{
		"Die Kaution für Schäden am Fahrzeug wird bei der Rückgabe verrechnet, sofern der Mieter die Mängel anerkennt.",
		"Bei einem Rücktritt vor der Schlüsselübergabe wird die Anzahlung dem Mieter erstattet.",
		"Für Beschädigungen der Küchenmöbel, Badezimmerfliesen und Fensterbänke haftet der Mieter der Räume.",
		"Der Vermieter übernimmt die Kosten des Hausanschlusses und des Schornsteinfegers nicht.",
		"Überschreiten der Frist und Verlassen der Wohnung ohne Übergabeprotokoll gelten als Verzug des Mieters.",
		"Schriftlich ist auch die Sach- und Vermögensschäden betreffende Erklärung der Mieterin abzugeben.",
		"Die Vermittlerin ist Anteilseignerin und wird von der Geschäftsführerin nicht vertreten.",
		"Nach fruchtlosem Ablauf der Frist und mangels ausdrücklicher Mitteilungspflichtverletzung ist die Klage begründet.",
		"Die Straßenreinigung, Dachrinnenreinigung und Gehwegstreuung obliegt dem Mieter, und zwar auf seine Kosten.",
		"In der Wohnung sind Dusche, Waschbecken und Geschirr vorhanden, die der Mieter pflegen muss.",
	} {
		for _, text := range []string{clause, plain.Replace(clause)} {
			if found := (guard.Guard{}).Check(t.Context(), guard.FileText, text); len(found) > 0 {
				t.Errorf("%s\nfound %s", text, listed(text, found))
			}
		}
	}
}

// Surnames are made of the same words as nouns. What stands around them says that somebody is meant, and without it the
// word that no list has is somebody, in both spellings.
func TestGermanNamesThatLookLikeNouns(t *testing.T) {
	for _, c := range []struct{ name, text string }{
		{"Rechtsteiner", "In dem Rechtsstreit Rechtsteiner ./. Wohnbau wird um Verlängerung der Frist gebeten."},
		{"Öhlschläger", "Die Eheleute Öhlschläger sind Eigentümer des Grundstücks und haben die Wohnung vermietet."},
		{"Lieselotte Brücher", "Als Zeugin wird Lieselotte Brücher benannt, die bei der Übergabe zugegen war."},
		{"Jörn Eichstädt", "Mieter ist Jörn Eichstädt, der die Miete an die Vermieterin und nicht an die Bank zahlt."},
		{"Übelmesser", "Mieter ist seit dem Mai auch Übelmesser, wohnhaft in der gemieteten Wohnung."},
		{"Müller", "Nach der Kündigung hat Müller die Wohnung nicht geräumt und die Schlüssel nicht übergeben."},
		{"Böhm", "Die Forderung gegen Böhm ist nach der Auffassung der Klägerin nicht verjährt."},
		{"Baumann", "Frau Baumann ist mit der Zahlung der Miete in Verzug und wird nicht mehr gemahnt."},
		{"Zimmermann", "Der Vertrag wurde von Rechtsanwalt Zimmermann geprüft und von der Mieterin unterschrieben."},
		{"Dünnemilch", "Der Vertrag wurde von Dünnemilch unterschrieben, und die Schlüssel wurden übergeben."},
		{"Tischohr", "Am dritten Tag hat Tischohr die Kündigung erhalten, und die Miete wurde nicht gezahlt."},
		{"Weißgrab", "Die Forderung gegen Weißgrab ist verjährt und wird von der Klägerin nicht mehr verfolgt."},
		{"Rüdiger Weiß", "Das Fahrzeug wurde am 3. Mai von Rüdiger Weiß an den Vermieter zurückgegeben."},
	} {
		for _, respelled := range []func(string) string{func(s string) string { return s }, plain.Replace} {
			name, text := respelled(c.name), respelled(c.text)
			found := listed(text, (guard.Guard{}).Check(t.Context(), guard.FileText, text))

			if !strings.Contains(found, name) {
				t.Errorf("%s\n%s passed, found %s", text, name, found)
			}
		}
	}
}
