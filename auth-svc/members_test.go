package authsvc_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/authn"
	"github.com/subrosa-legal/subrosa/pkg/departures"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/httpcall"
	"github.com/subrosa-legal/subrosa/pkg/services"
)

// keyHolders is party-svc as far as auth-svc asks it: who holds the firm's key.
type keyHolders struct {
	*httptest.Server
	mu    sync.Mutex
	users []string
}

func startParty(t *testing.T) *keyHolders {
	t.Helper()
	k := &keyHolders{}
	k.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet || r.URL.Path != "/internal/vault/holders" ||
			r.Header.Get("Authorization") == "" {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		k.mu.Lock()
		defer k.mu.Unlock()
		_ = json.NewEncoder(w).Encode(api.KeyHolders{UserIDs: append([]string{}, k.users...)})
	}))
	t.Cleanup(k.Close)

	return k
}

func (k *keyHolders) are(users ...string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.users = users
}

// token is an access token of the provider, issued so long ago.
func (w *world) token(p person, ago time.Duration) string {
	issued := w.now().Add(-ago).Unix()

	return w.idp.sign("access", "at+jwt", jwt.MapClaims{
		"iss": w.idp.URL, "sub": p.subject, "aud": base + "/v1", "iat": issued, "exp": w.now().Unix() + 3600,
		"org": p.organization, "roles": p.roles,
	})
}

// arrives is what a gateway tells of the first use of a person's token.
func (w *world) arrives(p person) error {
	gateway := services.AuthClient{HTTP: w.as("gateway", access.Caller{Kind: access.Service})}
	return gateway.RecordSignIn(w.t.Context(), w.token(p, 0))
}

func (w *world) arrived(people ...person) {
	w.t.Helper()

	for _, p := range people {
		if err := w.arrives(p); err != nil {
			w.t.Fatalf("%s: %v", p.subject, err)
		}
	}
}

// caller is a person's session as the gateway passes it on.
func (p person) caller() access.Caller {
	return access.Caller{Kind: access.User, Tenant: "o:" + p.organization, UserID: p.subject, Roles: p.roles}
}

func (w *world) offboard(by access.Caller, user string) (api.OffboardedMember, error) {
	var out api.OffboardedMember
	path := httpcall.Path("v1", "members", user, "offboard")
	_, err := w.as("gateway", by).Do(w.t.Context(), httpcall.Request{Method: http.MethodPost, Path: path, Out: &out})

	return out, err
}

func (w *world) reinstate(by access.Caller, user string) (api.Member, error) {
	var out api.Member
	path := httpcall.Path("v1", "members", user, "reinstate")
	_, err := w.as("gateway", by).Do(w.t.Context(), httpcall.Request{Method: http.MethodPost, Path: path, Out: &out})

	return out, err
}

func (w *world) members(by access.Caller) (api.MemberList, error) {
	return services.AuthClient{HTTP: w.as("gateway", by)}.Members(w.t.Context(), "", 50)
}

// known returns what is shown of a member.
func (w *world) known(user string) api.Member {
	w.t.Helper()
	list, err := w.members(otto.caller())
	if err != nil {
		w.t.Fatal(err)
	}
	i := slices.IndexFunc(list.Items, func(m api.Member) bool { return m.UserID == user })
	if i < 0 {
		w.t.Fatalf("%s is not among %+v", user, list.Items)
	}

	return list.Items[i]
}

var (
	otto = person{"otto", "otto@oak.example", "oak", []string{"owner"}}
	dora = person{"dora", "dora@oak.example", "oak", []string{"admin"}}
	cara = person{"cara", "cara@oak.example", "oak", []string{"member"}}
)

func TestAMemberIsOffboarded(t *testing.T) {
	t.Parallel()
	w := start(t)
	w.arrived(ada, otto, cara)
	w.party.are("ada", "otto")
	agentID, key := w.agent("o:oak")
	bearer, err := w.exchange(key)
	if err != nil {
		t.Fatal(err)
	}
	session, elsewhere := w.visitor().signIn(), w.sessionAt("harbor")
	app := w.connect(w.register(callback), "cases:read")
	page, _ := w.grants(adaHere, "")
	colleague := w.visitor()
	w.idp.set(func(p *provider) { p.person = cara })
	theirs := colleague.signIn()
	left := make(chan string, 10)
	watcher := departures.New(w.rdb, slog.New(slog.DiscardHandler), func(name string) { left <- name })

	ctx, stop := context.WithCancel(t.Context())
	defer stop()

	go watcher.Watch(ctx)

	out, err := w.offboard(otto.caller(), "ada")
	if err != nil || out.Status != "suspended" || out.Reason != "offboarded" || out.EndedAt == nil || out.HasKey {
		t.Fatalf("offboard = %+v, %v", out, err)
	}
	if !out.RotateFirmKey || !strings.HasSuffix(out.DeepLink, "/i/reveal") {
		t.Errorf("whoever held the firm's key leaves, and the answer is %+v", out)
	}
	w.until(func() bool { return watcher.Gone(access.MemberName("o:oak", "ada")) })
	if name := <-left; name != access.MemberName("o:oak", "ada") {
		t.Errorf("told of %q", name)
	}

	agent := access.Caller{
		Kind:    access.Agent,
		Tenant:  "o:oak",
		UserID:  "ada",
		AgentID: agentID,
		Scopes:  access.AgentScopes(),
	}
	appCaller := access.Caller{
		Kind: access.OAuth, Tenant: "o:oak", UserID: "ada", ClientID: page.Items[0].ClientID,
		GrantID: page.Items[0].GrantID, Scopes: []string{"cases:read"},
	}

	for name, tc := range map[string]struct {
		do   func() error
		code string
	}{
		"the key":            {func() error { _, err := w.exchange(key); return err }, "invalid_api_key"},
		"the bearer":         {func() error { _, err := w.check(bearer.BearerToken); return err }, "unauthenticated"},
		"the access token":   {func() error { _, err := w.live(app.Access); return err }, "unauthenticated"},
		"the provider token": {func() error { return w.arrives(ada) }, "access_ended"},
		"a run of a person":  {func() error { _, err := w.continues("agent-svc", w.voucher("case-svc", adaHere)); return err }, "caller_gone"},
		"a run of an agent":  {func() error { _, err := w.continues("agent-svc", w.voucher("case-svc", agent)); return err }, "caller_gone"},
		"a run of an app":    {func() error { _, err := w.continues("agent-svc", w.voucher("case-svc", appCaller)); return err }, "caller_gone"},
		"a new key": {func() error {
			_, err := w.registry("o:oak").MintKey(t.Context(), api.MintKey{AgentID: "agt_new", UserID: "ada"})
			return err
		}, "access_ended"},
	} {
		if err := tc.do(); errs.From(err) == nil || errs.From(err).Code != tc.code {
			t.Errorf("%s: %v, want %s", name, err, tc.code)
		}
	}
	refresh := url.Values{
		"grant_type":    {"refresh_token"},
		"refresh_token": {app.Refresh},
		"client_id":     {page.Items[0].ClientID},
	}
	if r := w.form("/oauth/token", refresh); r.status != http.StatusBadRequest {
		t.Errorf("refresh = %d %s", r.status, r.body)
	}
	if w.alive(session) {
		t.Error("the browser session lives on")
	}
	if !w.alive(elsewhere) {
		t.Error("the session at another firm has ended, too")
	}
	if !w.alive(theirs) {
		t.Error("a colleague's session has ended")
	}
	w.idp.set(func(p *provider) { p.person = ada })
	v := w.visitor()
	if r := v.get(v.leave("/cases")); r.status != http.StatusForbidden || v.session() != "" {
		t.Errorf("a sign-in with a browser = %d, session %q", r.status, v.session())
	}
	got := w.onRecord("o:oak", "member.offboarded")
	if len(got) != 1 || got[0].Actor.ID != "otto" || got[0].Resource.ID != "ada" || got[0].Outcome != "ok" {
		t.Errorf("on record: %+v", got)
	}

	again, err := w.offboard(otto.caller(), "ada") // an answer may be lost
	if err != nil || again.Status != "suspended" || len(w.onRecord("o:oak", "member.offboarded")) != 1 {
		t.Errorf("a repetition = %+v, %v", again, err)
	}
}

// sessionAt signs ada in at another firm.
func (w *world) sessionAt(organization string) string {
	w.t.Helper()
	w.idp.set(func(p *provider) { p.person.organization = organization })
	value := w.visitor().signIn()
	w.idp.set(func(p *provider) { p.person = ada })

	return value
}

func TestWhoMayOffboard(t *testing.T) {
	t.Parallel()
	w := start(t)
	w.arrived(ada, otto, dora, cara, ben)
	agent := access.Caller{
		Kind:    access.Agent,
		Tenant:  "o:oak",
		UserID:  "otto",
		AgentID: "agt_1",
		Roles:   []string{"owner"},
		Scopes:  access.AgentScopes(),
	}
	app := access.Caller{
		Kind:     access.OAuth,
		Tenant:   "o:oak",
		UserID:   "otto",
		ClientID: "c",
		Roles:    []string{"owner"},
		Scopes:   access.GrantScopes(),
	}

	for _, tc := range []struct {
		name string
		by   access.Caller
		whom string
		code string // "" for success
		back string // the same of lifting it
	}{
		{"a member", cara.caller(), "ada", "forbidden", "forbidden"},
		{"a member, themself", cara.caller(), "cara", "forbidden", "forbidden"},
		{"an owner of another firm", access.Caller{Kind: access.User, Tenant: "o:harbor", UserID: "ben", Roles: []string{"owner"}}, "ada", "not_found", "not_found"},
		{"an owner, a stranger", otto.caller(), "nobody", "not_found", "not_found"},
		{"an owner, somebody of another firm", otto.caller(), "ben", "not_found", "not_found"},
		{"an owner, an id that could be a path", otto.caller(), "../o:harbor/ben", "not_found", "not_found"},
		{"an agent of an owner", agent, "cara", "human_required", "human_required"},
		{"an application of an owner", app, "cara", "human_required", "human_required"},
		{"nobody", access.Caller{Kind: access.Public}, "cara", "forbidden", "forbidden"},
		{"an administrator", dora.caller(), "cara", "", "forbidden"},
		{"an owner", otto.caller(), "cara", "", ""},
		{"an owner, an administrator", otto.caller(), "dora", "", ""},
		{"an owner, themself, with another owner there", otto.caller(), "otto", "", ""},
	} {
		code := func(err error) string {
			if err == nil {
				return ""
			}

			return errs.From(err).Code
		}
		if _, err := w.offboard(tc.by, tc.whom); code(err) != tc.code {
			t.Errorf("%s offboards: %v, want %q", tc.name, err, tc.code)
		}
		if _, err := w.reinstate(tc.by, tc.whom); code(err) != tc.back {
			t.Errorf("%s lifts it: %v, want %q", tc.name, err, tc.back)
		}
	}
	refused := 0

	for _, e := range w.onRecord("o:oak", "member.offboarded") {
		if e.Outcome == "refused" {
			refused++
		}
	}
	if refused != 2 {
		t.Errorf("%d refusals of members are on record, want 2", refused)
	}
}

func TestAFirmKeepsAnOwnerAndItsKey(t *testing.T) {
	t.Parallel()
	w := start(t)
	w.arrived(otto, dora, cara)

	if _, err := w.offboard(
		dora.caller(),
		"otto",
	); errs.From(err).Code != "last_owner" ||
		errs.From(err).Kind != errs.Conflict {
		t.Errorf("the last owner = %v", err)
	}
	if err := w.arrives(otto); err != nil {
		t.Errorf("who could not be offboarded cannot sign in: %v", err)
	}
	w.party.are("cara")
	if _, err := w.offboard(
		otto.caller(),
		"cara",
	); errs.From(err).Code != "last_key_holder" ||
		errs.From(err).Kind != errs.Conflict {
		t.Errorf("the last who holds the firm's key = %v", err)
	}
	w.party.are("cara", "gone") // who holds it is no member any more
	if _, err := w.offboard(otto.caller(), "cara"); errs.From(err).Code != "last_key_holder" {
		t.Errorf("the last member who holds the firm's key = %v", err)
	}
	w.party.are("cara", "otto")
	if out, err := w.offboard(otto.caller(), "cara"); err != nil || !out.RotateFirmKey {
		t.Errorf("with another holder = %+v, %v", out, err)
	}
	w.arrived(ada) // a second owner
	w.party.are()
	won := make([]error, 2)
	w.race(2, func(i int) error {
		by, whom := otto.caller(), "ada"
		if i == 1 {
			by, whom = ada.caller(), "otto"
		}
		_, won[i] = w.offboard(by, whom)

		return nil
	})
	if won[0] == nil && won[1] == nil {
		t.Error("two owners have offboarded each other")
	}
}

func TestASuspensionIsLifted(t *testing.T) {
	t.Parallel()
	w := start(t)
	w.arrived(ada, otto)
	_, key := w.agent("o:oak")
	session := w.visitor().signIn()
	watcher := departures.New(w.rdb, slog.New(slog.DiscardHandler), nil)

	ctx, stop := context.WithCancel(t.Context())
	defer stop()

	go watcher.Watch(ctx)

	if _, err := w.offboard(otto.caller(), "ada"); err != nil {
		t.Fatal(err)
	}
	w.until(func() bool { return watcher.Gone(access.MemberName("o:oak", "ada")) })
	if m, err := w.reinstate(
		otto.caller(),
		"ada",
	); err != nil || m.Status != "active" || m.Reason != "" ||
		m.EndedAt != nil {
		t.Fatalf("reinstate = %+v, %v", m, err)
	}
	w.until(func() bool { return !watcher.Gone(access.MemberName("o:oak", "ada")) })
	if err := w.arrives(ada); err != nil {
		t.Errorf("the provider token after it was lifted = %v", err)
	}
	if _, err := w.exchange(key); errs.From(err).Code != "invalid_api_key" {
		t.Errorf("a key has come back to life: %v", err)
	}
	if w.alive(session) {
		t.Error("a session has come back to life")
	}
	if _, fresh := w.agent("o:oak"); fresh == "" {
		t.Error("no agent can be connected")
	}
	if !w.alive(w.visitor().signIn()) {
		t.Error("nobody can sign in")
	}
}

// A process that never heard that a suspension was lifted, because Redis lost it, hears of it when the member comes.
func TestALiftedSuspensionThatWasLost(t *testing.T) {
	t.Parallel()
	w := start(t)
	w.arrived(ada, otto)
	name := access.MemberName("o:oak", "ada")
	watcher := departures.New(w.rdb, slog.New(slog.DiscardHandler), nil)
	watch := func() (stop func()) {
		ctx, cancel := context.WithCancel(t.Context())
		var under sync.WaitGroup
		under.Go(func() { watcher.Watch(ctx) })

		return func() { cancel(); under.Wait() }
	}
	stop := watch()
	if _, err := w.offboard(otto.caller(), "ada"); err != nil {
		t.Fatal(err)
	}
	w.until(func() bool { return watcher.Gone(name) })
	stop()

	if _, err := w.reinstate(otto.caller(), "ada"); err != nil {
		t.Fatal(err)
	}
	if err := w.rdb.Del(t.Context(), "{auth:departures}", "{auth:departures}:seq").Err(); err != nil {
		t.Fatal(err)
	}

	stop = watch()
	defer stop()
	if !watcher.Gone(name) {
		t.Error("what Redis lost is known all the same")
	}
	if err := w.arrives(ada); err != nil {
		t.Fatal(err)
	}
	w.until(func() bool { return !watcher.Gone(name) })
}

// What acts in a user's name has the roles that the user has now, and not those of the day on which it was connected.
func TestRolesFollowTheUser(t *testing.T) {
	t.Parallel()
	w := start(t)
	w.arrived(ada)
	_, key := w.agent("o:oak") // minted with owner and admin
	bearer, err := w.exchange(key)
	if err != nil {
		t.Fatal(err)
	}
	app := w.connect(w.register(callback), "cases:read")
	have := func(what string, want ...string) {
		t.Helper()
		agent, err := w.check(bearer.BearerToken)
		if err != nil || !slices.Equal(agent.Roles, want) {
			t.Errorf("%s: the agent has %v, %v, want %v", what, agent.Roles, err, want)
		}
		grant, err := w.live(app.Access)
		if err != nil || !slices.Equal(grant.Roles, want) {
			t.Errorf("%s: the application has %v, %v, want %v", what, grant.Roles, err, want)
		}
	}
	have("at first", "owner", "member")

	w.skip.Add(int64(2 * time.Second))
	junior := ada
	junior.roles = []string{"member"}
	w.arrived(junior)
	have("after the owner became a member", "member")

	gateway := services.AuthClient{HTTP: w.as("gateway", access.Caller{Kind: access.Service})}
	if err := gateway.RecordSignIn(
		t.Context(),
		w.token(ada, time.Minute),
	); err != nil { // an older token, at another replica
		t.Fatal(err)
	}
	have("after an older token was seen", "member")

	fresh, err := w.exchange(key)
	if err != nil {
		t.Fatal(err)
	}
	bearer = fresh
	have("of a fresh bearer", "member")
}

func TestKeysExpire(t *testing.T) {
	t.Parallel()
	w := start(t)
	w.arrived(ada, otto)
	_, key := w.agent("o:oak")
	expire := func(by access.Caller, at *api.Instant) error {
		path := httpcall.Path("v1", "members", "ada", "key-expiry")
		_, err := w.as("gateway", by).
			Do(t.Context(), httpcall.Request{Method: http.MethodPut, Path: path, In: api.KeyExpiry{ExpiresAt: at}})

		return err
	}
	if err := expire(cara.caller(), nil); errs.From(err).Code != "forbidden" {
		t.Errorf("a colleague = %v", err)
	}
	soon := api.At(w.now().Add(time.Minute))
	if err := expire(ada.caller(), &soon); err != nil {
		t.Fatalf("the member = %v", err)
	}
	if _, err := w.exchange(key); err != nil {
		t.Errorf("before its end = %v", err)
	}
	if m := w.known("ada"); m.KeyExpiresAt == nil || m.KeyLastUsedAt == nil || !m.HasKey {
		t.Errorf("shown as %+v", m)
	}
	w.skip.Add(int64(time.Minute))
	if _, err := w.exchange(
		key,
	); errs.From(err).Code != "invalid_api_key" ||
		!strings.Contains(errs.From(err).Message, "expired") {
		t.Errorf("after its end = %v", err)
	}
	if got := w.onRecord("o:oak", "token.refused"); len(got) != 1 || got[0].Outcome != "expired" {
		t.Errorf("on record: %+v", got)
	}
	if err := expire(otto.caller(), nil); err != nil {
		t.Fatal(err)
	}
	long := api.At(w.now().Add(-365 * 24 * time.Hour)) // before the key was made
	if err := expire(otto.caller(), &long); err != nil {
		t.Fatal(err)
	}
	if _, err := w.exchange(key); errs.From(err).Code != "invalid_api_key" {
		t.Errorf("after an end that has gone by = %v", err)
	}
	if err := expire(otto.caller(), nil); err != nil {
		t.Fatal(err)
	}
	if _, err := w.exchange(key); err != nil {
		t.Errorf("after the expiry was taken back = %v", err)
	}

	w.addr = w.run(map[string]string{"AUTH_KEY_LIFE": "2h"})
	if _, err := w.exchange(key); err != nil {
		t.Errorf("a young key = %v", err)
	}
	w.skip.Add(int64(2 * time.Hour))
	if _, err := w.exchange(key); errs.From(err).Code != "invalid_api_key" {
		t.Errorf("a key of two hours = %v", err)
	}
}

func TestWhoIsAbsentLosesAccess(t *testing.T) {
	t.Parallel()
	w := start(t)
	w.arrived(ada, otto)
	_, key := w.agent("o:oak")
	w.skip.Add(int64(40 * 24 * time.Hour))
	w.arrived(otto)
	w.run(map[string]string{"AUTH_MEMBER_ABSENCE": "720h", "AUTH_SWEEP": "10ms"})
	w.until(func() bool { m := w.known("ada"); return m.Status == "suspended" && m.Reason == "absent" })
	if _, err := w.exchange(key); errs.From(err).Code != "invalid_api_key" {
		t.Errorf("the key of whoever is absent = %v", err)
	}
	if got := w.onRecord("o:oak", "member.absent"); len(got) != 1 || got[0].Actor.ID != "auth-svc" {
		t.Errorf("on record: %+v", got)
	}
	w.arrived(ada) // the provider sends them, so they are not gone
	if m := w.known("ada"); m.Status != "active" {
		t.Errorf("back, and %+v", m)
	}

	w.skip.Add(int64(40 * 24 * time.Hour))
	w.until(func() bool { return w.known("ada").Status == "suspended" || w.known("otto").Status == "suspended" })
	if w.known("ada").Status == "suspended" && w.known("otto").Status == "suspended" {
		t.Error("the firm has no owner left")
	}
}

func TestMembersAreListed(t *testing.T) {
	t.Parallel()
	w := start(t)
	w.arrived(ada, otto, dora, cara, ben)

	for name, by := range map[string]access.Caller{
		"a member": cara.caller(), "nobody": {Kind: access.Public},
		"an agent of a member": {Kind: access.Agent, Tenant: "o:oak", UserID: "cara", AgentID: "agt_1", Roles: []string{"member"}},
	} {
		if _, err := w.members(by); errs.From(err).Code != "forbidden" {
			t.Errorf("%s: %v", name, err)
		}
	}
	list, err := w.members(dora.caller())
	if err != nil || len(list.Items) != 4 || list.Items[0].UserID != "ada" || list.Items[3].UserID != "otto" {
		t.Fatalf("the members of oak are %+v, %v", list, err)
	}
	one := services.AuthClient{HTTP: w.as("gateway", otto.caller())}

	var names []string

	for cursor := ""; ; {
		page, err := one.Members(t.Context(), cursor, 1)
		if err != nil || len(page.Items) != 1 {
			t.Fatalf("a page = %+v, %v", page, err)
		}
		names = append(names, page.Items[0].UserID)
		if page.NextCursor == nil {
			break
		}
		cursor = *page.NextCursor
	}
	if strings.Join(names, " ") != "ada cara dora otto" {
		t.Errorf("page by page: %v", names)
	}
}

// Whoever offboards somebody while they exchange their key leaves no bearer alive.
func TestAnExchangeThatRacesWithOffboarding(t *testing.T) {
	t.Parallel()
	w := start(t)
	w.arrived(otto, ada)

	for range 5 {
		_, key := w.agent("o:oak")
		bearers := make([]api.BearerToken, 4)
		w.race(5, func(i int) error {
			if i == 4 {
				_, err := w.offboard(otto.caller(), "ada")
				return err
			}
			bearers[i], _ = w.exchange(key)

			return nil
		})

		for _, b := range bearers {
			if b.BearerToken == "" {
				continue
			}
			if _, err := w.check(b.BearerToken); !errors.Is(err, access.ErrUnauthenticated) {
				t.Errorf("a bearer lives on: %v", err)
			}
		}
		if _, err := w.reinstate(otto.caller(), "ada"); err != nil {
			t.Fatal(err)
		}
	}
}

// A run that is taken up has no right that was taken from its user while nobody ran it, and none that the user has got.
func TestARunGoesOnWithTheRolesThatAreLeft(t *testing.T) {
	t.Parallel()
	w := start(t)
	was := person{"dora", "dora@oak.example", "oak", []string{"admin", "member"}}
	now := was
	now.roles = []string{"member", "owner"}
	w.arrived(was, now)

	token, err := w.continues("agent-svc", w.voucher("case-svc", was.caller()))
	if err != nil {
		t.Fatal(err)
	}
	trust := authn.Trust{"auth-svc": w.trust["auth-svc"]}
	verifier := &authn.Verifier{Trust: trust, Now: w.now, Opens: authn.Openings{}}
	if got, err := verifier.Verify(token); err != nil || !slices.Equal(got.Roles, []string{"member"}) {
		t.Errorf("the run goes on with the roles %v, %v, want member alone", got.Roles, err)
	}
}
