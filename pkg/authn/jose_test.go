package authn_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/authn"
	"github.com/subrosa-legal/subrosa/pkg/authn/provider"
	"github.com/subrosa-legal/subrosa/pkg/redisx"
	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
)

// kindOfToken is one of the kinds of token that are taken, and how to make one of any header and claims.
type kindOfToken struct {
	name           string
	header, claims string
	method         jwt.SigningMethod
	key            any
	check          func(ctx context.Context, token string) error
}

// sign returns a token whose header and claims are exactly these texts.
func (k kindOfToken) sign(t testing.TB, header, claims string) string {
	t.Helper()
	text := part(header) + "." + part(claims)
	signature, err := k.method.Sign(text, k.key)
	if err != nil {
		t.Fatal(err)
	}

	return text + "." + base64.RawURLEncoding.EncodeToString(signature)
}

func part(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }

// kindsOfToken are internal tokens, bearers and tokens of a provider.
func kindsOfToken(t *testing.T) []kindOfToken {
	t.Helper()
	seeds, trust := internals(t)
	seed, err := base64.RawURLEncoding.DecodeString(seeds["gateway"])
	if err != nil {
		t.Fatal(err)
	}
	times := fmt.Sprintf(`"iat":%d,"exp":%d`, issued.Unix(), issued.Add(time.Hour).Unix())
	verifier := authn.Verifier{Trust: trust, Now: at(0)}

	bearerKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	agent, jti, rdb := "agt_"+uuid.NewString(), uuid.NewString(), stores.Redis(t)
	record, err := json.Marshal(authn.BearerRecord{
		Caller:  access.Caller{Kind: access.Agent, Tenant: "o:oak", UserID: "ada", AgentID: agent},
		Expires: issued.Add(time.Hour).Unix(),
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := rdb.Set(t.Context(), authn.BearerKey(agent, jti), record, time.Hour).Err(); err != nil {
		t.Fatal(err)
	}
	bearers := authn.Bearers{
		Keys: ringKeys{"k1": &bearerKey.PublicKey}, Records: redisx.Values{Client: rdb},
		Issuer: "https://x", Audience: "https://x/v1", Now: at(0),
	}

	p := startProvider(t)
	users, err := provider.NewUsers(provider.UsersConfig{Issuer: p.URL, Audience: "api", Now: at(0)})
	if err != nil {
		t.Fatal(err)
	}

	return []kindOfToken{
		{
			"internal", `{"alg":"EdDSA","typ":"int+jwt"}`,
			`{"iss":"gateway","sub":"ada","aud":"internal",` + times +
				`,"caller":{"kind":"user","tenant":"o:oak","userId":"ada"}}`,
			jwt.SigningMethodEdDSA, ed25519.NewKeyFromSeed(seed),
			func(_ context.Context, token string) error { _, err := verifier.Verify(token); return err },
		},
		{
			"bearer", `{"alg":"ES256","typ":"at+jwt","kid":"k1"}`,
			`{"iss":"https://x","sub":"ada","aud":"https://x/v1",` + times + `,"jti":"` + jti +
				`","tenant":"o:oak","agent_id":"` + agent + `"}`,
			jwt.SigningMethodES256, bearerKey,
			func(ctx context.Context, token string) error { _, err := bearers.Check(ctx, token); return err },
		},
		{
			"provider", `{"alg":"ES256","typ":"at+jwt","kid":"` + p.kid.Load().(string) + `"}`,
			`{"iss":"` + p.URL + `","sub":"ada","aud":"api",` + times + `}`,
			jwt.SigningMethodES256, p.key,
			func(ctx context.Context, token string) error { _, err := users.Check(ctx, token); return err },
		},
	}
}

// with puts a member in front of the others of an object.
func with(object, member string) string { return "{" + member + "," + object[1:] }

// TestTokensThatCanBeReadInTwoWays signs, with the right key, what a lenient reader takes for a good token.
func TestTokensThatCanBeReadInTwoWays(t *testing.T) {
	later := issued.Add(31 * time.Second).Unix()

	for _, kind := range kindsOfToken(t) {
		good := kind.sign(t, kind.header, kind.claims)
		head, claims := func(member string) string { return kind.sign(t, with(kind.header, member), kind.claims) },
			func(member string) string { return kind.sign(t, kind.header, with(kind.claims, member)) }
		replaced := func(old, replacement string) string {
			return kind.sign(t, kind.header, strings.Replace(kind.claims, old, replacement, 1))
		}
		number := func(name string, at time.Time) string { return fmt.Sprintf(`"%s":%d`, name, at.Unix()) }
		iat, exp := number("iat", issued), number("exp", issued.Add(time.Hour))

		for _, tc := range []struct {
			name, token string
			taken       bool
		}{
			{"as it should be", good, true},
			{"with a claim of somebody's own", claims(`"x":{"a":1,"A":2}`), true},
			{"with blanks", kind.sign(t, " "+kind.header, kind.claims+"\n"), true},
			{"issued within the skew", replaced(iat, number("iat", issued.Add(29*time.Second))), true},
			{"crit", head(`"crit":["exp"]`), false},
			{"an empty crit", head(`"crit":[]`), false},
			{"crit in another case", head(`"Crit":["exp"]`), false},
			{"b64", head(`"b64":false`), false},
			{"b64 as it is without it", head(`"b64":true`), false},
			{"alg twice", head(`"alg":"none"`), false},
			{"alg in another case", head(`"ALG":"none"`), false},
			{"typ twice", head(`"typ":"JWT"`), false},
			{"kid as a number", kind.sign(t, `{"kid":1,`+kind.header[1:], kind.claims), false},
			{"iss twice", claims(`"iss":"mallory"`), false},
			{"iss in another case", claims(`"ISS":"mallory"`), false},
			{"iss by an escape", claims(`"is\u0073":"mallory"`), false},
			{"sub twice", claims(`"sub":"eve"`), false},
			{"sub in another case", claims(`"Sub":"eve"`), false},
			{"aud in another case", claims(`"AUD":"else"`), false},
			{"exp twice", claims(`"exp":1`), false},
			{"exp in another case", claims(`"Exp":99999999999`), false},
			{"exp as text", replaced(exp, `"exp":"`+exp[len(`"exp":`):]+`"`), false},
			{"iat as text", replaced(iat, `"iat":"`+iat[len(`"iat":`):]+`"`), false},
			{"nbf as text", claims(`"nbf":"1"`), false},
			{"sub as a number", replaced(`"sub":"ada"`, `"sub":1`), false},
			{"aud with a number", replaced(`"aud":`, `"aud":[1],"was":`), false},
			{"issued in the future", replaced(iat, fmt.Sprintf(`"iat":%d`, later)), false},
			{"below, a member twice", claims(`"x":{"a":1,"a":2}`), false},
			{"half of a pair", claims(`"x":"\ud800"`), false},
			{"two values", kind.sign(t, kind.header, kind.claims+"{}"), false},
			{"a list", kind.sign(t, kind.header, "["+kind.claims+"]"), false},
			{"a header of nothing", kind.sign(t, "{}", kind.claims), false},
			{"a line break in the signature", good[:len(good)-4] + "\n" + good[len(good)-4:], false},
			{"a line break in front", "\n" + good, false},
			{"padding", good + "=", false},
			{"a fourth part", good + ".", false},
			{"other bits at the end", loose(good), false},
			{"as long as a header", claims(`"x":"` + strings.Repeat("a", 16<<10) + `"`), false},
		} {
			t.Run(kind.name+" "+tc.name, func(t *testing.T) {
				err := kind.check(t.Context(), tc.token)
				if tc.taken && err != nil || !tc.taken && !errors.Is(err, access.ErrUnauthenticated) {
					t.Errorf("the answer is %v, want the token taken: %v", err, tc.taken)
				}
			})
		}
	}
}

// loose writes the last character of a token so that it has bits set which stand for nothing.
func loose(token string) string {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	last := strings.IndexByte(alphabet, token[len(token)-1])

	return token[:len(token)-1] + alphabet[last+1:last+2]
}

// A bearer whose subject is not the one of its record is nobody's.
func TestTheSubjectIsTheRecords(t *testing.T) {
	for _, kind := range kindsOfToken(t) {
		if kind.name != "bearer" {
			continue
		}
		token := kind.sign(t, kind.header, strings.Replace(kind.claims, `"sub":"ada"`, `"sub":"eve"`, 1))
		if err := kind.check(t.Context(), token); !errors.Is(err, access.ErrUnauthenticated) {
			t.Errorf("a bearer of somebody else = %v", err)
		}
	}
}

// After the clock was set back, a token that would begin in the future is not handed out again.
func TestAClockThatIsSetBack(t *testing.T) {
	seeds, trust := internals(t)
	now := issued
	signer, err := authn.NewSigner("gateway", seeds["gateway"], func() time.Time { return now })
	if err != nil {
		t.Fatal(err)
	}
	verifier := authn.Verifier{Trust: trust, Now: func() time.Time { return now }}

	for _, step := range []time.Duration{0, time.Minute, -time.Hour, 10 * time.Second, -time.Minute, 24 * time.Hour} {
		now = now.Add(step)
		token, err := signer.Token(user)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := verifier.Verify(token); err != nil {
			t.Errorf("after a step of %v: %v", step, err)
		}
	}
}

// What an internal token says is remembered, but not beyond the time for which it is good, and not of another token.
func TestARememberedInternalTokenIsGoodForItsTimeAlone(t *testing.T) {
	seeds, trust := internals(t)
	signer, err := authn.NewSigner("gateway", seeds["gateway"], at(0))
	if err != nil {
		t.Fatal(err)
	}
	token, err := signer.Token(user)
	if err != nil {
		t.Fatal(err)
	}
	other := []byte(token)
	other[len(other)-2] ^= 1
	now := issued
	verifier := authn.Verifier{Trust: trust, Now: func() time.Time { return now }}
	const life = 15 * time.Minute

	for _, tc := range []struct {
		after time.Duration // it was issued
		token string
		good  bool
	}{
		{0, token, true},
		{0, token, true},
		{0, string(other), false},
		{0, token + "=", false},
		{0, token, true},
		{life - time.Second, token, true},
		{life + authn.Skew - time.Second, token, true},
		{life + authn.Skew, token, false},
		{life + time.Hour, token, false},
		{0, token, true},
		{-authn.Skew, token, true},
		{-authn.Skew - time.Second, token, false},
		{0, token, true},
	} {
		now = issued.Add(tc.after)
		got, err := verifier.Verify(tc.token)
		if (err == nil) != tc.good || err == nil && got.UserID != user.UserID {
			t.Errorf("%v after it was issued = %v, %v, want it good: %t", tc.after, got, err, tc.good)
		}
	}
}

// BenchmarkInternalTokens tells what a service pays for the token of a call, of a caller who is new and of one who is
// not.
func BenchmarkInternalTokens(b *testing.B) {
	seeds, trust := internals(b)
	signer, err := authn.NewSigner("gateway", seeds["gateway"], at(0))
	if err != nil {
		b.Fatal(err)
	}
	token, err := signer.Token(user)
	if err != nil {
		b.Fatal(err)
	}

	for _, kind := range []string{"new", "known"} {
		b.Run(kind, func(b *testing.B) {
			verifier := &authn.Verifier{Trust: trust, Now: at(0)}

			for b.Loop() {
				if kind == "new" {
					verifier = &authn.Verifier{Trust: trust, Now: at(0)}
				}
				if _, err := verifier.Verify(token); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// FuzzTokens looks for tokens that make a check do anything but refuse them.
func FuzzTokens(f *testing.F) {
	verifier := authn.Verifier{Trust: authn.Trust{}, Now: at(0)}

	for _, seed := range []string{
		"", "..", "a.b.c", part(`{"alg":"EdDSA"}`) + "." + part(`{"iss":"gateway"}`) + ".AAAA",
		part(`{"alg":"none"}`) + "." + part(`{"iss":"gateway","exp":1e400}`) + ".AAAA",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, token string) {
		if _, err := verifier.Verify(token); !errors.Is(err, access.ErrUnauthenticated) {
			t.Errorf("Verify(%q) = %v, though no key is trusted", token, err)
		}
		_ = authn.LooksLikeBearer(token, "https://x")
	})
}
