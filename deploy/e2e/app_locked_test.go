package e2e_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/deploy/internal/chromium"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
)

// A locked vault knows nobody, so no free text leaves the page before it is open: one dialog, and the same send goes
// on.
func TestALockedVaultHoldsFreeTextBack(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited("GATEWAY_WASM_DIR", wasm(t)))
	d := w.desk(otto, passphraseOfOtto)
	d.must("", "vault", "init")
	k := into[api.Case](
		t,
		w.send(http.MethodPost, "/v1/cases", w.token(otto), `{"title":"Lease of [Property 1]"}`),
		http.StatusCreated,
	)
	p := into[api.Party](
		t,
		w.send(
			http.MethodPost,
			"/v1/parties",
			w.token(otto),
			`{"caseId":"`+k.CaseID+`","kind":"individual","role":"lessee"}`,
		),
		http.StatusCreated,
	)
	d.must(`{"name":"Harbor"}`, "vault", "seal", p.PartyID, "--from", "-") // a word to the guard
	summary := func() string {
		return into[api.Case](
			t,
			w.send(http.MethodGet, "/v1/cases/"+k.CaseID, w.token(otto), ""),
			http.StatusOK,
		).Summary
	}
	tab := w.app(chromium.Start(t, nil), otto, "/app/cases/"+k.CaseID+"/settings")
	save := func() { chromium.Eval[bool](tab, `(document.querySelector("#f-summary").form.requestSubmit(), true)`) }

	tab.Fill("Summary", "The tenant left in May.")
	save()
	tab.Shows("Your passphrase is sent nowhere.")
	tab.Accessible("the vault asked for by a send")
	tab.Press("Not now")
	tab.Shows("Your vault is locked, so the names in it cannot be looked for")
	if got := summary(); got != "" {
		t.Errorf("with a locked vault the page sent %q", got)
	}

	tab.Fill("Summary", "The tenant moved to the Harbor in May.")
	save()
	passphraseIs(tab, passphraseOfOtto)
	tab.Shows("This may tell who somebody is")
	tab.Press("Change what I wrote")
	if got := summary(); got != "" {
		t.Errorf("the page sent a name of the vault: %q", got)
	}

	tab.Visit(tab.Address()) // the vault is locked again
	tab.Fill("Summary", "The tenant left in June.")
	save()
	passphraseIs(tab, passphraseOfOtto)
	tab.Until(
		"what the open vault let pass",
		`document.querySelector("#f-summary").value === "The tenant left in June." && !document.querySelector("dialog[open]")`,
	)
	testkit.Until(t, testkit.Patience, func() error {
		if got := summary(); got != "The tenant left in June." {
			return fmt.Errorf("the summary is %q", got)
		}

		return nil
	})
}

// The case speaks of two people by labels: in its title, or in a prompt, behind its first 200 letters, and in an
// entry of the timeline. Who they are is asked, and never taken from the order of names in the first document.
func TestTheFirstDocumentBindsNobody(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited("GATEWAY_WASM_DIR", wasm(t)))
	w.desk(otto, passphraseOfOtto).must("", "vault", "init")
	browser := chromium.Start(t, nil)

	for _, tc := range []struct {
		title string
		speak func(k api.Case)
	}{
		{"Defense of [Party 1] against [Party 2]", func(api.Case) {}},
		{"Rent of May", func(k api.Case) {
			prompt := strings.Repeat("Read what the files say of the rent. ", 6) + "Did [Party 1] pay it?"
			w.asked(t, w.token(otto), task(k.CaseID, api.CaseReq, prompt))
			entry := `{"kind":"fact","when":{"on":"2026-02-03","precision":"day"},"title":"[Party 2] gave notice"}`
			answer := w.send(http.MethodPost, "/v1/timeline/"+k.TimelineID+"/entries", w.token(otto), entry)
			if answer.status != http.StatusCreated {
				t.Fatalf("the entry: %d %s", answer.status, answer.body)
			}
		}},
	} {
		k := into[api.Case](
			t,
			w.send(http.MethodPost, "/v1/cases", w.token(otto), `{"title":"`+tc.title+`"}`),
			http.StatusCreated,
		)
		tc.speak(k)
		w.bindsBySaying(t, browser, k)
	}
}

// bindsBySaying redacts a document in the browser for a case that speaks of [Party 1] and [Party 2], and holds that the
// page asks who they are.
func (w *world) bindsBySaying(t *testing.T, browser *chromium.Browser, k api.Case) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "Complaint.txt")
	complaint := "Renate Vogel sues Halvard Ostrowe for the rent of May. Halvard Ostrowe says that he paid it.\n"
	if err := os.WriteFile(path, []byte(complaint), 0o600); err != nil {
		t.Fatal(err)
	}

	tab := w.app(browser, otto, "/app/redact?case="+k.CaseID)
	tab.Until("the field", `document.querySelector("#document") && !document.querySelector("#document").disabled`)
	tab.Choose("#document", path)
	passphraseIs(tab, passphraseOfOtto)
	tab.Shows("Found in the document")
	tab.Shows("Who is [Party 1]?")
	tab.Accessible("the question who is meant")
	if shown := chromium.Eval[string](tab, `[...document.querySelectorAll(".identities li .label")].map((e) => e.textContent).join()`); strings.Contains(
		shown,
		"[Party 1]",
	) ||
		strings.Contains(shown, "[Party 2]") {
		t.Errorf("names of the document have labels of the title: %s", shown)
	}

	tab.Press("Keep the names and send")
	tab.Shows("Nothing was sent yet.")
	tab.Fill("Who is [Party 1]?", "Halvard Ostrowe")
	tab.Fill("Who is [Party 2]?", "Renate Vogel")
	tab.Press("Keep the names and send")
	tab.Shows("Say who the new parties are")
	chromium.Eval[bool](
		tab,
		`(() => { for (const s of document.querySelectorAll("fieldset select[id^=role-]")) { s.value = "other"; s.dispatchEvent(new Event("change", {bubbles: true})); } return true })()`,
	)
	tab.Press("Keep the names and send")
	tab.Shows("is in the case.")

	files := into[api.Page[api.File]](
		t,
		w.send(http.MethodGet, "/v1/cases/"+k.CaseID+"/files", w.token(otto), ""),
		http.StatusOK,
	).Items
	if len(files) != 1 {
		t.Fatalf("%d files", len(files))
	}
	said := string(
		w.send(http.MethodGet, "/v1/cases/"+k.CaseID+"/files/"+files[0].FileID+"/content", w.token(otto), "").body,
	)
	if want := "[Party 2] sues [Party 1] for the rent of May."; !strings.HasPrefix(said, want) {
		t.Errorf("the text is %q, want %q", said, want)
	}
}
