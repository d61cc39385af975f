package e2e_test

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/deploy/internal/chromium"
	"github.com/subrosa-legal/subrosa/pkg/api"
)

// judgment is in a language that the guard does not know. One person is in it, whose names the lists hold.
const judgment = "Sąd Okręgowy oddalił powództwo, które wniósł Tomasz Nowak przeciwko gminie. Powód domagał się zapłaty " +
	"wynagrodzenia za pracę. Sąd ustalił, że Umowa została zawarta na czas nieokreślony. Wynajmujący zobowiązał się do " +
	"wydania Lokalu w terminie czternastu dni. Koszty procesu ponosi Powód.\n"

// The page says that the check does not know the language of a document, shows each word all the same, and after the
// service has refused the text for its language, clears the words of it that the person answers for.
func TestADocumentInALanguageThatTheGuardDoesNotKnow(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited("GATEWAY_WASM_DIR", wasm(t)))
	w.desk(otto, passphraseOfOtto).must("", "vault", "init")
	k := into[api.Case](
		t,
		w.send(http.MethodPost, "/v1/cases", w.token(otto), `{"title":"Wages of May"}`),
		http.StatusCreated,
	)
	path := filepath.Join(t.TempDir(), "Judgment.txt")
	if err := os.WriteFile(path, []byte(judgment), 0o600); err != nil {
		t.Fatal(err)
	}

	tab := w.app(chromium.Start(t, nil), otto, "/app/redact?case="+k.CaseID)
	tab.Until("the field", `document.querySelector("#document") && !document.querySelector("#document").disabled`)
	tab.Choose("#document", path)
	passphraseIs(tab, passphraseOfOtto)
	tab.Shows("Found in the document")
	tab.Shows("The text is in a language that the check does not know")
	tab.Accessible("a document in another language")

	const listed = `[...document.querySelectorAll(".identities li")]`
	tab.Until("the name, which lists hold", listed+`.some((e) => e.innerText.startsWith("Tomasz Nowak"))`)

	words := strings.Fields("Sąd Lokalu Koszty Powód")
	for _, word := range words {
		tab.Until("the word "+word, listed+`.some((e) => e.innerText.startsWith("`+word+`"))`)
	}

	others := chromium.Eval[[]string](tab, `[...document.querySelectorAll(".identities li button")]
		.map((e) => e.getAttribute("aria-label") ?? e.textContent.trim())
		.filter((name) => name.endsWith(" is no identity") && !name.startsWith("Tomasz Nowak"))`)
	if len(others) < len(words) {
		t.Fatalf("the page offers to clear %q", others)
	}

	for _, word := range others {
		tab.Press(word)
	}

	tab.Press("Keep the names and send")
	tab.Shows("Say who the new parties are")
	tab.Fill("Role", "witness")
	tab.Press("Keep the names and send")
	tab.Shows("which you said identify nobody:")
	tab.Provoked("403") // the service does not know the language either
	tab.Until("a word of the language", `document.querySelector(".refusal").innerText.includes("Lokalu")`)
	if files := w.filesOf(t, k.CaseID); len(files) != 0 {
		t.Fatalf("%d files are stored before anybody has cleared their words", len(files))
	}

	tab.Press("None of them identifies anybody: clear and send")
	tab.Shows("is in the case.")
	files := w.filesOf(t, k.CaseID)
	if len(files) != 1 {
		t.Fatalf("%d files", len(files))
	}
	content := w.send(http.MethodGet, "/v1/cases/"+k.CaseID+"/files/"+files[0].FileID+"/content", w.token(otto), "")
	got := regexp.MustCompile(`\[Party [0-9]+\]`).ReplaceAllString(string(content.body), "[Party 1]") // of whatever number
	if want := strings.ReplaceAll(judgment, "Tomasz Nowak", "[Party 1]"); got != want {
		t.Errorf("the text is %q, want %q", got, want)
	}
}

// filesOf returns the files of a case.
func (w *world) filesOf(t *testing.T, caseID string) []api.File {
	t.Helper()
	answer := w.send(http.MethodGet, "/v1/cases/"+caseID+"/files", w.token(otto), "")

	return into[api.Page[api.File]](t, answer, http.StatusOK).Items
}
