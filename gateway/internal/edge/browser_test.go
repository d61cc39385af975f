package edge_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/gateway/internal/edge"
	"github.com/subrosa-legal/subrosa/gateway/internal/routes"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/authn"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
)

// known are live sessions by their cookies' values.
type known map[string]authn.SessionRecord

func (k known) Check(_ context.Context, value string) (authn.SessionRecord, error) {
	r, ok := k[value]
	if !ok {
		return r, authn.ErrSession
	}

	return r, nil
}

// bearers are callers by their tokens.
type bearers map[string]access.Caller

func (b bearers) Check(_ context.Context, token string) (access.Caller, error) {
	c, ok := b[token]
	if !ok {
		return c, access.ErrUnauthenticated
	}

	return c, nil
}

type recorded struct{}

func (recorded) RecordSignIn(context.Context, string) error { return nil }

func TestWhoABrowserSpeaksFor(t *testing.T) {
	t.Parallel()
	a := &edge.Authenticator{
		Issuer: "https://subrosa.example", Origin: "https://subrosa.example", SignIns: recorded{}, Agents: bearers{}, Applications: bearers{"app": {Kind: access.OAuth}},
		Users: bearers{"bens": {Kind: access.User, Tenant: "o:elm", UserID: "ben"}},
		Sessions: known{
			"adas": {Caller: access.Caller{Kind: access.User, Tenant: "o:oak", UserID: "ada"}, Name: "Ada"},
		},
	}
	read := routes.Route{Method: http.MethodGet, Path: "/v1/cases", Access: routes.UserOrAgent}
	write := routes.Route{Method: http.MethodPost, Path: "/v1/cases", Access: routes.UserOnly}
	mcp := routes.Route{Method: http.MethodPost, Path: "/api/mcp", Access: routes.Application}
	open := routes.Route{Method: http.MethodPost, Path: "/v1/auth/token"}
	out := routes.Route{Method: http.MethodPost, Path: "/auth/logout", OwnPages: true}
	who := routes.Route{Method: http.MethodGet, Path: "/auth/session", OwnPages: true}

	const cookie, own = authn.SessionCookie + "=adas", "https://subrosa.example"
	for _, tc := range []struct {
		name   string
		route  routes.Route
		header http.Header
		user   string // "" with no code means nobody
		code   string
	}{
		{"reads, says nothing of where from", read, http.Header{"Cookie": {cookie}}, "ada", ""},
		{"reads from our page", read, http.Header{"Cookie": {cookie}, "Sec-Fetch-Site": {"same-origin"}}, "ada", ""},
		{"reads by hand", read, http.Header{"Cookie": {cookie}, "Sec-Fetch-Site": {"none"}}, "ada", ""},
		{"reads among other cookies", read, http.Header{"Cookie": {"a=b; " + cookie + "; c=d"}}, "ada", ""},
		{"reads from another site", read, http.Header{"Cookie": {cookie}, "Sec-Fetch-Site": {"cross-site"}}, "", "cross_site_refused"},
		{"reads from a neighbour", read, http.Header{"Cookie": {cookie}, "Sec-Fetch-Site": {"same-site"}}, "", "cross_site_refused"},
		{"reads from somewhere unheard of", read, http.Header{"Cookie": {cookie}, "Sec-Fetch-Site": {""}}, "", "cross_site_refused"},
		{"says two things", read, http.Header{"Cookie": {cookie}, "Sec-Fetch-Site": {"same-origin", "cross-site"}}, "", "cross_site_refused"},
		{
			"reads that name a foreign origin", read,
			http.Header{"Cookie": {cookie}, "Origin": {"https://evil.example"}},
			"", "cross_site_refused",
		},
		{
			"reads that name a foreign origin and call it ours", read,
			http.Header{"Cookie": {cookie}, "Sec-Fetch-Site": {"same-origin"}, "Origin": {"https://evil.example"}},
			"", "cross_site_refused",
		},
		{
			"reads that name a hidden origin", read,
			http.Header{"Cookie": {cookie}, "Origin": {"null"}},
			"", "cross_site_refused",
		},
		{
			"reads that name two origins", read,
			http.Header{"Cookie": {cookie}, "Origin": {own, "https://evil.example"}},
			"", "cross_site_refused",
		},
		{"reads that name our origin", read, http.Header{"Cookie": {cookie}, "Origin": {own}}, "ada", ""},
		{"writes from our page", write, http.Header{"Cookie": {cookie}, "Sec-Fetch-Site": {"same-origin"}, "Origin": {own}}, "ada", ""},
		{"writes with an old browser", write, http.Header{"Cookie": {cookie}, "Origin": {own}}, "ada", ""},
		{"writes without an origin", write, http.Header{"Cookie": {cookie}, "Sec-Fetch-Site": {"same-origin"}}, "", "cross_site_refused"},
		{"writes and says nothing", write, http.Header{"Cookie": {cookie}}, "", "cross_site_refused"},
		{"writes from another site", write, http.Header{"Cookie": {cookie}, "Sec-Fetch-Site": {"cross-site"}, "Origin": {"https://evil.example"}}, "", "cross_site_refused"},
		{"writes from another site that says our origin", write, http.Header{"Cookie": {cookie}, "Sec-Fetch-Site": {"cross-site"}, "Origin": {own}}, "", "cross_site_refused"},
		{"writes from a neighbour", write, http.Header{"Cookie": {cookie}, "Sec-Fetch-Site": {"same-site"}, "Origin": {"https://www.subrosa.example"}}, "", "cross_site_refused"},
		{"writes from a foreign origin", write, http.Header{"Cookie": {cookie}, "Sec-Fetch-Site": {"same-origin"}, "Origin": {"https://evil.example"}}, "", "cross_site_refused"},
		{"writes from a hidden origin", write, http.Header{"Cookie": {cookie}, "Sec-Fetch-Site": {"same-origin"}, "Origin": {"null"}}, "", "cross_site_refused"},
		{"writes from the origin without TLS", write, http.Header{"Cookie": {cookie}, "Origin": {"http://subrosa.example"}}, "", "cross_site_refused"},
		{"writes from another port", write, http.Header{"Cookie": {cookie}, "Origin": {own + ":444"}}, "", "cross_site_refused"},
		{"writes from two origins", write, http.Header{"Cookie": {cookie}, "Origin": {own, own}}, "", "cross_site_refused"},
		{"a stale cookie", read, http.Header{"Cookie": {authn.SessionCookie + "=old"}}, "", "unauthenticated"},
		{"two cookies", read, http.Header{"Cookie": {cookie + "; " + cookie}}, "", "unauthenticated"},
		{"a cookie without its prefix", read, http.Header{"Cookie": {"subrosa-session=adas"}}, "", "unauthenticated"},
		{"with another's token the token counts", read, http.Header{"Cookie": {cookie}, "Authorization": {"Bearer bens"}}, "ben", ""},
		{"with a bad token", read, http.Header{"Cookie": {cookie}, "Authorization": {"Bearer x"}}, "", "unauthenticated"},
		{"with an empty header", read, http.Header{"Cookie": {cookie}, "Authorization": {""}}, "", "unauthenticated"},
		{"a token from another site is no cookie", write, http.Header{"Authorization": {"Bearer bens"}, "Sec-Fetch-Site": {"cross-site"}, "Origin": {"https://evil.example"}}, "ben", ""},
		{"no cookie at the MCP endpoint", mcp, http.Header{"Cookie": {cookie}, "Sec-Fetch-Site": {"same-origin"}, "Origin": {own}}, "", "unauthenticated"},
		{"nobody on a public route", open, http.Header{"Cookie": {cookie}, "Sec-Fetch-Site": {"cross-site"}}, "", ""},
		{"signs out on our page", out, http.Header{"Cookie": {cookie}, "Sec-Fetch-Site": {"same-origin"}, "Origin": {own}}, "", ""},
		{"signed out by another site", out, http.Header{"Cookie": {cookie}, "Sec-Fetch-Site": {"cross-site"}, "Origin": {"https://evil.example"}}, "", "cross_site_refused"},
		{"signed out by a form of another site in an old browser", out, http.Header{"Cookie": {cookie}}, "", "cross_site_refused"},
		{"asks who it is", who, http.Header{"Cookie": {cookie}, "Sec-Fetch-Site": {"same-origin"}}, "", ""},
		{"another site asks who it is", who, http.Header{"Sec-Fetch-Site": {"cross-site"}}, "", "cross_site_refused"},
		{"a neighbour asks who it is", who, http.Header{"Sec-Fetch-Site": {"same-site"}}, "", "cross_site_refused"},
		{"asks who it is with a token", who, http.Header{"Authorization": {"Bearer bens"}}, "", "unauthenticated"},
		{"signs out with a token too", out, http.Header{"Cookie": {cookie}, "Origin": {own}, "Authorization": {"Bearer bens"}}, "", "unauthenticated"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c, _ := gin.CreateTestContext(httptest.NewRecorder())
			c.Request = httptest.NewRequestWithContext(t.Context(), tc.route.Method, tc.route.Path, nil)
			c.Request.Header = tc.header

			caller, err := a.Authenticate(c.Request.Context(), c, &tc.route)
			switch {
			case tc.code != "":
				if err == nil || errs.From(err).Code != tc.code || strings.Contains(err.Error(), "adas") {
					t.Errorf("%+v, %v, want %s", caller, err, tc.code)
				}
				if tc.code == "unauthenticated" && !errors.Is(err, access.ErrUnauthenticated) {
					t.Errorf("%v is not counted as a failed sign-in", err)
				}
			case err != nil || caller.UserID != tc.user || (caller.Kind == access.User) != (tc.user != ""):
				t.Errorf("%+v, %v, want %q", caller, err, tc.user)
			}
		})
	}
}

// away is a store of sessions that cannot be read.
type away struct{}

func (away) Check(context.Context, string) (authn.SessionRecord, error) {
	return authn.SessionRecord{}, errs.ErrUnavailable
}

// A page asks who is signed in as a matter of course, so "nobody" is no refusal. A store that cannot be read is not
// "nobody".
func TestWhoIsSignedIn(t *testing.T) {
	ada := access.Caller{Kind: access.User, Tenant: "o:oak", UserID: "ada", Roles: []string{"owner"}}
	ben := access.Caller{Kind: access.User, Tenant: "o:elm", UserID: "ben"}
	live := known{"adas": {Caller: ada, Name: "Ada"}, "bens": {Caller: ben}}
	const nobody = `{"person":null}`

	for _, tc := range []struct {
		name     string
		sessions edge.Sessions
		query    string
		cookies  []string
		want     string // the answer, or the code of the refusal
	}{
		{"somebody", live, "", []string{"adas"}, `{"person":{"user":"ada","name":"Ada","tenant":"o:oak","roles":["owner"]}}`},
		{"without a name or a role", live, "", []string{"bens"}, `{"person":{"user":"ben","tenant":"o:elm","roles":[]}}`},
		{"no cookie", live, "", nil, nobody},
		{"a stale cookie", live, "", []string{"old"}, nobody},
		{"two cookies", live, "", []string{"adas", "adas"}, nobody},
		{"the store is away", away{}, "", []string{"adas"}, "unavailable"},
		{"an unknown parameter", live, "?user=ben", []string{"adas"}, "invalid_parameter"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			recorder := httptest.NewRecorder()
			c, _ := gin.CreateTestContext(recorder)

			c.Request = httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/auth/session"+tc.query, nil)
			for _, value := range tc.cookies {
				c.Request.AddCookie(&http.Cookie{Name: authn.SessionCookie, Value: value})
			}

			got := ""
			if err := (&edge.Session{Sessions: tc.sessions}).Serve(c); err != nil {
				got = errs.From(err).Code
			} else if recorder.Code == http.StatusOK {
				got = strings.TrimSpace(recorder.Body.String())
			}
			if got != tc.want {
				t.Errorf("%d %s, want %s", recorder.Code, got, tc.want)
			}
		})
	}
}

// The cookie must reach no route but those of the interface and the two that pages of ours call by themselves.
func TestWhereTheCookieCounts(t *testing.T) {
	t.Parallel()

	for _, r := range routes.All() {
		if (r.Access == routes.UserOnly || r.Access == routes.UserOrAgent) && !strings.HasPrefix(r.Path, "/v1/") {
			t.Errorf("%s %s takes the session's cookie", r.Method, r.Path)
		}
		if r.OwnPages != (r.Path == "/auth/logout" || r.Path == "/auth/session") {
			t.Errorf("%s %s: OwnPages = %v", r.Method, r.Path, r.OwnPages)
		}
		if r.Page && r.Upstream != routes.Auth && r.Upstream != routes.Edge {
			t.Errorf("%s %s passes cookies on to %s", r.Method, r.Path, r.Upstream)
		}
	}
}

func TestEndedSessionsLoseTheirStreams(t *testing.T) {
	t.Parallel()
	rdb := stores.Redis(t)
	e := edge.NewEnded(endedSource{}, rdb, time.Now, slog.New(slog.DiscardHandler))
	watching, stop := context.WithCancel(t.Context())
	done := make(chan struct{})

	go func() { e.Watch(watching); close(done) }()

	defer func() { stop(); <-done }()
	open := func(userID, field string) context.Context {
		ctx, release := e.Follow(
			t.Context(),
			access.Caller{Kind: access.User, UserID: userID},
			authn.SessionName(userID, field),
		)
		t.Cleanup(release)

		return ctx
	}
	phone, desk, bens := open("ada", "phone"), open("ada", "desk"), open("ben", "phone")
	end := func(what string, stream context.Context) {
		t.Helper()
		testkit.Until(t, testkit.Patience, func() error {
			if err := rdb.Publish(t.Context(), authn.SessionsEndedChannel, what).Err(); err != nil {
				return err
			}
			if !errors.Is(context.Cause(stream), access.ErrUnauthenticated) {
				return errors.New("the stream is open")
			}

			return nil
		})
	}
	end(authn.SessionName("ada", "phone"), phone)
	if desk.Err() != nil || bens.Err() != nil {
		t.Error("others lost their streams")
	}
	end(authn.SessionName("ada", "desk"), desk)
	if bens.Err() != nil {
		t.Error("another user lost a stream")
	}
	if again := open("ada", "phone"); again.Err() != nil {
		t.Error("who signs in again may open no stream")
	}
}
