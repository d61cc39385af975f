package e2e_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/deploy/internal/chromium"
	"github.com/subrosa-legal/subrosa/deploy/internal/vault"
	"github.com/subrosa-legal/subrosa/deploy/samples/typeset"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
	"go.mongodb.org/mongo-driver/v2/bson"
)

const (
	passphraseOfOtto = "a long passphrase of otto"
	ownFingerprint   = `document.querySelector("#own-fingerprint").textContent`
)

// unlock opens the vault in the dialog that asks for it.
func unlock(tab *chromium.Tab, passphrase string) {
	tab.T.Helper()
	tab.Press("Unlock")
	passphraseIs(tab, passphrase)
}

// passphraseIs answers the dialog once it is there.
func passphraseIs(tab *chromium.Tab, passphrase string) {
	tab.T.Helper()
	tab.Shows("Your passphrase is sent nowhere.")
	tab.Fill("Passphrase", passphrase)
	tab.Press("Unlock")
}

func TestTheVaultInTheApp(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited())
	b := chromium.Start(t, nil)
	first := w.app(b, otto, "/app/vault")
	first.Shows("Make your vault")
	first.Accessible("no vault")
	first.Fill("New passphrase", passphraseOfOtto)
	first.Fill("The same once more", passphraseOfOtto)
	first.Press("Make the vault")
	first.Shows("Your vault is open in this browser.")
	first.Shows("Holds the key")
	first.Accessible("an open vault")
	first.Size(360, 800, true)
	first.Fits("an open vault")
	first.Accessible("an open vault in the dark")

	// The command line opens what the browser made, and sees the same keys.
	d := w.desk(otto, passphraseOfOtto)
	var prints struct {
		Fingerprint string
		FirmKeys    map[string]string
	}
	if err := json.Unmarshal([]byte(d.must("", "vault", "fingerprint", "--json")), &prints); err != nil {
		t.Fatal(err)
	}
	if got := chromium.Eval[string](first, ownFingerprint); got != prints.Fingerprint {
		t.Errorf("the app shows the fingerprint %s, the command line %s", got, prints.Fingerprint)
	}
	first.Shows(prints.FirmKeys["1"])

	// Another browser of the same person opens the same vault, and one tab locks the others of its browser alone.
	second := w.app(b, otto, "/app/vault")
	second.Shows("Your vault is locked")
	unlock(second, "not the passphrase of otto")
	second.Shows("This passphrase does not open the vault.")
	second.Accessible("a wrong passphrase")
	second.Fill("Passphrase", passphraseOfOtto)
	second.Press("Unlock")
	second.Shows("Your vault is open in this browser.")
	second.Shows(prints.FirmKeys["1"])
	second.Press("Lock now")
	second.Shows("Your vault is locked")
	if strings.Contains(second.Text(), prints.FirmKeys["1"]) {
		t.Error("a locked vault shows its firm key's fingerprint")
	}
	first.Shows("Your vault is open in this browser.")

	// Another passphrase, in the browser; the command line opens with that one alone.
	first.Fill("Present passphrase", passphraseOfOtto)
	first.Fill("New passphrase", "the second passphrase of otto")
	first.Fill("The same once more", "the second passphrase of otto")
	first.Press("Change it")
	first.Shows("The passphrase is changed.")
	d.fails("the passphrase does not open the vault", "vault", "fingerprint")
	d.secrets = []string{"the second passphrase of otto"}
	d.must("", "vault", "fingerprint")
	unlock(second, "the second passphrase of otto")
	second.Shows("Your vault is open in this browser.")

	// The command line reads the browser's backup, and the browser that of the command line.
	first.Press("Save a backup")
	saved := first.Saved("subrosa-vault.json")
	d.fails("this is the vault that you have", "vault", "restore", saved)
	backup := filepath.Join(t.TempDir(), "backup.json")
	d.must("", "vault", "backup", backup)
	first.Press("Lock now")
	first.Shows("Your vault is locked")
	first.Choose("#restore-file", backup)
	first.Fill("Passphrase of the backup", "the second passphrase of otto")
	first.Fill("It takes the place", "on")
	first.Press("Put it back")
	first.Shows("Your vault is open in this browser.")
	first.Shows(prints.FirmKeys["1"])
}

// The vault locks when another tab says so, and after minutes without use; and a firm key that was put in the place of the known one is not believed.
func TestTheVaultLocksInTheApp(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited())
	d := w.desk(otto, passphraseOfOtto)
	d.cost = vault.Cost{} // the browser opens what people's command line makes
	d.must("", "vault", "init")
	tab := w.app(chromium.Start(t, nil), otto, "/app/vault")
	locks := func(how, script string) {
		t.Helper()
		unlock(tab, passphraseOfOtto)
		tab.Shows("Your vault is open in this browser.")
		chromium.Eval[bool](tab, script)
		tab.Shows("Your vault is locked")
		if strings.Contains(tab.Text(), "Firm key 1") {
			t.Errorf("after %s the page still shows keys", how)
		}
	}
	locks("another tab's word", `(new BroadcastChannel("subrosa-vault").postMessage({vault: "lock"}), true)`)
	locks("sixteen minutes", `(() => { const now = Date.now.bind(Date); Date.now = () => now() + 16 * 60_000; dispatchEvent(new KeyboardEvent("keydown", {key: "a"})); Date.now = now; return true })()`)
	unlock(tab, passphraseOfOtto)
	tab.Shows("Your vault is open in this browser.")
	chromium.Eval[bool](tab, `(() => {
		const asked = fetch;
		const cara = {person: {user: "cara", tenant: "o:oak", roles: []}};
		globalThis.fetch = async (to, how) => String(to.url ?? to).endsWith("/auth/session") ? Response.json(cara) : asked(to, how);
		globalThis.ofOtto = true;
		document.dispatchEvent(new Event("visibilitychange"));
		return true;
	})()`)
	tab.Until("a page that was loaded anew for another person", `!globalThis.ofOtto`)
	tab.Shows("Your vault is locked")
	vaults := into[api.Vault](t, w.send(http.MethodGet, "/v1/vault", w.token(otto), ""), http.StatusOK)
	made, err := vault.NewFirmKey("o:oak", 1).Wrap(vaults.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	set := bson.D{{Key: "$set", Value: bson.D{{Key: "ephemeralKey", Value: made.EphemeralKey}, {Key: "iv", Value: made.IV}, {Key: "ct", Value: made.CT}}}}
	if n, err := w.database("PARTY_DATABASE").Collection("wrapped_keys").UpdateMany(t.Context(), bson.D{{Key: "userId", Value: "otto"}}, set); err != nil || n.ModifiedCount != 1 {
		t.Fatalf("%+v, %v", n, err)
	}
	unlock(tab, passphraseOfOtto)
	tab.Shows("Firm key 1 is another than this browser has seen before.")
	tab.Press("Not now")
	tab.Shows("Your vault is locked")
}

// A colleague gets the firm's key in the browser, and leaves with a new one that the command line then knows.
func TestColleaguesInTheApp(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited())
	owner, member := w.desk(otto, passphraseOfOtto), w.desk(cara, "another passphrase of cara")
	owner.must("", "vault", "init")
	print := strings.TrimSpace(member.must("", "vault", "init"))
	k := into[api.Case](t, w.send(http.MethodPost, "/v1/cases", w.token(otto), `{"title":"Lease of [Property 1]"}`), http.StatusCreated)
	p := into[api.Party](t, w.send(http.MethodPost, "/v1/parties", w.token(otto), `{"caseId":"`+k.CaseID+`","kind":"individual","role":"witness"}`), http.StatusCreated)
	owner.must(`{"name":"Halvard Ostrowe","email":"halvard@ostrowe.example"}`, "vault", "seal", p.PartyID, "--from", "-")

	tab := w.app(chromium.Start(t, nil), otto, "/app/vault")
	unlock(tab, passphraseOfOtto)
	tab.Shows("Has no key")
	tab.Press("Compare and give the key")
	tab.Shows(print)
	tab.Press("They read me this one")
	tab.Until("that cara holds the key", `document.body.innerText.match(/Holds the key/g)?.length === 2`)
	if out := member.must("", "vault", "show", k.CaseID); !strings.Contains(out, "Halvard Ostrowe") {
		t.Errorf("cara sees %s", out)
	}
	tab.Fill("cara loses", "on")
	tab.Press("Make a new key without them")
	tab.Shows("Everything is sealed under the firm’s present key.")
	tab.Shows("Firm key 2, in use")
	// The command line has not seen the key that the browser made, and believes it once it was compared.
	owner.fails("firm key 2 is new to this machine", "vault", "show", k.CaseID)
	second := chromium.Eval[string](tab, `[...document.querySelectorAll("dt")].find((e) => e.textContent === "Firm key 2, in use").nextElementSibling.textContent.trim()`)
	owner.must("", "vault", "fingerprint", "--believe", second)
	if out := owner.must("", "vault", "show", k.CaseID); !strings.Contains(out, "Halvard Ostrowe") {
		t.Errorf("otto sees %s", out)
	}
	moved := into[api.Party](t, w.send(http.MethodGet, "/v1/parties/"+p.PartyID, w.token(otto), ""), http.StatusOK)
	if moved.Sealed == nil || moved.Sealed.KeyVersion != 2 || moved.ConflictTokenCount != 1 {
		t.Errorf("the party is sealed as %+v, %d tokens", moved.Sealed, moved.ConflictTokenCount)
	}
	tab.Visit(w.Facts.BaseURL + "/app/cases/" + k.CaseID + "/parties?show=names")
	passphraseIs(tab, passphraseOfOtto)
	tab.Shows("Halvard Ostrowe")
	// With names shown, what is emptied is gone; a name that is not shown is sealed anew with another kind, on which its tokens depend.
	tab.Press("Change")
	tab.Fill("E-mail", "")
	tab.Press("Save")
	tab.Shows("[Party 1] is changed.")
	if out := owner.must("", "vault", "show", k.CaseID, "--json"); !strings.Contains(out, "Halvard Ostrowe") || strings.Contains(out, "ostrowe.example") {
		t.Errorf("otto sees %s", out)
	}
	tab.Press("Hide names")
	before := into[api.Party](t, w.send(http.MethodGet, "/v1/parties/"+p.PartyID, w.token(otto), ""), http.StatusOK)
	tab.Press("Change")
	tab.Fill("Kind", "organization")
	tab.Press("Save")
	tab.Until("the other kind", `document.querySelector("main").innerText.includes("· Organization")`)
	if after := into[api.Party](t, w.send(http.MethodGet, "/v1/parties/"+p.PartyID, w.token(otto), ""), http.StatusOK); after.Kind != "organization" || after.Sealed.CT == before.Sealed.CT || after.ConflictTokenCount != 1 {
		t.Errorf("after another kind the party is %+v", after)
	}
	member.fails("no vault", "vault", "show", k.CaseID)

	// The browser has not seen the key that the command line makes, and neither opens nor seals with it before it was compared.
	owner.must("", "vault", "rotate")
	tab.Visit(w.Facts.BaseURL + "/app/vault")
	unlock(tab, passphraseOfOtto)
	tab.Shows("Firm key 3 is new to this browser.")
	tab.Accessible("a firm key that is new")
	tab.Shows(owner.firmKey("3"))
	tab.Press("A colleague sees this one too: believe it")
	tab.Fill("Passphrase", passphraseOfOtto)
	tab.Press("Unlock")
	tab.Shows("Firm key 3, in use")
}

// wasm is the folder of what browsers read and check documents with.
func wasm(t *testing.T) string {
	t.Helper()
	return filepath.Dir(testkit.Program(t, "wasm/guard.wasm"))
}

const letter = `# Letter

Dear Mr Ostrowe,

Halvard Ostrowe of 12 Long Lane, Springfield, Illinois 62704 owes the rent of May and June under the lease that he signed in January. He may be
reached at halvard.ostrowe@example.net or at (312) 555-0142 on weekdays.

The tenant keeps the house in good repair and pays the rent on the first day of each month. They use the Brantwick method of
accounts. Marigold Quennell signed for the landlord.
`

func TestADocumentIsRedactedInTheApp(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited("GATEWAY_WASM_DIR", wasm(t)))
	d := w.desk(otto, passphraseOfOtto)
	d.must("", "vault", "init")
	k := into[api.Case](t, w.send(http.MethodPost, "/v1/cases", w.token(otto), `{"title":"Lease of [Property 1]"}`), http.StatusCreated)
	p := into[api.Party](t, w.send(http.MethodPost, "/v1/parties", w.token(otto), `{"caseId":"`+k.CaseID+`","kind":"individual","role":"lessee"}`), http.StatusCreated)
	d.must(`{"name":"Halvard Ostrowe"}`, "vault", "seal", p.PartyID, "--from", "-")

	path := filepath.Join(t.TempDir(), "Letter to Ostrowe.pdf")
	var content bytes.Buffer
	if err := typeset.PDF(&content, typeset.Parse(letter)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, content.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	tab := w.app(chromium.Start(t, nil), otto, "/app/redact?case="+k.CaseID)
	tab.Until("the field", `document.querySelector("#document") && !document.querySelector("#document").disabled`)
	tab.Accessible("choosing a document")
	tab.Choose("#document", path)
	passphraseIs(tab, passphraseOfOtto)
	tab.Shows("Found in the document")
	tab.Accessible("a document under review")
	tab.Size(360, 800, true)
	tab.Fits("a document under review")
	tab.Size(1280, 900, false)
	paint(tab, "redacting")
	// The command line sealed who [Party 1] is: every spelling of him has that label.
	tab.Until("the label of a party that the command line sealed", `[...document.querySelectorAll(".identities li")].some((e) => e.innerText.startsWith("Halvard Ostrowe") && e.innerText.includes("[Party 1]"))`)
	tab.Fill("A name that was missed", "Marigold Quennell") // Marigold is a flower to the guard
	tab.Press("Label it")
	tab.Shows("you marked it")
	tab.Press("Brantwick is no identity")
	tab.Press("Keep the names and send")
	tab.Shows("Say who the new parties are")
	tab.Fill("Role", "witness")
	tab.Fill("Keep the original", "on")
	// A colleague gives [Party 3] to somebody else meanwhile: who has it in the review gets another label, and is nobody's alias.
	if other := into[api.Party](t, w.send(http.MethodPost, "/v1/parties", w.token(otto), `{"caseId":"`+k.CaseID+`","label":"[Party 3]","kind":"individual","role":"expert"}`), http.StatusCreated); other.Label != "[Party 3]" {
		t.Fatalf("the colleague's party is %s", other.Label)
	}
	tab.Press("Keep the names and send")
	tab.Shows("[Party 3]: a colleague gave this to something else meanwhile, so nothing was sent.")
	tab.Until("another label", `[...document.querySelectorAll(".identities li")].some((e) => e.innerText.startsWith("Marigold Quennell") && e.innerText.includes("[Party 4]"))`)
	tab.Press("Keep the names and send")
	tab.Shows("which you said identify nobody: Brantwick.")
	tab.Provoked("403") // the service finds the words that the person then clears
	tab.Press("None of them identifies anybody: clear and send")
	tab.Shows("is in the case.")
	tab.Shows("Your agent can read it.")

	files := into[api.Page[api.File]](t, w.send(http.MethodGet, "/v1/cases/"+k.CaseID+"/files", w.token(otto), ""), http.StatusOK).Items
	if len(files) != 2 {
		t.Fatalf("%d files", len(files))
	}
	var text api.File

	for _, f := range files {
		if f.SealedFileID != "" {
			text = f
		}
	}
	if text.Name != "Document 1.txt" || !text.AgentReadable {
		t.Fatalf("files %+v", files)
	}

	said := string(w.send(http.MethodGet, "/v1/cases/"+k.CaseID+"/files/"+text.FileID+"/content", w.token(otto), "").body)
	for _, name := range []string{"Ostrowe", "Quennell", "Marigold", "Long Lane", "halvard", "555-0142"} {
		if strings.Contains(said, name) {
			t.Errorf("the text still names %s:\n%s", name, said)
		}
	}
	// What the browser keeps names nobody.
	kept := chromium.Eval[string](tab, `new Promise((done, failed) => {
		const asked = indexedDB.open("subrosa-vault");
		asked.onerror = failed;
		asked.onsuccess = async () => {
			const stores = [...asked.result.objectStoreNames], all = asked.result.transaction(stores);
			const values = stores.map((name) => new Promise((value) => { all.objectStore(name).getAll().onsuccess = (event) => value(event.target.result); }));
			done(JSON.stringify(await Promise.all(values)) + JSON.stringify(localStorage) + JSON.stringify(sessionStorage) + JSON.stringify(history.state) + document.title + location.href);
		};
	})`)
	if !strings.Contains(kept, "publicKey") {
		t.Errorf("the browser keeps no vault: %s", kept)
	}

	for _, secret := range []string{"Ostrowe", "Quennell", "Long Lane", passphraseOfOtto} {
		if strings.Contains(kept, secret) {
			t.Errorf("the browser keeps %s: %s", secret, kept)
		}
	}

	shown := d.must("", "vault", "show", k.CaseID)
	for _, name := range []string{"Halvard Ostrowe", "Marigold Quennell", "halvard.ostrowe@example.net", "555-0142"} {
		if !strings.Contains(shown, name) {
			t.Errorf("the command line does not find %s in the vault:\n%s", name, shown)
		}
	}

	// The original is ciphertext at the service, and comes back as it was.
	raw := w.send(http.MethodGet, "/v1/cases/"+k.CaseID+"/files/"+text.SealedFileID+"/content", w.token(otto), "").body
	if !bytes.HasPrefix(raw, []byte("SBRSEAL1")) || bytes.Contains(raw, []byte("PDF")) {
		t.Errorf("the service keeps %.40q", raw)
	}
	tab.Press("See it in the case")
	const told = `[...document.querySelectorAll("dd")].some((e) => e.textContent.includes("kept, encrypted for your firm"))`
	tab.Until("that the original is kept", told)
	tab.Press("Save the original")
	got, err := os.ReadFile(tab.Saved("Letter to Ostrowe.pdf"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, content.Bytes()) {
		t.Errorf("%d bytes came back, want %d", len(got), content.Len())
	}
}
