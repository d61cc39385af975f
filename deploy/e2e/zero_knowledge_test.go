package e2e_test

import (
	"bytes"
	"encoding/hex"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/deploy/internal/chromium"
	"github.com/subrosa-legal/subrosa/deploy/internal/vault"
	"github.com/subrosa-legal/subrosa/deploy/samples/typeset"
	"github.com/subrosa-legal/subrosa/pkg/api"
)

const (
	firstPassphrase  = "umbral sesame of 7731 lanterns"
	secondPassphrase = "velvet quarry of 9942 sparrows"
	wrongPassphrase  = "hollow ribbon of 5513 anchors"
)

// whoItIs are the identities of the test, by the words that may stand nowhere outside the page. In lower case.
var whoItIs = []string{"wrexcombe", "thessaly", "quillhaven", "tessabird", "scarlet umberlight", "312) 555-0142", "3125550142", "zephyrine", "oddlesworth", "17-cv-00072"}

const testimony = `# Statement

Thessaly Wrexcombe of 12 Quillhaven Lane, Springfield, Illinois 62704 states that the rent of May was paid on time. She may be reached at
thessaly@wrexcombe-family.example or at (312) 555-0142. Zephyrine Oddlesworth was there when the keys were handed over.
`

// kept presses on after the page has kept something back.
func kept(tab *chromium.Tab) {
	tab.T.Helper()
	tab.Shows("This may tell who somebody is")
	tab.Press("Change what I wrote")
	tab.Shows("Nothing was sent.")
}

// keys returns the secrets of a person's vault, as they would look if they had got out.
func (w *world) keys(pass string) map[string]string {
	w.t.Helper()
	stored := into[api.Vault](w.t, w.send(http.MethodGet, "/v1/vault", w.token(otto), ""), http.StatusOK)
	pair, err := vault.Unlock(stored.PublicKey, stored.Blob, pass)
	if err != nil {
		w.t.Fatal(err)
	}
	all := map[string]string{"the private key": string(reflect.ValueOf(pair).FieldByName("private").Elem().FieldByName("privateKey").Bytes())}

	me := into[api.Me](w.t, w.send(http.MethodGet, "/v1/me", w.token(otto), ""), http.StatusOK)
	for _, k := range stored.Keys {
		firm, err := pair.Unwrap(me.Tenant, k.KeyVersion, vault.Wrapped{EphemeralKey: k.EphemeralKey, IV: k.IV, CT: k.CT})
		if err != nil {
			w.t.Fatal(err)
		}
		all["the firm key"] = string(reflect.ValueOf(firm).FieldByName("secret").Bytes())
	}
	if len(all) != 2 || len(all["the private key"]) != 32 || len(all["the firm key"]) != 32 {
		w.t.Fatal("the keys were not found")
	}

	return all
}

// TestNothingThatIdentifiesLeavesThePage enters identities everywhere in the app, and then looks for them, for the passphrases and for the keys in
// everything that the browser sent and that the service said and kept.
func TestNothingThatIdentifiesLeavesThePage(t *testing.T) {
	if !inOwnProcess(t) {
		return
	}

	w, otlp, metrics := observed(t, "GATEWAY_WASM_DIR", wasm(t))
	r := w.record()
	tab := w.app(r.before(t, w), otto, "/app/vault")

	// The vault.
	tab.Fill("New passphrase", firstPassphrase)
	tab.Fill("The same once more", firstPassphrase)
	tab.Press("Make the vault")
	tab.Shows("Your vault is open in this browser.")
	tab.Fill("Present passphrase", firstPassphrase)
	tab.Fill("New passphrase", secondPassphrase)
	tab.Fill("The same once more", secondPassphrase)
	tab.Press("Change it")
	tab.Shows("The passphrase is changed.")

	// A case, whose title the page does not send while it names somebody.
	tab.Press("Cases")
	tab.Press("New case")
	tab.Fill("Title", "Wrexcombe, Thessaly v. her landlord")
	tab.Fill("Summary", "Mrs. Thessaly Wrexcombe, 12 Quillhaven Lane, Springfield, IL 62704, paid.")
	tab.Press("Make the case")
	kept(tab)
	tab.Fill("Title", "Rent of the mongoose house")
	tab.Fill("Summary", "[Party 1] paid.")
	tab.Press("Make the case")
	tab.Until("the case", `location.pathname.match(/cases\/[0-9a-f-]{36}$/)`)
	caseID := tab.Address()[strings.LastIndexByte(tab.Address(), '/')+1:]

	// A party, whose name is sealed.
	tab.Press("Parties")
	tab.Press("Add a party")
	tab.Fill("Real name", "Thessaly Wrexcombe")
	tab.Press("More: other names")
	tab.Fill("Other names and spellings", "Tessabird")
	tab.Fill("E-mail", "thessaly@wrexcombe-family.example")
	tab.Fill("Telephone", "(312) 555-0142")
	tab.Fill("Address", "12 Quillhaven Lane, Springfield, IL 62704")
	tab.Fill("Notes of your own", "has a scarlet umberlight")
	tab.Fill("Notes that agents may read", "Mrs. Wrexcombe is old")
	tab.Press("Add the party")
	kept(tab)
	tab.Fill("Notes that agents may read", "the lessee")
	tab.Press("Add the party")
	tab.Shows("The party is in the case as [Party 1].")
	tab.Press("Show names")
	tab.Shows("Thessaly Wrexcombe")

	// Words to search for, and a request: a surname alone is known from the vault.
	tab.Press("Cases")
	tab.Fill("Words", "Wrexcombe")
	tab.Shows("Nothing was sent.")
	if at := tab.Address(); strings.Contains(strings.ToLower(at), "wrexcombe") {
		t.Errorf("the address holds a name: %s", at)
	}
	tab.Fill("Words", "mongoose")
	tab.Shows("1 case")
	tab.Visit(w.Facts.BaseURL + "/app/cases/" + caseID + "/parties") // the vault is locked: the page was loaded anew
	tab.Press("Show names")
	passphraseIs(tab, wrongPassphrase)
	tab.Shows("This passphrase does not open the vault.")
	tab.Fill("Passphrase", secondPassphrase)
	tab.Press("Unlock")
	tab.Shows("Thessaly Wrexcombe")
	tab.Press("Work")
	tab.Fill("What should it do?", "What did Wrexcombe pay to Zephyrine Oddlesworth?")
	tab.Press("Start")
	kept(tab)

	// A document: as it is it stays here, and by way of the redaction its text goes without names.
	dir := t.TempDir()
	letter := filepath.Join(dir, "Statement of Thessaly Wrexcombe.pdf")
	var content bytes.Buffer
	if err := typeset.PDF(&content, typeset.Parse(testimony)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(letter, content.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	tab.Press("Files")
	tab.Choose("#file", letter)
	tab.Press("Add the file")
	kept(tab)
	authored := filepath.Join(dir, "Terms.docx") // its text is clean; a comment is not
	if err := os.WriteFile(authored, []byte(linked("comments", "word/comments.xml", `<w:comments xmlns:w="w"><w:comment w:author="x"><w:p><w:r><w:t>%s</w:t></w:r></w:p></w:comment></w:comments>`)(t, "Thessaly Wrexcombe")), 0o600); err != nil {
		t.Fatal(err)
	}
	tab.Choose("#file", authored)
	tab.Press("Add the file")
	kept(tab)
	tab.Press("Take identities out of a document")
	tab.Until("the field", `document.querySelector("#document") && !document.querySelector("#document").disabled`)
	tab.Choose("#document", letter)
	tab.Shows("Found in the document")
	if !strings.Contains(tab.Text(), "Oddlesworth") {
		tab.Fill("A name that was missed", "Zephyrine Oddlesworth")
		tab.Press("Label it")
	}
	tab.Press("Keep the names and send")
	tab.Until("the file, or a question for the new parties' roles", `document.body.innerText.includes("is in the case.") || document.body.innerText.includes("Say who the new parties are")`)
	if strings.Contains(tab.Text(), "Say who the new parties are") {
		tab.Fill("Role", "witness")
		tab.Fill("Keep the original", "on")
		tab.Press("Keep the names and send")
		tab.Shows("is in the case.")
	}

	// An evaluation, seen live and reviewed; the comment does not go out while it names somebody.
	tab.Visit(w.Facts.BaseURL + "/app/cases/" + caseID + "/work")
	tab.Fill("Evaluate the case", "on")
	tab.Fill("What should it do?", "Evaluate this case.")
	tab.Press("Start")
	passphraseIs(tab, secondPassphrase) // what is written is looked through for names first
	tab.Shows("Your decision")
	tab.Press("Reject…")
	tab.Fill("Why you reject it", "Thessaly Wrexcombe will not like it")
	tab.Press("Reject")
	kept(tab)
	tab.Fill("Why you reject it", "[Party 1] will not like it")
	tab.Press("Reject")
	tab.Shows("Rejected, with your reason on record.")

	// The document with names, saved here.
	files := into[api.Page[api.File]](t, w.send(http.MethodGet, "/v1/cases/"+caseID+"/files", w.token(otto), ""), http.StatusOK).Items
	fileID := ""

	for _, f := range files {
		if f.AgentReadable {
			fileID = f.FileID
		}
	}
	tab.Visit(w.Facts.BaseURL + "/app/cases/" + caseID + "/files/" + fileID + "?do=named")
	tab.Press("Fill in names and save")
	passphraseIs(tab, secondPassphrase)
	tab.Shows("It holds real names now")
	named, err := os.ReadFile(tab.Saved("*-with-names*"))
	if err != nil {
		t.Fatal(err)
	}
	if text := string(named); !strings.Contains(text, "Thessaly Wrexcombe") || strings.Contains(text, "[Party 1]") {
		t.Errorf("the file with names says %.300q", text)
	}

	// Each page that is opened anew begins with a locked vault, and may ask for it before it looks through what is
	// written.
	nothingWasSent := func() {
		t.Helper()
		asked := `document.body.innerText.includes("Your passphrase is sent nowhere.")`
		tab.Until("a refusal, or the vault's dialog", asked+` || document.body.innerText.includes("Nothing was sent.")`)
		if chromium.Eval[bool](tab, asked) {
			passphraseIs(tab, secondPassphrase)
		}
		tab.Shows("Nothing was sent.")
	}

	// Fields of other pages. A name that is typed before the words before it were found stays out of the address.
	tab.Visit(w.Facts.BaseURL + "/app/cases/" + caseID + "/settings")
	tab.Fill("Forum", "federal")
	tab.Fill("Label of the docket number", "1:17-cv-00072")
	tab.Press("Save")
	passphraseIs(tab, secondPassphrase)
	kept(tab)
	tab.Visit(w.Facts.BaseURL + "/app/cases")
	tab.Shows("1 case")
	chromium.Eval[bool](tab, `(() => {
		const field = document.querySelector("#q");
		const type = (text) => { field.value = text; field.dispatchEvent(new Event("input", {bubbles: true})); field.dispatchEvent(new Event("change", {bubbles: true})); };
		type("rent");
		setTimeout(() => type("Thessaly Wrexcombe"), 20);
		return true;
	})()`)
	nothingWasSent()
	if at := tab.Address(); strings.Contains(at, "q=") {
		t.Errorf("the address is %s", at)
	}
	tab.Visit(w.Facts.BaseURL + "/app/partners?case=" + caseID)
	tab.Fill("Words", "Thessaly Wrexcombe")
	tab.Press("Search")
	nothingWasSent()
	tab.Visit(w.Facts.BaseURL + "/app/audit")
	tab.Fill("About (id)", "Mrs. Thessaly Wrexcombe")
	tab.Press("Show")
	nothingWasSent()
	stored := chromium.Eval[string](tab, `(async () => {
		const out = [JSON.stringify(localStorage), JSON.stringify(sessionStorage), document.cookie, JSON.stringify(history.state), location.href];
		for (const { name } of await indexedDB.databases()) {
			const db = await new Promise((done) => { const r = indexedDB.open(name); r.onsuccess = () => done(r.result); });
			for (const store of db.objectStoreNames) out.push(JSON.stringify(await new Promise((done) => { const r = db.transaction(store).objectStore(store).getAll(); r.onsuccess = () => done(r.result); })));
			db.close();
		}
		for (const key of await caches.keys()) out.push(key);
		return out.join("\n");
	})()`)
	if !strings.Contains(stored, "blob") {
		t.Errorf("the storage of the browser was not read: %s", stored)
	}

	secrets := w.keys(secondPassphrase)
	sent, n := r.sent()
	if n < 60 || !bytes.Contains(sent, []byte("mongoose")) || !bytes.Contains(sent, []byte("conflictTokens")) {
		t.Fatalf("%d requests were recorded", n)
	}
	places := w.everywhere(otlp, metrics, sent)

	places["the browser's storage"] = []byte(stored)
	for place, sign := range map[string]string{"MongoDB": "mongoose", "exported traces": "/v1/vault", "Redis": "session"} {
		if !bytes.Contains(places[place], []byte(sign)) {
			t.Errorf("%s (%d bytes) does not hold %q: it was not collected", place, len(places[place]), sign)
		}
	}
	nowhere(t, places, append(whoItIs, firstPassphrase, secondPassphrase, wrongPassphrase)...)

	for place, text := range places {
		for what, secret := range secrets {
			for how, form := range forms(secret) {
				if bytes.Contains(text, []byte(form)) {
					t.Errorf("%s holds %s %s", place, what, how)
				}
			}
			if bytes.Contains(text, []byte(strings.ToUpper(hex.EncodeToString([]byte(secret))))) {
				t.Errorf("%s holds %s", place, what)
			}
		}
	}
}
