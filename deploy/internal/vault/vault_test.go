package vault_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/subrosa-legal/subrosa/deploy/internal/vault"
)

var update = flag.Bool("update", false, "make the vectors anew; everything sealed in them changes")

// vectors are one vault with all that hangs on it. Whoever implements docs/vault.md opens them.
type vectors struct {
	Passphrase, Public, Blob, Fingerprint string
	Tenant                                string
	Version                               int
	Wrapped                               vault.Wrapped
	CaseID, IdentityRef                   string
	Identity                              vault.Identity
	SealedIdentity                        vault.Sealed
	Labels                                vault.Labels
	SealedLabels                          vault.Sealed
	Tokens                                map[string][]string // by "kind name"
}

const file = "testdata/vectors.json"

var names = []string{"individual Zoë  O'Brien-Nuñez", "individual zoë o brien nuñez", "individual ＺＯË O’BRIEN NUÑEZ", "organization Zoë O'Brien-Nuñez", "organization Acme, Inc.", "individual İpek Σίσυφος"}

func must[T any](v T, err error) func(t *testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}

		return v
	}
}

func token(t *testing.T, f vault.FirmKey, name string) []string {
	kind, who, _ := strings.Cut(name, " ")
	return must(f.ConflictTokens(kind, who))(t)
}

func made(t *testing.T) vectors {
	v := vectors{
		Passphrase: "correct horse ﬁne staple", Tenant: "o:oak-street-legal", Version: 3, CaseID: "01981f6a-0000-7000-8000-000000000001", IdentityRef: vault.NewRef(),
		Identity: vault.Identity{V: 1, Name: "Zoë O'Brien-Nuñez", Aliases: []string{"Z. Nuñez"}, Email: "zoe@example.net", Notes: "met on 3 May"},
		Labels:   vault.Labels{V: 1, Labels: map[string]string{"[Docket 1]": "24-CV-01234"}, Originals: map[string]string{"01981f6a-0000-7000-8000-000000000002": "AAAA"}}, Tokens: map[string][]string{},
	}
	pair := must(vault.NewKeyPair())(t)
	v.Public, v.Blob = pair.Public(), must(pair.Lock(v.Passphrase, vault.Cost{}))(t)
	v.Fingerprint = must(vault.Fingerprint(v.Public))(t)
	f := vault.NewFirmKey(v.Tenant, v.Version)
	v.Wrapped = must(f.Wrap(v.Public))(t)
	v.SealedIdentity = must(f.Seal(v.Identity, v.CaseID+":"+v.IdentityRef))(t)

	v.SealedLabels = must(f.Seal(v.Labels, v.CaseID+":labels"))(t)
	for _, name := range names {
		v.Tokens[name] = token(t, f, name)
	}

	return v
}

func (v vectors) open(t *testing.T) (vault.KeyPair, vault.FirmKey) {
	t.Helper()
	pair := must(vault.Unlock(v.Public, v.Blob, v.Passphrase))(t)

	return pair, must(pair.Unwrap(v.Tenant, v.Version, v.Wrapped))(t)
}

func (v vectors) check(t *testing.T) {
	t.Helper()
	_, f := v.open(t)
	var who vault.Identity
	if err := f.Open(v.SealedIdentity, v.CaseID+":"+v.IdentityRef, &who); err != nil {
		t.Fatal(err)
	}
	var labels vault.Labels
	if err := f.Open(v.SealedLabels, v.CaseID+":labels", &labels); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(v.Identity, who) + cmp.Diff(v.Labels, labels); diff != "" {
		t.Errorf("opened (-want +got):\n%s", diff)
	}

	for _, name := range names {
		if diff := cmp.Diff(v.Tokens[name], token(t, f, name)); diff != "" {
			t.Errorf("tokens of %s (-want +got):\n%s", name, diff)
		}
	}
	if got := must(vault.Fingerprint(v.Public))(t); got != v.Fingerprint {
		t.Errorf("fingerprint %s, want %s", got, v.Fingerprint)
	}
}

func TestVectors(t *testing.T) {
	if *update {
		text := must(json.MarshalIndent(made(t), "", "  "))(t)
		if err := os.WriteFile(file, append(text, '\n'), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var v vectors
	if err := json.Unmarshal(must(os.ReadFile(file))(t), &v); err != nil {
		t.Fatal(err)
	}
	v.check(t)
	made(t).check(t)
}

func TestBlobsNameTheirCost(t *testing.T) {
	pair := must(vault.NewKeyPair())(t)
	little := vault.Cost{MemoryKiB: 8, Passes: 1}

	for name, tc := range map[string]struct{ asked, want vault.Cost }{
		"the usual": {vault.Cost{}, vault.Cost{MemoryKiB: 64 << 10, Passes: 3}},
		"little":    {little, little},
	} {
		sealed := must(pair.Lock("a long passphrase", tc.asked))(t)
		var named vault.Cost
		if err := json.Unmarshal(must(base64.RawURLEncoding.DecodeString(sealed))(t), &named); err != nil {
			t.Fatal(err)
		}
		if named != tc.want {
			t.Errorf("%s: the blob names %+v, want %+v", name, named, tc.want)
		}
		if _, err := vault.Unlock(pair.Public(), sealed, "a long passphrase"); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := pair.Lock("a long passphrase", vault.Cost{MemoryKiB: 8}); err == nil {
		t.Error("a blob was made that does not open")
	}
}

func TestTokensSayWhoIsEqualAndNothingElse(t *testing.T) {
	f, other := vault.NewFirmKey("o:oak", 1), vault.NewFirmKey("o:oak", 1)

	same := token(t, f, names[0])[0]
	for i, name := range names {
		if got := token(t, f, name)[0]; (got == same) != (i < 3) {
			t.Errorf("%q and %q: equal tokens %t", names[0], name, got == same)
		}
	}
	if token(t, other, names[0])[0] == same {
		t.Error("two firms' tokens of a name are equal")
	}
	if got := must(f.ConflictTokens("individual", "Ann Lee", "ANN LEE", "  ", "A. Lee"))(t); len(got) != 2 {
		t.Errorf("%d tokens of two different names", len(got))
	}
}

func TestOnlyTheRightKeyOpens(t *testing.T) {
	v := made(t)
	pair, f := v.open(t)
	stranger := must(vault.NewKeyPair())(t)
	flipped := func(s string) string {
		raw := must(base64.RawURLEncoding.DecodeString(s))(t)
		raw[len(raw)/2] ^= 1

		return base64.RawURLEncoding.EncodeToString(raw)
	}
	unlock := func(public, blob, passphrase string) error {
		_, err := vault.Unlock(public, blob, passphrase)
		return err
	}
	unwrap := func(k vault.KeyPair, tenant string, version int, w vault.Wrapped) error {
		_, err := k.Unwrap(tenant, version, w)
		return err
	}
	context := v.CaseID + ":" + v.IdentityRef

	var who vault.Identity
	for name, tc := range map[string]struct{ got, want error }{
		"another passphrase":         {unlock(v.Public, v.Blob, "correct horse fine stapler"), vault.ErrPassphrase},
		"the same in another form":   {unlock(v.Public, v.Blob, "correct horse fine staple"), nil},
		"a blob under another key":   {unlock(stranger.Public(), v.Blob, v.Passphrase), vault.ErrPassphrase},
		"a blob that is none":        {unlock(v.Public, "AAAA", v.Passphrase), vault.ErrDamaged},
		"a wrap for somebody else":   {unwrap(stranger, v.Tenant, v.Version, v.Wrapped), vault.ErrDamaged},
		"a wrap of another version":  {unwrap(pair, v.Tenant, v.Version+1, v.Wrapped), vault.ErrDamaged},
		"a wrap of another firm":     {unwrap(pair, "o:other", v.Version, v.Wrapped), vault.ErrDamaged},
		"a wrap that was changed":    {unwrap(pair, v.Tenant, v.Version, vault.Wrapped{EphemeralKey: v.Wrapped.EphemeralKey, IV: v.Wrapped.IV, CT: flipped(v.Wrapped.CT)}), vault.ErrDamaged},
		"another ephemeral key":      {unwrap(pair, v.Tenant, v.Version, vault.Wrapped{EphemeralKey: stranger.Public(), IV: v.Wrapped.IV, CT: v.Wrapped.CT}), vault.ErrDamaged},
		"an identity moved":          {f.Open(v.SealedIdentity, "another:"+v.IdentityRef, &who), vault.ErrDamaged},
		"an identity that is labels": {f.Open(v.SealedLabels, context, &who), vault.ErrDamaged},
		"an identity, changed":       {f.Open(vault.Sealed{IV: v.SealedIdentity.IV, CT: flipped(v.SealedIdentity.CT)}, context, &who), vault.ErrDamaged},
		"another firm key":           {vault.NewFirmKey(v.Tenant, v.Version).Open(v.SealedIdentity, context, &who), vault.ErrDamaged},
	} {
		if !errors.Is(tc.got, tc.want) {
			t.Errorf("%s: %v, want %v", name, tc.got, tc.want)
		}
	}

	for _, short := range []string{"too short", "            ", "  elevenchars  "} {
		if _, err := pair.Lock(short, vault.Cost{}); !errors.Is(err, vault.ErrShort) {
			t.Errorf("the passphrase %q = %v", short, err)
		}
	}
	later := must(f.Seal(map[string]any{"v": 2, "name": "Somebody", "more": true}, context))(t)
	if err := f.Open(later, context, &who); !errors.Is(err, vault.ErrNewer) {
		t.Errorf("a later form = %v", err)
	}
	next := vault.NewFirmKey(v.Tenant, v.Version+1)
	again := must(next.Reseal(f, later, context))(t)
	back := must(f.Reseal(next, again, context))(t)
	var whole map[string]any
	if err := f.Open(back, context, &whole); !errors.Is(err, vault.ErrNewer) || whole["more"] != true {
		t.Errorf("sealed anew and back: %v, %v", whole, err)
	}
	if must(next.Fingerprint())(t) == must(f.Fingerprint())(t) || len(must(f.Fingerprint())(t)) != 39 {
		t.Error("fingerprints of firm keys do not tell them apart")
	}
}

// A blob comes from the service, which must not be able to make its reader work for hours or fall over.
func FuzzUnlock(f *testing.F) {
	f.Add(`{"v":1,"kdf":"argon2id","salt":"AAAAAAAAAAAAAAAAAAAAAA","memoryKiB":8,"passes":1,"iv":"AAAAAAAAAAAAAAAA","ct":"AAAA"}`)
	f.Add(`{"v":1,"kdf":"argon2id","salt":"AAAAAAAAAAAAAAAAAAAAAA","memoryKiB":4294967295,"passes":4294967295,"iv":"","ct":""}`)
	pair, err := vault.NewKeyPair()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var b struct{ MemoryKiB, Passes int64 }
		if json.Unmarshal([]byte(text), &b) == nil && (b.MemoryKiB > 64 || b.Passes > 2) && b.MemoryKiB <= 1<<20 && b.Passes <= 20 {
			t.Skip("costs what it says")
		}
		if _, err := vault.Unlock(pair.Public(), base64.RawURLEncoding.EncodeToString([]byte(text)), "a long passphrase"); err == nil {
			t.Error("a made-up blob was opened")
		}
	})
}
