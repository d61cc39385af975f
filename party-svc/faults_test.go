package partysvc_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	partysvc "github.com/subrosa-legal/subrosa/party-svc"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/launch"
	"github.com/subrosa-legal/subrosa/pkg/telemetry"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
	"github.com/subrosa-legal/subrosa/pkg/testkit/servicetest"
	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
	"go.uber.org/goleak"
)

func TestMongoDBAway(t *testing.T) {
	t.Parallel()
	link := stores.Cut(t, stores.MongoURI(t))
	link.Break()
	w := startUnready(t, link.URL(), nil)
	if err := w.ready(); err == nil {
		t.Error("it says that it is ready")
	}
	c := w.cases.add(firm, nil)
	body := with(plaintiff, m{"caseId": c.CaseID})
	asks := map[string]func() answer{
		"create":                            func() answer { return w.json(ann, http.MethodPost, "/v1/parties", body) },
		"create with a key":                 func() answer { return w.json(ann, http.MethodPost, "/v1/parties", body, "Idempotency-Key", "k") },
		"list":                              func() answer { return w.get(ann, "/v1/parties") },
		"list of a case":                    func() answer { return w.get(ann, "/v1/parties?caseId="+c.CaseID) },
		"get":                               func() answer { return w.get(ann, "/v1/parties/"+uuid.NewString()) },
		"put":                               func() answer { return w.json(ann, http.MethodPut, "/v1/parties/"+uuid.NewString(), plaintiff) },
		"roster":                            func() answer { return w.get(ann, "/internal/cases/"+c.CaseID+"/roster") },
		"partners":                          func() answer { return w.get(ann, "/v1/partners") },
		"invite":                            func() answer { return w.invited(ann, c.CaseID, 1, nil) },
		"invites":                           func() answer { return w.get(ann, "/v1/invites") },
		"an invite":                         func() answer { return w.get(ann, "/v1/invites/"+uuid.NewString()) },
		"decision":                          func() answer { return w.decided(ann, uuid.NewString(), "revoke", nil) },
		"audit":                             func() answer { return w.get(ann, "/v1/audit/party") },
		"a refusal that cannot be recorded": func() answer { return w.get(agent(firm, "ann", "none"), "/v1/parties") },
	}
	away := func() {
		w.Within = 500 * time.Millisecond
		var asking sync.WaitGroup

		for name, ask := range asks {
			asking.Go(func() {
				if a := ask(); a.Status != 503 || a.Header.Get("Retry-After") == "" {
					t.Errorf("%s: status %d: %s", name, a.Status, a.Body)
				}
			})
		}
		asking.Wait()
		w.Within = 0
	}
	away()
	refused(t, w.do(call{Method: http.MethodGet, Path: "/v1/parties"}), 401, "internal_token_refused")
	link.Mend()
	testkit.Until(t, testkit.Patience, w.ready)
	p := w.addParty(ann, with(plaintiff, m{"caseId": c.CaseID}))
	link.Break()
	away()
	link.Mend()
	testkit.Until(t, testkit.Patience, w.ready)
	testkit.Until(t, testkit.Patience, func() error {
		a, err := w.try(call{Method: http.MethodGet, Path: "/v1/parties/" + p.PartyID, Caller: ann})
		if err == nil && a.Status != 200 {
			err = fmt.Errorf("status %d: %s", a.Status, a.Body)
		}

		return err
	})
	if page := into[api.Page[api.Party]](t, w.get(ann, "/v1/parties"), 200); len(page.Items) < 1 || page.Items[0].PartyID != p.PartyID {
		t.Errorf("what was acknowledged is gone: %+v", page.Items)
	}
}

func TestCaseSvcAway(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	w.mustLoad(directory...)
	c := w.cases.add(firm, nil)
	p := w.addParty(ann, with(plaintiff, m{"caseId": c.CaseID}))
	w.cases.with(func(s *caseService) { s.down["case"] = true })

	for name, a := range map[string]answer{
		"create": w.json(ann, http.MethodPost, "/v1/parties", with(plaintiff, m{"caseId": c.CaseID})), "get": w.get(ann, "/v1/parties/"+p.PartyID),
		"list": w.get(ann, "/v1/parties"), "put": w.json(ann, http.MethodPut, "/v1/parties/"+p.PartyID, plaintiff), "invite": w.invited(ann, c.CaseID, 1, nil),
		"partners for a case": w.get(ann, "/v1/partners?forCaseId="+c.CaseID),
	} {
		if a.Status != 503 || a.Header.Get("Retry-After") == "" {
			t.Errorf("%s: status %d: %s", name, a.Status, a.Body)
		}
	}
	into[api.Roster](t, w.get(ann, "/internal/cases/"+c.CaseID+"/roster?parties=1"), 200) // case-svc asks, so it must not be asked back
	into[api.PartnerPage](t, w.get(ann, "/v1/partners"), 200)
	w.cases.with(func(s *caseService) { s.down["case"], s.policy[firm] = false, "block" })
	other := w.cases.add(firm, nil)
	w.addParty(ann, with(plaintiff, m{"caseId": c.CaseID, "side": "ours", "conflictTokens": []string{token(1)}}))
	w.cases.with(func(s *caseService) { s.down["settings"] = true })
	a := w.json(ann, http.MethodPost, "/v1/parties", with(plaintiff, m{"caseId": other.CaseID, "side": "adverse", "conflictTokens": []string{token(1)}}))
	refused(t, a, 503, "unavailable") // nobody knows whether it may be stored
}

func TestNothingOfACaseIsLogged(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	c := w.cases.add(firm, nil)
	w.cases.with(func(s *caseService) { s.down["recount"] = true })
	w.addParty(ann, with(plaintiff, m{"caseId": c.CaseID, "notes": "very secret", "identityRef": ref, "conflictTokens": []string{token(7)}}))
	w.json(ann, http.MethodPost, "/v1/parties", with(plaintiff, m{"caseId": c.CaseID, "notes": "very secret ann@example.com"}))
	w.clock.Advance(time.Minute)
	until(t, "the sweep complains", func() bool { return strings.Contains(w.logs.String(), "the sweep is not finished") })

	for _, secret := range []string{"very secret", "example.com", ref, token(7)} {
		if strings.Contains(w.logs.String(), secret) {
			t.Errorf("the log holds %q", secret)
		}
	}
}

func TestSettings(t *testing.T) {
	t.Parallel()

	for name, settings := range map[string]map[string]string{
		"a misspelt one": {"PARTY_ADDR3SS": "x"}, "no address of case-svc": {"CASE_URL": ""}, "an address that is none": {"CASE_URL": "case-svc"}, "no trust": {"INTERNAL_TRUST": "/nowhere"},
		"no key": {"INTERNAL_KEY": "short"}, "no limit": {"PARTY_IN_FLIGHT": "0"}, "no time": {"PARTY_SWEEP_EVERY": "0s"}, "a short secret": {"PARTY_CURSOR_KEY": "short"},
		"no base": {"BASE_URL": "subrosa"}, "no MongoDB": {"MONGODB_URI": "x"},
	} {
		env := environ(t, stores.MongoURI(t))

		env["CASE_URL"] = "http://127.0.0.1:1"
		for k, v := range settings {
			env[k] = v
		}
		if _, err := partysvc.New(t.Context(), launch.Env{Environ: env, Telemetry: telemetry.Discard("party-svc", &servicetest.Lines{}), Now: servicetest.NewClock().Now}); err == nil {
			t.Errorf("%s: it starts", name)
		}
	}
}

func TestItLeavesNothingBehind(t *testing.T) {
	stores.MongoURI(t) // runs on after this test
	ignore := goleak.IgnoreCurrent()
	t.Run("a service", func(t *testing.T) {
		w := start(t, nil)
		c := w.cases.add(firm, nil)
		w.addParty(ann, with(plaintiff, m{"caseId": c.CaseID}))
	})
	goleak.VerifyNone(t, ignore, goleak.IgnoreTopFunction("net/http.(*persistConn).readLoop"), goleak.IgnoreTopFunction("net/http.(*persistConn).writeLoop"))
}
