package answers_test

import (
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/api"
)

// TestLanguages wants who asks in another language to read first, in it, what the answer cannot do.
func TestLanguages(t *testing.T) {
	for _, tc := range []struct{ prompt, language, first string }{
		{"Wie hoch ist die Miete und wer muss sie zahlen?", "", "Hier wird nur auf englisch geantwortet"},
		{"Quel est le montant du loyer et qui doit le payer?", "", "La réponse est en anglais"},
		{"¿Cuál es la renta y quién la debe pagar?", "", "La respuesta está en inglés"},
		{"What is the rent?", "de-AT", "Hier wird nur auf englisch geantwortet"},
		{"What is the rent?", "en-GB", "3 passages"},
		{"What is the rent?", "", "3 passages"},
	} {
		tk := task(api.CaseReq, tc.prompt)
		tk.Language = tc.language
		r, _ := do(t, tk, samples(t)["all"])
		if !strings.HasPrefix(r.Text, tc.first) {
			t.Errorf("%q in %q: the answer begins %.80q, want %q", tc.prompt, tc.language, r.Text, tc.first)
		}
		if bad := dirty(r); len(bad) > 0 {
			t.Errorf("%q: the gate would hold back %q", tc.prompt, bad)
		}
		told := strings.Contains(strings.Join(r.Limits, " "), "in English only")
		if told != !strings.HasPrefix(tc.first, "3") {
			t.Errorf("%q in %q: limits %q", tc.prompt, tc.language, r.Limits)
		}
	}
}
