package partysvc_test

import (
	"crypto/ecdh"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
	"go.mongodb.org/mongo-driver/v2/bson"
)

var (
	owner  = user(firm, "olga", access.RoleOwner, access.RoleMember)
	member = user(firm, "mia", access.RoleMember)
)

// point is a fresh public key of P-256 as a browser sends it.
func point(t testing.TB) string {
	t.Helper()
	key, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}

	return base64.RawURLEncoding.EncodeToString(key.PublicKey().Bytes())
}

func noise(n int) string {
	b := make([]byte, n)
	_, _ = rand.Read(b)

	return base64.RawURLEncoding.EncodeToString(b)
}

// wrap is a firm key for somebody whose public key is known.
func wrap(t testing.TB, publicKey string) m {
	return m{"publicKey": publicKey, "ephemeralKey": point(t), "iv": noise(12), "ct": noise(48)}
}

// keyOf is the public key of somebody's vault, some key when there is none.
func (w *world) keyOf(caller access.Caller) string {
	w.t.Helper()
	a := w.get(caller, "/v1/vault")
	if a.Status != 200 {
		return point(w.t)
	}

	return into[api.Vault](w.t, a, 200).PublicKey
}

func (w *world) wrap(caller access.Caller) m { return wrap(w.t, w.keyOf(caller)) }

func (w *world) wrapFor(caller access.Caller) m {
	return with(w.wrap(caller), m{"userId": caller.UserID})
}

func (w *world) saveVault(caller access.Caller) api.Vault {
	w.t.Helper()
	a := w.json(caller, http.MethodPut, "/v1/vault", m{"publicKey": point(w.t), "blob": noise(200)})
	if a.Status != 201 && a.Status != 200 {
		w.t.Fatalf("save vault: %d %s", a.Status, a.Body)
	}

	return into[api.Vault](w.t, a, a.Status)
}

func (w *world) rotate(by access.Caller, version int, keys []m, remove ...string) answer {
	w.t.Helper()
	return w.json(by, http.MethodPost, "/v1/vault/rotate", m{"keyVersion": version, "keys": keys, "remove": append([]string{}, remove...)})
}

func versions(v api.Vault) []int {
	list := []int{}
	for _, k := range v.Keys {
		list = append(list, k.KeyVersion)
	}

	return list
}

func TestASecondBrowserOpensTheSameVault(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	refused(t, w.get(owner, "/v1/vault"), 404, "not_found")
	first := w.saveVault(owner)
	if first.Version != 1 || first.KeyVersion != 0 || len(first.Keys) != 0 {
		t.Errorf("a new vault = %+v", first)
	}
	refused(t, w.json(owner, http.MethodPut, "/v1/vault", m{"publicKey": point(t), "blob": noise(120)}, "If-None-Match", "*"), 412, "version_mismatch")
	given := w.wrapFor(owner)
	made := into[api.Vault](t, w.rotate(owner, 1, []m{given}), 201)
	again := w.get(owner, "/v1/vault")
	got := into[api.Vault](t, again, 200)
	if diff := cmp.Diff(made, got); diff != "" {
		t.Errorf("read elsewhere (-made +got):\n%s", diff)
	}
	want := []api.WrappedKey{{KeyVersion: 1, EphemeralKey: given["ephemeralKey"].(string), IV: given["iv"].(string), CT: given["ct"].(string)}}
	if diff := cmp.Diff(want, got.Keys); diff != "" || got.PublicKey != first.PublicKey || got.Blob != first.Blob {
		t.Errorf("keys (-want +got):\n%s", diff)
	}
	tag := again.Header.Get("ETag")
	if a := w.get(owner, "/v1/vault", "If-None-Match", tag); a.Status != 304 {
		t.Errorf("unchanged = %d", a.Status)
	}
	// Another passphrase is another blob under the same key: what is wrapped stays.
	changed := m{"publicKey": first.PublicKey, "blob": noise(300)}
	kept := into[api.Vault](t, w.json(owner, http.MethodPut, "/v1/vault", changed, "If-Match", tag), 200)
	if kept.Version != 2 || len(kept.Keys) != 1 {
		t.Errorf("another blob left %+v", kept)
	}
	refused(t, w.json(owner, http.MethodPut, "/v1/vault", changed, "If-Match", tag), 412, "version_mismatch")
	// Another key ends what was wrapped to the old one.
	if lost := w.saveVault(owner); len(lost.Keys) != 0 || lost.KeyVersion != 1 || lost.Version != 3 {
		t.Errorf("another public key left %+v", lost)
	}
	// Nobody else of the firm sees it.
	refused(t, w.get(member, "/v1/vault"), 404, "not_found")
	refused(t, w.json(member, http.MethodPut, "/v1/vault", m{"publicKey": point(t), "blob": noise(120)}, "If-Match", `"1"`), 412, "version_mismatch")
}

func TestAFirmKeyReachesItsMembers(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	w.saveVault(owner)
	into[api.Vault](t, w.rotate(owner, 1, []m{w.wrapFor(owner)}), 201)
	path := "/v1/vault/members/mia/keys/1"
	refused(t, w.json(owner, http.MethodPut, path, w.wrap(owner)), 404, "not_found") // no public key yet
	theirs := w.saveVault(member)
	other := user(firm, "noa", access.RoleMember)
	w.saveVault(other)
	refused(t, w.json(other, http.MethodPut, path, w.wrap(member)), 403, "forbidden")     // holds nothing herself
	refused(t, w.json(owner, http.MethodPut, path, w.wrap(owner)), 409, "write_conflict") // wrapped to another key
	before := w.get(member, "/v1/vault").Header.Get("ETag")
	into[api.WrappedKey](t, w.json(owner, http.MethodPut, path, w.wrap(member)), 201)
	refused(t, w.json(owner, http.MethodPut, path, w.wrap(member)), 409, "already_given") // nobody takes it from her
	into[api.WrappedKey](t, w.json(member, http.MethodPut, path, w.wrap(member)), 200)    // but she herself
	if a := w.get(member, "/v1/vault", "If-None-Match", before); a.Status != 200 || len(into[api.Vault](t, a, 200).Keys) != 1 {
		t.Errorf("the member's vault after the firm key came = %d %s", a.Status, a.Body)
	}
	page := into[api.Page[api.VaultMember]](t, w.get(member, "/v1/vault/members"), 200)
	want := []string{"mia [1]", "noa []", "olga [1]"}

	got := []string{}
	for _, x := range page.Items {
		got = append(got, fmt.Sprintf("%s %v", x.UserID, x.KeyVersions))
	}
	if diff := cmp.Diff(want, got); diff != "" || page.Items[0].PublicKey != theirs.PublicKey {
		t.Errorf("members (-want +got):\n%s", diff)
	}
	one := into[api.Page[api.VaultMember]](t, w.get(owner, "/v1/vault/members?limit=1"), 200)
	two := into[api.Page[api.VaultMember]](t, w.get(owner, "/v1/vault/members?limit=2&cursor="+*one.NextCursor), 200)
	if one.Items[0].UserID != "mia" || len(two.Items) != 2 || two.Items[1].UserID != "olga" || two.NextCursor != nil {
		t.Errorf("pages %+v and %+v", one, two)
	}

	// The next version goes to those who stay; who leaves loses vault and keys, and a vault made later is another one.
	refused(t, w.rotate(member, 2, []m{w.wrapFor(member)}), 403, "forbidden")
	refused(t, w.rotate(owner, 1, []m{w.wrapFor(owner)}), 409, "write_conflict")
	refused(t, w.rotate(owner, 3, []m{w.wrapFor(owner)}), 409, "write_conflict")
	v := into[api.Vault](t, w.rotate(owner, 2, []m{w.wrapFor(owner)}, "mia"), 201)
	if !slices.Equal(versions(v), []int{1, 2}) || v.KeyVersion != 2 {
		t.Errorf("after the rotation %+v", v)
	}
	refused(t, w.get(member, "/v1/vault"), 404, "not_found")
	if back := w.saveVault(member); len(back.Keys) != 0 || back.Version != 1 {
		t.Errorf("a vault made later = %+v", back)
	}
	if a := w.get(user("o:other", "eve"), "/v1/vault/members"); a.Status != 200 || len(into[api.Page[api.VaultMember]](t, a, 200).Items) != 0 {
		t.Errorf("another firm sees %s", a.Body)
	}
}

func TestOneOfTwoBrowsersMakesTheKey(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	w.saveVault(owner)

	for version := 1; version <= 5; version++ {
		statuses := make(chan int, 8)

		var racing sync.WaitGroup
		for range cap(statuses) {
			racing.Go(func() { statuses <- w.rotate(owner, version, []m{w.wrapFor(owner)}).Status })
		}
		racing.Wait()
		close(statuses)
		won := 0

		for s := range statuses {
			if s == 201 {
				won++
			} else if s != 409 {
				t.Errorf("a browser that was late got %d", s)
			}
		}
		v := into[api.Vault](t, w.get(owner, "/v1/vault"), 200)
		if won != 1 || v.KeyVersion != version || len(v.Keys) != version {
			t.Fatalf("version %d: %d won, vault %+v", version, won, v)
		}
	}
}

// A process that dies right behind the insert of a firm key loses nothing: whoever reads next finishes.
func TestAnUnsettledKeyIsFinishedByTheNextReader(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	w.saveVault(owner)
	w.saveVault(member)
	into[api.Vault](t, w.rotate(owner, 1, []m{w.wrapFor(owner), w.wrapFor(member)}), 201)
	into[api.Vault](t, w.rotate(owner, 2, []m{w.wrapFor(owner)}, "mia"), 201)
	keys, held := w.database().Collection("firm_keys"), w.database().Collection("wrapped_keys")
	var laid []bson.M
	cursor, err := held.Find(t.Context(), bson.D{{Key: "keyVersion", Value: 2}})
	if err == nil {
		err = cursor.All(t.Context(), &laid)
	}
	if err != nil || len(laid) != 1 {
		t.Fatalf("laid down: %v, %v", laid, err)
	}
	leaving := w.saveVault(user(firm, "lea", access.RoleMember)) // whom the rotation removes, and nobody did
	late := w.saveVault(member)                                  // made after her removal
	if _, err := held.DeleteMany(t.Context(), bson.D{{Key: "keyVersion", Value: 2}}); err != nil {
		t.Fatal(err)
	}
	unsettled := bson.D{{Key: "$set", Value: bson.D{
		{Key: "settled", Value: false}, {Key: "wraps", Value: laid}, {Key: "remove", Value: bson.A{
			bson.D{{Key: "userId", Value: "mia"}, {Key: "publicKey", Value: point(t)}}, bson.D{{Key: "userId", Value: "lea"}, {Key: "publicKey", Value: leaving.PublicKey}},
		}},
	}}}
	if _, err := keys.UpdateOne(t.Context(), bson.D{{Key: "_id", Value: firm + "/2"}}, unsettled); err != nil {
		t.Fatal(err)
	}
	if v := into[api.Vault](t, w.get(owner, "/v1/vault"), 200); !slices.Equal(versions(v), []int{1, 2}) {
		t.Errorf("after it was finished: %+v", v)
	}
	if v := into[api.Vault](t, w.get(member, "/v1/vault"), 200); v.PublicKey != late.PublicKey {
		t.Error("finishing a removal took a vault that was made later")
	}
	refused(t, w.get(user(firm, "lea", access.RoleMember), "/v1/vault"), 404, "not_found")
	if n, err := keys.CountDocuments(t.Context(), bson.D{{Key: "settled", Value: false}}); err != nil || n != 0 {
		t.Errorf("%d versions are unsettled, %v", n, err)
	}
}

func TestSealedLabels(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	c := w.cases.add(firm, nil)
	path := "/v1/cases/" + c.CaseID + "/sealed-labels"
	body := func(version int) m { return m{"keyVersion": version, "iv": noise(12), "ct": noise(4000)} }
	none := func(when string) {
		t.Helper()
		a := w.get(member, path)
		tag, text := a.Header.Get("ETag"), strings.TrimSpace(string(a.Body))
		if a.Status != 200 || text != "null" || tag != "" {
			t.Errorf("%s: %d %s, ETag %q, want null", when, a.Status, text, tag)
		}
	}
	none("before the first")
	refused(t, w.get(user("o:other", "eve"), path), 404, "not_found")
	refused(t, w.get(member, "/v1/cases/"+uuid.NewString()+"/sealed-labels"), 404, "not_found")
	sent := body(1)
	put := w.json(member, http.MethodPut, path, sent)
	first := into[api.SealedLabels](t, put, 201)
	if first.Version != 1 || first.CT != sent["ct"] || put.Header.Get("ETag") != `"1"` {
		t.Errorf("first = %+v", first)
	}
	if a := w.get(owner, path, "If-None-Match", `"1"`); a.Status != 304 {
		t.Errorf("unchanged = %d", a.Status)
	}
	w.cases.set(firm, c.CaseID, func(c *api.Case) { c.Status = "closed" })
	into[api.SealedLabels](t, w.json(owner, http.MethodPut, path, body(1), "If-Match", `"1"`), 200)
	refused(t, w.json(member, http.MethodPut, path, body(1), "If-Match", `"1"`), 412, "version_mismatch")
	refused(t, w.json(member, http.MethodPut, path, body(1), "If-None-Match", "*"), 412, "version_mismatch")
	refused(t, w.get(user("o:other", "eve"), path), 404, "not_found")
	refused(t, w.json(member, http.MethodPut, "/v1/cases/"+uuid.NewString()+"/sealed-labels", body(1)), 404, "not_found")
	// Once the firm has a key here, nothing is sealed under another.
	w.saveVault(owner)
	into[api.Vault](t, w.rotate(owner, 1, []m{w.wrapFor(owner)}), 201)
	refused(t, w.json(owner, http.MethodPut, path, body(2)), 409, "key_outdated")
	into[api.SealedLabels](t, w.json(owner, http.MethodPut, path, body(1)), 200)
	open := w.cases.add(firm, nil)
	fresh := with(sealedFor(open.CaseID), m{"keyVersion": 1})
	p := w.addParty(ann, with(plaintiff, m{"caseId": open.CaseID, "identityRef": ref, "sealed": fresh}))
	into[api.Vault](t, w.rotate(owner, 2, []m{w.wrapFor(owner)}), 201)
	refused(t, w.json(ann, http.MethodPost, "/v1/parties", with(plaintiff, m{"caseId": open.CaseID, "identityRef": ref, "sealed": fresh})), 409, "key_outdated")
	same := with(plaintiff, m{"identityRef": ref, "sealed": fresh, "notes": "Changed"})
	into[api.Party](t, w.json(ann, http.MethodPut, "/v1/parties/"+p.PartyID, same), 200) // what was sealed before is not sealed anew
	into[api.Party](t, w.json(ann, http.MethodPut, "/v1/parties/"+p.PartyID, with(same, m{"sealed": with(fresh, m{"keyVersion": 2})})), 200)
	// A purged case keeps none.
	if a := w.json(access.Caller{
		Kind:   access.Service,
		Tenant: firm,
	}, http.MethodDelete, "/internal/cases/"+c.CaseID, nil); a.Status != 204 {
		t.Fatalf("purge: %d %s", a.Status, a.Body)
	}
	none("after the purge")
}

// Whoever is the last to hold a key under which something is sealed is not removed.
func TestTheLastHolderStays(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	c := w.cases.add(firm, nil)
	ada := user(firm, "ada", access.RoleOwner)
	w.saveVault(owner)
	w.saveVault(ada)
	into[api.Vault](t, w.rotate(owner, 1, []m{w.wrapFor(owner)}), 201)
	p := w.addParty(owner, with(plaintiff, m{"caseId": c.CaseID, "identityRef": ref, "sealed": with(sealedFor(c.CaseID), m{"keyVersion": 1})}))
	refused(t, w.rotate(ada, 2, []m{w.wrapFor(ada)}, "olga"), 409, "last_holder")
	into[api.WrappedKey](t, w.json(owner, http.MethodPut, "/v1/vault/members/ada/keys/1", w.wrap(ada)), 201)
	into[api.Vault](t, w.rotate(ada, 2, []m{w.wrapFor(ada)}, "olga"), 201)
	// One who has changed keys since holds nothing that counts.
	w.saveVault(owner)
	into[api.WrappedKey](t, w.json(ada, http.MethodPut, "/v1/vault/members/olga/keys/1", w.wrap(owner)), 201)
	w.saveVault(owner)
	refused(t, w.rotate(owner, 3, []m{w.wrapFor(owner)}, "ada"), 409, "last_holder")
	into[api.Party](t, w.json(ada, http.MethodPut, "/v1/parties/"+p.PartyID, with(plaintiff, m{"identityRef": nil, "sealed": nil})), 200)
	into[api.Vault](t, w.rotate(owner, 3, []m{w.wrapFor(owner)}, "ada"), 201) // nothing is sealed
}

// A key that is wrapped to what is not a member's key any more makes no version.
func TestAStaleWrapMakesNoKey(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	w.saveVault(owner)
	stale := w.wrapFor(owner)
	w.saveVault(owner)
	refused(t, w.rotate(owner, 1, []m{stale}), 409, "write_conflict")
	if v := into[api.Vault](t, w.get(owner, "/v1/vault"), 200); v.KeyVersion != 0 {
		t.Errorf("the firm has key %d, which nobody can open", v.KeyVersion)
	}
}

// A firm that refuses conflicts can still seal its parties under another key.
func TestSealingAnewIsNoNewConflict(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	w.saveVault(owner)
	into[api.Vault](t, w.rotate(owner, 1, []m{w.wrapFor(owner)}), 201)
	var parties []api.Party

	for _, side := range []string{"ours", "adverse"} {
		c := w.cases.add(firm, nil)
		body := with(plaintiff, m{"caseId": c.CaseID, "side": side, "identityRef": ref, "sealed": with(sealedFor(c.CaseID), m{"keyVersion": 1}), "conflictTokens": []string{token(1)}})
		parties = append(parties, w.addParty(owner, body))
	}
	w.cases.with(func(s *caseService) { s.policy[firm] = "block" })
	into[api.Vault](t, w.rotate(owner, 2, []m{w.wrapFor(owner)}), 201)

	for i, p := range parties {
		body := with(plaintiff, m{"side": p.Side, "identityRef": ref, "sealed": with(sealedFor(p.CaseID), m{"keyVersion": 2}), "conflictTokens": []string{token(2)}})
		if i == 1 {
			refused(t, w.json(owner, http.MethodPut, "/v1/parties/"+p.PartyID, with(body, m{"notes": "And more"})), 409, "conflict_found")
		}
		into[api.Party](t, w.json(owner, http.MethodPut, "/v1/parties/"+p.PartyID, body), 200)
	}
}

// A key that was replaced stays while anything is sealed under it, and goes a month after nothing is.
func TestOldKeysAreForgottenWhenNothingNeedsThem(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	c := w.cases.add(firm, nil)
	w.saveVault(owner)
	into[api.Vault](t, w.rotate(owner, 1, []m{w.wrapFor(owner)}), 201)
	sealed := with(sealedFor(c.CaseID), m{"keyVersion": 1})
	p := w.addParty(owner, with(plaintiff, m{"caseId": c.CaseID, "identityRef": ref, "sealed": sealed}))
	into[api.Vault](t, w.rotate(owner, 2, []m{w.wrapFor(owner)}), 201)
	holds := func(want ...int) {
		t.Helper()
		testkit.Until(t, testkit.Patience, func() error {
			if got := versions(into[api.Vault](t, w.get(owner, "/v1/vault"), 200)); !slices.Equal(got, want) {
				return fmt.Errorf("the owner holds %v, want %v", got, want)
			}

			return nil
		})
	}
	examined := func() time.Time {
		var k struct {
			ExamineAt time.Time `bson:"examineAt"`
		}
		if err := w.database().Collection("firm_keys").FindOne(t.Context(), bson.D{{Key: "_id", Value: firm + "/1"}}).Decode(&k); err != nil {
			t.Fatal(err)
		}

		return k.ExamineAt
	}
	w.clock.Advance(31 * 24 * time.Hour)
	testkit.Until(t, testkit.Patience, func() error {
		if at := examined(); !at.After(w.clock.Now()) {
			return fmt.Errorf("not examined yet: %s", at)
		}

		return nil
	})
	holds(1, 2)
	into[api.Party](t, w.json(owner, http.MethodPut, "/v1/parties/"+p.PartyID, with(plaintiff, m{"identityRef": ref, "sealed": with(sealed, m{"keyVersion": 2})})), 200)
	w.clock.Advance(25 * time.Hour)
	holds(2)
	// The newest is never forgotten, used or not.
	w.clock.Advance(400 * 24 * time.Hour)
	into[api.Vault](t, w.rotate(owner, 3, []m{w.wrapFor(owner)}), 201)
	holds(2, 3)
}

func TestWhatAVaultRefuses(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	c := w.cases.add(firm, nil)
	w.saveVault(owner)
	w.saveVault(member)
	labels := "/v1/cases/" + c.CaseID + "/sealed-labels"
	offCurve := base64.RawURLEncoding.EncodeToString(slices.Concat([]byte{4}, make([]byte, 64)))

	good := m{"publicKey": point(t), "blob": noise(120)}
	for _, tc := range []struct {
		name, method, path string
		body               any
		status             int
		code, where        string
	}{
		{"a point that is not on the curve", "PUT", "/v1/vault", with(good, m{"publicKey": offCurve}), 400, "validation_failed", "publicKey"},
		{"a padded blob", "PUT", "/v1/vault", with(good, m{"blob": "AA=="}), 400, "validation_failed", "blob"},
		{"line breaks in a blob", "PUT", "/v1/vault", with(good, m{"blob": "AAAA\nAAAA"}), 400, "validation_failed", "blob"},
		{"no blob", "PUT", "/v1/vault", m{"publicKey": point(t)}, 400, "validation_failed", "blob"},
		{"a large blob", "PUT", "/v1/vault", with(good, m{"blob": noise(16<<10 + 1)}), 413, "vault_too_large", ""},
		{"a key in clear", "PUT", "/v1/vault", with(good, m{"privateKey": "x"}), 400, "unknown_field", "privateKey"},
		{"a query", "PUT", "/v1/vault?x=1", good, 400, "invalid_parameter", "x"},
		{"a wrap without its own key", "POST", "/v1/vault/rotate", m{"keyVersion": 1, "keys": []m{w.wrapFor(member)}, "remove": []string{}}, 400, "validation_failed", "keys"},
		{"a wrap for nobody", "POST", "/v1/vault/rotate", m{"keyVersion": 1, "keys": []m{w.wrapFor(owner), with(w.wrap(owner), m{"userId": "zoe"})}, "remove": []string{}}, 400, "validation_failed", "keys[1].userId"},
		{"two wraps for one", "POST", "/v1/vault/rotate", m{"keyVersion": 1, "keys": []m{w.wrapFor(owner), w.wrapFor(owner)}, "remove": []string{}}, 400, "validation_failed", "keys[1].userId"},
		{"a wrap for one who leaves", "POST", "/v1/vault/rotate", m{"keyVersion": 1, "keys": []m{w.wrapFor(owner), w.wrapFor(member)}, "remove": []string{"mia"}}, 400, "validation_failed", "remove[0]"},
		{"a removal of nobody", "POST", "/v1/vault/rotate", m{"keyVersion": 1, "keys": []m{w.wrapFor(owner)}, "remove": []string{"zoe"}}, 400, "validation_failed", "remove[0]"},
		{"version 0", "POST", "/v1/vault/rotate", m{"keyVersion": 0, "keys": []m{w.wrapFor(owner)}, "remove": []string{}}, 400, "validation_failed", "keyVersion"},
		{"a short wrapped key", "POST", "/v1/vault/rotate", m{"keyVersion": 1, "keys": []m{with(w.wrapFor(owner), m{"ct": noise(47)})}, "remove": []string{}}, 400, "validation_failed", "keys[0].ct"},
		{"a version that is no number", "PUT", "/v1/vault/members/mia/keys/x", w.wrap(member), 404, "not_found", ""},
		{"a version that nobody holds", "PUT", "/v1/vault/members/mia/keys/7", w.wrap(member), 404, "not_found", ""},
		{"a version written otherwise", "PUT", "/v1/vault/members/mia/keys/+1", w.wrap(member), 404, "not_found", ""},
		{"labels without a key", "PUT", labels, m{"iv": noise(12), "ct": noise(40)}, 400, "validation_failed", "keyVersion"},
		{"labels in clear", "PUT", labels, m{"keyVersion": 1, "iv": noise(12), "ct": "[Party 1] is somebody"}, 400, "validation_failed", "ct"},
		{"many labels", "PUT", labels, m{"keyVersion": 1, "iv": noise(12), "ct": noise(256<<10 + 1)}, 413, "vault_too_large", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			e := refused(t, w.json(owner, tc.method, tc.path, tc.body), tc.status, tc.code)
			if tc.where != "" && (len(e.Details) == 0 || e.Details[0].Path != tc.where) {
				t.Errorf("details = %+v, want path %s", e.Details, tc.where)
			}
		})
	}
	if v := into[api.Vault](t, w.get(owner, "/v1/vault"), 200); v.Version != 1 || v.KeyVersion != 0 {
		t.Errorf("what was refused changed the vault to %+v", v)
	}
	admin := user(firm, "dora", access.RoleAdmin)

	for _, path := range []string{"/v1/vault", "/v1/vault/members", labels} {
		e := refused(t, w.get(robot, path), 403, "identity_refused")
		if !strings.Contains(e.Message, "Only a person can open") {
			t.Errorf("%s: the refusal says %q", path, e.Message)
		}
		if !strings.HasPrefix(e.DeepLink, "https://subrosa.test/i/reveal") {
			t.Errorf("%s: deep link %q", path, e.DeepLink)
		}
		refused(t, w.get(admin, path), 403, "forbidden")
	}
}

// Neither the record nor a log says more than that something was done.
func TestAVaultLeavesOnlyItsRecord(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	c := w.cases.add(firm, nil)
	v := w.saveVault(owner)
	given := w.wrapFor(owner)
	into[api.Vault](t, w.rotate(owner, 1, []m{given}), 201)
	sealed := m{"keyVersion": 1, "iv": noise(12), "ct": noise(50)}
	into[api.SealedLabels](t, w.json(owner, http.MethodPut, "/v1/cases/"+c.CaseID+"/sealed-labels", sealed), 201)
	refused(t, w.get(robot, "/v1/vault"), 403, "identity_refused")
	want := []entry{
		{"user", "olga", "vault.save", "vault", "olga", "ok"},
		{"user", "olga", "vault.rotate", "vault", "1", "ok"},
		{"user", "olga", "sealed_labels.save", "case", c.CaseID, "ok"},
		{"agent", robot.AgentID, "vault.read", "vault", "", "refused"},
	}
	if diff := cmp.Diff(want, w.deeds(firm)); diff != "" {
		t.Errorf("on record (-want +got):\n%s", diff)
	}

	var spans strings.Builder
	for _, s := range w.spans.Ended() {
		fmt.Fprintln(&spans, s.Name(), s.Attributes(), s.Events(), s.Status())
	}

	for _, secret := range []string{v.Blob, v.PublicKey, given["ct"].(string), sealed["ct"].(string)} {
		if strings.Contains(w.logs.String(), secret) || strings.Contains(spans.String(), secret) {
			t.Error("a log or a span has what a browser sealed")
		}
	}
}
