package authn_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/authn"
	"github.com/subrosa-legal/subrosa/pkg/httpauth"
)

func signer(t *testing.T, seeds map[string]string, issuer string) *authn.Signer {
	t.Helper()
	s, err := authn.NewSigner(issuer, seeds[issuer], at(0))
	if err != nil {
		t.Fatal(err)
	}

	return s
}

var ofPhase = access.Phase{
	PhaseID:       "p",
	RequestType:   "case_req",
	ContainerType: "case",
	ContainerID:   "c",
	TimelineID:    "t",
}

// auth-svc alone may speak for people, agents and applications in a token for a phase, and for none of them in any
// other.
func TestWhoMayClaimAPhase(t *testing.T) {
	t.Parallel()
	seeds, trust := internals(t)
	v := authn.Verifier{Trust: trust, Now: at(time.Second), Opens: authn.Openings{}}

	for _, issuer := range authn.Issuers() {
		for _, kind := range []access.Kind{
			access.User, access.Agent, access.OAuth, access.Public, access.Service, access.Partner,
		} {
			caller := access.Caller{Kind: kind, Tenant: "o:oak", UserID: "ada"}
			token, err := signer(t, seeds, issuer).Continue(authn.Continuation{Caller: caller, Phase: ofPhase})
			if err != nil {
				t.Fatal(err)
			}
			may := issuer == "auth-svc" && (kind == access.User || kind == access.Agent || kind == access.OAuth)
			if c, err := v.Verify(token); (err == nil) != may || may && !c.Continues() {
				t.Errorf("%s claims a phase of a caller of kind %s: %v", issuer, kind, err)
			}
			if _, err := (&authn.Verifier{Trust: trust, Now: at(time.Second)}).Verify(
				token,
			); !errors.Is(
				err,
				access.ErrUnauthenticated,
			) {
				t.Errorf("%s, %s: a service that continues nothing says %v", issuer, kind, err)
			}
		}
	}
	if _, err := v.Verify(sign(t, "auth-svc", seeds["auth-svc"], user)); !errors.Is(err, access.ErrUnauthenticated) {
		t.Errorf("auth-svc speaks for a person without a phase: %v", err)
	}
}

// A voucher is no token, and no token is a voucher.
func TestVouchers(t *testing.T) {
	t.Parallel()
	seeds, trust := internals(t)
	v := authn.Verifier{Trust: trust, Now: at(time.Second), Opens: authn.Openings{}}
	c := authn.Continuation{Caller: user, Phase: ofPhase}

	voucher, err := signer(t, seeds, "case-svc").Voucher(c)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := v.Voucher(voucher); err != nil || got.Caller.UserID != "ada" || got.Phase != ofPhase {
		t.Errorf("Voucher = %+v, %v", got, err)
	}
	if _, err := v.Verify(voucher); !errors.Is(err, access.ErrUnauthenticated) {
		t.Errorf("a voucher as a token: %v", err)
	}
	token, err := signer(t, seeds, "auth-svc").Continue(c)
	if err != nil {
		t.Fatal(err)
	}
	nobody, err := signer(
		t,
		seeds,
		"case-svc",
	).Voucher(
		authn.Continuation{Caller: access.Caller{Kind: access.User}, Phase: ofPhase},
	)
	if err != nil {
		t.Fatal(err)
	}

	for what, text := range map[string]string{
		"a continuation token": token, "a caller without a tenant": nobody,
		"another service's": mustVouch(t, signer(t, seeds, "agent-svc"), c),
	} {
		if _, err := v.Voucher(text); !errors.Is(err, access.ErrUnauthenticated) {
			t.Errorf("%s as a voucher: %v", what, err)
		}
	}
	late := authn.Verifier{Trust: trust, Now: at(2 * time.Minute)}
	if _, err := late.Voucher(voucher); !errors.Is(err, access.ErrUnauthenticated) {
		t.Errorf("a voucher of two minutes ago: %v", err)
	}
}

func mustVouch(t *testing.T, s *authn.Signer, c authn.Continuation) string {
	t.Helper()
	text, err := s.Voucher(c)
	if err != nil {
		t.Fatal(err)
	}

	return text
}

func TestOpenings(t *testing.T) {
	t.Parallel()
	seeds, trust := internals(t)
	v := &authn.Verifier{Trust: trust, Now: at(time.Second), Opens: authn.Openings{
		"GET /cases/:caseId":                     nil,
		"GET /phases/:phaseId":                   nil,
		"GET /partners":                          nil,
		"GET /boxes/:containerType/:containerId": nil,
		"GET /usage":                             {"admin_req"},
		"POST /cases/:caseId/reindex":            {"admin_req"},
	}}
	gin.SetMode(gin.ReleaseMode)
	router := gin.New()
	router.Use((&httpauth.Gate{Verifier: v}).Middleware(func(c *gin.Context, err error) {
		status := http.StatusUnauthorized
		if errors.Is(err, access.ErrForbidden) {
			status = http.StatusForbidden
		}
		c.AbortWithStatus(status)
	}))

	for _, route := range [][2]string{
		{"GET", "/cases/:caseId"},
		{"DELETE", "/cases/:caseId"},
		{"GET", "/phases/:phaseId"},
		{"GET", "/partners"},
		{"GET", "/boxes/:containerType/:containerId"},
		{"GET", "/usage"},
		{"POST", "/cases/:caseId/reindex"},
		{"GET", "/cases"},
	} {
		router.Handle(route[0], route[1], func(c *gin.Context) { c.Status(http.StatusOK) })
	}
	admins := access.Phase{
		PhaseID:       "p",
		RequestType:   "admin_req",
		ContainerType: "support",
		ContainerID:   "s",
		TimelineID:    "t",
	}

	for _, tc := range []struct {
		method, path string
		phase        access.Phase
		status       int
	}{
		{"GET", "/cases/c", ofPhase, 200},
		{"GET", "/cases/d", ofPhase, 403},
		{"GET", "/cases/c?caseId=d", ofPhase, 403},
		{"GET", "/cases", ofPhase, 403},
		{"DELETE", "/cases/c", ofPhase, 403},
		{"GET", "/phases/p", ofPhase, 200},
		{"GET", "/phases/q", ofPhase, 403},
		{"GET", "/partners?forCaseId=c", ofPhase, 200},
		{"GET", "/partners?forCaseId=d", ofPhase, 403},
		{"GET", "/boxes/case/c", ofPhase, 200},
		{"GET", "/boxes/support/c", ofPhase, 403},
		{"GET", "/usage", ofPhase, 403},
		{"GET", "/usage", admins, 200},
		{"POST", "/cases/d/reindex", admins, 200},
		{"POST", "/cases/c/reindex", ofPhase, 403},
		{"GET", "/cases/c", admins, 403},
	} {
		token, err := signer(t, seeds, "auth-svc").Continue(authn.Continuation{Caller: user, Phase: tc.phase})
		if err != nil {
			t.Fatal(err)
		}
		req := httptest.NewRequest(tc.method, tc.path, http.NoBody)
		req.Header.Set("Authorization", "Bearer "+token)
		got := httptest.NewRecorder()
		router.ServeHTTP(got, req)
		if got.Code != tc.status {
			t.Errorf("%s %s for a phase of type %s: %d, want %d", tc.method, tc.path, tc.phase.RequestType, got.Code, tc.status)
		}
	}
}
