package authsvc_test

import (
	"net/http"
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
		then   func(*provider)
		status string
		roles  []string
	}{
		{"is known", func(*provider) {}, "active", []string{"member"}},
		{"has other roles", func(p *provider) { p.person.roles = []string{"admin"} }, "active", []string{"admin"}},
		{"is gone", func(p *provider) { p.forget("cara") }, "suspended", []string{"member"}},
		{
			"belongs to another organization", func(p *provider) { p.person.organization = "elm" },
			"suspended",
			[]string{"member"},
		},
		{
			"has one role more", func(p *provider) { p.person.roles = []string{"owner", "member"} },
			"active",
			[]string{"owner", "member"},
		},
		{"has no role any more", func(p *provider) { p.person.roles = []string{} }, "active", []string{"member"}},
		{
			"the answer names no organization", func(p *provider) { p.person.organization = "" },
			"active",
			[]string{"member"},
		},
		{"is somebody else", func(p *provider) { p.becomes("cara", dora) }, "suspended", []string{"member"}},
		{
			"is gone, and somebody else is who they were", func(p *provider) { p.forget("cara"); p.person = dora },
			"suspended",
			[]string{"member"},
		},
		{"only a colleague is gone", func(p *provider) { p.forget("dora") }, "active", []string{"member"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := prepare(t)
			w.addr = w.run(asking())
			w.arrived(otto)
			w.run(asking()) // a second replica, which asks nobody twice
			w.comes(cara)
			w.idp.set(tc.then)
			w.skip.Add(int64(25 * time.Hour))
			if tc.status == "active" { // whoever were taken for gone would be asked about sooner, or never
				w.until(func() bool { return w.askedLater(20*time.Hour) == 1 })
			}

			w.until(func() bool {
				m := w.known("cara")
				return m.Status == tc.status && slices.Equal(m.Roles, tc.roles)
			})
			if tc.status == "suspended" {
				if got := w.onRecord("o:oak", "member.gone"); len(got) != 1 || got[0].Actor.ID != "auth-svc" {
					t.Errorf("on record: %+v", got)
				}
				w.until(func() bool { return w.sealed("") == 0 }) // of nobody a refresh token is kept
			}
			w.idp.set(func(p *provider) {
				if p.stolen || p.asked != 1 {
					t.Errorf("a token was used twice: %t; the provider was asked %d times", p.stolen, p.asked)
				}
			})
		})
	}
}

// askedLater counts the refresh tokens with which the provider will be asked, but not for so long.
func (w *world) askedLater(wait time.Duration) int64 {
	w.t.Helper()
	later := bson.D{{Key: "askAt", Value: bson.D{{Key: "$gt", Value: w.now().Add(wait)}}}}
	n, err := w.db.Collection("vouchers").CountDocuments(w.t.Context(), later)
	if err != nil {
		w.t.Fatal(err)
	}

	return n
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

	for name, beside := range map[string]map[string]string{
		"beside a replica that asks too":       asking(),
		"beside a replica without the setting": nil,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := prepare(t)
			w.addr = w.run(beside)
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
		})
	}
}

// TestAProviderThatIsAwaySaysNothing has the provider be away when it is asked, and back an hour later.
func TestAProviderThatIsAwaySaysNothing(t *testing.T) {
	t.Parallel()
	w := prepare(t)
	w.addr = w.run(asking())
	w.arrived(otto)
	w.comes(cara)
	w.idp.set(func(p *provider) { p.down = true })
	w.skip.Add(int64(25 * time.Hour))
	w.until(func() bool { return w.askedLater(30*time.Minute) == 1 && w.sealed("asking") == 0 })
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

// lost is the status of an answer that does not arrive.
const lost = -1

// TestATokenThatMayHaveBeenUsedIsNotUsedAgain has the provider fail when it is asked. It takes a token that comes twice
// for stolen, so one stays only after an answer that says that it was not used.
func TestATokenThatMayHaveBeenUsedIsNotUsedAgain(t *testing.T) {
	t.Parallel()

	for _, tc := range []struct {
		name   string
		status int
		body   string
		kept   int64
	}{
		{"busy", http.StatusTooManyRequests, "", 1},
		{"away", http.StatusServiceUnavailable, "", 1},
		{"does not know this client", http.StatusUnauthorized, `{"error":"invalid_client"}`, 1},
		{"failed while it worked", http.StatusInternalServerError, `{"error":"server_error"}`, 0},
		{"is lost behind a proxy", http.StatusBadGateway, "", 0},
		{"is late behind a proxy", http.StatusGatewayTimeout, "", 0},
		{"says nothing that can be read", http.StatusBadRequest, "no", 0},
		{"says something else", http.StatusOK, "<html>", 0},
		{"breaks off", lost, "", 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			w := prepare(t)
			w.addr = w.run(asking())
			w.arrived(otto)
			w.comes(cara)
			w.idp.set(func(p *provider) { p.status, p.body = tc.status, tc.body })
			w.skip.Add(int64(25 * time.Hour))
			w.until(func() bool { return w.idp.asks() == 1 && w.sealed("asking") == 0 })
			if n := w.sealed(""); n != tc.kept {
				t.Errorf("%d refresh tokens are kept, want %d", n, tc.kept)
			}
			if m := w.known("cara"); m.Status != "active" {
				t.Errorf("the member: %+v", m)
			}
		})
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

// TestASignInStandsWithoutItsRefreshToken has the place of cara's refresh token be taken, so that it cannot be kept.
func TestASignInStandsWithoutItsRefreshToken(t *testing.T) {
	t.Parallel()
	w := prepare(t)
	w.addr = w.run(asking())
	w.arrived(otto)
	at := bson.D{{Key: "_id", Value: "o:oak/cara"}, {Key: "askAt", Value: w.now().Add(1000 * time.Hour)}}
	if _, err := w.db.Collection("vouchers").InsertOne(t.Context(), at); err != nil {
		t.Fatal(err)
	}
	w.comes(cara)
	w.connect(w.register(callback), "cases:read")
	if m := w.known("cara"); m.Status != "active" {
		t.Errorf("the member: %+v", m)
	}
	if n := strings.Count(w.logs.String(), "could not be kept"); n != 2 {
		t.Errorf("%d failures are in the log, want one of each sign-in", n)
	}
}

func TestRefreshTokensGoWithTheMemberAndWithTheSetting(t *testing.T) {
	t.Parallel()
	w := prepare(t)
	w.addr = w.run(asking())
	w.arrived(otto)
	w.comes(cara)
	w.comes(ada)
	if n := w.sealed(""); n != 2 {
		t.Fatalf("%d are kept of two members", n)
	}
	if _, err := w.offboard(otto.caller(), "cara"); err != nil {
		t.Fatal(err)
	}
	if n := w.sealed(""); n != 1 {
		t.Errorf("%d are kept once a member is offboarded", n)
	}
	w.addr = w.run(map[string]string{"AUTH_SWEEP": "10ms"})
	w.until(func() bool { return w.sealed("") == 0 })
}
