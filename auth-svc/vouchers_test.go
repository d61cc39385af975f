package authsvc_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/errs"
	"go.mongodb.org/mongo-driver/v2/bson"
)

// asking are the settings of an auth-svc that asks the provider about its members every day.
func asking() map[string]string {
	return map[string]string{
		"AUTH_MEMBER_CHECK": "24h", "AUTH_SWEEP": "10ms", "OIDC_SCOPES": "openid profile email offline_access",
	}
}

// keeper is whoever holds the firm's key alone.
var keeper = person{"kim", "kim@oak.example", "oak", []string{"member"}}

// becomes has the provider take the refresh tokens of a person for those of another.
func (p *provider) becomes(subject string, other person) {
	for token, who := range p.refreshes {
		if who.subject == subject {
			p.refreshes[token] = other
		}
	}
}

// comes has a person sign in with a browser.
func (w *world) comes(p person) {
	w.t.Helper()
	w.idp.set(func(idp *provider) { idp.person = p })
	w.visitor().signIn()
}

// TestAMemberWhomTheProviderKnowsNoMore has the provider be asked a day after cara signed in, and says what becomes of
// her and her agent's key.
func TestAMemberWhomTheProviderKnowsNoMore(t *testing.T) {
	t.Parallel()

	for _, tc := range []struct {
		name   string
		person person // who signs in
		then   func(*provider)
		after  time.Duration
		status string // "" where nobody is asked
		roles  []string
	}{
		{"is known", cara, func(*provider) {}, 25 * time.Hour, "active", []string{"member"}},
		{"has other roles", cara, func(p *provider) { p.person.roles = []string{"admin"} }, 25 * time.Hour, "active", []string{"admin"}},
		{"is gone", cara, func(p *provider) { p.forget("cara") }, 25 * time.Hour, "suspended", []string{"member"}},
		{"is gone, and it is not time yet", cara, func(p *provider) { p.forget("cara") }, 23 * time.Hour, "", []string{"member"}},
		{"belongs to another organization", cara, func(p *provider) { p.person.organization = "elm" }, 25 * time.Hour, "suspended", []string{"member"}},
		{"the answer is lost", cara, func(p *provider) { p.lost = true }, 25 * time.Hour, "active", []string{"member"}},
		{"has one role more", cara, func(p *provider) { p.person.roles = []string{"owner", "member"} }, 25 * time.Hour, "active", []string{"owner", "member"}},
		{"has no role any more", cara, func(p *provider) { p.person.roles = []string{} }, 25 * time.Hour, "active", []string{"member"}},
		{"the answer names no organization", cara, func(p *provider) { p.person.organization = "" }, 25 * time.Hour, "active", []string{"member"}},
		{"is somebody else", cara, func(p *provider) { p.becomes("cara", dora) }, 25 * time.Hour, "suspended", []string{"member"}},
		{"is gone, and long overdue", cara, func(p *provider) { p.forget("cara") }, 300 * 24 * time.Hour, "suspended", []string{"member"}},
		{"is gone, an owner beside another", ada, func(p *provider) { p.forget("ada") }, 25 * time.Hour, "suspended", []string{"owner", "member"}},
		{"is gone, the last who holds the key", keeper, func(p *provider) { p.forget("kim") }, 25 * time.Hour, "active", []string{"member"}},
		{"is gone, and somebody else is who they were", cara, func(p *provider) { p.forget("cara"); p.person = dora }, 25 * time.Hour, "suspended", []string{"member"}},
		{"only a colleague is gone", cara, func(p *provider) { p.forget("dora") }, 25 * time.Hour, "active", []string{"member"}},
		{"is the last owner", otto, func(p *provider) { p.forget("otto") }, 25 * time.Hour, "active", []string{"owner"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := start(t)
			if tc.person.subject != "otto" {
				w.arrived(otto)
			}
			if tc.person.subject == keeper.subject {
				w.party.are(keeper.subject)
			}
			w.addr = w.run(asking())
			w.run(asking()) // a second replica, which asks nobody twice
			w.comes(tc.person)
			w.skip.Add(int64(tc.after))
			w.idp.set(tc.then)
			w.until(func() bool { return w.idp.asks() > 0 || tc.status == "" })

			want := tc.status
			if want == "" {
				want = "active"
			}
			w.until(func() bool {
				m := w.known(tc.person.subject)
				return m.Status == want && slices.Equal(m.Roles, tc.roles)
			})
			w.until(func() bool { return w.sealed("asking") == 0 })
			if tc.status == "suspended" {
				if got := w.onRecord("o:oak", "member.gone"); len(got) != 1 || got[0].Actor.ID != "auth-svc" {
					t.Errorf("on record: %+v", got)
				}
				w.until(func() bool { return w.sealed("") == 0 }) // of nobody a refresh token is kept
			}
			w.idp.set(func(p *provider) {
				if p.stolen || p.asked > 1 {
					t.Errorf("a token was used twice: %t; the provider was asked %d times", p.stolen, p.asked)
				}
			})
		})
	}
}

// sealed counts the refresh tokens that are kept: those with a member that is true, or all for "".
func (w *world) sealed(member string) int64 {
	w.t.Helper()
	filter := bson.D{}
	if member != "" {
		filter = bson.D{{Key: member, Value: true}}
	}
	n, err := w.db.Collection("vouchers").CountDocuments(w.t.Context(), filter)
	if err != nil {
		w.t.Fatal(err)
	}

	return n
}

func (p *provider) asks() int {
	p.mu.Lock()
	defer p.mu.Unlock()

	return p.asked
}

func TestWhoIsGoneLosesEverythingAndMayComeBack(t *testing.T) {
	t.Parallel()
	w := start(t)
	w.arrived(otto, dora)
	w.addr = w.run(asking())
	w.comes(ada)
	_, key := w.agent("o:oak")
	if _, err := w.exchange(key); err != nil {
		t.Fatalf("before: %v", err)
	}
	w.skip.Add(int64(25 * time.Hour))
	w.idp.set(func(p *provider) { p.forget("ada") })
	w.until(func() bool { m := w.known("ada"); return m.Status == "suspended" && m.Reason == "absent" })
	if _, err := w.exchange(key); errs.From(err).Code != "invalid_api_key" {
		t.Errorf("the key of whoever is gone = %v", err)
	}
	if m := w.known("dora"); m.Status != "active" {
		t.Errorf("a colleague is %s", m.Status)
	}

	w.comes(ada) // the provider sends them again
	if m := w.known("ada"); m.Status != "active" {
		t.Errorf("back, and %+v", m)
	}
}

// TestAProviderThatIsAwaySaysNothing has the provider be away when it is asked, and back an hour later.
func TestAProviderThatIsAwaySaysNothing(t *testing.T) {
	t.Parallel()
	w := start(t)
	w.arrived(otto)
	w.addr = w.run(asking())
	w.comes(cara)
	w.idp.set(func(p *provider) { p.down = true })
	w.skip.Add(int64(25 * time.Hour))
	w.until(func() bool {
		later := bson.D{{Key: "askAt", Value: bson.D{{Key: "$gt", Value: w.now().Add(30 * time.Minute)}}}}
		n, err := w.db.Collection("vouchers").CountDocuments(t.Context(), later)

		return err == nil && n == 1 && w.sealed("asking") == 0
	})
	if m := w.known("cara"); m.Status != "active" {
		t.Errorf("while the provider is away: %+v", m)
	}
	w.idp.set(func(p *provider) { p.down = false })
	w.skip.Add(int64(2 * time.Hour))
	w.until(func() bool { return w.idp.asks() == 1 && w.sealed("asking") == 0 })
	if m := w.known("cara"); m.Status != "active" {
		t.Errorf("once it is back: %+v", m)
	}
}

func TestRefreshTokensOfTheProviderAreKeptSealedOrNotAtAll(t *testing.T) {
	t.Parallel()
	w := start(t)
	w.comes(ada) // to a service that asks nobody
	if n := w.sealed(""); n != 0 {
		t.Errorf("%d are kept without the setting", n)
	}
	w.addr = w.run(asking())
	w.comes(ada)
	w.connect(w.register(callback), "cases:read")
	if n := w.sealed(""); n != 1 {
		t.Errorf("%d are kept of one member", n)
	}
	stored := w.stored()
	w.idp.set(func(p *provider) {
		if len(p.refreshes) != 2 {
			t.Errorf("the provider gave %d refresh tokens, want one with each sign-in that asked for it", len(p.refreshes))
		}

		for token := range p.refreshes {
			if strings.Contains(stored, token) || strings.Contains(w.logs.String(), token) {
				t.Error("a refresh token is kept in clear, or logged")
			}
		}
	})
}
