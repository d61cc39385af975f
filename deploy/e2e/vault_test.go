package e2e_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/deploy/internal/cli"
	"github.com/subrosa-legal/subrosa/deploy/internal/devidp"
	"github.com/subrosa-legal/subrosa/deploy/internal/vault"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

// desk is a person's machine with the command line on it.
type desk struct {
	w       *world
	person  devidp.Person
	folder  string
	secrets []string // typed, in this order
	caFile  string   // whom it trusts

	// cost of a new passphrase: as little as a blob can name, unless a test has the usual one.
	cost vault.Cost
}

func (w *world) desk(p devidp.Person, passphrase string) *desk {
	w.t.Helper()
	d := &desk{
		w: w, person: p, folder: w.t.TempDir(), secrets: []string{passphrase}, caFile: w.Facts.CAFile,
		cost: vault.Cost{MemoryKiB: 8, Passes: 1},
	}
	site := map[string]any{"baseUrl": w.Facts.BaseURL, "token": w.token(p), "expires": "2100-01-01T00:00:00Z", "caFile": w.Facts.CAFile}
	text, err := json.Marshal(map[string]any{"current": w.Facts.BaseURL, "sites": map[string]any{w.Facts.BaseURL: site}})
	if err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(d.folder, "sites.json"), text, 0o600); err != nil {
		w.t.Fatal(err)
	}

	return d
}

// run runs a command; every secret is the first of d's, or each of them in turn.
func (d *desk) run(in string, args ...string) (code int, out, problems string) {
	d.w.t.Helper()
	var stdout, stderr bytes.Buffer
	asked := 0
	code = cli.Run(d.w.t.Context(), append([]string{"--ca", d.caFile}, args...), cli.Terminal{
		In: strings.NewReader(in), Out: &stdout, Err: &stderr, Folder: d.folder, Config: d.folder, Now: time.Now,
		Secret:    func(string) (string, error) { asked++; return d.secrets[min(asked, len(d.secrets))-1], nil },
		VaultCost: d.cost,
	})

	return code, stdout.String(), stderr.String()
}

func (d *desk) must(in string, args ...string) string {
	d.w.t.Helper()
	code, out, problems := d.run(in, args...)
	if code != 0 {
		d.w.t.Fatalf("%s: %s: %s%s", d.person.Subject, strings.Join(args, " "), out, problems)
	}

	return out
}

func (d *desk) fails(why string, args ...string) {
	d.w.t.Helper()
	if code, out, problems := d.run("", args...); code == 0 || !strings.Contains(problems, why) {
		d.w.t.Errorf("%s: %s: code %d, %s%s, want %q", d.person.Subject, strings.Join(args, " "), code, out, problems, why)
	}
}

// firmKey is the fingerprint of a version of the firm's key, as d sees it.
func (d *desk) firmKey(version string) string {
	d.w.t.Helper()
	var prints struct{ FirmKeys map[string]string }
	if err := json.Unmarshal([]byte(d.must("", "vault", "fingerprint", "--json")), &prints); err != nil {
		d.w.t.Fatal(err)
	}

	return prints.FirmKeys[version]
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}

// A service that puts a key of its own in the place of a member's, or of the firm's, is found out before anything is sealed for it.
func TestAServiceThatLiesAboutKeysIsFoundOut(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited())
	owner, member := w.desk(otto, "a long passphrase of otto"), w.desk(cara, "another passphrase of cara")
	owner.must("", "vault", "init")
	print := strings.TrimSpace(member.must("", "vault", "init"))
	owner.must("", "vault", "give", "cara", "--fingerprint", print)
	liar, err := vault.NewKeyPair()
	if err != nil {
		t.Fatal(err)
	}
	db := w.database("PARTY_DATABASE")
	vaults, held := db.Collection("vaults"), db.Collection("wrapped_keys")
	swap := func(user, key string) {
		t.Helper()

		set := bson.D{{Key: "$set", Value: bson.D{{Key: "publicKey", Value: key}}}}
		for _, c := range []*mongo.Collection{vaults, held} {
			if n, err := c.UpdateMany(t.Context(), bson.D{{Key: "userId", Value: user}}, set); err != nil || n.ModifiedCount != 1 {
				t.Fatalf("swapped %+v, %v", n, err)
			}
		}
	}
	honest := into[api.Vault](t, w.send(http.MethodGet, "/v1/vault", w.token(cara), ""), http.StatusOK).PublicKey
	swap("cara", liar.Public())
	owner.fails("has changed since it was compared", "vault", "rotate")
	swap("cara", honest)
	// A made-up firm key in the place of the one that this machine knows.
	made, err := vault.NewFirmKey("o:oak", 1).Wrap(honest)
	if err != nil {
		t.Fatal(err)
	}
	set := bson.D{{Key: "$set", Value: bson.D{{Key: "ephemeralKey", Value: made.EphemeralKey}, {Key: "iv", Value: made.IV}, {Key: "ct", Value: made.CT}}}}
	member.must("", "vault", "fingerprint") // it is seen
	if _, err := held.UpdateOne(t.Context(), bson.D{{Key: "userId", Value: "cara"}}, set); err != nil {
		t.Fatal(err)
	}
	member.fails("differs from the one that this machine has seen before", "vault", "fingerprint")
	if v := into[api.Vault](t, w.send(http.MethodGet, "/v1/vault", w.token(otto), ""), http.StatusOK); v.KeyVersion != 1 {
		t.Errorf("the firm has key %d", v.KeyVersion)
	}
}

// What somebody made unreadable keeps nobody from the rest.
func TestWhatCannotBeOpenedStopsNothingElse(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited())
	owner, user := w.desk(otto, "a long passphrase of otto"), w.token(otto)
	owner.must("", "vault", "init")
	k := into[api.Case](t, w.send(http.MethodPost, "/v1/cases", user, `{"title":"Lease of [Property 1]"}`), http.StatusCreated)
	var ids []string

	for range 2 {
		p := into[api.Party](t, w.send(http.MethodPost, "/v1/parties", user, `{"caseId":"`+k.CaseID+`","kind":"individual","role":"witness"}`), http.StatusCreated)
		ids = append(ids, p.PartyID)
	}
	owner.must("{\"name\":\"Wilhelmina \\u001b[2JOstrander\"}", "vault", "seal", ids[0], "--from", "-")
	noise := `{"kind":"individual","role":"witness","identityRef":"aaaaaaaaaaaaaaaaaaaaaa","sealed":{"v":1,"alg":"A256GCM","keyVersion":1,"iv":"` + strings.Repeat("A", 16) + `","ct":"` + strings.Repeat("A", 64) + `","aad":"` + k.CaseID + `:aaaaaaaaaaaaaaaaaaaaaa"}}`
	into[api.Party](t, w.send(http.MethodPut, "/v1/parties/"+ids[1], user, noise), http.StatusOK)
	code, out, problems := owner.run("", "vault", "show", k.CaseID)
	if code != 1 || !strings.Contains(out, "Wilhelmina") || !strings.Contains(problems, "[Party 2]") || strings.Contains(out, "\x1b") {
		t.Errorf("show: %d %q %q", code, out, problems)
	}
	code, out, problems = owner.run("", "vault", "rotate")
	if code != 1 || !strings.Contains(out, "Sealed 1 parties") || !strings.Contains(problems, "1 were left") && !strings.Contains(problems, "left as they are") {
		t.Errorf("rotate: %d %q %q", code, out, problems)
	}
	// While one is left under the old key, the other keeps the tokens of both: one name in both would be a conflict.
	if p := into[api.Party](t, w.send(http.MethodGet, "/v1/parties/"+ids[0], user, ""), http.StatusOK); p.Sealed.KeyVersion != 2 || p.ConflictTokenCount != 2 {
		t.Errorf("sealed under key %d with %d tokens", p.Sealed.KeyVersion, p.ConflictTokenCount)
	}
	if out := owner.must("", "--json", "vault", "status"); strings.Contains(out, "blob") {
		t.Errorf("status prints the locked private key: %s", out)
	}
}

// One makes the firm's key and seals a name; a colleague to whom the key is given reads it on another machine, until the key is changed
// without them. The name, the passphrases and the keys are nowhere at the service.
func TestNamesAreReadByMembersAndNowhereElse(t *testing.T) {
	if !inOwnProcess(t) {
		return
	}

	const (
		name, alias  = "Wilhelmina Ostrander", "Mina Ostrander"
		mine, theirs = "a long passphrase of otto", "another passphrase of cara"
	)
	w, otlp, metrics := observed(t)
	owner, member := w.desk(otto, mine), w.desk(cara, theirs)
	user := w.token(otto)
	k := into[api.Case](t, w.send(http.MethodPost, "/v1/cases", user, `{"title":"Lease of [Property 1]"}`), http.StatusCreated)
	p := into[api.Party](t, w.send(http.MethodPost, "/v1/parties", user, `{"caseId":"`+k.CaseID+`","kind":"individual","role":"plaintiff","side":"ours","isClient":true}`), http.StatusCreated)

	owner.fails("make one with subrosa vault init", "vault", "status")
	ownPrint := strings.TrimSpace(owner.must("", "vault", "init"))
	owner.fails("a vault already", "vault", "init")
	who := fmt.Sprintf(`{"name":%q,"aliases":[%q],"email":"mina@ostrander.example"}`, name, alias)
	owner.must(who, "vault", "seal", p.PartyID, "--from", "-")
	owner.fails("--replace", "vault", "seal", p.PartyID, "--from", "-")
	if out := owner.must("", "vault", "show", k.CaseID); !strings.Contains(out, name) || !strings.Contains(out, alias) || !strings.Contains(out, "[Party 1]") {
		t.Errorf("the owner sees %q", out)
	}
	sealed := into[api.Party](t, w.send(http.MethodGet, "/v1/parties/"+p.PartyID, user, ""), http.StatusOK)
	if sealed.Sealed == nil || sealed.Sealed.KeyVersion != 1 || sealed.ConflictTokenCount != 2 {
		t.Fatalf("sealed = %+v", sealed)
	}

	print := strings.TrimSpace(member.must("", "vault", "init"))
	if out := member.must("", "vault", "fingerprint"); !strings.Contains(out, print) {
		t.Errorf("fingerprint = %q, want %s", out, print)
	}
	member.fails("which you do not hold", "vault", "show", k.CaseID)
	owner.fails("another fingerprint", "vault", "give", "cara", "--fingerprint", ownPrint)
	owner.fails("nothing was given", "vault", "give", "cara") // nobody says yes
	owner.must("", "vault", "give", "cara", "--fingerprint", print)
	owner.fails("holds every version", "vault", "give", "cara")
	if out := member.must("", "vault", "show", k.CaseID); !strings.Contains(out, name) {
		t.Errorf("the member sees %q", out)
	}
	if one, other := owner.must("", "vault", "fingerprint"), member.must("", "vault", "fingerprint"); lastLine(one) != lastLine(other) {
		t.Errorf("the firm's key looks different to two who hold it: %q and %q", one, other)
	}
	guesser := *member
	guesser.secrets = []string{"a passphrase of nobody"}
	guesser.fails("does not open the vault", "vault", "show", k.CaseID)

	// A backup brings everything back that its passphrase opens, also after all at the service was lost.
	backup := filepath.Join(member.folder, "vault.json")
	member.must("", "vault", "backup", backup)
	member.fails("exists", "vault", "backup", backup)
	changed := *member
	changed.secrets = []string{theirs, "a third passphrase of cara"}
	changed.must("", "vault", "passphrase")
	member.fails("does not open the vault", "vault", "show", k.CaseID)
	member.fails("add --over", "vault", "restore", backup)
	w.vaulted(cara, otto) // another key, and another vault
	guesser.fails("was not put back", "vault", "restore", backup, "--over")
	member.must("", "vault", "restore", backup, "--over")
	if out := member.must("", "vault", "show", k.CaseID); !strings.Contains(out, name) {
		t.Errorf("from the backup the member sees %q", out)
	}
	owner.fails("this is the vault of cara", "vault", "restore", backup)

	// Another key for both, then one without the member.
	member.fails("only an owner", "vault", "rotate")
	owner.fails("no firm key was made", "vault", "rotate", "--remove", "carla")
	if out := owner.must("", "vault", "rotate"); !strings.Contains(out, "Sealed 1 parties") {
		t.Errorf("rotated: %q", out)
	}
	// What the owner made is new to the member, who compares it first.
	member.fails("firm key 2 is new to this machine", "vault", "show", k.CaseID)
	member.fails("firm key 2 is new to this machine", "vault", "fingerprint", "--believe", ownPrint)
	member.must("", "vault", "fingerprint", "--believe", owner.firmKey("2"))
	if out := member.must("", "vault", "show", k.CaseID); !strings.Contains(out, name) {
		t.Errorf("under the second key the member sees %q", out)
	}
	if again := into[api.Party](t, w.send(http.MethodGet, "/v1/parties/"+p.PartyID, user, ""), http.StatusOK); again.ConflictTokenCount != 2 || again.Sealed.KeyVersion != 2 {
		t.Errorf("sealed anew: %+v", again)
	}
	owner.must("", "vault", "rotate", "--remove", "cara")
	if out := owner.must("", "vault", "show", k.CaseID); !strings.Contains(out, name) {
		t.Errorf("after the rotation the owner sees %q", out)
	}
	if out := owner.must("", "vault", "reseal"); !strings.Contains(out, "Sealed 0 parties") {
		t.Errorf("sealing again: %q", out)
	}
	member.fails("make one with subrosa vault init", "vault", "show", k.CaseID)
	member.must("", "vault", "restore", backup) // the old key comes back with it, and opens what she could read before
	member.fails("which you do not hold", "vault", "show", k.CaseID)

	places := w.everywhere(otlp, metrics, nil)
	if !bytes.Contains(places["MongoDB"], []byte(sealed.IdentityRef)) || !bytes.Contains(places["exported traces"], []byte("/v1/vault")) {
		t.Error("the places were not looked into")
	}
	nowhere(t, places, "Wilhelmina", "Ostrander", mine, theirs)
}
